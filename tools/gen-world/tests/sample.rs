//! The sample world is what it says it is, and the committed files are what the generator makes.

use gen_world::landmark::landmarks;
use gen_world::lattice::{CellLattice, SIDES};
use gen_world::sheet::{bed_m, grid, write_bed, write_cover, write_lake};
use gen_world::world::{LandCover, SampleWorld, UNITS_PER_M};
use rasters::{Grid, Hints, RasterError};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// The seed of the committed files.
const SEED: u64 = 7;

/// CRC-32 of the heights of the committed world, little-endian. When the land changes on purpose,
/// make the files anew as `worlds/README.md` says, look at them, then change this.
const DIGEST: u32 = 0x3b02_34ad;

static WORLD: LazyLock<SampleWorld> = LazyLock::new(|| SampleWorld::from_seed(SEED));

fn worlds() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds")
}

fn read(path: &Path) -> Result<(Grid, Vec<f32>), RasterError> {
    rasters::read_all(&mut *rasters::open(path, &Hints::default())?)
}

#[test]
fn seed_7_has_its_digest() {
    let bytes: Vec<u8> = WORLD.heights.iter().flat_map(|height| height.to_le_bytes()).collect();
    let digest = crc32fast::hash(&bytes);
    assert_eq!(digest, DIGEST, "the land of seed {SEED} has changed: {digest:#010x}");
}

#[test]
fn every_cell_drains() {
    for world in [&*WORLD, &SampleWorld::from_seed(3)] {
        for cell in 0..world.lattice.count() {
            let is_end = world.lattice.is_rim(cell) || cell == world.reservoir;
            let has_way_down = lowest_beside(world, cell) < world.heights[cell];
            assert!(is_end || has_way_down, "a pit at {:?}", world.lattice.centre(cell));
        }
    }
}

fn lowest_beside(world: &SampleWorld, cell: usize) -> i32 {
    let beside = SIDES.iter().filter_map(|step| world.lattice.beside(cell, *step));
    beside.map(|next| world.heights[next]).min().unwrap_or(i32::MAX)
}

/// Filled to the brim, the reservoir runs over in the middle of the dam and nowhere else.
#[test]
fn the_reservoir_holds_water_up_to_its_overflow() {
    let world = &*WORLD;
    let lake = cells(&world.lattice, &world.lake());
    let area_m2 = lake.len() as f64 * 25.0;
    let volume_m3: f64 = lake
        .iter()
        .map(|cell| 25.0 * (world.dam.sill_m - f64::from(world.heights[*cell]) / UNITS_PER_M))
        .sum();
    assert!((80.0e3..300.0e3).contains(&area_m2), "the lake covers {area_m2} m²");
    assert!((0.4e6..1.2e6).contains(&volume_m3), "the lake holds {volume_m3} m³");
    for cell in lake {
        let (x, y) = world.lattice.centre(cell);
        let (_, down) = world.dam.beside(x, y);
        assert!(down < 0.0, "the lake leaks past the dam at ({x}, {y})");
        assert!(!world.lattice.is_rim(cell), "the lake reaches the map's edge at ({x}, {y})");
    }
}

fn cells(lattice: &CellLattice, is_in: &[bool]) -> Vec<usize> {
    (0..lattice.count()).filter(|cell| is_in[*cell]).collect()
}

#[test]
fn heights_are_sane_and_the_river_leaves_at_the_lowest() {
    let world = &*WORLD;
    let beds: Vec<f32> = (0..world.lattice.count()).map(|cell| bed_m(world, cell)).collect();
    let lowest = (0..beds.len()).min_by(|a, b| beds[*a].total_cmp(&beds[*b])).expect("cells");
    let highest_m = beds.iter().copied().fold(0.0, f32::max);
    assert!((110.0..130.0).contains(&beds[lowest]), "lowest bed {}", beds[lowest]);
    assert!((250.0..400.0).contains(&highest_m), "highest bed {highest_m}");

    assert_eq!(lowest % world.lattice.width, world.lattice.width - 1, "not on the east edge");
    assert_eq!(world.cover[lowest], LandCover::Bed, "the lowest cell is not the river's");
}

#[test]
fn the_town_lies_just_above_the_river() {
    let world = &*WORLD;
    let places = landmarks(world);
    let find = |name: &str| places.iter().find(|place| place.name == name).expect(name).cell;
    let (square, river) = (find("market square"), find("river at the town"));
    let rise_m = bed_m(world, square) - bed_m(world, river);
    assert!((2.0..4.0).contains(&rise_m), "the square lies {rise_m} m above the river's bed");
    assert_eq!(world.cover[square], LandCover::Street);
    let houses = world.cover.iter().filter(|cover| **cover == LandCover::House).count() / 6;
    assert!(houses > 80, "{houses} houses");
}

#[test]
fn committed_files_are_what_the_generator_makes() {
    let world = &*WORLD;
    let folder = tempfile::tempdir().expect("a folder");
    type Write = fn(&SampleWorld, &Path) -> Result<(), RasterError>;
    let files: [(&str, Write); 3] = [
        ("valley.tif", write_bed),
        ("valley-cover.tif", write_cover),
        ("valley-lake.tif", write_lake),
    ];
    for (name, write) in files {
        let made = folder.path().join(name);
        write(world, &made).expect("written");
        let committed = worlds().join(name);
        let bytes = std::fs::metadata(&committed).expect(name).len();
        assert!(bytes < 2_000_000, "{name} has {bytes} bytes");

        let (made, committed) = (read(&made).expect(name), read(&committed).expect(name));
        assert_eq!(committed.0, grid(world), "{name} lies elsewhere");
        assert_eq!(made.0, committed.0, "{name} lies elsewhere");
        let bits = |values: &[f32]| values.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        let is_same = bits(&made.1) == bits(&committed.1);
        assert!(is_same, "{name} is not what seed {SEED} makes: make it anew");
    }
}

/// The scenario's places are cells of the generator.
#[test]
fn the_scenario_names_the_landmarks() {
    let world = &*WORLD;
    let scenario = std::fs::read_to_string(worlds().join("valley.toml")).expect("valley.toml");
    for place in landmarks(world) {
        let (easting, northing) = place.coordinates(world);
        let text = format!("at = [{easting:.1}, {northing:.1}]");
        assert!(scenario.contains(&text), "valley.toml lacks `{text}` for the {}", place.name);
    }
}
