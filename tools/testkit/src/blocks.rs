//! Boxes as meshes, and scenes of voxels, as programs write them to files.

use std::fmt::Write as _;

/// A box: its low and its high corner, and whether it looks inwards.
#[derive(Debug, Clone, Copy)]
pub struct MeshBlock {
    low: [f64; 3],
    high: [f64; 3],
    is_hollow: bool,
}

/// Returns a box whose faces point outwards.
#[must_use]
pub fn block(low: [f64; 3], high: [f64; 3]) -> MeshBlock {
    MeshBlock { low, high, is_hollow: false }
}

/// Corners of four sides each, counterclockwise as seen from outside.
const SIDES: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

impl MeshBlock {
    /// This box, looking inwards.
    #[must_use]
    pub fn hollow(self) -> Self {
        Self { is_hollow: true, ..self }
    }

    /// Returns a box between the places to which `place` maps the two corners.
    #[must_use]
    pub fn map(self, place: impl Fn([f64; 3]) -> [f64; 3]) -> Self {
        let [a, b] = [self.low, self.high].map(place);
        let ends = |pick: fn(f64, f64) -> f64| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
        Self { low: ends(f64::min), high: ends(f64::max), ..self }
    }

    fn corners(&self) -> [[f64; 3]; 8] {
        let corner = |at: usize| {
            [0, 1, 2].map(|axis| if at >> axis & 1 == 1 { self.high } else { self.low }[axis])
        };
        [0, 1, 2, 3, 4, 5, 6, 7].map(corner)
    }

    fn sides(&self) -> [[usize; 4]; 6] {
        SIDES.map(|[a, b, c, d]| if self.is_hollow { [d, c, b, a] } else { [a, b, c, d] })
    }

    fn triangles(&self) -> Vec<[[f64; 3]; 3]> {
        let corners = self.corners();
        let two = |[a, b, c, d]: [usize; 4]| [[a, b, c], [a, c, d]];
        let all = self.sides().into_iter().flat_map(two);
        all.map(|triangle| triangle.map(|corner| corners[corner])).collect()
    }
}

/// Returns boxes as OBJ, each an object of quads, with the noise that programs write.
///
/// # Panics
///
/// If the boxes are too many.
#[must_use]
pub fn obj(blocks: &[MeshBlock]) -> String {
    let mut text = "# a test\nmtllib none.mtl\nvn 0 0 1\nvt 0.5 0.5\n".to_owned();
    for (index, block) in blocks.iter().enumerate() {
        writeln!(text, "o block {index}\nusemtl stone\ns off").expect("text");
        for [x, y, z] in block.corners() {
            writeln!(text, "v {x} {y} {z}").expect("text");
        }
        for side in block.sides() {
            let corners = side.map(|corner| format!("{}/1/1", 8 * index + corner + 1));
            writeln!(text, "f {}", corners.join(" ")).expect("text");
        }
    }
    text
}

/// Returns boxes as text of STL.
///
/// # Panics
///
/// If the boxes are too many.
#[must_use]
pub fn stl_text(name: &str, blocks: &[MeshBlock]) -> String {
    let mut text = format!("solid{name}\n");
    for triangle in blocks.iter().flat_map(MeshBlock::triangles) {
        text += "facet normal 0 0 0\n outer loop\n";
        for [x, y, z] in triangle {
            writeln!(text, "  vertex {x:e} {y:e} {z:e}").expect("text");
        }
        text += " endloop\nendfacet\n";
    }
    text + "endsolid\n"
}

/// Returns boxes as binary STL.
///
/// # Panics
///
/// If the boxes are too many.
#[must_use]
pub fn stl_binary(head: &str, blocks: &[MeshBlock]) -> Vec<u8> {
    let triangles: Vec<_> = blocks.iter().flat_map(MeshBlock::triangles).collect();
    let mut bytes = vec![0; 80];
    bytes[..head.len()].copy_from_slice(head.as_bytes());
    bytes.extend(u32::try_from(triangles.len()).expect("few").to_le_bytes());
    for triangle in triangles {
        bytes.extend([0; 12]);
        bytes.extend(triangle.iter().flatten().flat_map(|along| single(*along).to_le_bytes()));
        bytes.extend([0; 2]);
    }
    bytes
}

#[expect(clippy::cast_possible_truncation, reason = "numbers of tests are exact in it")]
fn single(number: f64) -> f32 {
    number as f32
}

/// A model of voxels: its size, and its voxels.
pub struct Model {
    /// Voxels along x, y and z.
    pub size: [u32; 3],
    /// Places of the solid ones.
    pub voxels: Vec<[u8; 3]>,
}

impl Model {
    /// Makes a model from a function: solid if it returns true.
    #[must_use]
    pub fn of(size: [u8; 3], is_solid: impl Fn(u8, u8, u8) -> bool) -> Self {
        let [width, height, layers] = size;
        let columns = (0..height).flat_map(|y| (0..width).map(move |x| [x, y]));
        let voxels = columns.flat_map(|[x, y]| (0..layers).map(move |z| [x, y, z]));
        let voxels = voxels.filter(|[x, y, z]| is_solid(*x, *y, *z)).collect();
        Self { size: size.map(u32::from), voxels }
    }
}

/// A node of a scene of voxels.
pub enum VoxelNode<'a> {
    /// Moves the node of a number, by keys and their values: `("_t", "0 0 1")`.
    Transform(u32, &'a [(&'a str, &'a str)]),
    /// Groups nodes.
    Group(&'a [u32]),
    /// Shows a model.
    Shape(u32),
}

/// Returns a `.vox` file of models and nodes, whose numbers count from 0.
///
/// # Panics
///
/// If they are too many.
#[must_use]
pub fn vox(models: &[Model], nodes: &[VoxelNode<'_>]) -> Vec<u8> {
    let mut all = Vec::new();
    for Model { size, voxels } in models {
        all.extend(chunk("SIZE", &size.map(u32::to_le_bytes).concat()));
        let colours = voxels.iter().map(|[x, y, z]| [*x, *y, *z, 7]);
        let count = length(voxels.len()).to_vec();
        all.extend(chunk("XYZI", &[count, colours.flatten().collect()].concat()));
    }
    for (number, node) in nodes.iter().enumerate() {
        let head = [length(number), length(0)].concat();
        all.extend(match node {
            VoxelNode::Transform(child, keys) => {
                let numbers = [*child, u32::MAX, u32::MAX, 1].map(u32::to_le_bytes).concat();
                chunk("nTRN", &[head, numbers, dictionary(keys)].concat())
            }
            VoxelNode::Group(children) => {
                let count = length(children.len()).to_vec();
                let children = children.iter().flat_map(|child| child.to_le_bytes()).collect();
                chunk("nGRP", &[head, count, children].concat())
            }
            VoxelNode::Shape(model) => {
                let numbers = [1, *model, 0].map(u32::to_le_bytes).concat();
                chunk("nSHP", &[head, numbers].concat())
            }
        });
    }
    let main = [b"MAIN".to_vec(), length(0).to_vec(), length(all.len()).to_vec()].concat();
    [b"VOX ".to_vec(), 200_u32.to_le_bytes().to_vec(), main, all].concat()
}

fn chunk(name: &str, content: &[u8]) -> Vec<u8> {
    [name.as_bytes(), &length(content.len()), &length(0), content].concat()
}

fn dictionary(keys: &[(&str, &str)]) -> Vec<u8> {
    let mut bytes = length(keys.len()).to_vec();
    for text in keys.iter().flat_map(|(key, value)| [key, value]) {
        bytes.extend([&length(text.len()), text.as_bytes()].concat());
    }
    bytes
}

fn length(length: usize) -> [u8; 4] {
    u32::try_from(length).expect("few").to_le_bytes()
}
