//! Structures of a world that runs: put, taken away, and read.

use crate::world::structures::frame::{frame, ground_of};
use crate::world::{Structures, StructuresMut, World, WorldBuilder};
use thalweg_engine::sim::barriers::StandingBarrier;
use thalweg_engine::structure::{Barrier, Fault, StructureError, StructureKind};
use thalweg_engine::units::SimTime;

/// A barrier in its place: the number of barriers below it, its specification, and its state.
#[derive(Debug, Clone)]
pub(in crate::world) struct PlacedBarrier {
    pub at: usize,
    pub barrier: Barrier,
    pub standing: StandingBarrier,
}

/// Flow over, through and under a barrier.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BarrierFlow {
    /// Discharge to the right of its line, as drawn, m³/s; negative to the left.
    pub discharge_m3_s: f64,
    /// Mean stage along its left and its right side, m; `None` if no cell along it is wet.
    pub stage_m: [Option<f64>; 2],
    /// Faces it closes.
    pub faces: usize,
    /// Faces whose crest is above the ground and below the water of a side.
    pub overtopped: usize,
    /// Faces that nothing passes, because leaves of two levels meet there.
    pub sealed: usize,
    /// Time at which its breach began, s.
    pub breached_s: Option<f64>,
}

impl BarrierFlow {
    /// Returns the head: the stage along its left side less the stage along its right side, m,
    /// negative if it is lower on the left; `None` if a side is dry.
    #[must_use]
    pub fn head_m(&self) -> Option<f64> {
        let [left, right] = self.stage_m;
        Some(left? - right?)
    }

    /// Returns the power of the falling water, ρ g Q H, W, with ρ = 1000 kg/m³ and g = 9.81 m/s²; 0
    /// if a side is dry, or if it flows up.
    #[must_use]
    pub fn power_w(&self) -> f64 {
        (1000.0 * 9.81 * self.discharge_m3_s * self.head_m().unwrap_or(0.0)).max(0.0)
    }
}

impl WorldBuilder {
    /// Puts a barrier in the world; [`WorldBuilder::build`] checks it.
    #[must_use]
    pub fn barrier(mut self, barrier: Barrier) -> Self {
        self.setup.barriers.push(barrier);
        self
    }
}

impl StructuresMut<'_> {
    /// Adds a barrier, over all earlier ones, or replaces the one with its name, which is returned
    /// as it was requested. It begins whole, its gate where a rule finds it.
    ///
    /// # Errors
    ///
    /// [`StructureError`] names the fault, its place, and a remedy. Then nothing has changed.
    pub fn put_barrier(&mut self, barrier: Barrier) -> Result<Option<Barrier>, StructureError> {
        let name = barrier.name.clone();
        let placed = self.world.structures().to_place(barrier)?;
        let put = |world: &mut World| world.structures_mut().set_barrier(&name, Some(placed));
        Ok(self.world.change(put).map(|placed| placed.barrier))
    }

    /// Takes a barrier away, and returns it.
    ///
    /// # Errors
    ///
    /// [`StructureError`] if no barrier has that name.
    pub fn remove_barrier(&mut self, name: &str) -> Result<Barrier, StructureError> {
        self.world.structures().find_barrier(name)?;
        let remove = |world: &mut World| world.structures_mut().set_barrier(name, None);
        Ok(self.world.change(remove).expect("it was found").barrier)
    }

    /// Puts the wanted barrier, with its state, in the place of the one with this name; if the name
    /// is new, over the first [`PlacedBarrier::at`] barriers. `None` removes the one with this
    /// name. Returns the earlier one.
    pub(in crate::world) fn set_barrier(
        &mut self,
        name: &str,
        wanted: Option<PlacedBarrier>,
    ) -> Option<PlacedBarrier> {
        let World { simulation, setup, .. } = &mut *self.world;
        let mut list = simulation.barriers().all().to_vec();
        let at = setup.barriers.iter().position(|barrier| barrier.name == name);
        let before = at.map(|at| {
            let (barrier, standing) = (setup.barriers.remove(at), list.remove(at));
            PlacedBarrier { at, barrier, standing }
        });
        if let Some(PlacedBarrier { at: over, barrier, standing }) = wanted {
            let at = at.unwrap_or(over.min(list.len()));
            setup.barriers.insert(at, barrier);
            list.insert(at, standing);
        }
        simulation.edit().set_barriers(list);
        self.world.watches.find_again();
        self.world.ask_again();
        before
    }
}

impl<'a> Structures<'a> {
    /// Returns the barriers, later ones over earlier ones.
    #[must_use]
    pub fn barriers(self) -> &'a [Barrier] {
        &self.world.setup.barriers
    }

    /// Returns the flow over, through and under a barrier; `None` if no barrier has that name.
    #[must_use]
    pub fn barrier_flow(self, name: &str) -> Option<BarrierFlow> {
        let World { simulation, site, .. } = self.world;
        let at = self.barriers().iter().position(|barrier| barrier.name == name)?;
        let standing = &simulation.barriers().all()[at];
        let (mut sums, mut weights) = ([0.0; 2], [0.0; 2]);
        let mut flow = BarrierFlow {
            discharge_m3_s: 0.0,
            stage_m: [None; 2],
            faces: simulation.barriers().interfaces_of(at),
            overtopped: 0,
            sealed: simulation.barriers().interfaces_of(at),
            breached_s: standing.state.begun.map(SimTime::seconds),
        };
        let own = simulation.barriers().faces().iter();
        for face in own.filter(|face| face.barrier == at) {
            flow.faces += 1;
            flow.sealed += usize::from(face.is_sealed);
            let leaf = face.behind.0;
            let level = simulation.forest().leaves()[leaf].level - simulation.forest().base();
            let width_m = self.world.cell_width_m() * f64::from(1_u32 << level);
            let water = simulation.water(leaf);
            let planes = [&water.flow_x, &water.flow_y];
            let q = f64::from(planes[face.face.axis][usize::from(face.behind.1)]) * width_m;
            flow.discharge_m3_s += if face.face.is_right { q } else { -q };
            let weight: f64 = face.face.shares.iter().map(|share| share[1] - share[0]).sum();
            for (side, (leaf, cell)) in [(false, face.before), (true, face.behind)] {
                let (leaf, cell) = (leaf, usize::from(cell));
                let depth = simulation.water(leaf).depth[cell];
                if depth > 0 {
                    let stage = simulation.ground(leaf).stage(cell, depth);
                    let right = usize::from(side == face.face.is_right);
                    sums[right] += weight * site.scale().metres(stage);
                    weights[right] += weight;
                }
            }
            flow.overtopped += usize::from(face.is_overtopped(simulation.leaves(), 0));
        }
        for side in [0, 1] {
            flow.stage_m[side] = (weights[side] > 0.0).then(|| sums[side] / weights[side]);
        }
        Some(flow)
    }

    /// Checks a requested barrier; returns it with a place over all earlier ones.
    pub(in crate::world) fn to_place(
        self,
        barrier: Barrier,
    ) -> Result<PlacedBarrier, StructureError> {
        let World { simulation, site, setup, .. } = self.world;
        let is_ground = ground_of(site, simulation.forest(), &simulation.leaves().grounds);
        let frame = frame(site.relief(), setup, self.world.size(), &is_ground);
        let standing = StandingBarrier::new(barrier.law(&frame)?);
        Ok(PlacedBarrier { at: setup.barriers.len(), barrier, standing })
    }

    /// Returns the index of the barrier with a name.
    pub(in crate::world) fn find_barrier(self, name: &str) -> Result<usize, StructureError> {
        let at = self.barriers().iter().position(|barrier| barrier.name == name);
        at.ok_or_else(|| {
            let known = self.barriers().iter().map(|known| known.name.clone()).collect();
            StructureKind::Barrier.error(name, Fault::Unknown { known })
        })
    }
}
