//! A scenario as it is written: the keys of a `scenario.toml`, before anything is checked.
//!
//! Every key may be missing. The tables `[map]`, `[run]`, `[flow]`, `[ground]` and `[output]` are
//! also groups of options of the command line: each field is the key for serde and the option for
//! clap, and its doc is the help. The options are laid over the keys of the file
//! ([`super::overlay`]), so that both are checked in the same place ([`super::plan`]).
//!
//! Limits:     no defaults and no cross-checks here; `src/guide/scenario.md` describes each key.

use std::path::PathBuf;

use clap::builder::NonEmptyStringValueParser;
use clap::{Arg, Args, Command};
use rasters::{ByteOrder, Encoding, HeightDirection, HeightUnit, NoData};
use serde::Deserialize;

use super::area::SimulatedArea;
use super::barrier::BarrierTable;
use super::before::{SeaLevel, WaterClasses};
use super::classes::DepthClasses;
use super::flow::{EddyViscosity, Latitude, SolverChoice, StepsChoice, Wind};
use super::fluid::{Density, DynamicViscosity, Stress};
use super::link::{CulvertTable, DrainTable, LinkTable, PumpTable};
use super::observed::ObservedFile;
use super::place::{Condition, MapSide};
use super::rock::{BridgeTable, MeshTable, TunnelTable, VoxelsTable};
use super::terms::{
    CellSides, ColumnsChoice, DegreeLength, GreenAmptSoil, HeightRange, MapSize, Quality,
};
use crate::quantity::{Discharge, Manning, Metres, Rate, Seconds, ValueOrFile};
use crate::rain_bands::{BandSums, Stamps};
use crate::rain_unit::RainUnit;

/// Declares a table whose keys may all be missing: one structure that serde reads from a file, and
/// clap from the command line. The doc of a field is the help of its option; `#[arg(skip)]` is on a
/// field without an option.
macro_rules! table {
    (
        $(#[$about:meta])*
        $visibility:vis struct $name:ident {
            $($(#[$of:meta])* pub $field:ident: Option<$kind:ty>,)*
        }
    ) => {
        #[derive(Debug, Clone, Default, PartialEq, Deserialize, Args)]
        #[serde(deny_unknown_fields, default)]
        $(#[$about])*
        $visibility struct $name { $($(#[$of])* pub $field: Option<$kind>,)* }

        impl $name {
            /// Names of the fields in the order of the keys; the id of an option is one of them.
            pub(crate) const FIELDS: &'static [&'static str] = &[$(stringify!($field)),*];

            /// Replaces each key that has a value in `typed`.
            pub(crate) fn lay_over(&mut self, typed: &Self) {
                $(if typed.$field.is_some() { self.$field.clone_from(&typed.$field); })*
            }

            /// Returns the options of the keys that have a value, like `--map-cell`.
            #[must_use]
            pub fn given(&self) -> Vec<String> {
                let has_value = [$(self.$field.is_some()),*];
                let given = Self::FIELDS.iter().zip(has_value).filter(|(_, is_given)| *is_given);
                given.filter_map(|(field, _)| option::<Self>(field)).collect()
            }
        }
    };
}

/// Returns the option of a field of a table, if it has one.
fn option<Table: Args>(field: &str) -> Option<String> {
    let command = Table::augment_args(Command::new(""));
    let of_field = command.get_arguments().find(|option| option.get_id() == field);
    of_field.and_then(Arg::get_long).map(|name| format!("--{name}"))
}

/// All keys of a scenario.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Scenario {
    /// Heading of the maps and the report.
    pub title: Option<String>,
    /// The heightmap.
    pub map: MapTable,
    /// Duration, resolution and numbers.
    pub run: RunTable,
    /// Equations.
    pub flow: FlowTable,
    /// The fluid.
    pub fluid: FluidTable,
    /// Rains; they add up.
    pub rain: Vec<RainTable>,
    /// Inflows.
    pub inflow: Vec<InflowTable>,
    /// Water at the start.
    pub initial: InitialTable,
    /// Conditions of whole sides.
    pub edges: EdgesTable,
    /// Conditions of parts of a side; later ones replace earlier ones.
    pub edge: Vec<EdgeTable>,
    /// Levees, weirs, gates and bridge decks; if two share a face, the later one applies.
    pub barrier: Vec<BarrierTable>,
    /// Culverts and pipes.
    pub culvert: Vec<CulvertTable>,
    /// Pumps.
    pub pump: Vec<PumpTable>,
    /// Drains.
    pub drain: Vec<DrainTable>,
    /// Voxels of files, built before the meshes, tunnels and bridges.
    pub voxels: Vec<VoxelsTable>,
    /// Meshes of files, in their order after the voxels.
    pub mesh: Vec<MeshTable>,
    /// Tunnels, carved after the meshes.
    pub tunnel: Vec<TunnelTable>,
    /// Bridges and aqueducts, built after the tunnels.
    pub bridge: Vec<BridgeTable>,
    /// Roughness and losses.
    pub ground: GroundTable,
    /// Places whose series are recorded.
    pub gauge: Vec<GaugeTable>,
    /// Lines across which the water is counted.
    pub section: Vec<FlowSectionTable>,
    /// Outputs, and where they are written.
    pub output: OutputTable,
}

impl Scenario {
    /// Returns every place that the scenario names, in the map's coordinates.
    #[must_use]
    pub fn places(&self) -> Vec<[f64; 2]> {
        let mut places: Vec<[f64; 2]> = self.gauge.iter().map(|gauge| gauge.at).collect();
        places.extend(self.section.iter().flat_map(|section| &section.line));
        for inflow in &self.inflow {
            places.extend(inflow.at);
            places.extend(inflow.polygon.iter().flatten());
            if let Some([west, south, east, north]) = inflow.rectangle {
                places.extend([[west, south], [east, north]]);
            }
        }
        for barrier in &self.barrier {
            places.extend(&barrier.path);
            places.extend(barrier.gap.as_ref().and_then(|gap| gap.at));
            places.extend(barrier.breach.as_ref().and_then(|breach| breach.at));
        }
        places.extend(self.culvert.iter().flat_map(LinkTable::places));
        places.extend(self.pump.iter().flat_map(LinkTable::places));
        places.extend(self.drain.iter().flat_map(LinkTable::places));
        places.extend(self.voxels.iter().map(|voxels| voxels.at));
        places.extend(self.mesh.iter().map(|mesh| mesh.at));
        places.extend(self.tunnel.iter().flat_map(|tunnel| &tunnel.path));
        places.extend(self.bridge.iter().flat_map(|bridge| &bridge.path));
        places
    }
}

table! {
    /// `[map]`: the heightmap and facts that its file lacks.
    #[command(next_help_heading = "Map")]
    pub struct MapTable {
        /// The heightmap
        #[arg(skip)]
        pub file: Option<PathBuf>,
        /// Part of the map, in its coordinates, or a file of polygons (GeoJSON, lines of x,y)
        /// [default: all of it]
        #[arg(long, value_name = "W,S,E,N|FILE", allow_hyphen_values = true)]
        pub area: Option<SimulatedArea>,
        /// Format: geotiff, ascii-grid, hgt, png, raw16, int16, raw32 [default: by content and
        /// ending]
        #[arg(long = "map-format", value_name = "FORMAT")]
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        pub format: Option<String>,
        /// Cell size of a map that has none, m: 5 or 61x93
        #[arg(long = "map-cell", value_name = "M", allow_hyphen_values = true)]
        pub cell: Option<CellSides>,
        /// Columns and rows of a RAW
        #[arg(long = "map-size", value_name = "WxH", allow_hyphen_values = true)]
        pub size: Option<MapSize>,
        /// Elevations of the lowest and highest sample of a PNG or RAW, m
        #[arg(long, value_name = "LOW..HIGH", allow_hyphen_values = true)]
        pub height_range: Option<HeightRange>,
        /// How the colours of a picture stand for heights: terrarium or mapbox
        #[arg(long, value_name = "ENCODING")]
        pub encoding: Option<Encoding>,
        /// Stored values that mean NoData: -9999 or -9999,-500; `none` undoes what the file
        /// declares
        #[arg(long, value_name = "V|none", allow_hyphen_values = true)]
        pub nodata: Option<NoData>,
        /// Band that has the heights, counted from 1 [default: the first]
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        pub band: Option<usize>,
        /// Unit of the heights: m, ft, us-ft, cm, mm, dm, km [default: the file's, or m]
        #[arg(long, value_name = "UNIT", allow_hyphen_values = true)]
        pub height_unit: Option<HeightUnit>,
        /// heights (positive up) or depths (positive down) [default: the file's, or heights]
        #[arg(long, value_name = "WHICH")]
        pub heights_are: Option<HeightDirection>,
        /// Byte order of a RAW or .hgt: little or big [default: little, of .hgt big]
        #[arg(long, value_name = "ORDER")]
        pub byte_order: Option<ByteOrder>,
        /// Accept a map in degrees: auto, or the metres of one degree
        #[arg(long, value_name = "auto|M")]
        pub metres_per_degree: Option<DegreeLength>,
    }
}

table! {
    /// `[run]`: duration, resolution and numbers. The keys without an option here have one in
    /// [`CellArgs`](super::options::CellArgs).
    #[command(next_help_heading = "Run")]
    pub struct RunTable {
        /// Simulated time [default: as long as the rain and the tables given, or 1h]
        #[serde(rename = "for")]
        #[arg(long = "for", value_name = "TIME", allow_hyphen_values = true)]
        pub duration: Option<Seconds>,
        /// draft (300,000 cells), normal (2.5 million) or fine (every cell) [default: normal]
        #[arg(long, value_name = "QUALITY")]
        pub quality: Option<Quality>,
        /// Width of the cells, m
        #[arg(skip)]
        pub cell_size: Option<Metres>,
        /// How cells wider than the map's stand for the ground in them: sub-grid (tables of it) or
        /// flat (its mean height: less work and memory a cell, and false lakes behind averaged
        /// valleys) [default: sub-grid]
        #[arg(long, value_name = "KIND")]
        pub columns: Option<ColumnsChoice>,
        /// Whether smooth open water may lie on coarser cells
        #[arg(skip)]
        pub adaptive: Option<bool>,
        /// Number of threads [default: all cores]; the results do not depend on it
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        pub threads: Option<i64>,
        /// Seed of the unbiased rounding [default: 0]
        #[arg(long, value_name = "N", allow_hyphen_values = true)]
        pub seed: Option<u64>,
        /// Elevation from which heights are counted, m
        #[arg(skip)]
        pub datum: Option<Metres>,
        /// Power of two of the vertical unit
        #[arg(skip)]
        pub exponent: Option<i64>,
        /// Power of two that beds are rounded to
        #[arg(skip)]
        pub bed_exponent: Option<i64>,
        /// Room kept for water above the highest bed, m
        #[arg(skip)]
        pub headroom: Option<Metres>,
    }
}

table! {
    /// `[flow]`: the equations that move the water.
    #[command(next_help_heading = "Run")]
    pub struct FlowTable {
        /// swe (dam breaks, rivers, jets, surges, run-up) or pipe (rain over large slow land, in 53
        /// to 92 % of the time, as measured) [default: swe]
        #[arg(long, value_name = "SOLVER")]
        pub solver: Option<SolverChoice>,
        /// Order of the scheme: 2, or 1 for a smoother and coarser answer
        #[arg(skip)]
        pub order: Option<i64>,
        /// How eddies smaller than a cell mix momentum
        #[arg(skip)]
        pub viscosity: Option<EddyViscosity>,
        /// Speed of the wind, and the direction that it blows from
        #[arg(skip)]
        pub wind: Option<Wind>,
        /// Latitude of the Coriolis force
        #[arg(skip)]
        pub latitude: Option<Latitude>,
        /// Which water sets the length of time steps: the fastest of the whole map (map), or of
        /// each tile of 64 × 64 cells (tile: 66 to 102 % of the time, as measured, on the processor
        /// alone) [default: map]
        #[arg(long, value_name = "WATER")]
        pub steps: Option<StepsChoice>,
    }
}

/// `[fluid]`: the fluid, if it is not water.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct FluidTable {
    pub density: Option<Density>,
    pub viscosity: Option<DynamicViscosity>,
    pub yield_stress: Option<Stress>,
    pub resistance: Option<f64>,
}

/// `[[rain]]`: one rain.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct RainTable {
    pub name: Option<String>,
    pub rate: ValueOrFile<Rate>,
    pub from: Option<Seconds>,
    #[serde(rename = "for")]
    pub duration: Option<Seconds>,
    pub unit: Option<RainUnit>,
    pub step: Option<Seconds>,
    pub sums: Option<BandSums>,
    pub stamps: Option<Stamps>,
    pub weights: Option<PathBuf>,
}

/// `[[inflow]]`: one inflow, at exactly one of four kinds of place.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct InflowTable {
    pub name: Option<String>,
    pub discharge: ValueOrFile<Discharge>,
    pub at: Option<[f64; 2]>,
    pub rectangle: Option<[f64; 4]>,
    pub polygon: Option<Vec<[f64; 2]>>,
    pub edge: Option<MapSide>,
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub slope: Option<f64>,
    pub depth: Option<Metres>,
}

/// `[initial]`: water at the start.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct InitialTable {
    pub stage: Option<ValueOrFile<Metres>>,
    pub depth: Option<ValueOrFile<Metres>>,
    pub nodata: Option<NoData>,
}

/// `[edges]`: conditions of whole sides.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct EdgesTable {
    pub all: Option<Condition>,
    pub west: Option<Condition>,
    pub east: Option<Condition>,
    pub south: Option<Condition>,
    pub north: Option<Condition>,
    pub nodata: Option<Condition>,
    pub holes: Option<Condition>,
}

impl EdgesTable {
    /// Returns the condition that was given for one side, to read or to set.
    pub fn side(&mut self, side: MapSide) -> &mut Option<Condition> {
        match side {
            MapSide::West => &mut self.west,
            MapSide::East => &mut self.east,
            MapSide::South => &mut self.south,
            MapSide::North => &mut self.north,
            MapSide::NoData => &mut self.nodata,
            MapSide::Holes => &mut self.holes,
        }
    }

    pub(super) fn conditions(&mut self) -> impl Iterator<Item = &mut Condition> {
        let Self { all, west, east, south, north, nodata, holes } = self;
        [all, west, east, south, north, nodata, holes].into_iter().flatten()
    }
}

/// `[[edge]]`: the condition of a part of a side.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct EdgeTable {
    pub name: Option<String>,
    pub side: MapSide,
    pub from: Option<f64>,
    pub to: Option<f64>,
    pub condition: Condition,
}

table! {
    /// `[ground]`: roughness and losses.
    #[command(next_help_heading = "Ground")]
    pub struct GroundTable {
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
}

/// `[[gauge]]`: a place whose series is recorded.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct GaugeTable {
    pub name: String,
    pub at: [f64; 2],
    pub observed: Option<ObservedFile>,
}

/// `[[section]]`: a line across which the water is counted.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct FlowSectionTable {
    pub name: String,
    pub line: Vec<[f64; 2]>,
    pub observed: Option<ObservedFile>,
}

table! {
    /// `[output]`: the outputs, and where they are written.
    #[command(next_help_heading = "Output")]
    pub struct OutputTable {
        /// Folder of the results [default: flood-preview-out]
        #[arg(long = "out", value_name = "FOLDER")]
        pub folder: Option<PathBuf>,
        /// Save the run's last moment as a world, for `thalweg` and for games
        #[arg(long, value_name = "OUT.thalweg")]
        pub world: Option<PathBuf>,
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
    }
}
