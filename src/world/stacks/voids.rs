//! Voids: intervals that a world is built with.

use crate::grid::cells::CellPlace;

/// A part of a cell that holds no rock.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::world) struct Span {
    /// The cell, of the simulated level.
    pub place: CellPlace,
    /// Lowest and highest place, m.
    pub span_m: [f64; 2],
    /// Joins with others of the kind that it touches; else it must stand apart.
    pub is_carved: bool,
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
    pub(in crate::world) spans: Vec<Span>,
}

impl Voids {
    /// None.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an interval of a cell of the simulated level, from its bed to its ceiling, m. It must
    /// stand apart from all others of the cell.
    pub fn interval(&mut self, place: CellPlace, span_m: [f64; 2]) -> &mut Self {
        self.spans.push(Span { place, span_m, is_carved: false });
        self
    }

    /// Takes the rock out of the cells from `low` to below `high`, from a bed to a ceiling, m.
    /// Carved parts of a cell that overlap or touch become one interval.
    pub fn carve(&mut self, low: CellPlace, high: CellPlace, span_m: [f64; 2]) -> &mut Self {
        for y in low.y..high.y {
            for x in low.x..high.x {
                let place = CellPlace { x, y };
                self.spans.push(Span { place, span_m, is_carved: true });
            }
        }
        self
    }

    /// True where there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }
}

impl Extend<(CellPlace, [f64; 2])> for Voids {
    /// Adds carved parts of cells, each from a bed to a ceiling, m.
    fn extend<T: IntoIterator<Item = (CellPlace, [f64; 2])>>(&mut self, parts: T) {
        let carved = |(place, span_m)| Span { place, span_m, is_carved: true };
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
