//! Where intervals come from: voxels, solids, tunnels, decks.

use crate::stacks::{Random, awake};
use crate::support::check_books;
use std::collections::BTreeSet;
use std::f64::consts::TAU;
use thalweg::body::Solid;
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{
    CellPlace, Deck, Earthworks, RockError, TunnelSection, Voids, VoxelFrame, VoxelGrid, World,
    WorldBuilder,
};
use thalweg_engine::sim::Solver;

impl Random {
    /// A number from `low` to below `high`.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.below(1 << 20) as f64 / f64::from(1 << 20)
    }
}

/// A plain with a pit as deep in the corner, so that heights reach far down.
fn plain(plain_m: f64, cell_width_m: f64) -> Terrain {
    let height_m = |x: usize, y: usize| if x + y == 0 { -plain_m } else { plain_m };
    Terrain::from_heights([64; 2], cell_width_m, height_m).expect("a plain")
}

/// A world below a plain, with these voids.
fn below(plain_m: f64, cell_width_m: f64, voids: Voids) -> World {
    WorldBuilder::new(plain(plain_m, cell_width_m)).voids(voids).build().expect("a good world")
}

fn places() -> impl Iterator<Item = CellPlace> {
    (0..64).flat_map(|y| (0..64).map(move |x| CellPlace { x, y }))
}

/// Bed and ceiling of the intervals of a cell, m.
fn spans(world: &World, place: CellPlace) -> Vec<[f64; 2]> {
    world.stacks().intervals_at(place).iter().map(|own| [own.bed_m, own.ceiling_m]).collect()
}

/// Volume between beds and ceilings, m³.
fn carved_m3(world: &World, cell_width_m: f64) -> f64 {
    let of = |place| spans(world, place).iter().map(|own| own[1] - own[0]).sum::<f64>();
    places().map(of).sum::<f64>() * cell_width_m * cell_width_m
}

/// Intervals that hang together with those of a cell, face to face, each by cell and rank.
fn hanging_together(world: &World, from: CellPlace) -> BTreeSet<(CellPlace, usize)> {
    let mut open: Vec<(CellPlace, usize)> =
        (0..spans(world, from).len()).map(|rank| (from, rank)).collect();
    let mut seen: BTreeSet<(CellPlace, usize)> = open.iter().copied().collect();
    while let Some((CellPlace { x, y }, rank)) = open.pop() {
        let own = spans(world, CellPlace { x, y })[rank];
        for (dx, dy) in [(1, 0), (-1, 0), (0, 1), (0, -1)] {
            let beside = x.checked_add_signed(dx).zip(y.checked_add_signed(dy));
            let Some(place) = beside.map(|(x, y)| CellPlace { x, y }) else { continue };
            for (rank, other) in spans(world, place).iter().enumerate() {
                let is_open = own[0].max(other[0]) + 1.0e-3 < own[1].min(other[1]);
                if is_open && seen.insert((place, rank)) {
                    open.push((place, rank));
                }
            }
        }
    }
    seen
}

/// The cell of an end of a line, a hair towards another point of the line.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small places")]
fn end_cell(end_m: [f64; 3], other_m: [f64; 3], cell_width_m: f64) -> CellPlace {
    let at = |i: usize| (end_m[i] + 1.0e-3 * (other_m[i] - end_m[i])) / cell_width_m;
    CellPlace { x: at(0) as u32, y: at(1) as u32 }
}

/// Goal: intervals are the air of the voxels, whichever way they came. Method: random voxels as a
/// function, an array and runs; each cell against the voxels; a grid that lies off the corner.
#[test]
fn voxels_are_what_was_given() {
    for seed in 0..8 {
        let mut random = Random(seed << 40);
        let rock: Vec<u8> = (0..20 * 12 * 9).map(|_| u8::from(random.below(5) < 2) * 7).collect();
        let at = |x: u32, y: u32, z: u32| rock[((z * 12 + y) * 20 + x) as usize] != 0;
        let low = CellPlace { x: 30, y: 40 };
        let frame = VoxelFrame { low, size: [20, 12, 9], floor_m: -2.0, voxel_m: 0.75 };
        let grid = VoxelGrid::from_slice(frame, &rock).expect("a good grid");
        assert_eq!(grid, VoxelGrid::from_fn(frame, at).expect("a good grid"));
        let runs = |x: u32, y: u32| grid.runs(CellPlace { x: x + 30, y: y + 40 }).to_vec();
        assert_eq!(grid, VoxelGrid::from_runs(frame, runs).expect("good runs"));
        let ground_m = |x: usize, y: usize| {
            let [x, y] = [x, y].map(|at| u32::try_from(at).expect("small"));
            grid.ground_m(CellPlace { x, y }).unwrap_or(3.0)
        };
        let terrain = Terrain::from_heights([64; 2], 1.0, ground_m).expect("good heights");
        let world = WorldBuilder::new(terrain).voids(grid.voids()).build().expect("a good world");
        for (x, y) in (0..12).flat_map(|y| (0..20).map(move |x| (x, y))) {
            let place = CellPlace { x: x + 30, y: y + 40 };
            let top = (0..9).rev().find(|&z| at(x, y, z)).map_or(0, |z| z + 1);
            assert_eq!(grid.ground_m(place), Some(f64::from(top) * 0.75 - 2.0));
            for z in 0..top {
                let middle_m = f64::from(z) * 0.75 - 2.0 + 0.375;
                let is_air =
                    spans(&world, place).iter().any(|s| s[0] < middle_m && middle_m < s[1]);
                assert_eq!(is_air, !at(x, y, z), "seed {seed}: voxel {x}, {y}, {z}");
            }
        }
    }
}

#[test]
fn voxels_that_cannot_be_are_refused_by_name() {
    let frame = |x: u32, size| VoxelFrame { low: [x, 0].into(), size, floor_m: 0.0, voxel_m: 1.0 };
    let line = |error: RockError| error.to_string();
    let own = frame(0, [2, 2, 4]);
    let short = line(VoxelGrid::from_slice(own, &[1; 15]).expect_err("short"));
    assert!(short.contains("15 numbers came for 2 x 2 x 4"), "{short}");
    for runs in [&[[2, 1]][..], &[[1, 1]], &[[0, 2], [1, 3]], &[[0, 2], [2, 3]], &[[3, 5]]] {
        let of = |x, y| if (x, y) == (1, 1) { runs.to_vec() } else { Vec::new() };
        let line = line(VoxelGrid::from_runs(own, of).expect_err("bad runs"));
        assert!(line.contains("a run of air of cell 1, 1 goes from layer"), "{line}");
    }
    let of_nothing = |frame| VoxelGrid::from_fn(frame, |_, _, _| true).map(|_| ()).map_err(line);
    for bad in [
        frame(u32::MAX, [2, 2, 2]),
        frame(0, [2, 0, 2]),
        VoxelFrame { voxel_m: 0.0, ..own },
        VoxelFrame { floor_m: f64::NAN, ..own },
        VoxelFrame { voxel_m: f64::INFINITY, ..own },
    ] {
        let line = of_nothing(bad).expect_err("bad frame");
        assert!(line.contains("cannot be: give sizes above 0"), "{line}");
    }
    let off = VoxelGrid::from_fn(frame(62, [4, 4, 4]), |_, _, z| z > 0).expect("a good grid");
    assert!(line(off.terrain(1.0).expect_err("no corner")).contains("begins at cell 62, 0"));
    let plain = Terrain::from_heights([64; 2], 1.0, |_, _| 4.0).expect("a plain");
    let outside = WorldBuilder::new(plain).voids(off.voids()).build().expect_err("outside");
    assert!(outside.to_string().contains("lies outside the map"), "{outside}");
}

/// A prism over a polygon, counterclockwise, m.
fn prism(base: &[[f64; 2]], [low, high]: [f64; 2]) -> Solid {
    let count = u32::try_from(base.len()).expect("few");
    let at = |z: f64| base.iter().map(move |&[x, y]| [x, y, z]);
    let mut faces: Vec<[u32; 3]> = Vec::new();
    for i in 1..count - 1 {
        faces.extend([[0, i + 1, i], [count, count + i, count + i + 1]]);
    }
    for i in 0..count {
        let next = (i + 1) % count;
        faces.extend([[i, next, count + next], [i, count + next, count + i]]);
    }
    Solid::mesh(at(low).chain(at(high)).collect::<Vec<_>>(), faces).expect("closed")
}

/// Goal: solids that share faces share out the cells, though their edges pass through centres.
/// Method: a square with its sides on centres, cut into triangles along lines through centres, and
/// beside other squares; each cell belongs to one part.
#[test]
fn faces_through_centres_belong_to_one_side() {
    let hollow = |base: &[[f64; 2]]| {
        let mut voids = Voids::new();
        voids.hollow(&prism(base, [1.0, 2.0]), [0.5, 0.5, 0.0], 1.0).expect("within");
        let world = below(4.0, 1.0, voids);
        let is_own = |place: &CellPlace| !world.stacks().intervals_at(*place).is_empty();
        places().filter(is_own).collect::<BTreeSet<_>>()
    };
    let whole = hollow(&[[8.0, 8.0], [24.0, 8.0], [24.0, 24.0], [8.0, 24.0]]);
    assert_eq!(whole.len(), 256);
    let corners = [[8.0, 8.0], [24.0, 8.0], [24.0, 24.0], [8.0, 24.0]];
    let beside = [
        hollow(&[[24.0, 8.0], [30.0, 8.0], [30.0, 24.0], [24.0, 24.0]]),
        hollow(&[[8.0, 24.0], [24.0, 24.0], [24.0, 31.0], [8.0, 31.0]]),
    ];
    // From the middle, sides run along both diagonals.
    for middle in [[16.0, 16.0], [16.0, 12.0]] {
        let parts = (0..4).map(|i| hollow(&[corners[i], corners[(i + 1) % 4], middle]));
        let mut all = BTreeSet::new();
        for part in parts.chain(beside.clone()) {
            for place in &part {
                assert!(all.insert(*place), "{place:?} belongs to two parts");
            }
        }
        assert_eq!(all.len(), 256 + 6 * 16 + 16 * 7, "{middle:?}");
        assert!(whole.is_subset(&all) && beside.iter().all(|part| part.is_disjoint(&whole)));
    }
}

/// Goal: what is carved has the volume of the solid, however it lies. Method: random boxes, turned
/// at random about two axes.
#[test]
fn solids_keep_their_volume() {
    for seed in 0..24 {
        let mut random = Random(seed << 40);
        let half = [0; 3].map(|_| random.between(6.0, 12.0));
        let [(s, c), (t, d)] = [0; 2].map(|_| random.between(0.0, TAU).sin_cos());
        let turned = |[x, y, z]: [f64; 3]| {
            let [x, y] = [c * x - s * y, s * x + c * y];
            [x, d * y - t * z, t * y + d * z]
        };
        let mut corners = Vec::new();
        for i in 0..8_u8 {
            let side = |axis: usize| if i & (1 << axis) == 0 { -half[axis] } else { half[axis] };
            corners.push(turned([side(0), side(1), side(2)]));
        }
        let quads =
            [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let faces = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
        let solid = Solid::convex(corners, faces).expect("a turned box");
        let mut voids = Voids::new();
        let origin_m = [random.between(30.0, 34.0), random.between(30.0, 34.0), 3.0];
        voids.hollow(&solid, origin_m, 1.0).expect("within");
        let ratio = carved_m3(&below(40.0, 1.0, voids), 1.0) / solid.volume_m3();
        assert!((ratio - 1.0).abs() < 0.03, "seed {seed}: {ratio}");
    }
}

#[test]
fn solids_beyond_the_map_are_refused_with_the_cell() {
    let block = Solid::cuboid([4.0, 4.0, 4.0]).expect("a block");
    let refused = |at, width| Voids::new().hollow(&block, at, width).expect_err("bad").to_string();
    assert!(refused([1.0, 9.0, 0.0], 1.0).contains("cell -1, 7 lies outside"));
    assert!(refused([f64::NAN, 9.0, 0.0], 1.0).contains("is no place near a map"));
    assert!(refused([9.0, 9.0, f64::INFINITY], 1.0).contains("is no place near a map"));
    assert!(refused([9.0, 9.0, 0.0], 0.0).contains("the width of a cell is 0 m"));
    assert!(refused([9.0, 9.0, 0.0], 1.0e-5).contains("cells would be built or carved at once"));
    let mut works = Earthworks::new([16, 16], 1.0, |_, _| 0.0).expect("good");
    let line = works.raise(&block, [15.0, 8.0, 1.0]).expect_err("outside").to_string();
    assert!(line.contains("cell 16, 6 lies outside"), "{line}");
    assert!(works.voids().is_empty(), "nothing was built");
}

/// Goal: a closed shell with walls is a house: rooms, a roof, floors that hold. Method: a mesh of a
/// box with two boxes inside out in it; and a door.
#[test]
fn a_shell_becomes_a_house() {
    let block = |low: [f64; 3], high: [f64; 3], is_room: bool| {
        let base = [[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]];
        let solid = prism(&base, [low[2], high[2]]);
        let turned = |&[a, b, c]: &[u32; 3]| if is_room { [a, c, b] } else { [a, b, c] };
        let own = &solid.pieces()[0];
        (own.points().to_vec(), own.triangles().iter().map(turned).collect::<Vec<_>>())
    };
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for (low, high, is_room) in [
        ([20.0, 20.0, -1.0], [32.0, 30.0, 7.0], false),
        ([21.0, 21.0, 0.5], [31.0, 29.0, 3.0], true),
        ([21.0, 21.0, 3.5], [31.0, 29.0, 6.5], true),
    ] {
        let (own, own_faces) = block(low, high, is_room);
        let before = u32::try_from(points.len()).expect("few");
        faces.extend(own_faces.iter().map(|face| face.map(|corner| corner + before)));
        points.extend(own);
    }
    let house = Solid::mesh(points, faces).expect("closed");
    let mut works = Earthworks::new([64; 2], 1.0, |_, _| 0.0).expect("good");
    works.raise(&house, [0.0; 3]).expect("within");
    works.carve([(CellPlace { x: 20, y: 24 }, [0.5, 2.5])]).expect("within");
    assert_eq!(works.ground_m(CellPlace { x: 25, y: 25 }), Some(7.0));
    assert_eq!(works.ground_m(CellPlace { x: 10, y: 25 }), Some(0.0));
    assert_eq!(works.ground_m(CellPlace { x: 64, y: 25 }), None);
    let mut world = WorldBuilder::new(works.terrain().expect("good"))
        .voids(works.voids())
        .initial_stage(|place| if place.x < 18 { 2.0 } else { 0.0 })
        .build()
        .expect("a good world");
    let inside = CellPlace { x: 25, y: 25 };
    assert_eq!(spans(&world, inside), [[0.5, 3.0], [3.5, 6.5]]);
    assert_eq!(spans(&world, CellPlace { x: 20, y: 24 }), [[0.5, 2.5]]);
    assert_eq!(world.stacks().count(), 2 * 80 + 1);
    world.run_until(SimTime::from_seconds(120.0));
    let rooms = world.stacks().intervals_at(inside);
    assert!(rooms[0].depth_m > 0.05 && rooms[1].depth_m == 0.0, "{rooms:?}");
    check_books(&world);
}

/// A tunnel at random: its ends, its section and the width of a cell, m.
fn any_tunnel(random: &mut Random) -> ([[f64; 3]; 2], TunnelSection, f64) {
    let cell_width_m = [0.5, 1.0, 3.0][usize::try_from(random.below(3)).expect("small")];
    let from = [0; 2].map(|_| random.between(4.0, 60.0));
    let to = loop {
        // One in three runs from centre to centre, or along borders.
        let to = [0; 2].map(|_| random.between(4.0, 60.0));
        let length = ((to[0] - from[0]).powi(2) + (to[1] - from[1]).powi(2)).sqrt();
        if length > 3.0 {
            break to;
        }
    };
    let snap = [0.0, 0.5, f64::NAN][usize::try_from(random.below(3)).expect("small")];
    let ends = [from, to]
        .map(|end| end.map(|at| cell_width_m * if snap.is_nan() { at } else { at.floor() + snap }));
    let length = ((ends[1][0] - ends[0][0]).powi(2) + (ends[1][1] - ends[0][1]).powi(2)).sqrt();
    let fall_m = random.between(-1.0, 1.0) * length;
    let width_m = random.between(0.3, 4.0) * cell_width_m;
    let section = match random.below(3) {
        0 => TunnelSection::Box { width_m, height_m: random.between(0.2, 1.5) * width_m },
        1 => TunnelSection::Circle { diameter_m: width_m },
        _ => TunnelSection::Arch { width_m, wall_m: random.between(0.1, 1.0) * width_m },
    };
    let points = [[ends[0][0], ends[0][1], 0.0], [ends[1][0], ends[1][1], fall_m]];
    (points, section, cell_width_m)
}

/// Goal: a tunnel hangs together from end to end, in any direction, at any slope up to 45°, of
/// widths from 0.3 cells. Method: beds and ceilings of 300 tunnels.
#[test]
fn tunnels_hang_together() {
    for seed in 0..300 {
        let mut random = Random(seed << 40);
        let (points, section, cell_width_m) = any_tunnel(&mut random);
        let mut voids = Voids::new();
        voids.tunnel(&points, section, cell_width_m).expect("a good tunnel");
        let world = below(500.0, cell_width_m, voids);
        let [from, to] =
            [[0, 1], [1, 0]].map(|[end, other]| end_cell(points[end], points[other], cell_width_m));
        let reached = hanging_together(&world, from);
        let line = format!("seed {seed}: {points:?}, {section:?}, {cell_width_m} m");
        assert!(!spans(&world, from).is_empty() && reached.contains(&(to, 0)), "{line}");
        let lost = world.stacks().count() - reached.len();
        assert!(lost * 10 <= reached.len(), "{lost} of {}: {line}", reached.len());
    }
}

/// Goal: water that is poured into one end arrives at the other. Method: a dozen of those tunnels,
/// full up to some cells from their upper end.
#[test]
fn water_runs_through_tunnels() {
    for seed in 1000..1012 {
        let mut random = Random(seed << 40);
        let (points, section, cell_width_m) = any_tunnel(&mut random);
        let mut voids = Voids::new();
        voids.tunnel(&points, section, cell_width_m).expect("a good tunnel");
        let is_down = points[0][2] > points[1][2];
        let [upper, lower] = if is_down { points } else { [points[1], points[0]] };
        let near = end_cell(upper, lower, cell_width_m);
        let mut world = WorldBuilder::new(plain(500.0, cell_width_m))
            .voids(voids)
            .settings(awake(Solver::Pipe))
            .initial_stage_below(move |place, [_, ceiling_m]| {
                let far = place.x.abs_diff(near.x).max(place.y.abs_diff(near.y));
                if far < 6 { ceiling_m } else { f64::NAN }
            })
            .build()
            .expect("a good world");
        world.run_until(SimTime::from_seconds(200.0));
        let end = world.stacks().intervals_at(end_cell(lower, upper, cell_width_m));
        let line = format!("seed {seed}: {points:?}, {section:?}, {cell_width_m} m");
        assert!(end.iter().any(|own| own.depth_m > 1.0e-3), "{end:?}: {line}");
        check_books(&world);
    }
}

/// Goal: a wide tunnel has the volume of its section times its length.
#[test]
fn wide_tunnels_keep_their_volume() {
    let sections = [
        (TunnelSection::Box { width_m: 8.0, height_m: 3.0 }, 24.0),
        (TunnelSection::Circle { diameter_m: 9.0 }, 81.0 * TAU / 8.0),
        (TunnelSection::Arch { width_m: 8.0, wall_m: 2.0 }, 16.0 + 8.0 * TAU / 2.0),
    ];
    for (seed, (section, area_m2)) in (0..24).zip(sections.into_iter().cycle()) {
        let mut random = Random(seed << 40);
        let (s, c) = random.between(0.0, TAU).sin_cos();
        let at = |along: f64| [32.0 + along * c, 32.0 + along * s, 0.02 * along];
        let mut voids = Voids::new();
        voids.tunnel(&[at(-20.0), at(3.0), at(20.0)], section, 1.0).expect("a good tunnel");
        let ratio = carved_m3(&below(50.0, 1.0, voids), 1.0) / (40.0 * area_m2);
        assert!((ratio - 1.0).abs() < 0.05, "seed {seed}, {section:?}: {ratio}");
    }
}

/// Goal: a line may come back over itself at another height, and hangs together all along. Method:
/// a helix of two turns.
#[test]
fn a_helix_lies_above_itself() {
    let points: Vec<[f64; 3]> = (0..=48)
        .map(|i| {
            let turn = f64::from(i) / 24.0;
            [32.3 + 15.0 * (TAU * turn).cos(), 32.3 + 15.0 * (TAU * turn).sin(), 12.0 * turn]
        })
        .collect();
    for width_m in [0.4, 3.0] {
        let section = TunnelSection::Box { width_m, height_m: 2.0 };
        let mut voids = Voids::new();
        voids.tunnel(&points, section, 1.0).expect("a good tunnel");
        let world = below(100.0, 1.0, voids);
        let from = end_cell(points[0], points[1], 1.0);
        let own = spans(&world, from);
        assert!(own.len() == 3, "{own:?}");
        assert_eq!(hanging_together(&world, from).len(), world.stacks().count());
        let beside = end_cell(points[12], points[13], 1.0);
        assert_eq!(hanging_together(&world, beside).len(), world.stacks().count());
    }
}

#[test]
fn lines_that_cannot_be_are_refused_by_name() {
    let tunnel = |points: &[[f64; 3]], section| {
        Voids::new().tunnel(points, section, 1.0).expect_err("a bad tunnel").to_string()
    };
    let pipe = TunnelSection::Circle { diameter_m: 1.0 };
    let line = [[5.0, 5.0, 0.0], [9.0, 5.0, 0.0]];
    assert!(tunnel(&line[..1], pipe).contains("a line of 1 points leads nowhere"));
    assert!(tunnel(&[line[0], [f64::NAN, 0.0, 0.0]], pipe).contains("point 1, NaN m east"));
    assert!(tunnel(&[[5.0, 0.5, f64::NAN], line[1]], pipe).contains("point 0, 5 m east"));
    assert!(tunnel(&[[-2.0, 5.0, 0.0], line[1]], pipe).contains("cell -2, 5 lies outside"));
    let thin = |section| tunnel(&line, section);
    assert!(thin(TunnelSection::Circle { diameter_m: 0.0 }).contains("diameter of the section"));
    let flat = TunnelSection::Box { width_m: 2.0, height_m: -1.0 };
    assert!(thin(flat).contains("the height of the section is -1 m"));
    let none = TunnelSection::Arch { width_m: f64::NAN, wall_m: 1.0 };
    assert!(thin(none).contains("the width of the section is NaN m"));
    let mut works = Earthworks::new([16; 2], 1.0, |_, _| 0.0).expect("good");
    let good = Deck { width_m: 2.0, thickness_m: 0.5, parapet_m: 0.0 };
    let mut refused = |deck| works.bridge(&line, deck).expect_err("a bad deck").to_string();
    assert!(refused(Deck { width_m: 0.0, ..good }).contains("width of the deck"));
    assert!(refused(Deck { thickness_m: f64::NAN, ..good }).contains("thickness of the deck"));
    assert!(refused(Deck { parapet_m: -1.0, ..good }).contains("height of the parapets"));
    let long = [[5.0, 5.0, 3.0], [18.0, 5.0, 3.0]];
    let line = works.bridge(&long, good).expect_err("outside").to_string();
    assert!(line.contains("lies outside the map"), "{line}");
}

/// Goal: an aqueduct holds its water, in any direction, straight or bent, and however narrow.
/// Method: one across a round basin into its banks, with water on it; all is there after a while.
#[test]
fn aqueducts_are_tight() {
    for seed in 0..16 {
        let mut random = Random(seed << 40);
        let is_basin = |x: f64, y: f64| (x - 32.0).powi(2) + (y - 32.0).powi(2) < 22.0_f64.powi(2);
        let bank = |x: usize, y: usize| if is_basin(x as f64, y as f64) { 0.0 } else { 20.0 };
        let mut works = Earthworks::new([64; 2], 1.0, bank).expect("good");
        let (s, c) = random.between(0.0, TAU).sin_cos();
        let slope = random.between(-0.02, 0.02);
        let aside = random.between(-8.0, 8.0);
        let at = |along: f64, aside: f64| {
            [32.0 + along * c - aside * s, 32.0 + along * s + aside * c, 10.0 + slope * along]
        };
        let width_m = random.between(0.3, 5.0);
        let deck = Deck { width_m, thickness_m: random.between(0.1, 1.0), parapet_m: 2.5 };
        works.bridge(&[at(-26.0, 0.0), at(0.0, aside), at(26.0, 0.0)], deck).expect("within");
        let decks: BTreeSet<CellPlace> = places()
            .filter(|&place| works.ground_m(place).is_some_and(|m| (9.0..11.0).contains(&m)))
            .collect();
        let own = decks.clone();
        let mut world = WorldBuilder::new(works.terrain().expect("good"))
            .voids(works.voids())
            .initial_depth(move |place| if own.contains(&place) { 0.3 } else { 0.0 })
            .settings(awake(Solver::Pipe))
            .build()
            .expect("a good world");
        assert!(decks.len() > 40 && world.stacks().count() > decks.len(), "seed {seed}");
        world.run_until(SimTime::from_seconds(60.0));
        assert!(world.stacks().volume_m3() <= 0.0, "seed {seed}: water below the deck");
        for place in places().filter(|place| !decks.contains(place)) {
            let depth_m = world.water().depth_m(place);
            assert!(depth_m.is_none_or(|depth| depth == 0.0), "seed {seed}: {place:?} {depth_m:?}");
        }
        check_books(&world);
    }
}

/// Goal: a bridge and a tunnel may reach from edge to edge of a map; where the crown of a tunnel
/// comes out of the ground, it becomes a cutting.
#[test]
fn lines_may_end_at_the_edges() {
    let hill = |x: usize, y: usize| {
        let far = (x as f64 - 31.5).abs().max((y as f64 - 31.5).abs());
        (20.0 - far).max(0.0)
    };
    for (from, to) in [
        ([0.0, 32.0, 1.0], [64.0, 32.0, 1.0]),
        ([64.0, 64.0, 1.0], [0.0, 0.0, 1.0]),
        ([20.0, 0.0, 1.0], [50.0, 64.0, 1.0]),
    ] {
        let mut works = Earthworks::new([64; 2], 1.0, hill).expect("good");
        let section = TunnelSection::Box { width_m: 0.8, height_m: 2.0 };
        works.tunnel(&[from, to], section).expect("within");
        let world = WorldBuilder::new(works.terrain().expect("good")).voids(works.voids());
        let world = world.build().expect("a good world");
        let mut counts = [0; 3];
        for place in places() {
            let [x, y] = place.indices();
            let (was, is) = (hill(x, y), works.ground_m(place).expect("within"));
            counts[0] += usize::from(is < was);
            counts[1] += spans(&world, place).len();
            counts[2] += usize::from(is < was && (is - 1.0).abs() > 1.0e-9);
        }
        assert!(counts[0] >= 2 && counts[1] > 30 && counts[2] == 0, "{from:?}: {counts:?}");
        let mut works = Earthworks::new([64; 2], 1.0, |_, _| 0.0).expect("good");
        let deck = Deck { width_m: 0.8, thickness_m: 0.5, parapet_m: 0.0 };
        works.bridge(&[from, to], deck).expect("within");
    }
}
