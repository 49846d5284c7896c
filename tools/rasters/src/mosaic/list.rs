//! The rasters of a folder, and the rasters that a text names.

use std::fs;
use std::path::Path;

use super::{Listing, Member};
use crate::error::RasterError;

/// Endings of rasters that state their place.
const ENDINGS: [&str; 5] = [".tif", ".tiff", ".asc", ".asc.gz", ".hgt"];

/// Letters of a name that are shown in an error if no such file exists.
const NAME_SHOWN: usize = 60;

/// Longest list that is read, bytes.
pub(super) const TEXT_MAX: u64 = 1 << 26;

pub(super) fn of_folder(path: &Path) -> Result<Listing, RasterError> {
    let failed = |e| RasterError::io("read", path, e);
    let mut members = Vec::new();
    for entry in fs::read_dir(path).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().to_ascii_lowercase();
        let is_raster = !name.starts_with('.') && ENDINGS.iter().any(|end| name.ends_with(end));
        if is_raster && entry.path().is_file() {
            members.push(Member { path: entry.path(), nodata: None, place: None, band: None });
        }
    }
    if members.is_empty() {
        let what = format!("is a folder without rasters that say where they lie ({})", {
            ENDINGS.join(", ")
        });
        return Err(RasterError::unsupported(path, format!("{what}: name a raster file")));
    }
    members.sort_by(|a, b| a.path.file_name().cmp(&b.path.file_name()));
    Ok(Listing { members, frame: None, system: None, unit: None })
}

pub(super) fn of_text(path: &Path) -> Result<Listing, RasterError> {
    let text = text(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut members = Vec::new();
    for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let name = line.trim();
        if name.is_empty() || name.starts_with('#') {
            continue;
        }
        let member = folder.join(name);
        if !member.is_file() {
            return Err(RasterError::damaged(
                path,
                format!(
                    "is no raster, and as a list of rasters its line {} names '{}', which is not \
                     there: correct the list, whose names count from its own folder",
                    index + 1,
                    name.chars().take(NAME_SHOWN).collect::<String>()
                ),
            ));
        }
        members.push(Member { path: member, nodata: None, place: None, band: None });
    }
    if members.is_empty() {
        let what = "is a list without rasters: write the path of one in each line";
        return Err(RasterError::damaged(path, what));
    }
    Ok(Listing { members, frame: None, system: None, unit: None })
}

/// Reads a whole text.
pub(super) fn text(path: &Path) -> Result<String, RasterError> {
    let failed = |e| RasterError::io("read", path, e);
    let length = fs::metadata(path).map_err(failed)?.len();
    if length > TEXT_MAX {
        let what = format!("has {length} bytes: no list of rasters is as long");
        return Err(RasterError::damaged(path, what));
    }
    let bytes = fs::read(path).map_err(failed)?;
    String::from_utf8(bytes).map_err(|_| RasterError::damaged(path, "is no text in UTF-8"))
}
