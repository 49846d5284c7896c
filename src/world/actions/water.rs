//! Amounts of water that an action adds, removes or colours, cell by cell.

use crate::world::ActionError;
use crate::world::actions::change::CellsRecord;
use crate::world::actions::tile_amounts::TileList;
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::grid::LeafId;
use thalweg_engine::sim::edits::{CellMovement, TileCells};
use thalweg_engine::sim::push::PUSHED_SPEED_MOST;
use thalweg_engine::sim::tracers::Tracer;
use thalweg_engine::terrain::Shape;
use thalweg_engine::units::{CEILING, Volume};

use crate::world::cells::WorldCells;
use serde::{Deserialize, Serialize};

/// Amount of water.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Amount {
    /// A depth over the ground of each cell, m.
    #[serde(alias = "depth-m")]
    DepthM(f64),
    /// A volume, m³: added at one depth over the area; removed as the same part of the water of
    /// each cell.
    #[serde(alias = "volume-m3")]
    VolumeM3(f64),
    /// A stage, m, up or down to which the water changes.
    #[serde(alias = "stage-m")]
    StageM(f64),
}

/// Most water that is moved at once, m³.
const VOLUME_MOST_M3: f64 = 1.0e15;

/// A cell, and its weight in the share of a volume.
type Weighted = (LeafId, usize, f64);

impl WorldCells<'_> {
    /// Returns the water that an action adds to each cell.
    pub(super) fn to_pour(self, area: &Shape, amount: Amount) -> Result<CellsRecord, ActionError> {
        let cells = match amount {
            Amount::DepthM(depth_m) => {
                let units = self.depth_units(depth_m)?;
                self.by_cell(area, |cells, leaf, cell| {
                    cells.simulation.ground(leaf).over_cell(cell, units)
                })?
            }
            Amount::StageM(stage_m) => {
                let stage = self.stage_units(stage_m)?;
                self.by_cell(area, |cells, leaf, cell| {
                    let depth = cells.simulation.water(leaf).depth[cell];
                    (cells.simulation.ground(leaf).holds(cell, stage) - depth).max(0)
                })?
            }
            Amount::VolumeM3(volume_m3) => {
                let volume = self.volume_units(volume_m3)?;
                let weights = self.weights(area, |_, _, _| 1.0)?;
                return Ok(self.shared(volume, &weights, CellMovement::Pour));
            }
        };
        Ok(CellsRecord::of(CellMovement::Pour, cells))
    }

    /// Returns the water that an action removes from each cell.
    pub(super) fn to_draw(self, area: &Shape, amount: Amount) -> Result<CellsRecord, ActionError> {
        let cells = match amount {
            Amount::DepthM(depth_m) => {
                let units = self.depth_units(depth_m)?;
                self.by_cell(area, |cells, leaf, cell| {
                    cells.simulation.ground(leaf).over_cell(cell, units)
                })?
            }
            Amount::StageM(stage_m) => {
                let stage = self.stage_units(stage_m)?;
                self.by_cell(area, |cells, leaf, cell| {
                    let depth = cells.simulation.water(leaf).depth[cell];
                    (depth - cells.simulation.ground(leaf).holds(cell, stage)).max(0)
                })?
            }
            Amount::VolumeM3(volume_m3) => {
                let volume = self.volume_units(volume_m3)?;
                let weights = self.weights(area, |cells, leaf, cell| {
                    // A depth is the volume over the whole cell, and `weights` multiplies by the
                    // part of the cell that is ground: the division takes that factor out again.
                    f64::from(cells.simulation.water(leaf).depth[cell])
                        / cells.ground_part(leaf, cell)
                })?;
                let there: f64 = weights.iter().map(|(.., weight)| weight).sum();
                // Only the water that is there is shared out, but `asked` keeps the whole volume:
                // the rest is reported as unmet.
                let record = self.shared(volume.min(there), &weights, CellMovement::Draw);
                return Ok(CellsRecord { asked: whole(volume), ..record });
            }
        };
        Ok(CellsRecord::of(CellMovement::Draw, cells))
    }

    /// Returns the units of each cell of an area, times the part of the cell in it.
    #[expect(clippy::cast_possible_truncation, reason = "a part of an i32")]
    fn by_cell(
        self,
        area: &Shape,
        units: impl Fn(Self, LeafId, usize) -> i32,
    ) -> Result<Vec<TileCells>, ActionError> {
        let mut list = TileList::new(self.simulation);
        for (leaf, cell, part) in self.reach(area)?.cells() {
            let wanted = f64::from(units(self, leaf, cell));
            let units = (part * wanted + 0.5).floor() as i32;
            if units > 0 {
                list.add(leaf, cell, units, |_| 0);
            }
        }
        Ok(list.tiles)
    }

    /// Returns the cells of an area, each with its area in finest cells times the value of `each`.
    fn weights(
        self,
        area: &Shape,
        each: impl Fn(Self, LeafId, usize) -> f64,
    ) -> Result<Vec<Weighted>, ActionError> {
        let weight = |(leaf, cell, part): (LeafId, usize, f64)| {
            let cells = self.finest_cells(leaf) * self.ground_part(leaf, cell);
            (leaf, cell, part * cells * each(self, leaf, cell))
        };
        Ok(self.reach(area)?.cells().map(weight).filter(|(.., weight)| *weight > 0.0).collect())
    }

    /// Shares a volume, vertical units × finest cells, out by weights. The remainder that a cell
    /// cannot have in whole units passes to the next cell, and the units left over by rounding are
    /// given one to a cell.
    #[expect(clippy::cast_possible_truncation, reason = "saturates at an i32")]
    fn shared(self, volume: f64, weights: &[Weighted], movement: CellMovement) -> CellsRecord {
        let all: f64 = weights.iter().map(|(.., weight)| weight).sum();
        let (mut sum, mut given) = (0.0, 0.0);
        let mut units = Vec::with_capacity(weights.len());
        for &(leaf, cell, weight) in weights {
            sum += weight;
            let cells = self.finest_cells(leaf);
            let most = self.most(movement, leaf, cell);
            let own = ((volume * (sum / all) - given) / cells).floor() as i32;
            let own = own.clamp(0, most);
            given += f64::from(own) * cells;
            units.push((own, most));
        }
        let mut list = TileList::new(self.simulation);
        for (&(leaf, cell, _), (own, most)) in weights.iter().zip(units) {
            let cells = self.finest_cells(leaf);
            let is_more = own < most && volume - given >= cells;
            let own = own + i32::from(is_more);
            given += if is_more { cells } else { 0.0 };
            if own > 0 {
                list.add(leaf, cell, own, |_| 0);
            }
        }
        CellsRecord { asked: whole(volume), ..CellsRecord::of(movement, list.tiles) }
    }

    /// Returns the depth that a cell can take, or give, vertical units.
    fn most(self, movement: CellMovement, leaf: LeafId, cell: usize) -> i32 {
        let (ground, water) = (self.simulation.ground(leaf), self.simulation.water(leaf));
        match movement {
            CellMovement::Pour => (ground.room(cell) - water.depth[cell]).max(0),
            _ => water.depth[cell],
        }
    }

    /// Returns the number of finest cells in a cell of a leaf.
    fn finest_cells(self, leaf: LeafId) -> f64 {
        let level = self.simulation.forest().leaves()[leaf].level;
        f64::from(1_u32 << level) * f64::from(1_u32 << level)
    }

    /// Returns the record that gives the water of an area a concentration.
    pub(super) fn to_change_concentration(
        self,
        area: &Shape,
        tracer: &str,
        concentration: f64,
    ) -> Result<CellsRecord, ActionError> {
        let tracers = self.simulation.tracers();
        let index = tracers.find(tracer).ok_or_else(|| self.no_tracer(tracer))?;
        check("the concentration", concentration, [0.0, 1.0])?;
        let one = f64::from(i32::try_from(ONE).expect("2²⁴"));
        #[expect(clippy::cast_possible_truncation, reason = "bounded one line above")]
        let wanted = (concentration * one + 0.5).floor() as i64;
        let mut list = TileList::new(self.simulation);
        for (leaf, cell, part) in self.reach(area)?.cells() {
            let water = self.simulation.water(leaf);
            let change = wanted * i64::from(water.depth[cell]) - water.contents[index][cell];
            // A content has up to 55 bits and an f64 holds 53, so a cell that is wholly in the area
            // takes its change in integers.
            #[expect(clippy::cast_possible_truncation, reason = "a part of an i64")]
            #[expect(clippy::cast_precision_loss, reason = "a part to the nearest")]
            let change = if part < 1.0 { (part * change as f64).floor() as i64 } else { change };
            if change != 0 {
                list.add(leaf, cell, 0, |tracer| if tracer == index { change } else { 0 });
            }
        }
        Ok(CellsRecord::of(CellMovement::Content(index), list.tiles))
    }

    /// Returns the error for an unknown name of a tracer.
    pub(super) fn no_tracer(self, name: &str) -> ActionError {
        let tracers = self.simulation.tracers().all();
        let known = tracers.iter().map(Tracer::name).map(str::to_owned).collect();
        ActionError::Unknown { what: "tracer", name: name.to_owned(), known }
    }

    fn depth_units(self, depth_m: f64) -> Result<i32, ActionError> {
        let most = f64::from(CEILING) * self.scale().unit_m();
        check("the depth of the water, m,", depth_m, [0.0, most])?;
        Ok(self.scale().depth_units(depth_m).map_or(CEILING, |units| units.min(CEILING)))
    }

    fn stage_units(self, stage_m: f64) -> Result<i32, ActionError> {
        self.scale().elevation(stage_m, self.scale().exponent()).map_err(ActionError::Stage)
    }

    /// Returns a volume in vertical units × finest cells, to the nearest.
    fn volume_units(self, volume_m3: f64) -> Result<f64, ActionError> {
        check("the volume of the water, m³,", volume_m3, [0.0, VOLUME_MOST_M3])?;
        Ok((volume_m3 / self.unit_m3() + 0.5).floor())
    }
}

/// Checks the velocity of a push.
pub(super) fn check_push(by_m_s: [f64; 2]) -> Result<(), ActionError> {
    let most = PUSHED_SPEED_MOST;
    by_m_s.into_iter().try_for_each(|by| check("the velocity of the push, m/s,", by, [-most, most]))
}

/// Refuses a number outside a range.
fn check(what: &'static str, value: f64, [low, high]: [f64; 2]) -> Result<(), ActionError> {
    let is_good = (low..=high).contains(&value);
    if is_good { Ok(()) } else { Err(ActionError::Number { what, value, low, high }) }
}

/// Returns a volume as a whole number.
#[expect(clippy::cast_possible_truncation, reason = "far below 2¹²⁷")]
fn whole(volume: f64) -> Volume {
    volume as Volume
}
