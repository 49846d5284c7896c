//! Imports between files: layers of the library, packages of the tools, and circles.

use std::collections::{BTreeMap, BTreeSet};

use crate::source::{Source, parts};

/// Folders of the packages below the library.
const ENGINE: [&str; 2] = ["src/tiles/", "src/engine/"];

/// Layers of the engine and what each may name.
const LAYERS: &[(&str, &str)] = &[
    ("units", ""),
    ("grid", "units"),
    ("tile", "units grid"),
    ("flow", "units grid tile"),
    ("terrain", "units grid tile"),
    ("state", "units grid tile"),
    ("forest", "units grid tile terrain flow state"),
    ("structure", "units grid tile"),
    ("body", "units grid structure"),
    ("sim", "units grid tile terrain flow state forest structure body"),
    ("store", "units grid tile terrain"),
    ("stream", "units grid tile store"),
];

/// Layers of the library above the engine, and the layers of library and engine that each may
/// name; modules without a row may name all.
const DOORS: &[(&str, &str)] = &[
    ("probe", "units grid tile terrain forest sim structure body"),
    ("looks", "units grid probe"),
];

/// Packages of `tools` and which of each other their code may use; tests may use more.
const PACKAGES: &[(&str, &str)] = &[
    ("bench", "../src/engine exact gen-world gpu kit rasters scenario testkit thalweg"),
    ("exact", ""),
    ("flood-preview", "kit rasters scenario"),
    ("gen-world", "rasters"),
    ("gpu", "../src/engine law"),
    ("kit", "gpu rasters"),
    ("law", ""),
    ("rapier", ""),
    ("rasters", ""),
    ("scenario", "kit rasters shapes"),
    ("shapes", "kit"),
    ("testkit", "../src/engine rasters"),
    ("thalweg", "kit rasters scenario"),
    ("viewer", "kit rapier rasters scenario"),
    ("wasm", ""),
];

/// Complaints about imports of a file of the library from layers above its own.
pub fn layers(source: &Source) -> Vec<String> {
    let package = ENGINE.into_iter().find(|root| source.name.starts_with(root));
    let is_engine = package.is_some();
    let (root, table) = package.map_or(("src/", DOORS), |root| (root, LAYERS));
    let Some(own) = module(&source.name, root).filter(|own| !own.is_empty()) else {
        return Vec::new();
    };
    let Some((layer, allowed)) = table.iter().find(|(layer, _)| *layer == own[0]) else {
        let missing = format!("{}: no row in `LAYERS` of tests/tidy/imports.rs", source.name);
        return if is_engine { vec![missing] } else { Vec::new() };
    };
    let code = parts(&source.text).code;
    let code = code.replace("thalweg_engine::", "crate::").replace("thalweg_tiles::", "crate::");
    let mut complaints = BTreeSet::new();
    for path in named(&code) {
        let steps = absolute(&own, &path);
        let Some(used) = steps.first().filter(|used| *used != layer) else { continue };
        // What else the root has comes from modules above, but for crates that it hands on and
        // macros.
        let is_crate =
            matches!(used.as_str(), "glam" | "mint" | "checked" | "fields_of" | "id" | "record");
        if !is_crate && !allowed.split(' ').any(|a| a == used) {
            let place = &source.name;
            complaints.insert(format!(
                "{place}: `{layer}` may not name `{path}`: move it down, or pass the value in"
            ));
        }
    }
    complaints.into_iter().collect()
}

/// Complaints about packages that the manifest of a tool names beyond its row.
pub fn packages(manifest: &Source) -> Vec<String> {
    let Some(tool) = manifest.name.strip_prefix("tools/").and_then(|rest| rest.split('/').next())
    else {
        return Vec::new();
    };
    let Some((_, allowed)) = PACKAGES.iter().find(|(package, _)| *package == tool) else {
        return vec![format!("{}: no row in `PACKAGES` of tests/tidy/imports.rs", manifest.name)];
    };
    let mut complaints = Vec::new();
    let mut is_counted = false;
    for line in manifest.text.lines() {
        if line.starts_with('[') {
            let mut parts = line.trim_matches(['[', ']']).split('.');
            is_counted = parts.any(|part| part == "dependencies" || part == "build-dependencies");
        }
        let line = line.replace(' ', "");
        let used = line.split_once("path=\"../").and_then(|(_, rest)| rest.split('"').next());
        let used = used.filter(|used| is_counted && *used != "..");
        complaints
            .extend(used.filter(|used| !allowed.split(' ').any(|a| a == *used)).map(|used| {
                format!("{}: `{tool}` may not use `{used}` by its row", manifest.name)
            }));
    }
    complaints
}

/// Packages that may use the engine below the library: measurements, cards and their tests.
const INSIDERS: &[&str] = &["tools/bench/", "tools/gpu/", "tools/testkit/"];

/// Complaints about tools and examples that reach behind the library.
pub fn behind(source: &Source) -> Vec<String> {
    let is_inside = INSIDERS.iter().any(|own| source.name.starts_with(own));
    let is_counted = source.name.starts_with("tools/") || source.name.starts_with("examples/");
    if !is_counted || is_inside {
        return Vec::new();
    }
    let code = parts(&source.text).code;
    let reached = ["thalweg_engine", "thalweg_tiles", ".simulation()"]
        .into_iter()
        .filter(|way| code.contains(way));
    reached.map(|way| format!("{}: `{way}`: hand on what it needs in `src`", source.name)).collect()
}

/// Paths that code names: each `use` with its braces written out, and paths in expressions that
/// begin with `crate`, `self` or `super`.
fn named(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    let starts = ["crate::", "super::", "self::"];
    let mut at = 0;
    while at < code.len() {
        let rest = &code[at..];
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let is_inside = code[..at].ends_with(|c: char| is_word(c) || c == ':');
        if !is_inside && starts.iter().any(|start| rest.starts_with(start)) {
            let end = rest.find(|c: char| !is_word(c) && c != ':').unwrap_or(rest.len());
            if rest[..end].ends_with("::") && rest[end..].starts_with('{') {
                let close = rest.find(';').unwrap_or(rest.len());
                expand(&rest[..close], &mut named);
                at += close;
            } else {
                named.push(rest[..end].trim_end_matches(':').to_owned());
                at += end;
            }
        }
        at += code[at..].chars().next().map_or(1, char::len_utf8);
    }
    named
}

/// Writes the braces of an import out: `a::{b, c::{d}}` is `a::b` and `a::c::d`.
fn expand(import: &str, into: &mut Vec<String>) {
    let Some((head, list)) = import.split_once('{') else {
        into.push(import.split_whitespace().next().unwrap_or("").to_owned());
        return;
    };
    let (mut depth, mut part) = (0, String::new());
    for letter in list.chars() {
        match letter {
            '}' if depth == 0 => break,
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                expand(&format!("{}{}", head.trim(), part.trim()), into);
                part.clear();
                continue;
            }
            _ => {}
        }
        part.push(letter);
    }
    if !part.trim().is_empty() {
        expand(&format!("{}{}", head.trim(), part.trim()), into);
    }
}

/// Folder that the files of a package are below: `src/`, `tools/kit/src/`.
fn root(name: &str) -> Option<&str> {
    if let Some(package) = ENGINE.into_iter().find(|root| name.starts_with(root)) {
        return Some(package);
    }
    let end = name.find("src/")? + 4;
    (name.starts_with("src/") || name.starts_with("tools/")).then_some(&name[..end])
}

/// The module that a file is, step by step from the root of its package.
fn module(name: &str, root: &str) -> Option<Vec<String>> {
    let path = name.strip_prefix(root)?.strip_suffix(".rs")?;
    let mut steps: Vec<String> = path.split('/').map(str::to_owned).collect();
    if steps.last().is_some_and(|last| ["mod", "lib", "main"].contains(&last.as_str())) {
        steps.pop();
    }
    Some(steps)
}

/// Files of one package by module, and what its modules hand on with `pub use`.
struct Modules<'a> {
    files: BTreeMap<Vec<String>, &'a str>,
    handed_on: BTreeMap<Vec<String>, Vec<String>>,
}

impl<'a> Modules<'a> {
    fn of(files: &[&'a Source], root: &str) -> Self {
        let mut modules = Self { files: BTreeMap::new(), handed_on: BTreeMap::new() };
        for file in files {
            let Some(own) = module(&file.name, root) else { continue };
            modules.files.insert(own.clone(), &file.name);
            for path in handed_on(&parts(file.without_tests()).code) {
                let to = absolute(&own, &path);
                let mut here = own.clone();
                here.extend(to.last().cloned());
                if here != to {
                    modules.handed_on.insert(here, to);
                }
            }
        }
        modules
    }

    /// Returns the file that defines what a path ends with.
    fn file(&self, mut path: Vec<String>) -> Option<&'a str> {
        // As many steps as a path can be handed on before it is one that hands on itself.
        for _ in 0..8 {
            let Some(end) = (1..=path.len()).rev().find(|end| self.names(&path[..*end])) else {
                break;
            };
            if self.files.contains_key(&path[..end]) {
                break;
            }
            let mut onward = self.handed_on[&path[..end]].clone();
            onward.extend_from_slice(&path[end..]);
            path = onward;
        }
        (0..=path.len()).rev().find_map(|count| self.files.get(&path[..count]).copied())
    }

    fn names(&self, path: &[String]) -> bool {
        self.files.contains_key(path) || self.handed_on.contains_key(path)
    }
}

/// Paths of `pub use` in code, at any visibility.
fn handed_on(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    for statement in code.split(';').map(str::trim) {
        let Some((before, path)) = statement.rsplit_once("use ") else { continue };
        let line = before.trim_end().rsplit('\n').next().unwrap_or("");
        if line.trim().starts_with("pub") {
            expand(path, &mut paths);
        }
    }
    paths
}

/// Steps of a path from the root of the package, named in a module.
fn absolute(own: &[String], path: &str) -> Vec<String> {
    let mut steps = own.to_vec();
    for (index, step) in path.split("::").enumerate() {
        match step {
            "crate" => steps.clear(),
            "super" => drop(steps.pop()),
            "self" if index == 0 => {}
            step => steps.push(step.to_owned()),
        }
    }
    steps
}

/// Files that each file of one package imports, without the way to the `mod.rs` above itself.
fn imports<'a>(files: &[&'a Source], root: &str) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let modules = Modules::of(files, root);
    let mut imports: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in files {
        let Some(own) = module(&file.name, root) else { continue };
        let code = parts(file.without_tests()).code;
        let handed: BTreeSet<String> = handed_on(&code).into_iter().collect();
        for path in named(&code).into_iter().filter(|path| !handed.contains(path)) {
            let found = modules.file(absolute(&own, &path));
            let Some(to) = found.filter(|to| *to != file.name) else { continue };
            let above = ["mod.rs", "lib.rs", "main.rs"].iter().find_map(|end| to.strip_suffix(end));
            if !above.is_some_and(|folder| file.name.starts_with(folder)) {
                imports.entry(&file.name).or_default().insert(to);
            }
        }
    }
    imports
}

/// Files that import each other in a circle, by package.
pub fn circles(sources: &[Source]) -> BTreeMap<String, Vec<String>> {
    let mut packages: BTreeMap<&str, Vec<&Source>> = BTreeMap::new();
    for source in sources.iter().filter(|source| !source.is_test()) {
        if let Some(root) = root(&source.name) {
            packages.entry(root).or_default().push(source);
        }
    }
    let mut circles: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (root, files) in packages {
        let imports = imports(&files, root);
        for file in imports.keys() {
            let (mut seen, mut open) = (BTreeSet::new(), vec![*file]);
            while let Some(next) = open.pop() {
                open.extend(imports.get(next).into_iter().flatten().filter(|to| seen.insert(**to)));
            }
            if seen.contains(file) {
                circles.entry(root.to_owned()).or_default().push((*file).to_owned());
            }
        }
    }
    circles
}
