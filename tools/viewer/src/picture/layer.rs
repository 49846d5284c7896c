//! One window on the graphics card: two states of its cells, between which the picture is drawn.
//!
//! State n lies in set n mod 2. A set is two states old when it is written again, so it gets what
//! changed in the last state and in the one before.

use super::camera::TILE;
use super::pipelines::{Need, Pipelines};
use super::planes::{Piece, Planes};
use super::texture::{sampled, write};
use crate::session::{LeafMark, State};
use std::collections::HashSet;
use thalweg::grid::cells::CellPlace;
use thalweg::probe::Window;

/// Cells that one texel of the marks stands for, along each side.
const MARK_CELLS: u32 = 8;

#[derive(Debug)]
struct Set {
    heights: wgpu::Texture,
    water: wgpu::Texture,
    normals: wgpu::Texture,
}

/// A window's cells and their textures.
#[derive(Debug)]
pub struct Layer {
    /// Planes of the cells, as the world sent them.
    pub planes: Planes,
    sets: [Set; 2],
    marks: wgpu::Texture,
    /// Dye of the newest state.
    dye: wgpu::Texture,
    /// Bindings with the older state first: for even and for odd states.
    bindings: [wgpu::BindGroup; 2],
    /// Windows that changed in the last state.
    last: Vec<Window>,
    count: u64,
    marked: Option<(Window, std::sync::Arc<Vec<LeafMark>>)>,
}

impl Set {
    fn new(device: &wgpu::Device, size: [u32; 2]) -> Self {
        Self {
            heights: sampled(device, wgpu::TextureFormat::Rg32Float, size),
            water: sampled(device, wgpu::TextureFormat::Rgba16Float, size),
            normals: sampled(device, wgpu::TextureFormat::Rgba8Snorm, size),
        }
    }

    fn write(&self, queue: &wgpu::Queue, piece: &Piece<'_>) {
        let place = (piece.at, piece.size);
        write(queue, &self.heights, place, piece.heights);
        write(queue, &self.water, place, piece.water);
        write(queue, &self.normals, place, piece.normals);
    }
}

impl Layer {
    /// A layer of the window of a state that is whole.
    #[must_use]
    pub fn new(device: &wgpu::Device, pipelines: &Pipelines, window: Window) -> Self {
        let planes = Planes::new(window);
        let sets = [(); 2].map(|()| Set::new(device, planes.size));
        let marks_size = planes.size.map(|cells| cells / MARK_CELLS);
        let marks = sampled(device, wgpu::TextureFormat::R8Uint, marks_size);
        let dye = sampled(device, wgpu::TextureFormat::R8Unorm, planes.size);
        let bindings = [0, 1].map(|newer: usize| {
            pipelines.bind_layer(
                device,
                [1 - newer, newer].map(|set| {
                    let Set { heights, water, normals } = &sets[set];
                    [heights, water, normals]
                }),
                [&marks, &dye],
            )
        });
        Self { planes, sets, marks, dye, bindings, last: Vec::new(), count: 0, marked: None }
    }

    /// Takes in the next state, of a window that fits.
    pub fn take(&mut self, queue: &wgpu::Queue, state: &State) {
        self.planes.window = state.window;
        self.count += 1;
        state.patches.iter().for_each(|patch| self.planes.put(patch));
        let now: Vec<Window> = state.patches.iter().map(|patch| patch.cells).collect();
        let newer = self.newer();
        let mut bytes = Default::default();
        let again = self.last.iter().filter(|cells| !now.contains(cells));
        for cells in now.iter().chain(again) {
            let piece = self.planes.piece(*cells, &mut bytes);
            self.sets[newer].write(queue, &piece);
            if self.planes.is_dyed {
                write(queue, &self.dye, (piece.at, piece.size), piece.dye);
            }
        }
        if state.is_whole {
            // There is nothing older to come from.
            for cells in &now {
                self.sets[1 - newer].write(queue, &self.planes.piece(*cells, &mut bytes));
            }
        }
        self.last = now;
    }

    /// The set that holds the last state.
    fn newer(&self) -> usize {
        usize::from(self.count % 2 == 1)
    }

    /// The bindings of the last two states.
    #[must_use]
    pub fn binding(&self) -> &wgpu::BindGroup {
        &self.bindings[self.newer()]
    }

    /// The tiles of the window, as cells from its corner, by what they need on the way from one
    /// state to the other, or at its end.
    #[must_use]
    pub fn tiles(&self, is_on_way: bool) -> [Vec<[u32; 2]>; 4] {
        let Window { corner, width, height, .. } = self.planes.window;
        let mut tiles = [(); 4].map(|()| Vec::new());
        let changed: HashSet<[u32; 2]> =
            self.last.iter().map(|cells| tile_of(cells.corner)).collect();
        let steps = |cells: usize| (0..cells).step_by(TILE as usize);
        #[expect(clippy::cast_possible_truncation, reason = "windows have 2048 cells along a side")]
        for (x, y) in steps(height).flat_map(|y| steps(width).map(move |x| (x as u32, y as u32))) {
            let place = CellPlace { x: corner.x + x, y: corner.y + y };
            let [column, row] = tile_of(place);
            // Between the last cells of a tile and the first of the next ones both count.
            let next = [[column, row], [column + 1, row], [column, row + 1], [column + 1, row + 1]];
            let need = Need {
                water: self.planes.is_wet(place.x, place.y),
                changes: is_on_way && next.iter().any(|tile| changed.contains(tile)),
            };
            tiles[need.index()].push([x, y]);
        }
        tiles
    }

    /// Shows which leaf each cell is of.
    pub fn mark(&mut self, queue: &wgpu::Queue, state: &State, finest_m: f64) {
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

/// Column and row of the tile that holds a cell.
fn tile_of(place: CellPlace) -> [u32; 2] {
    [place.x / TILE, place.y / TILE]
}

/// Writes the mark of a leaf into the texels it covers in a window; those are `mark_m` wide.
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
