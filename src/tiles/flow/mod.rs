//! Pure kernels on one padded tile.
//!
//! `flow` takes slices and plain numbers, allocates nothing, and uses no files, threads or clocks.
//! One step runs row by row, so that a row's planes are still in the first cache when the next
//! phase reads them:
//!
//! ```text
//! transfers  (transfer)        from the present discharges: rounded, held by sill and ceiling
//! limiter    (limiter)         no cell gives more than it holds
//! depths     (depth)           what leaves one cell enters the next
//! discharges (pipe, momentum)  from the new stages: gravity, friction, damping
//! ```
//!
//! A [`method::Method`] proposes the transfers and computes the discharges of a solver; the two
//! solvers share all else. [`shallow`] carries momentum, which [`momentum`] turns into discharges;
//! [`face`] has the law of one face, [`fluid`] the resistance of mud, [`terms`] wind, eddies and
//! the turn of the Earth. Tracers move after the water, by the transfers (`tracer`) or, for looks,
//! by the velocity (`push`).
//!
//! # Loops over a block
//!
//! A row is 64 cells wide, and phases go over the blocks of 16 of them that water may reach. Three
//! habits keep such loops vectors; the lack of any one of them halved the speed:
//!
//! - A loop writes to arrays of its own, which are copied out after it: with references it would
//!   check for each block whether it writes to the memory that it reads.
//! - No `array::map` and no `array::from_fn`: they may stay calls, compiled for the baseline.
//! - Blocks are produced by an iterator whose length the compiler cannot see: unrolled, a step is
//!   longer than the cache of instructions.

pub mod bores;
pub mod depth;
pub mod eddies;
pub mod face;
pub mod fluid;
pub mod half;
pub mod limiter;
pub mod memory;
pub mod method;
pub mod momentum;
pub mod params;
pub mod pipe;
pub mod push;
pub mod shallow;
pub mod solver;
pub mod tables;
pub mod terms;
pub mod tracer;
pub mod transfer;
pub mod transport;
pub mod versions;
pub mod walls;
pub mod wrap;
