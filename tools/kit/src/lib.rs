//! Parts that the tools share: outputs, user errors, Ctrl-C, progress, pictures, worlds.
//!
//! Guarantees: no file is left under its final name unless it is whole.

pub mod command;
pub mod device;
pub mod error;
pub mod interrupt;
pub mod memory;
pub mod output;
pub mod picture;
pub mod progress;
pub mod reading;
pub mod terminal;
pub mod words;
pub mod world;
