//! Cells of an action by tile, and their places once leaves have changed.

use std::collections::BTreeMap;
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::edits::{CellMovement, TileCells};
use thalweg_engine::units::Volume;

/// Tiles to which cells are added in ascending order.
#[derive(Debug)]
pub(super) struct TileList<'a> {
    simulation: &'a Simulation,
    pub tiles: Vec<TileCells>,
}

impl<'a> TileList<'a> {
    /// Creates an empty list.
    pub fn new(simulation: &'a Simulation) -> Self {
        Self { simulation, tiles: Vec::new() }
    }

    /// Adds a cell with its units, vertical units of that cell, and its content of each tracer.
    pub fn add(&mut self, leaf: LeafId, cell: usize, units: i32, content: impl Fn(usize) -> i64) {
        let key = self.simulation.forest().leaves()[leaf];
        if self.tiles.last().is_none_or(|last| last.key != key) {
            let contents = vec![Vec::new(); self.simulation.tracers().len()];
            self.tiles.push(TileCells { key, cells: Vec::new(), units: Vec::new(), contents });
        }
        let Some(tile) = self.tiles.last_mut() else { return };
        tile.cells.push(u16::try_from(cell).expect("4096 cells"));
        tile.units.push(units);
        for (tracer, contents) in tile.contents.iter_mut().enumerate() {
            contents.push(content(tracer));
        }
    }
}

/// Returns the amount that moves in each cell of a tile: units, or 2⁻²⁴ of them of a content.
fn moved(movement: CellMovement, tile: &TileCells) -> Vec<i64> {
    match movement {
        CellMovement::Pour | CellMovement::Draw => {
            tile.units.iter().map(|&own| own.into()).collect()
        }
        CellMovement::Content(tracer) => tile.contents[tracer].clone(),
    }
}

/// Returns the volume that moves in some cells, vertical units × finest cells; of a content, 2⁻²⁴
/// of them.
pub(super) fn volume_of(movement: CellMovement, tiles: &[TileCells]) -> Volume {
    let of_tile = |tile: &TileCells| {
        let sum: Volume = moved(movement, tile).into_iter().map(Volume::from).sum();
        sum << (2 * tile.key.level)
    };
    tiles.iter().map(of_tile).sum()
}

/// Removes the cells in which nothing moves.
pub(super) fn retain_moved(movement: CellMovement, tiles: &mut Vec<TileCells>) {
    for tile in &mut *tiles {
        let moved = moved(movement, tile);
        if moved.contains(&0) {
            retain(&mut tile.cells, &moved);
            retain(&mut tile.units, &moved);
            tile.contents.iter_mut().for_each(|contents| retain(contents, &moved));
        }
    }
    tiles.retain(|tile| !tile.cells.is_empty());
}

/// Removes the elements of a column whose cells moved nothing.
fn retain<T>(column: &mut Vec<T>, moved: &[i64]) {
    let mut moved = moved.iter();
    column.retain(|_| moved.next() != Some(&0));
}

/// Returns cells at the present places of recorded ones: the same if all tiles are leaves, else
/// with their amounts shared out evenly in whole units. A content may be negative.
pub(super) fn on_leaves(simulation: &Simulation, tiles: Vec<TileCells>) -> Vec<TileCells> {
    let forest = simulation.forest();
    if tiles.iter().all(|tile| forest.find(tile.key).is_some()) {
        return tiles;
    }
    let mut all: BTreeMap<(LeafId, usize), (Volume, Vec<Volume>)> = BTreeMap::new();
    for TileCells { key, cells, units, contents } in &tiles {
        for (i, &cell) in cells.iter().enumerate() {
            let places = cells_below(simulation, *key, cell.into());
            let count = Volume::try_from(places.len()).expect("few");
            let volume = Volume::from(units[i]) << (2 * key.level);
            for (rank, at) in (0..).zip(places) {
                // Differences of a rounded running share: they add up to the whole, whatever is
                // rounded off.
                let part = |all: Volume| all * (rank + 1) / count - all * rank / count;
                let sum = all.entry(at).or_insert_with(|| (0, vec![0; contents.len()]));
                sum.0 += part(volume);
                for (sum, own) in sum.1.iter_mut().zip(contents) {
                    *sum += part(Volume::from(own[i]) << (2 * key.level));
                }
            }
        }
    }
    // No cell holds more content than ONE a unit of its depth: 2⁵⁵, which fits the i64 below.
    let full = Volume::from(ONE) * Volume::from(i32::MAX);
    let mut placed = TileList::new(simulation);
    for ((leaf, cell), (volume, contents)) in all {
        let cells = Volume::from(1_i64 << (2 * forest.leaves()[leaf].level));
        // What is less than a unit of this cell is dropped: it is reported as unmet.
        let units = i32::try_from(volume / cells).unwrap_or(i32::MAX);
        placed.add(leaf, cell, units, |tracer| {
            let content = (contents[tracer] / cells).clamp(-full, full);
            i64::try_from(content).expect("clamped")
        });
    }
    placed.tiles
}

/// Returns the cells that contain the place of a recorded amount now: the same cell, the coarser
/// one around it, or, for each cell of the base level in it, the cell that contains that.
fn cells_below(simulation: &Simulation, key: TileKey, cell: usize) -> Vec<(LeafId, usize)> {
    let (forest, base) = (simulation.forest(), simulation.forest().base());
    let (corner, (column, row)) = (key.corner(), column_row(cell));
    let shift = key.level - base;
    let own = CellPlace { x: corner.x + column, y: corner.y + row };
    if let Some(leaf) = forest.covering(key) {
        let up = forest.leaves()[leaf].level - key.level;
        let place = CellPlace { x: own.x >> up, y: own.y >> up };
        return vec![(leaf, place.index_in_tile())];
    }
    let range = |v: u32| v << shift..(v + 1) << shift;
    let places = range(own.y).flat_map(|y| range(own.x).map(move |x| CellPlace { x, y }));
    let found = places.filter_map(|place| forest.locate(place));
    let inside = found.filter(|&(leaf, cell)| simulation.ground(leaf).is_inside(cell));
    inside.collect()
}
