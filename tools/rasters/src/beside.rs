//! The `.prj` file and the world file beside a raster.
//!
//! ```text
//! 10        step of a column in x          dem.tif: dem.tfw, dem.tifw, dem.wld or dem.tif.wld
//! 0         step of a column in y
//! 0         step of a row in x
//! -10       step of a row in y
//! 500005    x of the first cell's centre
//! 5199995   y of the first cell's centre
//! ```
//!
//! Source:     Esri, World files for raster datasets; names as GDAL's `GDALReadWorldFile`.

use std::path::{Path, PathBuf};

use crate::askew::Affine;
use crate::aux_xml::AuxXml;
use crate::error::RasterError;
use crate::small_file;
use crate::wkt::System;

/// Most bytes of either file.
const BYTES_MAX: u64 = 1 << 18;

/// Files beside a raster that state its reference system.
#[derive(Debug)]
pub(crate) struct CrsFiles {
    pub(crate) prj: Option<Prj>,
    pub(crate) aux: AuxXml,
}

impl CrsFiles {
    /// Reads the files beside the raster at `path`.
    pub(crate) fn read(path: &Path) -> Result<Self, RasterError> {
        Ok(Self { prj: read_prj(path)?, aux: AuxXml::beside(path)? })
    }
}

/// Content of a `.prj` file.
#[derive(Debug)]
pub(crate) struct Prj {
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    /// Reference system; `None` if the text describes no reference system.
    pub(crate) system: Option<System>,
}

/// Reads the `.prj` file beside a raster; `None` if the file is missing.
fn read_prj(path: &Path) -> Result<Option<Prj>, RasterError> {
    let Some((path, text)) = read_first(path, &["prj".to_owned()])? else { return Ok(None) };
    let system = System::parse(&text);
    Ok(Some(Prj { path, text, system }))
}

/// Reads the world file beside a raster; `None` if the file is missing.
pub(crate) fn read_world_file(path: &Path) -> Result<Option<Affine>, RasterError> {
    let own = path.extension().unwrap_or_default().to_string_lossy().into_owned();
    let ends = own.chars().next().zip(own.chars().last());
    let mut endings = vec![format!("{own}w"), "wld".to_owned(), format!("{own}.wld")];
    endings.splice(0..0, ends.map(|(first, last)| format!("{first}{last}w")));
    let Some((path, text)) = read_first(path, &endings)? else { return Ok(None) };
    let numbers = text.split_whitespace().map(|word| word.replace(',', ".").parse::<f64>().ok());
    let numbers: Option<Vec<f64>> = numbers.collect();
    let numbers = numbers.filter(|all| all.iter().all(|number| number.is_finite()));
    match numbers.as_deref() {
        Some(&[a, d, b, e, x, y]) => {
            let at_centre = Affine { origin: [x, y], column: [a, d], row: [b, e] };
            Ok(Some(at_centre.moved(-0.5, -0.5)))
        }
        _ => Err(RasterError::damaged(
            &path,
            "is not a world file, which has 6 numbers, one a line: mend or delete the file",
        )),
    }
}

/// Returns path and text of the first file that exists with one of the endings, in small or in
/// capitals.
fn read_first(path: &Path, endings: &[String]) -> Result<Option<(PathBuf, String)>, RasterError> {
    let is_gzipped = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("gz"));
    let unpacked = if is_gzipped { path.with_extension("") } else { path.to_owned() };
    let spelled = endings
        .iter()
        .flat_map(|ending| [ending.clone(), ending.to_lowercase(), ending.to_uppercase()]);
    for ending in spelled {
        let beside = unpacked.with_extension(ending);
        if let Some(text) = small_file::read(&beside, BYTES_MAX)? {
            return Ok(Some((beside, text)));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn world_files_have_the_names_of_gdal() {
        for (raster, beside) in [
            ("a.tif", "a.tfw"),
            ("a.tif", "a.tifw"),
            ("a.tif", "a.wld"),
            ("a.tif", "a.tif.wld"),
            ("a.tif", "a.TFW"),
            ("a.TIF", "a.tfw"),
            ("a.tiff", "a.tfw"),
            ("a.png", "a.pgw"),
            ("a.png", "a.pngw"),
        ] {
            let folder = tempfile::tempdir().expect("a folder");
            let text = "10\r\n0\r\n0\r\n-10\r\n500005,0\r\n5199995\r\n";
            std::fs::write(folder.path().join(beside), text).expect("writable");
            let found = read_world_file(&folder.path().join(raster)).expect("sound");
            let expected =
                Affine { origin: [500_000.0, 5.2e6], column: [10.0, 0.0], row: [0.0, -10.0] };
            assert_eq!(found, Some(expected), "{beside}");
        }
    }

    #[test]
    fn other_files_are_refused_in_one_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.tif");
        assert_eq!(read_world_file(&path).expect("missing"), None);
        for text in ["", "1 2 3", "1 2 3 4 5 6 7", "1 2 3 4 5 x", "1 2 3 4 5 nan"] {
            std::fs::write(folder.path().join("a.tfw"), text).expect("writable");
            let error = read_world_file(&path).expect_err(text).to_string();
            assert!(error.contains("6 numbers") && !error.contains('\n'), "{error}");
        }
    }
}
