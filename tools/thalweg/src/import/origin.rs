//! Sources of a world: whether a half-made world has the same.

use std::fmt::Write;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::{fs, io};

use kit::error::UserError;
use scenario::plan::Plan;

/// Returns the map, its files with their sizes and times, and the options, as a text that differs
/// if any of these or the program differs.
///
/// # Errors
///
/// If a file of the map is missing.
pub fn origin(plan: &Plan) -> Result<String, UserError> {
    let (map, numbers) = (&plan.map, &plan.numbers);
    let mut hasher = DefaultHasher::new();
    let mut all = format!("{map:?} {numbers:?}");
    for file in rasters::files(&map.path, &map.hints)? {
        let refused = |error| UserError::from_sentence(format!("cannot look at the map: {error}"));
        let stamp = stamp(&file).map_err(refused)?;
        _ = write!(all, " {} {stamp}", file.display());
    }
    all.hash(&mut hasher);
    let version = env!("CARGO_PKG_VERSION");
    Ok(format!("thalweg {version} {} {:016x}", map.path.display(), hasher.finish()))
}

/// Returns the name, size and time of a file.
fn stamp(file: &Path) -> io::Result<String> {
    let (whole, metadata) = (file.canonicalize()?, fs::metadata(file)?);
    Ok(format!("{} {} {:?}", whole.display(), metadata.len(), metadata.modified().ok()))
}
