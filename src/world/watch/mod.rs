//! Watches: a game subscribes once, and receives events after each cycle (`src/guide/events.md`).

mod error;
mod event;
mod request;
mod run;
mod sight;
mod watches;

pub use error::WatchError;
pub use event::{Event, EventKind, Watched};
pub use request::{Watch, WatchId};
pub(super) use watches::Watches;
