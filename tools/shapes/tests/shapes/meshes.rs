//! OBJ and STL.
//!
//! Goal: the same boxes from any format make the same solid; what is no closed mesh is refused in
//!       one line that says what, where and how to mend it.

use shapes::Mesh;
use testkit::blocks::{MeshBlock, block, obj, stl_binary, stl_text};
use thalweg::world::{CellPlace, Voids};

use crate::file;

/// A house of 8 × 6 × 5, a room in it, and an annexe that touches the house along an edge.
fn house() -> Vec<MeshBlock> {
    vec![
        block([0.0, 0.0, 0.0], [8.0, 6.0, 5.0]),
        block([1.0, 1.0, 0.5], [7.0, 5.0, 3.5]).hollow(),
        block([8.0, 6.0, 0.0], [10.0, 9.0, 2.0]),
        block([10.0, 6.0, 0.0], [12.0, 9.0, 2.0]),
    ]
}

/// Each box as a solid of its own, with a name and without, one of them empty.
fn stl_solids(blocks: &[MeshBlock]) -> String {
    let solids = blocks.iter().map(|own| stl_text(" a box", std::slice::from_ref(own)));
    solids.collect::<String>() + &stl_text("", &[]).replace("endsolid", " endsolid none")
}

#[track_caller]
fn read(name: &str, content: impl AsRef<[u8]>) -> Mesh {
    let (_folder, path) = file(name, content);
    Mesh::read(&path).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[track_caller]
fn refused(name: &str, content: impl AsRef<[u8]>) -> String {
    let (_folder, path) = file(name, content);
    Mesh::read(&path).expect_err(name).to_string()
}

#[test]
fn the_same_boxes_are_the_same_solid_from_any_format() {
    let volume_m3 = 8.0 * 6.0 * 5.0 - 6.0 * 4.0 * 3.0 + 2.0 * 3.0 * 2.0 * 2.0;
    let solid = |mesh: &Mesh| mesh.solid(|point| point).expect("a solid");
    let voids = |mesh: &Mesh| {
        let mut voids = Voids::new();
        voids.hollow(&solid(mesh), [5.0, 5.0, 0.0], 1.0).expect("within");
        voids
    };
    let from_obj = read("a.obj", obj(&house()));
    let expected = voids(&from_obj);
    for (name, content) in [
        ("a.obj", obj(&house()).into_bytes()),
        ("a.STL", stl_text(" a house", &house()).into_bytes()),
        ("a.stl", stl_text("", &house()).into_bytes()),
        ("a.stl", stl_binary("a house", &house())),
        ("a.stl", stl_binary("solid house", &house())),
        ("a.stl", [&stl_binary("a house", &house())[..], b"made by hand"].concat()),
        ("a.stl", [&stl_binary("solid house", &house())[..], b"made by hand"].concat()),
        ("a.stl", stl_solids(&house()).into_bytes()),
        ("a.stl", stl_solids(&house()).replace('\n', "\r\n\r\n").into_bytes()),
    ] {
        let mesh = read(name, content);
        assert_eq!(mesh.triangles().len(), 4 * 12, "{name}");
        assert!((solid(&mesh).volume_m3() - volume_m3).abs() < 1.0e-9, "{name}");
        assert_eq!(voids(&mesh), expected, "{name}");
    }
}

/// Corners have numbers of their own for each face, as programs write that keep hard edges, and
/// −0; faces count back from the last corner.
#[test]
fn corners_are_joined_by_their_place() {
    let mut text = String::new();
    for triangle in obj(&house()[..1]).lines().filter(|line| line.starts_with('f')) {
        let corners = triangle[2..].split(' ').map(|corner| corner.split('/').next());
        for corner in corners.map(|corner| corner.and_then(|c| c.parse::<usize>().ok())) {
            let at = corner.expect("a number") - 1;
            let along = |axis: usize, high: &str| match (at >> axis & 1, at % 2) {
                (1, _) => high.to_owned(),
                (_, 0) => "-0".to_owned(),
                _ => "0".to_owned(),
            };
            text += &format!("v {} {} {}\n", along(0, "8"), along(1, "6"), along(2, "5"));
        }
        text += "f -4 -3 -2 -1 # a wall\n";
    }
    let mesh = read("a.obj", text);
    assert_eq!((mesh.points().len(), mesh.triangles().len()), (8, 12));
    assert!((mesh.solid(|point| point).expect("closed").volume_m3() - 240.0).abs() < 1.0e-9);
}

/// Two floors of eight boxes, and between them three pillars on the diagonal that touch along
/// upright edges alone; inner faces are left out, as by programs that unite shapes.
#[test]
fn a_shape_may_touch_itself_along_an_edge() {
    let at =
        |x: u8, y: u8, z: u8| (x < 3 && y < 3 && z < 3) && !(z == 1 && x != y) && (x, y) != (0, 2);
    let mut text = String::new();
    let mut count = 0;
    for [x, y, z] in
        (0..3).flat_map(|x| (0..3).flat_map(move |y| [[x, y, 0], [x, y, 1], [x, y, 2]]))
    {
        if !at(x, y, z) {
            continue;
        }
        let [low, high] = [[x, y, z], [x + 1, y + 1, z + 1]].map(|corner| corner.map(f64::from));
        let own = obj(&[block(low, high)]);
        let beside = [
            x > 0 && at(x - 1, y, z),
            at(x + 1, y, z),
            y > 0 && at(x, y - 1, z),
            at(x, y + 1, z),
            z > 0 && at(x, y, z - 1),
            at(x, y, z + 1),
        ];
        text.extend(
            own.lines().filter(|line| line.starts_with("v ")).map(|line| format!("{line}\n")),
        );
        let faces = own.lines().filter(|line| line.starts_with('f'));
        for (face, _) in faces.zip(beside).filter(|(_, is_inner)| !is_inner) {
            let corners = face[2..].split(' ').filter_map(|corner| corner.split('/').next());
            let corners = corners.filter_map(|corner| corner.parse::<usize>().ok());
            let corners: Vec<String> =
                corners.map(|corner| (corner + 8 * count).to_string()).collect();
            text += &format!("f {}\n", corners.join(" "));
        }
        count += 1;
    }
    let solid = read("a.obj", text).solid(|point| point).expect("a solid");
    assert_eq!(count, 19);
    assert!((solid.volume_m3() - 19.0).abs() < 1.0e-9, "{} m³", solid.volume_m3());
    let mut voids = Voids::new();
    voids.hollow(&solid, [5.0, 5.0, 0.0], 1.0).expect("within");
    let mut expected = Voids::new();
    for (y, x) in (0..3_u8).flat_map(|y| (0..3).map(move |x| (y, x))).filter(|(y, x)| at(*x, *y, 0))
    {
        let place = CellPlace { x: 5 + u32::from(x), y: 5 + u32::from(y) };
        if at(x, y, 1) {
            expected.extend([(place, [0.0, 3.0])]);
        } else {
            expected.extend([(place, [0.0, 1.0]), (place, [2.0, 3.0])]);
        }
    }
    assert_eq!(voids, expected);
}

#[test]
fn a_bad_mesh_is_one_clear_line() {
    let good = obj(&house());
    let stl = stl_binary("", &house());
    let solid = stl_binary("solid", &house());
    let text = stl_text(" a", &house());
    let long = "x".repeat(1000);
    let hole = good.replacen("f 1/1/1 5/1/1 7/1/1 3/1/1\n", "", 1);
    let turned = obj(&[block([0.0; 3], [1.0; 3]), block([4.0; 3], [5.0; 3]).hollow()]);
    let cases: &[(&str, Vec<u8>, &[&str])] = &[
        ("a.obj", Vec::new(), &["a.obj holds nothing"]),
        ("a.ply", vec![1], &["a.ply is no mesh", ".obj or .stl"]),
        ("a.obj", b"v 0 0 0\n".to_vec(), &["holds no triangle"]),
        ("a.obj", vec![0xff; 100], &["holds no triangle"]),
        ("a.obj", hole.into_bytes(), &["not closed at the edge from 0, 0, 0 to ", "fill the hole"]),
        ("a.obj", turned.into_bytes(), &["from 4, 4, 4 on is inside out", "turn its faces"]),
        ("a.obj", good.replacen("v 0 0 0", "v 0 nan 0", 1).into_bytes(), &["at 0, NaN, 0"]),
        ("a.obj", good.replacen("v 0 0 0", "v 0 1e999 0", 1).into_bytes(), &["at 0, inf, 0"]),
        ("a.obj", good.replacen("v 0 0 0", "v 0 x 0", 1).into_bytes(), &["line 8 is no corner"]),
        ("a.obj", good.replacen("v 0 0 0", "v 0 0", 1).into_bytes(), &["line 8 is no corner"]),
        ("a.obj", good.replacen("f 1/", "f x/", 1).into_bytes(), &["line 16 is no face"]),
        ("a.obj", good.replacen("f 1/", "f 99/", 1).into_bytes(), &["is not there"]),
        ("a.obj", good.replacen("f 1/", "f -99/", 1).into_bytes(), &["is not there"]),
        ("a.obj", good.replacen("f 1/", "f 0/", 1).into_bytes(), &["is not there"]),
        ("a.stl", b"solid".to_vec(), &["the text of the STL does not read"]),
        ("a.stl", b"hello".to_vec(), &["5 bytes are no STL"]),
        ("a.stl", stl[..stl.len() - 1].to_vec(), &["48 triangles has 2484 bytes", "are 2483"]),
        ("a.stl", [&stl[..80], &[0xff; 4]].concat(), &["4294967295 triangles, more than 1048576"]),
        ("a.stl", [&stl[..80], &[0; 4]].concat(), &["holds no triangle"]),
        ("a.stl", solid[..solid.len() - 1].to_vec(), &["48 triangles has 2484 bytes", "are 2483"]),
        (
            "a.stl",
            format!("{text}facet normal 0 0 0\n").into_bytes(),
            &["line 339 of the STL lies"],
        ),
        (
            "a.stl",
            format!("{text}\n{long}\n{text}").into_bytes(),
            &["line 340 of the STL lies in no"],
        ),
        ("a.stl", text.replacen("endsolid", "solid b", 1).into_bytes(), &["does not read"]),
        ("a.stl", text.replacen("vertex", &long, 1).into_bytes(), &["does not read", "xxx…)"]),
        ("a.stl", text.replace("vertex 8e0", "vertex x").into_bytes(), &["does not read"]),
        ("a.stl", text.replace("vertex 8e0", "vertex inf").into_bytes(), &["does not read"]),
        ("a.stl", text.into_bytes()[..2000].to_vec(), &["does not read"]),
    ];
    for (name, content, words) in cases {
        let said = refused(name, content);
        let missing: Vec<_> = words.iter().filter(|word| !said.contains(**word)).collect();
        assert!(missing.is_empty(), "{name} lacks {missing:?}: {said}");
        assert!(said.lines().count() == 1 && said.len() < 400, "{said}");
    }
    let gone = Mesh::read("nowhere/a.obj".as_ref()).expect_err("gone").to_string();
    assert!(gone.contains("cannot read the shape nowhere/a.obj"), "{gone}");
}

/// Whichever byte of a binary file changes, there is an answer and no panic.
#[test]
fn changed_bytes_do_not_panic() {
    let (_folder, path) = file("a.stl", []);
    let good = stl_binary("", &house()[..2]);
    for at in (0..good.len()).step_by(7) {
        for value in [0, 0x7f, 0x80, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            std::fs::write(&path, bytes).expect("writable");
            if let Ok(mesh) = Mesh::read(&path) {
                let _ = mesh.solid(|point| point);
            }
        }
    }
}
