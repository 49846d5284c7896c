//! Place of a cell, in words that help to find it.

use rasters::HorizontalUnit;

use super::super::wording;
use super::markup::grouped;
use crate::outcome::{FloodOutcome, GaugeRecord};

/// Distance within which a gauge may name a place, in parts of the map's diagonal.
const NEAR: f64 = 0.25;

/// Returns a place in words: `60 m north-east of “mill” (512 300 E, 181 200 N)`.
#[must_use]
pub fn words(outcome: &FloodOutcome, cell: (usize, usize)) -> String {
    let position = position(outcome, cell);
    match landmark(outcome, cell) {
        Some(landmark) => format!("{landmark} ({position})"),
        None => format!("at {position}"),
    }
}

/// Returns the part of the map that contains a cell: `north-west`, or `middle`.
#[must_use]
pub fn region(outcome: &FloodOutcome, (column, row): (usize, usize)) -> &'static str {
    let grid = &outcome.grid;
    let third = |at: usize, cells: usize| (3 * at / cells.max(1)).min(2);
    match (third(row, grid.height), third(column, grid.width)) {
        (0, 0) => "north-west",
        (0, 1) => "north",
        (0, _) => "north-east",
        (1, 0) => "west",
        (1, 1) => "middle",
        (1, _) => "east",
        (_, 0) => "south-west",
        (_, 1) => "south",
        (..) => "south-east",
    }
}

/// True if [`words`] name a gauge.
#[must_use]
pub fn has_landmark(outcome: &FloodOutcome, cell: (usize, usize)) -> bool {
    landmark(outcome, cell).is_some()
}

/// Coordinates of a cell's centre.
fn position(outcome: &FloodOutcome, (column, row): (usize, usize)) -> String {
    let grid = &outcome.grid;
    let (x, y) = (grid.easting(column), grid.northing(row));
    let whole = |value: f64| grouped(&format!("{value:.0}"));
    let degrees = |value: f64, names: [&str; 2]| {
        let name = if value < 0.0 { names[1] } else { names[0] };
        format!("{:.5}° {name}", value.abs())
    };
    match grid.unit {
        HorizontalUnit::Degree => format!("{}, {}", degrees(x, ["E", "W"]), degrees(y, ["N", "S"])),
        HorizontalUnit::Metre if grid.step_x >= 1.0 => format!("{} E, {} N", whole(x), whole(y)),
        HorizontalUnit::Unknown if grid.step_x >= 1.0 => format!("x {}, y {}", whole(x), whole(y)),
        HorizontalUnit::Length(unit) => format!("x {x:.2}, y {y:.2} ({unit})"),
        HorizontalUnit::Metre | HorizontalUnit::Unknown => format!("x {x:.2}, y {y:.2}"),
    }
}

/// Returns the nearest gauge, its distance and its direction.
fn landmark(outcome: &FloodOutcome, (column, row): (usize, usize)) -> Option<String> {
    let grid = &outcome.grid;
    let (cell_x, cell_y) = grid.cell_m?;
    let (x, y) = (grid.easting(column), grid.northing(row));
    let offset = |gauge: &GaugeRecord| {
        [(x - gauge.x) / grid.step_x * cell_x, (y - gauge.y) / grid.step_y * cell_y]
    };
    let length = |[east, north]: [f64; 2]| east.hypot(north);
    let gauges = outcome.gauges.iter().map(|gauge| (offset(gauge), gauge));
    let (offset, gauge) = gauges.min_by(|a, b| length(a.0).total_cmp(&length(b.0)))?;
    #[expect(clippy::cast_precision_loss, reason = "cells of a map")]
    let diagonal = (grid.width as f64 * cell_x).hypot(grid.height as f64 * cell_y);
    let name = &gauge.name;
    match length(offset) {
        far if far > NEAR * diagonal => None,
        near if near < 1.5 * cell_x => Some(format!("at “{name}”")),
        metres => {
            let away = wording::length(two_digits(metres));
            Some(format!("{away} {} of “{name}”", direction(offset)))
        }
    }
}

/// Returns a length in two digits, positive.
fn two_digits(metres: f64) -> f64 {
    let unit = 10.0_f64.powf(metres.log10().floor() - 1.0);
    (metres / unit).round() * unit
}

/// Returns the nearest of eight directions.
fn direction([east, north]: [f64; 2]) -> &'static str {
    let along = |part: f64, other: f64| part.abs() > 0.414 * other.abs();
    match (along(north, east), along(east, north)) {
        (true, true) if north > 0.0 && east > 0.0 => "north-east",
        (true, true) if north > 0.0 => "north-west",
        (true, true) if east > 0.0 => "south-east",
        (true, true) => "south-west",
        (true, false) if north > 0.0 => "north",
        (true, false) => "south",
        _ if east > 0.0 => "east",
        _ => "west",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: distances on a laboratory's tank are not 0 mm.
    #[test]
    fn distances_have_two_digits() {
        for (metres, expected) in [
            (0.0043, "4.3 mm"),
            (0.0437, "4.4 cm"),
            (0.3, "30 cm"),
            (2.46, "2.5 m"),
            (63.2, "63 m"),
            (999.0, "1 km"),
            (1234.0, "1.2 km"),
            (12_345.0, "12 km"),
        ] {
            assert_eq!(wording::length(two_digits(metres)), expected);
        }
    }

    #[test]
    fn directions_are_those_of_a_map() {
        for (offset, expected) in [
            ([0.0, 5.0], "north"),
            ([1.0, 1.0], "north-east"),
            ([3.0, -1.0], "east"),
            ([-2.0, -2.1], "south-west"),
            ([0.1, -9.0], "south"),
            ([-1.0, 0.9], "north-west"),
        ] {
            assert_eq!(direction(offset), expected, "{offset:?}");
        }
    }
}
