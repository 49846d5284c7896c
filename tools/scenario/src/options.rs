//! Options that change a scenario, as typed: parsed but not yet understood.
//!
//! An option that is one key of a table is a field of that table in [`file`](mod@crate::file).

use std::path::PathBuf;

use clap::ArgAction;
use kit::output::Replacing;

use crate::file::{FlowTable, GroundTable, MapTable, OutputTable, RunTable};
use crate::observed::NamedObserved;
use crate::place::{Condition, NamedLine, NamedPoint, PointInflow, SideCondition};
use crate::quantity::{Metres, Rate, Seconds, ValueOrFile};
use crate::rain_bands::{BandSums, Stamps};
use crate::rain_unit::RainUnit;

/// All options that change a scenario.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Options {
    /// Where water comes from and how it leaves.
    #[command(flatten)]
    pub water: WaterArgs,
    /// Roughness and losses.
    #[command(flatten)]
    pub ground: GroundTable,
    /// Options for what the heightmap does not say itself.
    #[command(flatten)]
    pub map: MapTable,
    /// How long, how finely and with which numbers.
    #[command(flatten)]
    pub run: RunTable,
    /// Equations.
    #[command(flatten)]
    pub flow: FlowTable,
    /// Cells of several widths, and how heights become whole numbers.
    #[command(flatten)]
    pub cells: CellArgs,
    /// Options for the outputs and the messages.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Where water comes from and how it leaves.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Water")]
pub struct WaterArgs {
    /// Rain: a rate (40mm/h), a hyetograph (storm.csv) or a raster, of one band or of many
    #[arg(long, value_name = "RATE|FILE", allow_hyphen_values = true)]
    pub rain: Option<ValueOrFile<Rate>>,

    /// How long it rains [default: to the end]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rain_for: Option<Seconds>,

    /// Unit of a raster of rain: mm/h, mm/d, mm, in/h, kg m-2 s-1 [default: the file's, or mm/h]
    #[arg(long, value_name = "UNIT")]
    pub rain_unit: Option<RainUnit>,

    /// Time from one band of a raster of rain to the next [default: the file's]
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub rain_step: Option<Seconds>,

    /// Depths of the bands of a raster, in each step or all from the start: each-step or
    /// from-start [default: each-step, unless they only rise]
    #[arg(long, value_name = "WHAT")]
    pub rain_sums: Option<BandSums>,

    /// Moment that the time of a band of rain names: begin or end of the band [default: begin; end
    /// for depths of GRIB]
    #[arg(long, value_name = "END")]
    pub rain_stamps: Option<Stamps>,

    /// Inflow at a point: a discharge (12m3/s) or a hydrograph; may be repeated
    #[arg(long, value_name = "[NAME:]X,Y=DISCHARGE|FILE", allow_hyphen_values = true)]
    pub inflow: Vec<PointInflow>,

    /// Still water at the start up to this elevation, over every lower bed, m
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub stage: Option<Metres>,

    /// Raster of the stage at the start, m
    #[arg(long, value_name = "RASTER")]
    pub initial_stage: Option<PathBuf>,

    /// Depth at the start: the same everywhere, or a raster, m
    #[arg(long, value_name = "M|RASTER", allow_hyphen_values = true)]
    pub initial_depth: Option<ValueOrFile<Metres>>,

    /// All edges: open, wall, stage:12.5 or stage:tide.csv [default: open]
    #[arg(long, value_name = "CONDITION")]
    pub edges: Option<Condition>,

    /// One edge, like north=wall, nodata=open or holes=open; may be repeated
    #[arg(long, value_name = "SIDE=CONDITION")]
    pub edge: Vec<SideCondition>,
}

/// Cells of several widths, and how heights become whole numbers.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Run")]
pub struct CellArgs {
    /// Smooth open water on coarser cells: saves half of the work where it is many tiles of 64
    /// cells wide (bays, lakes), nothing in valleys and rain. Maps keep the simulated cells
    #[arg(long, overrides_with = "no_adaptive")]
    pub adaptive: bool,

    /// All cells of one size, whatever the scenario says: the default
    #[arg(long, overrides_with = "adaptive")]
    pub no_adaptive: bool,

    /// How heights become whole numbers.
    #[command(flatten)]
    pub numbers: NumberArgs,
}

impl CellArgs {
    /// Returns the keys of the given options.
    pub(crate) fn table(&self) -> RunTable {
        let Self { adaptive, no_adaptive, ref numbers } = *self;
        let NumberArgs { cell_size, datum, exponent, bed_exponent, headroom } = *numbers;
        let adaptive = (adaptive != no_adaptive).then_some(adaptive);
        RunTable {
            cell_size,
            adaptive,
            datum,
            exponent,
            bed_exponent,
            headroom,
            ..RunTable::default()
        }
    }
}

/// How heights become whole numbers.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct NumberArgs {
    /// Width of the cells, m, if it is not to be the map's
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub cell_size: Option<Metres>,

    /// Elevation from which heights are counted, m [default: middle of the terrain]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub datum: Option<Metres>,

    /// Vertical units are 2^-K m, K from 18 to 24 [default: as fine as fits]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub exponent: Option<i64>,

    /// Beds are rounded to multiples of 2^-K m [default: 10, more for cells below 1 m]
    #[arg(long, value_name = "K", allow_hyphen_values = true)]
    pub bed_exponent: Option<i64>,

    /// Room kept for water above the highest bed, m [default: 200]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub headroom: Option<Metres>,
}

/// Options for the outputs and the messages.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Record stage, depth and speed here; may be repeated
    #[arg(long, value_name = "NAME=X,Y")]
    pub gauge: Vec<NamedPoint>,

    /// Record discharge, level and volume across this line; may be repeated
    #[arg(long, value_name = "NAME=X,Y,X,Y")]
    pub section: Vec<NamedLine>,

    /// Record of the real event at a gauge, or of the discharge at a section: a table whose values
    /// are depths or levels, as its heading says or the word before it; may be repeated
    #[arg(long, value_name = "NAME=[depth:|level:]FILE")]
    pub observed: Vec<NamedObserved>,

    /// Heading of the maps and the report [default: name of the map]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,

    /// The outputs, and where they are written.
    #[command(flatten)]
    pub table: OutputTable,

    /// Replace the world if there is one
    #[arg(long)]
    pub force: bool,

    /// Check everything, print what would be simulated, and stop
    #[arg(long)]
    pub check: bool,

    /// Say more (-vv: even more)
    #[arg(short, long, action = ArgAction::Count)]
    pub verbose: u8,

    /// Say nothing unless something is wrong
    #[arg(short, long)]
    pub quiet: bool,
}

impl OutputArgs {
    /// Returns whether an existing world may be replaced.
    #[must_use]
    pub fn replacing(&self) -> Replacing {
        self.force.into()
    }
}
