//! Single-band GeoTIFF of 32-bit floats: Deflate with the floating point predictor, in strips.
//!
//! Guarantees: the file appears under its name complete or not at all; the same rows give the same
//!             bytes on machines of one byte order.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use tiff::encoder::{DirectoryEncoder, TiffEncoder, TiffKind, TiffKindBig, TiffKindStandard};
use tiff::tags::Tag;
use tiff::{TiffError, TiffResult};

use super::sample::predict_floats;
use super::tag;
use crate::error::RasterError;
use crate::grid::Grid;
use crate::ground;

/// Uncompressed bytes of a strip, about.
const STRIP_BYTES: usize = 1 << 18;
/// Deflate level: on 5 million cells of terrain, level 6 takes six times as long for 4 % less.
const LEVEL: u32 = 1;
/// Uncompressed bytes from which offsets may need 64 bits: incompressible strips grow a little.
const BIG_FROM: u64 = 4_200_000_000;

/// Writes a single-band f32 GeoTIFF (Deflate, predictor 3, NoData tag, the grid's geo-keys) beside
/// `path` and renames it into place.
///
/// `row(index, cells)` fills one row, north first; NaN is written as `nodata`.
///
/// # Errors
///
/// When the grid is empty or the file cannot be written; what was under `path` before is then
/// still there, and nothing else.
pub fn write_geotiff(
    path: &Path,
    grid: &Grid,
    nodata: f32,
    row: impl FnMut(usize, &mut [f32]),
) -> Result<(), RasterError> {
    let bytes = grid.width as u64 * grid.height as u64 * 4;
    if bytes < BIG_FROM {
        write_as::<TiffKindStandard>(path, grid, nodata, row)
    } else {
        write_as::<TiffKindBig>(path, grid, nodata, row)
    }
}

fn write_as<K: TiffKind>(
    path: &Path,
    grid: &Grid,
    nodata: f32,
    row: impl FnMut(usize, &mut [f32]),
) -> Result<(), RasterError> {
    ground::checked_size(path, grid.width as u64, grid.height as u64)?;
    let failed = |e| RasterError::io("write", path, e);
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut partial = partial_file(folder).map_err(failed)?;
    let mut writer = BufWriter::with_capacity(1 << 16, partial.as_file_mut());
    encode::<K>(&mut writer, grid, nodata, row).map_err(|e| match e {
        TiffError::IoError(e) => failed(e),
        other => RasterError::Request(format!("cannot write {}: {other}", path.display())),
    })?;
    writer.flush().map_err(failed)?;
    drop(writer);
    partial.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

/// A file in `folder` that vanishes unless it is renamed, with the permissions of any new file.
fn partial_file(folder: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".partial-").suffix(".tif");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

fn encode<K: TiffKind>(
    writer: &mut BufWriter<&mut File>,
    grid: &Grid,
    nodata: f32,
    mut row: impl FnMut(usize, &mut [f32]),
) -> TiffResult<()> {
    let rows_per_strip = (STRIP_BYTES / 4 / grid.width).clamp(1, grid.height);
    let mut tiff = TiffEncoder::<_, K>::new_generic(writer)?;
    let mut directory = tiff.image_directory()?;
    let (mut offsets, mut lengths) = (Vec::new(), Vec::new());
    let mut cells = vec![nodata; grid.width];
    let mut predicted = Vec::new();
    let mut strip = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
    for index in 0..grid.height {
        cells.fill(nodata);
        row(index, &mut cells);
        for cell in cells.iter_mut().filter(|cell| cell.is_nan()) {
            *cell = nodata;
        }
        predict_floats(&cells, &mut predicted);
        strip.write_all(&predicted)?;
        if (index + 1) % rows_per_strip == 0 || index + 1 == grid.height {
            let packed = strip.reset(Vec::new())?;
            offsets.push(K::convert_offset(directory.write_data(&packed[..])?)?);
            lengths.push(K::convert_offset(packed.len() as u64)?);
        }
    }
    let narrow = |size: usize| u32::try_from(size).map_err(TiffError::from);
    let mut number = |tag: u16, value: u16| directory.write_tag(Tag::Unknown(tag), value);
    number(tag::BITS, 32)?;
    number(tag::COMPRESSION, 8)?;
    number(tag::PHOTOMETRIC, 1)?;
    number(tag::SAMPLES_PER_PIXEL, 1)?;
    number(tag::PREDICTOR, 3)?;
    number(tag::SAMPLE_FORMAT, 3)?;
    directory.write_tag(Tag::ImageWidth, narrow(grid.width)?)?;
    directory.write_tag(Tag::ImageLength, narrow(grid.height)?)?;
    directory.write_tag(Tag::RowsPerStrip, narrow(rows_per_strip)?)?;
    directory.write_tag(Tag::StripOffsets, K::convert_slice(&offsets))?;
    directory.write_tag(Tag::StripByteCounts, K::convert_slice(&lengths))?;
    write_placement(&mut directory, grid)?;
    directory.write_tag(Tag::GdalNodata, nodata.to_string().to_lowercase().as_str())?;
    directory.finish()
}

fn write_placement<W: Write + std::io::Seek, K: TiffKind>(
    directory: &mut DirectoryEncoder<'_, W, K>,
    grid: &Grid,
) -> TiffResult<()> {
    let scale = [grid.step_x, grid.step_y, 0.0];
    let tie = [0.0, 0.0, 0.0, grid.west, grid.north, 0.0];
    directory.write_tag(Tag::ModelPixelScaleTag, &scale[..])?;
    directory.write_tag(Tag::ModelTiepointTag, &tie[..])?;
    if let Some(crs) = &grid.crs {
        let (keys, doubles, texts) = crs.to_keys();
        directory.write_tag(Tag::GeoKeyDirectoryTag, &keys[..])?;
        if !doubles.is_empty() {
            directory.write_tag(Tag::GeoDoubleParamsTag, doubles)?;
        }
        if !texts.is_empty() {
            directory.write_tag(Tag::GeoAsciiParamsTag, texts)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hints::Hints;
    use crate::source::read_all;

    /// What files beyond 4 GB are written as, on a small one.
    #[test]
    fn big_tiff_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("big.tif");
        let grid = ground::unplaced((300, 500), (2.0, 2.0));
        let value = |row: usize, col: usize| (row * 300 + col) as f32 * 0.01;
        write_as::<TiffKindBig>(&path, &grid, -1.0, |row, cells| {
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
