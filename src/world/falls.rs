//! Fall of the ground towards the faces over which water leaves, or a river comes in.
//!
//! Water leaves at the normal depth of the valley that ends there. So each finest face gets the fall
//! of its valley, which a few cells behind it do not tell: they may be a bank, or noise. And a face
//! of a coarser leaf gets that of the finest ones along it, so that no law of an edge depends on who
//! looks.
//!
//! ```text
//!   row 0   ▆▅▃▂▁▁▂▄▆     section along the edge; w is large where it lies low, and near the face
//!   row d   ▅▃▂▁▁▂▄▆▆     the same section, moved along by s·d/D and raised by Δz
//!
//!   s       least (variance of Δz + ε²) (1 + (s/D)²)  in row D: where the sections are most alike
//!   fall    Σ d Δz(d) / Σ d² · cos² θ,   tan θ = s/D,   of four rows up to D
//! ```
//!
//! Means and variances are by w over the section. A valley of slope S that meets the edge at θ rises
//! by S d / cos θ over d rows, and S cos θ of it points at the edge.
//!
//! Over a coarser face the roots of the falls are averaged by conveyance, at half the height between
//! its lowest and its highest bed.
//!
//! Guarantees: falls follow from the finest beds alone, whatever leaves there are and wherever beds
//!             are read from; an edit brings all up to date that look at what it changed.
//! Limits:     a valley that turns within 32 cells of the edge gets the fall of the chord; sections
//!             are looked at in every fourth cell.
//! Source:     own.

use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::stream::PageKind;
use crate::terrain::Changed;
use crate::tile::CowPlane;
use crate::tile::columns::build::Place;
use crate::units::{OUTSIDE, VerticalScale, maths};
use crate::world::relief::Relief;
use rayon::prelude::*;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

/// Rows inward that are looked at: the most for which the section goes on.
const ROWS: [i64; 6] = [32, 16, 8, 4, 2, 1];
/// Cells of a section to each side, and those from one that is looked at to the next.
const HALF: i64 = 128;
const EVERY: i64 = 4;
/// The farthest cell that a fall looks at.
const REACH: usize = (HALF + 2 * ROWS[0]) as usize;
/// Water over the lowest bed, m, by which a section is weighed.
const DEPTH_M: f64 = 0.5;
/// Differences of sections that are noise, m.
const NOISE_M: f64 = 1.0e-3;

/// The faces to the outside that have falls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Sought {
    /// Those on each side of the map's rectangle.
    pub border: [bool; 4],
    /// Those where NoData begins inside it.
    pub nodata: bool,
}

impl Sought {
    fn is_none(self) -> bool {
        self == Self::default()
    }

    fn has(self, side: Side, is_border: bool) -> bool {
        if is_border { self.border[side as usize] } else { self.nodata }
    }
}

/// Falls of finest faces, by tile.
#[derive(Debug, Default)]
pub(super) struct Falls(BTreeMap<TileKey, Box<[FaceFall]>>);

/// A finest face to the outside.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FaceFall {
    cell: u16,
    side: Side,
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
        // A page that could not be read is reported by the pager.
        let falls = tiles.par_iter().with_max_len(1).filter_map(|&tile| {
            let faces = faces(relief, sought, tile).filter(|faces| !faces.is_empty())?;
            Some((tile, faces))
        });
        Self(falls.collect())
    }

    /// Brings falls up to date with a change of beds; returns the finest tiles that have others, or
    /// `None`, and changes nothing, where a page of beds could not be read.
    pub fn follow(
        &mut self,
        changed: &Changed,
        relief: &Relief,
        sought: Sought,
    ) -> Option<Vec<TileKey>> {
        let reached = |cells: Range<usize>, tile: u32| {
            let from = tile as usize * TILE_WIDTH;
            from < cells.end + REACH && cells.start < from + TILE_WIDTH + REACH
        };
        let is_near =
            |tile: &TileKey| reached(changed.columns(), tile.x) && reached(changed.rows(), tile.y);
        let near: Vec<TileKey> = self.0.keys().copied().filter(is_near).collect();
        let renewed = near.par_iter().with_max_len(1).map(|&tile| faces(relief, sought, tile));
        let renewed = renewed.collect::<Option<Vec<Box<[FaceFall]>>>>()?;
        let mut others = Vec::new();
        for (tile, faces) in near.into_iter().zip(renewed) {
            if self.0[&tile] != faces {
                self.0.insert(tile, faces);
                others.push(tile);
            }
        }
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
            let corner = key.corner();
            let is_below = |face: &&FaceFall| {
                let (column, row) = column_row(usize::from(face.cell));
                let (x, y) = (corner.x + column, corner.y + row);
                face.side == side
                    && (west..west + width).contains(&x)
                    && (south..south + width).contains(&y)
            };
            faces.extend(self.0.get(&key).into_iter().flatten().filter(is_below));
        }
        mean(&faces, units(DEPTH_M, scale))
    }
}

/// The mean of the roots of falls, by what conveys at half the height of their beds, or at `least`.
#[expect(clippy::cast_precision_loss, clippy::cast_possible_truncation, reason = "weights")]
fn mean(faces: &[FaceFall], least: f64) -> Option<f32> {
    let lowest = faces.iter().map(|face| face.bed).min()?;
    let highest = faces.iter().map(|face| face.bed).max()?;
    let over = (0.5 * (f64::from(highest) - f64::from(lowest))).max(least);
    let [mut sum, mut all] = [0.0; 2];
    for face in faces {
        let depth = (over - (f64::from(face.bed) - f64::from(lowest))).max(0.0);
        // x^(5/3) = x² · x^(−1/3); a root of 0 there is none.
        let root = maths::inverse_cube_root((depth.max(1.0)) as f32);
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
        tiles = tiles.into_par_iter().filter(|&tile| meets_outside(relief, sought, tile)).collect();
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
    let ends = [west == 0, west + width >= beds.size.0, south == 0, south + width >= beds.size.1];
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
#[expect(clippy::cast_possible_truncation, reason = "a slope")]
fn faces(relief: &Relief, sought: Sought, tile: TileKey) -> Option<Box<[FaceFall]>> {
    let beds = Looked::new(relief, 0, PageKind::GroundBeds);
    let corner = tile.corner();
    let mut faces = Vec::new();
    for cell in 0..TILE_CELLS {
        let (column, row) = column_row(cell);
        let (x, y) = (i64::from(corner.x + column), i64::from(corner.y + row));
        let bed = beds.at((x, y));
        for side in Side::ALL.into_iter().filter(|_| bed != OUTSIDE) {
            let beyond = (x + i64::from(side.offset().0), y + i64::from(side.offset().1));
            if beds.at(beyond) == OUTSIDE && sought.has(side, !beds.has(beyond)) {
                let cell = u16::try_from(cell).expect("4096 cells");
                faces.push(((x, y), FaceFall { cell, side, bed, fall: 0.0 }));
            }
        }
    }
    let faces = faces.into_iter().map(|(at, face): (Place, FaceFall)| {
        let fall = Section { beds: &beds, at, side: face.side }.fall() as f32;
        FaceFall { fall, ..face }
    });
    let faces = faces.collect();
    (!beds.has_failed.get()).then_some(faces)
}

/// Fall of the ground towards a side of a finest cell, wherever that is.
#[expect(clippy::cast_possible_truncation, reason = "a slope")]
pub(super) fn fall_at(relief: &Relief, at: Place, side: Side) -> f32 {
    Section { beds: &Looked::new(relief, 0, PageKind::GroundBeds), at, side }.fall() as f32
}

/// The ground behind an edge, seen from a cell.
struct Section<'a> {
    beds: &'a Looked<'a>,
    at: Place,
    side: Side,
}

/// A row of a section: beds from the cell farthest in one direction to that in the other, NaN
/// outside.
struct Row(Vec<f64>);

impl Row {
    fn at(&self, along: i64) -> f64 {
        let middle = (self.0.len() / 2) as i64;
        usize::try_from(middle + along).map_or(f64::NAN, |at| self.0[at])
    }
}

/// How much the cells of row 0 count, with their beds: those on both sides of the middle in pairs, so
/// that sums are the same from either side.
struct Weighed {
    row: Row,
    weights: Vec<[f64; 2]>,
}

impl Weighed {
    /// Mean and variance of what a row stands above row 0, moved along by some cells; `None` where
    /// less than half of the section is there.
    fn raise(&self, there: &Row, by: i64) -> Option<[f64; 2]> {
        let [mut all, mut known, mut sum, mut squares] = [0.0; 4];
        for (n, weights) in (0..).zip(&self.weights) {
            let along = [-EVERY * n, EVERY * n];
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
    /// Bed so many rows inward and cells along.
    fn bed(&self, inward: i64, along: i64) -> Option<i32> {
        let (dx, dy) = (i64::from(self.side.offset().0), i64::from(self.side.offset().1));
        let (x, y) = (self.at.0 + along * dy.abs(), self.at.1 + along * dx.abs());
        let bed = self.beds.at((x - inward * dx, y - inward * dy));
        Some(bed).filter(|&bed| bed != OUTSIDE)
    }

    /// The beds of a row up to so many cells to each side.
    fn row(&self, inward: i64, half: i64) -> Row {
        Row((-half..=half).map(|n| self.bed(inward, n).map_or(f64::NAN, f64::from)).collect())
    }

    /// The cells of row 0 that count: those without a gap between them and the face.
    fn weighed(&self) -> Weighed {
        let row = self.row(0, HALF);
        let over = row.at(0) + units(DEPTH_M, self.beds.relief.scale());
        let gap = |step: i64| (1..=HALF).find(|n| row.at(n * step).is_nan()).unwrap_or(HALF + 1);
        let ends = [gap(-1), gap(1)];
        let weights = (0..=HALF / EVERY).map(|n| {
            let away = EVERY * n;
            let far = away as f64 / (HALF + 1) as f64;
            let weight = |is_there: bool, along: i64| {
                // The middle is in both halves of a pair.
                let half = if n == 0 { 0.5 } else { 1.0 };
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
        let far = |rows: i64| (rows, self.row(rows, HALF + 2 * rows));
        let is_there = |row: &(i64, Row)| cells.raise(&row.1, 0).is_some();
        let Some((rows, last)) = ROWS.into_iter().map(far).find(is_there) else { return 0.0 };
        let scale = self.beds.relief.scale();
        let noise = units(NOISE_M, scale) * units(NOISE_M, scale);
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
        let coarse = (0..=2 * rows).step_by(EVERY as usize).flat_map(both);
        let (least, near) = coarse.fold((f64::INFINITY, 0), best);
        let side = if near < 0 { -1 } else { 1 };
        let fine = (1..EVERY).flat_map(both).map(|by| near + side * by);
        let (_, by) = fine.filter(|by| by.abs() <= 2 * rows).fold((least, near), best);
        let [mut sum, mut all] = [0.0; 2];
        for row in [(rows + 3) / 4, (rows + 1) / 2, (3 * rows + 3) / 4, rows] {
            // Half a cell goes outward.
            let along = (2 * by * row + rows * by.signum()) / (2 * rows);
            if let Some([raise, _]) = cells.raise(&self.row(row, HALF + along.abs()), along) {
                sum += row as f64 * raise;
                all += (row * row) as f64;
            }
        }
        let per_cell = scale.unit_m() / self.beds.relief.cell_width_m(0);
        sum / all * per_cell / (1.0 + turn(by))
    }
}

/// Beds of one level, to be looked up often.
pub(super) struct Looked<'a> {
    relief: &'a Relief,
    level: u8,
    kind: PageKind,
    size: (i64, i64),
    /// Pages that are at hand, where beds come in pages.
    pages: RefCell<HashMap<TileKey, CowPlane<i32>>>,
    /// One could not be read.
    has_failed: Cell<bool>,
}

impl<'a> Looked<'a> {
    /// Beds of one of their kinds.
    pub fn new(relief: &'a Relief, level: u8, kind: PageKind) -> Self {
        let (width, height) = relief.size(level).expect("a level that there is");
        let size = (width as i64, height as i64);
        let (pages, has_failed) = (RefCell::default(), Cell::default());
        Self { relief, level, kind, size, pages, has_failed }
    }

    /// True within the map's rectangle.
    pub fn has(&self, (x, y): Place) -> bool {
        (0..self.size.0).contains(&x) && (0..self.size.1).contains(&y)
    }

    /// The bed of a cell, [`OUTSIDE`] where it is no part of the world or beyond the map; where its
    /// page could not be read, too, which the pager reports.
    pub fn at(&self, (x, y): Place) -> i32 {
        let [Ok(column), Ok(row)] = [x, y].map(u32::try_from) else { return OUTSIDE };
        if !self.has((x, y)) {
            return OUTSIDE;
        }
        match self.relief {
            Relief::InMemory(terrain) => {
                let beds = terrain.level(self.level).expect("a level that there is");
                match self.kind {
                    PageKind::Beds => beds.bed(column as usize, row as usize),
                    _ => beds.ground_bed(column as usize, row as usize),
                }
            }
            Relief::InFile(pager) => {
                let place = CellPlace { x: column, y: row };
                let tile = TileKey::of_cell(self.level, place);
                let mut pages = self.pages.borrow_mut();
                let page = pages.entry(tile).or_insert_with(|| {
                    let page = pager.beds(self.kind.of(tile));
                    self.has_failed.set(self.has_failed.get() | page.is_err());
                    page.unwrap_or_else(|_| vec![OUTSIDE; TILE_CELLS].into())
                });
                page[place.index_in_tile()]
            }
        }
    }
}

#[cfg(test)]
mod tests;
