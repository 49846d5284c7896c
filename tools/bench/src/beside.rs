//! Programs of the workspace that were built beside this one, to be measured as users run them.
//!
//! Guarantees: no program is measured that is older than a source that cargo made it of
//!             (`a_program_that_is_older_than_its_sources_is_none`).
//! Limits:     if cargo's list of sources is missing, as in an archive, nothing is compared.

use crate::suite::BenchError;
use std::env::consts::EXE_SUFFIX;
use std::path::{Path, PathBuf};

/// Returns the program `name`, of the package of the same name.
///
/// # Errors
///
/// [`BenchError::Skipped`] if it was not built, or its sources have changed since.
pub fn program(name: &str) -> Result<PathBuf, BenchError> {
    let path = std::env::current_exe()?.with_file_name(format!("{name}{EXE_SUFFIX}"));
    let remedy = format!("cargo build --release -p {name}");
    if !path.is_file() {
        return Err(BenchError::Skipped(format!("no {name} beside bench: {remedy}")));
    }
    match newer_source(&path)? {
        Some(source) => {
            let source = source.display();
            let what = format!("{name} beside bench is older than {source}: {remedy}");
            Err(BenchError::Skipped(what))
        }
        None => Ok(path),
    }
}

/// Returns a source of a program, by the list that cargo writes beside it, that has changed or
/// vanished since the program was made.
fn newer_source(program: &Path) -> Result<Option<PathBuf>, BenchError> {
    let made = program.metadata()?.modified()?;
    let list = std::fs::read_to_string(program.with_extension("d")).unwrap_or_default();
    // Blanks in names are escaped.
    let list = list.replace("\\ ", "\0");
    let sources = list.split_once(": ").map_or("", |(_, sources)| sources).split_whitespace();
    let mut sources = sources.map(|source| PathBuf::from(source.replace('\0', " ")));
    let is_older = |source: &PathBuf| {
        source.metadata().and_then(|source| source.modified()).is_ok_and(|time| time <= made)
    };
    Ok(sources.find(|source| !is_older(source)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, write};
    use std::time::{Duration, SystemTime};

    #[test]
    fn a_program_that_is_older_than_its_sources_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let at = |name: &str| folder.path().join(name);
        for name in ["viewer", "a.rs", "b c.rs"] {
            write(at(name), "").expect("room");
        }
        let found = || newer_source(&at("viewer")).expect("readable");
        assert_eq!(found(), None, "nothing to compare with");
        let shown = |name: &str| at(name).display().to_string().replace(' ', "\\ ");
        let list = format!("{}: {} {}\n", shown("viewer"), shown("a.rs"), shown("b c.rs"));
        write(at("viewer.d"), list).expect("room");
        let now = SystemTime::now();
        let made = |name: &str, seconds: u64| {
            let file = File::options().write(true).open(at(name)).expect("there");
            file.set_modified(now + Duration::from_secs(seconds)).expect("a time");
        };
        made("viewer", 10);
        assert_eq!(found(), None);
        made("b c.rs", 20);
        assert_eq!(found(), Some(at("b c.rs")));
        made("viewer", 30);
        assert_eq!(found(), None);
        std::fs::remove_file(at("a.rs")).expect("there");
        assert_eq!(found(), Some(at("a.rs")));
    }
}
