//! Planes whose place is a card.
//!
//! A leaf that was stepped on the card is away, and the card's slot is its place: readers of the
//! leaf get its planes from there. Many reads in a row get ever larger parts, so that a save of a
//! large world waits a few times, not for each leaf.
//!
//! Guarantees: a place always returns the water of the cycle that it was made for, whether its slot
//!             has been stepped further since (the water was kept then) or the card is lost (the
//!             cycles are run again, see [`CardCheckpoint`]).

use crate::failure::Failure;
use crate::log::CardLog;
use crate::planes::{CardPlanes, OptionalPlanes, PlaneGroup, maps_of, water_of};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use thalweg::units::Volume;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::card::CardCheckpoint;
use thalweg_engine::sim::maps::MapPlanes;
use thalweg_engine::sim::table::LeafTable;
use thalweg_engine::tile::resident::{AwayPlace, BringReason};
use thalweg_engine::tile::{CowPlane, Water};

/// State that a card and the places on it share.
#[derive(Debug)]
pub struct SharedCard(Mutex<HeldCard>);

/// Planes on a card, and the state that replaces it if it is lost.
#[derive(Debug)]
pub struct HeldCard {
    /// The planes.
    pub planes: CardPlanes,
    /// Slots of the leaves that were stepped last.
    pub stepped: Vec<u32>,
    /// State from which the planes are computed again if the card is lost.
    pub checkpoint: Option<Arc<CardCheckpoint>>,
    /// Reason why the card is not used any more.
    pub lost: Option<Failure>,
    /// Words that were read since the last step, by part and slot.
    read: HashMap<(PlaneGroup, u32), Vec<u32>>,
    /// The last reads of many slots for one needed slot, by part.
    ahead: HashMap<PlaneGroup, ReadAhead>,
    log: CardLog,
}

impl SharedCard {
    /// Wraps these planes; the log counts the reads of them.
    pub fn new(planes: CardPlanes, log: CardLog) -> Self {
        Self(Mutex::new(HeldCard {
            planes,
            stepped: Vec::new(),
            checkpoint: None,
            lost: None,
            read: HashMap::new(),
            ahead: HashMap::new(),
            log,
        }))
    }

    /// Locks the planes, for one user at a time.
    pub fn lock(&self) -> MutexGuard<'_, HeldCard> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Slots that were read at once for one needed slot, and how many of them were needed since.
#[derive(Debug, Default)]
struct ReadAhead {
    count: usize,
    used: usize,
}

/// Largest number of slots that are read at once for one needed slot.
const AHEAD_MOST: usize = 1 << 14;

impl HeldCard {
    /// Discards the words that were read: the slots are stepped further.
    pub fn forget_read(&mut self) {
        self.read.clear();
        self.ahead.clear();
    }

    /// Reads a part of slots: the words of each.
    ///
    /// # Errors
    ///
    /// The card is lost.
    pub fn read_planes(&self, part: PlaneGroup, slots: &[u32]) -> Result<Vec<Vec<u32>>, Failure> {
        self.log.note(|log| log.read += slots.len() as u64);
        self.planes.read(part, slots)
    }

    /// Reads a part of slots all at once, before they are needed one by one.
    pub fn bring_ahead(&mut self, part: PlaneGroup, slots: &[u32]) {
        let is_missing = |slot: &u32| !self.read.contains_key(&(part, *slot));
        let slots: Vec<u32> = slots.iter().copied().filter(is_missing).collect();
        if slots.is_empty() || self.lost.is_some() {
            return;
        }
        match self.read_planes(part, &slots) {
            Ok(words) => {
                self.read.extend(slots.into_iter().map(|slot| (part, slot)).zip(words));
            }
            Err(lost) => self.lost = Some(lost),
        }
    }

    /// Returns a part of a slot, and reads ahead the same part of more slots: ever more if these
    /// are used, as in a pass over the whole world.
    fn bring(&mut self, part: PlaneGroup, slot: u32) -> Result<Vec<u32>, Failure> {
        if let Some(words) = self.read.remove(&(part, slot)) {
            self.ahead.entry(part).or_default().used += 1;
            return Ok(words);
        }
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let last = self.ahead.entry(part).or_default();
        let count = if 2 * last.used >= last.count { 4 * last.count } else { last.count / 4 };
        let count = count.clamp(1, AHEAD_MOST);
        *last = ReadAhead { count, used: 1 };
        let from = self.stepped.iter().position(|&other| other == slot).unwrap_or(0);
        let is_new = |other: &&u32| **other != slot && !self.read.contains_key(&(part, **other));
        let others = self.stepped[from..].iter().filter(is_new);
        let slots: Vec<u32> = [slot].into_iter().chain(others.copied()).take(count).collect();
        let words = self.read_planes(part, &slots);
        let words = words.inspect_err(|lost| self.lost = Some(lost.clone()))?;
        let mut words = words.into_iter();
        let own = words.next().expect("one for each slot");
        self.read.extend(slots.into_iter().skip(1).map(|slot| (part, slot)).zip(words));
        Ok(own)
    }
}

/// A slot of a card, as the place of one leaf's planes at the end of one cycle.
#[derive(Debug)]
pub struct CardSlot {
    /// The card, until it has planes of its own: the planes of a checkpoint would keep their card
    /// alive, which keeps the checkpoint.
    shared: Mutex<Option<Arc<SharedCard>>>,
    /// The leaf.
    pub key: TileKey,
    /// The slot.
    pub number: u32,
    kept: OnceLock<FetchedLeaf>,
    sums: OnceLock<Vec<Volume>>,
}

/// All parts of a leaf, in memory.
#[derive(Debug)]
pub struct FetchedLeaf {
    /// Depths and discharges.
    pub water: Water,
    /// Depth that the ground took, if it takes water.
    pub infiltrated: Option<CowPlane<i32>>,
    /// Flood maps, if any.
    pub maps: Option<MapPlanes>,
}

impl CardSlot {
    /// Wraps a leaf's slot.
    pub fn new(shared: &Arc<SharedCard>, key: TileKey, number: u32) -> Self {
        let (kept, sums) = (OnceLock::new(), OnceLock::new());
        Self { shared: Mutex::new(Some(Arc::clone(shared))), key, number, kept, sums }
    }

    /// Keeps the planes, which the card will overwrite; the caller has its lock.
    pub fn keep(&self, kept: FetchedLeaf) {
        // Later calls bring the same planes as the first.
        self.kept.get_or_init(|| kept);
        *self.card() = None;
    }

    fn card(&self) -> MutexGuard<'_, Option<Arc<SharedCard>>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns whether it has planes of its own.
    pub fn is_kept(&self) -> bool {
        self.kept.get().is_some()
    }

    /// Returns whether it may serve as the place of the next cycle, too.
    pub fn is_fresh(&self) -> bool {
        !self.is_kept() && self.sums.get().is_none()
    }

    /// Returns a part: its own, from the card, or from the same cycles run again.
    fn part<T>(
        &self,
        part: PlaneGroup,
        kept: impl FnOnce(&FetchedLeaf) -> T,
        made: impl FnOnce(&[u32], OptionalPlanes) -> T,
        again: impl FnOnce(&LeafTable, LeafId) -> T,
    ) -> T {
        let shared = self.card().clone();
        let lock = shared.as_ref().map(|shared| shared.lock());
        // A cycle that had the lock meanwhile has kept the planes that it started from.
        if let Some(own) = self.kept.get() {
            drop(lock);
            return kept(own);
        }
        let mut holder = lock.expect("the card, until planes are kept");
        if let Ok(words) = holder.bring(part, self.number) {
            return made(&words, holder.planes.shape);
        }
        let checkpoint = holder.checkpoint.clone();
        drop(holder);
        let checkpoint = checkpoint.expect("what lives on a card was stepped from a checkpoint");
        let leaves = &checkpoint.again().leaves;
        let leaf = leaves.forest.find(self.key).expect("a leaf that the last cycle stepped");
        again(leaves, leaf)
    }

    fn water(&self) -> Water {
        self.part(
            PlaneGroup::Water,
            |kept| kept.water.clone(),
            |words, _| water_of(words),
            |leaves, leaf| leaves.water[leaf].copied(),
        )
    }
}

impl AwayPlace<Water> for CardSlot {
    fn bring(&self, _: BringReason) -> Water {
        self.water()
    }

    fn is_stepped(&self) -> bool {
        true
    }

    fn sums(&self) -> &[Volume] {
        self.sums.get_or_init(|| {
            let water = self.water();
            (0..=water.contents.len()).map(|plane| water.sum_of(plane)).collect()
        })
    }
}

impl AwayPlace<CowPlane<i32>> for CardSlot {
    fn bring(&self, _: BringReason) -> CowPlane<i32> {
        const GROUND: &str = "the ground takes water";
        self.part(
            PlaneGroup::Infiltrated,
            |kept| kept.infiltrated.clone().expect(GROUND),
            |words, _| bytemuck::cast_slice::<u32, i32>(words).into(),
            |leaves, leaf| leaves.own[leaf].infiltrated.as_ref().expect(GROUND).copied(),
        )
    }

    fn is_stepped(&self) -> bool {
        true
    }
}

impl AwayPlace<MapPlanes> for CardSlot {
    fn bring(&self, _: BringReason) -> MapPlanes {
        self.part(
            PlaneGroup::Maps,
            |kept| kept.maps.clone().expect("maps are kept"),
            maps_of,
            |leaves, leaf| leaves.maps[leaf.index()].planes().copied(),
        )
    }

    fn is_stepped(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::{CompilerBarrier, Route, Routes};
    use crate::card::GpuCard;
    use crate::device::Device;
    use crate::planes::Room;
    use std::time::Duration;
    use thalweg::prelude::{Terrain, World, WorldBuilder};
    use thalweg::units::SimTime;
    use thalweg_engine::sim::card::{Card, CardCycle, CardOutcome};
    use thalweg_engine::sim::params::Params;
    use thalweg_engine::sim::residency::Needed;
    use thalweg_engine::sim::state::SimulationState;

    /// Goal: a reader during a cycle gets the planes from before it. Method: a reader waits for the
    /// lock of a card that keeps a slot meanwhile.
    #[test]
    fn a_reader_that_waits_gets_what_was_kept() {
        let Some(device) = testkit::graphics(Device::open()) else { return };
        let planes = CardPlanes::new(&device, Room { slots: 4, tabled: 1 }, OptionalPlanes::BARE)
            .expect("room");
        let shared = Arc::new(SharedCard::new(planes, CardLog::default()));
        let slot = CardSlot::new(&shared, TileKey { level: 0, x: 0, y: 0 }, 1);
        let mut water = slot.water();
        assert_eq!(water.depth[7], 0);
        water.depth[7] = 42;
        let holder = shared.lock();
        let depth = std::thread::scope(|scope| {
            let reader = scope.spawn(|| slot.water().depth[7]);
            std::thread::sleep(Duration::from_millis(100));
            slot.keep(FetchedLeaf { water, infiltrated: None, maps: None });
            drop(holder);
            reader.join().expect("it reads")
        });
        assert_eq!(depth, 42);
    }

    /// Returns the card on routes that are right on any card.
    fn card(device: &Device) -> GpuCard {
        let integers = Route::Integer;
        let routes = Routes { division: integers, root: integers, barrier: CompilerBarrier::All };
        GpuCard::with_routes(device.clone(), routes).expect("a good card")
    }

    /// Returns a world with water that runs down a slope.
    fn slope() -> World {
        let terrain = Terrain::from_heights([70, 70], 4.0, |x, _| 10.0 + 0.05 * x as f64);
        let builder = WorldBuilder::new(terrain.expect("a good terrain"));
        builder.initial_depth(|_| 1.0).build().expect("a good world")
    }

    fn run(world: &mut World, cycles: u32) {
        (0..cycles).for_each(|_| {
            world.run_cycle(SimTime::MAX);
        });
    }

    /// A card that rests after some cycles, and stays at rest.
    #[derive(Debug)]
    struct Tired(GpuCard, Option<u32>);

    impl Card for Tired {
        fn can(&mut self, state: &SimulationState, params: &Params) -> bool {
            let Some(left) = self.1 else { return false };
            self.1 = left.checked_sub(1);
            if self.1.is_none() {
                self.0.rest(state);
                return false;
            }
            self.0.can(state, params)
        }

        fn keep(&mut self, state: &SimulationState) -> bool {
            self.0.keep(state)
        }

        fn bring_ahead(&self, leaves: &LeafTable, needed: &Needed) {
            self.0.bring_ahead(leaves, needed);
        }

        fn step(&mut self, cycle: CardCycle<'_>) -> CardOutcome {
            self.0.step(cycle)
        }
    }

    /// Goal: a world has all planes again when its card rests. Method: no test code reads them
    /// before, and the device is destroyed after.
    #[test]
    fn a_card_that_rests_gives_all_back() {
        let Some(device) = testkit::graphics(Device::open()) else { return };
        let (card, mut plain, mut carded) = (card(&device), slope(), slope());
        let log = card.log();
        carded.set_card(Some(Box::new(Tired(card, Some(6)))));
        run(&mut carded, 7);
        device.wgpu.destroy();
        run(&mut carded, 3);
        run(&mut plain, 10);
        assert_eq!((log.events().cycles, log.events().lost), (6, None));
        assert_eq!(plain.state_hash(), carded.state_hash());
    }

    /// Goal: a card and a world that are dropped leave nothing. Method: cycles beyond the first
    /// checkpoint, whose state has planes of the card.
    #[test]
    fn nothing_of_a_card_outlives_its_world() {
        let Some(device) = testkit::graphics(Device::open()) else { return };
        let (card, mut world) = (card(&device), slope());
        let (log, shared) = (card.log(), Arc::downgrade(card.shared()));
        world.set_card(Some(Box::new(card)));
        run(&mut world, 70);
        assert_eq!((log.events().cycles, shared.upgrade().is_some()), (70, true));
        drop(world);
        assert!(shared.upgrade().is_none(), "planes and a checkpoint stay");
    }
}
