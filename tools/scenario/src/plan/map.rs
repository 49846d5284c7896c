//! The heightmap: how it is opened, and the grid on which the water runs.

use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::reading::ReadingWatch;
use kit::words::short;
use rasters::{
    CellSize, Cutout, Fact, Format, Grid, Hints, HorizontalUnit, MetresPerDegree, RasterValues,
    RowSource,
};

use super::super::file;
use super::super::place::MapPoint;
use super::super::terms::{ColumnsChoice, DegreeLength, Quality};
use super::cells::{ChosenCells, asked_cells, coarser, level, own_size, simulated_count};
use super::cover::HeightCells;
use super::part::{MapPart, OutlinedRows};
use super::steady::{FileStamp, SteadyRows};
use crate::quantity::Quantity;
use crate::spelling::meant;

/// The heightmap and the grid to simulate on.
#[derive(Debug, Clone, PartialEq)]
pub struct MapPlan {
    /// The file.
    pub path: PathBuf,
    /// Files of the map when the plan was made.
    stamp: FileStamp,
    /// Hints of the user about the map.
    pub hints: Hints,
    /// Grid of the file.
    file: Grid,
    /// The part of the file that is the map: all of it, or that of `--area`.
    part: MapPart,
    /// Grid of the map, as the file has it.
    pub input: Grid,
    /// Rectangle of the map that contains its heights and the places that the scenario names.
    data: Cutout,
    /// Cells of that rectangle that have a height, if the map was read.
    pub cover: Option<HeightCells>,
    /// Grid of the finest cells of the world: square ones.
    pub world: Grid,
    /// Cell size in m to which the rows are resampled, if their cells are not those of `world`.
    pub resample_m: Option<f64>,
    /// Number of times that the cells are doubled for the simulation: the level of the leaves.
    pub level: u8,
    /// The note on which cells are simulated, if they are not the map's own.
    pub cells_note: Option<String>,
    /// Changes made to the heights, and remarks on the cells: one sentence each.
    pub remarks: Vec<String>,
    /// Units, place, NoData and the like, each with its source.
    pub facts: Vec<Fact>,
}

/// Whether a frame of NoData is cut off.
#[derive(Debug)]
pub(super) enum NoDataFrame<'a> {
    /// The frame of NoData stays, and the map is not read.
    Kept,
    /// The frame is cut off, but for the cells at these places.
    CutOff(&'a [[f64; 2]]),
}

impl MapPlan {
    /// Determines the simulation grid from the file's head, and from the places of its heights.
    ///
    /// # Errors
    ///
    /// If no map is named, it cannot be opened or read, its cell size is unknown, or it is too
    /// small.
    pub(super) fn resolve(
        map: &file::MapTable,
        run: &file::RunTable,
        frame: &NoDataFrame<'_>,
        notes: &mut Vec<String>,
        watch: ReadingWatch<'_>,
    ) -> Result<Self, UserError> {
        let path = map.file.clone().ok_or_else(|| {
            UserError::new(
                "no heightmap is named",
                "give one on the command line, or as `file` under [map] in the scenario",
            )
        })?;
        let hints = hints(map)?;
        let stamp = FileStamp::of(&path, &hints)?;
        let source = rasters::open(&path, &hints)?;
        let (whole, remarks, facts) = (source.grid().clone(), source.remarks(), source.facts());
        drop(source);
        let cell_m = whole.cell_m.ok_or_else(|| {
            UserError::new(
                format!("{} does not say how large a cell is", path.display()),
                "add --map-cell with metres, like --map-cell 5",
            )
        })?;
        let part = MapPart::of(map.area.as_ref(), &whole, notes)?;
        let input = part.cutout.of(&whole, &hints);
        let quality = quality(run);
        let mut plan = Self {
            data: Cutout::whole(&input),
            world: input.clone(),
            path,
            stamp,
            hints,
            file: whole,
            part,
            input,
            cover: None,
            resample_m: None,
            level: 0,
            cells_note: None,
            remarks,
            facts,
        };
        if let NoDataFrame::CutOff(places) = frame {
            plan.cut_off(places, notes, watch)?;
        }
        let data = plan.data.of(&plan.input, &plan.hints);
        plan.remarks.extend(rasters::remark_on_cells(&plan.path, &data));
        notes.extend(plan.remarks.iter().cloned());
        let (file_m, cell_m) = (cell_m, data.cell_m.unwrap_or(cell_m));
        plan.tell_moved_cells(file_m, cell_m);
        let valid = plan.cover.as_ref().map_or(data.width * data.height, |cover| cover.valid);
        let columns = run.columns.unwrap_or_default();
        let cells = match run.cell_size.map(Quantity::si) {
            Some(asked) => asked_cells(asked, &data, valid, cell_m, columns)?,
            None => ChosenCells { resample_m: own_size(&data, valid, cell_m, quality), level: 0 },
        };
        (plan.resample_m, plan.level) = (cells.resample_m, cells.level);
        plan.world = plan.open()?.grid().clone();
        plan.level = level(&plan.world, cells.level, quality, |level| plan.count(level));
        if plan.level > 0 && columns == ColumnsChoice::Flat {
            (plan.resample_m, plan.level) = (Some(plan.cell_m()), 0);
            plan.world = plan.open()?.grid().clone();
        }
        plan.check_size()?;
        plan.cells_note = plan.note_cells(cell_m, run, notes);
        notes.extend(plan.cells_note.clone());
        Ok(plan)
    }

    /// Adds the size of cells in the part to the fact of their size, if it is different there from
    /// that in the file's middle: a degree, and a metre of Mercator, depend on the latitude.
    fn tell_moved_cells(&mut self, file_m: (f64, f64), cell_m: (f64, f64)) {
        let is_moved = (cell_m.0 / file_m.0 - 1.0).abs() > 1.0e-6;
        let fact = self.facts.iter_mut().find(|fact| fact.name == "cell size");
        if let Some(fact) = fact.filter(|_| is_moved) {
            let own = CellSize(cell_m);
            fact.value = format!("{own} in the middle of the part, {} in the file's", fact.value);
        }
    }

    /// Reads the map once and cuts off the frame around its heights and `places`.
    fn cut_off(
        &mut self,
        places: &[[f64; 2]],
        notes: &mut Vec<String>,
        watch: ReadingWatch<'_>,
    ) -> Result<(), UserError> {
        let mut source = self.open()?;
        let cover = HeightCells::read(source.as_mut(), (&self.path, &self.file), watch)?;
        // Some remarks need all the rows.
        let late = source.remarks().into_iter().filter(|remark| !self.remarks.contains(remark));
        let late: Vec<String> = late.collect();
        self.remarks.extend(late);
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
        notes.extend(cover.notes.iter().cloned());
        self.cover = Some(cover.within(self.data));
        Ok(())
    }

    /// Returns the file and its grid, by which its cells are counted.
    pub(crate) fn file(&self) -> (&Path, &Grid) {
        (&self.path, &self.file)
    }

    /// True if polygons bound the map.
    #[must_use]
    pub fn has_outline(&self) -> bool {
        self.part.outline.is_some()
    }

    /// Returns the number of simulated cells that have a height, if they are of a level.
    fn count(&self, level: u8) -> usize {
        match (&self.cover, self.resample_m, level) {
            (Some(cover), None, 0) => cover.valid,
            (cover, ..) => simulated_count(&self.world, level, &self.input, cover.as_ref()),
        }
    }

    /// Returns the number of simulated cells that have a height.
    #[must_use]
    pub fn simulated_cells(&self) -> usize {
        self.count(self.level)
    }

    /// Opens the heightmap, row by row on the grid [`Self::world`].
    ///
    /// # Errors
    ///
    /// If the file no longer exists, or was changed or replaced after the plan was made.
    pub fn open(&self) -> Result<Box<dyn RowSource>, UserError> {
        self.stamp.check(&self.path, &self.hints)?;
        let source = rasters::open(&self.path, &self.hints)?;
        let mut source = rasters::cut(source, self.part.cutout.cut(self.data), &self.hints)?;
        if let Some(outline) = &self.part.outline {
            source = Box::new(OutlinedRows::new(source, outline.clone()));
        }
        if let Some(cell_m) = self.resample_m {
            source = rasters::resample(source, cell_m)?;
        }
        let own = (&*self.path, &self.hints);
        Ok(Box::new(SteadyRows::new(source, own, self.stamp.clone())))
    }

    /// Returns columns and rows of the finest cells.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        (self.world.width, self.world.height)
    }

    /// Returns the grid of the simulated cells. The last ones in the east and the north may extend
    /// beyond the map.
    #[must_use]
    pub fn simulated(&self) -> Grid {
        let cell_m = self.cell_m();
        Grid { cell_m: Some((cell_m, cell_m)), ..coarser(&self.world, self.level) }
    }

    /// Returns the grid of the maps: the finest cells of the world, which are simulated alone or
    /// together.
    #[must_use]
    pub fn drawn(&self) -> Grid {
        let cell_m = self.world_cell_m();
        Grid { cell_m: Some((cell_m, cell_m)), ..self.world.clone() }
    }

    /// Returns metres from the south-west corner of the world to a place of the map.
    #[must_use]
    pub fn metres_to(&self, at: MapPoint) -> [f64; 2] {
        super::barriers::metres_from_corner(&self.drawn(), [at.x, at.y])
    }

    /// Returns the width of a simulated cell, m.
    #[must_use]
    pub fn cell_m(&self) -> f64 {
        self.world_cell_m() * f64::from(1_u32 << self.level)
    }

    /// Returns the width of the finest cell of the world, m.
    #[must_use]
    pub fn world_cell_m(&self) -> f64 {
        let (x, y) = self.world.cell_m.unwrap_or((1.0, 1.0));
        (x * y).sqrt()
    }

    /// Returns the name of the map without folder and ending.
    pub(super) fn name(&self) -> String {
        let stem = self.path.file_stem().unwrap_or(self.path.as_os_str());
        stem.to_string_lossy().into_owned()
    }

    /// Refuses a place outside the map's extent.
    pub(super) fn check_inside(&self, what: &str, at: MapPoint) -> Result<(), UserError> {
        if self.world.cell_at(at.x, at.y).is_some() {
            return Ok(());
        }
        let (place, mend) = self.outside(|grid| grid.cell_at(at.x, at.y).is_some());
        Err(UserError::new(format!("{what} at {at} lies outside {place}"), mend))
    }

    /// Returns the name of the area that does not contain a place, the map or its simulated part,
    /// and the remedy. `is_in` is true for a grid that contains the place.
    pub(super) fn outside(&self, is_in: impl Fn(&Grid) -> bool) -> (&'static str, String) {
        let simulated = extent(&self.world);
        if !is_in(&self.file) {
            return ("the map", format!("{} are covered", extent(&self.file)));
        }
        if !is_in(&self.input) {
            let mend = format!(
                "draw the area larger (--area, `area` under [map]), or move it: {simulated} are \
                 simulated"
            );
            return ("--area", mend);
        }
        ("the part of the map that has heights", format!("move it: {simulated} are simulated"))
    }

    fn check_size(&self) -> Result<(), UserError> {
        let Grid { width, height, .. } = coarser(&self.world, self.level);
        if width >= 2 && height >= 2 {
            return Ok(());
        }
        let mend = match self.resample_m.is_some() || self.level > 0 {
            true => "choose a smaller --cell-size",
            false => "a flood needs at least 2 × 2",
        };
        let what = format!("{} has {width} × {height} cells", self.path.display());
        Err(UserError::new(what, mend))
    }

    /// Returns a note if the length of a degree is given for a map without degrees.
    fn idle_degrees(&self) -> Option<String> {
        let Self { hints, file, path, .. } = self;
        let why = match (hints.metres_per_degree, hints.cell_m, file.unit) {
            (MetresPerDegree::Refuse, ..) | (_, None, HorizontalUnit::Degree) => return None,
            (_, Some(_), _) => "--map-cell (`cell`) says how large its cells are".to_owned(),
            (_, None, unit) => format!("its coordinates are {unit}"),
        };
        let path = path.display();
        Some(format!("--metres-per-degree (`metres_per_degree`) changes nothing for {path}: {why}"))
    }

    /// Adds notes on the cells of the map; returns the note on the simulated cells, if they are not
    /// the map's own.
    fn note_cells(
        &self,
        (x, y): (f64, f64),
        run: &file::RunTable,
        notes: &mut Vec<String>,
    ) -> Option<String> {
        notes.extend(self.idle_degrees());
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
            let chosen = match (run.quality, run.cell_size) {
                (None, Some(asked)) => format!("--cell-size {}", short(asked.si())),
                (quality, _) => format!("--quality {}", quality.unwrap_or(Quality::Normal)),
            };
            return Some(format!("{chosen}: {count} cells instead of {area}. {words}"));
        }
        if self.world_cell_m() > 1.001 * (x * y).sqrt() {
            return Some(self.flat_words(run.columns.unwrap_or_default()));
        }
        (run.columns == Some(ColumnsChoice::SubGrid)).then(|| {
            "--columns sub-grid changes nothing: the simulated cells are the map's own (choose \
             wider ones with --cell-size)"
                .to_owned()
        })
    }

    /// Returns a note on flat cells that are wider than the map's: their effect, and why they are
    /// flat.
    fn flat_words(&self, columns: ColumnsChoice) -> String {
        let cell = short(self.world_cell_m());
        let why = match columns {
            ColumnsChoice::Flat => {
                "leave out --columns flat for cells with tables of the ground in them"
            }
            ColumnsChoice::SubGrid => {
                "tables of the ground in them would need more finer cells than can be held: \
                 simulate a part of the map with --area"
            }
        };
        format!(
            "cells of {cell} m are flat, each as high as the mean of its ground. Such means dam \
             narrow valleys, and false lakes stand behind them; {why}"
        )
    }

    /// Returns the cells that are simulated in place of the map's, and their effect on the result,
    /// in words.
    #[must_use]
    pub fn coarse_words(&self) -> Option<String> {
        let side = 1_u32 << self.level;
        let (cell, drawn) = (short(self.cell_m()), short(self.world_cell_m()));
        (self.level > 0).then(|| {
            format!(
                "Simulated in cells of {cell} m (level {}: {side} × {side} cells of {drawn} m in \
                 one), each with a table of the ground below it; drawn on the cells of {drawn} m. \
                 Water in a coarse cell has one level and one velocity: steep slopes, where it \
                 shows as thin lines along the lower edges of such cells, and streams and streets \
                 narrower than {cell} m, are the least sure.",
                self.level
            )
        })
    }
}

/// Returns the quality of a run. A cell size alone is the user's choice.
fn quality(run: &file::RunTable) -> Quality {
    match (run.quality, run.cell_size) {
        (Some(quality), _) => quality,
        (None, Some(_)) => Quality::Fine,
        (None, None) => Quality::Normal,
    }
}

/// Returns the map's extent in words.
pub(super) fn extent(grid: &Grid) -> String {
    let (west, east, south, north) = bounds(grid);
    let unit = match grid.unit {
        HorizontalUnit::Metre => " (m)".to_owned(),
        HorizontalUnit::Unknown => String::new(),
        unit => format!(" ({unit})"),
    };
    format!("x from {west} to {east} and y from {south} to {north}{unit}")
}

/// True if a grid reaches to a place, its border included.
pub(super) fn reaches(grid: &Grid, at: MapPoint) -> bool {
    let (west, east, south, north) = bounds(grid);
    (west..=east).contains(&at.x) && (south..=north).contains(&at.y)
}

/// Returns the west, east, south and north coordinate of the border.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn bounds(grid: &Grid) -> (f64, f64, f64, f64) {
    let east = grid.west + grid.width as f64 * grid.step_x;
    let south = grid.north - grid.height as f64 * grid.step_y;
    (grid.west, east, south, grid.north)
}

fn hints(map: &file::MapTable) -> Result<Hints, UserError> {
    Ok(Hints {
        cell_m: map.cell.map(|cell| (cell.x, cell.y)),
        height_range: map.height_range.map(|range| (range.low, range.high)),
        size: map.size.map(|size| (size.width, size.height)),
        nodata: map.nodata.clone(),
        band: map.band,
        height_unit: map.height_unit,
        direction: map.heights_are,
        byte_order: map.byte_order,
        encoding: map.encoding,
        format: map.format.as_deref().map(format).transpose()?,
        metres_per_degree: match map.metres_per_degree {
            None => MetresPerDegree::Refuse,
            Some(DegreeLength::Auto) => MetresPerDegree::Auto,
            Some(DegreeLength::Fixed(length)) => MetresPerDegree::Fixed(length),
        },
        values: RasterValues::Lengths,
        ..Hints::default()
    })
}

fn format(name: &str) -> Result<Format, UserError> {
    Ok(match name {
        "geotiff" => Format::GeoTiff,
        "ascii-grid" => Format::AsciiGrid,
        "hgt" => Format::Hgt,
        "png" => Format::Png,
        "raw16" => Format::Raw16,
        "int16" => Format::Int16,
        "raw32" => Format::Raw32,
        _ => {
            return Err(UserError::new(
                format!(
                    "`{name}` is no map format{}",
                    meant(name, ["geotiff", "ascii-grid", "hgt", "png", "raw16", "int16", "raw32"])
                ),
                "write geotiff, ascii-grid, hgt, png, raw16, int16 or raw32",
            ));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::Plan;
    use crate::area::{MapRectangle, SimulatedArea};
    use crate::file::{EdgeTable, GaugeTable, Scenario};
    use crate::place::{Condition, MapSide};

    /// Returns 60 × 60 cells of 5 m, whose corner is 0, 0; heights in `heights` columns of the
    /// south, from the west.
    fn scenario(folder: &std::path::Path, heights: (usize, usize)) -> Scenario {
        let mut text = "ncols 60\nnrows 60\nxllcorner 0\nyllcorner 0\ncellsize 5\n".to_owned();
        text += "NODATA_value -9999\n";
        for row in 0..60 {
            let is_in = |column: usize| column < heights.0 && row >= 60 - heights.1;
            let value = |column| if is_in(column) { "7 " } else { "-9999 " };
            text += &((0..60).map(value).collect::<String>() + "\n");
        }
        let path = folder.join("a.asc");
        std::fs::write(&path, text).expect("writable");
        let mut scenario = Scenario::default();
        scenario.map.file = Some(path);
        scenario
    }

    fn stretch(from: f64, to: f64) -> Vec<EdgeTable> {
        let (side, condition) = (MapSide::West, Condition::Wall);
        vec![EdgeTable { name: None, side, from: Some(from), to: Some(to), condition }]
    }

    /// Goal: a place in the file that is not simulated is not reported as outside the map.
    #[test]
    fn places_that_were_left_out_are_told_so() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let area = SimulatedArea::Rectangle(MapRectangle {
            west: 0.0,
            south: 0.0,
            east: 100.0,
            north: 100.0,
        });
        let gauge =
            |x: f64| vec![GaugeTable { name: "a".to_owned(), at: [x, 50.0], observed: None }];
        for (area, gauge, edge, words) in [
            (None, gauge(400.0), vec![], ["outside the map", "x from 0 to 300"]),
            (Some(&area), gauge(200.0), vec![], ["outside --area", "x from 0 to 100"]),
            (Some(&area), vec![], stretch(150.0, 200.0), ["outside --area", "y from 0 to 100"]),
            (None, vec![], stretch(150.0, 200.0), ["part of the map that has", "y from 0 to 105"]),
            (None, vec![], stretch(350.0, 400.0), ["outside the map", "y from 0 to 300"]),
        ] {
            let mut scenario = scenario(folder.path(), (60, 20));
            scenario.map.area = area.cloned();
            (scenario.gauge, scenario.edge) = (gauge, edge);
            let refused = Plan::resolve(&scenario).expect_err("left out").to_string();
            let missing = words.iter().find(|words| !refused.contains(**words));
            assert_eq!(missing, None, "{refused}");
        }
    }

    /// Goal: a remark on Mercator's cells is one, and of the cells that are simulated.
    #[test]
    fn cells_of_mercator_are_remarked_on_where_they_are_cut_out() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("m.tif");
        let grid = rasters::Grid {
            cell_m: None,
            crs: Some(rasters::Crs::projected(3857)),
            ..rasters::Grid::metric((40, 4000), (0.0, 8.0e6), 1000.0)
        };
        let band = rasters::RasterBand::ELEVATION;
        rasters::write_geotiff(&path, &grid, band, |_, row| row.fill(3.0)).expect("writable");
        let mut scenario = Scenario::default();
        scenario.map.file = Some(path);
        let south = MapRectangle { west: 0.0, south: 4.0e6, east: 4.0e4, north: 4.1e6 };
        scenario.map.area = Some(SimulatedArea::Rectangle(south));
        let plan = Plan::resolve(&scenario).expect("a sound map");
        let remarks: Vec<_> = plan.notes.iter().filter(|note| note.contains("Mercator")).collect();
        let [remark] = remarks[..] else { panic!("{remarks:?}") };
        let cell = format!("are taken as {:.2} m", plan.map.input.cell_m.expect("metres").0);
        assert!(remark.contains(&cell), "{cell}: {remark}");
        assert!(remark.contains("latitude of 34."), "{remark}");
    }
}
