//! The heightmap: how it is opened, and on which grid the water runs.

use std::path::PathBuf;

use rasters::{Format, Grid, Hints, HorizontalUnit, MetresPerDegree, RowSource};

use super::super::file;
use super::super::place::Point;
use super::super::terms::{DegreeLength, Quality};
use super::accuracy;
use super::settings::short;
use crate::quantity::Quantity;
use crate::refusal::Refusal;

/// A square map of more cells is resampled on import, unless every cell is wanted.
const HELD_CELLS_MAX: usize = 25_000_000;

/// Coarsest level that the engine has.
const LEVEL_MAX: u8 = thalweg::terrain::Terrain::LEVELS;

/// The heightmap and the grid to simulate on.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPlan {
    /// The file.
    pub path: PathBuf,
    /// What the user says about it.
    pub hints: Hints,
    /// Grid of the file.
    pub input: Grid,
    /// Grid of the finest cells of the world: square ones.
    pub world: Grid,
    /// Cell size in m that the rows are resampled to, where `world` is not `input`.
    pub resample_m: Option<f64>,
    /// How often the cells are doubled for the simulation: the level of the leaves.
    pub level: u8,
}

impl MapPlan {
    /// Finds out from the file's head what the simulation grid is.
    ///
    /// # Errors
    ///
    /// If no map is named, it cannot be opened, its cell size is unknown, or it is too small.
    pub(super) fn resolve(
        map: &file::Map,
        run: &file::Run,
        notes: &mut Vec<String>,
    ) -> Result<Self, Refusal> {
        let path = map.file.clone().ok_or_else(|| {
            Refusal::new(
                "no heightmap is named",
                "give one on the command line, or as `file` under [map] in the scenario",
            )
        })?;
        let hints = hints(map)?;
        let source = rasters::open(&path, &hints)?;
        notes.extend(source.remark());
        let input = source.grid().clone();
        let cell_m = input.cell_m.ok_or_else(|| {
            Refusal::new(
                format!("{} does not say how large a cell is", path.display()),
                "add --map-cell with metres, like --map-cell 5",
            )
        })?;
        // An explicit cell size is what the user wants, unless a quality is asked for as well.
        let quality = match (run.quality, run.cell_size) {
            (Some(quality), _) => quality,
            (None, Some(_)) => Quality::Fine,
            (None, None) => Quality::Normal,
        };
        let asked_m = run.cell_size.map(Quantity::si);
        let resample_m = match asked_m {
            Some(asked) => asked_size(asked, &input, cell_m)?,
            None => own_size(&input, cell_m, quality),
        };
        let mut plan = Self { world: input.clone(), path, hints, input, resample_m, level: 0 };
        plan.world = plan.open()?.grid().clone();
        plan.check_size()?;
        plan.level = level(&plan.world, quality);
        plan.note_cells(cell_m, quality, notes);
        Ok(plan)
    }

    /// Opens the heightmap, row by row on the grid [`Self::world`].
    ///
    /// # Errors
    ///
    /// If the file is gone or has changed for the worse.
    pub fn open(&self) -> Result<Box<dyn RowSource>, Refusal> {
        let source = rasters::open(&self.path, &self.hints)?;
        Ok(match self.resample_m {
            Some(cell_m) => rasters::resample(source, cell_m)?,
            None => source,
        })
    }

    /// Columns and rows of the world that whole cells of the simulated level cover; the rest, at
    /// the east and south rim, is left out.
    #[must_use]
    pub fn used(&self) -> (usize, usize) {
        let whole = |count: usize| (count >> self.level) << self.level;
        (whole(self.world.width), whole(self.world.height))
    }

    /// Grid of the simulated cells.
    #[must_use]
    pub fn simulated(&self) -> Grid {
        let (width, height) = self.used();
        let factor = f64::from(1_u32 << self.level);
        Grid {
            width: width >> self.level,
            height: height >> self.level,
            step_x: self.world.step_x * factor,
            step_y: self.world.step_y * factor,
            cell_m: Some((self.cell_m(), self.cell_m())),
            ..self.world.clone()
        }
    }

    /// Grid of the maps: the finest cells of the world that are simulated, alone or together.
    #[must_use]
    pub fn drawn(&self) -> Grid {
        let (width, height) = self.used();
        let cell_m = self.world_cell_m();
        Grid { width, height, cell_m: Some((cell_m, cell_m)), ..self.world.clone() }
    }

    /// Metres from the south-west corner of the world to a place of the map.
    #[must_use]
    pub fn metres_to(&self, at: Point) -> [f64; 2] {
        super::barriers::metres_from_corner(&self.drawn(), [at.x, at.y])
    }

    /// Width of a simulated cell, m.
    #[must_use]
    pub fn cell_m(&self) -> f64 {
        self.world_cell_m() * f64::from(1_u32 << self.level)
    }

    /// Width of the finest cell of the world, m.
    #[must_use]
    pub fn world_cell_m(&self) -> f64 {
        let (x, y) = self.world.cell_m.unwrap_or((1.0, 1.0));
        (x * y).sqrt()
    }

    /// Name of the map without folder and ending.
    pub(super) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or(self.path.as_os_str());
        stem.to_string_lossy().into_owned()
    }

    /// Refuses a place that lies outside the map's extent.
    pub(super) fn check_inside(&self, what: &str, at: Point) -> Result<(), Refusal> {
        if self.world.cell_at(at.x, at.y).is_some() {
            return Ok(());
        }
        Err(Refusal::new(
            format!("{what} at {at} lies outside the map"),
            format!("{} are covered", extent(&self.world)),
        ))
    }

    fn check_size(&self) -> Result<(), Refusal> {
        let Grid { width, height, .. } = self.world;
        if width >= 2 && height >= 2 {
            return Ok(());
        }
        let mend = match self.resample_m {
            Some(_) => "choose a smaller --cell-size",
            None => "a flood needs at least 2 × 2",
        };
        let what = format!("{} has {width} × {height} cells", self.path.display());
        Err(Refusal::new(what, mend))
    }

    /// Says which cells are simulated where they are not the map's own.
    fn note_cells(&self, (x, y): (f64, f64), quality: Quality, notes: &mut Vec<String>) {
        let own = format!("{} × {} m", short(x), short(y));
        let area = self.input.width * self.input.height;
        if self.resample_m.is_some() {
            let count = self.world.width * self.world.height;
            let cell = short(self.world_cell_m());
            notes.push(format!(
                "the map's {area} cells of {own} become {count} of {cell} m, by exact area means: \
                 what is narrower (channels, walls, dykes) is averaged away, cells with less than \
                 half their area on the map are left out (choose with --cell-size or --quality)"
            ));
        }
        if let Some(words) = self.coarse_words() {
            let count = simulated_count(&self.world, self.level);
            notes.push(format!(
                "--quality {quality}: {count} cells instead of {area}. {words} --quality fine \
                 keeps everything"
            ));
        }
    }

    /// What is simulated where it is not the map's cells, and the error to expect.
    #[must_use]
    pub fn coarse_words(&self) -> Option<String> {
        let side = 1_u32 << self.level;
        let (cell, drawn) = (short(self.cell_m()), short(self.world_cell_m()));
        let error = accuracy::words(self.level);
        (self.level > 0).then(|| {
            format!(
                "Simulated in cells of {cell} m (level {}: {side} × {side} cells of {drawn} m in \
                 one), each with a table of the ground below it; drawn on the cells of {drawn} m. \
                 Expected error: {error}.",
                self.level
            )
        })
    }
}

/// The map's extent in words.
pub(super) fn extent(grid: &Grid) -> String {
    let (west, east, south, north) = bounds(grid);
    let unit = match grid.unit {
        HorizontalUnit::Metre => " (m)",
        HorizontalUnit::Degree => " (degrees)",
        HorizontalUnit::Unknown => "",
    };
    format!("x from {west} to {east} and y from {south} to {north}{unit}")
}

/// West, east, south and north coordinate of the outer rim.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn bounds(grid: &Grid) -> (f64, f64, f64, f64) {
    let east = grid.west + grid.width as f64 * grid.step_x;
    let south = grid.north - grid.height as f64 * grid.step_y;
    (grid.west, east, south, grid.north)
}

fn hints(map: &file::Map) -> Result<Hints, Refusal> {
    Ok(Hints {
        cell_m: map.cell.map(|cell| (cell.x, cell.y)),
        height_range: map.height_range.map(|range| (range.low, range.high)),
        size: map.size.map(|size| (size.width, size.height)),
        nodata: map.nodata,
        encoding: map.encoding,
        format: map.format.as_deref().map(format).transpose()?,
        metres_per_degree: match map.metres_per_degree {
            None => MetresPerDegree::Refuse,
            Some(DegreeLength::Auto) => MetresPerDegree::Auto,
            Some(DegreeLength::Fixed(length)) => MetresPerDegree::Fixed(length),
        },
    })
}

fn format(name: &str) -> Result<Format, Refusal> {
    Ok(match name {
        "geotiff" => Format::GeoTiff,
        "ascii-grid" => Format::AsciiGrid,
        "hgt" => Format::Hgt,
        "png" => Format::Png,
        "raw16" => Format::Raw16,
        "raw32" => Format::Raw32,
        _ => {
            return Err(Refusal::new(
                format!("`{name}` is no map format"),
                "write geotiff, ascii-grid, hgt, png, raw16 or raw32",
            ));
        }
    })
}

/// The cell size to resample to where the user names one.
fn asked_size(
    asked: f64,
    input: &Grid,
    (cell_x, cell_y): (f64, f64),
) -> Result<Option<f64>, Refusal> {
    if asked <= 0.0 {
        return Err(Refusal::new(
            format!("the cell size is {asked} m"),
            "choose one above 0, like --cell-size 10",
        ));
    }
    let ratio = asked / cell_x.min(cell_y);
    if ratio < 0.999 {
        let own = format!("{} × {} m", short(cell_x), short(cell_y));
        return Err(Refusal::new(
            format!("--cell-size {asked} m is finer than the map's cells of {own}"),
            "a finer grid holds no more detail; leave it out or choose a larger one",
        ));
    }
    Ok((ratio > 1.001 || !rasters::is_square(input)).then_some(asked))
}

/// The cell size to resample to where the map's own cells do not serve: they are not square, or
/// there are more than can be held.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn own_size(input: &Grid, (cell_x, cell_y): (f64, f64), quality: Quality) -> Option<f64> {
    let count = input.width * input.height;
    let is_held = count <= HELD_CELLS_MAX || quality == Quality::Fine;
    if rasters::is_square(input) && is_held {
        return None;
    }
    let own = (cell_x * cell_y).sqrt();
    // Sides round to the nearest whole cell: half a percent is room for both.
    let excess = if is_held { 1.0 } else { 1.005 * count as f64 / HELD_CELLS_MAX as f64 };
    Some(own * excess.max(1.0).sqrt())
}

/// Smallest level whose number of cells is allowed, as long as there are cells left.
fn level(world: &Grid, quality: Quality) -> u8 {
    let cells_max = quality.cells_max().unwrap_or(usize::MAX);
    let narrow = world.width.min(world.height);
    let is_enough =
        |level: &u8| simulated_count(world, *level) <= cells_max || narrow >> (level + 1) < 2;
    (0..LEVEL_MAX).find(is_enough).unwrap_or(LEVEL_MAX)
}

/// Number of whole cells of a level.
fn simulated_count(world: &Grid, level: u8) -> usize {
    (world.width >> level) * (world.height >> level)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(width: usize, height: usize, cell_m: (f64, f64)) -> Grid {
        Grid {
            width,
            height,
            west: 0.0,
            north: 0.0,
            step_x: 1.0,
            step_y: 1.0,
            cell_m: Some(cell_m),
            unit: HorizontalUnit::Metre,
            crs: None,
        }
    }

    #[test]
    fn quality_limits_the_cells() {
        let cases = [
            (500, Quality::Draft, 0),
            (2000, Quality::Draft, 2),
            (2000, Quality::Normal, 1),
            (2000, Quality::Fine, 0),
            (5000, Quality::Draft, 4),
        ];
        for (width, quality, expected) in cases {
            let grid = grid(width, width, (1.0, 1.0));
            assert_eq!(level(&grid, quality), expected, "{width} {quality}");
        }
    }

    #[test]
    fn maps_are_resampled_where_their_cells_do_not_serve() {
        let oblong = (4.0, 9.0);
        let cases = [
            (1000, (5.0, 5.0), Quality::Normal, None),
            (5000, (5.0, 5.0), Quality::Draft, None), // by level
            (1000, oblong, Quality::Normal, Some(6.0)),
            (1000, oblong, Quality::Fine, Some(6.0)),
            (5000, oblong, Quality::Normal, Some(6.0)),
            (20_000, (5.0, 5.0), Quality::Normal, Some(5.0 * 16.08_f64.sqrt())),
            (20_000, (5.0, 5.0), Quality::Draft, Some(5.0 * 16.08_f64.sqrt())),
            (20_000, (5.0, 5.0), Quality::Fine, None),
        ];
        for (width, cell, quality, expected) in cases {
            let got = own_size(&grid(width, width, cell), cell, quality);
            let is_same = match (got, expected) {
                (Some(got), Some(expected)) => (got - expected).abs() < 1.0e-9,
                (got, expected) => got.is_none() && expected.is_none(),
            };
            assert!(is_same, "{width} {cell:?} {quality}: {got:?}, expected {expected:?}");
        }
    }
}
