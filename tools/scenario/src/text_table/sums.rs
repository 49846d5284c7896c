//! Depths of rain that may be sums: each counted from the beginning of the table or of the day.
//!
//! Sums rise, and fall only where the gauge starts again near 0, or where a cell is wrong. A
//! hyetograph of steps falls in steps from its peak: one such fall, and the table is not suspect.
//!
//! Guarantees: three rising rows that never fall are suspect; a storm that rises and falls is not.
//! Limits:     a sum of a single fall of rain has one rise, as a storm of one row has: below five
//!             rows it counts as depths of steps.

/// Fewest rows with a single rise that are suspect.
const ROWS: usize = 5;
/// Part of the value before up to which the next one is a start near 0.
const NEAR_0: f64 = 0.1;
/// Part of the value before by which a sum may seem to fall: noise of a gauge.
const NOISE: f64 = 0.1;
/// Fewest rises of the longest run of a table that falls.
const LONG_RUN: usize = 3;
/// Fewest rises for each run of a table that falls.
const RISES_A_RUN: usize = 2;

/// True for a sum that starts again from 0 behind another one.
pub(super) fn is_restart(before: f64, after: f64) -> bool {
    after < before && after <= NEAR_0 * before
}

/// Returns the reason why depths look like sums, if they do.
pub(crate) fn suspicion(depths: &[f64]) -> Option<&'static str> {
    let runs = rises_of_runs(depths);
    let (rises, longest) = (runs.iter().sum::<usize>(), runs.iter().copied().max()?);
    if runs.len() == 1 {
        let is_rising = rises >= 2 || (rises >= 1 && depths.len() >= ROWS);
        return is_rising.then_some("only rise");
    }
    if longest < LONG_RUN && !(runs.len() == 2 && rises >= LONG_RUN) {
        return None;
    }
    let falls = || depths.windows(2).filter(|pair| pair[1] < pair[0]);
    let is_start_or_noise =
        |pair: &[f64]| is_restart(pair[0], pair[1]) || pair[1] >= (1.0 - NOISE) * pair[0];
    if rises >= RISES_A_RUN * runs.len() && falls().all(is_start_or_noise) {
        return Some("rise as sums do between falls");
    }
    let largest = depths.iter().copied().fold(0.0, f64::max);
    let ends_highest = depths.last().is_some_and(|last| *last >= largest);
    (runs.len() == 2 && ends_highest).then_some("rise to their last row but for one fall")
}

/// Returns the number of rises in each run of depths that do not fall.
fn rises_of_runs(depths: &[f64]) -> Vec<usize> {
    let mut runs = vec![0];
    for pair in depths.windows(2) {
        match runs.last_mut() {
            Some(rises) if pair[1] >= pair[0] => *rises += usize::from(pair[1] > pair[0]),
            _ => runs.push(0),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_suspected_and_storms_are_not() {
        for depths in [
            &[0.0, 10.0, 25.0, 30.0][..],
            &[0.0, 10.0, 25.0],
            &[0.0, 0.0, 0.0, 5.0, 5.0],
            &[0.0, 2.0, 5.0, 9.0, 12.0, 0.0, 3.0, 7.0],
            &[0.0, 2.0, 5.0, 9.0, 12.0, 0.4, 3.0, 7.0],
            &[0.0, 2.0, 5.0, 9.0, 12.0, 0.0],
            &[0.0, 2.0, 5.0, 9.0, 8.9, 12.0, 15.0],
            &[0.0, 2.0, 5.0, 9.0, 4.0, 12.0, 15.0, 19.0],
            &[0.0, 10.0, 25.0, 20.0, 30.0],
        ] {
            assert!(suspicion(depths).is_some(), "{depths:?}");
        }
        for depths in [
            &[][..],
            &[5.0],
            &[1.0, 2.0],
            &[0.0, 0.0, 5.0],
            &[5.0, 5.0, 5.0, 5.0, 5.0],
            &[5.0, 20.0, 40.0, 0.0],
            &[5.0, 20.0, 40.0, 4.0, 0.0],
            &[0.0, 2.0, 5.0, 9.0, 5.0, 2.0, 0.0],
            &[2.0, 4.0, 8.0, 16.0, 8.0, 4.0, 2.0],
            &[2.0, 5.0, 9.0, 12.0, 0.0],
            &[0.0, 2.0, 9.0, 2.0, 0.0, 0.0, 3.0, 7.0, 1.0, 0.0],
            &[0.0, 0.2, 0.0, 0.2, 0.2, 0.4, 0.0, 0.2, 0.0],
            &[40.0, 20.0, 10.0, 0.0],
            &[0.0, 3.0, 6.0, 2.0, 5.0, 8.0, 1.0],
        ] {
            assert_eq!(suspicion(depths), None, "{depths:?}");
        }
    }
}
