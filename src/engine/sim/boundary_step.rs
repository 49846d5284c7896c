//! The boundary's part of a step: new discharges, then their water, before the inner faces move
//! theirs.
//!
//! Velocities along the boundary stay while water crosses it. Shallow water divides a discharge by
//! the present depth. If a transfer over the boundary has just changed that depth the discharges
//! are scaled with it: water that leaves takes its momentum along, and inflow brings its own (see
//! [`boundary_momentum`](crate::sim::boundary_momentum)). Water that enters over a stage edge is at
//! rest outside: it brings no velocity along the edge. If it did, the flow round the ends of a
//! short stage edge would grow without bound.
//!
//! Guarantees: velocities stay in the same way on a face within a leaf and on one between two.

use crate::flow::params::StepParams;
use crate::flow::solver::{Order, Solver};
use crate::flow::transfer::Dither;
use crate::forest::interfaces::ForestLeaves;
use crate::forest::interfaces::strip::far_flow;
use crate::grid::cells::column_row;
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::boundary::{BoundaryFace, BoundaryLaw, BoundaryStep, CellThroughflow};
use crate::sim::forcing::LeafWater;
use crate::sim::params::Params;
use crate::sim::settings::Settings;
use crate::sim::table::{LeafTable, pick};
use crate::sim::tracers::Tracers;
use crate::tile::{FaceAt, Ground};
use crate::units::{SimTime, limits, maths};
use rayon::prelude::*;
use std::f32::consts::SQRT_2;

/// Steps all boundary faces of these leaves, which are awake, between two moments.
pub(super) fn step_boundary(
    leaves: &mut LeafTable,
    tracers: &Tracers,
    params: &Params,
    awake: &[LeafId],
    (step, from, to): (&StepParams, SimTime, SimTime),
) {
    let quiet = awake.first().and_then(|&leaf| params.quiet(leaves.forest.leaves()[leaf].level));
    let Params { laws, n2, settings, .. } = params;
    let Settings { solver, order, seed, .. } = *settings;
    let stages: Vec<i32> = laws.iter().map(|law| law.stage_at(to)).collect();
    let discharges: Vec<f32> = laws.iter().map(|law| params.let_in(law, from, to)).collect();
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    let gravity = settings.gravity as f32;
    let (stages, discharges) = (&stages[..], &discharges[..]);
    let is_second = (solver, order) == (Solver::ShallowWater, Order::Second);
    let units_per_flow = step.units_per_flow;
    let step = BoundaryStep { params: step, stages, discharges, laws, gravity, is_second, quiet };
    let (forest, grounds, water) = (&leaves.forest, &leaves.grounds, &leaves.water);
    let (interfaces, steps_log2) = (&leaves.interfaces, &leaves.steps_log2);
    let all = ForestLeaves { forest, grounds, water, interfaces, steps_log2 };
    let busy: Vec<LeafId> =
        awake.iter().copied().filter(|&leaf| !leaves.own[leaf].boundary.is_empty()).collect();
    let own = pick(&mut leaves.own, &busy);
    let scratch = pick(&mut leaves.scratch, &busy);
    let mut boundaries: Vec<_> = busy.iter().copied().zip(own.into_iter().zip(scratch)).collect();
    boundaries.par_iter_mut().for_each(|(leaf, (own, scratch))| {
        let leaf = *leaf;
        scratch.is_boundary_busy = false;
        let (ground, water) = (&grounds[leaf], &water[leaf]);
        for face in &mut own.boundary {
            let cell = usize::from(face.cell);
            let class = ground.roughness.as_ref().map_or(0, |plane| usize::from(plane[cell]));
            let through = through(&all, leaf, cell);
            let state = (water.depth[cell], n2[class]);
            scratch.is_boundary_busy |= face.discharge(&step, ground, state, through);
            if solver == Solver::ShallowWater {
                let pace = pace(face, &step, (ground, state.0), through);
                scratch.pace_at_ends = maths::max(scratch.pace_at_ends, pace);
            }
        }
    });
    let picked = pick(&mut leaves.water, &busy); // after all discharges, which read the water
    let mut boundaries: Vec<_> = boundaries.into_iter().zip(picked).collect();
    boundaries.par_iter_mut().for_each(|((leaf, (own, scratch)), water)| {
        let key = forest.leaves()[*leaf];
        let corner = key.corner();
        let dither = Dither::new(seed, key.level, corner.x, corner.y, from.ticks());
        let water = &mut ***water;
        let mut cells = LeafWater {
            ground: &grounds[*leaf],
            classes: &[],
            depth: &mut water.depth,
            infiltrated: None,
            bookings: &mut scratch.bookings,
            contents: &mut water.contents,
            tracers: tracers.books(&mut scratch.content_bookings),
        };
        for face in &mut own.boundary {
            face.transfer(&step, &mut cells, &dither);
        }
        for face in &mut own.boundary {
            face.left = cells.depth[usize::from(face.cell)];
            face.units_per_flow = units_per_flow;
        }
    });
    if solver == Solver::ShallowWater {
        keep_velocities(leaves, awake, laws);
    }
}

/// Returns [`Params::pace_at_end`] of the cell of a boundary face, of this depth, if something
/// crosses the face, m/s: in numbers and operations that are the same on every machine, as cards
/// compute it too.
#[expect(clippy::cast_possible_truncation, reason = "constants")]
#[expect(clippy::cast_precision_loss, reason = "a depth in metres")]
fn pace(
    face: &BoundaryFace,
    step: &BoundaryStep<'_>,
    (ground, depth): (&Ground, i32),
    through: CellThroughflow,
) -> f32 {
    const MORE: f32 = (limits::COURANT_SWE / limits::COURANT_SWE_ENDS) as f32;
    const FROUDE: f32 = limits::FROUDE_AT_END as f32;
    if face.q == 0.0 || depth == 0 {
        return 0.0;
    }
    let own = ground.surface(usize::from(face.cell), depth);
    let depth_m = depth as f32 * step.params.face.unit_m;
    let along = through.along[usize::from(face.side.axis() == Axis::X)];
    let speed = (face.q.abs() + along.abs()) / depth_m;
    // Waves run on the depth with which a stage rises.
    let wave = (step.gravity * (depth_m * own.slope)).sqrt();
    MORE * (maths::min(speed, FROUDE * wave) + SQRT_2 * wave)
}

/// Returns the flow through a cell by its inner faces; its faces to the outside are closed in the
/// planes.
fn through(leaves: &ForestLeaves<'_>, leaf: LeafId, cell: usize) -> CellThroughflow {
    let (column, row) = column_row(cell);
    let (column, row) = (column as usize, row as usize);
    let own = &leaves.water[leaf];
    let interfaces = leaves.interfaces[leaf].as_deref();
    let far = |side, i| far_flow(interfaces, leaves, leaf, side, i);
    let east = if column + 1 < TILE_WIDTH { own.flow_x[cell + 1] } else { far(Side::East, row) };
    let north =
        if row + 1 < TILE_WIDTH { own.flow_y[cell + TILE_WIDTH] } else { far(Side::North, column) };
    let (west, south) = (own.flow_x[cell], own.flow_y[cell]);
    CellThroughflow {
        arriving: (west - east) + (south - north),
        along: [0.5 * (west + east), 0.5 * (south + north)],
    }
}

/// A cell of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct At {
    leaf: LeafId,
    cell: usize,
}

/// A cell whose depth a transfer over the boundary changed.
struct ChangedCell {
    at: At,
    /// Depth of the cell before that transfer, vertical units.
    before: i32,
    /// Still water that entered across the x axis and across the y axis, vertical units.
    still: [i32; 2],
}

impl ChangedCell {
    /// Returns the water that entered without any velocity through such a face, vertical units.
    fn still(&self, face: &Inner) -> i32 {
        self.still[usize::from(face.is_west)]
    }
}

/// A face between two cells.
#[derive(Clone, Copy)]
struct Inner {
    /// The cell whose west or south face it is.
    owner: At,
    is_west: bool,
    /// The cell on the opposite side, as seen from the one whose faces are listed.
    beyond: At,
}

/// Scales the discharges of all inner faces of cells whose depth a transfer over the boundary of
/// these leaves changed in this step.
fn keep_velocities(leaves: &mut LeafTable, awake: &[LeafId], laws: &[BoundaryLaw]) {
    let changed = changed_cells(leaves, awake, laws);
    for cell in &changed {
        let ChangedCell { at, before, .. } = *cell;
        for face in inner_faces(leaves, at) {
            let place = changed.binary_search_by_key(&face.beyond, |other| other.at);
            if place.is_ok() && face.beyond < at {
                // The face between two such cells is scaled once.
                continue;
            }
            let depth = |at: At| leaves.water[at.leaf].depth[at.cell];
            let own = depth(at) - cell.still(&face);
            let beyond = depth(face.beyond);
            let (beyond, beyond_before) = match place {
                Ok(place) => (beyond - changed[place].still(&face), changed[place].before),
                Err(_) => (beyond, beyond),
            };
            let old = opening(leaves, &face, (at, before), beyond_before);
            let new = opening(leaves, &face, (at, own), beyond);
            if old > 0.0 {
                let flow = discharge_mut(leaves, &face, at.leaf);
                *flow = maths::flush(*flow * (new / old));
            }
        }
    }
}

/// Returns the discharge over a face of a cell of `leaf`. The leaf before the face keeps it if it
/// has the shorter steps of the two.
fn discharge_mut<'a>(leaves: &'a mut LeafTable, face: &Inner, leaf: LeafId) -> &'a mut f32 {
    let Inner { owner, is_west, beyond } = *face;
    let before = if owner.leaf == leaf { beyond.leaf } else { leaf };
    if owner.leaf != before && leaves.view().steps_beside(before, owner.leaf).is_gt() {
        let own = leaves.interfaces[before].as_mut().expect("a leaf beside longer steps has some");
        let (axis, i) = match is_west {
            true => (Axis::X, owner.cell / TILE_WIDTH),
            false => (Axis::Y, owner.cell % TILE_WIDTH),
        };
        return &mut own.beyond[axis].as_mut().expect("a far side to longer steps")[i];
    }
    let water = &mut leaves.water[owner.leaf];
    &mut (if is_west { &mut water.flow_x } else { &mut water.flow_y })[owner.cell]
}

/// Returns the cells whose depth a transfer over the boundary changed, in their order.
fn changed_cells(leaves: &LeafTable, awake: &[LeafId], laws: &[BoundaryLaw]) -> Vec<ChangedCell> {
    let mut changed: Vec<ChangedCell> = Vec::new();
    for &leaf in awake {
        let from = changed.len();
        for face in leaves.own[leaf].boundary.iter().filter(|face| face.moved != 0) {
            let at = At { leaf, cell: usize::from(face.cell) };
            let drawn =
                if laws[face.law as usize].is_stage() { (0 - face.moved).max(0) } else { 0 };
            let still =
                [Axis::X, Axis::Y].map(|axis| if face.side.axis() == axis { drawn } else { 0 });
            // `before` is at first the depth that has left; the depth that is left is added below.
            changed.push(ChangedCell { at, before: face.moved, still });
        }
        changed[from..].sort_unstable_by_key(|cell| cell.at);
    }
    // The transfers of several faces of one cell add up.
    changed.dedup_by(|next, kept| {
        let same = next.at == kept.at;
        if same {
            kept.before += next.before;
            kept.still = [kept.still[0] + next.still[0], kept.still[1] + next.still[1]];
        }
        same
    });
    for ChangedCell { at, before, .. } in &mut changed {
        *before += leaves.water[at.leaf].depth[at.cell];
    }
    changed
}

/// Returns h_f of a face between a cell and the one beyond at these depths, vertical units.
#[expect(clippy::cast_precision_loss, reason = "a ratio")]
fn opening(leaves: &LeafTable, face: &Inner, (own, depth): (At, i32), beyond: i32) -> f32 {
    let standing = |at: At, depth| leaves.grounds[at.leaf].standing(at.cell, depth);
    let axis = if face.is_west { Axis::X } else { Axis::Y };
    let at = FaceAt::Of { axis, cell: face.owner.cell };
    let (before, behind) = (standing(own, depth), standing(face.beyond, beyond));
    leaves.grounds[face.owner.leaf].opening(at, before, behind) as f32
}

/// Returns the faces of a cell to cells that are inside.
fn inner_faces(leaves: &LeafTable, own: At) -> impl Iterator<Item = Inner> + use<> {
    let (column, row) = column_row(own.cell);
    let (column, row) = (column as usize, row as usize);
    let around = leaves.forest.around(own.leaf);
    let last = TILE_WIDTH - 1;
    // Places around a leaf count from the south-west, row by row: 1 south, 3 west, 5 east, 7 north.
    let beside = |is_own: bool, here: usize, place: usize, there: usize| match around[place] {
        _ if is_own => Some(At { leaf: own.leaf, cell: here }),
        LeafId::NONE => None,
        other => Some(At { leaf: other, cell: there }),
    };
    let cell = own.cell;
    let west = beside(column > 0, cell.wrapping_sub(1), 3, cell + last);
    let east = beside(column < last, cell + 1, 5, row * TILE_WIDTH);
    let south = beside(row > 0, cell.wrapping_sub(TILE_WIDTH), 1, last * TILE_WIDTH + column);
    let north = beside(row < last, cell + TILE_WIDTH, 7, column);
    let is_inside = |at: &At| leaves.grounds[at.leaf].is_inside(at.cell);
    let faces = [
        west.filter(is_inside).map(|beyond| Inner { owner: own, is_west: true, beyond }),
        east.filter(is_inside).map(|beyond| Inner { owner: beyond, is_west: true, beyond }),
        south.filter(is_inside).map(|beyond| Inner { owner: own, is_west: false, beyond }),
        north.filter(is_inside).map(|beyond| Inner { owner: beyond, is_west: false, beyond }),
    ];
    faces.into_iter().flatten()
}
