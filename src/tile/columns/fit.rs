//! Fitting tables to finest beds and sills.

use crate::tile::columns::Openings;
use crate::tile::columns::Stages;
use crate::tile::columns::stages::SEGMENTS;
use crate::units::OUTSIDE;
use crate::units::maths;

/// Makes the table of one cell from its finest beds, in any order and changed; `bed` is the mean of
/// those inside.
pub fn set_stages(stages: &mut Stages, cell: usize, bed: i32, beds: &mut [i32]) {
    beds.sort_unstable();
    let count = beds.len() as f64;
    let beds = &beds[..beds.partition_point(|&z| z != OUTSIDE)];
    let (Some(&lowest), Some(&highest)) = (beds.first(), beds.last()) else { return };
    let inside = beds.len() as f64;
    let sum: f64 = beds.iter().map(|&z| f64::from(z)).sum();
    let full = ((inside * f64::from(highest) - sum) / count).max(1.0);
    let excess = (count - inside) / inside;
    let span = (f64::from(bed) - f64::from(lowest) + excess * full).max(0.0);
    stages.full[cell] = above(full);
    stages.excess[cell] = excess as f32;
    stages.span[cell] = span as f32;
    let mut knots = [0; SEGMENTS + 1];
    let (mut wet, mut below, mut least) = (1, f64::from(beds[0]), WHOLE);
    for (k, knot) in knots.iter_mut().enumerate().take(SEGMENTS) {
        let part = k as f64 / SEGMENTS as f64;
        let depth = full * (part * part * (part * part));
        // The stage at which the wet beds hold this depth: (stage · wet − below) / count.
        let stage = loop {
            let stage = (depth * count + below) / wet as f64;
            if wet == beds.len() || stage <= f64::from(beds[wet]) {
                break stage;
            }
            below += f64::from(beds[wet]);
            wet += 1;
        };
        let deficit = f64::from(bed) + depth - stage + excess * full;
        least = (WHOLE * deficit / span.max(1.0)).round().clamp(0.0, least);
        *knot = least as u16;
    }
    stages.set_knots(cell, knots);
}

/// Makes the table of one face from the sills of its finest places; those outside the world are at
/// [`OUTSIDE`].
pub fn set_openings(openings: &mut Openings, face: usize, sills: &mut [i32]) {
    sills.sort_unstable();
    let count = sills.len() as f64;
    let sills = &sills[..sills.partition_point(|&z| z != OUTSIDE)];
    let (Some(&lowest), Some(&highest)) = (sills.first(), sills.last()) else { return };
    // Sums over the wet sills of (stage − sill) and its power 5/3, over the whole width.
    let at = |stage: f64| {
        let (mut area, mut conveyance) = (0.0, 0.0);
        for &sill in sills.iter().take_while(|&&sill| f64::from(sill) < stage) {
            let depth = stage - f64::from(sill);
            area += depth;
            // x^(5/3) = x² · x^(−1/3)
            conveyance += depth * depth * f64::from(maths::inverse_cube_root(depth as f32));
        }
        let mean = if area > 0.0 { conveyance / area } else { 0.0 };
        (area / count, mean * mean.sqrt())
    };
    let range = f64::from(highest) - f64::from(lowest);
    let (area, conveying) = at(f64::from(highest));
    openings.sill[face] = lowest;
    openings.top[face] = highest;
    openings.area[face] = area as f32;
    openings.conveying[face] = conveying as f32;
    openings.share[face] = (sills.len() as f64 / count) as f32;
    let of_whole = |part: f64| (WHOLE * part).round().min(WHOLE) as u16;
    let at_lowest = sills.partition_point(|&sill| sill == lowest) as f64 / count;
    let mut knots = [[of_whole(at_lowest), of_whole(1.0)]; SEGMENTS + 1];
    for (k, knot) in knots.iter_mut().enumerate().skip(1) {
        let part = k as f64 / SEGMENTS as f64;
        let over = range * part * part;
        let (own, deep) = at(f64::from(lowest) + over);
        if own > 0.0 {
            *knot = [of_whole(own / over), of_whole(deep / over)];
        }
    }
    openings.set_knots(face, knots);
}

/// The largest value of a knot.
const WHOLE: f64 = 65_535.0;

/// `x` as an `f32` that is not below it.
fn above(x: f64) -> f32 {
    let near = x as f32;
    if f64::from(near) < x { near.next_up() } else { near }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::CEILING;
    use crate::units::hash::scramble;

    /// Beds of 8 × 8 cells of a kind: even, rough, with a pit, a cliff, a wall, at the ends of the
    /// range, in part outside.
    fn beds_of(seed: u64) -> Vec<i32> {
        let mut state = seed;
        let mut draw = |most: i64| {
            state = scramble(state.wrapping_add(0x9e37_79b9));
            (state >> 16).cast_signed().rem_euclid(most + 1)
        };
        let highest = i64::from(CEILING) - 1;
        let relief = 1 << (draw(30));
        let base = draw(2 * highest) - highest;
        let kind = draw(6);
        let ends = [-highest, highest];
        (0..64)
            .map(|i| {
                let z = match kind {
                    0 => base,
                    1 => base + draw(relief),
                    2 => base - if i == 27 { relief } else { 0 },
                    3 => base + if i % 8 < 3 { relief } else { 0 },
                    4 => base + if i % 8 == 4 { relief } else { draw(1000) },
                    5 => ends[usize::from(draw(1) == 1)],
                    _ if draw(2) == 0 && i > 0 => return OUTSIDE,
                    _ => base + draw(relief),
                };
                i32::try_from(z.clamp(-highest, highest)).expect("clamped")
            })
            .collect()
    }

    fn mean(beds: &[i32]) -> i32 {
        let inside: Vec<i64> =
            beds.iter().filter(|&&z| z != OUTSIDE).map(|&z| i64::from(z)).collect();
        let (sum, count) = (inside.iter().sum::<i64>(), inside.len() as i64);
        i32::try_from((2 * sum + count).div_euclid(2 * count)).expect("a mean")
    }

    /// Goal: tables are monotone and invertible over any bed. Method: seeded 8 × 8 beds of seven
    /// kinds; depths of all sizes below the ceiling.
    #[test]
    fn stages_rise_and_come_back() {
        for seed in 0..3_000_u64 {
            let beds = beds_of(seed);
            let bed = mean(&beds);
            let mut stages = Stages::flat(1);
            set_stages(&mut stages, 0, bed, &mut beds.clone());
            let lowest = *beds.iter().min().expect("64");
            let inside = beds.iter().filter(|&&z| z != OUTSIDE).count();
            let off = (stages.surface(0, bed, 0).stage - lowest).abs();
            let range = f64::from(stages.span[0]) + f64::from(stages.full[0]);
            assert!(f64::from(off) <= 2.0 + range / 4.0e6, "seed {seed}: dry at {off}");
            let most = (i64::from(CEILING) - i64::from(lowest)) * inside as i64 / 64;
            for place in 0..60_u64 {
                let size = 1 << (place % 30);
                let drawn = scramble(seed ^ (place << 32)).cast_signed().rem_euclid(size);
                let depth = i32::try_from(drawn.min(most - 1).max(0)).expect("below");
                let here = stages.surface(0, bed, depth);
                let next = stages.surface(0, bed, depth + 1);
                if next.stage == CEILING {
                    continue;
                }
                let place = format!("seed {seed}, depth {depth}: {here:?} then {next:?}");
                assert!(next.stage > here.stage, "{place}");
                let quantum = here.quantum.max(1);
                assert!(next.stage - here.stage <= quantum, "{place}");
                for stage in [here.stage, next.stage - 1] {
                    assert_eq!(stages.holds(0, bed, stage), depth, "{place}");
                }
            }
        }
    }

    /// Goal: stage and volume are those of the beds. Method: rough and bimodal beds, against sums.
    #[test]
    fn stages_follow_their_beds() {
        let (mut worst, mut count) = (0.0_f64, 0);
        for seed in 0..2_000_u64 {
            let beds = beds_of(seed);
            let bed = mean(&beds);
            let (lowest, highest) = beds
                .iter()
                .filter(|&&z| z != OUTSIDE)
                .fold((i32::MAX, i32::MIN), |(low, high), &z| (low.min(z), high.max(z)));
            let range = i64::from(highest) - i64::from(lowest);
            if !(1 << 12..1 << 26).contains(&range) {
                continue;
            }
            let mut stages = Stages::flat(1);
            set_stages(&mut stages, 0, bed, &mut beds.clone());
            for part in [5, 20, 50, 80, 100, 150] {
                let stage = i64::from(lowest) + range * part / 100;
                let over = beds.iter().filter(|&&z| z != OUTSIDE);
                if stage >= i64::from(CEILING) {
                    continue;
                }
                let held: i64 = over.map(|&z| (stage - i64::from(z)).max(0)).sum();
                let depth = i32::try_from(held / 64).expect("in range");
                let got = i64::from(stages.surface(0, bed, depth).stage);
                let error = (got - stage) as f64 / range as f64;
                worst = worst.max(error.abs());
                count += 1;
                assert!(part < 100 || error.abs() < 1.0e-3, "seed {seed}, {part} %: {error}");
            }
        }
        assert!(count > 3_000 && worst < 0.15, "{count} cases, worst {worst}");
    }

    #[test]
    fn openings_follow_their_sills() {
        let mut worst = 0.0_f64;
        for seed in 0..2_000_u64 {
            let mut sills = beds_of(seed);
            sills.truncate(16);
            let mut openings = Openings::closed(1);
            set_openings(&mut openings, 0, &mut sills.clone());
            let lowest = *sills.iter().min().expect("16");
            let highest = sills.iter().copied().filter(|&z| z != OUTSIDE).max().unwrap_or(lowest);
            let range = i64::from(highest) - i64::from(lowest);
            assert_eq!(openings.between(0, (lowest, lowest)).area, 0, "seed {seed}");
            let mut last = 0;
            for step in 1..40_i64 {
                let stage = i64::from(lowest) + range * step / 30 + step;
                let Ok(stage) = i32::try_from(stage.min(i64::from(CEILING) - 1)) else { continue };
                let at = openings.between(0, (stage, stage));
                let over = sills.iter().map(|&z| (i64::from(stage) - i64::from(z)).max(0));
                let exact = over.sum::<i64>() as f64 / 16.0;
                let error = (f64::from(at.area) - exact).abs() / (range as f64 + 1000.0);
                let place = format!("seed {seed}, step {step}: {at:?} for {exact}");
                worst = worst.max(error);
                assert!(at.area >= last, "{place}");
                assert!(at.conveying >= 0.0 && at.conveying.is_finite(), "{place}");
                last = at.area;
            }
        }
        assert!(worst < 0.02, "worst {worst}");
    }
}
