//! Water on a graphics card: speed, and hashes against the processor.

mod apart;
mod hash;
mod play;
mod regrid;

use crate::kernel;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::WorldPlan;
use gpu::{CardLog, Device, GpuCard};
use std::time::{Duration, Instant};
use thalweg::units::SimTime;
use thalweg_engine::sim::{Simulation, Solver};

/// Measurements on the card of this machine.
pub const BENCHES: &[Bench] = &[
    Bench {
        ids: &["gpu.pipe.hash"],
        what: "hashes that differ between card and processor over 1,000 cycles of a wet world",
        is_long: true,
        measure: pipe_hashes,
    },
    Bench {
        ids: &["gpu.swe.hash"],
        what: "the same with shallow water of second order",
        is_long: true,
        measure: shallow_hashes,
    },
    Bench {
        ids: &["gpu.active"],
        what: "a step of the pipe in a mostly sleeping world of 60,000 leaves",
        is_long: true,
        measure: active,
    },
    apart::BENCH,
    play::BENCH,
    regrid::BENCH,
    hash::PIPE,
    hash::FIRST_ORDER,
    hash::SECOND_ORDER,
    Bench {
        ids: &["gpu.swe.gcells", "gpu.swe.roofline"],
        what: "shallow water of second order on that world",
        is_long: true,
        measure: shallow,
    },
    Bench {
        ids: &["gpu.pipe.gcells", "gpu.pipe.roofline"],
        what: "the pipe on a wet 8192 × 8192 world, and the part of the card's copy bandwidth, \
               at 28 bytes a cell and step, that this is",
        is_long: true,
        measure: pipe,
    },
];

const PLAN: WorldPlan =
    WorldPlan { width: 8192, height: 8192, cell_m: 10.0, exponent: 20, datum_m: 0.0 };
/// World whose hashes are compared.
const SMALL: WorldPlan = WorldPlan { width: 320, height: 256, ..PLAN };
/// Cycles; the fastest counts.
const CYCLES: u32 = 20;
/// Least number of bytes that a cell moves in a step.
const BYTES_PER_CELL: f64 = 28.0;

/// Opens a card, with its log and its name; skipped if the machine has no card.
fn card() -> Result<(GpuCard, CardLog, String), BenchError> {
    let card = GpuCard::open().map_err(|failure| BenchError::Skipped(failure.to_string()))?;
    let (log, name) = (card.log(), format!("{}: {}", card.name(), card.routes()));
    Ok((card, log, name))
}

/// Fails if the card did not do all of these cycles.
fn check(log: &CardLog, cycles: u64) -> Result<(), BenchError> {
    let events = log.events();
    if events.cycles == cycles && events.lost.is_none() {
        return Ok(());
    }
    Err(format!("the card did not do all of {cycles} cycles: {events:?}").into())
}

fn pipe_hashes(_: &Context) -> BenchResult {
    hashes("gpu.pipe.hash", Solver::Pipe)
}

fn shallow_hashes(_: &Context) -> BenchResult {
    hashes("gpu.swe.hash", Solver::ShallowWater)
}

fn pipe(_: &Context) -> BenchResult {
    speed(["gpu.pipe.gcells", "gpu.pipe.roofline"], Solver::Pipe, [">= 60", ">= 0.4"])
}

fn shallow(_: &Context) -> BenchResult {
    speed(["gpu.swe.gcells", "gpu.swe.roofline"], Solver::ShallowWater, [">= 25", ">= 0.2"])
}

fn hashes(id: &'static str, solver: Solver) -> BenchResult {
    let (card, log, name) = card()?;
    let mut plain = kernel::simulation(&SMALL, true, solver)?;
    let mut carded = plain.clone();
    carded.set_card(Some(Box::new(card)));
    let mut different = 0;
    for cycle in 1..=1000 {
        for simulation in [&mut plain, &mut carded] {
            simulation.run_cycle(SimTime::MAX);
        }
        if cycle % 20 == 0 {
            different += u32::from(plain.state_hash() != carded.state_hash());
        }
    }
    check(&log, 1000)?;
    let value = f64::from(different);
    Ok(vec![
        Measurement::new(id, value, "hashes")
            .target("<= 0")
            .cells(SMALL.cells())
            .note(format!("50 hashes in 1,000 cycles; {name}")),
    ])
}

fn speed(ids: [&'static str; 2], solver: Solver, targets: [&'static str; 2]) -> BenchResult {
    let (card, log, name) = card()?;
    let copied = copy_bytes_per_s(card.device())?;
    let mut wet = kernel::simulation(&PLAN, true, solver)?;
    wet.set_card(Some(Box::new(card)));
    // The planes are written to the card first.
    let mut first_s = 0.0;
    let mut fastest = f64::INFINITY;
    let mut all_s = 0.0;
    for cycle in 0..=CYCLES {
        let (s, steps) = run(&mut wet);
        if cycle == 0 {
            first_s = s;
            continue;
        }
        all_s += s;
        fastest = fastest.min(s / f64::from(steps));
    }
    check(&log, u64::from(CYCLES) + 1)?;
    let rate = PLAN.cells() as f64 / fastest;
    let share = rate * BYTES_PER_CELL / copied;
    let note = format!(
        "{name}; first cycle with all planes {first_s:.2} s, then {:.1} ms a cycle on average",
        1.0e3 * all_s / f64::from(CYCLES)
    );
    let yardstick = format!("a kernel that copies: {:.0} GB/s, read and written", copied * 1.0e-9);
    Ok(vec![
        Measurement::new(ids[0], rate * 1.0e-9, "Gcells/s")
            .target(targets[0])
            .cells(PLAN.cells())
            .note(note),
        Measurement::new(ids[1], share, "1").target(targets[1]).cells(PLAN.cells()).note(yardstick),
    ])
}

/// World that sleeps but for a basin of some leaves a side.
const SLEEPING: WorldPlan = WorldPlan { width: 245 * 64, height: 245 * 64, cell_m: 1.0, ..PLAN };
const BASIN: usize = 30;
/// Leaves that may be awake in the end: the basin, and leaves beside it.
const AWAKE: usize = 1100;
/// Cycles in which all remaining leaves fall asleep.
const CYCLES_TO_SLEEP: usize = 400;
/// Time in which a card reaches its clock.
const WARM: Duration = Duration::from_secs(2);

fn active(_: &Context) -> BenchResult {
    let (card, log, name) = card()?;
    let mut world = kernel::basin(&SLEEPING, BASIN, Solver::Pipe)?;
    let mut cycles = 0..CYCLES_TO_SLEEP;
    if !cycles.any(|_| world.run_cycle(SimTime::MAX).awake < AWAKE) {
        return Err("the ground about the basin does not fall asleep".into());
    }
    world.set_card(Some(Box::new(card)));
    // A card without work before runs at a fifth of its clock for a quarter of a second.
    let (begun, mut before) = (Instant::now(), 0);
    while begun.elapsed() < WARM {
        run(&mut world);
        before += 1;
    }
    let (mut all_s, mut steps, mut fastest) = (0.0, 0, f64::INFINITY);
    for _ in 0..CYCLES {
        let (s, count) = run(&mut world);
        all_s += s;
        steps += count;
        fastest = fastest.min(s / f64::from(count));
    }
    check(&log, u64::from(CYCLES) + before)?;
    let awake = world.asleep().iter().filter(|asleep| !**asleep).count();
    let note = format!(
        "{name}; {awake} of {} leaves awake, {steps} steps in {CYCLES} cycles; the fastest cycle \
         {:.0} µs a step",
        world.asleep().len(),
        1.0e6 * fastest
    );
    Ok(vec![
        Measurement::new("gpu.active", 1.0e6 * all_s / f64::from(steps), "µs")
            .target("<= 100")
            .cells(SLEEPING.cells())
            .note(note),
    ])
}

/// Runs one cycle: returns its wall time, s, and its steps.
fn run(simulation: &mut Simulation) -> (f64, u32) {
    let start = Instant::now();
    let report = simulation.run_cycle(SimTime::MAX);
    (start.elapsed().as_secs_f64(), report.steps)
}

/// A kernel that copies 4 KiB per workgroup.
const COPY: &str = "
@group(0) @binding(0) var<storage, read> from_here: array<vec4<u32>>;
@group(0) @binding(1) var<storage, read_write> to_there: array<vec4<u32>>;
@compute @workgroup_size(256)
fn copy(@builtin(global_invocation_id) id: vec3<u32>) {
  let i = id.y * 65536u + id.x;
  to_there[i] = from_here[i];
}
";

/// Returns the bytes that the card reads and writes in a second while a kernel copies.
fn copy_bytes_per_s(device: &Device) -> Result<f64, BenchError> {
    const BYTES: u64 = 1 << 29;
    const COPIES: u32 = 64;
    let bytes = BYTES.min(device.limits.max_storage_buffer_binding_size.next_power_of_two() / 2);
    let failed = |failure: gpu::Failure| BenchError::Failed(failure.to_string().into());
    let kernel = device.kernel(COPY, "copy", None).map_err(failed)?;
    let group = device
        .guard("two buffers to copy", |wgpu| {
            let buffers = [0, 1].map(|_| {
                wgpu.create_buffer(&wgpu::BufferDescriptor {
                    label: None,
                    size: bytes,
                    usage: wgpu::BufferUsages::STORAGE,
                    mapped_at_creation: false,
                })
            });
            let entries = [0, 1].map(|binding| wgpu::BindGroupEntry {
                binding,
                resource: buffers[binding as usize].as_entire_binding(),
            });
            wgpu.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &kernel.get_bind_group_layout(0),
                entries: &entries,
            })
        })
        .map_err(failed)?;
    let rows = u32::try_from(bytes >> 20)?;
    let mut fastest = f64::INFINITY;
    for _ in 0..4 {
        let mut commands = device.wgpu.create_command_encoder(&Default::default());
        let mut pass = commands.begin_compute_pass(&Default::default());
        pass.set_pipeline(&kernel);
        pass.set_bind_group(0, &group, &[]);
        (0..COPIES).for_each(|_| pass.dispatch_workgroups(256, rows, 1));
        drop(pass);
        let start = Instant::now();
        device.queue.submit([commands.finish()]);
        device.wait().map_err(failed)?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    Ok(2.0 * bytes as f64 * f64::from(COPIES) / fastest)
}
