//! Optional terms of shallow water, each against its exact solution on a tile that is its own
//! neighbour, or in a closed basin; and steps that are too long, as games take them.

use crate::support::{scale, terrain};
use thalweg::units::SimTime;
use thalweg::world::WorldBuilder;
use thalweg_engine::flow::params::{StepInput, StepParams};
use thalweg_engine::flow::solver::{ShownPlanes, TileStep};
use thalweg_engine::flow::terms::{Terms, Viscosity};
use thalweg_engine::flow::transfer::Dither;
use thalweg_engine::flow::versions::versions;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, StillWaterDamping};
use thalweg_engine::tile::halo::{HaloNeighbour, HaloPatch, gather_roughness};
use thalweg_engine::tile::padded::Padded;
use thalweg_engine::tile::{Ground, Water};

const UNIT_M: f64 = 1.0 / 1_048_576.0;

/// Steps a flat ring 1 m deep from velocities by column and row; returns those of its faces.
#[expect(clippy::cast_possible_truncation, reason = "m/s of a test")]
fn ring(
    terms: Terms,
    dt_s: f64,
    steps: u64,
    start: impl Fn(usize, usize) -> (f64, f64),
) -> Vec<(f64, f64)> {
    let mut water = Water::dry();
    for cell in 0..4096 {
        let (u, v) = start(cell % 64, cell / 64);
        water.depth[cell] = 1 << 20;
        (water.flow_x[cell], water.flow_y[cell]) = (u as f32, v as f32);
    }
    let params = StepParams::new(&StepInput {
        dt_s,
        cell_width_m: 1.0,
        unit_m: UNIT_M,
        gravity: 9.81,
        damping: false,
        terms,
    });
    let ground = Ground::flat(vec![0; 4096].into());
    let step = versions().last().expect("the baseline").step_with_terms();
    let mut padded = Padded::new();
    for tick in 0..steps {
        let old = water.clone();
        let around = std::array::from_fn(|_| {
            HaloNeighbour::Tile(HaloPatch { ground: &ground, water: &old })
        });
        gather_roughness(&mut padded, &around, &[0.0]);
        let dither = Dither::new(1, 0, 0, 0, tick);
        step(
            &mut padded,
            &TileStep {
                around: &around,
                params: &params,
                dither: &dither,
                interfaces: None,
                shown: ShownPlanes::Planes,
                reach: None,
            },
            &mut water,
        );
    }
    let velocity = |cell: usize| {
        let depth = f64::from(water.depth[cell]) * UNIT_M;
        (f64::from(water.flow_x[cell]) / depth, f64::from(water.flow_y[cell]) / depth)
    };
    (0..4096).map(velocity).collect()
}

/// A uniform flow turns to the right on the northern half of the Earth, by f t, and keeps its
/// speed.
#[test]
fn coriolis_turns_a_flow_by_f_t() {
    let (f, dt_s, steps) = (0.02, 0.05, 2_000);
    let terms = Terms { coriolis_per_s: f, ..Terms::NONE };
    let angle = f * dt_s * 2_000.0;
    let (u, v) = ring(terms, dt_s, steps, |_, _| (0.5, 0.0))[2_000];
    assert!((u - 0.5 * angle.cos()).abs() < 1.0e-4, "{u}, {v} after {angle} rad");
    assert!((v + 0.5 * angle.sin()).abs() < 1.0e-4, "{u}, {v} after {angle} rad");
}

/// A shear wave fades as exp(−ν k² t).
#[test]
fn viscosity_fades_a_shear_by_its_law() {
    let k = std::f64::consts::TAU / 64.0;
    let (nu, dt_s, steps) = (0.5, 0.05, 1_000_u32);
    let terms = Terms { viscosity: Viscosity::Constant(nu), ..Terms::NONE };
    let flow = ring(terms, dt_s, u64::from(steps), |_, y| (0.3 * (k * y as f64).sin(), 0.0));
    let left = 0.3 * (-nu * k * k * dt_s * f64::from(steps)).exp();
    let (u, _) = flow[16 * 64 + 20];
    assert!((u / left - 1.0).abs() < 5.0e-3, "{u} against {left} m/s");
}

/// A steady wind holds a lake at a slope of τ/(ρ g h).
#[test]
fn wind_holds_a_slope() {
    let ground = terrain(64, 4, 50.0, scale(22, 0.0), |_, _| -5.0);
    let terms = Terms { wind_m_s: [15.0, 0.0], ..Terms::NONE };
    let mut world = WorldBuilder::new(ground)
        .settings(Settings { terms, manning_n: vec![0.05], ..Settings::default() })
        .initial_stage(|_| 0.0)
        .build()
        .expect("a good world");
    // The lake swings about its new slope for days: the mean over many swings of 914 s.
    let (mut slope, looks) = (0.0, 400);
    for look in 1..=looks {
        world.run_until(SimTime::from_seconds(20_000.0 + 91.4 * f64::from(look)));
        let depth = |x| world.water().depth_m(CellPlace { x, y: 2 }).expect("inside");
        slope += (depth(56) - depth(8)) / (48.0 * 50.0) / f64::from(looks);
    }
    let stress = 1.2e-3 * (0.75 + 0.067 * 15.0) * 1.0e-3 * 15.0 * 15.0;
    let expected = stress / (9.81 * 5.0);
    assert!((slope / expected - 1.0).abs() < 0.03, "{slope:e} against {expected:e}");
}

/// Goal: a game's fixed steps never explode: 25 ms on 0.5 m cells with 10 m/s in water 5 m deep are
/// within what substeps reach; a second is not, and is clamped and counted.
/// Method: a jet across a still pool between walls; what is lifted never holds more energy than jet
/// and pool had, and volume is exact.
#[test]
fn fixed_steps_of_a_game_never_explode() {
    for (numerator, denominator, clamps) in [(25, 1000, false), (1, 1, true)] {
        let ground = terrain(128, 64, 0.5, scale(20, 0.0), |_, _| 0.0);
        let jet = |p: CellPlace| if (24..40).contains(&p.y) { (10.0, 0.0) } else { (0.0, 0.0) };
        let mut world = WorldBuilder::new(ground)
            .settings(Settings { damping: StillWaterDamping::Off, ..Settings::default() })
            .initial_depth(|_| 5.0)
            .initial_velocity(jet)
            .build()
            .expect("a good world");
        // Per m² and ρ: ½ g h² of all, ½ h u² of a quarter.
        let start = 0.5 * 9.81 * 25.0 + 0.25 * 0.5 * 5.0 * 100.0;
        let frame = FixedStep::try_new(numerator, denominator).expect("a fraction");
        let (mut clamped, mut lifted) = (0, 0.0_f64);
        for _ in 0..400 {
            clamped += world.run_cycle(frame).clamped;
            assert_eq!(world.water().stored(), world.water().ledger().expected());
            let places = (0..64).flat_map(|y| (0..128).map(move |x| CellPlace { x, y }));
            let depths = places.map(|place| world.water().depth_m(place).expect("inside"));
            let energy = depths.map(|h| 0.5 * 9.81 * h * h).sum::<f64>() / 8192.0;
            lifted = lifted.max(energy);
        }
        let case = format!("frames of {numerator}/{denominator} s");
        println!("{case}: {clamped} clamped, at most {:.3} of the energy lifted", lifted / start);
        assert_eq!(clamped > 0, clamps, "{case}: {clamped} clamped");
        assert!(lifted > 0.5 * 9.81 * 25.1, "{case}: the jet lifts the pool");
        assert!(lifted < start, "{case}: {lifted} against {start} at the start");
    }
}
