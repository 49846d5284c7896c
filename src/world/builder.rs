//! Putting a world together.

use crate::forest::Forest;
use crate::forest::criteria::Place;
use crate::forest::criteria::Places;
use crate::forest::criteria::Scale;
use crate::forest::facts::LeafFacts;
use crate::forest::first::first_leaves;
use crate::forest::plan::Planner;
use crate::forest::plan::PlannerSettings;
use crate::grid::TileKey;
use crate::grid::cells::CellPlace;
use crate::probe::LeafMaps;
use crate::sim::Settings;
use crate::sim::Simulation;
use crate::sim::Solver;
use crate::sim::forcing::Direction;
use crate::sim::forcing::Forcing;
use crate::sim::forcing::GreenAmpt;
use crate::sim::forcing::Inflow;
use crate::sim::forcing::Layer;
use crate::sim::forcing::LayerClass;
use crate::sim::ledger::Ledger;
use crate::sim::simulation::Parts;
use crate::terrain::Terrain;
use crate::tile::Ground;
use crate::units::RateSeries;
use crate::units::SimTime;
use crate::units::rate::Course;
use crate::units::rate::SeriesError;
use crate::world::AdaptiveOptions;
use crate::world::EdgeKind;
use crate::world::EdgePlace;
use crate::world::World;
use crate::world::WorldError;
use crate::world::adaptive::Adaptive;
use crate::world::edges::Edge;
use crate::world::edges::Rim;
use crate::world::site::Site;
use crate::world::site::extent;
use crate::world::start::Start;
use crate::world::tracers::TracersAsked;

/// A number for each cell, by its place: columns from the west, rows from the south, of the
/// simulated level.
pub type CellClass<T> = Box<dyn Fn(CellPlace) -> T + Send + Sync>;

/// An inflow as asked for: m³/s over seconds, and its cells.
struct Source {
    name: String,
    points: Vec<(f64, f64)>,
    cells: Vec<CellPlace>,
}

/// Collects what a world is made of; [`WorldBuilder::build`] checks it and puts it together.
pub struct WorldBuilder {
    terrain: Terrain,
    level: u8,
    settings: Settings,
    edges: Vec<Edge>,
    ledger: Ledger,
    layers: Vec<(Layer, Option<CellClass<LayerClass>>)>,
    green_ampt: Option<GreenAmpt>,
    inflows: Vec<Source>,
    roughness: Option<CellClass<u8>>,
    leaves: Option<Vec<TileKey>>,
    adaptive: Option<AdaptiveOptions>,
    start: Start,
    wet_depth_m: f64,
    pub(super) tracers: TracersAsked,
}

impl std::fmt::Debug for WorldBuilder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WorldBuilder")
            .field("level", &self.level)
            .field("settings", &self.settings)
            .field("edges", &self.edges)
            .finish_non_exhaustive()
    }
}

impl WorldBuilder {
    /// A dry world on `terrain` at its finest level, with walls all round.
    #[must_use]
    pub fn new(terrain: Terrain) -> Self {
        Self {
            terrain,
            level: 0,
            settings: Settings::default(),
            edges: Vec::new(),
            ledger: Ledger::default(),
            layers: Vec::new(),
            green_ampt: None,
            inflows: Vec::new(),
            roughness: None,
            leaves: None,
            adaptive: None,
            start: Start::default(),
            wet_depth_m: 0.01,
            tracers: TracersAsked::default(),
        }
    }

    /// Simulates on cells of `level`: 2^level finest cells wide.
    #[must_use]
    pub fn level(mut self, level: u8) -> Self {
        self.level = level;
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

    /// Leaves follow what matters: finer where a criterion asks for it, coarser elsewhere. The
    /// cells of inflows stay on the simulated level as far as the budget allows.
    #[must_use]
    pub fn adaptive(mut self, options: AdaptiveOptions) -> Self {
        self.adaptive = Some(options);
        self
    }

    /// The world as criteria see it, with leaves up to level `coarsest`: criteria are checked
    /// against it.
    ///
    /// # Errors
    ///
    /// [`WorldError::Level`] where the terrain has no such level, [`WorldError::Criterion`] where
    /// it is finer than the simulated one.
    pub fn extent(&self, coarsest: u8) -> Result<Scale, WorldError> {
        extent(&self.terrain, self.level, coarsest)
    }

    /// Uses these settings.
    #[must_use]
    pub fn settings(mut self, settings: Settings) -> Self {
        self.settings = settings;
        self
    }

    /// Which equations move the water.
    #[must_use]
    pub fn solver(mut self, solver: Solver) -> Self {
        self.settings.solver = solver;
        self
    }

    /// Manning's n, s/m^(1/3), the same everywhere.
    #[must_use]
    pub fn manning(mut self, n: f64) -> Self {
        self.settings.manning_n = vec![n];
        self
    }

    /// Manning's n by class, and the class of each cell.
    #[must_use]
    pub fn manning_classes(mut self, n: Vec<f64>, class: CellClass<u8>) -> Self {
        self.settings.manning_n = n;
        self.roughness = Some(class);
        self
    }

    /// Depth from which a cell counts as wet in arrival, duration, speed and hazard, m.
    #[must_use]
    pub fn wet_depth_m(mut self, depth_m: f64) -> Self {
        self.wet_depth_m = depth_m;
        self
    }

    /// The same kind of edge all round, holes included.
    #[must_use]
    pub fn edges(self, kind: EdgeKind) -> Self {
        self.edge("edge", EdgePlace::All, kind)
    }

    /// One edge; later ones override earlier ones where they overlap.
    #[must_use]
    pub fn edge(mut self, name: &str, place: EdgePlace, kind: EdgeKind) -> Self {
        self.edges.push(Edge { name: name.to_owned(), place, kind });
        self
    }

    /// Still water up to a stage, m, by cell; NaN or a stage below the bed leaves a cell dry.
    #[must_use]
    pub fn initial_stage(mut self, stage_m: CellClass<f64>) -> Self {
        self.start.stage_m = Some(stage_m);
        self
    }

    /// Water of a depth, m, by cell; NaN leaves a cell dry. Where a stage is given as well, the
    /// deeper one counts.
    #[must_use]
    pub fn initial_depth(mut self, depth_m: CellClass<f64>) -> Self {
        self.start.depth_m = Some(depth_m);
        self
    }

    /// Velocity at the beginning, eastward and northward, m/s, by cell; a face takes the mean of
    /// its two cells. NaN is at rest. It counts where water stands.
    #[must_use]
    pub fn initial_velocity(mut self, velocity_m_s: CellClass<(f64, f64)>) -> Self {
        self.start.velocity_m_s = Some(velocity_m_s);
        self
    }

    /// Rain, the same everywhere: seconds and m/s, each value until the next point. The last point
    /// ends the rain; a single point rains for ever.
    ///
    /// # Errors
    ///
    /// [`WorldError::Series`] names the first point that is out of order or out of range.
    pub fn rain(self, name: &str, points: &[(f64, f64)]) -> Result<Self, WorldError> {
        self.layer(name, Direction::Into, &[points.to_vec()], None)
    }

    /// A rate over all cells, by class: seconds and m/s, each value until the next point. The last
    /// point ends the rate; a single point holds for ever.
    ///
    /// # Errors
    ///
    /// [`WorldError::Series`] names the first point that is out of order or out of range.
    pub fn layer(
        mut self,
        name: &str,
        direction: Direction,
        rates: &[Vec<(f64, f64)>],
        class: Option<CellClass<LayerClass>>,
    ) -> Result<Self, WorldError> {
        let units = self.terrain.scale().units_per_m();
        let rates: Result<_, _> = rates
            .iter()
            .map(|points| RateSeries::try_new(&scaled(points, units), Course::Steps))
            .collect();
        let rates = rates.map_err(|reason| named(name, reason))?;
        let account = self.ledger.open(name);
        self.layers.push((Layer { account, direction, rates, classes: None }, class));
        Ok(self)
    }

    /// Green–Ampt infiltration: saturated conductivity K, m/s, and suction head times moisture
    /// deficit, m.
    ///
    /// # Errors
    ///
    /// [`WorldError::Number`] for a negative or endless number.
    pub fn green_ampt(mut self, conductivity_m_s: f64, suction_m: f64) -> Result<Self, WorldError> {
        let check = |what, value: f64, most: f64, range| {
            let good = (0.0..=most).contains(&value);
            if good { Ok(()) } else { Err(WorldError::Number { what, value, range }) }
        };
        check("hydraulic conductivity", conductivity_m_s, 1.0, "0 to 1 m/s")?;
        check("suction head times moisture deficit", suction_m, 100.0, "0 to 100 m")?;
        let account = self.ledger.open("infiltration");
        self.green_ampt = Some(GreenAmpt { account, conductivity_m_s, suction_m });
        Ok(self)
    }

    /// A discharge into some cells of the simulated level, shared out evenly: seconds and m³/s,
    /// straight lines between the points.
    ///
    /// # Errors
    ///
    /// [`WorldError::Series`] names the first point that is out of order or out of range.
    pub fn inflow(
        mut self,
        name: &str,
        points: &[(f64, f64)],
        cells: &[CellPlace],
    ) -> Result<Self, WorldError> {
        RateSeries::try_new(points, Course::Lines).map_err(|reason| named(name, reason))?;
        let (name, points, cells) = (name.to_owned(), points.to_vec(), cells.to_vec());
        self.inflows.push(Source { name, points, cells });
        Ok(self)
    }

    /// Checks everything and puts the world together.
    ///
    /// # Errors
    ///
    /// [`WorldError`] says what does not fit, and where.
    pub fn build(mut self) -> Result<World, WorldError> {
        self.settings.check()?;
        let mut ledger = std::mem::take(&mut self.ledger);
        let layers = std::mem::take(&mut self.layers);
        let scale = self.terrain.scale();
        let beds = self.terrain.level(self.level).ok_or_else(|| WorldError::Level {
            level: self.level,
            coarsest: self.terrain.coarsest(),
        })?;
        let size = (beds.width(), beds.height());
        let cell_width_m = self.terrain.cell_width_m(self.level);
        let rim = Rim::new(std::mem::take(&mut self.edges), scale)?;
        let count = self.settings.manning_n.len();
        let roughness = self.roughness.take().map(|class| (class, count));
        let (layers, classes): (Vec<_>, Vec<_>) = layers
            .into_iter()
            .map(|(layer, class)| {
                let count = layer.rates.len();
                (layer, class.map(|class| (class, count)))
            })
            .unzip();
        let site = Site::new(self.terrain, self.level, rim, roughness, classes);
        let asked = self.adaptive.take();
        let adaptive = asked.map(|asked| planner(&site, asked, &self.inflows)).transpose()?;
        let leaves = match (self.leaves.take(), &adaptive) {
            (Some(leaves), _) => leaves,
            (None, None) => site.tiles(self.level).collect(),
            (None, Some((planner, _))) => {
                let cover = |key| site.cover(key);
                first_leaves(planner, &cover, &LeafFacts::dry).leaves().to_vec()
            }
        };
        if leaves.is_empty() {
            return Err(WorldError::NothingInside { level: self.level });
        }
        let forest = Forest::try_of_leaves(self.level, leaves).map_err(WorldError::Forest)?;
        site.check(&forest)?;
        let is_level = forest.leaves().iter().all(|key| key.level == self.level);
        if !self.tracers.is_empty() && (adaptive.is_some() || !is_level) {
            return Err(WorldError::TracersAcrossLevels);
        }
        let keys = forest.leaves();
        let grounds: Vec<_> = keys.iter().map(|&key| site.ground(key)).collect::<Result<_, _>>()?;
        let mut water = self.start.fill(scale, &forest, &grounds)?;
        let inflows = std::mem::take(&mut self.inflows);
        let forcing =
            forcing(&site, layers, self.green_ampt, &inflows, &forest, &grounds, &mut ledger)?;
        let rims = keys.iter().zip(&grounds);
        let rims = rims.map(|(&key, ground)| site.rim_faces(key, ground, &mut ledger)).collect();
        let tracers = self.tracers.lay(&forest, &grounds, &mut water, &ledger)?;
        let wet = scale.depth_units(self.wet_depth_m).filter(|&h| h > 0);
        let threshold = wet.ok_or(WorldError::Number {
            what: "the depth from which a cell counts as wet, in metres,",
            value: self.wet_depth_m,
            range: "a depth from one vertical unit to a hundred metres",
        })?;
        let maps = water
            .iter()
            .map(|w| LeafMaps::new(&w.depth, threshold, scale.unit_m(), SimTime::ZERO))
            .collect();
        let simulation = Simulation::new(Parts {
            forest,
            grounds,
            water,
            cell_width_m,
            unit_m: scale.unit_m(),
            settings: self.settings,
            forcing,
            laws: site.rim_laws().laws.clone(),
            rims,
            ledger,
            tracers,
        });
        let adaptive =
            adaptive.map(|(planner, interval)| Box::new(Adaptive::new(planner, interval)));
        Ok(World::new(simulation, maps, site, adaptive, scale, cell_width_m, size))
    }
}

/// Priority of the cells of inflows.
const INFLOW_PRIORITY: f32 = 100.0;

/// The planner that is asked for, and the cycles between its plans.
fn planner(
    site: &Site,
    asked: AdaptiveOptions,
    inflows: &[Source],
) -> Result<(Planner, u32), WorldError> {
    let scale = site.extent(asked.coarsest)?;
    let AdaptiveOptions { budget_cells, interval_cycles, min_age_cycles, mut criteria, .. } = asked;
    let cells = inflows.iter().flat_map(|source| &source.cells);
    let places: Vec<Place> =
        cells.map(|&cell| Place { area: scale.cell_area(cell), level: site.base() }).collect();
    if !places.is_empty() {
        let places = Places::try_new(&places, INFLOW_PRIORITY, &scale);
        criteria.push(Box::new(places.map_err(WorldError::Criterion)?));
    }
    let settings = PlannerSettings { budget_cells, min_age_cycles, criteria };
    let cover = |key| site.cover(key);
    let planner = Planner::try_new(scale, settings, &cover).map_err(WorldError::Plan)?;
    Ok((planner, interval_cycles.max(1)))
}

/// Lays the forcing out over the leaves.
fn forcing(
    site: &Site,
    layers: Vec<Layer>,
    green_ampt: Option<GreenAmpt>,
    inflows: &[Source],
    forest: &Forest,
    grounds: &[Ground],
    ledger: &mut Ledger,
) -> Result<Forcing, WorldError> {
    let mut forcing = Forcing { green_ampt, layers, ..Forcing::default() };
    for (index, layer) in forcing.layers.iter_mut().enumerate() {
        let of_leaf = |(&key, ground)| site.layer_classes(index, key, ground);
        let classes = forest.leaves().iter().zip(grounds).map(of_leaf);
        layer.classes = classes.collect::<Result<Option<Vec<_>>, _>>()?;
    }
    let width = site.terrain().cell_width_m(forest.base());
    let units = site.terrain().scale().units_per_m() / (width * width);
    for Source { name, points, cells: places } in inflows {
        let rate = RateSeries::try_new(&scaled(points, units), Course::Lines)
            .map_err(|reason| named(name, reason))?;
        let mut cells = Vec::with_capacity(places.len());
        for place in places {
            let found = forest.locate(*place).filter(|&(leaf, cell)| grounds[leaf].is_inside(cell));
            let (leaf, cell) = found.ok_or_else(|| WorldError::InflowOutside {
                name: name.clone(),
                place: Some(*place),
            })?;
            #[expect(clippy::cast_possible_truncation, reason = "2⁴⁰ cells at most")]
            cells.push((leaf as u32, cell as u16));
        }
        if cells.is_empty() {
            return Err(WorldError::InflowOutside { name: name.clone(), place: None });
        }
        let places = places.clone();
        forcing.inflows.push(Inflow { account: ledger.open(name), rate, places, cells });
    }
    Ok(forcing)
}

fn scaled(points: &[(f64, f64)], factor: f64) -> Vec<(f64, f64)> {
    points.iter().map(|&(time, value)| (time, value * factor)).collect()
}

fn named(name: &str, reason: SeriesError) -> WorldError {
    WorldError::Series { name: name.to_owned(), reason }
}
