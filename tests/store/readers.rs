//! Reading a commit while later ones are written.
//!
//! Goal: a reader holds one commit, to the byte, whatever is written meanwhile; space that no
//!       reader holds is used again.
//! Method: threads that read and check against what each commit was given; a reader over a hundred
//!         commits; the same run with and without it.

use crate::files::Folder;
use crate::script::{Content, Script, content_of, content_of_reader};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use thalweg_engine::store::backend::faulty::FaultyDisk;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Reader, Store, StoreError};

const SCRIPT: Script =
    Script { seed: 12, commits: 100, changes: 12, keys: 40, bytes: 9000, keeps: false };

/// All that a reader sees.
fn read(reader: &Reader) -> Content {
    for extent in reader.entries() {
        let extent = extent.expect("held");
        let mut bytes = Vec::new();
        assert!(reader.get(extent.key, &mut bytes).expect("held"));
        assert_eq!(bytes.len(), extent.bytes as usize);
    }
    content_of_reader(reader).expect("held")
}

#[test]
fn threads_read_whole_commits_while_one_writes() {
    let folder = Folder::new("threads");
    let mut store = Store::create(&folder.world()).expect("a new file");
    let commits = if crate::QUICK { 150 } else { 600 };
    let contents = Mutex::new(BTreeMap::from([(1, Content::new())]));
    let is_done = AtomicBool::new(false);
    let follow = |mut reader: Reader| {
        let (mut reads, mut last) = (0, false);
        while !last {
            last = is_done.load(Ordering::Acquire);
            reader.refresh().expect("in this process");
            let old = reader.clone();
            for held in [&reader, &old] {
                let expected = contents.lock().expect("whole")[&held.generation()].clone();
                assert_eq!(read(held), expected, "commit {}", held.generation());
            }
            reads += 1;
        }
        (reads, reader.generation())
    };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|_| {
                let reader = store.reader();
                scope.spawn(move || follow(reader))
            })
            .collect();
        let mut content = Content::new();
        for commit in 0..commits {
            let mut next = content.clone();
            for (key, bytes) in SCRIPT.changes(commit) {
                match bytes {
                    Some(bytes) => next.insert(key, bytes),
                    None => next.remove(&key),
                };
            }
            contents.lock().expect("whole").insert(store.generation() + 1, next);
            SCRIPT.run(commit, &mut store, &mut content).expect("room");
        }
        is_done.store(true, Ordering::Release);
        for reader in readers {
            let (reads, generation) = reader.join().expect("all as it was");
            assert!(reads > 1);
            assert_eq!(generation, store.generation());
        }
    });
}

/// Runs the script: the bytes of the file at its end, where the commit after `held_from` is read
/// until that of `held_to`.
fn size_with_reader(held_from: u64, held_to: u64) -> u64 {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    let (mut content, mut held) = (Content::new(), None);
    for commit in 0..SCRIPT.commits {
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
        if commit == held_from {
            held = Some((store.reader(), content.clone()));
        }
        if let Some((reader, expected)) = &held {
            assert_eq!(read(reader), *expected, "commit {commit}");
            assert!(reader.verify(|_, _| {}).expect("memory").is_clean());
        }
        if commit % 10 == 5 {
            // Space is found anew, and still counts readers.
            store.put(Key::head(9), &[1; 9000]).expect("memory");
            store.roll_back();
        }
        if commit == held_to {
            held = None;
        }
    }
    store.file_bytes().expect("memory")
}

#[test]
fn what_is_read_stays_and_what_is_not_is_used_again() {
    let free = size_with_reader(u64::MAX, 0);
    let (short, long) = (size_with_reader(9, 12), size_with_reader(9, u64::MAX));
    assert!(short <= free + free / 4, "{short} bytes, {free} without a reader");
    assert!(long <= 2 * free, "{long} bytes, {free} without a reader");
    // A reader that moves on holds one commit at a time.
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    let (mut content, mut reader) = (Content::new(), store.reader());
    for commit in 0..SCRIPT.commits {
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
        let is_new = store.generation() > reader.generation();
        assert_eq!(reader.refresh().expect("memory"), is_new);
        assert!(!reader.refresh().expect("memory"));
        assert_eq!(read(&reader), content);
    }
    let moving = store.file_bytes().expect("memory");
    assert!(moving <= free + free / 4, "{moving} bytes, {free} without a reader");
}

#[test]
fn a_reader_does_not_see_what_is_under_way() {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    store.put(Key::head(3), b"old").expect("memory");
    store.commit().expect("memory");
    store.put(Key::head(3), b"new").expect("memory");
    store.put(Key::head(4), b"new").expect("memory");
    let reader = store.reader();
    assert_eq!(read(&reader), Content::from([(Key::head(3), b"old".to_vec())]));
    assert_eq!((reader.generation(), reader.extents()), (2, 1));
    store.roll_back();
    assert_eq!(content_of(&store).expect("memory"), read(&reader));
}

#[test]
fn changes_are_all_that_differs() {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    let script = Script { keys: 900, changes: 60, bytes: 40, ..SCRIPT };
    let mut content = Content::new();
    let mut commits = vec![(store.reader(), content.clone())];
    for commit in 0..40 {
        script.run(commit, &mut store, &mut content).expect("memory");
        commits.push((store.reader(), content.clone()));
    }
    let newest = &commits[40];
    for (older, before) in &commits {
        let changes = newest.0.changes_since(older).expect("held");
        let gone: Vec<Key> =
            before.keys().filter(|key| !newest.1.contains_key(key)).copied().collect();
        assert_eq!(changes.gone, gone);
        let written = newest.0.written_since(older.generation()).expect("held");
        let keys: Vec<Key> = written.iter().map(|extent| extent.key).collect();
        assert_eq!(keys, changes.put);
        // An extent that was put again as it was is reported as well.
        let differs = |key: &&Key| before.get(key) != newest.1.get(key);
        assert!(newest.1.keys().filter(differs).all(|key| changes.put.binary_search(key).is_ok()));
        let since = older.generation();
        let is_newer = |key: &Key| (since..41).any(|from| script_wrote(&script, from - 1, *key));
        assert!(changes.put.iter().all(is_newer));
    }
}

/// Whether a commit of the script, the first is 0, puts a key.
fn script_wrote(script: &Script, commit: u64, key: Key) -> bool {
    script.changes(commit).iter().any(|(changed, _)| *changed == key)
}

#[test]
fn a_reader_of_another_process_moves_on() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let folder = Folder::new("moves-on");
    let path = folder.world();
    let save = |disk: &FaultyDisk| std::fs::write(&path, disk.bytes()).expect("room");
    let mut content = Content::new();
    SCRIPT.run(0, &mut store, &mut content).expect("works");
    save(&disk);
    let mut other = Store::read(&path).expect("a world");
    let mut reader = other.reader();
    assert!(!other.refresh().expect("nothing new") && !reader.refresh().expect("nothing new"));
    let mut overtaken = 0;
    for commit in 1..40 {
        SCRIPT.run(commit, &mut store, &mut content).expect("works");
        save(&disk);
        // What it holds may be gone, and is never something else.
        let all = reader.keys().and_then(|keys| {
            keys.iter().try_for_each(|key| reader.get(*key, &mut Vec::new()).map(|_| ()))
        });
        match all {
            Ok(()) => {}
            Err(StoreError::Overtaken { .. }) => overtaken += 1,
            Err(error) => panic!("commit {commit}: {error}"),
        }
        if commit % 4 == 0 {
            assert!(reader.refresh().expect("newer"), "commit {commit}");
            assert_eq!(read(&reader), content, "commit {commit}");
            assert!(other.refresh().expect("newer"), "commit {commit}");
            assert_eq!(content_of(&other).expect("whole"), content, "commit {commit}");
            assert_eq!(read(&other.reader()), content, "commit {commit}");
        }
    }
    assert!(overtaken > 0, "nothing was written over");
}
