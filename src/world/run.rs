//! A world that runs: cycles, and the changes between them, whole or not at all.
//!
//! ```text
//! a change   taken apart ── done ── put together again      the world is whole
//!            taken apart ── a panic, caught by the game     the world is broken, and says so
//! ```
//!
//! Guarantees: what a game brings (criteria, bodies) is asked while the world is whole: a panic
//!             there costs a plan, or a cycle's loads, and nothing else. A panic within a change
//!             leaves a world that runs no more and is saved nowhere
//!             (`tests/saved/broken.rs`).
//! Limits:     a broken world cannot be mended: its last save can be loaded.

use crate::flow::versions::Version;
use crate::forest::change::{Change, Origin};
use crate::forest::{LeafIndex, NO_LEAF};
use crate::probe::LeafMaps;
use crate::sim::schedule::FixedStep;
use crate::sim::{CycleReport, Order, Solver};
use crate::tile::Ground;
use crate::units::SimTime;
use crate::world::World;
use rayon::prelude::*;
use std::collections::BTreeMap;

impl World {
    /// True where a panic broke off a change of the world, and the game caught it: some of the
    /// world is as it was before, some as it would be after. Such a world cannot be saved, and
    /// running, editing and acting on it panic; load its last save.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Changes the world. Where that is broken off by a panic, the world is broken from then on.
    pub(super) fn change<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        assert!(
            !self.is_broken,
            "the world is broken: a panic broke off a change of it; load its last save"
        );
        self.is_broken = true;
        let done = act(self);
        self.is_broken = false;
        done
    }

    /// Runs one cycle that ends at `until` at the latest.
    ///
    /// # Panics
    ///
    /// If the world is broken ([`World::is_broken`]), or where a criterion panics; the cycle is
    /// whole then, and the next one asks the criteria again.
    pub fn run_cycle(&mut self, until: SimTime) -> CycleReport {
        let report = self.change(|world| {
            world.undo_log.forget();
            world.simulation.run_cycle(until, &mut world.maps)
        });
        self.adapt();
        report
    }

    /// Runs cycles up to `until`.
    ///
    /// # Panics
    ///
    /// As [`World::run_cycle`].
    pub fn run_until(&mut self, until: SimTime) {
        while self.time() < until {
            self.run_cycle(until);
        }
    }

    /// Runs one cycle of a fixed length, as games do, in up to 2^K steps. What is too long for them
    /// runs slower in time, counted as `clamped`; an inflow still brings all of its water at once,
    /// up to the ceiling.
    ///
    /// # Panics
    ///
    /// As [`World::run_cycle`].
    pub fn run_fixed(&mut self, step: FixedStep) -> CycleReport {
        let report = self.change(|world| {
            world.undo_log.forget();
            world.simulation.run_fixed(step, &mut world.maps)
        });
        self.adapt();
        report
    }

    /// Goes on with another solver: both read the same state. Optional terms rest while the pipe
    /// runs.
    pub fn set_solver(&mut self, solver: Solver, order: Order) {
        self.simulation.set_solver(solver, order);
    }

    /// Uses another version of the kernel; all give the same bits.
    pub fn set_version(&mut self, version: Version) {
        self.simulation.set_version(version);
    }

    /// Puts other leaves in the place of some.
    pub(super) fn regrid(&mut self, change: &Change) {
        if change.is_empty() {
            return;
        }
        let gone = self.grounds_of_gone(change);
        self.simulation.regrid(change, &self.site);
        let (simulation, old) = (&self.simulation, &self.maps);
        let maps =
            change.leaves.par_iter().with_max_len(1).enumerate().map(|(new, (_, origin))| {
                let ground = simulation.ground(new);
                let of = |leaf: LeafIndex| old.get(leaf as usize).zip(gone.get(&leaf));
                let maps = match *origin {
                    // Its planes are shared, not copied.
                    Origin::Kept(leaf) => old.get(leaf as usize).cloned(),
                    Origin::Child { of: leaf, quadrant } => {
                        of(leaf).map(|(maps, coarse)| maps.child(quadrant, coarse, ground))
                    }
                    Origin::Merged(quarters) => Some(LeafMaps::merged(quarters.map(of), ground)),
                };
                maps.expect("a leaf is kept once, or goes")
            });
        self.maps = maps.collect();
    }

    /// Grounds of the leaves that a change takes away: what their maps are read over.
    fn grounds_of_gone(&self, change: &Change) -> BTreeMap<LeafIndex, Ground> {
        let mut gone = BTreeMap::new();
        for (_, origin) in &change.leaves {
            let leaves = match *origin {
                Origin::Kept(_) => continue,
                Origin::Child { of, .. } => [of; 4],
                Origin::Merged(quarters) => quarters,
            };
            for leaf in leaves.into_iter().filter(|&leaf| leaf != NO_LEAF) {
                gone.entry(leaf).or_insert_with(|| self.simulation.ground(leaf as usize).clone());
            }
        }
        gone
    }
}
