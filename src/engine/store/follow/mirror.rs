//! The client's side: a store that contains the followed part of another store's commits.

use crate::store::follow::ask::Have;
use crate::store::follow::frame::{FollowFrame, FrameHeader, FrameItem, FrameKind};
use crate::store::follow::walk::{Total, Walk, total_of};
use crate::store::follow::{Ask, Follow, FollowError};
use crate::store::key::Key;
use crate::store::layout::Role;
use crate::store::place::Generation;
use crate::store::record::KeyEntry;
use crate::store::{Limits, OverLimit, Store, StoreError, record};
use std::io::Read;

/// Result of reading a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// A part of a commit: more frames of it follow.
    Part,
    /// The end of a commit, with its number: the mirror has it now.
    Commit(u64),
    /// Nothing: the stream ended between two commits.
    End,
}

/// A store that follows another one.
///
/// Commits of a mirror have the numbers of the followed store's commits and the followed extents,
/// each with the number of the commit that wrote it. The first commit removes all other content of
/// the store.
///
/// Numbers of commits only rise in a store. If the server's number is not above that of the
/// mirror's last commit (the server has a different world, or went back to a copy of it, or a
/// sender forged earlier frames) the mirror's commit has the mirror's own next number, until the
/// server's numbers are above it again.
#[derive(Debug)]
pub struct Mirror {
    store: Store,
    follow: Follow,
    limits: Limits,
    /// The server's number of the last commit, and the sum of the extents in the store.
    have: Have,
    /// Bytes of the extents in the store.
    bytes: u64,
    /// True if the content of the store differs from the expected one: all of it is requested.
    lacks_all: bool,
    under_way: Option<IncomingCommit>,
}

/// A commit of which some frames have arrived.
#[derive(Debug)]
struct IncomingCommit {
    /// Header that the next frame must have, except for `is_last`.
    header: FrameHeader,
    /// The last key that was named.
    last: Option<Key>,
    /// Extents so far: for changes, including all unchanged ones; for a list, the named ones.
    total: Total,
    /// For a list: the earlier extents, from the last key on.
    before: Option<Walk>,
    /// Whether the mirror's commit differs from the one that the server assumes.
    is_off: bool,
    /// True if the mirror has this commit already: its items are ignored.
    is_known: bool,
}

/// Name in errors of a commit that exceeds a limit.
const COMMIT: &str = "a commit that is followed";

/// Returns the error of a commit that exceeds a limit.
fn over(over: OverLimit) -> FollowError {
    FollowError::Store(over.into())
}

fn missed(what: &'static str) -> FollowError {
    FollowError::Missed { what }
}

impl Mirror {
    /// Creates a mirror in a store: an empty one, or one that was a mirror before.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Io`] if the store cannot be read.
    pub fn new(mut store: Store, follow: Follow) -> Result<Self, FollowError> {
        // Uncommitted puts are not part of the followed world.
        store.roll_back();
        let Total { sum, bytes } = total_of(&store.reader(), &Follow::default())?;
        let have = Have { generation: store.generation(), sum };
        let (limits, under_way) = (Limits::default(), None);
        Ok(Self { store, follow, limits, have, bytes, lacks_all: false, under_way })
    }

    /// Sets the limits on the bytes and frames of a commit: a commit over a limit is refused before
    /// it is written.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Returns a request to a server.
    #[must_use]
    pub fn ask(&self) -> Ask {
        let have = (!self.lacks_all).then_some(self.have);
        Ask { follow: self.follow.clone(), have }
    }

    /// Returns the store. Between frames it may contain a part of a commit; a reader of it does
    /// not.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the store, at its last commit.
    #[must_use]
    pub fn into_store(mut self) -> Store {
        self.give_up();
        self.store
    }

    /// Returns the server's number of the mirror's commit; for a mirror that has just been opened,
    /// the number of its store's last commit.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.have.generation
    }

    /// Reads and applies one frame; blocks until it has arrived.
    ///
    /// # Errors
    ///
    /// Every error leaves the last commit unchanged and discards the one under way; the mirror
    /// continues once this server, or a different one, has been sent [`Mirror::ask`] again.
    /// [`FollowError::Missed`]; [`FollowError::Newer`]; [`FollowError::Io`]; [`FollowError::Store`]
    /// of its own store, with [`StoreError::Limit`] if a commit exceeds [`Mirror::limits`].
    pub fn read_next(&mut self, from: &mut dyn Read) -> Result<Applied, FollowError> {
        let applied = self.try_read(from);
        if applied.is_err() {
            self.give_up();
        }
        applied
    }

    fn try_read(&mut self, from: &mut dyn Read) -> Result<Applied, FollowError> {
        let Some(frame) = FollowFrame::read(from)? else {
            return match self.under_way {
                None => Ok(Applied::End),
                Some(_) => Err(missed("the stream ends within a commit")),
            };
        };
        let header = frame.header;
        if header.number == 0 {
            // A server that begins a commit gives up the unfinished one before.
            self.give_up();
            self.begin(header)?;
        }
        let Some(under_way) = &mut self.under_way else {
            return Err(missed("a commit comes without its beginning"));
        };
        if header != (FrameHeader { is_last: header.is_last, ..under_way.header }) {
            return Err(missed("a frame is missing, or comes twice"));
        }
        self.limits.check_frames(COMMIT, u64::from(header.number) + 1).map_err(over)?;
        under_way.header.number += 1;
        let (store, follow, limits) = (&mut self.store, &self.follow, &self.limits);
        if !under_way.is_known {
            frame.items(|key, item| under_way.take(store, (follow, limits), key, item))?;
        }
        if !header.is_last {
            return Ok(Applied::Part);
        }
        if !under_way.is_known {
            under_way.end(store)?;
            // Nothing has been committed so far: all of it is verified now.
            let held = store.generation();
            // A commit that changes nothing of the followed part is made too, to have its number.
            if store.is_changed || header.to > held {
                store.commit_as(header.to.max(held + 1))?;
            }
        }
        self.have = Have { generation: header.to, sum: header.sum };
        self.bytes = under_way.total.bytes;
        (self.under_way, self.lacks_all) = (None, false);
        Ok(Applied::Commit(header.to))
    }

    /// Begins a commit.
    fn begin(&mut self, header: FrameHeader) -> Result<(), FollowError> {
        let Have { generation: held, sum } = self.have;
        // The commit arrived twice, or was requested again: nothing has to be done.
        let is_known = (held, sum) == (header.to, header.sum);
        let is_all = header.from == 0 && header.kind == FrameKind::List;
        let is_next = !self.lacks_all && header.from == held && header.to > held;
        if !is_known && !is_all && !is_next {
            return Err(missed("a commit comes that does not follow this one"));
        }
        self.store.next = Generation::of(header.to.max(self.store.generation() + 1));
        let all = Total { sum, bytes: self.bytes };
        let (before, total) = match header.kind {
            FrameKind::List if !is_known => {
                (Some(Walk::new(self.store.reader(), Follow::default())), Total::default())
            }
            _ => (None, all),
        };
        self.under_way =
            Some(IncomingCommit { header, last: None, total, before, is_off: false, is_known });
        Ok(())
    }

    /// Discards the commit under way.
    fn give_up(&mut self) {
        if let Some(under_way) = self.under_way.take() {
            self.lacks_all |= under_way.is_off;
            self.store.roll_back();
            self.store.next = Generation::of(self.store.generation() + 1);
        }
    }
}

impl IncomingCommit {
    /// Applies an item.
    fn take(
        &mut self,
        store: &mut Store,
        (follow, limits): (&Follow, &Limits),
        key: Key,
        item: FrameItem<'_>,
    ) -> Result<(), FollowError> {
        if self.last.is_some_and(|last| last >= key) {
            return Err(missed("the extents of a commit are out of order"));
        }
        if !follow.has(key) {
            return Err(missed("an extent comes that was not asked for"));
        }
        self.last = Some(key);
        let old = self.old_of(store, key)?;
        let is_list = self.before.is_some();
        match (item, old) {
            (FrameItem::Put { generation, .. }, _) if generation > self.header.to => {
                Err(missed("an extent is of a commit to come"))
            }
            (FrameItem::Put { generation, bytes }, Some(old))
                if is_same(&old, generation, bytes) =>
            {
                self.stands(is_list, &old);
                Ok(())
            }
            (FrameItem::Put { generation, bytes }, old) => {
                if let Some(old) = old.filter(|_| !is_list) {
                    self.total.less(old.place);
                }
                let most = self.total.bytes.saturating_add(bytes.len() as u64);
                limits.check_bytes(COMMIT, most).map_err(over)?;
                store.put_as_of(key, bytes, generation)?;
                if let Some(new) = entry_of(store, key)? {
                    self.total.add(new.place);
                }
                Ok(())
            }
            (FrameItem::Stands, Some(old)) if is_list => {
                self.stands(is_list, &old);
                Ok(())
            }
            (FrameItem::Gone, Some(old)) if !is_list => {
                store.remove(key)?;
                self.total.less(old.place);
                Ok(())
            }
            (FrameItem::Stands | FrameItem::Gone, _) => {
                self.is_off = true;
                Err(missed("an extent that is said to be there is not"))
            }
        }
    }

    /// Returns the entry under a key. For a list, removes the extents before the key that were not
    /// named.
    fn old_of(&mut self, store: &mut Store, key: Key) -> Result<Option<KeyEntry>, StoreError> {
        self.take_away(store, Some(key))?;
        let Some(walk) = &mut self.before else { return entry_of(store, key) };
        let is_there = walk.peek()?.is_some_and(|entry| entry.key == key);
        if is_there { walk.next() } else { Ok(None) }
    }

    /// Removes, for a list, the old extents before a key, or all that are left.
    fn take_away(&mut self, store: &mut Store, before: Option<Key>) -> Result<(), StoreError> {
        let Some(walk) = &mut self.before else { return Ok(()) };
        while let Some(entry) = walk.peek()? {
            if before.is_some_and(|before| entry.key >= before) {
                break;
            }
            store.remove(entry.key)?;
            walk.next()?;
        }
        Ok(())
    }

    /// Counts an unchanged extent that a list names.
    fn stands(&mut self, is_list: bool, old: &KeyEntry) {
        if is_list {
            self.total.add(old.place);
        }
    }

    /// Ends the commit and checks that the store contains the same extents as the server.
    fn end(&mut self, store: &mut Store) -> Result<(), FollowError> {
        self.take_away(store, None)?;
        // This reader keeps the commit before.
        self.before = None;
        self.is_off = self.total.sum != self.header.sum;
        if self.is_off {
            return Err(missed("the extents of a commit do not make its sum"));
        }
        Ok(())
    }
}

/// Returns the entry under a key in the commit under way.
fn entry_of(store: &Store, key: Key) -> Result<Option<KeyEntry>, StoreError> {
    let view = store.view();
    let place = view.directory.find(view.disk, view.held, key)?;
    Ok(place.map(|place| KeyEntry { key, place }))
}

/// Whether an extent is identical to the one to be put.
fn is_same(entry: &KeyEntry, generation: u64, bytes: &[u8]) -> bool {
    let KeyEntry { key, place } = entry;
    if place.generation().number() != generation || place.length() as usize != bytes.len() {
        return false;
    }
    let mut all = record::header(Role::Layer, *key, place.generation(), place.length());
    all.extend(bytes);
    record::checksum(&all) == place.checksum()
}
