//! Faults of the terrain: `terrain_faults.csv`, their figures, and the remedy for each.
//!
//! ```text
//! kind,x,y,to_x,to_y,cells,level_m,depth_m,volume_m3,held_m3,flooded_cells,part
//! blocked culvert,512345,181205,512345,181165,43,12.5,3.1,2400,1800,43,0.12
//! ```
//!
//! Limits: the figures list the faults that the event wets, [`LISTED`] at most; the table has all.

use std::io::{self, Write};

use rasters::Grid;
use serde_json::{Map, Value, json};

use super::passages::rounded;
use crate::faults::{FaultKind, GroundFault};
use crate::outcome::{FloodOutcome, TerrainFault};

/// Most faults that the figures list.
const LISTED: usize = 100;

/// Returns the name of a kind of fault.
#[must_use]
pub fn name(kind: FaultKind) -> &'static str {
    match kind {
        FaultKind::Pit => "pit",
        FaultKind::Dam => "blocked culvert",
        FaultKind::Gap => "hollow at missing heights",
        FaultKind::Flat => "flat ground",
        FaultKind::Highest => "heights cut off above",
        FaultKind::Lowest => "heights cut off below",
    }
}

/// Writes all faults; the faults that decide most of the event are first.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write_table(outcome: &FloodOutcome, target: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(target);
    let figures = ["cells", "level_m", "depth_m", "volume_m3", "held_m3", "flooded_cells", "part"];
    table.write_record(["kind", "x", "y", "to_x", "to_y"].into_iter().chain(figures))?;
    for TerrainFault { fault, held_m3, flooded, part } in &outcome.faults {
        let [x, y] = place(&outcome.grid, fault.cell);
        let to = fault.to.map(|to| place(&outcome.grid, to));
        let [to_x, to_y] = [0, 1].map(|i| to.map_or_else(String::new, |to| to[i].to_string()));
        table.write_record([
            name(fault.kind),
            &x.to_string(),
            &y.to_string(),
            &to_x,
            &to_y,
            &fault.cells.len().to_string(),
            &fault.level_m.to_string(),
            &fault.depth_m.to_string(),
            &rounded(fault.volume_m3).to_string(),
            &rounded(*held_m3).to_string(),
            &flooded.to_string(),
            &millionths(*part).to_string(),
        ])?;
    }
    table.flush()
}

/// Returns the figures of the faults that the event wets.
#[must_use]
pub fn figures(outcome: &FloodOutcome) -> Value {
    let wet = outcome.faults.iter().filter(|fault| fault.part > 0.0).take(LISTED);
    let figure = |wet: &TerrainFault| {
        let fault = &wet.fault;
        json!({
            "kind": name(fault.kind),
            "at": place(&outcome.grid, fault.cell),
            "to": fault.to.map(|to| place(&outcome.grid, to)),
            "cells": fault.cells.len(),
            "level_m": decimal(fault.level_m),
            "depth_m": decimal(fault.depth_m),
            "volume_m3": rounded(fault.volume_m3),
            "held_m3": rounded(wet.held_m3),
            "flooded_m2": outcome.area_m2(wet.flooded),
            "part": millionths(wet.part),
            "is_decisive": wet.is_decisive(),
            "mend": mend(outcome, fault),
        })
    };
    wet.map(figure).collect()
}

/// Returns the number of the faults of each kind, wet or dry.
#[must_use]
pub fn counts(outcome: &FloodOutcome) -> Map<String, Value> {
    let kinds = [
        FaultKind::Pit,
        FaultKind::Dam,
        FaultKind::Gap,
        FaultKind::Flat,
        FaultKind::Highest,
        FaultKind::Lowest,
    ];
    let count =
        |kind: FaultKind| outcome.faults.iter().filter(|wet| wet.fault.kind == kind).count();
    let counts = kinds.map(|kind| (name(kind), count(kind))).into_iter();
    let counts = counts.filter(|(_, count)| *count > 0);
    counts.map(|(name, count)| (name.to_owned(), count.into())).collect()
}

/// Returns the remedy for a fault, in words.
#[must_use]
pub fn mend(outcome: &FloodOutcome, fault: &GroundFault) -> String {
    let level = decimal(fault.level_m);
    match fault.kind {
        FaultKind::Dam => {
            let [from, to] = [Some(fault.cell), fault.to].map(|end| {
                end.map_or_else(String::new, |end| {
                    let [x, y] = place(&outcome.grid, end);
                    format!("{x}, {y}")
                })
            });
            format!(
                "if water passes the ridge in the world, by a culvert or below a bridge: \
                 [[culvert]] with from = [{from}] and to = [{to}] in the scenario"
            )
        }
        FaultKind::Pit => format!(
            "if it is no hollow in the world: raise its ground to {level} m, or cut its outlet \
             down, in the heightmap"
        ),
        FaultKind::Gap => {
            "heights are missing beside it: give them, or leave houses out of the ground; \
                      --edge holes=open lets the water go"
                .to_owned()
        }
        FaultKind::Flat | FaultKind::Lowest => format!(
            "if heights were missing there ({level} m): --nodata with the number that the file has \
             for them; if it is water: --permanent-water with a raster of it"
        ),
        FaultKind::Highest => format!(
            "ground above {level} m is missing: take heights that are not cut off, or leave this \
             part out with --area"
        ),
    }
}

/// Coordinates of the centre of a cell, rounded for typing.
#[must_use]
pub fn place(grid: &Grid, (column, row): (usize, usize)) -> [f64; 2] {
    // Decimals enough for a thousandth of a cell.
    let decimals = (3.0 - grid.step_x.min(grid.step_y).log10().floor()).clamp(0.0, 12.0);
    let step = 10.0_f64.powf(decimals);
    [grid.easting(column), grid.northing(row)].map(|value| (value * step).round() / step)
}

/// Rounds to six decimals.
fn millionths(part: f64) -> f64 {
    (part * 1.0e6).round() / 1.0e6
}

/// Returns the shortest decimal number of a single-precision one, to a millimetre.
fn decimal(value: f32) -> f64 {
    (f64::from(value) * 1000.0).round() / 1000.0
}
