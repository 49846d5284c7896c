//! The way back of actions: exact before the next cycle, and what is left of it later.

#![expect(clippy::float_cmp, reason = "the same numbers, or whole ones")]

use crate::actions::{check_sound, disc, hills, mixed};
use crate::support::{
    TempFile, check_books, cycle, in_memory, pipe, report, seconds, stages, terrain, two_basins,
};
use thalweg::criteria::{Criterion, Observer, ObserverOptions, Scale};
use thalweg::terrain::{Edit, Shape, Terrain};
use thalweg::world::{
    Action, Amount, Barrier, Breach, ColumnKind, Discharge, Done, Gap, Inflow, InflowPlace,
    Opening, SaveFile, Trigger, Undo, World, WorldBuilder,
};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

fn spring(place: InflowPlace) -> Inflow {
    Inflow {
        name: "spring".to_owned(),
        place,
        discharge: Discharge::Constant(3.0),
        tracers: vec![("dye".to_owned(), 0.75)],
    }
}

fn wall(crest_m: f64) -> Barrier {
    Barrier::wall("wall", vec![[100.0, 60.0], [150.0, 130.0], [130.0, 170.0]], crest_m)
}

/// One action of each kind.
fn actions() -> Vec<Action> {
    let area = Shape::Disc { centre_m: [128.0, 128.0], radius_m: 40.0, rim_m: 15.0 };
    let square = Shape::Polygon { corners_m: vec![[60.0, 60.0], [190.0, 80.0], [120.0, 200.0]] };
    vec![
        Action::AddWater { area: area.clone(), amount: Amount::VolumeM3(2000.0) },
        Action::RemoveWater { area: square.clone(), amount: Amount::DepthM(0.4) },
        Action::PushWater { area: square.clone(), by_m_s: [2.0, -3.0] },
        Action::ColourWater { area: square.clone(), tracer: "dye".to_owned(), concentration: 0.9 },
        Action::EditTerrain(Edit::Raise { shape: area.clone(), by_m: 2.5 }),
        Action::EditTerrain(Edit::Flatten { shape: square, to_m: 1.0 }),
        Action::PutBarrier(wall(3.0)),
        Action::PutBarrier(Barrier {
            gap: Some(Gap { sill_m: None, opening: Opening::Fixed(0.3) }),
            ..wall(2.0)
        }),
        Action::RemoveBarrier { name: "wall".to_owned() },
        Action::PutInflow(spring(InflowPlace::Area(area))),
        Action::PutInflow(spring(InflowPlace::Point([100.0, 100.0]))),
        Action::RemoveInflow { name: "spring".to_owned() },
    ]
}

/// A world in which all accounts of these actions are open.
fn opened(mut world: World) -> World {
    let inflow = Action::PutInflow(spring(InflowPlace::Point([100.0, 100.0])));
    let undo = world.edits().act(inflow).expect("good").undo;
    world.edits().undo(undo).expect("good");
    let area = disc([128.0, 128.0], 9.0);
    let add = Action::AddWater { area, amount: Amount::DepthM(0.1) };
    world.edits().act(add).expect("good");
    (0..3).for_each(|_| cycle(&mut world));
    world
}

/// Goal: before the next cycle every undo leaves the world as it was, to the state hash, one after
/// the other backwards; and forwards again; in flat and sub-grid columns, on one level and two.
#[test]
fn an_undo_before_the_next_cycle_is_exact() {
    let worlds = [
        mixed(Solver::ShallowWater),
        hills(Solver::Pipe, ColumnKind::Flat),
        hills(Solver::ShallowWater, ColumnKind::SubGrid),
    ];
    for world in worlds {
        let mut world = opened(world);
        let mut hashes = vec![world.state_hash()];
        let mut undos: Vec<Undo> = Vec::new();
        for action in actions() {
            undos.push(world.edits().act(action.clone()).expect("good").undo);
            check_sound(&world);
            hashes.push(world.state_hash());
            assert_ne!(hashes[undos.len()], hashes[undos.len() - 1], "{action:?}");
        }
        let mut redos = Vec::new();
        for (number, undo) in undos.into_iter().enumerate().rev() {
            redos.push(world.edits().undo(undo).expect("good").undo);
            assert_eq!(world.state_hash(), hashes[number], "{:?}", actions()[number]);
            check_sound(&world);
        }
        for (number, redo) in redos.into_iter().rev().enumerate() {
            world.edits().undo(redo).expect("good");
            assert_eq!(world.state_hash(), hashes[number + 1], "{:?}", actions()[number]);
        }
        (0..3).for_each(|_| cycle(&mut world));
        check_sound(&world);
    }
}

/// Goal: later, in any order, an undo moves what is there, tells the rest, and costs no unit.
#[test]
fn an_undo_later_tells_what_is_missing() {
    for world in [mixed(Solver::ShallowWater), hills(Solver::Pipe, ColumnKind::SubGrid)] {
        let mut world = opened(world);
        let mut done: Vec<Done> = Vec::new();
        for action in actions() {
            done.push(world.edits().act(action).expect("good"));
            cycle(&mut world);
        }
        // Structures one after the other backwards, as they take each other's place.
        let order = [11, 10, 9, 8, 7, 6, 0, 5, 2, 4, 3, 1];
        let mut again = Vec::new();
        let mut slots: Vec<Option<Done>> = done.into_iter().map(Some).collect();
        for number in order {
            let first = slots[number].take().expect("each once");
            let asked = first.moved_m3;
            let stored = world.water().stored();
            let back = world.edits().undo(first.undo).expect("good");
            check_sound(&world);
            let moved_m3 = (world.water().stored() - stored) as f64 * world.water().unit_m3();
            if number < 2 {
                assert_eq!(back.moved_m3, moved_m3);
                let sum = back.moved_m3.abs() + back.unmet_m3;
                assert!((sum - asked.abs()).abs() < 1e-6, "{number}: {back:?}");
            } else {
                assert_eq!(moved_m3, 0.0, "{number}");
            }
            cycle(&mut world);
            again.push(back);
        }
        assert_eq!(
            (world.structures().barriers().len(), world.structures().inflows().count()),
            (0, 0)
        );
        for back in again.into_iter().rev() {
            world.edits().undo(back.undo).expect("good");
            check_sound(&world);
            cycle(&mut world);
        }
        assert_eq!(
            (world.structures().barriers().len(), world.structures().inflows().count()),
            (0, 0)
        );
    }
}

/// Goal: beds come back exactly, those of sub-grid columns too, however long after.
#[test]
fn beds_come_back_exactly() {
    for columns in [ColumnKind::Flat, ColumnKind::SubGrid] {
        let mut world = hills(Solver::ShallowWater, columns);
        cycle(&mut world);
        let before = world.terrain().expect("in memory").clone();
        let grounds = world.simulation().leaves().grounds.clone();
        let area = Shape::Disc { centre_m: [128.0, 128.0], radius_m: 50.0, rim_m: 50.0 };
        let raise = Action::EditTerrain(Edit::Raise { shape: area, by_m: 1.75 });
        let undo = world.edits().act(raise).expect("good").undo;
        assert!(*world.terrain().expect("in memory") != before);
        (0..5).for_each(|_| cycle(&mut world));
        world.edits().undo(undo).expect("good");
        assert!(*world.terrain().expect("in memory") == before);
        for (leaf, ground) in world.simulation().forest().ids().zip(&grounds) {
            assert_eq!(world.simulation().ground(leaf).bed, ground.bed);
        }
        cycle(&mut world);
        check_sound(&world);
    }
}

/// Goal: a barrier comes back in its order, with its breach as far as it was; a link under its
/// number, with what flows in it.
#[test]
fn structures_come_back_as_they_stood() {
    let breach = Breach {
        along_m: 25.0,
        trigger: Trigger::Time(2.0),
        width_m: vec![(0.0, 5.0), (100.0, 30.0)],
        bottom_m: vec![(0.0, 3.0), (100.0, 0.5)],
    };
    let line = |x| vec![[x, 0.0], [x, 50.0]];
    let levee = Barrier { breach: Some(breach), ..Barrier::wall("levee", line(50.0), 6.0) };
    let mut world = two_basins()
        .initial_stage(stages(10, 4.0, 1.5))
        .barrier(levee)
        .barrier(Barrier::wall("other", line(150.0), 6.0))
        .link(pipe(1.0))
        .build()
        .expect("good");
    while world.time() < seconds(20.0) {
        cycle(&mut world);
    }
    let state = |world: &World| {
        (world.structures().barrier_flow("levee").expect("it stands"), report(world))
    };
    let name = pipe(1.0).name;
    let unlink = || Action::RemoveLink { name: name.clone() };
    let (before, hash) = (state(&world), world.state_hash());
    assert_eq!(before.0.breached_s, Some(2.0));
    assert!(before.0.head_m().expect("wet") > 0.5);
    let gone =
        world.edits().act(Action::RemoveBarrier { name: "levee".to_owned() }).expect("good").undo;
    let unlinked = world.edits().act(unlink()).expect("good").undo;
    assert_eq!((world.structures().barriers().len(), world.structures().links().count()), (1, 0));
    world.edits().undo(gone).expect("good");
    world.edits().undo(unlinked).expect("good");
    assert_eq!(world.structures().barriers()[0].name, "levee");
    assert_eq!(state(&world), before);
    // Another in its place, and back.
    let there = world.state_hash();
    let changed = world.edits().act(Action::PutLink(pipe(0.5).into())).expect("good").undo;
    assert!(world.structures().links().eq([&pipe(0.5).into()]) && world.state_hash() != there);
    world.edits().undo(changed).expect("good");
    assert_eq!((state(&world), world.state_hash()), (before, there));
    // Undone in the order in which they were done: what they did not touch is as it was, but those
    // beside the levee are awake.
    let gone =
        world.edits().act(Action::RemoveBarrier { name: "levee".to_owned() }).expect("good").undo;
    let whole = world.state_hash();
    cycle(&mut world);
    world.edits().undo(gone).expect("good");
    assert_eq!(world.structures().barrier_flow("levee").expect("it stands").breached_s, Some(2.0));
    assert!(whole != hash);
    cycle(&mut world);
    check_books(&world);
    // A link whose name another took meanwhile stays away.
    let unlinked = world.edits().act(unlink()).expect("good").undo;
    let other = world.edits().act(Action::PutLink(pipe(0.5).into())).expect("good");
    let before = world.state_hash();
    let said = world.edits().undo(unlinked.clone()).expect_err("its name").to_string();
    assert!(said.contains("name"), "{said}");
    assert_eq!(world.state_hash(), before);
    world.edits().undo(other.undo).expect("good");
    world.edits().undo(unlinked).expect("good");
    assert!(world.structures().links().eq([&pipe(1.0).into()]));
}

/// Goal: an inflow that was put while the world ran is saved with it, hashed, and goes on; taken
/// away, its account stays.
#[test]
fn an_inflow_is_put_saved_and_taken_away() {
    let path = TempFile::new("actions");
    let mut world = mixed(Solver::ShallowWater);
    cycle(&mut world);
    let hydrograph = Discharge::Series(vec![(0.0, 2.0), (30.0, 20.0), (60.0, 0.0)]);
    let place = InflowPlace::Area(disc([420.0, 120.0], 12.0));
    let river = Inflow { discharge: hydrograph, ..spring(place) };
    world.edits().act(Action::PutInflow(river)).expect("good");
    let well = Inflow { name: "well".to_owned(), ..spring(InflowPlace::Point([77.0, 88.0])) };
    let start = world.time();
    world.edits().act(Action::PutInflow(well)).expect("good");
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    let mut gone = None;
    for round in 0..40 {
        let mut copy = file.load(Vec::new()).expect("a good file");
        assert_eq!(copy.state_hash(), world.state_hash(), "{round}");
        for world in [&mut world, &mut copy] {
            if round == 20 {
                gone = Some(world.edits().act(Action::RemoveInflow { name: "well".to_owned() }));
            }
            cycle(world);
        }
        assert_eq!(copy.state_hash(), world.state_hash(), "{round}");
        check_sound(&copy);
        file.save(&world).expect("saved");
        if round == 19 {
            let ran_s = world.time().seconds() - start.seconds();
            let well = crate::support::moved(&world, "well").0;
            assert!((well - 3.0 * ran_s).abs() < 1e-3, "{well} in {ran_s} s");
        }
    }
    let (well, out) = crate::support::moved(&world, "well");
    cycle(&mut world);
    assert_eq!(crate::support::moved(&world, "well"), (well, out));
    let other = gone.expect("it was taken away").expect("good").undo;
    let said = world.edits().undo(other).expect_err("of the copy").to_string();
    assert!(said.contains("another world"), "{said}");
    assert_eq!(world.structures().inflows().collect::<Vec<_>>(), ["spring"]);
}

/// Goal: leaves may change between an action and its undo.
#[test]
fn leaves_may_change_in_between() {
    use thalweg::world::{AdaptiveOptions, WorldBuilder};
    let ground = || {
        crate::support::terrain(256, 256, 2.0, |x, y| {
            0.01 * (x as f64 - 128.0).abs() + 0.01 * (y as f64 - 100.0).abs()
        })
    };
    let builder = WorldBuilder::new(ground()).initial_stage(|_| 0.8);
    let builder = builder.tracer("dye", |place| if place.x < 100 { 1.0 } else { 0.0 });
    let observer = |at: [f64; 2], scale: &Scale| -> Box<dyn Criterion> {
        let options = ObserverOptions {
            position_m: at,
            radii_m: vec![(0, 60.0), (1, 150.0)],
            velocity_m_s: [0.0; 2],
            look_ahead_s: 0.0,
            priority: 1.0,
        };
        Box::new(Observer::try_new(&options, scale).expect("good"))
    };
    let scale = builder.extent(2).expect("a level it has");
    let criteria = vec![observer([100.0, 100.0], &scale)];
    let options = AdaptiveOptions {
        coarsest: 2,
        min_age_cycles: 1,
        interval_cycles: 1,
        criteria,
        ..AdaptiveOptions::default()
    };
    let mut world = builder.columns(ColumnKind::Flat).adaptive(options).build().expect("good");
    (0..6).for_each(|_| cycle(&mut world));
    let area = disc([240.0, 220.0], 70.0);
    let mut undos = Vec::new();
    for (round, at) in
        [[250.0, 250.0], [450.0, 80.0], [240.0, 200.0], [20.0, 20.0]].into_iter().enumerate()
    {
        let area = area.clone();
        let action = match round {
            0 => Action::AddWater { area, amount: Amount::VolumeM3(3000.0) },
            1 => Action::RemoveWater { area, amount: Amount::DepthM(0.2) },
            2 => Action::ColourWater { area, tracer: "dye".to_owned(), concentration: 0.5 },
            _ => Action::AddWater { area, amount: Amount::DepthM(0.3) },
        };
        undos.push(world.edits().act(action).expect("good"));
        *world.criteria_mut().expect("they change") = vec![observer(at, &scale)];
        let before = world.simulation().forest().leaves().to_vec();
        (0..6).for_each(|_| cycle(&mut world));
        assert_ne!(world.simulation().forest().leaves(), before, "{round}");
        check_sound(&world);
    }
    for done in undos.into_iter().rev() {
        let back = world.edits().undo(done.undo).expect("good");
        assert!(back.moved_m3 != 0.0, "{back:?}");
        check_sound(&world);
        (0..3).for_each(|_| cycle(&mut world));
    }
    check_sound(&world);
    assert!(world.water().depth_m(CellPlace { x: 120, y: 110 }).is_some());
}

/// Goal: a barrier that was put or removed, and the way back, leave leaves as quiet as they were:
/// a lake that sleeps wakes no more leaves afterwards than it would have.
#[test]
fn a_barrier_that_is_undone_leaves_a_lake_as_quiet_as_it_was() {
    let terrain = Terrain::from_heights([256, 256], 1.0, |_, _| 0.0).expect("a plain");
    let settings = Settings { sleep_after_cycles: 2, ..Settings::default() };
    let lake = WorldBuilder::new(terrain).settings(settings).initial_stage(|_| 2.0);
    let mut world = lake.build().expect("a lake");
    let is_asleep = |world: &World| world.simulation().asleep().iter().all(|asleep| *asleep);
    for action in [Action::PutBarrier(wall(3.0)), Action::RemoveBarrier { name: "wall".to_owned() }]
    {
        while !is_asleep(&world) {
            cycle(&mut world);
        }
        let still = world.state_hash();
        let undo = world.edits().act(action.clone()).expect("good").undo;
        assert_ne!(world.state_hash(), still);
        world.edits().undo(undo).expect("good");
        assert_eq!(world.state_hash(), still, "{action:?}");
        world.edits().act(action).expect("good");
        cycle(&mut world);
    }
}

/// Goal: what an act changes in leaves beside the ones it touches is saved, after the act and after
/// its way back: a leaf is no longer idle where a barrier comes, or a bed beside a sub-grid leaf.
#[test]
fn saves_between_an_act_and_its_way_back_hold_the_state() {
    let sub_grid = || {
        let ground = terrain(512, 128, 2.0, |x, y| 0.02 * x as f64 + 0.3 * (0.2 * y as f64).sin());
        let key = |x| TileKey { level: 1, x, y: 0 };
        let builder = WorldBuilder::new(ground).columns(ColumnKind::SubGrid);
        builder.leaves((0..4).map(key).collect()).initial_stage(|_| 3.0).build().expect("good")
    };
    // The ground west of 512 m is that of the second leaf, with a face to the third.
    let low_m = [506.0, 100.0];
    let shape = Shape::Rectangle { low_m, high_m: [511.0, 140.0] };
    let east = Shape::Rectangle { low_m: [513.0, 100.0], high_m: [518.0, 140.0] };
    for action in [
        Action::EditTerrain(Edit::Raise { shape, by_m: 0.5 }),
        Action::EditTerrain(Edit::Raise { shape: east, by_m: 0.5 }),
        Action::PutBarrier(Barrier::wall("wall", vec![[400.0, 60.0], [600.0, 130.0]], 30.0)),
        Action::AddWater { area: disc([511.0, 120.0], 9.0), amount: Amount::DepthM(1.0) },
    ] {
        let mut world = sub_grid();
        (0..3).for_each(|_| cycle(&mut world));
        let mut file = in_memory(&world);
        let mut check = |world: &World, when: &str| {
            file.save(world).expect("saved");
            let copy = file.load(Vec::new()).expect("a good file");
            assert_eq!(copy.state_hash(), world.state_hash(), "{when}: {action:?}");
        };
        check(&world, "before");
        let done = world.edits().act(action.clone()).expect("a good action");
        check(&world, "done");
        let back = world.edits().undo(done.undo).expect("the same scene");
        check(&world, "undone");
        world.edits().undo(back.undo).expect("the same scene");
        check(&world, "done again");
    }
}

/// Pours all over a map of so many cells a side, each with its undo kept: bytes of all after each.
fn pours(cells: usize, count: usize, rim_m: f64) -> (World, Vec<Undo>, Vec<usize>) {
    let side_m = 2.0 * cells as f64;
    let ground = terrain(cells, cells, 2.0, |x, y| (x + y) as f64 * 0.001);
    let mut world = WorldBuilder::new(ground).build().expect("a good world");
    let area = match rim_m > 0.0 {
        true => Shape::disc([0.5 * side_m; 2], side_m, rim_m),
        false => Shape::rectangle([0.0; 2], [side_m; 2]),
    };
    let (mut undos, mut bytes) = (Vec::new(), Vec::new());
    for _ in 0..count {
        let pour = Action::AddWater { area: area.clone(), amount: Amount::DepthM(0.001) };
        undos.push(world.edits().act(pour).expect("good").undo);
        bytes.push(world.edits().ways_back_bytes());
    }
    (world, undos, bytes)
}

/// Goal: ways back count for few bytes: twenty a leaf of an even pour, four a cell of an uneven
/// one; those over the limit go, the oldest first, and are refused by name. Method: pours over 256²
/// cells; `THALWEG_POURS` asks for so many over 2048².
#[test]
fn old_ways_back_go_first() {
    let asked = std::env::var("THALWEG_POURS").ok().and_then(|asked| asked.parse().ok());
    let (cells, count) = asked.map_or((256, 12), |count: usize| (2048, count));
    let leaves = cells * cells / 4096;
    let (world, undos, bytes) = pours(cells, count, 0.0);
    let last = bytes.last().expect("some pours");
    assert!(*last <= count * (200 + 20 * leaves), "{last} bytes of {count} even pours");
    println!("{count} even pours over {cells}² cells: {last} bytes of ways back");
    assert_eq!(undos.len(), count);
    drop((world, undos));

    let (mut world, undos, bytes) = pours(256, 12, 100.0);
    assert!(bytes[0] < 4 * 65_536, "{} bytes of an uneven pour", bytes[0]);
    // Three and a half of them have room.
    world.edits().set_ways_back_bytes(bytes[0] * 7 / 2);
    let kept = world.edits().ways_back_bytes();
    assert!((bytes[0] * 5 / 2..=bytes[0] * 7 / 2).contains(&kept), "{kept} of {bytes:?}");
    let stored = world.water().stored();
    for (number, undo) in undos.into_iter().enumerate() {
        let back = world.edits().undo(undo);
        match back {
            Ok(_) => assert!(number >= 9, "{number} is older than the last three"),
            Err(refused) => {
                let said = refused.to_string();
                assert!(number < 9 && said.contains("was let go of"), "{number}: {said}");
            }
        }
        check_sound(&world);
    }
    assert!(world.water().stored() < stored);
    // One that takes more than all may is kept, and nobody else.
    world.edits().set_ways_back_bytes(1);
    let area = disc([200.0, 200.0], 90.0);
    let pour = Action::AddWater { area, amount: Amount::DepthM(0.5) };
    let before = world.state_hash();
    let undo = world.edits().act(pour).expect("good").undo;
    world.edits().undo(undo).expect("the last way back is kept");
    assert_eq!(world.state_hash(), before);
}

/// Goal: lists have an end, and a list that is too long changes nothing.
#[test]
fn long_lists_are_refused() {
    let mut world = mixed(Solver::ShallowWater);
    let before = world.state_hash();
    let wind = |i: u32| Action::ChangeWind { wind_m_s: [0.001 * f64::from(i % 7), 0.0] };
    let said = world.edits().act_all((0..65_537).map(wind)).expect_err("too many").to_string();
    assert!(said.contains("more than 65536 actions"), "{said}");
    assert_eq!(world.state_hash(), before);
}
