//! Commits that are kept.
//!
//! Goal: a kept commit is as it was, to the byte, until it is forgotten, and costs what was changed
//!       since; a forgotten one costs nothing.
//! Method: a run that keeps and forgets at random, opened anew now and then; sizes of files.

use crate::script::{Content, History, Script, content_of, content_of_reader, history_of};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::faulty::FaultyDisk;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Layer, Store, StoreError};

const SCRIPT: Script =
    Script { seed: 31, commits: 120, changes: 12, keys: 60, bytes: 9000, keeps: true };

#[test]
fn what_is_kept_stays_until_it_is_forgotten() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let (mut content, mut history) = (Content::new(), History::new());
    for commit in 0..SCRIPT.commits {
        SCRIPT.keep(commit, &mut store, &mut content, &mut history).expect("works");
        SCRIPT.run(commit, &mut store, &mut content).expect("works");
        if commit % 7 == 0 {
            store = Store::open_on(Box::new(disk.clone())).expect("opens");
        }
        assert_eq!(history_of(&store).expect("whole"), history, "commit {commit}");
        assert_eq!(content_of(&store).expect("whole"), content, "commit {commit}");
        assert!(store.verify(|_, _| {}).expect("works").is_clean(), "commit {commit}");
    }
    assert!(history.len() > 10);
    let error = store.reader_at(2000).expect_err("there is none");
    assert!(matches!(error, StoreError::NotKept { generation: 2000 }), "{error}");
}

/// Bytes of a file after 120 commits, where each is kept, and one that is `age` commits old is
/// forgotten.
fn size_with_age(age: u64) -> u64 {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    let mut content = Content::new();
    for commit in 0..SCRIPT.commits {
        if age > 0 {
            let generation = store.keep(commit).expect("memory");
            store.forget(generation.saturating_sub(age)).expect("memory");
        }
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
    }
    store.file_bytes().expect("memory")
}

#[test]
fn history_costs_what_changed() {
    let (none, few, all) = (size_with_age(0), size_with_age(3), size_with_age(u64::MAX));
    assert!(few <= 2 * none, "{few} bytes with three commits kept, {none} with none");
    // Each commit writes up to 12 values of 4.5 kB in the mean, a page and a root.
    let written = SCRIPT.commits * (12 * 6000 + 3 * 64 * 1024);
    assert!(all > 2 * none && all < written, "{all} bytes of {written}");
    let live = 60 * 4500;
    assert!(all < SCRIPT.commits * live / 2, "{all} bytes: commits do not share");
}

#[test]
fn keeping_is_part_of_the_next_commit() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let mut content = Content::new();
    SCRIPT.run(0, &mut store, &mut content).expect("works");
    let kept = store.keep(5).expect("works");
    assert_eq!(kept, 2);
    let again = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
    assert_eq!(again.kept().expect("whole"), []);
    store.roll_back();
    assert_eq!(store.kept().expect("whole"), []);
    store.keep(5).expect("works");
    store.keep(6).expect("works");
    assert_eq!(store.commit().expect("works"), 3);
    let again = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
    let kept = again.kept().expect("whole");
    assert_eq!(kept.iter().map(|kept| (kept.generation, kept.label)).collect::<Vec<_>>(), [(2, 6)]);
    assert!(!store.forget(3).expect("works"), "it is not kept");
}

/// A kept commit that is damaged is reported, and in the way of writing until it is forgotten.
#[test]
fn a_damaged_kept_commit_is_told_and_can_be_forgotten() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let mut content = Content::new();
    let script = Script { keeps: false, ..SCRIPT };
    script.run(0, &mut store, &mut content).expect("works");
    let bytes = disk.bytes();
    let generation = store.keep(1).expect("works");
    for commit in 1..30 {
        script.run(commit, &mut store, &mut content).expect("works");
    }
    // Its root: the last one of the file as it was then.
    let root = bytes.windows(4).rposition(|bytes| bytes == b"TLWr").expect("one");
    let mut bytes = disk.bytes();
    bytes[root + 40] ^= 1;
    let mut store = Store::open_on(Box::new(Memory::of(bytes))).expect("opens");
    assert_eq!(content_of(&store).expect("whole"), content);
    let verified = store.verify(|_, _| {}).expect("memory");
    assert_eq!(verified.kept_damaged, [(Some(generation), None)]);
    assert!(matches!(store.reader_at(generation), Err(StoreError::Damaged { .. })));
    let error = script.run(31, &mut store, &mut content.clone()).expect_err("in the way");
    assert!(error.to_string().contains("forgotten"), "{error}");
    store.roll_back();
    assert!(store.forget(generation).expect("known"));
    script.run(31, &mut store, &mut content).expect("memory");
    assert_eq!(content_of(&store).expect("whole"), content);
    // The commit before the last one keeps it still.
    let verified = store.verify(|_, _| {}).expect("memory");
    assert_eq!((verified.kept_damaged, verified.before_damaged), (vec![], vec![None]));
    script.run(32, &mut store, &mut content).expect("memory");
    assert!(store.verify(|_, _| {}).expect("memory").is_clean());
}

#[test]
fn a_reader_of_a_forgotten_commit_keeps_it() {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    let mut content = Content::new();
    let script = Script { keeps: false, ..SCRIPT };
    script.run(0, &mut store, &mut content).expect("memory");
    let (generation, expected) = (store.keep(1).expect("memory"), content.clone());
    script.run(1, &mut store, &mut content).expect("memory");
    let reader = store.reader_at(generation).expect("kept");
    assert!(store.forget(generation).expect("memory"));
    for commit in 2..40 {
        script.run(commit, &mut store, &mut content).expect("memory");
        assert_eq!(content_of_reader(&reader).expect("held"), expected, "commit {commit}");
    }
}

/// Goal: going back costs what is changed after it, whichever way the run then goes. Method: a
/// large world of which a tenth is changed between one end and the other, fifty times to and fro.
#[test]
fn going_back_shares_with_what_is_kept() {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    let key = |at: u32| Key::of_tile(Layer::Bed, TileKey { level: 0, x: at, y: 0 });
    (0..500).for_each(|at| store.put(key(at), &[7; 4000]).expect("memory"));
    let first = store.commit().expect("memory");
    store.keep(0).expect("memory");
    let change = |store: &mut Store, to: u8| {
        (0..50).for_each(|at| store.put(key(at * 10), &[to; 4000]).expect("memory"));
        store.commit().expect("memory")
    };
    let second = change(&mut store, 8);
    store.keep(1).expect("memory");
    let whole = store.file_bytes().expect("memory");
    let (mut bytes, mut ends) = (Vec::new(), [first, second].into_iter().cycle());
    for turn in 0..50 {
        let to = ends.next().expect("for ever");
        store.return_to(to).expect("kept");
        change(&mut store, 9);
        assert!(store.get(key(1), &mut bytes).expect("memory") && bytes == [7; 4000], "{turn}");
    }
    for (generation, byte) in [(first, 7), (second, 8)] {
        let reader = store.reader_at(generation).expect("kept");
        assert!(reader.get(key(10), &mut bytes).expect("memory"));
        assert_eq!(bytes, [byte; 4000], "commit {generation}");
    }
    let grown = store.file_bytes().expect("memory") - whole;
    assert!(grown < whole / 2, "{whole} bytes grew by {grown}");
    // What it came back for stays when nothing is kept any more.
    (0..500).for_each(|at| assert!(store.remove(key(at)).expect("there")));
    store.commit().expect("memory");
    store.return_to(first).expect("kept");
    store.forget(first).expect("kept");
    store.forget(second).expect("kept");
    for turn in 0..20 {
        (500..900).for_each(|at| store.put(key(at), &[turn; 4000]).expect("memory"));
        store.commit().expect("memory");
    }
    assert!(store.verify(|_, _| {}).expect("memory").is_clean());
    assert!(store.get(key(10), &mut bytes).expect("memory") && bytes == [7; 4000]);
}

/// A newer commit holds the extents that it shares with an older one, though the older is read when
/// a file that was opened is first written.
#[test]
fn what_a_kept_commit_shares_with_an_older_one_that_is_read_stays() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let mut content = Content::new();
    let script = Script { keeps: false, ..SCRIPT };
    let long = (Key::head(1), vec![1; 300_000]);
    store.put(long.0, &long.1).expect("works");
    content.extend([long]);
    script.run(0, &mut store, &mut content).expect("works");
    let older = store.keep(1).expect("works");
    script.run(1, &mut store, &mut content).expect("works");
    let (newer, expected) = (store.keep(2).expect("works"), content.clone());
    assert!(store.remove(Key::head(1)).expect("works"));
    content.remove(&Key::head(1));
    for commit in 2..40 {
        script.run(commit, &mut store, &mut content).expect("works");
    }
    let mut store = Store::open_on(Box::new(disk)).expect("opens");
    let reader = store.reader_at(older).expect("kept");
    script.run(40, &mut store, &mut content).expect("works");
    drop(reader);
    assert!(store.forget(older).expect("works"));
    for commit in 41..60 {
        script.run(commit, &mut store, &mut content).expect("works");
        let kept = store.reader_at(newer).expect("kept");
        assert_eq!(content_of_reader(&kept).expect("whole"), expected, "commit {commit}");
    }
}
