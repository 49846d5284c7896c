//! Maps of a leaf alone.

use super::*;
use crate::flow::params::{StepInput, StepParams};
use crate::flow::terms::Terms;
use crate::grid::TILE_CELLS;
use crate::tile::padded::Padded;
use crate::units::hash::scramble;

fn at(seconds: f64) -> SimTime {
    SimTime::from_seconds(seconds)
}

/// Returns all sets of kinds, some of them more than once.
fn sets() -> impl Iterator<Item = MapKinds> {
    let of =
        |bits: u8| (0..8).filter(move |bit| bits >> bit & 1 == 1).map(|bit| MapKinds::EACH[bit]);
    (0..=u8::MAX).map(move |bits| of(bits).collect())
}

fn ground() -> Ground {
    Ground::flat(vec![0; TILE_CELLS].into())
}

/// Maps that have seen something else in each cell.
fn maps(seed: u64) -> LeafMaps {
    let draw = |i: usize, most: u64| scramble(seed ^ (i as u64) << 8) % most;
    let units = |i| i32::try_from(draw(i, 9)).expect("below 9");
    let depth: Vec<i32> = (0..TILE_CELLS).map(units).collect();
    let mut maps = LeafMaps::new(MapKinds::ALL, (&ground(), &depth), (4, 0.125), at(10.0));
    let number = |i: usize| draw(i, 1000) as f32 / 7.0;
    let planes = maps.planes_mut();
    for i in 0..TILE_CELLS {
        planes.speed_max.as_mut().expect("kept")[i] = number(i);
        planes.hazard_max.as_mut().expect("kept")[i] = number(i + 5000);
        planes.duration_s.as_mut().expect("kept")[i] = number(i + 10_000).into();
        if planes.was_wet.as_ref().expect("kept")[i] > 0.0 {
            for plane in planes.velocity.as_mut().expect("kept") {
                plane[i] = 10.0 - number(i + 20_000);
            }
        }
    }
    maps
}

#[track_caller]
fn kept<T>(plane: Result<T, NotKept>) -> T {
    plane.expect("kept")
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
    let new =
        |depth: &[i32], time| LeafMaps::new(MapKinds::ALL, (&ground(), depth), (4, 0.5), time);
    let mut fine = new(&four([3, 8, 6, 0]), at(10.0));
    fine.pass(at(15.0));
    for row in 0..2 {
        let velocity = [[2.0; TILE_WIDTH], [-1.0; TILE_WIDTH]];
        let depth = four([3, 5, 2, 0]);
        let depth = row_of(&depth[row * TILE_WIDTH..]);
        let scale = fine.scale();
        fine.planes_mut().slices().look(scale, row, [depth; 2], &velocity, 15.0);
    }
    // Another has been looked at since.
    let late = new(&[0; TILE_CELLS], at(20.0));
    let flat = &ground();
    let merged = LeafMaps::merged([None, None, Some((&fine, flat)), Some((&late, flat))], flat);
    let cell = TILE_CELLS / 2;
    let was_wet = merged.was_wet.as_ref().expect("kept");
    assert_eq!((kept(merged.depth_max())[cell], kept(merged.arrival_s())[cell]), (8, 10.0));
    assert_eq!((kept(merged.duration_s())[cell], was_wet[cell]), (10.0, 1.0));
    // The one that saw most saw it at the first look; another was wet at the second.
    let (deepest_s, wet_last_s) = (kept(merged.deepest_s()), kept(merged.wet_last_s()));
    assert_eq!((deepest_s[cell], wet_last_s[cell]), (10.0, 15.0));
    assert_eq!((deepest_s[0], wet_last_s[0]), (f32::INFINITY, f32::INFINITY));
    let [east, north] = kept(merged.velocity());
    assert_eq!([east[cell], north[cell]], [2.0, -1.0]);
    assert_eq!(kept(merged.speed_max())[cell], 5.0_f32.sqrt());
    assert_eq!(kept(merged.hazard_max())[cell], 2.5 * (5.0_f32.sqrt() + 0.5));
    assert_eq!((merged.seen, kept(merged.arrival_s())[0]), (at(20.0), f32::INFINITY));
}

/// Goal: a kind that is not kept has no plane, and takes no byte. Method: all sets of kinds; bytes
/// of the planes there are.
#[test]
fn what_is_not_kept_takes_no_byte() {
    for kinds in sets() {
        let maps = LeafMaps::new(kinds, (&ground(), &[5; TILE_CELLS]), (4, 0.5), at(10.0));
        let whole = maps.depth_max.iter().flatten().count() * size_of::<i32>();
        let floats = maps.floats().flatten().count() * size_of::<f32>();
        let wide = maps.duration_s.iter().flatten().count() * size_of::<f64>();
        let bytes = kinds.bytes_a_cell() * TILE_CELLS as u64;
        assert_eq!((whole + floats + wide) as u64, bytes, "{kinds}");
        assert_eq!(maps.floats().count() as u64, kinds.float_planes(), "{kinds}");
        let found = [
            maps.depth_max().is_ok(),
            maps.speed_max().is_ok(),
            maps.velocity().is_ok(),
            maps.hazard_max().is_ok(),
            maps.arrival_s().is_ok(),
            maps.wet_last_s().is_ok(),
            maps.deepest_s().is_ok(),
            maps.duration_s().is_ok(),
        ];
        assert_eq!(found, MapKinds::EACH.map(|kind| kinds.has(kind)), "{kinds}");
    }
    let bytes = |kinds: MapKinds| kinds.bytes_a_cell();
    assert_eq!(bytes(MapKinds::DEPTH | MapKinds::SPEED), 8);
    assert_eq!(bytes(MapKinds::VELOCITY | MapKinds::DURATION), 20, "both need one plane");
}

/// Goal: what a leaf keeps of a kind, through looks, splits and merges, does not depend on the
/// other kinds. Method: all sets of kinds beside all kinds; hashes of each kind that is kept.
#[test]
fn each_kind_is_as_beside_all_others() {
    let draw = |seed: u64, i: usize, most: u64| (scramble(seed ^ (i as u64) << 20) >> 9) % most;
    let units = |seed| -> Vec<i32> {
        (0..TILE_CELLS).map(|i| i32::try_from(draw(seed, i, 9)).expect("below 9")).collect()
    };
    let speeds = |seed| -> Vec<f32> {
        (0..TILE_CELLS).map(|i| draw(seed, i, 1000) as f32 / 99.0 - 5.0).collect()
    };
    let looks = [1, 2, 3].map(|look: u64| (units(look), [speeds(look + 10), speeds(look + 20)]));
    let flat = &ground();
    let all_of = |kinds: MapKinds| {
        let first = units(4);
        let mut whole = LeafMaps::new(kinds, (flat, &first), (4, 0.125), at(10.0));
        let mut quarters = [(); 4].map(|()| whole.clone());
        for (time, (depth, [east, north])) in (1_u8..).zip(&looks) {
            let seconds = f64::from(time);
            whole.look_at(at(10.0 + 2.0 * seconds), depth, depth, [east, north]);
            for (late, quarter) in (0_u8..).zip(&mut quarters) {
                let time = at(10.0 + seconds * f64::from(1 + late));
                quarter.look_at(time, depth, depth, [north, east]);
            }
        }
        let merged = LeafMaps::merged(quarters.each_ref().map(|maps| Some((maps, flat))), flat);
        let child = whole.child(3, flat, flat);
        [whole, merged, child].map(|maps| {
            MapKinds::EACH.map(|kind| {
                let mut hash = StateHasher::new();
                maps.hash(kind, &mut hash).ok().map(|()| hash.finish())
            })
        })
    };
    let all = all_of(MapKinds::ALL);
    for kinds in sets() {
        let kept = MapKinds::EACH.map(|kind| kinds.has(kind));
        for (some, all) in all_of(kinds).into_iter().zip(&all) {
            for ((found, wanted), kept) in some.into_iter().zip(all).zip(kept) {
                assert_eq!(found, wanted.filter(|_| kept), "{kinds}");
            }
        }
    }
}

/// Goal: a look gives the same bits whatever the instruction set. Method: random transfers, depths
/// and openings, flat columns.
#[test]
fn looks_agree() {
    let input = StepInput {
        dt_s: 0.3,
        cell_width_m: 5.0,
        unit_m: 0.125,
        gravity: 9.81,
        damping: true,
        terms: Terms::NONE,
    };
    let (params, ground, mut padded) = (&StepParams::new(&input), &ground(), Padded::new());
    for seed in 2..6 {
        let draw = |i: usize, most: u64| {
            i32::try_from(scramble(seed << 40 ^ i as u64) % most).expect("below 2³¹")
        };
        for i in 0..padded.depth.len() {
            padded.depth[i] = draw(i, 3) * draw(i + 10_000, 50);
            padded.transfer_x[i] = draw(i + 20_000, 21) - 10;
            padded.transfer_y[i] = draw(i + 30_000, 21) - 10;
        }
        let depth: Vec<i32> = (0..TILE_CELLS).map(|i| draw(i + 40_000, 12)).collect();
        let view = &MappedLeaf { ground, depth: &depth, padded: &padded, params, time: at(11.0) };
        let looks = InstructionSet::all().into_iter().map(|set| {
            let mut maps = maps(seed);
            maps.sample_by(set, view);
            maps
        });
        let looks: Vec<LeafMaps> = looks.collect();
        looks.iter().for_each(|maps| check_equal(maps, &looks[0]));
    }
}
