//! New ground under the water: beds change at run time, depths stay.
//!
//! Water on top is lifted or lowered with its bed. Where a face becomes less open its velocity
//! stays, where it becomes more open its discharge, so nothing shoots up; what lies there wakes.
//!
//! Guarantees: not a unit of volume moves; velocities never grow.
//! Limits:     momentum is not conserved where beds change.

use crate::forest::LeafIndex;
use crate::sim::Simulation;
use crate::sim::regrid::LeafSource;
use crate::tile::Ground;
use rayon::prelude::*;

impl Simulation {
    /// Takes new ground for these leaves.
    pub fn replace_beds(&mut self, leaves: &[LeafIndex], source: &dyn LeafSource) {
        self.state.solids.forget();
        let (own, ledger) = (&mut self.state.leaves, &mut self.state.ledger);
        own.change_gently(leaves, self.params.unit_m, |own| {
            let ground = |&leaf: &LeafIndex| source.ground(own.forest.leaves()[leaf as usize]);
            let grounds: Vec<Ground> = leaves.par_iter().map(ground).collect();
            for (&leaf, ground) in leaves.iter().zip(grounds) {
                let (index, key) = (leaf as usize, own.forest.leaves()[leaf as usize]);
                own.grounds[index] = ground;
                let fresh = source.rim_faces(key, &own.grounds[index], ledger);
                for (face, fresh) in own.own[index].rim.iter_mut().zip(fresh) {
                    debug_assert_eq!((face.cell, face.side), (fresh.cell, fresh.side));
                    face.slope = fresh.slope;
                }
            }
        });
        self.state.activity.roused.extend(leaves);
    }
}
