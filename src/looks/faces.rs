//! Faces between cells over which water falls.

use super::cells::{InCell, WindowCell, WindowCells};
use super::error::LooksError;

/// Limits from which water falls. Every one must be passed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FallOptions {
    /// Least drop from one cell's stage to the next cell's stage or dry bed, m.
    pub drop_m: f32,
    /// Least drop over the depth of the upper cell.
    pub drop_depths: f32,
    /// Least drop over the width of a cell: with a smaller one water runs down a slope.
    pub drop_widths: f32,
    /// Least unit discharge over the face, m²/s.
    pub discharge_m2_s: f32,
}

impl Default for FallOptions {
    fn default() -> Self {
        Self { drop_m: 1.5, drop_depths: 2.0, drop_widths: 0.5, discharge_m2_s: 0.01 }
    }
}

impl FallOptions {
    pub(super) fn check(&self) -> Result<(), LooksError> {
        LooksError::unless_positive("drop_m", f64::from(self.drop_m))?;
        LooksError::if_negative("drop_depths", f64::from(self.drop_depths))?;
        LooksError::if_negative("drop_widths", f64::from(self.drop_widths))?;
        LooksError::unless_positive("discharge_m2_s", f64::from(self.discharge_m2_s))
    }
}

/// Directions from a cell over its faces: east, north, west, south.
pub(super) const WAYS: [[isize; 2]; 4] = [[1, 0], [0, 1], [-1, 0], [0, -1]];

/// A face over which water falls, from the cell above it to the one below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct OverfallFace {
    /// Column and row of the upper cell among those of the level.
    pub upper: [u32; 2],
    /// Way to the lower cell, of [`WAYS`].
    pub way: usize,
    /// Stage of the upper cell, and stage or bed of the lower one, m.
    pub lip_m: f32,
    pub foot_m: f32,
    /// Depth of the upper cell, m, and its velocity eastward and northward, m/s.
    pub depth_m: f32,
    pub velocity_m_s: [f32; 2],
    /// Unit discharge across the face, m²/s.
    pub discharge_m2_s: f32,
}

impl InCell for OverfallFace {
    fn cell(&self) -> [u32; 2] {
        self.upper
    }
}

impl OverfallFace {
    /// Returns the column and row of the lower cell.
    pub fn lower(&self) -> [u32; 2] {
        let way = WAYS[self.way];
        let step = |axis: usize| i32::try_from(way[axis]).expect("a step to a neighbour");
        [0, 1].map(|axis| self.upper[axis].wrapping_add_signed(step(axis)))
    }

    /// Returns the corners of cells where the face begins and ends, the upper cell on the left
    /// hand.
    pub fn ends(&self) -> [[u32; 2]; 2] {
        let [x, y] = self.upper;
        let corners = [[x, y], [x + 1, y], [x + 1, y + 1], [x, y + 1]];
        [corners[(self.way + 1) % 4], corners[(self.way + 2) % 4]]
    }
}

/// Returns the faces over which the water of a cell falls, for cells of a width.
pub(super) fn find(
    cells: &WindowCells<'_>,
    cell: WindowCell,
    (options, width_m): (&FallOptions, f32),
    found: &mut Vec<OverfallFace>,
) {
    let (depth_m, lip_m) = (cells.depth_m[cell.at], cells.stage_m[cell.at]);
    let least_m = options.drop_m.max(options.drop_depths * depth_m);
    let least_m = least_m.max(options.drop_widths * width_m);
    let velocity_m_s = cells.velocity_m_s.map(|plane| plane[cell.at]);
    for (number, way) in WAYS.into_iter().enumerate() {
        let away = if number < 2 { 1.0 } else { -1.0 };
        let discharge_m2_s = away * velocity_m_s[number % 2] * depth_m;
        // Most water flows no more than one or two ways.
        if discharge_m2_s < options.discharge_m2_s {
            continue;
        }
        let Some(lower) = cells.beside(cell, way) else { continue };
        let foot_m = cells.top_m(lower.at);
        // Without ground, the drop is not a number.
        if lip_m - foot_m > least_m {
            let upper = cells.number(cell);
            let face = OverfallFace {
                upper,
                way: number,
                lip_m,
                foot_m,
                depth_m,
                velocity_m_s,
                discharge_m2_s,
            };
            found.push(face);
        }
    }
}
