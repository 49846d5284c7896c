//! The client's side: a store that has what is followed of another one's commits.

use crate::store::Store;
use crate::store::StoreError;
use crate::store::follow::Ask;
use crate::store::follow::Follow;
use crate::store::follow::FollowError;
use crate::store::follow::ask::Have;
use crate::store::follow::frame::Frame;
use crate::store::follow::frame::Header;
use crate::store::follow::frame::Item;
use crate::store::follow::frame::Kind;
use crate::store::follow::walk::Walk;
use crate::store::follow::walk::sum_of;
use crate::store::key::Key;
use crate::store::layout;
use crate::store::layout::Entry;
use crate::store::layout::Role;
use std::io::Read;

/// What a stream brought.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applied {
    /// A part of a commit: more frames of it are to come.
    Part,
    /// The end of a commit: the mirror has it now. Its number.
    Commit(u64),
    /// Nothing: the stream ended, between two commits.
    End,
}

/// A store that follows another one.
///
/// Its commits have the numbers and, of what is followed, the extents of the other's, each with the
/// number of the commit that wrote it. What else was in the store is taken away by the first one.
#[derive(Debug)]
pub struct Mirror {
    store: Store,
    follow: Follow,
    have: Have,
    /// Something in the store is not what it should be: all is asked for.
    lacks_all: bool,
    under_way: Option<UnderWay>,
}

/// A commit of which frames have come.
#[derive(Debug)]
struct UnderWay {
    /// What the next frame is to say of itself, but for whether it is the last.
    header: Header,
    /// The last key that was named.
    last: Option<Key>,
    /// The sum of what there is.
    sum: u64,
    /// Of a list: what there was, from the last key on.
    before: Option<Walk>,
    /// What there was is not what the server takes it for.
    is_off: bool,
}

fn missed(what: &'static str) -> FollowError {
    FollowError::Missed { what }
}

impl Mirror {
    /// A mirror in a store: an empty one, or one that was a mirror before.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`], [`StoreError::Io`] where the store cannot be read.
    pub fn new(mut store: Store, follow: Follow) -> Result<Self, FollowError> {
        // What was put before and not committed is none of the other's.
        store.roll_back();
        let sum = sum_of(&store.reader(), &Follow::default())?;
        let have = Have { generation: store.generation(), sum };
        Ok(Self { store, follow, have, lacks_all: false, under_way: None })
    }

    /// What to ask a server for.
    #[must_use]
    pub fn ask(&self) -> Ask {
        let have = (!self.lacks_all).then_some(self.have);
        Ask { follow: self.follow.clone(), have }
    }

    /// The store. Between frames it may hold a part of a commit; a reader of it does not.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The store, at its last commit.
    #[must_use]
    pub fn into_store(mut self) -> Store {
        self.give_up();
        self.store
    }

    /// Number of the commit that it has.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.have.generation
    }

    /// Reads one frame and takes it; blocks until it has come.
    ///
    /// # Errors
    ///
    /// All leave the last commit as it was, with nothing of the one under way; it goes on once the
    /// server has been given [`Mirror::ask`] again. [`FollowError::Missed`];
    /// [`FollowError::Another`]; [`FollowError::Newer`]; [`FollowError::Io`];
    /// [`FollowError::Store`] of its own store.
    pub fn read_next(&mut self, from: &mut dyn Read) -> Result<Applied, FollowError> {
        let applied = self.try_read(from);
        if applied.is_err() {
            self.give_up();
        }
        applied
    }

    fn try_read(&mut self, from: &mut dyn Read) -> Result<Applied, FollowError> {
        let Some(frame) = Frame::read(from)? else {
            return match self.under_way {
                None => Ok(Applied::End),
                Some(_) => Err(missed("the stream ends within a commit")),
            };
        };
        let header = frame.header;
        if header.number == 0 {
            // A server that begins a commit anew gives up the one before.
            self.give_up();
            self.begin(header)?;
        }
        let Some(under_way) = &mut self.under_way else {
            return Err(missed("a commit comes without its beginning"));
        };
        if header != (Header { is_last: header.is_last, ..under_way.header }) {
            return Err(missed("a frame is missing, or comes twice"));
        }
        under_way.header.number += 1;
        let (store, follow) = (&mut self.store, &self.follow);
        frame.items(|key, item| under_way.take(store, follow, key, item))?;
        if !header.is_last {
            return Ok(Applied::Part);
        }
        under_way.end(store)?;
        store.is_changed = true;
        store.commit()?;
        self.have = Have { generation: header.to, sum: header.sum };
        (self.under_way, self.lacks_all) = (None, false);
        Ok(Applied::Commit(header.to))
    }

    /// Begins a commit.
    fn begin(&mut self, header: Header) -> Result<(), FollowError> {
        let (held, sent) = (self.store.generation(), header.to);
        let is_all = header.from == 0 && header.kind == Kind::List;
        if !is_all && (self.lacks_all || header.from != self.have.generation) {
            return Err(missed("a commit comes that does not follow this one"));
        }
        if (self.have == Have { generation: sent, sum: header.sum }) {
            return Err(missed("a commit comes twice"));
        }
        if sent <= held {
            return Err(FollowError::Another { held, sent });
        }
        if (sent - held).is_multiple_of(2) {
            // Both would stand in one slot: a crash between must leave the last one in the other.
            self.store.number_next(held + 1);
            self.store.is_changed = true;
            self.store.commit()?;
        }
        self.store.number_next(sent);
        let before = match header.kind {
            Kind::Changes => None,
            Kind::List => Some(Walk::new(self.store.reader(), Follow::default())),
        };
        let sum = self.have.sum;
        self.under_way = Some(UnderWay { header, last: None, sum, before, is_off: false });
        Ok(())
    }

    /// Goes back to the last commit.
    fn give_up(&mut self) {
        if let Some(under_way) = self.under_way.take() {
            self.lacks_all |= under_way.is_off;
            self.store.roll_back();
            self.store.number_next(self.store.generation() + 1);
        }
    }
}

impl UnderWay {
    /// Takes an item.
    fn take(
        &mut self,
        store: &mut Store,
        follow: &Follow,
        key: Key,
        item: Item<'_>,
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
            (Item::Put { generation, .. }, _) if generation > self.header.to => {
                Err(missed("an extent is of a commit to come"))
            }
            (Item::Put { generation, bytes }, old) => {
                if !old.is_some_and(|old| is_same(&old, generation, bytes)) {
                    store.put_as_of(key, bytes, generation)?;
                    self.exchange(old, entry_of(store, key)?);
                }
                Ok(())
            }
            (Item::Stands, Some(_)) if is_list => Ok(()),
            (Item::Gone, Some(old)) if !is_list => {
                store.remove(key)?;
                self.exchange(Some(old), None);
                Ok(())
            }
            (Item::Stands | Item::Gone, _) => {
                self.is_off = true;
                Err(missed("an extent that is said to be there is not"))
            }
        }
    }

    /// What stands under a key. Where all that there is is listed, what stands before it and was
    /// not named is taken away.
    fn old_of(&mut self, store: &mut Store, key: Key) -> Result<Option<Entry>, StoreError> {
        self.take_away(store, Some(key))?;
        let Some(walk) = &mut self.before else { return entry_of(store, key) };
        let is_there = walk.peek()?.is_some_and(|entry| entry.key == key);
        if is_there { walk.next() } else { Ok(None) }
    }

    /// Of a list: takes away what there is before a key, or all that is left.
    fn take_away(&mut self, store: &mut Store, before: Option<Key>) -> Result<(), StoreError> {
        let Some(walk) = &mut self.before else { return Ok(()) };
        while let Some(entry) = walk.peek()? {
            if before.is_some_and(|before| entry.key >= before) {
                break;
            }
            store.remove(entry.key)?;
            self.sum = self.sum.wrapping_sub(entry.place.checksum());
            walk.next()?;
        }
        Ok(())
    }

    fn exchange(&mut self, old: Option<Entry>, new: Option<Entry>) {
        let sum = |entry: Option<Entry>| entry.map_or(0, |entry| entry.place.checksum());
        self.sum = self.sum.wrapping_sub(sum(old)).wrapping_add(sum(new));
    }

    /// After the last item: there is now what the server has, or this is refused.
    fn end(&mut self, store: &mut Store) -> Result<(), FollowError> {
        self.take_away(store, None)?;
        // It holds the commit before.
        self.before = None;
        self.is_off = self.sum != self.header.sum;
        if self.is_off {
            return Err(missed("the extents of a commit do not make its sum"));
        }
        Ok(())
    }
}

/// What stands under a key in the commit under way.
fn entry_of(store: &Store, key: Key) -> Result<Option<Entry>, StoreError> {
    let view = store.view();
    let place = view.directory.find(view.disk, view.held, key)?;
    Ok(place.map(|place| Entry { key, place }))
}

/// Whether an extent is what is to be put.
fn is_same(entry: &Entry, generation: u64, bytes: &[u8]) -> bool {
    let Entry { key, place } = entry;
    if place.generation().number() != generation || place.length() as usize != bytes.len() {
        return false;
    }
    let mut all = layout::header(Role::Layer, *key, place.generation(), place.length());
    all.extend(bytes);
    layout::checksum(&all) == place.checksum()
}
