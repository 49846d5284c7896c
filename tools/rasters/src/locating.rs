//! Place of a raster and size of its cells, by the file, the files beside it and options.
//!
//! Every fact is settled by the order of trust in [`crate::facts`]: the place by tie points, then
//! the `.aux.xml` file, then the world file; the reference system by geo-keys, then the `.prj`
//! file, then the `.aux.xml` file; the unit of coordinates by a key, then by EPSG's registry, then
//! by the files beside the raster; the cell size by `--map-cell`, else by the step and its unit.
//!
//! Guarantees: coordinates remain as in the file; `cell_m` alone is converted to metres.

use std::fmt;
use std::path::Path;

use crate::askew::{Affine, Askew};
use crate::beside::{CrsFiles, Prj, read_world_file};
use crate::cell_size::CellSize;
use crate::coordinates::{self, Coordinates};
use crate::crs::Crs;
use crate::error::RasterError;
use crate::facts::{Claims, Fact, FactSource};
use crate::grid::{Grid, HorizontalUnit};
use crate::ground;
use crate::hints::Hints;
use crate::screen::{SampleMeaning, Screened, StoredRows};
use crate::source::RowSource;
use crate::wkt::{CrsKind, System, SystemHeights};

/// Distance of corners, in cells, up to which two places are one.
const OFF_MAX: f64 = 0.02;

/// Source of the place of a grid of text.
pub(crate) const HEADER: &str = "header";

/// Source of a system that is that of a whole VRT.
const SYSTEM_OF_VRT: &str = "SRS of the VRT";

/// Facts that a file states itself.
#[derive(Debug, Default)]
pub(crate) struct OwnPlacement {
    /// Place, and the tag or the part of the file that states the place.
    pub(crate) place: Option<(&'static str, Affine)>,
    /// Reference system.
    pub(crate) crs: Option<Crs>,
}

/// Corner at which a raster begins.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Facing {
    /// The first row is the southernmost.
    pub(crate) is_from_south: bool,
    /// The first column is the easternmost.
    pub(crate) is_from_east: bool,
}

/// Place of a raster.
#[derive(Debug)]
pub(crate) struct Located {
    /// The grid of the raster, or the one that surrounds a raster askew.
    pub(crate) grid: Grid,
    pub(crate) facing: Facing,
    /// The raster's own cells, if its rows do not run west to east.
    pub(crate) askew: Option<Affine>,
    /// The file's own reference system.
    pub(crate) own: Option<Crs>,
    /// Heights of the systems that texts describe, in the file and beside it.
    pub(crate) heights: Vec<(FactSource, SystemHeights)>,
    pub(crate) facts: Vec<Fact>,
    pub(crate) remarks: Vec<String>,
}

/// Finds the place of a raster of `size` cells; `None` if nothing states it.
pub(crate) fn locate(
    path: &Path,
    size: (usize, usize),
    own: OwnPlacement,
    (hints, beside): (&Hints, &CrsFiles),
) -> Result<Option<Located>, RasterError> {
    // A grid of text has no world file: its header is complete.
    let has_world_file = !matches!(own.place, Some((HEADER, _)));
    let world = if has_world_file { read_world_file(path)? } else { None };
    let (own_source, own_place) = own.place.unzip();
    let corner = |[west, a, b, north, d, e]: [f64; 6]| Affine {
        origin: [west, north],
        column: [a, d],
        row: [b, e],
    };
    let aux_place = beside.aux.transform.filter(|_| has_world_file).map(corner);
    let place = |affine: Option<Affine>| affine.map(|affine| RasterPlace { affine, size });
    let claims = Claims::of("place")
        .add(FactSource::File(own_source.unwrap_or_default()), place(own_place))
        .add(FactSource::AuxXml, place(aux_place))
        .add(FactSource::WorldFile, place(world));
    let Some((RasterPlace { affine, .. }, place_fact)) = claims.settle() else { return Ok(None) };
    let mut systems = Systems::new(path, own.crs, hints.system.as_deref(), beside);
    let (crs, system_fact) = systems.settle();
    let mut grid = placed(affine, size, crs);
    let facing =
        Facing { is_from_south: affine.row[1] > 0.0, is_from_east: affine.column[0] < 0.0 };
    let is_askew = !affine.is_upright(size);
    if is_askew {
        grid = affine.surround(path, grid)?;
    }
    let (grid, mut facts) = measured(path, grid, &mut systems, hints)?;
    facts.extend(system_fact);
    facts.push(place_fact);
    let askew = is_askew.then_some(affine);
    let facing = if is_askew { Facing::default() } else { facing };
    let (heights, Systems { own, remarks, .. }) = (systems.heights(), systems);
    Ok(Some(Located { grid, facing, askew, own, heights, facts, remarks }))
}

/// Heights by the files beside a raster, and remarks on those files.
pub(crate) struct HeightsBeside {
    pub(crate) heights: Vec<(FactSource, SystemHeights)>,
    pub(crate) remarks: Vec<String>,
}

impl HeightsBeside {
    /// Reads the files beside the raster at `path`.
    pub(crate) fn read(path: &Path, hints: &Hints) -> Result<Self, RasterError> {
        let beside = CrsFiles::read(path)?;
        let systems = Systems::new(path, None, hints.system.as_deref(), &beside);
        Ok(Self { heights: systems.heights(), remarks: systems.remarks })
    }
}

impl Located {
    /// Places a raster whose place nothing states, with cells by an option or the `.toml` file.
    ///
    /// The reference systems do not place the raster, but their unit and direction of heights
    /// count.
    pub(crate) fn nowhere(
        path: &Path,
        (size, own): ((usize, usize), Option<Crs>),
        cell_m: (f64, f64),
        (hints, beside): (&Hints, &CrsFiles),
    ) -> Self {
        let systems = Systems::new(path, own, hints.system.as_deref(), beside);
        let (heights, Systems { own, remarks, .. }) = (systems.heights(), systems);
        let place = Fact::of("place", FactSource::Guess, "from its own south-west corner");
        let cell = said_cell(hints, cell_m).settle();
        let facts = cell.map(|(_, fact)| fact).into_iter().chain([place]).collect();
        let (grid, facing) = (ground::unplaced(size, cell_m), Facing::default());
        Self { grid, facing, askew: None, own, heights, facts, remarks }
    }

    /// Adds the settled facts of the samples at `path`, and remarks on them.
    pub(crate) fn add(&mut self, path: &Path, facts: Vec<Fact>, remarks: Vec<String>) {
        let unit = facts.iter().find(|fact| fact.name == "height unit");
        let is_assumed = unit.is_some_and(|fact| fact.source == FactSource::Guess);
        if let (true, HorizontalUnit::Length(unit)) = (is_assumed, self.grid.unit) {
            self.remarks.push(format!(
                "{} has coordinates in {unit} and does not state the unit of its heights: metres \
                 are assumed (choose with --height-unit)",
                path.display()
            ));
        }
        self.facts.extend(facts);
        self.remarks.extend(remarks);
    }

    /// Opens a raster whose rows are stored in one order alone, from the first row on.
    pub(crate) fn screen(
        self,
        path: &Path,
        size: (usize, usize),
        rows: impl StoredRows + 'static,
        meaning: SampleMeaning,
    ) -> Result<Box<dyn RowSource>, RasterError> {
        let Self { grid, facing, askew, facts, remarks, .. } = self;
        let turned = (facing != Facing::default()).then(|| facing.affine(&grid));
        let Some(affine) = askew.or(turned) else {
            let screened = Screened::new(path, grid, rows, meaning);
            return Ok(Box::new(screened.remarking(remarks).with_facts(facts)));
        };
        let values = meaning.values;
        let stored = Screened::new(path, ground::unplaced(size, (1.0, 1.0)), rows, meaning);
        let stored = stored.remarking(remarks).with_facts(facts);
        Ok(Box::new(Askew::try_new(path, grid, affine, (Box::new(stored), values))?))
    }
}

impl Facing {
    /// Cells of an upright grid in the order in which they are stored.
    fn affine(self, grid: &Grid) -> Affine {
        let (width, height) = (grid.width as f64 * grid.step_x, grid.height as f64 * grid.step_y);
        let x = if self.is_from_east { grid.west + width } else { grid.west };
        let y = if self.is_from_south { grid.north - height } else { grid.north };
        let side = |step: f64, is_turned: bool| if is_turned { -step } else { step };
        Affine {
            origin: [x, y],
            column: [side(grid.step_x, self.is_from_east), 0.0],
            row: [0.0, side(-grid.step_y, self.is_from_south)],
        }
    }
}

/// Returns the upright grid of a raster, without the size of its cells in metres.
fn placed(affine: Affine, (width, height): (usize, usize), crs: Option<Crs>) -> Grid {
    let (step_x, step_y) = (affine.column[0].abs(), affine.row[1].abs());
    let [mut west, mut north] = affine.origin;
    if affine.column[0] < 0.0 {
        west -= step_x * width as f64;
    }
    if affine.row[1] > 0.0 {
        north += step_y * height as f64;
    }
    let unit = HorizontalUnit::Unknown;
    Grid { width, height, west, north, step_x, step_y, cell_m: None, unit, crs }
}

/// Reference systems that the file and the files beside it state.
struct Systems {
    own: Option<Crs>,
    /// The system of a VRT that names the raster.
    listed: Option<(System, String)>,
    prj: Option<(System, String)>,
    aux: Option<(System, String)>,
    remarks: Vec<String>,
}

impl Systems {
    fn new(path: &Path, own: Option<Crs>, listed: Option<&str>, beside: &CrsFiles) -> Self {
        let mut remarks = Vec::new();
        let mut left_aside = |path: &Path| {
            remarks.push(format!(
                "{} describes no reference system that can be read, and is left aside",
                path.display()
            ));
        };
        let prj = beside.prj.as_ref().and_then(|Prj { path, text, system }| match system {
            Some(system) => Some((system.clone(), text.clone())),
            None => {
                left_aside(path);
                None
            }
        });
        let aux = beside.aux.system.as_ref().and_then(|text| match System::parse(text) {
            Some(system) => Some((system, text.clone())),
            None => {
                left_aside(&crate::aux_xml::path_beside(path));
                None
            }
        });
        let unread =
            format!("{}: {SYSTEM_OF_VRT} cannot be read, and is left aside", path.display());
        let listed = listed.and_then(|text| match System::parse(text) {
            Some(system) => Some((system, text.to_owned())),
            None => {
                remarks.push(unread);
                None
            }
        });
        Self { own: own.map(Crs::with_area), listed, prj, aux, remarks }
    }

    /// Returns the system of the most trusted source.
    fn settle(&self) -> (Option<Crs>, Option<Fact>) {
        let stated = self.own.clone().filter(|own| own.is_stated() && !self.yields(own));
        let stated = stated.map(ComparedCrs);
        let described = |beside: &Option<(System, String)>| {
            beside.as_ref().map(|(system, text)| ComparedCrs(Crs::described(system, text)))
        };
        let claims = Claims::of("reference system")
            .add(FactSource::File(SYSTEM_OF_VRT), described(&self.listed))
            .add(FactSource::File("geo-keys"), stated.clone())
            .add(FactSource::Prj, described(&self.prj))
            .add(FactSource::AuxXml, described(&self.aux));
        match claims.settle() {
            // A text beside the keys has no more than they, unless it is another system.
            Some((crs, fact)) => {
                (Some(stated.filter(|own| *own == crs).unwrap_or(crs).0), Some(fact))
            }
            None => (self.own.clone(), None),
        }
    }

    /// Returns whether the file's keys name no system, and a text can describe the same plane in
    /// the same unit.
    fn yields(&self, own: &Crs) -> bool {
        let of_keys = Coordinates::of_keys(own).first().map(|(_, unit)| *unit);
        let fits = |(system, _): &(System, String)| {
            let unit = Coordinates::of_system(system);
            let is_unit = of_keys.zip(unit).is_none_or(|(own, unit)| own == unit);
            own.kind().is_none_or(|kind| kind == system.kind) && is_unit
        };
        !own.is_named() && self.texts().iter().any(|(_, text)| text.as_ref().is_some_and(fits))
    }

    /// Units of coordinates that the systems state.
    fn units(&self) -> Vec<(FactSource, Coordinates)> {
        let mut units = self.own.as_ref().map(Coordinates::of_keys).unwrap_or_default();
        for (source, beside) in self.texts() {
            let unit = beside.as_ref().and_then(|(system, _)| Coordinates::of_system(system));
            units.extend(unit.map(|unit| (source, unit)));
        }
        units
    }

    /// Returns the heights of all systems that texts describe: the winner of the plane may lack
    /// them.
    fn heights(&self) -> Vec<(FactSource, SystemHeights)> {
        let heights = |beside: &Option<(System, String)>| beside.as_ref()?.0.heights;
        let cited = self.own.as_ref().and_then(Crs::esri_system);
        let all = [(FactSource::File("ESRI PE string"), cited.and_then(|system| system.heights))];
        let texts = self.texts().map(|(source, beside)| (source, heights(beside)));
        let all = all.into_iter().chain(texts);
        all.filter_map(|(source, heights)| Some((source, heights?))).collect()
    }

    /// Returns the texts of files beside the raster.
    fn texts(&self) -> [(FactSource, &Option<(System, String)>); 3] {
        [
            (FactSource::File(SYSTEM_OF_VRT), &self.listed),
            (FactSource::Prj, &self.prj),
            (FactSource::AuxXml, &self.aux),
        ]
    }
}

/// Returns the grid with its unit and the size of its cells in metres, and the facts of both.
fn measured(
    path: &Path,
    mut grid: Grid,
    systems: &mut Systems,
    hints: &Hints,
) -> Result<(Grid, Vec<Fact>), RasterError> {
    let kind = grid.crs.as_ref().and_then(Crs::kind);
    if kind == Some(CrsKind::Geocentric) {
        return Err(RasterError::unsupported(
            path,
            "is in geocentric coordinates, which have no map: reproject it with gdalwarp",
        ));
    }
    let claims = Claims::of("unit of coordinates");
    let stated = systems.units().into_iter();
    let claims = stated.fold(claims, |claims, (source, unit)| claims.add(source, Some(unit)));
    let mut facts = Vec::new();
    let mut source = FactSource::Guess;
    if let Some((unit, fact)) = claims.settle() {
        grid.unit = match unit {
            Coordinates::Length(unit) => HorizontalUnit::of_length(unit),
            Coordinates::Degrees => HorizontalUnit::Degree,
            Coordinates::Other(_) if hints.cell_m.is_some() => HorizontalUnit::Unknown,
            Coordinates::Other(_) => return Err(coordinates::foreign(path, unit)),
        };
        source = fact.source;
        facts.push(fact);
    } else if kind == Some(CrsKind::Projected) {
        grid.unit = HorizontalUnit::Metre;
    }
    let is_foreign = source != FactSource::Guess && grid.unit == HorizontalUnit::Unknown;
    let step = CellSize((grid.step_x, grid.step_y));
    if let Some(said) = hints.cell_m.map(CellSize)
        && source == FactSource::Guess
        && said != step
    {
        systems.remarks.push(format!(
            "{}: the cells are {said} ({}), in place of {step} by the file, if its unit is \
             the metre (cells of another size are simulated with --cell-size)",
            path.display(),
            hints.origin(FactSource::CELL)
        ));
    }
    let grid = ground::settle(path, grid, hints)?;
    if source == FactSource::Guess && hints.cell_m.is_none() {
        let assumed = if grid.unit == HorizontalUnit::Degree { "degrees" } else { "metres" };
        facts.push(Fact::of("unit of coordinates", FactSource::Guess, assumed));
    }
    let own = ground::own_cell(&grid, hints).filter(|_| !is_foreign);
    let claims = said_cell(hints, hints.cell_m).add(source, own.map(CellSize));
    facts.splice(0..0, claims.settle().map(|(_, fact)| fact));
    Ok((grid, facts))
}

/// Sizes of a cell by an option and by the `.toml` file; `cell_m` is that of the hints.
fn said_cell(hints: &Hints, cell_m: impl Into<Option<(f64, f64)>>) -> Claims<CellSize> {
    Claims::of("cell size")
        .add(hints.origin(FactSource::CELL), cell_m.into().map(CellSize))
        .add(FactSource::Sidecar, hints.of_sidecar(|keys| keys.cell_m).map(CellSize))
}

/// A place: eq. (1) of [`crate::askew`] for a number of columns and rows.
#[derive(Debug, Clone, Copy)]
struct RasterPlace {
    affine: Affine,
    size: (usize, usize),
}

impl PartialEq for RasterPlace {
    /// Compares corners: files round their steps.
    fn eq(&self, other: &Self) -> bool {
        let (width, height) = (self.size.0 as f64, self.size.1 as f64);
        [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)].iter().all(|&(column, row)| {
            let found = self.affine.cell_of(other.affine.moved(column, row).origin);
            (found[0] - column).abs() <= OFF_MAX && (found[1] - row).abs() <= OFF_MAX
        })
    }
}

impl fmt::Display for RasterPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Affine { origin: [x, y], column, row } = self.affine;
        write!(f, "{x}, {y} (first corner), steps of {} x {}", column[0], row[1])?;
        match self.affine.is_upright(self.size) {
            true => Ok(()),
            false => write!(f, ", askew by {} and {}", column[1], row[0]),
        }
    }
}

/// A reference system that is compared by its code and kind: texts name one system in many ways.
#[derive(Debug, Clone)]
struct ComparedCrs(Crs);

impl PartialEq for ComparedCrs {
    fn eq(&self, other: &Self) -> bool {
        let have_codes = self.0.code().is_some() || other.0.code().is_some();
        !(have_codes && self.0.is_other_than(&other.0)) && self.0.kind() == other.0.kind()
    }
}

impl fmt::Display for ComparedCrs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
