//! Filling a padded tile from a tile and its eight neighbours.
//!
//! Guarantees: both tiles at an edge see the same numbers, so they compute the same transfers.
//! Limits:     neighbours of the same level; two cells of frame, the reach of the pipe.

use crate::grid::TILE_WIDTH;
use crate::tile::Ground;
use crate::tile::Water;
use crate::tile::padded::Padded;
use crate::tile::padded::Plane;
use crate::tile::padded::STRIDE;
use crate::tile::padded::index;
use crate::units::OUTSIDE;

/// Cells of frame that are filled.
const REACH: usize = 2;

/// A tile as its neighbours see it.
#[derive(Debug, Clone, Copy)]
pub struct Patch<'a> {
    /// Its ground.
    pub ground: &'a Ground,
    /// Its water at the start of the step.
    pub water: &'a Water,
}

/// The nine patches a tile sees, from south-west to north-east; its own in the middle. `None` is
/// beyond the world.
pub type Neighbourhood<'a> = [Option<Patch<'a>>; 9];

/// Index of the tile itself in a [`Neighbourhood`].
pub const CENTRE: usize = 4;

/// Fills all of `padded` that the pipe reads.
///
/// `n2` holds the square of Manning's n of each roughness class, s²/m^(2/3); tiles without a plane
/// of classes are of class 0.
pub fn gather(padded: &mut Padded, around: &Neighbourhood<'_>, n2: &[f32]) {
    frame_plane(&mut padded.bed, around, |p| &p.ground.bed, OUTSIDE);
    frame_plane(&mut padded.depth, around, |p| &p.water.depth, 0);
    frame_plane(&mut padded.flow_x, around, |p| &p.water.flow_x, 0.0);
    frame_plane(&mut padded.flow_y, around, |p| &p.water.flow_y, 0.0);
    let is_uniform = around.iter().flatten().all(|p| p.ground.roughness.is_none());
    if is_uniform && padded.roughness_uniform == Some(n2[0]) {
        return;
    }
    padded.roughness_uniform = is_uniform.then_some(n2[0]);
    padded.roughness.fill(n2[0]);
    if !is_uniform {
        for (place, patch) in around.iter().enumerate() {
            if let Some(classes) = patch.and_then(|p| p.ground.roughness.as_deref()) {
                let (_, _, count) = overlap(place % 3);
                each_row(place, |to, from| {
                    for i in 0..count {
                        padded.roughness[to + i] = n2[usize::from(classes[from + i])];
                    }
                });
            }
        }
    }
}

/// Copies one plane of all nine patches into its padded plane.
fn frame_plane<'a, T: Copy + 'a>(
    padded: &mut Plane<T>,
    around: &Neighbourhood<'a>,
    plane: impl Fn(Patch<'a>) -> &'a [T],
    beyond: T,
) {
    for (place, patch) in around.iter().enumerate() {
        let source = patch.map(&plane);
        match place % 3 {
            1 => copy_rows::<T, TILE_WIDTH>(padded, source, place, beyond),
            _ => copy_rows::<T, REACH>(padded, source, place, beyond),
        }
    }
}

/// Copies the part of neighbour `place` that is in reach, `N` cells a row: a length known to the
/// compiler, because a call for each pair of cells took a quarter of a step.
fn copy_rows<T: Copy, const N: usize>(
    padded: &mut Plane<T>,
    source: Option<&[T]>,
    place: usize,
    beyond: T,
) {
    each_row(place, |to, from| {
        let to: &mut [T; N] = padded[to..].first_chunk_mut().expect("within the plane");
        *to = match source {
            Some(source) => *source[from..].first_chunk().expect("within the tile"),
            None => [beyond; N],
        };
    });
}

/// Calls `copy(to, from)` for each row of the part of neighbour `place` that is in reach.
#[inline(always)]
fn each_row(place: usize, mut copy: impl FnMut(usize, usize)) {
    let (to_x, from_x, _) = overlap(place % 3);
    let (to_y, from_y, count_y) = overlap(place / 3);
    let start = index(to_x, to_y);
    for row in 0..count_y {
        copy(start + row * STRIDE, (from_y + row) * TILE_WIDTH + from_x);
    }
}

/// Along one axis: first padded place, first place in the neighbour, count.
#[expect(clippy::cast_possible_truncation, reason = "2 and 64")]
fn overlap(third: usize) -> (i32, usize, usize) {
    match third {
        0 => (-(REACH as i32), TILE_WIDTH - REACH, REACH),
        1 => (0, 0, TILE_WIDTH),
        _ => (TILE_WIDTH as i32, 0, REACH),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_CELLS;

    /// A tile whose planes hold the world coordinates of their cells.
    fn tile(x: i32, y: i32) -> (Ground, Water) {
        let place = |i: usize| {
            let (i, width) = (i32::try_from(i).expect("4096"), 64);
            1000 * (y * width + i / width) + x * width + i % width
        };
        let bed: Vec<i32> = (0..TILE_CELLS).map(place).collect();
        let mut water = Water::dry();
        water.depth.copy_from_slice(&bed);
        (Ground { bed: bed.into(), roughness: None }, water)
    }

    #[test]
    fn the_frame_continues_the_tile_on_all_sides() {
        let tiles: Vec<_> = (0..9).map(|i| tile(i % 3, i / 3)).collect();
        let mut around = tiles.each_patch();
        around[2] = None;
        let mut padded = Padded::new();
        gather(&mut padded, &around, &[0.001]);
        for row in -2..66 {
            for column in -2..66 {
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
            std::array::from_fn(|i| Some(Patch { ground: &self[i].0, water: &self[i].1 }))
        }
    }
}
