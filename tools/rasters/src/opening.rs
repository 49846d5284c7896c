//! Recognition of the format of a file.
//!
//! Content decides (magic numbers); the file's ending only if content cannot: headerless samples
//! and SRTM tiles.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};

use flate2::bufread::GzDecoder;

use crate::aux_xml::AuxXml;
use crate::error::RasterError;
use crate::geotiff::BandStated;
use crate::hints::{Format, Hints};
use crate::mosaic::{self, MosaicKind};
use crate::source::RowSource;
use crate::{ascii, geotiff, hgt, picture, raw, strangers};

/// Bytes that are examined.
const START_BYTES: u64 = 512;

/// First bytes of a VRT.
const VRT: &[u8] = b"<VRTDataset";

/// Opens a raster of any format this crate reads; see [`Format`].
///
/// Values are heights in metres, NaN for NoData. The grid's `cell_m` is filled. A folder, a
/// list of files (`.txt`) and a simple VRT are the mosaic of their rasters, gaps NoData, the last
/// in order on top.
///
/// # Errors
///
/// If the file is missing, damaged, of a different kind, in degrees that the hints refuse, or lacks
/// a fact that is needed; the message names the option that helps.
pub fn open(path: &Path, hints: &Hints) -> Result<Box<dyn RowSource>, RasterError> {
    hints.check(path)?;
    match mosaic_kind(path, hints)? {
        Some(kind) => mosaic::open(path, kind, hints),
        None => open_one(path, hints),
    }
}

/// Returns the files that [`open`] reads for a raster: itself, or a mosaic's list and rasters.
///
/// # Errors
///
/// If a list is missing or damaged.
pub fn files(path: &Path, hints: &Hints) -> Result<Vec<PathBuf>, RasterError> {
    match mosaic_kind(path, hints)? {
        Some(kind) => mosaic::files(path, kind, hints),
        None => Ok(vec![path.to_owned()]),
    }
}

/// Returns the statements of a raster on the values of each band. The statements of a mosaic are
/// the first raster's, but for the unit that a VRT states; a unit that differs in another raster is
/// added.
///
/// # Errors
///
/// If the file is missing, damaged or of a different kind; if the rasters of a mosaic differ in the
/// number, the names or the times of their bands; if a VRT has several bands.
pub fn bands(path: &Path, hints: &Hints) -> Result<Vec<BandStated>, RasterError> {
    let Some(kind) = mosaic_kind(path, hints)? else { return bands_of_one(path) };
    let files = mosaic::files(path, kind, hints).map_err(|error| {
        let first = Hints { band: Some(1), ..hints.clone() };
        let has_several = kind == MosaicKind::Vrt && mosaic::files(path, kind, &first).is_ok();
        let what = "is a VRT of several bands: make one file of it with gdal_translate in.vrt \
                    out.tif";
        if has_several { RasterError::unsupported(path, what) } else { error }
    })?;
    let own = (kind != MosaicKind::Folder).then_some(path);
    let mut members = files.iter().filter(|file| own != Some(file.as_path()));
    let Some(first) = members.next() else { return Ok(vec![BandStated::default()]) };
    let of_member = |member: &Path| match kind {
        // The only band of a VRT may be any of its rasters.
        MosaicKind::Vrt => bands_of_one(member).map(geotiff::one_of),
        MosaicKind::Folder | MosaicKind::List => bands_of_one(member),
    };
    let mut bands = of_member(first)?;
    for member in members {
        let others = of_member(member)?;
        if others.len() != bands.len() {
            let what = format!(
                "has {} bands, and {} of the same mosaic has {}: give all the same bands",
                others.len(),
                first.display(),
                bands.len()
            );
            return Err(RasterError::unsupported(member, what));
        }
        let pairs = bands.iter().zip(&others);
        let differs = pairs.clone().position(|(band, other)| !band.is_as_late_as(other));
        if let Some(index) = differs.filter(|_| bands.len() > 1) {
            let what = format!(
                "has another time or name of band {} than {} of the same mosaic: give all the \
                 same bands, in one order",
                index + 1,
                first.display()
            );
            return Err(RasterError::unsupported(member, what));
        }
        bands.iter_mut().zip(&others).for_each(|(band, other)| band.add(other));
    }
    if let Some(unit) = mosaic::unit(path, kind, hints)? {
        bands.iter_mut().for_each(|band| band.set_unit(&unit));
    }
    Ok(bands)
}

fn bands_of_one(path: &Path) -> Result<Vec<BandStated>, RasterError> {
    let mut file = regular_file(path)?;
    match recognise(path, &mut file)? {
        FoundFormat::Known(Format::GeoTiff) => geotiff::bands(path, file),
        _ => {
            let unit = AuxXml::beside(path)?.band(1).unit;
            Ok(vec![BandStated { unit, ..BandStated::default() }])
        }
    }
}

/// Returns the kind of mosaic that a path names, if it names one.
fn mosaic_kind(path: &Path, hints: &Hints) -> Result<Option<MosaicKind>, RasterError> {
    if path.is_dir() {
        return Ok(Some(MosaicKind::Folder));
    }
    if hints.format.is_some() {
        return Ok(None);
    }
    if path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("txt")) {
        let start = start(path, &mut regular_file(path)?)?;
        return Ok((!ascii::recognises(&start)).then_some(MosaicKind::List));
    }
    let start = start(path, &mut regular_file(path)?)?;
    let is_vrt = start.windows(VRT.len()).any(|window| window == VRT);
    Ok(is_vrt.then_some(MosaicKind::Vrt))
}

/// Opens a raster that is a file of its own.
pub(crate) fn open_one(path: &Path, hints: &Hints) -> Result<Box<dyn RowSource>, RasterError> {
    let mut file = regular_file(path)?;
    let found = match hints.format {
        Some(format) => FoundFormat::Known(format),
        None => recognise(path, &mut file)?,
    };
    if let (Some(_), FoundFormat::Known(Format::AsciiGrid | Format::Hgt)) =
        (hints.height_range, found)
    {
        return Err(RasterError::hint(
            path,
            "holds heights in metres: leave --height-range out, it is for PNG and raw samples",
        ));
    }
    let has_colours = matches!(found, FoundFormat::Known(Format::GeoTiff | Format::Png));
    if hints.encoding.is_some() && !has_colours {
        return Err(RasterError::hint(
            path,
            "has no colours: leave --encoding out, it is for colour pictures whose colours stand \
             for heights",
        ));
    }
    let has_order =
        matches!(found, FoundFormat::Known(Format::GeoTiff | Format::AsciiGrid | Format::Png));
    if hints.byte_order.is_some() && has_order {
        let what = "states its own byte order: leave --byte-order out, it is for raw samples and \
                    .hgt";
        return Err(RasterError::hint(path, what));
    }
    match found {
        FoundFormat::Known(Format::GeoTiff) => geotiff::open(path, file, hints),
        FoundFormat::Known(Format::AsciiGrid) => ascii::open(path, file, hints),
        FoundFormat::Known(Format::Hgt) => hgt::open(path, file, hints),
        FoundFormat::Known(Format::Png) => picture::open(path, file, hints),
        FoundFormat::Known(format @ (Format::Raw16 | Format::Int16 | Format::Raw32)) => {
            raw::open(path, file, Some(format), hints)
        }
        FoundFormat::Headerless => raw::open(path, file, None, hints),
    }
}

#[derive(Clone, Copy)]
enum FoundFormat {
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

/// Returns the first bytes of a file, which is then at its beginning again.
fn start(path: &Path, file: &mut File) -> Result<Vec<u8>, RasterError> {
    let failed = |e| RasterError::io("read", path, e);
    let mut start = Vec::new();
    (&mut *file).take(START_BYTES).read_to_end(&mut start).map_err(failed)?;
    file.rewind().map_err(failed)?;
    Ok(start)
}

fn recognise(path: &Path, file: &mut File) -> Result<FoundFormat, RasterError> {
    let start = start(path, file)?;
    if matches!(start.get(..4), Some(b"II*\0" | b"MM\0*" | b"II+\0" | b"MM\0+")) {
        return Ok(FoundFormat::Known(Format::GeoTiff));
    }
    if start.starts_with(b"\x89PNG\r\n\x1a\n") {
        return Ok(FoundFormat::Known(Format::Png));
    }
    if ascii::recognises(&start) {
        return Ok(FoundFormat::Known(Format::AsciiGrid));
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        let mut text = BufReader::new(GzDecoder::new(&start[..]));
        if text.fill_buf().is_ok_and(ascii::recognises) {
            return Ok(FoundFormat::Known(Format::AsciiGrid));
        }
        return Err(RasterError::unsupported(
            path,
            "is gzipped but no ASCII grid: unpack it with gunzip",
        ));
    }
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    match ending.as_str() {
        "hgt" => return Ok(FoundFormat::Known(Format::Hgt)),
        "r16" => return Ok(FoundFormat::Known(Format::Raw16)),
        "r32" => return Ok(FoundFormat::Known(Format::Raw32)),
        "raw" => return Ok(FoundFormat::Headerless),
        _ => {}
    }
    let what = match strangers::name(path, &start, &ending) {
        Some(stranger) => format!("is {stranger}"),
        None => "is no raster this program knows (GeoTIFF, ESRI ASCII grid, SRTM .hgt, PNG; \
                 headerless samples need the ending .r16, .r32 or .raw): convert it with \
                 gdal_translate in out.tif"
            .to_owned(),
    };
    Err(RasterError::unsupported(path, what))
}
