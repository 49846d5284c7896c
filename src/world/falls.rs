//! Fall of the ground towards the faces over which water leaves, or a river comes in.
//!
//! Water leaves at the normal depth of the valley that ends there. So each finest face gets the
//! fall of its valley, which a few cells behind it do not tell: they may be a bank, or noise. And a
//! face of a coarser leaf gets that of the finest ones along it, so that no law of an edge depends
//! on who looks.
//!
//! ```text
//!   row 0   ▆▅▃▂▁▁▂▄▆     section along the edge; w is large where it lies low, and near the face
//!   row d   ▅▃▂▁▁▂▄▆▆     the same section, moved along by s·d/D and raised by Δz
//!
//!   s       least (variance of Δz + ε²) (1 + (s/D)²)  in row D: where the sections are most alike
//!   fall    Σ d Δz(d) / Σ d² · cos² θ,   tan θ = s/D,   of four rows up to D
//! ```
//!
//! Means and variances are by w over the section. A valley of slope S that meets the edge at θ
//! rises by S d / cos θ over d rows, and S cos θ of it points at the edge.
//!
//! Over a coarser face the roots of the falls are averaged by conveyance, at half the height
//! between its lowest and its highest bed.
//!
//! Guarantees: falls follow from the finest beds alone, whatever leaves there are and wherever beds
//!             are read from; those that look at edited beds follow them (`falls_follow_edits`).
//! Limits:     a valley that turns within 32 cells of the edge gets the fall of the chord; sections
//!             are looked at in every fourth cell, and end at banks that are 8 cells wide. A coarse
//!             face without finest ones, where NoData ends a cell early, gets the fall behind its
//!             middle.
//! Source:     own.

use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{Axis, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::stream::PageKind;
use crate::terrain::Changed;
use crate::tile::columns::build::Place;
use crate::units::{OUTSIDE, VerticalScale, maths};
use crate::world::edges::Sought;
use crate::world::relief::{Looked, Relief};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;
use std::rc::Rc;

/// Rows inward that are looked at: the most for which the section goes on.
const ROWS: [i64; 6] = [32, 16, 8, 4, 2, 1];
/// Cells of a section to each side, and those from one that is looked at to the next.
const HALF: i64 = 128;
const EVERY: usize = 4;
/// Cells above the water that end a section.
const BANK: i64 = 8;
/// The farthest cells along an edge and inward that a fall looks at: half a section, moved by two
/// cells a row.
const REACH: [usize; 2] = [128 + 2 * 32, 32];
/// The farthest cells in any direction that a fall looks at.
pub(super) const FALL_REACH: usize = REACH[0];
/// Water over the lowest bed, m, by which a section is weighed.
const DEPTH_M: f64 = 0.5;
/// Differences of sections that are noise, m.
const NOISE_M: f64 = 1.0e-3;

/// Falls of finest faces, by tile.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Falls(BTreeMap<TileKey, Box<[FaceFall]>>);

/// A finest face to the outside.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FaceFall {
    cell: u16,
    side: Side,
    /// The map's rectangle ends there, too.
    is_border: bool,
    bed: i32,
    /// Fall of the ground towards it, negative where it rises.
    fall: f32,
}

impl Falls {
    /// The falls of a world.
    pub fn of(relief: &Relief, sought: Sought) -> Self {
        if sought.is_none() {
            return Self::default();
        }
        let tiles = tiles_with_faces(relief, sought);
        relief.ask_for_finest(&tiles);
        // A page that could not be read is reported by the pager.
        let falls = tiles.par_iter().with_max_len(1).filter_map(|&tile| {
            let faces = faces(relief, sought, tile).filter(|faces| !faces.is_empty())?;
            Some((tile, faces))
        });
        Self(falls.collect())
    }

    /// Brings falls up to date with a change of beds; returns the finest tiles that have others, or
    /// `None`, and changes nothing, where a page of beds could not be read.
    pub fn follow(&mut self, changed: &Changed, relief: &Relief) -> Option<Vec<TileKey>> {
        let near = |cells: Range<usize>, from: usize, to: usize, reach: usize| {
            from < cells.end + reach && cells.start < to + reach
        };
        let (columns, rows) = (changed.columns(), changed.rows());
        let is_near = |key: &TileKey| {
            let [west, south] = [key.x, key.y].map(|at| at as usize * TILE_WIDTH);
            near(columns.clone(), west, west + TILE_WIDTH, REACH[0])
                && near(rows.clone(), south, south + TILE_WIDTH, REACH[0])
        };
        let renewed = |(tile, faces): (TileKey, &[FaceFall])| {
            let ground = Behind::new(relief, tile);
            let renewed = faces.iter().map(|&face| {
                let (x, y) = face.place(tile);
                let [across, along] = match face.side.axis() {
                    Axis::X => [REACH[1], REACH[0]],
                    Axis::Y => REACH,
                };
                let is_reached = near(columns.clone(), x as usize, x as usize + 1, across)
                    && near(rows.clone(), y as usize, y as usize + 1, along);
                if is_reached { ground.renewed(face) } else { face }
            });
            let renewed: Box<[FaceFall]> = renewed.collect();
            (!ground.beds.has_failed()).then_some((tile, renewed))
        };
        let all = self.0.iter().filter(|(key, _)| is_near(key));
        let all: Vec<(TileKey, &[FaceFall])> = all.map(|(&key, faces)| (key, &**faces)).collect();
        let all = all.into_par_iter().with_max_len(1).map(renewed);
        let mut all = all.collect::<Option<Vec<(TileKey, Box<[FaceFall]>)>>>()?;
        all.retain(|(tile, faces)| self.0[tile] != *faces);
        let others = all.iter().map(|(tile, _)| *tile).collect();
        self.0.extend(all);
        Some(others)
    }

    /// Fall towards the faces on a side of a cell, and on that of the finest cells below it; `None`
    /// where the outside does not begin there.
    pub fn towards(
        &self,
        side: Side,
        (level, place): (u8, CellPlace),
        scale: VerticalScale,
    ) -> Option<f32> {
        let [west, south] = [place.x, place.y].map(|at| at << level);
        let width = 1_u32 << level;
        let tiles = |from: u32| from / TILE_WIDTH_U32..(from + width).div_ceil(TILE_WIDTH_U32);
        let keys = tiles(south).flat_map(|y| tiles(west).map(move |x| TileKey { level: 0, x, y }));
        let mut faces: Vec<FaceFall> = Vec::new();
        for key in keys {
            let is_below = |face: &&FaceFall| {
                let (x, y) = face.place(key);
                face.side == side
                    && (west..west + width).contains(&x)
                    && (south..south + width).contains(&y)
            };
            faces.extend(self.0.get(&key).into_iter().flatten().filter(is_below));
        }
        // Holes within a cell at the border of the map are no ends of the world.
        if faces.iter().any(|face| face.is_border) {
            faces.retain(|face| face.is_border);
        }
        mean(&faces, units(DEPTH_M, scale))
    }
}

impl FaceFall {
    /// Column and row of its cell.
    fn place(&self, tile: TileKey) -> (u32, u32) {
        let ((column, row), corner) = (column_row(usize::from(self.cell)), tile.corner());
        (corner.x + column, corner.y + row)
    }
}

/// The mean of the roots of falls, by what conveys at half the height of their beds, or at `least`.
#[expect(clippy::cast_possible_truncation, reason = "weights")]
fn mean(faces: &[FaceFall], least: f64) -> Option<f32> {
    let lowest = faces.iter().map(|face| face.bed).min()?;
    let highest = faces.iter().map(|face| face.bed).max()?;
    let over = (0.5 * (f64::from(highest) - f64::from(lowest))).max(least);
    let [mut sum, mut all] = [0.0; 2];
    for face in faces {
        let depth = (over - (f64::from(face.bed) - f64::from(lowest))).max(0.0);
        // x^(5/3) = x² · x^(−1/3), which begins at one unit.
        let root = maths::inverse_cube_root(depth.max(1.0) as f32);
        let weight = depth * depth * f64::from(root);
        let fall = f64::from(face.fall);
        sum += weight * if fall < 0.0 { -(-fall).sqrt() } else { fall.sqrt() };
        all += weight;
    }
    let mean = sum / all;
    Some((mean * mean.abs()) as f32)
}

/// Vertical units of a height.
fn units(metres: f64, scale: VerticalScale) -> f64 {
    metres * scale.units_per_m()
}

/// The finest tiles that may have faces to the outside: found from the coarsest level down.
fn tiles_with_faces(relief: &Relief, sought: Sought) -> Vec<TileKey> {
    let coarsest = relief.coarsest();
    let (width, height) = relief.size(coarsest).expect("a level that there is");
    let number =
        |cells: usize| u32::try_from(cells.div_ceil(TILE_WIDTH)).expect("2²⁰ tiles a side");
    let columns = 0..number(width);
    let keys = |y| columns.clone().map(move |x| TileKey { level: coarsest, x, y });
    let mut tiles: Vec<TileKey> = (0..number(height)).flat_map(keys).collect();
    for level in (0..=coarsest).rev() {
        let may_have =
            |&tile: &TileKey| relief.has_ground(tile) && meets_outside(relief, sought, tile);
        tiles = tiles.into_par_iter().filter(may_have).collect();
        if level > 0 {
            let children = tiles.iter().flat_map(|tile| (0..4).map(|quarter| tile.child(quarter)));
            tiles = children.filter(|&tile| relief.has(tile)).collect();
        }
    }
    tiles
}

/// Whether faces that are sought may lie in a tile.
fn meets_outside(relief: &Relief, sought: Sought, tile: TileKey) -> bool {
    let beds = Looked::new(relief, tile.level, PageKind::Beds);
    let (corner, width) = (tile.corner(), TILE_WIDTH as i64);
    let (west, south) = (i64::from(corner.x), i64::from(corner.y));
    let ends =
        [west == 0, west + width >= beds.size().0, south == 0, south + width >= beds.size().1];
    if ends.iter().zip(sought.border).any(|(&ends, is_sought)| ends && is_sought) {
        return true;
    }
    let is_outside = |x: i64, y: i64| beds.has((x, y)) && beds.at((x, y)) == OUTSIDE;
    let within =
        |at: i64| (at..at + width).flat_map(|y| (west - 1..=west + width).map(move |x| (x, y)));
    let beside = |y: i64| (west..west + width).map(move |x| (x, y));
    let mut near = within(south).chain(beside(south - 1)).chain(beside(south + width));
    sought.nodata && near.any(|(x, y)| is_outside(x, y))
}

/// The faces of a finest tile that are sought, with their falls; `None` where a page of beds could
/// not be read.
fn faces(relief: &Relief, sought: Sought, tile: TileKey) -> Option<Box<[FaceFall]>> {
    let ground = Behind::new(relief, tile);
    let corner = tile.corner();
    let mut faces = Vec::new();
    for cell in 0..TILE_CELLS {
        let (column, row) = column_row(cell);
        let (x, y) = (i64::from(corner.x + column), i64::from(corner.y + row));
        let bed = ground.beds.at((x, y));
        for side in Side::ALL.into_iter().filter(|_| bed != OUTSIDE) {
            let beyond = (x + i64::from(side.offset().0), y + i64::from(side.offset().1));
            let is_border = !ground.beds.has(beyond);
            if ground.beds.at(beyond) == OUTSIDE && sought.has(side, is_border) {
                let cell = u16::try_from(cell).expect("4096 cells");
                faces.push(ground.renewed(FaceFall { cell, side, is_border, bed, fall: 0.0 }));
            }
        }
    }
    (!ground.beds.has_failed()).then(|| faces.into())
}

/// Fall of the ground towards a side of a cell of a level: that behind the middle of the side, from
/// the first ground there.
pub(super) fn fall_behind(relief: &Relief, (level, place): (u8, CellPlace), side: Side) -> f32 {
    let (beds, width) = (Looked::new(relief, 0, PageKind::GroundBeds), 1_i64 << level);
    let (dx, dy) = (i64::from(side.offset().0), i64::from(side.offset().1));
    let along = |at: u32, step: i64| {
        i64::from(at) * width + if step == 0 { width / 2 } else { (step + 1) / 2 * (width - 1) }
    };
    let (x, y) = (along(place.x, dx), along(place.y, dy));
    let ground = (0..width).map(|n| (x - n * dx, y - n * dy)).find(|&at| beds.at(at) != OUTSIDE);
    ground.map_or(0.0, |(x, y)| {
        let number = |at: i64| u32::try_from(at).expect("within the map");
        let place = CellPlace { x: number(x), y: number(y) };
        let tile = TileKey::of_cell(0, place);
        let cell = u16::try_from(place.index_in_tile()).expect("4096 cells");
        let face = FaceFall { cell, side, is_border: false, bed: 0, fall: 0.0 };
        Behind::new(relief, tile).renewed(face).fall
    })
}

/// A line of cells: whether it is a column, and its column or row.
type LinePlace = (bool, i64);

/// The ground around a finest tile, line by line along the edges.
struct Behind<'a> {
    relief: &'a Relief,
    beds: Looked<'a>,
    tile: TileKey,
    /// Lines of cells that were looked at.
    lines: RefCell<HashMap<LinePlace, Rc<[f64]>>>,
}

impl<'a> Behind<'a> {
    fn new(relief: &'a Relief, tile: TileKey) -> Self {
        let beds = Looked::new(relief, 0, PageKind::GroundBeds);
        Self { relief, beds, tile, lines: RefCell::default() }
    }

    /// A face with the bed and the fall that it has now.
    #[expect(clippy::cast_possible_truncation, reason = "a slope")]
    fn renewed(&self, face: FaceFall) -> FaceFall {
        let (x, y) = face.place(self.tile);
        let at = (i64::from(x), i64::from(y));
        let fall = Section { ground: self, at, side: face.side }.fall() as f32;
        FaceFall { bed: self.beds.at(at), fall, ..face }
    }

    /// The beds of a line from [`REACH`] before the tile to [`REACH`] behind it, NaN outside.
    fn line(&self, axis: Axis, line: i64) -> Rc<[f64]> {
        let is_column = axis == Axis::X;
        let bed = |along: i64| {
            let bed = self.beds.at(if is_column { (line, along) } else { (along, line) });
            if bed == OUTSIDE { f64::NAN } else { f64::from(bed) }
        };
        let from = self.from(axis);
        let to = from + (TILE_WIDTH + 2 * REACH[0]) as i64;
        let mut lines = self.lines.borrow_mut();
        Rc::clone(lines.entry((is_column, line)).or_insert_with(|| (from..to).map(bed).collect()))
    }

    /// Where lines begin.
    fn from(&self, axis: Axis) -> i64 {
        let corner = self.tile.corner();
        i64::from(if axis == Axis::X { corner.y } else { corner.x }) - REACH[0] as i64
    }
}

/// The ground behind an edge, seen from a cell.
struct Section<'a> {
    ground: &'a Behind<'a>,
    at: Place,
    side: Side,
}

/// A row of a section: beds, NaN outside.
struct Row {
    beds: Rc<[f64]>,
    /// Place of the section's middle.
    middle: i64,
}

impl Row {
    fn at(&self, along: i64) -> f64 {
        usize::try_from(self.middle + along).map_or(f64::NAN, |at| self.beds[at])
    }
}

/// How much the cells of row 0 count, with their beds: those on both sides of the middle in pairs,
/// so that sums are the same from either side.
struct Weighed {
    row: Row,
    weights: Vec<[f64; 2]>,
}

impl Weighed {
    /// Mean and variance of what a row stands above row 0, moved along by some cells; `None` where
    /// less than half of the section is there.
    fn raise(&self, there: &Row, by: i64) -> Option<[f64; 2]> {
        let [mut all, mut known, mut sum, mut squares] = [0.0; 4];
        for (away, weights) in (0..).step_by(EVERY).zip(&self.weights) {
            let along: [i64; 2] = [-away, away];
            let [before, behind] = [0, 1].map(|i| {
                let weight = weights[i];
                let raise = there.at(along[i] + by) - self.row.at(along[i]);
                match raise.is_nan() {
                    true => [weight, 0.0, 0.0, 0.0],
                    false => [weight, weight, weight * raise, weight * raise * raise],
                }
            });
            all += before[0] + behind[0];
            known += before[1] + behind[1];
            sum += before[2] + behind[2];
            squares += before[3] + behind[3];
        }
        let mean = sum / known;
        let variance = (squares / known - mean * mean).max(0.0);
        (known >= 0.5 * all && known > 0.0).then_some([mean, variance])
    }
}

impl Section<'_> {
    /// A row, so many inward.
    fn row(&self, inward: i64) -> Row {
        let (axis, (dx, dy)) = (self.side.axis(), self.side.offset());
        let (line, along) = if axis == Axis::X { self.at } else { (self.at.1, self.at.0) };
        let beds = self.ground.line(axis, line - inward * i64::from(dx + dy));
        Row { beds, middle: along - self.ground.from(axis) }
    }

    /// The cells of row 0 that count: those below the water that stands over the face, up to the
    /// banks.
    fn weighed(&self) -> Weighed {
        let row = self.row(0);
        let over = row.at(0) + units(DEPTH_M, self.ground.relief.scale());
        let end = |step: i64| {
            let mut high = 0;
            let mut is_end = |n: &i64| {
                let bed = row.at(n * step);
                high = if bed > over { high + 1 } else { 0 };
                bed.is_nan() || high == BANK
            };
            (1..=HALF).find(&mut is_end).unwrap_or(HALF + 1)
        };
        let ends = [end(-1), end(1)];
        let weights = (0..=HALF).step_by(EVERY).map(|away| {
            let far = away as f64 / (HALF + 1) as f64;
            let weight = |is_there: bool, along: i64| {
                // The middle is in both halves of a pair.
                let half = if away == 0 { 0.5 } else { 1.0 };
                let below = if is_there { (over - row.at(along)).max(0.0) } else { 0.0 };
                half * below * (1.0 - far * far)
            };
            [weight(away < ends[0], -away), weight(away < ends[1], away)]
        });
        Weighed { weights: weights.collect(), row }
    }

    /// Fall of the valley towards the side.
    fn fall(&self) -> f64 {
        let cells = self.weighed();
        let far = |rows: i64| (rows, self.row(rows));
        let is_there = |row: &(i64, Row)| cells.raise(&row.1, 0).is_some();
        let Some((rows, last)) = ROWS.into_iter().map(far).find(is_there) else { return 0.0 };
        let relief = self.ground.relief;
        let noise = units(NOISE_M, relief.scale()) * units(NOISE_M, relief.scale());
        let turn = |by: i64| (by * by) as f64 / (rows * rows) as f64;
        let cost = |by: i64| {
            let raise = cells.raise(&last, by);
            raise.map_or(f64::INFINITY, |[_, variance]| (variance + noise) * (1.0 + turn(by)))
        };
        let best = |(least, best): (f64, i64), by: i64| {
            let cost = cost(by);
            if cost < least { (cost, by) } else { (least, best) }
        };
        // From straight on outward, then finer around the best.
        let both = |by: i64| [by, -by];
        let coarse = (0..=2 * rows).step_by(EVERY).flat_map(both);
        let (least, near) = coarse.fold((f64::INFINITY, 0), best);
        let side = if near < 0 { -1 } else { 1 };
        let fine = (1..4).flat_map(both).map(|by| near + side * by);
        let (_, by) = fine.filter(|by| by.abs() <= 2 * rows).fold((least, near), best);
        let [mut sum, mut all] = [0.0; 2];
        for row in [(rows + 3) / 4, (rows + 1) / 2, (3 * rows + 3) / 4, rows] {
            // Half a cell goes outward.
            let along = (2 * by * row + rows * by.signum()) / (2 * rows);
            if let Some([raise, _]) = cells.raise(&self.row(row), along) {
                sum += row as f64 * raise;
                all += (row * row) as f64;
            }
        }
        let per_cell = relief.scale().unit_m() / relief.cell_width_m(0);
        sum / all * per_cell / (1.0 + turn(by))
    }
}

#[cfg(test)]
mod tests;
