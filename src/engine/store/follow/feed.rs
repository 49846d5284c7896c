//! The server's side: commits as frames.

use crate::store::follow::ask::Have;
use crate::store::follow::frame::{
    FrameHeader, FrameItem, FrameKind, NAME_BYTES, PAYLOAD_MAX, PUT_BYTES, frame_bytes, put_item,
};
use crate::store::follow::walk::{Walk, total_of};
use crate::store::follow::{Ask, Follow, FollowError};
use crate::store::key::Key;
use crate::store::layout::Role;
use crate::store::place::ExtentPlace;
use crate::store::reader::ExtentDifference;
use crate::store::record::KeyEntry;
use crate::store::{Reader, StoreError};
use std::io::Write;
use std::iter::Peekable;
use std::vec::IntoIter;

/// Number of attempts to begin a commit that is overwritten before it has been sent.
const OVERTAKEN_TRIES: u32 = 8;

/// Part of a world's commits that one client follows, as frames.
///
/// A feed moves from commit to commit and skips commits made while a frame was written: a slow
/// client gets fewer commits, each whole.
#[derive(Debug)]
pub struct Feed {
    follow: Follow,
    reader: Reader,
    sent: SentCommit,
    /// The commit under way.
    under_way: Option<OutgoingCommit>,
    frames: u64,
    bytes: u64,
    unpacked: u64,
}

/// Commit that the mirror has.
#[derive(Debug, Clone)]
enum SentCommit {
    /// No commit, or an unknown one.
    Nothing,
    /// The commit that the mirror named in its request.
    AsAsked(Have),
    /// This commit, with its sum.
    Commit(Reader, u64),
}

/// A commit that has been sent in part.
#[derive(Debug)]
struct OutgoingCommit {
    from: u64,
    /// The sum of its followed extents.
    sum: u64,
    number: u32,
    rest: UnsentPart,
}

/// The part of a commit that has not been sent yet.
#[derive(Debug)]
enum UnsentPart {
    Changes(Peekable<IntoIter<ExtentDifference>>),
    List(Walk),
}

/// Item about an extent.
#[derive(Debug, Clone, Copy)]
struct Said {
    key: Key,
    /// Place of the extent, and whether its bytes are sent; `None` if the extent is gone.
    place: Option<(ExtentPlace, bool)>,
}

impl Said {
    /// Returns the number of bytes of the item.
    fn bytes(&self) -> usize {
        match self.place {
            Some((place, true)) => PUT_BYTES + place.length() as usize,
            _ => NAME_BYTES,
        }
    }
}

impl OutgoingCommit {
    /// Returns the next item without moving on.
    fn peek(&mut self) -> Result<Option<Said>, StoreError> {
        let from = self.from;
        Ok(match &mut self.rest {
            UnsentPart::Changes(changes) => changes.peek().map(|change| Said {
                key: change.key,
                place: change.new.map(|place| (place, true)),
            }),
            UnsentPart::List(walk) => walk.peek()?.map(|KeyEntry { key, place }| Said {
                key,
                // If the world went back to a kept commit, an extent that is not newer may still be
                // missing in the mirror. The mirror notices a key that it lacks, or a wrong sum,
                // and requests all.
                place: Some((place, place.generation().number() > from)),
            }),
        })
    }

    /// Moves on to the next item.
    fn step(&mut self) -> Result<(), StoreError> {
        match &mut self.rest {
            UnsentPart::Changes(changes) => _ = changes.next(),
            UnsentPart::List(walk) => _ = walk.next()?,
        }
        Ok(())
    }

    fn kind(&self) -> FrameKind {
        match self.rest {
            UnsentPart::Changes(_) => FrameKind::Changes,
            UnsentPart::List(_) => FrameKind::List,
        }
    }
}

impl Feed {
    /// Creates a feed for the request of a client. `reader` is of the followed world.
    #[must_use]
    pub fn new(reader: Reader, ask: &Ask) -> Self {
        Self {
            follow: ask.follow.clone(),
            reader,
            sent: ask.have.map_or(SentCommit::Nothing, SentCommit::AsAsked),
            under_way: None,
            frames: 0,
            bytes: 0,
            unpacked: 0,
        }
    }

    /// Writes the next frame: of the commit under way, or of the newest if that is newer. Returns
    /// false, and writes nothing, if the mirror has the newest commit.
    ///
    /// # Errors
    ///
    /// [`FollowError::Io`] of the stream; [`FollowError::Store`] of the world. Earlier frames then
    /// no longer count: the next frame begins a full list.
    pub fn write_next(&mut self, to: &mut dyn Write) -> Result<bool, FollowError> {
        let written = self.try_write(to);
        if written.is_err() {
            (self.under_way, self.sent) = (None, SentCommit::Nothing);
        }
        written
    }

    /// Returns the number of the commit that is under way, or that the last frame completed.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.reader.generation()
    }

    /// Returns the number of frames written.
    #[must_use]
    pub fn frames(&self) -> u64 {
        self.frames
    }

    /// Returns the number of bytes written, and their number before lz4.
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
                // A commit that is no longer whole is given up: the next one is sent as a list.
                Err(StoreError::Overtaken { .. }) if tried < OVERTAKEN_TRIES => {
                    if let SentCommit::Commit(reader, sum) = &self.sent {
                        let (generation, sum) = (reader.generation(), *sum);
                        self.sent = SentCommit::AsAsked(Have { generation, sum });
                    }
                    self.under_way = None;
                    self.reader.refresh()?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        unreachable!("the last try returns")
    }

    /// Begins a commit if none is under way; returns false if no commit is newer.
    fn begin(&mut self) -> Result<bool, StoreError> {
        if self.under_way.is_some() {
            return Ok(true);
        }
        self.reader.refresh()?;
        if let SentCommit::AsAsked(have) = self.sent {
            let newest = self.reader.generation();
            let is_here = have.generation == newest;
            if is_here && have.sum == total_of(&self.reader, &self.follow)?.sum {
                self.sent = SentCommit::Commit(self.reader.clone(), have.sum);
            } else if have.generation >= newest {
                // The client's commit is not of this world.
                self.sent = SentCommit::Nothing;
            }
        }
        let list = |from| {
            let sum = total_of(&self.reader, &self.follow)?.sum;
            let rest = UnsentPart::List(Walk::new(self.reader.clone(), self.follow.clone()));
            Ok::<_, StoreError>(Some(OutgoingCommit { from, sum, number: 0, rest }))
        };
        self.under_way = match &self.sent {
            SentCommit::Nothing => list(0)?,
            SentCommit::AsAsked(have) => list(have.generation)?,
            SentCommit::Commit(before, _) if before.generation() == self.reader.generation() => {
                None
            }
            SentCommit::Commit(before, sum) => {
                let mut changes = self.reader.differences(before)?;
                changes.retain(|change| self.follow.has(change.key));
                let sum = changes.iter().fold(*sum, |sum, change| {
                    let of = |place: Option<ExtentPlace>| place.map_or(0, ExtentPlace::checksum);
                    sum.wrapping_sub(of(change.old)).wrapping_add(of(change.new))
                });
                let rest = UnsentPart::Changes(changes.into_iter().peekable());
                Some(OutgoingCommit { from: before.generation(), sum, number: 0, rest })
            }
        };
        Ok(self.under_way.is_some())
    }

    /// Returns the next frame of the commit under way.
    fn frame(&mut self) -> Result<Vec<u8>, StoreError> {
        let under_way = self.under_way.as_mut().expect("begun");
        let view = self.reader.view();
        let (mut payload, mut count, mut extent) = (Vec::new(), 0, Vec::new());
        let is_last = loop {
            let Some(said) = under_way.peek()? else { break true };
            // The first item always fits (asserted beside `PAYLOAD_MAX`): each frame has an item,
            // or is the last.
            if payload.len() + said.bytes() > PAYLOAD_MAX {
                break false;
            }
            let item = match said.place {
                None => FrameItem::Gone,
                Some((_, false)) => FrameItem::Stands,
                Some((place, true)) => {
                    view.disk.read((Role::Layer, said.key), place, view.held, &mut extent)?;
                    FrameItem::Put { generation: place.generation().number(), bytes: &extent }
                }
            };
            put_item(&mut payload, said.key, item);
            count += 1;
            under_way.step()?;
        };
        let (to, sum) = (self.reader.generation(), under_way.sum);
        let header = FrameHeader {
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
            self.sent = SentCommit::Commit(self.reader.clone(), sum);
        }
        self.unpacked += payload.len() as u64;
        Ok(frame_bytes(&header, count, &payload))
    }
}
