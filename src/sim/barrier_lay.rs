//! Barriers laid over the leaves there are: which faces they close, and who sees them.

use crate::forest::{Beside, Forest, LeafIndex};
use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{Side, TileKey};
use crate::sim::barriers::{Barred, Barriers, CellAt, Seen};
use crate::structure::barrier::BarrierFace;
use crate::structure::path::cuts;
use std::collections::{BTreeMap, BTreeSet};

impl Barriers {
    /// Lays them over the leaves of a forest.
    pub fn lay(&mut self, forest: &Forest, is_inside: &dyn Fn(CellAt) -> bool) {
        self.faces.clear();
        self.edges.clear();
        self.seen.clear();
        let levels: BTreeSet<u8> = forest.leaves().iter().map(|key| key.level).collect();
        for level in levels {
            let mut faces: BTreeMap<(usize, CellPlace), (u32, BarrierFace)> = BTreeMap::new();
            for (index, standing) in (0..).zip(&self.list) {
                for face in standing.barrier.faces(level - forest.base()) {
                    faces.insert((face.axis, face.place), (index, face));
                }
            }
            for (barrier, face) in faces.into_values() {
                self.lay_face(forest, is_inside, level, (barrier, face));
            }
        }
        self.lay_edges(forest);
    }

    /// Closes faces between levels: where a line crosses from the centre of a fine cell to that of
    /// the coarse cell beside it, so that the closed faces of both levels meet.
    fn lay_edges(&mut self, forest: &Forest) {
        for (leaf, key) in forest.leaves().iter().enumerate() {
            for side in Side::ALL {
                let Beside::Coarser(_) = forest.beside(leaf)[side.place()] else { continue };
                let width = f64::from(1_u32 << (key.level - forest.base()));
                let at = |tile: u32, by: f64| (f64::from(tile) * 64.0 + by) * width;
                let [low, high] = [-2.0, 66.0].map(|by| [at(key.x, by), at(key.y, by)]);
                for barrier in 0..self.list.len() {
                    if self.list[barrier].barrier.is_near(low, high) {
                        self.lay_edge(forest, (*key, side), barrier);
                    }
                }
            }
        }
    }

    fn lay_edge(&mut self, forest: &Forest, (key, side): (TileKey, Side), barrier: usize) {
        let shift = key.level - forest.base();
        for i in 0..TILE_WIDTH_U32 {
            let (x, y) = (key.x * TILE_WIDTH_U32, key.y * TILE_WIDTH_U32);
            let last = TILE_WIDTH_U32 - 1;
            let (x, y) = match side {
                Side::West => (x, y + i),
                Side::East => (x + last, y + i),
                Side::South => (x + i, y),
                Side::North => (x + i, y + last),
            };
            let (dx, dy) = side.offset();
            let fine = [x, y].map(|at| (2 * i64::from(at) + 1) << shift);
            let beyond = [i64::from(x) + i64::from(dx), i64::from(y) + i64::from(dy)];
            let coarse = beyond.map(|at| (2 * (at >> 1) + 1) << (shift + 1));
            if !cuts(&self.list[barrier].barrier.corners, fine, coarse) {
                continue;
            }
            self.edges.push(u32::try_from(barrier).expect("2³² barriers at most"));
            let (axis, place) = match side {
                Side::West => (0, CellPlace { x, y }),
                Side::East => (0, CellPlace { x: x + 1, y }),
                Side::South => (1, CellPlace { x, y }),
                Side::North => (1, CellPlace { x, y: y + 1 }),
            };
            self.show(forest, key.level, (axis, place), None);
        }
    }

    fn lay_face(
        &mut self,
        forest: &Forest,
        is_inside: &dyn Fn(CellAt) -> bool,
        level: u8,
        (barrier, face): (u32, BarrierFace),
    ) {
        let CellPlace { x, y } = face.place;
        let before = match face.axis {
            0 => x.checked_sub(1).map(|x| CellPlace { x, y }),
            _ => y.checked_sub(1).map(|y| CellPlace { x, y }),
        };
        let at = |place: CellPlace| -> Option<CellAt> {
            let key = TileKey::of_cell(level, place);
            let leaf = LeafIndex::try_from(forest.find(key)?).ok()?;
            let cell = u16::try_from(place.index_in_tile()).expect("4096 cells");
            Some((leaf, cell)).filter(|at| is_inside(*at))
        };
        // Faces between levels are distinguished.
        let (Some(before), Some(behind)) = (before.and_then(at), at(face.place)) else { return };
        let is_sealed = [before, behind].iter().any(|at| is_beside_level(forest, *at));
        let barred = u32::try_from(self.faces.len()).expect("2³² faces at most");
        let at = (face.axis, face.place);
        let strips = Vec::new();
        self.faces.push(Barred { barrier, face, behind, before, is_sealed, strips });
        self.show(forest, level, at, (!is_sealed).then_some(barred));
    }

    /// Shows a face to all leaves of its level that see it.
    fn show(
        &mut self,
        forest: &Forest,
        level: u8,
        (axis, place): (usize, CellPlace),
        barred: Option<u32>,
    ) {
        let own = TileKey::of_cell(level, place);
        for (dx, dy) in (-1..=1).flat_map(|dy| (-1..=1).map(move |dx| (dx, dy))) {
            let beside = own.x.checked_add_signed(dx).zip(own.y.checked_add_signed(dy));
            let Some((x, y)) = beside else { continue };
            let key = TileKey { level, x, y };
            let Some(leaf) = forest.find(key) else { continue };
            let along = |place: u32, tile: u32| {
                i32::try_from(i64::from(place) - 64 * i64::from(tile)).expect("a tile away")
            };
            let (column, row) = (along(place.x, x), along(place.y, y));
            if (-2..=65).contains(&column) && (-2..=65).contains(&row) {
                let leaf = LeafIndex::try_from(leaf).expect("2⁴⁰ cells at most");
                let seen = Seen { axis, column, row, barred };
                self.seen.entry(leaf).or_default().push(seen);
            }
        }
    }
}

/// True where a leaf of another level lies beside a cell.
fn is_beside_level(forest: &Forest, (leaf, cell): CellAt) -> bool {
    let (column, row) = column_row(usize::from(cell));
    let last = TILE_WIDTH_U32 - 1;
    let is_along = |side: Side| match side {
        Side::West => column == 0,
        Side::East => column == last,
        Side::South => row == 0,
        Side::North => row == last,
    };
    Side::ALL.into_iter().filter(|side| is_along(*side)).any(|side| {
        let beside = forest.beside(leaf as usize)[side.place()];
        matches!(beside, Beside::Coarser(_) | Beside::Finer(_))
    })
}
