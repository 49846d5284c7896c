//! Meshes of files: from the file's coordinates to a solid on the map.
//!
//! ```text
//! up = "z"   e, n, up = x, y, z       turned clockwise by t, as seen from above:
//! up = "y"   e, n, up = x, −z, y      east = e cos t + n sin t, north = n cos t − e sin t
//! ```
//!
//! Guarantees: the mesh is on the map or extends at most half a cell beyond it, and contains the
//!             centre of at least one cell.

use std::path::PathBuf;

use kit::error::UserError;
use kit::words::short;
use thalweg::body::Solid;
use thalweg::world::{Earthworks, RockError, Voids};

use super::asked::RockRequest;
use crate::flow::sine;
use crate::place::MapPoint;
use crate::quantity::Quantity;
use crate::rock::{MeshInside, MeshTable, UpAxis};

/// Most metres in a unit of a file, and most units in a metre.
const SCALE_MOST: f64 = 1.0e6;

/// A solid at its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RockMesh {
    file: PathBuf,
    solid: Solid,
    /// Origin of the solid, in metres from the world's south-west corner, and its height.
    origin_m: [f64; 3],
    inside: MeshInside,
    /// Lowest and highest corner, m, by axis.
    span_m: [[f64; 2]; 3],
}

impl RockMesh {
    pub fn of(asked: &RockRequest<'_>, table: &MeshTable) -> Result<Self, UserError> {
        asked.check_level()?;
        let scale = table.scale.unwrap_or(1.0);
        if !(1.0 / SCALE_MOST..=SCALE_MOST).contains(&scale) {
            let what = format!("its `scale` is {scale}");
            let range = format!("{} to {SCALE_MOST}", 1.0 / SCALE_MOST);
            return Err(
                asked.wrong(what, format!("give the metres of a unit of the file, {range}"))
            );
        }
        let turn = table.turn.unwrap_or(0.0);
        if !(-360.0..=360.0).contains(&turn) {
            let what = format!("its `turn` is {turn}");
            return Err(asked.wrong(what, "give degrees clockwise, -360 to 360"));
        }
        let [x, y] = table.at;
        let [east_m, north_m] = asked.metres_to("at", MapPoint { x, y })?;
        let origin_m = [east_m, north_m, table.base.si()];
        let mesh = shapes::Mesh::read(&table.file).map_err(|error| asked.refused(error))?;
        let (sin, cos) = (sine(turn), sine(turn + 90.0));
        let is_y_up = table.up == Some(UpAxis::Y);
        let solid = mesh.solid(|[x, y, z]| {
            let [east, north, up] = if is_y_up { [x, -z, y] } else { [x, y, z] };
            [east * cos + north * sin, north * cos - east * sin, up].map(|along| scale * along)
        });
        let solid = solid.map_err(|error| {
            let file = table.file.display();
            asked.wrong(format!("{file}, {error}"), "look at `scale` and at the file")
        })?;
        let span_m = span_m(&solid, origin_m);
        let inside = table.inside.unwrap_or_default();
        let found = Self { file: table.file.clone(), solid, origin_m, inside, span_m };
        found.check_place(asked)?;
        Ok(found)
    }

    /// Refuses a mesh that extends beyond the map, or that is between the centres of cells.
    fn check_place(&self, asked: &RockRequest<'_>) -> Result<(), UserError> {
        let (width, height) = asked.map.size();
        let cell_m = asked.map.cell_m();
        let [east, north, _] = self.span_m;
        let ends_m = [width as f64 * cell_m, height as f64 * cell_m];
        let slack_m = 0.5 * cell_m;
        let is_on = |[low, high]: [f64; 2], end: f64| low >= -slack_m && high <= end + slack_m;
        if !(is_on(east, ends_m[0]) && is_on(north, ends_m[1])) {
            let [west, east, south, north] = [east[0], east[1], north[0], north[1]].map(rounded);
            return Err(asked.wrong(
                format!(
                    "it lies from {west} to {east} m east and from {south} to {north} m north of \
                     the corner of a map of {} x {} m",
                    rounded(ends_m[0]),
                    rounded(ends_m[1])
                ),
                "move it (`at`), or look at its `scale`, `turn` and `up`",
            ));
        }
        let mut voids = Voids::new();
        voids.hollow(&self.solid, self.origin_m, cell_m).map_err(|error| asked.refused(error))?;
        if voids.is_empty() {
            return Err(asked.wrong(
                format!("it holds no centre of a cell of {} m", short(cell_m)),
                "look at its `scale`, or take finer cells",
            ));
        }
        Ok(())
    }

    /// Returns the elevations of its lowest and highest place, with their keys.
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        self.span_m[2].map(|height_m| ("base", height_m)).to_vec()
    }

    /// Builds or carves the mesh.
    pub fn put(&self, works: &mut Earthworks) -> Result<(), RockError> {
        let done = match self.inside {
            MeshInside::Rock => works.raise(&self.solid, self.origin_m),
            MeshInside::Air => works.hollow(&self.solid, self.origin_m),
        };
        done.map(|_| ())
    }

    /// Returns the description, in words.
    pub fn words(&self) -> String {
        let [length, width, _] = self.span_m.map(|[low, high]| rounded(high - low));
        let [low, high] = self.span_m[2].map(rounded);
        let triangles: usize =
            self.solid.pieces().iter().map(|piece| piece.triangles().len()).sum();
        let inside = match self.inside {
            MeshInside::Rock => "rock",
            MeshInside::Air => "air",
        };
        format!(
            "{} ({triangles} triangles), {inside}, {length} x {width} m, from {low} to {high} m",
            self.file.display()
        )
    }
}

/// Returns the lowest and the highest place of a solid, m, by axis.
fn span_m(solid: &Solid, origin_m: [f64; 3]) -> [[f64; 2]; 3] {
    let points = || solid.pieces().iter().flat_map(|piece| piece.points());
    [0, 1, 2].map(|axis| {
        let along = points().map(|point| origin_m[axis] + point[axis]);
        [along.clone().fold(f64::INFINITY, f64::min), along.fold(f64::NEG_INFINITY, f64::max)]
    })
}

/// Formats a length to the centimetre.
fn rounded(length_m: f64) -> String {
    short((100.0 * length_m).round() / 100.0)
}
