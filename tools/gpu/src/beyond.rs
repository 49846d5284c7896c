//! Names of things that keep a world from every card.

use crate::planes::LAYERS;
use thalweg::units::SimTime;
use thalweg::world::World;
use thalweg_engine::flow::solver::Solver;
use thalweg_engine::flow::terms::Terms;
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::card::beside_planes;
use thalweg_engine::sim::params::Params;
use thalweg_engine::sim::settings::StepsOf;
use thalweg_engine::sim::state::SimulationState;

/// Sub-grid columns under a tolerance of sleep.
pub const TOLERANT_COLUMNS: &str = "a tolerance of sleep over sub-grid columns";

/// Leaves apart under a tolerance of sleep.
pub const TOLERANT_APART: &str = "structures under a tolerance of sleep";

/// Contents of tracers on a device that was opened for worlds without tracers.
pub const TOO_FEW_BUFFERS: &str = "tracers, on a device that binds fewer than 20 storage buffers";

/// Steps by leaf under a tolerance of sleep.
pub const TOLERANT_BY_LEAF: &str = "steps by leaf under a tolerance of sleep";

/// Steps by leaf with structures.
pub const STRUCTURES_BY_LEAF: &str = "steps by leaf beside structures";

/// More rain than a kernel counts.
pub const TOO_MUCH_WEATHER: &str = "more than four kilometres of rain in a cycle";

/// Returns the name of something in a world that no card does yet, or `None` if a card may do all
/// of it. The function reads all leaves.
#[must_use]
pub fn beyond(world: &World) -> Option<&'static str> {
    let (state, settings) = (world.simulation().state(), world.settings());
    let leaves = &state.leaves;
    let has_columns = leaves.grounds.iter().any(|ground| ground.columns.is_some());
    let is_tolerant = settings.sleep_tolerance.is_some();
    beyond_cycles(state, settings)
        .or_else(|| (has_columns && is_tolerant).then_some(TOLERANT_COLUMNS))
        .or_else(|| beside_planes(state).filter(|_| is_tolerant).map(|_| TOLERANT_APART))
}

/// Returns the same as [`beyond`], without things that depend on the leaves that are awake.
pub fn beyond_cycles(state: &SimulationState, settings: &Settings) -> Option<&'static str> {
    let has_terms = settings.solver == Solver::ShallowWater && settings.terms != Terms::NONE;
    // All leaves of a level take the same steps if the water carries something.
    let is_by_leaf = settings.steps == StepsOf::Leaf && state.tracers.is_empty();
    let is_tolerant = settings.sleep_tolerance.is_some();
    let has_structures = || beside_planes(state).is_some();
    [
        (is_by_leaf && is_tolerant, TOLERANT_BY_LEAF),
        (is_by_leaf && has_structures(), STRUCTURES_BY_LEAF),
        (settings.fluid.resists(), "a fluid with viscosity or a yield stress"),
        (has_terms, "viscosity, wind or the rotation of the Earth"),
        (!state.sections.all().is_empty(), "sections"),
        (state.forcing.layers.len() > LAYERS, "more than four layers of forcing"),
    ]
    .into_iter()
    .find_map(|(is_there, name)| is_there.then_some(name))
}

/// Returns whether a layer of forcing moves more units between two moments than fit in a word.
pub fn moves_too_much(state: &SimulationState, params: &Params, [from, to]: [SimTime; 2]) -> bool {
    let depths = state.forcing.step_depths(from, to, 1.0 / params.unit_m);
    (0..state.forcing.layers.len()).any(|layer| {
        let mut totals = depths.totals(layer).iter();
        totals.any(|[before, after]| after - before > u128::from(u32::MAX))
    })
}
