//! Bounds of confined water, between solids and in intervals: the water of donors, and the highest
//! head.

/// Largest rise of a head by an impact, as a part of the height of the water.
const IMPACT_MOST: f64 = 0.5;

/// Returns the highest head that water may have which is stopped at once: above the highest still
/// water by `impact`, the velocity head of the impact, and by no more than half of the height from
/// `low`, the lowest bed, to `high`, that water; all in the same unit. The impact is ∞ if its speed
/// is unknown.
// Without a bound, water that cannot yield would push without end, as no real water does.
pub(super) fn highest(high: f64, low: f64, impact: f64) -> f64 {
    high + impact.min(IMPACT_MOST * (high - low).max(0.0))
}

/// A passage at a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodePassage {
    /// Place of the passage among the transfers.
    pub at: usize,
    /// Whether the node is west or south of it: a positive transfer leaves the node.
    pub is_before: bool,
}

impl NodePassage {
    /// Returns the units that leave the node, 0 or more.
    fn out(self, moved: &[i32]) -> i64 {
        let units = i64::from(moved[self.at]);
        if self.is_before { units.max(0) } else { (-units).max(0) }
    }
}

/// Cuts the transfers out of a node, each by the same part, to the water of the node. All are in
/// vertical units.
pub(super) fn share_out(
    has: i32,
    moved: &mut [i32],
    passages: impl Iterator<Item = NodePassage> + Clone,
) {
    let all: i64 = passages.clone().map(|passage| passage.out(moved)).sum();
    let has = i64::from(has);
    if all <= has {
        return;
    }
    for passage in passages {
        // Rounded down: together the passages take no more than the node has. Both factors are
        // below 2³¹.
        let less = passage.out(moved) * has / all;
        if less < passage.out(moved) {
            let units = &mut moved[passage.at];
            *units = i32::try_from(less).expect("less than it was") * units.signum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_impact_raises_heads_by_half_of_the_depth_at_most() {
        for (high, low, impact, expected) in [
            (4.0, 2.0, 0.25, 4.25),
            (4.0, 2.0, 9.0, 5.0),
            (4.0, 2.0, f64::INFINITY, 5.0),
            (4.0, 4.0, 1.0, 4.0),
            (4.0, 7.0, f64::INFINITY, 4.0), // no wet node: the lowest bed is not set
        ] {
            let found: f64 = highest(high, low, impact);
            assert_eq!(found.to_bits(), f64::to_bits(expected), "{high} over {low} m");
        }
    }

    /// Goal: a node gives its water at most, and inflows stay. Method: nodes with four passages,
    /// two of them on each side.
    #[test]
    fn transfers_out_of_a_node_fit_into_its_water() {
        let passages = [(0, true), (1, true), (2, false), (3, false)];
        let passages = passages.map(|(at, is_before)| NodePassage { at, is_before });
        for (has, before, after) in [
            (100, [30, 20, -50, 7], [30, 20, -50, 7]),
            (50, [30, 20, -50, 7], [15, 10, -25, 7]),
            (10, [7, -9, -7, 0], [5, -9, -5, 0]),
            (0, [1, -1, -1, 1], [0, -1, 0, 1]),
            (i32::MAX, [i32::MAX, 0, -i32::MAX, 0], [i32::MAX / 2, 0, -(i32::MAX / 2), 0]),
        ] {
            let mut moved = before;
            share_out(has, &mut moved, passages.into_iter());
            assert_eq!(moved, after, "{before:?} of {has}");
        }
    }
}
