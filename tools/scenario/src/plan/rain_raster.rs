//! Rain from a raster: the unit of its values, and the times of its bands.
//!
//! The unit is an option's or a key's, else the file's (GDAL's unit of the band, the `.aux.xml`
//! file), else mm/h. A band falls from its time until the next band's; the times are those of a
//! given step, else those of the file: netCDF's, GRIB's, or dates in the names of the bands. Times
//! can name the end of a band instead, as GRIB's do for depths. The date at which the first band
//! begins counts among those of tables.
//!
//! Guarantees: a depth is spread over the time of its band, so the volume is that of the raster.

use std::path::Path;

use kit::error::UserError;
use kit::words::time;
use rasters::{BandStated, Hints};

use super::super::file;
use super::super::moment::{Moment, day_s};
use super::super::series::Series;
use super::field::{BandOfRaster, Field, refusal};
use super::forcing::RainPlan;
use super::map::MapPlan;
use super::rain_sums::{self, BandClock};
use crate::quantity::Quantity;
use crate::rain_bands::{BandSums, Stamps};
use crate::rain_unit::RainUnit;

/// Most bands that are read as a series.
const BANDS_MAX: usize = 1000;

/// Name of the raster in errors.
const NAME: &str = "rain raster";

/// Names of options and keys.
const UNIT: &str = "--rain-unit, or `unit` under [[rain]]";
const STEP: &str = "--rain-step, like --rain-step 1h, or `step` under [[rain]]";
const STAMPS: &str = "--rain-stamps, or `stamps` under [[rain]]";

/// Start and duration of each band, s, and the date of the first, if it is given.
struct BandTimes {
    spans: Vec<(f64, Option<f64>)>,
    begin: Option<Moment>,
}

/// Returns the rains of a raster, one for each band.
pub(super) fn read(
    path: &Path,
    rain: &file::RainTable,
    name: &str,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Vec<RainPlan>, UserError> {
    let refused = |error| refusal(NAME, error);
    let bands = rasters::bands(path, &Hints::default()).map_err(refused)?;
    if bands.len() > BANDS_MAX {
        return Err(UserError::new(
            format!(
                "{} has {} bands, and at most {BANDS_MAX} are read",
                path.display(),
                bands.len()
            ),
            "cut a part out of it with gdal_translate -b",
        ));
    }
    let unit = unit(path, rain, &bands, notes)?;
    let stamps = stamps(path, rain, (&bands, &unit), notes)?;
    let times = times(path, rain, (&bands, stamps), notes)?;
    let fields = fields(path, rain, (&unit, &times), map, notes)?;
    let count = fields.len();
    let bands = (1..).zip(times.spans).zip(fields);
    let rains = bands.map(|((number, (start, duration)), field)| {
        let name = if count == 1 { name.to_owned() } else { format!("{name} {number}") };
        let begin = times.begin.map(|begin| (path.to_owned(), begin));
        let rate = Series { begin, ..Series::block(1.0, start, duration) };
        RainPlan { name, rate, weights: Some(field) }
    });
    Ok(rains.collect())
}

/// Returns the rates of all bands, m/s.
fn fields(
    path: &Path,
    rain: &file::RainTable,
    (unit, times): (&RainUnit, &BandTimes),
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Vec<Field>, UserError> {
    let si = unit.si;
    let value = move |value: f64| match value {
        value if value >= 0.0 => Ok(value * si),
        value => Err(format!("the rain is {value}, below 0: correct it or mark it as NoData")),
    };
    let durations = times.spans.iter().map(|(_, duration)| *duration);
    let durations: Option<Vec<f64>> = durations.collect();
    if unit.is_depth && durations.is_none() {
        return Err(lacks_duration(path, unit));
    }
    let bands = 1..=times.spans.len();
    let read =
        |number| Field::read_band(BandOfRaster { path, number }, NAME, (map, &mut *notes), value);
    let fields: Vec<Field> = bands.map(read).collect::<Result<_, _>>()?;
    let Some(durations) = durations.filter(|_| unit.is_depth) else { return Ok(fields) };
    let is_even = durations.windows(2).all(|pair| (pair[1] - pair[0]).abs() < 1.0e-3 * pair[0]);
    let clock = BandClock {
        step_s: durations.first().copied().filter(|_| is_even),
        first_s: times.begin.map(|begin| begin.seconds.rem_euclid(86_400.0)),
    };
    let depths = rain_sums::of_steps(path, (rain.sums, clock), fields, notes)?;
    Ok(depths.into_iter().zip(durations).map(|(depth, lasts)| depth.times(1.0 / lasts)).collect())
}

/// Returns the end of its band that a time names. Sums from the beginning end at their times, and
/// so do the periods of depths in GRIB.
fn stamps(
    path: &Path,
    rain: &file::RainTable,
    (bands, unit): (&[BandStated], &RainUnit),
    notes: &mut Vec<String>,
) -> Result<Stamps, UserError> {
    let shown = path.display();
    if let (Some(_), false) = (rain.sums, unit.is_depth) {
        return Err(UserError::new(
            format!("{shown} has rates of rain ({unit}), and rates have no sums"),
            format!("leave --rain-sums (`sums`) out, or give a unit of depths with {UNIT}"),
        ));
    }
    if rain.stamps.is_some() && (bands.len() == 1 || rain.step.is_some()) {
        return Err(UserError::new(
            format!("{shown}: times of bands do not count for one band, nor beside a step"),
            "leave --rain-stamps (`stamps`) out",
        ));
    }
    if let Some(said) = rain.stamps {
        return Ok(said);
    }
    let are_sums = rain.sums == Some(BandSums::FromStart);
    let is_grib = bands.iter().all(|band| band.ends_at_time);
    if !unit.is_depth || !(are_sums || is_grib) {
        return Ok(Stamps::Begin);
    }
    if bands.len() > 1 && rain.step.is_none() {
        let why = if are_sums { "sums from the beginning end" } else { "depths of GRIB end" };
        notes.push(format!("{shown}: {why} at the times of their bands (choose with {STAMPS})"));
    }
    Ok(Stamps::End)
}

/// Returns the unit of the values.
fn unit(
    path: &Path,
    rain: &file::RainTable,
    bands: &[BandStated],
    notes: &mut Vec<String>,
) -> Result<RainUnit, UserError> {
    let units = || bands.iter().filter_map(|band| band.unit.as_deref());
    let stated = units().next();
    let of_tiles = bands.iter().filter_map(|band| band.other_unit.as_deref());
    let other = units().chain(of_tiles).find(|unit| Some(*unit) != stated);
    let shown = path.display();
    if let Some(unit) = &rain.unit {
        let own = stated.and_then(|text| text.parse::<RainUnit>().ok());
        let is_other = own.is_none_or(|own| !own.is_same(unit));
        if let Some(stated) = stated.filter(|_| is_other) {
            notes.push(format!(
                "{shown}: its rain is in {unit} ({UNIT}), and not {stated} (the file)"
            ));
        }
        return Ok(unit.clone());
    }
    if let Some(other) = other {
        let [one, other] = [stated.unwrap_or_default(), other].map(|unit| match unit {
            "" => "a unit that is not stated".to_owned(),
            unit => unit.to_owned(),
        });
        return Err(UserError::new(
            format!("{shown} has rain in {one} and rain in {other}"),
            format!("convert one of the two, or say which unit all of it has with {UNIT}"),
        ));
    }
    let Some(stated) = stated else {
        notes.push(format!(
            "{shown} does not state the unit of its rain: mm/h is assumed (choose with {UNIT})"
        ));
        return "mm/h".parse().map_err(UserError::from_sentence);
    };
    let unit: RainUnit = stated.parse().map_err(|_| {
        UserError::new(
            format!("{shown} has its rain in `{stated}`, which is not a unit of rain"),
            format!("say which unit it has with {UNIT}: mm/h, mm/d, in/h, mm, in, m/s, kg m-2 s-1"),
        )
    })?;
    notes.push(format!("{shown} has its rain in {unit} (choose with {UNIT})"));
    Ok(unit)
}

fn lacks_duration(path: &Path, unit: &RainUnit) -> UserError {
    UserError::new(
        format!("{} has depths of rain ({unit}), and nothing states in what time they fall", {
            path.display()
        }),
        format!("say how long with --rain-for (`for` under [[rain]]), or with {STEP}"),
    )
}

/// Returns the times of the bands.
fn times(
    path: &Path,
    rain: &file::RainTable,
    (bands, stamps): (&[BandStated], Stamps),
    notes: &mut Vec<String>,
) -> Result<BandTimes, UserError> {
    let shown = path.display();
    let start = rain.from.map_or(0.0, Quantity::si);
    let duration = rain.duration.map(Quantity::si);
    let step = rain.step.map(Quantity::si);
    if step.is_some_and(|step| step <= 0.0) {
        return Err(UserError::new(
            "the step of the rain is 0 s or less",
            format!("correct {STEP}"),
        ));
    }
    let [_, _, ..] = bands else {
        return Ok(BandTimes { spans: vec![(start, duration.or(step))], begin: None });
    };
    if duration.is_some() {
        return Err(UserError::new(
            format!("{shown} has {} bands and a duration as well", bands.len()),
            format!("leave --rain-for (`for`) out: each band lasts until the next, see {STEP}"),
        ));
    }
    let (at, begin) = moments(path, bands, step, notes)?;
    let durations = durations(path, &at, stamps)?;
    notes.push(times_note(path, &durations, stamps));
    // A time that names an end is one band later than the start of the band.
    let late = |lasts: f64| if stamps == Stamps::End { lasts } else { 0.0 };
    let first_late = late(durations[0]);
    let first = at.first().copied().unwrap_or(0.0) - first_late;
    let spans = at.iter().zip(durations);
    let spans = spans.map(|(at, lasts)| (start + at - late(lasts) - first, Some(lasts))).collect();
    let begin = begin.map(|begin| Moment { seconds: begin.seconds - first_late, ..begin });
    Ok(BandTimes { spans, begin })
}

/// Returns the times of bands, s from the first of them or from the start of the rain, and the
/// moment of the first if they have dates.
fn moments(
    path: &Path,
    bands: &[BandStated],
    step: Option<f64>,
    notes: &mut Vec<String>,
) -> Result<(Vec<f64>, Option<Moment>), UserError> {
    let shown = path.display();
    let stated = stated_times(bands);
    let (at, begin) = match step {
        Some(step) => {
            if stated.is_some_and(|(_, begin)| begin.is_some()) {
                let what = "the dates of its bands do not count beside the step of the rain";
                notes.push(format!("{shown}: {what} (leave {STEP} out to use them)"));
            }
            ((0..bands.len()).map(|band| step * count(band)).collect(), None)
        }
        None => stated.ok_or_else(|| {
            UserError::new(
                format!(
                    "{shown} has {} bands of rain, and does not state their times",
                    bands.len()
                ),
                format!("say the time from one to the next with {STEP}"),
            )
        })?,
    };
    if let (None, None) = (begin, step) {
        let since = bands[0].since.as_deref();
        let since = since.map_or_else(String::new, |since| format!(" (times since `{since}`)"));
        notes.push(format!(
            "{shown} does not state dates that can be read{since}: its first band falls at the \
             start of the rain, whatever the dates in tables"
        ));
    }
    Ok((at, begin))
}

/// Returns the note on the times of bands.
fn times_note(path: &Path, durations: &[f64], stamps: Stamps) -> String {
    let order = match stamps {
        Stamps::Begin => "each from its time until the next",
        Stamps::End => "each until its time, from that of the band before",
    };
    format!(
        "{}: {} bands of rain, {order}: {} in all, steps of {} (choose with {STEP}; which end \
         of a band its time names, with {STAMPS})",
        path.display(),
        durations.len(),
        time(durations.iter().sum()),
        time(durations[0])
    )
}

/// Returns the durations of all bands, s, from their times; the band at the open end lasts as long
/// as the one beside it.
fn durations(path: &Path, at: &[f64], stamps: Stamps) -> Result<Vec<f64>, UserError> {
    let lasts = |pair: &[f64]| pair[1] - pair[0];
    if let Some(wrong) = at.windows(2).position(|pair| lasts(pair) <= 0.0) {
        let shown = path.display();
        return Err(UserError::new(
            format!("{shown}: band {} is not later than band {}", wrong + 2, wrong + 1),
            format!("order the bands by time, or give {STEP}"),
        ));
    }
    let mut durations: Vec<f64> = at.windows(2).map(lasts).collect();
    match stamps {
        Stamps::Begin => durations.extend(durations.last().copied()),
        Stamps::End => durations.insert(0, durations[0]),
    }
    Ok(durations)
}

/// Returns the times of all bands, s, and the date of the first one; `None` if one has no time.
fn stated_times(bands: &[BandStated]) -> Option<(Vec<f64>, Option<Moment>)> {
    let of_file: Option<Vec<f64>> = bands.iter().map(|band| band.time_s).collect();
    if let Some(times) = of_file {
        let begin = bands[0].since.as_deref().and_then(origin);
        let first_s = times.first().copied().unwrap_or(0.0);
        let begin = begin.map(|at| Moment { seconds: at.seconds + first_s, ..at });
        return Some((times, begin));
    }
    let dates = bands.iter().map(|band| date_in(band.description.as_deref()?));
    let dates: Vec<Moment> = dates.collect::<Option<_>>()?;
    let begin = dates.first().copied();
    Some((dates.iter().map(|date| date.seconds).collect(), begin))
}

/// Returns the moment from which times count, like `2020-01-01 00:00:00`: in UTC if it has no zone.
fn origin(text: &str) -> Option<Moment> {
    let (moment, _, rest) = moment_at(text.trim())?;
    let offset_s = moment.offset_s.or(Some(0.0));
    rest.trim().is_empty().then_some(Moment { offset_s, ..moment })
}

/// Returns the date and time of day in a name like `precipitation 2020-01-01T06:00`.
fn date_in(name: &str) -> Option<Moment> {
    let starts = name.match_indices(|letter: char| letter.is_ascii_digit());
    let mut moments = starts.filter_map(|(start, _)| moment_at(&name[start..]));
    moments.find_map(|(moment, has_clock, _)| has_clock.then_some(moment))
}

/// Returns the moment at the beginning of a text, true if it has a time of day, and the rest of the
/// text.
fn moment_at(text: &str) -> Option<(Moment, bool, &str)> {
    let is_of_date = |letter: char| letter.is_ascii_digit() || letter == '-';
    let (day, rest) = text.split_at(text.find(|c| !is_of_date(c)).unwrap_or(text.len()));
    let parts: Vec<&str> = day.split('-').collect();
    let [year, month, day] = parts[..] else { return None };
    if year.len() != 4 {
        return None;
    }
    let day_s = day_s(year.parse().ok()?, month.parse().ok()?, day.parse().ok()?)?;
    let at = |seconds: f64, offset_s| Moment { seconds, offset_s };
    let Some(clock) = rest.strip_prefix(['T', ' ']) else {
        return Some((at(day_s, None), false, rest));
    };
    let is_of_clock = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.');
    let (clock, zone) = clock.split_at(clock.find(|c| !is_of_clock(c)).unwrap_or(clock.len()));
    let Some(clock_s) = clock_s(clock) else { return Some((at(day_s, None), false, rest)) };
    match zone_s(zone) {
        Some((offset_s, rest)) => {
            Some((at(day_s + clock_s - offset_s, Some(offset_s)), true, rest))
        }
        None => Some((at(day_s + clock_s, None), true, zone)),
    }
}

/// Returns the seconds from midnight of a time of day like `06:00` or `6:0:0.0`.
fn clock_s(text: &str) -> Option<f64> {
    let parts: Vec<f64> = text.split(':').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    let (hours, minutes, seconds) = match parts[..] {
        [hours, minutes] => (hours, minutes, 0.0),
        [hours, minutes, seconds] => (hours, minutes, seconds),
        _ => return None,
    };
    let is_sound = hours <= 24.0 && minutes < 60.0 && seconds < 61.0;
    is_sound.then_some(3600.0 * hours + 60.0 * minutes + seconds)
}

/// Returns the lead over UTC, s, of a zone at the beginning of a text (`Z`, ` UTC`, `+01:00`), and
/// the rest.
fn zone_s(text: &str) -> Option<(f64, &str)> {
    let text = text.strip_prefix(' ').unwrap_or(text);
    for name in ["Z", "UTC", "GMT"] {
        let rest = text.strip_prefix(name);
        if let Some(rest) = rest.filter(|rest| !rest.starts_with(char::is_alphanumeric)) {
            return Some((0.0, rest));
        }
    }
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", digits) => (1.0, digits),
        ("-", digits) => (-1.0, digits),
        _ => return None,
    };
    let is_of_zone = |letter: char| letter.is_ascii_digit() || letter == ':';
    let (zone, rest) = digits.split_at(digits.find(|c| !is_of_zone(c)).unwrap_or(digits.len()));
    let zone = zone.replace(':', "");
    let (hours, minutes) = match zone.len() {
        1 | 2 => (zone.as_str(), "0"),
        3 | 4 => zone.split_at(zone.len() - 2),
        _ => return None,
    };
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    let is_sound = hours <= 14 && minutes < 60;
    is_sound.then_some((sign * (3600.0 * f64::from(hours) + 60.0 * f64::from(minutes)), rest))
}

#[expect(clippy::cast_precision_loss, reason = "few bands")]
fn count(band: usize) -> f64 {
    band as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: times of files refer to the moment that the file names; one that cannot be read is
    /// left, and the zone of a name counts.
    #[test]
    fn origins_and_names_are_moments() {
        let noon_s = day_s(2020, 1, 1).expect("a day") + 43_200.0;
        for (text, after_noon_h) in [
            ("2020-01-01", Some(-12.0)),
            ("2020-01-01 12:00:00", Some(0.0)),
            ("2020-1-1 12:0:0.0", Some(0.0)),
            ("2020-01-01T12:00Z", Some(0.0)),
            ("2020-01-01 12:00:00 +01:00", Some(-1.0)),
            ("2020-01-01 12:00 -4:30", Some(4.5)),
            ("2020-01-01 12:00 UTC", Some(0.0)),
            ("2020-01-01 12:00 XYZ", None),
            ("2020-01-01, calendar noleap", None),
            ("2020-13-01", None),
            ("the start", None),
        ] {
            let moment = origin(text);
            let hours = moment.map(|at| (at.seconds - noon_s) / 3600.0);
            assert_eq!(hours, after_noon_h, "{text}");
            assert!(moment.is_none_or(|at| at.offset_s.is_some()), "{text}");
        }
        for (name, after_noon_h, offset_s) in [
            ("rain 2020-01-01T12:00", Some(0.0), None),
            ("rain 2020-01-01 12:00:00 mean", Some(0.0), None),
            ("tile 7 of 2020-01-01T12:00:00Z", Some(0.0), Some(0.0)),
            ("2020-01-01T12:00+01:00 rain", Some(-1.0), Some(3600.0)),
            ("2020-01-01 12:00 - 2020-01-01 13:00", Some(0.0), None),
            ("rain of 2020-01-01", None, None),
        ] {
            let moment = date_in(name);
            let hours = moment.map(|at| (at.seconds - noon_s) / 3600.0);
            assert_eq!(hours, after_noon_h, "{name}");
            assert_eq!(moment.and_then(|at| at.offset_s), offset_s, "{name}");
        }
    }
}
