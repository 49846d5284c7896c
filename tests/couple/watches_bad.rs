//! Watches that cannot be are refused in one line that says how to mend them, and change nothing.

use crate::support::terrain;
use thalweg::Error;
use thalweg::world::{Barrier, Watch, WatchError, WorldBuilder};

const NAN: f64 = f64::NAN;
const INFINITY: f64 = f64::INFINITY;

/// A square of 10 m.
fn square([x, y]: [f64; 2]) -> Vec<[f64; 2]> {
    vec![[x, y], [x + 10.0, y], [x + 10.0, y + 10.0], [x, y + 10.0]]
}

fn points() -> Vec<(Watch, [&'static str; 2])> {
    let place = |at_m, depth_m, hysteresis_m| Watch::Place { at_m, depth_m, hysteresis_m };
    let gauge = |at_m, stage_m, hysteresis_m| Watch::Gauge { at_m, stage_m, hysteresis_m };
    let at = [20.0, 20.0];
    let barrier = |name: &str, hysteresis_m| Watch::Barrier { name: name.to_owned(), hysteresis_m };
    vec![
        (place([NAN, 5.0], 0.1, 0.0), ["is at NaN, 5", "give finite metres"]),
        (place([5.0, -INFINITY], 0.1, 0.0), ["is at 5, -inf", "give finite metres"]),
        (place([1.0e300, 5.0], 0.1, 0.0), ["outside the world of 64 by 64 m", "move it"]),
        (place([-0.1, 5.0], 0.1, 0.0), ["-0.1, 5 m is outside", "move it onto ground"]),
        (place([64.0, 5.0], 0.1, 0.0), ["64, 5 m is outside", "move it onto ground"]),
        (place([41.0, 41.0], 0.1, 0.0), ["41, 41 m is outside", "or on NoData"]),
        (place(at, 0.0, 0.0), ["the depth is 0", "choose 0.001 to 1024 m"]),
        (place(at, -0.1, 0.0), ["the depth is -0.1", "choose 0.001"]),
        (place(at, NAN, 0.0), ["the depth is NaN", "choose 0.001"]),
        (place(at, INFINITY, 0.0), ["the depth is inf", "choose 0.001"]),
        (place(at, 1.0e9, 0.0), ["the depth is 1000000000", "to 1024 m"]),
        (place(at, 0.1, 0.1), ["the hysteresis is 0.1", "choose 0 to 0.0995 m"]),
        (place(at, 0.1, -0.01), ["the hysteresis is -0.01", "choose 0 to"]),
        (place(at, 0.1, NAN), ["the hysteresis is NaN", "choose 0 to"]),
        (gauge([NAN, NAN], 1.0, 0.0), ["is at NaN, NaN", "give finite metres"]),
        (gauge([70.0, 5.0], 1.0, 0.0), ["70, 5 m is outside", "move it"]),
        (gauge(at, NAN, 0.0), ["the stage is NaN", "choose -1024 to 1024 m"]),
        (gauge(at, 3.0e4, 0.0), ["the stage is 30000", "choose -1024 to 1024 m"]),
        (gauge(at, 1.0, -1.0), ["the hysteresis is -1", "choose 0 to 1024 m"]),
        (barrier("levee", 0.0), ["levee: there is no such barrier", "choose one of wall"]),
        (barrier("", 0.0), ["there is no such barrier", "choose one of wall"]),
        (barrier("wall", NAN), ["the hysteresis is NaN", "choose 0 to"]),
    ]
}

fn footprints() -> Vec<(Watch, [&'static str; 2])> {
    let of = |corners_m| Watch::Footprint { corners_m, depth_m: 0.1, hysteresis_m: 0.0 };
    let deep = |depth_m, hysteresis_m| Watch::Footprint {
        corners_m: square([9.0, 9.0]),
        depth_m,
        hysteresis_m,
    };
    let bow = vec![[0.0, 0.0], [50.0, 50.0], [50.0, 0.0], [0.0, 50.0]];
    let wheel = |at: u32| {
        let turn = std::f64::consts::TAU * f64::from(at) / 1025.0;
        [30.0 + 20.0 * turn.cos(), 30.0 + 20.0 * turn.sin()]
    };
    let huge = vec![[0.0, 0.0], [1.0e300, 0.0], [1.0e300, 1.0e300]];
    vec![
        (of(Vec::new()), ["a polygon has 0 points and needs 3", "add points"]),
        (of(vec![[1.0, 1.0], [5.0, 5.0]]), ["a polygon has 2 points", "add points"]),
        (of(vec![[1.0, 1.0], [5.0, 5.0], [1.0, 1.0]]), ["a polygon has 2 points", "add points"]),
        (of(vec![[1.0, 1.0], [5.0, NAN], [9.0, 1.0]]), ["point 1 (from 0)", "give finite"]),
        (of(bow), ["corners 0 and 2", "meet"]),
        (of(vec![[3.0, 3.0]; 4]), ["corners 0 and 1", "meet"]),
        (of(huge), ["more than 16777216 finest cells", "watch smaller ones"]),
        (of(square([-10.0, 5.0])), ["-10, 5 m is outside", "move it onto ground"]),
        (of(square([64.0, 5.0])), ["64, 5 m is outside", "move it onto ground"]),
        (of(square([1.0e12, 5.0])), ["1000000000000, 5 m is outside", "move it"]),
        (of(square([41.0, 41.0])), ["41, 41 m is outside", "or on NoData"]),
        (of((0..1025).map(wheel).collect()), ["1025 corners, 1024 may be", "leave some out"]),
        (deep(-1.0, 0.0), ["the depth is -1", "choose 0.001 to"]),
        (deep(NAN, 0.0), ["the depth is NaN", "choose 0.001 to"]),
        (deep(0.5, 0.6), ["the hysteresis is 0.6", "choose 0 to 0.4995 m"]),
    ]
}

/// Goal: bad watches are named errors, none is put, and good ones beside them go on.
#[test]
fn bad_watches_are_refused() {
    let bed = |x, y| if x >= 40 && y >= 40 { NAN } else { 0.0 };
    let wall = Barrier::wall("wall", vec![[5.0, 5.0], [5.0, 30.0]], 1.0);
    let builder = WorldBuilder::new(terrain(64, 64, 1.0, bed)).barrier(wall);
    let mut world = builder.initial_depth(|_| 0.5).build().expect("a good world");
    let good = || square([-5.0, 20.0]);
    let good = Watch::Footprint { corners_m: good(), depth_m: 0.1, hysteresis_m: 0.0 };
    let first = world.watch(good.clone()).expect("half of it is ground");
    let hash = world.state_hash();
    for (watch, words) in points().into_iter().chain(footprints()) {
        let error = world.watch(watch.clone()).expect_err("a bad watch");
        let sentence = error.to_string();
        assert!(words.iter().all(|word| sentence.contains(word)), "{watch:?}: {sentence}");
        assert!(!sentence.contains('\n'), "{sentence}");
        assert_eq!(Error::from(error).to_string(), sentence);
        assert_eq!(world.watches().collect::<Vec<_>>(), [(first, &good)]);
    }
    assert_eq!(world.state_hash(), hash);
}

/// Goal: there are 65,536 watches at most, and 2²⁴ finest cells under footprints; what is taken
/// away makes room, and no number comes twice.
#[test]
fn watches_are_counted() {
    let builder = WorldBuilder::new(terrain(64, 64, 1.0, |_, _| 0.0));
    let mut world = builder.build().expect("a good world");
    let gauge = Watch::Gauge { at_m: [30.0, 30.0], stage_m: 1.0, hysteresis_m: 0.0 };
    let ids: Vec<_> = (0..1 << 16).map(|_| world.watch(gauge.clone()).expect("good")).collect();
    assert!(ids.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(world.watch(gauge.clone()), Err(WatchError::Count { most: 1 << 16 }));
    world.unwatch(ids[77]).expect("it is there");
    let next = world.watch(gauge.clone()).expect("there is room");
    assert_eq!(next.number(), ids[ids.len() - 1].number() + 1);
    world.unwatch(ids[78]).expect("it is there");
    let most = 1 << 24;
    // The rectangle has a row and a column more than it is wide.
    let corners_m = |width: f64| {
        let [low, high] = [-0.5 * width, 0.5 * width];
        vec![[low, low], [high, low], [high, high], [low, high]]
    };
    let wide =
        |width| Watch::Footprint { corners_m: corners_m(width), depth_m: 0.1, hysteresis_m: 0.0 };
    assert_eq!(world.watch(wide(4096.0)), Err(WatchError::Cells { most }));
    let whole = world.watch(wide(4095.0)).expect("just so many");
    world.unwatch(ids[79]).expect("it is there");
    assert_eq!(world.watch(wide(10.0)), Err(WatchError::Cells { most }));
    world.unwatch(whole).expect("it is there");
    world.watch(wide(10.0)).expect("there is room");
}
