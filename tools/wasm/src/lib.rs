//! Worlds that run alike on a processor and in WebAssembly, without threads, clock or files.
//!
//! `tools/wasm/run.mjs` prints the hashes of a module; the test of this package compares them.

use thalweg::Error;
use thalweg::criteria::ObserverOptions;
use thalweg::follow::Memory;
use thalweg::prelude::*;
use thalweg::terrain::Shape;
use thalweg::world::{Amount, ColumnKind, Command, CommandLog, Session, Settings};

/// Number of scenes.
pub const SCENES: u32 = 4;

/// Columns and rows.
const SIDE: usize = 192;

/// Returns a valley with terraces, from whole numbers alone: functions of a system's library
/// differ.
fn terrain() -> Result<Terrain, Error> {
    let bed_m = |x: usize, y: usize| {
        let slope = 0.05 * x.abs_diff(SIDE / 3) as f64;
        slope + 0.25 * ((x / 7 + y / 5) % 6) as f64 + 0.02 * (x * 31 % 17 + y * 13 % 11) as f64
    };
    Ok(Terrain::from_heights([SIDE, SIDE], 2.0, bed_m)?)
}

fn builder(solver: Solver) -> Result<WorldBuilder, Error> {
    let settings = Settings { solver, ..Settings::default() };
    let builder = WorldBuilder::new(terrain()?).settings(settings).edges(EdgeKind::Open);
    let rain = &[(0.0, 2.0e-5), (20.0, 0.0)];
    Ok(builder
        .initial_stage(|_| 1.5)
        .tracer("dye", |place| f64::from(place.x % 2))
        .rain("rain", rain)?)
}

fn observer(position_m: [f64; 2]) -> ObserverOptions {
    ObserverOptions {
        position_m,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, 60.0), (1, 120.0)],
        priority: 1.0,
    }
}

fn adaptive() -> Result<World, Error> {
    let options = AdaptiveOptions {
        coarsest: 2,
        interval_cycles: 2,
        min_age_cycles: 2,
        ..AdaptiveOptions::default()
    };
    Ok(builder(Solver::ShallowWater)?.columns(ColumnKind::SubGrid).adaptive(options).build()?)
}

/// Returns commands that pour and push water, dam it, undo and move observers.
fn commands() -> Result<Vec<Command>, Error> {
    let area = |x_m, y_m| Shape::Disc { centre_m: [x_m, y_m], radius_m: 25.0, rim_m: 5.0 };
    let pour = Action::AddWater { area: area(100.0, 200.0), amount: Amount::VolumeM3(1500.0) };
    let push = Action::PushWater { area: area(130.0, 190.0), by_m_s: [1.5, -0.5] };
    let levee = Barrier::wall("levee", vec![[160.0, 90.0], [150.0, 300.0]], 4.0);
    let run = Command::Run { step: FixedStep::try_new(1, 10)?, cycles: 12 };
    Ok(vec![
        Command::Observe(vec![observer([120.0, 180.0])]),
        Command::Act(vec![pour, push]),
        run.clone(),
        Command::Mark,
        Command::Act(vec![Action::PutBarrier(levee)]),
        run.clone(),
        Command::Observe(vec![observer([300.0, 100.0]), observer([60.0, 320.0])]),
        Command::Undo { id: 5 },
        run,
    ])
}

/// Runs a session, saved in its middle and resumed there: both must reach one hash.
fn session() -> Result<u64, Error> {
    let (mut host, mut log, mut saved) = (Session::new(adaptive()?), CommandLog::new(), None);
    for command in commands()? {
        log.apply(&mut host, command)?;
        if let Some(checkpoint) = host.checkpoint() {
            let file = SaveFile::create_on(Box::new(Memory::default()), host.world())?;
            saved = Some((file, checkpoint));
        }
    }
    let hash = host.world().state_hash();
    if let Some((mut file, checkpoint)) = saved {
        let world = file.load(checkpoint.criteria(&host.world().extent())?)?;
        let mut late = Session::resume(world, checkpoint);
        log.replay(&mut late)?;
        assert_eq!(late.world().state_hash(), hash, "the late joiner");
    }
    Ok(hash)
}

/// Returns the hash of a scene at its end.
///
/// # Errors
///
/// Errors of the library.
///
/// # Panics
///
/// If a player that joins later does not reach the hash of the rest.
pub fn hash_of(scene: u32) -> Result<u64, Error> {
    let run = |mut world: World| {
        world.run_until(SimTime::from_seconds(30.0));
        world.state_hash()
    };
    Ok(match scene {
        0 => run(builder(Solver::Pipe)?.build()?),
        1 => run(builder(Solver::ShallowWater)?.build()?),
        2 => run(adaptive()?),
        _ => session()?,
    })
}

/// Returns the hash of a scene at its end, for a host of the module; 0 if it fails.
#[unsafe(no_mangle)]
pub extern "C" fn scene_hash(scene: u32) -> u64 {
    hash_of(scene).unwrap_or(0)
}
