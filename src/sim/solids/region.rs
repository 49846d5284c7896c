//! The cells that solids touch, those beside them, and the passages between.

use crate::body::merge::WHOLE;
use crate::body::{Blocked, Solids};
use crate::forest::LeafIndex;
use crate::grid::cells::CellPlace;
use crate::sim::Simulation;
use crate::sim::solids::find::{find_all, touch};
use crate::sim::solids::group::{Group, groups};
use crate::sim::solids::lift::ByLeaf;
use crate::sim::solids::sweep::Sweep;
use crate::tile::CowPlane;
use rayon::prelude::*;

/// Cells whose passages a thread makes at a time.
const CELLS: usize = 512;

/// No cell, or no node.
pub const NONE: u32 = u32::MAX;

/// A cell that solids touch, or one beside such a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RegionCell {
    /// Its place, as a number: row × 2³² + column.
    pub key: u64,
    /// Its leaf.
    pub leaf: LeafIndex,
    /// Its cell there.
    pub cell: u16,
    /// Solids touch it.
    pub is_touched: bool,
    /// Water over them and water under them are apart: it has two nodes.
    pub is_apart: bool,
    /// Its bed, vertical units above the datum.
    pub bed: i32,
    /// Underside of the solids, not below the bed, vertical units above the datum.
    pub low: i32,
    /// Their top.
    pub high: i32,
    /// Share of its plan that they cover.
    pub share: f64,
    /// Its first node: of all its water, or of the water under the solids.
    pub node: u32,
    /// Square of Manning's n, s²/m^(2/3).
    pub n2: f32,
    /// Its water while the kernel does not see it, vertical units.
    pub depth: i32,
    /// How much of that is over the solids: state.
    pub upper: i32,
    /// How much of it, without that over solids, is on the other side of a wall: state.
    pub held: i32,
    /// Sides, west, south, east and north from the lowest bit on, that a wall in it closes: state.
    pub closed: u8,
    /// Elevation of the water's surface around the solids, carried on below them, m: state.
    pub surface: f64,
}

/// A body of water with one head: of a cell, or what is over or under the solids in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Its cell.
    pub cell: u32,
    /// It is the water over the solids.
    pub is_upper: bool,
    /// Its bottom, m above the datum.
    pub floor: f64,
    /// From here up solids take `share` of the cell, m above the datum.
    pub low: f64,
    /// To here, m above the datum.
    pub high: f64,
    /// How much they take.
    pub share: f64,
    /// Head, m above the datum: state, of water under pressure.
    pub head: f64,
}

impl Node {
    /// Where its water meets a solid above it, m above the datum.
    #[must_use]
    pub fn roof(&self) -> f64 {
        if self.share < 1.0 { f64::INFINITY } else { self.low }
    }
}

/// Where water passes from one node to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Passage {
    /// Nodes west or south of it, and east or north.
    pub nodes: [u32; 2],
    /// Key of the cell behind it, its axis and its slot.
    pub place: (u64, u8, u8),
    /// Its bottom, m above the datum.
    pub sill: f64,
    /// Its top, m above the datum.
    pub lip: f64,
    /// Part of the face's length that it has.
    pub width: f64,
    /// It leads over the top of a thin solid.
    pub is_crest: bool,
    /// Unit discharge, m²/s per width of the whole face: state.
    pub q: f64,
}

/// The cells that solids touch and what is around them.
#[derive(Debug, Default)]
pub struct Region {
    /// Cells, by rows.
    pub cells: Vec<RegionCell>,
    /// Nodes, in the order of their cells.
    pub nodes: Vec<Node>,
    /// Passages, in the order of the cells behind them.
    pub passages: Vec<Passage>,
    /// Contents of its cells by tracer while the kernel does not see them, 2⁻²⁴ vertical units.
    pub contents: Vec<CowPlane<i64>>,
    /// Cells west, south, east and north of each; [`NONE`] where there is none.
    pub beside: Vec<[u32; 4]>,
    /// Its cells leaf by leaf.
    pub by_leaf: ByLeaf,
    /// Faces that something which moves blocks, in the order of the cells behind them.
    pub sweeps: Vec<Sweep>,
    /// What hangs together.
    pub groups: Vec<Group>,
    /// For each cell the open one that takes what runs off the solids in it, or has no room there.
    pub run_off: Vec<u32>,
    /// Cells of solids that lie where nothing can be blocked.
    pub unblocked: usize,
}

/// A place as a number that keeps their order by rows.
#[must_use]
pub fn key_of(place: CellPlace) -> u64 {
    u64::from(place.y) << 32 | u64::from(place.x)
}

/// The place of a key.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "halves of 64 bits")]
pub fn place_of_key(key: u64) -> CellPlace {
    CellPlace { x: key as u32, y: (key >> 32) as u32 }
}

impl Region {
    /// Finds the cells, nodes and passages of solids in a simulation.
    pub fn of(simulation: &Simulation, solids: &Solids) -> Self {
        let mut region = Self::default();
        region.find_cells(simulation, solids);
        region.make_nodes(simulation.params.unit_m);
        let neighbours = region.neighbours();
        region.block_faces(&solids.faces, &neighbours, simulation.params.unit_m);
        region.make_passages(simulation, &solids.faces, &neighbours);
        region.beside = around(&neighbours);
        region.by_leaf = ByLeaf::of(&region.cells);
        region.groups = groups(&region);
        region.find_exits();
        region
    }

    /// The cells that solids touch, and those beside them, in the order of their places.
    fn find_cells(&mut self, simulation: &Simulation, solids: &Solids) {
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
        let found = find_all(simulation, &keys, |finder, key| {
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
        let open = find_all(simulation, &open, |finder, key| finder.open(key));
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
        for (index, cell) in (0..).zip(&mut self.cells) {
            cell.node = u32::try_from(self.nodes.len()).expect("2³² nodes at most");
            let floor = metres(cell.bed);
            let (low, high) = (metres(cell.low), metres(cell.high));
            let node = Node {
                cell: index,
                is_upper: false,
                floor,
                low,
                high,
                share: cell.share,
                head: f64::NAN,
            };
            if cell.is_apart {
                self.nodes.push(Node { high: f64::INFINITY, share: 1.0, ..node });
                self.nodes.push(Node { is_upper: true, floor: high, share: 0.0, ..node });
            } else {
                self.nodes.push(node);
            }
        }
    }

    /// The cell west and the cell south of each, among its cells.
    fn neighbours(&self) -> Vec<[u32; 2]> {
        let mut south = 0;
        let mut found = Vec::with_capacity(self.cells.len());
        for (index, cell) in self.cells.iter().enumerate() {
            let [at_west, at_south] = [0, 1].map(|axis| key_before(cell.key, axis));
            while self.cells[south].key < at_south.unwrap_or(0) {
                south += 1;
            }
            let is = |at: usize, key: Option<u64>| key == Some(self.cells[at].key);
            let number = |at: usize| u32::try_from(at).expect("2³² cells at most");
            let before = index.checked_sub(1).filter(|&before| is(before, at_west));
            let of_south = if is(south, at_south) { number(south) } else { NONE };
            found.push([before.map_or(NONE, number), of_south]);
        }
        found
    }

    /// Sides of each cell, west, south, east and north, where its water meets that beyond: over no
    /// crest.
    #[must_use]
    pub fn open_sides(&self) -> Vec<[bool; 4]> {
        let mut open = vec![[false; 4]; self.cells.len()];
        for Passage { nodes, place, is_crest, .. } in &self.passages {
            let [before, behind] = nodes.map(|node| &self.nodes[node as usize]);
            if !(*is_crest || before.is_upper || behind.is_upper) {
                let axis = usize::from(place.1);
                open[behind.cell as usize][axis] = true;
                open[before.cell as usize][2 + axis] = true;
            }
        }
        open
    }

    fn make_passages(
        &mut self,
        simulation: &Simulation,
        faces: &[Blocked],
        neighbours: &[[u32; 2]],
    ) {
        let barred = simulation.state.barriers.crests(&simulation.state.leaves.forest);
        let faces = faces.split_at(faces.partition_point(|face| face.axis == 0));
        let of = |(chunk, neighbours): (usize, &[[u32; 2]])| {
            let cells = (chunk * CELLS..).zip(neighbours);
            let from = self.cells[chunk * CELLS].key;
            let mut rest = [faces.0, faces.1].map(|faces| {
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
                if before == NONE {
                    continue;
                }
                let pair = [before as usize, behind].map(|cell| self.cells[cell]);
                if pair.iter().any(|cell| cell.is_touched) {
                    let crest = barred.get(&at).copied();
                    let units = (crest, simulation.params.unit_m);
                    self.pass(&pair, at, blocked, units, |passage| passages.push(passage));
                }
            }
            passages
        };
        let all = neighbours.par_chunks(CELLS).enumerate().flat_map_iter(of);
        self.passages = all.collect();
    }

    /// Tells the passages over a face between two cells.
    fn pass(
        &self,
        pair: &[RegionCell; 2],
        (key, axis): (u64, u8),
        blocked: Option<&Blocked>,
        (crest, unit_m): (Option<i32>, f64),
        mut tell: impl FnMut(Passage),
    ) {
        let metres = |units: i32| f64::from(units) * unit_m;
        let barred = crest.map_or(f64::NEG_INFINITY, metres);
        let slots = |cell: &RegionCell| 0..=u32::from(cell.is_apart);
        for (a, b) in slots(&pair[1]).flat_map(|b| slots(&pair[0]).map(move |a| (a, b))) {
            let nodes = [pair[0].node + a, pair[1].node + b];
            let [first, second] = nodes.map(|node| self.nodes[node as usize]);
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
            let pair = u8::try_from(3 * (a + 2 * b)).expect("4 pairs");
            for (part, (sill, lip, width)) in (0..).zip(parts) {
                if sill < lip && width > 0.0 {
                    let (place, is_crest) = ((key, axis, pair + part), sill > ground);
                    let q = 0.0;
                    tell(Passage { nodes, place, sill, lip, width, is_crest, q });
                }
            }
        }
    }
}

/// Cells on all four sides, from those on two.
fn around(neighbours: &[[u32; 2]]) -> Vec<[u32; 4]> {
    let mut all: Vec<[u32; 4]> = neighbours.iter().map(|&[w, s]| [w, s, NONE, NONE]).collect();
    for (index, before) in (0..).zip(neighbours) {
        for (axis, &before) in before.iter().enumerate().filter(|(_, before)| **before != NONE) {
            all[before as usize][2 + axis] = index;
        }
    }
    all
}

/// Key of the cell west (0) or south (1) of a key.
fn key_before(key: u64, axis: u8) -> Option<u64> {
    let CellPlace { x, y } = place_of_key(key);
    match axis {
        0 => x.checked_sub(1).map(|x| key_of(CellPlace { x, y })),
        _ => y.checked_sub(1).map(|y| key_of(CellPlace { x, y })),
    }
}

/// Key of the cell on a side of a key: west, south, east or north.
fn key_beside(key: u64, side: usize) -> Option<u64> {
    let CellPlace { x, y } = place_of_key(key);
    match side {
        0 => key_before(key, 0),
        1 => key_before(key, 1),
        2 => x.checked_add(1).map(|x| key_of(CellPlace { x, y })),
        _ => y.checked_add(1).map(|y| key_of(CellPlace { x, y })),
    }
}

/// Keys in order, each once.
fn in_order(keys: impl Iterator<Item = u64>) -> Vec<u64> {
    let mut keys: Vec<u64> = keys.collect();
    keys.sort();
    keys.dedup();
    keys
}

/// The larger of two numbers, the second if they are equal.
#[must_use]
pub fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The smaller of two numbers, the second if they are equal.
#[must_use]
pub fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}
