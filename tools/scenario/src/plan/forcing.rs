//! Sources of water: rain, inflows, and the water at the start.

use std::collections::HashSet;
use std::path::Path;

use kit::error::UserError;
use kit::words::{brief, short};
use rasters::{Grid, RasterValues};
use thalweg::structure::INFLOW_SLOPE;

use super::super::area::crossings_of;
use super::super::file;
use super::super::place::{EntryPlace, MapPoint, RiverEntry};
use super::super::series::{Series, SeriesShape};
use super::edges::check_range;
use super::field::{Field, RasterRequest, note_cover};
use super::map::{MapPlan, reaches};
use super::rain_raster;
use crate::plausible::extremes::stored;
use crate::quantity::{Discharge, Quantity, Rate, ValueOrFile};
use crate::text_table::is_table;

const CLOUDBURST_M_S: f64 = 60.0e-3 / 3600.0;
const CLOUDBURST_S: f64 = 3600.0;
const MM_PER_HOUR: f64 = 1.0e-3 / 3600.0;

/// Largest rate of rain: 10 m/h, some twenty-five times the heaviest hour on record.
const RAIN_MAX_M_S: f64 = 10.0 / 3600.0;
/// Largest depth of a river where it enters, m.
const DEPTH_MAX_M: f64 = 100.0;
/// Largest discharge of a river, m³/s: about five times the Amazon.
const DISCHARGE_MAX_M3_S: f64 = 1.0e6;

/// One rain.
#[derive(Debug, Clone, PartialEq)]
pub struct RainPlan {
    /// Name in the ledger.
    pub name: String,
    /// Rate over time, m/s.
    pub rate: Series,
    /// Factor by place; 1 everywhere if missing, 0 where the raster has no value.
    pub weights: Option<Field>,
}

impl RainPlan {
    /// Returns the rain of a run without any given water.
    pub(super) fn cloudburst() -> Self {
        Self {
            name: "rain".to_owned(),
            rate: Series::block(CLOUDBURST_M_S, 0.0, Some(CLOUDBURST_S)),
            weights: None,
        }
    }

    /// Returns the course of the rain in the place where most of it falls, m/s.
    pub(super) fn heaviest(&self) -> Series {
        let most = self
            .weights
            .as_ref()
            .map_or(1.0, |weights| weights.range().map_or(0.0, |(_, most)| f64::from(most)));
        let points = self.rate.points.iter().map(|&(time, rate)| (time, rate * most));
        Series { points: points.collect(), ..self.rate.clone() }
    }
}

/// One inflow.
#[derive(Debug, Clone, PartialEq)]
pub struct InflowPlan {
    /// Name in the ledger.
    pub name: String,
    /// Place where it enters.
    pub place: EntryPlace,
    /// Discharge over time, m³/s.
    pub discharge: Series,
}

/// Water at the start.
#[derive(Debug, Clone, PartialEq)]
pub enum InitialPlan {
    /// No water.
    Dry,
    /// Still water up to this stage over every lower bed, m.
    Stage(f64),
    /// One depth everywhere, m.
    Depth(f64),
    /// Stage by place, m; dry where it is NoData or below the bed.
    StageField(Field),
    /// Depth by place, m; dry where it is NoData.
    DepthField(Field),
}

pub(super) fn rains(
    rains: &[file::RainTable],
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Vec<RainPlan>, UserError> {
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    for (index, rain) in rains.iter().enumerate() {
        let name = name_of(rain.name.as_deref(), "rain", index, rains.len());
        check_name(&name, &mut taken)?;
        match &rain.rate {
            ValueOrFile::File(path) if !is_table(path) => {
                found.extend(of_raster((path, rain), &name, map, notes)?);
            }
            _ => found.push(one_rain(rain, name, map, notes)?),
        }
    }
    Ok(found)
}

/// Returns the rains of a raster, one for each band.
fn of_raster(
    (path, rain): (&Path, &file::RainTable),
    name: &str,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Vec<RainPlan>, UserError> {
    check_span(rain, name)?;
    if rain.weights.is_some() {
        return Err(UserError::new(
            format!("`{name}` has a raster as its rate and `weights` as well"),
            "keep one of the two",
        ));
    }
    let found = rain_raster::read(path, rain, name, map, notes)?;
    if let Some(field) = found.first().and_then(|rain| rain.weights.as_ref()) {
        note_cover(field, map, "no rain falls there", notes);
    }
    found.iter().try_for_each(check_rain)?;
    Ok(found)
}

/// Refuses a start or a duration below 0; returns both, s.
fn check_span(rain: &file::RainTable, name: &str) -> Result<(f64, Option<f64>), UserError> {
    let start = rain.from.map_or(0.0, Quantity::si);
    let duration = rain.duration.map(Quantity::si);
    if start < 0.0 || duration.is_some_and(|duration| duration <= 0.0) {
        return Err(UserError::new(
            format!("`{name}` starts at {start} s and lasts {} s", duration.unwrap_or(0.0)),
            "start at 0 or later and rain for more than 0 s",
        ));
    }
    Ok((start, duration))
}

fn one_rain(
    rain: &file::RainTable,
    name: String,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<RainPlan, UserError> {
    let (start, duration) = check_span(rain, &name)?;
    let of_raster = [
        ("unit", rain.unit.is_some()),
        ("step", rain.step.is_some()),
        ("sums", rain.sums.is_some()),
        ("stamps", rain.stamps.is_some()),
    ];
    if let Some((key, _)) = of_raster.iter().find(|(_, is_given)| *is_given) {
        return Err(UserError::new(
            format!("`{name}` has `{key}` (--rain-{key}) and no raster"),
            "leave it out: a rate and a table state their own",
        ));
    }
    let rate = match &rain.rate {
        ValueOrFile::Value(Rate(rate)) => Series::block(*rate, start, duration),
        ValueOrFile::File(path) => {
            if rain.from.is_some() || rain.duration.is_some() {
                return Err(UserError::new(
                    format!("`{name}` has a hyetograph and a start or duration as well"),
                    "the table has its own times: leave `from`, `for` and --rain-for out",
                ));
            }
            Series::read::<Rate>(path, "hyetograph", SeriesShape::Steps)?
        }
    };
    if let Some((time, rate)) = rate.points.iter().find(|(_, rate)| *rate < 0.0) {
        return Err(UserError::new(
            format!("`{name}` rains {} mm/h at {time} s", short(rate / MM_PER_HOUR)),
            "rain is at least 0; losses are infiltration or evaporation",
        ));
    }
    let weights = match &rain.weights {
        Some(path) => {
            Some(Field::read(path, "rain weights", (map, notes), at_least_zero("weight"))?)
        }
        None => None,
    };
    if let Some(field) = &weights {
        note_cover(field, map, "no rain falls there", notes);
    }
    let rain = RainPlan { name, rate, weights };
    check_rain(&rain)?;
    Ok(rain)
}

fn check_rain(rain: &RainPlan) -> Result<(), UserError> {
    let heaviest = rain.heaviest().max();
    if heaviest <= RAIN_MAX_M_S {
        return Ok(());
    }
    Err(UserError::new(
        format!("`{}` rains up to {} mm/h", rain.name, brief(heaviest / MM_PER_HOUR)),
        "at most 10000 mm/h can fall (--rain, or `rate` and `weights` under [[rain]])",
    ))
}

pub(super) fn inflows(
    inflows: &[file::InflowTable],
    map: &MapPlan,
) -> Result<Vec<InflowPlan>, UserError> {
    let (mut found, mut taken) = (Vec::new(), HashSet::new());
    for (index, inflow) in inflows.iter().enumerate() {
        let name = name_of(inflow.name.as_deref(), "inflow", index, inflows.len());
        check_name(&name, &mut taken)?;
        let discharge = match &inflow.discharge {
            ValueOrFile::Value(Discharge(discharge)) => {
                Series::constant(*discharge, SeriesShape::Lines)
            }
            ValueOrFile::File(path) => {
                Series::read::<Discharge>(path, "hydrograph", SeriesShape::Lines)?
            }
        };
        if let Some((time, value)) = discharge.points.iter().find(|(_, value)| *value < 0.0) {
            return Err(UserError::new(
                format!("`{name}` has a discharge of {value} m3/s at {time} s"),
                "an inflow is at least 0",
            ));
        }
        if discharge.max() > DISCHARGE_MAX_M3_S {
            return Err(UserError::new(
                format!("`{name}` has a discharge of {} m3/s", brief(discharge.max())),
                "at most 1000000 m3/s can flow in (--inflow, or `discharge` under [[inflow]])",
            ));
        }
        found.push(InflowPlan { place: place(inflow, &name, map)?, name, discharge });
    }
    Ok(found)
}

/// Returns the depth of a river where it enters along a side.
fn entry(inflow: &file::InflowTable, what: &str) -> Result<RiverEntry, UserError> {
    match (inflow.slope, inflow.depth.map(Quantity::si)) {
        (None, None) => Ok(RiverEntry::Normal),
        (Some(slope), None) if INFLOW_SLOPE.check(slope).is_ok() => Ok(RiverEntry::Slope(slope)),
        (Some(slope), None) => Err(UserError::new(
            format!("the slope of {what} is {slope}"),
            "write metres of fall for each metre of way, from 0.0001 to 1: `slope = 0.002`",
        )),
        (None, Some(depth)) if depth > 0.0 && depth <= DEPTH_MAX_M => Ok(RiverEntry::Depth(depth)),
        (None, Some(depth)) => Err(UserError::new(
            format!("the depth of {what} is {depth} m"),
            "write the depth over the lowest bed along the side, above 0 to 100 m",
        )),
        (Some(_), Some(_)) => Err(UserError::new(
            format!("{what} has `slope` and `depth`"),
            "keep one: either gives the depth at which the river comes in",
        )),
    }
}

/// Returns the one place of an inflow, checked against the map.
fn place(inflow: &file::InflowTable, name: &str, map: &MapPlan) -> Result<EntryPlace, UserError> {
    let what = format!("inflow `{name}`");
    let point = |[x, y]: [f64; 2]| MapPoint { x, y };
    let mut places = Vec::new();
    if let Some(at) = inflow.at.map(point) {
        map.check_inside(&what, at)?;
        places.push(EntryPlace::At(at));
    }
    if let Some([west, south, east, north]) = inflow.rectangle {
        let corners = [[west, south], [east, south], [east, north], [west, north]];
        if !(west < east && south < north) {
            return Err(UserError::new(
                format!("the rectangle of {what} is empty"),
                "write [west, south, east, north]",
            ));
        }
        places.push(EntryPlace::Polygon(corners.map(point).to_vec()));
    }
    if let Some(polygon) = &inflow.polygon {
        if polygon.len() < 3 {
            return Err(UserError::new(
                format!("the polygon of {what} has {} corners", polygon.len()),
                "give at least three",
            ));
        }
        places.push(EntryPlace::Polygon(polygon.iter().copied().map(point).collect()));
    }
    if let Some(side) = inflow.edge {
        let range = check_range(&what, side, inflow.from, inflow.to, map)?;
        places.push(EntryPlace::Edge { side, range, entry: entry(inflow, &what)? });
    } else if inflow.slope.is_some() || inflow.depth.is_some() {
        return Err(UserError::new(
            format!("{what} has `slope` or `depth` without `edge`"),
            "they say how deep a river comes in along a side: name the side, or leave them out",
        ));
    } else if inflow.from.is_some() || inflow.to.is_some() {
        return Err(UserError::new(
            format!("{what} has `from` or `to` without `edge`"),
            "name the side, or leave them out",
        ));
    }
    let [place] = places.try_into().map_err(|places: Vec<EntryPlace>| {
        UserError::new(
            format!("{what} has {} places", places.len()),
            "give exactly one of at, rectangle, polygon and edge",
        )
    })?;
    if let EntryPlace::Polygon(corners) = &place {
        check_polygon(&what, corners, map)?;
    }
    Ok(place)
}

fn check_polygon(what: &str, corners: &[MapPoint], map: &MapPlan) -> Result<(), UserError> {
    let is_in = |grid: &Grid| corners.iter().all(|corner| reaches(grid, *corner));
    if is_in(&map.world) {
        return Ok(());
    }
    let (place, mend) = map.outside(is_in);
    Err(UserError::new(format!("the area of {what} reaches outside {place}"), mend))
}

/// Returns the cells `(column, row)` of `grid` with centres in the polygon; row 0 is northernmost.
///
/// A polygon that contains no centre, because it is smaller than a cell, gets the cell of its first
/// corner.
#[must_use]
pub fn cells_of(polygon: &[MapPoint], grid: &Grid) -> Vec<(usize, usize)> {
    let mut cells = Vec::new();
    for row in 0..grid.height {
        let y = grid.northing(row);
        let mut crossings: Vec<f64> = crossings_of(polygon, y).collect();
        crossings.sort_by(f64::total_cmp);
        for pair in crossings.chunks_exact(2) {
            let inside = (0..grid.width).filter(|&col| {
                let x = grid.easting(col);
                pair[0] <= x && x < pair[1]
            });
            cells.extend(inside.map(|col| (col, row)));
        }
    }
    if cells.is_empty() {
        cells.extend(polygon.first().and_then(|corner| grid.cell_at(corner.x, corner.y)));
    }
    cells
}

pub(super) fn initial(
    initial: &file::InitialTable,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<InitialPlan, UserError> {
    let is_raster = |given: &Option<ValueOrFile<_>>| matches!(given, Some(ValueOrFile::File(_)));
    if initial.nodata.is_some() && ![&initial.stage, &initial.depth].into_iter().any(is_raster) {
        return Err(UserError::new(
            "nodata below [initial] has no raster of stages or depths to act on",
            "leave it out",
        ));
    }
    let raster = |path| RasterRequest::of(path).with_nodata(initial.nodata.as_ref());
    Ok(match (&initial.stage, &initial.depth) {
        (None, None) => InitialPlan::Dry,
        (Some(_), Some(_)) => {
            return Err(UserError::new(
                "the initial water is given as stage and as depth",
                "keep one of --stage, --initial-stage and --initial-depth",
            ));
        }
        (Some(ValueOrFile::Value(stage)), None) => InitialPlan::Stage(stage.si()),
        (Some(ValueOrFile::File(path)), None) => {
            let stages = (map, RasterValues::Lengths, &mut *notes);
            let field = Field::read_finest(raster(path), "initial stage", stages, stage_of)?;
            note_cover(&field, map, "it is dry there", notes);
            InitialPlan::StageField(field)
        }
        (None, Some(ValueOrFile::Value(depth))) if depth.si() < 0.0 => {
            return Err(UserError::new(
                format!("the initial depth is {} m", depth.si()),
                "a depth is at least 0",
            ));
        }
        (None, Some(ValueOrFile::Value(depth))) => InitialPlan::Depth(depth.si()),
        (None, Some(ValueOrFile::File(path))) => {
            let depths = (map, RasterValues::Depths, &mut *notes);
            let field = Field::read_finest(raster(path), "initial depth", depths, depth_of)?;
            note_cover(&field, map, "it is dry there", notes);
            InitialPlan::DepthField(field)
        }
    })
}

/// Returns a stage, unless it is a number that files use for a missing value.
fn stage_of(stage_m: f64) -> Result<f64, String> {
    match stored(stage_m) {
        (number, true) => Err(format!("the stage is {number}, {}", means_nodata(number))),
        _ => Ok(stage_m),
    }
}

/// Returns a depth of at least 0, unless it is a number that files use for a missing value.
fn depth_of(depth_m: f64) -> Result<f64, String> {
    match stored(depth_m) {
        (number, true) => Err(format!("the depth is {number}, {}", means_nodata(number))),
        _ if depth_m >= 0.0 => Ok(depth_m),
        (number, _) => Err(format!(
            "the depth is {number}, below 0: correct it; if it means NoData, {}",
            nodata_key(number)
        )),
    }
}

fn means_nodata(number: f64) -> String {
    format!("which means NoData: {}, or correct it", nodata_key(number))
}

/// Returns the advice that makes a number of a raster of initial water NoData.
fn nodata_key(number: f64) -> String {
    format!(
        "say nodata = {number} below [initial], or declare it in the file (NODATA_value {number} \
         in an .asc, gdal_edit.py -a_nodata {number} of a GeoTIFF)"
    )
}

fn at_least_zero(what: &'static str) -> impl Fn(f64) -> Result<f64, String> + Send + 'static {
    move |value| {
        if value >= 0.0 {
            Ok(value)
        } else {
            Err(format!("the {what} is {value}, below 0: correct it or mark it as NoData"))
        }
    }
}

/// Returns a given name, or `kind` with a number if the kind has several.
pub(super) fn name_of(name: Option<&str>, kind: &str, index: usize, count: usize) -> String {
    match name {
        Some(name) => name.trim().to_owned(),
        None if count == 1 => kind.to_owned(),
        None => format!("{kind} {}", index + 1),
    }
}

fn check_name(name: &str, taken: &mut HashSet<String>) -> Result<(), UserError> {
    if name.is_empty() || !taken.insert(name.to_owned()) {
        return Err(UserError::new(
            format!("two sources are called `{name}`, or one has an empty name"),
            "give each a name of its own, the ledger lists them by name",
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid() -> Grid {
        Grid::metric((6, 4), (100.0, 240.0), 10.0)
    }

    #[track_caller]
    fn check(corners: &[(f64, f64)], expected: &[(usize, usize)]) {
        let polygon: Vec<MapPoint> = corners.iter().map(|&(x, y)| MapPoint { x, y }).collect();
        assert_eq!(cells_of(&polygon, &grid()), expected, "{corners:?}");
    }

    #[test]
    fn a_polygon_takes_the_cells_whose_centres_it_holds() {
        // A rectangle, clockwise and the other way round.
        let two = [(1, 1), (2, 1)];
        check(&[(110.0, 220.0), (130.0, 220.0), (130.0, 230.0), (110.0, 230.0)], &two);
        check(&[(110.0, 230.0), (130.0, 230.0), (130.0, 220.0), (110.0, 220.0)], &two);
        // A triangle over the south-west corner.
        check(&[(100.0, 200.0), (125.0, 200.0), (100.0, 225.0)], &[(0, 2), (0, 3), (1, 3)]);
        // A horseshoe open to the north: two runs in the northern rows.
        let horseshoe = [
            (100.0, 240.0),
            (110.0, 240.0),
            (110.0, 220.0),
            (120.0, 220.0),
            (120.0, 240.0),
            (130.0, 240.0),
            (130.0, 210.0),
            (100.0, 210.0),
        ];
        let cells = [(0, 0), (2, 0), (0, 1), (2, 1), (0, 2), (1, 2), (2, 2)];
        check(&horseshoe, &cells);
        // Smaller than a cell.
        check(&[(141.0, 211.0), (142.0, 211.0), (142.0, 212.0)], &[(4, 2)]);
    }
}
