//! Leaves in which structures move water, besides the kernel.

use crate::grid::LeafId;
use crate::sim::state::SimulationState;

/// Returns the leaves at the ends of links, at barriers, and with bodies or intervals.
pub(super) fn with_structures(state: &SimulationState) -> impl Iterator<Item = LeafId> {
    let SimulationState { links, barriers, .. } = state;
    let ends = links.all().iter().flat_map(|link| link.ends().map(|end| end.leaf));
    ends.chain(barriers.seen()).chain(with_bodies(state))
}

/// Returns the leaves with bodies or intervals, which also move the water of neighbours.
pub(super) fn with_bodies(state: &SimulationState) -> impl Iterator<Item = LeafId> {
    let SimulationState { leaves, solids, stacks, .. } = state;
    let has_stack = |leaf: &LeafId| leaves.own[*leaf].stack.is_some();
    let stacked = leaves.forest.ids().filter(has_stack);
    let stacked = (!stacks.is_empty()).then_some(stacked).into_iter().flatten();
    solids.region.by_leaf.leaves().chain(stacked)
}
