//! Colours of a raster to look at: PNG and JPEG with a world file, GeoTIFF with bands of grey or of
//! red, green and blue.
//!
//! PNG and JPEG have their place by the `.aux.xml` file or the world file beside them, and their
//! system by the `.prj` file or the `.aux.xml` file; a GeoTIFF is read band by band as a heightmap
//! is.
//!
//! Guarantees: colours have 8 bits a channel; a pixel without data is transparent.
//! Limits:     a PNG or JPEG is decoded whole, at most 2²⁶ pixels (256 MiB), and is upright; a
//!             GeoTIFF is read row by row and has no such limit, but bands of 8 bits, no palette
//!             and no colours stored as JPEG.

use std::fs;
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use png::{ColorType, Decoder, Transformations};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::askew::Affine;
use crate::beside::{CrsFiles, read_world_file};
use crate::crs::Crs;
use crate::error::RasterError;
use crate::geotiff;
use crate::grid::{Grid, HorizontalUnit};
use crate::hints::{Hints, RasterValues};
use crate::opening::{bands, open};
use crate::size::checked_size;
use crate::source::RowSource;
use crate::wkt::System;

/// Most pixels of a picture that is decoded whole, of up to four bytes each.
const PIXELS_MAX: usize = 1 << 26;
/// Longest side of a JPEG.
const JPEG_SIDE_MAX: usize = 65_535;

/// Red, green, blue and opacity.
pub type RasterColour = [u8; 4];

/// Rows of colours, from north to south.
pub struct Colours {
    path: PathBuf,
    grid: Grid,
    rows: ColourSource,
    next: usize,
}

/// Source of the colours.
enum ColourSource {
    /// Samples of all pixels and their number per pixel: grey or colours, with an opacity behind
    /// them if the number is even.
    Whole(Vec<u8>, usize),
    /// Bands of grey, of colours, or of colours and their opacity; each with its next row.
    Bands(Vec<(Box<dyn RowSource>, Vec<f64>)>),
}

impl Colours {
    /// Opens a picture; `hints` on degrees and on the cell size act on a GeoTIFF.
    ///
    /// # Errors
    ///
    /// If the file is missing, damaged, of another kind, or has no coordinates.
    pub fn open(path: &Path, hints: &Hints) -> Result<Self, RasterError> {
        let start = start(path)?;
        if start.starts_with(b"\x89PNG\r\n\x1a\n") {
            return Self::whole(path, png_samples(path)?);
        }
        if start.starts_with(b"\xff\xd8\xff") {
            return Self::whole(path, jpeg_samples(path)?);
        }
        if matches!(start.get(..4), Some(b"II*\0" | b"MM\0*" | b"II+\0" | b"MM\0+")) {
            return Self::of_bands(path, hints);
        }
        Err(RasterError::unsupported(
            path,
            "is no picture that can be read (PNG, JPEG, GeoTIFF): convert it with gdal_translate \
             in out.tif",
        ))
    }

    /// Returns the size and place of the picture; lengths in metres may be unknown.
    #[must_use]
    pub fn grid(&self) -> &Grid {
        &self.grid
    }

    fn whole(path: &Path, (samples, size): (Vec<u8>, (usize, usize))) -> Result<Self, RasterError> {
        let channels = samples.len() / (size.0 * size.1);
        let grid = upright(path, size)?;
        Ok(Self {
            path: path.to_owned(),
            grid,
            rows: ColourSource::Whole(samples, channels),
            next: 0,
        })
    }

    fn of_bands(path: &Path, hints: &Hints) -> Result<Self, RasterError> {
        let file = fs::File::open(path).map_err(|error| RasterError::io("open", path, error))?;
        if geotiff::has_palette(path, Arc::new(file))? {
            return Err(RasterError::unsupported(
                path,
                "stores the numbers of colours in a palette: write the colours themselves with \
                 gdal_translate -expand rgb in.tif out.tif",
            ));
        }
        let count = bands(path, hints)?.len();
        let band = |number: usize| {
            let band = (count > 1 || number > 1).then_some(number);
            open(path, &Hints { band, values: RasterValues::Others, ..hints.clone() })
        };
        let mut sources = match count {
            1 => vec![band(1)?],
            3.. => vec![band(1)?, band(2)?, band(3)?],
            _ => {
                let what = "has two bands, and a picture has one of grey or three of colours: \
                            choose one with gdal_translate -b 1 in.tif out.tif";
                return Err(RasterError::unsupported(path, what));
            }
        };
        // An opacity behind the colours is no band of its own.
        if count == 3 {
            sources.extend(band(4).ok());
        }
        let grid = sources[0].grid().clone();
        let with_row = |source: Box<dyn RowSource>| {
            let row = vec![f64::NAN; source.grid().width];
            (source, row)
        };
        let rows = ColourSource::Bands(sources.into_iter().map(with_row).collect());
        Ok(Self { path: path.to_owned(), grid, rows, next: 0 })
    }

    /// Fills `row` with the next row.
    ///
    /// # Errors
    ///
    /// If the file ends early, is damaged, or has values that are no colours of 8 bits; also after
    /// the last row.
    ///
    /// # Panics
    ///
    /// If `row` is not as long as the grid is wide.
    pub fn next_row(&mut self, row: &mut [RasterColour]) -> Result<(), RasterError> {
        assert_eq!(row.len(), self.grid.width, "a row is as long as the grid is wide");
        let index = self.next;
        self.next += 1;
        match &mut self.rows {
            ColourSource::Whole(samples, channels) => {
                let length = row.len() * *channels;
                let Some(stored) = samples.get(index * length..(index + 1) * length) else {
                    return Err(RasterError::Request("all rows have been read".to_owned()));
                };
                for (colour, stored) in row.iter_mut().zip(stored.chunks_exact(*channels)) {
                    *colour = match *stored {
                        [grey] => [grey, grey, grey, 255],
                        [grey, opacity] => [grey, grey, grey, opacity],
                        [red, green, blue] => [red, green, blue, 255],
                        [red, green, blue, opacity, ..] => [red, green, blue, opacity],
                        [] => [0; 4],
                    };
                }
                Ok(())
            }
            ColourSource::Bands(bands) => {
                for (source, values) in bands.iter_mut() {
                    source.next_row(values)?;
                    check_depth(&self.path, values)?;
                }
                for (column, colour) in row.iter_mut().enumerate() {
                    *colour = of_values(bands.iter().map(|(_, values)| values[column]));
                }
                Ok(())
            }
        }
    }
}

/// Returns the colour of a cell of some bands; NaN means no data.
fn of_values(values: impl Iterator<Item = f64> + Clone) -> RasterColour {
    let most = values.clone().take(3).fold(f64::NAN, f64::max);
    if most.is_nan() {
        return [255, 255, 255, 0];
    }
    // A value of NoData in some of the colours alone is a colour.
    let mut channels = values.map(|value| channel(if value.is_nan() { most } else { value }));
    let first = channels.next().unwrap_or_default();
    match (channels.next(), channels.next()) {
        (Some(green), Some(blue)) => [first, green, blue, channels.next().unwrap_or(255)],
        _ => [first, first, first, 255],
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "conversion saturates")]
fn channel(value: f64) -> u8 {
    value.round() as u8
}

/// Refuses values that are no samples of 8 bits.
fn check_depth(path: &Path, values: &[f64]) -> Result<(), RasterError> {
    let beyond = values.iter().find(|value| !(value.is_nan() || (0.0..=255.0).contains(*value)));
    beyond.map_or(Ok(()), |value| {
        Err(RasterError::unsupported(
            path,
            format!(
                "has the value {value}, and colours go from 0 to 255: convert it with \
                 gdal_translate -ot Byte -scale in.tif out.tif"
            ),
        ))
    })
}

/// Returns the first bytes of a file.
fn start(path: &Path) -> Result<Vec<u8>, RasterError> {
    use std::io::Read;
    let failed = |error| RasterError::io("open", path, error);
    let file = fs::File::open(path).map_err(failed)?;
    let mut start = Vec::new();
    file.take(16).read_to_end(&mut start).map_err(|error| RasterError::io("read", path, error))?;
    Ok(start)
}

fn check_pixels(path: &Path, (width, height): (usize, usize)) -> Result<(), RasterError> {
    if width.saturating_mul(height) <= PIXELS_MAX {
        return Ok(());
    }
    Err(RasterError::unsupported(
        path,
        format!(
            "has {width} x {height} pixels, and a PNG or JPEG may have {PIXELS_MAX}, as it is held \
             whole: convert it to a GeoTIFF with gdal_translate -co TILED=YES in out.tif, or make \
             it smaller"
        ),
    ))
}

/// Samples of a PNG, 8 bits each, and its size.
fn png_samples(path: &Path) -> Result<(Vec<u8>, (usize, usize)), RasterError> {
    let bytes = fs::read(path).map_err(|error| RasterError::io("read", path, error))?;
    let damaged = |error: png::DecodingError| {
        RasterError::damaged(path, format!("cannot be decoded ({error}): fetch the file again"))
    };
    let mut decoder = Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(damaged)?;
    let info = reader.info();
    let size = checked_size(path, info.width.into(), info.height.into())?;
    check_pixels(path, size)?;
    let channels = match reader.output_color_type().0 {
        ColorType::Grayscale | ColorType::Indexed => 1,
        ColorType::GrayscaleAlpha => 2,
        ColorType::Rgb => 3,
        ColorType::Rgba => 4,
    };
    let mut samples = vec![0; size.0 * size.1 * channels];
    reader.next_frame(&mut samples).map_err(damaged)?;
    Ok((samples, size))
}

/// Samples of a JPEG as red, green and blue, and its size.
fn jpeg_samples(path: &Path) -> Result<(Vec<u8>, (usize, usize)), RasterError> {
    let bytes = fs::read(path).map_err(|error| RasterError::io("read", path, error))?;
    let damaged = |what: String| {
        RasterError::damaged(path, format!("cannot be decoded ({what}): fetch the file again"))
    };
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGB)
        .set_max_width(JPEG_SIDE_MAX)
        .set_max_height(JPEG_SIDE_MAX);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(bytes), options);
    decoder.decode_headers().map_err(|error| damaged(error.to_string()))?;
    let info = decoder.info().ok_or_else(|| damaged("no header".to_owned()))?;
    let size = checked_size(path, info.width.into(), info.height.into())?;
    check_pixels(path, size)?;
    let samples = decoder.decode().map_err(|error| damaged(error.to_string()))?;
    if samples.len() != 3 * size.0 * size.1 {
        return Err(damaged(format!("{} samples", samples.len())));
    }
    Ok((samples, size))
}

/// Returns the grid of a picture, by the files beside it.
fn upright(path: &Path, size: (usize, usize)) -> Result<Grid, RasterError> {
    let beside = CrsFiles::read(path)?;
    let of_aux = |[west, a, b, north, d, e]: [f64; 6]| Affine {
        origin: [west, north],
        column: [a, d],
        row: [b, e],
    };
    let place = match beside.aux.transform {
        Some(transform) => Some(of_aux(transform)),
        None => read_world_file(path)?,
    };
    let Some(place) = place else {
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let world = path.with_extension(match ending.as_str() {
            "png" => "pgw",
            _ => "jgw",
        });
        return Err(RasterError::hint(
            path,
            format!(
                "does not say where it lies: put a world file beside it ({}), or save it as \
                 GeoTIFF with gdal_translate -a_ullr WEST NORTH EAST SOUTH in out.tif",
                world.display()
            ),
        ));
    };
    let is_from_north_west = place.column[0] > 0.0 && place.row[1] < 0.0;
    if !(is_from_north_west && place.is_upright(size)) {
        return Err(RasterError::unsupported(
            path,
            "is turned or mirrored by its world file: turn it upright with gdalwarp in out.tif",
        ));
    }
    let of_text = |text: &str| System::parse(text).map(|system| Crs::described(&system, text));
    let of_prj = beside.prj.as_ref().and_then(|prj| of_text(&prj.text));
    let crs = of_prj.or_else(|| beside.aux.system.as_deref().and_then(of_text));
    Ok(Grid {
        width: size.0,
        height: size.1,
        west: place.origin[0],
        north: place.origin[1],
        step_x: place.column[0],
        step_y: -place.row[1],
        cell_m: None,
        unit: HorizontalUnit::Unknown,
        crs,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_bands_are_colours() {
        let nan = f64::NAN;
        for (values, colour) in [
            (&[7.0][..], [7, 7, 7, 255]),
            (&[nan], [255, 255, 255, 0]),
            (&[1.0, 2.0, 3.0], [1, 2, 3, 255]),
            (&[1.0, 2.0, 3.0, 9.0], [1, 2, 3, 9]),
            (&[nan, nan, nan], [255, 255, 255, 0]),
            (&[200.0, nan, 100.0], [200, 200, 100, 255]),
        ] {
            assert_eq!(of_values(values.iter().copied()), colour, "{values:?}");
        }
    }

    /// Writes a picture of 2 × 1 pixels, red and blue.
    fn written(name: &str) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join(name);
        let pixels = [255, 0, 0, 0, 0, 255].repeat(8);
        if name.ends_with("jpg") {
            let encoder = jpeg_encoder::Encoder::new_file(&path, 100).expect("writable");
            encoder.encode(&pixels, 2, 8, jpeg_encoder::ColorType::Rgb).expect("a JPEG");
        } else {
            let mut encoder = png::Encoder::new(fs::File::create(&path).expect("writable"), 2, 8);
            encoder.set_color(ColorType::Rgb);
            encoder
                .write_header()
                .and_then(|mut png| png.write_image_data(&pixels))
                .expect("a PNG");
        }
        (folder, path)
    }

    #[test]
    fn pictures_lie_where_their_world_file_says() {
        for (name, world, off) in [("a.png", "a.pgw", 0), ("a.jpg", "a.jgw", 130)] {
            let (folder, path) = written(name);
            let refused = Colours::open(&path, &Hints::default()).err().expect("no place");
            let refused = refused.to_string();
            assert!(refused.contains("a world file") && refused.contains(world), "{refused}");
            let world = folder.path().join(world);
            fs::write(&world, "5\n0\n0\n-5\n102.5\n197.5\n").expect("writable");
            let mut colours = Colours::open(&path, &Hints::default()).expect("a picture");
            let Grid { west, north, step_x, step_y, .. } = *colours.grid();
            assert_eq!((west, north, step_x, step_y), (100.0, 200.0, 5.0, 5.0));
            let mut row = [[0; 4]; 2];
            (0..8).for_each(|_| colours.next_row(&mut row).expect("a row"));
            // JPEG blends the colours of neighbours.
            assert!(row[0][0] >= 255 - off && row[1][2] >= 255 - off, "{row:?}");
            assert!(colours.next_row(&mut row).is_err());
            fs::write(&world, "4\n3\n3\n-4\n102.5\n197.5\n").expect("writable");
            let refused = Colours::open(&path, &Hints::default()).err().expect("turned");
            assert!(refused.to_string().contains("turned or mirrored"), "{refused}");
        }
    }

    /// Goal: bands of a TIFF are its colours, and deep ones are refused.
    #[test]
    fn bands_of_a_tiff_are_colours() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.tif");
        fs::write(folder.path().join("a.tfw"), "5\n0\n0\n-5\n102.5\n197.5\n").expect("writable");
        let hints = Hints { cell_m: Some((5.0, 5.0)), ..Hints::default() };
        let mut encoder =
            tiff::encoder::TiffEncoder::new(fs::File::create(&path).expect("writable"))
                .expect("a TIFF");
        let pixels = [255, 0, 0, 0, 0, 255];
        encoder.write_image::<tiff::encoder::colortype::RGB8>(2, 1, &pixels).expect("pixels");
        let mut colours = Colours::open(&path, &hints).expect("a picture");
        assert_eq!((colours.grid().west, colours.grid().north), (100.0, 200.0));
        let mut row = [[0; 4]; 2];
        colours.next_row(&mut row).expect("a row");
        assert_eq!(row, [[255, 0, 0, 255], [0, 0, 255, 255]]);
        let mut encoder =
            tiff::encoder::TiffEncoder::new(fs::File::create(&path).expect("writable"))
                .expect("a TIFF");
        encoder.write_image::<tiff::encoder::colortype::Gray16>(2, 1, &[7, 900]).expect("pixels");
        let refused = Colours::open(&path, &hints).and_then(|mut grey| grey.next_row(&mut row));
        let refused = refused.expect_err("16 bits").to_string();
        assert!(refused.contains("has the value 900") && refused.contains("-ot Byte"), "{refused}");
    }

    /// Goal: the size of a PNG is checked before memory is taken for its pixels.
    #[test]
    fn a_picture_that_is_too_large_to_be_held_is_refused() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.png");
        fs::write(folder.path().join("a.pgw"), "1\n0\n0\n-1\n0.5\n0.5\n").expect("writable");
        for (side, is_held) in [(8192_u32, true), (8193, false)] {
            let file = fs::File::create(&path).expect("writable");
            let mut encoder = png::Encoder::new(file, side, side);
            encoder.set_color(ColorType::Grayscale);
            encoder.set_depth(png::BitDepth::One);
            let bytes = vec![0; (side.div_ceil(8) * side) as usize];
            encoder.write_header().and_then(|mut png| png.write_image_data(&bytes)).expect("a PNG");
            let opened = Colours::open(&path, &Hints::default());
            let refused = opened.err().map(|error| error.to_string());
            assert_eq!(refused.is_none(), is_held, "{side}: {refused:?}");
            for words in ["has 8193 x 8193 pixels", "67108864", "-co TILED=YES in out.tif"] {
                assert!(refused.as_ref().is_none_or(|what| what.contains(words)), "{refused:?}");
            }
        }
    }

    #[test]
    fn other_files_are_no_pictures() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("a.svg");
        fs::write(&path, "<svg/>").expect("writable");
        let refused = Colours::open(&path, &Hints::default()).err().expect("no picture");
        assert!(refused.to_string().contains("is no picture that can be read"), "{refused}");
        fs::write(&path, b"\x89PNG\r\n\x1a\nrest").expect("writable");
        let refused = Colours::open(&path, &Hints::default()).err().expect("damaged");
        assert!(refused.to_string().contains("cannot be decoded"), "{refused}");
    }
}
