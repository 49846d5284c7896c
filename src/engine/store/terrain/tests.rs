use super::*;
use crate::store::backend::memory::Memory;
use crate::store::codec::encode_ints;
use crate::units::VerticalScale;
use crate::units::hash::scramble;

/// A terrain of that size; a finest cell has ground where `is_ground` says so.
fn terrain(width: usize, height: usize, is_ground: impl Fn(usize, usize) -> bool) -> Terrain {
    let scale = VerticalScale::try_new(20, 100.0).expect("good");
    let bed = |x: usize, y: usize| match is_ground(x, y) {
        true => {
            1024 * (i32::try_from(scramble(((x << 20) | y) as u64) % 2001).expect("small") - 999)
        }
        false => OUTSIDE,
    };
    let beds = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let beds = beds.map(|(x, y)| bed(x, y)).collect();
    Terrain::new(scale, 5.0, 10, BedLevel::new(0, width, height, beds))
}

/// A disc within 200 × 150 cells: ragged outlines, and tiles without ground.
fn disc() -> Terrain {
    terrain(200, 150, |x, y| x.abs_diff(90).pow(2) + y.abs_diff(40).pow(2) < 2500)
}

/// A store with nothing in it.
fn empty() -> Store {
    Store::create_on(Box::new(Memory::default())).expect("memory")
}

/// A store with a terrain.
fn store_of(terrain: &Terrain) -> Store {
    let mut store = empty();
    write_terrain(terrain, &mut store).expect("written");
    store.commit().expect("committed");
    store
}

fn tile(level: u8, x: u32, y: u32) -> TileKey {
    TileKey { level, x, y }
}

/// Goal: a terrain is read as it was written. Method: sizes around the width of tiles, holes,
/// outlines and whole tiles without ground.
#[test]
fn a_terrain_comes_back() {
    let holes =
        |x: usize, y: usize| !scramble((((x / 3) << 20) | (y / 5)) as u64).is_multiple_of(4);
    let cases = [
        ("least", terrain(2, 2, |x, _| x == 1)),
        ("tile", terrain(64, 64, |_, _| true)),
        ("more", terrain(65, 63, holes)),
        ("wide", terrain(330, 2, holes)),
        ("ragged", terrain(193, 130, holes)),
        ("disc", disc()),
    ];
    for (name, terrain) in cases {
        let store = store_of(&terrain);
        let head = read_head(&store).expect("whole");
        let beds = terrain.level(0).expect("there");
        let rows = (0..beds.height()).flat_map(|y| beds.ground_row(y));
        let ground: Vec<i32> = rows.copied().filter(|&bed| bed != OUTSIDE).collect();
        let range = (ground.iter().min(), ground.iter().max());
        assert_eq!((Some(&head.low), Some(&head.high)), range, "{name}");
        assert_eq!(head.coarsest, terrain.coarsest(), "{name}");
        for level in 0..=head.coarsest {
            let beds = terrain.level(level).expect("there");
            assert_eq!(head.size(level), (beds.width(), beds.height()), "{name}, level {level}");
        }
        assert_eq!(head.inside, terrain.inside_count() as u64, "{name}");
        assert_eq!(read_terrain(&store, &Limits::default()).expect("whole"), terrain, "{name}");
        assert_eq!(check_terrain(&store, &mut |_| ()).expect("readable"), [], "{name}");
    }
}

#[test]
fn tiles_without_ground_are_absent() {
    let terrain = disc();
    let store = store_of(&terrain);
    let stored = StoredBeds::open(&store).expect("whole");
    let mut plane = [0; TILE_CELLS];
    assert!(!stored.read(tile(0, 3, 2), &mut plane).expect("sound"));
    assert!(plane.iter().all(|&bed| bed == OUTSIDE));
    assert!(stored.read(tile(0, 1, 1), &mut plane).expect("sound"));
    assert_eq!(plane[0], terrain.level(0).expect("there").bed(64, 64));
    let keys = store.keys().expect("whole");
    assert!(!keys.contains(&Key::of_tile(Layer::Bed, tile(0, 3, 2))));
    assert_eq!(stored.tiles(0).len(), 6);
    assert_eq!(stored.tiles(1).len(), 2);
}

#[test]
fn a_terrain_replaces_the_one_before() {
    let mut store = store_of(&terrain(300, 300, |_, _| true));
    write_georeference("here", &mut store).expect("written");
    write_terrain(&disc(), &mut store).expect("written");
    store.commit().expect("committed");
    assert_eq!(read_terrain(&store, &Limits::default()).expect("whole"), disc());
    assert_eq!(check_terrain(&store, &mut |_| ()).expect("readable"), []);
    assert_eq!(read_georeference(&store).expect("whole"), Some("here".to_owned()));
}

/// Harm done to a store, the key that errors and reports name, and words of both.
type Harm = (&'static str, fn(&mut Store), Key, &'static str);

/// Puts other bytes under a key.
fn put(store: &mut Store, key: Key, bytes: &[u8]) {
    store.put(key, bytes).expect("small");
}

/// A plane with `bed` in one cell more.
fn alter(store: &mut Store, tile: TileKey, cell: usize, bed: i32) {
    let mut plane = [0; TILE_CELLS];
    StoredBeds::open(store).expect("whole").read(tile, &mut plane).expect("whole");
    plane[cell] = bed;
    let mut bytes = Vec::new();
    encode_ints(&plane, &mut bytes);
    put(store, Key::of_tile(Layer::Bed, tile), &bytes);
}

const BEDS: Key = Key { layer: Layer::Bed, tile: TileKey { level: 0, x: 1, y: 1 }, part: 0 };
const CORNER: Key = Key { layer: Layer::Bed, tile: TileKey { level: 0, x: 2, y: 1 }, part: 0 };

const HARMS: &[Harm] = &[
    ("missing", |store| assert!(store.remove(BEDS).expect("there")), BEDS, "missing"),
    ("cut", |store| put(store, BEDS, &[]), BEDS, "decode"),
    ("noise", |store| put(store, BEDS, b"noise"), BEDS, "decode"),
    ("high", |store| alter(store, BEDS.tile, 9, OUTSIDE + 1), BEDS, "out of range"),
    ("low", |store| alter(store, BEDS.tile, 9, i32::MIN), BEDS, "out of range"),
    ("between", |store| alter(store, BEDS.tile, 9, 1025), BEDS, "steps"),
    ("head", |store| put(store, RECORD, &[1, 0]), RECORD, "48 bytes"),
    ("headless", |store| assert!(store.remove(RECORD).expect("there")), RECORD, "no terrain"),
    ("ground", |store| put(store, GROUND_TILES, b"?"), GROUND_TILES, "finest tile"),
];

#[test]
fn damage_is_named() {
    for &(name, harm, key, what) in HARMS {
        let mut store = store_of(&disc());
        harm(&mut store);
        let error = read_terrain(&store, &Limits::default()).expect_err(name).to_string();
        assert!(error.contains(what) && error.contains(&key.to_string()), "{name}: {error}");
        let found = check_terrain(&store, &mut |_| ()).expect("readable");
        assert_eq!(found.len(), 1, "{name}: {found:?}");
        assert_eq!(found[0].key, Some(key), "{name}: {found:?}");
        assert!(found[0].what.contains(what), "{name}: {found:?}");
    }
}

#[test]
fn ground_beyond_the_map_is_damage() {
    let mut store = store_of(&terrain(150, 100, |_, _| true));
    alter(&mut store, CORNER.tile, 63, 0);
    let error = read_terrain(&store, &Limits::default()).expect_err("beyond").to_string();
    assert!(error.contains("tile 2, 1") && error.contains("beyond the map"), "{error}");
}

/// Goal: checking finds damage that reading the finest level does not. Method: one harm at a time
/// to coarse tiles, and to what should not be there.
#[test]
fn every_damage_is_found() {
    let coarse = Key::of_tile(Layer::Bed, tile(2, 0, 0));
    let rim = Key::of_tile(Layer::Parts, tile(1, 0, 0));
    let stray = Key::of_tile(Layer::Bed, tile(0, 3, 2));
    let beyond = Key::of_tile(Layer::Parts, tile(40, 9, 9));
    let second = Key { part: 1, ..BEDS };
    let mut store = store_of(&disc());
    alter(&mut store, coarse.tile, 20 + 64 * 10, 7);
    assert!(store.remove(rim).expect("there"));
    for key in [stray, beyond, second] {
        put(&mut store, key, b"stray");
    }
    assert_eq!(
        read_terrain(&store, &Limits::default()).expect("the finest level is whole"),
        disc()
    );
    let found = check_terrain(&store, &mut |_| ()).expect("readable");
    let mut expected = [coarse, rim, stray, beyond, second];
    expected.sort();
    let keys: Vec<Key> = found.iter().filter_map(|damage| damage.key).collect();
    assert_eq!(keys, expected, "{found:?}");
    let of = |key| found.iter().find(|damage| damage.key == Some(key)).expect("found");
    assert!(of(coarse).what.starts_with("1 of 4096 cells are not the means"), "{found:?}");
    assert!(of(rim).what.contains("in part"), "{found:?}");
    assert!(of(stray).what.contains("no such extent"), "{found:?}");
}
