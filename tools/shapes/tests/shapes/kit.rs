//! Boxes, and files of them.

use std::fmt::Write as _;
use std::path::PathBuf;

use tempfile::TempDir;

/// A box: its low and its high corner, and whether it looks inwards.
#[derive(Debug, Clone, Copy)]
pub struct Block {
    pub low: [f64; 3],
    pub high: [f64; 3],
    pub is_hollow: bool,
}

/// A box of rock.
pub fn block(low: [f64; 3], high: [f64; 3]) -> Block {
    Block { low, high, is_hollow: false }
}

/// Corners of four sides each, counterclockwise as seen from outside.
const SIDES: [[usize; 4]; 6] =
    [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];

impl Block {
    /// This box, looking inwards.
    pub fn hollow(self) -> Self {
        Self { is_hollow: true, ..self }
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

/// Boxes as OBJ, each an object of quads, with the noise that programs write.
pub fn obj(blocks: &[Block]) -> String {
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

/// Boxes as text of STL.
pub fn stl_text(name: &str, blocks: &[Block]) -> String {
    let mut text = format!("solid{name}\n");
    for triangle in blocks.iter().flat_map(Block::triangles) {
        text += "facet normal 0 0 0\n outer loop\n";
        for [x, y, z] in triangle {
            writeln!(text, "  vertex {x:e} {y:e} {z:e}").expect("text");
        }
        text += " endloop\nendfacet\n";
    }
    text + "endsolid\n"
}

/// Boxes as binary STL.
pub fn stl_binary(head: &str, blocks: &[Block]) -> Vec<u8> {
    let triangles: Vec<_> = blocks.iter().flat_map(Block::triangles).collect();
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

/// A file in a fresh folder.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join(name);
    std::fs::write(&path, content).expect("writable");
    (folder, path)
}
