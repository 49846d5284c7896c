//! The unit of heights: what the geo-keys say, and what GDAL's metadata says of the band.
//!
//! Source:     OGC GeoTIFF 1.1 (19-008r4), key 4099; GDAL's `role="unittype"` in tag 42112, in
//!             which it writes EPSG's names of units or their abbreviations.

use std::fmt;
use std::path::Path;

use super::directory::Directory;
use super::{item, tag};
use crate::crs::{Crs, FOOT, SURVEY_FOOT};
use crate::error::RasterError;

/// A unit that heights are read in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Metre,
    Foot,
    SurveyFoot,
}

/// Names of units, without spaces and signs, in small letters.
const NAMES: [(&str, Unit); 18] = [
    ("m", Unit::Metre),
    ("metre", Unit::Metre),
    ("metres", Unit::Metre),
    ("meter", Unit::Metre),
    ("meters", Unit::Metre),
    ("ft", Unit::Foot),
    ("foot", Unit::Foot),
    ("feet", Unit::Foot),
    ("internationalfoot", Unit::Foot),
    ("internationalfeet", Unit::Foot),
    ("ftus", Unit::SurveyFoot),
    ("usft", Unit::SurveyFoot),
    ("footus", Unit::SurveyFoot),
    ("usfoot", Unit::SurveyFoot),
    ("usfeet", Unit::SurveyFoot),
    ("ussurveyfoot", Unit::SurveyFoot),
    ("ussurveyfeet", Unit::SurveyFoot),
    ("surveyfoot", Unit::SurveyFoot),
];

impl Unit {
    pub(super) fn metres(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Foot => 0.3048,
            Self::SurveyFoot => 1200.0 / 3937.0,
        }
    }

    fn named(text: &str) -> Option<Self> {
        let letters = text.chars().filter(|c| c.is_alphanumeric());
        let name: String = letters.flat_map(char::to_lowercase).collect();
        // Signs stand for something where nothing but them is left out: `m/s` is no `ms`.
        let is_word = text.chars().all(|c| c.is_alphanumeric() || " -_.()".contains(c));
        NAMES.iter().find(|(known, _)| is_word && *known == name).map(|(_, unit)| *unit)
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Metre => "metres",
            Self::Foot => "feet",
            Self::SurveyFoot => "US survey feet",
        })
    }
}

/// The unit of the heights; `None` where the file does not say.
///
/// # Errors
///
/// If it is none that is read, or the file names two.
pub(super) fn of(
    path: &Path,
    directory: &Directory,
    crs: Option<&Crs>,
) -> Result<Option<Unit>, RasterError> {
    let by_key = crs.and_then(Crs::height_unit).map(|code| match code {
        FOOT => Unit::Foot,
        SURVEY_FOOT => Unit::SurveyFoot,
        // `placement` refuses all others.
        _ => Unit::Metre,
    });
    let metadata = directory.text(tag::GDAL_METADATA)?;
    let text = metadata.as_deref().and_then(|text| item(text, "unittype")).unwrap_or_default();
    if text.is_empty() {
        return Ok(by_key);
    }
    let mend = "write the true one with gdal_edit.py -units m (or ft)";
    let unit = Unit::named(text).ok_or_else(|| {
        RasterError::unsupported(
            path,
            format!(
                "has its heights in \"{text}\" (GDAL's unit of the band), and metres and feet are \
                 read: convert them, or where that is no unit of theirs, {mend}"
            ),
        )
    })?;
    match by_key {
        Some(key) if (key == Unit::Metre) != (unit == Unit::Metre) => Err(RasterError::damaged(
            path,
            format!(
                "has its heights in {key} (geo-key 4099 or vertical system) and in {unit} (GDAL's \
                 unit of the band): {mend}"
            ),
        )),
        _ => Ok(Some(by_key.unwrap_or(unit))),
    }
}
