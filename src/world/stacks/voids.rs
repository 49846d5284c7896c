//! Voids: intervals that a world is built with.

use crate::world::stacks::StackError;
use std::collections::BTreeSet;
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;

/// Stage of the first water of an interval, by its cell, bed and ceiling, m; NaN leaves it dry.
pub(in crate::world) type StageBelow = Box<dyn Fn(CellPlace, [f64; 2]) -> f64 + Send + Sync>;

/// A part of some cells without rock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::world) struct VoidSpan {
    /// South-west cell, of the simulated level.
    pub low: CellPlace,
    /// Columns and rows from there.
    pub size: [u32; 2],
    /// Lowest and highest place, m.
    pub span_m: [f64; 2],
    /// Whether the span joins carved spans that it touches; if not, it must touch no span of its
    /// cells.
    pub is_carved: bool,
}

impl VoidSpan {
    fn of_cell(place: CellPlace, span_m: [f64; 2], is_carved: bool) -> Self {
        Self { low: place, size: [1; 2], span_m, is_carved }
    }

    /// Returns the north-east cell.
    pub fn last(&self) -> CellPlace {
        let Self { low: CellPlace { x, y }, size: [width, height], .. } = *self;
        CellPlace { x: x.saturating_add(width - 1), y: y.saturating_add(height - 1) }
    }

    /// Returns all cells, row by row.
    pub fn places(&self) -> impl Iterator<Item = CellPlace> {
        let (low, last) = (self.low, self.last());
        (low.y..=last.y).flat_map(move |y| (low.x..=last.x).map(move |x| CellPlace { x, y }))
    }

    /// Returns the tiles of a level that contain the cells.
    pub fn tiles(&self, level: u8) -> impl Iterator<Item = TileKey> {
        let [low, last] = [self.low, self.last()].map(|place| TileKey::of_cell(level, place));
        (low.y..=last.y).flat_map(move |y| (low.x..=last.x).map(move |x| TileKey { level, x, y }))
    }
}

/// Intervals that a world is built with, below the ground of its cells.
///
/// # Examples
///
/// ```
/// use thalweg::prelude::*;
/// let mut voids = Voids::new();
/// // A hall of 8 × 8 cells, and a tunnel that leads into it.
/// voids.carve(CellPlace { x: 20, y: 20 }, CellPlace { x: 28, y: 28 }, [-4.0, 1.0]);
/// voids.carve(CellPlace { x: 10, y: 23 }, CellPlace { x: 24, y: 25 }, [-4.0, -2.0]);
/// // A single interval, which must touch no other.
/// voids.interval(CellPlace { x: 40, y: 40 }, [2.0, 3.0]);
/// let terrain = Terrain::from_heights([64, 64], 1.0, |_, _| 5.0)?;
/// let world = WorldBuilder::new(terrain).voids(voids).build()?;
/// assert_eq!(world.stacks().count(), 8 * 8 + 10 * 2 + 1);
/// # Ok::<(), thalweg::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Voids {
    pub(in crate::world) spans: Vec<VoidSpan>,
}

impl Voids {
    /// Creates an empty list.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an interval of a cell of the simulated level, from its bed to its ceiling, m. It must
    /// not touch another interval of the cell.
    pub fn interval(&mut self, place: CellPlace, span_m: [f64; 2]) -> &mut Self {
        self.spans.push(VoidSpan::of_cell(place, span_m, false));
        self
    }

    /// Removes the rock of the cells from `low` to below `high`, from a bed to a ceiling, m. Carved
    /// parts of a cell that overlap or touch become one interval.
    pub fn carve(&mut self, low: CellPlace, high: CellPlace, span_m: [f64; 2]) -> &mut Self {
        let size = [high.x.saturating_sub(low.x), high.y.saturating_sub(low.y)];
        if !size.contains(&0) {
            self.spans.push(VoidSpan { low, size, span_m, is_carved: true });
        }
        self
    }

    /// Returns true if the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

impl Extend<(CellPlace, [f64; 2])> for Voids {
    /// Adds carved parts of cells, each from a bed to a ceiling, m.
    fn extend<T: IntoIterator<Item = (CellPlace, [f64; 2])>>(&mut self, parts: T) {
        let carved = |(place, span_m)| VoidSpan::of_cell(place, span_m, true);
        self.spans.extend(parts.into_iter().map(carved));
    }
}

impl FromIterator<(CellPlace, [f64; 2])> for Voids {
    fn from_iter<T: IntoIterator<Item = (CellPlace, [f64; 2])>>(parts: T) -> Self {
        let mut voids = Self::new();
        voids.extend(parts);
        voids
    }
}

/// Returns the tiles of the base level with voids, and the tiles around them: they stay leaves.
pub(in crate::world) fn pinned_tiles(tiles: impl Iterator<Item = TileKey>) -> BTreeSet<TileKey> {
    let mut pinned = BTreeSet::new();
    for key in tiles.collect::<BTreeSet<TileKey>>() {
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let beside = key.x.checked_add_signed(dx).zip(key.y.checked_add_signed(dy));
            pinned.extend(beside.map(|(x, y)| TileKey { x, y, ..key }));
        }
    }
    pinned
}

/// Checks that all cells of voids are within the rectangle of the map.
///
/// # Errors
///
/// [`StackError::Outside`] names the first span with cells beyond it.
pub(in crate::world) fn check_voids(
    voids: &Voids,
    (width, height): (usize, usize),
) -> Result<(), StackError> {
    let is_beyond = |place: &CellPlace| {
        let [x, y] = place.indices();
        x >= width || y >= height
    };
    match voids.spans.iter().map(VoidSpan::last).find(is_beyond) {
        Some(place) => Err(StackError::Outside { place }),
        None => Ok(()),
    }
}
