//! Parts of a simulation that follow from its state, rebuilt and compared with those it keeps.
//!
//! Guarantees: the comparison changes nothing; each difference is one sentence.
//! Limits:     cells and passages among solids are compared by place, bed and count.

use crate::forest::Forest;
use crate::grid::LeafId;
use crate::sim::activity::Activity;
use crate::sim::barriers::{Barriers, ClosedFace};
use crate::sim::forcing::InflowCell;
use crate::sim::simulation::Simulation;
use crate::sim::solids::SolidField;
use crate::sim::stacks::StackNet;
use crate::sim::state::SimulationState;
use crate::sim::state_hash::leaf_hash;
use std::fmt::Display;

/// Adds a sentence if kept values differ from rebuilt values.
pub fn compare<T: PartialEq>(what: impl Display, kept: &T, made: &T, found: &mut Vec<String>) {
    if kept != made {
        found.push(format!("{what}: the kept values differ from values made again of the state"));
    }
}

impl Simulation {
    /// Returns a sentence for each difference between the parts that the simulation keeps beside
    /// its state and the same parts rebuilt. Empty if all is well.
    #[must_use]
    pub fn stale(&self) -> Vec<String> {
        let (state, params) = (self.state(), self.params());
        let mut found = Vec::new();
        let leaves = &state.leaves;
        let forest = Forest::of_leaves(leaves.forest.base(), leaves.forest.leaves().to_vec());
        for leaf in forest.ids() {
            let key = forest.leaves()[leaf];
            let beside = [&leaves.forest, &forest].map(|forest| forest.beside(leaf));
            compare(format_args!("neighbours of {key:?}"), beside[0], beside[1], &mut found);
            if leaves.scratch[leaf].hash.get().is_some_and(|&kept| kept != leaf_hash(leaves, leaf))
            {
                found.push(format!("{key:?}: its hash is that of another state"));
            }
        }
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let n2: Vec<f32> = params.settings.manning_n.iter().map(|n| (n * n) as f32).collect();
        compare("squares of Manning's n", &params.n2, &n2, &mut found);
        let mut again = params.clone();
        again.hash_setup(&state.forcing);
        compare("hash of the setup", &params.setup_hash, &again.setup_hash, &mut found);
        self.compare_awake(&mut found);
        compare_barriers(state, &mut found);
        compare_ends(state, &mut found);
        self.compare_shares(&mut found);
        self.compare_stacks(&mut found);
        self.compare_solids(&mut found);
        found
    }

    /// Compares the lists of leaves that are awake.
    fn compare_awake(&self, found: &mut Vec<String>) {
        let SimulationState { leaves, activity, .. } = self.state();
        // `list_awake` makes as many lists as there are speeds.
        let mut again = Activity { speeds: activity.speeds.clone(), ..Activity::default() };
        again.list_all_awake(leaves);
        compare("leaves awake", &activity.awake, &again.awake, found);
        compare("leaves beside finer ones", &activity.coarse_sides, &again.coarse_sides, found);
    }

    /// Compares the cells of inflows, and the shares of leaves in them.
    fn compare_shares(&self, found: &mut Vec<String>) {
        let SimulationState { leaves, forcing, .. } = self.state();
        let mut again = vec![Vec::new(); leaves.count()];
        for (inflow, source) in (0..).zip(&forcing.inflows) {
            for (rank, &place) in (0_u32..).zip(&source.places) {
                let (leaf, cell) = leaves.forest.locate(place).expect("a place inside");
                let cells_log2 = 2 * (leaves.forest.leaves()[leaf].level - leaves.forest.base());
                let cell = u16::try_from(cell).expect("4096 cells");
                let kept = source.cells[rank as usize];
                compare(format_args!("cells of inflow {inflow:?}"), &kept, &(leaf, cell), found);
                again[leaf.index()].push(InflowCell { inflow, cell, rank, cells_log2 });
            }
        }
        for (leaf, again) in leaves.forest.ids().zip(&again) {
            let key = leaves.forest.leaves()[leaf];
            compare(
                format_args!("shares of inflows in {key:?}"),
                &leaves.scratch[leaf].shares,
                again,
                found,
            );
        }
    }

    /// Compares the net of intervals, if the next cycle would continue with it.
    fn compare_stacks(&self, found: &mut Vec<String>) {
        let SimulationState { leaves, stacks, .. } = self.state();
        if stacks.made_for() != Some(leaves.shapes) {
            return;
        }
        let mut again = StackNet::default();
        again.begin(leaves, self.params());
        compare("intervals, and the faces between them,", &stacks.shape(), &again.shape(), found);
    }

    /// Compares the state of the water among solids, if the next cycle would continue with it.
    fn compare_solids(&self, found: &mut Vec<String>) {
        let SimulationState { leaves, solids, barriers, .. } = self.state();
        if solids.is_stale {
            return;
        }
        let mut again = SolidField {
            solids: solids.solids.clone(),
            memory: solids.remembered(),
            is_stale: true,
            ..SolidField::default()
        };
        again.begin(leaves, barriers, self.params());
        let cells = [solids, &again].map(|field| {
            let cells = field.region.cells.iter();
            let cells: Vec<_> = cells.map(|own| (own.key, own.leaf, own.bed, own.n2)).collect();
            (cells, field.region.nodes.len(), field.region.passages.len())
        });
        compare("cells and passages among solids", &cells[0], &cells[1], found);
    }
}

/// Compares the faces that barriers close.
fn compare_barriers(state: &SimulationState, found: &mut Vec<String>) {
    let (kept, leaves) = (&state.barriers, &state.leaves);
    let made = Barriers::new(kept.all().to_vec(), leaves);
    let faces = [kept, &made].map(|barriers| {
        let face = |own: &ClosedFace| {
            (own.barrier, own.face.clone(), own.behind, own.before, own.is_sealed)
        };
        barriers.faces().iter().map(face).collect::<Vec<_>>()
    });
    compare("faces of barriers", &faces[0], &faces[1], found);
    let edges = [kept, &made].map(|barriers| {
        (0..kept.all().len()).map(|at| barriers.interfaces_of(at)).collect::<Vec<_>>()
    });
    compare("faces of barriers between levels", &edges[0], &edges[1], found);
    for leaf in leaves.forest.ids() {
        let views = [kept, &made].map(|barriers| barriers.faces_in(leaf));
        let views = views.map(Option::unwrap_or_default);
        compare(format_args!("views of barriers from {leaf:?}"), &views[0], &views[1], found);
    }
}

/// Compares the cells at the ends of links.
fn compare_ends(state: &SimulationState, found: &mut Vec<String>) {
    for link in state.links.all() {
        for end in link.ends() {
            let again = state.leaves.forest.locate(end.place);
            let kept: Option<(LeafId, usize)> = Some((end.leaf, usize::from(end.cell)));
            compare(format_args!("ends of link {:?}", link.number), &kept, &again, found);
        }
    }
}
