//! Terrain and water, drawn by the graphics card.
//!
//! ```text
//! air ────────────────────── waves ─────────────────────────── sky.wgsl ───┐
//! state's patches ─ planes ─ layer (two states on the card) ─ ground.wgsl ─┤
//! lines, bodies ───────────── solids ──────────────────────── boxes.wgsl ──┴─ the frame
//! ```
//!
//! From above, and below an overlay, the ground is a map; tilted, it looks like a film:
//! `look.wgsl`. Between the two, one fades into the other.
//!
//! A window of the world is one grid of vertices, so it has no cracks; if leaves are coarser than
//! the window, their cells are interpolated. When the view zooms to a different level the old
//! window fades into the new one. Between two states the picture moves from the older to the newer.
//!
//! Limits: in a coarse window details smaller than its cells are not drawn; if a level fades in a
//!         tilted view, hidden ground shines through for a quarter of a second.

pub mod air;
pub mod camera;
mod layer;
mod light;
mod noise;
mod numbers;
mod pipelines;
pub mod planes;
mod screen;
mod sheets;
mod solids;
mod spray;
mod texture;
mod waves;

use crate::session::{ViewerSite, ViewerState};
use air::Air;
use camera::Camera;
use ggez::Context;
use half::f16;
use layer::{SeenWindow, WindowLayer};
use pipelines::{BoxNumbers, Pipelines, PuffNumbers, Style, TileNeed, ViewNumbers};
use screen::Screen;
use std::time::Duration;
use texture::write_all_sizes;
use waves::WindWaves;

/// Time in which one level fades into the next.
const FADE: Duration = Duration::from_millis(250);

/// Share of the sun in a map's light.
const SUN_SHARE: f32 = 0.62;

/// Colouring of water and ground.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Colouring {
    /// Row of the ramps, from 1; 0 for the natural look.
    pub overlay: u8,
    /// Value at the end of the ramp.
    pub most: f32,
}

/// Settings of one frame.
#[derive(Debug, Clone, Copy)]
pub struct PictureFrame {
    /// Camera of the frame.
    pub camera: Camera,
    /// Light and air.
    pub air: Air,
    /// Part of the way from the older state to the newer one, 0 to 1.
    pub part: f32,
    /// Seconds that ripples have run.
    pub ripple_s: f32,
    /// Time since the frame before.
    pub since: Duration,
    /// Side of the picture as a part of the window's: less than 1 is quicker, more is smoother.
    pub scale: f32,
    /// True if nothing has changed since the frame before.
    pub is_same: bool,
    /// Colouring of the frame.
    pub colouring: Colouring,
}

/// Picture of a world.
#[derive(Debug)]
pub struct WorldPicture {
    pipelines: Pipelines,
    numbers: [(wgpu::Buffer, wgpu::BindGroup); 2],
    screen: Screen,
    tiles: wgpu::Buffer,
    boxes: wgpu::Buffer,
    puffs: wgpu::Buffer,
    layer: Option<WindowLayer>,
    /// Layer shown before, and the elapsed time of the fade.
    fading: Option<(WindowLayer, Duration)>,
    solids: solids::DrawnSolids,
    waves: WindWaves,
}

/// Largest numbers of tiles of a window, and of boxes of a frame.
const TILES_MAX: usize = 1024;
const BOXES_MAX: usize = 16_384;

impl WorldPicture {
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
        let puffs_bytes = (spray::PUFFS_MAX * size_of::<PuffNumbers>()) as u64;
        let puffs = buffer(puffs_bytes, wgpu::BufferUsages::VERTEX);
        let solids = solids::DrawnSolids::default();
        let (layer, fading) = (None, None);
        let waves = WindWaves::new(&Air::default());
        let screen = Screen::new(&wgpu.device, ctx.gfx.surface_format());
        Self { pipelines, numbers, screen, tiles, boxes, puffs, layer, fading, solids, waves }
    }

    /// Takes in the next state.
    pub fn take(&mut self, ctx: &Context, state: &ViewerState, site: &ViewerSite) {
        let wgpu = ctx.gfx.wgpu();
        let fits = self.layer.as_ref().is_some_and(|layer| layer.planes.fits(&state.window));
        if !fits || (state.is_whole && self.level() != Some(state.window.level)) {
            let new = WindowLayer::new(&wgpu.device, &self.pipelines, state.window);
            let old = self.layer.replace(new);
            let is_other_level =
                old.as_ref().is_some_and(|old| old.planes.window.level != state.window.level);
            self.fading = old.filter(|_| is_other_level).map(|old| (old, Duration::ZERO));
        }
        if let Some(layer) = &mut self.layer {
            let cell_m = site.finest_m * f64::from(1_u32 << state.window.level);
            #[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
            layer.take(&wgpu.queue, state, cell_m as f32);
            layer.mark(&wgpu.queue, state, site.finest_m);
        }
        self.solids.take(state);
    }

    fn level(&self) -> Option<u8> {
        self.layer.as_ref().map(|layer| layer.planes.window.level)
    }

    /// Returns the elevation of the visible surface at a place, m, if it is available.
    #[must_use]
    pub fn surface_m(&self, place_m: [f64; 2], site: &ViewerSite) -> Option<f64> {
        let planes = &self.layer.as_ref()?.planes;
        planes.surface_m(place_m, site.finest_m * f64::from(1_u32 << planes.window.level))
    }

    /// Clears the frame and draws onto it.
    pub fn draw(&mut self, ctx: &Context, site: &ViewerSite, frame: &PictureFrame) {
        if let Some((_, passed)) = &mut self.fading {
            *passed += frame.since;
        }
        self.fading.take_if(|(_, passed)| *passed >= FADE);
        let wgpu = ctx.gfx.wgpu();
        let window = ctx.gfx.frame();
        // The picture of a still view is kept beside the window.
        let keeps = frame.is_same && self.fading.is_none();
        let place = ([window.width(), window.height()], frame.scale, keeps);
        let is_kept = self.screen.fit(&wgpu.device, place);
        if is_kept {
            let mut encoder = wgpu.device.create_command_encoder(&Default::default());
            self.screen.show(&mut encoder, window.wgpu());
            wgpu.queue.submit([encoder.finish()]);
            return;
        }
        self.light(&wgpu.queue, site, frame);
        let target = self.screen.beside().unwrap_or(window.wgpu());
        let depths = self.screen.depths();
        let mut encoder = wgpu.device.create_command_encoder(&Default::default());
        let shown = self.shown();
        let last = shown.len().saturating_sub(1);
        if shown.is_empty() {
            begin(&mut encoder, target, depths, true);
        }
        for (index, (layer, opacity)) in shown.into_iter().enumerate() {
            let is_linear = ctx.gfx.surface_format().is_srgb();
            let view = numbers::of(layer, site, frame, (opacity, is_linear));
            wgpu.queue.write_buffer(&self.numbers[index].0, 0, bytemuck::bytes_of(&view));
            let mut pass = begin(&mut encoder, target, depths, index == 0);
            pass.set_bind_group(0, &self.numbers[index].1, &[]);
            let seen = SeenWindow::new(&view.matrix, site, frame, numbers::cell_m(layer, site));
            let tiles = layer.tiles(frame.part < 1.0, &seen);
            let style = (style(frame), opacity < 1.0);
            self.draw_ground(&wgpu.queue, &mut pass, (layer, style), (index, tiles));
            if index == last {
                // The sky is behind everything.
                if frame.camera.tilt_part() > 0.0 {
                    pass.set_pipeline(&self.pipelines.sky);
                    pass.draw(0..3, 0..1);
                }
                self.draw_solids(&wgpu.queue, &mut pass, layer, (site, frame));
            }
        }
        self.screen.show(&mut encoder, window.wgpu());
        wgpu.queue.submit([encoder.finish()]);
    }

    fn draw_ground(
        &self,
        queue: &wgpu::Queue,
        pass: &mut wgpu::RenderPass<'_>,
        (layer, (style, fades)): (&WindowLayer, (Style, bool)),
        (index, tiles): (usize, [[Vec<[u32; 2]>; 4]; 4]),
    ) {
        let from = TILES_MAX * index;
        let all = tiles.as_flattened().concat();
        queue.write_buffer(&self.tiles, 8 * from as u64, bytemuck::cast_slice(&all));
        pass.set_bind_group(1, layer.binding(), &[]);
        pass.set_vertex_buffer(1, self.tiles.slice(..));
        let mut next = count(from);
        for (grid, tiles) in self.pipelines.grids.iter().zip(&tiles) {
            pass.set_vertex_buffer(0, grid.vertices.slice(..));
            pass.set_index_buffer(grid.indices.slice(..), wgpu::IndexFormat::Uint32);
            for (tiles, need) in tiles.iter().zip(TileNeed::ALL) {
                let range = next..next + count(tiles.len());
                next = range.end;
                if !tiles.is_empty() {
                    pass.set_pipeline(self.pipelines.ground(style, fades, need));
                    pass.draw_indexed(0..grid.count, 0, range);
                }
            }
        }
    }

    /// Draws bodies and structures, and falling water and spray over them.
    fn draw_solids(
        &self,
        queue: &wgpu::Queue,
        pass: &mut wgpu::RenderPass<'_>,
        layer: &WindowLayer,
        (site, frame): (&ViewerSite, &PictureFrame),
    ) {
        let corner_m = numbers::corner_m(layer, site);
        let mut boxes = self.solids.boxes(frame, corner_m);
        boxes.truncate(BOXES_MAX);
        queue.write_buffer(&self.boxes, 0, bytemuck::cast_slice(&boxes));
        pass.set_pipeline(&self.pipelines.boxes);
        pass.set_vertex_buffer(0, self.boxes.slice(..));
        pass.draw(0..36, 0..count(boxes.len()));
        if is_map(frame) {
            return;
        }
        let (ribbons, pieces) = &layer.ribbons;
        pass.set_pipeline(&self.pipelines.sheets);
        pass.set_vertex_buffer(0, ribbons.slice(..));
        pass.draw(0..sheets::VERTICES, 0..*pieces);
        #[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
        let cell_m = numbers::cell_m(layer, site) as f32;
        let puffs = spray::puffs(&layer.emitters, cell_m, frame.ripple_s);
        queue.write_buffer(&self.puffs, 0, bytemuck::cast_slice(&puffs));
        pass.set_pipeline(&self.pipelines.spray);
        pass.set_vertex_buffer(0, self.puffs.slice(..));
        pass.draw(0..6, 0..count(puffs.len()));
    }

    /// Updates light and waves, if the view is not a map.
    fn light(&mut self, queue: &wgpu::Queue, site: &ViewerSite, frame: &PictureFrame) {
        if is_map(frame) {
            return;
        }
        if !self.waves.are_of(&frame.air) {
            self.waves = WindWaves::new(&frame.air);
        }
        let slopes = self.waves.at(frame.ripple_s);
        let waves = &self.pipelines.waves;
        write_all_sizes(queue, waves, slopes, |number| f16::from_f32(number).to_bits());
        if let Some(layer) = &mut self.layer {
            let cell_m = numbers::cell_m(layer, site);
            layer.relight(queue, cell_m, frame.air.toward_sun());
        }
    }

    /// Returns the layers to be drawn, from the bottom up, and their opacities.
    fn shown(&self) -> Vec<(&WindowLayer, f32)> {
        let passed = self.fading.as_ref().map(|(_, passed)| passed.as_secs_f32());
        let part = passed.map_or(1.0, |passed| passed / FADE.as_secs_f32());
        let old = self.fading.as_ref().map(|(layer, _)| (layer, 1.0));
        old.into_iter().chain(self.layer.as_ref().map(|layer| (layer, part))).collect()
    }
}

/// Returns the style of the ground in a frame.
fn style(frame: &PictureFrame) -> Style {
    match frame.camera.tilt_part() {
        _ if is_map(frame) => Style::Map,
        part if part < 1.0 => Style::Between,
        _ if frame.scale < 1.0 => Style::Quick,
        _ => Style::Rich,
    }
}

/// True if the whole frame is a map.
fn is_map(frame: &PictureFrame) -> bool {
    frame.camera.tilt_part() <= 0.0 || frame.colouring.overlay > 0
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
