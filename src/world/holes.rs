//! Holes: cells without data that the ground encloses, as houses and piers are on many maps.
//!
//! Cells without data that meet at a side or at a corner are one group. A group is a hole if it has
//! no cell at the frame of the map. Groups with one are the sea, or the land around a catchment.
//!
//! ```text
//!   parts     the largest tiles without ground, and finest tiles with ground and cells without
//!     │       data, whose groups are found tile by tile
//!   groups    groups that meet across tiles are joined, and joined with the frame of the map
//!     │
//!   kinds     each part has cells of groups at the frame, of holes, or of both
//! ```
//!
//! Guarantees: follow from the finest beds alone, and no edit changes them: ground stays ground.
//! Limits:     a hole within one coarser sub-grid cell has no face there and is a wall in any case.
//! Source:     own.

use crate::world::edges::OutsideKind;
use crate::world::relief::{Looked, WorldRelief};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use thalweg_engine::grid::cells::WorldCell;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::stream::PageKind;
use thalweg_engine::units::OUTSIDE;

/// Levels over which a finest tile becomes one cell.
const TILE_LEVELS: u8 = 6;
const _: () = assert!(TILE_WIDTH == 1 << TILE_LEVELS);

/// Steps to the cells or tiles around one.
const AROUND: [(i32, i32); 8] =
    [(-1, -1), (0, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (0, 1), (1, 1)];

/// Holes of a map: cells without data from which no way over such cells leads to its frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct HoleCount {
    /// Number of holes.
    pub holes: u64,
    /// Number of finest cells in them.
    pub cells: u64,
}

/// The cells without data that are holes.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct MapHoles {
    /// Tiles without ground, and finest tiles with some; empty if there are no holes.
    parts: BTreeMap<TileKey, HoleKind>,
    coarsest: u8,
    count: HoleCount,
}

/// Kind of the cells without data in a part.
#[derive(Debug, Clone, PartialEq)]
enum HoleKind {
    /// All of them reach the frame.
    Outer,
    /// A tile without ground that is a part of a hole.
    Hole,
    /// A finest tile with holes: their cells, and the cells that reach the frame.
    Mixed { holes: BTreeSet<u16>, outer: BTreeSet<u16> },
}

/// A part of the map with cells without data, as it is looked at.
struct HolePart {
    /// Number of cells of each group.
    sizes: Vec<u64>,
    /// Cells without data at the border of a finest tile with ground, or at the frame of the map,
    /// with their groups, in order.
    border: Vec<(u16, u16)>,
    has_ground: bool,
}

impl MapHoles {
    /// Finds the holes of a map.
    pub fn of(relief: &WorldRelief) -> Self {
        let parts = parts(relief);
        let groups = HoleGroups::of(relief, &parts);
        let count = groups.count(&parts);
        if count.holes == 0 {
            return Self::default();
        }
        // A page that could not be read is reported by the pager.
        let kind = |(number, (&tile, part)): (usize, (&TileKey, &HolePart))| {
            let is_outer = |group: u16| groups.is_outer(number, group);
            let kind = match (0..part.sizes.len()).map(narrow).all(is_outer) {
                true => HoleKind::Outer,
                false if !part.has_ground => HoleKind::Hole,
                false => {
                    let cells = labels(relief, tile).into_iter().enumerate();
                    let cells = cells.filter_map(|(cell, group)| Some((narrow(cell), group?)));
                    let (outer, holes): (Vec<_>, Vec<_>) =
                        cells.partition(|(_, group)| is_outer(*group));
                    let [holes, outer] = [holes, outer]
                        .map(|cells| cells.into_iter().map(|(cell, _)| cell).collect());
                    HoleKind::Mixed { holes, outer }
                }
            };
            (tile, kind)
        };
        let all: Vec<(&TileKey, &HolePart)> = parts.iter().collect();
        let kinds = all.into_par_iter().enumerate().map(kind).collect();
        Self { parts: kinds, coarsest: relief.coarsest(), count }
    }

    /// Returns the number of holes and of their cells.
    pub fn count(&self) -> HoleCount {
        self.count
    }

    /// Returns the finest cells of all holes.
    pub fn cells(&self) -> impl Iterator<Item = CellPlace> {
        self.parts.iter().flat_map(|(tile, kind)| {
            let (corner, width) = (tile.corner(), TILE_WIDTH_U32 << tile.level);
            let [west, south] = [corner.x, corner.y].map(|at| at << tile.level);
            let whole = if *kind == HoleKind::Hole { width } else { 0 };
            let all = (0..whole).flat_map(move |y| (0..whole).map(move |x| (x, y)));
            let some = match kind {
                HoleKind::Mixed { holes, .. } => Some(holes),
                HoleKind::Outer | HoleKind::Hole => None,
            };
            let some = some.into_iter().flatten().map(|&cell| column_row(usize::from(cell)));
            let cells = all.chain(some);
            cells.map(move |(x, y)| CellPlace { x: west + x, y: south + y })
        })
    }

    /// Returns the kind of outside at a finest cell without data.
    pub fn end_at(&self, (x, y): WorldCell) -> OutsideKind {
        let number = |at: i64| u32::try_from(at).expect("within the map");
        self.end_in((0, CellPlace { x: number(x), y: number(y) }))
    }

    /// Returns the kind of outside at a cell of a level that is not ground as a whole.
    pub fn end_in(&self, cell: (u8, CellPlace)) -> OutsideKind {
        if self.are_all_in(cell) { OutsideKind::Hole } else { OutsideKind::NoData }
    }

    /// Whether a cell of a level has cells without data on the map, and all of them are holes.
    fn are_all_in(&self, (level, place): (u8, CellPlace)) -> bool {
        if self.parts.is_empty() {
            return false;
        }
        if let Some(tiles) = level.checked_sub(TILE_LEVELS) {
            let range = |at: u32| at << tiles..(at + 1) << tiles;
            let keys = range(place.y).flat_map(|y| range(place.x).map(move |x| (x, y)));
            let kinds = keys.filter_map(|(x, y)| self.kind(TileKey { level: 0, x, y }));
            let (mut has_some, mut has_outer) = (false, false);
            for kind in kinds {
                has_some = true;
                has_outer |= match kind {
                    HoleKind::Outer => true,
                    HoleKind::Hole => false,
                    HoleKind::Mixed { outer, .. } => !outer.is_empty(),
                };
            }
            return has_some && !has_outer;
        }
        let corner = CellPlace { x: place.x << level, y: place.y << level };
        match self.kind(TileKey::of_cell(0, corner)) {
            None | Some(HoleKind::Outer) => false,
            Some(HoleKind::Hole) => true,
            Some(HoleKind::Mixed { holes, outer }) => {
                let width = 1 << level;
                let cells = (0..width).flat_map(|y| (0..width).map(move |x| (x, y)));
                let cells = cells.map(|(x, y)| CellPlace { x: corner.x + x, y: corner.y + y });
                let cells: Vec<u16> = cells.map(|place| narrow(place.index_in_tile())).collect();
                let has = |own: &BTreeSet<u16>| cells.iter().any(|cell| own.contains(cell));
                has(holes) && !has(outer)
            }
        }
    }

    /// Returns the kind of the cells without data in a finest tile.
    fn kind(&self, tile: TileKey) -> Option<&HoleKind> {
        over(tile, self.coarsest).find_map(|key| self.parts.get(&key))
    }
}

/// Narrows a number of a cell of a tile, or of a group in it.
fn narrow(number: usize) -> u16 {
    u16::try_from(number).expect("4096 cells")
}

/// Returns a tile and its ancestors up to the coarsest level.
fn over(tile: TileKey, coarsest: u8) -> impl Iterator<Item = TileKey> {
    (tile.level..=coarsest).map(move |level| tile.ancestor(level))
}

/// Finds the parts of a map that have cells without data, from the coarsest level down.
fn parts(relief: &WorldRelief) -> BTreeMap<TileKey, HolePart> {
    let coarsest = relief.coarsest();
    let mut tiles = relief.coarsest_tiles();
    let mut parts = BTreeMap::new();
    for level in (0..=coarsest).rev() {
        let (with_ground, without): (Vec<TileKey>, Vec<TileKey>) =
            tiles.into_par_iter().partition(|&tile| relief.has_ground(tile));
        let cells = u64::from(1_u32 << level).pow(2) * TILE_CELLS as u64;
        let bare =
            |tile| (tile, HolePart { sizes: vec![cells], border: Vec::new(), has_ground: false });
        parts.extend(without.into_iter().map(bare));
        if level == 0 {
            relief.ask_for_finest(&with_ground);
            let part = |tile: TileKey| Some((tile, part(relief, tile)?));
            parts.par_extend(with_ground.into_par_iter().with_max_len(1).filter_map(part));
            break;
        }
        // Of a coarser tile the quarters are looked at that have such a cell.
        let quarters = |tile: TileKey| {
            let beds = Looked::new(relief, level, PageKind::Beds);
            let bare = (0..TILE_CELLS).filter(move |&cell| beds.at(place(tile, cell)) == OUTSIDE);
            let quarter = |cell| {
                let (column, row) = column_row(cell);
                let half = TILE_WIDTH_U32 / 2;
                usize::from(column >= half) + 2 * usize::from(row >= half)
            };
            let quarters: BTreeSet<usize> = bare.map(quarter).collect();
            quarters.into_iter().map(|quarter| tile.child(quarter)).collect::<Vec<TileKey>>()
        };
        let children = with_ground.into_par_iter().flat_map_iter(quarters);
        tiles = children.filter(|&tile| relief.has(tile)).collect();
    }
    parts
}

/// Returns the column and row of a cell of a tile on its level.
fn place(tile: TileKey, cell: usize) -> (i64, i64) {
    let ((column, row), corner) = (column_row(cell), tile.corner());
    (i64::from(corner.x + column), i64::from(corner.y + row))
}

/// Returns the part of a finest tile with ground, if it has cells without data, too.
fn part(relief: &WorldRelief, tile: TileKey) -> Option<HolePart> {
    let (labels, beds) = (labels(relief, tile), Looked::new(relief, 0, PageKind::GroundBeds));
    let groups = labels.iter().flatten().max()?;
    let mut sizes = vec![0; usize::from(*groups) + 1];
    let mut border = Vec::new();
    for (cell, group) in labels.iter().enumerate() {
        let Some(group) = *group else { continue };
        sizes[usize::from(group)] += 1;
        let is_inner = AROUND.iter().all(|(dx, dy)| {
            let ((x, y), (column, row)) = (place(tile, cell), column_row(cell));
            let is_within = |at: u32, step: i32| {
                at.checked_add_signed(step).is_some_and(|at| at < TILE_WIDTH_U32)
            };
            let is_on_map = beds.has((x + i64::from(*dx), y + i64::from(*dy)));
            is_on_map && is_within(column, *dx) && is_within(row, *dy)
        });
        if !is_inner {
            border.push((narrow(cell), group));
        }
    }
    Some(HolePart { sizes, border, has_ground: true })
}

/// Returns the group of each cell without data of a finest tile.
fn labels(relief: &WorldRelief, tile: TileKey) -> Vec<Option<u16>> {
    let beds = Looked::new(relief, 0, PageKind::GroundBeds);
    let is_bare = |cell: usize| {
        let at = place(tile, cell);
        beds.has(at) && beds.at(at) == OUTSIDE
    };
    let bare: Vec<bool> = (0..TILE_CELLS).map(is_bare).collect();
    let mut labels = vec![None; TILE_CELLS];
    // Cells that meet at corners are one group, so each group has a block of 2 × 2 cells to itself:
    // 1024 at most, which fits a u16.
    let (mut next, mut open) = (0, Vec::new());
    for first in 0..TILE_CELLS {
        if !bare[first] || labels[first].is_some() {
            continue;
        }
        labels[first] = Some(next);
        open.push(first);
        while let Some(cell) = open.pop() {
            let (column, row) = column_row(cell);
            for (dx, dy) in AROUND {
                let at = [column.checked_add_signed(dx), row.checked_add_signed(dy)];
                let [Some(x), Some(y)] = at.map(|at| at.filter(|&at| at < TILE_WIDTH_U32)) else {
                    continue;
                };
                let beside = CellPlace { x, y }.index_in_tile();
                if bare[beside] && labels[beside].is_none() {
                    labels[beside] = Some(next);
                    open.push(beside);
                }
            }
        }
        next += 1;
    }
    labels
}

/// Groups of cells without data, joined across the tiles of a map.
struct HoleGroups {
    /// The number of the first group of each part; 0 is the outside of the map.
    firsts: Vec<usize>,
    /// A group with which each is joined, or itself.
    joined: Vec<usize>,
}

impl HoleGroups {
    fn of(relief: &WorldRelief, parts: &BTreeMap<TileKey, HolePart>) -> Self {
        let mut next = 1;
        let first = |part: &HolePart| {
            next += part.sizes.len();
            next - part.sizes.len()
        };
        let firsts: Vec<usize> = parts.values().map(first).collect();
        let mut groups = Self { firsts, joined: (0..next).collect() };
        let known = KnownParts::new(relief, parts);
        for (number, (&tile, part)) in parts.iter().enumerate() {
            let beside = match part.has_ground {
                true => known.beside_cells(&groups.firsts, tile, part),
                false => known.beside_tile(&groups.firsts, tile),
            };
            let first = groups.firsts[number];
            for (group, other) in beside {
                groups.join(first + usize::from(group), other);
            }
        }
        for group in 0..groups.joined.len() {
            groups.joined[group] = groups.root(group);
        }
        groups
    }

    /// Returns the group that represents all groups joined with one.
    fn root(&self, mut group: usize) -> usize {
        while self.joined[group] != group {
            group = self.joined[group];
        }
        group
    }

    fn join(&mut self, a: usize, b: usize) {
        let [a_root, b_root] = [self.root(a), self.root(b)];
        // Group 0 is the outside of the map: the lower root wins, so groups that meet it have root
        // 0.
        let root = a_root.min(b_root);
        for from in [a, b, a_root, b_root] {
            self.joined[from] = root;
        }
    }

    /// Whether a group of a part reaches the frame of the map.
    fn is_outer(&self, part: usize, group: u16) -> bool {
        self.joined[self.firsts[part] + usize::from(group)] == 0
    }

    fn count(&self, parts: &BTreeMap<TileKey, HolePart>) -> HoleCount {
        let sizes = parts.values().flat_map(|part| &part.sizes).zip(&self.joined[1..]);
        let holes = sizes.filter(|(_, root)| **root != 0);
        let cells = holes.map(|(cells, _)| cells).sum();
        let roots = (1..self.joined.len()).filter(|&group| self.joined[group] == group);
        HoleCount { holes: roots.count() as u64, cells }
    }
}

/// Parts to be looked up.
struct KnownParts<'a> {
    parts: &'a BTreeMap<TileKey, HolePart>,
    numbers: BTreeMap<TileKey, usize>,
    /// Columns and rows of finest cells.
    size: (usize, usize),
    coarsest: u8,
}

impl<'a> KnownParts<'a> {
    fn new(relief: &WorldRelief, parts: &'a BTreeMap<TileKey, HolePart>) -> Self {
        let numbers = parts.keys().copied().zip(0..).collect();
        let size = relief.size(0).expect("the finest level");
        Self { parts, numbers, size, coarsest: relief.coarsest() }
    }

    /// Returns the part that a tile is or is in, with its number.
    fn find(&self, tile: TileKey) -> Option<(&'a HolePart, usize)> {
        let (key, number) =
            over(tile, self.coarsest).find_map(|key| self.numbers.get_key_value(&key))?;
        Some((&self.parts[key], *number))
    }

    /// Whether a cell is on the map.
    fn has(&self, x: u32, y: u32) -> bool {
        (x as usize) < self.size.0 && (y as usize) < self.size.1
    }

    /// Groups beyond the border of a finest tile that meet its own.
    fn beside_cells(&self, firsts: &[usize], tile: TileKey, part: &HolePart) -> Vec<(u16, usize)> {
        let others = AROUND.map(|(dx, dy)| self.find(tile.beside(dx, dy)?));
        let group = |(dx, dy): (i32, i32), cell: u16| {
            let (part, number) =
                AROUND.iter().position(|&to| to == (dx, dy)).map(|n| others[n])??;
            let at = part.border.binary_search_by_key(&cell, |(cell, _)| *cell);
            // A tile without ground is one group, and lists no border.
            let group = if part.has_ground { part.border[at.ok()?].1 } else { 0 };
            Some(firsts[number] + usize::from(group))
        };
        let width = TILE_WIDTH_U32;
        let mut beside = Vec::new();
        for &(cell, own) in &part.border {
            let ((column, row), corner) = (column_row(usize::from(cell)), tile.corner());
            for (dx, dy) in AROUND {
                // Column and row in a tile, and to which tile they are.
                let to = |at: u32, step: i32| match at.checked_add_signed(step) {
                    None => (width - 1, -1),
                    Some(at) if at < width => (at, 0),
                    Some(_) => (0, 1),
                };
                let ((x, east), (y, north)) = (to(column, dx), to(row, dy));
                let on_map = (corner.x + column).checked_add_signed(dx).is_some_and(|x| {
                    let y = (corner.y + row).checked_add_signed(dy);
                    y.is_some_and(|y| self.has(x, y))
                });
                if !on_map {
                    beside.push((own, 0));
                } else if (east, north) != (0, 0) {
                    let cell = narrow(CellPlace { x, y }.index_in_tile());
                    beside.extend(group((east, north), cell).map(|other| (own, other)));
                }
            }
        }
        beside
    }

    /// Returns groups beside a tile without ground: the outside of the map, and tiles without
    /// ground that are as large or larger. Smaller tiles find it themselves.
    fn beside_tile(&self, firsts: &[usize], tile: TileKey) -> Vec<(u16, usize)> {
        let reaches =
            |at: u32, cells: usize| ((at as usize + 1) * TILE_WIDTH) << tile.level >= cells;
        let is_at_frame = [(tile.x, self.size.0), (tile.y, self.size.1)]
            .into_iter()
            .any(|(at, cells)| at == 0 || reaches(at, cells));
        let others = AROUND.map(|(dx, dy)| self.find(tile.beside(dx, dy)?));
        let others = others.into_iter().flatten().filter(|(part, _)| !part.has_ground);
        let others = others.map(|(_, number)| (0, firsts[number]));
        is_at_frame.then_some((0, 0)).into_iter().chain(others).collect()
    }
}

#[cfg(test)]
mod tests;
