//! Hints of the user about a raster: facts that its file may lack.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::Deserialize;

use crate::encoding::Encoding;
use crate::error::RasterError;
use crate::facts::FactSource;
use crate::heights::{HeightDirection, HeightUnit};
use crate::size::checked_size;
use crate::stated::Stated;
use crate::void::NoData;

/// File formats this crate reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// GeoTIFF or BigTIFF (`.tif`, `.tiff`).
    GeoTiff,
    /// ESRI ASCII grid, plain or gzipped (`.asc`, `.asc.gz`).
    AsciiGrid,
    /// SRTM tile (`N48E007.hgt`).
    Hgt,
    /// 8 or 16-bit greyscale PNG, or one whose colours encode heights.
    Png,
    /// Unsigned 16-bit samples without a header (`.r16`, `.raw`).
    Raw16,
    /// Signed 16-bit heights without a header.
    Int16,
    /// 32-bit floats without a header (`.r32`, `.raw`).
    Raw32,
}

/// Order of the bytes of a sample (`--byte-order`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ByteOrder {
    /// The lowest byte first.
    Little,
    /// The highest byte first.
    Big,
}

impl ByteOrder {
    /// Returns the opposite order.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Little => Self::Big,
            Self::Big => Self::Little,
        }
    }

    /// Returns the word of the option and the key.
    pub(crate) fn typed(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }
}

impl FromStr for ByteOrder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "little" => Ok(Self::Little),
            "big" => Ok(Self::Big),
            _ => Err(format!("`{text}` is not a byte order: write little or big")),
        }
    }
}

impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Little => "little-endian",
            Self::Big => "big-endian",
        })
    }
}

/// Treatment of a raster whose coordinates are degrees.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum MetresPerDegree {
    /// Refuse it, with an error that describes the reprojection.
    #[default]
    Refuse,
    /// Take the lengths of a degree at the raster's central latitude on the WGS 84 ellipsoid.
    Auto,
    /// This many metres for a degree of both longitude and latitude.
    Fixed(f64),
}

/// Kind of a raster's values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RasterValues {
    /// Heights or stages: other units become metres, depths below a datum heights.
    #[default]
    Lengths,
    /// Depths of water: other units become metres.
    Depths,
    /// Values that are not lengths, like rates or classes: they remain as stored, in any unit.
    Others,
}

/// Hints of the user about a raster; `Hints::default()` is empty.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Hints {
    /// Cell size in metres (x, y) (`--map-cell`).
    pub cell_m: Option<(f64, f64)>,
    /// Heights in metres of the lowest and the highest sample value (`--height-range`).
    pub height_range: Option<(f64, f64)>,
    /// Columns and rows (`--map-size`).
    pub size: Option<(usize, usize)>,
    /// Stored values that mean NoData, besides the one that the file declares or in its place
    /// (`--nodata`).
    pub nodata: Option<NoData>,
    /// Facts of the samples that files beside the raster state: a VRT, the `.toml` file.
    pub stated: Vec<(FactSource, Stated)>,
    /// Keys of the `.toml` file beside the raster for which there are options.
    pub beside: Option<Box<Hints>>,
    /// Sources that are options, and that the user left to that file.
    pub left: Vec<FactSource>,
    /// Text of the reference system that another file than the raster states: a VRT.
    pub system: Option<String>,
    /// Band whose values are read, counted from 1 (`--band`).
    pub band: Option<usize>,
    /// Unit of the heights (`--height-unit`).
    pub height_unit: Option<HeightUnit>,
    /// Direction of the heights (`--heights-are`).
    pub direction: Option<HeightDirection>,
    /// Byte order of samples that are in the file as they are (`--byte-order`).
    pub byte_order: Option<ByteOrder>,
    /// Encoding of heights in the colours of a picture (`--encoding`).
    pub encoding: Option<Encoding>,
    /// The format, if neither content nor ending show it.
    pub format: Option<Format>,
    /// Treatment of degrees (`--metres-per-degree`).
    pub metres_per_degree: MetresPerDegree,
    /// Kind of the values.
    pub values: RasterValues,
}

impl Hints {
    /// Returns the source of the value of an option: the `.toml` file if the user left it to that.
    pub(crate) fn origin(&self, source: FactSource) -> FactSource {
        if self.left.contains(&source) { FactSource::Sidecar } else { source }
    }

    /// Returns a key of the `.toml` file beside the raster.
    pub(crate) fn of_sidecar<T>(&self, key: impl Fn(&Self) -> Option<T>) -> Option<T> {
        self.beside.as_deref().and_then(key)
    }

    /// Refuses numbers that mean nothing; `path` is the file with the numbers, or their subject.
    pub(crate) fn check(&self, path: &Path) -> Result<(), RasterError> {
        let is_length = |metres: f64| metres.is_finite() && metres > 0.0;
        if let Some((x, y)) = self.cell_m
            && !(is_length(x) && is_length(y))
        {
            return Err(RasterError::hint(
                path,
                format!("a cell of {x} x {y} m: sizes are positive (--map-cell 5, cell_m = 5.0)"),
            ));
        }
        if let Some((low, high)) = self.height_range
            && !(low.is_finite() && high.is_finite() && low < high)
        {
            return Err(RasterError::hint(
                path,
                format!(
                    "heights from {low} to {high} m: the first is the lower one \
                     (--height-range 0..512, height_min_m and height_max_m)"
                ),
            ));
        }
        if let (Some(encoding), Some(_)) = (self.encoding, self.height_range) {
            return Err(RasterError::hint(
                path,
                format!(
                    "colours after {encoding} are heights in metres: leave --height-range \
                     (height_min_m, height_max_m) out"
                ),
            ));
        }
        if self.height_unit.is_some() && self.height_range.is_some() {
            return Err(RasterError::hint(
                path,
                "has a height range, which is in metres already: leave --height-unit \
                 (height_unit) out, or write the range with units (--height-range 0ft..1700ft)",
            ));
        }
        if self.direction == Some(HeightDirection::Down) && self.height_range.is_some() {
            return Err(RasterError::hint(
                path,
                "has a height range, over which samples spread upwards: leave --heights-are depths \
                 out, or leave --height-range (height_min_m, height_max_m) out",
            ));
        }
        if self.band == Some(0) {
            return Err(RasterError::hint(path, "has no band 0: bands count from 1 (--band 1)"));
        }
        if let Some((width, height)) = self.size {
            checked_size(path, width as u64, height as u64)?;
        }
        if let MetresPerDegree::Fixed(metres) = self.metres_per_degree
            && !is_length(metres)
        {
            return Err(RasterError::hint(
                path,
                format!("{metres} metres per degree: give a positive number, or auto"),
            ));
        }
        Ok(())
    }
}
