//! Parts that the tests of cards share.

use gpu::{CardEvents, Device, GpuCard};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::CycleReport;
use thalweg_engine::units::hash::StateHasher;

/// The card of this machine, for one test at a time: a card in software takes all cores.
pub struct Turn {
    first: GpuCard,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    /// The card, for one world.
    pub fn card(&self) -> GpuCard {
        self.first.another().expect("a good card")
    }

    /// The device.
    pub fn device(&self) -> &Device {
        self.first.device()
    }
}

/// The card of this machine, with what other tests built for it; none, with a line that says so,
/// where there is none. Where the variable `THALWEG_VULKAN` is set there must be one.
pub fn card() -> Option<Turn> {
    let _turn = turn();
    let first = shared()?.another().expect("a good card");
    Some(Turn { first, _turn })
}

/// As [`card`], on a device of its own, which a test may lose.
pub fn card_to_lose() -> Option<Turn> {
    let _turn = turn();
    let routes = shared()?.routes();
    let device = Device::open().expect("it was opened before");
    let first = GpuCard::with_routes(device, routes).expect("a good card");
    Some(Turn { first, _turn })
}

/// As [`card`], on a device that a test may give up.
pub fn card_to_give_up() -> Option<Turn> {
    let _turn = turn();
    let first = shared()?.another_alone().expect("a good card");
    Some(Turn { first, _turn })
}

fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The card that is opened and tested once for all tests.
fn shared() -> Option<&'static GpuCard> {
    static SHARED: OnceLock<Option<GpuCard>> = OnceLock::new();
    let open = || {
        let device = testkit::graphics(Device::open())?;
        let card = GpuCard::on(device).expect("a good card");
        println!("{}: {}", card.name(), card.routes());
        Some(card)
    };
    SHARED.get_or_init(open).as_ref()
}

/// Runs a world with and without a card, each cycle by `run`, and compares after every one. Returns
/// the reports, none without a card.
#[track_caller]
pub fn check_running(
    world: impl Fn() -> World,
    cycles: u32,
    run: impl Fn(u32, &mut World) -> CycleReport,
) -> Vec<CycleReport> {
    check_logged(world, cycles, run).0
}

/// [`check_running`], which returns the log of the card, too.
#[track_caller]
pub fn check_logged(
    world: impl Fn() -> World,
    cycles: u32,
    run: impl Fn(u32, &mut World) -> CycleReport,
) -> (Vec<CycleReport>, Option<CardEvents>) {
    let mut all = Vec::new();
    let Some(turn) = card() else { return (all, None) };
    let card = turn.card();
    let log = card.log();
    let (mut plain, mut carded) = (world(), world());
    carded.set_card(Some(Box::new(card)));
    let mut before = 0;
    for cycle in 0..cycles {
        let reports = [&mut plain, &mut carded].map(|world| run(cycle, world));
        let events = log.events();
        let is_still = reports[0].awake == 0;
        assert!(is_still || events.cycles > before, "cycle {cycle} was left: {events:?}");
        before = events.cycles;
        // The card goes over dry cells as well.
        let [a, b] = reports.map(|report| CycleReport {
            wet_cell_steps: 0,
            least_cell_steps: 0.0,
            ..report
        });
        assert_eq!(a, b, "report of cycle {cycle}");
        assert_eq!(plain.state_hash(), carded.state_hash(), "after cycle {cycle}");
        all.push(a);
    }
    assert_eq!(maps_hash(&plain), maps_hash(&carded), "flood maps");
    assert_eq!(carded.water().stored(), carded.water().ledger().expected());
    (all, Some(log.events()))
}

/// [`check_running`] with steps as the water bears them.
#[track_caller]
pub fn check(world: impl Fn() -> World, cycles: u32) -> Vec<CycleReport> {
    check_running(world, cycles, |_, world| world.run_cycle(SimTime::MAX))
}

/// Hash of all flood maps.
pub fn maps_hash(world: &World) -> u64 {
    let mut hash = StateHasher::new();
    for maps in world.simulation().maps() {
        maps.hash(maps.kinds(), &mut hash).expect("kept");
    }
    hash.finish()
}

/// Cycles of a full run, or a sixth of them.
pub fn shrunk(cycles: u32) -> u32 {
    if !cfg!(full_card) { cycles.div_ceil(6) } else { cycles }
}
