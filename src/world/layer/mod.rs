//! Layers for the eye: foam, leaves, dye that only has to look right.
//!
//! Guarantees: the sum stays to the unit, over leaves of any levels and while they change; nothing
//!             passes a wall, a dry cell or a barrier that lets no water through; the same bits for
//!             any number of threads; the world's state does not depend on it.
//! Limits:     content that floats together thickens, and content moves with the velocity of the
//!             last cycle, above the depth that counts as wet. If a concentration has to be exact,
//!             or has to stay between bounds, use a tracer ([`WorldBuilder::tracer`]).
//!
//! [`WorldBuilder::tracer`]: super::WorldBuilder::tracer

mod leaves;
mod moves;

use crate::world::World;
use crate::world::saved::Saved;
use moves::Currents;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Weak};
use thalweg_engine::flow::push::REACH;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{LeafId, TILE_CELLS, TileKey};
use thalweg_engine::tile::halo_plane::PlaceIn;
use thalweg_engine::units::SimTime;

/// The amount 1 in whole units.
const ONE: i64 = 1 << 24;

/// Largest sum of all amounts.
const SUM_MOST: f64 = 274_877_906_944.0;

/// Something that drifts on the water of one world and does not touch it.
///
/// A tracer costs each step of the world; a layer costs one pass whenever it is advanced, over up
/// to three cells at once. A layer needs memory only for leaves that contain some of it, 32 KiB
/// each. Single things that drift are [`Drifters`](crate::looks::Drifters).
///
/// If leaves change, content follows them: the content of a cell of a leaf that is split is shared
/// among the wet cells below it, by area, and a leaf that is merged contains the sums. So the
/// amount per area of content at rest is the same on leaves of all levels.
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
/// let mut foam = VisualLayer::new(&world);
/// foam.add(&world, CellPlace { x: 3, y: 2 }, 1.0)?;
/// let frame = SimTime::from_seconds(0.1);
/// for _ in 0..5 {
///     world.run_until(world.time().after(frame.ticks()));
///     assert_eq!(foam.advance(&world, frame)?.left, SimTime::ZERO);
/// }
/// assert!(foam.at(CellPlace { x: 3, y: 2 }) < 0.8, "the wave takes it along");
/// assert_eq!(foam.total(), 1.0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone)]
pub struct VisualLayer {
    /// The finest level of the world's leaves.
    base: u8,
    /// Content of the cells of each leaf that contains some, 2⁻²⁴.
    planes: BTreeMap<TileKey, LayerContent>,
    total: i64,
    /// World on whose ground all content was found to be.
    seen: Weak<Saved>,
}

/// Content of 64 × 64 cells, 2⁻²⁴.
type LayerContent = Box<[i64]>;

/// Returns no content in any cell.
fn nothing() -> LayerContent {
    vec![0; TILE_CELLS].into()
}

/// Most moves of one advance of a [`VisualLayer`]: 768 cells.
pub const MOVES_MOST: u32 = 256;

/// Result of an advance of a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a span may be too long for one advance"]
pub struct Advance {
    /// Number of moves: 0 if nothing moves.
    pub moves: u32,
    /// The part of the span that is left, because it would take more moves than one advance makes.
    pub left: SimTime,
}

/// Why something cannot be added to a layer.
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
    /// The layer was made for a world of different cells, and does not fit this one.
    OtherCells {
        /// Finest level of the leaves of the world that the layer was made for.
        made_for: u8,
        /// Finest level of the leaves of this world.
        here: u8,
    },
    /// Content of the layer is where this world has no ground.
    NoGround {
        /// Tile of the layer's cell.
        tile: TileKey,
        /// Cell of the layer, on the level of that tile.
        place: CellPlace,
    },
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
            Self::OtherCells { made_for, here } => write!(
                f,
                "the layer was made for a world whose finest leaves are of level {made_for}, and \
                 those of this one are of level {here}: make a layer for this world"
            ),
            Self::NoGround { tile: TileKey { level, .. }, place: CellPlace { x, y } } => write!(
                f,
                "the layer has content in cell {x}, {y} of level {level}, where this world has no \
                 ground: make a layer for this world"
            ),
        }
    }
}

impl std::error::Error for LayerError {}

impl VisualLayer {
    /// Returns an empty layer on a world.
    #[must_use]
    pub fn new(world: &World) -> Self {
        let base = world.simulation().forest().base();
        Self { base, planes: BTreeMap::new(), total: 0, seen: Arc::downgrade(&world.saved) }
    }

    /// Adds an amount to a cell, rounded to 2⁻²⁴; a coarser cell over it gets the whole amount.
    ///
    /// # Errors
    ///
    /// [`LayerError`] if the amount does not fit, the cell is outside, or the layer does not fit
    /// this world, as for [`VisualLayer::advance`]; nothing changes then.
    #[expect(clippy::cast_possible_truncation, clippy::cast_precision_loss, reason = "bounded")]
    pub fn add(&mut self, world: &World, place: CellPlace, amount: f64) -> Result<(), LayerError> {
        let (leaf, cell) = world.cells().locate(place).ok_or(LayerError::Outside(place))?;
        // SUM_MOST is 2³⁸, or 2⁶² units of 2⁻²⁴: the sum of all content stays within an i64.
        let most = SUM_MOST - self.total();
        if !(0.0..=most).contains(&amount) {
            return Err(LayerError::Amount { amount, most });
        }
        let units = (amount * ONE as f64 + 0.5).floor() as i64;
        self.follow(world)?;
        let key = world.simulation().forest().leaves()[leaf];
        self.planes.entry(key).or_insert_with(nothing)[cell] += units;
        self.total += units;
        Ok(())
    }

    /// Moves all content for `span` with the velocities that the world had in its last step. Cells
    /// of leaves that sleep do not move.
    ///
    /// Content moves in the fewest moves in which nothing moves farther than three cells, and in at
    /// most [`MOVES_MOST`]: for a span that would need more the first part is done, and the report
    /// contains the time left. A purely visual layer may skip it; to keep up, advance the layer
    /// again by the rest.
    ///
    /// The world may differ from the one before, such as one loaded from its file, if all content
    /// is on its ground.
    ///
    /// # Errors
    ///
    /// [`LayerError::OtherCells`] and [`LayerError::NoGround`] if the layer does not fit this
    /// world; nothing changes then.
    pub fn advance(&mut self, world: &World, span: SimTime) -> Result<Advance, LayerError> {
        self.follow(world)?;
        let stays = Advance { moves: 0, left: SimTime::ZERO };
        if self.total == 0 {
            return Ok(stays);
        }
        let currents = Currents::of(world);
        let cells = currents.cells_in(span);
        if cells <= 0.0 {
            return Ok(stays);
        }
        let (span, left) = within_reach(span, cells);
        let (moves, count) = moves(currents.cells_in(span));
        (0..count).for_each(|_| self.push(&currents, span.seconds(), moves));
        Ok(Advance { moves: count, left })
    }

    /// Makes one of `moves` moves of a span.
    fn push(&mut self, currents: &Currents<'_>, span_s: f64, moves: f64) {
        let mut planes: Vec<(TileKey, LayerContent)> =
            std::mem::take(&mut self.planes).into_iter().collect();
        let pushed = planes.par_iter_mut();
        let pushed = pushed.map(|(key, content)| currents.push(*key, content, span_s, moves));
        let landed: Vec<Vec<(LeafId, LayerContent)>> = pushed.collect();
        self.planes.extend(planes);
        for (leaf, content) in landed.into_iter().flatten() {
            let own = self.planes.entry(currents.key(leaf)).or_insert_with(nothing);
            own.iter_mut().zip(content).for_each(|(own, landed)| *own += landed);
        }
        self.planes.retain(|_, content| content.iter().any(|&content| content != 0));
    }

    /// Returns the content of a cell of the finest level; 0 outside the world. A coarser leaf, as
    /// it was at the last [`VisualLayer::advance`] or [`VisualLayer::add`], has the same in each of
    /// the finest cells under one of its own: a fourth for each level.
    #[must_use]
    pub fn at(&self, place: CellPlace) -> f64 {
        let tile = TileKey::of_cell(self.base, place);
        // A coarser tile precedes all tiles that it contains.
        let Some((&leaf, content)) = self.planes.range(..=tile).next_back() else { return 0.0 };
        if leaf.level < tile.level || tile.ancestor(leaf.level) != leaf {
            return 0.0;
        }
        let (column, row) = column_row(place.index_in_tile());
        let cell = PlaceIn::of(tile, leaf).cell(column as usize, row as usize);
        amount(content[cell]) / 4.0_f64.powi(i32::from(leaf.level - tile.level))
    }

    /// Returns the content of all cells together: every added amount, wherever it has moved.
    #[must_use]
    pub fn total(&self) -> f64 {
        thalweg_engine::checked!(self.planes.values().flatten().sum::<i64>() == self.total);
        amount(self.total)
    }
}

/// Splits a span into the part in which content moves no farther than is allowed at once, and the
/// rest; in the whole span it would move `cells` cells.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a part of a span")]
#[expect(clippy::cast_precision_loss, reason = "a span to the nearest")]
fn within_reach(span: SimTime, cells: f64) -> (SimTime, SimTime) {
    let most = f64::from(MOVES_MOST) * f64::from(REACH);
    if cells <= most {
        return (span, SimTime::ZERO);
    }
    let ticks = (span.ticks() as f64 * (most / cells)).floor() as u64;
    // At least one tick passes, so that a game that repeats this with the rest comes to an end.
    let ticks = ticks.clamp(1, span.ticks());
    (SimTime::from_ticks(ticks), SimTime::from_ticks(span.ticks() - ticks))
}

/// Returns the number of moves in which content moves `cells` cells: as a number and as a count.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
fn moves(cells: f64) -> (f64, u32) {
    let moves = (cells / f64::from(REACH)).ceil().clamp(1.0, f64::from(MOVES_MOST));
    (moves, moves as u32)
}

#[expect(clippy::cast_precision_loss, reason = "an amount to look at")]
fn amount(units: i64) -> f64 {
    units as f64 / ONE as f64
}
