//! Reports on the progress of reading files.

/// A receiver of reports on how far the reading of files is.
pub trait ReadingWatcher {
    /// Reports that `done` of `all` rows are read; `what` names the work.
    fn rows(&mut self, what: &'static str, done: usize, all: usize);
}

/// A borrowed watcher.
pub type ReadingWatch<'a> = &'a mut (dyn ReadingWatcher + Send);

impl<F: FnMut(&'static str, usize, usize)> ReadingWatcher for F {
    fn rows(&mut self, what: &'static str, done: usize, all: usize) {
        self(what, done, all);
    }
}

/// Returns a receiver that ignores all reports.
#[must_use]
pub fn silent() -> impl ReadingWatcher + Send {
    |_: &'static str, _: usize, _: usize| ()
}
