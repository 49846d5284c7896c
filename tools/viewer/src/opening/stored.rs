//! World from its file: as it was saved, or dry on its terrain.

use std::path::Path;

use kit::error::UserError;
use kit::world::water::HeldLevels;
use kit::world::water::refused;
use kit::world::{open_alone, refused as unread};
use rasters::Grid;
use scenario::place::Condition;
use scenario::quantity::{Quantity, ValueOrFile};
use thalweg::criteria::{Criterion, Observer, ObserverOptions};
use thalweg::file::{Store, read_georeference, read_head, read_terrain};
use thalweg::world::{
    AdaptiveOptions, EdgeKind, FileError, MapKinds, SaveFile, Settings, StreamOptions, TILE_WIDTH,
    World, WorldBuilder, WorldError, WorldSummary,
};

use crate::args::Args;
use crate::opening::OpenedWorld;
use crate::opening::map::dyed;
use crate::session::site::MapPlace;

/// Number of finest cells from which a world is streamed if possible.
const STREAMED_FROM: usize = 32 << 20;

/// Memory of a streamed world, MiB.
const BUDGET_MIB: u64 = 1536;

/// Largest number of cells of the leaves of a new world.
const CELLS_MOST: u64 = 2 << 20;

/// Levels of such a world besides the finest.
const STEPS: u8 = 5;

/// Name of the rain on a terrain without water.
const RAIN: &str = "rain";

/// Opens the world at `path`, and locks it until it is closed.
pub(super) fn open(path: &Path, args: &Args) -> Result<OpenedWorld, UserError> {
    let misplaced = args.of_maps();
    if let Some(option) = misplaced.first() {
        return Err(UserError::new(
            format!("{option} is about a heightmap, and {} is a world", path.display()),
            "leave it out, or name the map",
        ));
    }
    let store = open_alone(path)?;
    let head = read_head(&store).map_err(|error| unread(path, &error))?;
    let placement = read_georeference(&store).map_err(|error| unread(path, &error))?;
    let placed = |text: &String| Grid::placed(text, head.width, head.height).ok();
    let grid = placement.as_ref().and_then(placed);
    let mut file = SaveFile::of(store).limits(args.world.limit.limits());
    let failed = |error: FileError| unopened(path, &error);
    let (world, notes) = match file.summary().map_err(failed)? {
        None => (dry(path, &file, args)?, vec!["the world had no water yet: it is dry".to_owned()]),
        Some(summary) => {
            let dye = args.world.dye.then_some("--dye");
            if let Some(option) = args.of_terrains().into_iter().chain(dye).next() {
                return Err(UserError::new(
                    format!("{option}: {} has its own water", path.display()),
                    "leave it out, or name the map",
                ));
            }
            (wet(&mut file, &summary, args).map_err(failed)?, Vec::new())
        }
    };
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    Ok(OpenedWorld {
        world,
        file: Some(file),
        path: path.to_owned(),
        title: name.into_owned(),
        gauges: Vec::new(),
        placement,
        map: grid.map(|grid| MapPlace::of(&grid, head.cell_width_m)),
        notes,
    })
}

/// Explains in one line why a world cannot be opened.
fn unopened(path: &Path, error: &FileError) -> UserError {
    let FileError::World(WorldError::Bytes { budget, minimum }) = error else {
        return refused(path, error);
    };
    let shown = path.display();
    UserError::new(
        format!("--budget {} is too little for {shown}, streamed", budget >> 20),
        format!("allow {} (MiB) or more", minimum.div_ceil(1 << 20)),
    )
}

fn stream_options(args: &Args) -> StreamOptions {
    StreamOptions { budget_bytes: args.world.budget.unwrap_or(BUDGET_MIB) << 20 }
}

/// True if a world of a file is streamed.
fn is_large(store: &Store, args: &Args) -> Result<bool, FileError> {
    let head = read_head(store)?;
    Ok(args.world.stream || head.width.saturating_mul(head.height) > STREAMED_FROM)
}

/// Returns the world of the last commit.
fn wet(file: &mut SaveFile, summary: &WorldSummary, args: &Args) -> Result<World, FileError> {
    let is_streamed = is_large(file.store(), args)? && (summary.is_adaptive || args.world.stream);
    let criteria: Vec<Box<dyn Criterion>> = match (summary.is_adaptive, is_streamed) {
        (true, false) => vec![Box::new(HeldLevels)],
        _ => Vec::new(),
    };
    if !is_streamed {
        return file.load(criteria);
    }
    match file.stream(Vec::new(), stream_options(args)) {
        // Without a budget from the user, the world takes the memory that it needs.
        Err(FileError::World(WorldError::Bytes { minimum, .. })) if args.world.budget.is_none() => {
            file.stream(Vec::new(), StreamOptions { budget_bytes: minimum })
        }
        streamed => streamed,
    }
}

/// Makes a world on the terrain of a file that has no water yet.
fn dry(path: &Path, file: &SaveFile, args: &Args) -> Result<World, UserError> {
    let failed = |error: FileError| unopened(path, &error);
    let store = file.store();
    let head = read_head(store).map_err(|error| unread(path, &error))?;
    let builder = if is_large(store, args).map_err(failed)? {
        file.builder(stream_options(args)).map_err(failed)?
    } else {
        WorldBuilder::new(
            read_terrain(store, &args.world.limit.limits())
                .map_err(|error| unread(path, &error))?,
        )
    };
    let coarsest = STEPS.min(head.coarsest);
    let world = builder.extent(coarsest).map_err(|error| failed(error.into()))?;
    let side = |cells: usize| f64::from(u32::try_from(cells).unwrap_or(u32::MAX));
    let middle = [head.width, head.height].map(|cells| 0.5 * side(cells) * head.cell_width_m);
    let tile_m = side(TILE_WIDTH) * head.cell_width_m;
    let options = ObserverOptions {
        position_m: middle,
        velocity_m_s: [0.0; 2],
        look_ahead_s: 0.0,
        radii_m: vec![(0, 4.0 * tile_m), (1, 12.0 * tile_m), (2, 32.0 * tile_m)],
        priority: 0.0,
    };
    let options = ObserverOptions {
        radii_m: options.radii_m.into_iter().filter(|(level, _)| *level <= coarsest).collect(),
        ..options
    };
    let observer = Observer::try_new(&options, &world).map_err(|error| {
        UserError::new(format!("{}: {error}", path.display()), "import the map again")
    })?;
    let adaptive = AdaptiveOptions {
        coarsest,
        budget_cells: CELLS_MOST,
        ahead_cycles: 8,
        criteria: vec![Box::new(observer)],
        ..AdaptiveOptions::default()
    };
    let builder = builder.adaptive(adaptive).settings(settings(args)?).edges(edges(args)?);
    // `thalweg export` reads them, if the world is saved.
    let builder = builder.maps(MapKinds::ALL);
    let builder = dyed(rained(builder, args)?, args.world.dye);
    builder.build().map_err(|error| failed(error.into()))
}

fn settings(args: &Args) -> Result<Settings, UserError> {
    let mut settings = Settings::default();
    match &args.ground.manning {
        None => {}
        Some(ValueOrFile::Value(manning)) => settings.manning_n = vec![manning.0],
        Some(ValueOrFile::File(_)) => return Err(only_numbers("--manning")),
    }
    if args.world.solver == Some(scenario::flow::SolverChoice::Pipe) {
        settings.solver = thalweg::world::Solver::Pipe;
    }
    Ok(settings)
}

fn only_numbers(option: &str) -> UserError {
    UserError::new(
        format!("{option} of a world without water takes a number"),
        "give a number, or open the map instead of the world",
    )
}

fn edges(args: &Args) -> Result<EdgeKind, UserError> {
    match &args.water.edges {
        None | Some(Condition::Open) => Ok(EdgeKind::Open),
        Some(Condition::Wall) => Ok(EdgeKind::Wall),
        Some(Condition::Stage(ValueOrFile::Value(stage))) => {
            Ok(EdgeKind::Stage(vec![(0.0, stage.si())]))
        }
        Some(Condition::Stage(ValueOrFile::File(_))) => Err(only_numbers("--edges stage:")),
    }
}

fn rained(builder: WorldBuilder, args: &Args) -> Result<WorldBuilder, UserError> {
    let rate = match (&args.water.rain, args.water.rain_for) {
        (None, None) => return Ok(builder),
        (None, Some(_)) => {
            return Err(UserError::new(
                "--rain-for says how long it rains, but not which rain",
                "add --rain, like --rain 40mm/h",
            ));
        }
        (Some(ValueOrFile::Value(rate)), _) => rate.si(),
        (Some(ValueOrFile::File(_)), _) => return Err(only_numbers("--rain")),
    };
    let end = args.water.rain_for.map(|span| (span.si(), 0.0));
    let points: Vec<(f64, f64)> = [(0.0, rate)].into_iter().chain(end).collect();
    let rained = builder.rain(RAIN, &points);
    rained.map_err(|error| UserError::from_sentence(format!("--rain: {error}")))
}
