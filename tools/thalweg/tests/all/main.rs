//! Whole runs of the program, over files of worlds.
//!
//! One program has them all: it is linked once, and long tests run beside short ones.

mod barriers;
mod cli;
mod import;
mod names;
mod schema;
mod terminal;
mod water;
mod wrong;
