//! Walls without gaps let nothing through; those that end do so bit by bit.

use super::*;
use crate::body::Solids;
use crate::body::merge::WHOLE;
use crate::units::VerticalScale;
use std::collections::{BTreeMap, BTreeSet};

/// Cells along each side of the world.
const SIZE: u32 = 24;

fn merged(bodies: &[(Solid, Pose)], width: f64) -> Solids {
    let scale = VerticalScale::try_new(20, 0.0).expect("in range");
    let of = |(solid, pose): &(Solid, Pose)| Footprint::of(solid, pose, width, (SIZE, SIZE));
    let footprints: Vec<Footprint> = bodies.iter().map(of).collect();
    Solids::merge(footprints.iter(), &scale, width)
}

/// Cells that a walk from centre to centre reaches through faces that are not closed.
fn reached(solids: &Solids, start: [u32; 2]) -> BTreeSet<[u32; 2]> {
    let closed = solids.faces.iter().filter(|face| face.open == 0);
    let closed: BTreeSet<_> = closed.map(|face| (face.axis, face.place.x, face.place.y)).collect();
    let mut seen = BTreeSet::from([start]);
    let mut next = vec![start];
    while let Some([x, y]) = next.pop() {
        let beside = [
            ((0, x, y), [x.wrapping_sub(1), y]),
            ((0, x + 1, y), [x + 1, y]),
            ((1, x, y), [x, y.wrapping_sub(1)]),
            ((1, x, y + 1), [x, y + 1]),
        ];
        for (face, to) in beside {
            let is_inside = to.iter().all(|&place| place < SIZE);
            if is_inside && !closed.contains(&face) && seen.insert(to) {
                next.push(to);
            }
        }
    }
    seen
}

/// Bodies along a line through a place, end to end, as a wall across the world.
fn wall(through: [f64; 2], degrees: f64, thick: f64, count: u32) -> Vec<(Solid, Pose)> {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let length = 80.0 / f64::from(count);
    let solid = cuboid([length, thick, 2.0]);
    let pose = |index: u32| {
        let along = -40.0 + (f64::from(index) + 0.5) * length;
        turned([through[0] + along * cos, through[1] + along * sin, 0.0], degrees)
    };
    (0..count).map(|index| (solid.clone(), pose(index))).collect()
}

/// Checks that nothing passes from one side of the line to the other.
#[track_caller]
fn check_tight(name: &str, bodies: &[(Solid, Pose)], through: [f64; 2], degrees: f64) {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let off = |[x, y]: [u32; 2]| {
        (f64::from(y) + 0.5 - through[1]) * cos - (f64::from(x) + 0.5 - through[0]) * sin
    };
    let corners = [0, SIZE - 1].into_iter().flat_map(|y| [[0, y], [SIZE - 1, y]]);
    let mut corners: Vec<[u32; 2]> = corners.collect();
    corners.sort_by(|a, b| off(*a).total_cmp(&off(*b)));
    let solids = merged(bodies, 1.0);
    let (right, left) = (reached(&solids, corners[0]), reached(&solids, corners[3]));
    assert!(off(corners[0]) < -3.0 && off(corners[3]) > 3.0, "{name}: sides");
    assert!(right.is_disjoint(&left), "{name}: leaks at {degrees}° through {through:?}");
    // What is off the wall is open.
    for cell in (0..SIZE).flat_map(|y| (0..SIZE).map(move |x| [x, y])) {
        if off(cell).abs() > 1.6 {
            let side = if off(cell) > 0.0 { &left } else { &right };
            assert!(side.contains(&cell), "{name}: {cell:?} is shut in at {degrees}°");
        }
    }
}

fn as_mesh(solid: &Solid) -> Solid {
    let piece = &solid.pieces()[0];
    Solid::mesh(piece.points().to_vec(), piece.triangles().to_vec()).expect("closed")
}

/// Goal: a wall without gaps is tight at any angle and thickness, through centres and corners, of
/// one body, of many side by side, and of a mesh. Method: a walk from centre to centre.
#[test]
fn no_path_of_centres_passes_a_wall_without_gaps() {
    let mut angles: Vec<f64> = (0..45).map(|step| f64::from(step) * 4.1).collect();
    angles.extend([17.0, 45.0, 90.0, 135.0, 26.565_051_177_078, 1.0e-7, 90.0 - 1.0e-7]);
    for degrees in angles {
        for through in [[12.5, 12.5], [12.0, 12.0], [12.25, 11.9], [12.0, 12.5]] {
            for (thick, count) in
                [(0.05, 1), (0.9, 1), (0.05, 40), (0.3, 173), (0.9, 40), (1.4, 57), (0.001, 301)]
            {
                let bodies = wall(through, degrees, thick, count);
                let name = format!("{count} bodies of {thick} cells");
                check_tight(&name, &bodies, through, degrees);
            }
            let mesh = wall(through, degrees, 0.4, 7);
            let mesh: Vec<_> = mesh.iter().map(|(solid, pose)| (as_mesh(solid), *pose)).collect();
            check_tight("meshes", &mesh, through, degrees);
        }
    }
}

/// Goal: bodies that lean, and tetrahedra, are as tight as boxes that stand.
#[test]
fn leaning_bodies_side_by_side_are_tight() {
    for seed in 0..60 {
        let mut draws = Draws(seed << 32);
        let degrees = draws.between(0.0, 180.0);
        let through = [draws.between(11.0, 13.0), draws.between(11.0, 13.0)];
        let lean = draws.between(-0.5, 0.5);
        let bodies = wall(through, degrees, draws.between(0.05, 0.9), 41);
        // Turned about its length: what touches still does.
        let leaning = |(solid, pose): &(Solid, Pose)| {
            let rotation = pose.rotation * DQuat::from_rotation_x(2.0 * lean);
            (solid.clone(), Pose { rotation, ..*pose })
        };
        let bodies: Vec<_> = bodies.iter().map(leaning).collect();
        let solids = merged(&bodies, 1.0);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let side = |x: f64, y: f64| (y - through[1]) * cos - (x - through[0]) * sin > 0.0;
        let [from, to] = [[0, 0], [SIZE - 1, SIZE - 1], [0, SIZE - 1], [SIZE - 1, 0]]
            .windows(2)
            .find(|pair| {
                let is_left = |cell: [u32; 2]| side(f64::from(cell[0]), f64::from(cell[1]));
                is_left(pair[0]) != is_left(pair[1])
            })
            .map(|pair| [pair[0], pair[1]])
            .expect("corners on both sides");
        assert!(!reached(&solids, from).contains(&to), "seed {seed}: leaks");
    }
}

/// Goal: a wall with a stem is tight where the stem meets its bar from the side, wherever that is.
#[test]
fn the_stem_of_a_t_closes_with_its_bar() {
    for seed in 0..300 {
        let mut draws = Draws(seed << 32);
        let degrees = draws.between(0.0, 90.0);
        let centre = [draws.between(11.0, 13.0), draws.between(11.0, 13.0)];
        let thick = draws.between(0.02, 0.8);
        let (sin, cos) = degrees.to_radians().sin_cos();
        // The stem runs off at right angles, from the side of the bar.
        let away = 20.0 + 0.5 * thick;
        let stem = [centre[0] - away * sin, centre[1] + away * cos, 0.0];
        let bodies = [
            (cuboid([80.0, thick, 2.0]), turned([centre[0], centre[1], 0.0], degrees)),
            (cuboid([40.0, draws.between(0.02, 0.8), 2.0]), turned(stem, degrees + 90.0)),
        ];
        let solids = merged(&bodies, 1.0);
        let at = |along: f64, up: f64| -> [u32; 2] {
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "cells")]
            [along * cos - up * sin + centre[0], along * sin + up * cos + centre[1]]
                .map(|place| place as u32)
        };
        let [left, right] = [at(-5.0, 5.0), at(5.0, 5.0)];
        assert!(!reached(&solids, left).contains(&right), "seed {seed}, at {degrees}°: leaks");
    }
}

/// The least opening from the south edge of the world to its north edge, cells: what a flow from
/// west to east has to pass. Method: the shortest way over the corners of cells, where a face
/// costs what it has open.
fn passage(solids: &Solids) -> f64 {
    let of = |open: u32| f64::from(open) / f64::from(WHOLE);
    let open: BTreeMap<(u8, u32, u32), f64> = solids
        .faces
        .iter()
        .map(|face| ((face.axis, face.place.x, face.place.y), of(face.open)))
        .collect();
    let width = SIZE + 1;
    let index = |x: u32, y: u32| (y * width + x) as usize;
    let mut least = vec![f64::INFINITY; (width * width) as usize];
    least[..width as usize].fill(0.0);
    let mut is_settled = false;
    while !is_settled {
        is_settled = true;
        let mut relax = |from: usize, to: usize, face: (u8, u32, u32)| {
            let cost = open.get(&face).unwrap_or(&1.0);
            for (from, to) in [(from, to), (to, from)] {
                if least[from] + cost < least[to] {
                    least[to] = least[from] + cost;
                    is_settled = false;
                }
            }
        };
        for (x, y) in (0..width).flat_map(|y| (0..width).map(move |x| (x, y))) {
            if y < SIZE {
                relax(index(x, y), index(x, y + 1), (0, x, y));
            }
            if x < SIZE {
                relax(index(x, y), index(x + 1, y), (1, x, y));
            }
        }
    }
    least[index(0, SIZE)..].iter().copied().fold(f64::INFINITY, f64::min)
}

/// The largest step between the passages beside walls of lengths and directions, from the south
/// edge of the world on.
fn largest_step(thick: f64, walls: impl Iterator<Item = (f64, f64)>) -> f64 {
    let passages: Vec<f64> = walls
        .map(|(length, degrees)| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            let middle = 0.5 * length - 3.0;
            let at = [12.13 + middle * cos, 0.4 + middle * sin, 0.0];
            passage(&merged(&[(cuboid([length, thick, 2.0]), turned(at, degrees))], 1.0))
        })
        .collect();
    passages.windows(2).map(|pair| (pair[1] - pair[0]).abs()).fold(0.0, f64::max)
}

/// Goal: as the end of a wall moves on, what is left to pass beside it changes bit by bit. Method:
/// walls that grow by 1/64 of a cell, and that turn by 0.2°; along the grid nothing jumps, at other
/// angles closed faces change places, which may take 0.4 cells, and 0.7 while it turns.
#[test]
fn passages_change_bit_by_bit() {
    for thick in [0.02, 0.3, 0.7] {
        for degrees in [90.0, 83.0, 60.0, 45.0, 30.0, 135.0, 110.0_f64] {
            let walls = (0..512).map(|step| (10.0 + f64::from(step) / 64.0, degrees));
            let step = largest_step(thick, walls);
            let most = if (degrees - 90.0).abs() < 1.0 { 1.01 / 64.0 } else { 0.4 };
            assert!(step < most, "{thick} cells thick at {degrees}°: a step of {step} cells");
        }
        let step = largest_step(thick, (0..700).map(|step| (15.3, 20.0 + 0.2 * f64::from(step))));
        assert!(step < 0.7, "{thick} cells thick: turning steps by {step} cells");
    }
}
