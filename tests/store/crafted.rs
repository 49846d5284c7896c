//! Files that somebody made to do harm: all checksums fit.

use crate::script::content_of;
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::Backend;
use thalweg_engine::store::backend::faulty::{Fate, FaultyDisk, image};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Layer, Store, StoreError};
use xxhash_rust::xxh3::xxh3_64;

/// A file under way, of one commit.
struct Craft {
    bytes: Vec<u8>,
    generation: u64,
}

/// The bytes of a place.
type Place = Vec<u8>;

fn key(x: u32) -> Key {
    Key::of_tile(Layer::Bed, TileKey { level: 0, x, y: 0 })
}

fn key_bytes(x: u32) -> Vec<u8> {
    [&[1, 0, 0, 0], &x.to_le_bytes()[..], &[0; 4]].concat()
}

impl Craft {
    fn new(generation: u64) -> Self {
        Self { bytes: vec![0; 8192], generation }
    }

    fn extent(&mut self, magic: [u8; 4], key: &[u8], content: &[u8]) -> Place {
        let offset = self.bytes.len().next_multiple_of(64);
        self.bytes.resize(offset, 0);
        let length = u32::try_from(content.len()).expect("small").to_le_bytes();
        let generation = self.generation.to_le_bytes();
        let extent = [&magic, &length[..], &generation, key, &[0; 4], content].concat();
        let checksum = xxh3_64(&extent).to_le_bytes();
        self.bytes.extend(extent);
        [&(offset as u64).to_le_bytes()[..], &length, &generation, &checksum].concat()
    }

    fn value(&mut self, x: u32) -> Place {
        self.extent(*b"TLWx", &key_bytes(x), b"one")
    }

    /// The world of these pages, as its head counts them.
    fn open(self, pages: &[&[(u32, &Place)]], extents: u64) -> Result<Store, StoreError> {
        Store::open_on(Box::new(Memory::of(self.finish(pages, extents))))
    }

    /// Bytes of the file.
    fn finish(mut self, pages: &[&[(u32, &Place)]], extents: u64) -> Vec<u8> {
        let mut root = Vec::new();
        for page in pages {
            let entry = |(x, place): &(u32, &Place)| [key_bytes(*x), (*place).clone()].concat();
            let content: Vec<u8> = page.iter().flat_map(entry).collect();
            root.extend(key_bytes(page[0].0));
            root.extend(self.extent(*b"TLWp", &key_bytes(page[0].0), &content));
        }
        let root = self.extent(*b"TLWr", &[0; 12], &root);
        let head = [&b"\x89TLW\r\n\x1a\n"[..], &[1, 0, 0, 0, 0, 0, 0, 0]].concat();
        let numbers = [&self.generation.to_le_bytes()[..], &root, &extents.to_le_bytes()].concat();
        let mut slot = [head, numbers].concat();
        slot.resize(4088, 0);
        slot.extend(xxh3_64(&slot).to_le_bytes());
        let at = if self.generation.is_multiple_of(2) { 0 } else { 4096 };
        self.bytes[at..at + 4096].copy_from_slice(&slot);
        self.bytes
    }
}

#[test]
fn a_crafted_world_is_read_where_it_is_sound() {
    let mut craft = Craft::new(5);
    let (one, two) = (craft.value(1), craft.value(2));
    let store = craft.open(&[&[(1, &one)], &[(2, &two)]], 2).expect("sound");
    let content = content_of(&store).expect("sound");
    assert_eq!(
        content.into_iter().collect::<Vec<_>>(),
        [(key(1), b"one".into()), (key(2), b"one".into())]
    );
}

#[test]
fn an_extent_of_another_key_is_not_served() {
    let mut craft = Craft::new(5);
    let one = craft.value(1);
    let store = craft.open(&[&[(2, &one)]], 1).expect("opens");
    let found = store.get(key(2), &mut Vec::new());
    assert!(matches!(found, Err(StoreError::Damaged { key: Some(_), .. })), "{found:?}");
}

#[test]
fn entries_out_of_order_are_refused() {
    let mut craft = Craft::new(5);
    let [one, five, nine] = [1, 5, 9].map(|x| craft.value(x));
    let (bytes, generation) = (craft.bytes.clone(), craft.generation);
    let store = craft.open(&[&[(1, &one), (9, &nine)], &[(5, &five)]], 3).expect("opens");
    assert!(store.keys().is_err(), "a page reaches into the next");
    let craft = Craft { bytes, generation };
    let store = craft.open(&[&[(1, &one), (9, &nine), (5, &five)]], 3).expect("opens");
    assert!(store.keys().is_err(), "out of order in a page");
}

#[test]
fn numbers_at_the_end_of_their_range_do_no_harm() {
    let mut craft = Craft::new(u64::MAX);
    let one = craft.value(1);
    assert!(matches!(craft.open(&[&[(1, &one)]], 1), Err(StoreError::NoCommit)));
    for extents in [0, 129, u64::MAX] {
        let mut craft = Craft::new(5);
        let one = craft.value(1);
        let refused = craft.open(&[&[(1, &one)]], extents).expect_err("a page holds 1 to 128");
        assert!(matches!(refused, StoreError::Damaged { key: None, .. }), "{refused}");
    }
    let mut craft = Craft::new(5);
    let one = craft.value(1);
    let mut store = craft.open(&[&[(1, &one)]], 7).expect("a page may hold as many");
    assert!(!store.verify(|_, _| {}).expect("memory").is_clean());
    let refused = store.put(key(2), b"two").expect_err("it lists one");
    assert!(refused.to_string().contains("counts other extents"), "{refused}");
    for (at, bytes) in [(0, [0xff; 8]), (0, [0; 8]), (8, [0xff; 8])] {
        let mut craft = Craft::new(5);
        let mut one = craft.value(1);
        one[at..at + 4].copy_from_slice(&bytes[..4]);
        let store = craft.open(&[&[(1, &one)]], 1).expect("opens");
        assert!(store.get(key(1), &mut Vec::new()).is_err(), "byte {at} of a place");
    }
}

/// Goal: no commit is written under a number that no superblock may have: it would not be seen.
#[test]
fn no_commit_is_written_beyond_the_last_number() {
    let last = 1_u64 << 56;
    for (generation, commits) in [(last - 1, 1), (last, 0)] {
        let mut craft = Craft::new(generation);
        let one = craft.value(1);
        let disk = FaultyDisk::default();
        disk.write_at(0, &craft.finish(&[&[(1, &one)]], 1)).expect("works");
        let mut store = Store::open_on(Box::new(disk.clone())).expect("the numbers end with it");
        for commit in 0..commits {
            store.put(key(2), b"two").expect("works");
            assert_eq!(store.commit().expect("works"), generation + commit + 1);
        }
        let refused = store.put(key(3), b"three").expect_err("no number is left");
        assert!(matches!(refused, StoreError::LastCommit), "{refused}");
        assert!(refused.to_string().contains("72057594037927936"), "{refused}");
        assert!(store.keep(1).is_err() && store.commit().is_err());
        let again = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
        assert_eq!(again.generation(), last.min(generation + commits));
        assert_eq!(content_of(&again).expect("whole"), content_of(&store).expect("whole"));
    }
}

/// Goal: the list of kept commits of the older superblock is checked as that of the newer is: where
/// it says that it stands nothing grows, panics or is written over.
#[test]
fn the_list_of_the_older_superblock_is_bounded() {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    for commit in 0..4_u8 {
        store.put(key(1), &[commit; 3000]).expect("works");
        store.commit().expect("works");
    }
    // Generation 5 is the newest, in slot 1: the older one is in slot 0.
    let file = disk.bytes();
    for (offset, length) in [
        (0_u64, 4096_u32),
        (4096, 4096),
        (64, 1),
        (u64::MAX - 63, 64),
        (1 << 40, 52),
        (8192, u32::MAX),
        (0, u32::MAX),
    ] {
        let mut bytes = file.clone();
        bytes[60..68].copy_from_slice(&offset.to_le_bytes());
        bytes[68..72].copy_from_slice(&length.to_le_bytes());
        bytes[72..80].copy_from_slice(&4_u64.to_le_bytes());
        let sum = xxh3_64(&bytes[..4088]).to_le_bytes();
        bytes[4088..4096].copy_from_slice(&sum);
        let disk = FaultyDisk::default();
        disk.write_at(0, &bytes).expect("works");
        let case = format!("{length} bytes at {offset}");
        let mut store = Store::open_on(Box::new(disk.clone())).expect("the newer one is whole");
        let is_clean = store.verify(|_, _| {}).expect("memory").is_clean();
        assert!(!is_clean, "{case}: both superblocks are looked at");
        for commit in 10..14_u8 {
            store.put(key(1), &[commit; 3000]).expect("works");
            store.commit().expect("works");
            assert!(disk.bytes().len() < file.len() + 200_000, "{case}: it grew");
            let again = Store::open_on(Box::new(Memory::of(disk.bytes())));
            let again = again.unwrap_or_else(|error| panic!("{case}: {error}"));
            assert!(again.verify(|_, _| {}).expect("memory").is_clean(), "{case}");
            let mut found = Vec::new();
            assert!(again.get(key(1), &mut found).expect("whole") && found == [commit; 3000]);
        }
    }
}

/// The versions of the two superblocks.
fn versions(bytes: &[u8]) -> [u8; 2] {
    [bytes[8], bytes[4096 + 8]]
}

/// Goal: a file of format 1 is read, and has no superblock of format 1 once it is written.
#[test]
fn an_old_format_is_read_and_written_as_the_new_one() {
    let mut craft = Craft::new(4);
    let one = craft.value(1);
    let before = craft.finish(&[&[(1, &one)]], 1);
    let mut craft = Craft { bytes: before, generation: 5 };
    let two = craft.value(2);
    let bytes = craft.finish(&[&[(1, &one), (2, &two)]], 2);
    assert_eq!(versions(&bytes), [1, 1]);
    let disk = FaultyDisk::default();
    disk.write_at(0, &bytes).expect("works");
    let mut store = Store::open_on(Box::new(disk.clone())).expect("opens");
    let content = content_of(&store).expect("whole");
    assert_eq!(content.len(), 2);
    assert_eq!(store.kept().expect("format 1 has none"), []);
    assert_eq!(versions(&disk.bytes()), [1, 1], "it was only read");
    store.put(key(7), b"new").expect("works");
    assert_eq!(versions(&disk.bytes()), [2, 2], "before anything else is written over");
    store.keep(1).expect("works");
    store.commit().expect("works");
    // An older build never finds the newest commit gone, and the one before there.
    let calls = disk.calls();
    for crash in 1..=calls.len() {
        let [even, odd] = versions(&image(&calls, crash, |_| Fate::Kept));
        assert!(even == 2 || odd == 1, "crash {crash}: {even}, {odd}");
    }
    let store = Store::open_on(Box::new(Memory::of(disk.bytes()))).expect("opens");
    assert!(store.verify(|_, _| {}).expect("memory").is_clean());
    assert_eq!(store.kept().expect("whole").len(), 1);
    assert_eq!(store.extents(), 3);
}

#[test]
fn layers_of_later_builds_are_listed_checked_and_kept() {
    let mut craft = Craft::new(5);
    let one = craft.value(1);
    let bytes = craft.finish(&[&[(1, &one)]], 1);
    let mut store = Store::open_on(Box::new(Memory::of(bytes))).expect("opens");
    let other = Key { layer: Layer::of(200), part: 7, ..key(3) };
    assert!(matches!(other.layer, Layer::Other(_)));
    store.put(other, b"later").expect("memory");
    store.commit().expect("memory");
    assert_eq!(store.keys().expect("whole"), [key(1), other]);
    let mut bytes = Vec::new();
    assert!(store.get(other, &mut bytes).expect("whole"));
    assert_eq!(bytes, b"later");
    assert_eq!(store.verify(|_, _| {}).expect("memory").sound, 2);
    assert!(other.to_string().contains("layer 200"));
}
