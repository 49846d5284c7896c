//! Made maps whose faults are known: each is found where it is, and little else.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "made maps of a few hundred columns"
)]

use super::*;

const SIZE: (usize, usize) = (300, 220);
const CELL_M: f64 = 10.0;

/// Smooth noise of hashed values on a lattice of so many cells, −1…1.
fn noise([x, y]: [f64; 2], cells: f64, seed: u32) -> f64 {
    let (x, y) = (x / cells, y / cells);
    let (i, j) = (x.floor(), y.floor());
    let ease = |t: f64| t * t * (3.0 - 2.0 * t);
    let (u, v) = (ease(x - i), ease(y - j));
    let corner = |di: f64, dj: f64| {
        let place = ((i + di) as u32).wrapping_mul(0x9e37_79b9)
            ^ ((j + dj) as u32).wrapping_mul(0x85eb_ca6b)
            ^ seed.wrapping_mul(0xc2b2_ae35);
        let mixed = (place ^ (place >> 15)).wrapping_mul(0x2c1b_3c6d);
        let mixed = (mixed ^ (mixed >> 12)).wrapping_mul(0x297a_2d39);
        f64::from(mixed ^ (mixed >> 15)) / f64::from(u32::MAX) * 2.0 - 1.0
    };
    let north = corner(0.0, 0.0) * (1.0 - u) + corner(1.0, 0.0) * u;
    let south = corner(0.0, 1.0) * (1.0 - u) + corner(1.0, 1.0) * u;
    north * (1.0 - v) + south * v
}

/// Course of a brook from the north: its column at a row.
fn brook(number: f64, y: f64) -> f64 {
    30.0 + 60.0 * number + 6.0 * (y / 20.0 + 2.0 * number).sin()
}

/// Course of the river: its row at a column.
fn river(x: f64) -> f64 {
    160.0 + 8.0 * (x / 25.0).sin()
}

/// Floor of a brook at a row.
fn floor(number: f64, y: f64) -> f64 {
    let mouth = river(brook(number, 160.0));
    0.1 * brook(number, 160.0) + 0.2 * (mouth - y).max(0.0)
}

/// A valley with a river to the west and five brooks from the north, below hills of 75 m.
fn valley([x, y]: [f64; 2], seed: u32) -> f64 {
    let side = |away: f64| 25.0 * (1.0 - (-(away / 16.0).powi(2)).exp());
    let main = 0.1 * x + 3.0 * side((y - river(x)) / 3.0);
    let brooks = [0.0, 1.0, 2.0, 3.0, 4.0];
    let brooks = brooks.map(|number| floor(number, y) + side(x - brook(number, y)));
    let lowest = brooks.into_iter().fold(main, f64::min);
    (if y < river(x) { lowest } else { main }) + 0.2 * noise([x, y], 6.0, seed)
}

/// Embankments across the brooks: number of the brook, row, turn in radians, half width.
const DAMS: [(f64, f64, f64, f64); 5] = [
    (0.0, 90.0, 0.0, 0.6),
    (1.0, 60.0, 0.6, 1.2),
    (2.0, 110.0, -0.4, 0.6),
    (3.0, 40.0, 0.2, 1.0),
    (4.0, 100.0, -0.8, 0.8),
];

/// Pits: column, row, radius and depth.
const PITS: [(f64, f64, f64, f64); 5] = [
    (62.0, 85.0, 3.0, 3.0),
    (180.0, 70.0, 4.0, 4.0),
    (230.0, 195.0, 3.0, 6.0),
    (100.0, 190.0, 5.0, 8.0),
    (150.0, 158.0, 3.0, 3.0),
];

/// Flats: west, north, columns, rows.
const FLATS: [[usize; 4]; 2] = [[110, 125, 14, 12], [250, 175, 20, 10]];

const HILL: [f64; 2] = [40.0, 200.0];

fn made(seed: u32) -> Vec<f32> {
    let height = |cell: usize| {
        let (column, row) = (cell % SIZE.0, cell / SIZE.0);
        let (x, y) = (column as f64, row as f64);
        let mut z = valley([x, y], seed);
        for (number, at, turn, half) in DAMS {
            let (dx, dy) = (x - brook(number, at), y - at);
            let (along, across) =
                (dx * turn.cos() + dy * turn.sin(), dy * turn.cos() - dx * turn.sin());
            if along.abs() < 14.0 {
                z = z.max(floor(number, at) + 4.0 - 3.0 * (across.abs() - half).max(0.0));
            }
        }
        for (px, py, radius, depth) in PITS {
            let far = (x - px).hypot(y - py) / radius;
            z -= depth * (1.0 - far * far).max(0.0);
        }
        for [west, north, columns, rows] in FLATS {
            if (west..west + columns).contains(&column) && (north..north + rows).contains(&row) {
                z = valley([west as f64 + 7.0, north as f64 + 5.0], seed);
            }
        }
        let far = (x - HILL[0]).hypot(y - HILL[1]) / 14.0;
        (z + 120.0 * (-far * far).exp()).min(110.0) as f32
    };
    (0..SIZE.0 * SIZE.1).map(height).collect()
}

fn found(heights_m: &[f32], size: (usize, usize)) -> Vec<GroundFault> {
    find(&SearchedGround { heights_m, size, cell_m: CELL_M })
}

fn brief(faults: &[GroundFault]) -> Vec<(FaultKind, (usize, usize), usize)> {
    faults.iter().map(|fault| (fault.kind, fault.cell, fault.cells.len())).collect()
}

/// Goal: five dams, five pits, two flats and a clipped hill are found where they are, with at most
/// two others.
#[test]
fn the_faults_of_a_made_valley_are_found() {
    for seed in 0..8 {
        let mut faults = found(&made(seed), SIZE);
        let dams = DAMS.map(|(number, at, ..)| (FaultKind::Dam, [brook(number, at), at], 7.0));
        let pits = PITS.map(|(x, y, ..)| (FaultKind::Pit, [x, y], 3.0));
        let flats = FLATS.map(|[west, north, columns, rows]| {
            let middle = [west + columns / 2, north + rows / 2].map(|at| at as f64);
            (FaultKind::Flat, middle, 2.0)
        });
        let hill = [(FaultKind::Highest, HILL, 3.0)];
        for (kind, [x, y], near) in dams.into_iter().chain(pits).chain(flats).chain(hill) {
            let is_it = |fault: &GroundFault| {
                let (column, row) = fault.cell;
                fault.kind == kind && (column as f64 - x).hypot(row as f64 - y) <= near
            };
            let at = faults.iter().position(is_it);
            let Some(at) = at else {
                panic!("seed {seed}: no {kind:?} at {x:.0}, {y:.0} in {:?}", brief(&faults))
            };
            faults.remove(at);
        }
        assert!(faults.len() <= 2, "seed {seed}: {:?}", brief(&faults));
    }
}

/// Hills of fractal noise on a slope, cells of 10 m: a part `rough` of each octave is in the next.
fn hills(seed: u32, rough: f64) -> Vec<f32> {
    let height = |cell: usize| {
        let at = [(cell % SIZE.0) as f64, (cell / SIZE.0) as f64];
        let octaves = (0..6).map(|octave| {
            let size = 0.5_f64.powi(octave);
            30.0 * rough.powi(octave) * noise(at, 64.0 * size, seed + octave as u32)
        });
        (octaves.sum::<f64>() + 0.15 * at[0]) as f32
    };
    (0..SIZE.0 * SIZE.1).map(height).collect()
}

/// Goal: a dam of single cells is found, along the grid and obliquely to it.
#[test]
fn a_dam_of_single_cells_is_found() {
    let (width, height) = (120, 61);
    for turn in [0.0, 0.4, 1.0, -1.0] {
        let height_m = |cell: usize| {
            let (column, row) = (cell % width, cell / width);
            let (x, y) = (column as f64, row as f64 - 30.0);
            let is_crest = column == (60.0 + turn * y).round() as usize;
            let crest = if is_crest { 13.0 } else { 0.0 };
            (0.15 * x + 0.02 * y * y).max(crest) as f32
        };
        let heights_m: Vec<f32> = (0..width * height).map(height_m).collect();
        let faults = found(&heights_m, (width, height));
        let [dam] = faults.as_slice() else { panic!("turn {turn}: {faults:?}") };
        let (column, row) = dam.cell;
        // The deepest water behind an oblique dam lies where the valley falls along it.
        let behind = column as f64 - 60.0 - turn * (row as f64 - 30.0);
        let is_near = (0.0..=3.0).contains(&behind) && row.abs_diff(30) <= 5;
        assert!(dam.kind == FaultKind::Dam && is_near, "turn {turn}: {:?}", brief(&faults));
        assert!(dam.to.is_some_and(|to| to.0 < column), "turn {turn}: {dam:?}");
    }
}

/// Goal: ground without faults has few.
/// Method: hills whose hollows are filled to their spills, as lakes; a basin 2 km wide behind a
///         broad sill; heights in whole metres; a coast with its sea.
#[test]
fn natural_ground_has_few_faults() {
    let mut count = 0;
    for (seed, rough) in [(1, 0.4), (2, 0.4), (3, 0.5), (4, 0.5), (5, 0.6), (6, 0.6)] {
        let own = hills(10 * seed, rough);
        let filled =
            hollow::flood(&SearchedGround { heights_m: &own, size: SIZE, cell_m: CELL_M }).level_m;
        let basin = |(cell, height_m): (usize, &f32)| {
            let (x, y) = ((cell % SIZE.0) as f32 - 150.0, (cell / SIZE.0) as f32 - 110.0);
            let far = (x * x + y * y) / 1.0e4;
            0.02 * height_m - 8.0 * (1.0 - far).max(0.0) + 20.0 * far.clamp(1.0, 1.2)
        };
        let cases = [
            ("lakes", filled.clone()),
            ("whole metres", filled.iter().map(|height| height.round()).collect()),
            ("coast", filled.iter().map(|height| (height - 20.0).max(0.0)).collect()),
            ("basin", own.iter().enumerate().map(basin).collect()),
        ];
        for (name, heights_m) in cases {
            let faults = found(&heights_m, SIZE);
            count += faults.len();
            assert!(faults.len() <= 2, "{name}, seed {seed}: {:?}", brief(&faults));
        }
    }
    assert!(count <= 4, "{count} faults on 24 maps");
}

/// Goal: what looks like a fault and is none is left in peace, and missing heights are known by
///       where they are.
/// Method: a valley that falls to the west, 120 × 61 cells, and a change of its heights.
#[test]
fn faults_are_told_from_what_looks_alike() {
    let (width, height) = (120, 61);
    let smooth = |x: f64, y: f64| 20.0 + 0.15 * x + 0.02 * y * y;
    let far = |x: f64, y: f64, column: f64| (x - column).hypot(y);
    let cone = |far: f64, radius: f64| (1.0 - far * far / radius / radius).max(0.0);
    let whole = |value: f64, is_there: bool, other: f64| if is_there { value } else { other };
    type Height<'a> = &'a dyn Fn(f64, f64, f64) -> f64;
    let cases: [(&str, Height<'_>, &[FaultKind]); 9] = [
        ("a hole", &|x, y, z| whole(f64::NAN, far(x, y, 60.0) < 6.0, z), &[FaultKind::Gap]),
        ("NoData from the frame on", &|x, _, z| whole(f64::NAN, x < 60.0, z), &[]),
        (
            "a hole filled with 0",
            &|x, y, z| whole(0.0, far(x, y, 60.0) < 7.0, z),
            &[FaultKind::Pit, FaultKind::Lowest],
        ),
        ("a sea at the frame", &|x, _, z| whole(0.0, x < 30.0, z), &[]),
        (
            "a level crest",
            &|x, _, z| z.max(whole(40.0, (x - 60.0).abs() < 2.0, z)),
            &[FaultKind::Dam],
        ),
        ("a shallow pond", &|x, y, z| whole(27.6, far(x, y, 60.0) < 5.5, z), &[]),
        ("a quarry", &|x, y, z| z - 20.0 * cone(far(x, y, 60.0), 20.0), &[]),
        ("a rounded top", &|x, y, _| (50.0 - far(x, y, 60.0).powi(2) / 100.0).round(), &[]),
        (
            "a deeper pit upstream",
            &|x, y, z| z - 4.0 * cone(far(x, y, 60.0), 3.0) - 9.0 * cone(far(x, y, 68.0), 4.0),
            &[FaultKind::Pit, FaultKind::Pit],
        ),
    ];
    for (name, changed, expected) in cases {
        let height_m = |cell: usize| {
            let (x, y) = ((cell % width) as f64, (cell / width) as f64 - 30.0);
            changed(x, y, smooth(x, y)) as f32
        };
        let heights_m: Vec<f32> = (0..width * height).map(height_m).collect();
        let faults = found(&heights_m, (width, height));
        let kinds: Vec<FaultKind> = faults.iter().map(|fault| fault.kind).collect();
        assert_eq!(kinds, expected, "{name}: {:?}", brief(&faults));
    }
}

/// Goal: hollows of rough ground are pits rather than dams.
#[test]
fn hollows_between_rough_hills_are_seldom_dams() {
    let (mut dams, mut all) = (0, 0);
    for (seed, rough) in [(1, 0.5), (2, 0.5), (3, 0.6), (4, 0.6), (5, 0.7), (6, 0.7)] {
        let faults = found(&hills(10 * seed, rough), SIZE);
        dams += faults.iter().filter(|fault| fault.kind == FaultKind::Dam).count();
        all += faults.len();
    }
    assert!(all > 1000 && 8 * dams <= all, "{dams} dams of {all} faults");
}
