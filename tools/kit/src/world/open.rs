//! Opening a world, and saying in one line why it cannot be opened.

use std::io;
use std::path::Path;

use crate::error::UserError;
use crate::terminal::complain;
use rasters::Grid;
use thalweg::file::{Head, Opened, Store, read_georeference};
use thalweg::world::StoreError;

use crate::world::limits;

/// Opens a world to read it. Prints a line on standard error if an older commit had to be used.
///
/// # Errors
///
/// If the file is missing, foreign, newer than this program or damaged.
pub fn open(path: &Path) -> Result<Store, UserError> {
    found(path, Store::read(path))
}

/// Opens a world that no process writes, and that none may write until it is closed.
///
/// # Errors
///
/// The errors of [`open`], and an error if the world is being written.
pub fn open_alone(path: &Path) -> Result<Store, UserError> {
    found(path, Store::open(path))
}

fn found(path: &Path, store: Result<Store, StoreError>) -> Result<Store, UserError> {
    let store = store.map_err(|error| refused(path, &error))?;
    if let Opened::FellBack { from, .. } = store.opened() {
        let what = format!(
            "{}: commit {from} is damaged, the one before it is read: thalweg verify lists all \
             damage",
            path.display()
        );
        complain(what);
    }
    Ok(store)
}

/// Makes the one-line error for a world that cannot be read or written.
#[must_use]
pub fn refused(path: &Path, error: &StoreError) -> UserError {
    let what = format!("{}: {error}", path.display());
    match error {
        StoreError::Io { source, .. } => match source.kind() {
            io::ErrorKind::NotFound => UserError::new(what, "check the name and the folder"),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                UserError::new(what, "choose a file and a folder you may use")
            }
            io::ErrorKind::OutOfMemory => UserError::new(what, "close other programs"),
            io::ErrorKind::IsADirectory => UserError::new(what, "name a file in it"),
            _ => UserError::from_sentence(what),
        },
        StoreError::Limit(over) => limits::refused(path, over),
        StoreError::KeptUnknown => UserError::new(
            format!("{}: the list of kept moments is damaged", path.display()),
            format!(
                "bring back a copy, or leave them out: thalweg compact --drop-moments {}",
                path.display()
            ),
        ),
        StoreError::Damaged { .. } => UserError::new(
            what,
            format!("thalweg verify {} lists all damage and how to mend it", path.display()),
        ),
        _ => UserError::from_sentence(what),
    }
}

/// Returns the place of the finest cells of a world; at the origin if the world states no place.
///
/// # Errors
///
/// If the stated place is damaged.
pub fn grid(path: &Path, store: &Store, head: &Head) -> Result<Grid, UserError> {
    let text = read_georeference(store).map_err(|error| refused(path, &error))?;
    let (width, height, cell_m) = (head.width, head.height, head.cell_width_m);
    let grid = match text {
        Some(text) => Grid::placed(&text, width, height).map_err(|error| {
            UserError::new(format!("{}: {error}", path.display()), "import the map again")
        })?,
        None => Grid::metric((width, height), (0.0, cell_m * whole(height)), cell_m),
    };
    Ok(Grid { cell_m: Some((cell_m, cell_m)), ..grid })
}

/// Returns the place of the cells of a level: rows count from the south, so the northernmost may
/// reach beyond the map.
#[must_use]
pub fn level_grid(finest: &Grid, head: &Head, level: u8) -> Grid {
    let (width, height) = head.size(level);
    let factor = f64::from(1_u32 << level);
    let (step_x, step_y) = (finest.step_x * factor, finest.step_y * factor);
    let beyond = whole(height) * factor - whole(finest.height);
    let cell_m = finest.cell_m.map(|(x, y)| (x * factor, y * factor));
    let north = finest.north + beyond * finest.step_y;
    Grid { width, height, north, step_x, step_y, cell_m, ..finest.clone() }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn whole(count: usize) -> f64 {
    count as f64
}
