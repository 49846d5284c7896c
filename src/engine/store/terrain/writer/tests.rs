use super::*;
use crate::grid::TileKey;
use crate::store::Key;
use crate::store::backend::memory::Memory;
use crate::store::terrain::{check_terrain, tiles, write_terrain};
use crate::terrain::TerrainBuilder;
use crate::units::VerticalScale;
use crate::units::hash::scramble;
use std::collections::BTreeMap;

type Extents = BTreeMap<Key, Vec<u8>>;

fn options(width: usize, height: usize) -> TerrainOptions {
    let scale = VerticalScale::try_new(20, 100.0).expect("good");
    TerrainOptions { width, height, cell_width_m: 5.0, scale, bed_exponent: 10 }
}

/// Heights of such a map, from the north; one patch in `holes` has none, if any.
fn heights(options: &TerrainOptions, holes: u64) -> Vec<f64> {
    let TerrainOptions { width, height, .. } = *options;
    let height_m = |i: usize| {
        let (x, y) = (i % width, i / width);
        let patch = scramble((((x / 40) << 20) | (y / 9)) as u64);
        let is_hole = holes > 0 && patch.is_multiple_of(holes);
        let small = u32::try_from(scramble(i as u64) % 4000).expect("small");
        if is_hole { f64::NAN } else { 100.0 + (0.05 * x as f64).sin() + f64::from(small) / 512.0 }
    };
    (0..width * height).map(height_m).collect()
}

fn empty() -> Store {
    Store::create_on(Box::new(Memory::default())).expect("memory")
}

fn all(store: &Store) -> Extents {
    let get = |key| {
        let mut bytes = Vec::new();
        assert!(store.get(key, &mut bytes).expect("whole"));
        (key, bytes)
    };
    store.keys().expect("whole").into_iter().map(get).collect()
}

/// Tiles of a pyramid in memory are, cell by cell.
fn expected(terrain: &Terrain) -> Extents {
    let mut extents = Extents::new();
    for level in 0..=terrain.coarsest() {
        let beds = terrain.level(level).expect("there");
        let head = Head::before_rows(&options(beds.width(), beds.height()));
        for tile in tiles::tiles(&head, 0) {
            extents.extend(tiles::extents(beds, TileKey { level, ..tile }));
        }
    }
    extents
}

fn in_memory(options: TerrainOptions, heights: &[f64]) -> Terrain {
    let mut builder = TerrainBuilder::try_new(options).expect("a map");
    heights.chunks(options.width).for_each(|row| builder.push_row(row).expect("a row"));
    builder.finish().expect("whole")
}

/// Goal: the written terrain is the pyramid of the same map in memory, to the byte. Method: sizes
/// around those of tiles and of even rows, holes, rows one by one, in odd pieces and all at once.
#[test]
fn rows_come_in_any_pieces() {
    let cases = [
        (2, 2, 0),
        (64, 64, 0),
        (65, 63, 3),
        (330, 2, 2),
        (193, 131, 3),
        (3, 700, 5),
        (130, 1030, 4),
        (1100, 577, 7),
    ];
    for (width, height, holes) in cases {
        let options = options(width, height);
        let heights = heights(&options, holes);
        let terrain = in_memory(options, &heights);
        let expected = expected(&terrain);
        for rows in [1, 37, 64, height] {
            let name = format!("{width} × {height}, {rows} rows at a time");
            let mut store = empty();
            let mut writer = TerrainWriter::begin(options, &mut store).expect("a map");
            for some in heights.chunks(rows * width) {
                writer.push(some, &mut store).expect("rows");
            }
            let head = writer.finish(&mut store).expect("whole");
            assert_eq!(head.inside, terrain.inside_count() as u64, "{name}");
            let mut found = all(&store);
            assert_eq!(check_terrain(&store, &mut |_| ()).expect("readable"), [], "{name}");
            let mut again = empty();
            write_terrain(&terrain, &mut again).expect("written");
            assert!(all(&again) == found, "{name}: from memory");
            found.retain(|key, _| key.layer != Layer::Head);
            assert!(found == expected, "{name}: others than of the pyramid");
        }
    }
}

/// Goal: a terrain goes on from any commit as if nothing had happened. Method: stop after each row
/// where that can be, go on in the store as it was committed.
#[test]
fn what_was_saved_goes_on() {
    for (width, height, holes) in [(130, 1030, 4), (70, 1024, 0), (3, 800, 2), (1100, 300, 7)] {
        let options = options(width, height);
        let heights = heights(&options, holes);
        let mut whole = empty();
        let mut writer = TerrainWriter::begin(options, &mut whole).expect("a map");
        writer.push(&heights, &mut whole).expect("rows");
        writer.finish(&mut whole).expect("whole");
        let stops = (1..height).filter(|rows| (height - rows).is_multiple_of(256));
        for stop in stops {
            let name = format!("{width} × {height}, stopped after {stop}");
            let mut store = empty();
            let mut writer = TerrainWriter::begin(options, &mut store).expect("a map");
            let (first, rest) = heights.split_at(stop * width);
            writer.push(first, &mut store).expect("rows");
            assert!(writer.can_save(), "{name}");
            writer.save("of this map", &mut store).expect("saved");
            store.commit().expect("committed");
            // What comes after the commit is lost.
            writer.push(&rest[..rest.len().min(70 * width)], &mut store).expect("rows");
            store.roll_back();
            let (mut writer, note) =
                TerrainWriter::resume(&store).expect("whole").expect("under way");
            assert_eq!((writer.rows(), note.as_str()), (stop, "of this map"), "{name}");
            assert_eq!(*writer.options(), options, "{name}");
            writer.push(rest, &mut store).expect("rows");
            writer.finish(&mut store).expect("whole");
            assert!(all(&store) == all(&whole), "{name}");
            assert!(TerrainWriter::resume(&store).expect("whole").is_none(), "{name}");
        }
    }
}

#[test]
fn what_is_no_map_is_refused() {
    let (options, mut store) = (options(3, 4), empty());
    let refused = |rows: &[f64], store: &mut Store| {
        let mut writer = TerrainWriter::begin(options, store).expect("a map");
        let pushed = writer.push(rows, store);
        pushed.and_then(|()| writer.finish(store)).expect_err("no map").to_string()
    };
    let row = [100.0, 101.0, 102.0];
    assert!(refused(&row[..2], &mut store).contains("row 0 has 2 heights"));
    assert!(refused(&row.repeat(3), &mut store).contains("3 rows came where the map has 4"));
    assert!(refused(&row.repeat(5), &mut store).contains("5 rows came where the map has 4"));
    assert!(refused(&[f64::NAN; 12], &mut store).contains("no cell of the map has a height"));
    let mut wild = row.repeat(4);
    (wild[7], wild[11]) = (9.0e4, f64::INFINITY);
    assert!(refused(&wild, &mut store).contains("column 1, row 2"));
    let none = TerrainOptions { width: 1, ..options };
    assert!(TerrainWriter::begin(none, &mut store).is_err());
}

#[test]
fn what_does_not_say_how_far_it_came_is_no_beginning() {
    let mut store = empty();
    assert!(TerrainWriter::resume(&store).expect("whole").is_none());
    let options = options(70, 600);
    let mut writer = TerrainWriter::begin(options, &mut store).expect("a map");
    writer.push(&heights(&options, 0)[..344 * 70], &mut store).expect("rows");
    writer.save("", &mut store).expect("saved");
    let mut record = all(&store).remove(&UNFINISHED).expect("there");
    for (at, byte) in [(2, 9), (4, 1), (28, 89), (28, 0xff)] {
        let was = std::mem::replace(&mut record[at], byte);
        store.put(UNFINISHED, &record).expect("small");
        assert!(TerrainWriter::resume(&store).is_err(), "byte {at}");
        record[at] = was;
    }
    record[0] = 2;
    store.put(UNFINISHED, &record).expect("small");
    assert!(TerrainWriter::resume(&store).expect("of another form").is_none());
}
