//! Scenarios with very many things in them: checked in a time that grows with their number.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use testkit::{Program, grid};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// The shortest of some tries to check a scenario.
fn check(folder: &Path, count: usize) -> Duration {
    let mut text = "[map]\nfile = \"dem.asc\"\n".to_owned();
    for number in 0..count {
        let (x, y) = (1000.5 + (number % 100) as f64, 2000.5 + (number / 100 % 100) as f64);
        let _ = write!(text, "[[gauge]]\nname = \"gauge {number}\"\nat = [{x}, {y}]\n");
    }
    fs::write(folder.join("s.toml"), text).expect("writable");
    let once = || {
        let start = Instant::now();
        let said = FLOOD.said(folder, "s.toml --check --out out");
        assert!(said.contains("gauge 0 "), "{count} gauges");
        start.elapsed()
    };
    (0..3).map(|_| once()).min().expect("three tries")
}

/// Goal: ten times as many gauges take about ten times as long, not a hundred times.
#[test]
fn fifty_thousand_gauges_are_checked_in_a_time_that_grows_with_their_number() {
    let folder = testkit::folder(&[("dem.asc", grid((100, 100), 1.0, |_, _| 3))]);
    let [few, many] = [5_000, 50_000].map(|count| check(folder.path(), count));
    assert!(many < 30 * few, "5,000 in {few:?}, 50,000 in {many:?}");
}
