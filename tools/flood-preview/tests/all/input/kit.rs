//! The program, and folders of small files.

use tempfile::TempDir;
use testkit::{Program, grid, put};

pub const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// A fresh folder with `dem.asc`, 12 × 10 cells of 5 m that fall eastwards, and `files`.
pub fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let dem = grid((12, 10), 5.0, |col, _| 20.0 - col as f64);
    let folder = testkit::folder(&[("dem.asc", dem)]);
    put(folder.path(), files);
    folder
}
