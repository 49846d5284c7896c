//! Wetness.

use super::*;
use crate::looks::{Wetness, WetnessOptions};
use thalweg_engine::units::SimTime;

const WET: Values = (0.0, 0.5, [0.0; 2], 0.0);
const DRY: Values = (0.0, 0.0, [0.0; 2], 0.0);

fn at(seconds: f64) -> SimTime {
    SimTime::from_seconds(seconds)
}

#[test]
fn wetness_falls_to_a_third_in_its_time() {
    // Time of drying, step, seconds of an update, and least and most of the time until 1/e.
    let cases = [(120.0, 0.0, 1.0, 0.0), (120.0, 2.0, 0.7, 2.1), (10.0, 0.5, 3.0, 3.0)];
    for (dries_s, step_s, update_s, off_s) in cases {
        let options = WetnessOptions { dries_s, step_s, ..Default::default() };
        let mut wetness = Wetness::try_new(options).expect("good");
        let all = window(10, 10, 100, 100);
        let mut planes = Planes::new(all, |x, _| if x < 60 { WET } else { DRY });
        assert_eq!(wetness.follow(&planes.cells(), &[], at(50.0)).len(), 4);
        for x in 60..110 {
            assert!(wetness.wetness()[x - 10] <= 0.0);
        }
        assert!(wetness.follow(&planes.cells(), &[], at(100.0)).is_empty(), "nothing dries");
        // Two cells fall dry.
        planes.set([20, 20], DRY);
        planes.set([21, 20], DRY);
        wetness.follow(&planes.cells(), &[window(20, 20, 2, 1)], at(100.0));
        let place = 10 * 100 + 10;
        let mut time_s = 0.0;
        while wetness.wetness()[place] > (-1.0_f32).exp() * 1.000_01 {
            time_s += update_s;
            let written = wetness.follow(&planes.cells(), &[], at(100.0 + time_s));
            assert!(written.is_empty() || written == [window(10, 10, 54, 54)], "{written:?}");
        }
        let name = format!("{dries_s}, {step_s}, {update_s}");
        assert!((time_s - dries_s).abs() <= off_s + update_s + 1.0e-9, "{name}: {time_s}");
        assert!(wetness.wetness()[place + 2] >= 1.0, "{name}: under water");
        // One gets wet again, the other dries.
        planes.set([20, 20], WET);
        wetness.follow(&planes.cells(), &[window(20, 20, 1, 1)], at(1.0e3));
        assert!(wetness.wetness()[place] >= 1.0, "{name}");
        wetness.follow(&planes.cells(), &[], at(1.0e5));
        assert!(wetness.wetness()[place] >= 1.0 && wetness.wetness()[place + 1] <= 0.0, "{name}");
        assert!(
            wetness.follow(&planes.cells(), &[], at(2.0e5)).is_empty(),
            "{name}: nothing dries"
        );
    }
}

#[test]
fn a_window_that_moves_keeps_the_wetness_of_its_ground() {
    let of = |x: u32, y: u32| if (x + y).is_multiple_of(3) { WET } else { DRY };
    let options = WetnessOptions { step_s: 0.0, ..Default::default() };
    let mut wetness = Wetness::try_new(options).expect("good");
    let first = window(100, 200, 90, 70);
    wetness.follow(&Planes::new(first, of).cells(), &[], at(0.0));
    // All falls dry while the window moves: to the north-east, the south-west, far away.
    for (round, (x, y)) in [(113, 230), (90, 190), (100, 200), (1000, 200)].into_iter().enumerate()
    {
        let mut wetness = wetness.clone();
        let moved = window(x, y, 80 + 5 * round, 90);
        wetness.follow(&Planes::new(moved, |_, _| DRY).cells(), &[], at(0.0));
        for (at, found) in wetness.wetness().iter().enumerate() {
            let [x, y] =
                [at % moved.width, at / moved.width].map(|v| u32::try_from(v).expect("few"));
            let [x, y] = [moved.corner.x + x, moved.corner.y + y];
            let was_seen = (100..190).contains(&x) && (200..270).contains(&y);
            let expected = if was_seen && (x + y).is_multiple_of(3) { 1.0 } else { 0.0 };
            assert!((found - expected).abs() < 1.0e-6, "round {round}: {x}, {y}");
        }
        let written = wetness.follow(&Planes::new(moved, |_, _| DRY).cells(), &[], at(60.0));
        assert_eq!(written.is_empty(), x == 1000, "what was kept goes on drying");
    }
}

/// Goal: ground dries as long in a window that moves in each update as in one that stays.
#[test]
fn ground_dries_while_the_window_moves() {
    for step_s in [0.0, 2.0, 7.0] {
        let options = WetnessOptions { dries_s: 60.0, step_s, ..Default::default() };
        let mut wetness = Wetness::try_new(options).expect("good");
        let all = window(100, 100, 150, 90);
        wetness.follow(&Planes::new(all, |_, _| WET).cells(), &[], at(20.0));
        wetness.follow(&Planes::new(all, |_, _| DRY).cells(), &[all], at(20.0));
        for round in 1..=30 {
            let moved = window(100 + round, 100 + round % 3, 150, 90);
            let time = at(20.0 + 2.0 * f64::from(round));
            wetness.follow(&Planes::new(moved, |_, _| DRY).cells(), &[], time);
        }
        // Column 160 and row 130, in the window from 130, 100 on.
        let found = wetness.wetness()[30 * 150 + 30];
        let most = (step_s / 60.0).exp() * 1.000_01;
        let part = f64::from(found) / (-1.0_f64).exp();
        assert!((0.999_99..=most).contains(&part), "step {step_s} s: {found}");
    }
}

/// Goal: only parts in which a cell has another wetness are returned, and new ones of a window.
#[test]
fn parts_below_running_water_are_not_returned() {
    let mut wetness = Wetness::try_new(WetnessOptions::default()).expect("good");
    let all = window(64, 64, 128, 128);
    let mut planes = Planes::new(all, |_, _| WET);
    assert_eq!(wetness.follow(&planes.cells(), &[], at(0.0)).len(), 4);
    assert!(wetness.follow(&planes.cells(), &[all], at(5.0)).is_empty(), "all runs on");
    planes.set([70, 70], DRY);
    assert_eq!(wetness.follow(&planes.cells(), &[all], at(5.0)), [window(64, 64, 64, 64)]);
    // A tile's width to the east: the tiles at the new border.
    let moved = window(128, 64, 128, 128);
    let written = wetness.follow(&Planes::new(moved, |_, _| WET).cells(), &[], at(5.0));
    assert_eq!(written, [window(192, 64, 64, 64), window(192, 128, 64, 64)]);
}

/// Goal: cells that fall dry in one update dry alike, whether their tile dries already or not.
#[test]
fn tiles_have_no_seams_while_they_dry() {
    let mut wetness = Wetness::try_new(WetnessOptions::default()).expect("good");
    let all = window(0, 0, 128, 64);
    let first = |x: u32, y: u32| if [x, y] == [3, 3] { DRY } else { WET };
    wetness.follow(&Planes::new(all, |_, _| WET).cells(), &[], at(0.0));
    wetness.follow(&Planes::new(all, first).cells(), &[all], at(1.0));
    let dry = Planes::new(all, |_, _| DRY);
    for seconds in [40.0, 41.0, 70.0] {
        wetness.follow(&dry.cells(), &[all], at(seconds));
        let [west, east] = [63, 64].map(|x| wetness.wetness()[30 * 128 + x]);
        assert!(west > 0.0 && (west - east).abs() <= 0.0, "{seconds} s: {west} and {east}");
    }
}

#[test]
fn time_that_goes_back_begins_anew() {
    let mut wetness = Wetness::try_new(WetnessOptions::default()).expect("good");
    let all = window(0, 0, 70, 50);
    wetness.follow(&Planes::new(all, |_, _| WET).cells(), &[], at(90.0));
    let undone = Planes::new(all, |x, _| if x < 9 { WET } else { DRY });
    assert_eq!(wetness.follow(&undone.cells(), &[], at(30.0)).len(), 2, "all is written");
    for (at, found) in wetness.wetness().iter().enumerate() {
        assert!((found - if at % 70 < 9 { 1.0 } else { 0.0 }).abs() <= 0.0, "cell {at}: {found}");
    }
    // Nothing waits to be dried from before.
    wetness.follow(&Planes::new(all, |_, _| DRY).cells(), &[all], at(31.0));
    assert!(wetness.wetness()[0] > 0.99, "{}", wetness.wetness()[0]);
}
