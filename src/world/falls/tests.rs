//! Falls of valleys with a known slope.

use super::*;
use std::sync::Arc;
use thalweg_engine::terrain::{Edit, Shape, Terrain, TerrainBuilder, TerrainOptions};
use thalweg_engine::units::hash::scramble;

const WIDTH: usize = 448;
const MIDDLE: u32 = 224;
const HEIGHT: usize = 320;
const CELL_M: f64 = 2.0;
const SLOPE: f64 = 0.002;
const ALL: SoughtFaces = SoughtFaces { border: [true; 4], nodata: true, holes: false };

/// Ground of these heights, m, by metres from the south-west.
fn ground(bed: impl Fn(f64, f64) -> f64) -> WorldRelief {
    let middle = |i: usize| (i as f64 + 0.5) * CELL_M;
    ground_of_cells([WIDTH, HEIGHT], CELL_M, |[x, y]| bed(middle(x), middle(y)))
}

/// Ground of so many cells of these heights, m.
fn ground_of_cells(
    [width, height]: [usize; 2],
    cell_width_m: f64,
    bed: impl Fn([usize; 2]) -> f64,
) -> WorldRelief {
    let scale = VerticalScale::try_new(20, 0.0).expect("in range");
    let options = TerrainOptions { width, height, cell_width_m, scale, bed_exponent: 20 };
    let mut builder = TerrainBuilder::try_new(options).expect("good");
    for y in (0..height).rev() {
        let row: Vec<f64> = (0..width).map(|x| bed([x, y])).collect();
        builder.push_row(&row).expect("good");
    }
    WorldRelief::InMemory(Arc::new(builder.finish().expect("good")))
}

/// One of the eight ways in which a map may lie: mirrored along x, along y, and then transposed.
#[derive(Debug, Clone, Copy)]
struct Turn {
    mirrored: [bool; 2],
    is_transposed: bool,
}

impl Turn {
    fn all() -> impl Iterator<Item = Self> {
        let is = |turn: usize, bit: usize| turn >> bit & 1 == 1;
        (0..8).map(move |n| Self { mirrored: [is(n, 0), is(n, 1)], is_transposed: is(n, 2) })
    }

    fn swapped<T>(self, [x, y]: [T; 2]) -> [T; 2] {
        if self.is_transposed { [y, x] } else { [x, y] }
    }

    /// Ground of cells that lies so.
    fn ground(self, size: [usize; 2], cell_m: f64, bed: impl Fn([usize; 2]) -> f64) -> WorldRelief {
        ground_of_cells(self.swapped(size), cell_m, |at| bed(self.mirrored(size, self.swapped(at))))
    }

    fn mirrored(self, size: [usize; 2], at: [usize; 2]) -> [usize; 2] {
        [0, 1].map(|axis| if self.mirrored[axis] { size[axis] - 1 - at[axis] } else { at[axis] })
    }

    /// A side of the map in what lies so.
    fn side(self, side: Side) -> Side {
        let offset = side.offset();
        let [x, y] = [offset.0, offset.1];
        let turned = |by: i32, axis: usize| if self.mirrored[axis] { -by } else { by };
        let [x, y] = self.swapped([turned(x, 0), turned(y, 1)]);
        let is_it = |side: &Side| side.offset() == (x, y);
        Side::ALL.into_iter().find(is_it).expect("one of four")
    }

    /// The fall towards a side of a cell, of a level of a map of a size, in what lies so.
    fn fall(
        self,
        (falls, relief): (&FaceFalls, &WorldRelief),
        (size, level): ([usize; 2], u8),
        (at, side): ([usize; 2], Side),
    ) -> GroundFall {
        let size = size.map(|cells| cells >> level);
        let [x, y] =
            self.swapped(self.mirrored(size, at)).map(|at| u32::try_from(at).expect("small"));
        let place = (level, CellPlace { x, y });
        falls.towards(self.side(side), place, relief.scale(), |_| false).expect("an edge")
    }
}

/// Falls towards the cells of the south side of a map in all ways in which it may lie.
fn towards_south(
    size: [usize; 2],
    cell_m: f64,
    bed: impl Fn([usize; 2]) -> f64,
    mut check: impl FnMut(usize, GroundFall, Turn),
) {
    for turn in Turn::all() {
        let relief = turn.ground(size, cell_m, &bed);
        let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
        for x in 0..size[0] {
            check(x, turn.fall((&falls, &relief), (size, 0), ([x, 0], Side::South)), turn);
        }
    }
}

fn terrain(relief: &mut WorldRelief) -> &mut Terrain {
    match relief {
        WorldRelief::InMemory(terrain) => Arc::get_mut(terrain).expect("its own"),
        WorldRelief::InFile(_) => unreachable!("in memory"),
    }
}

/// Noise of so many metres.
fn noise(x: f64, y: f64, most: f64) -> f64 {
    let draw = scramble(x.to_bits() ^ y.to_bits().rotate_left(17)) >> 40;
    most * (draw as f64 / f64::from(1 << 24) - 0.5)
}

/// A valley with a flat floor, whose middle leans by `lean` and meets the south side in its middle.
fn valley(lean: f64, rough: f64) -> WorldRelief {
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
        let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
        let wanted = SLOPE / 1.0_f64.hypot(lean);
        for level in 0..=4 {
            let place = CellPlace { x: MIDDLE >> level, y: 0 };
            let fall = falls
                .towards(Side::South, (level, place), relief.scale(), |_| false)
                .expect("an edge");
            let off = f64::from(fall.slope) / wanted - 1.0;
            assert!(off.abs() < within, "{lean}, {rough}, level {level}: {fall:?}, {wanted}");
        }
    }
}

/// A channel some cells wide between banks of 2 m, whose middle leans by `lean`.
fn channel(cells: f64, lean: f64, slope: f64) -> WorldRelief {
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
            let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
            let wanted = slope / 1.0_f64.hypot(lean);
            for x in [MIDDLE, MIDDLE + 12, MIDDLE - 20] {
                let place = CellPlace { x, y: 0 };
                let fall = falls
                    .towards(Side::South, (0, place), relief.scale(), |_| false)
                    .expect("an edge");
                let off = f64::from(fall.slope) / wanted - 1.0;
                let case = format!("{cells} cells, {lean}, {slope}, column {x}: {fall:?}");
                assert!(off.abs() < 0.1, "{case}, {wanted}");
                assert_eq!(fall.rise > 0, slope < 0.0, "{case}");
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
        let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
        let faces = falls.0.values().flat_map(|faces| faces.iter());
        let south: Vec<&FaceFall> = faces.filter(|face| face.side == Side::South).collect();
        assert_eq!(south.len(), WIDTH);
        for face in south {
            let off = f64::from(face.fall.slope) / -rise - 1.0;
            assert!(off.abs() < 0.05 && face.fall.rise == 0, "{name}: {face:?}");
        }
    }
}

/// Goal: an edge beside a river that runs along it is a wall if the bank between them falls to the
/// river, whatever lies beyond it. Method: a river of 5 cells, 9 to 24 cells inside the south edge,
/// with and without a bed below the plain; the plain falls to it by 1 in 125 from the edge, is
/// rough and bears houses; the far bank is alike, or four times as steep.
#[test]
fn an_edge_above_a_river_along_it_is_a_wall() {
    const NEAR: f64 = 1.0 / 125.0;
    let bed = |[x, y]: [usize; 2], [cells, depth, rough, far]: [f64; 4]| {
        let row = y as f64 + 0.5;
        let (before, behind) = (cells - row, row - cells - 5.0);
        let is_house = x % 45 < 6 && (2..7).contains(&y);
        let river = if before < 0.0 && behind < 0.0 { -depth } else { 0.0 };
        let banks = NEAR * before.max(0.0) + far * behind.max(0.0);
        let house = if is_house { 5.0 } else { 0.0 };
        CELL_M * banks + river + house + noise(x as f64, y as f64, rough)
    };
    for n in 0..32 {
        let one = |bit: usize, of: [f64; 2]| of[n >> bit & 1];
        let cells = [9.0, 12.0, 16.0, 24.0][n >> 3];
        let case = [cells, one(0, [0.0, 0.5]), one(1, [0.02, 0.2]), one(2, [NEAR, 4.0 * NEAR])];
        let relief = ground_of_cells([128, 160], CELL_M, |at| bed(at, case));
        let south =
            SoughtFaces { border: [false, false, true, false], nodata: false, holes: false };
        let falls = FaceFalls::of(&relief, south, &MapHoles::default());
        assert_eq!(all_faces(&falls).count(), 128);
        for (_, face) in all_faces(&falls) {
            // More than 10⁻³ is a wall; a river below the plain makes the bank steeper.
            assert!(f64::from(face.fall.slope) < -0.5 * NEAR, "{case:?}: {face:?}");
        }
    }
}

/// Goal: rough ground that falls inward from an edge, without a river, has its own fall. Method: a
/// plane whose rows are off by up to five times what it falls from one to the next.
#[test]
fn rough_ground_has_no_river_along_its_edge() {
    for (fall_m, rough) in [(0.02, 0.05), (0.02, 0.1), (0.04, 0.1), (0.08, 0.2)] {
        let relief = ground_of_cells([128, 320], CELL_M, |[_, y]| {
            -fall_m * y as f64 + noise(y as f64, 1.0, rough)
        });
        let south =
            SoughtFaces { border: [false, false, true, false], nodata: false, holes: false };
        let falls = FaceFalls::of(&relief, south, &MapHoles::default());
        assert_eq!(all_faces(&falls).count(), 128);
        for (_, face) in all_faces(&falls) {
            let off = f64::from(face.fall.slope) / (-fall_m / CELL_M) - 1.0;
            assert!(off.abs() < 0.5, "{fall_m}, {rough}: {face:?}");
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
    let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
    let all: Vec<FaceFall> = falls.0.values().flat_map(|faces| faces.iter().copied()).collect();
    let rising = all.iter().filter(|face| face.fall.rise > 0).count();
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
    let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
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
    let holes = MapHoles::of(&relief);
    let sides = |sought| {
        let falls = FaceFalls::of(&relief, sought, &holes);
        let mut count = [0; 4];
        falls.0.values().flatten().for_each(|face| count[face.side as usize] += 1);
        count
    };
    assert_eq!(sides(SoughtFaces::default()), [0; 4]);
    let mut south = SoughtFaces::default();
    south.border[Side::South as usize] = true;
    assert_eq!(sides(south), [0, 0, WIDTH, 0]);
    // A disc of ten cells, from all sides.
    assert_eq!(sides(SoughtFaces { holes: true, ..SoughtFaces::default() }), [20; 4]);
    assert_eq!(sides(SoughtFaces { nodata: true, ..SoughtFaces::default() }), [0; 4]);
}

/// How far a place is down a valley that leans from eastward by an angle, and how far aside.
fn in_valley((x, y): (f64, f64), degrees: f64) -> [f64; 2] {
    let (x, y) = (x - WIDTH as f64, y - HEIGHT as f64);
    let (sin, cos) = degrees.to_radians().sin_cos();
    [x * cos + y * sin, y * cos - x * sin]
}

/// How far the middle of a face's cell is down a valley and aside.
fn middle_in_valley(face: &FaceFall, tile: TileKey, degrees: f64) -> [f64; 2] {
    let (x, y) = face.place(tile);
    let middle = |at: u32| (f64::from(at) + 0.5) * CELL_M;
    in_valley((middle(x), middle(y)), degrees)
}

fn all_faces(falls: &FaceFalls) -> impl Iterator<Item = (&TileKey, &FaceFall)> {
    falls.0.iter().flat_map(|(tile, faces)| faces.iter().map(move |face| (tile, face)))
}

/// A valley of 12 cells, 400 m long, that ends in cells without data across it.
fn cut_valley(degrees: f64, slope: f64) -> WorldRelief {
    slanted_valley(degrees, 0.0, slope)
}

/// A valley of 12 cells, 400 m long, whose ends lean by so much from across.
fn slanted_valley(degrees: f64, lean: f64, slope: f64) -> WorldRelief {
    ground(move |x, y| {
        let [down, aside] = in_valley((x, y), degrees);
        let bank = (aside.abs() - 12.0).clamp(0.0, 4.0);
        if (down - lean * aside).abs() > 200.0 { f64::NAN } else { bank - slope * down }
    })
}

/// Goal: a river enters where cells without data cut its valley off and leaves at the other end,
/// however they lean. Method: all faces on the floor of valleys at angles up to 75°.
#[test]
fn a_valley_that_is_cut_off_at_a_slant_is_known() {
    for degrees in [0.0, 8.0, 15.0, 22.0, 30.0, 45.0, 58.0, 63.0, 66.0, 75.0] {
        let falls = FaceFalls::of(&cut_valley(degrees, SLOPE), ALL, &MapHoles::default());
        let mut counts = [0, 0];
        for (&tile, face) in all_faces(&falls) {
            let [down, aside] = middle_in_valley(face, tile, degrees);
            if aside.abs() > 10.0 {
                continue;
            }
            let case = format!("{degrees}°, {down:.0} m down, {aside:.0} m aside: {face:?}");
            counts[usize::from(down > 0.0)] += 1;
            assert_eq!(face.fall.rise > 0, down < 0.0, "{case}");
            assert_eq!(face.fall.slope > 0.0, down > 0.0, "{case}");
            assert!(f64::from(face.fall.slope).abs() < 1.1 * SLOPE, "{case}");
        }
        assert!(counts.iter().all(|&count| count >= 10), "{degrees}: {counts:?}");
    }
}

/// Goal: the same where the ends do not lie across the valley; faces along it let nothing out.
/// Method: valleys along the rows and at an angle, with ends that lean by up to 60°.
#[test]
fn a_valley_that_is_cut_off_obliquely_is_known() {
    let along = [(0.0, 0.8), (0.0, 1.7), (90.0, -0.8)];
    let at_an_angle = [
        (10.0, 0.5),
        (20.0, 1.0),
        (20.0, -1.0),
        (33.0, 0.5),
        (45.0, 1.0),
        (60.0, 0.9),
        (60.0, -1.5),
        (70.0, -1.4),
    ];
    for (degrees, lean) in along.into_iter().chain(at_an_angle) {
        let falls = FaceFalls::of(&slanted_valley(degrees, lean, SLOPE), ALL, &MapHoles::default());
        let (mut counts, mut lets_out) = ([0, 0], false);
        for (&tile, face) in all_faces(&falls) {
            let [down, aside] = middle_in_valley(face, tile, degrees);
            if aside.abs() > 10.0 {
                continue;
            }
            let case = format!("{degrees}°, {lean}, {down:.0} m down, {aside:.0} aside: {face:?}");
            let is_end = down > lean * aside;
            counts[usize::from(is_end)] += 1;
            let [sin, cos] = [degrees.to_radians().sin(), degrees.to_radians().cos()];
            let (east, north) = face.side.offset();
            let is_outward = f64::from(east) * cos + f64::from(north) * sin > 0.1;
            let is_wall = face.fall.rise > 0 || face.fall.slope < -1.0e-3;
            assert_eq!(is_wall, !is_end || !is_outward, "{case}");
            assert!(is_wall || f64::from(face.fall.slope) < 1.1 * SLOPE, "{case}");
            lets_out |= is_end && f64::from(face.fall.slope) > 0.4 * SLOPE;
        }
        assert!(counts.iter().all(|&count| count >= 10), "{degrees}, {lean}: {counts:?}");
        assert!(lets_out, "{degrees}, {lean}");
    }
}

/// Goal: a river that meets a corner of the map enters or leaves over both of its sides. Method:
/// valleys at three angles, through the corner and some cells beside it, to both directions.
#[test]
fn a_valley_that_ends_at_a_corner_is_known() {
    for (degrees, fall, off) in [25.0, 45.0, 60.0]
        .into_iter()
        .flat_map(|degrees| [SLOPE, -SLOPE].map(|fall| (degrees, fall)))
        .flat_map(|(degrees, fall)| [-8.0, 0.0, 5.0].map(|off| (degrees, fall, off)))
    {
        let place = |(x, y): (f64, f64)| {
            let middle = (x + WIDTH as f64, y + HEIGHT as f64 - off);
            in_valley(middle, degrees)
        };
        let relief = ground(|x, y| {
            let [down, aside] = place((x, y));
            (aside.abs() - 12.0).clamp(0.0, 4.0) - fall * down
        });
        let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
        let mut counts = [0, 0];
        for (&tile, face) in all_faces(&falls) {
            let (x, y) = face.place(tile);
            let [_, aside] = place([x, y].map(|at| (f64::from(at) + 0.5) * CELL_M).into());
            let near = x.max(y) < 60;
            if !near || aside.abs() > 10.0 {
                continue;
            }
            counts[usize::from(face.side == Side::South)] += 1;
            let case = format!("{degrees}°, {fall}, {off} m: {aside:.0} m aside: {face:?}");
            assert_eq!(face.fall.rise > 0, fall > 0.0, "{case}");
            assert!(f64::from(face.fall.slope).abs() < 1.1 * SLOPE, "{case}");
        }
        assert!(counts[0] + counts[1] >= 10, "{degrees}, {fall}, {off}: {counts:?}");
    }
}

/// Goal: an inflow where cells without data cut a level valley off shuts all of its end. Method:
/// the mouths of all faces there have the end of the valley's middle among them and near it.
#[test]
fn a_level_valley_that_is_cut_off_at_a_slant_is_shut() {
    for degrees in [0.0, 15.0, 30.0, 45.0, 75.0] {
        let falls = FaceFalls::of(&cut_valley(degrees, 0.0), ALL, &MapHoles::default());
        let [sin, cos] = [degrees.to_radians().sin(), degrees.to_radians().cos()];
        let middle = [WIDTH as f64 - 200.0 * cos, HEIGHT as f64 - 200.0 * sin];
        let cell = middle.map(|at| at / CELL_M);
        let mut count = 0;
        for (&tile, face) in all_faces(&falls) {
            let [down, aside] = middle_in_valley(face, tile, degrees);
            if down > 0.0 || aside.abs() > 10.0 {
                continue;
            }
            let case = format!("{degrees}°, {aside:.0} m aside: {face:?}");
            let ValleyMouth { side, lines, ends } = face.mouth.expect(&case);
            let [across, along] = if side.axis() == Axis::X { cell } else { [cell[1], cell[0]] };
            let is_between = |[low, high]: [u32; 2], at: f64, more: f64| {
                at >= f64::from(low) - more && at <= f64::from(high) + 1.0 + more
            };
            assert!(is_between(ends, along, 0.0), "{case}, {cell:?}");
            assert!(is_between(lines, across, 3.0), "{case}, {cell:?}");
            count += 1;
        }
        assert!(count >= 10, "{degrees}: {count}");
    }
}

/// Goal: neither a hill far inland nor a levee there is a bank of a plain that ends at the map's
/// corner, or at a corner of cells without data. Method: plains with a hill and with a levee of one
/// cell, with and without a collar of such cells.
#[test]
fn no_bank_lies_round_a_corner() {
    let hill = |at: usize| (at as f64 - 70.0).max(0.0) * 0.1;
    let levee = |at: usize| if at == 30 { 1.0 } else { 0.0 };
    let is_out = |at: usize, collar: usize, most: usize| at < collar || at + collar >= most;
    for (collar, bed) in [0, 4]
        .into_iter()
        .flat_map(|collar| [hill as fn(usize) -> f64, levee].map(|bed| (collar, bed)))
    {
        let size = [300, 60];
        let relief = ground_of_cells(size, CELL_M, |[x, y]| {
            let is_out = is_out(x, collar, size[0]) || is_out(y, collar, size[1]);
            if is_out { f64::NAN } else { bed(x) }
        });
        let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
        let west = all_faces(&falls).filter(|(tile, face)| {
            face.side == Side::West && face.place(**tile).0 as usize == collar
        });
        let mouths: Vec<Option<ValleyMouth>> = west.map(|(_, face)| face.mouth).collect();
        assert_eq!(mouths, vec![None; 60 - 2 * collar], "collar {collar}, {}", bed(80));
    }
}

/// Goal: falls that follow an edit are those found afresh. Method: mounds and pits near the edges
/// and far from them, of the map and of cells without data.
#[test]
fn falls_follow_edits() {
    let counts =
        followed(valley(0.7, 0.2), [[450.0, 8.0], [880.0, 600.0], [450.0, 320.0], [500.0, 60.0]]);
    assert!(counts[0] > 2 && counts[2] == 0, "{counts:?}");
    let counts = followed(
        cut_valley(15.0, SLOPE),
        [[450.0, 320.0], [270.0, 280.0], [430.0, 310.0], [630.0, 365.0]],
    );
    assert!(counts[1] > 0 && counts[2] > 0, "{counts:?}");
    let counts = followed(
        slanted_valley(20.0, 1.0, SLOPE),
        [[450.0, 320.0], [270.0, 270.0], [430.0, 310.0], [630.0, 385.0]],
    );
    assert!(counts[1] > 0 && counts[3] > 0, "{counts:?}");
}

/// How many tiles have others after each of four edits, which are followed.
fn followed(mut relief: WorldRelief, centres: [[f64; 2]; 4]) -> Vec<usize> {
    let mut falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
    let mut counts = Vec::new();
    for (centre_m, by_m) in centres.into_iter().zip([3.0, -2.0, 5.0, -1.0]) {
        let shape = Shape::Disc { centre_m, radius_m: 16.0, rim_m: 4.0 };
        let edit = match by_m > 0.0 {
            true => Edit::Raise { shape, by_m },
            false => Edit::Lower { shape, by_m: -by_m },
        };
        let changed = terrain(&mut relief).edit(&edit).expect("an edit");
        let others = falls.follow(&changed, &relief).expect("in memory");
        let fresh = FaceFalls::of(&relief, ALL, &MapHoles::default());
        assert!(falls.0 == fresh.0, "{centre_m:?}");
        counts.push(others.len());
    }
    counts
}

/// Goal: a bar in front of an outlet does not dam it. Method: a channel of eight cells of 10 m that
/// falls by 1 in 1000; its last 18 rows rise by 5 mm each. Without the bar it falls, and where all
/// of it rises so it is a river that comes in.
#[test]
fn a_bar_does_not_dam_an_outlet() {
    let is_in = |x: usize| (26..34).contains(&x);
    for (last, rise, rises) in [(18, 0.005, false), (0, 0.0, false), (160, 0.005, true)] {
        let bed = move |[x, y]: [usize; 2]| {
            let bar = y.min(last) as f64 * rise;
            let bank = if is_in(x) { 0.0 } else { 4.0 };
            10.0 + bank - bar + y.saturating_sub(last) as f64 * 0.01
        };
        towards_south([60, 160], 10.0, bed, |x, fall, turn| {
            let case = format!("{last} rows, column {x}, {turn:?}: {fall:?}");
            assert_eq!(fall.rise > 0, rises, "{case}");
            let wanted = if last == 0 { 0.001 } else { -0.0005 };
            assert!((f64::from(fall.slope) - wanted).abs() < 1.0e-6, "{case}");
        });
    }
}

/// Goal: a long adverse reach before an outlet of a valley is a bar. Method: a channel of ten cells
/// of 10 m that falls by 1 in 1000; its last 50 rows rise by 0.4 m.
#[test]
fn an_adverse_reach_does_not_dam_an_outlet() {
    let bed = |[x, y]: [usize; 2]| {
        let bank = if (25..35).contains(&x) { 0.0 } else { 6.0 };
        10.0 + bank - 0.008 * y.min(50) as f64 + 0.01 * y.saturating_sub(50) as f64
    };
    towards_south([60, 200], 10.0, bed, |x, fall, turn| {
        assert_eq!(fall.rise, 0, "column {x}, {turn:?}: {fall:?}");
    });
}

/// Goal: a river that runs down into a main valley comes in, though the hill beyond that falls
/// towards its edge. Method: a channel of two cells of 50 m that rises by 1 in 1000 for 24 rows,
/// and behind them a hill of 1:10.
#[test]
fn a_river_may_run_down_to_a_hill() {
    let bed = |[x, y]: [usize; 2]| {
        let bank = if (29..31).contains(&x) { 0.0 } else { 4.0 };
        let hill = y.saturating_sub(24) as f64;
        20.0 - 0.05 * y.min(24) as f64 + if hill > 0.0 { 5.0 * hill } else { bank }
    };
    towards_south([60, 64], 50.0, bed, |x, fall, turn| {
        if (29..31).contains(&x) {
            assert!(fall.rise > 0, "column {x}, {turn:?}: {fall:?}");
        }
    });
}

/// Goal: a river between thin levees has its own fall, and not that of the lower plain behind them,
/// and is known to come in. Method: levees of one to nine cells above a plain 2 m lower, which
/// slopes the other way; a river that falls towards the edge by 1 in 1000, and one that rises by 1
/// in 2000.
#[test]
fn a_levee_parts_a_river_from_a_lower_plain() {
    let middle = 100;
    for levee in [1, 2, 3, 6, 8, 9] {
        for slope in [0.001, -0.0005] {
            let bed = move |[x, y]: [usize; 2]| {
                let (away, rows) = (x.abs_diff(middle), y as f64);
                let river = 10.0 + slope * 10.0 * rows;
                match away {
                    0..=3 => river,
                    _ if away <= 3 + levee => river + 3.0,
                    _ => 8.0 - 0.6 * slope * 10.0 * rows,
                }
            };
            towards_south([200, 160], 10.0, bed, |x, fall, turn| {
                if x.abs_diff(middle) <= 3 {
                    let case = format!("{levee} cells, {slope}, column {x}, {turn:?}: {fall:?}");
                    assert!((f64::from(fall.slope) / slope - 1.0).abs() < 0.01, "{case}");
                    assert_eq!(fall.rise > 0, slope < 0.0, "{case}");
                }
            });
        }
    }
}

/// Goal: ground of few rows has the fall of those, however few they are. Method: planes of two to
/// twenty rows that fall towards the edge or rise, and a channel in them.
#[test]
fn few_rows_have_their_fall() {
    for rows in [2, 3, 5, 8, 9, 20] {
        for slope in [0.02, -0.02, 0.0004] {
            let bed = move |[x, y]: [usize; 2]| {
                let bank = if (20..28).contains(&x) { 0.0 } else { 3.0 };
                10.0 + slope * 10.0 * y as f64 + bank
            };
            towards_south([60, rows], 10.0, bed, |x, fall, turn| {
                let case = format!("{rows} rows, {slope}, column {x}, {turn:?}: {fall:?}");
                assert!((f64::from(fall.slope) / slope - 1.0).abs() < 0.01, "{case}");
            });
        }
    }
}

/// Goal: the end of the search is no bank, but the end of the world is one. Method: a plain that
/// rises gently towards the edge between two walls of one cell as far from its middle as is
/// searched; and a channel whose banks of two cells the map ends behind.
#[test]
fn an_end_of_the_search_is_no_bank() {
    let rise = |y: usize| -0.0005 * 10.0 * y as f64;
    let middle = 160;
    let wall =
        move |[x, y]: [usize; 2]| rise(y) + if x.abs_diff(middle) == 128 { 3.0 } else { 0.0 };
    towards_south([321, 160], 10.0, wall, |x, fall, turn| {
        assert!(fall.rise == 0, "column {x}, {turn:?}: {fall:?}");
    });
    let thin = move |[x, y]: [usize; 2]| rise(y) + if (2..10).contains(&x) { 0.0 } else { 3.0 };
    towards_south([12, 160], 10.0, thin, |x, fall, turn| {
        assert!(fall.rise > 0, "column {x}, {turn:?}: {fall:?}");
    });
}

/// Ground with many cells that are equally low: heights of a forked channel and of a rough floor in
/// steps of 25 cm. The arms of the fork lie alike for 40 rows.
fn ties([x, y]: [usize; 2]) -> f64 {
    let away = x as f64 - 95.0;
    let arm = if y < 40 || away > 0.0 { y.min(60) } else { 40 + (y - 40) / 2 };
    let bank = if (away.abs() - 0.5 * arm as f64).abs() < 3.0 { 0.0 } else { 2.0 };
    let rough = if y > 30 { noise(x as f64, y as f64, 1.0) } else { 0.0 };
    0.25 * (4.0 * (0.01 * y as f64 + bank + rough)).round()
}

/// A fork whose arms are alike in every second row, in which sections are compared; in the others
/// one of them is higher.
fn twins([x, y]: [usize; 2]) -> f64 {
    let away = x as f64 - 95.0;
    let bank = if (away.abs() - (y / 2) as f64).abs() < 2.0 { 0.0 } else { 2.0 };
    let higher = if away > 0.0 && y % 2 == 1 { 0.03 * y as f64 } else { 0.0 };
    0.05 * y as f64 + bank + higher
}

/// Goal: falls of mirrored or transposed ground are the same, bit by bit, where two lowest cells or
/// two lines are alike, too. Method: all finest faces of three maps in eight ways, of the third to
/// cells without data as well, and faces of four cells.
#[test]
fn mirrored_ground_has_the_same_falls() {
    for bed in [ties, twins, cut_off] {
        check_mirrored(bed);
    }
}

/// A valley that ends in steps of cells without data.
fn cut_off([x, y]: [usize; 2]) -> f64 {
    let (x, y) = (x as f64, y as f64);
    let aside = x - 80.0 - 0.6 * y;
    let bank = (0.4 * (aside.abs() - 6.0)).clamp(0.0, 4.0);
    if 3.0 * y < x - 40.0 || 2.0 * y > 120.0 + x { f64::NAN } else { 0.015 * y + bank }
}

fn check_mirrored(bed: fn([usize; 2]) -> f64) {
    let size = [192, 128];
    let is_ground = |x: i32, y: i32| {
        let at = [x, y].map(|at| usize::try_from(at).unwrap_or(usize::MAX));
        at[0] < size[0] && at[1] < size[1] && !bed(at).is_nan()
    };
    let finest = (0..192).flat_map(|x| (0..128).map(move |y| (x, y)));
    let finest = finest.filter(|&(x, y)| is_ground(x, y)).flat_map(|(x, y)| {
        let sides = Side::ALL.into_iter().filter(move |side| {
            let (dx, dy) = side.offset();
            !is_ground(x + dx, y + dy)
        });
        sides.map(move |side| (0, ([x as usize, y as usize], side)))
    });
    let coarse = (0..48).flat_map(|x| [([x, 0], Side::South), ([x, 31], Side::North)]);
    let coarse = coarse.map(|face| (2, face)).filter(|_| (0..192).all(|x| is_ground(x, 0)));
    let faces: Vec<(u8, ([usize; 2], Side))> = finest.chain(coarse).collect();
    assert!(faces.len() > 500);
    let of = |turn: Turn| {
        let relief = turn.ground(size, 10.0, bed);
        let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
        let faces = faces.iter().copied();
        let bits = faces.map(|(level, face)| {
            let fall = turn.fall((&falls, &relief), (size, level), face);
            (level, face, fall.slope.to_bits(), fall.rise)
        });
        bits.collect::<Vec<_>>()
    };
    let mut all = Turn::all().map(|turn| (turn, of(turn)));
    let (_, first) = all.next().expect("eight");
    for (turn, other) in all {
        for (one, other) in first.iter().zip(&other) {
            assert_eq!(one, other, "{turn:?}");
        }
    }
}

/// Goal: a hillside more than 4 m above the bed of a steep river that enters has a fall of its own.
/// Method: a valley that rises to the edge by 0.05 between slopes that fall to
/// it by 0.04; faces of the valley, and 12 and 24 m above it.
#[test]
fn a_hillside_beside_a_river_has_its_own_fall() {
    let away = |x: f64| ((x - WIDTH as f64 * CELL_M / 2.0).abs() - 10.0).max(0.0);
    let relief = ground(|x, y| 0.3 * away(x) + (-0.05 + 0.09 * (away(x) / 40.0).min(1.0)) * y);
    let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
    for (cells, wanted) in [(0, -0.05), (25, 0.04), (45, 0.04)] {
        for x in [MIDDLE - cells, MIDDLE + cells] {
            let place = (0, CellPlace { x, y: 0 });
            let fall = falls.towards(Side::South, place, relief.scale(), |_| false);
            let fall = fall.expect("an edge");
            let off = f64::from(fall.slope) - wanted;
            assert!(off.abs() < 0.01, "{x}: {fall:?}, {wanted}");
            assert_eq!(fall.rise > 0, wanted < 0.0, "{x}: {fall:?}");
        }
    }
}

/// Goal: an inflow shuts the edge between the banks of a level channel, and neither the banks nor
/// channels that may fall to the edge. Method: channels of 8 cells that are
/// level, rise by 0.0005 and fall; and one that ends after six rows.
#[test]
fn an_inflow_shuts_the_mouth_of_a_level_channel_alone() {
    for (slope, is_shut) in [(0.0, true), (-0.0005, true), (0.0005, false), (0.02, false)] {
        let relief = channel(8.0, 0.0, slope);
        let falls = FaceFalls::of(&relief, ALL, &MapHoles::default());
        for (x, is_bank) in [(MIDDLE, false), (MIDDLE + 3, false), (MIDDLE + 12, true)] {
            let place = (0, CellPlace { x, y: 0 });
            let fall = falls.towards(Side::South, place, relief.scale(), |_| true);
            let is_wall = fall.expect("an edge").rise == RISE_MOST;
            assert_eq!(is_wall, is_shut && !is_bank, "{slope}, {x}: {fall:?}");
        }
    }
    let short = ground_of_cells([WIDTH, 6], CELL_M, |[x, y]| {
        if (220..228).contains(&x) { 0.05 * CELL_M * y as f64 } else { 2.0 }
    });
    let falls = FaceFalls::of(&short, ALL, &MapHoles::default());
    let place = (0, CellPlace { x: MIDDLE, y: 0 });
    let fall = falls.towards(Side::South, place, short.scale(), |_| true).expect("an edge");
    assert_eq!(fall.rise, 0, "a steep outlet of six rows");
}
