//! The kernels of tracers that the water carries, and the kernels of water that moves contents too.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `carry_rows` | `flow::tracer` |
//! | `force_rows` | `sim::forcing`, with `sim::tracers` |
//! | `step_edges`, `let_rivers_in` | `sim::boundary`, with `sim::tracers` |
//! | `settle_contents`, `show_contents`, `put_back`, | `forest::interfaces::contents`, |
//! | `draw_over_x`, `draw_over_y`, `collect_contents` | `sim::leaf_tracers` |
//! | `note_contents` | `forest::interfaces::coarse` |
//! | `turn_contents_back` | none: as `turn_back` of levels |
//!
//! Contents have a group of bindings of their own: a world without tracers does not bind it, and a
//! card that binds too few buffers for tracers still steps that world.

use crate::arithmetic::Routes;
use crate::device::Device;
use crate::failure::Failure;
use crate::kernels::levels::{self, LevelCounts, run, table};
use crate::kernels::{
    BoundBuffers, GROUPS_OF_LEAF, KernelMethod, KernelNeeds, StepKernels, groups_over, with_tiles,
};
use crate::planes::CardPlanes;

/// A device, its routes, and the bindings of kernels.
type On<'a> = (&'a Device, Routes, &'a [&'a wgpu::BindGroupLayout]);

/// Place of the constants of a level, and the counts of its tables.
type TracerPass<'a> = (u32, &'a LevelCounts);

/// The kernels.
#[derive(Debug)]
pub struct TracerKernels {
    layout: wgpu::BindGroupLayout,
    carry: StepKernels<1>,
    /// Between flat and between sub-grid columns.
    force: [StepKernels<1>; 2],
    edges: [StepKernels<1>; 2],
    rivers: [StepKernels<1>; 2],
    levels: StepKernels<8>,
}

/// Kernels where levels meet, in order.
const OF_LEVELS: [&str; 8] = [
    "note_contents",
    "settle_contents",
    "show_contents",
    "put_back",
    "draw_over_x",
    "draw_over_y",
    "collect_contents",
    "turn_contents_back",
];

impl TracerKernels {
    /// Makes the bindings of kernels; no kernel is built yet.
    ///
    /// # Errors
    ///
    /// The card refuses them.
    pub fn new(device: &Device) -> Result<Self, Failure> {
        let layout = device.guard("the bindings of tracers", layout)?;
        let (carry, parts) = (StepKernels::default(), Default::default);
        let levels = StepKernels::default();
        Ok(Self { layout, carry, force: parts(), edges: parts(), rivers: parts(), levels })
    }

    /// Builds the kernels that a cycle needs.
    ///
    /// # Errors
    ///
    /// The card refuses the text.
    pub fn make(
        &self,
        needs: KernelNeeds,
        (device, routes): (&Device, Routes),
        [layout, level_layout]: [&wgpu::BindGroupLayout; 2],
    ) -> Result<(), Failure> {
        let layouts = [layout, &self.layout];
        let of = (device, routes, &layouts[..]);
        let contents = include_str!("contents.wgsl");
        let text = || with_tiles(false, &[contents, include_str!("tracers.wgsl")]);
        self.carry.make_on(true, of, text, ["carry_rows"])?;
        for (kind, is_needed) in [false, true].into_iter().zip(needs.kinds) {
            if is_needed {
                self.make_kind(kind, needs, of)?;
            }
        }
        let of = (device, routes, &[level_layout, &self.layout][..]);
        // Contents move with depths, for every kind of columns.
        let text = || levels::text(false, &[contents, include_str!("contents_levels.wgsl")]);
        self.levels.make_on(needs.levels, of, text, OF_LEVELS)
    }

    /// Builds the kernels between flat columns, or between sub-grid ones.
    fn make_kind(&self, kind: bool, needs: KernelNeeds, of: On<'_>) -> Result<(), Failure> {
        let (contents, columns) = (include_str!("contents.wgsl"), usize::from(kind));
        let own = [include_str!("force_contents.wgsl"), include_str!("force.wgsl")];
        let text = || with_tiles(kind, &[contents, own[0], own[1]]);
        self.force[columns].make_on(needs.force, of, text, ["force_rows"])?;
        let faces = [include_str!("edge_contents.wgsl"), include_str!("edge_faces.wgsl")];
        let pipe = KernelMethod::Pipe.text();
        let own = [include_str!("quiet_bounds.wgsl"), include_str!("edges.wgsl")];
        let own = [law!("quiet"), law!("edges"), own[0], own[1]].join("\n");
        let text = || with_tiles(kind, &[contents, &pipe, faces[0], faces[1], &own]);
        self.edges[columns].make_on(needs.edges, of, text, ["step_edges"])?;
        let rivers = include_str!("rivers.wgsl");
        let text = || with_tiles(kind, &[contents, &pipe, faces[0], faces[1], rivers]);
        self.rivers[columns].make_on(needs.rivers, of, text, ["let_rivers_in"])
    }

    /// Binds the contents of planes, for steps from one of two buffers.
    pub fn bind(&self, device: &wgpu::Device, planes: &CardPlanes, from: usize) -> wgpu::BindGroup {
        let entry = |(binding, buffer): (u32, usize)| wgpu::BindGroupEntry {
            binding,
            resource: planes.contents[buffer].as_entire_binding(),
        };
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("contents"),
            layout: &self.layout,
            entries: &[(0, from), (1, 1 - from)].map(entry),
        })
    }

    /// Adds the kernel by which coarse leaves note the contents of finer ones, before a step.
    pub fn begin(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        of: TracerPass<'_>,
    ) {
        if let Some([note, ..]) = self.levels.found() {
            bound.set_contents(pass);
            run(pass, bound, note, of, (table::FINER_TILES, GROUPS_OF_LEAF));
        }
    }

    /// Moves contents with the water of a step, after the limiter.
    pub fn step(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        of: TracerPass<'_>,
        [x, y, z]: [u32; 3],
    ) {
        bound.set_contents(pass);
        if let Some([_, settle, show, ..]) = self.levels.found() {
            run(pass, bound, settle, of, (table::SETTLED_SIDES, 1));
            run(pass, bound, show, of, (table::SHOWN_TILES, GROUPS_OF_LEAF));
        }
        pass.set_bind_group(0, &bound.steps, &[of.0]);
        pass.set_pipeline(&self.carry.get()[0]);
        pass.dispatch_workgroups(x, y, z);
        if let Some([_, _, _, put_back, draw_x, draw_y, collect, _]) = self.levels.found() {
            run(pass, bound, put_back, of, (table::SETTLED_SIDES, 1));
            for kernel in [draw_x, draw_y, collect] {
                run(pass, bound, kernel, of, (table::DRAWN_SIDES, 1));
            }
        }
    }

    /// Copies the contents of some leaves back from one of two buffers into the other.
    pub fn turn_back(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        bound: &BoundBuffers,
        (offset, leaves): (u32, u32),
    ) {
        let [.., turn_back] = self.levels.get();
        let [x, y, z] = groups_over(leaves);
        bound.set_contents(pass);
        pass.set_bind_group(0, &bound.levels, &[offset]);
        pass.set_pipeline(turn_back);
        pass.dispatch_workgroups(x, y, z);
    }

    /// Returns the kernel that replaces the kernel of forcing between columns of a kind.
    pub fn force(&self, has_columns: bool) -> &wgpu::ComputePipeline {
        &self.force[usize::from(has_columns)].get()[0]
    }

    /// Returns the kernel that replaces the kernel of edges.
    pub fn edges(&self, has_columns: bool) -> &wgpu::ComputePipeline {
        &self.edges[usize::from(has_columns)].get()[0]
    }

    /// Returns the kernel that replaces the kernel that lets rivers in.
    pub fn rivers(&self, has_columns: bool) -> &wgpu::ComputePipeline {
        &self.rivers[usize::from(has_columns)].get()[0]
    }
}

impl BoundBuffers {
    /// Binds contents beside the common bindings of a step, if the water carries any.
    pub(super) fn set_contents(&self, pass: &mut wgpu::ComputePass<'_>) {
        if let Some(contents) = &self.contents {
            pass.set_bind_group(1, contents, &[]);
        }
    }
}

fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: false },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("contents"),
        entries: &[0, 1].map(entry),
    })
}
