//! A sea without ends whose transfers are given: what a kernel of one tile is tried on.
use rayon::prelude::*;
use thalweg::flow::tracer::PaddedTracer;
use thalweg::sim::Order;
use thalweg::tile::frame::PlanesAround;
use thalweg::tile::padded::Padded;
use thalweg::tile::padded::index;

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

    /// The cells west, east, south and north of one.
    pub fn beside(&self, cell: usize) -> [usize; 4] {
        let width = self.width();
        let (x, y) = (cell % width + width, cell / width + width);
        [self.at(x - 1, y), self.at(x + 1, y), self.at(x, y - 1), self.at(x, y + 1)]
    }

    /// One step of water and content.
    pub fn step(&mut self, order: Order) {
        let planes: Vec<Vec<i64>> =
            (0..self.tiles.pow(2)).map(|tile| self.cut_out(tile, &self.content)).collect();
        let step_tile = |(padded, tracer): &mut (Padded, PaddedTracer), tile: usize| {
            self.fill(padded, tile);
            let (x, y) = (tile % self.tiles + self.tiles, tile / self.tiles + self.tiles);
            let plane = |i: usize| {
                let (x, y) = ((x + i % 3 - 1) % self.tiles, (y + i / 3 - 1) % self.tiles);
                Some(&*planes[y * self.tiles + x])
            };
            let around: PlanesAround<'_, i64> = std::array::from_fn(plane);
            let mut out = vec![0; TILE * TILE];
            tracer.advance(padded, &around, order, &mut out);
            out
        };
        let scratch = || (Padded::new(), PaddedTracer::new());
        let tiles = (0..planes.len()).into_par_iter().map_init(scratch, step_tile);
        let tiles: Vec<Vec<i64>> = tiles.collect();
        let mut content = vec![0; self.content.len()];
        for (tile, i) in (0..tiles.len()).flat_map(|tile| (0..TILE * TILE).map(move |i| (tile, i)))
        {
            content[self.cell(tile, i)] = tiles[tile][i];
        }
        self.content = content;
        let depth = (0..self.depth.len()).map(|cell| {
            let [_, east, _, north] = self.beside(cell);
            self.depth[cell] + self.transfer_x[cell] - self.transfer_x[east] + self.transfer_y[cell]
                - self.transfer_y[north]
        });
        self.depth = depth.collect();
    }

    fn cell(&self, tile: usize, i: usize) -> usize {
        let corner = (tile % self.tiles * TILE, tile / self.tiles * TILE);
        self.at(corner.0 + i % TILE, corner.1 + i / TILE)
    }

    fn cut_out<T: Copy>(&self, tile: usize, plane: &[T]) -> Vec<T> {
        (0..TILE * TILE).map(|i| plane[self.cell(tile, i)]).collect()
    }

    fn fill(&self, padded: &mut Padded, tile: usize) {
        let width = self.width();
        let (x, y) = (tile % self.tiles * TILE + width, tile / self.tiles * TILE + width);
        for (row, y) in (-4..68).zip(y - 4..) {
            for (column, x) in (-4..68).zip(x - 4..) {
                let (to, from) = (index(column, row), self.at(x, y));
                padded.bed[to] = self.bed[from];
                padded.depth[to] = self.depth[from];
                padded.transfer_x[to] = self.transfer_x[from];
                padded.transfer_y[to] = self.transfer_y[from];
            }
        }
    }
}
