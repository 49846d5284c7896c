//! The kernels of a step, line by line beside those of the processor.
//!
//! | kernel | answers |
//! | --- | --- |
//! | `transfer_rows` | `flow::transfer` with the proposals of `flow::pipe` |
//! | `limit_rows` | `flow::limiter` |
//! | `discharge_rows` | `flow::depth`, `flow::pipe`, `flow::face`, `sim::borders`, `sim::forcing` |
//!
//! A workgroup steps four rows of a leaf. A step reads the planes of its start; transfers are
//! limited, and discharges cut with them, in place: each face by its one donor.

use crate::arithmetic::{Routes, source};
use crate::device::Device;
use crate::failure::Failure;
use crate::planes::Planes;

/// Workgroups of one leaf.
const GROUPS_OF_LEAF: u32 = 16;

/// Leaves in one row of workgroups, as the text says; more go on in the next.
const RECORDS_OF_ROW: u32 = 32_768;

/// Bytes between the constants of two steps.
pub const STEP_STRIDE: u64 = 256;

/// Storage buffers that the kernels bind.
const STORAGE_BUFFERS: u32 = 10;

/// Constants of a step, as the text has them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct StepConstants {
    /// Key of the draws of west faces.
    pub key_x: [u32; 2],
    /// Key of the draws of south faces.
    pub key_y: [u32; 2],
    /// 0, which no compiler foresees.
    pub zero: u32,
    /// Records of leaves.
    pub count: u32,
    /// 1 in the last step of a cycle.
    pub is_last: u32,
    /// 1 where cells have roughness classes.
    pub has_classes: u32,
    /// Metres per vertical unit.
    pub unit_m: f32,
    /// The rest as of `FaceParams`.
    pub gravity_ratio: f32,
    /// Δ/(g Δt), s.
    pub per_gravity_ratio: f32,
    /// g, m/s².
    pub gravity: f32,
    /// Slope of one vertical unit a cell.
    pub slope_of_unit: f32,
    /// Largest `a`, m/s.
    pub gravity_most: f32,
    /// g Δt, m/s.
    pub friction: f32,
    /// Δ/Δt, m/s.
    pub speed_max: f32,
    /// Factor of damped discharges.
    pub damping: f32,
    /// Squared speed below which water is damped, per metre of depth.
    pub damping_wave: f32,
    /// Squared speed below which noise is damped, times metre of depth.
    pub damping_noise: f32,
    /// Vertical units per m²/s.
    pub units_per_flow: f32,
}

/// One leaf that is awake, as the text has it.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Record {
    /// Slots of the leaf and the eight around it, from south-west to north-east.
    pub near: [u32; 9],
    /// Column of the south-west cell.
    pub west: u32,
    /// Row of the south-west cell.
    pub south: u32,
    /// Sides beyond which leaves sleep: bits, west, east, south, north.
    pub asleep: u32,
}

/// Results of the steps of a cycle for one leaf, as the text has them.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Report {
    /// Bits of the largest pace.
    pub pace_max: u32,
    /// Bits of the largest flow depth.
    pub flow_depth_max: u32,
    /// Clamped faces.
    pub clamped: u32,
    /// Limited cells.
    pub limited: u32,
    /// Bits of [`state`].
    pub state: u32,
    /// Nothing yet.
    pub rest: [u32; 3],
}

/// Bits of [`Report::state`].
pub mod state {
    /// A face was too fast or uneven to sleep in the last step.
    pub const ACTIVE: u32 = 1;
    /// Water at a leaf asleep was uneven in some step.
    pub const UNEVEN_EVER: u32 = 2;
    /// It was in the last step.
    pub const UNEVEN_LAST: u32 = 4;
    /// There is water at the end.
    pub const WET: u32 = 8;
}

/// Kernels of a step.
#[derive(Debug)]
pub struct Kernels {
    layout: wgpu::BindGroupLayout,
    phases: [wgpu::ComputePipeline; 3],
}

/// Buffers of a cycle beside the planes.
#[derive(Debug)]
pub struct CycleBuffers {
    /// Constants of its steps.
    pub steps: wgpu::Buffer,
    /// Leaves that are awake.
    pub records: wgpu::Buffer,
    /// Results.
    pub reports: wgpu::Buffer,
    /// Squares of Manning's n by class.
    pub tables: wgpu::Buffer,
}

impl Kernels {
    /// Builds the kernels of the pipe.
    ///
    /// # Errors
    ///
    /// The card binds too few buffers, or refuses the text.
    pub fn new(device: &Device, routes: Routes) -> Result<Self, Failure> {
        if device.limits.max_storage_buffers_per_shader_stage < STORAGE_BUFFERS {
            return Err(Failure::Refused {
                device: device.name(),
                work: "the kernels of a step".into(),
                reason: format!("they need {STORAGE_BUFFERS} storage buffers"),
            });
        }
        let body = [include_str!("tiles.wgsl"), include_str!("pipe.wgsl")].join("\n");
        let text = source(routes, &body);
        device.guard("the kernels of a step", |wgpu| {
            let layout = layout(wgpu);
            let bound = wgpu.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
                label: Some("step"),
                bind_group_layouts: &[Some(&layout)],
                immediate_size: 0,
            });
            let module = wgpu.create_shader_module(wgpu::ShaderModuleDescriptor {
                label: Some("step"),
                source: wgpu::ShaderSource::Wgsl(text.into()),
            });
            let phases = ["transfer_rows", "limit_rows", "discharge_rows"].map(|entry| {
                wgpu.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                    label: Some(entry),
                    layout: Some(&bound),
                    module: &module,
                    entry_point: Some(entry),
                    compilation_options: wgpu::PipelineCompilationOptions::default(),
                    cache: None,
                })
            });
            Self { layout, phases }
        })
    }

    /// Binds planes and buffers: for steps from the first of the two buffers of depths and flows,
    /// and from the second.
    pub fn bind(
        &self,
        device: &wgpu::Device,
        planes: &Planes,
        cycle: &CycleBuffers,
    ) -> [wgpu::BindGroup; 2] {
        [0, 1].map(|from| {
            let to = 1 - from;
            let constants = wgpu::BufferBinding {
                buffer: &cycle.steps,
                offset: 0,
                size: std::num::NonZeroU64::new(size_of::<StepConstants>() as u64),
            };
            let buffers = [
                &planes.beds,
                &planes.depths[from],
                &planes.flows[from],
                &planes.transfers,
                &cycle.records,
                &planes.depths[to],
                &planes.flows[to],
                &cycle.reports,
                &planes.classes,
                &cycle.tables,
            ];
            let mut entries = vec![wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(constants),
            }];
            entries.extend((1..).zip(buffers).map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding,
                resource: buffer.as_entire_binding(),
            }));
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("step"),
                layout: &self.layout,
                entries: &entries,
            })
        })
    }

    /// Adds a step to the commands: the number of its constants, and the count of leaves.
    pub fn step(
        &self,
        pass: &mut wgpu::ComputePass<'_>,
        group: &wgpu::BindGroup,
        (step, count): (u32, u32),
    ) {
        let offset = step * u32::try_from(STEP_STRIDE).expect("256");
        for phase in &self.phases {
            pass.set_pipeline(phase);
            pass.set_bind_group(0, group, &[offset]);
            let (rows, row) = (count.div_ceil(RECORDS_OF_ROW), count.min(RECORDS_OF_ROW));
            pass.dispatch_workgroups(GROUPS_OF_LEAF, row, rows);
        }
    }
}

/// Bindings of all kernels: constants, and the buffers of [`Kernels::bind`] in their order.
fn layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let entry = |binding, ty, has_dynamic_offset| wgpu::BindGroupLayoutEntry {
        binding,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset, min_binding_size: None },
        count: None,
    };
    let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
    for binding in 1..=STORAGE_BUFFERS {
        let read_only = matches!(binding, 1 | 2 | 5 | 9 | 10);
        entries.push(entry(binding, wgpu::BufferBindingType::Storage { read_only }, false));
    }
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some("step"),
        entries: &entries,
    })
}
