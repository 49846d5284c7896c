//! Queries of a state of several levels.
//!
//! Places are metres east and north of the world's south-west corner. A value at a place is
//! interpolated bilinearly between the centres of four cells of the level of the leaf there. A
//! centre in a finer leaf has the mean of the finer cells; a centre in a coarser leaf is itself
//! interpolated between coarser cells.
//!
//! ```text
//!  coarse │ fine            x  centres of cells
//!  x      │ x   x   x       o  stand for the coarse level at a fine place, or
//!         o   x   x   x        for the fine level at a coarse place
//!  x      │ x   x   x
//! ```
//!
//! If leaves have sub-grid columns, queries return the finest cells of the terrain below them, each
//! with the depth that the coarse stages make there (`src/probe/below.rs`).
//!
//! Guarantees: planes of stage and bed are reproduced exactly at all levels, away from shores and
//!             the boundary of the world (`planes_come_back_at_every_level`); dry cells never pull
//!             the stage down: it is interpolated over wet cells only; nothing is changed.
//! Limits:     within half a cell of the boundary values are those of the nearest centres; at an
//!             interface between levels the value may step by the coarse cell's error. The depth at
//!             a shore is the height of the stage over the bed, but no more than the interpolated
//!             depth. Velocities follow from the discharges for the next step; maps show the water
//!             that has moved. The east and the north side of the world count as walls.
//! Source:     own.

use crate::probe::sum::CellSum;
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

/// The leaves of a state with their planes, as a query reads them.
pub(crate) trait QueryLeaves: Sync {
    /// Returns the forest of the leaves.
    fn forest(&self) -> &Forest;
    /// Returns the ground of a leaf.
    fn ground(&self, leaf: LeafId) -> &Ground;
    /// Returns the water of a leaf.
    fn water(&self, leaf: LeafId) -> &Water;
    /// Returns the state of a leaf's faces to leaves of different levels, if it has any.
    fn interfaces(&self, leaf: LeafId) -> Option<&LeafInterfaces>;
}

impl QueryLeaves for Simulation {
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

/// Queries of one state, between two cycles.
#[derive(Clone, Copy)]
pub struct Query<'a> {
    pub(super) leaves: &'a dyn QueryLeaves,
    pub(super) forest: &'a Forest,
    /// Source of the beds below sub-grid columns.
    pub(super) finest: Option<&'a (dyn FinestBeds + Sync)>,
    /// Maps whose largest depths replace the present ones.
    pub(super) maxima: Option<&'a [LeafMaps]>,
    /// Maps whose velocities replace those of discharges.
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
    /// Returns queries of `leaves`, whose cells of the base level are `cell_width_m` wide. Cells
    /// count as wet from 2⁻¹⁶ m on: [`Query::wet_from`].
    #[must_use]
    pub(crate) fn new(
        leaves: &'a dyn QueryLeaves,
        scale: VerticalScale,
        cell_width_m: f64,
    ) -> Self {
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

    /// Returns a copy with the terrain below the leaves: sub-grid columns are then downscaled
    /// wherever finer cells are needed. Pass `None` if the terrain is not in memory.
    #[must_use]
    pub(crate) fn on(self, terrain: impl Into<Option<&'a Terrain>>) -> Self {
        self.on_beds(terrain.into().map(|terrain| terrain as &(dyn FinestBeds + Sync)))
    }

    /// Returns a copy with the finest beds below the leaves, from any source.
    #[must_use]
    pub(crate) fn on_beds(self, finest: Option<&'a (dyn FinestBeds + Sync)>) -> Self {
        Self { finest, ..self }
    }

    /// Returns a copy that answers with the highest water of each cell so far, each at its own
    /// time; velocities are 0.
    ///
    /// # Panics
    ///
    /// If the maps are not as many as the leaves, or do not keep largest depths.
    #[must_use]
    pub(crate) fn at_peak(self, maps: &'a [LeafMaps]) -> Self {
        assert_eq!(maps.len(), self.forest.leaves().len(), "maps of other leaves");
        assert!(maps.iter().all(|maps| maps.kinds().has(MapKinds::DEPTH)), "maps without depths");
        Self { maxima: Some(maps), ..self }
    }

    /// Returns a copy with velocities from the maps, if these keep them: cheaper than from
    /// discharges.
    pub(crate) fn flowing(self, maps: &'a [LeafMaps]) -> Self {
        let has_flows = maps.first().is_some_and(|maps| maps.kinds().has(MapKinds::VELOCITY));
        Self { flows: has_flows.then_some(maps), ..self }
    }

    /// Returns a copy with a different depth from which a cell counts as wet; shallower water
    /// counts as dry, for depths and volumes too. With 0 every film counts.
    ///
    /// # Errors
    ///
    /// [`QueryError::Depth`] if a depth is negative, infinite or not a number.
    pub fn wet_from(self, depth_m: f64) -> Result<Self, QueryError> {
        let wet = self.scale.depth_units(depth_m).ok_or(QueryError::Depth(depth_m))?.max(1);
        Ok(Self { wet, ..self })
    }

    /// Returns the width of the cells of `level`, m.
    #[must_use]
    pub fn cell_width_m(&self, level: u8) -> f64 {
        self.cell_width_m * 2.0_f64.powi(i32::from(level) - i32::from(self.forest.base()))
    }

    /// Returns the depths of a leaf, vertical units.
    pub(super) fn depth(&self, leaf: LeafId) -> &'a [i32] {
        match self.maxima {
            Some(maps) => maps[leaf].depth_max().expect("checked when they were given"),
            None => &self.leaves.water(leaf).depth,
        }
    }

    /// True if a cell counts as wet: over sub-grid columns its deepest place decides.
    pub(super) fn is_wet(&self, leaf: LeafId, cell: usize) -> bool {
        let (ground, depth) = (self.leaves.ground(leaf), self.depth(leaf)[cell]);
        depth >= self.wet || (depth > 0 && ground.deepest(cell, depth) >= self.wet)
    }

    /// Returns an elevation in vertical units as metres.
    pub(super) fn elevation_m(&self, units: f64) -> f64 {
        self.scale.datum_m() + units * self.scale.unit_m()
    }

    /// Returns the velocity of the water in cells, m/s.
    pub(super) fn velocity(&self, sum: &CellSum) -> [f64; 2] {
        let depth_m = sum.depth * self.scale.unit_m();
        if depth_m > 0.0 { sum.flow.map(|flow| flow / depth_m) } else { [0.0; 2] }
    }
}

/// Returns places as arrays, from vectors of any type.
pub(super) fn arrays(places_m: &[impl Into<[f64; 2]> + Copy]) -> Vec<[f64; 2]> {
    places_m.iter().map(|&place| place.into()).collect()
}

/// Refuses coordinates that are not finite numbers.
pub(super) fn check_places(places_m: &[[f64; 2]]) -> Result<(), QueryError> {
    match places_m.iter().position(|place| !place.iter().all(|v| v.is_finite())) {
        Some(index) => Err(QueryError::Place { index, place_m: places_m[index] }),
        None => Ok(()),
    }
}
