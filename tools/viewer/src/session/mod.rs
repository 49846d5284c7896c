//! The world on its own thread: commands in, states out.

pub mod message;
pub mod site;

pub use message::{
    BodyShape, Command, Figures, GaugeSeries, Inspected, LeafMark, Line, LineKind, Look, Patch,
    Place, PlaceKind, State,
};
pub use site::Site;
