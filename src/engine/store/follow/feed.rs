//! The server's side: commits as frames.

use crate::store::follow::ask::Have;
use crate::store::follow::frame::{
    Header, Item, Kind, NAME_BYTES, PAYLOAD_MAX, PUT_BYTES, frame_bytes, put_item,
};
use crate::store::follow::walk::{Walk, total_of};
use crate::store::follow::{Ask, Follow, FollowError};
use crate::store::key::Key;
use crate::store::layout::Role;
use crate::store::place::Place;
use crate::store::reader::Difference;
use crate::store::record::Entry;
use crate::store::{Reader, StoreError};
use std::io::Write;
use std::iter::Peekable;
use std::vec::IntoIter;

/// How often a commit is begun that is written over before it has been sent.
const OVERTAKEN_TRIES: u32 = 8;

/// Part of a world's commits that one client follows, as frames.
///
/// A feed moves from commit to commit, over those that came while a frame was written: a slow
/// client gets fewer commits, each whole.
#[derive(Debug)]
pub struct Feed {
    follow: Follow,
    reader: Reader,
    sent: Sent,
    /// The commit under way.
    under_way: Option<UnderWay>,
    frames: u64,
    bytes: u64,
    unpacked: u64,
}

/// Commit that the mirror has.
#[derive(Debug, Clone)]
enum Sent {
    /// No known commit.
    Nothing,
    /// The commit that the mirror named.
    AsAsked(Have),
    /// This commit, with its sum.
    Commit(Reader, u64),
}

/// A commit that has been sent in part.
#[derive(Debug)]
struct UnderWay {
    from: u64,
    /// The sum of what is followed.
    sum: u64,
    number: u32,
    rest: Rest,
}

/// Rest of a commit that is yet to be sent.
#[derive(Debug)]
enum Rest {
    Changes(Peekable<IntoIter<Difference>>),
    List(Walk),
}

/// Item about an extent.
#[derive(Debug, Clone, Copy)]
struct Said {
    key: Key,
    /// Where it stands, and whether it is sent; none where it is gone.
    place: Option<(Place, bool)>,
}

impl Said {
    /// Bytes of its item.
    fn bytes(&self) -> usize {
        match self.place {
            Some((place, true)) => PUT_BYTES + place.length() as usize,
            _ => NAME_BYTES,
        }
    }
}

impl UnderWay {
    /// Next item, which stays the next.
    fn peek(&mut self) -> Result<Option<Said>, StoreError> {
        let from = self.from;
        Ok(match &mut self.rest {
            Rest::Changes(changes) => changes.peek().map(|change| Said {
                key: change.key,
                place: change.new.map(|place| (place, true)),
            }),
            Rest::List(walk) => walk.peek()?.map(|Entry { key, place }| Said {
                key,
                place: Some((place, place.generation().number() > from)),
            }),
        })
    }

    /// Goes on to the next one.
    fn step(&mut self) -> Result<(), StoreError> {
        match &mut self.rest {
            Rest::Changes(changes) => _ = changes.next(),
            Rest::List(walk) => _ = walk.next()?,
        }
        Ok(())
    }

    fn kind(&self) -> Kind {
        match self.rest {
            Rest::Changes(_) => Kind::Changes,
            Rest::List(_) => Kind::List,
        }
    }
}

impl Feed {
    /// Begins with the request of a client. `reader` is of the world that it follows.
    #[must_use]
    pub fn new(reader: Reader, ask: &Ask) -> Self {
        Self {
            follow: ask.follow.clone(),
            reader,
            sent: ask.have.map_or(Sent::Nothing, Sent::AsAsked),
            under_way: None,
            frames: 0,
            bytes: 0,
            unpacked: 0,
        }
    }

    /// Writes the next frame: of the commit under way, or of the newest where that is newer. False
    /// where there is none, and nothing was written.
    ///
    /// # Errors
    ///
    /// [`FollowError::Io`] of the stream; [`FollowError::Store`] of the world. What came before is
    /// no longer counted on: the next frame begins with all there is.
    pub fn write_next(&mut self, to: &mut dyn Write) -> Result<bool, FollowError> {
        let written = self.try_write(to);
        if written.is_err() {
            (self.under_way, self.sent) = (None, Sent::Nothing);
        }
        written
    }

    /// Number of the commit that the frames before ended, or that is under way.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.reader.generation()
    }

    /// Frames that it has written.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Bytes that it has written, and what they were before lz4.
    #[must_use]
    pub fn bytes(&self) -> (u64, u64) {
        (self.bytes, self.unpacked)
    }

    fn try_write(&mut self, to: &mut dyn Write) -> Result<bool, FollowError> {
        for tried in 1.. {
            let made = match self.begin() {
                Ok(false) => return Ok(false),
                Ok(true) => self.frame(),
                Err(error) => Err(error),
            };
            match made {
                Ok(frame) => {
                    let written = to.write_all(&frame).and_then(|()| to.flush());
                    written.map_err(FollowError::io("send a commit"))?;
                    (self.frames, self.bytes) = (self.frames + 1, self.bytes + frame.len() as u64);
                    return Ok(true);
                }
                // Of a commit that is no longer whole nothing counts: the next one is listed.
                Err(StoreError::Overtaken { .. }) if tried < OVERTAKEN_TRIES => {
                    if let Sent::Commit(reader, sum) = &self.sent {
                        let (generation, sum) = (reader.generation(), *sum);
                        self.sent = Sent::AsAsked(Have { generation, sum });
                    }
                    self.under_way = None;
                    self.reader.refresh()?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        unreachable!("the last try returns")
    }

    /// Makes sure that a commit is under way; false where there is no newer one.
    fn begin(&mut self) -> Result<bool, StoreError> {
        if self.under_way.is_some() {
            return Ok(true);
        }
        self.reader.refresh()?;
        if let Sent::AsAsked(have) = self.sent {
            let newest = self.reader.generation();
            let is_here = have.generation == newest;
            if is_here && have.sum == total_of(&self.reader, &self.follow)?.sum {
                self.sent = Sent::Commit(self.reader.clone(), have.sum);
            } else if have.generation >= newest {
                // It is not of this world.
                self.sent = Sent::Nothing;
            }
        }
        let list = |from| {
            let sum = total_of(&self.reader, &self.follow)?.sum;
            let rest = Rest::List(Walk::new(self.reader.clone(), self.follow.clone()));
            Ok::<_, StoreError>(Some(UnderWay { from, sum, number: 0, rest }))
        };
        self.under_way = match &self.sent {
            Sent::Nothing => list(0)?,
            Sent::AsAsked(have) => list(have.generation)?,
            Sent::Commit(before, _) if before.generation() == self.reader.generation() => None,
            Sent::Commit(before, sum) => {
                let mut changes = self.reader.differences(before)?;
                changes.retain(|change| self.follow.has(change.key));
                let sum = changes.iter().fold(*sum, |sum, change| {
                    let of = |place: Option<Place>| place.map_or(0, Place::checksum);
                    sum.wrapping_sub(of(change.old)).wrapping_add(of(change.new))
                });
                let rest = Rest::Changes(changes.into_iter().peekable());
                Some(UnderWay { from: before.generation(), sum, number: 0, rest })
            }
        };
        Ok(self.under_way.is_some())
    }

    /// The next frame of the commit under way.
    fn frame(&mut self) -> Result<Vec<u8>, StoreError> {
        let under_way = self.under_way.as_mut().expect("begun");
        let view = self.reader.view();
        let (mut payload, mut count, mut extent) = (Vec::new(), 0, Vec::new());
        let is_last = loop {
            let Some(said) = under_way.peek()? else { break true };
            if payload.len() + said.bytes() > PAYLOAD_MAX {
                break false;
            }
            let item = match said.place {
                None => Item::Gone,
                Some((_, false)) => Item::Stands,
                Some((place, true)) => {
                    view.disk.read((Role::Layer, said.key), place, view.held, &mut extent)?;
                    Item::Put { generation: place.generation().number(), bytes: &extent }
                }
            };
            put_item(&mut payload, said.key, item);
            count += 1;
            under_way.step()?;
        };
        let (to, sum) = (self.reader.generation(), under_way.sum);
        let header = Header {
            kind: under_way.kind(),
            is_last,
            from: under_way.from,
            to,
            sum,
            number: under_way.number,
        };
        under_way.number += 1;
        if is_last {
            self.under_way = None;
            self.sent = Sent::Commit(self.reader.clone(), sum);
        }
        self.unpacked += payload.len() as u64;
        Ok(frame_bytes(&header, count, &payload))
    }
}
