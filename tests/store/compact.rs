//! Copies without what is no longer needed.

use crate::script::{Content, History, Script, content_of, history_of};
use thalweg_engine::store::backend::faulty::FaultyDisk;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Opened, Store, StoreError};

/// Goal: a copy holds and keeps the same, says of each extent which commit wrote it, and is as long
/// as it must be. Method: runs with and without history, copied, opened anew and written on.
#[test]
fn a_compacted_world_is_the_same_and_short() {
    for keeps in [false, true] {
        for commits in [0, 1, 2, 40, 41] {
            let case = format!("{commits} commits, keeps {keeps}");
            let script = Script { seed: 7, commits, changes: 20, keys: 90, bytes: 9000, keeps };
            let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
            let (mut content, mut history) = (Content::new(), History::new());
            for commit in 0..commits {
                script.keep(commit, &mut store, &mut content, &mut history).expect("memory");
                script.run(commit, &mut store, &mut content).expect("memory");
            }
            store.put(Key::head(9), b"not committed").expect("memory");
            let disk = FaultyDisk::default();
            let mut copy = Store::create_on(Box::new(disk.clone())).expect("works");
            store.compact_into(&mut copy, &mut |_| ()).expect("works");
            let mut copy = Store::open_on(Box::new(disk.clone())).expect("opens");
            assert_eq!(*copy.opened(), Opened::Whole, "{case}");
            assert!(copy.verify(|_, _| {}).expect("works").is_clean(), "{case}");
            assert_eq!(content_of(&copy).expect("whole"), content, "{case}");
            assert_eq!(history_of(&copy).expect("whole"), history, "{case}");
            assert_eq!(copy.generation(), store.generation() + 1, "{case}");
            let entries = |store: &Store| -> Vec<_> {
                store.reader().entries().map(|extent| extent.expect("whole")).collect()
            };
            assert_eq!(entries(&copy), entries(&store), "{case}");
            let (size, live) =
                (copy.file_bytes().expect("works"), copy.reader().live_bytes().expect("whole"));
            // Roots, pages, and runs of 64 KiB that are begun and not filled.
            assert!(keeps || size <= live + live / 8 + 4 * 65_536, "{case}: {size} for {live}");
            assert!(size <= store.file_bytes().expect("memory") + 3 * 65_536, "{case}");
            // It goes on.
            for commit in 50..60 {
                script.run(commit, &mut copy, &mut content).expect("works");
            }
            assert_eq!(content_of(&copy).expect("whole"), content, "{case}");
            assert_eq!(history_of(&copy).expect("whole"), history, "{case}");
        }
    }
}

#[test]
fn only_a_new_world_takes_a_copy() {
    let store = Store::create_on(Box::new(Memory::default())).expect("memory");
    let mut other = Store::create_on(Box::new(Memory::default())).expect("memory");
    other.put(Key::head(1), b"mine").expect("memory");
    let refused = store.compact_into(&mut other, &mut |_| ());
    assert!(matches!(refused, Err(StoreError::NotEmpty)));
    other.commit().expect("memory");
    let refused = store.compact_into(&mut other, &mut |_| ());
    assert!(matches!(refused, Err(StoreError::NotEmpty)));
}
