//! Rasters of one band that are not a GeoTIFF: their facts and their mask.

use std::path::Path;

use crate::aux_xml::AuxXml;
use crate::crs::Crs;
use crate::error::RasterError;
use crate::facts::FactSource;
use crate::geotiff::mask_beside;
use crate::hints::Hints;
use crate::locating::Located;
use crate::masked::Masked;
use crate::samples::{SampleFacts, SettledSamples, Spread};
use crate::screen::StoredRows;
use crate::source::RowSource;
use crate::stated::Stated;

/// Settles the facts of the samples; `nodata` is the file's own NoData value and its source,
/// `spread` the heights over which the samples spread.
pub(crate) fn settle(
    path: &Path,
    (hints, located): (&Hints, Option<&Located>),
    nodata: Option<(FactSource, f64)>,
    spread: Option<Spread>,
) -> Result<SettledSamples, RasterError> {
    if let Some(band) = hints.band.filter(|band| *band > 1) {
        let what = format!("has one band, and --band is {band}: leave --band out");
        return Err(RasterError::hint(path, what));
    }
    let own = nodata.into_iter();
    let samples = own.fold(SampleFacts::of(path, hints), |samples, (source, value)| {
        samples.add(source, Stated::nodata(Some(value)))
    });
    let mut aux = AuxXml::beside(path)?.band(1);
    aux.unit = aux.unit.filter(|_| spread.is_none());
    let samples = match spread {
        Some(spread) => samples.add_spread(spread),
        None => samples.add_system(located, None)?,
    };
    Ok(samples.add_aux(&aux)?.settle())
}

/// Opens a raster at its place by the settled facts of its samples and the mask beside the file.
pub(crate) fn screened<S: StoredRows + 'static>(
    path: &Path,
    (size, mut located): ((usize, usize), Located),
    rows: S,
    settled: SettledSamples,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let SettledSamples { meaning, is_converted, mut facts, remarks } = settled;
    if is_converted {
        located.grid.crs = located.grid.crs.map(Crs::without_heights);
    }
    let (mask, fact) = mask_beside(path, size, hints)?;
    facts.extend(fact);
    located.add(path, facts, remarks);
    located.screen(path, size, Masked::new(rows, mask), meaning)
}
