//! Leaks through a wall without a gap: a barrier of no thickness, one body, forty crates that
//! touch; and the flow past forty crates if one is missing.
//!
//! ```text
//! leak   volume past the wall in 20 s over that without it
//! gap    discharge from 10 to 20 s over  b·√g·(2/3·H)^(3/2), critical flow through its width b
//! ```
//!
//! In brackets: the value of a gap as wide between two barriers.

use crate::bodies::boxes::row;
use crate::bodies::channel::flat;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{check_books, places};
use thalweg::units::SimTime;
use thalweg::world::{Barrier, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// Water behind a wall that nothing may pass.
pub const BENCH: Bench = Bench {
    ids: &["bodies.leak", "bodies.leak_gap"],
    what: "volume past walls, a body, 40 crates, over that without; and past a gap between crates",
    is_long: false,
    measure,
};

const WIDTH: usize = 128;
const RUN_S: f64 = 20.0;
const DEPTH_M: f64 = 3.0;
const CRATES: u32 = 40;
/// Thickness and height of bodies, m; cells are of 1 m.
const SECTION_M: [f64; 2] = [0.3, 10.0];
const SOLVERS: [Solver; 2] = [Solver::Pipe, Solver::ShallowWater];

/// Wall across the water.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LeakWall {
    Nothing,
    Barrier,
    Body,
    Crates,
    /// Crates without the one in the middle.
    Gap,
    /// Two barriers with a gap of the same length.
    BarrierGap,
}

/// A line across the world, from border to border.
#[derive(Debug, Clone, Copy)]
struct LeakLine {
    from: [f64; 2],
    to: [f64; 2],
}

impl LeakLine {
    /// Makes the line through a place at an angle.
    fn through([x, y]: [f64; 2], angle: f64) -> Self {
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
        Self { from: at(-reach(-1.0)), to: at(reach(1.0)) }
    }

    fn length(&self) -> f64 {
        (self.to[0] - self.from[0]).hypot(self.to[1] - self.from[1])
    }

    /// Returns the distance of a cell from it, m: above 0 on its left.
    fn side(&self, place: CellPlace) -> f64 {
        let [x, y] = [place.x, place.y].map(|x| f64::from(x) + 0.5);
        let [along, across] = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        (along * (y - self.from[1]) - across * (x - self.from[0])) / self.length()
    }

    /// Returns a copy of the line, longer at both ends, so that bodies reach past the border of the
    /// world.
    fn longer(&self, by: f64) -> [[f64; 2]; 2] {
        let by = by / self.length();
        let way = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        let at = |end: [f64; 2], by: f64| std::array::from_fn(|i| end[i] + by * way[i]);
        [at(self.from, -by), at(self.to, by)]
    }

    /// Makes a world with water on the left of it.
    fn world(self, wall: LeakWall, solver: Solver) -> Result<World, BenchError> {
        // A cell on the line itself belongs to one of the two sides.
        let deep = move |at| if self.side(at) > 1.0 { DEPTH_M } else { 0.0 };
        let mut builder =
            WorldBuilder::new(flat(WIDTH, WIDTH, 1.0)?).solver(solver).initial_depth(deep);
        if wall == LeakWall::Barrier {
            builder = builder.barrier(Barrier::wall("wall", vec![self.from, self.to], 10.0));
        }
        if wall == LeakWall::BarrierGap {
            let [from, to] = self.longer(2.0);
            let at = |crates: u32| {
                let part = f64::from(crates) / f64::from(CRATES);
                std::array::from_fn(|i| from[i] + part * (to[i] - from[i]))
            };
            let paths = [[self.from, at(CRATES / 2)], [at(CRATES / 2 + 1), self.to]];
            for (name, path) in ["first", "second"].into_iter().zip(paths) {
                builder = builder.barrier(Barrier::wall(name, path.to_vec(), 10.0));
            }
        }
        let mut world = builder.build()?;
        match wall {
            LeakWall::Nothing | LeakWall::Barrier | LeakWall::BarrierGap => {}
            LeakWall::Body => {
                world.structures_mut().put_bodies(row(self.longer(2.0), 1, SECTION_M, None)?)?;
            }
            LeakWall::Crates => world.structures_mut().put_bodies(row(
                self.longer(2.0),
                CRATES,
                SECTION_M,
                None,
            )?)?,
            LeakWall::Gap => {
                let bodies = row(self.longer(2.0), CRATES, SECTION_M, Some(CRATES / 2))?;
                world.structures_mut().put_bodies(bodies)?;
            }
        }
        Ok(world)
    }

    /// Returns the water on its right, m³.
    fn beyond_m3(&self, world: &World) -> f64 {
        let beyond = places(world).filter(|&at| self.side(at) < -1.0);
        beyond.filter_map(|at| world.water().depth_m(at)).sum()
    }

    /// Returns the volume past the line in the end, m³.
    fn passed_m3(self, wall: LeakWall, solver: Solver) -> Result<f64, BenchError> {
        let mut world = self.world(wall, solver)?;
        world.run_until(SimTime::from_seconds(RUN_S));
        check_books(&world)?;
        Ok(self.beyond_m3(&world))
    }

    /// Returns the discharge through a gap over the critical one.
    fn gap_ratio(self, wall: LeakWall, solver: Solver) -> Result<f64, BenchError> {
        let mut world = self.world(wall, solver)?;
        world.run_until(SimTime::from_seconds(0.5 * RUN_S));
        let before = self.beyond_m3(&world);
        world.run_until(SimTime::from_seconds(RUN_S));
        let passed = (self.beyond_m3(&world) - before) / (0.5 * RUN_S);
        let gap_m = (self.length() + 4.0) / f64::from(CRATES);
        let critical = 9.81_f64.sqrt() * (2.0 / 3.0 * DEPTH_M).powf(1.5);
        Ok(passed / (gap_m * critical))
    }
}

fn measure(_: &Context) -> BenchResult {
    let middle = WIDTH as f64 / 2.0;
    let kinds = [LeakWall::Barrier, LeakWall::Body, LeakWall::Crates];
    let (mut worst, mut walls, mut gaps) = ([0.0_f64; 3], 0, Vec::new());
    let mut least = f64::INFINITY;
    for solver in SOLVERS {
        for degrees in [0.0_f64, 17.0, 45.0, 73.0, 90.0, 135.0] {
            for shift in [[0.0, 0.0], [0.5, 0.0], [0.123, 0.377]] {
                let place = shift.map(|shift| middle + shift);
                let line = LeakLine::through(place, degrees.to_radians());
                let open = line.passed_m3(LeakWall::Nothing, solver)?;
                least = least.min(open);
                for (worst, wall) in worst.iter_mut().zip(kinds) {
                    *worst = worst.max(line.passed_m3(wall, solver)? / open);
                }
                walls += 1;
                if shift[0] > 0.1 {
                    let [ratio, plain] = [
                        line.gap_ratio(LeakWall::Gap, solver)?,
                        line.gap_ratio(LeakWall::BarrierGap, solver)?,
                    ];
                    gaps.push((
                        ratio,
                        format!("{degrees}° {shift:?} {solver:?} {ratio:.3} ({plain:.3})"),
                    ));
                }
            }
        }
    }
    let [barrier, body, crates] = worst;
    let note = format!(
        "{walls} lines across {WIDTH}² cells, {DEPTH_M} m of water; a barrier {barrier:.2e}, a \
         body of 0.3 m {body:.2e}, {CRATES} crates {crates:.2e}; {least:.0} m³ and more \
         without"
    );
    let most = worst.into_iter().fold(0.0, f64::max);
    let leak = Measurement::new("bodies.leak", most, "1").target("<= 0.001");
    let mean = gaps.iter().map(|gap| gap.0).sum::<f64>() / gaps.len() as f64;
    let told: Vec<String> = gaps.into_iter().map(|gap| gap.1).collect();
    let gap = Measurement::new("bodies.leak_gap", mean, "1");
    let cells = WIDTH * WIDTH;
    Ok(vec![leak.cells(cells).note(note), gap.cells(cells).note(told.join("; "))])
}
