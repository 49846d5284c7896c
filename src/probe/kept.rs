//! Places and polygons that are read again and again: their cells are found once.
//!
//! ```text
//! leaves that change their levels ──► [`Query::keep_point`], [`Query::keep_area`]
//! leaves whose water changes      ──► [`Query::depth_max_m`], [`Query::depth_and_stage_m`]
//! ```
//!
//! Guarantees: answers are those of [`Query::over`] and [`Query::at`], to the bit; they stay until
//!             one of the leaves that are kept with them changes
//!             (`what_is_kept_answers_as_what_is_asked`).
//! Limits:     valid only for the leaves they were made for.
//! Source:     own.

use crate::probe::Query;
use crate::probe::area::{WHOLE, each_finest, each_part, index};
use crate::probe::cursor::{Cursor, DischargeNeed};
use std::collections::BTreeSet;
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32};
use thalweg_engine::grid::{LeafId, TileKey};

/// Cells of the leaf at a place, or of the coarsest one under a polygon, within which further
/// leaves may affect the answer: finest cells get the surface over their coarse cell, which depends
/// on cells two away, twice as wide in a coarser leaf. Four cells would be enough for
/// that; this is twice as many.
const REACH_CELLS: f64 = 8.0;

/// A leaf, by its place and by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LeafAt {
    /// Place of the leaf.
    pub key: TileKey,
    /// Number of the leaf in the forest.
    pub id: LeafId,
}

impl LeafAt {
    /// Reads the number of the leaf from a forest; returns false if it is not a leaf there.
    pub fn find_again(&mut self, forest: &Forest) -> bool {
        let found = forest.find(self.key);
        self.id = found.unwrap_or(self.id);
        found.is_some()
    }
}

/// The cells of a polygon.
#[derive(Debug, Clone)]
pub(crate) struct AreaCells {
    /// Cells in each leaf that the polygon meets, in their order.
    leaves: Vec<LeafCells>,
}

/// The cells of a polygon in one leaf.
#[derive(Debug, Clone)]
struct LeafCells {
    leaf: LeafAt,
    /// Cells that count with their own depth: runs from west to east, the first and their count.
    runs: Vec<[u16; 2]>,
    /// Cells whose finest cells count, and these finest cells.
    cut: Vec<(usize, Vec<CellPlace>)>,
}

impl AreaCells {
    /// Reads the numbers of its leaves from a forest; returns false if one is not a leaf there.
    pub fn find_again(&mut self, forest: &Forest) -> bool {
        self.leaves.iter_mut().all(|part| part.leaf.find_again(forest))
    }
}

impl LeafCells {
    fn new(leaf: LeafAt) -> Self {
        Self { leaf, runs: Vec::new(), cut: Vec::new() }
    }

    /// Adds a cell, south-west ones first.
    fn add(&mut self, cell: usize) {
        let cell = u16::try_from(cell).expect("4096 cells");
        match self.runs.last_mut() {
            Some([from, count]) if *from + *count == cell => *count += 1,
            _ => self.runs.push([cell, 1]),
        }
    }

    fn cells(&self) -> impl Iterator<Item = usize> {
        self.runs.iter().flat_map(|&[from, count]| run(from, count))
    }
}

fn run(from: u16, count: u16) -> std::ops::Range<usize> {
    usize::from(from)..usize::from(from + count)
}

impl Query<'_> {
    /// Returns the leaves on which the answer at a place depends; `None` outside the world.
    pub(crate) fn keep_point(&self, place_m: [f64; 2]) -> Option<Vec<LeafAt>> {
        let (leaf, cell) = self.forest.locate(self.base_cell(place_m)?)?;
        self.leaves.ground(leaf).is_inside(cell).then(|| {
            let reach_m = REACH_CELLS * self.cell_width_m(self.forest.leaves()[leaf].level);
            self.leaves_near(&[place_m], reach_m)
        })
    }

    /// Returns the cells of a polygon, and the leaves on which answers depend; `None` if it
    /// contains no ground. Corners are those of an outline (`src/probe/area.rs`).
    pub(crate) fn keep_area(&self, corners_m: &[[f64; 2]]) -> Option<(AreaCells, Vec<LeafAt>)> {
        let mut leaves = self.leaves_near(corners_m, 0.0);
        let parts = leaves.iter().filter_map(|&leaf| self.cells_in(leaf, corners_m));
        let area = AreaCells { leaves: parts.collect() };
        let is_ground = |part: &LeafCells| {
            let ground = self.leaves.ground(part.leaf.id);
            let cut = part.cut.iter().map(|(cell, _)| *cell);
            part.cells().chain(cut).any(|cell| ground.is_inside(cell))
        };
        if !area.leaves.iter().any(is_ground) {
            return None;
        }
        if area.leaves.iter().any(|part| !part.cut.is_empty()) {
            let coarsest = leaves.iter().map(|leaf| leaf.key.level).max().unwrap_or(0);
            leaves = self.leaves_near(corners_m, REACH_CELLS * self.cell_width_m(coarsest));
        }
        Some((area, leaves))
    }

    /// Returns the largest depth over a polygon, m: that of [`Query::over`].
    pub(crate) fn depth_max_m(&self, area: &AreaCells) -> f64 {
        area.leaves.iter().map(|part| self.depth_max_in(part)).fold(0.0, f64::max)
    }

    fn depth_max_in(&self, part: &LeafCells) -> f64 {
        let leaf = part.leaf.id;
        let depth = self.depth(leaf);
        let ground = self.leaves.ground(leaf);
        let most = if ground.columns.is_none() {
            let runs = part.runs.iter().map(|&[from, count]| &depth[run(from, count)]);
            let most = runs.flatten().fold(0, |most, &own| most.max(own));
            if most >= self.wet { most } else { 0 }
        } else {
            let wet = part.cells().filter(|&cell| self.is_wet(leaf, cell));
            wet.fold(0, |most, cell| most.max(ground.deepest(cell, depth[cell])))
        };
        let most_m = self.scale.depth_m(most);
        let mut cursor = Cursor::new(*self, leaf, DischargeNeed::Unwanted);
        let wet = part.cut.iter().filter(|(cell, _)| self.is_wet(leaf, *cell));
        let finest = wet.flat_map(|(_, finest)| finest);
        finest.fold(most_m, |most_m, &place| {
            most_m.max(cursor.finest(leaf, place).depth * self.scale.unit_m())
        })
    }

    /// Returns the cells of a polygon in a leaf; `None` if they do not meet.
    fn cells_in(&self, leaf: LeafAt, corners_m: &[[f64; 2]]) -> Option<LeafCells> {
        let mut cells = LeafCells::new(leaf);
        let width = self.cell_width_m(leaf.key.level);
        let has_tables = self.finest.is_some() && self.leaves.ground(leaf.id).columns.is_some();
        each_part(leaf.key, width, corners_m, &mut |place, part| match part.cut {
            Some(inner) if has_tables && part.area < WHOLE => {
                let mut finest = Vec::new();
                each_finest(leaf.key, place, inner, &mut |place, area| {
                    finest.extend((area > 0.0).then_some(place));
                });
                if !finest.is_empty() {
                    cells.cut.push((index(place), finest));
                }
            }
            _ if part.area > 0.0 => cells.add(index(place)),
            _ => {}
        });
        let is_some = !cells.runs.is_empty() || !cells.cut.is_empty();
        is_some.then_some(cells)
    }

    /// Returns the leaves within some metres of the rectangle around some points, in their order.
    fn leaves_near(&self, points_m: &[[f64; 2]], reach_m: f64) -> Vec<LeafAt> {
        let base = self.forest.base();
        let tile_m = f64::from(TILE_WIDTH_U32) * self.cell_width_m;
        // Places have 32 bits: 2²⁶ tiles of 64 cells.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let tile = |metres: f64| (metres / tile_m).floor().clamp(0.0, f64::from(1 << 26)) as u32;
        let [columns, rows] = [0, 1].map(|axis| {
            let along = || points_m.iter().map(|point| point[axis]);
            let low = along().fold(f64::INFINITY, f64::min) - reach_m;
            let high = along().fold(f64::NEG_INFINITY, f64::max) + reach_m;
            tile(low)..=tile(high)
        });
        let mut found = BTreeSet::new();
        for y in rows {
            let tiles = columns.clone().map(|x| TileKey { level: base, x, y });
            found.extend(tiles.filter_map(|tile| self.forest.covering(tile)));
        }
        found.into_iter().map(|id| LeafAt { key: self.forest.leaves()[id], id }).collect()
    }
}
