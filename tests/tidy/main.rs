//! Rules that a reviewer would have to repeat: sizes, layers, circles, pages that name what is
//! gone, and counts that only fall.
//!
//! Goal: each rule of the house fails here with its remedy.
//! Method: plain text over all sources. rustfmt runs first, so an item ends at the first closing
//! brace with the indentation of its first line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

mod counts;
mod imports;
mod rules;
mod source;

use crate::imports::{behind, circles, layers, packages};
use crate::rules::{named_paths, prints, sizes, unfinished};
use crate::source::{Source, collect, read, sources};

const LIMITS: &str = "tests/tidy/counts.tsv";

/// Complaints of `rule` about all `sources`.
fn all(sources: &[Source], rule: impl Fn(&Source) -> Vec<String>) {
    let complaints: Vec<String> = sources.iter().flat_map(rule).collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

#[test]
fn files_and_functions_are_short() {
    all(&sources(), sizes);
}

#[test]
fn layers_import_one_way() {
    all(&sources(), layers);
}

#[test]
fn tools_use_the_library_alone() {
    all(&sources(), behind);
}

#[test]
fn packages_use_one_way() {
    let mut paths = Vec::new();
    collect(Path::new("tools"), "toml", &mut paths);
    paths.retain(|path| path.ends_with("Cargo.toml"));
    all(&read(paths), packages);
}

#[test]
fn files_of_the_library_import_one_way() {
    let mut circles = circles(&sources());
    for package in ["src/", "src/engine/", "src/tiles/"] {
        assert_eq!(circles.remove(package), None, "files import each other in a circle");
    }
}

#[test]
fn nothing_is_unfinished() {
    all(&sources(), unfinished);
}

#[test]
fn tools_print_through_one_door() {
    all(&sources(), prints);
}

#[test]
fn pages_name_what_exists() {
    let mut paths = vec![PathBuf::from("README.md"), PathBuf::from("CHANGELOG.md")];
    for folder in ["src", "worlds", "tools"] {
        collect(Path::new(folder), "md", &mut paths);
    }
    let is_of_rules = |source: &Source| source.name.starts_with("tests/tidy/");
    let mut files = read(paths);
    files.extend(sources().into_iter().filter(|source| !is_of_rules(source)));
    all(&files, named_paths);
}

/// Goal: lines of code, public items, circles, names and words do not rise, folder by folder.
#[test]
fn counts_only_fall() {
    let table = fs::read_to_string(LIMITS).expect("the table of limits can be read");
    let mut limits = counts::limits(&table);
    let counts = counts::measure(&sources());
    if env::var_os("THALWEG_COUNTS").is_some_and(|value| value == "lower") {
        let lowered = counts::lowered(&counts, &limits);
        fs::write(LIMITS, counts::table(&lowered)).expect("the table of limits is written");
        limits = lowered;
    }
    let loose = counts::loose(&counts, &limits);
    assert!(
        loose.is_empty(),
        "counts below their limits in {LIMITS}:\n{}\nLower the limits: \
         THALWEG_COUNTS=lower cargo test --test tidy",
        loose.join("\n")
    );
    let risen = counts::risen(&counts, &limits);
    assert!(
        risen.is_empty(),
        "counts above their limits in {LIMITS}:\n{}\nMend the text, or raise a limit there by hand \
         and say in the commit what it buys",
        risen.join("\n")
    );
}

#[test]
fn the_rules_bite() {
    let source = Source::new;
    let long = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(80));
    assert_eq!(sizes(&source("src/x.rs", &long)).len(), 1);
    assert_eq!(sizes(&source("src/x.rs", &"x\n".repeat(900))).len(), 1);
    assert_eq!(sizes(&source("src/x.rs", &"x".repeat(101))).len(), 1);
    assert_eq!(layers(&source("src/tiles/flow/a.rs", "use crate::sim::Settings;\n")).len(), 1);
    assert_eq!(
        layers(&source("src/tiles/flow/a.rs", "use crate::{grid, sim::Settings};\n")).len(),
        1
    );
    let downward = "use crate::flow::pipe; // crate::world\n";
    assert_eq!(layers(&source("src/engine/sim/a.rs", downward)).len(), 0);
    let relative = "use super::super::super::sim::Settings;\n";
    assert_eq!(layers(&source("src/tiles/flow/a/b.rs", relative)).len(), 1);
    assert_eq!(layers(&source("src/tiles/flow/a.rs", "use crate::World;\n")).len(), 1);
    assert_eq!(layers(&source("src/engine/new/a.rs", "")).len(), 1);
    let beside = "use thalweg_tiles::flow::pipe;\n";
    assert_eq!(layers(&source("src/engine/state/a.rs", beside)).len(), 1);
    assert_eq!(layers(&source("src/looks/a.rs", "use thalweg_engine::sim::Settings;\n")).len(), 1);
    assert_eq!(layers(&source("src/probe/a.rs", "use crate::world::World;\n")).len(), 1);
    assert_eq!(behind(&source("examples/x.rs", "use thalweg_engine::sim::Settings;\n")).len(), 1);
    assert_eq!(behind(&source("tools/bench/src/x.rs", "world.simulation()\n")).len(), 0);
    let table = "[dependencies.viewer]\npath = \"../viewer\"\n";
    assert_eq!(packages(&source("tools/rasters/Cargo.toml", table)).len(), 1);
    let manifest = "[dependencies]\nkit = { path = \"../kit\" }\n[dev-dependencies]\n\
                    gpu = { path = \"../gpu\" }\nthalweg = { path = \"../..\" }\n";
    assert_eq!(packages(&source("tools/rasters/Cargo.toml", manifest)).len(), 1);
    assert_eq!(packages(&source("tools/shapes/Cargo.toml", manifest)).len(), 0);
    assert_eq!(packages(&source("tools/new/Cargo.toml", manifest)).len(), 1);
    let mark = format!("{}me later", "FIX").to_uppercase();
    assert_eq!(unfinished(&source("src/x.rs", &mark)).len(), 1);
    let loud = "fn f() {\n    eprintln!(\"{name}\");\n}\n";
    assert_eq!(prints(&source("tools/viewer/src/x.rs", loud)).len(), 1);
    assert_eq!(prints(&source("tools/bench/src/x.rs", loud)).len(), 0);
    let direct = "writeln!(std::io::stderr(), \"x\");\nif io::stdout().is_terminal() {}\n";
    assert_eq!(prints(&source("tools/viewer/src/x.rs", direct)).len(), 1);
    assert_eq!(named_paths(&source("README.md", "see `src/nowhere.rs`")).len(), 1);
    assert_eq!(named_paths(&source("README.md", "see `src/lib.rs` and `cargo test`")).len(), 0);
    assert_eq!(named_paths(&source("tools/kit/src/x.rs", "`src/terminal.rs`")).len(), 0);
    assert_eq!(named_paths(&source("src/x.rs", "`src/terminal.rs`")).len(), 1);
}

#[test]
fn circles_are_found() {
    let source = Source::new;
    let circle = [
        source("src/tiles/flow/mod.rs", "pub mod a;\npub mod b;\npub use a::A;\n"),
        source("src/tiles/flow/a.rs", "use crate::flow::b::{\n    B,\n    C,\n};\n"),
        source("src/tiles/flow/b.rs", "use crate::flow::A;\n#[cfg(test)]\nmod tests {\n"),
        source("src/tiles/flow/c.rs", "use crate::flow::a::A; // crate::flow::c\n"),
        source("src/engine/sim/a.rs", "#[cfg(test)]\nmod tests {\n    use crate::sim::b::B;\n"),
        source("src/engine/sim/b.rs", "use crate::sim::a;\n"),
        source("tools/kit/src/lib.rs", "mod a;\nmod b;\n"),
        source("tools/kit/src/a.rs", "use super::b::B;\n"),
        source("tools/kit/src/b.rs", "fn f() {\n    crate::a::g(\"crate::flow\")\n}\n"),
    ];
    let own = |root: &str, files: [&str; 2]| (root.to_owned(), files.map(str::to_owned).to_vec());
    let expected = BTreeMap::from([
        own("src/tiles/", ["src/tiles/flow/a.rs", "src/tiles/flow/b.rs"]),
        own("tools/kit/src/", ["tools/kit/src/a.rs", "tools/kit/src/b.rs"]),
    ]);
    assert_eq!(circles(&circle), expected);
}

#[test]
fn counts_are_right() {
    let text = "//! Where water stands, it holds.\n\npub struct Part {\n    pub a: u8,\n}\n\
                #[doc(hidden)]\npub const fn f((a, b): (u8, u8), c: &[(u8, u8)]) {\n    \
                let g = |x| x; // let h = |y| y;\n    \
                let _ = \"a number \\\n     is none, whatever\";\n}\n\
                #[cfg(test)]\nmod tests {\n    pub fn hidden() {}\n}\n";
    let files = [Source::new("src/engine/sim/x.rs", text), Source::new("tools/kit/src/x.rs", text)];
    let counts = counts::measure(&files);
    let count = |name: &str| counts[&("src/engine/sim".to_owned(), name.to_owned())];
    assert_eq!(count("lines"), 11);
    assert_eq!(count("public items"), 2);
    assert_eq!(count("hidden items"), 1);
    assert_eq!(count("named closures"), 1);
    assert_eq!(count("tuple parameters"), 1);
    assert_eq!(count("dialect in 10,000 words of docs"), 4000);
    assert_eq!(count("dialect in 10,000 words of strings"), 4000);
    assert_eq!(count("docs that open badly"), 1);
    assert_eq!(count("messages with \"is none\""), 1);
    assert_eq!(counts[&("all".to_owned(), "types named twice".to_owned())], 1);
    assert_eq!(counts::limits(&counts::table(&counts)), counts);
    assert_eq!(counts::risen(&counts, &counts), Vec::<String>::new());
    assert_eq!(counts::loose(&counts, &counts), Vec::<String>::new());
    let mut fewer = counts.clone();
    fewer.values_mut().for_each(|count| *count -= 1);
    // Words of dialect and their share rise together: docs and strings of two folders.
    assert_eq!(counts::risen(&counts, &fewer).len(), counts.len() - 4);
    assert_eq!(counts::loose(&fewer, &counts).len(), counts.len());
    let rare = [("tools/kit".to_owned(), "dialect in docs".to_owned())];
    let mut share_alone = counts.clone();
    rare.iter().for_each(|key| *share_alone.get_mut(key).expect("counted") += 5);
    assert_eq!(counts::risen(&share_alone, &counts), Vec::<String>::new());
    assert_eq!(counts::lowered(&counts, &counts), counts);
    assert_eq!(counts::lowered(&counts, &counts::Counts::new()), counts::Counts::new());
}
