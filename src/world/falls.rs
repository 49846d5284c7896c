//! Fall of the ground towards the faces over which water leaves, or a river enters.
//!
//! Water leaves at the normal depth of the valley that ends there. So each finest face gets the
//! fall of its [`valley`], not that of a few cells behind it: they may be a bank, or noise. If a
//! valley surely rises towards the face, no water leaves: a river enters, or nothing passes. A face
//! of a coarser leaf gets the fall of the finest faces along it, so that no law of an edge depends
//! on the leaves.
//!
//! Over a coarser face the roots of the falls are averaged by conveyance, at half the height
//! between its lowest and its highest bed; it rises by the mean if more than half of the conveyance
//! does.
//!
//! Guarantees: falls follow from the finest beds alone, for any leaves and for beds in memory or in
//!             a file; falls that depend on edited beds follow the edit (`falls_follow_edits`).
//! Limits:     the limits of [`valley`]. A coarse face without finest ones, where NoData ends a
//!             cell early, gets the fall behind its middle.
//! Source:     own.

mod line;
mod valley;

pub(super) use crate::world::falls::valley::ValleyMouth;

use crate::world::edges::{OutsideKind, SoughtFaces};
use crate::world::falls::line::units;
use crate::world::falls::valley::{DEPTH_M, Fall, REACH, ValleyGround};
use crate::world::holes::MapHoles;
use crate::world::relief::{Looked, WorldRelief};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use thalweg_engine::grid::{Axis, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::sim::boundary::{GroundFall, RISE_MOST, RISE_OF_GROUND};
use thalweg_engine::stream::PageKind;
use thalweg_engine::terrain::Changed;
use thalweg_engine::units::{OUTSIDE, VerticalScale, maths};

/// The farthest cells in any direction that a fall looks at.
pub(super) const FALL_REACH: usize = REACH[0];

/// Falls of finest faces, by tile.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct FaceFalls(BTreeMap<TileKey, Box<[FaceFall]>>);

/// A finest face to the outside.
#[derive(Debug, Clone, Copy, PartialEq)]
struct FaceFall {
    cell: u16,
    side: Side,
    /// Kind of outside beyond it.
    end: OutsideKind,
    bed: i32,
    fall: GroundFall,
    /// The end of its valley, if an inflow there makes the edge a wall.
    mouth: Option<ValleyMouth>,
}

impl FaceFalls {
    /// Returns the falls of a world.
    pub fn of(relief: &WorldRelief, sought: SoughtFaces, holes: &MapHoles) -> Self {
        if sought.is_none() {
            return Self::default();
        }
        let tiles = tiles_with_faces(relief, sought);
        relief.ask_for_finest(&tiles);
        // A page that could not be read is reported by the pager.
        let falls = tiles.par_iter().with_max_len(1).filter_map(|&tile| {
            let faces = faces(relief, (sought, holes), tile).filter(|faces| !faces.is_empty())?;
            Some((tile, faces))
        });
        Self(falls.collect())
    }

    /// Brings falls up to date with a change of beds; returns the finest tiles whose falls are
    /// different, or, if a page of beds could not be read, returns `None` and changes nothing.
    pub fn follow(&mut self, changed: &Changed, relief: &WorldRelief) -> Option<Vec<TileKey>> {
        let near = |cells: Range<usize>, from: usize, to: usize, reach: usize| {
            from < cells.end + reach && cells.start < to + reach
        };
        let (columns, rows) = (changed.columns(), changed.rows());
        let is_near = |key: &TileKey| {
            let [west, south] = [key.x, key.y].map(|at| at as usize * TILE_WIDTH);
            near(columns.clone(), west, west + TILE_WIDTH, REACH[0])
                && near(rows.clone(), south, south + TILE_WIDTH, REACH[0])
        };
        let follow = |(tile, faces): (TileKey, &[FaceFall])| {
            let ground = ValleyGround::new(relief, tile);
            let faces = faces.iter().map(|&face| {
                let (x, y) = face.place(tile);
                let [across, along] = match face.side.axis() {
                    // The face may have the fall of a side of the other axis.
                    _ if face.end != OutsideKind::Frame => [REACH[0]; 2],
                    Axis::X => [REACH[1], REACH[0]],
                    Axis::Y => REACH,
                };
                let is_reached = near(columns.clone(), x as usize, x as usize + 1, across)
                    && near(rows.clone(), y as usize, y as usize + 1, along);
                if is_reached { renewed(&ground, tile, face) } else { face }
            });
            let faces: Box<[FaceFall]> = faces.collect();
            (!ground.beds.has_failed()).then_some((tile, faces))
        };
        let all = self.0.iter().filter(|(key, _)| is_near(key));
        let all: Vec<(TileKey, &[FaceFall])> = all.map(|(&key, faces)| (key, &**faces)).collect();
        let all = all.into_par_iter().with_max_len(1).map(follow);
        let mut all = all.collect::<Option<Vec<(TileKey, Box<[FaceFall]>)>>>()?;
        all.retain(|(tile, faces)| self.0[tile] != *faces);
        let others = all.iter().map(|(tile, _)| *tile).collect();
        self.0.extend(all);
        Some(others)
    }

    /// Returns the fall towards the faces on a side of a cell, and on that side of the finest cells
    /// below it; `None` if the outside does not begin there. If an inflow enters at the end of a
    /// valley, as `is_fed` reports, the edge is a wall there.
    pub fn towards(
        &self,
        side: Side,
        (level, place): (u8, CellPlace),
        scale: VerticalScale,
        is_fed: impl Fn(ValleyMouth) -> bool,
    ) -> Option<GroundFall> {
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
            let own = self.0.get(&key).into_iter().flatten().filter(is_below);
            faces.extend(own.map(|face| face.with_inflows(&is_fed)));
        }
        // Holes within a cell at the frame of the map, or at its rim, are no ends of the world.
        let end = faces.iter().map(|face| face.end).min();
        faces.retain(|face| Some(face.end) == end);
        mean(&mut faces, units(DEPTH_M, scale))
    }
}

impl FaceFall {
    /// Returns a face whose fall has not been computed.
    fn new(cell: u16, side: Side, end: OutsideKind) -> Self {
        let fall = GroundFall::default();
        Self { cell, side, end, bed: 0, fall, mouth: None }
    }

    /// Returns the face, a wall if an inflow enters at its valley's end, as `is_fed` reports.
    fn with_inflows(self, is_fed: impl Fn(ValleyMouth) -> bool) -> Self {
        let comes_in = self.mouth.is_some_and(is_fed);
        // A wall up to the banks: over them the river leaves beside its valley anyway.
        let rise = if comes_in { RISE_MOST } else { self.fall.rise };
        Self { fall: GroundFall { rise, ..self.fall }, ..self }
    }

    /// Returns the column and row of its cell.
    fn place(&self, tile: TileKey) -> (u32, u32) {
        let ((column, row), corner) = (column_row(usize::from(self.cell)), tile.corner());
        (corner.x + column, corner.y + row)
    }
}

/// Returns the mean of faces: the fall whose root is the mean of the roots of their falls, weighted
/// by the conveyance of each at half the height from the lowest bed to the highest. That height
/// counts as `least` vertical units if it is less.
#[expect(clippy::cast_possible_truncation, reason = "weights")]
fn mean(faces: &mut [FaceFall], least: f64) -> Option<GroundFall> {
    let lowest = faces.iter().map(|face| face.bed).min()?;
    let highest = faces.iter().map(|face| face.bed).max()?;
    // If all beds are level, the height is 0: without `least` all weights would be 0, and the mean
    // 0/0.
    let over = (0.5 * (f64::from(highest) - f64::from(lowest))).max(least);
    let [mut sum, mut all, mut rising, mut rise] = [0.0; 4];
    // From the lowest on: mirrored ground has the same sum.
    let by_bed = |a: &FaceFall, b: &FaceFall| {
        let by_slope = a.fall.slope.total_cmp(&b.fall.slope);
        a.bed.cmp(&b.bed).then(by_slope).then(a.fall.rise.cmp(&b.fall.rise))
    };
    faces.sort_by(by_bed);
    for face in faces {
        let depth = (over - (f64::from(face.bed) - f64::from(lowest))).max(0.0);
        // x^(5/3) = x² · x^(−1/3), which begins at one unit.
        let root = maths::inverse_cube_root(depth.max(1.0) as f32);
        let weight = depth * depth * f64::from(root);
        let fall = f64::from(face.fall.slope);
        sum += weight * if fall < 0.0 { -(-fall).sqrt() } else { fall.sqrt() };
        all += weight;
        rising += if face.fall.rise > 0 { weight } else { 0.0 };
        rise += weight * f64::from(face.fall.rise);
    }
    let mean = sum / all;
    let rise = if rising > 0.5 * all { (rise / rising) as i32 } else { 0 };
    Some(GroundFall { slope: (mean * mean.abs()) as f32, rise })
}

/// Returns the finest tiles that may have faces to the outside: found from the coarsest level down.
fn tiles_with_faces(relief: &WorldRelief, sought: SoughtFaces) -> Vec<TileKey> {
    let coarsest = relief.coarsest();
    let mut tiles = relief.coarsest_tiles();
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

/// Whether a tile may contain faces that are sought.
fn meets_outside(relief: &WorldRelief, sought: SoughtFaces, tile: TileKey) -> bool {
    let beds = Looked::new(relief, tile.level, PageKind::Beds);
    let (corner, width) = (tile.corner(), TILE_WIDTH as i64);
    let (west, south) = (i64::from(corner.x), i64::from(corner.y));
    let ends =
        [west == 0, west + width >= beds.size().0, south == 0, south + width >= beds.size().1];
    if ends.iter().zip(sought.border).any(|(&ends, is_sought)| ends && is_sought) {
        return true;
    }
    // These beds count a coarse cell as outside if any part of it is, so no tile with a face is
    // missed on the way down.
    let is_outside = |x: i64, y: i64| beds.has((x, y)) && beds.at((x, y)) == OUTSIDE;
    let within =
        |at: i64| (at..at + width).flat_map(|y| (west - 1..=west + width).map(move |x| (x, y)));
    let beside = |y: i64| (west..west + width).map(move |x| (x, y));
    let mut near = within(south).chain(beside(south - 1)).chain(beside(south + width));
    (sought.nodata || sought.holes) && near.any(|(x, y)| is_outside(x, y))
}

/// Returns the faces of a finest tile that are sought, with their falls; `None` if a page of beds
/// could not be read.
fn faces(
    relief: &WorldRelief,
    (sought, holes): (SoughtFaces, &MapHoles),
    tile: TileKey,
) -> Option<Box<[FaceFall]>> {
    let ground = ValleyGround::new(relief, tile);
    let corner = tile.corner();
    let mut faces = Vec::new();
    for cell in 0..TILE_CELLS {
        let (column, row) = column_row(cell);
        let (x, y) = (i64::from(corner.x + column), i64::from(corner.y + row));
        let bed = ground.beds.at((x, y));
        for side in Side::ALL.into_iter().filter(|_| bed != OUTSIDE) {
            let beyond = (x + i64::from(side.offset().0), y + i64::from(side.offset().1));
            if ground.beds.at(beyond) != OUTSIDE {
                continue;
            }
            let end = match ground.beds.has(beyond) {
                true => holes.end_at(beyond),
                false => OutsideKind::Frame,
            };
            if sought.has(side, end) {
                let cell = u16::try_from(cell).expect("4096 cells");
                faces.push(renewed(&ground, tile, FaceFall::new(cell, side, end)));
            }
        }
    }
    (!ground.beds.has_failed()).then(|| faces.into())
}

/// Returns a face of a tile with the bed and the fall that it has now.
#[expect(clippy::cast_possible_truncation, reason = "a slope, and some vertical units")]
fn renewed(ground: &ValleyGround<'_>, tile: TileKey, face: FaceFall) -> FaceFall {
    let (x, y) = face.place(tile);
    let at = (i64::from(x), i64::from(y));
    let Fall { slope, rise, mouth, .. } = ground.fall(at, face.side);
    // A valley without an outlet has an infinite rise, which counts as the most that ground gives.
    let rise = rise.min(f64::from(RISE_OF_GROUND)) as i32;
    let fall = GroundFall { slope: slope as f32, rise };
    // An inflow beside a house does not make it a wall: no valley ends there.
    let mouth = mouth.filter(|_| face.end != OutsideKind::Hole);
    FaceFall { bed: ground.beds.at(at), fall, mouth, ..face }
}

/// Returns the fall of the ground towards a side of a cell of a level: that behind the middle of
/// the side, from the first ground there. `is_fed` counts as in [`FaceFalls::towards`].
pub(super) fn fall_behind(
    relief: &WorldRelief,
    (level, place): (u8, CellPlace),
    side: Side,
    is_fed: impl Fn(ValleyMouth) -> bool,
) -> GroundFall {
    let (beds, width) = (Looked::new(relief, 0, PageKind::GroundBeds), 1_i64 << level);
    let (dx, dy) = (i64::from(side.offset().0), i64::from(side.offset().1));
    let along = |at: u32, step: i64| {
        i64::from(at) * width + if step == 0 { width / 2 } else { (step + 1) / 2 * (width - 1) }
    };
    let (x, y) = (along(place.x, dx), along(place.y, dy));
    let ground = (0..width).map(|n| (x - n * dx, y - n * dy)).find(|&at| beds.at(at) != OUTSIDE);
    ground.map_or_else(GroundFall::default, |(x, y)| {
        let number = |at: i64| u32::try_from(at).expect("within the map");
        let place = CellPlace { x: number(x), y: number(y) };
        let tile = TileKey::of_cell(0, place);
        let cell = u16::try_from(place.index_in_tile()).expect("4096 cells");
        let face = FaceFall::new(cell, side, OutsideKind::NoData);
        renewed(&ValleyGround::new(relief, tile), tile, face).with_inflows(is_fed).fall
    })
}

#[cfg(test)]
mod tests;
