//! Requests for pages on their way to the reading threads, by urgency.
//!
//! ```text
//! a plan wants pages ─┬───────── ahead ──┐
//!                     └───────── tables ─┼── a thread: urgent ones first, each request once
//! somebody waits for a page ──── urgent ─┘
//! ```
//!
//! A request that becomes urgent is also sent as an urgent one; the first thread that takes it
//! reads the page. Several pages of beds are taken together, so that neighbouring ones are read at
//! once. Tables may have to be made, which takes as long as many reads: they are taken one by one,
//! after the beds. Threads end when the pager closes the channels.

use crate::stream::{PageKey, PageKind};
use crossbeam_channel::{Receiver, Sender, select_biased, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A request for a page.
#[derive(Debug, Clone)]
pub(super) struct PageRequest {
    page: PageKey,
    is_taken: Arc<AtomicBool>,
}

impl PageRequest {
    pub fn of(page: PageKey) -> Self {
        Self { page, is_taken: Arc::default() }
    }

    /// True if no thread has taken it yet.
    pub fn is_waiting(&self) -> bool {
        !self.is_taken.load(Ordering::Relaxed)
    }

    /// Returns the page, on the first call only.
    fn take(&self) -> Option<PageKey> {
        // `Relaxed`: one `swap` alone returns false, and no other data depend on it. The page
        // itself reaches those who wait through the lock of `Pages`.
        (!self.is_taken.swap(true, Ordering::Relaxed)).then_some(self.page)
    }
}

/// The sending ends of the requests.
#[derive(Debug)]
pub(super) struct Requests {
    urgent: Sender<PageRequest>,
    ahead: Sender<PageRequest>,
    tables: Sender<PageRequest>,
}

/// The receiving ends of the requests, for the threads.
#[derive(Debug, Clone)]
pub(super) struct Inbox {
    urgent: Receiver<PageRequest>,
    ahead: Receiver<PageRequest>,
    tables: Receiver<PageRequest>,
}

/// Creates both ends.
pub(super) fn requests() -> (Requests, Inbox) {
    let [urgent, ahead, tables] = [(); 3].map(|()| unbounded());
    let requests = Requests { urgent: urgent.0, ahead: ahead.0, tables: tables.0 };
    (requests, Inbox { urgent: urgent.1, ahead: ahead.1, tables: tables.1 })
}

impl Requests {
    /// Requests a page for later.
    pub fn ahead(&self, request: PageRequest) {
        let way = if request.page.kind == PageKind::Tables { &self.tables } else { &self.ahead };
        // Sending fails if no thread is left, at the end.
        let _ = way.send(request);
    }

    /// Requests a page for which a thread waits.
    pub fn urgent(&self, request: PageRequest) {
        let _ = self.urgent.send(request);
    }
}

impl Inbox {
    /// Returns the pages to read next, up to `most`; waits for at least one. A page for which a
    /// thread waits is returned alone, and so are tables. Returns `None` once no more requests can
    /// arrive.
    pub fn next(&self, most: usize) -> Option<Vec<PageKey>> {
        loop {
            let (first, others) = select_biased! {
                recv(self.urgent) -> request => (request, 0),
                recv(self.ahead) -> request => (request, most - 1),
                recv(self.tables) -> request => (request, 0),
            };
            // All three channels close together, and a closed one is ready: `urgent` then ends the
            // thread, whatever the others still have.
            let all = std::iter::once(first.ok()?).chain(self.ahead.try_iter().take(others));
            let pages: Vec<PageKey> = all.filter_map(|request| request.take()).take(most).collect();
            if !pages.is_empty() {
                return Some(pages);
            }
        }
    }
}

/// A signal for which threads wait: raising it ends all waits at once.
#[derive(Debug)]
pub(super) struct Signal {
    /// Closed when the signal is raised; nothing is ever sent.
    _raise: Sender<Nothing>,
    wait: Receiver<Nothing>,
}

#[derive(Debug)]
enum Nothing {}

/// A wait of a thread for a signal.
#[derive(Debug)]
pub(super) struct Wait(Receiver<Nothing>);

impl Signal {
    pub fn new() -> Self {
        let (raise, wait) = crossbeam_channel::bounded(0);
        Self { _raise: raise, wait }
    }

    /// Returns a wait for this signal: it ends when the signal is raised or dropped.
    pub fn wait(&self) -> Wait {
        Wait(self.wait.clone())
    }

    /// Ends all waits, and is ready for new ones.
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
    use crate::grid::TileKey;
    use crate::stream::PageKind;

    fn page(x: u32) -> PageKey {
        PageKind::Beds.of(TileKey { level: 0, x, y: 0 })
    }

    /// Goal: a page for which a thread waits is read first, each page is read once, and threads end
    /// when requests do.
    #[test]
    fn urgent_ones_come_first_and_each_once() {
        let (requests, inbox) = requests();
        let all: Vec<PageRequest> = (0..5).map(|x| PageRequest::of(page(x))).collect();
        all.iter().for_each(|request| requests.ahead(request.clone()));
        requests.urgent(all[3].clone());
        assert_eq!(inbox.next(9), Some(vec![page(3)]));
        assert!(!all[3].is_waiting() && all[4].is_waiting());
        assert_eq!(inbox.next(2), Some(vec![page(0), page(1)]));
        assert_eq!(inbox.next(9), Some(vec![page(2), page(4)]));
        requests.ahead(PageRequest::of(page(7)));
        assert_eq!(inbox.next(9), Some(vec![page(7)]));
        drop(requests);
        assert_eq!(inbox.next(9), None);
    }

    /// Goal: a signal ends all waits that began before it was raised, and no later ones.
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
