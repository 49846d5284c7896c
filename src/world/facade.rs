//! A world: its parts, and the changes of them, whole or not at all.
//!
//! ```text
//! a change   taken apart ── done ── put together again      the world is whole
//!            taken apart ── a panic, caught by the game     the world is broken, and says so
//! ```
//!
//! Views, actions and runs of a world are in files of their own, above this one.
//!
//! Guarantees: a panic within a change leaves a world that runs no more and is saved nowhere
//!             (`tests/saved/broken.rs`).
//! Limits:     a broken world cannot be mended: its last save can be loaded.

use crate::probe::Query;
use crate::world::actions::{UndoLog, WAYS_BACK_BYTES, WaysBack};
use crate::world::adaptive::Adaptive;
use crate::world::bodies::BodySet;
use crate::world::cells::WorldCells;
use crate::world::packed::Residence;
use crate::world::saved::Saved;
use crate::world::setup::Setup;
use crate::world::site::WorldSite;
use crate::world::under_way::UnderWay;
use crate::world::watch::Watches;
use std::collections::BTreeMap;
use std::sync::Arc;
use thalweg_engine::forest::Coverage;
use thalweg_engine::forest::criteria::Scale;
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Simulation};
use thalweg_engine::structure::frame::cell_at;
use thalweg_engine::terrain::Terrain;
use thalweg_engine::units::{SimTime, VerticalScale};

/// Water on a terrain, and the flood maps.
#[derive(Debug)]
pub struct World {
    pub(super) simulation: Simulation,
    pub(super) site: WorldSite,
    pub(super) adaptive: Option<Box<Adaptive>>,
    /// Bodies, as they were put last.
    pub(super) bodies: BodySet,
    /// Setup of the world.
    pub(super) setup: Setup,
    /// Tiles of terrain that were edited, and the number of the last change of each.
    pub(super) edited: BTreeMap<TileKey, u64>,
    /// Bytes that it may use if its beds stay in their file.
    pub(super) budget_bytes: Option<u64>,
    /// Identity of this world, by which files recognise it.
    pub(super) saved: Arc<Saved>,
    /// The save after which its pages moved on to the newest commit.
    pub(super) followed: u64,
    /// Log by which actions can be undone.
    pub(super) undo_log: UndoLog,
    /// Ways back of actions, the oldest first.
    pub(super) ways_back: WaysBack,
    /// Places of the planes of sleeping leaves.
    pub(super) residence: Residence,
    /// A cycle that runs beside the world, frame by frame.
    pub(super) under_way: Option<Box<UnderWay>>,
    /// Watches of a game; no part of the state.
    pub(super) watches: Watches,
    /// A change is under way, or was broken off.
    pub(super) is_broken: bool,
}

impl World {
    pub(super) fn new(
        simulation: Simulation,
        site: WorldSite,
        adaptive: Option<Box<Adaptive>>,
        setup: Setup,
    ) -> Self {
        let (edited, saved) = (BTreeMap::new(), Arc::default());
        Self {
            simulation,
            site,
            adaptive,
            bodies: BodySet::default(),
            setup,
            edited,
            budget_bytes: None,
            saved,
            followed: 0,
            undo_log: UndoLog::default(),
            ways_back: WaysBack::new(WAYS_BACK_BYTES),
            residence: Residence::default(),
            under_way: None,
            watches: Watches::default(),
            is_broken: false,
        }
    }

    /// True if a panic broke off a change of the world, and the game caught it: some of the world
    /// is as it was before, some as it would be after. Such a world cannot be saved, and running,
    /// editing and acting on it panic; load its last save.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Changes the world. If a panic breaks the change off, the world is broken from then on.
    pub(super) fn change<T>(&mut self, act: impl FnOnce(&mut Self) -> T) -> T {
        assert!(
            !self.is_broken,
            "the world is broken: a panic broke off a change of it; load its last save"
        );
        // If `act` panics, nothing resets this flag: the world stays broken.
        self.is_broken = true;
        let done = act(self);
        self.is_broken = false;
        done
    }

    /// Returns the simulated time since the beginning.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.simulation.time()
    }

    /// Returns the number of finest cells with ground that belong to no cell, because the cells
    /// over them are partly outside: 0 with sub-grid columns.
    #[must_use]
    pub fn excluded_cells(&self) -> usize {
        self.site.excluded_cells()
    }

    /// Returns the bytes of the tables of sub-grid columns in memory: of the present leaves, and of
    /// the tables stored for later leaves.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        let leaves = self.simulation.leaves();
        let here = leaves.forest.iter().filter(|(leaf, _)| leaves.grounds[*leaf].is_here());
        self.site.table_bytes(here.map(|(leaf, key)| (key, &*leaves.grounds[leaf])))
    }

    /// Returns the columns and rows of the simulated level.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        self.cells().size()
    }

    /// Returns the width of the simulated cells, m.
    #[must_use]
    pub fn cell_width_m(&self) -> f64 {
        self.cells().cell_width_m()
    }

    /// Returns the vertical unit and datum.
    #[must_use]
    pub fn scale(&self) -> VerticalScale {
        self.cells().scale()
    }

    /// Returns the bed of a cell, m: the mean of the finest ones; `None` outside the world.
    #[must_use]
    pub fn bed_m(&self, place: CellPlace) -> Option<f64> {
        let (leaf, cell) = self.cells().locate(place)?;
        Some(self.scale().metres(self.simulation.ground(leaf).bed[cell]))
    }

    /// Returns the cell of the simulated level that contains a point, m east and north of the
    /// world's south-west corner; `None` outside the world.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::world::CellPlace;
    /// use thalweg::terrain::Terrain;
    /// use thalweg::world::WorldBuilder;
    /// let hole = |x, y| if (x, y) == (3, 0) { f64::NAN } else { 2.0 };
    /// let world = WorldBuilder::new(Terrain::from_heights([4, 3], 5.0, hole)?).build()?;
    /// assert_eq!(world.place_at([7.5, 0.0]), Some(CellPlace { x: 1, y: 0 }));
    /// assert_eq!(world.place_at([7.5, 7.5]).and_then(|place| world.bed_m(place)), Some(2.0));
    /// let outside = [[-0.1, 1.0], [20.0, 1.0], [17.5, 2.5], [f64::NAN, 1.0]];
    /// assert!(outside.iter().all(|&point| world.place_at(point).is_none()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn place_at(&self, point_m: impl Into<[f64; 2]>) -> Option<CellPlace> {
        cell_at(point_m.into(), self.cell_width_m())
            .filter(|&place| self.cells().locate(place).is_some())
    }

    /// Returns the world as criteria see it.
    #[must_use]
    pub fn extent(&self) -> Scale {
        match &self.adaptive {
            Some(adaptive) => *adaptive.scale(),
            None => self.site.extent(self.site.relief().coarsest()).expect("levels it has"),
        }
    }

    /// Returns the terrain below the water; `None` if its beds stay in the world's file.
    #[must_use]
    pub fn terrain(&self) -> Option<&Terrain> {
        self.site.terrain()
    }

    /// Returns the coverage of a tile of any level: whether it may be a leaf.
    #[must_use]
    pub fn cover(&self, key: TileKey) -> Coverage {
        self.site.cover(key)
    }

    /// Questions to the state as it is now: at places, along lines, over polygons, in rasters.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::terrain::{TerrainBuilder, TerrainOptions};
    /// use thalweg::units::VerticalScale;
    /// use thalweg::world::WorldBuilder;
    /// let scale = VerticalScale::choose(0.0, 9.0, 20.0)?;
    /// let options =
    ///     TerrainOptions { width: 10, height: 4, cell_width_m: 5.0, scale, bed_exponent: 10 };
    /// let mut terrain = TerrainBuilder::try_new(options)?;
    /// let slope: Vec<f64> = (0..10).map(f64::from).collect();
    /// (0..4).try_for_each(|_| terrain.push_row(&slope))?;
    /// // A lake on a bank of 1:5 that rises by 1 m from cell to cell.
    /// let lake = |_| 2.75;
    /// let world = WorldBuilder::new(terrain.finish()?).initial_stage(lake).build()?;
    ///
    /// let query = world.query();
    /// let depth_mm = |x: f64| {
    ///     query.at([x, 10.0]).map(|sample| sample.map(|sample| (1000.0 * sample.depth_m).round()))
    /// };
    /// assert_eq!(depth_mm(5.0)?, Some(2250.0));
    /// // The waterline lies at 16.25 m, between two centres of cells.
    /// assert_eq!((depth_mm(16.0)?, depth_mm(16.5)?), (Some(50.0), Some(0.0)));
    /// assert_eq!(depth_mm(-1.0)?, None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn query(&self) -> Query<'_> {
        Query::new(&self.simulation, self.scale(), self.cell_width_m())
            .on_beds(Some(self.site.finest_beds()))
    }

    /// Returns the settings, solver and terms included.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.simulation.settings()
    }

    /// Returns the simulation of the engine, to read. Unstable: its types change without notice.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Counts the leaves that have changed since a number, maps included.
    pub(super) fn changed_since(&self, revision: u64) -> usize {
        let leaves = self.simulation.leaves();
        let changed = |leaf: LeafId| {
            leaves.changed_at(leaf).max(leaves.maps_of(leaf).map_or(0, |maps| maps.changed))
        };
        leaves.forest.ids().filter(|&leaf| changed(leaf) >= revision).count()
    }

    /// Returns the cells, to read.
    pub(super) fn cells(&self) -> WorldCells<'_> {
        WorldCells { simulation: &self.simulation, site: &self.site }
    }
}
