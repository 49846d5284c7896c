//! Command line as typed and parsed.

use std::path::PathBuf;

use clap::{Parser, Subcommand, ValueEnum};
use kit::device::DeviceName;
use kit::world::limits::LimitArgs;
use rasters::RasterBand;
use scenario::file::MapTable;
use scenario::options::NumberArgs;
use scenario::quantity::Seconds;

/// Worlds: heightmaps of any size in one file, at every level of detail.
#[derive(Debug, Clone, Parser)]
#[command(name = "thalweg", version, max_term_width = 100)]
#[command(after_help = "\
Exit code 0: done. 1: the world is damaged (verify), or the two differ (diff). 2: something else is
to be mended, in one line. 130: stopped by Ctrl-C; run saves before it stops.

Examples:
  thalweg import dem.tif dem.thalweg
  thalweg info dem.thalweg --png dem.png
  thalweg verify dem.thalweg
  thalweg export dem.thalweg coarse.tif --level 3
  thalweg run flood.thalweg --until 2h
  thalweg export flood.thalweg depth.tif --layer max-depth
  thalweg compact dem.thalweg
  thalweg diff dem.thalweg other.thalweg")]
pub struct Args {
    /// Command to carry out.
    #[command(subcommand)]
    pub command: ToolCommand,

    /// Print the result as one JSON object
    #[arg(long, global = true)]
    pub json: bool,

    /// Show no progress
    #[arg(short, long, global = true)]
    pub quiet: bool,
}

/// How large maps are brought in.
const IMPORT_HELP: &str = "\
Maps of any size are read in two passes, a few rows at a time. An import that was killed or stopped
with Ctrl-C leaves a hidden folder, .WORLD.part, beside the world; the same command on the same
files goes on from its last commit, any other begins anew. Errors leave nothing, and no world
stands under its name before it is whole.

A folder, a .vrt or a list is one map: its files lie on one grid, with cells of one size and
one reference system. Gaps are NoData; where files overlap, the last with a value there wins, by
name in a folder, else as listed. Of a VRT only whole files side by side are read.

Examples:
  thalweg import dem.tif dem.thalweg
  thalweg import tiles/ region.thalweg --cell-size 10
  thalweg import region.vrt region.thalweg";

/// Command to carry out.
#[derive(Debug, Clone, Subcommand)]
pub enum ToolCommand {
    /// Make a world of a heightmap (GeoTIFF, ESRI ASCII grid, SRTM .hgt, PNG, RAW) or of many
    #[command(after_help = IMPORT_HELP)]
    Import(Box<ImportArgs>),
    /// Describe a world and draw it
    Info(InfoArgs),
    /// Check every byte of a world
    Verify(VerifyArgs),
    /// Let the water of a world run on, and save it
    Run(WorldRunArgs),
    /// Measure what opening, saving, checking and running a world take here
    Bench(BenchArgs),
    /// Write a level of a world as GeoTIFF, or as 16-bit PNG with a .toml beside it
    Export(ExportArgs),
    /// Copy a world without what it no longer needs, or put the copy in its place
    Compact(CompactArgs),
    /// Say in which extents two worlds differ, by layer and level
    Diff(DiffArgs),
    /// Print the JSON Schema of commands, watches, events or checkpoints
    #[command(after_help = SCHEMA_HELP)]
    Schema(SchemaArgs),
}

/// Help on schemas.
const SCHEMA_HELP: &str = "\
Keys are in snake case, and those of places, heights and times end in their unit. Text of version
1, with keys in kebab case, is still read; the schema describes the keys of version 2.

Example:
  thalweg schema command > command.schema.json";

/// `thalweg schema`.
#[derive(Debug, Clone, clap::Args)]
pub struct SchemaArgs {
    /// The text to describe
    #[arg(value_enum)]
    pub text: WireText,
}

/// A kind of JSON text that a game and a world exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum WireText {
    /// A line of a log of commands, after the first: a command with its number
    Command,
    /// A watch: a request for events
    Watch,
    /// An event of a watch
    Event,
    /// The state that a player needs in addition to a save to join later
    Checkpoint,
}

/// `thalweg import`.
#[derive(Debug, Clone, clap::Args)]
pub struct ImportArgs {
    /// The heightmap: a file, a folder of files, a .vrt, or a .txt with a path in each line
    pub map: PathBuf,

    /// The world to make
    pub world: PathBuf,

    /// Replace the world if there is one
    #[arg(long)]
    pub force: bool,

    /// Options for facts that the heightmap does not contain.
    #[command(flatten)]
    pub hints: MapTable,

    /// How heights become whole numbers.
    #[command(flatten, next_help_heading = "Numbers")]
    pub numbers: NumberArgs,
}

/// `thalweg info`.
#[derive(Debug, Clone, clap::Args)]
pub struct InfoArgs {
    /// The world
    pub world: PathBuf,

    /// Draw it into this PNG as well
    #[arg(long, value_name = "OUT")]
    pub png: Option<PathBuf>,

    /// Load the world and print the hash of its state
    #[arg(long)]
    pub hash: bool,

    /// How much memory it may take.
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// `thalweg run`.
#[derive(Debug, Clone, clap::Args)]
pub struct WorldRunArgs {
    /// The world
    pub world: PathBuf,

    /// Run to this time since the world's beginning, like 2h
    #[arg(long, value_name = "TIME", conflicts_with = "duration", allow_hyphen_values = true)]
    pub until: Option<Seconds>,

    /// Run on for this long, like 30min
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<Seconds>,

    /// Save whenever so much simulated time has passed
    #[arg(long, value_name = "TIME", default_value = "10min", allow_hyphen_values = true)]
    pub save_every: Seconds,

    /// Keep a moment whenever so much simulated time has passed, to come back to it; whole minutes
    /// leave the run as it is
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub keep_every: Option<Seconds>,

    /// Go on from the last moment that was kept up to this time; what the world was before is kept
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub from: Option<Seconds>,

    /// Device that steps the water, with the same results: the processor, the graphics card as far
    /// as it can, or the faster of the two
    #[arg(long, value_name = "DEVICE", value_enum, default_value_t = DeviceName::Auto)]
    pub device: DeviceName,

    /// Number of threads [default: all cores]; the results do not depend on it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,

    /// How much memory it may take.
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// `thalweg bench`.
#[derive(Debug, Clone, clap::Args)]
pub struct BenchArgs {
    /// The world; it stays as it is
    pub world: PathBuf,

    /// How much memory it may take.
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// `thalweg verify`.
#[derive(Debug, Clone, clap::Args)]
pub struct VerifyArgs {
    /// The world
    pub world: PathBuf,

    /// How much memory it may take.
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// `thalweg export`.
#[derive(Debug, Clone, clap::Args)]
pub struct ExportArgs {
    /// The world
    pub world: PathBuf,

    /// The map to write: .tif or .png
    pub out: PathBuf,

    /// Which level: 0 is the finest, each next one doubles the cells
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub level: u8,

    /// Layer to write
    #[arg(long, value_enum, default_value_t = ExportLayer::Bed)]
    pub layer: ExportLayer,

    /// Replace the map if there is one
    #[arg(long)]
    pub force: bool,

    /// How much memory it may take.
    #[command(flatten)]
    pub limit: LimitArgs,
}

/// `thalweg compact`.
#[derive(Debug, Clone, clap::Args)]
pub struct CompactArgs {
    /// The world
    pub world: PathBuf,

    /// The world to make; without it the copy takes the place of the world
    pub out: Option<PathBuf>,

    /// Replace the world to make if there is one
    #[arg(long)]
    pub force: bool,

    /// Leave out all moments that are kept; mends a world whose list of them is damaged
    #[arg(long)]
    pub drop_moments: bool,
}

/// `thalweg diff`.
#[derive(Debug, Clone, clap::Args)]
pub struct DiffArgs {
    /// A world
    pub a: PathBuf,

    /// Another one
    pub b: PathBuf,
}

/// Layer of values, one for each cell of a world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportLayer {
    /// Elevation of the ground, m.
    Bed,
    /// Depth of the water, m.
    Depth,
    /// Elevation of its surface, m.
    Stage,
    /// Largest depth so far, m.
    MaxDepth,
    /// Highest elevation of the surface so far, where it was flooded, m.
    MaxStage,
    /// Speed of the water, m/s.
    Speed,
    /// Largest speed so far, m/s.
    MaxSpeed,
    /// Largest depth × (speed + 0.5) so far, m²/s.
    Hazard,
    /// Time until it was first flooded, s.
    Arrival,
    /// Time for which it was flooded, s.
    Duration,
}

impl ExportLayer {
    /// Returns the unit of its values.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Bed | Self::Depth | Self::Stage | Self::MaxDepth | Self::MaxStage => "m",
            Self::Speed | Self::MaxSpeed => "m/s",
            Self::Hazard => "m2/s",
            Self::Arrival | Self::Duration => "s",
        }
    }

    /// Returns the description of the values for a map.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Bed => RasterBand::ELEVATION.description,
            Self::Depth => "Depth",
            Self::Stage => "Water level",
            Self::MaxDepth => "Maximum depth",
            Self::MaxStage => "Maximum water level",
            Self::Speed => "Speed",
            Self::MaxSpeed => "Maximum speed",
            Self::Hazard => "Largest depth x (speed + 0.5)",
            Self::Arrival => "Time until first flooded",
            Self::Duration => "Time for which flooded",
        }
    }

    /// Returns the name of the layer on the command line.
    #[must_use]
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use kit::command::parse;

    use super::*;

    #[test]
    fn the_definition_is_sound() {
        use clap::CommandFactory;
        Args::command().debug_assert();
    }

    #[test]
    fn mistakes_are_one_line() {
        for (line, what) in [
            ("thalweg improt a b", "import"),
            ("thalweg import a.tif", "<WORLD>"),
            ("thalweg export a b --level x", "--level"),
            ("thalweg export a b --layer water", "bed"),
            ("thalweg run a --until 2h --for 1h", "--until"),
            ("thalweg run a --for 2", "--for"),
        ] {
            let error = parse::<Args>(line.split(' ').map(Into::into)).expect_err(line).to_string();
            assert!(error.contains(what) && !error.contains('\n'), "{line}: {error}");
            assert!(!error.starts_with("error"), "{error}");
        }
    }
}
