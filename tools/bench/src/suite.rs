//! List of all measurements, and the parts that they share.

use crate::accuracy::case::Case;
use crate::table::Measurement;
use crate::{
    accuracy, adaptive, bodies, card, edge, forest, frame, kernel, machine, peers, physics,
    preview, river, solution, stacks, store, stream, subgrid, view,
};
use std::path::PathBuf;
use std::sync::{Mutex, OnceLock, PoisonError};
use thalweg_engine::sim::Solver;

/// Results of one bench, or the reason for their absence.
pub type BenchResult = Result<Vec<Measurement>, BenchError>;

/// Reason why a bench has no result.
#[derive(Debug)]
pub enum BenchError {
    /// A requirement of the bench is missing; the text names it.
    Skipped(String),
    /// The run failed.
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

impl<E: Into<Box<dyn std::error::Error + Send + Sync>>> From<E> for BenchError {
    fn from(reason: E) -> Self {
        Self::Failed(reason.into())
    }
}

/// A piece of work that gives one or several measurements.
#[derive(Debug, Clone, Copy)]
pub struct Bench {
    /// Ids of the bench.
    pub ids: &'static [&'static str],
    /// One line for `--list`.
    pub what: &'static str,
    /// True if it runs only when named: it takes longer than 50 s.
    pub is_long: bool,
    /// Does the work.
    pub measure: fn(&Context) -> BenchResult,
}

impl Bench {
    /// Returns whether a word of the command line, a suite or an id or any part of one up to a dot,
    /// means this bench.
    #[must_use]
    pub fn is_meant_by(&self, word: &str) -> bool {
        self.ids.iter().any(|id| {
            id.strip_prefix(word).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Returns whether this bench runs by itself for `word`: long ones need more than their suite.
    #[must_use]
    pub fn runs_for(&self, word: &str) -> bool {
        self.is_meant_by(word) && (!self.is_long || word.contains('.'))
    }
}

/// Returns all benches, in the order of their runs.
#[must_use]
pub fn all() -> Vec<Bench> {
    [
        machine::BENCHES,
        physics::BENCHES,
        accuracy::BENCHES,
        edge::BENCHES,
        kernel::BENCHES,
        river::BENCHES,
        card::BENCHES,
        forest::BENCHES,
        frame::BENCHES,
        adaptive::BENCHES,
        subgrid::BENCHES,
        preview::BENCHES,
        store::BENCHES,
        stream::BENCHES,
        bodies::BENCHES,
        stacks::BENCHES,
        view::BENCHES,
        peers::BENCHES,
        solution::BENCHES,
    ]
    .concat()
}

/// Parts that all benches share.
#[derive(Debug)]
pub struct Context {
    /// True if notes contain more details.
    pub is_verbose: bool,
    /// The solver of the suites `physics` and `world`.
    pub solver: Solver,
    /// Threads that the command line names.
    pub threads: Option<usize>,
    triad: OnceLock<f64>,
    cases: Mutex<Vec<Case>>,
}

impl Context {
    /// Returns a context without measurements.
    #[must_use]
    pub fn new(is_verbose: bool, solver: Solver, threads: Option<usize>) -> Self {
        let cases = Mutex::new(Vec::new());
        Self { is_verbose, solver, threads, triad: OnceLock::new(), cases }
    }

    /// Keeps a case for the guide's page; returns its measurements.
    pub fn show(&self, case: Case) -> Vec<Measurement> {
        let measurements = case.measurements();
        self.cases.lock().unwrap_or_else(PoisonError::into_inner).push(case);
        measurements
    }

    /// Returns the cases that ran, in their order.
    #[must_use]
    pub fn into_cases(self) -> Vec<Case> {
        self.cases.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the memory bandwidth, measured once a run.
    #[must_use]
    pub fn triad_bytes_per_s(&self) -> f64 {
        *self.triad.get_or_init(machine::triad_bytes_per_s)
    }

    /// Returns a file or folder of the measured data: in the folder that `THALWEG_DATA` names, or
    /// beside the workspace.
    ///
    /// # Errors
    ///
    /// [`BenchError::Skipped`] if it is missing.
    pub fn data(&self, name: &str) -> Result<PathBuf, BenchError> {
        let beside = || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data"));
        let folder = std::env::var_os("THALWEG_DATA").map_or_else(beside, PathBuf::from);
        let path = folder.join(name);
        if path.exists() { Ok(path) } else { Err(BenchError::Skipped("no data".to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn ids_are_unique_and_belong_to_a_suite() {
        let mut seen = BTreeSet::new();
        for bench in all() {
            for id in bench.ids {
                assert!(id.contains('.'), "{id} has no suite");
                assert!(seen.insert(*id), "{id} twice");
            }
        }
    }

    #[test]
    fn words_choose_whole_parts_and_long_ones_must_be_named() {
        let bench =
            Bench { ids: &["a.b.c", "a.d"], what: "", is_long: true, measure: |_| Ok(vec![]) };
        for (word, meant, runs) in [
            ("a", true, false),
            ("a.b", true, true),
            ("a.b.c", true, true),
            ("a.d", true, true),
            ("a.b.", false, false),
            ("a.bc", false, false),
            ("b", false, false),
        ] {
            assert_eq!(bench.is_meant_by(word), meant, "{word}");
            assert_eq!(bench.runs_for(word), runs, "{word}");
        }
    }
}
