//! P4 and stability: at any Courant number no cell is negative and no energy comes from nowhere.
//!
//! A discharge belongs to the moment half a step after its depths, so the energy at the moment of
//! the depths takes the product of the discharges on both sides of it:
//!
//! ```text
//! E = Σ_cells g (z h + h²/2) + Σ_faces ½ (g Δt/Δ) q (q + a Δη) / a
//! ```
//!
//! a = g h_f Δt/Δ, clamped as in the kernel; where it is not clamped the second sum is
//! Σ ½ q (q + a Δη)/h_f, the kinetic energy. Where it is, time runs slower at that face, and q is
//! the slowed discharge. (Shallow water moves h̄ u, not h_f u; its energy here is that of h_f, the
//! smaller of two where stages fall over a step.)

use crate::support::{fractal, noise, shrunk};
use rayon::prelude::*;
use thalweg_engine::flow::params::{StepInput, StepParams};
use thalweg_engine::flow::solver::{Order, ShownPlanes, Solver, TileStep};
use thalweg_engine::flow::terms::Terms;
use thalweg_engine::flow::transfer::Dither;
use thalweg_engine::flow::versions::versions;
use thalweg_engine::tile::halo::{CENTRE, HaloNeighbour, HaloPatch, gather_roughness};
use thalweg_engine::tile::padded::Padded;
use thalweg_engine::tile::{Ground, Water};

const G: f64 = 9.81;
const UNIT_M: f64 = 1.0 / 1_048_576.0;
const WIDTH_M: f64 = 10.0;

/// Kinds of random states.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// Five metres over a flat bed.
    Deep,
    /// A lake among islands.
    Islands,
    /// Every second cell dry, between blocks.
    Blocks,
    /// 10 m behind a dam, half a metre before it.
    DamBreak,
    /// A centimetre on a mountain.
    Film,
}

const KINDS: [Kind; 5] = [Kind::Deep, Kind::Islands, Kind::Blocks, Kind::DamBreak, Kind::Film];

fn units(metres: f64) -> i32 {
    #[expect(clippy::cast_possible_truncation, reason = "metres of a test")]
    let units = (metres / UNIT_M) as i32;
    units
}

fn bed_m(kind: Kind, seed: u64, x: i64, y: i64) -> f64 {
    match kind {
        Kind::Deep | Kind::DamBreak => 0.0,
        Kind::Islands => 10.0 * fractal(seed, x as f64, y as f64),
        Kind::Blocks => 3.0 * noise(seed, x, y),
        Kind::Film => 30.0 * fractal(seed, 3.0 * x as f64, 3.0 * y as f64),
    }
}

fn depth_m(kind: Kind, seed: u64, x: i64, y: i64) -> f64 {
    let draw = noise(seed + 7, x, y);
    match kind {
        Kind::Deep => 5.0 + draw,
        Kind::Islands => (8.0 - bed_m(kind, seed, x, y)).max(0.0) + 0.5 * draw,
        Kind::Blocks => {
            if draw < 0.5 {
                0.0
            } else {
                2.0 * draw
            }
        }
        Kind::DamBreak => {
            if x < 32 {
                10.0
            } else {
                0.5
            }
        }
        Kind::Film => 0.01 * draw,
    }
}

fn cells() -> impl Iterator<Item = (usize, i64, i64)> {
    (0..4096).map(|cell: usize| (cell, cell as i64 % 64, cell as i64 / 64))
}

/// h_f and Δη of a west (`back` = 1) or south (64) face, m.
fn face(ground: &Ground, water: &Water, cell: usize, back: usize) -> (f64, f64) {
    let at = |c: usize| {
        let bed = f64::from(ground.bed[c]) * UNIT_M;
        (bed, bed + f64::from(water.depth[c]) * UNIT_M)
    };
    let ((bed_l, stage_l), (bed_r, stage_r)) = (at(cell - back), at(cell));
    (stage_l.max(stage_r) - bed_l.max(bed_r), stage_r - stage_l)
}

fn random_state(kind: Kind, seed: u64) -> (Ground, Water) {
    let mut water = Water::dry();
    let mut bed = vec![0; 4096];
    for (cell, x, y) in cells() {
        bed[cell] = units(bed_m(kind, seed, x, y));
        water.depth[cell] = units(depth_m(kind, seed, x, y));
    }
    let ground = Ground::flat(bed.into());
    for (cell, x, y) in cells() {
        for (back, is_inner, draw) in [(1, x > 0, seed + 100), (64, y > 0, seed + 200)] {
            if !is_inner {
                continue;
            }
            let (h_f, _) = face(&ground, &water, cell, back);
            let froude = 0.7 * (2.0 * noise(draw, x, y) - 1.0);
            #[expect(clippy::cast_possible_truncation, reason = "to f32 on purpose")]
            let q = if h_f > 0.0 { (froude * (G * h_f).sqrt() * h_f) as f32 } else { 0.0 };
            if back == 1 { water.flow_x[cell] = q } else { water.flow_y[cell] = q }
        }
    }
    (ground, water)
}

/// E of the page above over g Δ², m³.
fn energy(ground: &Ground, water: &Water, dt_s: f64) -> f64 {
    let ratio = G * dt_s / WIDTH_M;
    let a_most = 0.5 * 0.9 * 0.9 * WIDTH_M / dt_s;
    let mut sum = 0.0;
    for (cell, x, y) in cells() {
        let bed = f64::from(ground.bed[cell]) * UNIT_M;
        let depth = f64::from(water.depth[cell]) * UNIT_M;
        sum += G * (bed * depth + 0.5 * depth * depth);
        for (q, back, is_inner) in [(water.flow_x[cell], 1, x > 0), (water.flow_y[cell], 64, y > 0)]
        {
            if is_inner && q != 0.0 {
                let (h_f, rise) = face(ground, water, cell, back);
                let (q, a) = (f64::from(q), (ratio * h_f).min(a_most));
                sum += 0.5 * ratio * q * (q + a * rise) / a;
            }
        }
    }
    sum / G
}

/// One run.
#[derive(Debug, Clone, Copy)]
struct Case {
    solver: Solver,
    order: Order,
    kind: Kind,
    seed: u64,
    courant: f64,
    n: f32,
}

/// Runs one state; returns the largest energy over the first, and complains of negative depths.
fn run(case: Case, steps: u64) -> f64 {
    let Case { solver, order, kind, seed, courant, n } = case;
    let (ground, mut water) = random_state(kind, seed);
    let deepest = f64::from(*water.depth.iter().max().expect("4096 cells")) * UNIT_M;
    let dt_s = courant * WIDTH_M / (2.0 * G * deepest).sqrt();
    let params = StepParams::new(&StepInput {
        dt_s,
        cell_width_m: WIDTH_M,
        unit_m: UNIT_M,
        gravity: G,
        damping: true,
        terms: Terms::NONE,
    });
    let params = StepParams { order, ..params };
    let step = versions().last().expect("the baseline").step(solver);
    let mut padded = Padded::new();
    let start = energy(&ground, &water, dt_s);
    let mut most = f64::NEG_INFINITY;
    for tick in 0..steps {
        let old = water.clone();
        let mut around = [HaloNeighbour::Outside; 9];
        around[CENTRE] = HaloNeighbour::Tile(HaloPatch { ground: &ground, water: &old });
        gather_roughness(&mut padded, &around, &[n * n]);
        let dither = Dither::new(seed, 0, 0, 0, tick);
        let input = TileStep {
            around: &around,
            params: &params,
            dither: &dither,
            interfaces: None,
            shown: ShownPlanes::Planes,
            reach: None,
        };
        step(&mut padded, &input, &mut water);
        assert!(water.depth.iter().all(|&h| h >= 0), "{case:?}, step {tick}: a negative depth");
        let mut flows = water.flow_x.iter().chain(&water.flow_y);
        assert!(flows.all(|q| q.is_finite()), "{case:?}, step {tick}");
        if tick % 10 == 9 {
            most = most.max(energy(&ground, &water, dt_s) / start);
        }
    }
    most
}

/// Goal: some 10⁵ tile-steps of each solver at Courant 0.1 … 20 from random states gain no energy.
/// Method: the largest energy seen over the start's; rounding may add a unit's worth, 10⁻⁹.
#[test]
fn energy_never_exceeds_the_start() {
    let courants = [0.1, 0.3, 0.5, 0.9, 1.5, 3.0, 7.0, 20.0];
    let methods = [
        (Solver::Pipe, Order::Second, 4),
        (Solver::ShallowWater, Order::First, 2),
        (Solver::ShallowWater, Order::Second, 4),
    ];
    let steps = shrunk(500, 20);
    for (solver, order, seeds) in methods {
        let mut cases = Vec::new();
        for kind in KINDS {
            for courant in courants {
                for n in [0.0, 0.03] {
                    let case = |seed| Case { solver, order, kind, seed, courant, n };
                    cases.extend((0..shrunk(seeds, 1)).map(case));
                }
            }
        }
        let worst = cases.par_iter().map(|&case| {
            let most = run(case, steps);
            assert!(most <= 1.0 + 1.0e-9, "{case:?}: {most} of the start's energy");
            most
        });
        let worst = worst.reduce(|| 0.0, f64::max);
        let count = cases.len() as u64 * steps;
        println!("{solver:?}, {order:?}: {count} tile-steps, largest energy {worst:.6}");
    }
}
