//! A disk that fails, for tests.
//!
//! | fault | what must come of it |
//! | --- | --- |
//! | a crash between any two calls | survived: the last commit that was reported, or the next |
//! | writes since the last sync are lost, come in any order, or in part (torn) | survived |
//! | a write fails, wholly or after a part (a full disk) | survived: the last commit stands |
//! | a sync fails, and what it lost looks written | survived: no further commit before an open |
//! | the file is deleted, moved or replaced | detected: no commit is reported from then on |
//! | bits rot in what a sync made last | detected: an error, or the commit before |
//!
//! The disk keeps a list of the calls, and makes of it a disk as it may be after a crash.

use crate::store::backend::{Backend, memory};
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Call to a disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Call {
    /// To write.
    Write {
        /// From where on, bytes.
        offset: u64,
        /// Bytes written.
        bytes: Vec<u8>,
    },
    /// To make all that was written last.
    Sync,
}

/// How a call fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// Which call, counted from the first.
    pub call: usize,
    /// Error of the call and, where `lasts`, of all later ones.
    pub kind: io::ErrorKind,
    /// Bytes that are written all the same.
    pub written: usize,
    /// Whether later calls fail as well.
    pub lasts: bool,
}

/// Answer to the question whether the file still has its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NameFault {
    /// The file has lost its name.
    Lost,
    /// The operating system does not say.
    Fails(io::ErrorKind),
}

#[derive(Debug, Default)]
struct Tape {
    bytes: Vec<u8>,
    calls: Vec<Call>,
    count: usize,
    fault: Option<Fault>,
    /// Questions for the name, and from which one on it is what.
    names: usize,
    name_fault: Option<(usize, NameFault)>,
}

/// A disk, and its tape: clones are the same one.
#[derive(Debug, Clone, Default)]
pub struct FaultyDisk(Arc<Mutex<Tape>>);

impl FaultyDisk {
    /// A disk that fails so.
    #[must_use]
    pub fn failing(fault: Fault) -> Self {
        let disk = Self::default();
        disk.fail(fault);
        disk
    }

    fn tape(&self) -> MutexGuard<'_, Tape> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls so far.
    #[must_use]
    pub fn calls(&self) -> Vec<Call> {
        self.tape().calls.clone()
    }

    /// Calls so far, those that failed as well.
    #[must_use]
    pub fn count(&self) -> usize {
        self.tape().count
    }

    /// Bytes of the disk, as a reader sees it.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        self.tape().bytes.clone()
    }

    /// Fails so from now on.
    pub fn fail(&self, fault: Fault) {
        self.tape().fault = Some(fault);
    }

    /// Questions for its name so far: they change nothing, and are no calls.
    #[must_use]
    pub fn names(&self) -> usize {
        self.tape().names
    }

    /// Loses its name before such a question, counted from the first, and has it no more.
    pub fn fail_name(&self, question: usize, fault: NameFault) {
        self.tape().name_fault = Some((question, fault));
    }

    /// Works again, and has its name.
    pub fn mend(&self) {
        let mut tape = self.tape();
        (tape.fault, tape.name_fault) = (None, None);
    }

    /// Answers a write or a sync: an error where it is to fail, and how much of it is done.
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

/// Fate of the writes that no sync followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// The write is on the disk.
    Kept,
    /// The write is not on the disk.
    Lost,
    /// The first bytes of the write are on the disk.
    Torn(usize),
    /// All but its first bytes are.
    TornBefore(usize),
}

/// Where among the first `crash` calls the writes begin that no sync has made last.
#[must_use]
pub fn unsynced(calls: &[Call], crash: usize) -> usize {
    let last = calls[..crash].iter().rposition(|call| *call == Call::Sync);
    last.map_or(0, |at| at + 1)
}

/// Bytes of a disk after a crash before call number `crash`, where `fate` decides on each write
/// that no sync followed.
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
