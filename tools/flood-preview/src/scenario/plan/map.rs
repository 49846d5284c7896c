//! The heightmap: how it is opened, and on which grid the water runs.

use std::path::PathBuf;

use rasters::{Cutout, Format, Grid, Hints, HorizontalUnit, MetresPerDegree, RowSource, Values};

use super::super::file;
use super::super::place::Point;
use super::super::terms::{DegreeLength, Quality};
use super::accuracy;
use super::cells::{asked_size, level, own_size, simulated_count};
use super::cover::Cover;
use super::part::{Masked, Part};
use super::settings::short;
use crate::quantity::Quantity;
use crate::reading::Watch;
use crate::refusal::Refusal;
use crate::spelling::meant;

/// The heightmap and the grid to simulate on.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPlan {
    /// The file.
    pub path: PathBuf,
    /// What the user says about it.
    pub hints: Hints,
    /// The part of the file that is the map: all of it, or what `--area` says.
    part: Part,
    /// Grid of the map, as the file has it.
    pub input: Grid,
    /// Rectangle of the map that holds its heights, and what the scenario names.
    data: Cutout,
    /// Which cells of that rectangle hold a height, where the map was read.
    pub cover: Option<Cover>,
    /// Grid of the finest cells of the world: square ones.
    pub world: Grid,
    /// Cell size in m that the rows are resampled to, where their cells are not those of `world`.
    pub resample_m: Option<f64>,
    /// How often the cells are doubled for the simulation: the level of the leaves.
    pub level: u8,
}

/// Whether a frame of NoData is cut off.
#[derive(Debug)]
pub(super) enum Frame<'a> {
    /// It stays, and the map is not read.
    Kept,
    /// It is, but for what lies at these places.
    CutOff(&'a [[f64; 2]]),
}

impl MapPlan {
    /// Finds out what the simulation grid is: from the file's head, and from where its heights are.
    ///
    /// # Errors
    ///
    /// If no map is named, it cannot be opened or read, its cell size is unknown, or it is too
    /// small.
    pub(super) fn resolve(
        map: &file::Map,
        run: &file::Run,
        frame: &Frame<'_>,
        notes: &mut Vec<String>,
        watch: Watch<'_>,
    ) -> Result<Self, Refusal> {
        let path = map.file.clone().ok_or_else(|| {
            Refusal::new(
                "no heightmap is named",
                "give one on the command line, or as `file` under [map] in the scenario",
            )
        })?;
        let hints = hints(map)?;
        let source = rasters::open(&path, &hints)?;
        notes.extend(source.remarks());
        let whole = source.grid().clone();
        notes.extend(rasters::remark_on_cells(&path, &whole));
        drop(source);
        let cell_m = whole.cell_m.ok_or_else(|| {
            Refusal::new(
                format!("{} does not say how large a cell is", path.display()),
                "add --map-cell with metres, like --map-cell 5",
            )
        })?;
        let part = Part::of(map.area.as_ref(), &whole, notes)?;
        let input = part.cutout.of(&whole, &hints);
        // An explicit cell size is what the user wants, unless a quality is asked for as well.
        let quality = match (run.quality, run.cell_size) {
            (Some(quality), _) => quality,
            (None, Some(_)) => Quality::Fine,
            (None, None) => Quality::Normal,
        };
        let asked_m = run.cell_size.map(Quantity::si);
        let mut plan = Self {
            data: Cutout::whole(&input),
            world: input.clone(),
            path,
            hints,
            part,
            input,
            cover: None,
            resample_m: None,
            level: 0,
        };
        if let Frame::CutOff(places) = frame {
            plan.cut_off(places, notes, watch)?;
        }
        let data = plan.data.of(&plan.input, &plan.hints);
        let cell_m = data.cell_m.unwrap_or(cell_m);
        let valid = plan.cover.as_ref().map_or(data.width * data.height, |cover| cover.valid);
        plan.resample_m = match asked_m {
            Some(asked) => asked_size(asked, &data, cell_m)?,
            None => own_size(&data, valid, cell_m, quality),
        };
        plan.world = plan.open()?.grid().clone();
        plan.check_size()?;
        plan.level = level(&plan.world, quality, |level| plan.count(level));
        plan.note_cells(cell_m, quality, notes);
        Ok(plan)
    }

    /// Reads the map once and cuts off the frame around its heights and `places`.
    fn cut_off(
        &mut self,
        places: &[[f64; 2]],
        notes: &mut Vec<String>,
        watch: Watch<'_>,
    ) -> Result<(), Refusal> {
        let cover = Cover::read(self.open()?.as_mut(), &self.path, watch)?;
        let places = places.iter().filter_map(|[x, y]| self.input.cell_at(*x, *y));
        self.data = cover.rectangle(places);
        if self.data != Cutout::whole(&self.input) {
            let Grid { width, height, .. } = self.input;
            notes.push(format!(
                "the heights lie in {} × {} of the map's {width} × {height} cells; the NoData \
                 around them is left out",
                self.data.width, self.data.height
            ));
        }
        self.cover = Some(cover.within(self.data));
        Ok(())
    }

    /// Number of simulated cells that hold a height, if they are of a level.
    fn count(&self, level: u8) -> usize {
        match (&self.cover, self.resample_m, level) {
            (Some(cover), None, 0) => cover.valid,
            (cover, ..) => simulated_count(&self.world, level, &self.input, cover.as_ref()),
        }
    }

    /// Number of simulated cells that hold a height.
    #[must_use]
    pub fn simulated_cells(&self) -> usize {
        self.count(self.level)
    }

    /// Opens the heightmap, row by row on the grid [`Self::world`].
    ///
    /// # Errors
    ///
    /// If the file is gone or has changed for the worse.
    pub fn open(&self) -> Result<Box<dyn RowSource>, Refusal> {
        let source = rasters::open(&self.path, &self.hints)?;
        let mut source = rasters::cut(source, self.part.cutout.cut(self.data), &self.hints)?;
        if let Some(outline) = &self.part.outline {
            source = Box::new(Masked::new(source, outline.clone()));
        }
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
        let area = self.cover.as_ref().map_or(self.input.width * self.input.height, |c| c.valid);
        if self.resample_m.is_some() {
            let count = self.count(0);
            let cell = short(self.world_cell_m());
            notes.push(format!(
                "the map's {area} cells of {own} become {count} of {cell} m, by exact area means: \
                 what is narrower (channels, walls, dykes) is averaged away, cells with less than \
                 half their area on the map are left out (choose with --cell-size or --quality)"
            ));
        }
        if let Some(words) = self.coarse_words() {
            let count = self.simulated_cells();
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
        values: Values::Lengths,
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
                format!(
                    "`{name}` is no map format{}",
                    meant(name, ["geotiff", "ascii-grid", "hgt", "png", "raw16", "raw32"])
                ),
                "write geotiff, ascii-grid, hgt, png, raw16 or raw32",
            ));
        }
    })
}
