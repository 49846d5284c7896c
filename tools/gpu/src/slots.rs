//! Slots of a card: the leaf that each one belongs to, and the planes in it.

use crate::failure::Failure;
use crate::levels::AwakeRanks;
use crate::place::{CardSlot, FetchedLeaf, HeldCard, SharedCard};
use crate::planes::{PlaneGroup, Room, maps_of, water_of};
use crate::roll::{FEW_LEAVES, Roll, each, found};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use thalweg::units::SimTime;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::forcing::CellClasses;
use thalweg_engine::sim::residency::Needed;
use thalweg_engine::sim::table::{LeafTable, pick};
use thalweg_engine::tile::columns::{Columns, LeafColumns};
use thalweg_engine::tile::{CowPlane, Ground, Resident, Water};

/// Water in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SlotWater {
    /// No water yet.
    Nothing,
    /// A copy of the water of a leaf asleep, as it is since the change of this number.
    Copy { changed: u64 },
    /// The water of a leaf that was stepped here: the slot is its place.
    Stepped,
}

/// Beds, classes and tables of columns of a slot.
type HeldGround = (CowPlane<i32>, Option<CowPlane<u8>>, Option<Arc<Columns>>);

/// One slot.
#[derive(Debug)]
struct SlotEntry {
    place: Arc<CardSlot>,
    held: SlotWater,
    /// Ground in the slot; kept, so that no new ground can have the same address in memory.
    ground: Option<HeldGround>,
    /// Classes of cells in the slot, by layer of forcing.
    classes: Vec<Option<CellClasses>>,
}

impl SlotEntry {
    /// Wraps an empty slot.
    fn of(place: Arc<CardSlot>) -> Self {
        Self { place, held: SlotWater::Nothing, ground: None, classes: Vec::new() }
    }
}

/// All slots but the first, which is beyond the world.
#[derive(Debug)]
pub struct Slots {
    shared: Arc<SharedCard>,
    by_key: HashMap<TileKey, u32>,
    entries: Vec<SlotEntry>,
    /// Free slots: first the ones without room for tables, then the ones with.
    free: [Vec<u32>; 2],
    /// Slots of halo tiles, which are free after the cycle.
    halo: Vec<u32>,
}

/// Slots that a card has room for at first.
pub const SLOTS_FIRST: u32 = 64;

impl Slots {
    /// Returns the slots with no slot taken.
    pub fn new(shared: &Arc<SharedCard>) -> Self {
        let shared = Arc::clone(shared);
        let (by_key, entries) = (HashMap::new(), Vec::new());
        Self { shared, by_key, entries, free: Default::default(), halo: Vec::new() }
    }

    /// Finds slots for these leaves, in ascending order: the awake leaves and all beside them; and
    /// for the halo tiles. If room is short, leaves that no cycle needs any more give up theirs.
    ///
    /// # Errors
    ///
    /// The card has no memory for all of them.
    pub fn assign(
        &mut self,
        holder: &mut HeldCard,
        (leaves, near): (&LeafTable, &[LeafId]),
        levels: &AwakeRanks,
    ) -> Result<(Vec<u32>, Vec<u32>), Failure> {
        let tabled = holder.planes.room().tabled;
        for number in std::mem::take(&mut self.halo) {
            self.free[usize::from(number < tabled)].push(number);
        }
        let mut missing = [0; 2];
        for &leaf in near.iter().filter(|leaf| self.number_of(tabled, (leaves, **leaf)).is_none()) {
            missing[usize::from(has_tables(leaves, leaf))] += 1;
        }
        for has_tables in levels.tiles_with_tables() {
            missing[usize::from(has_tables)] += 1;
        }
        if self.free.iter().zip(missing).any(|(free, missing)| free.len() < missing) {
            self.make_room(holder, (leaves, near), missing)?;
        }
        let tabled = holder.planes.room().tabled;
        let keys = leaves.forest.leaves();
        let of_leaf = |&leaf: &LeafId| {
            self.number_of(tabled, (leaves, leaf)).unwrap_or_else(|| {
                let key = keys[leaf];
                let number = self.take_free(has_tables(leaves, leaf));
                self.by_key.insert(key, number);
                let place = Arc::new(CardSlot::new(&self.shared, key, number));
                *self.entry(number) = SlotEntry::of(place);
                number
            })
        };
        let numbers = near.iter().map(of_leaf).collect();
        self.halo = levels.tiles_with_tables().map(|has| self.take_free(has)).collect();
        Ok((numbers, self.halo.clone()))
    }

    /// Returns the slot of a leaf, if it has one of its kind.
    fn number_of(&self, tabled: u32, (leaves, leaf): (&LeafTable, LeafId)) -> Option<u32> {
        let number = self.by_key.get(&leaves.forest.leaves()[leaf]).copied();
        number.filter(|&number| (number < tabled) == has_tables(leaves, leaf))
    }

    fn take_free(&mut self, has_tables: bool) -> u32 {
        self.free[usize::from(has_tables)].pop().expect("room was made")
    }

    /// Returns whether some of these leaves are flat and occupy room that tables need.
    pub fn must_make_way(
        &self,
        Room { tabled, .. }: Room,
        (leaves, near): (&LeafTable, &[LeafId]),
        levels: &AwakeRanks,
    ) -> bool {
        let of_leaves = near.iter().filter(|leaf| has_tables(leaves, **leaf)).count();
        let of_tiles = levels.tiles_with_tables().filter(|&has| has).count();
        let is_behind = |leaf: &LeafId| {
            !has_tables(leaves, *leaf) && self.number_of(tabled, (leaves, *leaf)).is_some()
        };
        of_leaves + of_tiles >= tabled as usize && near.iter().any(is_behind)
    }

    /// Makes room for more leaves, without tables and with: takes slots from leaves that no cycle
    /// needs, or grows.
    fn make_room(
        &mut self,
        holder: &mut HeldCard,
        (leaves, near): (&LeafTable, &[LeafId]),
        missing: [usize; 2],
    ) -> Result<(), Failure> {
        let old = holder.planes.room();
        let mut is_needed = vec![false; self.entries.len()];
        for &leaf in near {
            if let Some(number) = self.number_of(old.tabled, (leaves, leaf)) {
                is_needed[number as usize - 1] = true;
            }
        }
        let is_kept = |number: u32| is_needed.get(number as usize - 1).copied().unwrap_or(false);
        self.by_key.retain(|_, number| is_kept(*number));
        self.list_free(old, is_kept);
        let lacking = |kind: usize| missing[kind].saturating_sub(self.free[kind].len());
        if [0, 1].map(lacking) == [0; 2] {
            return Ok(());
        }
        let count = |slots: usize| u32::try_from(slots).expect("leaves are u32");
        let behind = old.slots - old.tabled - count(self.free[0].len()) + count(missing[0]);
        let least = old.tabled + count(lacking(1));
        let room = |tabled: u32, pad: fn(u32, u32) -> u32| {
            let slots = tabled + behind;
            Room {
                slots: if slots > old.slots { pad(slots, old.slots) } else { old.slots },
                tabled,
            }
        };
        let padded =
            |least: u32, old: u32| least.next_multiple_of(64).max(old + old / 4).max(SLOTS_FIRST);
        let tabled = if least > old.tabled { padded(least, old.tabled) } else { least };
        // If that is too much, the exact number may still fit.
        if holder.planes.grow(room(tabled, padded)).is_err() {
            holder.planes.grow(room(least, |least, _| least))?;
        }
        let new = holder.planes.room();
        for number in count(self.entries.len()) + 1..new.slots {
            let place =
                Arc::new(CardSlot::new(&self.shared, TileKey { level: 0, x: 0, y: 0 }, number));
            self.entries.push(SlotEntry::of(place));
        }
        self.list_free(new, is_kept);
        Ok(())
    }

    /// Lists the slots that no leaf keeps, the lowest number last.
    fn list_free(&mut self, room: Room, is_kept: impl Fn(u32) -> bool) {
        let free = |numbers: Range<u32>| numbers.rev().filter(|&slot| !is_kept(slot)).collect();
        self.free = [free(room.tabled..room.slots), free(1..room.tabled)];
    }

    fn entry(&mut self, number: u32) -> &mut SlotEntry {
        &mut self.entries[number as usize - 1]
    }

    fn place(&self, number: u32) -> &Arc<CardSlot> {
        &self.entries[number as usize - 1].place
    }

    /// Returns whether the slot is the place of these planes.
    fn is_place_of<T>(&self, number: u32, planes: &Resident<T>) -> bool {
        let own: *const CardSlot = Arc::as_ptr(self.place(number));
        planes.place().is_some_and(|place| std::ptr::addr_eq(Arc::as_ptr(place), own))
    }

    /// Returns the number of parts of a leaf that have the slot as their place.
    fn parts_at(&self, number: u32, leaves: &LeafTable, leaf: LeafId) -> usize {
        let infiltrated = leaves.own[leaf].infiltrated.as_ref();
        let maps = leaves.maps_of(leaf).map(|maps| maps.planes());
        usize::from(self.is_place_of(number, &leaves.water[leaf]))
            + usize::from(infiltrated.is_some_and(|plane| self.is_place_of(number, plane)))
            + usize::from(maps.is_some_and(|planes| self.is_place_of(number, planes)))
    }

    /// Reads all leaves whose place is here into memory, and keeps the planes that others share.
    ///
    /// # Errors
    ///
    /// The card is lost.
    pub fn bring_back(&self, holder: &HeldCard, leaves: &LeafTable) -> Result<(), Failure> {
        let keys = leaves.forest.leaves();
        let slot_of = |leaf: &LeafId| self.by_key.get(&keys[*leaf]).map(|&slot| (*leaf, slot));
        let own: Vec<_> = leaves.forest.ids().filter_map(|leaf| slot_of(&leaf)).collect();
        let is_here = |&&(leaf, slot): &&(LeafId, u32)| self.parts_at(slot, leaves, leaf) > 0;
        let own: Vec<_> = own.iter().filter(is_here).copied().collect();
        self.keep(holder, &own.iter().map(|&(_, slot)| slot).collect::<Vec<_>>())
    }

    /// Reads planes whose place is here, all at once, shortly before they are needed.
    pub fn bring_ahead(&self, holder: &mut HeldCard, leaves: &LeafTable, needed: &Needed) {
        let keys = leaves.forest.leaves();
        let slots = |of: &[LeafId], is_away: &dyn Fn(LeafId, u32) -> bool| -> Vec<u32> {
            let slot = |leaf: LeafId| Some((leaf, *self.by_key.get(&keys[leaf])?));
            let away = of.iter().filter_map(|&leaf| slot(leaf));
            away.filter(|&(leaf, slot)| is_away(leaf, slot)).map(|(_, slot)| slot).collect()
        };
        let water = slots(&needed.water, &|leaf, slot| self.is_away(slot, &leaves.water[leaf]));
        let grounds = slots(&needed.rest, &|leaf, slot| {
            let infiltrated = leaves.own[leaf].infiltrated.as_ref();
            infiltrated.is_some_and(|plane| self.is_away(slot, plane))
        });
        let maps = slots(&needed.rest, &|leaf, slot| {
            leaves.maps_of(leaf).is_some_and(|maps| self.is_away(slot, maps.planes()))
        });
        holder.bring_ahead(PlaneGroup::Water, &water);
        holder.bring_ahead(PlaneGroup::Infiltrated, &grounds);
        holder.bring_ahead(PlaneGroup::Maps, &maps);
    }

    /// Returns whether planes are in the slot, and nowhere in memory.
    fn is_away<T>(&self, number: u32, planes: &Resident<T>) -> bool {
        !planes.is_here() && !self.place(number).is_kept() && self.is_place_of(number, planes)
    }

    /// Keeps the planes of the slots that were stepped last and that are shared outside of their
    /// leaves, or that belong to leaves asleep now: before steps go on, and before a slot passes to
    /// another leaf.
    ///
    /// # Errors
    ///
    /// The card is lost.
    pub fn keep_shared(&self, holder: &HeldCard, leaves: &LeafTable) -> Result<(), Failure> {
        let is_shared = |slot: u32| {
            let SlotEntry { place, held, .. } = &self.entries[slot as usize - 1];
            let leaf = leaves.forest.find(place.key);
            let parts = leaf.map_or(0, |leaf| self.parts_at(slot, leaves, leaf));
            let is_awake = leaf.is_some_and(|leaf| !leaves.asleep[leaf]);
            let is_left = parts > 0 && !is_awake;
            let is_held = Arc::strong_count(place) > 1 + parts;
            *held == SlotWater::Stepped && !place.is_kept() && (is_left || is_held)
        };
        let stepped = &holder.stepped;
        let shared =
            found(stepped.len(), FEW_LEAVES, |i| Some(stepped[i]).filter(|&slot| is_shared(slot)));
        self.keep(holder, &shared)
    }

    /// Keeps the planes of slots.
    fn keep(&self, holder: &HeldCard, slots: &[u32]) -> Result<(), Failure> {
        let shape = holder.planes.shape;
        let read = |part, is_there: bool| match is_there {
            true => holder.read_planes(part, slots),
            false => Ok(Vec::new()),
        };
        let water = read(PlaneGroup::Water, true)?;
        let grounds = read(PlaneGroup::Infiltrated, shape.has_ground)?;
        let maps = read(PlaneGroup::Maps, !shape.maps.is_empty())?;
        for (i, &slot) in slots.iter().enumerate() {
            let ground = grounds.get(i).map(|words| bytemuck::cast_slice::<u32, i32>(words).into());
            let maps = maps.get(i).map(|words| maps_of(words, shape));
            let kept = FetchedLeaf { water: water_of(&water[i]), infiltrated: ground, maps };
            self.place(slot).keep(kept);
        }
        Ok(())
    }

    /// Returns whether the slot of a leaf contains all that a cycle needs of the leaf.
    pub fn has_all(&self, number: u32, (leaves, leaf): (&LeafTable, LeafId)) -> bool {
        let has_water = if leaves.asleep[leaf] {
            self.has_copy(number, (leaves, leaf))
        } else {
            self.has_planes(number, (leaves, leaf))
                && self.has_classes(number, &leaves.classes[leaf])
        };
        has_water && self.has_ground(number, &leaves.grounds[leaf])
    }

    /// Writes the planes that the slot of a leaf lacks.
    pub fn put(
        &mut self,
        holder: &mut HeldCard,
        number: u32,
        (leaves, leaf): (&LeafTable, LeafId),
    ) {
        self.put_ground(holder, number, &leaves.grounds[leaf]);
        if leaves.asleep[leaf] {
            self.put_asleep(holder, number, (leaves, leaf));
        } else {
            self.put_awake(holder, number, (leaves, leaf));
        }
    }

    /// Returns whether the slot of a leaf contains its ground.
    pub fn has_ground(&self, number: u32, ground: &Ground) -> bool {
        self.entries[number as usize - 1].ground.as_ref().is_some_and(|(bed, classes, tables)| {
            let [old, new] = [classes, &ground.roughness]
                .map(|plane| plane.as_ref().map(|plane| plane.as_ptr()));
            let own = ground.columns.as_ref().map(LeafColumns::tables);
            let [before, after] = [tables.as_ref(), own].map(|tables| tables.map(Arc::as_ptr));
            bed.as_ptr() == ground.bed.as_ptr() && old == new && before == after
        })
    }

    fn has_planes(&self, number: u32, (leaves, leaf): (&LeafTable, LeafId)) -> bool {
        let infiltrated = leaves.own[leaf].infiltrated.as_ref();
        let maps = leaves.maps_of(leaf).map(|maps| maps.planes());
        self.is_place_of(number, &leaves.water[leaf])
            && infiltrated.is_none_or(|plane| self.is_place_of(number, plane))
            && maps.is_none_or(|maps| self.is_place_of(number, maps))
    }

    fn has_classes(&self, number: u32, classes: &[Option<CellClasses>]) -> bool {
        let old = &self.entries[number as usize - 1].classes;
        let is_there = |(new, old): (&Option<CellClasses>, &Option<CellClasses>)| {
            new.as_ref().is_none_or(|new| is_same(new, old.as_ref()))
        };
        old.len() == classes.len() && classes.iter().zip(old).all(is_there)
    }

    fn has_copy(&self, number: u32, (leaves, leaf): (&LeafTable, LeafId)) -> bool {
        let held = SlotWater::Copy { changed: leaves.changed_at(leaf) };
        self.entries[number as usize - 1].held == held
    }

    /// Writes the ground of a slot, if a different ground is in it.
    pub fn put_ground(&mut self, holder: &mut HeldCard, number: u32, ground: &Ground) {
        if !self.has_ground(number, ground) {
            let level = self.place(number).key.level;
            holder.planes.put_ground(number, level, ground);
            let tables = ground.columns.as_ref().map(|columns| Arc::clone(columns.tables()));
            let held = (ground.bed.clone(), ground.roughness.clone(), tables);
            self.entry(number).ground = Some(held);
        }
    }

    /// Writes the planes that the slot of a leaf that will be stepped lacks.
    fn put_awake(
        &mut self,
        holder: &mut HeldCard,
        number: u32,
        (leaves, leaf): (&LeafTable, LeafId),
    ) {
        let planes = &mut holder.planes;
        let water = &leaves.water[leaf];
        if !self.is_place_of(number, water) {
            planes.put_water(number, water);
            self.entry(number).held = SlotWater::Nothing;
        }
        let infiltrated = leaves.own[leaf].infiltrated.as_ref();
        if let Some(plane) = infiltrated.filter(|plane| !self.is_place_of(number, plane)) {
            planes.put_infiltrated(number, plane);
        }
        let maps = leaves.maps_of(leaf).map(|maps| maps.planes());
        if let Some(maps) = maps.filter(|maps| !self.is_place_of(number, maps)) {
            planes.put_maps(number, maps);
        }
        let (classes, entry) = (&leaves.classes[leaf], self.entry(number));
        entry.classes.resize(classes.len(), None);
        for (layer, (new, old)) in classes.iter().zip(&mut entry.classes).enumerate() {
            let Some(new) = new.as_ref().filter(|new| !is_same(new, old.as_ref())) else {
                continue;
            };
            if !matches!(new, CellClasses::One(_)) {
                planes.put_layer_classes(number, layer, new);
            }
            *old = Some(new.clone());
        }
    }

    /// Writes the water of a leaf that the processor steps, in the middle of a cycle: into the
    /// buffers of one of two turns.
    pub fn put_guest(
        &mut self,
        holder: &mut HeldCard,
        number: u32,
        (water, is_turned): (&Water, bool),
    ) {
        holder.planes.put_in_turn(number, water, is_turned);
        self.entry(number).held = SlotWater::Nothing;
    }

    /// Keeps all planes here of leaves that the processor steps from now on.
    ///
    /// # Errors
    ///
    /// The card is lost.
    pub fn keep_apart(
        &self,
        holder: &HeldCard,
        leaves: &LeafTable,
        apart: &[LeafId],
    ) -> Result<(), Failure> {
        let keys = leaves.forest.leaves();
        let slot = |leaf: &LeafId| Some((*leaf, *self.by_key.get(&keys[*leaf])?));
        let stands = |&(leaf, slot): &(LeafId, u32)| {
            !self.place(slot).is_kept() && self.parts_at(slot, leaves, leaf) > 0
        };
        let here: Vec<u32> =
            apart.iter().filter_map(slot).filter(stands).map(|(_, slot)| slot).collect();
        self.keep(holder, &here)
    }

    /// Writes the water of a leaf asleep, unless the slot contains a copy.
    fn put_asleep(
        &mut self,
        holder: &mut HeldCard,
        number: u32,
        (leaves, leaf): (&LeafTable, LeafId),
    ) {
        if !self.has_copy(number, (leaves, leaf)) {
            holder.planes.put_water(number, &leaves.water[leaf]);
            self.entry(number).held = SlotWater::Copy { changed: leaves.changed_at(leaf) };
        }
    }

    /// Takes the slots of awake leaves as stepped up to a time: they are the places of all parts of
    /// these leaves from now on, new places if the last ones are still used elsewhere.
    pub fn take_leaves(&mut self, leaves: &mut LeafTable, roll: &Roll, time: SimTime) {
        self.renew(leaves, roll);
        let LeafTable { water, own, maps, .. } = leaves;
        let (awake, records) = (&roll.ascending, &roll.records);
        let parts = pick(water, awake).into_iter().zip(pick(own, awake)).zip(records);
        each(parts.collect(), |((water, own), &record)| {
            let number = roll.slot(record);
            self.take(number, water);
            own.infiltrated.iter_mut().for_each(|plane| self.take(number, plane));
        });
        if !maps.is_empty() {
            each(pick(maps, awake).into_iter().zip(records).collect(), |(maps, &record)| {
                maps.looked(time, |planes| self.take(roll.slot(record), planes));
            });
        }
    }

    /// Makes new places of the slots that were stepped, if the last ones cannot serve again.
    fn renew(&mut self, leaves: &LeafTable, roll: &Roll) {
        let old = found(roll.awake.len(), FEW_LEAVES, |record| {
            let number = roll.slot(record);
            let SlotEntry { place, held, .. } = &self.entries[number as usize - 1];
            let is_old = *held != SlotWater::Stepped || !place.is_fresh();
            is_old.then_some((roll.awake[record], number))
        });
        for (leaf, number) in old {
            let key = leaves.forest.leaves()[leaf];
            let place = Arc::new(CardSlot::new(&self.shared, key, number));
            let entry = self.entry(number);
            (entry.place, entry.held) = (place, SlotWater::Stepped);
        }
    }

    /// Releases planes that a slot has from now on, or already has, after another step.
    fn take<T>(&self, number: u32, planes: &mut Resident<T>)
    where
        CardSlot: thalweg_engine::tile::resident::AwayPlace<T>,
    {
        if self.is_place_of(number, planes) {
            planes.release_at_once();
        } else {
            planes.let_go(Arc::<CardSlot>::clone(self.place(number)));
        }
    }
}

/// Returns whether columns of a leaf are sub-grid.
fn has_tables(leaves: &LeafTable, leaf: LeafId) -> bool {
    leaves.grounds[leaf].columns.is_some()
}

/// Returns whether classes of cells are the same, as judged by cheap comparisons.
fn is_same(new: &CellClasses, old: Option<&CellClasses>) -> bool {
    match (new, old) {
        (CellClasses::One(a), Some(CellClasses::One(b))) => a == b,
        (CellClasses::Marked(a), Some(CellClasses::Marked(b))) => Arc::ptr_eq(a, b),
        (CellClasses::Each(a), Some(CellClasses::Each(b))) => Arc::ptr_eq(a, b),
        _ => false,
    }
}
