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
//! | `difference_flooded.tif` | `arrival.tif` | 1, or −1 if the reference | neither flooded it |
//!
//! In the last, a cell that both flooded is 0.
//!
//! Guarantees: each value is the difference in single precision of the values of the two files; of
//!             exactly −9999, which means NoData, the nearest number that is nearer to 0.

use kit::error::UserError;
use rasters::{Band, NODATA};

use super::extent::{Extent, Flood};
use super::naming::numbered;
use super::reading::Results;
use crate::output::delivery::Delivery;

/// How two values make one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rule {
    /// Where one has no value, it is 0.
    NoneIsZero,
    /// Where one has no value, there is no difference.
    WhereBoth,
    /// 1 if the run alone has a value, −1 if the reference alone has one, 0 if both have one.
    Presence,
}

/// A map of differences.
#[derive(Debug)]
pub struct Map {
    /// File of the runs.
    source: &'static str,
    /// File of the comparison, without number and ending.
    pub target: &'static str,
    band: Band<'static>,
    rule: Rule,
}

impl Map {
    const fn new(
        [source, target]: [&'static str; 2],
        [description, unit]: [&'static str; 2],
        rule: Rule,
    ) -> Self {
        Self { source, target, band: Band { description, unit }, rule }
    }
}

/// All maps of a comparison, in their order.
pub const MAPS: [Map; 7] = [
    Map::new(
        ["max_depth.tif", "difference_max_depth"],
        ["Difference of maximum depth", "m"],
        Rule::NoneIsZero,
    ),
    Map::new(
        ["max_stage.tif", "difference_max_stage"],
        ["Difference of maximum water level", "m"],
        Rule::WhereBoth,
    ),
    Map::new(
        ["max_speed.tif", "difference_max_speed"],
        ["Difference of maximum speed", "m/s"],
        Rule::WhereBoth,
    ),
    Map::new(
        ["hazard.tif", "difference_hazard"],
        ["Difference of largest depth x (speed + 0.5)", "m2/s"],
        Rule::WhereBoth,
    ),
    Map::new(
        ["arrival.tif", "difference_arrival"],
        ["Difference of time until first flooded", "s"],
        Rule::WhereBoth,
    ),
    Map::new(
        ["duration.tif", "difference_duration"],
        ["Difference of time for which flooded", "s"],
        Rule::NoneIsZero,
    ),
    Map::new(
        ["arrival.tif", "difference_flooded"],
        ["Newly flooded 1, no longer flooded -1, both 0", ""],
        Rule::Presence,
    ),
];

/// A run compared with the reference.
#[derive(Debug)]
pub struct Comparison {
    /// Difference of the largest depths, m; NaN if neither run had water.
    pub depth_m: Vec<f32>,
    /// State of each cell.
    pub flooded: Vec<Flood>,
    /// Counts of these.
    pub extent: Extent,
}

impl Comparison {
    /// Largest rise and largest fall of the largest depth, m; 0 if there is none.
    #[must_use]
    pub fn extremes_m(&self) -> [f64; 2] {
        let known = || self.depth_m.iter().filter(|depth| !depth.is_nan());
        let rise = known().fold(0.0_f32, |most, &depth| most.max(depth));
        let fall = known().fold(0.0_f32, |least, &depth| least.min(depth));
        [rise, fall].map(f64::from)
    }
}

/// Writes all maps of the second run less the first, the reference.
///
/// # Errors
///
/// Naming the file that could not be read or written.
pub fn write(
    [reference, run]: [&Results; 2],
    number: Option<usize>,
    delivery: &mut Delivery,
) -> Result<Comparison, UserError> {
    let (mut depth_m, mut flooded) = (Vec::new(), Vec::new());
    let mut last: Option<(&str, [Vec<f32>; 2])> = None;
    for Map { source, target, band, rule } in &MAPS {
        let planes = match last.take() {
            Some((name, planes)) if name == *source => planes,
            _ => [reference.plane(source)?, run.plane(source)?],
        };
        let cells = || planes[0].iter().copied().zip(planes[1].iter().copied());
        let plane: Vec<f32> = cells().map(|(one, other)| rule.value(one, other)).collect();
        let name = numbered(target, number, "tif");
        let path = delivery.temporary(name.clone());
        let width = reference.grid.width;
        let fill = |row: usize, target: &mut [f32]| {
            target.copy_from_slice(&plane[row * width..(row + 1) * width]);
        };
        rasters::write_geotiff(&path, &reference.grid, *band, fill)
            .map_err(|error| delivery.unwritten(&name, &error))?;
        match (*source, rule) {
            ("max_depth.tif", _) => depth_m = plane,
            (_, Rule::Presence) => {
                flooded = cells().map(|(one, other)| Flood::of(one, other)).collect();
            }
            _ => {}
        }
        last = Some((source, planes));
    }
    let extent = Extent::of(&flooded);
    Ok(Comparison { depth_m, flooded, extent })
}

impl Rule {
    /// Value of a cell; NaN if it has none.
    fn value(self, reference: f32, run: f32) -> f32 {
        let known = |value: f32| if value.is_nan() { 0.0 } else { value };
        let difference = match self {
            Self::NoneIsZero if reference.is_nan() && run.is_nan() => f32::NAN,
            Self::NoneIsZero => known(run) - known(reference),
            Self::WhereBoth => run - reference,
            Self::Presence => Flood::of(reference, run).value(),
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
            (none, none, [none, none, none]),
            (none, 1.5, [1.5, none, 1.0]),
            (1.5, none, [-1.5, none, -1.0]),
            (1.5, 1.5, [0.0, 0.0, 0.0]),
            (0.25, 1.5, [1.25, 1.25, 0.0]),
            (9999.5, 0.5, [-9998.999, -9998.999, 0.0]),
        ] {
            for (rule, expected) in
                [Rule::NoneIsZero, Rule::WhereBoth, Rule::Presence].into_iter().zip(expected)
            {
                let found = rule.value(reference, run);
                let is_same = found.to_bits() == expected.to_bits();
                let are_none = found.is_nan() && expected.is_nan();
                assert!(is_same || are_none, "{rule:?} of {reference}, {run}: {found}");
            }
        }
    }
}
