//! Crashes of the disk of a mirror.
//!
//! Goal: whenever it crashes, the mirror's file opens, is whole, and has, of what is followed, a
//!       commit of the writer's that was reported, or the one under way; it catches up with what
//!       came since, and requests all where the crash left the commit between two.
//! Method: a writer's script followed by a mirror on a disk that fails, which now and then misses a
//!         commit; every call of that disk, every subset of the unsynced writes, and each torn.

use crate::crash::{fates, length};
use crate::follow::{catch_up, check_equal, memory};
use crate::script::{Content, Script, content_of, content_of_reader};
use std::collections::BTreeMap;
use thalweg_engine::store::Store;
use thalweg_engine::store::backend::faulty::{Call, FaultyDisk, image, unsynced};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::follow::{Area, Feed, Follow, FollowError, Mirror};
use thalweg_engine::units::hash::scramble;

/// A mirror's run.
struct Followed {
    writer: Store,
    /// Content of the followed part in the writer's commits, by their numbers.
    commits: BTreeMap<u64, Content>,
    calls: Vec<Call>,
    /// After how many calls the mirror reported which commit.
    reported: Vec<(usize, u64)>,
}

/// Follows a script; a mirror that is a commit behind takes two at once, and its store a commit
/// between, so that the last one stays.
fn followed(script: &Script, follow: &Follow) -> Followed {
    let disk = FaultyDisk::default();
    let store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let (mut writer, mut content) = (memory(), Content::new());
    let mut mirror = Mirror::new(store, follow.clone()).expect("empty");
    let mut feed = Feed::new(writer.reader(), &mirror.ask());
    let mut commits = BTreeMap::from([(writer.generation(), Content::new())]);
    let mut reported = vec![(disk.count(), mirror.generation())];
    for commit in 0..script.commits {
        script.run(commit, &mut writer, &mut content).expect("memory");
        let mut held = content.clone();
        held.retain(|key, _| follow.has(*key));
        commits.insert(writer.generation(), held);
        let word = scramble(script.seed << 8 | commit);
        if word.is_multiple_of(3) {
            continue;
        }
        if word % 3 == 1 {
            // The mirror requests all anew, as after a stream that was cut off.
            feed = Feed::new(writer.reader(), &mirror.ask());
        }
        catch_up(&mut mirror, &mut feed);
        check_equal(&mirror, &writer.reader(), follow);
        reported.push((disk.count(), mirror.generation()));
    }
    Followed { writer, commits, calls: disk.calls(), reported }
}

/// Sends a request, and takes the answer; false where that is refused.
fn catches_up(mirror: &mut Mirror, writer: &Store) -> bool {
    let mut feed = Feed::new(writer.reader(), &mirror.ask());
    loop {
        let mut frame = Vec::new();
        if !feed.write_next(&mut frame).expect("memory") {
            return true;
        }
        match mirror.read_next(&mut &frame[..]) {
            Ok(_) => {}
            Err(FollowError::Missed { .. }) => return false,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Opens what a crash left, and follows again.
#[track_caller]
fn check(run: &Followed, follow: &Follow, crash: usize, bytes: Vec<u8>, case: &str) {
    let at = run.reported.partition_point(|(calls, _)| *calls <= crash) - 1;
    let (before, after) = (run.reported[at], run.reported.get(at + 1).unwrap_or(&run.reported[at]));
    let store = Store::open_on(Box::new(Memory::of(bytes)));
    let store = store.unwrap_or_else(|error| panic!("{case}: {error}"));
    let verified = store.verify(|_, _| {}).expect("memory");
    assert!(verified.is_clean(), "{case}: {verified:?}");
    let (generation, held) = (store.generation(), content_of(&store).expect("clean"));
    // Between two commits that would stand in one slot lies one that says what the first says.
    let says = if generation == after.1 { after.1 } else { before.1 };
    assert!((before.1..=after.1).contains(&generation), "{case}: commit {generation}");
    assert!(held == run.commits[&says], "{case}: commit {generation} is not commit {says}");
    let mut mirror = Mirror::new(store, follow.clone()).expect("memory");
    let is_reported = [before.1, after.1].contains(&generation);
    if !catches_up(&mut mirror, &run.writer) {
        assert!(!is_reported, "{case}: commit {generation} is refused");
        assert!(catches_up(&mut mirror, &run.writer), "{case}: all of it is refused");
    }
    check_equal(&mirror, &run.writer.reader(), follow);
    let reader = content_of_reader(&mirror.store().reader()).expect("whole");
    assert!(reader == run.commits[&run.writer.generation()], "{case}: caught up");
}

#[test]
fn a_crash_leaves_a_mirror_a_commit() {
    let area = Some(Area { columns: 0..192, rows: 0..64 });
    let parts = Follow { area, ..Follow::default() };
    let mut between = 0;
    for (seed, follow) in [(1, Follow::default()), (2, Follow::default()), (3, parts)] {
        let script = Script { seed, commits: 9, changes: 4, keys: 6, bytes: 5000, keeps: false };
        let run = followed(&script, &follow);
        between += run.reported.windows(2).filter(|pair| pair[1].1 - pair[0].1 == 2).count();
        let mut images = 0;
        for crash in run.reported[0].0..=run.calls.len() {
            let first = unsynced(&run.calls, crash);
            for fates in fates(crash - first, |i| length(&run.calls[first + i])) {
                let bytes = image(&run.calls, crash, |i| fates[i]);
                let case = format!("seed {seed}, crash {crash}, {fates:?}");
                check(&run, &follow, crash, bytes, &case);
                images += 1;
            }
        }
        assert!(images > 200, "seed {seed}: only {images} images");
    }
    assert!(between > 0, "no mirror took two commits at once");
}
