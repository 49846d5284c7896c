//! A line that water follows: a river, a brook, the middle of a valley.
//!
//! Drawn through a few bends by a Catmull–Rom spline and sampled every few metres. A place beside
//! it is described by its **station** (m along the line from its upper end) and its **offset**
//! (m from the line, positive to the right when looking downstream).

use crate::lattice::CellLattice;

/// A place through which a course runs.
#[derive(Debug, Clone, Copy)]
pub struct Bend {
    /// Local `x`, m east.
    pub x: f64,
    /// Local `y`, m south.
    pub y: f64,
    /// Half the width of the valley floor here, m.
    pub half_width_m: f64,
    /// Fall of the valley from here to the next bend, m/m.
    pub slope: f64,
}

/// One sample of a course.
#[derive(Debug, Clone, Copy)]
pub struct CoursePoint {
    /// Local `x`, m east.
    pub x: f64,
    /// Local `y`, m south.
    pub y: f64,
    /// Distance along the course from its upper end, m.
    pub station_m: f64,
    /// Half the width of the valley floor, m.
    pub half_width_m: f64,
    /// Level of the bed, m above datum; falls along the course.
    pub level_m: f64,
}

/// A sampled line, upper end first.
#[derive(Debug, Clone)]
pub struct Watercourse {
    /// At least two samples.
    pub points: Vec<CoursePoint>,
}

/// Place of each cell of a lattice along a course.
#[derive(Debug)]
pub struct CourseStrip {
    /// Offset of each cell from the course, m; infinite beyond the reach of the strip.
    pub offset_m: Vec<f64>,
    /// The place on the course nearest to each cell, as an index into its points with a fraction.
    pub place: Vec<f64>,
}

/// Samples between two bends.
const SAMPLES: u32 = 96;

impl Watercourse {
    /// Makes the smooth line through `bends`; its lower end is at `mouth_level_m`.
    ///
    /// # Panics
    ///
    /// If `bends` has fewer than two.
    #[must_use]
    pub fn through(bends: &[Bend], mouth_level_m: f64) -> Self {
        assert!(bends.len() >= 2, "a course needs two bends");
        let mut points = Vec::new();
        let mut slopes = Vec::new();
        for index in 0..bends.len() - 1 {
            let quad = [
                bends[index.saturating_sub(1)],
                bends[index],
                bends[index + 1],
                bends[(index + 2).min(bends.len() - 1)],
            ];
            let is_last = index + 2 == bends.len();
            for sample in 0..SAMPLES + u32::from(is_last) {
                let t = f64::from(sample) / f64::from(SAMPLES);
                points.push(CoursePoint {
                    x: spline(quad.map(|bend| bend.x), t),
                    y: spline(quad.map(|bend| bend.y), t),
                    station_m: 0.0,
                    half_width_m: spline(quad.map(|bend| bend.half_width_m), t),
                    level_m: 0.0,
                });
                slopes.push(quad[1].slope + t * (quad[2].slope - quad[1].slope));
            }
        }
        let mut course = Self { points };
        course.measure();
        course.raise_from(mouth_level_m, &slopes);
        course
    }

    /// Returns a copy of the course moved sideways by `shift` (m, by station), with levels kept.
    #[must_use]
    pub fn shifted(&self, shift: impl Fn(&CoursePoint) -> f64) -> Self {
        let mut course = self.clone();
        for (index, point) in course.points.iter_mut().enumerate() {
            let (east, south) = self.direction(index);
            let shift_m = shift(&self.points[index]);
            // (−south, east) is to the right of a heading (east, south).
            point.x -= south * shift_m;
            point.y += east * shift_m;
        }
        course.measure();
        course
    }

    /// Returns the unit vector downstream at a point.
    #[must_use]
    pub fn direction(&self, index: usize) -> (f64, f64) {
        let a = &self.points[index.saturating_sub(1)];
        let b = &self.points[(index + 1).min(self.points.len() - 1)];
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let length = (dx * dx + dy * dy).sqrt();
        (dx / length, dy / length)
    }

    /// Returns the index of the point nearest to a place.
    #[must_use]
    pub fn nearest(&self, x: f64, y: f64) -> usize {
        let distance2 = |p: &CoursePoint| (p.x - x) * (p.x - x) + (p.y - y) * (p.y - y);
        let closer = |a: &usize, b: &usize| {
            distance2(&self.points[*a]).total_cmp(&distance2(&self.points[*b]))
        };
        (0..self.points.len()).min_by(closer).unwrap_or(0)
    }

    /// The index of the point at or just above a place along the course.
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a place is an index into the points with a fraction"
    )]
    pub fn index(&self, place: f64) -> usize {
        place.floor() as usize
    }

    /// Returns a value blended between the two points around a place along the course.
    #[must_use]
    pub fn along(&self, place: f64, value: impl Fn(&CoursePoint) -> f64) -> f64 {
        let index = self.index(place);
        let next = (index + 1).min(self.points.len() - 1);
        let t = place - place.floor();
        value(&self.points[index]) * (1.0 - t) + value(&self.points[next]) * t
    }

    /// Projects every cell within `reach_m` onto the course.
    #[must_use]
    pub fn strip(&self, lattice: &CellLattice, reach_m: f64) -> CourseStrip {
        let mut strip = CourseStrip {
            offset_m: vec![f64::INFINITY; lattice.count()],
            place: vec![0.0; lattice.count()],
        };
        for (index, pair) in self.points.windows(2).enumerate() {
            let (a, b) = (&pair[0], &pair[1]);
            let (dx, dy) = (b.x - a.x, b.y - a.y);
            let length2 = dx * dx + dy * dy;
            for cell in lattice.cells_near(a.x, a.y, reach_m) {
                let (x, y) = lattice.centre(cell);
                let t = (((x - a.x) * dx + (y - a.y) * dy) / length2).clamp(0.0, 1.0);
                let (ex, ey) = (x - a.x - t * dx, y - a.y - t * dy);
                let distance = (ex * ex + ey * ey).sqrt();
                if distance < strip.offset_m[cell].abs() {
                    let is_right = dx * ey - dy * ex >= 0.0;
                    strip.offset_m[cell] = if is_right { distance } else { -distance };
                    strip.place[cell] = index as f64 + t;
                }
            }
        }
        strip
    }

    fn measure(&mut self) {
        let mut station_m = 0.0;
        for index in 1..self.points.len() {
            let (a, b) = (self.points[index - 1], self.points[index]);
            station_m += ((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)).sqrt();
            self.points[index].station_m = station_m;
        }
        self.points[0].station_m = 0.0;
    }

    fn raise_from(&mut self, mouth_level_m: f64, slopes: &[f64]) {
        let mut level_m = mouth_level_m;
        for index in (0..self.points.len()).rev() {
            self.points[index].level_m = level_m;
            if index > 0 {
                let length = self.points[index].station_m - self.points[index - 1].station_m;
                level_m += slopes[index] * length;
            }
        }
    }
}

/// Returns the Catmull–Rom spline between the middle two of four values.
fn spline([a, b, c, d]: [f64; 4], t: f64) -> f64 {
    let (linear, square) = (c - a, 2.0 * a - 5.0 * b + 4.0 * c - d);
    let cube = 3.0 * (b - c) + d - a;
    b + 0.5 * t * (linear + t * (square + t * cube))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bend(x: f64, y: f64) -> Bend {
        Bend { x, y, half_width_m: 20.0, slope: 0.01 }
    }

    #[test]
    fn a_straight_course_knows_stations_offsets_and_levels() {
        let course = Watercourse::through(&[bend(0.0, 50.0), bend(100.0, 50.0)], 5.0);
        let lattice =
            CellLattice { width: 10, height: 10, step_m: 10.0, west_m: 0.0, north_m: 0.0 };
        let strip = course.strip(&lattice, 200.0);
        for cell in 0..lattice.count() {
            let (x, y) = lattice.centre(cell);
            let station = course.along(strip.place[cell], |p| p.station_m);
            let level = course.along(strip.place[cell], |p| p.level_m);
            // South is to the right of a course that runs east.
            assert!((strip.offset_m[cell] - (y - 50.0)).abs() < 1.0e-9, "cell {cell}");
            assert!((station - x).abs() < 1.0e-9, "cell {cell}: station {station} at x {x}");
            assert!((level - (5.0 + 0.01 * (100.0 - x))).abs() < 1.0e-9, "cell {cell}");
        }
    }

    #[test]
    fn shifting_goes_to_the_right() {
        let course = Watercourse::through(&[bend(0.0, 0.0), bend(0.0, 100.0)], 0.0);
        let shifted = course.shifted(|_| 3.0);
        assert!(shifted.points.iter().all(|p| (p.x + 3.0).abs() < 1.0e-9));
    }
}
