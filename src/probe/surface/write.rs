//! Writing leaves into the planes of a window: bed, depth, stage of wet cells, velocity.

use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::sum::CellSum;
use crate::probe::surface::SurfaceState;
use crate::probe::surface::parts::{LaidGround, NO_SPAN, SurfacePart, WetSpan};
use crate::probe::surface::piece::WrittenPiece;
use crate::probe::surface::planes::Slab;
use crate::probe::{Query, Window};
use std::cmp::Ordering;
use std::ops::Range;
use thalweg_engine::grid::{LeafId, TILE_WIDTH};
use thalweg_engine::units::OUTSIDE;

impl Slab<'_> {
    /// Writes a piece of a part. The cursor serves pieces one after another.
    pub(super) fn write<'a>(
        &mut self,
        state: &SurfaceState<'a>,
        window: &Window,
        part: &SurfacePart,
        piece: &mut WrittenPiece,
        cursor: &mut Option<Cursor<'a>>,
    ) {
        match part.key.level.cmp(&window.level) {
            Ordering::Equal => self.write_same(state, window, part, piece),
            Ordering::Less => self.write_finer(state, window, part, piece),
            Ordering::Greater if state.is_seen_through(part.first(), window) => {
                let new = || Cursor::of_leaves(state.query, part.first(), DischargeNeed::Wanted);
                self.write_below(state, window, part, piece, cursor.get_or_insert_with(new));
            }
            Ordering::Greater => self.write_coarser(state, window, part, piece),
        }
    }
}

/// Rows of the planes between two columns.
struct PlaneRows<'a> {
    depth_m: &'a mut [f32],
    stage_m: &'a mut [f32],
    velocity: [&'a mut [f32]; 2],
}

impl Slab<'_> {
    /// Writes a leaf of the window's level.
    fn write_same(
        &mut self,
        state: &SurfaceState<'_>,
        window: &Window,
        part: &SurfacePart,
        piece: &mut WrittenPiece,
    ) {
        let (query, leaf) = (&state.query, part.first());
        let (ground, depth) = (query.leaves.ground(leaf), query.depth(leaf));
        let planes = query.velocities(leaf);
        let velocity = planes.each_ref();
        let area = piece.area;
        let (from, corner) = (window.corner.indices(), part.key.corner().indices());
        let column = from[0] + area.x[0] - corner[0];
        let first = from[1] + area.y[0] - corner[1];
        let width = area.x[1] - area.x[0];
        let has_bed = !piece.lay(LaidGround::bed_of(ground));
        for (row, y) in (area.y[0]..area.y[1]).enumerate() {
            let from = (first + row) * TILE_WIDTH + column;
            let to = self.row(y) + area.x[0];
            let bed = &ground.bed[from..from + width];
            if !has_bed {
                write_bed(&mut self.bed_m[to..to + width], bed, query);
            }
            // Films too: they are written dry.
            let [now, before] = [span_of(&depth[from..from + width]), part.spans[row]];
            piece.held[row] = now;
            let span = piece.widen(row, [now[0].min(before[0]), now[1].max(before[1])]);
            let (out, cells) = (to + span.start..to + span.end, from + span.start..from + span.end);
            let [east, north] = &mut self.velocity;
            let rows = PlaneRows {
                depth_m: &mut self.depth_m[out.clone()],
                stage_m: &mut self.stage_m[out.clone()],
                velocity: [&mut east[out.clone()], &mut north[out]],
            };
            let velocity = velocity.map(|plane| &plane[cells.clone()]);
            if ground.columns.is_some() {
                rows.write_columns(state, leaf, cells, velocity);
            } else {
                rows.write_flat(state, &ground.bed[cells.clone()], &depth[cells], velocity);
            }
        }
    }

    /// Writes one cell made from several: true if it is or was wet. Notes whether its bed has
    /// changed.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub(super) fn write_cell(
        &mut self,
        at: usize,
        state: &SurfaceState<'_>,
        (sum, depth): (&CellSum, f64),
        has_new_bed: &mut bool,
    ) -> bool {
        let query = &state.query;
        let bed_m = sum.bed_mean().map_or(f32::NAN, |bed| query.elevation_m(bed) as f32);
        // By bits, because NaN is not equal to itself.
        *has_new_bed |= self.bed_m[at].to_bits() != bed_m.to_bits();
        self.bed_m[at] = bed_m;
        let was_wet = self.depth_m[at] > 0.0;
        let depth_m = (depth * query.scale.unit_m()) as f32;
        let stage = sum.stage_mean().filter(|_| depth_m > 0.0 && !bed_m.is_nan());
        if stage.is_none() && !was_wet {
            return false;
        }
        self.depth_m[at] = if stage.is_some() { depth_m } else { 0.0 };
        self.stage_m[at] = stage.map_or(f32::NAN, |stage| query.elevation_m(stage) as f32);
        let velocity = if stage.is_some() { query.velocity(sum) } else { [0.0; 2] };
        for (plane, velocity) in self.velocity.iter_mut().zip(velocity) {
            plane[at] = velocity as f32;
        }
        true
    }
}

impl PlaneRows<'_> {
    /// Writes cells of flat columns.
    fn write_flat(
        self,
        state: &SurfaceState<'_>,
        bed: &[i32],
        depth: &[i32],
        velocity: [&[f32]; 2],
    ) {
        let [east, north] = self.velocity;
        flat_row(&state.query, [bed, depth], self.depth_m, self.stage_m);
        moving_row(state.query.wet, depth, velocity[0], east);
        moving_row(state.query.wet, depth, velocity[1], north);
    }

    /// Writes cells of sub-grid columns.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn write_columns(
        self,
        state: &SurfaceState<'_>,
        leaf: LeafId,
        cells: Range<usize>,
        velocity: [&[f32]; 2],
    ) {
        let query = &state.query;
        let (ground, depth) = (query.leaves.ground(leaf), query.depth(leaf));
        let [east_m_s, north_m_s] = self.velocity;
        for (i, cell) in cells.enumerate() {
            let is_wet = query.is_wet(leaf, cell);
            let stage = || f64::from(ground.stage(cell, depth[cell]));
            let depth = if is_wet { query.scale.depth_m(depth[cell]) } else { 0.0 };
            self.depth_m[i] = depth as f32;
            self.stage_m[i] = if is_wet { query.elevation_m(stage()) as f32 } else { f32::NAN };
            east_m_s[i] = if is_wet { velocity[0][i] } else { 0.0 };
            north_m_s[i] = if is_wet { velocity[1][i] } else { 0.0 };
        }
    }
}

/// Writes depth and stage of flat columns, m. Not inlined: only between arguments does the compiler
/// see that slices do not overlap, and then it vectorises.
#[inline(never)]
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn flat_row(query: &Query<'_>, water: [&[i32]; 2], depth_m: &mut [f32], stage_m: &mut [f32]) {
    let wet = query.wet;
    let (datum_m, unit_m) = (query.scale.datum_m(), query.scale.unit_m());
    let count = depth_m.len();
    let (bed, depth, stage_m) = (&water[0][..count], &water[1][..count], &mut stage_m[..count]);
    for i in 0..count {
        let is_wet = depth[i] >= wet;
        let stage = (datum_m + f64::from(bed[i].wrapping_add(depth[i])) * unit_m) as f32;
        // The unit is a power of two, so this rounds as a product in `f64` would.
        depth_m[i] = if is_wet { depth[i] as f32 * unit_m as f32 } else { 0.0 };
        stage_m[i] = if is_wet { stage } else { f32::NAN };
    }
}

/// Writes velocities of a row of cells, in a function of its own for the same reason.
#[inline(never)]
fn moving_row(wet: i32, depth: &[i32], velocity: &[f32], out: &mut [f32]) {
    let count = out.len();
    let (depth, velocity) = (&depth[..count], &velocity[..count]);
    for i in 0..count {
        let here = velocity[i];
        out[i] = if depth[i] >= wet { here } else { 0.0 };
    }
}

/// Writes a row of beds, m.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
pub(super) fn write_bed(bed_m: &mut [f32], bed: &[i32], query: &Query<'_>) {
    let (datum_m, unit_m) = (query.scale.datum_m(), query.scale.unit_m());
    for (bed_m, bed) in bed_m.iter_mut().zip(bed) {
        let metres = (datum_m + f64::from(*bed) * unit_m) as f32;
        *bed_m = if *bed == OUTSIDE { f32::NAN } else { metres };
    }
}

/// Returns the span from the first to before the last block of cells that has water.
fn span_of(depth: &[i32]) -> WetSpan {
    const BLOCK: u8 = 8;
    let mut span = NO_SPAN;
    let mut from = 0;
    for depth in depth.chunks(usize::from(BLOCK)) {
        // No depth is negative: the union of the bits is above 0 if any depth is.
        if depth.iter().fold(0, |any, depth| any | depth) > 0 {
            let cells = u8::try_from(depth.len()).expect("8 at most");
            span = [span[0].min(from), from + cells];
        }
        from += BLOCK;
    }
    span
}
