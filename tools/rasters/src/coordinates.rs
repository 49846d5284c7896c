//! The unit of a raster's coordinates, as keys and texts state the unit.
//!
//! Source:     OGC GeoTIFF 1.1 (19-008r4), keys 2054, 2055, 3076 and 3077; EPSG's units of angles.

use std::fmt;
use std::path::Path;

use crate::crs::{Crs, USER_DEFINED, key};
use crate::epsg;
use crate::error::RasterError;
use crate::facts::FactSource;
use crate::length::LengthUnit;
use crate::wkt::{CrsKind, System};

/// EPSG's codes, names and sizes (radians) of angles besides degrees.
const ANGLES: [(u16, &str, f64); 5] = [
    (9101, "radians", 1.0),
    (9103, "arc-minutes", std::f64::consts::PI / 10_800.0),
    (9104, "arc-seconds", std::f64::consts::PI / 648_000.0),
    (9105, "grads", std::f64::consts::PI / 200.0),
    (9106, "gons", std::f64::consts::PI / 200.0),
];

/// A unit of coordinates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Coordinates {
    Length(LengthUnit),
    Degrees,
    /// A unit that is not read, by EPSG's code.
    Other(u16),
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length(unit) => unit.fmt(f),
            Self::Degrees => f.write_str("degrees"),
            Self::Other(code) => match ANGLES.iter().find(|(known, ..)| known == code) {
                Some((_, name, _)) => f.write_str(name),
                None => write!(f, "units of code {code}"),
            },
        }
    }
}

impl Coordinates {
    /// Returns the unit of the axes of a system that a text describes; `None` if the text names no
    /// unit.
    pub(crate) fn of_system(system: &System) -> Option<Self> {
        match system.kind {
            CrsKind::Projected | CrsKind::Local => {
                let by_code = || system.code.map(epsg::unit_of_projected);
                let unit = system.unit.and_then(LengthUnit::of_metres).or_else(by_code);
                unit.map(Self::Length)
            }
            CrsKind::Geographic => Some(system.unit.map_or(Self::Degrees, Self::of_angle)),
            CrsKind::Geocentric => None,
        }
    }

    fn of_angle(radians: f64) -> Self {
        let is = |size: f64| (radians - size).abs() <= 1.0e-6 * size;
        if is(1.0_f64.to_radians()) {
            return Self::Degrees;
        }
        let known = ANGLES.iter().find(|(.., size)| is(*size));
        Self::Other(known.map_or(USER_DEFINED, |(code, ..)| *code))
    }

    /// Candidates that the geo-keys of a system state, and EPSG for the system's code.
    pub(crate) fn of_keys(crs: &Crs) -> Vec<(FactSource, Self)> {
        let esri = crs.esri_system().and_then(|system| Self::of_system(&system));
        let esri = esri.map(|unit| (FactSource::File("ESRI PE string"), unit));
        let (by_key, by_code) = match crs.kind() {
            Some(CrsKind::Projected | CrsKind::Local) => {
                let code = crs.code();
                let unit = code.map(|code| Self::Length(epsg::unit_of_projected(code)));
                (Self::of_linear_key(crs), code.zip(unit))
            }
            Some(CrsKind::Geographic) => {
                let unit = |code| match epsg::is_in_grads(code) {
                    true => Self::Other(9105),
                    false => Self::Degrees,
                };
                let by_code = crs.code().map(|code| (code, unit(code)));
                let model = || Some((FactSource::File("geo-key 1024"), Self::Degrees));
                let by_key = Self::of_angular_key(crs);
                (by_key.or_else(|| model().filter(|_| by_code.is_none())), by_code)
            }
            Some(CrsKind::Geocentric) => (None, None),
            None => (Self::of_linear_key(crs), None),
        };
        let by_code = by_code.map(|(code, unit)| (FactSource::Epsg(code), unit));
        [esri, by_key, by_code].into_iter().flatten().collect()
    }

    fn of_linear_key(crs: &Crs) -> Option<(FactSource, Self)> {
        match crs.short(key::LINEAR_UNIT)? {
            0 => None,
            USER_DEFINED => {
                let unit = LengthUnit::of_metres(crs.double(key::LINEAR_UNIT_SIZE)?)?;
                Some((FactSource::File("geo-key 3077"), Self::Length(unit)))
            }
            code => {
                let unit = LengthUnit::of_code(code).map_or(Self::Other(code), Self::Length);
                Some((FactSource::File("geo-key 3076"), unit))
            }
        }
    }

    fn of_angular_key(crs: &Crs) -> Option<(FactSource, Self)> {
        match crs.short(key::ANGULAR_UNIT)? {
            0 => None,
            9102 | 9122 => Some((FactSource::File("geo-key 2054"), Self::Degrees)),
            USER_DEFINED => {
                let size = crs.double(key::ANGULAR_UNIT_SIZE).unwrap_or(f64::NAN);
                Some((FactSource::File("geo-key 2055"), Self::of_angle(size)))
            }
            code => Some((FactSource::File("geo-key 2054"), Self::Other(code))),
        }
    }
}

/// Makes the error for coordinates in a unit that is not read.
pub(crate) fn foreign(path: &Path, unit: Coordinates) -> RasterError {
    RasterError::unsupported(
        path,
        format!(
            "has coordinates in {unit}: reproject it to metres (gdalwarp -t_srs EPSG:326xx in.tif \
             out.tif, xx being its UTM zone, 327xx in the south), or say how many metres a cell \
             has, for example --map-cell 5"
        ),
    )
}
