//! Requests for pages on their way to the threads that read, by urgency.
//!
//! ```text
//! a plan wants pages ──────────── ahead ──┐
//!                                         ├── a thread: urgent ones first, each request once
//! somebody waits for a page ───── urgent ─┘
//! ```
//!
//! A request that turns urgent goes the urgent way as well; whoever takes it first reads the page.
//! Threads end when the pager closes both ways.

use crate::grid::TileKey;
use crossbeam_channel::{Receiver, Sender, select_biased, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request for the page of a tile.
#[derive(Debug, Clone)]
pub(super) struct Request {
    tile: TileKey,
    is_taken: Arc<AtomicBool>,
}

impl Request {
    pub fn of(tile: TileKey) -> Self {
        Self { tile, is_taken: Arc::default() }
    }

    /// True where no thread has taken it yet.
    pub fn is_waiting(&self) -> bool {
        !self.is_taken.load(Ordering::Relaxed)
    }

    /// The tile, for the first that asks.
    fn take(&self) -> Option<TileKey> {
        (!self.is_taken.swap(true, Ordering::Relaxed)).then_some(self.tile)
    }
}

/// The ends at which requests come in.
#[derive(Debug)]
pub(super) struct Requests {
    urgent: Sender<Request>,
    ahead: Sender<Request>,
}

/// The ends at which threads take them.
#[derive(Debug, Clone)]
pub(super) struct Inbox {
    urgent: Receiver<Request>,
    ahead: Receiver<Request>,
}

/// Both ends.
pub(super) fn requests() -> (Requests, Inbox) {
    let ((urgent, urgent_out), (ahead, ahead_out)) = (unbounded(), unbounded());
    (Requests { urgent, ahead }, Inbox { urgent: urgent_out, ahead: ahead_out })
}

impl Requests {
    /// Requests a page for later.
    pub fn ahead(&self, request: Request) {
        // It fails where no thread is left, at the end.
        let _ = self.ahead.send(request);
    }

    /// Requests a page for which a thread waits.
    pub fn urgent(&self, request: Request) {
        let _ = self.urgent.send(request);
    }
}

impl Inbox {
    /// Tiles to read next, up to so many; waits for one. Those that somebody waits for come alone.
    /// None once no more will come.
    pub fn next(&self, most: usize) -> Option<Vec<TileKey>> {
        loop {
            let (first, more) = select_biased! {
                recv(self.urgent) -> request => (request, &self.urgent),
                recv(self.ahead) -> request => (request, &self.ahead),
            };
            let all = std::iter::once(first.ok()?).chain(more.try_iter());
            let tiles: Vec<TileKey> = all.filter_map(|request| request.take()).take(most).collect();
            if !tiles.is_empty() {
                return Some(tiles);
            }
        }
    }
}

/// Something that threads wait for: it is raised for all of them at once.
#[derive(Debug)]
pub(super) struct Signal {
    /// Closed when the signal is raised; nothing is ever sent.
    _raise: Sender<Nothing>,
    wait: Receiver<Nothing>,
}

#[derive(Debug)]
enum Nothing {}

/// A wait for a signal.
#[derive(Debug)]
pub(super) struct Wait(Receiver<Nothing>);

impl Signal {
    pub fn new() -> Self {
        let (raise, wait) = crossbeam_channel::bounded(0);
        Self { _raise: raise, wait }
    }

    /// A wait for this signal: it ends when the signal is raised, which dropping it does.
    pub fn wait(&self) -> Wait {
        Wait(self.wait.clone())
    }

    /// Ends all waits, and is there for others.
    pub fn raise(&mut self) {
        *self = Self::new();
    }
}

impl Default for Signal {
    fn default() -> Self {
        Self::new()
    }
}

impl Wait {
    /// Returns once the signal has been raised.
    pub fn end(self) {
        let _ = self.0.recv();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tile(x: u32) -> TileKey {
        TileKey { level: 0, x, y: 0 }
    }

    /// Goal: what somebody waits for comes first, each page is read once, and the end is an end.
    #[test]
    fn urgent_ones_come_first_and_each_once() {
        let (requests, inbox) = requests();
        let all: Vec<Request> = (0..5).map(|x| Request::of(tile(x))).collect();
        all.iter().for_each(|request| requests.ahead(request.clone()));
        requests.urgent(all[3].clone());
        assert_eq!(inbox.next(9), Some(vec![tile(3)]));
        assert!(!all[3].is_waiting() && all[4].is_waiting());
        assert_eq!(inbox.next(2), Some(vec![tile(0), tile(1)]));
        assert_eq!(inbox.next(9), Some(vec![tile(2), tile(4)]));
        requests.ahead(Request::of(tile(7)));
        assert_eq!(inbox.next(9), Some(vec![tile(7)]));
        drop(requests);
        assert_eq!(inbox.next(9), None);
    }

    /// Goal: a signal ends all waits that began before it, and none that begins after.
    #[test]
    fn a_signal_ends_every_wait() {
        let mut signal = Signal::new();
        let waits: Vec<Wait> = (0..3).map(|_| signal.wait()).collect();
        std::thread::scope(|scope| {
            waits.into_iter().for_each(|wait| drop(scope.spawn(|| wait.end())));
            signal.raise();
        });
        let later = signal.wait();
        assert!(later.0.try_recv().is_err_and(|error| error.is_empty()));
    }
}
