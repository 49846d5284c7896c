//! A disk that fails, for tests.
//!
//! | fault | required result |
//! | --- | --- |
//! | a crash between any two calls | survived: the last commit that was reported, or the next |
//! | writes since the last sync are lost, reordered or partial (torn) | survived |
//! | a write fails, wholly or after a part (a full disk) | survived: the last commit is intact |
//! | a sync fails, and lost bytes look written | survived: no further commit before an open |
//! | the file is deleted, moved or replaced | detected: no later commit is reported |
//! | bits rot in bytes of the last sync | detected: an error, or the commit before |
//!
//! The disk keeps a list of the calls, from which it builds the possible contents after a crash.

use crate::store::backend::{Backend, memory};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Call to a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// A write.
    Write {
        /// Offset of the first byte.
        offset: u64,
        /// Bytes written.
        bytes: Vec<u8>,
    },
    /// A sync: makes all earlier writes durable.
    Sync,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InjectedFault {
    /// Number of the call that fails, counted from the first.
    pub call: usize,
    /// Error of the call and, if `lasts` is true, of all later ones.
    pub kind: io::ErrorKind,
    /// Bytes that are written nevertheless.
    pub written: usize,
    /// Whether later calls fail as well.
    pub lasts: bool,
}

/// Answer to the query whether the file still has its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFault {
    /// The file has lost its name.
    Lost,
    /// The operating system reports an error.
    Fails(io::ErrorKind),
}

#[derive(Debug, Default)]
struct Tape {
    bytes: Vec<u8>,
    calls: Vec<Call>,
    count: usize,
    fault: Option<InjectedFault>,
    /// Number of name queries so far; `name_fault` has the query from which on its fault applies.
    names: usize,
    name_fault: Option<(usize, NameFault)>,
}

/// A disk and its list of calls; clones share both.
#[derive(Debug, Clone, Default)]
pub struct FaultyDisk(Arc<Mutex<Tape>>);

impl FaultyDisk {
    /// Creates a disk with a fault.
    #[must_use]
    pub fn failing(fault: InjectedFault) -> Self {
        let disk = Self::default();
        disk.fail(fault);
        disk
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.tape().calls.clone()
    }

    /// Returns the number of calls so far, including failed ones.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tape().count
    }

    /// Returns the bytes of the disk, as a reader sees them.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.tape().bytes.clone()
    }

    /// Sets the fault of later calls.
    pub fn fail(&self, fault: InjectedFault) {
        self.tape().fault = Some(fault);
    }

    /// Returns the number of name queries so far. They change nothing and do not count as calls.
    #[must_use]
    pub fn names(&self) -> usize {
        self.tape().names
    }

    /// Makes the disk lose its name before query number `question`, counted from the first, for
    /// good.
    pub fn fail_name(&self, question: usize, fault: NameFault) {
        self.tape().name_fault = Some((question, fault));
    }

    /// Repairs the disk, which then has its name again.
    pub fn mend(&self) {
        let mut tape = self.tape();
        (tape.fault, tape.name_fault) = (None, None);
    }

    /// Answers a write or a sync: returns the number of bytes that are written, and the error if
    /// the call fails.
    fn ask(&self, bytes: usize) -> (usize, io::Result<()>) {
        let mut tape = self.tape();
        let call = tape.count;
        tape.count += 1;
        match tape.fault {
            Some(fault) if call == fault.call || (fault.lasts && call > fault.call) => {
                let written = if call == fault.call { fault.written.min(bytes) } else { 0 };
                (written, Err(fault.kind.into()))
            }
            _ => (bytes, Ok(())),
        }
    }
}

impl Backend for FaultyDisk {
    fn size(&self) -> io::Result<u64> {
        Ok(self.tape().bytes.len() as u64)
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        memory::read(&self.tape().bytes, offset, out)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let (written, result) = self.ask(bytes.len());
        let mut tape = self.tape();
        let bytes = bytes[..written].to_vec();
        memory::write(&mut tape.bytes, offset, &bytes)?;
        tape.calls.push(Call::Write { offset, bytes });
        result
    }

    fn sync(&self) -> io::Result<()> {
        let (_, result) = self.ask(0);
        if result.is_ok() {
            self.tape().calls.push(Call::Sync);
        }
        result
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        let mut tape = self.tape();
        let question = tape.names;
        tape.names += 1;
        match tape.name_fault {
            Some((from, NameFault::Lost)) if question >= from => Ok(Some("disk.thalweg".into())),
            Some((from, NameFault::Fails(kind))) if question >= from => Err(kind.into()),
            _ => Ok(None),
        }
    }
}

/// Fate of a write that no sync followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The write is on the disk.
    Kept,
    /// The write is not on the disk.
    Lost,
    /// The first bytes of the write are on the disk.
    Torn(usize),
    /// All bytes of the write but the first ones are on the disk.
    TornBefore(usize),
}

/// Returns the index of the first write among the first `crash` calls that no sync has made
/// durable.
#[must_use]
pub fn unsynced(calls: &[Call], crash: usize) -> usize {
    let last = calls[..crash].iter().rposition(|call| *call == Call::Sync);
    last.map_or(0, |at| at + 1)
}

/// Returns the bytes of a disk after a crash before call number `crash`; `fate` decides on each
/// write that no sync followed.
#[must_use]
pub fn image(calls: &[Call], crash: usize, mut fate: impl FnMut(usize) -> Fate) -> Vec<u8> {
    let (mut bytes, first) = (Vec::new(), unsynced(calls, crash));
    for (at, call) in calls[..crash].iter().enumerate() {
        let Call::Write { offset, bytes: new } = call else { continue };
        let (from, to) = match if at < first { Fate::Kept } else { fate(at - first) } {
            Fate::Kept => (0, new.len()),
            Fate::Lost => (0, 0),
            Fate::Torn(count) => (0, count.min(new.len())),
            Fate::TornBefore(count) => (count.min(new.len()), new.len()),
        };
        let offset = offset + from as u64;
        memory::write(&mut bytes, offset, &new[from..to]).expect("it fitted before");
    }
    bytes
}
