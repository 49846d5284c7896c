//! Nodes of a `.vox`, which place its models.
//!
//! ```text
//! node 0 ─ transform ─ group ─┬─ transform ─ shape ─ model
//!                             └─ transform ─ shape ─ model
//!
//! a voxel (v, v + 1) of a model:  place = R (v + ½ − ⌊size / 2⌋) + t      R = _r, t = _t
//! ```
//!
//! Guarantees: a graph that contains a cycle, is nested too deep, has too many nodes or shows too
//!             many models is an error, before memory is taken for them.
//! Limits:     the first frame counts; hidden nodes and layers are left out.
//! Source:     MagicaVoxel, file format extension; own.

use dot_vox::{Dict, SceneNode};

use crate::bytes::excerpt;
use crate::chunks::Chunks;

/// Most nodes between the first and a model.
const DEPTH_MOST: usize = 256;

/// Most nodes that are visited.
const VISITS_MOST: usize = 1 << 18;

/// Most models that a scene shows, each as often as it is shown.
const SHOWN_MOST: usize = 1 << 16;

/// Number of voxels by which a node may be moved.
const SHIFT_MOST: i64 = 1 << 20;

/// A turn by quarters, mirrored or not, and a shift after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct VoxelMotion {
    /// By axis: the axis from which its coordinate is taken, and the sign.
    from: [(usize, i64); 3],
    by: [i64; 3],
}

/// A model at its place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedModel {
    pub model: usize,
    pub motion: VoxelMotion,
}

impl VoxelMotion {
    const NONE: Self = Self { from: [(0, 1), (1, 1), (2, 1)], by: [0; 3] };

    /// Returns the motion of a frame.
    fn of(frame: &Dict) -> Result<Self, String> {
        let mut motion = Self::NONE;
        if let Some(text) = frame.get("_t") {
            let numbers: Vec<i64> = text.split_whitespace().map_while(|n| n.parse().ok()).collect();
            let is_near = |by: &[i64; 3]| by.iter().all(|by| by.abs() <= SHIFT_MOST);
            motion.by = numbers.try_into().ok().filter(is_near).ok_or_else(|| {
                let text = excerpt(text);
                format!("a node is moved by `{text}`, which is no place: save the scene again")
            })?;
        }
        if let Some(text) = frame.get("_r") {
            motion.from = text.parse().ok().and_then(axes).ok_or_else(|| {
                let text = excerpt(text);
                format!("a node is turned by `{text}`, which is no turn: save the scene again")
            })?;
        }
        Ok(motion)
    }

    /// Returns this motion after another one.
    fn after(&self, first: &Self) -> Self {
        let mut both = Self::NONE;
        for (axis, (from, sign)) in self.from.into_iter().enumerate() {
            let (source, inner) = first.from[from];
            both.from[axis] = (source, sign * inner);
            both.by[axis] = sign * first.by[from] + self.by[axis];
        }
        both
    }

    /// Returns the place of a voxel of a model of some size.
    pub fn place(&self, voxel: [u32; 3], size: [u32; 3]) -> [i64; 3] {
        // Twice the distance of its centre from the middle of the model: an odd number.
        let twice = |axis: usize| 2 * (i64::from(voxel[axis]) - i64::from(size[axis] / 2)) + 1;
        [0, 1, 2].map(|axis| {
            let (from, sign) = self.from[axis];
            (sign * twice(from) - 1) / 2 + self.by[axis]
        })
    }
}

/// Returns the rows of a matrix that each have one number that is not 0: bits 0 and 1 are its
/// column in the first row, 2 and 3 in the second, and 4, 5 and 6 are the signs of the rows.
fn axes(bits: u8) -> Option<[(usize, i64); 3]> {
    let (first, second) = (usize::from(bits & 3), usize::from(bits >> 2 & 3));
    let is_turn = first < 3 && second < 3 && first != second && bits < 128;
    let sign = |bit: u8| if bits >> bit & 1 == 1 { -1 } else { 1 };
    is_turn.then(|| [(first, sign(4)), (second, sign(5)), (3 - first - second, sign(6))])
}

/// Returns the models of a file at their places.
pub(crate) fn placed(chunks: &Chunks) -> Result<Vec<PlacedModel>, String> {
    if chunks.data.scenes.is_empty() {
        let models = 0..chunks.data.models.len();
        return Ok(models
            .map(|model| PlacedModel { model, motion: at_corner(chunks, model) })
            .collect());
    }
    let mut found = Vec::new();
    let mut open = vec![(0_u32, VoxelMotion::NONE, 0)];
    let mut visits = 0;
    while let Some((number, motion, depth)) = open.pop() {
        visits += 1;
        if depth > DEPTH_MOST || visits > VISITS_MOST {
            return Err(format!(
                "its nodes go in circles, are nested more than {DEPTH_MOST} deep, or are more than \
                 {VISITS_MOST}: ungroup the scene, and save it again"
            ));
        }
        let node = chunks.node(number).ok_or_else(|| {
            format!("the scene names node {number}, which is not there: save it again")
        })?;
        match node {
            SceneNode::Transform { attributes, frames, child, layer_id } => {
                let layer = chunks.layer(*layer_id).map(|layer| &layer.attributes);
                if !is_hidden(attributes) && !layer.is_some_and(is_hidden) {
                    let own = frames.first().map(|frame| VoxelMotion::of(&frame.attributes));
                    let own = own.transpose()?.unwrap_or(VoxelMotion::NONE);
                    open.push((*child, motion.after(&own), depth + 1));
                }
            }
            SceneNode::Group { children, .. } => {
                if open.len() + children.len() > VISITS_MOST {
                    return Err("a group has too many nodes: make the scene smaller".to_owned());
                }
                open.extend(children.iter().map(|child| (*child, motion, depth + 1)));
            }
            SceneNode::Shape { models, .. } => {
                let number = models.first().map(|model| model.model_id as usize);
                if let Some(model) = number {
                    if model >= chunks.data.models.len() {
                        let what = format!("the scene names model {model}, which is not there");
                        return Err(format!("{what}: save it again"));
                    }
                    if found.len() == SHOWN_MOST {
                        return Err(format!(
                            "shows its models more than {SHOWN_MOST} times: hide some, or cut the \
                             scene into several files"
                        ));
                    }
                    found.push(PlacedModel { model, motion });
                }
            }
        }
    }
    Ok(found)
}

/// Returns the motion that moves the low corner of a model to 0.
fn at_corner(chunks: &Chunks, model: usize) -> VoxelMotion {
    let size = chunks.data.models[model].size;
    VoxelMotion {
        by: [size.x, size.y, size.z].map(|size| i64::from(size / 2)),
        ..VoxelMotion::NONE
    }
}

fn is_hidden(attributes: &Dict) -> bool {
    attributes.get("_hidden").is_some_and(|hidden| hidden == "1")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a turn as MagicaVoxel writes it, and motions one after the other.
    #[test]
    fn turns_move_voxels_where_the_scene_shows_them() {
        // x' = −y, y' = x: a quarter counterclockwise.
        let quarter = axes(1 | 1 << 4).expect("a turn");
        assert_eq!(quarter, [(1, -1), (0, 1), (2, 1)]);
        let quarter = VoxelMotion { from: quarter, by: [0; 3] };
        let size = [4, 2, 1];
        // Voxels of 4 × 2 around the middle: from −2 to 1, and from −1 to 0.
        assert_eq!(VoxelMotion::NONE.place([0, 0, 0], size), [-2, -1, 0]);
        assert_eq!(quarter.place([0, 0, 0], size), [0, -2, 0]);
        assert_eq!(quarter.place([3, 1, 0], size), [-1, 1, 0]);
        let shift = VoxelMotion { by: [10, 20, 30], ..VoxelMotion::NONE };
        assert_eq!(shift.after(&quarter).place([3, 1, 0], size), [9, 21, 30]);
        assert_eq!(quarter.after(&shift).by, [-20, 10, 30]);
        let full = (0..4).fold(VoxelMotion::NONE, |all, _| quarter.after(&all));
        assert_eq!(full, VoxelMotion::NONE);
    }

    #[test]
    fn rows_that_are_no_turn_are_refused() {
        let good = (0..=u8::MAX).filter(|bits| axes(*bits).is_some()).count();
        assert_eq!(good, 6 * 8);
        for (text, is_good) in [("4", true), ("0", false), ("3", false), ("256", false)] {
            let frame = Dict::from_iter([("_r".to_owned(), text.to_owned())]);
            assert_eq!(VoxelMotion::of(&frame).is_ok(), is_good, "{text}");
        }
        for (text, is_good) in [("1 -2 3", true), ("1 2", false), ("1 2 x", false), ("", false)] {
            let frame = Dict::from_iter([("_t".to_owned(), text.to_owned())]);
            assert_eq!(VoxelMotion::of(&frame).is_ok(), is_good, "{text}");
        }
        let long = Dict::from_iter([("_t".to_owned(), "1\n".repeat(1000))]);
        let said = VoxelMotion::of(&long).expect_err("no place");
        assert_eq!((said.lines().count(), said.matches('1').count()), (1, 20), "{said}");
        let far = Dict::from_iter([("_t".to_owned(), "0 0 9223372036854775807".to_owned())]);
        assert!(VoxelMotion::of(&far).is_err());
    }
}
