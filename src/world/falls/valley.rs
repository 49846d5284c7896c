//! The lowest line of a valley that ends at an edge, and its fall.
//!
//! ```text
//!   row 0   ▆▅▃▂▁▁▂▄▆     section along the edge, around its lowest cell
//!   row d   ▅▃▂▁▁▂▄▆▆     the same section, moved along by s d/D and raised by Δz
//!
//!   s       least (mean of (Δz − f d)² + ε²) (1 + (s/D)²), f free, over eight rows up to D: the
//!           straight line inward along which sections stay alike
//!   z(d)    mean bed of the section around the lowest cell within two of that line
//!   fall    median of (z(d') − z(d)) / (d' − d) over all pairs of 17 rows · cos² θ,   tan θ = s/D
//! ```
//!
//! A section ends at the first cell on each side that is more than half a metre above its lowest
//! one: a levee of one cell separates a river from a lower plain behind it. For s it continues for
//! eight cells, so that a channel of two cells is followed and not its bank. Each section has its
//! own ends for z, so that a cell of the bank that the line touches counts for nothing. The median
//! is that of Theil and Sen: a dam or a bridge across the valley does not change it.
//!
//! A bank is eight cells of this height, or fewer if the world ends there, or if the ground behind
//! them is half a metre below the section, as behind a levee. If cells without data cut a valley
//! off at a slant, the search follows them inward from row to row. It ends after 128 cells without
//! a bank: the ground beyond is not examined, and a plain must stay open. Without a bank on a side,
//! as on a plain or a hillside, the line runs straight inward; if the ground falls steadily to a
//! channel that runs along the edge and rises steadily behind it, up to that channel.
//!
//! D is the least of 16, 32, 64 and 128 rows over which the line rises or falls by four times the
//! scatter of z around it: steep valleys get their fall near the edge, gentle or rough ones a fall
//! above the noise. If no D is enough the fall is at most 10⁻³. With less than nine rows the fall
//! is taken over eight, four, two or one of them, straight inward.
//!
//! A river enters if this line surely rises towards the edge between two banks: by the most that
//! any sure line rises from end to end. If that is less than half a metre and the longest line
//! falls, it is a bar before an outlet. The rise is the depth that water may reach before it leaves
//! after all. A plain or the floor of a sea may rise as gently: without a bank on each side the
//! edge stays one that water and waves pass.
//!
//! An edge of cells without data that leans has faces in steps, on two sides. A face on a valley's
//! floor has the fall of the other side at the corner of its step, times the s/D of that side, if
//! that side sees a valley and a line that is less steep: a line from a section along the valley
//! climbs its bank. If a flow along the valley would enter over a face beside its outlet, that face
//! is a wall, and the falls of the faces around are less, by net over gross outflow of that flow.
//!
//! If two cells or two lines to both sides are alike, the mean of both falls counts.
//!
//! Guarantees: falls follow from the finest beds alone; a mirrored ground has the same falls.
//! Limits:     a valley that turns within D gets the fall of the chord; a channel of two cells on
//!             10 cm of noise is lost if it falls by less than 30 cm in 128 cells; a trough of a
//!             sea's floor that rises between banks counts as a river; a river that enters by less
//!             than 10⁻³ is taken for a plain between levees of less than eight cells on a plain as
//!             high as its bed, and for an outlet if the ground beyond it is higher.
//! Source:     Sen (1968), J. Am. Stat. Assoc. 63; the rest is own.

use crate::world::falls::line::{
    LINE_ROWS, LineFall, NOISE_M, SURE, SURE_BEFORE_CHANNEL, UNSURE_MOST, channel_along_edge, units,
};
use crate::world::relief::{Looked, WorldRelief};
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::HashMap;
use std::rc::Rc;
use thalweg_engine::grid::cells::WorldCell;
use thalweg_engine::grid::{Axis, Side, TILE_WIDTH, TileKey};
use thalweg_engine::stream::PageKind;
use thalweg_engine::units::OUTSIDE;

/// Rows inward that are tried.
const DEPTHS: [i64; 4] = [16, 32, 64, 128];
/// Rows at which sections are compared.
const LIKE_ROWS: i64 = 8;
/// Most cells to each side of a face among which its section's lowest is sought, and banks to each
/// side of that; and of a section around it.
const SEARCH: i64 = 128;
const HALF: i64 = 48;
/// Cells above the water that make a bank.
const BANK: i64 = 8;
/// Cells to each side of a line among which the lowest is a row's.
const ASIDE: i64 = 2;
/// Most cells along the edge for each row inward: 63° from straight on.
const STEEPEST: i64 = 2;
/// Widest step of an edge that leans.
const STEP: i64 = 16;
/// Ratio, squared, of the steepness of a face's own line to that of the other side of its step,
/// above which the other side counts. With 1, 2 and 4 there were 14 faces of the wrong side in the
/// valleys of the bench `edge.cut_off`; with 1 a lean that 16 rows do not show gave falls a third
/// too large.
const OTHER_SIDE: f64 = 4.0;
/// Faces of an outline to each side of one over which a flow across it is summed: some steps of
/// any edge that leans by 4° or more.
const NEAR_FACES: usize = 16;
/// Rows inward from which a side belongs to no step, but is the side of a corner.
const CORNER: i64 = STEEPEST * STEP;
/// The farthest cells along an edge and inward that a fall looks at.
#[expect(clippy::cast_possible_truncation, reason = "some hundred cells")]
pub(super) const REACH: [usize; 2] =
    [(SEARCH + STEEPEST * DEPTHS[3] + ASIDE + HALF + STEP) as usize, DEPTHS[3] as usize];
/// Water over the lowest bed, m, by which a section is weighed.
pub(super) const DEPTH_M: f64 = 0.5;
/// Height above the bed of a steep river, in units of [`DEPTH_M`], from which a face belongs to the
/// hillside: no such river is 4 m deep, and rain on the hillside must leave.
const ABOVE: f64 = 8.0;

/// Fall of the ground towards a face.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Fall {
    /// Fall, negative if the ground rises towards the face.
    pub slope: f64,
    /// Vertical units by which the valley, between banks, surely rises; 0 if it does not.
    pub rise: f64,
    /// End of the valley if it has a bank on each side and the ground does not clearly fall towards
    /// it: an inflow there makes the edge a wall.
    pub mouth: Option<ValleyMouth>,
    /// True if the slope is significant, not noise.
    is_sure: bool,
    /// [`Alike::steepness`] of the line over the fewest rows, if the face is between two banks.
    steepness: Option<f64>,
    /// Cells along the edge for each row inward, of the line.
    lean: f64,
}

/// The end of a valley at an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::world) struct ValleyMouth {
    pub side: Side,
    /// First and last column, or row, of the cells at the edge.
    pub lines: [u32; 2],
    /// First and last cell along the edge.
    pub ends: [u32; 2],
}

impl Fall {
    /// Returns the distance east and north of a flow along the line for each cell out of the side
    /// from which the line was seen.
    fn flow(&self, from: Side) -> [f64; 2] {
        let (dx, dy) = from.offset();
        match from.axis() {
            Axis::X => [f64::from(dx), -self.lean],
            Axis::Y => [-self.lean, f64::from(dy)],
        }
    }

    /// Combines two valleys, or lines, neither of which is nearer.
    fn of_both([one, other]: [Self; 2]) -> Self {
        // If only one of them rises, no river is sure to enter: an outlet matters more than a leak.
        let rise =
            if one.rise > 0.0 && other.rise > 0.0 { 0.5 * (one.rise + other.rise) } else { 0.0 };
        let both = |[a, b]: [u32; 2], [c, d]: [u32; 2]| [a.min(c), b.max(d)];
        let mouth = one.mouth.zip(other.mouth).map(|(one, other)| ValleyMouth {
            side: one.side,
            lines: both(one.lines, other.lines),
            ends: both(one.ends, other.ends),
        });
        Self {
            slope: 0.5 * (one.slope + other.slope),
            rise,
            mouth,
            is_sure: one.is_sure && other.is_sure,
            steepness: one.steepness.zip(other.steepness).map(|(one, other)| one.max(other)),
            lean: 0.5 * (one.lean + other.lean),
        }
    }
}

/// A line of cells: whether it is a column, and its column or row.
type LinePlace = (bool, i64);

/// The ground around a finest tile, line by line along the edges.
pub(super) struct ValleyGround<'a> {
    relief: &'a WorldRelief,
    pub beds: Looked<'a>,
    tile: TileKey,
    /// Lines of cells that were looked at.
    lines: RefCell<HashMap<LinePlace, Rc<[f64]>>>,
    /// Falls by side, line, the lowest cell of a section, and whether that is its bottom.
    falls: RefCell<HashMap<(Side, i64, i64, bool), Fall>>,
}

impl<'a> ValleyGround<'a> {
    pub fn new(relief: &'a WorldRelief, tile: TileKey) -> Self {
        let beds = Looked::new(relief, 0, PageKind::GroundBeds);
        Self { relief, beds, tile, lines: RefCell::default(), falls: RefCell::default() }
    }

    /// Returns the fall of the valley that ends at a side of a cell.
    pub fn fall(&self, at: WorldCell, side: Side) -> Fall {
        let (fall, from) = self.fall_of_step(at, side);
        if fall.steepness.is_none() || !self.beds.has(moved(at, side, 1)) {
            return fall;
        }
        let flow = fall.flow(from);
        let outward = across(flow, side);
        // A river that enters leaves over no face of its outline.
        let slope = fall.slope * if fall.slope > 0.0 { outward } else { outward.abs() };
        let share = if slope > 0.0 { self.net_share(at, side, flow) } else { 1.0 };
        // A flow along a line with more inflow than outflow over its outline has no outlet there.
        let is_inward = fall.is_sure && fall.slope > 0.0 && (outward <= 0.0 || share <= 0.0);
        let rise = if is_inward { f64::INFINITY } else { fall.rise };
        Fall { slope: slope * share, rise, ..fall }
    }

    /// Returns the fall of the valley that ends at a side of a cell, and the side from which it is
    /// seen: this side or the other side of a step.
    fn fall_of_step(&self, at: WorldCell, side: Side) -> (Fall, Side) {
        let own = self.fall_across(at, side);
        let Some((corner, beside)) = self.step(at, side) else { return (own, side) };
        let other = self.fall_across(corner, beside);
        let is_better = match (other.steepness, own.steepness) {
            (Some(other), Some(own)) => own > OTHER_SIDE * other,
            (other, _) => other.is_some(),
        };
        if is_better { (other, beside) } else { (own, side) }
    }

    /// Returns the net outflow of a uniform flow over the outline around a face, per outflow; 1 for
    /// a small hole or island, around which inflow and outflow are equal.
    fn net_share(&self, at: WorldCell, side: Side, flow: [f64; 2]) -> f64 {
        let along = if side.axis() == Axis::X { Side::North } else { Side::East };
        let [mut net, mut out] = [across(flow, side); 2];
        for way in [along, along.opposite()] {
            let mut face = (at, side, way);
            for _ in 0..NEAR_FACES {
                face = self.next_face(face);
                if (face.0, face.1) == (at, side) {
                    return 1.0;
                }
                let outward = across(flow, face.1);
                (net, out) = (net + outward, out + outward.max(0.0));
            }
        }
        (net / out).max(0.0)
    }

    /// Returns the next face of an outline in one direction along it.
    fn next_face(&self, (at, side, way): (WorldCell, Side, Side)) -> (WorldCell, Side, Side) {
        let ahead = moved(at, way, 1);
        let diagonal = moved(ahead, side, 1);
        if !self.is_ground(ahead) {
            (at, way, side.opposite())
        } else if self.is_ground(diagonal) {
            (diagonal, way.opposite(), side)
        } else {
            (ahead, side, way)
        }
    }

    fn is_ground(&self, at: WorldCell) -> bool {
        self.beds.at(at) != OUTSIDE
    }

    /// Returns the corner and the other side of a face's step, if the edge leans there.
    fn step(&self, at: WorldCell, side: Side) -> Option<(WorldCell, Side)> {
        let is_face =
            |at: WorldCell, side: Side| self.is_ground(at) && !self.is_ground(moved(at, side, 1));
        if !is_face(at, side) {
            return None;
        }
        let along = if side.axis() == Axis::X { Side::North } else { Side::East };
        let end = |way: Side| (1..=STEP).find(|&n| !is_face(moved(at, way, n), side));
        let ways = [along, along.opposite()];
        let [one, other] = [end(ways[0])?, end(ways[1])?];
        // A step turns outward at one end and inward at the other.
        let [is_out, is_other_out] =
            [(0, one), (1, other)].map(|(i, n)| self.is_ground(moved(at, ways[i], n)));
        if is_out == is_other_out {
            return None;
        }
        let (long, n) = if is_out { (ways[1], other) } else { (ways[0], one) };
        let corner = moved(at, long, n - 1);
        // The side of the map is no part of an edge that leans.
        if !self.beds.has(moved(corner, long, 1)) {
            return None;
        }
        is_face(corner, long).then_some((corner, long))
    }

    /// Returns the fall of the valley that ends across a side of a cell.
    fn fall_across(&self, at: WorldCell, side: Side) -> Fall {
        let axis = side.axis();
        let (edge, along) = if axis == Axis::X { at } else { (at.1, at.0) };
        let inward = -i64::from(side.offset().0 + side.offset().1);
        let valley = EdgeValley { ground: self, side, axis, edge, inward };
        let (row, along) = (valley.row(0), along - self.from(axis));
        let ends = row.ends(along, [SEARCH; 2], valley.over());
        let Some(lowest) = row.lowest(along, ends) else {
            return Fall::default();
        };
        let fall = |lowest: i64| {
            // If the ground still falls at the end of the search, it is a hillside.
            let has_bottom = (along - lowest).abs() < SEARCH;
            let place = (side, edge, lowest, has_bottom);
            let known = self.falls.borrow().get(&place).copied();
            let found = known.unwrap_or_else(|| {
                let fall = valley.fall(&row, lowest, has_bottom);
                self.falls.borrow_mut().insert(place, fall);
                fall
            });
            let above = (row.at(along) - row.at(lowest)) / valley.over();
            // On a bank or a hillside no valley ends; rain on it leaves.
            let is_floor = above <= 1.0;
            let mouth = found.mouth.filter(|_| is_floor);
            let steepness = found.steepness.filter(|_| is_floor);
            let is_hillside = found.slope < -UNSURE_MOST && above > ABOVE;
            if is_hillside {
                valley.fall_of_hillside(along)
            } else {
                Fall { mouth, steepness, ..found }
            }
        };
        Fall::of_both(lowest.map(fall))
    }

    /// Returns the beds of a line from [`REACH`] before the tile to [`REACH`] behind it, NaN
    /// outside.
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

    /// Returns the coordinate at which lines along an axis begin.
    fn from(&self, axis: Axis) -> i64 {
        let corner = self.tile.corner();
        i64::from(if axis == Axis::X { corner.y } else { corner.x }) - REACH[0] as i64
    }
}

/// A row of cells along the edge: beds in vertical units, NaN outside.
struct ValleyRow(Rc<[f64]>);

impl ValleyRow {
    fn at(&self, along: i64) -> f64 {
        let bed = usize::try_from(along).ok().and_then(|along| self.0.get(along));
        bed.copied().unwrap_or(f64::NAN)
    }

    /// Counts the cells before and behind a middle, `most` at most, that are no more than `over`
    /// above it: a levee of one cell separates a river from a lower plain behind it.
    fn ends(&self, middle: i64, most: [i64; 2], over: f64) -> [i64; 2] {
        let top = self.at(middle) + over;
        // Beside a cell in a hole, whose top is no number, all that is there counts.
        let is_end = |along: i64| self.at(along).is_nan() || self.at(along) > top;
        [(-1, most[0]), (1, most[1])].map(|(step, most)| {
            (1..=most).find(|n| is_end(middle + n * step)).unwrap_or(most + 1) - 1
        })
    }

    /// Returns the nearest of the lowest cells around a middle: two if one on each side is as low
    /// and near.
    fn lowest(&self, middle: i64, [before, behind]: [i64; 2]) -> Option<[i64; 2]> {
        let [before, behind] = [(-1, before), (1, behind)].map(|(step, most)| {
            let cells = (0..=most).map(|n| middle + n * step);
            // Of equal ones the first.
            cells
                .filter(|&at| !self.at(at).is_nan())
                .min_by(|&a, &b| self.at(a).total_cmp(&self.at(b)))
        });
        let (before, behind) = (before.or(behind)?, behind.or(before)?);
        let height_and_way = |at: i64| (self.at(at), (at - middle).abs());
        Some(match height_and_way(before).partial_cmp(&height_and_way(behind)) {
            Some(Ordering::Less) => [before; 2],
            Some(Ordering::Greater) => [behind; 2],
            _ => [before, behind],
        })
    }

    /// Returns the mean bed of the section around a cell, which is no wider than `most`, weighted
    /// by the depth below its bank.
    fn level(&self, middle: i64, most: [i64; 2], over: f64) -> f64 {
        let ends = self.ends(middle, most, over);
        let over = self.at(middle) + over;
        let weighed = |n: i64, step: i64, end: i64| {
            let far = n as f64 / (HALF + 1) as f64;
            let bed = self.at(middle + n * step);
            let weight = if n <= end { (over - bed).max(0.0) * (1.0 - far * far) } else { 0.0 };
            if weight > 0.0 { [weight, weight * bed] } else { [0.0; 2] }
        };
        let [mut all, mut sum] = weighed(0, 1, 0);
        for n in 1..=ends[0].max(ends[1]) {
            let [before, behind] = [weighed(n, -1, ends[0]), weighed(n, 1, ends[1])];
            all += before[0] + behind[0];
            sum += before[1] + behind[1];
        }
        sum / all
    }
}

/// The section at the edge: beds and weights to both sides of its lowest cell, in pairs, so that
/// sums are the same from either side.
struct ValleySection {
    lowest: i64,
    /// Cells before and behind that.
    ends: [i64; 2],
    cells: Vec<[(f64, f64); 2]>,
    /// Sum of the weights.
    weight: f64,
}

impl ValleySection {
    fn of(row: &ValleyRow, lowest: i64, over: f64) -> Self {
        // Banks are parts of it, if they are not farther than a middle that is no wider than it.
        let with_bank = |(step, end): (i64, i64)| {
            let bank = (end + 1..=HALF.min(end + BANK - 1)).map(|n| row.at(lowest + n * step));
            end + bank.take_while(|bed| !bed.is_nan()).count() as i64
        };
        let [before, behind] = row.ends(lowest, [HALF; 2], over);
        let ends = [(-1, before), (1, behind)].map(with_bank);
        let top = row.at(lowest) + over;
        let cell = |n: i64, step: i64, end: i64| {
            let bed = row.at(lowest + n * step);
            // The middle is in both halves of a pair.
            let half = if n == 0 { 0.5 } else { 1.0 };
            match n <= end {
                // A bank weighs half as much as the lowest cell: without banks any line fits a
                // narrow channel.
                true => (bed, half * (top - bed).max(0.5 * over)),
                false => (0.0, 0.0),
            }
        };
        let both = |n: i64| [cell(n, -1, ends[0]), cell(n, 1, ends[1])];
        let cells: Vec<_> = (0..=ends[0].max(ends[1])).map(both).collect();
        let weight = cells.iter().map(|[before, behind]| before.1 + behind.1).sum();
        Self { lowest, ends, cells, weight }
    }

    /// Returns the sums of the existing weights, and of the raise of a row above the section, moved
    /// along by some cells, and of its square.
    fn raise(&self, row: &ValleyRow, by: i64) -> [f64; 3] {
        let middle = self.lowest + by;
        let mut sums = [0.0; 3];
        for (n, [before, behind]) in (0..).zip(&self.cells) {
            let before = weighed_raise(*before, row.at(middle - n));
            let behind = weighed_raise(*behind, row.at(middle + n));
            sums[0] += before[0] + behind[0];
            sums[1] += before[1] + behind[1];
            sums[2] += before[2] + behind[2];
        }
        sums
    }
}

/// Returns the weight of a cell of a section, and the weight times its raise and times the raise's
/// square; zeros if the other bed is no ground.
#[inline] // the search spends its time here; arrays mapped by closures took ten times as long
fn weighed_raise((bed, weight): (f64, f64), other: f64) -> [f64; 3] {
    let raise = other - bed;
    match raise.is_nan() {
        true => [0.0; 3],
        false => [weight, weight * raise, weight * raise * raise],
    }
}

/// A section, and rows with which it is compared.
struct Alike<'a> {
    section: &'a ValleySection,
    compared: Vec<(i64, ValleyRow)>,
    /// Rows to the far end, and vertical units that are noise.
    rows_and_noise: (i64, f64),
}

impl Alike<'_> {
    /// Returns the mean square of the raise along a line that leans by `by`, times 1 + (s/D)².
    fn steepness(&self, by: i64) -> f64 {
        let (rows, noise) = self.rows_and_noise;
        let (mut all, mut squares) = (0.0, 0.0);
        for (inward, row) in &self.compared {
            let [weight, _, square] = self.section.raise(row, shift(by, *inward, rows));
            all += weight;
            squares += square;
        }
        let turn = 1.0 + (by * by) as f64 / (rows * rows) as f64;
        (squares / all + noise * noise) * turn
    }

    /// Returns how unlike the section is to rows along a line that leans by `by`; infinite if less
    /// than half of the section's weight has ground in these rows, or once it cannot be less than
    /// `least`: squares only grow.
    fn cost(&self, by: i64, least: f64) -> f64 {
        let (rows, noise) = self.rows_and_noise;
        let turn = 1.0 + (by * by) as f64 / (rows * rows) as f64;
        let whole = self.section.weight * self.compared.len() as f64;
        let [mut all, mut squares, mut moments, mut far, mut rest] = [0.0_f64; 5];
        for (inward, row) in &self.compared {
            if (rest / whole + noise * noise) * turn >= least {
                return f64::INFINITY;
            }
            let [weight, raise, square] = self.section.raise(row, shift(by, *inward, rows));
            let inward = *inward as f64;
            all += weight;
            squares += square;
            moments += inward * raise;
            far += inward * inward * weight;
            // Of the best line through the edge: Σ w (Δz − f d)², f = Σ w d Δz / Σ w d².
            rest = if far > 0.0 { (squares - moments * moments / far).max(0.0) } else { 0.0 };
        }
        let is_there = all >= 0.5 * whole;
        if is_there { (rest / all + noise * noise) * turn } else { f64::INFINITY }
    }
}

/// The ground behind an edge.
struct EdgeValley<'a> {
    ground: &'a ValleyGround<'a>,
    side: Side,
    axis: Axis,
    /// Column or row of the cells at the edge.
    edge: i64,
    /// Step from one row inward to the next.
    inward: i64,
}

impl EdgeValley<'_> {
    /// Returns the row `rows` rows inward.
    fn row(&self, rows: i64) -> ValleyRow {
        ValleyRow(self.ground.line(self.axis, self.edge + rows * self.inward))
    }

    /// Returns the vertical units of water by which sections are weighed.
    fn over(&self) -> f64 {
        units(DEPTH_M, self.ground.relief.scale())
    }

    /// Returns the fall of the valley towards the edge, from the lowest cell of its section in row
    /// 0.
    fn fall(&self, row: &ValleyRow, lowest: i64, has_bottom: bool) -> Fall {
        let section = ValleySection::of(row, lowest, self.over());
        let is_valley = has_bottom && self.is_between_banks(lowest);
        let [one, other] = [1, -1].map(|first| (first, is_valley, &section));
        let (fall, is_tied) = self.fall_by_lines(row, one);
        if is_tied { Fall::of_both([fall, self.fall_by_lines(row, other).0]) } else { fall }
    }

    /// Returns the fall by the lines from a section, and whether lines to both sides fit equally
    /// well: then the one to the side `first` counts.
    fn fall_by_lines(
        &self,
        row: &ValleyRow,
        (first, is_valley, section): (i64, bool, &ValleySection),
    ) -> (Fall, bool) {
        let (mut lines, mut by, mut is_tied) = (Vec::<LineFall>::new(), 0, false);
        let mut steepness = None;
        for rows in DEPTHS {
            // A plain or a hillside has no direction of its own, and most edges have many such
            // places: the search would take most of the time.
            if is_valley {
                let Some((found, own, has_twin)) = self.lean(section, rows, (by, first)) else {
                    break;
                };
                (by, is_tied) = (found, is_tied || has_twin);
                steepness.get_or_insert(own);
            }
            let Some(line) = self.fall_along(section, rows, (by, is_valley)) else { break };
            lines.push(line);
            let near = lines.iter().find(|line| line.is_sure);
            // If the nearest sure line rises towards the edge, longer ones tell a river from a bar.
            if near.is_some_and(|near| !(is_valley && near.slope < 0.0)) {
                break;
            }
        }
        let far = lines
            .last()
            .copied()
            .unwrap_or_else(|| self.fall_of_few(row, section.lowest, [HALF; 2]));
        let sure = || lines.iter().filter(|line| line.is_sure);
        let near = sure().next().copied().unwrap_or(far);
        let rise = sure().map(|line| line.rise).fold(0.0, f64::max);
        // If the ground behind a low rise falls towards the edge, that is a bar before an outlet;
        // behind a high one it is the hill beyond the valley that a river runs down to.
        let is_bar = rise < self.over() && far.slope > 0.0;
        let rises = is_valley && near.is_sure && near.slope < 0.0 && !is_bar;
        // If the valley may fall to the edge no inflow shuts it: an outlet matters more than a
        // leak.
        let falls = match near.is_sure {
            true => near.slope > 0.0 || is_bar,
            false => far.is_likely && far.slope > 0.0,
        };
        let mouth = (is_valley && !falls).then(|| self.mouth(section.lowest));
        let rise = if rises { rise } else { 0.0 };
        (
            Fall {
                slope: near.slope,
                rise,
                mouth,
                is_sure: near.is_sure,
                steepness,
                lean: near.lean,
            },
            is_tied,
        )
    }

    /// Returns the cells along the edge on one side of a cell of row 0: their place along it, rows
    /// inward, and beds. If the outside gets nearer, as along an edge that leans or at a corner of
    /// the map, it is followed inward, by [`CORNER`] rows at once at most: a hill farther inland is
    /// no bank. A walk that ends so, and not with the ground, ends with a bed that is no number.
    fn along_edge(&self, middle: i64, step: i64) -> impl Iterator<Item = (i64, i64, f64)> {
        let (mut row, mut along, mut inward, mut straight) = (self.row(0), middle, 0, 0);
        let next = move |_| {
            let ahead = row.at(along + step);
            if !ahead.is_nan() {
                (along, straight) = (along + step, 0);
                return Some((along, inward, ahead));
            }
            if straight == CORNER || inward == DEPTHS[3] {
                return Some((along, inward, f64::NAN));
            }
            (inward, straight) = (inward + 1, straight + 1);
            row = self.row(inward);
            let bed = row.at(along);
            (!bed.is_nan()).then_some((along, inward, bed))
        };
        let mut is_over = false;
        let cells = (1..SEARCH + BANK).map_while(next);
        cells.take_while(move |(_, _, bed)| !std::mem::replace(&mut is_over, bed.is_nan()))
    }

    /// Whether a cell of row 0 is between two banks.
    fn is_between_banks(&self, middle: i64) -> bool {
        [-1, 1].into_iter().all(|step| self.has_bank(middle, step))
    }

    /// Whether a bank begins on a side within [`SEARCH`]: [`BANK`] cells that are more than half a
    /// metre above the middle; or fewer if the world ends there, or if the ground behind them is as
    /// far below the middle.
    fn has_bank(&self, middle: i64, step: i64) -> bool {
        let (lowest, over) = (self.row(0).at(middle), self.over());
        let (mut high, mut behind, mut cells) = (0, BANK, 0);
        for (_, _, bed) in self.along_edge(middle, step) {
            cells += 1;
            (high, behind) = if bed > lowest + over { (high + 1, 0) } else { (0, behind + 1) };
            if high == BANK || behind < BANK && bed <= lowest - over {
                return true;
            }
        }
        high > 0 && cells < SEARCH + BANK - 1
    }

    /// Returns the end of a valley around its lowest cell in row 0, up to the banks on both sides.
    fn mouth(&self, lowest: i64) -> ValleyMouth {
        let top = self.row(0).at(lowest) + self.over();
        let from = self.ground.from(self.axis);
        let ends = [-1, 1].map(|step| {
            let cells = self.along_edge(lowest, step);
            let last = cells.take_while(|&(_, _, bed)| bed <= top).last();
            last.map_or((lowest, 0), |(along, inward, _)| (along, inward))
        });
        let far = self.edge + self.inward * ends[0].1.max(ends[1].1);
        let lines = [self.edge.min(far), self.edge.max(far)];
        let within = |at: i64| u32::try_from(at).expect("within the map");
        let ends = ends.map(|(along, _)| within(from + along));
        ValleyMouth { side: self.side, lines: lines.map(within), ends }
    }

    /// Returns the fall of a hillside high above a river: that of the single cells straight inward.
    fn fall_of_hillside(&self, along: i64) -> Fall {
        let section = ValleySection { lowest: along, ends: [0; 2], cells: Vec::new(), weight: 0.0 };
        let mut line = None;
        for rows in DEPTHS {
            let Some(longer) = self.fall_along(&section, rows, (0, false)) else { break };
            line = Some(longer);
            if longer.is_sure {
                break;
            }
        }
        let line = line.unwrap_or_else(|| self.fall_of_few(&self.row(0), along, [0; 2]));
        Fall { slope: line.slope, ..Fall::default() }
    }

    /// Returns the fall of the eight rows or fewer behind the edge, straight inward: the only fall
    /// if the ground ends sooner than a line needs.
    fn fall_of_few(&self, row: &ValleyRow, lowest: i64, most: [i64; 2]) -> LineFall {
        let over = self.over();
        let level = |row: &ValleyRow| row.level(lowest, most, over);
        let few = [8, 4, 2, 1].into_iter().find_map(|rows| {
            let rise = level(&self.row(rows)) - level(row);
            (!rise.is_nan()).then_some(rise / rows as f64)
        });
        let relief = self.ground.relief;
        let per_cell = relief.scale().unit_m() / relief.cell_width_m(0);
        let slope = few.unwrap_or(0.0) * per_cell;
        let is_likely = slope.abs() > UNSURE_MOST;
        LineFall { slope, rise: 0.0, is_sure: false, is_likely, lean: 0.0 }
    }

    /// Returns the cells along the edge, over `rows` rows, of the line along which sections stay
    /// alike; its steepness; and whether the mirrored line fits as well: then the one to the side
    /// `first` is given. `near` is the same over half of the rows. `None` if less than half of the
    /// sections exist.
    fn lean(
        &self,
        section: &ValleySection,
        rows: i64,
        (near, first): (i64, i64),
    ) -> Option<(i64, f64, bool)> {
        let rows_and_noise = (rows, units(NOISE_M, self.ground.relief.scale()));
        let alike = Alike { section, compared: self.compared(rows), rows_and_noise };
        let best = |(least, best): (f64, i64), by: i64| {
            let is_steep = by.abs() > STEEPEST * rows;
            let cost = if is_steep { f64::INFINITY } else { alike.cost(by, least) };
            if cost < least { (cost, by) } else { (least, best) }
        };
        // Around the line over fewer rows, from straight on outward, and finer around the best.
        let every = rows / LINE_ROWS;
        let both = |by: i64| [first * by, -first * by];
        let coarse = (0..=STEEPEST * LINE_ROWS).map(|n| n * every).flat_map(both);
        let around = |middle: i64, most: i64| (0..=most).flat_map(both).map(move |n| middle + n);
        let found = around(2 * near, every + ASIDE).fold((f64::INFINITY, 0), best);
        let found = coarse.fold(found, best);
        let (least, by) = around(found.1, every - 1).fold(found, best);
        let has_twin = || by != 0 && alike.cost(-by, f64::INFINITY) <= least;
        least.is_finite().then(|| (by, alike.steepness(by), has_twin()))
    }

    /// Returns the rows to compare with the section: from the far end, where lines are apart.
    fn compared(&self, rows: i64) -> Vec<(i64, ValleyRow)> {
        let inward = (1..=LIKE_ROWS).rev().map(|n| n * rows / LIKE_ROWS);
        inward.map(|inward| (inward, self.row(inward))).collect()
    }

    /// Returns the fall of the line that leans by `by` cells over `rows` rows, or up to a channel
    /// along the edge, if it is in no valley; `None` if less than half of it exists.
    fn fall_along(
        &self,
        section: &ValleySection,
        rows: i64,
        (by, is_valley): (i64, bool),
    ) -> Option<LineFall> {
        let relief = self.ground.relief;
        let line = self.places(section, rows, by);
        let channel = if is_valley { None } else { channel_along_edge(&line) };
        let near = channel.filter(|row| *row < rows).and_then(|row| {
            let near = self.places(section, row, 0);
            LineFall::of(&near, (0, row), SURE_BEFORE_CHANNEL, relief).filter(|near| near.is_sure)
        });
        near.or_else(|| LineFall::of(&line, (by, rows), SURE, relief))
    }

    /// Returns the places of the line that leans by `by` cells over `rows`: rows inward, and
    /// heights.
    fn places(&self, section: &ValleySection, rows: i64, by: i64) -> Vec<(i64, f64)> {
        let ValleySection { lowest, ends, .. } = *section;
        let over = self.over();
        // If the world ends beside the section, the section ends there for all rows: along an
        // outline of steps rows farther inward would reach lower and lower.
        let aside = ends.map(|end| end.min(ASIDE));
        let mut line = vec![(0, self.row(0).level(lowest, ends, over))];
        let count = LINE_ROWS.min(rows);
        for inward in (1..=count).map(|n| n * rows / count) {
            let row = self.row(inward);
            let middle = lowest + shift(by, inward, rows);
            let cells = row.lowest(middle, row.ends(middle, aside, over));
            line.extend(cells.map(|cells| {
                let [one, other] = cells.map(|cell| row.level(cell, ends, over));
                (inward, 0.5 * (one + other))
            }));
        }
        line
    }
}

/// Returns the cell `n` cells beyond a side of a cell.
fn moved((x, y): WorldCell, side: Side, n: i64) -> WorldCell {
    let (dx, dy) = side.offset();
    (x + n * i64::from(dx), y + n * i64::from(dy))
}

/// Returns the part of a flow that leaves through a side.
fn across([x, y]: [f64; 2], side: Side) -> f64 {
    let (dx, dy) = side.offset();
    x * f64::from(dx) + y * f64::from(dy)
}

/// Returns the cells by which a line that leans by `by` over `rows` has moved along after some
/// rows: half a cell is rounded outward.
fn shift(by: i64, inward: i64, rows: i64) -> i64 {
    // Division truncates towards 0, so a mirrored line gets the mirrored cells.
    (2 * by * inward + rows * by.signum()) / (2 * rows)
}
