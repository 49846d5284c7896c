//! Footprint of one body on the grid: the cells that it covers and the faces that it shadows.
//!
//! ```text
//!   ·   ·   ·   ·       cells   how much of each, between which heights
//!     ▄▄▄▖┃             faces   ┃ ━ between centres that the outline parts: closed
//!   · ▀▀██▙▄▖ ·                 where it ends, by the part that is in its shadow
//!      ━╹ ▀▀▘
//!   ·   ·   ·   ·
//! ```
//!
//! If several pieces of a body cover a cell, pieces that overlap in height are placed side by side
//! while the cell has room; the rest are stacked, and the gaps between them count as covered.
//!
//! Guarantees: shares times heights add up to the body's volume within the world, except for gaps
//!             that count as covered; a wall without a gap closes a connected staircase of faces,
//!             at any angle and thickness (`no_path_of_centres_passes_a_wall_without_gaps`).
//! Limits:     an invalid pose, or one wholly outside, gives an empty footprint; shares below 10⁻⁹
//!             of a cell are left out; a mesh with several storeys in a cell counts as one of their
//!             volume there, and its ends count only if they separate centres.
//! Source:     own.

use crate::body::cover::{CoveredCells, CoveredPart};
use crate::body::outline::{OutlineWindow, PieceOutline, snapped};
use crate::body::pile::piled;
use crate::body::pose::{Motion, Pose};
use crate::body::shadow::{ShadeKind, Shadow};
use crate::body::silhouette::Shader;
use crate::body::solid::{Piece, Solid};
use crate::grid::cells::CellPlace;
use glam::{DMat3, DVec2, DVec3};
use std::cell::RefCell;

/// A cell that a body covers, wholly or partly.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidCell {
    /// Place of the cell.
    pub place: CellPlace,
    /// Covered share of the cell's area, above 0 and up to 1.
    pub share: f64,
    /// Mean underside over that part, m.
    pub low_m: f64,
    /// Mean top over that part, m.
    pub high_m: f64,
}

/// Part of a face that a body shadows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shade {
    /// Axis across the face: 0 for the west face of its cell, 1 for the south face.
    pub axis: usize,
    /// Cell of the face: one beyond the world's east or north edge if the face is on that edge.
    pub place: CellPlace,
    /// Beginning of the shadow, cells from the middle of the face, −½ to ½.
    pub from: f64,
    /// End of the shadow, likewise.
    pub to: f64,
    /// Whether the body separates the centres, ends between them, or passes by.
    pub kind: ShadeKind,
    /// Lower of the undersides on both sides, m.
    pub low_m: f64,
    /// Higher of the tops on both sides, m.
    pub high_m: f64,
    /// Distance of the body from the face, if it separates the centres, cells: below 0 before the
    /// face; 0 if the body is on both sides, or separates no centres.
    pub lead: f64,
    /// Velocity of the body across the face, at its middle, m/s.
    pub speed_m_s: f64,
}

impl Shade {
    /// True if the body meets the line from centre to centre.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.kind == ShadeKind::Cut
    }
}

/// Footprint of one body on the grid.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Footprint {
    /// Covered cells, by rows from south to north, each from west to east.
    pub cells: Vec<SolidCell>,
    /// Shadows on faces; a face with several shadows appears once for each.
    pub faces: Vec<Shade>,
}

impl Footprint {
    /// Returns the footprint of a solid in a pose, in a world of `size` cells of a width, east and
    /// north.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::body::{Footprint, Pose, Solid};
    /// let crate_of_one = Solid::cuboid([1.0, 1.0, 1.0])?;
    /// let footprint = Footprint::of(&crate_of_one, &Pose::at([3.0, 3.5, 10.0]), 1.0, (8, 8));
    /// let cells = footprint.cells.iter().map(|cell| (cell.place.x, cell.place.y, cell.share));
    /// assert_eq!(cells.collect::<Vec<_>>(), [(2, 3, 0.5), (3, 3, 0.5)]);
    /// assert_eq!((footprint.cells[0].low_m, footprint.cells[0].high_m), (9.5, 10.5));
    /// # Ok::<(), thalweg::body::SolidError>(())
    /// ```
    #[must_use]
    pub fn of(solid: &Solid, pose: &Pose, cell_width_m: f64, size: (u32, u32)) -> Self {
        let mut footprint = Self::default();
        if pose.is_good() && cell_width_m > 0.0 && cell_width_m.is_finite() {
            let grid = BodyGrid::new(pose, cell_width_m, size);
            if grid.is_near(solid.reach_m()) {
                MAKER.with_borrow_mut(|maker| {
                    maker.grid = grid;
                    maker.make(solid, &mut footprint);
                });
            }
        }
        footprint
    }

    /// Sets the velocity of a body in a pose, on cells of a width, at the middle of each face.
    pub fn move_with(&mut self, pose: &Pose, motion: &Motion, cell_width_m: f64) {
        for face in &mut self.faces {
            let mut at = DVec2::new(f64::from(face.place.x), f64::from(face.place.y)) + 0.5;
            at[face.axis] -= 0.5;
            let middle = (at * cell_width_m).extend(f64::midpoint(face.low_m, face.high_m));
            face.speed_m_s = motion.at(pose.position, middle)[face.axis];
        }
    }
}

/// The grid in the coordinates of a body: relative to a cell near it.
#[derive(Debug, Clone, Copy, Default)]
struct BodyGrid {
    /// The cell that contains the body's origin.
    base: [i64; 2],
    /// Position of the origin in that cell, cells.
    origin: DVec2,
    /// Elevation of the origin, m.
    elevation: f64,
    /// Rotation of the grid.
    matrix: DMat3,
    width: f64,
    /// Bounds of the world, in cells from the base.
    world: [[i64; 2]; 2],
}

impl BodyGrid {
    #[expect(clippy::cast_possible_truncation, reason = "clamped")]
    fn new(pose: &Pose, width: f64, size: (u32, u32)) -> Self {
        // Worlds have 2²⁰ cells a side at most, so a body this far away meets none of them; the
        // clamp keeps the casts below in range.
        let cells = [0, 1].map(|i| (pose.position[i] / width).clamp(-1.0e12, 1.0e12));
        let base = cells.map(|x| x.floor() as i64);
        // The rounding of `cells` moves the body as a whole; its shape is computed in small
        // numbers, so it is the same at any distance from the world's corner.
        let origin = DVec2::from(cells.map(|x| x - x.floor()));
        let world = [base.map(|x| -x), [i64::from(size.0) - base[0], i64::from(size.1) - base[1]]];
        let (elevation, matrix) = (pose.position.z, pose.matrix());
        Self { base, origin, elevation, matrix, width, world }
    }

    /// True if a point within a distance of the origin, m, may be in the world.
    fn is_near(&self, reach_m: f64) -> bool {
        // One cell more for the place of the origin in its cell, one for the wider outline.
        let reach = reach_m / self.width + 2.0;
        (0..2).all(|i| self.world[0][i] as f64 <= reach && self.world[1][i] as f64 >= -reach)
    }

    /// Returns the position of a point of the solid: cells from the base, m above the origin.
    fn place(&self, point: DVec3) -> DVec3 {
        let turned = self.matrix * point;
        (self.origin + turned.truncate() / self.width).extend(turned.z)
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the world")]
    fn cell(&self, column: i64, row: i64) -> CellPlace {
        CellPlace { x: (column + self.base[0]) as u32, y: (row + self.base[1]) as u32 }
    }
}

thread_local! {
    static MAKER: RefCell<FootprintMaker> = RefCell::default();
}

/// Computes footprints; each thread reuses the memory for further pieces and bodies.
#[derive(Debug, Default)]
struct FootprintMaker {
    grid: BodyGrid,
    corners: Vec<DVec3>,
    places: Vec<[i64; 2]>,
    outline: PieceOutline,
    shader: Shader,
    cover: CoveredCells,
    shadows: Vec<(usize, Shadow)>,
}

impl FootprintMaker {
    fn make(&mut self, solid: &Solid, footprint: &mut Footprint) {
        for piece in solid.pieces() {
            self.add(piece, footprint);
        }
        if solid.pieces().len() > 1 {
            merge_cells(&mut footprint.cells);
        }
    }

    fn add(&mut self, piece: &Piece, footprint: &mut Footprint) {
        let grid = self.grid;
        self.corners.clear();
        self.corners.extend(piece.points().iter().map(|&point| grid.place(point)));
        let extent = |axis: usize| {
            let along = || self.corners.iter().map(|corner| corner[axis]);
            [along().fold(f64::MAX, f64::min), along().fold(f64::MIN, f64::max)]
        };
        // One cell more on each side than the corners span, because outlines are a little wider.
        let [(x, x_end), (y, y_end)] = [0, 1].map(|axis| {
            let [low, high] = extent(axis);
            let (first, end) = (grid.world[0][axis], grid.world[1][axis]);
            ((cell_of(low) - 1).max(first), (cell_of(high) + 2).min(end))
        });
        let window = OutlineWindow { first: [x, y], end: [x_end, y_end] };
        if x >= x_end || y >= y_end {
            return;
        }
        self.cover.begin(y, y_end);
        self.shadows.clear();
        if piece.is_convex() {
            self.places.clear();
            self.places.extend(self.corners.iter().map(|corner| snapped(*corner)));
            self.outline(&window);
        } else {
            // Outlines are convex: a mesh casts the shadow of each of its triangles.
            for triangle in piece.triangles() {
                let places = triangle.map(|corner| snapped(self.corners[corner as usize]));
                self.places.clear();
                self.places.extend(places);
                self.outline(&window);
            }
        }
        // After the outlines, which make room for the cells of each row.
        self.cover.add(&self.corners, piece.triangles());
        self.hand_in(footprint, !piece.is_convex());
    }

    /// Adds the shadows and cells of the hull of places.
    fn outline(&mut self, window: &OutlineWindow) {
        self.outline.wrap(&mut self.places);
        self.shader.take(&self.outline, window);
        let Self { shader, outline, cover, shadows, .. } = self;
        for axis in 0..2 {
            shader.shadows(outline, axis, window, |shadow| shadows.push((axis, shadow)));
        }
        shader.rows(outline, window, |row, [low, high]| {
            let [first, end] = [cell_of(low), cell_of(high) + 1];
            cover.make_room(row, first.max(window.first[0]), end.min(window.end[0]));
        });
    }

    /// Adds the collected cells and faces to the footprint.
    fn hand_in(&mut self, footprint: &mut Footprint, is_many: bool) {
        let grid = &self.grid;
        let z = grid.elevation;
        footprint.cells.extend(self.cover.parts().map(|(column, row, part)| SolidCell {
            place: grid.cell(column, row),
            share: part.share,
            low_m: z + part.low,
            high_m: z + part.high,
        }));
        if is_many {
            // Each triangle has ends, but the surface that it belongs to goes on.
            for (_, shadow) in self.shadows.iter_mut() {
                if shadow.kind == ShadeKind::End {
                    shadow.kind = ShadeKind::Loose;
                }
            }
            unite(&mut self.shadows);
        }
        for &(axis, shadow) in &self.shadows {
            let cell = match axis {
                0 => [shadow.face, shadow.strip],
                _ => [shadow.strip, shadow.face],
            };
            let mut beside = cell;
            beside[axis] -= 1;
            let parts = [cell, beside].map(|[column, row]| self.cover.at(column, row));
            // If a thin body closes a face but covers neither of the cells beside it, the shadow
            // has the mean heights of the body.
            let Some(part) = hull(parts).or(self.cover.mean()) else { continue };
            footprint.faces.push(Shade {
                axis,
                place: grid.cell(cell[0], cell[1]),
                from: shadow.from,
                to: shadow.to,
                kind: shadow.kind,
                low_m: z + part.low,
                high_m: z + part.high,
                lead: shadow.lead,
                // `move_with` sets it: a body that keeps its pose keeps its footprint at any
                // velocity.
                speed_m_s: 0.0,
            });
        }
    }
}

/// Merges the entries of each cell that several pieces cover, by rows.
fn merge_cells(cells: &mut Vec<SolidCell>) {
    cells.sort_by_key(|cell| (cell.place.y, cell.place.x));
    let mut parts: Vec<CoveredPart> = Vec::new();
    let mut done = 0;
    let mut next = 0;
    while let Some(&SolidCell { place, .. }) = cells.get(next) {
        let same = cells[next..].iter().take_while(|cell| cell.place == place);
        parts.clear();
        parts.extend(same.map(|cell| CoveredPart {
            share: cell.share,
            low: cell.low_m,
            high: cell.high_m,
        }));
        let (CoveredPart { share, low, high }, _) = piled(&mut parts, f64::INFINITY);
        next += parts.len();
        cells[done] = SolidCell { place, share, low_m: low, high_m: high };
        done += 1;
    }
    cells.truncate(done);
}

/// Merges shadows of one kind that touch.
fn unite(shadows: &mut Vec<(usize, Shadow)>) {
    let key = |(axis, shadow): &(usize, Shadow)| (*axis, shadow.strip, shadow.face, shadow.kind);
    shadows.sort_by(|a, b| {
        key(a).cmp(&key(b)).then(a.1.from.total_cmp(&b.1.from)).then(a.1.to.total_cmp(&b.1.to))
    });
    shadows.dedup_by(|next, kept| {
        let is_one = key(next) == key(kept) && next.1.from <= kept.1.to;
        if is_one {
            kept.1.to = kept.1.to.max(next.1.to);
            kept.1.lead = nearer(kept.1.lead, next.1.lead);
        }
        is_one
    });
}

/// Returns the distance nearer to a face, 0 if the two are on both sides.
fn nearer(a: f64, b: f64) -> f64 {
    if a > 0.0 { b.max(0.0).min(a) } else { b.min(0.0).max(a) }
}

/// Returns the lowest underside and the highest top of the parts present.
fn hull(parts: [Option<CoveredPart>; 2]) -> Option<CoveredPart> {
    match parts {
        [Some(a), Some(b)] => {
            Some(CoveredPart { share: a.share, low: a.low.min(b.low), high: a.high.max(b.high) })
        }
        [a, b] => a.or(b),
    }
}

/// Returns the cell that contains a place.
#[expect(clippy::cast_possible_truncation, reason = "cells that fit an i64 by far")]
fn cell_of(place: f64) -> i64 {
    place.floor() as i64
}
