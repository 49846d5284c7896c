//! Options that change a scenario, as typed: parsed but not yet understood.

use std::path::PathBuf;

use clap::ArgAction;
use clap::builder::NonEmptyStringValueParser;
use kit::output::Replacing;
use rasters::{ByteOrder, Encoding, HeightDirection, HeightUnit, NoData};

use crate::area::SimulatedArea;
use crate::before::{SeaLevel, WaterClasses};
use crate::classes::DepthClasses;
use crate::flow::{SolverChoice, StepsChoice};
use crate::observed::NamedObserved;
use crate::place::{Condition, NamedLine, NamedPoint, PointInflow, SideCondition};
use crate::quantity::{Manning, Metres, Rate, Seconds, ValueOrFile};
use crate::rain_bands::{BandSums, Stamps};
use crate::rain_unit::RainUnit;
use crate::terms::{
    CellSides, ColumnsChoice, DegreeLength, GreenAmptSoil, HeightRange, MapSize, Quality,
};

/// All options that change a scenario.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct Options {
    /// Where water comes from and how it leaves.
    #[command(flatten)]
    pub water: WaterArgs,
    /// Roughness and losses.
    #[command(flatten)]
    pub ground: GroundArgs,
    /// Options for what the heightmap does not say itself.
    #[command(flatten)]
    pub map: MapArgs,
    /// How long, how finely and with which numbers.
    #[command(flatten)]
    pub run: ScenarioRunArgs,
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

/// Roughness and losses.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Ground")]
pub struct GroundArgs {
    /// Manning's n: a number or a raster [default: 0.035]
    #[arg(long, value_name = "N|RASTER", allow_hyphen_values = true)]
    pub manning: Option<ValueOrFile<Manning>>,

    /// Raster of land-cover classes
    #[arg(long, value_name = "RASTER")]
    pub land_cover: Option<PathBuf>,

    /// Manning's n of each class: lines of `class,n`
    #[arg(long, value_name = "TABLE")]
    pub land_cover_table: Option<PathBuf>,

    /// Infiltration at a constant rate
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub infiltration: Option<Rate>,

    /// Infiltration after Green and Ampt
    #[arg(long, value_name = "K=..,psi=..,dtheta=..")]
    pub green_ampt: Option<GreenAmptSoil>,

    /// Evaporation at a constant rate
    #[arg(long, value_name = "RATE", allow_hyphen_values = true)]
    pub evaporation: Option<Rate>,
}

/// Options for what the heightmap does not say itself.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Map")]
pub struct MapArgs {
    /// Part of the map, in its coordinates, or a file of polygons (GeoJSON, lines of x,y) [default:
    /// all of it]
    #[arg(long, value_name = "W,S,E,N|FILE", allow_hyphen_values = true)]
    pub area: Option<SimulatedArea>,

    /// Cell size of a map that has none, m: 5 or 61x93
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub map_cell: Option<CellSides>,

    /// Elevations of the lowest and highest sample of a PNG or RAW, m
    #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
    pub height_range: Option<HeightRange>,

    /// Columns and rows of a RAW
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    pub map_size: Option<MapSize>,

    /// How the colours of a picture stand for heights: terrarium or mapbox
    #[arg(long, value_name = "ENCODING")]
    pub encoding: Option<Encoding>,

    /// Format: geotiff, ascii-grid, hgt, png, raw16, int16, raw32 [default: by content and ending]
    #[arg(long, value_name = "FORMAT", value_parser = NonEmptyStringValueParser::new())]
    pub map_format: Option<String>,

    /// Stored values that mean NoData: -9999 or -9999,-500; `none` undoes what the file declares
    #[arg(long, value_name = "V|none", allow_hyphen_values = true)]
    pub nodata: Option<NoData>,

    /// Band that has the heights, counted from 1 [default: the first]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub band: Option<usize>,

    /// Unit of the heights: m, ft, us-ft, cm, mm, dm, km [default: what the file says, or m]
    #[arg(long, value_name = "UNIT", allow_hyphen_values = true)]
    pub height_unit: Option<HeightUnit>,

    /// heights (positive up) or depths (positive down) [default: what the file says, or heights]
    #[arg(long, value_name = "WHICH")]
    pub heights_are: Option<HeightDirection>,

    /// Byte order of a RAW or .hgt: little or big [default: little, of .hgt big]
    #[arg(long, value_name = "ORDER")]
    pub byte_order: Option<ByteOrder>,

    /// Accept a map in degrees: auto, or the metres of one degree
    #[arg(long, value_name = "auto|M")]
    pub metres_per_degree: Option<DegreeLength>,
}

/// How long, how finely and with which numbers.
#[derive(Debug, Clone, Default, clap::Args)]
#[command(next_help_heading = "Run")]
pub struct ScenarioRunArgs {
    /// Simulated time [default: the longest table given, or 1h]
    #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<Seconds>,

    /// draft (300,000 cells), normal (2.5 million) or fine (every cell) [default: normal]
    #[arg(long, value_name = "QUALITY")]
    pub quality: Option<Quality>,

    /// How cells wider than the map's stand for the ground in them: sub-grid (tables of it) or flat
    /// (its mean height: less work and memory a cell, and false lakes behind averaged valleys)
    /// [default: sub-grid]
    #[arg(long, value_name = "KIND")]
    pub columns: Option<ColumnsChoice>,

    /// swe (dam breaks, rivers, jets, surges, run-up) or pipe (rain over large slow land, in 53 to
    /// 92 % of the time, as measured) [default: swe]
    #[arg(long, value_name = "SOLVER")]
    pub solver: Option<SolverChoice>,

    /// Which water sets the length of time steps: the fastest of the whole map (map), or of each
    /// tile of 64 × 64 cells (tile: 66 to 102 % of the time, as measured, on the processor alone)
    /// [default: map]
    #[arg(long, value_name = "WATER")]
    pub steps: Option<StepsChoice>,

    /// Smooth open water on coarser cells: saves half of the work where it is many tiles of 64
    /// cells wide (bays, lakes), nothing in valleys and rain. Maps keep the simulated cells
    #[arg(long, overrides_with = "no_adaptive")]
    pub adaptive: bool,

    /// All cells of one size, whatever the scenario says: the default
    #[arg(long, overrides_with = "adaptive")]
    pub no_adaptive: bool,

    /// Number of threads [default: all cores]; the results do not depend on it
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub threads: Option<i64>,

    /// Seed of the unbiased rounding [default: 0]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub seed: Option<u64>,

    /// How heights become whole numbers.
    #[command(flatten)]
    pub numbers: NumberArgs,
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

    /// Folder of the results [default: flood-preview-out]
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,

    /// Save the run's last moment as a world, for `thalweg` and for games
    #[arg(long, value_name = "OUT.thalweg")]
    pub world: Option<PathBuf>,

    /// Replace the world if there is one
    #[arg(long)]
    pub force: bool,

    /// Heading of the maps and the report [default: name of the map]
    #[arg(long, value_name = "TEXT")]
    pub title: Option<String>,

    /// Number of moments kept for the report [default: 48]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    pub frames: Option<i64>,

    /// Depth from which a cell counts as flooded [default: 5cm, or a tenth of a cell]
    #[arg(long, value_name = "M", allow_hyphen_values = true)]
    pub wet_depth: Option<Metres>,

    /// Where the maps' classes of depth begin [default: 5cm,10cm,30cm,50cm,1m,2m,5m]
    #[arg(long, value_name = "M,M,..")]
    pub classes: Option<DepthClasses>,

    /// Level of the sea before the event, which does not count as flooded: auto, none or metres
    /// [default: auto]
    #[arg(long, value_name = "auto|none|M", allow_hyphen_values = true)]
    pub sea: Option<SeaLevel>,

    /// Raster of rivers, lakes and sea, which do not count as flooded: where it is not 0
    #[arg(long, value_name = "RASTER")]
    pub permanent_water: Option<PathBuf>,

    /// Values of that raster that are water [default: all but 0]
    #[arg(long, value_name = "N,N,..")]
    pub water_classes: Option<WaterClasses>,

    /// Picture below the water of the maps (PNG or JPEG with a world file, GeoTIFF), or lines,
    /// outlines and names over it (GeoJSON)
    #[arg(long, value_name = "FILE")]
    pub backdrop: Option<PathBuf>,

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
