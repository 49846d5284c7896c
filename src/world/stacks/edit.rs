//! Intervals that are carved and filled while a world runs.

use crate::grid::{LeafId, TileKey};
use crate::sim::Simulation;
use crate::sim::stacks::reshape::{CellShape, NoRoom};
use crate::terrain::Shape;
use crate::world::cells::Cells;
use crate::world::stacks::{INTERVALS_MOST, StackError};
use crate::world::{ActionError, World};

/// Cells with the intervals that they are to have.
#[derive(Debug, Clone)]
pub(in crate::world) struct StackRecord {
    /// Tile, cell, and bed and ceiling of each interval, vertical units.
    cells: Vec<(TileKey, u16, Vec<[i32; 2]>)>,
}

/// Work on the rock of a span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::world) enum Work {
    /// Rock is taken out.
    Carve,
    /// Rock is put in.
    Fill,
}

impl Cells<'_> {
    /// Intervals of the cells of an area, carved or filled between two heights, m.
    pub(in crate::world) fn to_reshape(
        self,
        (work, area): (Work, &Shape),
        span_m: [f64; 2],
    ) -> Result<StackRecord, ActionError> {
        let base = self.simulation.forest().base();
        let mut cells = Vec::new();
        let reach = self.reach(area)?;
        for (leaf, cell, _) in reach.cells() {
            let (key, place) = (
                self.simulation.forest().leaves()[leaf],
                self.simulation.forest().place_of(leaf, cell),
            );
            if key.level != base {
                return Err(StackError::Coarse { place, level: key.level }.into());
            }
            let scale = self.scale();
            let units = |metres: f64| {
                let units = scale.elevation(metres, scale.exponent());
                units.map_err(|reason| StackError::Height { place, reason })
            };
            let span = [units(span_m[0])?, units(span_m[1])?];
            if span[0] >= span[1] {
                return Err(StackError::Thin { place, span_m }.into());
            }
            let cell = u16::try_from(cell).expect("4096 cells");
            let old = self.spans_at(leaf, cell);
            let new = match work {
                Work::Carve => carved(&old, span),
                Work::Fill => filled(&old, span),
            };
            let ground = self.simulation.ground(leaf).dry_stage(usize::from(cell));
            if work == Work::Carve && span[1] > ground {
                let [ceiling_m, ground_m] = [span[1], ground].map(|units| scale.metres(units));
                return Err(StackError::Ground { place, ceiling_m, ground_m }.into());
            }
            if new.len() > INTERVALS_MOST {
                let (count, most) = (new.len(), INTERVALS_MOST);
                return Err(StackError::Count { place, count, most, cells: 1 }.into());
            }
            if new != old {
                cells.push((key, cell, new));
            }
        }
        Ok(StackRecord { cells })
    }

    /// Bed and ceiling of each interval of a cell.
    pub(in crate::world) fn spans_at(self, leaf: LeafId, cell: u16) -> Vec<[i32; 2]> {
        let stack = self.simulation.leaves().own[leaf].stack.as_ref();
        let own = stack.map_or(&[][..], |stack| stack.of_cell(cell));
        own.iter().map(|own| [own.bed, own.ceiling]).collect()
    }
}

/// Intervals with a span more: what it overlaps or touches becomes one.
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

/// Intervals without what lies in a span.
fn filled(old: &[[i32; 2]], span: [i32; 2]) -> Vec<[i32; 2]> {
    let parts = |&[bed, ceiling]: &[i32; 2]| {
        [[bed, ceiling.min(span[0])], [bed.max(span[1]), ceiling]]
            .into_iter()
            .filter(|[bed, ceiling]| bed < ceiling)
    };
    old.iter().flat_map(parts).collect()
}

impl StackRecord {
    /// Cells of it, with their leaves.
    pub(in crate::world) fn cells(&self, simulation: &Simulation) -> Vec<(LeafId, u16)> {
        let forest = simulation.forest();
        self.cells.iter().filter_map(|(key, cell, _)| Some((forest.find(*key)?, *cell))).collect()
    }

    /// How many cells it changes.
    pub(in crate::world) fn count(&self) -> usize {
        self.cells.len()
    }

    /// Whether it changes nothing.
    pub(in crate::world) fn is_empty(&self) -> bool {
        self.cells.is_empty()
    }
}

impl World {
    /// Gives cells the intervals of a record; returns the record that takes it back.
    pub(in crate::world) fn reshape(
        &mut self,
        record: &StackRecord,
    ) -> Result<StackRecord, StackError> {
        if record.is_empty() {
            return Ok(record.clone());
        }
        let forest = self.simulation.forest();
        let base = forest.base();
        let mut shapes = Vec::with_capacity(record.cells.len());
        for (key, cell, spans) in &record.cells {
            let at = usize::from(*cell);
            let place = crate::forest::place_in(base, *key, at);
            let level = || {
                let leaf = forest.covering(*key);
                leaf.map_or(key.level, |leaf| forest.leaves()[leaf].level)
            };
            let leaf = forest.find(*key);
            let leaf = leaf.ok_or_else(|| StackError::Coarse { place, level: level() })?;
            // Beds may have changed since.
            let ground = self.simulation.ground(leaf).dry_stage(at);
            if let Some(&[_, ceiling]) = spans.last().filter(|span| span[1] > ground) {
                let [ceiling_m, ground_m] =
                    [ceiling, ground].map(|units| self.site.scale().metres(units));
                return Err(StackError::Ground { place, ceiling_m, ground_m });
            }
            shapes.push(CellShape { leaf, cell: *cell, spans: spans.clone() });
        }
        let width = self.simulation.cell_width_m();
        let unit_m3 = self.site.scale().unit_m() * width * width;
        let before = self.simulation.edit().reshape_stacks(&shapes);
        let before = before.map_err(|NoRoom { leaf, cell, units }| StackError::NoRoom {
            place: self.simulation.forest().place_of(leaf, usize::from(cell)),
            volume_m3: f64::from(units) * unit_m3,
        })?;
        if self.pin_stacks() {
            self.ask_again();
        }
        let forest = self.simulation.forest();
        let cell = |shape: CellShape| (forest.leaves()[shape.leaf], shape.cell, shape.spans);
        Ok(StackRecord { cells: before.into_iter().map(cell).collect() })
    }
}
