//! The cells of an area.

use crate::world::ActionError;
use crate::world::cells::WorldCells;
use thalweg_engine::grid::LeafId;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32};
use thalweg_engine::sim::reach::ActReach;
use thalweg_engine::terrain::{Shape, Span};

impl WorldCells<'_> {
    /// Returns the cells with ground in a shape, each with a part: for a cell of a coarser leaf,
    /// the part of its ground that is in the shape.
    pub(in crate::world) fn reach(self, area: &Shape) -> Result<ActReach, ActionError> {
        let mut reach = ActReach::default();
        self.each_place(area, &mut |_, (leaf, cell), weight| {
            let shift = self.simulation.forest().leaves()[leaf].level - self.site.base();
            let part = weight / (f64::from(1_u32 << shift) * f64::from(1_u32 << shift));
            reach.add(leaf, cell, part);
        })?;
        if reach.is_empty() {
            return Err(ActionError::NoGround);
        }
        reach.over(|leaf, cell| self.ground_part(leaf, cell));
        Ok(reach)
    }

    /// Returns the part of a cell that is ground.
    pub(super) fn ground_part(self, leaf: LeafId, cell: usize) -> f64 {
        self.simulation.ground(leaf).parts().map_or(1.0, |parts| parts.share(cell))
    }

    /// Calls the function with the cells of the simulated level in a shape that have ground, row by
    /// row, each with its leaf, its cell there, and its part of an action.
    pub(in crate::world) fn each_place(
        self,
        area: &Shape,
        tell: &mut dyn FnMut(CellPlace, (LeafId, usize), f64),
    ) -> Result<(), ActionError> {
        let width_m = self.cell_width_m();
        let forest = self.simulation.forest();
        let narrow = |place: usize| u32::try_from(place).expect("2²⁰ cells a side");
        let mut last = None;
        for Span { row, columns } in area.cells(self.size(), width_m)? {
            let y = narrow(row);
            let (mut x, end) = (narrow(columns.start), narrow(columns.end));
            while x < end {
                let Some((leaf, _)) = forest.locate_near(&mut last, CellPlace { x, y }) else {
                    // Leaves cover whole tiles of the base level, so the rest of this tile has no
                    // leaf either.
                    x = (x / TILE_WIDTH_U32 + 1) * TILE_WIDTH_U32;
                    continue;
                };
                let key = forest.leaves()[leaf];
                let shift = key.level - forest.base();
                let ground = self.simulation.ground(leaf);
                let leaf_end = ((key.x + 1) * TILE_WIDTH_U32) << shift;
                for x in x..end.min(leaf_end) {
                    let cell = CellPlace { x: x >> shift, y: y >> shift }.index_in_tile();
                    let place = CellPlace { x, y };
                    // A coarse cell with ground may cover base cells without. Beds in a file are
                    // not read for this: `None` counts as ground.
                    let is_ground = || shift == 0 || self.site.is_ground(place) != Some(false);
                    if ground.is_inside(cell) && is_ground() {
                        let [x_m, y_m] = [x, y].map(|v| (f64::from(v) + 0.5) * width_m);
                        let weight = area.weight(x_m, y_m);
                        if weight > 0.0 {
                            tell(place, (leaf, cell), weight);
                        }
                    }
                }
                x = end.min(leaf_end);
            }
        }
        Ok(())
    }
}
