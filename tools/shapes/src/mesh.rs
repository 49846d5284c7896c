//! Closed meshes of triangles, from files.

use std::path::Path;

use kit::error::UserError;
use thalweg::body::Solid;

use crate::bytes::{ending, read, wrong};
use crate::surface::ClosedSurface;
use crate::{obj, stl};

/// A closed mesh in the coordinates of its file: one shape, or several that may touch or overlap,
/// with hollows if a shell is inside another and faces inwards.
#[derive(Debug, Clone, PartialEq)]
pub struct Mesh {
    surface: ClosedSurface,
}

impl Mesh {
    /// Reads a Wavefront OBJ or an STL, binary or text.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, has a different ending, does not match its ending, or if the
    /// surface is open, inside out, or has more than 2²⁰ triangles.
    ///
    /// # Examples
    ///
    /// A tetrahedron, and its solid at half the size:
    ///
    /// ```
    /// let folder = tempfile::tempdir()?;
    /// let path = folder.path().join("a.obj");
    /// let corners = "v 0 0 0\nv 2 0 0\nv 0 2 0\nv 0 0 2\n";
    /// std::fs::write(&path, format!("{corners}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"))?;
    /// let mesh = shapes::Mesh::read(&path)?;
    /// let solid = mesh.solid(|point| point.map(|along| 0.5 * along))?;
    /// assert!((solid.volume_m3() - 1.0 / 6.0).abs() < 1.0e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn read(path: &Path) -> Result<Self, UserError> {
        let parse = match &*ending(path) {
            "obj" => obj::parse,
            "stl" => stl::parse,
            _ => {
                return Err(wrong(
                    path,
                    "is no mesh that can be read",
                    "export it as .obj or .stl; voxels are a .vox",
                ));
            }
        };
        let bytes = read(path)?;
        let surface = parse(bytes).and_then(ClosedSurface::closed);
        let surface = surface
            .map_err(|reason| UserError::from_sentence(format!("{}: {reason}", path.display())))?;
        Ok(Self { surface })
    }

    /// Returns the corners, in the coordinates of the file.
    #[must_use]
    pub fn points(&self) -> &[[f64; 3]] {
        &self.surface.points
    }

    /// Returns the triangles, by their corners, counterclockwise as seen from outside.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.surface.triangles
    }

    /// Returns the solid, in m; `place` gives its corners from the corners of the file.
    ///
    /// # Errors
    ///
    /// If a corner is more than a thousand kilometres from the origin, or `place` turns the mesh
    /// inside out.
    pub fn solid(&self, place: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Solid, UserError> {
        let points = self.surface.points.iter().map(|point| place(*point));
        let solid = Solid::mesh(points, self.surface.triangles.clone());
        solid.map_err(|reason| UserError::from_sentence(reason.to_string()))
    }
}
