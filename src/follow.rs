//! Other processes follow a world that runs, over any stream: `src/guide/following.md` says how.
//!
//! A [`Feed`] reads the commits of a world's file as frames, a [`Mirror`] makes a file of them. The
//! example `replicate` does both.

pub use crate::store::backend::memory::Memory;
pub use crate::store::follow::{Applied, Area, Ask, Feed, Follow, FollowError, Mirror};
pub use crate::store::{Key, Layer, Reader, Store};
