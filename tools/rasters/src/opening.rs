//! Finding out what a file is.
//!
//! Content decides (magic numbers); the file's ending only where content cannot: headerless samples
//! and SRTM tiles.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::Path;

use flate2::bufread::GzDecoder;

use crate::ascii;
use crate::error::RasterError;
use crate::geotiff;
use crate::greyscale;
use crate::hgt;
use crate::hints::{Format, Hints};
use crate::raw;
use crate::source::RowSource;

/// Bytes that are looked at.
const START_BYTES: u64 = 512;

/// Formats that are known and not read: first bytes, name, what to do.
const STRANGERS: &[(&[u8], &str)] = &[
    (b"\xff\xd8\xff", "a JPEG picture: heightmaps need a lossless format with 16 bits"),
    (b"PK\x03\x04", "a zip archive: unpack it"),
    (b"\x89HDF", "an HDF5 or NetCDF file: convert it with gdal_translate in out.tif"),
    (b"CDF", "a NetCDF file: convert it with gdal_translate in out.tif"),
    (b"GIF8", "a GIF picture: heightmaps need 16-bit greyscale, for example PNG"),
    (b"BM", "a BMP picture: heightmaps need 16-bit greyscale, for example PNG"),
    (b"DSAA", "a Surfer grid: convert it with gdal_translate in out.tif"),
    (b"DSBB", "a Surfer grid: convert it with gdal_translate in out.tif"),
    (b"DSRB", "a Surfer grid: convert it with gdal_translate in out.tif"),
];

/// Opens a raster of any format this crate reads; see [`Format`].
///
/// Values come as heights in metres, NaN for NoData. The grid's `cell_m` is filled.
///
/// # Errors
///
/// When the file is missing, damaged, of another kind, in degrees that the hints refuse, or does
/// not say enough; the message names the option that helps.
pub fn open(path: &Path, hints: &Hints) -> Result<Box<dyn RowSource>, RasterError> {
    hints.check(path)?;
    let mut file = regular_file(path)?;
    let found = match hints.format {
        Some(format) => Kind::Known(format),
        None => recognise(path, &mut file)?,
    };
    if let (Some(_), Kind::Known(Format::AsciiGrid | Format::Hgt)) = (hints.height_range, found) {
        return Err(RasterError::hint(
            path,
            "holds heights in metres: leave --height-range out, it is for PNG and raw samples",
        ));
    }
    match found {
        Kind::Known(Format::GeoTiff) => geotiff::open(path, file, hints),
        Kind::Known(Format::AsciiGrid) => ascii::open(path, file, hints),
        Kind::Known(Format::Hgt) => hgt::open(path, file, hints),
        Kind::Known(Format::Png) => greyscale::open(path, file, hints),
        Kind::Known(format @ (Format::Raw16 | Format::Raw32)) => {
            raw::open(path, file, Some(format), hints)
        }
        Kind::Headerless => raw::open(path, file, None, hints),
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Known(Format),
    /// 16-bit samples or 32-bit floats, as the length of the file shows.
    Headerless,
}

fn regular_file(path: &Path) -> Result<File, RasterError> {
    let failed = |e| RasterError::io("open", path, e);
    let metadata = std::fs::metadata(path).map_err(failed)?;
    if metadata.is_dir() {
        return Err(RasterError::unsupported(path, "is a folder: name a raster file in it"));
    }
    if !metadata.is_file() {
        return Err(RasterError::unsupported(path, "is no regular file: copy it to one"));
    }
    if metadata.len() == 0 {
        return Err(RasterError::damaged(path, "is empty: fetch or export it again"));
    }
    File::open(path).map_err(failed)
}

fn recognise(path: &Path, file: &mut File) -> Result<Kind, RasterError> {
    let failed = |e| RasterError::io("read", path, e);
    let mut start = Vec::new();
    (&mut *file).take(START_BYTES).read_to_end(&mut start).map_err(failed)?;
    file.rewind().map_err(failed)?;

    if matches!(start.get(..4), Some(b"II*\0" | b"MM\0*" | b"II+\0" | b"MM\0+")) {
        return Ok(Kind::Known(Format::GeoTiff));
    }
    if start.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Ok(Kind::Known(Format::Png));
    }
    if ascii::recognises(&start) {
        return Ok(Kind::Known(Format::AsciiGrid));
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        let mut text = BufReader::new(GzDecoder::new(&start[..]));
        if text.fill_buf().is_ok_and(ascii::recognises) {
            return Ok(Kind::Known(Format::AsciiGrid));
        }
        return Err(RasterError::unsupported(
            path,
            "is gzipped but no ASCII grid: unpack it with gunzip",
        ));
    }
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "hgt" => return Ok(Kind::Known(Format::Hgt)),
        "r16" => return Ok(Kind::Known(Format::Raw16)),
        "r32" => return Ok(Kind::Known(Format::Raw32)),
        "raw" => return Ok(Kind::Headerless),
        _ => {}
    }
    let stranger = STRANGERS.iter().find(|(magic, _)| start.starts_with(magic));
    let what = match stranger {
        Some((_, name)) => format!("is {name}"),
        None => "is no raster this program knows (GeoTIFF, ESRI ASCII grid, SRTM .hgt, PNG; \
                 headerless samples need the ending .r16, .r32 or .raw)"
            .to_owned(),
    };
    Err(RasterError::unsupported(path, what))
}
