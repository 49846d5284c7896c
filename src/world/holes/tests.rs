//! Holes against a search of the whole map, cell by cell.

use super::*;
use std::sync::Arc;
use thalweg_engine::terrain::{TerrainBuilder, TerrainOptions};
use thalweg_engine::units::VerticalScale;

/// Ground of so many cells, where `is_bare` does not take it away.
fn ground([width, height]: [usize; 2], is_bare: &dyn Fn(i64, i64) -> bool) -> WorldRelief {
    let scale = VerticalScale::try_new(20, 0.0).expect("in range");
    let options = TerrainOptions { width, height, cell_width_m: 5.0, scale, bed_exponent: 20 };
    let mut builder = TerrainBuilder::try_new(options).expect("good");
    for y in (0..height as i64).rev() {
        let bed = |x| if is_bare(x, y) { f64::NAN } else { 1.0 };
        let row: Vec<f64> = (0..width as i64).map(bed).collect();
        builder.push_row(&row).expect("good");
    }
    WorldRelief::InMemory(Arc::new(builder.finish().expect("good")))
}

/// The groups of cells without data that are holes, found from cell to cell.
fn searched(
    [width, height]: [usize; 2],
    is_bare: &dyn Fn(i64, i64) -> bool,
) -> Vec<Vec<WorldCell>> {
    let [width, height] = [width, height].map(|cells| cells as i64);
    let on_map = |x, y| (0..width).contains(&x) && (0..height).contains(&y);
    let (mut seen, mut holes) = (BTreeSet::new(), Vec::new());
    let all = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    for first in all.filter(|&(x, y)| is_bare(x, y)) {
        if !seen.insert(first) {
            continue;
        }
        let (mut group, mut next, mut is_outer) = (vec![first], 0, false);
        while let Some(&(x, y)) = group.get(next) {
            next += 1;
            for (dx, dy) in AROUND {
                let at = (x + i64::from(dx), y + i64::from(dy));
                is_outer |= !on_map(at.0, at.1);
                if on_map(at.0, at.1) && is_bare(at.0, at.1) && seen.insert(at) {
                    group.push(at);
                }
            }
        }
        holes.extend((!is_outer).then_some(group));
    }
    holes
}

/// Compares the holes of a map with those of a search; returns how many there are.
fn compare(case: &str, size: [usize; 2], is_bare: &dyn Fn(i64, i64) -> bool) -> u64 {
    let relief = ground(size, is_bare);
    let (found, searched) = (MapHoles::of(&relief), searched(size, is_bare));
    let cells: BTreeSet<WorldCell> = searched.iter().flatten().copied().collect();
    let count = HoleCount { holes: searched.len() as u64, cells: cells.len() as u64 };
    assert_eq!(found.count(), count, "{case}");
    let listed = found.cells().map(|place| (i64::from(place.x), i64::from(place.y)));
    assert_eq!(listed.collect::<BTreeSet<_>>(), cells, "{case}");
    for level in [0, 1, 3, 6, 7].into_iter().filter(|&level| level <= relief.coarsest()) {
        // Of each cell whether it has a hole, and other cells without data.
        let mut kinds = BTreeMap::new();
        let all = (0..size[1] as i64).flat_map(|y| (0..size[0] as i64).map(move |x| (x, y)));
        for at in all {
            let over = [at.0, at.1].map(|at| u32::try_from(at).expect("on the map") >> level);
            let [has_hole, has_other] = kinds.entry(over).or_insert([false; 2]);
            *has_hole |= cells.contains(&at);
            *has_other |= is_bare(at.0, at.1) && !cells.contains(&at);
        }
        for ([x, y], kinds) in kinds {
            let end = if kinds == [true, false] { OutsideKind::Hole } else { OutsideKind::NoData };
            assert_eq!(found.end_in((level, CellPlace { x, y })), end, "{case}: {level} {x} {y}");
        }
    }
    count.holes
}

/// A number from 0 to 1 that depends on a place.
fn noise(seed: i64, x: i64, y: i64) -> f64 {
    let mut at = (seed * 0x9E37_79B9 + x * 0x85EB_CA6B + y * 0xC2B2_AE35) as u64;
    at = (at ^ (at >> 31)).wrapping_mul(0x94D0_49BB_1331_11EB);
    ((at ^ (at >> 29)) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Goal: holes are those that a search of all cells finds. Method: noise of all densities, whose
/// groups cross tiles, in one tile and in many.
#[test]
fn holes_in_noise_are_those_of_a_search() {
    let mut holes = 0;
    for seed in 0..4 {
        for part in [0.02, 0.2, 0.4, 0.6, 0.97] {
            for size in [[30, 20], [150, 140]] {
                let is_bare = |x, y| noise(seed, x, y) < part;
                holes += compare(&format!("{seed}, {part}, {size:?}"), size, &is_bare);
            }
        }
    }
    assert!(holes > 1000, "{holes}");
}

/// Goal: lakes and seas as wide as several tiles without ground, with islands, courtyards and
/// corners that meet, are told apart. Method: rings around the middle of a map, and a way out.
#[test]
fn wide_holes_are_told_from_what_reaches_the_frame() {
    const SIZE: [usize; 2] = [400, 330];
    let ring = |x: i64, y: i64| ((x - 200).abs().max((y - 165).abs())) / 30;
    type Case = (&'static str, u64, fn(i64) -> bool);
    let cases: [Case; 5] = [
        ("a lake", 1, |ring| ring < 4),
        ("a lake with an island", 1, |ring| (1..4).contains(&ring)),
        ("a courtyard with a well", 2, |ring| ring == 0 || (2..4).contains(&ring)),
        ("an island in the sea", 0, |ring| ring > 2),
        ("a lake on an island", 1, |ring| !(2..4).contains(&ring)),
    ];
    for (case, count, is_bare) in cases {
        assert_eq!(compare(case, SIZE, &|x, y| is_bare(ring(x, y))), count, "{case}");
    }
    // A way one cell wide, from corner to corner across tiles, leads out of the lake.
    let with_way = |x: i64, y: i64| ring(x, y) < 4 || x >= 200 && x - 200 == y - 165;
    assert_eq!(compare("a lake with a way out", SIZE, &with_way), 0);
    let with_gap = |x, y| with_way(x, y) && x != 330;
    assert_eq!(compare("a way that ends", SIZE, &with_gap), 1);
}
