//! Counters of a streamed world: its pages and its file.

/// Pages and bytes streamed so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StreamCounters {
    /// Bytes of pages in memory.
    pub resident_bytes: u64,
    /// Most bytes of pages in memory and of requested pages together at any moment, since the file
    /// was opened.
    pub most_bytes: u64,
    /// Leaves that are newer than the file from which the world was last loaded or in which it was
    /// last saved; all leaves before that.
    pub dirty: u64,
    /// Pages that were requested and have not arrived.
    pub in_flight: u64,
    /// Number of requests refused for lack of room: 0 in a world that has the bytes of its plan,
    /// except for finest beds along a border below coarse leaves.
    pub turned_away: u64,
    /// Number of times that a needed page was in memory.
    pub hits: u64,
    /// Number of times that a needed page was not in memory.
    pub stalls: u64,
    /// Time spent waiting for missing pages, s.
    pub stalled_s: f64,
    /// Number of times that a thread waited for a page that was requested ahead and not yet being
    /// read: that page is then read first.
    pub put_first: u64,
    /// Number of pages read.
    pub pages_in: u64,
    /// Bytes of these pages in memory.
    pub bytes_in: u64,
    /// Number of pages released.
    pub pages_out: u64,
    /// Bytes that saves of the world have written to files, before the directory.
    pub bytes_out: u64,
}
