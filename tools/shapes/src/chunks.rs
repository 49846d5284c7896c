//! Chunks of a `.vox`, checked before the reader of the format relies on them.
//!
//! ```text
//! "VOX ", version, MAIN ─┬─ SIZE, XYZI        a model: its size, its voxels
//!                        ├─ nTRN, nGRP, nSHP  nodes, each with its number
//!                        └─ LAYR, …           layers, each with its number
//! chunk = name (4 bytes), bytes of content, bytes of children, content, children
//! ```
//!
//! Guarantees: chunks of the file are within it, one after the other and never nested; all of
//!             models, nodes and layers were read, and numbers are unique; more nodes than the
//!             memory limit allows are an error before they are read.
//! Source:     MagicaVoxel, file format 150 and 200.

use dot_vox::{DotVoxData, Layer, SceneNode};
use std::collections::BTreeMap;

/// Most bytes of nodes and layers together. Each may take a dozen times as much in memory, and
/// 2¹⁸ nodes of a usual scene take half of it.
const NODE_BYTES_MOST: usize = 1 << 25;

/// Models of a file, and nodes and layers by their numbers.
pub(crate) struct Chunks {
    pub data: DotVoxData,
    nodes: BTreeMap<u32, usize>,
    layers: BTreeMap<u32, usize>,
}

impl Chunks {
    /// Reads a file.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let broken = || "the chunks of the file do not read: save the scene again".to_owned();
        let (mut nodes, mut layers, mut models) = (BTreeMap::new(), BTreeMap::new(), 0);
        let mut node_bytes = 0;
        let mut rest = main(bytes)?;
        while !rest.is_empty() {
            let (name, content, after) = chunk(rest).ok_or_else(cut_off)?;
            let number = content.first_chunk::<4>().map(|number| u32::from_le_bytes(*number));
            let numbers = match name {
                b"SIZE" if content.len() < 12 => return Err(broken()),
                b"XYZI" => {
                    models += 1;
                    None
                }
                b"nTRN" | b"nGRP" | b"nSHP" => Some(&mut nodes),
                b"LAYR" => Some(&mut layers),
                _ => None,
            };
            if let Some(numbers) = numbers {
                node_bytes += content.len();
                if node_bytes > NODE_BYTES_MOST {
                    return Err(format!(
                        "has more than {} MiB of nodes and layers: ungroup the scene, or cut it \
                         into several files",
                        NODE_BYTES_MOST >> 20
                    ));
                }
                let index = numbers.len();
                if numbers.insert(number.ok_or_else(broken)?, index).is_some() {
                    return Err("two nodes or layers have one number: save the scene again".into());
                }
            }
            rest = after;
        }
        let data = dot_vox::load_bytes(bytes).map_err(|_| broken())?;
        let found = [data.models.len(), data.scenes.len(), data.layers.len()];
        if found != [models, nodes.len(), layers.len()] {
            return Err(broken());
        }
        Ok(Self { data, nodes, layers })
    }

    /// Returns the node of a number.
    pub fn node(&self, number: u32) -> Option<&SceneNode> {
        self.nodes.get(&number).map(|index| &self.data.scenes[*index])
    }

    /// Returns the layer of a number.
    pub fn layer(&self, number: u32) -> Option<&Layer> {
        self.layers.get(&number).map(|index| &self.data.layers[*index])
    }
}

fn cut_off() -> String {
    "the file ends within a chunk, or has chunks within chunks: save the scene again".to_owned()
}

/// Returns the chunks within the first one.
fn main(bytes: &[u8]) -> Result<&[u8], String> {
    let Some(rest) = bytes.strip_prefix(b"VOX ").and_then(|rest| rest.get(4..)) else {
        return Err("is no .vox: export it from MagicaVoxel, or as a mesh".to_owned());
    };
    let head = rest.first_chunk::<12>().ok_or_else(cut_off)?;
    let [content, children] = lengths(head);
    let begin = content.checked_add(12).ok_or_else(cut_off)?;
    let end = begin.checked_add(children).ok_or_else(cut_off)?;
    match rest.get(begin..end) {
        Some(children) if head.starts_with(b"MAIN") => Ok(children),
        _ => Err(cut_off()),
    }
}

/// Returns the name and the content of the first chunk, and the bytes after it.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let head = bytes.first_chunk::<12>()?;
    let [content, children] = lengths(head);
    let name = head.first_chunk::<4>().filter(|name| name.is_ascii() && children == 0)?;
    let (content, after) = bytes[12..].split_at_checked(content)?;
    Some((name, content, after))
}

/// Returns the number of bytes of the content and of the children of a chunk.
fn lengths(head: &[u8; 12]) -> [usize; 2] {
    let at = |begin: usize| {
        let bytes = head[begin..begin + 4].try_into().expect("4 bytes");
        u32::from_le_bytes(bytes) as usize
    };
    [at(4), at(8)]
}
