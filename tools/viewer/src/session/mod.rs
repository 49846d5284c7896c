//! The world on its own thread: commands in, states out.

pub mod message;

pub use message::{
    BodyShape, Command, Figures, GaugeSeries, Inspected, LeafMark, Line, LineKind, Look, Patch,
    Place, PlaceKind, State,
};
