//! Scenes of voxels.
//!
//! Goal: models stand where the scene shows them; a house of voxels is the house of a mesh; what is
//!       broken is refused in one line.

use shapes::{Mesh, VoxelScene};
use testkit::blocks::{Model, VoxelNode, block, obj, vox};
use thalweg::world::{CellPlace, Earthworks, VoxelFrame, VoxelGrid};

use crate::file;

#[track_caller]
fn read(content: &[u8]) -> VoxelScene {
    let (_folder, path) = file("a.vox", content);
    VoxelScene::read(&path).unwrap_or_else(|error| panic!("{error}"))
}

fn solid(scene: &VoxelScene) -> Vec<[u32; 3]> {
    let each = scene.runs().flat_map(|([x, y], [low, high])| (low..high).map(move |z| [x, y, z]));
    each.collect()
}

fn is_in(at: [u8; 3], low: [u8; 3], high: [u8; 3]) -> bool {
    (0..3).all(|axis| (low[axis]..high[axis]).contains(&at[axis]))
}

/// A house of 8 × 6 × 5 with a room of 6 × 4 × 3 and a door in the east.
fn is_house(x: u8, y: u8, z: u8) -> bool {
    let at = [x, y, z];
    !is_in(at, [1, 1, 1], [7, 5, 4]) && !is_in(at, [7, 2, 1], [8, 4, 3])
}

#[test]
fn a_house_of_voxels_is_the_house_of_a_mesh() {
    let ground = || Earthworks::new([32, 32], 1.0, |x, _| if x < 12 { 0.5 } else { 0.0 });
    let solid = |name: &str, blocks: &[_]| {
        let (_folder, path) = file(name, obj(blocks));
        Mesh::read(&path).and_then(|mesh| mesh.solid(|point| point)).expect("a solid")
    };
    let room = block([1.0, 1.0, 1.0], [7.0, 5.0, 4.0]).hollow();
    let house = solid("a.obj", &[block([0.0; 3], [8.0, 6.0, 5.0]), room]);
    let door = solid("b.obj", &[block([7.0, 2.0, 1.0], [8.0, 4.0, 3.0])]);
    let mut meshes = ground().expect("a ground");
    meshes.raise(&house, [10.0, 12.0, 0.0]).expect("within");
    meshes.hollow(&door, [10.0, 12.0, 0.0]).expect("within");

    let scene = read(&vox(&[Model::of([8, 6, 5], is_house)], &[]));
    assert_eq!(scene.size(), [8, 6, 5]);
    let mut voxels = ground().expect("a ground");
    let runs = scene
        .runs()
        .map(|([x, y], layers)| (CellPlace { x: 10 + x, y: 12 + y }, layers.map(f64::from)));
    voxels.build(runs).expect("within");
    assert_eq!(voxels.voids(), meshes.voids());
    assert_eq!(voxels, meshes);

    let low = CellPlace { x: 0, y: 0 };
    let frame = VoxelFrame { low, size: scene.size(), floor_m: 0.0, voxel_m: 1.0 };
    let grid = VoxelGrid::from_fn(frame, |x, y, z| scene.is_solid(x, y, z)).expect("a grid");
    assert_eq!(grid.runs(CellPlace { x: 7, y: 3 }), [[1, 3]]);
    assert_eq!(grid.runs(CellPlace { x: 3, y: 3 }), [[1, 4]]);
}

/// An L of three voxels, turned by a quarter, moved, and beside it a copy as it is.
#[test]
fn models_stand_where_nodes_put_them() {
    let corner = || Model { size: [2, 2, 1], voxels: vec![[0, 0, 0], [1, 0, 0], [0, 1, 0]] };
    let quarter = (1 | 1 << 4).to_string();
    let nodes = [
        VoxelNode::Transform(1, &[]),
        VoxelNode::Group(&[2, 4]),
        VoxelNode::Transform(3, &[("_t", "-4 7 0"), ("_r", &quarter)]),
        VoxelNode::Shape(0),
        VoxelNode::Transform(3, &[("_t", "1 7 2")]),
    ];
    let scene = read(&vox(&[corner()], &nodes));
    // Its middle is the corner between all four: x' = −y, y' = x.
    let turned = [[1, 0, 0], [0, 0, 0], [1, 1, 0]];
    let moved = [[5, 0, 2], [6, 0, 2], [5, 1, 2]];
    let mut expected: Vec<[u32; 3]> = turned.into_iter().chain(moved).collect();
    let mut found = solid(&scene);
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!((scene.size(), scene.count()), ([7, 2, 3], 6));
    assert_eq!(found, expected);
    assert_eq!(scene.boxes(), [[[5, 0, 2], [7, 2, 3]], [[0, 0, 0], [2, 2, 1]]]);
}

/// All 48 turns of a box keep its voxels, and what is hidden is left out.
#[test]
fn turned_boxes_keep_their_voxels() {
    let size = [2, 3, 4];
    for bits in 0..128_u8 {
        let text = bits.to_string();
        let (first, second) = (bits & 3, bits >> 2 & 3);
        let nodes = [VoxelNode::Transform(1, &[("_r", &text)]), VoxelNode::Shape(0)];
        let bytes = vox(&[Model::of(size, |_, _, _| true)], &nodes);
        let (_folder, path) = file("a.vox", bytes);
        let scene = VoxelScene::read(&path);
        if first < 3 && second < 3 && first != second {
            let scene = scene.expect("a turn");
            let from = [first, second, 3 - first - second].map(usize::from);
            assert_eq!(scene.size(), from.map(|axis| u32::from(size[axis])), "{bits}");
            assert_eq!(scene.count(), 24, "{bits}");
        } else {
            let said = scene.expect_err("no turn").to_string();
            assert!(said.contains(&format!("turned by `{bits}`")), "{said}");
        }
    }
}

#[test]
fn a_bad_scene_is_one_clear_line() {
    let one = || Model::of([2, 2, 2], |x, _, _| x == 0);
    let scene = |nodes: &[VoxelNode<'_>]| vox(&[one()], nodes);
    let good = scene(&[VoxelNode::Transform(1, &[]), VoxelNode::Shape(0)]);
    let mut nested = good.clone();
    nested[28..32].copy_from_slice(&[4, 0, 0, 0]);
    let fill = [VoxelNode::Group(&[1; 64]), VoxelNode::Group(&[2; 64]), VoxelNode::Group(&[3; 64])];
    let many: Vec<VoxelNode<'_>> = fill.into_iter().chain([VoxelNode::Group(&[4; 64])]).collect();
    let far = [("_t", "999999 0 0")];
    let apart = [VoxelNode::Group(&[1, 2]), VoxelNode::Shape(0), VoxelNode::Transform(1, &far)];
    let cases: &[(Vec<u8>, &[&str])] = &[
        (Vec::new(), &["holds nothing"]),
        (b"PNG".to_vec(), &["is no .vox"]),
        (b"VOX \x96\0\0\0".to_vec(), &["ends within a chunk"]),
        (good[..good.len() - 1].to_vec(), &["ends within a chunk"]),
        (nested, &["chunks within chunks"]),
        (vox(&[], &[]), &["shows no voxel"]),
        (
            scene(&[VoxelNode::Transform(1, &[("_hidden", "1")]), VoxelNode::Group(&[])]),
            &["shows no voxel"],
        ),
        (scene(&[VoxelNode::Transform(0, &[])]), &["go in circles"]),
        (scene(&[VoxelNode::Group(&[1]), VoxelNode::Group(&[0, 0])]), &["go in circles"]),
        (scene(&many), &["node 4, which is not there"]),
        (scene(&[VoxelNode::Transform(7, &[])]), &["node 7, which is not there"]),
        (scene(&[VoxelNode::Shape(3)]), &["model 3, which is not there"]),
        (
            scene(&[VoxelNode::Transform(1, &[("_t", "1 2")]), VoxelNode::Shape(0)]),
            &["moved by `1 2`"],
        ),
        (scene(&apart), &["1000001 x 2 x 2 voxels", "at most 65536"]),
        (vox(&[Model { size: [2, 0, 2], voxels: vec![] }], &[]), &["model 0 has 2 x 0 x 2"]),
        (vox(&[Model { size: [2, 300, 2], voxels: vec![] }], &[]), &["1 to 256"]),
        (
            vox(&[Model { size: [2, 2, 2], voxels: vec![[0, 2, 0]] }], &[]),
            &["voxel 0, 2, 0 of model 0 lies outside"],
        ),
    ];
    for (content, words) in cases {
        let (_folder, path) = file("a.vox", content);
        let said = VoxelScene::read(&path).expect_err(words[0]).to_string();
        let missing: Vec<_> = words.iter().filter(|word| !said.contains(**word)).collect();
        assert!(missing.is_empty() && said.lines().count() == 1, "lacks {missing:?}: {said}");
    }
}

/// Goal: a small file that expands to a large scene is refused before memory is taken for it.
/// Method: groups of groups show one model 64 × 64 × 17 times, and 2000 times a full one.
#[test]
fn a_scene_is_bounded_by_what_it_expands_to() {
    let one = || Model::of([1, 1, 1], |_, _, _| true);
    let full = || Model::of([24, 24, 24], |_, _, _| true);
    let last = [3; 17];
    let shown = |count: usize| {
        let groups = [
            VoxelNode::Group(&[1; 64]),
            VoxelNode::Group(&[2; 64]),
            VoxelNode::Group(&last[..count]),
        ];
        groups.into_iter().chain([VoxelNode::Shape(0)]).collect::<Vec<_>>()
    };
    let large = [VoxelNode::Group(&[1; 20]), VoxelNode::Group(&[2; 64]), VoxelNode::Shape(0)];
    let cases = [
        (vox(&[one()], &shown(17)), "shows its models more than 65536 times"),
        (vox(&[full()], &large), "17694720 voxels in the 1280 models that it shows"),
    ];
    for (content, words) in cases {
        assert!(content.len() < 100_000, "{} bytes", content.len());
        let (_folder, path) = file("a.vox", content);
        let said = VoxelScene::read(&path).expect_err(words).to_string();
        assert!(said.contains(words) && said.lines().count() == 1, "{said}");
    }
    let fits = read(&vox(&[one()], &shown(16)));
    assert_eq!((fits.count(), fits.boxes().len()), (1, 1 << 16));
}

/// Goal: nodes are counted before they are read, as each takes many times its bytes.
#[test]
fn nodes_of_a_scene_are_bounded() {
    let frames = vec![("_t", "0 0 0"); 2_500_000];
    let nodes = [VoxelNode::Transform(1, &frames), VoxelNode::Shape(0)];
    let (_folder, path) = file("a.vox", vox(&[Model::of([1, 1, 1], |_, _, _| true)], &nodes));
    let said = VoxelScene::read(&path).expect_err("too many").to_string();
    assert!(said.contains("has more than 32 MiB of nodes and layers"), "{said}");
}

/// Whichever byte of a file changes, there is an answer and no panic.
#[test]
fn changed_bytes_do_not_panic() {
    let nodes = [VoxelNode::Transform(1, &[("_t", "1 2 3"), ("_r", "17")]), VoxelNode::Shape(0)];
    let good = vox(&[Model::of([2, 2, 2], |x, _, _| x == 0)], &nodes);
    let (_folder, path) = file("a.vox", &good);
    for at in 0..good.len() {
        for value in [0, 0x7f, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            std::fs::write(&path, bytes).expect("writable");
            let _ = VoxelScene::read(&path);
        }
    }
}
