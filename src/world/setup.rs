//! Setup of a world: everything that its file must contain beside its terrain and its water.
//!
//! Limits: values by cell are separate: classes are in planes of their own, and the initial water
//!         is already state. Criteria are inputs, as observers are, and are given again.

use crate::world::accounts::{NAMES_MOST, account_bytes};
use crate::world::edges::{EdgeKind, RequestedEdge};
use crate::world::{Barrier, WorldError};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use thalweg_engine::sim::Settings;
use thalweg_engine::structure::inflow::CellInflow;
use thalweg_engine::structure::weather::{Direction, WeatherLayer};
use thalweg_engine::structure::{Fault, Link, StructureError, StructureKind};
use thalweg_engine::terrain::{EditError, Shape};
use thalweg_engine::tile::MapKinds;
use thalweg_engine::units::RateSeries;

/// Setup of a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Setup {
    /// Level of the simulated cells.
    pub level: u8,
    /// Kind of columns: how coarse cells represent the terrain below them.
    pub columns: ColumnKind,
    /// Settings of the simulation.
    pub settings: Settings,
    /// Cells have classes of roughness.
    pub has_roughness: bool,
    /// Later ones override earlier ones.
    pub edges: Vec<RequestedEdge>,
    /// Rain, evaporation and infiltration, in the order they act.
    pub layers: Vec<WeatherLayer>,
    /// Areas of layers that act in one alone, with one rate there, by their places among all.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub areas: BTreeMap<usize, Shape>,
    /// Hydraulic conductivity, m/s, and suction head times moisture deficit, m.
    pub green_ampt: Option<[f64; 2]>,
    /// Inflows.
    pub inflows: Vec<CellInflow>,
    /// Names of tracers.
    pub tracers: Vec<String>,
    /// Tracer, source and concentration.
    pub tracer_sources: Vec<(String, String, f64)>,
    /// Depth from which a cell counts as wet, m.
    pub wet_depth_m: f64,
    /// Kinds of flood maps that are kept; worlds of earlier builds keep all.
    #[serde(default = "all", skip_serializing_if = "is_all")]
    pub maps: MapKinds,
    /// Culverts, pumps and drains by their numbers; the number of a removed one stays empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<Option<Link>>,
    /// Settings of adaptive leaves; `None` if leaves do not change.
    pub adaptive: Option<AdaptiveNumbers>,
    /// Barriers of the world; where they share a face the later one counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub barriers: Vec<Barrier>,
}

/// Kind of columns: how cells coarser than the finest terrain represent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ColumnKind {
    /// The mean of its beds: rivers narrower than a cell vanish, shores move where levels change.
    #[default]
    Flat,
    /// The volume of water below each stage, and the conveyance of each face: see
    /// `src/guide/columns.md`. Tables need 260 bytes a cell of level 1 and up; leaves keep 84 more,
    /// for the stage within them. If leaves are adaptive, the tables of all tiles from level 3 on
    /// are made when the world is built: 5.5 bytes for each finest cell.
    /// [`World::table_bytes`](crate::world::World::table_bytes) returns the total.
    SubGrid,
}

/// Settings of adaptive leaves, without the criteria.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct AdaptiveNumbers {
    pub coarsest: u8,
    pub budget_cells: u64,
    pub interval_cycles: u32,
    pub min_age_cycles: u32,
    pub ahead_cycles: u32,
    #[serde(default = "no_bound")]
    pub leaves_a_cycle: u32,
}

/// New leaves in one cycle of a world whose file has no such number: no limit.
const fn no_bound() -> u32 {
    u32::MAX
}

/// Tracers that a world has at most: with all that is under way over its sides, half a mebibyte, a
/// leaf fits an extent of its file.
const TRACERS_MOST: usize = 256;

/// Refuses more of something than a world has.
pub(super) fn check_count(what: &'static str, count: usize, most: usize) -> Result<(), WorldError> {
    (count <= most).then_some(()).ok_or(WorldError::Names { what, count, most })
}

impl Setup {
    /// Returns the rates of a layer by the classes of its cells, in units of 1 / `units_per_m` m: a
    /// layer with an area has zero rate outside it.
    ///
    /// # Errors
    ///
    /// Same as [`WeatherLayer::series`].
    pub fn rates(&self, layer: usize, units_per_m: f64) -> Result<Vec<RateSeries>, StructureError> {
        let mut rates = self.layers[layer].series(units_per_m)?;
        if self.areas.contains_key(&layer) {
            // Class 0 is outside the area; the layer's own rate follows as class 1.
            rates.insert(0, RateSeries::none());
        }
        Ok(rates)
    }

    /// Checks the setup as far as possible without a terrain, before memory is allocated for it.
    /// Building, saving and loading call this one function.
    pub fn check(&self) -> Result<(), WorldError> {
        self.settings.check()?;
        check_count("tracers", self.tracers.len(), TRACERS_MOST)?;
        let layers = self.layers.len();
        check_count("layers of rain, evaporation and infiltration", layers, NAMES_MOST)?;
        for &layer in self.areas.keys() {
            let own = self.layers.get(layer);
            if !own.is_some_and(|own| own.rates.len() == 1 && !own.has_classes) {
                let name = own.map_or("", |own| &own.name);
                let fault = Fault::Other("an area needs a layer of one rate: take it out".into());
                return Err(StructureKind::Weather.error(name, fault).into());
            }
        }
        let accounts: HashSet<&str> = self.accounts().collect();
        check_count("accounts", accounts.len(), NAMES_MOST)
    }

    /// Returns the account names that its sources and edges open at least; some occur twice.
    fn accounts(&self) -> impl Iterator<Item = &str> {
        let layers = self.layers.iter().map(|layer| layer.name.as_str());
        let inflows = self.inflows.iter().map(|source| source.name.as_str());
        let edges = self.edges.iter().filter(|edge| !matches!(edge.kind, EdgeKind::Wall));
        let edges = edges.map(|edge| edge.name.as_str());
        layers.chain(inflows).chain(edges)
    }

    /// Returns the error for a layer whose area is invalid.
    pub fn no_area(&self, layer: usize, reason: &EditError) -> StructureError {
        let fault = Fault::Other(reason.to_string());
        StructureKind::Weather.error(&self.layers[layer].name, fault)
    }

    /// Returns the bytes of its accounts, with their names.
    pub fn account_bytes(&self) -> u64 {
        let links = self.links.iter().flatten().map(Link::name);
        self.accounts().chain(links).map(account_bytes).sum()
    }

    /// True if some leaf may have tables of sub-grid columns.
    pub fn has_tables(&self) -> bool {
        self.columns == ColumnKind::SubGrid && (self.level > 0 || self.adaptive.is_some())
    }

    /// True if the ground takes water.
    pub fn has_ground_water(&self) -> bool {
        let soaks = |layer: &WeatherLayer| layer.direction == Direction::Ground;
        self.green_ampt.is_some() || self.layers.iter().any(soaks)
    }
}

fn all() -> MapKinds {
    MapKinds::ALL
}

fn is_all(kinds: &MapKinds) -> bool {
    *kinds == MapKinds::ALL
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            level: 0,
            columns: ColumnKind::Flat,
            settings: Settings::default(),
            has_roughness: false,
            edges: Vec::new(),
            layers: Vec::new(),
            areas: BTreeMap::new(),
            green_ampt: None,
            inflows: Vec::new(),
            tracers: Vec::new(),
            tracer_sources: Vec::new(),
            wet_depth_m: 0.01,
            maps: MapKinds::VELOCITY,
            links: Vec::new(),
            adaptive: None,
            barriers: Vec::new(),
        }
    }
}
