//! Actions that cannot be are refused in one line that says how to mend them, and change nothing.

use crate::actions::{disc, hills, mixed};
use crate::support::{cycle, pipe, terrain};
use thalweg::terrain::{Edit, Shape};
use thalweg::world::{
    Action, Amount, Barrier, CellPlace, ColumnKind, Direction, Discharge, Inflow, InflowPlace,
    Rate, Weather, WorldBuilder,
};
use thalweg_engine::sim::Solver;

const NAN: f64 = f64::NAN;

fn water() -> Vec<(Action, [&'static str; 2])> {
    let area = || disc([128.0, 128.0], 20.0);
    let add = |area, amount| Action::AddWater { area, amount };
    let take = |area, amount| Action::RemoveWater { area, amount };
    let deep = Amount::DepthM(1.0);
    let push = |by_m_s| Action::PushWater { area: area(), by_m_s };
    let colour = |tracer: &str, concentration| Action::ColourWater {
        area: area(),
        tracer: tracer.to_owned(),
        concentration,
    };
    let bow = vec![[0.0, 0.0], [50.0, 50.0], [50.0, 0.0], [0.0, 50.0]];
    vec![
        (add(area(), Amount::DepthM(NAN)), ["depth of the water, m, is NaN", "from 0 to"]),
        (add(area(), Amount::DepthM(-1.0)), ["depth of the water, m, is -1", "give a number"]),
        (add(area(), Amount::DepthM(1.0e9)), ["is 1000000000", "from 0 to 10"]),
        (add(area(), Amount::VolumeM3(f64::INFINITY)), ["the volume of the water", "inf"]),
        (add(area(), Amount::StageM(NAN)), ["the stage of the water", "NaN"]),
        (take(area(), Amount::VolumeM3(-5.0)), ["the volume of the water, m³, is -5", "from 0"]),
        (take(area(), Amount::StageM(5.0e5)), ["the stage of the water", "500000"]),
        (add(disc([NAN, 0.0], 5.0), deep), ["coordinate of the disc's centre is NaN", "give"]),
        (add(disc([9.0, 9.0], -5.0), deep), ["the radius of the disc is -5", "from 0"]),
        (add(disc([-90.0, 9.0], 5.0), deep), ["lies outside the world", "count from there"]),
        (add(disc([10.0, 10.0], 0.1), deep), ["the centre of no cell", "make it wider"]),
        (take(Shape::Polygon { corners_m: bow }, deep), ["corners 0 and 2", "meet"]),
        (push([NAN, 0.0]), ["the velocity of the push, m/s, is NaN", "from -50 to 50"]),
        (push([0.0, 51.0]), ["the velocity of the push, m/s, is 51", "from -50 to 50"]),
        (colour("ink", 0.5), ["there is no tracer \"ink\"", "choose one of: dye"]),
        (colour("dye", 1.5), ["the concentration is 1.5", "from 0 to 1"]),
        (colour("dye", NAN), ["the concentration is NaN", "from 0 to 1"]),
    ]
}

fn structures() -> Vec<(Action, [&'static str; 2])> {
    let area = || disc([128.0, 128.0], 20.0);
    let line = vec![[10.0, 10.0], [NAN, 50.0]];
    let well = || Inflow {
        name: "well".to_owned(),
        place: InflowPlace::Area(area()),
        discharge: Discharge::Constant(1.0),
        tracers: Vec::new(),
    };
    let put = Action::PutInflow;
    let weather = |layer: &str, area, rate| {
        let rates = vec![Rate::Constant(rate)];
        Action::ChangeWeather(Weather { layer: layer.to_owned(), area, rates })
    };
    let named = |name: &str| put(Inflow { name: name.to_owned(), ..well() });
    let rate = |discharge| put(Inflow { discharge, ..well() });
    let series = |points: &[(f64, f64)]| rate(Discharge::Series(points.to_vec()));
    let brings = |name: &str, c| put(Inflow { tracers: vec![(name.to_owned(), c)], ..well() });
    let at = |place| put(Inflow { place, ..well() });
    vec![
        (Action::EditTerrain(Edit::Raise { shape: area(), by_m: NAN }), ["raise or lower", "NaN"]),
        (Action::PutBarrier(Barrier::wall("wall", line, 3.0)), ["wall: ", "NaN"]),
        (Action::RemoveBarrier { name: "no".to_owned() }, ["no: ", "there is no barrier at all"]),
        (Action::PutLink(pipe(-1.0).into()), ["its diameter is -1", "0.001 to 100 m"]),
        (Action::RemoveLink { name: "no".to_owned() }, ["no: ", "there is no link at all"]),
        (Action::RemoveInflow { name: "no".to_owned() }, ["no: ", "there is no inflow at all"]),
        (named(""), ["has no name", "give it one"]),
        (named("by hand"), ["by hand: ", "choose another name"]),
        (rate(Discharge::Constant(-1.0)), ["well: the value of point 1 is negative", "number"]),
        (rate(Discharge::Constant(NAN)), ["well: the value of point 1", "no number"]),
        (series(&[]), ["well: the series has no points", "give at least one"]),
        (series(&[(5.0, 1.0), (5.0, 2.0)]), ["well: point 2 is not later", "sort"]),
        (series(&[(-5.0, 1.0), (5.0, 2.0)]), ["a time of the inflow, s from now, is -5", "from 0"]),
        (series(&[(NAN, 1.0), (5.0, 2.0)]), ["a time of the inflow", "NaN"]),
        (brings("ink", 0.5), ["there is no tracer \"ink\"", "dye"]),
        (brings("dye", -0.5), ["dye: the concentration in well is -0.5", "0 to 1"]),
        (weather("no", None, 1.0e-5), ["no: ", "there is no weather layer at all"]),
        (at(InflowPlace::Point([-5.0, 3.0])), ["no ground of the world", "move it"]),
        (at(InflowPlace::Point([NAN, 3.0])), ["no ground of the world", "move it"]),
        (at(InflowPlace::Area(disc([-90.0, 0.0], 3.0))), ["lies outside the world", "count"]),
    ]
}

/// Goal: before and between other actions; a world that refused goes on as if nothing had been
/// asked.
#[test]
fn bad_actions_are_refused_and_change_nothing() {
    for mut world in [mixed(Solver::Pipe), hills(Solver::ShallowWater, ColumnKind::SubGrid)] {
        cycle(&mut world);
        let good =
            Action::AddWater { area: disc([128.0, 128.0], 9.0), amount: Amount::DepthM(1.0) };
        let undo = world.edits().act(good).expect("good").undo;
        let before = world.state_hash();
        let accounts = world.water().ledger().accounts().len();
        for (action, words) in water().into_iter().chain(structures()) {
            let said = world.edits().act(action).expect_err("a bad action").to_string();
            assert!(words.iter().all(|word| said.contains(word)), "{said}");
            assert_eq!(world.state_hash(), before, "{said}");
        }
        assert_eq!(world.water().ledger().accounts().len(), accounts);
        assert_eq!(world.structures().inflows().count() + world.structures().links().count(), 0);
        world.edits().undo(undo).expect("good");
    }
}

/// Goal: holes are no ground, and an undo of another world is refused.
#[test]
fn holes_and_other_worlds_are_refused() {
    let ground = || terrain(40, 40, 2.0, |x, _| if x > 20 { NAN } else { 0.0 });
    let build = || WorldBuilder::new(ground()).build().expect("a good world");
    let (mut world, mut other) = (build(), build());
    let add =
        |centre_m| Action::AddWater { area: disc(centre_m, 5.0), amount: Amount::DepthM(1.0) };
    let said = world.edits().act(add([60.0, 40.0])).expect_err("a hole").to_string();
    assert!(said.contains("no ground of the world"), "{said}");
    // Half of a disc over the rim of the hole goes where there is ground.
    let done = world.edits().act(add([42.0, 40.0])).expect("good");
    assert_eq!((done.cells, done.moved_m3, done.unmet_m3), (8, 32.0, 0.0));
    let before = other.state_hash();
    let said = other.edits().undo(done.undo.clone()).expect_err("another world").to_string();
    assert!(said.contains("another world"), "{said}");
    assert_eq!(other.state_hash(), before);
    world.edits().undo(done.undo).expect("its own");
    assert_eq!(world.water().stored(), 0);
}

/// Goal: weather that cannot be is refused, and a layer with classes keeps them.
#[test]
fn weather_that_cannot_be_changes_nothing() {
    let ground = terrain(64, 64, 2.0, |x, _| 0.01 * x as f64);
    let east = |place: CellPlace| u16::from(place.x >= 32);
    let none = vec![(0.0, 0.0)];
    let builder = WorldBuilder::new(ground).rain("rain", &none).expect("a good rate");
    let by_class = [none.clone(), none];
    let mut world = builder
        .layer_classes("sun", Direction::Out, &by_class, east)
        .and_then(WorldBuilder::build)
        .expect("a good world");
    let before = world.state_hash();
    let disc = |radius_m| Some(Shape::Disc { centre_m: [64.0; 2], radius_m, rim_m: 0.0 });
    let one = |rate| vec![Rate::Constant(rate)];
    let series = |points: &[(f64, f64)]| vec![Rate::Series(points.to_vec())];
    let rim = Some(Shape::Disc { centre_m: [64.0; 2], radius_m: 10.0, rim_m: 15.0 });
    for (layer, area, rates, words) in [
        ("rain", rim, one(0.0), ["the rim of the disc is 15", "from 0"]),
        ("no", None, one(0.0), ["no: there is no such weather layer", "rain, sun"]),
        ("rain", None, vec![], ["rain: it has 1 classes of cells, not 0", "a rate for each"]),
        ("sun", None, one(0.0), ["sun: it has 2 classes of cells, not 1", "a rate for each"]),
        (
            "sun",
            disc(9.0),
            [one(0.0), one(0.0)].concat(),
            ["sun: its cells have classes", "no area"],
        ),
        ("rain", disc(NAN), one(0.0), ["the radius of the disc is NaN", "from 0"]),
        ("rain", disc(0.1), one(0.0), ["the centre of no cell", "make it wider"]),
        ("rain", None, one(NAN), ["rain: the value of point 1 is negative", "no number"]),
        ("rain", None, one(-1.0e-6), ["rain: the value of point 1 is negative", "no number"]),
        ("rain", None, one(f64::INFINITY), ["rain: the value of point 1", "too large"]),
        ("rain", None, series(&[]), ["rain: the series has no points", "give at least one"]),
        ("rain", None, series(&[(-1.0, 0.0)]), ["a time of the rate, s from now, is -1", "from 0"]),
        ("rain", None, series(&[(2.0, 0.0), (1.0, 0.0)]), ["rain: point 2 is not later", "sort"]),
    ] {
        let weather = Weather { layer: layer.to_owned(), area, rates };
        let error = world.edits().act(Action::ChangeWeather(weather)).expect_err("it cannot be");
        let text = error.to_string();
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
        assert_eq!(world.state_hash(), before, "{text}");
    }
}
