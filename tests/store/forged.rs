//! Files whose numbers somebody forged, with checksums that fit.
//!
//! Goal: whatever a number of a superblock, of the list of kept commits or of the directory says,
//!       the file opens or is refused in one sentence; nothing panics, no read and no save is
//!       larger than the file warrants, and what a save makes is whole.
//! Method: each number of both superblocks, of both lists and of the roots and pages of both
//!         commits, in turn, is each of the values at the ends of what it may be; all checksums
//!         that cover it are made anew.

use crate::script::{Content, History, Script};
use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use thalweg_engine::store::backend::Backend;
use thalweg_engine::store::backend::faulty::FaultyDisk;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::{Key, Opened, Store, StoreError, Verified};
use xxhash_rust::xxh3::xxh3_64;

/// Where the checksum of a superblock stands in it.
const SLOT_SUM: usize = 4088;
/// The numbers of a place: where they stand in it, and their bytes.
const PLACE: [(&str, usize, usize); 4] =
    [("offset", 0, 8), ("length", 8, 4), ("generation", 12, 8), ("checksum", 20, 8)];

/// A number in a file.
#[derive(Debug, Clone)]
struct Number {
    name: String,
    at: usize,
    bytes: usize,
}

/// A disk that notes the largest read.
#[derive(Debug, Clone)]
struct Watched {
    disk: FaultyDisk,
    largest: Arc<AtomicUsize>,
}

impl Backend for Watched {
    fn size(&self) -> io::Result<u64> {
        self.disk.size()
    }

    fn read_at(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.largest.fetch_max(out.len(), Ordering::Relaxed);
        self.disk.read_at(offset, out)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.disk.write_at(offset, bytes)
    }

    fn sync(&self) -> io::Result<()> {
        self.disk.sync()
    }

    fn lost_name(&self) -> io::Result<Option<PathBuf>> {
        self.disk.lost_name()
    }
}

/// A world of several pages whose last two commits keep different ones.
fn world() -> Vec<u8> {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let script = Script { seed: 4, commits: 5, changes: 90, keys: 300, bytes: 60, keeps: false };
    let (mut content, mut history) = (Content::new(), History::new());
    for commit in 0..script.commits {
        if commit > 1 {
            store.keep(commit).expect("works");
        }
        if commit == 4 {
            assert!(store.forget(3).expect("works"));
        }
        script.keep(commit, &mut store, &mut content, &mut history).expect("works");
        script.run(commit, &mut store, &mut content).expect("works");
    }
    disk.bytes()
}

fn u64_at(bytes: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight"))
}

/// The extents of the index: where each begins and ends, by their first bytes.
fn index_of(bytes: &[u8]) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for at in (8192..bytes.len().saturating_sub(32)).step_by(64) {
        let is_index =
            [b"TLWp", b"TLWr", b"TLWk"].iter().any(|magic| bytes[at..].starts_with(*magic));
        let length = u32::from_le_bytes(bytes[at + 4..at + 8].try_into().expect("four")) as usize;
        if is_index && at + 32 + length <= bytes.len() {
            found.push((at, at + 32 + length));
        }
    }
    found
}

/// The index of the commit that a slot finds: its root, its list and its first page.
fn index_under(bytes: &[u8], slot: usize) -> Vec<(&'static str, usize)> {
    let at = |place: usize| usize::try_from(u64_at(bytes, place)).expect("small");
    let (root, list) = (at(slot + 24), at(slot + 60));
    // The first entry of the root, behind its key.
    vec![("root", root), ("list", list), ("page", at(root + 32 + 12))]
}

fn place(out: &mut Vec<Number>, name: &str, at: usize) {
    for (field, from, bytes) in PLACE {
        out.push(Number { name: format!("{field} of {name}"), at: at + from, bytes });
    }
}

/// All numbers of a superblock, and of the index of its commit.
fn numbers(bytes: &[u8], slot: usize) -> (Vec<Number>, Vec<Number>) {
    let number = |name: &str, at: usize, bytes: usize| Number {
        name: format!("{name} of slot {slot}"),
        at: slot + at,
        bytes,
    };
    let mut block = vec![
        number("version", 8, 4),
        number("reserve", 12, 4),
        number("generation", 16, 8),
        number("extents", 52, 8),
    ];
    place(&mut block, &format!("the root, slot {slot}"), slot + 24);
    place(&mut block, &format!("the list, slot {slot}"), slot + 60);
    let mut index = Vec::new();
    for (name, at) in index_under(bytes, slot) {
        let name = format!("{name} of slot {slot}");
        index.push(Number { name: format!("length in the {name}"), at: at + 4, bytes: 4 });
        index.push(Number { name: format!("generation in the {name}"), at: at + 8, bytes: 8 });
        if name.starts_with("list") {
            for (field, from) in [("generation", 0), ("label", 8), ("extents", 44)] {
                let name = format!("{field} of a record of the {name}");
                index.push(Number { name, at: at + 32 + from, bytes: 8 });
            }
            place(&mut index, &format!("a record of the {name}"), at + 32 + 16);
        } else {
            place(&mut index, &format!("an entry of the {name}"), at + 32 + 12);
        }
    }
    (block, index)
}

/// Values at the ends of what a number may be, and beside what it is.
fn values(number: &Number, bytes: &[u8]) -> BTreeSet<u64> {
    let size = bytes.len() as u64;
    let mut now = [0; 8];
    now[..number.bytes].copy_from_slice(&bytes[number.at..number.at + number.bytes]);
    let now = u64::from_le_bytes(now);
    let far = [31, 32, 56, 63].map(|bits| 1_u64 << bits);
    let ends = [0, 4096, 8192, 1 << 20, 64 << 20, size, now].into_iter().chain(far);
    let near =
        ends.flat_map(|end| [-64_i64, -1, 0, 1, 64].map(|step| end.wrapping_add_signed(step)));
    let most = if number.bytes == 4 { u64::from(u32::MAX) } else { u64::MAX };
    near.chain([most]).filter(|value| *value <= most && *value != now).collect()
}

/// The file with another number, and all checksums that cover it made anew.
fn forged(file: &[u8], number: &Number, value: u64) -> Vec<u8> {
    let mut bytes = file.to_vec();
    bytes[number.at..number.at + number.bytes]
        .copy_from_slice(&value.to_le_bytes()[..number.bytes]);
    // From pages to roots, and then whatever names these: until no sum is another.
    let mut sums: Vec<_> =
        index_of(file).into_iter().map(|(from, to)| (from, to, xxh3_64(&file[from..to]))).collect();
    for _ in 0..4 {
        for (from, to, sum) in &mut sums {
            let now = xxh3_64(&bytes[*from..*to]);
            if now != *sum {
                let (old, new) = (sum.to_le_bytes(), now.to_le_bytes());
                for at in 0..bytes.len() - 8 {
                    if bytes[at..at + 8] == old {
                        bytes[at..at + 8].copy_from_slice(&new);
                    }
                }
                *sum = now;
            }
        }
    }
    for slot in [0, 4096] {
        let sum = xxh3_64(&bytes[slot..slot + SLOT_SUM]).to_le_bytes();
        bytes[slot + SLOT_SUM..slot + 4096].copy_from_slice(&sum);
    }
    bytes
}

#[track_caller]
fn is_sentence(error: &StoreError, case: &str) {
    let text = error.to_string();
    assert!(text.len() > 20 && !text.contains('\n'), "{case}: {text}");
}

/// How much a check found.
fn amount(verified: &Verified) -> usize {
    verified.damaged.len() + verified.lost_pages + verified.kept_damaged.len()
}

/// Opens a forged file, checks it, saves into it, and opens and checks that; whether it was saved.
#[track_caller]
fn check(bytes: &[u8], case: &str, is_block: bool) -> bool {
    let size = bytes.len();
    let disk = FaultyDisk::default();
    disk.write_at(0, bytes).expect("works");
    let watched = Watched { disk: disk.clone(), largest: Arc::default() };
    let largest = Arc::clone(&watched.largest);
    let saved = match Store::open_on(Box::new(watched)) {
        Err(error) => {
            is_sentence(&error, case);
            false
        }
        Ok(store) => save(store, &disk, case, is_block),
    };
    assert!(largest.load(Ordering::Relaxed) <= size + (1 << 20), "{case}: a large read");
    let grown = disk.bytes().len().saturating_sub(size);
    assert!(grown <= 1 << 20, "{case}: it grew by {grown} bytes");
    saved
}

#[track_caller]
fn save(mut store: Store, disk: &FaultyDisk, case: &str, is_block: bool) -> bool {
    let before = store.verify(|_, _| {}).unwrap_or_else(|error| panic!("{case}: {error}"));
    let data = vec![0xab; 70_000];
    for part in 0..3 {
        if let Err(error) = store.put(Key::head(500 + part), &data).and_then(|()| store.commit()) {
            is_sentence(&error, case);
            return false;
        }
    }
    let again = Store::open_on(Box::new(Memory::of(disk.bytes())));
    let again = again.unwrap_or_else(|error| panic!("{case}: saved, and then {error}"));
    assert_eq!(*again.opened(), Opened::Whole, "{case}");
    let mut found = Vec::new();
    for part in 0..3 {
        assert!(again.get(Key::head(500 + part), &mut found).expect("it was saved"), "{case}");
        assert!(found == data, "{case}: other bytes");
    }
    let after = again.verify(|_, _| {}).unwrap_or_else(|error| panic!("{case}: {error}"));
    if is_block {
        assert!(after.is_clean(), "{case}: {after:?}");
    }
    assert!(amount(&after) <= amount(&before), "{case}: {before:?}, then {after:?}");
    true
}

/// Runs `check` over all values of all numbers: how many were saved, of how many.
fn all(is_block: bool) -> (usize, usize) {
    let file = world();
    assert!(check(&file, "as it was", true));
    let (mut saved, mut count) = (0, 0);
    for slot in [0, 4096] {
        let (block, index) = numbers(&file, slot);
        for number in if is_block { block } else { index } {
            for value in values(&number, &file) {
                let case = format!("{} = {value:#x}", number.name);
                saved += usize::from(check(&forged(&file, &number, value), &case, is_block));
                count += 1;
            }
        }
    }
    println!("{saved} of {count} forged files could be saved into");
    (saved, count)
}

#[test]
fn forged_superblocks_do_no_harm() {
    let (saved, count) = all(true);
    assert!(count > 700 && saved > 100, "{saved} of {count}");
}

#[test]
fn forged_indices_do_no_harm() {
    let (saved, count) = all(false);
    assert!(count > 900 && saved > 100, "{saved} of {count}");
}
