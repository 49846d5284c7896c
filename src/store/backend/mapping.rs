//! A file mapped to be read.
//!
//! Pages of a map that have not been touched cost a visit to the operating system each, and one
//! whose bytes cannot be read stops the process (SIGBUS). So ranges are populated before anybody
//! looks at them, those that lie close to each other with one call: what cannot be read is an error
//! of that call. Afterwards they are let go, so that a process that reads a large file takes no more
//! memory for it than for the ranges that it looks at.
//!
//! Limits: on Linux from version 5.14 on; on Windows a mapped file cannot be cut off, and nothing
//!         is populated. Elsewhere nothing is mapped. Between the populating of a range and the
//!         look at it another program may still cut the file off, if it heeds no locks.

use crate::store::backend::{Span, beyond};
use memmap2::Mmap;
#[cfg(target_os = "linux")]
use memmap2::{Advice, UncheckedAdvice};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Bytes between two ranges at most that are populated as one.
const GAP_BYTES: u64 = 16 << 10;

/// A range longer than this is requested as a whole before it is populated: cold ranges of 64 KiB
/// come in 111 µs so, in 527 µs otherwise; those of 4 KiB in 56 µs, in 41 µs otherwise.
#[cfg(target_os = "linux")]
const LONG_BYTES: u64 = 8 << 10;

/// A map of a file, made again where the file has grown beyond it.
#[derive(Debug, Default)]
pub(super) struct Mapping {
    map: RwLock<Option<Arc<Mmap>>>,
    /// The system has said that it populates nothing.
    is_refused: AtomicBool,
}

impl Mapping {
    /// Shows the map once these spans can be looked at in it, and then lets its pages go; false
    /// where they have to be read otherwise, which says why if that fails as well.
    pub fn show(&self, file: &File, spans: &[Span], look: impl FnOnce(&[u8])) -> bool {
        if self.is_refused.load(Ordering::Relaxed) {
            return false;
        }
        let end = spans.iter().map(|span| span.bytes().end).max().unwrap_or(0);
        let Ok(map) = self.reaching(file, end) else { return false };
        let runs = runs(spans);
        if let Err(error) = populate(&map, &runs) {
            if error.kind() == io::ErrorKind::InvalidInput {
                self.is_refused.store(true, Ordering::Relaxed);
            }
            return false;
        }
        look(&map);
        let_go(&map, &runs);
        true
    }

    /// The map of the file up to `end` at least.
    ///
    /// # Errors
    ///
    /// `UnexpectedEof` where the file is shorter, and errors of the operating system.
    pub fn reaching(&self, file: &File, end: u64) -> io::Result<Arc<Mmap>> {
        let reaches = |map: &&Arc<Mmap>| map.len() as u64 >= end;
        if let Some(map) =
            self.map.read().unwrap_or_else(PoisonError::into_inner).as_ref().filter(reaches)
        {
            return Ok(Arc::clone(map));
        }
        let mut held = self.map.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(map) = held.as_ref().filter(reaches) {
            return Ok(Arc::clone(map));
        }
        // SAFETY: bytes of the map change where this process or another one writes the file. What
        // is looked at in place belongs to a commit that somebody holds in the process that has the
        // file's lock, and is not written then; all else is copied, and the copy is checked.
        let map = Arc::new(unsafe { Mmap::map(file)? });
        *held = Some(Arc::clone(&map));
        if map.len() as u64 >= end { Ok(map) } else { Err(beyond()) }
    }
}

/// The ranges of these spans in ascending order, those that lie close to each other as one.
fn runs(spans: &[Span]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = spans.iter().map(Span::bytes).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let mut runs: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match runs.last_mut() {
            Some(run) if range.start <= run.end + GAP_BYTES => run.end = run.end.max(range.end),
            _ => runs.push(range),
        }
    }
    runs
}

/// Requests these ranges from the medium, all at once, then reads them into the map.
#[cfg(target_os = "linux")]
fn populate(map: &Mmap, runs: &[Range<u64>]) -> io::Result<()> {
    let advise = |advice: Advice, run: &Range<u64>| {
        let start = usize::try_from(run.start).map_err(|_| beyond())?;
        let length = usize::try_from(run.end - run.start).map_err(|_| beyond())?;
        map.advise_range(advice, start, length)
    };
    // Page by page they would come in small pieces.
    let is_long = |run: &&Range<u64>| run.end - run.start > LONG_BYTES;
    runs.iter().filter(is_long).try_for_each(|run| advise(Advice::WillNeed, run))?;
    runs.iter().try_for_each(|run| advise(Advice::PopulateRead, run))
}

/// Takes these ranges out of the map again: what it holds counts as memory of the process. The
/// system keeps their bytes as long as it has room.
#[cfg(target_os = "linux")]
fn let_go(map: &Mmap, runs: &[Range<u64>]) {
    for run in runs {
        let [start, end] = [run.start, run.end].map(|at| usize::try_from(at).unwrap_or(map.len()));
        // SAFETY: the map is shared and only read: a page that somebody looks at later, or another
        // thread looks at now, comes back from the file as it is there.
        let advised =
            unsafe { map.unchecked_advise_range(UncheckedAdvice::DontNeed, start, end - start) };
        // Memory that stays is no harm to what was read.
        let _ = advised;
    }
}

/// The system decides there.
#[cfg(not(target_os = "linux"))]
fn let_go(_: &Mmap, _: &[Range<u64>]) {}

/// Does nothing on Windows, where nothing can be cut off; elsewhere nothing can be populated.
#[cfg(not(target_os = "linux"))]
fn populate(_: &Mmap, _: &[Range<u64>]) -> io::Result<()> {
    if cfg!(windows) { Ok(()) } else { Err(io::ErrorKind::InvalidInput.into()) }
}
