//! The dam break of Malpasset (1959): levels and arrivals of its flood.
//!
//! 49 million m³ at 100 m above the sea run down the valley of the Reyran to the coast, 12 km away.
//! The bed is interpolated from the survey's mesh; the dam vanishes at once, and walls close the
//! ends of the map.
//!
//! ```text
//! police survey   P1–P17   highest marks on the banks, left and right of the flood
//! physical model  S6–S14   highest stages and arrivals in the valley, at 1 : 400
//! transformers    A–C      when they went out
//! ```
//!
//! The level at a point is the largest stage, at its maximum, of the cell that contains it or, if
//! that stays dry, of the nearest cell that got wet. At P12, P13, P14 and P16 the bed is above the
//! surveyed level: they are reported apart.
//!
//! Limits:     water counts as arrived from 1 cm on; clocks of 1959 agree to some tens of seconds.
//!             Right below the dam, at P1 and S6, a jump returns from the first bend and swings by
//!             metres with the eddies behind it. Shallow water without eddy viscosity puts them
//!             higher on finer cells.
//! Source:     points: Chuang et al. (2021), after Biscarini et al. (2016); published run: George
//!             (2011), Int. J. Numer. Meth. Fluids 66, with adaptive cells; n as there. Not fitted.

use crate::accuracy::case::{Case, Curve, Division, Ink, Plot};
use crate::accuracy::scheme::{Scheme, run_to};
use crate::measured::{cell_of, mean_absolute};
use crate::suite::{Bench, BenchError, Context};
use crate::table::Measurement;
use crate::world::{places, terrain_of, terrain_on};
use rasters::{Grid, Hints};
use serde::Deserialize;
use std::path::Path;
use thalweg::units::VerticalScale;
use thalweg::world::{MapKinds, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;

/// Levels and arrivals on cells of 20 m.
pub const BENCH: Bench = Bench {
    ids: &ON_20M.ids,
    what: "dam break of Malpasset on 20 m cells: mean absolute errors of levels and arrivals",
    is_long: false,
    measure: |context| Ok(context.show(case(context, &ON_20M)?)),
};

/// The flood of Malpasset on cells of 10 m.
pub const BENCH_10M: Bench = Bench {
    ids: &ON_10M.ids,
    what: "dam break of Malpasset on 10 m cells: mean absolute errors of levels and arrivals",
    is_long: true,
    measure: |context| Ok(context.show(case(context, &ON_10M)?)),
};

/// One resolution of the case.
struct Variant {
    cell_m: u32,
    /// Ids for the police's levels, the model's levels and the model's arrivals.
    ids: [&'static str; 3],
    title: &'static str,
    plot: &'static str,
    caption: &'static str,
}

const ON_20M: Variant = Variant {
    cell_m: 20,
    ids: ["accuracy.malpasset.police", "accuracy.malpasset.model", "accuracy.malpasset.arrivals"],
    title: "Dam break of Malpasset, cells of 20 m",
    plot: "malpasset.svg",
    caption: "Malpasset on 20 m cells: P1 to P17, then S6 to S14",
};

const ON_10M: Variant = Variant {
    cell_m: 10,
    ids: [
        "accuracy.malpasset_10m.police",
        "accuracy.malpasset_10m.model",
        "accuracy.malpasset_10m.arrivals",
    ],
    title: "Dam break of Malpasset, cells of 10 m",
    plot: "malpasset_10m.svg",
    caption: "Malpasset on 10 m cells: P1 to P17, then S6 to S14",
};

const MANNING: f64 = 0.033;
/// Time by which the flood has reached the sea, s.
pub const END_S: f64 = 4000.0;
/// Points that were surveyed below the bed.
const BELOW_BED: [&str; 4] = ["P12", "P13", "P14", "P16"];

/// A line of the table of points.
#[derive(Debug, Clone, Deserialize)]
pub struct MalpassetPoint {
    /// Name of the point.
    pub id: String,
    x_m: f64,
    y_m: f64,
    #[serde(rename = "measured_max_level_m")]
    level_m: Option<f64>,
    #[serde(rename = "measured_arrival_s")]
    arrival_s: Option<f64>,
    #[serde(rename = "geoclaw_george2011_max_level_m")]
    published_m: Option<f64>,
}

/// Values of a run at a point.
#[derive(Debug, Clone, Copy)]
struct MalpassetReading {
    level_m: f64,
    /// Distance from the point to the cell that shows the level; 0 for its own cell.
    distance_m: f64,
    /// Time of arrival; infinite if the point stayed dry.
    arrival_s: f64,
}

/// The valley, and its raster.
#[derive(Debug)]
pub struct MalpassetValley {
    /// Raster of the valley.
    pub grid: Grid,
    /// World of the valley.
    pub world: World,
}

/// The cells of a valley.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MalpassetMap {
    /// Width of the raster's cells, m: 10 or 20.
    pub cell_m: u32,
    /// Level that is simulated.
    pub level: u8,
    /// Ground around the map.
    pub around: SurroundingGround,
}

/// Bed beyond the survey that no water reaches, m: the reservoir's stage is 100 m.
pub const RIM_M: f32 = 110.0;

/// Ground around the surveyed valley.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SurroundingGround {
    /// Nothing: the world ends, at walls.
    Nothing,
    /// Ground so high, m, that no water gets there.
    High(f32),
}

/// Reads the points of the survey, the model and the transformers.
///
/// # Errors
///
/// If the table cannot be read.
pub fn points(folder: &Path) -> Result<Vec<MalpassetPoint>, BenchError> {
    Ok(csv::Reader::from_path(folder.join("points.csv"))?
        .deserialize()
        .collect::<Result<_, _>>()?)
}

fn case(context: &Context, variant: &Variant) -> Result<Case, BenchError> {
    let folder = context.data("malpasset")?;
    let points = points(&folder)?;
    let map = MalpassetMap { cell_m: variant.cell_m, level: 0, around: SurroundingGround::Nothing };
    let mut valley = MalpassetValley::read(&folder, &map, Ok)?;
    run_to(&mut valley.world, END_S);
    let found: Vec<(MalpassetPoint, MalpassetReading)> = points
        .into_iter()
        .map(|point| valley.look(&point).map(|found| (point, found)))
        .collect::<Result<_, _>>()?;
    let [police, model, times] = variant.ids;
    let is_apart = |id: &str| BELOW_BED.contains(&id);
    let mut rows = [
        levels(police, "<= 2.5", &found, |id| id.starts_with('P') && !is_apart(id)),
        levels(model, "<= 2.9", &found, |id| id.starts_with('S')),
        arrivals(times, &found),
    ];
    let apart = levels(police, "<= 2.5", &found, is_apart).note;
    rows[0].note += &format!("\napart, surveyed below the bed: {apart}");
    let cells = valley.grid.width * valley.grid.height;
    Ok(Case {
        title: variant.title,
        about: "49 million m³ run 12 km down the Reyran to the sea, n = 0.033, 4000 s: the largest \
                levels beside marks of 1959 (P), a model at 1 : 400 (S) and the adaptive run of \
                George (2011), whose mean absolute errors are the targets. Right below the dam, at \
                P1 and S6, a jump comes back from the first bend and swings by metres.",
        rows: rows.map(|row| row.cells(cells).into()).into(),
        plots: vec![plot(variant, &found)],
    })
}

/// Plots the errors of levels, in the order of the points.
fn plot(variant: &Variant, found: &[(MalpassetPoint, MalpassetReading)]) -> Plot {
    let places = found.iter().filter(|(point, _)| point.level_m.is_some()).zip(1..);
    let off = |level: fn(&MalpassetPoint, &MalpassetReading) -> Option<f64>| -> Vec<(f64, f64)> {
        let error = |point: &MalpassetPoint, found| Some(level(point, found)? - point.level_m?);
        let places = places.clone();
        places
            .filter_map(|((point, found), place)| Some((f64::from(place), error(point, found)?)))
            .collect()
    };
    let curve = |name: &str, ink, points| Curve { name: name.to_owned(), ink, points };
    let own = off(|_, found| Some(found.level_m));
    let zero = own.iter().map(|&(place, _)| (place, 0.0)).collect();
    Plot {
        file: variant.plot,
        caption: variant.caption,
        axes: ["point", "level less the measured one, m"],
        division: Division::Linear,
        curves: vec![
            curve("shallow water", Ink::LineDots, own),
            curve("George (2011)", Ink::LineDots, off(|point, _| point.published_m)),
            curve("measured", Ink::Reference, zero),
        ],
    }
}

/// Returns the mean absolute error of the levels of the points whose id `counts`.
fn levels(
    id: &'static str,
    target: &'static str,
    found: &[(MalpassetPoint, MalpassetReading)],
    counts: impl Fn(&str) -> bool,
) -> Measurement {
    let (mut own, mut published, mut lines) = (Vec::new(), Vec::new(), Vec::new());
    for (point, MalpassetReading { level_m, distance_m, .. }) in found {
        let known = point.level_m.zip(point.published_m).filter(|_| counts(&point.id));
        let Some((measured, other)) = known else { continue };
        own.push(level_m - measured);
        published.push(other - measured);
        let aside = format!(", the point is dry: {distance_m:.0} m aside");
        let aside = if *distance_m > 0.0 { aside } else { String::new() };
        lines.push(format!(
            "{}: {level_m:.2} m, measured {measured:.2}, {:+.2} (published {:+.2}){aside}",
            point.id,
            level_m - measured,
            other - measured
        ));
    }
    let (error, other) = (mean_absolute(&own), mean_absolute(&published));
    lines.insert(0, format!("mean absolute error {error:.2} m, of the published run {other:.2} m"));
    Measurement::new(id, error, "m").target(target).note(lines.join("\n"))
}

/// Returns the mean absolute error of the arrivals in the physical model; the transformers in the
/// note.
fn arrivals(id: &'static str, found: &[(MalpassetPoint, MalpassetReading)]) -> Measurement {
    let (mut errors, mut lines) = (Vec::new(), Vec::new());
    for (point, MalpassetReading { arrival_s, .. }) in found {
        let Some(measured) = point.arrival_s else { continue };
        let error = arrival_s - measured;
        if point.id.starts_with('S') {
            errors.push(error);
        }
        lines.push(format!("{}: {arrival_s:.0} s, measured {measured:.0}, {error:+.0}", point.id));
    }
    Measurement::new(id, mean_absolute(&errors), "s").note(lines.join("\n"))
}

impl MalpassetValley {
    /// Reads the valley on a map; `with` adds to the world before it is built.
    ///
    /// # Errors
    ///
    /// If the rasters cannot be read or the world cannot be built.
    pub fn read(
        folder: &Path,
        &MalpassetMap { cell_m, level, around }: &MalpassetMap,
        with: impl FnOnce(WorldBuilder) -> Result<WorldBuilder, BenchError>,
    ) -> Result<Self, BenchError> {
        let open = |what: &str| {
            let name = format!("malpasset_{what}_{cell_m}m.tif");
            rasters::open(&folder.join(name), &Hints::default())
        };
        let scale = |low, high| Ok(VerticalScale::choose(low, high, 200.0)?);
        let (grid, terrain) = match around {
            SurroundingGround::Nothing => terrain_of(open("dem")?.as_mut(), scale)?,
            SurroundingGround::High(bed_m) => {
                let (grid, beds) = rasters::read_all(open("dem")?.as_mut())?;
                let high = |bed: f32| if bed.is_nan() { bed_m } else { bed };
                let beds = beds.into_iter().map(high).collect();
                terrain_on(grid, beds, scale)?
            }
        };
        let (depth_grid, depths) = rasters::read_all(open("h0")?.as_mut())?;
        if (depth_grid.width, depth_grid.height) != (grid.width, grid.height) {
            return Err("bed and depth of the valley differ in size".into());
        }
        let (columns, rows) = (grid.width, grid.height);
        let finest = move |x: usize, y: usize| {
            let depth = (x < columns && y < rows).then(|| depths[(rows - 1 - y) * columns + x]);
            depth.filter(|depth| !depth.is_nan()).map_or(0.0, f64::from)
        };
        // Mean depth of the finest cells in it.
        let mean = move |place: CellPlace| {
            let [west, south] = [place.x, place.y].map(|i| (i as usize) << level);
            let side = 1 << level;
            let sum = |y| (west..west + side).map(|x| finest(x, y)).sum::<f64>();
            (south..south + side).map(sum).sum::<f64>() / (side * side) as f64
        };
        let builder = WorldBuilder::new(terrain)
            .maps(MapKinds::DEPTH | MapKinds::ARRIVAL)
            .level(level)
            .settings(Scheme::Second.settings(MANNING))
            .initial_depth(mean);
        Ok(Self { grid, world: with(builder)?.build()? })
    }

    /// Returns a point, m east and north of the world's south-west corner.
    #[must_use]
    pub fn place(&self, point: &MalpassetPoint) -> [f64; 2] {
        let south = self.grid.north - self.grid.height as f64 * self.grid.step_y;
        [point.x_m - self.grid.west, point.y_m - south]
    }

    fn look(&self, point: &MalpassetPoint) -> Result<MalpassetReading, BenchError> {
        let cell = cell_of(&self.grid, [point.x_m, point.y_m])?;
        let (maps, own) = self.world.maps().at(cell).ok_or("a point lies outside the valley")?;
        let arrival_s = f64::from(maps.arrival_s()?[own]);
        if let Some(level_m) = self.level_m(cell) {
            return Ok(MalpassetReading { level_m, distance_m: 0.0, arrival_s });
        }
        let (level_m, distance_m) = self.nearest_level(cell).ok_or("all is dry around a point")?;
        Ok(MalpassetReading { level_m, distance_m, arrival_s })
    }

    /// Returns the largest stage, at its maximum, of a cell that got wet.
    fn level_m(&self, place: CellPlace) -> Option<f64> {
        let (maps, cell) = self.world.maps().at(place)?;
        let is_wet = maps.arrival_s().ok()?[cell].is_finite();
        let depth = self.world.scale().depth_m(maps.depth_max().ok()?[cell]);
        is_wet.then_some(self.world.bed_m(place)? + depth)
    }

    /// Returns the level of the nearest cell that got wet, and its distance.
    fn nearest_level(&self, from: CellPlace) -> Option<(f64, f64)> {
        let distance_m = |to: CellPlace| {
            let (dx, dy) = (to.x.abs_diff(from.x), to.y.abs_diff(from.y));
            self.world.cell_width_m() * f64::from(dx).hypot(f64::from(dy))
        };
        places(&self.world)
            .filter_map(|place| Some((self.level_m(place)?, distance_m(place))))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_compared_where_they_were_measured() {
        let point = |id: &str, level_m, published_m| {
            let id = id.to_owned();
            MalpassetPoint { id, x_m: 0.0, y_m: 0.0, level_m, arrival_s: None, published_m }
        };
        let at = |level_m| MalpassetReading { level_m, distance_m: 0.0, arrival_s: 0.0 };
        let found = [
            (point("P1", Some(80.0), Some(81.0)), at(78.0)),
            (point("P2", Some(70.0), Some(67.0)), at(74.0)),
            (point("A", None, None), at(50.0)),
            (point("S6", Some(60.0), Some(60.0)), at(10.0)),
        ];
        let row = levels("a.b", "<= 2.5", &found, |id| id != "S6");
        assert!((row.value - 3.0).abs() < 1.0e-12, "{}", row.value);
        assert_eq!(row.is_met(), Some(false));
        assert!(row.note.contains("of the published run 2.00 m"), "{}", row.note);
    }
}
