//! Functions of a face or a cell, taken from the sources of the processor and written as text of a
//! kernel (WGSL): a law is written once, in Rust.
//!
//! ```text
//! Rust                             text of a kernel
//! a * b + c, a - b, a / b          ADD(MUL(a, b), c), SUB(a, b), DIV(a, b)
//! a * b that no sum takes up       PRO(a, b)
//! maths::max, x.abs(), x.sqrt()    max_f, abs_f, SQRT
//! (f32, f32), [f32; 2]             vec2<f32>
//! FlowDepth::of, here.finish()     flow_depth_of(…), flow_depth_finish(here, …)
//! limits::STEEP                    its value
//! params: &FaceParams              none: the constants of the step, `step`, have the same names
//! if c { a } else { b }            select(b, a, c), or a branch if a or b needs more than names
//! closures, let x = … again        written out at each call, renamed
//! ```
//!
//! Any expression not listed here is an error that names the function and the expression.
//!
//! A compiler of kernels may contract a product with a sum that takes it up into one operation that
//! rounds once. So each product is followed through names, arguments, fields and results: `MUL` may
//! not be contracted, `PRO` may, as nothing takes it up. Handwritten text that calls these
//! functions is searched for sums as well ([`LawSource::with_drivers`]).
//!
//! Guarantees: the same operations in the same order, so the same bits where the arithmetic of the
//!             kernel is exact (the self-test of `gpu`, and its tests).
//! Limits:     both branches of a `select` are evaluated: they must not trap. A field that a sum
//!             takes up in one structure counts as taken up in all.
//! Source:     own.

mod constant;
mod home;
mod taken;
mod value;
mod words;
mod write;

pub use home::{LawFailure, WantedNames};

use home::Home;
use std::path::Path;
use taken::SummedNames;

/// Functions to be written, in groups: each group is a text of its own.
#[derive(Debug)]
pub struct LawSource {
    home: Home,
    taken: SummedNames,
}

impl LawSource {
    /// Reads constants that all functions see, and then constants, structures and functions of
    /// groups, from files below `src` of a folder. A function may call functions of all groups.
    ///
    /// # Errors
    ///
    /// If a file is missing or is not Rust, or does not contain a requested name.
    pub fn read(
        root: &Path,
        constants: &[&str],
        groups: &[&[WantedNames<'_>]],
    ) -> Result<Self, LawFailure> {
        Ok(Self { home: Home::read(root, constants, groups)?, taken: SummedNames::default() })
    }

    /// Searches handwritten text for sums over fields and results.
    #[must_use]
    pub fn with_drivers(mut self, texts: &[String]) -> Self {
        texts.iter().for_each(|text| self.taken.add_driver(text));
        self
    }

    /// Returns the text of each group: its constants, structures and functions in the requested
    /// order.
    ///
    /// # Errors
    ///
    /// If a function has an expression, a pattern or a type that has no text.
    pub fn texts(mut self) -> Result<Vec<String>, LawFailure> {
        // A sum may take up a product of a function that was written before.
        loop {
            let before = self.taken.len();
            let texts = write::all(&self.home, &mut self.taken)?;
            if self.taken.len() == before {
                return Ok(texts);
            }
        }
    }
}
