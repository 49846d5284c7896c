//! The state hash of a world with all that a card does, over 10,000 cycles.

use crate::adaptive::observer;
use crate::card::card;
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use gpu::{CardEvents, CardLog, GpuCard};
use std::path::Path;
use std::time::Instant;
use thalweg::criteria::{Criterion, Scale};
use thalweg::structure::Barrier;
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{
    AdaptiveOptions, ColumnKind, EdgeKind, EdgePlace, Entry, MapKinds, Order, SaveFile, Settings,
    Side, Solver, World, WorldBuilder,
};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::structure::weather::Direction;
use thalweg_engine::units::hash::scramble;

/// Hashes with the pipe.
pub const PIPE: Bench = Bench { ids: &["gpu.hash.pipe"], what: WHAT, is_long: true, measure: pipe };
/// Hashes with shallow water of first order.
pub const FIRST_ORDER: Bench =
    Bench { ids: &["gpu.hash.swe1"], what: WHAT, is_long: true, measure: first_order };
/// Hashes with shallow water of second order.
pub const SECOND_ORDER: Bench =
    Bench { ids: &["gpu.hash.swe2"], what: WHAT, is_long: true, measure: second_order };

const WHAT: &str = "hashes that differ between card and processor over 10,000 cycles of an \
                    adaptive world with everything: five levels, sub-grid columns, eight \
                    observers, weather, rivers, a tide, two tracers, sleep, maps, a wall for a \
                    while, saved and opened in the middle";

/// Cycles, and cycles between two hashes.
const CYCLES: u32 = 10_000;
const HASHES_EVERY: u32 = 100;
/// Cycle after which the world is saved and opened again.
const REOPENED: u32 = 5_000;
/// Cycles in which a wall is present.
const WALL: std::ops::Range<u32> = 7_000..7_200;

/// Cells of the map, and their width, m.
const CELLS: [usize; 2] = [1024, 512];
const CELL_M: f64 = 4.0;
const OBSERVERS: u64 = 8;

fn pipe(_: &Context) -> BenchResult {
    measure("gpu.hash.pipe", (Solver::Pipe, Order::Second))
}

fn first_order(_: &Context) -> BenchResult {
    measure("gpu.hash.swe1", (Solver::ShallowWater, Order::First))
}

fn second_order(_: &Context) -> BenchResult {
    measure("gpu.hash.swe2", (Solver::ShallowWater, Order::Second))
}

/// Returns a number from 0 to 1.
fn draw(what: u64) -> f64 {
    (scramble(what) >> 40) as f64 / f64::from(1 << 24)
}

/// Makes observers that walk about, each at its own pace.
fn observers(cycle: u32, scale: &Scale) -> Result<Vec<Box<dyn Criterion>>, BenchError> {
    let place = |i: u64, axis: usize| {
        let width_m = CELL_M * CELLS[axis] as f64;
        let turn = f64::from(cycle) * (0.002 + 0.004 * draw(4 * i + axis as u64));
        width_m * (0.5 + 0.45 * (turn + 6.0 * draw(4 * i + 2 + axis as u64)).sin())
    };
    let radii = [(0, 80.0), (1, 200.0), (2, 500.0)];
    (0..OBSERVERS).map(|i| observer([place(i, 0), place(i, 1)], &radii, scale)).collect()
}

/// Makes a valley with hills, holes and houses.
fn world((solver, order): (Solver, Order)) -> Result<World, BenchError> {
    let terrain = Terrain::from_heights(CELLS, CELL_M, |x, y| {
        let (a, b) = (x as f64, y as f64);
        if (a - 500.0).hypot(b - 250.0) < 14.0 {
            return f64::NAN;
        }
        let hills = 4.0 * (0.03 * a).sin() * (0.021 * b).cos() + (0.17 * a + 0.11 * b).sin();
        let house = if x % 61 < 7 && y % 53 < 9 { 6.0 } else { 0.0 };
        60.0 - 0.01 * a + 0.00012 * (b - 256.0).powi(2) + hills + house
    })?;
    let rain = [vec![(0.0, 2.0e-5)], vec![(0.0, 0.0), (300.0, 6.0e-5), (900.0, 0.0)]];
    let tide = EdgeKind::Stage(vec![(0.0, 50.0), (600.0, 54.0), (1200.0, 50.0)]);
    let river = EdgeKind::Inflow { discharge: vec![(0.0, 120.0)], entry: Entry::Normal };
    let options =
        AdaptiveOptions { coarsest: 4, budget_cells: 1 << 20, ..AdaptiveOptions::default() };
    let builder = WorldBuilder::new(terrain)
        .settings(Settings { solver, order, ..Settings::default() })
        .columns(ColumnKind::SubGrid)
        .adaptive(options)
        .manning_classes(vec![0.03, 0.08], |place| u8::from(place.y % 11 == 0))
        .maps(MapKinds::ALL)
        .tracer("salt", |place| if place.x > 700 { 0.8 } else { 0.1 })
        .tracer("dye", |place| f64::from(place.x / 16 % 2))
        .initial_stage(|place| if place.x > 700 { 54.0 } else { f64::NAN })
        .edges(EdgeKind::Open)
        .edge("river", EdgePlace::Side(Side::West), river)
        .edge("tide", EdgePlace::Side(Side::East), tide)
        .layer_classes("rain", Direction::Into, &rain, |place| (place.x / 200 % 2) as u16)?
        .layer("evaporation", Direction::Out, &[(0.0, 1.0e-7)])?
        .inflow("spring", &[(0.0, 3.0)], &[CellPlace { x: 300, y: 300 }])?
        .green_ampt(1.0e-6, 0.1)?;
    Ok(builder.build()?)
}

/// A world that is run, and its file.
struct HashedRun {
    world: World,
    file: SaveFile,
}

impl HashedRun {
    fn new(world: World, path: &Path) -> Result<Self, BenchError> {
        let file = SaveFile::create(path, &world)?;
        Ok(Self { world, file })
    }

    /// Runs a cycle, after the changes before it.
    fn cycle(&mut self, cycle: u32) -> Result<(), BenchError> {
        let scale = self.world.extent();
        if cycle == REOPENED {
            self.file.save(&self.world)?;
            self.world = self.file.load(observers(cycle, &scale)?)?;
        }
        *self.world.criteria_mut().ok_or("an adaptive world")? = observers(cycle, &scale)?;
        if cycle == WALL.start {
            let wall = Barrier::wall("dam", [[1500.0, 940.0], [1500.0, 1100.0]], 70.0);
            self.world.structures_mut().put_barrier(wall)?;
        }
        if cycle == WALL.end {
            self.world.structures_mut().remove_barrier("dam")?;
        }
        self.world.run_cycle(SimTime::MAX);
        Ok(())
    }

    fn give(&mut self, card: GpuCard) -> CardLog {
        let log = card.log();
        self.world.set_card(Some(Box::new(card)));
        log
    }
}

/// Returns hashes of a run, its time, s, and the logs of its cards: one to the middle, one from
/// there on.
fn hashes(mut run: HashedRun, mut cards: Vec<GpuCard>) -> Result<Hashes, BenchError> {
    let mut logs: Vec<CardLog> = cards.pop().map(|card| run.give(card)).into_iter().collect();
    let (clock, mut hashes) = (Instant::now(), Vec::new());
    for cycle in 0..CYCLES {
        run.cycle(cycle)?;
        if let Some(card) = cards.pop_if(|_| cycle == REOPENED) {
            logs.push(run.give(card));
        }
        if (cycle + 1) % HASHES_EVERY == 0 {
            hashes.push(run.world.state_hash());
        }
    }
    let seconds = clock.elapsed().as_secs_f64();
    let water = run.world.water();
    if water.stored() != water.ledger().expected() {
        return Err("the books are not even".into());
    }
    let leaves = run.world.simulation().forest().leaves().len();
    Ok(Hashes { hashes, seconds, logs, leaves })
}

/// Results of a run.
struct Hashes {
    hashes: Vec<u64>,
    seconds: f64,
    logs: Vec<CardLog>,
    leaves: usize,
}

fn measure(id: &'static str, method: (Solver, Order)) -> BenchResult {
    let (card, _, name) = card()?;
    let failed = |failure: gpu::Failure| BenchError::Failed(failure.to_string().into());
    let cards = vec![card.another().map_err(failed)?, card];
    let folder = tempfile::tempdir()?;
    let run = |file: &str, cards| {
        HashedRun::new(world(method)?, &folder.path().join(file)).and_then(|run| hashes(run, cards))
    };
    // Side by side, as the card has little to do for the processor.
    let (plain, carded) = std::thread::scope(|scope| {
        let plain = scope.spawn(|| run("plain.thalweg", Vec::new()));
        let carded = run("card.thalweg", cards);
        (plain.join().expect("no panic"), carded)
    });
    let (plain, carded) = (plain?, carded?);
    let pairs = plain.hashes.iter().zip(&carded.hashes);
    let different = pairs.filter(|(a, b)| a != b).count();
    let (hashes, logs) = (plain.hashes.len(), &carded.logs);
    let events: Vec<CardEvents> = logs.iter().map(CardLog::events).collect();
    let cycles: u64 = events.iter().map(|events| events.cycles).sum();
    let apart: u64 = events.iter().map(|events| events.apart).sum();
    let left: Vec<&str> = events.iter().filter_map(|own| own.refused.as_deref()).collect();
    let note = format!(
        "{hashes} hashes in {CYCLES} cycles, {cycles} of them on the card, {apart} with leaves \
         apart (first left: {}); {} leaves in the end; {:.0} s without it, {:.0} s with it; {name}",
        if left.is_empty() { "nothing".into() } else { left.join(", ") },
        carded.leaves,
        plain.seconds,
        carded.seconds,
    );
    let cells = CELLS[0] * CELLS[1];
    Ok(vec![
        Measurement::new(id, different as f64, "hashes").target("<= 0").cells(cells).note(note),
    ])
}
