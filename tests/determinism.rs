//! P3: the same bits for any number of threads, in debug and release, from every kernel version.

mod support;

use support::fractal;
use support::scale;
use support::terrain;
use thalweg::flow::pipe::versions;
use thalweg::grid::cells::CellPlace;
use thalweg::sim::Settings;
use thalweg::sim::schedule::FixedStep;
use thalweg::units::SimTime;
use thalweg::world::EdgeKind;
use thalweg::world::World;
use thalweg::world::WorldBuilder;

/// The hash of the flood below after 60 automatic and 20 fixed cycles. It changes only with the
/// numerics; then say so in the changelog.
const DIGEST: u64 = 0x4fb11bb3f281853b;

fn flood() -> World {
    let ground = terrain(150, 100, 10.0, scale(20, 50.0), |x, y| {
        let hole = x > 120 && y > 80;
        let slope = 40.0 + 0.05 * x as f64;
        if hole { f64::NAN } else { slope + 8.0 * fractal(5, x as f64, y as f64) }
    });
    WorldBuilder::new(ground)
        .settings(Settings { manning_n: vec![0.03, 0.1], seed: 99, ..Settings::default() })
        .manning_classes(vec![0.03, 0.1], Box::new(|place| u8::from(place.y % 7 == 0)))
        .edges(EdgeKind::Open)
        .initial_stage(Box::new(|place| if place.x < 60 { 46.0 } else { f64::NAN }))
        .rain("rain", &[(0.0, 2.0e-5), (500.0, 0.0)])
        .and_then(|b| {
            b.inflow("river", &[(0.0, 50.0), (900.0, 0.0)], &[CellPlace { x: 80, y: 50 }])
        })
        .and_then(|b| b.green_ampt(1.0e-6, 0.05))
        .and_then(WorldBuilder::build)
        .expect("a good world")
}

fn run(mut world: World) -> u64 {
    for _ in 0..60 {
        world.run_cycle(SimTime::MAX);
    }
    let frame = FixedStep::new(1, 2).expect("a fraction");
    for _ in 0..20 {
        world.run_fixed(frame);
    }
    world.state_hash()
}

#[test]
fn threads_do_not_change_a_bit() {
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        let hash = pool.install(|| run(flood()));
        assert_eq!(hash, DIGEST, "{threads} threads: {hash:#x}");
    }
}

#[test]
fn kernel_versions_do_not_change_a_bit() {
    for version in versions() {
        let mut world = flood();
        world.set_version(version);
        let hash = run(world);
        assert_eq!(hash, DIGEST, "{}: {hash:#x}", version.name);
    }
}

#[test]
fn the_seed_is_part_of_the_state() {
    let (mut a, mut b) = (flood(), flood());
    assert_eq!(a.state_hash(), b.state_hash());
    a.run_cycle(SimTime::MAX);
    b.run_cycle(SimTime::MAX);
    assert_eq!(a.state_hash(), b.state_hash());
    b.run_cycle(SimTime::MAX);
    assert_ne!(a.state_hash(), b.state_hash());
}
