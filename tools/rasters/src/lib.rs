//! Rasters in and out: heightmaps of many formats read row by row, alone or as a mosaic, flood maps
//! written as GeoTIFF.
//!
//! [`open`] recognises a file, or a mosaic of files, and gives its rows from north to south as
//! heights in metres, [`resample`] brings them onto square cells, [`write_geotiff`] writes a result
//! with the reference system of the input. [`Colours`] are rasters to look at.
//!
//! ```no_run
//! use rasters::{Hints, RasterBand, open, read_all, resample, write_geotiff};
//!
//! # fn main() -> Result<(), rasters::RasterError> {
//! let source = open("valley.tif".as_ref(), &Hints::default())?;
//! let (grid, heights) = read_all(resample(source, 10.0)?.as_mut())?;
//! write_geotiff("coarse.tif".as_ref(), &grid, RasterBand::ELEVATION, |row, cells| {
//!     cells.copy_from_slice(&heights[row * grid.width..][..grid.width]);
//! })?;
//! # Ok(())
//! # }
//! ```
//!
//! Guarantees: no bytes of a file cause a panic: a damaged file gives an error; memory for a few
//!             rows (one row of tiles of a tiled GeoTIFF; an interlaced PNG and an askew GeoTIFF
//!             whole), never for a length that only a header claims.
//! Limits:     no reprojection: coordinates in degrees are refused or scaled for previews,
//!             coordinates in feet or other lengths keep their unit and have cells in metres.

mod ascii;
mod askew;
mod aux_xml;
mod beside;
mod cell_size;
mod colours;
mod coordinates;
mod crs;
mod cutting;
mod doubts;
mod encoding;
mod epsg;
mod error;
mod facts;
mod geotiff;
mod globe;
mod grid;
mod ground;
mod heights;
mod hgt;
mod hints;
mod length;
mod locating;
mod masked;
mod mosaic;
mod numbers;
mod opening;
mod picture;
mod placement;
mod plain;
mod raw;
mod resampling;
mod samples;
mod screen;
mod shell;
mod sidecar;
mod single;
mod size;
mod small_file;
mod source;
mod stated;
mod strangers;
mod swapped;
mod vertical;
mod void;
mod wkt;

pub use cell_size::CellSize;
pub use colours::{Colours, RasterColour};
pub use crs::Crs;
pub use cutting::{Cutout, cut};
pub use encoding::Encoding;
pub use error::RasterError;
pub use facts::{Fact, FactSource};
pub use geotiff::{BandStated, NODATA, RasterBand, write_geotiff};
pub use grid::{Grid, HorizontalUnit, is_square};
pub use ground::remark_on_cells;
pub use heights::{HeightDirection, HeightUnit};
pub use hints::{ByteOrder, Format, Hints, MetresPerDegree, RasterValues};
pub use length::LengthUnit;
pub use opening::{bands, files, open};
pub use resampling::resample;
pub use shell::quoted;
pub use source::{MemorySource, RowSource, read_all};
pub use stated::Stated;
pub use void::NoData;
