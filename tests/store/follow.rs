//! Following a world: frames that come, that do not, and that come otherwise.
//!
//! Goal: a mirror has a commit of the writer, to the byte and with its number, or refuses what came
//!       and has the one before; a new request mends it.
//! Method: the script of the crash tests, its frames damaged, cut, dropped, doubled and swapped.

use crate::files::Folder;
use crate::script::{Content, Script, content_of, content_of_reader};
use thalweg_engine::grid::TileKey;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::follow::{Applied, Area, Feed, Follow, FollowError, Layers, Mirror};
use thalweg_engine::store::{EXTENT_MAX, Extent, Key, Layer, Reader, Store};
use thalweg_engine::units::hash::scramble;

const SCRIPT: Script =
    Script { seed: 31, commits: 60, changes: 12, keys: 300, bytes: 900, keeps: false };

pub fn memory() -> Store {
    Store::create_on(Box::new(Memory::default())).expect("memory")
}

pub fn mirror_of(follow: &Follow) -> Mirror {
    Mirror::new(memory(), follow.clone()).expect("empty")
}

/// The next frame, if there is one.
fn frame(feed: &mut Feed) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    feed.write_next(&mut bytes).expect("memory").then_some(bytes)
}

fn take(mirror: &mut Mirror, mut frame: &[u8]) -> Result<Applied, FollowError> {
    let applied = mirror.read_next(&mut frame)?;
    assert!(frame.is_empty(), "bytes are left");
    Ok(applied)
}

/// All frames that there are.
pub fn catch_up(mirror: &mut Mirror, feed: &mut Feed) {
    while let Some(frame) = frame(feed) {
        let applied = take(mirror, &frame).unwrap_or_else(|error| panic!("{error}"));
        assert_ne!(applied, Applied::End);
    }
}

/// The extents that are followed, with the commits that wrote them.
fn entries(reader: &Reader, follow: &Follow) -> Vec<Extent> {
    let all = reader.entries().map(|extent| extent.expect("whole"));
    all.filter(|extent| follow.has(extent.key)).collect()
}

/// A mirror's last commit is the writer's, of what it follows.
#[track_caller]
pub fn check_equal(mirror: &Mirror, writer: &Reader, follow: &Follow) {
    assert_eq!(mirror.generation(), writer.generation());
    let reader = mirror.store().reader();
    assert_eq!(reader.generation(), writer.generation());
    assert_eq!(entries(&reader, &Follow::default()), entries(writer, follow));
    let mut expected = content_of_reader(writer).expect("whole");
    expected.retain(|key, _| follow.has(*key));
    assert!(content_of_reader(&reader).expect("whole") == expected);
}

#[test]
fn a_mirror_has_each_commit() {
    let (mut store, mut content) = (memory(), Content::new());
    let whole = Follow::default();
    let mut mirror = mirror_of(&whole);
    let mut feed = Feed::new(store.reader(), &mirror.ask());
    assert!(frame(&mut feed).is_none(), "two empty worlds");
    // Others come later, one of them to a store that has something else.
    let mut late = mirror_of(&whole);
    let mut other = memory();
    other.put(Key::head(1), b"something else").expect("memory");
    other.commit().expect("memory");
    let mut other = Mirror::new(other, whole.clone()).expect("memory");
    for commit in 0..SCRIPT.commits {
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
        if commit % 7 < 4 {
            catch_up(&mut mirror, &mut feed);
            check_equal(&mirror, &store.reader(), &whole);
        }
        for joins in [&mut late, &mut other].into_iter().filter(|_| commit % 20 == 9) {
            let mut feed = Feed::new(store.reader(), &joins.ask());
            while let Some(frame) = frame(&mut feed) {
                if let Err(error) = take(joins, &frame) {
                    // What it had is of another world.
                    assert!(matches!(error, FollowError::Missed { .. }), "{error}");
                    feed = Feed::new(store.reader(), &joins.ask());
                }
            }
            check_equal(joins, &store.reader(), &whole);
        }
    }
}

/// Goal: whatever bit of a frame is wrong, and wherever it ends, the mirror has the commit before,
/// and takes the frame once it comes as it was sent.
#[test]
fn frames_that_are_damaged_or_cut_off_are_refused() {
    let script = Script { changes: 6, bytes: 60, ..SCRIPT };
    let (mut store, mut content) = (memory(), Content::new());
    let whole = Follow::default();
    let mut mirror = mirror_of(&whole);
    let mut feed = Feed::new(store.reader(), &mirror.ask());
    for commit in 0..6 {
        script.run(commit, &mut store, &mut content).expect("memory");
        let before = content_of(mirror.store()).expect("memory");
        let good = frame(&mut feed).expect("a commit");
        for at in 0..good.len() {
            let mut wrong = good.clone();
            wrong[at] ^= 1 << (at % 8);
            match mirror.read_next(&mut &wrong[..]) {
                Err(FollowError::Missed { .. } | FollowError::Newer { .. }) => {}
                other => panic!("byte {at} of commit {commit}: {other:?}"),
            }
            match mirror.read_next(&mut &good[..at]) {
                Ok(Applied::End) if at == 0 => {}
                Err(FollowError::Missed { .. }) => {}
                other => panic!("{at} bytes of commit {commit}: {other:?}"),
            }
            assert_eq!(content_of(mirror.store()).expect("memory"), before);
        }
        take(&mut mirror, &good).expect("as it was sent");
        check_equal(&mirror, &store.reader(), &whole);
    }
}

/// Goal: frames that are lost, doubled or swapped are never taken for what they are not; a new
/// request catches up.
#[test]
fn frames_that_miss_are_asked_for_again() {
    let whole = Follow::default();
    let (mut missed, mut taken) = (0, 0);
    for seed in 0..if crate::QUICK { 20 } else { 100 } {
        let script = Script { seed, ..SCRIPT };
        let (mut store, mut content) = (memory(), Content::new());
        let mut mirror = mirror_of(&whole);
        let mut feed = Feed::new(store.reader(), &mirror.ask());
        let mut stream: Vec<Vec<u8>> = Vec::new();
        for commit in 0..script.commits {
            script.run(commit, &mut store, &mut content).expect("memory");
            stream.extend(frame(&mut feed));
            let word = scramble(seed << 32 | commit);
            match word % 6 {
                0 => _ = stream.pop(),
                1 => stream.extend(stream.last().cloned()),
                2 => stream.reverse(),
                3 => continue,
                _ => {}
            }
            for frame in stream.drain(..) {
                match take(&mut mirror, &frame) {
                    Ok(applied) => {
                        assert_eq!(applied, Applied::Commit(mirror.generation()));
                        taken += 1;
                    }
                    Err(FollowError::Missed { .. }) => {
                        missed += 1;
                        feed = Feed::new(store.reader(), &mirror.ask());
                    }
                    Err(error) => panic!("seed {seed}, commit {commit}: {error}"),
                }
            }
        }
        feed = Feed::new(store.reader(), &mirror.ask());
        catch_up(&mut mirror, &mut feed);
        check_equal(&mirror, &store.reader(), &whole);
    }
    assert!(missed > 100 && taken > 100, "{missed} missed, {taken} taken");
}

/// Goal: a commit that is larger than a frame comes in several, and is there once all are.
#[test]
fn large_commits_come_in_parts() {
    let mut store = memory();
    let key = |x| Key::of_tile(Layer::Water, TileKey { level: 0, x, y: 0 });
    for x in 0..7 {
        // What lz4 makes no smaller.
        let words = (0..EXTENT_MAX as u64 / 8).map(|i| scramble(u64::from(x) << 32 | i));
        let bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
        store.put(key(x), &bytes).expect("memory");
    }
    store.commit().expect("memory");
    let whole = Follow::default();
    let parts = 7;
    for lost in 0..=parts {
        let mut mirror = mirror_of(&whole);
        let mut feed = Feed::new(store.reader(), &mirror.ask());
        for number in 0..parts {
            let part = frame(&mut feed).expect("a part");
            assert!(part.len() < 5 << 19, "{} bytes", part.len());
            if number == lost {
                continue;
            }
            match take(&mut mirror, &part) {
                Ok(Applied::Part) => assert!(number < lost && number < parts - 1),
                Ok(Applied::Commit(2)) => assert_eq!((lost, number), (parts, parts - 1)),
                Err(FollowError::Missed { .. }) => assert!(number > lost),
                other => panic!("part {number} without {lost}: {other:?}"),
            }
            assert_eq!(
                mirror.store().reader().extents(),
                if lost + number + 1 == 2 * parts { 7 } else { 0 }
            );
            if number + 1 == parts && lost == parts {
                check_equal(&mirror, &store.reader(), &whole);
            }
        }
        assert!(frame(&mut feed).is_none());
        if lost < parts {
            // A stream that ends here ends within a commit, or before one.
            let ended = mirror.read_next(&mut &[][..]);
            let is_within = lost + 1 == parts;
            assert_eq!(matches!(ended, Err(FollowError::Missed { .. })), is_within);
            let mut feed = Feed::new(store.reader(), &mirror.ask());
            catch_up(&mut mirror, &mut feed);
            check_equal(&mirror, &store.reader(), &whole);
        }
    }
}

/// Goal: a rectangle gets its tiles and no others, also where a client changes its mind.
#[test]
fn what_is_not_followed_does_not_come() {
    let (mut store, mut content) = (memory(), Content::new());
    let area = |columns, rows| Some(Area { columns, rows });
    let some = [
        Follow { area: area(100..700, 0..200), ..Follow::default() },
        Follow { area: area(0..64, 64..65), ..Follow::default() },
        Follow { levels: 1..=3, ..Follow::default() },
        Follow { layers: Layers::of(&[Layer::Water]), ..Follow::default() },
    ];
    let mut mirrors: Vec<_> = (some.iter())
        .map(|follow| {
            let mirror = mirror_of(follow);
            let feed = Feed::new(store.reader(), &mirror.ask());
            (mirror, feed)
        })
        .collect();
    let mut sizes = vec![0; some.len()];
    for commit in 0..SCRIPT.commits {
        store.put(Key::head(5), &commit.to_le_bytes()).expect("memory");
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
        for (((mirror, feed), follow), size) in mirrors.iter_mut().zip(&some).zip(&mut sizes) {
            catch_up(mirror, feed);
            check_equal(mirror, &store.reader(), follow);
            *size = mirror.store().extents();
        }
    }
    assert!(sizes[0] > 20 && sizes[0] < store.extents() / 2, "{sizes:?}");
    assert_eq!((sizes[1], sizes[2], sizes[3]), (2, 1, 1), "a tile and the head, the head alone");
    // From one rectangle to another: what both have stays, the rest is requested.
    let (mirror, _) = mirrors.swap_remove(0);
    let mut mirror = Mirror::new(mirror.into_store(), some[1].clone()).expect("memory");
    store.put(Key::head(6), b"later").expect("memory");
    store.commit().expect("memory");
    let mut feed = Feed::new(store.reader(), &mirror.ask());
    let first = take(&mut mirror, &frame(&mut feed).expect("a commit"));
    assert!(matches!(first, Err(FollowError::Missed { .. })), "{first:?}");
    let mut feed = Feed::new(store.reader(), &mirror.ask());
    catch_up(&mut mirror, &mut feed);
    check_equal(&mirror, &store.reader(), &some[1]);
}

/// Goal: a mirror follows whatever its server has, also where that went back to an older copy: its
/// own numbers rise, and what it says it has are the server's.
#[test]
fn a_server_that_went_back_is_followed() {
    let (mut store, mut content) = (memory(), Content::new());
    SCRIPT.run(0, &mut store, &mut content).expect("memory");
    let mut other = memory();
    for commit in 0..3_u8 {
        other.put(Key::head(1), &[commit]).expect("memory");
        other.commit().expect("memory");
    }
    let mut mirror = Mirror::new(other, Follow::default()).expect("memory");
    for commit in 1..8 {
        let mut feed = Feed::new(store.reader(), &mirror.ask());
        catch_up(&mut mirror, &mut feed);
        assert_eq!(mirror.generation(), store.generation());
        assert_eq!(mirror.store().generation(), (store.generation() + 3).max(5), "its own");
        assert!(content_of(mirror.store()).expect("memory") == content, "commit {commit}");
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
        catch_up(&mut mirror, &mut feed);
        assert!(content_of(mirror.store()).expect("memory") == content, "commit {commit}");
    }
}

/// Goal: a server that reads a file which another process writes sends whole commits, or none.
#[test]
fn a_feed_that_is_overtaken_begins_anew() {
    let folder = Folder::new("overtaken-feed");
    let script = Script { changes: 60, bytes: 200_000, keys: 60, ..SCRIPT };
    let (mut store, mut content) =
        (Store::create(&folder.world()).expect("a new file"), Content::new());
    let whole = Follow::default();
    let mut mirror = mirror_of(&whole);
    let elsewhere = Store::read(&folder.world()).expect("a world");
    let mut feed = Feed::new(elsewhere.reader(), &mirror.ask());
    let (mut parts, mut begun_anew) = (0, 0);
    for commit in 0..script.commits {
        script.run(commit, &mut store, &mut content).expect("room");
        let sent = feed.generation();
        // One frame for three commits: it falls behind.
        if commit % 3 > 0 {
            continue;
        }
        let Some(frame) = frame(&mut feed) else { continue };
        let was_under_way = parts > 0;
        match take(&mut mirror, &frame).unwrap_or_else(|error| panic!("{error}")) {
            Applied::Part => parts += 1,
            _ => parts = 0,
        }
        begun_anew += u32::from(was_under_way && feed.generation() != sent);
    }
    assert!(begun_anew > 0, "it was never overtaken");
    catch_up(&mut mirror, &mut feed);
    check_equal(&mirror, &store.reader(), &whole);
}

/// Goal: a mirror's file holds after a crash a commit that it had, and it goes on from there.
#[test]
fn a_mirror_in_a_file_goes_on() {
    let folder = Folder::new("mirror-file");
    let (mut store, mut content) = (memory(), Content::new());
    let whole = Follow::default();
    drop(Store::create(&folder.world()).expect("a new file"));
    for commit in 0..SCRIPT.commits {
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
        if scramble(commit).is_multiple_of(3) {
            let file = Store::open(&folder.world()).expect("a world");
            let mut mirror = Mirror::new(file, whole.clone()).expect("a mirror");
            let before = mirror.generation();
            let mut feed = Feed::new(store.reader(), &mirror.ask());
            catch_up(&mut mirror, &mut feed);
            check_equal(&mirror, &store.reader(), &whole);
            assert!(before == 1 || feed.frames() == 1);
            let reader = mirror.store().reader();
            assert!(reader.verify(|_, _| {}).expect("whole").is_clean());
        }
    }
}

/// A stream that fails.
struct Broken;

impl std::io::Write for Broken {
    fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::BrokenPipe.into())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_stream_that_fails_costs_nothing() {
    let (mut store, mut content) = (memory(), Content::new());
    let whole = Follow::default();
    let mut mirror = mirror_of(&whole);
    let mut feed = Feed::new(store.reader(), &mirror.ask());
    for commit in 0..4 {
        SCRIPT.run(commit, &mut store, &mut content).expect("memory");
        let failed = feed.write_next(&mut Broken);
        assert!(matches!(failed, Err(FollowError::Io { .. })), "{failed:?}");
        catch_up(&mut mirror, &mut feed);
        check_equal(&mirror, &store.reader(), &whole);
    }
}
