//! The heads of a group: what keeps full cells full, and what the water of the others comes to.
//!
//! ```text
//! S(H) + r Σ s H = h − r Σ (c − s' H')        for each node; r = Δt/Δ over all its passages
//! S(H) = max(0, H − floor) − share · (H between low and high)
//! ```
//!
//! S is the water that a head stands for: rising by less where a solid takes a share, not at all
//! where it is the roof. A projected red–black Gauss–Seidel solves one node after the other for
//! the heads of the others. What it leaves is no loss: only the transfers that follow count.
//!
//! Source: `prototypes/pressurised.py` of the design; Casulli & Stelling (2013), Int. J. Numer.
//!         Meth. Fluids 71, for piecewise linear storage.

use crate::sim::solids::group::Group;
use crate::sim::solids::law::Line;
use crate::sim::solids::region::{Node, larger, smaller};

/// Most sweeps over a group in a step.
const SWEEPS_MOST: u32 = 60;

/// Change of a head at which a sweep was the last, m.
const HEAD_STEADY_M: f64 = 2.0e-6;

impl Node {
    /// The head at which it holds a depth, m above the datum; the lowest where there are several.
    #[must_use]
    pub fn head_of(&self, depth: f64) -> f64 {
        self.solve(depth, 0.0)
    }

    /// The water that a head stands for, m.
    #[must_use]
    pub fn stored(&self, head: f64) -> f64 {
        let solid = larger(smaller(head, self.high) - self.low, 0.0);
        larger(head - self.floor, 0.0) - self.share * solid
    }

    /// Depth that it has room for below its roof, m.
    #[must_use]
    pub fn room(&self) -> f64 {
        self.roof() - self.floor
    }

    /// The head H with `S(H) + pull · H = level`.
    #[must_use]
    pub fn solve(&self, level: f64, pull: f64) -> f64 {
        let Self { floor, low, high, share, .. } = *self;
        let dry = pull * floor;
        if level <= dry {
            return if pull > 0.0 { level / pull } else { floor };
        }
        let below = (level + floor) / (1.0 + pull);
        if share == 0.0 || below <= low {
            return below;
        }
        let steep = 1.0 - share + pull;
        let beside = if steep > 0.0 { (level + floor - share * low) / steep } else { low };
        if beside <= high {
            return beside;
        }
        (level + floor + share * (high - low)) / (1.0 + pull)
    }
}

/// Numbers from which a group's heads are found.
#[derive(Debug)]
pub struct Problem<'a> {
    /// The group's nodes.
    pub nodes: &'a [Node],
    /// Lines of the group's passages.
    pub lines: &'a [Line],
    /// Depths of the group's nodes, m.
    pub depths: &'a [f64],
    /// Δt/Δ, s/m.
    pub ratio: f64,
    /// Highest head that there may be, m above the datum.
    pub most: f64,
}

impl Group {
    /// Finds its heads.
    pub fn find_heads(&mut self, problem: &Problem<'_>) {
        let Problem { nodes, lines, depths, ratio, most } = *problem;
        let Self { heads, order, holds, first_hold, .. } = self;
        for sweep in 1..=SWEEPS_MOST {
            let mut change = 0.0;
            for &at in &*order {
                let holds = &holds[first_hold[at.index()]..first_hold[at.index() + 1]];
                let (mut pull, mut level) = (0.0, depths[at]);
                for hold in holds {
                    let line = &lines[hold.passage];
                    let other = heads[hold.other];
                    let [own, beyond] = if hold.is_before {
                        level -= ratio * line.constant;
                        line.slopes
                    } else {
                        level += ratio * line.constant;
                        [line.slopes[1], line.slopes[0]]
                    };
                    pull += ratio * own;
                    level += ratio * beyond * other;
                }
                if holds.is_empty() {
                    continue;
                }
                let node = &nodes[at];
                let head = smaller(node.solve(level, pull), larger(most, node.floor));
                change = larger((head - heads[at]).abs(), change);
                heads[at] = head;
            }
            self.sweeps = sweep;
            if change <= HEAD_STEADY_M {
                break;
            }
        }
    }
}
