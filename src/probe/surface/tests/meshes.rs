//! Meshes that are built anew in part.

use super::*;
use crate::probe::mesh::MESH_WIDTH;
use crate::probe::{MeshChange, Skin, SurfaceLeaf, SurfaceMesh};
use std::collections::BTreeMap;
use thalweg_engine::grid::{LeafId, Side};

/// Where a vertex lies, in finest cells, and all that it holds.
type Ends = ([usize; 2], Vec<u32>);

impl Scene {
    fn update_mesh(&self, mesh: &mut SurfaceMesh) -> MeshChange {
        mesh.follow(&SurfaceState {
            query: self.made.query().flowing(&self.maps),
            changed_at: &|leaf| self.changed[leaf],
            revision: self.revision,
            time: SimTime::from_seconds(self.time_s),
        })
    }

    /// True where a finest cell is drawn.
    fn shows(&self, skin: Skin, [x, y]: [usize; 2]) -> bool {
        let place = |v: usize| u32::try_from(v).expect("512 at most");
        let place = CellPlace { x: place(x), y: place(y) };
        self.made.forest.locate(place).is_some_and(|(leaf, cell)| {
            let is_wet = skin == Skin::Bed || self.made.query().is_wet(leaf, cell);
            self.made.grounds[leaf].is_inside(cell) && is_wet
        })
    }

    /// How many finest cells on either side of a line are drawn: on its left, and on its right.
    fn shown_beside(&self, skin: Skin, [a, b]: [[usize; 2]; 2]) -> [usize; 2] {
        let axis = usize::from(a[0] == b[0]);
        assert_eq!(a[1 - axis], b[1 - axis], "a diagonal without a partner");
        let is_forward = a[axis] < b[axis];
        let (low, high) = (a[axis].min(b[axis]), a[axis].max(b[axis]));
        let count = |before: bool| {
            let Some(across) = a[1 - axis].checked_sub(usize::from(before)) else { return 0 };
            let cell = |along: usize| if axis == 0 { [along, across] } else { [across, along] };
            (low..high).filter(|&along| self.shows(skin, cell(along))).count()
        };
        // To the left of a line eastward lies north, of one northward west.
        if is_forward == (axis == 0) {
            [count(false), count(true)]
        } else {
            [count(true), count(false)]
        }
    }
}

fn ends(leaf: &SurfaceLeaf, vertex: u16) -> Ends {
    let (key, at) = (leaf.mesh.key, usize::from(vertex));
    let place = [(key.x, at % MESH_WIDTH), (key.y, at / MESH_WIDTH)]
        .map(|(tile, step)| (tile as usize * 64 + step) << key.level);
    let mesh = &leaf.mesh;
    let mut holds = vec![mesh.bed_m[at], mesh.stage_m[at], mesh.depth_m[at], leaf.foam[at]];
    holds.extend(leaf.bed_normal[at].into_iter().chain(leaf.water_normal[at]));
    holds.extend(leaf.velocity_m_s[at]);
    (place, holds.into_iter().map(f32::to_bits).collect())
}

/// Walks all lines of all triangles.
#[track_caller]
fn check_no_cracks(scene: &Scene, mesh: &SurfaceMesh, skin: Skin, name: &str) -> usize {
    let mut lines: BTreeMap<(Ends, Ends), &SurfaceLeaf> = BTreeMap::new();
    for leaf in mesh.leaves() {
        for [a, b, c] in leaf.mesh.triangles(skin) {
            for (a, b) in [(a, b), (b, c), (c, a)] {
                let line = (ends(leaf, a), ends(leaf, b));
                assert!(lines.insert(line, leaf).is_none(), "{name}: a line belongs twice");
            }
        }
    }
    let mut rim = 0;
    for ((a, b), leaf) in &lines {
        if lines.contains_key(&(b.clone(), a.clone())) {
            continue;
        }
        let [left, right] = scene.shown_beside(skin, [a.0, b.0]);
        assert!(left > 0, "{name}: a line of no cell from {:?} to {:?}", a.0, b.0);
        rim += 1;
        if right == 0 {
            continue;
        }
        // Only where the shore ends in the middle of a coarse cell's side may something lie there.
        let length = a.0[0].abs_diff(b.0[0]) + a.0[1].abs_diff(b.0[1]);
        let axis = usize::from(a.0[0] == b.0[0]);
        let wider = [a, b].map(|end| {
            let mut wide = end.0;
            let low = a.0[axis].min(b.0[axis]) / (2 * length) * (2 * length);
            wide[axis] =
                if end.0[axis] > a.0[axis].min(b.0[axis]) { low + 2 * length } else { low };
            wide
        });
        let shown: usize = scene.shown_beside(skin, wider).iter().sum();
        let is_level_edge = (1 << leaf.mesh.key.level) == length || !leaf.mesh.coarser.is_empty();
        let is_cut = skin == Skin::Water && shown < 4 * length && is_level_edge;
        assert!(is_cut, "{name}: a crack from {:?} to {:?}", a.0, b.0);
    }
    rim
}

#[track_caller]
fn check_mesh(scene: &Scene, mesh: &mut SurfaceMesh, name: &str) -> MeshChange {
    let change = scene.update_mesh(mesh);
    let rims = [Skin::Bed, Skin::Water].map(|skin| check_no_cracks(scene, mesh, skin, name));
    assert!(rims[0] >= 4 && rims[1] > 0, "{name}: nothing is drawn");
    // As if all were new.
    let mut anew = SurfaceMesh::try_new([0.0; 2], [2000.0; 2]).expect("finite");
    scene.update_mesh(&mut anew);
    for (leaf, expected) in mesh.leaves().zip(anew.leaves()) {
        assert_eq!(leaf.mesh.key, expected.mesh.key, "{name}");
        for vertex in (0_u16..).take(MESH_WIDTH * MESH_WIDTH) {
            assert_eq!(ends(leaf, vertex), ends(expected, vertex), "{name}: {:?}", leaf.mesh.key);
        }
    }
    assert_eq!(mesh.leaves().count(), scene.maps.len(), "{name}");
    assert_eq!(scene.update_mesh(mesh), MeshChange::default(), "{name}: twice");
    change
}

#[test]
fn no_cracks() {
    for leaves in [three_levels(), all_levels()[4].clone()] {
        let mut mesh = SurfaceMesh::try_new([0.0; 2], [2000.0; 2]).expect("finite");
        let mut scene = Scene::of(leaves);
        let change = check_mesh(&scene, &mut mesh, "first");
        assert_eq!((change.changed.len(), change.gone.len()), (scene.maps.len(), 0));
        for (round, leaf) in [0, 3, 5, scene.maps.len() - 1].into_iter().enumerate() {
            let leaf = LeafId::new(leaf);
            scene.stir(leaf, round as u64 + 20);
            let change = check_mesh(&scene, &mut mesh, &format!("stirred {leaf:?}"));
            let key = scene.made.forest.leaves()[leaf];
            assert!(change.changed.contains(&key) && change.changed.len() < scene.maps.len());
        }
    }
}

#[test]
fn no_cracks_where_leaves_change_their_level() {
    let mut mesh = SurfaceMesh::try_new([0.0; 2], [2000.0; 2]).expect("finite");
    check_mesh(&Scene::of(one_level(2)), &mut mesh, "first");
    let mut before = one_level(2);
    for (round, leaves) in (2..).zip([three_levels(), one_level(1), three_levels()]) {
        let mut scene = Scene::new(Made::new(leaves, bed, stage), round);
        // As a world numbers it: new leaves, and those around.
        scene.changed.fill(0);
        let keys = scene.made.forest.leaves().to_vec();
        let ids = LeafId::all(keys.len());
        for (leaf, key) in ids.zip(&keys).filter(|(_, key)| !before.contains(key)) {
            scene.changed[leaf] = round;
            for near in scene.made.forest.near(leaf) {
                scene.changed[near] = round;
            }
            assert!(key.level < 3);
        }
        let change = check_mesh(&scene, &mut mesh, &format!("round {round}"));
        let gone = before.iter().filter(|key| !keys.contains(key)).count();
        assert_eq!(change.gone.len(), gone);
        before = keys;
    }
}

#[test]
fn skirts_hang_from_all_four_sides() {
    let scene = Scene::new(Made::new(three_levels(), |_| Some(0.0), |_| UNITS), 1);
    let mut mesh = SurfaceMesh::try_new([0.0; 2], [2000.0; 2]).expect("finite");
    scene.update_mesh(&mut mesh);
    for leaf in mesh.leaves() {
        // Where a coarser leaf lies beyond, every second vertex is left out.
        let hanging = leaf.mesh.coarser.len() * 32;
        for (skin, top) in [(Skin::Bed, 100.0), (Skin::Water, 101.0)] {
            let skirt = leaf.skirt(skin, 2.0);
            assert_eq!(skirt.triangles.len(), 2 * (4 * 64 - hanging), "{:?}", leaf.mesh.key);
            for ends in skirt.positions.as_chunks::<2>().0 {
                check_near(ends[0][2], top, 1.0, "above");
                check_near(ends[1][2], top - 2.0, 1.0, "below");
            }
            // Outward: away from the middle of the leaf.
            let middle = 32.0 * small(leaf.mesh.cell_width_m);
            for triangle in &skirt.triangles {
                let [a, b, c] = triangle.map(|at| skirt.positions[at as usize]);
                let [u, v] = [b, c].map(|p| [0, 1, 2].map(|i| p[i] - a[i]));
                let out = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2]];
                let dot = out[0] * (a[0] - middle) + out[1] * (a[1] - middle);
                assert!(dot > 0.0, "{:?}: {triangle:?} faces inward", leaf.mesh.key);
            }
        }
        assert_eq!(Side::ALL.len(), 4);
    }
}
