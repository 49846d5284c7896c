//! Discharges of a tile that became finer or coarser, from its discharges before.
//!
//! ```text
//! a coarse face  ├───────┤      finer:    Q, H of the coarse face, and between two coarse ones the
//! and its two    ├───┼───┤                mean of theirs; h_f the mean of the two fine faces
//! fine ones                               qᵢ = Q min(1, h_f / H) hᵢ / h_f
//!                               coarser:  Q, H the means of the two fine faces; h_f of the coarse
//!                                         q = Q min(1, h_f / H)
//! ```
//!
//! Shallow water divides q by the flow depth. If two faces are less open than the one before, at a
//! shore or over a step that only fine beds show, they keep its *velocity*; if they are more open,
//! they keep its *discharge*, and the water slows down. They share the discharge in proportion to
//! their openings, with one velocity, which has the least energy that a discharge can have. A
//! velocity so never grows: Q/H is between the values of the two source faces. A face that the new
//! stages close has no discharge.
//!
//! Guarantees: no speed q/h_f above that of the faces before, within the rounding of an `f32`; no
//!             −0.
//! Limits:     momentum is not conserved, and energy may fall; at faces to finer or coarser
//!             neighbours the caller computes the [`SideStrip`].
//! Source:     own.

use crate::grid::blocks::QUARTER_WIDTH;
use crate::grid::{Axis, Side, TILE_CELLS, TILE_WIDTH};
use crate::tile::halo::HaloPatch;
use crate::tile::{CellLevels, CowPlane, FaceAt, Ground, Water};

/// Unit discharges on west and on south faces, m²/s, as in [`Water`].
pub type Flows = [CowPlane<f32>; 2];

/// The cells beyond one side of a tile, and the faces between.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SideStrip {
    /// Beds and stages of the cells.
    pub cells: [CellLevels; TILE_WIDTH],
    /// Unit discharge through the faces, m²/s; not read for a tile whose discharges are computed.
    pub flow: [f32; TILE_WIDTH],
}

impl SideStrip {
    /// No ground: all faces are closed.
    pub const WALL: Self =
        Self { cells: [CellLevels::OUTSIDE; TILE_WIDTH], flow: [0.0; TILE_WIDTH] };

    /// Returns the cells beyond `side` of a tile with this water, from a neighbour of the same
    /// level.
    #[must_use]
    pub fn of(side: Side, own: &Water, neighbour: HaloPatch<'_>) -> Self {
        let last = TILE_WIDTH - 1;
        // First cell and stride of the neighbour's near side; planes and cells of the faces.
        let (first, stride) = match side {
            Side::West => (last, TILE_WIDTH),
            Side::East => (0, TILE_WIDTH),
            Side::South => (last * TILE_WIDTH, 1),
            Side::North => (0, 1),
        };
        // A face belongs to the cell behind it, so those to the east and north are the neighbour's.
        let flow = |i: usize| match side {
            Side::West => own.flow_x[i * TILE_WIDTH],
            Side::East => neighbour.water.flow_x[i * TILE_WIDTH],
            Side::South => own.flow_y[i],
            Side::North => neighbour.water.flow_y[i],
        };
        Self {
            cells: std::array::from_fn(|i| {
                let cell = first + i * stride;
                neighbour.ground.standing(cell, neighbour.water.depth[cell])
            }),
            flow: std::array::from_fn(flow),
        }
    }
}

/// A tile between the cells beyond its sides.
#[derive(Debug, Clone, Copy)]
pub struct TileWithSides<'a> {
    /// Ground of the tile.
    pub ground: &'a Ground,
    /// Water of the tile.
    pub water: &'a Water,
    /// Cells to the west, east, south and north of the tile, in the order of [`Side::ALL`] and in
    /// the tile's level.
    pub beside: &'a [SideStrip; 4],
}

/// Returns the discharges of `fine`, the quarter `quadrant` of the former `coarse`.
#[must_use]
pub fn refine_flows(
    coarse: &TileWithSides<'_>,
    quadrant: usize,
    fine: &TileWithSides<'_>,
) -> Flows {
    Axis::ALL.map(|axis| {
        let (along, across) = places(quadrant, axis);
        let mut flows = vec![0.0; TILE_CELLS];
        for at in 0..QUARTER_WIDTH {
            let before = coarse.line(axis, QUARTER_WIDTH * across + at);
            let openings = [2 * at, 2 * at + 1].map(|line| fine.openings(axis, line));
            for face in 0..TILE_WIDTH {
                let first = QUARTER_WIDTH * along + face / 2;
                let pair = [first, first + face % 2].map(|at| before.face(at));
                let [low, high] = openings.each_ref().map(|line| line[face]);
                flows[index(axis, 2 * at, face)] = shared(pair, low, high);
                flows[index(axis, 2 * at + 1, face)] = shared(pair, high, low);
            }
        }
        flows.into()
    })
}

/// Returns the discharges of `coarse`, formerly four quarters, south-west first; `None` if one has
/// no ground.
#[must_use]
pub fn coarsen_flows(
    quarters: &[Option<TileWithSides<'_>>; 4],
    coarse: &TileWithSides<'_>,
) -> Flows {
    Axis::ALL.map(|axis| {
        let mut flows = vec![0.0; TILE_CELLS];
        for (quadrant, fine) in quarters.iter().enumerate() {
            let Some(fine) = fine else { continue };
            let (along, across) = places(quadrant, axis);
            for line in 0..QUARTER_WIDTH {
                let before = [2 * line, 2 * line + 1].map(|line| fine.line(axis, line));
                let line = QUARTER_WIDTH * across + line;
                let openings = coarse.openings(axis, line);
                for face in 0..QUARTER_WIDTH {
                    let pair = before.each_ref().map(|line| line.face(2 * face));
                    let to = QUARTER_WIDTH * along + face;
                    flows[index(axis, line, to)] = kept(pair, openings[to]);
                }
            }
        }
        flows.into()
    })
}

/// Returns the half of the coarse tile in which a quarter is along an axis, and across it.
fn places(quadrant: usize, axis: Axis) -> (usize, usize) {
    let (east, north) = (quadrant % 2, quadrant / 2);
    if axis == Axis::X { (east, north) } else { (north, east) }
}

/// Returns the index of a face in the planes of a tile: lines are rows along axis 0, columns along
/// axis 1.
fn index(axis: Axis, line: usize, face: usize) -> usize {
    if axis == Axis::X { line * TILE_WIDTH + face } else { face * TILE_WIDTH + line }
}

/// Returns the discharge of a new face from two faces, each with a discharge and a flow depth.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn kept(before: [(f32, i32); 2], opening: i32) -> f32 {
    let flow = 0.5 * (before[0].0 + before[1].0);
    // An `f64`: openings above 2²⁴ units do not fit an `f32`.
    let held = 0.5 * (f64::from(before[0].1) + f64::from(before[1].1));
    let opening = f64::from(opening);
    // Adding 0 turns −0 into 0.
    if opening < held { (f64::from(flow) * opening / held) as f32 + 0.0 } else { flow + 0.0 }
}

/// Returns the discharge of a new face that shares it with another: in proportion to their
/// openings, so with one velocity.
fn shared(before: [(f32, i32); 2], opening: i32, beside: i32) -> f32 {
    let mean = opening.midpoint(beside);
    let part = if mean > 0 { f64::from(opening) / f64::from(mean) } else { 0.0 };
    #[expect(clippy::cast_possible_truncation, reason = "0 to 2")]
    let part = part as f32;
    kept(before, mean) * part + 0.0
}

/// The faces of one line of cells, side to side.
struct FaceLine {
    /// Unit discharges, m²/s; 0 where closed.
    flow: [f32; TILE_WIDTH + 1],
    /// Flow depths, vertical units.
    opening: [i32; TILE_WIDTH + 1],
}

impl FaceLine {
    fn face(&self, at: usize) -> (f32, i32) {
        (self.flow[at], self.opening[at])
    }
}

impl TileWithSides<'_> {
    /// Returns the flow depths of the faces across one row (`axis` 0) or column (`axis` 1) of
    /// cells, vertical units.
    fn openings(&self, axis: Axis, line: usize) -> [i32; TILE_WIDTH + 1] {
        let [first, last] = Side::of(axis).map(|side| &self.beside[side]);
        let mut before = first.cells[line];
        std::array::from_fn(|face| {
            let (at, after) = if face == TILE_WIDTH {
                (FaceAt::Far { axis, i: line }, last.cells[line])
            } else {
                let cell = index(axis, line, face);
                let after = self.ground.standing(cell, self.water.depth[cell]);
                (FaceAt::Of { axis, cell }, after)
            };
            let opening = self.ground.opening(at, before, after);
            before = after;
            opening
        })
    }

    /// Returns the faces across one row (`axis` 0) or column (`axis` 1) of cells.
    fn line(&self, axis: Axis, line: usize) -> FaceLine {
        let [first, last] = Side::of(axis).map(|side| &self.beside[side]);
        let plane = if axis == Axis::X { &self.water.flow_x } else { &self.water.flow_y };
        let opening = self.openings(axis, line);
        let flow = std::array::from_fn(|face| match face {
            _ if opening[face] == 0 => 0.0,
            0 => first.flow[line],
            TILE_WIDTH => last.flow[line],
            _ => plane[index(axis, line, face)],
        });
        FaceLine { flow, opening }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::hash::scramble;

    /// A tile with beds, depths and discharges from its cells' places, and its strips.
    fn tile(
        bed: impl Fn(usize) -> i32,
        depth: impl Fn(usize) -> i32,
        flow: impl Fn(Axis, usize) -> f32,
    ) -> (Ground, Water) {
        let mut water = Water::dry();
        water.depth = (0..TILE_CELLS).map(depth).collect();
        water.flow_x = (0..TILE_CELLS).map(|i| flow(Axis::X, i)).collect();
        water.flow_y = (0..TILE_CELLS).map(|i| flow(Axis::Y, i)).collect();
        (Ground::flat((0..TILE_CELLS).map(bed).collect()), water)
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "halves and quarters")]
    fn discharges_are_linear_between_coarse_faces_and_means_of_fine_ones() {
        let flow = |axis: Axis, i: usize| {
            let place = if axis == Axis::X { i % TILE_WIDTH } else { i / TILE_WIDTH };
            1.0 + 0.25 * place as f32
        };
        let (ground, water) = tile(|_| 0, |_| 1000, flow);
        let strip = |flow| SideStrip {
            cells: [CellLevels { bed: 0, stage: 1000, depth: 1000 }; 64],
            flow: [flow; 64],
        };
        let beside = [strip(1.0), strip(17.0), strip(1.0), strip(17.0)];
        let coarse = TileWithSides { ground: &ground, water: &water, beside: &beside };
        let fine: [Water; 4] = [0, 1, 2, 3].map(|quadrant| {
            let [flow_x, flow_y] = refine_flows(&coarse, quadrant, &coarse);
            Water { flow_x, flow_y, ..water.clone() }
        });
        for (quadrant, fine) in fine.iter().enumerate() {
            for cell in 0..TILE_CELLS {
                let (x, y) = (64 * (quadrant % 2) + cell % 64, 64 * (quadrant / 2) + cell / 64);
                assert_eq!(fine.flow_x[cell], 1.0 + 0.125 * x as f32, "column {x}");
                assert_eq!(fine.flow_y[cell], 1.0 + 0.125 * y as f32, "row {y}");
            }
        }
        let rims = [9.0, 1.0].map(|west| [strip(west), strip(17.0), strip(1.0), strip(17.0)]);
        let quarter = |i: usize| {
            let mut beside = rims[1 - i % 2];
            beside[2] = strip(if i < 2 { 1.0 } else { 9.0 });
            beside
        };
        let beside: [[SideStrip; 4]; 4] = std::array::from_fn(quarter);
        let quarters = std::array::from_fn(|i| {
            Some(TileWithSides { ground: &ground, water: &fine[i], beside: &beside[i] })
        });
        let back = coarsen_flows(&quarters, &coarse);
        assert_eq!(back, [water.flow_x.clone(), water.flow_y.clone()]);
        // A quarter without ground leaves its faces without discharge.
        let [_, south, ..] = quarters;
        let [flow_x, _] = coarsen_flows(&[None, south, None, None], &coarse);
        assert_eq!([flow_x[31], flow_x[32], flow_x[33 + 32 * 64]], [0.0, 9.0, 0.0]);
    }

    #[test]
    fn two_faces_share_by_what_they_are_open() {
        for (openings, flows) in [
            ([100, 100], [3.0, 3.0]),
            ([100, 300], [1.5, 4.5]),
            ([0, 200], [0.0, 6.0]),
            ([40, 60], [1.2, 1.8]),
            ([0, 0], [0.0, 0.0]),
        ] {
            let [low, high] = openings;
            let before = [(3.0, 100); 2];
            let got = [shared(before, low, high), shared(before, high, low)];
            let is_near = |i: usize| (got[i] - flows[i]).abs() <= 1.0e-6_f32;
            assert!(is_near(0) && is_near(1), "{got:?}: {openings:?}");
        }
    }

    #[test]
    fn a_face_keeps_its_velocity_where_it_closes_and_its_discharge_where_it_opens() {
        for (before, opening, flow) in [
            ([(3.0, 100), (3.0, 100)], 100, 3.0),
            ([(3.0, 100), (3.0, 100)], 50, 1.5),
            ([(3.0, 100), (3.0, 100)], 400, 3.0),
            ([(3.0, 100), (1.0, 300)], 100, 1.0),
            ([(-4.0, 100), (0.0, 0)], 50, -2.0),
            ([(-4.0, 100), (0.0, 0)], 10, -0.4),
            ([(-4.0, 100), (-4.0, 100)], 0, 0.0),
            ([(-1.0e-45, 1 << 30), (0.0, 1 << 30)], 1, 0.0),
            ([(0.0, 0), (0.0, 0)], 70, 0.0),
        ] {
            let got: f32 = kept(before, opening);
            assert_eq!(got.to_bits(), f32::to_bits(flow), "{got}: {before:?}, {opening}");
        }
    }

    fn draw(seed: u64, place: usize, most: u64) -> i32 {
        let bits = scramble(seed ^ (place as u64) << 9);
        i32::try_from((bits >> 8) % ((bits & 0xff) * most / 255 + 1)).expect("small")
    }

    /// Largest speed over the faces of a tile by axis, m/s if a unit is a metre; checks that closed
    /// faces rest and that no zero is negative.
    fn speed_most(tile: &TileWithSides<'_>) -> f64 {
        let mut most = 0.0_f64;
        for (axis, line) in Axis::ALL.into_iter().flat_map(|a| (0..64).map(move |l| (a, l))) {
            let (faces, plane) = (tile.line(axis, line), [&tile.water.flow_x, &tile.water.flow_y]);
            for face in 0..64 {
                let flow = plane[axis][index(axis, line, face)];
                assert!(flow.to_bits() != f32::to_bits(-0.0));
                if faces.opening[face] == 0 {
                    assert!(flow == 0.0, "closed, but {flow}");
                } else {
                    most = most.max(f64::from(flow.abs()) / f64::from(faces.opening[face]));
                }
            }
        }
        most
    }

    /// Goal: no speed grows, for any beds and depths before and after.
    /// Method: discharges of one speed everywhere in alternating directions, then random grounds.
    #[test]
    fn velocities_never_grow() {
        for seed in 0..12 {
            let random = |salt: u64| {
                let bed = move |i| draw(seed ^ salt << 40, i, 3000);
                let depth = move |i| draw(seed ^ (salt + 1) << 40, i, 2000).max(900) - 900;
                tile(bed, depth, |_, _| 0.0)
            };
            let (ground, mut water) = random(1);
            let beside = [0, 64, 128, 192].map(|salt| SideStrip {
                cells: std::array::from_fn(|i| {
                    let bed = draw(seed, salt + i, 3000);
                    let depth = draw(seed, 5000 + salt + i, 2000);
                    CellLevels { bed, stage: bed + depth, depth }
                }),
                flow: [0.0; 64],
            });
            // Between walls: the speed over a side that is not the tile's own is not counted.
            let walls = [SideStrip::WALL; 4];
            let speed = 3.0;
            let closed = TileWithSides { ground: &ground, water: &water, beside: &walls };
            let lines =
                Axis::ALL.map(|axis| (0..64).map(|l| closed.line(axis, l)).collect::<Vec<_>>());
            for (axis, line) in Axis::ALL.into_iter().flat_map(|a| (0..64).map(move |l| (a, l))) {
                for face in 0..64 {
                    let sign =
                        if draw(seed, face + 64 * line, 9) % 2 == 0 { speed } else { -speed };
                    let flow = sign * lines[axis][line].opening[face] as f32;
                    let plane = if axis == Axis::X { &mut water.flow_x } else { &mut water.flow_y };
                    plane[index(axis, line, face)] = if flow == 0.0 { 0.0 } else { flow };
                }
            }
            let before = TileWithSides { ground: &ground, water: &water, beside: &walls };
            let most = speed_most(&before) * (1.0 + f64::from(f32::EPSILON));
            for quadrant in 0..4 {
                let (ground, mut water) = random(10 + quadrant as u64);
                let now = TileWithSides { ground: &ground, water: &water, beside: &beside };
                [water.flow_x, water.flow_y] = refine_flows(&before, quadrant, &now);
                let got =
                    speed_most(&TileWithSides { ground: &ground, water: &water, beside: &beside });
                assert!(got > 1.0 && got <= most, "seed {seed}, finer: {got} of {most} m/s");
            }
            let (ground, mut water) = random(20);
            let now = TileWithSides { ground: &ground, water: &water, beside: &beside };
            [water.flow_x, water.flow_y] = coarsen_flows(&[Some(before); 4], &now);
            let got =
                speed_most(&TileWithSides { ground: &ground, water: &water, beside: &beside });
            assert!(got > 1.0 && got <= most, "seed {seed}, coarser: {got} of {most} m/s");
        }
    }

    #[test]
    fn neighbours_see_the_same_faces() {
        let tile = |salt: u64| {
            let bed = move |i| draw(salt, i, 3000);
            tile(bed, move |i| draw(salt + 9, i, 900), |axis, i| (axis as usize * 5000 + i) as f32)
        };
        let (own, other) = (tile(1), tile(2));
        let [own_patch, other_patch] =
            [&own, &other].map(|(ground, water)| HaloPatch { ground, water });
        for (axis, [after, before]) in
            Axis::ALL.into_iter().zip([[Side::East, Side::West], [Side::North, Side::South]])
        {
            let mut beside = [[SideStrip::WALL; 4]; 2];
            beside[0][after] = SideStrip::of(after, &own.1, other_patch);
            beside[1][before] = SideStrip::of(before, &other.1, own_patch);
            let [first, second] = [(&own, 0), (&other, 1)].map(|((ground, water), i)| {
                let with_sides = TileWithSides { ground, water, beside: &beside[i] };
                (0..64).map(|line| with_sides.line(axis, line)).collect::<Vec<_>>()
            });
            for (a, b) in first.iter().zip(&second) {
                assert_eq!(a.face(64), b.face(0), "axis {axis:?}");
            }
        }
    }
}
