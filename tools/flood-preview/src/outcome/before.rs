//! Water before the event, which no headline counts as flooded.
//!
//! ```text
//! flooded by the event = largest depth ≥ wet depth, in a cell that was not under water before
//! under water before   = depth at the start ≥ wet depth, or the sea, or permanent water
//! ```
//!
//! [`Coast`] finds the sea on a map without water: ground below a level that is joined to an edge,
//! and flat ground at an edge, which is how heightmaps have a sea.
//!
//! Guarantees: [`Coast::below`] passes the sides of cells alone, so a line of high cells, or of
//!             cells that a barrier crosses, keeps the sea out; a cell whose height on the map is
//!             the level is below it, however its bed was rounded.
//! Limits:     flat ground counts as the sea from −1 to 0 m alone, from 100 cells and 1 % of the
//!             ground on: lakes higher up, and seas with waves in their heights, need an option of
//!             the user's. A plain of whole metres at 0 m looks the same as a sea.

/// Fewest cells of one height that may be the sea.
const FLAT_CELLS: usize = 100;
/// Farthest from the map's zero that flat ground may be the sea, m.
const FLAT_LEVEL_M: f32 = 1.0;
/// Least part of the ground that the sea covers, percent.
const SEA_PERCENT: usize = 1;

/// State of a cell before the event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CellBefore {
    /// Ground that was dry, or less than the wet depth under water.
    #[default]
    Dry,
    /// Ground under water when the run began.
    Start,
    /// The sea.
    Sea,
    /// A river or a lake, by the raster of permanent water.
    Permanent,
}

/// Ground of a map whose sea is to be found.
#[derive(Debug, Clone, Copy)]
pub struct Coast<'a> {
    /// Columns and rows.
    pub size: (usize, usize),
    /// Bed elevation, m, row-major; NaN outside the world.
    pub bed_m: &'a [f32],
    /// Most that rounding raised a bed above the height of the map, m.
    pub rounding_m: f64,
    /// True for cells that a barrier crosses: the sea ends there.
    pub is_walled: &'a [bool],
}

/// Ground of one height at an edge.
#[derive(Debug, Clone, PartialEq)]
pub struct EdgeFlat {
    /// Height of the ground, m.
    pub level_m: f32,
    /// Cells of the ground.
    pub cells: Vec<usize>,
    /// True if its height and size are those of a sea: from −1 to 0 m, and 1 % of the ground
    /// together with all flats of such heights.
    pub is_sea: bool,
}

impl Coast<'_> {
    /// Marks the cells whose bed is at or below a level and that are joined, through such cells, to
    /// a cell of `rim`: cells at edges, each with its level, m.
    #[must_use]
    pub fn below(&self, mut rim: Vec<(usize, f64)>) -> Vec<bool> {
        // From the highest level down: lower levels need not reach again the cells that one has
        // reached.
        rim.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut is_sea = vec![false; self.bed_m.len()];
        for (cell, level_m) in rim {
            let highest_m = level_m + self.rounding_m;
            let is_low = |cell: usize| f64::from(self.bed_m[cell]) <= highest_m;
            self.spread(cell, &mut is_sea, is_low);
        }
        is_sea
    }

    /// Finds flat ground that touches a cell of `rim`, has no lower ground beside it, and some that
    /// is higher.
    #[must_use]
    pub fn flats(&self, rim: &[usize]) -> Vec<EdgeFlat> {
        let mut is_seen = vec![false; self.bed_m.len()];
        let mut found = Vec::new();
        for &cell in rim {
            let level_m = self.bed_m[cell];
            if is_seen[cell] || level_m.is_nan() || level_m.abs() > FLAT_LEVEL_M {
                continue;
            }
            let is_level = |other: usize| self.bed_m[other].to_bits() == level_m.to_bits();
            let cells = self.spread(cell, &mut is_seen, is_level);
            let shores = cells.iter().flat_map(|&cell| self.beside(cell));
            let shores: Vec<f32> = shores.map(|shore| self.bed_m[shore]).collect();
            let is_lowest = !shores.iter().any(|&bed| bed < level_m);
            let has_shore = shores.iter().any(|&bed| bed > level_m);
            if cells.len() >= FLAT_CELLS && is_lowest && has_shore {
                let is_sea = f64::from(level_m) <= self.rounding_m;
                found.push(EdgeFlat { level_m, cells, is_sea });
            }
        }
        let seas = found.iter().filter(|flat| flat.is_sea);
        let covered: usize = seas.map(|flat| flat.cells.len()).sum();
        let ground = self.bed_m.iter().filter(|bed| !bed.is_nan()).count();
        let is_large = 100 * covered >= SEA_PERCENT * ground;
        found.iter_mut().for_each(|flat| flat.is_sea &= is_large);
        found
    }

    /// Marks the cells that `is_part` and that are joined to `first` by sides, and returns the
    /// cells that were not marked yet.
    fn spread(
        &self,
        first: usize,
        is_marked: &mut [bool],
        is_part: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let mut cells = Vec::new();
        let mut take = |cell: usize, cells: &mut Vec<usize>| {
            if !is_marked[cell] && !self.is_walled[cell] && is_part(cell) {
                is_marked[cell] = true;
                cells.push(cell);
            }
        };
        take(first, &mut cells);
        let mut index = 0;
        while let Some(&cell) = cells.get(index) {
            self.beside(cell).for_each(|next| take(next, &mut cells));
            index += 1;
        }
        cells
    }

    /// Returns the cells at the four sides of a cell.
    fn beside(&self, cell: usize) -> impl Iterator<Item = usize> {
        let (width, height) = self.size;
        let (column, row) = (cell % width, cell / width);
        let sides = [
            (column > 0).then(|| cell - 1),
            (column + 1 < width).then_some(cell + 1),
            (row > 0).then(|| cell - width),
            (row + 1 < height).then_some(cell + width),
        ];
        sides.into_iter().flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a height of 40 × 10 cells: the sea at 0 m over 15 columns, a beach, a dyke at 5 m, a
    /// polder at −2 m.
    fn profile(column: usize) -> f32 {
        match column {
            0..15 => 0.0,
            15 => 0.5,
            16..20 => 1.5,
            20 => 5.0,
            _ => -2.0,
        }
    }

    fn map(bed: impl Fn(usize) -> f32) -> Vec<f32> {
        (0..400).map(|cell| bed(cell % 40)).collect()
    }

    const WEST: [usize; 10] = [0, 40, 80, 120, 160, 200, 240, 280, 320, 360];
    const WALLS: [bool; 400] = [false; 400];

    /// Returns a coast of 40 cells a row, beds rounded to 1 cm.
    fn coast<'a>(bed_m: &'a [f32], is_walled: &'a [bool]) -> Coast<'a> {
        Coast { size: (40, bed_m.len() / 40), bed_m, rounding_m: 0.005, is_walled }
    }

    #[test]
    fn the_sea_ends_at_its_level_at_a_dyke_and_at_a_barrier() {
        let bed_m = map(profile);
        for (level_m, barrier, columns) in [
            (-0.1, None, 0),
            (0.0, None, 15),
            (0.49, None, 15),
            (0.496, None, 16),
            (1.0, None, 16),
            (4.9, None, 20),
            (5.0, None, 40),
            (5.0, Some(17), 17),
        ] {
            let is_walled: Vec<bool> = (0..400).map(|cell| Some(cell % 40) == barrier).collect();
            let coast = coast(&bed_m, &is_walled);
            let is_sea = coast.below(WEST.map(|cell| (cell, level_m)).into());
            let expected: Vec<bool> = (0..400).map(|cell| cell % 40 < columns).collect();
            assert_eq!(is_sea, expected, "{level_m} m, barrier at {barrier:?}");
        }
        // A higher tide at one cell of the edge decides for all that it reaches.
        let is_sea = coast(&bed_m, &WALLS).below(vec![(40, 0.0), (80, 1.0)]);
        assert_eq!(is_sea.iter().filter(|is_sea| **is_sea).count(), 160);
    }

    #[test]
    fn a_flat_at_the_edge_is_the_sea_if_nothing_beside_it_is_lower() {
        for (name, bed_m, expected) in [
            ("a coast", map(profile), Some((150, true))),
            ("a plateau", map(|column| if column < 15 { 0.0 } else { -1.0 }), None),
            ("a plain without shores", map(|_| 0.0), None),
            ("clipped hills", map(|column| if column < 15 { 255.0 } else { 200.0 }), None),
            ("a valley's mouth", map(|column| if column < 15 { 187.0 } else { 190.0 }), None),
            ("a pond", map(|column| if column < 9 { 0.0 } else { 3.0 }), None),
            ("a sea at −0.5 m", map(|col| if col < 10 { -0.5 } else { 3.0 }), Some((100, true))),
            ("a sea, rounded", map(|col| if col < 10 { 0.004 } else { 3.0 }), Some((100, true))),
            ("a plain at 1 m", map(|col| if col < 10 { 1.0 } else { 3.0 }), Some((100, false))),
        ] {
            let found = coast(&bed_m, &WALLS).flats(&WEST);
            let found = found.first().map(|flat| (flat.cells.len(), flat.is_sea));
            assert_eq!(found, expected, "{name}");
        }
    }

    /// Goal: a small flat is no sea, but bays of one sea count together.
    #[test]
    fn a_sea_covers_a_part_of_the_ground() {
        let rim: Vec<usize> = (0..300).map(|row| 40 * row).collect();
        let is_walled = [false; 12_000];
        let bays = |row: usize| (0..10).contains(&row) || (50..60).contains(&row);
        for (name, is_flat, expected) in [
            ("an outlet", (|row| row < 10) as fn(usize) -> bool, vec![false]),
            ("a bay", |row| row < 12, vec![true]),
            ("two bays", bays, vec![true, true]),
        ] {
            let bed = |cell: usize| if cell % 40 < 10 && is_flat(cell / 40) { 0.0 } else { 3.0 };
            let bed_m: Vec<f32> = (0..12_000).map(bed).collect();
            let found = coast(&bed_m, &is_walled).flats(&rim);
            let is_sea: Vec<bool> = found.iter().map(|flat| flat.is_sea).collect();
            assert_eq!(is_sea, expected, "{name}");
        }
    }
}
