//! Scaffolding that the tests of the tools, and their measurements, share: fresh folders, small
//! maps and shapes, and a program that is run there.

pub mod blocks;
mod display;
mod program;

use std::fmt::Display as Shown;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use rasters::{Grid, Hints, RasterValues};
use serde_json::Value;
use tempfile::TempDir;

pub use display::Display;
pub use program::{HOSTILE, Program, interrupt, toml_escaped};

/// Returns a graphics device that a test opened; `None`, with a printed line, if it failed.
///
/// # Panics
///
/// If no device was opened and the variable `THALWEG_VULKAN` demands one.
pub fn graphics<T, E: Shown>(opened: Result<T, E>) -> Option<T> {
    let missing = |failure: &E| {
        assert!(env::var_os("THALWEG_VULKAN").is_none(), "{failure}");
        println!("skipped: no graphics device");
    };
    opened.inspect_err(missing).ok()
}

/// Makes a fresh folder with some files; it is removed when it is dropped.
///
/// # Panics
///
/// If it cannot be written.
#[must_use]
pub fn folder<C: AsRef<[u8]>>(files: &[(&str, C)]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    put(folder.path(), files);
    folder
}

/// Writes some files into a folder.
///
/// # Panics
///
/// If it cannot be written.
pub fn put<C: AsRef<[u8]>>(folder: &Path, files: &[(&str, C)]) {
    for (name, content) in files {
        fs::write(folder.join(name), content).expect("writable");
    }
}

/// Returns an ESRI ASCII grid with its south-west corner at 1000, 2000; `value` of a column and a
/// row.
#[must_use]
pub fn grid<V: Shown>(
    (width, height): (usize, usize),
    cell_m: f64,
    value: impl Fn(usize, usize) -> V,
) -> String {
    let mut text = format!(
        "ncols {width}\nnrows {height}\nxllcorner 1000\nyllcorner 2000\ncellsize {cell_m}\n\
         NODATA_value -9999\n"
    );
    for row in 0..height {
        let cells: Vec<String> = (0..width).map(|col| value(col, row).to_string()).collect();
        text += &(cells.join(" ") + "\n");
    }
    text
}

/// Returns the names and lengths of the files in a folder.
///
/// # Panics
///
/// If it cannot be read.
#[must_use]
pub fn listing(folder: &Path) -> Vec<(String, u64)> {
    let entries = fs::read_dir(folder).expect("a readable folder").map(|entry| entry.expect("one"));
    let length = |entry: &fs::DirEntry| entry.metadata().expect("metadata").len();
    let mut names: Vec<_> = entries
        .map(|entry| (entry.file_name().to_string_lossy().into_owned(), length(&entry)))
        .collect();
    names.sort();
    names
}

/// Returns the names of the files in a folder.
///
/// # Panics
///
/// If it cannot be read.
#[must_use]
pub fn names(folder: &Path) -> Vec<String> {
    listing(folder).into_iter().map(|(name, _)| name).collect()
}

/// Returns the cells of a raster with any values, and their place.
///
/// # Panics
///
/// If it is not a raster.
#[track_caller]
#[must_use]
pub fn raster(path: &Path) -> (Grid, Vec<f32>) {
    let hints = Hints { values: RasterValues::Others, ..Hints::default() };
    let whole = rasters::open(path, &hints).and_then(|mut source| rasters::read_all(&mut *source));
    whole.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns a file or folder of the measured data, in the folder that `THALWEG_DATA` names or beside
/// the workspace; `None`, with a printed line, if it is missing.
#[must_use]
pub fn data(name: &str) -> Option<PathBuf> {
    let beside = || concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data").into();
    let folder = env::var_os("THALWEG_DATA").map_or_else(beside, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: no data");
    None
}

/// Checks that a text contains each of some words.
///
/// # Panics
///
/// If one is missing.
#[track_caller]
pub fn holds(text: &str, words: &[&str]) {
    for word in words {
        assert!(text.contains(word), "no `{word}` in: {text}");
    }
}

/// Returns a number of a JSON object.
///
/// # Panics
///
/// If it is missing.
#[track_caller]
#[must_use]
pub fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no number {key} in {value}"))
}

/// Waits until a condition is true, five minutes at most.
///
/// # Panics
///
/// If it does not become true.
#[track_caller]
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < Duration::from_secs(300), "no {what} in 5 minutes");
        thread::sleep(Duration::from_millis(1));
    }
}
