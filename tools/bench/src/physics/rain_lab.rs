//! Rain on three planes of steel in a laboratory: the outlet's hydrograph against the measured one.
//!
//! 2 × 2.5 m, three planes of 5 % slope, two walls in the way, 317 mm/h for 45 s. The planes drain
//! through a level gutter to the last row of the map, which drops half a metre into a trough;
//! the discharge is what leaves the trough.
//!
//! Limits:     the rain that falls into the trough itself, 1.2 % of the area, is left out.
//! Source:     basin and hydrographs: Cea, Puertas, Pena & Garrido (2008); n = 0.009 as in Cea &
//!             Bladé (2015), Water Resour. Res. 51. Not fitted.

use crate::suite::Absence;
use crate::suite::Bench;
use crate::suite::Context;
use crate::suite::Outcome;
use crate::table::Measurement;
use crate::world::out_m3;
use crate::world::terrain_of;
use rasters::Hints;
use std::path::Path;
use thalweg::grid::Side;
use thalweg::grid::cells::CellPlace;
use thalweg::sim::forcing::Direction;
use thalweg::units::SimTime;
use thalweg::units::VerticalScale;
use thalweg::world::EdgeKind;
use thalweg::world::EdgePlace;
use thalweg::world::World;
use thalweg::world::WorldBuilder;

/// Efficiency of the simulated hydrograph.
pub const BENCH: Bench = Bench {
    ids: &["physics.rain_lab.nse"],
    what: "laboratory rain on three planes: Nash–Sutcliffe efficiency of the outlet's hydrograph",
    is_long: false,
    measure,
};

const MANNING: f64 = 0.009;
const RAIN_M_S: f64 = 0.317 / 3600.0;
const RAIN_S: f64 = 45.0;
/// Beds in the trough lie below this, m.
const TROUGH_M: f64 = -0.4;
/// Discharge is the mean over this long around a moment.
const MEAN_S: f64 = 1.0;

fn measure(context: &Context) -> Outcome {
    let folder = context.data("rain_on_channels")?;
    let measured = hydrograph(&folder.join("CEA_C1-C3_datasets.csv"))?;
    let mut world = basin(&folder.join("topo.asc"))?;
    let end_s = measured.iter().fold(0.0, |end, point| point.0.max(end)) + MEAN_S;
    let mut left_m3 = vec![0.0];
    let looks_per_s = 4.0;
    while world.time().seconds() < end_s {
        let look = left_m3.len() as f64 / looks_per_s;
        world.run_until(SimTime::from_seconds(look));
        left_m3.push(out_m3(&world, "trough"));
    }
    let left_by = |time_s: f64| {
        let place = (time_s * looks_per_s).clamp(0.0, (left_m3.len() - 1) as f64);
        let (before, after) = (left_m3[floor(place)], left_m3[floor(place.ceil())]);
        before + (after - before) * place.fract()
    };
    let discharge =
        |time_s: f64| (left_by(time_s + 0.5 * MEAN_S) - left_by(time_s - 0.5 * MEAN_S)) / MEAN_S;
    let pairs: Vec<(f64, f64)> = measured.iter().map(|&(t, q)| (q, discharge(t))).collect();
    let peak = |pick: fn(&(f64, f64)) -> f64| pairs.iter().map(pick).fold(0.0, f64::max);
    let (width, height) = world.size();
    let note = format!(
        "n = {MANNING}, {} measured points, peak {:.3e} m³/s against {:.3e} measured, volume {:.4} \
         against {:.4} m³",
        pairs.len(),
        peak(|pair| pair.1),
        peak(|pair| pair.0),
        left_by(end_s),
        volume_m3(&measured)
    );
    Ok(vec![
        Measurement::new("physics.rain_lab.nse", nash_sutcliffe(&pairs), "1")
            .target(">= 0.9")
            .cells(width * height)
            .note(note),
    ])
}

fn basin(topo: &Path) -> Result<World, Absence> {
    let hints = Hints { nodata: Some(999.0), ..Hints::default() };
    let scale = VerticalScale::try_new(24, 0.0)?;
    let (_, terrain) = terrain_of(rasters::open(topo, &hints)?.as_mut(), |_, _| Ok(scale))?;
    let beds = terrain.level(0).ok_or("no level 0")?.clone();
    let trough = scale.elevation(TROUGH_M, scale.exponent())?;
    let class = move |place: CellPlace| {
        u16::from(beds.bed(place.x as usize, place.y as usize) < trough)
    };
    let rates = [vec![(0.0, RAIN_M_S), (RAIN_S, 0.0)], vec![(0.0, 0.0)]];
    Ok(WorldBuilder::new(terrain)
        .manning(MANNING)
        .edge("trough", EdgePlace::Side(Side::South), EdgeKind::Open)
        .layer("rain", Direction::Into, &rates, Some(Box::new(class)))?
        .build()?)
}

/// Times and discharges of the first pair of columns, in order of time.
fn hydrograph(path: &Path) -> Result<Vec<(f64, f64)>, Absence> {
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

/// 1 − Σ (measured − simulated)² / Σ (measured − mean)², of pairs measured, simulated.
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
