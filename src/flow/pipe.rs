//! One step of the pipe method on one padded tile, compiled once per instruction set.
//!
//! Guarantees: every version gives the same bits (`versions_agree`); the fastest one this processor
//!             runs is chosen once, at start.
//! Limits:     no transport of momentum.
//! Source:     Mei, Decaudin & Hu (2007) for virtual pipes; Bates, Horritt & Fewtrell (2010).

use crate::flow::depth::depth_row;
use crate::flow::face::ColumnSums;
use crate::flow::face::FaceParams;
use crate::flow::face::FaceSummary;
use crate::flow::face::discharge_row;
use crate::flow::limiter::limit_row;
use crate::flow::params::StepParams;
use crate::flow::transfer::Axis;
use crate::flow::transfer::Dither;
use crate::flow::transfer::transfer_row;
use crate::tile::Water;
use crate::tile::halo::Neighbourhood;
use crate::tile::halo::gather_row;
use crate::tile::padded::Padded;
use crate::tile::padded::span;

/// What one tile-step saw.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepSummary {
    /// On its faces.
    pub faces: FaceSummary,
    /// Cells whose outflow was limited.
    pub limited: u32,
}

/// What a tile-step reads.
#[derive(Debug, Clone, Copy)]
pub struct TileStep<'a> {
    /// The tile and its eight neighbours.
    pub around: &'a Neighbourhood<'a>,
    /// Constants of the step.
    pub params: &'a StepParams,
    /// Draws of the tile and the step.
    pub dither: &'a Dither,
}

/// One step: gathers into the padded tile, whose roughness is there already, and puts the new water
/// of the tile's own cells and faces into the last.
pub type Step = fn(&mut Padded, &TileStep<'_>, &mut Water) -> StepSummary;

/// A version of the step and the name of its instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Version {
    /// Name of the instruction set.
    pub name: &'static str,
    /// The step.
    pub step: Step,
}

/// The versions this processor runs, the baseline first and the fastest last.
#[must_use]
pub fn versions() -> Vec<Version> {
    let mut versions = vec![Version { name: "baseline", step: baseline }];
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") {
            versions.push(Version { name: "avx2", step: x86::avx2 });
        }
        let has_512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq");
        if has_512 && is_x86_feature_detected!("avx2") {
            versions.push(Version { name: "avx512", step: x86::avx512 });
        }
    }
    versions
}

fn baseline(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
    step_rows(tile, step, out)
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;

    pub fn avx2(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
        #[target_feature(enable = "avx2")]
        fn compiled(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
            step_rows(tile, step, out)
        }
        // SAFETY: `versions` names this function only where the processor has AVX2.
        unsafe { compiled(tile, step, out) }
    }

    pub fn avx512(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
        #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
            step_rows(tile, step, out)
        }
        // SAFETY: `versions` names this function only where the processor has all five.
        unsafe { compiled(tile, step, out) }
    }
}

/// Rows that are gathered before they are read: a row read at once waits for its own stores.
const AHEAD: i32 = 4;

/// The step itself, inlined into each version.
///
/// Rows run in a staircase, so that each phase finds a row in the first cache: transfers need the
/// row to the south, a row's depths the limited transfers of both its sides, its discharges the
/// depths of the row to the south.
#[inline(always)]
fn step_rows(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
    // Copies, so that the compiler knows that no store into a plane changes them.
    let (around, params, dither) = (step.around, &{ *step.params }, &{ *step.dither });
    let scale = params.units_per_flow;
    let mut limited = 0;
    let mut sums = ColumnSums::new();
    (-3..AHEAD - 2).for_each(|row| gather_row(tile, around, row));
    for row in -3..65 {
        if row + AHEAD < 66 {
            gather_row(tile, around, row + AHEAD);
        }
        if row < 64 {
            transfer_row(tile, Axis::X, row + 1, scale, dither);
        }
        transfer_row(tile, Axis::Y, row + 1, scale, dither);
        if row >= -2 {
            limited += limit_row(tile, row);
        }
        if row == 0 {
            depth_row(tile, -1);
        } else if row > 0 {
            finish_row(tile, row - 1, &params.face, out, &mut sums);
        }
    }
    StepSummary { faces: sums.total(), limited }
}

/// Depths and discharges of one of the tile's own rows.
#[inline(always)]
fn finish_row(
    tile: &mut Padded,
    row: i32,
    face: &FaceParams,
    out: &mut Water,
    sums: &mut ColumnSums,
) {
    depth_row(tile, row);
    let own = 64 * row.unsigned_abs() as usize..;
    let depth: &mut [i32; 64] = out.depth[own.clone()].first_chunk_mut().expect("64 rows of 64");
    depth.copy_from_slice(&tile.depth_new[span(row, 0, 64)]);
    let flow_x = out.flow_x[own.clone()].first_chunk_mut().expect("64 rows of 64");
    discharge_row(tile, Axis::X, row, face, flow_x, sums);
    let flow_y = out.flow_y[own].first_chunk_mut().expect("64 rows of 64");
    discharge_row(tile, Axis::Y, row, face, flow_y, sums);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::params::StepInput;
    use crate::grid::TILE_CELLS;
    use crate::tile::Ground;
    use crate::tile::halo::Patch;
    use crate::tile::halo::gather_roughness;
    use crate::tile::padded::index;
    use crate::units::OUTSIDE;
    use crate::units::hash::scramble;

    /// A tile with every kind of cell: deep, thin, dry, outside, fast.
    fn wild(seed: u64) -> (Ground, Water) {
        let mut state = seed << 32;
        let mut draw = |most: u64| {
            state = scramble(state + 1);
            i32::try_from(state % most).expect("below 2³¹")
        };
        let mut water = Water::dry();
        let mut bed = vec![OUTSIDE; TILE_CELLS];
        let mut classes = vec![0; TILE_CELLS];
        for cell in 0..TILE_CELLS {
            if draw(20) == 0 {
                continue;
            }
            bed[cell] = draw(1 << 22) - (1 << 21);
            let bits = draw(24);
            water.depth[cell] = draw(3) * draw(1 << bits);
            water.flow_x[cell] = draw(2001) as f32 * 1.0e-2 - 10.0;
            water.flow_y[cell] = draw(2001) as f32 * 1.0e-4 - 0.1;
            classes[cell] = u8::try_from(draw(3)).expect("three classes");
        }
        (Ground { bed: bed.into(), roughness: Some(classes.into()) }, water)
    }

    #[test]
    fn versions_agree() {
        let n2 = [0.0, 0.0009, 0.01];
        for (seed, dt_s) in (0..20).flat_map(|seed| [0.01, 0.3, 5.0].map(|dt| (seed, dt))) {
            let (cell_width_m, unit_m, gravity) = (2.0, 1.0 / 1_048_576.0, 9.81);
            let input = StepInput { dt_s, cell_width_m, unit_m, gravity, settling: true };
            let params = &StepParams::new(&input);
            let dither = &Dither::new(seed, 0, 640, 128, 77);
            let tiles: Vec<_> = (0..9).map(|i| wild(10 * seed + i)).collect();
            let patch = |i: usize| Patch { ground: &tiles[i].0, water: &tiles[i].1 };
            let around = &std::array::from_fn(|i| (i != 2).then(|| patch(i)));
            let run = |version: Version| {
                let (mut tile, mut out) = (Padded::new(), Water::dry());
                gather_roughness(&mut tile, around, &n2);
                let step = TileStep { around, params, dither };
                let summary = (version.step)(&mut tile, &step, &mut out);
                let bits = |plane: &[f32]| plane.iter().map(|q| q.to_bits()).collect::<Vec<_>>();
                (bits(&out.flow_x), bits(&out.flow_y), out.depth, summary)
            };
            let expected = run(versions()[0]);
            assert!(expected.3.limited > 0 && expected.3.faces.is_restless, "a wild state");
            for version in &versions()[1..] {
                assert!(run(*version) == expected, "{}, seed {seed}, Δt {dt_s}", version.name);
            }
        }
    }

    /// What a tile believes of its neighbour's new depths is what the neighbour computes: the new
    /// depth west of the tile, which its own discharges use, stands in its padded plane.
    #[test]
    fn neighbours_agree_on_new_depths() {
        for seed in 0..20 {
            let (cell_width_m, unit_m, gravity) = (2.0, 1.0 / 1_048_576.0, 9.81);
            let input = StepInput { dt_s: 0.3, cell_width_m, unit_m, gravity, settling: true };
            let params = &StepParams::new(&input);
            let tiles: Vec<_> = (0..25).map(|i| wild(100 * seed + i)).collect();
            let run = |x: usize, y: usize, corner: (u32, u32)| {
                let patch = |i: usize| {
                    let at = (y + i / 3 - 1) * 5 + x + i % 3 - 1;
                    Some(Patch { ground: &tiles[at].0, water: &tiles[at].1 })
                };
                let around = &std::array::from_fn(patch);
                let dither = &Dither::new(seed, 0, corner.0, corner.1, 5);
                let (mut tile, mut out) = (Padded::new(), Water::dry());
                gather_roughness(&mut tile, around, &[0.0, 0.0009, 0.01]);
                baseline(&mut tile, &TileStep { around, params, dither }, &mut out);
                (tile, out)
            };
            let ((own, _), (_, west), (_, south)) =
                (run(2, 2, (128, 128)), run(1, 2, (64, 128)), run(2, 1, (128, 64)));
            for i in 0..64 {
                let believed = own.depth_new[index(-1, i)];
                assert_eq!(believed, west.depth[i as usize * 64 + 63], "seed {seed}, row {i}");
                let believed = own.depth_new[index(i, -1)];
                assert_eq!(believed, south.depth[63 * 64 + i as usize], "seed {seed}, column {i}");
            }
        }
    }
}
