//! What a world is, and what it looks like.

use std::fmt;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use flood_preview::refusal::Refusal;
use indicatif::HumanBytes;
use serde::Serialize;
use thalweg::store::terrain::StoredBeds;

use crate::args::InfoArgs;
use crate::import::short;
use crate::partial::{self, Partial};
use crate::picture::{Picture, Terminal};
use crate::world;

/// What a world is.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// The file.
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
    /// Heights are whole multiples of 2^−`exponent` m above the datum.
    pub exponent: u8,
    /// Beds are multiples of 2^−`bed_exponent` m.
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
    /// The picture for the terminal.
    #[serde(skip)]
    pub picture: Option<String>,
}

/// Finds out what a world is.
///
/// # Errors
///
/// If it cannot be read, or the picture cannot be written.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
pub fn info(args: &InfoArgs, is_json: bool) -> Result<Info, Refusal> {
    let path = &args.world;
    let failed = |error| world::refused(path, &error);
    if let Some(png) = &args.png {
        check_ending(png)?;
    }
    let store = world::open(path)?;
    let stored = StoredBeds::open(&store).map_err(failed)?;
    let head = *stored.head();
    let grid = world::grid(path, &store, &head)?;
    let terminal = if is_json { None } else { Some(Terminal::here()) };
    let draw = |terminal| Picture::for_terminal(&stored).map(|picture| picture.text(terminal));
    let picture = terminal.map(draw).transpose().map_err(failed)?;
    if let Some(png) = &args.png {
        write_png(png, &Picture::for_png(&stored).map_err(failed)?)?;
    }
    let live_bytes = store.live_bytes().map_err(failed)?;
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
        picture,
    })
}

/// A picture replaces what stood there; a world is not a picture.
fn check_ending(path: &Path) -> Result<(), Refusal> {
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("png")) {
        return Ok(());
    }
    Err(Refusal::new(format!("{} is no name of a PNG", path.display()), "end it in .png"))
}

fn write_png(path: &Path, picture: &Picture) -> Result<(), Refusal> {
    let partial = Partial::begin(path, true)?;
    let write = || {
        let mut file = BufWriter::new(File::create(partial.path())?);
        picture.encode(&mut file)?;
        file.flush()
    };
    write().map_err(|error| partial::refused(path, &error))?;
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
        if let Some(picture) = &self.picture {
            writeln!(f, "{picture}")?;
        }
        writeln!(f, "{}", self.world.display())?;
        writeln!(
            f,
            "  map      {width} × {height} cells of {} m: {:.2} × {:.2} km",
            short(*cell_m),
            km(*width),
            km(*height)
        )?;
        let (west, north) = self.west_north;
        writeln!(f, "  place    north-west corner at {west}, {north} ({crs})")?;
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
        writeln!(f, "  commit   {}, {} extents", self.generation, self.extents)?;
        write!(
            f,
            "  file     {}, {} of it in use; the heights alone are {}: {:.1} times as much",
            HumanBytes(self.file_bytes),
            HumanBytes(self.live_bytes),
            HumanBytes(self.raw_bytes),
            self.ratio
        )
    }
}
