//! Conversion from the map's coordinates to cells of the engine.
//!
//! The engine counts columns from the west and rows from the south; a [`Grid`] counts rows from
//! the north.

use rasters::Grid;
use thalweg::terrain::{BedLevel, Terrain};
use thalweg::units::OUTSIDE;
use thalweg::world::CellPlace;

use crate::place::{EntryPlace, MapPoint, MapSide};
use crate::plan::cells_of;

/// Largest distance from a point to ground, simulated cells.
const REACH: usize = 2;

/// Centres of the cells of a grid. Its last cells in the east and the north may extend beyond the
/// map: the centre of such a cell is that of its part on the map.
#[derive(Debug, Clone, Copy)]
pub(super) struct CellCentres<'a> {
    pub grid: &'a Grid,
    /// Distance by which the last column and the first row extend beyond the map.
    beyond: [f64; 2],
}

impl<'a> CellCentres<'a> {
    /// Creates the centres of `grid` on a map of the finest cells `map`, both from one corner in
    /// the south-west.
    pub fn new(grid: &'a Grid, map: &Grid) -> Self {
        let east = |grid: &Grid| grid.west + grid.width as f64 * grid.step_x;
        let beyond = [east(grid) - east(map), grid.north - map.north];
        // Less than half a cell of the map is rounding.
        let is_none = [beyond[0] < 0.5 * map.step_x, beyond[1] < 0.5 * map.step_y];
        Self { grid, beyond: [0, 1].map(|at| if is_none[at] { 0.0 } else { beyond[at] }) }
    }

    /// Returns the coordinate x of the centres of a column.
    pub fn easting(self, column: usize) -> f64 {
        let is_last = column + 1 == self.grid.width;
        self.grid.easting(column) - if is_last { 0.5 * self.beyond[0] } else { 0.0 }
    }

    /// Returns the coordinate y of the centres of a row from the north.
    pub fn northing(self, row: usize) -> f64 {
        self.grid.northing(row) - if row == 0 { 0.5 * self.beyond[1] } else { 0.0 }
    }
}

/// The simulated level and its grid.
#[derive(Debug, Clone, Copy)]
pub(super) struct GroundPlan<'a> {
    beds: &'a BedLevel,
    grid: &'a Grid,
    centres: CellCentres<'a>,
    /// Number of levels by which the simulated level is coarser.
    steps: u8,
}

impl<'a> GroundPlan<'a> {
    /// Returns the level of `terrain` whose cells have these centres.
    pub fn new(terrain: &'a Terrain, level: u8, centres: CellCentres<'a>) -> Option<Self> {
        let beds = terrain.level(level)?;
        Some(Self { beds, grid: centres.grid, centres, steps: 0 })
    }

    /// Returns the finest level of `terrain`, whose cells have these centres, if cells of `level`
    /// are simulated.
    pub fn below(terrain: &'a Terrain, level: u8, centres: CellCentres<'a>) -> Option<Self> {
        Some(Self { beds: terrain.level(0)?, grid: centres.grid, centres, steps: level })
    }

    /// Returns the largest distance from a point to ground, cells.
    fn reach(self) -> usize {
        REACH << self.steps
    }

    /// Returns the cell in column `col` and row `row` from the north.
    fn place(self, col: usize, row: usize) -> CellPlace {
        place_of(self.grid, col, row)
    }

    fn is_ground(self, col: usize, row: usize) -> bool {
        let row = self.grid.height - 1 - row;
        self.beds.ground_bed(col, row) != OUTSIDE
    }

    /// Returns the cell of a point, or the nearest one on ground within reach; true if it is
    /// another one.
    pub fn nearest(self, at: MapPoint) -> Option<(CellPlace, bool)> {
        let Grid { width, height, step_x, step_y, .. } = *self.grid;
        // A strip at the east and south side may be left out of the simulation: search from within.
        let within = |x: f64, y: f64| self.grid.cell_at(x, y);
        let steps = || (0..=self.reach()).map(|n| n as f64);
        let start = steps().find_map(|n| {
            let (x, y) = (at.x - n * step_x, at.y + n * step_y);
            within(at.x, at.y).or(within(x, at.y)).or(within(at.x, y)).or(within(x, y))
        })?;
        let (col, row) = start;
        let near = |at: usize, end: usize| {
            at.saturating_sub(self.reach())..(at + self.reach() + 1).min(end)
        };
        let found = near(row, height)
            .flat_map(|r| near(col, width).map(move |c| (c, r)))
            .filter(|&(c, r)| self.is_ground(c, r))
            .min_by_key(|&(c, r)| c.abs_diff(col).pow(2) + r.abs_diff(row).pow(2))?;
        let is_moved = within(at.x, at.y) != Some(found);
        Some((self.place(found.0, found.1), is_moved))
    }

    /// Returns the ground in a cell, vertical units; `None` for a cell without ground.
    pub fn bed(self, place: CellPlace) -> Option<i32> {
        let [column, row] = place.indices();
        let bed = self.beds.ground_bed(column, row);
        (bed != OUTSIDE).then_some(bed)
    }

    /// Returns the centre of a cell, rounded for reading.
    pub fn point(self, place: CellPlace) -> MapPoint {
        let [column, from_south] = place.indices();
        let row = self.grid.height - 1 - from_south;
        let per_unit = if self.grid.step_x < 0.01 { 1.0e7 } else { 100.0 };
        let short = |v: f64| (v * per_unit).round() / per_unit;
        MapPoint { x: short(self.centres.easting(column)), y: short(self.centres.northing(row)) }
    }

    /// Returns all ground cells of a place; true if a point was moved.
    pub fn cells(self, place: &EntryPlace) -> (Vec<CellPlace>, bool) {
        let cells = match place {
            EntryPlace::At(at) => {
                let found = self.nearest(*at);
                return (found.iter().map(|(cell, _)| *cell).collect(), found.is_some_and(|f| f.1));
            }
            EntryPlace::Polygon(corners) => cells_of(corners, self.grid),
            EntryPlace::Edge { side, range, .. } => self.rim(*side, *range),
        };
        let ground = cells.into_iter().filter(|&(col, row)| self.is_ground(col, row));
        (ground.map(|(col, row)| self.place(col, row)).collect(), false)
    }

    /// Returns the cells `(column, row)` along a side of the map.
    fn rim(self, side: MapSide, range: Option<(f64, f64)>) -> Vec<(usize, usize)> {
        let (last_col, last_row) = (self.grid.width - 1, self.grid.height - 1);
        let part = part(self.centres, side, range);
        let along = part.start as usize..part.end as usize;
        match side {
            MapSide::West => along.map(|y| (0, last_row - y)).collect(),
            MapSide::East => along.map(|y| (last_col, last_row - y)).collect(),
            MapSide::South => along.map(|x| (x, last_row)).collect(),
            MapSide::North => along.map(|x| (x, 0)).collect(),
            MapSide::NoData | MapSide::Holes => Vec::new(),
        }
    }
}

/// Returns the engine's place of the cell in column `col` and row `row` from the north.
pub(super) fn place_of(grid: &Grid, col: usize, row: usize) -> CellPlace {
    let index = |i: usize| u32::try_from(i).expect("a terrain has at most 2^20 columns and rows");
    CellPlace { x: index(col), y: index(grid.height - 1 - row) }
}

/// Returns the index of a place in a plane with rows from the north.
#[must_use]
pub fn index_of(place: CellPlace, width: usize, height: usize) -> usize {
    let [column, row] = place.indices();
    (height - 1 - row) * width + column
}

/// Returns the cells of a side between two coordinates along it, counted from the west or from the
/// south: the cells with centres between them, or the one nearest to their middle.
pub(super) fn part(
    centres: CellCentres<'_>,
    side: MapSide,
    range: Option<(f64, f64)>,
) -> std::ops::Range<u32> {
    let Grid { width, height, .. } = *centres.grid;
    let is_upright = matches!(side, MapSide::West | MapSide::East);
    let count = if is_upright { height } else { width };
    let centre = |i: usize| {
        if is_upright { centres.northing(height - 1 - i) } else { centres.easting(i) }
    };
    let (from, to) = range.unwrap_or((f64::NEG_INFINITY, f64::INFINITY));
    let first = (0..count).find(|&i| centre(i) >= from).unwrap_or(count);
    let end = (first..count).find(|&i| centre(i) >= to).unwrap_or(count);
    let (first, end) = if first < end {
        (first, end)
    } else {
        let middle = f64::midpoint(from, to);
        let distance = |&i: &usize| (centre(i) - middle).abs();
        let nearest = (0..count).min_by(|a, b| distance(a).total_cmp(&distance(b)));
        (nearest.unwrap_or(0), nearest.unwrap_or(0) + 1)
    };
    let index = |i: usize| u32::try_from(i).expect("a terrain has at most 2^20 columns and rows");
    index(first)..index(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::RiverEntry;
    use thalweg::terrain::{TerrainBuilder, TerrainOptions};
    use thalweg::units::VerticalScale;

    /// Returns 6 × 4 cells of 10 m; the three western columns are NoData but for the northernmost
    /// row.
    fn grid() -> Grid {
        Grid::metric((6, 4), (100.0, 240.0), 10.0)
    }

    fn terrain() -> Terrain {
        let scale = VerticalScale::choose(0.0, 10.0, 10.0).expect("in range");
        let options =
            TerrainOptions { width: 6, height: 4, cell_width_m: 10.0, scale, bed_exponent: 10 };
        let mut builder = TerrainBuilder::try_new(options).expect("sound");
        builder.push_row(&[1.0; 6]).expect("sound");
        for _ in 0..3 {
            let outside = f64::NAN;
            builder.push_row(&[outside, outside, outside, 1.0, 1.0, 1.0]).expect("sound");
        }
        builder.finish().expect("sound")
    }

    #[test]
    fn points_find_their_cell_or_the_nearest_ground() {
        let (terrain, grid) = (terrain(), grid());
        let ground = GroundPlan::new(&terrain, 0, CellCentres::new(&grid, &grid)).expect("level 0");
        let cases = [
            ((101.0, 239.0), Some((0, 3, false))), // the north-west corner is row 3 from the south
            ((159.0, 201.0), Some((5, 0, false))),
            ((121.0, 215.0), Some((3, 1, true))), // NoData, ground one cell to the east
            ((101.0, 201.0), None),               // NoData, ground three cells away
            ((165.0, 215.0), Some((5, 1, true))), // beyond the last column
            ((155.0, 195.0), Some((5, 0, true))), // beyond the last row
        ];
        for ((x, y), expected) in cases {
            let found = ground.nearest(MapPoint { x, y });
            let found = found.map(|(place, is_moved)| (place.x, place.y, is_moved));
            assert_eq!(found, expected, "{x},{y}");
        }
    }

    #[test]
    fn a_side_has_its_ground_cells() {
        let (terrain, grid) = (terrain(), grid());
        let ground = GroundPlan::new(&terrain, 0, CellCentres::new(&grid, &grid)).expect("level 0");
        let cells = |side, range| {
            let (cells, _) =
                ground.cells(&EntryPlace::Edge { side, range, entry: RiverEntry::Normal });
            cells.iter().map(|cell| (cell.x, cell.y)).collect::<Vec<_>>()
        };
        assert_eq!(cells(MapSide::West, None), [(0, 3)]);
        assert_eq!(cells(MapSide::East, Some((210.0, 230.0))), [(5, 1), (5, 2)]);
        assert_eq!(cells(MapSide::North, Some((114.0, 126.0))), [(1, 3), (2, 3)]);
        assert_eq!(cells(MapSide::South, None), [(3, 0), (4, 0), (5, 0)]);
    }

    #[test]
    fn parts_count_from_the_south_west_and_are_never_empty() {
        let grid = grid();
        let grid = CellCentres::new(&grid, &grid);
        assert_eq!(part(grid, MapSide::South, None), 0..6);
        assert_eq!(part(grid, MapSide::South, Some((115.0, 135.0))), 1..3);
        assert_eq!(part(grid, MapSide::West, Some((200.0, 210.0))), 0..1);
        assert_eq!(part(grid, MapSide::West, Some((231.0, 232.0))), 3..4);
        assert_eq!(part(grid, MapSide::West, Some((-50.0, 201.0))), 0..1);
    }

    /// Goal: a cell that extends beyond the map has the centre of its ground, so an edge or a
    /// raster that ends with the map includes it.
    #[test]
    fn cells_that_reach_over_the_map_lie_on_it() {
        let map = Grid::metric((5, 5), (100.0, 150.0), 10.0);
        let grid = Grid { width: 2, height: 2, north: 180.0, step_x: 40.0, step_y: 40.0, ..map };
        let map = Grid::metric((5, 5), (100.0, 150.0), 10.0);
        let centres = CellCentres::new(&grid, &map);
        let places = [0, 1].map(|at| [centres.easting(at), centres.northing(at)]);
        let expected = [[120.0, 145.0], [145.0, 120.0]];
        let is_near = |(place, expected): (&[f64; 2], &[f64; 2])| {
            (place[0] - expected[0]).abs() < 1.0e-9 && (place[1] - expected[1]).abs() < 1.0e-9
        };
        assert!(places.iter().zip(&expected).all(is_near), "{places:?}");
        assert_eq!(part(centres, MapSide::West, Some((140.0, 150.0))), 1..2);
        assert_eq!(part(centres, MapSide::North, Some((100.0, 150.0))), 0..2);
    }
}
