//! Reading cells of any level, whatever the levels of the leaves there.

use crate::forest::Beside;
use crate::grid::TILE_WIDTH;
use crate::grid::TileKey;
use crate::grid::cells::CellPlace;
use crate::grid::cells::column_row;
use crate::probe::Query;
use crate::probe::sum::Sum;
use crate::units::limits;

/// Whether discharges are wanted: they cost a look at four more cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flows {
    Wanted,
    Unwanted,
}

/// A cell, or a mean of such, and the face it shares with another.
#[derive(Debug, Clone, Copy)]
struct Column {
    bed: f64,
    depth: f64,
    /// Unit discharge through the face, m²/s.
    flow: f64,
}

/// A query that remembers the leaf it read last: neighbouring cells mostly share one.
#[derive(Debug, Clone)]
pub(super) struct Cursor<'a> {
    query: Query<'a>,
    near: usize,
    flows: Flows,
}

/// What covers a tile.
enum Cover {
    /// This leaf, of the tile's level or a coarser one.
    Leaf(usize),
    /// Leaves of finer levels.
    Finer,
    /// No ground.
    Nothing,
}

impl<'a> Cursor<'a> {
    pub fn new(query: Query<'a>, near: usize, flows: Flows) -> Self {
        Self { query, near, flows }
    }

    /// The level of the world's simulated cells.
    pub fn base(&self) -> u8 {
        self.query.forest.base()
    }

    /// Value, and derivatives by cells eastward and northward, at a place in cells of `level` from
    /// the south-west corner: bilinear between the centres of four cells.
    pub fn stencil(&mut self, level: u8, place: [f64; 2]) -> [Sum; 3] {
        let at = place.map(|v| v - 0.5);
        let [x, y] = at.map(whole);
        #[expect(clippy::cast_precision_loss, reason = "below 2³³")]
        let [s, t] = [at[0] - x as f64, at[1] - y as f64];
        let mut sums = [Sum::default(); 3];
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let cell = self.cell(level, x + i, y + j);
            let (along_x, slope_x) = if i == 0 { (1.0 - s, -1.0) } else { (s, 1.0) };
            let (along_y, slope_y) = if j == 0 { (1.0 - t, -1.0) } else { (t, 1.0) };
            sums[0].add(along_x * along_y, &cell);
            sums[1].add(slope_x * along_y, &cell);
            sums[2].add(along_x * slope_y, &cell);
        }
        sums
    }

    /// The cell of `level` in column `x` and row `y`: itself, the mean of finer cells, or
    /// interpolated at its centre between coarser ones.
    pub fn cell(&mut self, level: u8, x: i64, y: i64) -> Sum {
        let Some(place) = cell_place(x, y) else { return Sum::default() };
        match self.cover(TileKey::of_cell(level, place)) {
            Cover::Nothing => Sum::default(),
            Cover::Finer => self.mean(level, x, y),
            Cover::Leaf(leaf) => {
                let own = self.query.forest.leaves()[leaf].level;
                if own == level {
                    return self.own(leaf, place.index_in_tile());
                }
                let cells = f64::from(1_u32 << (own - level));
                let centre = [place.x, place.y].map(|v| (f64::from(v) + 0.5) / cells);
                self.stencil(own, centre)[0]
            }
        }
    }

    /// True where a leaf of a coarser level holds the cell.
    pub fn is_coarser(&mut self, level: u8, x: i64, y: i64) -> bool {
        self.leaf_level(level, x, y).is_some_and(|own| own > level)
    }

    /// Level of the leaf that holds the cell, of the same level or a coarser one.
    pub fn leaf_level(&mut self, level: u8, x: i64, y: i64) -> Option<u8> {
        match self.cover(TileKey::of_cell(level, cell_place(x, y)?)) {
            Cover::Leaf(leaf) => Some(self.query.forest.leaves()[leaf].level),
            _ => None,
        }
    }

    fn mean(&mut self, level: u8, x: i64, y: i64) -> Sum {
        let mut mean = Sum::default();
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            mean.add(0.25, &self.cell(level - 1, 2 * x + i, 2 * y + j));
        }
        mean
    }

    fn cover(&mut self, key: TileKey) -> Cover {
        let leaves = self.query.forest.leaves();
        let holds = |leaf: &TileKey| leaf.level >= key.level && key.ancestor(leaf.level) == *leaf;
        if leaves.get(self.near).is_some_and(holds) {
            return Cover::Leaf(self.near);
        }
        if let Some(leaf) = self.query.forest.covering(key) {
            self.near = leaf;
            return Cover::Leaf(leaf);
        }
        // What a tile holds comes right after it in the order.
        let next = leaves.get(leaves.partition_point(|leaf| *leaf < key));
        match next {
            Some(leaf) if leaf.level < key.level && leaf.ancestor(key.level) == key => Cover::Finer,
            _ => Cover::Nothing,
        }
    }

    /// A cell of a leaf.
    fn own(&self, leaf: usize, cell: usize) -> Sum {
        let ground = self.query.leaves.ground(leaf);
        if !ground.is_inside(cell) {
            return Sum::default();
        }
        let (bed, depth) = (ground.bed[cell], self.query.leaves.water(leaf).depth[cell]);
        let mut sum = Sum { inside: 1.0, bed: f64::from(bed), ..Sum::default() };
        if depth >= self.query.wet {
            sum.wet = 1.0;
            sum.depth = f64::from(depth);
            sum.stage = f64::from(bed) + f64::from(depth);
            if self.flows == Flows::Wanted {
                sum.flow = [0, 1].map(|axis| self.discharge(leaf, cell, axis));
            }
        }
        sum
    }

    /// Unit discharge of a wet cell along an axis, m²/s: the mean of its two faces, no faster than
    /// the water on the faster of them (in a cell that fills, the mean alone would be).
    fn discharge(&self, leaf: usize, cell: usize, axis: usize) -> f64 {
        let here = self.inside_column(leaf, cell, self.plane(leaf, axis)[cell]);
        let Some(here) = here else { return 0.0 };
        let [before, behind] = [-1, 1].map(|step| self.beside(leaf, cell, axis, step));
        // Of a rim the first face is the cell's own.
        let first = before.map_or(here.flow, |column| column.flow);
        let second = behind.map_or(0.0, |column| column.flow);
        let on_first = self.speed(first, before, here);
        let on_second = self.speed(second, behind, here);
        let depth_m = here.depth * self.query.scale.unit_m();
        let speed = 0.5 * (first + second) / depth_m;
        let most = on_first.max(on_second).max(0.0);
        let least = on_first.min(on_second).min(0.0);
        speed.min(most).max(least) * depth_m
    }

    /// Velocity on a face, m/s: its unit discharge over its flow depth.
    fn speed(&self, flow: f64, beyond: Option<Column>, here: Column) -> f64 {
        let beyond = beyond.unwrap_or(here);
        let stage = (beyond.bed + beyond.depth).max(here.bed + here.depth);
        let opening_m = (stage - beyond.bed.max(here.bed)) * self.query.scale.unit_m();
        if opening_m < f64::from(limits::DEPTH_DRY_M) { 0.0 } else { flow / opening_m }
    }

    /// Unit discharges through the first faces of a leaf's cells along an axis.
    fn plane(&self, leaf: usize, axis: usize) -> &'a [f32] {
        let water = self.query.leaves.water(leaf);
        if axis == 0 { &water.flow_x } else { &water.flow_y }
    }

    /// A cell inside the world beside a face with this unit discharge.
    fn inside_column(&self, leaf: usize, cell: usize, flow: f32) -> Option<Column> {
        let ground = self.query.leaves.ground(leaf);
        ground.is_inside(cell).then(|| Column {
            bed: f64::from(ground.bed[cell]),
            depth: f64::from(self.query.leaves.water(leaf).depth[cell]),
            flow: f64::from(flow),
        })
    }

    /// The cell before (`step` −1) or behind (1) a cell along an axis: of a finer leaf the mean of
    /// the two that touch it, of a coarser leaf the one that does; `None` outside the world.
    fn beside(&self, leaf: usize, cell: usize, axis: usize, step: i64) -> Option<Column> {
        let stride = if axis == 0 { 1 } else { TILE_WIDTH };
        let along = cell / stride % TILE_WIDTH;
        let is_in_tile = if step < 0 { along > 0 } else { along + 1 < TILE_WIDTH };
        let (other, place) = if is_in_tile {
            (if step < 0 { cell - stride } else { cell + stride }, leaf)
        } else {
            let place = around_place(axis, step);
            let Beside::Same(beyond) = self.query.forest.beside(leaf)[place] else {
                return self.across_levels(leaf, cell, axis, step);
            };
            // The same row or column at the other end of the leaf next door.
            let across = (TILE_WIDTH - 1) * stride;
            (if step < 0 { cell + across } else { cell - across }, beyond as usize)
        };
        let face = if step < 0 { (leaf, cell) } else { (place, other) };
        self.inside_column(place, other, self.plane(face.0, axis)[face.1])
    }

    /// The same where a leaf of another level lies beyond. The finer leaf knows the faces.
    fn across_levels(&self, leaf: usize, cell: usize, axis: usize, step: i64) -> Option<Column> {
        let key = self.query.forest.leaves()[leaf];
        let (corner, (column, row)) = (key.corner(), column_row(cell));
        let mut place = [corner.x + column, corner.y + row].map(i64::from);
        place[axis] += step;
        let beyond = cell_place(place[0], place[1])?;
        if let Some(other) = self.query.forest.covering(TileKey::of_cell(key.level, beyond)) {
            let shift = self.query.forest.leaves()[other].level - key.level;
            let coarse = CellPlace { x: beyond.x >> shift, y: beyond.y >> shift };
            let flow = self.edge_flow(leaf, cell, axis, step < 0);
            return self.inside_column(other, coarse.index_in_tile(), flow);
        }
        let level = key.level.checked_sub(1)?;
        let touching = [0, 1].map(|along| {
            let mut child = place.map(|v| 2 * v + along);
            child[axis] = 2 * place[axis] + i64::from(step < 0);
            let child = cell_place(child[0], child[1])?;
            let other = self.query.forest.find(TileKey::of_cell(level, child))?;
            let fine = child.index_in_tile();
            self.inside_column(other, fine, self.edge_flow(other, fine, axis, step > 0))
        });
        match touching {
            [Some(a), Some(b)] => Some(Column {
                bed: 0.5 * (a.bed + b.bed),
                depth: 0.5 * (a.depth + b.depth),
                flow: 0.5 * (a.flow + b.flow),
            }),
            [one, other] => one.or(other).map(|one| Column { flow: 0.5 * one.flow, ..one }),
        }
    }

    /// Unit discharge through the first or the last face of a fine leaf's row or column.
    fn edge_flow(&self, leaf: usize, cell: usize, axis: usize, is_first: bool) -> f32 {
        if is_first {
            return self.plane(leaf, axis)[cell];
        }
        let row = self.query.leaves.edges(leaf).and_then(|edges| edges.beyond[axis].as_ref());
        let along = if axis == 0 { cell / TILE_WIDTH } else { cell % TILE_WIDTH };
        row.map_or(0.0, |row| row[along])
    }
}

/// Where in the list of surrounding leaves the one before or behind along an axis stands.
fn around_place(axis: usize, step: i64) -> usize {
    match (axis, step < 0) {
        (0, true) => 3,
        (0, false) => 5,
        (_, true) => 1,
        (_, false) => 7,
    }
}

/// A place among cells, if it is not beyond the numbers.
fn cell_place(x: i64, y: i64) -> Option<CellPlace> {
    Some(CellPlace { x: u32::try_from(x).ok()?, y: u32::try_from(y).ok()? })
}

#[expect(clippy::cast_possible_truncation, reason = "places lie below 2³³")]
fn whole(place: f64) -> i64 {
    place.floor() as i64
}
