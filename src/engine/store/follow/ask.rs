//! The request of a client.

use crate::store::codec::{Bytes, Corrupt};

use crate::store::follow::VERSION;
use crate::store::follow::{Area, Follow, FollowError, Layers};
use crate::store::record;
use std::io::{Read, Write};

/// First bytes of the request.
const MAGIC: [u8; 8] = *b"\x89TLA\r\n\x1a\n";
/// Bytes of the request.
const ASK_BYTES: usize = 88;
/// Offset of its checksum.
const CHECKSUM: usize = ASK_BYTES - 8;
/// Bit of a request that has an area.
const HAS_AREA: u8 = 1;
/// Bit of a request that has a commit.
const HAS_COMMIT: u8 = 2;

/// Request of a client to a server: [`Mirror::ask`](crate::store::follow::Mirror::ask) makes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Part of the world that is followed.
    pub follow: Follow,
    /// Commit that the client has of this part.
    pub(super) have: Option<Have>,
}

/// Commit that a client has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Have {
    /// Number of the commit.
    pub generation: u64,
    /// Sum of the checksums of its extents.
    pub sum: u64,
}

impl Ask {
    /// Writes the request, and flushes.
    ///
    /// # Errors
    ///
    /// [`FollowError::Io`].
    pub fn write_to(&self, to: &mut dyn Write) -> Result<(), FollowError> {
        let written = to.write_all(&self.bytes()).and_then(|()| to.flush());
        written.map_err(FollowError::io("ask for commits"))
    }

    /// Reads the request of a client.
    ///
    /// # Errors
    ///
    /// [`FollowError::Io`], [`FollowError::NotAnAsk`], [`FollowError::Newer`].
    pub fn read_from(from: &mut dyn Read) -> Result<Self, FollowError> {
        let mut bytes = [0; ASK_BYTES];
        from.read_exact(&mut bytes).map_err(FollowError::io("read what a client asks for"))?;
        Self::of(&bytes)
    }

    fn bytes(&self) -> Vec<u8> {
        let Follow { area, levels, layers } = &self.follow;
        let has_area = if area.is_some() { HAS_AREA } else { 0 };
        let has_commit = if self.have.is_some() { HAS_COMMIT } else { 0 };
        let mut out = Vec::with_capacity(ASK_BYTES);
        out.extend(MAGIC);
        out.extend(VERSION.to_le_bytes());
        out.extend([has_area | has_commit, *levels.start(), *levels.end(), 0]);
        let ends = area.as_ref().map_or([0; 4], |area| {
            [area.columns.start, area.rows.start, area.columns.end, area.rows.end]
        });
        ends.iter().for_each(|end| out.extend(end.to_le_bytes()));
        layers.0.iter().for_each(|word| out.extend(word.to_le_bytes()));
        let have = self.have.map_or([0; 2], |have| [have.generation, have.sum]);
        have.iter().for_each(|number| out.extend(number.to_le_bytes()));
        out.extend(record::checksum(&out).to_le_bytes());
        out
    }

    fn of(bytes: &[u8; ASK_BYTES]) -> Result<Self, FollowError> {
        let wrong = |what| FollowError::NotAnAsk { what };
        if !bytes.starts_with(&MAGIC) {
            return Err(wrong("it does not begin as a question"));
        }
        let read = || -> Result<_, Corrupt> {
            let mut bytes = Bytes(&bytes[MAGIC.len()..]);
            let version = u32::from_le_bytes(bytes.take_array()?);
            let [bits, finest, coarsest, _] = bytes.take_array()?;
            let mut ends = [0; 4];
            for end in &mut ends {
                *end = u32::from_le_bytes(bytes.take_array()?);
            }
            let mut words = [0; 6];
            for word in &mut words {
                *word = u64::from_le_bytes(bytes.take_array()?);
            }
            let checksum = u64::from_le_bytes(bytes.take_array()?);
            Ok((version, bits, finest..=coarsest, ends, words, checksum))
        };
        let (version, bits, levels, [west, south, east, north], words, checksum) =
            read().map_err(|_| wrong("it is too short"))?;
        if version > VERSION {
            return Err(FollowError::Newer { found: version });
        }
        if checksum != record::checksum(&bytes[..CHECKSUM]) {
            return Err(wrong("its checksum does not fit"));
        }
        let area = Area { columns: west..east, rows: south..north };
        let [a, b, c, d, generation, sum] = words;
        Ok(Self {
            follow: Follow {
                area: (bits & HAS_AREA != 0).then_some(area),
                levels,
                layers: Layers([a, b, c, d]),
            },
            have: (bits & HAS_COMMIT != 0).then_some(Have { generation, sum }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Layer;

    #[test]
    fn questions_come_as_they_were_asked_or_not_at_all() {
        let area = Area { columns: 5..70_000, rows: 0..u32::MAX };
        let layers = Layers::of(&[Layer::Bed, Layer::of(255)]);
        let follow = Follow { area: Some(area), levels: 2..=7, layers };
        let have = Some(Have { generation: 1 << 40, sum: u64::MAX - 3 });
        let asked = [
            Ask { follow: follow.clone(), have },
            Ask { follow, have: None },
            Ask { follow: Follow::default(), have: None },
        ];
        for ask in asked {
            let mut bytes = Vec::new();
            ask.write_to(&mut bytes).expect("memory");
            assert_eq!(bytes.len(), ASK_BYTES);
            assert_eq!(Ask::read_from(&mut &bytes[..]).expect("whole"), ask);
            for at in 0..bytes.len() {
                assert!(Ask::read_from(&mut &bytes[..at]).is_err(), "{at} bytes");
                let mut flipped = bytes.clone();
                flipped[at] ^= 1 << (at % 8);
                assert!(Ask::read_from(&mut &flipped[..]).is_err(), "byte {at}");
            }
        }
    }
}
