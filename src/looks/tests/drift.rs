//! Drifters over forests of one and of three levels.

use super::*;
use crate::looks::{DriftState, Drifters, LooksError};
use crate::probe::made::{Made, all_levels, one_level};
use thalweg_engine::grid::LeafId;

const UNITS: f64 = 1_048_576.0;

/// Water of 2 m everywhere that flows at this velocity, m/s.
fn uniform(leaves: Vec<thalweg_engine::grid::TileKey>, velocity: [f32; 2]) -> Made {
    let mut made = Made::new(leaves, |_| Some(0.0), |_| 2.0 * UNITS);
    made.flow(velocity.map(|part| 2.0 * part));
    made
}

/// Goal: drifters of a uniform flow go as far as it, also from coarse leaves to fine ones and back.
#[test]
fn drifters_follow_a_uniform_flow_through_levels() {
    for (row, leaves) in all_levels().into_iter().enumerate() {
        for velocity in [[2.0, 0.0], [-1.5, 1.0], [0.25, -2.0]] {
            let made = uniform(leaves.clone(), velocity);
            let mut drifters = Drifters::default();
            let places: Vec<[f64; 2]> = (0..200)
                .map(|i| [2 * i, 2 * i + 1].map(|i| 8.0 + 1000.0 * f64::from(draw(i))))
                .collect();
            assert_eq!(drifters.try_add(&places).expect("good"), 0..200);
            for _ in 0..20 {
                drifters.advance(&made.query(), 7.5).expect("good");
            }
            let mut gone = 0;
            for (index, from) in places.iter().enumerate() {
                let to = [0, 1].map(|axis| from[axis] + 150.0 * f64::from(velocity[axis]));
                let is_in = to.iter().all(|at| (12.0..1008.0).contains(at));
                if !is_in {
                    gone += usize::from(drifters.states()[index] == DriftState::Gone);
                    continue;
                }
                let found = drifters.places_m()[index];
                let name = format!("row {row}, {velocity:?}, {from:?}: {found:?}, not {to:?}");
                assert!((found[0] - to[0]).hypot(found[1] - to[1]) < 1.0e-6, "{name}");
                assert_eq!(drifters.states()[index], DriftState::Afloat, "{name}");
                check_near(drifters.depths_m()[index].into(), 2.0, 1.0e-6, &name);
                check_near(drifters.stages_m()[index].into(), 102.0, 1.0e-6, &name);
                check_near(
                    drifters.velocities_m_s()[index][0].into(),
                    velocity[0].into(),
                    1.0e-6,
                    &name,
                );
            }
            assert!(gone > 20, "row {row}, {velocity:?}: {gone} gone");
            let left = drifters.states().iter().filter(|state| **state != DriftState::Gone).count();
            let stays = drifters.places_m()
                [drifters.states().iter().position(|s| *s != DriftState::Gone).expect("some")];
            drifters.remove_gone();
            assert_eq!((drifters.places_m().len(), drifters.depths_m().len()), (left, left));
            assert_eq!(drifters.places_m()[0].map(f64::to_bits), stays.map(f64::to_bits));
        }
    }
}

/// Goal: in a vortex the error of a turn falls with the square of the step.
#[test]
fn drifters_turn_with_a_vortex() {
    // Advances of a turn, each one step.
    let [coarse, fine] = [1000, 2000].map(error_of_a_turn);
    for (coarse, fine) in coarse.into_iter().zip(fine) {
        assert!(coarse < 0.1, "{coarse} m");
        assert!((3.5..4.5).contains(&(coarse / fine)), "{coarse} m, then {fine} m");
    }
}

/// How far drifters end from where they began, after a turn of a vortex in so many advances, m.
fn error_of_a_turn(advances: u32) -> [f64; 2] {
    let mut made = uniform(one_level(0), [0.0; 2]);
    let turn = 0.02;
    let leaves: Vec<_> = made.forest.iter().collect();
    for (leaf, key) in leaves {
        for cell in 0..thalweg_engine::grid::TILE_CELLS {
            let [x, y] = crate::probe::made::centre_m(key, cell);
            let put = |plane: &mut [f32], value: f64| plane[cell] = single(2.0 * turn * value);
            put(&mut made.water[leaf].flow_x, 512.0 - y);
            put(&mut made.water[leaf].flow_y, x - 512.0);
        }
    }
    let from_m = [[612.0, 512.0], [512.0, 480.0]];
    let mut drifters = Drifters::default();
    drifters.try_add(&from_m).expect("good");
    let seconds = 2.0 * std::f64::consts::PI / turn / f64::from(advances);
    for _ in 0..advances {
        drifters.advance(&made.query(), seconds).expect("good");
    }
    [0, 1].map(|index| {
        let (found, from) = (drifters.places_m()[index], from_m[index]);
        (found[0] - from[0]).hypot(found[1] - from[1])
    })
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers of tests")]
fn single(value: f64) -> f32 {
    value as f32
}

#[test]
fn drifters_strand_where_water_leaves_them_and_float_again() {
    let mut made = uniform(one_level(0), [1.0, 0.0]);
    let mut drifters = Drifters::default();
    drifters.try_add(&[[300.0, 300.0]]).expect("good");
    let step = |drifters: &mut Drifters, made: &Made| {
        drifters.advance(&made.query(), 10.0).expect("good");
        (drifters.states()[0], drifters.places_m()[0][0])
    };
    let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1.0e-6, "{found}");
    let (state, x) = step(&mut drifters, &made);
    assert_eq!(state, DriftState::Afloat);
    near(x, 310.0);
    let water = made.water.clone();
    made.water.iter_mut().for_each(|water| water.depth.fill(0));
    let (state, x) = step(&mut drifters, &made);
    assert_eq!((state, drifters.depths_m()[0]), (DriftState::Stranded, 0.0));
    near(x, 310.0);
    check_near(drifters.stages_m()[0].into(), 100.0, 1.0e-6, "the bed");
    made.water = water;
    let (state, x) = step(&mut drifters, &made);
    assert_eq!(state, DriftState::Afloat);
    near(x, 320.0);
}

#[test]
fn drifters_go_along_a_shore_that_is_in_their_way() {
    // Dry ground beyond 400 m east.
    let bank = |[x, _]: [f64; 2]| Some(if x > 400.0 { 9.0 * UNITS } else { 0.0 });
    let mut made = Made::new(one_level(0), bank, |_| 2.0 * UNITS);
    made.flow([4.0, 2.0]);
    let mut drifters = Drifters::default();
    drifters.try_add(&[[390.0, 300.0]]).expect("good");
    drifters.advance(&made.query(), 100.0).expect("good");
    let [x, y] = drifters.places_m()[0];
    assert!((395.0..402.0).contains(&x) && y > 370.0, "{x}, {y}");
    assert_eq!(drifters.states()[0], DriftState::Afloat);
}

/// Goal: no drifter gets over a dike, however thin, long the advance or wide the cells of columns.
#[test]
fn drifters_do_not_jump_over_dry_ground() {
    // A dike of one finest cell, 2 m, at 400 m east, in water 2 m deep.
    let is_dike = |x: f64| (400.0..402.0).contains(&x);
    for (name, crest_m, levels, seconds) in [
        ("a dike", 9.0, 0, 60.0),
        ("a dike that is dry for 0.8 m", 2.5, 0, 60.0),
        ("a long advance", 9.0, 0, 4000.0),
        ("columns of 16 m", 9.0, 3, 60.0),
    ] {
        let bed_m = |[x, _]: [f64; 2]| if is_dike(x) { crest_m } else { 0.0 };
        let terrain = Made::terrain(bed_m);
        let mut made = if levels == 0 {
            Made::new(one_level(0), |at| Some(bed_m(at) * UNITS), |_| 2.0 * UNITS)
        } else {
            Made::tabled(one_level(levels), &terrain, |_| 2.0 * UNITS)
        };
        made.flow([4.0, 0.0]);
        let query = made.query().on(&terrain);
        let mut drifters = Drifters::default();
        let places: Vec<[f64; 2]> =
            (0..200).map(|i| [340.0 + 50.0 * f64::from(draw(i)), 300.0]).collect();
        drifters.try_add(&places).expect("good");
        drifters.advance(&query, seconds).expect("good");
        for ([x, _], from) in drifters.places_m().iter().zip(&places) {
            assert!((398.5..401.0).contains(x), "{name}: from {from:?} to {x}");
        }
    }
}

#[test]
fn what_is_no_place_or_span_is_refused_and_moves_none() {
    let made = uniform(one_level(0), [1.0, 0.0]);
    let mut drifters = Drifters::default();
    drifters.try_add(&[[300.0, 300.0]]).expect("good");
    let before = drifters.clone();
    let error = drifters.try_add(&[[1.0, 2.0], [f64::NAN, 3.0]]).expect_err("no place");
    assert!(matches!(error, LooksError::Place { index: 1, .. }), "{error}");
    for seconds in [-1.0, f64::NAN, f64::INFINITY] {
        let error = drifters.advance(&made.query(), seconds).expect_err("no span");
        assert!(matches!(error, LooksError::Seconds(_)), "{error}");
    }
    assert_eq!(drifters, before);
    let ids: Vec<LeafId> = made.forest.ids().collect();
    assert_eq!(ids.len(), 64);
}
