//! Valleys carved by running water, and slopes that creep.
//!
//! ```text
//! ∂z/∂t = U − K √A S + D ∇²z,     S ≤ S_max
//! ```
//!
//! Uplift U against the stream power of the catchment A on the slope S, with soil creep D, until
//! land looks like land: ridges, branching valleys, round hilltops. The exponent ½ of A is within
//! the range found in nature and needs no more than a square root.
//!
//! Guarantees: base cells keep their height; only `+ − × ÷ √`, so the same bits everywhere.
//! Source:     Braun & Willett (2013), Geomorphology 180, for the implicit solution from the
//!             outlets upwards; the slope limit is own.

use crate::drainage::{NOWHERE, stride, trace};
use crate::lattice::{CellLattice, smooth};
use crate::noise::Noise;

/// Forces that shape the land in one round.
#[derive(Debug)]
pub struct Climate<'a> {
    /// Uplift per round, m, by cell.
    pub uplift: &'a [f64],
    /// K of a round, m⁰ (slope 1 under 1 m² is lowered by this many metres a metre), by cell.
    pub erodibility: &'a [f64],
    /// Weight of a neighbour in the creep of one round, at most ¼.
    pub creep: f64,
    /// Steepest stable slope.
    pub slope_max: f64,
    /// Unevenness too small for the lattice, drawn anew each round.
    pub grain: Noise,
    /// Cells that keep their height: valley floors and the places where rivers leave.
    pub is_base: &'a [bool],
}

/// Lets `heights` (m) erode for a number of rounds.
pub fn erode(lattice: &CellLattice, heights: &mut [f64], climate: &Climate, rounds: usize) {
    for round in 0..rounds {
        let grain = climate.grain.part(round as u64);
        let drainage = trace(lattice, heights, climate.is_base, &grain);
        for &cell in &drainage.upward {
            let receiver = drainage.receivers[cell];
            if receiver == NOWHERE {
                continue;
            }
            let length = stride(lattice, cell, receiver) * lattice.step_m;
            let power = climate.erodibility[cell] * drainage.catchments[cell].sqrt() / length;
            let lifted = heights[cell] + climate.uplift[cell];
            let carved = (lifted + power * heights[receiver]) / (1.0 + power);
            heights[cell] = carved.min(heights[receiver] + climate.slope_max * length);
        }
        let crept = smooth(lattice, heights.to_vec(), climate.creep, 1);
        for (cell, height) in heights.iter_mut().enumerate() {
            if !climate.is_base[cell] {
                *height = crept[cell];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Without creep, uplift and carving balance at S = U / (K √A) all along a lone channel.
    #[test]
    fn a_channel_settles_at_its_steady_slope() {
        let lattice = CellLattice { width: 20, height: 1, step_m: 10.0, west_m: 0.0, north_m: 0.0 };
        let is_base: Vec<bool> = (0..20).map(|cell| cell == 0).collect();
        let climate = Climate {
            uplift: &[0.5; 20],
            erodibility: &[0.1; 20],
            creep: 0.0,
            slope_max: 9.0,
            grain: Noise::new(7, 0),
            is_base: &is_base,
        };
        let mut heights = vec![0.0; 20];
        erode(&lattice, &mut heights, &climate, 2_000);
        for cell in 1..20 {
            let slope = (heights[cell] - heights[cell - 1]) / 10.0;
            let catchment = f64::from(20 - u32::try_from(cell).expect("small")) * 100.0;
            let steady = 0.5 / (0.1 * catchment.sqrt());
            assert!((slope / steady - 1.0).abs() < 1.0e-6, "cell {cell}: {slope} {steady}");
        }
    }
}
