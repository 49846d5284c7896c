//! A wall on one bank of a channel, turned from along it to across it.
//!
//! ```text
//! ┌──────────────────────────────┐
//! │ held          ╱         held │     120 × 40 m of 1 m; a wall of 20 × 0.3 m whose end is fixed
//! │ →           ╱                │     on the south bank: a degree in 20 s, by steps of 0.1 s
//! └───────────·──────────────────┘
//! ```
//!
//! Beside it a barrier on the same line, turned in the same way: closed faces of the kernel itself.
//! A row of cells, a fortieth of the channel, closes when the tip passes its centres; the waves of
//! that reduce the discharge of the pipe method, which keeps velocities where faces grow shallower
//! and discharges where they grow deeper.
//!
//! Source: own.

use crate::bodies::boxes::held;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, out_m3};
use thalweg::body::Body;
use thalweg::units::SimTime;
use thalweg::world::{Barrier, EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Changes of the discharge past the end of a wall.
pub const BENCH: Bench = Bench {
    ids: &["bodies.rotate_jump", "bodies.rotate_chatter"],
    what: "a wall turned through 90°: largest change of the discharge by a degree; at rest",
    is_long: false,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 120, height: 40, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
const LENGTH_M: f64 = 20.0;
const STAGES_M: [f64; 2] = [2.02, 2.0];
/// Time until the open flow is steady, s.
const SETTLE_S: u32 = 900;
/// Seconds for a degree: slow, so that little is swept.
const DEGREE_S: u32 = 20;
/// Steps of a degree, as fine as a game's: 0.1 s. Water that is moved at once is pushed away at
/// once, and waves that short reduce the discharge of the pipe method.
const PARTS: u32 = 200;
/// Manning's n, rough so that the channel answers within minutes.
const MANNING: f64 = 0.08;
/// Times at rest, s: to settle, as the channel answers in 90 s, and to measure.
const REST_S: [u32; 2] = [900, 30];

/// Wall that is turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TurnedWall {
    Body,
    Barrier,
}

/// Makes the wall at an angle, m and degrees.
fn body(degrees: f64) -> Result<Body, BenchError> {
    let angle = degrees.to_radians();
    // Its fixed end is in the bank.
    let (sin, cos) = angle.sin_cos();
    let reach = 0.5 * LENGTH_M;
    let at = [60.3 + reach * cos, -0.4 + reach * sin, 3.0];
    held(1, [LENGTH_M, 0.3, 10.0], at, angle)
}

impl TurnedWall {
    /// Puts the wall at an angle, degrees.
    fn put(self, world: &mut World, degrees: f64) -> Result<(), BenchError> {
        match self {
            Self::Body => world.structures_mut().put_bodies(vec![body(degrees)?])?,
            Self::Barrier => {
                let (sin, cos) = degrees.to_radians().sin_cos();
                let at = |along: f64| [60.3 + along * cos, (along * sin - 0.4).max(0.0)];
                // The barrier starts where the line leaves the bank; while it would close no face,
                // it is absent.
                let path = vec![at((0.4 / sin).min(LENGTH_M)), at(LENGTH_M)];
                if LENGTH_M * sin > 0.9 {
                    world.structures_mut().put_barrier(Barrier::wall("wall", path, 10.0))?;
                }
            }
        }
        Ok(())
    }
}

/// Returns the water that left in the east while the world ran for some seconds, m³/s.
fn flow_m3_s(world: &mut World, seconds: f64) -> f64 {
    let before = out_m3(world, "east");
    let now = world.time().seconds();
    world.run_until(SimTime::from_seconds(now + seconds));
    (out_m3(world, "east") - before) / seconds
}

/// Returns the largest change by a degree and the largest at rest, over the open flow; the part of
/// the flow left if the wall is across; changes without it.
fn turn(wall: TurnedWall, solver: Solver, flows: &mut Vec<String>) -> Result<[f64; 5], BenchError> {
    let settings = Settings { manning_n: vec![MANNING], solver, ..Settings::default() };
    let held = |stage_m: f64| EdgeKind::Stage(vec![(0.0, stage_m)]);
    let mut world = WorldBuilder::new(PLAN.terrain(|_, _| 0.0)?)
        .settings(settings)
        .initial_stage(|_| 2.0)
        .edge("west", EdgePlace::Side(Side::West), held(STAGES_M[0]))
        .edge("east", EdgePlace::Side(Side::East), held(STAGES_M[1]))
        .build()?;
    flow_m3_s(&mut world, f64::from(SETTLE_S));
    let before: Vec<f64> = (0..30).map(|_| flow_m3_s(&mut world, 1.0)).collect();
    let open = before.iter().sum::<f64>() / before.len() as f64;
    let steps = before.windows(2).map(|pair| (pair[1] - pair[0]).abs() / open);
    let still = steps.fold(0.0, f64::max);
    wall.put(&mut world, 0.0)?;
    let (mut jump, mut chatter, mut at) = (0.0_f64, 0.0_f64, 0.0);
    let part_s = f64::from(DEGREE_S) / f64::from(PARTS);
    let mut before = flow_m3_s(&mut world, f64::from(DEGREE_S));
    for degree in 1..=90_u32 {
        let mut flow = 0.0;
        for part in 1..=PARTS {
            let angle = f64::from(degree - 1) + f64::from(part) / f64::from(PARTS);
            wall.put(&mut world, angle)?;
            flow += flow_m3_s(&mut world, part_s) / f64::from(PARTS);
        }
        flows.push(format!("{:.3}", flow / open));
        if (flow - before).abs() / open > jump {
            (jump, at) = ((flow - before).abs() / open, f64::from(degree));
        }
        before = flow;
        if [17, 45, 64].contains(&degree) {
            flow_m3_s(&mut world, f64::from(REST_S[0]));
            let rest: Vec<f64> = (0..REST_S[1]).map(|_| flow_m3_s(&mut world, 1.0)).collect();
            let steps = rest.windows(2).map(|pair| (pair[1] - pair[0]).abs() / open);
            chatter = steps.fold(chatter, f64::max);
            before = rest[rest.len() - 1];
            let rest = rest.iter().map(|flow| format!("{:.3}", flow / open));
            flows.push(format!("[{}]", rest.collect::<Vec<_>>().join(" ")));
        }
    }
    check_books(&world)?;
    Ok([jump, chatter, at, before / open, still])
}

fn measure(context: &Context) -> BenchResult {
    let (mut jump, mut chatter, mut told) = (0.0_f64, 0.0_f64, Vec::new());
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let mut flows = Vec::new();
        let [by_degree, at_rest, at, left, still] = turn(TurnedWall::Body, solver, &mut flows)?;
        let [of_barrier, barrier_at_rest, ..] = turn(TurnedWall::Barrier, solver, &mut Vec::new())?;
        (jump, chatter) = (jump.max(by_degree), chatter.max(at_rest));
        told.push(format!(
            "{solver:?} {by_degree:.4} at {at}°, {at_rest:.1e} from second to second at rest \
             ({still:.1e} without the wall), \
             {left:.3} of the open flow left at 90°; a barrier {of_barrier:.4}, \
             {barrier_at_rest:.1e} at rest"
        ));
        if context.is_verbose {
            told.push(format!("over the open flow, degree by degree: {}", flows.join(" ")));
        }
    }
    let cells = PLAN.cells();
    let jump = Measurement::new("bodies.rotate_jump", jump, "1").target("<= 0.02");
    let chatter = Measurement::new("bodies.rotate_chatter", chatter, "1").target("<= 0.002");
    Ok(vec![jump.cells(cells).note(told.join("; ")), chatter.cells(cells)])
}
