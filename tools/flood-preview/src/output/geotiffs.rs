//! The GeoTIFFs: one plane each, in the reference system and on the grid of the input.
//!
//! | file | a value is | a cell without one |
//! | --- | --- | --- |
//! | `max_depth.tif`, `final_depth.tif` | metres of water, however little | had none |
//! | `max_stage.tif` | highest elevation of the surface, m | was never flooded |
//! | `max_speed.tif`, `hazard.tif` | m/s, m²/s | was never flooded |
//! | `arrival.tif`, `duration.tif` | seconds | was never flooded |
//! | `certainty.tif` | 0 surely dry, 1 unsure, 2 surely flooded | is outside, or had water before |
//! | `before.tif` | under water before: 1 at the start, 2 the sea, 3 permanent | was dry ground |
//! | `max_depth_below.tif` | metres of the deepest water below the ground | has no room there |
//! | `max_stage_below.tif` | highest elevation of that water, or head, m | was not flooded there |
//!
//! *Below the ground* is under a deck, in a tunnel or in a room; if that stayed dry the depth is 0.
//! If several such spaces are one below the other, both values are of the one that was deepest. The
//! head is that of water that fills its space. These two files are written if cells have room below
//! the ground at the end, and `before.tif` if ground was under water before; files of an earlier
//! run are removed.
//!
//! A cell is *flooded* if it was as deep as the wet depth. Depths are whole, so that their sum
//! times the cell's area is the volume.
//!
//! Guarantees: every cell has the value of the simulation cell that contains its centre: nothing is
//!             interpolated.
//! Limits:     if the simulation's cells are larger, neighbours repeat: the files have the input's
//!             size, not its detail.

use std::path::PathBuf;

use kit::error::UserError;
use rasters::{Grid, RasterBand};
use rayon::prelude::*;

use crate::outcome::{CellBefore, FloodOutcome};
use crate::output::delivery::Delivery;

/// One file.
struct GeotiffMap<'a> {
    name: &'static str,
    band: RasterBand<'static>,
    /// The value of a cell; NaN if it has none.
    value: Box<dyn Fn(usize) -> f32 + Sync + 'a>,
}

/// Files that are written if cells have water below the ground.
const BELOW: [&str; 2] = ["max_depth_below.tif", "max_stage_below.tif"];

/// File that is written if a run has levels to compare.
const CERTAINTY: &str = "certainty.tif";

/// File of the ground that was under water before the event, if there was any.
pub const BEFORE: &str = "before.tif";

/// Returns all files, in their order.
fn maps(outcome: &FloodOutcome) -> Vec<GeotiffMap<'_>> {
    let map = |name, description, unit, value| GeotiffMap {
        name,
        band: RasterBand { description, unit },
        value,
    };
    let present = |plane: &'_ [f32], cell: usize| match plane[cell] {
        depth if depth > 0.0 => depth,
        _ => f32::NAN,
    };
    let flooded = |value: f32, cell: usize| match outcome.arrival_s[cell].is_nan() {
        true => f32::NAN,
        false => value,
    };
    let stage = |cell: usize| outcome.bed_m[cell] + outcome.max_depth_m[cell];
    let mut maps = vec![
        map("max_depth.tif", "Maximum depth", "m", {
            Box::new(move |cell| present(&outcome.max_depth_m, cell))
        }),
        map("max_stage.tif", "Maximum water level", "m", {
            Box::new(move |cell| flooded(stage(cell), cell))
        }),
        map("max_speed.tif", "Maximum speed", "m/s", {
            Box::new(move |cell| flooded(outcome.max_speed_m_s[cell], cell))
        }),
        map("hazard.tif", "Largest depth x (speed + 0.5)", "m2/s", {
            Box::new(move |cell| flooded(outcome.hazard_m2_s[cell], cell))
        }),
        map("arrival.tif", "Time until first flooded", "s", {
            Box::new(move |cell| outcome.arrival_s[cell])
        }),
        map("duration.tif", "Time for which flooded", "s", {
            Box::new(move |cell| flooded(outcome.duration_s[cell], cell))
        }),
        map("final_depth.tif", "Depth at the end", "m", {
            Box::new(move |cell| present(&outcome.final_depth_m, cell))
        }),
    ];
    if let Some(sure) = &outcome.sure {
        maps.push(map(CERTAINTY, "0 surely dry, 1 unsure, 2 surely flooded", "", {
            Box::new(move |cell| sure.classes[cell])
        }));
    }
    if has_before(outcome) {
        maps.push(map(BEFORE, "Under water before: 1 start, 2 sea, 3 permanent", "", {
            Box::new(move |cell| match outcome.before[cell] {
                CellBefore::Dry => f32::NAN,
                CellBefore::Start => 1.0,
                CellBefore::Sea => 2.0,
                CellBefore::Permanent => 3.0,
            })
        }));
    }
    if let Some(below) = &outcome.below {
        let [depth, stage] = BELOW;
        maps.push(map(depth, "Maximum depth below ground", "m", {
            Box::new(move |cell| below.max_depth_m[cell])
        }));
        maps.push(map(stage, "Maximum water level or head below ground", "m", {
            Box::new(move |cell| match below.max_depth_m[cell] >= outcome.wet_depth_m {
                true => below.max_stage_m[cell],
                false => f32::NAN,
            })
        }));
    }
    maps
}

fn has_before(outcome: &FloodOutcome) -> bool {
    outcome.before.iter().any(|before| *before != CellBefore::Dry)
}

/// Writes all planes.
///
/// # Errors
///
/// The error names the first that could not be written.
pub fn write(outcome: &FloodOutcome, delivery: &mut Delivery) -> Result<(), UserError> {
    let (grid, target) = (&outcome.grid, &outcome.output_grid);
    let columns = columns_of(target, grid);
    let maps = maps(outcome);
    let paths: Vec<PathBuf> = maps.iter().map(|map| delivery.temporary(map.name)).collect();
    let write = |(GeotiffMap { name, band, value }, path): (&GeotiffMap<'_>, &PathBuf)| {
        let fill = |index: usize, cells: &mut [f32]| {
            let row = row_of(target, index, grid);
            for (cell, column) in cells.iter_mut().zip(&columns) {
                let source = row.zip(*column).map(|(row, column)| row * grid.width + column);
                let inside = source.filter(|&source| !outcome.bed_m[source].is_nan());
                *cell = inside.map_or(f32::NAN, value);
            }
        };
        rasters::write_geotiff(path, target, *band, fill)
            .map_err(|error| delivery.unwritten(name, &error))
    };
    // The first in their order that fails, whichever fails first.
    let written: Vec<Result<(), UserError>> = maps.par_iter().zip(&paths).map(write).collect();
    written.into_iter().collect::<Result<(), UserError>>()?;
    if outcome.sure.is_none() {
        delivery.file_if(false, CERTAINTY, |_| Ok(()))?;
    }
    if !has_before(outcome) {
        delivery.file_if(false, BEFORE, |_| Ok(()))?;
    }
    if outcome.below.is_none() {
        for name in BELOW {
            delivery.file_if(false, name, |_| Ok(()))?;
        }
    }
    Ok(())
}

/// Returns for each column of `target` the column of `grid` that contains its centre.
fn columns_of(target: &Grid, grid: &Grid) -> Vec<Option<usize>> {
    let y = grid.northing(0);
    (0..target.width)
        .map(|column| grid.cell_at(target.easting(column), y))
        .map(|cell| cell.map(|(column, _)| column))
        .collect()
}

/// Returns the row of `grid` that contains the centre of row `index` of `target`.
fn row_of(target: &Grid, index: usize, grid: &Grid) -> Option<usize> {
    let cell = grid.cell_at(grid.easting(0), target.northing(index));
    cell.map(|(_, row)| row)
}
