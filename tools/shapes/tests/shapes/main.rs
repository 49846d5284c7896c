//! Files of shapes, written by the tests themselves.

mod meshes;
mod voxels;

use std::path::PathBuf;

use tempfile::TempDir;

/// A file in a fresh folder.
fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = testkit::folder(&[(name, content)]);
    let path = folder.path().join(name);
    (folder, path)
}
