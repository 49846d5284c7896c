//! Pipelines of the graphics card: shaders, their bindings, grids of vertices.

use super::texture::{sampled, sampled_at_all_sizes, write, write_all_sizes};
use super::{noise, waves};
use bytemuck::{Pod, Zeroable};
use std::cell::OnceCell;

/// Numbers of a view for the shaders; the order is that of `View` in the shaders.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct ViewNumbers {
    /// Matrix from metres to clip space.
    pub matrix: [[f32; 4]; 4],
    /// Columns, rows, width of a cell in m, seconds for ripples.
    pub window: [f32; 4],
    /// The window's place in the textures, cells; the reciprocal of their size.
    pub place: [f32; 4],
    /// Weight of the newer state, opacity, overlay, 1 if the target takes linear light.
    pub blend: [f32; 4],
    /// Lowest and highest bed in m, greatest value of the overlay.
    pub range: [f32; 4],
    /// Direction to the sun; its share of the light of a map.
    pub sun: [f32; 4],
    /// Vector to the eye from the window's corner, times the narrowing; the narrowing, 1/m.
    pub eye: [f32; 4],
    /// The window's corner in ripples, length of a ripple in m, share of the longer ripples.
    pub ripple: [f32; 4],
    /// Colour of the dye.
    pub dye: [f32; 4],
    /// Numbers that a map does not need.
    pub look: LookNumbers,
}

/// Numbers of a view that is not a map.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct LookNumbers {
    /// Direction into the picture; part of the way from a map to a picture.
    pub ahead: [f32; 4],
    /// Vector from the middle to the right side of the screen; width of a pixel in the middle, m.
    pub right: [f32; 4],
    /// Vector from the middle to the upper side of the screen; exaggeration of heights.
    pub up: [f32; 4],
    /// Light of the sun; share of it that the air takes in a metre.
    pub light: [f32; 4],
    /// Mean square of slopes of the two patches of waves and of shorter ones; turbidity.
    pub waves: [f32; 4],
    /// The window's corner in the two patches of waves.
    pub patches: [f32; 4],
    /// The window's corner within the noise of the ground, m.
    pub corner: [f32; 4],
}

/// Box to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct BoxNumbers {
    /// Middle of the box, m from the window's corner; elevation.
    pub centre: [f32; 3],
    /// Vectors from the box's middle to the middles of three faces, m.
    pub halves: [[f32; 3]; 3],
    /// Colour of the box.
    pub tint: [f32; 3],
}

/// Puff of spray to be drawn.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct PuffNumbers {
    /// Middle of the puff, m from the window's corner; elevation.
    pub place: [f32; 3],
    /// Half its width, m.
    pub size: f32,
    /// Share of light that the puff's middle hides; a number of the puff's own.
    pub kind: [f32; 2],
}

/// Piece of a sheet of falling water: lips and feet of two neighbours, m from the window's corner
/// and elevation.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct SheetNumbers {
    /// Lip of the first one, and its distance along the sheet, m.
    pub lip_a: [f32; 4],
    /// Foot of the first one, and thickness at its lip, m.
    pub foot_a: [f32; 4],
    /// Lip of the second one, likewise.
    pub lip_b: [f32; 4],
    /// Foot of the second one, likewise.
    pub foot_b: [f32; 4],
}

/// Planes to be computed for a tile: a plane that is not needed costs nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileNeed {
    /// Whether the tile may have water.
    pub water: bool,
    /// Whether the tile changes between the two states.
    pub changes: bool,
}

impl TileNeed {
    /// All needs, by their index.
    pub const ALL: [Self; 4] = [
        Self { water: false, changes: false },
        Self { water: true, changes: false },
        Self { water: false, changes: true },
        Self { water: true, changes: true },
    ];

    /// Returns the index of this combination in [`TileNeed::ALL`].
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.water) + 2 * usize::from(self.changes)
    }
}

/// Style in which ground and water are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Map.
    Map,
    /// Transition from a map to a picture.
    Between,
    /// Picture that is drawn quickly.
    Quick,
    /// Picture with all details.
    Rich,
}

/// Pipelines of the ground: each is made when it is needed.
#[derive(Debug)]
struct GroundPipelines {
    device: wgpu::Device,
    format: wgpu::TextureFormat,
    shader: wgpu::ShaderModule,
    made: [OnceCell<wgpu::RenderPipeline>; 32],
}

/// Square of vertices over a tile, with a skirt around it.
#[derive(Debug)]
pub struct VertexGrid {
    /// Corners: column and row.
    pub vertices: wgpu::Buffer,
    /// Triangles.
    pub indices: wgpu::Buffer,
    /// Number of indices.
    pub count: u32,
}

/// Objects that are made once.
#[derive(Debug)]
pub struct Pipelines {
    ground: GroundPipelines,
    /// Boxes.
    pub boxes: wgpu::RenderPipeline,
    /// Sky, behind everything.
    pub sky: wgpu::RenderPipeline,
    /// Spray, over everything else.
    pub spray: wgpu::RenderPipeline,
    /// Sheets of falling water.
    pub sheets: wgpu::RenderPipeline,
    /// Waves of the wind at one moment.
    pub waves: wgpu::Texture,
    /// Grids from the coarsest to the finest, by their spacing: 8, 4, 2, 1.
    pub grids: [VertexGrid; 4],
    shared: wgpu::BindGroupLayout,
    layer: wgpu::BindGroupLayout,
    noise: wgpu::Texture,
    ramps: wgpu::Texture,
    sampler: wgpu::Sampler,
}

/// Beginning of each shader.
const VIEW: &str = include_str!("view.wgsl");

/// Format of the depth buffer.
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

/// Makes the layout of the bindings of all passes.
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
            entry(4, image(SMOOTH)),
        ],
    })
}

/// Makes the layout of a layer: heights, water and normals of two states, marks, dye and light.
fn layer_layout(device: &wgpu::Device) -> wgpu::BindGroupLayout {
    let whole = wgpu::TextureSampleType::Uint;
    let kinds = [EXACT, EXACT, SMOOTH, SMOOTH, SMOOTH, SMOOTH, whole, SMOOTH, SMOOTH];
    let entries: Vec<_> =
        kinds.into_iter().zip(0..).map(|(kind, binding)| entry(binding, image(kind))).collect();
    device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: None,
        entries: &entries,
    })
}

/// Compiles a shader of several parts.
fn shader(device: &wgpu::Device, sources: &[&str]) -> wgpu::ShaderModule {
    device.create_shader_module(wgpu::ShaderModuleDescriptor {
        label: None,
        source: wgpu::ShaderSource::Wgsl(sources.concat().into()),
    })
}

/// Shader, inputs and settings of a pass.
struct PassInputs<'a> {
    shader: &'a wgpu::ShaderModule,
    layouts: &'a [Option<&'a wgpu::BindGroupLayout>],
    buffers: &'a [wgpu::VertexBufferLayout<'a>],
    constants: &'a [(&'a str, f64)],
    /// Whether the pass hides objects behind its own.
    hides: bool,
    blend: Option<wgpu::BlendState>,
}

fn pipeline(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    feed: &PassInputs<'_>,
) -> wgpu::RenderPipeline {
    let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
        label: None,
        bind_group_layouts: feed.layouts,
        immediate_size: 0,
    });
    device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
        label: None,
        layout: Some(&layout),
        vertex: wgpu::VertexState {
            module: feed.shader,
            entry_point: Some("vs_main"),
            compilation_options: wgpu::PipelineCompilationOptions::default(),
            buffers: feed.buffers,
        },
        primitive: wgpu::PrimitiveState::default(),
        depth_stencil: Some(wgpu::DepthStencilState {
            format: DEPTH_FORMAT,
            depth_write_enabled: Some(feed.hides),
            depth_compare: Some(wgpu::CompareFunction::LessEqual),
            stencil: wgpu::StencilState::default(),
            bias: wgpu::DepthBiasState::default(),
        }),
        multisample: wgpu::MultisampleState::default(),
        fragment: Some(wgpu::FragmentState {
            module: feed.shader,
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

/// Makes a buffer with these bytes.
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

/// Mark of a vertex at the lower side of a skirt.
const LOW: u32 = 1 << 16;

fn grid(card: (&wgpu::Device, &wgpu::Queue), squares: u32) -> VertexGrid {
    let width = squares + 1;
    let corner = |index: u32| [index % width, index / width];
    let mut vertices: Vec<[u32; 2]> = (0..width * width).map(corner).collect();
    let square = |index: u32| {
        let [x, y] = [index % squares, index / squares];
        let a = y * width + x;
        [a, a + 1, a + width + 1, a, a + width + 1, a + width]
    };
    let mut indices: Vec<u32> = (0..squares * squares).flat_map(square).collect();
    // The skirt: a lower copy of each vertex of the border.
    let last = squares * width;
    let sides: [(u32, u32); 4] = [(0, 1), (squares, width), (last, 1), (0, width)];
    for (from, step) in sides {
        for index in 0..squares {
            let [a, b] = [from + index * step, from + (index + 1) * step];
            let low = u32::try_from(vertices.len()).expect("a few thousand");
            vertices.extend([a, b].map(|vertex| {
                let [x, y] = corner(vertex);
                [x | LOW, y]
            }));
            indices.extend([a, b, low + 1, a, low + 1, low]);
        }
    }
    let count = u32::try_from(indices.len()).expect("some ten thousand");
    VertexGrid {
        vertices: filled(card, wgpu::BufferUsages::VERTEX, bytemuck::cast_slice(&vertices)),
        indices: filled(card, wgpu::BufferUsages::INDEX, bytemuck::cast_slice(&indices)),
        count,
    }
}

/// Makes a texture that is written once.
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

fn each_vertex(
    array_stride: u64,
    attributes: &[wgpu::VertexAttribute],
) -> wgpu::VertexBufferLayout<'_> {
    wgpu::VertexBufferLayout { array_stride, step_mode: wgpu::VertexStepMode::Vertex, attributes }
}

fn each_instance(
    array_stride: u64,
    attributes: &[wgpu::VertexAttribute],
) -> wgpu::VertexBufferLayout<'_> {
    let step_mode = wgpu::VertexStepMode::Instance;
    wgpu::VertexBufferLayout { array_stride, step_mode, attributes }
}

/// Makes the pipelines around the ground: boxes, spray, falling water and the sky.
fn around(
    device: &wgpu::Device,
    format: wgpu::TextureFormat,
    shared: &wgpu::BindGroupLayout,
) -> [wgpu::RenderPipeline; 4] {
    let parts = wgpu::vertex_attr_array![
        0 => Float32x3, 1 => Float32x3, 2 => Float32x3, 3 => Float32x3, 4 => Float32x3
    ];
    let drops = wgpu::vertex_attr_array![0 => Float32x4, 1 => Float32x2];
    let ribbons = wgpu::vertex_attr_array![
        0 => Float32x4, 1 => Float32x4, 2 => Float32x4, 3 => Float32x4
    ];
    let sources = [
        include_str!("boxes.wgsl"),
        include_str!("spray.wgsl"),
        include_str!("sheets.wgsl"),
        include_str!("sky.wgsl"),
    ];
    let [of_boxes, of_spray, of_sheets, of_sky] =
        sources.map(|source| shader(device, &[VIEW, source]));
    let boxes = PassInputs {
        shader: &of_boxes,
        layouts: &[Some(shared)],
        buffers: &[each_instance(size_of::<BoxNumbers>() as u64, &parts)],
        constants: &[],
        hides: true,
        blend: Some(wgpu::BlendState::ALPHA_BLENDING),
    };
    let spray = PassInputs {
        shader: &of_spray,
        buffers: &[each_instance(size_of::<PuffNumbers>() as u64, &drops)],
        hides: false,
        ..boxes
    };
    let sheets = PassInputs {
        shader: &of_sheets,
        buffers: &[each_instance(size_of::<SheetNumbers>() as u64, &ribbons)],
        hides: false,
        ..boxes
    };
    let sky = PassInputs {
        shader: &of_sky,
        layouts: &[Some(shared)],
        buffers: &[],
        constants: &[],
        hides: false,
        blend: None,
    };
    [boxes, spray, sheets, sky].map(|feed| pipeline(device, format, &feed))
}

impl Pipelines {
    /// Compiles for a target of a format; `ramps` are rows of 256 colours, one for each overlay.
    #[must_use]
    pub fn new(
        card: (&wgpu::Device, &wgpu::Queue),
        format: wgpu::TextureFormat,
        ramps: &[[[u8; 4]; 256]],
    ) -> Self {
        let (device, queue) = card;
        let (shared, layer) = (shared_layout(device), layer_layout(device));
        let ground = GroundPipelines {
            device: device.clone(),
            format,
            shader: shader(device, &[VIEW, include_str!("ground.wgsl"), include_str!("look.wgsl")]),
            made: [(); 32].map(|()| OnceCell::new()),
        };
        let [boxes, spray, sheets, sky] = around(device, format, &shared);
        let side = |side: usize| u32::try_from(side).expect("256");
        let ripples =
            sampled_at_all_sizes(device, wgpu::TextureFormat::Rgba8Unorm, side(noise::SIDE));
        write_all_sizes(queue, &ripples, noise::ripples(), noise::byte);
        let rows = u32::try_from(ramps.len()).expect("a few overlays");
        let sampler = device.create_sampler(&wgpu::SamplerDescriptor {
            address_mode_u: wgpu::AddressMode::Repeat,
            address_mode_v: wgpu::AddressMode::Repeat,
            mag_filter: wgpu::FilterMode::Linear,
            min_filter: wgpu::FilterMode::Linear,
            mipmap_filter: wgpu::MipmapFilterMode::Linear,
            ..wgpu::SamplerDescriptor::default()
        });
        Self {
            ground,
            boxes,
            grids: [grid(card, 8), grid(card, 16), grid(card, 32), grid(card, 64)],
            sky,
            spray,
            sheets,
            waves: sampled_at_all_sizes(
                device,
                wgpu::TextureFormat::Rgba16Float,
                side(waves::SIDE),
            ),
            noise: ripples,
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

    /// Returns the pipeline of a style, opaque or fading in, for a tile's needs.
    pub fn ground(&self, style: Style, fades: bool, need: TileNeed) -> &wgpu::RenderPipeline {
        let index = 8 * style as usize + 4 * usize::from(fades) + need.index();
        self.ground.made[index].get_or_init(|| {
            let pair = wgpu::vertex_attr_array![0 => Uint32x2];
            let tile = wgpu::vertex_attr_array![1 => Uint32x2];
            let is = |is: bool| f64::from(u8::from(is));
            let feed = PassInputs {
                shader: &self.ground.shader,
                layouts: &[Some(&self.shared), Some(&self.layer)],
                buffers: &[each_vertex(8, &pair), each_instance(8, &tile)],
                constants: &[
                    ("has_water", is(need.water)),
                    ("changes", is(need.changes)),
                    ("is_map", is(matches!(style, Style::Map | Style::Between))),
                    ("is_picture", is(style != Style::Map)),
                    ("is_rich", is(style == Style::Rich)),
                ],
                hides: true,
                blend: fades.then_some(wgpu::BlendState::ALPHA_BLENDING),
            };
            pipeline(&self.ground.device, self.ground.format, &feed)
        })
    }

    /// Binds the resources that all passes share.
    #[must_use]
    pub fn bind_shared(&self, device: &wgpu::Device, numbers: &wgpu::Buffer) -> wgpu::BindGroup {
        let view = |texture: &wgpu::Texture| texture.create_view(&Default::default());
        let [noise, ramps, waves] = [&self.noise, &self.ramps, &self.waves].map(view);
        let resources = [
            numbers.as_entire_binding(),
            wgpu::BindingResource::Sampler(&self.sampler),
            wgpu::BindingResource::TextureView(&noise),
            wgpu::BindingResource::TextureView(&ramps),
            wgpu::BindingResource::TextureView(&waves),
        ];
        bind(device, &self.shared, resources)
    }

    /// Binds the textures of an older and a newer state, each heights, water, normals;
    /// marks, dye and light.
    #[must_use]
    pub fn bind_layer(
        &self,
        device: &wgpu::Device,
        [older, newer]: [[&wgpu::Texture; 3]; 2],
        others: [&wgpu::Texture; 3],
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
