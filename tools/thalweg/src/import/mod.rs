//! Import of a heightmap of any size as a world, in little memory.
//!
//! ```text
//! map ── survey: range of heights ── rows ──► TerrainWriter ──► hidden folder ──► world ──► tables
//!                                                  └─ a commit every 16 MiB of heights or so
//! ```
//!
//! Guarantees: a process that is killed loses only the work after its last commit; the same command
//!             continues from there, to the same extents (`tests/all/import.rs`).
//! Limits:     two passes over the map, the first for the range of its heights.

pub mod origin;
pub mod rows;

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fmt, fs, io, thread};

use indicatif::HumanBytes;
use kit::error::UserError;
use kit::output::partial::{self, Partial, check_free};
use kit::progress::CommandProgress;
use kit::terminal::shown;
use kit::world::refused;
use scenario::build;
use scenario::file::{RunTable, Scenario};
use scenario::options::{CellArgs, Options};
use scenario::overlay;
use scenario::plan::Plan;
use scenario::survey::survey_watched;
use scenario::terms::{ColumnsChoice, Quality};
use serde::Serialize;
use thalweg::file::{Head, Store, TerrainWriter, make_tables, write_georeference};
use thalweg::world::{StoreError, WriteError};

use crate::args::ImportArgs;

/// Cells between two commits, at least: 16 MiB of heights.
const CELLS_BETWEEN_COMMITS: usize = 1 << 22;

/// Result of an import.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Imported {
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
    /// Whether the map was resampled to such cells.
    pub resampled: bool,
    /// Changes made to the heights beyond reading them, and notes on unlikely ones; a continued
    /// import repeats no notes of the first look.
    pub remarks: Vec<String>,
    /// Rows that an interrupted import had written before.
    pub rows_there_before: usize,
    /// Levels.
    pub levels: u8,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// Bytes of the heights of the finest cells, four each.
    pub raw_bytes: u64,
    /// Time it took, s.
    pub seconds: f64,
}

/// Makes a world of a heightmap.
///
/// # Errors
///
/// If the map cannot be read to its end or its heights do not fit, or the world cannot be written;
/// an earlier file of its name is then unchanged.
pub fn import(args: &ImportArgs, progress: &CommandProgress) -> Result<Imported, UserError> {
    let start = Instant::now();
    let path = &args.world;
    check_free(path, args.force.into())?;
    let plan = plan(args)?;
    if path.canonicalize().ok() == plan.map.path.canonicalize().ok() && path.exists() {
        return Err(UserError::new(
            format!("{} is the map itself", path.display()),
            "choose another name for the world",
        ));
    }
    let note = origin::origin(&plan)?;
    let mut partial = Partial::find(path, args.force.into())?;
    let (mut work, notes) = ImportWork::begin(&plan, &mut partial, (path, &note), progress)?;
    let rows_there_before = work.writer.rows();
    work.rows(&plan, &mut partial, (path, &note), progress)?;
    progress.spin("making it last");
    let (head, store) = work.finish(&plan, path)?;
    partial.finish_open(vec![store])?;
    let file_bytes = make_columns(path, progress).map_err(|error| refused(path, &error))?;
    progress.finish();
    Ok(Imported {
        world: path.clone(),
        width: head.width,
        height: head.height,
        cell_m: head.cell_width_m,
        inside: head.inside,
        resampled: plan.map.resample_m.is_some(),
        remarks: plan.map.remarks.iter().cloned().chain(notes).collect(),
        rows_there_before,
        levels: head.coarsest + 1,
        file_bytes,
        raw_bytes: head.width as u64 * head.height as u64 * 4,
        seconds: start.elapsed().as_secs_f64(),
    })
}

/// Makes the tables of sub-grid columns of a world that is whole, and stays so if this is broken
/// off; returns the bytes of its file.
fn make_columns(path: &Path, progress: &CommandProgress) -> Result<u64, StoreError> {
    let mut store = Store::open(path)?;
    make_tables(&mut store, &mut progress.watch("making sub-grid columns"))?;
    store.file_bytes()
}

/// A world that is being written.
struct ImportWork {
    store: Store,
    writer: TerrainWriter,
}

impl ImportWork {
    /// Continues the world of `partial` if it is of the same origin, or begins it, with notes of a
    /// look at the heights.
    fn begin(
        plan: &Plan,
        partial: &mut Partial,
        (path, note): (&Path, &str),
        progress: &CommandProgress,
    ) -> Result<(Self, Vec<String>), UserError> {
        if let Some(store) = there(partial, path)?
            && let Ok(Some((writer, found))) = TerrainWriter::resume(&store)
            && found == note
        {
            partial.keep();
            return Ok((Self { store, writer }, Vec::new()));
        }
        let mut watch = progress.watch("looking at the map");
        let mut rows = |_: &'static str, done: usize, all: usize| watch(share(done, all));
        let survey = survey_watched(plan, &mut rows)?;
        let scale = build::scale(plan, &survey)?;
        let options = build::terrain_options(plan, scale);
        let mut store = new(partial, path)?;
        let writer = TerrainWriter::begin(options, &mut store).map_err(|e| unwritten(path, e))?;
        Ok((Self { store, writer }, survey.notes))
    }

    /// Writes the missing rows.
    fn rows(
        &mut self,
        plan: &Plan,
        partial: &mut Partial,
        (path, note): (&Path, &str),
        progress: &CommandProgress,
    ) -> Result<(), UserError> {
        let options = *self.writer.options();
        let mut watch = progress.watch("bringing in rows");
        let mut since_commit = 0;
        thread::scope(|scope| {
            let missing = (self.writer.rows(), options.height);
            let pieces = rows::read(scope, plan.map.open()?, missing)?;
            while self.writer.rows() < options.height {
                let Ok(piece) = pieces.recv() else {
                    return Err(UserError::new("a thread broke", "report it"));
                };
                let piece = piece?;
                let pushed = self.writer.push(&piece, &mut self.store);
                pushed.map_err(|error| unwritten(path, error))?;
                since_commit += piece.len();
                if since_commit >= CELLS_BETWEEN_COMMITS && self.writer.can_save() {
                    self.commit(note).map_err(|error| refused(path, &error))?;
                    partial.keep();
                    since_commit = 0;
                }
                watch(share(self.writer.rows(), options.height));
            }
            Ok(())
        })
    }

    fn commit(&mut self, note: &str) -> Result<(), StoreError> {
        self.writer.save(note, &mut self.store)?;
        self.store.commit().map(drop)
    }

    /// Completes the world: its head, and its file.
    fn finish(mut self, plan: &Plan, path: &Path) -> Result<(Head, Store), UserError> {
        let failed = |error| refused(path, &error);
        let head = self.writer.finish(&mut self.store).map_err(|error| unwritten(path, error))?;
        write_georeference(&plan.map.world.placement()?, &mut self.store).map_err(failed)?;
        self.store.commit().map_err(failed)?;
        Ok((head, self.store))
    }
}

/// Returns the world in the hidden folder; `None` if it contains no world to continue.
fn there(partial: &mut Partial, path: &Path) -> Result<Option<Store>, UserError> {
    if !partial.path().exists() {
        return Ok(None);
    }
    match Store::open(&partial.path()) {
        Err(StoreError::InUse) => Err(in_use(partial, path)),
        opened => Ok(opened.ok()),
    }
}

/// Creates a new world in the hidden folder.
fn new(partial: &mut Partial, path: &Path) -> Result<Store, UserError> {
    let file = partial.path();
    match fs::remove_file(&file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            return Err(partial::unwritten(path, &error));
        }
        _ => {}
    }
    Store::create(&file).map_err(|error| match error {
        StoreError::Io { source, .. } if source.kind() == io::ErrorKind::AlreadyExists => {
            in_use(partial, path)
        }
        other => refused(path, &other),
    })
}

/// Returns an error: another process makes the same world, and its files are its own.
fn in_use(partial: &mut Partial, path: &Path) -> UserError {
    partial.leave();
    UserError::new(
        format!("another process is importing into {}", path.display()),
        "wait for it, or choose another name",
    )
}

fn unwritten(path: &Path, error: WriteError) -> UserError {
    match error {
        WriteError::Store(error) => refused(path, &error),
        other => UserError::from_sentence(other.to_string()),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a share of the rows")]
fn share(rows: usize, of: usize) -> f64 {
    rows as f64 / of as f64
}

/// Returns the plan of the options for a run that keeps every cell.
fn plan(args: &ImportArgs) -> Result<Plan, UserError> {
    // The cells of a world file are those of its terrain.
    let (quality, columns) = (Some(Quality::Fine), Some(ColumnsChoice::Flat));
    let run = RunTable { quality, columns, ..RunTable::default() };
    let cells = CellArgs { numbers: args.numbers.clone(), ..CellArgs::default() };
    let options = Options { map: args.hints.clone(), run, cells, ..Options::default() };
    let mut scenario = Scenario::default();
    scenario.map.file = Some(args.map.clone());
    overlay::lay_over(&mut scenario, &options)?;
    Plan::resolve_whole(&scenario)
}

impl fmt::Display for Imported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, cell_m, .. } = self;
        let how = if self.resampled { ", by exact area means" } else { "" };
        let before = match self.rows_there_before {
            0 => String::new(),
            rows => format!(", {rows} rows of it before"),
        };
        write!(
            f,
            "{}: {width} × {height} cells of {} m{how}, {} levels, in {:.1} s{before}; {} where \
             the heights alone are {}",
            shown(&self.world),
            short(*cell_m),
            self.levels,
            self.seconds,
            HumanBytes(self.file_bytes),
            HumanBytes(self.raw_bytes)
        )?;
        self.remarks.iter().try_for_each(|remark| write!(f, "\n{remark}"))
    }
}

/// Returns a length to the millimetre, without zeros.
#[must_use]
pub fn short(metres: f64) -> String {
    ((metres * 1000.0).round() / 1000.0).to_string()
}
