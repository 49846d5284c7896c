//! Walls: the velocity of the half of a cell that lies beside one.
//!
//! ```text
//!   · n ·     h½   the half of a cell beside a closed face
//! o→ h½ ▓     û    = (Σ in u + max(0, Σ out − Σ in) u_f) / max(Σ in, Σ out)
//!   · s ·     in, out   discharges through the middle of the cell (o), through both ends of the
//!                       half (s, n), and over the face itself where a film runs down the wall;
//!             u_f  velocity over the face: of the film, or 0
//! ```
//!
//! Momentum lives on faces, and a closed face has none. A bank or a house at an angle to the grid
//! is a staircase: at each stair water runs in by one face and out by the next, through the half of
//! a cell beside a closed face. With a velocity of 0 there each stair stops the water: a dam break
//! along a channel at 45°, five cells across, brings half as much down the valley as one along the
//! grid. So the half passes on what it is given: û is carried in place of the face's own velocity.
//! Along a straight wall there is nothing to pass on.
//!
//! Water that comes through an end of the half has the velocity of the face beside; where that is
//! closed too, and so is the other end, that of the other face there, so that stairs of several
//! cells pass on as well. Each discharge is a velocity times the depth where it comes from.
//!
//! Figures, and what else was tried: `src/guide/decisions/walls.md`.
//!
//! Guarantees: û is no faster than the fastest of what comes in and of the film; still water gives
//!             0 (`no_wall_makes_a_velocity`).
//! Limits:     between two deep cells, as at the two sides of a levee, nothing is passed on, nor in
//!             water shallower than a 256th of a cell, which natural ground stops within a part of
//!             one.
//! Source:     own. Cases: `accuracy.channel.walls`, `accuracy.channel.banks`.

use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{Padded, STRIDE};
use crate::units::maths;

/// Two columns and the ground between them, vertical units.
#[derive(Debug, Clone, Copy)]
pub struct ColumnPair {
    /// Depths.
    pub depths: [i32; 2],
    /// Stages.
    pub stages: [i32; 2],
    /// Ground that water must rise above to pass, at its lowest.
    pub sill: i32,
}

impl ColumnPair {
    /// The columns before and behind the west or south face of the padded cell `face`.
    #[inline(always)]
    pub fn of<const COLUMNS: bool>(tile: &Padded, axis: Axis, face: usize) -> Self {
        let cells = [face - step_along(axis), face];
        let (depths, beds) = (cells.map(|cell| tile.depth[cell]), cells.map(|cell| tile.bed[cell]));
        if COLUMNS {
            let stages = cells.map(|cell| tile.columns.stage[cell]);
            return Self { depths, stages, sill: tile.columns.sill[axis][face] };
        }
        let stages = [add(beds[0], depths[0]), add(beds[1], depths[1])];
        Self { depths, stages, sill: beds[0].max(beds[1]) }
    }

    /// Whether the face is a wall beside the deeper column, of `least` units or more: closed, but
    /// for a film on ground that the deeper water does not reach. So rain on its banks does not
    /// stop a river.
    #[inline(always)]
    #[must_use]
    pub fn is_wall(&self, least: i32) -> bool {
        let [before, behind] = self.depths;
        let (film, deep) = (before.min(behind), before.max(behind));
        let stage = if before > behind { self.stages[0] } else { self.stages[1] };
        (stage <= self.sill) & (film < deep >> FILM_LOG2) & (deep >= least)
    }

    /// Whether nothing passes, or but a film beside deeper water.
    fn is_closed(&self) -> bool {
        self.is_wall(0) || self.stages[0].max(self.stages[1]) <= self.sill
    }
}

/// The step from a padded cell to the one behind it.
#[inline(always)]
fn step_along(axis: Axis) -> usize {
    match axis {
        Axis::X => 1,
        Axis::Y => STRIDE,
    }
}

/// A film on a wall is at most an eighth as deep as the water beside it.
const FILM_LOG2: u32 = 3;

/// Water that runs into the half of a cell beside a wall, or out of it: the discharge, velocity
/// times the depth where it comes from, in m/s times vertical units, and the velocity it brings.
type Stream = (f32, f32);

/// Streams about the half of a cell beside a wall.
#[derive(Debug, Clone, Copy)]
pub struct HalfCell {
    /// Velocity over the wall, of a film, m/s.
    own: f32,
    /// Through the middle of the cell, over the low and the high end of the half, over the wall.
    streams: [Stream; 4],
}

impl HalfCell {
    /// That of the deeper cell beside the west or south face of the padded cell `face`, which is a
    /// wall. The planes of flows hold velocities.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
    pub fn beside_wall<const COLUMNS: bool>(tile: &Padded, axis: Axis, face: usize) -> Self {
        let between = ColumnPair::of::<COLUMNS>(tile, axis, face);
        let (along, other_axis) = (step_along(axis), axis.across());
        let side = step_along(other_axis);
        let (flow, across) = match axis {
            Axis::X => (&tile.flow_x, &tile.flow_y),
            Axis::Y => (&tile.flow_y, &tile.flow_x),
        };
        let is_closed = |axis, face| ColumnPair::of::<COLUMNS>(tile, axis, face).is_closed();
        let depth = |cell: usize| tile.depth[cell] as f32;
        // The cell, its other face on the axis, the cell beyond that, and the way into the half
        // over the wall.
        let [before, behind] = between.depths;
        let (cell, opposite, beyond, inward) = match behind > before {
            true => (face, face + along, face + along, 1.0),
            false => (face - along, face - along, face - 2 * along, -1.0),
        };
        // With its velocity into the half and the depth of the water that it would come from.
        let stream = |into: f32, from: f32, velocity: f32| {
            (into * if into > 0.0 { from } else { depth(cell) }, velocity)
        };
        let over_end = |into: f32, from: usize, other: usize, step: fn(usize, usize) -> usize| {
            let beside = step(face, side);
            // What leaves brings no velocity.
            let is_corner = into > 0.0 && is_closed(other_axis, other);
            let from_opposite = is_corner && is_closed(axis, beside);
            let place = if from_opposite { step(opposite, side) } else { beside };
            stream(into, depth(from), flow[place])
        };
        let opening = if COLUMNS {
            tile.columns.open[axis][face]
        } else {
            sub(between.stages[0].max(between.stages[1]), between.sill)
        };
        let opening = opening.max(0);
        let streams = [
            stream(-inward * flow[opposite], depth(beyond), flow[opposite]),
            over_end(across[cell], cell - side, cell + side, |at, side| at - side),
            over_end(-across[cell + side], cell + side, cell, |at, side| at + side),
            (inward * flow[face] * opening as f32, flow[face]),
        ];
        Self { own: flow[face], streams }
    }

    /// û, m/s.
    #[inline(always)]
    #[must_use]
    pub fn passed_on(&self) -> f32 {
        let (mut gained, mut comes, mut leaves) = (0.0, 0.0, 0.0);
        for (discharge, velocity) in self.streams {
            let coming = maths::max(discharge, 0.0);
            gained += coming * velocity;
            comes += coming;
            leaves += maths::max(-discharge, 0.0);
        }
        gained += maths::max(leaves - comes, 0.0) * self.own;
        maths::flush(gained / maths::max(maths::max(comes, leaves), maths::FLOW_LEAST))
    }
}

/// Velocity that the west or south face of a padded cell passes on, m/s; 0 where it is no wall
/// beside a column of `least` units or more.
#[must_use]
pub fn passed_on_by<const COLUMNS: bool>(
    tile: &Padded,
    axis: Axis,
    face: usize,
    least: i32,
) -> f32 {
    let is_wall = ColumnPair::of::<COLUMNS>(tile, axis, face).is_wall(least);
    if is_wall { HalfCell::beside_wall::<COLUMNS>(tile, axis, face).passed_on() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::padded::index;
    use crate::units::hash::scramble;

    /// The closed faces of the stair, of cell (9, 9): to the east and to the south.
    const WALLS: [(Axis, (i32, i32)); 2] = [(Axis::X, (10, 9)), (Axis::Y, (9, 9))];

    fn beside(tile: &Padded, axis: Axis, face: (i32, i32)) -> HalfCell {
        HalfCell::beside_wall::<false>(tile, axis, index(face.0, face.1))
    }

    /// A stair: water up to column 8, and up to column 9 from row 9 on; ground with a film of this
    /// depth elsewhere. Velocities over the west and south faces of cells (8…10, 8…10), m/s.
    fn stair(flows: [[f32; 2]; 9], film: i32) -> Padded {
        let mut tile = Padded::new();
        for (x, y) in (7..12).flat_map(|x| (7..12).map(move |y| (x, y))) {
            let is_water = x <= 9 && y >= 9 || x <= 8;
            tile.bed[index(x, y)] = if is_water { 0 } else { 5000 };
            tile.depth[index(x, y)] = if is_water { 1000 } else { film };
        }
        let places = (8..11).flat_map(|y| (8..11).map(move |x| index(x, y)));
        for (at, [u, v]) in places.zip(flows) {
            (tile.flow_x[at], tile.flow_y[at]) = (u, v);
        }
        tile
    }

    /// Goal: a stair hands the whole of a flow at 45° on. Method: water comes in from the west and
    /// leaves to the north; what stands beside the walls to the east and south of the cell.
    #[test]
    fn a_stair_passes_on_what_runs_along_it() {
        let (none, in_and_out) = ([0.0, 0.0], [2.0, 0.0]);
        let mut flows = [none; 9];
        // Into cell (9, 9) from the west; out of it to the north; cell (8, 9) gets its water from
        // the south.
        (flows[4], flows[7], flows[3]) = (in_and_out, [0.0, 2.0], [0.0, 2.0]);
        let tile = stair(flows, 0);
        let passed_on = WALLS.map(|(axis, face)| beside(&tile, axis, face).passed_on());
        assert_eq!(passed_on.map(f32::to_bits), [2.0_f32; 2].map(f32::to_bits));
    }

    /// Goal: what a wall passes on is a velocity that counts, or none. Method: little water comes
    /// in slowly, much leaves fast; nothing runs at all.
    #[test]
    fn a_wall_passes_on_no_velocity_too_small_to_count() {
        for (comes, leaves) in [(1.0e-9, 2.0), (-1.0e-9, 2.0), (1.0e-12, 1.0), (-0.0, 0.0)] {
            let mut flows = [[0.0; 2]; 9];
            (flows[4], flows[7]) = ([comes, 0.0], [0.0, leaves]);
            let tile = stair(flows, 0);
            let passed_on = WALLS.map(|(axis, face)| beside(&tile, axis, face).passed_on());
            assert_eq!(passed_on.map(f32::to_bits), [0; 2], "{comes} in, {leaves} out");
        }
    }

    /// Goal: no velocity is made beside walls. Method: random velocities about a stair; û lies
    /// within those that come in, and is 0 where none does.
    #[test]
    fn no_wall_makes_a_velocity() {
        for seed in 0..100_000_u64 {
            let random = |i: u64| {
                let bits = scramble(seed * 18 + i);
                if bits & 7 == 0 { 0.0 } else { (bits >> 40) as f32 * 1.0e-6 - 8.4 }
            };
            let flows = std::array::from_fn(|i| [0, 1].map(|n| random(2 * i as u64 + n)));
            let tile = stair(flows, if seed & 1 == 0 { 0 } else { 100 });
            for (axis, face) in WALLS {
                let half = beside(&tile, axis, face);
                let came = half.streams.into_iter().filter(|stream| stream.0 > 0.0);
                let (low, high) = came
                    .map(|stream| stream.1)
                    .chain([half.own])
                    .fold((0.0_f32, 0.0_f32), |(a, b), u| (a.min(u), b.max(u)));
                let passed_on = half.passed_on();
                let slack = 1.0e-5 * low.abs().max(high);
                let is_within = passed_on >= low - slack && passed_on <= high + slack;
                assert!(is_within, "seed {seed}: {passed_on} of {half:?}");
            }
        }
    }

    /// Goal: shallow ground beside deep water is a wall as long as its film is thin and the deeper
    /// water stands below it. Method: depths on both sides of a face, with the rise of its ground.
    #[test]
    fn films_do_not_open_walls() {
        for (depths, rise, expected) in [
            ([1000, 0], 1500, true),
            ([0, 1000], -1500, true),
            ([1000, 124], 1000, true),
            ([124, 1000], -1000, true),
            ([1000, 125], 1000, false),
            ([1000, 124], 999, false),
            ([1000, 0], 0, false),
            ([0, 0], 0, false),
            ([7, 0], 8, false),
            ([50, 0], 60, false),
            ([1000, 1000], 3000, false),
        ] {
            let beds = [0, rise];
            let stages = [depths[0], rise + depths[1]];
            let between = ColumnPair { depths, stages, sill: beds[0].max(beds[1]) };
            assert_eq!(between.is_wall(64), expected, "{depths:?}, rise {rise}");
        }
    }
}
