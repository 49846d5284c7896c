//! A run of puts and commits, and what a world should hold after each.

use std::collections::BTreeMap;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::{KeptCommit, Key, Layer, Reader, Store, StoreError};
use thalweg_engine::units::hash::scramble;

/// Content under each key.
pub type Content = BTreeMap<Key, Vec<u8>>;

/// Actions of a run.
#[derive(Debug, Clone, Copy)]
pub struct Script {
    pub seed: u64,
    pub commits: u64,
    /// Changes in a commit at most.
    pub changes: u64,
    /// Keys that are used.
    pub keys: u64,
    /// Bytes of a value at most.
    pub bytes: usize,
    /// Whether commits are kept and forgotten.
    pub keeps: bool,
}

/// Kept commits: the label and content of each commit, by its number.
pub type History = BTreeMap<u64, (u64, Content)>;

impl Script {
    fn word(&self, commit: u64, change: u64, salt: u64) -> u64 {
        scramble(self.seed ^ scramble(commit << 32 | change << 8 | salt))
    }

    /// The changes of a commit: a key, and what it is to have; nothing where it is taken away.
    pub fn changes(&self, commit: u64) -> Vec<(Key, Option<Vec<u8>>)> {
        let count = 1 + self.word(commit, 0, 0) % self.changes;
        let change = |change: u64| {
            let word = |salt| self.word(commit, change, salt);
            let place = u32::try_from(word(1) % self.keys).expect("few keys");
            let tile = TileKey { level: 0, x: place % 31, y: place / 31 };
            let bytes = word(3).to_le_bytes().into_iter().cycle();
            let bytes = bytes.take(below(word(2), self.bytes));
            let is_kept = !word(4).is_multiple_of(5);
            (Key::of_tile(Layer::Bed, tile), is_kept.then(|| bytes.collect()))
        };
        (1..=count).map(change).collect()
    }

    /// Makes the changes of a commit and commits them; `content` follows what has been accepted.
    pub fn run(
        &self,
        commit: u64,
        store: &mut Store,
        content: &mut Content,
    ) -> Result<(), StoreError> {
        for (key, bytes) in self.changes(commit) {
            if let Some(bytes) = bytes {
                store.put(key, &bytes)?;
                content.insert(key, bytes);
            } else {
                let was_there = store.remove(key)?;
                assert_eq!(was_there, content.remove(&key).is_some(), "{self:?}: {key}");
            }
        }
        store.commit().map(|_| ())
    }
}

impl Script {
    /// Keeps and forgets before the changes of a commit: the last one, which has `content`, three
    /// times in four; one that is kept, now and then. Goes back to one, now and then, which then
    /// is what `content` says.
    pub fn keep(
        &self,
        commit: u64,
        store: &mut Store,
        content: &mut Content,
        history: &mut History,
    ) -> Result<(), StoreError> {
        let word = |salt| self.word(commit, 0, salt);
        if self.keeps && !word(1).is_multiple_of(4) {
            let generation = store.keep(word(2))?;
            history.insert(generation, (word(2), content.clone()));
        }
        if self.keeps && word(5).is_multiple_of(3) && !history.is_empty() {
            let at = below(word(6), history.len());
            let (generation, (_, then)) = history.iter().nth(at).expect("below the count");
            store.return_to(*generation)?;
            content.clone_from(then);
        }
        if self.keeps && word(3).is_multiple_of(4) && !history.is_empty() {
            let at = below(word(4), history.len());
            let generation = *history.keys().nth(at).expect("below the count");
            assert!(store.forget(generation)?);
            history.remove(&generation);
        }
        Ok(())
    }
}

/// All that a world keeps.
pub fn history_of(store: &Store) -> Result<History, StoreError> {
    let read = |KeptCommit { generation, label }| {
        let reader = store.reader_at(generation)?;
        assert_eq!(reader.generation(), generation);
        Ok((generation, (label, content_of_reader(&reader)?)))
    };
    store.kept()?.into_iter().map(read).collect()
}

/// All that a reader sees.
pub fn content_of_reader(reader: &Reader) -> Result<Content, StoreError> {
    let read = |key| {
        let mut bytes = Vec::new();
        assert!(reader.get(key, &mut bytes)?, "{key} is in the directory");
        Ok((key, bytes))
    };
    reader.keys()?.into_iter().map(read).collect()
}

/// A number below `count` made of a word.
pub fn below(word: u64, count: usize) -> usize {
    usize::try_from(word % count as u64).expect("below a usize")
}

/// All that a world holds.
pub fn content_of(store: &Store) -> Result<Content, StoreError> {
    let mut content = Content::new();
    for key in store.keys()? {
        let mut bytes = Vec::new();
        assert!(store.get(key, &mut bytes)?, "{key} is in the directory");
        content.insert(key, bytes);
    }
    Ok(content)
}
