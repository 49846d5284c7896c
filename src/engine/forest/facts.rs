//! Facts of a leaf for criteria.
//!
//! Limits: differences and speeds cover the faces inside the leaf only; its faces to neighbours are
//!         not read.

use crate::grid::{TILE_WIDTH, TileKey};
use crate::tile::{Ground, Water};
use crate::units::maths::max;
use crate::units::{OUTSIDE, VerticalScale};
use serde::Serialize;

/// Facts of a leaf for criteria.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LeafFacts {
    /// Tile of the leaf.
    pub key: TileKey,
    /// True if at least one cell is wet.
    pub is_wet: bool,
    /// True if, of the cells inside the world, at least one is wet and at least one is dry.
    pub has_front: bool,
    /// Largest difference of stage between wet neighbour cells, m.
    pub stage_step_m: f32,
    /// Largest difference of bed between neighbour cells, m.
    pub bed_step_m: f32,
    /// Largest speed, m/s.
    pub speed_m_s: f32,
    /// True if merged cells would let water fall across a crest: see
    /// [`crest_separates`](crate::tile::crest_separation). Planes alone do not show it: a world of
    /// flat columns has no crests to keep.
    pub crest_separates: bool,
    /// Whether the leaf sleeps.
    pub is_asleep: bool,
    /// Age of the leaf, cycles.
    pub age_cycles: u32,
}

impl LeafFacts {
    /// Creates the facts of a dry, flat leaf of age 0.
    #[must_use]
    pub fn dry(key: TileKey) -> Self {
        Self {
            key,
            is_wet: false,
            has_front: false,
            stage_step_m: 0.0,
            bed_step_m: 0.0,
            speed_m_s: 0.0,
            crest_separates: false,
            is_asleep: false,
            age_cycles: 0,
        }
    }

    /// Computes the facts from the planes of a leaf; awake and of age 0, which are not in the
    /// planes. Cells with at least `wet_from` vertical units of water count as wet.
    ///
    /// | argument | shape | location | unit |
    /// | --- | --- | --- | --- |
    /// | `ground.bed` | 64 × 64 | cell | vertical units |
    /// | `water.depth` | 64 × 64 | cell | vertical units |
    /// | `water.flow_x`, `water.flow_y` | 64 × 64 | west, south face | m²/s |
    #[must_use]
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_precision_loss,
        reason = "a power of two, and differences to 7 digits"
    )]
    pub fn of(
        key: TileKey,
        ground: &Ground,
        water: &Water,
        scale: VerticalScale,
        wet_from: i32,
    ) -> Self {
        let (mut is_wet, mut is_dry) = (false, false);
        for (&bed, &depth) in ground.bed.iter().zip(&water.depth) {
            let (inside, wet) = (bed != OUTSIDE, depth >= wet_from);
            (is_wet, is_dry) = (is_wet | (inside & wet), is_dry | (inside & !wet));
        }
        let unit_m = scale.unit_m() as f32;
        let mut sight = FaceWalk { wet_from, unit_m, bed: 0, stage: 0, square: 0.0 };
        let stood: Option<Vec<i32>> = ground.columns.is_some().then(|| {
            let bed = |(cell, &depth): (usize, &i32)| match ground.is_inside(cell) {
                true => ground.stage(cell, depth) - depth,
                false => OUTSIDE,
            };
            water.depth.iter().enumerate().map(bed).collect()
        });
        // Flat columns of the same stages and depths.
        let beds = stood.as_deref().unwrap_or(&ground.bed);
        for row in 0..TILE_WIDTH {
            let cells = |row: usize| row * TILE_WIDTH..(row + 1) * TILE_WIDTH;
            let cut_out = |row: usize| (&beds[cells(row)], &water.depth[cells(row)]);
            let mut squares = [0.0; TILE_WIDTH];
            let (bed, depth) = cut_out(row);
            let (west, east) = ((bed, depth), (&bed[1..], &depth[1..]));
            sight.faces(west, east, &water.flow_x[cells(row)][1..], &mut squares[1..]);
            if row > 0 {
                let (south, north) = (cut_out(row - 1), (bed, depth));
                sight.faces(south, north, &water.flow_y[cells(row)], &mut squares);
            }
            sight.square = squares.into_iter().fold(sight.square, max);
        }
        Self {
            is_wet,
            has_front: is_wet && is_dry,
            stage_step_m: sight.stage as f32 * unit_m,
            bed_step_m: sight.bed as f32 * unit_m,
            speed_m_s: sight.square.sqrt(),
            ..Self::dry(key)
        }
    }

    /// Returns the facts that the parent would have as a leaf, judged by this quarter. Differences
    /// between coarser cells are assumed twice as large.
    pub(super) fn coarser(&self) -> Self {
        Self {
            key: self.key.parent(),
            stage_step_m: 2.0 * self.stage_step_m,
            bed_step_m: 2.0 * self.bed_step_m,
            age_cycles: 0,
            ..*self
        }
    }

    /// Adds the facts of a different quarter of the same tile.
    pub(super) fn join(&mut self, other: &Self) {
        self.has_front |= other.has_front || self.is_wet != other.is_wet;
        self.is_wet |= other.is_wet;
        self.crest_separates |= other.crest_separates;
        self.is_asleep &= other.is_asleep;
        self.stage_step_m = max(self.stage_step_m, other.stage_step_m);
        self.bed_step_m = max(self.bed_step_m, other.bed_step_m);
        self.speed_m_s = max(self.speed_m_s, other.speed_m_s);
    }
}

/// Results of a walk over the faces inside a leaf.
struct FaceWalk {
    wet_from: i32,
    unit_m: f32,
    /// Largest difference of bed, vertical units.
    bed: i32,
    /// Largest difference of stage between wet cells, vertical units.
    stage: i32,
    /// Largest square of a speed, m²/s².
    square: f32,
}

/// Beds and depths of some cells of a row.
type RowCells<'a> = (&'a [i32], &'a [i32]);

impl FaceWalk {
    /// Reads the faces between some cells and their neighbours to the east or north; adds the
    /// squares of their velocities to `squares`. Sums of beds and stages do not overflow: see
    /// [`OUTSIDE`].
    fn faces(&mut self, low: RowCells<'_>, high: RowCells<'_>, flow: &[f32], squares: &mut [f32]) {
        let low = low.0.iter().zip(low.1);
        let high = high.0.iter().zip(high.1);
        // At least 1: each discharge is divided by an opening of no less, even if the result is
        // dropped.
        let least = self.wet_from.max(1);
        for (((low, high), &q), square) in low.zip(high).zip(flow).zip(squares) {
            let ((&z_low, &h_low), (&z_high, &h_high)) = (low, high);
            let inside = (z_low != OUTSIDE) & (z_high != OUTSIDE);
            let wet = inside & (h_low >= self.wet_from) & (h_high >= self.wet_from);
            let (stage_low, stage_high) = (z_low.wrapping_add(h_low), z_high.wrapping_add(h_high));
            let bed = z_high.wrapping_sub(z_low).wrapping_abs();
            let stage = stage_high.wrapping_sub(stage_low).wrapping_abs();
            self.bed = self.bed.max(if inside { bed } else { 0 });
            self.stage = self.stage.max(if wet { stage } else { 0 });
            let opening = stage_low.max(stage_high).wrapping_sub(z_low.max(z_high));
            #[expect(clippy::cast_precision_loss, reason = "7 digits are enough")]
            let velocity = q / (opening.max(least) as f32 * self.unit_m);
            *square += if inside & (opening >= least) { velocity * velocity } else { 0.0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::grid::TILE_CELLS;

    const KEY: TileKey = TileKey { level: 1, x: 4, y: 6 };

    #[test]
    fn facts_are_those_of_the_planes() {
        let scale = VerticalScale::try_new(20, 0.0).expect("good");
        let metre = 1 << 20;
        // A plane that falls by 0.25 m a cell to the east, no ground in the last column, and water
        // with a stage at −4 m plus a bump.
        let bed = |cell: usize| match cell % TILE_WIDTH {
            63 => OUTSIDE,
            x => -i32::try_from(x).expect("small") * metre / 4,
        };
        let bed: Vec<i32> = (0..TILE_CELLS).map(bed).collect();
        let ground = Ground::flat(bed.into());
        let mut water = Water::dry();
        for cell in 0..TILE_CELLS {
            let is_inside = ground.is_inside(cell);
            water.depth[cell] = if is_inside { (-4 * metre - ground.bed[cell]).max(0) } else { 0 };
        }
        let bump = 30 * TILE_WIDTH + 40;
        water.depth[bump] += metre / 8;
        // 1 m²/s through 6.125 m of opening, and as much across; a film that is not counted.
        (water.flow_x[bump], water.flow_y[bump]) = (3.0, 4.0);
        water.flow_x[70] = 9.0;
        let facts = LeafFacts::of(KEY, &ground, &water, scale, 10);
        let speed_m_s = facts.speed_m_s;
        assert_eq!(
            facts,
            LeafFacts {
                is_wet: true,
                has_front: true,
                stage_step_m: 0.125,
                bed_step_m: 0.25,
                speed_m_s,
                ..LeafFacts::dry(KEY)
            }
        );
        // West of the bump the higher bed is 39 cells down, south of it 40.
        let (u, v) = (3.0 / (0.125 + 5.75_f32), 4.0 / (0.125 + 6.0));
        assert!((speed_m_s - (u * u + v * v).sqrt()).abs() < 1e-6, "{speed_m_s} m/s");

        let dry = LeafFacts::of(KEY, &ground, &Water::dry(), scale, 10);
        assert_eq!(dry, LeafFacts { bed_step_m: 0.25, ..LeafFacts::dry(KEY) });
    }

    #[test]
    fn a_wet_and_a_dry_quarter_make_a_front() {
        let dry = LeafFacts { is_asleep: true, ..LeafFacts::dry(KEY) };
        let wet = LeafFacts { is_wet: true, stage_step_m: 0.1, age_cycles: 9, ..dry };
        let mut all = dry.coarser();
        all.join(&dry.coarser());
        assert!(!all.has_front && all.is_asleep);
        all.join(&wet.coarser());
        let expected = LeafFacts { has_front: true, is_wet: true, stage_step_m: 0.2, ..dry };
        assert_eq!(all, LeafFacts { key: KEY.parent(), ..expected });
        let mut all = wet.coarser();
        all.join(&wet.coarser());
        assert!(!all.has_front);
    }
}
