//! Passages of the structures of a run: barriers along a line, links between two places.

/// Readings of the water that passes a structure. The four series have one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PassageReadings {
    /// Simulated time, s, rising.
    pub time_s: Vec<f64>,
    /// Discharge, m³/s: of a barrier to the right of its line as drawn, of a link from its
    /// beginning to its end; negative in the opposite direction.
    pub discharge_m3_s: Vec<f64>,
    /// Stages, m: along the left and the right of a barrier, at the beginning and the end of a
    /// link; NaN if missing.
    pub stages_m: [Vec<f64>; 2],
}

impl PassageReadings {
    /// Adds a reading.
    pub fn note(&mut self, time_s: f64, discharge_m3_s: f64, stages_m: [Option<f64>; 2]) {
        self.time_s.push(time_s);
        self.discharge_m3_s.push(discharge_m3_s);
        for (series, stage) in self.stages_m.iter_mut().zip(stages_m) {
            series.push(stage.unwrap_or(f64::NAN));
        }
    }

    /// Returns the time, s, and the value, m³/s, with its sign, of the peak discharge.
    #[must_use]
    pub fn peak(&self) -> Option<(f64, f64)> {
        let readings = self.time_s.iter().copied().zip(self.discharge_m3_s.iter().copied());
        // The first of several equal peaks counts.
        readings.reduce(|most, next| if next.1.abs() > most.1.abs() { next } else { most })
    }

    /// Returns the largest difference of the two stages, m; `None` if one was always missing.
    #[must_use]
    pub fn largest_head_m(&self) -> Option<f64> {
        let [one, other] = &self.stages_m;
        let heads = one.iter().zip(other).map(|(one, other)| (one - other).abs());
        heads.filter(|head| head.is_finite()).reduce(f64::max)
    }

    /// Volumes that passed forwards and backwards, m³: readings joined by straight lines.
    #[must_use]
    pub fn volumes_m3(&self) -> [f64; 2] {
        let mut volumes = [0.0; 2];
        for (times, flows) in self.time_s.windows(2).zip(self.discharge_m3_s.windows(2)) {
            let span = times[1] - times[0];
            for (volume, [a, b]) in
                volumes.iter_mut().zip([[flows[0], flows[1]], [-flows[0], -flows[1]]])
            {
                let (low, high) = (a.min(b), a.max(b));
                *volume += match () {
                    () if low >= 0.0 => span * 0.5 * (low + high),
                    () if high <= 0.0 => 0.0,
                    () => span * 0.5 * high * high / (high - low),
                };
            }
        }
        volumes
    }
}

/// Passage of a barrier.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BarrierPassage {
    /// Name, as given by the user.
    pub name: String,
    /// Corners of its line in the grid's CRS.
    pub path: Vec<[f64; 2]>,
    /// Length of the barrier, m.
    pub length_m: f64,
    /// Lowest and highest elevation of its crest, m.
    pub crest_m: [f64; 2],
    /// Water that passed the barrier.
    pub passage: PassageReadings,
    /// Time of the first reading with water above its crest, s.
    pub overtopped_s: Option<f64>,
    /// Time at which its breach began, s.
    pub breached_s: Option<f64>,
}

/// Passage of a culvert, a pump or a drain.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LinkPassage {
    /// `culvert`, `pump` or `drain`.
    pub kind: &'static str,
    /// Name, as given by the user.
    pub name: String,
    /// Its beginning and, if within the world, its end, in the grid's CRS.
    pub path: Vec<[f64; 2]>,
    /// Water that passed the link.
    pub passage: PassageReadings,
    /// Time of the first reading with flow, s.
    pub began_s: Option<f64>,
    /// Time of the first reading at which it ran full, s; of a culvert only.
    pub full_s: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passes_is_summed_each_way() {
        let passage = PassageReadings {
            time_s: vec![0.0, 10.0, 20.0, 50.0, 60.0],
            discharge_m3_s: vec![0.0, 4.0, 4.0, -8.0, 0.0],
            ..PassageReadings::default()
        };
        assert_eq!(passage.peak(), Some((50.0, -8.0)));
        // Nought is passed 10 s after the 20th second.
        for (got, expected) in passage.volumes_m3().into_iter().zip([80.0, 120.0]) {
            assert!((got - expected).abs() < 1.0e-9, "{got}, expected {expected}");
        }
        assert_eq!(PassageReadings::default().peak(), None);
    }
}
