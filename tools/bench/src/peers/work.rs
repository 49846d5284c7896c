//! The work of a run: steps, cells and processor time.
//!
//! Guarantees: only threads of the chosen pool step; the books of the world balance at the end.

use crate::machine::cpu_s;
use crate::suite::{BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::check_books;
use thalweg::units::SimTime;
use thalweg::world::World;

/// Work of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PeerWork {
    /// Time simulated, s.
    pub end_s: f64,
    /// Steps of the run.
    pub steps: u64,
    /// Cells of leaves awake, each times its steps.
    pub cell_steps: u64,
    /// Cell-steps of blocks that water may reach.
    pub wet_cell_steps: u64,
    /// Cell-steps of the same blocks if each leaf took steps of its own.
    pub least_cell_steps: f64,
    /// Processor time of all threads, s.
    pub cpu_s: f64,
}

impl PeerWork {
    /// Runs a world to `end_s` with automatic steps.
    ///
    /// # Errors
    ///
    /// If the system does not count processor time, or the ledger is off at the end.
    pub fn of(world: &mut World, end_s: f64) -> Result<Self, BenchError> {
        let clock = || cpu_s().ok_or_else(|| BenchError::Skipped("no processor time".to_owned()));
        let end = SimTime::from_seconds(end_s);
        let (mut steps, mut cell_steps, mut wet_cell_steps) = (0, 0, 0);
        let mut least_cell_steps = 0.0;
        let start = clock()?;
        while world.time() < end {
            let report = world.run_cycle(end);
            steps += u64::from(report.steps);
            cell_steps += report.cell_steps;
            wet_cell_steps += report.wet_cell_steps;
            least_cell_steps += report.least_cell_steps;
        }
        let cpu_s = clock()? - start;
        check_books(world)?;
        Ok(Self { end_s, steps, cell_steps, wet_cell_steps, least_cell_steps, cpu_s })
    }

    /// Returns the result of a bench on a map of `cells` cells.
    #[must_use]
    pub fn measurement(&self, id: &'static str, cells: usize) -> Measurement {
        Measurement::new(id, self.cpu_s, "s").cells(cells).note(self.to_string())
    }
}

impl std::fmt::Display for PeerWork {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { end_s, steps, cell_steps, wet_cell_steps, least_cell_steps, cpu_s } = self;
        let wet = *wet_cell_steps as f64 / *steps as f64;
        let (cells, millions) = (*cell_steps as f64 / *steps as f64, 1.0e-6 * *cell_steps as f64);
        write!(
            f,
            "{end_s:.0} s in {steps} steps of {cells:.0} cells in the mean, {wet:.0} of them near \
             water, {:.2} times as many as each leaf's own steps would take, {millions:.1} million \
             cell-steps: {:.1} million a processor second",
            *wet_cell_steps as f64 / least_cell_steps,
            millions / cpu_s
        )
    }
}

/// Runs a bench on one thread, or on the threads that the command line names.
///
/// # Errors
///
/// The errors of the bench, and an error if the system gives no threads.
pub fn on_threads(context: &Context, measure: impl FnOnce() -> BenchResult + Send) -> BenchResult {
    let threads = context.threads.unwrap_or(1);
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(measure)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_told_in_one_line() {
        let (cell_steps, wet_cell_steps) = (1_000_000, 200_000);
        let (steps, least_cell_steps) = (250, 160_000.0);
        let (end_s, cpu_s) = (100.0, 0.5);
        let work = PeerWork { end_s, steps, cell_steps, wet_cell_steps, least_cell_steps, cpu_s };
        let line = "100 s in 250 steps of 4000 cells in the mean, 800 of them near water, 1.25 \
                    times as many as each leaf's own steps would take, 1.0 million cell-steps: \
                    2.0 million a processor second";
        assert_eq!(work.to_string(), line);
    }
}
