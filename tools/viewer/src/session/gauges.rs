//! Series at places.

use std::sync::Arc;

use thalweg::units::SimTime;
use thalweg::world::World;

use crate::session::GaugeSeries;

/// Number of a gauge's readings at which every second one is removed and the interval doubles.
const READINGS_MOST: usize = 4096;

/// Largest number of gauges of a world.
const GAUGES_MOST: usize = 64;

/// The gauges of a world.
pub(super) struct Gauges {
    series: Vec<Arc<GaugeSeries>>,
    /// Number of states between two readings, and since the last one.
    every: Vec<[u32; 2]>,
}

impl Gauges {
    pub fn new(places: &[(String, [f64; 2])]) -> Self {
        let mut gauges = Self { series: Vec::new(), every: Vec::new() };
        places.iter().for_each(|(name, at_m)| gauges.put(name.clone(), *at_m));
        gauges
    }

    pub fn series(&self) -> &[Arc<GaugeSeries>] {
        &self.series
    }

    fn put(&mut self, name: String, at_m: [f64; 2]) {
        self.series.push(Arc::new(GaugeSeries { name, at_m, ..GaugeSeries::default() }));
        self.every.push([1, 0]);
    }

    /// Puts a gauge at a place; returns the reason if it cannot.
    pub fn put_at(&mut self, world: &World, at_m: [f64; 2]) -> Option<String> {
        if self.series.len() >= GAUGES_MOST {
            return Some(format!(
                "there are {GAUGES_MOST} gauges already: that is all there can be"
            ));
        }
        match world.query().at(at_m) {
            Ok(Some(_)) => {}
            Ok(None) => return Some("there is no ground here for a gauge".to_owned()),
            Err(error) => return Some(error.to_string()),
        }
        let name = |number: usize| format!("gauge {number}");
        let is_free = |name: &String| self.series.iter().all(|other| other.name != *name);
        let name = (1..).map(name).find(is_free).expect("one of many numbers");
        self.put(name, at_m);
        None
    }

    /// Takes a reading of all gauges.
    #[expect(clippy::cast_possible_truncation, reason = "series to draw")]
    pub fn record(&mut self, world: &World) {
        let (query, time_s) = (world.query(), world.time().seconds() as f32);
        for (series, [every, since]) in self.series.iter_mut().zip(&mut self.every) {
            *since += 1;
            // A repeated moment is read again: an action may have changed it.
            let is_again = series.times_s.last() == Some(&time_s);
            if *since < *every && !is_again && !series.times_s.is_empty() {
                continue;
            }
            let Ok(Some(sample)) = query.at(series.at_m) else { continue };
            let series = Arc::make_mut(series);
            if is_again {
                for readings in [&mut series.times_s, &mut series.depth_m, &mut series.speed_m_s] {
                    readings.pop();
                }
            }
            *since = 0;
            series.times_s.push(time_s);
            series.depth_m.push(sample.depth_m as f32);
            series.speed_m_s.push(sample.speed_m_s() as f32);
            if series.times_s.len() >= READINGS_MOST {
                thin(series);
                *every *= 2;
            }
        }
    }

    /// Removes readings after a moment.
    #[expect(clippy::cast_possible_truncation, reason = "series to draw")]
    pub fn go_back_to(&mut self, time: SimTime) {
        let time_s = time.seconds() as f32;
        for series in &mut self.series {
            let count = series.times_s.partition_point(|at| *at <= time_s);
            if count < series.times_s.len() {
                let series = Arc::make_mut(series);
                series.times_s.truncate(count);
                series.depth_m.truncate(count);
                series.speed_m_s.truncate(count);
            }
        }
    }
}

/// Removes every second reading.
fn thin(series: &mut GaugeSeries) {
    for readings in [&mut series.times_s, &mut series.depth_m, &mut series.speed_m_s] {
        *readings = readings.iter().copied().step_by(2).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_get_thinner() {
        let times_s: Vec<f32> = vec![0.0, 1.0, 2.0, 3.0, 4.0];
        let mut series = GaugeSeries {
            depth_m: times_s.clone(),
            speed_m_s: times_s.clone(),
            times_s,
            ..GaugeSeries::default()
        };
        thin(&mut series);
        assert_eq!((series.times_s.as_slice(), series.depth_m.len()), (&[0.0, 2.0, 4.0][..], 3));
    }
}
