//! Figures of a run that get a range.

/// A figure with a range. A gauge has its place in the outcome's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Figure {
    /// Cells flooded by the event.
    Flooded,
    /// Flooded cells in which most people are in danger.
    Dangerous,
    /// The deepest water over flooded ground, m.
    Deepest,
    /// The headline speed, m/s.
    Fast,
    /// Volume at the end, m³.
    Stored,
    /// Volume that left, m³.
    Left,
    /// The largest depth at a gauge, m.
    Gauge(usize),
}

/// Range of a figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FigureRange {
    /// Low end.
    pub low: f64,
    /// High end.
    pub high: f64,
}
