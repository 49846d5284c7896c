//! Outlines of the ground: its faces to the outside, in the order in which a sea passes them.
//!
//! Along a side of the map the outline is the rim. At cells without data it turns inland and
//! continues along them, until it meets the rim again:
//!
//! ```text
//!                 ground             a sea that comes from the left passes
//!              ┌────────┐            the rim, up, along and down beside
//!   ───────────┤░ no  ░░├────────    the cells without data, and the rim
//!    rim       │░ data ░│   rim
//! ```
//!
//! Guarantees: an outline has each of its faces once; two cells that meet only at a corner do not
//!             continue each other, as no water passes between them.
//! Limits:     outlines of cells without data that do not reach the rim are not looked at.
//! Source:     own.

use crate::world::edges::Boundary;
use crate::world::relief::{Looked, WorldRelief};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{Side, TILE_CELLS, TileKey};
use thalweg_engine::stream::PageKind;
use thalweg_engine::units::OUTSIDE;

/// Cells inland, at most half of the map, over which the ground rises from a sea's edge.
pub(super) const INLAND: usize = 128;
/// Places on the way there, evenly apart.
pub(super) const BEHIND: usize = 4;

/// The faces of the map's rectangle, once around: south, east, north, west.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct MapRim {
    pub width: usize,
    pub height: usize,
}

impl MapRim {
    pub fn len(self) -> usize {
        2 * (self.width + self.height)
    }

    /// Returns the column, row and side of a place.
    pub fn face(self, at: usize) -> (usize, usize, Side) {
        let Self { width, height } = self;
        match at {
            _ if at < width => (at, 0, Side::South),
            _ if at < width + height => (width - 1, at - width, Side::East),
            _ if at < 2 * width + height => (2 * width + height - 1 - at, height - 1, Side::North),
            _ => (0, self.len() - 1 - at, Side::West),
        }
    }

    /// Returns the place of a face.
    pub fn place(self, x: usize, y: usize, side: Side) -> usize {
        let Self { width, height } = self;
        match side {
            Side::South => x,
            Side::East => width + y,
            Side::North => 2 * width + height - 1 - x,
            Side::West => self.len() - 1 - y,
        }
    }
}

/// The ground at a face of an outline.
#[derive(Debug, Clone, Copy)]
pub(super) struct FaceGround {
    pub bed: i32,
    /// Beds inland from a place of the rim with a stage, up to [`INLAND`] cells away; [`OUTSIDE`]
    /// elsewhere.
    pub behind: [i32; BEHIND],
    /// Law of the stage there.
    pub stage: Option<u32>,
    pub is_open: bool,
}

impl FaceGround {
    pub fn of(
        beds: &Looked<'_>,
        (x, y, side): (usize, usize, Side),
        (boundary, base): (&Boundary, u8),
    ) -> Self {
        let bed = beds.at((x as i64, y as i64));
        let [column, row] = [x, y].map(|at| u32::try_from(at).expect("2²⁰ cells a side"));
        let place = CellPlace { x: column >> base, y: row >> base };
        let (stage, is_open) = boundary.rim_at(place, side);
        let stage = if bed == OUTSIDE { boundary.nodata_stage() } else { stage };
        let inland = |part: i64| {
            let ((width, height), (dx, dy)) = (beds.size(), side.offset());
            let most = (if dx == 0 { height } else { width } / 2).min(INLAND as i64);
            let n = most * part / BEHIND as i64;
            beds.at((x as i64 - n * i64::from(dx), y as i64 - n * i64::from(dy)))
        };
        let behind = match stage.is_some() && bed != OUTSIDE {
            true => [1, 2, 3, 4].map(inland),
            false => [OUTSIDE; BEHIND],
        };
        Self { bed, behind, stage, is_open }
    }
}

/// A finest face; the faces of the cells below a coarser cell follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FaceKey(u64);

impl FaceKey {
    fn new(place: CellPlace, side: Side) -> Self {
        Self(curve(place) << 2 | side as u64)
    }

    /// Returns the keys of faces of the cells below a cell of a level.
    pub fn below((level, place): (u8, CellPlace)) -> Range<Self> {
        // A cell of the level covers 4^level places of the finest curve, and each place has four
        // sides.
        let at = |n: u64| Self((curve(place) + n) << (2 * level + 2));
        at(0)..at(1)
    }

    pub fn side(self) -> Side {
        Side::ALL[(self.0 & 3) as usize]
    }
}

/// Returns the place of a cell along the Morton curve of its level.
fn curve(CellPlace { x, y }: CellPlace) -> u64 {
    TileKey { level: 0, x, y }.morton_on_level()
}

/// The ways that a sea may take.
pub(super) struct Ways {
    /// The ground at the places of the rim, then at faces beside cells without data.
    pub grounds: Vec<FaceGround>,
    /// Faces beside cells without data, with their finest tiles.
    pub beside: Vec<(FaceKey, TileKey)>,
    /// Ways as indices of `grounds`, in order; each returns to its first.
    pub ways: Vec<Vec<usize>>,
}

impl Ways {
    /// Returns the rim itself, with this ground.
    pub fn along_rim(grounds: Vec<FaceGround>) -> Self {
        let ways = vec![(0..grounds.len()).collect()];
        Self { grounds, beside: Vec::new(), ways }
    }

    /// Adds the outlines that meet the rim and reach cells without data; returns `None` if a page
    /// of beds could not be read.
    pub fn with_outlines(mut self, relief: &WorldRelief, rim: MapRim) -> Option<Self> {
        let is_ground = |at: usize| self.grounds[at].bed != OUTSIDE;
        let Some(gap) = (0..rim.len()).find(|&at| !is_ground(at)) else { return Some(self) };
        let around: Vec<usize> = (gap..rim.len()).chain(0..gap).collect();
        let runs = around.chunk_by(|&a, &b| is_ground(a) == is_ground(b));
        let runs: Vec<&[usize]> = runs.filter(|run| is_ground(run[0])).collect();
        let detours = runs.par_iter().with_max_len(1).map(|run| {
            let last = *run.last().expect("no run is empty");
            detour(relief, rim, last)
        });
        let mut detours = detours.collect::<Option<Vec<Detour>>>()?;

        // From each run over its detour to the next, until the first is reached again.
        let numbers = runs.iter().enumerate().map(|(number, run)| (run[0], number));
        let numbers: BTreeMap<usize, usize> = numbers.collect();
        let mut is_done = vec![false; runs.len()];
        for first in 0..runs.len() {
            let (mut way, mut number) = (Vec::new(), first);
            while !is_done[number] {
                is_done[number] = true;
                way.extend(runs[number]);
                let Detour { steps, end } = &mut detours[number];
                let from = self.grounds.len();
                for (face, tile, bed) in std::mem::take(steps) {
                    let (behind, stage, is_open) = ([OUTSIDE; BEHIND], None, true);
                    self.grounds.push(FaceGround { bed, behind, stage, is_open });
                    self.beside.push((face, tile));
                }
                way.extend(from..self.grounds.len());
                number = numbers[end];
            }
            self.ways.extend((!way.is_empty()).then_some(way));
        }
        Some(self)
    }
}

/// The way along cells without data from one run of ground at the rim to the next.
struct Detour {
    /// Faces with their finest tiles and the beds of their cells.
    steps: Vec<(FaceKey, TileKey, i32)>,
    /// The place of the rim that it reaches.
    end: usize,
}

/// Returns the detour after a place of the rim; `None` if a page of beds could not be read.
fn detour(relief: &WorldRelief, rim: MapRim, from: usize) -> Option<Detour> {
    let new = || Looked::new(relief, 0, PageKind::GroundBeds);
    let mut beds = new();
    let (x, y, side) = rim.face(from);
    let mut face = ((x as i64, y as i64), side);
    let mut steps = Vec::new();
    loop {
        face = next(face, |place| beds.at(place) != OUTSIDE);
        if beds.has_failed() {
            return None;
        }
        let ((x, y), side) = face;
        let (dx, dy) = (i64::from(side.offset().0), i64::from(side.offset().1));
        let number = |at: i64| usize::try_from(at).expect("within the map");
        if !beds.has((x + dx, y + dy)) {
            return Some(Detour { steps, end: rim.place(number(x), number(y), side) });
        }
        let narrow = |at: i64| u32::try_from(at).expect("within the map");
        let place = CellPlace { x: narrow(x), y: narrow(y) };
        steps.push((FaceKey::new(place, side), TileKey::of_cell(0, place), beds.at((x, y))));
        // Pages are kept for only a part of the way, as for a rim.
        if steps.len() % TILE_CELLS == 0 {
            beds = new();
        }
    }
}

/// Column, row and side of a face.
type OutlineFace = ((i64, i64), Side);

/// Returns the next face with the ground on its left.
fn next(((x, y), side): OutlineFace, is_ground: impl Fn((i64, i64)) -> bool) -> OutlineFace {
    let (out, ahead) = (side.offset(), left_of(side).offset());
    let ahead = (x + i64::from(ahead.0), y + i64::from(ahead.1));
    let across = (ahead.0 + i64::from(out.0), ahead.1 + i64::from(out.1));
    if !is_ground(ahead) {
        ((x, y), left_of(side))
    } else if !is_ground(across) {
        (ahead, side)
    } else {
        (across, left_of(side).opposite())
    }
}

/// Returns the side that follows on a way around a cell with the cell on the left.
fn left_of(side: Side) -> Side {
    match side {
        Side::South => Side::East,
        Side::East => Side::North,
        Side::North => Side::West,
        Side::West => Side::South,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ground (#) and cells without data; a cell that meets another only at a corner, a hole
    /// within, a bay of one cell, and a strip along the rim.
    const MASK: [&str; 6] = [
        "##.#..", //
        "##..#.", "#.##..", "####.#", "#.##.#", "####.#",
    ];

    fn is_ground((x, y): (i64, i64)) -> bool {
        let row = usize::try_from(y).ok().and_then(|y| MASK.get(y));
        let cell = row.zip(usize::try_from(x).ok()).and_then(|(row, x)| row.as_bytes().get(x));
        cell == Some(&b'#')
    }

    /// Goal: outlines have each face once, and continue over faces between cells alone.
    #[test]
    fn outlines_have_each_face_once() {
        let places = (0..6).flat_map(|y| (0..6).map(move |x| (x, y)));
        let faces = places.flat_map(|place| Side::ALL.map(|side| (place, side)));
        let is_face = |&((x, y), side): &OutlineFace| {
            let (dx, dy) = side.offset();
            is_ground((x, y)) && !is_ground((x + i64::from(dx), y + i64::from(dy)))
        };
        let mut left: Vec<OutlineFace> = faces.filter(is_face).collect();
        let mut lengths = Vec::new();
        while let Some(&first) = left.first() {
            let (mut face, mut length) = (first, 0);
            while let Some(at) = left.iter().position(|&other| other == face) {
                left.remove(at);
                length += 1;
                face = next(face, is_ground);
            }
            assert_eq!(face, first, "an outline that does not come back");
            lengths.push(length);
        }
        lengths.sort_unstable();
        assert_eq!(lengths, [4, 4, 4, 8, 24], "three cells alone or a hole, a strip, the rest");
    }

    /// Goal: the keys of all finest faces in a coarse cell are contiguous, and a key has its side.
    #[test]
    fn keys_lie_within_coarser_cells() {
        let key = FaceKey::new(CellPlace { x: 11, y: 6 }, Side::South);
        assert_eq!(key.side(), Side::South);
        assert!(FaceKey::below((2, CellPlace { x: 2, y: 1 })).contains(&key));
        assert!(!FaceKey::below((2, CellPlace { x: 1, y: 1 })).contains(&key));
    }

    /// Goal: each face of the rectangle has its own place.
    #[test]
    fn places_of_the_rim_are_faces() {
        let rim = MapRim { width: 5, height: 3 };
        let mut faces = Vec::new();
        for at in 0..rim.len() {
            let (x, y, side) = rim.face(at);
            assert_eq!(rim.place(x, y, side), at);
            faces.push((x, y, side as usize));
        }
        faces.sort_unstable();
        faces.dedup();
        assert_eq!(faces.len(), 16);
    }
}
