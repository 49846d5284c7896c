//! Terrain of the engine, and the voids below it.

use kit::error::UserError;
use kit::interrupt;
use kit::reading::ReadingWatch;
use thalweg::terrain::{Terrain, TerrainBuilder, TerrainOptions};
use thalweg::units::VerticalScale;
use thalweg::world::{Earthworks, Voids};

use crate::plan::{Numbers, Plan};

/// Returns the options by which the heights of the map become a terrain.
#[must_use]
pub fn terrain_options(plan: &Plan, scale: VerticalScale) -> TerrainOptions {
    let map = &plan.map;
    let (width, height) = map.size();
    let bed_exponent = bed_exponent(&plan.numbers, map.cell_m()).min(scale.exponent());
    TerrainOptions { width, height, cell_width_m: map.world_cell_m(), scale, bed_exponent }
}

/// Reads the heightmap a second time, into the engine, and builds and carves the structures of the
/// plan; `watch` gets the rows read.
///
/// # Errors
///
/// If the file no longer exists or has become invalid, a height does not fit the scale, a structure
/// that is built or carved reaches over NoData, or the user stops.
pub fn terrain(
    plan: &Plan,
    scale: VerticalScale,
    watch: ReadingWatch<'_>,
) -> Result<(Terrain, Voids), UserError> {
    let options = terrain_options(plan, scale);
    let TerrainOptions { width, height, cell_width_m, .. } = options;
    let mut builder = TerrainBuilder::try_new(options).map_err(refused)?;
    let mut read = Vec::new();
    let mut source = plan.map.open()?;
    let mut row = vec![f64::NAN; plan.map.world.width];
    for index in 0..height {
        interrupt::check()?;
        source.next_row(&mut row)?;
        if plan.rocks.is_empty() {
            builder.push_row(&row[..width]).map_err(refused)?;
        } else {
            read.extend_from_slice(&row[..width]);
        }
        watch.rows("reading the map", index + 1, height);
    }
    if plan.rocks.is_empty() {
        return Ok((builder.finish().map_err(refused)?, Voids::new()));
    }
    let height_m = |x: usize, y: usize| read[(height - 1 - y) * width + x];
    let mut works = Earthworks::new([width, height], cell_width_m, height_m).map_err(refused)?;
    plan.rocks.iter().try_for_each(|rock| rock.put(&mut works))?;
    for y in (0..height).rev() {
        let place =
            |x: usize| [x, y].map(|at| u32::try_from(at).expect("as many cells as a map has"));
        let ground = |x: usize| works.ground_m(place(x).into());
        let row: Vec<f64> = (0..width).map(|x| ground(x).unwrap_or(f64::NAN)).collect();
        builder.push_row(&row).map_err(refused)?;
    }
    Ok((builder.finish().map_err(refused)?, works.voids()))
}

/// Returns the step of the beds: 2⁻¹⁰ m for landscapes, about a thousandth of a cell for laboratory
/// tanks.
fn bed_exponent(numbers: &Numbers, cell_m: f64) -> u8 {
    let finer = (TerrainOptions::BED_EXPONENT..=24)
        .find(|&k| cell_m >= 1.0 / f64::from(1_u32 << (k - TerrainOptions::BED_EXPONENT)));
    numbers.bed_exponent.or(finer).unwrap_or(24)
}

fn refused(error: impl std::fmt::Display) -> UserError {
    UserError::from_sentence(error.to_string())
}
