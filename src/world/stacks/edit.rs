//! Intervals that are carved and filled while a world runs.

use crate::world::cells::WorldCells;
use crate::world::stacks::{INTERVALS_MOST, StackError};
use crate::world::{ActionError, World};
use thalweg_engine::forest::place_in;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::stacks::reshape::{CellShape, NoRoom};
use thalweg_engine::terrain::{EditPlan, Shape};
use thalweg_engine::units::CEILING;

/// Cells with their new intervals.
#[derive(Debug, Clone)]
pub(in crate::world) struct StackRecord {
    cells: Vec<CellRecord>,
}

/// A cell with its new intervals.
#[derive(Debug, Clone)]
struct CellRecord {
    tile: TileKey,
    cell: u16,
    /// Bed and ceiling of each, vertical units.
    spans: Vec<[i32; 2]>,
    /// The new ground, if it differs.
    ground: Option<i32>,
}

/// Work on the rock of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::world) enum RockWork {
    /// Removing rock.
    Carve,
    /// Adding rock.
    Fill,
}

impl WorldCells<'_> {
    /// Returns the intervals of the cells of an area, carved or filled between two heights, m.
    pub(in crate::world) fn to_reshape(
        self,
        (work, area): (RockWork, &Shape),
        span_m: [f64; 2],
    ) -> Result<StackRecord, ActionError> {
        let reach = self.reach(area)?;
        let mut cells = Vec::new();
        for (leaf, cell, _) in reach.cells() {
            let tile = self.simulation.forest().leaves()[leaf];
            let place = self.simulation.forest().place_of(leaf, cell);
            if tile.level != self.simulation.forest().base() {
                return Err(StackError::Coarse { place, level: tile.level }.into());
            }
            let span = self.span_of(place, span_m)?;
            let ground = self.simulation.ground(leaf).dry_stage(cell);
            let at = u16::try_from(cell).expect("4096 cells");
            // Ground that is cut into parts has no single height.
            let is_whole = tile.level == 0 && self.simulation.ground(leaf).parts().is_none();
            let old = self.spans_at(leaf, at);
            let (new, bed) = match (work, is_whole) {
                (_, true) => self.dug((work, old.clone()), span, ground),
                (RockWork::Fill, false) => (filled(&old, span), ground),
                (RockWork::Carve, false) => (carved(&old, span), ground),
            };
            if new.last().is_some_and(|[_, ceiling]| *ceiling > bed) {
                let [ceiling_m, ground_m] =
                    [span[1], ground].map(|units| self.scale().metres(units));
                return Err(StackError::Ground { place, ceiling_m, ground_m }.into());
            }
            if new == old && bed == ground {
                continue;
            }
            if !new.is_empty() && self.simulation.settings().fluid.yields() {
                return Err(StackError::Fluid { place }.into());
            }
            if new.len() > INTERVALS_MOST {
                let (count, most) = (new.len(), INTERVALS_MOST);
                return Err(StackError::Count { place, count, most, cells: 1 }.into());
            }
            let ground = (bed != ground).then_some(bed);
            cells.push(CellRecord { tile, cell: at, spans: new, ground });
        }
        Ok(StackRecord { cells })
    }

    /// Returns the intervals of a cell and its ground after work on its rock: the air above the
    /// ground is the topmost interval. Grounds have coarser steps than heights of rock: a span that
    /// ends within a step of the ground ends at the ground.
    fn dug(
        self,
        (work, mut air): (RockWork, Vec<[i32; 2]>),
        span: [i32; 2],
        ground: i32,
    ) -> (Vec<[i32; 2]>, i32) {
        let step = self.site.with_base(|base| base.bed_step());
        let is_ground = |height: i32| height.abs_diff(ground) < step.unsigned_abs();
        let span = span.map(|height| if is_ground(height) { ground } else { height });
        air.push([ground, CEILING]);
        let mut air = match work {
            RockWork::Carve => carved(&air, span),
            RockWork::Fill if span[0] < span[1] => filled(&air, span),
            RockWork::Fill => air,
        };
        let [bed, _] = air.pop().expect("air above the ground");
        // Beds are multiples of a step: the ground is rounded to the nearest one, or up if that
        // would be below the ceiling of the interval under it.
        let nearest = bed.saturating_add(step / 2).div_euclid(step) * step;
        let below = air.last().map_or(i32::MIN, |[_, ceiling]| *ceiling);
        match nearest {
            _ if bed == ground => (air, bed),
            nearest if nearest >= below => (air, nearest),
            nearest => (air, nearest + step),
        }
    }

    /// Returns the lowest and the highest place of rock to work on, vertical units.
    fn span_of(self, place: CellPlace, span_m: [f64; 2]) -> Result<[i32; 2], StackError> {
        let scale = self.scale();
        let units = |metres: f64| {
            let units = scale.elevation(metres, scale.exponent());
            units.map_err(|reason| StackError::Height { place, reason })
        };
        let span = [units(span_m[0])?, units(span_m[1])?];
        if span[0] >= span[1] { Err(StackError::Thin { place, span_m }) } else { Ok(span) }
    }

    /// Returns the bed and the ceiling of each interval of a cell.
    pub(in crate::world) fn spans_at(self, leaf: LeafId, cell: u16) -> Vec<[i32; 2]> {
        let stack = self.simulation.leaves().own[leaf].stack.as_ref();
        let own = stack.map_or(&[][..], |stack| stack.of_cell(cell));
        own.iter().map(|own| [own.bed, own.ceiling]).collect()
    }
}

/// Returns the intervals with a span added: the ones that it overlaps or touches join it.
fn carved(old: &[[i32; 2]], mut span: [i32; 2]) -> Vec<[i32; 2]> {
    let mut new = Vec::with_capacity(old.len() + 1);
    for &[bed, ceiling] in old {
        if ceiling < span[0] || bed > span[1] {
            new.push([bed, ceiling]);
        } else {
            span = [span[0].min(bed), span[1].max(ceiling)];
        }
    }
    new.push(span);
    new.sort_unstable();
    new
}

/// Returns the intervals without their parts in a span.
fn filled(old: &[[i32; 2]], span: [i32; 2]) -> Vec<[i32; 2]> {
    let parts = |&[bed, ceiling]: &[i32; 2]| {
        [[bed, ceiling.min(span[0])], [bed.max(span[1]), ceiling]]
            .into_iter()
            .filter(|[bed, ceiling]| bed < ceiling)
    };
    old.iter().flat_map(parts).collect()
}

impl StackRecord {
    /// Returns its cells, with their leaves.
    pub(in crate::world) fn cells(&self, simulation: &Simulation) -> Vec<(LeafId, u16)> {
        let forest = simulation.forest();
        self.cells.iter().filter_map(|own| Some((forest.find(own.tile)?, own.cell))).collect()
    }

    /// Returns the bytes that the record takes as a way back; the same number on every machine.
    pub(in crate::world) fn bytes(&self) -> usize {
        self.cells.iter().map(|own| 40 + 8 * own.spans.len()).sum()
    }

    /// Returns the number of cells that it changes.
    pub(in crate::world) fn count(&self) -> usize {
        self.cells.len()
    }

    /// Returns the new grounds of cells.
    fn grounds(&self) -> EditPlan {
        let cells = self.cells.iter();
        EditPlan::of_cells(
            cells.filter_map(|own| {
                Some((place_in(0, own.tile, usize::from(own.cell)), own.ground?))
            }),
        )
    }

    /// Returns true if it changes nothing.
    pub(in crate::world) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

impl World {
    /// Gives cells the intervals and the ground of a record; returns the record that reverts it.
    pub(in crate::world) fn reshape(
        &mut self,
        record: &StackRecord,
    ) -> Result<StackRecord, ActionError> {
        if record.is_empty() {
            return Ok(record.clone());
        }
        let plan = record.grounds();
        let shapes = self.shapes_of(record)?;
        // Beds change first, because reading their pages may fail; they are restored if water has
        // no room.
        let beds = if plan.is_empty() { None } else { Some(self.prepare_beds(&plan, false)?) };
        let blocks = beds.as_ref().map_or(&[][..], |beds| &beds.blocks);
        let Self { simulation, site, .. } = self;
        let before = match simulation.edit().reshape_stacks(&shapes, (blocks, site)) {
            Ok(before) => before,
            Err(NoRoom { leaf, cell, units }) => {
                if let Some(beds) = beds {
                    let changed = site.edit(&beds.back)?;
                    site.follow_falls(&changed)?;
                }
                let width = simulation.cell_width_m();
                let unit_m3 = site.scale().unit_m() * width * width;
                let place = simulation.forest().place_of(leaf, usize::from(cell));
                let volume_m3 = f64::from(units) * unit_m3;
                return Err(StackError::NoRoom { place, volume_m3 }.into());
            }
        };
        if let Some(beds) = beds {
            self.finish_beds(beds);
        }
        if self.pin_stacks() {
            self.ask_again();
        }
        let forest = self.simulation.forest();
        let record = |CellShape { leaf, cell, spans, ground }: CellShape| CellRecord {
            tile: forest.leaves()[leaf],
            cell,
            spans,
            ground: ground.map(|[_, after]| after),
        };
        Ok(StackRecord { cells: before.into_iter().map(record).collect() })
    }

    /// Returns the cells of a record at their present places.
    fn shapes_of(&self, record: &StackRecord) -> Result<Vec<CellShape>, StackError> {
        let forest = self.simulation.forest();
        let base = forest.base();
        let mut shapes = Vec::with_capacity(record.cells.len());
        for CellRecord { tile, cell, spans, ground } in &record.cells {
            let at = usize::from(*cell);
            let place = place_in(base, *tile, at);
            let level = || {
                let leaf = forest.covering(*tile);
                leaf.map_or(tile.level, |leaf| forest.leaves()[leaf].level)
            };
            let leaf = forest.find(*tile);
            let leaf = leaf.ok_or_else(|| StackError::Coarse { place, level: level() })?;
            let before = self.simulation.ground(leaf).dry_stage(at);
            // Beds may have changed since.
            let after = ground.unwrap_or(before);
            if let Some(&[_, ceiling]) = spans.last().filter(|span| span[1] > after) {
                let [ceiling_m, ground_m] =
                    [ceiling, after].map(|units| self.site.scale().metres(units));
                return Err(StackError::Ground { place, ceiling_m, ground_m });
            }
            let ground = (after != before).then_some([before, after]);
            shapes.push(CellShape { leaf, cell: *cell, spans: spans.clone(), ground });
        }
        Ok(shapes)
    }
}
