//! What a finished run hands to the writers: plain numbers, no files and no solver.
//!
//! Maps are row-major planes on the grid of the world's finest cells, northernmost row first, NaN
//! outside the world. [`crate::output::write_all`] turns one [`Outcome`] into the folder the user
//! opens.
//!
//! Guarantees: [`Ledger::balance`] is equality of integers, never a tolerance.
//! Limits:     moments are kept reduced (see [`Frame::reduced`]); maps are kept whole.

use rasters::Grid;

/// Longest side of a stored frame, cells.
pub const FRAME_SIDE_MAX: usize = 800;

/// One finished (or interrupted) run.
///
/// Every `Vec<f32>` holds `grid.width * grid.height` values.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// What was simulated, in a few words: the heading of every map and of the report.
    pub title: String,
    /// The command that repeats this run exactly.
    pub command: String,
    /// What was asked for and what was chosen, as shown to the user: name and value with unit.
    pub settings: Vec<(String, String)>,
    /// What the run left out, assumed or had to warn about: one sentence each.
    pub notes: Vec<String>,

    /// The grid of the maps: square cells, the finest of the world, simulated or not.
    pub grid: Grid,
    /// The grid of the GeoTIFFs: the input's. Each of its cells takes the value of the cell of
    /// `grid` that holds its centre.
    pub output_grid: Grid,
    /// The cells that were simulated, where they are not those of `grid`.
    pub coarse: Option<Coarse>,
    /// Depth from which a cell counts as flooded in `arrival_s` and `duration_s`, m.
    pub wet_depth_m: f32,

    /// Bed elevation, m; NaN outside the world.
    pub bed_m: Vec<f32>,
    /// Largest depth, m.
    pub max_depth_m: Vec<f32>,
    /// Largest depth-averaged speed, m/s.
    pub max_speed_m_s: Vec<f32>,
    /// Largest `h · (v + 0.5)`, m²/s.
    pub hazard_m2_s: Vec<f32>,
    /// Time until the cell was first flooded, s; NaN where it never was.
    pub arrival_s: Vec<f32>,
    /// Time for which the cell was flooded, s.
    pub duration_s: Vec<f32>,
    /// Depth at the end, m.
    pub final_depth_m: Vec<f32>,

    /// Depth over time, in order of time; may be empty.
    pub frames: Vec<Frame>,
    /// Series at named places.
    pub gauges: Vec<Gauge>,
    /// What passed the barriers.
    pub barriers: Vec<Barrier>,
    /// Where all the water came from and went.
    pub ledger: Ledger,

    /// Simulated time, s.
    pub simulated_s: f64,
    /// Time the run took on this machine, s.
    pub wall_s: f64,
    /// True if the run was stopped before its end.
    pub interrupted: bool,
}

/// Simulated cells over several of the maps'.
#[derive(Debug, Clone, PartialEq)]
pub struct Coarse {
    /// Their width, m.
    pub cell_m: f64,
    /// What they are and the error to expect, for the reader of the report.
    pub words: String,
}

/// Depth at one moment, on a grid reduced by a whole factor.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Simulated time, s.
    pub time_s: f64,
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Depth, m, row-major, northernmost row first; NaN outside the world.
    pub depth_m: Vec<f32>,
}

impl Frame {
    /// Reduces `depth_m` (`width * height`, row-major) until no side is longer than
    /// [`FRAME_SIDE_MAX`]: each cell of the frame is the deepest of the `n × n` cells it covers,
    /// so that a narrow channel stays visible and a frame is never deeper than the largest depth.
    ///
    /// # Panics
    ///
    /// If `depth_m` does not hold `width * height` values.
    #[must_use]
    pub fn reduced(time_s: f64, width: usize, height: usize, depth_m: &[f32]) -> Self {
        let factor = width.max(height).div_ceil(FRAME_SIDE_MAX).max(1);
        let depth_m = reduce(depth_m, width, height, factor, f32::max);
        let (width, height) = (width.div_ceil(factor), height.div_ceil(factor));
        Self { time_s, width, height, depth_m }
    }
}

/// Reduces a plane by a whole `factor`: each block of `factor × factor` cells (less at the east
/// and south rim) becomes one, combined by `choose`; NaN counts only where the whole block is NaN.
///
/// # Panics
///
/// If `plane` does not hold `width * height` values, or `factor` is 0.
#[must_use]
pub fn reduce(
    plane: &[f32],
    width: usize,
    height: usize,
    factor: usize,
    choose: impl Fn(f32, f32) -> f32,
) -> Vec<f32> {
    assert_eq!(plane.len(), width * height, "{width} × {height} cells");
    let reduced_width = width.div_ceil(factor);
    let mut reduced = vec![f32::NAN; reduced_width * height.div_ceil(factor)];
    for (y, row) in plane.chunks(width.max(1)).enumerate() {
        let start = y / factor * reduced_width;
        for (target, block) in reduced[start..].iter_mut().zip(row.chunks(factor)) {
            for &value in block {
                if target.is_nan() {
                    *target = value;
                } else if !value.is_nan() {
                    *target = choose(*target, value);
                }
            }
        }
    }
    reduced
}

/// A series recorded at a named place. The four series have one length.
#[derive(Debug, Clone, PartialEq)]
pub struct Gauge {
    /// Name, as given by the user.
    pub name: String,
    /// East coordinate in the grid's CRS.
    pub x: f64,
    /// North coordinate in the grid's CRS.
    pub y: f64,
    /// Bed elevation of the gauge's cell, m.
    pub bed_m: f32,
    /// Simulated time, s, rising.
    pub time_s: Vec<f64>,
    /// Water-surface elevation, m.
    pub stage_m: Vec<f32>,
    /// Depth, m.
    pub depth_m: Vec<f32>,
    /// Depth-averaged speed, m/s.
    pub speed_m_s: Vec<f32>,
}

/// What passed a barrier. The four series have one length.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Barrier {
    /// Name, as given by the user.
    pub name: String,
    /// Corners of its line in the grid's CRS.
    pub path: Vec<[f64; 2]>,
    /// Its length, m.
    pub length_m: f64,
    /// Lowest and highest elevation of its crest, m.
    pub crest_m: [f64; 2],
    /// Simulated time, s, rising.
    pub time_s: Vec<f64>,
    /// Discharge to the right of the line as drawn, m³/s; negative to the left.
    pub discharge_m3_s: Vec<f64>,
    /// Mean stage along the left of the line, m; NaN while it is dry.
    pub left_m: Vec<f64>,
    /// The same along the right.
    pub right_m: Vec<f64>,
    /// When water was first seen above its crest, s.
    pub overtopped_s: Option<f64>,
    /// When its breach began, s.
    pub breached_s: Option<f64>,
}

impl Barrier {
    /// When most passed, s, and how much, m³/s; negative to the left.
    #[must_use]
    pub fn peak(&self) -> Option<(f64, f64)> {
        let readings = self.time_s.iter().copied().zip(self.discharge_m3_s.iter().copied());
        // Of several the first.
        readings.reduce(|most, next| if next.1.abs() > most.1.abs() { next } else { most })
    }

    /// The largest difference of the stages along its two sides, m; `None` where one was always
    /// dry.
    #[must_use]
    pub fn largest_head_m(&self) -> Option<f64> {
        let heads = self.left_m.iter().zip(&self.right_m).map(|(left, right)| (left - right).abs());
        heads.filter(|head| head.is_finite()).reduce(f64::max)
    }

    /// Volumes that passed to the right and to the left, m³: readings joined by straight lines.
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

/// Volumes over the whole run, in exact units.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Ledger {
    /// Cubic metres per unit.
    pub unit_m3: f64,
    /// Stored at the start, units.
    pub initial: i128,
    /// Stored at the end, units.
    pub stored: i128,
    /// What came in by each source or edge, units.
    pub into: Vec<(String, i128)>,
    /// What left by each sink or edge, units.
    pub out: Vec<(String, i128)>,
}

impl Ledger {
    /// Sum of what came in, units; `None` if it does not fit.
    #[must_use]
    pub fn total_in(&self) -> Option<i128> {
        sum(&self.into)
    }

    /// Sum of what left, units; `None` if it does not fit.
    #[must_use]
    pub fn total_out(&self) -> Option<i128> {
        sum(&self.out)
    }

    /// `stored − (initial + Σ in − Σ out)`, units; `None` if a sum does not fit.
    #[must_use]
    pub fn difference(&self) -> Option<i128> {
        let expected =
            self.initial.checked_add(self.total_in()?)?.checked_sub(self.total_out()?)?;
        self.stored.checked_sub(expected)
    }

    /// True if `initial + Σ in − Σ out = stored`, to the unit.
    #[must_use]
    pub fn balance(&self) -> bool {
        self.difference() == Some(0)
    }
}

fn sum(entries: &[(String, i128)]) -> Option<i128> {
    entries.iter().try_fold(0_i128, |total, (_, units)| total.checked_add(*units))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_keeps_the_deepest_cell_and_the_outside() {
        let (width, height) = (1601, 3);
        let mut depth = vec![f32::NAN; width * height];
        depth[0] = 1.0;
        depth[width + 2] = 3.0; // second row, third column: still in the first 3 × 3 block
        depth[2 * width + 1600] = 0.5;
        let frame = Frame::reduced(60.0, width, height, &depth);
        assert_eq!((frame.width, frame.height), (534, 1));
        assert_eq!(frame.depth_m[0].to_bits(), 3.0_f32.to_bits());
        assert_eq!(frame.depth_m[533].to_bits(), 0.5_f32.to_bits());
        assert!(frame.depth_m[1..533].iter().all(|depth| depth.is_nan()));
    }

    #[test]
    fn a_small_frame_is_kept_as_it_is() {
        let depth = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0];
        let frame = Frame::reduced(0.0, 3, 2, &depth);
        assert_eq!((frame.width, frame.height), (3, 2));
        assert_eq!(frame.depth_m, depth);
    }

    #[test]
    fn ledger_balances_to_the_unit() {
        let mut ledger = Ledger {
            unit_m3: 1.0e-6,
            initial: 5,
            stored: 11,
            into: vec![("rain".into(), 10)],
            out: vec![("east edge".into(), 3), ("infiltration".into(), 1)],
        };
        assert!(ledger.balance());
        ledger.stored += 1;
        assert_eq!(ledger.difference(), Some(1));
        assert!(!ledger.balance());
    }

    #[test]
    fn what_passes_a_barrier_is_summed_each_way() {
        let barrier = Barrier {
            time_s: vec![0.0, 10.0, 20.0, 50.0, 60.0],
            discharge_m3_s: vec![0.0, 4.0, 4.0, -8.0, 0.0],
            ..Barrier::default()
        };
        assert_eq!(barrier.peak(), Some((50.0, -8.0)));
        // Nought is passed 10 s after the 20th second.
        for (got, expected) in barrier.volumes_m3().into_iter().zip([80.0, 120.0]) {
            assert!((got - expected).abs() < 1.0e-9, "{got}, expected {expected}");
        }
        assert_eq!(Barrier::default().peak(), None);
    }

    #[test]
    fn a_ledger_that_overflows_does_not_balance() {
        let ledger =
            Ledger { into: vec![("a".into(), i128::MAX), ("b".into(), 1)], ..Ledger::default() };
        assert!(!ledger.balance());
    }
}
