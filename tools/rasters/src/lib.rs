//! Rasters in and out.
