//! Actions: what a player does to a running world, and that it costs not a unit.

#![expect(clippy::float_cmp, reason = "the same numbers, or whole ones")]

use crate::support::{
    check_books, cycle, depth, moved, on_threads, seconds, stages, terrain, two_basins,
};
use thalweg::check::violations;
use thalweg::terrain::{Edit, Shape};
use thalweg::world::{
    Action, ActionError, Amount, BY_HAND, Barrier, ColumnKind, EdgeKind, World, WorldBuilder,
};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::{Settings, Solver};

pub fn disc(centre_m: [f64; 2], radius_m: f64) -> Shape {
    Shape::Disc { centre_m, radius_m, rim_m: 0.0 }
}

/// 128 × 128 cells of 2 m over hills, with a lake, in leaves of three levels; half of the lake is
/// dyed.
pub fn hills(solver: Solver, columns: ColumnKind) -> World {
    let ground = terrain(128, 128, 2.0, |x, y| {
        let (x, y) = (x as f64 - 70.0, y as f64 - 60.0);
        0.002 * (x * x + y * y) + 0.5 * (0.7 * x).sin() * (0.3 * y).cos()
    });
    let key = |level, x, y| TileKey { level, x, y };
    let leaves = match columns {
        ColumnKind::Flat => vec![key(0, 0, 0), key(0, 0, 1), key(0, 1, 0), key(0, 1, 1)],
        ColumnKind::SubGrid => vec![key(1, 0, 0)],
    };
    WorldBuilder::new(ground)
        .columns(columns)
        .leaves(leaves)
        .solver(solver)
        .initial_stage(|_| 3.0)
        .tracer("dye", |place| if place.x < 64 { 0.5 } else { 0.0 })
        .build()
        .expect("a good world")
}

/// 256 × 128 cells of 2 m of a slope with a lake at its foot: fine leaves in the west, a coarse one
/// in the east.
pub fn mixed(solver: Solver) -> World {
    let ground = terrain(256, 128, 2.0, |x, y| {
        0.02 * (x as f64 - 140.0).abs() + 0.3 * (0.2 * x as f64).sin() * (0.3 * y as f64).cos()
    });
    let key = |level, x, y| TileKey { level, x, y };
    let mut leaves: Vec<TileKey> =
        (0..2).flat_map(|y| (0..2).map(move |x| TileKey { level: 0, x, y })).collect();
    leaves.push(key(1, 1, 0));
    WorldBuilder::new(ground)
        .leaves(leaves)
        .solver(solver)
        .edges(EdgeKind::Open)
        .initial_stage(|_| 1.5)
        .tracer("dye", |place| if place.y < 64 { 1.0 } else { 0.25 })
        .build()
        .expect("a good world")
}

#[track_caller]
pub fn check_sound(world: &World) {
    let found = violations(world);
    assert!(found.is_empty(), "{found:?}");
}

/// Goal: every amount, added and removed, over fine and coarse leaves, flat and sub-grid columns,
/// is booked to the unit, and as much as was asked for but for what does not fit.
#[test]
fn water_comes_and_goes_by_hand() {
    let worlds = [
        mixed(Solver::ShallowWater),
        mixed(Solver::Pipe),
        hills(Solver::ShallowWater, ColumnKind::Flat),
        hills(Solver::ShallowWater, ColumnKind::SubGrid),
    ];
    for (number, mut world) in worlds.into_iter().enumerate() {
        for _ in 0..3 {
            cycle(&mut world);
        }
        // Over the edge between two levels of the first two.
        let area = Shape::Disc { centre_m: [250.0, 120.0], radius_m: 61.3, rim_m: 20.0 };
        let area = if number < 2 { area } else { disc([130.0, 125.0], 33.0) };
        let mut sum = [0.0; 2];
        for amount in [Amount::VolumeM3(1234.5), Amount::DepthM(0.75), Amount::StageM(4.0)] {
            let stored = world.water().stored();
            let done =
                world.edits().act(Action::AddWater { area: area.clone(), amount }).expect("good");
            let change = (world.water().stored() - stored) as f64 * world.water().unit_m3();
            assert_eq!(done.moved_m3, change);
            assert!(done.moved_m3 > 100.0 && done.unmet_m3.abs() < 1e-3, "{done:?}");
            if amount == Amount::VolumeM3(1234.5) {
                assert!((done.moved_m3 - 1234.5).abs() < 1e-3, "{done:?}");
            }
            sum[0] += change;
            check_sound(&world);
            cycle(&mut world);
        }
        for amount in [Amount::VolumeM3(500.0), Amount::DepthM(0.3), Amount::StageM(1.0)] {
            let stored = world.water().stored();
            let done = world
                .edits()
                .act(Action::RemoveWater { area: area.clone(), amount })
                .expect("good");
            let change = (world.water().stored() - stored) as f64 * world.water().unit_m3();
            assert_eq!(done.moved_m3, change);
            assert!(done.moved_m3 < -100.0, "{number}: {done:?}");
            sum[1] -= change;
            check_sound(&world);
            cycle(&mut world);
        }
        let (into, out) = moved(&world, BY_HAND);
        assert!((into - sum[0]).abs() < 1e-6 && (out - sum[1]).abs() < 1e-6);
        for _ in 0..5 {
            cycle(&mut world);
        }
        check_sound(&world);
    }
}

/// Goal: water that is not there is not taken, and water that does not fit is not added; both are
///             reported.
#[test]
fn what_cannot_be_moved_is_told() {
    let mut world = two_basins().initial_stage(stages(20, 1.0, f64::NAN)).build().expect("good");
    let all = Shape::Rectangle { low_m: [0.0, 0.0], high_m: [200.0, 50.0] };
    let take = |amount| Action::RemoveWater { area: all.clone(), amount };
    let done = world.edits().act(take(Amount::VolumeM3(5000.0))).expect("good");
    // 18 × 10 cells of 25 m² were 1 m deep.
    assert_eq!((done.moved_m3, done.unmet_m3), (-4500.0, 500.0));
    assert_eq!(world.water().stored(), 0);
    let high = f64::from((1 << 30) - 1) * world.scale().unit_m();
    let add = Action::AddWater { area: all.clone(), amount: Amount::DepthM(high) };
    let done = world.edits().act(add).expect("good");
    // The wall has room for 20 m less: 40 cells of 25 m².
    assert_eq!(done.unmet_m3, 20.0 * 40.0 * 25.0);
    check_books(&world);
    check_sound(&world);
}

/// Goal: a push gives the water the velocity given, over both levels of an edge; nothing is clamped
/// by the next cycles, and fixed steps that are too long say so.
#[test]
fn a_push_moves_the_water_and_is_not_clamped() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let flat = terrain(256, 128, 2.0, |_, _| 0.0);
        let mut leaves: Vec<TileKey> =
            (0..2).flat_map(|y| (0..2).map(move |x| TileKey { level: 0, x, y })).collect();
        leaves.push(TileKey { level: 1, x: 1, y: 0 });
        let builder = WorldBuilder::new(flat).leaves(leaves).solver(solver);
        let mut world = builder.initial_stage(|_| 2.0).build().expect("good");
        let before = world.water().stored();
        let area = Shape::Rectangle { low_m: [100.0, 0.0], high_m: [400.0, 256.0] };
        let push = |by_m_s| Action::PushWater { area: area.clone(), by_m_s };
        let done = world.edits().act(push([3.0, -1.0])).expect("good");
        assert_eq!((done.held, done.moved_m3), (0, 0.0));
        let query = world.query();
        for place in [[150.0, 100.0], [256.0, 128.0], [300.0, 60.0]] {
            let [u, v] = query.at(place).expect("a place").expect("inside").velocity_m_s;
            assert!((u - 3.0).abs() < 1e-5 && (v + 1.0).abs() < 1e-5, "{place:?}: {u}, {v}");
        }
        assert_eq!(world.water().stored(), before);
        for _ in 0..5 {
            let report = world.run_cycle(seconds(1.0e4));
            assert_eq!(report.clamped, 0, "{solver:?}");
            assert!(report.courant < 0.9, "{solver:?}: {}", report.courant);
            check_books(&world);
        }
        let u = world.query().at([250.0, 128.0]).expect("a place").expect("wet").velocity_m_s[0];
        assert!(u > 2.0, "{solver:?}: it goes on: {u}");
        // Many pushes come to an end.
        let mut held = 0;
        for _ in 0..3 {
            held = world.edits().act(push([49.0, 0.0])).expect("good").held;
        }
        assert!(held > 1000, "{held}");
        let report = world.run_cycle(seconds(1.0e4));
        assert_eq!(report.clamped, 0, "{solver:?}");
        check_sound(&world);
    }
}

/// Goal: a push through a wall moves nothing over it, and what is drawn from a river makes none of
/// it faster.
#[test]
fn walls_hold_a_push_and_rivers_keep_their_speed() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let wall = Barrier::wall("wall", vec![[102.0, 0.0], [102.0, 128.0]], 9.0);
        let ground = terrain(100, 64, 2.0, |_, _| 0.0);
        let builder = WorldBuilder::new(ground).solver(solver).barrier(wall);
        let mut world = builder.initial_stage(|_| 2.0).build().expect("good");
        let area = Shape::Rectangle { low_m: [0.0, 0.0], high_m: [200.0, 128.0] };
        let cells = |world: &World| -> f64 {
            let places = (0..64).flat_map(|y| (0..51).map(move |x| CellPlace { x, y }));
            places.filter_map(|place| world.water().depth_m(place)).sum()
        };
        let before = cells(&world);
        world
            .edits()
            .act(Action::PushWater { area: area.clone(), by_m_s: [4.0, 0.0] })
            .expect("good");
        assert_eq!(world.structures().barrier_flow("wall").expect("it stands").discharge_m3_s, 0.0);
        let speed = |world: &World, place| {
            let sample = world.query().at(place).expect("a place").expect("inside");
            sample.speed_m_s()
        };
        assert!((speed(&world, [60.0, 60.0]) - 4.0).abs() < 1e-5);
        let take = Action::RemoveWater { area, amount: Amount::DepthM(1.5) };
        let undo = world.edits().act(take).expect("good").undo;
        assert!((speed(&world, [60.0, 60.0]) - 4.0).abs() < 1e-5);
        world.edits().undo(undo).expect("good");
        cycle(&mut world);
        assert_eq!(cells(&world), before, "{solver:?}");
        (0..5).for_each(|_| cycle(&mut world));
        check_sound(&world);
    }
}

/// Goal: a lake that sleeps wakes where it is touched, and what was done spreads.
#[test]
fn a_lake_that_sleeps_wakes() {
    let lake = || {
        let bowl = |x: usize, y: usize| {
            0.05 * ((x as f64 - 100.0).abs().max((y as f64 - 32.0).abs()) - 28.0).max(0.0)
        };
        let settings = Settings { sleep_after_cycles: 2, ..Settings::default() };
        let builder = WorldBuilder::new(terrain(200, 64, 2.0, bowl)).settings(settings);
        let mut world = builder.initial_stage(|_| 2.0).build().expect("good");
        while world.run_cycle(seconds(1.0e5)).awake > 0 {}
        assert!(world.simulation().asleep().iter().all(|&asleep| asleep));
        world
    };
    let area = disc([200.0, 64.0], 10.0);
    let actions = [
        Action::AddWater { area: area.clone(), amount: Amount::DepthM(0.5) },
        Action::RemoveWater { area: area.clone(), amount: Amount::DepthM(0.5) },
        Action::PushWater { area, by_m_s: [0.0, 1.0] },
    ];
    for action in actions {
        let mut world = lake();
        world.edits().act(action.clone()).expect("good");
        let report = world.run_cycle(seconds(1.0e5));
        assert!(report.awake > 0, "{action:?}");
        let far = || CellPlace { x: 90, y: 32 };
        let mut fastest = 0.0_f64;
        for _ in 0..20 {
            cycle(&mut world);
            fastest = fastest.max(world.water().speed_m_s(far()).expect("inside"));
        }
        assert!(fastest > 0.01, "{action:?}: {fastest}");
        check_sound(&world);
    }
}

/// Goal: actions on any number of threads have the same bits.
#[test]
fn actions_have_the_same_bits_on_any_number_of_threads() {
    let run = || {
        let mut world = mixed(Solver::ShallowWater);
        let area = disc([250.0, 120.0], 40.0);
        for round in 0..4 {
            let by_m_s = [1.0, f64::from(round) - 2.0];
            world.edits().act(Action::PushWater { area: area.clone(), by_m_s }).expect("good");
            cycle(&mut world);
            let amount = Amount::VolumeM3(777.0);
            let undo = world.edits().act(Action::AddWater { area: area.clone(), amount });
            cycle(&mut world);
            world.edits().undo(undo.expect("good").undo).expect("good");
            let colour = Action::ColourWater {
                area: area.clone(),
                tracer: "dye".to_owned(),
                concentration: 0.3,
            };
            world.edits().act(colour).expect("good");
            cycle(&mut world);
        }
        world.state_hash()
    };
    let hashes = [1, 2, 7].map(|threads| on_threads(threads, run));
    assert!(hashes.iter().all(|&hash| hash == hashes[0]), "{hashes:?}");
}

/// Goal: colour is what was asked for, is booked, and goes back.
#[test]
fn colour_is_booked_and_taken_off() {
    for mut world in [mixed(Solver::ShallowWater), hills(Solver::Pipe, ColumnKind::SubGrid)] {
        cycle(&mut world);
        let place = CellPlace { x: 60, y: 60 };
        let (was, stored) =
            (world.water().concentration("dye", place), world.water().tracer_stored("dye"));
        let depth_before = depth(&world, 60, 60);
        let area = disc([120.0, 120.0], 30.0);
        let colour = |concentration| Action::ColourWater {
            area: area.clone(),
            tracer: "dye".to_owned(),
            concentration,
        };
        let full = world.edits().act(colour(1.0)).expect("good");
        assert_eq!(world.water().concentration("dye", place), Some(1.0));
        assert!(full.moved_m3 > 0.0 && full.unmet_m3 == 0.0, "{full:?}");
        check_sound(&world);
        let none = world.edits().act(colour(0.0)).expect("good");
        assert_eq!(world.water().concentration("dye", place), Some(0.0));
        assert!(none.moved_m3 < 0.0, "{none:?}");
        check_sound(&world);
        world.edits().undo(none.undo).expect("good");
        world.edits().undo(full.undo).expect("good");
        assert_eq!(
            (world.water().concentration("dye", place), world.water().tracer_stored("dye")),
            (was, stored)
        );
        assert_eq!(depth(&world, 60, 60), depth_before);
        // After a cycle some has gone elsewhere: what is still there comes off.
        let full = world.edits().act(colour(1.0)).expect("good");
        (0..5).for_each(|_| cycle(&mut world));
        let back = world.edits().undo(full.undo).expect("good");
        assert!(back.moved_m3 < 0.0, "{back:?}");
        check_sound(&world);
        let again = world.edits().undo(back.undo).expect("good");
        assert_eq!(again.moved_m3, -back.moved_m3);
        check_sound(&world);
    }
}

/// A spring day of a player over the edge between two levels: one action of each kind that needs no
/// name.
fn strokes() -> [Action; 5] {
    let area = Shape::Disc { centre_m: [255.0, 120.0], radius_m: 15.0, rim_m: 6.0 };
    let shape = Shape::Rectangle { low_m: [240.0, 100.0], high_m: [270.0, 140.0] };
    [
        Action::AddWater { area: area.clone(), amount: Amount::DepthM(0.7) },
        Action::PushWater { area: area.clone(), by_m_s: [1.5, -0.5] },
        Action::EditTerrain(Edit::Raise { shape, by_m: 0.4 }),
        Action::ColourWater { area: area.clone(), tracer: "dye".into(), concentration: 0.5 },
        Action::RemoveWater { area, amount: Amount::VolumeM3(60.0) },
    ]
}

/// Goal: actions that are done for good, or as one list, leave the same state as one by one; the
/// way back of a list is exact, and a list with one that is refused changes nothing.
#[test]
fn lists_and_actions_for_good_do_the_same() {
    let start = |solver| {
        let mut world = mixed(solver);
        (0..3).for_each(|_| cycle(&mut world));
        world
    };
    for solver in [Solver::ShallowWater, Solver::Pipe] {
        let [mut single, mut list, mut for_good] = [0; 3].map(|_| start(solver));
        let before = list.state_hash();
        let mut moved_m3 = 0.0;
        for stroke in strokes() {
            moved_m3 += single.edits().act(stroke.clone()).expect("a good action").moved_m3;
            for_good.edits().act_for_good(stroke).expect("a good action");
        }
        let done = list.edits().act_all(strokes()).expect("good actions");
        assert_eq!(done.moved_m3, moved_m3);
        assert!(single.state_hash() != before, "the strokes do something");
        assert_eq!([list.state_hash(), for_good.state_hash()], [single.state_hash(); 2]);

        let back = list.edits().undo(done.undo).expect("the same scene");
        assert_eq!(list.state_hash(), before);
        let none = Action::RemoveBarrier { name: "none".into() };
        let refused = list.edits().act_all(strokes().into_iter().chain([none]));
        assert!(matches!(refused, Err(ActionError::OneOf { number: 6, .. })), "{refused:?}");
        assert_eq!(list.state_hash(), before);
        list.edits().undo(back.undo).expect("the way forward");
        assert_eq!(list.state_hash(), single.state_hash());

        for world in [&mut single, &mut list, &mut for_good] {
            (0..3).for_each(|_| cycle(world));
            check_sound(world);
        }
        assert_eq!([list.state_hash(), for_good.state_hash()], [single.state_hash(); 2]);
    }
}
