//! Counts that only fall: lines of code, public items, circles, names and words, by folder.
//!
//! Method: `tests/tidy/counts.tsv` has the limit of each count. A count above its limit fails, and
//!         so does one below it, for it could rise again:
//!         `THALWEG_COUNTS=lower cargo test --test tidy` lowers the limits to the counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::imports::circles;
use crate::source::{Parts, Source, docs, parts};

/// Counts of all folders and of the project, by folder and name.
pub type Counts = BTreeMap<(String, String), u64>;

/// Rows of a folder, in the order of the table.
pub const COLUMNS: [&str; 13] = [
    "lines",
    "public items",
    "hidden items",
    "files in circles",
    "named closures",
    "tuple parameters",
    "dialect in docs",
    "dialect in 10,000 words of docs",
    "dialect in strings",
    "dialect in 10,000 words of strings",
    "docs that open badly",
    "messages with \"is none\"",
    "types named twice",
];

/// Words over which a reader from outside stumbles if there are many: most sentences with one have
/// a plainer form. They are counted in doc comments and messages and not forbidden: a list of
/// forbidden words only breeds synonyms.
const DIALECT: &[&str] = &[
    "hold",
    "holds",
    "held",
    "holding",
    "stand",
    "stands",
    "stood",
    "lie",
    "lies",
    "lay",
    "come",
    "comes",
    "came",
    "goes",
    "tell",
    "tells",
    "told",
    "say",
    "says",
    "said",
    "speak",
    "speaks",
    "know",
    "knows",
    "known",
    "forget",
    "forgets",
    "hear",
    "hears",
    "ask",
    "asks",
    "asked",
    "want",
    "wants",
    "wanted",
    "whatever",
    "whoever",
    "who",
    "those",
    "other",
    "others",
    "what",
    "so many",
    "so much",
    "as far as",
    "of which",
    "where it is",
    "there is",
    "there are",
    "is none",
    "are none",
    "be none",
    "were none",
    "none of any",
    "none of such",
    "none of it",
    "none of them",
];

/// First words of a paragraph that leave its noun open, or begin it with a condition.
const OPENINGS: &[&str] =
    &["it", "its", "what", "those", "the same", "with", "of", "where", "that of"];

/// Measures all sources.
pub fn measure(sources: &[Source]) -> Counts {
    let mut counts = Counts::new();
    let mut add = |folder: &str, name: &str, count: u64| {
        *counts.entry((folder.to_owned(), name.to_owned())).or_insert(0) += count;
    };
    let mut texts: BTreeMap<String, [Vec<String>; 2]> = BTreeMap::new();
    for source in sources {
        let folder = source.folder();
        if source.is_test() || folder == "tests" || folder == "examples" {
            continue;
        }
        add(&folder, "lines", source.without_tests().lines().count() as u64);
        let found = Found::of(source);
        for (name, count) in found.counts {
            add(&folder, name, count as u64);
        }
        let [of_docs, of_strings] = texts.entry(folder).or_default();
        of_docs.push(found.docs);
        of_strings.extend(found.strings);
    }
    for (root, files) in circles(sources) {
        let folder = root.trim_end_matches("/src/").trim_end_matches('/');
        add(folder, "files in circles", files.len() as u64);
    }
    add("all", "types named twice", named_twice(sources).len() as u64);
    for (folder, texts) in texts {
        for (name, texts) in ["docs", "strings"].into_iter().zip(texts) {
            let (hits, words) = dialect(&texts.join("\n"));
            counts.insert((folder.clone(), format!("dialect in {name}")), hits);
            let rate = 10_000 * hits / words.max(1);
            counts.insert((folder.clone(), format!("dialect in 10,000 words of {name}")), rate);
        }
    }
    counts
}

/// Counts and texts of a file.
struct Found {
    counts: Vec<(&'static str, usize)>,
    docs: String,
    strings: Vec<String>,
}

impl Found {
    fn of(source: &Source) -> Self {
        let text = source.without_tests();
        let Parts { code, strings } = parts(text);
        let messages: Vec<String> =
            strings.iter().map(|text| spoken(text)).filter(|text| words(text).len() > 2).collect();
        let counts = vec![
            ("public items", code.lines().filter(|line| is_public(line)).count()),
            ("hidden items", text.matches("#[doc(hidden)]").count()),
            ("named closures", code.lines().filter(|line| is_named_closure(line)).count()),
            ("tuple parameters", with_tuples(&code)),
            ("docs that open badly", bad_openings(text)),
            (
                "messages with \"is none\"",
                messages.iter().filter(|message| says_is_none(message)).count(),
            ),
        ];
        Self { counts, docs: docs(text).join(" "), strings: messages }
    }
}

/// Words of a text in small letters.
fn words(text: &str) -> Vec<String> {
    let is_word = |c: char| c.is_ascii_alphabetic() || c == '\'';
    let words = text.split(|c: char| !is_word(c)).filter(|word| !word.is_empty());
    words.map(str::to_ascii_lowercase).collect()
}

/// A message without its placeholders and escapes.
fn spoken(message: &str) -> String {
    let message = message.replace("\\n", " ").replace("\\t", " ");
    let mut parts = message.split('{');
    let first = parts.next().unwrap_or("").to_owned();
    parts.fold(first, |spoken, part| {
        let after = part.split_once('}').map_or(part, |(_, after)| after);
        format!("{spoken} {after}")
    })
}

/// Words of the dialect in a text, and words in all.
fn dialect(text: &str) -> (u64, u64) {
    let words = words(text);
    let mut hits = 0;
    let mut at = 0;
    while at < words.len() {
        let is_here = |phrase: &&str| {
            let mut steps = phrase.split(' ').zip(&words[at..]);
            let length = phrase.split(' ').count();
            at + length <= words.len() && steps.all(|(step, word)| step == word)
        };
        let length = DIALECT.iter().filter(|p| is_here(p)).map(|p| p.split(' ').count()).max();
        hits += u64::from(length.is_some());
        at += length.unwrap_or(1);
    }
    (hits, words.len() as u64)
}

fn says_is_none(message: &str) -> bool {
    let words = words(message);
    let verbs = ["is", "are", "was", "were"];
    words.windows(2).any(|pair| pair[1] == "none" && verbs.contains(&pair[0].as_str()))
}

fn is_public(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("pub ") else { return false };
    let kinds =
        ["fn", "struct", "enum", "trait", "type", "const", "static", "mod", "macro", "union"];
    let functions = ["const fn", "async fn", "unsafe", "extern"];
    let begins = |start: &&str| rest.strip_prefix(start).is_some_and(|end| end.starts_with(' '));
    kinds.iter().chain(&functions).any(begins)
}

fn is_named_closure(line: &str) -> bool {
    let Some(rest) = line.trim_start().strip_prefix("let ") else { return false };
    let rest = rest.strip_prefix("mut ").unwrap_or(rest);
    let Some((name, value)) = rest.split_once(" = ") else { return false };
    let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
    is_name && value.strip_prefix("move ").unwrap_or(value).starts_with('|')
}

/// Functions that take a tuple apart among their parameters.
fn with_tuples(code: &str) -> usize {
    code.match_indices("fn ").filter(|(at, _)| takes_a_tuple(&code[at + 3..])).count()
}

/// Returns `true` if one of the parameters after the name of a function is a pattern of a tuple.
fn takes_a_tuple(function: &str) -> bool {
    let Some(open) = function.find(['(', '{', ';']).filter(|at| function[*at..].starts_with('('))
    else {
        return false;
    };
    let (mut depth, mut begins) = (0, true);
    for letter in function[open + 1..].chars() {
        match letter {
            '(' if depth == 0 && begins => return true,
            '(' | '[' | '<' => depth += 1,
            ')' if depth == 0 => return false,
            ')' | ']' | '>' => depth -= 1,
            _ => {}
        }
        begins = (depth == 0 && letter == ',') || (begins && letter.is_whitespace());
    }
    false
}

/// Paragraphs of documentation that begin with one of [`OPENINGS`].
fn bad_openings(text: &str) -> usize {
    let (mut is_within, mut is_code, mut count) = (false, false, 0);
    for line in text.lines().map(str::trim_start) {
        let Some(text) = line.strip_prefix("///").or_else(|| line.strip_prefix("//!")) else {
            (is_within, is_code) = (false, false);
            continue;
        };
        let text = text.trim();
        is_code ^= text.starts_with("```");
        let begins = |first: &&&str| {
            let head = text.get(..first.len()).is_some_and(|head| head.eq_ignore_ascii_case(first));
            head && !text[first.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_')
        };
        count += usize::from(!is_within && !is_code && OPENINGS.iter().any(|first| begins(&first)));
        is_within = !text.is_empty() && !text.starts_with("```");
    }
    count
}

/// Names of types that two files or more of the library and the tools define.
pub fn named_twice(sources: &[Source]) -> BTreeMap<String, usize> {
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    let is_counted = |source: &&Source| {
        !source.is_test() && (source.name.starts_with("src/") || source.name.starts_with("tools/"))
    };
    for source in sources.iter().filter(is_counted) {
        let names: BTreeSet<String> = source.text.lines().filter_map(defined_type).collect();
        for name in names {
            *files.entry(name).or_insert(0) += 1;
        }
    }
    files.retain(|_, count| *count > 1);
    files
}

/// Name of the type that a line defines.
fn defined_type(line: &str) -> Option<String> {
    let mut rest = line.trim_start();
    if let Some(after) = rest.strip_prefix("pub") {
        rest = match after.strip_prefix('(') {
            Some(scope) => scope.split_once(')')?.1,
            None => after,
        };
        rest = rest.trim_start();
    }
    let (kind, name) = rest.split_once(' ')?;
    let name: String = name.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (["struct", "enum", "trait", "union"].contains(&kind) && !name.is_empty()).then_some(name)
}

/// Reads a table of limits: a folder a row, a count a column.
pub fn limits(table: &str) -> Counts {
    let mut lines = table.lines().filter(|line| !line.starts_with('#'));
    let head: Vec<&str> = lines.next().unwrap_or("").split('\t').skip(1).collect();
    let mut limits = Counts::new();
    for line in lines {
        let mut cells = line.split('\t');
        let folder = cells.next().unwrap_or("");
        for (name, cell) in head.iter().zip(cells) {
            if let Ok(limit) = cell.parse() {
                limits.insert((folder.to_owned(), (*name).to_owned()), limit);
            }
        }
    }
    limits
}

/// Writes a table of limits.
pub fn table(limits: &Counts) -> String {
    let folders: BTreeSet<&String> = limits.keys().map(|(folder, _)| folder).collect();
    let mut table = format!("folder\t{}\n", COLUMNS.join("\t"));
    for folder in folders {
        let cell = |name: &&str| {
            let limit = limits.get(&(folder.clone(), (*name).to_owned()));
            limit.map(u64::to_string).unwrap_or_default()
        };
        let cells: Vec<String> = COLUMNS.iter().map(cell).collect();
        table.push_str(&format!("{folder}\t{}\n", cells.join("\t").trim_end()));
    }
    table
}

/// Counts above their limits; a count without a limit has the limit zero. Dialect has risen only if
/// its words and their share both have: who deletes a plain sentence raises the share alone.
pub fn risen(counts: &Counts, limits: &Counts) -> Vec<String> {
    let is_above = |folder: &str, name: &str| {
        let key = (folder.to_owned(), name.to_owned());
        let limit = limits.get(&key).copied().unwrap_or(0);
        counts.get(&key).is_some_and(|count| *count > limit)
    };
    let mut risen = Vec::new();
    for ((folder, name), count) in counts {
        let is_risen = is_above(folder, name)
            && match name.strip_prefix("dialect in 10,000 words of ") {
                Some(texts) => is_above(folder, &format!("dialect in {texts}")),
                None => !name.starts_with("dialect"),
            };
        if is_risen {
            let limit = limits.get(&(folder.clone(), name.clone())).copied().unwrap_or(0);
            risen.push(format!("{folder}: {name}: {count}, at most {limit}"));
        }
    }
    risen
}

/// Limits that are above their counts, or of what is counted no more.
pub fn loose(counts: &Counts, limits: &Counts) -> Vec<String> {
    let mut loose = Vec::new();
    for ((folder, name), limit) in limits {
        let count = counts.get(&(folder.clone(), name.clone())).copied().unwrap_or(0);
        if count < *limit {
            loose.push(format!("{folder}: {name}: {count}, and the limit is {limit}"));
        }
    }
    loose
}

/// The lower of count and limit, for all that is counted now.
pub fn lowered(counts: &Counts, limits: &Counts) -> Counts {
    let mut lowered = counts.clone();
    for (key, count) in &mut lowered {
        *count = limits.get(key).map_or(0, |limit| (*count).min(*limit));
    }
    lowered.retain(|_, limit| *limit > 0);
    lowered
}
