//! The band of a GeoTIFF that is read, and the names of all of them.

use std::path::Path;

use super::channels::{Channels, OPACITY};
use super::directory::TiffDirectory;
use super::metadata::Metadata;
use super::tag;
use crate::aux_xml::AuxXml;
use crate::error::RasterError;
use crate::facts::{Fact, FactSource};
use crate::hints::Hints;

/// Most bands that are distinguished.
const BANDS_MAX: usize = 100_000;

/// Statements of a file on the values of a band.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BandStated {
    /// Unit of the values, as it is spelled: `mm/h`.
    pub unit: Option<String>,
    /// Unit of the values in another raster of a mosaic, if it differs; empty if that raster names
    /// no unit.
    pub other_unit: Option<String>,
    /// Name of the band.
    pub description: Option<String>,
    /// Time of the band after some moment that all bands share, s.
    pub time_s: Option<f64>,
    /// True if the time is GRIB's valid time, at which the period of a depth ends.
    pub ends_at_time: bool,
    /// The moment from which `time_s` counts, as CF spells it: `2020-01-01 00:00:00`, in UTC if no
    /// zone follows. The name of an unusual calendar is added.
    pub since: Option<String>,
}

impl BandStated {
    /// Returns true if the other band has the same name and the same time.
    pub(crate) fn is_as_late_as(&self, other: &Self) -> bool {
        let time = |band: &Self| (band.time_s, band.since.clone(), band.description.clone());
        time(self) == time(other)
    }

    /// Replaces the unit by that of the whole mosaic; a different unit that a raster states is kept
    /// as the other unit.
    pub(crate) fn set_unit(&mut self, unit: &str) {
        let units = [self.unit.take(), self.other_unit.take()].into_iter().flatten();
        self.other_unit = units.into_iter().find(|other| !other.is_empty() && other != unit);
        self.unit = Some(unit.to_owned());
    }

    /// Adds the unit of the same band in another raster, if it differs.
    pub(crate) fn add(&mut self, other: &Self) {
        if self.unit != other.unit && self.other_unit.is_none() {
            self.other_unit = Some(other.unit.clone().unwrap_or_default());
        }
        if self.other_unit.is_none() {
            self.other_unit.clone_from(&other.other_unit);
        }
    }
}

/// Returns the statements on a band that is any of `bands`: their units, and no time.
pub(crate) fn one_of(bands: Vec<BandStated>) -> Vec<BandStated> {
    let mut all = bands.into_iter();
    let first = all.next().unwrap_or_default();
    let mut one = BandStated { time_s: None, since: None, description: None, ..first };
    all.for_each(|band| one.add(&band));
    vec![one]
}

/// GRIB's item of the moment for which a band is valid.
const VALID_TIME: &str = "GRIB_VALID_TIME";

/// CF's names of the calendar that is in use.
const USUAL_CALENDARS: [&str; 3] = ["standard", "gregorian", "proleptic_gregorian"];

/// Names of bands that are listed in a remark.
const NAMES_MAX: usize = 6;

/// Adds which band is read, if the file has several that `channels` does not take together.
pub(super) fn remark(
    path: &Path,
    directory: &TiffDirectory,
    hints: &Hints,
    channels: Channels,
    (facts, remarks): (&mut Vec<Fact>, &mut Vec<String>),
) -> Result<(), RasterError> {
    let count = directory.unsigned(tag::SAMPLES_PER_PIXEL)?.unwrap_or(1);
    if count < 2 || matches!(channels, Channels::HeightAndOpacity | Channels::Colours(..)) {
        return Ok(());
    }
    let metadata = directory.utf8(tag::GDAL_METADATA)?.unwrap_or_default();
    let metadata = Metadata::parse(&metadata);
    let names = (1..=NAMES_MAX).filter_map(|band| metadata.role("description", band));
    let names: Vec<&str> = names.collect();
    let names = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let number = hints.band.unwrap_or(1);
    let source = match hints.band {
        Some(_) => FactSource::Option("--band"),
        None => FactSource::Guess,
    };
    facts.push(Fact::of("band", source, format!("{number} of {count}")));
    if hints.band.is_none() {
        remarks.push(format!(
            "{} has {count} bands{names}: the first is read (choose with --band)",
            path.display()
        ));
    }
    Ok(())
}

/// Returns the statements of a file on the values of each band, without the opacities behind them.
pub(super) fn stated(
    path: &Path,
    directory: &TiffDirectory,
) -> Result<Vec<BandStated>, RasterError> {
    let count = directory.unsigned(tag::SAMPLES_PER_PIXEL)?.unwrap_or(1);
    let count = usize::try_from(count).unwrap_or(1).min(BANDS_MAX);
    let count = without_opacities(path, directory, count)?;
    let metadata = directory.utf8(tag::GDAL_METADATA)?.unwrap_or_default();
    let metadata = Metadata::parse(&metadata);
    let aux = AuxXml::beside(path)?;
    let bands = 1..=count;
    let stated = |band| {
        let unit = metadata.role("unittype", band).or_else(|| metadata.named("units", Some(band)));
        let unit = unit.or_else(|| metadata.named("GRIB_UNIT", Some(band))).map(str::to_owned);
        BandStated {
            unit: unit.or_else(|| aux.band(band).unit),
            description: metadata.role("description", band).map(str::to_owned),
            time_s: time_s(&metadata, band),
            since: since(&metadata, band),
            ends_at_time: metadata.named(VALID_TIME, Some(band)).is_some(),
            other_unit: None,
        }
    };
    Ok(bands.map(stated).collect())
}

/// Returns the number of bands before the opacities of a cell, which `ExtraSamples` (the kinds of
/// the last samples) marks.
///
/// # Errors
///
/// If an opacity is between bands: their numbers would not follow each other.
fn without_opacities(
    path: &Path,
    directory: &TiffDirectory,
    count: usize,
) -> Result<usize, RasterError> {
    let most = BANDS_MAX as u64;
    let kinds = directory.unsigneds(tag::EXTRA_SAMPLES, most, most)?.unwrap_or_default();
    let behind = kinds.iter().rev().take_while(|kind| OPACITY.contains(kind)).count();
    let left = count.saturating_sub(behind).max(1);
    let between = kinds.iter().rev().skip(behind).position(|kind| OPACITY.contains(kind));
    match between {
        Some(place) => Err(RasterError::unsupported(
            path,
            format!(
                "marks its band {} of {count} as an opacity (alpha): take that band out, or its \
                 mark, with gdal_translate -b and the numbers of the others",
                left.saturating_sub(place)
            ),
        )),
        None => Ok(left),
    }
}

/// Returns the moment from which the time of a band counts, as netCDF and GRIB state it.
fn since(metadata: &Metadata, band: usize) -> Option<String> {
    if metadata.named(VALID_TIME, Some(band)).is_some() {
        return Some("1970-01-01 00:00 UTC".to_owned());
    }
    let (_, moment) = metadata.named("time#units", None)?.split_once(" since ")?;
    let moment = moment.trim();
    let calendar = metadata.named("time#calendar", None).unwrap_or(USUAL_CALENDARS[0]);
    let is_usual = USUAL_CALENDARS.iter().any(|usual| usual.eq_ignore_ascii_case(calendar));
    Some(if is_usual { moment.to_owned() } else { format!("{moment}, calendar {calendar}") })
}

/// Returns the time of a band as netCDF and GRIB state it, s: differences count.
fn time_s(metadata: &Metadata, band: usize) -> Option<f64> {
    let number = |text: &str| text.split_whitespace().next()?.parse::<f64>().ok();
    if let Some(valid) = metadata.named(VALID_TIME, Some(band)) {
        return number(valid).filter(|seconds| seconds.is_finite());
    }
    let steps = number(metadata.named("NETCDF_DIM_time", Some(band))?)?;
    let unit = metadata.named("time#units", None)?;
    let unit_s = match unit.split_whitespace().next()?.to_ascii_lowercase().as_str() {
        "s" | "sec" | "second" | "seconds" => 1.0,
        "min" | "minute" | "minutes" => 60.0,
        "h" | "hr" | "hour" | "hours" => 3600.0,
        "d" | "day" | "days" => 86_400.0,
        _ => return None,
    };
    Some(steps * unit_s).filter(|seconds| seconds.is_finite())
}
