//! A layer follows leaves that change.
//!
//! ```text
//! Cᵢ = C aᵢ / Σ a     of a cell that is split; a: areas of the wet cells below it
//! C  = Σ Cᵢ           of cells that are merged
//! ```
//!
//! T(A) = ⌊C A / Σ a⌋ is the content of the first cells, of area A together, one after the other,
//! so the sum is exact. If no cell below is wet, all cells with ground share. Leaves may have
//! changed by any number of levels since a layer was moved last.

use super::{LayerContent, LayerError, VisualLayer, nothing};
use crate::world::World;
use std::sync::Arc;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{LeafId, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::sim::simulation::Simulation;
use thalweg_engine::tile::Ground;
use thalweg_engine::tile::halo_plane::PlaceIn;

impl VisualLayer {
    /// Moves content on leaves that no longer exist to the present ones.
    ///
    /// # Errors
    ///
    /// [`LayerError`] if the layer does not fit this world; nothing changes then.
    pub(super) fn follow(&mut self, world: &World) -> Result<(), LayerError> {
        let simulation = world.simulation();
        let forest = simulation.forest();
        // The weak reference keeps the allocation, so no later world can have its address.
        if !std::ptr::eq(self.seen.as_ptr(), Arc::as_ptr(&world.saved)) {
            self.check(simulation)?;
            self.seen = Arc::downgrade(&world.saved);
        }
        let is_gone = |key: &&TileKey| forest.find(**key).is_none();
        let gone: Vec<TileKey> = self.planes.keys().filter(is_gone).copied().collect();
        for key in gone {
            let Some(content) = self.planes.remove(&key) else { continue };
            match forest.covering(key) {
                Some(leaf) => self.merge(&content, key, forest.leaves()[leaf]),
                None => self.split(&content, key, simulation),
            }
        }
        Ok(())
    }

    /// Checks that all content is on ground of a world.
    fn check(&self, simulation: &Simulation) -> Result<(), LayerError> {
        let forest = simulation.forest();
        if forest.base() != self.base {
            return Err(LayerError::OtherCells { made_for: self.base, here: forest.base() });
        }
        for (&tile, content) in &self.planes {
            let mut has_ground = [false; TILE_CELLS];
            let cell_of = |place: &PlaceIn, cell| place.cell(cell % TILE_WIDTH, cell / TILE_WIDTH);
            if let Some(leaf) = forest.covering(tile) {
                let place = PlaceIn::of(tile, forest.leaves()[leaf]);
                let ground = simulation.ground(leaf);
                for (cell, has_ground) in has_ground.iter_mut().enumerate() {
                    *has_ground = ground.is_inside(cell_of(&place, cell));
                }
            }
            for leaf in leaves_below(simulation, tile) {
                for (fine, coarse) in leaf.cells() {
                    has_ground[coarse] |= leaf.ground.is_inside(fine);
                }
            }
            let is_lost = |&cell: &usize| content[cell] != 0 && !has_ground[cell];
            if let Some(cell) = (0..TILE_CELLS).find(is_lost) {
                let (corner, (x, y)) = (tile.corner(), column_row(cell));
                let place = CellPlace { x: corner.x + x, y: corner.y + y };
                return Err(LayerError::NoGround { tile, place });
            }
        }
        Ok(())
    }

    /// Adds up content of a tile that a coarser leaf now contains.
    fn merge(&mut self, content: &LayerContent, tile: TileKey, leaf: TileKey) {
        let place = PlaceIn::of(tile, leaf);
        let coarse = self.planes.entry(leaf).or_insert_with(nothing);
        for (cell, content) in content.iter().enumerate() {
            coarse[place.cell(cell % TILE_WIDTH, cell / TILE_WIDTH)] += content;
        }
    }

    /// Shares the content of a tile among the finer leaves that it now contains.
    fn split(&mut self, content: &LayerContent, tile: TileKey, simulation: &Simulation) {
        let below = leaves_below(simulation, tile);
        let [mut wet, mut inside] = [(); 2].map(|()| vec![0_i128; TILE_CELLS]);
        for leaf in &below {
            for (fine, coarse) in leaf.cells() {
                wet[coarse] += if leaf.is_wet(fine) { leaf.area } else { 0 };
                inside[coarse] += if leaf.ground.is_inside(fine) { leaf.area } else { 0 };
            }
        }
        let (mut taken, mut given) = (vec![0_i128; TILE_CELLS], nothing());
        for leaf in &below {
            let own = self.planes.entry(leaf.key).or_insert_with(nothing);
            for (fine, coarse) in leaf.cells().filter(|&(_, coarse)| content[coarse] != 0) {
                let (all, shares) = match wet[coarse] {
                    0 => (inside[coarse], leaf.ground.is_inside(fine)),
                    wet => (wet, leaf.is_wet(fine)),
                };
                if shares {
                    taken[coarse] += leaf.area;
                    // A content has up to 62 bits, so its product with an area does not fit an i64.
                    let until = i128::from(content[coarse]) * taken[coarse] / all;
                    let until = i64::try_from(until).expect("at most the content");
                    own[fine] += until - given[coarse];
                    given[coarse] = until;
                }
            }
        }
        thalweg_engine::checked!(given == *content, "all is shared");
    }
}

/// A leaf below a coarser tile.
struct LeafBelow<'a> {
    key: TileKey,
    place: PlaceIn,
    ground: &'a Ground,
    depth: &'a [i32],
    /// Area of a cell, finest cells.
    area: i128,
}

impl LeafBelow<'_> {
    /// Returns cells of the leaf, each with the cell of the tile that contains it.
    fn cells(&self) -> impl Iterator<Item = (usize, usize)> {
        let place = self.place;
        (0..TILE_CELLS).map(move |cell| (cell, place.cell(cell % TILE_WIDTH, cell / TILE_WIDTH)))
    }

    fn is_wet(&self, cell: usize) -> bool {
        self.depth[cell] > 0
    }
}

/// Returns the leaves below a tile that is not a leaf, in their order.
fn leaves_below(simulation: &Simulation, tile: TileKey) -> Vec<LeafBelow<'_>> {
    let forest = simulation.forest();
    let first = forest.leaves().partition_point(|leaf| *leaf <= tile);
    let is_below = |key: &TileKey| key.level < tile.level && key.ancestor(tile.level) == tile;
    let below = (first..).zip(&forest.leaves()[first..]).take_while(|(_, key)| is_below(key));
    let leaf_of = |(index, &key): (usize, &TileKey)| {
        let leaf = LeafId::new(index);
        LeafBelow {
            key,
            place: PlaceIn::of(key, tile),
            ground: simulation.ground(leaf),
            depth: &simulation.water(leaf).depth,
            area: 1 << (2 * (key.level - forest.base())),
        }
    };
    below.map(leaf_of).collect()
}
