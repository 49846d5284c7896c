//! Numbers of a world: vertical units, volumes, times, rates.

pub use thalweg_engine::units::{
    CEILING, OUTSIDE, RateSeries, SimTime, StageRule, StageSeries, VerticalScale, Volume, plain,
    rate, time,
};
