//! Description of a world, and its picture.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use indicatif::HumanBytes;
use kit::error::UserError;
use kit::output::Replacing;
use kit::output::partial::{Partial, unwritten};
use kit::terminal::shown;
use kit::words::time;
use kit::world;
use kit::world::water::{loaded, refused};
use serde::Serialize;
use thalweg::file::{Head, StoredBeds};
use thalweg::units::plain::plain;
use thalweg::world::{FileError, SaveFile};

use crate::args::InfoArgs;
use crate::import::short;
use crate::picture::{ReliefPicture, Terminal};
use crate::water::{self, WaterSource, WorldWater};

/// Approximate limit of the leaves read for the picture of a terminal.
const LEAVES_SEEN: usize = 4096;

/// Description of a world.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// The file.
    #[serde(serialize_with = "crate::naming::file")]
    pub world: PathBuf,
    /// Columns of the finest level.
    pub width: usize,
    /// Rows of the finest level.
    pub height: usize,
    /// Width of the finest cells, m.
    pub cell_m: f64,
    /// Cells with ground.
    pub inside: u64,
    /// Lowest bed, m.
    pub low_m: f64,
    /// Highest bed, m.
    pub high_m: f64,
    /// Exponent of the unit of heights: they are multiples of 2^−`exponent` m above the datum.
    pub exponent: u8,
    /// Exponent of the step of beds: they are multiples of 2^−`bed_exponent` m.
    pub bed_exponent: u8,
    /// Elevation of unit 0, m.
    pub datum_m: f64,
    /// Levels.
    pub levels: u8,
    /// Reference system of the coordinates.
    pub crs: Option<String>,
    /// Coordinates of the north-west corner.
    pub west_north: (f64, f64),
    /// Number of the last commit.
    pub generation: u64,
    /// Extents of it.
    pub extents: u64,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of it that the last commit needs.
    pub live_bytes: u64,
    /// Bytes of the heights of the finest cells, four each.
    pub raw_bytes: u64,
    /// Raw over live bytes.
    pub ratio: f64,
    /// Water of the world.
    pub water: Option<WorldWater>,
    /// Times of the moments that are kept, s.
    pub kept_s: Vec<f64>,
    /// The picture for the terminal.
    #[serde(skip)]
    pub picture: Option<String>,
}

/// Returns a description of a world.
///
/// # Errors
///
/// If it cannot be read, or the picture cannot be written.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
pub fn info(args: &InfoArgs, is_json: bool) -> Result<Info, UserError> {
    let path = &args.world;
    let failed = |error| world::refused(path, &error);
    if let Some(png) = &args.png {
        check_ending(png)?;
    }
    let mut file = SaveFile::of(world::open(path)?).limits(args.limit.limits());
    let state_hash = state_hash(args, &mut file)?;
    let store = file.store();
    let stored = StoredBeds::open(store).map_err(failed)?;
    let head = *stored.head();
    let failed_water = |error| refused(path, &error);
    let source = WaterSource::open(&file).map_err(failed_water)?;
    let water = source.as_ref().map(|source| WorldWater::of(source, &head));
    let water = water.transpose().map_err(failed_water)?;
    let water = water.map(|water| WorldWater { state_hash, ..water });
    let grid = world::grid(path, store, &head)?;
    let terminal = if is_json { None } else { Terminal::here() };
    let draw = |terminal| -> Result<String, UserError> {
        let picture = ReliefPicture::for_terminal(&stored).map_err(failed)?;
        let picture = wet(picture, source.as_ref(), &head, LEAVES_SEEN).map_err(failed_water)?;
        Ok(picture.text(terminal))
    };
    let picture = terminal.map(draw).transpose()?;
    if let Some(png) = &args.png {
        let picture = ReliefPicture::for_png(&stored).map_err(failed)?;
        let picture = wet(picture, source.as_ref(), &head, usize::MAX).map_err(failed_water)?;
        write_png(png, &picture)?;
    }
    let moments = file.moments().map_err(failed_water)?;
    let live_bytes = store.reader().live_bytes().map_err(failed)?;
    let raw_bytes = head.width as u64 * head.height as u64 * 4;
    Ok(Info {
        world: path.clone(),
        width: head.width,
        height: head.height,
        cell_m: head.cell_width_m,
        inside: head.inside,
        low_m: head.scale.metres(head.low),
        high_m: head.scale.metres(head.high),
        exponent: head.scale.exponent(),
        bed_exponent: head.bed_exponent,
        datum_m: head.scale.datum_m(),
        levels: head.coarsest + 1,
        crs: grid.crs.as_ref().map(|crs| crs.name().to_owned()),
        west_north: (grid.west, grid.north),
        generation: store.generation(),
        extents: store.extents(),
        file_bytes: store.file_bytes().map_err(failed)?,
        live_bytes,
        raw_bytes,
        ratio: raw_bytes as f64 / live_bytes as f64,
        water,
        kept_s: moments.iter().map(|(_, time)| time.seconds()).collect(),
        picture,
    })
}

/// Returns the hash of the world's state, if it is requested and the world has one.
fn state_hash(args: &InfoArgs, file: &mut SaveFile) -> Result<Option<String>, UserError> {
    if !args.hash {
        return Ok(None);
    }
    let world = loaded(file).map_err(|error| refused(&args.world, &error))?;
    Ok(world.map(|world| water::shown_hash(&world)))
}

/// Adds the water to a picture, if the world has any, read from about `most` leaves.
fn wet(
    picture: ReliefPicture,
    source: Option<&WaterSource<'_>>,
    head: &Head,
    most: usize,
) -> Result<ReliefPicture, FileError> {
    Ok(match source {
        Some(source) => {
            let flooding = water::flooding(source, head, picture.level(), most)?;
            picture.under(flooding)
        }
        None => picture,
    })
}

/// Checks that a path ends in `.png`: a picture replaces an earlier file, which must be no world.
fn check_ending(path: &Path) -> Result<(), UserError> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    Err(UserError::new(format!("{} is no name of a PNG", path.display()), "end it in .png"))
}

fn write_png(path: &Path, picture: &ReliefPicture) -> Result<(), UserError> {
    let partial = Partial::begin(path, Replacing::Allowed)?;
    let write = || {
        let mut file = BufWriter::new(File::create(partial.path())?);
        picture.encode(&mut file)?;
        file.flush()
    };
    write().map_err(|error| unwritten(path, &error))?;
    partial.finish()
}

impl fmt::Display for Info {
    #[expect(clippy::cast_precision_loss, reason = "kilometres to two digits")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, cell_m, inside, levels, .. } = self;
        let km = |cells: usize| cells as f64 * cell_m / 1000.0;
        let cells = *width as u64 * *height as u64;
        let coarsest = cell_m * f64::from(1_u32 << (levels - 1));
        let crs = self.crs.as_deref().unwrap_or("no reference system");
        writeln!(f, "{}", shown(&self.world))?;
        writeln!(
            f,
            "  map      {width} × {height} cells of {} m: {:.2} × {:.2} km",
            short(*cell_m),
            km(*width),
            km(*height)
        )?;
        let (west, north) = self.west_north;
        writeln!(f, "  place    north-west corner at {west}, {north} ({})", plain(crs))?;
        writeln!(
            f,
            "  ground   {inside} of {cells} cells, {} to {} m high",
            short(self.low_m),
            short(self.high_m)
        )?;
        writeln!(
            f,
            "  heights  beds in 2^-{} m, water in 2^-{} m, above {} m",
            self.bed_exponent,
            self.exponent,
            short(self.datum_m)
        )?;
        writeln!(f, "  levels   {levels}: cells of {} m to {} m", short(*cell_m), short(coarsest))?;
        if let Some(water) = &self.water {
            write!(f, "{water}")?;
        }
        writeln!(f, "  commit   {}, {} extents", self.generation, self.extents)?;
        if let (Some(first), Some(last)) = (self.kept_s.first(), self.kept_s.last()) {
            let (count, first, last) = (self.kept_s.len(), time(*first), time(*last));
            writeln!(f, "  kept     {count} moments, {first} to {last}")?;
        }
        let [file, live, raw] = [self.file_bytes, self.live_bytes, self.raw_bytes].map(HumanBytes);
        write!(f, "  file     {file}, {live} of it in use; the heights alone are {raw}")?;
        match self.water {
            Some(_) => Ok(()),
            None => write!(f, ": {:.1} times as much", self.ratio),
        }
    }
}
