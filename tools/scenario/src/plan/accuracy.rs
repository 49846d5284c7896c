//! Cost of coarse cells in accuracy, as far as it has been measured.

use kit::words::short;

/// Errors of drafts, against every cell simulated: on the best and on the worst of the maps that
/// have this level.
struct Measured {
    /// Level of the simulated cells.
    level: u8,
    /// Cells flooded in both over cells flooded in either.
    index: [f64; 2],
    /// Median difference of the largest depths over those cells, m.
    depth_m: [f64; 2],
}

/// `cargo run --release -p bench -- subgrid.draft subgrid.draft.brooks`: its notes name the maps.
const MEASURED: &[Measured] = &[
    // enogeo (rain on hills), bigtujunga (cloudburst on mountains).
    Measured { level: 1, index: [0.86, 0.58], depth_m: [0.02, 0.06] },
    // ea5 (valley flood), malpasset (lake, canyon, coast).
    Measured { level: 2, index: [0.98, 0.97], depth_m: [0.01, 0.10] },
];

/// The error to expect at a level.
#[must_use]
pub fn words(level: u8) -> String {
    let Some(measured) = MEASURED.iter().find(|measured| measured.level == level) else {
        return "not measured for cells this coarse; compare with --quality normal or fine".into();
    };
    let [best, worst] = measured.index.map(|index| short(100.0 * index));
    let [least, most] = measured.depth_m.map(|depth| short(100.0 * depth));
    format!(
        "compared with runs of every cell, on test maps {worst} to {best} % of the ground flooded \
         in either was flooded in both, and half of the depths there were within {least} to \
         {most} cm; steep ground and streams narrower than a simulated cell are worst"
    )
}
