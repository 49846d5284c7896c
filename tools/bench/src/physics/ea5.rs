//! Benchmark 5 of the UK Environment Agency: a valley below a failing dam, on 50 m cells.
//!
//! Limits:     six hours, in which the points above the valley's end reach their peaks; point 5
//!             lies in the pond at the end and still rises.
//! Source:     Néelz & Pender (2013), EA SC120002; peaks of LISFLOOD-FP's local-inertia solver at
//!             50 m, Shaw et al. (2021), doi 10.5281/zenodo.4066824.

use crate::suite::Absence;
use crate::suite::Bench;
use crate::suite::Context;
use crate::suite::Outcome;
use crate::table::Measurement;
use crate::world::terrain_of;
use rasters::Grid;
use rasters::Hints;
use std::path::Path;
use thalweg::grid::cells::CellPlace;
use thalweg::units::SimTime;
use thalweg::units::VerticalScale;
use thalweg::world::WorldBuilder;

/// Largest difference of a peak.
pub const BENCH: Bench = Bench {
    ids: &["physics.ea5.peaks", "physics.ea5.peaks_10m"],
    what: "EA benchmark 5 at 50 m: largest difference of peak depths from the published run",
    is_long: false,
    measure,
};

const CELL_M: f64 = 50.0;
const END_S: f64 = 6.0 * 3600.0;
const MANNING: f64 = 0.04;
/// Width of a source cell of the published files, m: their discharges are per metre.
const SOURCE_WIDTH_M: f64 = 10.0;
/// Published peak depths of points 1 to 7, m.
const PEAKS_M: [f64; 7] = [3.439, 3.431, 5.532, 5.997, 4.384, 1.444, 3.135];
/// The same of the discontinuous-Galerkin run at 10 m, of the same source; point 5 still rises.
const PEAKS_10M_M: [f64; 7] = [3.453, 3.478, 5.357, 5.621, f64::NAN, 1.494, 2.911];
/// Index of the point that still rises.
const RISING: usize = 4;

fn measure(context: &Context) -> Outcome {
    let folder = context.data("ea_test5")?;
    let source = rasters::open(&folder.join("ea5-10m.asc.gz"), &Hints::default())?;
    let (grid, terrain) = terrain_of(rasters::resample(source, CELL_M)?.as_mut(), |low, high| {
        Ok(VerticalScale::choose(low, high, 200.0)?)
    })?;
    let place = |point: &[f64; 2]| cell_of(&grid, point);
    let sources: Vec<CellPlace> =
        points(&folder.join("ea5-10m.bci"), [1, 2])?.iter().map(place).collect::<Result<_, _>>()?;
    let per_m = points(&folder.join("ea5.bdy"), [1, 0])?;
    let width_m = SOURCE_WIDTH_M * sources.len() as f64;
    let hydrograph: Vec<(f64, f64)> = per_m.iter().map(|&[t, q]| (t, q * width_m)).collect();
    let gauges: Vec<CellPlace> =
        points(&folder.join("ea5.stage"), [0, 1])?.iter().map(place).collect::<Result<_, _>>()?;
    let mut world = WorldBuilder::new(terrain)
        .solver(context.solver)
        .manning(MANNING)
        .inflow("breach", &hydrograph, &sources)?
        .build()?;
    world.run_until(SimTime::from_seconds(END_S));

    let (mut worst, mut worst_10m, mut lines) = (0.0_f64, 0.0_f64, Vec::new());
    for (index, (&gauge, published)) in gauges.iter().zip(PEAKS_M).enumerate() {
        let (maps, cell) = world.maps_at(gauge).ok_or("a gauge lies outside the valley")?;
        let peak = world.scale().depth_m(maps.depth_max[cell]);
        let rising = if index == RISING { " (rising, not counted)" } else { "" };
        let difference = peak - published;
        if index != RISING {
            worst = worst.max(difference.abs());
            worst_10m = worst_10m.max((peak - PEAKS_10M_M[index]).abs());
        }
        lines.push(format!(
            "point {}: {peak:.3} m, published {published:.3}, {difference:+.3}{rising}",
            index + 1
        ));
    }
    Ok(vec![
        Measurement::new("physics.ea5.peaks", worst, "m")
            .target("<= 0.15")
            .cells(grid.width * grid.height)
            .note(lines.join("\n")),
        Measurement::new("physics.ea5.peaks_10m", worst_10m, "m")
            .cells(grid.width * grid.height)
            .note("the same peaks against the published discontinuous-Galerkin run at 10 m"),
    ])
}

/// The cell of the world that holds a point.
fn cell_of(grid: &Grid, &[x, y]: &[f64; 2]) -> Result<CellPlace, Absence> {
    let (column, row) = grid.cell_at(x, y).ok_or("a point of the benchmark lies off its map")?;
    let south = grid.height - 1 - row;
    Ok(CellPlace { x: u32::try_from(column)?, y: u32::try_from(south)? })
}

/// Two columns of the lines of a text file that have numbers in both.
fn points(path: &Path, columns: [usize; 2]) -> Result<Vec<[f64; 2]>, Absence> {
    let text = std::fs::read_to_string(path)?;
    let pair = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |column: usize| words.get(column)?.parse::<f64>().ok();
        Some([number(columns[0])?, number(columns[1])?])
    };
    Ok(text.lines().filter_map(pair).collect())
}
