//! Rasters of one band that are not a GeoTIFF: their facts and their mask.

use std::path::Path;

use crate::aux_xml::AuxXml;
use crate::error::RasterError;
use crate::facts::Source;
use crate::geotiff::mask_beside;
use crate::grid::Grid;
use crate::hints::Hints;
use crate::masked::Masked;
use crate::samples::{Samples, Settled, Stated};
use crate::screen::{Screened, StoredRows};
use crate::source::RowSource;

/// Settles the facts of the samples; `nodata` is the file's own NoData value and its source.
pub(crate) fn settle(
    path: &Path,
    hints: &Hints,
    nodata: Option<(Source, f64)>,
) -> Result<Settled, RasterError> {
    if let Some(band) = hints.band.filter(|band| *band > 1) {
        let what = format!("has one band, and --band is {band}: leave --band out");
        return Err(RasterError::hint(path, what));
    }
    let own = nodata.into_iter();
    let samples = own.fold(Samples::of(path, hints), |samples, (source, value)| {
        samples.add(source, Stated::nodata(Some(value)))
    });
    let mut aux = AuxXml::beside(path)?.band(1);
    // A range of heights that is said for a picture is one in metres.
    aux.unit = aux.unit.filter(|_| hints.height_range.is_none());
    Ok(samples.add_aux(&aux)?.settle())
}

/// Screens rows from north to south by their settled facts, and by the mask beside the file.
pub(crate) fn screened<S: StoredRows + 'static>(
    path: &Path,
    grid: Grid,
    rows: S,
    settled: Settled,
    hints: &Hints,
) -> Result<Box<dyn RowSource>, RasterError> {
    let Settled { meaning, mut facts, remarks, .. } = settled;
    let (mask, fact) = mask_beside(path, (grid.width, grid.height), hints)?;
    facts.extend(fact);
    let screened = Screened::new(path, grid, Masked::new(rows, mask), meaning);
    Ok(Box::new(screened.remarking(remarks).with_facts(facts)))
}
