//! A large raster that becomes a world.
//!
//! The ground is a valley between two slopes under noise of thirteen octaves, from 8192 cells of
//! 5 m to two, each half as wide and half as high, not rounded: rougher than surveyed valleys,
//! whose planes take a quarter of their raw bytes. It is imported by a process of its own, from a
//! GeoTIFF with Deflate as `rasters::write_geotiff` makes it, and from the bare samples.

use crate::machine::peak_mib;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use kit::command::parse;
use kit::progress::CommandProgress;
use rasters::{Crs, Grid};
use rayon::prelude::*;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use thalweg_engine::units::hash::scramble;
use thalweg_tool::args::{Args, ToolCommand};

/// Speed and memory of an import.
pub const BENCH: Bench = Bench {
    ids: &["store.import_mbs", "store.import_raw_mbs", "store.import_peak_mib"],
    what: "20,000 × 20,000 cells from a GeoTIFF, and from bare samples, into a world: MB of \
           heights a second, and the most memory of both",
    is_long: true,
    measure,
};

const SIDE: usize = 20_000;
const CELL_M: f64 = 5.0;
/// Rows that are made together.
const ROWS: usize = 64;
const OCTAVES: u32 = 13;

/// Adds noise of cells of 2^`octave` to a row, up to `reach` m either way: smooth between random
/// numbers at their corners.
pub fn add_noise(octave: u32, y: usize, reach: f32, row: &mut [f32]) {
    let width = 1 << octave;
    let part = |at: usize| {
        let part = (at % width) as f32 / width as f32;
        part * part * (3.0 - 2.0 * part)
    };
    let corner = |x: usize, y: usize| {
        let place = (u64::from(octave) << 56) | ((y as u64) << 28) | x as u64;
        reach * ((scramble(place) >> 40) as f32 / (1 << 23) as f32 - 1.0)
    };
    let along = |x: usize| {
        let (south, north) = (corner(x, y / width), corner(x, y / width + 1));
        south + part(y) * (north - south)
    };
    let mut west = along(0);
    for (x, cells) in row.chunks_mut(width).enumerate() {
        let east = along(x + 1);
        for (at, cell) in cells.iter_mut().enumerate() {
            *cell += west + part(at) * (east - west);
        }
        west = east;
    }
}

/// Fills a row with heights, m.
fn fill(y: usize, row: &mut [f32]) {
    for (x, cell) in row.iter_mut().enumerate() {
        let across = (x as f32 - 0.5 * SIDE as f32).abs() / SIDE as f32;
        *cell = 400.0 + 1600.0 * across - 0.01 * y as f32;
    }
    let mut reach = 260.0;
    for octave in (1..=OCTAVES).rev() {
        add_noise(octave, y, reach, row);
        reach *= 0.5;
    }
}

/// The rows, made in pieces on all cores.
struct ImportedGround {
    piece: Vec<f32>,
}

impl ImportedGround {
    fn new() -> Self {
        Self { piece: vec![0.0; ROWS * SIDE] }
    }

    fn row(&mut self, y: usize) -> &[f32] {
        if y.is_multiple_of(ROWS) {
            let rows = self.piece.par_chunks_exact_mut(SIDE).enumerate();
            rows.for_each(|(row, cells)| fill(y + row, cells));
        }
        &self.piece[y % ROWS * SIDE..][..SIDE]
    }
}

fn write_maps(tiff: &Path, bare: &Path) -> Result<(), BenchError> {
    let grid = Grid {
        crs: Some(Crs::projected(32632)),
        ..Grid::metric((SIDE, SIDE), (400_000.0, 5_200_000.0), CELL_M)
    };
    let mut bare = BufWriter::with_capacity(1 << 20, std::fs::File::create(bare)?);
    let (mut ground, mut written) = (ImportedGround::new(), Ok(()));
    rasters::write_geotiff(tiff, &grid, rasters::RasterBand::ELEVATION, |y, cells| {
        cells.copy_from_slice(ground.row(y));
        let bytes: Vec<u8> = cells.iter().flat_map(|cell| cell.to_le_bytes()).collect();
        if written.is_ok() {
            written = bare.write_all(&bytes);
        }
    })?;
    written?;
    bare.flush()?;
    Ok(())
}

/// Imports a map in this process, and prints the time, s, the peak memory, MiB, and the bytes of
/// the world.
///
/// # Errors
///
/// Errors of the import; a system that does not report the memory.
pub fn import_once(words: &[String]) -> Result<String, BenchError> {
    let line = ["thalweg", "import"].into_iter().chain(words.iter().map(String::as_str));
    let Some(Args { command: ToolCommand::Import(args), .. }) = parse(line.map(Into::into))? else {
        return Err("that is no import".into());
    };
    let progress = CommandProgress::new(true);
    let made = thalweg_tool::import::import(&args, &progress)?;
    let mib = peak_mib().ok_or("the system does not report how much memory a process has had")?;
    Ok(format!("{} {mib} {}", made.seconds, made.file_bytes))
}

/// Imports a map in a process of its own: returns seconds, MiB, bytes.
fn import(words: &[&std::ffi::OsStr]) -> Result<[f64; 3], BenchError> {
    let words = words.iter().flat_map(|word| ["--import-once".as_ref(), *word]);
    let child = Command::new(std::env::current_exe()?).args(words).output()?;
    let text = String::from_utf8_lossy(&child.stdout);
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().map_err(|_| {
        let line = String::from_utf8_lossy(&child.stderr);
        format!("the child printed no numbers: {}", line.trim()).into()
    })
}

fn measure(_: &Context) -> BenchResult {
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let (tiff, bare) = (at("valley.tif"), at("valley.r32"));
    write_maps(&tiff, &bare)?;
    let megabytes = (SIDE * SIDE * 4) as f64 / 1.0e6;
    let (world, size) = (at("a.thalweg"), format!("{SIDE}x{SIDE}"));
    let packed = import(&[tiff.as_ref(), world.as_ref()])?;
    std::fs::remove_file(&world)?;
    let options = ["--map-size", &size, "--map-cell", "5"].map(std::ffi::OsStr::new);
    let words = [&[bare.as_ref(), world.as_ref()], &options[..]].concat();
    let plain = import(&words)?;
    let threads = rayon::current_num_threads();
    let note = format!(
        "{megabytes:.0} MB of heights, both passes, on {threads} threads; the world has {:.3} of \
         their bytes; peaks {:.0} MiB from Deflate, {:.0} MiB from bare samples",
        packed[2] / 1.0e6 / megabytes,
        packed[1],
        plain[1]
    );
    Ok(vec![
        Measurement::new("store.import_mbs", megabytes / packed[0], "MB/s").note(note),
        Measurement::new("store.import_raw_mbs", megabytes / plain[0], "MB/s"),
        Measurement::new("store.import_peak_mib", packed[1].max(plain[1]), "MiB").target("<= 1024"),
    ])
}
