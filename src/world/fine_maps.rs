//! Maps on cells of the base level while leaves change: the values of a coarse leaf are laid over
//! the finer beds.
//!
//! ```text
//! h_f = max(0, h_c + w·(z_c − z_f))     w = min(1, h_c / relief)     flat columns
//! h_f = what the finer cell holds up to the stage of the coarse one   sub-grid columns
//! ```
//!
//! *relief* is the difference of the highest and the lowest fine bed in the coarse cell: deep water
//! keeps its stage, a film its depth, and nothing is deeper than twice the coarse depth.
//!
//! Guarantees: a leaf of the base level shows its own planes, as in a run on one level; a recorded
//!             maximum or time stays when the leaf changes.
//! Limits:     one look after each cycle. Velocities are those of the coarse cell. Beds are those
//!             of the start: make new maps after an edit of the terrain.

use crate::probe::{LeafMaps, Query, QueryLeaves};
use crate::world::{LeafView, World};
use rayon::prelude::*;
use thalweg_engine::forest::Forest;
use thalweg_engine::forest::interfaces::LeafInterfaces;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{LeafId, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::tile::{Ground, MapKinds, NotKept, Water};
use thalweg_engine::units::{OUTSIDE, SimTime};

/// Flood maps of all tiles of the base level, for any leaves.
#[derive(Debug)]
pub struct FineMaps {
    forest: Forest,
    tiles: Vec<FineTile>,
    /// Maps of each tile.
    maps: Vec<LeafMaps>,
}

/// A tile of the base level with its present values.
#[derive(Debug)]
pub struct FineTile {
    key: TileKey,
    ground: Ground,
    /// At rest: the velocities are a separate field.
    water: Water,
    velocity: [Box<[f32]>; 2],
    /// A cell inside the world.
    inside: CellPlace,
}

/// The leaves of a world whose leaves are all of the base level.
impl QueryLeaves for FineMaps {
    fn forest(&self) -> &Forest {
        &self.forest
    }

    fn ground(&self, leaf: LeafId) -> &Ground {
        &self.tiles[leaf].ground
    }

    fn water(&self, leaf: LeafId) -> &Water {
        &self.tiles[leaf].water
    }

    fn interfaces(&self, _: LeafId) -> Option<&LeafInterfaces> {
        None
    }
}

impl FineMaps {
    /// Makes maps of a world whose leaves are all of the base level as yet; cells count as wet from
    /// `wet_depth_m` on, at least one vertical unit.
    ///
    /// # Errors
    ///
    /// [`NotKept`] if the world keeps no velocities.
    ///
    /// # Panics
    ///
    /// If a leaf is coarser than the base level.
    pub fn new(world: &World, wet_depth_m: f64) -> Result<Self, NotKept> {
        world.maps().kinds().check(MapKinds::VELOCITY)?;
        let base = world.extent().base();
        assert!(world.leaves().keys().iter().all(|key| key.level == base), "leaves of the base");
        let scale = world.scale();
        let threshold = scale.depth_units(wet_depth_m).unwrap_or(1);
        let tile = |leaf: LeafView<'_>| {
            let (key, ground) = (leaf.key(), leaf.ground().clone());
            let first = ground.bed.iter().position(|&bed| bed != OUTSIDE).unwrap_or(0);
            let velocity = [(); 2].map(|()| vec![0.0; TILE_CELLS].into());
            let water = Water { depth: leaf.depth().into(), ..Water::dry() };
            FineTile { key, ground, water, velocity, inside: key.place(first) }
        };
        let tiles: Vec<FineTile> = world.leaves().iter().map(tile).collect();
        let maps = |FineTile { ground, water, .. }: &FineTile| {
            let looked_by = (threshold, scale.unit_m());
            LeafMaps::new(MapKinds::ALL, (ground, &water.depth), looked_by, world.time())
        };
        let forest = world.simulation.forest().clone();
        Ok(Self { maps: tiles.iter().map(maps).collect(), tiles, forest })
    }

    /// Records the present water of all leaves that are awake: call it after each cycle, with the
    /// world of [`FineMaps::new`].
    pub fn look(&mut self, world: &World) {
        let pairs = self.tiles.par_iter_mut().zip(&mut self.maps);
        pairs.for_each(|(tile, maps)| tile.look(world, maps));
    }

    /// Adds the time since the last look to the durations of sleeping leaves.
    pub fn bring_up_to_date(&mut self, time: SimTime) {
        self.maps.iter_mut().for_each(|maps| maps.pass(time));
    }

    /// Returns the tiles, along the order of [`TileKey`].
    #[must_use]
    pub fn tiles(&self) -> &[FineTile] {
        &self.tiles
    }

    /// Returns the maps of the tiles, in their order.
    #[must_use]
    pub fn maps(&self) -> &[LeafMaps] {
        &self.maps
    }

    /// Questions to the water that the tiles show, with the terrain of `world`.
    #[must_use]
    pub fn query<'a>(&'a self, world: &'a World) -> Query<'a> {
        Query::new(self, world.scale(), world.cell_width_m()).on(world.terrain())
    }

    /// Same as [`FineMaps::query`], of the highest water of each cell, each at its own time.
    #[must_use]
    pub fn maxima<'a>(&'a self, world: &'a World) -> Query<'a> {
        self.query(world).at_peak(&self.maps)
    }
}

impl FineTile {
    /// Returns the tile's key.
    #[must_use]
    pub fn key(&self) -> TileKey {
        self.key
    }

    /// Returns the beds, vertical units, and tables of sub-grid columns.
    #[must_use]
    pub fn ground(&self) -> &Ground {
        &self.ground
    }

    /// Returns the shown depths, vertical units over the whole cell.
    #[must_use]
    pub fn depth(&self) -> &[i32] {
        &self.water.depth
    }

    /// Velocities that it shows, to the east and to the north, m/s.
    #[must_use]
    pub fn velocity(&self) -> [&[f32]; 2] {
        self.velocity.each_ref().map(|plane| &plane[..])
    }

    /// Returns the cells of a block of `width` × `width` cells whose south-west one is `first`.
    pub fn block(first: usize, width: usize) -> impl Iterator<Item = usize> {
        let rows = (0..width).map(move |row| first + row * TILE_WIDTH);
        rows.flat_map(move |row| row..row + width)
    }

    /// Returns the difference of the highest and the lowest bed in a block, vertical units; 0 if
    /// the block is outside the world.
    #[must_use]
    pub fn relief(&self, first: usize, width: usize) -> i32 {
        let beds = || Self::block(first, width).map(|cell| self.ground.bed[cell]);
        let inside = || beds().filter(|&bed| bed != OUTSIDE);
        inside().max().unwrap_or(0) - inside().min().unwrap_or(0)
    }

    fn look(&mut self, world: &World, seen: &mut LeafMaps) {
        let Some(leaf) = world.leaves().at(self.inside).filter(|leaf| !leaf.is_asleep()) else {
            return;
        };
        let steps = leaf.key().level - self.key.level;
        let (ground, depth) = (leaf.ground(), leaf.depth());
        let velocity = leaf.maps().velocity().expect("checked when the maps were made");
        if steps == 0 {
            self.water.depth.copy_from_slice(depth);
            for (own, plane) in self.velocity.iter_mut().zip(velocity) {
                own.copy_from_slice(plane);
            }
        } else {
            for (coarse, block) in blocks(self.key, steps) {
                if ground.columns.is_some() {
                    self.stand_over(block, 1 << steps, (ground, coarse), depth[coarse]);
                } else {
                    self.lay_over(block, 1 << steps, (ground.bed[coarse], depth[coarse]));
                }
                for (own, plane) in self.velocity.iter_mut().zip(velocity) {
                    Self::block(block, 1 << steps).for_each(|cell| own[cell] = plane[coarse]);
                }
            }
        }
        let [u, v] = &self.velocity;
        let depth = &self.water.depth;
        if self.ground.columns.is_some() {
            let deepest = self.deepest();
            seen.look_at(world.time(), depth, &deepest, [u, v]);
        } else {
            seen.look_at(world.time(), depth, depth, [u, v]);
        }
    }

    /// Returns the depths over the lowest beds, vertical units.
    fn deepest(&self) -> Vec<i32> {
        let cells = self.water.depth.iter().enumerate();
        let deepest = |(cell, &depth): (usize, &i32)| match depth {
            0 => 0,
            _ => self.ground.deepest(cell, depth),
        };
        cells.map(deepest).collect()
    }

    /// Fills a block of fine cells up to the stage of a coarse one with a table.
    fn stand_over(
        &mut self,
        block: usize,
        width: usize,
        (ground, coarse): (&Ground, usize),
        depth: i32,
    ) {
        let stage = ground.stage(coarse, depth);
        for cell in Self::block(block, width) {
            let is_wet = depth > 0 && self.ground.is_inside(cell);
            self.water.depth[cell] = if is_wet { self.ground.holds(cell, stage) } else { 0 };
        }
    }

    /// Lays a coarse bed and depth over a block of fine cells.
    fn lay_over(&mut self, block: usize, width: usize, (bed, depth): (i32, i32)) {
        let relief = i64::from(self.relief(block, width));
        let (bed, depth) = (i64::from(bed), i64::from(depth));
        for cell in Self::block(block, width) {
            let fine = self.ground.bed[cell];
            let above = bed - i64::from(fine);
            // `above` and `depth` are below 2³¹, so their product needs 62 bits.
            let part = if depth < relief { above * depth / relief } else { above };
            let laid = if fine == OUTSIDE || depth == 0 { 0 } else { (depth + part).max(0) };
            self.water.depth[cell] = i32::try_from(laid).unwrap_or(i32::MAX);
        }
    }
}

/// Returns the blocks of a tile that are cells of a leaf `steps` levels coarser: index of the cell
/// in that leaf, and the block's first cell in the tile.
fn blocks(key: TileKey, steps: u8) -> impl Iterator<Item = (usize, usize)> {
    let count = TILE_WIDTH >> steps;
    // Position of the tile in the leaf, tiles.
    let mask = (1_u32 << steps) - 1;
    let [west, south] = [key.x & mask, key.y & mask].map(|at| at as usize * count);
    (0..count).flat_map(move |y| {
        (0..count).map(move |x| {
            ((south + y) * TILE_WIDTH + west + x, (y << steps) * TILE_WIDTH + (x << steps))
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_a_tile_are_the_cells_of_its_quarter_of_the_leaf() {
        let key = TileKey { level: 1, x: 5, y: 2 };
        let found: Vec<_> = blocks(key, 1).collect();
        assert_eq!(found.len(), 32 * 32);
        assert_eq!((found[0], found[1]), ((32, 0), (33, 2)));
        assert_eq!(found[32], (TILE_WIDTH + 32, 2 * TILE_WIDTH));
        let all: Vec<usize> =
            found.iter().flat_map(|&(_, block)| FineTile::block(block, 2)).collect();
        assert_eq!((all.len(), all.iter().max()), (TILE_CELLS, Some(&(TILE_CELLS - 1))));
    }

    #[test]
    fn deep_water_keeps_its_stage_and_a_film_its_depth() {
        let mut bed = vec![OUTSIDE; TILE_CELLS];
        for (cell, z) in FineTile::block(0, 2).zip([-30, -10, 10, 30]) {
            bed[cell] = z;
        }
        let mut tile = FineTile {
            key: TileKey { level: 0, x: 0, y: 0 },
            ground: Ground::flat(bed.into()),
            water: Water::dry(),
            velocity: [(); 2].map(|()| vec![0.0; TILE_CELLS].into()),
            inside: CellPlace { x: 0, y: 0 },
        };
        for (coarse, expected) in
            [(100, [130, 110, 90, 70]), (6, [9, 7, 5, 3]), (0, [0; 4]), (60, [90, 70, 50, 30])]
        {
            tile.lay_over(0, 2, (0, coarse));
            let found: Vec<i32> =
                FineTile::block(0, 2).map(|cell| tile.water.depth[cell]).collect();
            assert_eq!(found, expected, "{coarse}");
        }
    }
}
