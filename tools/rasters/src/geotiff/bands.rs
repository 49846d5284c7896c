//! The band of a GeoTIFF that is read, and the names of all of them.

use std::path::Path;

use super::channels::Channels;
use super::directory::Directory;
use super::metadata::Metadata;
use super::tag;
use crate::error::RasterError;
use crate::facts::{Fact, Source};
use crate::hints::Hints;

/// Names of bands that are listed in a remark.
const NAMES_MAX: usize = 6;

/// Adds which band is read, if the file has several that `channels` does not take together.
pub(super) fn remark(
    path: &Path,
    directory: &Directory,
    hints: &Hints,
    channels: Channels,
    (facts, remarks): (&mut Vec<Fact>, &mut Vec<String>),
) -> Result<(), RasterError> {
    let count = directory.unsigned(tag::SAMPLES_PER_PIXEL)?.unwrap_or(1);
    if count < 2 || matches!(channels, Channels::HeightAndOpacity | Channels::Colours(..)) {
        return Ok(());
    }
    let metadata = directory.utf8(tag::GDAL_METADATA)?.unwrap_or_default();
    let metadata = Metadata::parse(&metadata);
    let names = (1..=NAMES_MAX).filter_map(|band| metadata.role("description", band));
    let names: Vec<&str> = names.collect();
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let number = hints.band.unwrap_or(1);
    let source = match hints.band {
        Some(_) => Source::Option("--band"),
        None => Source::Guess,
    };
    facts.push(Fact::of("band", source, format!("{number} of {count}")));
    if hints.band.is_none() {
        remarks.push(format!(
            "{} has {count} bands{names}: the first is read (choose with --band)",
            path.display()
        ));
    }
    Ok(())
}
