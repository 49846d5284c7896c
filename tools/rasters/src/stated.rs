//! Facts of the samples of a raster, as one source states them.

use crate::heights::HeightDirection;
use crate::length::LengthUnit;

/// Facts of the samples that one source states.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Stated {
    /// Stored value that means NoData.
    pub nodata: Option<f64>,
    /// Factor from stored values to heights.
    pub factor: Option<f64>,
    /// Height of a stored 0, in the unit of the heights.
    pub offset: Option<f64>,
    /// Unit of the heights.
    pub unit: Option<LengthUnit>,
    /// Direction of the heights.
    pub direction: Option<HeightDirection>,
}

impl Stated {
    /// States the NoData value alone.
    pub(crate) fn nodata(value: Option<f64>) -> Self {
        Self { nodata: value, ..Self::default() }
    }
}
