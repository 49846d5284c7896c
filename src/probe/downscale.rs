//! Reading finest cells below coarse leaves, and the links of each coarse cell to its neighbours.

use crate::probe::Query;
use crate::probe::below::{
    CellsBelow, CoarsePatch, StageAndRise, StandBeside, WaterLink, face_of, pour,
};
use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::sum::CellSum;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{LeafId, Side, TILE_WIDTH, TileKey};
use thalweg_engine::tile::columns::Columns;
use thalweg_engine::units::OUTSIDE;

impl Query<'_> {
    /// Returns the stages of a cell of a leaf, if it is wet.
    pub(super) fn stand(&self, leaf: LeafId, cell: usize) -> Option<StageAndRise> {
        let ground = self.leaves.ground(leaf);
        let depth = self.depth(leaf)[cell];
        let is_wet = ground.is_inside(cell) && self.is_wet(leaf, cell);
        is_wet.then(|| StageAndRise {
            stage: ground.stage(cell, depth),
            next: ground.stage(cell, depth.saturating_add(1)),
        })
    }

    /// Calls `draw` with each wet cell of a leaf with sub-grid columns and the depths of the finest
    /// cells below it, vertical units, rows from south to north. Cells whose deepest place has less
    /// than `joined_from` are not joined to their neighbours: their water has one stage.
    ///
    /// Nothing is drawn for a tile that is not a leaf, for a leaf without sub-grid columns, or if
    /// the terrain is not in memory.
    pub fn depths_below(
        &self,
        key: TileKey,
        joined_from: i32,
        mut draw: impl FnMut(usize, &[i32]),
    ) {
        let is_own = |leaf: &LeafId| self.forest.leaves()[*leaf] == key;
        let Some(leaf) = self.forest.covering(key).filter(is_own) else { return };
        let mut cursor = Cursor::of_leaves(*self, leaf, DischargeNeed::Unwanted);
        let (Some(beds), true) = (self.finest, cursor.tables(leaf).is_some()) else { return };
        let (ground, depths) = (self.leaves.ground(leaf), self.depth(leaf));
        for (cell, &depth) in depths.iter().enumerate().filter(|(_, depth)| **depth > 0) {
            if !ground.is_inside(cell) {
                continue;
            }
            let place = key.place(cell);
            if ground.deepest(cell, depth) >= joined_from {
                draw(cell, &cursor.lay(leaf, cell, place).depth);
            } else {
                // `lay` makes a different surface, and must not take this one for its own.
                cursor.below.whose = None;
                cursor.below.dry(beds, place, key.level);
                cursor.below.fill(&CoarsePatch::level(ground.stage(cell, depth)));
                draw(cell, &cursor.below.depth);
            }
        }
    }
}

impl<'a> Cursor<'a> {
    /// Returns the tables of a leaf, if it can be downscaled.
    pub fn tables(&self, leaf: LeafId) -> Option<&'a Columns> {
        self.query.finest.and(self.query.leaves.ground(leaf).columns.as_deref())
    }

    /// Returns a finest cell below a leaf with tables.
    pub fn finest(&mut self, leaf: LeafId, place: CellPlace) -> CellSum {
        let level = self.query.forest.leaves()[leaf].level;
        let coarse = CellPlace { x: place.x >> level, y: place.y >> level };
        let cell = coarse.index_in_tile();
        self.lay(leaf, cell, coarse);
        let within = |v: u32| v as usize & ((1 << level) - 1);
        let at = (within(place.y) << level) + within(place.x);
        let (bed, depth) = (self.below.bed[at], self.below.depth[at]);
        // A place outside the leaf's ground is outside, even if the terrain has ground there.
        if bed == OUTSIDE || !self.query.leaves.ground(leaf).is_inside(cell) {
            return CellSum::default();
        }
        let mut sum = CellSum { inside: 1.0, bed: f64::from(bed), ..CellSum::default() };
        if depth >= self.query.wet {
            sum.wet = 1.0;
            sum.depth = f64::from(depth);
            sum.stage = f64::from(bed) + sum.depth;
            let depth_m = sum.depth * self.query.scale.unit_m();
            sum.flow = self.below.velocity.map(|velocity| velocity * depth_m);
        }
        sum
    }

    /// Returns the finest cells below a cell of a leaf with tables, at a place of its level.
    pub fn lay(&mut self, leaf: LeafId, cell: usize, place: CellPlace) -> &CellsBelow {
        if self.below.whose != Some((leaf, cell)) {
            self.go_to(leaf);
            self.lay_below(leaf, cell, place);
        }
        &self.below
    }

    /// Downscales a cell.
    fn lay_below(&mut self, leaf: LeafId, cell: usize, place: CellPlace) {
        let mut below = std::mem::take(&mut self.below);
        below.whose = Some((leaf, cell));
        let level = self.query.forest.leaves()[leaf].level;
        if let Some(beds) = self.query.finest {
            below.dry(beds, place, level);
            if let Some(own) = self.stand(leaf, cell) {
                let links = Side::ALL.map(|side| self.link(leaf, cell, own, side));
                below.fill(&self.patch(own, links));
                for (side, link) in Side::ALL.into_iter().zip(links) {
                    if let WaterLink::Fed(over) = link {
                        pour(&mut below, beds, place, side, (over, own.stage));
                    }
                }
                // Streams come on top of the cell's own water: without this, a cell would show more
                // than it has.
                if links.iter().any(|link| matches!(link, WaterLink::Fed(_))) {
                    below.keep_to(self.query.depth(leaf)[cell]);
                }
                if self.flows == DischargeNeed::Wanted {
                    below.velocity = self.velocity(leaf, cell);
                }
            }
        }
        self.below = below;
    }

    /// Returns the stages of the cell beyond a side, if it is wet, and which it is if of the same
    /// level.
    fn beyond(&mut self, leaf: LeafId, cell: usize, side: Side) -> Option<StandBeside> {
        let (column, row) = column_row(cell);
        let last = TILE_WIDTH - 1;
        let within = match side {
            Side::West => (column > 0).then(|| cell - 1),
            Side::East => ((column as usize) < last).then(|| cell + 1),
            Side::South => (row > 0).then(|| cell - TILE_WIDTH),
            Side::North => ((row as usize) < last).then(|| cell + TILE_WIDTH),
        };
        if let Some(other) = within {
            return Some((self.stand(leaf, other)?, Some((leaf, other))));
        }
        let key = self.query.forest.leaves()[leaf];
        let (corner, (dx, dy)) = (key.corner(), side.offset());
        let x = (corner.x + column).checked_add_signed(dx)?;
        let y = (corner.y + row).checked_add_signed(dy)?;
        self.stand_at(key.level, CellPlace { x, y })
    }

    /// Returns a patch over a cell from the links around it.
    fn patch(&mut self, own: StageAndRise, links: [WaterLink; 4]) -> CoarsePatch {
        let faces = links.map(|link| link.rise(own));
        let corners = [(0, 2), (1, 2), (0, 3), (1, 3)].map(|(x, y)| {
            let aslant =
                self.around(links[x], Side::ALL[y]).or_else(|| self.around(links[y], Side::ALL[x]));
            aslant.map_or(faces[x].saturating_add(faces[y]), |beyond| own.rise_to(beyond))
        });
        // A lake's cells round down to the resolution of their depths: all get the highest stage.
        let joined = links.into_iter().filter_map(|link| match link {
            WaterLink::Joined(beyond, _) => Some(beyond),
            _ => None,
        });
        let same = joined.filter(|beyond| own.rise_to(*beyond) == 0);
        let stage = same.map(|beyond| beyond.stage).fold(own.stage, i32::max);
        CoarsePatch { stage, faces, corners }
    }

    /// Returns the stages of the cell joined to the one beyond a joined face, over a second side of
    /// it.
    fn around(&mut self, link: WaterLink, side: Side) -> Option<StageAndRise> {
        let WaterLink::Joined(stand, Some((leaf, cell))) = link else { return None };
        match self.link(leaf, cell, stand, side) {
            WaterLink::Joined(beyond, _) => Some(beyond),
            _ => None,
        }
    }

    /// Returns the link of a cell of stages `own` over a side.
    fn link(&mut self, leaf: LeafId, cell: usize, own: StageAndRise, side: Side) -> WaterLink {
        let Some((beyond, whose)) = self.beyond(leaf, cell, side) else { return WaterLink::Closed };
        let Some(columns) = self.tables(leaf) else { return WaterLink::Closed };
        let (table, face) = face_of(columns, cell, side);
        let sill = table.faces[face].sill;
        if own.stage.max(beyond.stage) <= sill {
            return WaterLink::Closed;
        }
        if own.stage.min(beyond.stage) > sill {
            return WaterLink::Joined(beyond, whose);
        }
        let is_before = matches!(side, Side::East | Side::North);
        let (before, behind) =
            if is_before { (own.stage, beyond.stage) } else { (beyond.stage, own.stage) };
        let over = table.stage_over(face, (before, behind));
        if own.stage > beyond.stage { WaterLink::Falls(over) } else { WaterLink::Fed(over) }
    }
}
