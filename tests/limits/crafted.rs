//! Small files that ask for much.

use crate::counted::{most_bytes, turn};
use crate::foretold::{file_of, plain};
use thalweg::terrain::Shape;
use thalweg::world::{
    Action, AdaptiveOptions, Barrier, ColumnKind, FileError, Rate, SaveFile, StreamOptions,
    Weather, World,
};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::store::backend::memory::Memory;
use thalweg_engine::store::terrain::read_terrain;
use thalweg_engine::store::{Key, Layer, Limit, Limits, OverLimit, Store, StoreError};
use thalweg_engine::structure::weather::Direction;

/// Bytes that a refusal may take: records, the list of tiles with ground, pages of the directory.
const REFUSED_BYTES: u64 = 8 << 20;

/// Loads a world that goes over a limit: what it says, and the most bytes that took.
#[track_caller]
fn over(mut file: SaveFile, limits: Limits) -> (OverLimit, u64) {
    file = file.limits(limits);
    let (loaded, most) = most_bytes(|| file.load(Vec::new()).map(|_: World| ()));
    match loaded {
        Err(FileError::Store(StoreError::Limit(over))) => (over, most),
        other => panic!("it is not refused: {other:?}"),
    }
}

/// The file of a world of one tile that says it has 2¹⁵ × 2¹⁵ cells, of which the rest is no
/// ground: 1 GiB of cells in 54 KB.
fn huge() -> Store {
    let mut store = file_of(plain(64, 64)).into_store();
    let (head, tiles) = (Key::head(0), Key::head(2));
    let mut record = Vec::new();
    assert!(store.get(head, &mut record).expect("whole"));
    for at in [4, 8] {
        record[at..at + 4].copy_from_slice(&(1_u32 << 15).to_le_bytes());
    }
    record[44] = 8;
    store.put(head, &record).expect("memory");
    let mut ground = vec![0; 512 * 512 / 8];
    ground[0] = 1;
    store.put(tiles, &ground).expect("memory");
    store.commit().expect("memory");
    store
}

#[test]
fn a_small_file_of_a_huge_map_is_refused_before_memory_is_taken() {
    let _turn = turn();
    let store = huge();
    let bytes = store.reader().live_bytes().expect("whole");
    assert!(bytes < 54_000, "{bytes} bytes");
    let (read, most) = most_bytes(|| read_terrain(&store, &Limits::default()));
    let error = read.expect_err("more than 4 GiB");
    assert!(most < REFUSED_BYTES, "{most} bytes were taken");
    let line = error.to_string();
    assert!(line.starts_with("the terrain of this world takes 5.6 GiB"), "{line}");
    assert!(line.contains("`Limits::bytes` allows 4.0 GiB"), "{line}");
    let (over, most) = over(SaveFile::of(store), Limits::default());
    assert_eq!((over.limit, over.most), (Limit::Bytes, 4 << 30));
    assert!(over.needs > 5 << 30 && most < REFUSED_BYTES, "{over}, {most} bytes were taken");
    // What needs no terrain in memory goes.
    let mut file = SaveFile::of(huge());
    assert!(file.summary().expect("whole").is_some());
    let options = StreamOptions { budget_bytes: 512 << 20 };
    let (streamed, most) = most_bytes(|| file.stream(Vec::new(), options).map(drop));
    assert!(streamed.is_ok() && most < options.budget_bytes, "{streamed:?}, {most} bytes");
}

/// The file with another text of the world's setup.
fn with_setup(file: SaveFile, change: impl Fn(&str) -> String) -> SaveFile {
    let mut store = file.into_store();
    let key = Key { layer: Layer::Setup, ..Key::head(0) };
    let mut text = Vec::new();
    assert!(store.get(key, &mut text).expect("whole"));
    let text = String::from_utf8(text).expect("JSON");
    let changed = change(&text);
    assert_ne!(changed, text);
    store.put(key, changed.as_bytes()).expect("memory");
    store.commit().expect("memory");
    SaveFile::of(store)
}

#[test]
fn a_levee_that_runs_to_and_fro_is_refused() {
    let _turn = turn();
    let levee = Barrier::wall("levee", vec![[2.0, 9.5], [620.0, 9.5]], 9.0);
    let file = file_of(plain(640, 64).barrier(levee));
    let path = "[2.0,9.5],[620.0,9.5]";
    let long = vec![path; 20_000].join(",");
    let file = with_setup(file, |text| text.replacen(path, &long, 1));
    let (over, most) = over(file, Limits::default().bytes(1 << 30));
    assert_eq!(over.limit, Limit::Bytes);
    assert!(most < 4 * REFUSED_BYTES, "{most} bytes were taken");
}

#[test]
fn links_that_were_taken_away_are_refused_where_they_are_too_many() {
    let _turn = turn();
    let file = file_of(plain(64, 64));
    let links = format!("\"links\":[{}],\"adaptive\"", vec!["null"; 100_000].join(","));
    let file = with_setup(file, |text| text.replacen("\"adaptive\"", &links, 1));
    let (over, most) = over(file, Limits::default().bytes(32 << 20));
    assert_eq!(over.limit, Limit::Bytes);
    assert!(most < REFUSED_BYTES, "{most} bytes were taken");
}

/// Goal: a world that was asked for in many numbers loads by default: it takes what they take.
#[test]
fn a_long_rain_by_class_is_allowed() {
    let _turn = turn();
    let (classes, values) = if crate::QUICK { (1250, 288) } else { (5000, 288) };
    let series = |class: u32| -> Vec<(f64, f64)> {
        (0..values).map(|at| (300.0 * f64::from(at), 1.0e-7 * f64::from(class + at))).collect()
    };
    let rates: Vec<_> = (0..classes).map(series).collect();
    let class = |place: CellPlace| (place.x % 3) as u16;
    let world = plain(64, 64).layer_classes("rain", Direction::Into, &rates, class).expect("good");
    let mut file = file_of(world);
    let limits = Limits::default().bytes(if crate::QUICK { 1 << 30 } else { 4 << 30 });
    file = file.limits(limits);
    file.load(Vec::new()).map(drop).expect("numbers that take some MiB");
    // An excess is reported as a whole.
    let needs = |limits| over(SaveFile::of(file_store(&rates)), limits).0.needs;
    assert_eq!(needs(Limits::default().bytes(1 << 20)), needs(Limits::default().bytes(3 << 20)));
}

/// The store of a world with such a rain.
fn file_store(rates: &[Vec<(f64, f64)>]) -> Store {
    let class = |place: CellPlace| (place.x % 3) as u16;
    let world = plain(64, 64).layer_classes("rain", Direction::Into, rates, class).expect("good");
    file_of(world).into_store()
}

/// Goal: names that every tracer would have in its ledger are counted.
#[test]
fn long_names_are_counted_for_every_tracer() {
    let _turn = turn();
    let name = "n".repeat(1 << 20);
    let mut world = plain(64, 64).rain(&name, &[(0.0, 1.0e-7)]).expect("good");
    for tracer in 0..64 {
        world = world.tracer(&format!("{tracer}"), |_| 0.0);
    }
    let (over, most) = over(file_of(world), Limits::default().bytes(48 << 20));
    assert!(over.needs > 64 << 20 && most < 4 * REFUSED_BYTES, "{over}, {most} bytes");
}

#[test]
fn cells_that_leaves_may_come_to_have_are_bounded() {
    let _turn = turn();
    let options = AdaptiveOptions { coarsest: 2, budget_cells: u64::MAX, ..Default::default() };
    let world = plain(640, 640).columns(ColumnKind::Flat).adaptive(options);
    let file = file_of(world);
    let (over, _) = over(file, Limits::default().cells(200_000));
    assert_eq!((over.limit, over.most, over.needs), (Limit::Cells, 200_000, 640 * 640));
    assert!(over.to_string().contains("`Limits::cells` allows 200000"), "{over}");
}

/// Goal: areas of weather that no world can have are refused in a line, and one that it can have
/// comes back with the world.
#[test]
fn areas_of_weather_that_cannot_be_are_refused() {
    let _turn = turn();
    let rained = || {
        let mut world =
            plain(64, 64).rain("rain", &[(0.0, 0.0)]).expect("a rate").build().expect("good");
        let area = Shape::Rectangle { low_m: [1.0, 2.0], high_m: [9.0, 9.0] };
        let rates = vec![Rate::Constant(1.0e-5)];
        let weather = Weather { layer: "rain".to_owned(), area: Some(area), rates };
        world.edits().act(Action::ChangeWeather(weather)).expect("good");
        let file = SaveFile::create_on(Box::new(Memory::default()), &world).expect("memory");
        (file, world.state_hash())
    };
    let (mut file, hash) = rained();
    assert_eq!(file.load(Vec::new()).expect("whole").state_hash(), hash);
    let own = r#""areas":{"0":{"rectangle":{"low_m":[1.0,2.0],"high_m":[9.0,9.0]}}}"#;
    let area = |text: &str| format!(r#""areas":{{"0":{text}}}"#);
    let corners = vec!["[1.0,1.0]"; 5000].join(",");
    for (other, words) in [
        (own.replace(r#""0""#, r#""7""#), "an area needs a layer of one rate"),
        (own.replace("1.0", "900.0").replace("9.0]", "990.0]"), "rain: "),
        (own.replace("[9.0,9.0]", "[1e17,9.0]"), "rain: "),
        (area(&format!(r#"{{"polygon":{{"corners_m":[{corners}]}}}}"#)), "5000 corners"),
        (area(r#"{"disc":{"centre_m":[5.0,5.0],"radius_m":-1.0,"rim_m":0.0}}"#), "radius"),
        (area(r#"{"star":{}}"#), "star"),
    ] {
        let mut file = with_setup(rained().0, |text| {
            assert!(text.contains(own), "{text}");
            text.replacen(own, &other, 1)
        });
        let error = file.load(Vec::new()).expect_err("no such area").to_string();
        assert!(error.contains(words) && error.len() < 400, "{other:.80}: {error}");
    }
}
