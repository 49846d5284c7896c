//! The pager: threads that read beds and tables of tiles before they are needed. These threads also
//! make tables that are missing in the file.

use crate::grid::cells::CellPlace;
use crate::grid::cells::WorldCell;
use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
use crate::store::terrain::{
    Head, RECORD, StoredBeds, StoredPlane, TerrainOutline, looks_at, read_head, tables_of,
};
use crate::store::{Key, Layer, Reader, Store, StoreError};
use crate::stream::StreamCounters;
use crate::stream::edited::{BedComparison, EditedBeds};
use crate::stream::held::{HeldBeds, HeldPages, PageSource};
use crate::stream::page::{Page, PageKey, PageKind};
use crate::stream::pages::{PageLook, Pages};
use crate::stream::requests::{Inbox, Requests, requests};
use crate::tile::CowPlane;
use crate::tile::columns::Columns;
use crate::tile::columns::build::{FinestBeds, add_from_tiles};
use crate::units::OUTSIDE;
use std::any::Any;
use std::collections::BTreeSet;
use std::io;
use std::panic::{AssertUnwindSafe, RefUnwindSafe, UnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
use std::thread::JoinHandle;
use std::time::Instant;

/// Threads that read.
const THREADS: usize = 2;

/// Pages that one thread reads at once, so that neighbouring ones are fetched with one call.
const AT_ONCE: usize = 8;

/// Beds and tables of the tiles of a world in its file.
#[derive(Debug)]
pub struct Pager {
    shared: Arc<SharedPages>,
    /// `None` while the pager is dropped.
    requests: Option<Requests>,
    threads: Vec<JoinHandle<()>>,
    held: HeldPages,
}

// Data that threads share are behind locks; a panic under a lock is reported, and the data are
// whole whenever a lock is released.
impl UnwindSafe for Pager {}
impl RefUnwindSafe for Pager {}

#[derive(Debug)]
struct SharedPages {
    /// Moves on with the commits, so that the space of old ones can be used again.
    reader: Mutex<Reader>,
    outline: TerrainOutline,
    /// Tiles with cells that are partly outside.
    ragged: BTreeSet<TileKey>,
    /// Beds that are newer than the reader's. A thread that reads pages locks this until they are
    /// stored, and locks it before the reader.
    edited: RwLock<EditedBeds>,
    pages: Mutex<Pages>,
}

/// Whether a key is part of the description of the world.
fn is_terrain(key: Key) -> bool {
    key.layer == Layer::Head || key.layer.is_ground()
}

/// Returns the keys of the terrain that differ between two commits, except tables, which follow
/// from it.
fn terrain_changes(newer: &Reader, older: &Reader) -> Result<Vec<Key>, StoreError> {
    let changes = newer.changes_since(older)?;
    let all = changes.put.into_iter().chain(changes.gone);
    Ok(all.filter(|key| is_terrain(*key) && key.layer != Layer::Tables).collect())
}

/// Whether two commits contain the same bytes under a key.
fn has_same(key: Key, newer: &Reader, older: &Reader) -> Result<bool, StoreError> {
    let (mut new, mut old) = (Vec::new(), Vec::new());
    let is_there = [newer.get(key, &mut new)?, older.get(key, &mut old)?];
    Ok(is_there[0] == is_there[1] && new == old)
}

/// Returns the error for a panic of a reader.
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
    /// Opens a pager of the terrain in a file; its pages, including requested ones, take up to
    /// `budget_bytes`, or one page.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if the file has no terrain, or cannot be read, or if the operating system
    /// starts no threads.
    pub fn open(reader: Reader, budget_bytes: u64) -> Result<Self, StoreError> {
        let outline = StoredBeds::open(&reader)?.outline();
        let ragged = reader.keys_of(Layer::Parts)?.into_iter().map(|key| key.tile);
        let ragged = ragged.filter(|&tile| outline.head().has(tile)).collect();
        let mut pages = Pages::default();
        pages.set_room(budget_bytes);
        let shared = Arc::new(SharedPages {
            reader: Mutex::new(reader),
            outline,
            ragged,
            edited: RwLock::default(),
            pages: Mutex::new(pages),
        });
        let (requests, inbox) = requests();
        let (requests, threads) = (Some(requests), Vec::new());
        let held = HeldPages::default();
        let mut pager = Self { shared: Arc::clone(&shared), requests, threads, held };
        for _ in 0..THREADS {
            let (shared, inbox) = (Arc::clone(&shared), inbox.clone());
            let thread = std::thread::Builder::new().name("thalweg-pager".to_owned());
            let thread = thread.spawn(move || shared.work(&inbox));
            let failed = |source| StoreError::Io { doing: "read pages aside", source };
            pager.threads.push(thread.map_err(failed)?);
        }
        Ok(pager)
    }

    /// Returns the head of the world.
    #[must_use]
    pub fn head(&self) -> &Head {
        self.shared.outline.head()
    }

    /// Whether a tile has ground.
    #[must_use]
    pub fn has(&self, tile: TileKey) -> bool {
        tile.level <= self.head().coarsest && self.shared.outline.has(tile)
    }

    /// Whether cells of a tile are partly outside.
    #[must_use]
    pub fn is_ragged(&self, tile: TileKey) -> bool {
        self.shared.ragged.contains(&tile)
    }

    /// Sets the bytes that pages may take; at least one page is allowed.
    pub fn set_budget(&self, bytes: u64) {
        lock(&self.shared.pages).set_room(bytes);
    }

    /// True if a page is in memory now.
    #[must_use]
    pub fn holds(&self, page: PageKey) -> bool {
        lock(&self.shared.pages).holds(page)
    }

    /// Requests pages, so that they are in memory when they are needed: as many of them, from the
    /// first on, as have room.
    pub fn want(&self, pages: impl IntoIterator<Item = PageKey>) {
        let pages: Vec<PageKey> = pages.into_iter().filter(|page| self.has(page.tile)).collect();
        let requests = lock(&self.shared.pages).want(&pages);
        requests.into_iter().for_each(|request| self.requests().ahead(request));
    }

    fn requests(&self) -> &Requests {
        self.requests.as_ref().expect("it is not over")
    }

    /// Returns the beds of a tile, of one of their kinds, [`OUTSIDE`] for cells outside; waits
    /// until they have arrived and until they have room.
    ///
    /// # Errors
    ///
    /// [`StoreError`] if they could not be read; it is also available from [`Pager::error`].
    ///
    /// # Panics
    ///
    /// If `page` is not of a kind of beds.
    pub fn beds(&self, page: PageKey) -> Result<CowPlane<i32>, Arc<StoreError>> {
        if !self.has(page.tile) {
            return Ok(vec![OUTSIDE; TILE_CELLS].into());
        }
        match self.page(page)? {
            Page::Beds(beds) => Ok(beds),
            Page::Tables(_) => panic!("{page:?} holds no beds"),
        }
    }

    /// Returns the tables of a tile with ground; waits as [`Pager::beds`] does.
    ///
    /// # Errors
    ///
    /// The errors of [`Pager::beds`].
    ///
    /// # Panics
    ///
    /// If the tile has no ground.
    pub fn tables(&self, tile: TileKey) -> Result<Arc<Columns>, Arc<StoreError>> {
        assert!(self.has(tile), "{tile:?} has no ground");
        match self.page(PageKind::Tables.of(tile))? {
            Page::Tables(tables) => Ok(tables),
            Page::Beds(_) => unreachable!("a page of tables holds tables"),
        }
    }

    /// Returns a page of a tile that has ground.
    fn page(&self, key: PageKey) -> Result<Page, Arc<StoreError>> {
        let begun = Instant::now();
        let mut has_waited = false;
        loop {
            let wait = {
                let mut pages = lock(&self.shared.pages);
                let mut look = pages.look(key);
                let is_put_first = matches!(look, PageLook::Asked { urgent: Some(_), .. });
                pages.counters.put_first += u64::from(is_put_first);
                if matches!(look, PageLook::None)
                    || (matches!(look, PageLook::Failed(_)) && !has_waited)
                {
                    // The page was released, or is tried again.
                    // The request that `want` returns is not sent from here: `look` gives it as an
                    // urgent one.
                    pages.want(&[key]);
                    look = pages.look(key);
                }
                match look {
                    PageLook::Here(page) if has_waited => {
                        pages.taken(key);
                        pages.counters.stalls += 1;
                        pages.counters.stalled_s += begun.elapsed().as_secs_f64();
                        return Ok(page);
                    }
                    PageLook::Here(page) => {
                        pages.counters.hits += 1;
                        return Ok(page);
                    }
                    PageLook::Failed(error) if has_waited => return Err(error),
                    PageLook::Asked { urgent } => {
                        urgent.into_iter().for_each(|request| self.requests().urgent(request));
                    }
                    // The page has no room.
                    PageLook::None | PageLook::Failed(_) => {}
                }
                // The wait begins under the lock, so that a page that arrives as soon as the lock
                // is released ends the wait as well.
                pages.wait()
            };
            has_waited = true;
            wait.end();
        }
    }

    /// Returns the bed of a cell of a level, of one of the kinds of beds; [`OUTSIDE`] beyond the
    /// world, and if its page could not be read.
    #[must_use]
    pub fn bed(&self, kind: PageKind, level: u8, x: usize, y: usize) -> i32 {
        let (width, height) = self.head().size(level);
        let (Ok(x32), Ok(y32)) = (u32::try_from(x), u32::try_from(y)) else { return OUTSIDE };
        if x >= width || y >= height {
            return OUTSIDE;
        }
        let tile = TileKey::of_cell(level, CellPlace { x: x32, y: y32 });
        let page = self.beds(kind.of(tile));
        page.map_or(OUTSIDE, |page| page[y % TILE_WIDTH * TILE_WIDTH + x % TILE_WIDTH])
    }

    /// Waits for pages.
    ///
    /// # Errors
    ///
    /// The error of the first page that could not be read.
    pub fn fetch(&self, pages: &[PageKey]) -> Result<(), Arc<StoreError>> {
        self.want(pages.iter().copied());
        let mut there = pages.iter().filter(|page| self.has(page.tile));
        there.try_for_each(|&page| self.page(page).map(drop))
    }

    /// Returns the present beds of a page, kept through later edits, without reading them.
    #[must_use]
    pub fn hold(self: &Arc<Self>, page: PageKey) -> Arc<HeldBeds> {
        self.held.hold(Arc::<Self>::clone(self), page)
    }

    /// Puts beds of tiles that are in use aside, before the tiles are edited.
    ///
    /// # Errors
    ///
    /// The errors of [`Pager::beds`]; the tiles must then not be edited.
    pub fn put_aside(&self, tiles: impl Iterator<Item = TileKey>) -> Result<(), Arc<StoreError>> {
        let pages =
            tiles.flat_map(|tile| [PageKind::Beds, PageKind::GroundBeds].map(|k| k.of(tile)));
        pages.into_iter().try_for_each(|page| self.held.put_aside(self, page))
    }

    /// Sets the mean beds of the ground in the cells of edited tiles: they are newer than the file
    /// until a commit contains them.
    pub fn edit(&self, beds: impl IntoIterator<Item = (TileKey, CowPlane<i32>)>) {
        // No page is being read meanwhile: pages that were requested are read after the edit.
        let mut edited = self.shared.edited.write().unwrap_or_else(PoisonError::into_inner);
        let mut tiles = BTreeSet::new();
        for (tile, beds) in beds {
            tiles.insert(tile);
            edited.put(tile, beds);
        }
        let finest: Vec<TileKey> = tiles.iter().filter(|tile| tile.level == 0).copied().collect();
        let stale = lock(&self.shared.pages).forget(|page| match page.kind {
            PageKind::Beds | PageKind::GroundBeds => tiles.contains(&page.tile),
            PageKind::Tables => finest.iter().any(|&finest| looks_at(page.tile, finest)),
        });
        drop(edited);
        // A change of leaves may need them soon.
        self.want(stale);
    }

    /// Moves on to the newest commit of the file, in which only terrain that was edited here may
    /// differ.
    ///
    /// Returns false if pages are being read: the caller must try again later.
    pub fn settle(&self) -> bool {
        self.move_on().unwrap_or_else(|error| {
            let first = &mut lock(&self.shared.pages).error;
            first.get_or_insert_with(|| Arc::new(error));
            true
        })
    }

    /// Restarts the counts: waits before the first cycle are not stalls.
    pub fn begin(&self) {
        let counters = &mut lock(&self.shared.pages).counters;
        let StreamCounters { resident_bytes, most_bytes, in_flight, .. } = *counters;
        let none = StreamCounters::default();
        *counters = StreamCounters { resident_bytes, most_bytes, in_flight, ..none };
    }

    /// Moves on to the newest commit if its terrain is the same except for edits made here.
    fn move_on(&self) -> Result<bool, StoreError> {
        let SharedPages { edited, reader, outline, .. } = &*self.shared;
        let mut edited = match edited.try_write() {
            Ok(edited) => edited,
            Err(TryLockError::Poisoned(broken)) => broken.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(false),
        };
        let mut reader = lock(reader);
        let mut newer = reader.clone();
        if !newer.refresh()? {
            return Ok(true);
        }
        let [new, old] = [&newer, &*reader].map(|reader| StoredBeds::over(reader, outline));
        let mut saved = Vec::new();
        for key in terrain_changes(&newer, &reader)? {
            let is_ours = match key.layer {
                Layer::Bed => {
                    let held = edited.held(key.tile, &new, &old)?;
                    saved.extend((held == BedComparison::Saved).then_some(key.tile));
                    held != BedComparison::Foreign
                }
                _ if key == RECORD => read_head(&newer)?.is_wider_than(outline.head()),
                _ => has_same(key, &newer, &reader)?,
            };
            if !is_ours {
                let what =
                    "it was written anew while a world was streamed from it: save that elsewhere";
                return Err(StoreError::Damaged { key: Some(key), what });
            }
        }
        edited.saved(&saved);
        *reader = newer;
        Ok(true)
    }

    /// Shows all extents of the terrain.
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

    /// Whether the last commit of a store has the terrain of this pager.
    ///
    /// # Errors
    ///
    /// Errors of reading.
    pub fn is_terrain_of(&self, store: &Store) -> Result<bool, StoreError> {
        let reader = lock(&self.shared.reader).clone();
        if !reader.is_of(store) {
            return Ok(false);
        }
        Ok(terrain_changes(&store.reader(), &reader)?.is_empty())
    }

    /// Returns the error of the first page that could not be read.
    #[must_use]
    pub fn error(&self) -> Option<Arc<StoreError>> {
        lock(&self.shared.pages).error.clone()
    }

    /// Returns the counters of the work so far.
    #[must_use]
    pub fn counters(&self) -> StreamCounters {
        lock(&self.shared.pages).counters
    }
}

impl PageSource for Pager {
    fn beds(&self, page: PageKey) -> Result<CowPlane<i32>, Arc<StoreError>> {
        self.beds(page)
    }

    fn held(&self) -> &HeldPages {
        &self.held
    }
}

impl FinestBeds for Pager {
    fn add_finest(&self, place: WorldCell, width: i64, beds: &mut Vec<i32>) {
        add_from_tiles(place, width, beds, |(column, row), show| {
            let (Ok(x), Ok(y)) = (u32::try_from(column), u32::try_from(row)) else { return };
            // `error` reports a page that could not be read.
            if let Ok(page) = self.beds(PageKind::GroundBeds.of(TileKey { level: 0, x, y })) {
                show(&page);
            }
        });
    }
}

impl SharedPages {
    /// Reads requested pages until the requests end.
    fn work(&self, inbox: &Inbox) {
        while let Some(pages) = inbox.next(AT_ONCE) {
            self.bring(&pages);
        }
    }

    /// Reads pages and stores them. If the backend panics, the remaining pages are read one by one,
    /// since threads may wait for them.
    fn bring(&self, pages: &[PageKey]) {
        let mut has_come = vec![false; pages.len()];
        let ended = catch_unwind(AssertUnwindSafe(|| {
            self.read(pages, |number, page| {
                lock(&self.pages).arrived(pages[number], page);
                has_come[number] = true;
            });
        }));
        let Err(panic) = ended else { return };
        let missing = pages.iter().zip(has_come).filter(|&(_, has_come)| !has_come);
        for (&page, _) in missing {
            match pages.len() {
                1 => lock(&self.pages).arrived(page, Err(panicked(&*panic))),
                _ => self.bring(&[page]),
            }
        }
    }

    fn read(&self, pages: &[PageKey], mut take: impl FnMut(usize, Result<Page, StoreError>)) {
        let is_tables = |&number: &usize| pages[number].kind == PageKind::Tables;
        let (tables, beds): (Vec<usize>, Vec<usize>) = (0..pages.len()).partition(is_tables);
        self.read_beds(pages, beds, &mut take);
        for number in tables {
            // An edit waits for one tile at most.
            let edited = self.edited.read().unwrap_or_else(PoisonError::into_inner);
            let reader = lock(&self.reader).clone();
            let (tile, newer) = (pages[number].tile, |tile| edited.of(tile).map(plane_of));
            let tables = tables_of((&reader, &newer), &self.outline, tile, edited.below(tile));
            take(number, tables.map(|tables| Page::Tables(Arc::new(tables))));
        }
    }

    /// Reads the pages of beds with these indices.
    fn read_beds(
        &self,
        pages: &[PageKey],
        beds: Vec<usize>,
        take: &mut impl FnMut(usize, Result<Page, StoreError>),
    ) {
        let edited = self.edited.read().unwrap_or_else(PoisonError::into_inner);
        // A clone of the reader: the lock is free while pages are read, and their commit stays.
        let reader = lock(&self.reader).clone();
        let stored = StoredBeds::over(&reader, &self.outline);
        let (mut whole, mut ragged) = (Vec::new(), Vec::new());
        for number in beds {
            match edited.of(pages[number].tile) {
                None => whole.push(number),
                Some(own) if self.is_cut(pages[number]) => {
                    ragged.push((number, Box::new(plane_of(own))));
                }
                Some(own) => take(number, Ok(Page::Beds(own.clone()))),
            }
        }
        let tiles: Vec<TileKey> = whole.iter().map(|&number| pages[number].tile).collect();
        stored.read_each(&tiles, |at, read| match read {
            Ok(Some(plane)) if self.is_cut(pages[whole[at]]) => {
                ragged.push((whole[at], Box::new(*plane)));
            }
            read => take(whole[at], read.map(|plane| page_of(plane.unwrap_or(&NO_GROUND)))),
        });
        for (number, mut plane) in ragged {
            let cut = stored.cut_parts(pages[number].tile, &mut plane);
            take(number, cut.map(|()| page_of(&plane)));
        }
    }

    /// Whether a page's tile has cells that are partly outside, and the page marks them as outside.
    fn is_cut(&self, page: PageKey) -> bool {
        page.kind == PageKind::Beds && self.ragged.contains(&page.tile)
    }
}

/// Beds of a tile without ground.
const NO_GROUND: StoredPlane = [OUTSIDE; TILE_CELLS];

fn plane_of(beds: &CowPlane<i32>) -> StoredPlane {
    (**beds).try_into().expect("a plane has 64 × 64 cells")
}

fn page_of(beds: &StoredPlane) -> Page {
    Page::Beds(beds.as_slice().into())
}

impl Drop for Pager {
    fn drop(&mut self) {
        self.requests = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
