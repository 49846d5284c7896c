//! Depths of rain in the bands of a raster: those of each step, or sums from the beginning.
//!
//! Forecasts and reanalyses often give the sum since their start: 5, 10, … 30 mm are 30 mm of rain,
//! and not 105. Numbers alone do not tell such sums from a storm that grows, so bands that only
//! rise are refused until a key says which of the two they are.
//!
//! Guarantees: sums from the beginning rain what the last of them says, up to [`FALL`].
//! Limits:     sums that begin anew with rain everywhere above the sum before are not seen.

use std::path::Path;

use kit::error::UserError;
use kit::words::short;

use super::field::Field;
use crate::rain_bands::Sums;

/// Names of option and key.
const SUMS: &str = "--rain-sums (`sums` under [[rain]])";

/// Fewest bands that can be taken for sums.
const BANDS_LEAST: usize = 3;

/// Part of the largest depth by which a sum may fall: GRIB rounds each band by itself.
const FALL: f64 = 1.0e-3;

/// Means that are listed at either end of many.
const SHOWN: usize = 3;

/// Returns what falls in the step of each band, from the depths that are stored, m.
///
/// # Errors
///
/// If depths only rise and nothing says what they sum, or if sums from the beginning fall.
pub(super) fn of_steps(
    path: &Path,
    said: Option<Sums>,
    fields: Vec<Field>,
    notes: &mut Vec<String>,
) -> Result<Vec<Field>, UserError> {
    match said {
        Some(Sums::EachStep) => Ok(fields),
        Some(Sums::FromStart) => gains(path, &fields, notes),
        None => {
            let means: Vec<f64> = fields.iter().map(Field::mean).collect();
            if only_rise(&means) { Err(unclear(path, &means)) } else { Ok(fields) }
        }
    }
}

/// True if no mean falls, and the last is above the first.
fn only_rise(means: &[f64]) -> bool {
    let [first, .., last] = means else { return false };
    let slack = FALL * means.iter().copied().fold(0.0, f64::max);
    let rises = means.windows(2).all(|pair| pair[1] >= pair[0] - slack);
    means.len() >= BANDS_LEAST && rises && last - first > slack
}

fn unclear(path: &Path, means: &[f64]) -> UserError {
    let shown = |means: &[f64]| -> String {
        let words = means.iter().map(|mean| short((mean * 1.0e5).round() / 100.0));
        words.collect::<Vec<_>>().join(", ")
    };
    let list = match means.len() {
        count if count <= 2 * SHOWN => shown(means),
        count => format!("{}, … {}", shown(&means[..SHOWN]), shown(&means[count - SHOWN..])),
    };
    UserError::new(
        format!(
            "{}: the rain of its {} bands only rises ({list} mm on average), so it counts each \
             from the beginning, or each in its own step",
            path.display(),
            means.len()
        ),
        format!("say which with {SUMS}: from-start or each-step"),
    )
}

/// Differences of sums that may begin anew, as those of each day do.
fn gains(path: &Path, sums: &[Field], notes: &mut Vec<String>) -> Result<Vec<Field>, UserError> {
    let (mut found, mut anew) = (Vec::new(), Vec::new());
    found.extend(sums.first().cloned());
    for (number, pair) in (2..).zip(sums.windows(2)) {
        let [before, sum] = pair else { continue };
        let most = [before, sum].map(|field| field.range().map_or(0.0, |(_, most)| most));
        let slack = FALL * f64::from(most[0].max(most[1]));
        if sum.mean() < before.mean() - slack {
            anew.push(number.to_string());
            found.push(sum.clone());
        } else if sum.fall_since(before) > slack {
            return Err(UserError::new(
                format!(
                    "{}: its band {number} has less rain than band {} in some places and more in \
                     others, so its bands are no sums from the beginning",
                    path.display(),
                    number - 1
                ),
                format!("say each-step with {SUMS}"),
            ));
        } else {
            found.push(sum.gain_since(before));
        }
    }
    if !anew.is_empty() {
        let (shown, anew) = (path.display(), anew.join(", "));
        notes.push(format!("{shown}: its sums of rain begin anew with band {anew}"));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rising_means_are_told_from_rain_that_ends() {
        for (means, rises) in [
            (&[5.0, 10.0, 15.0, 20.0, 25.0, 30.0][..], true),
            (&[0.0, 0.0, 5.0, 5.0, 5.0], true),
            (&[5.0, 10.0, 9.999, 15.0], true),
            (&[5.0, 10.0, 9.9, 15.0], false),
            (&[5.0, 5.0, 5.0], false),
            (&[0.0, 0.0, 0.0], false),
            (&[1.0, 2.0], false),
            (&[1.0], false),
        ] {
            assert_eq!(only_rise(means), rises, "{means:?}");
        }
    }
}
