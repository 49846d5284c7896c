//! A world whose beds come from its file is the one that has them in memory: P3 and P6.

use crate::support::{TempFile, fractal, noise, scale, shrunk, terrain};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg::check::violations;
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Scale};
use thalweg::terrain::{Bottom, Edit, Shape, Terrain};
use thalweg::units::SimTime;
use thalweg::world::{
    Action, AdaptiveOptions, ColumnKind, EdgeKind, EdgePlace, MapKinds, SaveFile, StreamOptions,
    World, WorldBuilder,
};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::store::backend::Backend;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::terrain::write_terrain;
use thalweg_engine::store::{Key, Layer, Store};
use thalweg_engine::stream::{PageKey, PageKind, Pager, StreamCounters, StreamNeeds, StreamPlan};

const WIDTH: usize = 1100;
const HEIGHT: usize = 700;
const CELL_M: f64 = 2.0;

/// Hills with a hole and ragged edges.
pub fn hills() -> Terrain {
    terrain(WIDTH, HEIGHT, CELL_M, scale(20, 0.0), |x, y| {
        let hole = (x as f64 - 700.0).hypot(y as f64 - 300.0) < 40.0;
        let bed = 30.0 * fractal(5, x as f64 * 0.2, y as f64 * 0.2);
        if hole { f64::NAN } else { bed }
    })
}

/// A slope that coarse leaves cover as a whole.
pub fn square() -> Terrain {
    terrain(1024, 1024, CELL_M, scale(20, 0.0), |x, y| 0.01 * x as f64 + 0.002 * y as f64)
}

/// The observer on its way after some cycles.
fn walker(world: &Scale, cycle: u64) -> Vec<Box<dyn Criterion>> {
    let x = 100.0 + 25.0 * cycle as f64;
    observer(world, [x % (WIDTH as f64 * CELL_M), 400.0 + 300.0 * (x / 400.0).sin()])
}

/// An observer at a place.
fn observer(world: &Scale, position_m: [f64; 2]) -> Vec<Box<dyn Criterion>> {
    let options = ObserverOptions {
        position_m,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, 150.0), (1, 300.0)],
        priority: 0.0,
    };
    vec![Box::new(Observer::try_new(&options, world).expect("a good observer"))]
}

pub fn flooded(builder: WorldBuilder) -> WorldBuilder {
    builder
        .edges(EdgeKind::Open)
        .edge("houses", EdgePlace::Holes, EdgeKind::Wall)
        .columns(ColumnKind::Flat)
        .adaptive(AdaptiveOptions {
            coarsest: 4,
            budget_cells: 1 << 20,
            interval_cycles: 2,
            min_age_cycles: 4,
            ahead_cycles: 5,
            leaves_a_cycle: 6,
            criteria: Vec::new(),
        })
        .initial_depth(|p: CellPlace| {
            let block = noise(9, i64::from(p.x / 90), i64::from(p.y / 90));
            if block < 0.3 { 15.0 * block } else { 0.0 }
        })
        .rain("rain", &[(0.0, 1.0e-5)])
        .and_then(|b| b.inflow("spring", &[(0.0, 10.0)], &[CellPlace { x: 300, y: 300 }]))
        .expect("good series")
}

/// A file with the terrain.
pub fn file_of(name: &str, terrain: &Terrain) -> (TempFile, SaveFile) {
    let path = TempFile::new(name);
    let mut store = Store::create(&path.0).expect("a new file");
    write_terrain(terrain, &mut store).expect("written");
    store.commit().expect("committed");
    (path, SaveFile::of(store))
}

pub fn step(world: &mut World, cycle: u64) {
    let new = walker(&world.extent(), cycle);
    *world.criteria_mut().expect("an adaptive world") = new;
    world.run_cycle(SimTime::from_seconds(1.0e6));
}

const OPTIONS: StreamOptions = StreamOptions { budget_bytes: 256 << 20 };

/// Goal: the same bits, streamed or in memory, on the way and after opening the file, also between
/// a plan and its change; and every page in time where the disk is.
#[test]
fn streamed_and_resident_worlds_are_one() {
    streamed_is_resident("streamed", ColumnKind::Flat);
}

/// Goal: the same with sub-grid columns, whose tables are made where the file has none yet, and
/// come from it after it was opened.
#[test]
fn streamed_and_resident_columns_are_one() {
    let file = streamed_is_resident("streamed-columns", ColumnKind::SubGrid);
    let tables = file.store().keys_of(Layer::Tables).expect("keys");
    let firsts: Vec<TileKey> =
        tables.iter().filter(|key| key.part == 0).map(|key| key.tile).collect();
    let of = |(level, x)| TileKey { level, x, y: 0 };
    let all = [(4, 0), (4, 1), (5, 0), (6, 0), (7, 0), (8, 0)].map(of);
    assert_eq!(firsts, all, "tables of level 4 and coarser");
}

/// A mound near the hole, a ditch across the map, and a pit that is taken back at once.
fn edit(world: &mut World, cycle: u64) {
    let x = 1300.0 + 30.0 * (cycle % 5) as f64;
    let mound = Shape::Disc { centre_m: [x, 540.0], radius_m: 70.0, rim_m: 20.0 };
    world.edits().edit(&Edit::Raise { shape: mound, by_m: 1.0 }).expect("a mound");
    let line_m = vec![[3.0 * x - 3600.0, 10.0], [900.0, 700.0], [2100.0, 1200.0]];
    let bottom = Bottom::Below { depth_m: 0.7 };
    world.edits().edit(&Edit::Carve { line_m, width_m: 9.0, bottom }).expect("a ditch");
    let before = world.state_hash();
    let pit = Shape::Rectangle { low_m: [400.0, 300.0], high_m: [640.0, 420.0] };
    let dig = Action::EditTerrain(Edit::Lower { shape: pit, by_m: 0.5 });
    let done = world.edits().act(dig).expect("a pit");
    assert_ne!(world.state_hash(), before);
    world.edits().undo(done.undo).expect("no pit");
    assert_eq!(world.state_hash(), before);
}

fn streamed_is_resident(name: &str, columns: ColumnKind) -> SaveFile {
    // With classes of roughness by cell, of which some tiles have one and others several.
    let class = |p: CellPlace| u8::from(p.x > 300 && (p.x / 40 + p.y / 30).is_multiple_of(3));
    let flooded =
        |builder| flooded(builder).columns(columns).manning_classes(vec![0.03, 0.06], class);
    let options = StreamOptions {
        budget_bytes: if columns == ColumnKind::Flat { OPTIONS.budget_bytes } else { 512 << 20 },
    };
    let (path, mut file) = file_of(name, &hills());
    let mut held = flooded(WorldBuilder::new(hills())).build().expect("a good world");
    let builder = flooded(file.builder(options).expect("a terrain"));
    let mut paged = builder.build().expect("a good world");
    assert!(paged.terrain().is_none() && held.terrain().is_some());
    let (mut levels, mut begun) = ([0; 5], file.save(&paged).expect("saved"));
    for cycle in 0..shrunk(60, 12) {
        assert_eq!(paged.state_hash(), held.state_hash(), "cycle {cycle}");
        step(&mut held, cycle);
        step(&mut paged, cycle);
        if cycle % 7 == 3 {
            [&mut held, &mut paged].into_iter().for_each(|world| edit(world, cycle));
        }
        held.simulation().forest().leaves().iter().for_each(|k| levels[usize::from(k.level)] += 1);
        if cycle % 11 == 10 {
            let found = violations(&paged);
            assert!(found.is_empty(), "cycle {cycle}: {found:#?}");
            let generation = file.save(&paged).expect("saved");
            assert!(generation > begun, "something has changed");
            begun = generation;
            drop((paged, file));
            file = SaveFile::open(&path.0).expect("a file");
            let asks = walker(&held.extent(), cycle);
            paged = file.stream(asks, options).expect("a world");
        }
    }
    assert_eq!(paged.state_hash(), held.state_hash());
    assert!(levels[..3].iter().all(|&count| count > 0), "{levels:?}");
    let counters = paged.stream().counters().expect("it is streamed");
    assert!(
        counters.pages_in > 0 && counters.resident_bytes <= options.budget_bytes,
        "{counters:?}"
    );
    assert!(paged.stream().error().is_none());
    // Beds that nobody edited were never written again.
    let reader = file.store().reader();
    let entries = reader.entries().map(|entry| entry.expect("whole"));
    let beds: Vec<bool> = entries
        .filter(|entry| entry.key.layer == Layer::Bed)
        .map(|entry| entry.generation == 2)
        .collect();
    let kept = beds.iter().filter(|is_first| **is_first).count();
    assert!(kept > beds.len() / 2 && kept < beds.len(), "{kept} of {} beds", beds.len());
    file
}

/// Goal: a page that is damaged stops no world: its leaves stay, and it says why. Method: a square
/// of coarse leaves whose finest beds are all damaged, and an observer that asks for them.
#[test]
fn a_damaged_page_is_told_and_the_water_flows() {
    let (_path, mut file) = file_of("damaged-page", &square());
    let mut store = file.into_store();
    for (x, y) in (0..16).flat_map(|x| (0..16).map(move |y| (x, y))) {
        let key = Key::of_tile(Layer::Bed, TileKey { level: 0, x, y });
        store.put(key, &[9, 9, 9]).expect("written");
    }
    store.commit().expect("committed");
    file = SaveFile::of(store);
    let wet = |p: CellPlace| if p.x < 500 { 3.0 } else { 0.0 };
    let options = AdaptiveOptions {
        coarsest: 4,
        budget_cells: 1 << 20,
        ahead_cycles: 3,
        leaves_a_cycle: 8,
        ..AdaptiveOptions::default()
    };
    let builder =
        file.builder(OPTIONS).expect("a terrain").columns(ColumnKind::Flat).adaptive(options);
    let mut world = builder.initial_depth(wet).build().expect("a good world");
    (0..shrunk(40, 20)).for_each(|cycle| step(&mut world, cycle));
    let line = world.stream().error().expect("a damaged page").to_string();
    assert!(line.contains("the beds of tile") && line.contains("level 0"), "{line}");
    let finest = world.simulation().forest().leaves().iter().map(|key| key.level).min();
    assert_eq!(finest, Some(1), "as fine as beds can be read");
    assert!(
        world.time() > SimTime::ZERO && world.water().stored() == world.water().ledger().expected()
    );
    assert!(violations(&world).is_empty());
}

/// A lake in the west of the square, one leaf of level 4.
fn coarse_lake(builder: WorldBuilder) -> World {
    let options =
        AdaptiveOptions { coarsest: 4, budget_cells: 1 << 18, ..AdaptiveOptions::default() };
    let builder = builder.columns(ColumnKind::SubGrid).adaptive(options);
    let builder = builder.initial_depth(|p| if p.x < 500 { 3.0 } else { 0.0 });
    let world = builder.build().expect("a good world");
    let levels = world.simulation().forest().leaves().iter().map(|key| key.level);
    assert_eq!(levels.collect::<Vec<u8>>(), [4]);
    world
}

/// Runs both, which stay the same.
fn run_both(held: &mut World, paged: &mut World, cycles: u32) {
    for cycle in 0..cycles {
        held.run_cycle(SimTime::MAX);
        paged.run_cycle(SimTime::MAX);
        assert_eq!(paged.state_hash(), held.state_hash(), "cycle {cycle}");
    }
    let error = paged.stream().error();
    assert!(error.is_none(), "{error:?}");
}

/// Goal: tables that are damaged cost no more than the time to make them. Method: the openings of a
/// coarse tile are other bytes, and a world looks at them.
#[test]
fn damaged_tables_are_made_again() {
    let (_path, mut file) = file_of("damaged-tables", &square());
    assert_eq!(file.make_tables(&mut |_| ()).expect("made"), 5, "of levels 4 to 8");
    let mut store = file.into_store();
    let key = Key { layer: Layer::Tables, tile: TileKey { level: 4, x: 0, y: 0 }, part: 2 };
    store.put(key, b"no tables").expect("put");
    store.commit().expect("committed");
    let file = SaveFile::of(store);
    let mut held = coarse_lake(WorldBuilder::new(square()));
    let mut paged = coarse_lake(file.builder(OPTIONS).expect("a terrain"));
    run_both(&mut held, &mut paged, 12);
}

/// Goal: ground that is edited under a coarse leaf, saved, edited again and saved with tables made
/// in between stays that of the world in memory, and so it is opened.
#[test]
fn edits_under_coarse_leaves_are_saved() {
    let (path, mut file) = file_of("coarse-edits", &square());
    let mut held = coarse_lake(WorldBuilder::new(square()));
    let mut paged = coarse_lake(file.builder(OPTIONS).expect("a terrain"));
    file.make_tables(&mut |_| ()).expect("made");
    file.save(&paged).expect("saved");
    for round in 0..4 {
        for part in 0..2 {
            let x = 700.0 + 160.0 * f64::from(round) + 30.0 * f64::from(part);
            let shape = Shape::Disc { centre_m: [x, 900.0], radius_m: 60.0, rim_m: 30.0 };
            for world in [&mut held, &mut paged] {
                let mound = Edit::Raise { shape: shape.clone(), by_m: 1.5 };
                world.edits().edit(&mound).expect("a mound");
            }
            if part == 0 {
                file.save(&paged).expect("saved");
            }
        }
        run_both(&mut held, &mut paged, 3);
        if round % 2 == 0 {
            file.save(&paged).expect("saved");
            file.make_tables(&mut |_| ()).expect("nothing is missing");
        }
        file.save(&paged).expect("saved");
        run_both(&mut held, &mut paged, 3);
    }
    file.save(&paged).expect("saved");
    drop((paged, file));
    let mut file = SaveFile::open(&path.0).expect("a file");
    assert_eq!(file.make_tables(&mut |_| ()).expect("read"), 0, "saves kept all tables");
    let mut paged = file.stream(Vec::new(), OPTIONS).expect("a world");
    run_both(&mut held, &mut paged, 3);
}

/// Goal: an edit whose beds cannot be read is refused with its reason, and changes nothing.
#[test]
fn an_edit_that_cannot_read_changes_nothing() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let disk = Panicking { disk: Memory::default(), is_broken: Arc::clone(&is_broken) };
    let mut store = Store::create_on(Box::new(disk)).expect("memory");
    write_terrain(&square(), &mut store).expect("memory");
    store.commit().expect("memory");
    let mut file = SaveFile::of(store);
    file.make_tables(&mut |_| ()).expect("made");
    let mut world = coarse_lake(file.builder(OPTIONS).expect("a terrain"));
    let before = world.state_hash();
    is_broken.store(true, Ordering::Relaxed);
    let shape = Shape::Disc { centre_m: [900.0, 900.0], radius_m: 60.0, rim_m: 30.0 };
    let mound = Edit::Raise { shape, by_m: 1.5 };
    let line = world.edits().edit(&mound).expect_err("unread").to_string();
    assert!(line.contains("no such sector") && line.contains("nothing was changed"), "{line}");
    assert_eq!(world.state_hash(), before);
    is_broken.store(false, Ordering::Relaxed);
    world.edits().edit(&mound).expect("a mound");
    assert_ne!(world.state_hash(), before);
}

/// A disk on which reading a page panics while `is_broken`.
#[derive(Debug)]
struct Panicking {
    disk: Memory,
    is_broken: Arc<AtomicBool>,
}

impl Backend for Panicking {
    fn size(&self) -> io::Result<u64> {
        self.disk.size()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let is_pager = std::thread::current().name() == Some("thalweg-pager");
        if is_pager && self.is_broken.load(Ordering::Relaxed) {
            // A panic without its lines on the screen, one for each page.
            std::panic::resume_unwind(Box::new("no such sector"));
        }
        self.disk.read_at(offset, out)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_at(offset, bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.sync()
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        self.disk.lost_name()
    }
}

/// Goal: a thread that panics while it reads a page ends no wait in a hang: the world says what
/// happened and flows on, and has its pages once they can be read.
#[test]
fn a_panic_of_what_reads_is_told_and_the_water_flows() {
    let is_broken = Arc::new(AtomicBool::new(false));
    let disk = Panicking { disk: Memory::default(), is_broken: Arc::clone(&is_broken) };
    let mut store = Store::create_on(Box::new(disk)).expect("memory");
    write_terrain(&hills(), &mut store).expect("memory");
    store.commit().expect("memory");
    let file = SaveFile::of(store);
    let mut world = flooded(file.builder(OPTIONS).expect("a terrain")).build().expect("good");
    is_broken.store(true, Ordering::Relaxed);
    let mut cycle = 0;
    while world.stream().error().is_none() {
        assert!(cycle < 60, "no page was asked for");
        step(&mut world, cycle);
        cycle += 1;
    }
    let line = world.stream().error().expect("some").to_string();
    assert!(line.contains("read a page") && line.contains("no such sector"), "{line}");
    (0..8).for_each(|more| step(&mut world, cycle + more));
    is_broken.store(false, Ordering::Relaxed);
    let before = world.stream().counters().expect("streamed").pages_in;
    (8..shrunk(30, 16)).for_each(|more| step(&mut world, cycle + more));
    let counters = world.stream().counters().expect("streamed");
    assert!(counters.pages_in > before && counters.in_flight < 100, "{counters:?}");
    assert_eq!(world.water().stored(), world.water().ledger().expected());
}

/// Goal: counters say what is in memory, newer than the file, read, let go and written. Method: the
/// least budget that a world may have, an observer that jumps about in it, and a save.
#[test]
fn counters_tell_what_comes_and_goes() {
    let slope = |x: usize, y: usize| 0.01 * x as f64 + 0.002 * y as f64;
    let broad = terrain(2048, 1024, CELL_M, scale(20, 0.0), slope);
    let (_path, mut file) = file_of("counters", &broad);
    let budget_cells = 24 << 12;
    let options = AdaptiveOptions {
        coarsest: 4,
        budget_cells,
        interval_cycles: 1,
        min_age_cycles: 1,
        ahead_cycles: 1,
        leaves_a_cycle: 6,
        criteria: Vec::new(),
    };
    let needs = StreamNeeds {
        budget_cells,
        tracers: 0,
        has_ground_water: false,
        maps: MapKinds::VELOCITY,
        has_tables: false,
        world_cells: 2048 * 1024,
    };
    let plan = StreamPlan::of(&needs);
    let least = StreamOptions { budget_bytes: plan.total_bytes };
    let builder =
        file.builder(least).expect("a terrain").columns(ColumnKind::Flat).adaptive(options);
    let builder = builder.initial_depth(|p| if p.x < 900 { 2.0 } else { 0.0 });
    let mut world = builder.build().expect("the least that it needs");
    let now = |world: &World| world.stream().counters().expect("streamed");
    let leaves = |world: &World| world.simulation().forest().leaves().len() as u64;
    assert_eq!(now(&world).dirty, leaves(&world), "no file has it");
    file.save(&world).expect("saved");
    let first = now(&world).bytes_out;
    assert!(now(&world).dirty == 0 && first > 0, "{:?}", now(&world));
    for cycle in 0..98 {
        let draw = |axis| noise(3, cycle / 7, axis);
        let new = observer(&world.extent(), [4096.0 * draw(0), 2048.0 * draw(1)]);
        *world.criteria_mut().expect("an adaptive world") = new;
        world.run_cycle(SimTime::from_seconds(1.0e6));
        let StreamCounters { resident_bytes, most_bytes, turned_away, .. } = now(&world);
        assert!(resident_bytes <= most_bytes && most_bytes <= plan.page_bytes, "cycle {cycle}");
        assert_eq!(turned_away, 0, "cycle {cycle}: the plan asks for too little");
    }
    let counters = now(&world);
    assert!(counters.pages_out > 0 && counters.pages_in > counters.pages_out, "{counters:?}");
    assert_eq!(counters.bytes_in, counters.pages_in * 4 * 4096, "{counters:?}");
    assert!(counters.hits > 0 && counters.dirty > 0, "{counters:?}");
    assert_eq!(counters.dirty, file.changed_leaves(&world) as u64);
    file.save(&world).expect("saved");
    assert!(now(&world).dirty == 0 && now(&world).bytes_out > first, "{:?}", now(&world));
    assert!(world.stream().error().is_none());
}

/// Goal: whatever room pages have, they never take more at any moment, each comes, and each is what
/// it is. Method: room for few pages, and threads that request all at once and need one by one.
#[test]
fn pages_take_no_more_than_they_are_given() {
    const PAGE_BYTES: u64 = 4 * 4096;
    let (_path, file) = file_of("room", &hills());
    let tile = |level| {
        move |place: u32| PageKind::Beds.of(TileKey { level, x: place % 18, y: place / 18 })
    };
    let tiles: Vec<PageKey> = (0..18 * 11).map(tile(0)).chain((0..18).map(tile(1))).collect();
    let open = |room| Pager::open(file.store().reader(), room).expect("a terrain");
    let all = open(1 << 30);
    all.fetch(&tiles).expect("whole");
    assert_eq!(all.counters().turned_away, 0);
    for room in [1, 2, 3, 7, 40] {
        let pager = open(room * PAGE_BYTES);
        std::thread::scope(|scope| {
            for part in 0..4 {
                let (pager, all, tiles) = (&pager, &all, &tiles);
                scope.spawn(move || {
                    pager.want(tiles.iter().copied().skip(part));
                    for &tile in tiles.iter().cycle().skip(50 * part).take(tiles.len()) {
                        let (page, same) = (pager.beds(tile), all.beds(tile));
                        let is_same = page.expect("whole") == same.expect("whole");
                        assert!(is_same, "room {room}: {tile:?}");
                    }
                });
            }
        });
        let counters = pager.counters();
        assert_eq!(counters.most_bytes, room * PAGE_BYTES, "{counters:?}");
        assert!(counters.turned_away > 0 && counters.pages_out > 0, "{counters:?}");
        pager.set_budget(0);
        pager.want(tiles.iter().copied());
        while pager.counters().in_flight > 1 {
            std::thread::yield_now();
        }
        pager.fetch(&tiles).expect("whole");
        assert!(pager.counters().resident_bytes <= PAGE_BYTES, "{:?}", pager.counters());
    }
}

/// Goal: what cannot be streamed, and too small a budget, are one clear line each.
#[test]
fn what_cannot_be_streamed_is_refused() {
    let (_path, file) = file_of("refused", &square());
    let builder = || file.builder(StreamOptions { budget_bytes: 64 << 20 }).expect("a terrain");
    let line = |builder: WorldBuilder| builder.build().expect_err("refused").to_string();
    let bytes = line(flooded(builder()));
    assert!(bytes.contains("67108864 bytes is less than the"), "{bytes}");
    let coarse = line(builder().columns(ColumnKind::Flat).level(1));
    assert!(coarse.contains("flat cells coarser") && coarse.contains("load it into memory"));
    let empty = Store::create_on(Box::new(Memory::default())).map(SaveFile::of);
    let line = empty.expect("a store").builder(OPTIONS).expect_err("no terrain").to_string();
    assert!(line.contains("head") && !line.contains('\n'), "{line}");
}
