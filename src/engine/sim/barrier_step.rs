//! Faces of barriers in the step of a leaf.
//!
//! Before the kernel every leaf that reads such a face gets the transfer that crosses it: the
//! rounded transfer of the discharge on the face, limited to a quarter of the donor's water, so
//! that its four faces never take more. After the kernel the leaf that owns the face replaces the
//! kernel's discharge by that of the barrier's law, and checks again whether the leaf is idle.

use crate::flow::face::FaceSummary;
use crate::flow::params::StepParams;
use crate::flow::transfer::{Dither, scaled};
use crate::grid::cells::column_row;
use crate::grid::{Axis, LeafId};
use crate::sim::barriers::{CellAt, ClosedFace, FaceView};
use crate::sim::leaf::StepContext;
use crate::sim::params::Params;
use crate::sim::quiet::{Quiet, new_face};
use crate::structure::aperture::{Aperture, ApertureSides, OpeningFlow};
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::{Padded, STRIDE, index};
use crate::tile::{Ground, Water};
use crate::units::{CEILING, OUTSIDE, limits, maths};

/// Parts of a cell's water that its faces may take, one each.
const FACES_OF_CELL: i32 = 4;

impl StepContext<'_> {
    /// Gives the step of a leaf the transfers over the faces of barriers that it reads.
    pub(super) fn set_transfers(&self, views: &[FaceView], faces: &mut InterfaceFaces) {
        for at in views {
            let moved = at.face.map_or(0, |face| self.transfer(self.barriers.face(face)).made);
            [&mut faces.x, &mut faces.y][at.axis].set(at.column, at.row, moved, moved);
        }
    }

    /// Returns the transfer of the discharge over a face in this step.
    fn transfer(&self, face: &ClosedFace) -> Transfer {
        let (leaf, cell) = (face.behind.0, usize::from(face.behind.1));
        let q = flow_of(&self.leaves.water[leaf], face.face.axis)[cell];
        if q == 0.0 {
            return Transfer::default();
        }
        let key = self.leaves.forest.leaves()[leaf];
        let corner = key.corner();
        // The draw depends on the place in the world, as in the kernels, so all leaves that read
        // the face compute the same integer.
        let dither = Dither::new(
            self.params.settings.seed,
            key.level,
            corner.x,
            corner.y,
            self.start.ticks(),
        );
        let (column, row) = column_row(cell);
        let axis = face.face.axis;
        let x = q * self.step.units_per_flow;
        let wanted = dither.round_face(axis, column.cast_signed(), row.cast_signed(), x);
        let (from, to) =
            if wanted > 0 { (face.before, face.behind) } else { (face.behind, face.before) };
        let (donor, taker) = (self.at(from), self.at(to));
        let stands = (donor.stage - self.lowest(face)).max(0);
        let most = (donor.depth / FACES_OF_CELL).min(stands);
        let room = (CEILING - taker.stage).max(0) / (FACES_OF_CELL * taker.rise);
        let moved = wanted.abs().min(most).min(room);
        Transfer { proposed: wanted, made: moved * wanted.signum() }
    }

    /// Returns the stage above which water passes a face.
    pub(super) fn lowest(&self, face: &ClosedFace) -> i32 {
        let dry = |(leaf, cell): CellAt| self.leaves.grounds[leaf].dry_stage(usize::from(cell));
        let ground = dry(face.before).max(dry(face.behind));
        face.strips.iter().map(|strip| strip.lowest(ground)).min().unwrap_or(CEILING)
    }

    /// Returns a cell at the start of the step.
    fn at(&self, (leaf, cell): CellAt) -> Donor {
        let (leaf, cell) = (leaf, usize::from(cell));
        let depth = self.leaves.water[leaf].depth[cell];
        let surface = self.leaves.grounds[leaf].surface(cell, depth);
        // Rounded up: a smaller rise would let the stage pass the ceiling.
        #[expect(clippy::cast_possible_truncation, reason = "10⁶ at most")]
        let rise = surface.slope.min(1.0e6) as i32 + 1;
        Donor { depth, stage: surface.stage, rise }
    }

    /// Replaces the kernel's discharges by those of barriers, once the step of a leaf is done. If
    /// `looks` is set, checks all faces of the leaf again: the kernel took the faces of barriers
    /// for open.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub(super) fn set_discharges(
        &self,
        leaf: LeafId,
        views: &[FaceView],
        (padded, new): (&mut Padded, &mut Water),
        looks: bool,
    ) -> FaceSummary {
        let mut summary = FaceSummary::default();
        for at in views {
            let Some(cell) = at.own_cell() else {
                // A finer leaf closes its far sides to coarser ones.
                match (at.axis, at.column, at.row) {
                    (Axis::X, 64, row @ 0..64) => padded.east[row.unsigned_abs() as usize] = 0.0,
                    (Axis::Y, column @ 0..64, 64) => {
                        padded.north[column.unsigned_abs() as usize] = 0.0;
                    }
                    _ => {}
                }
                continue;
            };
            let q = at.face.map_or(0.0, |face| {
                let through = self.discharge(self.barriers.face(face), padded, cell);
                let pace = self.params.pace(f64::from(through.speed), f64::from(through.depth));
                summary.pace_max = maths::max(summary.pace_max, pace as f32);
                summary.is_active |= is_fast(through.speed, through.depth, self.step);
                through.q
            });
            [&mut new.flow_x, &mut new.flow_y][at.axis][cell] = q;
        }
        if looks {
            let ground = &self.leaves.grounds[leaf];
            look(&mut summary, (ground, views), (padded, new), (self.step, self.params));
        }
        summary
    }

    /// Returns true if more than the tolerance of sleep allows passes a face of a barrier in a leaf
    /// that was just stepped.
    pub(super) fn is_passing(&self, quiet: &Quiet, at: &FaceView, padded: &Padded) -> bool {
        let Some((face, cell)) = at.face.zip(at.own_cell()) else { return false };
        let BarrierFaceFlow { speed, deepest, fall, .. } =
            self.discharge(self.barriers.face(face), padded, cell);
        let deepest_m = f64::from(deepest) * self.params.unit_m;
        quiet.is_passing(speed.into(), deepest_m, fall.into())
    }

    /// Returns the new discharge over a face of a barrier.
    fn discharge(&self, face: &ClosedFace, padded: &Padded, cell: usize) -> BarrierFaceFlow {
        let (leaf, axis) = (face.behind.0, face.face.axis);
        let (column, row) = column_row(cell);
        let behind = index(column.cast_signed(), row.cast_signed());
        let before = behind - [1, STRIDE][axis];
        let ground = &self.leaves.grounds[leaf];
        let stages = [before, behind].map(|at| stage_new(ground, padded, at));
        let beds = [before, behind].map(|at| padded.bed[at]);
        if beds.contains(&OUTSIDE) {
            // A solid covers the face: its passages include the barrier.
            return BarrierFaceFlow::default();
        }
        let (high, sign) = if stages[0] >= stages[1] { (0, 1.0) } else { (1, -1.0) };
        let unit = self.step.face.unit_m;
        // Between columns with tables: the lowest ground along the face, and the part of its width
        // that is as low.
        let (base, width) = match &ground.columns {
            None => (beds[0].max(beds[1]), 1.0),
            Some(columns) => {
                let sill = padded.columns.sill[axis][behind];
                let stage = stages[0].max(stages[1]);
                (sill, part_of(columns.faces[axis].at(cell, stage).area, stage - sill))
            }
        };
        #[expect(clippy::cast_precision_loss, reason = "heights over the ground beside them")]
        let over = |units: i32| units.saturating_sub(base) as f32 * unit;
        let sides = ApertureSides {
            stage: [high, 1 - high].map(|at| over(stages[at])),
            bed: match ground.columns {
                None => [high, 1 - high].map(|at| over(beds[at])),
                Some(_) => [0.0; 2],
            },
        };
        let law = &self.barriers.barrier(face).law;
        let (mut all, mut deepest) = (OpeningFlow::default(), 0);
        for strip in &face.strips {
            let sill = strip.sill.unwrap_or(base);
            let lip = sill.saturating_add(strip.open);
            deepest = deepest.max(strip.depth_at(stages[high], base));
            let [sill, lip, crest] = [sill, lip, strip.crest].map(over);
            let aperture = Aperture { sill, lip, crest };
            all = all.and(&aperture.over(&sides, law).times(strip.part));
            all = all.and(&aperture.through(&sides, law).times(strip.part * width));
        }
        if all.area <= 0.0 {
            return BarrierFaceFlow::default();
        }
        let before_step = flow_of(&self.leaves.water[leaf], axis)[cell];
        let Transfer { proposed, made } = self.transfer(face);
        let q = scaled(before_step, proposed, made);
        let constants = &self.step.face;
        // Beyond the step's Courant number time runs slower here, as at any face.
        let slow = maths::min(1.0, constants.gravity_most / (all.area * constants.gravity_ratio));
        let root = maths::inverse_cube_root(all.area);
        let drag = root * root * root * root * root * root * root; // h^(−7/3)
        let n2 = 0.5 * (padded.roughness[before] + padded.roughness[behind]);
        let k = constants.friction * n2 * drag * slow;
        let q = all.advance(q, sign, constants.gravity_ratio * slow, k);
        let q = if self.step.fluid.is_none() {
            q
        } else {
            let resistance = self.step.fluid.to_velocity(all.area, slow, 0.0);
            resistance.of_discharge(all.area).slowed(q, 0.0).0 + 0.0
        };
        let deep = over(stages[high].max(base));
        let most = maths::min(all.area, deep) * constants.speed_max;
        let q = maths::max(-most, maths::min(q, most));
        let fall = (stages[0] - stages[1]).abs();
        BarrierFaceFlow { q, speed: q.abs() / all.area, depth: all.area, deepest, fall }
    }
}

/// Returns an opening as a part of the opening over level ground.
#[expect(clippy::cast_precision_loss, reason = "a part")]
fn part_of(open: i32, whole: i32) -> f32 {
    if whole <= 0 { 0.0 } else { maths::min(1.0, open.max(0) as f32 / whole as f32) }
}

/// Transfer over a face in a step, vertical units.
#[derive(Debug, Clone, Copy, Default)]
struct Transfer {
    /// Transfer that the discharge proposes.
    proposed: i32,
    /// Transfer that the donor and the taker allow.
    made: i32,
}

/// Flow through the opening of a face.
#[derive(Debug, Clone, Copy, Default)]
struct BarrierFaceFlow {
    /// Unit discharge, m²/s.
    q: f32,
    /// Speed, m/s.
    speed: f32,
    /// Depth, m: the area over the width of the face.
    depth: f32,
    /// Largest depth of water in an opening or over a crest, vertical units.
    deepest: i32,
    /// Difference of the stages on both sides, vertical units.
    fall: i32,
}

/// A cell that gives or takes.
struct Donor {
    depth: i32,
    stage: i32,
    /// At least how much its stage rises with its depth.
    rise: i32,
}

/// Returns the discharges over the west or south faces.
fn flow_of(water: &Water, axis: Axis) -> &[f32] {
    [&water.flow_x, &water.flow_y][axis]
}

/// Returns the stage of a cell of a padded tile at the end of the step.
fn stage_new(ground: &Ground, padded: &Padded, at: usize) -> i32 {
    match ground.columns {
        Some(_) => padded.columns.stage_new[at],
        None => padded.bed[at] + padded.depth_new[at],
    }
}

/// Returns true if flow of a speed is too fast to sleep.
fn is_fast(speed: f32, depth: f32, params: &StepParams) -> bool {
    let face = &params.face;
    let slow = maths::max(depth * face.damping_wave, face.damping_noise / maths::max(depth, 1e-9));
    // Squared: faster than half of the speed below which the kernels damp.
    depth >= limits::DEPTH_DRY_M && speed * speed * 4.0 > slow
}

/// Looks at all faces of a leaf but those of barriers.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn look(
    summary: &mut FaceSummary,
    (ground, views): (&Ground, &[FaceView]),
    (padded, new): (&Padded, &Water),
    (step, params): (&StepParams, &Params),
) {
    for (cell, is_barred) in FaceView::own_faces(views).iter().enumerate() {
        let (column, row) = column_row(cell);
        let behind = index(column.cast_signed(), row.cast_signed());
        let (mut speed, mut deepest) = (0.0_f32, 0.0_f32);
        for axis in Axis::ALL {
            if is_barred[axis] {
                continue;
            }
            let before = behind - [1, STRIDE][axis];
            let (here, rise) = new_face(ground, padded, (axis, before, behind), &step.face);
            if here.opening <= 0 {
                continue;
            }
            let u = flow_of(new, axis)[cell].abs() * here.per_depth;
            let held = match step.fluid.is_none() {
                true => 0,
                false => step.fluid.held_fall(here.flowing, &step.face),
            };
            let is_rough = rise.abs() > limits::SLEEP_STAGE_DIFFERENCE.saturating_add(held);
            let is_deep = here.h_f >= limits::DEPTH_DRY_M;
            summary.is_active |= is_deep && (is_rough || is_fast(u, here.h_f, step));
            deepest = maths::max(deepest, here.waving);
            speed += u;
        }
        summary.flow_depth_max = maths::max(summary.flow_depth_max, deepest);
        let pace = params.pace(f64::from(speed), f64::from(deepest));
        summary.pace_max = maths::max(summary.pace_max, pace as f32);
    }
}
