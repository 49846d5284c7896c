//! A raster beside the heightmap: initial water, roughness, rain weights.
//!
//! A finer raster is reduced by exact area means to about the size of a simulated cell, initial
//! water to that of the world's finest cell. Values beyond the world are left out, so the values in
//! memory are never more than those of the simulation or its terrain. A coarser raster is read by
//! nearest cell.
//!
//! Guarantees: every value kept is finite and passed the caller's check.

use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::interrupt;
use rasters::{Cutout, Grid, Hints, HorizontalUnit, NoData, RasterError, RasterValues, RowSource};

use super::map::{MapPlan, bounds, extent};

/// Options that remarks and errors on rasters advise and that act on the map only.
const OPTIONS_OF_THE_MAP: [&str; 10] = [
    "--band",
    "--byte-order",
    "--encoding",
    "--height-range",
    "--height-unit",
    "--heights-are",
    "--map-cell",
    "--map-format",
    "--map-size",
    "--nodata",
];

/// Values over the map, in the map's coordinates.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    path: PathBuf,
    grid: Grid,
    /// Row-major, northernmost row first; NaN is NoData.
    values: Vec<f32>,
}

/// A band of a raster.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandOfRaster<'a> {
    pub(super) path: &'a Path,
    /// Number of the band, counted from 1.
    pub(super) number: usize,
}

/// A raster to read, with the user's band and NoData.
#[derive(Debug, Clone, Copy)]
pub(super) struct RasterRequest<'a> {
    path: &'a Path,
    /// Number of the band, counted from 1.
    band: Option<usize>,
    /// Values that mean NoData, besides those that the file declares.
    nodata: Option<&'a NoData>,
}

impl<'a> RasterRequest<'a> {
    /// Returns a request for the first band of a raster, with the NoData of its file.
    pub(super) fn of(path: &'a Path) -> Self {
        Self { path, band: None, nodata: None }
    }

    /// Adds the user's NoData.
    pub(super) fn with_nodata(self, nodata: Option<&'a NoData>) -> Self {
        Self { nodata, ..self }
    }
}

impl Field {
    /// Reads the raster `path`, whose values are no lengths; errors call it `what`. `value`
    /// converts each stored value to the field's own, or returns its fault. Remarks on the file are
    /// added to the notes, each sentence once.
    ///
    /// # Errors
    ///
    /// If the raster cannot be read, does not meet the map or has a different reference system, or
    /// if `value` refuses a value.
    pub(super) fn read(
        path: &Path,
        what: &str,
        (map, notes): (&MapPlan, &mut Vec<String>),
        value: impl Fn(f64) -> Result<f64, String> + Send + 'static,
    ) -> Result<Self, UserError> {
        Self::read_at(
            RasterRequest::of(path),
            what,
            (map, map.cell_m(), RasterValues::Others),
            value,
            notes,
        )
    }

    /// Reads one band of a raster, as [`Field::read`] reads the first.
    pub(super) fn read_band(
        BandOfRaster { path, number }: BandOfRaster<'_>,
        what: &str,
        (map, notes): (&MapPlan, &mut Vec<String>),
        value: impl Fn(f64) -> Result<f64, String> + Send + 'static,
    ) -> Result<Self, UserError> {
        let asked = RasterRequest { band: Some(number), ..RasterRequest::of(path) };
        Self::read_at(asked, what, (map, map.cell_m(), RasterValues::Others), value, notes)
    }

    /// Reads a field of stages or depths, as `values` states, at the size of the world's finest
    /// cells.
    pub(super) fn read_finest(
        asked: RasterRequest<'_>,
        what: &str,
        (map, values, notes): (&MapPlan, RasterValues, &mut Vec<String>),
        value: impl Fn(f64) -> Result<f64, String> + Send + 'static,
    ) -> Result<Self, UserError> {
        Self::read_at(asked, what, (map, map.world_cell_m(), values), value, notes)
    }

    /// Reads a field of classes, at the size of the world's finest cells. A cell much larger than
    /// the raster's has the mean of the results of `value` for the raster's classes.
    pub(super) fn read_finest_classes(
        path: &Path,
        what: &str,
        (map, notes): (&MapPlan, &mut Vec<String>),
        value: impl Fn(f64) -> Result<f64, String> + Send + 'static,
    ) -> Result<Self, UserError> {
        let size = (map, map.world_cell_m(), RasterValues::Others);
        Self::read_at(RasterRequest::of(path), what, size, value, notes)
    }

    fn read_at(
        RasterRequest { path, band, nodata }: RasterRequest<'_>,
        what: &str,
        (map, held_m, values): (&MapPlan, f64, RasterValues),
        value: impl Fn(f64) -> Result<f64, String> + Send + 'static,
        notes: &mut Vec<String>,
    ) -> Result<Self, UserError> {
        // A map that needs no hint gives none to rasters that have cells of their own.
        let own_m = Some((map.input.step_x, map.input.step_y));
        let is_known = !matches!(map.input.unit, HorizontalUnit::Unknown | HorizontalUnit::Degree);
        let is_placed = is_known || map.hints.cell_m == own_m;
        let hints = Hints {
            cell_m: map.hints.cell_m.filter(|_| !is_placed),
            metres_per_degree: map.hints.metres_per_degree,
            values,
            band,
            nodata: nodata.cloned(),
            ..Hints::default()
        };
        let refused = |error| refusal(what, error);
        let source = rasters::open(path, &hints).map_err(refused)?;
        check_place(path, what, source.grid(), &map.world)?;
        let cell_m = source.grid().cell_m;
        let cutout = meeting(source.grid(), &map.world);
        let source = rasters::cut(source, cutout, &hints).map_err(refused)?;
        let (path_owned, corner) = (path.to_owned(), (cutout.west, cutout.north));
        let mut source: Box<dyn RowSource> =
            Box::new(Mapped { source, path: path_owned, corner, row: 0, value });
        let is_much_finer = cell_m.is_some_and(|(x, y)| x.max(y) * 1.5 < held_m);
        if is_much_finer {
            source = rasters::resample(source, held_m).map_err(refused)?;
        }
        let grid = source.grid().clone();
        let mut row = vec![f64::NAN; grid.width];
        let mut values = Vec::new();
        for _ in 0..grid.height {
            interrupt::check()?;
            source.next_row(&mut row).map_err(refused)?;
            values.extend(row.iter().map(|&value| single(value)));
        }
        // Some remarks need all the rows; the bands of one file share many.
        for remark in source.remarks().into_iter().map(|remark| beside_the_map(what, remark)) {
            if !notes.contains(&remark) {
                notes.push(remark);
            }
        }
        Ok(Self { path: path.to_owned(), grid, values })
    }

    /// Returns the value at a place; `None` outside the raster and at NoData.
    #[must_use]
    pub fn at(&self, x: f64, y: f64) -> Option<f64> {
        let (col, row) = self.grid.cell_at(x, y)?;
        let value = self.values[row * self.grid.width + col];
        (!value.is_nan()).then_some(f64::from(value))
    }

    /// Returns the smallest and the largest value, if any.
    #[must_use]
    pub fn range(&self) -> Option<(f32, f32)> {
        let valid = self.values.iter().filter(|value| !value.is_nan());
        valid.fold(None, |range, &value| {
            let (low, high) = range.unwrap_or((value, value));
            Some((value.min(low), value.max(high)))
        })
    }

    /// Returns the mean of all values; 0 without values.
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub(super) fn mean(&self) -> f64 {
        let values = self.values.iter().filter(|value| !value.is_nan());
        let (sum, count) =
            values.fold((0.0, 0_usize), |(sum, count), value| (sum + f64::from(*value), count + 1));
        sum / count.max(1) as f64
    }

    /// Returns the largest difference by which a value of `before`, on the same cells, is above the
    /// one here.
    pub(super) fn fall_since(&self, before: &Self) -> f64 {
        let pairs = self.values.iter().zip(&before.values);
        let falls = pairs.map(|(value, before)| f64::from(*before) - f64::from(*value));
        falls.fold(0.0, f64::max)
    }

    /// Returns the values less those of `before`, on the same cells, and at least 0.
    pub(super) fn gain_since(&self, before: &Self) -> Self {
        let pairs = self.values.iter().zip(&before.values);
        let gain = |(value, before): (&f32, &f32)| match value - before {
            gain if gain < 0.0 => 0.0,
            gain => gain,
        };
        Self { values: pairs.map(gain).collect(), ..self.clone() }
    }

    /// Returns the values times a factor.
    pub(super) fn times(mut self, factor: f64) -> Self {
        self.values.iter_mut().for_each(|value| *value = single(f64::from(*value) * factor));
        self
    }

    /// Returns the file of the values.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if the raster reaches over the whole of `world`.
    pub(super) fn covers(&self, world: &Grid) -> bool {
        let slack = 0.5 * world.step_x;
        let (west, east, south, north) = bounds(&self.grid);
        let (map_west, map_east, map_south, map_north) = bounds(world);
        west <= map_west + slack
            && east >= map_east - slack
            && south <= map_south + slack
            && north >= map_north - slack
    }
}

#[expect(clippy::cast_possible_truncation, reason = "a field in f32")]
fn single(value: f64) -> f32 {
    value as f32
}

/// Adds a note if a raster does not cover the whole map.
pub(super) fn note_cover(field: &Field, map: &MapPlan, effect: &str, notes: &mut Vec<String>) {
    if !field.covers(&map.world) {
        let path = field.path().display();
        notes.push(format!("{path} does not reach over the whole map: {effect}"));
    }
}

/// Returns the refusal of a raster beside the map.
pub(super) fn refusal(what: &str, error: RasterError) -> UserError {
    match error.to_string() {
        sentence if advises_the_map(&sentence) || key_of(what, &sentence).is_some() => {
            UserError::from_sentence(beside_the_map(what, sentence))
        }
        _ => error.into(),
    }
}

/// Returns the key that corrects the NoData of a raster of initial water, if a sentence is about
/// NoData.
fn key_of(what: &str, sentence: &str) -> Option<&'static str> {
    let is_open = sentence.contains("nodata") && !sentence.contains("[initial]");
    (is_open && what.starts_with("initial ")).then_some(", or say nodata = VALUE below [initial]")
}

/// True if a sentence on a raster advises an option that acts on the map only.
fn advises_the_map(sentence: &str) -> bool {
    OPTIONS_OF_THE_MAP.iter().any(|option| sentence.contains(option))
}

/// Adds to a remark that advises an option of the map's that the option has no effect here.
fn beside_the_map(what: &str, remark: String) -> String {
    let key = key_of(what, &remark).unwrap_or_default();
    if advises_the_map(&remark) {
        format!(
            "{remark}; such options act on the map only: change the {what} in its own file{key}"
        )
    } else {
        remark + key
    }
}

/// Refuses a raster that is in another reference system or does not meet the map.
pub(super) fn check_place(
    path: &Path,
    what: &str,
    grid: &Grid,
    world: &Grid,
) -> Result<(), UserError> {
    if let (Some(own), Some(map)) = (&grid.crs, &world.crs)
        && own.is_other_than(map)
    {
        return Err(UserError::new(
            format!("the {what} {} is in {own}, the map in {map}", path.display()),
            "reproject one to the other (gdalwarp -t_srs)",
        ));
    }
    let (west, east, south, north) = bounds(grid);
    let (map_west, map_east, map_south, map_north) = bounds(world);
    if west < map_east && east > map_west && south < map_north && north > map_south {
        return Ok(());
    }
    Err(UserError::new(
        format!("the {what} {} covers {}", path.display(), extent(grid)),
        format!("it has to overlap the map, {}", extent(world)),
    ))
}

/// Returns the cells of `grid` that meet `world`, which it overlaps.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "bounded by 0 and count"
)]
fn meeting(grid: &Grid, world: &Grid) -> Cutout {
    // Rounding of a boundary that both share takes in a cell more.
    let span = |from: f64, to: f64, count: usize| {
        let first = from.floor().clamp(0.0, count as f64 - 1.0) as usize;
        let end = to.ceil().clamp(first as f64 + 1.0, count as f64) as usize;
        (first, end - first)
    };
    let (west, east, south, north) = bounds(world);
    let column = |x: f64| (x - grid.west) / grid.step_x;
    let row = |y: f64| (grid.north - y) / grid.step_y;
    let (west, width) = span(column(west), column(east), grid.width);
    let (north, height) = span(row(north), row(south), grid.height);
    Cutout { west, north, width, height }
}

/// Rows whose values are converted while they are read.
struct Mapped<F> {
    source: Box<dyn RowSource>,
    path: PathBuf,
    /// Columns and rows of the file before the first of the source.
    corner: (usize, usize),
    row: usize,
    value: F,
}

impl<F: Fn(f64) -> Result<f64, String> + Send> RowSource for Mapped<F> {
    fn grid(&self) -> &Grid {
        self.source.grid()
    }

    fn remarks(&self) -> Vec<String> {
        self.source.remarks()
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        self.source.next_row(row)?;
        for (column, cell) in row.iter_mut().enumerate() {
            if cell.is_nan() {
                continue;
            }
            *cell = (self.value)(*cell).map_err(|what| RasterError::Value {
                path: self.path.clone(),
                row: self.corner.1 + self.row,
                column: self.corner.0 + column,
                what,
            })?;
        }
        self.row += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use super::*;
    use crate::area::{MapRectangle, SimulatedArea};
    use crate::file::Scenario;

    /// Goal: only the part of a raster beside the map that meets the world is kept; values keep
    /// their places, and a wrong value is reported by its place in the file.
    #[test]
    fn what_lies_beyond_the_world_is_not_held() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let write = |name: &str, count: usize, cell: usize| {
            let head = format!(
                "ncols {count}\nnrows {count}\nxllcorner 0\nyllcorner 0\ncellsize {cell}\n"
            );
            let row = |row: usize| -> String {
                (0..count).map(|column| format!("{} ", 0.01 * (row + column) as f64)).collect()
            };
            let rows: Vec<String> = (0..count).map(row).collect();
            let path = folder.path().join(name);
            std::fs::write(&path, head + &rows.join("\n")).expect("writable");
            path
        };
        let (map, beside) = (write("map.asc", 60, 10), write("beside.asc", 90, 7));
        let mut scenario = Scenario::default();
        scenario.map.file = Some(map);
        let area = MapRectangle { west: 100.0, south: 200.0, east: 150.0, north: 230.0 };
        scenario.map.area = Some(SimulatedArea::Rectangle(area));
        let map = Plan::resolve(&scenario).expect("a sound map").map;
        let field =
            Field::read(&beside, "raster", (&map, &mut Vec::new()), Ok).expect("a sound raster");
        assert_eq!((field.grid.width, field.grid.height), (8, 5));
        assert!(field.covers(&map.world));
        for (x, y) in [(100.5, 200.5), (149.5, 229.5), (122.0, 215.0)] {
            let (column, row) = ((x / 7.0_f64).floor(), ((630.0 - y) / 7.0_f64).floor());
            let found = field.at(x, y).expect("within");
            assert!((found - 0.01 * (row + column)).abs() < 1.0e-6, "{x}, {y}: {found}");
        }
        let wrong = |_: f64| Err("it is wrong".to_owned());
        let refused = Field::read(&beside, "raster", (&map, &mut Vec::new()), wrong);
        let refused = refused.expect_err("wrong").to_string();
        assert!(refused.contains("row 57, column 14"), "{refused}");
    }
}
