//! A simulated series against the observed one of the same place.
//!
//! Each reading has the simulated value of its moment: between two samples of a gauge on the
//! straight line, of a section the mean discharge over the interval that contains it. The readings
//! `o` and simulated values `s` give the efficiency
//!
//! ```text
//! E = 1 − Σ (o − s)² / Σ (o − mean of o)²
//! ```
//!
//! which is 1 if all are equal, 0 if the simulation is as far off as the mean of the readings.
//!
//! Guarantees: nothing beyond the simulated time or the record counts, in peaks neither.
//! Source:     Nash, J. E., Sutcliffe, J. V. (1970), River flow forecasting through conceptual
//!             models, part I, Journal of Hydrology 10, 282–290.

pub use scenario::observed::{Observed, ObservedQuantity};

use super::{GaugeRecord, SectionRecord};

/// A reading and the simulated value of its moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ObservedPair {
    /// Time, s.
    pub time_s: f64,
    /// Observed value.
    pub observed: f64,
    /// Simulated value.
    pub simulated: f64,
}

/// Agreement of a simulated series with an observed one.
#[derive(Debug, Clone, PartialEq)]
pub struct Fit {
    /// Readings with a simulated value, in order of time; at least one.
    pub pairs: Vec<ObservedPair>,
    /// Time and value of the observed peak; of several the first.
    pub observed_peak: (f64, f64),
    /// Time and value of the simulated peak from the first of these readings to the last.
    pub simulated_peak: (f64, f64),
    /// Nash–Sutcliffe efficiency, a finite number; `None` if all readings are equal, or nearly.
    pub efficiency: Option<f64>,
}

impl Fit {
    /// Returns the simulated peak less the observed one.
    #[must_use]
    pub fn difference(&self) -> f64 {
        self.simulated_peak.1 - self.observed_peak.1
    }

    /// Compares a simulated series with an observed one; `None` without a reading to compare.
    fn of(observed: &Observed, simulated: &Simulated<'_>) -> Option<Self> {
        let pairs: Vec<ObservedPair> = observed
            .points
            .iter()
            .filter_map(|&(time_s, observed)| {
                let simulated = simulated.at(time_s)?;
                Some(ObservedPair { time_s, observed, simulated })
            })
            .collect();
        let (first_s, last_s) = (pairs.first()?.time_s, pairs.last()?.time_s);
        let peak = |values: &mut dyn Iterator<Item = (f64, f64)>| {
            let size = |value: f64| match observed.measured {
                ObservedQuantity::Discharge => value.abs(),
                ObservedQuantity::Depth | ObservedQuantity::Stage => value,
            };
            values.reduce(|most, next| if size(next.1) > size(most.1) { next } else { most })
        };
        let observed_peak = peak(&mut pairs.iter().map(|pair| (pair.time_s, pair.observed)))?;
        let is_within =
            |(at, value): &(f64, f64)| (first_s..=last_s).contains(at) && value.is_finite();
        let samples = simulated.samples().filter(is_within);
        let at_readings = pairs.iter().map(|pair| (pair.time_s, pair.simulated));
        let simulated_peak = peak(&mut samples.chain(at_readings))?;
        let efficiency = efficiency(&pairs);
        Some(Self { pairs, observed_peak, simulated_peak, efficiency })
    }
}

/// Returns the efficiency of pairs.
#[expect(clippy::cast_precision_loss, reason = "readings are far fewer than 2^53")]
fn efficiency(pairs: &[ObservedPair]) -> Option<f64> {
    let first = pairs.first()?.observed;
    if pairs.iter().all(|pair| pair.observed.total_cmp(&first).is_eq()) {
        return None;
    }
    let mean = pairs.iter().map(|pair| pair.observed).sum::<f64>() / pairs.len() as f64;
    let square = |difference: f64| difference * difference;
    let left: f64 = pairs.iter().map(|pair| square(pair.observed - pair.simulated)).sum();
    let all: f64 = pairs.iter().map(|pair| square(pair.observed - mean)).sum();
    // Readings whose squared differences underflow in a double have no efficiency.
    Some(1.0 - left / all).filter(|efficiency| efficiency.is_finite())
}

/// Samples of a simulated series.
struct Simulated<'a> {
    time_s: &'a [f64],
    value: &'a dyn Fn(usize) -> f64,
    /// Whether a sample is the mean since the one before, or the value of its moment.
    is_mean: bool,
}

impl Simulated<'_> {
    fn samples(&self) -> impl Iterator<Item = (f64, f64)> {
        self.time_s.iter().enumerate().map(|(index, at)| (*at, (self.value)(index)))
    }

    /// Returns the value at a time; `None` beyond the samples and beside a missing one.
    fn at(&self, time_s: f64) -> Option<f64> {
        let next = self.time_s.partition_point(|at| *at < time_s);
        let (end_s, value) = (*self.time_s.get(next)?, (self.value)(next));
        let before = next.checked_sub(1);
        let found = match before {
            // The mean of no interval ends at the first sample.
            None if self.is_mean => return None,
            _ if end_s <= time_s => value,
            None => return None,
            Some(_) if self.is_mean => value,
            Some(before) => {
                let (start_s, first) = (self.time_s[before], (self.value)(before));
                first + (value - first) * (time_s - start_s) / (end_s - start_s)
            }
        };
        found.is_finite().then_some(found)
    }
}

impl GaugeRecord {
    /// Returns the agreement with the observed series, if it exists with a reading within the
    /// samples.
    #[must_use]
    pub fn fit(&self) -> Option<Fit> {
        let observed = self.observed.as_ref()?;
        let values = match observed.measured {
            ObservedQuantity::Depth => &self.depth_m,
            ObservedQuantity::Stage => &self.stage_m,
            ObservedQuantity::Discharge => return None,
        };
        let value = |index: usize| values.get(index).map_or(f64::NAN, |value| f64::from(*value));
        Fit::of(observed, &Simulated { time_s: &self.time_s, value: &value, is_mean: false })
    }
}

impl SectionRecord {
    /// Returns the agreement with the observed discharges, if they exist with a reading within the
    /// run.
    #[must_use]
    pub fn fit(&self) -> Option<Fit> {
        let observed = self.observed.as_ref()?;
        let value = |index: usize| self.discharge_m3_s[index];
        Fit::of(observed, &Simulated { time_s: &self.time_s, value: &value, is_mean: true })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn observed(measured: ObservedQuantity, points: &[(f64, f64)]) -> Option<Observed> {
        Some(Observed { measured, path: "mill.csv".into(), points: points.to_vec() })
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1.0e-9
    }

    /// Goal: the figures are those of a calculation by hand. Method: depths of 0, 1, 3, 1 m at
    /// 0, 10, 20, 30 s; readings 0.5 at 5 s (simulated 0.5), 2 at 15 s (2), 2.5 at 25 s (2): the
    /// mean is 5/3, Σ(o − s)² = 0.25, Σ(o − mean)² = 1.3611 + 0.1111 + 0.6944 = 2.1667.
    #[test]
    fn figures_are_those_of_a_calculation_by_hand() {
        let mut gauge = GaugeRecord {
            time_s: vec![0.0, 10.0, 20.0, 30.0],
            depth_m: vec![0.0, 1.0, 3.0, 1.0],
            stage_m: vec![5.0, 6.0, 8.0, 6.0],
            ..GaugeRecord::default()
        };
        assert_eq!(gauge.fit(), None);
        let readings = [(5.0, 0.5), (15.0, 2.0), (25.0, 2.5), (31.0, 9.0)];
        gauge.observed = observed(ObservedQuantity::Depth, &readings);
        let fit = gauge.fit().expect("three readings");
        let simulated: Vec<f64> = fit.pairs.iter().map(|pair| pair.simulated).collect();
        assert_eq!(simulated, [0.5, 2.0, 2.0]);
        assert_eq!((fit.observed_peak, fit.simulated_peak), ((25.0, 2.5), (20.0, 3.0)));
        assert!(near(fit.difference(), 0.5));
        assert!(near(fit.efficiency.expect("they vary"), 1.0 - 0.25 / (13.0 / 6.0)), "{fit:?}");

        gauge.observed = observed(ObservedQuantity::Stage, &[(0.0, 5.0), (30.0, 5.0)]);
        let constant = gauge.fit().expect("two readings");
        assert_eq!((constant.efficiency, constant.simulated_peak), (None, (20.0, 8.0)));
        gauge.observed = observed(ObservedQuantity::Depth, &[(0.0, 0.0), (30.0, 1.0e-200)]);
        assert_eq!(gauge.fit().expect("two readings").efficiency, None);
        gauge.observed = observed(ObservedQuantity::Stage, &[(30.0, 5.5)]);
        let single = gauge.fit().expect("a reading at the end");
        assert_eq!((single.simulated_peak, single.pairs.len()), ((30.0, 6.0), 1));
        gauge.observed = observed(ObservedQuantity::Depth, &[(31.0, 5.5)]);
        assert_eq!(gauge.fit(), None);
        gauge.depth_m[1] = f32::NAN;
        gauge.observed = observed(ObservedQuantity::Depth, &[(5.0, 5.5), (15.0, 1.0)]);
        assert_eq!(gauge.fit(), None, "beside a sample that is not known");
    }

    /// Goal: a discharge is the mean of the interval with the reading, and a peak is the reading
    /// furthest from 0.
    #[test]
    fn discharges_are_those_of_the_interval() {
        let mut section = SectionRecord::default();
        for (time_s, volume_m3) in [(0.0, 0.0), (10.0, -40.0), (20.0, -60.0)] {
            section.note(time_s, volume_m3, None);
        }
        section.observed =
            observed(ObservedQuantity::Discharge, &[(5.0, -3.0), (10.0, -4.0), (11.0, 1.0)]);
        let fit = section.fit().expect("three readings");
        let simulated: Vec<f64> = fit.pairs.iter().map(|pair| pair.simulated).collect();
        assert_eq!(simulated, [-4.0, -4.0, -2.0]);
        assert_eq!((fit.observed_peak, fit.simulated_peak), ((10.0, -4.0), (10.0, -4.0)));
    }
}
