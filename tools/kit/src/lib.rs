//! Parts that the tools share: outputs, user errors, Ctrl-C, progress, pictures, worlds.
//!
//! Guarantees: no file is left under its final name unless it is whole.

pub mod command;
pub mod device;
pub mod error;
pub mod interrupt;
pub mod memory;
pub mod output;
mod pace;
pub mod picture;
pub mod progress;
pub mod reading;
pub mod spelling;
pub mod terminal;
pub mod threads;
pub mod words;
pub mod world;
