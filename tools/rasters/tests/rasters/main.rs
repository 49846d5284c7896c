//! Rasters in and out, as a user meets them: files on disk.

mod ascii;
mod codecs;
mod facts;
mod geotiff;
mod hostile;
mod mosaic;
mod placement;
mod real_maps;
mod resample;
mod samples;
mod tiff_file;
mod write;

use std::path::{Path, PathBuf};

use rasters::{Grid, Hints, RasterError, open, read_all};
use tempfile::TempDir;

/// Counts what every test holds at once, for `hostile`.
#[global_allocator]
static PEAK: peak_alloc::PeakAlloc = peak_alloc::PeakAlloc;

/// A fresh folder for one test's files.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        Self(TempDir::new().expect("a writable folder for temporary files"))
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).expect("room for a small file");
        path
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

/// Everything in a file.
fn read(path: &Path, hints: &Hints) -> Result<(Grid, Vec<f32>), RasterError> {
    read_all(open(path, hints)?.as_mut())
}

/// The one line that opening or reading a file fails with.
#[track_caller]
fn complaint(path: &Path, hints: &Hints) -> String {
    let line = match read(path, hints) {
        Ok((grid, _)) => panic!("{} was read: {grid:?}", path.display()),
        Err(e) => e.to_string(),
    };
    assert!(!line.contains('\n'), "one line: {line}");
    assert!(!line.contains("  "), "no indentation in the middle: {line}");
    line
}

/// Equal to the bit, NaN being NoData.
#[track_caller]
fn assert_values(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}: number of values");
    for (index, (a, b)) in found.iter().zip(expected).enumerate() {
        let same = a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan());
        assert!(same, "{what}: value {index} is {a}, not {b}");
    }
}
