//! Still water on one side of a wall of bodies.
//!
//! ```text
//! force    ½ ρ g h² for each metre        where    a third of the depth above the ground
//! ```
//!
//! Three boxes are end to end; the one in the middle is measured, clear of the world's border.

use crate::bodies::boxes::row;
use crate::bodies::channel::flat;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::places;
use thalweg::body::Body;
use thalweg::units::SimTime;
use thalweg::world::WorldBuilder;
use thalweg_engine::sim::Solver;

/// Force on a wall, and its place.
pub const BENCH: Bench = Bench {
    ids: &["bodies.hydrostatic", "bodies.hydrostatic_centre"],
    what: "force of still water on a wall over ½ρgh², less 1; its centre over h/3, less 1: largest",
    is_long: false,
    measure,
};

const WIDTH: usize = 64;
/// Time until it is nearly still, and time over which it is measured then, s.
const RUN_S: f64 = 100.0;
const MEAN_S: u32 = 90;
const WEIGHT: f64 = 9810.0;
/// Length of one box, m: three of them reach across at any angle.
const BOX_M: f64 = 32.0;
/// Thickness, small so that pressure from below has no lever; and height.
const SECTION_M: [f64; 2] = [0.04, 8.0];

/// Returns deviations of the force and of its centre.
fn deviation(
    solver: Solver,
    degrees: f64,
    shift: f64,
    depth_m: f64,
) -> Result<[f64; 2], BenchError> {
    let middle = WIDTH as f64 / 2.0 + shift;
    let (sin, cos) = degrees.to_radians().sin_cos();
    let end = |sense: f64| [middle + sense * 1.5 * BOX_M * cos, middle + sense * 1.5 * BOX_M * sin];
    let bodies: Vec<Body> = row([end(-1.0), end(1.0)], 3, SECTION_M, None)?;
    let side = move |x: u32, y: u32| {
        let [x, y] = [x, y].map(|at| f64::from(at) + 0.5 - middle);
        y * cos - x * sin
    };
    let deep = move |x, y| if side(x, y) > 0.0 { depth_m } else { 0.0 };
    let mut world = WorldBuilder::new(flat(WIDTH, WIDTH, 1.0)?)
        .solver(solver)
        .initial_depth(move |at| deep(at.x, at.y))
        .build()?;
    world.structures_mut().put_bodies(bodies)?;
    // Waves of the start run to and fro for long: means.
    let (mut push, mut turn) = (0.0, 0.0);
    for second in 0..MEAN_S {
        world.run_until(SimTime::from_seconds(RUN_S + f64::from(second)));
        let load = world.structures().loads(1.0 / 60.0)[1].1;
        // Water is on the left: it pushes to the right, and its lever is the height.
        push += (load.force.x * sin - load.force.y * cos) / f64::from(MEAN_S);
        turn += (load.torque.x * cos + load.torque.y * sin) / f64::from(MEAN_S);
    }
    // The volume that the box takes from the cells on its wet side lifts the water a little.
    let far = places(&world).filter(|at| side(at.x, at.y) > 3.0);
    let depths: Vec<f64> = far.filter_map(|at| world.water().depth_m(at)).collect();
    let depth_m = depths.iter().sum::<f64>() / depths.len() as f64;
    let exact = 0.5 * WEIGHT * depth_m * depth_m * BOX_M;
    let centre = 0.5 * SECTION_M[1] + turn / push;
    Ok([push / exact - 1.0, centre / (depth_m / 3.0) - 1.0])
}

fn measure(_: &Context) -> BenchResult {
    let (mut worst, mut told) = ([0.0_f64; 2], Vec::new());
    let cases = [
        (0.0, 0.0, 3.0),
        (0.0, 0.3, 3.0),
        (0.0, 0.5, 1.0),
        (90.0, 0.77, 5.0),
        (17.0, 0.2, 3.0),
        (45.0, 0.0, 3.0),
        (45.0, 0.4, 0.7),
        (-73.0, 0.1, 2.0),
    ];
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        for (degrees, shift, depth_m) in cases {
            let [force, centre] = deviation(solver, degrees, shift, depth_m)?;
            worst = [worst[0].max(force.abs()), worst[1].max(centre.abs())];
            told.push(format!("{degrees}° {depth_m} m {solver:?} {force:+.4} {centre:+.4}"));
        }
    }
    let cells = WIDTH * WIDTH;
    let force = Measurement::new("bodies.hydrostatic", worst[0], "1").target("<= 0.005");
    let centre = Measurement::new("bodies.hydrostatic_centre", worst[1], "1").target("<= 0.005");
    Ok(vec![force.cells(cells).note(told.join("; ")), centre.cells(cells)])
}
