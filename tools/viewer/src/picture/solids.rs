//! Bodies and structures as boxes.

use super::PictureFrame;
use super::pipelines::BoxNumbers;
use crate::session::{BodyShape, LineKind, StructureLine, ViewerState};
use std::collections::HashMap;
use std::sync::Arc;

/// Least width of a wall on the screen, pixels.
const WALL_PX: f64 = 2.0;

/// Colours of wood, and of the concrete of structures by kind.
const WOOD: [f32; 3] = [0.60, 0.42, 0.24];

fn tint(kind: LineKind) -> [f32; 3] {
    match kind {
        LineKind::Barrier => [0.52, 0.47, 0.43],
        LineKind::Link("pump") => [0.78, 0.52, 0.20],
        LineKind::Link("drain") => [0.34, 0.40, 0.36],
        LineKind::Link(_) => [0.40, 0.43, 0.48],
    }
}

/// Bodies of the last two states, and structures.
#[derive(Debug, Default)]
pub struct DrawnSolids {
    older: HashMap<u64, BodyShape>,
    newer: Vec<BodyShape>,
    lines: Arc<Vec<StructureLine>>,
}

impl DrawnSolids {
    /// Takes in the next state.
    pub fn take(&mut self, state: &ViewerState) {
        self.older = std::mem::take(&mut self.newer).into_iter().map(|b| (b.id, b)).collect();
        self.newer.clone_from(&state.bodies);
        self.lines = state.lines.clone();
    }

    /// Returns all boxes at a frame's part of the way between two states, relative to `corner_m`.
    pub fn boxes(&self, frame: &PictureFrame, corner_m: [f64; 2]) -> Vec<BoxNumbers> {
        let bodies = self.newer.iter().map(|body| {
            let older = self.older.get(&body.id).unwrap_or(body);
            body_box(older, body, frame.part, corner_m)
        });
        let width_m = WALL_PX * frame.camera.metres_per_px;
        let walls = self.lines.iter().flat_map(|line| walls(line, width_m, corner_m));
        bodies.chain(walls).collect()
    }
}

#[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
fn body_box(older: &BodyShape, newer: &BodyShape, part: f32, corner_m: [f64; 2]) -> BoxNumbers {
    let mix = |a: f32, b: f32| a + part * (b - a);
    let centre = [0, 1, 2].map(|axis| {
        let from = if axis < 2 { corner_m[axis] } else { 0.0 };
        mix((older.centre_m[axis] - from) as f32, (newer.centre_m[axis] - from) as f32)
    });
    // Rotations between two states are small: mixing their columns is near enough.
    let halves = [0, 1, 2].map(|axis| {
        [0, 1, 2].map(|row: usize| {
            newer.half_m[axis] * mix(older.turn[row][axis], newer.turn[row][axis])
        })
    });
    BoxNumbers { centre, halves, tint: WOOD }
}

/// Makes a box for each stretch of a line, from two metres below its ends up to its crest.
#[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
fn walls(line: &StructureLine, width_m: f64, corner_m: [f64; 2]) -> Vec<BoxNumbers> {
    let crests = line.elevations_m.windows(2);
    let stretches = line.points_m.windows(2).zip(crests);
    stretches
        .map(|(ends, crest)| {
            let along = [ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]];
            let length = along[0].hypot(along[1]).max(1e-6);
            let half = along.map(|v| (0.5 * v) as f32);
            let side = [-along[1], along[0]].map(|v| (0.5 * width_m * v / length) as f32);
            let rise = 0.5 * (crest[1] - crest[0]);
            let middle = |axis: usize| 0.5 * (ends[0][axis] + ends[1][axis]) - corner_m[axis];
            // The box reaches deep into the ground, which hides the surplus.
            let foot = 15.0;
            let top = 0.5 * (crest[0] + crest[1]);
            BoxNumbers {
                centre: [middle(0) as f32, middle(1) as f32, (top - foot) as f32],
                halves: [
                    [half[0], half[1], rise as f32],
                    [side[0], side[1], 0.0],
                    [0.0, 0.0, foot as f32],
                ],
                tint: tint(line.kind),
            }
        })
        .collect()
}
