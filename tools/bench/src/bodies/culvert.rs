//! A pipe under a dam: its discharge over the textbook's, full and free.
//!
//! ```text
//! ~~~~~~~~ held ┐        ┌ held ~~~~~~~     lakes of 100 × 50 m, cells of 5 m, pipe of 1 m, 35 m
//!              ▒▒▒▒▒▒▒▒▒▒                   long, n = 0.013, square edges
//!              ──────────
//! full   A √(2 g H / (k_in + k_out + 2 g n² L / R^(4/3)))
//! free   critical depth behind the inlet: hw = y + 1.5 A / 2T,  Q = A √(g A / T), by bisection
//! ```
//!
//! Heads are taken from the cells at both ends, the discharge from the pipe, as means over five
//! minutes.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::WorldPlan;
use thalweg::structure::Section;
use thalweg::units::SimTime;
use thalweg::world::{Culvert, EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// Largest deviation of the discharge from the textbook's.
pub const BENCH: Bench = Bench {
    ids: &["bodies.culvert"],
    what: "a pipe under a dam, full and free: largest |discharge / textbook − 1|",
    is_long: false,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 40, height: 10, cell_m: 5.0, exponent: 20, datum_m: 0.0 };
const DIAMETER_M: f64 = 1.0;
const LENGTH_M: f64 = 35.0;
const MANNING: f64 = 0.013;
const INLET_LOSS: f64 = 0.5;
const OUTLET_LOSS: f64 = 1.0;
const GRAVITY: f64 = 9.81;
/// Fall of a pipe that runs free: steep, so that its inlet decides.
const FALL_M: f64 = 1.0;
/// Time until the flow is steady, and time over which it is measured.
const SETTLED_S: f64 = 900.0;
const WINDOW_S: f64 = 300.0;

/// One case: stages of the lakes, inverts, and its name.
struct CulvertCase {
    stages_m: [f64; 2],
    inverts_m: [f64; 2],
    is_full: bool,
}

fn measure(context: &Context) -> BenchResult {
    let full = [0.1, 0.3, 1.0, 3.0, 8.0].map(|head| CulvertCase {
        stages_m: [3.0 + head, 3.0],
        inverts_m: [0.0; 2],
        is_full: true,
    });
    let free = [0.2, 0.4, 0.7, 1.0, 1.2].map(|head| CulvertCase {
        stages_m: [FALL_M + head, 0.1],
        inverts_m: [FALL_M, 0.0],
        is_full: false,
    });
    let (mut worst, mut ratios) = (0.0_f64, Vec::new());
    for case in full.iter().chain(&free) {
        let ratio = case.ratio(context.solver)?;
        worst = worst.max((ratio - 1.0).abs());
        let name = if case.is_full { "full" } else { "free" };
        let head = case.stages_m[0] - if case.is_full { case.stages_m[1] } else { FALL_M };
        ratios.push(format!("{name} {head:.1} m: {ratio:.4}"));
    }
    let note = format!("ratio with heads {}; the value is the worst", ratios.join(", "));
    let row = Measurement::new("bodies.culvert", worst, "1").target("<= 0.05");
    Ok(vec![row.cells(PLAN.cells()).note(note)])
}

impl CulvertCase {
    /// Returns the discharge over the textbook's.
    fn ratio(&self, solver: Solver) -> Result<f64, BenchError> {
        let mut world = self.world(solver)?;
        world.run_until(SimTime::from_seconds(SETTLED_S));
        let (mut got, mut high, mut low, mut looks) = (0.0, 0.0, 0.0, 0.0);
        let end = SimTime::from_seconds(SETTLED_S + WINDOW_S);
        while world.time() < end {
            world.run_cycle(end);
            let pipe = world.structures().links().next().ok_or("the pipe is gone")?;
            let flow = world.structures().link_flow(pipe.name()).ok_or("the pipe is gone")?;
            got += flow.discharge_m3_s;
            high += flow.from_stage_m;
            low += flow.to_stage_m.ok_or("the pipe has no end")?;
            looks += 1.0;
        }
        let [got, high, low]: [f64; 3] = [got, high, low].map(|sum| sum / looks);
        let exact = if self.is_full { full_m3_s(high - low) } else { free_m3_s(high - FALL_M) };
        Ok(got / exact)
    }

    fn world(&self, solver: Solver) -> Result<World, BenchError> {
        let west_bed_m = self.inverts_m[0];
        let terrain = PLAN.terrain(|x, _| match x {
            ..18 => west_bed_m,
            18..22 => 20.0,
            _ => 0.0,
        })?;
        let [west_m, east_m] = self.stages_m;
        let held = |stage_m: f64| EdgeKind::Stage(vec![(0.0, stage_m)]);
        let stage = move |place: CellPlace| if place.x < 20 { west_m } else { east_m };
        let pipe = Culvert {
            name: "pipe".to_owned(),
            from: [82.5, 27.5],
            to: [117.5, 27.5],
            from_invert_m: self.inverts_m[0],
            to_invert_m: self.inverts_m[1],
            section: Section::Circle { diameter_m: DIAMETER_M },
            length_m: Some(LENGTH_M),
            manning_n: MANNING,
            inlet_loss: INLET_LOSS,
            outlet_loss: OUTLET_LOSS,
            has_flap: false,
        };
        Ok(WorldBuilder::new(terrain)
            .solver(solver)
            .edge("west", EdgePlace::Side(Side::West), held(west_m))
            .edge("east", EdgePlace::Side(Side::East), held(east_m))
            .initial_stage(stage)
            .link(pipe)
            .build()?)
    }
}

fn full_m3_s(head_m: f64) -> f64 {
    let area = std::f64::consts::PI * DIAMETER_M * DIAMETER_M / 4.0;
    let radius = DIAMETER_M / 4.0;
    let friction = 2.0 * GRAVITY * MANNING * MANNING * LENGTH_M / radius.powf(4.0 / 3.0);
    area * (2.0 * GRAVITY * head_m / (INLET_LOSS + OUTLET_LOSS + friction)).sqrt()
}

/// Returns the critical flow behind the inlet of a pipe, of arcs.
fn free_m3_s(head_m: f64) -> f64 {
    let wetted = |angle: f64| {
        let area = DIAMETER_M * DIAMETER_M / 8.0 * (angle - angle.sin());
        (0.5 * DIAMETER_M * (1.0 - (0.5 * angle).cos()), area, DIAMETER_M * (0.5 * angle).sin())
    };
    let (mut low, mut high) = (0.0, 2.0 * std::f64::consts::PI);
    for _ in 0..80 {
        let angle = f64::midpoint(low, high);
        let (depth, area, width) = wetted(angle);
        if depth + 0.5 * (1.0 + INLET_LOSS) * area / width > head_m {
            high = angle;
        } else {
            low = angle;
        }
    }
    let (_, area, width) = wetted(low);
    area * (GRAVITY * area / width).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_textbook_is_read_right() {
        // Half full: area π/8, width 1, so that hw = 0.5 + 0.75 π/8.
        let (area, head) = (std::f64::consts::PI / 8.0, 0.5 + 0.75 * std::f64::consts::PI / 8.0);
        assert!((free_m3_s(head) - area * (GRAVITY * area).sqrt()).abs() < 1.0e-9);
        assert!((full_m3_s(1.0) - 2.3).abs() < 0.1, "{}", full_m3_s(1.0));
    }
}
