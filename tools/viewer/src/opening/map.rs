//! World made of a heightmap or a scenario.

use std::path::Path;

use kit::error::UserError;
use kit::reading::silent;
use scenario::build;
use scenario::file::{FlowTable, RunTable};
use scenario::naming::named;
use scenario::options::Options;
use scenario::plan::Plan;
use scenario::survey::survey;
use thalweg::world::WorldBuilder;

use crate::args::Args;
use crate::opening::OpenedWorld;
use crate::session::site::MapPlace;

/// Tracer of worlds that are made here, if it is requested.
const DYE: &str = "dye";

/// Adds the dye to the water, if it is requested.
pub(super) fn dyed(builder: WorldBuilder, has_dye: bool) -> WorldBuilder {
    if has_dye { builder.tracer(DYE, |_| 0.0) } else { builder }
}

/// Makes a world of the map or the scenario at `path`.
pub(super) fn open(path: &Path, args: &Args) -> Result<OpenedWorld, UserError> {
    let options = Options {
        water: args.water.clone(),
        ground: args.ground.clone(),
        map: args.map.clone(),
        run: RunTable {
            quality: args.world.quality,
            columns: args.world.columns,
            cell_size: args.world.cell_size,
            ..RunTable::default()
        },
        flow: FlowTable { solver: args.world.solver, ..FlowTable::default() },
        ..Options::default()
    };
    let plan = Plan::resolve(&named(&[path.to_owned()], &options)?)?;
    let survey = survey(&plan)?;
    let has_dye = args.world.dye;
    let made = build::build(&plan, &survey, &|builder| dyed(builder, has_dye), &mut silent())?;
    let mut world = made.world;
    if let Some(criteria) = world.criteria_mut() {
        // The criteria of `flood-preview` read maps that are not kept here.
        criteria.clear();
    }
    let grid = plan.map.drawn();
    let place = |at| plan.map.metres_to(at);
    // The length of a run (`--for`) does not apply here.
    let notes = plan.notes.iter().filter(|note| !note.contains("--for"));
    let notes = notes.cloned().chain(made.notes);
    Ok(OpenedWorld {
        world,
        file: None,
        path: path.to_owned(),
        title: plan.title.clone(),
        gauges: plan.gauges.iter().map(|gauge| (gauge.name.clone(), place(gauge.at))).collect(),
        placement: Some(grid.placement()?),
        map: Some(MapPlace::of(&grid, plan.map.world_cell_m())),
        notes: notes.collect(),
    })
}
