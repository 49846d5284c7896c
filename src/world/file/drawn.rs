//! Surfaces from a commit, without its world.
//!
//! ```text
//! Store ── Reader ──► SurfaceSource ──► Surface, SurfaceMesh
//!   ▲                   leaves that they show, and those around
//!   └── Mirror          what changed, by commits
//! ```
//!
//! Surfaces read the beds, depths and velocities of the leaves that they show, and of leaves around
//! these: up to two leaves away, since a cell beside a leaf may be in a coarser one and be
//! interpolated between cells beside that, and one more if velocities are computed from discharges,
//! over faces to the leaves beside. Below sub-grid columns they also read the finest beds that a
//! fine window needs. A source decodes only these leaves. Commits number the changes, so a surface
//! writes only the changes of later commits.
//!
//! Guarantees: planes and meshes are those of a world that is loaded from the same commit, to the
//!             bit (`mirror` in `tests/worlds/kept.rs`); a source that fails to read a commit keeps
//!             the one before.
//! Limits:     a source keeps its commit: its file does not use that commit's space again. Foam is
//!             a memory of the surface, as with a world.

use crate::probe::surface::{BELOW_MOST, SurfaceState};
use crate::probe::{LeafMaps, MeshChange, Query, QueryLeaves, Surface, SurfaceMesh, Window};
use crate::world::file::finest::FinestTiles;
use crate::world::file::leaf;
use crate::world::file::load::{leaf_keys, record_fault, run_of, setup_of};
use crate::world::file::maps::take_maps;
use crate::world::setup::Setup;
use crate::world::{ColumnKind, FileError, WorldError};
use rayon::prelude::*;
use std::collections::BTreeSet;
use thalweg_engine::forest::Forest;
use thalweg_engine::forest::interfaces::LeafInterfaces;
use thalweg_engine::grid::{LeafId, TILE_CELLS, TileKey};
use thalweg_engine::state::LeafState;
use thalweg_engine::store::terrain::{StoredBeds, TerrainOutline, tables_of};
use thalweg_engine::store::{CommitChanges, Key, Layer, Limits, Reader, Tally};
use thalweg_engine::stream::PageKind;
use thalweg_engine::tile::columns::LeafColumns;
use thalweg_engine::tile::{Ground, MapKinds, Water};
use thalweg_engine::units::{OUTSIDE, SimTime};

/// Bytes that a leaf takes at most: bed, water, velocities and tables.
const LEAF_BYTES: u64 = (4 + 12 + MapKinds::VELOCITY.bytes_a_cell()) * TILE_CELLS as u64
    + PageKind::Tables.bytes()
    + LeafColumns::BYTES_OF_PIECES as u64;

/// A commit of a store, as surfaces are drawn from it: no world is built.
///
/// # Examples
///
/// ```
/// use thalweg::follow::Memory;
/// use thalweg::probe::{Surface, Window};
/// # use thalweg::terrain::{TerrainBuilder, TerrainOptions};
/// # use thalweg::units::{SimTime, VerticalScale};
/// use thalweg::world::{CellPlace, Limits, SaveFile, SurfaceSource, WorldBuilder};
/// # let scale = VerticalScale::choose(0.0, 4.0, 20.0)?;
/// # let options =
/// #     TerrainOptions { width: 9, height: 5, cell_width_m: 1.0, scale, bed_exponent: 10 };
/// # let mut terrain = TerrainBuilder::try_new(options)?;
/// # (0..5).try_for_each(|_| terrain.push_row(&[0.0; 9]))?;
/// let mut world = WorldBuilder::new(terrain.finish()?)
///     .initial_depth(|place| if place.x < 4 { 2.0 } else { 0.5 })
///     .build()?;
/// let mut file = SaveFile::create_on(Box::new(Memory::default()), &world)?;
///
/// // A client takes `mirror.store().reader()`.
/// let mut source = SurfaceSource::try_new(file.store().reader(), Limits::default())?;
/// let window = Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width: 9, height: 5 };
/// let mut surface = Surface::try_new(window)?;
/// assert_eq!(surface.update_from(&mut source)?, [window]);
/// assert!(surface.update_from(&mut source)?.is_empty());
///
/// world.run_until(SimTime::from_seconds(1.0));
/// file.save(&world)?;
/// assert_eq!(source.refresh()?.changed.len(), 1);
/// assert_eq!((surface.update_from(&mut source)?, source.time()), (vec![window], world.time()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct SurfaceSource {
    reader: Reader,
    limits: Limits,
    site: DrawnSite,
    time: SimTime,
    leaves: StoredLeaves,
    /// Velocities of leaves whose water is decoded, if the world keeps velocities; else those of
    /// dry leaves.
    maps: Vec<LeafMaps>,
    /// Number of the commit that last changed each leaf, or with which reading began.
    changed_at: Vec<u64>,
    /// Finest beds below leaves of sub-grid columns.
    finest: FinestTiles,
    /// For each leaf: true if a surface has shown it, or has read it for a leaf near it, since the
    /// last [`SurfaceSource::refresh`].
    wanted: Vec<bool>,
}

/// Differences between the leaves of two commits.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeafChange {
    /// Leaves that are new, or whose ground, water or maps are new.
    pub changed: Vec<TileKey>,
    /// Leaves that no longer exist.
    pub gone: Vec<TileKey>,
}

/// Properties that stay the same from commit to commit.
#[derive(Debug)]
struct DrawnSite {
    outline: TerrainOutline,
    level: u8,
    columns: ColumnKind,
    /// Kinds of flood maps that the world keeps; their threshold and unit follow.
    kinds: MapKinds,
    looked_by: (i32, f64),
    /// Velocities of a leaf that is dry.
    dry: LeafMaps,
    /// True if velocities are read from flood maps: the world keeps them, and a mirror follows
    /// them.
    has_velocities: bool,
}

/// Leaves of a commit, some of them decoded.
#[derive(Debug)]
struct StoredLeaves {
    forest: Forest,
    held: Vec<DrawnLeaf>,
}

/// The decoded parts of a leaf.
#[derive(Debug, Default)]
struct DrawnLeaf {
    ground: Option<Ground>,
    water: Option<Water>,
    /// Discharges over faces to coarser leaves, if any.
    interfaces: Option<Box<LeafInterfaces>>,
}

const DECODED: &str = "a surface reads no leaves but those around the leaves that it shows";

impl QueryLeaves for StoredLeaves {
    fn forest(&self) -> &Forest {
        &self.forest
    }

    fn ground(&self, leaf: LeafId) -> &Ground {
        self.held[leaf].ground.as_ref().expect(DECODED)
    }

    fn water(&self, leaf: LeafId) -> &Water {
        self.held[leaf].water.as_ref().expect(DECODED)
    }

    fn interfaces(&self, leaf: LeafId) -> Option<&LeafInterfaces> {
        self.held[leaf].interfaces.as_deref()
    }
}

impl DrawnSite {
    fn read(reader: &Reader, setup: &Setup) -> Result<Self, FileError> {
        let outline = StoredBeds::open(reader)?.outline();
        let Setup { level, columns, wet_depth_m, maps: kinds, .. } = *setup;
        if level > outline.head().coarsest {
            return Err(record_fault(Layer::Setup, "the map has no such level"));
        }
        let scale = outline.head().scale;
        let threshold = scale.depth_units(wet_depth_m).filter(|&depth| depth > 0);
        let threshold = threshold.ok_or_else(|| {
            record_fault(Layer::Setup, "the depth from which a cell counts as wet is out of range")
        })?;
        let looked_by = (threshold, scale.unit_m());
        let dry = nothing_seen(MapKinds::VELOCITY, looked_by);
        let is_kept = kinds.has(MapKinds::VELOCITY);
        let has_velocities = is_kept && !reader.keys_of(Layer::Maps)?.is_empty();
        Ok(Self { outline, level, columns, looked_by, kinds, dry, has_velocities })
    }

    /// Returns true if a second site has the same map, level, kind of columns and flood maps.
    fn is_like(&self, other: &Self) -> bool {
        let [a, b] = [self, other].map(|site| site.outline.head());
        let sizes = [a, b].map(|head| (head.width, head.height, head.coarsest, head.bed_exponent));
        let is_same_map = sizes[0] == sizes[1] && a.scale == b.scale;
        is_same_map
            && a.cell_width_m.to_bits() == b.cell_width_m.to_bits()
            && (self.level, self.columns) == (other.level, other.columns)
            && (self.kinds, self.has_velocities) == (other.kinds, other.has_velocities)
    }

    /// Returns the leaves of a commit.
    fn forest(&self, reader: &Reader) -> Result<Forest, FileError> {
        let head = self.outline.head();
        let leaves = leaf_keys(reader, |tile| head.has(tile) && tile.level >= self.level)?;
        Forest::try_of_leaves(self.level, leaves)
            .map_err(|error| FileError::World(WorldError::Forest(error)))
    }

    /// Returns the ground of a leaf.
    fn ground(&self, reader: &Reader, key: TileKey) -> Result<Ground, FileError> {
        let beds = StoredBeds::over(reader, &self.outline);
        let mut bed = [OUTSIDE; TILE_CELLS];
        beds.read(key, &mut bed)?;
        if self.columns == ColumnKind::Flat {
            beds.cut_parts(key, &mut bed)?;
            return Ok(Ground::flat(bed.as_slice().into()));
        }
        let mut ground = Ground::flat(bed.as_slice().into());
        if key.level > 0 {
            let tables = tables_of((reader, &|_| None), &self.outline, key, [])?;
            ground.columns = Some(LeafColumns::from(tables));
        }
        Ok(ground)
    }

    /// Returns the water and the velocities of a leaf, with its ground.
    fn water(
        &self,
        reader: &Reader,
        key: TileKey,
        ground: Ground,
    ) -> Result<(DrawnLeaf, LeafMaps), FileError> {
        let fault = |what| FileError::Leaf { key, what };
        let mut bytes = Vec::new();
        if !reader.get(Key::of_tile(Layer::Water, key), &mut bytes)? {
            return Err(fault("it is missing"));
        }
        let state: LeafState = leaf::leaf_of(&bytes, &ground.bed).map_err(fault)?;
        if let Some(what) = leaf::fault(&state, &ground, key.level) {
            return Err(fault(what));
        }
        let beyond = state.interfaces.beyond;
        let interfaces = beyond
            .iter()
            .any(Option::is_some)
            .then(|| Box::new(LeafInterfaces { beyond, ..LeafInterfaces::default() }));
        let held = DrawnLeaf { ground: Some(ground), water: Some(state.water), interfaces };
        if !self.has_velocities {
            return Ok((held, self.dry.clone()));
        }
        let of_maps = Key::of_tile(Layer::Maps, key);
        let fault = |what: &str| FileError::Record { key: of_maps, what: what.to_owned() };
        if !reader.get(of_maps, &mut bytes)? {
            return Err(fault("they are missing"));
        }
        let mut all = nothing_seen(self.kinds, self.looked_by);
        take_maps(&bytes, &mut all).map_err(fault)?;
        let mut maps = self.dry.clone();
        maps.planes_mut().velocity.clone_from(&all.velocity);
        Ok((held, maps))
    }
}

/// Returns the maps of a leaf without any observation.
fn nothing_seen(kinds: MapKinds, looked_by: (i32, f64)) -> LeafMaps {
    let ground = Ground::flat(vec![OUTSIDE; TILE_CELLS].into());
    LeafMaps::new(kinds, (&ground, &[0; TILE_CELLS]), looked_by, SimTime::ZERO)
}

impl SurfaceSource {
    /// Creates a source that reads a commit. It decodes no leaf before a surface shows one. If a
    /// mirror does not follow flood maps, velocities are those of the discharges.
    ///
    /// # Errors
    ///
    /// [`FileError::NoWater`], [`FileError::Record`], [`FileError::Store`], [`FileError::World`]
    /// for leaves that cannot be side by side: a mirror of some levels lacks the leaves of the
    /// rest.
    pub fn try_new(reader: Reader, limits: Limits) -> Result<Self, FileError> {
        let mut tally = Tally::of(limits);
        let setup = setup_of(&reader, &mut tally)?;
        let time = time_of(&reader, &mut tally)?;
        let site = DrawnSite::read(&reader, &setup)?;
        let forest = site.forest(&reader)?;
        let count = forest.leaves().len();
        let held = (0..count).map(|_| DrawnLeaf::default()).collect();
        let (maps, changed_at) = (vec![site.dry.clone(); count], vec![reader.generation(); count]);
        let leaves = StoredLeaves { forest, held };
        Ok(Self {
            reader,
            limits,
            site,
            time,
            leaves,
            finest: FinestTiles::default(),
            maps,
            changed_at,
            wanted: vec![false; count],
        })
    }

    /// Returns the simulated time of the commit.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.time
    }

    /// Returns the number of the commit.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.reader.generation()
    }

    /// Returns the leaves of the commit, in the order of the forest.
    #[must_use]
    pub fn leaves(&self) -> &[TileKey] {
        self.leaves.forest.leaves()
    }

    /// Moves on to the newest commit, and returns the leaves that have changed: an empty list if no
    /// commit is newer. Leaves that no surface has read since the last time are given back.
    ///
    /// # Errors
    ///
    /// The errors of [`SurfaceSource::try_new`]; the source keeps its earlier commit then.
    pub fn refresh(&mut self) -> Result<LeafChange, FileError> {
        // Steps that may fail use copies, so after an error the source still shows its commit.
        let mut reader = self.reader.clone();
        if !reader.refresh()? {
            return Ok(LeafChange::default());
        }
        let mut tally = Tally::of(self.limits);
        let site = DrawnSite::read(&reader, &setup_of(&reader, &mut tally)?)?;
        let time = time_of(&reader, &mut tally)?;
        let forest = site.forest(&reader)?;
        let is_gone = |key: &TileKey| forest.find(*key).is_none();
        let gone = self.leaves().iter().copied().filter(is_gone).collect();
        if !site.is_like(&self.site) {
            *self = Self::try_new(reader, self.limits)?;
            return Ok(LeafChange { changed: self.leaves().to_vec(), gone });
        }
        let changes = reader.changes_since(&self.reader)?;
        let new = Renewed::of(&changes, &forest, site.columns);
        self.finest.renew(&changes);
        (self.reader, self.site, self.time) = (reader, site, time);
        Ok(LeafChange { changed: self.renew(forest, &new), gone })
    }

    /// Replaces the leaves by those of a newer commit, and keeps the decoded parts that are still
    /// valid; returns the leaves that have changed.
    fn renew(&mut self, forest: Forest, new: &Renewed) -> Vec<TileKey> {
        let generation = self.reader.generation();
        let (mut changed, mut held) = (Vec::new(), Vec::new());
        let (mut maps, mut changed_at) = (Vec::new(), Vec::new());
        for (_, key) in forest.iter() {
            let old = self.leaves.forest.find(key);
            let (is_ground, is_water) = (new.ground.contains(&key), new.water.contains(&key));
            let stays = old.filter(|_| !is_ground && !is_water);
            changed.extend(stays.is_none().then_some(key));
            changed_at.push(stays.map_or(generation, |old| self.changed_at[old]));
            let kept = old.filter(|old| !is_ground && self.wanted[*old]);
            let mut own = kept
                .map_or_else(DrawnLeaf::default, |old| std::mem::take(&mut self.leaves.held[old]));
            let with_water = kept.filter(|_| !is_water && own.water.is_some());
            own.water = own.water.filter(|_| with_water.is_some());
            held.push(own);
            maps.push(with_water.map_or(&self.site.dry, |old| &self.maps[old]).clone());
        }
        self.wanted = vec![false; held.len()];
        (self.maps, self.changed_at, self.leaves) =
            (maps, changed_at, StoredLeaves { forest, held });
        changed
    }

    /// Decodes some leaves and the leaves around them that surfaces read, and the finest beds below
    /// them that a window reads.
    fn decode(&mut self, shown: Vec<LeafId>, window: Option<&Window>) -> Result<(), FileError> {
        let keys = self.leaves.forest.leaves();
        let below = |window: &Window| {
            let coarse = shown.iter().map(|&leaf| keys[leaf]);
            let coarse = coarse.filter(|key| key.level > window.level);
            coarse.flat_map(|key| FinestTiles::below(window, key)).collect::<BTreeSet<TileKey>>()
        };
        let is_seen_through = |window: &&Window| {
            self.site.columns == ColumnKind::SubGrid && window.level <= BELOW_MOST
        };
        let window = window.filter(is_seen_through);
        let finest = window.map(below).unwrap_or_default();
        let forest = &self.leaves.forest;
        let mut needed: BTreeSet<LeafId> = shown.into_iter().collect();
        for _ in 0..if self.site.has_velocities { 2 } else { 3 } {
            needed = needed.iter().flat_map(|&leaf| forest.near(leaf).chain([leaf])).collect();
        }
        let bytes =
            needed.len() as u64 * LEAF_BYTES + finest.len() as u64 * PageKind::GroundBeds.bytes();
        let checked = self.limits.check_bytes("the leaves that a surface shows", bytes);
        checked.map_err(|over| FileError::Store(over.into()))?;
        needed.iter().for_each(|&leaf| self.wanted[leaf] = true);
        let lacking = needed.into_iter().filter(|&leaf| self.leaves.held[leaf].water.is_none());
        let lacking: Vec<LeafId> = lacking.collect();
        // If reading fails below, these grounds are lost; but their leaves have no water either, so
        // the next call reads both again.
        let grounds = lacking.iter().map(|&leaf| self.leaves.held[leaf].ground.take());
        let grounds: Vec<Option<Ground>> = grounds.collect();
        let (reader, site, keys) = (&self.reader, &self.site, self.leaves.forest.leaves());
        let read = lacking.par_iter().zip(grounds).map(|(&leaf, ground)| {
            let ground = ground.map_or_else(|| site.ground(reader, keys[leaf]), Ok)?;
            site.water(reader, keys[leaf], ground)
        });
        let read: Vec<Result<(DrawnLeaf, LeafMaps), FileError>> = read.collect();
        for (leaf, read) in lacking.into_iter().zip(read) {
            (self.leaves.held[leaf], self.maps[leaf]) = read?;
        }
        let lacking = self.finest.lacking(finest.into_iter());
        Ok(self.finest.read(&StoredBeds::over(&self.reader, &self.site.outline), &lacking)?)
    }

    /// Returns the commit as surfaces read it.
    fn state<'a>(
        &'a self,
        query: Query<'a>,
        changed_at: &'a (dyn Fn(LeafId) -> u64 + Sync),
    ) -> SurfaceState<'a> {
        SurfaceState { query, changed_at, revision: self.reader.generation(), time: self.time }
    }

    fn query(&self) -> Query<'_> {
        let head = self.site.outline.head();
        let cell_width_m = head.cell_width_m * f64::from(1_u32 << self.site.level);
        let query = Query::new(&self.leaves, head.scale, cell_width_m);
        if self.site.has_velocities { query.flowing(&self.maps) } else { query }
    }
}

/// Leaves with parts that were written between two commits.
struct Renewed {
    ground: BTreeSet<TileKey>,
    water: BTreeSet<TileKey>,
}

impl Renewed {
    fn of(changes: &CommitChanges, forest: &Forest, columns: ColumnKind) -> Self {
        let (mut ground, mut water) = (BTreeSet::new(), BTreeSet::new());
        for key in changes.put.iter().chain(&changes.gone) {
            match key.layer {
                Layer::Water | Layer::Maps => _ = water.insert(key.tile),
                Layer::Bed | Layer::Parts if columns == ColumnKind::Flat => {
                    ground.insert(key.tile);
                }
                // Tables depend on the finest beds below a tile and beside it.
                Layer::Bed | Layer::Parts | Layer::Tables => {
                    let around = (-1..=1).flat_map(|y| (-1..=1).map(move |x| (x, y)));
                    let tiles = around.filter_map(|(x, y)| key.tile.beside(x, y));
                    let leaves = tiles.filter_map(|tile| forest.covering(tile));
                    ground.extend(leaves.map(|leaf| forest.leaves()[leaf]));
                }
                _ => {}
            }
        }
        Self { ground, water }
    }
}

/// Returns the simulated time of a commit.
fn time_of(reader: &Reader, tally: &mut Tally) -> Result<SimTime, FileError> {
    let state = run_of(reader, tally)?.state();
    let none = || record_fault(Layer::Run, "one of its numbers is out of range");
    Ok(state.ok_or_else(none)?.time)
}

impl Surface {
    /// Brings the surface up to date with a commit, as [`Surface::update`] does with a world.
    /// Before a change to a different source, or from a source to a world, call
    /// [`Surface::forget`].
    ///
    /// # Errors
    ///
    /// [`FileError`] names the leaf or record that cannot be read, or the limit; the surface is
    /// unchanged then.
    pub fn update_from(&mut self, source: &mut SurfaceSource) -> Result<Vec<Window>, FileError> {
        let shown = source.leaves.forest.iter().filter(|(_, key)| self.shows(*key));
        let shown = shown.map(|(leaf, _)| leaf).collect();
        source.decode(shown, Some(&self.window()))?;
        let changed_at = |leaf: LeafId| source.changed_at[leaf];
        let query = source.query().on_beds(Some(&source.finest));
        Ok(self.follow(&source.state(query, &changed_at)))
    }
}

impl SurfaceMesh {
    /// Brings the meshes up to date with a commit, as [`SurfaceMesh::update`] does with a world. A
    /// different source needs a new `SurfaceMesh`.
    ///
    /// # Errors
    ///
    /// [`FileError`] names the leaf or record that cannot be read, or the limit; the meshes are
    /// unchanged then.
    pub fn update_from(&mut self, source: &mut SurfaceSource) -> Result<MeshChange, FileError> {
        let shown = self.shown(&source.query());
        source.decode(shown, None)?;
        let changed_at = |leaf: LeafId| source.changed_at[leaf];
        Ok(self.follow(&source.state(source.query(), &changed_at)))
    }
}
