//! Sleep for games: a lake falls asleep soon after something fell into it.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books};
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, World, WorldBuilder};
use thalweg_engine::sim::{Settings, SleepTolerance, Solver};

/// Time until a lake sleeps again.
pub const BENCH: Bench = Bench {
    ids: &["frame.sleep_s"],
    what: "simulated time until a lake of 64 leaves, 3 m deep, sleeps again after 2 m³ of water \
           fell into it, under a tolerance of 1 cm for 5 s; beside it with half a metre of water, \
           and over a shore",
    is_long: false,
    measure,
};

const WHOLE: WorldPlan =
    WorldPlan { width: 512, height: 512, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const TOLERANCE: SleepTolerance = SleepTolerance { stage_m: 0.01, time_s: 5.0 };
const VOLUME_M3: f64 = 2.0;
/// Time after which a lake that is still awake counts as never asleep, s.
const GIVE_UP_S: f64 = 7200.0;

/// Makes a lake up to 0 m that sleeps, over a bed by column and row, m.
fn lake(solver: Solver, bed_m: impl Fn(f64, f64) -> f64) -> Result<World, BenchError> {
    let settings = Settings { solver, sleep_tolerance: Some(TOLERANCE), ..Settings::default() };
    let terrain = WHOLE.terrain(|x, y| bed_m(x as f64, y as f64))?;
    let mut world = WorldBuilder::new(terrain).settings(settings).initial_stage(|_| 0.0).build()?;
    until_asleep(&mut world)?;
    Ok(world)
}

/// Returns the simulated time until all leaves sleep, s.
fn until_asleep(world: &mut World) -> Result<f64, BenchError> {
    let start = world.time();
    let seconds = |world: &World| SimTime::from_ticks(world.time().since(start)).seconds();
    while seconds(world) < GIVE_UP_S {
        if world.run_cycle(SimTime::MAX).awake == 0 {
            break;
        }
    }
    check_books(world)?;
    Ok(seconds(world))
}

/// Returns the simulated time until all leaves sleep after a splash, s.
fn after_splash(world: &mut World) -> Result<f64, BenchError> {
    let area = Shape::Disc { centre_m: [200.0, 230.0], radius_m: 1.5, rim_m: 0.0 };
    world.edits().act_for_good(Action::AddWater { area, amount: Amount::VolumeM3(VOLUME_M3) })?;
    until_asleep(world)
}

fn measure(context: &Context) -> BenchResult {
    let deep = after_splash(&mut lake(context.solver, |_, _| -3.0)?)?;
    let shallow = after_splash(&mut lake(context.solver, |_, _| -0.5)?)?;
    let shore = after_splash(&mut lake(context.solver, |x, y| 0.01 * (x + 0.2 * y) - 3.0)?)?;
    let pipe = after_splash(&mut lake(Solver::Pipe, |_, _| -3.0)?)?;
    let note = format!(
        "0.5 m deep {shallow:.1} s, over ground that rises by 1 % out of the water {shore:.1} s, \
         pipe solver {pipe:.1} s"
    );
    Ok(vec![
        Measurement::new("frame.sleep_s", deep, "s")
            .target("<= 60")
            .cells(WHOLE.cells())
            .note(note),
    ])
}
