//! A valley with three rivers that flow in beside open edges, and one outlet.

use crate::edge::{SOLVERS, out_by_side, run, settings};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{WorldPlan, noise, place};
use thalweg::world::{EdgeKind, EdgePlace, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// Outflow by the true outlet.
pub const BENCH: Bench = Bench {
    ids: &["edge.rivers"],
    what: "a valley with three rivers that come in beside open edges and one outlet, cells of 5 to \
           50 m, both solvers: outflow by the outlet off that with all other edges walls",
    is_long: true,
    measure,
};

const SIDE_M: f64 = 3200.0;
/// Cells along a side: of 50 to 5 m.
const CELLS: [usize; 4] = [64, 160, 320, 640];
const MANNING_N: f64 = 0.055;
const END_S: f64 = 3.0 * 3600.0;
/// Half of a channel's width, its depth, and half of the width of a floodplain, m.
const CHANNEL_M: f64 = 55.0;
const DEPTH_M: f64 = 2.0;
const PLAIN_M: f64 = 250.0;
/// Rise of floodplains and of the sides of valleys.
const PLAIN: f64 = 0.004;
const VALLEY: f64 = 0.04;
/// Heights of the ground that are noise, m.
const NOISE_M: f64 = 0.1;

/// A stream: its head and foot, the height of its foot, its slope, and its discharge.
struct EdgeStream {
    head: [f64; 2],
    foot: [f64; 2],
    foot_m: f64,
    slope: f64,
    inflow_m3_s: f64,
}

/// The main river from the north to the south, and its tributaries from the west and the east.
const STREAMS: [EdgeStream; 3] = [
    EdgeStream {
        head: [1500.0, 3200.0],
        foot: [1700.0, 0.0],
        foot_m: 10.0,
        slope: 0.001,
        inflow_m3_s: 150.0,
    },
    EdgeStream {
        head: [0.0, 2500.0],
        foot: [1625.0, 1200.0],
        foot_m: 11.2,
        slope: 0.002,
        inflow_m3_s: 80.0,
    },
    EdgeStream {
        head: [3200.0, 1900.0],
        foot: [1600.0, 1600.0],
        foot_m: 11.6,
        slope: 0.0005,
        inflow_m3_s: 50.0,
    },
];

impl EdgeStream {
    /// Returns metres from the line of the stream, and along it from its foot.
    fn away_along(&self, at: [f64; 2]) -> (f64, f64) {
        let [dx, dy] = [0, 1].map(|i| self.head[i] - self.foot[i]);
        let length = dx.hypot(dy);
        let [px, py] = [0, 1].map(|i| at[i] - self.foot[i]);
        let along = ((px * dx + py * dy) / length).clamp(0.0, length);
        let away = (px - along * dx / length).hypot(py - along * dy / length);
        (away, along)
    }

    fn bed_m(&self, at: [f64; 2]) -> f64 {
        let (away, along) = self.away_along(at);
        let plain = (away - CHANNEL_M).clamp(0.0, PLAIN_M);
        let side = (away - CHANNEL_M - PLAIN_M).max(0.0);
        let bank = if away <= CHANNEL_M { 0.0 } else { DEPTH_M };
        self.foot_m + self.slope * along + bank + PLAIN * plain + VALLEY * side
    }
}

fn bed_m(at: [f64; 2]) -> f64 {
    STREAMS.iter().map(|stream| stream.bed_m(at)).fold(f64::INFINITY, f64::min)
}

/// Returns the volume that left over each side, m³; with open edges, or walls but for the outlet's
/// side.
fn out_m3(cells: usize, solver: Solver, is_open: bool) -> Result<[f64; 4], BenchError> {
    let cell_m = SIDE_M / cells as f64;
    let plan = WorldPlan { width: cells, height: cells, cell_m, exponent: 18, datum_m: 0.0 };
    let middle = |i: usize| (i as f64 + 0.5) * cell_m;
    let bed = |x: usize, y: usize| {
        bed_m([middle(x), middle(y)]) + NOISE_M * (noise(9, x as i64, y as i64) - 0.5)
    };
    let edge = if is_open { EdgePlace::All } else { EdgePlace::Side(Side::South) };
    let name = if is_open { "open" } else { "open south" };
    let mut builder = WorldBuilder::new(plan.terrain(bed)?)
        .settings(settings(solver, MANNING_N))
        .edge(name, edge, EdgeKind::Open);
    for (number, stream) in STREAMS.iter().enumerate() {
        let sources = sources(stream, cells, cell_m);
        let discharge = [(0.0, 0.0), (1800.0, stream.inflow_m3_s)];
        builder = builder.inflow(&format!("river {number}"), &discharge, &sources)?;
    }
    let mut world = builder.build()?;
    run(&mut world, END_S)?;
    out_by_side(&world)
}

/// Returns the cells of a stream's channel in the second line from its edge.
fn sources(stream: &EdgeStream, cells: usize, cell_m: f64) -> Vec<CellPlace> {
    let middle = |i: usize| (i as f64 + 0.5) * cell_m;
    let is_in = |x: usize, y: usize| stream.away_along([middle(x), middle(y)]).0 <= CHANNEL_M;
    let line: Vec<(usize, usize)> = (0..cells)
        .map(|i| match stream.head {
            [0.0, _] => (1, i),
            [SIDE_M, _] => (cells - 2, i),
            _ => (i, cells - 2),
        })
        .collect();
    line.into_iter().filter(|&(x, y)| is_in(x, y)).map(|(x, y)| place(x, y)).collect()
}

fn measure(_: &Context) -> BenchResult {
    let (mut worst, mut note) = (0.0_f64, Vec::new());
    for cells in CELLS {
        let cell_m = SIDE_M / cells as f64;
        for (name, solver) in SOLVERS {
            let open = out_m3(cells, solver, true)?;
            let walls = out_m3(cells, solver, false)?;
            let off = open[2] / walls[2] - 1.0;
            let uphill = 1.0 - open[2] / open.iter().sum::<f64>();
            let case = format!(
                "{cell_m} m, {name}: {:+.2} %, {:.2} % of what leaves leaves uphill",
                100.0 * off,
                100.0 * uphill
            );
            worst = worst.max(off.abs());
            note.push(case);
        }
    }
    Ok(vec![
        Measurement::new("edge.rivers", worst, "1")
            .target("<= 0.01")
            .cells(CELLS[3] * CELLS[3])
            .note(note.join("; ")),
    ])
}
