//! Shapes of bodies: convex pieces, or closed meshes of triangles.

use glam::{BVec3, DVec3};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

/// Most triangles of a piece.
const TRIANGLES_MOST: usize = 1 << 20;

/// Largest distance of a corner from the origin of its solid, m.
const REACH_MOST: f64 = 1.0e6;

/// Reason why a shape is invalid.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidError {
    reason: String,
}

impl fmt::Display for SolidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for SolidError {}

fn vectors(points: impl IntoIterator<Item = impl Into<[f64; 3]>>) -> Vec<DVec3> {
    points.into_iter().map(|point| DVec3::from_array(point.into())).collect()
}

fn error<T>(reason: String) -> Result<T, SolidError> {
    Err(SolidError { reason })
}

/// A closed surface: triangles with their corners counterclockwise as seen from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    points: Vec<DVec3>,
    triangles: Vec<[u32; 3]>,
    is_convex: bool,
}

impl Piece {
    /// Returns the corners of the piece.
    #[must_use]
    pub fn points(&self) -> &[DVec3] {
        &self.points
    }

    /// Returns the triangles of the piece, by their corners.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// True if the piece is the hull of its corners.
    #[must_use]
    pub fn is_convex(&self) -> bool {
        self.is_convex
    }

    /// Returns six times the enclosed volume, m³.
    fn volume_6(&self) -> f64 {
        // Tetrahedra from the origin, with sign: of a closed surface the parts outside cancel.
        let of = |triangle: &[u32; 3]| {
            let [a, b, c] = triangle.map(|corner| self.points[corner as usize]);
            a.dot(b.cross(c))
        };
        self.triangles.iter().map(of).sum()
    }
}

/// A shape, in its own coordinates; cheap to clone.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    pieces: Arc<[Piece]>,
    volume_m3: f64,
    reach_m: f64,
}

impl Solid {
    /// Creates a box with its centre at the origin, of these lengths along x, y and z, m.
    ///
    /// # Errors
    ///
    /// [`SolidError`] if a length is not above 0, or is beyond a thousand kilometres.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::body::Solid;
    /// let crate_of_two = Solid::cuboid([1.0, 1.0, 2.0])?;
    /// assert!((crate_of_two.volume_m3() - 2.0).abs() < 1.0e-12);
    /// assert!(Solid::cuboid([1.0, 0.0, 1.0]).is_err());
    /// # Ok::<(), thalweg::body::SolidError>(())
    /// ```
    pub fn cuboid(lengths_m: impl Into<[f64; 3]>) -> Result<Self, SolidError> {
        let lengths_m = DVec3::from_array(lengths_m.into());
        let most = DVec3::splat(REACH_MOST);
        if !(lengths_m.cmpgt(DVec3::ZERO) & lengths_m.cmple(most)).all() {
            let lengths_m = lengths_m.to_array();
            return error(format!(
                "a box cannot have sides of {lengths_m:?} m: give lengths above 0, up to \
                 {REACH_MOST:e} m"
            ));
        }
        let half = 0.5 * lengths_m;
        let corner = |i: u8| {
            let is_high = BVec3::new(i & 1 != 0, i & 2 != 0, i & 4 != 0);
            DVec3::select(is_high, half, -half)
        };
        let faces: [[u32; 4]; 6] =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let triangles = faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let points = (0..8).map(corner).collect();
        Self::of(vec![Piece { points, triangles, is_convex: true }])
    }

    /// Creates a closed mesh: corners, and triangles with their corners counterclockwise as seen
    /// from outside.
    ///
    /// # Errors
    ///
    /// [`SolidError`] if a corner is invalid, if a triangle names a missing corner, if an edge does
    /// not have exactly one triangle on each side, or if the mesh is inside out.
    pub fn mesh(
        points: impl IntoIterator<Item = impl Into<[f64; 3]>>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<Self, SolidError> {
        let points = vectors(points);
        Self::of(vec![Piece { points, triangles, is_convex: false }])
    }

    /// Creates a convex solid: like [`Solid::mesh`], and each corner is behind each triangle.
    ///
    /// # Errors
    ///
    /// [`SolidError`] as for a mesh, and if a corner is in front of a triangle.
    pub fn convex(
        points: impl IntoIterator<Item = impl Into<[f64; 3]>>,
        triangles: Vec<[u32; 3]>,
    ) -> Result<Self, SolidError> {
        let points = vectors(points);
        let piece = Piece { points, triangles, is_convex: true };
        // Before `check_convex`, which takes the indices of corners for valid; `of` checks again.
        check(&piece)?;
        check_convex(&piece)?;
        Self::of(vec![piece])
    }

    /// Joins several solids, each moved by an offset, m. They may touch; if they overlap, water is
    /// displaced twice there.
    ///
    /// # Errors
    ///
    /// [`SolidError`] if `parts` is empty, or if a solid is too far away.
    pub fn compound(parts: &[(Self, DVec3)]) -> Result<Self, SolidError> {
        let moved = parts.iter().flat_map(|(solid, by)| {
            solid.pieces.iter().map(move |piece| {
                let points = piece.points.iter().map(|point| point + by).collect();
                Piece { points, ..piece.clone() }
            })
        });
        Self::of(moved.collect())
    }

    fn of(pieces: Vec<Piece>) -> Result<Self, SolidError> {
        if pieces.is_empty() {
            return error("a solid has no pieces: give it at least one".to_owned());
        }
        pieces.iter().try_for_each(check)?;
        let points = || pieces.iter().flat_map(|piece| &piece.points);
        let reach_m = points().map(|point| point.length_squared()).fold(0.0, f64::max).sqrt();
        let volume_m3 = pieces.iter().map(Piece::volume_6).sum::<f64>() / 6.0;
        Ok(Self { pieces: pieces.into(), volume_m3, reach_m })
    }

    /// Returns the pieces of the solid.
    #[must_use]
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Returns the volume of the solid, m³.
    #[must_use]
    pub fn volume_m3(&self) -> f64 {
        self.volume_m3
    }

    /// Returns the distance of the farthest corner from the origin, m.
    #[must_use]
    pub fn reach_m(&self) -> f64 {
        self.reach_m
    }

    /// True if the two are the very same solid, not a copy.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.pieces, &other.pieces)
    }
}

/// Checks that a piece is a closed surface and not inside out.
fn check(piece: &Piece) -> Result<(), SolidError> {
    let Piece { points, triangles, .. } = piece;
    if triangles.len() < 4 || triangles.len() > TRIANGLES_MOST {
        let count = triangles.len();
        return error(format!("a mesh of {count} triangles encloses nothing, or is too fine"));
    }
    for (index, point) in points.iter().enumerate() {
        if !point.abs().cmple(DVec3::splat(REACH_MOST)).all() {
            let point = point.to_array();
            return error(format!("corner {index} of the mesh, {point:?}, is no place near it"));
        }
    }
    let mut edges = BTreeSet::new();
    for (index, &[a, b, c]) in triangles.iter().enumerate() {
        if let Some(&far) = [a, b, c].iter().find(|&&corner| corner as usize >= points.len()) {
            let count = points.len();
            return error(format!(
                "triangle {index} of the mesh names corner {far}; there are {count}"
            ));
        }
        for edge in [(a, b), (b, c), (c, a)] {
            if !edges.insert(edge) {
                let (from, to) = edge;
                return error(format!(
                    "the edge from corner {from} to corner {to} of the mesh has two triangles on \
                     one side: turn one of them round, or take one away"
                ));
            }
        }
    }
    if let Some(&(from, to)) = edges.iter().find(|&&(from, to)| !edges.contains(&(to, from))) {
        return error(format!(
            "the mesh is open at the edge from corner {from} to corner {to}: close it, or water \
             would stand inside"
        ));
    }
    let [a, b, c] = triangles[0].map(|corner| points[corner as usize]);
    let is_flat = (b - a).cross(c - a) == DVec3::ZERO && triangles.len() == 4;
    if piece.volume_6() <= 0.0 || is_flat {
        return error(
            "the mesh encloses nothing, or is inside out: order the corners of its triangles \
             counterclockwise as seen from outside"
                .to_owned(),
        );
    }
    Ok(())
}

/// Checks that each corner is behind each triangle, up to rounding to single precision.
fn check_convex(piece: &Piece) -> Result<(), SolidError> {
    let Piece { points, triangles, .. } = piece;
    let square = points.iter().map(|point| point.distance_squared(points[0]));
    let slack = 1.0e-5 * square.fold(0.0, f64::max).sqrt();
    for (index, &triangle) in triangles.iter().enumerate() {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        let normal = (b - a).cross(c - a);
        let bound = slack * normal.length();
        let is_before = |point: &DVec3| normal.dot(point - a) > bound;
        if let Some(corner) = points.iter().position(is_before) {
            return error(format!(
                "corner {corner} lies in front of triangle {index}: the shape is not convex; make \
                 it a mesh"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dent_is_not_convex() {
        let convex = Solid::convex(CORNERS.to_vec(), FACES.to_vec()).expect("convex");
        assert!(convex.pieces()[0].is_convex());
        let mut points = CORNERS.to_vec();
        points.push(DVec3::splat(0.1));
        let mut faces = FACES[..3].to_vec();
        faces.extend([[1, 2, 4], [2, 3, 4], [3, 1, 4]]);
        assert!(Solid::mesh(points.clone(), faces.clone()).is_ok());
        let line = Solid::convex(points, faces).expect_err("dented").to_string();
        assert!(line.contains("not convex"), "{line}");
    }

    const CORNERS: [DVec3; 4] = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    const FACES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

    #[test]
    fn volumes_are_those_of_the_shapes() {
        let tetrahedron = Solid::mesh(CORNERS.to_vec(), FACES.to_vec()).expect("closed");
        assert!((tetrahedron.volume_m3() - 1.0 / 6.0).abs() < 1.0e-15);
        let long = Solid::cuboid([1.0, 2.0, 3.0]).expect("a box");
        assert!((long.volume_m3() - 6.0).abs() < 1.0e-12);
        let pair = [(long.clone(), DVec3::ZERO), (tetrahedron, 5.0 * DVec3::X)];
        let both = Solid::compound(&pair).expect("two pieces");
        assert!((both.volume_m3() - 6.0 - 1.0 / 6.0).abs() < 1.0e-12);
        assert!((both.reach_m() - 6.0).abs() < 1.0e-12);
    }

    #[test]
    fn open_and_turned_meshes_are_refused_with_the_edge() {
        let refused = |faces: &[[u32; 3]]| {
            Solid::mesh(CORNERS.to_vec(), faces.to_vec()).expect_err("no solid").to_string()
        };
        let line = refused(&[[0, 2, 1], [0, 1, 3], [0, 3, 2]]);
        assert!(line.contains("3 triangles"), "{line}");
        let line = refused(&[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2]]);
        assert!(line.contains("two triangles on one side"), "{line}");
        let line = refused(&[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]);
        assert!(line.contains("inside out"), "{line}");
        let line = refused(&[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 9]]);
        assert!(line.contains("names corner 9"), "{line}");
        let nan = [DVec3::NAN, CORNERS[1], CORNERS[2], CORNERS[3]];
        let line = Solid::mesh(nan.to_vec(), FACES.to_vec()).expect_err("NaN").to_string();
        assert!(line.contains("corner 0"), "{line}");
        for lengths in [[0.0, 1.0, 1.0], [1.0, -1.0, 1.0], [1.0, 1.0, f64::NAN]] {
            assert!(Solid::cuboid(lengths).is_err());
        }
    }
}
