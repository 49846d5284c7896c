//! A sea without ends whose transfers are given: what a kernel of one tile is tried on.
use rayon::prelude::*;
use std::ops::Range;
use thalweg_engine::flow::tracer::PaddedTracer;
use thalweg_engine::sim::Order;
use thalweg_engine::tile::halo_plane::PlanesAround;
use thalweg_engine::tile::padded::{Padded, index};

const TILE: usize = 64;

/// `tiles` × `tiles` tiles that go on periodically; planes of the whole, rows from the south.
pub struct Sea {
    tiles: usize,
    pub bed: Vec<i32>,
    pub depth: Vec<i32>,
    pub transfer_x: Vec<i32>,
    pub transfer_y: Vec<i32>,
    pub content: Vec<i64>,
}

impl Sea {
    pub fn new(tiles: usize) -> Self {
        let cells = (tiles * TILE).pow(2);
        Self {
            tiles,
            bed: vec![0; cells],
            depth: vec![0; cells],
            transfer_x: vec![0; cells],
            transfer_y: vec![0; cells],
            content: vec![0; cells],
        }
    }

    /// Cells along each side.
    pub fn width(&self) -> usize {
        self.tiles * TILE
    }

    /// Index of the cell (`x`, `y`), which may lie a turn beyond the end.
    pub fn at(&self, x: usize, y: usize) -> usize {
        let width = self.width();
        (y + width) % width * width + (x + width) % width
    }

    /// One step of water and content.
    pub fn step(&mut self, order: Order) {
        let planes: Vec<Vec<i64>> = (0..self.tiles.pow(2))
            .map(|tile| self.rows(tile).flat_map(|row| &self.content[row]).copied().collect())
            .collect();
        let step_tile = |(padded, tracer): &mut (Padded, PaddedTracer), tile: usize| {
            self.fill(padded, tile);
            let (x, y) = (tile % self.tiles + self.tiles, tile / self.tiles + self.tiles);
            let plane = |i: usize| {
                let (x, y) = ((x + i % 3 - 1) % self.tiles, (y + i / 3 - 1) % self.tiles);
                Some(&*planes[y * self.tiles + x])
            };
            let around: PlanesAround<'_, i64> = std::array::from_fn(plane);
            let mut out = vec![0; TILE * TILE];
            tracer.advance(padded, &around, &[], order, &mut out);
            out
        };
        let scratch = || (Padded::new(), PaddedTracer::new());
        let tiles = (0..planes.len()).into_par_iter().map_init(scratch, step_tile);
        let tiles: Vec<Vec<i64>> = tiles.collect();
        let mut content = vec![0; self.content.len()];
        for (tile, plane) in tiles.iter().enumerate() {
            for (row, own) in self.rows(tile).zip(plane.chunks_exact(TILE)) {
                content[row].copy_from_slice(own);
            }
        }
        self.content = content;
        let (x, y, width) = (&self.transfer_x, &self.transfer_y, self.width());
        for cell in 0..self.depth.len() {
            let east = if (cell + 1) % width == 0 { cell + 1 - width } else { cell + 1 };
            let north = if cell + width < x.len() { cell + width } else { cell + width - x.len() };
            self.depth[cell] += x[cell] - x[east] + y[cell] - y[north];
        }
    }

    /// The rows of a tile, as ranges of cells.
    fn rows(&self, tile: usize) -> impl Iterator<Item = Range<usize>> + use<> {
        let corner = self.at(tile % self.tiles * TILE, tile / self.tiles * TILE);
        let width = self.width();
        (0..TILE).map(move |row| corner + row * width..corner + row * width + TILE)
    }

    fn fill(&self, padded: &mut Padded, tile: usize) {
        let width = self.width();
        let corner = (tile % self.tiles * TILE + width, tile / self.tiles * TILE + width);
        let columns: [usize; 72] = std::array::from_fn(|i| self.at(corner.0 + i - 4, 0));
        for (row, y) in (-4..68).zip(corner.1 - 4..) {
            let (to, from) = (index(-4, row), self.at(0, y));
            for (to, column) in (to..).zip(columns) {
                let from = from + column;
                padded.bed[to] = self.bed[from];
                padded.depth[to] = self.depth[from];
                padded.transfer_x[to] = self.transfer_x[from];
                padded.transfer_y[to] = self.transfer_y[from];
            }
        }
    }
}
