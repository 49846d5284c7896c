//! The heads of a group: the pressure of full cells, and the stages of all further water.
//!
//! ```text
//! S(H) + r Σ s H = h − r Σ (c − s' H')        for each node; r = Δt/Δ over all its passages
//! S(H) = max(0, H − floor) − share · (H between low and high)
//! ```
//!
//! S is the water at a head: it rises by less where a solid takes a share, and not at all at the
//! roof. A projected red–black Gauss–Seidel solves one node after the next, under the present heads
//! of its neighbours; if many full nodes are connected, conjugate gradients (`sim/gradients.rs`)
//! correct all heads at once. A remaining error is no loss: only the transfers that follow count.
//!
//! Source: `prototypes/pressurised.py` and `stacked_columns.py` of the design; Casulli & Stelling
//!         (2013), Int. J. Numer. Meth. Fluids 71, for piecewise linear storage.

use crate::sim::gradients::{
    Coupling, DIAGONAL_OVER, RowGroup, SystemRow, connected, count_u32, places,
};
use crate::sim::solids::group::{OwnNode, PassageIncidence, SolidGroup};
use crate::sim::solids::law::DischargeLine;
use crate::sim::solids::region::{SolidNode, larger, smaller};

/// Sweeps before the first correction, and after each.
const SWEEPS_FIRST: u32 = 8;
const SWEEPS_BETWEEN: u32 = 3;

/// Most corrections of all heads together in a step.
const CORRECTIONS_MOST: u32 = 6;

/// Depth by which nodes may be off when a search ends, m.
const RESIDUAL_M: f64 = 2.5e-7;

/// Square of the waves' Courant number, over all faces of a cell, up to which they are slow.
const SLOW_MOST: f64 = 0.5;

/// Change of a head at which a sweep was the last, m.
const HEAD_STEADY_M: f64 = 2.0e-6;

impl SolidNode {
    /// Returns the head at which the node contains a depth, m above the datum; the lowest of
    /// several.
    #[must_use]
    pub fn head_of(&self, depth: f64) -> f64 {
        self.solve(depth, 0.0)
    }

    /// Returns the water at a head, m.
    #[must_use]
    pub fn stored(&self, head: f64) -> f64 {
        let solid = larger(smaller(head, self.high) - self.low, 0.0);
        larger(head - self.floor, 0.0) - self.share * solid
    }

    /// Returns true for open water at the end of a tunnel whose waves are slow for the step: its
    /// head is the present one, as that of cells in the kernels. A future head would damp the
    /// oscillation through the tunnel by (ωΔt)²/2 in each step.
    fn is_slow(&self, balance: &NodeEquation) -> bool {
        balance.is_well && self.share == 0.0 && balance.pull <= SLOW_MOST
    }

    /// Returns the water for each metre of a head.
    fn rise(&self, head: f64) -> f64 {
        match head {
            head if head <= self.floor => 0.0,
            head if head > self.low && head <= self.high => 1.0 - self.share,
            _ => 1.0,
        }
    }

    /// Returns the depth that still fits below its roof, m.
    #[must_use]
    pub fn room(&self) -> f64 {
        self.roof() - self.floor
    }

    /// Returns the head H with `S(H) + pull · H = level`.
    #[must_use]
    pub fn solve(&self, level: f64, pull: f64) -> f64 {
        let Self { floor, low, high, share, .. } = *self;
        let dry = pull * floor;
        // S = 0 up to the floor.
        if level <= dry {
            return if pull > 0.0 { level / pull } else { floor };
        }
        let below = (level + floor) / (1.0 + pull); // S = H − floor
        if share == 0.0 || below <= low {
            return below;
        }
        let steep = 1.0 - share + pull; // S = H − floor − share (H − low)
        // A full node without an outlet may have any head from the roof up: it gets the lowest.
        let beside = if steep > 0.0 { (level + floor - share * low) / steep } else { low };
        if beside <= high {
            return beside;
        }
        // S = H − floor − share (high − low)
        (level + floor + share * (high - low)) / (1.0 + pull)
    }
}

/// Numbers from which a group's heads are found.
#[derive(Debug)]
pub struct Problem<'a> {
    /// The group's nodes.
    pub nodes: &'a [SolidNode],
    /// Lines of the group's passages.
    pub lines: &'a [DischargeLine],
    /// Depths of the group's nodes, m.
    pub depths: &'a [f64],
    /// Δt/Δ, s/m.
    pub ratio: f64,
    /// Highest head allowed, m above the datum.
    pub most: f64,
}

/// A node's equation under given heads of its neighbours.
struct NodeEquation {
    /// Σ r s over its passages.
    pull: f64,
    /// Depth that the node would have at a head of 0 of its own, m.
    level: f64,
    /// Whether a passage leads under a roof.
    is_well: bool,
}

impl SolidGroup {
    /// Finds its heads: sweeps, which are all that few cells need; if many full ones are connected,
    /// corrections of all heads at once, with sweeps between.
    pub fn find_heads(&mut self, problem: &Problem<'_>) {
        self.sweeps = 0;
        let mut is_found = (0..SWEEPS_FIRST).any(|_| self.sweep_heads(problem) <= HEAD_STEADY_M);
        for _ in 0..CORRECTIONS_MOST {
            if is_found {
                return;
            }
            self.correct_heads(problem);
            is_found = (0..SWEEPS_BETWEEN).any(|_| self.sweep_heads(problem) <= HEAD_STEADY_M);
        }
    }

    fn balance(&self, at: OwnNode, problem: &Problem<'_>) -> Option<NodeEquation> {
        let Problem { nodes, lines, depths, ratio, .. } = *problem;
        let holds = self.holds_of(at);
        let mut balance = NodeEquation { pull: 0.0, level: depths[at], is_well: false };
        for hold in holds {
            let line = &lines[hold.passage];
            let [own, beyond] = if hold.is_before {
                balance.level -= ratio * line.constant;
                line.slopes
            } else {
                balance.level += ratio * line.constant;
                [line.slopes[1], line.slopes[0]]
            };
            balance.pull += ratio * own;
            balance.is_well |= own > 0.0 && nodes[hold.other].roof().is_finite();
            balance.level += ratio * beyond * self.heads[hold.other];
        }
        (!holds.is_empty()).then_some(balance)
    }

    /// Returns the passages of a node.
    pub(super) fn holds_of(&self, at: OwnNode) -> &[PassageIncidence] {
        &self.holds[self.first_hold[at.index()]..self.first_hold[at.index() + 1]]
    }

    /// Runs one sweep; returns the largest change of a head, m.
    fn sweep_heads(&mut self, problem: &Problem<'_>) -> f64 {
        let mut change = 0.0;
        // In place, so the order decides the bits: threads share groups out, not the nodes of one.
        for number in 0..self.order.len() {
            let at = self.order[number];
            let Some(balance) = self.balance(at, problem) else { continue };
            let NodeEquation { pull, level, .. } = balance;
            let node = &problem.nodes[at];
            if node.is_slow(&balance) {
                continue;
            }
            let head = smaller(node.solve(level, pull), larger(problem.most, node.floor));
            change = larger((head - self.heads[at]).abs(), change);
            self.heads[at] = head;
        }
        self.sweeps += 1;
        change
    }

    /// Corrects all heads together, within the linear range of the equations.
    fn correct_heads(&mut self, problem: &Problem<'_>) {
        let nodes = OwnNode::all(self.heads.len());
        let rows: Vec<Option<SystemRow>> = nodes.map(|at| self.row(at, problem)).collect();
        for group in self.row_groups(&rows, problem) {
            // Nothing is spared: water that a solid presses and that has no way out gets the
            // highest head allowed, and so bears the solid.
            for (row, change) in group.rows.iter().zip(group.solve(RESIDUAL_M, 0.0)) {
                let at = row.place as usize;
                let node = &problem.nodes[at];
                let head = smaller(self.heads[at] + change, larger(problem.most, node.floor));
                self.heads[at] = if node.share < 1.0 { head } else { larger(head, node.floor) };
            }
        }
    }

    /// Returns the row of a node; `None` if its head stays.
    fn row(&self, at: OwnNode, problem: &Problem<'_>) -> Option<SystemRow> {
        let balance = self.balance(at, problem)?;
        let (node, head) = (&problem.nodes[at], self.heads[at]);
        if node.is_slow(&balance) {
            return None;
        }
        let NodeEquation { pull, level, .. } = balance;
        // Without free water only differences of heads count, and the matrix would be singular.
        let diagonal = node.rise(head) + pull * (1.0 + DIAGONAL_OVER);
        let rest = level - node.stored(head) - pull * head;
        (diagonal > 0.0).then(|| SystemRow { place: count_u32(at.index()), diagonal, rest })
    }

    /// Returns the rows that a row meets, and how strongly: once for each passage.
    fn couplings(
        &self,
        row: u32,
        rows: &[Option<SystemRow>],
        problem: &Problem<'_>,
    ) -> impl Iterator<Item = Coupling> {
        self.holds_of(OwnNode::new(row as usize)).iter().filter_map(move |hold| {
            let [first, second] = problem.lines[hold.passage].slopes;
            // A passage that one side does not restrain acts on one side only.
            let weight = problem.ratio * smaller(first, second);
            let other = hold.other.index();
            (weight > 0.0 && rows[other].is_some()).then(|| (count_u32(other), weight))
        })
    }

    /// Returns the systems of connected rows.
    fn row_groups(&self, rows: &[Option<SystemRow>], problem: &Problem<'_>) -> Vec<RowGroup> {
        let is_in = |row: u32| rows[row as usize].is_some();
        let beside = |row| self.couplings(row, rows, problem).map(|(other, _)| other);
        let members = connected(rows.len(), is_in, beside);
        let place = places(&members, rows.len());
        let group = |members: &Vec<u32>| self.row_group(members, &place, rows, problem);
        members.iter().map(group).collect()
    }

    /// Returns the system of some rows; `place` contains that of each in its group.
    fn row_group(
        &self,
        members: &[u32],
        place: &[u32],
        rows: &[Option<SystemRow>],
        problem: &Problem<'_>,
    ) -> RowGroup {
        let mut group = RowGroup::with_room(members.len());
        let mut others: Vec<Coupling> = Vec::new();
        for &row in members {
            let couplings = self.couplings(row, rows, problem);
            others.extend(couplings.map(|(other, weight)| (place[other as usize], weight)));
            // Those that lead to one row stay in the order of their passages: so both rows have the
            // same bits of their sum.
            others.sort_by_key(|(other, _)| *other);
            others.dedup_by(|next, first| {
                let is_same = next.0 == first.0;
                first.1 += if is_same { next.1 } else { 0.0 };
                is_same
            });
            group.push(rows[row as usize].expect("a member has a row"), others.drain(..));
        }
        group
    }
}
