//! Runs that are compared, with the results: the material of page, tables and shell.

use super::difference::{MAPS, RunComparison};
use super::figures::ComparedFigure;
use super::naming::{CSV, JSON, PAGE, is_numbered, numbered};
use super::picture;
use super::reading::RunResults;
use super::settings::DifferingSetting;

/// A comparison of several runs with the first.
#[derive(Debug)]
pub struct Compared {
    /// The reference and the runs that are compared with it.
    pub runs: Vec<RunResults>,
    /// One for each run but the reference.
    pub comparisons: Vec<RunComparison>,
    /// Figures of all of them, in the order in which they are read.
    pub figures: Vec<ComparedFigure>,
    /// Settings that are not the same in all runs.
    pub settings: Vec<DifferingSetting>,
    /// Circumstances that a reader must consider: one sentence each.
    pub notes: Vec<String>,
}

impl Compared {
    /// Returns the run with which all further runs are compared.
    #[must_use]
    pub fn reference(&self) -> &RunResults {
        &self.runs[0]
    }

    /// Returns the runs that are compared with the reference.
    #[must_use]
    pub fn others(&self) -> &[RunResults] {
        &self.runs[1..]
    }

    /// Returns the names of the maps and the picture of each run but the reference.
    #[must_use]
    pub fn files(&self) -> Vec<Vec<String>> {
        let count = self.comparisons.len();
        let own = |run: usize| {
            let number = (count > 1).then_some(run);
            files().map(|(stem, ending)| numbered(stem, number, ending)).collect()
        };
        (1..=count).map(own).collect()
    }
}

/// Files of a comparison of one run with the reference: name without number, and ending.
pub fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
    [(picture::STEM, "png")].into_iter().chain(MAPS.iter().map(|map| (map.target, "tif")))
}

/// True for the name of a file that a comparison writes, in any case of its letters.
pub fn is_file(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let is_numbered = |(stem, ending)| is_numbered(&name, stem, ending);
    [PAGE, JSON, CSV].contains(&&*name) || files().any(is_numbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_a_comparison_are_known() {
        for (name, expected) in [
            ("comparison.html", true),
            ("Comparison.JSON", true),
            ("comparison.csv", true),
            ("difference_max_depth.png", true),
            ("difference_hazard_12.tif", true),
            ("difference_hazard.png", false),
            ("comparison", false),
            ("levee", false),
        ] {
            assert_eq!(is_file(name), expected, "{name}");
        }
    }
}
