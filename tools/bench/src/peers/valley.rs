//! Benchmark 5 of the UK Environment Agency on cells of 50 and 10 m, with the peaks at its points.
//!
//! Limits:     peaks are taken up to the end of the run; an hour ends before most points reach
//!             theirs.
//! Source:     `crate::ea5`.

use crate::ea5::{Benchmark5Valley, MANNING, POINTS};
use crate::peers::bench;
use crate::peers::work::{PeerWork, on_threads};
use crate::suite::{Bench, BenchResult, Context};
use thalweg_engine::sim::{Settings, Solver};

/// The whole benchmark on the cells that it requires, with shallow water.
pub const COARSE_SWE: Bench = bench(
    &["peers.ea5_50.swe"],
    "EA benchmark 5 at 50 m, 30 h, shallow water: processor time",
    |context| COARSE.measure(context, "peers.ea5_50.swe", Solver::ShallowWater),
);

/// The whole benchmark on the cells that it requires, with the pipe method.
pub const COARSE_PIPE: Bench = bench(
    &["peers.ea5_50.pipe"],
    "EA benchmark 5 at 50 m, 30 h, pipe method: processor time",
    |context| COARSE.measure(context, "peers.ea5_50.pipe", Solver::Pipe),
);

/// The first hour on the map's own cells, with shallow water.
pub const FINE_SWE: Bench = bench(
    &["peers.ea5_10.swe"],
    "EA benchmark 5 at 10 m, first hour, shallow water: processor time",
    |context| FINE.measure(context, "peers.ea5_10.swe", Solver::ShallowWater),
);

/// The first hour on the map's own cells, with the pipe method.
pub const FINE_PIPE: Bench = bench(
    &["peers.ea5_10.pipe"],
    "EA benchmark 5 at 10 m, first hour, pipe method: processor time",
    |context| FINE.measure(context, "peers.ea5_10.pipe", Solver::Pipe),
);

/// The first 6.5 h on the map's own cells, with shallow water.
pub const HOURS_SWE: Bench = bench(
    &["peers.ea5_10.hours.swe"],
    "EA benchmark 5 at 10 m, 6.5 h, shallow water: processor time",
    |context| HOURS.measure(context, "peers.ea5_10.hours.swe", Solver::ShallowWater),
);

/// The first 6.5 h on the map's own cells, with the pipe method.
pub const HOURS_PIPE: Bench = bench(
    &["peers.ea5_10.hours.pipe"],
    "EA benchmark 5 at 10 m, 6.5 h, pipe method: processor time",
    |context| HOURS.measure(context, "peers.ea5_10.hours.pipe", Solver::Pipe),
);

const HOUR_S: f64 = 3600.0;
const COARSE: PeerFlood = PeerFlood { cell_m: 50.0, end_s: 30.0 * HOUR_S };
const FINE: PeerFlood = PeerFlood { cell_m: 10.0, end_s: HOUR_S };
const HOURS: PeerFlood = PeerFlood { cell_m: 10.0, end_s: 6.5 * HOUR_S };

/// A run of the benchmark.
#[derive(Debug, Clone, Copy)]
struct PeerFlood {
    cell_m: f64,
    end_s: f64,
}

impl PeerFlood {
    fn measure(self, context: &Context, id: &'static str, solver: Solver) -> BenchResult {
        on_threads(context, || {
            let settings = Settings { solver, manning_n: vec![MANNING], ..Settings::default() };
            let mut valley = Benchmark5Valley::read(context, self.cell_m, settings)?;
            let work = PeerWork::of(&mut valley.world, self.end_s)?;
            let peak = |index| format!("{:.3}", valley.peak_and_arrival(index).0);
            let peaks: Vec<String> = (0..POINTS).map(peak).collect();
            let note = format!("{work}\npeaks of points 1 to 7: {} m", peaks.join(", "));
            Ok(vec![work.measurement(id, valley.cells()).note(note)])
        })
    }
}
