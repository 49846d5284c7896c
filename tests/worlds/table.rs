//! The table of `src/guide/worlds.md`, made from the features and the list of refusals.

use crate::feature::{Feature, features};
use crate::kind::{COLUMNS, Kind, LEVELS, SOURCES};
use crate::refusals::{REFUSALS, Refusal};
use std::fmt::Write;
use std::path::PathBuf;

const BEGIN: &str = "<!-- made by `cargo test --test worlds` -->\n";
const END: &str = "<!-- end -->\n";

/// Set, the page is written anew.
const WRITE: &str = "THALWEG_WRITE_GUIDE";

/// A cell: ✓, or the number of its refusal.
fn sign(feature: &Feature, kind: Kind) -> String {
    Refusal::of(feature.name, kind).map_or("✓".to_owned(), |(line, _)| (line + 1).to_string())
}

fn rendered() -> String {
    let mut text = String::from("| feature | what holds |");
    let pairs = || SOURCES.into_iter().flat_map(|source| COLUMNS.map(|columns| (source, columns)));
    for (source, columns) in pairs() {
        let kind = Kind { source, columns, levels: LEVELS[0] };
        let name = kind.to_string();
        write!(text, " {} |", name.trim_end_matches(", one level")).expect("memory");
    }
    text += "\n| --- | --- |";
    pairs().for_each(|_| text += " --- |");
    text += "\n";
    for feature in features() {
        write!(text, "| {} | {} |", feature.name, feature.holds).expect("memory");
        for (source, columns) in pairs() {
            let [one, adaptive] =
                LEVELS.map(|levels| sign(feature, Kind { source, columns, levels }));
            write!(text, " {one} {adaptive} |").expect("memory");
        }
        text += "\n";
    }
    text += "\n";
    for (number, line) in (1..).zip(REFUSALS) {
        writeln!(text, "{number}. `{}`: {}.", line.error, line.reason).expect("memory");
    }
    text
}

/// Checks that the page has the table, or writes it there.
pub fn check() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("src/guide/worlds.md");
    let page = std::fs::read_to_string(&path).expect("the page is there").replace('\r', "");
    let (before, rest) = page.split_once(BEGIN).expect("the first marker");
    let (table, after) = rest.split_once(END).expect("the second marker");
    let wanted = format!("\n{}\n", rendered());
    if table == wanted {
        return;
    }
    if std::env::var_os(WRITE).is_some() {
        let page = [before, BEGIN, &wanted, END, after].concat();
        std::fs::write(&path, page).expect("the page can be written");
        return;
    }
    panic!("src/guide/worlds.md is another: run again with {WRITE}=1, or paste:\n{wanted}");
}
