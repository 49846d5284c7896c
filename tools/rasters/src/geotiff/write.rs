//! Single-band GeoTIFF of 32-bit floats, Cloud-Optimised: Deflate with the floating point
//! predictor, in tiles, with overviews.
//!
//! ```text
//! header   structure   directories 0 … n   tiles n … 0     0: the raster, n: the coarsest overview
//! ```
//!
//! Guarantees: the file appears under its name complete or not at all; the same rows give the same
//!             bytes on every machine; a cell without a value is [`NODATA`] in every file.
//! Source:     OGC 21-026 (2023), Cloud Optimized GeoTIFF; the structure as GDAL's COG driver
//!             describes it; overviews: see `pyramid`.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::entries::{TagValue, TiffKind, WrittenDirectory};
use super::pyramid::{MARGIN_BYTES, Pyramid, PyramidLevel};
use super::tag;
use crate::error::RasterError;
use crate::grid::Grid;
use crate::size::checked_size;

/// Value of cells without a value in every raster that is written.
pub const NODATA: f32 = -9999.0;

/// Bytes of tiles and of their places from which offsets may need 64 bits.
const BIG_FROM: u64 = 4_200_000_000;

/// Layout of the file, for readers over a network.
const STRUCTURE: &str = "LAYOUT=IFDS_BEFORE_DATA\nBLOCK_ORDER=ROW_MAJOR\n\
    BLOCK_LEADER=SIZE_AS_UINT4\nBLOCK_TRAILER=LAST_4_BYTES_REPEATED\n\
    KNOWN_INCOMPATIBLE_EDITION=NO\n ";

/// Values of a raster.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RasterBand<'a> {
    /// Description of the values in a few words: `Maximum depth`.
    pub description: &'a str,
    /// Their unit: `m`, `m/s`, `s`; empty if they have no unit.
    pub unit: &'a str,
}

impl RasterBand<'_> {
    /// Heights of the ground.
    pub const ELEVATION: Self = Self { description: "Elevation", unit: "m" };
}

/// Writes a single-band f32 GeoTIFF (Cloud-Optimised, Deflate, predictor 3, unit and description,
/// the grid's geo-keys) beside `path` and renames it into place.
///
/// `row(index, cells)` fills one row, north first, which is NaN before; NaN is written as
/// [`NODATA`].
///
/// # Errors
///
/// If the grid is empty, a value is [`NODATA`] itself, or the file cannot be written; the file that
/// was under `path` before then remains, and nothing else.
pub fn write_geotiff(
    path: &Path,
    grid: &Grid,
    band: RasterBand<'_>,
    row: impl FnMut(usize, &mut [f32]),
) -> Result<(), RasterError> {
    write_from(BIG_FROM, path, grid, band, row)
}

fn write_from(
    big_from: u64,
    path: &Path,
    grid: &Grid,
    band: RasterBand<'_>,
    mut row: impl FnMut(usize, &mut [f32]),
) -> Result<(), RasterError> {
    checked_size(path, grid.width as u64, grid.height as u64)?;
    let failed = |e| RasterError::io("write", path, e);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut partial = partial_file(folder).map_err(failed)?;
    let mut pyramid = Pyramid::new((grid.width, grid.height), folder);
    let mut cells = vec![f32::NAN; grid.width];
    for index in 0..grid.height {
        cells.fill(f32::NAN);
        row(index, &mut cells);
        if let Some(column) = cells.iter().position(|cell| cell.to_bits() == NODATA.to_bits()) {
            return Err(RasterError::Request(format!(
                "cannot write {}: row {index}, column {column} is {NODATA}, which means NoData; \
                 change that value, or mark the cell as NoData",
                path.display()
            )));
        }
        pyramid.push(&cells).map_err(failed)?;
    }
    let mut writer = BufWriter::with_capacity(1 << 16, partial.as_file_mut());
    assemble(&mut writer, grid, band, &mut pyramid.levels, big_from).map_err(failed)?;
    writer.flush().map_err(failed)?;
    drop(writer);
    partial.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// Makes a file in `folder` that vanishes unless it is renamed, with the permissions of any new
/// file.
fn partial_file(folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".partial-").suffix(".tif");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Writes all parts in their order.
fn assemble(
    out: &mut dyn Write,
    grid: &Grid,
    band: RasterBand<'_>,
    levels: &mut [PyramidLevel],
    big_from: u64,
) -> io::Result<()> {
    let places: u64 = levels.iter().map(|level| 16 * level.tiled() as u64).sum();
    let data: u64 = levels.iter().map(PyramidLevel::bytes).sum();
    let kind = if data + places < big_from { TiffKind::Classic } else { TiffKind::Big };
    let mut head = format!("GDAL_STRUCTURAL_METADATA_SIZE={:06} bytes\n", STRUCTURE.len());
    head.push_str(STRUCTURE);
    let first = (kind.header_bytes() + head.len() as u64).next_multiple_of(8);
    // The length of a directory does not depend on the offsets in it.
    let mut at = first;
    let mut directories = Vec::new();
    for index in 0..levels.len() {
        directories.push(at);
        at += entries(grid, band, levels, index, 0)?.bytes(kind);
    }
    let mut starts = vec![0; levels.len()];
    for (level, start) in levels.iter().zip(&mut starts).rev() {
        *start = at;
        at += level.bytes();
    }
    let mut header = kind.header(first);
    header.extend(head.as_bytes());
    header.resize(header.len().next_multiple_of(8), 0);
    out.write_all(&header)?;
    for (index, &place) in directories.iter().enumerate() {
        let next = directories.get(index + 1).copied().unwrap_or(0);
        let entries = entries(grid, band, levels, index, starts[index])?;
        out.write_all(&entries.encoded(kind, place, next))?;
    }
    levels.iter_mut().rev().try_for_each(|level| level.copy(out))
}

/// Returns the directory of a level whose tiles begin at `start`.
fn entries(
    grid: &Grid,
    band: RasterBand<'_>,
    levels: &[PyramidLevel],
    index: usize,
    start: u64,
) -> io::Result<WrittenDirectory> {
    let level = &levels[index];
    let long = |size: usize| -> io::Result<TagValue> {
        Ok(TagValue::Longs(vec![u32::try_from(size).map_err(io::Error::other)?]))
    };
    let mut offsets = Vec::with_capacity(level.lengths.len());
    let mut at = start;
    for &length in &level.lengths {
        offsets.push(at + MARGIN_BYTES);
        at += u64::from(length) + 2 * MARGIN_BYTES;
    }
    let mut entries = WrittenDirectory::default();
    entries.put(tag::SUBFILE_TYPE, long(usize::from(index > 0))?);
    entries.put(tag::WIDTH, long(level.width)?);
    entries.put(tag::HEIGHT, long(level.height)?);
    entries.put_short(tag::BITS, 32);
    entries.put_short(tag::COMPRESSION, 8);
    entries.put_short(tag::PHOTOMETRIC, 1);
    entries.put_short(tag::SAMPLES_PER_PIXEL, 1);
    entries.put_short(tag::PLANAR, 1);
    entries.put_short(tag::PREDICTOR, 3);
    entries.put_short(tag::SAMPLE_FORMAT, 3);
    entries.put(tag::TILE_WIDTH, long(level.side)?);
    entries.put(tag::TILE_HEIGHT, long(level.side)?);
    entries.put(tag::TILE_OFFSETS, TagValue::Offsets(offsets));
    entries.put(tag::TILE_BYTES, TagValue::Longs(level.lengths.clone()));
    entries.put(tag::GDAL_NODATA, TagValue::Text(NODATA.to_string()));
    if index == 0 {
        put_meaning(&mut entries, band);
        put_placement(&mut entries, grid);
    }
    Ok(entries)
}

/// Adds unit and description, as GDAL reads them, and the description for other programs.
fn put_meaning(entries: &mut WrittenDirectory, band: RasterBand<'_>) {
    let RasterBand { description, unit } = band;
    let item = |name: &str, role: &str, text: &str| {
        let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        format!("  <Item name=\"{name}\" sample=\"0\" role=\"{role}\">{text}</Item>\n")
    };
    let mut items = String::new();
    if !description.is_empty() {
        items += &item("DESCRIPTION", "description", description);
        entries.put(tag::DESCRIPTION, TagValue::Text(description.to_owned()));
    }
    if !unit.is_empty() {
        items += &item("UNITTYPE", "unittype", unit);
    }
    if !items.is_empty() {
        let text = format!("<GDALMetadata>\n{items}</GDALMetadata>\n");
        entries.put(tag::GDAL_METADATA, TagValue::Text(text));
    }
}

/// Adds the place of the raster.
fn put_placement(entries: &mut WrittenDirectory, grid: &Grid) {
    let tie = vec![0.0, 0.0, 0.0, grid.west, grid.north, 0.0];
    entries.put(tag::PIXEL_SCALE, TagValue::Doubles(vec![grid.step_x, grid.step_y, 0.0]));
    entries.put(tag::TIE_POINT, TagValue::Doubles(tie));
    let Some(crs) = &grid.crs else { return };
    let (keys, doubles, texts) = crs.to_keys();
    entries.put(tag::GEO_KEYS, TagValue::Shorts(keys));
    if !doubles.is_empty() {
        entries.put(tag::GEO_DOUBLES, TagValue::Doubles(doubles.to_vec()));
    }
    if !texts.is_empty() {
        entries.put(tag::GEO_TEXTS, TagValue::Text(texts.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ground;
    use crate::hints::Hints;
    use crate::source::read_all;

    /// Goal: a small file in the form of files beyond 4 GB is read back.
    #[test]
    fn big_tiff_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big.tif");
        let grid = ground::unplaced((300, 500), (2.0, 2.0));
        let value = |row: usize, col: usize| (row * 300 + col) as f32 * 0.01;
        let band = RasterBand { description: "", unit: "" };
        write_from(0, &path, &grid, band, |row, cells| {
            for (col, cell) in cells.iter_mut().enumerate() {
                *cell = value(row, col);
            }
        })
        .unwrap();
        assert_eq!(std::fs::read(&path).unwrap()[2], 43);
        let mut source = crate::open(&path, &Hints::default()).unwrap();
        let (_, found) = read_all(source.as_mut()).unwrap();
        for (index, &cell) in found.iter().enumerate() {
            assert_eq!(cell.to_bits(), value(index / 300, index % 300).to_bits(), "{index}");
        }
    }
}
