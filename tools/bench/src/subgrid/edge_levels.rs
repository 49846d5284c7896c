//! Discharge over an open edge, by the cells at the edge.
//!
//! The lowest kilometre of the valley of `forest.valley`, straight, and at 56° to the edge where it
//! leaves. Its river rises slowly, in worlds of cells of 2 to 64 m; the discharge over the edge at
//! a depth of 2 m over the thalweg, 96 m before the edge, is compared with that of the finest
//! cells: its backwater is due to the edge.

use crate::adaptive::valley::normal;
use crate::subgrid::columns::{CoarseColumns, KINDS, above, stage_m, with_columns};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, check_books, out_m3, place};
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{EdgeKind, EdgePlace, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::sim::{Settings, Solver};

/// Discharge at a depth.
pub const BENCH: Bench = Bench {
    ids: &["edge.levels.straight", "edge.levels.angle"],
    what: "discharge over an open edge at 2 m of depth, cells of 4 to 64 m against 2 m: largest \
           difference, of a valley straight to the edge and of one at 56°",
    is_long: true,
    measure,
};

const PLAN: WorldPlan =
    WorldPlan { width: 1152, height: 512, cell_m: 2.0, exponent: 20, datum_m: 100.0 };
const COARSEST: u8 = 5;
const SLOPE: f64 = 0.0008;
const WIDTH_M: f64 = 300.0;
const MANNING: f64 = 0.035;
/// Depth at which discharges are compared, m, and distance of the gauge from the edge, m.
const DEPTH_M: f64 = 2.0;
const GAUGE_M: f64 = 96.0;
/// Inflow in parts of the normal flow at 2.5 m, over seconds.
const INFLOW: [(f64, f64); 3] = [(0.0, 0.3), (600.0, 0.3), (6000.0, 1.2)];
const START_M: f64 = 1.0;
const LOOK_S: f64 = 30.0;

/// A valley whose middle leans eastward by `lean` for each metre northward.
#[derive(Debug, Clone, Copy)]
struct LeaningValley {
    lean: f64,
}

impl LeaningValley {
    fn middle_m(self, y: f64) -> f64 {
        0.5 * PLAN.width as f64 * PLAN.cell_m
            + self.lean * (y - 0.5 * PLAN.height as f64 * PLAN.cell_m)
    }

    fn bed_m(self, x: f64, y: f64) -> f64 {
        let from = (x - self.middle_m(y)).abs();
        let bank = from - 0.5 * WIDTH_M;
        let floor = SLOPE * y + 0.3 * (2.0 * from.min(0.5 * WIDTH_M) / WIDTH_M).powi(2);
        let hills = 0.5 * (x * 0.05).sin() * (y * 0.04).cos();
        if bank < 0.0 { floor } else { floor + (0.2 * bank).min(4.0) + 0.01 * bank + hills }
    }

    fn terrain(self) -> Result<Terrain, BenchError> {
        let middle = |i: usize| (i as f64 + 0.5) * PLAN.cell_m;
        PLAN.terrain(|x, y| self.bed_m(middle(x), middle(y)))
    }

    /// Returns the discharge over the edge when the gauge reaches its depth, m³/s.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a column")]
    fn discharge(
        self,
        level: u8,
        columns: CoarseColumns,
        solver: Solver,
    ) -> Result<f64, BenchError> {
        let (width_m, cell_m) = (PLAN.cell_m * f64::from(1_u32 << level), PLAN.cell_m);
        let top = (PLAN.height >> level) - 1;
        let top_m = (top as f64 + 0.5) * width_m;
        let in_river = move |x: f64, y: f64| (x - self.middle_m(y)).abs() < 0.5 * WIDTH_M;
        let inflow: Vec<_> = INFLOW.iter().map(|&(time, part)| (time, part * normal().1)).collect();
        let cells: Vec<_> = (0..PLAN.width >> level)
            .filter(|&x| in_river((x as f64 + 0.5) * width_m, top_m))
            .map(|x| place(x, top))
            .collect();
        let builder = WorldBuilder::new(self.terrain()?)
            .level(level)
            .settings(Settings { solver, manning_n: vec![MANNING], ..Settings::default() })
            .edge("south", EdgePlace::Side(Side::South), EdgeKind::Open)
            .initial_stage(move |p| {
                let [x, y] = [p.x, p.y].map(|i| (f64::from(i) + 0.5) * width_m);
                if in_river(x, y) { SLOPE * y + START_M } else { f64::NAN }
            })
            .inflow("river", &inflow, &cells)?;
        let mut world = with_columns(builder, columns).build()?;
        let gauge = [self.middle_m(GAUGE_M), GAUGE_M].map(|m| (m / cell_m) as usize);
        let gauge = above(gauge[0], gauge[1], level);
        let (mut out, mut last) = (0.0, None);
        loop {
            let now = world.time().seconds() + LOOK_S;
            if now > INFLOW[2].0 {
                return Err(format!("{columns}, level {level}: never {DEPTH_M} m deep").into());
            }
            world.run_until(SimTime::from_seconds(now));
            let left = out_m3(&world, "south");
            let stage = stage_m(&world, gauge).ok_or("a gauge that is wet")?;
            let (discharge, depth) = ((left - out) / LOOK_S, stage - SLOPE * GAUGE_M);
            if let Some((before, lower)) = last
                && depth >= DEPTH_M
                && lower < DEPTH_M
            {
                check_books(&world)?;
                let part = (DEPTH_M - lower) / (depth - lower);
                return Ok(before + part * (discharge - before));
            }
            (out, last) = (left, Some((discharge, depth)));
        }
    }
}

fn measure(context: &Context) -> BenchResult {
    let mut measurements = Vec::new();
    for (id, lean) in [("edge.levels.straight", 0.0), ("edge.levels.angle", 1.5)] {
        let reach = LeaningValley { lean };
        let finest = reach.discharge(0, CoarseColumns::Flat, context.solver)?;
        let (mut worst, mut lines) = (0.0, vec![format!("2 m: {finest:.0} m³/s")]);
        for &columns in KINDS {
            let discharge = |level| reach.discharge(level, columns, context.solver);
            let all = (1..=COARSEST).map(discharge).collect::<Result<Vec<f64>, _>>()?;
            worst = all.iter().map(|q| (q / finest - 1.0).abs()).fold(0.0, f64::max);
            lines.push(format!("{columns}, 4 to 64 m: {all:.0?} m³/s"));
        }
        measurements.push(
            Measurement::new(id, 100.0 * worst, "%")
                .target("<= 3")
                .cells(PLAN.cells())
                .note(lines.join("\n")),
        );
    }
    Ok(measurements)
}
