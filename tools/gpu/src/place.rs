//! Water whose place is a card.
//!
//! A leaf that was stepped on the card is away, and the card's slot is its place: whoever reads the
//! leaf gets its planes from there. Many readers in a row get them in ever larger parts, so that a
//! save of a large world waits a few times, not for each leaf.
//!
//! Guarantees: a place always brings the water of the cycle that it was made for, whether its slot
//!             has been stepped further since (it was kept then) or the card is lost (the cycles
//!             are run again, see [`Checkpoint`]).

use crate::failure::Failure;
use crate::planes::Planes;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use thalweg::grid::TileKey;
use thalweg::sim::card::Checkpoint;
use thalweg::tile::Water;
use thalweg::tile::resident::{Demand, Place};
use thalweg::units::Volume;

/// What a card and the places on it share.
#[derive(Debug)]
pub struct Shared(Mutex<Holder>);

/// Planes on a card, and how to get on without it.
#[derive(Debug)]
pub struct Holder {
    /// The planes.
    pub planes: Planes,
    /// Slots of the leaves that were stepped last.
    pub stepped: Vec<u32>,
    /// Where the planes come from if the card is lost.
    pub checkpoint: Option<Arc<Checkpoint>>,
    /// Reason why the card is of no use any more.
    pub lost: Option<Failure>,
    /// Water that was read since the last step, by slot.
    read: HashMap<u32, Water>,
    /// Reads since the last step.
    reads: u32,
}

impl Shared {
    /// These planes.
    pub fn new(planes: Planes) -> Self {
        Self(Mutex::new(Holder {
            planes,
            stepped: Vec::new(),
            checkpoint: None,
            lost: None,
            read: HashMap::new(),
            reads: 0,
        }))
    }

    /// The planes, for one at a time.
    pub fn lock(&self) -> MutexGuard<'_, Holder> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Holder {
    /// Forgets what was read: the slots are stepped further.
    pub fn forget_read(&mut self) {
        self.read.clear();
        self.reads = 0;
    }

    /// The water of a slot, with which that of others comes before it is asked for.
    fn bring(&mut self, slot: u32) -> Result<Water, Failure> {
        if let Some(water) = self.read.remove(&slot) {
            return Ok(water);
        }
        if let Some(lost) = &self.lost {
            return Err(lost.clone());
        }
        let count = 1_usize << (2 * self.reads).min(14);
        self.reads += 1;
        let from = self.stepped.iter().position(|&other| other == slot).unwrap_or(0);
        let others = self.stepped[from..].iter().filter(|&&other| other != slot);
        let slots: Vec<u32> = [slot].into_iter().chain(others.copied()).take(count).collect();
        let water = self.planes.read(&slots).inspect_err(|lost| self.lost = Some(lost.clone()))?;
        let mut water = water.into_iter();
        let own = water.next().expect("one for each slot");
        self.read.extend(slots.into_iter().skip(1).zip(water));
        Ok(own)
    }
}

/// A slot of a card, as the place of one leaf's water at the end of one cycle.
#[derive(Debug)]
pub struct Slot {
    shared: Arc<Shared>,
    /// The leaf.
    pub key: TileKey,
    /// The slot.
    pub number: u32,
    kept: OnceLock<Water>,
    sums: OnceLock<Vec<Volume>>,
}

impl Slot {
    /// A leaf's slot.
    pub fn new(shared: &Arc<Shared>, key: TileKey, number: u32) -> Self {
        let (kept, sums) = (OnceLock::new(), OnceLock::new());
        Self { shared: Arc::clone(shared), key, number, kept, sums }
    }

    /// Keeps the water, which the card will write over.
    pub fn keep(&self, water: Water) {
        // The first is the same.
        self.kept.get_or_init(|| water);
    }

    /// True where it has water of its own.
    pub fn is_kept(&self) -> bool {
        self.kept.get().is_some()
    }

    /// True where it may stand for the water of the next cycle, too.
    pub fn is_fresh(&self) -> bool {
        !self.is_kept() && self.sums.get().is_none()
    }

    fn water(&self) -> Water {
        if let Some(kept) = self.kept.get() {
            return kept.clone();
        }
        let mut holder = self.shared.lock();
        if let Ok(water) = holder.bring(self.number) {
            return water;
        }
        let checkpoint = holder.checkpoint.clone();
        drop(holder);
        let checkpoint = checkpoint.expect("what lives on a card was stepped from a checkpoint");
        let leaves = &checkpoint.again().leaves;
        let leaf = leaves.forest.find(self.key).expect("cycles do not change leaves");
        leaves.water[leaf].copied()
    }
}

impl Place<Water> for Slot {
    fn bring(&self, _: Demand) -> Water {
        self.water()
    }

    fn is_stepped(&self) -> bool {
        true
    }

    fn sums(&self) -> &[Volume] {
        self.sums.get_or_init(|| vec![self.water().sum_of(0)])
    }
}
