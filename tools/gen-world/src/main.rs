//! `gen-world`: makes the sample world under `worlds/` from a seed.

use clap::Parser;
use gen_world::landmark::landmarks;
use gen_world::sheet::{bed_m, write_bed, write_cover, write_lake};
use gen_world::world::World;
use rasters::RasterError;
use std::path::PathBuf;
use std::process::ExitCode;

/// Makes the sample world: a river valley with a dam, a town and a side valley.
///
/// Writes a GeoTIFF of 768 × 512 cells of 5 m and prints where to find what in it.
#[derive(Debug, Parser)]
#[command(version)]
struct Options {
    /// Which world: the same number gives the same file on every machine.
    #[arg(long, default_value_t = 7)]
    seed: u64,
    /// GeoTIFF of the bed to write, in metres above datum.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// GeoTIFF of the land cover to write: 1 bed, 2 meadow, 3 pasture, 4 forest, 5 street,
    /// 6 house, 7 dam.
    #[arg(long, value_name = "FILE")]
    cover: Option<PathBuf>,
    /// GeoTIFF of the reservoir's stage at the start to write, 1 m below its overflow.
    #[arg(long, value_name = "FILE")]
    lake: Option<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Options::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gen-world: {error}");
            ExitCode::from(2)
        }
    }
}

fn run(options: &Options) -> Result<(), RasterError> {
    let world = World::from_seed(options.seed);
    write_bed(&world, &options.out)?;
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
