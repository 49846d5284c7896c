//! Voxels of files: from a scene to columns of cells.
//!
//! Guarantees: all models are on the map, a voxel on each cell.

use std::path::PathBuf;

use kit::error::UserError;
use kit::words::short;
use shapes::VoxelScene;
use thalweg::world::{CellPlace, Earthworks, RockError};

use super::asked::RockRequest;
use crate::place::MapPoint;
use crate::quantity::Quantity;
use crate::rock::{Empty, VoxelsTable};

/// A scene at its place.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Voxels {
    file: PathBuf,
    scene: VoxelScene,
    /// South-west cell.
    low: [u32; 2],
    floor_m: f64,
    layer_m: f64,
    empty: Empty,
}

impl Voxels {
    pub fn of(asked: &RockRequest<'_>, table: &VoxelsTable) -> Result<Self, UserError> {
        asked.check_level()?;
        let cell_m = asked.map.cell_m();
        let layer_m = table.layer.map_or(cell_m, Quantity::si);
        if !(layer_m > 0.0 && layer_m.is_finite()) {
            let what = format!("its `layer` is {layer_m} m");
            return Err(asked.wrong(what, "give the height of a voxel, more than 0 m"));
        }
        let [x, y] = table.at;
        let corner_m = asked.metres_to("at", MapPoint { x, y })?;
        let low = corner_m.map(|along_m| (along_m / cell_m).round());
        let scene = VoxelScene::read(&table.file).map_err(|error| asked.refused(error))?;
        let [width, height, _] = scene.size();
        let (columns, rows) = asked.map.size();
        let is_on = low[0] + f64::from(width) <= columns as f64
            && low[1] + f64::from(height) <= rows as f64;
        if !is_on {
            return Err(asked.wrong(
                format!(
                    "its {width} x {height} columns of voxels begin at column {} and row {} of a \
                     map of {columns} x {rows} cells",
                    low[0], low[1]
                ),
                "move it (`at`), or make the scene smaller: a voxel has the width of a cell",
            ));
        }
        #[expect(clippy::cast_possible_truncation, reason = "on the map")]
        let low = low.map(|along| along as u32);
        let (file, floor_m) = (table.file.clone(), table.floor.si());
        Ok(Self { file, scene, low, floor_m, layer_m, empty: table.empty.unwrap_or_default() })
    }

    /// Returns the elevations that the voxels reach, with their keys.
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        [0, self.scene.size()[2]].map(|layer| ("floor", self.height_m(layer))).to_vec()
    }

    /// Builds the voxels.
    pub fn put(&self, works: &mut Earthworks) -> Result<(), RockError> {
        let span_m = |layers: [u32; 2]| layers.map(|layer| self.height_m(layer));
        let cell = |[x, y]: [u32; 2]| CellPlace { x: self.low[0] + x, y: self.low[1] + y };
        if self.empty == Empty::Air {
            for &[[west, south, from], [east, north, to]] in self.scene.boxes() {
                let columns = (south..north).flat_map(|y| (west..east).map(move |x| [x, y]));
                works.carve(columns.map(|column| (cell(column), span_m([from, to]))))?;
            }
        }
        works.build(self.scene.runs().map(|(column, layers)| (cell(column), span_m(layers))))?;
        Ok(())
    }

    /// Returns the description, in words.
    pub fn words(&self) -> String {
        let [x, y, z] = self.scene.size();
        let [low, high] = [0, z].map(|layer| short(self.height_m(layer)));
        let empty = match self.empty {
            Empty::Ground => "",
            Empty::Air => ", the ground carved out between them",
        };
        format!(
            "{} ({} of {x} x {y} x {z} voxels), from {low} to {high} m{empty}",
            self.file.display(),
            self.scene.count()
        )
    }

    /// Returns the height of the underside of a layer, m.
    fn height_m(&self, layer: u32) -> f64 {
        self.floor_m + self.layer_m * f64::from(layer)
    }
}
