//! Differences of GeoTIFFs, cell by cell: the run less the reference.
//!
//! | file | of | a cell that one run alone wetted | a cell without a value |
//! | --- | --- | --- | --- |
//! | `difference_max_depth.tif` | `max_depth.tif`, m | the other's is 0 | neither had water |
//! | `difference_duration.tif` | `duration.tif`, s | the other's is 0 | neither flooded it |
//! | `difference_max_stage.tif` | `max_stage.tif`, m | no value | not both flooded it |
//! | `difference_max_speed.tif` | `max_speed.tif`, m/s | no value | not both flooded it |
//! | `difference_hazard.tif` | `hazard.tif`, m²/s | no value | not both flooded it |
//! | `difference_arrival.tif` | `arrival.tif`, s | no value | not both flooded it |
//! | `difference_flooded.tif` | `max_depth.tif`, `before.tif` | 1 or −1 | see below |
//!
//! In `difference_flooded.tif`, a cell that the run alone flooded is 1, one that the reference
//! alone flooded −1, one that both flooded 0; one that neither flooded, or that was under water
//! before the event in both, has no value.
//!
//! Guarantees: each value is the difference in single precision of the values of the two files; if
//!             it is exactly −9999, which means NoData, the nearest number that is nearer to 0.
//!             Planes of two runs are in memory at a time, however many are compared.

use kit::error::UserError;
use rasters::{NODATA, RasterBand};
use scenario::quantity::metres;

use super::extent::{FloodChange, FloodedExtent, FloodedGround};
use super::naming::numbered;
use super::reading::RunResults;
use crate::output::delivery::Delivery;

/// Rule that makes one value of two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// If one has no value, it is 0.
    NoneIsZero,
    /// If one has no value, the difference has none.
    WhereBoth,
}

/// A map of differences.
#[derive(Debug)]
pub struct DifferenceMap {
    /// File of the runs.
    source: &'static str,
    /// File of the comparison, without number and ending.
    pub target: &'static str,
    band: RasterBand<'static>,
    /// Rule for its values; `None` for the map of the states of cells ([`FloodChange::value`]).
    rule: Option<Rule>,
}

impl DifferenceMap {
    const fn new(
        [source, target]: [&'static str; 2],
        [description, unit]: [&'static str; 2],
        rule: Option<Rule>,
    ) -> Self {
        Self { source, target, band: RasterBand { description, unit }, rule }
    }
}

/// All maps of a comparison, in their order; maps of one source are consecutive.
pub const MAPS: [DifferenceMap; 7] = [
    DifferenceMap::new(
        ["max_depth.tif", "difference_max_depth"],
        ["Difference of maximum depth", "m"],
        Some(Rule::NoneIsZero),
    ),
    DifferenceMap::new(
        ["max_depth.tif", "difference_flooded"],
        ["Newly flooded 1, no longer flooded -1, both 0", ""],
        None,
    ),
    DifferenceMap::new(
        ["max_stage.tif", "difference_max_stage"],
        ["Difference of maximum water level", "m"],
        Some(Rule::WhereBoth),
    ),
    DifferenceMap::new(
        ["max_speed.tif", "difference_max_speed"],
        ["Difference of maximum speed", "m/s"],
        Some(Rule::WhereBoth),
    ),
    DifferenceMap::new(
        ["hazard.tif", "difference_hazard"],
        ["Difference of largest depth x (speed + 0.5)", "m2/s"],
        Some(Rule::WhereBoth),
    ),
    DifferenceMap::new(
        ["duration.tif", "difference_duration"],
        ["Difference of time for which flooded", "s"],
        Some(Rule::NoneIsZero),
    ),
    DifferenceMap::new(
        ["arrival.tif", "difference_arrival"],
        ["Difference of time until first flooded", "s"],
        Some(Rule::WhereBoth),
    ),
];

/// Counts and extremes of a run that was compared with the reference.
#[derive(Debug, Clone, Copy)]
pub struct RunComparison {
    /// Counts of cells.
    pub extent: FloodedExtent,
    /// Largest rise and largest fall of the largest depth, m; 0 if no depth rises or falls.
    pub extremes_m: [f64; 2],
}

/// Cells of a run that is compared with the reference.
#[derive(Debug)]
pub struct RunDifference {
    /// Difference of the largest depths, m; NaN if neither run had water.
    pub depth_m: Vec<f32>,
    /// State of each cell.
    pub flooded: Vec<FloodChange>,
}

impl RunDifference {
    /// Returns the counts and the extremes.
    #[must_use]
    pub fn comparison(&self) -> RunComparison {
        let known = || self.depth_m.iter().filter(|depth| !depth.is_nan());
        let rise = known().fold(0.0_f32, |most, &depth| most.max(depth));
        let fall = known().fold(0.0_f32, |least, &depth| least.min(depth));
        let extremes_m = [rise, fall].map(f64::from);
        RunComparison { extent: FloodedExtent::of(&self.flooded), extremes_m }
    }
}

/// Writes all maps of the second run less the first, the reference.
///
/// # Errors
///
/// The error names the file that could not be read or written.
pub fn write(
    runs: [&RunResults; 2],
    number: Option<usize>,
    delivery: &mut Delivery,
) -> Result<RunDifference, UserError> {
    let grid = &runs[0].grid;
    let mut difference = RunDifference { depth_m: Vec::new(), flooded: Vec::new() };
    let (mut planes, mut read) = ([Vec::new(), Vec::new()], "");
    for DifferenceMap { source, target, band, rule } in &MAPS {
        if read != *source {
            // The earlier planes are dropped first: otherwise four would be in memory.
            drop(std::mem::take(&mut planes));
            planes = [runs[0].plane(source)?, runs[1].plane(source)?];
            read = source;
        }
        if rule.is_none() {
            difference.flooded = states(runs, &planes)?;
        }
        let [one, other] = &planes;
        let flooded = &difference.flooded;
        let value = |cell: usize| match rule {
            None => flooded[cell].value(),
            Some(rule) => rule.value(one[cell], other[cell]),
        };
        let name = numbered(target, number, "tif");
        let path = delivery.temporary(name.clone());
        let fill = |row: usize, target: &mut [f32]| {
            for (cell, target) in (row * grid.width..).zip(target) {
                *target = value(cell);
            }
        };
        rasters::write_geotiff(&path, grid, *band, fill)
            .map_err(|error| delivery.unwritten(&name, &error))?;
        if *target == "difference_max_depth" {
            difference.depth_m = (0..one.len()).map(value).collect();
        }
    }
    Ok(difference)
}

/// Returns the state of each cell, by the largest depths in both runs, m.
fn states(runs: [&RunResults; 2], depth_m: &[Vec<f32>; 2]) -> Result<Vec<FloodChange>, UserError> {
    let before = [runs[0].water_before()?, runs[1].water_before()?];
    let wet_depth_m = runs.map(|run| metres(run.wet_depth_m()));
    let ground = |run: usize, cell: usize| FloodedGround {
        is_wet: depth_m[run][cell] >= wet_depth_m[run],
        was_water: before[run][cell],
    };
    Ok((0..depth_m[0].len())
        .map(|cell| FloodChange::of(ground(0, cell), ground(1, cell)))
        .collect())
}

impl Rule {
    /// Returns the value of a cell; NaN if it has none.
    fn value(self, reference: f32, run: f32) -> f32 {
        let known = |value: f32| if value.is_nan() { 0.0 } else { value };
        let difference = match self {
            Self::NoneIsZero if reference.is_nan() && run.is_nan() => f32::NAN,
            Self::NoneIsZero => known(run) - known(reference),
            Self::WhereBoth => run - reference,
        };
        if difference.to_bits() == NODATA.to_bits() { NODATA.next_up() } else { difference }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_one_run_wetted_follows_its_rule() {
        let none = f32::NAN;
        for (reference, run, expected) in [
            (none, none, [none, none]),
            (none, 1.5, [1.5, none]),
            (1.5, none, [-1.5, none]),
            (1.5, 1.5, [0.0, 0.0]),
            (0.25, 1.5, [1.25, 1.25]),
            (9999.5, 0.5, [-9998.999, -9998.999]),
        ] {
            for (rule, expected) in [Rule::NoneIsZero, Rule::WhereBoth].into_iter().zip(expected) {
                let found = rule.value(reference, run);
                let is_same = found.to_bits() == expected.to_bits();
                let are_none = found.is_nan() && expected.is_nan();
                assert!(is_same || are_none, "{rule:?} of {reference}, {run}: {found}");
            }
        }
    }
}
