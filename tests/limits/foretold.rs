//! Memory that worlds of every kind take when they are loaded.

#[path = "../common/ground.rs"]
mod ground;

use crate::counted::{most_bytes, turn};
use ground::terrain_of;
use thalweg::terrain::{Terrain, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{
    AdaptiveOptions, Barrier, ColumnKind, FileError, SaveFile, World, WorldBuilder,
};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Limits, StoreError};
use thalweg_engine::structure::weather::Direction;

/// Cells a side: the fewest of which the leaves take much more than what every world does.
const CELLS: usize = if crate::QUICK { 768 } else { 2048 };

/// Hills of 1 m cells.
fn terrain(width: usize, height: usize) -> Terrain {
    let scale = VerticalScale::choose(0.0, 40.0, 20.0).expect("a range");
    let options = TerrainOptions { width, height, cell_width_m: 1.0, scale, bed_exponent: 10 };
    terrain_of(options, |x, y| {
        4.0 + (x as f64 * 0.1).sin() + ((height - 1 - y) as f64 * 0.07).cos()
    })
}

/// A world on hills, half of it a lake.
pub fn plain(width: usize, height: usize) -> WorldBuilder {
    let middle = u32::try_from(width / 2).expect("small");
    let stage = move |x: u32| if x < middle { 6.0 } else { 0.0 };
    WorldBuilder::new(terrain(width, height)).initial_stage(move |place| stage(place.x))
}

/// The file of a world.
pub fn file_of(builder: WorldBuilder) -> SaveFile {
    let world = builder.build().expect("a good world");
    SaveFile::create_on(Box::new(Memory::default()), &world).expect("memory")
}

/// Bytes that loading the world of a file is said to take.
fn foretold(file: SaveFile) -> (u64, SaveFile) {
    let mut file = file.limits(Limits::default().bytes(2 << 20));
    match file.load(Vec::new()) {
        Err(FileError::Store(StoreError::Limit(over))) => {
            (over.needs, file.limits(Limits::default()))
        }
        other => panic!("2 MiB are enough: {other:?}"),
    }
}

/// A world takes no more than is foretold, and no less than a third.
#[track_caller]
fn check(name: &str, builder: WorldBuilder) {
    let (needs, mut file) = foretold(file_of(builder));
    let (loaded, most) = most_bytes(|| file.load(Vec::new()));
    drop::<World>(loaded.unwrap_or_else(|error| panic!("{name}: {error}")));
    println!("{name}: {needs} bytes foretold, {most} taken");
    assert!(most <= needs, "{name}: {most} bytes, {needs} were foretold");
    assert!(needs <= 3 * most + (16 << 20), "{name}: {most} bytes, {needs} were foretold");
}

#[test]
fn what_a_load_takes_is_foretold() {
    let _turn = turn();
    let plain = || plain(CELLS, CELLS);
    let leaves = || AdaptiveOptions { coarsest: 4, ..AdaptiveOptions::default() };
    let class = |place: thalweg_engine::grid::cells::CellPlace| (place.x % 2) as u16;
    let rates = [vec![(0.0, 1.0e-6)], vec![(0.0, 2.0e-6)]];
    check("one level", plain());
    check("coarse", plain().level(1));
    check("adaptive", plain().columns(ColumnKind::Flat).adaptive(leaves()));
    check("sub-grid", plain().level(2).columns(ColumnKind::SubGrid));
    check("sub-grid, adaptive", plain().columns(ColumnKind::SubGrid).adaptive(leaves()));
    let soaked = plain().green_ampt(1.0e-6, 0.1).expect("good numbers");
    check("soaked", soaked);
    let classes = plain().manning_classes(vec![0.03, 0.05], |place| (place.x % 2) as u8);
    let classes = classes.layer_classes("rain", Direction::Into, &rates, class).expect("good");
    check("classes", classes);
    let dyed = plain().tracer("dye", |_| 0.5).tracer("salt", |_| 0.1);
    check("tracers", dyed);
    let side = CELLS as f64 - 2.0;
    let levee = |at: u32| {
        let north = 9.5 * f64::from(at);
        Barrier::wall(&format!("{at}"), vec![[2.0, north], [side, north]], 9.0)
    };
    let walled = (1..=40).fold(plain(), |world, at| world.barrier(levee(at)));
    check("levees", walled);
}
