//! Frames that are well sealed and say what is not so: a checksum vouches for no sender.

use crate::grid::TileKey;
use crate::store::Key;
use crate::store::Layer;
use crate::store::Store;
use crate::store::backend::memory::Memory;
use crate::store::follow::Applied;
use crate::store::follow::Follow;
use crate::store::follow::FollowError;
use crate::store::follow::Mirror;
use crate::store::follow::frame::Header;
use crate::store::follow::frame::Item;
use crate::store::follow::frame::Kind;
use crate::store::follow::frame::PAYLOAD_MAX;
use crate::store::follow::frame::frame_bytes;
use crate::store::follow::frame::frame_bytes_as;
use crate::store::follow::frame::put_item;
use crate::store::layout::EXTENT_MAX;
use crate::units::hash::scramble;

const HEADER: Header =
    Header { kind: Kind::Changes, is_last: true, from: 2, to: 3, sum: 0, number: 0 };
const PUT: Item<'static> = Item::Put { generation: 3, bytes: b"new" };

/// A name, what a frame says of itself and has, and what is said of it.
type Case<'a> = (&'a str, Header, &'a [(Key, Item<'a>)], &'a str);

/// A mirror at commit 2, with parts 0 and 1 of the head.
fn mirror() -> Mirror {
    let mut store = Store::create_on(Box::new(Memory::default())).expect("memory");
    for part in 0..2 {
        store.put(Key::head(part), b"old").expect("memory");
    }
    store.commit().expect("memory");
    let follow = Follow { levels: 0..=3, ..Follow::default() };
    Mirror::new(store, follow).expect("memory")
}

fn sealed(header: &Header, items: &[(Key, Item<'_>)]) -> Vec<u8> {
    let mut payload = Vec::new();
    items.iter().for_each(|(key, item)| put_item(&mut payload, *key, *item));
    frame_bytes(header, u32::try_from(items.len()).expect("few"), &payload)
}

/// A frame is refused, and what there was stays.
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
    let late = Item::Put { generation: 4, bytes: b"" };
    let cases: &[Case<'_>] = &[
        ("a sum that is not made", HEADER, &[(key(0), PUT)], "do not make its sum"),
        ("keys out of order", HEADER, &[(key(1), PUT), (key(0), PUT)], "out of order"),
        ("a key twice", HEADER, &[(key(1), PUT), (key(1), PUT)], "out of order"),
        ("gone and never there", HEADER, &[(key(7), Item::Gone)], "is not"),
        ("changes that stand", HEADER, &[(key(0), Item::Stands)], "is not"),
        ("of a commit to come", HEADER, &[(key(0), late)], "to come"),
        ("not asked for", HEADER, &[(tile(4), PUT)], "not asked for"),
        ("from elsewhere", Header { from: 1, ..HEADER }, &[], "does not follow"),
        ("changes of nothing", Header { from: 0, ..HEADER }, &[], "does not follow"),
        ("a part alone", Header { number: 1, ..HEADER }, &[], "without its beginning"),
        ("far too far", Header { to: u64::MAX, ..HEADER }, &[], "so large a number"),
        (
            "a list that stands on nothing",
            Header { kind: Kind::List, ..HEADER },
            &[(key(0), Item::Stands), (key(3), Item::Stands)],
            "is not",
        ),
        (
            "a list with what is gone",
            Header { kind: Kind::List, ..HEADER },
            &[(key(0), Item::Gone)],
            "is not",
        ),
    ];
    for (name, header, items, expected) in cases {
        check_refused(name, &sealed(header, items), expected);
    }
    let mut payload = Vec::new();
    put_item(&mut payload, key(0), PUT);
    check_refused("fewer items", &frame_bytes(&HEADER, 0, &payload), "more than it says");
    check_refused("more items", &frame_bytes(&HEADER, 2, &payload), "less than it says");
    payload[0] = 9;
    check_refused("an item of no kind", &frame_bytes(&HEADER, 1, &payload), "something else");
    let large = vec![0; EXTENT_MAX + 1];
    let large = Item::Put { generation: 3, bytes: &large };
    check_refused("an extent too large", &sealed(&HEADER, &[(key(0), large)]), "something else");
    let bomb = vec![0; PAYLOAD_MAX + 1];
    check_refused("a frame too large", &frame_bytes(&HEADER, 0, &bomb), "larger than");
    // The same with a header that lies: what unpacks is cut where the header says.
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
        let kind = if seed % 2 == 0 { Kind::List } else { Kind::Changes };
        let header = Header { kind, sum: seed + 1, ..HEADER };
        let frame = frame_bytes(&header, u32::try_from(seed % 4).expect("few"), &payload);
        let result = mirror.read_next(&mut &frame[..]);
        assert!(matches!(result, Err(FollowError::Missed { .. })), "seed {seed}: {result:?}");
        assert_eq!(mirror.store().extents(), 2, "seed {seed}");
    }
    let all = Header { kind: Kind::List, from: 0, ..HEADER };
    let frame = sealed(&all, &[]);
    assert!(matches!(mirror.read_next(&mut &frame[..]), Ok(Applied::Commit(3))));
}
