//! The coarse side of an interface: the state that a leaf records at the start of its step, the
//! view that finer leaves read meanwhile, and the transfers that it collects from them.
//!
//! ```text
//! present = depth + part of the step · change by own faces + ⌊gained / parts⌋
//! allowed = (parts (depth − own outflow) − drawn) / faces of the cell to faster leaves
//! parts     4 if those are finer, 1 if they are of its level with shorter steps
//! ```
//!
//! Guarantees: fine leaves together never draw more than `allowed` times their faces, so a depth
//!             stays at or above zero in any order of the leaves.
//! Limits:     the change by own faces is an estimate from the discharges at the start: volume does
//!             not depend on it.

use crate::forest::Neighbour;
use crate::forest::faces::Faces;
use crate::forest::interfaces::border::Border;
use crate::forest::interfaces::contents::restricted_content;
use crate::forest::interfaces::halo_cell::{HaloCell, restricted};
use crate::forest::interfaces::strip::far_flow;
use crate::forest::interfaces::{ForestLeaves, LeafAcross, LeafInterfaces, SideRow};
use crate::grid::{Axis, LeafId, Side, TILE_CELLS, TILE_WIDTH};
use crate::tile::padded::{HALO, index};
use crate::tile::{Resident, Water};

/// View of a coarse leaf for finer leaves while they step.
#[derive(Debug, Clone, Default)]
pub struct CoarseView {
    /// The water of finer leaves around it at the start of its step.
    pub start: Vec<HaloCell>,
    /// Contents of that water, the tracers of a cell after each other, 2⁻²⁴ vertical units.
    pub start_contents: Vec<i64>,
    /// The cells that leaves beside it read while they step: all fields below are of these alone.
    border: Border,
    /// Change of depth by the leaf's own faces over the whole step, vertical units.
    change: Vec<f32>,
    /// Depth that the leaf's own faces leave in the cells along each side, vertical units.
    allowances: Vec<[i32; TILE_WIDTH]>,
    /// Present depths, vertical units.
    pub present: Vec<i32>,
}

impl CoarseView {
    /// Records the state at the start of the step of `leaf`; `units_per_flow` is that of the step.
    pub fn begin(
        &mut self,
        own: &LeafInterfaces,
        leaves: &ForestLeaves<'_>,
        leaf: LeafId,
        units_per_flow: f32,
    ) {
        self.note_finer(leaves, leaf);
        self.change.resize(TILE_CELLS, 0.0);
        self.present.resize(TILE_CELLS, 0);
        self.allowances.resize(4, [0; TILE_WIDTH]);
        let water = &leaves.water[leaf];
        let is_faster = |side: Side| leaves.is_faster(leaf, side);
        // Faster leaves move the water over such faces, and the registers count it: no estimate.
        let (closed_w, closed_s) = (is_faster(Side::West), is_faster(Side::South));
        let far = |side| -> [f32; TILE_WIDTH] {
            let flow =
                |i| if is_faster(side) { 0.0 } else { far_flow(Some(own), leaves, leaf, side, i) };
            std::array::from_fn(flow)
        };
        let (east, north) = (far(Side::East), far(Side::North));
        let last = TILE_WIDTH - 1;
        let (flow_x, flow_y) = (&water.flow_x[..], &water.flow_y[..]);
        // Over the west, east, south and north face of a cell.
        let flows = |cell: usize| {
            let (column, row) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
            let west = if closed_w && column == 0 { 0.0 } else { flow_x[cell] };
            let south = if closed_s && row == 0 { 0.0 } else { flow_y[cell] };
            let east = if column == last { east[row] } else { flow_x[cell + 1] };
            let north = if row == last { north[column] } else { flow_y[cell + TILE_WIDTH] };
            [west, east, south, north]
        };
        self.border = Border::towards(|place| leaves.beside(leaf, place) == LeafAcross::Faster);
        let change = &mut self.change;
        self.border.each_run(|cells| {
            for cell in cells {
                let [west, east, south, north] = flows(cell);
                change[cell] = ((west - east) + (south - north)) * units_per_flow;
            }
        });
        for (side, allowances) in Side::ALL.into_iter().zip(&mut self.allowances) {
            if !is_faster(side) {
                continue;
            }
            *allowances = std::array::from_fn(|i| {
                let cell = side.cell_along(i);
                let [west, east, south, north] = flows(cell);
                let out = (east.max(0.0) - west.min(0.0)) + (north.max(0.0) - south.min(0.0));
                let out = (out * units_per_flow).min(1.0e9);
                #[expect(clippy::cast_possible_truncation, reason = "below 2³⁰")]
                let left = (water.depth[cell] - out as i32).max(0);
                left
            });
        }
    }

    /// Records the water of finer leaves around `leaf` as cells of its halo.
    fn note_finer(&mut self, leaves: &ForestLeaves<'_>, leaf: LeafId) {
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
                    // Half of the side; at a corner the only one.
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
                        // A depth of 0 has no content, so the water of any leaf will do: only its
                        // tracers are counted.
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

    /// Computes the present depths, `part` of the step after its start.
    fn show(&mut self, own: &LeafInterfaces, depth: &[i32], part: f32) {
        self.border.each_run(|cells| {
            let start = depth[cells.clone()].iter().zip(&self.change[cells.clone()]);
            for (present, (depth, change)) in self.present[cells].iter_mut().zip(start) {
                #[expect(clippy::cast_possible_truncation, reason = "saturates")]
                let moved = (change * part) as i32;
                *present = depth.saturating_add(moved).max(0);
            }
        });
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
    /// Begins the step of a leaf beside finer ones.
    pub fn begin(&mut self, leaves: &ForestLeaves<'_>, leaf: LeafId, units_per_flow: f32) {
        let Some(mut coarse_view) = self.coarse_view.take() else { return };
        coarse_view.begin(self, leaves, leaf, units_per_flow);
        if let Some(moment) = &mut self.moment {
            coarse_view.border.copy(&leaves.water[leaf], moment);
        }
        self.coarse_view = Some(coarse_view);
    }

    /// Updates the view for finer leaves to the time `part` of the step after its start: depths,
    /// and how much they may draw.
    pub fn show(&mut self, leaves: &ForestLeaves<'_>, leaf: LeafId, part: f32) {
        let Some(mut coarse_view) = self.coarse_view.take() else { return };
        coarse_view.show(self, &leaves.water[leaf].depth, part);
        let last = TILE_WIDTH - 1;
        let drawn: [_; 4] =
            std::array::from_fn(|s| self.registers[s].as_ref().map(|register| register.drawn));
        for (s, side) in Side::ALL.into_iter().enumerate() {
            let Some(register) = &mut self.registers[s] else { continue };
            // Faces of a cell along one side, and the amount that two registers may round down
            // together, beyond that of one: up to 3 quarters each.
            let (faces, spare) = if register.parts == 1 { (1, 0) } else { (2, 6) };
            for i in 0..TILE_WIDTH {
                // A cell at a corner may have fine faces on two sides.
                let turn = usize::from(i == last);
                let across = match side {
                    Side::West | Side::East => 2 + turn,
                    Side::South | Side::North => turn,
                };
                let place = if matches!(side, Side::East | Side::North) { last } else { 0 };
                let other = drawn[across].filter(|_| i == 0 || i == last);
                let (faces, drawn) = match other {
                    Some(other) => (2 * faces, register.drawn[i] + other[place] + spare),
                    None => (faces, register.drawn[i]),
                };
                let held = register.parts * i64::from(coarse_view.allowances[s][i]);
                let left = (held - drawn).max(0) / faces;
                register.allowed[i] = i32::try_from(left).unwrap_or(i32::MAX);
            }
        }
        self.show_moment(leaves, leaf, &coarse_view);
        self.coarse_view = Some(coarse_view);
    }

    /// Updates the water that leaves of shorter steps read, with these depths: the discharges over
    /// faces across which they move water are the present ones.
    fn show_moment(&mut self, leaves: &ForestLeaves<'_>, leaf: LeafId, view: &CoarseView) {
        let Some(moment) = &mut self.moment else { return };
        view.border.copy_plane(&view.present, &mut moment.depth);
        Means::of(leaves, leaf).put(moment);
    }

    /// Collects the transfers of the last step of the finer leaves.
    pub fn collect(&mut self, leaves: &ForestLeaves<'_>, leaf: LeafId) {
        for (side, register) in Side::ALL.into_iter().zip(&mut self.registers) {
            // A side with a register has finer leaves beyond.
            let Some(register) = register else { continue };
            for Faces { beyond: finer, first, .. } in leaves.forest.faces(leaf, side) {
                let moved = &leaves.interfaces_of(finer).moved[side.opposite()];
                let Some(moved) = moved else { continue };
                if register.parts == 1 {
                    for (i, &moved) in moved.iter().enumerate() {
                        register.gained[i] += i64::from(moved);
                        // Transfers are positive out of the faster leaf, into this one: a negative
                        // one is a draw.
                        register.drawn[i] -= i64::from(moved.min(0));
                    }
                    continue;
                }
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

    /// Ends the step: the water that the cells took is no longer under way.
    pub fn settle(&mut self) {
        for register in self.registers.iter_mut().flatten() {
            for i in 0..TILE_WIDTH {
                // `taken` rounds down: from 0 to `parts` − 1 are left for the next step.
                register.gained[i] -= register.parts * i64::from(register.taken(i));
                register.drawn[i] = 0;
            }
        }
    }
}

/// Mean unit discharges over the west and the south faces of a leaf beside finer leaves, which own
/// these faces, m²/s.
#[derive(Debug, Clone)]
pub struct Means([Option<SideRow<f32>>; 2]);

impl Means {
    /// Computes the present means of `leaf`.
    #[must_use]
    pub fn of(leaves: &ForestLeaves<'_>, leaf: LeafId) -> Self {
        Self([(Side::West, Axis::X), (Side::South, Axis::Y)].map(|(side, axis)| {
            if !leaves.is_faster(leaf, side) {
                return None;
            }
            let mut means = Box::new([0.0; TILE_WIDTH]);
            for faces in leaves.forest.faces(leaf, side) {
                let Faces { beyond: finer, first, .. } = faces;
                if !faces.is_finer() {
                    *means = std::array::from_fn(|i| leaves.beyond(finer, axis, i));
                    continue;
                }
                for i in 0..TILE_WIDTH / 2 {
                    let q = |i| leaves.beyond(finer, axis, i);
                    means[first + i] = 0.5 * (q(2 * i) + q(2 * i + 1));
                }
            }
            Some(means)
        }))
    }

    /// True if the planes of the leaf contain the means; sides without such faces are ignored.
    #[must_use]
    pub fn are_in(&self, water: &Resident<Water>) -> bool {
        let Self([west, south]) = self;
        let is_same = |(a, b): (&f32, &f32)| a.to_bits() == b.to_bits();
        let rows =
            |row: &SideRow<f32>| water.flow_x.iter().step_by(TILE_WIDTH).zip(&**row).all(is_same);
        west.as_ref().is_none_or(rows)
            && south.as_ref().is_none_or(|row| water.flow_y.iter().zip(&**row).all(is_same))
    }

    /// Copies the means into the planes of the leaf.
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
