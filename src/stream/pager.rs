//! The pager: beds of tiles, read by threads of its own before somebody needs them.

use crate::grid::TILE_CELLS;
use crate::grid::TILE_WIDTH;
use crate::grid::TileKey;
use crate::grid::cells::CellPlace;
use crate::store::Key;
use crate::store::Layer;
use crate::store::Reader;
use crate::store::Store;
use crate::store::StoreError;
use crate::store::terrain::Head;
use crate::store::terrain::Outline;
use crate::store::terrain::StoredBeds;
use crate::stream::StreamCounters;
use crate::stream::plan::PAGE_BYTES;
use crate::tile::Sheet;
use crate::units::OUTSIDE;
use std::any::Any;
use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::collections::VecDeque;
use std::io;
use std::panic::AssertUnwindSafe;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::sync::Condvar;
use std::sync::Mutex;
use std::sync::MutexGuard;
use std::sync::PoisonError;
use std::thread::JoinHandle;
use std::time::Duration;
use std::time::Instant;

/// Threads that read.
const THREADS: usize = 2;

/// Beds of the tiles of a world in its file.
#[derive(Debug)]
pub struct Pager {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    /// Moves on with the commits, so that it holds no space of old ones.
    reader: Mutex<Reader>,
    outline: Outline,
    /// Tiles with cells that lie outside in part.
    ragged: BTreeSet<TileKey>,
    state: Mutex<State>,
    asked: Condvar,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    pages: BTreeMap<TileKey, Slot>,
    queue: VecDeque<TileKey>,
    /// Counts up with each use.
    clock: u64,
    budget_bytes: u64,
    counters: StreamCounters,
    /// The first page that could not be read.
    trouble: Option<Arc<StoreError>>,
    is_over: bool,
}

#[derive(Debug)]
enum Slot {
    Asked,
    Here { page: Sheet<i32>, used: u64 },
    Failed(Arc<StoreError>),
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
    /// A pager of the terrain in a file; pages that nobody needs at the moment take up to
    /// `budget_bytes`.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where the file holds no terrain, or cannot be read, or where the operating
    /// system gives no threads.
    pub fn open(reader: Reader, budget_bytes: u64) -> Result<Self, StoreError> {
        let outline = StoredBeds::open(&reader)?.outline();
        let ragged = reader.keys_of(Layer::Parts)?.into_iter().map(|key| key.tile);
        let ragged = ragged.filter(|&tile| outline.head().has(tile)).collect();
        let shared = Arc::new(Shared {
            reader: Mutex::new(reader),
            outline,
            ragged,
            state: Mutex::new(State { budget_bytes, ..State::default() }),
            asked: Condvar::new(),
            arrived: Condvar::new(),
        });
        let mut pager = Self { shared: Arc::clone(&shared), threads: Vec::new() };
        for _ in 0..THREADS {
            let shared = Arc::clone(&shared);
            let thread = std::thread::Builder::new().name("thalweg-pager".to_owned());
            let thread = thread.spawn(move || shared.work());
            let failed = |source| StoreError::Io { doing: "read pages aside", source };
            pager.threads.push(thread.map_err(failed)?);
        }
        Ok(pager)
    }

    /// What the world is.
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

    /// Bytes that pages may take which nobody needs at the moment.
    pub fn set_budget(&self, bytes: u64) {
        lock(&self.shared.state).budget_bytes = bytes;
    }

    /// Asks for pages, so that they are there when they are needed.
    pub fn want(&self, tiles: impl IntoIterator<Item = TileKey>) {
        let mut state = lock(&self.shared.state);
        let State { pages, queue, counters, .. } = &mut *state;
        for tile in tiles.into_iter().filter(|&tile| self.has(tile)) {
            // What could not be read is tried again.
            if matches!(pages.get(&tile), None | Some(Slot::Failed(_))) {
                pages.insert(tile, Slot::Asked);
                counters.in_flight += 1;
                queue.push_back(tile);
                self.shared.asked.notify_one();
            }
        }
    }

    /// The beds of a tile, [`OUTSIDE`] where a cell lies outside, if only in part; waits where they
    /// have not come.
    ///
    /// # Errors
    ///
    /// [`StoreError`] where they could not be read; it is kept as [`Pager::trouble`] as well.
    pub fn page(&self, tile: TileKey) -> Result<Sheet<i32>, Arc<StoreError>> {
        self.want([tile]);
        let mut state = lock(&self.shared.state);
        let begun = Instant::now();
        let mut has_waited = false;
        loop {
            state.clock += 1;
            let now = state.clock;
            match state.pages.get_mut(&tile) {
                None if !self.has(tile) => return Ok(vec![OUTSIDE; TILE_CELLS].into()),
                None => {
                    // It was let go meanwhile.
                    drop(state);
                    self.want([tile]);
                    state = lock(&self.shared.state);
                }
                Some(Slot::Failed(error)) => return Err(Arc::clone(error)),
                Some(Slot::Here { page, used }) => {
                    *used = now;
                    let page = page.clone();
                    if has_waited {
                        state.counters.stalls += 1;
                        state.counters.stalled_s += begun.elapsed().as_secs_f64();
                    } else {
                        state.counters.hits += 1;
                    }
                    return Ok(page);
                }
                Some(Slot::Asked) => {
                    has_waited = true;
                    // The one that is waited for comes first.
                    if let Some(at) = state.queue.iter().position(|&other| other == tile) {
                        state.queue.remove(at);
                        state.queue.push_front(tile);
                        state.counters.put_first += u64::from(at > 0);
                    }
                    let wait = self.shared.arrived.wait_timeout(state, Duration::from_secs(1));
                    state = wait.unwrap_or_else(PoisonError::into_inner).0;
                }
            }
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

    /// Lets go of the pages that were not used for longest, as far as there are too many; moves on
    /// to the newest commit of the file. Beds of a world that is streamed do not change.
    pub fn settle(&self) {
        let moved = self.move_on();
        let mut state = lock(&self.shared.state);
        if let Err(error) = moved {
            state.trouble.get_or_insert_with(|| Arc::new(error));
        }
        let most = state.budget_bytes / PAGE_BYTES;
        let here = |(tile, slot): (&TileKey, &Slot)| match slot {
            Slot::Here { used, .. } => Some((*used, *tile)),
            _ => None,
        };
        let mut here: Vec<(u64, TileKey)> = state.pages.iter().filter_map(here).collect();
        here.sort_unstable();
        let over = (here.len() as u64).saturating_sub(most);
        for (_, tile) in here.iter().zip(0..over).map(|(page, _)| page) {
            state.pages.remove(tile);
            state.counters.pages_out += 1;
        }
        state.counters.resident_bytes = (here.len() as u64 - over) * PAGE_BYTES;
    }

    /// Counts from now on: what was waited for before the first cycle was no stall.
    pub fn begin(&self) {
        let mut state = lock(&self.shared.state);
        let StreamCounters { resident_bytes, in_flight, .. } = state.counters;
        state.counters = StreamCounters { resident_bytes, in_flight, ..StreamCounters::default() };
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
    /// What reading reports, and what `show` says.
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
    /// What reading reports.
    pub fn is_terrain_of(&self, store: &Store) -> Result<bool, StoreError> {
        let reader = lock(&self.shared.reader).clone();
        if !reader.is_of(store) {
            return Ok(false);
        }
        Ok(terrain_changed(&store.reader(), &reader)?.is_none())
    }

    /// The first page that could not be read.
    #[must_use]
    pub fn trouble(&self) -> Option<Arc<StoreError>> {
        lock(&self.shared.state).trouble.clone()
    }

    /// What it has done so far.
    #[must_use]
    pub fn counters(&self) -> StreamCounters {
        lock(&self.shared.state).counters
    }
}

impl Shared {
    /// Reads what is asked for until it is over.
    fn work(&self) {
        let mut state = lock(&self.state);
        while !state.is_over {
            let Some(tile) = state.queue.pop_front() else {
                state = self.asked.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            // Whatever the backend does, somebody may wait for the page.
            let read = catch_unwind(AssertUnwindSafe(|| self.read(tile)));
            let read = read.unwrap_or_else(|panic| Err(panicked(&*panic)));
            state = lock(&self.state);
            let used = state.clock;
            let slot = match read {
                Ok(page) => {
                    state.counters.pages_in += 1;
                    state.counters.bytes_in += PAGE_BYTES;
                    state.counters.resident_bytes += PAGE_BYTES;
                    Slot::Here { page, used }
                }
                Err(error) => {
                    let error = Arc::new(error);
                    state.trouble.get_or_insert_with(|| Arc::clone(&error));
                    Slot::Failed(error)
                }
            };
            state.counters.in_flight -= 1;
            state.pages.insert(tile, slot);
            self.arrived.notify_all();
        }
    }

    fn read(&self, tile: TileKey) -> Result<Sheet<i32>, StoreError> {
        let reader = lock(&self.reader).clone();
        let mut plane = [OUTSIDE; TILE_CELLS];
        let beds = StoredBeds::over(&reader, &self.outline);
        beds.read(tile, &mut plane)?;
        if self.ragged.contains(&tile) {
            beds.cut_parts(tile, &mut plane)?;
        }
        Ok(plane.as_slice().into())
    }
}

impl Drop for Pager {
    fn drop(&mut self) {
        lock(&self.shared.state).is_over = true;
        self.shared.asked.notify_all();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
