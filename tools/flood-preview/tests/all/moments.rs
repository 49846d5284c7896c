//! Moments of the report: drawn from the water itself, they show what the maps show.
//!
//! Goal: the last moment, drawn tile by tile, is the map of the water at the end, reduced to the
//!       same pixels.

use std::path::Path;

use flood_preview::args::Args;
use flood_preview::outcome::{DepthFrame, FloodOutcome};
use flood_preview::simulate::simulate;
use kit::command::parse;
use kit::progress::CommandProgress;
use scenario::naming::named;
use scenario::plan::Plan;
use scenario::survey::survey;
use testkit::grid;

/// Limits of the classes of depth in which moments are painted: those of the plan are the same.
const FIRST_M: f32 = 0.05;

/// A valley of 5 m cells that falls to the east, with spurs on both sides.
fn valley(col: usize, row: usize) -> f64 {
    let (x, y) = (col as f64, row as f64);
    let axis = 60.0 + 20.0 * (x / 30.0).sin();
    60.0 - 0.05 * x + 0.15 * (y - axis).abs() + 1.5 * (x / 7.0).sin() * (y / 9.0).cos()
}

/// The outcome of a command in a folder, and the limits of its classes of depth, m.
fn run(folder: &Path, line: &str) -> (FloodOutcome, Vec<f32>) {
    let map = folder.join("valley.asc");
    let words = format!("flood-preview {} {line}", map.display());
    let args = parse::<Args>(words.split(' ').map(Into::into)).expect("sound").expect("no help");
    let plan = Plan::resolve(&named(&args.inputs, &args.options).expect("named")).expect("a plan");
    let survey = survey(&plan).expect("a map");
    let progress = CommandProgress::in_lines(true);
    let outcome = simulate(&plan, &survey, (words, args.device), progress, &|_| Ok(()));
    let outcome = outcome.expect("it runs");
    let limits_m = outcome.depth_classes_m.clone();
    (outcome, limits_m)
}

/// Method: cells of the map and columns of 8 × 8, on maps with one and with several cells a pixel;
/// depth of each pixel that a class shows, and the paint.
#[test]
fn the_last_moment_is_the_map_at_the_end() {
    for (width, factor) in [(400, 1), (900, 2)] {
        let folder = testkit::folder(&[("valley.asc", grid((width, 120), 5.0, valley))]);
        for cell in ["5", "40"] {
            let line = format!("--rain 60mm/h --for 10min --frames 2 --cell-size {cell}");
            let (outcome, limits_m) = run(folder.path(), &line);
            let last = outcome.frames.last().expect("a moment");
            let size = (outcome.grid.width, outcome.grid.height);
            let map = DepthFrame::reduced(last.time_s, size, &outcome.final_depth_m, &limits_m);
            assert_eq!((last.width, last.height), (map.width, map.height));
            assert_eq!(size.0.div_ceil(last.width), factor);
            let (mut shown, mut unlike) = (0, 0);
            for (pixel, (one, other)) in last.depth_m.iter().zip(&map.depth_m).enumerate() {
                let is_shown = *one >= FIRST_M || *other >= FIRST_M;
                shown += usize::from(is_shown);
                let paint = |frame: &DepthFrame| frame.paint.get(pixel).copied();
                let is_alike = one.to_bits() == other.to_bits() && paint(last) == paint(&map);
                unlike += usize::from(is_shown && !is_alike);
            }
            assert!(shown > 500, "{cell} m: {shown} pixels");
            assert_eq!(unlike, 0, "{cell} m, {width} columns: of {shown} pixels");
        }
    }
}
