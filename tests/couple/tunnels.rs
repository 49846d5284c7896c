//! Water that stands under lids moves together with what stands open at both ends.

use crate::support::{check_books, depth, held, terrain};
use thalweg::world::WorldBuilder;
use thalweg_engine::sim::schedule::FixedStep;

const RATE: u32 = 20;
const STILL_M: f64 = 5.0;
const RISE_M: f64 = 0.3;

/// Goal: water swings through a tunnel of full cells as that of a U-tube does, however many cells.
/// Method: basins of one cell at the ends of a tunnel 1 m high under crates, one of them 0.3 m
/// above the other; T = 2π √((L + Δ) / 2g). After half of T it has sunk as far below the mean as it
/// stood above, after all of it it is back.
#[test]
fn water_swings_through_a_tunnel_of_lids() {
    for length in [6, 24, 60_u32] {
        let last = length + 1;
        let mut world = WorldBuilder::new(terrain(last as usize + 1, 2, 1.0, |_, _| 0.0))
            .manning(0.0)
            .initial_depth(move |place| match place.x {
                0 => STILL_M + RISE_M,
                x if x == last => STILL_M,
                _ => 1.0,
            })
            .build()
            .expect("a good world");
        let lid = |x: u32| held(u64::from(x), [1.0, 2.0, 12.0], [f64::from(x) + 0.5, 1.0, 7.0]);
        world.structures_mut().put_bodies((1..=length).map(lid).collect()).expect("lids");
        let period_s = std::f64::consts::TAU * (f64::from(length + 1) / (2.0 * 9.81)).sqrt();
        let step = FixedStep::try_new(1, RATE).expect("a step");
        let mut swing = |until_s: f64| {
            while world.time().seconds() < until_s {
                world.run_cycle(step);
            }
            check_books(&world);
            (depth(&world, 0, 0) - STILL_M - 0.5 * RISE_M) / (0.5 * RISE_M)
        };
        let [half, whole] = [0.5, 1.0].map(|part| swing(part * period_s));
        assert!((-1.02..-0.93).contains(&half), "{length} cells, after half a period: {half}");
        assert!((0.93..1.02).contains(&whole), "{length} cells, after a period: {whole}");
    }
}
