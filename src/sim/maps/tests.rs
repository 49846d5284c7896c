//! Maps of a leaf alone.

use super::*;
use crate::units::hash::scramble;

fn at(seconds: f64) -> SimTime {
    SimTime::from_seconds(seconds)
}

fn ground() -> Ground {
    Ground::flat(vec![0; TILE_CELLS].into())
}

/// Maps that have seen something else in each cell.
fn maps(seed: u64) -> LeafMaps {
    let draw = |i: usize, most: u64| scramble(seed ^ (i as u64) << 8) % most;
    let units = |i| i32::try_from(draw(i, 9)).expect("below 9");
    let depth: Vec<i32> = (0..TILE_CELLS).map(units).collect();
    let mut maps = LeafMaps::new(&ground(), &depth, 4, 0.125, at(10.0));
    let number = |i: usize| draw(i, 1000) as f32 / 7.0;
    for i in 0..TILE_CELLS {
        (maps.speed_max[i], maps.hazard_max[i]) = (number(i), number(i + 5000));
        maps.duration_s[i] = number(i + 10_000).into();
        if maps.was_wet[i] > 0.0 {
            for plane in &mut maps.velocity {
                plane[i] = 10.0 - number(i + 20_000);
            }
        }
    }
    maps
}

#[track_caller]
fn check_equal(a: &LeafMaps, b: &LeafMaps) {
    assert_eq!(format!("{a:?}"), format!("{b:?}"));
}

#[test]
fn quarters_merge_into_what_they_came_from() {
    let (whole, flat) = (maps(1), &ground());
    let quarters = [0, 1, 2, 3].map(|quadrant| whole.child(quadrant, &ground(), &ground()));
    check_equal(
        &LeafMaps::merged(quarters.each_ref().map(|maps| Some((maps, flat))), flat),
        &whole,
    );
}

#[test]
#[expect(clippy::float_cmp, reason = "selected, or exact sums")]
fn a_coarse_cell_has_seen_what_any_of_its_four_saw() {
    let four = |values: [i32; 4]| {
        let mut depth = [0; TILE_CELLS];
        [0, 1, TILE_WIDTH, TILE_WIDTH + 1].iter().zip(values).for_each(|(&i, h)| depth[i] = h);
        depth
    };
    // Two of the four wet from 10 s on, one of them dry again from 15 s on; last seen at 20 s.
    let mut fine = LeafMaps::new(&ground(), &four([3, 8, 6, 0]), 4, 0.5, at(10.0));
    fine.pass(at(15.0));
    for row in 0..2 {
        let velocity = [[2.0; TILE_WIDTH], [-1.0; TILE_WIDTH]];
        let depth = four([3, 5, 2, 0]);
        let depth = row_of(&depth[row * TILE_WIDTH..]);
        fine.look(row, [depth; 2], &velocity, 15.0);
    }
    // Another has been looked at since.
    let late = LeafMaps::new(&ground(), &[0; TILE_CELLS], 4, 0.5, at(20.0));
    let flat = &ground();
    let merged = LeafMaps::merged([None, None, Some((&fine, flat)), Some((&late, flat))], flat);
    let cell = TILE_CELLS / 2;
    assert_eq!((merged.depth_max[cell], merged.arrival_s[cell]), (8, 10.0));
    assert_eq!((merged.duration_s[cell], merged.was_wet[cell]), (10.0, 1.0));
    // The one that saw most saw it at the first look; another was wet at the second.
    assert_eq!((merged.deepest_s[cell], merged.wet_last_s[cell]), (10.0, 15.0));
    assert_eq!((merged.deepest_s[0], merged.wet_last_s[0]), (f32::INFINITY, f32::INFINITY));
    assert_eq!([merged.velocity[0][cell], merged.velocity[1][cell]], [2.0, -1.0]);
    assert_eq!(merged.speed_max[cell], 5.0_f32.sqrt());
    assert_eq!(merged.hazard_max[cell], 2.5 * (5.0_f32.sqrt() + 0.5));
    assert_eq!((merged.seen, merged.arrival_s[0]), (at(20.0), f32::INFINITY));
}
