//! Tables against the beds and sills they are made from.

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
    let inside: Vec<i64> = beds.iter().filter(|&&z| z != OUTSIDE).map(|&z| i64::from(z)).collect();
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
        StageFit::default().set(&mut stages, 0, bed, &mut beds.clone());
        let lowest = *beds.iter().min().expect("64");
        let inside = beds.iter().filter(|&&z| z != OUTSIDE).count();
        let off = (stages.surface(0, bed, 0).stage - lowest).abs();
        let range = f64::from(stages.cells[0].span) + f64::from(stages.cells[0].full);
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

/// Goal: cells that lie outside but for a few places hold and stand as those do, up to the ceiling.
/// Method: 1 to 40 places inside of 256 to 65,536; depths of all sizes below their room.
#[test]
fn slivers_hold_what_their_ground_does() {
    for seed in 0..300_u64 {
        let count = 1_usize << (8 + 2 * (seed % 5));
        let mut beds = vec![OUTSIDE; count];
        let own = beds_of(7 * seed + seed % 6)
            .into_iter()
            .take(usize::try_from(1 + seed % 40).expect("small"));
        for (i, bed) in own.enumerate() {
            beds[(i + 1) * 7919 % count] = bed;
        }
        let count = count as u64;
        let inside = beds.iter().filter(|&&z| z != OUTSIDE).count() as u64;
        let bed = mean(&beds);
        let mut stages = Stages::flat(1);
        StageFit::default().set(&mut stages, 0, bed, &mut beds);
        let room = (i64::from(CEILING) - i64::from(bed)).unsigned_abs() * inside / count;
        let dry = stages.dry(0, bed);
        assert_eq!(dry, stages.surface(0, bed, 0).stage);
        for place in 0..60_u64 {
            let part = ((scramble(seed ^ (place << 32)) % (2 << (place % 30))) * room) >> 30;
            let depth = i32::try_from(part.min(room)).expect("below");
            let here = stages.surface(0, bed, depth);
            let place =
                format!("seed {seed}: {inside} of {count}, depth {depth} of {room}: {here:?}");
            assert!(here.stage >= dry && here.slope >= 1.0, "{place}");
            if here.stage < CEILING {
                assert_eq!(stages.holds(0, bed, here.stage), depth, "{place}");
            }
        }
        let full = stages.holds(0, bed, CEILING);
        let slack = 8 + (room >> 20);
        assert!(u64::from(full.unsigned_abs()) <= room + slack, "seed {seed}: {full} of {room}");
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
        StageFit::default().set(&mut stages, 0, bed, &mut beds.clone());
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

/// The stage over the lowest bed at which sorted beds hold a depth, by the definition.
fn stage_of(beds: &[i32], depth: f64) -> f64 {
    let held = depth * beds.len() as f64;
    let (mut below, mut stage) = (0.0, f64::INFINITY);
    for (wet, &z) in (1..).zip(beds) {
        below += f64::from(z) - f64::from(beds[0]);
        stage = (held + below) / f64::from(wet);
        if beds.get(wet as usize).is_none_or(|&z| stage <= f64::from(z) - f64::from(beds[0])) {
            break;
        }
    }
    stage
}

/// Goal: bins cost no more than they may. Method: 1024 beds of seven kinds, stages at all
/// knots against those of sorted beds.
#[test]
#[expect(clippy::cast_possible_truncation, reason = "a depth")]
fn bins_hold_what_sorted_beds_hold() {
    let mut worst = 0.0_f64;
    for seed in 0..300_u64 {
        let mut beds: Vec<i32> = (0..16).flat_map(|i| beds_of(7 * seed + i % 2)).collect();
        beds.retain(|&z| z != OUTSIDE);
        let bed = mean(&beds);
        let mut stages = Stages::flat(1);
        StageFit::default().set(&mut stages, 0, bed, &mut beds.clone());
        beds.sort_unstable();
        let range = f64::from(beds[beds.len() - 1]) - f64::from(beds[0]);
        for place in stages::PLACES {
            let depth = (f64::from(stages.cells[0].full) * f64::from(place)).floor();
            let expected = f64::from(beds[0]) + stage_of(&beds, depth);
            let got = stages.surface(0, bed, depth as i32);
            let slack = f64::from(got.quantum) + 2.0;
            let error = (f64::from(got.stage) - expected).abs() - slack;
            worst = worst.max(error / range.max(1.0));
        }
    }
    assert!(worst < 1.0e-3, "worst {worst}");
}

#[test]
fn the_order_of_beds_does_not_matter() {
    for seed in 0..200_u64 {
        let tables = |order: &dyn Fn(usize) -> usize| {
            let beds: Vec<i32> = beds_of(seed);
            let mut beds: Vec<i32> = (0..64).map(|i| beds[order(i)]).collect();
            let (mut stages, mut openings) = (Stages::flat(1), Openings::closed(1));
            set_openings(&mut openings, 0, &mut beds.clone());
            StageFit::default().set(&mut stages, 0, 7, &mut beds);
            (stages, openings)
        };
        let expected = tables(&|i| i);
        assert_eq!(tables(&|i| 63 - i), expected, "seed {seed}, backwards");
        assert_eq!(tables(&|i| 37 * i % 64), expected, "seed {seed}, shuffled");
    }
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
        assert_eq!(openings.at(0, lowest).area, 0, "seed {seed}");
        let mut last = 0;
        for step in 1..40_i64 {
            let stage = i64::from(lowest) + range * step / 30 + step;
            let Ok(stage) = i32::try_from(stage.min(i64::from(CEILING) - 1)) else { continue };
            let at = openings.at(0, stage);
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
