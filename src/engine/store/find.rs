//! Finding commits in a file.

use crate::store::directory::CommitDirectory;
use crate::store::disk::Disk;
use crate::store::error::StoreError;
use crate::store::kept::KeptList;
use crate::store::layout::{Role, VERSION};
use crate::store::place::{Generation, HeldCommit};
use crate::store::record::{Superblock, SuperblockSlot, Tree};
use crate::store::registry::Commit;

/// Number of attempts to read a commit that is overwritten before it has been read.
// An attempt fails only if the writer makes two commits while a root and a list are read.
const OVERTAKEN_TRIES: u32 = 8;

/// Returns the value found, or `None` if it is damaged.
pub(super) fn sound<T>(found: Result<T, StoreError>) -> Result<Option<T>, StoreError> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(StoreError::Damaged { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

impl Commit {
    /// Finds the commit of a superblock.
    pub(super) fn find(
        disk: &Disk,
        block: Superblock,
        safe_to: Option<Generation>,
    ) -> Result<Self, StoreError> {
        let Superblock { generation, root, extents, kept, version } = block;
        let held = HeldCommit { generation, safe_to };
        let root = root.check(Role::Root, disk.bounds(generation)?).ok_or(StoreError::Damaged {
            key: None,
            what: "its root lies beyond the file or in its head, or is of another commit",
        })?;
        let tree = Tree { generation, root, extents };
        let directory = CommitDirectory::read(disk, tree, held)?;
        let (list, kept) = match kept {
            None => (None, KeptList::empty()),
            Some(place) => match sound(KeptList::read(disk, place, held))? {
                // The commit is whole without its list. Only writing is refused: no space is known
                // to be free.
                None => (None, KeptList::UNKNOWN),
                Some((list, kept)) => (Some(list), kept),
            },
        };
        Ok(Self { tree, directory, kept, list, version, safe_to })
    }

    /// Finds a commit that another one keeps.
    pub(super) fn of_kept(
        disk: &Disk,
        tree: Tree,
        safe_to: Option<Generation>,
    ) -> Result<Self, StoreError> {
        let held = HeldCommit { generation: tree.generation, safe_to };
        let directory = CommitDirectory::read(disk, tree, held)?;
        let (list, kept) = (None, KeptList::empty());
        Ok(Self { tree, directory, kept, list, version: VERSION, safe_to })
    }
}

/// Returns the newest commit of a world that another process writes, if it is newer than
/// `generation`, and the superblock of the one before it.
pub(super) fn newer(
    disk: &Disk,
    generation: Generation,
) -> Result<Option<(Commit, Option<Superblock>)>, StoreError> {
    let mut tries = 0;
    loop {
        let blocks = whole(&disk.slots()?);
        let newest = blocks.first().copied();
        let Some(block) = newest.filter(|block| block.generation > generation) else {
            return Ok(None);
        };
        match Commit::find(disk, block, Some(block.generation)) {
            Err(StoreError::Overtaken { .. }) if tries < OVERTAKEN_TRIES => tries += 1,
            commit => return Ok(Some((commit?, blocks.get(1).copied()))),
        }
    }
}

/// Returns the superblocks that are whole, the newest first.
pub(super) fn whole(slots: &[SuperblockSlot; 2]) -> Vec<Superblock> {
    let whole = |slot: &SuperblockSlot| {
        if let SuperblockSlot::Whole(block) = slot { Some(*block) } else { None }
    };
    let mut blocks: Vec<_> = slots.iter().filter_map(whole).collect();
    blocks.sort_by_key(|block| std::cmp::Reverse(block.generation));
    blocks
}
