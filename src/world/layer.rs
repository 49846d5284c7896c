//! Layers for the eye: foam, leaves, dye that only has to look right.
//!
//! Guarantees: the sum stays to the unit, nothing passes a wall, the same bits for any number of
//!             threads; the world's state does not depend on it.
//! Limits:     a layer moves over leaves of one level that stay ([`LayerError::Levels`]);
//!             content that floats together thickens, and content moves with the velocity of the
//!             last cycle, above the depth that counts as wet. Where a concentration has to be
//!             right, or has to stay between bounds, take a tracer ([`WorldBuilder::tracer`]).
//!
//! [`WorldBuilder::tracer`]: super::WorldBuilder::tracer

use crate::flow::push::{CELL, PaddedPush, PushAround, REACH};
use crate::forest::Forest;
use crate::grid::cells::CellPlace;
use crate::grid::{LeafId, TILE_CELLS};
use crate::tile::halo_plane::PlanesAround;
use crate::units::{SimTime, maths};
use crate::world::World;
use rayon::prelude::*;
use std::cell::RefCell;
use std::fmt;

/// The amount 1 in whole units.
const ONE: i64 = 1 << 24;

/// Largest sum of all amounts.
const SUM_MOST: f64 = 274_877_906_944.0;

/// Something that drifts on the water of one world and does not touch it.
///
/// A tracer costs each step of the world; a layer costs one pass whenever somebody looks, over up
/// to three cells at once.
///
/// # Examples
///
/// ```
/// # use thalweg::world::CellPlace;
/// # use thalweg::terrain::{TerrainBuilder, TerrainOptions};
/// # use thalweg::units::{SimTime, VerticalScale};
/// # use thalweg::world::{VisualLayer, WorldBuilder};
/// # let scale = VerticalScale::choose(0.0, 4.0, 20.0)?;
/// # let options =
/// #     TerrainOptions { width: 9, height: 5, cell_width_m: 1.0, scale, bed_exponent: 10 };
/// # let mut terrain = TerrainBuilder::try_new(options)?;
/// # (0..5).try_for_each(|_| terrain.push_row(&[0.0; 9]))?;
/// let mut world = WorldBuilder::new(terrain.finish()?)
///     .initial_depth(|place| if place.x < 4 { 2.0 } else { 0.5 })
///     .build()?;
/// let mut foam = VisualLayer::try_new(&world)?;
/// foam.add(&world, CellPlace { x: 3, y: 2 }, 1.0)?;
/// let frame = SimTime::from_seconds(0.1);
/// for _ in 0..5 {
///     world.run_until(world.time().after(frame.ticks()));
///     assert_eq!(foam.advance(&world, frame).left, SimTime::ZERO);
/// }
/// assert!(foam.at(CellPlace { x: 3, y: 2 }) < 0.8, "the wave takes it along");
/// assert_eq!(foam.total(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct VisualLayer {
    forest: Forest,
    /// Content of the cells of each leaf, 2⁻²⁴.
    planes: Vec<Box<[i64]>>,
    new: Vec<Box<[i64]>>,
    /// Eastward and northward shift of the cells of each leaf, 2⁻²⁴ cells.
    shifts: [Vec<Box<[i32]>>; 2],
    total: i64,
}

/// Most moves of one advance of a [`VisualLayer`]: 768 cells.
pub const MOVES_MOST: u32 = 256;

/// Result of an advance of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a span may be too long for one advance"]
pub struct Advance {
    /// In how many moves: 0 where nothing moves.
    pub moves: u32,
    /// The part of the span that is left, because it would take more moves than one advance makes.
    pub left: SimTime,
}

/// Why a world cannot have a layer, or something cannot be added to one.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum LayerError {
    /// The amount is negative, no number, or too much.
    Amount {
        /// The amount.
        amount: f64,
        /// The most that still fits.
        most: f64,
    },
    /// The cell is outside the world.
    Outside(CellPlace),
    /// The world has leaves of several levels, or its leaves change.
    Levels,
}

impl fmt::Display for LayerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Amount { amount, most } => {
                write!(f, "an amount of {amount} does not fit: choose 0 to {most}")
            }
            Self::Outside(CellPlace { x, y }) => {
                write!(f, "cell {x}, {y} is outside the world: choose a place on its ground")
            }
            Self::Levels => f.write_str(
                "a layer moves over leaves of one level that stay: give the world a tracer, or \
                 simulate without other levels",
            ),
        }
    }
}

impl std::error::Error for LayerError {}

thread_local! {
    static PADDED: RefCell<Box<PaddedPush>> = RefCell::new(Box::default());
}

impl VisualLayer {
    /// An empty layer on a world.
    ///
    /// # Errors
    ///
    /// [`LayerError::Levels`] where the world has leaves of several levels, or where its leaves
    /// change.
    pub fn try_new(world: &World) -> Result<Self, LayerError> {
        let forest = world.simulation().forest().clone();
        let is_level = forest.leaves().windows(2).all(|pair| pair[0].level == pair[1].level);
        if !is_level || world.adaptive.is_some() {
            return Err(LayerError::Levels);
        }
        let count = forest.leaves().len();
        let planes = vec![vec![0; TILE_CELLS].into(); count];
        let shifts = [(); 2].map(|()| vec![vec![0; TILE_CELLS].into(); count]);
        Ok(Self { forest, new: planes.clone(), planes, shifts, total: 0 })
    }

    /// Adds an amount to a cell, rounded to 2⁻²⁴.
    ///
    /// # Errors
    ///
    /// [`LayerError`] where the amount does not fit or the cell is outside; nothing changes then.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "bounded")]
    pub fn add(&mut self, world: &World, place: CellPlace, amount: f64) -> Result<(), LayerError> {
        let (leaf, cell) = world.cells().locate(place).ok_or(LayerError::Outside(place))?;
        let most = SUM_MOST - self.total();
        if !(0.0..=most).contains(&amount) {
            return Err(LayerError::Amount { amount, most });
        }
        let units = (amount * ONE as f64 + 0.5).floor() as i64;
        self.planes[leaf][cell] += units;
        self.total += units;
        Ok(())
    }

    /// Moves all content for `span` with the velocities that the world had in its last step. Cells
    /// of leaves that sleep do not move.
    ///
    /// Content moves in the fewest moves in which nothing goes farther than three cells, and in
    /// [`MOVES_MOST`] at most: of a span that would take more the first part is done, and the
    /// report says how much is left. A layer for the eye may leave it; one that must not lag is
    /// advanced again with that.
    ///
    /// # Panics
    ///
    /// If the world has other leaves than the one the layer was made for.
    pub fn advance(&mut self, world: &World, span: SimTime) -> Advance {
        let leaves = world.simulation().forest().leaves();
        assert!(leaves == self.forest.leaves(), "a layer belongs to the world it was made for");
        let maps = world.simulation.maps();
        let asleep = world.simulation().asleep();
        let awake = maps.iter().zip(asleep).filter(|(_, asleep)| !**asleep);
        let speeds = awake.flat_map(|(maps, _)| maps.velocity.iter().flat_map(|plane| &**plane));
        let fastest = speeds.fold(0.0, |most, u| maths::max(u.abs(), most));
        let cell_width_m = self.cell_width_m(world);
        let cells_in = |span: SimTime| f64::from(fastest) * span.seconds() / cell_width_m;
        let cells = cells_in(span);
        if self.total == 0 || cells <= 0.0 {
            return Advance { moves: 0, left: SimTime::ZERO };
        }
        let (span, left) = within_reach(span, cells);
        let (moves, count) = moves(cells_in(span));
        let per_speed = span.seconds() / cell_width_m / moves * f64::from(CELL);
        for (axis, shifts) in self.shifts.iter_mut().enumerate() {
            shifts.par_iter_mut().enumerate().for_each(|(leaf, shift)| {
                let factor = if asleep[leaf] { 0.0 } else { per_speed };
                for (shift, u) in shift.iter_mut().zip(&maps[leaf].velocity[axis]) {
                    *shift = whole_shift(f64::from(*u) * factor);
                }
            });
        }
        (0..count).for_each(|_| self.push(world));
        Advance { moves: count, left }
    }

    /// Width of the cells of its leaves, m.
    fn cell_width_m(&self, world: &World) -> f64 {
        let above = self.forest.leaves()[0].level - self.forest.base();
        world.cell_width_m() * f64::from(1_u32 << above)
    }

    fn push(&mut self, world: &World) {
        let Self { forest, planes, new, shifts, .. } = self;
        let simulation = world.simulation();
        forest.par_ids().zip(new.par_iter_mut()).for_each(|(leaf, out)| {
            let around = &forest.around(leaf);
            let push = PushAround {
                bed: nine(around, |leaf| &simulation.ground(leaf).bed),
                depth: nine(around, |leaf| &simulation.water(leaf).depth),
                shift_x: nine(around, |leaf| &shifts[0][leaf]),
                shift_y: nine(around, |leaf| &shifts[1][leaf]),
                content: nine(around, |leaf| &planes[leaf]),
            };
            PADDED.with_borrow_mut(|padded| padded.advance(&push, out));
        });
        std::mem::swap(planes, new);
    }

    /// Content of a cell; 0 outside the world.
    #[must_use]
    pub fn at(&self, place: CellPlace) -> f64 {
        self.forest.locate(place).map_or(0.0, |(leaf, cell)| amount(self.planes[leaf][cell]))
    }

    /// Content of all cells together: all that was added, whatever moved since.
    #[must_use]
    pub fn total(&self) -> f64 {
        debug_assert_eq!(self.planes.iter().flatten().sum::<i64>(), self.total);
        amount(self.total)
    }
}

/// The planes around a leaf.
fn nine<'a, T>(around: &[LeafId; 9], plane: impl Fn(LeafId) -> &'a [T]) -> PlanesAround<'a, T> {
    around.map(|leaf| leaf.known().map(&plane))
}

/// The part of a span in which content goes no farther than it may at once, and the rest of it;
/// in all of it, it would go so many cells.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a span")]
#[expect(clippy::cast_precision_loss, reason = "a span to the nearest")]
fn within_reach(span: SimTime, cells: f64) -> (SimTime, SimTime) {
    let most = f64::from(MOVES_MOST) * f64::from(REACH);
    if cells <= most {
        return (span, SimTime::ZERO);
    }
    let ticks = (span.ticks() as f64 * (most / cells)).floor() as u64;
    let ticks = ticks.clamp(1, span.ticks());
    (SimTime::from_ticks(ticks), SimTime::from_ticks(span.ticks() - ticks))
}

/// In how many moves content goes so many cells: as a number and as a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
fn moves(cells: f64) -> (f64, u32) {
    let moves = (cells / f64::from(REACH)).ceil().clamp(1.0, f64::from(MOVES_MOST));
    (moves, moves as u32)
}

/// A shift to the nearest 2⁻²⁴ cell, within reach.
#[expect(clippy::cast_possible_truncation, reason = "bounded here")]
fn whole_shift(shift: f64) -> i32 {
    let most = f64::from(REACH * CELL);
    (shift + 0.5).floor().clamp(-most, most) as i32
}

#[expect(clippy::cast_precision_loss, reason = "an amount to look at")]
fn amount(units: i64) -> f64 {
    units as f64 / ONE as f64
}
