//! Values of a world's water in each cell of a level, as a plane of rows from the north.
//!
//! ```text
//! depth, stage, max-depth,  probes: means of finer leaves, so depths keep the volume; on cells
//! max-stage                 finer than a leaf's, interpolated or through its sub-grid columns
//! the others                leaf by leaf: of finer leaves the largest (arrival: the first), on
//!                           finer cells that of the leaf's cell, where it gets wet there
//! ```
//!
//! Dry cells have no value: in depths, cells without water; in all values over time, cells that
//! were never as deep as the wet depth.
//!
//! Guarantees: values equal those of `flood-preview`'s maps on the same cells, if leaves do not
//!             change (`tests/all/water.rs`).
//! Limits:     the whole world is loaded, and a plane of it is in memory.

use kit::error::UserError;
use thalweg::file::Head;
use thalweg::probe::{Query, QueryError, SurfaceRaster, Window};
use thalweg::world::{CellPlace, LeafView, MapKinds, NotKept, StoreError, World};

use crate::args::ExportLayer;
use crate::level::{ExportRows, narrow};
use crate::water::covered;

/// A plane of a level.
#[derive(Debug)]
pub struct LayerPlane {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Rows from the north; NaN in cells without a value.
    pub cells: Vec<f32>,
}

impl LayerPlane {
    /// Returns the smallest and the largest value of the plane; 0 and 0 if it has none.
    #[must_use]
    pub fn range(&self) -> (f64, f64) {
        let known = self.cells.iter().copied().filter(|cell| !cell.is_nan());
        let range = known.fold(None, |range: Option<(f32, f32)>, cell| {
            let (low, high) = range.unwrap_or((cell, cell));
            Some((low.min(cell), high.max(cell)))
        });
        range.map_or((0.0, 0.0), |(low, high)| (low.into(), high.into()))
    }
}

impl ExportRows for LayerPlane {
    fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    fn fill(&mut self, index: usize, cells: &mut [f64]) -> Result<(), StoreError> {
        let row = &self.cells[index * self.width..][..self.width];
        cells.iter_mut().zip(row).for_each(|(cell, &value)| *cell = value.into());
        Ok(())
    }
}

/// Returns a plane of depths in which dry cells have no value.
fn wet(mut depth_m: Vec<f32>) -> Vec<f32> {
    depth_m.iter_mut().filter(|depth| **depth <= 0.0).for_each(|depth| *depth = f32::NAN);
    depth_m
}

/// Returns the flood maps from which a layer is read if simulated cells are of level `base`:
/// [`plane`] needs them.
#[must_use]
pub fn needs(layer: ExportLayer, level: u8, base: u8) -> MapKinds {
    let seen = MapKinds::ARRIVAL;
    let kinds = match layer {
        ExportLayer::Bed | ExportLayer::Depth | ExportLayer::Stage => return MapKinds::NONE,
        ExportLayer::MaxDepth => return MapKinds::DEPTH,
        ExportLayer::MaxStage => MapKinds::DEPTH | seen,
        ExportLayer::Speed => MapKinds::VELOCITY,
        ExportLayer::MaxSpeed => MapKinds::SPEED | seen,
        ExportLayer::Hazard => MapKinds::HAZARD | seen,
        ExportLayer::Arrival => seen,
        ExportLayer::Duration => MapKinds::DURATION | seen,
    };
    if level < base { kinds | MapKinds::DEPTH } else { kinds }
}

/// Returns a map that the world was set to keep before it was loaded.
fn kept<T>(map: Result<T, NotKept>) -> T {
    map.expect("checked before the world was loaded")
}

fn maxima(world: &World) -> Query<'_> {
    kept(world.maps().maxima())
}

/// Returns the plane of a layer of water, of a world that keeps the flood maps of [`needs`].
///
/// # Errors
///
/// If the level has more cells than a plane may.
pub fn plane(
    world: &World,
    head: &Head,
    layer: ExportLayer,
    level: u8,
    wet_depth_m: f64,
) -> Result<LayerPlane, UserError> {
    let (width, height) = head.size(level);
    let window = Window { level, corner: CellPlace { x: 0, y: 0 }, width, height };
    let too_large = |error: QueryError| {
        UserError::new(format!("level {level}: {error}"), "choose a coarser --level")
    };
    let present = || world.query().surface(window).map_err(too_large);
    let cells = match layer {
        ExportLayer::Bed => present()?.bed_m,
        ExportLayer::Depth => wet(present()?.depth_m),
        ExportLayer::Stage => present()?.stage_m,
        ExportLayer::MaxDepth => wet(maxima(world).surface(window).map_err(too_large)?.depth_m),
        _ => {
            // Cells below simulated cells are as wet as the largest depths of these imply.
            let base = world.extent().base();
            let peaks = || maxima(world).surface(window).map_err(too_large);
            let below = (level < base).then(peaks).transpose()?;
            let wet_m = narrow(wet_depth_m);
            let seen = |layer| by_leaf(world, layer, &window, below.as_ref(), wet_m);
            if layer == ExportLayer::MaxStage {
                let flooded = peaks()?.stage_m.into_iter().zip(seen(ExportLayer::Arrival));
                let stage = |(stage, arrival): (f32, f32)| {
                    if arrival.is_nan() { f32::NAN } else { stage }
                };
                flooded.map(stage).collect()
            } else {
                seen(layer)
            }
        }
    };
    Ok(LayerPlane { width, height, cells: turned(cells, width) })
}

/// Reads leaf by leaf, rows from the south.
fn by_leaf(
    world: &World,
    layer: ExportLayer,
    window: &Window,
    below: Option<&SurfaceRaster>,
    wet_m: f32,
) -> Vec<f32> {
    let Window { level, width, height, .. } = *window;
    let unit_m = world.scale().unit_m();
    let mut plane = vec![f32::NAN; width * height];
    for leaf in world.leaves().iter() {
        let (ground, own) = (leaf.ground(), leaf.key().level);
        for cell in (0..ground.bed.len()).filter(|&cell| ground.is_inside(cell)) {
            let place = leaf.key().place(cell);
            let value = value(layer, leaf, cell);
            for y in covered(place.y, own, level, height) {
                for x in covered(place.x, own, level, width) {
                    let at = y * width + x;
                    let value = match below {
                        None => value,
                        Some(raster) if raster.bed_m[at].is_nan() => continue,
                        Some(raster) if raster.depth_m[at] < wet_m => f32::NAN,
                        Some(raster) if layer == ExportLayer::Hazard => {
                            let peak = kept(leaf.maps().depth_max())[cell];
                            let deepest = ground.deepest(cell, peak).max(1);
                            let deepest_m = narrow(f64::from(deepest) * unit_m);
                            value * (raster.depth_m[at] / deepest_m)
                        }
                        Some(_) => value,
                    };
                    plane[at] = combined(layer, plane[at], value);
                }
            }
        }
    }
    plane
}

#[expect(clippy::cast_possible_truncation, reason = "what a map holds")]
fn value(layer: ExportLayer, leaf: LeafView<'_>, cell: usize) -> f32 {
    let maps = leaf.maps();
    let is_dry = match layer {
        ExportLayer::Speed => leaf.depth()[cell] == 0,
        _ => !kept(maps.arrival_s())[cell].is_finite(),
    };
    if is_dry {
        return f32::NAN;
    }
    match layer {
        ExportLayer::Speed => {
            let [u, v] = kept(maps.velocity());
            (u[cell] * u[cell] + v[cell] * v[cell]).sqrt()
        }
        ExportLayer::MaxSpeed => kept(maps.speed_max())[cell],
        ExportLayer::Hazard => kept(maps.hazard_max())[cell],
        ExportLayer::Arrival => kept(maps.arrival_s())[cell],
        ExportLayer::Duration => kept(maps.duration_s())[cell] as f32,
        // These layers have values of a whole surface, not of a leaf.
        ExportLayer::Bed
        | ExportLayer::Depth
        | ExportLayer::Stage
        | ExportLayer::MaxDepth
        | ExportLayer::MaxStage => f32::NAN,
    }
}

/// Returns the value of a cell over two cells within it.
fn combined(layer: ExportLayer, one: f32, other: f32) -> f32 {
    if layer == ExportLayer::Arrival { one.min(other) } else { one.max(other) }
}

/// Returns a plane with its rows from the south as one with its rows from the north.
fn turned(plane: Vec<f32>, width: usize) -> Vec<f32> {
    plane.chunks(width.max(1)).rev().flatten().copied().collect()
}
