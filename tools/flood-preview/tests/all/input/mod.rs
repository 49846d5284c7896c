//! Input of users and the files that they name, through the real program.
//!
//! Goal: a valid line is carried out, and an invalid one ends with exit code 2 and one line that
//!       says what, where and how to mend it; nothing aborts and nothing is left behind.
//! Method: tables of command lines, each run in a folder of small files.

mod area;
mod files;
mod kit;
mod limits;
mod options;
mod random_maps;
mod scenarios;
mod units;

/// Goal: the tables hold as many kinds of wrong usage as they promise.
#[test]
fn a_hundred_and_fifty_kinds_of_wrong_usage_are_tried() {
    let count = options::CASES.len() + files::CASES.len() + scenarios::CASES.len();
    assert!(count >= 150, "{count}");
}
