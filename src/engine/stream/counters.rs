//! Counters of a streamed world: its pages and its file.

/// Pages and bytes streamed so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StreamCounters {
    /// Bytes of pages in memory.
    pub resident_bytes: u64,
    /// The most bytes of pages in memory and on their way at any moment, since the file was opened.
    pub most_bytes: u64,
    /// Leaves that are newer than the file that the world was last loaded from or saved in; all of
    /// them before.
    pub dirty: u64,
    /// Pages that were requested and have not come.
    pub in_flight: u64,
    /// Times that a page was requested and there was no room for it: none in a world that has the
    /// bytes of its plan, but for finest beds along a border below coarse leaves.
    pub turned_away: u64,
    /// Times that a page was there when it was needed.
    pub hits: u64,
    /// Times that it was not.
    pub stalls: u64,
    /// How long was waited for those, s.
    pub stalled_s: f64,
    /// Times that a thread waited for a page that was requested ahead and that nobody had begun to
    /// read: it is read before the others.
    pub put_first: u64,
    /// Pages that were read.
    pub pages_in: u64,
    /// Bytes of these in memory.
    pub bytes_in: u64,
    /// Pages that were let go.
    pub pages_out: u64,
    /// Bytes that saves of the world have written to files, before the directory.
    pub bytes_out: u64,
}
