//! Numbers of a world: vertical units, volumes, times, rates.

pub use thalweg_engine::units::elevation::ScaleError;
pub use thalweg_engine::units::rate::{RateCourse, SERIES_SECONDS_MOST, SeriesError};
pub use thalweg_engine::units::time::TICKS_PER_S;
pub use thalweg_engine::units::{
    CEILING, OUTSIDE, RateSeries, SimTime, StageSeries, VerticalScale, Volume, plain,
};
