//! Wavefront OBJ: corners and faces.
//!
//! Guarantees: an error names the line. Faces that share a corner's number or its place are joined,
//!             even if their objects, groups and materials differ.
//! Limits:     faces with more than three corners are cut into a fan; curves, lines and points are
//!             passed over.

use std::cell::Cell;
use std::io::{BufRead, Read, Result};

use tobj::{LoadError, LoadOptions};

use crate::surface::Triangles;

/// Reads the corners and triangles of a text.
pub(crate) fn parse(bytes: Vec<u8>) -> std::result::Result<Triangles, String> {
    let text = geometry(&String::from_utf8_lossy(&bytes));
    drop(bytes);
    let line = Cell::new(0);
    let options = LoadOptions {
        triangulate: true,
        ignore_points: true,
        ignore_lines: true,
        ..LoadOptions::default()
    };
    let mut lines = LineCounter { text: text.as_bytes(), line: &line };
    let no_materials = |_: &std::path::Path| Err(LoadError::MaterialParseError);
    let (models, _) = tobj::load_obj_buf(&mut lines, &options, no_materials)
        .map_err(|reason| said(reason, line.get()))?;
    let mut all = Triangles::default();
    for mesh in models.iter().map(|model| &model.mesh) {
        let first = u32::try_from(all.points.len()).map_err(|_| "has too many corners")?;
        all.points.extend(mesh.positions.as_chunks::<3>().0);
        let own = mesh.indices.as_chunks::<3>().0.iter();
        all.triangles.extend(own.map(|corners| corners.map(|corner| first + corner)));
    }
    Ok(all)
}

/// Returns the lines of corners and faces as they count, and empty lines for the rest.
fn geometry(text: &str) -> String {
    let mut all = String::with_capacity(text.len());
    for line in text.lines() {
        let mut words = line.split('#').next().unwrap_or("").split_whitespace();
        match words.next() {
            Some("v") => {
                all.push('v');
                words.take(3).for_each(|word| all.extend([" ", word]));
            }
            Some("f") => {
                all.push('f');
                let corners = words.map(|word| word.split('/').next().unwrap_or(word));
                corners.for_each(|corner| all.extend([" ", corner]));
            }
            _ => {}
        }
        all.push('\n');
    }
    all
}

/// Returns the reader's complaint in words. The reader resolves faces to corners at the end of the
/// file.
fn said(reason: LoadError, line: usize) -> String {
    match reason {
        LoadError::PositionParseError => {
            format!("line {line} is no corner: write v and three numbers")
        }
        LoadError::FaceParseError => {
            format!("line {line} is no face: write f and three or more numbers of corners")
        }
        LoadError::InvalidPolygon => {
            "a face has no corners: write f and three or more numbers of corners".to_owned()
        }
        LoadError::FaceVertexOutOfBounds => {
            "a face names a corner that is not there: corners count from 1, or from the last with \
             -1; export the mesh again"
                .to_owned()
        }
        _ => format!("line {line} does not read ({reason}): export the mesh again"),
    }
}

/// A text that counts the lines that were read.
struct LineCounter<'a> {
    text: &'a [u8],
    line: &'a Cell<usize>,
}

impl Read for LineCounter<'_> {
    fn read(&mut self, into: &mut [u8]) -> Result<usize> {
        self.text.read(into)
    }
}

impl BufRead for LineCounter<'_> {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        Ok(self.text)
    }

    fn consume(&mut self, count: usize) {
        let (read, rest) = self.text.split_at(count);
        self.line.set(self.line.get() + read.iter().filter(|byte| **byte == b'\n').count());
        self.text = rest;
    }
}
