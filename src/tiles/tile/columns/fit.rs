//! Fitting tables to finest beds and sills.
//!
//! ```text
//! stages     V(η) = mean of max(0, η − bed), turned round at the depths of the knots
//! openings   mean of max(0, η − sill) and of its power 5/3, at the stages of the knots
//! ```
//!
//! From 64 beds on they are counted in bins instead of sorted, and a bin is placed at the mean of
//! its beds. Bins are narrow low down, as the knots are.
//!
//! Guarantees: a table depends only on the set of beds or sills, not on their order
//!             (`the_order_of_beds_does_not_matter`).
//! Limits:     bins move a stage by up to 10⁻³ of the range of the beds, less than straight lines
//!             between knots do (`bins_hold_what_sorted_beds_hold`).

use crate::tile::columns::openings::OpeningTable;
use crate::tile::columns::stages::StageTable;
use crate::tile::columns::stages::{KNOTS, SEGMENTS};
use crate::tile::columns::{Openings, Stages, openings, stages};
use crate::units::{OUTSIDE, maths};

/// The largest value of a knot.
const WHOLE: f64 = 65_535.0;
/// Bins of beds.
const BINS: usize = 64;
/// The bit from which on a bin counts its beds; below is the sum of their heights, each below 2³¹,
/// of 2¹⁶ beds at most.
const COUNT_BIT: u32 = 47;

/// Beds of a cell that are counted together.
#[derive(Debug, Clone, Copy)]
struct BedGroup {
    /// Their count.
    count: f64,
    /// The sum of their heights over the lowest bed of the cell, vertical units.
    over: f64,
}

/// Makes tables of stages, again and again.
#[derive(Debug, Default)]
pub struct StageFit {
    groups: Vec<BedGroup>,
    bins: Vec<u32>,
}

impl StageFit {
    /// Makes the table of one cell from its finest beds, 2¹⁶ at most, in any order; beds inside the
    /// world are left, in another order. `bed` is their mean.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 65,535")]
    pub fn set(&mut self, stages: &mut Stages, cell: usize, bed: i32, beds: &mut Vec<i32>) {
        let count = beds.len() as f64;
        let (lowest, mut highest) = ends(beds);
        if highest == OUTSIDE {
            beds.retain(|&z| z != OUTSIDE);
            if beds.is_empty() {
                stages.cells[cell] = StageTable::FLAT;
                return;
            }
            (_, highest) = ends(beds);
        }
        let over = self.group(beds, lowest, highest) as f64;
        let inside = beds.len() as f64;
        let range = f64::from(highest) - f64::from(lowest);
        let full = ((inside * range - over) / count).max(1.0);
        let excess = (count - inside) / inside;
        let dry = f64::from(bed) - f64::from(lowest) + excess * full;
        let span = dry.max(0.0);
        let table = &mut stages.cells[cell];
        // Rounded up: from `full` on the stage rises as the depth, so the highest bed must be
        // covered.
        table.full = above(full);
        table.excess = excess as f32;
        table.span = span as f32;
        let per_span = WHOLE / span.max(1.0);
        let (mut wet, mut over, mut least) = (0.0, 0.0, WHOLE);
        let mut groups = self.groups.iter().copied().peekable();
        let mut knots = [0; KNOTS];
        for (knot, place) in knots.iter_mut().zip(stages::PLACES).take(SEGMENTS) {
            let depth = full * f64::from(place);
            // Over the lowest bed, the stage on the wet beds is (depth · count + over) / wet.
            let held = depth * count;
            // Multiplied out: `wet` is 0 at first, and the first group always joins.
            let is_wet = |next: &BedGroup, wet, over| (held + over) * next.count >= next.over * wet;
            while let Some(next) = groups.next_if(|next| is_wet(next, wet, over)) {
                wet += next.count;
                over += next.over;
            }
            let stage = (held + over) / wet;
            // At most the knot before, whatever the rounding: else two depths could have one stage.
            least = (per_span * (dry + depth - stage) + 0.5).clamp(0.0, least);
            *knot = least as u16;
        }
        table.knots = knots;
    }

    /// Groups the beds from the lowest up; returns the sum of their heights over the lowest.
    fn group(&mut self, beds: &mut [i32], lowest: i32, highest: i32) -> u64 {
        let height = |z: i32| u64::from(z.wrapping_sub(lowest).cast_unsigned());
        let group = |count: u64, over: u64| BedGroup { count: count as f64, over: over as f64 };
        self.groups.clear();
        if beds.len() < BINS {
            beds.sort_unstable();
            self.groups.extend(beds.iter().map(|&z| group(1, height(z))));
            return beds.iter().map(|&z| height(z)).sum();
        }
        let mut bins = binned(beds, lowest, highest, &mut self.bins);
        // The stage of a dry cell is its lowest bed.
        self.groups.push(group(1, 0));
        bins[0] -= 1 << COUNT_BIT;
        let heights = |bin: u64| bin & ((1 << COUNT_BIT) - 1);
        self.groups.extend(bins.iter().map(|&bin| group(bin >> COUNT_BIT, heights(bin))));
        bins.iter().map(|&bin| heights(bin)).sum()
    }
}

/// Returns the lowest and the highest bed.
fn ends(beds: &[i32]) -> (i32, i32) {
    beds.iter().fold((i32::MAX, i32::MIN), |(low, high), &z| (low.min(z), high.max(z)))
}

/// Counts the beds in bins; returns the count in each, and the sum of their heights over the
/// lowest.
fn binned(beds: &[i32], lowest: i32, highest: i32, bins: &mut Vec<u32>) -> [u64; BINS] {
    let last = (BINS - 1) as f32;
    let per_range = 1.0 / maths::max(highest.wrapping_sub(lowest) as f32, 1.0);
    let height = |z: i32| z.wrapping_sub(lowest);
    let bin = |&z: &i32| ((height(z) as f32 * per_range).sqrt() * last + TO_LAST_BITS).to_bits();
    bins.clear();
    bins.extend(beds.iter().map(bin));
    // Neighbours often share a bin: two sets, so that none waits for the one before it.
    let mut sets = [[0_u64; BINS]; 2];
    let put = |set: &mut [u64; BINS], z: i32, bin: u32| {
        // The last six bits are the number of the bin; the remainder drops the exponent above them.
        let bin = &mut set[bin as usize % BINS];
        *bin = bin.wrapping_add((1 << COUNT_BIT) + u64::from(height(z).cast_unsigned()));
    };
    let [even, odd] = &mut sets;
    for (beds, bins) in beds.chunks(2).zip(bins.chunks(2)) {
        put(even, beds[0], bins[0]);
        if beds.len() > 1 {
            put(odd, beds[1], bins[1]);
        }
    }
    std::array::from_fn(|i| sets[0][i] + sets[1][i])
}

/// Makes the table of one face from the sills of its finest places, in any order and changed; sills
/// outside the world are at [`OUTSIDE`]. A face whose sills are all outside is closed: an edit of
/// beds beside NoData can cut off the last place that was open.
#[expect(clippy::cast_possible_truncation, reason = "f32 holds what a table needs")]
pub fn set_openings(openings: &mut Openings, face: usize, sills: &mut [i32]) {
    sills.sort_unstable();
    let count = sills.len() as f64;
    let sills = &sills[..sills.partition_point(|&sill| sill != OUTSIDE)];
    let (Some(&lowest), Some(&highest)) = (sills.first(), sills.last()) else {
        openings.faces[face] = OpeningTable::CLOSED;
        return;
    };
    let wet = sills.len() as f64;
    let range = f64::from(highest) - f64::from(lowest);
    let per_range = 1.0 / range.max(1.0);
    // Over the range: sums of the wet depths and of their powers at the knots.
    let (mut sums, mut powers, mut over) = ([0.0_f32; KNOTS], [0.0_f32; KNOTS], 0.0);
    for &sill in sills {
        let height = f64::from(sill) - f64::from(lowest);
        over += height;
        let at = (height * per_range) as f32;
        for knot in 0..KNOTS {
            let depth = maths::max(openings::PLACES[knot] - at, 0.0);
            sums[knot] += depth;
            // x^(5/3) = x² · x^(−1/3), and 0 has no inverse root.
            let root = maths::inverse_cube_root(maths::max(depth, 1.0e-12));
            powers[knot] += depth * depth * root;
        }
    }
    let at_lowest = sills.partition_point(|&sill| sill == lowest) as f64;
    let table = &mut openings.faces[face];
    table.sill = lowest;
    table.top = highest;
    table.area = ((wet * range - over) / count) as f32;
    table.share = (wet / count) as f32;
    let per_count = (1.0 / count) as f32;
    let mut parts = [[0.0; 2]; KNOTS];
    for (knot, parts) in parts.iter_mut().enumerate() {
        let mean = powers[knot] / sums[knot];
        *parts = [per_count * sums[knot], mean * mean.sqrt()];
    }
    table.conveying = parts[SEGMENTS][1] * range as f32;
    // Knot 0 has the limits at the lowest sill: a/x tends to the part of sills at it, y/x to 1.
    parts[0] = [(at_lowest / count) as f32, 1.0];
    let knot = |k: usize| parts[k].map(|part| of_whole(part * PER_PLACE[k]));
    table.knots = std::array::from_fn(knot);
}

/// One over the places of the knots; 1 for the first.
const PER_PLACE: [f32; KNOTS] = {
    let (mut per_place, mut k) = ([1.0; KNOTS], 1);
    while k < KNOTS {
        per_place[k] = 1.0 / openings::PLACES[k];
        k += 1;
    }
    per_place
};

/// Returns a part from 0 to 1 in whole 65,535ths.
#[inline(always)]
#[expect(clippy::cast_possible_truncation, reason = "the last bits")]
fn of_whole(part: f32) -> u16 {
    (maths::min(part, 1.0) * WHOLE as f32 + TO_LAST_BITS).to_bits() as u16
}

/// Adding it rounds a number up to 2²² and leaves it in the last bits.
const TO_LAST_BITS: f32 = 8_388_608.0;

/// Returns `x` as an `f32` that is not below it.
#[expect(clippy::cast_possible_truncation, reason = "the nearest is looked at")]
fn above(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

#[cfg(test)]
mod tests;
