//! Fluids with viscosity and a yield stress against the law of their resistance.
//!
//! ```text
//! film     V = ρ g S h²/(K μ/8), 0.2 m/s on slopes of 1, 10 and 30 %, along the grid and at angles
//! mud      V of τ_y/(ρ g h) + K μ V/(8 ρ g h²) + n² V²/h^(4/3) = S, in the same directions
//! dam      a viscous mud behind a dam of 2 m ends as h = √(2 τ_y (L − x)/(ρ g)): largest error
//!          over 2 m, without the last metre before its front
//! asleep   simulated time until it sleeps
//! ```
//!
//! Source: O'Brien, Julien & Fullerton (1993), J. Hydraul. Eng. 119; the profile: balance of
//!         pressure and yield stress in a thin layer.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, place};
use rayon::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::sim::{Fluid, Settings, Solver};

/// Errors of films, of a mud and of a dam break of mud.
pub const BENCH: Bench = Bench {
    ids: &[
        "physics.fluid.film",
        "physics.fluid.mud",
        "physics.fluid.dam",
        "physics.fluid.asleep_s",
    ],
    what: "largest relative errors of a laminar film, of a mud and of a dam break of mud",
    is_long: false,
    measure,
};

const GRAVITY: f64 = 9.81;
/// Cells of a plane each way, of a metre.
const PLANE: usize = 100;
const SLOPES: [f64; 3] = [0.01, 0.1, 0.3];
const DEGREES: [f64; 3] = [0.0, 30.0, 45.0];
const FILM_M: f64 = 0.2;
const FILM_M_S: f64 = 0.2;
/// The dam: cells a metre, metres of the channel, of the mud behind the dam, and its depth.
const DAM_CELLS_PER_M: usize = 4;
const CHANNEL_M: usize = 32;
const BEHIND_M: f64 = 10.0;
const DAM_M: f64 = 2.0;
/// Time after which a mud that is still awake counts as never asleep, s.
const GIVE_UP_S: f64 = 4000.0;

fn fluid(density_kg_m3: f64, viscosity_pa_s: f64, yield_stress_pa: f64) -> Fluid {
    Fluid { density_kg_m3, viscosity_pa_s, yield_stress_pa, ..Fluid::WATER }
}

/// A uniform flow on a plane.
#[derive(Debug, Clone, Copy)]
struct FluidFlow {
    fluid: Fluid,
    slope: f64,
    degrees: f64,
    depth_m: f64,
    manning: f64,
    speed_m_s: f64,
}

impl FluidFlow {
    /// Returns a laminar film on a slope.
    fn film(slope: f64, degrees: f64) -> Self {
        let density = 1400.0;
        let viscosity = density * GRAVITY * slope * FILM_M * FILM_M / (3.0 * FILM_M_S);
        let fluid = fluid(density, viscosity, 0.0);
        Self { fluid, slope, degrees, depth_m: FILM_M, manning: 0.0, speed_m_s: FILM_M_S }
    }

    /// Returns a mud that all three terms resist.
    fn mud(degrees: f64) -> Self {
        let (slope, depth_m, manning, fluid) = (0.1, 0.5_f64, 0.05, fluid(1600.0, 60.0, 300.0));
        let weight = fluid.density_kg_m3 * GRAVITY * depth_m;
        let square = manning * manning / depth_m.powf(4.0 / 3.0);
        let linear = 3.0 * fluid.viscosity_pa_s / (weight * depth_m);
        let pull = slope - fluid.yield_stress_pa / weight;
        let speed_m_s = ((linear * linear + 4.0 * square * pull).sqrt() - linear) / (2.0 * square);
        Self { fluid, slope, degrees, depth_m, manning, speed_m_s }
    }

    /// Returns the relative error of the speed in the middle of the plane, before any wave from its
    /// edges arrives.
    fn error(&self, solver: Solver) -> Result<f64, BenchError> {
        let Self { fluid, slope, degrees, depth_m, manning, speed_m_s } = *self;
        let (sin, cos) = degrees.to_radians().sin_cos();
        let plan =
            WorldPlan { width: PLANE, height: PLANE, cell_m: 1.0, exponent: 20, datum_m: 0.0 };
        let middle = 0.5 * PLANE as f64;
        let terrain =
            plan.terrain(|x, y| slope * (cos * (middle - x as f64) + sin * (middle - y as f64)))?;
        let manning_n = vec![manning];
        let mut world = WorldBuilder::new(terrain)
            .settings(Settings { solver, fluid, manning_n, ..Settings::default() })
            .initial_depth(move |_| depth_m)
            .build()?;
        world.run_until(SimTime::from_seconds(12.0));
        let velocity = world.water().velocity_m_s(place(PLANE / 2, PLANE / 2));
        let [u, v] = velocity.ok_or("no cell in the middle")?;
        let off = [u - speed_m_s * cos, v - speed_m_s * sin];
        Ok(off[0].hypot(off[1]) / speed_m_s)
    }
}

/// Returns the worst of some flows, and its name.
fn worst(flows: Vec<FluidFlow>, solver: Solver) -> Result<(f64, String), BenchError> {
    let errors = flows.par_iter().map(|flow| Ok((flow.error(solver)?, flow)));
    let errors = errors.collect::<Result<Vec<_>, BenchError>>()?;
    let count = errors.len();
    let (error, flow) = errors.into_iter().max_by(|a, b| a.0.total_cmp(&b.0)).ok_or("no flow")?;
    let FluidFlow { slope, degrees, speed_m_s, .. } = *flow;
    let note = format!("of {count}: slope {slope}, {degrees}°, {speed_m_s:.3} m/s");
    Ok((error, note))
}

/// Releases a mud behind a dam in the west, and runs it until it sleeps.
fn dam(solver: Solver, fluid: Fluid) -> Result<World, BenchError> {
    let (width, cell_m) = (CHANNEL_M * DAM_CELLS_PER_M, 1.0 / DAM_CELLS_PER_M as f64);
    let plan = WorldPlan { width, height: 4, cell_m, exponent: 20, datum_m: 0.0 };
    let is_behind = move |x: u32| (f64::from(x) + 0.5) * cell_m < BEHIND_M;
    let mut world = WorldBuilder::new(plan.terrain(|_, _| 0.0)?)
        .settings(Settings { solver, fluid, manning_n: vec![0.0], ..Settings::default() })
        .initial_depth(move |place| if is_behind(place.x) { DAM_M } else { 0.0 })
        .build()?;
    let end = SimTime::from_seconds(GIVE_UP_S);
    while world.time() < end && world.run_cycle(end).awake > 0 {}
    Ok(world)
}

/// Returns the largest error of a mud's profile, over the depth of the dam, and its front, m.
fn profile(world: &World, fluid: &Fluid) -> Result<(f64, f64), BenchError> {
    let rise = 2.0 * fluid.yield_stress_pa / (fluid.density_kg_m3 * GRAVITY);
    let length = (1.5 * BEHIND_M * DAM_M / rise.sqrt()).powf(2.0 / 3.0);
    let mut worst = 0.0_f64;
    for column in 0..CHANNEL_M * DAM_CELLS_PER_M {
        let left = length - (column as f64 + 0.5) / DAM_CELLS_PER_M as f64;
        let depth = world.water().depth_m(place(column, 2)).ok_or("no such cell")?;
        if left > 1.0 {
            worst = worst.max((depth - (rise * left).sqrt()).abs() / DAM_M);
        }
    }
    Ok((worst, length))
}

fn measure(context: &Context) -> BenchResult {
    let solver = context.solver;
    let films = SLOPES.into_iter().flat_map(|slope| DEGREES.map(|at| FluidFlow::film(slope, at)));
    let (film, of_film) = worst(films.collect(), solver)?;
    let (mud, of_mud) = worst(DEGREES.map(FluidFlow::mud).to_vec(), solver)?;
    let fluid = fluid(1500.0, 8_000.0, 1_000.0);
    let world = dam(solver, fluid)?;
    let (off, front_m) = profile(&world, &fluid)?;
    let cells = CHANNEL_M * DAM_CELLS_PER_M * 4;
    Ok(vec![
        Measurement::new("physics.fluid.film", film, "1")
            .target("<= 0.02")
            .cells(PLANE * PLANE)
            .note(of_film),
        Measurement::new("physics.fluid.mud", mud, "1")
            .target("<= 0.02")
            .cells(PLANE * PLANE)
            .note(of_mud),
        Measurement::new("physics.fluid.dam", off, "1")
            .target("<= 0.03")
            .cells(cells)
            .note(format!("its front at {front_m:.2} m")),
        Measurement::new("physics.fluid.asleep_s", world.time().seconds(), "s").cells(cells),
    ])
}
