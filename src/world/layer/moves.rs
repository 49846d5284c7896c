//! One move of a layer, leaf by leaf.
//!
//! ```text
//!  ┌───────────┬─────┬─────┐    a leaf moves its content on tiles of its own level, or of the next
//!  │  coarse   │     │     │    finer one where leaves of that level lie around it: each of its
//!  │  · · · ·  ├─────┼─────┤    four quarters is a tile then, and the four cells under one of its
//!  │  · · · ·  │     │     │    cells take a fourth of the content each. What lands in a coarser
//!  └───────────┴─────┴─────┘    cell is added to it
//! ```
//!
//! So all leaves around a tile are of its level or coarser, and a coarser one fills the halo with
//! its cells as they are (`gather_covers`): faces are open where they are between the leaves' own
//! cells, so no part of a wall is averaged away, and content that is spread evenly over water that
//! flows evenly stays so across levels.
//!
//! Guarantees: the sum is exact; the same bits in any order of leaves, since whole amounts add up
//!             in any order.
//! Limits:     first order at interfaces: content in a coarse cell spreads over all of it.

use super::{LayerContent, nothing};
use crate::world::World;
use rayon::prelude::*;
use std::cell::RefCell;
use thalweg_engine::flow::push::{CELL, PaddedPush, PushAround, REACH};
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::blocks::blocks;
use thalweg_engine::grid::{Axis, LeafId, TILE_WIDTH, TileKey};
use thalweg_engine::sim::barriers::FaceView;
use thalweg_engine::sim::simulation::Simulation;
use thalweg_engine::tile::CowPlane;
use thalweg_engine::tile::halo_plane::{CoveringPlane, CoversAround, PlaceIn};
use thalweg_engine::units::{SimTime, maths};

/// More levels than a world has.
const LEVELS: usize = 32;

/// Currents of a world that carry content.
pub(super) struct Currents<'a> {
    simulation: &'a Simulation,
    /// Velocities of the cells of leaves that are awake, eastward and northward, m/s.
    velocities: Vec<Option<[CowPlane<f32>; 2]>>,
    /// Width of the finest cells, m.
    cell_width_m: f64,
    /// Fastest velocity, along an axis, on tiles of each level, m/s.
    fastest: [f32; LEVELS],
}

thread_local! {
    static PADDED: RefCell<Box<PaddedPush>> = RefCell::new(Box::default());
}

/// A tile around another, and the leaf that contains it.
#[derive(Clone, Copy)]
struct LayerNeighbour {
    leaf: LeafId,
    place: PlaceIn,
}

impl<'a> Currents<'a> {
    /// Takes the velocities of the world's last step, or, if it keeps no map of them, of its next.
    pub(super) fn of(world: &'a World) -> Self {
        let simulation = world.simulation();
        let (forest, asleep, flowing) = (simulation.forest(), simulation.asleep(), world.flowing());
        let of_leaf = |leaf: LeafId| (!asleep[leaf]).then(|| flowing.velocities(leaf));
        let velocities: Vec<_> = forest.par_ids().map(of_leaf).collect();
        let still = || [0.0; LEVELS];
        let fastest = forest.par_ids().fold(still, |mut fastest, leaf| {
            let slot = &mut fastest[usize::from(tile_level(forest, leaf))];
            let speeds = velocities[leaf].iter().flatten().flatten();
            *slot = speeds.fold(*slot, |most, u| maths::max(u.abs(), most));
            fastest
        });
        let faster =
            |a: [f32; LEVELS], b: [f32; LEVELS]| std::array::from_fn(|i| maths::max(a[i], b[i]));
        let fastest = fastest.reduce(still, faster);
        Self { simulation, velocities, cell_width_m: world.cell_width_m(), fastest }
    }

    /// Returns the most cells of its tile that content crosses in a span.
    pub(super) fn cells_in(&self, span: SimTime) -> f64 {
        let base = usize::from(self.simulation.forest().base());
        let levels = (0_u8..).zip(self.fastest).skip(base);
        let cells =
            levels.map(|(level, u)| f64::from(u) * span.seconds() / self.tile_cell_width_m(level));
        cells.fold(0.0, f64::max)
    }

    /// Returns the width of the cells of tiles of a level, m.
    fn tile_cell_width_m(&self, level: u8) -> f64 {
        self.cell_width_m * f64::from(1_u32 << (level - self.simulation.forest().base()))
    }

    /// Returns the tile of a leaf.
    pub(super) fn key(&self, leaf: LeafId) -> TileKey {
        self.simulation.forest().leaves()[leaf]
    }

    /// Makes one of `moves` moves of a span with the content of a leaf; returns the content that
    /// moves to different leaves. Cells of sleeping leaves do not move.
    pub(super) fn push(
        &self,
        key: TileKey,
        content: &mut LayerContent,
        span_s: f64,
        moves: f64,
    ) -> Vec<(LeafId, LayerContent)> {
        let forest = self.simulation.forest();
        let leaf = forest.find(key).expect("the layer has followed the leaves");
        let Some(velocity) = &self.velocities[leaf] else { return Vec::new() };
        let velocity = velocity.each_ref().map(|plane| &**plane);
        let level = tile_level(forest, leaf);
        let per_speed = span_s / self.tile_cell_width_m(level) / moves * f64::from(CELL);
        let old = std::mem::replace(content, nothing());
        let mut landed = vec![(leaf, std::mem::take(content))];
        PADDED.with_borrow_mut(|padded| {
            if level == key.level {
                padded.content.copy_from_slice(&old);
                for (shifts, velocity) in padded.shifts.iter_mut().zip(velocity) {
                    let shift = |u: &f32| whole_shift(f64::from(*u) * per_speed);
                    shifts.iter_mut().zip(velocity).for_each(|(to, u)| *to = shift(u));
                }
                self.push_tile(padded, key, &mut landed);
                return;
            }
            for quadrant in 0..4 {
                for (cell, four) in blocks(quadrant) {
                    let shift = velocity.map(|u| whole_shift(f64::from(u[cell]) * per_speed));
                    // ⌊(c + 3)/4⌋ + ⌊(c + 2)/4⌋ + ⌊(c + 1)/4⌋ + ⌊c/4⌋ = c, so nothing is lost.
                    for (at, more) in four.into_iter().zip([3, 2, 1, 0]) {
                        padded.content[at] = (old[cell] + more) / 4;
                        (padded.shifts[0][at], padded.shifts[1][at]) = (shift[0], shift[1]);
                    }
                }
                self.push_tile(padded, key.child(quadrant), &mut landed);
            }
        });
        *content = std::mem::take(&mut landed[0].1);
        landed.swap_remove(0);
        landed
    }

    /// Moves the content of one tile, and adds it to the content of its new leaves.
    fn push_tile(
        &self,
        padded: &mut PaddedPush,
        tile: TileKey,
        landed: &mut Vec<(LeafId, LayerContent)>,
    ) {
        let beside = self.around(tile);
        let closed = self.closed(tile, &beside);
        let (ground, water) = (
            |leaf: LeafId| &*self.simulation.ground(leaf).bed,
            |leaf: LeafId| &*self.simulation.water(leaf).depth,
        );
        let around = PushAround {
            bed: covers(&beside, ground),
            depth: covers(&beside, water),
            closed: &closed,
        };
        padded.advance(&around, |column, row, content| {
            let ((third_x, column), (third_y, row)) = (third(column), third(row));
            let LayerNeighbour { leaf, place } =
                beside[3 * third_y + third_x].expect("faces to the outside are closed");
            let known = landed.iter().position(|(known, _)| *known == leaf);
            let known = known.unwrap_or_else(|| {
                landed.push((leaf, nothing()));
                landed.len() - 1
            });
            landed[known].1[place.cell(column, row)] += content;
        });
    }

    /// Returns the leaves that contain the nine tiles around one.
    fn around(&self, tile: TileKey) -> [Option<LayerNeighbour>; 9] {
        let forest = self.simulation.forest();
        let mut around = [None; 9];
        for (at, slot) in (0..9).zip(&mut around) {
            *slot = tile.beside(at % 3 - 1, at / 3 - 1).and_then(|beside| {
                let leaf = forest.covering(beside)?;
                Some(LayerNeighbour { leaf, place: PlaceIn::of(beside, forest.leaves()[leaf]) })
            });
        }
        around
    }

    /// Returns the faces of barriers that no water passes, near a tile.
    fn closed(&self, tile: TileKey, beside: &[Option<LayerNeighbour>; 9]) -> Vec<(Axis, i32, i32)> {
        let barriers = self.simulation.barriers();
        let mut closed = Vec::new();
        for LayerNeighbour { leaf, .. } in beside.iter().flatten() {
            let views = barriers.faces_in(*leaf).unwrap_or_default();
            for view in views.iter().filter(|view| !self.is_passed(view)) {
                closed.extend(faces_on(tile, self.key(*leaf), view));
            }
        }
        closed
    }

    /// True if water passed a face of a barrier in the last step.
    fn is_passed(&self, view: &FaceView) -> bool {
        let Some(face) = view.face else { return false };
        let (leaf, cell) = self.simulation.barriers().face(face).behind;
        let water = self.simulation.water(leaf);
        let flow = match view.axis {
            Axis::X => &water.flow_x,
            Axis::Y => &water.flow_y,
        };
        flow[usize::from(cell)].abs() > 0.0
    }
}

/// Returns the level of the tiles on which the content of a leaf moves.
fn tile_level(forest: &Forest, leaf: LeafId) -> u8 {
    let has_finer = forest.beside(leaf).iter().any(|beside| beside.is_finer());
    forest.leaves()[leaf].level - u8::from(has_finer)
}

/// Returns the planes over the tiles around one.
fn covers<'a, T>(
    beside: &[Option<LayerNeighbour>; 9],
    plane: impl Fn(LeafId) -> &'a [T],
) -> CoversAround<'a, T> {
    beside.map(|beside| {
        let LayerNeighbour { leaf, place } = beside?;
        Some(CoveringPlane { plane: plane(leaf), place })
    })
}

/// Returns which of three tiles contains a padded column or row, and its index there.
fn third(at: i32) -> (usize, usize) {
    // Content moves REACH = 3 cells at most, so it ends in this tile or in one beside it.
    let at = (at + 64).unsigned_abs() as usize;
    (at / TILE_WIDTH, at % TILE_WIDTH)
}

/// Returns the faces of a padded tile that make up one that `leaf`, of its level or a coarser one,
/// sees.
fn faces_on(tile: TileKey, leaf: TileKey, view: &FaceView) -> Vec<(Axis, i32, i32)> {
    let levels = leaf.level - tile.level;
    let from = |first: u32, at: i32, own: u32| {
        ((i64::from(first) * 64 + i64::from(at)) << levels) - i64::from(own) * 64
    };
    let (x, y) = (from(leaf.x, view.column, tile.x), from(leaf.y, view.row, tile.y));
    let faces = (0..1_i64 << levels).map(|along| match view.axis {
        Axis::X => (x, y + along),
        Axis::Y => (x + along, y),
    });
    // A padded tile reaches four cells beyond its 64.
    let near = |at: i64| i32::try_from(at).ok().filter(|at| (-4..68).contains(at));
    faces.filter_map(|(x, y)| Some((view.axis, near(x)?, near(y)?))).collect()
}

/// Rounds a shift to the nearest 2⁻²⁴ cell, within reach.
#[expect(clippy::cast_possible_truncation, reason = "bounded here")]
fn whole_shift(shift: f64) -> i32 {
    let most = f64::from(REACH * CELL);
    (shift + 0.5).floor().clamp(-most, most) as i32
}
