//! Rain from a raster: the unit of its values, and the times of its bands.
//!
//! The unit is an option's or a key's, else the file's (GDAL's unit of the band, the `.aux.xml`
//! file), else mm/h. A band falls from its time until the next band's; the times are those of a
//! given step, else those of the file: netCDF's, GRIB's, or dates in the names of the bands.
//!
//! Guarantees: a depth is spread over the time of its band, so the volume is that of the raster.

use std::path::Path;

use jiff::civil::{DateTime, date};
use kit::error::UserError;
use kit::words::time;
use rasters::{BandStated, Hints};

use super::super::file;
use super::super::moment::Moment;
use super::super::series::Series;
use super::field::{BandOfRaster, Field};
use super::forcing::Rain;
use super::map::MapPlan;
use crate::quantity::Quantity;
use crate::rain_unit::RainUnit;

/// Most bands that are read as a series.
const BANDS_MAX: usize = 1000;

/// Names of options and keys.
const UNIT: &str = "--rain-unit, or `unit` under [[rain]]";
const STEP: &str = "--rain-step, like --rain-step 1h, or `step` under [[rain]]";

/// When the bands fall: start and duration of each, s; and the date of the first, if it is known.
struct Times {
    spans: Vec<(f64, Option<f64>)>,
    begin: Option<Moment>,
}

/// The rains that a raster is, one for each band.
pub(super) fn read(
    path: &Path,
    rain: &file::Rain,
    name: &str,
    map: &MapPlan,
    notes: &mut Vec<String>,
) -> Result<Vec<Rain>, UserError> {
    let bands = rasters::bands(path, &Hints::default())?;
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
    let times = times(path, rain, &bands, notes)?;
    let unit = unit(path, rain, &bands, notes)?;
    let count = bands.len();
    let mut found = Vec::new();
    for (index, (start, duration)) in times.spans.into_iter().enumerate() {
        let factor = if unit.is_depth {
            let duration = duration.ok_or_else(|| lacks_duration(path, &unit))?;
            unit.si / duration
        } else {
            unit.si
        };
        let value = move |value: f64| match value {
            value if value >= 0.0 => Ok(value * factor),
            value => Err(format!("the rain is {value}, below 0: correct it or mark it as NoData")),
        };
        let band = BandOfRaster { path, number: index + 1 };
        let weights = Some(Field::read_band(band, "rain raster", (map, notes), value)?);
        let name = if count == 1 { name.to_owned() } else { format!("{name} {}", index + 1) };
        let begin = times.begin.map(|begin| (path.to_owned(), begin));
        let rate = Series { begin, ..Series::block(1.0, start, duration) };
        found.push(Rain { name, rate, weights });
    }
    Ok(found)
}

/// The unit of the values.
fn unit(
    path: &Path,
    rain: &file::Rain,
    bands: &[BandStated],
    notes: &mut Vec<String>,
) -> Result<RainUnit, UserError> {
    let stated = bands.iter().find_map(|band| band.unit.as_deref());
    let other =
        bands.iter().filter_map(|band| band.unit.as_deref()).find(|unit| Some(*unit) != stated);
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
    if let (Some(stated), Some(other)) = (stated, other) {
        return Err(UserError::new(
            format!("{shown} has bands in {stated} and in {other}"),
            format!("say which unit all of them have with {UNIT}"),
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

/// When each band falls.
fn times(
    path: &Path,
    rain: &file::Rain,
    bands: &[BandStated],
    notes: &mut Vec<String>,
) -> Result<Times, UserError> {
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
        return Ok(Times { spans: vec![(start, duration.or(step))], begin: None });
    };
    if duration.is_some() {
        return Err(UserError::new(
            format!("{shown} has {} bands and a duration as well", bands.len()),
            format!("leave --rain-for (`for`) out: each band lasts until the next, see {STEP}"),
        ));
    }
    let (starts, begin) = match step {
        Some(step) => ((0..bands.len()).map(|band| step * count(band)).collect(), None),
        None => stated_times(bands).ok_or_else(|| {
            UserError::new(
                format!(
                    "{shown} has {} bands of rain, and does not state their times",
                    bands.len()
                ),
                format!("say the time from one to the next with {STEP}"),
            )
        })?,
    };
    let lasts = |pair: &[f64]| pair[1] - pair[0];
    if let Some(wrong) = starts.windows(2).position(|pair| lasts(pair) <= 0.0) {
        return Err(UserError::new(
            format!("{shown}: band {} is not later than band {}", wrong + 2, wrong + 1),
            format!("order the bands by time, or give {STEP}"),
        ));
    }
    let mut durations: Vec<f64> = starts.windows(2).map(lasts).collect();
    durations.extend(durations.last().copied());
    notes.push(format!(
        "{shown}: {} bands of rain, each from its time until the next: {} in all, steps of {} \
         (choose with {STEP})",
        bands.len(),
        time(durations.iter().sum()),
        time(durations[0])
    ));
    let first = starts.first().copied().unwrap_or(0.0);
    let spans = starts.iter().zip(durations);
    let spans = spans.map(|(at, lasts)| (start + at - first, Some(lasts))).collect();
    Ok(Times { spans, begin })
}

/// Times of all bands, s, and the date of the first one; `None` if one has no time.
fn stated_times(bands: &[BandStated]) -> Option<(Vec<f64>, Option<Moment>)> {
    let of_file: Option<Vec<f64>> = bands.iter().map(|band| band.time_s).collect();
    if let Some(times) = of_file {
        return Some((times, None));
    }
    let dates = bands.iter().map(|band| date_in(band.description.as_deref()?));
    let dates: Vec<Moment> = dates.collect::<Option<_>>()?;
    let begin = dates.first().copied();
    Some((dates.iter().map(|date| date.seconds).collect(), begin))
}

/// The date and time of day in a name like `precipitation 2020-01-01T06:00`.
fn date_in(name: &str) -> Option<Moment> {
    let starts = name.char_indices().filter(|(_, letter)| letter.is_ascii_digit());
    let mut texts = starts.flat_map(|(start, _)| [19, 16].map(|length| (start, start + length)));
    let moment = texts.find_map(|(start, end)| {
        let text = name.get(start..end)?.replace(' ', "T");
        text.parse::<DateTime>().ok()
    })?;
    let since = moment.duration_since(date(1970, 1, 1).at(0, 0, 0, 0));
    Some(Moment { seconds: since.as_secs_f64(), offset_s: None })
}

#[expect(clippy::cast_precision_loss, reason = "few bands")]
fn count(band: usize) -> f64 {
    band as f64
}
