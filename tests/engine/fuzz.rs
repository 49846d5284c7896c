//! Random worlds: whatever the library accepts, volume and content stay exact and nothing is NaN.

use crate::support::{fractal, noise, scale, shrunk, terrain};
use rayon::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Order, Settings, Solver, StepsOf, Terms, Viscosity};
use thalweg_engine::units::hash::scramble;

/// Draws from a seed.
struct Draws(u64);

impl Draws {
    /// A whole number below `most`.
    fn below(&mut self, most: u32) -> u32 {
        self.0 = scramble(self.0 + 1);
        u32::try_from((self.0 >> 20) % u64::from(most)).expect("below an u32")
    }

    /// A number in [0, 1).
    fn part(&mut self) -> f64 {
        f64::from(self.below(1 << 24)) / f64::from(1 << 24)
    }

    /// A number between two powers of ten.
    fn size(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(low + (high - low) * self.part())
    }

    fn solver(&mut self) -> Solver {
        if self.below(3) == 0 { Solver::Pipe } else { Solver::ShallowWater }
    }
}

fn settings(draws: &mut Draws) -> Settings {
    let solver = draws.solver();
    let viscosity = match draws.below(3) {
        0 => Viscosity::Off,
        1 => Viscosity::Constant(draws.size(-3.0, 4.0)),
        _ => Viscosity::Smagorinsky(draws.part()),
    };
    let wind_m_s = [200.0 * draws.part() - 100.0, 200.0 * draws.part() - 100.0];
    let coriolis_per_s = 20.0 * draws.part() - 10.0;
    let has_terms = solver == Solver::ShallowWater && draws.below(2) == 0;
    let terms = Terms { viscosity, wind_m_s, coriolis_per_s };
    Settings {
        solver,
        terms: if has_terms { terms } else { Terms::NONE },
        gravity: draws.size(-1.0, 2.0),
        manning_n: vec![if draws.below(2) == 0 { 0.0 } else { draws.size(-3.0, 0.0) }],
        sleep_after_cycles: 1 + draws.below(20),
        steps: [StepsOf::Level, StepsOf::Leaf][draws.below(2) as usize],
        ..Settings::default()
    }
}

/// Mountains or a plain, with holes or without, of any height that fits, at any size of cell; half
/// of it in patches of water, all of which moves.
fn random_world(seed: u64, draws: &mut Draws) -> World {
    let k = 18 + u8::try_from(draws.below(7)).expect("below 7");
    let tallest = f64::from(1 << 30) / f64::from(1_u32 << k) - 1.0;
    let height_m = tallest / draws.size(0.0, 6.0);
    let (width, rows) = (2 + draws.below(80) as usize, 2 + draws.below(80) as usize);
    let has_holes = draws.below(3) == 0;
    let cell_m = draws.size(-1.0, 3.0);
    let ground = terrain(width, rows, cell_m, scale(k, 0.0), |x, y| {
        let is_hole = has_holes && noise(seed, x as i64, y as i64) < 0.05;
        let bed = height_m * (1.9 * fractal(seed, x as f64, y as f64) - 0.95);
        if is_hole && x > 0 { f64::NAN } else { bed }
    });
    let stage = height_m * (1.8 * draws.part() - 0.9);
    let speed = draws.size(-2.0, 3.0);
    let at = move |part: u64, x: u32, y: u32| noise(seed + part, x.into(), y.into());
    let builder = WorldBuilder::new(ground)
        .settings(settings(draws))
        .initial_stage(move |p| if at(3, p.x / 9, p.y / 9) < 0.5 { stage } else { f64::NAN })
        .initial_velocity(move |p| {
            (speed * (2.0 * at(4, p.x, p.y) - 1.0), speed * (2.0 * at(5, p.x, p.y) - 1.0))
        })
        .tracer("even", |_| 0.25)
        .tracer("wild", move |p| at(6, p.x, p.y))
        .rain("rain", &[(0.0, 1.0e-5 * height_m.min(100.0)), (1.0e4, 0.0)])
        .expect("sorted");
    let builder = match draws.below(3) {
        0 => builder.edges(EdgeKind::Open),
        1 => builder.edges(EdgeKind::Stage(vec![(0.0, stage), (100.0, -stage), (1.0e5, stage)])),
        _ => builder,
    };
    let builder = match seed % 3 {
        0 => builder.edge("holes", EdgePlace::Holes, EdgeKind::Wall),
        1 => builder.edge("holes", EdgePlace::Holes, EdgeKind::Open),
        _ => builder,
    };
    builder.build().expect("a world within all limits")
}

fn check(world: &World, case: &str) {
    assert_eq!(world.water().stored(), world.water().ledger().expected(), "{case}: volume");
    for tracer in ["even", "wild"] {
        let stored = world.water().tracer_stored(tracer).expect("a tracer");
        let expected = world.water().tracer_ledger(tracer).expect("a tracer").expected();
        assert_eq!(stored, expected, "{case}: content of {tracer}");
    }
    let simulation = world.simulation();
    for leaf in simulation.forest().ids() {
        let water = simulation.water(leaf);
        let mut flows = water.flow_x.iter().chain(&water.flow_y);
        assert!(flows.all(|q| q.is_finite() && q.to_bits() != 1 << 31), "{case}: a flow");
        assert!(water.depth.iter().all(|&h| h >= 0), "{case}: a depth");
    }
}

/// Goal: P1 and P4 for whatever may be built, stepped in any way, by solvers that change; forty
/// thousand tile-steps.
#[test]
fn random_worlds_lose_nothing_and_hold_no_nan() {
    let steps: u64 = (0..shrunk(60, 10))
        .into_par_iter()
        .map(|seed| {
            let mut draws = Draws(seed << 32);
            let mut world = random_world(seed, &mut draws);
            let leaves = world.simulation().forest().leaves().len() as u64;
            let mut steps = 0;
            for cycle in 0..shrunk(120, 40) {
                let report = if draws.below(3) == 0 {
                    let frame = FixedStep::try_new(1 + draws.below(1000), 1 + draws.below(100));
                    world.run_cycle(frame.expect("within an hour"))
                } else {
                    world.run_cycle(SimTime::MAX)
                };
                steps += leaves * u64::from(report.steps);
                if draws.below(10) == 0 {
                    let order = if draws.below(2) == 0 { Order::First } else { Order::Second };
                    world.set_solver(draws.solver(), order);
                }
                check(&world, &format!("seed {seed}, cycle {cycle}"));
            }
            steps
        })
        .sum();
    println!("{steps} tile-steps");
    assert!(steps >= shrunk(40_000, 3_000), "{steps} tile-steps");
}
