//! Boundary of the world of a site: the faces of its leaves to the outside.

use crate::world::WorldError;
use crate::world::edges::{Boundary, EdgeKind, Outside, OutsideKind};
use crate::world::falls::fall_behind;
use crate::world::relief::{Looked, beds_kind};
use crate::world::site::WorldSite;
use thalweg_engine::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use thalweg_engine::grid::{Side, TILE_CELLS, TILE_WIDTH, TileKey};
use thalweg_engine::sim::boundary::{BoundaryFace, BoundaryLaw, GroundFall, share_cells};
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::stream::PageKind;
use thalweg_engine::tile::Ground;
use thalweg_engine::units::{OUTSIDE, VerticalScale};

impl WorldSite {
    /// Returns the cells of the base level along edges that are only part of a side.
    pub(super) fn cells_of_parts(&self) -> Vec<CellPlace> {
        let narrow = |count: usize| u32::try_from(count).expect("2²⁰ cells a side");
        let (width, height) = self.size(self.base);
        let (width, height) = (narrow(width), narrow(height));
        let mut cells = Vec::new();
        for (side, range) in self.boundary.parts() {
            let is_row = matches!(side, Side::West | Side::East);
            let end = range.end.min(if is_row { height } else { width });
            cells.extend((range.start..end).map(|i| match side {
                Side::West => CellPlace { x: 0, y: i },
                Side::East => CellPlace { x: width - 1, y: i },
                Side::South => CellPlace { x: i, y: 0 },
                Side::North => CellPlace { x: i, y: height - 1 },
            }));
        }
        cells
    }

    /// Checks that an edge may be of another kind.
    pub(super) fn check_edge(&self, number: usize, kind: &EdgeKind) -> Result<(), WorldError> {
        self.boundary.law_of(number, kind.clone(), self.edge_units()).map(|_| ())
    }

    /// Gives an edge another stage that was checked; returns its law.
    pub(super) fn set_edge(&mut self, number: usize, kind: EdgeKind) -> Option<(u32, BoundaryLaw)> {
        let law = self.boundary.law_of(number, kind.clone(), self.edge_units());
        let law = law.expect("it was checked")?;
        self.boundary.set_stage(number, kind, law.clone());
        Some(law)
    }

    /// Returns the vertical scale, and the width of a cell of the base level, m.
    fn edge_units(&self) -> (VerticalScale, f64) {
        (self.scale(), self.relief.cell_width_m(self.base))
    }

    /// Returns the laws of the boundary.
    pub(super) fn boundary_laws(&self) -> &Boundary {
        &self.boundary
    }

    /// Returns the ground and sea at a side of a cell beyond which the world ends.
    pub(super) fn outside(&self, level: u8, place: CellPlace, side: Side) -> Outside {
        let sea = self.shores.sea_beyond(side, (level, place));
        Outside { fall: self.fall_towards(level, place, side), sea }
    }

    /// Returns the fall of the ground towards a side of a cell beyond which the world ends.
    fn fall_towards(&self, level: u8, place: CellPlace, side: Side) -> GroundFall {
        let (scale, (dx, dy)) = (self.scale(), side.offset());
        let size = self.relief.size(0).expect("the finest level");
        let is_fed = |mouth| self.fed.is_at(mouth, (self.base, size));
        let towards = |place| self.falls.towards(side, (level, place), scale, is_fed);
        // Flat cells that are partly outside are no part of the world: its end is beyond.
        let beside = || {
            let (x, y) = (place.x.checked_add_signed(dx)?, place.y.checked_add_signed(dy)?);
            towards(CellPlace { x, y })
        };
        let behind = || fall_behind(&self.relief, (level, place), side, is_fed);
        towards(place).or_else(beside).unwrap_or_else(behind)
    }

    /// Returns the boundary faces of a leaf, at rest.
    pub(super) fn boundary_faces(
        &self,
        key: TileKey,
        ground: &Ground,
        ledger: &mut Ledger,
    ) -> Vec<BoundaryFace> {
        let beds = Looked::new(&self.relief, key.level, beds_kind(self.columns()));
        if !has_outside(&beds, key, ground) {
            return Vec::new();
        }
        let finest = Looked::new(&self.relief, 0, PageKind::GroundBeds);
        let is_part = |cell| ground.parts().is_some_and(|parts| parts.is_part(cell));
        let mut boundary = Vec::new();
        for cell in (0..TILE_CELLS).filter(|&cell| ground.is_inside(cell)) {
            let (column, row) = column_row(cell);
            let is_inner = |i| (1..TILE_WIDTH_U32 - 1).contains(&i);
            let beside =
                [cell.wrapping_sub(1), cell + 1, cell.wrapping_sub(TILE_WIDTH), cell + TILE_WIDTH];
            if is_inner(column) && is_inner(row) && beside.iter().all(|&c| ground.bed[c] != OUTSIDE)
            {
                continue;
            }
            let corner = key.corner();
            let place = CellPlace { x: corner.x + column, y: corner.y + row };
            let beyond = |side: Side| {
                let (dx, dy) = side.offset();
                let at = (i64::from(place.x) + i64::from(dx), i64::from(place.y) + i64::from(dy));
                let at_frame = || {
                    let reaches = || reaches_side(&finest, (key.level, place), side);
                    if !is_part(cell) || reaches() {
                        OutsideKind::Frame
                    } else {
                        OutsideKind::NoData
                    }
                };
                let inside = || {
                    let [x, y] = [(place.x, dx), (place.y, dy)]
                        .map(|(at, step)| at.checked_add_signed(step).expect("on the map"));
                    self.holes.end_in((key.level, CellPlace { x, y }))
                };
                let end = || if beds.has(at) { inside() } else { at_frame() };
                (beds.at(at) == OUTSIDE).then(end)
            };
            let outside = |side| self.outside(key.level, place, side);
            let place = self.place(ground, key, cell);
            self.boundary.add_faces(&mut boundary, (cell, place), &beyond, &outside, ledger);
        }
        if let Some(columns) = &ground.columns {
            for face in &mut boundary {
                let table = columns.boundary_face(face.cell, face.side);
                face.table = table.expect("a face to the outside has a table");
            }
        }
        share_cells(&mut boundary);
        boundary
    }
}

/// Whether a side of a wide cell at the frame of the map is the map's side: if the lowest ground
/// along the side, which most of the water leaves over, reaches the frame. Else it ends at cells
/// without data before it.
fn reaches_side(finest: &Looked<'_>, (level, place): (u8, CellPlace), side: Side) -> bool {
    let width = 1_i64 << level;
    let [west, south] = [place.x, place.y].map(|at| i64::from(at) << level);
    let (columns, rows) = finest.size();
    let [east, north] = [(west + width).min(columns), (south + width).min(rows)];
    let ([lines, depth], cell): (_, &dyn Fn(i64, i64) -> (i64, i64)) = match side {
        Side::West => ([south..north, west..east], &|line, inward| (inward, line)),
        Side::East => {
            ([south..north, west..east], &|line, inward| (east - 1 - (inward - west), line))
        }
        Side::South => ([west..east, south..north], &|line, inward| (line, inward)),
        Side::North => {
            ([west..east, south..north], &|line, inward| (line, north - 1 - (inward - south)))
        }
    };
    let frame = depth.start;
    let first = |line: i64| {
        let beds = depth.clone().map(|inward| (finest.at(cell(line, inward)), inward != frame));
        beds.into_iter().find(|(bed, _)| *bed != OUTSIDE)
    };
    // Among equal beds the one at the frame counts, because `false` is less than `true`.
    let lowest = lines.filter_map(first).min();
    lowest.is_none_or(|(_, is_before)| !is_before)
}

/// Whether the world ends in a tile or beside it: few of the tiles in question do.
fn has_outside(beds: &Looked<'_>, key: TileKey, ground: &Ground) -> bool {
    let (corner, width) = (key.corner(), i64::from(TILE_WIDTH_U32));
    let (x, y) = (i64::from(corner.x), i64::from(corner.y));
    let ends = |x, y| beds.at((x, y)) == OUTSIDE;
    ground.bed.contains(&OUTSIDE)
        || (0..width).any(|i| ends(x - 1, y + i) || ends(x + width, y + i))
        || (0..width).any(|i| ends(x + i, y - 1) || ends(x + i, y + width))
}
