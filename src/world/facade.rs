//! A world that runs.

use crate::forest::Cover;
use crate::forest::criteria::Scale;
use crate::grid::TileKey;
use crate::grid::cells::CellPlace;
use crate::probe::{LeafMaps, Query};
use crate::sim::ledger::Ledger;
use crate::sim::{Settings, Simulation};
use crate::terrain::Terrain;
use crate::units::hash::StateHasher;
use crate::units::{SimTime, VerticalScale, Volume};
use crate::world::actions::UndoLog;
use crate::world::adaptive::Adaptive;
use crate::world::bodies::BodySet;
use crate::world::saved::Saved;
use crate::world::setup::Setup;
use crate::world::site::Site;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Water on a terrain, and the maps of where it has been.
#[derive(Debug)]
pub struct World {
    pub(super) simulation: Simulation,
    pub(super) maps: Vec<LeafMaps>,
    pub(super) site: Site,
    pub(super) adaptive: Option<Box<Adaptive>>,
    /// Bodies, as they were put last.
    pub(super) bodies: BodySet,
    /// What it was asked to be.
    pub(super) setup: Setup,
    /// Tiles of terrain that were edited, and the number of the last change of each.
    pub(super) edited: BTreeMap<TileKey, u64>,
    /// Bytes that it may take where its beds stay in their file.
    pub(super) budget_bytes: Option<u64>,
    /// This world and no other, as files know it.
    pub(super) saved: Arc<Saved>,
    /// What actions can go back to.
    pub(super) undo_log: UndoLog,
    /// A change is under way, or was broken off.
    pub(super) is_broken: bool,
    scale: VerticalScale,
    cell_width_m: f64,
    size: (usize, usize),
}

impl World {
    pub(super) fn new(
        simulation: Simulation,
        maps: Vec<LeafMaps>,
        site: Site,
        adaptive: Option<Box<Adaptive>>,
        setup: Setup,
        size: (usize, usize),
    ) -> Self {
        let scale = site.scale();
        let cell_width_m = site.relief().cell_width_m(setup.level);
        let (edited, saved) = (BTreeMap::new(), Arc::default());
        Self {
            simulation,
            maps,
            site,
            adaptive,
            bodies: BodySet::default(),
            setup,
            edited,
            budget_bytes: None,
            saved,
            undo_log: UndoLog::default(),
            is_broken: false,
            scale,
            cell_width_m,
            size,
        }
    }

    /// Simulated time since the beginning.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.simulation.time()
    }

    /// Volume on the ground, vertical units × finest cells; times [`World::unit_m3`] it is m³.
    #[must_use]
    pub fn stored(&self) -> Volume {
        self.simulation.leaves().stored()
    }

    /// Cubic metres in a unit of volume.
    #[must_use]
    pub fn unit_m3(&self) -> f64 {
        let finest = self.cell_width_m / f64::from(1_u32 << self.simulation.forest().base());
        finest * finest * self.scale.unit_m()
    }

    /// Finest cells with ground that belong to no cell, because those over them are outside in
    /// part: none with sub-grid columns.
    #[must_use]
    pub fn left_out(&self) -> usize {
        self.site.left_out()
    }

    /// Bytes of the tables of sub-grid columns: of the leaves of the moment, and of what is kept
    /// for leaves to come.
    #[must_use]
    pub fn table_bytes(&self) -> usize {
        let leaves = self.simulation.forest().leaves().iter().copied().enumerate();
        self.site.table_bytes(leaves.map(|(leaf, key)| (key, self.simulation.ground(leaf))))
    }

    /// Where every unit came from and went.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.simulation.ledger()
    }

    /// Columns and rows of the simulated level.
    #[must_use]
    pub fn size(&self) -> (usize, usize) {
        self.size
    }

    /// Width of the simulated cells, m.
    #[must_use]
    pub fn cell_width_m(&self) -> f64 {
        self.cell_width_m
    }

    /// Vertical unit and datum.
    #[must_use]
    pub fn scale(&self) -> VerticalScale {
        self.scale
    }

    /// Bed of a cell, m: the mean of the finest ones; `None` outside the world.
    #[must_use]
    pub fn bed_m(&self, place: CellPlace) -> Option<f64> {
        let (leaf, cell) = self.locate(place)?;
        Some(self.scale.metres(self.simulation.ground(leaf).bed[cell]))
    }

    /// Depth in a cell, m: volume over area; `None` outside the world.
    #[must_use]
    pub fn depth_m(&self, place: CellPlace) -> Option<f64> {
        let (leaf, cell) = self.locate(place)?;
        Some(self.scale.depth_m(self.simulation.water(leaf).depth[cell]))
    }

    /// Stage of a cell, m above the datum; `None` where it is dry or outside the world.
    #[must_use]
    pub fn stage_m(&self, place: CellPlace) -> Option<f64> {
        let (leaf, cell) = self.locate(place)?;
        let depth = self.simulation.water(leaf).depth[cell];
        let stage = || self.scale.metres(self.simulation.ground(leaf).stage(cell, depth));
        (depth > 0).then(stage)
    }

    /// Speed in a cell over the last step, from what crossed its faces, m/s; 0 where it is not wet,
    /// `None` outside the world.
    #[must_use]
    pub fn speed_m_s(&self, place: CellPlace) -> Option<f64> {
        let [u, v] = self.velocity_m_s(place)?;
        Some((u * u + v * v).sqrt())
    }

    /// Velocity in a cell over the last step, eastward and northward, from what crossed its faces,
    /// m/s; 0 where it is not wet, `None` outside the world.
    #[must_use]
    pub fn velocity_m_s(&self, place: CellPlace) -> Option<[f64; 2]> {
        let (leaf, cell) = self.locate(place)?;
        let [x, y] = &self.maps[leaf].velocity;
        Some([f64::from(x[cell]), f64::from(y[cell])])
    }

    /// The flood maps around a cell: those of its leaf, and its index in them.
    #[must_use]
    pub fn maps_at(&self, place: CellPlace) -> Option<(&LeafMaps, usize)> {
        let (leaf, cell) = self.locate(place)?;
        Some((&self.maps[leaf], cell))
    }

    /// The flood maps of all leaves.
    pub(super) fn maps(&self) -> &[LeafMaps] {
        &self.maps
    }

    /// Counts the time since the last look of maps at leaves that sleep. Call it before reading
    /// durations.
    pub fn bring_maps_up_to_date(&mut self) {
        let (time, before) = (self.time(), self.simulation.revision());
        let change = self.simulation.bump_revision();
        self.undo_log.stay(before, change);
        for maps in &mut self.maps {
            if maps.bring_up_to(time) {
                maps.changed = change;
            }
        }
    }

    /// Leaves, their maps among them, that have changed since a number.
    pub(super) fn changed_since(&self, revision: u64) -> usize {
        let changed = |leaf: usize| self.simulation.changed_at(leaf).max(self.maps[leaf].changed);
        (0..self.maps.len()).filter(|&leaf| changed(leaf) >= revision).count()
    }

    /// The world as criteria see it.
    #[must_use]
    pub fn extent(&self) -> Scale {
        match &self.adaptive {
            Some(adaptive) => *adaptive.scale(),
            None => self.site.extent(self.site.relief().coarsest()).expect("levels it has"),
        }
    }

    /// The terrain that the water runs on; `None` where its beds stay in the world's file.
    #[must_use]
    pub fn terrain(&self) -> Option<&Terrain> {
        self.site.terrain()
    }

    /// What a tile of any level covers: whether it may be a leaf.
    #[must_use]
    pub fn cover(&self, key: TileKey) -> Cover {
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
    /// let lake = Box::new(|_| 2.75);
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
        Query::new(&self.simulation, self.scale, self.cell_width_m).on(self.site.terrain())
    }

    /// The same questions to the highest water that each cell has seen so far, each at its own
    /// time. Velocities are 0: the maps have the largest speeds.
    ///
    /// Over sub-grid columns a raster of level 0 shows the largest depths on the finest cells of
    /// the terrain, as [`World::query`] shows the present ones.
    #[must_use]
    pub fn peaks(&self) -> Query<'_> {
        self.query().at_peak(&self.maps)
    }

    /// The settings, solver and terms among them.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        self.simulation.settings()
    }

    /// Hash of all state: see [`Simulation::state_hash`].
    #[must_use]
    pub fn state_hash(&self) -> u64 {
        let simulation = self.simulation.state_hash();
        let Some(adaptive) = &self.adaptive else { return simulation };
        let mut hash = StateHasher::new();
        hash.add(simulation);
        adaptive.add_to(&mut hash);
        hash.finish()
    }

    /// What it was asked to be, with what was changed since.
    pub(super) fn setup_now(&self) -> Setup {
        let mut setup = self.setup.clone();
        setup.settings = self.simulation.settings().clone();
        if let (Some(numbers), Some(adaptive)) = (&mut setup.adaptive, &self.adaptive) {
            numbers.budget_cells = adaptive.budget_cells();
        }
        setup
    }

    /// The simulation itself, to read.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    pub(super) fn locate(&self, place: CellPlace) -> Option<(usize, usize)> {
        let (leaf, cell) = self.simulation.forest().locate(place)?;
        self.simulation.ground(leaf).is_inside(cell).then_some((leaf, cell))
    }
}
