//! All leaves by id: the ground of each, its state and its scratch.
//!
//! ```text
//! column           what it is                                          who reads it in a step
//! forest, grounds  where the leaf lies, and on what                    all
//! classes          what its cells are to layers of forcing             the leaf
//! water            state: planes, here or away                         all
//! interfaces       state: faces to other levels                        all
//! asleep           state                                               all
//! own              state: the rest, see LeafOwn                        the leaf
//! scratch          what a step leaves behind and the next overwrites   the leaf
//! maps             optional: where the water has been so far           the leaf, to look
//! next             the water that a step writes, for the leaves of     the leaf
//!                  one level that are awake
//! ```
//!
//! Columns are apart because leaves of one level step in parallel: each reads the water of all and
//! writes its own. [`LeafTable::state`] and [`LeafTable::set_state`] are the only way between the
//! columns and a [`LeafState`]; a change of the leaves moves whole [`LeafRow`]s.

use crate::flow::solver::StepSummary;
use crate::forest::Forest;
use crate::forest::interfaces::bounds::InterfaceTransfers;
use crate::forest::interfaces::spare::Spare;
use crate::forest::interfaces::{ForestLeaves, LeafInterfaces};
use crate::grid::{LeafId, Side, TileKey};
use crate::sim::boundary::BoundaryFace;
use crate::sim::forcing::{ForcingClasses, InflowCell};
use crate::sim::ledger::Bookings;
use crate::sim::maps::LeafMaps;
use crate::state::list::TracerCount;
use crate::state::{BoundaryFaceState, InterfaceState, LeafState, StackState};
use crate::tile::columns::found::FoundPieces;
use crate::tile::wet_parts::WetParts;
use crate::tile::{Carry, CowPlane, Ground, Resident, Water};
use crate::units::Volume;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// All leaves, by their numbers in the forest.
#[derive(Debug)]
pub struct LeafTable {
    /// Positions of the leaves.
    pub forest: Forest,
    /// Ground of each leaf.
    pub grounds: Vec<Resident<Ground>>,
    /// Classes of their cells under layers of forcing.
    pub classes: Vec<ForcingClasses>,
    /// State: water of each leaf.
    pub water: Vec<Resident<Water>>,
    /// State: faces to different levels, of leaves that have some.
    pub interfaces: Vec<Option<Box<LeafInterfaces>>>,
    /// State: whether each leaf sleeps.
    pub asleep: Vec<bool>,
    /// State: the rest.
    pub own: Vec<LeafOwn>,
    /// Scratch: the water that the next step writes, for as many leaves as one level steps.
    pub next: Vec<Water>,
    /// Scratch: the rest.
    pub scratch: Vec<LeafScratch>,
    /// Flood maps; empty if the world keeps no maps.
    pub maps: Vec<LeafMaps>,
    /// Number of the last change of any leaf.
    pub revision: u64,
    /// Number of the last change of the set of intervals, or of beds and leaves around them.
    pub shapes: u64,
    /// Scratch: leaves that were woken by hand since an act began, with the idle cycles of each.
    pub stirred: Vec<(LeafId, u32)>,
    /// Scratch of a cycle in which each leaf takes its own steps, else empty: see
    /// [`ForestLeaves::steps_log2`].
    pub(super) steps_log2: Vec<u8>,
    /// Scratch of leaves beside leaves with steps of a different length.
    pub(super) spare: Spare,
    /// Whether some leaf was evicted: planes may be away.
    pub(super) has_let_go: bool,
    /// Scratch: leaves of the last cycle whose ground is away and that steps may need soon.
    pub(super) expected: Vec<TileKey>,
}

/// Leaves that a thread copies at once.
const LEAVES_COPIED: usize = 64;

impl Clone for LeafTable {
    /// Returns a copy, made on all threads, without scratch for steps; planes are shared until one
    /// of the two writes them.
    fn clone(&self) -> Self {
        fn copied<T: Clone + Send + Sync>(column: &[T]) -> Vec<T> {
            column.par_iter().with_min_len(LEAVES_COPIED).cloned().collect()
        }
        Self {
            forest: self.forest.clone(),
            grounds: copied(&self.grounds),
            classes: copied(&self.classes),
            water: copied(&self.water),
            interfaces: copied(&self.interfaces),
            asleep: self.asleep.clone(),
            own: copied(&self.own),
            next: Vec::new(),
            scratch: copied(&self.scratch),
            maps: copied(&self.maps),
            revision: self.revision,
            shapes: self.shapes,
            stirred: self.stirred.clone(),
            steps_log2: self.steps_log2.clone(),
            spare: Spare::default(),
            has_let_go: self.has_let_go,
            expected: self.expected.clone(),
        }
    }
}

impl LeafTable {
    /// Ends the table, on all threads, and releases its unshared planes of water for reuse.
    pub fn give_back(self) {
        fn ended<T: Send>(column: Vec<T>, end: impl Fn(T) + Send + Sync) {
            column.into_par_iter().with_min_len(LEAVES_COPIED).for_each(end);
        }
        let Self { grounds, classes, water, interfaces, own, scratch, maps, .. } = self;
        ended(water, |water| {
            // Planes that are not in memory would be loaded only to be dropped.
            if water.is_here() {
                water.into_inner().give_back();
            }
        });
        ended(grounds, drop);
        ended(classes, drop);
        ended(interfaces, drop);
        ended(own, drop);
        ended(scratch, drop);
        ended(maps, drop);
    }
}

/// State of a leaf that no neighbour reads.
#[derive(Debug, Clone, Default)]
pub struct LeafOwn {
    /// Faces to the outside that are no walls.
    pub boundary: Vec<BoundaryFace>,
    /// Depth that the ground took so far, vertical units, if the ground takes water.
    pub infiltrated: Option<Resident<CowPlane<i32>>>,
    /// Rounding remainders that belong to the leaf and to none of its cells.
    pub carry: Carry,
    /// Cycles for which the leaf has been idle, or with a tolerance of sleep 2⁻¹⁶ s.
    pub idle: u32,
    /// Largest depth that waves ran on in the last step, m.
    pub flow_depth_max: f32,
    /// Whether some cell was wet at the end of the last step.
    pub is_wet: bool,
    /// Wet parts of the leaf at the end of the last step; `None` if its planes were written since.
    /// No state: planes in memory give the same.
    pub wet: Option<WetParts>,
    /// Stacked columns, and the flow over their faces; `None` if the leaf has neither.
    pub stack: Option<Box<StackState>>,
    /// Largest pace of its cells at the end of its last cycle, m/s, if each leaf takes its own
    /// steps. A leaf of unknown pace takes the shortest steps of its level.
    pub pace: Option<f32>,
}

/// Results of steps that wait at a leaf.
#[derive(Debug, Clone, Default)]
pub struct LeafScratch {
    /// Whether nothing moved at the faces of the leaf in the last step of the cycle, by the rule
    /// without a tolerance of sleep.
    pub is_idle: bool,
    /// Whether the faces to the outside are too busy for the leaf to sleep.
    pub is_boundary_busy: bool,
    /// Largest pace of its cells beside edges and at ends of links since the cycle began, m/s.
    pub pace_at_ends: f32,
    /// Cells of inflows in the leaf.
    pub shares: Vec<InflowCell>,
    /// Volumes that moved in and out since the ledger was last brought up to date.
    pub bookings: Bookings,
    /// Contents of each tracer that moved in and out since.
    pub content_bookings: Vec<Bookings>,
    /// Volumes over its faces of sections since the cycle began, by index of the section.
    pub passed: Vec<(usize, i64)>,
    /// Transfers that the last step left on the faces to coarser leaves.
    pub transfers: InterfaceTransfers,
    /// Number of the last change; the contents of the leaf were the same at every number since
    /// then.
    pub changed: u64,
    /// Hash of the leaf since that change, once it was computed.
    pub(super) hash: OnceLock<u64>,
    /// Summary of the steps since the cycle began.
    pub seen: StepSummary,
    /// Steps of the leaf in the cycle.
    pub steps: u32,
    /// Table entries that the last step looked up in the tables of the leaf's columns.
    pub found: FoundPieces,
}

/// One leaf in a step: its columns that no neighbour reads.
#[derive(Debug)]
pub struct LeafWork<'a> {
    /// The leaf.
    pub id: LeafId,
    /// State.
    pub own: &'a mut LeafOwn,
    /// Scratch.
    pub scratch: &'a mut LeafScratch,
    /// The water that the step writes.
    pub new: &'a mut Water,
    /// Flood maps, if they look at the leaf after this step.
    pub maps: Option<&'a mut LeafMaps>,
}

/// All columns of one leaf.
#[derive(Debug)]
pub struct LeafRow {
    /// Ground of the leaf.
    pub ground: Resident<Ground>,
    /// Classes of its cells under layers of forcing.
    pub classes: ForcingClasses,
    /// Water of the leaf.
    pub water: Resident<Water>,
    /// Faces of the leaf to different levels.
    pub interfaces: Option<Box<LeafInterfaces>>,
    /// Whether the leaf sleeps.
    pub is_asleep: bool,
    /// The rest of its state.
    pub own: LeafOwn,
    /// The rest of its scratch.
    pub scratch: LeafScratch,
    /// Flood maps of the leaf, if leaves have maps.
    pub maps: Option<LeafMaps>,
}

impl LeafTable {
    /// Returns leaves on these grounds, at rest and awake; `boundaries` has their faces to the
    /// outside.
    ///
    /// # Panics
    ///
    /// If the length of a column differs from the number of leaves.
    #[must_use]
    pub fn new(
        forest: Forest,
        (grounds, classes): (Vec<Resident<Ground>>, Vec<ForcingClasses>),
        water: Vec<Resident<Water>>,
        boundaries: Vec<Vec<BoundaryFace>>,
        infiltrated: Option<&CowPlane<i32>>,
        tracers: usize,
    ) -> Self {
        let count = forest.leaves().len();
        assert_eq!([grounds.len(), classes.len(), water.len(), boundaries.len()], [count; 4]);
        let interfaces =
            forest.ids().map(|leaf| LeafInterfaces::of(forest.beside(leaf), tracers)).collect();
        let own = |boundary| LeafOwn {
            boundary,
            infiltrated: infiltrated.cloned().map(Resident::new),
            carry: Carry::none(tracers),
            ..LeafOwn::default()
        };
        Self {
            forest,
            grounds,
            classes,
            water,
            interfaces,
            asleep: vec![false; count],
            own: boundaries.into_iter().map(own).collect(),
            next: Vec::new(),
            scratch: vec![LeafScratch::of(tracers); count],
            maps: Vec::new(),
            revision: 0,
            shapes: 0,
            stirred: Vec::new(),
            steps_log2: Vec::new(),
            spare: Spare::default(),
            has_let_go: false,
            expected: Vec::new(),
        }
    }

    /// Returns the flood maps of a leaf, if leaves have maps.
    #[must_use]
    pub fn maps_of(&self, leaf: LeafId) -> Option<&LeafMaps> {
        self.maps.get(leaf.index())
    }

    /// Returns the number of leaves.
    #[must_use]
    pub fn count(&self) -> usize {
        self.own.len()
    }

    /// Returns the number of tracers that the water carries.
    #[must_use]
    pub fn tracers(&self) -> usize {
        self.own.first().map_or(0, |own| own.carry.contents.len())
    }

    /// Returns the number of layers of forcing for which cells have classes.
    #[must_use]
    pub fn layers(&self) -> usize {
        self.classes.first().map_or(0, |classes| classes.len())
    }

    /// Returns the planes that all leaves read of each other.
    #[must_use]
    pub fn view(&self) -> ForestLeaves<'_> {
        let Self { forest, grounds, water, interfaces, steps_log2, .. } = self;
        ForestLeaves { forest, grounds, water, interfaces, steps_log2 }
    }

    /// Returns these leaves and all around one of them, in their order.
    #[must_use]
    pub fn near(&self, leaves: &[LeafId]) -> Vec<LeafId> {
        // A bit for each leaf gives each once and in ascending order, without a sort.
        const BITS: usize = u64::BITS as usize;
        let mut is_near = vec![0_u64; self.forest.leaves().len().div_ceil(BITS)];
        let around = leaves.iter().flat_map(|&leaf| self.forest.near(leaf));
        for place in leaves.iter().copied().chain(around).map(LeafId::index) {
            is_near[place / BITS] |= 1 << (place % BITS);
        }
        let mut near = Vec::with_capacity(leaves.len());
        for (first, mut bits) in (0..).step_by(BITS).zip(is_near) {
            while bits != 0 {
                near.push(LeafId::new(first + bits.trailing_zeros() as usize));
                bits &= bits - 1;
            }
        }
        near
    }

    /// Returns the number of finest cells in a cell of a leaf.
    #[must_use]
    pub fn cells_of(&self, leaf: LeafId) -> Volume {
        Volume::from(1_i64 << (2 * self.forest.leaves()[leaf].level))
    }

    /// Notes where a leaf whose planes were written is wet.
    pub(super) fn note_wet(&mut self, leaf: LeafId) {
        let wet = WetParts::of(&self.water[leaf].depth);
        (self.own[leaf].is_wet, self.own[leaf].wet) = (wet.is_any(), Some(wet));
    }

    /// Returns where the cells of a leaf were wet at the end of its last cycle.
    #[must_use]
    pub fn wet_parts(&self, leaf: LeafId) -> WetParts {
        self.own[leaf].wet.unwrap_or_else(|| WetParts::of(&self.water[leaf].depth))
    }

    /// Returns the volume on the ground now, vertical units × finest cells.
    #[must_use]
    pub fn stored(&self) -> Volume {
        let of_leaf = |(leaf, water): (LeafId, &Resident<Water>)| {
            // Water under way counts in quarters of the leaf's cells.
            let under_way =
                self.interfaces[leaf].as_ref().map_or(0, |interfaces| interfaces.gained());
            // The division is exact: a leaf with finer neighbours has level 1 at least, and
            // `gained` counts each unit from a leaf of the same level as four.
            let under_way = Volume::from(under_way) * self.cells_of(leaf) / Volume::from(4);
            let in_cells = sum_of(water, 0);
            (in_cells + self.own[leaf].stacked()) * self.cells_of(leaf)
                + under_way
                + Volume::from(self.own[leaf].carry.water)
        };
        self.forest.par_ids().zip(&self.water).map(of_leaf).sum()
    }

    /// Returns the content of a tracer in the world now, 2⁻²⁴ vertical units × finest cells.
    #[must_use]
    pub fn content_stored(&self, tracer: usize) -> Volume {
        let of_leaf = |(leaf, water): (LeafId, &Resident<Water>)| {
            let level = self.forest.leaves()[leaf].level;
            let in_cells = sum_of(water, 1 + tracer);
            let under_way =
                self.interfaces[leaf].as_ref().map_or(0, |interfaces| interfaces.content(tracer));
            (in_cells + self.own[leaf].content_stacked(tracer)) * self.cells_of(leaf)
                + (under_way << (2 * level.saturating_sub(1)))
                + self.own[leaf].carry.contents[tracer]
        };
        self.forest.par_ids().zip(&self.water).map(of_leaf).sum()
    }

    /// Numbers a change of something that is kept outside the leaves.
    pub fn bump_revision(&mut self) -> u64 {
        self.revision += 1;
        self.revision
    }

    /// Notes that a leaf is no longer idle.
    pub fn stir(&mut self, leaf: LeafId) {
        let idle = std::mem::take(&mut self.own[leaf].idle);
        self.stirred.push((leaf, idle));
    }

    /// Numbers a change of these leaves.
    pub fn mark(&mut self, leaves: impl IntoIterator<Item = LeafId>) {
        self.bump_revision();
        for leaf in leaves {
            let scratch = &mut self.scratch[leaf];
            (scratch.changed, scratch.hash) = (self.revision, OnceLock::new());
        }
    }

    /// Clears the hash of a leaf, though no file needs to write it again.
    pub(super) fn forget_hash(&mut self, leaf: LeafId) {
        self.scratch[leaf].hash = OnceLock::new();
    }

    /// Returns the number of the last change of a leaf: its contents were the same at every number
    /// since then.
    #[must_use]
    pub fn changed_at(&self, leaf: LeafId) -> u64 {
        self.scratch[leaf].changed
    }

    /// Returns all state of a leaf.
    #[must_use]
    pub fn state(&self, leaf: LeafId) -> LeafState {
        let LeafOwn {
            boundary,
            infiltrated,
            carry,
            idle,
            flow_depth_max,
            is_wet,
            wet: _,
            stack,
            pace,
        } = &self.own[leaf];
        let tracers = u16::try_from(carry.contents.len()).expect("256 tracers at most");
        LeafState {
            is_asleep: self.asleep[leaf],
            is_wet: *is_wet,
            tracers: TracerCount(tracers),
            idle: *idle,
            flow_depth_max: *flow_depth_max,
            carry: carry.clone(),
            water: self.water[leaf].copied(),
            infiltrated: infiltrated.as_ref().map(Resident::copied),
            boundary: boundary.iter().map(BoundaryFace::state).collect(),
            interfaces: self.interfaces[leaf]
                .as_ref()
                .map(|interfaces| interfaces.state())
                .unwrap_or_default(),
            stack: stack.clone(),
            pace: *pace,
        }
    }

    /// Sets the state of a leaf.
    ///
    /// # Errors
    ///
    /// The part that differs: the state is that of a different leaf. Some of it is set then.
    pub fn set_state(&mut self, leaf: LeafId, state: LeafState) -> Result<(), &'static str> {
        let LeafState {
            is_asleep,
            is_wet,
            tracers,
            idle,
            flow_depth_max,
            carry,
            water,
            infiltrated,
            boundary,
            interfaces,
            stack,
            pace,
        } = state;
        if !is_same_shape(&self.own[leaf].stack, &stack) {
            self.shapes += 1;
        }
        let own = &mut self.own[leaf];
        let counts = [usize::from(tracers.0), water.contents.len(), carry.contents.len()];
        if counts != [own.carry.contents.len(); 3]
            || infiltrated.is_some() != own.infiltrated.is_some()
        {
            return Err("it has other tracers, or another plane of what infiltrated");
        }
        // An older file may have faces where there are walls now, and may lack faces of now.
        let mut boundary: BTreeMap<(u16, Side), BoundaryFaceState> =
            boundary.into_iter().map(|state| ((state.cell, state.side), state)).collect();
        for face in &mut own.boundary {
            if let Some(state) = boundary.remove(&(face.cell, face.side)) {
                face.set_state(state);
            }
        }
        match &mut self.interfaces[leaf] {
            Some(own) => own.set_state(interfaces)?,
            None if interfaces == InterfaceState::default() => {}
            None => return Err("it has faces to other levels, but no neighbour of another level"),
        }
        (own.is_wet, own.wet) = (is_wet, None);
        (own.idle, own.flow_depth_max) = (idle, flow_depth_max);
        (own.carry, own.infiltrated) = (carry, infiltrated.map(Resident::new));
        (own.stack, own.pace) = (stack, pace);
        self.water[leaf] = water.into();
        self.asleep[leaf] = is_asleep;
        Ok(())
    }

    /// Makes water to write for this number of leaves.
    pub(super) fn make_next(&mut self, count: usize) {
        if self.next.len() < count {
            let tracers = self.tracers();
            self.next.resize_with(count, || Water::dry_with(tracers));
        }
    }

    /// Frees water to write that is far beyond the need of this number of leaves.
    pub(super) fn shrink_next(&mut self, count: usize) {
        // The margin keeps a number of awake leaves that swings from making and freeing planes in
        // every cycle.
        if self.next.len() > count + count / 2 + 8 {
            self.next.truncate(count);
        }
    }

    /// Removes all rows, and sets the new leaves: their rows are put next.
    pub fn change(&mut self, forest: Forest) -> Vec<LeafRow> {
        self.forest = forest;
        let mut grounds = self.grounds.drain(..).zip(self.classes.drain(..));
        let mut state =
            self.water.drain(..).zip(self.interfaces.drain(..)).zip(self.asleep.drain(..));
        let mut scratch = self.scratch.drain(..);
        let mut maps = self.maps.drain(..);
        let row = |own| {
            let (ground, classes) = grounds.next()?;
            let ((water, interfaces), is_asleep) = state.next()?;
            let scratch = scratch.next()?;
            let maps = maps.next();
            Some(LeafRow { ground, classes, water, interfaces, is_asleep, own, scratch, maps })
        };
        self.own.drain(..).map_while(row).collect()
    }

    /// Adds the row of the next leaf.
    pub fn put(&mut self, row: LeafRow) {
        let LeafRow { ground, classes, water, interfaces, is_asleep, own, scratch, maps } = row;
        self.grounds.push(ground);
        self.classes.push(classes);
        self.water.push(water);
        self.interfaces.push(interfaces);
        self.asleep.push(is_asleep);
        self.own.push(own);
        self.scratch.push(scratch);
        self.maps.extend(maps);
    }
}

impl LeafOwn {
    /// Returns the units in its intervals.
    #[must_use]
    pub fn stacked(&self) -> Volume {
        let intervals = self.stack.iter().flat_map(|stack| &stack.intervals);
        intervals.map(|own| Volume::from(own.depth)).sum()
    }

    /// Returns the content of a tracer in its intervals, 2⁻²⁴ vertical units.
    #[must_use]
    pub fn content_stacked(&self, tracer: usize) -> Volume {
        let Some(stack) = &self.stack else { return 0 };
        let count = stack.intervals.len();
        let own = stack.contents.iter().skip(tracer * count).take(count);
        own.map(|&content| Volume::from(content)).sum()
    }
}

/// Returns true if two leaves have the same intervals.
fn is_same_shape(a: &Option<Box<StackState>>, b: &Option<Box<StackState>>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => a.has_same_shape(b),
        (None, None) => true,
        // Flows alone do not change the net of intervals.
        (Some(one), None) | (None, Some(one)) => one.intervals.is_empty(),
    }
}

impl LeafScratch {
    /// Returns the scratch of a leaf that was never stepped, in a world with this number of
    /// tracers.
    #[must_use]
    pub fn of(tracers: usize) -> Self {
        Self { content_bookings: vec![Bookings::default(); tracers], ..Self::default() }
    }
}

/// Returns the sum of the depths of a leaf, or of the content of tracer `plane − 1`; if its water
/// is away, the sum stored at its place.
fn sum_of(water: &Resident<Water>, plane: usize) -> Volume {
    match water.place() {
        Some(place) if !water.is_here() => place.sums()[plane],
        _ => water.sum_of(plane),
    }
}

/// Returns the elements of a column at these leaves, which ascend.
///
/// # Panics
///
/// If they do not ascend, or are not of this column.
pub fn pick<'a, T>(all: &'a mut [T], leaves: &[LeafId]) -> Vec<&'a mut T> {
    // An iterator gives each element once, so the references are disjoint. If leaves do not ascend,
    // the difference overflows, which panics.
    let (mut rest, mut next) = (all.iter_mut(), 0);
    let mut picked = Vec::with_capacity(leaves.len());
    for index in leaves.iter().map(|leaf| leaf.index()) {
        picked.push(rest.nth(index - next).expect("leaves ascend within the column"));
        next = index + 1;
    }
    picked
}
