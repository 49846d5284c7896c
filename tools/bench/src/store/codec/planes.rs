//! Planes of real ground and of water that runs or rests on it.

use crate::ea5::{Benchmark5Valley, MANNING};
use crate::suite::{BenchError, Context};
use rasters::{Hints, RowSource};
use thalweg::terrain::{Terrain, TerrainBuilder, TerrainOptions};
use thalweg::units::{OUTSIDE, SimTime, VerticalScale};
use thalweg::world::{World, WorldBuilder};
use thalweg_engine::grid::{LeafId, TILE_CELLS, TILE_WIDTH};
use thalweg_engine::sim::Settings;

/// A plane of integers.
pub type IntegerPlane = Box<[i32; TILE_CELLS]>;
/// A plane of floats.
pub type FloatPlane = Box<[f32; TILE_CELLS]>;

/// Water of a tile over its bed.
#[derive(Debug)]
pub struct WetTile {
    /// Bed, vertical units.
    pub bed: IntegerPlane,
    /// Depth, vertical units.
    pub depth: IntegerPlane,
    /// Unit discharges through west and south faces, m²/s.
    pub flows: [FloatPlane; 2],
}

/// Headroom over all ground, m.
const HEADROOM_M: f64 = 200.0;
/// Width of the valley's cells, m.
const VALLEY_CELL_M: f64 = 20.0;
/// Time at which the valley is taken, s.
const FLOOD_S: f64 = 5400.0;
/// Stage of the marsh, m: it covers the channels and a part of the banks.
const REST_STAGE_M: f64 = 3.0;

impl WetTile {
    /// Returns the part of the cells that is wet.
    #[must_use]
    pub fn wet_part(&self) -> f64 {
        self.depth.iter().filter(|&&depth| depth > 0).count() as f64 / TILE_CELLS as f64
    }
}

/// Returns the ground of a raster as worlds keep it: in steps of 2⁻¹⁰ m.
///
/// # Errors
///
/// If the raster is missing or cannot be read.
pub fn terrain(context: &Context, name: &str) -> Result<Terrain, BenchError> {
    let mut source = rasters::open(&context.data(name)?, &Hints::default())?;
    let (grid, beds) = rasters::read_all(source.as_mut() as &mut dyn RowSource)?;
    let ground = || beds.iter().filter(|bed| !bed.is_nan()).map(|&bed| f64::from(bed));
    let (low, high) = (ground().fold(f64::INFINITY, f64::min), ground().fold(-9.0e9, f64::max));
    let mut builder = TerrainBuilder::try_new(TerrainOptions {
        width: grid.width,
        height: grid.height,
        cell_width_m: grid.cell_m.map_or(1.0, |(width, _)| width),
        scale: VerticalScale::choose(low, high, HEADROOM_M)?,
        bed_exponent: TerrainOptions::BED_EXPONENT,
    })?;
    for row in beds.chunks(grid.width) {
        let row: Vec<f64> = row.iter().map(|&bed| f64::from(bed)).collect();
        builder.push_row(&row)?;
    }
    Ok(builder.finish()?)
}

/// Returns the beds of the finest tiles with ground, tiles over the boundary included.
#[must_use]
pub fn beds(terrain: &Terrain) -> Vec<IntegerPlane> {
    let Some(finest) = terrain.level(0) else { return Vec::new() };
    let corners = |cells: usize| (0..cells).step_by(TILE_WIDTH);
    let tiles = corners(finest.height()).flat_map(|y| corners(finest.width()).map(move |x| (x, y)));
    let plane = |(x, y)| {
        let bed = |cell| finest.ground_bed(x + cell % TILE_WIDTH, y + cell / TILE_WIDTH);
        Box::new(std::array::from_fn(bed))
    };
    tiles.map(plane).filter(|bed: &IntegerPlane| bed.iter().any(|&z| z != OUTSIDE)).collect()
}

/// Returns the valley of benchmark 5 when its flood is half way down.
///
/// # Errors
///
/// If its files are missing or cannot be read.
pub fn flood(context: &Context) -> Result<Vec<WetTile>, BenchError> {
    let settings = Settings { manning_n: vec![MANNING], ..Settings::default() };
    let mut valley = Benchmark5Valley::read(context, VALLEY_CELL_M, settings)?;
    valley.world.run_until(SimTime::from_seconds(FLOOD_S));
    Ok(water(&valley.world))
}

/// Returns the marsh at high water, asleep.
///
/// # Errors
///
/// If its file is missing or cannot be read.
pub fn rest(context: &Context) -> Result<Vec<WetTile>, BenchError> {
    let terrain = terrain(context, "heightmaps/tidal_marsh_2m.asc")?;
    let mut world = WorldBuilder::new(terrain).initial_stage(|_| REST_STAGE_M).build()?;
    let end = SimTime::from_seconds(1.0e9);
    while world.run_cycle(end).awake > 0 {}
    Ok(water(&world))
}

/// Returns the water of all leaves.
fn water(world: &World) -> Vec<WetTile> {
    let simulation = world.simulation();
    let leaves = simulation.forest().ids();
    let wet = |leaf: LeafId| {
        let water = simulation.water(leaf);
        WetTile {
            bed: plane(&simulation.ground(leaf).bed),
            depth: plane(&water.depth),
            flows: [plane(&water.flow_x), plane(&water.flow_y)],
        }
    };
    leaves.map(wet).collect()
}

fn plane<T: Copy>(cells: &[T]) -> Box<[T; TILE_CELLS]> {
    Box::new(std::array::from_fn(|cell| cells[cell]))
}
