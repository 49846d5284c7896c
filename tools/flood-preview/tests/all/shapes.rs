//! Meshes and voxels of a scenario, from their files to the water in a house.
//!
//! Goal: water comes in through the door of a house and stays out of one without; a house of voxels
//!       holds what a house of a mesh holds; what cannot be is refused in one line.
//! Method: a flat basin with a lake held at its west side, and a house in the middle; the world
//!         that a run leaves is opened with the library.

use tempfile::TempDir;
use testkit::blocks::{MeshBlock, Model, block, obj, stl_binary, vox};
use testkit::{Program, grid, holds};
use thalweg::world::{CellPlace, SaveFile, World};

const FLOOD: Program = Program(env!("CARGO_BIN_EXE_flood-preview"));

/// The water outside stands at 5.8 m in the west; on rough ground its waves die within minutes.
const WATER: &str = "[map]\nfile = \"dem.asc\"\n[ground]\nmanning = 0.1\n[edges]\nall = \"wall\"\n\
                     west = \"stage:5.8\"\n";

const HOUSE: &str = "[[mesh]]\nname = \"house\"\nfile = \"house.obj\"\nat = [1010, 2010]\n\
                     base = 5\n";

const DOOR: &str = "[[mesh]]\nname = \"door\"\nfile = \"door.stl\"\nat = [1010, 2010]\n\
                    base = 5\ninside = \"air\"\n";

const VOXELS: &str = "[[voxels]]\nname = \"hall\"\nfile = \"house.vox\"\nat = [1010, 2010]\n\
                      floor = 5\nlayer = \"50cm\"\n";

/// A house of 8 × 6 × 4 m with a room of 6 × 4 × 3 m, a floor of half a metre.
fn house() -> [MeshBlock; 2] {
    [block([0.0; 3], [8.0, 6.0, 4.0]), block([1.0, 1.0, 0.5], [7.0, 5.0, 3.5]).hollow()]
}

/// The doorway in its west.
fn door() -> [MeshBlock; 1] {
    [block([-0.5, 2.0, 0.5], [1.5, 4.0, 2.5])]
}

/// The house and its doorway, with layers of half a metre.
fn is_house(x: u8, y: u8, z: u8) -> bool {
    let is_room = (1..7).contains(&x) && (1..5).contains(&y) && (1..7).contains(&z);
    let is_door = x == 0 && (2..4).contains(&y) && (1..5).contains(&z);
    !is_room && !is_door
}

fn folder(rocks: &str) -> TempDir {
    let open = [house()[0], block([1.0, 1.0, 0.5], [7.0, 5.0, 4.5])];
    testkit::folder(&[
        ("dem.asc", grid((28, 24), 1.0, |_, _| "5").into_bytes()),
        ("house.obj", obj(&house()).into_bytes()),
        ("open.obj", obj(&open).replace("f 1/1/1 5/1/1 7/1/1 3/1/1\n", "").into_bytes()),
        ("door.stl", stl_binary("door", &door())),
        ("house.vox", vox(&[Model::of([8, 6, 8], is_house)], &[])),
        ("s.toml", format!("{WATER}{rocks}").into_bytes()),
    ])
}

/// The world that a run leaves.
#[track_caller]
fn flooded(rocks: &str) -> World {
    let folder = folder(rocks);
    let said = FLOOD.said(folder.path(), "s.toml --frames 0 --for 3min --world end.thalweg");
    assert!(said.contains("to the unit"), "{said}");
    let file = SaveFile::read(&folder.path().join("end.thalweg"));
    file.and_then(|mut file| file.load(Vec::new())).expect("a world")
}

/// Bed and ceiling of the lowest interval of a cell, m, as text.
#[track_caller]
fn span_m(world: &World, x: u32, y: u32) -> String {
    let intervals = world.stacks().intervals_at(CellPlace { x, y });
    format!("{} to {}", intervals[0].bed_m, intervals[0].ceiling_m)
}

/// Depth of the lowest interval of a cell, m.
#[track_caller]
fn depth_m(world: &World, x: u32, y: u32) -> f64 {
    world.stacks().intervals_at(CellPlace { x, y })[0].depth_m
}

#[test]
fn a_house_floods_through_its_door() {
    let closed = flooded(HOUSE);
    assert_eq!(closed.stacks().count(), 6 * 4);
    assert_eq!(span_m(&closed, 13, 13), "5.5 to 8.5");
    assert!(closed.stacks().volume_m3() <= 0.0, "through the walls");
    let open = flooded(&format!("{HOUSE}{DOOR}"));
    assert_eq!(open.stacks().count(), 6 * 4 + 2);
    assert_eq!(span_m(&open, 10, 12), "5.5 to 7.5");
    for (x, y) in [(10, 12), (11, 11), (16, 14)] {
        let depth_m = depth_m(&open, x, y);
        assert!((depth_m - 0.3).abs() < 0.06, "{depth_m} m at {x}, {y}");
    }
    // The door comes after the house: the other way round it is closed again.
    let filled = flooded(&format!("{DOOR}{HOUSE}"));
    assert!(filled.stacks().volume_m3() <= 0.0);
}

#[test]
fn a_house_of_voxels_floods_as_one_of_meshes() {
    let meshes = flooded(&format!("{HOUSE}{DOOR}"));
    let voxels = flooded(VOXELS);
    assert_eq!(voxels.stacks().count(), meshes.stacks().count());
    for (x, y) in (11..17).flat_map(|x| (11..15).map(move |y| (x, y))).chain([(10, 12), (10, 13)]) {
        assert_eq!(span_m(&voxels, x, y), span_m(&meshes, x, y));
    }
    assert_eq!(voxels.state_hash(), meshes.state_hash());
}

/// A house whose floor lies 1 m below the ground: with `empty = "air"` the room reaches down there.
#[test]
fn empty_voxels_are_carved_where_that_is_asked_for() {
    let low = VOXELS.replace("floor = 5", "floor = 4");
    let whole = flooded(&low);
    assert_eq!(span_m(&whole, 13, 13), "5 to 7.5");
    let carved = flooded(&format!("{low}empty = \"air\"\n"));
    assert_eq!(span_m(&carved, 13, 13), "4.5 to 7.5");
}

/// A house of millimetres, whose y points up, turned by a quarter clockwise: x east becomes south.
#[test]
fn meshes_are_turned_and_scaled() {
    let standing = house().map(|own| own.map(|[x, y, z]| [1000.0 * x, 1000.0 * z, -1000.0 * y]));
    let keys = "scale = 0.001\nup = \"y\"\nturn = 90\n";
    let folder = folder(&format!("{}{keys}", HOUSE.replace("2010]", "2018]")));
    testkit::put(folder.path(), &[("house.obj", obj(&standing))]);
    let said = FLOOD.said(folder.path(), "s.toml --check");
    holds(&said, &["mesh house", "house.obj (24 triangles), rock, 6 x 8 m, from 5 to 9 m"]);
    FLOOD.said(folder.path(), "s.toml --frames 0 --for 1s --world end.thalweg");
    let file = SaveFile::read(&folder.path().join("end.thalweg"));
    let world = file.and_then(|mut file| file.load(Vec::new())).expect("a world");
    // From 1010, 2018: 6 m to the north becomes 6 m to the east, 8 m to the east 8 m to the south.
    let rooms = (0..24).flat_map(|y| (0..28).map(move |x| CellPlace { x, y }));
    let rooms = rooms.filter(|place| !world.stacks().intervals_at(*place).is_empty());
    let expected = (11..17).flat_map(|y| (11..15).map(move |x| CellPlace { x, y }));
    assert_eq!(rooms.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
}

#[test]
fn a_bad_shape_is_one_clear_line() {
    let mesh = |from: &str, to: &str| HOUSE.replace(from, to);
    let voxels = |from: &str, to: &str| VOXELS.replace(from, to);
    let cases: &[(String, &[&str])] = &[
        (mesh("file =", "fille ="), &["unknown field `fille`", "did you mean file"]),
        (mesh("base = 5\n", ""), &["missing field `base`"]),
        (format!("{HOUSE}inside = \"rok\"\n"), &["unknown variant `rok`", "did you mean rock"]),
        (mesh("house.obj", "none.obj"), &["mesh `house`: cannot read the shape", "none.obj"]),
        (mesh("house.obj", "dem.asc"), &["dem.asc is no mesh that can be read"]),
        (mesh("house.obj", "open.obj"), &["mesh `house`", "open.obj: the surface is not closed"]),
        (mesh("[1010", "[900"), &["mesh `house`: its `at` at 900,2010 lies outside the map"]),
        (mesh("[1010", "[1025"), &["mesh `house`: it lies from 25 to 33 m east", "28 x 24 m"]),
        (format!("{HOUSE}scale = 0\n"), &["mesh `house`: its `scale` is 0"]),
        (format!("{HOUSE}scale = 2e6\n"), &["its `scale` is 2000000", "0.000001 to 1000000"]),
        (format!("{HOUSE}scale = 0.01\n"), &["it holds no centre of a cell of 1 m", "`scale`"]),
        (format!("{HOUSE}scale = 1000\n"), &["mesh `house`: it lies from 10 to 8010 m east"]),
        (format!("{HOUSE}turn = nan\n"), &["mesh `house`: its `turn` is NaN"]),
        (mesh("base = 5", "base = 9000"), &["`base` of mesh `house` is 9000 m", "8192 m"]),
        (format!("{HOUSE}{HOUSE}"), &["the name `house` of a mesh is empty or taken"]),
        (voxels("house.vox", "door.stl"), &["voxels `hall`", "door.stl: is no .vox"]),
        (voxels("[1010", "[1021"), &["its 8 x 6 columns of voxels begin at column 21 and row 10"]),
        (voxels("\"50cm\"", "0"), &["voxels `hall`: its `layer` is 0 m"]),
        (voxels("floor = 5", "floor = -9000"), &["`floor` of voxels `hall` is -9000 m"]),
        (format!("{VOXELS}empty = \"earth\"\n"), &["unknown variant `earth`"]),
    ];
    for (rocks, words) in cases {
        let folder = folder(rocks);
        FLOOD.mistaken(folder.path(), "s.toml --for 1min --frames 0 --quiet", words);
    }
    let folder = folder(&format!("{HOUSE}{VOXELS}"));
    let said = FLOOD.said(folder.path(), "s.toml --check");
    holds(&said, &["voxels hall", "house.vox (", " of 8 x 6 x 8 voxels), from 5 to 9 m"]);
}
