//! Falls of valleys with a known slope.

use super::*;
use crate::terrain::{Edit, Shape, Terrain, TerrainBuilder, TerrainOptions};
use crate::units::hash::scramble;
use std::sync::Arc;

const WIDTH: usize = 448;
const MIDDLE: u32 = 224;
const HEIGHT: usize = 320;
const CELL_M: f64 = 2.0;
const SLOPE: f64 = 0.002;
const ALL: Sought = Sought { border: [true; 4], nodata: true };

/// Ground of these heights, m, by metres from the south-west.
fn ground(bed: impl Fn(f64, f64) -> f64) -> Relief {
    let scale = VerticalScale::try_new(20, 0.0).expect("in range");
    let options = TerrainOptions {
        width: WIDTH,
        height: HEIGHT,
        cell_width_m: CELL_M,
        scale,
        bed_exponent: 20,
    };
    let mut builder = TerrainBuilder::try_new(options).expect("good");
    let middle = |i: usize| (i as f64 + 0.5) * CELL_M;
    for y in (0..HEIGHT).rev() {
        let row: Vec<f64> = (0..WIDTH).map(|x| bed(middle(x), middle(y))).collect();
        builder.push_row(&row).expect("good");
    }
    Relief::InMemory(Arc::new(builder.finish().expect("good")))
}

fn terrain(relief: &mut Relief) -> &mut Terrain {
    match relief {
        Relief::InMemory(terrain) => Arc::get_mut(terrain).expect("its own"),
        Relief::InFile(_) => unreachable!("in memory"),
    }
}

/// Noise of so many metres.
fn noise(x: f64, y: f64, most: f64) -> f64 {
    let draw = scramble(x.to_bits() ^ y.to_bits().rotate_left(17)) >> 40;
    most * (draw as f64 / f64::from(1 << 24) - 0.5)
}

/// A valley with a flat floor, whose middle leans by `lean` and meets the south side in its middle.
fn valley(lean: f64, rough: f64) -> Relief {
    let along = 1.0 / 1.0_f64.hypot(lean);
    ground(move |x, y| {
        let away = x - (WIDTH as f64 * CELL_M / 2.0 + lean * y);
        let bank = (away.abs() * along - 30.0).max(0.0);
        SLOPE * (y + away * lean * along * along) / along
            + (0.1 * bank).min(6.0)
            + noise(x, y, rough)
    })
}

/// Goal: faces of a valley have its fall, whatever its angle, the noise of its floor and the level
/// of their cells. Method: the fall towards the edge of a floor 60 m wide, at angles up to 56°.
#[test]
fn faces_have_the_fall_of_their_valley() {
    for (lean, rough, within) in
        [(0.0, 0.0, 0.01), (1.0, 0.0, 0.06), (-1.5, 0.0, 0.06), (0.6, 0.1, 0.2)]
    {
        let relief = valley(lean, rough);
        let falls = Falls::of(&relief, ALL);
        let wanted = SLOPE / 1.0_f64.hypot(lean);
        for level in 0..=4 {
            let place = CellPlace { x: MIDDLE >> level, y: 0 };
            let fall = falls.towards(Side::South, (level, place), relief.scale()).expect("an edge");
            let off = f64::from(fall.slope) / wanted - 1.0;
            assert!(off.abs() < within, "{lean}, {rough}, level {level}: {fall:?}, {wanted}");
        }
    }
}

/// A channel some cells wide between banks of 2 m, whose middle leans by `lean`.
fn channel(cells: f64, lean: f64, slope: f64) -> Relief {
    let along = 1.0 / 1.0_f64.hypot(lean);
    ground(move |x, y| {
        let away = (x - (WIDTH as f64 * CELL_M / 2.0 + lean * y)) * along;
        let bank = if 2.0 * away.abs() <= cells * CELL_M { 0.0 } else { 2.0 };
        slope * (y / along + away * lean) + bank
    })
}

/// Goal: faces of a channel and of its banks have its fall, whatever its width and angle, and where
/// it comes in they are known to rise. Method: channels of 2 to 8 cells at 0 to 60° that fall
/// towards the edge and away from it; faces of the channel and of its banks.
#[test]
fn faces_have_the_fall_of_their_channel() {
    for (cells, lean) in [(2.0, 0.0), (2.0, 0.27), (3.0, -1.0), (4.0, 1.73), (8.0, 0.58)] {
        for slope in [0.002, 0.0005, -0.0005, -0.002] {
            let relief = channel(cells, lean, slope);
            let falls = Falls::of(&relief, ALL);
            let wanted = slope / 1.0_f64.hypot(lean);
            for x in [MIDDLE, MIDDLE + 12, MIDDLE - 20] {
                let place = CellPlace { x, y: 0 };
                let fall = falls.towards(Side::South, (0, place), relief.scale()).expect("an edge");
                let off = f64::from(fall.slope) / wanted - 1.0;
                let case = format!("{cells} cells, {lean}, {slope}, column {x}: {fall:?}");
                assert!(off.abs() < 0.1, "{case}, {wanted}");
                assert_eq!(fall.rises, slope < 0.0, "{case}");
            }
        }
    }
}

/// Goal: ground that rises gently towards an edge is a river only between banks. Method: a plain
/// and a shore with one bank, which rise surely towards the south.
#[test]
fn ground_without_two_banks_is_no_river() {
    let rise = 0.0005;
    let plain = ground(move |_, y| -rise * y);
    let shore = ground(move |x, y| 0.05 * (x - 500.0).max(0.0) - rise * y);
    for (name, relief) in [("plain", plain), ("shore", shore)] {
        let falls = Falls::of(&relief, ALL);
        let faces = falls.0.values().flat_map(|faces| faces.iter());
        let south: Vec<&FaceFall> = faces.filter(|face| face.side == Side::South).collect();
        assert_eq!(south.len(), WIDTH);
        for face in south {
            let off = f64::from(face.fall.slope) / -rise - 1.0;
            assert!(off.abs() < 0.05 && !face.fall.rises, "{name}: {face:?}");
        }
    }
}

/// Goal: ground that neither falls nor rises is no wall. Method: noise on the level floors of 22
/// channels side by side.
#[test]
fn noise_does_not_rise() {
    let relief = ground(|x, y| {
        let bank = if (x / CELL_M) % 20.0 < 8.0 { 3.0 } else { 0.0 };
        bank + noise(x, y, 0.3)
    });
    let falls = Falls::of(&relief, ALL);
    let all: Vec<FaceFall> = falls.0.values().flat_map(|faces| faces.iter().copied()).collect();
    let rising = all.iter().filter(|face| face.fall.rises).count();
    assert!(rising * 50 < all.len(), "{rising} of {}", all.len());
    assert!(all.iter().all(|face| face.fall.slope.abs() < 2.0e-3));
}

/// Goal: a plane has its own fall at every face, and an outline of steps at each of their sides.
#[test]
fn a_plane_has_its_own_fall() {
    let is_cut = |x: f64, y: f64| x + y < 200.0;
    let relief = ground(move |x, y| match is_cut(x, y) {
        true => f64::NAN,
        false => 0.003 * y + 0.001 * x,
    });
    let falls = Falls::of(&relief, ALL);
    let mut count = [0; 4];
    for (tile, faces) in &falls.0 {
        for face in faces {
            let wanted = [0.001, -0.001, 0.003, -0.003][face.side as usize];
            assert!((face.fall.slope - wanted).abs() < 2.0e-5, "{tile:?}: {face:?}");
            count[face.side as usize] += 1;
        }
    }
    assert_eq!(count, [HEIGHT, HEIGHT, WIDTH, WIDTH], "each side of the outline");
}

/// Goal: only what is sought is found, in holes too.
#[test]
fn only_what_is_sought_is_found() {
    let relief = ground(|x, y| if (x - 400.0).hypot(y - 300.0) < 20.0 { f64::NAN } else { y });
    let sides = |sought| {
        let falls = Falls::of(&relief, sought);
        let mut count = [0; 4];
        falls.0.values().flatten().for_each(|face| count[face.side as usize] += 1);
        count
    };
    assert_eq!(sides(Sought::default()), [0; 4]);
    let mut south = Sought::default();
    south.border[Side::South as usize] = true;
    assert_eq!(sides(south), [0, 0, WIDTH, 0]);
    // A disc of ten cells, from all sides.
    assert_eq!(sides(Sought { nodata: true, ..Sought::default() }), [20; 4]);
}

/// Goal: falls that follow an edit are those found afresh. Method: mounds and pits near the edges
/// and far from them.
#[test]
fn falls_follow_edits() {
    let mut relief = valley(0.7, 0.2);
    let mut falls = Falls::of(&relief, ALL);
    let mut counts = Vec::new();
    for (centre_m, by_m) in
        [([450.0, 8.0], 3.0), ([880.0, 600.0], -2.0), ([450.0, 320.0], 5.0), ([500.0, 60.0], -1.0)]
    {
        let shape = Shape::Disc { centre_m, radius_m: 16.0, rim_m: 4.0 };
        let edit = match by_m > 0.0 {
            true => Edit::Raise { shape, by_m },
            false => Edit::Lower { shape, by_m: -by_m },
        };
        let changed = terrain(&mut relief).edit(&edit).expect("an edit");
        let others = falls.follow(&changed, &relief).expect("in memory");
        let fresh = Falls::of(&relief, ALL);
        assert!(falls.0 == fresh.0, "{centre_m:?}");
        counts.push(others.len());
    }
    assert!(counts[0] > 2 && counts[2] == 0, "{counts:?}");
}
