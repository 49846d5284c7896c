//! How the graphics card draws: shaders, their bindings, grids of vertices.

use super::noise;
use super::texture::{sampled, write};
use bytemuck::{Pod, Zeroable};

/// Numbers of a view for the shaders; the order is that of `View` in the shaders.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ViewNumbers {
    /// From metres to clip space.
    pub matrix: [[f32; 4]; 4],
    /// Columns, rows, width of a cell in m, seconds for ripples.
    pub window: [f32; 4],
    /// The window's place in the textures, cells; one over their size.
    pub place: [f32; 4],
    /// Weight of the newer state, opacity, overlay, 1 where the target takes linear light.
    pub blend: [f32; 4],
    /// Lowest and highest bed in m, greatest value of the overlay, spacing of the grid's vertices.
    pub range: [f32; 4],
    /// Towards the sun; its share of the light.
    pub sun: [f32; 4],
    /// Towards the eye; pixels that a cell is wide.
    pub eye: [f32; 4],
    /// The window's corner in ripples, length of a ripple in m, share of the longer ripples.
    pub ripple: [f32; 4],
    /// Colour of the dye.
    pub dye: [f32; 4],
}

/// A box to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BoxNumbers {
    /// Middle of the box, m from the window's corner; elevation.
    pub centre: [f32; 3],
    /// From its middle to the middles of three faces, m.
    pub halves: [[f32; 3]; 3],
    /// Colour of the box.
    pub tint: [f32; 3],
}

/// Planes to be computed for a tile: a plane that is not needed costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Need {
    /// There may be water on it.
    pub water: bool,
    /// Whether the tile changes between the two states.
    pub changes: bool,
}

impl Need {
    /// All needs, by their index.
    pub const ALL: [Self; 4] = [
        Self { water: false, changes: false },
        Self { water: true, changes: false },
        Self { water: false, changes: true },
        Self { water: true, changes: true },
    ];

    /// Place of this combination among all.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.water) + 2 * usize::from(self.changes)
    }
}

/// A square of vertices over a tile.
#[derive(Debug)]
pub struct Grid {
    /// Corners: column and row.
    pub vertices: wgpu::Buffer,
    /// Triangles.
    pub indices: wgpu::Buffer,
    /// How many indices.
    pub count: u32,
    /// Cells from vertex to vertex.
    pub spacing: u32,
}

/// All that is made once.
#[derive(Debug)]
pub struct Pipelines {
    /// Terrain and water by what a tile needs, [`Need::index`]; opaque, and fading in.
    pub ground: [[wgpu::RenderPipeline; 4]; 2],
    /// Boxes.
    pub boxes: wgpu::RenderPipeline,
    /// Grids from above and aslant.
    pub grids: [Grid; 2],
    shared: wgpu::BindGroupLayout,
    layer: wgpu::BindGroupLayout,
    noise: wgpu::Texture,
    ramps: wgpu::Texture,
    sampler: wgpu::Sampler,
}

/// Format of the depths of what is drawn.
pub const DEPTH_FORMAT: wgpu::TextureFormat = wgpu::TextureFormat::Depth32Float;

fn entry(binding: u32, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    let visibility = wgpu::ShaderStages::VERTEX_FRAGMENT;
    wgpu::BindGroupLayoutEntry { binding, visibility, ty, count: None }
}

fn image(sample_type: wgpu::TextureSampleType) -> wgpu::BindingType {
    let view_dimension = wgpu::TextureViewDimension::D2;
    wgpu::BindingType::Texture { sample_type, view_dimension, multisampled: false }
}

const SMOOTH: wgpu::TextureSampleType = wgpu::TextureSampleType::Float { filterable: true };
const EXACT: wgpu::TextureSampleType = wgpu::TextureSampleType::Float { filterable: false };

/// Bindings of all passes.
fn shared_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let uniform = wgpu::BindingType::Buffer {
        ty: wgpu::BufferBindingType::Uniform,
        has_dynamic_offset: false,
        min_binding_size: None,
    };
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &[
            entry(0, uniform),
            entry(1, wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)),
            entry(2, image(SMOOTH)),
            entry(3, image(SMOOTH)),
        ],
    })
}

/// Bindings of a layer: heights, water and normals of two states, marks and dye.
fn layer_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let whole = wgpu::TextureSampleType::Uint;
    let kinds = [EXACT, EXACT, SMOOTH, SMOOTH, SMOOTH, SMOOTH, whole, SMOOTH];
    let entries: Vec<_> =
        kinds.into_iter().zip(0..).map(|(kind, binding)| entry(binding, image(kind))).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}

/// How the vertices of a pass are fed and its shader is called.
struct Feed<'a> {
    source: &'a str,
    layouts: &'a [Option<&'a wgpu::BindGroupLayout>],
    buffers: &'a [wgpu::VertexBufferLayout<'a>],
    constants: &'a [(&'a str, f64)],
    blend: Option<wgpu::BlendState>,
}

fn pipeline(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    feed: &Feed<'_>,
) -> wgpu::RenderPipeline {
    let shader = device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(feed.source.into()),
    });
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: feed.layouts,
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: &shader,
            entry_point: Some("vs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: feed.buffers,
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(true),
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: &shader,
            entry_point: Some("fs_main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                constants: feed.constants,
                ..wgpu::PipelineCompilationOptions::default()
            },
            targets: &[Some(wgpu::ColorTargetState {
                format,
                blend: feed.blend,
                write_mask: wgpu::ColorWrites::ALL,
            })],
        }),
        multiview_mask: None,
        cache: None,
    })
}

/// A buffer with these bytes.
#[must_use]
pub fn filled(
    (device, queue): (&wgpu::Device, &wgpu::Queue),
    usage: wgpu::BufferUsages,
    bytes: &[u8],
) -> wgpu::Buffer {
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: usage | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, bytes);
    buffer
}

fn grid(card: (&wgpu::Device, &wgpu::Queue), squares: u32) -> Grid {
    let width = squares + 1;
    let corner = |index: u32| [index % width, index / width];
    let vertices: Vec<[u32; 2]> = (0..width * width).map(corner).collect();
    let square = |index: u32| {
        let [x, y] = [index % squares, index / squares];
        let a = y * width + x;
        [a, a + 1, a + width + 1, a, a + width + 1, a + width]
    };
    let indices: Vec<u32> = (0..squares * squares).flat_map(square).collect();
    Grid {
        vertices: filled(card, wgpu::BufferUsages::VERTEX, bytemuck::cast_slice(&vertices)),
        indices: filled(card, wgpu::BufferUsages::INDEX, bytemuck::cast_slice(&indices)),
        count: 6 * squares * squares,
        spacing: super::camera::TILE / squares,
    }
}

/// A texture that is written once.
fn picture(
    (device, queue): (&wgpu::Device, &wgpu::Queue),
    format: wgpu::TextureFormat,
    size: [u32; 2],
    bytes: &[u8],
) -> wgpu::Texture {
    let texture = sampled(device, format, size);
    write(queue, &texture, ([0; 2], size), bytes);
    texture
}

impl Pipelines {
    /// Compiles for a target of a format; `ramps` are rows of 256 colours, one for each overlay.
    #[must_use]
    pub fn new(
        card: (&wgpu::Device, &wgpu::Queue),
        format: wgpu::TextureFormat,
        ramps: &[[[u8; 4]; 256]],
    ) -> Self {
        let (device, _) = card;
        let (shared, layer) = (shared_layout(device), layer_layout(device));
        let pair = wgpu::vertex_attr_array![0 => Uint32x2];
        let tile = wgpu::vertex_attr_array![1 => Uint32x2];
        let parts = wgpu::vertex_attr_array![
            0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Float32x3, 4 => Float32x3
        ];
        let buffer = |array_stride, step_mode, attributes| wgpu::VertexBufferLayout {
            array_stride,
            step_mode,
            attributes,
        };
        let (vertex, instance) = (wgpu::VertexStepMode::Vertex, wgpu::VertexStepMode::Instance);
        let fading = Some(wgpu::BlendState::ALPHA_BLENDING);
        let ground = [None, fading].map(|blend| {
            Need::ALL.map(|need| {
                let is = |need: bool| f64::from(u8::from(need));
                let feed = Feed {
                    source: include_str!("ground.wgsl"),
                    layouts: &[Some(&shared), Some(&layer)],
                    buffers: &[buffer(8, vertex, &pair), buffer(8, instance, &tile)],
                    constants: &[("has_water", is(need.water)), ("changes", is(need.changes))],
                    blend,
                };
                pipeline(device, format, &feed)
            })
        });
        let boxes = Feed {
            source: include_str!("boxes.wgsl"),
            layouts: &[Some(&shared)],
            buffers: &[buffer(size_of::<BoxNumbers>() as u64, instance, &parts)],
            constants: &[],
            blend: fading,
        };
        let side = u32::try_from(noise::SIDE).expect("256");
        let rows = u32::try_from(ramps.len()).expect("a few overlays");
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        Self {
            ground,
            boxes: pipeline(device, format, &boxes),
            grids: [grid(card, 8), grid(card, 32)],
            noise: picture(card, wgpu::TextureFormat::Rgba8Unorm, [side; 2], &noise::ripples()),
            ramps: picture(
                card,
                wgpu::TextureFormat::Rgba8UnormSrgb,
                [256, rows],
                bytemuck::cast_slice(ramps),
            ),
            shared,
            layer,
            sampler,
        }
    }

    /// Binds what all passes share.
    #[must_use]
    pub fn bind_shared(&self, device: &wgpu::Device, numbers: &wgpu::Buffer) -> wgpu::BindGroup {
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let (noise, ramps) = (view(&self.noise), view(&self.ramps));
        let resources = [
            numbers.as_entire_binding(),
            wgpu::BindingResource::Sampler(&self.sampler),
            wgpu::BindingResource::TextureView(&noise),
            wgpu::BindingResource::TextureView(&ramps),
        ];
        bind(device, &self.shared, resources)
    }

    /// Binds the textures of an older and a newer state, each heights, water, normals;
    /// marks and dye.
    #[must_use]
    pub fn bind_layer(
        &self,
        device: &wgpu::Device,
        [older, newer]: [[&wgpu::Texture; 3]; 2],
        others: [&wgpu::Texture; 2],
    ) -> wgpu::BindGroup {
        let pairs = older.into_iter().zip(newer).flat_map(|(older, newer)| [older, newer]);
        let textures = pairs.chain(others);
        let views: Vec<_> =
            textures.map(|texture| texture.create_view(&Default::default())).collect();
        bind(device, &self.layer, views.iter().map(wgpu::BindingResource::TextureView))
    }
}

fn bind<'a>(
    device: &wgpu::Device,
    layout: &wgpu::BindGroupLayout,
    resources: impl IntoIterator<Item = wgpu::BindingResource<'a>>,
) -> wgpu::BindGroup {
    let entries: Vec<_> = resources
        .into_iter()
        .zip(0..)
        .map(|(resource, binding)| wgpu::BindGroupEntry { binding, resource })
        .collect();
    device.create_bind_group(&wgpu::BindGroupDescriptor { label: None, layout, entries: &entries })
}
