//! The momentum that water carries over the boundary, in and out.
//!
//! The kernel sees boundary faces closed, as walls with nothing moving behind them. So for the face
//! on the opposite side of a boundary cell half of the mass is missing that crosses the cell's
//! centre, and its momentum is computed with the velocity that the wall passes on, in place of the
//! velocity over the boundary. This module corrects that part of eq. (3) of
//! [`momentum`](crate::flow::momentum). Counted inward, with the face behind at c₀, the next one at
//! c₁:
//!
//! ```text
//! w ← w + (F (û − c₀) − F_k (û_k − c₀)) / Σ h'
//! F   = dv_b + dv,   û   = u_b   inward,  c₀ − ½ s(c₀ − u_b, c₁ − c₀)   outward
//!                    û   = c₀    inward over a stage edge
//! F_k = dv,          û_k = û_w   inward,  c₀ − ½ s(c₀, c₁ − c₀)         outward
//! ```
//!
//! Over a stage edge the stage outside alone drives the water in: if it brought its velocity, too,
//! the flow behind it would draw more after it, without bound.
//!
//! The index b means the boundary face, û_w the velocity that [`walls`](crate::flow::walls) pass on
//! there.
//!
//! Between sub-grid columns the face carries the part of it that the kernel lets it carry
//! ([`carried_part`]), over the opening that its table has.
//!
//! Guarantees: a face that is closed gains nothing (`closed_faces_behind_the_rim_stay_still`).
//! Limits:     a face that a different leaf owns, behind a boundary cell in the last column or row
//!             before it, keeps the kernel's discharge; friction, and the bound of channels within
//!             cells, act on the gain from the next step on. The velocity over the boundary of a
//!             sub-grid column is that over the mean depth of its cell.
//! Source:     own.

use crate::flow::bores::thrust_too_much;
use crate::flow::face::carried_part;
use crate::flow::params::StepParams;
use crate::flow::solver::Order;
use crate::flow::transport::limited;
use crate::flow::walls::passed_on_by;
use crate::grid::{Axis, Side, TILE_WIDTH};
use crate::sim::boundary::{BoundaryFace, BoundaryLaw};
use crate::sim::stacks::StackRim;
use crate::tile::padded::{Padded, STRIDE, index};
use crate::tile::{Ground, Water};
use crate::units::{OUTSIDE, limits, maths};

/// The face behind a boundary face.
pub(super) struct FaceBehind {
    column: i32,
    row: i32,
    pub(super) along_x: bool,
    /// 1 if inward is eastward or northward, else −1.
    pub(super) inward: f32,
}

impl FaceBehind {
    /// Returns the face on the opposite side of the cell of `face`, if the same leaf owns it.
    pub(super) fn of(face: &BoundaryFace) -> Option<Self> {
        Self::across_from(column_row(face.cell), face.side)
    }

    /// Returns the face on the opposite side of a cell from a side of it, if the same leaf owns it.
    fn across_from((column, row): (i32, i32), side: Side) -> Option<Self> {
        let (column, row, along_x, inward) = match side {
            Side::West => (column + 1, row, true, 1.0),
            Side::East => (column, row, true, -1.0),
            Side::South => (column, row + 1, false, 1.0),
            Side::North => (column, row, false, -1.0),
        };
        let is_own = |i: i32| usize::try_from(i).is_ok_and(|i| i < TILE_WIDTH);
        (is_own(column) && is_own(row)).then_some(Self { column, row, along_x, inward })
    }

    /// Returns the places in the planes of the cells before and behind it.
    pub(super) fn cells(&self) -> (usize, usize) {
        let right = index(self.column, self.row);
        (if self.along_x { right - 1 } else { right - STRIDE }, right)
    }

    /// Returns the step in the planes from a face across it to the one at its far end.
    pub(super) fn across(&self) -> usize {
        if self.along_x { STRIDE } else { 1 }
    }

    /// Returns the discharge of the face in the new water.
    pub(super) fn flow<'a>(&self, new: &'a mut Water) -> &'a mut f32 {
        let flow = if self.along_x { &mut new.flow_x } else { &mut new.flow_y };
        let column = self.column.unsigned_abs() as usize;
        &mut flow[self.row.unsigned_abs() as usize * TILE_WIDTH + column]
    }

    /// Returns the opening of the face after the step, vertical units, and the part of its momentum
    /// that it carries.
    fn passage(&self, ground: &Ground, padded: &Padded) -> (i32, f32) {
        let (left, right) = self.cells();
        if ground.columns.is_some() {
            let planes = &padded.columns;
            let slope = maths::max(planes.slope_new[left], planes.slope_new[right]);
            let axis = usize::from(!self.along_x);
            return (planes.open_new[axis][right], carried_part(slope));
        }
        let stage = |at: usize| padded.bed[at] + padded.depth_new[at];
        let sill = padded.bed[left].max(padded.bed[right]);
        (stage(left).max(stage(right)) - sill, 1.0)
    }
}

/// Corrects the faces behind the boundary cells of a leaf on this ground, in its new water.
pub(super) fn carry_over_boundary(
    (boundary, laws): (&[BoundaryFace], &[BoundaryLaw]),
    (ground, padded): (&Ground, &Padded),
    params: &StepParams,
    order: Order,
    new: &mut Water,
) {
    for face in boundary.iter().filter(|face| !face.is_river()) {
        let Some(behind) = FaceBehind::of(face) else { continue };
        let BoundaryFace { cell, side, q, moved, law, .. } = *face;
        let is_drawn = moved < 0 && laws[law as usize].is_stage();
        let crossing =
            SideCrossing { cell: column_row(cell), side, q, moved, over: None, is_drawn };
        let flow = behind.flow(new);
        let gained = gained(&crossing, &behind, (ground, padded), params, order);
        *flow = maths::flush(*flow + gained);
    }
}

/// Corrects the faces of cells over whose sides water left intervals or entered them, in the new
/// water of a leaf. `rims` has their cells and sides within the leaf or just beside it.
pub(super) fn carry_over_rims(
    rims: &[((i32, i32), StackRim)],
    on: (&Ground, &Padded),
    params: &StepParams,
    order: Order,
    new: &mut Water,
) {
    for &(cell, StackRim { side, q, moved, .. }) in rims {
        let Some(behind) = FaceBehind::across_from(cell, side) else { continue };
        let over = Over::of(cell, side, on.1);
        let crossing = SideCrossing { cell, side, q, moved, over: Some(over), is_drawn: false };
        let flow = behind.flow(new);
        *flow = maths::flush(*flow + gained(&crossing, &behind, on, params, order));
    }
    for of_cell in rims.chunk_by(|(a, _), (b, _)| a == b) {
        let left: i32 = of_cell.iter().map(|(_, rim)| rim.moved).sum();
        if left > 0 {
            let less = thrust_too_much(on.1, of_cell[0].0, left, params);
            ease_thrust(of_cell[0].0, less, on, params, new);
        }
    }
}

/// Subtracts the excess thrust of the kernel from a cell, units times m/s.
#[expect(clippy::cast_precision_loss, reason = "a velocity is a float")]
fn ease_thrust(
    cell: (i32, i32),
    less: f32,
    (ground, padded): (&Ground, &Padded),
    params: &StepParams,
    new: &mut Water,
) {
    for side in Side::ALL {
        // The face on a side is the one across from the opposite side.
        let Some(face) = FaceBehind::across_from(cell, side.opposite()) else { continue };
        let (left, right) = face.cells();
        let stride = right - left;
        let is_edge = (0..4).any(|step| padded.bed[left + step * stride - stride] == OUTSIDE);
        let (opening, carried) = face.passage(ground, padded);
        let h_f = opening.max(0) as f32 * params.face.unit_m;
        if is_edge || h_f < limits::DEPTH_DRY_M {
            continue;
        }
        let depths = padded.depth_new[left] as f32 + padded.depth_new[right] as f32;
        let gained = carried * less / maths::max(depths, 1.0);
        let flow = face.flow(new);
        *flow = maths::flush(*flow - face.inward * gained * h_f);
    }
}

/// A side of a cell, and the water that crossed it without the kernel.
struct SideCrossing {
    cell: (i32, i32),
    side: Side,
    /// Outward unit discharge, m²/s.
    q: f32,
    /// Units that flowed out.
    moved: i32,
    /// Water that the kernel moved over the same side.
    over: Option<Over>,
    /// Whether a stage drew water in: it takes the velocity of the face behind.
    is_drawn: bool,
}

/// Water that the kernel moved over a side of a cell, beside the water that crossed it without the
/// kernel.
struct Over {
    /// Units that flowed east or north.
    moved: i32,
    /// Velocity, m/s.
    velocity: f32,
}

impl Over {
    fn of(cell: (i32, i32), side: Side, padded: &Padded) -> Self {
        let (axis, at) = face_at(cell, side);
        let (velocity, transfer) = match axis {
            Axis::X => (&padded.flow_x, &padded.transfer_x),
            Axis::Y => (&padded.flow_y, &padded.transfer_y),
        };
        Self { moved: transfer[at], velocity: velocity[at] }
    }
}

/// Returns column and row of a cell of a leaf.
fn column_row(cell: u16) -> (i32, i32) {
    let (column, row) = crate::grid::cells::column_row(usize::from(cell));
    (column.cast_signed(), row.cast_signed())
}

/// Returns the place in the planes of the face on a side of a cell.
fn face_at((column, row): (i32, i32), side: Side) -> (Axis, usize) {
    match side {
        Side::West => (Axis::X, index(column, row)),
        Side::East => (Axis::X, index(column + 1, row)),
        Side::South => (Axis::Y, index(column, row)),
        Side::North => (Axis::Y, index(column, row + 1)),
    }
}

/// Returns the discharge that the face behind gains, m²/s.
#[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
fn gained(
    face: &SideCrossing,
    behind: &FaceBehind,
    (ground, padded): (&Ground, &Padded),
    params: &StepParams,
    order: Order,
) -> f32 {
    let inward = behind.inward;
    let (left, right) = behind.cells();
    let (velocity, transfer) = if behind.along_x {
        (&padded.flow_x, &padded.transfer_x)
    } else {
        (&padded.flow_y, &padded.transfer_y)
    };
    let depth = (padded.depth_new[left], padded.depth_new[right]);
    let (opening, carried) = behind.passage(ground, padded);
    let h_f = opening.max(0) as f32 * params.face.unit_m;
    if h_f < limits::DEPTH_DRY_M {
        return 0.0;
    }
    // Everything counted inward from here on, m/s.
    let stride = right - left;
    let next = if inward > 0.0 { right + stride } else { right - stride };
    let (own, next) = (velocity[right] * inward, velocity[next] * inward);
    let (column, row) = face.cell;
    let boundary_depth = padded.depth[index(column, row)].max(1);
    let most = params.face.speed_most(boundary_depth);
    let at_boundary = maths::flush(-face.q / (boundary_depth as f32 * params.face.unit_m));
    let (over, over_speed) = match &face.over {
        None => (0.0, 0.0),
        Some(over) => (over.moved as f32 * inward, over.velocity * inward),
    };
    // The flow over the ground above counts by its transfer.
    let over_part = over / (boundary_depth as f32 * params.cells_per_m_s);
    let at_boundary = if over == 0.0 { at_boundary } else { at_boundary + over_part };
    let at_boundary = maths::max(-most, maths::min(at_boundary, most));
    let slope = |beside: f32| match order {
        Order::First => 0.0,
        Order::Second => limited(own - beside, next - own),
    };
    let passed = transfer[right] as f32 * inward + over;
    let transfer_sum = passed - face.moved as f32;
    let brought = match transfer_sum >= 0.0 {
        true if face.is_drawn => own,
        true => at_boundary,
        false => own - 0.5 * slope(at_boundary),
    };
    let kernel = match (passed >= 0.0, over == 0.0) {
        (true, true) => inward * passed_on(face, ground, padded, params),
        (true, false) => over_speed,
        (false, _) => own - 0.5 * slope(over_speed),
    };
    let missing = transfer_sum * (brought - own) - passed * (kernel - own);
    let gained = carried * missing / maths::max(depth.0 as f32 + depth.1 as f32, 1.0);
    let most = params.face.speed_most(opening);
    inward * maths::max(-most, maths::min(gained, most)) * h_f
}

/// Returns the velocity that the kernel carried over a boundary face, as if it were a wall, m/s.
fn passed_on(face: &SideCrossing, ground: &Ground, padded: &Padded, params: &StepParams) -> f32 {
    let (axis, at) = face_at(face.cell, face.side);
    match ground.columns {
        Some(_) => passed_on_by::<true>(padded, axis, at, params.wall_least),
        None => passed_on_by::<false>(padded, axis, at, params.wall_least),
    }
}

/// Puts the transfers over the boundary into those of the padded tile, where the kernel left no
/// transfer, for readers of the leaf.
pub(super) fn show_boundary(boundary: &[BoundaryFace], padded: &mut Padded) {
    for face in boundary {
        let (column, row) = face.column_row();
        match face.side {
            Side::West => padded.transfer_x[index(column, row)] = -face.moved,
            Side::East => padded.transfer_x[index(column + 1, row)] = face.moved,
            Side::South => padded.transfer_y[index(column, row)] = -face.moved,
            Side::North => padded.transfer_y[index(column, row + 1)] = face.moved,
        }
    }
}
