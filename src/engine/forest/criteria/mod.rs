//! Criteria: requests for detail at places, with priorities.
//!
//! Each criterion examines a leaf and requests how fine its place should be. A place gets the
//! finest level that any criterion requests, with the highest priority of the criteria that request
//! it.
//!
//! Guarantees: a leaf that one criterion refines is not merged by another; between *needs* and
//!             *keeps* nothing changes, so a leaf at a threshold does not flicker.
//! Limits:     a criterion should request for a tile the level that it requests for the most
//!             demanding of its quarters. A criterion that requests less for the whole than for its
//!             parts refines too late; one that requests more, and is not a measure of the planes,
//!             refines in vain.

mod area;
mod measure;
mod observer;
mod region;

pub use area::Rectangle;
pub use measure::{Feature, Measure};
pub use observer::{Observer, ObserverOptions};
pub use region::{Place, Places, Region};

pub use crate::forest::facts::LeafFacts;

use crate::grid::TileKey;
use crate::grid::cells::{CellPlace, TILE_WIDTH_U32};
use crate::terrain::Terrain;
use std::fmt;

/// A rule that requests detail. A game can add its own criteria; they must be `Clone` too, so that
/// the world can be copied. If a criterion panics and the game catches the panic, the world loses
/// one plan.
pub trait Criterion: Copied + fmt::Debug + Send + Sync {
    /// Returns the criterion's request for the place of a leaf.
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request;
}

/// A criterion that can be copied; implemented for every criterion that is `Clone`.
pub trait Copied {
    /// Returns a copy.
    fn copied(&self) -> Box<dyn Criterion>;
}

impl<T: Criterion + Clone + 'static> Copied for T {
    fn copied(&self) -> Box<dyn Criterion> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Criterion> {
    fn clone(&self) -> Self {
        self.as_ref().copied()
    }
}

/// Request of a criterion for the place of a leaf.
///
/// Levels finer than the world's simulated cells mean those of the cells, and levels coarser than
/// the world's coarsest mean that one. `keeps` above `needs` means `needs`. Priorities beyond ±1000
/// mean ±1000; NaN means −1000.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Request {
    /// The place should be at least as fine as this level.
    pub needs: u8,
    /// The place may stay as fine as this level if it is so fine already.
    pub keeps: u8,
    /// Priority when cells are scarce: larger ones are served first.
    pub priority: f32,
}

impl Request {
    /// A request for nothing.
    pub const NOTHING: Self = Self { needs: u8::MAX, keeps: u8::MAX, priority: -PRIORITY_MOST };

    /// Requests exactly `level`.
    #[must_use]
    pub fn level(level: u8, priority: f32) -> Self {
        Self { needs: level, keeps: level, priority }
    }

    /// Returns a copy clamped to the levels of a world and the range of priorities.
    pub(super) fn tidy(self, world: &Scale) -> Self {
        let needs = self.needs.clamp(world.base, world.coarsest);
        let is_number = !self.priority.is_nan();
        let priority = if is_number { self.priority } else { -PRIORITY_MOST };
        Self {
            needs,
            keeps: self.keeps.clamp(world.base, needs),
            // An `f32` near 1000 has steps of 6 · 10⁻⁵: the margin of urgency, 0.25, and the
            // nearness that observers add, up to 1, still count.
            priority: priority.clamp(-PRIORITY_MOST, PRIORITY_MOST),
        }
    }
}

/// Largest priority; its negative is the smallest.
pub const PRIORITY_MOST: f32 = 1000.0;

/// Largest coordinate and length that a criterion may name, m.
const REACH_M: f64 = 1.0e9;

/// The world as criteria see it: a rectangle of cells with its south-west corner at 0, 0.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    base: u8,
    coarsest: u8,
    cell_width_m: f64,
    columns: u32,
    rows: u32,
}

impl Scale {
    /// Creates a world of `size` cells of level `base`, each `cell_width_m` wide, whose leaves have
    /// levels up to `coarsest`.
    ///
    /// # Errors
    ///
    /// [`CriterionError`] if the levels are out of order or beyond those of a terrain, if the width
    /// is not positive, or if the world has no cells or more than 2²⁰ cells a side.
    pub fn try_new(
        base: u8,
        coarsest: u8,
        cell_width_m: f64,
        size: CellPlace,
    ) -> Result<Self, CriterionError> {
        check_level("the coarsest level of the world's leaves", coarsest, base, Terrain::LEVELS)?;
        let width = ("the width of a cell", cell_width_m, "more than 0, at most 10⁵ m");
        check_number(width, cell_width_m > 0.0 && cell_width_m <= 1.0e5)?;
        for cells in [size.x, size.y] {
            let number = ("a side of the world in cells", f64::from(cells), "1 to 2²⁰");
            check_number(number, (1..=1 << 20).contains(&cells))?;
        }
        Ok(Self { base, coarsest, cell_width_m, columns: size.x, rows: size.y })
    }

    /// Returns the level of the world's simulated cells, the finest of its leaves.
    #[must_use]
    pub fn base(&self) -> u8 {
        self.base
    }

    /// Returns the coarsest level of the world's leaves.
    #[must_use]
    pub fn coarsest(&self) -> u8 {
        self.coarsest
    }

    /// Returns the width of the cells of `level`, m.
    ///
    /// # Panics
    ///
    /// If the level is finer than [`Scale::base`].
    #[must_use]
    pub fn cell_width_m(&self, level: u8) -> f64 {
        self.cell_width_m * f64::from(1_u32 << (level - self.base))
    }

    /// Returns the rectangle of a tile, m.
    #[must_use]
    pub fn area(&self, key: TileKey) -> Rectangle {
        let width_m = self.cell_width_m(key.level) * f64::from(TILE_WIDTH_U32);
        let (x, y) = (f64::from(key.x), f64::from(key.y));
        Rectangle {
            west: x * width_m,
            south: y * width_m,
            east: (x + 1.0) * width_m,
            north: (y + 1.0) * width_m,
        }
    }

    /// Returns the rectangle of a cell of level [`Scale::base`], m.
    #[must_use]
    pub fn cell_area(&self, place: CellPlace) -> Rectangle {
        let (x, y) = (f64::from(place.x), f64::from(place.y));
        Rectangle {
            west: x * self.cell_width_m,
            south: y * self.cell_width_m,
            east: (x + 1.0) * self.cell_width_m,
            north: (y + 1.0) * self.cell_width_m,
        }
    }

    /// Returns the number of columns and rows of tiles of `level`.
    #[must_use]
    pub fn tiles(&self, level: u8) -> (u32, u32) {
        let width = TILE_WIDTH_U32 << (level - self.base);
        (self.columns.div_ceil(width), self.rows.div_ceil(width))
    }
}

/// Reason why a criterion is invalid.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum CriterionError {
    /// A number is out of range.
    Number {
        /// Name of the number.
        what: String,
        /// Value given.
        value: f64,
        /// Range in which the value should be.
        range: &'static str,
    },
    /// A level is not one of the world's.
    Level {
        /// Thing that has the level.
        what: String,
        /// The level.
        level: u8,
        /// The finest level of the world.
        finest: u8,
        /// The coarsest level of the world.
        coarsest: u8,
    },
    /// A rectangle whose sides are out of order, or a polygon without an area.
    NoArea {
        /// Thing that has no area.
        what: String,
        /// Advice on the area that it should have.
        mend: &'static str,
    },
    /// An observer without a radius.
    NoRadius {
        /// Position of the observer, m.
        position_m: [f64; 2],
    },
}

impl fmt::Display for CriterionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number { what, value, range } => write!(f, "{what} is {value}: choose {range}"),
            Self::Level { what, level, finest, coarsest } => {
                write!(f, "{what} is {level}: choose {finest} (finest) to {coarsest} (coarsest)")
            }
            Self::NoArea { what, mend } => write!(f, "{what} has no area: {mend}"),
            Self::NoRadius { position_m: [x, y] } => {
                write!(f, "the observer at {x}, {y} m has no radius: give at least one")
            }
        }
    }
}

impl std::error::Error for CriterionError {}

/// Checks that a number is finite and `is_in_range`; the error names it, its value and its range.
fn check_number(
    (what, value, range): (&str, f64, &'static str),
    is_in_range: bool,
) -> Result<(), CriterionError> {
    let error = || CriterionError::Number { what: what.to_owned(), value, range };
    if is_in_range { Ok(()) } else { Err(error()) }
}

fn check_level(what: &str, level: u8, finest: u8, coarsest: u8) -> Result<(), CriterionError> {
    let error = || CriterionError::Level { what: what.to_owned(), level, finest, coarsest };
    if (finest..=coarsest).contains(&level) { Ok(()) } else { Err(error()) }
}

fn check_priority(what: &str, priority: f32) -> Result<(), CriterionError> {
    let is_in_range = (-PRIORITY_MOST..=PRIORITY_MOST).contains(&priority);
    let what = format!("the priority of {what}");
    check_number((&what, f64::from(priority), "−1000 to 1000"), is_in_range)
}

fn check_coordinates(what: &str, place_m: [f64; 2]) -> Result<(), CriterionError> {
    for (axis, value) in ["x", "y"].into_iter().zip(place_m) {
        let what = format!("{axis} of {what}");
        let is_in_range = (-REACH_M..=REACH_M).contains(&value);
        check_number((&what, value, "−10⁹ to 10⁹ m"), is_in_range)?;
    }
    Ok(())
}
