//! Velocities of cells, from the discharges of the faces around them.

use crate::probe::Query;
use crate::probe::below::face_of;
use crate::probe::cursor::{Cursor, DischargeNeed, cell_place};
use thalweg_engine::forest::Neighbour;
use thalweg_engine::grid::cells::{CellPlace, column_row};
use thalweg_engine::grid::{Axis, LeafId, Side, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::tile::CowPlane;
use thalweg_engine::tile::columns::ColumnSides;
use thalweg_engine::units::limits;

/// A cell, or a mean of cells, and the face it shares with a neighbour.
#[derive(Debug, Clone, Copy)]
struct FaceColumn {
    bed: f64,
    stage: f64,
    depth: f64,
    /// Unit discharge through the face, m²/s.
    flow: f64,
}

impl FaceColumn {
    /// Returns the flow depth between this and a second flat column, vertical units.
    fn opening(&self, other: Self) -> f64 {
        self.stage.max(other.stage) - self.bed.max(other.bed)
    }
}

impl Query<'_> {
    /// Returns the velocities of the cells of a leaf, eastward and northward, m/s: from its maps,
    /// or, if no maps are kept, from its discharges; 0 in dry cells.
    pub(crate) fn velocities(&self, leaf: LeafId) -> [CowPlane<f32>; 2] {
        if let Some(maps) = self.flows {
            return maps[leaf].velocity().expect("checked when they were given").clone();
        }
        let mut planes = [(); 2].map(|()| CowPlane::zeros());
        if self.depth(leaf).iter().all(|&depth| depth == 0) {
            return planes;
        }
        let [east, north] = &mut planes;
        let (east, north): (&mut [f32], &mut [f32]) = (east, north);
        for cell in 0..TILE_CELLS {
            [east[cell], north[cell]] = self.velocity_in(leaf, cell).map(rounded);
        }
        planes
    }

    /// Returns the velocity of a cell of a leaf, eastward and northward, m/s, as
    /// [`Query::velocities`].
    pub(crate) fn velocity_in(&self, leaf: LeafId, cell: usize) -> [f64; 2] {
        let cursor = Cursor::new(*self, leaf, DischargeNeed::Wanted);
        match self.flows.is_some() || self.is_wet(leaf, cell) {
            true => cursor.velocity(leaf, cell),
            false => [0.0; 2],
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
fn rounded(velocity: f64) -> f32 {
    velocity as f32
}

impl<'a> Cursor<'a> {
    /// Returns the velocity of a wet cell, m/s: discharges of its faces over their flow depths or
    /// openings, no faster than the water on the faster of them (in a cell that fills, the mean
    /// alone would be); 0 for maxima.
    pub fn velocity(&self, leaf: LeafId, cell: usize) -> [f64; 2] {
        if self.query.maxima.is_some() {
            return [0.0; 2];
        }
        if let Some(maps) = self.query.flows {
            let planes = maps[leaf].velocity().expect("checked when they were given");
            return planes.each_ref().map(|plane| f64::from(plane[cell]));
        }
        Axis::ALL.map(|axis| self.velocity_along(leaf, cell, axis))
    }

    fn velocity_along(&self, leaf: LeafId, cell: usize, axis: Axis) -> f64 {
        let here = self.inside_column(leaf, cell, self.plane(leaf, axis)[cell]);
        let Some(here) = here else { return 0.0 };
        let [before, behind] = [-1, 1].map(|step| self.beside(leaf, cell, axis, step));
        // The first of a side's faces is the cell's own.
        let first = before.map_or(here.flow, |column| column.flow);
        let second = behind.map_or(0.0, |column| column.flow);
        let opening = |beyond: Option<FaceColumn>, side: Side| match self.tables(leaf) {
            Some(columns) => beyond.map_or(0.0, |beyond| {
                let is_before = matches!(side, Side::West | Side::South);
                let (before, behind) = if is_before { (beyond, here) } else { (here, beyond) };
                let sides = ColumnSides {
                    stages: (nearest(before.stage), nearest(behind.stage)),
                    depths: (nearest(before.depth), nearest(behind.depth)),
                    across: (0, 0),
                };
                let (table, face) = face_of(columns, cell, side);
                f64::from(table.between(face, sides).area)
            }),
            None => here.opening(beyond.unwrap_or(here)),
        };
        let sides = Side::of(axis);
        let unit_m = self.query.scale.unit_m();
        let openings_m = [opening(before, sides[0]), opening(behind, sides[1])].map(|h| h * unit_m);
        let speed = |flow: f64, opening_m: f64| {
            if opening_m < f64::from(limits::DEPTH_DRY_M) { 0.0 } else { flow / opening_m }
        };
        let (on_first, on_second) = (speed(first, openings_m[0]), speed(second, openings_m[1]));
        let mean = if self.tables(leaf).is_some() {
            speed(first + second, openings_m[0] + openings_m[1])
        } else {
            0.5 * (first + second) / ((here.stage - here.bed) * unit_m)
        };
        let most = on_first.max(on_second).max(0.0);
        let least = on_first.min(on_second).min(0.0);
        mean.min(most).max(least)
    }

    /// Returns the unit discharges through the first faces of a leaf's cells along an axis.
    fn plane(&self, leaf: LeafId, axis: Axis) -> &'a [f32] {
        let water = self.query.leaves.water(leaf);
        if axis == Axis::X { &water.flow_x } else { &water.flow_y }
    }

    /// Returns a cell inside the world beside a face with this unit discharge.
    fn inside_column(&self, leaf: LeafId, cell: usize, flow: f32) -> Option<FaceColumn> {
        let ground = self.query.leaves.ground(leaf);
        let depth = self.query.leaves.water(leaf).depth[cell];
        ground.is_inside(cell).then(|| FaceColumn {
            bed: f64::from(ground.bed[cell]),
            stage: f64::from(ground.stage(cell, depth)),
            depth: f64::from(depth),
            flow: f64::from(flow),
        })
    }

    /// Returns the cell before (`step` −1) or behind (1) a cell along an axis: in a finer leaf the
    /// mean of the two that touch it, in a coarser leaf the one that touches it; `None` outside the
    /// world.
    fn beside(&self, leaf: LeafId, cell: usize, axis: Axis, step: i64) -> Option<FaceColumn> {
        let stride = if axis == Axis::X { 1 } else { TILE_WIDTH };
        let along = cell / stride % TILE_WIDTH;
        let is_in_tile = if step < 0 { along > 0 } else { along + 1 < TILE_WIDTH };
        let (other, place) = if is_in_tile {
            (if step < 0 { cell - stride } else { cell + stride }, leaf)
        } else {
            let [before, behind] = Side::of(axis);
            let side = if step < 0 { before } else { behind };
            let Neighbour::Same(beyond) = self.query.forest.across(leaf, side) else {
                return self.across_levels(leaf, cell, axis, step);
            };
            // The same row or column at the other end of the leaf next door.
            let across = (TILE_WIDTH - 1) * stride;
            (if step < 0 { cell + across } else { cell - across }, beyond)
        };
        let face = if step < 0 { (leaf, cell) } else { (place, other) };
        self.inside_column(place, other, self.plane(face.0, axis)[face.1])
    }

    /// Returns the column across a face to a leaf of a different level. The finer leaf owns the
    /// faces.
    fn across_levels(
        &self,
        leaf: LeafId,
        cell: usize,
        axis: Axis,
        step: i64,
    ) -> Option<FaceColumn> {
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
            [Some(a), Some(b)] => Some(FaceColumn {
                bed: 0.5 * (a.bed + b.bed),
                stage: 0.5 * (a.stage + b.stage),
                depth: 0.5 * (a.depth + b.depth),
                flow: 0.5 * (a.flow + b.flow),
            }),
            // The other half of the face is closed: nothing flows there.
            [one, other] => one.or(other).map(|one| FaceColumn { flow: 0.5 * one.flow, ..one }),
        }
    }

    /// Returns the unit discharge through the first or the last face of a fine leaf's row or
    /// column.
    fn edge_flow(&self, leaf: LeafId, cell: usize, axis: Axis, is_first: bool) -> f32 {
        if is_first {
            return self.plane(leaf, axis)[cell];
        }
        let row = self
            .query
            .leaves
            .interfaces(leaf)
            .and_then(|interfaces| interfaces.beyond[axis].as_ref());
        let along = if axis == Axis::X { cell / TILE_WIDTH } else { cell % TILE_WIDTH };
        row.map_or(0.0, |row| row[along])
    }
}

/// Rounds a stage to the nearest unit.
#[expect(clippy::cast_possible_truncation, reason = "stages lie below 2³¹")]
fn nearest(stage: f64) -> i32 {
    (stage + 0.5).floor() as i32
}
