//! The water a world begins with.

use crate::forest::Forest;
use crate::grid::TILE_CELLS;
use crate::grid::cells::CellPlace;
use crate::tile::Ground;
use crate::tile::Water;
use crate::units::CEILING;
use crate::units::VerticalScale;
use crate::world::WorldError;
use crate::world::builder::CellClass;

/// Fastest velocity at the beginning, m/s.
const SPEED_MOST: f64 = 1000.0;

/// Stages, depths and velocities as asked for.
#[derive(Default)]
pub(super) struct Start {
    /// Stage, m; NaN leaves a cell dry.
    pub(super) stage_m: Option<CellClass<f64>>,
    /// Depth, m; NaN leaves a cell dry.
    pub(super) depth_m: Option<CellClass<f64>>,
    /// Velocity, m/s, eastward and northward; NaN is at rest.
    pub(super) velocity_m_s: Option<CellClass<(f64, f64)>>,
}

impl Start {
    /// The water of all leaves.
    pub(super) fn fill(
        &self,
        scale: VerticalScale,
        forest: &Forest,
        grounds: &[Ground],
    ) -> Result<Vec<Water>, WorldError> {
        let mut all = Vec::with_capacity(grounds.len());
        for (leaf, ground) in grounds.iter().enumerate() {
            let mut water = Water::dry();
            for cell in (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)) {
                let place = forest.place_of(leaf, cell);
                let bed = ground.bed[cell];
                let mut depth = 0;
                if let Some(stage_m) =
                    self.stage_m.as_ref().map(|f| f(place)).filter(|s| !s.is_nan())
                {
                    let stage = scale.elevation(stage_m, scale.exponent()).map_err(|reason| {
                        WorldError::Stage { name: "initial stage".to_owned(), reason }
                    })?;
                    depth = (stage - bed).max(0);
                }
                if let Some(depth_m) =
                    self.depth_m.as_ref().map(|f| f(place)).filter(|d| !d.is_nan())
                {
                    let units = scale.depth_units(depth_m).filter(|&h| h <= CEILING - bed);
                    let units = units.ok_or(WorldError::Number {
                        what: "an initial depth, in metres,",
                        value: depth_m,
                        range: "0 up to the world's ceiling",
                    })?;
                    depth = depth.max(units);
                }
                water.depth[cell] = depth;
            }
            all.push(water);
        }
        if let Some(velocity) = &self.velocity_m_s {
            (0..all.len()).try_for_each(|leaf| {
                let flows = flows(velocity, scale, forest, grounds, &all, leaf)?;
                [all[leaf].flow_x, all[leaf].flow_y] = flows;
                Ok::<(), WorldError>(())
            })?;
        }
        Ok(all)
    }
}

/// Discharges over the west and south faces of a leaf, m²/s.
#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn flows(
    velocity: &CellClass<(f64, f64)>,
    scale: VerticalScale,
    forest: &Forest,
    grounds: &[Ground],
    water: &[Water],
    leaf: usize,
) -> Result<[Box<[f32]>; 2], WorldError> {
    let mut planes = [(); 2].map(|()| vec![0.0; TILE_CELLS]);
    let column = |leaf: usize, cell: usize| (grounds[leaf].bed[cell], water[leaf].depth[cell]);
    for cell in (0..TILE_CELLS).filter(|&cell| grounds[leaf].is_inside(cell)) {
        let place = forest.place_of(leaf, cell);
        let own = checked(velocity(place))?;
        let beside = [
            place.x.checked_sub(1).map(|x| CellPlace { x, y: place.y }),
            place.y.checked_sub(1).map(|y| CellPlace { x: place.x, y }),
        ];
        for (axis, beside) in beside.into_iter().enumerate() {
            let Some(beside) = beside else { continue };
            let Some((other, at)) = forest.locate(beside) else { continue };
            if !grounds[other].is_inside(at) {
                continue;
            }
            let there = checked(velocity(beside))?;
            let ((bed_l, depth_l), (bed_r, depth_r)) = (column(other, at), column(leaf, cell));
            let opening = (bed_l + depth_l).max(bed_r + depth_r) - bed_l.max(bed_r);
            let speed = 0.5 * (own[axis] + there[axis]);
            let q = speed * scale.depth_m(opening.max(0)) + 0.0;
            planes[axis][cell] = q as f32;
        }
    }
    Ok(planes.map(Into::into))
}

/// A velocity within range; NaN is at rest.
fn checked((u, v): (f64, f64)) -> Result<[f64; 2], WorldError> {
    for value in [u, v] {
        if !value.is_nan() && !(-SPEED_MOST..=SPEED_MOST).contains(&value) {
            let what = "an initial velocity, in m/s,";
            return Err(WorldError::Number { what, value, range: "−1000 to 1000" });
        }
    }
    Ok([u, v].map(|value| if value.is_nan() { 0.0 } else { value }))
}
