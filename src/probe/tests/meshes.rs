//! Meshes for drawing.

use super::*;
use crate::probe::mesh::MESH_WIDTH;
use crate::probe::{LeafMesh, Skin};
use std::collections::BTreeMap;

/// A random number of units for each place.
fn rough([x, y]: [f64; 2]) -> f64 {
    let draw = scramble(x.to_bits() ^ scramble(y.to_bits()));
    f64::from(u32::try_from(draw >> 44).expect("20 bits"))
}

fn meshes(made: &Made) -> Vec<LeafMesh> {
    made.query().meshes([0.0, 0.0], [2000.0, 2000.0]).expect("finite")
}

/// Column and row of a vertex among the corners of finest cells.
fn corner(mesh: &LeafMesh, vertex: usize) -> (usize, usize) {
    let key = mesh.key;
    let at = |tile: u32, step: usize| (tile as usize * TILE_WIDTH + step) << key.level;
    (at(key.x, vertex % MESH_WIDTH), at(key.y, vertex / MESH_WIDTH))
}

fn holds(mesh: &LeafMesh, vertex: usize) -> [u32; 3] {
    [mesh.bed_m[vertex], mesh.stage_m[vertex], mesh.depth_m[vertex]].map(f32::to_bits)
}

#[test]
fn vertices_are_the_same_in_all_leaves_and_hang_half_way() {
    for (row, leaves) in all_levels().into_iter().enumerate() {
        let made = Made::new(leaves, |at| Some(rough(at)), |_| 5.0e5);
        let meshes = meshes(&made);
        let mut seen = BTreeMap::new();
        let mut shared = 0;
        for mesh in &meshes {
            for vertex in 0..MESH_WIDTH * MESH_WIDTH {
                let (at, found) = (corner(mesh, vertex), holds(mesh, vertex));
                let first = *seen.entry(at).or_insert(found);
                shared += usize::from(first == found);
                assert_eq!(first, found, "row {row}, {at:?}");
            }
        }
        assert!(shared > seen.len(), "row {row}: nothing is shared");
        // Hanging ones: the odd vertices beside a coarser leaf.
        for mesh in
            meshes.iter().filter(|mesh| mesh.coarser.contains(&thalweg_engine::grid::Side::West))
        {
            for y in (1..TILE_WIDTH).step_by(2) {
                let [south, here, north] =
                    [y - 1, y, y + 1].map(|y| f64::from(mesh.bed_m[y * MESH_WIDTH]));
                check_near(here, 0.5 * (south + north), 1.0e-5, "hanging");
            }
        }
    }
}

#[test]
fn vertices_on_a_plane_lie_on_it() {
    for leaves in all_levels() {
        let made = Made::new(leaves, |place| Some(bed_plane(place)), stage_plane);
        for mesh in meshes(&made) {
            for vertex in 0..MESH_WIDTH * MESH_WIDTH {
                let (x, y) = corner(&mesh, vertex);
                let at = [x, y].map(|v| f64::from(u32::try_from(v).expect("few")) * WIDTH_M);
                if at.iter().all(|v| (8.0..1016.0).contains(v)) {
                    let bed_m = f64::from(mesh.bed_m[vertex]);
                    check_near(bed_m, metres(bed_plane(at)), 1.0e-5, "bed");
                    let stage_m = f64::from(mesh.stage_m[vertex]);
                    check_near(stage_m, metres(stage_plane(at)), 1.0e-5, "stage");
                }
            }
        }
    }
}

/// Twice the area of a triangle, in finest cells, positive if it goes round to the left.
fn twice_area(mesh: &LeafMesh, triangle: [u16; 3]) -> i64 {
    let [a, b, c] = triangle.map(|vertex| {
        let (x, y) = corner(mesh, usize::from(vertex));
        [x, y].map(|v| i64::try_from(v).expect("few"))
    });
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[test]
fn triangles_leave_no_crack() {
    for (row, leaves) in all_levels().into_iter().enumerate() {
        let made = Made::new(leaves, |at| Some(rough(at)), |[x, y]| 2.0e6 + rough([y, x]));
        for skin in [Skin::Bed, Skin::Water] {
            let mut lines = BTreeMap::new();
            let mut area = 0;
            for mesh in meshes(&made) {
                for triangle in mesh.triangles(skin) {
                    let twice = twice_area(&mesh, triangle);
                    assert!(twice > 0, "row {row}: {triangle:?} is turned over");
                    area += twice;
                    let ends = triangle.map(|vertex| {
                        let vertex = usize::from(vertex);
                        (corner(&mesh, vertex), holds(&mesh, vertex))
                    });
                    for i in 0..3 {
                        *lines.entry((ends[i], ends[(i + 1) % 3])).or_insert(0) += 1;
                    }
                }
            }
            assert_eq!(area, 2 * 512 * 512, "row {row}");
            for ((a, b), count) in &lines {
                assert_eq!(*count, 1, "row {row}: twice from {a:?} to {b:?}");
                let on_rim = |v: usize, w: usize| v == w && (v == 0 || v == 512);
                let is_rim = on_rim(a.0.0, b.0.0) || on_rim(a.0.1, b.0.1);
                let is_paired = lines.contains_key(&(*b, *a));
                assert!(is_paired != is_rim, "row {row}: a crack from {a:?} to {b:?}");
            }
        }
    }
}

#[test]
fn triangles_cover_what_is_inside_and_what_is_wet() {
    // Holes as wide as a coarsest cell, some of them at edges between levels; water in patches.
    let draw = |[x, y]: [f64; 2], by: f64| {
        let [x, y] = [x, y].map(|v| (v / by).floor().to_bits());
        scramble(x ^ scramble(y)) % 4
    };
    for (row, leaves) in all_levels().into_iter().enumerate() {
        let bed = |at: [f64; 2]| (draw(at, 8.0) != 0).then_some(0.0);
        let made = Made::new(leaves, bed, |at| if draw(at, 16.0) < 2 { UNITS } else { 0.0 });
        let cells = |shown: &dyn Fn(usize, usize) -> bool| -> i64 {
            let leaves = made.forest.leaves().iter().enumerate();
            let count = |(leaf, key): (usize, &thalweg_engine::grid::TileKey)| {
                let shown = (0..TILE_CELLS).filter(|&cell| shown(leaf, cell)).count();
                i64::try_from(shown << (2 * key.level)).expect("few")
            };
            leaves.map(count).sum()
        };
        let inside = cells(&|leaf, cell| made.grounds[leaf].is_inside(cell));
        let wet = cells(&|leaf, cell| made.water[leaf].depth[cell] > 0);
        assert!(wet < inside && inside < 512 * 512);
        for (skin, expected) in [(Skin::Bed, inside), (Skin::Water, wet)] {
            let mut area = 0;
            for mesh in meshes(&made) {
                for triangle in mesh.triangles(skin) {
                    let plane = if skin == Skin::Bed { &mesh.bed_m } else { &mesh.stage_m };
                    assert!(triangle.iter().all(|&v| plane[usize::from(v)].is_finite()));
                    let twice = twice_area(&mesh, triangle);
                    assert!(twice > 0, "row {row}: {triangle:?} is turned over");
                    area += twice;
                }
            }
            assert_eq!(area, 2 * expected, "row {row}, {skin:?}");
        }
    }
}
