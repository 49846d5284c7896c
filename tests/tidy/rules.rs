//! Rules for each file: sizes, unfinished work, printing, and paths that pages name.

use std::path::{Path, PathBuf};

use crate::source::Source;

const FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 70;
const COLUMNS: usize = 100;

/// Marks of unfinished work, in halves, so that this page does not complain of itself.
const UNFINISHED: &[(&str, &str, &str)] = &[
    ("FIX", "ME", "finish it"),
    ("todo", "!(", "finish it"),
    ("unimpl", "emented!(", "finish it"),
    ("#[ig", "nore", "shrink a slow test, do not hide it"),
    ("TO", "DO", "finish it"),
    ("allow(dead", "_code", "delete the code"),
];

/// Complaints about the size of a file, its functions and its lines.
pub fn sizes(source: &Source) -> Vec<String> {
    let name = &source.name;
    let mut complaints = Vec::new();
    let lines: Vec<&str> = source.text.lines().collect();
    if lines.len() > FILE_LINES {
        complaints.push(format!("{name}: {} lines, at most {FILE_LINES}: split it", lines.len()));
    }
    for (index, line) in lines.iter().enumerate() {
        if line.chars().count() > COLUMNS && !line.contains("://") {
            complaints.push(format!("{name}:{}: more than {COLUMNS} columns", index + 1));
        }
        let Some(function) = opened_function(line) else { continue };
        let indent = line.len() - line.trim_start().len();
        let closing = format!("{}}}", " ".repeat(indent));
        let length = lines[index..].iter().position(|l| *l == closing).map_or(0, |end| end + 1);
        if length > FUNCTION_LINES {
            let place = format!("{name}:{}", index + 1);
            complaints.push(format!("{place}: `{function}` has {length} lines: find the noun"));
        }
    }
    complaints
}

/// Name of the function that a line opens and does not close.
fn opened_function(line: &str) -> Option<&str> {
    let code = line.trim_start();
    if code.starts_with("//") || code.ends_with('}') || code.ends_with(';') {
        return None;
    }
    let (before, after) = code.split_once("fn ")?;
    let known = ["pub", "const", "unsafe", "async", "extern"];
    let is_item = before.split_whitespace().all(|word| known.iter().any(|k| word.starts_with(k)));
    is_item.then(|| after.split(['(', '<']).next().unwrap_or(after))
}

/// Complaints about marks of unfinished work.
pub fn unfinished(source: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        for (first, second, instead) in UNFINISHED {
            let mark = format!("{first}{second}");
            if line.contains(&mark) {
                complaints.push(format!("{}:{}: `{mark}`: {instead}", source.name, index + 1));
            }
        }
    }
    complaints
}

/// The tools print through `tools/kit/src/terminal.rs`, which cleans names from files.
pub fn prints(source: &Source) -> Vec<String> {
    let tools = ["flood-preview", "kit", "scenario", "shapes", "thalweg", "viewer"];
    let is_tool = tools.iter().any(|tool| source.name.starts_with(&format!("tools/{tool}/src/")));
    if !is_tool || source.name == "tools/kit/src/terminal.rs" {
        return Vec::new();
    }
    let printing = ["print!(", "println!(", "dbg!(", "io::stdout()", "io::stderr()"];
    let lines = source.text.lines().enumerate();
    let prints = |line: &str| {
        let code = line.replace("().is_terminal()", "");
        printing.iter().any(|word| code.contains(word))
    };
    let found = lines.filter(|(_, line)| prints(line));
    let complaint = |(index, _)| {
        format!("{}:{}: print through `terminal`, which cleans names", source.name, index + 1)
    };
    found.map(complaint).collect()
}

/// Paths in back quotes that look like files of this repository, or of the package that names them,
/// must exist.
pub fn named_paths(source: &Source) -> Vec<String> {
    let roots = ["src/", "tools/", "worlds/", "tests/", "examples/", ".ci/"];
    let package = match source.name.split('/').collect::<Vec<_>>().as_slice() {
        ["tools", package, ..] => Path::new("tools").join(package),
        _ => PathBuf::new(),
    };
    let exists = |word: &str| Path::new(word).exists() || package.join(word).exists();
    let quoted = source.text.lines().flat_map(|line| line.split('`').skip(1).step_by(2));
    quoted
        .filter(|word| roots.iter().any(|root| word.starts_with(root)))
        .filter(|word| !word.contains([' ', '*', '<', '{']) && !exists(word))
        .map(|word| format!("{}: names `{word}`, which is not there", source.name))
        .collect()
}
