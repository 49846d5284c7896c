//! The water a world begins with.

use crate::world::WorldError;
use crate::world::classes::CellClass;
use crate::world::leaf_start::LeafStart;
use crate::world::site::WorldSite;
use rayon::prelude::*;
use thalweg_engine::forest::Forest;
use thalweg_engine::forest::interfaces::ForestLeaves;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{Axis, LeafId, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::tile::{CowPlane, FaceAt, Ground, Resident, Water};

/// Fastest velocity at the beginning, m/s.
const SPEED_MOST: f64 = 1000.0;

/// Requested stages, depths and velocities.
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
    /// Makes the water of all leaves, which may change later or stay as they are.
    pub(super) fn fill(
        &self,
        site: &WorldSite,
        forest: &Forest,
        grounds: &[Resident<Ground>],
        will_change: bool,
    ) -> Result<Vec<Resident<Water>>, WorldError> {
        let of_leaf = |(&key, ground): (&TileKey, &Resident<Ground>)| {
            let mut water = Water::dry();
            let [stage_m, depth_m] = [self.stage_m.as_ref(), self.depth_m.as_ref()];
            LeafStart { stage_m, depth_m, site, key, ground, will_change }
                .fill(&mut water.depth)?;
            Ok(water.into())
        };
        let all: Vec<Result<Resident<Water>, WorldError>> =
            forest.leaves().par_iter().zip(grounds).map(of_leaf).collect();
        // The first error in the order of leaves, not the first that a thread found.
        let mut all = all.into_iter().collect::<Result<Vec<Resident<Water>>, _>>()?;
        if let Some(velocity) = &self.velocity_m_s {
            forest.ids().try_for_each(|leaf| {
                let started = Started { site, forest, grounds, water: &all };
                let flows = flows(velocity, &started, leaf)?;
                let water = &mut *all[leaf];
                [water.flow_x, water.flow_y] = flows;
                Ok::<(), WorldError>(())
            })?;
        }
        Ok(all)
    }

    /// Gives the faces between levels that are no leaf's west or south faces their discharges.
    pub(super) fn fill_interfaces(
        &self,
        site: &WorldSite,
        simulation: &mut Simulation,
    ) -> Result<(), WorldError> {
        let Some(velocity) = &self.velocity_m_s else { return Ok(()) };
        simulation.set_flows_beyond(|leaves, leaf, axis| {
            let ForestLeaves { forest, grounds, water, .. } = *leaves;
            flows_beyond(velocity, &Started { site, forest, grounds, water }, leaf, axis)
        })
    }
}

/// Discharges over the west and south faces of a leaf, m²/s.
fn flows(
    velocity: &CellClass<(f64, f64)>,
    ground: &Started<'_>,
    leaf: LeafId,
) -> Result<[CowPlane<f32>; 2], WorldError> {
    let mut planes = [(); 2].map(|()| vec![0.0; TILE_CELLS]);
    // From the place of a coarse cell, north-east of its middle, to the cell beside it.
    let key = ground.forest.leaves()[leaf];
    let away = 1 + (1 << (key.level - ground.forest.base())) / 2;
    for cell in (0..TILE_CELLS).filter(|&cell| ground.grounds[leaf].is_inside(cell)) {
        let place = ground.forest.place_of(leaf, cell);
        let beside = [
            place.x.checked_sub(away).map(|x| CellPlace { x, y: place.y }),
            place.y.checked_sub(away).map(|y| CellPlace { x: place.x, y }),
        ];
        for (axis, beside) in Axis::ALL.into_iter().zip(beside) {
            if let Some(beside) = beside {
                planes[axis][cell] = ground.flow(velocity, axis, beside, place)?;
            }
        }
    }
    Ok(planes.map(Into::into))
}

/// Discharges over the east or north faces of a leaf, by axis, m²/s.
fn flows_beyond(
    velocity: &CellClass<(f64, f64)>,
    ground: &Started<'_>,
    leaf: LeafId,
    axis: Axis,
) -> Result<[f32; TILE_WIDTH], WorldError> {
    let mut row = [0.0; TILE_WIDTH];
    for (i, q) in row.iter_mut().enumerate() {
        let side = [Side::East, Side::North][axis];
        let place = ground.forest.place_of(leaf, side.cell_along(i));
        let width = 1 << (ground.forest.leaves()[leaf].level - ground.forest.base());
        let beyond = match axis {
            Axis::X => CellPlace { x: place.x + width, y: place.y },
            Axis::Y => CellPlace { x: place.x, y: place.y + width },
        };
        *q = ground.flow(velocity, axis, place, beyond)?;
    }
    Ok(row)
}

/// A world with its initial depths.
struct Started<'a> {
    site: &'a WorldSite,
    forest: &'a Forest,
    grounds: &'a [Resident<Ground>],
    water: &'a [Resident<Water>],
}

impl Started<'_> {
    /// Returns the discharge over the face between two cells, m²/s; 0 if one is outside.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn flow(
        &self,
        velocity: &CellClass<(f64, f64)>,
        axis: Axis,
        before: CellPlace,
        behind: CellPlace,
    ) -> Result<f32, WorldError> {
        let inside = |place: CellPlace| {
            let at = self.forest.locate(place)?;
            self.grounds[at.0].is_inside(at.1).then_some(at)
        };
        let (Some(l), Some(r)) = (inside(before), inside(behind)) else { return Ok(0.0) };
        let standing = |(leaf, cell): (LeafId, usize)| {
            self.grounds[leaf].standing(cell, self.water[leaf].depth[cell])
        };
        // The finer of two leaves has the face.
        let level = |(leaf, _): (LeafId, usize)| self.forest.leaves()[leaf].level;
        let (owner, face) = if level(r) <= level(l) {
            (r.0, FaceAt::Of { axis, cell: r.1 })
        } else {
            let i = if axis == Axis::X { l.1 / TILE_WIDTH } else { l.1 % TILE_WIDTH };
            (l.0, FaceAt::Far { axis, i })
        };
        let opening = self.grounds[owner].opening(face, standing(l), standing(r));
        let speed_at = |place: CellPlace, (leaf, cell): (LeafId, usize)| {
            let key = self.forest.leaves()[leaf];
            checked(velocity(self.site.ground_near(place, key, cell))).map(|speed| speed[axis])
        };
        let speed = 0.5 * (speed_at(behind, r)? + speed_at(before, l)?);
        // The added 0 turns −0 into 0: a stored flow must not be −0.
        Ok((speed * self.site.scale().depth_m(opening) + 0.0) as f32)
    }
}

/// Returns a velocity if it is within range; NaN is at rest.
fn checked((u, v): (f64, f64)) -> Result<[f64; 2], WorldError> {
    for value in [u, v] {
        if !value.is_nan() && !(-SPEED_MOST..=SPEED_MOST).contains(&value) {
            let what = "an initial velocity, in m/s,";
            return Err(WorldError::Number { what, value, range: "−1000 to 1000" });
        }
    }
    Ok([u, v].map(|value| if value.is_nan() { 0.0 } else { value }))
}
