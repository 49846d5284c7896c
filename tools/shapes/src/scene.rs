//! Scenes of voxels, from files.

use std::path::Path;

use dot_vox::Model;
use kit::error::UserError;

use crate::bytes::read;
use crate::chunks::Chunks;
use crate::graph::{PlacedModel, placed};

/// Most voxels of all models of a scene, each as often as the scene shows it: 12 bytes each.
const VOXELS_MOST: usize = 1 << 24;

/// Most voxels along an axis of a scene.
const SIDE_MOST: i64 = 1 << 16;

/// Most columns of voxels below all models together.
const COLUMNS_MOST: u64 = 1 << 24;

/// Largest size of a model, in voxels: a place in it has 8 bits.
const MODEL_MOST: u32 = 256;

/// Solid voxels of a scene, x to the east, y to the north, z up; counted from the low corner of all
/// models together.
#[derive(Debug, Clone, PartialEq)]
pub struct VoxelScene {
    size: [u32; 3],
    /// Low corners of models, and the first places above.
    boxes: Vec<[[u32; 3]; 2]>,
    /// Row, column and layer of each solid voxel, rising.
    solid: Vec<[u32; 3]>,
}

impl VoxelScene {
    /// Reads a MagicaVoxel `.vox`: all models of the scene at their places, in the first frame.
    /// Models of a file without a scene begin all at the low corner. Hidden nodes and layers are
    /// left out.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, is no `.vox`, has no voxel or too many, or if a voxel is outside
    /// its model, or nodes form a cycle.
    pub fn read(path: &Path) -> Result<Self, UserError> {
        let bytes = read(path)?;
        let scene = Chunks::read(&bytes).and_then(|chunks| Self::of(&chunks));
        scene.map_err(|reason| UserError::from_sentence(format!("{}: {reason}", path.display())))
    }

    fn of(chunks: &Chunks) -> Result<Self, String> {
        let models = &chunks.data.models;
        models.iter().enumerate().try_for_each(check)?;
        let all = placed(chunks)?;
        let count: usize = all.iter().map(|at| models[at.model].voxels.len()).sum();
        if count == 0 {
            return Err("shows no voxel: save a scene that has some, and hide none".to_owned());
        }
        if count > VOXELS_MOST {
            let shown = all.len();
            return Err(format!(
                "has {count} voxels in the {shown} models that it shows, more than {VOXELS_MOST}: \
                 make the scene smaller, or cut it into several files"
            ));
        }
        let corners: Vec<[[i64; 3]; 2]> =
            all.iter().map(|at| corners(at, &models[at.model])).collect();
        let (low, size) = frame(&corners)?;
        let from_low = |place: [i64; 3]| {
            [0, 1, 2].map(|axis| u32::try_from(place[axis] - low[axis]).expect("within the frame"))
        };
        let mut solid = Vec::with_capacity(count);
        for at in &all {
            let Model { size, voxels } = &models[at.model];
            let size = [size.x, size.y, size.z];
            solid.extend(voxels.iter().map(|voxel| {
                let voxel = [voxel.x, voxel.y, voxel.z].map(u32::from);
                let [x, y, z] = from_low(at.motion.place(voxel, size));
                [y, x, z]
            }));
        }
        solid.sort_unstable();
        solid.dedup();
        let boxes = corners
            .iter()
            .map(|[low, high]| [from_low(*low), from_low(*high).map(|last| last + 1)]);
        Ok(Self { size, boxes: boxes.collect(), solid })
    }

    /// Returns the number of voxels along x, y and z: the size of all models together.
    #[must_use]
    pub fn size(&self) -> [u32; 3] {
        self.size
    }

    /// Returns the number of solid voxels.
    #[must_use]
    pub fn count(&self) -> usize {
        self.solid.len()
    }

    /// Returns the boxes of the models: the low corner, and the first place above the high one.
    #[must_use]
    pub fn boxes(&self) -> &[[[u32; 3]; 2]] {
        &self.boxes
    }

    /// Returns the runs of solid voxels, row by row and column by column, from the lowest to the
    /// highest: x and y, the first layer of the run and the first above it.
    pub fn runs(&self) -> impl Iterator<Item = ([u32; 2], [u32; 2])> {
        let is_next = |a: &[u32; 3], b: &[u32; 3]| a[..2] == b[..2] && a[2] + 1 == b[2];
        self.solid.chunk_by(is_next).map(|run| {
            let ([y, x, from], [.., last]) = (run[0], run[run.len() - 1]);
            ([x, y], [from, last + 1])
        })
    }

    /// True if a voxel is solid.
    #[must_use]
    pub fn is_solid(&self, x: u32, y: u32, z: u32) -> bool {
        self.solid.binary_search(&[y, x, z]).is_ok()
    }
}

/// Checks the size of a model, and that its voxels are in it.
fn check((index, model): (usize, &Model)) -> Result<(), String> {
    let size = [model.size.x, model.size.y, model.size.z];
    let [x, y, z] = size;
    if !size.iter().all(|size| (1..=MODEL_MOST).contains(size)) {
        return Err(format!(
            "model {index} has {x} x {y} x {z} voxels: give it 1 to {MODEL_MOST} along each axis"
        ));
    }
    let places = model.voxels.iter().map(|voxel| [voxel.x, voxel.y, voxel.z].map(u32::from));
    match places.into_iter().find(|at| (0..3).any(|axis| at[axis] >= size[axis])) {
        None => Ok(()),
        Some(at) => Err(format!(
            "voxel {}, {}, {} of model {index} lies outside of its {x} x {y} x {z} voxels: save \
             the scene again",
            at[0], at[1], at[2]
        )),
    }
}

/// Returns the low and the high voxel of the box of a model.
fn corners(at: &PlacedModel, model: &Model) -> [[i64; 3]; 2] {
    let size = [model.size.x, model.size.y, model.size.z];
    let [a, b] = [[0; 3], size.map(|size| size - 1)].map(|voxel| at.motion.place(voxel, size));
    let ends = |pick: fn(i64, i64) -> i64| [0, 1, 2].map(|axis| pick(a[axis], b[axis]));
    [ends(i64::min), ends(i64::max)]
}

/// Returns the low corner of all boxes, and the size of them together.
fn frame(corners: &[[[i64; 3]; 2]]) -> Result<([i64; 3], [u32; 3]), String> {
    let along = |axis: usize, end: usize| corners.iter().map(move |ends| ends[end][axis]);
    let low = [0, 1, 2].map(|axis| along(axis, 0).min().unwrap_or(0));
    let sides = [0, 1, 2].map(|axis| along(axis, 1).max().unwrap_or(0) - low[axis] + 1);
    let area = |[low, high]: &[[i64; 3]; 2]| (high[0] - low[0] + 1) * (high[1] - low[1] + 1);
    let columns: u64 = corners.iter().map(|ends| area(ends).unsigned_abs()).sum();
    let size = sides.map(|side| u32::try_from(side).ok().filter(|_| side <= SIDE_MOST));
    let ([Some(x), Some(y), Some(z)], true) = (size, columns <= COLUMNS_MOST) else {
        let [x, y, z] = sides;
        return Err(format!(
            "its models fill {x} x {y} x {z} voxels, over {columns} columns: give a scene at most \
             {SIDE_MOST} along each axis and {COLUMNS_MOST} columns"
        ));
    };
    Ok((low, [x, y, z]))
}
