//! Slope of a line of places from an edge inward.

use crate::units::VerticalScale;
use crate::world::relief::Relief;

/// Rows of which a line is made.
pub(super) const LINE_ROWS: i64 = 16;
/// Differences of sections that are noise, m.
pub(super) const NOISE_M: f64 = 1.0e-3;
/// Scatters by which the ends of a line differ at least if its fall is no noise: a line through 17
/// rows of pure noise passes it once in some thousand cases.
const SURE: f64 = 4.0;
/// Standard deviations of a normal distribution in its median deviation.
const PER_MEDIAN: f64 = 1.4826;
/// Most fall that is believed of a line that may be noise.
pub(super) const UNSURE_MOST: f64 = 1.0e-3;

/// Fall along a line inward.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LineFall {
    pub slope: f64,
    /// Vertical units by which it rises from its lowest place to the edge, 0 where it falls.
    pub rise: f64,
    /// The fall is no noise.
    pub is_sure: bool,
    /// The fall is more than the scatter: noise passes that in one of ten cases.
    pub is_likely: bool,
    /// Cells along the edge for each row inward.
    pub lean: f64,
    /// Whether the line ends at a channel along the edge: a longer one shows but the far bank.
    pub is_before_bank: bool,
}

impl LineFall {
    /// Fall of a line of places, each so many rows inward and so high, in vertical units, which
    /// leans by so many cells over so many rows, in a valley or not. `None` if less than half of it
    /// is there.
    pub fn of(
        mut line: Vec<(i64, f64)>,
        (by, rows, is_valley): (i64, i64, bool),
        relief: &Relief,
    ) -> Option<Self> {
        if line.len() as i64 <= LINE_ROWS / 2 {
            return None;
        }
        let near = if is_valley { line.len() } else { before_far_bank(&line) };
        let is_before_bank = near < line.len();
        line.truncate(near);
        let span = line.last().map_or(0.0, |(inward, _)| *inward as f64);
        let pairs =
            line.iter().enumerate().flat_map(|(n, a)| line[n + 1..].iter().map(move |b| (a, b)));
        let fall = median(pairs.map(|(a, b)| (b.1 - a.1) / (b.0 - a.0) as f64).collect());
        let rests: Vec<f64> = line.iter().map(|&(inward, z)| z - fall * inward as f64).collect();
        let middle = median(rests.clone());
        let away = median(rests.into_iter().map(|rest| (rest - middle).abs()).collect());
        let scatter = PER_MEDIAN * away + units(NOISE_M, relief.scale());
        let [is_sure, is_likely] = [SURE, 1.0].map(|most| fall.abs() * span >= most * scatter);
        // Places chosen for their falling seem surer than they are.
        let is_sure = is_sure && !is_before_bank;
        let lean = by as f64 / rows as f64;
        let per_cell = relief.scale().unit_m() / relief.cell_width_m(0);
        let slope = fall * per_cell / (1.0 + lean * lean);
        let most = if is_sure { f64::INFINITY } else { UNSURE_MOST };
        // No more than the median slope gives: a pit on the line counts for little.
        let depth = line.iter().map(|(_, z)| line[0].1 - z).fold(0.0, f64::max);
        let rise = depth.min((0.0 - fall * span).max(0.0));
        let slope = slope.clamp(-most, most);
        Some(Self { slope, rise, is_sure, is_likely, lean, is_before_bank })
    }
}

/// Places of a line, from the edge inward, up to a channel that runs along the edge, if the ground
/// falls to it steadily over as many places as make a line; else all. The bank beyond says nothing
/// of the edge.
fn before_far_bank(line: &[(i64, f64)]) -> usize {
    let lowest = (0..line.len()).min_by(|&a, &b| line[a].1.total_cmp(&line[b].1)).unwrap_or(0);
    let near = &line[..=lowest];
    let pairs =
        near.iter().enumerate().flat_map(|(n, a)| near[n + 1..].iter().map(move |b| (a, b)));
    let (all, falling) =
        pairs.fold((0, 0), |(all, falling), (a, b)| (all + 1, falling + usize::from(a.1 > b.1)));
    // Of noise half of the pairs fall; houses in the first rows disturb one in five.
    let is_steady = 5 * falling >= 4 * all;
    if near.len() as i64 > LINE_ROWS / 2 && is_steady { near.len() } else { line.len() }
}

/// The median, the upper one of two.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// Vertical units of a height.
pub(super) fn units(metres: f64, scale: VerticalScale) -> f64 {
    metres * scale.units_per_m()
}
