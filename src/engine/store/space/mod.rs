//! The free and used blocks of a world file.
//!
//! Extents of one commit are written side by side; extents of different commits never share a
//! block, so a write that is torn at its ends damages nothing that was committed. Extents that a
//! commit replaces stay until the next commit is durable: until then a damaged file falls back to
//! the commit before it. They stay longer if a commit that needs them is *in use*: kept, or read.

mod free;
mod uses;

use crate::store::StoreError;
use crate::store::layout::{BLOCK, FIRST, GRAIN};
use crate::store::place::{ExtentPlace, Generation};
use crate::store::space::free::FreeRuns;
use crate::store::space::uses::Uses;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;

/// Blocks that are taken at once if they are free: 64 KiB.
// Extents of a commit lie side by side in a run. Blocks that it leaves unused are free again.
const RUN: u64 = 16;

/// Blocks of a file: the number of extents in each, and which are free.
#[derive(Debug)]
pub struct Space {
    /// Number of extents in each block, including parts of extents.
    uses: Uses,
    /// The block after the last one that was taken.
    end: u64,
    /// Free runs of blocks below the end.
    free: FreeRuns,
    /// Bytes for the next extents.
    open: Range<u64>,
    /// Extents that the commit under way replaces.
    replaced: Vec<Stay>,
    /// Extents that the last commit replaced.
    let_go: Vec<Stay>,
    /// Number of the last commit.
    last: Generation,
    /// Extents that only commits in use need, under the newest of these; each with a number that
    /// all commits that need it are below.
    held: BTreeMap<Generation, Vec<(Stay, Generation)>>,
}

/// An extent whose place may not be overwritten yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stay {
    /// Place of the extent.
    pub place: ExtentPlace,
    /// The first commit that needs it; `None` if only the last commit and the one before it need
    /// it, whichever commits are in use.
    since: Option<Generation>,
}

impl From<ExtentPlace> for Stay {
    fn from(place: ExtentPlace) -> Self {
        Self { place, since: Some(place.generation()) }
    }
}

impl Stay {
    /// Creates the record of an extent that no commit in use needs.
    #[must_use]
    pub fn for_nobody(place: ExtentPlace) -> Self {
        Self { place, since: None }
    }
}

/// Returns the blocks of an extent.
fn blocks(place: ExtentPlace) -> Range<u64> {
    place.offset() / BLOCK..(place.offset() + place.bytes()).div_ceil(BLOCK)
}

impl Space {
    /// Returns the space of a file whose last commit has number `last` and the extents `places`.
    /// `held` lists the commits in use, the newest first, each with the extents that no commit
    /// before it in the list has. Extents that the last commit replaced count as extents of the one
    /// before it.
    ///
    /// # Errors
    ///
    /// [`StoreError::LastCommit`] if no further commit is possible.
    pub fn of(
        last: Generation,
        places: &[Stay],
        held: &[(Generation, Vec<Stay>)],
    ) -> Result<Self, StoreError> {
        let mut space = Self {
            uses: Uses::default(),
            end: FIRST / BLOCK,
            free: FreeRuns::default(),
            open: 0..0,
            replaced: Vec::new(),
            let_go: Vec::new(),
            last,
            held: BTreeMap::new(),
        };
        places.iter().for_each(|stay| space.written(stay.place));
        for (generation, places) in held {
            places.iter().for_each(|stay| space.written(stay.place));
            let below = generation.after(1)?;
            let places = places.iter().map(|place| (*place, below));
            space.held.entry(*generation).or_default().extend(places);
        }
        let mut next = FIRST / BLOCK;
        for block in space.uses.used() {
            if block > next {
                space.free.add(next, block - next);
            }
            next = block + 1;
        }
        Ok(space)
    }

    /// Returns the offset for a new extent of this many bytes.
    pub fn allocate(&mut self, bytes: u64) -> u64 {
        if self.open.end - self.open.start < bytes {
            let run = self.run(bytes.div_ceil(BLOCK));
            let left = std::mem::replace(&mut self.open, run);
            self.give_back(left);
        }
        let offset = self.open.start;
        self.open.start = (offset + bytes).next_multiple_of(GRAIN).min(self.open.end);
        offset
    }

    /// Takes a run of at least `count` blocks, and returns its bytes.
    fn run(&mut self, count: u64) -> Range<u64> {
        let most = count.max(RUN);
        let (first, taken) = self.free.take(count, most).unwrap_or_else(|| {
            self.end += most;
            (self.end - most, most)
        });
        first * BLOCK..(first + taken) * BLOCK
    }

    /// Counts an extent that is in its place.
    pub fn written(&mut self, place: ExtentPlace) {
        let blocks = blocks(place);
        self.end = self.end.max(blocks.end);
        self.uses.add(blocks);
    }

    /// Releases an extent that the commit under way replaces.
    pub fn replace(&mut self, stay: Stay, generation: Generation) {
        if stay.place.generation() == generation {
            // No commit contains it.
            self.release(stay.place);
        } else {
            self.replaced.push(stay);
        }
    }

    /// Takes out the extents that the commit under way replaces: another commit is made before it.
    pub fn hold_back(&mut self) -> Vec<Stay> {
        std::mem::take(&mut self.replaced)
    }

    /// Puts back the extents that [`Space::hold_back`] took out.
    pub fn replace_all(&mut self, places: Vec<Stay>) {
        self.replaced.extend(places);
    }

    /// Notes that commit `generation` is durable: frees the extents that the commit before it
    /// replaced, and the extents of commits that are no longer in use. Extents that a commit in
    /// `held` needs stay.
    pub fn committed(&mut self, generation: Generation, held: &BTreeSet<Generation>) {
        // The next commit must not write into a block of this one: a torn write would damage it.
        let left = std::mem::replace(&mut self.open, 0..0);
        self.give_back(left);
        let replaced = std::mem::take(&mut self.replaced);
        let last = std::mem::replace(&mut self.last, generation);
        // Commit `last` replaced these, so only commits below `last` have them. The file can no
        // longer fall back to the one before `last`.
        for stay in std::mem::replace(&mut self.let_go, replaced) {
            self.release_unless_held(stay, last, held);
        }
        let gone: Vec<Generation> =
            self.held.keys().copied().filter(|hold| !held.contains(hold)).collect();
        for hold in gone {
            for (stay, below) in self.held.remove(&hold).unwrap_or_default() {
                self.release_unless_held(stay, below, held);
            }
        }
    }

    /// Takes back extents that commits in use need and the last commit does not: the commit under
    /// way needs them again.
    pub fn take_back(&mut self, places: &[ExtentPlace]) {
        let back: HashSet<&ExtentPlace> = places.iter().collect();
        self.let_go.retain(|stay| !back.contains(&stay.place));
        for stays in self.held.values_mut() {
            stays.retain(|(stay, _)| !back.contains(&stay.place));
        }
    }

    /// Frees an extent that commits from the one that wrote it to `below` need, unless one of them
    /// is in use.
    fn release_unless_held(&mut self, stay: Stay, below: Generation, held: &BTreeSet<Generation>) {
        // `max`, because `range` panics if its end is below its start.
        let newest = stay.since.and_then(|since| held.range(since..below.max(since)).next_back());
        match newest {
            Some(&hold) => self.held.entry(hold).or_default().push((stay, below)),
            None => self.release(stay.place),
        }
    }

    /// Frees the unused blocks of a range of bytes.
    fn give_back(&mut self, bytes: Range<u64>) {
        for block in bytes.start / BLOCK..bytes.end / BLOCK {
            // If an extent ends in the first block, before the rest of the run, that block is in
            // use.
            if self.uses.of(block) == 0 {
                self.free.add(block, 1);
            }
        }
    }

    /// Frees the blocks of an extent that no commit needs.
    pub fn release(&mut self, place: ExtentPlace) {
        for block in blocks(place) {
            // The open run may begin within this block, so its last byte is tested as well. A block
            // of that run must not become free: it would be given out twice.
            let is_open = self.open.contains(&(block * BLOCK))
                || self.open.contains(&((block + 1) * BLOCK - 1));
            if self.uses.less(block) && !is_open {
                self.free.add(block, 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(generation: u64) -> Generation {
        Generation::of(generation).expect("small")
    }

    fn held(generations: &[u64]) -> BTreeSet<Generation> {
        generations.iter().map(|generation| number(*generation)).collect()
    }

    /// Returns the space of an empty file, after its first commit.
    fn empty() -> Space {
        Space::of(Generation::FIRST, &[], &[]).expect("commits can follow")
    }

    /// Writes an extent of this many bytes in commit `generation`.
    fn write(space: &mut Space, bytes: u32, generation: u64) -> ExtentPlace {
        let offset = space.allocate(u64::from(bytes));
        let place = ExtentPlace::of_written(offset, bytes - 32, number(generation), 0);
        space.written(place);
        place
    }

    /// Returns the number of free blocks below the end of the file.
    fn free(space: &Space) -> u64 {
        space.free.count()
    }

    #[test]
    fn what_is_held_is_freed_once_nobody_holds_it() {
        let mut space = empty();
        let old = write(&mut space, 16 * 4096, 2);
        space.committed(number(2), &held(&[]));
        space.replace(old.into(), number(3));
        space.committed(number(3), &held(&[2]));
        for commit in 4..7 {
            space.committed(number(commit), &held(&[2]));
            assert_eq!(free(&space), 0, "commit {commit}");
        }
        // A second commit that needs it as well; then one that does not.
        space.committed(number(7), &held(&[3]));
        assert_eq!(free(&space), 16);
    }

    #[test]
    fn what_commits_held_need_is_not_free_after_an_open() {
        let place = |block: u64, generation| {
            Stay::from(ExtentPlace::of_written(block * BLOCK, 4000, number(generation), 0))
        };
        let (a, b, c) = (place(2, 1), place(3, 2), place(6, 4));
        // Commit 4 has c, commit 3 has a and b, and commit 2 has them as well.
        let before = [(number(3), vec![a, b]), (number(2), vec![])];
        let mut space = Space::of(number(4), &[c], &before).expect("commits can follow");
        assert_eq!(free(&space), 2);
        space.committed(number(5), &held(&[2]));
        assert_eq!(free(&space), 2, "commit 2 is held");
        space.committed(number(6), &held(&[1]));
        assert_eq!(free(&space), 3, "commit 1 has a");
        space.committed(number(7), &held(&[]));
        assert_eq!(free(&space), 4);
    }

    #[test]
    fn what_is_left_of_a_run_is_given_back() {
        let mut space = empty();
        let first = write(&mut space, 100, 2);
        space.committed(number(2), &held(&[]));
        assert_eq!((free(&space), space.free.runs()), (15, 1));
        // It does not fit into the rest: the rest is freed as well.
        write(&mut space, 15 * 4096, 3);
        assert_eq!(write(&mut space, 100, 3).offset(), FIRST + 16 * 4096);
        space.committed(number(3), &held(&[]));
        assert_eq!(free(&space), 15);
        space.replace(first.into(), number(4));
        space.committed(number(4), &held(&[]));
        space.committed(number(5), &held(&[]));
        assert_eq!((free(&space), space.free.runs()), (16, 2));
    }

    #[test]
    fn the_list_of_kept_commits_is_held_by_none_of_them() {
        let mut space = empty();
        let list = write(&mut space, 16 * 4096, 2);
        space.committed(number(2), &held(&[]));
        space.replace(Stay::for_nobody(list), number(3));
        space.committed(number(3), &held(&[2]));
        assert_eq!(free(&space), 0, "the commit before finds it");
        space.committed(number(4), &held(&[2]));
        assert_eq!(free(&space), 16);
    }
}
