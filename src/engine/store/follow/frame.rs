//! The bytes of a frame: a header, and the changes in an lz4 frame.

use crate::store::codec::{Bytes, Corrupt};
use crate::store::follow::{FollowError, VERSION};
use crate::store::key::Key;
use crate::store::layout::{EXTENT_MAX, GENERATION_MAX, KEY_BYTES};
use crate::store::record;
use lz4_flex::frame::{FrameDecoder, FrameEncoder};
use std::io;
use std::io::{Read, Write};

/// The first bytes of a frame. A stream that went through a text filter is not mistaken for one.
const MAGIC: [u8; 8] = *b"\x89TLF\r\n\x1a\n";
/// Bytes before the lz4 frame.
const HEADER_BYTES: usize = 64;
/// Offset of the checksum, which covers the header before it and the lz4 frame after it.
const CHECKSUM: usize = HEADER_BYTES - 8;
/// Most bytes of items in a frame: the largest extent fits.
pub const PAYLOAD_MAX: usize = 2 << 20;
const _: () = assert!(PAYLOAD_MAX > EXTENT_MAX + PUT_BYTES);
/// Most bytes of the lz4 frame: incompressible bytes grow by less than this.
// lz4 may add n / 255 + 16 bytes to n; the rest is room for the headers of its frame and blocks.
const PACKED_MAX: usize = PAYLOAD_MAX + PAYLOAD_MAX / 64 + 1024;

/// The number of the last commit that is followed: a mirror can always continue after it, from any
/// sender.
pub const FOLLOWED_MAX: u64 = GENERATION_MAX / 2;

/// Bytes of an item that names an extent as gone or unchanged.
pub const NAME_BYTES: usize = 1 + KEY_BYTES;
/// Bytes of an item before its extent.
pub const PUT_BYTES: usize = NAME_BYTES + 8 + 4;

const GONE: u8 = 0;
const STANDS: u8 = 1;
const PUT: u8 = 2;

/// Kind of the items of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameKind {
    /// Differences from the commit before.
    Changes,
    /// A list of all extents: extents not named are gone.
    List,
}

/// Header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameHeader {
    /// Kind of the items.
    pub kind: FrameKind,
    /// Whether the frame is the last one of its commit.
    pub is_last: bool,
    /// The commit that the mirror must have; 0 if any will do.
    pub from: u64,
    /// The commit to which the frame belongs.
    pub to: u64,
    /// The sum of the followed extents of that commit.
    pub sum: u64,
    /// Index of the frame within its commit, from 0.
    pub number: u32,
}

/// Change of an extent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameItem<'a> {
    /// The extent is removed.
    Gone,
    /// The extent is unchanged.
    Stands,
    /// The extent is put.
    Put {
        /// The commit that wrote it.
        generation: u64,
        /// Bytes of the extent.
        bytes: &'a [u8],
    },
}

/// A frame.
#[derive(Debug)]
pub struct FollowFrame {
    /// Header of the frame.
    pub header: FrameHeader,
    count: u32,
    payload: Vec<u8>,
}

/// Adds an item to a payload.
pub fn put_item(out: &mut Vec<u8>, key: Key, item: FrameItem<'_>) {
    out.push(match item {
        FrameItem::Gone => GONE,
        FrameItem::Stands => STANDS,
        FrameItem::Put { .. } => PUT,
    });
    record::put_key(out, key);
    if let FrameItem::Put { generation, bytes } = item {
        out.extend(generation.to_le_bytes());
        let length = u32::try_from(bytes.len()).expect("bytes of an extent");
        out.extend(length.to_le_bytes());
        out.extend(bytes);
    }
}

/// Returns the bytes of a frame of `count` items.
pub fn frame_bytes(header: &FrameHeader, count: u32, payload: &[u8]) -> Vec<u8> {
    frame_bytes_as(header, count, payload.len(), payload)
}

/// Returns the bytes of a frame whose header gives this many bytes for the payload.
pub(super) fn frame_bytes_as(
    header: &FrameHeader,
    count: u32,
    payload_bytes: usize,
    payload: &[u8],
) -> Vec<u8> {
    let number = |length: usize| u32::try_from(length).expect("bounded").to_le_bytes();
    let mut packed = FrameEncoder::new(Vec::new());
    packed.write_all(payload).expect("memory");
    let packed = packed.finish().expect("memory");
    let mut out = Vec::with_capacity(HEADER_BYTES + packed.len());
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend([u8::from(header.kind == FrameKind::List), u8::from(header.is_last), 0, 0]);
    [header.from, header.to, header.sum].iter().for_each(|n| out.extend(n.to_le_bytes()));
    out.extend(header.number.to_le_bytes());
    out.extend(count.to_le_bytes());
    out.extend(number(payload_bytes));
    out.extend(number(packed.len()));
    let checksum = checksum_of(&out, &packed);
    out.extend(checksum.to_le_bytes());
    out.extend(packed);
    out
}

fn checksum_of(head: &[u8], packed: &[u8]) -> u64 {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    hash.update(head);
    hash.update(packed);
    hash.digest()
}

fn missed(what: &'static str) -> FollowError {
    FollowError::Missed { what }
}

/// Reads until `out` is full or the stream ends, and returns the number of bytes.
fn fill(from: &mut dyn Read, out: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < out.len() {
        match from.read(&mut out[filled..]) {
            Ok(0) => break,
            Ok(read) => filled += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

impl FollowFrame {
    /// Reads the next frame; returns `None` if the stream ends before it.
    ///
    /// # Errors
    ///
    /// [`FollowError::Missed`], [`FollowError::Newer`], [`FollowError::Io`].
    pub fn read(from: &mut dyn Read) -> Result<Option<Self>, FollowError> {
        let mut head = [0; HEADER_BYTES];
        let io = FollowError::io("read what a server sends");
        match fill(from, &mut head).map_err(&io)? {
            0 => return Ok(None),
            HEADER_BYTES => {}
            _ => return Err(missed("the stream ends within a frame")),
        }
        let (header, [count, payload, length], checksum) = header_of(&head)?;
        let (payload_bytes, length) = (payload as usize, length as usize);
        if payload_bytes > PAYLOAD_MAX || length > PACKED_MAX {
            return Err(missed("a frame is larger than one may be"));
        }
        // The memory grows with the bytes received, not with the header's number.
        let mut packed = Vec::new();
        from.take(length as u64).read_to_end(&mut packed).map_err(&io)?;
        if packed.len() < length {
            return Err(missed("the stream ends within a frame"));
        }
        if checksum_of(&head[..CHECKSUM], &packed) != checksum {
            return Err(missed("the checksum of a frame does not fit"));
        }
        let mut payload = Vec::with_capacity(payload_bytes);
        // One byte beyond the length in the header is enough to refuse a frame that unpacks to
        // gigabytes.
        let unpacked = FrameDecoder::new(&packed[..]).take(payload_bytes as u64 + 1);
        let is_lz4 = { unpacked }.read_to_end(&mut payload).is_ok();
        if !is_lz4 || payload.len() != payload_bytes {
            return Err(missed("a frame does not unpack"));
        }
        Ok(Some(Self { header, count, payload }))
    }

    /// Calls `take` for each item, in order.
    ///
    /// # Errors
    ///
    /// [`FollowError::Missed`] if the items are invalid, and errors of `take`.
    pub fn items(
        &self,
        mut take: impl FnMut(Key, FrameItem<'_>) -> Result<(), FollowError>,
    ) -> Result<(), FollowError> {
        let mut bytes = Bytes(&self.payload);
        for _ in 0..self.count {
            let item =
                next_item(&mut bytes).map_err(|_| missed("a frame has less than it says"))?;
            let Some((key, item)) = item else {
                return Err(missed("a frame has something else than extents"));
            };
            take(key, item)?;
        }
        bytes.end().map_err(|_| missed("a frame has more than it says"))
    }
}

/// Returns the fields of a frame's header; the number of items, their bytes and the bytes of the
/// lz4 frame; and the checksum.
fn header_of(head: &[u8; HEADER_BYTES]) -> Result<(FrameHeader, [u32; 3], u64), FollowError> {
    let read = || -> Result<_, Corrupt> {
        let mut bytes = Bytes(head);
        let magic = bytes.take_array::<8>()?;
        let version = u32::from_le_bytes(bytes.take_array()?);
        let bits = bytes.take_array::<4>()?;
        let mut long = || Ok::<_, Corrupt>(u64::from_le_bytes(bytes.take_array()?));
        let [from, to, sum] = [long()?, long()?, long()?];
        let mut short = || Ok::<_, Corrupt>(u32::from_le_bytes(bytes.take_array()?));
        let [number, count, payload, packed] = [short()?, short()?, short()?, short()?];
        let checksum = u64::from_le_bytes(bytes.take_array()?);
        let kind = if bits[0] == 0 { FrameKind::Changes } else { FrameKind::List };
        let header = FrameHeader { kind, is_last: bits[1] != 0, from, to, sum, number };
        let is_sound = magic == MAGIC && bits[0] <= 1 && bits[1] <= 1 && bits[2..] == [0, 0];
        Ok((is_sound, version, header, [count, payload, packed], checksum))
    };
    let (is_sound, version, header, lengths, checksum) =
        read().map_err(|_| missed("the stream ends within a frame"))?;
    if !is_sound {
        return Err(missed("what comes is no frame"));
    }
    if version > VERSION {
        return Err(FollowError::Newer { found: version });
    }
    if header.to > FOLLOWED_MAX {
        return Err(missed("no commit has so large a number"));
    }
    Ok((header, lengths, checksum))
}

/// Takes the next item; returns `None` if its kind is unknown.
fn next_item<'a>(bytes: &mut Bytes<'a>) -> Result<Option<(Key, FrameItem<'a>)>, Corrupt> {
    let mark = bytes.take_byte()?;
    let key = record::key(&bytes.take_array()?);
    let item = match mark {
        GONE => FrameItem::Gone,
        STANDS => FrameItem::Stands,
        PUT => {
            let generation = u64::from_le_bytes(bytes.take_array()?);
            let length = u32::from_le_bytes(bytes.take_array()?) as usize;
            let bytes = bytes.take(length)?;
            if bytes.len() > EXTENT_MAX {
                return Ok(None);
            }
            FrameItem::Put { generation, bytes }
        }
        _ => return Ok(None),
    };
    Ok(Some((key, item)))
}
