//! Shallow water: gravity, friction and the transport of momentum.
//!
//! ```text
//! c   = u Δt/Δ                                         velocity in cells a step, from q = u·h_f
//! dv  = c · ĥ                      (1)  water: the mean depth of the swept window
//! F   = dv_1 + dv_2                (2)  twice the mass through the boundary of a face's volume
//! w   = c − Σ ±F (ĉ − c) / Σ h'    (3)  momentum carried by that mass; h' the new depths
//! u*  = w Δ/Δt − g Δt/Δ (η_r − η_l)     with the new stages
//! k   = g Δt n² / h_f^(4/3)
//! u'  = 2 u* / (1 + √(1 + 4 k √(u*² + v*²)))           friction as for the pipe
//! |u'| ≤ √(g h_f) (1 + 50 max(0, 0.3 − d/Δ))           where water falls by d > 0.1 Δ off a step
//! ```
//!
//! The momentum of a face lives in the control volume between the centres of its two cells,
//! `m = ½ (h_l + h_r) u`; it crosses that volume's four sides, two at cell centres and two at
//! corners, with the mean of the transfers beside them. (3) is `m' = m − Σ ±½F ĉ` divided by the
//! new mass, which is `Σ h' = Σ h − Σ ±F` exactly, in integers: so a uniform velocity stays
//! uniform to the bit, and what leaves one volume enters the next.
//!
//! A difference of depth over a closed face counts as none, so walls and banks lend no slope. Below
//! a flow depth of 2⁻¹⁶ m nothing is remembered: gravity acts from rest, and no film freezes.
//!
//! Guarantees: equal stages keep every velocity 0; no NaN and no −0 in what is stored, for any
//!             state; volume is the integers' (`tests/engine/`).
//! Limits:     hydrostatic: no dispersion of short waves. Over the edge of a step that is dry below
//!             the flow is at most critical.
//! Source:     Stelling & Duinmeijer (2003), Int. J. Numer. Meth. Fluids 43: mass flux, upwinded
//!             velocity and mean depth of the control volume; the windows, limits and integers own.

use crate::flow::face::ColumnSums;
use crate::flow::face::Face;
use crate::flow::face::FaceParams;
use crate::flow::face::FlowDepth;
use crate::flow::face::froude_most;
use crate::flow::params::StepParams;
use crate::flow::solver::MOVING;
use crate::flow::solver::Method;
use crate::flow::transfer::Axis;
use crate::flow::transport::carried;
use crate::flow::transport::limited;
use crate::flow::transport::swept;
use crate::flow::wrap::add;
use crate::flow::wrap::sub;
use crate::tile::padded::Padded;
use crate::tile::padded::Plane;
use crate::tile::padded::STRIDE;
use crate::tile::padded::index;
use crate::units::limits;
use crate::units::maths;

/// Shallow water; of second order where `SLOPES`.
#[derive(Debug)]
pub struct ShallowWater<const SLOPES: bool>;

/// Columns of a padded row, the unused ones included: a whole count of vectors.
const ALL: usize = STRIDE;
/// Column of the first of them.
const FIRST: i32 = -8;

/// What is carried from row to row.
#[derive(Debug)]
pub struct Memory {
    /// Difference of depth over the south faces of the last row made ready, vertical units.
    rise_y: [f32; ALL],
    /// Slope from south to north of the velocity over west faces, in the row to come.
    turn_x: [f32; 64],
    /// Slope from south to north of the velocity over south faces, in the row to come.
    along_y: [f32; 64],
    /// Velocity carried over the corners south of west faces, and over those north of them.
    corners: [[f32; 64]; 2],
    /// Velocity carried over the centres of the cells south of south faces, and north of them.
    centres: [[f32; 64]; 2],
}

impl Default for Memory {
    fn default() -> Self {
        Self {
            rise_y: [0.0; ALL],
            turn_x: [0.0; 64],
            along_y: [0.0; 64],
            corners: [[0.0; 64]; 2],
            centres: [[0.0; 64]; 2],
        }
    }
}

/// `N` values of a plane from a column of a row on.
#[inline(always)]
fn part<T, const N: usize>(plane: &Plane<T>, column: i32, row: i32) -> &[T; N] {
    plane[index(column, row)..].first_chunk().expect("within the padded tile")
}

#[inline(always)]
fn part_mut<T, const N: usize>(plane: &mut Plane<T>, column: i32, row: i32) -> &mut [T; N] {
    plane[index(column, row)..].first_chunk_mut().expect("within the padded tile")
}

impl<const SLOPES: bool> Method for ShallowWater<SLOPES> {
    type Memory = Memory;
    const CUTS_DISCHARGES: bool = false;

    /// Velocities of the row's faces in the place of their discharges, and slopes of the depth.
    #[inline(always)]
    fn ready_row(tile: &mut Padded, row: i32, params: &StepParams, memory: &mut Memory) {
        let scale = (params.units_per_flow, &params.face);
        let (mut rise_x, mut rise_y) = ([0.0; ALL + 1], [0.0; ALL]);
        let here = (part(&tile.bed, FIRST, row), part(&tile.depth, FIRST, row));
        let rise = rise_x.first_chunk_mut().expect("one more");
        let west = (part(&tile.bed, FIRST - 1, row), part(&tile.depth, FIRST - 1, row));
        velocities(part_mut(&mut tile.flow_x, FIRST, row), west, here, scale, rise);
        let south = (part(&tile.bed, FIRST, row - 1), part(&tile.depth, FIRST, row - 1));
        velocities(part_mut(&mut tile.flow_y, FIRST, row), south, here, scale, &mut rise_y);
        if SLOPES {
            let slope_x: &mut [f32; ALL] = part_mut(&mut tile.slope_x, FIRST, row);
            for i in 0..ALL {
                slope_x[i] = limited(rise_x[i], rise_x[i + 1]);
            }
            let slope_y: &mut [f32; ALL] = part_mut(&mut tile.slope_y, FIRST, row - 1);
            for i in 0..ALL {
                slope_y[i] = limited(memory.rise_y[i], rise_y[i]);
            }
            memory.rise_y = rise_y;
        }
    }

    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a float only proposes")]
    fn propose_row(
        tile: &Padded,
        axis: Axis,
        row: i32,
        _: &StepParams,
        wanted: &mut [f32; MOVING],
    ) {
        let (flow, slope, before) = match axis {
            Axis::X => (&tile.flow_x, &tile.slope_x, (-3, row)),
            Axis::Y => (&tile.flow_y, &tile.slope_y, (-2, row - 1)),
        };
        let courant: &[f32; MOVING] = part(flow, -2, row);
        let depth_l: &[i32; MOVING] = part(&tile.depth, before.0, before.1);
        let depth_r: &[i32; MOVING] = part(&tile.depth, -2, row);
        let slope_l: &[f32; MOVING] = part(slope, before.0, before.1);
        let slope_r: &[f32; MOVING] = part(slope, -2, row);
        for i in 0..MOVING {
            let depth = (depth_l[i] as f32, depth_r[i] as f32);
            let slope = if SLOPES { (slope_l[i], slope_r[i]) } else { (0.0, 0.0) };
            wanted[i] = courant[i] * maths::max(swept(courant[i], depth, slope), 0.0);
        }
    }

    #[inline(always)]
    fn discharge_rows(
        tile: &Padded,
        row: i32,
        params: &StepParams,
        memory: &mut Memory,
        out: (&mut [f32; 64], &mut [f32; 64]),
        sums: &mut ColumnSums,
    ) {
        if row == 0 {
            // The first row of the tile finds nothing carried yet.
            memory.advance::<SLOPES>(tile, -2);
            memory.advance::<SLOPES>(tile, -1);
        }
        memory.advance::<SLOPES>(tile, row);
        discharge_x::<SLOPES>(tile, row, &params.face, memory, out.0, sums);
        discharge_y::<SLOPES>(tile, row, &params.face, memory, out.1, sums);
    }
}

/// Puts velocities, cells a step, in the place of discharges, and notes the rise of the depth over
/// open faces. Beds and depths of the cells before and behind the faces.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "velocities and slopes are floats")]
fn velocities(
    flow: &mut [f32; ALL],
    (bed_l, depth_l): (&[i32; ALL], &[i32; ALL]),
    (bed_r, depth_r): (&[i32; ALL], &[i32; ALL]),
    (scale, params): (f32, &FaceParams),
    rise: &mut [f32; ALL],
) {
    for i in 0..ALL {
        let (eta_l, eta_r) = (add(bed_l[i], depth_l[i]), add(bed_r[i], depth_r[i]));
        let opening = sub(eta_l.max(eta_r), bed_l[i].max(bed_r[i]));
        let is_open = opening > 0;
        let c = flow[i] * scale / opening.max(1) as f32;
        let most = params.courant_most(opening);
        let c = maths::max(-most, maths::min(c, most));
        flow[i] = if is_open { c } else { 0.0 };
        rise[i] = if is_open { sub(depth_r[i], depth_l[i]) as f32 } else { 0.0 };
    }
}

/// Twice the mass through the middle of two faces, vertical units.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "carries a velocity, which is a float")]
fn mass(a: i32, b: i32) -> f32 {
    a as f32 + b as f32
}

impl Memory {
    /// Goes on to `row`: slopes of the row to its north, then what is carried over that row's south
    /// corners and over the row's centres.
    #[inline(always)]
    fn advance<const SLOPES: bool>(&mut self, tile: &Padded, row: i32) {
        let x0: &[f32; 64] = part(&tile.flow_x, 0, row);
        let x1: &[f32; 64] = part(&tile.flow_x, 0, row + 1);
        let x2: &[f32; 64] = part(&tile.flow_x, 0, row + 2);
        let y0: &[f32; 64] = part(&tile.flow_y, 0, row);
        let y1: &[f32; 64] = part(&tile.flow_y, 0, row + 1);
        let y2: &[f32; 64] = part(&tile.flow_y, 0, row + 2);
        let south: &[i32; 64] = part(&tile.transfer_y, 0, row);
        let north: &[i32; 64] = part(&tile.transfer_y, 0, row + 1);
        let north_west: &[i32; 64] = part(&tile.transfer_y, -1, row + 1);
        self.corners[0] = self.corners[1];
        self.centres[0] = self.centres[1];
        for i in 0..64 {
            let (mut turn, mut along) = (0.0, 0.0);
            if SLOPES {
                turn = limited(x1[i] - x0[i], x2[i] - x1[i]);
                along = limited(y1[i] - y0[i], y2[i] - y1[i]);
            }
            let over_corner = mass(north_west[i], north[i]);
            let over_centre = mass(south[i], north[i]);
            self.corners[1][i] = carried(over_corner, (x0[i], x1[i]), (self.turn_x[i], turn));
            self.centres[1][i] = carried(over_centre, (y0[i], y1[i]), (self.along_y[i], along));
            self.turn_x[i] = turn;
            self.along_y[i] = along;
        }
    }
}

/// Velocity that the flow carries from column to column: over the boundary between the values of
/// columns i − 1 and i, for the columns 0 to 64 in places 8 to 72.
#[inline(always)]
fn carried_along<const SLOPES: bool>(
    value: (&[f32; ALL], &[f32; ALL], &[f32; ALL]),
    flow: (&[i32; ALL], &[i32; ALL]),
) -> [f32; ALL] {
    let (before, here, after) = value;
    // slope[i] is that of column i − 1.
    let mut slope = [0.0; ALL + 1];
    if SLOPES {
        for i in 0..ALL {
            slope[i + 1] = limited(here[i] - before[i], after[i] - here[i]);
        }
    }
    let mut out = [0.0; ALL];
    for i in 0..ALL {
        let slope = (slope[i], slope[i + 1]);
        out[i] = carried(mass(flow.0[i], flow.1[i]), (before[i], here[i]), slope);
    }
    out
}

/// Columns before the first of the tile in a row of [`ALL`].
const WEST: usize = 8;

/// New discharges over west faces of a row.
#[inline(always)]
fn discharge_x<const SLOPES: bool>(
    tile: &Padded,
    row: i32,
    params: &FaceParams,
    memory: &Memory,
    out: &mut [f32; 64],
    sums: &mut ColumnSums,
) {
    let before: &[f32; ALL] = part(&tile.flow_x, FIRST - 1, row);
    let here: &[f32; ALL] = part(&tile.flow_x, FIRST, row);
    let after: &[f32; ALL] = part(&tile.flow_x, FIRST + 1, row);
    let east: &[i32; ALL] = part(&tile.transfer_x, FIRST, row);
    let west: &[i32; ALL] = part(&tile.transfer_x, FIRST - 1, row);
    // Over the centre of the cell before face i.
    let centres = carried_along::<SLOPES>((before, here, after), (west, east));
    let moved: &[i32; 66] = part(&tile.transfer_x, -1, row);
    let south: &[i32; 65] = part(&tile.transfer_y, -1, row);
    let north: &[i32; 65] = part(&tile.transfer_y, -1, row + 1);
    let faces = Faces::of(tile, Axis::X, row);
    for i in 0..64 {
        let c = here[WEST + i];
        let gained = mass(moved[i], moved[i + 1]) * (centres[WEST + i] - c)
            - mass(moved[i + 1], moved[i + 2]) * (centres[WEST + i + 1] - c)
            + mass(south[i], south[i + 1]) * (memory.corners[0][i] - c)
            - mass(north[i], north[i + 1]) * (memory.corners[1][i] - c);
        let face = faces.advance(i, c, gained, params);
        out[i] = face.q;
        sums.add(Axis::X, i, &face);
    }
}

/// New discharges over south faces of a row.
#[inline(always)]
fn discharge_y<const SLOPES: bool>(
    tile: &Padded,
    row: i32,
    params: &FaceParams,
    memory: &Memory,
    out: &mut [f32; 64],
    sums: &mut ColumnSums,
) {
    let before: &[f32; ALL] = part(&tile.flow_y, FIRST - 1, row);
    let here: &[f32; ALL] = part(&tile.flow_y, FIRST, row);
    let after: &[f32; ALL] = part(&tile.flow_y, FIRST + 1, row);
    let south_x: &[i32; ALL] = part(&tile.transfer_x, FIRST, row - 1);
    let north_x: &[i32; ALL] = part(&tile.transfer_x, FIRST, row);
    // Over the corner at the west end of face i.
    let corners = carried_along::<SLOPES>((before, here, after), (south_x, north_x));
    let south: &[i32; 64] = part(&tile.transfer_y, 0, row - 1);
    let moved: &[i32; 64] = part(&tile.transfer_y, 0, row);
    let north: &[i32; 64] = part(&tile.transfer_y, 0, row + 1);
    let faces = Faces::of(tile, Axis::Y, row);
    for i in 0..64 {
        let c = here[WEST + i];
        let column = WEST + i;
        let gained = mass(south[i], moved[i]) * (memory.centres[0][i] - c)
            - mass(moved[i], north[i]) * (memory.centres[1][i] - c)
            + mass(south_x[column], north_x[column]) * (corners[column] - c)
            - mass(south_x[column + 1], north_x[column + 1]) * (corners[column + 1] - c);
        let face = faces.advance(i, c, gained, params);
        out[i] = face.q;
        sums.add(Axis::Y, i, &face);
    }
}

/// What a row of faces reads beside velocities and transfers.
struct Faces<'a> {
    bed: [&'a [i32; 64]; 2],
    depth: [&'a [i32; 64]; 2],
    roughness: [&'a [f32; 64]; 2],
    /// Velocities of the four faces across.
    across: [&'a [f32; 64]; 4],
}

impl<'a> Faces<'a> {
    #[inline(always)]
    fn of(tile: &'a Padded, axis: Axis, row: i32) -> Self {
        let (flow, column, below, far) = match axis {
            Axis::X => (&tile.flow_y, -1, row, (-1, row + 1)),
            Axis::Y => (&tile.flow_x, 0, row - 1, (1, row - 1)),
        };
        Self {
            bed: [part(&tile.bed, column, below), part(&tile.bed, 0, row)],
            depth: [part(&tile.depth_new, column, below), part(&tile.depth_new, 0, row)],
            roughness: [part(&tile.roughness, column, below), part(&tile.roughness, 0, row)],
            across: [
                part(flow, column, below),
                part(flow, 0, row),
                part(flow, far.0, far.1),
                part(flow, far.0 - column, far.1 + row - below),
            ],
        }
    }

    /// Eq. (3) and what follows, for the face in column `i` with velocity `c`, cells a step, that
    /// gained `gained` units times cells a step.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
    fn advance(&self, i: usize, c: f32, gained: f32, params: &FaceParams) -> Face {
        let (bed_l, bed_r) = (self.bed[0][i], self.bed[1][i]);
        let (depth_l, depth_r) = (self.depth[0][i], self.depth[1][i]);
        let (eta_l, eta_r) = (add(bed_l, depth_l), add(bed_r, depth_r));
        let opening = sub(eta_l.max(eta_r), bed_l.max(bed_r));
        let rise = sub(eta_r, eta_l);
        let here = FlowDepth::of(opening, params);
        let FlowDepth { h_f, root, per_depth, a_free, slowness, .. } = here;

        let volume = maths::max(depth_l as f32 + depth_r as f32, 1.0);
        let memory = (c + gained / volume) * params.speed_max;
        let memory = if h_f >= limits::DEPTH_DRY_M { memory } else { 0.0 };
        let pull = if a_free > params.gravity_most {
            params.gravity_most * per_depth
        } else {
            params.gravity_ratio
        };
        let star = memory - pull * (rise as f32 * params.unit_m);

        let [near_l, near_r, far_l, far_r] = self.across;
        let u = c * params.speed_max;
        let v = (near_l[i] + near_r[i]) + (far_l[i] + far_r[i]);
        let v = (0.25 * params.speed_max) * v;
        let n2 = 0.5 * (self.roughness[0][i] + self.roughness[1][i]);
        let k = params.friction * slowness * n2 * (per_depth * root);
        let v_star = v * (1.0 + k * (u * u + v * v).sqrt());
        let total = (star * star + v_star * v_star).sqrt();
        let u = 2.0 * star / (1.0 + (1.0 + 4.0 * k * total).sqrt());

        // Off a step whose foot is dry or drowned below its edge, water leaves critical.
        let step = sub(bed_l.max(bed_r), eta_l.min(eta_r));
        let slope = step.max(0) as f32 * params.slope_of_unit;
        let free = (params.gravity * h_f).sqrt() * froude_most(slope);
        let u_free = if slope > limits::FALL { free } else { params.speed_max };
        let u_most = params.courant_most(opening) * params.speed_max;
        here.finish(u * h_f, u.abs(), (u_free * h_f, u_most), rise, params)
    }
}
