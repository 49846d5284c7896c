//! The sides of a tile across levels: the cells beyond a side, and the flow over it.

use crate::forest::Neighbour;
use crate::forest::interfaces::halo_cell::{HaloCell, restricted};
use crate::forest::interfaces::{ForestLeaves, LeafInterfaces, quarter_beyond};
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH, TileKey};
use crate::tile::flows::SideStrip;
use crate::tile::halo::HaloPatch;
use crate::tile::{CellLevels, FaceAt};
use std::cmp::Ordering;

/// Unit discharges over the faces along one side of a tile, and the flow depths there.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideFlow {
    /// Unit discharge, m²/s.
    pub q: [f32; TILE_WIDTH],
    /// Flow depth h_f, vertical units.
    pub h_f: [i32; TILE_WIDTH],
}

impl SideFlow {
    const CLOSED: Self = Self { q: [0.0; TILE_WIDTH], h_f: [0; TILE_WIDTH] };

    /// Returns the discharges over the same faces at flow depths `h_f`, as [`kept`].
    #[must_use]
    pub fn through(&self, h_f: &[i32; TILE_WIDTH]) -> [f32; TILE_WIDTH] {
        std::array::from_fn(|i| kept(self.q[i], self.h_f[i], h_f[i]))
    }
}

/// Returns the discharge of a face whose flow depth changes: the velocity is kept if the depth
/// decreases, the discharge if it increases.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
pub fn kept(q: f32, before: i32, now: i32) -> f32 {
    match (now, before) {
        (..=0, _) | (_, ..=0) => 0.0,
        // `+ 0.0` turns a −0 into a 0.
        (now, before) if now < before => q * (now as f32 / before as f32) + 0.0,
        _ => q,
    }
}

/// Returns the unit discharge over face `i` along the east or north side of a leaf whose interfaces
/// are `own`, m²/s: the mean of two for finer leaves.
#[must_use]
pub fn far_flow(
    own: Option<&LeafInterfaces>,
    leaves: &ForestLeaves<'_>,
    leaf: LeafId,
    side: Side,
    i: usize,
) -> f32 {
    let axis = side.axis();
    let near = |leaf: LeafId, i: usize| {
        let Some(leaf) = leaf.known() else { return 0.0 };
        let water = &leaves.water[leaf];
        if axis == Axis::X { water.flow_x[i * TILE_WIDTH] } else { water.flow_y[i] }
    };
    match leaves.forest.across(leaf, side) {
        Neighbour::Nothing => 0.0,
        Neighbour::Same(other) => match own.and_then(|own| own.beyond[axis].as_ref()) {
            // That leaf takes longer steps: this one moves the water.
            Some(row) => row[i],
            None => near(other, i),
        },
        Neighbour::Coarser(_) => {
            own.and_then(|own| own.beyond[axis].as_ref()).map_or(0.0, |row| row[i])
        }
        Neighbour::Finer(pair) => {
            let (finer, first) = (pair[i / 32], 2 * i % TILE_WIDTH);
            0.5 * (near(finer, first) + near(finer, first + 1))
        }
    }
}

/// Returns the cells beyond `side` of a leaf, in the leaf's level.
#[must_use]
pub fn strip(leaves: &ForestLeaves<'_>, leaf: LeafId, side: Side) -> SideStrip {
    let water = &leaves.water[leaf];
    let is_far = side.is_far();
    let axis = side.axis();
    let flow = |i: usize| {
        let cell = side.cell_along(i);
        match (is_far, axis) {
            (true, _) => far_flow(leaves.interfaces[leaf].as_deref(), leaves, leaf, side, i),
            (false, Axis::X) => water.flow_x[cell],
            (false, Axis::Y) => water.flow_y[cell],
        }
    };
    let mut strip = SideStrip::WALL;
    for faces in leaves.forest.faces(leaf, side) {
        let (ground, beyond) = (&leaves.grounds[faces.beyond], &leaves.water[faces.beyond]);
        match faces.coarseness {
            Ordering::Equal => {
                strip = SideStrip::of(side, water, HaloPatch { ground, water: beyond });
            }
            Ordering::Greater => {
                for i in 0..TILE_WIDTH {
                    let cell = faces.there(i);
                    if !ground.has_quarter(cell, quarter_beyond(side, i)) {
                        continue;
                    }
                    let depth = beyond.depth[cell];
                    let stage = ground.stage(cell, depth);
                    // Water in a column with a table can be below its mean bed too: the near side
                    // decides.
                    let bed = ground.dry_stage(cell);
                    strip.cells[i] = CellLevels { bed, stage, depth };
                    strip.flow[i] = flow(i);
                }
            }
            Ordering::Less => {
                for i in 0..TILE_WIDTH / 2 {
                    let (along, last) = (2 * i, TILE_WIDTH - 2);
                    let cell = match side {
                        Side::West => along * TILE_WIDTH + last,
                        Side::East => along * TILE_WIDTH,
                        Side::South => last * TILE_WIDTH + along,
                        Side::North => along,
                    };
                    let HaloCell { bed, stage, depth, .. } = restricted(ground, beyond, cell, 0);
                    strip.cells[faces.first + i] = CellLevels { bed, stage, depth };
                    strip.flow[faces.first + i] = flow(faces.first + i);
                }
            }
        }
    }
    strip
}

/// Returns the cells beyond all four sides of a leaf.
#[must_use]
pub fn strips(leaves: &ForestLeaves<'_>, leaf: LeafId) -> [SideStrip; 4] {
    Side::ALL.map(|side| strip(leaves, leaf, side))
}

/// Returns the flow depths over the faces along a side of a leaf, vertical units.
#[must_use]
pub fn openings(
    leaves: &ForestLeaves<'_>,
    leaf: LeafId,
    side: Side,
    strip: &SideStrip,
) -> [i32; TILE_WIDTH] {
    let (ground, water) = (&leaves.grounds[leaf], &leaves.water[leaf]);
    std::array::from_fn(|i| {
        let cell = side.cell_along(i);
        let own = ground.standing(cell, water.depth[cell]);
        ground.opening(FaceAt::along(side, i), own, strip.cells[i])
    })
}

/// Returns the flow over `side` of the tile `key`, for any leaves there: the tile itself, its
/// parent, or its children.
#[must_use]
pub fn side_flow(leaves: &ForestLeaves<'_>, key: TileKey, side: Side) -> SideFlow {
    if let Some(leaf) = leaves.forest.find(key) {
        let strip = strip(leaves, leaf, side);
        return SideFlow { q: strip.flow, h_f: openings(leaves, leaf, side, &strip) };
    }
    let is_east_or_north = matches!(side, Side::East | Side::North);
    let (across, along) = match side {
        Side::West | Side::East => (key.x & 1, key.y & 1),
        Side::South | Side::North => (key.y & 1, key.x & 1),
    };
    if let Some(parent) = leaves.forest.covering(key) {
        if leaves.forest.leaves()[parent].level != key.level + 1 {
            return SideFlow::CLOSED;
        }
        let whole = if is_east_or_north == (across == 1) {
            side_flow(leaves, key.parent(), side)
        } else {
            middle(leaves, parent, side)
        };
        let first = 32 * along as usize;
        return SideFlow {
            q: std::array::from_fn(|i| whole.q[first + i / 2]),
            h_f: std::array::from_fn(|i| whole.h_f[first + i / 2]),
        };
    }
    if key.level == 0 {
        return SideFlow::CLOSED;
    }
    let mut flow = SideFlow::CLOSED;
    for half in 0..2 {
        let (across, along) = (usize::from(is_east_or_north), half);
        let quadrant = match side {
            Side::West | Side::East => across + 2 * along,
            Side::South | Side::North => along + 2 * across,
        };
        let child = key.child(quadrant);
        if leaves.forest.find(child).is_none() {
            continue;
        }
        let fine = side_flow(leaves, child, side);
        for i in 0..TILE_WIDTH / 2 {
            flow.q[32 * half + i] = 0.5 * (fine.q[2 * i] + fine.q[2 * i + 1]);
            flow.h_f[32 * half + i] = fine.h_f[2 * i].midpoint(fine.h_f[2 * i + 1]);
        }
    }
    flow
}

/// Returns the flow through the middle of a leaf, over the faces on a side of its quarters.
fn middle(leaves: &ForestLeaves<'_>, leaf: LeafId, side: Side) -> SideFlow {
    let (ground, water) = (&leaves.grounds[leaf], &leaves.water[leaf]);
    let is_x = matches!(side, Side::West | Side::East);
    let cells = |i: usize| {
        if is_x {
            (i * TILE_WIDTH + 31, i * TILE_WIDTH + 32)
        } else {
            (31 * TILE_WIDTH + i, 32 * TILE_WIDTH + i)
        }
    };
    let standing = |cell: usize| ground.standing(cell, water.depth[cell]);
    let axis = side.axis();
    let flow = if is_x { &water.flow_x } else { &water.flow_y };
    SideFlow {
        q: std::array::from_fn(|i| flow[cells(i).1]),
        h_f: std::array::from_fn(|i| {
            let (before, cell) = cells(i);
            ground.opening(FaceAt::Of { axis, cell }, standing(before), standing(cell))
        }),
    }
}
