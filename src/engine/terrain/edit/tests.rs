//! Edits of small terrains.

use crate::grid::cells::CellPlace;
use crate::terrain::edit::{Bottom, Changed, Edit, PointM, Shape};
use crate::terrain::{BedLevel, Terrain};
use crate::units::hash::{StateHasher, scramble};
use crate::units::{OUTSIDE, VerticalScale};

const STEP: i32 = 1 << 10;

/// A terrain of cells of 2 m whose beds are multiples of 2⁻¹⁰ m, `metres` above a datum of 100 m.
fn terrain(width: usize, height: usize, metres: impl Fn(usize, usize) -> Option<f64>) -> Terrain {
    let scale = VerticalScale::try_new(20, 100.0).expect("in range");
    let bed = |i: usize| match metres(i % width, i / width) {
        Some(metres) => scale.elevation(100.0 + metres, 10).expect("in range"),
        None => OUTSIDE,
    };
    let finest = BedLevel::new(0, width, height, (0..width * height).map(bed).collect());
    Terrain::new(scale, 2.0, 10, finest)
}

fn flat(width: usize, height: usize) -> Terrain {
    terrain(width, height, |_, _| Some(0.0))
}

fn rebuilt(terrain: &Terrain) -> Terrain {
    Terrain::new(terrain.scale(), 2.0, 10, terrain.finest().clone())
}

/// Elevation above the datum, m.
fn height_m(terrain: &Terrain, x: usize, y: usize) -> f64 {
    terrain.scale().metres(terrain.finest().bed(x, y)) - 100.0
}

/// `#` where the bed is not at 0, the northern row first.
fn picture(terrain: &Terrain) -> Vec<String> {
    let (width, height) = (terrain.finest().width(), terrain.finest().height());
    let cell = |x, y| if terrain.finest().bed(x, y) == 0 { '.' } else { '#' };
    (0..height).rev().map(|y| (0..width).map(|x| cell(x, y)).collect()).collect()
}

/// A number from 0 to below 1.
fn draw(seed: &mut u64) -> f64 {
    *seed = scramble(seed.wrapping_add(0x9e37_79b9_7f4a_7c15));
    f64::from(u32::try_from(*seed >> 32).expect("32 bits")) / 4_294_967_296.0
}

fn point(seed: &mut u64) -> PointM {
    [-20.0 + 340.0 * draw(seed), -20.0 + 240.0 * draw(seed)]
}

fn random_shape(seed: &mut u64) -> Shape {
    match draw(seed) {
        kind if kind < 0.4 => {
            let radius_m = 40.0 * draw(seed);
            Shape::Disc { centre_m: point(seed), radius_m, rim_m: radius_m * draw(seed) }
        }
        kind if kind < 0.6 => {
            let low_m = point(seed);
            Shape::Rectangle { low_m, high_m: low_m.map(|v| v + 60.0 * draw(seed)) }
        }
        _ => Shape::Polygon { corners_m: (0..3).map(|_| point(seed)).collect() },
    }
}

fn random_edit(seed: &mut u64) -> Edit {
    let kind = draw(seed);
    let shape = random_shape(seed);
    if kind < 0.2 {
        Edit::Raise { shape, by_m: 0.1 + 20.0 * draw(seed) }
    } else if kind < 0.4 {
        Edit::Lower { shape, by_m: 0.1 + 20.0 * draw(seed) }
    } else if kind < 0.6 {
        Edit::Flatten { shape, to_m: 80.0 + 40.0 * draw(seed) }
    } else if kind < 0.8 {
        let bottom = if draw(seed) < 0.5 {
            Bottom::Below { depth_m: 3.0 * draw(seed) + 0.1 }
        } else {
            Bottom::At { first_m: 90.0 + 20.0 * draw(seed), last_m: 95.0 }
        };
        Edit::Carve {
            line_m: (0..4).map(|_| point(seed)).collect(),
            width_m: 3.0 + 9.0 * draw(seed),
            bottom,
        }
    } else {
        let place = |v: f64| u32::try_from(i64::from(v > 0.4) * 70 + 5).expect("few");
        let corner = CellPlace { x: place(draw(seed)), y: place(draw(seed)) };
        let height = |_| if draw(seed) < 0.1 { f64::NAN } else { 95.0 + 10.0 * draw(seed) };
        Edit::Paste { corner, width: 30, heights_m: (0..30 * 20).map(height).collect() }
    }
}

/// All that must hold after an edit.
fn check_change(before: &Terrain, after: &Terrain, changed: &Changed, name: &str) {
    assert!(*after == rebuilt(after), "{name}: the pyramid is another one");
    let (width, height) = (after.finest().width(), after.finest().height());
    let mut count = 0;
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let (old, new) = (before.finest().bed(x, y), after.finest().bed(x, y));
        assert_eq!(old == OUTSIDE, new == OUTSIDE, "{name}: outside at {x}, {y}");
        assert!(new == OUTSIDE || new % STEP == 0, "{name}: {new} at {x}, {y}");
        count += usize::from(old != new);
        let is_in = changed.columns().contains(&x) && changed.rows().contains(&y);
        assert!(old == new || is_in, "{name}: {x}, {y} lies outside {changed:?}");
    }
    assert_eq!(changed.is_empty(), count == 0, "{name}");
    for level in 0..=after.coarsest() {
        let (old, new) = (before.level(level).expect("a level"), after.level(level).expect("same"));
        let tiles = changed.tiles(level);
        assert!(tiles.is_sorted(), "{name}");
        for (x, y) in (0..new.height()).flat_map(|y| (0..new.width()).map(move |x| (x, y))) {
            if old.bed(x, y) != new.bed(x, y) {
                let [column, row] = [x / 64, y / 64].map(|v| u32::try_from(v).expect("few"));
                let is_named = tiles.iter().any(|tile| (tile.x, tile.y) == (column, row));
                assert!(is_named, "{name}: level {level}, {x}, {y}");
            }
        }
    }
}

#[test]
fn the_pyramid_is_the_one_of_the_edited_map() {
    let hills = |x: usize, y: usize| {
        let hole = (x * 7 + y * 13).is_multiple_of(31) || (60..70).contains(&x) && y > 50;
        (!hole).then(|| f64::from(u8::try_from((x * 5 + y * 3) % 200).expect("< 200")) / 16.0)
    };
    let mut seed = 4;
    let mut terrain = terrain(150, 97, hills);
    let (mut done, mut hash) = (0, StateHasher::new());
    for round in 0..300 {
        let before = terrain.clone();
        let edit = random_edit(&mut seed);
        let name = format!("round {round}, {edit:?}");
        match terrain.edit(&edit) {
            Ok(changed) => {
                check_change(&before, &terrain, &changed, &name);
                done += 1;
            }
            Err(error) => assert!(before == terrain, "{name}: {error}"),
        }
    }
    assert!(done > 240, "{done} of 300");
    for &bed in (0..97).flat_map(|y| terrain.finest().row(y, 0..150)) {
        hash.add(u64::from(bed.cast_unsigned()));
    }
    assert_eq!(hash.finish(), DIGEST, "the beds are others than they were");
}

/// Of all beds after the edits above.
const DIGEST: u64 = 2_703_591_590_719_555_422;

#[track_caller]
fn check_picture(edit: &Edit, expected: &[&str]) {
    let mut terrain = flat(8, 6);
    terrain.edit(edit).expect("good");
    assert_eq!(picture(&terrain), expected, "{edit:?}");
}

#[test]
fn a_cell_is_edited_if_its_centre_lies_in_the_shape() {
    let raise = |shape| Edit::Raise { shape, by_m: 1.0 };
    let square = Shape::Rectangle { low_m: [3.0, 1.0], high_m: [9.0, 5.1] };
    let bottom = ["........", "........", "........", ".###....", ".###....", ".###...."];
    check_picture(&raise(square), &bottom);
    let disc = Shape::Disc { centre_m: [8.0, 6.0], radius_m: 4.0, rim_m: 0.0 };
    let middle = ["........", "...##...", "..####..", "..####..", "...##...", "........"];
    check_picture(&raise(disc), &middle);
    // A notch from above, and a corner beyond the world.
    let corners_m = vec![[-9.0, 2.0], [16.0, 2.0], [16.0, 12.0], [8.0, 3.9], [0.0, 12.0]];
    let notch = ["........", "#......#", "##....##", "###..###", "########", "........"];
    check_picture(&raise(Shape::Polygon { corners_m }), &notch);
    let line_m = vec![[1.0, 1.0], [9.0, 1.0], [9.0, 30.0]];
    let bottom = Bottom::Below { depth_m: 1.0 };
    let carve = Edit::Carve { line_m, width_m: 3.0, bottom };
    let hook = ["....#...", "....#...", "....#...", "....#...", "....#...", "#####..."];
    check_picture(&carve, &hook);
}

#[test]
fn shapes_beside_each_other_share_no_cell_and_leave_none() {
    for seed in 0..100 {
        let mut draws = seed;
        let middle = point(&mut draws).map(|v| v.clamp(10.0, 60.0));
        let corners = [[0.0, 0.0], [80.0, 0.0], [80.0, 80.0], [0.0, 80.0]];
        let mut terrain = flat(40, 40);
        for i in 0..4 {
            let corners_m = vec![middle, corners[i], corners[(i + 1) % 4]];
            let edit = Edit::Raise { shape: Shape::Polygon { corners_m }, by_m: 1.0 };
            terrain.edit(&edit).expect("good");
        }
        assert!(terrain == rebuilt(&terrain));
        let all = (0..40).all(|y| terrain.finest().row(y, 0..40).iter().all(|&z| z == 1 << 20));
        assert!(all, "seed {seed}, corner {middle:?}");
    }
}

#[test]
fn what_was_raised_is_lowered_again_to_the_bit() {
    let start = terrain(60, 60, |x, y| Some(f64::from(u8::try_from(x * y % 97).expect("< 97"))));
    let mut seed = 7;
    for round in 0..50 {
        let mut terrain = start.clone();
        let (shape, by_m) = (random_shape(&mut seed), 0.1 + 3.0 * draw(&mut seed));
        if terrain.edit(&Edit::Raise { shape: shape.clone(), by_m }).is_ok() {
            terrain.edit(&Edit::Lower { shape, by_m }).expect("it could be raised");
        }
        assert!(terrain == start, "round {round}");
    }
}

#[test]
fn a_soft_rim_falls_steadily_from_the_flattened_middle() {
    let mut terrain = terrain(41, 41, |_, _| Some(-5.0));
    let shape = Shape::Disc { centre_m: [41.0, 41.0], radius_m: 30.0, rim_m: 20.0 };
    terrain.edit(&Edit::Flatten { shape, to_m: 103.0 }).expect("good");
    let east: Vec<f64> = (20..41).map(|x| height_m(&terrain, x, 20)).collect();
    assert!(east[..6].iter().all(|&z| (z - 3.0).abs() < 1.0e-12), "{east:?}");
    assert!(east[5..16].is_sorted_by(|a, b| a > b), "{east:?}");
    assert!(east[15..].iter().all(|&z| (z + 5.0).abs() < 1.0e-12), "{east:?}");
    // Half way down the margin, half of the change.
    assert!((east[10] + 1.0).abs() < 1.0e-12, "{}", east[10]);
}

#[test]
fn a_channel_has_no_gap_and_only_digs() {
    for seed in 0..50 {
        let mut draws = seed;
        let mut terrain = flat(80, 80);
        let mut at = |_| [10.0 + 140.0 * draw(&mut draws), 10.0 + 140.0 * draw(&mut draws)];
        let line_m: Vec<PointM> = (0..3).map(&mut at).collect();
        let bottom = Bottom::At { first_m: 99.0, last_m: 95.0 };
        terrain.edit(&Edit::Carve { line_m: line_m.clone(), width_m: 3.0, bottom }).expect("good");
        let [first, last] = [line_m[0], line_m[2]].map(|p| p.map(cell_of));
        let ends = [first, last].map(|[x, y]| height_m(&terrain, x, y));
        assert!((ends[0] + 1.0).abs() < 0.1 && (ends[1] + 5.0).abs() < 0.1, "{ends:?}");
        let dug = (0..6400).filter(|i| terrain.finest().bed(i % 80, i / 80) != 0).count();
        assert_eq!(reachable(&terrain, first), dug, "seed {seed}: {line_m:?}");
        // Where the bed is lower it stays.
        let before = terrain.clone();
        let bottom = Bottom::At { first_m: 100.0, last_m: 101.0 };
        let changed = terrain.edit(&Edit::Carve { line_m, width_m: 9.0, bottom }).expect("good");
        assert!(changed.is_empty() && terrain == before, "seed {seed}");
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 160 m")]
fn cell_of(metres: f64) -> usize {
    (metres / 2.0) as usize
}

/// Dug cells that can be reached from one over faces.
fn reachable(terrain: &Terrain, from: [usize; 2]) -> usize {
    let mut seen = vec![false; 6400];
    let mut stack = vec![from];
    let mut count = 0;
    while let Some([x, y]) = stack.pop() {
        if x >= 80 || y >= 80 || seen[y * 80 + x] || terrain.finest().bed(x, y) == 0 {
            continue;
        }
        (seen[y * 80 + x], count) = (true, count + 1);
        stack.extend([[x + 1, y], [x.wrapping_sub(1), y], [x, y + 1], [x, y.wrapping_sub(1)]]);
    }
    count
}

#[test]
fn a_raster_is_pasted_north_row_first_and_keeps_the_bed_where_it_has_none() {
    let mut terrain = terrain(4, 3, |x, _| (x != 3).then_some(1.0));
    let corner = CellPlace { x: 1, y: 1 };
    let heights_m = vec![9.0, 9.0, 9.0, 102.0, f64::NAN, 7.0, 103.0, 104.0, 7.0];
    let paste = Edit::Paste { corner, width: 3, heights_m };
    // Its northern row lies beyond the world: 9 m above sea would be far too low for it.
    let changed = terrain.edit(&paste).expect("good");
    let row = |y| (0..3).map(|x| height_m(&terrain, x, y)).collect::<Vec<f64>>();
    assert_eq!([row(0), row(1), row(2)], [[1.0, 1.0, 1.0], [1.0, 3.0, 4.0], [1.0, 2.0, 1.0]]);
    assert_eq!((changed.columns(), changed.rows()), (1..3, 1..3));
}

#[track_caller]
fn check_refusal(edit: Edit, expected: &str) {
    let mut terrain = terrain(8, 8, |x, _| (x < 6).then_some(0.0));
    let before = terrain.clone();
    let error = terrain.edit(&edit).expect_err("bad input").to_string();
    assert!(error.contains(expected), "{edit:?}: {error}");
    assert!(terrain == before, "{edit:?}");
}

#[test]
fn bad_shapes_are_refused() {
    let raise = |shape| Edit::Raise { shape, by_m: 1.0 };
    let disc = |x, radius_m, rim_m| raise(Shape::Disc { centre_m: [x, 8.0], radius_m, rim_m });
    let polygon = |list: &[PointM]| raise(Shape::Polygon { corners_m: list.to_vec() });
    check_refusal(disc(f64::NAN, 1.0, 0.0), "centre is NaN: give a number from");
    check_refusal(disc(1.0, f64::INFINITY, 0.0), "the radius of the disc is inf");
    check_refusal(disc(1.0, 1.0, 2.0), "the rim of the disc is 2: give a number from 0 to 1");
    check_refusal(disc(8.0, 0.5, 0.0), "the centre of no cell: cells are 2 m wide");
    check_refusal(disc(90.0, 5.0, 0.0), "from 85, 3 to 95, 13 m lies outside the world");
    check_refusal(disc(14.5, 1.5, 0.0), "no cell of the edit has ground");
    check_refusal(polygon(&[[0.0, 0.0], [4.0, 0.0], [0.0, 0.0]]), "has 2 different points");
    let bow = [[0.0, 0.0], [8.0, 8.0], [8.0, 0.0], [0.0, 8.0]];
    check_refusal(polygon(&bow), "corners 0 and 2 (from 0) meet");
    let pinched = [[0.0, 0.0], [4.0, 4.0], [8.0, 0.0], [8.0, 8.0], [4.0, 4.0], [0.0, 8.0]];
    check_refusal(polygon(&pinched), "meet: let no side cross");
    let spike = [[0.0, 0.0], [8.0, 0.0], [4.0, 0.0], [4.0, 8.0]];
    check_refusal(polygon(&spike), "corners 0 and 1 (from 0) meet");
    let sliver = [[0.0, 1.2], [9.0, 1.2], [9.0, 1.3]];
    check_refusal(polygon(&sliver), "the centre of no cell");
    let nowhere = [[0.0, 0.0], [8.0, f64::NEG_INFINITY], [8.0, 8.0]];
    check_refusal(polygon(&nowhere), "a coordinate of the polygon is -inf");
}

#[test]
fn bad_heights_channels_and_rasters_are_refused() {
    let shape = || Shape::Rectangle { low_m: [0.0, 0.0], high_m: [8.0, 8.0] };
    check_refusal(Edit::Raise { shape: shape(), by_m: -1.0 }, "raise or lower by is -1");
    check_refusal(Edit::Lower { shape: shape(), by_m: f64::NAN }, "raise or lower by is NaN");
    check_refusal(Edit::Raise { shape: shape(), by_m: 1.0e-4 }, "a number from 0.0009765625 to");
    let far = "column 0, row 0 from the south-west would be at 1124 m, outside this world's -923";
    check_refusal(Edit::Raise { shape: shape(), by_m: 1024.0 }, far);
    check_refusal(Edit::Lower { shape: shape(), by_m: 2047.9 }, "would be at -1947.9");
    check_refusal(Edit::Flatten { shape: shape(), to_m: 2000.0 }, "flatten to is 2000: give");
    let carve = |line: &[PointM], width_m, first_m| {
        let bottom = Bottom::At { first_m, last_m: 99.0 };
        Edit::Carve { line_m: line.to_vec(), width_m, bottom }
    };
    let line = [[1.0, 1.0], [9.0, 9.0]];
    check_refusal(carve(&line, 2.9, 99.0), "make it 3 m wide or more");
    check_refusal(carve(&line, f64::NAN, 99.0), "the width of the channel is NaN");
    check_refusal(carve(&line, 3.0, -1.0e9), "the channel's bed at its start is -1000000000");
    check_refusal(carve(&line[..1], 3.0, 99.0), "has 1 different points and needs 2");
    check_refusal(carve(&[[99.0, 1.0], [99.0, 9.0]], 3.0, 99.0), "lies outside the world");
    check_refusal(carve(&[[-0.7, 1.0], [-0.7, 9.0]], 3.0, 99.0), "no cell of the edit has ground");
    let bottom = Bottom::Below { depth_m: 0.0 };
    let dry = Edit::Carve { line_m: line.to_vec(), width_m: 4.0, bottom };
    check_refusal(dry, "the depth of the channel is 0");
    let paste = |x, width, heights: &[f64]| {
        let corner = CellPlace { x, y: 0 };
        Edit::Paste { corner, width, heights_m: heights.to_vec() }
    };
    check_refusal(paste(0, 2, &[1.0; 3]), "3 heights are no raster of 2 columns");
    check_refusal(paste(0, 0, &[1.0; 3]), "no raster of 0 columns");
    check_refusal(paste(8, 2, &[1.0; 4]), "from 16, 0 to 20, 4 m lies outside");
    check_refusal(paste(0, 2, &[f64::NAN; 4]), "no cell of the edit has ground");
    check_refusal(paste(0, 2, &[99.0, 99.0, 99.0, 9.9e9]), "column 1, row 0");
    check_refusal(paste(0, 1, &[f64::INFINITY]), "a height of the raster is inf");
}
