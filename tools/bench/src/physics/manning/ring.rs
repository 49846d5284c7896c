//! The whole kernel on one tile that is its own neighbour on all sides.
//!
//! The bed is a plane that continues beyond the tile, the water is the same in all nine patches:
//! water that leaves in the east enters in the west, and the mean depth never changes.

use super::{GRAVITY, MANNING, ManningFlow};
use crate::suite::BenchError;
use thalweg::units::SimTime;
use thalweg_engine::flow::params::{StepInput, StepParams};
use thalweg_engine::flow::solver::{ShownPlanes, TileStep};
use thalweg_engine::flow::terms::Terms;
use thalweg_engine::flow::transfer::Dither;
use thalweg_engine::flow::versions::versions;
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH};
use thalweg_engine::tile::halo::{HaloNeighbour, HaloPatch, gather_roughness};
use thalweg_engine::tile::padded::{Padded, span};
use thalweg_engine::tile::{Ground, Water};

/// Largest number of steps: a second or two.
const STEPS_MAX: f64 = 50_000.0;
/// Steps over which transfers are averaged.
const WINDOW: u64 = 400;

/// Returns whether a flow reaches its equilibrium in time.
pub fn is_short(flow: &ManningFlow) -> bool {
    flow.steps_to_equilibrium() <= STEPS_MAX
}

/// Returns the relative error of the mean discharge at equilibrium, and the unevenness of the
/// depth.
#[expect(clippy::cast_possible_truncation, reason = "small whole numbers")]
pub fn error(flow: &ManningFlow) -> Result<(f64, String), BenchError> {
    let dt_s = flow.step_s();
    let params = StepParams::new(&StepInput {
        dt_s,
        cell_width_m: flow.cell_m,
        unit_m: ManningFlow::unit_m(),
        gravity: GRAVITY,
        damping: true,
        terms: Terms::NONE,
    });
    let grounds: Vec<Ground> = (0..9).map(|place| plane(flow, place)).collect();
    let depth = (flow.depth_m / ManningFlow::unit_m()).round() as i32;
    let (mut water, mut new) = (Water::dry(), Water::dry());
    water.depth.fill(depth);
    let step = versions().last().ok_or("no kernel")?.step(flow.solver);
    let (mut padded, n2) = (Padded::new(), [(MANNING * MANNING) as f32]);
    let ticks = SimTime::from_seconds(dt_s).ticks();
    let steps = flow.steps_to_equilibrium() as u64;
    let (mut moved, mut clamped, mut limited) = ((0, 0), 0, 0);
    for count in 0..steps + WINDOW {
        let around = std::array::from_fn(|i| {
            HaloNeighbour::Tile(HaloPatch { ground: &grounds[i], water: &water })
        });
        gather_roughness(&mut padded, &around, &n2);
        let dither = Dither::new(1, 0, 64, 64, count * ticks);
        let input = TileStep {
            around: &around,
            params: &params,
            dither: &dither,
            interfaces: None,
            shown: ShownPlanes::Planes,
            reach: None,
        };
        let summary = step(&mut padded, &input, &mut new);
        std::mem::swap(&mut water, &mut new);
        if count >= steps {
            let (x, y) = total(&padded);
            moved = (moved.0 + x, moved.1 + y);
            clamped += summary.faces.clamped;
            limited += summary.limited;
        }
    }
    let draws = (WINDOW * TILE_CELLS as u64) as f64 * f64::from(params.units_per_flow);
    let q = (moved.0 as f64).hypot(moved.1 as f64) / draws;
    let normal =
        ManningFlow { depth_m: f64::from(depth) * ManningFlow::unit_m(), ..*flow }.normal_q();
    let range = water.depth.iter().fold((i32::MAX, 0), |(a, b), &h| (a.min(h), b.max(h)));
    let (low, high) =
        (f64::from(range.0) / f64::from(depth), f64::from(range.1) / f64::from(depth));
    let mut note = format!(", depths {low:.3} … {high:.3} of the mean");
    if clamped + limited > 0 {
        note += &format!(", {clamped} clamped, {limited} limited");
    }
    Ok((q / normal - 1.0, note))
}

/// Returns the ground of patch `place` of the nine: one plane through all of them.
#[expect(clippy::cast_possible_truncation, reason = "within ±2³⁰")]
fn plane(flow: &ManningFlow, place: usize) -> Ground {
    let (fall_x, fall_y) = flow.falls();
    let at = |x: usize, y: usize| {
        let metres = (fall_x * (x as f64 - 96.0) + fall_y * (y as f64 - 96.0)) * flow.cell_m;
        (-metres / ManningFlow::unit_m()).round() as i32
    };
    let (west, south) = (place % 3 * TILE_WIDTH, place / 3 * TILE_WIDTH);
    let bed = (0..TILE_CELLS).map(|i| at(west + i % TILE_WIDTH, south + i / TILE_WIDTH)).collect();
    Ground::flat(bed)
}

/// Returns the sums of the transfers over the tile's west and south faces.
fn total(padded: &Padded) -> (i64, i64) {
    let mut sums = (0, 0);
    for row in 0..64 {
        let own = span(row, 0, 64);
        sums.0 += padded.transfer_x[own.clone()].iter().map(|&dv| i64::from(dv)).sum::<i64>();
        sums.1 += padded.transfer_y[own].iter().map(|&dv| i64::from(dv)).sum::<i64>();
    }
    sums
}
