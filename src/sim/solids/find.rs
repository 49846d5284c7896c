//! Finds the cells of places, tile after tile.

use crate::body::Covered;
use crate::body::merge::WHOLE;
use crate::forest::{Beside, LeafIndex};
use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{Side, TileKey};
use crate::sim::Simulation;
use crate::sim::solids::region::{NONE, RegionCell, place_of_key};
use rayon::prelude::*;

/// Tiles that a finder remembers.
const KEPT: usize = 64;

/// Places that a thread finds at a time.
const PLACES: usize = 512;

/// Share of a cell from which the water over a solid and that under it are apart.
const SHARE_APART: f64 = 0.95;

/// What the finder knows of a tile of the base level.
#[derive(Clone, Copy)]
struct Tile {
    key: TileKey,
    leaf: Option<usize>,
    /// Sides beyond which leaves of another level lie.
    uneven: [bool; 4],
}

/// Finds the cells of places, tile after tile.
pub(super) struct Finder<'a> {
    simulation: &'a Simulation,
    /// The last tile of each column that it met, by the last digits of that.
    tiles: [Option<Tile>; KEPT],
}

/// What is found at places, in their order; by all threads, each with finders of its own.
pub(super) fn find_all<T: Send>(
    simulation: &Simulation,
    keys: &[u64],
    find: impl Fn(&mut Finder<'_>, u64) -> T + Sync,
) -> Vec<T> {
    let of = |keys: &[u64]| -> Vec<T> {
        let mut finder = Finder::new(simulation);
        keys.iter().map(|&key| find(&mut finder, key)).collect()
    };
    keys.par_chunks(PLACES).flat_map_iter(of).collect()
}

impl<'a> Finder<'a> {
    /// A finder in a simulation.
    pub fn new(simulation: &'a Simulation) -> Self {
        Self { simulation, tiles: [None; KEPT] }
    }

    /// The tile of a place. Rows of places go from tile to tile and come back in the next.
    fn tile(&mut self, place: CellPlace) -> Tile {
        let forest = &self.simulation.state.leaves.forest;
        let key = TileKey::of_cell(forest.base(), place);
        let kept = &mut self.tiles[key.x as usize % KEPT];
        *kept.filter(|tile| tile.key == key).get_or_insert_with(|| {
            let leaf = forest.find(key);
            let is_uneven = |side: Side| {
                leaf.is_some_and(|leaf| {
                    let beside = forest.beside(leaf)[side.place()];
                    matches!(beside, Beside::Coarser(_) | Beside::Finer(_))
                })
            };
            let tile = Tile { key, leaf, uneven: Side::ALL.map(is_uneven) };
            *kept = Some(tile);
            tile
        })
    }

    /// The cell at a place as one that nothing touches; `None` where no water can be.
    pub fn open(&mut self, key: u64) -> Option<RegionCell> {
        let place = place_of_key(key);
        let leaf = self.tile(place).leaf?;
        let cell = place.index_in_tile();
        let ground = &self.simulation.state.leaves.grounds[leaf];
        if !ground.is_inside(cell) || ground.columns.is_some() {
            return None;
        }
        let class = ground.roughness.as_ref().map_or(0, |plane| usize::from(plane[cell]));
        Some(RegionCell {
            key,
            leaf: LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most"),
            cell: u16::try_from(cell).expect("4096 cells"),
            is_touched: false,
            is_apart: false,
            bed: ground.bed[cell],
            low: 0,
            high: 0,
            share: 0.0,
            node: NONE,
            n2: self.simulation.params.n2[class],
            depth: self.simulation.state.leaves.water[leaf].depth[cell],
            upper: 0,
            held: 0,
            closed: 0,
            surface: f64::NAN,
        })
    }

    /// True where the kernel can leave a cell alone: no leaf of another level is beside it, and it
    /// lies at no edge of the world that water crosses.
    pub fn is_free(&mut self, at: &RegionCell) -> bool {
        let uneven = self.tile(place_of_key(at.key)).uneven;
        let (column, row) = column_row(usize::from(at.cell));
        let last = TILE_WIDTH_U32 - 2;
        let near = [column < 2, column >= last, row < 2, row >= last];
        // In the order of `Side::ALL`.
        let is_uneven = near.into_iter().zip(uneven).any(|(near, uneven)| near && uneven);
        let rim = &self.simulation.state.leaves.own[at.leaf as usize].rim;
        !is_uneven && !rim.iter().any(|face| face.cell == at.cell)
    }
}

/// A cell with solids in it.
pub(super) fn touch(at: RegionCell, solid: Option<&Covered>) -> RegionCell {
    let at = RegionCell { is_touched: true, low: at.bed, high: at.bed, ..at };
    let Some(solid) = solid.filter(|solid| solid.high > at.bed) else { return at };
    let share = f64::from(solid.share) / f64::from(WHOLE);
    let is_apart = share >= SHARE_APART;
    let share = if is_apart { 1.0 } else { share };
    RegionCell { low: solid.low.max(at.bed), high: solid.high, share, is_apart, ..at }
}
