//! A level of a world becomes a map: GeoTIFF, or a 16-bit PNG with what it cannot say beside it.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use flood_preview::refusal::Refusal;
use rasters::Grid;
use serde::Serialize;
use thalweg::store::StoreError;
use thalweg::store::terrain::StoredBeds;

use crate::args::{ExportArgs, Layer};
use crate::import::short;
use crate::level::{LevelRows, narrow};
use crate::partial::{self, Partial};
use crate::progress::Progress;
use crate::world;

/// Largest sample of a PNG; 0 is NoData.
const SAMPLE_MAX: f64 = 65_535.0;

/// What was written.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exported {
    /// The map.
    pub map: PathBuf,
    /// What stands beside a PNG and says how high it is.
    pub sidecar: Option<PathBuf>,
    /// Level of the world.
    pub level: u8,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Width of a cell, m.
    pub cell_m: f64,
    /// Heights are multiples of this, m: of a PNG.
    pub step_m: Option<f64>,
}

/// Writes a level of a world as a map.
///
/// # Errors
///
/// If the world cannot be read or has no such level, or the map cannot be written; no file is then
/// left.
pub fn export(args: &ExportArgs, progress: &Progress) -> Result<Exported, Refusal> {
    let Layer::Bed = args.layer;
    let ending = args.out.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_png = match ending.as_str() {
        "tif" | "tiff" => false,
        "png" => true,
        _ => {
            return Err(Refusal::new(
                format!("{} is no name of a map", args.out.display()),
                "end it in .tif or .png",
            ));
        }
    };
    let store = world::open(&args.world)?;
    let failed = |error| world::refused(&args.world, &error);
    let stored = StoredBeds::open(&store).map_err(failed)?;
    let head = stored.head();
    if args.level > head.coarsest {
        return Err(Refusal::new(
            format!("{} has no level {}", args.world.display(), args.level),
            format!("choose --level from 0 to {}", head.coarsest),
        ));
    }
    let finest = world::grid(&args.world, &store, head)?;
    let grid = world::level_grid(&finest, head, args.level);
    let cell_m = head.cell_width_m * f64::from(1_u32 << args.level);
    let mut rows = LevelRows::new(&stored, args.level);
    let watch = &mut progress.begin("writing rows");
    let (sidecar, step_m) = if is_png {
        let range = Range::new(head.scale.metres(head.low), head.scale.metres(head.high));
        write_png(args, &mut rows, range, cell_m, watch)?
    } else {
        write_tif(args, &mut rows, &grid, watch)?;
        (None, None)
    };
    progress.finish();
    let Grid { width, height, .. } = grid;
    Ok(Exported {
        map: args.out.clone(),
        sidecar,
        level: args.level,
        width,
        height,
        cell_m,
        step_m,
    })
}

/// Share of the rows that are done.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn share(index: usize, height: usize) -> f64 {
    index as f64 / height as f64
}

fn write_tif(
    args: &ExportArgs,
    rows: &mut LevelRows<'_>,
    grid: &Grid,
    watch: &mut dyn FnMut(f64),
) -> Result<(), Refusal> {
    let partial = Partial::begin(&args.out, args.force)?;
    let mut error: Option<StoreError> = None;
    rasters::write_geotiff(&partial.path(), grid, f32::NAN, |index, cells| {
        if error.is_some() {
            return;
        }
        watch(share(index, grid.height));
        match rows.row(index) {
            Ok(row) => cells.iter_mut().zip(row).for_each(|(cell, bed)| *cell = narrow(bed)),
            Err(found) => error = Some(found),
        }
    })?;
    match error {
        Some(error) => Err(world::refused(&args.world, &error)),
        None => partial.finish(),
    }
}

/// How heights become samples.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Range {
    low_m: f64,
    high_m: f64,
}

impl Range {
    /// A range that is not empty.
    fn new(low_m: f64, high_m: f64) -> Self {
        Self { low_m, high_m: high_m.max(low_m + 1.0) }
    }

    /// Difference of neighbouring samples, m.
    fn step_m(self) -> f64 {
        (self.high_m - self.low_m) / (SAMPLE_MAX - 1.0)
    }

    /// The sample of a height; 0 of none.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    fn sample(self, metres: f64) -> u16 {
        if metres.is_nan() {
            return 0;
        }
        ((metres - self.low_m) / self.step_m() + 1.5).clamp(1.0, SAMPLE_MAX) as u16
    }

    /// What a reader has to know: where sample 0 and the largest would lie.
    fn sidecar(self, cell_m: f64) -> String {
        format!(
            "cell_m = {cell_m:?}\nheight_min_m = {:?}\nheight_max_m = {:?}\nnodata = 0\n",
            self.low_m - self.step_m(),
            self.high_m
        )
    }
}

/// Where a map's sidecar stands, and the step of its heights.
type Beside = (Option<PathBuf>, Option<f64>);

fn write_png(
    args: &ExportArgs,
    rows: &mut LevelRows<'_>,
    range: Range,
    cell_m: f64,
    watch: &mut dyn FnMut(f64),
) -> Result<Beside, Refusal> {
    let beside = args.out.with_extension("toml");
    partial::check_free(&beside, args.force)?;
    let partial = Partial::begin(&args.out, args.force)?;
    let damage = encode(&partial.path(), rows, range, watch)
        .map_err(|error| partial::refused(&args.out, &error))?;
    if let Some(error) = damage {
        return Err(world::refused(&args.world, &error));
    }
    let words = Partial::begin(&beside, args.force)?;
    fs::write(words.path(), range.sidecar(cell_m))
        .map_err(|error| partial::refused(&beside, &error))?;
    words.finish()?;
    partial.finish()?;
    Ok((Some(beside), Some(range.step_m())))
}

/// Writes samples; what is returned is damage of the world that ended it early.
fn encode(
    path: &Path,
    rows: &mut LevelRows<'_>,
    range: Range,
    watch: &mut dyn FnMut(f64),
) -> io::Result<Option<StoreError>> {
    let side = |count: usize| u32::try_from(count).map_err(io::Error::other);
    let (width, height) = (side(rows.width())?, side(rows.height())?);
    let mut file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    for index in 0..rows.height() {
        watch(share(index, rows.height()));
        let row = match rows.row(index) {
            Ok(row) => row,
            Err(error) => return Ok(Some(error)),
        };
        let bytes: Vec<u8> = row.flat_map(|bed| range.sample(bed).to_be_bytes()).collect();
        stream.write_all(&bytes)?;
    }
    stream.finish()?;
    writer.finish()?;
    file.flush()?;
    Ok(None)
}

impl fmt::Display for Exported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, level, .. } = self;
        let (map, cell) = (self.map.display(), short(self.cell_m));
        write!(f, "{map}: {width} × {height} cells of {cell} m, level {level}")?;
        if let (Some(beside), Some(step_m)) = (&self.sidecar, self.step_m) {
            let step_mm = (step_m * 1.0e4).round() / 10.0;
            write!(f, ", heights in {step_mm} mm as {} says", beside.display())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_span_the_range() {
        let range = Range::new(100.0, 100.0 + 65_534.0 / 8.0);
        for (metres, sample) in [
            (f64::NAN, 0),
            (100.0, 1),
            (100.125, 2),
            (100.2, 3),
            (0.0, 1),
            (1.0e6, u16::MAX),
            (100.0 + 65_534.0 / 8.0, u16::MAX),
        ] {
            assert_eq!(range.sample(metres), sample, "{metres}");
        }
        assert!(range.sidecar(5.0).contains("height_min_m = 99.875"), "{}", range.sidecar(5.0));
        assert_eq!(Range::new(3.0, 3.0).sample(3.0), 1);
    }
}
