//! Merging of several solids in one cell.
//!
//! ```text
//! side by side   share more than half of the thinner one's height:
//!   ▐▌▐▌         shares add up while there is room, heights are means; what finds no room makes
//!                them taller, up to the hull
//! stacked        the rest, with what is between them:
//!   ▀▀           the largest share, and as tall as holds all of it; gaps of more than half a
//!   ▄▄▄          cell are counted
//! ```
//!
//! Guarantees: share times height is the sum over the solids and the gaps, while their shares fit
//!             in the cell and they do not overlap; the same in any order.
//! Limits:     flow between stacked solids is blocked.
//! Source:     own.

use crate::body::cover::CoveredPart;

/// Solids side by side.
#[derive(Debug, Clone, Copy)]
struct PileGroup {
    /// Sum of shares.
    share: f64,
    /// Sums of share times underside, and times top.
    ends: [f64; 2],
    hull: [f64; 2],
}

impl PileGroup {
    fn of(part: &CoveredPart) -> Self {
        let ends = [part.share * part.low, part.share * part.high];
        Self { share: part.share, ends, hull: [part.low, part.high] }
    }

    fn add(&mut self, part: &CoveredPart) {
        self.share += part.share;
        self.ends[0] += part.share * part.low;
        self.ends[1] += part.share * part.high;
        self.hull = [self.hull[0].min(part.low), self.hull[1].max(part.high)];
    }

    /// True if a part above the group's lowest is beside it rather than on it.
    fn is_beside(&self, part: &CoveredPart) -> bool {
        let thickness = ((self.ends[1] - self.ends[0]) / self.share).min(part.high - part.low);
        // Parts come in the order of their undersides, so the overlap begins at `part.low`.
        self.hull[1].min(part.high) - part.low > 0.5 * thickness
    }

    fn part(&self) -> CoveredPart {
        let [low, high] = self.ends.map(|end| end / self.share);
        if self.share <= 1.0 {
            return CoveredPart { share: self.share, low, high };
        }
        let height = ((high - low) * self.share).min(self.hull[1] - self.hull[0]);
        let low = (0.5 * (low + high - height)).min(self.hull[1] - height).max(self.hull[0]);
        CoveredPart { share: 1.0, low, high: low + height }
    }
}

/// Merges all parts of a cell; also returns the number of closed gaps higher than `gap`.
///
/// # Panics
///
/// If `parts` is empty.
pub(super) fn piled(parts: &mut [CoveredPart], gap: f64) -> (CoveredPart, u32) {
    if let [part] = parts {
        return (*part, 0);
    }
    // By all three numbers, so that sums of floats have the same bits in any order of bodies.
    parts.sort_unstable_by(|a, b| {
        let by = |part: &CoveredPart| [part.low, part.high, part.share];
        let pairs = by(a).into_iter().zip(by(b));
        pairs
            .map(|(a, b)| a.total_cmp(&b))
            .find(|order| order.is_ne())
            .unwrap_or(a.share.total_cmp(&b.share))
    });
    let mut stack = Stack::default();
    let mut group = PileGroup::of(&parts[0]);
    for part in &parts[1..] {
        if group.is_beside(part) {
            group.add(part);
        } else {
            stack.put(&group.part(), gap);
            group = PileGroup::of(part);
        }
    }
    stack.put(&group.part(), gap);
    (stack.part(), stack.closed)
}

/// Solids on top of each other.
#[derive(Debug, Clone, Copy, Default)]
struct Stack {
    lowest: Option<CoveredPart>,
    /// Highest top so far.
    top: f64,
    share: f64,
    /// Sum of share times height.
    volume: f64,
    gaps: f64,
    closed: u32,
}

impl Stack {
    fn put(&mut self, part: &CoveredPart, gap: f64) {
        if self.lowest.is_some() {
            let between = (part.low - self.top).max(0.0);
            self.gaps += between;
            self.closed += u32::from(between > gap);
            self.top = self.top.max(part.high);
        } else {
            self.lowest = Some(*part);
            self.top = part.high;
        }
        self.share = self.share.max(part.share);
        self.volume += part.share * (part.high - part.low);
    }

    fn part(&self) -> CoveredPart {
        let lowest = self.lowest.expect("something was put on it");
        // Over the largest share, the lowest part keeps its volume and its top.
        let low = lowest.high - (lowest.high - lowest.low) * lowest.share / self.share;
        CoveredPart { share: self.share, low, high: low + self.volume / self.share + self.gaps }
    }
}
