//! Making a world file.
//!
//! Until the first commit is durable, a file is not a world. A process that ends before leaves a
//! file in which each byte is zero or that of an empty world: only such a file is taken over by the
//! next process that makes a world of that name.

use crate::store::backend::file::FileBackend;
use crate::store::backend::memory::Memory;
use crate::store::backend::{Backend, file};
use crate::store::directory::CommitDirectory;
use crate::store::disk::Disk;
use crate::store::kept::KeptList;
use crate::store::key::Key;
use crate::store::layout::{FIRST, Role, VERSION};
use crate::store::place::Generation;
use crate::store::record::Tree;
use crate::store::registry::Commit;
use crate::store::space::Space;
use crate::store::{Store, StoreError, commit};
use std::io;
use std::path::Path;
use std::sync::Arc;

impl Store {
    /// Makes a world in a new file, or in one that was begun and never finished.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`], of the kind `AlreadyExists` if the file exists; [`StoreError::InUse`] if
    /// another process is making it.
    pub fn create(path: &Path) -> Result<Self, StoreError> {
        let file = match FileBackend::create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => begun(path, error)?,
            file => file.map_err(refusal)?,
        };
        let store = Self::create_on(Box::new(file))?;
        // The bytes are durable by now, their name is not: it stands in the folder.
        file::sync_folder_of(path).map_err(StoreError::io("make the world last"))?;
        Ok(store)
    }

    /// Makes a world on an empty backend.
    ///
    /// # Errors
    ///
    /// [`StoreError::Io`]; [`StoreError::Lost`] if the name was taken away meanwhile.
    pub fn create_on(backend: Box<dyn Backend>) -> Result<Self, StoreError> {
        let (disk, directory) = (Disk::new(backend), CommitDirectory::default());
        let generation = Generation::FIRST;
        let name = (Role::Root, Key::head(0));
        let (root, written) = disk.write(name, (FIRST, generation), &directory.root());
        written?;
        let (tree, kept) = (Tree { generation, root, extents: 0 }, KeptList::empty());
        let (list, version) = (None, VERSION);
        let first = Commit { tree, directory, kept, list, version, safe_to: None };
        commit::publish(&disk, &first)?;
        disk.check_name()?;
        let mut store = Self::of(disk, first);
        // The space is known here. Otherwise the first put would write and sync the superblock
        // again.
        store.space = Some(Space::of(generation, &[root.into()], &[])?);
        Ok(store)
    }
}

fn refusal(error: io::Error) -> StoreError {
    match error.kind() {
        io::ErrorKind::WouldBlock => StoreError::InUse,
        _ => StoreError::io("make the world")(error),
    }
}

/// Opens a file in which the making of a world was begun and abandoned; returns the error `taken`
/// if it is anything else.
fn begun(path: &Path, taken: io::Error) -> Result<FileBackend, StoreError> {
    if !path.is_file() {
        return Err(refusal(taken));
    }
    let file = FileBackend::open(path).map_err(refusal)?;
    // An empty world has no date and no random number in it, so another one has the same bytes.
    let empty = Arc::new(Memory::default());
    Store::create_on(Box::new(Arc::clone(&empty)))?;
    if is_part(&file, &empty).map_err(StoreError::io("look at what there is"))? {
        Ok(file)
    } else {
        Err(refusal(taken))
    }
}

/// Whether a file contains only zeros and bytes of an empty world, and not all bytes of the latter.
fn is_part(file: &FileBackend, empty: &Memory) -> io::Result<bool> {
    let (size, whole) = (file.size()?, empty.size()?);
    if size > whole {
        return Ok(false);
    }
    let length = usize::try_from(size).unwrap_or(0);
    let (mut found, mut expected) = (vec![0; length], vec![0; length]);
    if length > 0 {
        file.read_at(0, &mut found)?;
        empty.read_at(0, &mut expected)?;
    }
    // A write that a crash lost leaves zeros if a later one made the file longer.
    let is_part = found.iter().zip(&expected).all(|(found, byte)| *found == 0 || found == byte);
    Ok(is_part && (size < whole || found != expected))
}
