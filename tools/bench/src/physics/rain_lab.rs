//! Rain on three planes of steel in a laboratory: the outlet's hydrograph against the measured one.
//!
//! 2 × 2.5 m, three planes of 5 % slope, two walls in the way, 317 mm/h for 45 s. The planes drain
//! through a level gutter over the brink in the map's last row but three; the last three rows are a
//! trough half a metre deeper.
//!
//! ```text
//! nse         the map as it is: water falls over the brink and leaves the trough's open side
//! nse_brink   the map ends at the brink, which is an open edge
//! ```
//!
//! Limits:     rain that falls into the trough itself, 1.2 % of the area, is left out.
//! Source:     basin and hydrographs: Cea, Puertas, Pena & Garrido (2008); n = 0.009 as in Cea &
//!             Bladé (2015), Water Resour. Res. 51. Not fitted.

use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::{out_m3, terrain_of};
use rasters::{Hints, MemorySource};
use std::path::Path;
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{EdgeKind, EdgePlace, World, WorldBuilder};
use thalweg_engine::grid::Side;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;
use thalweg_engine::structure::weather::Direction;

/// Efficiency of the simulated hydrograph.
pub const BENCH: Bench = Bench {
    ids: &["physics.rain_lab.nse", "physics.rain_lab.nse_brink"],
    what: "laboratory rain on three planes: Nash–Sutcliffe efficiency of the outlet's hydrograph",
    is_long: false,
    measure,
};

const MANNING: f64 = 0.009;
const RAIN_M_S: f64 = 0.317 / 3600.0;
const RAIN_S: f64 = 45.0;
/// Upper bound of the beds in the trough, m.
const TROUGH_M: f64 = -0.4;
/// Time around a moment over which the discharge is a mean, s.
const MEAN_S: f64 = 1.0;
const LOOKS_PER_S: f64 = 4.0;

/// Place of the outflow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BasinOutlet {
    Trough,
    Brink,
}

/// Volume that had left, at even times.
struct BasinOutflow {
    left_m3: Vec<f64>,
    cells: usize,
}

fn measure(context: &Context) -> BenchResult {
    let folder = context.data("rain_on_channels")?;
    let measured = hydrograph(&folder.join("CEA_C1-C3_datasets.csv"))?;
    let end_s = measured.iter().fold(0.0, |end, point| point.0.max(end)) + MEAN_S;
    let row = |id, outlet| -> Result<Measurement, BenchError> {
        let outflow = drain(basin(&folder.join("topo.asc"), outlet, context.solver)?, end_s);
        let pairs: Vec<_> = measured.iter().map(|&(t, q)| (q, outflow.discharge(t))).collect();
        let peak = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).fold(0.0, f64::max);
        let note = format!(
            "n = {MANNING}, {} measured points, peak {:.3e} m³/s against {:.3e} measured, volume \
             {:.4} against {:.4} m³",
            pairs.len(),
            peak(|pair| pair.1),
            peak(|pair| pair.0),
            outflow.left_by(end_s),
            volume_m3(&measured)
        );
        Ok(Measurement::new(id, nash_sutcliffe(&pairs), "1").cells(outflow.cells).note(note))
    };
    Ok(vec![
        row("physics.rain_lab.nse", BasinOutlet::Trough)?.target(">= 0.9"),
        row("physics.rain_lab.nse_brink", BasinOutlet::Brink)?,
    ])
}

impl BasinOutflow {
    fn left_by(&self, time_s: f64) -> f64 {
        let place = (time_s * LOOKS_PER_S).clamp(0.0, (self.left_m3.len() - 1) as f64);
        let (before, after) = (self.left_m3[floor(place)], self.left_m3[floor(place.ceil())]);
        before + (after - before) * place.fract()
    }

    /// Returns the mean discharge around a moment, m³/s.
    fn discharge(&self, time_s: f64) -> f64 {
        let half_s = 0.5 * MEAN_S;
        (self.left_by(time_s + half_s) - self.left_by(time_s - half_s)) / MEAN_S
    }
}

/// Runs the basin and records its outflow.
fn drain(mut world: World, end_s: f64) -> BasinOutflow {
    let mut left_m3 = vec![0.0];
    while world.time().seconds() < end_s {
        let look_s = left_m3.len() as f64 / LOOKS_PER_S;
        world.run_until(SimTime::from_seconds(look_s));
        left_m3.push(out_m3(&world, "outlet"));
    }
    let (width, height) = world.size();
    BasinOutflow { left_m3, cells: width * height }
}

fn basin(topo: &Path, outlet: BasinOutlet, solver: Solver) -> Result<World, BenchError> {
    let hints = Hints { nodata: Some(999.0.into()), ..Hints::default() };
    let (mut grid, mut beds) = rasters::read_all(rasters::open(topo, &hints)?.as_mut())?;
    if outlet == BasinOutlet::Brink {
        let is_above =
            |row: &[f32]| row.iter().all(|&bed| bed.is_nan() || f64::from(bed) > TROUGH_M);
        grid.height = beds.chunks(grid.width).take_while(|row| is_above(row)).count();
        beds.truncate(grid.width * grid.height);
    }
    let scale = VerticalScale::try_new(24, 0.0)?;
    let mut source = MemorySource::try_new(grid, beds)?;
    let (_, terrain) = terrain_of(&mut source, |_, _| Ok(scale))?;
    let beds = terrain.level(0).ok_or("no level 0")?.clone();
    let trough = scale.elevation(TROUGH_M, scale.exponent())?;
    let class = move |place: CellPlace| {
        let [column, row] = place.indices();
        u16::from(beds.bed(column, row) < trough)
    };
    let rates = [vec![(0.0, RAIN_M_S), (RAIN_S, 0.0)], vec![(0.0, 0.0)]];
    Ok(WorldBuilder::new(terrain)
        .solver(solver)
        .manning(MANNING)
        .edge("outlet", EdgePlace::Side(Side::South), EdgeKind::Open)
        .layer_classes("rain", Direction::Into, &rates, class)?
        .build()?)
}

/// Reads times and discharges of the first pair of columns, in order of time.
fn hydrograph(path: &Path) -> Result<Vec<(f64, f64)>, BenchError> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).flexible(true).from_path(path)?;
    let mut points = Vec::new();
    for record in reader.records().skip(2) {
        let record = record?;
        let number = |column: usize| record.get(column).and_then(|text| text.parse::<f64>().ok());
        points.extend(number(0).zip(number(1)));
    }
    points.sort_by(|a: &(f64, f64), b| a.0.total_cmp(&b.0));
    if points.is_empty() { Err("the measured hydrograph has no points".into()) } else { Ok(points) }
}

fn volume_m3(points: &[(f64, f64)]) -> f64 {
    points.windows(2).map(|p| (p[1].0 - p[0].0) * f64::midpoint(p[0].1, p[1].1)).sum()
}

/// Returns 1 − Σ (measured − simulated)² / Σ (measured − mean)², of pairs measured, simulated.
fn nash_sutcliffe(pairs: &[(f64, f64)]) -> f64 {
    let mean = pairs.iter().map(|pair| pair.0).sum::<f64>() / pairs.len() as f64;
    let missed: f64 = pairs.iter().map(|(a, b)| (a - b).powi(2)).sum();
    let spread: f64 = pairs.iter().map(|(a, _)| (a - mean).powi(2)).sum();
    1.0 - missed / spread
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small index")]
fn floor(place: f64) -> usize {
    place as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn efficiency_is_one_for_the_measured_and_zero_for_the_mean() {
        let check = |simulated: [f64; 3], expected: f64| {
            let pairs: Vec<(f64, f64)> = [1.0, 2.0, 3.0].into_iter().zip(simulated).collect();
            assert!((nash_sutcliffe(&pairs) - expected).abs() < 1.0e-12, "{simulated:?}");
        };
        check([1.0, 2.0, 3.0], 1.0);
        check([2.0, 2.0, 2.0], 0.0);
        check([3.0, 2.0, 1.0], -3.0);
    }
}
