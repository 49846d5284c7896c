//! Ranges of figures that `flood-preview` reports on the way, against the figures of its last
//! level.
//!
//! ```text
//! sure     figures of the last level that lie in the range of the level before / all figures
//! width    half the width of a range / its figure, the median of all
//! first    area flooded in the first level / in the last, or its inverse: the largest
//! ```
//!
//! Figures: flooded and dangerous area, greatest depth, fast flow, volumes stored and left, and the
//! largest depth at four gauges: ten a map.
//!
//! A figure that is 0 in the level before has no range: it is inside if it stays 0.
//!
//! Limits:  ranges of the last level itself, which are of cells that are not simulated, are not
//!          checked; their numbers are from the first five of these events and the sample.

use crate::beside::program;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// Ranges on six maps.
pub const BENCH: Bench = Bench {
    ids: &["preview.sure", "preview.width", "preview.first_flooded"],
    what: "ranges that flood-preview reports before its last level, on six maps: part of the last \
           level's figures that lie inside, and the median of their half widths; area that the \
           first level flooded over that of the last, the worst of the six",
    is_long: true,
    measure,
};

/// Maps, events and gauges.
const EVENTS: [(&str, &str); 6] = [
    (
        "heightmaps/boscastle_10m.asc",
        "--rain 60mm/h --rain-for 1h --for 2h --gauge a=209935,91275 --gauge b=211185,90345 \
         --gauge c=213005,91105 --gauge d=210305,89775",
    ),
    (
        "heightmaps/bigtujunga.tif",
        "--rain 60mm/h --for 1h --gauge a=383000,3796000 --gauge b=392000,3798000 \
         --gauge c=401000,3801000 --gauge d=409000,3793000",
    ),
    (
        "heightmaps/tidal_marsh_2m.asc",
        "--rain 40mm/h --for 30min --gauge a=151,201 --gauge b=301,401 --gauge c=401,601 \
         --gauge d=201,801",
    ),
    (
        "malpasset/malpasset_dem_20m.tif",
        "--manning 0.033 --edges wall --for 4000s --gauge a=8740,2750 --gauge b=6320,4330 \
         --gauge c=10560,3230 --gauge d=12000,1350",
    ),
    (
        "heightmaps/black_forest_2401_u16.png",
        "--map-cell 75 --height-range 85..4180.94 --area 60000,90000,110000,130000 \
         --rain 30mm/h --rain-for 1h --for 3h --gauge a=81112,101362 --gauge b=88237,102637 \
         --gauge c=103162,111187 --gauge d=96637,121312",
    ),
    (
        // No number was fitted to this one.
        "heightmaps/black_forest_2401_u16.png",
        "--map-cell 75 --height-range 85..4180.94 --area 20000,20000,60000,60000 \
         --rain 50mm/h --rain-for 1h --for 2h --gauge a=30000,30000 --gauge b=40000,50000 \
         --gauge c=50000,40000 --gauge d=35000,45000",
    ),
];

/// Time between two checks of the folder of results.
const LOOKS_EVERY: Duration = Duration::from_millis(20);

/// A figure of the last level, and the figure and its range in the level before.
struct Checked {
    value: f64,
    before: f64,
    /// Ends of the range; `None` if the figure has none.
    range: Option<[f64; 2]>,
}

impl Checked {
    fn is_inside(&self) -> bool {
        let [low, high] = self.range.unwrap_or([self.before; 2]);
        (low..=high).contains(&self.value)
    }

    fn half_width(&self) -> Option<f64> {
        let [low, high] = self.range?;
        Some(0.5 * (high - low) / self.before)
    }
}

fn measure(context: &Context) -> BenchResult {
    let mut all = Vec::new();
    let (mut lines, mut firsts) = (Vec::new(), Vec::new());
    for (name, options) in EVENTS {
        let depth = context.data("malpasset/malpasset_h0_20m.tif")?;
        let mut command = Command::new(program("flood-preview")?);
        command.arg(context.data(name)?).args(options.split_whitespace());
        if name.starts_with("malpasset") {
            command.arg("--initial-depth").arg(depth);
        }
        let (checked, first) = checked(&mut command)?;
        firsts.push(first);
        let inside = checked.iter().filter(|checked| checked.is_inside()).count();
        lines.push(format!("{name}: {inside} of {}", checked.len()));
        all.extend(checked);
    }
    let inside = all.iter().filter(|checked| checked.is_inside()).count();
    let mut widths: Vec<f64> = all.iter().filter_map(Checked::half_width).collect();
    widths.sort_by(f64::total_cmp);
    let median = widths.get(widths.len() / 2).copied().ok_or("no figure has a range")?;
    let worst = firsts.iter().map(|first| first.max(1.0 / first)).fold(1.0, f64::max);
    let firsts: Vec<String> = firsts.iter().map(|first| format!("{first:.2}")).collect();
    let sure = inside as f64 / all.len() as f64;
    Ok(vec![
        Measurement::new(BENCH.ids[0], sure, "1").target(">= 0.9").note(lines.join("; ")),
        Measurement::new(BENCH.ids[1], median, "1").target("<= 0.2"),
        Measurement::new(BENCH.ids[2], worst, "1").note(firsts.join("; ")),
    ])
}

/// Runs the program, and compares the ranges of the last level but one with the last; returns them
/// with the area flooded in the first level over that in the last.
fn checked(command: &mut Command) -> Result<(Vec<Checked>, f64), BenchError> {
    let folder = tempfile::tempdir()?;
    let mut child = command
        .args(["--frames", "0", "--quality", "fine", "--out"])
        .arg(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let mut before = Value::Null;
    loop {
        let ended = child.try_wait()?;
        let summary = summary(&folder.path().join("summary.json"));
        match ended {
            Some(status) if status.success() => {
                return Ok((compared(&before, &summary)?, first_over_last(&summary)?));
            }
            Some(status) => return Err(format!("flood-preview ended with {status}").into()),
            None => {}
        }
        if summary["is_going_on"] == true && summary["ranges"].is_object() {
            before = summary;
        }
        std::thread::sleep(LOOKS_EVERY);
    }
}

fn summary(path: &Path) -> Value {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    serde_json::from_str(&text).unwrap_or_default()
}

fn first_over_last(last: &Value) -> Result<f64, BenchError> {
    let flooded_m2 = |level: Option<&Value>| level?["flooded_m2"].as_f64();
    let levels = last["levels"].as_array().ok_or("the summary has no levels")?;
    let ends = flooded_m2(levels.first()).zip(flooded_m2(levels.last()));
    Ok(ends.map(|(first, last)| first / last).ok_or("a level has no flooded area")?)
}

/// Returns the figures of `last`, each with its range in `before`.
fn compared(before: &Value, last: &Value) -> Result<Vec<Checked>, BenchError> {
    let ranges = before["ranges"].as_object().ok_or("no level before the last has ranges")?;
    let names = ["flooded_m2", "dangerous_m2", "deepest_m", "fast_m_s", "stored_m3", "left_m3"];
    let of_gauges = ranges["gauges"].as_array().into_iter().flatten();
    let of_gauges = of_gauges.map(|range| &range["depth_m"]);
    let all = names.iter().map(|name| &ranges[*name]).chain(of_gauges);
    let figures = figures(last).into_iter().zip(figures(before)).zip(all);
    let checked = figures.map(|((value, before), range)| {
        let ends = range[0].as_f64().zip(range[1].as_f64());
        Checked { value, before, range: ends.map(|(low, high)| [low, high]) }
    });
    Ok(checked.collect())
}

/// Returns the figures of a summary; a missing one is 0.
fn figures(summary: &Value) -> Vec<f64> {
    let volumes = &summary["volumes_m3"];
    let left = volumes["out"].as_object().into_iter().flat_map(|out| out.values());
    let left: f64 = left.filter_map(Value::as_f64).sum();
    let gauges = summary["gauges"].as_array().into_iter().flatten();
    let peaks = gauges.map(|gauge| gauge["max_depth"]["depth_m"].as_f64());
    let figures = [
        summary["flooded_m2"].as_f64(),
        summary["dangerous_m2"].as_f64(),
        summary["flooded"]["deepest"]["depth_m"].as_f64(),
        summary["flooded"]["fast"]["speed_m_s"].as_f64(),
        volumes["stored"].as_f64(),
        Some(left),
    ];
    figures.into_iter().chain(peaks).map(|figure| figure.unwrap_or(0.0)).collect()
}
