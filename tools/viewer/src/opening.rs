//! Opening: from the command line to a world that is ready to run.
//!
//! | file | world |
//! | --- | --- |
//! | a heightmap | as `flood-preview` makes it; a cloudburst if no water is requested |
//! | a scenario | the same, with its gauges |
//! | a world | as it was saved, in memory or streamed |
//! | a world without water | dry, with leaves that follow the view; rain if requested |
//!
//! Guarantees: a file that cannot be opened is refused in one line, and nothing was written.

mod map;
mod stored;

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use kit::error::UserError;
use scenario::naming::sample;
use thalweg::units::OUTSIDE;
use thalweg::world::{SaveFile, World};

use crate::args::Args;
use crate::memory::SessionMemory;
use crate::session::ViewerSite;
use crate::session::site::MapPlace;

/// First bytes of a world file.
const MAGIC: &[u8] = b"\x89TLW";

/// World that is ready to be shown.
#[derive(Debug)]
pub struct OpenedWorld {
    /// The world.
    pub world: World,
    /// File that the world was opened from and can be saved into.
    pub file: Option<SaveFile>,
    /// File that was opened.
    pub path: PathBuf,
    /// Title of the world.
    pub title: String,
    /// Places whose series are recorded, m.
    pub gauges: Vec<(String, [f64; 2])>,
    /// Georeference of the world, in the words of `rasters`.
    pub placement: Option<String>,
    /// Place of the world on the map, if its coordinates are available.
    pub map: Option<MapPlace>,
    /// Choices and omissions made by default: one sentence each.
    pub notes: Vec<String>,
}

/// Opens the named file, or else the last one, or the sample.
///
/// # Errors
///
/// If the file is missing, damaged, in use, or of a kind that cannot be opened.
pub fn open(args: &Args, memory: &SessionMemory) -> Result<OpenedWorld, UserError> {
    let path = match (&args.file, &memory.file) {
        (Some(path), _) => path.clone(),
        (None, Some(path)) if path.is_file() => path.clone(),
        _ => sample()?,
    };
    match kind(&path)? {
        OpeningKind::World => stored::open(&path, args),
        OpeningKind::Map => map::open(&path, args),
    }
}

enum OpeningKind {
    World,
    Map,
}

/// Returns the kind of a file, by its name and its first bytes.
fn kind(path: &Path) -> Result<OpeningKind, UserError> {
    let shown = path.display();
    if path.is_dir() {
        return Err(UserError::new(
            format!("{shown} is a folder"),
            "name a heightmap, a scenario or a world in it",
        ));
    }
    let mut first = Vec::new();
    let read = File::open(path).and_then(|file| file.take(16).read_to_end(&mut first));
    read.map_err(|error| {
        let mend = match error.kind() {
            io::ErrorKind::NotFound => "check the name and the folder",
            _ => "choose a file that you may read",
        };
        UserError::new(format!("{shown}: {error}"), mend)
    })?;
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if ending == "thalweg" || first.starts_with(MAGIC) {
        return Ok(OpeningKind::World);
    }
    Ok(OpeningKind::Map)
}

impl OpenedWorld {
    /// Returns the facts about the world that do not change during a session.
    #[must_use]
    pub fn site(&self) -> ViewerSite {
        let world = &self.world;
        let (base, coarsest) = (world.extent().base(), world.extent().coarsest());
        let (width, height) = world.size();
        let cell_m = world.cell_width_m();
        let tracers = world.water().tracers();
        ViewerSite {
            title: self.title.clone(),
            size_m: [metres(width, cell_m), metres(height, cell_m)],
            finest_m: cell_m / f64::from(1_u32 << base),
            base,
            coarsest,
            bed_m: bed_range_m(world),
            tracers: tracers.map(str::to_owned).collect(),
            file: self.file.as_ref().map(|_| self.path.clone()),
            map: self.map,
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn metres(cells: usize, cell_m: f64) -> f64 {
    cells as f64 * cell_m
}

/// Returns the lowest and highest bed of the leaves, m.
fn bed_range_m(world: &World) -> [f64; 2] {
    let grounds = world.leaves().iter().map(|leaf| leaf.ground());
    let beds = grounds.flat_map(|ground| ground.bed.iter().copied().filter(|bed| *bed != OUTSIDE));
    let (low, high) =
        beds.fold((i32::MAX, i32::MIN), |(low, high), bed| (low.min(bed), high.max(bed)));
    if low > high { [0.0; 2] } else { [low, high].map(|bed| world.scale().metres(bed)) }
}
