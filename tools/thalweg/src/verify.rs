//! Check that all of a world is as written.
//!
//! Limits: to check water the whole world is loaded.

use std::fmt;
use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::progress::CommandProgress;
use kit::terminal::shown;
use kit::world;
use kit::world::water::loaded;
use serde::Serialize;
use thalweg::file::{Damage, Key, Layer, Opened, Store, check_terrain};
use thalweg::world::{FileError, SaveFile, StoreError};

use crate::args::VerifyArgs;

/// Result of a check.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VerifyReport {
    /// The file.
    #[serde(serialize_with = "crate::naming::file")]
    pub world: PathBuf,
    /// Whether nothing is damaged.
    pub clean: bool,
    /// Number of the commit that was checked.
    pub generation: Option<u64>,
    /// Extents checked.
    pub extents: Option<u64>,
    /// Damaged parts of the world.
    pub damaged: Vec<DamagedExtent>,
    /// Facts worth reporting that are no damage.
    pub notes: Vec<String>,
}

/// One damaged extent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DamagedExtent {
    /// The extent, in words.
    pub extent: String,
    /// Fault of that part.
    pub what: String,
    /// Remedy.
    pub mend: &'static str,
}

const MEND_COPY: &str = "bring back a copy of the file, or import the map again";
const MEND_WATER: &str = "bring back a copy of the file, or let the water run on the map again";
const MEND_BEFORE: &str =
    "the last commit is whole: the next save takes its place, and thalweg compact leaves it out";
const MEND_TABLES: &str = "nothing is lost: worlds that need them make them again from the beds";
const MEND_FINEST: &str =
    "the finest level is whole: write it with thalweg export and import that again";

/// Checks every checksum of a world, that every extent has the content that its key names, that
/// coarse beds are the means of the finer ones, that nothing is beyond the map, and, if all these
/// checks pass, that the water is as saved.
///
/// # Errors
///
/// If the world is missing, or newer than this program.
pub fn verify(args: &VerifyArgs, progress: &CommandProgress) -> Result<VerifyReport, UserError> {
    let path = &args.world;
    let mut report = VerifyReport {
        world: path.clone(),
        clean: false,
        generation: None,
        extents: None,
        damaged: Vec::new(),
        notes: Vec::new(),
    };
    let store = match Store::read(path) {
        Ok(store) => store,
        Err(error) => return unopened(path, error, report),
    };
    let mut watch = progress.watch("checking tiles");
    let damage = check_terrain(&store, &mut watch);
    progress.finish();
    let damage = damage.map_err(|error| world::refused(path, &error))?;
    report.generation = Some(store.generation());
    report.extents = Some(store.extents());
    match store.opened() {
        Opened::FellBack { from, .. } => report.damaged.push(DamagedExtent {
            extent: format!("commit {from}"),
            what: format!("it is damaged, commit {} is read", store.generation()),
            mend: MEND_COPY,
        }),
        Opened::OneSlot { lost_pages: 0 } => report.notes.push(
            "one of the two superblocks is not whole, as after a commit that was cut off: the \
             other is, and so is its directory; the next commit mends it"
                .to_owned(),
        ),
        _ => {}
    }
    let (before, damage): (Vec<_>, Vec<_>) =
        damage.into_iter().partition(|damage| damage.is_before);
    if damage.is_empty() {
        report.damaged.extend(check_water(args, store, progress)?);
    }
    let is_finest_whole = damage.iter().all(|damage| damage.key.is_some_and(is_derived));
    report.damaged.extend(damage.into_iter().map(|damage| line(damage, is_finest_whole)));
    report.damaged.extend(before.into_iter().map(|damage| line(damage, false)));
    report.clean = report.damaged.is_empty();
    Ok(report)
}

/// Checks the water of a world whose extents are whole: each leaf, its sum against the ledger, and
/// every invariant.
fn check_water(
    args: &VerifyArgs,
    store: Store,
    progress: &CommandProgress,
) -> Result<Vec<DamagedExtent>, UserError> {
    let path = &args.world;
    progress.spin("checking the water");
    let mut file = SaveFile::of(store).limits(args.limit.limits());
    let found = match loaded(&mut file) {
        Ok(None) => Vec::new(),
        Ok(Some(world)) => {
            let of_state =
                |what| DamagedExtent { extent: "the state".to_owned(), what, mend: MEND_WATER };
            thalweg::check::violations(&world).into_iter().map(of_state).collect()
        }
        Err(FileError::Store(error @ (StoreError::Io { .. } | StoreError::Limit(_)))) => {
            return Err(world::refused(path, &error));
        }
        Err(error) => {
            let what = error.to_string();
            vec![DamagedExtent { extent: "the water".to_owned(), what, mend: MEND_WATER }]
        }
    };
    progress.finish();
    Ok(found)
}

/// Returns the report of a world that cannot be opened: damaged, or missing.
fn unopened(
    path: &Path,
    error: StoreError,
    mut report: VerifyReport,
) -> Result<VerifyReport, UserError> {
    let (key, what) = match &error {
        StoreError::Damaged { key, what } => (*key, (*what).to_owned()),
        StoreError::NoCommit => (None, error.to_string()),
        _ => return Err(world::refused(path, &error)),
    };
    report.damaged.push(line(Damage::new(key, what), false));
    Ok(report)
}

/// Whether an extent follows from the finest beds.
fn is_derived(key: Key) -> bool {
    key.layer.is_ground() && key.tile.level > 0
}

fn line(damage: Damage, is_finest_whole: bool) -> DamagedExtent {
    let extent = damage.key.map_or_else(|| "the directory".to_owned(), |key| key.to_string());
    let are_tables = damage.key.is_some_and(|key| key.layer == Layer::Tables);
    let mend = match (damage.is_before, is_finest_whole) {
        (true, _) => MEND_BEFORE,
        (false, _) if are_tables => MEND_TABLES,
        (false, true) => MEND_FINEST,
        (false, false) => MEND_COPY,
    };
    DamagedExtent { extent, what: damage.what, mend }
}

impl fmt::Display for VerifyReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let world = shown(&self.world);
        for note in &self.notes {
            writeln!(f, "{world}: {note}")?;
        }
        for DamagedExtent { extent, what, mend } in &self.damaged {
            writeln!(f, "{world}: {extent}: {what}: {mend}")?;
        }
        match (self.clean, self.extents, self.generation) {
            (true, Some(extents), Some(generation)) => {
                write!(f, "{world}: commit {generation} is whole, all {extents} extents of it")
            }
            (_, Some(extents), _) => {
                write!(f, "{world}: {} of {extents} extents are damaged", self.damaged.len())
            }
            _ => write!(f, "{world}: damaged beyond reading"),
        }
    }
}
