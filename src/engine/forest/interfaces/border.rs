//! The cells along the sides of a leaf that are in the halos of leaves beside it.

use crate::grid::TILE_WIDTH;
use crate::tile::Water;
use crate::tile::padded::HALO;
use std::ops::Range;

/// Sides of a leaf that its neighbours read, each as deep as a halo.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Border {
    south: bool,
    north: bool,
    west: bool,
    east: bool,
}

impl Border {
    /// Creates the border of a leaf towards some of the places around it, 0 to 8 from the
    /// south-west.
    #[must_use]
    pub fn towards(is_seen: impl Fn(usize) -> bool) -> Self {
        let any = |places: &[usize]| places.iter().any(|&place| is_seen(place));
        Self { south: any(&[0, 1, 2]), north: any(&[6, 7, 8]), west: is_seen(3), east: is_seen(5) }
    }

    /// Calls `act` with the cells of the border, row by row, each once.
    #[inline(always)]
    pub fn each_run(self, mut act: impl FnMut(Range<usize>)) {
        let Self { south, north, west, east } = self;
        for row in 0..TILE_WIDTH {
            let first = row * TILE_WIDTH;
            if south && row < HALO || north && row >= TILE_WIDTH - HALO {
                act(first..first + TILE_WIDTH);
                continue;
            }
            if west {
                act(first..first + HALO);
            }
            if east {
                act(first + TILE_WIDTH - HALO..first + TILE_WIDTH);
            }
        }
    }

    /// Copies the water of the border.
    pub fn copy(self, from: &Water, to: &mut Water) {
        self.copy_plane(&from.depth, &mut to.depth);
        self.copy_plane(&from.flow_x, &mut to.flow_x);
        self.copy_plane(&from.flow_y, &mut to.flow_y);
    }

    /// Copies the numbers of the border from one plane to another.
    pub fn copy_plane<T: Copy>(self, from: &[T], to: &mut [T]) {
        self.each_run(|cells| to[cells.clone()].copy_from_slice(&from[cells]));
    }
}
