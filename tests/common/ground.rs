//! Ground that tests make.

use thalweg::terrain::{Terrain, TerrainBuilder, TerrainOptions};

/// A terrain from heights by column and row from the south; NaN is NoData.
pub fn terrain_of(options: TerrainOptions, bed_m: impl Fn(usize, usize) -> f64) -> Terrain {
    let mut builder = TerrainBuilder::try_new(options).expect("good options");
    for row in (0..options.height).rev() {
        let heights: Vec<f64> = (0..options.width).map(|x| bed_m(x, row)).collect();
        builder.push_row(&heights).expect("good heights");
    }
    builder.finish().expect("some ground")
}
