//! A heightmap that each level of a run reads anew, and that must not change.
//!
//! Guarantees: reading a map ends in an error if one of its files was changed, replaced, added or
//!             removed after the plan was made, or is changed while it is read.
//! Limits:     a change is found by the size of a file and the time of its last change; headers and
//!             world files beside a raster are not checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rasters::{Fact, Grid, Hints, RasterError, RowSource};

/// Files of a map, each with its size and the time of its last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FileStamp(Vec<(PathBuf, u64, Option<SystemTime>)>);

impl FileStamp {
    /// Reads the stamp of the files of a map: the map itself, or the files of a mosaic.
    pub fn of(path: &Path, hints: &Hints) -> Result<Self, RasterError> {
        let look = |file: PathBuf| {
            let failed = |source| RasterError::Io { action: "open", path: file.clone(), source };
            let found = fs::metadata(&file).map_err(failed)?;
            Ok((file, found.len(), found.modified().ok()))
        };
        rasters::files(path, hints)?.into_iter().map(look).collect::<Result<_, _>>().map(Self)
    }

    /// Refuses a map whose files have changed.
    pub fn check(&self, path: &Path, hints: &Hints) -> Result<(), RasterError> {
        let found = Self::of(path, hints)?;
        if found == *self {
            return Ok(());
        }
        let changed = found.0.iter().find(|file| !self.0.contains(file));
        let path = changed.map_or(path, |(file, ..)| file).to_owned();
        let what = "the file was changed or replaced after this run began: run it again on the new \
                    one";
        Err(RasterError::Damaged { path, what: what.to_owned() })
    }
}

/// Rows of a file that must not change.
pub(super) struct SteadyRows {
    source: Box<dyn RowSource>,
    path: PathBuf,
    hints: Hints,
    stamp: FileStamp,
    /// Number of rows still to be read.
    rest: usize,
}

impl SteadyRows {
    /// Creates the rows of `source`, which is a map with this stamp.
    pub fn new(
        source: Box<dyn RowSource>,
        (path, hints): (&Path, &Hints),
        stamp: FileStamp,
    ) -> Self {
        let rest = source.grid().height;
        Self { source, path: path.to_owned(), hints: hints.clone(), stamp, rest }
    }

    /// Counts rows that were read, and checks the file after the last one and after an error.
    fn counted(&mut self, rows: usize, read: Result<(), RasterError>) -> Result<(), RasterError> {
        self.rest = self.rest.saturating_sub(rows);
        if read.is_err() || self.rest == 0 {
            self.stamp.check(&self.path, &self.hints)?;
        }
        read
    }
}

impl RowSource for SteadyRows {
    fn grid(&self) -> &Grid {
        self.source.grid()
    }

    fn remarks(&self) -> Vec<String> {
        self.source.remarks()
    }

    fn facts(&self) -> Vec<Fact> {
        self.source.facts()
    }

    fn scale(&self) -> Option<(f64, f64)> {
        self.source.scale()
    }

    fn next_row(&mut self, row: &mut [f64]) -> Result<(), RasterError> {
        let read = self.source.next_row(row);
        self.counted(1, read)
    }

    fn skip_rows(&mut self, count: usize) -> Result<(), RasterError> {
        let read = self.source.skip_rows(count);
        self.counted(count, read)
    }
}
