//! Water and content of cells as an action keeps them: by tile, because leaves change.

use std::collections::BTreeMap;
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::edits::CellAmount;
use thalweg_engine::units::Volume;

/// Water that one cell took or gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TileAmount {
    pub key: TileKey,
    pub cell: usize,
    /// Vertical units of that cell.
    pub units: i32,
    /// Content of each tracer, 2⁻²⁴.
    pub contents: Vec<i64>,
}

impl TileAmount {
    pub fn of(simulation: &Simulation, amount: &CellAmount) -> Self {
        let key = simulation.forest().leaves()[amount.leaf];
        let CellAmount { cell, units, ref contents, .. } = *amount;
        Self { key, cell, units, contents: contents.clone() }
    }

    /// Returns a copy with the content negated.
    pub fn turned(&self) -> Self {
        let contents = self.contents.iter().map(|content| -content).collect();
        Self { contents, ..self.clone() }
    }

    /// Returns the volume of the water, vertical units × finest cells.
    pub fn volume(&self) -> Volume {
        Volume::from(self.units) << (2 * self.key.level)
    }

    /// Returns the content of a tracer, 2⁻²⁴ vertical units × finest cells.
    pub fn content(&self, tracer: usize) -> Volume {
        Volume::from(self.contents[tracer]) << (2 * self.key.level)
    }
}

/// Returns the present cell amounts at the places of recorded amounts: the same if leaves are
/// unchanged, else shared out evenly in whole units. A content may be negative.
pub(super) fn cell_amounts(
    simulation: &Simulation,
    tile_amounts: &[TileAmount],
) -> Vec<CellAmount> {
    let forest = simulation.forest();
    if let Some(amounts) = in_place(simulation, tile_amounts) {
        return amounts;
    }
    let mut all: BTreeMap<(LeafId, usize), (Volume, Vec<Volume>)> = BTreeMap::new();
    for tile_amount in tile_amounts {
        let cells = cells_below(simulation, tile_amount);
        let count = Volume::try_from(cells.len()).expect("few");
        let contents: Vec<Volume> =
            (0..tile_amount.contents.len()).map(|tracer| tile_amount.content(tracer)).collect();
        for (rank, at) in (0..).zip(cells) {
            // The parts are differences of a rounded running share, so they add up to the whole.
            let part = |all: Volume| all * (rank + 1) / count - all * rank / count;
            let sum = all.entry(at).or_insert_with(|| (0, vec![0; contents.len()]));
            sum.0 += part(tile_amount.volume());
            sum.1.iter_mut().zip(&contents).for_each(|(sum, &content)| *sum += part(content));
        }
    }
    let amount = |((leaf, cell), (volume, contents)): ((LeafId, usize), (Volume, Vec<Volume>))| {
        let cells = Volume::from(1_i64 << (2 * forest.leaves()[leaf].level));
        // A cell's content is at most ONE × its depth: less than 2⁵⁵, which fits the i64 below.
        let full = Volume::from(ONE) * Volume::from(i32::MAX);
        let content = |content: Volume| (content / cells).clamp(-full, full);
        CellAmount {
            leaf,
            cell,
            // A rest below one unit of this cell is dropped; the action reports it as unmet.
            units: i32::try_from(volume / cells).unwrap_or(i32::MAX),
            contents: (contents.into_iter())
                .map(|own| i64::try_from(content(own)).expect("clamped"))
                .collect(),
        }
    };
    all.into_iter().map(amount).collect()
}

/// Returns the cell amounts if all leaves are unchanged; `None` if not, or if the amounts are not
/// in ascending order.
fn in_place(simulation: &Simulation, tile_amounts: &[TileAmount]) -> Option<Vec<CellAmount>> {
    let forest = simulation.forest();
    let mut amounts: Vec<CellAmount> = Vec::with_capacity(tile_amounts.len());
    let mut key = None;
    for tile_amount in tile_amounts {
        let last = amounts.last().map(|amount| (amount.leaf, amount.cell));
        let leaf = match last {
            Some((leaf, _)) if key == Some(tile_amount.key) => leaf,
            _ => forest.find(tile_amount.key)?,
        };
        key = Some(tile_amount.key);
        let TileAmount { cell, units, ref contents, .. } = *tile_amount;
        // If cells are out of order, one may come twice: the caller then adds amounts up by cell.
        if last.is_some_and(|last| last >= (leaf, cell)) {
            return None;
        }
        amounts.push(CellAmount { leaf, cell, units, contents: contents.clone() });
    }
    Some(amounts)
}

/// Returns the cells that contain the place of a recorded amount now: the same cell, the coarser
/// one around it, or, for each cell of the base level in it, the cell that contains that.
fn cells_below(simulation: &Simulation, tile_amount: &TileAmount) -> Vec<(LeafId, usize)> {
    let (forest, base) = (simulation.forest(), simulation.forest().base());
    let (corner, (column, row)) = (tile_amount.key.corner(), column_row(tile_amount.cell));
    let shift = tile_amount.key.level - base;
    let own = CellPlace { x: corner.x + column, y: corner.y + row };
    if let Some(leaf) = forest.covering(tile_amount.key) {
        let up = forest.leaves()[leaf].level - tile_amount.key.level;
        let place = CellPlace { x: own.x >> up, y: own.y >> up };
        return vec![(leaf, place.index_in_tile())];
    }
    let range = |v: u32| v << shift..(v + 1) << shift;
    let places = range(own.y).flat_map(|y| range(own.x).map(move |x| CellPlace { x, y }));
    let found = places.filter_map(|place| forest.locate(place));
    let inside = found.filter(|&(leaf, cell)| simulation.ground(leaf).is_inside(cell));
    inside.collect()
}
