//! A card that steps the leaves of a world.
//!
//! ```text
//! a cycle   leaves that are awake, and those beside them, get slots; what is not there is written
//!           all steps, one after the other, in one submission
//!           a report of each leaf comes back; the planes stay until somebody reads them
//! ```
//!
//! Guarantees: the bits of the processor, or the card is not used: cycles that it cannot step are
//!             left to the processor, and a card that is lost loses nothing.
//! Limits:     no optional terms yet, and four layers of forcing; leaves with bodies, links,
//!             barriers or intervals are stepped by the processor, and so are all leaves if most
//!             are of these kinds; no open edges one cell from another level or from leaves with
//!             different steps; no tolerance of sleep on several levels, over sub-grid columns,
//!             with structures or with steps by leaf; no steps by leaf with structures; tracers
//!             only if the device binds enough buffers.

use crate::acts::{ActKind, acts};
use crate::arithmetic::Routes;
use crate::beyond::{
    TOLERANT_APART, TOO_FEW_BUFFERS, TOO_MUCH_WEATHER, beyond_cycles, moves_too_much,
};
use crate::device::{Device, WITH_CONTENTS};
use crate::edges::BoundaryFaces;
use crate::failure::Failure;
use crate::interfaces::Interfaces;
use crate::kernels::{
    BoundBuffers, CycleBuffers, KernelMethod, Kernels, LeafRecord, LeafReport, LevelStep,
    STEP_STRIDE, StepConstants,
};
use crate::levels::{AwakeRanks, InterfaceWords, NONE, word, words};
use crate::log::CardLog;
use crate::place::{HeldCard, SharedCard};
use crate::plan::{BOOKED, Commands, StepPlan};
use crate::planes::{CardPlanes, LAYERS, OptionalPlanes, Room};
use crate::roll::{FEW_LEAVES, Roll, found};
use crate::self_test;
use crate::slots::Slots;
use crate::tracers::ContentBooks;
use crate::work::{CardResults, CardWork, Sizes};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use thalweg::units::SimTime;
use thalweg_engine::grid::LeafId;
use thalweg_engine::sim::activity::ListedLeaves;
use thalweg_engine::sim::apart::Apart;
use thalweg_engine::sim::card::{Card, CardCycle, CardOutcome, beside_planes};
use thalweg_engine::sim::forcing::CellClasses;
use thalweg_engine::sim::params::Params;
use thalweg_engine::sim::phases::Phases;
use thalweg_engine::sim::residency::Needed;
use thalweg_engine::sim::state::SimulationState;
use thalweg_engine::sim::table::LeafTable;
use thalweg_engine::tile::{MapKinds, Water};

/// A card with the planes of the leaves that it steps.
#[derive(Debug)]
pub struct GpuCard {
    device: Device,
    routes: Routes,
    kernels: Arc<Kernels>,
    shared: Arc<SharedCard>,
    slots: Slots,
    /// Leaves of the last cycle.
    roll: Option<Roll>,
    buffers: Option<CycleBuffers>,
    /// Planes and buffers as they are bound, by the room for which they were bound.
    bound: Option<(Room, [BoundBuffers; 2])>,
    log: CardLog,
}

impl GpuCard {
    /// Opens the fastest card of the system, and tests it.
    ///
    /// # Errors
    ///
    /// [`Failure`]: no card, or one that does not compute as the processor.
    pub fn open() -> Result<Self, Failure> {
        Self::on(Device::open()?)
    }

    /// Releases all of a world that the card keeps: the processor steps the world from now on.
    pub(crate) fn rest(&mut self, state: &SimulationState) {
        let shared = Arc::clone(&self.shared);
        let mut holder = shared.lock();
        let kept = self.slots.keep_shared(&holder, &state.leaves);
        let shape = holder.planes.shape;
        if let Err(failure) = kept.and_then(|()| self.leave(&mut holder, &state.leaves, shape)) {
            drop(holder);
            self.lose(failure);
        }
    }

    /// Reads all planes of a world into memory, and replaces the card's planes by new ones of these
    /// kinds.
    fn leave(
        &mut self,
        holder: &mut HeldCard,
        leaves: &LeafTable,
        shape: OptionalPlanes,
    ) -> Result<(), Failure> {
        self.slots.bring_back(holder, leaves)?;
        self.slots = Slots::new(&self.shared);
        (self.roll, self.bound) = (None, None);
        holder.stepped.clear();
        holder.forget_read();
        holder.checkpoint = None;
        holder.planes = CardPlanes::new(&self.device, Room::LEAST, shape)?;
        Ok(())
    }

    /// Returns the state that the card shares with places of planes.
    pub(crate) fn shared(&self) -> &Arc<SharedCard> {
        &self.shared
    }

    /// Tests a card and takes it, with all that was built for the test.
    ///
    /// # Errors
    ///
    /// [`Failure`]: the card does not compute as the processor, or has no memory left.
    pub fn on(device: Device) -> Result<Self, Failure> {
        self_test::tested(&device)
    }

    /// Takes a card that computes as the processor on these routes, which
    /// [`choose`](crate::self_test::choose) found. Kernels are built when a cycle first needs them.
    ///
    /// # Errors
    ///
    /// [`Failure`]: the card binds too few buffers, or has no memory left.
    pub fn with_routes(device: Device, routes: Routes) -> Result<Self, Failure> {
        let kernels = Arc::new(Kernels::new(&device, routes)?);
        Self::with_kernels(device, routes, kernels)
    }

    /// Returns another card on the same device, for another world; both share all that was built.
    ///
    /// # Errors
    ///
    /// [`Failure`]: the card has no memory left.
    pub fn another(&self) -> Result<Self, Failure> {
        Self::with_kernels(self.device.clone(), self.routes, Arc::clone(&self.kernels))
    }

    /// Returns a card as [`another`](Self::another) does, but one that may be given up alone.
    ///
    /// # Errors
    ///
    /// [`Failure`]: the card has no memory left.
    pub fn another_alone(&self) -> Result<Self, Failure> {
        Self::with_kernels(self.device.alone(), self.routes, Arc::clone(&self.kernels))
    }

    fn with_kernels(
        device: Device,
        routes: Routes,
        kernels: Arc<Kernels>,
    ) -> Result<Self, Failure> {
        let log = CardLog::default();
        let planes = CardPlanes::new(&device, Room::LEAST, OptionalPlanes::BARE)?;
        let shared = Arc::new(SharedCard::new(planes, log.clone()));
        let slots = Slots::new(&shared);
        let (buffers, bound) = (None, None);
        Ok(Self { device, routes, kernels, shared, slots, roll: None, buffers, bound, log })
    }

    /// Returns the name of the card.
    #[must_use]
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// Returns the routes on which the card computes.
    #[must_use]
    pub fn routes(&self) -> Routes {
        self.routes
    }

    /// Returns the log of the card.
    #[must_use]
    pub fn log(&self) -> CardLog {
        self.log.clone()
    }

    /// Returns the device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Steps all leaves that are awake; the processor steps the leaves apart.
    fn try_step(&mut self, cycle: CardCycle<'_>) -> Result<CardOutcome, Failure> {
        let apart = Apart::of(cycle.state);
        let Some(apart) = apart else { return self.try_parts(cycle, None) };
        if apart.is_most() {
            self.log.refuse(beside_planes(cycle.state).expect("something touches leaves"));
            return Ok(CardOutcome::Left);
        }
        let listed = cycle.state.activity.list_part(&cycle.state.leaves, apart.others());
        self.try_parts(cycle, Some((&apart, listed)))
    }

    /// Steps the leaves that are listed as awake, beside the leaves apart, with all lists
    /// unchanged.
    fn try_parts(
        &mut self,
        CardCycle { state, params, phases, checkpoint }: CardCycle<'_>,
        apart: Option<(&Apart, ListedLeaves)>,
    ) -> Result<CardOutcome, Failure> {
        let shared = Arc::clone(&self.shared);
        let (parts, listed) = apart.unzip();
        let mut holder = shared.lock();
        let prepared = match self.levels(state, params, phases, parts) {
            Ok(levels) => Some(self.prepare(&mut holder, levels, (state, params, phases), parts)),
            Err(beyond) => {
                self.log.refuse(beyond);
                None
            }
        };
        let Some(Ok((roll, work))) = prepared else {
            listed.into_iter().for_each(|listed| state.activity.list_again(listed));
            return prepared.transpose().map(|_| CardOutcome::Left);
        };
        let end = phases.at(phases.plan().steps);
        let results = match parts {
            None => self.finish(&holder, &work, 0..work.acts.len())?,
            Some(apart) => {
                drop(holder);
                // All planes that others share are kept by now: else this copy would read them.
                let before = (state.copy_within(), phases.clone());
                let rest = self.step_beside(&work, (state, params, phases), apart);
                holder = shared.lock();
                let results = rest.and_then(|rest| self.finish(&holder, &work, rest));
                let listed = listed.expect("with leaves apart");
                if results.is_err() {
                    (*state, *phases) = before;
                }
                state.activity.list_again(listed);
                results?
            }
        };
        holder.forget_read();
        holder.checkpoint = Some(Arc::clone(checkpoint));
        holder.stepped = (0..roll.awake.len()).map(|record| roll.slot(record)).collect();
        if let [count] = work.steps[..] {
            holder.planes.turn(count);
        }
        drop(holder);
        self.slots.take_leaves(&mut state.leaves, &roll, end);
        let is_tolerant = params.settings.sleep_tolerance.is_some();
        let cell_steps = work.take(&results, state, &roll, is_tolerant);
        self.log.note(|log| {
            log.cycles += 1;
            log.apart += u64::from(parts.is_some());
            log.ranks = log.ranks.max(work.steps.len() as u64);
        });
        self.roll = Some(roll);
        Ok(CardOutcome::Done { cell_steps })
    }

    /// Returns the levels of the leaves that are listed as awake, beside the leaves apart; or the
    /// name of something in the cycle that no card does.
    fn levels(
        &self,
        state: &SimulationState,
        params: &Params,
        phases: &Phases,
        apart: Option<&Apart>,
    ) -> Result<AwakeRanks, &'static str> {
        if let Some(beyond) = self.beyond(state, params) {
            return Err(beyond);
        }
        let levels = AwakeRanks::of(state, params.settings.sleep_tolerance.is_some(), apart)?;
        let ends = [0, phases.plan().steps].map(|step| phases.at(step));
        match levels.has_columns && moves_too_much(state, params, ends) {
            true => Err(TOO_MUCH_WEATHER),
            false => Ok(levels),
        }
    }

    /// Gives slots to the leaves of a cycle, writes the planes that the slots lack, and plans the
    /// work.
    fn prepare(
        &mut self,
        holder: &mut HeldCard,
        mut levels: AwakeRanks,
        (state, params, phases): (&SimulationState, &Params, &Phases),
        apart: Option<&Apart>,
    ) -> Result<(Roll, CardWork), Failure> {
        if let Some(lost) = &holder.lost {
            return Err(lost.clone());
        }
        if let Some(apart) = apart {
            self.slots.keep_apart(holder, &state.leaves, &apart.leaves)?;
        }
        let method = KernelMethod::of(params.settings.solver, params.settings.order);
        self.slots.keep_shared(holder, &state.leaves)?;
        self.take_shape(holder, state, levels.has_columns)?;
        let device = self.device.clone();
        let roll = device
            .guard("its planes", |_| self.fill_slots(holder, &state.leaves, &mut levels))??;
        let edges = BoundaryFaces::of(&state.leaves, &levels, params);
        let words = InterfaceWords::of(&state.leaves, &levels, edges.words.len());
        let leaves = &state.leaves;
        let interfaces =
            Interfaces { leaves, levels: &levels, words: &words, slots: roll.slots(), method };
        let end = phases.at(phases.plan().steps);
        let records = records(&interfaces, &roll, &edges, end);
        let shape = holder.planes.shape;
        let beside = &roll.beside.iter().map(Vec::len).collect::<Vec<_>>();
        let (acts, steps) = acts(&levels, phases);
        let books = ContentBooks::of(state, &levels.awake, edges.accounts(leaves));
        let plan = StepPlan { state, params, phases, interfaces, edges: &edges, shape, beside };
        let commands = plan.commands(&acts, &books);
        self.kernels.make(&self.device, method, commands.needs())?;
        let sizes = Sizes::default();
        let mut work =
            CardWork { method, levels, records, commands, acts, steps, edges, words, books, sizes };
        work.sizes = self.put_work(holder, &work)?;
        Ok((roll, work))
    }

    /// Makes planes of the kinds that the world has: if different kinds are kept from now on, all
    /// leaves are read back and written again.
    fn take_shape(
        &mut self,
        holder: &mut HeldCard,
        state: &SimulationState,
        has_columns: bool,
    ) -> Result<(), Failure> {
        let leaves = &state.leaves;
        let has_classes = |class: &Option<CellClasses>| {
            class.as_ref().is_some_and(|class| !matches!(class, CellClasses::One(_)))
        };
        let shape = OptionalPlanes {
            has_ground: state.forcing.has_ground(),
            has_layer_classes: !state.forcing.layers.is_empty()
                && leaves.classes.par_iter().any(|own| own.iter().any(has_classes)),
            // Leaves with tables wake and sleep: the room for these stays.
            has_columns: has_columns || holder.planes.shape.has_columns,
            maps: leaves.maps.first().map_or(MapKinds::NONE, |maps| maps.kinds()),
            tracers: word(state.tracers.len()),
        };
        if shape == holder.planes.shape {
            return Ok(());
        }
        self.leave(holder, leaves, shape)
    }

    /// Gives slots to the leaves that are awake and to the leaves beside them, with their planes,
    /// and to their halo tiles.
    fn fill_slots(
        &mut self,
        holder: &mut HeldCard,
        leaves: &LeafTable,
        levels: &mut AwakeRanks,
    ) -> Result<Roll, Failure> {
        let last = self.roll.take().filter(|last| last.is_of(leaves, levels));
        let roll = match last {
            Some(roll) => roll,
            None => {
                let near = leaves.near(&levels.awake);
                if self.slots.must_make_way(holder.planes.room(), (leaves, &near), levels) {
                    let shape = holder.planes.shape;
                    self.leave(holder, leaves, shape)?;
                }
                Roll::of((&mut self.slots, holder), (leaves, near), levels)?
            }
        };
        let lacking = roll.lacking(&self.slots, leaves);
        self.log.note(|log| log.written += lacking.len() as u64);
        for (leaf, number) in lacking {
            match roll.is_guest(leaf) {
                true => self.slots.put_ground(holder, number, &leaves.grounds[leaf]),
                false => self.slots.put(holder, number, (leaves, leaf)),
            }
        }
        Ok(roll)
    }

    /// Returns the name of something lasting that this card does not do.
    fn beyond(&self, state: &SimulationState, params: &Params) -> Option<&'static str> {
        let binds = self.device.limits.max_storage_buffers_per_shader_stage;
        let has_too_few = !state.tracers.is_empty() && binds < WITH_CONTENTS;
        beyond_cycles(state, &params.settings).or(has_too_few.then_some(TOO_FEW_BUFFERS))
    }

    /// Writes the input of the kernels of a cycle into their buffers, which are empty otherwise.
    fn put_work(&mut self, holder: &mut HeldCard, work: &CardWork) -> Result<Sizes, Failure> {
        let CardWork { levels, records, commands, edges, words, books, .. } = work;
        let Commands { constants, tables, .. } = commands;
        let leaves = levels.awake.len();
        let shares: u32 = records.iter().map(|record| record.shares_count).sum();
        let booked = 2 * (leaves * BOOKED + shares as usize);
        let sizes = Sizes {
            steps: constants.len() * STEP_STRIDE as usize,
            records: size_of_val(&records[..]),
            reports: records.len() * size_of::<LeafReport>(),
            tables: size_of_val(&tables[..]),
            bookings: 4 * (booked + books.words()),
            booked,
            edges: size_of_val(&edges.words[..]) + size_of_val(&words.all[..]),
        };
        self.make_buffers(&sizes)?;
        let buffers = self.buffers.as_ref().expect("made");
        let queue = &self.device.queue;
        let mut bytes = vec![0; sizes.steps];
        for (bytes, step) in bytes.chunks_mut(STEP_STRIDE as usize).zip(constants) {
            bytes[..size_of::<StepConstants>()].copy_from_slice(bytemuck::bytes_of(step));
        }
        queue.write_buffer(&buffers.steps, 0, &bytes);
        queue.write_buffer(&buffers.records, 0, bytemuck::cast_slice(records));
        queue.write_buffer(&buffers.tables, 0, bytemuck::cast_slice(tables));
        let all: Vec<u32> = edges.words.iter().chain(&words.all).copied().collect();
        queue.write_buffer(&buffers.edges, 0, bytemuck::cast_slice(&all));
        let room = holder.planes.room();
        if self.bound.as_ref().is_none_or(|(known, _)| *known != room) {
            let (kernels, planes) = (&self.kernels, &holder.planes);
            let groups =
                self.device.guard("its planes", |device| kernels.bind(device, planes, buffers))?;
            self.bound = Some((room, groups));
        }
        Ok(sizes)
    }

    /// Adds the commands of some acts of a cycle, after the acts before them.
    fn add_acts(
        &self,
        commands: &mut wgpu::CommandEncoder,
        now: usize,
        work: &CardWork,
        which: Range<usize>,
    ) {
        if which.start == 0 {
            let buffers = self.buffers.as_ref().expect("made");
            commands.clear_buffer(&buffers.reports, 0, Some(work.sizes.reports as u64));
            commands.clear_buffer(&buffers.bookings, 0, Some(work.sizes.bookings as u64));
        }
        let mut pass = commands.begin_compute_pass(&Default::default());
        for number in which {
            self.add_act(&mut pass, now, work, number);
        }
    }

    /// Submits some acts of a cycle, after the acts before them.
    ///
    /// # Errors
    ///
    /// The card is lost, or refuses them.
    pub(crate) fn submit(&self, work: &CardWork, which: Range<usize>) -> Result<(), Failure> {
        let now = self.shared.lock().planes.now();
        self.device.guard("a part of a cycle", |device| {
            let mut commands = device.create_command_encoder(&Default::default());
            self.add_acts(&mut commands, now, work, which);
            self.device.queue.submit([commands.finish()]);
        })
    }

    /// Writes the water of a leaf apart, in the middle of a cycle.
    pub(crate) fn put_guest(
        &mut self,
        holder: &mut HeldCard,
        slot: u32,
        (water, is_turned): (&Water, bool),
    ) {
        self.slots.put_guest(holder, slot, (water, is_turned));
    }

    /// Runs the last acts of a cycle, and waits for the results.
    fn finish(
        &self,
        holder: &HeldCard,
        work: &CardWork,
        rest: Range<usize>,
    ) -> Result<CardResults, Failure> {
        let CardWork { commands: Commands { constants, .. }, words, books, sizes, .. } = work;
        let (buffers, now) = (self.buffers.as_ref().expect("made"), holder.planes.now());
        let is_forced = constants.iter().any(|step| step.is_forced != 0);
        let is_booked = is_forced || books.words() > 0;
        let in_bookings = if is_booked { sizes.bookings } else { 0 };
        let parts = [
            (&buffers.reports, sizes.reports as u64),
            (&buffers.bookings, in_bookings as u64),
            (&buffers.edges, 4 * (words.first + words.all.len()) as u64),
        ];
        let [reports, mut bookings, mut words_of_edges] =
            self.device.results("a cycle", parts, |commands| {
                self.add_acts(commands, now, work, rest);
            })?;
        let contents = bookings.split_off(sizes.booked.min(bookings.len()));
        let words = words_of_edges.split_off(words.first);
        let reports = bytemuck::pod_collect_to_vec(&reports);
        Ok(CardResults { reports, bookings, contents, edges: words_of_edges, words })
    }

    /// Adds an act to the commands; `now` is the buffer, of two, that contains the water.
    fn add_act(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        now: usize,
        work: &CardWork,
        number: usize,
    ) {
        let CardWork { method, commands, acts, levels, .. } = work;
        let (_, groups) = self.bound.as_ref().expect("bound");
        let (of_levels, method) = (self.kernels.levels(commands.has_columns), *method);
        let (act, number) = (&acts[number], commands.numbers[number]);
        let bound = &groups[(now + usize::from(act.is_turned)) % 2];
        let counts = commands.counts[act.level];
        let constants = &commands.constants[number as usize];
        let own = (number * STEP_STRIDE, &counts);
        let beside = commands.beside[act.level];
        let step = LevelStep { method, number, constants, counts, beside, levels: of_levels };
        match act.what {
            ActKind::Open => {
                if let Some(kernels) = of_levels {
                    let has = [constants.has_classes != 0, constants.columns_at != 0];
                    kernels.open(pass, bound, own, has);
                }
            }
            ActKind::Begin => {
                if let Some(kernels) = of_levels {
                    kernels.begin(pass, bound, own);
                }
                self.kernels.begin(pass, bound, step);
                if let Some(kernels) = of_levels {
                    kernels.begun(pass, bound, own);
                }
            }
            ActKind::Show => {
                if let Some(kernels) = of_levels {
                    kernels.show(pass, bound, own);
                }
            }
            ActKind::Step => {
                self.kernels.step(pass, bound, step);
            }
            ActKind::Close => {
                if let Some(kernels) = of_levels {
                    kernels.keep_beyond(pass, bound, own);
                    if act.is_turned && levels.all.len() > 1 {
                        let leaves = constants.count - constants.first;
                        kernels.turn_back(pass, bound, (own.0, leaves));
                        self.kernels.turn_contents_back(pass, bound, (own.0, constants));
                    }
                }
            }
        }
    }

    /// Makes buffers of these sizes at least.
    fn make_buffers(&mut self, sizes: &Sizes) -> Result<(), Failure> {
        let Sizes { steps, records, reports, tables, bookings, edges, .. } = *sizes;
        let sizes = [steps, records, reports, tables, bookings, edges].map(|size| size as u64);
        let fits = |buffers: &CycleBuffers| {
            let CycleBuffers { steps, records, reports, tables, bookings, edges } = buffers;
            let made = [steps, records, reports, tables, bookings, edges];
            made.into_iter().zip(sizes).all(|(buffer, size)| buffer.size() >= size)
        };
        if self.buffers.as_ref().is_some_and(fits) {
            return Ok(());
        }
        let sizes = sizes.map(|size| size.next_power_of_two().max(1024));
        let made = self.device.guard("buffers of a cycle", |device| {
            let buffer = |label, size, usage| {
                device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some(label),
                    size,
                    usage: usage | wgpu::BufferUsages::COPY_DST,
                    mapped_at_creation: false,
                })
            };
            let storage = wgpu::BufferUsages::STORAGE;
            let results = storage | wgpu::BufferUsages::COPY_SRC;
            CycleBuffers {
                steps: buffer("steps", sizes[0], wgpu::BufferUsages::UNIFORM),
                records: buffer("records", sizes[1], storage),
                reports: buffer("reports", sizes[2], results),
                tables: buffer("tables", sizes[3], storage),
                bookings: buffer("bookings", sizes[4], results),
                edges: buffer("edges", sizes[5], results),
            }
        })?;
        (self.buffers, self.bound) = (Some(made), None);
        Ok(())
    }
}

impl GpuCard {
    /// Marks the card as lost: it is not used any more.
    fn lose(&self, failure: Failure) {
        self.shared.lock().lost.get_or_insert(failure.clone());
        self.log.note(|log| {
            log.lost.get_or_insert(failure);
        });
    }
}

impl Card for GpuCard {
    fn can(&mut self, state: &SimulationState, params: &Params) -> bool {
        if self.log.events().lost.is_some() {
            return false;
        }
        let is_most_apart = || Apart::of(state).is_some_and(|apart| apart.is_most());
        let beyond =
            self.beyond(state, params).or_else(|| beside_planes(state).filter(|_| is_most_apart()));
        let is_tolerant = params.settings.sleep_tolerance.is_some();
        let beyond =
            beyond.or_else(|| beside_planes(state).filter(|_| is_tolerant).map(|_| TOLERANT_APART));
        beyond.into_iter().for_each(|beyond| self.log.refuse(beyond));
        if beyond.is_some() && self.roll.is_some() {
            self.rest(state);
        }
        beyond.is_none()
    }

    fn keep(&mut self, state: &SimulationState) -> bool {
        let shared = Arc::clone(&self.shared);
        let kept = self.slots.keep_shared(&shared.lock(), &state.leaves);
        kept.map_err(|failure| self.lose(failure)).is_ok()
    }

    fn bring_ahead(&self, leaves: &LeafTable, needed: &Needed) {
        self.slots.bring_ahead(&mut self.shared.lock(), leaves, needed);
    }

    fn step(&mut self, cycle: CardCycle<'_>) -> CardOutcome {
        self.try_step(cycle).unwrap_or_else(|failure| {
            self.lose(failure);
            CardOutcome::Left
        })
    }
}

/// Returns records of leaves that are awake, in a cycle that ends at `end`, and of halo tiles.
fn records(
    interfaces: &Interfaces<'_>,
    roll: &Roll,
    edges: &BoundaryFaces,
    end: SimTime,
) -> Vec<LeafRecord> {
    let Interfaces { leaves, levels, .. } = interfaces;
    let has_tiles = levels.has_halo();
    let record = |record: usize| {
        let leaf = levels.awake[record];
        let key = leaves.forest.leaves()[leaf];
        let corner = key.corner();
        let mut layers = [0; LAYERS];
        for (class, own) in layers.iter_mut().zip(&leaves.classes[leaf]) {
            *class = match own {
                None => 0,
                Some(CellClasses::One(class)) => u32::from(*class),
                Some(CellClasses::Marked(_) | CellClasses::Each(_)) => u32::MAX,
            };
        }
        let shares = leaves.scratch[leaf].shares.len();
        let rank = levels.rank_of(leaf).unwrap_or(0);
        let has_interfaces = has_tiles && leaves.interfaces[leaf].is_some();
        let unseen = leaves.maps_of(leaf).map_or(0, |maps| maps.ticks_unseen(end));
        Some(LeafRecord {
            near: if has_tiles { interfaces.near(rank, key) } else { roll.around[record] },
            west: corner.x,
            south: corner.y,
            asleep: roll.asleep[record],
            layers,
            shares_from: 0,
            shares_count: u32::try_from(shares).expect("4096 for each inflow at most"),
            span: words(unseen),
            far_edges: edges.far[record],
            marks: if has_tiles { interfaces.marks(leaf) } else { 0 },
            moving: u32::MAX,
            finished: u32::MAX,
            owner_west: NONE,
            owner_south: NONE,
            north_at: if has_tiles { interfaces.words.shown(leaf) } else { NONE },
            crossing: interfaces.words.crossing(leaf),
            others: if has_interfaces { interfaces.others(leaf) } else { [NONE; 4] },
            shown_as: if has_interfaces { interfaces.shown_as(leaf) } else { NONE },
            rest: 0,
        })
    };
    // If levels meet, the leaves around are looked up by place.
    let few = if has_tiles { FEW_LEAVES / 32 } else { FEW_LEAVES };
    let mut records: Vec<LeafRecord> = found(levels.awake.len(), few, record);
    let mut shares_from = 0;
    for record in &mut records {
        record.shares_from = shares_from;
        shares_from += record.shares_count;
    }
    records.extend(interfaces.halo_records());
    let beside = (0..).zip(&roll.beside);
    let beside = beside.flat_map(|(rank, all)| all.iter().map(move |own| (rank, own)));
    let near = |(rank, &(leaf, around)): (usize, &(LeafId, _))| match has_tiles {
        true => interfaces.near(rank, leaves.forest.leaves()[leaf]),
        false => around,
    };
    records.extend(beside.map(|own| LeafRecord { near: near(own), ..LeafRecord::NONE }));
    records
}
