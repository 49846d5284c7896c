//! Terrain and water, drawn by the graphics card.
//!
//! ```text
//! state's patches ─ planes ─ layer (two states on the card) ─ ground.wgsl ─┐
//! lines, bodies ───────────── solids ──────────────────────── boxes.wgsl ──┴─ the frame
//! ```
//!
//! A window of the world is one grid of vertices, so it has no cracks; where leaves are coarser
//! than the window, their cells are interpolated. When the view zooms to another level the old
//! window fades into the new one. Between two states the picture goes from the older to the newer.
//!
//! Limits: in a coarse window what is smaller than its cells is not drawn; where a level fades
//!         aslant, hidden ground shines through for a quarter of a second.

pub mod camera;
mod layer;
mod noise;
mod numbers;
mod pipelines;
pub mod planes;
mod solids;
mod texture;

use crate::session::{Site, State};
use camera::Camera;
use ggez::Context;
use layer::Layer;
use pipelines::{BoxNumbers, DEPTH_FORMAT, Pipelines, ViewNumbers};
use std::time::Duration;
use texture::texture;

/// How long one level fades into another.
const FADE: Duration = Duration::from_millis(250);

/// Share of the light that comes from the sun.
const SUN_SHARE: f32 = 0.62;

/// How water and ground are coloured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colouring {
    /// Row of the ramps, from 1; 0: as water and ground look.
    pub overlay: u8,
    /// Value at the end of the ramp.
    pub most: f32,
}

/// Settings of one frame.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Where one stands.
    pub camera: Camera,
    /// How far the picture is from the older state to the newer one, 0 to 1.
    pub part: f32,
    /// Seconds that ripples have run.
    pub ripple_s: f32,
    /// Since the frame before.
    pub since: Duration,
    /// How it is coloured.
    pub colouring: Colouring,
}

/// The picture of a world.
#[derive(Debug)]
pub struct Picture {
    pipelines: Pipelines,
    numbers: [(wgpu::Buffer, wgpu::BindGroup); 2],
    depths: Option<(wgpu::Texture, [u32; 2])>,
    tiles: wgpu::Buffer,
    boxes: wgpu::Buffer,
    layer: Option<Layer>,
    /// Layer shown before, and how much of the fade is over.
    fading: Option<(Layer, Duration)>,
    solids: solids::Solids,
}

/// Most tiles of a window, and most boxes of a frame.
const TILES_MAX: usize = 1024;
const BOXES_MAX: usize = 16_384;

impl Picture {
    /// Prepares for drawing; `ramps` are rows of 256 colours.
    #[must_use]
    pub fn new(ctx: &Context, ramps: &[[[u8; 4]; 256]]) -> Self {
        let wgpu = ctx.gfx.wgpu();
        let card = (&wgpu.device, &wgpu.queue);
        let pipelines = Pipelines::new(card, ctx.gfx.surface_format(), ramps);
        let buffer = |bytes: u64, usage: wgpu::BufferUsages| {
            wgpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: bytes,
                usage: usage | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            })
        };
        let numbers = [(); 2].map(|()| {
            let numbers = buffer(size_of::<ViewNumbers>() as u64, wgpu::BufferUsages::UNIFORM);
            let binding = pipelines.bind_shared(&wgpu.device, &numbers);
            (numbers, binding)
        });
        let tiles = buffer(2 * 8 * TILES_MAX as u64, wgpu::BufferUsages::VERTEX);
        let boxes_bytes = (BOXES_MAX * size_of::<BoxNumbers>()) as u64;
        let boxes = buffer(boxes_bytes, wgpu::BufferUsages::VERTEX);
        let solids = solids::Solids::default();
        let (depths, layer, fading) = (None, None, None);
        Self { pipelines, numbers, depths, tiles, boxes, layer, fading, solids }
    }

    /// Takes in the next state.
    pub fn take(&mut self, ctx: &Context, state: &State, site: &Site) {
        let wgpu = ctx.gfx.wgpu();
        let fits = self.layer.as_ref().is_some_and(|layer| layer.planes.fits(&state.window));
        if !fits || (state.is_whole && self.level() != Some(state.window.level)) {
            let new = Layer::new(&wgpu.device, &self.pipelines, state.window);
            let old = self.layer.replace(new);
            let is_other_level =
                old.as_ref().is_some_and(|old| old.planes.window.level != state.window.level);
            self.fading = old.filter(|_| is_other_level).map(|old| (old, Duration::ZERO));
        }
        if let Some(layer) = &mut self.layer {
            layer.take(&wgpu.queue, state);
            layer.mark(&wgpu.queue, state, site.finest_m);
        }
        self.solids.take(state);
    }

    fn level(&self) -> Option<u8> {
        self.layer.as_ref().map(|layer| layer.planes.window.level)
    }

    /// Elevation of what one sees at a place, m, as far as it is known.
    #[must_use]
    pub fn surface_m(&self, place_m: [f64; 2], site: &Site) -> Option<f64> {
        let planes = &self.layer.as_ref()?.planes;
        planes.surface_m(place_m, site.finest_m * f64::from(1_u32 << planes.window.level))
    }

    /// Draws onto the frame, which is cleared.
    pub fn draw(&mut self, ctx: &Context, site: &Site, frame: &Frame) {
        if let Some((_, passed)) = &mut self.fading {
            *passed += frame.since;
        }
        self.fading.take_if(|(_, passed)| *passed >= FADE);
        let wgpu = ctx.gfx.wgpu();
        let target = ctx.gfx.frame();
        let size = [target.width(), target.height()];
        if self.depths.as_ref().is_none_or(|(_, known)| *known != size) {
            self.depths = Some((
                texture(&wgpu.device, DEPTH_FORMAT, size, wgpu::TextureUsages::RENDER_ATTACHMENT),
                size,
            ));
        }
        let depths = self.depths.as_ref().map(|(texture, _)| texture);
        let depths = depths.map(|texture| texture.create_view(&Default::default()));
        let mut encoder = wgpu.device.create_command_encoder(&Default::default());
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        if shown.is_empty() {
            begin(&mut encoder, target.wgpu(), depths.as_ref(), true);
        }
        for (index, (layer, opacity)) in shown.into_iter().enumerate() {
            let (numbers, shared) = &self.numbers[index];
            let is_linear = ctx.gfx.surface_format().is_srgb();
            let grid = &self.pipelines.grids[usize::from(!frame.camera.is_above())];
            let view = numbers::of(layer, site, frame, (opacity, is_linear), grid.spacing);
            wgpu.queue.write_buffer(numbers, 0, bytemuck::bytes_of(&view));
            let tiles = layer.tiles(frame.part < 1.0);
            let from = TILES_MAX * index;
            let all = tiles.concat();
            wgpu.queue.write_buffer(&self.tiles, 8 * from as u64, bytemuck::cast_slice(&all));
            let mut pass = begin(&mut encoder, target.wgpu(), depths.as_ref(), index == 0);
            pass.set_bind_group(0, shared, &[]);
            pass.set_bind_group(1, layer.binding(), &[]);
            pass.set_vertex_buffer(0, grid.vertices.slice(..));
            pass.set_vertex_buffer(1, self.tiles.slice(..));
            pass.set_index_buffer(grid.indices.slice(..), wgpu::IndexFormat::Uint32);
            let mut next = count(from);
            let pipelines = &self.pipelines.ground[usize::from(opacity < 1.0)];
            for (tiles, pipeline) in tiles.iter().zip(pipelines) {
                let range = next..next + count(tiles.len());
                next = range.end;
                pass.set_pipeline(pipeline);
                pass.draw_indexed(0..grid.count, 0, range);
            }
            if index == last {
                let mut boxes = self.solids.boxes(frame, numbers::corner_m(layer, site));
                boxes.truncate(BOXES_MAX);
                wgpu.queue.write_buffer(&self.boxes, 0, bytemuck::cast_slice(&boxes));
                pass.set_pipeline(&self.pipelines.boxes);
                pass.set_vertex_buffer(0, self.boxes.slice(..));
                pass.draw(0..36, 0..count(boxes.len()));
            }
        }
        wgpu.queue.submit([encoder.finish()]);
    }

    /// The layers to be drawn, one over the other, and how opaque they are.
    fn shown(&self) -> Vec<(&Layer, f32)> {
        let passed = self.fading.as_ref().map(|(_, passed)| passed.as_secs_f32());
        let part = passed.map_or(1.0, |passed| passed / FADE.as_secs_f32());
        let old = self.fading.as_ref().map(|(layer, _)| (layer, 1.0));
        old.into_iter().chain(self.layer.as_ref().map(|layer| (layer, part))).collect()
    }
}

fn count(things: usize) -> u32 {
    u32::try_from(things).expect("a few thousand")
}

/// Begins to draw: the first pass clears the frame, each clears the depths.
fn begin<'a>(
    encoder: &'a mut wgpu::CommandEncoder,
    target: &'a wgpu::TextureView,
    depths: Option<&'a wgpu::TextureView>,
    is_first: bool,
) -> wgpu::RenderPass<'a> {
    let sky = wgpu::Color { r: 0.055, g: 0.068, b: 0.08, a: 1.0 };
    let load = if is_first { wgpu::LoadOp::Clear(sky) } else { wgpu::LoadOp::Load };
    let keep = wgpu::StoreOp::Store;
    encoder.begin_render_pass(&wgpu::RenderPassDescriptor {
        color_attachments: &[Some(wgpu::RenderPassColorAttachment {
            view: target,
            depth_slice: None,
            resolve_target: None,
            ops: wgpu::Operations { load, store: keep },
        })],
        depth_stencil_attachment: depths.map(|view| wgpu::RenderPassDepthStencilAttachment {
            view,
            depth_ops: Some(wgpu::Operations { load: wgpu::LoadOp::Clear(1.0), store: keep }),
            stencil_ops: None,
        }),
        ..wgpu::RenderPassDescriptor::default()
    })
}
