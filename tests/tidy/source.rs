//! Sources of the project, and their text parted into code, comments and string literals.

use std::fs;
use std::path::{Path, PathBuf};

/// A file of the project.
pub struct Source {
    /// Its path from the root of the repository, with forward slashes.
    pub name: String,
    /// Its text.
    pub text: String,
}

impl Source {
    /// A file that exists only here.
    pub fn new(name: &str, text: &str) -> Self {
        Self { name: name.to_owned(), text: text.to_owned() }
    }

    /// Returns `true` if the whole file is compiled for tests alone.
    pub fn is_test(&self) -> bool {
        let file = self.name.rsplit('/').next().unwrap_or("");
        let is_folder = self.name.split('/').rev().skip(1).any(|part| part == "tests");
        is_folder || file == "tests.rs" || file.ends_with("_tests.rs")
    }

    /// Returns the text before the module of unit tests at its end.
    pub fn without_tests(&self) -> &str {
        let mut at = 0;
        let mut is_marked = false;
        for line in self.text.split_inclusive('\n') {
            let code = line.trim();
            if is_marked && code.starts_with("mod ") && code.ends_with('{') {
                return &self.text[..self.text[..at].rfind("#[cfg(").unwrap_or(at)];
            }
            is_marked = code.starts_with("#[cfg(test") || code.starts_with("#[cfg(all(test");
            at += line.len();
        }
        &self.text
    }

    /// Returns the folder that the file is counted with: `src/engine/sim`, `tools/kit`, `tests`.
    pub fn folder(&self) -> String {
        let parts: Vec<&str> = self.name.split('/').collect();
        match parts.as_slice() {
            ["src", package @ ("engine" | "tiles"), layer, _, ..] => {
                format!("src/{package}/{layer}")
            }
            [first @ ("src" | "tools"), second, _, ..] => format!("{first}/{second}"),
            [first, ..] => (*first).to_owned(),
            [] => String::new(),
        }
    }
}

/// Reads all files of the project that are Rust.
pub fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    for folder in ["src", "tests", "examples", "tools"] {
        collect(Path::new(folder), "rs", &mut paths);
    }
    assert!(paths.len() > 20, "run from the package root");
    read(paths)
}

/// Reads files, in the order of their names.
pub fn read(mut paths: Vec<PathBuf>) -> Vec<Source> {
    paths.sort();
    let read = |path: &PathBuf| fs::read_to_string(path).expect("listed a moment ago");
    let name = |path: &PathBuf| path.to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| Source { name: name(path), text: read(path) }).collect()
}

/// Adds all files with an extension below a folder.
pub fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(&path, extension, paths);
        } else if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
}

/// A text parted by what its characters are. Line breaks of strings and comments stay in the code.
#[derive(Default)]
pub struct Parts {
    /// Code, with `""` for each string literal and without comments.
    pub code: String,
    /// Contents of string literals; a backslash at the end of a line joins it with the next.
    pub strings: Vec<String>,
}

/// Parts Rust code by a small lexer: line comments, strings, raw strings, characters.
pub fn parts(text: &str) -> Parts {
    let mut parts = Parts::default();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with("//") {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(raw) = raw_string(rest, at.checked_sub(1).map(|before| bytes[before])) {
            parts.strings.push(raw.0.to_owned());
            put_string(&mut parts.code, raw.0);
            at += raw.1;
        } else if let Some(after) = rest.strip_prefix('"') {
            let length = string_length(after);
            parts.strings.push(unfolded(&after[..length]));
            put_string(&mut parts.code, &after[..length]);
            at += (length + 2).min(rest.len());
        } else if let Some(length) = character_length(rest) {
            parts.code.push_str("' '");
            at += length;
        } else {
            let next = rest.chars().next().expect("not at the end");
            parts.code.push(next);
            at += next.len_utf8();
        }
    }
    parts
}

fn put_string(code: &mut String, content: &str) {
    code.push_str("\"\"");
    code.extend(content.matches('\n'));
}

/// Content and whole length of the raw string that a text begins with.
fn raw_string(text: &str, before: Option<u8>) -> Option<(&str, usize)> {
    if before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
        return None;
    }
    let after = text.strip_prefix('r')?;
    let hashes = after.bytes().take_while(|byte| *byte == b'#').count();
    let content = after[hashes..].strip_prefix('"')?;
    let end = content.find(&format!("\"{}", "#".repeat(hashes)))?;
    Some((&content[..end], 1 + hashes + 1 + end + 1 + hashes))
}

/// Bytes of a string literal before its closing quotation mark.
fn string_length(after: &str) -> usize {
    let bytes = after.as_bytes();
    let mut at = 0;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// Bytes of the character literal that a text begins with; lifetimes have no second quote.
fn character_length(text: &str) -> Option<usize> {
    let after = text.strip_prefix('\'')?;
    if let Some(escaped) = after.strip_prefix('\\') {
        let first = escaped.chars().next()?.len_utf8();
        return Some(2 + first + escaped[first..].find('\'')? + 1);
    }
    let first = after.chars().next()?.len_utf8();
    after[first..].starts_with('\'').then_some(first + 2)
}

/// The content of a literal with its lines joined where a backslash ends them.
fn unfolded(content: &str) -> String {
    let mut lines = content.split("\\\n");
    let first = lines.next().unwrap_or("").to_owned();
    lines.fold(first, |joined, line| joined + line.trim_start())
}

/// Lines of documentation without marks, code blocks and tables.
pub fn docs(text: &str) -> Vec<&str> {
    let mut docs = Vec::new();
    let mut is_code = false;
    for line in text.lines().map(str::trim) {
        let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            is_code &= line.starts_with("//");
            continue;
        };
        let text = text.trim();
        if text.starts_with("```") {
            is_code = !is_code;
        } else if !is_code && !text.starts_with('|') {
            docs.push(text);
        }
    }
    docs
}
