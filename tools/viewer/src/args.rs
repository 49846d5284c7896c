//! Command line of the viewer, as typed.
//!
//! Options of `flood-preview`, with the same meaning, give the facts that a heightmap does not
//! contain, and the water on it.

use std::path::PathBuf;

use clap::Parser;
use kit::device::DeviceName;
use kit::world::limits::LimitArgs;
use scenario::file::{GroundTable, MapTable};
use scenario::flow::SolverChoice;
use scenario::options::WaterArgs;
use scenario::quantity::Metres;
use scenario::terms::{ColumnsChoice, Quality};

/// Largest window and picture, pixels along a side.
const SIDE_MOST: u32 = 8192;

/// Look at water while it runs, and play with it
///
/// Without a file, the one that was looked at last is opened, or the sample world.
#[derive(Debug, Clone, Default, Parser)]
#[command(name = "viewer", version, max_term_width = 100)]
#[command(after_help = "\
Examples:
  viewer
  viewer dem.tif --rain 40mm/h
  viewer worlds/valley.toml --speed 60
  viewer river.thalweg
  viewer --script demo.toml --frames out")]
pub struct Args {
    /// A heightmap, a scenario.toml, or a world
    #[arg(value_name = "MAP|SCENARIO|WORLD")]
    pub file: Option<PathBuf>,

    /// Device that steps the water, with the same results: the processor, the graphics card as far
    /// as it can, or the faster of the two
    #[arg(long, value_name = "DEVICE", value_enum, default_value_t = DeviceName::Cpu)]
    pub device: DeviceName,

    /// How it is shown.
    #[command(flatten)]
    pub show: ShowArgs,
    /// How worlds are opened.
    #[command(flatten)]
    pub world: WorldArgs,
    /// Where water comes from and how it leaves.
    #[command(flatten)]
    pub water: WaterArgs,
    /// Roughness and losses.
    #[command(flatten)]
    pub ground: GroundTable,
    /// Options for what the heightmap does not say itself.
    #[command(flatten)]
    pub map: MapTable,
}

/// How it is shown.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Show")]
pub struct ShowArgs {
    /// Do what this script says, and end
    #[arg(long, value_name = "FILE", requires = "frames")]
    pub script: Option<PathBuf>,

    /// Folder of the script's pictures
    #[arg(long, value_name = "FOLDER", requires = "script")]
    pub frames: Option<PathBuf>,

    /// Fly as this file says, in real time, print what frames took, and end
    #[arg(long, value_name = "FILE", conflicts_with = "script", hide = true)]
    pub tour: Option<PathBuf>,

    /// Width and height of the window, pixels [default: as last time, or 1280x720]
    #[arg(id = "window_size", long = "size", value_name = "WxH", value_parser = size)]
    pub size: Option<[u32; 2]>,

    /// Simulated seconds for each second, 0.01 to 10000 [default: 10]
    #[arg(long, value_name = "N", value_parser = speed)]
    pub speed: Option<f64>,
}

/// How worlds are opened.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "World")]
pub struct WorldArgs {
    /// Leave the terrain of a world in its file, and read it where one looks. Worlds of more than
    /// 32 million cells whose leaves change are opened so in any case
    #[arg(long)]
    pub stream: bool,

    /// Memory that a streamed world may take, MiB [default: 1536]
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u64).range(16..=1 << 20))]
    pub budget: Option<u64>,

    /// How much memory a world may take that is not streamed.
    #[command(flatten)]
    pub limit: LimitArgs,

    /// Let the water of a map, or of a terrain without water, carry dye: cycles take half as long
    /// again
    #[arg(long)]
    pub dye: bool,

    /// draft (300,000 cells), normal (2.5 million) or fine (every cell) of a map [default: normal]
    #[arg(long, value_name = "QUALITY")]
    pub quality: Option<Quality>,

    /// Width of the cells of a map, m, if it is not to be its own
    #[arg(long, value_name = "M")]
    pub cell_size: Option<Metres>,

    /// How cells wider than a map's stand for the ground in them: sub-grid (tables of it) or flat
    /// (its mean height) [default: sub-grid]
    #[arg(long, value_name = "KIND")]
    pub columns: Option<ColumnsChoice>,

    /// swe (waves, rivers, dam breaks) or pipe (rain over large slow land) [default: swe]
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<SolverChoice>,
}

impl Args {
    /// Returns the given options that change the water or the ground of a map, as they are typed.
    #[must_use]
    pub fn of_maps(&self) -> Vec<String> {
        let (water, world) = (&self.water, &self.world);
        let own = [
            ("--inflow", !water.inflow.is_empty()),
            ("--stage", water.stage.is_some()),
            ("--initial-stage", water.initial_stage.is_some()),
            ("--initial-depth", water.initial_depth.is_some()),
            ("--edge", !water.edge.is_empty()),
            ("--quality", world.quality.is_some()),
            ("--cell-size", world.cell_size.is_some()),
            ("--columns", world.columns.is_some()),
        ];
        let own = own.into_iter().filter(|(_, is_given)| *is_given);
        let own = own.map(|(name, _)| name.to_owned());
        // Roughness applies to terrains without water as well.
        let ground = self.ground.given().into_iter().filter(|option| option != "--manning");
        own.chain(ground).chain(self.map.given()).collect()
    }

    /// Returns the given options for a terrain without water, invalid for a world with water.
    #[must_use]
    pub fn of_terrains(&self) -> Vec<&'static str> {
        let all = [
            ("--rain", self.water.rain.is_some()),
            ("--rain-for", self.water.rain_for.is_some()),
            ("--edges", self.water.edges.is_some()),
            ("--manning", self.ground.manning.is_some()),
            ("--solver", self.world.solver.is_some()),
        ];
        all.into_iter().filter(|(_, is_given)| *is_given).map(|(name, _)| name).collect()
    }
}

/// Reads the width and height of a window.
fn size(word: &str) -> Result<[u32; 2], String> {
    let sides = word.split_once(['x', '×']);
    let side = |side: &str| side.trim().parse().ok().filter(|side| (64..=SIDE_MOST).contains(side));
    let sides = sides.and_then(|(width, height)| Some([side(width)?, side(height)?]));
    sides.ok_or_else(|| format!("write a width and a height of 64 to {SIDE_MOST}, like 1280x720"))
}

/// Reads the simulated seconds for each second.
fn speed(word: &str) -> Result<f64, String> {
    let speed = word.trim_end_matches(['x', '×']).parse().ok();
    let speed = speed.filter(|speed| (0.01..=10_000.0).contains(speed));
    speed.ok_or_else(|| "choose from 0.01 to 10000".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use kit::command::parse;
    use kit::error::UserError;

    fn typed(line: &str) -> Result<Option<Args>, UserError> {
        parse(line.split(' ').map(Into::into))
    }

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn words_mean_what_they_say() {
        let line = "viewer dem.tif --rain 40mm/h --size 640x480 --speed 60 --budget 256";
        let Ok(Some(args)) = typed(line) else { panic!("{line}") };
        assert_eq!((args.show.size, args.show.speed), (Some([640, 480]), Some(60.0)));
        assert_eq!(args.world.budget, Some(256));
        assert_eq!((args.of_maps(), args.of_terrains()), (vec![], vec!["--rain"]));
        let line =
            "viewer a.thalweg --area 1,2,3,4 --manning 0.03 --map-size 5x6 --evaporation 1mm/h";
        let Ok(Some(args)) = typed(line) else { panic!("{line}") };
        assert_eq!(args.of_maps(), ["--evaporation", "--area", "--map-size"]);
        assert_eq!((args.of_terrains(), args.show.size), (vec!["--manning"], None));
    }

    #[test]
    fn mistakes_are_one_line() {
        for (line, what) in [
            ("viewer --sped 3", "--speed"),
            ("viewer --speed 0", "0.01"),
            ("viewer --size 12", "1280x720"),
            ("viewer --script a.toml", "--frames"),
            ("viewer a b", "'b'"),
        ] {
            let error = typed(line).expect_err(line).to_string();
            assert!(error.contains(what) && !error.contains('\n'), "{line}: {error}");
        }
    }
}
