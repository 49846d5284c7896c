//! What some leaves are at one moment, to come back to before the next cycle.
//!
//! Planes are shared with the simulation until it writes into them. An account that was opened
//! since is closed: nothing is left that books on it.

use crate::forest::LeafIndex;
use crate::forest::edges::Row;
use crate::sim::Simulation;
use crate::sim::ledger::Ledger;
use crate::tile::Water;
use std::collections::BTreeSet;

/// What some leaves are, and what all leaves and the next plan know.
#[derive(Debug, Clone)]
pub struct Moment {
    leaves: Vec<LeafMoment>,
    /// Cycles that each leaf has been quiet, and its largest flow depth.
    calm: Vec<(u32, f32)>,
    roused: Vec<LeafIndex>,
    speeds: Vec<f64>,
    ledger: Ledger,
    tracers: Vec<Ledger>,
}

/// What a leaf is.
#[derive(Debug, Clone)]
struct LeafMoment {
    leaf: LeafIndex,
    water: Water,
    beyond: [Option<Row<f32>>; 2],
    /// Depths that its rim saw.
    left: Vec<i32>,
    is_wet: bool,
}

impl Simulation {
    /// What these leaves are, and all around them.
    #[must_use]
    pub fn moment(&self, leaves: &[LeafIndex]) -> Moment {
        let near: BTreeSet<LeafIndex> =
            leaves.iter().flat_map(|&leaf| self.and_around(leaf)).collect();
        self.moment_of(near)
    }

    /// What the leaves of another moment are now.
    #[must_use]
    pub fn moment_like(&self, other: &Moment) -> Moment {
        self.moment_of(other.leaves.iter().map(|own| own.leaf))
    }

    fn moment_of(&self, leaves: impl IntoIterator<Item = LeafIndex>) -> Moment {
        let of_leaf = |leaf: LeafIndex| {
            let own = &self.leaves[leaf as usize];
            let edges = self.edges[leaf as usize].as_ref();
            LeafMoment {
                leaf,
                water: self.water[leaf as usize].clone(),
                beyond: edges.map_or([None, None], |edges| edges.beyond.clone()),
                left: own.rim.iter().map(|face| face.left).collect(),
                is_wet: own.is_wet,
            }
        };
        Moment {
            leaves: leaves.into_iter().map(of_leaf).collect(),
            calm: self.leaves.iter().map(|leaf| (leaf.quiet, leaf.flow_depth_max)).collect(),
            roused: self.roused.clone(),
            speeds: self.speeds.clone(),
            ledger: self.ledger.clone(),
            tracers: self.tracers.all().iter().map(|tracer| tracer.ledger().clone()).collect(),
        }
    }

    /// Goes back to a moment since which nothing but water of its leaves has changed.
    ///
    /// # Panics
    ///
    /// If the leaves have changed their levels since.
    pub fn go_back(&mut self, moment: Moment) {
        assert_eq!(moment.calm.len(), self.leaves.len(), "the leaves of that moment");
        self.mark(moment.leaves.iter().map(|own| own.leaf).collect::<Vec<_>>());
        for LeafMoment { leaf, water, beyond, left, is_wet } in moment.leaves {
            let leaf = leaf as usize;
            self.water[leaf] = water;
            if let Some(edges) = &mut self.edges[leaf] {
                edges.beyond = beyond;
            }
            let own = &mut self.leaves[leaf];
            own.is_wet = is_wet;
            own.rim.iter_mut().zip(left).for_each(|(face, left)| face.left = left);
        }
        for (own, (quiet, deepest)) in self.leaves.iter_mut().zip(moment.calm) {
            (own.quiet, own.flow_depth_max) = (quiet, deepest);
        }
        (self.roused, self.speeds) = (moment.roused, moment.speeds);
        self.ledger = moment.ledger;
        self.tracers.go_back(moment.tracers);
    }
}
