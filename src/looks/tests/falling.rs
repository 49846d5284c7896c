//! Falls and emitters.

use super::*;
use crate::looks::{EmitterOptions, Emitters, FallOptions, Falls, LooksError};

fn new() -> (Falls, Emitters) {
    let falls = Falls::try_new(WIDTH_M, FallOptions::default()).expect("good");
    (falls, Emitters::try_new(WIDTH_M, EmitterOptions::default()).expect("good"))
}

fn of(planes: &Planes) -> (Falls, Emitters) {
    let (mut falls, mut emitters) = new();
    falls.follow(&planes.cells(), &[]);
    emitters.follow(&planes.cells(), &falls, &[]);
    (falls, emitters)
}

/// Discharge of the channel, m²/s: 1.2 m deep, and fast.
const DEEP_M: f32 = 1.2;
const FAST_M_S: f32 = 2.5;

#[test]
fn a_step_in_a_channel_has_one_sheet() {
    // Over a step of 6 m at x = 100 cells, into 2 m of water, in a channel of 30 cells; another way
    // round, and with the lip aslant.
    let (into, over) = ((0.0, 2.0, [0.0; 2], 0.0), 6.0);
    let ways = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]];
    for way in ways {
        let at = |x: u32, y: u32| {
            let (along, beside) = if way[0] != 0.0 { (x, y) } else { (y, x) };
            let is_upper = (along < 100) == (way[0] + way[1] > 0.0);
            let speed = way.map(|part: f32| part * FAST_M_S);
            match (50..80).contains(&beside) {
                true if is_upper => (over, DEEP_M, speed, 0.0),
                true => into,
                false => (20.0, 0.0, [0.0; 2], 0.0),
            }
        };
        let (falls, emitters) = of(&Planes::new(window(20, 10, 150, 170), at));
        let [sheet] = falls.sheets() else { panic!("{way:?}: {:?}", falls.sheets()) };
        let name = format!("{way:?}");
        let discharge = f64::from(DEEP_M * FAST_M_S);
        check_near(sheet.width_m.into(), 60.0, 1.0e-5, &name);
        check_near(sheet.height_m.into(), 5.2, 1.0e-5, &name);
        check_near(sheet.discharge_m3_s.into(), 60.0 * discharge, 1.0e-5, &name);
        assert_eq!((falls.vertices().len(), sheet.vertices.clone()), (32, 0..32), "{name}");
        // The jet: 5.2 m in 1.03 s.
        let reach_m = f64::from(FAST_M_S) * (2.0 * 5.2 / 9.81_f64).sqrt();
        for vertex in falls.vertices() {
            let off = [0, 1].map(|axis| f64::from(vertex.foot_m[axis] - vertex.lip_m[axis]));
            check_near(off[0].hypot(off[1]), reach_m, 1.0e-4, &name);
            check_near(f64::from(vertex.lip_m[2]), 7.2, 1.0e-5, &name);
            check_near(f64::from(vertex.foot_m[2]), 2.0, 1.0e-5, &name);
        }
        // Upper water lies on the left.
        let [a, b] = [falls.vertices()[0].lip_m, falls.vertices()[1].lip_m];
        let left = [a[1] - b[1], b[0] - a[0]];
        assert!(left[0] * way[0] + left[1] * way[1] < 0.0, "{name}");
        assert_eq!(emitters.all().len(), 30, "{name}");
        for emitter in emitters.falls() {
            check_near(emitter.power_w_m.into(), 9810.0 * discharge * 5.2, 1.0e-4, &name);
            check_near(emitter.elevation_m.into(), 2.0, 1.0e-5, &name);
        }
    }
}

#[test]
fn a_lip_aslant_is_a_straight_line_with_the_discharge_that_crosses_it() {
    let at = |x: u32, y: u32| {
        if x + y < 60 { (5.0, 1.0, [2.0, 2.0], 0.0) } else { (0.0, 1.0, [0.0; 2], 0.0) }
    };
    let (falls, _) = of(&Planes::new(window(0, 0, 60, 60), at));
    let [sheet] = falls.sheets() else { panic!("{:?}", falls.sheets()) };
    // 60 cells along each axis; between the middles of the first and the last face it is straight.
    let inner = &falls.vertices()[1..falls.vertices().len() - 1];
    assert!(inner.iter().all(|vertex| (vertex.lip_m[0] + vertex.lip_m[1] - 121.0).abs() < 1.0e-3));
    check_near(sheet.width_m.into(), 2.0_f64.sqrt() * 120.0, 0.02, "width");
    check_near(sheet.discharge_m3_s.into(), 8.0_f64.sqrt() * 2.0_f64.sqrt() * 120.0, 0.02, "Q");
}

/// Values by column and row.
type At<'a> = &'a dyn Fn(u32, u32) -> Values;

#[test]
fn water_that_does_not_fall_has_no_sheet() {
    let rest = [0.0; 2];
    let run = [1.0, 0.0];
    let cases: [(&str, At<'_>); 6] = [
        ("a lake", &|_, _| (0.0, 3.0, rest, 0.0)),
        ("a lake behind a wall", &|x, _| {
            if x < 20 { (0.0, 9.0, rest, 0.0) } else { (0.0, 0.0, rest, 0.0) }
        }),
        ("a deep wave", &|x, _| (0.0, if x < 20 { 9.0 } else { 0.1 }, run, 0.0)),
        ("rain on a slope", &|x, _| (800.0 - 8.0 * small(x), 0.001, run, 0.0)),
        ("a slope of 0.4", &|x, _| (80.0 - 0.4 * 8.0 * small(x), 0.1, run, 0.0)),
        ("the end of the world", &|x, _| {
            if x < 20 { (9.0, 1.0, run, 0.0) } else { (f32::NAN, 0.0, rest, 0.0) }
        }),
    ];
    for (name, at) in cases {
        // Cells of 8 m.
        let window = Window { level: 2, ..window(0, 0, 40, 40) };
        let (falls, emitters) = of(&Planes::new(window, at));
        assert!(falls.sheets().is_empty() && falls.vertices().is_empty(), "{name}");
        assert!(emitters.all().is_empty(), "{name}");
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few cells")]
fn small(x: u32) -> f32 {
    x as f32
}

#[test]
fn water_that_falls_on_at_once_is_one_fall_to_the_last_foot() {
    // 12 m in three cells, then a pool.
    let bed = |x: u32| [12.0, 12.0, 8.0, 4.0, 0.0, 0.0][x.min(5) as usize];
    let at = |x: u32, _: u32| {
        let run = if x < 4 { [1.0, 0.0] } else { [0.0; 2] };
        (bed(x), if x < 4 { 0.5 } else { 1.0 }, run, 0.0)
    };
    let (falls, emitters) = of(&Planes::new(window(0, 0, 30, 8), at));
    let [sheet] = falls.sheets() else { panic!("{:?}", falls.sheets()) };
    check_near(sheet.height_m.into(), 11.5, 1.0e-5, "height");
    // A slow jet is in the way of ground: its foot lies at the last face at least.
    let vertex = falls.vertices()[0];
    check_near(vertex.lip_m[0].into(), 4.0, 1.0e-5, "lip");
    check_near(vertex.foot_m[0].into(), 8.0, 0.005, "foot");
    assert_eq!(emitters.falls().len(), 8);
}

/// Goal: a jet lands where it meets water or ground, on the way that it flies.
#[test]
fn a_jet_lands_on_what_is_below_it() {
    // 20 m at 5 m/s: 10.1 m, 5 cells, from the lip at 20 m on; tops by the column from there on.
    let open = |_: u32| 0.0;
    let ledge = |on: u32| if (2..5).contains(&on) { 12.0 } else { 0.0 };
    let wall = |on: u32| if on >= 3 { 40.0 } else { 0.0 };
    let slot = |on: u32| if on >= 1 { 19.0 } else { 0.0 };
    let farther = |on: u32| if on >= 5 { -4.0 } else { 0.0 };
    type Bed<'a> = &'a dyn Fn(u32) -> f32;
    let fly_m = |drop_m: f32| 5.0 * (2.0 * drop_m / 9.81).sqrt();
    let cases: [(&str, Bed<'_>, f32, f32); 5] = [
        ("open ground", &open, fly_m(20.0), 0.0),
        ("a ledge below the jet", &ledge, fly_m(8.0), 12.0),
        ("a wall across the chasm", &wall, 6.0, 0.0),
        ("the far side of a slot", &slot, fly_m(1.0), 19.0),
        ("lower ground under its end", &farther, fly_m(24.0), -4.0),
    ];
    for (name, bed, reach_m, foot_m) in cases {
        for way in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]] {
            let at = |x: u32, y: u32| {
                let along = if way[0] != 0.0 { x } else { y };
                let along = if way[0] + way[1] > 0.0 { along } else { 39 - along };
                match along.checked_sub(10) {
                    None => (19.0, 1.0, way.map(|part| 5.0 * part), 0.0),
                    Some(on) => (bed(on), 0.0, [0.0; 2], 0.0),
                }
            };
            let (falls, emitters) = of(&Planes::new(window(0, 0, 40, 40), at));
            assert_eq!(falls.sheets().len(), 1, "{name}, {way:?}");
            for vertex in falls.vertices() {
                let off = [0, 1].map(|axis| vertex.foot_m[axis] - vertex.lip_m[axis]);
                let along_m = off[0] * way[0] + off[1] * way[1];
                assert!((along_m - reach_m).abs() < 0.12, "{name}, {way:?}: {along_m} m");
                let found_m = vertex.foot_m[2];
                assert!((found_m - foot_m).abs() < 1.0e-3, "{name}, {way:?}: {found_m} m");
            }
            // The emitter's cell is one that is as high as its foot.
            for foot in emitters.falls() {
                let top_m = at(foot.cell[0], foot.cell[1]).0;
                assert!((top_m - foot_m).abs() < 1.0e-3, "{name}, {way:?}: on {top_m} m");
            }
        }
    }
}

/// Goal: the power of all sheets is that of all faces over which water falls, also where water
/// joins a fall on a ledge, and where it turns.
#[test]
fn no_water_falls_twice_or_gets_lost() {
    // Unit discharges of cells, m²/s, each 4 m below the one before. Jets land on the next cell.
    let cases: [(&str, [f32; 4]); 4] = [
        ("a cascade", [1.0; 4]),
        ("little falls into much", [0.2, 1.0, 1.0, 1.0]),
        ("most stays on the ledge", [1.0, 0.2, 0.2, 0.2]),
        ("more and more", [0.02, 0.06, 0.2, 0.8]),
    ];
    for (name, flows) in cases {
        let at = |x: u32, _: u32| match x {
            0..4 => (16.0 - 4.0 * small(x), 1.0, [flows[x as usize], 0.0], 0.0),
            _ => (0.0, 1.0, [0.0; 2], 0.0),
        };
        let (falls, emitters) = of(&Planes::new(window(0, 0, 12, 6), at));
        let found: f32 = emitters.falls().iter().map(|foot| foot.power_w_m).sum();
        let expected = 6.0 * 4.0 * 9810.0 * flows.iter().sum::<f32>();
        check_near(found.into(), expected.into(), 1.0e-4, name);
        assert!(!falls.sheets().is_empty());
    }
    // From a ledge of one cell water falls on to the north.
    let at = |x: u32, y: u32| match (x, y) {
        (0..5, 5) => (8.0, 0.5, [2.0, 0.0], 0.0),
        (5, 5) => (4.0, 0.5, [0.0, 2.0], 0.0),
        (5, 6) => (0.0, 0.5, [0.0; 2], 0.0),
        _ => (30.0, 0.0, [0.0; 2], 0.0),
    };
    let (falls, _) = of(&Planes::new(window(0, 0, 12, 12), at));
    let heights_m: Vec<f32> = falls.sheets().iter().map(|sheet| sheet.height_m).collect();
    assert_eq!(heights_m, [4.0, 4.0], "a fall that turns is two");
}

/// Goal: an emitter keeps its seed, wherever its water lands, and stands in the cell of its foot;
/// feet follow the ground below a jet, where no face has changed.
#[test]
fn seeds_stay_and_feet_follow_the_ground_below() {
    for way in [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]] {
        let along = |x: u32, y: u32| {
            let along = if way[0] != 0.0 { x } else { y };
            if way[0] + way[1] > 0.0 { along } else { 29 - along }
        };
        let at = |x: u32, y: u32, speed: f32| match along(x, y) {
            on @ 0..8 => (16.0 - 8.0 * small(on / 7), 0.5, way.map(|part| part * speed), 0.0),
            _ => (0.0, 0.5, [0.0; 2], 0.0),
        };
        let all = window(0, 0, 30, 30);
        let (mut falls, mut emitters) = new();
        let mut seeds = Vec::new();
        for speed in [0.3, 1.0, 5.0] {
            let planes = Planes::new(all, |x, y| at(x, y, speed));
            assert!(falls.follow(&planes.cells(), &[all]), "{way:?}, {speed} m/s");
            assert!(emitters.follow(&planes.cells(), &falls, &[all]), "{way:?}, {speed} m/s");
            assert!(!falls.follow(&planes.cells(), &[all]), "{way:?}: the same");
            assert!(!emitters.follow(&planes.cells(), &falls, &[all]), "{way:?}: the same");
            let found: Vec<u32> = emitters.falls().iter().map(|foot| foot.seed).collect();
            assert!(seeds.is_empty() || seeds == found, "{way:?}, {speed} m/s");
            seeds = found;
            assert!(emitters.falls().iter().all(|foot| along(foot.cell[0], foot.cell[1]) >= 8));
        }
        let count = seeds.len();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!((count, seeds.len()), (30, 30), "{way:?}");
        // A rock rises far out in the stream, below the jet.
        let rock = |x: u32, y: u32| match along(x, y) {
            10..14 => (6.0, 0.0, [0.0; 2], 0.0),
            _ => at(x, y, 5.0),
        };
        let planes = Planes::new(all, rock);
        assert!(falls.follow(&planes.cells(), &[all]), "{way:?}");
        let (anew, _) = of(&planes);
        assert!(falls.vertices() == anew.vertices(), "{way:?}");
        assert!(falls.vertices().iter().all(|vertex| vertex.foot_m[2] > 5.0), "{way:?}");
    }
}

#[test]
fn lips_of_other_elevations_are_sheets_of_their_own() {
    let bed = |y: u32| if y < 6 { 8.0 } else { 12.0 };
    let at = |x: u32, y: u32| {
        if x < 5 { (bed(y), 0.5, [2.0, 0.0], 0.0) } else { (0.0, 0.5, [0.0; 2], 0.0) }
    };
    let (falls, _) = of(&Planes::new(window(0, 0, 12, 12), at));
    assert_eq!(falls.sheets().len(), 2, "{:?}", falls.sheets());
    for sheet in falls.sheets() {
        check_near(sheet.width_m.into(), 12.0, 1.0e-5, "width");
    }
}

#[test]
fn swift_foam_breaks() {
    let at = |x: u32, y: u32| {
        let (speed, foam) = if x == 5 { (4.0, 0.9) } else { (4.0, 0.1) };
        (0.0, if y == 3 { 0.1 } else { 1.0 }, [0.0, speed], foam)
    };
    let (_, emitters) = of(&Planes::new(window(0, 0, 30, 8), at));
    assert_eq!((emitters.falls().len(), emitters.breaking().len()), (0, 7));
    let emitter = emitters.breaking()[0];
    assert_eq!((emitter.cell, emitter.place_m), ([5, 0], [11.0, 1.0]));
    check_near(emitter.amount.into(), 0.5 * 0.35 + 0.05 * 1.5, 1.0e-4, "amount");
    check_near(emitter.rise_m.into(), 16.0 / (8.0 * 9.81), 1.0e-4, "rise");
}

/// Cells of cliffs and water at random.
fn random(seed: u64) -> Values {
    let bed = (6.0 * draw(seed)).floor() * 2.0;
    let depth = if draw(seed + 1) < 0.3 { 0.0 } else { 0.8 * draw(seed + 2) };
    let velocity = [3, 4].map(|step| 8.0 * (draw(seed + step) - 0.5));
    (bed, depth, velocity, draw(seed + 5))
}

/// Goal: after any updates, of parts and of windows that move, falls and emitters are those made
/// anew.
#[test]
fn updates_come_to_the_same_as_falls_made_anew() {
    let world = |x: u32, y: u32, round: u64| {
        random(10 * (u64::from(x) + 1000 * u64::from(y)) + 10_000_000 * round)
    };
    let mut planes = Planes::new(window(30, 50, 150, 140), |x, y| world(x, y, 0));
    let (mut falls, mut emitters) = of(&planes);
    assert!(falls.sheets().len() > 100 && emitters.breaking().len() > 100);
    for round in 1..40_u64 {
        let [x, y] = [1, 2].map(|step| scramble(step + 10 * round) % 100);
        let [width, height] = [3, 4].map(|step| 1 + scramble(step + 10 * round) % 30);
        let [x, y] = [x, y].map(|v| u32::try_from(v).expect("few"));
        let part = window(
            planes.window.corner.x + x,
            planes.window.corner.y + y,
            usize::try_from(width).expect("few"),
            usize::try_from(height).expect("few"),
        );
        let mut changed = vec![part];
        for [x, y] in (0..part.height).flat_map(|y| (0..part.width).map(move |x| [x, y])) {
            let [x, y] = [x, y].map(|v| u32::try_from(v).expect("few"));
            let at = [part.corner.x + x, part.corner.y + y];
            planes.set(at, world(at[0], at[1], round));
        }
        if round % 13 == 0 {
            let before = planes.clone();
            let to = window(30 + u32::from(round > 20) * 7, 40, 150, 140);
            planes = Planes::new(to, |x, y| world(x, y, 100 + round));
            changed = vec![before.window];
        }
        falls.follow(&planes.cells(), &changed);
        emitters.follow(&planes.cells(), &falls, &changed);
        let (falls_anew, emitters_anew) = of(&planes);
        assert!(falls.vertices() == falls_anew.vertices(), "round {round}: vertices");
        assert!(falls.sheets() == falls_anew.sheets(), "round {round}: sheets");
        assert!(emitters.all() == emitters_anew.all(), "round {round}: emitters");
        let discharge: f32 = falls.sheets().iter().map(|sheet| sheet.discharge_m3_s).sum();
        let faces = falls.sheets().iter().flat_map(|sheet| {
            falls.vertices()[sheet.vertices.start + 1..sheet.vertices.end - 1].iter()
        });
        let sum: f32 = faces.map(|vertex| 2.0 * vertex.discharge_m2_s).sum();
        check_near(discharge.into(), sum.into(), 1.0e-4, "discharge");
    }
    assert!(!falls.follow(&planes.cells(), &[]), "nothing has changed");
}

#[test]
fn numbers_out_of_range_are_refused_by_name() {
    let refused = Falls::try_new(0.0, FallOptions::default()).expect_err("no width");
    assert!(refused.to_string().starts_with("finest_m is 0"), "{refused}");
    let options = FallOptions { drop_m: f32::NAN, ..Default::default() };
    let refused = Falls::try_new(1.0, options).expect_err("no drop");
    assert!(matches!(refused, LooksError::Number { name: "drop_m", .. }), "{refused}");
    let options = EmitterOptions { half_power_w_m: -1.0, ..Default::default() };
    let refused = Emitters::try_new(1.0, options).expect_err("no power");
    assert!(matches!(refused, LooksError::Number { name: "half_power_w_m", .. }), "{refused}");
}
