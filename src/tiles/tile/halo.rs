//! Filling a padded tile from a tile and its eight neighbours.
//!
//! Guarantees: both tiles at an edge see the same numbers, so they compute the same transfers.
//! Limits:     takes from neighbours of the same level only; cells of a different level are filled
//!             in before. Four cells of halo: a new depth beside the tile needs the limiter of the
//!             cell beyond, that its own faces, and their water the slopes of the cells behind.

use crate::grid::TILE_WIDTH;
use crate::tile::padded::{FIRST, Padded, PaddedPlane, STRIDE, index, part_mut};
use crate::tile::{Ground, Water};
use crate::units::OUTSIDE;
use std::ops::Range;

/// Cells of halo that are filled.
const REACH: usize = 4;

/// A tile as its neighbours see it.
#[derive(Debug, Clone, Copy)]
pub struct HaloPatch<'a> {
    /// Ground of the tile.
    pub ground: &'a Ground,
    /// Water of the tile at the start of the step.
    pub water: &'a Water,
}

/// Neighbour of a tile in one of its nine directions.
#[derive(Debug, Clone, Copy)]
pub enum HaloNeighbour<'a> {
    /// The end of the world.
    Outside,
    /// A tile of the same level, or the tile itself.
    Tile(HaloPatch<'a>),
    /// Cells of a different level, which are in the halo already.
    Filled,
}

impl<'a> HaloNeighbour<'a> {
    /// Returns the tile there, if it is of the same level.
    #[must_use]
    pub fn patch(&self) -> Option<HaloPatch<'a>> {
        match *self {
            Self::Tile(patch) => Some(patch),
            Self::Outside | Self::Filled => None,
        }
    }
}

/// Neighbours of a tile, from south-west to north-east; the tile itself in the middle.
pub type Neighbourhood<'a> = [HaloNeighbour<'a>; 9];

/// Index of the tile itself in a [`Neighbourhood`].
pub const CENTRE: usize = 4;

/// Rows of a padded tile that are filled: the rows of the tile and of its halo.
pub const ROWS_IN_REACH: Range<i32> = -4..68;

/// Fills the plane of roughness; does nothing if it is uniform already, with the same value.
///
/// `n2` contains the square of Manning's n of each roughness class, s²/m^(2/3); tiles without a
/// plane of classes are of class 0. Cells of a different level have the class of the tile's own
/// cell nearest to them, until the interfaces put a better one there.
pub fn gather_roughness(padded: &mut Padded, around: &Neighbourhood<'_>, n2: &[f32]) {
    let patches = || around.iter().filter_map(HaloNeighbour::patch);
    let is_uniform = patches().all(|p| p.ground.roughness.is_none());
    if is_uniform && padded.roughness_uniform == Some(n2[0]) {
        return;
    }
    padded.roughness_uniform = is_uniform.then_some(n2[0]);
    padded.roughness.fill(n2[0]);
    if is_uniform {
        return;
    }
    for row in ROWS_IN_REACH {
        let (third, from) = source_row(row);
        let own_row = row.clamp(0, 63).unsigned_abs() as usize * TILE_WIDTH;
        for (place, to, from, count) in thirds(row, from) {
            // The last own cell replaces cells of a different level.
            let (patch, from, step) = match (around[3 * third + place], place) {
                (HaloNeighbour::Tile(patch), _) => (Some(patch), from, 1),
                (HaloNeighbour::Filled, 0) => (around[CENTRE].patch(), own_row, 0),
                (HaloNeighbour::Filled, 1) => (around[CENTRE].patch(), own_row, 1),
                (HaloNeighbour::Filled, _) => (around[CENTRE].patch(), own_row + 63, 0),
                (HaloNeighbour::Outside, _) => (None, from, 1),
            };
            if let Some(classes) = patch.and_then(|p| p.ground.roughness.as_deref()) {
                for i in 0..count {
                    padded.roughness[to + i] = n2[usize::from(classes[from + step * i])];
                }
            }
        }
    }
}

/// Fills one row of bed, depth and flows, so that a kernel can take it from the first cache.
#[inline(always)]
pub fn gather_row(padded: &mut Padded, around: &Neighbourhood<'_>, row: i32) {
    let (third, from) = source_row(row);
    for (place, to, from, _) in thirds(row, from) {
        match around[3 * third + place] {
            HaloNeighbour::Tile(HaloPatch { ground, water }) => {
                copy(&mut padded.bed, to, &ground.bed, from, place);
                copy(&mut padded.depth, to, &water.depth, from, place);
                copy(&mut padded.flow_x, to, &water.flow_x, from, place);
                copy(&mut padded.flow_y, to, &water.flow_y, from, place);
            }
            HaloNeighbour::Filled => {}
            HaloNeighbour::Outside => {
                let count = if place == 1 { TILE_WIDTH } else { REACH };
                padded.bed[to..to + count].fill(OUTSIDE);
                padded.depth[to..to + count].fill(0);
                padded.flow_x[to..to + count].fill(0.0);
                padded.flow_y[to..to + count].fill(0.0);
            }
        }
    }
}

/// Fills one row that no water reaches: its bed, and no water.
#[inline(always)]
pub fn gather_dry_row(padded: &mut Padded, around: &Neighbourhood<'_>, row: i32) {
    let (third, from) = source_row(row);
    for (place, to, from, _) in thirds(row, from) {
        match around[3 * third + place] {
            HaloNeighbour::Tile(HaloPatch { ground, .. }) => {
                copy(&mut padded.bed, to, &ground.bed, from, place);
            }
            HaloNeighbour::Filled => {}
            HaloNeighbour::Outside => {
                let count = if place == 1 { TILE_WIDTH } else { REACH };
                padded.bed[to..to + count].fill(OUTSIDE);
            }
        }
    }
    *part_mut(&mut padded.depth, FIRST, row) = [0; STRIDE];
    *part_mut(&mut padded.flow_x, FIRST, row) = [0.0; STRIDE];
    *part_mut(&mut padded.flow_y, FIRST, row) = [0.0; STRIDE];
}

/// Copies a row's part of one plane: lengths the compiler sees, because a call of `memcpy` for each
/// pair of cells took a quarter of a step.
#[inline(always)]
fn copy<T: Copy>(padded: &mut PaddedPlane<T>, to: usize, source: &[T], from: usize, place: usize) {
    if place == 1 {
        copy_count::<T, TILE_WIDTH>(padded, to, source, from);
    } else {
        copy_count::<T, REACH>(padded, to, source, from);
    }
}

#[inline(always)]
fn copy_count<T: Copy, const N: usize>(
    to: &mut PaddedPlane<T>,
    at: usize,
    source: &[T],
    from: usize,
) {
    let to: &mut [T; N] = to[at..].first_chunk_mut().expect("within the plane");
    *to = *source[from..].first_chunk().expect("within the tile");
}

/// Returns the row of neighbours (0 south, 1 own, 2 north) that contains a padded row, and the
/// row's first cell in their planes.
#[inline(always)]
#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "−4 to 67")]
fn source_row(row: i32) -> (usize, usize) {
    let row = (row + TILE_WIDTH as i32) as usize;
    (row / TILE_WIDTH, row % TILE_WIDTH * TILE_WIDTH)
}

/// Returns the west, own and east part of a padded row: column of neighbours, place in the padded
/// plane, place in the neighbour, count.
#[inline(always)]
fn thirds(row: i32, from: usize) -> [(usize, usize, usize, usize); 3] {
    let own = index(0, row);
    [
        (0, own - REACH, from + TILE_WIDTH - REACH, REACH),
        (1, own, from, TILE_WIDTH),
        (2, own + TILE_WIDTH, from, REACH),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_CELLS;

    /// Fills all of `padded`, as a kernel does on its way.
    fn gather(padded: &mut Padded, around: &Neighbourhood<'_>, n2: &[f32]) {
        gather_roughness(padded, around, n2);
        ROWS_IN_REACH.for_each(|row| gather_row(padded, around, row));
    }

    /// A tile whose planes contain the world coordinates of their cells.
    fn tile(x: i32, y: i32) -> (Ground, Water) {
        let place = |i: usize| {
            let (i, width) = (i32::try_from(i).expect("4096"), 64);
            1000 * (y * width + i / width) + x * width + i % width
        };
        let bed: Vec<i32> = (0..TILE_CELLS).map(place).collect();
        let mut water = Water::dry();
        water.depth.copy_from_slice(&bed);
        (Ground::flat(bed.into()), water)
    }

    #[test]
    fn the_frame_continues_the_tile_on_all_sides() {
        let tiles: Vec<_> = (0..9).map(|i| tile(i % 3, i / 3)).collect();
        let mut around = tiles.each_patch();
        around[2] = HaloNeighbour::Outside;
        let mut padded = Padded::new();
        gather(&mut padded, &around, &[0.001]);
        for row in ROWS_IN_REACH {
            for column in ROWS_IN_REACH {
                let missing = column >= 64 && row < 0;
                let expected = if missing { 0 } else { 1000 * (64 + row) + 64 + column };
                let at = index(column, row);
                assert_eq!(padded.depth[at], expected, "column {column}, row {row}");
                assert_eq!(padded.bed[at] == OUTSIDE, missing, "column {column}, row {row}");
            }
        }
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "copied, not computed")]
    fn roughness_follows_the_tile_at_hand() {
        let mut tiles: Vec<_> = (0..9).map(|i| tile(i % 3, i / 3)).collect();
        let mut padded = Padded::new();
        gather(&mut padded, &tiles.each_patch(), &[0.25, 0.5]);
        assert!(padded.roughness[index(3, 3)] == 0.25);
        tiles[5].0.roughness = Some(vec![1; TILE_CELLS].into());
        gather(&mut padded, &tiles.each_patch(), &[0.25, 0.5]);
        assert!(padded.roughness[index(64, 3)] == 0.5 && padded.roughness[index(63, 3)] == 0.25);
        tiles[5].0.roughness = None;
        gather(&mut padded, &tiles.each_patch(), &[0.25, 0.5]);
        assert!(padded.roughness[index(64, 3)] == 0.25);
    }

    trait EachPatch {
        fn each_patch(&self) -> Neighbourhood<'_>;
    }

    impl EachPatch for Vec<(Ground, Water)> {
        fn each_patch(&self) -> Neighbourhood<'_> {
            std::array::from_fn(|i| {
                HaloNeighbour::Tile(HaloPatch { ground: &self[i].0, water: &self[i].1 })
            })
        }
    }
}
