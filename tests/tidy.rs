//! Rules that a reviewer would have to repeat: sizes, layers, words, and pages that name what is
//! gone.
//!
//! Goal: each rule of the house fails here with its remedy.
//! Method: plain text over all sources. rustfmt runs first, so an item ends at the first closing
//! brace with the indentation of its first line.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

const FILE_LINES: usize = 800;
const FUNCTION_LINES: usize = 70;
const COLUMNS: usize = 100;

/// Layers that each layer of the library may name. `world` and `check` may name all.
const LAYERS: &[(&str, &str)] = &[
    ("units", ""),
    ("grid", "units"),
    ("tile", "units grid"),
    ("terrain", "units grid tile"),
    ("flow", "units grid tile"),
    ("state", "units grid tile"),
    ("forest", "units grid tile terrain flow state"),
    ("structure", "units grid tile"),
    ("body", "units grid structure"),
    ("sim", "units grid tile terrain flow state forest structure body"),
    ("probe", "units grid tile terrain forest sim structure body"),
    ("looks", "units grid probe"),
    ("store", "units grid tile terrain"),
    ("stream", "units grid tile store"),
];

/// Words that do not belong in the project, and what to do instead. Spelt in halves, so that this
/// page does not complain of itself.
const WORDS: &[(&str, &str, &str)] = &[
    ("FIX", "ME", "finish it"),
    ("todo", "!(", "finish it"),
    ("unimpl", "emented!(", "finish it"),
    ("#[ig", "nore", "shrink a slow test, do not hide it"),
    ("allow(dead", "_code)]", "delete the code"),
    ("ghost", "_", "say halo"),
    ("water_", "height", "say depth or stage"),
    ("Mis", "fit", "say state mismatch"),
    ("number_a_", "change", "say bump_revision"),
    ("go_on_", "from", "say restore"),
    ("re", "ground(", "say replace_beds"),
    ("lend", "ers", "say coarse sides"),
    ("lend", "able", "say allowances"),
    ("fn wi", "sh(", "say request"),
    ("struct Wi", "sh", "say request"),
    ("enum De", "ed", "say command"),
    ("mod tell", "ing", "say report"),
    ("spare", "_bytes", "say pooled_bytes"),
    ("short", "_m3", "say unmet_m3"),
    (".trou", "ble()", "say error"),
    (".pea", "ks()", "say maxima"),
    (".left_", "out()", "say excluded_cells"),
    ("tile::fr", "ame", "say halo_plane"),
    ("Sett", "ling::", "say StillWaterDamping: in hydraulics settling is sediment"),
    ("restl", "ess", "say active"),
    ("rous", "ed:", "say woken"),
    ("Rim", "Face", "say BoundaryFace"),
    ("Leaf", "Edges", "say LeafInterfaces"),
    ("forest::", "edges", "say forest::interfaces"),
    ("Relief::", "Held", "say Relief::InMemory"),
    ("use crate::", "{", "one `use` a module, or the layers cannot be checked"),
];

/// First words that leave the noun of a paragraph open; readers land on such a paragraph alone.
const NOUNLESS: &[&str] = &["it", "its", "what", "those", "the same"];

struct Source {
    name: String,
    text: String,
}

fn sources() -> Vec<Source> {
    let mut paths = Vec::new();
    for folder in ["src", "tests", "examples", "tools"] {
        collect(Path::new(folder), "rs", &mut paths);
    }
    assert!(paths.len() > 20, "run from the package root");
    read(paths)
}

fn read(mut paths: Vec<PathBuf>) -> Vec<Source> {
    paths.sort();
    let read = |path: &PathBuf| fs::read_to_string(path).expect("listed a moment ago");
    let name = |path: &PathBuf| path.to_string_lossy().replace('\\', "/");
    paths.iter().map(|path| Source { name: name(path), text: read(path) }).collect()
}

fn collect(folder: &Path, extension: &str, paths: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("a readable folder").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            collect(&path, extension, paths);
        } else if path.extension().is_some_and(|found| found == extension) {
            paths.push(path);
        }
    }
}

/// Complaints of `rule` about all `sources`.
fn all(sources: &[Source], rule: impl Fn(&Source) -> Vec<String>) {
    let complaints: Vec<String> = sources.iter().flat_map(rule).collect();
    assert!(complaints.is_empty(), "\n{}\n", complaints.join("\n"));
}

fn sizes(source: &Source) -> Vec<String> {
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

fn layers(source: &Source) -> Vec<String> {
    let own = source.name.strip_prefix("src/").and_then(|rest| rest.split('/').next());
    let Some((layer, allowed)) = LAYERS.iter().find(|(layer, _)| Some(*layer) == own) else {
        return Vec::new();
    };
    let mut complaints = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        if line.trim_start().starts_with("//") {
            continue;
        }
        for used in line.split("crate::").skip(1) {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            let used = used.split(|c: char| !is_word(c)).next().unwrap_or("");
            let is_layer = LAYERS.iter().any(|(l, _)| *l == used) || used == "world";
            if is_layer && used != *layer && !allowed.split(' ').any(|a| a == used) {
                let place = format!("{}:{}", source.name, index + 1);
                complaints.push(format!("{place}: `{layer}` may not name `{used}`"));
            }
        }
    }
    complaints
}

/// The module that a file of the library is.
fn module(name: &str) -> Option<String> {
    let path = name.strip_prefix("src/")?.strip_suffix(".rs")?;
    let is_test = path.split('/').any(|part| part.ends_with("tests"));
    (!is_test).then(|| path.strip_suffix("/mod").unwrap_or(path).replace('/', "::"))
}

/// The code of a file without comments and tests.
fn code(text: &str) -> String {
    let mut code = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line != "#[cfg(test)]" {
            code.push_str(line.split("//").next().unwrap_or(""));
            code.push('\n');
        } else if lines.next().is_some_and(|item| item.ends_with('{')) {
            break;
        }
    }
    code
}

/// The path at the beginning of `text`, or the paths where it ends in braces.
fn paths(text: &str) -> Vec<String> {
    let end = text.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':');
    let (path, rest) = text.split_at(end.unwrap_or(text.len()));
    let Some(names) = rest.strip_prefix('{').filter(|_| path.ends_with("::")) else {
        return vec![path.trim_end_matches(':').to_owned()];
    };
    let names = names.split('}').next().unwrap_or("").split(',');
    names.map(|name| format!("{path}{}", name.trim())).collect()
}

/// Files of the library by module, each with the modules that it imports: also through what a
/// `mod.rs` hands on with `pub use`, but without what it hands on itself.
fn imports(sources: &[Source]) -> BTreeMap<String, BTreeSet<String>> {
    let files: BTreeMap<String, String> =
        sources.iter().filter_map(|file| Some((module(&file.name)?, code(&file.text)))).collect();
    let (mut handed, mut named) = (BTreeMap::new(), Vec::new());
    for (module, code) in &files {
        for (index, _) in code.match_indices("crate::") {
            if !code[..index].ends_with("pub(in ") {
                named.extend(paths(&code[index + 7..]).into_iter().map(|path| (module, path)));
            }
        }
        for line in code.split(";\n").map(str::trim_start) {
            let visible = ["pub use ", "pub(crate) use ", "pub(super) use "];
            let handed_on = visible.iter().find_map(|start| line.strip_prefix(start));
            let Some(path) = handed_on.or_else(|| line.strip_prefix("use ")) else { continue };
            for path in paths(path) {
                let name = path.rsplit("::").next().unwrap_or("").to_owned();
                let path = match path.strip_prefix("crate::") {
                    Some(path) => path.to_owned(),
                    None => format!("{module}::{path}"),
                };
                let here = format!("{module}::{name}");
                if handed_on.is_some() && here != path {
                    handed.insert(here, path);
                } else if !line.contains("crate::") {
                    named.push((module, path));
                }
            }
        }
    }
    let mut imports: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (module, mut path) in named {
        while !path.is_empty() && !files.contains_key(&path) {
            let above = || path.rsplit_once("::").map_or("", |(above, _)| above).to_owned();
            path = handed.get(&path).cloned().unwrap_or_else(above);
        }
        if path != *module {
            imports.entry(module.clone()).or_default().insert(path);
        }
    }
    imports
}

/// Files that import each other in a circle within a folder, by folder.
fn circles(sources: &[Source]) -> BTreeMap<String, Vec<String>> {
    let imports = imports(sources);
    let folder = |module: &str| module.split("::").next().unwrap_or("").to_owned();
    let mut circles: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for module in imports.keys() {
        let (mut seen, mut open) = (BTreeSet::new(), vec![module]);
        while let Some(next) = open.pop() {
            let imported = imports.get(next).into_iter().flatten();
            open.extend(imported.filter(|m| folder(m) == folder(module) && seen.insert(*m)));
        }
        if seen.contains(module) {
            circles.entry(folder(module)).or_default().push(module.clone());
        }
    }
    circles
}

fn words(source: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    for (index, line) in source.text.lines().enumerate() {
        for (first, second, instead) in WORDS {
            let word = format!("{first}{second}");
            let counts = !word.starts_with("use ") || source.name.starts_with("src/");
            if counts && line.contains(&word) {
                let place = format!("{}:{}", source.name, index + 1);
                complaints.push(format!("{place}: `{word}`: {instead}"));
            }
        }
    }
    complaints
}

/// Paragraphs of documentation name their noun.
fn sentences(source: &Source) -> Vec<String> {
    let mut complaints = Vec::new();
    let (mut is_within, mut is_code) = (false, false);
    for (index, line) in source.text.lines().enumerate() {
        let line = line.trim_start();
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
        if !is_within && !is_code {
            complaints.extend(NOUNLESS.iter().find(begins).map(|first| {
                let place = format!("{}:{}", source.name, index + 1);
                format!("{place}: begins with `{first}`: name the noun")
            }));
        }
        is_within = !text.is_empty() && !text.starts_with("```");
    }
    complaints
}

/// The tools print through `tools/kit/src/terminal.rs`, which cleans names from files.
fn prints(source: &Source) -> Vec<String> {
    let tools = ["flood-preview", "kit", "scenario", "shapes", "thalweg", "viewer"];
    let is_tool = tools.iter().any(|tool| source.name.starts_with(&format!("tools/{tool}/src/")));
    if !is_tool || source.name == "tools/kit/src/terminal.rs" {
        return Vec::new();
    }
    let printing = ["print!(", "println!(", "io::stdout())", "io::stderr())"];
    let lines = source.text.lines().enumerate();
    let found = lines.filter(|(_, line)| printing.iter().any(|word| line.contains(word)));
    let complaint = |(index, _)| {
        format!("{}:{}: print through `terminal`, which cleans names", source.name, index + 1)
    };
    found.map(complaint).collect()
}

/// Paths in back quotes that look like files of this repository must exist.
fn named_paths(source: &Source) -> Vec<String> {
    let roots = ["src/", "tools/", "worlds/", "tests/", "examples/", ".ci/"];
    let quoted = source.text.split('`').skip(1).step_by(2);
    quoted
        .filter(|word| roots.iter().any(|root| word.starts_with(root)))
        .filter(|word| !word.contains([' ', '*', '<', '\n']) && !Path::new(word).exists())
        .map(|word| format!("{}: names `{word}`, which is not there", source.name))
        .collect()
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
fn files_of_a_folder_import_one_way() {
    let circles = circles(&sources());
    assert!(circles.is_empty(), "files import each other in a circle, by folder: {circles:#?}");
}

#[test]
fn the_words_are_those_of_the_house() {
    all(&sources(), words);
}

#[test]
fn paragraphs_name_their_noun() {
    all(&sources(), sentences);
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
    all(&read(paths), named_paths);
}

#[test]
fn the_rules_bite() {
    let source = |name: &str, text: &str| Source { name: name.to_owned(), text: text.to_owned() };
    let long = format!("fn long() {{\n{}}}\n", "    step();\n".repeat(80));
    assert_eq!(sizes(&source("src/x.rs", &long)).len(), 1);
    assert_eq!(sizes(&source("src/x.rs", &"x\n".repeat(900))).len(), 1);
    assert_eq!(sizes(&source("src/x.rs", &"x".repeat(101))).len(), 1);
    assert_eq!(layers(&source("src/flow/a.rs", "use crate::sim::Settings;\n")).len(), 1);
    assert_eq!(layers(&source("src/sim/a.rs", "use crate::flow::pipe;\n")).len(), 0);
    let circle = [
        source("src/flow/mod.rs", "pub mod a;\npub mod b;\npub use a::A;\n"),
        source("src/flow/a.rs", "use crate::flow::b::{\n    B,\n    C,\n};\n"),
        source("src/flow/b.rs", "use crate::flow::A;\n#[cfg(test)]\nmod tests {\n"),
        source("src/flow/c.rs", "use crate::flow::a::A; // crate::flow::c\n"),
        source("src/sim/a.rs", "#[cfg(test)]\nmod tests {\n    use crate::sim::b::B;\n"),
        source("src/sim/b.rs", "use crate::sim::a;\n"),
    ];
    let found = BTreeMap::from([("flow".to_owned(), vec!["flow::a".into(), "flow::b".into()])]);
    assert_eq!(circles(&circle), found);
    assert_eq!(words(&source("src/x.rs", &format!("{}me later", "FIX").to_uppercase())).len(), 1);
    let nounless = "/// Its name.\n///\n/// ```text\n/// it\n/// ```\n///\n/// Italic.\n";
    assert_eq!(sentences(&source("src/grid/x.rs", nounless)).len(), 1);
    let loud = "fn f() {\n    eprintln!(\"{name}\");\n}\n";
    assert_eq!(prints(&source("tools/viewer/src/x.rs", loud)).len(), 1);
    assert_eq!(prints(&source("tools/bench/src/x.rs", loud)).len(), 0);
    assert_eq!(named_paths(&source("README.md", "see `src/nowhere.rs`")).len(), 1);
    assert_eq!(named_paths(&source("README.md", "see `src/lib.rs` and `cargo test`")).len(), 0);
}
