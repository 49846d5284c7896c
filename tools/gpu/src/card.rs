//! A card that steps the leaves of a world.
//!
//! ```text
//! a cycle   leaves that are awake, and those beside them, get slots; what is not there is written
//!           all steps, one after the other, in one submission
//!           a report of each leaf comes back; the planes stay until somebody reads them
//! ```
//!
//! Guarantees: the bits of the processor, or the card is not used: cycles that it cannot do are left
//!             to the processor, and a card that is lost loses nothing.
//! Limits:     the pipe, flat columns, leaves of one level at a time; no forcing, edges, bodies,
//!             links, barriers, intervals, tracers, flood maps or tolerance of sleep yet.

use crate::arithmetic::Routes;
use crate::device::Device;
use crate::failure::Failure;
use crate::kernels::{CycleBuffers, Kernels, Record, Report, STEP_STRIDE, StepConstants, state};
use crate::place::{Holder, Shared};
use crate::planes::Planes;
use crate::self_test;
use crate::slots::Slots;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};
use thalweg::flow::face::FaceSummary;
use thalweg::flow::solver::{Solver, StepSummary};
use thalweg::flow::transfer::Dither;
use thalweg::forest::Neighbour;
use thalweg::grid::{LeafId, Side, TILE_CELLS};
use thalweg::sim::card::{Card, CardCycle, Outcome, beside_planes};
use thalweg::sim::params::Params;
use thalweg::sim::phases::{Phase, Phases};
use thalweg::sim::state::State;
use thalweg::sim::table::LeafTable;

/// Roughness classes that there may be.
const CLASSES: usize = 256;

/// What happened on a card: for messages, shared with whoever asks.
#[derive(Debug, Clone, Default)]
pub struct CardLog(Arc<Mutex<CardEvents>>);

/// Events on a card.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CardEvents {
    /// Cycles that the card did.
    pub cycles: u64,
    /// First thing that it could not do, where there was one.
    pub refused: Option<String>,
    /// Reason why it is no longer used.
    pub lost: Option<Failure>,
}

impl CardLog {
    /// Events so far.
    #[must_use]
    pub fn events(&self) -> CardEvents {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn note(&self, note: impl FnOnce(&mut CardEvents)) {
        note(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

/// A card with the planes of the leaves that it steps.
#[derive(Debug)]
pub struct GpuCard {
    device: Device,
    routes: Routes,
    kernels: Kernels,
    shared: Arc<Shared>,
    slots: Slots,
    buffers: Option<CycleBuffers>,
    /// Planes and buffers as they are bound, by the room that they had.
    bound: Option<(u32, [wgpu::BindGroup; 2])>,
    log: CardLog,
}

impl GpuCard {
    /// Opens the fastest card of the system, and tests it.
    ///
    /// # Errors
    ///
    /// [`Failure`]: there is none, or it does not compute as the processor.
    pub fn open() -> Result<Self, Failure> {
        Self::on(Device::open()?)
    }

    /// Tests a card and takes it.
    ///
    /// # Errors
    ///
    /// [`Failure`]: it does not compute as the processor, or has no memory left.
    pub fn on(device: Device) -> Result<Self, Failure> {
        let routes = self_test::choose(&device)?;
        let kernels = Kernels::new(&device, routes)?;
        let shared = Arc::new(Shared::new(Planes::new(&device, 1)?));
        let slots = Slots::new(&shared);
        let log = CardLog::default();
        Ok(Self { device, routes, kernels, shared, slots, buffers: None, bound: None, log })
    }

    /// Name of the card.
    #[must_use]
    pub fn name(&self) -> String {
        self.device.name()
    }

    /// How it computes.
    #[must_use]
    pub fn routes(&self) -> Routes {
        self.routes
    }

    /// The log of the card.
    #[must_use]
    pub fn log(&self) -> CardLog {
        self.log.clone()
    }

    /// The device.
    #[must_use]
    pub fn device(&self) -> &Device {
        &self.device
    }

    fn try_step(&mut self, cycle: CardCycle<'_>) -> Result<Outcome, Failure> {
        let CardCycle { state, params, phases, checkpoint } = cycle;
        let (awake, steps) = match steps_of(state, params, phases) {
            Ok(found) => found,
            Err(beyond) => {
                self.log.note(|log| {
                    log.refused.get_or_insert_with(|| beyond.to_owned());
                });
                return Ok(Outcome::Left);
            }
        };
        let shared = Arc::clone(&self.shared);
        let mut holder = shared.lock();
        let slots = self.fill_slots(&mut holder, &state.leaves, &awake)?;
        let records = records(&state.leaves, &awake, &slots);
        let constants = constants(params, phases, &steps, (records.len(), &state.leaves, &awake));
        let reports = self.run(&mut holder, &records, &constants, params)?;
        holder.forget_read();
        holder.checkpoint = Some(Arc::clone(checkpoint));
        holder.stepped = awake.iter().map(|leaf| slots.of(*leaf)).collect();
        let count = u32::try_from(steps.len()).expect("64 at most");
        holder.planes.turn(count);
        drop(holder);
        for (&leaf, report) in awake.iter().zip(&reports) {
            let place = self.slots.stepped(slots.of(leaf));
            let water = &mut state.leaves.water[leaf];
            let own: *const crate::place::Slot = Arc::as_ptr(place);
            let is_there =
                water.place().is_some_and(|place| std::ptr::addr_eq(Arc::as_ptr(place), own));
            if is_there {
                water.release_at_once();
            } else {
                water.let_go(Arc::<crate::place::Slot>::clone(place));
            }
            take_report(&mut state.leaves, leaf, report, count);
        }
        self.log.note(|log| log.cycles += 1);
        let cell_steps = awake.len() as u64 * u64::from(count) * TILE_CELLS as u64;
        Ok(Outcome::Done { cell_steps })
    }

    /// Gives slots to the leaves that are awake and to those beside them, with their planes.
    fn fill_slots(
        &mut self,
        holder: &mut Holder,
        leaves: &LeafTable,
        awake: &[LeafId],
    ) -> Result<SlotsOfLeaves, Failure> {
        let near = leaves.near(awake);
        let numbers = self.slots.assign(holder, leaves, &near)?;
        let of_leaves = SlotsOfLeaves { near, numbers };
        // Before anything is written over: what somebody else still holds.
        let own: Vec<u32> = awake.iter().map(|leaf| of_leaves.of(*leaf)).collect();
        let kept = self.slots.shared_places(&own);
        for (slot, water) in kept.iter().zip(holder.planes.read(&kept)?) {
            self.slots.place(*slot).keep(water);
        }
        for (&leaf, &number) in of_leaves.near.iter().zip(&of_leaves.numbers) {
            self.slots.put_ground(holder, number, &leaves.grounds[leaf]);
            if leaves.asleep[leaf] {
                self.slots.put_asleep(holder, number, leaves, leaf);
            } else {
                self.slots.put_awake(holder, number, leaves, leaf);
            }
        }
        Ok(of_leaves)
    }

    /// Runs the steps, and waits for the reports.
    fn run(
        &mut self,
        holder: &mut Holder,
        records: &[Record],
        constants: &[StepConstants],
        params: &Params,
    ) -> Result<Vec<Report>, Failure> {
        self.make_buffers(records.len(), constants.len())?;
        let buffers = self.buffers.as_ref().expect("made");
        let queue = &self.device.queue;
        let mut bytes = vec![0; constants.len() * STEP_STRIDE as usize];
        for (bytes, step) in bytes.chunks_mut(STEP_STRIDE as usize).zip(constants) {
            bytes[..size_of::<StepConstants>()].copy_from_slice(bytemuck::bytes_of(step));
        }
        queue.write_buffer(&buffers.steps, 0, &bytes);
        queue.write_buffer(&buffers.records, 0, bytemuck::cast_slice(records));
        queue.write_buffer(&buffers.tables, 0, bytemuck::cast_slice(&params.n2));
        let room = holder.planes.capacity();
        if self.bound.as_ref().is_none_or(|(known, _)| *known != room) {
            let (kernels, planes) = (&self.kernels, &holder.planes);
            let groups = self
                .device
                .guard("its planes", |device| kernels.bind(device, planes, buffers))?;
            self.bound = Some((room, groups));
        }
        let (_, groups) = self.bound.as_ref().expect("bound");
        let count = u32::try_from(records.len()).expect("leaves are u32");
        let now = holder.planes.now();
        let report_bytes = size_of_val(records) as u64 / size_of::<Record>() as u64
            * size_of::<Report>() as u64;
        self.device.guard("a cycle", |device| {
            let mut commands = device.create_command_encoder(&Default::default());
            commands.clear_buffer(&buffers.reports, 0, Some(report_bytes));
            let mut pass = commands.begin_compute_pass(&Default::default());
            for step in 0..u32::try_from(constants.len()).expect("64 at most") {
                let group = &groups[(now + step as usize) % 2];
                self.kernels.step(&mut pass, group, (step, count));
            }
            drop(pass);
            queue.submit([commands.finish()]);
        })?;
        let words = self.device.read(&buffers.reports, 0, report_bytes)?;
        Ok(bytemuck::pod_collect_to_vec(&words))
    }

    /// Has buffers for so many records and steps.
    fn make_buffers(&mut self, records: usize, steps: usize) -> Result<(), Failure> {
        let (records, steps) = (records as u64, steps as u64);
        let fits = |buffers: &CycleBuffers| {
            buffers.records.size() >= records * size_of::<Record>() as u64
                && buffers.steps.size() >= steps * STEP_STRIDE
        };
        if self.buffers.as_ref().is_some_and(fits) {
            return Ok(());
        }
        let records = records.next_power_of_two().max(64);
        let steps = steps.next_power_of_two().max(8);
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
            let reports = storage | wgpu::BufferUsages::COPY_SRC;
            CycleBuffers {
                steps: buffer("steps", steps * STEP_STRIDE, wgpu::BufferUsages::UNIFORM),
                records: buffer("records", records * size_of::<Record>() as u64, storage),
                reports: buffer("reports", records * size_of::<Report>() as u64, reports),
                tables: buffer("tables", 4 * CLASSES as u64, storage),
            }
        })?;
        (self.buffers, self.bound) = (Some(made), None);
        Ok(())
    }
}

impl Card for GpuCard {
    fn can(&self, state: &State, params: &Params) -> bool {
        if self.log.events().lost.is_some() {
            return false;
        }
        let beyond = beyond_card(state, params);
        if let Some(beyond) = beyond {
            self.log.note(|log| {
                log.refused.get_or_insert_with(|| beyond.to_owned());
            });
        }
        beyond.is_none()
    }

    fn step(&mut self, cycle: CardCycle<'_>) -> Outcome {
        self.try_step(cycle).unwrap_or_else(|failure| {
            self.shared.lock().lost.get_or_insert(failure.clone());
            self.log.note(|log| {
                log.lost.get_or_insert(failure);
            });
            Outcome::Left
        })
    }
}

/// Slots of leaves, which ascend.
struct SlotsOfLeaves {
    near: Vec<LeafId>,
    numbers: Vec<u32>,
}

impl SlotsOfLeaves {
    fn of(&self, leaf: LeafId) -> u32 {
        self.numbers[self.near.binary_search(&leaf).expect("leaves and all beside them")]
    }
}

/// Name of something in a world that no card does yet; none where it may do all of it.
fn beyond_card(state: &State, params: &Params) -> Option<&'static str> {
    let State { leaves, forcing, .. } = state;
    let has_forcing =
        !forcing.layers.is_empty() || forcing.green_ampt.is_some() || !forcing.inflows.is_empty();
    [
        (params.settings.solver != Solver::Pipe, "shallow water"),
        (params.settings.sleep_tolerance.is_some(), "a tolerance of sleep"),
        (has_forcing, "forcing"),
        (!leaves.maps.is_empty(), "flood maps"),
    ]
    .into_iter()
    .find_map(|(is_there, name)| is_there.then_some(name))
    .or_else(|| beside_planes(state))
}

/// Leaves that are awake, and the finest steps of each of their steps, where a card can do all of
/// the phases; else what it cannot do.
fn steps_of(
    state: &State,
    params: &Params,
    phases: &Phases,
) -> Result<(Vec<LeafId>, Vec<Range<u32>>), &'static str> {
    let State { leaves, activity, .. } = state;
    if let Some(beyond) = beyond_card(state, params) {
        return Err(beyond);
    }
    let mut levels = activity.awake.iter().filter(|awake| !awake.is_empty());
    let awake = levels.next().ok_or("no water")?;
    if levels.next().is_some() {
        return Err("several levels");
    }
    for &leaf in awake {
        if leaves.interfaces[leaf].is_some() {
            return Err("interfaces between levels");
        }
        if !leaves.own[leaf].boundary.is_empty() {
            return Err("open edges");
        }
        if leaves.grounds[leaf].columns.is_some() {
            return Err("sub-grid columns");
        }
    }
    let steps = phases.list().iter().filter_map(|phase| match phase {
        Phase::Leaves { steps, .. } => Some(steps.clone()),
        _ => None,
    });
    Ok((awake.clone(), steps.collect()))
}

/// Records of leaves that are awake.
fn records(leaves: &LeafTable, awake: &[LeafId], slots: &SlotsOfLeaves) -> Vec<Record> {
    let record = |&leaf: &LeafId| {
        let around = leaves.forest.around(leaf);
        let near = around.map(|beside| if beside == LeafId::NONE { 0 } else { slots.of(beside) });
        let corner = leaves.forest.leaves()[leaf].corner();
        let is_asleep = |side: Side| match leaves.forest.across(leaf, side) {
            Neighbour::Same(beside) => leaves.asleep[beside],
            _ => false,
        };
        let sides = [Side::West, Side::East, Side::South, Side::North];
        let bits = sides.into_iter().enumerate();
        let asleep = bits.map(|(bit, side)| u32::from(is_asleep(side)) << bit).sum();
        Record { near, west: corner.x, south: corner.y, asleep }
    };
    awake.iter().map(record).collect()
}

/// Constants of the steps of a cycle.
fn constants(
    params: &Params,
    phases: &Phases,
    steps: &[Range<u32>],
    (count, leaves, awake): (usize, &LeafTable, &[LeafId]),
) -> Vec<StepConstants> {
    let level = leaves.forest.leaves()[awake[0]].level;
    let last = phases.plan().steps;
    let of_step = |range: &Range<u32>| {
        let (from, to) = (phases.at(range.start), phases.at(range.end));
        let step = params.of_step(level, from, to);
        let dither = Dither::new(params.settings.seed, level, 0, 0, from.ticks());
        let [key_x, key_y, _] = dither.keys().map(words);
        let face = step.face;
        StepConstants {
            key_x,
            key_y,
            zero: 0,
            count: u32::try_from(count).expect("leaves are u32"),
            is_last: u32::from(range.end == last),
            has_classes: u32::from(params.n2.len() > 1),
            unit_m: face.unit_m,
            gravity_ratio: face.gravity_ratio,
            per_gravity_ratio: face.per_gravity_ratio,
            gravity: face.gravity,
            slope_of_unit: face.slope_of_unit,
            gravity_most: face.gravity_most,
            friction: face.friction,
            speed_max: face.speed_max,
            damping: face.damping,
            damping_wave: face.damping_wave,
            damping_noise: face.damping_noise,
            units_per_flow: step.units_per_flow,
        }
    };
    steps.iter().map(of_step).collect()
}

/// A 64-bit word as the text has it: the low half first.
#[expect(clippy::cast_possible_truncation, reason = "halves")]
fn words(key: u64) -> [u32; 2] {
    [key as u32, (key >> 32) as u32]
}

/// What the steps of a cycle on the processor leave at a leaf.
fn take_report(leaves: &mut LeafTable, leaf: LeafId, report: &Report, steps: u32) {
    let has = |bit: u32| report.state & bit != 0;
    let (own, scratch) = (&mut leaves.own[leaf], &mut leaves.scratch[leaf]);
    own.is_wet = has(state::WET);
    scratch.is_idle = !has(state::ACTIVE) && !has(state::UNEVEN_LAST);
    let faces = FaceSummary {
        pace_max: f32::from_bits(report.pace_max),
        flow_depth_max: f32::from_bits(report.flow_depth_max),
        clamped: report.clamped,
        is_active: has(state::ACTIVE) || has(state::UNEVEN_EVER),
    };
    let cells = u64::from(steps) * TILE_CELLS as u64;
    scratch.seen = StepSummary { faces, limited: report.limited, cells };
    scratch.steps = steps;
}
