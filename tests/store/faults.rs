//! Disks that fail while a world is written.

use crate::script::Content;
use crate::script::Script;
use crate::script::content_of;
use std::io::ErrorKind;
use thalweg::store::Store;
use thalweg::store::StoreError;
use thalweg::store::backend::faulty::Fault;
use thalweg::store::backend::faulty::FaultyDisk;
use thalweg::store::backend::memory::Memory;

const SCRIPT: Script = Script { seed: 5, commits: 5, changes: 6, keys: 9, bytes: 3000 };

/// Runs the script on a disk with a fault, from the first commit on.
#[track_caller]
fn check(fault: Fault) -> bool {
    let case = format!("{fault:?}");
    let disk = FaultyDisk::failing(fault);
    let mut store = Store::create_on(Box::new(disk.clone())).expect("fails later");
    let (mut committed, mut content) = (Content::new(), Content::new());
    for commit in 0..SCRIPT.commits {
        let Err(error) = SCRIPT.run(commit, &mut store, &mut content) else {
            committed = content.clone();
            continue;
        };
        let text = error.to_string();
        assert!(text.contains("cannot"), "{case}: {text}");
        // What runs goes on with what it has, and can be saved elsewhere.
        assert_eq!(content_of(&store).expect("reads work"), content, "{case}");
        // The file holds the last commit, or, where its superblock got there, this one.
        let found = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
        let found = content_of(&found).expect("whole");
        let is_whole = found == committed || found == content;
        assert!(is_whole, "{case}: the last commit is gone");
        disk.mend();
        match store.commit() {
            Ok(_) => {
                let again = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
                assert_eq!(content_of(&again).expect("whole"), content, "{case}: once mended");
            }
            Err(StoreError::Poisoned) => {}
            Err(error) => panic!("{case}: {error}"),
        }
        return true;
    }
    false
}

#[test]
fn a_failing_call_leaves_the_last_commit() {
    let created = 4;
    let mut failed = 0;
    for call in created.. {
        let mut has_failed = false;
        for kind in [ErrorKind::StorageFull, ErrorKind::Other] {
            for (written, lasts) in [(0, false), (100, false), (100, true)] {
                has_failed |= check(Fault { call, kind, written, lasts });
            }
        }
        if !has_failed {
            break;
        }
        failed += 1;
    }
    assert!(failed > 30, "only {failed} calls");
}

#[test]
fn what_is_taken_back_is_as_it_was() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let mut content = Content::new();
    SCRIPT.run(0, &mut store, &mut content).expect("works");
    for (key, bytes) in (1..4).flat_map(|commit| SCRIPT.changes(commit)) {
        store.put(key, &bytes.unwrap_or_default()).expect("works");
    }
    assert_ne!(content_of(&store).expect("works"), content);
    store.roll_back().expect("works");
    assert_eq!(content_of(&store).expect("works"), content);
    SCRIPT.run(1, &mut store, &mut content).expect("works");
    let again = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
    assert_eq!(content_of(&again).expect("whole"), content);
}
