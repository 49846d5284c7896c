//! State of stacked columns: the intervals of a leaf, and the flows between them.
//!
//! A leaf lists its intervals, by cell and bed, and the faces over which something flows. Both ends
//! of such a face are named by their beds: so the list is the same for any intervals above or
//! below.

use crate::record;
use crate::state::list::{StateField, StateSink, StateSource};

/// Value for the open water of a cell in place of the bed of an interval.
// Above all beds, so flows of open water come after those of intervals in the order of the list.
pub const OPEN_END: i32 = i32::MAX;

/// Marks an interval that is not full: its head is its stage.
pub const NO_HEAD: i32 = i32::MIN;

record! {
    /// Stacked columns of a leaf.
    #[derive(Default)]
    pub struct StackState {
        /// Intervals, by cell and bed.
        pub intervals: Vec<IntervalState>,
        /// Faces with a discharge, by cell, axis and beds.
        pub flows: Vec<StackFlowState>,
        /// Contents of the intervals, tracer by tracer, 2⁻²⁴ vertical units.
        pub contents: Vec<i64>,
    }
}

record! {
    /// An interval of a cell, which may contain water below the cell's open water.
    #[derive(Copy, Eq)]
    pub struct IntervalState {
        /// The cell.
        pub cell: u16,
        /// Lowest place, vertical units above the datum.
        pub bed: i32,
        /// Highest place.
        pub ceiling: i32,
        /// Depth of the water, vertical units.
        pub depth: i32,
        /// Head of a full interval, vertical units above the datum; else [`NO_HEAD`].
        pub head: i32,
    }
}

record! {
    /// Discharge over a face between two intervals, or between one and open water.
    #[derive(Copy)]
    pub struct StackFlowState {
        /// The cell that has the face to its west or south.
        pub cell: u16,
        /// 0 for the cell's west face, 1 for its south face.
        pub axis: u16,
        /// Bed of the interval before the face, or [`OPEN_END`].
        pub before: i32,
        /// Bed of the interval behind the face, or [`OPEN_END`].
        pub behind: i32,
        /// Unit discharge eastward or northward, m²/s.
        pub q: f32,
    }
}

impl StackFlowState {
    /// Returns the key by which the list is ordered.
    #[must_use]
    pub fn key(&self) -> (u16, u16, i32, i32) {
        (self.cell, self.axis, self.before, self.behind)
    }
}

impl IntervalState {
    /// Returns the units that fit into the interval.
    #[must_use]
    pub fn capacity(&self) -> i32 {
        // No overflow: both are within ±(2³⁰ − 1), which readers of leaves check before they ask.
        self.ceiling - self.bed
    }

    /// Returns the stage of the water, or its head if it is full, vertical units.
    #[must_use]
    pub fn surface(&self) -> i32 {
        if self.head == NO_HEAD { self.bed + self.depth } else { self.head }
    }
}

impl StackState {
    /// True if nothing needs to be kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty() && self.flows.is_empty()
    }

    /// Returns the intervals of a cell.
    #[must_use]
    pub fn of_cell(&self, cell: u16) -> &[IntervalState] {
        let from = self.intervals.partition_point(|own| own.cell < cell);
        let to = self.intervals.partition_point(|own| own.cell <= cell);
        &self.intervals[from..to]
    }

    /// Returns the flows over the west and the south face of a cell.
    #[must_use]
    pub fn flows_of_cell(&self, cell: u16) -> &[StackFlowState] {
        let from = self.flows.partition_point(|flow| flow.cell < cell);
        let to = self.flows.partition_point(|flow| flow.cell <= cell);
        &self.flows[from..to]
    }

    /// True if another state has the same intervals, with any contents.
    #[must_use]
    pub fn has_same_shape(&self, other: &Self) -> bool {
        let shape = |own: &IntervalState| (own.cell, own.bed, own.ceiling);
        self.intervals.iter().map(shape).eq(other.intervals.iter().map(shape))
    }
}

/// Counted: a leaf has as many as its cells have intervals.
macro_rules! counted {
    ($($kind:ty),*) => {
        $(
            impl StateField for Vec<$kind> {
                fn put(&self, sink: &mut impl StateSink) {
                    u32::try_from(self.len()).expect("2³² at most").put(sink);
                    self.iter().for_each(|one| one.put(sink));
                }

                fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
                    let count = u32::take(source, 0)?;
                    // A forged count reserves no memory: a collection of results grows as they are
                    // read.
                    (0..count).map(|_| StateField::take(source, 0)).collect()
                }
            }
        )*
    };
}

counted!(IntervalState, StackFlowState, i64);
