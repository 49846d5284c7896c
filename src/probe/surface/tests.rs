//! Surfaces against questions, and against themselves.

mod below;
mod meshes;

use super::*;
use crate::probe::made::{Made, all_levels, one_level, three_levels};
use crate::probe::{LeafMaps, Query};
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::terrain::Terrain;
use thalweg_engine::tile::{CowPlane, MapKinds};
use thalweg_engine::units::hash::scramble;

const UNITS: f64 = 1_048_576.0;

/// A made world with the numbers of its leaves' changes.
struct Scene {
    made: Made,
    maps: Vec<LeafMaps>,
    changed: Vec<u64>,
    revision: u64,
    time_s: f64,
    /// Below sub-grid columns.
    terrain: Option<Terrain>,
}

impl Scene {
    fn new(made: Made, revision: u64) -> Self {
        let time = SimTime::from_seconds(0.0);
        let leaves = made.grounds.iter().zip(&made.water);
        let maps = leaves.map(|(ground, water)| {
            LeafMaps::new(MapKinds::VELOCITY, (ground, &water.depth), (1, 1.0), time)
        });
        let maps: Vec<LeafMaps> = maps.collect();
        let changed = vec![revision; maps.len()];
        Self { made, maps, changed, revision, time_s: 0.0, terrain: None }
    }

    fn of(leaves: Vec<TileKey>) -> Self {
        Self::new(Made::new(leaves, bed, stage), 1)
    }

    fn query(&self) -> Query<'_> {
        self.made.query().on(self.terrain.as_ref())
    }

    fn update(&self, surface: &mut Surface) -> Vec<Window> {
        surface.follow(&SurfaceState {
            query: self.query().flowing(&self.maps),
            changed_at: &|leaf| self.changed[leaf],
            revision: self.revision,
            time: SimTime::from_seconds(self.time_s),
        })
    }

    /// Gives a leaf other water, and all its cells a velocity.
    fn stir(&mut self, leaf: LeafId, seed: u64) {
        self.revision += 1;
        self.changed[leaf] = self.revision;
        let ground = &self.made.grounds[leaf];
        for (cell, depth) in (0..).zip(self.made.water[leaf].depth.iter_mut()) {
            let draw = draw(seed ^ scramble(cell));
            let is_inside = ground.is_inside(usize::try_from(cell).expect("4096"));
            // Some rows are dry from end to end.
            let is_dry = draw < 0.4 || cell / 64 % 9 < 4 || !is_inside;
            *depth = if is_dry { 0 } else { whole(draw * UNITS) };
            for (axis, plane) in (1..).zip(velocity(&mut self.maps[leaf])) {
                plane[usize::try_from(cell).expect("4096")] = small(3.0 * draw * f64::from(axis));
            }
        }
    }
}

/// Velocities that maps keep, to be written.
fn velocity(maps: &mut LeafMaps) -> &mut [CowPlane<f32>; 2] {
    maps.planes_mut().velocity.as_mut().expect("kept")
}

/// A number from 0 to 1.
fn draw(seed: u64) -> f64 {
    f64::from(u32::try_from(scramble(seed) >> 32).expect("32 bits")) / 4_294_967_296.0
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers of tests")]
fn whole(units: f64) -> i32 {
    units as i32
}

#[expect(clippy::cast_possible_truncation, reason = "small numbers of tests")]
fn small(value: f64) -> f32 {
    value as f32
}

/// Hills, with holes in the ground as wide as the coarsest cells.
fn bed([x, y]: [f64; 2]) -> Option<f64> {
    let [i, j] = [x, y].map(|v| (v / 8.0).floor());
    let is_hole = draw(i.to_bits() ^ scramble(j.to_bits())) < 0.02;
    (!is_hole).then(|| UNITS * (3.0 * (x / 31.0).sin() * (y / 47.0).cos() + 0.01 * x))
}

/// Pools between them.
fn stage([x, y]: [f64; 2]) -> f64 {
    UNITS * (0.7 + 0.009 * x + 0.2 * (y / 19.0).sin())
}

/// Windows of several levels, whole and cut.
fn windows() -> Vec<Window> {
    let window =
        |level, x, y, width, height| Window { level, corner: CellPlace { x, y }, width, height };
    vec![
        window(0, 0, 0, 512, 512),
        window(0, 37, 201, 300, 150),
        window(1, 11, 3, 200, 300),
        window(2, 0, 1, 127, 140),
        window(3, 3, 0, 60, 64),
        window(7, 0, 0, 4, 4),
        window(8, 0, 0, 2, 1),
        window(9, 0, 0, 1, 1),
        // First and last rows of tiles of which one row of cells is shown.
        window(0, 61, 255, 70, 66),
    ]
}

#[track_caller]
fn check_near(found: f32, expected: f32, size: f32, name: &str) {
    let is_near = (found - expected).abs() <= 1.0e-6 * size.max(expected.abs());
    assert!(is_near || (found.is_nan() && expected.is_nan()), "{name}: {found}, not {expected}");
}

#[test]
fn planes_are_those_of_a_query() {
    for (row, leaves) in all_levels().into_iter().enumerate() {
        let scene = Scene::of(leaves);
        for window in windows() {
            let mut surface = Surface::try_new(window).expect("good");
            scene.update(&mut surface);
            let raster = scene.made.query().surface(window).expect("good");
            let mut wet = 0;
            for at in 0..raster.bed_m.len() {
                let name = format!("row {row}, {window:?}, cell {at}");
                let [bed_m, depth_m, stage_m] =
                    [&raster.bed_m, &raster.depth_m, &raster.stage_m].map(|plane| plane[at]);
                check_near(surface.bed_m()[at], bed_m, 100.0, &name);
                let depth_m = if depth_m.is_nan() { 0.0 } else { depth_m };
                check_near(surface.depth_m()[at], depth_m, 1.0, &name);
                if depth_m > 0.0 {
                    check_near(surface.stage_m()[at], stage_m, 100.0, &name);
                    wet += 1;
                }
            }
            assert!(wet > 0, "row {row}, {window:?}: no water");
        }
    }
}

#[test]
fn planes_of_leaves_of_the_windows_level_are_those_of_a_query_to_the_bit() {
    for level in 0..3 {
        let scene = Scene::of(one_level(level));
        let size = 512 >> level;
        let corner = CellPlace { x: 0, y: 0 };
        let window = Window { level, corner, width: size, height: size };
        let mut surface = Surface::try_new(window).expect("good");
        scene.update(&mut surface);
        let raster = scene.made.query().surface(window).expect("good");
        for at in 0..size * size {
            assert_eq!(surface.bed_m()[at].to_bits(), raster.bed_m[at].to_bits(), "bed {at}");
            let depth_m = if raster.bed_m[at].is_nan() { 0.0 } else { raster.depth_m[at] };
            assert_eq!(surface.depth_m()[at].to_bits(), depth_m.to_bits(), "depth {at}");
            if depth_m > 0.0 {
                assert_eq!(surface.stage_m()[at].to_bits(), raster.stage_m[at].to_bits(), "{at}");
            }
        }
    }
}

/// Goal: a patch holds what the planes hold there, and there is none beyond the window.
#[test]
fn patches_are_parts_of_the_planes() {
    fn handed_over<T: Send + Sync + 'static>() {}
    handed_over::<Surface>();
    handed_over::<super::SurfacePatch>();
    let mut scene = Scene::of(one_level(0));
    let leaves: Vec<LeafId> = scene.made.forest.ids().collect();
    leaves.into_iter().for_each(|leaf| scene.stir(leaf, 5));
    let window = |x, y, width, height| {
        let corner = CellPlace { x, y };
        Window { level: 0, corner, width, height }
    };
    let mut surface = Surface::try_new(window(10, 20, 200, 150)).expect("good");
    scene.update(&mut surface);
    let part = window(50, 40, 30, 7);
    let patch = surface.patch(part).expect("in the window");
    let [east, north] = surface.velocity_m_s();
    for (i, at) in (0..7).flat_map(|y| (0..30).map(move |x| (20 + y) * 200 + 40 + x)).enumerate() {
        assert_eq!(patch.bed_m[i].to_bits(), surface.bed_m()[at].to_bits());
        assert_eq!(patch.depth_m[i].to_bits(), surface.depth_m()[at].to_bits());
        assert_eq!(patch.stage_m[i].to_bits(), surface.stage_m()[at].to_bits());
        assert_eq!(patch.foam[i].to_bits(), surface.foam()[at].to_bits());
        let velocity = [east[at], north[at]].map(f32::to_bits);
        assert_eq!(patch.velocity_m_s[i].map(f32::to_bits), velocity);
        assert_eq!(patch.bed_normal[i], surface.bed_normal()[at]);
        assert_eq!(patch.normal[i], surface.normal()[at]);
    }
    assert_eq!(patch.normal.len(), 210);
    assert!(patch.velocity_m_s.iter().any(|[east, north]| (east - north).abs() > 0.1));
    let beyond = [window(9, 40, 3, 3), window(50, 19, 3, 3), window(208, 40, 3, 3)];
    let beyond = beyond.into_iter().chain([
        window(50, 168, 3, 3),
        window(50, 40, usize::MAX, 3),
        Window { level: 1, ..part },
    ]);
    assert!(beyond.into_iter().all(|part| surface.patch(part).is_none()));
}

/// All numbers but foam.
fn numbers(surface: &Surface) -> Vec<[u32; 7]> {
    let [east, north] = surface.velocity_m_s();
    let of = |at: usize| {
        let plain = [surface.bed_m(), surface.depth_m(), surface.stage_m(), east, north];
        let [a, b, c, d, e] = plain.map(|plane| plane[at].to_bits());
        let normal = |normal: [i8; 4]| u32::from_le_bytes(normal.map(i8::cast_unsigned));
        [a, b, c, d, e, normal(surface.bed_normal()[at]), normal(surface.normal()[at])]
    };
    (0..surface.bed_m().len()).map(of).collect()
}

/// Updates a surface, and checks that it comes to what a new one is, and wrote only where it says.
#[track_caller]
fn check_update(scene: &Scene, surface: &mut Surface, name: &str) -> Vec<Window> {
    let before = (surface.window(), numbers(surface));
    let written = scene.update(surface);
    let mut anew = Surface::try_new(surface.window()).expect("good");
    scene.update(&mut anew);
    let now = numbers(surface);
    let window = surface.window();
    for (at, (found, expected)) in now.iter().zip(numbers(&anew)).enumerate() {
        let place = [at % window.width, at / window.width];
        assert_eq!(*found, expected, "{name}: {place:?}");
        let corner = window.corner.indices();
        let cell = [corner[0] + place[0], corner[1] + place[1]];
        let holds = |part: &Window| {
            let from = part.corner.indices();
            let size = [part.width, part.height];
            (0..2).all(|axis| (from[axis]..from[axis] + size[axis]).contains(&cell[axis]))
        };
        let is_same = before.0 == window && before.1[at] == *found;
        let is_told = written.iter().any(holds);
        assert!(is_told || is_same || before.0 != window, "{name}: {place:?} is not told of");
    }
    let is_small = |part: &Window| part.width <= 64 && part.height <= 64;
    assert!(written.iter().all(is_small), "{name}");
    assert!(scene.update(surface).is_empty(), "{name}: twice");
    written
}

#[test]
fn updates_come_to_the_same_as_a_new_surface() {
    for (row, leaves) in all_levels().into_iter().enumerate() {
        for window in windows() {
            let mut scene = Scene::of(leaves.clone());
            let mut surface = Surface::try_new(window).expect("good");
            check_update(&scene, &mut surface, "first");
            for round in 0..4 {
                let leaf = LeafId::new((7 * round) % scene.maps.len());
                scene.stir(leaf, round as u64);
                scene.time_s += 0.1;
                check_update(&scene, &mut surface, &format!("row {row}, {window:?}, {round}"));
            }
            // Another bed.
            let bed: Vec<i32> = scene.made.grounds[0].bed.iter().map(|bed| bed - 9000).collect();
            scene.made.grounds[0].bed = bed.into();
            scene.stir(LeafId::new(0), 99);
            check_update(&scene, &mut surface, &format!("row {row}, {window:?}, bed"));
        }
    }
}

#[test]
fn only_what_changed_is_written() {
    let mut scene = Scene::of(one_level(0));
    let window = windows()[0];
    let mut surface = Surface::try_new(window).expect("good");
    assert_eq!(check_update(&scene, &mut surface, "first").len(), 64);
    let leaf = scene.made.forest.find(TileKey { level: 0, x: 3, y: 4 }).expect("a leaf");
    scene.stir(leaf, 5);
    let written = check_update(&scene, &mut surface, "one");
    // It and two cells of its eight neighbours.
    let sizes: Vec<_> = written.iter().map(|part| (part.width, part.height)).collect();
    let expected = [(2, 2), (64, 2), (2, 2), (2, 64), (64, 64), (2, 64), (2, 2), (64, 2), (2, 2)];
    assert_eq!(sizes, expected);
}

#[test]
fn other_leaves_and_windows_come_to_the_same_as_a_new_surface() {
    let leaves = [three_levels(), one_level(1), one_level(0), one_level(2)];
    for (row, window) in windows().into_iter().enumerate() {
        let mut surface = Surface::try_new(window).expect("good");
        for (round, leaves) in leaves.clone().into_iter().enumerate() {
            let mut scene = Scene::new(Made::new(leaves, bed, stage), round as u64 + 1);
            let name = format!("row {row}, round {round}");
            check_update(&scene, &mut surface, &name);
            // To the north-east and back, by tiles and by cells, wider and narrower.
            let steps = [(5, 9, 0), (64, 0, 0), (0, 64, 7), (0, 0, 0), (1, 1, 0)];
            for (i, (x, y, wider)) in steps.into_iter().enumerate() {
                let corner = CellPlace { x: window.corner.x + x, y: window.corner.y + y };
                let moved = Window { corner, width: window.width + wider, ..window };
                surface.move_to(moved).expect("good");
                if i % 2 == 0 {
                    scene.stir(LeafId::new(0), 3);
                }
                check_update(&scene, &mut surface, &format!("{name}, step {i}"));
            }
            surface.move_to(window).expect("good");
        }
    }
}

/// A pool whose shore runs from south to north through the middle of a leaf.
#[test]
fn the_shore_lies_where_stage_meets_bed() {
    let slope = |[x, _]: [f64; 2]| Some(UNITS * 0.1 * x);
    let scene = Scene::new(Made::new(one_level(0), slope, |_| UNITS * 10.0), 1);
    let window = windows()[0];
    let mut surface = Surface::try_new(window).expect("good");
    scene.update(&mut surface);
    // 100 m or 50 cells from the west.
    for y in [0, 100, 511] {
        let row = y * 512..(y + 1) * 512;
        let (bed_m, stage_m) = (&surface.bed_m()[row.clone()], &surface.stage_m()[row]);
        assert!(stage_m[..52].iter().all(|stage_m| (stage_m - 110.0).abs() < 1.0e-5));
        assert!(stage_m[52..].iter().all(|stage_m| stage_m.is_nan()));
        let [before, behind] = [49, 50].map(|x| stage_m[x] - bed_m[x]);
        check_near(before, 0.1, 100.0, "wet");
        check_near(behind, -0.1, 100.0, "dry");
    }
}

#[test]
fn normals_are_upright_on_planes() {
    let plane = |[x, y]: [f64; 2]| Some(UNITS * (0.3 * x - 0.4 * y));
    for leaves in [one_level(0), three_levels()] {
        let scene = Scene::new(Made::new(leaves, plane, |[x, _]| UNITS * (0.1 * x - 10.0)), 1);
        let mut surface = Surface::try_new(windows()[0]).expect("good");
        scene.update(&mut surface);
        let upright = |slope: [f64; 2]| {
            let length = (slope[0] * slope[0] + slope[1] * slope[1] + 1.0).sqrt();
            [-slope[0], -slope[1], 1.0].map(|v| whole((127.0 * v / length).round()))
        };
        let (bed, water) = (upright([0.3, -0.4]), upright([0.1, 0.0]));
        for (x, y) in (8..504).flat_map(|y| (8..504).map(move |x| (x, y))) {
            let at = y * 512 + x;
            let near = |normal: [i8; 4], expected: [i32; 3]| {
                let off = |i: usize| (i32::from(normal[i]) - expected[i]).abs();
                assert!((0..3).all(|i| off(i) <= 1), "{x}, {y}: {normal:?}, not {expected:?}");
            };
            near(surface.bed_normal()[at], bed);
            // Away from the shore.
            let is_wet = |at: usize| surface.depth_m()[at] > 0.0;
            let around = [(x - 8, y), (x + 7, y), (x, y - 8), (x, y + 7)];
            if is_wet(at) && around.into_iter().all(|(x, y)| is_wet(y * 512 + x)) {
                near(surface.normal()[at], water);
            } else if !is_wet(at) {
                assert_eq!(surface.normal()[at], surface.bed_normal()[at]);
            }
        }
    }
}

/// Goal: water that runs along a dry bank, or up to it, does not foam there.
#[test]
fn banks_are_not_lined_with_foam() {
    for axis in [0, 1] {
        // Ground rises above the water beyond 96 m.
        let bank = |place: [f64; 2]| Some(if place[axis] > 96.0 { 2.0 * UNITS } else { 0.0 });
        let mut scene = Scene::new(Made::new(one_level(0), bank, |_| UNITS), 1);
        for (maps, water) in scene.maps.iter_mut().zip(&scene.made.water) {
            for (cell, depth) in water.depth.iter().enumerate() {
                velocity(maps)[axis][cell] = if *depth > 0 { 2.5 } else { 0.0 };
            }
        }
        let mut surface = Surface::try_new(windows()[0]).expect("good");
        scene.update(&mut surface);
        let wet = surface.depth_m().iter().filter(|depth| **depth > 0.0).count();
        assert!(wet > 1000 && surface.foam().iter().all(|&foam| foam <= 0.0), "axis {axis}");
    }
}

#[test]
fn foam_comes_at_once_and_goes_over_seconds() {
    let mut scene = Scene::new(Made::new(one_level(0), |_| Some(0.0), |_| UNITS), 1);
    let mut surface = Surface::try_new(windows()[0]).expect("good");
    scene.update(&mut surface);
    assert!(surface.foam().iter().all(|&foam| foam <= 0.0), "water at rest");
    // Waves of 3.13 m/s; water that is stopped in the middle of a leaf, and fast water in another.
    let find = |x, y| scene.made.forest.find(TileKey { level: 0, x, y }).expect("a leaf");
    let (stopped, fast) = (find(1, 1), find(3, 3));
    scene.revision += 1;
    for cell in 0..thalweg_engine::grid::TILE_CELLS {
        let is_west = cell % 64 < 32;
        velocity(&mut scene.maps[stopped])[0][cell] = if is_west { 2.0 } else { 0.0 };
        velocity(&mut scene.maps[fast])[1][cell] = 6.0;
    }
    (scene.changed[stopped], scene.changed[fast]) = (scene.revision, scene.revision);
    let at = |x: usize, y: usize| y * 512 + x;
    let foam = |surface: &Surface| {
        let places = [at(96, 96), at(80, 96), at(220, 220), at(20, 20)];
        places.map(|place| surface.foam()[place])
    };
    scene.update(&mut surface);
    // Of 2 m/s half is lost over one of the two cells: 0.32 of a wave.
    let [jump, smooth, rapid, rest] = foam(&surface);
    // 6 m/s are 1.92 waves: streaks.
    let streaks = 0.4 * (6.0 / 3.132 - 1.0) / 2.0;
    assert!((jump - (1.0 / 3.132 - 0.1) / 0.4).abs() < 0.01, "{jump}");
    assert!((rapid - streaks).abs() < 0.01, "{rapid} {streaks}");
    assert!(smooth <= 0.0 && rest <= 0.0, "{smooth}, {rest}");
    // It stops, and foam stays a while.
    velocity(&mut scene.maps[stopped])[0].fill(0.0);
    velocity(&mut scene.maps[fast])[1].fill(0.0);
    scene.revision += 1;
    (scene.changed[stopped], scene.changed[fast]) = (scene.revision, scene.revision);
    scene.time_s += 1.0;
    scene.update(&mut surface);
    scene.time_s += 3.0;
    let written = scene.update(&mut surface);
    assert_eq!(written.len(), 2, "where there is foam");
    assert!(
        (foam(&surface)[2] - streaks * (-1.0_f32).exp()).abs() < 1.0e-3,
        "{:?}",
        foam(&surface)
    );
    scene.time_s += 40.0;
    assert_eq!(scene.update(&mut surface).len(), 2);
    assert!(surface.foam().iter().all(|&foam| foam <= 0.0), "gone");
    scene.time_s += 1.0;
    assert!(scene.update(&mut surface).is_empty());
}

#[test]
fn finer_leaves_keep_their_volume_and_momentum() {
    let mut scene = Scene::of(one_level(0));
    LeafId::all(64).zip(50..).for_each(|(leaf, seed)| scene.stir(leaf, seed));
    let fine = windows()[0];
    let mut surface = Surface::try_new(fine).expect("good");
    scene.update(&mut surface);
    let sums = |surface: &Surface| {
        let [east, north] = surface.velocity_m_s();
        let sum = |factor: &dyn Fn(usize) -> f32| -> f64 {
            let depth = surface.depth_m().iter().enumerate();
            depth.map(|(at, depth)| f64::from(depth * factor(at))).sum()
        };
        [sum(&|_| 1.0), sum(&|at| east[at]), sum(&|at| north[at])]
    };
    let expected = sums(&surface);
    // Holes in the ground are as wide as two of these cells, so none is cut.
    surface.move_to(Window { level: 1, width: 256, height: 256, ..fine }).expect("good");
    scene.update(&mut surface);
    for (found, expected) in sums(&surface).into_iter().zip(expected) {
        assert!((4.0 * found / expected - 1.0).abs() < 1.0e-6, "{found}, not {expected} / 4");
    }
}
