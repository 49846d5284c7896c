//! Leaves as grids of vertices for drawing, without cracks between levels.
//!
//! A leaf has 65 × 65 vertices, the corners of its cells. The values of a vertex depend on its
//! place only, not on the leaf that draws it:
//!
//! - with L the coarsest level of the leaves that touch it, at a corner of L's cells: the mean of
//!   the four cells of level L around it, finer ones averaged, the stage over wet ones only;
//! - else it is in the middle of a side of a coarse cell: the mean of that side's two ends.
//!
//! ```text
//!   coarse │ fine          ● shared by both: the mean of four coarse cells
//!          ●───┬──         ○ hangs on the coarse side: the mean of the two ●
//!          ○───┼──
//!          ●───┴──
//! ```
//!
//! Drawn as a grid, a fine leaf's edge is on the coarse leaf's. As no renderer's rounding can be
//! trusted with that, [`LeafMesh::triangles`] leaves the hanging vertices out: then both leaves
//! draw the same lines between the same points.
//!
//! Guarantees: vertices at one place are equal to the bit in all leaves, hanging ones are half way;
//!             every line of the triangles belongs to two of them or to the border of the ground
//!             (`triangles_leave_no_crack`).
//! Limits:     corners smooth: a peak one cell wide is drawn a quarter as high. Beds are means, so
//!             a river in a sub-grid column may be below the bed that is drawn: rasters of finer
//!             cells show it.

use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::query::check_places;
use crate::probe::sum::CellSum;
use crate::probe::{Query, QueryError};
use rayon::prelude::*;
use thalweg_engine::grid::{LeafId, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::tile::Ground;

/// Vertices along each side of a leaf.
pub const MESH_WIDTH: usize = TILE_WIDTH + 1;

/// A surface to draw.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Skin {
    /// The ground.
    Bed,
    /// The water: wet cells only. At the shore it reaches as far as the last wet cell does, mostly
    /// into the bank.
    Water,
}

/// The vertices of a leaf, 65 rows from south to north of 65 from west to east.
#[derive(Debug, Clone)]
pub struct LeafMesh {
    /// Place of the leaf.
    pub key: TileKey,
    /// South-west vertex of the leaf, m.
    pub corner_m: [f64; 2],
    /// Distance from vertex to vertex, m.
    pub cell_width_m: f64,
    /// Bed, m; NaN if no cell around is inside the world.
    pub bed_m: Vec<f32>,
    /// Stage of the wet cells around, m; NaN if no cell around is wet.
    pub stage_m: Vec<f32>,
    /// Depth, m.
    pub depth_m: Vec<f32>,
    /// Sides at which the leaf beyond is coarser.
    pub coarser: Vec<Side>,
    is_inside: Vec<bool>,
    is_wet: Vec<bool>,
}

impl LeafMesh {
    /// Returns the triangles over the leaf's cells, as indices of vertices, anticlockwise from
    /// above. Odd vertices on sides with a coarser leaf are in no triangle.
    #[must_use]
    pub fn triangles(&self, skin: Skin) -> Vec<[u16; 3]> {
        let shown = match skin {
            Skin::Bed => &self.is_inside,
            Skin::Water => &self.is_wet,
        };
        let mut triangles = Vec::new();
        for cell in (0..shown.len()).filter(|&cell| shown[cell]) {
            let (x, y) = (cell % TILE_WIDTH, cell / TILE_WIDTH);
            let [a, b, c, d] = [(x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)];
            // The diagonal from the south-west: a corner pulled to the next even one then flattens
            // a triangle, and never turns one over.
            for corners in [[a, b, c], [a, c, d]] {
                let [a, b, c] = corners.map(|(x, y)| self.drawn(shown, x, y));
                if a != b && b != c && c != a {
                    triangles.push([a, b, c]);
                }
            }
        }
        triangles
    }

    /// Returns the index of a vertex; for one that hangs on a coarser leaf between two cells that
    /// are shown, that of its neighbour to the south or west.
    fn drawn(&self, shown: &[bool], x: usize, y: usize) -> u16 {
        let is_shown = |x: usize, y: usize| shown[y * TILE_WIDTH + x];
        let (column, row) = (x.min(TILE_WIDTH - 1), y.min(TILE_WIDTH - 1));
        let hangs_on_column = y % 2 == 1
            && self.is_at_coarser(x, Side::West, Side::East)
            && is_shown(column, y - 1)
            && is_shown(column, row);
        let hangs_on_row = x % 2 == 1
            && self.is_at_coarser(y, Side::South, Side::North)
            && is_shown(x - 1, row)
            && is_shown(column, row);
        let (x, y) = (x - usize::from(hangs_on_row), y - usize::from(hangs_on_column));
        u16::try_from(y * MESH_WIDTH + x).expect("65² vertices")
    }

    /// True for the first or last column (row) of vertices if the leaf beyond is coarser.
    fn is_at_coarser(&self, at: usize, low: Side, high: Side) -> bool {
        (at == 0 && self.coarser.contains(&low))
            || (at == TILE_WIDTH && self.coarser.contains(&high))
    }
}

impl Query<'_> {
    /// Returns the vertices of one leaf.
    ///
    /// # Panics
    ///
    /// If the world has no such leaf.
    #[must_use]
    pub fn mesh(&self, leaf: LeafId) -> LeafMesh {
        self.mesh_with(leaf, DischargeNeed::Unwanted, |_| ())
    }

    /// Returns the mesh of one leaf; calls `see` with each vertex.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub(super) fn mesh_with(
        &self,
        leaf: LeafId,
        flows: DischargeNeed,
        mut see: impl FnMut(&Vertex),
    ) -> LeafMesh {
        let key = self.forest.leaves()[leaf];
        let shift = key.level - self.forest.base();
        let corner = [key.corner().x, key.corner().y].map(|v| i64::from(v) << shift);
        let plane = || Vec::with_capacity(MESH_WIDTH * MESH_WIDTH);
        let (mut bed_m, mut stage_m, mut depth_m) = (plane(), plane(), plane());
        let mut cursor = Cursor::new(*self, leaf, flows);
        let own: Vec<CellSum> = (0..TILE_CELLS).map(|cell| cursor.own(leaf, cell)).collect();
        let last = MESH_WIDTH - 1;
        for (row, column) in (0..=last).flat_map(|y| (0..=last).map(move |x| (y, x))) {
            let vertex = if [row, column].iter().all(|&v| v > 0 && v < last) {
                let at = (row - 1) * TILE_WIDTH + column - 1;
                let four = [at, at + 1, at + TILE_WIDTH, at + TILE_WIDTH + 1];
                Vertex::of_four(four.map(|at| &own[at]), self, f64::from(1_u32 << shift))
            } else {
                let along = |corner: i64, step: usize| corner + ((step as i64) << shift);
                cursor.vertex(along(corner[0], column), along(corner[1], row))
            };
            see(&vertex);
            bed_m.push(vertex.bed.map_or(f32::NAN, |bed| self.elevation_m(bed) as f32));
            stage_m.push(vertex.stage.map_or(f32::NAN, |stage| self.elevation_m(stage) as f32));
            depth_m.push((vertex.depth * self.scale.unit_m()) as f32);
        }
        let is_coarser = |side: &Side| self.forest.across(leaf, *side).is_coarser();
        let ground: &Ground = self.leaves.ground(leaf);
        let cells = self.depth(leaf).len();
        let cell_width_m = self.cell_width_m(key.level);
        LeafMesh {
            key,
            corner_m: [key.corner().x, key.corner().y].map(|v| f64::from(v) * cell_width_m),
            cell_width_m,
            bed_m,
            stage_m,
            depth_m,
            coarser: Side::ALL.into_iter().filter(is_coarser).collect(),
            is_inside: (0..cells).map(|cell| ground.is_inside(cell)).collect(),
            is_wet: (0..cells).map(|cell| self.is_wet(leaf, cell)).collect(),
        }
    }

    /// Returns the leaves that touch a rectangle.
    pub(super) fn touching(
        &self,
        low_m: [f64; 2],
        high_m: [f64; 2],
    ) -> impl Iterator<Item = LeafId> + use<'_> {
        self.forest.ids().filter(move |leaf| {
            let key = self.forest.leaves()[*leaf];
            let width = self.cell_width_m(key.level);
            let corner = [key.corner().x, key.corner().y].map(|v| f64::from(v) * width);
            let tile = width * f64::from(thalweg_engine::grid::cells::TILE_WIDTH_U32);
            (0..2).all(|i| corner[i] <= high_m[i] && corner[i] + tile >= low_m[i])
        })
    }

    /// Returns the vertices of all leaves that touch a rectangle, in parallel.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] if a corner is not a finite number: 0 the south-western, 1 the
    /// north-eastern one.
    pub fn meshes(
        &self,
        low_m: impl Into<[f64; 2]>,
        high_m: impl Into<[f64; 2]>,
    ) -> Result<Vec<LeafMesh>, QueryError> {
        let (low_m, high_m) = (low_m.into(), high_m.into());
        check_places(&[low_m, high_m])?;
        let leaves: Vec<LeafId> = self.touching(low_m, high_m).collect();
        Ok(leaves.into_par_iter().map(|leaf| self.mesh(leaf)).collect())
    }
}

/// Values of a vertex, vertical units and m/s.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Vertex {
    pub bed: Option<f64>,
    pub stage: Option<f64>,
    pub depth: f64,
    /// Rise of bed and of stage from cell to cell eastward and northward, over the width of cells
    /// of the base level.
    pub slopes: [[f64; 2]; 2],
    /// Velocity, and its decrease from cell to cell.
    pub velocity: [f64; 2],
    pub drop: f64,
}

impl Vertex {
    /// Returns the vertex half way between two vertices; if only one of them has a bed or a stage,
    /// the result has that one.
    fn between(a: Self, b: Self) -> Self {
        let mean = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => Some(0.5 * (a + b)),
            (one, other) => one.or(other),
        };
        let half = |a: [f64; 2], b: [f64; 2]| [0, 1].map(|i| 0.5 * (a[i] + b[i]));
        Self {
            bed: mean(a.bed, b.bed),
            stage: mean(a.stage, b.stage),
            depth: 0.5 * (a.depth + b.depth),
            slopes: [0, 1].map(|of| half(a.slopes[of], b.slopes[of])),
            velocity: half(a.velocity, b.velocity),
            drop: 0.5 * (a.drop + b.drop),
        }
    }

    /// Returns the vertex at the corner of four cells, south-west, south-east, north-west,
    /// north-east, each `width` cells of the base level wide.
    pub(super) fn of_four(cells: [&CellSum; 4], query: &Query<'_>, width: f64) -> Self {
        let mut sum = CellSum::default();
        cells.iter().for_each(|cell| sum.add(0.25, cell));
        let bed = cells.map(CellSum::bed_mean);
        let stage = cells.map(CellSum::stage_mean);
        // A dry cell gets the mean velocity: banks do not stop water that runs along them.
        let velocity =
            |cell: &CellSum| query.velocity(if cell.depth_at() > 0.0 { cell } else { &sum });
        let [a, b, c, d] = cells.map(velocity);
        Self {
            bed: sum.bed_mean(),
            stage: sum.stage_mean(),
            depth: sum.depth_at(),
            slopes: [slopes(bed, width), slopes(stage, width)],
            velocity: query.velocity(&sum),
            drop: 0.5 * ((a[0] + c[0] - b[0] - d[0]) + (a[1] + b[1] - c[1] - d[1])),
        }
    }
}

/// Returns the mean rise eastward and northward between the present ones of four values.
fn slopes([a, b, c, d]: [Option<f64>; 4], width: f64) -> [f64; 2] {
    let mean = |pairs: [(Option<f64>, Option<f64>); 2]| {
        let rise = |(from, to): (Option<f64>, Option<f64>)| Some((to? - from?) / width);
        match pairs.map(rise) {
            [Some(a), Some(b)] => 0.5 * (a + b),
            [one, other] => one.or(other).unwrap_or(0.0),
        }
    };
    [mean([(a, b), (c, d)]), mean([(a, c), (b, d)])]
}

impl Cursor<'_> {
    /// Returns the vertex at a corner of base cells, counted from the south-west corner of the
    /// world.
    pub(super) fn vertex(&mut self, x: i64, y: i64) -> Vertex {
        let base = self.base();
        let around = [(x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y)];
        let levels = around.map(|(x, y)| self.leaf_level(base, x, y));
        let Some(level) = levels.into_iter().flatten().max() else { return Vertex::default() };
        let cells = 1_i64 << (level - base);
        let is_on = |v: i64| v.rem_euclid(cells) == 0;
        match (is_on(x), is_on(y)) {
            (true, true) => self.corner_of_cells(level, x, y),
            (true, _) => {
                let south = y.div_euclid(cells) * cells;
                Vertex::between(self.vertex(x, south), self.vertex(x, south + cells))
            }
            _ => {
                let west = x.div_euclid(cells) * cells;
                Vertex::between(self.vertex(west, y), self.vertex(west + cells, y))
            }
        }
    }

    /// Returns the mean of the four cells of `level` around a corner of theirs.
    fn corner_of_cells(&mut self, level: u8, x: i64, y: i64) -> Vertex {
        let shift = level - self.base();
        let (x, y) = (x >> shift, y >> shift);
        let cells =
            [(-1, -1), (0, -1), (-1, 0), (0, 0)].map(|(i, j)| self.cell(level, x + i, y + j));
        Vertex::of_four(cells.each_ref(), &self.query, f64::from(1_u32 << shift))
    }
}
