//! Files that were damaged after they were written.

use crate::script::{Content, History, Script, below, content_of, history_of};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::faulty::FaultyDisk;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Layer, Opened, Store, StoreError, Verified};
use thalweg_engine::units::hash::scramble;

/// A small world: its bytes, its last two commits, and what it keeps.
fn small() -> (Vec<u8>, [Content; 2], History) {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let script = Script { seed: 3, commits: 3, changes: 5, keys: 8, bytes: 300, keeps: false };
    let (mut contents, mut history) = (vec![Content::new()], History::new());
    for commit in 0..script.commits {
        if commit == 1 {
            let generation = store.keep(70).expect("works");
            history.insert(generation, (70, contents[1].clone()));
        }
        let mut content = contents[contents.len() - 1].clone();
        script.run(commit, &mut store, &mut content).expect("works");
        contents.push(content);
    }
    let last = contents.pop().expect("three commits");
    (disk.bytes(), [contents.pop().expect("three commits"), last], history)
}

/// Reading a file must give an error, its last commit, or the one before where that is said.
#[track_caller]
fn check(bytes: Vec<u8>, [before, last]: &[Content; 2], history: &History, case: &str) -> bool {
    let Ok(store) = Store::open_on(Box::new(Memory::of(bytes))) else { return false };
    let found = history_of(&store);
    let is_kept = match found {
        Ok(found) => {
            assert_eq!(found, *history, "{case}: what is kept is something else");
            true
        }
        Err(
            StoreError::Damaged { .. } | StoreError::KeptUnknown | StoreError::Overtaken { .. },
        ) => false,
        Err(error) => panic!("{case}: {error}"),
    };
    let expected = if *store.opened() == Opened::Whole { [last, last] } else { [before, last] };
    for key in before.keys().chain(last.keys()) {
        let mut found = Vec::new();
        match store.get(*key, &mut found) {
            Ok(is_there) => {
                let fits = |content: &&Content| content.get(key) == is_there.then_some(&found);
                assert!(expected.iter().any(fits), "{case}: {key} has other bytes");
            }
            Err(StoreError::Damaged { .. } | StoreError::Overtaken { .. }) => return false,
            Err(error) => panic!("{case}: {error}"),
        }
    }
    let content = content_of(&store).expect("each was read");
    assert!(expected.iter().any(|whole| **whole == content), "{case}: a mixture");
    let verified = store.verify(|_, _| {}).expect("memory");
    // What only the commit before has may be damaged where all that is read is whole.
    let is_clean = Verified { before_damaged: Vec::new(), ..verified.clone() }.is_clean();
    assert_eq!(is_clean, is_kept, "{case}");
    verified.is_clean()
}

#[test]
fn a_flipped_byte_is_an_error_or_does_no_harm() {
    let (bytes, contents, history) = small();
    assert!(check(bytes.clone(), &contents, &history, "as it was"));
    let step = if crate::QUICK { 7 } else { 1 };
    let mut harmless = 0;
    for at in (0..bytes.len()).step_by(step) {
        for mask in [1, 0x80, 0xff] {
            let mut bytes = bytes.clone();
            bytes[at] ^= mask;
            harmless +=
                usize::from(check(bytes, &contents, &history, &format!("byte {at}, mask {mask}")));
        }
    }
    // Free space, and superblocks that have another to stand in.
    assert!(harmless > 0);
}

#[test]
fn mutated_and_cut_files_never_serve_other_data() {
    let (bytes, contents, history) = small();
    let cases = if crate::QUICK { 20_000 } else { 400_000 };
    for case in 0..cases {
        let word = |salt: u64| scramble(case << 8 | salt);
        let mut bytes = bytes.clone();
        for change in 0..1 + word(0) % 4 {
            let at = below(word(10 + change), bytes.len());
            match word(20 + change) % 4 {
                // Numbers that point far.
                0 => bytes[at..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
                1 => bytes.truncate(at.max(1)),
                2 => bytes[at..].iter_mut().take(64).for_each(|byte| *byte = 0),
                _ => bytes[at] = word(30 + change).to_le_bytes()[0],
            }
        }
        check(bytes, &contents, &history, &format!("case {case}"));
    }
}

#[test]
fn a_damaged_commit_falls_back_to_the_one_before() {
    let script = Script { seed: 8, commits: 24, changes: 9, keys: 12, bytes: 9000, keeps: true };
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let (mut content, mut before) = (Content::new(), Content::new());
    let (mut history, mut history_before) = (History::new(), History::new());
    for commit in 0..script.commits {
        before.clone_from(&content);
        history_before.clone_from(&history);
        script.keep(commit, &mut store, &mut content, &mut history).expect("works");
        script.run(commit, &mut store, &mut content).expect("works");
        // What is under way must not touch what the commit before the last one needs, nor must it
        // where space is found out anew.
        if commit % 2 == 0 {
            store.roll_back();
        }
        for (key, bytes) in (100..104).flat_map(|commit| script.changes(commit)) {
            store.put(key, &bytes.unwrap_or_default()).expect("works");
        }
        let from = store.generation();
        let bytes = break_newest_root(disk.bytes());
        store.roll_back();
        let store = Store::open_on(Box::new(Memory::of(bytes))).expect("one is left");
        assert_eq!(*store.opened(), Opened::FellBack { from, lost_pages: 0 });
        assert!(store.verify(|_, _| {}).expect("memory").is_clean(), "commit {commit}");
        assert_eq!(content_of(&store).expect("whole"), before, "commit {commit}");
        assert_eq!(history_of(&store).expect("whole"), history_before, "commit {commit}");
    }
}

/// Breaks the root of the newest commit: the one whose break is reported.
fn break_newest_root(bytes: Vec<u8>) -> Vec<u8> {
    let roots = bytes.windows(4).enumerate().filter(|(_, bytes)| *bytes == b"TLWr");
    for at in roots.map(|(at, _)| at) {
        let mut broken = bytes.clone();
        broken[at] ^= 1;
        let store = Store::open_on(Box::new(Memory::of(broken.clone()))).expect("one is left");
        if matches!(store.opened(), Opened::FellBack { .. }) {
            return broken;
        }
    }
    panic!("the newest commit has a root");
}

#[test]
fn a_damaged_second_commit_is_no_empty_world() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let script = Script { seed: 4, commits: 1, changes: 9, keys: 20, bytes: 300, keeps: false };
    script.run(0, &mut store, &mut Content::new()).expect("works");
    for at in [0, 9, 100, 4090] {
        let mut bytes = disk.bytes();
        bytes[at] ^= 1;
        let store = Store::open_on(Box::new(Memory::of(bytes))).expect("the first is left");
        assert_eq!(*store.opened(), Opened::OneSlot { lost_pages: 0 }, "byte {at}");
    }
}

#[test]
fn lost_pages_are_told_and_the_others_read() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let script = Script { seed: 6, commits: 9, changes: 90, keys: 900, bytes: 20, keeps: false };
    let mut content = Content::new();
    for commit in 0..script.commits {
        script.run(commit, &mut store, &mut content).expect("works");
    }
    let mut bytes = disk.bytes();
    // The slot of the commit before, and a page of the newest.
    bytes[if store.generation().is_multiple_of(2) { 4096 } else { 0 }] ^= 1;
    let pages = bytes.windows(4).enumerate().filter(|(_, bytes)| *bytes == b"TLWp");
    let mut told = 0;
    for at in pages.map(|(at, _)| at).collect::<Vec<_>>() {
        let mut bytes = bytes.clone();
        bytes[at + 40] ^= 1;
        let mut store = Store::open_on(Box::new(Memory::of(bytes))).expect("opens");
        let Opened::OneSlot { lost_pages } = *store.opened() else { panic!("one slot is left") };
        if lost_pages == 0 {
            continue;
        }
        told += 1;
        let verified = store.verify(|_, _| {}).expect("memory");
        assert_eq!((verified.lost_pages, verified.damaged.len()), (1, 0));
        assert!(verified.sound > 0);
        let key = *content.keys().next().expect("some");
        let text = store.put(key, b"x").expect_err("space is not known").to_string();
        assert!(text.contains("bring back a copy"), "{text}");
    }
    assert!(told > 1, "{told} pages");
}

/// Goal: the keys of a layer are read from the pages that may hold them, and from no others.
#[test]
fn keys_of_a_layer_do_not_need_the_others() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let layers = [(Layer::Head, 3), (Layer::Bed, 1000), (Layer::Water, 300), (Layer::Maps, 300)];
    for (layer, count) in layers {
        for x in 0..count {
            let key = Key::of_tile(layer, TileKey { level: 0, x, y: 0 });
            store.put(key, &[1]).expect("works");
        }
    }
    store.commit().expect("works");
    let all = store.keys().expect("whole");
    for layer in Layer::ALL {
        let of_layer: Vec<Key> = all.iter().filter(|key| key.layer == layer).copied().collect();
        assert_eq!(store.keys_of(layer).expect("whole"), of_layer, "{layer:?}");
    }
    // The first page: head and beds.
    let mut bytes = disk.bytes();
    let page = bytes.windows(4).position(|bytes| bytes == b"TLWp").expect("a page");
    bytes[page + 50] ^= 1;
    let store = Store::open_on(Box::new(Memory::of(bytes))).expect("pages are read when needed");
    assert!(matches!(store.keys(), Err(StoreError::Damaged { .. })));
    assert!(matches!(store.keys_of(Layer::Bed), Err(StoreError::Damaged { .. })));
    assert_eq!(store.keys_of(Layer::Water).expect("its pages are whole").len(), 300);
    assert_eq!(store.keys_of(Layer::Facts).expect("its pages are whole"), []);
}

/// Goal: where the list of kept commits is damaged nothing is written, and the last commit can be
/// copied without it.
#[test]
fn a_damaged_list_of_kept_commits_is_left_behind() {
    let script = Script { seed: 8, commits: 24, changes: 9, keys: 12, bytes: 9000, keeps: false };
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let mut content = Content::new();
    for commit in 0..script.commits {
        store.keep(commit).expect("works");
        script.run(commit, &mut store, &mut content).expect("works");
    }
    let mut bytes = disk.bytes();
    for at in 0..bytes.len() - 4 {
        if bytes[at..].starts_with(b"TLWk") {
            bytes[at + 40] ^= 1;
        }
    }
    let mut store = Store::open_on(Box::new(Memory::of(bytes))).expect("a commit is whole");
    let refused = store.put(Key::head(1), b"more").expect_err("it is not known where");
    assert!(matches!(refused, StoreError::KeptUnknown), "{refused}");
    assert!(matches!(store.kept(), Err(StoreError::KeptUnknown)));
    let copy = || Store::create_on(Box::new(Memory::default())).expect("memory");
    let refused = store.compact_into(&mut copy(), &mut |_| ());
    assert!(matches!(refused, Err(StoreError::KeptUnknown)));
    let mut copy = copy();
    store.compact_last_into(&mut copy, &mut |_| ()).expect("works");
    assert_eq!(content_of(&copy).expect("whole"), content);
    assert_eq!(copy.kept().expect("whole"), []);
    script.run(30, &mut copy, &mut content).expect("it goes on");
    assert_eq!(content_of(&copy).expect("whole"), content);
}
