//! The kernels of stages and openings between sub-grid columns.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `stand_rows`, `stand_new_rows` | `stand_row`, `stand_new_row` of `tile::columns::rows` |
//! | `open_rows`, `open_new_rows` | `open_row`, `open_new_row` |

use crate::arithmetic::Routes;
use crate::device::Device;
use crate::failure::Failure;
use crate::kernels::{Part, with_tiles};

/// Kernels of columns at the start of a step, and at its end: where water stands, and how far faces
/// are open.
#[derive(Debug, Default)]
pub struct ColumnKernels {
    old: Part<2>,
    new: Part<2>,
}

impl ColumnKernels {
    /// Has the kernels, if they are needed.
    ///
    /// # Errors
    ///
    /// The card refuses the text.
    pub fn make(
        &self,
        is_needed: bool,
        of: (&Device, Routes, &wgpu::BindGroupLayout),
    ) -> Result<(), Failure> {
        let text = || with_tiles(true, &[include_str!("columns_rows.wgsl")]);
        self.old.make(is_needed, of, text, ["stand_rows", "open_rows"])?;
        self.new.make(is_needed, of, text, ["stand_new_rows", "open_new_rows"])
    }

    /// Those at the start of a step, or at its end, which were made.
    pub fn get(&self, is_new: bool) -> &[wgpu::ComputePipeline; 2] {
        if is_new { self.new.get() } else { self.old.get() }
    }
}
