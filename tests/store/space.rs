//! Space that is used again.

use crate::script::{Content, Script, content_of};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::faulty::FaultyDisk;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Layer, Store};

#[test]
fn a_world_that_is_saved_often_does_not_grow() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
    let script = Script { seed: 1, commits: 300, changes: 40, keys: 60, bytes: 9000, keeps: false };
    let mut content = Content::new();
    let mut sizes = Vec::new();
    for commit in 0..script.commits {
        script.run(commit, &mut store, &mut content).expect("works");
        if commit % 7 == 0 {
            // Opened anew, it finds the same space.
            store = Store::open_on(Box::new(disk.clone())).expect("opens");
            assert_eq!(content_of(&store).expect("whole"), content, "commit {commit}");
        }
        sizes.push(store.file_bytes().expect("memory"));
    }
    let live = store.reader().live_bytes().expect("whole");
    assert!(
        sizes[299] <= sizes[60] + sizes[60] / 4,
        "{} after 60, {} after 300",
        sizes[60],
        sizes[299]
    );
    assert!(sizes[299] < 5 * live, "{} for {live} live bytes", sizes[299]);
}

#[test]
fn a_commit_writes_what_has_changed() {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("works");
    let script = Script { seed: 2, commits: 1, changes: 1, keys: 900, bytes: 9000, keeps: false };
    for commit in 0..2000 {
        for (key, _) in script.changes(commit) {
            store.put(key, &[7; 5000]).expect("works");
        }
    }
    store.commit().expect("works");
    let before = store.file_bytes().expect("memory");
    let (key, _) = script.changes(5).remove(0);
    store.put(key, &[8; 5000]).expect("works");
    store.commit().expect("works");
    let grown = store.file_bytes().expect("memory") - before;
    assert!(grown <= 128 * 1024, "{grown} bytes for one extent");
}

#[test]
fn keys_in_any_order_fill_their_pages() {
    for is_descending in [false, true] {
        let disk = FaultyDisk::default();
        let mut store = Store::create_on(Box::new(disk.clone())).expect("works");
        let key = |x| Key::of_tile(Layer::Bed, TileKey { level: 0, x, y: 0 });
        (0..128).for_each(|x| store.put(key(x), b"a").expect("works"));
        for i in 0..5000 {
            let x = if is_descending { 100_000 - i } else { 100_000 + i };
            store.put(key(x), b"a").expect("works");
        }
        store.commit().expect("works");
        let pages = disk.bytes().windows(4).filter(|bytes| *bytes == b"TLWp").count();
        assert!(pages <= 2 * 5128 / 128 + 2, "descending {is_descending}: {pages} pages");
    }
}

#[test]
fn nothing_changed_is_no_commit() {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("works");
    assert_eq!((store.generation(), store.commit().expect("works")), (1, 1));
    let key = Key::head(3);
    assert!(!store.remove(key).expect("works"));
    assert_eq!(store.commit().expect("works"), 1);
    store.put(key, b"x").expect("works");
    assert_eq!(store.commit().expect("works"), 2);
    assert!(store.remove(key).expect("works"));
    assert_eq!(store.commit().expect("works"), 3);
    assert_eq!(store.extents(), 0);
}
