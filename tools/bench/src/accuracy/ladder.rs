//! Runs of one case on finer and finer cells.

use crate::accuracy::case::{CaseRow, Refinement, percent};
use crate::accuracy::scheme::Scheme;
use crate::suite::BenchError;

/// Results of a case's runs: second order at every resolution, the rest at the promised one.
#[derive(Debug)]
pub struct Ladder<T> {
    dimensions: u32,
    /// Cells along a side and the result, coarsest first.
    rungs: Vec<(usize, T)>,
    promised: usize,
    /// Result of first order.
    pub first: T,
    /// Result of the pipe method.
    pub pipe: T,
}

impl<T> Ladder<T> {
    /// Runs a case on `sides` cells in 1 or 2 dimensions; targets are for `promised` of them.
    ///
    /// # Errors
    ///
    /// The first error of a run.
    pub fn climb(
        dimensions: u32,
        sides: [usize; 4],
        promised: usize,
        run: impl Fn(usize, Scheme) -> Result<T, BenchError>,
    ) -> Result<Self, BenchError> {
        let rung = |side| Ok((side, run(side, Scheme::Second)?));
        let rungs: Vec<(usize, T)> =
            sides.into_iter().map(rung).collect::<Result<_, BenchError>>()?;
        let (first, pipe) = (run(promised, Scheme::First)?, run(promised, Scheme::Pipe)?);
        Ok(Self { dimensions, rungs, promised, first, pipe })
    }

    /// Returns the result at the promised resolution.
    ///
    /// # Panics
    ///
    /// If that did not run.
    #[must_use]
    pub fn promised(&self) -> &T {
        let found = self.rungs.iter().find(|rung| rung.0 == self.promised);
        &found.expect("the promised resolution is one of the four").1
    }

    /// Returns the results of the second order at every resolution, coarsest first.
    pub fn each(&self) -> impl Iterator<Item = &T> {
        self.rungs.iter().map(|rung| &rung.1)
    }

    /// Returns one error at all resolutions.
    #[must_use]
    pub fn refinement(&self, error: impl Fn(&T) -> f64) -> Refinement {
        let points = self.rungs.iter().map(|(side, run)| (*side, error(run))).collect();
        Refinement { dimensions: self.dimensions, points }
    }

    /// Returns a row of the table for one error, with the errors of the remaining schemes.
    #[must_use]
    pub fn row(&self, id: &'static str, error: impl Fn(&T) -> f64) -> CaseRow {
        let [first, pipe] = [&self.first, &self.pipe].map(|run| percent(error(run)));
        let refinement = self.refinement(error);
        let cells = refinement.cells(self.promised);
        CaseRow::refined(id, self.promised, refinement)
            .remark(&format!("{cells} cells, first order {first}, pipe method {pipe}"))
    }
}
