//! Who watches while files are read.

/// A receiver of reports on how far the reading of files is.
pub trait Watching {
    /// `done` of `all` rows are read; `what` is being done.
    fn rows(&mut self, what: &'static str, done: usize, all: usize);
}

/// A borrowed watcher.
pub type Watch<'a> = &'a mut (dyn Watching + Send);

impl<F: FnMut(&'static str, usize, usize)> Watching for F {
    fn rows(&mut self, what: &'static str, done: usize, all: usize) {
        self(what, done, all);
    }
}

/// Nobody watches.
#[must_use]
pub fn silent() -> impl Watching + Send {
    |_: &'static str, _: usize, _: usize| ()
}
