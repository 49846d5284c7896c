//! `gen-world`: makes the sample world under `worlds/` from a seed.

use clap::Parser;
use gen_world::gorge::{self, Gorge};
use gen_world::landmark::landmarks;
use gen_world::sheet::{bed_m, write_bed, write_cover, write_lake};
use gen_world::stage::write_stage;
use gen_world::streets::{self, Streets};
use gen_world::world::SampleWorld;
use rasters::RasterError;
use std::path::PathBuf;
use std::process::ExitCode;

/// Makes the sample world: a river valley with a dam, a town and a side valley.
///
/// Writes a GeoTIFF of 768 × 512 cells of 5 m and prints where to find what in it.
#[derive(Debug, Parser)]
#[command(version)]
struct SampleOptions {
    /// Which world: the same number gives the same file on every machine.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// GeoTIFF of the bed to write, in metres above datum.
    #[arg(long, value_name = "FILE", required_unless_present_any = ["gorge", "streets"])]
    out: Option<PathBuf>,
    /// GeoTIFF of another bed to write: a gorge with a waterfall, 640 × 256 cells of 1 m.
    #[arg(long, value_name = "FILE")]
    gorge: Option<PathBuf>,
    /// GeoTIFF of a third bed to write: streets of a town, 320 × 224 cells of 1 m.
    #[arg(long, value_name = "FILE")]
    streets: Option<PathBuf>,
    /// GeoTIFF of the land cover to write: 1 bed, 2 meadow, 3 pasture, 4 forest, 5 street,
    /// 6 house, 7 dam.
    #[arg(long, value_name = "FILE")]
    cover: Option<PathBuf>,
    /// GeoTIFF of the reservoir's stage at the start to write, 1 m below its overflow.
    #[arg(long, value_name = "FILE")]
    lake: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&SampleOptions::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gen-world: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &SampleOptions) -> Result<(), RasterError> {
    if let Some(path) = &options.gorge {
        let gorge = Gorge::from_seed(options.seed);
        write_stage(path, gorge::SIZE, |x, y| gorge.bed_m(x, y))?;
        for x in [4.0, 120.0, 220.0, 320.0, 380.0, 400.0, 500.0, 600.0] {
            let y = gorge.thalweg_m(x);
            println!("{x:5.0} m east, {y:5.1} m north: bed {:5.1} m", gorge.bed_m(x, y));
        }
    }
    if let Some(path) = &options.streets {
        let streets = Streets::from_seed(options.seed);
        write_stage(path, streets::SIZE, |x, y| streets.bed_m(x, y))?;
    }
    let Some(out) = &options.out else { return Ok(()) };
    let world = SampleWorld::from_seed(options.seed);
    write_bed(&world, out)?;
    if let Some(path) = &options.cover {
        write_cover(&world, path)?;
    }
    if let Some(path) = &options.lake {
        write_lake(&world, path)?;
    }
    println!("{:20} {:>10} {:>10} {:>8}", "place", "easting", "northing", "bed");
    for place in landmarks(&world) {
        let (easting, northing) = place.coordinates(&world);
        let bed = bed_m(&world, place.cell);
        println!("{:20} {easting:10.1} {northing:10.1} {bed:8.2}", place.name);
    }
    println!(
        "the dam's crest is at {:.2} m, its overflow at {:.2} m",
        world.dam.crest_m, world.dam.sill_m
    );
    Ok(())
}
