//! Tests with frames that have a correct checksum and false content: a checksum does not identify
//! the sender.

use crate::grid::TileKey;
use crate::store::backend::faulty::FaultyDisk;
use crate::store::backend::memory::Memory;
use crate::store::follow::frame::{
    FOLLOWED_MAX, FrameHeader, FrameItem, FrameKind, PAYLOAD_MAX, frame_bytes, frame_bytes_as,
    put_item,
};
use crate::store::follow::{Applied, Feed, Follow, FollowError, Mirror};
use crate::store::layout::EXTENT_MAX;
use crate::store::{Key, Layer, Limit, Limits, Store, StoreError};
use crate::units::hash::scramble;

const HEADER: FrameHeader =
    FrameHeader { kind: FrameKind::Changes, is_last: true, from: 2, to: 3, sum: 0, number: 0 };
const PUT: FrameItem<'static> = FrameItem::Put { generation: 3, bytes: b"new" };

/// A name, the header and the items of a frame, and the expected error.
type ForgedFrame<'a> = (&'a str, FrameHeader, &'a [(Key, FrameItem<'a>)], &'a str);

/// Returns a mirror at commit 2, with parts 0 and 1 of the head.
fn mirror() -> Mirror {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    for part in 0..2 {
        store.put(Key::head(part), b"old").expect("memory");
    }
    store.commit().expect("memory");
    let follow = Follow { levels: 0..=3, ..Follow::default() };
    Mirror::new(store, follow).expect("memory")
}

fn sealed(header: &FrameHeader, items: &[(Key, FrameItem<'_>)]) -> Vec<u8> {
    let mut payload = Vec::new();
    items.iter().for_each(|(key, item)| put_item(&mut payload, *key, *item));
    frame_bytes(header, u32::try_from(items.len()).expect("few"), &payload)
}

/// Checks that a frame is refused and that the mirror is unchanged.
#[track_caller]
fn check_refused(name: &str, frame: &[u8], expected: &str) {
    let mut mirror = mirror();
    let before = (mirror.store().generation(), mirror.store().extents());
    let error = mirror.read_next(&mut &*frame).expect_err(name);
    assert!(matches!(error, FollowError::Missed { .. }), "{name}: {error:?}");
    assert!(error.to_string().contains(expected), "{name}: {error}");
    assert_eq!((mirror.store().generation(), mirror.store().extents()), before, "{name}");
    let mut bytes = Vec::new();
    assert!(mirror.store().get(Key::head(0), &mut bytes).expect("memory"));
    assert_eq!(bytes, b"old", "{name}");
}

#[test]
fn what_a_frame_says_is_not_believed() {
    let key = Key::head;
    let tile = |level| Key::of_tile(Layer::Bed, TileKey { level, x: 0, y: 0 });
    let late = FrameItem::Put { generation: 4, bytes: b"" };
    let cases: &[ForgedFrame<'_>] = &[
        ("a sum that is not made", HEADER, &[(key(0), PUT)], "do not make its sum"),
        ("keys out of order", HEADER, &[(key(1), PUT), (key(0), PUT)], "out of order"),
        ("a key twice", HEADER, &[(key(1), PUT), (key(1), PUT)], "out of order"),
        ("gone and never there", HEADER, &[(key(7), FrameItem::Gone)], "is not"),
        ("changes that stand", HEADER, &[(key(0), FrameItem::Stands)], "is not"),
        ("of a commit to come", HEADER, &[(key(0), late)], "to come"),
        ("not asked for", HEADER, &[(tile(4), PUT)], "not asked for"),
        ("from elsewhere", FrameHeader { from: 1, ..HEADER }, &[], "does not follow"),
        ("changes of nothing", FrameHeader { from: 0, ..HEADER }, &[], "does not follow"),
        ("a part alone", FrameHeader { number: 1, ..HEADER }, &[], "without its beginning"),
        ("far too far", FrameHeader { to: u64::MAX, ..HEADER }, &[], "so large a number"),
        (
            "a list that stands on nothing",
            FrameHeader { kind: FrameKind::List, ..HEADER },
            &[(key(0), FrameItem::Stands), (key(3), FrameItem::Stands)],
            "is not",
        ),
        (
            "a list with what is gone",
            FrameHeader { kind: FrameKind::List, ..HEADER },
            &[(key(0), FrameItem::Gone)],
            "is not",
        ),
    ];
    for (name, header, items, expected) in cases {
        check_refused(name, &sealed(header, items), expected);
        // A number that has the slot of the mirror's last commit.
        if *name != "of a commit to come" {
            let header = FrameHeader { to: header.to.saturating_add(1), ..*header };
            check_refused(name, &sealed(&header, items), expected);
        }
    }
    let mut payload = Vec::new();
    put_item(&mut payload, key(0), PUT);
    check_refused("fewer items", &frame_bytes(&HEADER, 0, &payload), "more than it says");
    check_refused("more items", &frame_bytes(&HEADER, 2, &payload), "less than it says");
    payload[0] = 9;
    check_refused("an item of no kind", &frame_bytes(&HEADER, 1, &payload), "something else");
    let large = vec![0; EXTENT_MAX + 1];
    let large = FrameItem::Put { generation: 3, bytes: &large };
    check_refused("an extent too large", &sealed(&HEADER, &[(key(0), large)]), "something else");
    let bomb = vec![0; PAYLOAD_MAX + 1];
    check_refused("a frame too large", &frame_bytes(&HEADER, 0, &bomb), "larger than");
    // The same with a false header: the unpacked bytes are cut to the length in the header.
    let mut lie = frame_bytes_as(&HEADER, 0, 16, &bomb);
    check_refused("a frame that swells", &lie, "does not unpack");
    lie.truncate(64);
    check_refused("a header alone", &lie, "within a frame");
}

#[test]
fn sealed_noise_is_refused() {
    let mut mirror = mirror();
    for seed in 0..3000_u64 {
        let length = usize::try_from(scramble(seed) % 200).expect("short");
        let noise = (0..length as u64).map(|i| scramble(seed << 16 | i).to_le_bytes()[0] % 5);
        let payload: Vec<u8> = noise.collect();
        let kind = if seed % 2 == 0 { FrameKind::List } else { FrameKind::Changes };
        let header = FrameHeader { kind, sum: seed + 1, ..HEADER };
        let frame = frame_bytes(&header, u32::try_from(seed % 4).expect("few"), &payload);
        let result = mirror.read_next(&mut &frame[..]);
        assert!(matches!(result, Err(FollowError::Missed { .. })), "seed {seed}: {result:?}");
        assert_eq!(mirror.store().extents(), 2, "seed {seed}");
    }
    let all = FrameHeader { kind: FrameKind::List, from: 0, ..HEADER };
    let frame = sealed(&all, &[]);
    assert!(matches!(mirror.read_next(&mut &frame[..]), Ok(Applied::Commit(3))));
}

/// A server's world with a few commits.
struct Server(Store);

impl Server {
    fn new(commits: u8) -> Self {
        let mut server = Self(Store::create_on(Box::new(Memory::default())).expect("memory"));
        (0..commits).for_each(|commit| server.commit(commit));
        server
    }

    fn commit(&mut self, word: u8) {
        self.0.put(Key::head(u16::from(word % 3)), &[word; 9]).expect("memory");
        self.0.commit().expect("memory");
    }

    /// Sends the commits that a mirror requests, again if one is refused.
    #[track_caller]
    fn send(&self, mirror: &mut Mirror) {
        for _ in 0..2 {
            let mut feed = Feed::new(self.0.reader(), &mirror.ask());
            let mut frame = Vec::new();
            while feed.write_next(&mut frame).expect("memory") {
                match mirror.read_next(&mut &frame[..]) {
                    Ok(_) => frame.clear(),
                    Err(FollowError::Missed { .. }) => break,
                    Err(error) => panic!("{error}"),
                }
            }
        }
        assert!(mirror.store().opened().clone() == crate::store::Opened::Whole);
        assert_eq!(mirror.generation(), self.0.generation());
        let [ours, theirs] = [mirror.store(), &self.0].map(|store| store.keys().expect("whole"));
        assert_eq!(ours, theirs);
        let (mut found, mut expected) = (Vec::new(), Vec::new());
        for key in ours {
            assert!(mirror.store().get(key, &mut found).expect("whole"));
            assert!(self.0.get(key, &mut expected).expect("whole"));
            assert_eq!(found, expected, "{key}");
        }
    }
}

/// Returns a whole world of one extent, sealed as commit `to`, with its sum.
fn forged_world(to: u64) -> Vec<u8> {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    store.put(Key::head(7), b"forged").expect("memory");
    store.commit().expect("memory");
    let sum = super::walk::total_of(&store.reader(), &Follow::default()).expect("memory").sum;
    let item = FrameItem::Put { generation: 2, bytes: b"forged" };
    let header = FrameHeader { kind: FrameKind::List, is_last: true, from: 0, to, sum, number: 0 };
    sealed(&header, &[(Key::head(7), item)])
}

/// Goal: after any frames, refused or accepted, a mirror follows a good server, also once its file
/// was opened again, and a crash then finds a commit.
#[test]
fn a_forged_frame_does_not_end_a_mirror() {
    let all = FrameHeader { kind: FrameKind::List, from: 0, ..HEADER };
    let refused = [3, 4, 5, FOLLOWED_MAX - 1, FOLLOWED_MAX]
        .map(|to| sealed(&FrameHeader { to, ..all }, &[(Key::head(0), PUT)]));
    let taken = [3, 4, 5, 1 << 40, FOLLOWED_MAX - 1, FOLLOWED_MAX].map(forged_world);
    let cases = refused.iter().map(|frame| (frame, false));
    for (case, (frame, is_taken)) in cases.chain(taken.iter().map(|f| (f, true))).enumerate() {
        for is_opened in [false, true] {
            let (disk, mut server) = (FaultyDisk::default(), Server::new(1));
            let store = Store::create_on(Box::new(disk.clone())).expect("memory");
            let mut mirror = Mirror::new(store, Follow::default()).expect("memory");
            server.send(&mut mirror);
            let forged = mirror.read_next(&mut &frame[..]);
            assert_eq!(forged.is_ok(), is_taken, "case {case}: {forged:?}");
            for commit in 1..7 {
                if is_opened {
                    drop(mirror);
                    let store = Store::open_on(Box::new(Memory::of(disk.bytes())));
                    mirror = Mirror::new(store.expect("whole"), Follow::default()).expect("whole");
                }
                server.send(&mut mirror);
                server.commit(commit);
                server.send(&mut mirror);
                assert!(mirror.store().verify(|_, _| {}).expect("memory").is_clean());
            }
        }
    }
}

/// Goal: a commit that the mirror already has is recognised, in one frame or in several, and
/// nothing is written.
#[test]
fn the_same_commit_again_is_success() {
    let server = Server::new(3);
    let mut mirror = Mirror::new(
        Store::create_on(Box::new(Memory::default())).expect("memory"),
        Follow::default(),
    )
    .expect("memory");
    let mut frame = Vec::new();
    let mut feed = Feed::new(server.0.reader(), &mirror.ask());
    assert!(feed.write_next(&mut frame).expect("memory"));
    for _ in 0..3 {
        assert!(matches!(mirror.read_next(&mut &frame[..]), Ok(Applied::Commit(4))));
        assert_eq!(mirror.store().generation(), 4);
    }
    let header = FrameHeader { kind: FrameKind::List, from: 0, to: 4, is_last: false, ..HEADER };
    let header = FrameHeader { sum: mirror.ask().have.expect("a commit").sum, ..header };
    let part = sealed(&header, &[]);
    assert!(matches!(mirror.read_next(&mut &part[..]), Ok(Applied::Part)));
    let end = sealed(&FrameHeader { is_last: true, number: 1, ..header }, &[]);
    assert!(matches!(mirror.read_next(&mut &end[..]), Ok(Applied::Commit(4))));
    assert_eq!(mirror.store().generation(), 4);
    server.send(&mut mirror);
}

/// Sends parts of a commit that never ends, until one is refused; returns the limit and the number
/// of that part.
fn endless(mirror: &mut Mirror, extents: u32, bytes: &[u8]) -> (Limit, u32) {
    let header = FrameHeader { kind: FrameKind::List, is_last: false, from: 0, ..HEADER };
    for number in 0..u32::MAX {
        let key = |x| Key::of_tile(Layer::Bed, TileKey { level: 0, x, y: 0 });
        let item = FrameItem::Put { generation: 3, bytes };
        let keys = number * extents..(number + 1) * extents;
        let items: Vec<_> = keys.map(|x| (key(x), item)).collect();
        let frame = sealed(&FrameHeader { number, ..header }, &items);
        match mirror.read_next(&mut &frame[..]) {
            Ok(applied) => assert_eq!(applied, Applied::Part),
            Err(FollowError::Store(StoreError::Limit(over))) => {
                assert_eq!(mirror.store().extents(), 0, "it is rolled back");
                return (over.limit, number);
            }
            Err(error) => panic!("frame {number}: {error}"),
        }
    }
    unreachable!("every limit is less")
}

/// Goal: frames that never end a commit do not fill a mirror: bytes and frames are bounded, the
/// error names the limit, nothing of them is left, and later frames have their room.
#[test]
fn frames_that_never_commit_end() {
    let disk = FaultyDisk::default();
    let store = Store::create_on(Box::new(disk.clone())).expect("memory");
    let limits = Limits::default().bytes(4 << 20).frames(100);
    let mut mirror = Mirror::new(store, Follow::default()).expect("memory").limits(limits);
    for _ in 0..3 {
        assert_eq!(endless(&mut mirror, 1, &[7; EXTENT_MAX]), (Limit::Bytes, 3));
        assert_eq!(endless(&mut mirror, 0, &[]), (Limit::Frames, 100));
        assert_eq!(endless(&mut mirror, 1000, &[]), (Limit::Bytes, 40));
        assert!(disk.bytes().len() < 7 << 20, "{} bytes", disk.bytes().len());
    }
    Server::new(3).send(&mut mirror);
}
