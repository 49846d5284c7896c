//! Building a world from its setup.

use crate::probe::LeafMaps;
use crate::world::accounts::{INFILTRATION, NAMES_MOST};
use crate::world::adaptive::Adaptive;
use crate::world::classes::ClassSource;
use crate::world::edges::Boundary;
use crate::world::fed::Fed;
use crate::world::setup::{AdaptiveNumbers, ColumnKind, Setup, check_count};
use crate::world::site::WorldSite;
use crate::world::spread::{InflowSurroundings, outline};
use crate::world::stacks::{StackError, lay_voids};
use crate::world::structures::{barriers, check_lines, own_criteria, put_links};
use crate::world::tracers::lay;
use crate::world::{World, WorldBuilder, WorldError};
use rayon::prelude::*;
use thalweg_engine::forest::Forest;
use thalweg_engine::forest::criteria::Criterion;
use thalweg_engine::forest::facts::LeafFacts;
use thalweg_engine::forest::first::first_leaves;
use thalweg_engine::forest::{Planner, PlannerSettings};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TileKey};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::boundary::BoundaryFace;
use thalweg_engine::sim::forcing::{
    Forcing, ForcingClasses, ForcingLayer, GreenAmptLaw, LaidInflow,
};
use thalweg_engine::sim::ledger::{AccountIndex, Ledger};
use thalweg_engine::sim::simulation::SimulationParts;
use thalweg_engine::state::StackState;
use thalweg_engine::structure::inflow::CellInflow;
use thalweg_engine::structure::{Fault, StructureError};
use thalweg_engine::tile::{Ground, Resident, Water};
use thalweg_engine::units::{SimTime, VerticalScale};

impl WorldBuilder {
    /// Returns the chosen columns, or the usual ones if the caller chose none.
    fn columns_or_usual(&self) -> ColumnKind {
        let is_only = self.relief.in_file().is_some() && self.setup.level > 0;
        let is_usual = is_only || self.setup.adaptive.is_some();
        let usual = if is_usual { ColumnKind::SubGrid } else { ColumnKind::Flat };
        self.columns.unwrap_or(usual)
    }

    /// Checks everything and puts the world together.
    ///
    /// # Errors
    ///
    /// [`WorldError`] names the part that does not fit, and its place.
    pub fn build(self) -> Result<World, WorldError> {
        let columns = self.columns_or_usual();
        let mut setup = Setup { columns, ..self.setup };
        let before = setup.links.len();
        setup.links.extend(self.links.into_iter().map(Some));
        setup.check()?;
        check_lines(&setup, &self.relief)?;
        let (mut ledger, relief) = (self.ledger, self.relief);
        relief.check_kind(&setup)?;
        let none = || WorldError::Level { level: setup.level, coarsest: relief.coarsest() };
        let size = relief.size(setup.level).ok_or_else(none)?;
        let (scale, cell_width_m) = (relief.scale(), relief.cell_width_m(setup.level));
        let accounts = setup.adaptive.is_some().then_some(&mut ledger);
        let boundary = Boundary::new(setup.edges.clone(), (scale, cell_width_m), accounts)?;
        let mut site = WorldSite::new(relief, setup.level, setup.columns, boundary);
        classify(&mut site, &setup, self.roughness, self.layer_classes)?;
        site.pin_voids(&self.voids, size)?;
        let asked = setup.adaptive.zip(Some(self.criteria));
        let mut adaptive = asked.map(|asked| planner(&site, asked, &setup)).transpose()?;
        let coarsest = adaptive.as_ref().map(|(planner, _)| planner.scale().coarsest());
        let forest = first_forest(&site, self.leaves, adaptive.as_ref().map(|a| &a.0))?;
        let keys = forest.leaves();
        site.relief().check_budget(&setup, keys.len(), (site.class_bytes(), self.budget_bytes))?;
        site.find_falls();
        let grounds = grounds(&site, keys, coarsest);
        if spread(&mut setup, &self.points, (&forest, &grounds), (scale, cell_width_m))
            && let Some((planner, _)) = &mut adaptive
        {
            let own = own_criteria((&site, &[]), &planner.scale().clone(), &setup);
            planner.set_own(own.map_err(WorldError::Criterion)?);
        }
        let mut water = self.start.fill(&site, &forest, &grounds, setup.adaptive.is_some())?;
        let forcing = forcing(&site, &setup, &forest, &grounds, &mut ledger)?;
        let classes = layer_classes(&site, setup.layers.len(), keys, &grounds);
        site.fed = Fed::of(&setup.inflows); // before the faces: behind inflows they are walls
        let boundaries = boundaries(&site, keys, &grounds, &mut ledger)?;
        let tracers =
            lay(&setup, &self.concentrations, (&site, &forest, &grounds), &mut water, &ledger)?;
        let barriers = barriers(&site, &setup, size, (&forest, &grounds))?;
        let placed = (&site, &forest, &grounds[..]);
        let (voids, below) = (&self.voids, self.stage_below.as_ref());
        let stacks = lay_voids(voids, below, placed, &self.concentrations)?;
        check_fluid(&setup, &stacks, &forest)?;
        let maps = first_maps(&setup, scale, (&grounds, &water), &stacks)?;
        let mut simulation = Simulation::new(SimulationParts {
            forest,
            grounds,
            classes,
            water,
            cell_width_m,
            unit_m: scale.unit_m(),
            settings: setup.settings.clone(),
            forcing,
            laws: site.boundary_laws().laws.clone(),
            boundaries,
            ledger,
            tracers,
            barriers,
            stacks,
        });
        simulation.keep_maps(maps);
        self.start.fill_interfaces(&site, &mut simulation)?;
        put_links((&mut simulation, &site), &setup, before, size)?;
        check_count("accounts", simulation.ledger().accounts().len(), NAMES_MOST)?;
        check_pages(&site)?;
        let adaptive = adaptive.map(|(planner, own)| Box::new(Adaptive::new(planner, &own)));
        let mut world = World::new(simulation, site, adaptive, setup);
        world.budget_bytes = self.budget_bytes;
        Ok(world)
    }
}

/// Finds out the classes of a site's cells, and the areas of its layers.
fn classify(
    site: &mut WorldSite,
    setup: &Setup,
    roughness: Option<ClassSource>,
    layers: Vec<Option<ClassSource>>,
) -> Result<(), WorldError> {
    let roughness = roughness.map(|class| (class, setup.settings.manning_n.len()));
    let classes = setup.layers.iter().zip(layers);
    let classes = classes.map(|(layer, class)| class.map(|class| (class, layer.rates.len())));
    site.classify(roughness, classes)?;
    site.set_areas(setup)
}

/// Returns the faces of all leaves to the outside.
fn boundaries(
    site: &WorldSite,
    keys: &[TileKey],
    grounds: &[Resident<Ground>],
    ledger: &mut Ledger,
) -> Result<Vec<Vec<BoundaryFace>>, WorldError> {
    let faces =
        keys.iter().zip(grounds).map(|(&key, ground)| site.boundary_faces(key, ground, ledger));
    let boundaries: Vec<Vec<BoundaryFace>> = faces.collect();
    site.boundary_laws().check_rivers(boundaries.iter().flatten())?;
    Ok(boundaries)
}

/// Refuses intervals in a world whose fluid has a yield stress.
fn check_fluid(
    setup: &Setup,
    stacks: &[(LeafId, StackState)],
    forest: &Forest,
) -> Result<(), WorldError> {
    let mut found = stacks.iter().filter_map(|(leaf, own)| Some((*leaf, own.intervals.first()?)));
    match found.next().filter(|_| setup.settings.fluid.yields()) {
        None => Ok(()),
        Some((leaf, interval)) => {
            let place = forest.place_of(leaf, usize::from(interval.cell));
            Err(WorldError::Stack(StackError::Fluid { place }))
        }
    }
}

/// Spreads the inflow of sources at points over as many cells as they need; returns whether one
/// needs more than its own. `points` are the indices of the new sources.
fn spread(
    setup: &mut Setup,
    points: &[usize],
    (forest, grounds): (&Forest, &[Resident<Ground>]),
    (scale, cell_width_m): (VerticalScale, f64),
) -> bool {
    let Setup { inflows, barriers, settings, .. } = setup;
    let bed = |place| dry_stage(place, (forest, grounds));
    let gravity = settings.gravity;
    let around = InflowSurroundings { cell_width_m, scale, gravity, bed: &bed, barriers };
    points.iter().for_each(|&point| around.spread(&mut inflows[point]));
    points.iter().any(|&point| inflows[point].cells.len() > 1)
}

/// Returns the stage of a cell of the base level when it is dry; `None` outside the world.
pub(super) fn dry_stage(
    place: CellPlace,
    (forest, grounds): (&Forest, &[Resident<Ground>]),
) -> Option<i32> {
    let (leaf, cell) =
        forest.locate(place).filter(|&(leaf, cell)| grounds[leaf].is_inside(cell))?;
    Some(grounds[leaf].dry_stage(cell))
}

/// Makes the initial flood maps.
fn first_maps(
    setup: &Setup,
    scale: VerticalScale,
    (grounds, water): (&[Resident<Ground>], &[Resident<Water>]),
    stacks: &[(LeafId, StackState)],
) -> Result<Vec<LeafMaps>, WorldError> {
    let wet = scale.depth_units(setup.wet_depth_m).filter(|&h| h > 0);
    let threshold = wet.ok_or(WorldError::Number {
        what: "the depth from which a cell counts as wet, in metres,",
        value: setup.wet_depth_m,
        range: "a depth from one vertical unit to a hundred metres",
    })?;
    if setup.maps.is_empty() {
        return Ok(Vec::new());
    }
    let of_leaf = |(water, ground): (&Resident<Water>, &Resident<Ground>)| {
        let looked_by = (threshold, scale.unit_m());
        LeafMaps::new(setup.maps, (&**ground, &water.depth), looked_by, SimTime::ZERO)
    };
    let mut maps: Vec<LeafMaps> = water.iter().zip(grounds).map(of_leaf).collect();
    for (leaf, stack) in stacks {
        maps[leaf.index()].look_below(&stack.intervals);
    }
    Ok(maps)
}

/// Whether all pages were read that the first leaves need.
fn check_pages(site: &WorldSite) -> Result<(), WorldError> {
    let Some(pager) = site.relief().in_file() else { return Ok(()) };
    pager.settle();
    // Waits for pages while a world is built are no stalls, so the counts begin after them.
    pager.begin();
    pager.error().map_or(Ok(()), |error| Err(WorldError::Page { reason: error.to_string() }))
}

/// Makes the grounds of the first leaves. If leaves are adaptive, makes all slow tables up to level
/// `coarsest`.
fn grounds(site: &WorldSite, keys: &[TileKey], coarsest: Option<u8>) -> Vec<Resident<Ground>> {
    let span = tracing::debug_span!("grounds", leaves = keys.len(), bytes = tracing::field::Empty);
    let _entered = span.enter();
    if let Some(coarsest) = coarsest {
        site.fill_tables(coarsest);
    }
    site.relief().ask_for(keys, site.columns());
    let grounds: Vec<Resident<Ground>> =
        keys.par_iter().map(|&key| site.ground(key).into()).collect();
    span.record(
        "bytes",
        site.table_bytes(keys.iter().copied().zip(grounds.iter().map(|ground| &**ground))),
    );
    grounds
}

/// Returns the first leaves: requested ones, a planner's choice, or all of the base level.
fn first_forest(
    site: &WorldSite,
    leaves: Option<Vec<TileKey>>,
    planner: Option<&Planner>,
) -> Result<Forest, WorldError> {
    let coarsest = site.relief().coarsest();
    let leaves = match (leaves, planner) {
        (Some(leaves), _) => match leaves.iter().find(|key| key.level > coarsest) {
            Some(key) => return Err(WorldError::Level { level: key.level, coarsest }),
            None => leaves,
        },
        (None, None) => site.covers().tiles(site.base()).collect(),
        (None, Some(planner)) => {
            let cover = |key| site.cover(key);
            first_leaves(planner, &cover, &LeafFacts::dry).leaves().to_vec()
        }
    };
    if leaves.is_empty() {
        return Err(WorldError::NothingInside { level: site.base() });
    }
    let forest = Forest::try_of_leaves(site.base(), leaves).map_err(WorldError::Forest)?;
    site.check(&forest)?;
    Ok(forest)
}

/// Returns the requested planner, and the cycles between its plans.
fn planner(
    site: &WorldSite,
    (asked, criteria): (AdaptiveNumbers, Vec<Box<dyn Criterion>>),
    setup: &Setup,
) -> Result<(Planner, AdaptiveNumbers), WorldError> {
    let scale = site.extent(asked.coarsest)?;
    let AdaptiveNumbers { budget_cells, min_age_cycles, .. } = asked;
    let settings = PlannerSettings { budget_cells, min_age_cycles, criteria };
    let cover = |key| site.cover(key);
    let mut planner = Planner::try_new(scale, settings, &cover).map_err(WorldError::Plan)?;
    planner.set_own(own_criteria((site, &[]), &scale, setup).map_err(WorldError::Criterion)?);
    Ok((planner, asked))
}

/// Returns the classes of the cells of leaves for this number of layers of forcing.
pub(super) fn layer_classes(
    site: &WorldSite,
    layers: usize,
    keys: &[TileKey],
    grounds: &[Resident<Ground>],
) -> Vec<ForcingClasses> {
    let of_leaf = |(&key, ground): (&TileKey, &Resident<Ground>)| -> ForcingClasses {
        (0..layers).map(|layer| site.layer_classes(layer, key, ground)).collect()
    };
    keys.iter().zip(grounds).map(of_leaf).collect()
}

/// Lays the forcing out over the leaves.
fn forcing(
    site: &WorldSite,
    setup: &Setup,
    forest: &Forest,
    grounds: &[Resident<Ground>],
    ledger: &mut Ledger,
) -> Result<Forcing, WorldError> {
    let mut forcing = Forcing::default();
    for (index, layer) in setup.layers.iter().enumerate() {
        forcing.layers.push(ForcingLayer {
            account: ledger.open(&layer.name),
            direction: layer.direction,
            rates: setup.rates(index, site.scale().units_per_m())?,
        });
    }
    forcing.green_ampt = setup.green_ampt.map(|[conductivity_m_s, suction_m]| GreenAmptLaw {
        account: ledger.open(INFILTRATION),
        conductivity_m_s,
        suction_m,
    });
    forcing.inflows =
        inflows(site, &setup.inflows, (forest, grounds), &mut |name| ledger.open(name))?;
    Ok(forcing)
}

/// Lays inflows out over the leaves.
pub(super) fn inflows(
    site: &WorldSite,
    sources: &[CellInflow],
    (forest, grounds): (&Forest, &[Resident<Ground>]),
    open: &mut dyn FnMut(&str) -> AccountIndex,
) -> Result<Vec<LaidInflow>, StructureError> {
    let mut inflows = Vec::with_capacity(sources.len());
    let width = site.relief().cell_width_m(forest.base());
    let units = site.scale().units_per_m() / (width * width);
    for source in sources {
        let (rate, places) = (source.series(units)?, &source.cells);
        let mut cells = Vec::with_capacity(places.len());
        for place in places {
            let found = forest.locate(*place).filter(|&(leaf, cell)| grounds[leaf].is_inside(cell));
            let outside = Fault::NoCell { place: Some(*place) };
            let (leaf, cell) = found.ok_or_else(|| source.error(outside))?;
            cells.push((leaf, u16::try_from(cell).expect("4096 cells")));
        }
        if cells.is_empty() {
            return Err(source.error(Fault::NoCell { place: None }));
        }
        let (places, outline) = (places.clone(), outline(places));
        inflows.push(LaidInflow { account: open(&source.name), rate, places, cells, outline });
    }
    Ok(inflows)
}
