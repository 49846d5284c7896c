//! Where the world of a site ends: the faces of its leaves to the outside.

use crate::grid::cells::{CellPlace, TILE_WIDTH_U32, column_row};
use crate::grid::{Side, TILE_CELLS, TILE_WIDTH, TileKey};
use crate::sim::boundary::BoundaryFace;
use crate::sim::ledger::Ledger;
use crate::tile::{CowPlane, Ground};
use crate::units::OUTSIDE;
use crate::world::edges::{Boundary, Fall};
use crate::world::relief::beds_kind;
use crate::world::site::Site;
use std::cell::RefCell;
use std::collections::BTreeMap;

impl Site {
    /// The cells of the base level along edges that are only part of a side.
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

    /// The laws of the boundary.
    pub(super) fn boundary_laws(&self) -> &Boundary {
        &self.boundary
    }

    /// Whether the world ends beyond a side of a cell, and whether the map's rectangle does.
    fn beyond(&self, near: &Near<'_>, place: CellPlace, side: Side) -> (bool, bool) {
        let ((width, height), (dx, dy)) = (self.size(near.level), side.offset());
        let (x, y) = (i64::from(place.x) + i64::from(dx), i64::from(place.y) + i64::from(dy));
        let is_border = x < 0 || y < 0 || x >= width as i64 || y >= height as i64;
        (near.bed(x, y) == OUTSIDE, is_border)
    }

    /// The boundary faces of a leaf, at rest.
    pub(super) fn boundary_faces(
        &self,
        key: TileKey,
        ground: &Ground,
        ledger: &mut Ledger,
    ) -> Vec<BoundaryFace> {
        let units_per_width = self.scale().unit_m() / self.relief.cell_width_m(key.level);
        // In cells with tables water runs off along their lowest beds.
        let width = 1_i64 << key.level;
        let has_tables = ground.columns.is_some();
        let near = Near::of(self, key);
        if !near.has_outside(key, ground) {
            return Vec::new();
        }
        let (finest, known) = (self.finest_beds(), RefCell::new(BTreeMap::new()));
        let lowest = |x: i64, y: i64| match (near.bed(x, y), &ground.columns) {
            (bed, Some(columns)) if bed != OUTSIDE => match cell_of(key, x, y) {
                Some(cell) => columns.stages.dry(cell, bed),
                None => *known.borrow_mut().entry((x, y)).or_insert_with(|| {
                    let mut beds = Vec::new();
                    finest.add_finest((x * width, y * width), width, &mut beds);
                    beds.into_iter().fold(OUTSIDE, i32::min)
                }),
            },
            (bed, _) => bed,
        };
        let fall = Fall { bed: &lowest, units_per_width };
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
            let beyond = |side| self.beyond(&near, place, side);
            let fall = |side| match has_tables {
                true => fall.of_channel(place, side),
                false => fall.of_ground(place, side),
            };
            let place = self.place(ground, key, cell);
            self.boundary.add_faces(&mut boundary, (cell, place), &beyond, &fall, ledger);
        }
        if let Some(columns) = &ground.columns {
            for face in &mut boundary {
                let table = columns.boundary_face(face.cell, face.side);
                face.table = table.expect("a face to the outside has a table");
            }
        }
        Boundary::share_cells(&mut boundary);
        boundary
    }
}

/// The cell of a tile in a column and row of its level, where it is one of the tile's.
fn cell_of(tile: TileKey, x: i64, y: i64) -> Option<usize> {
    let place = CellPlace { x: u32::try_from(x).ok()?, y: u32::try_from(y).ok()? };
    (TileKey::of_cell(tile.level, place) == tile).then(|| place.index_in_tile())
}

/// The beds of a level in a tile and beside it, to be looked up often.
struct Near<'a> {
    site: &'a Site,
    level: u8,
    /// Pages that are at hand, where beds come in pages.
    pages: Vec<(TileKey, CowPlane<i32>)>,
}

impl<'a> Near<'a> {
    fn of(site: &'a Site, key: TileKey) -> Self {
        let beside = Side::ALL.map(|side| key.beside(side.offset().0, side.offset().1));
        let tiles = [Some(key)].into_iter().chain(beside).flatten();
        let kind = beds_kind(site.columns());
        // A page that could not be read is reported by the pager.
        let page = |tile| Some((tile, site.relief.in_file()?.beds(kind.of(tile)).ok()?));
        Self { site, level: key.level, pages: tiles.filter_map(page).collect() }
    }

    /// Whether the world ends in a tile or beside it: few of the tiles in question do.
    fn has_outside(&self, key: TileKey, ground: &Ground) -> bool {
        let (corner, width) = (key.corner(), i64::from(TILE_WIDTH_U32));
        let (x, y) = (i64::from(corner.x), i64::from(corner.y));
        let ends = |x, y| self.bed(x, y) == OUTSIDE;
        ground.bed.contains(&OUTSIDE)
            || (0..width).any(|i| ends(x - 1, y + i) || ends(x + width, y + i))
            || (0..width).any(|i| ends(x + i, y - 1) || ends(x + i, y + width))
    }

    /// The bed of a cell, [`OUTSIDE`] where it is no part of the world or beyond the map.
    fn bed(&self, x: i64, y: i64) -> i32 {
        let [Ok(x), Ok(y)] = [x, y].map(u32::try_from) else { return OUTSIDE };
        let place = CellPlace { x, y };
        let tile = TileKey::of_cell(self.level, place);
        match self.pages.iter().find(|(own, _)| *own == tile) {
            Some((_, page)) => page[place.index_in_tile()],
            None => self.site.bed(self.level, x as usize, y as usize),
        }
    }
}
