//! The kernels of rivers that flow in over the boundary of the world.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `let_rivers_in` | `BoundaryFace::let_in` of `sim::boundary` |
//! | `carry_over_rivers` | `sim::river_faces`, by the face law of the method |
//! | `take_rivers` | none: cells take what came, once the faces behind have looked |

use crate::kernels::{
    BoundBuffers, EDGE_CELLS_OF_GROUP, KernelMethod, LevelStep, RECORDS_OF_ROW, STEP_STRIDE,
    with_tiles,
};

/// Names of the kernels, in order.
pub const ENTRIES: [&str; 3] = ["let_rivers_in", "carry_over_rivers", "take_rivers"];

/// Returns their text with a method, between sub-grid or flat columns.
pub fn text(method: KernelMethod, has_columns: bool) -> String {
    let (rivers, own) = (include_str!("rivers.wgsl"), method.text());
    let alone = include_str!("edges_alone.wgsl");
    match method {
        KernelMethod::Pipe => {
            let pipes = include_str!("rivers_pipe.wgsl");
            let faces = include_str!("edge_faces.wgsl");
            with_tiles(has_columns, &[&own, alone, faces, rivers, pipes])
        }
        KernelMethod::ShallowWater(_) => {
            with_tiles(has_columns, &[&own, alone, rivers, include_str!("rivers_shallow.wgsl")])
        }
    }
}

/// Adds the rivers of a step of a level to the commands, once its leaves have stepped.
pub fn step(
    [let_in, carry, take]: [&wgpu::ComputePipeline; 3],
    pass: &mut wgpu::ComputePass<'_>,
    bound: &BoundBuffers,
    of: LevelStep<'_>,
) {
    let LevelStep { number, constants, .. } = of;
    let cells = constants.edge_cells;
    let of_cells = [cells.div_ceil(EDGE_CELLS_OF_GROUP), 1, 1];
    let of_each_cell = [cells.min(RECORDS_OF_ROW), cells.div_ceil(RECORDS_OF_ROW), 1];
    pass.set_bind_group(0, &bound.steps, &[number * STEP_STRIDE]);
    for (kernel, [x, y, z]) in [(let_in, of_cells), (carry, of_each_cell), (take, of_cells)] {
        pass.set_pipeline(kernel);
        pass.dispatch_workgroups(x, y, z);
    }
}
