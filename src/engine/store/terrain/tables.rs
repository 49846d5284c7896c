//! Tables of sub-grid columns in a store: layer [`Layer::Tables`].
//!
//! Tables of a coarse tile are made from all finest beds below it, which takes long; so they are
//! made once, and stored from level [`STORED_FROM`] on. Tables of finer tiles are made when they
//! are needed: from fewer bytes of beds than the tables have.
//!
//! ```text
//! part 0        stages, crests, parts of cells outside the world
//! part 1, 2     openings of west and south faces, then of those along the east or north side
//! part 3 …      openings of faces to the outside, 4096 a part
//! ```
//!
//! The layer follows from the beds. Each extent begins with the number of the rule by which it was
//! made; tables of a different rule count as missing, and [`make_tables`] makes the missing ones. A
//! caller that changes beds must bring the tables up to date in the same commit: [`renew_tables`].
//!
//! Guarantees: tables that are read are equal to newly made ones (`stored_tables_are_those_made`).
//! Limits:     a checksum finds damage, but an extent forged with its checksum gives a world
//!             different tables; numbers that no table can have are refused.

use crate::grid::cells::TILE_WIDTH_U32;
use crate::grid::cells::WorldCell;
use crate::grid::{Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::store::codec::{Bytes, Corrupt, TileIntegers, decode_ints, encode_ints};
use crate::store::terrain::tiles::StoredPlane;
use crate::store::terrain::{StoredBeds, TerrainOutline};
use crate::store::{Extents, Key, Layer, Reader, Store, StoreError};
use crate::tile::columns::build::{CellBlock, FinestBeds, TableBeds, add_from_tiles};
use crate::tile::columns::numbers::{OPENING_NUMBERS, STAGE_NUMBERS};
use crate::tile::columns::openings::OpeningTable;
use crate::tile::columns::stages::StageTable;
use crate::tile::columns::{Columns, InsideParts, Openings, Stages};
use crate::units::OUTSIDE;
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Finest level whose tables are stored.
pub const STORED_FROM: u8 = 4;

/// Most parts of the tables of a tile.
pub(super) const TABLE_PARTS: u16 = 3 + 4;

/// The rule by which this build makes tables: it is raised when the same beds give different
/// tables.
const RULE: u8 = 1;

/// Tables made between two commits: at most this many are lost by an interruption.
const COMMIT: usize = 128;

fn key_of(tile: TileKey, part: u16) -> Key {
    Key { layer: Layer::Tables, tile, part }
}

fn damaged(key: Key) -> StoreError {
    StoreError::Damaged { key: Some(key), what: "they do not decode" }
}

/// Appends numbers of up to 4096 tables, number by number as planes.
fn put_planes<const N: usize>(out: &mut Vec<u8>, tables: &[[i32; N]]) {
    for number in 0..N {
        let mut plane = [0; TILE_CELLS];
        for (cell, table) in plane.iter_mut().zip(tables) {
            *cell = table[number];
        }
        let at = out.len();
        out.extend([0; 4]);
        encode_ints(&plane, out);
        let count = u32::try_from(out.len() - at - 4).expect("a plane of 16 KiB");
        out[at..at + 4].copy_from_slice(&count.to_le_bytes());
    }
}

fn take_planes<const N: usize>(
    bytes: &mut Bytes<'_>,
    count: usize,
) -> Result<Vec<[i32; N]>, Corrupt> {
    let mut tables = vec![[0; N]; count];
    let mut plane: TileIntegers = [0; TILE_CELLS];
    for number in 0..N {
        let count = u32::from_le_bytes(bytes.take_array()?);
        decode_ints(bytes.take(count as usize)?, &mut plane)?;
        for (cell, table) in plane.iter().zip(&mut tables) {
            table[number] = *cell;
        }
    }
    Ok(tables)
}

fn openings_of(numbers: &[[i32; OPENING_NUMBERS]]) -> Option<Openings> {
    let faces = numbers.iter().map(OpeningTable::of_numbers).collect::<Option<_>>()?;
    Some(Openings { faces })
}

fn numbers_of(openings: &Openings) -> Vec<[i32; OPENING_NUMBERS]> {
    openings.faces.iter().map(OpeningTable::numbers).collect()
}

/// Returns the extents of the tables of a tile.
#[must_use]
pub fn tables_extents(tile: TileKey, tables: &Columns) -> Vec<(Key, Vec<u8>)> {
    let Columns { stages, parts, divided, faces, boundary, boundary_faces, far } = tables;
    let mut extents = Vec::new();
    let mut first = vec![RULE, u8::from(parts.is_some())];
    let count = u16::try_from(boundary_faces.len()).expect("four of each of 4096 cells");
    first.extend(count.to_le_bytes());
    let numbers: Vec<_> = stages.cells.iter().map(StageTable::numbers).collect();
    put_planes(&mut first, &numbers);
    let numbers: Vec<_> = divided.iter().map(|&bits| [i32::from(bits)]).collect();
    put_planes(&mut first, &numbers);
    if let Some(parts) = parts {
        let inside = |cell| parts.inside(cell).cast_signed();
        let of_cell = |cell| [inside(cell), i32::from(parts.quarters(cell))];
        put_planes(&mut first, &(0..TILE_CELLS).map(of_cell).collect::<Vec<_>>());
    }
    extents.push((key_of(tile, 0), first));
    for (part, (faces, far)) in (1..).zip(faces.iter().zip(far)) {
        let mut bytes = vec![RULE];
        put_planes(&mut bytes, &numbers_of(faces));
        bytes.extend(numbers_of(far).iter().flatten().flat_map(|number| number.to_le_bytes()));
        extents.push((key_of(tile, part), bytes));
    }
    let of_boundary = numbers_of(boundary);
    let chunks = boundary_faces.chunks(TILE_CELLS).zip(of_boundary.chunks(TILE_CELLS));
    for (part, (places, numbers)) in (3..).zip(chunks) {
        let mut bytes = vec![RULE];
        let place = |&(cell, side): &(u16, Side)| [i32::from(cell) * 4 + side as i32];
        put_planes(&mut bytes, &places.iter().map(place).collect::<Vec<_>>());
        put_planes(&mut bytes, numbers);
        extents.push((key_of(tile, part), bytes));
    }
    extents
}

/// Reads the tables of a tile; returns `None` if they are missing, or of a different rule.
///
/// # Errors
///
/// [`StoreError::Damaged`] names the part that differs from the written one.
pub fn read_tables(store: &dyn Extents, tile: TileKey) -> Result<Option<Columns>, StoreError> {
    let mut bytes = Vec::new();
    let key = key_of(tile, 0);
    if !store.get(key, &mut bytes)? || bytes.first() != Some(&RULE) {
        return Ok(None);
    }
    let (mut columns, boundary) = first_part(tile, &bytes).ok_or_else(|| damaged(key))?;
    for part in 1..3 {
        let key = key_of(tile, part);
        let is_there = store.get(key, &mut bytes)?;
        let faces = if is_there { face_part(&bytes) } else { None };
        let axis = usize::from(part) - 1;
        (columns.faces[axis], columns.far[axis]) = faces.ok_or_else(|| damaged(key))?;
    }
    let (mut places, mut tables) = (Vec::new(), Vec::new());
    for part in (3..).take(boundary.div_ceil(TILE_CELLS)) {
        let (key, count) = (key_of(tile, part), TILE_CELLS.min(boundary - places.len()));
        let is_there = store.get(key, &mut bytes)?;
        let more = if is_there { boundary_part(&bytes, count) } else { None };
        let (more, openings) = more.ok_or_else(|| damaged(key))?;
        places.extend(more);
        tables.extend(openings.faces);
    }
    if !places.is_sorted_by(|a, b| a < b) {
        return Err(damaged(key_of(tile, 3)));
    }
    columns.boundary = Openings { faces: tables.into() };
    columns.boundary_faces = places.into();
    Ok(Some(columns))
}

/// Returns the tables of part 0, without openings, and the number of faces to the outside.
fn first_part(tile: TileKey, bytes: &[u8]) -> Option<(Columns, usize)> {
    let mut bytes = Bytes(bytes);
    let [_, has_parts] = bytes.take_array().ok()?;
    let boundary = usize::from(u16::from_le_bytes(bytes.take_array().ok()?));
    let numbers = take_planes::<STAGE_NUMBERS>(&mut bytes, TILE_CELLS).ok()?;
    let cells = numbers.iter().map(StageTable::of_numbers).collect::<Option<_>>()?;
    let divided = take_planes::<1>(&mut bytes, TILE_CELLS).ok()?;
    // A number of bits of a depth, which has 31 at most.
    let bits = |&[bits]: &[i32; 1]| u8::try_from(bits).ok().filter(|&bits| bits <= 31);
    let divided = divided.iter().map(bits).collect::<Option<_>>()?;
    let parts = match has_parts {
        0 => None,
        1 => {
            let [inside, quarters] = [0, 1].map(|which| move |both: &[i32; 2]| both[which]);
            let both = take_planes::<2>(&mut bytes, TILE_CELLS).ok()?;
            let inside: Vec<i32> = both.iter().map(inside).collect();
            let quarters: Vec<i32> = both.iter().map(quarters).collect();
            Some(InsideParts::of_numbers(tile.level, &inside, &quarters)?)
        }
        _ => return None,
    };
    bytes.end().ok()?;
    (boundary <= 4 * TILE_CELLS).then_some(())?;
    let columns = Columns {
        stages: Stages { cells },
        parts,
        divided,
        faces: [Openings::closed(0), Openings::closed(0)],
        boundary: Openings::closed(0),
        boundary_faces: Box::default(),
        far: [Openings::closed(0), Openings::closed(0)],
    };
    Some((columns, boundary))
}

/// Returns the openings of part 1 or 2: of faces of cells, and of faces along a side.
fn face_part(bytes: &[u8]) -> Option<(Openings, Openings)> {
    let mut bytes = Bytes(bytes);
    (bytes.take_byte().ok()? == RULE).then_some(())?;
    let faces = openings_of(&take_planes(&mut bytes, TILE_CELLS).ok()?)?;
    let mut far = [[0; OPENING_NUMBERS]; TILE_WIDTH];
    for number in far.iter_mut().flatten() {
        *number = i32::from_le_bytes(bytes.take_array().ok()?);
    }
    bytes.end().ok()?;
    Some((faces, openings_of(&far)?))
}

/// Returns `count` faces to the outside and their openings.
fn boundary_part(bytes: &[u8], count: usize) -> Option<(Vec<(u16, Side)>, Openings)> {
    let mut bytes = Bytes(bytes);
    (bytes.take_byte().ok()? == RULE).then_some(())?;
    let places = take_planes::<1>(&mut bytes, count).ok()?;
    let place = |&[place]: &[i32; 1]| {
        let cell = u16::try_from(place / 4).ok().filter(|&cell| usize::from(cell) < TILE_CELLS)?;
        Some((cell, *Side::ALL.get(usize::try_from(place % 4).ok()?)?))
    };
    let places = places.iter().map(place).collect::<Option<_>>()?;
    let openings = openings_of(&take_planes(&mut bytes, count).ok()?)?;
    bytes.end().ok()?;
    Some((places, openings))
}

/// The beds of a world in a store, from which the tables of one tile are made; the first error of
/// reading is kept, and unreadable tiles count as outside.
struct TileBeds<'a> {
    stored: StoredBeds<'a>,
    /// Beds that are newer than the stored ones.
    newer: &'a Newer<'a>,
    level: u8,
    at_hand: RefCell<AtHand>,
    most: usize,
    error: RefCell<Option<StoreError>>,
}

/// Tiles that were read last, by key and in the order of reading.
#[derive(Default)]
struct AtHand {
    planes: BTreeMap<TileKey, Box<StoredPlane>>,
    order: VecDeque<TileKey>,
}

impl<'a> TileBeds<'a> {
    fn new((stored, newer): (StoredBeds<'a>, &'a Newer<'a>), level: u8) -> Self {
        // Rows of cells are processed from west to east, each with the row to its south: the finest
        // tiles below them, and a coarse tile with the ones around it.
        let across = 2 + (1_usize << level);
        // 9: the coarse tile and its neighbours. `across`: the 2^level finest tiles below it, and
        // one on either side. A cell is 2^level finest cells high: up to level 6 it is within one
        // row of finest tiles, above that it has 2^(level − 6) rows. Twice, because of the row to
        // the south.
        let most = 9 + 2 * across * (1 << level.saturating_sub(6));
        let (at_hand, error) = (RefCell::default(), RefCell::default());
        Self { stored, newer, level, at_hand, most, error }
    }

    /// Shows the beds of a tile.
    fn look<T>(&self, tile: TileKey, look: impl FnOnce(&StoredPlane) -> T) -> T {
        let AtHand { planes, order } = &mut *self.at_hand.borrow_mut();
        if let Some(plane) = planes.get(&tile) {
            return look(plane);
        }
        let last = if order.len() < self.most { None } else { order.pop_front() };
        let last = last.and_then(|last| planes.remove(&last));
        let mut plane = last.unwrap_or_else(|| Box::new([OUTSIDE; TILE_CELLS]));
        if let Some(newer) = (self.newer)(tile) {
            *plane = newer;
        } else if let Err(error) = self.stored.read(tile, &mut plane) {
            self.error.borrow_mut().get_or_insert(error);
            plane.fill(OUTSIDE);
        }
        order.push_back(tile);
        look(planes.entry(tile).or_insert(plane))
    }

    /// Returns the tile of a level that contains a cell, and the column and row in it; `None`
    /// beyond the map.
    fn tile_of(&self, level: u8, (x, y): WorldCell) -> Option<(TileKey, usize, usize)> {
        let (width, height) = self.stored.head().size(level);
        let (x, y) = (usize::try_from(x).ok()?, usize::try_from(y).ok()?);
        (x < width && y < height).then_some(())?;
        let number = |i: usize| u32::try_from(i / TILE_WIDTH).expect("2¹⁴ tiles a side at most");
        Some((TileKey { level, x: number(x), y: number(y) }, x % TILE_WIDTH, y % TILE_WIDTH))
    }
}

impl TableBeds for TileBeds<'_> {
    fn coarse(&self, place: WorldCell) -> i32 {
        self.tile_of(self.level, place)
            .map_or(OUTSIDE, |(tile, x, y)| self.look(tile, |plane| plane[y * TILE_WIDTH + x]))
    }
}

impl FinestBeds for TileBeds<'_> {
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>) {
        add_from_tiles(place, width, beds, |(column, row), show| {
            let corner = (column * TILE_WIDTH as i64, row * TILE_WIDTH as i64);
            if let Some((tile, ..)) = self.tile_of(0, corner) {
                self.look(tile, |plane| show(plane));
            }
        });
    }
}

/// Beds of a tile that are newer than those in a store.
type Newer<'a> = dyn Fn(TileKey) -> Option<StoredPlane> + 'a;

/// Returns the tables of a tile: from a store, or made from beds if the stored ones are missing,
/// damaged, or do not fit its ground. `newer` gives the beds of `edited` tiles, and of coarser
/// tiles above them.
///
/// # Errors
///
/// The errors of [`StoredBeds::read`], and of reading the store.
pub fn tables_of(
    (store, newer): (&dyn Extents, &Newer<'_>),
    outline: &TerrainOutline,
    tile: TileKey,
    edited: impl IntoIterator<Item = TileKey>,
) -> Result<Columns, StoreError> {
    match read_tables(store, tile) {
        Ok(Some(mut tables)) if fit(store, outline, (tile, &tables))? => {
            renew_tables_of((store, newer), outline, (tile, &mut tables), edited)?;
            Ok(tables)
        }
        Ok(_) | Err(StoreError::Damaged { .. }) => made_tables((store, newer), outline, tile),
        Err(error) => Err(error),
    }
}

/// Makes the tables of a tile from the beds in a store and newer ones.
///
/// # Errors
///
/// The errors of [`StoredBeds::read`].
fn made_tables(
    (store, newer): (&dyn Extents, &Newer<'_>),
    outline: &TerrainOutline,
    tile: TileKey,
) -> Result<Columns, StoreError> {
    let beds = TileBeds::new((StoredBeds::over(store, outline), newer), tile.level);
    let columns = Columns::of(tile, &beds);
    beds.error.into_inner().map_or(Ok(columns), Err)
}

/// Brings the tables of a tile up to date with the beds in a store and newer ones; some of its
/// finest tiles were edited since the tables were made.
///
/// # Errors
///
/// The errors of [`StoredBeds::read`].
fn renew_tables_of(
    (store, newer): (&dyn Extents, &Newer<'_>),
    outline: &TerrainOutline,
    (tile, columns): (TileKey, &mut Columns),
    edited: impl IntoIterator<Item = TileKey>,
) -> Result<(), StoreError> {
    let beds = TileBeds::new((StoredBeds::over(store, outline), newer), tile.level);
    for finest in edited.into_iter().filter(|finest| looks_at(tile, *finest)) {
        let cell = |at: u32| i64::from(at) >> tile.level;
        let corner = finest.corner();
        let (from, last) = ((cell(corner.x), cell(corner.y)), TILE_WIDTH_U32 - 1);
        let to = (cell(corner.x + last) + 1, cell(corner.y + last) + 1);
        columns.renew(tile, &beds, CellBlock { from, to });
    }
    beds.error.into_inner().map_or(Ok(()), Err)
}

/// Whether tables have the cells and faces of the ground in a store: forged ones may not.
///
/// # Errors
///
/// The errors of [`StoredBeds::read`].
fn fit(
    store: &dyn Extents,
    outline: &TerrainOutline,
    (tile, columns): (TileKey, &Columns),
) -> Result<bool, StoreError> {
    // Without newer beds: stored tables were made from stored beds, and are renewed afterwards.
    let beds = TileBeds::new((StoredBeds::over(store, outline), &|_| None), tile.level);
    let fit = columns.fit(tile, &beds);
    beds.error.into_inner().map_or(Ok(fit), Err)
}

/// Whether tables of a tile depend on a finest tile: it is below the tile, or beside that.
#[must_use]
pub fn looks_at(tile: TileKey, finest: TileKey) -> bool {
    let [x, y] = [finest.x >> tile.level, finest.y >> tile.level];
    x.abs_diff(tile.x) <= 1 && y.abs_diff(tile.y) <= 1
}

/// Returns the tiles for which a store lacks tables, the coarsest first: they take longest.
fn lacking(reader: &Reader, outline: &TerrainOutline) -> Result<Vec<TileKey>, StoreError> {
    let mut parts: BTreeMap<TileKey, u16> = BTreeMap::new();
    let (keys, mut bytes) = (reader.keys_of(Layer::Tables)?, Vec::new());
    // All tables are made by one rule at a time: the first has its number.
    let is_of_rule = match keys.first() {
        None => false,
        Some(&first) => match reader.get(first, &mut bytes) {
            Ok(is_there) => is_there && bytes.first() == Some(&RULE),
            Err(StoreError::Damaged { .. }) => false,
            Err(error) => return Err(error),
        },
    };
    // Parts from 3 on exist only if the tile has faces to the outside.
    for key in keys.into_iter().filter(|key| is_of_rule && key.part < 3) {
        *parts.entry(key.tile).or_default() += 1;
    }
    let there: BTreeSet<TileKey> =
        parts.into_iter().filter_map(|(tile, count)| (count == 3).then_some(tile)).collect();
    let stored = StoredBeds::over(reader, outline);
    let levels = (STORED_FROM..=outline.head().coarsest).rev();
    let tiles = levels.flat_map(|level| stored.tiles(level));
    Ok(tiles.filter(|tile| !there.contains(tile)).collect())
}

/// Makes the tables that the last commit of a store lacks, and commits them from time to time: an
/// interrupted run can be continued. Returns the number of tiles. `watch` is called with the share
/// that is done.
///
/// # Errors
///
/// Errors of reading and writing. Earlier commits are intact.
pub fn make_tables(store: &mut Store, watch: &mut dyn FnMut(f64)) -> Result<u64, StoreError> {
    let reader = store.reader();
    let outline = StoredBeds::open(&reader)?.outline();
    let tiles = lacking(&reader, &outline)?;
    if tiles.is_empty() {
        return Ok(0);
    }
    store.must_write()?;
    // Tables of a different rule are removed together, before the first new one is written.
    let old: BTreeSet<TileKey> = tiles.iter().copied().collect();
    for key in reader.keys_of(Layer::Tables)?.into_iter().filter(|key| old.contains(&key.tile)) {
        store.remove(key)?;
    }
    // The store takes extents from one thread: this bounds the tables that wait for it in memory.
    let batch = 2 * rayon::current_num_threads();
    let mut done = 0;
    for tiles_of_commit in tiles.chunks(COMMIT) {
        for some in tiles_of_commit.chunks(batch) {
            let made = |&tile: &TileKey| {
                let columns = made_tables((&reader, &|_| None), &outline, tile)?;
                Ok::<_, StoreError>(tables_extents(tile, &columns))
            };
            // Each tile is a task: a coarse one takes far longer than a fine one.
            let made: Vec<_> = some.par_iter().with_max_len(1).map(made).collect();
            for extents in made {
                for (key, bytes) in extents? {
                    store.put(key, &bytes)?;
                }
                done += 1;
            }
            #[expect(clippy::cast_precision_loss, reason = "a share of the work")]
            watch(done as f64 / tiles.len() as f64);
        }
        store.commit()?;
    }
    Ok(done)
}

/// Brings the tables in a store up to date with beds of tiles that were changed since; tables that
/// cannot be read are removed.
///
/// # Errors
///
/// Errors of reading and writing the store.
pub fn renew_tables(store: &mut Store, edited: &[TileKey]) -> Result<(), StoreError> {
    let finest: Vec<TileKey> = edited.iter().filter(|tile| tile.level == 0).copied().collect();
    if finest.is_empty() {
        return Ok(());
    }
    let keys = store.keys_of(Layer::Tables)?;
    let mut tiles: Vec<TileKey> = keys.iter().map(|key| key.tile).collect();
    // Keys are in order, so the parts of a tile follow one another.
    tiles.dedup();
    tiles.retain(|&tile| finest.iter().any(|&finest| looks_at(tile, finest)));
    if tiles.is_empty() {
        return Ok(());
    }
    let outline = StoredBeds::open(store)?.outline();
    for tile in tiles {
        let renewed = match read_tables(store, tile) {
            Ok(Some(mut columns)) => {
                let edited = finest.iter().copied();
                renew_tables_of((store, &|_| None), &outline, (tile, &mut columns), edited)?;
                tables_extents(tile, &columns)
            }
            Ok(None) | Err(StoreError::Damaged { .. }) => Vec::new(),
            Err(error) => return Err(error),
        };
        for key in keys.iter().filter(|key| key.tile == tile && renewed.is_empty()) {
            store.remove(*key)?;
        }
        for (key, bytes) in renewed {
            store.put(key, &bytes)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::backend::memory::Memory;
    use crate::store::terrain::{tile_extents, write_terrain};
    use crate::terrain::{Edit, Shape, Terrain, TerrainBuilder, TerrainOptions};
    use crate::tile::columns::build::BedPlanes;
    use crate::units::VerticalScale;
    use crate::units::hash::scramble;

    const WIDTH: usize = 1400;
    const HEIGHT: usize = 1100;

    /// Returns rough ground with holes and walls, and some isolated cells.
    fn terrain() -> Terrain {
        let scale = VerticalScale::try_new(20, 0.0).expect("in range");
        let options = TerrainOptions {
            width: WIDTH,
            height: HEIGHT,
            cell_width_m: 1.0,
            scale,
            bed_exponent: 10,
        };
        let mut builder = TerrainBuilder::try_new(options).expect("good");
        for y in (0..HEIGHT).rev() {
            let height = |x: usize| {
                let draw = scramble((x << 20 | y) as u64);
                let is_hole =
                    x.abs_diff(900) < 150 && y.abs_diff(700) < 90 && !draw.is_multiple_of(9);
                let rough = (draw % 1000) as f64 * 0.001;
                let wall = if (3 * x + y) % 97 < 3 { 4.0 } else { 0.0 };
                if is_hole { f64::NAN } else { 0.01 * x as f64 + rough + wall }
            };
            builder.push_row(&(0..WIDTH).map(height).collect::<Vec<_>>()).expect("good");
        }
        builder.finish().expect("good")
    }

    fn of_memory(terrain: &Terrain, tile: TileKey) -> Columns {
        let beds = |level| terrain.level(level).expect("a level it has").plane();
        Columns::of(tile, &BedPlanes { coarse: beds(tile.level), finest: beds(0) })
    }

    fn stored(terrain: &Terrain) -> Store {
        let mut store = Store::create_on(Box::new(Memory::default())).expect("a new store");
        write_terrain(terrain, &mut store).expect("written");
        store.commit().expect("committed");
        store
    }

    /// Goal: tables made from stored beds are equal to tables made in memory, and are read as they
    /// were stored. Method: all tiles of all levels of a terrain with holes and a border.
    #[test]
    fn stored_tables_are_those_made() {
        let terrain = terrain();
        let mut store = stored(&terrain);
        let outline = StoredBeds::open(&store).expect("whole").outline();
        let all = |level| StoredBeds::over(&store, &outline).tiles(level);
        let tiles: Vec<Vec<TileKey>> = (1..=outline.head().coarsest).map(all).collect();
        for &tile in tiles.iter().flatten() {
            let made = made_tables((&store, &|_| None), &outline, tile).expect("whole");
            assert!(made == of_memory(&terrain, tile), "{tile:?}");
        }
        let count: usize = tiles[3..].iter().map(Vec::len).sum();
        assert_eq!(make_tables(&mut store, &mut |_| ()).expect("made"), count as u64);
        assert_eq!(make_tables(&mut store, &mut |_| ()).expect("nothing to do"), 0);
        let (mut ragged, mut bordered) = (0, 0);
        for &tile in tiles.iter().flatten() {
            let read = read_tables(&store, tile).expect("whole");
            assert_eq!(read.is_some(), tile.level >= STORED_FROM, "{tile:?}");
            let Some(read) = read else { continue };
            (ragged, bordered) =
                (ragged + u32::from(read.parts.is_some()), bordered + read.boundary_faces.len());
            assert!(read == of_memory(&terrain, tile), "{tile:?}");
        }
        assert!(ragged > 0 && bordered > 100, "{ragged}, {bordered}");
    }

    /// Goal: any changed byte of tables gives an error or different tables, never a panic and never
    /// numbers that no table can have.
    #[test]
    fn forged_tables_are_refused_or_tables() {
        let terrain = terrain();
        let tile = TileKey { level: 4, x: 0, y: 0 };
        let extents = tables_extents(tile, &of_memory(&terrain, tile));
        let mut refused = 0;
        for round in 0..2_000_u64 {
            let draw = |salt: u64| (scramble(round << 8 | salt) >> 40) as usize;
            let (key, bytes) = &extents[draw(0) % extents.len()];
            let mut bytes = bytes.clone();
            let at = draw(1) % bytes.len().min([8, 4096, usize::MAX][draw(2) % 3]);
            bytes[at] ^= 1 << (draw(3) % 8);
            let is_some = match key.part {
                0 => first_part(tile, &bytes).is_some(),
                1 | 2 => face_part(&bytes).is_some(),
                _ => boundary_part(&bytes, 9).is_some(),
            };
            refused += u32::from(!is_some);
        }
        assert!((200..2_000).contains(&refused), "{refused} of 2,000");
    }

    /// Goal: tables of and beside edited ground are made from the new beds; the remaining tables
    /// are unchanged.
    #[test]
    fn tables_follow_edited_ground() {
        let mut terrain = terrain();
        let mut store = stored(&terrain);
        make_tables(&mut store, &mut |_| ()).expect("made");
        let shape = Shape::Disc { centre_m: [1030.0, 300.0], radius_m: 25.0, rim_m: 9.0 };
        let changed = terrain.edit(&Edit::Raise { shape, by_m: 2.0 }).expect("a mound");
        let edited: Vec<TileKey> =
            (0..=terrain.coarsest()).flat_map(|level| changed.tiles(level)).collect();
        for (key, bytes) in edited.iter().flat_map(|&tile| tile_extents(&terrain, tile)) {
            store.put(key, &bytes).expect("put");
        }
        renew_tables(&mut store, &edited).expect("renewed");
        store.commit().expect("committed");
        let keys = store.keys_of(Layer::Tables).expect("keys");
        for key in keys.iter().filter(|key| key.part == 0) {
            let read = read_tables(&store, key.tile).expect("whole").expect("there");
            assert!(read == of_memory(&terrain, key.tile), "{:?}", key.tile);
        }
        assert_eq!(make_tables(&mut store, &mut |_| ()).expect("made"), 0);
    }

    /// Goal: only missing and damaged tables are made again.
    #[test]
    fn what_is_missing_is_made_again() {
        let terrain = terrain();
        let mut store = stored(&terrain);
        let all = make_tables(&mut store, &mut |_| ()).expect("made");
        let tile = TileKey { level: 4, x: 1, y: 0 };
        store.remove(key_of(tile, 2)).expect("removed");
        store.commit().expect("committed");
        assert!(read_tables(&store, tile).is_err());
        assert_eq!(make_tables(&mut store, &mut |_| ()).expect("made"), 1);
        assert!(read_tables(&store, tile).expect("whole") == Some(of_memory(&terrain, tile)));
        let first = key_of(TileKey { level: 4, x: 0, y: 0 }, 0);
        store.put(first, &[RULE + 1]).expect("put");
        store.commit().expect("committed");
        assert_eq!(make_tables(&mut store, &mut |_| ()).expect("made"), all, "of another rule");
    }
}
