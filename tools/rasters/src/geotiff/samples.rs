//! Facts of the samples that a GeoTIFF states: in GDAL's tags, and in the geo-keys.
//!
//! Source:     OGC GeoTIFF 1.1 (19-008r4), keys 4096 and 4099; GDAL's roles in tag 42112.

use std::path::Path;

use super::channels::Channels;
use super::directory::TiffDirectory;
use super::metadata::Metadata;
use super::tag;
use crate::aux_xml::AuxXml;
use crate::error::RasterError;
use crate::facts::FactSource;
use crate::hints::Hints;
use crate::locating::Located;
use crate::numbers::spelled;
use crate::samples::{SampleFacts, SettledSamples, Spread, nodata};
use crate::stated::Stated;

/// A band, and how its samples are settled.
pub(super) struct BandSamples<'a> {
    pub(super) path: &'a Path,
    pub(super) directory: &'a TiffDirectory,
    /// Place of the raster, if it has one.
    pub(super) located: Option<&'a Located>,
    pub(super) channels: Channels,
    /// Number of the band, counted from 1.
    pub(super) number: usize,
    /// Heights over which the samples spread.
    pub(super) spread: Option<Spread>,
}

impl BandSamples<'_> {
    /// Settles the facts of the samples.
    pub(super) fn settle(&self, hints: &Hints) -> Result<SettledSamples, RasterError> {
        let path = self.path;
        let text = self.directory.utf8(tag::GDAL_METADATA)?.unwrap_or_default();
        let metadata = Metadata::parse(&text);
        let number = |role| metadata.role(role, self.number).and_then(spelled);
        let samples = SampleFacts::of(path, hints);
        // A unit does not count if samples spread over a range of metres.
        let unit = metadata.role("unittype", self.number).filter(|_| self.spread.is_none());
        let unit = unit.map(|text| samples.unit("GDAL's unit of the band", text)).transpose()?;
        let stated = Stated {
            factor: number("scale").filter(|factor| factor.is_finite()),
            offset: number("offset").filter(|offset| offset.is_finite()),
            unit: unit.flatten(),
            ..Stated::default()
        };
        let named = Stated::nodata(self.nodata()?);
        let mut samples = samples.add(FactSource::File("GDAL_NODATA"), named);
        samples = match self.spread {
            Some(spread) => samples.add_spread(spread),
            None => samples.add_system(self.located, stated.unit)?,
        };
        let samples = samples.add(FactSource::File("tag 42112"), stated);
        let mut aux = AuxXml::beside(path)?.band(self.number);
        aux.unit = aux.unit.filter(|_| self.spread.is_none());
        Ok(samples.add_aux(&aux)?.settle())
    }

    /// Returns the NoData value of the file.
    pub(super) fn nodata(&self) -> Result<Option<f64>, RasterError> {
        if matches!(self.channels, Channels::Colours(..)) {
            // The value is that of a colour, not of a height.
            return Ok(None);
        }
        let text = self.directory.text(tag::GDAL_NODATA)?.unwrap_or_default();
        let text = Some(text.trim()).filter(|text| !text.is_empty());
        text.map(|text| nodata(self.path, "NoData value (tag 42113)", text)).transpose()
    }
}
