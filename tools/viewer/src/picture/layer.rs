//! One window on the graphics card: two states of its cells, between which the picture is drawn.
//!
//! State n is in set n mod 2. A set is two states old when it is written again, so it receives the
//! changes of the last state and of the one before.

use super::PictureFrame;
use super::camera::TILE;
use super::pipelines::{Pipelines, SheetNumbers, TileNeed};
use super::planes::{PlanePiece, WindowPlanes};
use super::sheets;
use super::texture::{sampled, write};
use crate::session::{LeafMark, ViewerSite, ViewerState, WetPatch};
use std::collections::HashSet;
use thalweg::looks::{Emitter, EmitterKind};
use thalweg::probe::Window;
use thalweg::world::CellPlace;

/// Angle by which the sun moves before light is cast again, radians.
const SUN_STEP: f64 = 0.004;

/// Number of cells that one texel of the marks covers along each side.
const MARK_CELLS: u32 = 8;

#[derive(Debug)]
struct TextureSet {
    heights: wgpu::Texture,
    water: wgpu::Texture,
    normals: wgpu::Texture,
}

/// Cells of a window and their textures.
#[derive(Debug)]
pub struct WindowLayer {
    /// Planes of the cells, as the world sent them.
    pub planes: WindowPlanes,
    /// Places of the last state that throw spray.
    pub emitters: Vec<Emitter>,
    /// Pieces of ribbons of falling water, and their number.
    pub ribbons: (wgpu::Buffer, u32),
    sets: [TextureSet; 2],
    marks: wgpu::Texture,
    /// Dye of the newest state.
    dye: wgpu::Texture,
    /// Light on the newest state, and the sun's direction for it.
    light: wgpu::Texture,
    sun: [f64; 3],
    /// Bindings with the older state first: for even and for odd states.
    bindings: [wgpu::BindGroup; 2],
    /// Windows that changed in the last state.
    last: Vec<Window>,
    count: u64,
    marked: Option<(Window, std::sync::Arc<Vec<LeafMark>>)>,
}

impl TextureSet {
    fn new(device: &wgpu::Device, size: [u32; 2]) -> Self {
        Self {
            heights: sampled(device, wgpu::TextureFormat::Rg32Float, size),
            water: sampled(device, wgpu::TextureFormat::Rgba16Float, size),
            normals: sampled(device, wgpu::TextureFormat::Rgba8Snorm, size),
        }
    }

    fn write(&self, queue: &wgpu::Queue, piece: &PlanePiece<'_>) {
        let place = (piece.at, piece.size);
        write(queue, &self.heights, place, piece.heights);
        write(queue, &self.water, place, piece.water);
        write(queue, &self.normals, place, piece.normals);
    }
}

impl WindowLayer {
    /// Makes a layer of the window of a whole state.
    #[must_use]
    pub fn new(device: &wgpu::Device, pipelines: &Pipelines, window: Window) -> Self {
        let planes = WindowPlanes::new(window);
        let sets = [(); 2].map(|()| TextureSet::new(device, planes.size));
        let marks_size = planes.size.map(|cells| cells / MARK_CELLS);
        let marks = sampled(device, wgpu::TextureFormat::R8Uint, marks_size);
        let dye = sampled(device, wgpu::TextureFormat::R8Unorm, planes.size);
        let light = sampled(device, wgpu::TextureFormat::Rgba8Unorm, planes.size);
        let bindings = [0, 1].map(|newer: usize| {
            pipelines.bind_layer(
                device,
                [1 - newer, newer].map(|set| {
                    let TextureSet { heights, water, normals } = &sets[set];
                    [heights, water, normals]
                }),
                [&marks, &dye, &light],
            )
        });
        let ribbons = device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: (sheets::SHEETS_MAX * size_of::<SheetNumbers>()) as u64,
            usage: wgpu::BufferUsages::VERTEX | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        });
        let (last, sun) = (Vec::new(), [0.0; 3]);
        let (count, marked) = (0, None);
        Self {
            planes,
            emitters: Vec::new(),
            ribbons: (ribbons, 0),
            sets,
            marks,
            dye,
            light,
            sun,
            bindings,
            last,
            count,
            marked,
        }
    }

    /// Takes in the next state, of a window that fits.
    pub fn take(&mut self, queue: &wgpu::Queue, state: &ViewerState, cell_m: f32) {
        self.planes.move_to(state.window);
        self.count += 1;
        state.patches.iter().for_each(|patch| self.planes.put(patch));
        let now: Vec<Window> = state.patches.iter().map(|patch| patch.cells).collect();
        self.emitters.clone_from(&state.looks.emitters);
        let pieces = sheets::pieces(&state.looks);
        queue.write_buffer(&self.ribbons.0, 0, bytemuck::cast_slice(&pieces));
        self.ribbons.1 = super::count(pieces.len());
        for foot in self.emitters.iter().filter(|emitter| emitter.kind == EmitterKind::Fall) {
            self.planes.churn(foot.cell, foot.fall_m, cell_m);
        }
        state.looks.wetness.iter().for_each(|patch| self.planes.wet(patch));
        let newer = self.newer();
        let mut bytes = Default::default();
        let again = self.last.iter().filter(|cells| !now.contains(cells));
        for cells in now.iter().chain(again) {
            let piece = self.planes.piece(*cells, &mut bytes);
            self.sets[newer].write(queue, &piece);
            if self.planes.is_dyed {
                write(queue, &self.dye, (piece.at, piece.size), piece.dye);
            }
            write(queue, &self.light, (piece.at, piece.size), piece.light);
        }
        // Changed cells are written already.
        let dried = state.looks.wetness.iter().filter(|patch| !now.contains(&patch.cells));
        for WetPatch { cells, .. } in dried {
            let piece = self.planes.piece(*cells, &mut bytes);
            write(queue, &self.light, (piece.at, piece.size), piece.light);
        }
        if state.is_whole {
            // The layer has no older state.
            for cells in &now {
                self.sets[1 - newer].write(queue, &self.planes.piece(*cells, &mut bytes));
            }
        }
        self.last = now;
    }

    /// Casts light anew if the ground, the water or the sun have moved.
    #[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
    pub fn relight(&mut self, queue: &wgpu::Queue, cell_m: f64, toward_sun: [f64; 3]) {
        let moved = (0..3).map(|axis| (self.sun[axis] - toward_sun[axis]).abs()).sum::<f64>();
        if moved < SUN_STEP && !self.planes.is_stale() {
            return;
        }
        self.sun = toward_sun;
        self.planes.cast_light(cell_m as f32, toward_sun.map(|part| part as f32));
        write(queue, &self.light, ([0; 2], self.planes.size), self.planes.light());
    }

    /// Returns the index of the set that contains the last state.
    fn newer(&self) -> usize {
        usize::from(self.count % 2 == 1)
    }

    /// Returns the bindings of the last two states.
    #[must_use]
    pub fn binding(&self) -> &wgpu::BindGroup {
        &self.bindings[self.newer()]
    }

    /// Returns the visible tiles of the window: their cells from its corner and the spacing of
    /// their vertices, by grid and by their needs on the way from one state to the next, or at its
    /// end; the nearest first.
    #[must_use]
    pub fn tiles(&self, is_on_way: bool, seen: &SeenWindow) -> [[Vec<[u32; 2]>; 4]; 4] {
        let Window { corner, width, height, .. } = self.planes.window;
        let mut tiles = [(); 4].map(|()| [(); 4].map(|()| Vec::new()));
        let changed: HashSet<[u32; 2]> =
            self.last.iter().map(|cells| tile_of(cells.corner)).collect();
        let steps = |cells: usize| (0..cells).step_by(TILE as usize);
        #[expect(clippy::cast_possible_truncation, reason = "windows have 2048 cells along a side")]
        let mut all: Vec<(f32, (u32, u32))> = steps(height)
            .flat_map(|y| steps(width).map(move |x| (x as u32, y as u32)))
            .filter_map(|(x, y)| Some((seen.depth([x, y])?, (x, y))))
            .collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (near, (x, y)) in all {
            let place = CellPlace { x: corner.x + x, y: corner.y + y };
            let [column, row] = tile_of(place);
            // Between the last cells of a tile and the first of the next ones both count.
            let next = [[column, row], [column + 1, row], [column, row + 1], [column + 1, row + 1]];
            let need = TileNeed {
                water: self.planes.is_wet(place.x, place.y),
                changes: is_on_way && next.iter().any(|tile| changed.contains(tile)),
            };
            let grid = seen.grid(near);
            tiles[grid][need.index()].push([x | (8 >> grid) << 16, y]);
        }
        tiles
    }

    /// Marks which leaf each cell belongs to.
    pub fn mark(&mut self, queue: &wgpu::Queue, state: &ViewerState, finest_m: f64) {
        let window = self.planes.window;
        let is_known = self.marked.as_ref().is_some_and(|(known, leaves)| {
            *known == window && std::sync::Arc::ptr_eq(leaves, &state.leaves)
        });
        if is_known {
            return;
        }
        let size = self.planes.size.map(|cells| cells / MARK_CELLS);
        let mut texels = vec![0_u8; (size[0] * size[1]) as usize];
        let mark_m = finest_m * f64::from(MARK_CELLS << window.level);
        for leaf in state.leaves.iter() {
            put_mark(&mut texels, size, window, leaf, mark_m);
        }
        write(queue, &self.marks, ([0, 0], size), &texels);
        self.marked = Some((window, state.leaves.clone()));
    }
}

/// Visible part of a window: its projection, its cells, and the range of their elevations.
#[derive(Debug)]
pub struct SeenWindow {
    matrix: [[f32; 4]; 4],
    cell_m: f32,
    heights_m: [f32; 2],
    /// Width of a cell in the middle of the picture, and least width of a triangle, pixels.
    cell_px: f32,
    triangle_px: f32,
}

/// Least width of triangles, pixels: a software driver draws whole blocks of pixels for each.
const TRIANGLE_PX: f32 = 2.5;
const QUICK_TRIANGLE_PX: f32 = 10.0;

/// Largest height of water above the highest bed, m.
const ABOVE_M: f64 = 60.0;

impl SeenWindow {
    /// Returns the part that a frame shows of cells `cell_m` wide, through a projection.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "what a graphics card reckons in")]
    pub fn new(
        matrix: &[[f32; 4]; 4],
        site: &ViewerSite,
        frame: &PictureFrame,
        cell_m: f64,
    ) -> Self {
        let heights_m = [site.bed_m[0] - ABOVE_M, site.bed_m[1] + ABOVE_M].map(|at| at as f32);
        let (camera, scale) = (&frame.camera, f64::from(frame.scale));
        let cell_px = (cell_m / camera.metres_per_px * scale) as f32;
        let least_px = if scale < 1.0 { QUICK_TRIANGLE_PX } else { TRIANGLE_PX };
        // From above the ground is flat.
        let triangle_px = if camera.is_above() { f32::INFINITY } else { least_px };
        Self { matrix: *matrix, cell_m: cell_m as f32, heights_m, cell_px, triangle_px }
    }

    /// Returns the grid for a tile whose nearest corner is `size` times smaller than in the middle.
    fn grid(&self, size: f32) -> usize {
        let width_px = |grid: &usize| f32::from(8_u8 >> *grid) * self.cell_px / size.max(0.05);
        (1..4).rev().find(|grid| width_px(grid) >= self.triangle_px).unwrap_or(0)
    }

    /// Returns how many times smaller than in the middle the nearest corner of a tile is, by its
    /// first cell; `None` if all of it is beyond one side of the screen.
    fn depth(&self, cell: [u32; 2]) -> Option<f32> {
        let (mut outside, mut nearest) = ([true; 5], f32::INFINITY);
        for corner in 0..8_u32 {
            let at = [0, 1].map(|axis: usize| {
                #[expect(clippy::cast_precision_loss, reason = "2048 at most")]
                let cells = (cell[axis] + (corner >> axis & 1) * (TILE + 1)) as f32;
                cells * self.cell_m
            });
            let place = [at[0], at[1], self.heights_m[(corner >> 2) as usize], 1.0];
            let [x, y, z, w] = [0, 1, 2, 3].map(|row: usize| {
                (0..4).map(|axis| self.matrix[axis][row] * place[axis]).sum::<f32>()
            });
            let beyond = [x < -w, x > w, y < -w, y > w, z < 0.0];
            outside.iter_mut().zip(beyond).for_each(|(all, one)| *all &= one);
            nearest = nearest.min(w);
        }
        (!outside.contains(&true)).then_some(nearest)
    }
}

/// Returns the column and row of the tile that contains a cell.
fn tile_of(place: CellPlace) -> [u32; 2] {
    [place.x / TILE, place.y / TILE]
}

/// Writes the mark of a leaf into the texels it covers in a window; each is `mark_m` wide.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "in the window")]
fn put_mark(texels: &mut [u8], size: [u32; 2], window: Window, leaf: &LeafMark, mark_m: f64) {
    let CellPlace { x, y } = window.corner;
    let low = [x, y].map(|cell| cell / MARK_CELLS);
    let high = [
        low[0] + (window.width as u32).div_ceil(MARK_CELLS),
        low[1] + (window.height as u32).div_ceil(MARK_CELLS),
    ];
    let range = |axis: usize| {
        let from = (f64::from(leaf.corner_m[axis]) / mark_m).round();
        let to = (f64::from(leaf.corner_m[axis] + leaf.width_m) / mark_m).round().max(from + 1.0);
        let clamp = |v: f64| v.clamp(f64::from(low[axis]), f64::from(high[axis])) as u32;
        clamp(from)..clamp(to)
    };
    let parity = [0, 1].map(|axis| (leaf.corner_m[axis] / leaf.width_m).round() as u32);
    let mark = leaf.level.min(31)
        | u8::from(leaf.is_asleep) << 5
        | u8::from(leaf.is_resident) << 6
        | u8::from((parity[0] + parity[1]) % 2 == 1) << 7;
    for row in range(1) {
        for column in range(0) {
            texels[((row % size[1]) * size[0] + column % size[0]) as usize] = mark;
        }
    }
}
