//! Interfaces between levels: the state of a leaf at its faces to finer and to coarser leaves.
//!
//! ```text
//!   coarse cell c            fine cells
//!  ┌─────────────┐ ┌──────┬──────┐
//!  │             │ │  f1  │      │    the fine leaf owns both faces: its step moves their water;
//!  │      c      │ ├──────┼──────┤    the coarse cell takes a quarter of the sum (its cells are
//!  │             │ │  f0  │      │    four times as large), the rest waits in a register
//!  └─────────────┘ └──────┴──────┘
//! ```
//!
//! A level steps after the finer ones. At the start of its step a coarse leaf records the water of
//! the finer leaves around it and the rate of change of its own depths; while they step, it
//! provides its depths of that time and how much each face may draw ([`coarse`]). A fine leaf reads
//! a halo of fine cells inside coarse ones ([`halo`]). Tracers cross with the water ([`contents`]).
//!
//! Guarantees: water that leaves one side enters the other, to the unit, content too: a register
//!             contains the water under way; a coarse cell allows no more than it contains.
//! Source:     own; flux registers after Berger & Colella (1989), J. Comput. Phys. 82, but nothing
//!             is corrected afterwards.

pub mod border;
pub mod bounds;
pub mod coarse;
pub mod contents;
pub mod halo;
pub mod halo_cell;
pub mod ring;
pub mod spare;
pub mod strip;

use crate::forest::faces::Faces;
use crate::forest::{Forest, Neighbour};
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::state::{InterfaceState, RegisterState};
use crate::tile::{Ground, Resident, Water};
use std::cmp::Ordering;

/// One value for each face along a side of a leaf.
pub type SideRow<T> = Box<[T; TILE_WIDTH]>;

/// State of a leaf's faces to other levels.
#[derive(Debug, Clone, Default)]
pub struct LeafInterfaces {
    /// Unit discharges over the east and the north faces, m²/s, if a coarser leaf is beyond: state.
    /// The discharges over west and south faces are in the leaf's planes.
    pub beyond: [Option<SideRow<f32>>; 2],
    /// Outward transfers of the last step over the faces to coarser leaves, by side, vertical
    /// units.
    pub moved: [Option<SideRow<i32>>; 4],
    /// Content of these transfers, by side and tracer, 2⁻²⁴ vertical units.
    pub moved_contents: [Vec<SideRow<i64>>; 4],
    /// Water that entered over the leaf's faces to finer leaves, by side.
    pub registers: [Option<Box<Register>>; 4],
    /// View for finer leaves, if the leaf has such neighbours.
    pub coarse_view: Option<Box<coarse::CoarseView>>,
    /// Water of the leaf when a neighbour with longer steps began its step.
    pub before: Option<Box<Water>>,
    /// Water of the leaf now, as read by a neighbour of the same level with shorter steps.
    pub moment: Option<Box<Water>>,
}

/// Water that entered over one side from finer leaves, or from one with shorter steps.
#[derive(Debug, Clone)]
pub struct Register {
    /// Number of cells beyond that are as large as one of the leaf's: 4 finer ones, or one of its
    /// level.
    pub parts: i64,
    /// Water gained since the start of the leaf's step, and the remainder from before, which is
    /// less than one unit of all parts: vertical units × cells beyond; state.
    pub gained: [i64; TILE_WIDTH],
    /// Content of that water by tracer, 2⁻²⁴ vertical units × fine cells; state.
    pub contents: Vec<[i64; TILE_WIDTH]>,
    /// Volume that those leaves drew since the start of the step, vertical units × cells beyond.
    pub drawn: [i64; TILE_WIDTH],
    /// Volume that one fine face may draw in the next fine step, vertical units.
    pub allowed: [i32; TILE_WIDTH],
}

impl Register {
    /// Creates an empty register for finer leaves, in a world of `tracers` tracers.
    #[must_use]
    pub fn new(tracers: usize) -> Self {
        Self {
            parts: 4,
            gained: [0; TILE_WIDTH],
            contents: vec![[0; TILE_WIDTH]; tracers],
            drawn: [0; TILE_WIDTH],
            allowed: [0; TILE_WIDTH],
        }
    }

    /// Returns the depth that cell `i` of the side takes at the end of the step, vertical units.
    #[must_use]
    pub fn taken(&self, i: usize) -> i32 {
        // Down for losses too, so that the remainder is never negative.
        i32::try_from(self.gained[i].div_euclid(self.parts)).expect("bounded by depths")
    }
}

/// Returns the quarter of a coarse cell that is beyond face `i` along `side` of a fine leaf,
/// counted from the south-west.
#[must_use]
pub fn quarter_beyond(side: Side, i: usize) -> usize {
    let along = i % 2;
    match side {
        Side::West => 2 * along + 1,
        Side::East => 2 * along,
        Side::South => 2 + along,
        Side::North => along,
    }
}

impl LeafInterfaces {
    /// Creates the interfaces of a leaf with such neighbours, at rest, in a world of `tracers`
    /// tracers; `None` if all are of its level.
    #[must_use]
    pub fn of(beside: &[Neighbour; 9], tracers: usize) -> Option<Box<Self>> {
        let is_coarser = |side: Side| beside[side.place()].is_coarser();
        let is_finer = |side: Side| beside[side.place()].is_finer();
        if !beside.iter().any(|beside| beside.is_other_level()) {
            return None;
        }
        let row = |side: Side| is_coarser(side).then(|| Box::new([0.0; TILE_WIDTH]));
        let register = || Box::new(Register::new(tracers));
        let moved =
            |side| vec![Box::new([0; TILE_WIDTH]); if is_coarser(side) { tracers } else { 0 }];
        let has_finer = beside.iter().any(|beside| beside.is_finer());
        Some(Box::new(Self {
            beyond: [row(Side::East), row(Side::North)],
            moved: Side::ALL.map(|side| is_coarser(side).then(|| Box::new([0; TILE_WIDTH]))),
            moved_contents: Side::ALL.map(moved),
            registers: Side::ALL.map(|side| is_finer(side).then(register)),
            coarse_view: has_finer.then(Box::default),
            before: None,
            moment: None,
        }))
    }

    /// Returns the state of these interfaces.
    #[must_use]
    pub fn state(&self) -> InterfaceState {
        let Self { beyond, registers, .. } = self;
        let of = |register: &Register| {
            let Register { gained, contents, .. } = register;
            RegisterState { gained: *gained, contents: contents.clone() }
        };
        let registers = registers.each_ref().map(|register| register.as_deref().map(of));
        InterfaceState { beyond: beyond.clone(), registers }
    }

    /// Sets the state.
    ///
    /// # Errors
    ///
    /// The name of the part that differs: the state is that of a leaf with different neighbours.
    /// Some of the state is set then.
    pub fn set_state(&mut self, state: InterfaceState) -> Result<(), &'static str> {
        let InterfaceState { beyond, registers } = state;
        for (own, row) in self.beyond.iter_mut().zip(beyond) {
            if own.is_some() != row.is_some() {
                return Err("its faces to coarser leaves are others");
            }
            *own = row;
        }
        for (own, register) in self.registers.iter_mut().zip(registers) {
            match (own, register) {
                (None, None) => {}
                (Some(own), Some(register)) if own.contents.len() == register.contents.len() => {
                    RegisterState { gained: own.gained, contents: own.contents } = register;
                }
                _ => return Err("its registers are others"),
            }
        }
        Ok(())
    }

    /// Sets all discharges to 0, and clears the transfers of the last step.
    pub fn stop(&mut self) {
        self.beyond.iter_mut().flatten().for_each(|row| row.fill(0.0));
        self.moved.iter_mut().flatten().for_each(|row| row.fill(0));
        self.moved_contents.iter_mut().flatten().for_each(|row| row.fill(0));
    }

    /// Sets the discharges over the east or north side to 0.
    pub fn stop_beyond(&mut self, side: Side) {
        let axis = side.axis();
        self.beyond[axis].iter_mut().for_each(|row| row.fill(0.0));
    }

    /// Removes and returns the volume under way, vertical units × fine cells.
    pub fn take_gained(&mut self) -> i64 {
        let gained = self.gained();
        self.registers.iter_mut().flatten().for_each(|register| register.gained.fill(0));
        gained
    }

    /// True if [`LeafInterfaces::of`] creates the same rows for a leaf with these neighbours, at
    /// rest or not.
    #[must_use]
    pub fn fits(&self, beside: &[Neighbour; 9]) -> bool {
        let is_coarser = |side: Side| beside[side.place()].is_coarser();
        let is_finer = |side: Side| beside[side.place()].is_finer();
        self.moved.each_ref().map(Option::is_some) == Side::ALL.map(is_coarser)
            && self.registers.each_ref().map(Option::is_some) == Side::ALL.map(is_finer)
            && self.coarse_view.is_some() == beside.iter().any(|beside| beside.is_finer())
            && beside.iter().any(|beside| beside.is_other_level())
    }

    /// Copies the discharges over sides that stay interfaces to a coarser leaf.
    pub fn keep_flows(&mut self, before: Self) {
        for (row, before) in self.beyond.iter_mut().zip(before.beyond) {
            if row.is_some() && before.is_some() {
                *row = before;
            }
        }
    }

    /// Returns the volume under way, vertical units × fine cells.
    #[must_use]
    pub fn gained(&self) -> i64 {
        // Beside a leaf of the same level, a unit is over a whole cell: four fine ones.
        let of = |register: &Register| register.gained.iter().sum::<i64>() * (4 / register.parts);
        self.registers.iter().flatten().map(|register| of(register)).sum()
    }

    /// Adds rows for the faces to leaves of its level that take longer steps.
    pub fn open_longer(&mut self, side: Side) {
        self.moved[side] = Some(Box::new([0; TILE_WIDTH]));
        if side.is_far() {
            self.beyond[side.axis()] = Some(Box::new([0.0; TILE_WIDTH]));
        }
    }

    /// Removes the rows of [`LeafInterfaces::open_longer`].
    pub fn close_longer(&mut self, side: Side) {
        self.moved[side] = None;
        if side.is_far() {
            self.beyond[side.axis()] = None;
        }
    }

    /// Adds a register for the faces to a leaf of its level that takes shorter steps.
    pub fn open_shorter(&mut self, side: Side) {
        self.registers[side] = Some(Box::new(Register { parts: 1, ..Register::new(0) }));
    }
}

/// All leaves, to read.
#[derive(Debug, Clone, Copy)]
pub struct ForestLeaves<'a> {
    /// Forest of the leaves.
    pub forest: &'a Forest,
    /// Grounds of the leaves.
    pub grounds: &'a [Resident<Ground>],
    /// Water of the leaves.
    pub water: &'a [Resident<Water>],
    /// Interfaces of the leaves.
    pub interfaces: &'a [Option<Box<LeafInterfaces>>],
    /// Length of the steps of each leaf, in shortest steps of the cycle, as a power of two;
    /// [`AT_REST`] if the leaf is asleep. Empty if all leaves of a level take the same steps.
    pub steps_log2: &'a [u8],
}

/// A leaf asleep, which takes no steps.
pub const AT_REST: u8 = u8::MAX;

/// Neighbour across a side or a corner of a leaf, by the leaf that moves the water between the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeafAcross {
    /// No ground.
    Nothing,
    /// A leaf of the same level with the same steps: both compute the same transfers.
    Alike(LeafId),
    /// A coarser leaf, or one with longer steps: `leaf` moves the water, within an allowance.
    Slower,
    /// Finer leaves, or one with shorter steps, which move the water.
    Faster,
}

impl ForestLeaves<'_> {
    /// Returns the interfaces of a leaf that has some.
    pub(super) fn interfaces_of(&self, leaf: LeafId) -> &LeafInterfaces {
        self.interfaces[leaf].as_deref().expect("a leaf beside another level has interfaces")
    }

    /// Compares the steps of a neighbour of the same level with those of `leaf`: `Less` if shorter.
    #[must_use]
    pub fn steps_beside(&self, leaf: LeafId, beside: LeafId) -> Ordering {
        let of = |leaf: LeafId| self.steps_log2.get(leaf.index()).filter(|log2| **log2 != AT_REST);
        match (of(beside), of(leaf)) {
            (Some(there), Some(own)) => there.cmp(own),
            _ => Ordering::Equal,
        }
    }

    /// Returns the neighbour of a leaf in one of the nine places around it.
    #[must_use]
    pub fn beside(&self, leaf: LeafId, place: usize) -> LeafAcross {
        match self.forest.beside(leaf)[place] {
            Neighbour::Nothing => LeafAcross::Nothing,
            Neighbour::Coarser(_) => LeafAcross::Slower,
            Neighbour::Finer(_) => LeafAcross::Faster,
            Neighbour::Same(other) => match self.steps_beside(leaf, other) {
                Ordering::Less => LeafAcross::Faster,
                Ordering::Equal => LeafAcross::Alike(other),
                Ordering::Greater => LeafAcross::Slower,
            },
        }
    }

    /// True if leaves beyond a side move the water over it: finer ones, or one with shorter steps.
    #[must_use]
    pub fn is_faster(&self, leaf: LeafId, side: Side) -> bool {
        self.beside(leaf, side.place()) == LeafAcross::Faster
    }

    /// Returns the faces of a side over which `leaf` moves the water, within an allowance: to a
    /// coarser leaf, or to one with longer steps.
    #[must_use]
    pub fn slower(&self, leaf: LeafId, side: Side) -> Option<Faces> {
        match self.beside(leaf, side.place()) {
            LeafAcross::Slower => self.forest.faces(leaf, side).next(),
            _ => None,
        }
    }

    /// Returns the water of a neighbour of the same level at the time that `leaf` has reached.
    #[must_use]
    pub fn water_beside(&self, leaf: LeafId, beside: LeafId) -> &Water {
        let of_cycle = |view: fn(&LeafInterfaces) -> &Option<Box<Water>>| {
            self.interfaces[beside].as_deref().and_then(|own| view(own).as_deref())
        };
        let seen = match self.steps_beside(leaf, beside) {
            Ordering::Equal => None,
            Ordering::Less => of_cycle(|own| &own.before),
            Ordering::Greater => of_cycle(|own| &own.moment),
        };
        seen.unwrap_or(&self.water[beside])
    }

    /// Returns the unit discharge over the east (0) or north (1) face of cell `i` along that side
    /// of a leaf, if a coarser leaf is beyond, m²/s.
    pub(super) fn beyond(&self, leaf: LeafId, axis: Axis, i: usize) -> f32 {
        self.interfaces_of(leaf).beyond[axis].as_ref().map_or(0.0, |row| row[i])
    }
}
