//! Test that `src/guide/scenario.md` has the keys of the files, the options of the command line and
//! their defaults.

use std::collections::BTreeSet;

use clap::{Arg, Args, Command};

use crate::file::{FlowTable, GroundTable, MapTable, OutputTable, RunTable};
use crate::options::Options;
use crate::text::parse;

const GUIDE: &str = include_str!("../../../src/guide/scenario.md");

/// Sections of a scenario, in the order of their tables in the guide.
const SECTIONS: &str = "[map] [run] [flow] [fluid] [[rain]] [[inflow]] [initial] [edges] [[edge]] \
    [[barrier]] [barrier.gap] [barrier.breach] [[culvert]] [[pump]] [[drain]] [[tunnel]] \
    [[bridge]] [[mesh]] [[voxels]] [ground] [[gauge]] [[section]] [output]";

/// Sections whose fields are keys and options, with their fields.
const SHARED: [(&str, &[&str]); 5] = [
    ("[map]", MapTable::FIELDS),
    ("[run]", RunTable::FIELDS),
    ("[flow]", FlowTable::FIELDS),
    ("[ground]", GroundTable::FIELDS),
    ("[output]", OutputTable::FIELDS),
];

/// Options that change no key of a section.
const WITHOUT_KEY: [&str; 5] = ["--title", "--force", "--check", "--verbose", "--quiet"];

/// Row of a table of keys.
struct Row {
    keys: Vec<&'static str>,
    options: BTreeSet<String>,
    default: String,
}

impl Row {
    fn of(line: &'static str, has_options: bool) -> Self {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let mut cell = || cells.next().unwrap_or_else(|| panic!("a row is too short: {line}"));
        let keys = quoted(cell()).collect();
        let options = if has_options { quoted(cell()) } else { quoted("") };
        let options = options.filter_map(|typed| typed.split([' ', '=']).next());
        let options = options.filter(|option| option.starts_with("--")).map(str::to_owned);
        Self { keys, options: options.collect(), default: cell().replace(['`', '"'], "") }
    }
}

/// Returns the texts of a cell that are code.
fn quoted(cell: &'static str) -> impl Iterator<Item = &'static str> {
    cell.split('`').skip(1).step_by(2)
}

/// Returns the sections with the rows of their tables.
fn tables() -> Vec<(&'static str, Vec<Row>)> {
    let starts = GUIDE.match_indices("\n| key ").map(|(at, _)| &GUIDE[at + 1..]);
    let tables = starts.map(|text| {
        let mut lines = text.lines().take_while(|line| line.starts_with('|'));
        let has_options = lines.next().is_some_and(|heading| heading.contains("| option |"));
        lines.skip(1).map(|line| Row::of(line, has_options)).collect()
    });
    let tables: Vec<Vec<Row>> = tables.collect();
    assert_eq!(tables.len(), SECTIONS.split(' ').count(), "tables of keys");
    SECTIONS.split(' ').zip(tables).collect()
}

/// Returns the keys of a section, in the order of its fields, as the reader of files lists them.
fn keys(section: &str) -> Vec<String> {
    // A table of one element of a list is looked into before its element is whole.
    let list = if section.starts_with("[barrier.") { "[[barrier]]\n" } else { "" };
    let text = format!("{list}{section}\nno_such_key = 1");
    let (_, message) = parse(&text).expect_err(section);
    message.split('`').skip(3).step_by(2).map(str::to_owned).collect()
}

fn options() -> Vec<Arg> {
    Options::augment_args(Command::new("")).get_arguments().cloned().collect()
}

fn typed(option: &Arg) -> String {
    format!("--{}", option.get_long().expect("a name"))
}

#[test]
fn every_example_reads() {
    let examples: Vec<&str> = GUIDE.split("```toml\n").skip(1).collect();
    assert!(examples.len() >= 9, "{} examples", examples.len());
    for example in examples {
        let (example, _) = example.split_once("```").expect("a closed block");
        if let Err((line, what)) = parse(example) {
            panic!("line {line}: {what}\n{example}");
        }
    }
}

#[test]
fn rows_are_the_keys() {
    for section in keys("") {
        let mut known = SECTIONS.split(' ').map(|known| known.trim_matches(['[', ']']));
        assert!(section == "title" || known.any(|known| known == section), "no table: {section}");
    }
    for (section, rows) in tables() {
        let mut described: Vec<&str> = rows.iter().flat_map(|row| row.keys.clone()).collect();
        let mut keys = keys(section);
        described.sort_unstable();
        keys.sort_unstable();
        assert_eq!(described, keys, "rows and keys of {section}");
    }
}

#[test]
fn rows_name_the_options() {
    let (tables, options) = (tables(), options());
    let rows = tables.iter().flat_map(|(_, rows)| rows);
    let in_rows: BTreeSet<String> = rows.flat_map(|row| row.options.clone()).collect();
    let known = options.iter().map(typed).filter(|option| !WITHOUT_KEY.contains(&&**option));
    let different: Vec<_> = in_rows.symmetric_difference(&known.collect()).cloned().collect();
    assert!(different.is_empty(), "options without a row, or rows without one: {different:?}");
    for (section, fields) in SHARED {
        let (_, rows) = tables.iter().find(|(of, _)| *of == section).expect(section);
        let keys = keys(section);
        assert_eq!(keys.len(), fields.len(), "{section}");
        for (key, field) in keys.iter().zip(fields) {
            let ids = [(*field).to_owned(), format!("no_{field}")];
            let of_key = options.iter().filter(|option| ids.iter().any(|id| option.get_id() == id));
            let row = rows.iter().find(|row| row.keys == [key]).expect(key);
            assert_eq!(row.options, of_key.map(typed).collect(), "{section} {key}");
        }
    }
}

#[test]
fn rows_and_help_have_the_same_defaults() {
    let options = options();
    for (section, rows) in tables() {
        for row in rows.iter().filter(|row| row.options.len() == 1) {
            let option = options.iter().find(|option| row.options.contains(&typed(option)));
            let help = option.and_then(Arg::get_help).expect("a help").to_string();
            let Some((_, default)) = help.split_once("[default: ") else { continue };
            let (default, _) = default.split_once([',', ';', ']']).expect("an end");
            let (keys, of_row) = (&row.keys, &row.default);
            assert!(of_row.starts_with(default), "{section} {keys:?}: {of_row}, not {default}");
        }
    }
}
