//! The coarse side of an interface: what a leaf notes at the start of its step, what it shows to
//! finer leaves meanwhile, and what it collects from them.
//!
//! ```text
//! present = depth + part of the step · change by own faces + ⌊gained / 4⌋
//! allowed = (4 (depth − own outflow) − drawn) / fine faces of the cell
//! ```
//!
//! Guarantees: fine leaves together never draw more than `allowed` times their faces, so a depth
//!             stays at or above zero whatever the order of the leaves.
//! Limits:     the change by own faces is an estimate from the discharges at the start: volume does
//!             not depend on it.

use crate::forest::Neighbour;
use crate::forest::faces::Faces;
use crate::forest::interfaces::contents::restricted_content;
use crate::forest::interfaces::halo_cell::{HaloCell, restricted};
use crate::forest::interfaces::strip::far_flow;
use crate::forest::interfaces::{LeafInterfaces, Leaves, Row};
use crate::grid::{Axis, LeafId, Side, TILE_CELLS, TILE_WIDTH};
use crate::tile::padded::{HALO, index};
use crate::tile::{Resident, Water};

/// View of a coarse leaf for finer leaves while they step.
#[derive(Debug, Clone, Default)]
pub struct CoarseView {
    /// The water of finer leaves around it at the start of its step.
    pub start: Vec<HaloCell>,
    /// Their contents, the tracers of a cell after each other, 2⁻²⁴ vertical units.
    pub start_contents: Vec<i64>,
    /// Change of depth by the leaf's own faces over the whole step, vertical units.
    change: Vec<f32>,
    /// Depth that the leaf's own faces leave in the cells along each side, vertical units.
    allowances: Vec<[i32; TILE_WIDTH]>,
    /// Depths of the moment, vertical units.
    pub present: Vec<i32>,
}

impl CoarseView {
    /// Notes the state at the start of the step of `leaf`; `units_per_flow` of that step.
    pub fn begin(
        &mut self,
        own: &LeafInterfaces,
        leaves: &Leaves<'_>,
        leaf: LeafId,
        units_per_flow: f32,
    ) {
        self.note_finer(leaves, leaf);
        self.change.resize(TILE_CELLS, 0.0);
        self.present.resize(TILE_CELLS, 0);
        self.allowances.resize(4, [0; TILE_WIDTH]);
        let water = &leaves.water[leaf];
        let is_finer = |side: Side| leaves.forest.across(leaf, side).is_finer();
        let (closed_w, closed_s) = (is_finer(Side::West), is_finer(Side::South));
        let far = |side| -> [f32; TILE_WIDTH] {
            let flow =
                |i| if is_finer(side) { 0.0 } else { far_flow(Some(own), leaves, leaf, side, i) };
            std::array::from_fn(flow)
        };
        let (east, north) = (far(Side::East), far(Side::North));
        let last = TILE_WIDTH - 1;
        for cell in 0..TILE_CELLS {
            let (column, row) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
            let west = if closed_w && column == 0 { 0.0 } else { water.flow_x[cell] };
            let south = if closed_s && row == 0 { 0.0 } else { water.flow_y[cell] };
            let east = if column == last { east[row] } else { water.flow_x[cell + 1] };
            let north = if row == last { north[column] } else { water.flow_y[cell + TILE_WIDTH] };
            self.change[cell] = ((west - east) + (south - north)) * units_per_flow;
            if column == 0 || column == last || row == 0 || row == last {
                let out = (east.max(0.0) - west.min(0.0)) + (north.max(0.0) - south.min(0.0));
                let out = (out * units_per_flow).min(1.0e9);
                #[expect(clippy::cast_possible_truncation, reason = "below 2³⁰")]
                let left = (water.depth[cell] - out as i32).max(0);
                self.allow(column, row, left);
            }
        }
    }

    fn allow(&mut self, column: usize, row: usize, left: i32) {
        let last = TILE_WIDTH - 1;
        let along = [(0, column, row), (1, last - column, row), (2, row, column)];
        for (side, away, i) in along.into_iter().chain([(3, last - row, column)]) {
            if away == 0 {
                self.allowances[side][i] = left;
            }
        }
    }

    /// Notes the water of finer leaves around `leaf` as cells of its halo.
    fn note_finer(&mut self, leaves: &Leaves<'_>, leaf: LeafId) {
        self.start.clear();
        self.start_contents.clear();
        let corner = leaves.forest.leaves()[leaf].corner();
        let halo = HALO.cast_signed();
        for (place, beside) in leaves.forest.beside(leaf).iter().enumerate() {
            let Neighbour::Finer(pair) = *beside else { continue };
            let range = |third: usize| match third {
                0 => -halo..0,
                1 => 0..TILE_WIDTH.cast_signed(),
                _ => TILE_WIDTH.cast_signed()..TILE_WIDTH.cast_signed() + halo,
            };
            for row in range(place / 3) {
                for column in range(place % 3) {
                    // Which half of the side: of a corner there is but one.
                    let half = match (place / 3, place % 3) {
                        (1, _) => usize::from(row >= 32),
                        (_, 1) => usize::from(column >= 32),
                        _ => 0,
                    };
                    #[expect(clippy::cast_possible_truncation, reason = "−4 to 67")]
                    let (column, row) = (column as i32, row as i32);
                    let fine = |origin: u32, at: i32| {
                        (2 * origin).wrapping_add_signed(2 * at) as usize % TILE_WIDTH
                    };
                    let cell = fine(corner.y, row) * TILE_WIDTH + fine(corner.x, column);
                    let finer = pair[half];
                    let at = index(column, row);
                    let (halo, water) = match finer.known() {
                        Some(finer) => {
                            let water = &leaves.water[finer];
                            (restricted(&leaves.grounds[finer], water, cell, at), water)
                        }
                        None => (HaloCell::outside(at), &leaves.water[leaf]),
                    };
                    self.start.push(halo);
                    let contents = (0..water.contents.len())
                        .map(|tracer| restricted_content(water, cell, tracer, halo.depth));
                    self.start_contents.extend(contents);
                }
            }
        }
    }

    /// Works out the depths of the moment, `part` of the step after its start.
    fn show(&mut self, own: &LeafInterfaces, depth: &[i32], part: f32) {
        for ((present, &depth), change) in self.present.iter_mut().zip(depth).zip(&self.change) {
            #[expect(clippy::cast_possible_truncation, reason = "saturates")]
            let moved = (change * part) as i32;
            *present = depth.saturating_add(moved).max(0);
        }
        for (side, register) in Side::ALL.into_iter().zip(&own.registers) {
            let Some(register) = register else { continue };
            for i in 0..TILE_WIDTH {
                let present = &mut self.present[side.cell_along(i)];
                *present = present.saturating_add(register.taken(i)).max(0);
            }
        }
    }
}

impl LeafInterfaces {
    /// Begins the step of a leaf that finer ones border on.
    pub fn begin(&mut self, leaves: &Leaves<'_>, leaf: LeafId, units_per_flow: f32) {
        let Some(mut coarse_view) = self.coarse_view.take() else { return };
        coarse_view.begin(self, leaves, leaf, units_per_flow);
        self.coarse_view = Some(coarse_view);
    }

    /// Shows finer leaves the moment `part` of the step after its start: depths, and what they may
    /// draw.
    pub fn show(&mut self, leaves: &Leaves<'_>, leaf: LeafId, part: f32) {
        let Some(mut coarse_view) = self.coarse_view.take() else { return };
        coarse_view.show(self, &leaves.water[leaf].depth, part);
        let last = TILE_WIDTH - 1;
        let drawn: [_; 4] =
            std::array::from_fn(|s| self.registers[s].as_ref().map(|register| register.drawn));
        for (s, side) in Side::ALL.into_iter().enumerate() {
            let Some(register) = &mut self.registers[s] else { continue };
            for i in 0..TILE_WIDTH {
                // A cell at a corner may have fine faces on two sides.
                let turn = usize::from(i == last);
                let across = match side {
                    Side::West | Side::East => 2 + turn,
                    Side::South | Side::North => turn,
                };
                let place = if matches!(side, Side::East | Side::North) { last } else { 0 };
                let other = drawn[across].filter(|_| i == 0 || i == last);
                // Two registers round down by up to 3 quarters each: 6 at most beyond what one may.
                let (faces, drawn) = match other {
                    Some(other) => (4, register.drawn[i] + other[place] + 6),
                    None => (2, register.drawn[i]),
                };
                let left = (4 * i64::from(coarse_view.allowances[s][i]) - drawn).max(0) / faces;
                register.allowed[i] = i32::try_from(left).unwrap_or(i32::MAX);
            }
        }
        self.coarse_view = Some(coarse_view);
    }

    /// Takes note of what the last step of the finer leaves moved.
    pub fn collect(&mut self, leaves: &Leaves<'_>, leaf: LeafId) {
        for (side, register) in Side::ALL.into_iter().zip(&mut self.registers) {
            // A side with a register has finer leaves beyond.
            let Some(register) = register else { continue };
            for Faces { beyond: finer, first, .. } in leaves.forest.faces(leaf, side) {
                let moved = &leaves.interfaces_of(finer).moved[side.opposite()];
                let Some(moved) = moved else { continue };
                for (i, pair) in (first..).zip(moved.as_chunks::<2>().0) {
                    let [a, b] = pair.map(i64::from);
                    register.gained[i] += a + b;
                    register.drawn[i] -= a.min(0) + b.min(0);
                }
                let moved = &leaves.interfaces_of(finer).moved_contents[side.opposite()];
                for (content, moved) in register.contents.iter_mut().zip(moved) {
                    for (i, pair) in (first..).zip(moved.as_chunks::<2>().0) {
                        content[i] += pair[0] + pair[1];
                    }
                }
            }
        }
    }

    /// Ends the step: what the cells took is no longer under way.
    pub fn settle(&mut self) {
        for register in self.registers.iter_mut().flatten() {
            for i in 0..TILE_WIDTH {
                register.gained[i] -= 4 * i64::from(register.taken(i));
                register.drawn[i] = 0;
            }
        }
    }
}

/// Mean unit discharges over the west and the south faces of a leaf where finer leaves lie beyond,
/// which own them, m²/s.
#[derive(Debug, Clone)]
pub struct Means([Option<Row<f32>>; 2]);

impl Means {
    /// Means of `leaf` now.
    #[must_use]
    pub fn of(leaves: &Leaves<'_>, leaf: LeafId) -> Self {
        Self([(Side::West, Axis::X), (Side::South, Axis::Y)].map(|(side, axis)| {
            if !leaves.forest.across(leaf, side).is_finer() {
                return None;
            }
            let mut means = Box::new([0.0; TILE_WIDTH]);
            for Faces { beyond: finer, first, .. } in leaves.forest.faces(leaf, side) {
                for i in 0..TILE_WIDTH / 2 {
                    let q = |i| leaves.beyond(finer, axis, i);
                    means[first + i] = 0.5 * (q(2 * i) + q(2 * i + 1));
                }
            }
            Some(means)
        }))
    }

    /// True where the planes of the leaf have them; where there are none, nobody looks at these.
    #[must_use]
    pub fn are_in(&self, water: &Resident<Water>) -> bool {
        let Self([west, south]) = self;
        let is_same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
        let rows =
            |row: &Row<f32>| water.flow_x.iter().step_by(TILE_WIDTH).zip(&**row).all(is_same);
        west.as_ref().is_none_or(rows)
            && south.as_ref().is_none_or(|row| water.flow_y.iter().zip(&**row).all(is_same))
    }

    /// Puts them into the planes of the leaf.
    pub fn put(&self, water: &mut Water) {
        let Self([west, south]) = self;
        if let Some(means) = west {
            (0..TILE_WIDTH).for_each(|i| water.flow_x[i * TILE_WIDTH] = means[i]);
        }
        if let Some(means) = south {
            water.flow_y[..TILE_WIDTH].copy_from_slice(&**means);
        }
    }
}
