//! Disks that fail while a world is written.

use crate::script::{Content, Script, content_of};
use std::io;
use std::io::ErrorKind;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use thalweg_engine::store::backend::Backend;
use thalweg_engine::store::backend::faulty::{FaultyDisk, InjectedFault, NameFault};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Store, StoreError};

const SCRIPT: Script =
    Script { seed: 5, commits: 5, changes: 6, keys: 9, bytes: 3000, keeps: false };

/// Runs the script on a disk with a fault, from the first commit on.
#[track_caller]
fn check(fault: InjectedFault) -> bool {
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
                has_failed |= check(InjectedFault { call, kind, written, lasts });
            }
        }
        if !has_failed {
            break;
        }
        failed += 1;
    }
    assert!(failed >= 30, "only {failed} calls");
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
    store.roll_back();
    assert_eq!(content_of(&store).expect("works"), content);
    SCRIPT.run(1, &mut store, &mut content).expect("works");
    let again = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
    assert_eq!(content_of(&again).expect("whole"), content);
}

/// Goal: no commit is reported whose file has lost its name, or may have; the world goes on with
/// what it has, and is committed once the name is back.
/// Method: the name is lost before each question for it.
#[test]
fn a_disk_that_loses_its_name_reports_no_commit() {
    let mut failed = 0;
    for question in 2.. {
        for fault in [NameFault::Lost, NameFault::Fails(ErrorKind::PermissionDenied)] {
            let disk = FaultyDisk::default();
            let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
            disk.fail_name(question, fault);
            let (mut content, case) = (Content::new(), format!("question {question}, {fault:?}"));
            for commit in 0..SCRIPT.commits {
                let Err(error) = SCRIPT.run(commit, &mut store, &mut content) else {
                    assert!(disk.names() <= question, "{case}: commit {commit} is reported");
                    continue;
                };
                let is_lost = matches!(error, StoreError::Lost { .. });
                assert_eq!(is_lost, fault == NameFault::Lost, "{case}: {error}");
                assert_eq!(content_of(&store).expect("reads work"), content, "{case}");
                store.commit().expect_err("it is still so");
                disk.mend();
                store.commit().expect("it has its name");
                let again = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
                assert_eq!(content_of(&again).expect("whole"), content, "{case}: once mended");
                failed += 1;
                break;
            }
        }
        if failed < 2 * (question as u64 - 1) {
            break;
        }
    }
    assert!(failed >= 3 * SCRIPT.commits, "{failed} failures: two questions a commit");
}

/// A disk whose cache keeps what a failed sync has lost, and takes it for written.
#[derive(Debug, Clone, Default)]
struct Cached(Arc<Mutex<Cache>>);

#[derive(Debug, Default)]
struct Cache {
    seen: Memory,
    kept: Memory,
    dirty: Vec<(u64, Vec<u8>)>,
    syncs: usize,
    fails: Option<usize>,
}

impl Backend for Cached {
    fn size(&self) -> io::Result<u64> {
        self.0.lock().expect("whole").seen.size()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.0.lock().expect("whole").seen.read_at(offset, out)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut cache = self.0.lock().expect("whole");
        cache.dirty.push((offset, bytes.to_vec()));
        cache.seen.write_at(offset, bytes)
    }

    fn sync(&self) -> io::Result<()> {
        let mut cache = self.0.lock().expect("whole");
        cache.syncs += 1;
        let dirty = std::mem::take(&mut cache.dirty);
        if cache.fails == Some(cache.syncs) {
            return Err(ErrorKind::Other.into());
        }
        dirty.iter().try_for_each(|(offset, bytes)| cache.kept.write_at(*offset, bytes))
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        Ok(None)
    }
}

#[test]
fn a_sync_that_failed_costs_no_reported_commit() {
    for failing in [1, 2] {
        let disk = Cached::default();
        let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
        let mut content = Content::new();
        for commit in 0..4 {
            SCRIPT.run(commit, &mut store, &mut content).expect("works");
        }
        let reported = content.clone();
        {
            let mut cache = disk.0.lock().expect("whole");
            cache.fails = Some(cache.syncs + failing);
        }
        SCRIPT.run(4, &mut store, &mut content).expect_err("the sync fails");
        assert!(matches!(store.commit(), Err(StoreError::Poisoned)));
        drop(store);
        // Opened anew, it is written until before the next commit, and the power fails.
        let mut store = Store::open_on(Box::new(disk.clone())).expect("as it seems");
        for (place, (key, _)) in (50..90).flat_map(|commit| SCRIPT.changes(commit)).enumerate() {
            let part = u16::try_from(place).expect("few");
            store.put(Key { part, ..key }, &[9; 3000]).expect("works");
        }
        disk.clone().sync().expect("works");
        let kept = disk.0.lock().expect("whole").kept.clone();
        let found = Store::open_on(Box::new(kept)).expect("opens");
        assert!(found.verify(|_, _| {}).expect("memory").is_clean(), "sync {failing}");
        let found = content_of(&found).expect("whole");
        assert!(found == reported || found == content, "sync {failing}: a commit is gone");
    }
}

/// Goal: space that a failed write was to have is used by the next. Method: a disk that is full for
/// every second put.
#[test]
fn the_space_of_a_failed_write_is_used_again() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let put = |store: &mut Store| store.put(Key::head(1), &[4; 200_000]);
    put(&mut store).expect("works");
    store.commit().expect("works");
    let before = disk.bytes().len();
    for _ in 0..40 {
        let kind = ErrorKind::StorageFull;
        disk.fail(InjectedFault { call: disk.count(), kind, written: 200_000, lasts: true });
        put(&mut store).expect_err("the disk is full");
        disk.mend();
    }
    put(&mut store).expect("works");
    store.commit().expect("works");
    let grown = disk.bytes().len() - before;
    assert!(grown < 500_000, "{grown} bytes");
}
