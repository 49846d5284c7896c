//! The reference system of a raster, as the GeoTIFF keys that describe it.
//!
//! Source:     OGC GeoTIFF 1.1 (19-008r4), section 7.1.2 and annex B.

use std::fmt;

use crate::epsg;
use crate::length::LengthUnit;
use crate::wkt::{self, CrsKind, System};

/// Numbers of the geo-keys that are read.
pub(crate) mod key {
    pub(crate) const MODEL_TYPE: u16 = 1024;
    pub(crate) const RASTER_TYPE: u16 = 1025;
    pub(crate) const CITATION: u16 = 1026;
    pub(crate) const GEOGRAPHIC: u16 = 2048;
    pub(crate) const GEOGRAPHIC_CITATION: u16 = 2049;
    pub(crate) const ANGULAR_UNIT: u16 = 2054;
    pub(crate) const ANGULAR_UNIT_SIZE: u16 = 2055;
    pub(crate) const PROJECTED: u16 = 3072;
    pub(crate) const PROJECTED_CITATION: u16 = 3073;
    pub(crate) const LINEAR_UNIT: u16 = 3076;
    pub(crate) const LINEAR_UNIT_SIZE: u16 = 3077;
    pub(crate) const VERTICAL: u16 = 4096;
    pub(crate) const VERTICAL_UNIT: u16 = 4099;
}

/// Projected systems whose metres are true on the ground at the equator alone: web Mercator, its
/// codes before EPSG gave it one, and Mercator on the ellipsoid.
const MERCATORS: [u16; 3] = [3857, 3785, 3395];

/// Place of a key's value, by the tag's number; 0 is the key itself.
const IN_DOUBLES: u16 = 34_736;
const IN_ASCII: u16 = 34_737;

/// Value of a key whose meaning another key defines.
pub(crate) const USER_DEFINED: u16 = 32_767;

/// Begins a citation that is followed by the system as WKT, as ArcGIS writes it.
const ESRI_TEXT: &str = "ESRI PE String = ";

/// Name of a system that neither a code nor a citation names.
const UNNAMED: &str = "an unnamed reference system";

/// One geo-key: number, place of its value, count of values, value or index.
type GeoKey = [u16; 4];

/// A coordinate reference system: opaque GeoTIFF keys, and a name to print.
///
/// Coordinate reference system: [`crate::write_geotiff`] writes back the one that [`crate::open`]
/// found in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Crs {
    name: String,
    /// Keys sorted by number; every index is within `doubles` or `ascii`.
    keys: Vec<GeoKey>,
    doubles: Vec<f64>,
    ascii: String,
}

impl Crs {
    /// Makes a projected system in metres by its EPSG code, for example 32611 (UTM zone 11 north).
    #[must_use]
    pub fn projected(epsg: u16) -> Self {
        Self {
            name: format!("EPSG:{epsg}"),
            keys: vec![
                [key::MODEL_TYPE, 0, 1, 1],
                [key::RASTER_TYPE, 0, 1, 1],
                [key::PROJECTED, 0, 1, epsg],
                [key::LINEAR_UNIT, 0, 1, 9001],
            ],
            doubles: Vec::new(),
            ascii: String::new(),
        }
    }

    /// Makes a geographic system in degrees by its EPSG code, for example 4326 (WGS 84).
    #[must_use]
    pub fn geographic(epsg: u16) -> Self {
        Self {
            name: format!("EPSG:{epsg}"),
            keys: vec![
                [key::MODEL_TYPE, 0, 1, 2],
                [key::RASTER_TYPE, 0, 1, 1],
                [key::GEOGRAPHIC, 0, 1, epsg],
                [key::ANGULAR_UNIT, 0, 1, 9102],
            ],
            doubles: Vec::new(),
            ascii: String::new(),
        }
    }

    /// Makes a system by its EPSG code: a geographic one in degrees, else a projected one in
    /// metres.
    #[must_use]
    pub fn coded(epsg: u16) -> Self {
        if epsg::is_geographic(epsg) { Self::geographic(epsg) } else { Self::projected(epsg) }
    }

    /// Returns true if the keys show that coordinates of the system are longitudes and latitudes.
    #[must_use]
    pub fn is_geographic(&self) -> bool {
        self.kind() == Some(CrsKind::Geographic)
    }

    /// Makes the system that a `text` beside the raster describes: EPSG's code if the system has
    /// one, else the text itself as a citation.
    pub(crate) fn described(system: &System, text: &str) -> Self {
        let mut crs = Self {
            name: String::new(),
            keys: vec![[key::RASTER_TYPE, 0, 1, 1]],
            doubles: Vec::new(),
            ascii: String::new(),
        };
        let (model, code, citation) = match system.kind {
            CrsKind::Projected => (1, Some(key::PROJECTED), key::PROJECTED_CITATION),
            CrsKind::Geographic => (2, Some(key::GEOGRAPHIC), key::GEOGRAPHIC_CITATION),
            CrsKind::Geocentric => (3, Some(key::GEOGRAPHIC), key::GEOGRAPHIC_CITATION),
            CrsKind::Local => (USER_DEFINED, None, key::CITATION),
        };
        crs.keys.push([key::MODEL_TYPE, 0, 1, model]);
        crs.keys.extend(code.map(|key| [key, 0, 1, system.code.unwrap_or(USER_DEFINED)]));
        if system.code.is_none() {
            crs.cite(citation, system, text);
        }
        match (system.kind, system.unit.and_then(LengthUnit::of_metres)) {
            (CrsKind::Geographic, _) => crs.keys.push([key::ANGULAR_UNIT, 0, 1, 9102]),
            (CrsKind::Projected | CrsKind::Local, Some(unit)) => {
                crs.keys.push([key::LINEAR_UNIT, 0, 1, unit.code().unwrap_or(USER_DEFINED)]);
                if unit.code().is_none() {
                    crs.keys.push([key::LINEAR_UNIT_SIZE, IN_DOUBLES, 1, 0]);
                    crs.doubles.push(unit.metres());
                }
            }
            _ => {}
        }
        if let Some(heights) = system.heights {
            let unit = heights.unit.and_then(LengthUnit::code);
            crs.keys.extend(heights.code.map(|code| [key::VERTICAL, 0, 1, code]));
            crs.keys.extend(unit.map(|code| [key::VERTICAL_UNIT, 0, 1, code]));
        }
        crs.keys.sort_unstable();
        crs.name = crs.find_name();
        crs
    }

    /// Adds the key of a citation: the text on one line, or the name of a system whose text no
    /// citation can carry.
    fn cite(&mut self, number: u16, system: &System, text: &str) {
        // Heights have keys of their own, because they can be converted.
        let text = wkt::horizontal(text).unwrap_or_default();
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let is_sound = (1..30_000).contains(&line.len()) && line.is_ascii() && !line.contains('|');
        let cited = match is_sound && system.kind != CrsKind::Local {
            true => format!("{ESRI_TEXT}{line}|"),
            false => {
                let plain = |c: char| if c.is_ascii_graphic() && c != '|' { c } else { ' ' };
                format!("{}|", system.name.chars().take(1000).map(plain).collect::<String>())
            }
        };
        let length = u16::try_from(cited.len()).unwrap_or(u16::MAX);
        let start = u16::try_from(self.ascii.len()).unwrap_or(u16::MAX);
        self.keys.push([number, IN_ASCII, length, start]);
        self.ascii += &cited;
    }

    /// Returns the system that a citation of ArcGIS describes; `None` without such a citation.
    pub(crate) fn esri_system(&self) -> Option<System> {
        let citations = [key::PROJECTED_CITATION, key::CITATION, key::GEOGRAPHIC_CITATION];
        citations.iter().find_map(|&number| {
            let text = self.text(number)?;
            System::parse(text.get(text.find(ESRI_TEXT)? + ESRI_TEXT.len()..)?)
        })
    }

    /// Returns the kind of the system, if a key states it.
    pub(crate) fn kind(&self) -> Option<CrsKind> {
        if let Some(system) = self.esri_system() {
            return Some(system.kind);
        }
        match self.short(key::MODEL_TYPE) {
            Some(1) => Some(CrsKind::Projected),
            Some(2) => Some(CrsKind::Geographic),
            Some(3) => Some(CrsKind::Geocentric),
            _ if self.short(key::PROJECTED).is_some() => Some(CrsKind::Projected),
            _ if self.short(key::GEOGRAPHIC).is_some() => Some(CrsKind::Geographic),
            _ => None,
        }
    }

    /// Returns whether two systems are certainly different: a text without a code can describe the
    /// system of a code.
    #[must_use]
    pub fn is_other_than(&self, other: &Self) -> bool {
        let are_kinds_known = self.kind().is_some() && other.kind().is_some();
        match (self.code(), other.code()) {
            (Some(own), Some(other)) => own != other,
            (None, None) => self.name != other.name,
            _ => are_kinds_known && self.kind() != other.kind(),
        }
    }

    /// Returns whether two systems are certainly one: their keys are equal, or EPSG's codes, and no
    /// two vertical systems differ.
    pub(crate) fn is_same_as(&self, other: &Self) -> bool {
        let heights = self.short(key::VERTICAL).zip(other.short(key::VERTICAL));
        let have_one_code = self.code().is_some() && self.code() == other.code();
        self == other || (have_one_code && heights.is_none_or(|(own, other)| own == other))
    }

    /// Returns EPSG's code of the system; `None` if the system has no code.
    pub(crate) fn code(&self) -> Option<u16> {
        self.name.strip_prefix("EPSG:").and_then(|code| code.parse().ok())
    }

    /// Returns whether a key names the system or a unit of its coordinates.
    pub(crate) fn is_stated(&self) -> bool {
        let states = |key: &GeoKey| {
            !matches!(key[0], key::MODEL_TYPE | key::RASTER_TYPE | key::CITATION) && key[3] != 0
        };
        self.esri_system().is_some() || self.keys.iter().any(states)
    }

    /// Returns whether a code or a citation names the system: units and heights alone do not.
    pub(crate) fn is_named(&self) -> bool {
        self.name != UNNAMED
    }

    /// Returns a name to print: `EPSG:32611`, or the citation of a system that has no code.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Parses the content of the three geo-key tags; `None` if a key points nowhere.
    pub(crate) fn from_keys(directory: &[u64], doubles: Vec<f64>, ascii: String) -> Option<Self> {
        let count = usize::try_from(*directory.get(3)?).ok()?;
        let list = directory.get(4..)?.get(..count.checked_mul(4)?)?;
        let mut keys = Vec::with_capacity(count);
        for entry in list.chunks_exact(4) {
            let mut key: GeoKey = [0; 4];
            for (part, &number) in key.iter_mut().zip(entry) {
                *part = u16::try_from(number).ok()?;
            }
            let end = usize::from(key[2]) + usize::from(key[3]);
            match key[1] {
                0 => keys.push(key),
                IN_DOUBLES if end <= doubles.len() => keys.push(key),
                // Some writers count the text's closing NUL.
                IN_ASCII if end <= ascii.len() + 1 => keys.push(key),
                _ => return None,
            }
        }
        keys.sort_unstable();
        let mut crs = Self { name: String::new(), keys, doubles, ascii };
        crs.name = crs.find_name();
        Some(crs)
    }

    /// Returns the content of the tags GeoKeyDirectory, GeoDoubleParams and GeoAsciiParams.
    pub(crate) fn to_keys(&self) -> (Vec<u16>, &[f64], &str) {
        let count = u16::try_from(self.keys.len()).unwrap_or(u16::MAX);
        let mut directory = vec![1, 1, 0, count];
        directory.extend(self.keys.iter().flatten());
        (directory, &self.doubles, &self.ascii)
    }

    /// Returns the value of a key that is a code; `None` if it is missing.
    pub(crate) fn short(&self, number: u16) -> Option<u16> {
        let is_code = |key: &&GeoKey| key[0] == number && key[1] == 0;
        self.keys.iter().find(is_code).map(|key| key[3])
    }

    /// Returns the value of a key that is a number; `None` if it is missing.
    pub(crate) fn double(&self, number: u16) -> Option<f64> {
        let is_double = |key: &&GeoKey| key[0] == number && key[1] == IN_DOUBLES;
        let key = self.keys.iter().find(is_double)?;
        self.doubles.get(usize::from(key[3])).copied()
    }

    fn text(&self, number: u16) -> Option<&str> {
        let is_text = |key: &&GeoKey| key[0] == number && key[1] == IN_ASCII;
        let key = self.keys.iter().find(is_text)?;
        let start = usize::from(key[3]);
        let end = (start + usize::from(key[2])).min(self.ascii.len());
        let text = self.ascii.get(start..end)?.trim_end_matches('|').trim();
        (!text.is_empty()).then_some(text)
    }

    /// Returns whether tie points name the centres of cells instead of corners.
    pub(crate) fn is_point(&self) -> bool {
        self.short(key::RASTER_TYPE) == Some(2)
    }

    /// Returns a copy of the system for a raster whose tie point names a corner.
    pub(crate) fn with_area(mut self) -> Self {
        self.keys.retain(|key| key[0] != key::RASTER_TYPE);
        self.keys.push([key::RASTER_TYPE, 0, 1, 1]);
        self.keys.sort_unstable();
        self
    }

    /// Returns a copy of the system without its heights: neither keys nor a citation of ArcGIS has
    /// them.
    pub(crate) fn without_heights(mut self) -> Self {
        self.keys.retain(|key| !(key::VERTICAL..=key::VERTICAL_UNIT).contains(&key[0]));
        let ascii = std::mem::take(&mut self.ascii);
        for key in self.keys.iter_mut().filter(|key| key[1] == IN_ASCII) {
            let start = usize::from(key[3]);
            let end = (start + usize::from(key[2])).min(ascii.len());
            let text = ascii.get(start..end).unwrap_or_default();
            let cited = text.split_once(ESRI_TEXT);
            let part = cited.and_then(|(before, text)| Some((before, wkt::horizontal(text)?)));
            let text = match part {
                Some((before, part)) => format!("{before}{ESRI_TEXT}{part}|"),
                None => text.to_owned(),
            };
            let place = [text.len(), self.ascii.len()];
            let [length, start] = place.map(|number| u16::try_from(number).unwrap_or(u16::MAX));
            (key[2], key[3]) = (length, start);
            self.ascii += &text;
        }
        self
    }

    /// Returns whether lengths grow with the latitude, as Mercator's do.
    pub(crate) fn is_mercator(&self) -> bool {
        let name = self.name.to_lowercase().replace('_', " ");
        let is_named =
            ["pseudo-mercator", "web mercator", "world mercator", "popular visualisation"]
                .iter()
                .any(|known| name.contains(known));
        let code = self.short(key::PROJECTED);
        is_named || code.is_some_and(|code| MERCATORS.contains(&code))
    }

    fn find_name(&self) -> String {
        let is_epsg = |code: &u16| (1024..32_767).contains(code);
        let described = self.esri_system();
        let code = self.short(key::PROJECTED).filter(is_epsg);
        let code = code.or_else(|| described.as_ref().and_then(|system| system.code));
        let code = code.or_else(|| {
            if described.is_some() {
                return None;
            }
            // Behind a projection of its own, the geographic code is not the system.
            let is_geographic = self.short(key::MODEL_TYPE) != Some(1);
            self.short(key::GEOGRAPHIC).filter(|code| is_geographic && is_epsg(code))
        });
        if let Some(code) = code {
            return format!("EPSG:{code}");
        }
        [key::PROJECTED_CITATION, key::CITATION, key::GEOGRAPHIC_CITATION]
            .iter()
            .find_map(|&number| self.text(number))
            .filter(|text| !text.starts_with(ESRI_TEXT))
            .map(str::to_owned)
            .or_else(|| described.map(|system| system.name))
            .unwrap_or_else(|| UNNAMED.to_owned())
    }
}

impl fmt::Display for Crs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_survive_the_round_trip() {
        let ascii = "Hand-made grid|WGS 84|".to_owned();
        let directory =
            [1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 2, 1026, 34_737, 15, 0, 3080, 34_736, 1, 1];
        let crs = Crs::from_keys(&directory, vec![0.5, 9.0], ascii.clone()).unwrap();
        assert_eq!(crs.name(), "Hand-made grid");
        assert!(crs.is_point());
        assert_eq!(crs.double(3080), Some(9.0));
        let crs = crs.with_area();
        assert!(!crs.is_point());
        let (written, doubles, texts) = crs.to_keys();
        assert_eq!(written[..12], [1, 1, 0, 4, 1024, 0, 1, 1, 1025, 0, 1, 1]);
        assert_eq!((doubles, texts), (&[0.5, 9.0][..], ascii.as_str()));
    }

    /// Goal: a raster that is written in metres describes no heights in feet.
    #[test]
    fn a_citation_loses_its_heights() {
        let part = "PROJCS[\"Own\",UNIT[\"Meter\",1.0]]";
        let both = format!("{part},VERTCS[\"d\",UNIT[\"Foot\",0.3048]]");
        let cited = format!("{ESRI_TEXT}{both}|");
        let length = u64::try_from(cited.len()).expect("short");
        let directory = [1, 1, 0, 2, 1026, 34_737, length, 0, 1027, 34_737, 5, length];
        let crs = Crs::from_keys(&directory, Vec::new(), format!("{cited}name|")).expect("sound");
        assert!(crs.esri_system().is_some_and(|system| system.heights.is_some()));
        let crs = crs.without_heights();
        assert!(crs.esri_system().is_some_and(|system| system.heights.is_none()));
        assert_eq!(crs.text(1027), Some("name"));
        let system = System::parse(&both).expect("sound");
        let described = Crs::described(&system, &both);
        assert!(described.esri_system().is_some_and(|system| system.heights.is_none()));
    }

    #[test]
    fn keys_that_point_nowhere() {
        for directory in [
            &[1, 1, 0][..],
            &[1, 1, 0, 1],
            &[1, 1, 0, u64::MAX, 1024, 0, 1, 1],
            &[1, 1, 0, 1, 1026, 34_737, 9, 0],
            &[1, 1, 0, 1, 3080, 34_736, 1, 1],
            &[1, 1, 0, 1, 3080, 7, 1, 0],
            &[1, 1, 0, 1, 70_000, 0, 1, 0],
        ] {
            let crs = Crs::from_keys(directory, vec![1.0], "short|".into());
            assert_eq!(crs, None, "{directory:?}");
        }
    }
}
