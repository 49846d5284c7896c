//! Times and costs of frames.

use crate::session::Figures;
use std::fmt;
use std::time::{Duration, Instant};

/// Number of frames in a mean.
const FRAMES: usize = 60;

/// Mean costs of all frames since the window opened.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Costs {
    /// Number of frames.
    pub frames: u32,
    /// Time for which the frames were shown, s.
    pub seconds: f64,
    /// Processor time of the window's own work for a frame, ms: all but the graphics driver's work
    /// on other threads.
    pub own_ms: f64,
    /// Largest processor time of one frame, ms.
    pub own_most_ms: f64,
    /// Number of states that arrived.
    pub states: u32,
    /// Time of the surface for a state, on the world's thread, ms.
    pub surface_ms: f64,
    /// Time of the simulation for a state, ms.
    pub simulation_ms: f64,
    /// Simulated seconds that passed in a second, as a part of the requested ones.
    pub reached_part: f64,
}

impl fmt::Display for Costs {
    /// Writes the numbers in their order.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { frames, seconds, own_ms, own_most_ms, .. } = self;
        let Self { states, surface_ms, simulation_ms, reached_part, .. } = self;
        write!(f, "{frames} {seconds} {own_ms} {own_most_ms} ")?;
        write!(f, "{states} {surface_ms} {simulation_ms} {reached_part}")
    }
}

/// Times of the last frames.
#[derive(Debug)]
pub struct Meter {
    begun: Instant,
    cpu: Option<Duration>,
    costs: Vec<[Duration; 2]>,
    next: usize,
    frame: Instant,
    /// Sums since the window opened.
    all: Costs,
}

impl Default for Meter {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            begun: now,
            cpu: None,
            costs: Vec::new(),
            next: 0,
            frame: now,
            all: Costs::default(),
        }
    }
}

impl Meter {
    /// Begins a frame; returns the time since the one before.
    pub fn frame(&mut self) -> Duration {
        let since = self.frame.elapsed();
        self.frame = Instant::now();
        since
    }

    /// Begins the window's own work.
    pub fn begin(&mut self) {
        self.begun = Instant::now();
        self.cpu = thread_time();
    }

    /// Ends a frame, with its processor time since `begin`, or wall time if the system does not
    /// report processor time.
    pub fn end(&mut self, since_last: Duration) {
        let wall = self.begun.elapsed();
        let own =
            thread_time().zip(self.cpu).map_or(wall, |(end, begin)| end.saturating_sub(begin));
        let cost = [own, since_last];
        let own_ms = 1e3 * own.as_secs_f64();
        self.all.frames += 1;
        self.all.seconds += since_last.as_secs_f64();
        self.all.own_ms += own_ms;
        self.all.own_most_ms = self.all.own_most_ms.max(own_ms);
        if self.costs.len() < FRAMES {
            self.costs.push(cost);
        } else {
            self.costs[self.next] = cost;
        }
        self.next = (self.next + 1) % FRAMES;
    }

    /// Counts a new state.
    pub fn note(&mut self, figures: &Figures) {
        self.all.states += 1;
        self.all.surface_ms += figures.surface_ms;
        self.all.simulation_ms += figures.simulation_ms;
        self.all.reached_part += figures.reached_speed / figures.speed.max(1e-9);
    }

    /// Returns the means of all frames.
    #[must_use]
    pub fn costs(&self) -> Costs {
        let (frames, states) = (f64::from(self.all.frames), f64::from(self.all.states));
        Costs {
            own_ms: self.all.own_ms / frames.max(1.0),
            surface_ms: self.all.surface_ms / states.max(1.0),
            simulation_ms: self.all.simulation_ms / states.max(1.0),
            reached_part: self.all.reached_part / states.max(1.0),
            ..self.all
        }
    }

    fn mean_s(&self, which: usize) -> f64 {
        let sum: Duration = self.costs.iter().map(|cost| cost[which]).sum();
        sum.as_secs_f64() / self.costs.len().max(1) as f64
    }

    /// Returns the processor time of the window's own work for a frame, ms.
    #[must_use]
    pub fn own_ms(&self) -> f64 {
        1e3 * self.mean_s(0)
    }

    /// Returns the frames for each second.
    #[must_use]
    pub fn fps(&self) -> f64 {
        1.0 / self.mean_s(1).max(1e-6)
    }
}

/// Returns the processor time that this thread has used, if the system reports it.
fn thread_time() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
    Some(Duration::from_nanos(nanoseconds))
}
