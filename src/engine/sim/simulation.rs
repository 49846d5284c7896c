//! The simulation: all leaves, stepped in cycles.

use crate::body::Solids;
use crate::flow::solver::{Order, Solver};
use crate::flow::versions::{Version, versions};
use crate::forest::Forest;
use crate::forest::change::Change;
use crate::forest::interfaces::ForestLeaves;
use crate::grid::{Axis, LeafId, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::sim::activity::Activity;
use crate::sim::barriers::{Barriers, StandingBarrier};
use crate::sim::boundary::{BoundaryFace, BoundaryLaw, CREDIT_DEPTHS};
use crate::sim::card::{Card, CardSeat};
use crate::sim::cycle::{self, Cycle};
use crate::sim::edits::SimulationEdit;
use crate::sim::forcing::{Forcing, ForcingClasses};
use crate::sim::ledger::Ledger;
use crate::sim::links::{LinkView, Links};
use crate::sim::maps::LeafMaps;
use crate::sim::params::Params;
use crate::sim::phases::Allowance;
use crate::sim::regrid::{LeafSource, Regrid};
use crate::sim::replace_beds::{leaves_at_edges, renew_falls, replace_beds};
use crate::sim::residency::{Needed, Packer, Residency, Round};
use crate::sim::run_state::{RunState, StateMismatch};
use crate::sim::schedule::{CycleEnd, CycleReport, FixedStep};
use crate::sim::sections::{FlowSection, Sections};
use crate::sim::settings::{Settings, StepsOf};
use crate::sim::snapshot::LeafSnapshot;
use crate::sim::solids::SolidField;
use crate::sim::stacks::StackNet;
use crate::sim::state::{SimulationClock, SimulationState};
use crate::sim::state_hash::{StatePart, leaf_hashes, part_hashes, state_hash, take_hashes};
use crate::sim::table::LeafTable;
use crate::sim::tracers::Tracers;
use crate::state::{LeafState, StackState};
use crate::structure::barrier::BarrierLaw;
use crate::tile::columns::build::CellBlock;
use crate::tile::{Ground, Resident, Water};
use crate::units::{SimTime, Volume, limits};
use std::sync::Arc;

/// All parts from which a simulation is built.
#[derive(Debug)]
pub struct SimulationParts {
    /// Leaves and neighbours.
    pub forest: Forest,
    /// Ground of each leaf.
    pub grounds: Vec<Resident<Ground>>,
    /// Classes of the cells of each leaf, by layer of forcing.
    pub classes: Vec<ForcingClasses>,
    /// Water of each leaf.
    pub water: Vec<Resident<Water>>,
    /// Width of cells of the base level, m.
    pub cell_width_m: f64,
    /// Metres per vertical unit.
    pub unit_m: f64,
    /// Settings, checked.
    pub settings: Settings,
    /// Sources and sinks.
    pub forcing: Forcing,
    /// Laws of the boundary.
    pub laws: Vec<BoundaryLaw>,
    /// Boundary faces of each leaf.
    pub boundaries: Vec<Vec<BoundaryFace>>,
    /// The accounts of forcing and boundary, opened.
    pub ledger: Ledger,
    /// Tracers of the water.
    pub tracers: Tracers,
    /// Barriers of the world.
    pub barriers: Vec<BarrierLaw>,
    /// Stacked columns of the leaves that have some.
    pub stacks: Vec<(LeafId, StackState)>,
}

/// Simulation of the water on one forest of leaves.
#[derive(Debug)]
pub struct Simulation {
    /// Parts that change while the simulation runs.
    state: SimulationState,
    /// Values that are constant over a cycle.
    params: Params,
    /// The graphics card that steps leaves.
    card: Option<Box<CardSeat>>,
}

impl Clone for Simulation {
    /// Returns a copy without the card.
    fn clone(&self) -> Self {
        Self { state: self.state.clone(), params: self.params.clone(), card: None }
    }
}

impl Simulation {
    /// Builds a simulation from its parts.
    ///
    /// # Panics
    ///
    /// If the parts do not fit each other: lengths differ, or a law is named that does not exist.
    #[must_use]
    pub fn new(parts: SimulationParts) -> Self {
        let layers = parts.forcing.layers.len();
        assert!(parts.classes.iter().all(|own| own.len() == layers), "classes of every layer");
        let infiltrated = parts.forcing.has_ground().then(|| vec![0; TILE_CELLS].into());
        let mut leaves = LeafTable::new(
            parts.forest,
            (parts.grounds, parts.classes),
            parts.water,
            parts.boundaries,
            infiltrated.as_ref(),
            parts.tracers.len(),
        );
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let n2 = parts.settings.manning_n.iter().map(|n| (n * n) as f32).collect();
        let SimulationParts { mut forcing, mut ledger, mut tracers, .. } = parts;
        leaves.locate_inflows(&mut forcing.inflows);
        let standing = parts.barriers.into_iter().map(StandingBarrier::new).collect();
        let barriers = Barriers::new(standing, &leaves);
        let mut params = Params {
            n2,
            settings: parts.settings,
            // The fastest version is the last.
            version: *versions().last().expect("the baseline is always there"),
            base: leaves.forest.base(),
            cell_width_m: parts.cell_width_m,
            unit_m: parts.unit_m,
            laws: parts.laws,
            setup_hash: 0,
        };
        params.hash_setup(&forcing);
        for (own, water) in leaves.own.iter_mut().zip(&leaves.water) {
            for face in &mut own.boundary {
                let depth = water.depth[usize::from(face.cell)];
                face.credit = CREDIT_DEPTHS * i64::from(depth);
                face.begin(water, depth);
            }
        }
        for (leaf, stack) in parts.stacks {
            leaves.own[leaf].stack = Some(Box::new(stack));
        }
        // After the stacks, because the water in their intervals counts.
        ledger.set_initial(leaves.stored());
        let contents: Vec<Volume> =
            (0..tracers.len()).map(|tracer| leaves.content_stored(tracer)).collect();
        tracers.begin(&contents);
        let activity = Activity::at_start(&mut leaves, &params);
        let state = SimulationState {
            leaves,
            ledger,
            tracers,
            barriers,
            sections: Sections::default(),
            links: Links::default(),
            solids: SolidField::default(),
            stacks: StackNet::default(),
            forcing,
            activity,
            clock: SimulationClock::default(),
        };
        Self { state, params, card: None }
    }

    /// Sets the flood maps of all leaves, which are kept from now on and begin as given; an empty
    /// list ends them.
    ///
    /// # Panics
    ///
    /// If `maps` is not empty and has not one entry for each leaf, or not all of the same kinds.
    pub fn keep_maps(&mut self, maps: Vec<LeafMaps>) {
        self.changes();
        let count = self.state.leaves.count();
        assert!(maps.is_empty() || maps.len() == count, "maps of each leaf");
        let is_one_kind = maps.windows(2).all(|pair| pair[0].kinds() == pair[1].kinds());
        assert!(is_one_kind, "maps of the same kinds");
        self.state.leaves.maps = maps;
    }

    /// Returns the flood maps of each leaf; empty if the simulation keeps no maps.
    #[must_use]
    pub fn maps(&self) -> &[LeafMaps] {
        &self.state.leaves.maps
    }

    /// Returns the flood maps of a leaf; [`LeafMaps::none`] if no maps are kept.
    #[must_use]
    pub fn maps_of(&self, leaf: LeafId) -> &LeafMaps {
        self.state.leaves.maps_of(leaf).unwrap_or(LeafMaps::none())
    }

    /// Adds the time since the last look of the maps at sleeping leaves. The maps change, the state
    /// does not.
    pub fn bring_maps_up_to_date(&mut self) {
        self.changes();
        let SimulationState { leaves, clock, .. } = &mut self.state;
        let change = leaves.bump_revision();
        for maps in &mut leaves.maps {
            if maps.bring_up_to(clock.time) {
                maps.changed = change;
            }
        }
    }

    /// Evicts planes of sleeping leaves from memory, between cycles, except planes that are needed
    /// before long. Nothing else changes.
    pub fn let_go(
        &mut self,
        residency: Residency,
        round: &mut Round,
        packer: &dyn Packer,
        is_needed: &dyn Fn(LeafId) -> bool,
    ) {
        self.state.leaves.let_go(residency, round, packer, is_needed);
    }

    /// Runs one automatic cycle that ends at `until` at the latest; flood maps look at each leaf
    /// that is awake at the end of its last step.
    pub fn run_cycle(&mut self, until: SimTime) -> CycleReport {
        self.run(CycleEnd::Until(until))
    }

    /// Runs one cycle of a fixed step, as games do; see [`schedule`](crate::sim::schedule).
    pub fn run_fixed(&mut self, step: FixedStep) -> CycleReport {
        self.run(CycleEnd::Fixed(step))
    }

    /// Runs one cycle, on the card if one is present that can run it.
    pub fn run(&mut self, end: CycleEnd) -> CycleReport {
        let Self { state, params, card } = self;
        let Some(seat) = card else { return cycle::run(state, params, end) };
        // Before the cycle begins: if the card is lost, the cycle runs again from here.
        let Some(start) = seat.checkpoint(state, params) else {
            return cycle::run(state, params, end);
        };
        let mut cycle = cycle::begin(state, params, end);
        if cycle.phases_mut().list().is_empty() {
            seat.pass(state, (start, end));
        } else {
            seat.step((state, params), cycle.phases_mut(), (start, end));
        }
        cycle.advance(state, params, &mut Allowance::Whole);
        cycle.end(state, params)
    }

    /// Sets the card that steps leaves from now on, or removes it: results are the same.
    pub fn set_card(&mut self, card: Option<Box<dyn Card>>) {
        self.card = card.map(|card| Box::new(CardSeat::new(card)));
    }

    /// Replaces the simulation by a copy that was stepped further; the card stays.
    pub fn succeed(&mut self, mut copy: Self) {
        copy.card = self.card.take();
        copy.changes();
        std::mem::replace(self, copy).give_back();
    }

    /// Notes that something else than a cycle changes the simulation.
    fn changes(&mut self) {
        if let Some(seat) = &mut self.card {
            seat.outdate();
        }
    }

    /// Begins a cycle. Until it has ended, nothing else may change the simulation, and its contents
    /// are no valid state.
    #[must_use]
    pub fn begin(&mut self, end: CycleEnd) -> Cycle {
        self.changes();
        cycle::begin(&mut self.state, &self.params, end)
    }

    /// Continues a cycle within the allowance; returns true if it may end now.
    pub fn advance(&mut self, cycle: &mut Cycle, allowance: &mut Allowance<'_>) -> bool {
        cycle.advance(&mut self.state, &self.params, allowance)
    }

    /// Ends a cycle that may end.
    pub fn end_cycle(&mut self, cycle: Cycle) -> CycleReport {
        cycle.end(&mut self.state, &self.params)
    }

    /// Ends the simulation, and releases its unshared planes for reuse.
    pub fn give_back(self) {
        self.state.leaves.give_back();
    }

    /// Returns a copy that continues from the same state; planes are shared until one of the two
    /// writes them. The scratch memory of steps moves to the copy.
    #[must_use]
    pub fn fork(&mut self) -> Self {
        let next = std::mem::take(&mut self.state.leaves.next);
        let mut fork = self.clone();
        fork.state.leaves.next = next;
        fork.state.leaves.spare = std::mem::take(&mut self.state.leaves.spare);
        fork
    }

    /// Returns the hash of time, leaf keys, ground, classes, all state of leaves, the ledger,
    /// tracers, forcing, structures, solids, settings and seed: equal if a run would continue in
    /// the same way, to the bit.
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        self.bring_to_hash();
        state_hash(&self.state, &self.params)
    }

    /// Returns the hashes of the state outside the leaves, part by part.
    #[must_use]
    pub fn part_hashes(&self) -> Vec<(StatePart, u64)> {
        part_hashes(&self.state, &self.params)
    }

    /// Returns the hash of each leaf, in their order; recomputes only the hashes of leaves that
    /// changed since the last call.
    #[must_use]
    pub fn leaf_hashes(&self) -> Vec<u64> {
        self.bring_to_hash();
        leaf_hashes(&self.state.leaves)
    }

    /// Computes the missing hashes of leaves, with the water of many at once from a card.
    fn bring_to_hash(&self) {
        // Depths and discharges of 4096 leaves are 192 MiB, however large the world is.
        const AT_ONCE: usize = 4096;
        if self.card.is_some() {
            let LeafTable { forest, scratch, .. } = &self.state.leaves;
            let is_new = |leaf: &LeafId| scratch[*leaf].hash.get().is_none();
            let new: Vec<LeafId> = forest.ids().filter(is_new).collect();
            for some in new.chunks(AT_ONCE) {
                self.bring_ahead(&Needed { water: some.to_vec(), rest: Vec::new() });
                take_hashes(&self.state.leaves, some);
            }
        }
    }

    /// Replaces the state: `leaves` has that of each leaf in the order of the forest.
    ///
    /// # Errors
    ///
    /// [`StateMismatch`] if the state is not one of this simulation: different leaves, faces or
    /// accounts, or a sum that differs from the ledger. The simulation is of no further use then.
    pub fn restore(&mut self, run: RunState, leaves: Vec<LeafState>) -> Result<(), StateMismatch> {
        // Leaves change without a new revision number.
        self.card = None;
        run.restore(&mut self.state, leaves)
    }

    /// Reads new ground for these leaves, in ascending order, whose beds changed below some cells
    /// of their level, in them or beside them.
    pub fn replace_beds(&mut self, changed: &[(LeafId, CellBlock)], source: &dyn LeafSource) {
        self.changes();
        replace_beds(&mut self.state, changed, source, self.params.unit_m);
    }

    /// Recomputes the falls of the ground at the edges of leaves; leaves whose falls change wake.
    pub fn renew_falls(&mut self, is_near: impl Fn(TileKey) -> bool, source: &dyn LeafSource) {
        let near = leaves_at_edges(&self.state.leaves, is_near);
        if !near.is_empty() {
            self.changes();
            renew_falls(&mut self.state, &self.params, near, source);
        }
    }

    /// Sets the unit discharges, m²/s, over the east or north faces, by axis, of all leaves that
    /// have coarser neighbours there.
    ///
    /// # Errors
    ///
    /// The first error of `flows`.
    pub fn set_flows_beyond<E>(
        &mut self,
        flows: impl Fn(&ForestLeaves<'_>, LeafId, Axis) -> Result<[f32; TILE_WIDTH], E>,
    ) -> Result<(), E> {
        self.changes();
        let LeafTable { forest, grounds, water, interfaces, .. } = &mut self.state.leaves;
        let leaves = ForestLeaves { forest, grounds, water, interfaces: &[], steps_log2: &[] };
        for (leaf, interfaces) in forest.ids().zip(interfaces) {
            let Some(interfaces) = interfaces else { continue };
            for (axis, row) in Axis::ALL.into_iter().zip(&mut interfaces.beyond) {
                if let Some(row) = row {
                    **row = flows(&leaves, leaf, axis)?;
                }
            }
        }
        Ok(())
    }

    /// Changes the solver: both read the same state. Optional terms have no effect while the pipe
    /// runs.
    pub fn set_solver(&mut self, solver: Solver, order: Order) {
        self.changes();
        let before = std::mem::replace(&mut self.params.settings.solver, solver);
        self.params.settings.order = order;
        self.state.leaves.bump_revision();
        if self.params.settings.steps == StepsOf::Leaf {
            // A pace counts speeds with the weight of its solver.
            self.state.leaves.forget_paces();
        }
        match (before, solver) {
            // The pipe's steps did not account for viscosity.
            (Solver::Pipe, Solver::ShallowWater) => {
                self.state.activity.add_viscous_speeds(&self.params);
                // Nor for the wind.
                if self.params.settings.terms.wind_m_s.iter().any(|wind| *wind != 0.0) {
                    self.state.activity.disturb_where(&mut self.state.leaves, |leaf| leaf.is_wet);
                }
            }
            // Shallow water counts the speed of the water once, with waves that all of it bounds.
            (Solver::ShallowWater, Solver::Pipe) => {
                let speeds = self.state.activity.speeds.iter_mut();
                speeds.for_each(|speed| *speed *= f64::from(limits::PIPE_SPEED_WEIGHT));
            }
            _ => {}
        }
    }

    /// Sets the version of the kernel; all give the same bits.
    pub fn set_version(&mut self, version: Version) {
        self.params.version = version;
    }

    /// Returns ground, state and scratch of all leaves.
    #[must_use]
    pub fn leaves(&self) -> &LeafTable {
        &self.state.leaves
    }

    /// Returns the number of the last change of any leaf.
    #[must_use]
    pub fn revision(&self) -> u64 {
        self.state.leaves.revision
    }

    /// Numbers a change of something that is kept outside the leaves.
    pub fn bump_revision(&mut self) -> u64 {
        self.state.leaves.bump_revision()
    }

    /// Returns the edits that are possible between two cycles. After them a card waits for all
    /// planes: for edits in many frames use [`Simulation::edit_repeatably`].
    pub fn edit(&mut self) -> SimulationEdit<'_> {
        self.changes();
        SimulationEdit { state: &mut self.state, params: &mut self.params }
    }

    /// Runs an edit that can run again, on the same data: it does if a card is lost. Then `act`
    /// must do the same to an equal state, so it reads nothing but the edit and the data, whose
    /// size is `bytes`.
    pub fn edit_repeatably<D, T>(
        &mut self,
        bytes: usize,
        data: D,
        act: impl Fn(&mut SimulationEdit<'_>, D) -> T + Send + Sync + 'static,
    ) -> T
    where
        D: Clone + Send + Sync + 'static,
    {
        let mut edit = SimulationEdit { state: &mut self.state, params: &mut self.params };
        match self.card.as_mut().filter(|seat| seat.has_room(bytes)) {
            Some(seat) => {
                let done = act(&mut edit, data.clone());
                seat.note(bytes, move |edit| drop(act(edit, data.clone())));
                done
            }
            None => {
                self.card.iter_mut().for_each(|seat| seat.outdate());
                act(&mut edit, data)
            }
        }
    }

    /// Returns the laws of the boundary.
    #[must_use]
    pub fn laws(&self) -> &Vec<BoundaryLaw> {
        &self.params.laws
    }

    /// Returns the barriers, and their faces.
    #[must_use]
    pub fn barriers(&self) -> &Barriers {
        &self.state.barriers
    }

    /// Returns the sections.
    #[must_use]
    pub fn sections(&self) -> &Sections {
        &self.state.sections
    }

    /// Adds a section, whose corners are in cells of the base level, between two cycles; returns
    /// false, and adds nothing, if its line separates no two cells with ground.
    pub fn put_section(&mut self, name: &str, corners: Vec<[f64; 2]>) -> bool {
        let SimulationState { sections, leaves, .. } = &mut self.state;
        sections.put(name, corners, leaves)
    }

    /// Removes a section, between two cycles.
    pub fn remove_section(&mut self, name: &str) -> Option<FlowSection> {
        let SimulationState { sections, leaves, .. } = &mut self.state;
        sections.remove(name, leaves)
    }

    /// Returns the links.
    #[must_use]
    pub fn links(&self) -> &Links {
        &self.state.links
    }

    /// Returns the state of the link of that number and of the water at its ends; `None` if no link
    /// has it.
    #[must_use]
    pub fn view_link(&self, number: u32) -> Option<LinkView> {
        let link = self.state.links.all().iter().find(|link| link.number == number)?;
        Some(self.state.link_sight(&self.params).view(link))
    }

    /// Returns the solids, and the water that they touch.
    #[must_use]
    pub fn solids(&self) -> &SolidField {
        &self.state.solids
    }

    /// Returns the ledger: the source and the sink of every unit of volume.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.state.ledger
    }

    /// Returns the width of cells of the base level, m.
    #[must_use]
    pub fn cell_width_m(&self) -> f64 {
        self.params.cell_width_m
    }

    /// Returns the settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.params.settings
    }

    /// Returns the time of the state.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.state.clock.time
    }

    /// Returns the leaves.
    #[must_use]
    pub fn forest(&self) -> &Forest {
        &self.state.leaves.forest
    }

    /// Returns the ground of a leaf.
    #[must_use]
    pub fn ground(&self, leaf: LeafId) -> &Ground {
        &self.state.leaves.grounds[leaf]
    }

    /// Returns the water of a leaf.
    #[must_use]
    pub fn water(&self, leaf: LeafId) -> &Water {
        &self.state.leaves.water[leaf]
    }

    /// Returns the leaves that the last cycle stepped.
    pub fn awake(&self) -> impl Iterator<Item = LeafId> {
        self.state.activity.awake.iter().flatten().copied()
    }

    /// Returns which leaves sleep.
    #[must_use]
    pub fn asleep(&self) -> &[bool] {
        &self.state.leaves.asleep
    }

    /// Returns the tracers.
    #[must_use]
    pub fn tracers(&self) -> &Tracers {
        &self.state.tracers
    }

    /// Returns the values that are constant over a cycle.
    #[must_use]
    pub(super) fn params(&self) -> &Params {
        &self.params
    }

    /// Returns all parts that change while the simulation runs.
    #[must_use]
    pub fn state(&self) -> &SimulationState {
        &self.state
    }

    /// Begins an act: from now on the leaves that it wakes are noted.
    pub fn begin_act(&mut self) {
        self.state.leaves.stirred.clear();
    }

    /// Restores an earlier state since which nothing but water of the snapshot's leaves has
    /// changed.
    ///
    /// # Panics
    ///
    /// If the leaves have changed their levels since.
    pub fn go_back(&mut self, snapshot: LeafSnapshot) {
        self.changes();
        snapshot.restore(&mut self.state);
    }

    /// Fetches from the card, all at once, the planes that are about to be read.
    pub fn bring_ahead(&self, needed: &Needed) {
        if let Some(seat) = &self.card {
            seat.bring_ahead(&self.state.leaves, needed);
        }
    }

    /// Replaces some leaves by different ones.
    ///
    /// # Panics
    ///
    /// If the new leaves do not cover the same ground, or are not balanced.
    pub fn regrid(&mut self, change: &Change, source: &dyn LeafSource) {
        if let Some(seat) = &self.card {
            let leaves = &self.state.leaves;
            seat.bring_ahead(leaves, &leaves.needed_by(change));
        }
        let regrid = Regrid::of(change, source, &mut self.state);
        let (bytes, regrid) = (regrid.bytes(), Arc::new(regrid));
        self.edit_repeatably(bytes, regrid, |edit, regrid| regrid.run(edit.state));
    }

    /// Replaces the solids. Leaves beside a solid that was added, removed or moved wake.
    pub fn set_solids(&mut self, solids: Solids) {
        let bytes = size_of_val(&solids.cells[..]) + size_of_val(&solids.faces[..]);
        self.edit_repeatably(bytes, solids, |edit, solids| edit.set_solids(solids));
    }

    /// Builds the cells and passages among solids now; else the next cycle builds them.
    pub fn lay_solids(&mut self) {
        self.edit_repeatably(0, (), |edit, ()| edit.lay_solids());
    }
}
