//! The matrix: each feature in each kind of world.

use crate::feature::{Feature, features};
use crate::kind::Kind;
use crate::refusals::{REFUSALS, Refusal, name_of};
use crate::scene::Scene;
use crate::table;
use rayon::prelude::*;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use thalweg::Error;

/// Result of a cell.
enum Outcome {
    /// All is right; hashes of the way.
    Right(Vec<u64>),
    Refused(Error),
    /// Something does not hold.
    Wrong(String),
}

/// A feature in a kind of world.
struct Cell {
    feature: &'static Feature,
    kind: Kind,
    outcome: Outcome,
}

fn run(feature: &Feature, kind: Kind) -> Result<Vec<u64>, Error> {
    let mut scene = Scene::begin(kind, feature)?;
    (feature.run)(&mut scene)?;
    scene.end()
}

fn said(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().cloned();
    words
        .or_else(|| panic.downcast_ref::<&str>().map(|&words| words.to_owned()))
        .unwrap_or_default()
}

impl Cell {
    fn of(feature: &'static Feature, kind: Kind) -> Self {
        let outcome = match catch_unwind(AssertUnwindSafe(|| run(feature, kind))) {
            Ok(Ok(trail)) => Outcome::Right(trail),
            Ok(Err(error)) => Outcome::Refused(error),
            Err(panic) => Outcome::Wrong(said(&*panic)),
        };
        Self { feature, kind, outcome }
    }

    /// Fault of the cell, beside that of the same leaves and columns in memory.
    fn complaint(&self, cells: &[Self]) -> Option<String> {
        let line = Refusal::of(self.feature.name, self.kind);
        let complaint = match (&self.outcome, line) {
            (Outcome::Wrong(words), _) => words.clone(),
            (Outcome::Refused(error), Some((_, line))) if line.is(error) => return None,
            (Outcome::Refused(error), _) => {
                format!("it is refused with {}, which is not listed: {error}", name_of(error))
            }
            (Outcome::Right(_), Some((line, _))) => {
                let line = line + 1;
                format!("it works, and is listed as refused: take it out of line {line}")
            }
            (Outcome::Right(trail), None) => {
                let kind = self.kind.in_memory();
                let is_twin = |cell: &&Self| cell.feature.name == self.feature.name;
                let twin = cells.iter().filter(is_twin).find(|cell| cell.kind == kind);
                let Some(Outcome::Right(own)) = twin.map(|twin| &twin.outcome) else { return None };
                let at = trail.iter().zip(own).position(|(a, b)| a != b);
                let at = at.or_else(|| (trail.len() != own.len()).then_some(0))?;
                format!("hash {at} of {} is not that of the world in memory", own.len())
            }
        };
        Some(format!("{} in a world that is {}: {complaint}", self.feature.name, self.kind))
    }
}

/// Goal: every feature works in every kind of world, or is refused with one error that is listed;
/// where a world comes from changes no bit of it. Method: each cell is used as a game would; hashes
/// of all cycles, and of what was read, are compared with those of the world in memory.
#[test]
fn every_feature_in_every_world() {
    let all = features().flat_map(|feature| Kind::all().map(move |kind| (feature, kind)));
    let all: Vec<(&Feature, Kind)> = all.collect();
    let cells: Vec<Cell> = all
        .into_par_iter()
        .with_max_len(1)
        .map(|(feature, kind)| Cell::of(feature, kind))
        .collect();
    let complaints: Vec<String> = cells.iter().filter_map(|cell| cell.complaint(&cells)).collect();
    let count = complaints.len();
    assert!(count == 0, "{count} of {} cells:\n{}", cells.len(), complaints.join("\n"));
    let right = cells.iter().filter(|cell| matches!(cell.outcome, Outcome::Right(_))).count();
    println!("{} cells: {right} right, {} refused", cells.len(), cells.len() - right);
}

/// Goal: no line of the list is dead, and each names features that there are.
#[test]
fn each_refusal_is_of_some_cell() {
    for (number, line) in REFUSALS.iter().enumerate() {
        let known = |name: &&str| features().any(|feature| feature.name == *name);
        assert!(line.features.iter().all(known), "line {}: {line:?}", number + 1);
        let is_it = |feature: &Feature, kind| {
            Refusal::of(feature.name, kind).is_some_and(|(found, _)| found == number)
        };
        let is_used = features().any(|feature| Kind::all().any(|kind| is_it(feature, kind)));
        assert!(is_used, "line {}: {line:?}: delete it", number + 1);
    }
}

#[test]
fn the_guide_has_the_table() {
    table::check();
}
