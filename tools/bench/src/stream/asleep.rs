//! Memory of a leaf asleep.
//!
//! A lake over rough ground, of 64 leaves: once at rest from the beginning, once after waves; with
//! the flood maps that a world keeps by default, and with different ones; in memory and streamed.
//! Counted by the allocator, beside the terrain or its pages: with all planes in memory, then with
//! all packed.

use crate::counted::bytes_now;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::fmt::Write;
use thalweg::terrain::{Terrain, TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::{MapKinds, Residency, SaveFile, StreamOptions, World, WorldBuilder};
use thalweg_engine::sim::Settings;
use thalweg_engine::store::Store;
use thalweg_engine::store::terrain::write_terrain;
use thalweg_engine::tile::plane_pool;
use thalweg_engine::units::hash::scramble;

/// Bytes of a leaf asleep.
pub const BENCH: Bench = Bench {
    ids: &["stream.asleep_bytes"],
    what: "memory of a leaf asleep, 4,096 cells of a lake at rest over rough ground, in a world \
           that is streamed; in memory, with what waves leave behind, and with nothing packed, in \
           the note",
    is_long: false,
    measure,
};

/// Cells a side.
const SIDE: usize = 512;

/// Cycles after which a lake with waves must sleep.
const CYCLES_MOST: u32 = 2_000;

/// Bytes of a leaf.
struct Leaf {
    /// Bytes with all planes in memory.
    kept: f64,
    /// Bytes with all packable planes packed.
    packed: f64,
    /// Packed bytes alone.
    bytes: f64,
}

fn measure(_: &Context) -> BenchResult {
    // Memory that each thread keeps for its steps is made by the first world.
    leaf(BedStorage::InMemory, MapKinds::ALL, 0.0)?;
    let still = leaf(BedStorage::InMemory, MapKinds::VELOCITY, 0.0)?;
    let streamed = leaf(BedStorage::InFile, MapKinds::VELOCITY, 0.0)?;
    let bed = (4 << 12) as f64;
    let mut note = format!(
        "packed planes {:.0}, kept {:.0}; in memory: kept {:.0}, packed {:.0}: bed {bed:.0}, \
         packed planes {:.0}, all else {:.0}; after waves of 1 mm, by flood maps:",
        streamed.bytes,
        streamed.kept,
        still.kept,
        still.packed,
        still.bytes,
        still.packed - still.bytes - bed,
    );
    for (name, kinds) in [
        ("none", MapKinds::NONE),
        ("velocity", MapKinds::VELOCITY),
        ("depth and speed", MapKinds::DEPTH | MapKinds::SPEED),
        ("all", MapKinds::ALL),
    ] {
        let Leaf { kept, packed, bytes } = leaf(BedStorage::InMemory, kinds, 0.001)?;
        write!(note, " {name}: kept {kept:.0}, packed {packed:.0}, its planes {bytes:.0};")?;
    }
    let bytes = Measurement::new("stream.asleep_bytes", streamed.packed, "B");
    Ok(vec![bytes.target("<= 200").cells(SIDE * SIDE).note(note)])
}

/// Makes rough ground, one metre of relief.
fn ground() -> Result<Terrain, BenchError> {
    let scale = VerticalScale::choose(0.0, 9.0, 20.0)?;
    let options =
        TerrainOptions { width: SIDE, height: SIDE, cell_width_m: 2.0, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options)?;
    for row in 0..SIDE {
        let rough = |x: usize| (scramble((row * SIDE + x) as u64) >> 40) as f64 / 16_777_216.0;
        let hills = |x: usize| ((x as f64 / 40.0).sin() + (row as f64 / 70.0).cos()) * 0.5;
        let beds: Vec<f64> = (0..SIDE).map(|x| 2.0 + hills(x) + 0.2 * rough(x)).collect();
        terrain.push_row(&beds)?;
    }
    Ok(terrain.finish()?)
}

/// Place of the beds of a world.
#[derive(Debug, Clone, Copy)]
enum BedStorage {
    InMemory,
    InFile,
}

/// Returns the bytes of a leaf, with these flood maps, of a lake after waves of this height.
fn leaf(beds: BedStorage, maps: MapKinds, wave_m: f64) -> Result<Leaf, BenchError> {
    let terrain = ground()?;
    let folder = tempfile::tempdir()?;
    let (before, builder) = match beds {
        BedStorage::InMemory => (bytes_now(), WorldBuilder::new(terrain)),
        BedStorage::InFile => {
            let mut store = Store::create(&folder.path().join("lake.thalweg"))?;
            write_terrain(&terrain, &mut store)?;
            store.commit()?;
            drop(terrain);
            let before = bytes_now();
            (before, SaveFile::of(store).builder(StreamOptions::default())?)
        }
    };
    let stage = move |x: u32| 6.0 + wave_m * (f64::from(x) / 30.0).sin();
    let mut world = builder
        .settings(Settings { sleep_after_cycles: 32, ..Settings::default() })
        .initial_stage(move |place| stage(place.x))
        .maps(maps)
        .build()?;
    world.set_residency(Residency::Kept);
    let mut cycles = 0;
    while world.run_cycle(SimTime::MAX).awake > 0 || cycles == 0 {
        cycles += 1;
        if cycles > CYCLES_MOST {
            return Err(format!("the lake does not sleep within {CYCLES_MOST} cycles").into());
        }
    }
    let leaves = world.simulation().forest().leaves().len() as f64;
    let of_leaf = |world: &World| {
        plane_pool::clear();
        let pages = world.stream().counters().map_or(0, |counters| counters.resident_bytes);
        (bytes_now() - before - pages as f64) / leaves
    };
    let kept = of_leaf(&world);
    world.set_residency(Residency::PackedAtOnce);
    world.run_cycle(SimTime::MAX);
    let packed = of_leaf(&world);
    Ok(Leaf { kept, packed, bytes: world.residency().packed_bytes as f64 / leaves })
}
