//! Slope of a line of places from an edge inward.

use crate::world::relief::WorldRelief;
use thalweg_engine::units::VerticalScale;

/// Number of rows in a line.
pub(super) const LINE_ROWS: i64 = 16;
/// Differences of sections that are noise, m.
pub(super) const NOISE_M: f64 = 1.0e-3;
/// Scatters by which the ends of a line differ at least if its fall is significant: a line through
/// 17 rows of pure noise passes it once in some thousand cases.
pub(super) const SURE: f64 = 4.0;
/// Scatters likewise before a channel along the edge, which the steady fall to it and the rise
/// behind it make sure.
pub(super) const SURE_BEFORE_CHANNEL: f64 = 1.0;
/// Fewest places behind a channel that make a bank: six of noise rise so in one of thirty cases.
const FAR_BANK: usize = 6;
/// Standard deviations of a normal distribution in its median deviation.
const PER_MEDIAN: f64 = 1.4826;
/// Most fall that is believed of a line that may be noise.
pub(super) const UNSURE_MOST: f64 = 1.0e-3;

/// Fall along a line inward.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineFall {
    pub slope: f64,
    /// Vertical units by which it rises from its lowest place to the edge, 0 if it falls.
    pub rise: f64,
    /// True if the fall is significant, not noise.
    pub is_sure: bool,
    /// The fall is more than the scatter: noise passes that in one of ten cases.
    pub is_likely: bool,
    /// Cells along the edge for each row inward.
    pub lean: f64,
}

impl LineFall {
    /// Returns the fall of a line of places: rows inward, and height in vertical units. The line
    /// leans by `by` cells along the edge over `rows`. Its fall is sure if its ends differ by
    /// `sure` times the scatter. `None` if less than half of the line exists.
    pub fn of(
        line: &[(i64, f64)],
        (by, rows): (i64, i64),
        sure: f64,
        relief: &WorldRelief,
    ) -> Option<Self> {
        if line.len() as i64 <= LINE_ROWS / 2 {
            return None;
        }
        let pairs =
            line.iter().enumerate().flat_map(|(n, a)| line[n + 1..].iter().map(move |b| (a, b)));
        let fall = median(pairs.map(|(a, b)| (b.1 - a.1) / (b.0 - a.0) as f64).collect());
        let rests: Vec<f64> = line.iter().map(|&(inward, z)| z - fall * inward as f64).collect();
        let middle = median(rests.clone());
        let away = median(rests.into_iter().map(|rest| (rest - middle).abs()).collect());
        // Without NOISE_M, level ground that does not scatter would have a sure fall of 0 (0 ≥ 0).
        let scatter = PER_MEDIAN * away + units(NOISE_M, relief.scale());
        let [is_sure, is_likely] =
            [sure, 1.0].map(|most| fall.abs() * rows as f64 >= most * scatter);
        let lean = by as f64 / rows as f64;
        let per_cell = relief.scale().unit_m() / relief.cell_width_m(0);
        // 1 / (1 + lean²) = cos² θ, θ between the line and the normal of the edge: one cos θ for
        // the longer way along it, one for the part of its fall that points outward.
        let slope = fall * per_cell / (1.0 + lean * lean);
        let most = if is_sure { f64::INFINITY } else { UNSURE_MOST };
        // No more than the median slope gives: a pit on the line counts for little.
        let depth = line.iter().map(|(_, z)| line[0].1 - z).fold(0.0, f64::max);
        let rise = depth.min((0.0 - fall * rows as f64).max(0.0));
        Some(Self { slope: slope.clamp(-most, most), rise, is_sure, is_likely, lean })
    }
}

/// Returns the row of a channel that runs along the edge, if the ground falls steadily to it and
/// rises steadily behind it: the bank beyond has no bearing on the edge.
pub(super) fn channel_along_edge(line: &[(i64, f64)]) -> Option<i64> {
    let lowest = (0..line.len()).min_by(|&a, &b| line[a].1.total_cmp(&line[b].1))?;
    let (near, far) = (&line[..=lowest], &line[lowest + 1..]);
    let is_channel = far.len() >= FAR_BANK && is_steady(near, -1.0) && is_steady(far, 1.0);
    is_channel.then_some(line[lowest].0)
}

/// Whether places rise, times a sign, one behind the other: four of five pairs. In noise half of
/// the pairs rise; houses in the first rows disturb one in five.
fn is_steady(line: &[(i64, f64)], sign: f64) -> bool {
    let pairs =
        line.iter().enumerate().flat_map(|(n, a)| line[n + 1..].iter().map(move |b| (a, b)));
    let (all, rising) = pairs.fold((0, 0), |(all, rising), (a, b)| {
        (all + 1, rising + usize::from(sign * (b.1 - a.1) > 0.0))
    });
    5 * rising >= 4 * all
}

/// Returns the median, the upper one of two.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Converts a height to vertical units.
pub(super) fn units(metres: f64, scale: VerticalScale) -> f64 {
    metres * scale.units_per_m()
}
