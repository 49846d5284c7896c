//! Forests made by hand, for the tests of queries.

use crate::probe::{Query, QueryLeaves};
use thalweg_engine::forest::interfaces::LeafInterfaces;
use thalweg_engine::forest::{Forest, cut_out};
use thalweg_engine::grid::cells::column_row;
use thalweg_engine::grid::{LeafId, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::terrain::{Terrain, TerrainBuilder, TerrainOptions};
use thalweg_engine::tile::columns::Columns;
use thalweg_engine::tile::columns::build::BedPlanes;
use thalweg_engine::tile::{Ground, Water};
use thalweg_engine::units::{OUTSIDE, VerticalScale};

/// Leaves whose planes are functions of the place.
#[derive(Debug)]
pub(crate) struct Made {
    pub forest: Forest,
    pub grounds: Vec<Ground>,
    pub water: Vec<Water>,
    pub interfaces: Vec<LeafInterfaces>,
}

/// Width of the finest cells, m.
pub(crate) const WIDTH_M: f64 = 2.0;

impl QueryLeaves for Made {
    fn forest(&self) -> &Forest {
        &self.forest
    }

    fn ground(&self, leaf: LeafId) -> &Ground {
        &self.grounds[leaf]
    }

    fn water(&self, leaf: LeafId) -> &Water {
        &self.water[leaf]
    }

    fn interfaces(&self, leaf: LeafId) -> Option<&LeafInterfaces> {
        Some(&self.interfaces[leaf])
    }
}

impl Made {
    /// Returns leaves with a bed and a stage, vertical units, by the place of the cell's centre in
    /// metres; no bed outside the world, no water if the stage is below the bed.
    pub fn new(
        leaves: Vec<TileKey>,
        bed: impl Fn([f64; 2]) -> Option<f64>,
        stage: impl Fn([f64; 2]) -> f64,
    ) -> Self {
        let forest = Forest::of_leaves(0, leaves);
        let (mut grounds, mut water) = (Vec::new(), Vec::new());
        for &key in forest.leaves() {
            let mut ground = vec![OUTSIDE; TILE_CELLS];
            let mut own = Water::dry();
            for (cell, ground) in ground.iter_mut().enumerate() {
                let place = centre_m(key, cell);
                if let Some(bed) = bed(place) {
                    *ground = rounded(bed);
                    own.depth[cell] = (rounded(stage(place)) - *ground).max(0);
                }
            }
            grounds.push(Ground::flat(ground.into()));
            water.push(own);
        }
        let interfaces = vec![LeafInterfaces::default(); water.len()];
        Self { forest, grounds, water, interfaces }
    }

    /// Returns a terrain of 512 × 512 cells with this bed, m, by the place of a cell's centre.
    pub fn terrain(bed_m: impl Fn([f64; 2]) -> f64) -> Terrain {
        let scale = VerticalScale::try_new(20, 0.0).expect("in range");
        let (width, height) = (512, 512);
        let options =
            TerrainOptions { width, height, cell_width_m: WIDTH_M, scale, bed_exponent: 10 };
        let mut builder = TerrainBuilder::try_new(options).expect("good");
        let centre = |v: usize| (f64::from(u32::try_from(v).expect("few")) + 0.5) * WIDTH_M;
        for row in 0..height {
            let y = centre(height - 1 - row);
            let heights: Vec<f64> = (0..width).map(|x| bed_m([centre(x), y])).collect();
            builder.push_row(&heights).expect("good");
        }
        builder.finish().expect("good")
    }

    /// Returns leaves of sub-grid columns on a terrain, with a stage, vertical units, by place.
    pub fn tabled(
        leaves: Vec<TileKey>,
        terrain: &Terrain,
        stage: impl Fn([f64; 2]) -> f64,
    ) -> Self {
        let mut made = Self::new(leaves, |_| Some(0.0), |_| 0.0);
        let beds = |level: u8| terrain.level(level).expect("a level it has").plane();
        for (leaf, key) in made.forest.iter() {
            let level = terrain.level(key.level).expect("a level it has");
            let mut ground = cut_out(key, |x, y| level.bed(x, y));
            if key.level > 0 {
                let beds = BedPlanes { coarse: beds(key.level), finest: beds(0) };
                ground.columns = Some(Columns::of(key, &beds).into());
            }
            for (cell, depth) in made.water[leaf].depth.iter_mut().enumerate() {
                *depth = ground.holds(cell, rounded(stage(centre_m(key, cell))));
            }
            made.grounds[leaf] = ground;
        }
        made
    }

    /// Lets all water flow at these unit discharges, m²/s.
    pub fn flow(&mut self, discharge: [f32; 2]) {
        for (leaf, water) in self.forest.ids().zip(&mut self.water) {
            water.flow_x.fill(discharge[0]);
            water.flow_y.fill(discharge[1]);
            for (axis, side) in [Side::East, Side::North].into_iter().enumerate() {
                let is_coarser = self.forest.across(leaf, side).is_coarser();
                self.interfaces[leaf].beyond[axis] =
                    is_coarser.then(|| Box::new([discharge[axis]; TILE_WIDTH]));
            }
            // The coarse leaf stores no faces to finer leaves.
            for i in 0..TILE_WIDTH {
                if self.forest.across(leaf, Side::West).is_finer() {
                    water.flow_x[i * TILE_WIDTH] = f32::NAN;
                }
                if self.forest.across(leaf, Side::South).is_finer() {
                    water.flow_y[i] = f32::NAN;
                }
            }
        }
    }

    pub fn query(&self) -> Query<'_> {
        let scale = VerticalScale::try_new(20, 100.0).expect("in range");
        Query::new(self, scale, WIDTH_M)
    }
}

/// Returns the centre of a leaf's cell, m.
pub(crate) fn centre_m(key: TileKey, cell: usize) -> [f64; 2] {
    let (corner, (x, y)) = (key.corner(), column_row(cell));
    let width = WIDTH_M * f64::from(1_u32 << key.level);
    [corner.x + x, corner.y + y].map(|v| (f64::from(v) + 0.5) * width)
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers of tests")]
fn rounded(units: f64) -> i32 {
    (units + 0.5).floor() as i32
}

/// Returns tiles over 1024 m × 1024 m in three levels; each digit is a tile of level 1, of 256 m:
///
/// ```text
/// 2 2 2 2
/// 2 2 2 2
/// 2 2 1 1
/// 2 2 1 0
/// ```
pub(crate) fn three_levels() -> Vec<TileKey> {
    let key = |level, x, y| TileKey { level, x, y };
    let mut leaves = vec![key(2, 0, 0), key(2, 0, 1), key(2, 1, 1)];
    leaves.extend([key(1, 2, 0), key(1, 2, 1), key(1, 3, 1)]);
    leaves.extend((0..4).map(|quadrant| key(1, 3, 0).child(quadrant)));
    leaves
}

/// Returns tiles in one level.
pub(crate) fn one_level(level: u8) -> Vec<TileKey> {
    let count = 8_u32 >> level;
    (0..count).flat_map(|y| (0..count).map(move |x| TileKey { level, x, y })).collect()
}

/// Returns tiles in levels 0, 1 and 2, mixed, and mixed with west and east changed.
pub(crate) fn all_levels() -> [Vec<TileKey>; 5] {
    let mirrored = |key: TileKey| TileKey { x: (8 >> key.level) - 1 - key.x, ..key };
    let turned = three_levels().into_iter().map(mirrored).collect();
    [one_level(0), one_level(1), one_level(2), three_levels(), turned]
}
