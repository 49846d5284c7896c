//! Kernels, built from the text of a module.

use crate::arithmetic::{Routes, source};
use crate::device::Device;
use crate::failure::Failure;
use std::sync::OnceLock;

/// Kernels of one part of a step, built when a cycle first needs them.
#[derive(Debug, Default)]
pub struct StepKernels<const N: usize>(OnceLock<[wgpu::ComputePipeline; N]>);

impl<const N: usize> StepKernels<N> {
    /// Builds the kernels of a text, if they are needed.
    ///
    /// # Errors
    ///
    /// The card refuses the text.
    pub fn make(
        &self,
        is_needed: bool,
        (device, routes, layout): (&Device, Routes, &wgpu::BindGroupLayout),
        text: impl Fn() -> String,
        entries: [&str; N],
    ) -> Result<(), Failure> {
        self.make_on(is_needed, (device, routes, &[layout]), text, entries)
    }

    /// Builds kernels as [`make`](Self::make) does, with several groups of bindings.
    ///
    /// # Errors
    ///
    /// The card refuses the text.
    pub fn make_on(
        &self,
        is_needed: bool,
        (device, routes, layouts): (&Device, Routes, &[&wgpu::BindGroupLayout]),
        text: impl Fn() -> String,
        entries: [&str; N],
    ) -> Result<(), Failure> {
        if is_needed && self.0.get().is_none() {
            // If another thread built them meanwhile, it built the same.
            let _ = self.0.set(build_on(device, routes, layouts, (&text(), entries))?);
        }
        Ok(())
    }

    /// Returns the kernels, if they were made.
    pub fn found(&self) -> Option<&[wgpu::ComputePipeline; N]> {
        self.0.get()
    }

    /// Returns the kernels, which were made.
    pub fn get(&self) -> &[wgpu::ComputePipeline; N] {
        self.0.get().expect("made before the cycle")
    }
}

/// Builds kernels of a module with this text.
///
/// # Errors
///
/// The card refuses it.
pub fn build_text<const N: usize>(
    device: &Device,
    routes: Routes,
    layout: &wgpu::BindGroupLayout,
    text: (&str, [&str; N]),
) -> Result<[wgpu::ComputePipeline; N], Failure> {
    build_on(device, routes, &[layout], text)
}

/// Builds kernels as [`build_text`] does, with several groups of bindings.
fn build_on<const N: usize>(
    device: &Device,
    routes: Routes,
    layouts: &[&wgpu::BindGroupLayout],
    (body, entries): (&str, [&str; N]),
) -> Result<[wgpu::ComputePipeline; N], Failure> {
    let text = source(routes, body);
    device.guard("the kernels of a step", |device| {
        let text = wgpu::ShaderModuleDescriptor {
            label: Some("step"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        };
        let checks = wgpu::ShaderRuntimeChecks::unchecked();
        // SAFETY: the kernels reach planes by slots, which are below their capacity, and by cells,
        // which are masked to 64 × 64; records, tables and faces by counts that the host wrote with
        // them, classes by their count; loops end with those counts.
        let module = unsafe { device.create_shader_module_trusted(text, checks) };
        let layouts: Vec<_> = layouts.iter().copied().map(Some).collect();
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("step"),
            bind_group_layouts: &layouts,
            immediate_size: 0,
        });
        entries.map(|entry| {
            device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
                label: Some(entry),
                layout: Some(&layout),
                module: &module,
                entry_point: Some(entry),
                compilation_options: wgpu::PipelineCompilationOptions {
                    // Each kernel writes every word that it reads there.
                    zero_initialize_workgroup_memory: false,
                    ..Default::default()
                },
                cache: None,
            })
        })
    })
}
