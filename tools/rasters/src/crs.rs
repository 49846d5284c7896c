//! The reference system of a raster, as the GeoTIFF keys that describe it.
//!
//! Source:     OGC GeoTIFF 1.1 (19-008r4), section 7.1.2 and annex B.

use std::fmt;

/// Numbers of the geo-keys that are read.
pub(crate) mod key {
    pub(crate) const MODEL_TYPE: u16 = 1024;
    pub(crate) const RASTER_TYPE: u16 = 1025;
    pub(crate) const CITATION: u16 = 1026;
    pub(crate) const GEOGRAPHIC: u16 = 2048;
    pub(crate) const GEOGRAPHIC_CITATION: u16 = 2049;
    pub(crate) const ANGULAR_UNIT: u16 = 2054;
    pub(crate) const PROJECTED: u16 = 3072;
    pub(crate) const PROJECTED_CITATION: u16 = 3073;
    pub(crate) const LINEAR_UNIT: u16 = 3076;
    pub(crate) const LINEAR_UNIT_SIZE: u16 = 3077;
    pub(crate) const VERTICAL: u16 = 4096;
    pub(crate) const VERTICAL_UNIT: u16 = 4099;
}

/// EPSG's codes of the foot and of the US survey foot.
pub(crate) const FOOT: u16 = 9002;
pub(crate) const SURVEY_FOOT: u16 = 9003;

/// Projected systems whose metres are those of the ground at the equator alone: web Mercator, its
/// codes before EPSG gave it one, and Mercator on the ellipsoid.
const MERCATORS: [u16; 3] = [3857, 3785, 3395];

/// Where a key's value stands, by the tag's number; 0 is the key itself.
const IN_DOUBLES: u16 = 34_736;
const IN_ASCII: u16 = 34_737;

/// One geo-key: number, where its value stands, how many values, value or index.
type Key = [u16; 4];

/// A coordinate reference system: opaque GeoTIFF keys, and a name to print.
///
/// Coordinate reference system: [`crate::write_geotiff`] writes back the one that [`crate::open`]
/// found in a file.
#[derive(Debug, Clone, PartialEq)]
pub struct Crs {
    name: String,
    /// Sorted by number; every index lies in `doubles` or `ascii`.
    keys: Vec<Key>,
    doubles: Vec<f64>,
    ascii: String,
}

impl Crs {
    /// A projected system in metres by its EPSG code, for example 32611 (UTM zone 11 north).
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

    /// A geographic system in degrees by its EPSG code, for example 4326 (WGS 84).
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

    /// A name to print: `EPSG:32611`, or the citation of a system that has no code.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Understands the content of the three geo-key tags; `None` if a key points nowhere.
    pub(crate) fn from_keys(directory: &[u64], doubles: Vec<f64>, ascii: String) -> Option<Self> {
        let count = usize::try_from(*directory.get(3)?).ok()?;
        let list = directory.get(4..)?.get(..count.checked_mul(4)?)?;
        let mut keys = Vec::with_capacity(count);
        for entry in list.chunks_exact(4) {
            let mut key: Key = [0; 4];
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

    /// Content of the tags GeoKeyDirectory, GeoDoubleParams and GeoAsciiParams.
    pub(crate) fn to_keys(&self) -> (Vec<u16>, &[f64], &str) {
        let count = u16::try_from(self.keys.len()).unwrap_or(u16::MAX);
        let mut directory = vec![1, 1, 0, count];
        directory.extend(self.keys.iter().flatten());
        (directory, &self.doubles, &self.ascii)
    }

    /// The value of a key that is a code; `None` if it is missing.
    pub(crate) fn short(&self, number: u16) -> Option<u16> {
        let is_code = |key: &&Key| key[0] == number && key[1] == 0;
        self.keys.iter().find(is_code).map(|key| key[3])
    }

    /// The value of a key that is a number; `None` if it is missing.
    pub(crate) fn double(&self, number: u16) -> Option<f64> {
        let is_double = |key: &&Key| key[0] == number && key[1] == IN_DOUBLES;
        let key = self.keys.iter().find(is_double)?;
        self.doubles.get(usize::from(key[3])).copied()
    }

    fn text(&self, number: u16) -> Option<&str> {
        let is_text = |key: &&Key| key[0] == number && key[1] == IN_ASCII;
        let key = self.keys.iter().find(is_text)?;
        let start = usize::from(key[3]);
        let end = (start + usize::from(key[2])).min(self.ascii.len());
        let text = self.ascii.get(start..end)?.trim_end_matches('|').trim();
        (!text.is_empty()).then_some(text)
    }

    /// Whether tie points name the centres of cells instead of corners.
    pub(crate) fn is_point(&self) -> bool {
        self.short(key::RASTER_TYPE) == Some(2)
    }

    /// Copy of the system for a raster whose tie point names a corner.
    pub(crate) fn with_area(mut self) -> Self {
        self.keys.retain(|key| key[0] != key::RASTER_TYPE);
        self.keys.push([key::RASTER_TYPE, 0, 1, 1]);
        self.keys.sort_unstable();
        self
    }

    /// Copy of the system without its heights.
    pub(crate) fn without_heights(mut self) -> Self {
        self.keys.retain(|key| !(key::VERTICAL..=key::VERTICAL_UNIT).contains(&key[0]));
        self
    }

    /// Whether lengths grow with the latitude, as Mercator's do.
    pub(crate) fn is_mercator(&self) -> bool {
        let is_named = ["pseudo-mercator", "web_mercator", "web mercator", "popular visualisation"]
            .iter()
            .any(|name| self.name.to_lowercase().contains(name));
        let code = self.short(key::PROJECTED);
        is_named || code.is_some_and(|code| MERCATORS.contains(&code))
    }

    fn find_name(&self) -> String {
        let is_epsg = |code: &u16| (1024..32_767).contains(code);
        let code = self.short(key::PROJECTED).filter(is_epsg).or_else(|| {
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
            .unwrap_or("an unnamed reference system")
            .to_owned()
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
