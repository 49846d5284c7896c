//! Bounds on the flow over the faces between levels in the step of one leaf.
//!
//! A coarse leaf gets the transfers across its faces, and a fine leaf the allowances of its coarse
//! neighbours, also if two leaves of one level meet beside one of a different level: both read the
//! same transfers there, and limit the cells alike.

use crate::forest::faces::Faces;
use crate::forest::interfaces::{ForestLeaves, LeafAcross, LeafInterfaces, SideRow};
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::tile::interface_faces::{GivenFace, InterfaceFaces};
use crate::tile::padded::{Padded, STRIDE, index};
use std::ops::Range;

/// Cells of a halo beyond the corner of a tile that a limiter reads.
const BEYOND: i32 = 2;

/// Fills `faces` for the step of `leaf`; sleeping leaves allow nothing.
pub fn fill(faces: &mut InterfaceFaces, leaves: &ForestLeaves<'_>, leaf: LeafId, asleep: &[bool]) {
    faces.clear();
    let beside = |side: Side| leaves.beside(leaf, side.place());
    for side in Side::ALL {
        if let Some(slower) = leaves.slower(leaf, side) {
            allow(faces, leaves, &slower, side, (0..64, 0), asleep);
        } else if beside(side) == LeafAcross::Faster {
            give(faces, leaves, (leaf, side), side, (0..64, 0));
        }
    }
    // Beyond the corners: along the line of each side, the faces between the leaves there.
    for (line, far) in [
        (Side::West, Side::South),
        (Side::West, Side::North),
        (Side::East, Side::South),
        (Side::East, Side::North),
        (Side::South, Side::West),
        (Side::South, Side::East),
        (Side::North, Side::West),
        (Side::North, Side::East),
    ] {
        // The leaf in line with this one, and the one at the corner, across the line.
        let inner = beside(far);
        // Places are numbered row by row, and the leaf itself is 4: less 4, the steps in two
        // directions add up.
        let outer = leaves.beside(leaf, line.place() + far.place() - 4);
        let ahead = matches!(far, Side::North | Side::East);
        let (range, shift) = if ahead { (0..BEYOND, 64) } else { (64 - BEYOND..64, -64) };
        match (inner, outer) {
            (LeafAcross::Alike(inner), LeafAcross::Faster) => {
                give(faces, leaves, (inner, line), line, (range, shift));
            }
            (LeafAcross::Faster, LeafAcross::Alike(outer)) => {
                give(faces, leaves, (outer, line.opposite()), line, (range, shift));
            }
            (LeafAcross::Alike(inner), LeafAcross::Slower) => {
                if let Some(slower) = leaves.slower(inner, line) {
                    allow(faces, leaves, &slower, line, (range, shift), asleep);
                }
            }
            (LeafAcross::Slower, LeafAcross::Alike(outer)) => {
                if let Some(slower) = leaves.slower(outer, line.opposite()) {
                    allow(faces, leaves, &slower, line, (range, shift), asleep);
                }
            }
            _ => {}
        }
    }
    faces.owns_east = beside(Side::East) == LeafAcross::Slower;
    faces.owns_north = beside(Side::North) == LeafAcross::Slower;
    faces.finer_west = beside(Side::West) == LeafAcross::Faster;
    faces.finer_south = beside(Side::South) == LeafAcross::Faster;
}

/// Sets the faces on the line of side `line` of the tile to the transfers across `side` of `giver`,
/// from its cells `range`, `shift` cells further.
fn give(
    faces: &mut InterfaceFaces,
    leaves: &ForestLeaves<'_>,
    (giver, side): (LeafId, Side),
    line: Side,
    (range, shift): (Range<i32>, i32),
) {
    // A sleeping leaf beside leaves with different steps has no transfers.
    let Some(own) = &leaves.interfaces[giver] else { return };
    let Some(register) = &own.registers[side] else { return };
    // Towards the east or north: into a leaf whose west or south side this is.
    let sign = if matches!(side, Side::West | Side::South) { 1 } else { -1 };
    for i in range {
        let taken = register.taken(i.unsigned_abs() as usize);
        let moved = sign * taken;
        // Equal bounds mark a transfer as given.
        set(faces, line, i + shift, (moved, moved));
        if taken != 0 {
            let (axis, column, row) = place(line, i + shift);
            let (face, before) = (index(column, row), [1, STRIDE][axis]);
            let cell = if sign == 1 { face } else { face - before };
            faces.given.push(GivenFace { axis, face, cell, taken });
        }
    }
}

/// Bounds the water that faces along a side of a leaf draw from the slower leaf there: the faces
/// `range`, which are on side `line` of the tile, `shift` faces further.
fn allow(
    faces: &mut InterfaceFaces,
    leaves: &ForestLeaves<'_>,
    slower: &Faces,
    line: Side,
    (range, shift): (Range<i32>, i32),
    asleep: &[bool],
) {
    let &Faces { side, beyond, .. } = slower;
    let register = &leaves.interfaces_of(beyond).registers[side.opposite()];
    let Some(register) = register.as_ref().filter(|_| !asleep[beyond]) else {
        range.for_each(|i| set(faces, line, i + shift, (0, 0)));
        return;
    };
    for i in range {
        let most = register.allowed[slower.place_beyond(i.unsigned_abs() as usize)];
        let bounds = match side {
            // Transfers are positive towards east and north: over the west and the south side,
            // positive ones draw from the slower leaf.
            Side::West | Side::South => (i32::MIN, most),
            Side::East | Side::North => (-most, i32::MAX),
        };
        set(faces, line, i + shift, bounds);
    }
}

/// Returns axis, column and row of face `i` on the line of a side.
fn place(line: Side, i: i32) -> (Axis, i32, i32) {
    match line {
        Side::West => (Axis::X, 0, i),
        Side::East => (Axis::X, 64, i),
        Side::South => (Axis::Y, i, 0),
        Side::North => (Axis::Y, i, 64),
    }
}

/// Bounds face `i` on the line of a side.
fn set(faces: &mut InterfaceFaces, line: Side, i: i32, (low, high): (i32, i32)) {
    let (axis, column, row) = place(line, i);
    [&mut faces.x, &mut faces.y][axis].set(column, row, low, high);
}

/// Transfers, in a step of a leaf, over its faces to coarser leaves.
#[derive(Debug, Clone, Default)]
pub struct InterfaceTransfers {
    beyond: [Option<SideRow<f32>>; 2],
    moved: [Option<SideRow<i32>>; 4],
    contents: [Vec<SideRow<i64>>; 4],
}

impl InterfaceTransfers {
    /// Copies the transfers from the padded tile after the step.
    pub fn take(&mut self, interfaces: &LeafInterfaces, padded: &Padded) {
        for (axis, new) in [&padded.east, &padded.north].into_iter().enumerate() {
            copy(&mut self.beyond[axis], interfaces.beyond[axis].is_some().then_some(new));
        }
        for (s, side) in Side::ALL.into_iter().enumerate() {
            let moved = interfaces.moved[s].is_some().then(|| outward(padded, side));
            copy(&mut self.moved[s], moved.as_ref());
            self.contents[s].resize(interfaces.moved_contents[s].len(), Box::new([0; TILE_WIDTH]));
        }
    }

    /// Returns the outward transfers over a side to a coarser leaf, vertical units, and the content
    /// of a tracer in them, to be filled.
    pub fn side(
        &mut self,
        side: Side,
        tracer: usize,
    ) -> Option<(&SideRow<i32>, &mut SideRow<i64>)> {
        let contents = self.contents[side].get_mut(tracer);
        Some((self.moved[side].as_ref()?, contents?))
    }

    /// Sets the discharges over the east (0) or north (1) side to 0.
    pub fn stop(&mut self, axis: Axis) {
        if let Some(row) = &mut self.beyond[axis] {
            row.fill(0.0);
        }
    }

    /// Returns the discharges over the east (0) or north (1) side, m²/s.
    #[must_use]
    pub fn beyond(&self, axis: Axis) -> Option<&[f32; TILE_WIDTH]> {
        self.beyond[axis].as_deref()
    }

    /// Moves the transfers to the leaf's interfaces, and reuses the old ones for the next step.
    pub fn swap(&mut self, interfaces: &mut LeafInterfaces) {
        std::mem::swap(&mut self.beyond, &mut interfaces.beyond);
        std::mem::swap(&mut self.moved, &mut interfaces.moved);
        std::mem::swap(&mut self.contents, &mut interfaces.moved_contents);
    }
}

fn copy<T: Copy>(to: &mut Option<SideRow<T>>, from: Option<&[T; TILE_WIDTH]>) {
    match (to, from) {
        (Some(to), Some(from)) => **to = *from,
        (to, from) => *to = from.map(|row| Box::new(*row)),
    }
}

/// Returns the transfers outward over a side of the tile, vertical units.
fn outward(padded: &Padded, side: Side) -> [i32; TILE_WIDTH] {
    let (x, y) = (&padded.transfer_x, &padded.transfer_y);
    let mut at = 0..;
    std::array::from_fn(|_| {
        let i = at.next().unwrap_or(0);
        match side {
            Side::West => -x[index(0, i)],
            Side::East => x[index(64, i)],
            Side::South => -y[index(i, 0)],
            Side::North => y[index(i, 64)],
        }
    })
}
