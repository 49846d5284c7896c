//! Numbers of the tags that are read and written.
//!
//! Source:     TIFF revision 6.0 (1992); OGC GeoTIFF 1.1 (19-008r4); GDAL's GTiff driver.

pub(super) const SUBFILE_TYPE: u16 = 254;
pub(super) const WIDTH: u16 = 256;
pub(super) const HEIGHT: u16 = 257;
pub(super) const BITS: u16 = 258;
pub(super) const COMPRESSION: u16 = 259;
pub(super) const PHOTOMETRIC: u16 = 262;
pub(super) const FILL_ORDER: u16 = 266;
pub(super) const DESCRIPTION: u16 = 270;
pub(super) const STRIP_OFFSETS: u16 = 273;
pub(super) const SAMPLES_PER_PIXEL: u16 = 277;
pub(super) const ROWS_PER_STRIP: u16 = 278;
pub(super) const STRIP_BYTES: u16 = 279;
pub(super) const PLANAR: u16 = 284;
pub(super) const PREDICTOR: u16 = 317;
pub(super) const TILE_WIDTH: u16 = 322;
pub(super) const TILE_HEIGHT: u16 = 323;
pub(super) const TILE_OFFSETS: u16 = 324;
pub(super) const TILE_BYTES: u16 = 325;
pub(super) const EXTRA_SAMPLES: u16 = 338;
pub(super) const SAMPLE_FORMAT: u16 = 339;
pub(super) const JPEG_TABLES: u16 = 347;
pub(super) const PIXEL_SCALE: u16 = 33_550;
pub(super) const TIE_POINT: u16 = 33_922;
pub(super) const TRANSFORMATION: u16 = 34_264;
pub(super) const GEO_KEYS: u16 = 34_735;
pub(super) const GEO_DOUBLES: u16 = 34_736;
pub(super) const GEO_TEXTS: u16 = 34_737;
pub(super) const GDAL_METADATA: u16 = 42_112;
pub(super) const GDAL_NODATA: u16 = 42_113;
pub(super) const LERC_PARAMETERS: u16 = 50_674;
