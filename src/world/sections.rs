//! Sections of a world: lines across which it counts the water.
//!
//! Guarantees: counting changes nothing: no state, hash or file depends on it.
//! Limits:     water in culverts, pumps and drains, in intervals under rock and among the cells
//!             that bodies touch is not counted.

use crate::world::World;
use std::fmt;
use thalweg_engine::sim::sections::{FlowSection, stage};
use thalweg_engine::units::Volume;

/// Sections that a world has at most.
const SECTIONS_MOST: usize = 1 << 12;

/// Points that a line has at most.
const POINTS_MOST: usize = 1 << 10;

/// Sine of the angle between two pieces below which the second runs back along the first.
const FOLD: f64 = 1.0e-9;

/// A line across which a world counts the water.
///
/// Discharge is positive towards the right of the line, as of a barrier: a line from the right bank
/// to the left bank, looking downstream, counts downstream flow as positive.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionLine {
    /// Name of the section; no two have the same.
    pub name: String,
    /// Two points or more, metres east and north of the world's south-west corner. A last point
    /// equal to the first closes the line.
    pub points_m: Vec<[f64; 2]>,
}

/// Readings of a section at the end of a cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SectionReading<'a> {
    /// Name of the section.
    pub name: &'a str,
    /// Mean discharge over the last cycle, m³/s, positive towards the right of the line; 0 before
    /// the first cycle.
    pub discharge_m3_s: f64,
    /// Mean stage of the water that can pass the line, m above the datum: each face weighs by its
    /// width and its flow depth to the power of 3/2, so that one cell, deep as it may be, decides
    /// little; `None` while no face has a flow depth.
    pub stage_m: Option<f64>,
    /// Volume that has passed since the section was put, in cycles that moved more to the right,
    /// vertical units × finest cells: times [`WaterView::unit_m3`] it is m³.
    ///
    /// [`WaterView::unit_m3`]: crate::world::WaterView::unit_m3
    pub to_right: Volume,
    /// Volume that has passed in cycles that moved more to the left, in the same unit.
    pub to_left: Volume,
}

impl SectionReading<'_> {
    /// Returns the volume that has passed to the right, less the volume to the left: equal to the
    /// unit to the balance of the ledger and the stored volume, if the line divides the world.
    #[must_use]
    pub fn net(&self) -> Volume {
        self.to_right - self.to_left
    }
}

impl SectionLine {
    /// Checks name and line for a world of a width and a height, m; its ground is not looked at.
    ///
    /// # Errors
    ///
    /// [`SectionError`] names the fault and a remedy.
    pub fn check(&self, size_m: [f64; 2]) -> Result<(), SectionError> {
        let is_named = !self.name.trim().is_empty();
        let named = is_named.then_some(()).ok_or(SectionFault::NoName);
        let checked = named.and_then(|()| check_line(&self.points_m, size_m));
        checked.map_err(|fault| fault.of(&self.name))
    }
}

impl World {
    /// Puts a section: from now on the world counts the water that passes its line.
    ///
    /// A section costs time along its faces, and where levels meet when leaves change. Sums
    /// continue when leaves change their levels; a coarse cell that the line cuts is on the side of
    /// its centre, and its water changes sides uncounted when leaves merge or split there, unless
    /// the line follows edges of leaves of the coarsest level.
    ///
    /// Sums begin at 0 when the section is put, and are not saved: a loaded world has no sections.
    /// A copy of the world continues them. Water of an action and its undo passes no line.
    ///
    /// # Errors
    ///
    /// [`SectionError`] names the fault and a remedy. Then nothing has changed, except that a cycle
    /// under way has ended if the line separates no cells.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// use thalweg::world::SectionLine;
    /// let terrain = Terrain::from_heights([20, 10], 2.0, |_, _| 1.0)?;
    /// let west = |place: CellPlace| if place.x < 10 { 1.0 } else { 0.0 };
    /// let mut world = WorldBuilder::new(terrain).initial_depth(west).build()?;
    /// // From the south to the north: east is to its right.
    /// let line = SectionLine { name: "dam".into(), points_m: vec![[20.0, 0.0], [20.0, 20.0]] };
    /// world.put_section(line)?;
    /// world.run_until(SimTime::from_seconds(2.0));
    /// let dam = world.section("dam").expect("it was put");
    /// assert!(dam.discharge_m3_s > 0.0 && dam.stage_m.is_some());
    /// let east = (0..10).flat_map(|y| (10..20).map(move |x| CellPlace { x, y }));
    /// let depths = east.filter_map(|place| world.water().depth_m(place));
    /// let m3 = dam.net() as f64 * world.water().unit_m3();
    /// assert!((depths.sum::<f64>() * 4.0 - m3).abs() < 1.0e-9 * m3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn put_section(&mut self, line: SectionLine) -> Result<(), SectionError> {
        self.check_section(&line)?;
        self.finish_cycle();
        let width = self.cell_width_m();
        let corners = line.points_m.iter().map(|point| point.map(|at| at / width)).collect();
        match self.simulation.put_section(&line.name, corners) {
            true => Ok(()),
            false => Err(self.why_no_faces(&line).of(&line.name)),
        }
    }

    /// Returns why a line separates no two cells.
    fn why_no_faces(&self, line: &SectionLine) -> SectionFault {
        let width_m = self.cell_width_m();
        let [columns, rows] = <[usize; 2]>::from(self.size());
        #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
        let size_m = [columns, rows].map(|cells| cells as f64 * width_m);
        let all = |is_so: &dyn Fn(&[f64; 2]) -> bool| line.points_m.iter().all(is_so);
        // The outermost centres are half a cell from the edge: a line between them and the edge has
        // no cells on one side.
        let is_at =
            |axis: usize, at_m: f64| all(&|point| (point[axis] - at_m).abs() <= 0.5 * width_m);
        let mut ends = [0, 1].into_iter().flat_map(|axis| [(axis, 0.0), (axis, size_m[axis])]);
        if ends.any(|(axis, at_m)| is_at(axis, at_m)) {
            return SectionFault::AlongEdge;
        }
        let lengths = line
            .points_m
            .windows(2)
            .map(|ends| (ends[1][0] - ends[0][0]).hypot(ends[1][1] - ends[0][1]));
        if lengths.sum::<f64>() < 2.0 * width_m {
            return SectionFault::TooShort { width_m };
        }
        SectionFault::NoGround
    }

    /// Takes a section away; returns whether there was one of that name.
    pub fn remove_section(&mut self, name: &str) -> bool {
        self.finish_cycle();
        self.simulation.remove_section(name).is_some()
    }

    /// Readings of all sections, in the order in which they were put.
    pub fn sections(&self) -> impl ExactSizeIterator<Item = SectionReading<'_>> {
        self.simulation.sections().all().iter().map(|section| self.read_section(section))
    }

    /// Returns the readings of a section; `None` if no section has that name.
    #[must_use]
    pub fn section(&self, name: &str) -> Option<SectionReading<'_>> {
        self.sections().find(|section| section.name == name)
    }

    fn read_section<'a>(&'a self, section: &'a FlowSection) -> SectionReading<'a> {
        let scale = self.scale();
        let stage_m = stage(section, self.simulation.leaves());
        let stage_m = stage_m.map(|units| scale.datum_m() + units * scale.unit_m());
        let passed = &section.passed;
        SectionReading {
            name: &section.name,
            discharge_m3_s: passed.rate() * self.water().unit_m3(),
            stage_m,
            to_right: passed.to_right,
            to_left: passed.to_left,
        }
    }

    fn check_section(&self, line: &SectionLine) -> Result<(), SectionError> {
        let sections = self.simulation.sections().all();
        if sections.len() >= SECTIONS_MOST {
            return Err(SectionFault::Count { most: SECTIONS_MOST }.of(&line.name));
        }
        if sections.iter().any(|section| section.name == line.name) {
            return Err(SectionFault::Twice.of(&line.name));
        }
        let [columns, rows] = <[usize; 2]>::from(self.size());
        #[expect(clippy::cast_precision_loss, reason = "2²⁰ cells a side")]
        let size_m = [columns, rows].map(|cells| cells as f64 * self.cell_width_m());
        line.check(size_m)
    }
}

/// Checks a line in a world of a size, m.
///
/// # Errors
///
/// [`SectionFault`] names the point or piece that does not fit.
fn check_line(points_m: &[[f64; 2]], size_m: [f64; 2]) -> Result<(), SectionFault> {
    let found = points_m.len();
    if !(2..=POINTS_MOST).contains(&found) {
        return Err(SectionFault::Points { found, most: POINTS_MOST });
    }
    let is_inside = |at: &[f64; 2]| (0..2).all(|i| (0.0..=size_m[i]).contains(&at[i]));
    if let Some(&at_m) = points_m.iter().find(|at| !is_inside(at)) {
        return Err(SectionFault::Outside { at_m, size_m });
    }
    if let Some(pair) = points_m.windows(2).find(|pair| is_same(pair[0], pair[1])) {
        return Err(SectionFault::Equal { at_m: pair[0] });
    }
    let pieces: Vec<[[f64; 2]; 2]> = points_m.windows(2).map(|pair| [pair[0], pair[1]]).collect();
    let is_closed = is_same(points_m[0], points_m[found - 1]);
    // All pairs are compared: POINTS_MOST limits them to half a million.
    for (i, first) in pieces.iter().enumerate() {
        for (j, second) in pieces.iter().enumerate().skip(i + 1) {
            let joins = j == i + 1 || (is_closed && i == 0 && j + 1 == pieces.len());
            let is_met = if joins { folds_back(first, second) } else { meet(first, second) };
            if is_met {
                return Err(SectionFault::Crosses { pieces: [i + 1, j + 1] });
            }
        }
    }
    Ok(())
}

fn is_same(a: [f64; 2], b: [f64; 2]) -> bool {
    (0..2).all(|i| a[i] - b[i] == 0.0)
}

/// Returns twice the area of a triangle, positive if it is passed round counter-clockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

/// True if two pieces have a point in common.
fn meet([a, b]: &[[f64; 2]; 2], [c, d]: &[[f64; 2]; 2]) -> bool {
    let parts = |p: f64, q: f64| (p <= 0.0 && q >= 0.0) || (p >= 0.0 && q <= 0.0);
    let overlap = |i: usize| a[i].min(b[i]) <= c[i].max(d[i]) && c[i].min(d[i]) <= a[i].max(b[i]);
    parts(turn(*a, *b, *c), turn(*a, *b, *d))
        && parts(turn(*c, *d, *a), turn(*c, *d, *b))
        && overlap(0)
        && overlap(1)
}

/// True if a piece that joins another at an end runs back along it.
fn folds_back([a, b]: &[[f64; 2]; 2], [c, d]: &[[f64; 2]; 2]) -> bool {
    let (from, joint, to) = if is_same(*b, *c) { (a, b, d) } else { (b, a, c) };
    let along: f64 = (0..2).map(|i| (from[i] - joint[i]) * (to[i] - joint[i])).sum();
    // Points that a user writes on one line are on it but for their last digits.
    along > 0.0 && turn(*from, *joint, *to).abs() <= FOLD * along
}

/// Why a section is refused.
#[derive(Debug, Clone, PartialEq)]
pub struct SectionError {
    /// Name of the section.
    pub name: String,
    /// Reason.
    pub fault: SectionFault,
}

/// Fault of a section.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum SectionFault {
    /// The world has as many as it may have.
    Count {
        /// Sections that it may have.
        most: usize,
    },
    /// The section has no name.
    NoName,
    /// Another section has its name.
    Twice,
    /// The line has too few points or too many.
    Points {
        /// Points given.
        found: usize,
        /// Points it may have.
        most: usize,
    },
    /// A point is outside the world, or no number.
    Outside {
        /// The point, m.
        at_m: [f64; 2],
        /// Size of the world, m.
        size_m: [f64; 2],
    },
    /// Two successive points are equal.
    Equal {
        /// The point, m.
        at_m: [f64; 2],
    },
    /// The line crosses or touches itself.
    Crosses {
        /// The two pieces of it that meet, from 1.
        pieces: [usize; 2],
    },
    /// The line runs along the edge of the map.
    AlongEdge,
    /// The line is too short for the cells: it passes between no two centres.
    TooShort {
        /// Width of a cell, m.
        width_m: f64,
    },
    /// The line has no ground on both of its sides.
    NoGround,
}

impl SectionFault {
    fn of(self, name: &str) -> SectionError {
        SectionError { name: name.to_owned(), fault: self }
    }
}

impl fmt::Display for SectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "section `{}` {}", self.name, self.fault)
    }
}

impl fmt::Display for SectionFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Count { most } => {
                write!(f, "is one more than {most}, the most there may be: take some away")
            }
            Self::NoName => write!(f, "has no name: give it one"),
            Self::Twice => write!(f, "is there already: give each section a name of its own"),
            Self::Points { found, most } => {
                let plural = if *found == 1 { "" } else { "s" };
                write!(f, "has {found} point{plural}: give its line 2 to {most}")
            }
            Self::Outside { at_m: [x, y], size_m: [east, north] } => write!(
                f,
                "has a point at {x}, {y} m, outside the world of {east} by {north} m: end it at \
                 the edge"
            ),
            Self::Equal { at_m: [x, y] } => {
                write!(f, "has the point {x}, {y} m twice in a row: leave one out")
            }
            Self::Crosses { pieces: [a, b] } => write!(
                f,
                "crosses or touches itself in its pieces {a} and {b}: make two sections of it"
            ),
            Self::AlongEdge => write!(
                f,
                "separates no two cells: it runs along the edge of the map: move it a cell inland"
            ),
            Self::TooShort { width_m } => write!(
                f,
                "separates no two cells: it is too short for cells of {width_m} m: lengthen it"
            ),
            Self::NoGround => write!(
                f,
                "separates no two cells with ground: it lies on NoData: move or lengthen it"
            ),
        }
    }
}

impl std::error::Error for SectionError {}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: each bad line is one sentence that names the remedy; good ones, closed ones too, are
    /// accepted.
    #[test]
    fn lines_that_are_none_say_why() {
        let size_m = [100.0, 50.0];
        for (points, words) in [
            (vec![[1.0, 1.0]], "has 1 point: "),
            (vec![[1.0, 1.0], [101.0, 1.0]], "at 101, 1 m, outside"),
            (vec![[1.0, 1.0], [f64::NAN, 1.0]], "outside"),
            (vec![[1.0, 1.0], [1.0, 1.0], [2.0, 2.0]], "twice in a row"),
            (vec![[0.0, 0.0], [9.0, 9.0], [9.0, 0.0], [0.0, 9.0]], "pieces 1 and 3"),
            (vec![[0.0, 0.0], [9.0, 0.0], [3.0, 0.0]], "pieces 1 and 2"),
            (vec![[0.0, 0.0], [9.0, 0.0], [9.0, 9.0], [3.0, 0.0]], "pieces 1 and 3"),
            // On the first piece but for the last digits of doubles.
            (vec![[20.1, 20.2], [61.2, 42.4], [33.8, 27.6]], "pieces 1 and 2"),
        ] {
            let fault = check_line(&points, size_m).expect_err(words);
            assert!(fault.to_string().contains(words), "{points:?}: {fault}");
        }
        for points in [
            vec![[0.0, 0.0], [100.0, 50.0]],
            vec![[1.0, 1.0], [9.0, 1.0], [9.0, 9.0], [1.0, 1.0]],
            vec![[1.0, 1.0], [5.0, 1.0], [9.0, 1.0]],
        ] {
            assert_eq!(check_line(&points, size_m), Ok(()), "{points:?}");
        }
    }
}
