//! Extents on a backend: written whole, read and checked.

use crate::store::backend::{Backend, ByteSpan, Reading};
use crate::store::error::{READING, StoreError};
use crate::store::key::Key;
use crate::store::layout::{HEADER_BYTES, Role, SLOT_BYTES, SLOTS};
use crate::store::place::{ExtentPlace, Generation, HeldCommit, PlaceBounds};
use crate::store::record::{Superblock, SuperblockSlot, checksum, header, slot};

/// A backend that contains extents.
#[derive(Debug)]
pub struct Disk {
    backend: Box<dyn Backend>,
}

impl Disk {
    /// Creates a disk on a backend.
    #[must_use]
    pub fn new(backend: Box<dyn Backend>) -> Self {
        Self { backend }
    }

    /// Sets how extents that are read together are read.
    pub fn set_reading(&self, reading: Reading) {
        self.backend.set_reading(reading);
    }

    /// Returns the bytes of the file.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn size(&self) -> Result<u64, StoreError> {
        self.backend.size().map_err(StoreError::io("ask for the size of the world"))
    }

    /// Returns the contents of the two slots. A slot is incomplete for a moment while it is
    /// written, so broken ones are read again.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn slots(&self) -> Result<[SuperblockSlot; 2], StoreError> {
        let mut slots = self.slots_now()?;
        for _ in 0..2 {
            if !slots.contains(&SuperblockSlot::Broken) {
                break;
            }
            std::thread::yield_now();
            slots = self.slots_now()?;
        }
        Ok(slots)
    }

    fn slots_now(&self) -> Result<[SuperblockSlot; 2], StoreError> {
        let size = self.size()?;
        let mut slots = [SuperblockSlot::Empty; 2];
        for (number, found) in slots.iter_mut().enumerate() {
            let mut bytes = [0; SLOT_BYTES];
            let here = usize::try_from(size.saturating_sub(SLOTS[number])).unwrap_or(SLOT_BYTES);
            let part = &mut bytes[..here.min(SLOT_BYTES)];
            if !part.is_empty() {
                let read = self.backend.read_at(SLOTS[number], part);
                read.map_err(StoreError::io("read the head of the world"))?;
            }
            *found = slot(number, &bytes);
        }
        Ok(slots)
    }

    /// Returns the bounds against which the places of a commit are checked.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn bounds(&self, generation: Generation) -> Result<PlaceBounds, StoreError> {
        Ok(PlaceBounds { generation, size: self.size()? })
    }

    /// Reads the extent at a place: header and content, checked.
    ///
    /// # Errors
    ///
    /// [`StoreError::Damaged`] if the extent is not the expected one, [`StoreError::Overtaken`] if
    /// that is because later commits took its place.
    pub fn read(
        &self,
        named: (Role, Key),
        place: ExtentPlace,
        held: HeldCommit,
        out: &mut Vec<u8>,
    ) -> Result<(), StoreError> {
        out.clear();
        out.resize(span(place).length, 0);
        let read = self.backend.read_at(place.offset(), out);
        read.map_err(StoreError::io(READING))?;
        self.check(named, place, held, out)?;
        out.drain(..HEADER_BYTES);
        Ok(())
    }

    /// Shows the content of each of these extents, in place if the file is mapped, or the error of
    /// reading it, as in [`Disk::read`].
    pub fn show(
        &self,
        extents: &[(Key, ExtentPlace)],
        held: HeldCommit,
        mut look: impl FnMut(usize, Result<&[u8], StoreError>),
    ) {
        let spans: Vec<ByteSpan> = extents.iter().map(|&(_, place)| span(place)).collect();
        self.backend.show(&spans, &mut |number, bytes| {
            let (key, place) = extents[number];
            let bytes = bytes.map_err(StoreError::io(READING));
            look(
                number,
                bytes.and_then(|bytes| self.check((Role::Layer, key), place, held, bytes)),
            );
        });
    }

    /// Checks the bytes that were read at a place, and returns their content.
    fn check<'a>(
        &self,
        (role, key): (Role, Key),
        place: ExtentPlace,
        held: HeldCommit,
        bytes: &'a [u8],
    ) -> Result<&'a [u8], StoreError> {
        let header = header(role, key, place.generation(), place.length());
        let is_its_own = bytes[..HEADER_BYTES] == header;
        if is_its_own && checksum(bytes) == place.checksum() {
            return Ok(&bytes[HEADER_BYTES..]);
        }
        let newest = self.slots()?.into_iter().filter_map(|slot| match slot {
            SuperblockSlot::Whole(block) => Some(block.generation),
            _ => None,
        });
        match newest.max() {
            Some(newest) if held.may_be_overtaken_by(newest) => {
                let (held, newest) = (held.generation.number(), newest.number());
                Err(StoreError::Overtaken { held, newest })
            }
            _ => {
                let key = (role == Role::Layer).then_some(key);
                let what = if is_its_own {
                    "its checksum does not fit: it was damaged after it was written"
                } else {
                    "something else stands in its place"
                };
                Err(StoreError::Damaged { key, what })
            }
        }
    }

    /// Writes an extent at an offset; returns its place, and whether it was written.
    pub fn write(
        &self,
        (role, key): (Role, Key),
        (offset, generation): (u64, Generation),
        content: &[u8],
    ) -> (ExtentPlace, Result<(), StoreError>) {
        let length = u32::try_from(content.len()).expect("bounded by its role");
        let mut bytes = header(role, key, generation, length);
        bytes.extend(content);
        let place = ExtentPlace::of_written(offset, length, generation, checksum(&bytes));
        let written = self.backend.write_at(offset, &bytes);
        (place, written.map_err(StoreError::io("write the world")))
    }

    /// Writes a superblock into its slot.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn write_slot(&self, block: &Superblock) -> Result<(), StoreError> {
        let written = self.backend.write_at(block.slot(), &block.bytes());
        written.map_err(StoreError::io("commit the world"))
    }

    /// Checks that the file is still under its name.
    ///
    /// # Errors
    ///
    /// [`StoreError::Lost`] if it is not, [`StoreError::Io`] if that cannot be found out.
    pub fn check_name(&self) -> Result<(), StoreError> {
        let lost = self.backend.lost_name();
        match lost.map_err(StoreError::io("look for the world under its name"))? {
            None => Ok(()),
            Some(path) => Err(StoreError::lost(path)),
        }
    }

    /// Makes all earlier writes durable.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`].
    pub fn sync(&self) -> Result<(), StoreError> {
        self.backend.sync().map_err(StoreError::io("make a commit of the world last"))
    }
}

/// Returns the bytes of an extent with its header.
fn span(place: ExtentPlace) -> ByteSpan {
    ByteSpan { offset: place.offset(), length: HEADER_BYTES + place.length() as usize }
}
