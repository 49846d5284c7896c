//! What coarse cells cost in accuracy, as far as it has been measured.

use super::settings::short;

/// What a draft was off by, against every cell simulated.
struct Measured {
    /// Level of the simulated cells.
    level: u8,
    /// Cells flooded in both over cells flooded in either.
    index: f64,
    /// Median difference of the largest depths over those cells, m.
    depth_m: f64,
}

/// The worst of the maps of `bench subgrid.draft` at each level; a level that no map has is not
/// here.
const MEASURED: &[Measured] = &[];

/// The error to expect at a level.
#[must_use]
pub fn words(level: u8) -> String {
    let Some(measured) = MEASURED.iter().find(|measured| measured.level == level) else {
        return format!("not measured at level {level}");
    };
    format!(
        "flooded areas agree to {} % or more, half of the depths to {} m",
        short((100.0 * measured.index).floor()),
        short(measured.depth_m)
    )
}
