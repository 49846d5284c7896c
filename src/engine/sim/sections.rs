//! Sections: the water that passes lines, summed over the faces that separate the cells on both
//! sides of each.
//!
//! ```text
//!      left        a face counts if the segment between the centres of its two cells meets the
//!    · │ · └──     line: a connected staircase, at any angle; between two levels the finer leaf
//!   ───┘  right    owns the face, and its transfers count
//! ```
//!
//! The transfers of the kernel after all limits, which are integers, are summed. The sums wait at
//! the leaf that owns the face until the cycle ends. Discharge is positive towards the right of the
//! line, as for barriers.
//!
//! Guarantees: a section that divides the world has the difference of the volumes on its sides, to
//!             the unit, through levels, sub-grid columns and walls (`tests/engine/sections.rs`);
//!             no step reads the sections.
//! Limits:     water in culverts, pumps and drains, in intervals under rock and among the cells
//!             that bodies touch moves beside the faces of leaves and is not counted; cards leave
//!             worlds with sections to the processor.
//! Source:     own.

use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{Axis, LeafId, Side, TileKey};
use crate::sim::barriers::CellAt;
use crate::sim::table::LeafTable;
use crate::structure::path::{crossings, turns_right};
use crate::tile::padded::{Padded, index};
use crate::units::{SimTime, Volume};
use std::collections::{BTreeMap, BTreeSet};

/// A section and the volume that has passed it.
#[derive(Debug, Clone)]
pub struct FlowSection {
    /// Name of the section.
    pub name: String,
    /// Corners of its line, in cells of the base level from the south-west corner.
    pub corners: Vec<[f64; 2]>,
    /// Cells on both sides of each of its faces, and the width of the face in cells of the base
    /// level.
    pub faces: Vec<([CellAt; 2], u32)>,
    /// Volume that has passed it.
    pub passed: PassedVolume,
}

/// Volume that has passed a section since it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PassedVolume {
    /// Volume in cycles that moved more towards the right of the line.
    pub to_right: Volume,
    /// Volume in cycles that moved more towards its left.
    pub to_left: Volume,
    /// Volume towards the right in the last cycle.
    pub last: Volume,
    /// Length of that cycle, ticks.
    pub last_ticks: u64,
}

impl PassedVolume {
    /// Returns the mean discharge over the last cycle, units of volume a second; 0 before the first
    /// cycle.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a discharge to read")]
    pub fn rate(&self) -> f64 {
        let seconds = SimTime::from_ticks(self.last_ticks).seconds();
        if self.last_ticks == 0 { 0.0 } else { self.last as f64 / seconds }
    }
}

/// A face of a section as the leaf that owns it sees it.
#[derive(Debug, Clone, Copy)]
struct CountedFace {
    /// Index of the section.
    section: usize,
    axis: Axis,
    /// Index of the face in the padded tile.
    at: usize,
    /// Count of the crossings of the line to its right by water towards the east or north, less the
    /// crossings to its left.
    turns: i64,
}

/// All sections of a simulation.
#[derive(Debug, Clone, Default)]
pub struct Sections {
    list: Vec<FlowSection>,
    faces: BTreeMap<LeafId, Vec<CountedFace>>,
}

impl Sections {
    /// Returns the sections, in the order in which they were added.
    #[must_use]
    pub fn all(&self) -> &[FlowSection] {
        &self.list
    }

    /// Adds a section on these leaves; returns false, and adds nothing, if its line separates no
    /// two cells with ground.
    pub(super) fn put(&mut self, name: &str, corners: Vec<[f64; 2]>, leaves: &LeafTable) -> bool {
        let section = FlowSection {
            name: name.to_owned(),
            corners,
            faces: Vec::new(),
            passed: PassedVolume::default(),
        };
        self.list.push(section);
        self.lay(leaves);
        let is_there = self.list.last().is_some_and(|section| !section.faces.is_empty());
        if !is_there {
            self.list.pop();
            self.lay(leaves);
        }
        is_there
    }

    /// Removes a section, and returns it.
    pub(super) fn remove(&mut self, name: &str, leaves: &LeafTable) -> Option<FlowSection> {
        let place = self.list.iter().position(|section| section.name == name)?;
        let section = self.list.remove(place);
        self.lay(leaves);
        Some(section)
    }

    /// Lays all sections over the present leaves; their sums continue.
    pub(super) fn lay(&mut self, leaves: &LeafTable) {
        let Self { list, faces } = self;
        faces.clear();
        let levels: BTreeSet<u8> = match list.is_empty() {
            true => BTreeSet::new(),
            false => leaves.forest.leaves().iter().map(|key| key.level).collect(),
        };
        for (index, section) in list.iter_mut().enumerate() {
            let mut lay = Laying { leaves, section: index, faces, sides: BTreeSet::new() };
            levels.iter().for_each(|&level| lay.faces_of_level(&section.corners, level));
            lay.faces_between_levels(&section.corners);
            section.faces = lay.sides.into_iter().collect();
        }
    }

    /// Returns true if a leaf has faces of a section.
    pub(super) fn is_any_in(&self, leaf: LeafId) -> bool {
        self.faces.contains_key(&leaf)
    }

    /// Adds the water that a step of a leaf moved over its faces of sections to its sums.
    pub(super) fn count(&self, leaf: LeafId, padded: &Padded, sums: &mut Vec<(usize, i64)>) {
        let Some(faces) = self.faces.get(&leaf) else { return };
        for face in faces {
            let moved = [&padded.transfer_x, &padded.transfer_y][face.axis][face.at];
            let moved = i64::from(moved) * face.turns;
            // Faces lie section by section, so each section has one sum for a step.
            match sums.last_mut() {
                Some((section, sum)) if *section == face.section => *sum += moved,
                _ => sums.push((face.section, moved)),
            }
        }
    }

    /// Settles the sums of a leaf, each of whose cells has `cells` finest ones.
    pub(super) fn settle(&mut self, sums: &mut Vec<(usize, i64)>, cells: Volume) {
        for (section, moved) in sums.drain(..) {
            self.list[section].passed.last += Volume::from(moved) * cells;
        }
    }

    /// Begins to settle a cycle.
    pub(super) fn begin_settling(&mut self, ticks: u64) {
        for FlowSection { passed, .. } in &mut self.list {
            (passed.last, passed.last_ticks) = (0, ticks);
        }
    }

    /// Ends the settling of a cycle.
    pub(super) fn end_settling(&mut self) {
        for FlowSection { passed, .. } in &mut self.list {
            passed.to_right += passed.last.max(0);
            passed.to_left += (-passed.last).max(0);
        }
    }
}

/// One section that is laid over the leaves.
struct Laying<'a> {
    leaves: &'a LeafTable,
    section: usize,
    faces: &'a mut BTreeMap<LeafId, Vec<CountedFace>>,
    sides: BTreeSet<([CellAt; 2], u32)>,
}

impl Laying<'_> {
    /// Finds the faces between two cells of one level.
    fn faces_of_level(&mut self, corners: &[[f64; 2]], level: u8) {
        let forest = &self.leaves.forest;
        for crossing in crossings(corners, level - forest.base()) {
            let (Ok(x), Ok(y)) = (u32::try_from(crossing.x), u32::try_from(crossing.y)) else {
                continue;
            };
            let place = CellPlace { x, y };
            let before = place.before(crossing.axis).and_then(|place| self.cell(level, place));
            let (Some(before), Some(behind)) = (before, self.cell(level, place)) else { continue };
            let own = CellPlace { x: x % TILE_WIDTH_U32, y: y % TILE_WIDTH_U32 };
            let turns = if crossing.is_right { 1 } else { -1 };
            let at = index(own.x.cast_signed(), own.y.cast_signed());
            let width = 1 << (level - forest.base());
            self.add(behind.0, (crossing.axis, at), turns, ([before, behind], width));
        }
    }

    /// Finds the faces between levels over which a line crosses from the centre of a fine cell to
    /// that of the coarse cell beside it.
    fn faces_between_levels(&mut self, corners: &[[f64; 2]]) {
        let forest = &self.leaves.forest;
        for (leaf, key) in forest.iter() {
            for side in Side::ALL {
                if forest.across(leaf, side).is_coarser() {
                    (0..TILE_WIDTH_U32)
                        .for_each(|i| self.face_between(corners, (leaf, key), side, i));
                }
            }
        }
    }

    fn face_between(
        &mut self,
        corners: &[[f64; 2]],
        (leaf, key): (LeafId, TileKey),
        side: Side,
        i: u32,
    ) {
        let forest = &self.leaves.forest;
        let shift = key.level - forest.base();
        let (column, row) = column_row(side.cell_along(i as usize));
        let corner = key.corner();
        let place = CellPlace { x: corner.x + column, y: corner.y + row };
        let (dx, dy) = side.offset();
        let beyond = place.x.checked_add_signed(dx).zip(place.y.checked_add_signed(dy));
        let Some((x, y)) = beyond else { return };
        let coarse = CellPlace { x: x >> 1, y: y >> 1 };
        let centre = |place: CellPlace, shift: u8| {
            // Twice the coordinates, in cells of the base level, so that centres are whole numbers.
            [place.x, place.y].map(|at| (2 * i64::from(at) + 1) << shift)
        };
        let turns = turns_right(corners, centre(place, shift), centre(coarse, shift + 1));
        let cells = self.cell(key.level, place).zip(self.cell(key.level + 1, coarse));
        let Some((own, beyond)) = cells.filter(|_| turns != 0) else { return };
        let (column, row) = (column.cast_signed(), row.cast_signed());
        let (at, turns) = match side {
            // Transfers are positive eastward and northward; the way from this leaf to the coarse
            // one is westward or southward.
            Side::West | Side::South => (index(column, row), -turns),
            Side::East => (index(column + 1, row), turns),
            Side::North => (index(column, row + 1), turns),
        };
        self.add(leaf, (side.axis(), at), turns, ([own, beyond], 1 << shift));
    }

    /// Returns the cell at a place of a level; `None` if no leaf of the level is there, or no
    /// ground.
    fn cell(&self, level: u8, place: CellPlace) -> Option<CellAt> {
        let leaf = self.leaves.forest.find(TileKey::of_cell(level, place))?;
        let cell = place.index_in_tile();
        let is_ground = self.leaves.grounds[leaf].is_inside(cell);
        is_ground.then(|| (leaf, u16::try_from(cell).expect("4096 cells")))
    }

    fn add(
        &mut self,
        owner: LeafId,
        (axis, at): (Axis, usize),
        turns: i64,
        sides: ([CellAt; 2], u32),
    ) {
        let face = CountedFace { section: self.section, axis, at, turns };
        self.faces.entry(owner).or_default().push(face);
        // A line may cross a face more than once: each crossing counts for the discharge, but the
        // stage needs the face once.
        self.sides.insert(sides);
    }
}

/// Returns the stage of the water that can pass a section, vertical units; `None` if none can.
///
/// ```text
/// stage = Σ b·h·√h·η / Σ b·h·√h      η  higher stage of the wet cells on both sides of a face
///                                    h  flow depth of the face: η less the higher bed
///                                    b  width of the face
/// ```
///
/// Each face has the weight of the most that it can pass, which is in proportion to h·√h: a film on
/// a slope counts little, and water in a pit of one cell that no neighbour reaches does not count.
///
/// Source: own; critical discharge of a rectangular section, Henderson (1966), eq. (2-13).
#[must_use]
pub fn stage(section: &FlowSection, leaves: &LeafTable) -> Option<f64> {
    let (mut reference, mut sum, mut weights) = (None, 0.0, 0.0);
    for (sides, width) in &section.faces {
        let ground = |(leaf, cell): CellAt| (&leaves.grounds[leaf], usize::from(cell));
        let bed = |&side: &CellAt| {
            let (ground, cell) = ground(side);
            ground.dry_stage(cell)
        };
        let wet_stage = |&side: &CellAt| {
            let depth = leaves.water[side.0].depth[usize::from(side.1)];
            let (ground, cell) = ground(side);
            (depth > 0).then(|| ground.stage(cell, depth))
        };
        let Some(stage) = sides.iter().filter_map(wet_stage).max() else { continue };
        let depth = stage - sides.iter().map(bed).max().unwrap_or(stage);
        if depth > 0 {
            // Differences from the first stage, so that a level lake has its own.
            let first = *reference.get_or_insert(stage);
            let depth = f64::from(depth);
            let weight = f64::from(*width) * depth * depth.sqrt();
            sum += weight * (f64::from(stage) - f64::from(first));
            weights += weight;
        }
    }
    reference.map(|first| f64::from(first) + sum / weights)
}
