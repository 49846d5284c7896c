//! Summary of a file's world, read without the world: its records, and depths leaf by leaf.
//!
//! Guarantees: no terrain is kept in memory; a summary reads the head, two records and the pages of
//!             the directory that list leaves, so a world of any size answers at once.
//! Limits:     parts that are not read are not checked: [`SaveFile::load`] checks all.

use crate::world::file::leaf;
use crate::world::file::load::{leaf_keys, record_fault, run_of, setup_of};
use crate::world::{Barrier, ColumnKind, FileError, Link, SaveFile};
use thalweg_engine::grid::{TILE_CELLS, TileKey};
use thalweg_engine::sim::Settings;
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::state::LeafState;
use thalweg_engine::store::codec::TileIntegers;
use thalweg_engine::store::terrain::{StoredBeds, read_head};
use thalweg_engine::store::{Key, Layer, Store, Tally};
use thalweg_engine::tile::{CowPlane, MapKinds};
use thalweg_engine::units::{OUTSIDE, SimTime};

/// Summary of a file's world.
#[derive(Debug, Clone, PartialEq)]
pub struct WorldSummary {
    /// Simulated time since the beginning.
    pub time: SimTime,
    /// The settings, including solver and terms.
    pub settings: Settings,
    /// Level of the simulated cells.
    pub level: u8,
    /// Kind of columns: how coarse cells represent the terrain below them.
    pub columns: ColumnKind,
    /// Whether leaves change: if so, criteria must be given when the world is loaded.
    pub is_adaptive: bool,
    /// Depth from which a cell counts as wet, m.
    pub wet_depth_m: f64,
    /// Kinds of flood maps that the world keeps.
    pub maps: MapKinds,
    /// Ledger of all water: volumes in and out by account.
    pub ledger: Ledger,
    /// Ledger of each tracer, with its name.
    pub tracers: Vec<(String, Ledger)>,
    /// The barriers, and the seconds at which their breaches began.
    pub barriers: Vec<(Barrier, Option<f64>)>,
    /// The culverts, pumps and drains, as requested.
    pub links: Vec<Link>,
    /// The leaves, in the order of the forest.
    pub leaves: Vec<TileKey>,
}

/// Beds and depths of a leaf, rows from south to north.
#[derive(Debug, Clone, PartialEq)]
pub struct LeafDepths {
    /// Bed, vertical units; [`OUTSIDE`] beyond the world.
    pub bed: Box<[i32]>,
    /// Depth, vertical units: volume over area.
    pub depth: CowPlane<i32>,
}

/// The water of a file, to be read leaf by leaf, by several threads at once.
#[derive(Debug)]
pub struct StoredWater<'a> {
    store: &'a Store,
    beds: StoredBeds<'a>,
    columns: ColumnKind,
}

impl SaveFile {
    /// Returns the summary of the file's world; `None` if it contains a terrain and no water.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`], [`FileError::Record`].
    pub fn summary(&self) -> Result<Option<WorldSummary>, FileError> {
        let store = self.store();
        let mut tally = Tally::of(self.limits);
        let Some(setup) = or_no_water(setup_of(store, &mut tally))? else { return Ok(None) };
        let Some(run) = or_no_water(run_of(store, &mut tally))? else { return Ok(None) };
        let none = || record_fault(Layer::Run, "one of its numbers is out of range");
        let state = run.state().ok_or_else(none)?;
        let head = read_head(store)?;
        if setup.level > head.coarsest {
            return Err(record_fault(Layer::Setup, "the map has no such level"));
        }
        let leaves = leaf_keys(store, |tile| head.has(tile))?;
        let begun = state.barriers.iter().map(|state| state.begun.map(SimTime::seconds));
        let begun: Vec<_> = begun.collect();
        Ok(Some(WorldSummary {
            time: state.time,
            level: setup.level,
            columns: setup.columns,
            is_adaptive: setup.adaptive.is_some(),
            wet_depth_m: setup.wet_depth_m,
            maps: setup.maps,
            settings: setup.settings,
            ledger: state.ledger,
            tracers: setup.tracers.into_iter().zip(state.tracers).collect(),
            barriers: setup.barriers.into_iter().zip(begun).collect(),
            links: setup.links.into_iter().flatten().collect(),
            leaves,
        }))
    }

    /// Returns the water of the file, to be read leaf by leaf; `None` if it contains none.
    ///
    /// # Errors
    ///
    /// [`FileError::Store`], [`FileError::Record`].
    pub fn water(&self) -> Result<Option<StoredWater<'_>>, FileError> {
        let store = self.store();
        let Some(setup) = or_no_water(setup_of(store, &mut Tally::of(self.limits)))? else {
            return Ok(None);
        };
        let beds = StoredBeds::open(store)?;
        Ok(Some(StoredWater { store, beds, columns: setup.columns }))
    }
}

/// Returns `None` if a file contains a terrain and no water.
fn or_no_water<T>(found: Result<T, FileError>) -> Result<Option<T>, FileError> {
    match found {
        Err(FileError::NoWater) => Ok(None),
        found => found.map(Some),
    }
}

impl StoredWater<'_> {
    /// Reads the depths of a leaf.
    ///
    /// # Errors
    ///
    /// [`FileError::Leaf`] if the world has no such leaf or it differs from the save,
    /// [`FileError::Store`].
    pub fn read(&self, leaf: TileKey) -> Result<LeafDepths, FileError> {
        let fault = |what| FileError::Leaf { key: leaf, what };
        let (mut bed, mut bytes): (TileIntegers, _) = ([OUTSIDE; TILE_CELLS], Vec::new());
        self.beds.read(leaf, &mut bed)?;
        // Over flat columns a cell belongs to the world completely or not at all.
        let parts = Key::of_tile(Layer::Parts, leaf);
        if self.columns == ColumnKind::Flat && self.store.get(parts, &mut bytes)? {
            let is_part =
                |cell: usize| bytes.get(cell / 8).is_some_and(|b| b >> (cell % 8) & 1 == 1);
            for cell in (0..TILE_CELLS).filter(|&cell| is_part(cell)) {
                bed[cell] = OUTSIDE;
            }
        }
        if !self.store.get(Key::of_tile(Layer::Water, leaf), &mut bytes)? {
            return Err(fault("it is missing"));
        }
        let state: LeafState = leaf::leaf_of(&bytes, &bed).map_err(fault)?;
        let (bed, depth) = (bed.as_slice().into(), state.water.depth);
        Ok(LeafDepths { bed, depth })
    }
}
