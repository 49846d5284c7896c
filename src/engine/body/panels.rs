//! The surface of a solid in panels: small triangles and parallelograms on which water presses.
//!
//! Each panel has one stage with its slope, so panels no longer than a cell follow the stage of
//! each cell. A panel is cut at the middle of its longest side until it is short enough. Cutting
//! leaves the surface unchanged, so the pressure of a lake adds up to Archimedes' lift, whatever
//! the cuts. Two triangles that are the halves of a parallelogram with sides to cut, as on a box
//! larger than a cell, are cut as one: this needs fewer panels, arranged the same to all sides. A
//! solid of several pieces is not joined so, because contact with another piece is determined panel
//! by panel.
//!
//! Guarantees: together the panels are the surface of the solid.
//! Limits:     [`Panels::COUNT_MOST`]; beyond it panels are longer.
//! Source:     own; moments of a polyhedron: Mirtich (1996), by tetrahedra.

use crate::body::{Piece, Solid};
use glam::{DMat3, DVec3};

/// A value at each corner of a panel, counterclockwise.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Corners<T> {
    /// Values of a triangle.
    Three([T; 3]),
    /// Values of a parallelogram.
    Four([T; 4]),
}

impl<T> Corners<T> {
    /// Returns the values of all corners.
    pub(crate) fn all(&self) -> &[T] {
        match self {
            Self::Three(corners) => corners,
            Self::Four(corners) => corners,
        }
    }

    /// Applies a function to each corner.
    pub(crate) fn map<U>(self, of: impl Fn(T) -> U) -> Corners<U> {
        match self {
            Self::Three(corners) => Corners::Three(corners.map(of)),
            Self::Four(corners) => Corners::Four(corners.map(of)),
        }
    }
}

impl Corners<DVec3> {
    /// Returns the mean of the corners.
    pub(crate) fn middle(&self) -> DVec3 {
        match *self {
            Self::Three([a, b, c]) => (a + b + c) / 3.0,
            Self::Four([a, b, c, d]) => 0.25 * ((a + c) + (b + d)),
        }
    }

    /// Returns the square of the longest side, and the first corner of the first such side.
    fn longest(&self) -> (f64, usize) {
        let corners = self.all();
        let side = |i: usize| corners[(i + 1) % corners.len()].distance_squared(corners[i]);
        // The first of the longest, so that equal sides are cut the same way everywhere.
        (1..corners.len()).fold((side(0), 0), |best, i| {
            let square = side(i);
            if square > best.0 { (square, i) } else { best }
        })
    }

    /// Returns the halves on both sides of the middle of a side.
    fn halves(&self, side: usize) -> [Self; 2] {
        match self {
            Self::Three(corners) => {
                let [a, b, c] = std::array::from_fn(|i| corners[(side + i) % 3]);
                let m = DVec3::midpoint(a, b);
                [Self::Three([m, b, c]), Self::Three([a, m, c])]
            }
            Self::Four(corners) => {
                let [a, b, c, d] = std::array::from_fn(|i| corners[(side + i) % 4]);
                let (m, n) = (DVec3::midpoint(a, b), DVec3::midpoint(c, d));
                [Self::Four([m, b, c, n]), Self::Four([a, m, n, d])]
            }
        }
    }
}

/// A part of the surface, in the coordinates of its solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Panel {
    /// Corners of the panel, m.
    pub(crate) corners: Corners<DVec3>,
    /// Outward unit normal.
    pub(crate) normal: DVec3,
    /// Area, m².
    pub(crate) area_m2: f64,
    /// True if another piece of the solid is directly outside: no water flows there.
    pub(crate) is_inside: bool,
}

/// The panels of a solid, and the moments of its volume. Computed once for a solid.
#[derive(Debug, Clone, PartialEq)]
pub struct Panels {
    panels: Vec<Panel>,
    volume_m3: f64,
    centre: DVec3,
    /// Tensor of inertia about the centre, for 1 kg, m², and its inverse.
    inertia: DMat3,
    ease: DMat3,
    length_m: f64,
}

impl Panels {
    /// Most panels that a solid is cut into; a solid of more triangles keeps its triangles.
    pub const COUNT_MOST: usize = 4096;

    /// Cuts the surface of a solid so that no side of a panel is longer than `longest_m`, or as
    /// short as [`Panels::COUNT_MOST`] allows. The width of a cell is a good choice.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::body::{Panels, Solid};
    /// let crate_of_one = Solid::cuboid([1.0; 3])?;
    /// assert_eq!(Panels::of(&crate_of_one, 2.0).count(), 12);
    /// assert_eq!(Panels::of(&crate_of_one, 1.2).count(), 24);
    /// assert_eq!(Panels::of(&crate_of_one, 0.5).count(), 24);
    /// # Ok::<(), thalweg::body::SolidError>(())
    /// ```
    #[must_use]
    pub fn of(solid: &Solid, longest_m: f64) -> Self {
        let mut longest_m = if longest_m > 0.0 { longest_m } else { f64::MAX };
        let whole: Vec<Panel> = solid.pieces().iter().flat_map(triangles).collect();
        let joined =
            if solid.pieces().len() > 1 { whole.clone() } else { joined(&whole, longest_m) };
        // A try makes on average 1/1.25² = 0.64 of the panels of the last one. The loop ends at the
        // latest when nothing is cut: `cut` always allows the triangles themselves.
        let mut panels = loop {
            if let Some(panels) = cut(&joined, longest_m) {
                break panels;
            }
            longest_m *= 1.25;
        };
        if solid.pieces().len() > 1 {
            // Beyond the rounding of corners that come from single precision, 6 · 10⁻⁸ of the
            // reach.
            let away = 1.0e-6 * solid.reach_m();
            for panel in &mut panels {
                panel.is_inside = has_solid_outside(panel, solid.pieces(), away);
            }
        }
        let (volume_m3, centre, inertia) = moments(&whole);
        let area_m2: f64 = whole.iter().map(|panel| panel.area_m2).sum();
        let length_m = (area_m2 / 6.0).sqrt();
        Self { panels, volume_m3, centre, inertia, ease: ease(&inertia), length_m }
    }

    /// Returns the number of panels.
    #[must_use]
    pub fn count(&self) -> usize {
        self.panels.len()
    }

    /// Returns the volume of the solid, m³.
    #[must_use]
    pub fn volume_m3(&self) -> f64 {
        self.volume_m3
    }

    /// Returns the centre of the solid's volume, in its own coordinates.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        self.centre
    }

    /// Returns the tensor of inertia about [`Panels::centre`] of a body of 1 kg and uniform
    /// density, m².
    #[must_use]
    pub fn inertia(&self) -> DMat3 {
        self.inertia
    }

    /// Returns the inverse of [`Panels::inertia`], 1/m².
    #[must_use]
    pub fn ease(&self) -> DMat3 {
        self.ease
    }

    /// Returns the side of the cube of the same surface area, m.
    #[must_use]
    pub fn length_m(&self) -> f64 {
        self.length_m
    }

    /// Returns all panels.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Panel> {
        self.panels.iter()
    }
}

fn triangles(piece: &Piece) -> impl Iterator<Item = Panel> + '_ {
    piece.triangles().iter().filter_map(|triangle| {
        let corners = triangle.map(|corner| piece.points()[corner as usize]);
        let twice = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let length = twice.length();
        // Three corners on a line have no area and no load.
        let normal = twice / length;
        let area_m2 = 0.5 * length;
        let corners = Corners::Three(corners);
        (length > 0.0).then_some(Panel { corners, normal, area_m2, is_inside: false })
    })
}

/// Joins consecutive triangles that are the halves of a parallelogram, if both its sides are to be
/// cut. A smaller one is not joined: its middle, which does not move across as it turns, would be
/// its only point.
fn joined(whole: &[Panel], longest_m: f64) -> Vec<Panel> {
    let mut found = Vec::with_capacity(whole.len());
    let mut rest = whole;
    while let Some((first, behind)) = rest.split_first() {
        if let Some(pair) = behind.first().and_then(|second| pair(first, second, longest_m)) {
            found.push(pair);
            rest = &behind[1..];
        } else {
            found.push(*first);
            rest = behind;
        }
    }
    found
}

/// Returns the parallelogram of two triangles `abc` and `acd`, if its sides are longer than that.
fn pair(first: &Panel, second: &Panel, longest_m: f64) -> Option<Panel> {
    let (Corners::Three([a, b, c]), Corners::Three([e, f, d])) = (first.corners, second.corners)
    else {
        return None;
    };
    // 0 for a parallelogram; 10⁻¹² of a length is rounding.
    let off = (a - b) + (c - d);
    let is_one = a == e && c == f && off.length_squared() <= 1.0e-24 * first.area_m2;
    let is_long = |from: DVec3, to: DVec3| to.distance_squared(from) > longest_m * longest_m;
    let is_large = is_long(a, b) && is_long(b, c);
    let area_m2 = first.area_m2 + second.area_m2;
    (is_one && is_large).then_some(Panel {
        corners: Corners::Four([a, b, c, d]),
        area_m2,
        ..*first
    })
}

/// Cuts panels to sides no longer than that; `None` if they would be too many.
fn cut(whole: &[Panel], longest_m: f64) -> Option<Vec<Panel>> {
    let most = Panels::COUNT_MOST.max(whole.len());
    let mut done = Vec::new();
    let mut open = Vec::new();
    for (index, panel) in whole.iter().enumerate() {
        open.push(*panel);
        while let Some(panel) = open.pop() {
            let (square, side) = panel.corners.longest();
            if square <= longest_m * longest_m {
                done.push(panel);
                continue;
            }
            // The fewest panels that this can still end with: those done, those open, these halves,
            // and a panel for each triangle to come.
            if done.len() + open.len() + 2 + (whole.len() - index - 1) > most {
                return None;
            }
            let area_m2 = 0.5 * panel.area_m2;
            let halves = panel.corners.halves(side);
            open.extend(halves.map(|corners| Panel { corners, area_m2, ..panel }));
        }
    }
    Some(done)
}

/// Returns the volume, the centre, and the tensor of inertia of 1 kg about it, from triangles.
fn moments(whole: &[Panel]) -> (f64, DVec3, DMat3) {
    // About a corner of the solid, so that a solid far from its origin keeps its precision.
    let origin = whole.first().map_or(DVec3::ZERO, |panel| panel.corners.all()[0]);
    let mut volume = 0.0;
    let mut first = DVec3::ZERO;
    let mut second = [DVec3::ZERO; 3];
    for panel in whole {
        let Corners::Three(corners) = panel.corners else { continue };
        let [a, b, c] = corners.map(|corner| corner - origin);
        // Of a tetrahedron from the origin, with V = six / 6 and s = a + b + c: ∫ x = V · s / 4 and
        // ∫ x·xᵀ = V / 20 · (a·aᵀ + b·bᵀ + c·cᵀ + s·sᵀ).
        let six = a.dot(b.cross(c));
        volume += six / 6.0;
        let sum = a + b + c;
        first += six * sum / 24.0;
        for (i, row) in second.iter_mut().enumerate() {
            let squares = a[i] * a + b[i] * b + c[i] * c;
            *row += six * (squares + sum[i] * sum) / 120.0;
        }
    }
    let centre = first / volume;
    let about: [DVec3; 3] = std::array::from_fn(|i| second[i] / volume - centre[i] * centre);
    // The inertia of a covariance C is trace(C) · 1 − C.
    let trace = about[0].x + about[1].y + about[2].z;
    let [mut x, mut y, mut z] = about.map(|row| -row);
    (x.x, y.y, z.z) = (trace + x.x, trace + y.y, trace + z.z);
    (volume, origin + centre, DMat3::from_cols(x, y, z))
}

/// Returns the inverse of a symmetric matrix.
fn ease(tensor: &DMat3) -> DMat3 {
    let DMat3 { x_axis: a, y_axis: b, z_axis: c } = *tensor;
    // These are rows of the inverse, times the determinant; of a symmetric matrix they are columns
    // too. `DMat3::inverse` multiplies by a reciprocal, which gives different bits.
    let columns = DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b));
    columns / a.dot(columns.x_axis)
}

/// True if a piece of the solid is directly outside a panel.
fn has_solid_outside(panel: &Panel, pieces: &[Piece], away: f64) -> bool {
    let at = panel.corners.middle() + away * panel.normal;
    pieces.iter().any(|piece| holds(piece, at))
}

/// True if a point is inside a piece: a ray upwards leaves the piece once more than it enters.
fn holds(piece: &Piece, at: DVec3) -> bool {
    let over = |&triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| piece.points()[corner as usize]);
        let sides = [is_left(a, b, at), is_left(b, c, at), is_left(c, a, at)];
        let normal = (b - a).cross(c - a);
        // The plane is above the point if (a − at)·n / n_z > 0. The product has the same sign, and
        // is 0 for an upright triangle, over which no point is.
        let is_over = normal.dot(a - at) * normal.z > 0.0;
        sides[0] == sides[1] && sides[1] == sides[2] && is_over
    };
    piece.triangles().iter().filter(|triangle| over(triangle)).count() % 2 == 1
}

/// True if a point is left of an edge, as seen from above. Both triangles of an edge agree.
fn is_left(from: DVec3, to: DVec3, at: DVec3) -> bool {
    let is_turned = (to.x, to.y) < (from.x, from.y);
    let (a, b) = if is_turned { (to, from) } else { (from, to) };
    let side = (b - a).truncate().perp_dot((at - a).truncate());
    (side > 0.0) != is_turned
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: cutting keeps the area, no side is too long, and the count has its limit.
    #[test]
    fn cut_panels_are_the_surface() {
        let long = Solid::cuboid([8.0, 2.0, 1.0]).expect("a box");
        for longest in [100.0, 3.0, 1.0, 0.3, 1.0e-3] {
            let panels = Panels::of(&long, longest);
            let area: f64 = panels.iter().map(|panel| panel.area_m2).sum();
            assert!((area - 52.0).abs() < 1.0e-9, "{longest} m: {area} m²");
            assert!(panels.count() <= Panels::COUNT_MOST, "{longest} m: {}", panels.count());
            for panel in panels.iter().filter(|_| longest > 0.2) {
                assert!(panel.corners.longest().0.sqrt() <= longest * (1.0 + 1.0e-12));
            }
        }
    }

    /// Goal: volume, centre and inertia of a box that is not centred on its origin.
    #[test]
    fn a_box_has_the_moments_of_a_box() {
        let body = Solid::cuboid([1.0, 2.0, 3.0]).expect("a box");
        let middle = DVec3::new(5.0, -4.0, 3.0);
        let moved = Solid::compound(&[(body, middle)]).expect("one");
        let panels = Panels::of(&moved, 10.0);
        assert!((panels.volume_m3() - 6.0).abs() < 1.0e-12);
        assert!(panels.centre().abs_diff_eq(middle, 1.0e-12), "{}", panels.centre());
        let expected = 12.0 / DVec3::new(13.0, 10.0, 5.0);
        let found = panels.ease();
        assert!(found.abs_diff_eq(DMat3::from_diagonal(expected), 1.0e-12), "{found}");
    }

    /// Goal: if crates of a compound touch, exactly the panels where they touch are inside it.
    #[test]
    fn panels_between_pieces_are_inside() {
        let one = Solid::cuboid([1.0; 3]).expect("a box");
        let pair = [(one.clone(), DVec3::ZERO), (one, DVec3::X)];
        let panels = Panels::of(&Solid::compound(&pair).expect("two"), 0.6);
        let inside: f64 =
            panels.iter().filter(|panel| panel.is_inside).map(|panel| panel.area_m2).sum();
        assert!((inside - 2.0).abs() < 1.0e-12, "{inside} m²");
        for panel in panels.iter().filter(|panel| panel.is_inside) {
            let corners = panel.corners.all();
            assert!(corners.iter().all(|corner| (corner.x - 0.5).abs() < 1.0e-12));
        }
    }
}
