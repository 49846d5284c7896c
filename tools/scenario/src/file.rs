//! A scenario as it is written: the keys of a `scenario.toml`, before anything is checked.
//!
//! Every key may be missing. The command line is laid over the same structure, so a key of the
//! file and a flag that mean the same are checked in the same place ([`super::plan`]).
//!
//! Limits:     no defaults and no cross-checks here; `src/guide/scenario.md` describes each key.

use std::path::PathBuf;

use rasters::{ByteOrder, HeightDirection, HeightUnit, NoData};
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

/// `[map]`: the heightmap and facts that its file lacks.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct MapTable {
    pub file: Option<PathBuf>,
    pub area: Option<SimulatedArea>,
    pub format: Option<String>,
    pub cell: Option<CellSides>,
    pub size: Option<MapSize>,
    pub height_range: Option<HeightRange>,
    pub encoding: Option<rasters::Encoding>,
    pub nodata: Option<NoData>,
    pub band: Option<usize>,
    pub height_unit: Option<HeightUnit>,
    pub heights_are: Option<HeightDirection>,
    pub byte_order: Option<ByteOrder>,
    pub metres_per_degree: Option<DegreeLength>,
}

/// `[run]`: duration, resolution and numbers.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct RunTable {
    #[serde(rename = "for")]
    pub duration: Option<Seconds>,
    pub quality: Option<Quality>,
    pub cell_size: Option<Metres>,
    pub columns: Option<ColumnsChoice>,
    pub adaptive: Option<bool>,
    pub threads: Option<i64>,
    pub seed: Option<u64>,
    pub datum: Option<Metres>,
    pub exponent: Option<i64>,
    pub bed_exponent: Option<i64>,
    pub headroom: Option<Metres>,
}

/// `[flow]`: the equations that move the water.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct FlowTable {
    pub solver: Option<SolverChoice>,
    pub order: Option<i64>,
    pub viscosity: Option<EddyViscosity>,
    pub wind: Option<Wind>,
    pub latitude: Option<Latitude>,
    pub steps: Option<StepsChoice>,
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

/// `[ground]`: roughness and losses.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct GroundTable {
    pub manning: Option<ValueOrFile<Manning>>,
    pub land_cover: Option<PathBuf>,
    pub land_cover_table: Option<PathBuf>,
    pub infiltration: Option<Rate>,
    pub green_ampt: Option<GreenAmptSoil>,
    pub evaporation: Option<Rate>,
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

/// `[output]`: the outputs, and where they are written.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct OutputTable {
    pub folder: Option<PathBuf>,
    pub world: Option<PathBuf>,
    pub frames: Option<i64>,
    pub wet_depth: Option<Metres>,
    pub classes: Option<DepthClasses>,
    pub sea: Option<SeaLevel>,
    pub permanent_water: Option<PathBuf>,
    pub water_classes: Option<WaterClasses>,
    pub backdrop: Option<PathBuf>,
}
