//! The world file.

pub mod codec;
pub mod commit;
pub mod follow;
pub mod import;
pub mod kill9;
pub mod read;
pub mod save;

use crate::suite::Bench;

/// Measurements of the world file.
pub const BENCHES: &[Bench] = &[
    codec::BENCH,
    commit::BENCH,
    follow::BENCH,
    import::BENCH,
    kill9::BENCH,
    read::BENCH,
    save::BENCH,
];
