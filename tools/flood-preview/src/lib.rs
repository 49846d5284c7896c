//! A flood on a heightmap: scenario in, maps and report out.
//!
//! ```text
//! args ─┐                       survey ─┐
//!       ├─ scenario ─ plan ─ run ───────┼─ simulate ─ outcome ─ output
//! file ─┘    what it means   doing it   └─ progress, interrupt
//! ```
//!
//! [`args`] contains the words as typed, [`scenario`] their meaning, [`run`] carries them out,
//! [`output`] writes the results, [`compare`] compares the results of several runs; [`command`]
//! chooses [`run`] or [`compare`] by the words. The library `thalweg` simulates the water itself.
//!
//! Guarantees: bad input ends with one line and exit code 2 before anything is computed, and no
//!             file is left under its final name unless it is whole.

pub mod args;
pub mod command;
pub mod compare;
pub mod faults;
pub mod levels;
pub mod memory;
pub mod outcome;
pub mod output;
pub mod percent;
pub mod run;
pub mod simulate;
pub mod summary;
pub mod vary;
