//! Which leaf has which slot of a card, and what of it stands there.

use crate::failure::Failure;
use crate::place::{Holder, Shared, Slot};
use std::collections::HashMap;
use std::sync::Arc;
use thalweg::grid::{LeafId, TileKey};
use thalweg::sim::table::LeafTable;
use thalweg::tile::resident::Place;
use thalweg::tile::{CowPlane, Ground, Water};

/// Water that stands in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// None yet.
    Nothing,
    /// A copy of that of a leaf asleep, as it is since the change of this number.
    Copy { changed: u64 },
    /// That of a leaf that was stepped here: the slot is its place.
    Stepped,
}

/// One slot.
#[derive(Debug)]
struct Entry {
    place: Arc<Slot>,
    held: Held,
    /// Ground that stands there; held, so that no other can have its place in memory.
    ground: Option<(CowPlane<i32>, Option<CowPlane<u8>>)>,
    /// The last cycle that needed it.
    cycle: u64,
}

/// All slots but the first, which lies beyond the world.
#[derive(Debug)]
pub struct Slots {
    shared: Arc<Shared>,
    by_key: HashMap<TileKey, u32>,
    entries: Vec<Entry>,
    free: Vec<u32>,
    cycle: u64,
}

/// Slots that a card has room for at first.
pub const SLOTS_FIRST: u32 = 64;

impl Slots {
    /// No slot is taken.
    pub fn new(shared: &Arc<Shared>) -> Self {
        let shared = Arc::clone(shared);
        Self { shared, by_key: HashMap::new(), entries: Vec::new(), free: Vec::new(), cycle: 0 }
    }

    /// Finds slots for these leaves, which ascend: those that are awake and all beside them. Leaves
    /// that no cycle needs any more give theirs up where there is no room.
    ///
    /// # Errors
    ///
    /// The card has no memory for so many.
    pub fn assign(
        &mut self,
        holder: &mut Holder,
        leaves: &LeafTable,
        near: &[LeafId],
    ) -> Result<Vec<u32>, Failure> {
        self.cycle += 1;
        let keys = leaves.forest.leaves();
        let missing = near.iter().filter(|leaf| !self.by_key.contains_key(&keys[**leaf])).count();
        if missing > self.free.len() {
            self.make_room(holder, leaves, near, missing)?;
        }
        let of_leaf = |&leaf: &LeafId| {
            let key = keys[leaf];
            let number = *self.by_key.entry(key).or_insert_with(|| {
                let number = self.free.pop().expect("room was made");
                let place = Arc::new(Slot::new(&self.shared, key, number));
                let entry = Entry { place, held: Held::Nothing, ground: None, cycle: 0 };
                self.entries[number as usize - 1] = entry;
                number
            });
            self.entries[number as usize - 1].cycle = self.cycle;
            number
        };
        Ok(near.iter().map(of_leaf).collect())
    }

    /// Makes room for so many leaves more: takes slots from others, or grows.
    fn make_room(
        &mut self,
        holder: &mut Holder,
        leaves: &LeafTable,
        near: &[LeafId],
        missing: usize,
    ) -> Result<(), Failure> {
        let keys = leaves.forest.leaves();
        let mut is_needed = vec![false; self.entries.len()];
        for leaf in near {
            if let Some(&number) = self.by_key.get(&keys[*leaf]) {
                is_needed[number as usize - 1] = true;
            }
        }
        self.by_key.retain(|_, number| is_needed[*number as usize - 1]);
        let count = u32::try_from(self.entries.len()).expect("slots are u32");
        self.free = (1..=count).rev().filter(|&slot| !is_needed[slot as usize - 1]).collect();
        if missing <= self.free.len() {
            return Ok(());
        }
        let more = u32::try_from(missing - self.free.len()).expect("leaves are u32");
        let capacity = (count + 1 + more).next_multiple_of(64);
        let capacity = capacity.max(count + count / 4).max(SLOTS_FIRST);
        // Where that is too much, as many as are needed may still fit.
        if holder.planes.grow(capacity).is_err() {
            holder.planes.grow(count + 1 + more)?;
        }
        for number in count + 1..holder.planes.capacity() {
            let place = Arc::new(Slot::new(&self.shared, TileKey { level: 0, x: 0, y: 0 }, number));
            self.entries.push(Entry { place, held: Held::Nothing, ground: None, cycle: 0 });
            self.free.insert(0, number);
        }
        Ok(())
    }

    /// The place that a slot is.
    pub fn place(&self, number: u32) -> &Arc<Slot> {
        &self.entries[number as usize - 1].place
    }

    /// True where the slot is the place of this water.
    pub fn is_place_of(&self, number: u32, place: Option<&Arc<dyn Place<Water>>>) -> bool {
        let own: *const Slot = Arc::as_ptr(self.place(number));
        place.is_some_and(|place| std::ptr::addr_eq(Arc::as_ptr(place), own))
    }

    /// Slots of these, places of leaves, whose water somebody else holds, too: to be kept before it
    /// is written over.
    pub fn shared_places(&self, slots: &[u32]) -> Vec<u32> {
        let is_shared = |slot: &&u32| {
            let entry = &self.entries[**slot as usize - 1];
            let is_stepped = entry.held == Held::Stepped && !entry.place.is_kept();
            // The leaf holds it, and this table.
            is_stepped && Arc::strong_count(&entry.place) > 2
        };
        slots.iter().filter(is_shared).copied().collect()
    }

    /// Writes the ground of a slot, where another stands there.
    pub fn put_ground(&mut self, holder: &mut Holder, number: u32, ground: &Ground) {
        let entry = &mut self.entries[number as usize - 1];
        let is_same = entry.ground.as_ref().is_some_and(|(bed, classes)| {
            let pointers = [classes, &ground.roughness].map(|plane| {
                plane.as_ref().map(|plane| plane.as_ptr())
            });
            bed.as_ptr() == ground.bed.as_ptr() && pointers[0] == pointers[1]
        });
        if !is_same {
            holder.planes.put_ground(number, ground);
            entry.ground = Some((ground.bed.clone(), ground.roughness.clone()));
        }
    }

    /// Writes the water of a leaf that will be stepped, unless its slot has it.
    pub fn put_awake(&mut self, holder: &mut Holder, number: u32, leaves: &LeafTable, leaf: LeafId) {
        let water = &leaves.water[leaf];
        if !self.is_place_of(number, water.place()) {
            holder.planes.put_water(number, water);
            self.entries[number as usize - 1].held = Held::Nothing;
        }
    }

    /// Writes the water of a leaf asleep, unless a copy stands there.
    pub fn put_asleep(&mut self, holder: &mut Holder, number: u32, leaves: &LeafTable, leaf: LeafId) {
        let held = Held::Copy { changed: leaves.changed_at(leaf) };
        let entry = &mut self.entries[number as usize - 1];
        if entry.held != held {
            holder.planes.put_water(number, &leaves.water[leaf]);
            entry.held = held;
        }
    }

    /// The slot was stepped: the place of its leaf from now on, a new one where somebody else holds
    /// the last.
    pub fn stepped(&mut self, number: u32) -> &Arc<Slot> {
        let entry = &mut self.entries[number as usize - 1];
        if entry.held != Held::Stepped || !entry.place.is_fresh() {
            entry.place = Arc::new(Slot::new(&self.shared, entry.place.key, number));
        }
        entry.held = Held::Stepped;
        &entry.place
    }
}
