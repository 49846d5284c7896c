//! Water that passed sections and edges.

use scenario::observed::Observed;

/// Readings of the water that passed a line: a section, or an edge of the map.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SectionRecord {
    /// Name, as given by the user.
    pub name: String,
    /// Points of its line in the grid's CRS; none of an edge.
    pub path: Vec<[f64; 2]>,
    /// Simulated time, s, rising.
    pub time_s: Vec<f64>,
    /// Mean discharge since the reading before, m³/s: to the right of the line as drawn, or out of
    /// the map; negative in the opposite direction.
    pub discharge_m3_s: Vec<f64>,
    /// Mean stage of the water that can pass the line, m; NaN while none can, and of an edge.
    pub stage_m: Vec<f64>,
    /// Volume that has passed, m³: to the right, or out, less that in the opposite direction.
    pub volume_m3: Vec<f64>,
    /// Volumes of the whole run, m³: to the right, or out, and in the opposite direction.
    pub ways_m3: [f64; 2],
    /// Discharges of the real event.
    pub observed: Option<Observed>,
}

impl SectionRecord {
    /// Adds a reading: the volume that has passed, and the stage.
    pub fn note(&mut self, time_s: f64, volume_m3: f64, stage_m: Option<f64>) {
        let last = self.time_s.last().zip(self.volume_m3.last());
        let passed = last.filter(|(before, _)| time_s > **before);
        let discharge = passed.map_or(0.0, |(at, before)| (volume_m3 - before) / (time_s - at));
        self.time_s.push(time_s);
        self.discharge_m3_s.push(discharge);
        self.stage_m.push(stage_m.unwrap_or(f64::NAN));
        self.volume_m3.push(volume_m3);
    }

    /// Gives the last interval, if it is shorter than half of the one before, the mean discharge
    /// over both: the mean over such a rest of a run is no peak.
    pub fn join_short_end(&mut self) {
        let [.., first, middle, last] = self.time_s[..] else { return };
        if 2.0 * (last - middle) >= middle - first {
            return;
        }
        let end = self.time_s.len() - 1;
        let passed_m3 = self.volume_m3[end] - self.volume_m3[end - 2];
        self.discharge_m3_s[end - 1..].fill(passed_m3 / (last - first));
    }

    /// Returns the time, s, and the value, m³/s, with its sign, of the peak; of several the first.
    #[must_use]
    pub fn peak(&self) -> Option<(f64, f64)> {
        let readings = self.time_s.iter().copied().zip(self.discharge_m3_s.iter().copied());
        readings.reduce(|most, next| if next.1.abs() > most.1.abs() { next } else { most })
    }

    /// Returns the time of the highest stage, s, and the stage, m; of several the first.
    #[must_use]
    pub fn highest(&self) -> Option<(f64, f64)> {
        let readings = self.time_s.iter().copied().zip(self.stage_m.iter().copied());
        let known = readings.filter(|(_, stage)| stage.is_finite());
        known.reduce(|most, next| if next.1 > most.1 { next } else { most })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discharge_is_the_mean_between_readings() {
        let mut section = SectionRecord::default();
        for (time_s, volume_m3, stage_m) in
            [(0.0, 0.0, None), (10.0, 40.0, Some(2.0)), (20.0, -60.0, Some(1.5))]
        {
            section.note(time_s, volume_m3, stage_m);
        }
        assert_eq!(section.discharge_m3_s, [0.0, 4.0, -10.0]);
        assert_eq!((section.peak(), section.highest()), (Some((20.0, -10.0)), Some((10.0, 2.0))));
        assert_eq!(
            (SectionRecord::default().peak(), SectionRecord::default().highest()),
            (None, None)
        );
    }

    #[test]
    fn a_short_rest_of_a_run_is_no_peak() {
        for (end_s, rates) in [(24.0, [4.0, 5.0, 5.0]), (25.0, [4.0, 4.0, 6.0])] {
            let mut section = SectionRecord::default();
            for (time_s, volume_m3) in [(0.0, 0.0), (10.0, 40.0), (20.0, 80.0), (end_s, 110.0)] {
                section.note(time_s, volume_m3, Some(time_s));
            }
            section.join_short_end();
            assert_eq!(section.discharge_m3_s[1..], rates);
            let passed = section.time_s.windows(2).zip(&section.discharge_m3_s[1..]);
            let passed_m3: f64 = passed.map(|(ends, rate)| rate * (ends[1] - ends[0])).sum();
            assert!((passed_m3 - 110.0).abs() < 1.0e-9, "{passed_m3}");
            assert_eq!(section.stage_m.last(), Some(&end_s));
        }
        let mut short = SectionRecord::default();
        short.note(0.0, 0.0, None);
        short.note(1.0, 2.0, None);
        short.join_short_end();
        assert_eq!(short.time_s, [0.0, 1.0]);
    }
}
