//! Questions to a state of several levels.
//!
//! Places are metres east and north of the world's south-west corner. A value at a place is
//! interpolated bilinearly between the centres of four cells of the level of the leaf there; where
//! one of them lies in a finer leaf it is the mean of the finer cells, and in a coarser leaf it is
//! itself interpolated between coarser cells.
//!
//! ```text
//!  coarse │ fine            x  centres of cells
//!  x      │ x   x   x       o  stand for the coarse level at a fine place, or
//!         o   x   x   x        for the fine level at a coarse place
//!  x      │ x   x   x
//! ```
//!
//! Where leaves have sub-grid columns, the finest cells of the terrain below them are seen, each
//! with the depth that the coarse stages make there (`src/probe/below.rs`).
//!
//! Guarantees: planes of stage and bed come back exactly whatever the levels, away from shores and
//!             the boundary of the world (`planes_come_back_at_every_level`); dry cells never pull
//!             the stage down: it is interpolated over wet cells only; nothing is changed.
//! Limits:     within half a cell of the boundary values are those of the nearest centres; at an
//!             interface between levels the value may step by the coarse cell's error. The depth at
//!             a shore is where the stage stands over the bed, but no more than the interpolated
//!             depth. Velocities come from the discharges that wait for the next step; maps show
//!             what has moved. The east and the north side of the world count as walls.
//! Source:     own.

use crate::forest::Forest;
use crate::forest::edges::LeafEdges;
use crate::grid::cells::CellPlace;
use crate::probe::cursor::{Cursor, Flows};
use crate::probe::sum::Sum;
use crate::probe::{LeafMaps, QueryError};
use crate::sim::Simulation;
use crate::terrain::Terrain;
use crate::tile::{Ground, Water};
use crate::units::{VerticalScale, limits};
use rayon::prelude::*;
use std::fmt;

/// Leaves with their planes: what a query reads.
pub trait Leaves: Sync {
    /// Which leaves there are.
    fn forest(&self) -> &Forest;
    /// Ground of a leaf.
    fn ground(&self, leaf: usize) -> &Ground;
    /// Water of a leaf.
    fn water(&self, leaf: usize) -> &Water;
    /// State of a leaf's faces to other levels, if it has any.
    fn edges(&self, leaf: usize) -> Option<&LeafEdges>;
}

impl Leaves for Simulation {
    fn forest(&self) -> &Forest {
        Self::forest(self)
    }

    fn ground(&self, leaf: usize) -> &Ground {
        Self::ground(self, leaf)
    }

    fn water(&self, leaf: usize) -> &Water {
        Self::water(self, leaf)
    }

    fn edges(&self, leaf: usize) -> Option<&LeafEdges> {
        self.leaves().edges[leaf].as_deref()
    }
}

/// Questions to one state, between two cycles.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    pub(super) leaves: &'a dyn Leaves,
    pub(super) forest: &'a Forest,
    /// Where the beds below sub-grid columns are read.
    pub(super) terrain: Option<&'a Terrain>,
    /// Maps whose largest depths stand for the present ones.
    pub(super) maxima: Option<&'a [LeafMaps]>,
    /// Maps whose velocities stand for those of discharges.
    pub(super) flows: Option<&'a [LeafMaps]>,
    pub(super) scale: VerticalScale,
    /// Width of the cells of the forest's base level, m.
    pub(super) cell_width_m: f64,
    /// Depth from which a cell counts as wet, vertical units.
    pub(super) wet: i32,
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query").field("forest", self.forest).finish_non_exhaustive()
    }
}

/// The state at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Level of the leaf there.
    pub level: u8,
    /// Bed, m.
    pub bed_m: f64,
    /// Depth, m; 0 where it is dry.
    pub depth_m: f64,
    /// Stage of the wet cells around, m; `None` where it is dry.
    pub stage_m: Option<f64>,
    /// How much of the surroundings is wet, by the weights of interpolation, 0 to 1.
    pub wetness: f64,
    /// Velocity eastward and northward, m/s: unit discharges of cells over their depths; 0 where it
    /// is dry.
    pub velocity_m_s: [f64; 2],
    /// Unit vector away from the water's surface, or from the bed where it is dry: east, north, up.
    pub normal: [f64; 3],
}

impl Sample {
    /// True where there is water.
    #[must_use]
    pub fn is_wet(&self) -> bool {
        self.depth_m > 0.0
    }

    /// Elevation of what one sees from above: the stage, or the bed where it is dry, m.
    #[must_use]
    pub fn surface_m(&self) -> f64 {
        self.stage_m.unwrap_or(self.bed_m)
    }

    /// Speed, m/s.
    #[must_use]
    pub fn speed_m_s(&self) -> f64 {
        let [u, v] = self.velocity_m_s;
        (u * u + v * v).sqrt()
    }
}

impl<'a> Query<'a> {
    /// Questions to `leaves`, whose cells of the base level are `cell_width_m` wide. Cells count as
    /// wet from 2⁻¹⁶ m on: [`Query::wet_from`].
    #[must_use]
    pub fn new(leaves: &'a dyn Leaves, scale: VerticalScale, cell_width_m: f64) -> Self {
        let wet = scale.depth_units(f64::from(limits::DEPTH_DRY_M)).map_or(1, |units| units.max(1));
        Self {
            leaves,
            forest: leaves.forest(),
            terrain: None,
            maxima: None,
            flows: None,
            scale,
            cell_width_m,
            wet,
        }
    }

    /// Copy with the terrain that the leaves stand on: sub-grid columns are then downscaled
    /// wherever finer cells are asked for. `None` where the terrain is not in memory.
    #[must_use]
    pub fn on(self, terrain: impl Into<Option<&'a Terrain>>) -> Self {
        Self { terrain: terrain.into(), ..self }
    }

    /// Copy that answers for the highest water that each cell has seen, each at its own time;
    /// velocities are 0.
    ///
    /// # Panics
    ///
    /// If there are not as many maps as leaves.
    #[must_use]
    pub fn at_peak(self, maps: &'a [LeafMaps]) -> Self {
        assert_eq!(maps.len(), self.forest.leaves().len(), "maps of other leaves");
        Self { maxima: Some(maps), ..self }
    }

    /// Copy with velocities from the maps: cheaper than from discharges.
    pub(crate) fn flowing(self, maps: &'a [LeafMaps]) -> Self {
        Self { flows: Some(maps), ..self }
    }

    /// Copy with another depth from which a cell counts as wet; less is as good as none, for depths
    /// and volumes too. With 0 every film counts.
    ///
    /// # Errors
    ///
    /// [`QueryError::Depth`] for a depth that is negative, endless or no number.
    pub fn wet_from(self, depth_m: f64) -> Result<Self, QueryError> {
        let wet = self.scale.depth_units(depth_m).ok_or(QueryError::Depth(depth_m))?.max(1);
        Ok(Self { wet, ..self })
    }

    /// The state at a place, m; `None` outside the world.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] for a coordinate that is no finite number.
    pub fn at(&self, place_m: [f64; 2]) -> Result<Option<Sample>, QueryError> {
        check_places(&[place_m])?;
        Ok(self.sample(place_m))
    }

    /// The state at many places, in parallel.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] names the first coordinate that is no finite number.
    pub fn at_all(&self, places_m: &[[f64; 2]]) -> Result<Vec<Option<Sample>>, QueryError> {
        check_places(places_m)?;
        let few = 256;
        Ok(places_m.par_iter().with_min_len(few).map(|&place| self.sample(place)).collect())
    }

    /// The state at `count` places spread evenly from one place to another, both included.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] for a coordinate that is no finite number (0 is the first place, 1 the
    /// last), [`QueryError::Points`] for fewer than two.
    pub fn along(
        &self,
        from_m: [f64; 2],
        to_m: [f64; 2],
        count: usize,
    ) -> Result<Vec<Option<Sample>>, QueryError> {
        check_places(&[from_m, to_m])?;
        if count < 2 {
            return Err(QueryError::Points { what: "a line", found: count, least: 2 });
        }
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2⁵³ points")]
        let part = |index: usize| index as f64 / (count - 1) as f64;
        let place = |index: usize| {
            let t = part(index);
            [0, 1].map(|axis| (1.0 - t) * from_m[axis] + t * to_m[axis])
        };
        Ok((0..count).into_par_iter().map(|index| self.sample(place(index))).collect())
    }

    /// Width of the cells of `level`, m.
    #[must_use]
    pub fn cell_width_m(&self, level: u8) -> f64 {
        self.cell_width_m * 2.0_f64.powi(i32::from(level) - i32::from(self.forest.base()))
    }

    /// The state at a place that is a finite number.
    pub(super) fn sample(&self, place_m: [f64; 2]) -> Option<Sample> {
        let base = self.base_cell(place_m)?;
        let (leaf, cell) = self.forest.locate(base)?;
        if !self.leaves.ground(leaf).is_inside(cell) {
            return None;
        }
        let level = self.forest.leaves()[leaf].level;
        let mut cursor = Cursor::new(*self, leaf, Flows::Wanted);
        // Through sub-grid columns one sees the finest cells.
        let seen = if cursor.tables(leaf).is_some() { 0 } else { level };
        let width = self.cell_width_m(seen);
        let [value, slope_x, slope_y] = cursor.stencil(seen, place_m.map(|v| v / width));
        let bed = value.bed_mean()?;
        let depth = value.depth_at();
        let stage = value.stage_mean().filter(|_| depth > 0.0);
        // (S/W)' = (S' − S/W·W')/W: of the stage over wet cells, or of the bed over inside ones.
        let gradient = [slope_x, slope_y].map(|slope| {
            let units = match stage {
                Some(stage) => (slope.stage - stage * slope.wet) / value.wet,
                None => (slope.bed - bed * slope.inside) / value.inside,
            };
            units * self.scale.unit_m() / width
        });
        Some(Sample {
            level,
            bed_m: self.elevation_m(bed),
            depth_m: depth * self.scale.unit_m(),
            stage_m: stage.map(|stage| self.elevation_m(stage)),
            wetness: (value.wet / value.inside).min(1.0),
            velocity_m_s: if depth > 0.0 { self.velocity(&value) } else { [0.0; 2] },
            normal: normal(gradient),
        })
    }

    /// Depths of a leaf, vertical units.
    pub(super) fn depth(&self, leaf: usize) -> &'a [i32] {
        match self.maxima {
            Some(maps) => &maps[leaf].depth_max,
            None => &self.leaves.water(leaf).depth,
        }
    }

    /// True where a cell counts as wet: over sub-grid columns its deepest place decides.
    pub(super) fn is_wet(&self, leaf: usize, cell: usize) -> bool {
        let (ground, depth) = (self.leaves.ground(leaf), self.depth(leaf)[cell]);
        depth >= self.wet || (depth > 0 && ground.deepest(cell, depth) >= self.wet)
    }

    /// The cell of the base level at a place; `None` beyond the numbers.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
    fn base_cell(&self, place_m: [f64; 2]) -> Option<CellPlace> {
        let cell = place_m.map(|v| v / self.cell_width_m);
        let is_place = cell.iter().all(|v| (0.0..4.0e9).contains(v));
        is_place.then(|| CellPlace { x: cell[0] as u32, y: cell[1] as u32 })
    }

    /// An elevation in vertical units as metres.
    pub(super) fn elevation_m(&self, units: f64) -> f64 {
        self.scale.datum_m() + units * self.scale.unit_m()
    }

    /// Velocity of what cells hold, m/s.
    pub(super) fn velocity(&self, sum: &Sum) -> [f64; 2] {
        let depth_m = sum.depth * self.scale.unit_m();
        if depth_m > 0.0 { sum.flow.map(|flow| flow / depth_m) } else { [0.0; 2] }
    }
}

/// The unit vector upright on a surface of this gradient.
fn normal([x, y]: [f64; 2]) -> [f64; 3] {
    let length = (x * x + y * y + 1.0).sqrt();
    [-x / length, -y / length, 1.0 / length]
}

/// Refuses coordinates that are no finite numbers.
pub(super) fn check_places(places_m: &[[f64; 2]]) -> Result<(), QueryError> {
    match places_m.iter().position(|place| !place.iter().all(|v| v.is_finite())) {
        Some(index) => Err(QueryError::Place { index, place_m: places_m[index] }),
        None => Ok(()),
    }
}
