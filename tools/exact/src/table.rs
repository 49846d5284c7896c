//! Tables of SWASHES, for tests: numbers in columns, one line a cell.

use testkit::data;

/// Returns the lines of a table, or `None` with one line of output if the data are missing.
pub fn rows<const COLUMNS: usize>(name: &str) -> Option<Vec<[f64; COLUMNS]>> {
    let text = std::fs::read_to_string(data("swashes")?.join(name)).expect(name);
    let number = |word: &str| word.parse().unwrap_or_else(|_| panic!("{name}: '{word}'"));
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(number).collect();
        numbers.try_into().unwrap_or_else(|_| panic!("{name}: {COLUMNS} columns: '{line}'"))
    };
    let rows: Vec<_> = text.lines().skip(1).map(row).collect();
    assert!(rows.len() >= 2000, "{name}: {} rows", rows.len());
    Some(rows)
}

/// Compares a number with that of a table.
#[track_caller]
pub fn check(what: &str, place: &[f64], ours: f64, table: f64, tolerance: f64) {
    let difference = ours - table;
    assert!(difference.abs() <= tolerance, "{what} at {place:?}: {ours}, SWASHES {table}");
}
