//! A check of the terrain in a store: every extent, every mean.
//!
//! The tiles are read from the coarsest level down and compared on the way up, each with the sums
//! of the ground below it, so each is read once and little memory is needed.
//!
//! Guarantees: all damage is reported, an extent at a time (`every_damage_is_found`).
//! Limits:     above a finest tile that cannot be read, means are not compared.

use crate::grid::blocks::{blocks, four_of};
use crate::grid::{TILE_CELLS, TileKey};
use crate::store::terrain::tables::{STORED_FROM, TABLE_PARTS, read_tables};
use crate::store::terrain::tiles::StoredPlane;
use crate::store::terrain::{StoredBeds, read_georeference, tiles};
use crate::store::{Key, Layer, Store, StoreError};
use crate::units::OUTSIDE;

/// An extent that differs from the one that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    /// Key of the extent; `None` for the directory.
    pub key: Option<Key>,
    /// Fault of the extent.
    pub what: String,
    /// Whether the damage is in the commit before the last one: a damaged file then has no commit
    /// to fall back to, but the last commit does not need the extent, and the next commit replaces
    /// it.
    pub is_before: bool,
}

impl Damage {
    /// Creates the damage of an extent of the last commit, or of one that it keeps.
    #[must_use]
    pub fn new(key: Option<Key>, what: String) -> Self {
        Self { key, what, is_before: false }
    }
}

/// Returns all damage in a store; `watch` is called from time to time with the share that is done.
///
/// # Errors
///
/// Errors of the operating system, and [`StoreError::Overtaken`].
pub fn check_terrain(store: &Store, watch: &mut dyn FnMut(f64)) -> Result<Vec<Damage>, StoreError> {
    let (mut found, mut keys) = (Vec::new(), Vec::new());
    let verified = store.verify(|key, _| keys.push(key))?;
    if verified.lost_pages > 0 {
        let what =
            format!("{} of its pages are damaged: what they list is lost", verified.lost_pages);
        found.push(Damage::new(None, what));
    }
    if let Some((counted, listed)) = verified.miscounted {
        let what = format!("its superblock counts {counted} extents, and it lists {listed}");
        found.push(Damage::new(None, what));
    }
    for key in verified.before_damaged {
        let what = "it is damaged as the commit before the last one has it".to_owned();
        found.push(Damage { key, what, is_before: true });
    }
    for (commit, key) in verified.kept_damaged {
        let what = match (commit, key) {
            (None, _) => "the list of kept commits is damaged: none of them can be read".to_owned(),
            (Some(commit), None) => {
                format!("a part of that of kept commit {commit} is damaged: forget that commit")
            }
            (Some(commit), Some(_)) => {
                format!("it is damaged as kept commit {commit} has it: forget that commit")
            }
        };
        found.push(Damage::new(key, what));
    }
    for key in verified.damaged {
        if let Err(error) = store.get(key, &mut Vec::new()) {
            note(error, &mut found)?;
        }
    }
    if let Err(error) = read_georeference(store) {
        note(error, &mut found)?;
    }
    let stored = match StoredBeds::open(store) {
        Ok(stored) => stored,
        Err(error) => return note(error, &mut found).map(|()| in_order(found)),
    };
    for key in keys {
        // The content of layers of later builds is not checked here.
        let (levels, parts) = match key.layer {
            Layer::Bed => (0, 1),
            Layer::Parts => (1, 1),
            Layer::Tables => (STORED_FROM, TABLE_PARTS),
            _ => continue,
        };
        let is_known = key.tile.level <= stored.head().coarsest && stored.outline.has(key.tile);
        if key.part >= parts || key.tile.level < levels || !is_known {
            let what = "the world has no such extent: beyond the map, or where it has no ground";
            found.push(Damage::new(Some(key), what.to_owned()));
        } else if key.layer == Layer::Tables && key.part == 0 {
            read_tables(store, key.tile).map(drop).or_else(|error| note(error, &mut found))?;
        }
    }
    let total = (0..=stored.head().coarsest).map(|level| stored.tiles(level).len()).sum();
    let mut check = Check { store, stored: &stored, found, done: 0, total, watch };
    for tile in stored.tiles(stored.head().coarsest) {
        check.tile(tile)?;
    }
    Ok(in_order(check.found))
}

/// Sorts damage by key and removes repetitions.
fn in_order(mut found: Vec<Damage>) -> Vec<Damage> {
    found.sort_by(|a, b| (a.key, &a.what).cmp(&(b.key, &b.what)));
    found.dedup();
    found
}

/// Adds an error to `found` if it is damage, and returns it otherwise.
fn note(error: StoreError, found: &mut Vec<Damage>) -> Result<(), StoreError> {
    match error {
        StoreError::Damaged { key, what } => {
            found.push(Damage::new(key, what.to_owned()));
            Ok(())
        }
        other => Err(other),
    }
}

/// Sums over the finest cells below the cells of a tile.
struct BedSums {
    /// Mean beds, as in a pyramid.
    bed: Box<[i32]>,
    /// Sum of finest beds with ground.
    sum: Box<[i64]>,
    /// Number of finest cells with ground.
    count: Box<[u32]>,
}

struct Check<'a> {
    store: &'a Store,
    stored: &'a StoredBeds<'a>,
    found: Vec<Damage>,
    done: usize,
    total: usize,
    watch: &'a mut dyn FnMut(f64),
}

impl Check<'_> {
    /// Checks a tile with ground and all below it; returns `None` if some of it cannot be read.
    fn tile(&mut self, tile: TileKey) -> Result<Option<BedSums>, StoreError> {
        let mut plane = [OUTSIDE; TILE_CELLS];
        let is_read = match self.stored.read(tile, &mut plane) {
            Ok(_) => true,
            Err(error) => note(error, &mut self.found).map(|()| false)?,
        };
        self.done += 1;
        if self.done.is_multiple_of(64) {
            #[expect(clippy::cast_precision_loss, reason = "a share of the work")]
            (self.watch)(self.done as f64 / self.total as f64);
        }
        if tile.level == 0 {
            return Ok(is_read.then(|| BedSums::finest(&plane)));
        }
        let parts = self.parts(tile)?;
        let mut sums = Some(BedSums::none());
        for quadrant in 0..4 {
            let child = tile.child(quadrant);
            if self.stored.outline.has(child) {
                let below = self.tile(child)?;
                sums = sums.zip(below).map(|(sums, below)| sums.over(quadrant, &below));
            }
        }
        if let Some(sums) = &mut sums {
            sums.close(tile.level);
            if is_read {
                self.compare(Layer::Bed, tile, sums.strangers(&plane));
            }
            if let Some(parts) = parts {
                let whole = 1_u32 << (2 * tile.level);
                let is_part = |count: u32| count > 0 && count < whole;
                let differs =
                    |cell: &usize| is_part(sums.count[*cell]) != tiles::is_set(&parts, *cell);
                self.compare(Layer::Parts, tile, (0..TILE_CELLS).filter(differs).count());
            }
        }
        Ok(sums)
    }

    /// Returns the cells of a tile that are partly outside; `None` if they cannot be read.
    fn parts(&mut self, tile: TileKey) -> Result<Option<tiles::PartBits>, StoreError> {
        let key = Key::of_tile(Layer::Parts, tile);
        let mut bytes = Vec::new();
        let damaged = |what| StoreError::Damaged { key: Some(key), what };
        let parts = match self.store.get(key, &mut bytes) {
            Ok(false) => Ok([0; TILE_CELLS / 8]),
            Ok(true) => tiles::decode_parts(&bytes).map_err(damaged),
            Err(error) => Err(error),
        };
        match parts {
            Ok(parts) => Ok(Some(parts)),
            Err(error) => note(error, &mut self.found).map(|()| None),
        }
    }

    /// Adds the damage of cells that differ from the mean of the finer ones.
    fn compare(&mut self, layer: Layer, tile: TileKey, differing: usize) {
        if differing > 0 {
            let what = match layer {
                Layer::Bed => "are not the means of the finer ones",
                _ => "are not those that the finer ones leave open in part",
            };
            let what = format!("{differing} of {TILE_CELLS} cells {what}");
            self.found.push(Damage::new(Some(Key::of_tile(layer, tile)), what));
        }
    }
}

impl BedSums {
    fn none() -> Self {
        Self {
            bed: vec![OUTSIDE; TILE_CELLS].into(),
            sum: vec![0; TILE_CELLS].into(),
            count: vec![0; TILE_CELLS].into(),
        }
    }

    fn finest(plane: &StoredPlane) -> Self {
        let ground = |z: &i32| (*z != OUTSIDE).then_some(*z);
        Self {
            bed: plane.as_slice().into(),
            sum: plane.iter().map(|z| ground(z).map_or(0, i64::from)).collect(),
            count: plane.iter().map(|z| u32::from(ground(z).is_some())).collect(),
        }
    }

    /// Adds a child in its quadrant; [`BedSums::close`] sets the beds of cells that are partly
    /// outside.
    fn over(mut self, quadrant: usize, child: &Self) -> Self {
        for (cell, four) in blocks(quadrant) {
            self.sum[cell] = four_of(&child.sum, four).iter().sum();
            self.count[cell] = four_of(&child.count, four).iter().sum();
            let sum: i64 = four_of(&child.bed, four).iter().map(|&z| i64::from(z)).sum();
            self.bed[cell] = i32::try_from((sum + 2).div_euclid(4)).expect("a mean of four i32");
        }
        self
    }

    /// Sets cells that are partly outside to the mean of their ground, and cells without ground to
    /// [`OUTSIDE`].
    fn close(&mut self, level: u8) {
        let whole = 1_u32 << (2 * level);
        for ((bed, &sum), &count) in self.bed.iter_mut().zip(&self.sum).zip(&self.count) {
            if count == 0 {
                *bed = OUTSIDE;
            } else if count < whole {
                let count = i64::from(count);
                let mean = (2 * sum + count).div_euclid(2 * count);
                *bed = i32::try_from(mean).expect("a mean of i32");
            }
        }
    }

    /// Returns the number of beds of a plane that differ.
    fn strangers(&self, plane: &StoredPlane) -> usize {
        self.bed.iter().zip(plane).filter(|(expected, found)| expected != found).count()
    }
}
