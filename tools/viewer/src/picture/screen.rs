//! Target of a frame: the window, or a smaller or larger picture that is then copied onto it.

use super::pipelines::DEPTH_FORMAT;
use super::texture::texture;
use wgpu::{Device, TextureFormat, TextureUsages, TextureView};

/// Targets of one size.
#[derive(Debug)]
struct Targets {
    size: [u32; 2],
    depths: TextureView,
    /// Picture beside the window and its binding for shaders, if it has a different size.
    beside: Option<(TextureView, wgpu::BindGroup)>,
}

/// Targets of a window's frames.
#[derive(Debug)]
pub struct Screen {
    format: TextureFormat,
    layout: wgpu::BindGroupLayout,
    pipeline: wgpu::RenderPipeline,
    sampler: wgpu::Sampler,
    targets: Option<Targets>,
    /// Whether the picture beside the window is that of a still view.
    is_kept: bool,
}

impl Screen {
    /// Prepares for frames of a format.
    #[must_use]
    pub fn new(device: &Device, format: TextureFormat) -> Self {
        let entry = |binding, ty| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::FRAGMENT,
            ty,
            count: None,
        };
        let image = wgpu::BindingType::Texture {
            sample_type: wgpu::TextureSampleType::Float { filterable: true },
            view_dimension: wgpu::TextureViewDimension::D2,
            multisampled: false,
        };
        let sampler = wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering);
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[entry(0, image), entry(1, sampler)],
        });
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        let pipeline = pipeline(device, format, &layout);
        Self { format, layout, pipeline, sampler, targets: None, is_kept: false }
    }

    /// Makes targets for a window, `scale` times as large as it, beside the window if the picture
    /// is to be kept. Returns whether a kept picture exists.
    pub fn fit(
        &mut self,
        device: &Device,
        (window_px, scale, keeps): ([u32; 2], f32, bool),
    ) -> bool {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "pixels")]
        #[expect(clippy::cast_precision_loss, reason = "pixels")]
        let size = window_px.map(|side| ((side as f32 * scale).round() as u32).clamp(16, 8192));
        let is_beside = keeps || size != window_px;
        let was_kept = std::mem::replace(&mut self.is_kept, keeps);
        let is_known = |known: &Targets| known.size == size && known.beside.is_some() == is_beside;
        if self.targets.as_ref().is_some_and(is_known) {
            return keeps && was_kept;
        }
        let drawn = TextureUsages::RENDER_ATTACHMENT;
        let view = |format, usage| {
            texture(device, format, size, usage)
                .create_view(&wgpu::TextureViewDescriptor::default())
        };
        let beside = is_beside.then(|| {
            let picture = view(self.format, drawn | TextureUsages::TEXTURE_BINDING);
            let binding = device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: None,
                layout: &self.layout,
                entries: &[
                    wgpu::BindGroupEntry {
                        binding: 0,
                        resource: wgpu::BindingResource::TextureView(&picture),
                    },
                    wgpu::BindGroupEntry {
                        binding: 1,
                        resource: wgpu::BindingResource::Sampler(&self.sampler),
                    },
                ],
            });
            (picture, binding)
        });
        self.targets = Some(Targets { size, depths: view(DEPTH_FORMAT, drawn), beside });
        false
    }

    /// Returns the depth buffer.
    #[must_use]
    pub fn depths(&self) -> Option<&TextureView> {
        self.targets.as_ref().map(|targets| &targets.depths)
    }

    /// Returns the picture beside the window, if it exists.
    #[must_use]
    pub fn beside(&self) -> Option<&TextureView> {
        self.targets.as_ref()?.beside.as_ref().map(|(picture, _)| picture)
    }

    /// Copies the picture beside the window onto it.
    pub fn show(&self, encoder: &mut wgpu::CommandEncoder, window: &TextureView) {
        let Some((_, binding)) = self.targets.as_ref().and_then(|t| t.beside.as_ref()) else {
            return;
        };
        let mut pass = encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
            color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                view: window,
                depth_slice: None,
                resolve_target: None,
                ops: wgpu::Operations {
                    load: wgpu::LoadOp::Clear(wgpu::Color::BLACK),
                    store: wgpu::StoreOp::Store,
                },
            })],
            ..wgpu::RenderPassDescriptor::default()
        });
        pass.set_pipeline(&self.pipeline);
        pass.set_bind_group(0, binding, &[]);
        pass.draw(0..3, 0..1);
    }
}

fn pipeline(
    device: &Device,
    format: TextureFormat,
    layout: &wgpu::BindGroupLayout,
) -> wgpu::RenderPipeline {
    let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(include_str!("screen.wgsl").into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: &[Some(layout)],
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &module,
            entry_point: Some("vs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: &[],
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: None,
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &module,
            entry_point: Some("fs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            targets: &[Some(format.into())],
        }),
        multiview_mask: None,
        cache: None,
    })
}
