//! What frames cost.

use std::time::{Duration, Instant};

/// Frames that the means are over.
const FRAMES: usize = 60;

/// Times of the last frames.
#[derive(Debug)]
pub struct Meter {
    begun: Instant,
    cpu: Option<Duration>,
    costs: Vec<[Duration; 2]>,
    next: usize,
    frame: Instant,
}

impl Default for Meter {
    fn default() -> Self {
        let now = Instant::now();
        Self { begun: now, cpu: None, costs: Vec::new(), next: 0, frame: now }
    }
}

impl Meter {
    /// A frame begins; returns what has passed since the one before.
    pub fn frame(&mut self) -> Duration {
        let since = self.frame.elapsed();
        self.frame = Instant::now();
        since
    }

    /// Our own work begins.
    pub fn begin(&mut self) {
        self.begun = Instant::now();
        self.cpu = thread_time();
    }

    /// It is done: it took processor time since `begin`, or time on the wall where the system does
    /// not tell.
    pub fn end(&mut self, since_last: Duration) {
        let wall = self.begun.elapsed();
        let own =
            thread_time().zip(self.cpu).map_or(wall, |(end, begin)| end.saturating_sub(begin));
        let cost = [own, since_last];
        if self.costs.len() < FRAMES {
            self.costs.push(cost);
        } else {
            self.costs[self.next] = cost;
        }
        self.next = (self.next + 1) % FRAMES;
    }

    fn mean_s(&self, which: usize) -> f64 {
        let sum: Duration = self.costs.iter().map(|cost| cost[which]).sum();
        sum.as_secs_f64() / self.costs.len().max(1) as f64
    }

    /// Processor time of our own work for a frame, ms.
    #[must_use]
    pub fn own_ms(&self) -> f64 {
        1e3 * self.mean_s(0)
    }

    /// Frames for each second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        1.0 / self.mean_s(1).max(1e-6)
    }
}

/// Processor time that this thread has had, where the system tells.
fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
