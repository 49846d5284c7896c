//! The kernels of stages and openings between sub-grid columns.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `stand_rows`, `stand_new_rows` | `stand_row`, `stand_new_row` of `tile::columns::rows` |
//! | `open_rows`, `open_new_rows` | `open_row`, `open_new_row` |

use crate::arithmetic::Routes;
use crate::device::Device;
use crate::failure::Failure;
use crate::kernels::{BoundBuffers, LevelStep, StepKernels, groups_over, with_tiles};

/// Kernels of columns at the start of a step, and at its end: stages of the water, and openings of
/// faces.
#[derive(Debug, Default)]
pub struct ColumnKernels {
    old: StepKernels<2>,
    new: StepKernels<2>,
}

impl ColumnKernels {
    /// Builds the kernels, if they are needed.
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

    /// Adds the stages of the water of a level, at the start of a step or at its end, to the
    /// commands. The kernels were made.
    pub fn stand(
        &self,
        is_new: bool,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        of: LevelStep<'_>,
    ) {
        let [own, halo, beside] = of.groups();
        // Leaves apart are in both groups: the table of the second one is valid for them.
        let all = [own, halo, beside];
        let [stand, open] = if is_new { self.new.get() } else { self.old.get() };
        // At the start, columns of halo tiles, copies included, already have their stages; at the
        // end, only awake leaves need new openings.
        let stands = if is_new { &all[..] } else { &[own, beside] };
        let opens = if is_new { &[own, halo][..] } else { &all };
        for (kernel, groups) in [(stand, stands), (open, opens)] {
            pass.set_pipeline(kernel);
            for &(offset, count) in groups.iter().filter(|(_, count)| *count > 0) {
                let [x, y, z] = groups_over(count);
                pass.set_bind_group(0, &bound.steps, &[offset]);
                pass.dispatch_workgroups(x, y, z);
            }
        }
    }
}
