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

use crate::probe::sum::Sum;
use crate::probe::{LeafMaps, QueryError};
use std::fmt;
use thalweg_engine::forest::Forest;
use thalweg_engine::forest::interfaces::LeafInterfaces;
use thalweg_engine::grid::LeafId;
use thalweg_engine::sim::Simulation;
use thalweg_engine::terrain::Terrain;
use thalweg_engine::tile::columns::build::FinestBeds;
use thalweg_engine::tile::{Ground, MapKinds, Water};
use thalweg_engine::units::{VerticalScale, limits};

/// Leaves with their planes: what a query reads.
pub(crate) trait Leaves: Sync {
    /// Which leaves there are.
    fn forest(&self) -> &Forest;
    /// Ground of a leaf.
    fn ground(&self, leaf: LeafId) -> &Ground;
    /// Water of a leaf.
    fn water(&self, leaf: LeafId) -> &Water;
    /// State of a leaf's faces to other levels, if it has any.
    fn interfaces(&self, leaf: LeafId) -> Option<&LeafInterfaces>;
}

impl Leaves for Simulation {
    fn forest(&self) -> &Forest {
        Self::forest(self)
    }

    fn ground(&self, leaf: LeafId) -> &Ground {
        Self::ground(self, leaf)
    }

    fn water(&self, leaf: LeafId) -> &Water {
        Self::water(self, leaf)
    }

    fn interfaces(&self, leaf: LeafId) -> Option<&LeafInterfaces> {
        self.leaves().interfaces[leaf].as_deref()
    }
}

/// Questions to one state, between two cycles.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    pub(super) leaves: &'a dyn Leaves,
    pub(super) forest: &'a Forest,
    /// Where the beds below sub-grid columns are read.
    pub(super) finest: Option<&'a (dyn FinestBeds + Sync)>,
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

impl<'a> Query<'a> {
    /// Questions to `leaves`, whose cells of the base level are `cell_width_m` wide. Cells count as
    /// wet from 2⁻¹⁶ m on: [`Query::wet_from`].
    #[must_use]
    pub(crate) fn new(leaves: &'a dyn Leaves, scale: VerticalScale, cell_width_m: f64) -> Self {
        let wet = scale.depth_units(f64::from(limits::DEPTH_DRY_M)).map_or(1, |units| units.max(1));
        Self {
            leaves,
            forest: leaves.forest(),
            finest: None,
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
    pub(crate) fn on(self, terrain: impl Into<Option<&'a Terrain>>) -> Self {
        self.on_beds(terrain.into().map(|terrain| terrain as &(dyn FinestBeds + Sync)))
    }

    /// Copy with the finest beds that the leaves stand on, wherever those are.
    #[must_use]
    pub(crate) fn on_beds(self, finest: Option<&'a (dyn FinestBeds + Sync)>) -> Self {
        Self { finest, ..self }
    }

    /// Copy that answers for the highest water that each cell has seen, each at its own time;
    /// velocities are 0.
    ///
    /// # Panics
    ///
    /// If there are not as many maps as leaves, or they keep no largest depths.
    #[must_use]
    pub(crate) fn at_peak(self, maps: &'a [LeafMaps]) -> Self {
        assert_eq!(maps.len(), self.forest.leaves().len(), "maps of other leaves");
        assert!(maps.iter().all(|maps| maps.kinds().has(MapKinds::DEPTH)), "maps without depths");
        Self { maxima: Some(maps), ..self }
    }

    /// Copy with velocities from the maps, where these keep them: cheaper than from discharges.
    pub(crate) fn flowing(self, maps: &'a [LeafMaps]) -> Self {
        let has_flows = maps.first().is_some_and(|maps| maps.kinds().has(MapKinds::VELOCITY));
        Self { flows: has_flows.then_some(maps), ..self }
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

    /// Width of the cells of `level`, m.
    #[must_use]
    pub fn cell_width_m(&self, level: u8) -> f64 {
        self.cell_width_m * 2.0_f64.powi(i32::from(level) - i32::from(self.forest.base()))
    }

    /// Depths of a leaf, vertical units.
    pub(super) fn depth(&self, leaf: LeafId) -> &'a [i32] {
        match self.maxima {
            Some(maps) => maps[leaf].depth_max().expect("checked when they were given"),
            None => &self.leaves.water(leaf).depth,
        }
    }

    /// True where a cell counts as wet: over sub-grid columns its deepest place decides.
    pub(super) fn is_wet(&self, leaf: LeafId, cell: usize) -> bool {
        let (ground, depth) = (self.leaves.ground(leaf), self.depth(leaf)[cell]);
        depth >= self.wet || (depth > 0 && ground.deepest(cell, depth) >= self.wet)
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

/// Places as arrays, whatever vectors they came as.
pub(super) fn arrays(places_m: &[impl Into<[f64; 2]> + Copy]) -> Vec<[f64; 2]> {
    places_m.iter().map(|&place| place.into()).collect()
}

/// Refuses coordinates that are no finite numbers.
pub(super) fn check_places(places_m: &[[f64; 2]]) -> Result<(), QueryError> {
    match places_m.iter().position(|place| !place.iter().all(|v| v.is_finite())) {
        Some(index) => Err(QueryError::Place { index, place_m: places_m[index] }),
        None => Ok(()),
    }
}
