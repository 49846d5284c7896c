//! Devices that step the water of a tool: the processor or a graphics card.
//!
//! ```text
//! cpu    the processor
//! gpu    a card is opened and tested before the first cycle, or beside the first ones
//! auto   a card, and no driver in software, is opened and tested beside a run that lasts, once so
//!        many cells are awake that it may be faster; the faster of the two goes on
//! ```
//!
//! A card joins the world between two cycles, so the run does not wait for one.
//!
//! Guarantees: results do not depend on the device, nor on when a card joins; unless a card was
//!             requested nothing is reported, except the loss of one (`tests` below).

use crate::interrupt;
use crate::terminal::complain;
use gpu::{AutoCard, CardEvents, CardLog, Device, Failure, GpuCard};
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use thalweg::units::SimTime;
use thalweg::world::{TILE_CELLS, World};

/// Fewest awake cells for which a card is opened without a request: a processor steps fewer in a
/// few milliseconds a cycle, and a card takes little less for its submissions alone.
const AWAKE_LEAST: usize = 250_000;

/// Time that a run lasts before a card is opened: shorter runs end before a card is of use.
const RUNS_FOR: Duration = Duration::from_secs(5);

/// Time that the end of a run has for the thread that opens a card.
const ENDS_WITHIN: Duration = Duration::from_secs(2);

/// Time between two looks at whether the run is to end.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// Device that steps the water. Results are the same to the bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, clap::ValueEnum)]
pub enum DeviceName {
    /// The faster of the two: the first cycles on each are measured
    Auto,
    /// The processor
    #[default]
    Cpu,
    /// The graphics card, as far as it can
    Gpu,
}

/// The place of a card in a run.
#[derive(Debug)]
pub struct Seat {
    name: DeviceName,
    stage: CardStage,
    /// Last line that was reported.
    told: Option<String>,
}

/// Stages of a card on its way.
#[derive(Debug)]
enum CardStage {
    /// No card.
    Processor,
    /// A card is opened as soon as enough cells are awake and the run has lasted long enough.
    Small { begun: Instant },
    /// A thread opens and tests a card.
    Opening(CardOpening),
    /// A card is in the world; the spare one is for another world.
    Taken { spare: Box<GpuCard>, log: CardLog },
}

impl Seat {
    /// Makes the seat for this device in a run that continues while a card is opened.
    #[must_use]
    pub fn new(name: DeviceName) -> Self {
        let stage = match name {
            DeviceName::Auto => CardStage::Small { begun: Instant::now() },
            DeviceName::Cpu => CardStage::Processor,
            DeviceName::Gpu => CardStage::opening(Device::open),
        };
        Self { name, stage, told: None }
    }

    /// Makes the seat for this device in a run that waits for a card if one was requested.
    #[must_use]
    pub fn take(world: &mut World, name: DeviceName) -> Self {
        let mut seat = Self::new(name);
        seat.wait(world).into_iter().for_each(complain);
        seat
    }

    /// Waits for a card if one was requested. Returns a line to report, if any.
    pub fn wait(&mut self, world: &mut World) -> Option<String> {
        match &self.stage {
            CardStage::Opening(opening) if self.name == DeviceName::Gpu => {
                while !interrupt::is_asked() {
                    let opened = match opening.card.recv_timeout(LOOKS_EVERY) {
                        Err(RecvTimeoutError::Timeout) => continue,
                        opened => opened.ok(),
                    };
                    return self.come(world, opened);
                }
                None
            }
            _ => None,
        }
    }

    /// Checks for a card between two cycles, and prints the line to report, if any.
    pub fn tell(&mut self, world: &mut World) {
        self.look(world).into_iter().for_each(complain);
    }

    /// Checks for a card between two cycles. Returns a line to report, if any. Each reason why the
    /// processor steps the world in place of the card is reported once.
    pub fn look(&mut self, world: &mut World) -> Option<String> {
        match &self.stage {
            CardStage::Processor => None,
            CardStage::Small { begun } => {
                let is_long = begun.elapsed() >= RUNS_FOR;
                if is_long && awake(world) >= AWAKE_LEAST && beyond(world).is_none() {
                    self.stage = CardStage::opening(Device::open_hardware);
                }
                None
            }
            CardStage::Opening(opening) => match opening.card.try_recv() {
                Ok(opened) => self.come(world, Some(opened)),
                Err(TryRecvError::Disconnected) => self.come(world, None),
                Err(TryRecvError::Empty) => None,
            },
            CardStage::Taken { spare, log } => {
                let events = log.events();
                let line = self.events(&spare.name(), &events);
                if self.name == DeviceName::Auto && events.cycles == 0 && events.refused.is_some() {
                    // Otherwise each cycle would try the card again, with a copy of the world.
                    world.set_card(None);
                    self.stage = CardStage::Processor;
                }
                line.and_then(|line| self.once(line))
            }
        }
    }

    /// Continues with another world, which replaces the one before. Returns a line to report, if
    /// any.
    pub fn follow(&mut self, world: &mut World) -> Option<String> {
        let CardStage::Taken { spare, log } = &self.stage else { return None };
        if log.events().lost.is_some() {
            return None;
        }
        let card = spare.another();
        self.come(world, Some(card))
    }

    /// Cycles that the card of this world did.
    #[must_use]
    pub fn cycles(&self) -> u64 {
        match &self.stage {
            CardStage::Taken { log, .. } => log.events().cycles,
            CardStage::Processor | CardStage::Small { .. } | CardStage::Opening(_) => 0,
        }
    }

    /// Gives a card to the world, or leaves the world to the processor. Returns a line to report,
    /// if any.
    fn come(
        &mut self,
        world: &mut World,
        opened: Option<Result<GpuCard, Failure>>,
    ) -> Option<String> {
        let spared = opened.map(|card| card.and_then(|card| Ok((card.another()?, card))));
        let (stage, line) = match spared {
            Some(Ok((spare, card))) => {
                let log = card.log();
                world.set_card(Some(match self.name {
                    DeviceName::Auto => Box::new(AutoCard::new(card)),
                    DeviceName::Cpu | DeviceName::Gpu => Box::new(card),
                }));
                (CardStage::Taken { spare: Box::new(spare), log }, None)
            }
            Some(Err(failure)) => {
                (CardStage::Processor, Some(format!("{failure}; the processor steps this world")))
            }
            None => {
                let line = "the driver of the graphics card failed: update it, or ask for --device \
                            cpu; the processor steps this world";
                (CardStage::Processor, Some(line.to_owned()))
            }
        };
        self.stage = stage;
        line.filter(|_| self.name == DeviceName::Gpu).and_then(|line| self.once(line))
    }

    /// Returns the line to report about a card, if any.
    fn events(&self, name: &str, events: &CardEvents) -> Option<String> {
        match (&events.lost, &events.refused) {
            (Some(failure), _) => {
                Some(format!("{failure}; the processor goes on, with the same result"))
            }
            (None, Some(beyond)) if self.name == DeviceName::Gpu => Some(format!(
                "the graphics card {name} cannot step {beyond} yet: the processor steps each cycle \
                 that has them, with the same result"
            )),
            (None, _) => None,
        }
    }

    fn once(&mut self, line: String) -> Option<String> {
        let is_new = self.told.as_ref() != Some(&line);
        self.told = Some(line);
        self.told.clone().filter(|_| is_new)
    }
}

impl CardStage {
    /// Begins to open a card on a thread of its own; the processor continues if no thread can be
    /// made.
    fn opening(open: fn() -> Result<Device, Failure>) -> Self {
        CardOpening::begin(open).map_or(Self::Processor, Self::Opening)
    }
}

/// A card that is being opened and tested.
#[derive(Debug)]
struct CardOpening {
    card: Receiver<Result<GpuCard, Failure>>,
    /// The device, as soon as it is open, until its test is done.
    device: Arc<OnceLock<Device>>,
}

impl CardOpening {
    /// Opens and tests a card on a thread of its own, and on no other.
    fn begin(open: fn() -> Result<Device, Failure>) -> Option<Self> {
        let (sender, card) = sync_channel(1);
        let device = Arc::default();
        let opened: Arc<OnceLock<Device>> = Arc::clone(&device);
        // If no card arrives, as after a panic, the processor continues.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).panic_handler(|_| ());
        pool.thread_name(|_| "card".into()).build().ok()?.spawn(move || {
            let made = open().and_then(|own| GpuCard::on(opened.get_or_init(|| own).clone()));
            // The last of a device is not taken down while the program ends.
            drop(opened);
            let _ = sender.send(made);
        });
        Some(Self { card, device })
    }
}

impl Drop for Seat {
    /// Waits for the thread that opens a card: drivers may fault if a program ends while they are
    /// at work.
    fn drop(&mut self) {
        let CardStage::Opening(opening) = &self.stage else { return };
        let begun = Instant::now();
        while begun.elapsed() < ENDS_WITHIN {
            opening.device.get().into_iter().for_each(Device::give_up);
            match opening.card.recv_timeout(Duration::from_millis(10)) {
                Err(RecvTimeoutError::Timeout) => {}
                Ok(_) | Err(RecvTimeoutError::Disconnected) => return,
            }
        }
    }
}

/// Tries the device of a run on one cycle of the world. Returns in words which device it is, and
/// the work that it leaves to the processor.
#[must_use]
pub fn tried(world: &mut World, name: DeviceName) -> String {
    let open = match name {
        DeviceName::Auto if beyond(world).is_some() => return "the processor".to_owned(),
        DeviceName::Auto if cells(world) >= AWAKE_LEAST => Device::open_hardware,
        DeviceName::Auto => {
            return format!("the processor: a card takes part once {AWAKE_LEAST} cells are awake");
        }
        DeviceName::Cpu => return "the processor".to_owned(),
        DeviceName::Gpu => Device::open,
    };
    let card = match open().and_then(GpuCard::on) {
        Ok(card) => card,
        Err(Failure::NoAdapter { .. }) if name == DeviceName::Auto => {
            return "the processor: no graphics card was found".to_owned();
        }
        Err(failure) => return format!("the processor: {failure}"),
    };
    let (log, mut words) = (card.log(), format!("the graphics card {}", card.name()));
    if name == DeviceName::Auto {
        words = format!("the faster of the processor and {words}");
    }
    world.set_card(Some(Box::new(card)));
    world.run_cycle(SimTime::MAX);
    let events = log.events();
    match (events.lost, events.refused) {
        (Some(failure), _) => format!("the processor: {failure}"),
        (None, Some(beyond)) => format!(
            "{words}, which passes its self-test and cannot step {beyond} yet: the processor steps \
             each cycle that has them"
        ),
        (None, None) if events.cycles == 0 => format!("{words}, which passes its self-test"),
        (None, None) => format!("{words}, which passes its self-test and can step this world"),
    }
}

/// Returns the name of something in a world that no card can step; `None` if nothing is found.
fn beyond(world: &World) -> Option<&'static str> {
    gpu::beyond(world)
}

/// Cells of all leaves.
fn cells(world: &World) -> usize {
    world.leaves().len() * TILE_CELLS
}

/// Cells of leaves that are awake.
fn awake(world: &World) -> usize {
    if cells(world) < AWAKE_LEAST {
        return 0;
    }
    world.leaves().awake() * TILE_CELLS
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg::structure::Barrier;
    use thalweg::terrain::Terrain;
    use thalweg::world::Settings;
    use thalweg::world::Solver;
    use thalweg::world::Terms;
    use thalweg::world::{MapKinds, WorldBuilder};

    /// Returns the builder of a pool of `side` × `side` cells that runs down a slope.
    fn builder(side: usize) -> WorldBuilder {
        let bed = |x: usize, y: usize| 30.0 - 0.02 * x as f64 + 0.3 * ((x * 7 + y * 3) % 5) as f64;
        WorldBuilder::new(Terrain::from_heights([side; 2], 4.0, bed).expect("a map"))
            .maps(MapKinds::ALL)
            .initial_depth(|place| if place.x < 40 { 2.0 } else { 0.3 })
    }

    fn world(side: usize) -> World {
        builder(side).build().expect("a good world")
    }

    fn seat(name: DeviceName, open: fn() -> Result<Device, Failure>) -> Seat {
        Seat { name, stage: CardStage::opening(open), told: None }
    }

    impl Seat {
        /// Runs a cycle, and returns whether no card is being opened any more.
        fn is_settled_after(&mut self, world: &mut World, lines: &mut Vec<String>) -> bool {
            world.run_cycle(SimTime::MAX);
            lines.extend(self.look(world));
            matches!(self.stage, CardStage::Processor | CardStage::Taken { .. })
        }
    }

    fn run(world: &mut World, cycles: u32) {
        (0..cycles).for_each(|_| {
            world.run_cycle(SimTime::MAX);
        });
    }

    fn missing() -> Result<Device, Failure> {
        Err(Failure::NoAdapter { reason: "none".into() })
    }

    fn faulty() -> Result<Device, Failure> {
        panic!("a driver that is broken (this test asks for it)")
    }

    fn endless() -> Result<Device, Failure> {
        std::thread::sleep(Duration::from_secs(20));
        missing()
    }

    /// Goal: if no card is found the run continues, and reports it once, and only if one was
    /// requested.
    #[test]
    fn where_no_card_comes_the_processor_goes_on() {
        let line = missing().map(|_| ()).expect_err("none").to_string();
        let failed = "the driver of the graphics card failed: update it, or ask for --device cpu; \
                      the processor steps this world";
        let failed = failed.to_owned();
        for (name, open, expected) in [
            (DeviceName::Auto, missing as fn() -> _, None),
            (DeviceName::Gpu, missing, Some(line + "; the processor steps this world")),
            (DeviceName::Auto, faulty, None),
            (DeviceName::Gpu, faulty, Some(failed)),
        ] {
            let (mut world, mut plain, mut lines) = (world(100), world(100), Vec::new());
            let mut seat = seat(name, open);
            let settled = (1..2000).find(|_| seat.is_settled_after(&mut world, &mut lines));
            let cycles = settled.expect("an answer") + 1;
            seat.is_settled_after(&mut world, &mut lines);
            run(&mut plain, cycles);
            assert_eq!(lines, Vec::from_iter(expected), "{name:?}");
            assert_eq!((seat.cycles(), world.state_hash()), (0, plain.state_hash()));
        }
    }

    /// Goal: no card is opened if it cannot be faster, nor one in software without a request.
    /// Method: a run that has just begun, a world just below the bound, one with wind, and one
    /// beyond the bound with a wall.
    #[test]
    fn small_worlds_open_no_card_and_large_ones_none_in_software() {
        let mut lines = Vec::new();
        let (mut small, mut large) = (world(448), world(512));
        assert!(cells(&small) < AWAKE_LEAST && cells(&large) >= AWAKE_LEAST);
        let wall = Barrier::wall("dam", [[400.0, 200.0], [400.0, 900.0]], 40.0);
        large.structures_mut().put_barrier(wall).expect("in the world");
        let mut seat = Seat::new(DeviceName::Auto);
        assert!(!seat.is_settled_after(&mut large, &mut lines));
        assert!(matches!(seat.stage, CardStage::Small { .. }), "it has just begun: {seat:?}");
        let begun = Instant::now().checked_sub(RUNS_FOR).expect("a machine that runs for long");
        seat.stage = CardStage::Small { begun };
        assert!(!seat.is_settled_after(&mut small, &mut lines));
        assert!(matches!(seat.stage, CardStage::Small { .. }), "it is small: {seat:?}");
        let terms = Terms { wind_m_s: [20.0, 0.0], ..Terms::NONE };
        let settings = Settings { solver: Solver::ShallowWater, terms, ..Settings::default() };
        let mut windy = builder(512).settings(settings).build().expect("a good world");
        assert!(!seat.is_settled_after(&mut windy, &mut lines));
        assert!(matches!(seat.stage, CardStage::Small { .. }), "no card does wind: {seat:?}");
        let settled = (0..2000).any(|_| seat.is_settled_after(&mut large, &mut lines));
        assert!(settled && lines.is_empty(), "{seat:?}");
        if let CardStage::Taken { spare, .. } = &seat.stage {
            assert!(!spare.name().contains("llvmpipe"), "{seat:?}");
        }
    }

    /// Goal: no driver can delay the end of a run for long.
    #[test]
    fn the_end_waits_for_no_driver() {
        let seat = seat(DeviceName::Auto, endless);
        let begun = Instant::now();
        drop(seat);
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    /// Goal: a card that joins while a world runs changes no result and continues with another
    /// world, and a test that is no longer needed ends at once. Method: the driver of this machine,
    /// in software if it has no card.
    #[test]
    fn a_card_comes_between_two_cycles() {
        if testkit::graphics(Device::open()).is_none() {
            return;
        }
        let (mut world, mut plain, mut lines) = (world(100), world(100), Vec::new());
        let mut seat = seat(DeviceName::Gpu, Device::open);
        let (mut cycles, begun) = (0, Instant::now());
        while seat.cycles() < 3 {
            assert!(begun.elapsed() < Duration::from_secs(300), "no card took part: {seat:?}");
            seat.is_settled_after(&mut world, &mut lines);
            cycles += 1;
            assert!(lines.is_empty(), "{lines:?}");
        }
        assert!(cycles > 3, "nobody waited for the card");
        run(&mut plain, cycles);
        assert_eq!(world.state_hash(), plain.state_hash());
        let mut other = world.try_clone().expect("in memory");
        assert_eq!(seat.follow(&mut other), None);
        other.run_cycle(SimTime::MAX);
        plain.run_cycle(SimTime::MAX);
        assert_eq!((seat.cycles(), other.state_hash()), (1, plain.state_hash()));
        let opening = CardOpening::begin(Device::open).expect("a thread");
        while opening.device.get().is_none() {
            std::thread::sleep(Duration::from_millis(1));
        }
        opening.device.get().into_iter().for_each(Device::give_up);
        let ended = opening.card.recv_timeout(Duration::from_secs(10)).expect("it ends soon");
        assert!(matches!(ended, Err(Failure::Lost { .. })), "{ended:?}");
    }
}
