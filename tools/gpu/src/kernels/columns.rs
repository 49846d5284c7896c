//! The kernels of stages and openings between sub-grid columns.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `stand_rows`, `stand_new_rows` | `stand_row`, `stand_new_row` of `tile::columns::rows` |
//! | `open_rows`, `open_new_rows` | `open_row`, `open_new_row` |

use crate::arithmetic::Routes;
use crate::device::Device;
use crate::failure::Failure;
use crate::kernels::{Bound, LevelStep, Part, groups_over, with_tiles};

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

    /// Adds where the water of a level stands, at the start of a step or at its end, to the
    /// commands. The kernels were made.
    pub fn stand(
        &self,
        is_new: bool,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &Bound,
        of: LevelStep<'_>,
    ) {
        let [own, halo, beside] = of.groups();
        // Leaves apart are in both groups: the table that counts for them is of the latter.
        let all = [own, halo, beside];
        let [stand, open] = if is_new { self.new.get() } else { self.old.get() };
        // At the start columns of halo tiles stand already, those of copies too; at the end new
        // openings of leaves that are awake are asked for.
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
