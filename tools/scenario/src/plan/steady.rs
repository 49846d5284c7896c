//! A heightmap that each level of a run reads anew, and that must not change.
//!
//! Guarantees: rows of a file that was changed or replaced after the plan was made end in an error,
//!             and so do rows of one that is changed while it is read.
//! Limits:     a change is found by the size of the file and the time of its last change; of a
//!             mosaic, or of a file with a header beside it, only the named file is checked.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rasters::{Fact, Grid, RasterError, RowSource};

/// Size of a file and the time of its last change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    bytes: u64,
    changed: Option<SystemTime>,
}

impl Stamp {
    /// Size and time of a file; `None` if the system cannot tell.
    pub fn of(path: &Path) -> Option<Self> {
        let found = fs::metadata(path).ok()?;
        Some(Self { bytes: found.len(), changed: found.modified().ok() })
    }

    /// Refuses a file that has changed.
    pub fn check(this: Option<Self>, path: &Path) -> Result<(), RasterError> {
        if Self::of(path) == this {
            return Ok(());
        }
        let what = "the file was changed or replaced after this run began: run it again on the new \
                    one";
        Err(RasterError::Damaged { path: path.to_owned(), what: what.to_owned() })
    }
}

/// Rows of a file that must not change.
pub(super) struct Steady {
    source: Box<dyn RowSource>,
    path: PathBuf,
    stamp: Option<Stamp>,
    /// Rows to come.
    rest: usize,
}

impl Steady {
    /// The rows of `source`, which are read from a file with this stamp.
    pub fn new(source: Box<dyn RowSource>, path: &Path, stamp: Option<Stamp>) -> Self {
        let rest = source.grid().height;
        Self { source, path: path.to_owned(), stamp, rest }
    }

    /// Counts rows that were read, and checks the file after the last one and after an error.
    fn counted(&mut self, rows: usize, read: Result<(), RasterError>) -> Result<(), RasterError> {
        self.rest = self.rest.saturating_sub(rows);
        if read.is_err() || self.rest == 0 {
            Stamp::check(self.stamp, &self.path)?;
        }
        read
    }
}

impl RowSource for Steady {
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
