//! Depths of rain in the bands of a raster: depths of each step, or sums from the beginning.
//!
//! Forecasts and reanalyses often give the sum since their start: 5, 10, … 30 mm are 30 mm of rain,
//! and not 105. Sums of ERA5-Land begin anew each day, at 0 h UTC. Numbers alone cannot distinguish
//! such sums from a storm that grows. So bands that only rise, that rise and fall back at a day's
//! start, or that rise long between falls to near 0 are refused until a key states their meaning.
//!
//! Guarantees: the rain of sums from the beginning is that of the last sum, up to [`FALL`].
//! Limits:     sums that begin anew once, with rain everywhere above the sum before, are not
//!             detected.

use std::path::Path;

use kit::error::UserError;
use kit::words::short;

use super::field::Field;
use crate::rain_bands::BandSums;
use crate::text_table::sums;

/// Names of option and key.
const SUMS: &str = "--rain-sums (`sums` under [[rain]])";

/// Fewest bands that can be taken for sums.
const BANDS_LEAST: usize = 3;

/// Part of the largest depth by which a sum may fall: GRIB rounds each band by itself.
const FALL: f64 = 1.0e-3;

/// Seconds of a day.
const DAY_S: f64 = 86_400.0;

/// Fewest bands of a day whose sums can begin anew each day.
const BANDS_OF_DAY_LEAST: f64 = 3.0;

/// Fewest rises of sums that begin anew.
const RISES_LEAST: usize = 3;

/// Number of means that are listed at either end of many.
const SHOWN: usize = 3;

/// Beginning of the bands.
#[derive(Debug, Clone, Copy)]
pub(super) struct BandClock {
    /// Time from the beginning of a band to that of the next, s; `None` if it varies.
    pub(super) step_s: Option<f64>,
    /// Time from the start of a day to the beginning of the first band, s, if its date is given.
    pub(super) first_s: Option<f64>,
}

impl BandClock {
    /// Returns the number of bands of a day, if it is a whole number and large enough for sums.
    fn bands_of_day(self) -> Option<usize> {
        let count = DAY_S / self.step_s?;
        let is_whole = (count - count.round()).abs() < 1.0e-6 * count;
        (is_whole && count >= BANDS_OF_DAY_LEAST).then(|| whole(count))
    }

    /// True if a band, counted from 0, may be the first of a day: its time may name either end of
    /// it, and without dates the first band of all begins a day.
    fn may_begin_day(self, band: usize) -> bool {
        let (Some(step_s), Some(bands)) = (self.step_s, self.bands_of_day()) else { return false };
        let first = self.first_s.map_or(0, |first_s| whole(first_s / step_s + 0.5));
        (first + band) % bands <= 1
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn whole(count: f64) -> usize {
    count as usize
}

/// Returns the depth in the step of each band, from the stored depths, m.
///
/// # Errors
///
/// If depths look like sums and no key states their meaning, or if sums from the beginning fall.
pub(super) fn of_steps(
    path: &Path,
    (said, clock): (Option<BandSums>, BandClock),
    fields: Vec<Field>,
    notes: &mut Vec<String>,
) -> Result<Vec<Field>, UserError> {
    match said {
        Some(BandSums::EachStep) => Ok(fields),
        Some(BandSums::FromStart) => gains(path, (&fields, clock), notes),
        None => {
            let means: Vec<f64> = fields.iter().map(Field::mean).collect();
            match suspicion(&means, clock) {
                Some(why) => Err(unclear(path, &means, why)),
                None => Ok(fields),
            }
        }
    }
}

/// Returns the reason why means of bands look like sums, if they do.
fn suspicion(means: &[f64], clock: BandClock) -> Option<&'static str> {
    if only_rise(means) {
        return Some("only rises");
    }
    if begins_each_day(means, clock) {
        return Some("rises, and falls back at the start of a day");
    }
    // The check of tables, which ignores the time of day.
    sums::suspicion(means).map(|_| "rises as sums do between falls")
}

/// True if no mean falls, and the last is above the first.
fn only_rise(means: &[f64]) -> bool {
    let [first, .., last] = means else { return false };
    let slack = slack(means);
    means.len() >= BANDS_LEAST && falls(means).is_empty() && last - first > slack
}

/// True if means rise, and fall at the same hour alone, which may be a day's start.
fn begins_each_day(means: &[f64], clock: BandClock) -> bool {
    let slack = slack(means);
    let rises = means.windows(2).filter(|pair| pair[1] - pair[0] > slack).count();
    let falls = falls(means);
    let is_day = match clock.bands_of_day() {
        Some(bands) => falls.iter().all(|band| (band - falls[0]).is_multiple_of(bands)),
        None => false,
    };
    let is_start = falls.len() > 1 || falls.first().is_some_and(|band| clock.may_begin_day(*band));
    is_day && is_start && rises >= RISES_LEAST.max(2 * falls.len())
}

fn slack(means: &[f64]) -> f64 {
    FALL * means.iter().copied().fold(0.0, f64::max)
}

/// Returns the bands, counted from 0, whose mean is below that of the band before.
fn falls(means: &[f64]) -> Vec<usize> {
    let slack = slack(means);
    let pairs = (1..).zip(means.windows(2));
    pairs.filter(|(_, pair)| pair[1] < pair[0] - slack).map(|(band, _)| band).collect()
}

fn unclear(path: &Path, means: &[f64], why: &str) -> UserError {
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
            "{}: the rain of its {} bands {why} ({list} mm on average), so it counts each from the \
             beginning, or each in its own step",
            path.display(),
            means.len()
        ),
        format!("say which with {SUMS}: from-start or each-step"),
    )
}

/// Returns the differences of sums that may begin anew, as daily sums do.
fn gains(
    path: &Path,
    (sums, clock): (&[Field], BandClock),
    notes: &mut Vec<String>,
) -> Result<Vec<Field>, UserError> {
    let means: Vec<f64> = sums.iter().map(Field::mean).collect();
    let days = begins_each_day(&means, clock).then(|| (falls(&means), clock.bands_of_day()));
    // Sums that fell twice at an hour begin anew each day at that hour, also without a fall.
    let begins_day = |band: usize, falls_here: bool| match &days {
        Some((falls, Some(bands))) => {
            band.abs_diff(falls[0]).is_multiple_of(*bands) && (falls_here || falls.len() > 1)
        }
        _ => false,
    };
    let (mut found, mut anew) = (Vec::new(), Vec::new());
    found.extend(sums.first().cloned());
    for (number, pair) in (2..).zip(sums.windows(2)) {
        let [before, sum] = pair else { continue };
        let most = [before, sum].map(|field| field.range().map_or(0.0, |(_, most)| most));
        let slack = FALL * f64::from(most[0].max(most[1]));
        let falls_here = sum.fall_since(before) > slack;
        if sum.mean() < before.mean() - slack || begins_day(number - 1, falls_here) {
            anew.push(number.to_string());
            found.push(sum.clone());
        } else if falls_here {
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

    /// Goal: hourly means of days whose sums begin anew, mm, are distinguished from storms.
    #[test]
    fn sums_of_each_day_are_told_from_storms() {
        // Two and a half days of ERA5-Land: the sum of the day at each hour from 1 h on.
        let of_days: Vec<f64> = (0..60).map(|hour| f64::from(hour % 24 + 1) * 0.5).collect();
        // The second day is dry.
        let with_dry = |hour: i32| if hour / 24 == 1 { 0.0 } else { f64::from(hour % 24) * 0.2 };
        let with_dry: Vec<f64> = (0..60).map(with_dry).collect();
        // Rain that falls at midnight: the first sum is far above 0.
        let wet: Vec<f64> = (0..48).map(|hour| f64::from(hour % 24) * 0.1 + 4.0).collect();
        let storm = |peak: i32| move |hour: i32| f64::from((12 - (hour - peak).abs()).max(0));
        let storms: Vec<f64> = (0..72).map(|hour| storm(14)(hour) + storm(50)(hour)).collect();
        // Bursts at the same hour of two days, each over within an hour.
        let burst = |hour: i32| if hour % 24 == 17 { 9.0 } else { 0.0 };
        let bursts: Vec<f64> = (0..72).map(burst).collect();
        let of_quarters = [1.0, 3.0, 4.0, 6.0, 1.0, 2.0, 4.0, 5.0];
        let hours = |first_s| BandClock { step_s: Some(3600.0), first_s };
        let quarters = BandClock { step_s: Some(21_600.0), first_s: Some(0.0) };
        let unequal = BandClock { step_s: None, first_s: None };
        for (means, clock, are_sums) in [
            (&of_days[..], hours(Some(0.0)), true),
            (&of_days, hours(Some(3600.0)), true),
            (&of_days, hours(None), true),
            (&of_days[7..], hours(Some(8.0 * 3600.0)), true),
            (&of_days[7..40], hours(Some(8.0 * 3600.0)), true),
            (&with_dry, hours(Some(0.0)), true),
            (&wet, hours(Some(0.0)), true),
            (&wet, hours(Some(5.0 * 3600.0)), false),
            (&storms, hours(Some(0.0)), false),
            (&bursts, hours(Some(0.0)), false),
            (&of_quarters, quarters, true),
            (&of_quarters, unequal, false),
        ] {
            let found = begins_each_day(means, clock);
            assert_eq!(found, are_sums, "{clock:?} {means:?}");
        }
    }
}
