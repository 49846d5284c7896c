//! Crests that separate the water of four cells, which one cell in their place would let fall.
//!
//! ```text
//!  ~~~~▓                        Four cells, each with its stage; between them the sills of their
//!  ▓~~~▓          ▓             faces, which count the crests inside. The water behind the levee
//!  ▓▓▓▓▓▓~~~~~~▓▓▓▓             would fall into the plain if they were one.
//! ```
//!
//! The water that falls from the upper of two cells is at most its content, the water that the
//! crest keeps of it, the room left in the lower cell below the crest, and the difference of their
//! stages. On a slope without crests that is nothing.
//!
//! Limits:     water that a cell has joined already is not seen.
//! Source:     own.

use crate::grid::blocks::blocks;
use crate::tile::{Ground, Water};

/// Places of the cells of a block that share a face, and the one whose face it is: west faces, then
/// south faces.
const FACES: [(usize, usize); 4] = [(0, 1), (2, 3), (0, 2), (1, 3)];

/// True if in some block of four cells at least `least` vertical units of water over a cell would
/// fall across a crest if the block were one cell.
///
/// | argument | shape | location | unit |
/// | --- | --- | --- | --- |
/// | `ground.bed` | 64 × 64 | cell | vertical units |
/// | `water.depth` | 64 × 64 | cell | vertical units |
#[must_use]
pub fn crest_separates(ground: &Ground, water: &Water, least: i32) -> bool {
    (0..4).flat_map(blocks).any(|(_, four)| {
        let depths = four.map(|cell| water.depth[cell]);
        depths.iter().any(|&depth| depth >= least)
            && four.iter().all(|&cell| ground.is_inside(cell))
            && FourCells { ground, four, depths }.falls(least)
    })
}

/// Four cells that would be one, from south-west to north-east.
struct FourCells<'a> {
    ground: &'a Ground,
    four: [usize; 4],
    depths: [i32; 4],
}

impl FourCells<'_> {
    fn falls(&self, least: i32) -> bool {
        let stages = [0, 1, 2, 3].map(|i| self.ground.stage(self.four[i], self.depths[i]));
        let crests = self.crests();
        (0..4).any(|upper| {
            (0..4).any(|lower| {
                let falls = stages[upper].saturating_sub(stages[lower]) >= least;
                let crest = crests[upper][lower];
                // A depth is at most the stage above the lowest bed.
                falls
                    && self.depths[upper] >= least
                    && crest.saturating_sub(stages[lower]) >= least
                    && self.ground.holds(self.four[upper], crest) >= least
                    && self.ground.holds(self.four[lower], crest) - self.depths[lower] >= least
            })
        })
    }

    /// Returns the lowest crest on any way within the block from one cell to another.
    fn crests(&self) -> [[i32; 4]; 4] {
        let mut crests = [[i32::MAX; 4]; 4];
        for (i, (before, behind)) in FACES.into_iter().enumerate() {
            let cells = [self.four[before], self.four[behind]];
            let sill = match &self.ground.columns {
                Some(columns) => columns.faces[i / 2].faces[cells[1]].sill,
                None => self.ground.bed[cells[0]].max(self.ground.bed[cells[1]]),
            };
            (crests[before][behind], crests[behind][before]) = (sill, sill);
        }
        // `over` must be the outermost loop, as in the algorithm of Floyd and Warshall.
        for over in 0..4 {
            for from in 0..4 {
                for to in 0..4 {
                    let way = crests[from][over].max(crests[over][to]);
                    crests[from][to] = crests[from][to].min(way);
                }
            }
        }
        crests
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::{TILE_CELLS, TILE_WIDTH, TileKey};
    use crate::tile::columns::Columns;
    use crate::tile::columns::build::{BedPlanes, LevelBeds};

    /// Ground that falls by `fall` a finest place to the east, with a levee up to 4000 along finest
    /// column 105, in cells eight places wide.
    fn ground(fall: i64, has_levee: bool) -> Ground {
        let finest = |x: usize| match x {
            105 if has_levee => 4000,
            _ => i32::try_from(-fall * x as i64).expect("small"),
        };
        let mean = |x: usize| {
            let sum: i64 = (8 * x..8 * x + 8).map(|x| i64::from(finest(x))).sum();
            i32::try_from(sum.div_euclid(8)).expect("a mean")
        };
        let coarse: Vec<i32> = (0..TILE_CELLS).map(|i| mean(i % TILE_WIDTH)).collect();
        let width = 8 * TILE_WIDTH;
        let below: Vec<i32> = (0..width * width).map(|i| finest(i % width)).collect();
        let beds = BedPlanes {
            coarse: LevelBeds::new(&coarse, TILE_WIDTH),
            finest: LevelBeds::new(&below, width),
        };
        let columns = Columns::of(TileKey { level: 3, x: 0, y: 0 }, &beds);
        Ground { columns: Some(columns.into()), ..Ground::flat(coarse.into()) }
    }

    /// Water up to a stage in the columns of cells west of one.
    fn water(ground: &Ground, west_of: usize, stage: i32) -> Water {
        let mut water = Water::dry();
        for cell in (0..TILE_CELLS).filter(|cell| cell % TILE_WIDTH < west_of) {
            water.depth[cell] = ground.holds(cell, stage);
        }
        water
    }

    #[test]
    fn water_behind_a_levee_stands_apart() {
        let levee = ground(1, true);
        // Columns 12 and 13 would be one, and the levee is in 13.
        assert!(crest_separates(&levee, &water(&levee, 13, 3000), 100));
        assert!(!crest_separates(&levee, &water(&levee, 13, -20), 100), "little water");
        let both = Water { depth: vec![5000; TILE_CELLS].into(), ..Water::dry() };
        assert!(!crest_separates(&levee, &both, 100), "over its crest");
        let plain = ground(1, false);
        assert!(!crest_separates(&plain, &water(&plain, 13, 3000), 100), "no levee");
    }

    #[test]
    fn water_on_a_slope_does_not() {
        let slope = ground(50, false);
        let mut film = Water::dry();
        film.depth.fill(150);
        assert!(!crest_separates(&slope, &film, 100));
    }

    #[test]
    fn bodies_meet_diagonally_across_flat_columns() {
        let bed = |i: usize| if (i % TILE_WIDTH + i / TILE_WIDTH) % 2 == 1 { 4000 } else { 0 };
        let ground = Ground::flat((0..TILE_CELLS).map(bed).collect());
        let mut water = Water::dry();
        assert!(!crest_separates(&ground, &water, 100));
        water.depth[0] = 1000;
        assert!(crest_separates(&ground, &water, 100));
        water.depth[TILE_WIDTH + 1] = 950;
        assert!(!crest_separates(&ground, &water, 100), "one stage");
    }
}
