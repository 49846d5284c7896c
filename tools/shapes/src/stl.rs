//! STL, binary and text: triangles that share corners by their places.
//!
//! ```text
//! binary   80 bytes, count (u32), then 50 bytes for each triangle
//! text     solid …, facet normal …, outer loop, vertex x y z (three times), endloop, …
//! ```
//!
//! Guarantees: a binary file is recognised, even if its first 80 bytes begin with `solid`. All
//!             solids of a text are read, and anything between or after them is an error.
//! Limits:     corners have single precision; normals do not count, the order of corners does.
//!             Bytes after the triangles of a binary file do not count.

use std::io::Cursor;

use crate::bytes::excerpt;
use crate::surface::{TRIANGLES_MOST, Triangles, many};

/// Bytes before the triangles of a binary file.
const HEAD: usize = 84;

/// Bytes of a triangle there.
const EACH: usize = 50;

/// Reads the corners and triangles of a file.
pub(crate) fn parse(mut bytes: Vec<u8>) -> Result<Triangles, String> {
    let count = bytes.get(80..HEAD).map(|count| <[u8; 4]>::try_from(count).expect("4 bytes"));
    // A count of less than 2²⁴ has a byte that is 0; a text has no such byte.
    let is_text = bytes.starts_with(b"solid") && !count.is_some_and(|count| count.contains(&0));
    let count = count.map(|count| u32::from_le_bytes(count) as usize);
    let need = count.and_then(|count| count.checked_mul(EACH)).map(|length| length + HEAD);
    if is_text {
        bytes = united(&bytes)?;
    } else {
        let (Some(count), Some(need)) = (count, need) else {
            return Err(format!(
                "{} bytes are no STL: export the mesh again, as binary STL",
                bytes.len()
            ));
        };
        if count > TRIANGLES_MOST {
            return Err(many(count));
        }
        if need > bytes.len() {
            return Err(format!(
                "a binary STL of {count} triangles has {need} bytes, and these are {}: export the \
                 mesh again",
                bytes.len()
            ));
        }
        bytes[..80].fill(0);
    }
    let read = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|reason| {
        let reason = excerpt(&reason.to_string());
        format!("the text of the STL does not read ({reason}): export the mesh again")
    })?;
    let points = read.vertices.iter().map(|corner| corner.0.map(f64::from)).collect();
    let corner = |corner: usize| u32::try_from(corner).map_err(|_| "has too many corners");
    let mut triangles = Vec::with_capacity(read.faces.len());
    for face in &read.faces {
        let [a, b, c] = face.vertices;
        triangles.push([corner(a)?, corner(b)?, corner(c)?]);
    }
    Ok(Triangles { points, triangles })
}

/// Returns a text of one solid that has the facets of all: the reader stops where the first one
/// ends.
fn united(text: &[u8]) -> Result<Vec<u8>, String> {
    // Some programs omit the name in an STL; the reader requires the blank before it.
    let mut all = b"solid \n".to_vec();
    all.reserve(text.len());
    let mut is_open = false;
    for (index, line) in text.split(|byte| *byte == b'\n').enumerate() {
        let words = line.trim_ascii();
        match is_open {
            false if words.starts_with(b"solid") => is_open = true,
            false if words.is_empty() => {}
            false => {
                return Err(format!(
                    "line {} of the STL lies in no solid: take it out, or export the mesh again",
                    index + 1
                ));
            }
            true if words.starts_with(b"endsolid") => is_open = false,
            true => {
                all.extend(words);
                all.push(b'\n');
            }
        }
    }
    if !is_open {
        all.extend(b"endsolid\n");
    }
    Ok(all)
}
