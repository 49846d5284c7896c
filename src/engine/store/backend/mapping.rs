//! Parts of a file, mapped for reading.
//!
//! The first access to each page of a map costs a page fault, and a page whose bytes cannot be read
//! ends the process (SIGBUS). So ranges are populated before they are read, neighbouring ones with
//! one call: unreadable bytes are an error of that call. A range is mapped for one look: a map of
//! the whole file would count every page ever read as memory of the process.
//!
//! Limits:     Linux from version 5.14 on; elsewhere nothing is mapped here. During a look at a
//!             range, a program that ignores locks may still cut the file off, which ends the
//!             process, or overwrite it, which is not noticed once the checksum was found right.

use crate::store::backend::{ByteSpan, SpanLook};
use memmap2::{Mmap, MmapOptions};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

/// Largest gap between two ranges that are mapped as one, bytes.
const GAP_BYTES: u64 = 16 << 10;

/// Ranges longer than this are requested as a whole before they are populated: cold ranges of 64
/// KiB then take 111 µs, otherwise 527 µs; ranges of 4 KiB take 56 µs, otherwise 41 µs.
#[cfg(target_os = "linux")]
const LONG_BYTES: usize = 8 << 10;

/// Maps of parts of a file.
#[derive(Debug, Default)]
pub(super) struct Mapping {
    /// True if the system has reported that it does not populate maps.
    is_refused: AtomicBool,
}

/// A mapped part of a file.
struct MappedPart {
    bytes: Range<u64>,
    map: Mmap,
}

impl Mapping {
    /// Shows the bytes of each span in place; returns false and shows nothing if they must be read
    /// in another way, which reports the error if that fails as well.
    pub fn show(&self, file: &File, spans: &[ByteSpan], look: &mut SpanLook<'_>) -> bool {
        if !cfg!(target_os = "linux") || self.is_refused.load(Ordering::Relaxed) {
            return false;
        }
        let windows = match windows(file, spans) {
            Ok(windows) => windows,
            Err(error) => {
                let is_refused = error.kind() == io::ErrorKind::InvalidInput;
                // `Relaxed`: a thread that does not see the flag yet is refused once more, and then
                // reads in the other way.
                self.is_refused.fetch_or(is_refused, Ordering::Relaxed);
                return false;
            }
        };
        for (number, span) in spans.iter().enumerate() {
            let at = windows.partition_point(|window| window.bytes.end <= span.offset);
            let window = &windows[at.min(windows.len() - 1)];
            look(number, Ok(window.part(span)));
        }
        true
    }
}

impl MappedPart {
    /// Returns the bytes of a span within this window.
    fn part(&self, span: &ByteSpan) -> &[u8] {
        let from = usize::try_from(span.offset - self.bytes.start).expect("within a map");
        &self.map[from..from + span.length]
    }
}

/// Returns populated windows over these spans, in ascending order.
///
/// # Errors
///
/// `UnexpectedEof` if the file ends before; errors of the operating system, `InvalidInput` if it
/// does not populate maps.
fn windows(file: &File, spans: &[ByteSpan]) -> io::Result<Vec<MappedPart>> {
    let size = file.metadata()?.len();
    let mut windows = Vec::new();
    for bytes in runs(spans) {
        // A map may reach beyond the end of its file, and an access there ends the process
        // (SIGBUS).
        if bytes.end > size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let length = usize::try_from(bytes.end - bytes.start).map_err(io::Error::other)?;
        // SAFETY: these bytes belong to a commit that a reader keeps in the process that has the
        // file's lock: this process does not write them, and a different process does not either if
        // it respects locks.
        let map = unsafe { MmapOptions::new().offset(bytes.start).len(length).map(file)? };
        windows.push(MappedPart { bytes, map });
    }
    populate(&windows)?;
    Ok(windows)
}

/// Returns the ranges of these spans in ascending order, neighbouring ones merged.
fn runs(spans: &[ByteSpan]) -> Vec<Range<u64>> {
    let mut ranges: Vec<Range<u64>> = spans.iter().map(ByteSpan::bytes).collect();
    ranges.sort_unstable_by_key(|range| range.start);
    let mut runs: Vec<Range<u64>> = Vec::new();
    for range in ranges {
        match runs.last_mut() {
            Some(run) if range.start <= run.end.saturating_add(GAP_BYTES) => {
                run.end = run.end.max(range.end);
            }
            _ => runs.push(range),
        }
    }
    runs
}

/// Requests these windows from the medium, all at once, then reads them into their maps.
#[cfg(target_os = "linux")]
fn populate(windows: &[MappedPart]) -> io::Result<()> {
    use memmap2::Advice;
    // Page by page they would be read in small pieces.
    let mut long = windows.iter().filter(|window| window.map.len() > LONG_BYTES);
    long.try_for_each(|window| window.map.advise(Advice::WillNeed))?;
    windows.iter().try_for_each(|window| window.map.advise(Advice::PopulateRead))
}

/// Returns an error: systems except Linux do not populate maps on request.
#[cfg(not(target_os = "linux"))]
fn populate(_: &[MappedPart]) -> io::Result<()> {
    Err(io::ErrorKind::InvalidInput.into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;
    use std::os::unix::fs::FileExt;

    /// Goal: spans are shown from the map, in any order, near and far, of a file that grows; and
    /// nothing is shown of a file that ends before.
    #[test]
    fn spans_are_shown_from_the_map() {
        let path = std::env::temp_dir().join(format!("thalweg-map-{}", std::process::id()));
        let mut options = File::options();
        let file = options.read(true).write(true).create(true).truncate(true).open(&path);
        let file = file.expect("room");
        let byte = |at: u64| u8::try_from(at * 7 % 251).expect("a byte");
        let mapping = Mapping::default();
        let spans = [(90_000, 5000), (10, 1), (95_000, 3), (200_000, 9000), (0, 10)];
        let spans = spans.map(|(offset, length)| ByteSpan { offset, length });
        for size in [100_000_u64, 300_000] {
            let bytes: Vec<u8> = (0..size).map(byte).collect();
            file.write_all_at(&bytes, 0).expect("room");
            let mut shown = 0;
            let is_shown = mapping.show(&file, &spans, &mut |number, bytes| {
                let span = spans[number];
                assert!(bytes.expect("there").iter().copied().eq(span.bytes().map(byte)));
                shown += 1;
            });
            assert_eq!((is_shown, shown), if size > 200_000 { (true, 5) } else { (false, 0) });
        }
        std::fs::remove_file(&path).expect("ours");
    }
}
