//! What passes a wall without a gap.

use crate::bodies::channel::flat;
use crate::suite::Bench;
use crate::suite::Context;
use crate::suite::Outcome;
use crate::table::Measurement;
use thalweg::grid::cells::CellPlace;
use thalweg::sim::Solver;
use thalweg::units::SimTime;
use thalweg::world::Barrier;
use thalweg::world::WorldBuilder;

/// Water behind a wall that nothing may pass.
pub const BENCH: Bench = Bench {
    ids: &["bodies.leak"],
    what: "volume past a wall at 0°, 17°, 45°, through corners and centres, over that without it",
    is_long: false,
    measure,
};

const WIDTH: usize = 128;
const RUN_S: f64 = 20.0;

/// The line through a place at an angle, from border to border.
fn through(x: f64, y: f64, angle: f64) -> Vec<[f64; 2]> {
    let (sin, cos) = angle.sin_cos();
    let width = WIDTH as f64;
    let reach = |sense: f64| {
        let to_border = |at: f64, step: f64| match step {
            step if step > 1.0e-9 => (width - at) / step,
            step if step < -1.0e-9 => -at / step,
            _ => f64::INFINITY,
        };
        to_border(x, sense * cos).min(to_border(y, sense * sin))
    };
    let at = |along: f64| [x + along * cos, y + along * sin].map(|x| x.clamp(0.0, width));
    vec![at(-reach(-1.0)), at(reach(1.0))]
}

fn measure(_: &Context) -> Outcome {
    let middle = WIDTH as f64 / 2.0;
    let (mut worst, mut walls) = (0.0_f64, 0);
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        for degrees in [0.0_f64, 17.0, 45.0, 73.0, 90.0, 135.0] {
            for shift in [0.0, 0.5, 0.123] {
                let line = through(middle + shift, middle, degrees.to_radians());
                let [from, to] = [line[0], line[1]];
                let side = move |place: CellPlace| {
                    let [x, y] = [place.x, place.y].map(|x| f64::from(x) + 0.5);
                    (to[0] - from[0]) * (y - from[1]) - (to[1] - from[1]) * (x - from[0])
                };
                let passed = |wall: Option<Barrier>| -> Result<f64, crate::suite::Absence> {
                    let builder = WorldBuilder::new(flat(WIDTH, WIDTH, 1.0)?)
                        .solver(solver)
                        .initial_depth(Box::new(move |at| if side(at) > 1.5 { 3.0 } else { 0.0 }));
                    let mut world =
                        wall.into_iter().fold(builder, WorldBuilder::barrier).build()?;
                    world.run_until(SimTime::from_seconds(RUN_S));
                    let count = u32::try_from(WIDTH)?;
                    let cells =
                        (0..count).flat_map(|y| (0..count).map(move |x| CellPlace { x, y }));
                    // A cell on the line itself belongs to its one side or the other.
                    let beyond = cells.filter(|&at| side(at) < -1.5);
                    Ok(beyond.filter_map(|at| world.depth_m(at)).sum())
                };
                let open = passed(None)?;
                let closed = passed(Some(Barrier::wall("wall", line, 10.0)))?;
                worst = worst.max(closed / open);
                walls += 1;
            }
        }
    }
    let note = format!("{walls} walls of no thickness across {WIDTH}² cells, 3 m of water");
    let measurement = Measurement::new("bodies.leak", worst, "1").target("<= 0.001");
    Ok(vec![measurement.cells(WIDTH * WIDTH).note(note)])
}
