//! The text of commands, watches, events, checkpoints and set-ups: one spelling of keys, and that
//! of version 1 is still read.

use crate::support::{in_memory, terrain};
use crate::undone_everywhere::{Draws, Kind, options, world};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Debug;
use thalweg::criteria::ObserverOptions;
use thalweg::structure::Section;
use thalweg::terrain::{Bottom, Edit, Shape};
use thalweg::units::SimTime;
use thalweg::world::commands::Entry;
use thalweg::world::{
    Action, Amount, Barrier, Breach, Checkpoint, Command, CommandLog, Culvert, Discharge, Drain,
    EdgeKind, EdgePlace, Event, EventKind, FixedStep, Gap, Inflow, InflowPlace, Link, Opening,
    Order, Pump, Rate, SaveFile, Session, Side, Solver, Stage, Trigger, Watch, WatchId, Weather,
    World, WorldBuilder,
};
use thalweg_engine::store::Layer;

/// A log of version 1 with every command, action and amount. A line that begins with spaces is the
/// rest of the one before it.
const FIRST: &str = r#"{"thalweg-commands":1}
{"id":1,"command":{"act":[
    {"add-water":{"area":{"disc":{"centre_m":[100.0,80.0],"radius_m":20.0,"rim_m":5.0}},
    "amount":{"depth-m":0.5}}},
    {"add-water":{"area":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "amount":{"volume-m3":900.0}}},
    {"remove-water":{"area":{"polygon":{"corners_m":[[1.0,2.0],[30.0,4.0],[5.0,60.0]]}},
    "amount":{"stage-m":1.25}}},
    {"push-water":{"area":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "by_m_s":[-1.5,2.0]}},
    {"colour-water":{"area":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "tracer":"dye","concentration":0.25}}]}}
{"id":2,"command":{"act":[
    {"edit-terrain":{"raise":{"shape":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "by_m":0.5}}},
    {"edit-terrain":{"lower":{"shape":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "by_m":0.25}}},
    {"edit-terrain":{"flatten":{"shape":{"rectangle":{"low_m":[10.0,20.0],
    "high_m":[30.0,40.0]}},"to_m":3.0}}},
    {"edit-terrain":{"carve":{"line_m":[[1.0,2.0],[50.0,60.0]],"width_m":10.0,
    "bottom":{"below":{"depth_m":1.5}}}}},
    {"edit-terrain":{"carve":{"line_m":[[1.0,2.0],[50.0,60.0]],"width_m":10.0,
    "bottom":{"at":{"first_m":2.0,"last_m":1.0}}}}},
    {"edit-terrain":{"paste":{"corner":[7,9],"width":2,"heights_m":[2.0,2.5,3.0,3.5]}}},
    {"carve-below":{"area":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "span_m":[-9.0,-7.0]}},
    {"fill-below":{"area":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "span_m":[-9.0,-8.0]}}]}}
{"id":3,"command":{"act":[
    {"put-barrier":{"name":"levee","path-m":[[100.0,20.0],[100.0,140.0]],"crest-m":[3.0,2.5],
    "gap":null,"breach":{"along-m":60.0,
    "trigger":{"stage":{"at-m":[60.0,80.0],"stage-m":2.5}},
    "width-m":[[0.0,0.0],[600.0,20.0]],"bottom-m":[[0.0,2.5],[600.0,0.5]]},
    "weir-coefficient":0.58,"contraction":0.65}},
    {"put-barrier":{"name":"gate","path-m":[[200.0,60.0],[200.0,100.0]],"crest-m":[4.0],
    "gap":{"sill-m":0.5,"opening":{"rule":{"at-m":[150.0,80.0],"points":[[1.0,0.0],[2.0,1.5]]}}},
    "breach":null,"weir-coefficient":0.62,"contraction":0.61}},
    {"put-barrier":{"name":"sluice","path-m":[[200.0,10.0],[200.0,50.0]],"crest-m":[4.0],
    "gap":{"sill-m":null,"opening":{"fixed":0.4}},
    "breach":{"along-m":10.0,"trigger":{"time":3600.0},"width-m":[[0.0,5.0]],
    "bottom-m":[[0.0,1.0]]},"weir-coefficient":0.62,"contraction":0.61}},
    {"put-barrier":{"name":"deck","path-m":[[250.0,60.0],[250.0,100.0]],"crest-m":[4.0],
    "gap":{"sill-m":null,"opening":{"series":[[0.0,0.4],[600.0,1.0]]}},
    "breach":null,"weir-coefficient":0.62,"contraction":0.61}},
    {"remove-barrier":{"name":"deck"}}]}}
{"id":4,"command":{"act":[
    {"put-link":{"culvert":{"name":"pipe","from":[92.5,52.5],"to":[107.5,57.5],
    "from_invert_m":0.25,"to_invert_m":0.0,"section":{"circle":{"diameter_m":0.5}},
    "length_m":null,"manning_n":0.013,"inlet_loss":0.5,"outlet_loss":1.0,"has_flap":false}}},
    {"put-link":{"culvert":{"name":"box","from":[92.5,72.5],"to":[107.5,77.5],
    "from_invert_m":0.25,"to_invert_m":0.0,"section":{"box":{"width_m":2.0,"height_m":1.0}},
    "length_m":18.0,"manning_n":0.013,"inlet_loss":0.5,"outlet_loss":1.0,"has_flap":true}}},
    {"put-link":{"pump":{"name":"pump","from":[92.5,92.5],"to":[107.5,97.5],
    "curve":[[0.0,2.0],[4.0,1.0]],"on_stage_m":2.0,"off_stage_m":1.5,"outlet_m":4.0}}},
    {"put-link":{"pump":{"name":"well","from":[92.5,112.5],"to":null,
    "curve":[[0.0,2.0]],"on_stage_m":2.0,"off_stage_m":1.5,"outlet_m":null}}},
    {"put-link":{"drain":{"name":"gully","place":[42.5,27.5],"area_m2":0.5,"perimeter_m":2.0,
    "rim_m":0.25}}},
    {"remove-link":{"name":"gully"}}]}}
{"id":5,"command":{"act":[
    {"put-inflow":{"name":"spring","place":{"point":[52.5,47.5]},"discharge":{"constant":3.0},
    "tracers":[["dye",0.5]]}},
    {"put-inflow":{"name":"sewer",
    "place":{"area":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}}},
    "discharge":{"series":[[0.0,2.0],[60.0,4.0]]},"tracers":[]}},
    {"remove-inflow":{"name":"sewer"}},
    {"change-weather":{"layer":"rain",
    "area":{"rectangle":{"low_m":[10.0,20.0],"high_m":[30.0,40.0]}},
    "rates":[{"series":[[0.0,0.00001],[60.0,0.0]]}]}},
    {"change-weather":{"layer":"rain","area":null,"rates":[{"constant":0.00001}]}},
    {"change-wind":{"wind_m_s":[10.0,-5.0]}},
    {"change-stage":{"edge":"sea","stage":{"constant":1.5}}},
    {"change-stage":{"edge":"sea","stage":{"series":[[0.0,1.5],[60.0,2.0]]}}},
    {"change-roughness":{"class":1,"manning_n":0.05}}]}}
{"id":6,"command":{"undo":{"id":5}}}
{"id":7,"command":{"run":{"step":{"numerator":1,"denominator":30},"cycles":60}}}
{"id":8,"command":{"observe":[{"position_m":[128.0,64.0],"velocity_m_s":[5.0,0.0],
    "look_ahead_s":3.0,"radii_m":[[0,60.0],[1,150.0]],"priority":0.5}]}}
{"id":9,"command":{"solve":{"solver":"shallow-water","order":"second"}}}
{"id":10,"command":{"solve":{"solver":"pipe","order":"first"}}}
{"id":11,"command":{"set-budget":{"cells":65536}}}
{"id":12,"command":"mark"}
"#;

/// Kebab-case keys of version 1 in commands: 17 actions, 3 amounts, a command, and 8 fields of
/// barriers (a ninth is spelled like an amount).
const KEBAB_KEYS: usize = 29;

fn area() -> Shape {
    Shape::Rectangle { low_m: [10.0, 20.0], high_m: [30.0, 40.0] }
}

fn water() -> Vec<Action> {
    let disc = Shape::Disc { centre_m: [100.0, 80.0], radius_m: 20.0, rim_m: 5.0 };
    let polygon = Shape::Polygon { corners_m: vec![[1.0, 2.0], [30.0, 4.0], [5.0, 60.0]] };
    vec![
        Action::AddWater { area: disc, amount: Amount::DepthM(0.5) },
        Action::AddWater { area: area(), amount: Amount::VolumeM3(900.0) },
        Action::RemoveWater { area: polygon, amount: Amount::StageM(1.25) },
        Action::PushWater { area: area(), by_m_s: [-1.5, 2.0] },
        Action::ColourWater { area: area(), tracer: "dye".to_owned(), concentration: 0.25 },
    ]
}

fn ground() -> Vec<Action> {
    let carve = |bottom| {
        let line_m = vec![[1.0, 2.0], [50.0, 60.0]];
        Edit::Carve { line_m, width_m: 10.0, bottom }
    };
    let heights_m = vec![2.0, 2.5, 3.0, 3.5];
    let edits = [
        Edit::Raise { shape: area(), by_m: 0.5 },
        Edit::Lower { shape: area(), by_m: 0.25 },
        Edit::Flatten { shape: area(), to_m: 3.0 },
        carve(Bottom::Below { depth_m: 1.5 }),
        carve(Bottom::At { first_m: 2.0, last_m: 1.0 }),
        Edit::Paste { corner: [7, 9].into(), width: 2, heights_m },
    ];
    let rock = [
        Action::CarveBelow { area: area(), span_m: [-9.0, -7.0] },
        Action::FillBelow { area: area(), span_m: [-9.0, -8.0] },
    ];
    edits.map(Action::EditTerrain).into_iter().chain(rock).collect()
}

fn barriers() -> Vec<Barrier> {
    let fails = Breach {
        along_m: 60.0,
        trigger: Trigger::Stage { at_m: [60.0, 80.0], stage_m: 2.5 },
        width_m: vec![(0.0, 0.0), (600.0, 20.0)],
        bottom_m: vec![(0.0, 2.5), (600.0, 0.5)],
    };
    let breaks = Breach {
        along_m: 10.0,
        trigger: Trigger::Time(3600.0),
        width_m: vec![(0.0, 5.0)],
        bottom_m: vec![(0.0, 1.0)],
    };
    let rule = Opening::Rule { at_m: [150.0, 80.0], points: vec![(1.0, 0.0), (2.0, 1.5)] };
    let series = Opening::Series(vec![(0.0, 0.4), (600.0, 1.0)]);
    let gap = |sill_m, opening| Some(Gap { sill_m, opening });
    let wall = |name, [low, high]: [[f64; 2]; 2]| Barrier::wall(name, [low, high], 4.0);
    vec![
        Barrier {
            crest_m: vec![3.0, 2.5],
            breach: Some(fails),
            weir_coefficient: 0.58,
            contraction: 0.65,
            ..wall("levee", [[100.0, 20.0], [100.0, 140.0]])
        },
        Barrier { gap: gap(Some(0.5), rule), ..wall("gate", [[200.0, 60.0], [200.0, 100.0]]) },
        Barrier {
            gap: gap(None, Opening::Fixed(0.4)),
            breach: Some(breaks),
            ..wall("sluice", [[200.0, 10.0], [200.0, 50.0]])
        },
        Barrier { gap: gap(None, series), ..wall("deck", [[250.0, 60.0], [250.0, 100.0]]) },
    ]
}

fn links() -> Vec<Link> {
    let pipe = Culvert {
        name: "pipe".to_owned(),
        from: [92.5, 52.5],
        to: [107.5, 57.5],
        from_invert_m: 0.25,
        to_invert_m: 0.0,
        section: Section::Circle { diameter_m: 0.5 },
        length_m: None,
        manning_n: 0.013,
        inlet_loss: 0.5,
        outlet_loss: 1.0,
        has_flap: false,
    };
    let square = Culvert {
        name: "box".to_owned(),
        from: [92.5, 72.5],
        to: [107.5, 77.5],
        section: Section::Box { width_m: 2.0, height_m: 1.0 },
        length_m: Some(18.0),
        has_flap: true,
        ..pipe.clone()
    };
    let pump = Pump {
        name: "pump".to_owned(),
        from: [92.5, 92.5],
        to: Some([107.5, 97.5]),
        curve: vec![(0.0, 2.0), (4.0, 1.0)],
        on_stage_m: 2.0,
        off_stage_m: 1.5,
        outlet_m: Some(4.0),
    };
    let well = Pump {
        name: "well".to_owned(),
        from: [92.5, 112.5],
        to: None,
        curve: vec![(0.0, 2.0)],
        outlet_m: None,
        ..pump.clone()
    };
    let gully = Drain {
        name: "gully".to_owned(),
        place: [42.5, 27.5],
        area_m2: 0.5,
        perimeter_m: 2.0,
        rim_m: Some(0.25),
    };
    vec![pipe.into(), square.into(), pump.into(), well.into(), gully.into()]
}

fn inflows() -> [Inflow; 2] {
    [
        Inflow {
            name: "spring".to_owned(),
            place: InflowPlace::Point([52.5, 47.5]),
            discharge: Discharge::Constant(3.0),
            tracers: vec![("dye".to_owned(), 0.5)],
        },
        Inflow {
            name: "sewer".to_owned(),
            place: InflowPlace::Area(area()),
            discharge: Discharge::Series(vec![(0.0, 2.0), (60.0, 4.0)]),
            tracers: Vec::new(),
        },
    ]
}

fn weather() -> [Weather; 2] {
    let rain = |area, rate| Weather { layer: "rain".to_owned(), area, rates: vec![rate] };
    [
        rain(Some(area()), Rate::Series(vec![(0.0, 1.0e-5), (60.0, 0.0)])),
        rain(None, Rate::Constant(1.0e-5)),
    ]
}

fn conditions() -> [Action; 4] {
    let stage = |stage| Action::ChangeStage { edge: "sea".to_owned(), stage };
    [
        Action::ChangeWind { wind_m_s: [10.0, -5.0] },
        stage(Stage::Constant(1.5)),
        stage(Stage::Series(vec![(0.0, 1.5), (60.0, 2.0)])),
        Action::ChangeRoughness { class: 1, manning_n: 0.05 },
    ]
}

/// The commands of the log `FIRST`.
fn entries() -> Vec<Entry> {
    let walls = barriers().into_iter().map(Action::PutBarrier);
    let walls = walls.chain([Action::RemoveBarrier { name: "deck".to_owned() }]);
    let pipes = links().into_iter().map(Action::PutLink);
    let pipes = pipes.chain([Action::RemoveLink { name: "gully".to_owned() }]);
    let springs = inflows().into_iter().map(Action::PutInflow);
    let springs = springs.chain([Action::RemoveInflow { name: "sewer".to_owned() }]);
    let forcing = springs.chain(weather().map(Action::ChangeWeather)).chain(conditions());
    let observer = ObserverOptions {
        position_m: [128.0, 64.0],
        velocity_m_s: [5.0, 0.0],
        look_ahead_s: 3.0,
        radii_m: vec![(0, 60.0), (1, 150.0)],
        priority: 0.5,
    };
    let commands = [
        Command::Act(water()),
        Command::Act(ground()),
        Command::Act(walls.collect()),
        Command::Act(pipes.collect()),
        Command::Act(forcing.collect()),
        Command::Undo { id: 5 },
        Command::Run { step: FixedStep::try_new(1, 30).expect("a good step"), cycles: 60 },
        Command::Observe(vec![observer]),
        Command::Solve { solver: Solver::ShallowWater, order: Order::Second },
        Command::Solve { solver: Solver::Pipe, order: Order::First },
        Command::SetBudget { cells: 65_536 },
        Command::Mark,
    ];
    (1..).zip(commands).map(|(id, command)| Entry { id, command }).collect()
}

/// Watches of all kinds, and their texts of version 1.
fn watches() -> [(&'static str, Watch); 4] {
    let at_m = [30.0, 10.0];
    let corners_m = vec![[1.0, 2.0], [30.0, 4.0], [5.0, 60.0]];
    [
        (
            r#"{"place":{"at-m":[30.0,10.0],"depth-m":0.2,"hysteresis-m":0.05}}"#,
            Watch::Place { at_m, depth_m: 0.2, hysteresis_m: 0.05 },
        ),
        (
            r#"{"gauge":{"at-m":[30.0,10.0],"stage-m":1.5,"hysteresis-m":0.05}}"#,
            Watch::Gauge { at_m, stage_m: 1.5, hysteresis_m: 0.05 },
        ),
        (
            r#"{"footprint":{"corners-m":[[1.0,2.0],[30.0,4.0],[5.0,60.0]],"depth-m":0.2,
            "hysteresis-m":0.05}}"#,
            Watch::Footprint { corners_m, depth_m: 0.2, hysteresis_m: 0.05 },
        ),
        (
            r#"{"barrier":{"name":"levee","hysteresis-m":0.05}}"#,
            Watch::Barrier { name: "levee".to_owned(), hysteresis_m: 0.05 },
        ),
    ]
}

/// Changes of all kinds, and their texts of version 1.
fn changes() -> [(&'static str, EventKind); 11] {
    let began = SimTime::from_ticks(16_777_216);
    [
        (r#"{"wetted":{"depth-m":0.25}}"#, EventKind::Wetted { depth_m: 0.25 }),
        (r#"{"dried":{"depth-m":0.125}}"#, EventKind::Dried { depth_m: 0.125 }),
        (r#"{"rose":{"stage-m":1.5}}"#, EventKind::Rose { stage_m: 1.5 }),
        (r#"{"fell":{"stage-m":1.25}}"#, EventKind::Fell { stage_m: Some(1.25) }),
        (r#"{"fell":{"stage-m":null}}"#, EventKind::Fell { stage_m: None }),
        (r#"{"flooded":{"depth-m":0.75}}"#, EventKind::Flooded { depth_m: 0.75 }),
        (r#"{"drained":{"depth-m":0.5}}"#, EventKind::Drained { depth_m: 0.5 }),
        (r#""overtopped""#, EventKind::Overtopped),
        (r#""contained""#, EventKind::Contained),
        (r#"{"breached":{"began":16777216}}"#, EventKind::Breached { began }),
        (r#""restored""#, EventKind::Restored),
    ]
}

/// An event of watch 3 after one and a half seconds.
fn event(what: EventKind) -> Event {
    let watch: WatchId = serde_json::from_str("3").expect("the number of a watch");
    Event { watch, at: SimTime::from_ticks(25_165_824), what }
}

fn events() -> Vec<Event> {
    changes().into_iter().map(|(_, what)| event(what)).collect()
}

/// A checkpoint with an observer.
fn checkpoint() -> Checkpoint {
    let mut session = Session::new(world(Kind::Adaptive, Solver::Pipe, &mut Draws(5)).0);
    session.apply(Command::Observe(vec![options([128.0, 128.0])])).expect("one observer");
    session.apply(Command::Mark).expect("always");
    session.checkpoint().expect("right after a mark")
}

/// A world with all barriers and links, and rain over an area.
fn walled() -> World {
    let mut builder = WorldBuilder::new(terrain(64, 32, 5.0, |_, _| 0.0))
        .initial_stage(|_| 1.0)
        .edges(EdgeKind::Open)
        .edge("sea", EdgePlace::Side(Side::West), EdgeKind::Stage(vec![(0.0, 1.0)]))
        .tracer("dye", |_| 0.5)
        .rain("rain", &[(0.0, 0.0)])
        .expect("a rate");
    for barrier in barriers() {
        builder = builder.barrier(barrier);
    }
    for link in links() {
        builder = builder.link(link);
    }
    let mut world = builder.build().expect("a good world");
    for inflow in inflows() {
        world.edits().act(Action::PutInflow(inflow)).expect("a good inflow");
    }
    let [rain, _] = weather();
    world.edits().act(Action::ChangeWeather(rain)).expect("a good rain");
    world
}

/// The file of a world, and its set-up in it, changed.
fn with_setup(world: &World, change: impl FnOnce(&str) -> String) -> (SaveFile, String) {
    let mut store = in_memory(world).into_store();
    let keys = store.keys().expect("keys");
    let key = *keys.iter().find(|key| key.layer == Layer::Setup).expect("an extent");
    let mut text = Vec::new();
    assert!(store.get(key, &mut text).expect("whole"));
    let changed = change(&String::from_utf8(text).expect("JSON"));
    store.put(key, changed.as_bytes()).expect("memory");
    store.commit().expect("memory");
    (SaveFile::of(store), changed)
}

fn json(what: &impl Serialize) -> Value {
    serde_json::to_value(what).expect("plain data")
}

/// All keys of all objects in a text.
fn keys(value: &Value) -> BTreeSet<&str> {
    match value {
        Value::Object(fields) => {
            let inner = fields.values().flat_map(keys);
            fields.keys().map(String::as_str).chain(inner).collect()
        }
        Value::Array(items) => items.iter().flat_map(keys).collect(),
        _ => BTreeSet::new(),
    }
}

/// Keys in a text that are not in snake case.
fn odd_keys(value: &Value) -> BTreeSet<&str> {
    let is_plain = |byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'_');
    let is_snake = |key: &str| !key.is_empty() && key.bytes().all(is_plain);
    keys(value).into_iter().filter(|key| !is_snake(key)).collect()
}

#[track_caller]
fn check_read<T: DeserializeOwned + PartialEq + Debug>(text: &str, meant: &T) {
    match serde_json::from_str::<T>(text) {
        Ok(read) => assert_eq!(read, *meant, "{text}"),
        Err(error) => panic!("{error}: {text}"),
    }
}

/// Goal: a log of version 1, with each of its keys, is read as the commands that it means, and is
/// written in the spelling of version 2.
#[test]
fn a_log_of_version_1_is_read_and_written_as_version_2() {
    let first = FIRST.replace("\n    ", "");
    let parsed = |line: &str| serde_json::from_str::<Value>(line).expect("JSON");
    let old = Value::Array(first.lines().skip(1).map(parsed).collect());
    assert_eq!(odd_keys(&old).len(), KEBAB_KEYS, "{:?}", odd_keys(&old));

    let log = CommandLog::read(first.as_bytes()).expect("version 1 is read");
    let meant = entries();
    for (read, meant) in log.entries().iter().zip(&meant) {
        assert_eq!(read, meant);
    }
    assert_eq!(log.entries().len(), meant.len());

    let mut text = Vec::new();
    log.write(&mut text).expect("in memory");
    let text = String::from_utf8(text).expect("text");
    let (header, lines) = text.split_once('\n').expect("a first line");
    assert_eq!(header, r#"{"thalweg-commands":2}"#);
    for line in lines.lines() {
        let value = parsed(line);
        assert_eq!(odd_keys(&value), BTreeSet::new(), "{line}");
    }
    assert_eq!(CommandLog::read(text.as_bytes()).expect("what was written"), log);
}

/// Goal: keys of all texts are in snake case.
#[test]
fn every_key_is_in_snake_case() {
    let (_, setup) = with_setup(&walled(), str::to_owned);
    for (what, value) in [
        ("commands", json(&entries())),
        ("watches", json(&watches().map(|(_, watch)| watch))),
        ("changes", json(&changes().map(|(_, what)| what))),
        ("events", json(&events())),
        ("a checkpoint", json(&checkpoint())),
        ("a set-up", serde_json::from_str(&setup).expect("JSON")),
    ] {
        assert!(keys(&value).len() > 3, "{what}: {value}");
        assert_eq!(odd_keys(&value), BTreeSet::new(), "{what}: keys that are not in snake case");
    }
}

/// Goal: places and times whose keys had no unit in version 1 have one.
#[test]
fn keys_of_places_and_times_end_in_their_unit() {
    for (value, with, without) in [
        (json(&links()), "from_m to_m at_m", "from to place"),
        (json(&inflows()), "at_m", "point"),
        (json(&events()), "at_ticks began_ticks", "at began"),
    ] {
        let found = keys(&value);
        assert!(with.split(' ').all(|key| found.contains(key)), "{with}: {found:?}");
        assert!(!without.split(' ').any(|key| found.contains(key)), "{without}: {found:?}");
    }
}

/// Goal: watches and events that a game saved with version 1 are read.
#[test]
fn watches_and_events_of_version_1_are_read() {
    for (text, watch) in watches() {
        check_read(text, &watch);
    }
    for (text, what) in changes() {
        check_read(text, &what);
        let text = format!(r#"{{"watch":3,"at":25165824,"what":{text}}}"#);
        check_read(&text, &event(what));
    }
}

/// Goal: a checkpoint without a version is one of version 1; one of a later version is refused.
#[test]
fn a_checkpoint_without_a_version_is_read() {
    let checkpoint = checkpoint();
    let new = json(&checkpoint);
    assert_eq!(new["version"], 2);
    let mut old = new.clone();
    old.as_object_mut().expect("an object").remove("version").expect("its version");
    let read: Checkpoint = serde_json::from_value(old).expect("version 1 is read");
    assert_eq!(read, checkpoint);
    assert_eq!(json(&read), new);

    let mut later = new;
    later["version"] = 3.into();
    let line = serde_json::from_value::<Checkpoint>(later).expect_err("version 3").to_string();
    assert!(line.contains("version 3"), "{line}");
}

/// The set-up of a world in the spelling of version 1.
fn older(setup: &str) -> String {
    let swap = |text: String, new: &str, old: &str| {
        let [new, old] = [new, old].map(|key| format!("\"{key}\":"));
        assert!(text.contains(&new), "{new} in {text}");
        text.replace(&new, &old)
    };
    let (before, barriers) = setup.split_once(r#""barriers":"#).expect("barriers come last");
    let mut before = before.to_owned();
    for (new, old) in [("from_m", "from"), ("to_m", "to"), ("at_m", "place")] {
        before = swap(before, new, old);
    }
    let mut barriers = barriers.to_owned();
    let fields = ["path_m", "crest_m", "weir_coefficient", "sill_m", "at_m", "along_m"];
    for new in fields.into_iter().chain(["width_m", "bottom_m", "stage_m"]) {
        barriers = swap(barriers, new, &new.replace('_', "-"));
    }
    format!("{before}\"barriers\":{barriers}")
}

/// Goal: a world file with barriers and links in the spelling of version 1 opens as the world that
/// it was, and is saved in that of version 2.
#[test]
fn a_world_file_of_version_1_opens() {
    let world = walled();
    let (mut file, _) = with_setup(&world, older);
    let opened = file.load(Vec::new()).expect("the older spelling is read");
    assert_eq!(opened.state_hash(), world.state_hash());
    assert_eq!(opened.structures().barriers(), world.structures().barriers());
    assert!(opened.structures().links().eq(world.structures().links()));
    let (_, saved) = with_setup(&opened, str::to_owned);
    let (_, own) = with_setup(&world, str::to_owned);
    assert_eq!(saved, own);
}

/// Blocks of JSON on a page of the guide.
fn blocks(page: &str) -> Vec<&str> {
    let after = page.split("```json\n").skip(1);
    after.filter_map(|rest| rest.split("```").next()).collect()
}

/// Goal: JSON in the guide is what a program writes.
#[test]
fn the_json_of_the_guide_is_true() {
    let [log] = blocks(include_str!("../../src/guide/games.md"))[..] else {
        panic!("one block of commands")
    };
    let mut text = Vec::new();
    CommandLog::read(log.as_bytes()).expect("a log").write(&mut text).expect("in memory");
    assert_eq!(String::from_utf8_lossy(&text), log);

    let [block] = blocks(include_str!("../../src/guide/events.md"))[..] else {
        panic!("one block of a watch and an event")
    };
    let [watch, event] = block.lines().collect::<Vec<_>>()[..] else { panic!("{block}") };
    let read: Watch = serde_json::from_str(watch).expect("a watch");
    assert_eq!(serde_json::to_string(&read).expect("text"), watch);
    let read: Event = serde_json::from_str(event).expect("an event");
    assert_eq!(serde_json::to_string(&read).expect("text"), event);
}
