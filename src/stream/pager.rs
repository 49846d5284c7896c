//! The pager: beds of tiles, read by threads of its own before somebody needs them.

use crate::grid::cells::CellPlace;
use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::store::terrain::{BedPlane, Head, Outline, StoredBeds};
use crate::store::{Key, Layer, Reader, Store, StoreError};
use crate::stream::StreamCounters;
use crate::stream::pages::{Look, Pages};
use crate::stream::requests::{Inbox, Requests, requests};
use crate::tile::CowPlane;
use crate::units::OUTSIDE;
use std::any::Any;
use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Instant;

/// Threads that read.
const THREADS: usize = 2;

/// Pages that one thread reads at once, so that those beside each other are fetched with one call.
const AT_ONCE: usize = 8;

/// Beds of the tiles of a world in its file.
#[derive(Debug)]
pub struct Pager {
    shared: Arc<Shared>,
    /// None at the end.
    requests: Option<Requests>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// Moves on with the commits, so that it holds no space of old ones.
    reader: Mutex<Reader>,
    outline: Outline,
    /// Tiles with cells that lie outside in part.
    ragged: BTreeSet<TileKey>,
    pages: Mutex<Pages>,
}

/// Whether a key is part of what the world is.
fn is_terrain(key: Key) -> bool {
    matches!(key.layer, Layer::Head | Layer::Bed | Layer::Parts)
}

/// A key of the terrain that is otherwise in another commit.
fn terrain_changed(newer: &Reader, older: &Reader) -> Result<Option<Key>, StoreError> {
    let changes = newer.changes_since(older)?;
    Ok(changes.put.into_iter().chain(changes.gone).find(|key| is_terrain(*key)))
}

/// The error that a reader's panic is.
fn panicked(panic: &(dyn Any + Send)) -> StoreError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it says nothing");
    let source = io::Error::other(format!("the thread that reads panicked: {text}"));
    StoreError::Io { doing: "read a page", source }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pager {
    /// A pager of the terrain in a file; its pages, with those that are being read, take up to
    /// `budget_bytes`, or one page.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the file holds no terrain, or cannot be read, or where the operating
    /// system gives no threads.
    pub fn open(reader: Reader, budget_bytes: u64) -> Result<Self, StoreError> {
        let outline = StoredBeds::open(&reader)?.outline();
        let ragged = reader.keys_of(Layer::Parts)?.into_iter().map(|key| key.tile);
        let ragged = ragged.filter(|&tile| outline.head().has(tile)).collect();
        let mut pages = Pages::default();
        pages.set_room(budget_bytes);
        let shared = Arc::new(Shared {
            reader: Mutex::new(reader),
            outline,
            ragged,
            pages: Mutex::new(pages),
        });
        let (requests, inbox) = requests();
        let (requests, threads) = (Some(requests), Vec::new());
        let mut pager = Self { shared: Arc::clone(&shared), requests, threads };
        for _ in 0..THREADS {
            let (shared, inbox) = (Arc::clone(&shared), inbox.clone());
            let thread = std::thread::Builder::new().name("thalweg-pager".to_owned());
            let thread = thread.spawn(move || shared.work(&inbox));
            let failed = |source| StoreError::Io { doing: "read pages aside", source };
            pager.threads.push(thread.map_err(failed)?);
        }
        Ok(pager)
    }

    /// Head of the world.
    #[must_use]
    pub fn head(&self) -> &Head {
        self.shared.outline.head()
    }

    /// Whether a tile has ground.
    #[must_use]
    pub fn has(&self, tile: TileKey) -> bool {
        tile.level <= self.head().coarsest && self.shared.outline.has(tile)
    }

    /// Whether cells of a tile lie outside in part.
    #[must_use]
    pub fn is_ragged(&self, tile: TileKey) -> bool {
        self.shared.ragged.contains(&tile)
    }

    /// Bytes that pages may take, one at least.
    pub fn set_budget(&self, bytes: u64) {
        lock(&self.shared.pages).set_room(bytes);
    }

    /// True where the page of a tile is in memory now.
    #[must_use]
    pub fn holds(&self, tile: TileKey) -> bool {
        lock(&self.shared.pages).holds(tile)
    }

    /// Requests pages, so that they are there when they are needed: as many of them, from the first
    /// on, as there is room for.
    pub fn want(&self, tiles: impl IntoIterator<Item = TileKey>) {
        let tiles: Vec<TileKey> = tiles.into_iter().filter(|&tile| self.has(tile)).collect();
        let requests = lock(&self.shared.pages).want(&tiles);
        requests.into_iter().for_each(|request| self.requests().ahead(request));
    }

    fn requests(&self) -> &Requests {
        self.requests.as_ref().expect("it is not over")
    }

    /// The beds of a tile, [`OUTSIDE`] where a cell lies outside, if only in part; waits where they
    /// have not come, and where there is no room for them.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where they could not be read; it is kept as [`Pager::error`] as well.
    pub fn page(&self, tile: TileKey) -> Result<CowPlane<i32>, Arc<StoreError>> {
        if !self.has(tile) {
            return Ok(vec![OUTSIDE; TILE_CELLS].into());
        }
        let begun = Instant::now();
        let mut has_waited = false;
        loop {
            let wait = {
                let mut pages = lock(&self.shared.pages);
                let mut look = pages.look(tile);
                let is_put_first = matches!(look, Look::Asked { urgent: Some(_), .. });
                pages.counters.put_first += u64::from(is_put_first);
                if matches!(look, Look::None) || (matches!(look, Look::Failed(_)) && !has_waited) {
                    // It was let go, or is tried again.
                    pages.want(&[tile]);
                    look = pages.look(tile);
                }
                match look {
                    Look::Here(page) if has_waited => {
                        pages.taken(tile);
                        pages.counters.stalls += 1;
                        pages.counters.stalled_s += begun.elapsed().as_secs_f64();
                        return Ok(page);
                    }
                    Look::Here(page) => {
                        pages.counters.hits += 1;
                        return Ok(page);
                    }
                    Look::Failed(error) if has_waited => return Err(error),
                    Look::Asked { urgent } => {
                        urgent.into_iter().for_each(|request| self.requests().urgent(request));
                    }
                    // There is no room for it.
                    Look::None | Look::Failed(_) => {}
                }
                pages.wait()
            };
            has_waited = true;
            wait.end();
        }
    }

    /// The bed of a cell of a level; [`OUTSIDE`] beyond the world, and where its page could not be
    /// read.
    #[must_use]
    pub fn bed(&self, level: u8, x: usize, y: usize) -> i32 {
        let (width, height) = self.head().size(level);
        let [Ok(x32), Ok(y32)] = [x, y].map(u32::try_from) else { return OUTSIDE };
        if x >= width || y >= height {
            return OUTSIDE;
        }
        let tile = TileKey::of_cell(level, CellPlace { x: x32, y: y32 });
        let page = self.page(tile);
        page.map_or(OUTSIDE, |page| page[y % TILE_WIDTH * TILE_WIDTH + x % TILE_WIDTH])
    }

    /// Waits for pages.
    ///
    /// # Errors
    ///
    /// The first that could not be read.
    pub fn fetch(&self, tiles: &[TileKey]) -> Result<(), Arc<StoreError>> {
        self.want(tiles.iter().copied());
        tiles.iter().try_for_each(|&tile| self.page(tile).map(drop))
    }

    /// Moves on to the newest commit of the file. Beds of a world that is streamed do not change.
    pub fn settle(&self) {
        if let Err(error) = self.move_on() {
            let first = &mut lock(&self.shared.pages).error;
            first.get_or_insert_with(|| Arc::new(error));
        }
    }

    /// Counts from now on: what was waited for before the first cycle was no stall.
    pub fn begin(&self) {
        let counters = &mut lock(&self.shared.pages).counters;
        let StreamCounters { resident_bytes, most_bytes, in_flight, .. } = *counters;
        let none = StreamCounters::default();
        *counters = StreamCounters { resident_bytes, most_bytes, in_flight, ..none };
    }

    /// Moves on to the newest commit where that has the same terrain.
    fn move_on(&self) -> Result<(), StoreError> {
        let mut reader = lock(&self.shared.reader);
        let mut newer = reader.clone();
        if !newer.refresh()? {
            return Ok(());
        }
        if let Some(key) = terrain_changed(&newer, &reader)? {
            let what =
                "it was written anew while a world was streamed from it: save that elsewhere";
            return Err(StoreError::Damaged { key: Some(key), what });
        }
        *reader = newer;
        Ok(())
    }

    /// Shows all extents of its terrain.
    ///
    /// # Errors
    ///
    /// Errors of reading, and errors of `show`.
    pub fn for_each_extent(
        &self,
        mut show: impl FnMut(Key, &[u8]) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let (reader, mut bytes) = (lock(&self.shared.reader).clone(), Vec::new());
        for key in reader.keys()?.into_iter().filter(|key| is_terrain(*key)) {
            reader.get(key, &mut bytes)?;
            show(key, &bytes)?;
        }
        Ok(())
    }

    /// Whether the last commit of a store has the terrain that it reads.
    ///
    /// # Errors
    ///
    /// Errors of reading.
    pub fn is_terrain_of(&self, store: &Store) -> Result<bool, StoreError> {
        let reader = lock(&self.shared.reader).clone();
        if !reader.is_of(store) {
            return Ok(false);
        }
        Ok(terrain_changed(&store.reader(), &reader)?.is_none())
    }

    /// The first page that could not be read.
    #[must_use]
    pub fn error(&self) -> Option<Arc<StoreError>> {
        lock(&self.shared.pages).error.clone()
    }

    /// Counters of the work so far.
    #[must_use]
    pub fn counters(&self) -> StreamCounters {
        lock(&self.shared.pages).counters
    }
}

impl Shared {
    /// Reads requested pages until it is over.
    fn work(&self, inbox: &Inbox) {
        while let Some(tiles) = inbox.next(AT_ONCE) {
            self.bring(&tiles);
        }
    }

    /// Reads pages and takes them in. Whatever the backend does, somebody may wait for them: where
    /// it panics, those that have not come are read one by one.
    fn bring(&self, tiles: &[TileKey]) {
        let mut has_come = vec![false; tiles.len()];
        let ended = catch_unwind(AssertUnwindSafe(|| {
            self.read(tiles, |number, page| {
                lock(&self.pages).arrived(tiles[number], page);
                has_come[number] = true;
            });
        }));
        let Err(panic) = ended else { return };
        let missing = tiles.iter().zip(has_come).filter(|&(_, has_come)| !has_come);
        for (&tile, _) in missing {
            match tiles.len() {
                1 => lock(&self.pages).arrived(tile, Err(panicked(&*panic))),
                _ => self.bring(&[tile]),
            }
        }
    }

    fn read(
        &self,
        tiles: &[TileKey],
        mut take: impl FnMut(usize, Result<CowPlane<i32>, StoreError>),
    ) {
        let reader = lock(&self.reader).clone();
        let beds = StoredBeds::over(&reader, &self.outline);
        let mut ragged = Vec::new();
        beds.read_each(tiles, |number, read| match read {
            Ok(Some(plane)) if self.ragged.contains(&tiles[number]) => {
                ragged.push((number, Box::new(*plane)));
            }
            read => take(number, read.map(|plane| plane_of(plane.unwrap_or(&NO_GROUND)))),
        });
        for (number, mut plane) in ragged {
            let cut = beds.cut_parts(tiles[number], &mut plane);
            take(number, cut.map(|()| plane_of(&plane)));
        }
    }
}

/// Beds of a tile without ground.
const NO_GROUND: BedPlane = [OUTSIDE; TILE_CELLS];

fn plane_of(beds: &BedPlane) -> CowPlane<i32> {
    beds.as_slice().into()
}

impl Drop for Pager {
    fn drop(&mut self) {
        self.requests = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
