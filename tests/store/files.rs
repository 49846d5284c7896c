//! Worlds in files.

#[path = "../common/folder.rs"]
mod folder;

pub use folder::Folder;
use std::path::{Path, PathBuf};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::faulty::{Fate, FaultyDisk, image, unsynced};
use thalweg_engine::store::{EXTENT_MAX, Key, Layer, Store, StoreError};
#[cfg(unix)]
use thalweg_engine::store::{Extents, Reading};

impl Folder {
    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn world(&self) -> PathBuf {
        self.0.join("valley.thalweg")
    }
}

fn key(x: u32) -> Key {
    Key::of_tile(Layer::Bed, TileKey { level: 2, x, y: 1 })
}

#[test]
fn a_world_comes_back_from_its_file() {
    let folder = Folder::new("comes-back");
    let mut store = Store::create(&folder.world()).expect("a new file");
    for x in 0..500 {
        store.put(key(x), &x.to_le_bytes()).expect("room");
    }
    store.commit().expect("room");
    store.put(key(3), b"not committed").expect("room");
    drop(store);
    let store = Store::open(&folder.world()).expect("a world");
    let mut bytes = Vec::new();
    for x in 0..500 {
        assert!(store.get(key(x), &mut bytes).expect("whole"));
        assert_eq!(bytes, x.to_le_bytes());
    }
    assert!(!store.get(key(500), &mut bytes).expect("whole"));
    assert_eq!((store.extents(), store.generation()), (500, 2));
}

#[test]
fn one_writes_and_others_read() {
    let folder = Folder::new("one-writes");
    let mut writer = Store::create(&folder.world()).expect("a new file");
    writer.put(key(1), b"first").expect("room");
    writer.commit().expect("room");
    assert!(matches!(Store::open(&folder.world()), Err(StoreError::InUse)));

    let late = Store::read(&folder.world()).expect("a world");
    let mut reader = Store::read(&folder.world()).expect("a world");
    assert!(matches!(reader.put(key(1), b"x"), Err(StoreError::ReadOnly)));
    let mut bytes = Vec::new();
    let mut overtaken = None;
    for commit in 0..6_u8 {
        writer.put(key(1), &[commit; 3000]).expect("room");
        writer.commit().expect("room");
        match reader.get(key(1), &mut bytes) {
            Ok(is_there) => assert!(is_there && bytes == b"first", "commit {commit}"),
            Err(StoreError::Overtaken { held: 2, newest }) => overtaken = Some(newest),
            Err(error) => panic!("commit {commit}: {error}"),
        }
    }
    // The extent may be used again two commits later; from then on nothing wrong is read.
    assert!(overtaken.is_some_and(|newest| newest >= 4), "{overtaken:?}");
    // One that has not read its directory yet gets the same error.
    let error = late.get(key(1), &mut bytes).expect_err("used again");
    assert!(matches!(error, StoreError::Overtaken { held: 2, .. }), "{error}");
}

#[track_caller]
fn check_refused(name: &str, bytes: &[u8], expected: &str) {
    let folder = Folder::new(name);
    std::fs::write(folder.world(), bytes).expect("room");
    for result in [Store::open(&folder.world()), Store::read(&folder.world())] {
        let text = result.expect_err("no world").to_string();
        assert!(text.contains(expected) && !text.contains('\n'), "{text}");
    }
}

#[test]
fn other_files_are_refused() {
    check_refused("empty", b"", "not a world file");
    check_refused("short", b"PNG", "not a world file");
    check_refused("foreign", &[b'x'; 20_000], "not a world file");
    let mut newer = b"\x89TLW\r\n\x1a\n".to_vec();
    newer.extend(9_u32.to_le_bytes());
    newer.resize(9000, 0);
    check_refused("newer", &newer, "format 9");
    newer[8] = 1;
    check_refused("broken", &newer, "no commit");
    let folder = Folder::new("missing");
    let text = Store::read(&folder.world()).expect_err("no file").to_string();
    assert!(text.contains("cannot open the world"), "{text}");
    Store::create(&folder.world()).expect("a new file");
    let text = Store::create(&folder.world()).expect_err("it is there").to_string();
    assert!(text.contains("cannot make the world"), "{text}");
}

#[test]
fn what_is_too_large_for_an_extent_is_refused() {
    let folder = Folder::new("too-large");
    let mut store = Store::create(&folder.world()).expect("a new file");
    store.put(key(0), &vec![1; EXTENT_MAX]).expect("just fits");
    let error = store.put(key(0), &vec![1; EXTENT_MAX + 1]).expect_err("too large");
    assert!(matches!(error, StoreError::TooLarge { .. }));
    store.commit().expect("room");
}

#[test]
fn a_file_that_is_cut_off_is_an_error() {
    let folder = Folder::new("cut-off");
    let mut store = Store::create(&folder.world()).expect("a new file");
    (0..50).for_each(|x| store.put(key(x), &[5; 4000]).expect("room"));
    store.commit().expect("room");
    drop(store);
    let store = Store::read(&folder.world()).expect("a world");
    let file = std::fs::OpenOptions::new().write(true).open(folder.world()).expect("there");
    file.set_len(30_000).expect("cut");
    let mut bytes = Vec::new();
    assert!((0..50).any(|x| store.get(key(x), &mut bytes).is_err()));
}

/// Result of showing each of some keys: its bytes, nothing, or an error.
#[cfg(unix)]
fn shown(store: &Store, keys: &[Key]) -> Vec<Result<Option<Vec<u8>>, StoreError>> {
    let mut all: Vec<_> = keys.iter().map(|_| Ok(Some(b"never shown".to_vec()))).collect();
    let reader = store.reader();
    reader.show(keys, &mut |at, bytes| all[at] = bytes.map(|bytes| bytes.map(<[u8]>::to_vec)));
    all
}

/// Goal: extents are the same however they are read, those of later commits too, and damage is
/// that of one extent. Method: a file that grows while it is mapped; a byte of an extent flipped.
#[cfg(unix)]
#[test]
fn extents_are_shown_where_they_stand() {
    let content = |x: u32| vec![u8::try_from(x % 251).expect("a byte"); 100 + 90 * x as usize];
    let keys: Vec<Key> = (0..120).rev().map(key).collect();
    for reading in [Reading::Mapped, Reading::Positioned] {
        let folder = Folder::new("shown");
        let mut store = Store::create(&folder.world()).expect("a new file");
        store.set_reading(reading);
        for half in [0..60, 60..119] {
            half.clone().for_each(|x| store.put(key(x), &content(x)).expect("room"));
            store.commit().expect("room");
            for (key, shown) in keys.iter().zip(shown(&store, &keys)) {
                let (x, shown) = (key.tile.x, shown.expect("whole"));
                assert_eq!(shown, (x < half.end).then(|| content(x)), "{reading:?} {x}");
            }
        }
        let bytes = std::fs::read(folder.world()).expect("there");
        let at = bytes.windows(200).position(|part| part == [77; 200]).expect("extent 77");
        let file = std::fs::OpenOptions::new().write(true).open(folder.world()).expect("there");
        std::os::unix::fs::FileExt::write_all_at(&file, &[0], at as u64).expect("there");
        for (key, shown) in keys.iter().zip(shown(&store, &keys)) {
            let is_damaged =
                matches!(shown, Err(StoreError::Damaged { key: Some(at), .. }) if at == *key);
            assert_eq!(is_damaged, key.tile.x == 77, "{reading:?} {key:?}");
        }
    }
}

/// Goal: a file that a tool without locks cuts off below a map of it is an error, not the end of
/// the process. Method: a map that was looked at as a whole before.
#[cfg(unix)]
#[test]
fn a_map_that_is_cut_off_is_an_error() {
    let folder = Folder::new("cut-off-map");
    let mut store = Store::create(&folder.world()).expect("a new file");
    (0..50).for_each(|x| store.put(key(x), &[5; 4000]).expect("room"));
    store.commit().expect("room");
    let keys: Vec<Key> = (0..50).map(key).collect();
    assert!(shown(&store, &keys).iter().all(Result::is_ok));
    let file = std::fs::OpenOptions::new().write(true).open(folder.world()).expect("there");
    file.set_len(30_000).expect("cut");
    for one in [&keys[..], &keys[49..]] {
        let failed = shown(&store, one)
            .iter()
            .filter(|shown| matches!(shown, Err(StoreError::Io { .. })))
            .count();
        assert!(failed > 0, "{failed} of {}", one.len());
    }
    assert!(shown(&store, &keys[..1])[0].is_ok(), "it lies before the cut");
}

/// Whether a world can be made where a file with these bytes stands.
#[track_caller]
fn check_taken_over(folder: &Folder, bytes: &[u8], case: &str) -> bool {
    std::fs::write(folder.world(), bytes).expect("room");
    match Store::create(&folder.world()) {
        Ok(mut store) => {
            store.put(key(0), b"begun again").expect("room");
            store.commit().expect("room");
            drop(store);
            let store = Store::open(&folder.world()).expect("a world");
            assert!(store.verify(|_, _| {}).expect("readable").is_clean(), "{case}");
            assert_eq!((store.extents(), store.generation()), (1, 2), "{case}");
            true
        }
        Err(error) => {
            assert_eq!(std::fs::read(folder.world()).expect("there"), bytes, "{case}: {error}");
            false
        }
    }
}

/// Goal: a world whose making was cut off can be made again, and nothing else is written over.
/// Method: the file after every crash of a creation; other files that are as short.
#[test]
fn a_creation_that_was_cut_off_is_begun_again() {
    let folder = Folder::new("begun");
    let disk = FaultyDisk::default();
    Store::create_on(Box::new(disk.clone())).expect("works");
    let (calls, whole) = (disk.calls(), disk.bytes());
    for crash in 0..calls.len() {
        let writes = crash - unsynced(&calls, crash);
        for (lost, way) in [Fate::Lost, Fate::Torn(20), Fate::TornBefore(20), Fate::Kept]
            .into_iter()
            .enumerate()
            .take(if writes > 0 { 4 } else { 1 })
        {
            let bytes = image(&calls, crash, |_| way);
            let is_whole = bytes == whole;
            let case = format!("crash {crash}, fate {lost}");
            assert_eq!(check_taken_over(&folder, &bytes, &case), !is_whole, "{case}");
        }
    }
    for cut in [0, 1, 4096, whole.len() - 1] {
        assert!(check_taken_over(&folder, &whole[..cut], "cut"), "{cut} bytes");
    }
    let mut other = whole.clone();
    other[5000] ^= 1;
    for bytes in [&whole[..], b"a text", &[0; 20_000], &other] {
        assert!(!check_taken_over(&folder, bytes, "foreign"), "{} bytes", bytes.len());
    }
    // One that somebody is making.
    std::fs::write(folder.world(), b"").expect("room");
    let file = std::fs::File::open(folder.world()).expect("there");
    file.try_lock().expect("nobody has it");
    assert!(matches!(Store::create(&folder.world()), Err(StoreError::InUse)));
}
