//! Bores: the thrust of compressed water, which removes the energy that a bore must lose.
//!
//! ```text
//! s_x = max(0, −Δu − max(0, min(0.55 (b + a), 2 b, 2 a)))   b, a: −Δu of the cells beside
//! s   = min(s_x + s_y, max(0, −Δu − Δv))
//! p   = min(h s, G Δ/Δt) min(0.2 √(g h), ⅛ Δ/Δt)           m³/s², as much in x as in y;
//!                                                          G ≥ 0: depth gained in the step
//! ```
//!
//! Gravity is neither upwinded nor damped on staggered faces, so nothing dissipates the energy that
//! a bore must lose, and waves of some cells follow it, a third as high as a weak bore is. The
//! thrust is zero if water spreads or if none gathers: at rest, and in a steady river that slows
//! down over a hollow. If velocities fall evenly from cell to cell, as in long waves, the middle
//! term takes this fall out. Both axes have the same thrust, so a bore at 45° is as steep as one
//! along the grid. Between flat columns, away from the world's edge, the thrust keeps momentum and
//! takes energy: p (Δu + Δv) ≤ 0.
//!
//! Velocities beyond the world, and in cells that solids touch, are unknown. So in a cell beside
//! these no velocity counts as falling towards them, and the faces of the cell in that direction
//! gain nothing.
//!
//! Figures and the alternatives tried: `src/guide/decisions/bores.md`.
//!
//! Limits:     a standing wave of 20 cells loses a twentieth of its height in five periods. Water
//!             that gathers at a drain or a culvert counts as compressed, though the cell empties;
//!             water that enters an interval does not ([`thrust_too_much`]).
//! Source:     von Neumann & Richtmyer (1950), J. Appl. Phys. 21; taken out of smooth flow after
//!             Christensen (1990), UCRL-JC-105269.

use crate::flow::params::StepParams;
use crate::grid::{Axis, TILE_WIDTH};
use crate::tile::padded::{BLOCK, FIRST, HALO, Padded, STRIDE, WEST, column_of, index, run};
use crate::tile::padded::{part, within, within_mut};
use crate::tile::water_reach::RowBlocks;
use crate::units::{OUTSIDE, limits, maths};
use std::f32::consts::SQRT_2;

/// Columns of a row that mean something: the tile's and its halo's.
const CELLS: usize = TILE_WIDTH + 2 * HALO;

/// Values of a padded row of cells, or of the faces to their west or south.
type PaddedRow = [f32; STRIDE];
/// Values of a padded row, of a cell before it and of one behind it.
type Wide = [f32; STRIDE + 2];

/// Gains of the velocities of a row from the thrust of the cells beside.
#[derive(Debug)]
pub struct Bores {
    /// Twice p Δt/Δ of the cells of the row at hand and of the row to its south, units times m/s.
    thrust: [PaddedRow; 2],
    /// Gain of west and of south faces, in the same units.
    gained: [PaddedRow; 2],
    /// Whether cells beyond the world are among five rows, the row at hand in the middle.
    is_edge: [bool; 5],
    /// 1 if no cell beyond the world is to the west or east of a cell of the row; else 0.
    far_x: Wide,
    /// The same to the south and north, of the rows to the south, at hand and to the north.
    far_y: [PaddedRow; 3],
}

impl Default for Bores {
    fn default() -> Self {
        let (none, all) = ([0.0; STRIDE], [1.0; STRIDE]);
        Self {
            thrust: [none; 2],
            gained: [none; 2],
            is_edge: [false; 5],
            far_x: [1.0; STRIDE + 2],
            far_y: [all; 3],
        }
    }
}

impl Bores {
    /// Prepares for `row` and the rows to its north; the thrust of rows to its south is not needed.
    #[inline(always)]
    pub fn begin(&mut self, tile: &Padded, row: i32) {
        // Rows further north are not gathered yet.
        self.is_edge = [-3, -2, -1, 0, 1].map(|step| step > -3 && is_edge(tile, row + step));
    }

    /// Advances to the thrust of `row`, with the velocities of the row to its south and of two to
    /// its north.
    #[inline(always)]
    pub fn press_row(&mut self, tile: &Padded, here: (i32, RowBlocks), params: &StepParams) {
        let (row, reach) = here;
        let [_, a, b, c, d] = self.is_edge;
        self.is_edge = [a, b, c, d, is_edge(tile, row + 2)];
        self.thrust[1] = self.thrust[0];
        if reach.padded.is_empty() {
            self.thrust[0] = [0.0; STRIDE];
            return;
        }
        for block in reach.dry().padded {
            *within_mut(&mut self.thrust[0], BLOCK * block) = [0.0; BLOCK];
        }
        let is_edge = self.is_beside_edge();
        if is_edge {
            self.look_round(tile, row);
        }
        for block in reach.padded {
            if is_edge {
                self.press::<true>(tile, (block, row), params);
            } else {
                self.press::<false>(tile, (block, row), params);
            }
        }
    }

    /// Computes the gains of the faces of the row whose thrust was computed last.
    #[inline(always)]
    pub fn gain_row(&mut self, reach: RowBlocks) {
        if reach.padded.is_empty() {
            self.gained = [[0.0; STRIDE]; 2];
        } else if self.is_beside_edge() {
            self.gain_blocks::<true>(reach);
        } else {
            self.gain_blocks::<false>(reach);
        }
    }

    /// Whether cells about the row at hand are beyond the world.
    #[inline(always)]
    fn is_beside_edge(&self) -> bool {
        self.is_edge.contains(&true)
    }

    /// Returns the gain of the west or south faces of the cells from `column` on, units times m/s.
    #[inline(always)]
    #[must_use]
    pub fn gained<const N: usize>(&self, axis: Axis, column: usize) -> &[f32; N] {
        let [x, y] = &self.gained;
        let gained = match axis {
            Axis::X => x,
            Axis::Y => y,
        };
        within(gained, WEST + column)
    }

    /// Notes which cells are beside the edge of the world.
    #[inline(always)]
    fn look_round(&mut self, tile: &Padded, row: i32) {
        let beside = |step| run(&tile.bed, index(FIRST - 1, row) + step - 1);
        far(&mut self.far_x, [beside(0), beside(1), beside(2)]);
        for (of, row) in self.far_y.iter_mut().zip(row - 1..) {
            let bed = |step| part(&tile.bed, FIRST, row + step);
            far(of, [bed(-1), bed(0), bed(1)]);
        }
    }

    /// Computes the gains of the faces of a row; `EDGE` if cells about it are beyond the world.
    #[inline(always)]
    fn gain_blocks<const EDGE: bool>(&mut self, reach: RowBlocks) {
        for block in reach.own {
            self.gain::<EDGE, BLOCK>(WEST + BLOCK * block);
        }
        self.gain::<EDGE, 1>(WEST + TILE_WIDTH);
    }

    /// Computes the thrust of a block of cells.
    #[inline(always)]
    fn press<const EDGE: bool>(
        &mut self,
        tile: &Padded,
        (block, row): (usize, i32),
        params: &StepParams,
    ) {
        let (column, first) = (column_of(block), BLOCK * block);
        let depth: &[i32; BLOCK] = part(&tile.depth, column, row);
        let u = |step| part::<_, BLOCK>(&tile.flow_x, column + step, row);
        let v = |step| part::<_, BLOCK>(&tile.flow_y, column, row + step);
        let (u, v) = ([u(-1), u(0), u(1), u(2)], [v(-1), v(0), v(1), v(2)]);
        let west: &[i32; BLOCK] = part(&tile.transfer_x, column, row);
        let east: &[i32; BLOCK] = part(&tile.transfer_x, column + 1, row);
        let south: &[i32; BLOCK] = part(&tile.transfer_y, column, row);
        let north: &[i32; BLOCK] = part(&tile.transfer_y, column, row + 1);
        let far = |step| within::<_, BLOCK>(&self.far_x, first + step);
        let far_x = [far(0), far(1), far(2)];
        let far = |at: usize| within::<_, BLOCK>(&self.far_y[at], first);
        let far_y = [far(0), far(1), far(2)];
        let mut thrust = [0.0; BLOCK];
        for i in 0..BLOCK {
            let mut x = [u[0][i] - u[1][i], u[1][i] - u[2][i], u[2][i] - u[3][i]];
            let mut y = [v[0][i] - v[1][i], v[1][i] - v[2][i], v[2][i] - v[3][i]];
            if EDGE {
                x = known(x, [far_x[0][i], far_x[1][i], far_x[2][i]]);
                y = known(y, [far_y[0][i], far_y[1][i], far_y[2][i]]);
            }
            let net = west[i].wrapping_sub(east[i]).wrapping_add(south[i].wrapping_sub(north[i]));
            thrust[i] = thrust_of(depth[i], (x, y), net, params);
        }
        *within_mut(&mut self.thrust[0], first) = thrust;
    }

    /// Computes the gains of the west and south faces of `N` cells from a place in the row on.
    #[inline(always)]
    fn gain<const EDGE: bool, const N: usize>(&mut self, first: usize) {
        let [here, south] = &self.thrust;
        let west: &[f32; N] = within(here, first - 1);
        let (here, south): (&[f32; N], &[f32; N]) = (within(here, first), within(south, first));
        let (far_0, far_1) = (within(&self.far_x, first), within(&self.far_x, first + 1));
        let far_x: [&[f32; N]; 2] = [far_0, far_1];
        let (far_0, far_1) = (within(&self.far_y[0], first), within(&self.far_y[1], first));
        let far_y: [&[f32; N]; 2] = [far_0, far_1];
        let [mut gained_x, mut gained_y] = [[0.0; N]; 2];
        for i in 0..N {
            gained_x[i] = west[i] - here[i];
            gained_y[i] = south[i] - here[i];
            if EDGE {
                gained_x[i] *= far_x[0][i] * far_x[1][i];
                gained_y[i] *= far_y[0][i] * far_y[1][i];
            }
        }
        *within_mut(&mut self.gained[0], first) = gained_x;
        *within_mut(&mut self.gained[1], first) = gained_y;
    }
}

/// Whether a row of cells reaches beyond the world.
#[inline(always)]
fn is_edge(tile: &Padded, row: i32) -> bool {
    let bed: &[i32; CELLS] = part(&tile.bed, -4, row);
    // `OUTSIDE` is above all beds of the world, so the highest bed alone tells.
    bed.iter().fold(0, |highest, &bed| bed.max(highest)) == OUTSIDE
}

/// Writes 1 for cells that belong to the world together with both cells beside them, else 0.
#[inline(always)]
fn far<const N: usize>(of: &mut [f32; N], [before, own, after]: [&[i32; N]; 3]) {
    for i in 0..N {
        let highest = own[i].max(before[i].max(after[i]));
        of[i] = if highest < OUTSIDE { 1.0 } else { 0.0 };
    }
}

/// Returns twice p Δt/Δ of a cell, units times m/s: by its depth, the falls of the velocities over
/// it and the cells beside, and the units that it gains in the step.
#[inline(always)]
#[expect(clippy::cast_precision_loss, reason = "a thrust is a float")]
fn thrust_of(depth: i32, (x, y): ([f32; 3], [f32; 3]), net: i32, params: &StepParams) -> f32 {
    let h = depth as f32;
    // The root is that of 2 g h.
    let wave = SQRT_2 * limits::BORE * (params.face.wave_of_unit * h).sqrt();
    let both = maths::max(x[1] + y[1], 0.0);
    let steep = maths::min(uneven(x) + uneven(y), both);
    let gathered = net.max(0) as f32 * params.face.speed_max;
    // Without the bound by what gathers, steady rivers over uneven beds would be held back: by 7 to
    // 17 % if the bed varies by a tenth of the depth from cell to cell.
    let compressed = maths::min(h * steep, gathered);
    maths::min(wave, limits::BORE_DOUBLED_MOST) * compressed
}

/// Returns the thrust that the step computed for a cell less the thrust that the cell really has,
/// units times m/s: `left` units went out of it before, which the step did not count.
#[must_use]
pub fn thrust_too_much(
    tile: &Padded,
    (column, row): (i32, i32),
    left: i32,
    params: &StepParams,
) -> f32 {
    let at = index(column, row);
    let falls = |plane: &[f32], stride: usize| {
        let is_far = |step: usize| {
            let own = at + step * stride - stride;
            let highest = tile.bed[own].max(tile.bed[own - stride].max(tile.bed[own + stride]));
            if highest < OUTSIDE { 1.0 } else { 0.0 }
        };
        let fall = |step: usize| {
            let west = at + step * stride - stride;
            plane[west] - plane[west + stride]
        };
        known([0, 1, 2].map(fall), [0, 1, 2].map(is_far))
    };
    let falls = (falls(&tile.flow_x[..], 1), falls(&tile.flow_y[..], STRIDE));
    let net = tile.transfer_x[at]
        .wrapping_sub(tile.transfer_x[at + 1])
        .wrapping_add(tile.transfer_y[at].wrapping_sub(tile.transfer_y[at + STRIDE]));
    let [all, own] =
        [net, net.saturating_sub(left)].map(|net| thrust_of(tile.depth[at], falls, net, params));
    all - own
}

/// Returns the falls of the velocity over three cells; a `far` is 0 for a cell beside the edge of
/// the world. If an outer cell is there, its fall is replaced by that over the middle cell; if the
/// middle cell is, its own fall counts as 0: nothing falls towards the edge.
#[inline(always)]
fn known([before, own, after]: [f32; 3], [far_before, far, far_after]: [f32; 3]) -> [f32; 3] {
    let or_even = |far: f32, fall: f32| if far > 0.0 { fall } else { own };
    [or_even(far_before, before), far * own, or_even(far_after, after)]
}

/// Returns the fall of the velocity over a cell less the even fall that the cells before and after
/// it suggest.
#[inline(always)]
fn uneven([before, own, after]: [f32; 3]) -> f32 {
    let mean = limits::BORE_EVEN * (before + after);
    let even = maths::min(mean, 2.0 * maths::min(before, after));
    maths::max(own - maths::max(even, 0.0), 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::params::StepInput;
    use crate::flow::terms::Terms;
    use crate::tile::padded::index;
    use crate::tile::water_reach::WaterReach;

    /// Gain of a face in a river 1 m deep that runs faster in every second column, where cells gain
    /// `gathered` units.
    fn gained_in_river(gathered: i32) -> f32 {
        let input = StepInput {
            dt_s: 0.1,
            cell_width_m: 2.0,
            unit_m: 1.0 / 1_048_576.0,
            gravity: 9.81,
            damping: true,
            terms: Terms::NONE,
        };
        let params = StepParams::new(&input);
        let mut tile = Padded::new();
        for (column, row) in (-4..68).flat_map(|x| (-4..68).map(move |y| (x, y))) {
            let at = index(column, row);
            (tile.bed[at], tile.depth[at]) = (0, 1 << 20);
            tile.flow_x[at] = 1.0 + 0.2 * (column & 1) as f32;
            tile.transfer_x[at] = 50_000 + gathered * (column & 1);
        }
        let mut bores = Bores::default();
        bores.begin(&tile, -2);
        for row in -2..10 {
            let reach = WaterReach::EVERYWHERE.row(row);
            bores.press_row(&tile, (row, reach), &params);
            bores.gain_row(reach);
        }
        bores.gained::<1>(Axis::X, 9)[0]
    }

    /// Over hollows a steady river slows down, but nothing is compressed.
    #[test]
    fn a_steady_river_has_no_thrust() {
        assert_eq!(gained_in_river(0).to_bits(), 0);
        let [little, much, more] = [100, 100_000, 200_000].map(gained_in_river);
        assert!(little != 0.0 && much.abs() > 10.0 * little.abs(), "{little}, {much}");
        assert_eq!(much.to_bits(), more.to_bits(), "by the fall of the velocity at most");
    }

    /// Waves of 20 cells and longer fall evenly where they fall most; steps, ridges and rises do
    /// not count as even.
    #[test]
    fn long_waves_are_even_and_steps_are_not() {
        let fall = |cells: f32, at: f32| (std::f32::consts::TAU * at / cells).cos();
        for cells in [20.0, 40.0, 80.0] {
            let falls = [-1.0, 0.0, 1.0].map(|at| fall(cells, at));
            assert_eq!(uneven(falls).to_bits(), 0, "{cells} cells");
        }
        for (falls, expected) in [
            ([0.0, 1.0, 0.0], 1.0),
            ([-1.0, 1.0, -1.0], 1.0),
            ([0.2, 1.0, 0.2], 0.78),
            ([1.0, 1.0, 0.1], 0.8),
            ([-1.0, -1.0, -1.0], 0.0),
            ([0.0, -1.0, 0.0], 0.0),
        ] {
            assert!((uneven(falls) - expected).abs() < 1.0e-6, "{falls:?}: {}", uneven(falls));
        }
    }
}
