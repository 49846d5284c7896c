//! Folders of small files, and the program run in them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

/// An ESRI ASCII grid with its south-west corner at 1000, 2000.
pub fn grid(
    (width, height): (usize, usize),
    cell: f64,
    value: impl Fn(usize, usize) -> f64,
) -> String {
    let mut text = format!(
        "ncols {width}\nnrows {height}\nxllcorner 1000\nyllcorner 2000\ncellsize {cell}\n\
         NODATA_value -9999\n"
    );
    for row in 0..height {
        let cells: Vec<String> = (0..width).map(|col| value(col, row).to_string()).collect();
        text += &(cells.join(" ") + "\n");
    }
    text
}

/// A fresh folder with `dem.asc`, 12 × 10 cells of 5 m that fall eastwards, and `files`.
pub fn folder(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let dem = grid((12, 10), 5.0, |col, _| 20.0 - col as f64);
    fs::write(folder.path().join("dem.asc"), dem).expect("writable");
    for (name, content) in files {
        fs::write(folder.path().join(name), content).expect("writable");
    }
    folder
}

pub fn run(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_flood-preview"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// What `line` prints, which has to succeed.
#[track_caller]
pub fn said(folder: &Path, line: &str) -> String {
    let output = run(folder, line);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{line}: {stderr}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What is wrong with how the program refuses `line`, if anything is.
pub fn unlike_a_refusal(folder: &Path, line: &str, words: &[&str]) -> Option<String> {
    let output = run(folder, line);
    let stderr = String::from_utf8_lossy(&output.stderr);
    let is_one_line = stderr.trim_end().lines().count() == 1;
    let is_refused = output.status.code() == Some(2)
        && output.stdout.is_empty()
        && is_one_line
        && stderr.starts_with("flood-preview: ")
        && !stderr.contains("panicked");
    let missing: Vec<_> = words.iter().filter(|word| !stderr.contains(**word)).collect();
    let is_told = is_refused && missing.is_empty();
    (!is_told).then(|| format!("{line}\n  {:?}, lacks {missing:?}: {stderr}", output.status.code()))
}

/// Refuses all `cases` in `folder`, in which nothing may be left.
#[track_caller]
pub fn refuse_all(folder: &Path, cases: &[(&str, &[&str])]) {
    let before = listing(folder);
    let wrong: Vec<String> =
        cases.iter().filter_map(|(line, words)| unlike_a_refusal(folder, line, words)).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    assert_eq!(listing(folder), before);
}

pub fn listing(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a readable folder");
    let name = |entry: std::io::Result<fs::DirEntry>| entry.expect("an entry").file_name();
    let mut names: Vec<String> =
        entries.map(|entry| name(entry).to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
