//! Parts that the tests of cards share.

use gpu::arithmetic::Routes;
use gpu::{Device, GpuCard, self_test};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::units::hash::StateHasher;
use thalweg::world::CycleReport;

/// The card of this machine, for one test at a time: a card in software takes all cores.
pub struct Turn {
    /// The card.
    pub device: Device,
    _turn: MutexGuard<'static, ()>,
}

impl Turn {
    /// The card, on routes that were chosen once for all tests.
    pub fn card(&self) -> GpuCard {
        static ROUTES: OnceLock<Routes> = OnceLock::new();
        let chosen = || self_test::choose(&self.device).expect("a good card");
        let routes = *ROUTES.get_or_init(chosen);
        GpuCard::with_routes(self.device.clone(), routes).expect("a good card")
    }
}

/// The card of this machine; none, with a line that says so, where there is none. Where the
/// variable `THALWEG_VULKAN` is set there must be one.
pub fn card() -> Option<Turn> {
    static TURN: Mutex<()> = Mutex::new(());
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    match Device::open() {
        Ok(device) => Some(Turn { device, _turn }),
        Err(failure) => {
            assert!(std::env::var_os("THALWEG_VULKAN").is_none(), "{failure}");
            println!("skipped: no graphics device");
            None
        }
    }
}

/// Runs a world with and without a card, each cycle by `run`, and compares after every one. Returns
/// the reports, none without a card.
#[track_caller]
pub fn check_running(
    world: impl Fn() -> World,
    cycles: u32,
    run: impl Fn(u32, &mut World) -> CycleReport,
) -> Vec<CycleReport> {
    let mut all = Vec::new();
    let Some(turn) = card() else { return all };
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
    all
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

/// So many cycles, a sixth of them in a debug build, where they are slow.
pub fn of_release(cycles: u32) -> u32 {
    if cfg!(debug_assertions) { cycles.div_ceil(6) } else { cycles }
}
