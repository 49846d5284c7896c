//! Walls: the velocity of the half of a cell beside a wall.
//!
//! ```text
//!   · n ·     h½   the half of a cell beside a closed face
//! o→ h½ ▓     û    = (Σ in u + max(0, Σ out − Σ in) u_f) / max(Σ in, Σ out)
//!   · s ·     in, out   discharges through the middle of the cell (o), through both ends of the
//!                       half (s, n), and over the face itself where a film runs down the wall;
//!             u_f  velocity over the face: of the film, or 0
//! ```
//!
//! Momentum belongs to faces, and a closed face has no momentum. A bank or a house at an angle to
//! the grid is a staircase: at each stair water runs in by one face and out by the next, through
//! the half of a cell beside a closed face. With a velocity of 0 there each stair stops the water:
//! a dam break along a channel at 45°, five cells across, brings half as much down the valley as
//! one along the grid. So the half passes on the momentum that it is given: û is carried in place
//! of the face's own velocity. Along a straight wall there is nothing to pass on.
//!
//! Water that enters through an end of the half has the velocity of the face beside; if that face
//! is closed, and the opposite end too, it has the velocity of the far face there, so that stairs
//! of several cells pass on as well. Each discharge is a velocity times the depth upstream.
//!
//! Figures and the alternatives tried: `src/guide/decisions/walls.md`.
//!
//! Guarantees: û is no faster than the fastest of the inflows and of the film; still water gives 0
//!             (`no_wall_makes_a_velocity`).
//! Limits:     between two deep cells, as at the two sides of a levee, nothing is passed on, nor in
//!             water shallower than a 256th of a cell, which natural ground stops within a part of
//!             one.
//! Source:     own. Cases: `accuracy.channel.walls`, `accuracy.channel.banks`.

use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{BLOCK, Padded, PaddedPlane, STRIDE, part, run};
use crate::units::maths;

/// Two columns and the ground between them, vertical units.
#[derive(Debug, Clone, Copy)]
pub struct ColumnPair {
    /// Depths.
    pub depths: [i32; 2],
    /// Stages.
    pub stages: [i32; 2],
    /// Lowest ground that water must rise above to pass.
    pub sill: i32,
}

impl ColumnPair {
    /// Returns the columns before and behind the west or south face of the padded cell `face`.
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
    #[inline(always)]
    fn is_closed(&self) -> bool {
        self.is_wall(0) || self.stages[0].max(self.stages[1]) <= self.sill
    }

    /// Returns the mark of the face in [`Padded::closed`]; a wall is beside a column of `least`
    /// units or more.
    #[inline(always)]
    #[must_use]
    pub fn mark(&self, least: i32) -> u8 {
        let wall = if self.is_wall(least) { WALL } else { 0 };
        if self.is_closed() { CLOSED | wall } else { 0 }
    }
}

/// The mark of a closed face.
const CLOSED: u8 = 1;
/// The further mark of a wall beside water that is deep enough.
const WALL: u8 = 1 << 7;

/// Returns the walls of a block of a row of marked faces, as bits from west to east.
#[inline(always)]
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "halves, and eight bits")]
pub fn marked_walls(tile: &Padded, axis: Axis, (column, row): (i32, i32)) -> u16 {
    let marks: &[u8; BLOCK] = part(&tile.closed[axis], column, row);
    // Little-endian on any machine: the lowest byte is the first column.
    let walls = u128::from_le_bytes(*marks) & u128::from_le_bytes([WALL; BLOCK]);
    if walls == 0 {
        return 0;
    }
    // The product gathers the lowest bit of each of eight bytes in its highest byte.
    let eight = |marks: u64| (marks >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
    (eight(walls as u64) | eight((walls >> 64) as u64) << 8) as u16
}

/// Returns the step from a padded cell to the one behind it.
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
/// times the depth upstream, in m/s times vertical units, and the velocity it brings.
type WallStream = (f32, f32);

/// The values of the halves of `N` cells beside walls that û needs. They are read one by one, as
/// walls are scattered, and û is computed for all at once.
#[derive(Debug, Clone, Copy)]
pub struct HalfCells<const N: usize> {
    /// The way into the half over the wall: 1 if its cell is behind the wall, else −1.
    inward: [f32; N],
    /// Depth of the cell, vertical units.
    depth: [i32; N],
    /// Depths beyond the middle of the cell and beyond the low and the high end of the half,
    /// vertical units.
    beyond: [[i32; N]; 3],
    /// Velocities over the opposite face of the cell and over the low and the high end, m/s.
    through: [[f32; N]; 3],
    /// Velocities that enter through the low and the high end, m/s.
    brought: [[f32; N]; 2],
    /// Velocity over the wall, of a film, m/s.
    own: [f32; N],
    /// Opening over the wall, vertical units.
    opening: [i32; N],
}

/// Places of a plane about a face: two rows and two cells before it begin with 0.
const AROUND: usize = 4 * STRIDE;
/// Place of the face among them.
const HERE: usize = 2 * STRIDE + 2;

/// Returns the values of a plane about a face. One check serves all of them: their places are
/// constants for the compiler, except which of two cells is the deeper.
#[inline(always)]
fn around<T>(plane: &PaddedPlane<T>, face: usize) -> &[T; AROUND] {
    run(plane, face - HERE)
}

impl<const N: usize> HalfCells<N> {
    /// Cells that no water is in.
    pub const NONE: Self = Self {
        inward: [1.0; N],
        depth: [0; N],
        beyond: [[0; N]; 3],
        through: [[0.0; N]; 3],
        brought: [[0.0; N]; 2],
        own: [0.0; N],
        opening: [0; N],
    };

    /// Takes as the `i`-th the half of the deeper cell beside the west or south face of the padded
    /// cell `face`, which is a wall; `is_closed` answers for faces at places about it. The planes
    /// of flows contain velocities.
    #[inline(always)]
    fn take<const COLUMNS: bool>(
        &mut self,
        i: usize,
        tile: &Padded,
        (axis, face): (Axis, usize),
        is_closed: impl Fn(Axis, usize) -> bool,
    ) {
        let (along, other_axis) = (step_along(axis), axis.across());
        let side = step_along(other_axis);
        let (flow, across) = match axis {
            Axis::X => (around(&tile.flow_x, face), around(&tile.flow_y, face)),
            Axis::Y => (around(&tile.flow_y, face), around(&tile.flow_x, face)),
        };
        let depth = around(&tile.depth, face);
        // The cell, its opposite face on the axis, and the cell beyond that.
        let is_behind = depth[HERE] > depth[HERE - along];
        let of = |behind: usize, before: usize| if is_behind { behind } else { before };
        let cell = of(HERE, HERE - along);
        let opposite = of(HERE + along, HERE - along);
        let beyond = of(HERE + along, HERE - 2 * along);
        // Outflow brings no velocity, so there either may be read: a branch less.
        let comes_by = |other: usize, beside: usize, far: usize| {
            let is_corner = is_closed(other_axis, other) & is_closed(axis, beside);
            flow[if is_corner { far } else { beside }]
        };
        self.inward[i] = if is_behind { 1.0 } else { -1.0 };
        self.depth[i] = depth[cell];
        for (of, at) in self.beyond.iter_mut().zip([beyond, cell - side, cell + side]) {
            of[i] = depth[at];
        }
        self.through[0][i] = flow[opposite];
        self.through[1][i] = across[cell];
        self.through[2][i] = across[cell + side];
        self.brought[0][i] = comes_by(cell + side, HERE - side, opposite - side);
        self.brought[1][i] = comes_by(cell, HERE + side, opposite + side);
        self.own[i] = flow[HERE];
        self.opening[i] = if COLUMNS {
            tile.columns.open[axis][face]
        } else {
            let bed = around(&tile.bed, face);
            let before = add(bed[HERE - along], depth[HERE - along]);
            let behind = add(bed[HERE], depth[HERE]);
            sub(before.max(behind), bed[HERE - along].max(bed[HERE]))
        };
    }

    /// Takes the half beside a wall in a tile whose faces are marked.
    #[inline(always)]
    pub fn take_marked<const COLUMNS: bool>(
        &mut self,
        i: usize,
        tile: &Padded,
        (axis, face): (Axis, usize),
    ) {
        let [x, y] = &tile.closed;
        let closed = [around(x, face), around(y, face)];
        let is_closed = |axis: Axis, at: usize| closed[axis][at] & CLOSED != 0;
        self.take::<COLUMNS>(i, tile, (axis, face), is_closed);
    }

    /// Returns the streams about the `i`-th half: through the middle of its cell, over the low and
    /// the high end, over the wall.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "velocities are floats")]
    fn streams(&self, i: usize) -> [WallStream; 4] {
        let depth = self.depth[i] as f32;
        // With its velocity into the half and the depth of the water upstream of it.
        let stream = |into: f32, from: i32, velocity: f32| {
            // Before the choice: a loop with a conversion in one arm alone branches.
            let from = from as f32;
            (into * if into > 0.0 { from } else { depth }, velocity)
        };
        let [middle, low, high] = &self.through;
        let (middle, low, high) = (middle[i], low[i], high[i]);
        let inward = self.inward[i];
        let film = inward * self.own[i] * self.opening[i].max(0) as f32;
        [
            stream(-inward * middle, self.beyond[0][i], middle),
            stream(low, self.beyond[1][i], self.brought[0][i]),
            stream(-high, self.beyond[2][i], self.brought[1][i]),
            (film, self.own[i]),
        ]
    }

    /// Returns û of each half, m/s.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::needless_range_loop, reason = "one index into many rows")]
    pub fn passed_on(&self) -> [f32; N] {
        let mut passed_on = [0.0; N];
        for i in 0..N {
            let (mut gained, mut comes, mut leaves) = (0.0, 0.0, 0.0);
            for (discharge, velocity) in self.streams(i) {
                let coming = maths::max(discharge, 0.0);
                gained += coming * velocity;
                comes += coming;
                leaves += maths::max(-discharge, 0.0);
            }
            gained += maths::max(leaves - comes, 0.0) * self.own[i];
            // With FLOW_LEAST still water is 0 over a number, not 0/0.
            let most = maths::max(maths::max(comes, leaves), maths::FLOW_LEAST);
            passed_on[i] = maths::flush(gained / most);
        }
        passed_on
    }
}

impl HalfCells<1> {
    /// Returns the half beside a wall in any tile.
    fn beside_wall<const COLUMNS: bool>(tile: &Padded, axis: Axis, face: usize) -> Self {
        let mut half = Self::NONE;
        half.take::<COLUMNS>(0, tile, (axis, face), |axis, at| {
            ColumnPair::of::<COLUMNS>(tile, axis, face - HERE + at).is_closed()
        });
        half
    }
}

/// Returns the velocity that the west or south face of a padded cell passes on, m/s; 0 if it is no
/// wall beside a column of `least` units or more.
#[must_use]
pub fn passed_on_by<const COLUMNS: bool>(
    tile: &Padded,
    axis: Axis,
    face: usize,
    least: i32,
) -> f32 {
    let is_wall = ColumnPair::of::<COLUMNS>(tile, axis, face).is_wall(least);
    if is_wall { HalfCells::beside_wall::<COLUMNS>(tile, axis, face).passed_on()[0] } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::padded::index;
    use crate::units::hash::scramble;

    /// The closed faces of the stair, of cell (9, 9): to the east and to the south.
    const WALLS: [(Axis, (i32, i32)); 2] = [(Axis::X, (10, 9)), (Axis::Y, (9, 9))];

    fn beside(tile: &Padded, axis: Axis, face: (i32, i32)) -> HalfCells<1> {
        HalfCells::beside_wall::<false>(tile, axis, index(face.0, face.1))
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

    /// Goal: a stair passes the whole of a flow at 45° on. Method: water enters from the west and
    ///       leaves to the north; the velocities beside the walls to the east and south of the
    ///       cell.
    #[test]
    fn a_stair_passes_on_what_runs_along_it() {
        let (none, in_and_out) = ([0.0, 0.0], [2.0, 0.0]);
        let mut flows = [none; 9];
        // Into cell (9, 9) from the west; out of it to the north; cell (8, 9) gets its water from
        // the south.
        (flows[4], flows[7], flows[3]) = (in_and_out, [0.0, 2.0], [0.0, 2.0]);
        let tile = stair(flows, 0);
        let passed_on = WALLS.map(|(axis, face)| beside(&tile, axis, face).passed_on()[0]);
        assert_eq!(passed_on.map(f32::to_bits), [2.0_f32; 2].map(f32::to_bits));
    }

    /// Goal: a wall passes on a velocity that counts, or 0. Method: little water enters slowly,
    ///       much leaves fast; nothing runs at all.
    #[test]
    fn a_wall_passes_on_no_velocity_too_small_to_count() {
        for (comes, leaves) in [(1.0e-9, 2.0), (-1.0e-9, 2.0), (1.0e-12, 1.0), (-0.0, 0.0)] {
            let mut flows = [[0.0; 2]; 9];
            (flows[4], flows[7]) = ([comes, 0.0], [0.0, leaves]);
            let tile = stair(flows, 0);
            let passed_on = WALLS.map(|(axis, face)| beside(&tile, axis, face).passed_on()[0]);
            assert_eq!(passed_on.map(f32::to_bits), [0; 2], "{comes} in, {leaves} out");
        }
    }

    /// Goal: no velocity is made beside walls. Method: random velocities about a stair; û is within
    ///       the velocities that enter, and 0 if none enters.
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
                let came = half.streams(0).into_iter().filter(|stream| stream.0 > 0.0);
                let (low, high) = came
                    .map(|stream| stream.1)
                    .chain(half.own)
                    .fold((0.0_f32, 0.0_f32), |(a, b), u| (a.min(u), b.max(u)));
                let passed_on = half.passed_on()[0];
                let slack = 1.0e-5 * low.abs().max(high);
                let is_within = passed_on >= low - slack && passed_on <= high + slack;
                assert!(is_within, "seed {seed}: {passed_on} of {half:?}");
            }
        }
    }

    /// Goal: shallow ground beside deep water is a wall as long as its film is thin and the deeper
    ///       water is below it. Method: depths on both sides of a face, with the rise of its
    ///       ground.
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
