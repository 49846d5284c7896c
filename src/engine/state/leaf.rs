//! The state of a leaf.
//!
//! Ground, forcing and laws come from the terrain and from the setup; values that a step leaves
//! behind and the next one overwrites are scratch. All remaining values that decide the future of a
//! leaf are here.

use crate::grid::{Side, TILE_WIDTH};
use crate::record;
use crate::state::list::{StateField, StateSink, StateSource, TracerCount};
use crate::state::stack::StackState;
use crate::tile::{Carry, CowPlane, Water};

record! {
    /// All state of a leaf.
    pub struct LeafState {
        /// The leaf sleeps.
        pub is_asleep: bool,
        /// True if some cell was wet at the end of the last step.
        pub is_wet: bool,
        /// Tracers of the world.
        pub tracers: TracerCount,
        /// Cycles for which the leaf has been idle, or with a tolerance of sleep 2⁻¹⁶ s.
        pub idle: u32,
        /// Largest depth that waves ran on in the last step, m.
        pub flow_depth_max: f32,
        /// Rounding remainders that belong to the leaf and to none of its cells.
        pub carry: Carry,
        /// The water, and its tracers.
        pub water: Water,
        /// Depth that the ground took so far, vertical units, if the ground takes water.
        pub infiltrated: Option<CowPlane<i32>>,
        /// Faces to the outside that are no walls, in their order.
        pub boundary: Vec<BoundaryFaceState>,
        /// Faces to leaves of different levels.
        pub interfaces: InterfaceState,
        /// Stacked columns, if any.
        pub stack: Option<Box<StackState>>,
        /// Largest pace of its cells at the end of its last cycle, m/s, if each leaf takes its own
        /// steps and the pace is known.
        pub pace: Option<f32>,
    }
}

record! {
    /// State of a face to the outside; `src/engine/sim/boundary.rs` moves its water.
    #[derive(Copy)]
    pub struct BoundaryFaceState {
        /// Cell of the face.
        pub cell: u16,
        /// The side of the cell that it closes.
        pub side: Side,
        /// Fall of the ground towards the edge.
        pub slope: f32,
        /// Outward unit discharge, m²/s.
        pub q: f32,
        /// Inflow that the discharges of a step ago were to bring into the cell, m²/s.
        pub expected: f32,
        /// Units per flow of the last step.
        pub units_per_flow: f32,
        /// Depth of its cell after the last transfers over the edge, vertical units.
        pub left: i32,
        /// Volume that an open edge may still let in, vertical units.
        pub credit: i64,
    }
}

record! {
    /// State of the faces to leaves of different levels.
    #[derive(Default)]
    pub struct InterfaceState {
        /// Unit discharges over the east and the north side, m²/s, if a coarser leaf is there.
        pub beyond: [Option<Box<[f32; TILE_WIDTH]>>; 2],
        /// Water under way from finer leaves over each side.
        pub registers: [Option<RegisterState>; 4],
    }
}

record! {
    /// State of a flux register; see `src/engine/forest/interfaces/`.
    pub struct RegisterState {
        /// Gained and not yet taken, vertical units × fine cells.
        pub gained: [i64; TILE_WIDTH],
        /// Content of that by tracer, 2⁻²⁴ vertical units × fine cells.
        pub contents: Vec<[i64; TILE_WIDTH]>,
    }
}

/// Faces are counted: 4 of each of 4096 cells at most.
impl StateField for Vec<BoundaryFaceState> {
    fn put(&self, sink: &mut impl StateSink) {
        u16::try_from(self.len()).expect("four faces of each of 4096 cells").put(sink);
        self.iter().for_each(|face| face.put(sink));
    }

    fn take<S: StateSource>(source: &mut S, _: u8) -> Result<Self, S::Error> {
        let count = u16::take(source, 0)?;
        (0..count).map(|_| StateField::take(source, 0)).collect()
    }
}
