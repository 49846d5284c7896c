//! Uniform flow down a slope of 1 %, a metre squared a second, three roughnesses.
//!
//! 400 m of channel, inflow into its highest cells, an open edge at its foot. It begins in uniform
//! flow; the effects of the ends do not reach the middle fifth, whose mean depth counts.

use crate::accuracy::case::{Case, percent};
use crate::accuracy::ladder::Ladder;
use crate::accuracy::scheme::{CHANNEL_ROWS, Scheme, channel, profile, run_to};
use crate::suite::{Bench, BenchError};
use exact::UniformFlow;
use thalweg::world::{EdgeKind, EdgePlace, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;

/// Depth against Manning's law.
pub const BENCH: Bench = Bench {
    ids: &["accuracy.normal_depth"],
    what: "uniform flow of three roughnesses: worst relative error of depth, 200 cells",
    is_long: false,
    measure: |context| Ok(context.show(case()?)),
};

const SIDES: [usize; 4] = [50, 100, 200, 400];
const PROMISED: usize = 200;
const LENGTH_M: f64 = 400.0;
const ROUGHNESSES: [f64; 3] = [0.015, 0.03, 0.06];
const END_S: f64 = 1200.0;

fn case() -> Result<Case, BenchError> {
    let ladder = Ladder::climb(1, SIDES, PROMISED, |cells, scheme| {
        let mut errors = [0.0; 3];
        for (error, manning_n) in errors.iter_mut().zip(ROUGHNESSES) {
            let flow = UniformFlow { manning_n, slope: 0.01, discharge_m2_s: 1.0 };
            *error = depth_m(flow, cells, scheme)? / flow.depth_m() - 1.0;
        }
        Ok(errors)
    })?;
    let worst = |errors: &[f64; 3]| errors.iter().fold(0.0_f64, |worst, e| worst.max(e.abs()));
    let each: Vec<String> = ROUGHNESSES
        .iter()
        .zip(ladder.promised())
        .map(|(n, error)| format!("n = {n}: {}", percent(*error)))
        .collect();
    let row = ladder.row("accuracy.normal_depth", worst).target("<= 0.002");
    Ok(Case {
        title: "Uniform flow",
        about: "1 m²/s down a slope of 1 % in its normal depth, the worst of three roughnesses, \
                from faster to slower than waves. Manning's law; Chow (1959).",
        rows: vec![row.remark(&each.join(", "))],
        plots: Vec::new(),
    })
}

/// Returns the mean depth of the middle fifth, m.
fn depth_m(flow: UniformFlow, cells: usize, scheme: Scheme) -> Result<f64, BenchError> {
    let plan = channel(cells, LENGTH_M);
    let normal_m = flow.depth_m();
    let velocity = flow.discharge_m2_s / normal_m;
    let rows = u32::try_from(CHANNEL_ROWS)?;
    let sources: Vec<CellPlace> = (0..rows).map(|y| CellPlace { x: 0, y }).collect();
    let inflow = flow.discharge_m2_s * CHANNEL_ROWS as f64 * plan.cell_m;
    let bed = |x: usize, _| (cells - 1 - x) as f64 * plan.cell_m * flow.slope;
    let mut world = WorldBuilder::new(plan.terrain(bed)?)
        .settings(scheme.settings(flow.manning_n))
        .edge("foot", EdgePlace::Side(Side::East), EdgeKind::Open)
        .inflow("source", &[(0.0, inflow)], &sources)?
        .initial_depth(move |_| normal_m)
        .initial_velocity(move |_| (velocity, 0.0))
        .build()?;
    run_to(&mut world, END_S);
    let profile = profile(&world, 0.0, |_| normal_m);
    let middle = &profile[cells * 2 / 5..cells * 3 / 5];
    Ok(middle.iter().map(|pair| pair.depth_m).sum::<f64>() / middle.len() as f64)
}
