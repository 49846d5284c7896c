//! Benchmark 5 of the UK Environment Agency on cells of 40 and 80 m, against cells of 10 m.
//!
//! Limits:     3.5 h; point 5 is in the pond at the valley's end, still rises then and does not
//!             count.
//! Source:     `crate::ea5`.

use crate::accuracy::scheme::Scheme;
use crate::ea5::{Benchmark5Valley, MANNING, RISING};
use crate::subgrid::columns::with_columns;
use crate::subgrid::downscaled::{DownscaledComparison, DownscaledFlood};
use crate::suite::{Bench, BenchResult, Context};

/// Levels, arrivals and speed-up.
pub const BENCH: Bench = Bench {
    ids: COMPARISON.ids,
    what: "EA benchmark 5 on cells of 40 and 80 m, downscaled: largest difference of peak levels \
           and mean one of arrivals from cells of 10 m, speed-up",
    is_long: true,
    measure,
};

const COMPARISON: DownscaledComparison = DownscaledComparison {
    ids: &["subgrid.ea5", "subgrid.ea5.arrival", "subgrid.ea5.faster"],
    cell_m: 10,
    levels: [2, 3],
    end_s: 3.5 * 3600.0,
    look_s: 20.0,
    level: |off| off.level_m[0],
    unit: "m",
    target: "<= 0.1",
    counts: |point| point != RISING,
};

fn measure(context: &Context) -> BenchResult {
    let settings = Scheme::Second.settings(MANNING);
    COMPARISON.measure(|level, columns| {
        let with = |builder| with_columns(builder, columns);
        let cell_m = f64::from(COMPARISON.cell_m);
        let valley = Benchmark5Valley::read_with(context, cell_m, level, |builder| {
            with(builder.settings(settings.clone()))
        })?;
        Ok(DownscaledFlood { world: valley.world, points: valley.gauges })
    })
}
