//! Maps on the finest cells of the world if coarser ones are simulated, by sub-grid columns.
//!
//! ```text
//! depth       from the stages of the coarse cells, present or largest     thalweg::probe
//! hazard      that of the coarse cell's deepest place × depth here / depth there
//! speed, arrival, duration   those of the coarse cell, where it gets wet here
//! ```
//!
//! Guarantees: maximum depth and flooded area are those of one surface, cell by cell.
//! Limits:     a place that gets wet late has the arrival and the duration of its coarse cell's
//!             deepest place; the largest speed is that of the whole opening of a face.

use scenario::build::index_of;
use scenario::quantity::metres;
use thalweg::probe::{Query, SurfaceRaster, Window};
use thalweg::world::{CellPlace, FineMaps, World};

use super::planes::{MappedTile, Maps, kept, known, tiles};

/// True if the simulated cells are not the finest.
pub(super) fn is_needed(world: &World) -> bool {
    world.extent().base() > 0
}

/// Returns the columns and rows of the finest cells: simulated ones may reach over them.
pub(super) fn size(world: &World) -> (usize, usize) {
    let finest = world.terrain().and_then(|terrain| terrain.level(0));
    let finest = finest.expect("the terrain of a scenario is in memory");
    (finest.width(), finest.height())
}

/// Returns the query of the present water.
pub(super) fn present<'a>(world: &'a World, fine: Option<&'a FineMaps>) -> Query<'a> {
    match fine {
        Some(fine) => fine.query(world),
        None => world.query(),
    }
}

/// Returns the query of the highest water.
fn peaks<'a>(world: &'a World, fine: Option<&'a FineMaps>) -> Query<'a> {
    match fine {
        Some(fine) => fine.maxima(world),
        None => kept(world.maps().maxima()),
    }
}

/// Returns the answer to a query about all finest cells.
fn all(world: &World, query: &Query<'_>) -> SurfaceRaster {
    let (width, height) = size(world);
    let window = Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width, height };
    query.surface(window).expect("a terrain fits a raster")
}

/// Returns the water in one finest cell: bed and depth, m; `None` outside the world.
pub(super) fn at(world: &World, corner: CellPlace) -> Option<(f32, f32)> {
    let window = Window { level: 0, corner, width: 1, height: 1 };
    let raster = world.query().surface(window).ok()?;
    (!raster.bed_m[0].is_nan()).then_some((raster.bed_m[0], raster.depth_m[0]))
}

/// Reads all maps.
pub(super) fn maps(world: &World, fine: Option<&FineMaps>, wet_depth_m: f64) -> Maps {
    let (width, height) = size(world);
    let SurfaceRaster { bed_m, depth_m, .. } = all(world, &peaks(world, fine));
    let (bed_m, max_depth_m) = (turned(bed_m, width), turned(depth_m, width));
    let wet = metres(wet_depth_m);
    let plane = |dry: f32, value: &(dyn Fn(&MappedTile<'_>, usize, f32) -> f32 + Sync)| {
        let mut plane: Vec<f32> =
            bed_m.iter().map(|bed| if bed.is_nan() { f32::NAN } else { dry }).collect();
        for tile in tiles(world, fine) {
            for cell in tile.inside() {
                for place in finest(tile.place(cell), tile.key.level, (width, height)) {
                    let at = index_of(place, width, height);
                    if max_depth_m[at] >= wet {
                        plane[at] = value(&tile, cell, max_depth_m[at]);
                    }
                }
            }
        }
        plane
    };
    let unit_m = world.scale().unit_m();
    let speed = || plane(0.0, &|tile, cell, _| kept(tile.maps.speed_max())[cell]);
    let hazard = || {
        plane(0.0, &|tile, cell, depth| {
            let (ground, peak) = (tile.ground, kept(tile.maps.depth_max())[cell]);
            let deepest = ground.deepest(cell, peak);
            let deepest_m = metres(f64::from(deepest.max(1)) * unit_m);
            kept(tile.maps.hazard_max())[cell] * (depth / deepest_m)
        })
    };
    let arrival = || plane(f32::NAN, &|tile, cell, _| known(kept(tile.maps.arrival_s())[cell]));
    let duration = || plane(0.0, &|tile, cell, _| metres(kept(tile.maps.duration_s())[cell]));
    let ((max_speed_m_s, hazard_m2_s), (arrival_s, duration_s)) =
        rayon::join(|| rayon::join(speed, hazard), || rayon::join(arrival, duration));
    Maps { bed_m, max_depth_m, max_speed_m_s, hazard_m2_s, arrival_s, duration_s }
}

/// Returns the depth now, m.
pub(super) fn depth_m(world: &World, fine: Option<&FineMaps>) -> Vec<f32> {
    let (width, _) = size(world);
    turned(all(world, &present(world, fine)).depth_m, width)
}

/// Returns the cells of a map of some columns and rows below a cell of `level`.
pub(super) fn finest(
    place: CellPlace,
    level: u8,
    (width, height): (usize, usize),
) -> impl Iterator<Item = CellPlace> {
    let along = move |v: u32, count: usize| {
        let end = u32::try_from(count).unwrap_or(u32::MAX);
        (v << level)..((v + 1) << level).min(end)
    };
    along(place.y, height).flat_map(move |y| along(place.x, width).map(move |x| CellPlace { x, y }))
}

/// Returns a plane with its rows from the south as one with its rows from the north.
fn turned(mut plane: Vec<f32>, width: usize) -> Vec<f32> {
    let rows = plane.len() / width.max(1);
    for row in 0..rows / 2 {
        let (south, north) = plane.split_at_mut((rows - 1 - row) * width);
        south[row * width..][..width].swap_with_slice(&mut north[..width]);
    }
    plane
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planes_are_turned_row_by_row() {
        for rows in 0..5_u8 {
            let plane: Vec<f32> = (0..3 * rows).map(f32::from).collect();
            let turned = turned(plane.clone(), 3);
            let back: Vec<f32> = turned.chunks(3).rev().flatten().copied().collect();
            assert_eq!(back, plane);
        }
    }
}
