//! Export of a level of a world as a map: GeoTIFF, or a 16-bit PNG with a sidecar for its metadata.
//!
//! Limits: beds are read a row of tiles at a time; for layers of water the whole world is loaded.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use kit::error::UserError;
use kit::output::partial::{Partial, check_free, unwritten};
use kit::progress::CommandProgress;
use kit::terminal::shown;
use kit::world;
use kit::world::water::{load, no_water, refused};
use rasters::{Grid, RasterBand};
use serde::Serialize;
use thalweg::file::StoredBeds;
use thalweg::world::{SaveFile, StoreError, World, WorldSummary};

use crate::args::{ExportArgs, ExportLayer};
use crate::import::short;
use crate::layers;
use crate::level::{ExportRows, LevelRows, narrow};

/// Largest sample of a PNG; 0 is NoData.
const SAMPLE_MAX: f64 = 65_535.0;

/// Result of an export.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exported {
    /// The map.
    #[serde(serialize_with = "crate::naming::file")]
    pub map: PathBuf,
    /// File beside a PNG that explains its samples.
    #[serde(serialize_with = "crate::naming::file_or_none")]
    pub sidecar: Option<PathBuf>,
    /// Layer of the world.
    pub layer: String,
    /// Unit of its values.
    pub unit: &'static str,
    /// Level of the world.
    pub level: u8,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Width of a cell, m.
    pub cell_m: f64,
    /// Step of which values are multiples, if the map is a PNG.
    pub step: Option<f64>,
}

/// Writes a level of a world as a map.
///
/// # Errors
///
/// If the world cannot be read or has no such level, or the map cannot be written; no file is then
/// left.
pub fn export(args: &ExportArgs, progress: &CommandProgress) -> Result<Exported, UserError> {
    let ending = args.out.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let is_png = match ending.as_str() {
        "tif" | "tiff" => false,
        "png" => true,
        _ => {
            return Err(UserError::new(
                format!("{} is no name of a map", args.out.display()),
                "end it in .tif or .png",
            ));
        }
    };
    let mut file = SaveFile::of(world::open(&args.world)?).limits(args.limit.limits());
    let water = water_of(args, &mut file, progress)?;
    let store = file.store();
    let failed = |error| world::refused(&args.world, &error);
    let stored = StoredBeds::open(store).map_err(failed)?;
    let head = stored.head();
    if args.level > head.coarsest {
        return Err(UserError::new(
            format!("{} has no level {}", args.world.display(), args.level),
            format!("choose --level from 0 to {}", head.coarsest),
        ));
    }
    let finest = world::grid(&args.world, store, head)?;
    let grid = world::level_grid(&finest, head, args.level);
    let cell_m = head.cell_width_m * f64::from(1_u32 << args.level);
    let (mut beds, mut plane);
    let (rows, range): (&mut dyn ExportRows, SampleRange) = match &water {
        None => {
            beds = LevelRows::new(&stored, args.level);
            (&mut beds, SampleRange::new(head.scale.metres(head.low), head.scale.metres(head.high)))
        }
        Some((loaded, wet_m)) => {
            plane = layers::plane(loaded, head, args.layer, args.level, *wet_m)?;
            let (low, high) = plane.range();
            (&mut plane, SampleRange::new(low, high))
        }
    };
    let watch = &mut progress.watch("writing rows");
    let (sidecar, step) = if is_png {
        write_png(args, rows, range, cell_m, watch)?
    } else {
        write_tif(args, rows, &grid, watch)?;
        (None, None)
    };
    progress.finish();
    let Grid { width, height, .. } = grid;
    Ok(Exported {
        map: args.out.clone(),
        layer: args.layer.name(),
        unit: args.layer.unit(),
        sidecar,
        level: args.level,
        width,
        height,
        cell_m,
        step,
    })
}

/// Returns the world whose water is requested, with its maps up to date, and the depth from which
/// its cells count as wet, m; `None` if the ground is requested.
fn water_of(
    args: &ExportArgs,
    file: &mut SaveFile,
    progress: &CommandProgress,
) -> Result<Option<(World, f64)>, UserError> {
    if args.layer == ExportLayer::Bed {
        return Ok(None);
    }
    let summary = file.summary().map_err(|error| refused(&args.world, &error))?;
    let WorldSummary { wet_depth_m, maps, level, .. } =
        summary.ok_or_else(|| no_water(&args.world))?;
    maps.check(layers::needs(args.layer, args.level, level)).map_err(|missing| {
        UserError::new(
            format!("{} keeps no flood map of {}", args.world.display(), missing.kinds()),
            "make the world with `flood-preview --world`, which keeps all, or name the kind in \
             `WorldBuilder::maps`",
        )
    })?;
    progress.spin("loading the world");
    let mut world = load(&args.world, file)?;
    world.bring_maps_up_to_date();
    Ok(Some((world, wet_depth_m)))
}

/// Returns the share of the rows that are done.
#[expect(clippy::cast_precision_loss, reason = "a share")]
fn share(index: usize, height: usize) -> f64 {
    index as f64 / height as f64
}

fn write_tif(
    args: &ExportArgs,
    rows: &mut dyn ExportRows,
    grid: &Grid,
    watch: &mut dyn FnMut(f64),
) -> Result<(), UserError> {
    let partial = Partial::begin(&args.out, args.force.into())?;
    let (mut error, mut row): (Option<StoreError>, _) = (None, vec![f64::NAN; grid.width]);
    let band = RasterBand { description: args.layer.description(), unit: args.layer.unit() };
    rasters::write_geotiff(&partial.path(), grid, band, |index, cells| {
        if error.is_some() {
            return;
        }
        watch(share(index, grid.height));
        match rows.fill(index, &mut row) {
            Ok(()) => cells.iter_mut().zip(&row).for_each(|(cell, &value)| *cell = narrow(value)),
            Err(found) => error = Some(found),
        }
    })?;
    match error {
        Some(error) => Err(world::refused(&args.world, &error)),
        None => partial.finish(),
    }
}

/// Map from values to samples.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SampleRange {
    low: f64,
    high: f64,
}

impl SampleRange {
    /// Returns a range that is not empty.
    fn new(low: f64, high: f64) -> Self {
        Self { low, high: high.max(low + 1.0) }
    }

    /// Returns the difference of neighbouring samples.
    fn step(self) -> f64 {
        (self.high - self.low) / (SAMPLE_MAX - 1.0)
    }

    /// Returns the sample of a value; 0 for NaN.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    fn sample(self, value: f64) -> u16 {
        if value.is_nan() {
            return 0;
        }
        ((value - self.low) / self.step() + 1.5).clamp(1.0, SAMPLE_MAX) as u16
    }

    /// Returns text for the reader: the values of sample 0 and of the largest.
    fn sidecar(self, cell_m: f64, layer: ExportLayer) -> String {
        let (low, high) = (self.low - self.step(), self.high);
        if layer.unit() == "m" {
            // Readers of heightmaps expect this form.
            return format!(
                "cell_m = {cell_m:?}\nheight_min_m = {low:?}\nheight_max_m = {high:?}\nnodata = 0\n"
            );
        }
        format!(
            "cell_m = {cell_m:?}\nvalue_min = {low:?}\nvalue_max = {high:?}\nunit = {:?}\n\
             nodata = 0\n",
            layer.unit()
        )
    }
}

/// Path of a map's sidecar, and the step of its heights.
type ExportSidecar = (Option<PathBuf>, Option<f64>);

fn write_png(
    args: &ExportArgs,
    rows: &mut dyn ExportRows,
    range: SampleRange,
    cell_m: f64,
    watch: &mut dyn FnMut(f64),
) -> Result<ExportSidecar, UserError> {
    let beside = args.out.with_extension("toml");
    check_free(&beside, args.force.into())?;
    let partial = Partial::begin(&args.out, args.force.into())?;
    let damage = encode(&partial.path(), rows, range, watch)
        .map_err(|error| unwritten(&args.out, &error))?;
    if let Some(error) = damage {
        return Err(world::refused(&args.world, &error));
    }
    let words = Partial::begin(&beside, args.force.into())?;
    fs::write(words.path(), range.sidecar(cell_m, args.layer))
        .map_err(|error| unwritten(&beside, &error))?;
    words.finish()?;
    partial.finish()?;
    Ok((Some(beside), Some(range.step())))
}

/// Writes samples; returns damage of the world that ended it early.
fn encode(
    path: &Path,
    rows: &mut dyn ExportRows,
    range: SampleRange,
    watch: &mut dyn FnMut(f64),
) -> io::Result<Option<StoreError>> {
    let side = |count: usize| u32::try_from(count).map_err(io::Error::other);
    let (columns, lines) = rows.size();
    let (width, height) = (side(columns)?, side(lines)?);
    let mut file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(&mut file, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Sixteen);
    let mut writer = encoder.write_header()?;
    let mut stream = writer.stream_writer()?;
    let mut row = vec![f64::NAN; columns];
    for index in 0..lines {
        watch(share(index, lines));
        if let Err(error) = rows.fill(index, &mut row) {
            return Ok(Some(error));
        }
        let samples = row.iter().flat_map(|&value| range.sample(value).to_be_bytes());
        stream.write_all(&samples.collect::<Vec<u8>>())?;
    }
    stream.finish()?;
    writer.finish()?;
    file.flush()?;
    Ok(None)
}

impl fmt::Display for Exported {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, level, layer, unit, .. } = self;
        let (map, cell) = (shown(&self.map), short(self.cell_m));
        write!(f, "{map}: {layer}, {width} × {height} cells of {cell} m, level {level}")?;
        if let (Some(beside), Some(step)) = (&self.sidecar, self.step) {
            write!(f, ", in steps of {step:.2e} {unit} as {} says", shown(beside))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_span_the_range() {
        let range = SampleRange::new(100.0, 100.0 + 65_534.0 / 8.0);
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
        assert!(
            range.sidecar(5.0, ExportLayer::Bed).contains("height_min_m = 99.875"),
            "{}",
            range.sidecar(5.0, ExportLayer::Bed)
        );
        assert_eq!(SampleRange::new(3.0, 3.0).sample(3.0), 1);
    }
}
