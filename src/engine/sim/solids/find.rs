//! Finds the cells, nodes and passages of a region, tile after tile.

use crate::body::merge::WHOLE;
use crate::body::{Blocked, Covered, Solids};
use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{LeafId, Side, TileKey};
use crate::sim::barriers::Barriers;
use crate::sim::params::Params;
use crate::sim::solids::region::{
    CellsByLeaf, NodeId, RegionCell, RegionCellId, SolidNode, SolidPassage, SolidRegion, key_of,
    larger, place_of_key, smaller,
};
use crate::sim::table::LeafTable;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Number of tiles that a finder keeps.
const KEPT: usize = 64;

/// Number of places that a thread finds at a time.
const PLACES: usize = 512;

/// Share of a cell from which the water over a solid and that under it are apart.
const SHARE_APART: f64 = 0.95;

/// Number of cells whose passages a thread makes at a time.
const CELLS: usize = 512;

/// A tile of the base level, as the finder keeps it.
#[derive(Clone, Copy)]
struct BaseTile {
    key: TileKey,
    leaf: Option<LeafId>,
    /// Sides beyond which leaves of a different level are.
    uneven: [bool; 4],
}

/// Finds the cells of places, tile after tile.
struct Finder<'a> {
    leaves: &'a LeafTable,
    /// Squares of Manning's n by class.
    n2: &'a [f32],
    /// The last tile of each column that it met, by the last digits of the column.
    tiles: [Option<BaseTile>; KEPT],
}

impl<'a> Finder<'a> {
    /// Returns a finder among leaves.
    fn new(leaves: &'a LeafTable, n2: &'a [f32]) -> Self {
        Self { leaves, n2, tiles: [None; KEPT] }
    }

    /// Returns the results of a search at places, in their order; by all threads, each with finders
    /// of its own.
    fn find_all<T: Send>(
        &self,
        keys: &[u64],
        find: impl Fn(&mut Finder<'a>, u64) -> T + Sync,
    ) -> Vec<T> {
        let of = |keys: &[u64]| -> Vec<T> {
            let mut finder = Finder::new(self.leaves, self.n2);
            keys.iter().map(|&key| find(&mut finder, key)).collect()
        };
        keys.par_chunks(PLACES).flat_map_iter(of).collect()
    }

    /// Returns the tile of a place. Rows of places move from tile to tile and return in the next.
    fn tile(&mut self, place: CellPlace) -> BaseTile {
        let forest = &self.leaves.forest;
        let key = TileKey::of_cell(forest.base(), place);
        let kept = &mut self.tiles[key.x as usize % KEPT];
        *kept.filter(|tile| tile.key == key).get_or_insert_with(|| {
            let leaf = forest.find(key);
            let is_uneven =
                |side: Side| leaf.is_some_and(|leaf| forest.across(leaf, side).is_other_level());
            let tile = BaseTile { key, leaf, uneven: Side::ALL.map(is_uneven) };
            *kept = Some(tile);
            tile
        })
    }

    /// Returns the cell at a place as one that no solid touches; `None` if no water can be there.
    fn open(&mut self, key: u64) -> Option<RegionCell> {
        let place = place_of_key(key);
        let leaf = self.tile(place).leaf?;
        let cell = place.index_in_tile();
        let ground = &self.leaves.grounds[leaf];
        if !ground.is_inside(cell) || ground.columns.is_some() {
            return None;
        }
        let class = ground.roughness.as_ref().map_or(0, |plane| usize::from(plane[cell]));
        Some(RegionCell {
            key,
            leaf,
            cell: u16::try_from(cell).expect("4096 cells"),
            is_touched: false,
            is_apart: false,
            bed: ground.bed[cell],
            low: 0,
            high: 0,
            share: 0.0,
            node: NodeId::NONE,
            n2: self.n2[class],
            depth: self.leaves.water[leaf].depth[cell],
            upper: 0,
            held: 0,
            closed: 0,
            surface: f64::NAN,
        })
    }

    /// Returns true if the kernel can leave a cell alone: no leaf of a different level is beside
    /// it, and it is not at an edge of the world that water crosses.
    fn is_free(&mut self, at: &RegionCell) -> bool {
        let uneven = self.tile(place_of_key(at.key)).uneven;
        let (column, row) = column_row(usize::from(at.cell));
        // Two cells deep, so that the open cell beside this one is not at the interface either.
        let last = TILE_WIDTH_U32 - 2;
        let near = [column < 2, column >= last, row < 2, row >= last];
        // In the order of `Side::ALL`.
        let is_uneven = near.into_iter().zip(uneven).any(|(near, uneven)| near && uneven);
        let boundary = &self.leaves.own[at.leaf].boundary;
        !is_uneven && !boundary.iter().any(|face| face.cell == at.cell)
    }
}

/// Returns a cell with solids in it.
fn touch(at: RegionCell, solid: Option<&Covered>) -> RegionCell {
    let at = RegionCell { is_touched: true, low: at.bed, high: at.bed, ..at };
    let Some(solid) = solid.filter(|solid| solid.high > at.bed) else { return at };
    let share = f64::from(solid.share) / f64::from(WHOLE);
    let is_apart = share >= SHARE_APART;
    // Only a share of exactly 1 gives the node a roof (`SolidNode::roof`).
    let share = if is_apart { 1.0 } else { share };
    RegionCell { low: solid.low.max(at.bed), high: solid.high, share, is_apart, ..at }
}

impl SolidRegion {
    /// Finds the cells, nodes and passages of solids among leaves.
    pub fn of(solids: &Solids, leaves: &LeafTable, barriers: &Barriers, params: &Params) -> Self {
        let mut region = Self::default();
        region.find_cells(solids, &Finder::new(leaves, &params.n2));
        region.make_nodes(params.unit_m);
        let neighbours = region.neighbours();
        let crests = barriers.crests(&leaves.forest);
        region.make_passages(&solids.faces, &neighbours, &crests, params.unit_m);
        region.beside = around(&neighbours);
        region.by_leaf = CellsByLeaf::of(&region.cells);
        region
    }

    /// Finds the cells that solids touch, and those beside them, in the order of their places.
    fn find_cells(&mut self, solids: &Solids, finder: &Finder<'_>) {
        let faces = || solids.faces.iter();
        let before = |face: &Blocked| key_before(key_of(face.place), face.axis);
        // Each of these is in order: a sort that joins them is soon done.
        let covered = solids.cells.iter().map(|cell| key_of(cell.place));
        let behind = faces().map(|face| key_of(face.place));
        let keys = in_order(covered.chain(behind).chain(faces().filter_map(before)));
        let solid_at = |key: u64| {
            let found = solids.cells.binary_search_by_key(&key, |cell| key_of(cell.place));
            found.ok().map(|at| &solids.cells[at])
        };
        let found = finder.find_all(&keys, |finder, key| {
            let solid = solid_at(key);
            let at = finder.open(key).filter(|at| finder.is_free(at));
            at.map(|at| touch(at, solid)).ok_or(solid.is_some())
        });
        let mut touched = Vec::with_capacity(keys.len());
        for cell in found {
            match cell {
                Ok(cell) => touched.push(cell),
                Err(is_solid) => self.unblocked += usize::from(is_solid),
            }
        }
        let to = |side: usize| touched.iter().filter_map(move |cell| key_beside(cell.key, side));
        let mut open = in_order((0..4).flat_map(to));
        let mut own = touched.iter().peekable();
        open.retain(|&key| {
            while own.next_if(|cell| cell.key < key).is_some() {}
            own.peek().is_none_or(|cell| cell.key != key)
        });
        let open = finder.find_all(&open, Finder::open);
        self.cells.reserve(touched.len() + open.len());
        let mut own = touched.into_iter().peekable();
        for cell in open.into_iter().flatten() {
            while let Some(own) = own.next_if(|own| own.key < cell.key) {
                self.cells.push(own);
            }
            self.cells.push(cell);
        }
        self.cells.extend(own);
    }

    fn make_nodes(&mut self, unit_m: f64) {
        let metres = |units: i32| f64::from(units) * unit_m;
        let ids = RegionCellId::all(self.cells.len());
        for (index, cell) in ids.zip(&mut self.cells) {
            cell.node = NodeId::new(self.nodes.len());
            let floor = metres(cell.bed);
            let (low, high) = (metres(cell.low), metres(cell.high));
            let node = SolidNode {
                cell: index,
                is_upper: false,
                floor,
                low,
                high,
                share: cell.share,
                head: f64::NAN,
            };
            if cell.is_apart {
                // The lower node ends at the underside of the solid; nothing covers the upper one.
                self.nodes.push(SolidNode { high: f64::INFINITY, share: 1.0, ..node });
                self.nodes.push(SolidNode { is_upper: true, floor: high, share: 0.0, ..node });
            } else {
                self.nodes.push(node);
            }
        }
    }

    /// Returns the cell west and the cell south of each, among its cells.
    fn neighbours(&self) -> Vec<[RegionCellId; 2]> {
        let mut south = 0;
        let mut found = Vec::with_capacity(self.cells.len());
        for (index, cell) in self.cells.iter().enumerate() {
            let [at_west, at_south] = [0, 1].map(|axis| key_before(cell.key, axis));
            // Keys ascend, and so do those of the cells south: one pass over the cells finds all.
            while self.cells[south].key < at_south.unwrap_or(0) {
                south += 1;
            }
            let is = |at: usize, key: Option<u64>| key == Some(self.cells[at].key);
            let before = index.checked_sub(1).filter(|&before| is(before, at_west));
            let south = Some(south).filter(|&south| is(south, at_south));
            let id = |at: Option<usize>| at.map_or(RegionCellId::NONE, RegionCellId::new);
            found.push([before, south].map(id));
        }
        found
    }

    fn make_passages(
        &mut self,
        faces: &[Blocked],
        neighbours: &[[RegionCellId; 2]],
        crests: &BTreeMap<(CellPlace, u8), i32>,
        unit_m: f64,
    ) {
        let faces = faces.split_at(faces.partition_point(|face| face.axis == 0));
        let of = |(chunk, neighbours): (usize, &[[RegionCellId; 2]])| {
            let cells = (chunk * CELLS..).zip(neighbours);
            let from = self.cells[chunk * CELLS].key;
            let mut rest = [faces.0, faces.1].map(|faces| {
                // Each chunk of cells begins at its own faces: chunks do not depend on each other.
                let first = faces.partition_point(|face| key_of(face.place) < from);
                faces[first..].iter().peekable()
            });
            let mut passages = Vec::new();
            for (behind, axis) in cells.flat_map(|cell| [(cell, 0_u8), (cell, 1)]) {
                let (behind, before) = (behind.0, behind.1[usize::from(axis)]);
                let at = (self.cells[behind].key, axis);
                let next = &mut rest[usize::from(axis)];
                while next.next_if(|face| key_of(face.place) < at.0).is_some() {}
                let blocked = next.peek().filter(|face| key_of(face.place) == at.0).copied();
                if before == RegionCellId::NONE {
                    continue;
                }
                let pair = [self.cells[before], self.cells[behind]];
                if pair.iter().any(|cell| cell.is_touched) {
                    let crest = crests.get(&(place_of_key(at.0), axis)).copied();
                    self.pass(&pair, at, blocked, (crest, unit_m), |passage| {
                        passages.push(passage);
                    });
                }
            }
            passages
        };
        let all = neighbours.par_chunks(CELLS).enumerate().flat_map_iter(of);
        self.passages = all.collect();
    }

    /// Reports the passages over a face between two cells.
    fn pass(
        &self,
        pair: &[RegionCell; 2],
        (key, axis): (u64, u8),
        blocked: Option<&Blocked>,
        (crest, unit_m): (Option<i32>, f64),
        mut tell: impl FnMut(SolidPassage),
    ) {
        let metres = |units: i32| f64::from(units) * unit_m;
        let barred = crest.map_or(f64::NEG_INFINITY, metres);
        let slots = |cell: &RegionCell| (0_u8..).zip(cell.nodes());
        for (a, b) in slots(&pair[1]).flat_map(|b| slots(&pair[0]).map(move |a| (a, b))) {
            let nodes = [a.1, b.1];
            let [first, second] = nodes.map(|node| self.nodes[node]);
            let ground = larger(first.floor, second.floor);
            let (sill, lip) = (larger(ground, barred), smaller(first.roof(), second.roof()));
            let parts = match blocked {
                None => [(sill, lip, 1.0), (sill, sill, 0.0), (sill, sill, 0.0)],
                Some(blocked) => {
                    let open = f64::from(blocked.open) / f64::from(WHOLE);
                    let [low, high] = [blocked.low, blocked.high].map(metres);
                    // Past the end of the solid, under it, and over it.
                    let shadow = 1.0 - open;
                    [
                        (sill, lip, open),
                        (sill, smaller(lip, low), shadow),
                        (larger(sill, high), lip, shadow),
                    ]
                }
            };
            // The slot, 0 to 11, follows from the two nodes and the part alone: a passage finds its
            // discharge again if passages beside it open or close.
            let pair = 3 * (a.0 + 2 * b.0);
            for (part, (sill, lip, width)) in (0..).zip(parts) {
                if sill < lip && width > 0.0 {
                    let (place, is_crest) = ((key, axis, pair + part), sill > ground);
                    let q = 0.0;
                    tell(SolidPassage { nodes, place, sill, lip, width, is_crest, q });
                }
            }
        }
    }
}

/// Returns the cells on all four sides, from those on two.
fn around(neighbours: &[[RegionCellId; 2]]) -> Vec<[RegionCellId; 4]> {
    let none = RegionCellId::NONE;
    let mut all: Vec<_> = neighbours.iter().map(|&[w, s]| [w, s, none, none]).collect();
    for (index, before) in RegionCellId::all(all.len()).zip(neighbours) {
        for (axis, &before) in before.iter().enumerate().filter(|(_, before)| **before != none) {
            all[before][2 + axis] = index;
        }
    }
    all
}

/// Returns the key of the cell west (0) or south (1) of a key.
fn key_before(key: u64, axis: u8) -> Option<u64> {
    let CellPlace { x, y } = place_of_key(key);
    match axis {
        0 => x.checked_sub(1).map(|x| key_of(CellPlace { x, y })),
        _ => y.checked_sub(1).map(|y| key_of(CellPlace { x, y })),
    }
}

/// Returns the key of the cell on a side of a key: west, south, east or north.
fn key_beside(key: u64, side: usize) -> Option<u64> {
    let CellPlace { x, y } = place_of_key(key);
    match side {
        0 => key_before(key, 0),
        1 => key_before(key, 1),
        2 => x.checked_add(1).map(|x| key_of(CellPlace { x, y })),
        _ => y.checked_add(1).map(|y| key_of(CellPlace { x, y })),
    }
}

/// Returns the keys in order, each once.
fn in_order(keys: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut keys: Vec<u64> = keys.collect();
    // Callers chain runs that are in order: a stable sort finds these, and only merges them.
    keys.sort();
    keys.dedup();
    keys
}
