//! Small worlds that several tests share.

use thalweg::grid::cells::CellPlace;
use thalweg::terrain::Terrain;
use thalweg::terrain::TerrainBuilder;
use thalweg::terrain::TerrainOptions;
use thalweg::units::VerticalScale;
use thalweg::world::World;

/// A terrain of `size` cells of a width, with beds in metres by column and row from the south-west.
pub fn terrain(
    (width, height): (usize, usize),
    cell_width_m: f64,
    bed: impl Fn(usize, usize) -> f64,
) -> Terrain {
    let scale = VerticalScale::choose(0.0, 20.0, 20.0).expect("a good range");
    let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent: 10 };
    let mut terrain = TerrainBuilder::try_new(options).expect("good options");
    for y in (0..height).rev() {
        let row: Vec<f64> = (0..width).map(|x| bed(x, y)).collect();
        terrain.push_row(&row).expect("good heights");
    }
    terrain.finish().expect("all rows")
}

/// Depth of a cell, m.
pub fn depth(world: &World, x: u32, y: u32) -> f64 {
    world.depth_m(CellPlace { x, y }).expect("ground")
}

/// Fails where a unit of water came from nowhere.
#[track_caller]
pub fn check_books(world: &World) {
    assert_eq!(world.stored(), world.ledger().expected());
}
