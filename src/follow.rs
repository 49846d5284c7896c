//! Other processes follow a running world over any stream, as `src/guide/following.md` describes.
//!
//! A [`Feed`] reads the commits of a world's file as frames, a [`Mirror`] makes a file of them. The
//! example `replicate` does both.

pub use thalweg_engine::store::backend::memory::Memory;
pub use thalweg_engine::store::follow::{Applied, Area, Ask, Feed, Follow, FollowError, Mirror};
#[doc(no_inline)]
pub use thalweg_engine::store::{Key, Layer, Reader, Store};
