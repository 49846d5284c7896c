//! Putting a world together.

use crate::world::accounts::INFILTRATION;
use crate::world::classes::{CellClass, ClassSource};
use crate::world::edges::RequestedEdge;
use crate::world::relief::WorldRelief;
use crate::world::setup::{AdaptiveNumbers, Setup};
use crate::world::site::extent;
use crate::world::stacks::{StageBelow, Voids};
use crate::world::start::Start;
use crate::world::{AdaptiveOptions, ColumnKind, EdgeKind, EdgePlace, WorldError};
use std::sync::Arc;
use thalweg_engine::forest::criteria::{Criterion, Scale};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::forcing::LayerClass;
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::sim::{Fluid, Settings, Solver};
use thalweg_engine::structure::inflow::CellInflow;
use thalweg_engine::structure::weather::{CONDUCTIVITY, Direction, SUCTION, WeatherLayer};
use thalweg_engine::structure::{Link, Number, StructureKind};
use thalweg_engine::terrain::Terrain;
use thalweg_engine::tile::MapKinds;

/// Collects the parts of a world; [`WorldBuilder::build`] checks them and builds the world.
pub struct WorldBuilder {
    pub(super) relief: WorldRelief,
    /// Bytes that a world may take whose beds stay in their file.
    pub(super) budget_bytes: Option<u64>,
    pub(super) setup: Setup,
    /// Kind of columns; `None` if the caller chose none.
    pub(super) columns: Option<ColumnKind>,
    /// The accounts, in the order they were opened.
    pub(super) ledger: Ledger,
    pub(super) roughness: Option<ClassSource>,
    /// Classes of the cells under each layer.
    pub(super) layer_classes: Vec<Option<ClassSource>>,
    pub(super) leaves: Option<Vec<TileKey>>,
    pub(super) criteria: Vec<Box<dyn Criterion>>,
    /// New links, beside the links of the setup.
    pub(super) links: Vec<Link>,
    /// Indices of the inflows at a point, not spread yet.
    pub(super) points: Vec<usize>,
    pub(super) start: Start,
    /// Intervals below the ground, and the stage of their first water.
    pub(super) voids: Voids,
    pub(super) stage_below: Option<StageBelow>,
    /// Concentrations at the beginning, tracer by tracer.
    pub(super) concentrations: Vec<CellClass<f64>>,
}

impl std::fmt::Debug for WorldBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldBuilder").field("setup", &self.setup).finish_non_exhaustive()
    }
}

impl WorldBuilder {
    /// Returns a builder of a dry world on `terrain` at its finest level, with walls all round.
    #[must_use]
    pub fn new(terrain: Terrain) -> Self {
        Self::on(WorldRelief::InMemory(Arc::new(terrain)))
    }

    /// Returns a builder on beds in memory or in a file.
    pub(super) fn on(relief: WorldRelief) -> Self {
        Self {
            relief,
            budget_bytes: None,
            setup: Setup::default(),
            columns: None,
            ledger: Ledger::default(),
            roughness: None,
            layer_classes: Vec::new(),
            leaves: None,
            criteria: Vec::new(),
            links: Vec::new(),
            points: Vec::new(),
            start: Start::default(),
            voids: Voids::new(),
            stage_below: None,
            concentrations: Vec::new(),
        }
    }

    /// Simulates on cells of `level`: 2^level finest cells wide.
    #[must_use]
    pub fn level(mut self, level: u8) -> Self {
        self.setup.level = level;
        self
    }

    /// Sets the kind of columns: how coarse cells represent the terrain below them. The default is
    /// sub-grid ones if leaves are adaptive or beds stay in a file, else flat ones.
    #[must_use]
    pub fn columns(mut self, kind: ColumnKind) -> Self {
        self.columns = Some(kind);
        self
    }

    /// Begins with these leaves, of the simulated level and coarser ones: together they must cover
    /// all ground, and neighbours may differ by one level. Without it all are of the simulated
    /// level.
    #[must_use]
    pub fn leaves(mut self, leaves: Vec<TileKey>) -> Self {
        self.leaves = Some(leaves);
        self
    }

    /// Makes leaves adaptive: finer where a criterion requests it, coarser elsewhere. The cells of
    /// inflows stay on the simulated level if the budget allows.
    #[must_use]
    pub fn adaptive(mut self, options: AdaptiveOptions) -> Self {
        let AdaptiveOptions { coarsest, budget_cells, interval_cycles, .. } = options;
        let AdaptiveOptions { min_age_cycles, ahead_cycles, leaves_a_cycle, criteria, .. } =
            options;
        let numbers = AdaptiveNumbers {
            coarsest,
            budget_cells,
            interval_cycles,
            min_age_cycles,
            ahead_cycles,
            leaves_a_cycle,
        };
        (self.setup.adaptive, self.criteria) = (Some(numbers), criteria);
        self
    }

    /// Returns the world as criteria see it, with leaves up to level `coarsest`: criteria are
    /// checked against it.
    ///
    /// # Errors
    ///
    /// [`WorldError::Level`] if the terrain has no such level, [`WorldError::Criterion`] if it is
    /// finer than the simulated one.
    pub fn extent(&self, coarsest: u8) -> Result<Scale, WorldError> {
        extent(&self.relief, self.setup.level, coarsest)
    }

    /// Uses these settings.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.setup.settings = settings;
        self
    }

    /// Sets the equations that move the water.
    #[must_use]
    pub fn solver(mut self, solver: Solver) -> Self {
        self.setup.settings.solver = solver;
        self
    }

    /// Uses this fluid in place of water.
    #[must_use]
    pub fn fluid(mut self, fluid: Fluid) -> Self {
        self.setup.settings.fluid = fluid;
        self
    }

    /// Sets Manning's n, s/m^(1/3), the same everywhere.
    #[must_use]
    pub fn manning(mut self, n: f64) -> Self {
        self.setup.settings.manning_n = vec![n];
        self
    }

    /// Sets Manning's n by class, and the class of each cell, which is read once.
    #[must_use]
    pub fn manning_classes(
        mut self,
        n: Vec<f64>,
        class: impl Fn(CellPlace) -> u8 + Send + Sync + 'static,
    ) -> Self {
        self.setup.settings.manning_n = n;
        let class = ClassSource::Told(Box::new(move |place| u16::from(class(place))));
        (self.setup.has_roughness, self.roughness) = (true, Some(class));
        self
    }

    /// Sets the depth from which a cell counts as wet in arrival, duration, speed and hazard, m.
    #[must_use]
    pub fn wet_depth_m(mut self, depth_m: f64) -> Self {
        self.setup.wet_depth_m = depth_m;
        self
    }

    /// Chooses the flood maps that the world keeps for every cell while it runs: each takes memory,
    /// time and room in the world's file ([`MapKinds`] has the figures), and none changes how the
    /// water runs. By default a world keeps [`MapKinds::VELOCITY`], which surfaces and visual
    /// layers use. Maps cannot be made afterwards, so the choice is made here, and is stored in the
    /// world's file.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// let terrain = Terrain::from_heights([64, 64], 5.0, |x, _| 0.01 * x as f64)?;
    /// let builder = WorldBuilder::new(terrain).initial_depth(|_| 0.5);
    /// let mut world = builder.maps(MapKinds::DEPTH | MapKinds::ARRIVAL).build()?;
    /// world.run_until(SimTime::from_seconds(60.0));
    /// let (maps, cell) = world.maps().at(CellPlace { x: 3, y: 3 }).expect("in the world");
    /// assert!(world.scale().depth_m(maps.depth_max()?[cell]) >= 0.5);
    /// let error = maps.hazard_max().expect_err("it is not kept");
    /// assert!(error.to_string().contains("hazard"));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[must_use]
    pub fn maps(mut self, kinds: MapKinds) -> Self {
        self.setup.maps = kinds;
        self
    }

    /// Sets one kind of edge all round, holes included.
    #[must_use]
    pub fn edges(self, kind: EdgeKind) -> Self {
        self.edge("edge", EdgePlace::All, kind)
    }

    /// Adds one edge; later ones override earlier ones where they overlap.
    #[must_use]
    pub fn edge(mut self, name: &str, place: EdgePlace, kind: EdgeKind) -> Self {
        self.setup.edges.push(RequestedEdge { name: name.to_owned(), place, kind });
        self
    }

    /// Sets still water up to a stage, m, by cell; NaN or a stage below the bed leaves a cell dry.
    /// If leaves are adaptive, coarse ones have the water over the beds below them, so that no
    /// volume is missing when they are split; flat columns are then slightly high at a coarse
    /// shore, and not at rest there. If leaves do not change, the water is over their own beds, the
    /// means of the beds below.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// let terrain = Terrain::from_heights([64, 64], 5.0, |x, _| 0.1 * x as f64)?;
    /// let mut world = WorldBuilder::new(terrain).initial_stage(|_| 1.0).build()?;
    /// world.run_until(SimTime::from_seconds(60.0));
    /// let depth_m = world.water().depth_m(CellPlace { x: 0, y: 32 });
    /// assert!((depth_m.unwrap() - 1.0).abs() < 1.0e-3, "at rest");
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    #[must_use]
    pub fn initial_stage(
        mut self,
        stage_m: impl Fn(CellPlace) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.start.stage_m = Some(Box::new(stage_m));
        self
    }

    /// Sets water of a depth, m, by cell; NaN leaves a cell dry. If a stage is given as well, the
    /// deeper one counts.
    #[must_use]
    pub fn initial_depth(
        mut self,
        depth_m: impl Fn(CellPlace) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.start.depth_m = Some(Box::new(depth_m));
        self
    }

    /// Intervals below the ground: caves, tunnels, storeys, rivers under decks. They are dry but
    /// for [`initial_stage_below`](WorldBuilder::initial_stage_below).
    #[must_use]
    pub fn voids(mut self, voids: Voids) -> Self {
        self.voids = voids;
        self
    }

    /// Sets still water in intervals up to a stage, m, by cell, and bed and ceiling, m; NaN or a
    /// stage below the bed leaves an interval dry. A stage above a ceiling is the head there.
    #[must_use]
    pub fn initial_stage_below(
        mut self,
        stage_m: impl Fn(CellPlace, [f64; 2]) -> f64 + Send + Sync + 'static,
    ) -> Self {
        self.stage_below = Some(Box::new(stage_m));
        self
    }

    /// Sets the initial velocity, eastward and northward, m/s, by cell; a face takes the mean of
    /// its two cells. NaN is at rest. A velocity in a dry cell has no effect.
    #[must_use]
    pub fn initial_velocity(
        mut self,
        velocity_m_s: impl Fn(CellPlace) -> (f64, f64) + Send + Sync + 'static,
    ) -> Self {
        self.start.velocity_m_s = Some(Box::new(velocity_m_s));
        self
    }

    /// Adds rain, the same everywhere: seconds and m/s, each value until the next point. The last
    /// point ends the rain; a single point is rain without an end. While the world runs it is
    /// changed by [`Action::ChangeWeather`](crate::world::Action::ChangeWeather).
    ///
    /// # Errors
    ///
    /// Same as [`WorldBuilder::layer`].
    pub fn rain(self, name: &str, points: &[(f64, f64)]) -> Result<Self, WorldError> {
        self.layer(name, Direction::Into, points)
    }

    /// Adds a rate over all cells, uniform in space: seconds and m/s, each value until the next
    /// point. The last point ends the rate; a single point is a constant rate without an end.
    ///
    /// # Errors
    ///
    /// [`WorldError::Structure`]: its [`Fault::Series`](crate::structure::Fault::Series) names the
    /// first point that is out of order or out of range.
    pub fn layer(
        self,
        name: &str,
        direction: Direction,
        points: &[(f64, f64)],
    ) -> Result<Self, WorldError> {
        self.add_layer(name, direction, &[points.to_vec()], None)
    }

    /// Adds a rate over all cells by class, each as in [`WorldBuilder::layer`], and the class of
    /// each cell, which is read once.
    ///
    /// # Errors
    ///
    /// Same as [`WorldBuilder::layer`].
    pub fn layer_classes(
        self,
        name: &str,
        direction: Direction,
        rates: &[Vec<(f64, f64)>],
        class: impl Fn(CellPlace) -> LayerClass + Send + Sync + 'static,
    ) -> Result<Self, WorldError> {
        self.add_layer(name, direction, rates, Some(ClassSource::Told(Box::new(class))))
    }

    fn add_layer(
        mut self,
        name: &str,
        direction: Direction,
        rates: &[Vec<(f64, f64)>],
        classes: Option<ClassSource>,
    ) -> Result<Self, WorldError> {
        let (name, rates, has_classes) = (name.to_owned(), rates.to_vec(), classes.is_some());
        let layer = WeatherLayer { name, direction, rates, has_classes };
        layer.series(self.relief.scale().units_per_m())?;
        self.ledger.open(&layer.name);
        self.setup.layers.push(layer);
        self.layer_classes.push(classes);
        Ok(self)
    }

    /// Sets Green–Ampt infiltration: saturated conductivity K, m/s, and suction head times moisture
    /// deficit, m.
    ///
    /// # Errors
    ///
    /// [`WorldError::Structure`]: its [`Fault::Number`](crate::structure::Fault::Number) names the
    /// number that is out of range, and the range.
    pub fn green_ampt(mut self, conductivity_m_s: f64, suction_m: f64) -> Result<Self, WorldError> {
        let check = |number: Number, value| {
            number.check(value).map_err(|fault| StructureKind::Weather.error(INFILTRATION, fault))
        };
        check(CONDUCTIVITY, conductivity_m_s)?;
        check(SUCTION, suction_m)?;
        self.ledger.open(INFILTRATION);
        self.setup.green_ampt = Some([conductivity_m_s, suction_m]);
        Ok(self)
    }

    /// Adds a discharge into some cells of the simulated level, shared evenly: seconds and m³/s,
    /// straight lines between the points. A single cell is a point: the water enters over as many
    /// cells around it as its largest discharge needs to leave them at a depth of at most a tenth
    /// of the width of all of them together;
    /// [`inflow_places`](crate::world::Structures::inflow_places) lists them.
    ///
    /// # Errors
    ///
    /// Same as [`WorldBuilder::layer`].
    pub fn inflow(
        mut self,
        name: &str,
        points: &[(f64, f64)],
        cells: &[CellPlace],
    ) -> Result<Self, WorldError> {
        let (name, points, cells) = (name.to_owned(), points.to_vec(), cells.to_vec());
        let inflow = CellInflow { name, points, cells };
        inflow.check()?;
        if inflow.cells.len() == 1 {
            self.points.push(self.setup.inflows.len());
        }
        self.setup.inflows.push(inflow);
        Ok(self)
    }
}
