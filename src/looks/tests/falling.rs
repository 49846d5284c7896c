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
    check_near(vertex.foot_m[0].into(), 8.0, 1.0e-5, "foot");
    assert_eq!(emitters.falls().len(), 8);
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
