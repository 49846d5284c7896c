//! The engine's world as the plan describes it.

use kit::error::UserError;
use kit::interrupt;
use kit::reading::ReadingWatch;
use kit::words::{area, short};
use rasters::Grid;
use thalweg::structure::StructureError;
use thalweg::world::{
    CellPlace, ColumnKind, Direction, EdgeKind as Law, EdgePlace, HoleCount, MapKinds, Settings,
    Solver, StepsOf, Terms, Viscosity, World, WorldBuilder, WorldError,
};

use super::classes::{ValueClasses, classify};
use super::ground::{CellCentres, GroundPlan, index_of, part};
use super::initial::{self, InitialWater};
use super::scale::scale;
use super::terrain::terrain;
use super::{adaptive, link};
use crate::flow::{EddyViscosity as Eddies, Latitude, StepsChoice};
use crate::place::{EntryPlace, MapPoint, MapSide, RiverEntry};
use crate::plan::{
    EdgeCondition, Field, FlowPlan, Infiltration, Plan, RainPlan, ShallowWaterTerms,
};
use crate::survey::Survey;

/// Classes of Manning's n and of rain that the engine takes.
const MANNING_CLASSES: u16 = 256;
const RAIN_CLASSES: u16 = 1000;

/// A world that is ready to run.
#[derive(Debug)]
pub struct Setting {
    /// The world.
    pub world: World,
    /// Gauges of the world.
    pub gauges: Vec<GaugePlace>,
    /// Simulated cells of each inflow.
    pub inflows: Vec<Vec<CellPlace>>,
    /// Omissions and displacements: one sentence each.
    pub notes: Vec<String>,
}

/// A gauge on the ground.
#[derive(Debug, Clone, PartialEq)]
pub struct GaugePlace {
    /// Name of the gauge.
    pub name: String,
    /// Requested place.
    pub at: MapPoint,
    /// The finest cell that contains it.
    pub place: CellPlace,
}

/// Returns the engine's reason for a refusal, in one line.
fn refused(error: impl std::fmt::Display) -> UserError {
    UserError::from_sentence(error.to_string())
}

/// Builds the world. `finish` may set more on the builder than the plan does; `watch` gets the rows
/// read.
///
/// # Errors
///
/// If heights, stages or rates do not fit the engine's ranges, a source has no cell, or the user
/// stops.
pub fn build(
    plan: &Plan,
    survey: &Survey,
    finish: &dyn Fn(WorldBuilder) -> WorldBuilder,
    watch: ReadingWatch<'_>,
) -> Result<Setting, UserError> {
    let mut notes = Vec::new();
    let scale = scale(plan, survey)?;
    let level = plan.map.level;
    let grid = plan.map.simulated();
    let cells = CellCentres::new(&grid, &plan.map.world);
    let (terrain, voids) = terrain(plan, scale, watch)?;
    let too_small =
        || UserError::new("the map is too small for this quality", "choose --quality fine");
    let ground = GroundPlan::new(&terrain, level, cells).ok_or_else(too_small)?;
    interrupt::check()?;
    let inflows = inflow_cells(plan, ground, &mut notes)?;
    let drawn = plan.map.drawn();
    let finest = CellCentres::new(&drawn, &drawn);
    let finest = GroundPlan::below(&terrain, level, finest).ok_or_else(too_small)?;
    let gauges = gauges(plan, finest, &mut notes)?;
    check_barrier_places(plan, finest)?;
    let links = plan.links.iter().map(|link| link::asked(link, finest, scale));
    let links = links.collect::<Result<Vec<_>, _>>()?;
    let leaves = plan.is_adaptive.then(|| adaptive::leaves(&terrain, level));
    let water = InitialWater::of(plan, &terrain);
    let below = InitialWater::below(plan, &terrain);
    notes.extend(initial::moved(plan, &terrain));
    let mut builder = WorldBuilder::new(terrain)
        .maps(MapKinds::ALL)
        .level(level)
        .columns(if level > 0 { ColumnKind::SubGrid } else { ColumnKind::Flat })
        .settings(settings(plan))
        .wet_depth_m(plan.output.wet_depth_m);
    builder = lay_ground(builder, plan, cells)?;
    for (inflow, cells) in plan.inflows.iter().zip(&inflows) {
        if !matches!(inflow.place, EntryPlace::Edge { .. }) {
            let points = &inflow.discharge.points;
            builder = builder.inflow(&inflow.name, points, cells).map_err(refused)?;
        }
    }
    for rain in &plan.rains {
        builder = pour(builder, rain, cells)?;
    }
    for (name, place, kind) in edges(plan) {
        builder = builder.edge(name, edge_place(place, cells), kind);
    }
    let barriers = plan.barriers.iter().map(|barrier| barrier.asked.clone());
    builder = barriers.fold(builder, WorldBuilder::barrier);
    builder = links.into_iter().fold(builder, WorldBuilder::link);
    builder = below.fill_below(water.fill(builder, &grid), &grid).voids(voids);
    if let Some(leaves) = leaves {
        builder = adaptive::allow(builder, level, leaves).map_err(refused)?;
    }
    let world = finish(builder).build().map_err(|error| unbuilt(plan, error))?;
    notes.extend(holes(plan, &world));
    Ok(Setting { world, gauges, inflows, notes })
}

/// Returns the engine's reason to refuse a world.
fn unbuilt(plan: &Plan, error: WorldError) -> UserError {
    match error {
        WorldError::Structure(StructureError { id, fault }) => {
            let link = plan.links.iter().find(|link| link.id() == id);
            link.map_or_else(
                || UserError::new(format!("{} `{}`", id.kind, id.name), &fault),
                |link| link.refused(&fault),
            )
        }
        error => refused(error),
    }
}

/// Returns seed and equations.
fn settings(plan: &Plan) -> Settings {
    let steps = match plan.steps {
        StepsChoice::Map => StepsOf::Level,
        StepsChoice::Tile => StepsOf::Leaf,
    };
    let (seed, fluid) = (plan.numbers.seed, plan.fluid);
    let settings = Settings { seed, steps, fluid, ..Settings::default() };
    match plan.flow {
        FlowPlan::Pipe => Settings { solver: Solver::Pipe, ..settings },
        FlowPlan::Swe(water) => {
            let (order, terms) = (water.order, terms(&water));
            Settings { solver: Solver::ShallowWater, order, terms, ..settings }
        }
    }
}

fn terms(water: &ShallowWaterTerms) -> Terms {
    let viscosity = match water.viscosity {
        None => Viscosity::Off,
        Some(Eddies::Constant(viscosity)) => Viscosity::Constant(viscosity),
        Some(Eddies::Smagorinsky(coefficient)) => Viscosity::Smagorinsky(coefficient),
    };
    Terms {
        viscosity,
        wind_m_s: water.wind.map_or([0.0; 2], |wind| wind.towards_m_s()),
        coriolis_per_s: water.latitude.map_or(0.0, Latitude::coriolis_per_s),
    }
}

/// Returns the cells of each inflow.
fn inflow_cells(
    plan: &Plan,
    ground: GroundPlan<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<Vec<CellPlace>>, UserError> {
    let mut all = Vec::new();
    for inflow in &plan.inflows {
        let (cells, is_moved) = ground.cells(&inflow.place);
        if cells.is_empty() {
            return Err(UserError::new(
                format!("inflow `{}` has no cell on the map", inflow.name),
                match inflow.place {
                    EntryPlace::At(_) => "move it onto ground, away from NoData",
                    EntryPlace::Polygon(_) | EntryPlace::Edge { .. } => {
                        "all its cells are NoData: move it"
                    }
                },
            ));
        }
        if is_moved {
            let to = ground.point(cells[0]);
            notes.push(format!("inflow `{}` was moved to the nearest ground, {to}", inflow.name));
        }
        all.push(cells);
    }
    Ok(all)
}

fn gauges(
    plan: &Plan,
    ground: GroundPlan<'_>,
    notes: &mut Vec<String>,
) -> Result<Vec<GaugePlace>, UserError> {
    let mut all = Vec::new();
    for gauge in &plan.gauges {
        let (place, is_moved) = ground.nearest(gauge.at).ok_or_else(|| {
            UserError::new(
                format!("gauge `{}` at {} lies off the ground", gauge.name, gauge.at),
                "move it away from NoData, or choose smaller cells",
            )
        })?;
        if is_moved {
            let (name, at, to) = (&gauge.name, gauge.at, ground.point(place));
            notes.push(format!("gauge `{name}` at {at} was moved to the nearest ground, {to}"));
        }
        all.push(GaugePlace { name: gauge.name.clone(), at: gauge.at, place });
    }
    Ok(all)
}

/// Refuses places without ground at which a barrier reads the stage.
fn check_barrier_places(plan: &Plan, ground: GroundPlan<'_>) -> Result<(), UserError> {
    for barrier in &plan.barriers {
        for (key, at) in &barrier.looks {
            if ground.nearest(*at).is_none_or(|(_, is_moved)| is_moved) {
                return Err(UserError::new(
                    format!("barrier `{}`: its `{key}` {at} lies off the ground", barrier.name()),
                    "move it away from NoData",
                ));
            }
        }
    }
    Ok(())
}

/// Returns a field's value for every cell, rows from the north; `missing` for cells without a
/// value.
pub(super) fn cell_values(field: &Field, centres: CellCentres<'_>, missing: f64) -> Vec<f64> {
    let Grid { width, height, .. } = *centres.grid;
    let cells = (0..height).flat_map(|row| (0..width).map(move |col| (col, row)));
    let value =
        |(col, row)| field.at(centres.easting(col), centres.northing(row)).unwrap_or(missing);
    cells.map(value).collect()
}

/// Returns the class of a cell, as the engine reads it.
fn class_at(
    classes: ValueClasses,
    grid: &Grid,
) -> impl Fn(CellPlace) -> u16 + Send + Sync + 'static {
    let (width, height) = (grid.width, grid.height);
    move |place| classes.of_cell[index_of(place, width, height)]
}

fn lay_ground(
    mut builder: WorldBuilder,
    plan: &Plan,
    cells: CellCentres<'_>,
) -> Result<WorldBuilder, UserError> {
    let roughness = &plan.ground.roughness;
    builder = match &roughness.field {
        None => builder.manning(roughness.manning),
        Some(field) => {
            let of_cells = cell_values(field, cells, roughness.manning);
            let classes = classify(&of_cells, MANNING_CLASSES);
            let values = classes.values.clone();
            let class = class_at(classes, cells.grid);
            let narrow = move |place| u8::try_from(class(place)).unwrap_or(u8::MAX);
            builder.manning_classes(values, narrow)
        }
    };
    let losses = plan.ground.evaporation_m_s;
    if losses > 0.0 {
        let rate = [(0.0, losses)];
        builder = builder.layer("evaporation", Direction::Out, &rate).map_err(refused)?;
    }
    match plan.ground.infiltration {
        Infiltration::None => Ok(builder),
        Infiltration::Rate(rate) => {
            builder.layer("infiltration", Direction::Ground, &[(0.0, rate)])
        }
        Infiltration::GreenAmpt(soil) => {
            builder.green_ampt(soil.conductivity_m_s, soil.suction_m * soil.deficit)
        }
    }
    .map_err(refused)
}

fn pour(
    builder: WorldBuilder,
    rain: &RainPlan,
    cells: CellCentres<'_>,
) -> Result<WorldBuilder, UserError> {
    let points = &rain.rate.points;
    let Some(field) = &rain.weights else {
        return builder.rain(&rain.name, points).map_err(refused);
    };
    let classes = classify(&cell_values(field, cells, 0.0), RAIN_CLASSES);
    let weighted =
        |weight: &f64| points.iter().map(|(time, rate)| (*time, rate * weight)).collect();
    let rates: Vec<Vec<(f64, f64)>> = classes.values.iter().map(weighted).collect();
    let class = class_at(classes, cells.grid);
    builder.layer_classes(&rain.name, Direction::Into, &rates, class).map_err(refused)
}

/// A part of the boundary: a side, and lower and upper coordinate along it unless it is the whole
/// side.
type SideStretch = (MapSide, Option<(f64, f64)>);

/// Returns the edges of a plan, and rivers over them, in the order in which they apply. Edges of
/// holes are last, because a hole is NoData to the engine, too.
fn edges(plan: &Plan) -> Vec<(&str, SideStretch, Law)> {
    let conditions = plan.edges.iter();
    let conditions = conditions.map(|edge| (&*edge.name, (edge.side, edge.range), law(&edge.kind)));
    let rivers = plan.inflows.iter().filter_map(|inflow| {
        let EntryPlace::Edge { side, range, entry } = inflow.place else { return None };
        let discharge = inflow.discharge.points.clone();
        let river = Law::Inflow { discharge, entry: entered(entry) };
        Some((&*inflow.name, (side, range), river))
    });
    let mut edges: Vec<_> = conditions.chain(rivers).collect();
    edges.sort_by_key(|(_, (side, _), _)| *side == MapSide::Holes);
    edges
}

/// Returns a note on holes of NoData in the ground.
fn holes(plan: &Plan, world: &World) -> Option<String> {
    let HoleCount { holes, cells } = world.water().holes();
    let last = plan.edges.iter().rfind(|edge| edge.side == MapSide::Holes);
    let is_wall = last.is_none_or(|edge| edge.kind == EdgeCondition::Wall);
    let what = match holes {
        0 => return None,
        1 => "a hole of NoData in the ground".to_owned(),
        _ => format!("{holes} holes of NoData in the ground"),
    };
    #[expect(clippy::cast_precision_loss, reason = "for reading")]
    let size = area(cells as f64 * plan.map.world_cell_m().powi(2));
    if is_wall {
        let verb = if holes == 1 { "is a wall" } else { "are walls" };
        return Some(format!(
            "{what} ({size}) {verb}, as houses are: if water should run into NoData there, add \
             --edge holes=open (holes = \"open\" below [edges]); if ground only lacks its heights, \
             fill them in (gdal_fillnodata.py)"
        ));
    }
    (plan.map.level > 0).then(|| {
        format!(
            "holes of NoData that are narrower than a simulated cell ({} m) are walls, open or \
             not: {what} ({size}); --quality fine simulates the map's own cells",
            short(plan.map.cell_m())
        )
    })
}

fn edge_place((side, range): SideStretch, cells: CellCentres<'_>) -> EdgePlace {
    use thalweg::world::Side as EngineSide;

    let engine_side = match side {
        MapSide::West => EngineSide::West,
        MapSide::East => EngineSide::East,
        MapSide::South => EngineSide::South,
        MapSide::North => EngineSide::North,
        MapSide::NoData => return EdgePlace::NoData,
        MapSide::Holes => return EdgePlace::Holes,
    };
    match range {
        None => EdgePlace::Side(engine_side),
        Some(_) => EdgePlace::Part(engine_side, part(cells, side, range)),
    }
}

/// Returns the engine's type for the depth at which a river enters.
fn entered(entry: RiverEntry) -> thalweg::world::Entry {
    match entry {
        RiverEntry::Normal => thalweg::world::Entry::Normal,
        RiverEntry::Slope(slope) => thalweg::world::Entry::Slope(slope),
        RiverEntry::Depth(depth_m) => thalweg::world::Entry::Depth(depth_m),
    }
}

fn law(kind: &EdgeCondition) -> Law {
    match kind {
        EdgeCondition::Wall => Law::Wall,
        EdgeCondition::Open => Law::Open,
        EdgeCondition::Stage(series) => Law::Stage(series.points.clone()),
    }
}
