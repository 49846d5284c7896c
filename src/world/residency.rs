//! Places of the planes of sleeping leaves: in memory as they are, or packed.
//!
//! Sleeping leaves cost little by themselves: some cycles after a leaf fell asleep, its water,
//! infiltrated depth and flood maps are packed, and are restored when they are read or before a
//! step needs them. `src/guide/architecture.md` explains how.

use crate::world::World;
use crate::world::packed::{PlanePlaces, Residence};
use std::sync::atomic::Ordering;
use thalweg_engine::sim::residency::Residency;

/// Counters of planes that are packed while their leaves sleep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ResidencyCounters {
    /// Leaves whose planes are packed or out of memory now, at least in part.
    pub leaves_away: u64,
    /// Leaves whose ground is out of memory, too: see [`Residency::InFile`].
    pub grounds_away: u64,
    /// Bytes that packed planes take now.
    pub packed_bytes: u64,
    /// Times that water, an infiltrated depth or flood maps of a leaf were packed.
    pub packed: u64,
    /// Times that one of these, or a ground, was restored before a step needed it.
    pub ahead: u64,
    /// Times that a query, an action, an edit or a save waited for one of these.
    pub waits: u64,
}

impl World {
    /// Sets where the planes of sleeping leaves are kept from now on; no part of the world's state,
    /// nor of its file. Packed planes are restored when they are needed.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::terrain::Terrain;
    /// use thalweg::units::SimTime;
    /// use thalweg::world::{Residency, WorldBuilder};
    /// let pond = Terrain::from_heights([64, 64], 1.0, |_, _| 2.0)?;
    /// let mut world = WorldBuilder::new(pond).initial_stage(|_| 3.0).build()?;
    /// world.set_residency(Residency::PackedAtOnce);
    /// let hash = world.state_hash();
    /// world.run_until(SimTime::from_seconds(600.0));
    /// assert_eq!(world.residency().leaves_away, 1);
    /// assert!(world.residency().packed_bytes < 1000);
    /// assert_eq!(world.query().at([9.0, 9.0])?.map(|sample| sample.depth_m), Some(1.0));
    /// assert_eq!((world.residency().leaves_away, world.residency().waits), (1, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_residency(&mut self, residency: Residency) {
        self.residence.residency = residency;
    }

    /// Counters of planes that are packed while their leaves sleep.
    #[must_use]
    pub fn residency(&self) -> ResidencyCounters {
        let counts = &self.residence.packing.counts;
        ResidencyCounters {
            leaves_away: self.simulation.leaves().count_away() as u64,
            grounds_away: self.simulation.leaves().count_grounds_away() as u64,
            packed_bytes: counts.bytes.load(Ordering::Relaxed),
            packed: counts.packed.load(Ordering::Relaxed),
            ahead: counts.ahead.load(Ordering::Relaxed),
            waits: counts.waits.load(Ordering::Relaxed),
        }
    }

    /// Releases planes of sleeping leaves, after a cycle.
    pub(super) fn let_go(&mut self) {
        let Residence { residency, round, packing } = &mut self.residence;
        let places = PlanePlaces { packing, site: &self.site, residency: *residency };
        let adaptive = self.adaptive.as_ref();
        // The planner reads the planes of stale leaves next: packed now, they would soon be
        // unpacked.
        let is_needed = |leaf| adaptive.is_some_and(|adaptive| adaptive.is_stale(leaf));
        self.simulation.let_go(*residency, round, &places, &is_needed);
    }
}
