//! Shapes on the ground, and the cells in them.
//!
//! ```text
//! disc        weight 1 up to radius − rim, then t²(3 − 2t), t = (radius − distance)/rim
//! rectangle   weight 1
//! polygon     weight 1; its last point joins its first
//! ```
//!
//! Guarantees: a cell is in a shape if its centre is; a centre on the border belongs to the shape
//!             on its east or north, so shapes beside each other share no cell.
//! Limits:     a polygon may not cross or touch itself.

use crate::grid::polygon::first_crossing;
use crate::terrain::edit::{EditError, PointM, Span};
use serde::{Deserialize, Serialize};

/// Largest coordinate, m: more than that of the widest world.
pub(super) const COORDINATE_MOST_M: f64 = 1.0e13; // a world: 2²⁰ cells of 10⁶ m a side at most

/// The cells of an edit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Shape {
    /// A disc with a soft margin.
    Disc {
        /// Centre of the disc.
        centre_m: PointM,
        /// Radius of the disc, boundary included, m.
        radius_m: f64,
        /// Width of the margin inside the radius in which the edit fades out, m; 0 for a hard
        /// margin.
        rim_m: f64,
    },
    /// A rectangle along the axes.
    Rectangle {
        /// South-west corner of the rectangle.
        low_m: PointM,
        /// North-east corner of the rectangle.
        high_m: PointM,
    },
    /// A polygon that does not cross itself.
    Polygon {
        /// Corners of the polygon, either way round. The first may be repeated at the end.
        corners_m: Vec<PointM>,
    },
}

impl Shape {
    /// Returns a disc with a radius and a margin in which the edit fades out, m.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::glam::DVec2;
    /// use thalweg::terrain::Shape;
    /// let disc = Shape::Disc { centre_m: [3.0, 4.0], radius_m: 2.0, rim_m: 0.5 };
    /// assert_eq!(Shape::disc(DVec2::new(3.0, 4.0), 2.0, 0.5), disc);
    /// ```
    #[must_use]
    pub fn disc(centre_m: impl Into<[f64; 2]>, radius_m: f64, rim_m: f64) -> Self {
        Self::Disc { centre_m: centre_m.into(), radius_m, rim_m }
    }

    /// Returns a rectangle along the axes, from its south-west corner to its north-east one, m.
    #[must_use]
    pub fn rectangle(low_m: impl Into<[f64; 2]>, high_m: impl Into<[f64; 2]>) -> Self {
        Self::Rectangle { low_m: low_m.into(), high_m: high_m.into() }
    }

    /// Returns a polygon by its corners, m, either way round.
    #[must_use]
    pub fn polygon(corners_m: impl IntoIterator<Item = impl Into<[f64; 2]>>) -> Self {
        Self::Polygon { corners_m: corners_m.into_iter().map(Into::into).collect() }
    }
}

/// The finest cells of a terrain as places on the map.
#[derive(Debug, Clone, Copy)]
pub(super) struct TerrainLattice {
    pub width: usize,
    pub height: usize,
    pub cell_width_m: f64,
}

impl TerrainLattice {
    /// Returns the centre of a column or row, m.
    #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
    pub fn centre(&self, index: usize) -> f64 {
        (index as f64 + 0.5) * self.cell_width_m
    }

    /// Returns the columns whose centres are from `from_m` to below `to_m`.
    pub fn columns(&self, from_m: f64, to_m: f64) -> std::ops::Range<usize> {
        self.first(from_m, self.width)..self.first(to_m, self.width)
    }

    /// Returns the rows whose centres are from `from_m` to below `to_m`.
    pub fn rows(&self, from_m: f64, to_m: f64) -> std::ops::Range<usize> {
        self.first(from_m, self.height)..self.first(to_m, self.height)
    }

    /// Returns the index of the first of `count` centres that is not below `at_m`.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
    #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
    fn first(&self, at_m: f64, count: usize) -> usize {
        let index = (at_m / self.cell_width_m - 0.5).ceil();
        if index <= 0.0 {
            0
        } else if index >= count as f64 {
            count
        } else {
            index as usize
        }
    }

    /// True if the box `low_m` to `high_m` shares a point with the map.
    fn meets(&self, low_m: PointM, high_m: PointM) -> bool {
        let size = self.size_m();
        (0..2).all(|axis| high_m[axis] > 0.0 && low_m[axis] < size[axis])
    }

    /// Returns the size of the map, m.
    #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
    pub fn size_m(&self) -> [f64; 2] {
        [self.width, self.height].map(|count| count as f64 * self.cell_width_m)
    }

    /// Returns the error for a shape between `low_m` and `high_m` that has no cell.
    pub fn why_empty(&self, low_m: PointM, high_m: PointM) -> EditError {
        if self.meets(low_m, high_m) {
            EditError::NoCell { cell_width_m: self.cell_width_m }
        } else {
            EditError::Outside { low_m, high_m, size_m: self.size_m() }
        }
    }
}

/// Refuses coordinates that are infinite, not a number or too large.
pub(super) fn check_points(what: &'static str, points: &[PointM]) -> Result<(), EditError> {
    for &value in points.iter().flatten() {
        check(what, value, -COORDINATE_MOST_M, COORDINATE_MOST_M)?;
    }
    Ok(())
}

/// Refuses a value that is not from `low` to `high`.
pub(super) fn check(what: &'static str, value: f64, low: f64, high: f64) -> Result<(), EditError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    Err(EditError::Number { what, value, low, high })
}

/// Refuses an invalid disc.
fn check_disc(radius_m: f64, rim_m: f64) -> Result<(), EditError> {
    check("the radius of the disc", radius_m, 0.0, COORDINATE_MOST_M)?;
    check("the rim of the disc", rim_m, 0.0, radius_m)
}

/// Returns the box around points.
pub(super) fn bounds(points: &[PointM]) -> (PointM, PointM) {
    points.iter().fold(([f64::MAX; 2], [f64::MIN; 2]), |(low, high), point| {
        ([0, 1].map(|i| low[i].min(point[i])), [0, 1].map(|i| high[i].max(point[i])))
    })
}

impl Shape {
    /// Returns the cells in the shape, by row, of a map of some columns and rows.
    ///
    /// # Errors
    ///
    /// [`EditError`] if a number of the shape is invalid, if the shape crosses itself, is beside
    /// the map, or contains no centre of a cell.
    pub fn cells(
        &self,
        (width, height): (usize, usize),
        cell_width_m: f64,
    ) -> Result<Vec<Span>, EditError> {
        self.spans(&TerrainLattice { width, height, cell_width_m })
    }

    /// Returns the cells in the shape, by row.
    pub(super) fn spans(&self, lattice: &TerrainLattice) -> Result<Vec<Span>, EditError> {
        let (spans, (low_m, high_m)) = match self {
            Self::Disc { centre_m, radius_m, rim_m } => {
                check_points("a coordinate of the disc's centre", &[*centre_m])?;
                check_disc(*radius_m, *rim_m)?;
                let [low, high] = [-1.0, 1.0].map(|s| centre_m.map(|v| v + s * radius_m));
                (disc_spans(*centre_m, *radius_m, lattice), (low, high))
            }
            Self::Rectangle { low_m, high_m } => {
                check_points("a coordinate of the rectangle", &[*low_m, *high_m])?;
                let columns = lattice.columns(low_m[0], high_m[0]);
                let span = |row| Span { row, columns: columns.clone() };
                (lattice.rows(low_m[1], high_m[1]).map(span).collect(), (*low_m, *high_m))
            }
            Self::Polygon { corners_m } => {
                let corners = open_ring(corners_m)?;
                (polygon_spans(corners, lattice), bounds(corners))
            }
        };
        if spans.iter().all(|span| span.columns.is_empty()) {
            return Err(lattice.why_empty(low_m, high_m));
        }
        Ok(super::span::merged(spans))
    }

    /// Returns the shape with a hard margin where the edit has half of its effect.
    ///
    /// # Errors
    ///
    /// [`EditError`] if the soft margin of a disc is invalid.
    pub fn hard(&self) -> Result<Self, EditError> {
        let Self::Disc { centre_m, radius_m, rim_m } = *self else { return Ok(self.clone()) };
        check_disc(radius_m, rim_m)?;
        // In the middle of the rim t is ½, and so is t²(3 − 2t).
        Ok(Self::Disc { centre_m, radius_m: radius_m - 0.5 * rim_m, rim_m: 0.0 })
    }

    /// Returns the part of an edit that a place gets, from 0 to 1, if it is in the shape.
    #[must_use]
    pub fn weight(&self, x_m: f64, y_m: f64) -> f64 {
        let Self::Disc { centre_m: [x, y], radius_m, rim_m } = self else { return 1.0 };
        let (dx, dy) = (x_m - x, y_m - y);
        let left = radius_m - (dx * dx + dy * dy).sqrt();
        if left >= *rim_m {
            return 1.0;
        }
        if left <= 0.0 {
            return 0.0;
        }
        let t = left / rim_m;
        t * t * (3.0 - 2.0 * t)
    }
}

fn disc_spans(centre: PointM, radius: f64, lattice: &TerrainLattice) -> Vec<Span> {
    let span = |row| {
        let dy = lattice.centre(row) - centre[1];
        // Rounding may put the centre of a row at the margin a little beyond the radius.
        let chord = (radius * radius - dy * dy).max(0.0).sqrt();
        Span { row, columns: lattice.columns(centre[0] - chord, centre[0] + chord) }
    };
    lattice.rows(centre[1] - radius, centre[1] + radius).map(span).collect()
}

/// Returns the cells between the crossings of a polygon's sides with the centre lines of rows.
fn polygon_spans(corners: &[PointM], lattice: &TerrainLattice) -> Vec<Span> {
    let mut crossings: Vec<(usize, f64)> = Vec::new();
    for (i, &a) in corners.iter().enumerate() {
        let b = corners[(i + 1) % corners.len()];
        // Upwards, so that a side is cut at the same place in either order of its corners.
        let (a, b) = if a[1] <= b[1] { (a, b) } else { (b, a) };
        for row in lattice.rows(a[1], b[1]) {
            let part = (lattice.centre(row) - a[1]) / (b[1] - a[1]);
            crossings.push((row, a[0] + part * (b[0] - a[0])));
        }
    }
    crossings.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    // Each row is crossed an even number of times: a corner ends one side and begins the next.
    let span = |pair: &[(usize, f64); 2]| {
        let [(row, from), (_, to)] = *pair;
        Span { row, columns: lattice.columns(from, to) }
    };
    crossings.as_chunks().0.iter().map(span).collect()
}

/// Returns the corners of a polygon without the repeated first one, checked.
fn open_ring(corners: &[PointM]) -> Result<&[PointM], EditError> {
    check_points("a coordinate of the polygon", corners)?;
    let is_closed = corners.len() > 1 && corners.first() == corners.last();
    let corners = &corners[..corners.len() - usize::from(is_closed)];
    if corners.len() < 3 {
        let found = corners.len();
        return Err(EditError::Points { what: "a polygon", found, least: 3 });
    }
    match first_crossing(corners) {
        Some((first, second)) => Err(EditError::Crossing { first, second }),
        None => Ok(corners),
    }
}
