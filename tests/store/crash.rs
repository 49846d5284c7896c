//! Crashes between any two calls of the disk.

use crate::script::{Content, History, Script, below, content_of, history_of};
use thalweg_engine::store::Store;
use thalweg_engine::store::backend::Backend;
use thalweg_engine::store::backend::faulty::{Call, Fate, FaultyDisk, image, unsynced};
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::units::hash::scramble;

/// Content of a world, and its history.
type State = (Content, History);

/// A run: its calls, and after how many of them each commit was reported, with what it held.
struct Run {
    calls: Vec<Call>,
    commits: Vec<(usize, State)>,
}

fn run(script: &Script) -> Run {
    let disk = FaultyDisk::default();
    let mut store = Store::create_on(Box::new(disk.clone())).expect("an empty disk");
    let (mut content, mut history) = State::default();
    let mut commits = vec![(disk.count(), State::default())];
    for commit in 0..script.commits {
        script.keep(commit, &mut store, &mut content, &mut history).expect("a disk that works");
        script.run(commit, &mut store, &mut content).expect("a disk that works");
        commits.push((disk.count(), (content.clone(), history.clone())));
    }
    Run { calls: disk.calls(), commits }
}

/// Opens what a crash left: it must be the last commit that was reported, or the next, and go on.
#[track_caller]
fn check(run: &Run, crash: usize, bytes: Vec<u8>, case: &str) {
    let reported = run.commits.partition_point(|(calls, _)| *calls <= crash) - 1;
    let mut store = Store::open_on(Box::new(Memory::of(bytes))).unwrap_or_else(|error| {
        panic!("{case}: {error}");
    });
    let verified = store.verify(|_, _| {}).expect("memory");
    assert!(verified.is_clean(), "{case}: {verified:?}");
    let state = (content_of(&store).expect("clean"), history_of(&store).expect("clean"));
    let next = (reported + 1).min(run.commits.len() - 1);
    let is_whole = [reported, next].iter().any(|&commit| run.commits[commit].1 == state);
    assert!(is_whole, "{case}: neither commit {reported} nor {next}");
    let (mut content, history) = state;
    let script = Script { seed: 77, commits: 3, changes: 3, keys: 20, bytes: 6000, keeps: false };
    for commit in 0..script.commits {
        script.run(commit, &mut store, &mut content).expect("memory");
        assert_eq!(content_of(&store).expect("memory"), content, "{case}: going on");
    }
    assert_eq!(history_of(&store).expect("memory"), history, "{case}: going on");
}

/// Fates of the writes that no sync followed, by number: every subset lost, then each one torn.
pub fn fates(count: usize, length: impl Fn(usize) -> usize) -> Vec<Vec<Fate>> {
    let subsets = (0..1_u32 << count).map(|kept| {
        (0..count).map(|i| if kept >> i & 1 == 1 { Fate::Kept } else { Fate::Lost }).collect()
    });
    let torn = (0..count).flat_map(|at| {
        let (half, last) = (length(at) / 2, length(at).saturating_sub(1));
        let ways = [Fate::Torn(1), Fate::Torn(half), Fate::Torn(last), Fate::TornBefore(half)];
        ways.map(|way| (0..count).map(|i| if i == at { way } else { Fate::Kept }).collect())
    });
    subsets.chain(torn).collect()
}

/// Bytes that a call writes.
pub fn length(call: &Call) -> usize {
    if let Call::Write { bytes, .. } = call { bytes.len() } else { 0 }
}

#[test]
fn every_subset_of_unsynced_writes_leaves_a_commit() {
    let mut kept = 0;
    for seed in 0..4 {
        let script = Script { seed, commits: 7, changes: 4, keys: 6, bytes: 5000, keeps: true };
        let run = run(&script);
        let mut images = 0;
        for crash in run.commits[0].0..=run.calls.len() {
            let first = unsynced(&run.calls, crash);
            let length = |i: usize| length(&run.calls[first + i]);
            for fates in fates(crash - first, length) {
                let bytes = image(&run.calls, crash, |i| fates[i]);
                check(&run, crash, bytes, &format!("seed {seed}, crash {crash}, {fates:?}"));
                images += 1;
            }
        }
        assert!(images > 300, "seed {seed}: only {images} images");
        kept = run.commits.iter().fold(kept, |kept, (_, (_, history))| kept.max(history.len()));
    }
    assert!(kept > 1, "at most {kept} commits are kept at a time");
}

/// Goal: a file after a crash can be written, and crash again. Method: a crash in the middle of a
/// run, the world opened and written on, then every crash of that, with all unsynced writes lost,
/// half of them, or torn.
#[test]
fn a_crash_after_a_recovery_leaves_a_commit() {
    let script = Script { seed: 2, commits: 7, changes: 4, keys: 6, bytes: 5000, keeps: true };
    let first = run(&script);
    let crashes = first.commits[0].0..=first.calls.len();
    for once in crashes {
        let disk = FaultyDisk::default();
        let bytes = image(&first.calls, once, |i| if i % 3 == 1 { Fate::Lost } else { Fate::Kept });
        disk.write_at(0, &bytes).expect("works");
        disk.sync().expect("works");
        let mut store = Store::open_on(Box::new(disk.clone())).expect("a commit is left");
        let mut content = content_of(&store).expect("whole");
        let mut history = history_of(&store).expect("whole");
        let mut commits = vec![(disk.count(), (content.clone(), history.clone()))];
        for commit in 20..23 {
            script.keep(commit, &mut store, &mut content, &mut history).expect("works");
            script.run(commit, &mut store, &mut content).expect("works");
            commits.push((disk.count(), (content.clone(), history.clone())));
        }
        let again = Run { calls: disk.calls(), commits };
        for crash in 2..=again.calls.len() {
            for way in [Fate::Lost, Fate::Kept, Fate::Torn(2000)] {
                let fate = |i: usize| if i % 2 == crash % 2 { way } else { Fate::Lost };
                let bytes = image(&again.calls, crash, fate);
                check(&again, crash, bytes, &format!("crash {once}, then {crash}, {way:?}"));
            }
        }
    }
}

#[test]
fn crashes_of_a_larger_world_leave_a_commit() {
    let images = if crate::QUICK { 300 } else { 3000 };
    let script = Script { seed: 9, commits: 30, changes: 90, keys: 900, bytes: 900, keeps: true };
    let run = run(&script);
    for case in 0..images {
        let word = |salt: u64| scramble(case << 16 | salt);
        let span = run.calls.len() - run.commits[0].0;
        let crash = run.commits[0].0 + below(word(0), span);
        let bytes = image(&run.calls, crash, |i| match word(1 + i as u64) % 4 {
            0 => Fate::Lost,
            1 => Fate::Torn(below(word(7), 9000)),
            _ => Fate::Kept,
        });
        check(&run, crash, bytes, &format!("case {case}, crash {crash}"));
    }
}
