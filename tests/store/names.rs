//! World files that lose their name while they are written.

use crate::files::Folder;
use std::fs;
use std::path::Path;
use thalweg_engine::store::{Claim, Key, Store, StoreError};

/// A world with one commit of its own.
fn written(path: &Path) -> Store {
    let mut store = Store::create(path).expect("a new file");
    store.put(Key::head(1), b"before").expect("room");
    store.commit().expect("room");
    store
}

/// Goal: no commit is reported that nobody finds under the name of its file.
/// Method: users' actions on a file that is written: they delete it, move it away, move another
/// file or another world over it, or move its folder.
#[cfg(unix)]
#[test]
fn a_commit_to_a_file_without_its_name_is_an_error() {
    type Way = fn(&Path, &Path);
    let ways: [(&str, Way); 5] = [
        ("deleted", |world, _| fs::remove_file(world).expect("there")),
        ("moved away", |world, aside| fs::rename(world, aside).expect("there")),
        ("copied over", |world, aside| {
            fs::copy(world, aside).expect("room");
            fs::rename(aside, world).expect("there");
        }),
        ("made anew", |world, _| {
            fs::remove_file(world).expect("there");
            drop(written(world));
        }),
        ("folder moved", |world, aside| {
            let folder = world.parent().expect("a folder");
            fs::rename(folder, aside.parent().expect("a folder").join("moved")).expect("there");
        }),
    ];
    for (case, lose) in ways {
        let folder = Folder::new("lost-name");
        let inner = folder.path().join("inner");
        fs::create_dir_all(&inner).expect("room");
        let (world, aside) = (inner.join("river.thalweg"), folder.path().join("aside"));
        let mut store = written(&world);
        lose(&world, &aside);
        store.put(Key::head(1), b"after").expect("the file is still open");
        let text = store.commit().expect_err(case).to_string();
        for part in ["river.thalweg", "no longer", "save it under another name"] {
            assert!(text.contains(part), "{case}: {text}");
        }
        assert!(store.commit().is_err(), "{case}: it stays so");
    }
}

/// Goal: a world whose name was lost for a while and came back is written on.
#[cfg(unix)]
#[test]
fn a_name_that_comes_back_is_good_again() {
    let folder = Folder::new("name-back");
    let (world, aside) = (folder.world(), folder.path().join("aside"));
    let mut store = written(&world);
    fs::rename(&world, &aside).expect("there");
    store.put(Key::head(1), b"after").expect("the file is still open");
    store.commit().expect_err("it has another name");
    fs::rename(&aside, &world).expect("there");
    store.commit().expect("it has its name");
    drop(store);
    let mut bytes = Vec::new();
    assert!(Store::read(&world).expect("a world").get(Key::head(1), &mut bytes).expect("whole"));
    assert_eq!(bytes, b"after");
}

/// Makes a world aside and gives it the name of a claim.
fn give(claim: Claim, bytes: &[u8]) -> Result<(), StoreError> {
    let aside = claim.path().with_extension("aside");
    let mut store = Store::create(&aside).expect("a new file");
    store.put(Key::head(1), bytes).expect("room");
    store.commit().expect("room");
    let given = claim.give(&aside);
    drop(store);
    _ = fs::remove_file(&aside);
    given
}

fn first(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    Store::read(path).expect("a world").get(Key::head(1), &mut bytes).expect("whole");
    bytes
}

/// Goal: no world is replaced that somebody writes, and none is written that is being replaced.
#[test]
fn what_replaces_a_world_has_its_lock() {
    let folder = Folder::new("replaced");
    let world = folder.world();
    let mut store = written(&world);
    assert!(matches!(Claim::to_replace(&world), Err(StoreError::InUse)));
    assert!(matches!(Claim::to_make(&world), Err(StoreError::Io { .. })));
    store.put(Key::head(1), b"written on").expect("room");
    store.commit().expect("it has its name");
    drop(store);
    let claim = Claim::to_replace(&world).expect("nobody writes it");
    assert!(matches!(Store::open(&world), Err(StoreError::InUse)));
    give(claim, b"new").expect("there");
    assert_eq!(first(&world), b"new");
    drop(Store::open(&world).expect("it is free again"));
    // In place of a world that is open, by the one who has it open.
    let store = Store::open(&world).expect("free");
    give(Claim::of_open(&world, &store).expect("its own"), b"newer").expect("there");
    drop(store);
    assert_eq!(first(&world), b"newer");
    assert!(give(Claim::to_make(&world.with_extension("other")).expect("free"), b"x").is_ok());
}

/// Goal: a name that came meanwhile is taken only where that was asked for, and never from one who
/// writes.
#[test]
fn what_came_under_a_claimed_name_is_not_lost() {
    let folder = Folder::new("came-meanwhile");
    let world = folder.world();
    let claim = Claim::to_make(&world).expect("nothing is there");
    drop(written(&world));
    give(claim, b"new").expect_err("something is there");
    assert_eq!(first(&world), b"before");
    fs::remove_file(&world).expect("there");
    let claim = Claim::to_replace(&world).expect("nothing is there");
    let writer = written(&world);
    assert!(matches!(give(claim, b"new"), Err(StoreError::InUse)));
    drop(writer);
    assert_eq!(first(&world), b"before");
    let folder_path = folder.path().to_owned();
    assert!(matches!(Claim::to_replace(&folder_path), Err(StoreError::Io { .. })));
}

/// Goal: the file behind a symbolic link is replaced, and no further name keeps what it held.
#[cfg(unix)]
#[test]
fn links_lead_to_the_real_file() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    let (world, link) = (folder.world(), folder.path().join("link.thalweg"));
    drop(written(&world));
    symlink("valley.thalweg", &link).expect("links work here");
    give(Claim::to_replace(&link).expect("free"), b"new").expect("there");
    assert!(link.is_symlink() && !world.is_symlink());
    assert_eq!(first(&world), b"new");
    let store = Store::open(&link).expect("free");
    give(Claim::of_open(&link, &store).expect("its own"), b"newer").expect("there");
    drop(store);
    assert!(link.is_symlink());
    assert_eq!(first(&world), b"newer");
    // A link to nothing yet.
    let far = folder.path().join("far.thalweg");
    symlink("later.thalweg", &far).expect("links work here");
    give(Claim::to_replace(&far).expect("free"), b"later").expect("there");
    assert!(far.is_symlink());
    assert_eq!(first(&folder.path().join("later.thalweg")), b"later");
    // Another name.
    fs::hard_link(&world, folder.path().join("same.thalweg")).expect("links work here");
    let text = Claim::to_replace(&world).expect_err("two names").to_string();
    assert!(text.contains("2 names"), "{text}");
    let store = Store::open(&world).expect("free");
    assert!(matches!(Claim::of_open(&world, &store), Err(StoreError::ManyNames { count: 2 })));
}

/// Goal: a reported commit is found, whoever replaces the file meanwhile.
/// Method: two threads that open a world, write a line and close it, and two that put a copy in its
/// place, in place and from aside; at the end all lines that were reported are there.
#[test]
fn reported_commits_are_there_whoever_replaces_the_file() {
    let folder = Folder::new("race");
    let world = folder.world();
    drop(written(&world));
    let rounds = if crate::QUICK { 60 } else { 600 };
    let write = |writer: u16| {
        let (mut reported, mut part) = (Vec::new(), 0);
        while part < rounds {
            let Ok(mut store) = Store::open(&world) else { continue };
            let key = Key::head(1000 * writer + part);
            store.put(key, b"line").expect("room");
            store.commit().expect("whoever opens a world has its name");
            (part, _) = (part + 1, reported.push(key));
        }
        reported
    };
    let replace = |copier: u32| {
        let mut done = 0;
        while done < rounds {
            let aside = folder.path().join(format!("copy-{copier}"));
            let Ok(store) = Store::open(&world) else { continue };
            let claim = Claim::of_open(&world, &store).expect("its own");
            let mut copy = Store::create(&aside).expect("room");
            store.compact_into(&mut copy, &mut |_| ()).expect("whole");
            if cfg!(windows) {
                drop((store, copy));
            }
            claim.give(&aside).expect("its own");
            done += 1;
        }
    };
    let reported = std::thread::scope(|scope| {
        let writers = [1, 2].map(|writer| scope.spawn(move || write(writer)));
        let copiers = [1, 2].map(|copier| scope.spawn(move || replace(copier)));
        copiers.into_iter().for_each(|copier| copier.join().expect("no copy fails"));
        writers.map(|writer| writer.join().expect("no write fails")).concat()
    });
    let store = Store::read(&world).expect("a world");
    assert!(store.verify(|_, _| {}).expect("readable").is_clean());
    let keys = store.keys().expect("whole");
    assert_eq!(reported.len(), 2 * usize::from(rounds));
    assert!(reported.iter().all(|key| keys.contains(key)), "a line is gone");
}
