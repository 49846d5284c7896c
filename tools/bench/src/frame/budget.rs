//! Cycles in parts: the cost of a frame against the limit of its budget.

use crate::frame::act::{WHOLE, lakes};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::check_books;
use std::time::Instant;
use thalweg::terrain::Shape;
use thalweg::world::{Action, Budget, Progress, World};
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of cycles in parts.
pub const BENCH: Bench = Bench {
    ids: &["frame.budget", "frame.budget_sum"],
    what: "cycles of 1,024 leaves of hills and lakes in eight frames, by a budget of cell-steps: \
           the dearest of first, middle and last frames, and all of them, against the same \
           cell-steps in cycles in one go",
    is_long: false,
    measure,
};

/// Frames of a cycle.
const FRAMES: u64 = 8;
/// Cycles in parts, and in one go, in turn.
const ROUNDS: u32 = 12;

/// Returns the times of the frames of one cycle in parts, s.
fn in_parts(world: &mut World, frame: FixedStep, budget: u64) -> Result<Vec<f64>, BenchError> {
    let mut times = Vec::new();
    loop {
        let clock = Instant::now();
        let progress = world.run_within(frame, Budget::CellSteps(budget))?;
        times.push(clock.elapsed().as_secs_f64());
        if matches!(progress, Progress::Done(_)) {
            return Ok(times);
        }
    }
}

fn measure(context: &Context) -> BenchResult {
    let mut world = lakes(context)?;
    let frame = FixedStep::try_new(1, 60)?;
    (0..4).for_each(|_| _ = world.run_cycle(frame));
    // Sums over first, middle and last frames, their counts, and their limits.
    let (mut spent, mut allowed, mut whole_s) = ([0.0; 3], [0.0; 3], 0.0);
    for round in 0..ROUNDS {
        // Still water would fall asleep.
        let by_m_s = if round % 2 == 0 { [0.3, 0.2] } else { [-0.3, -0.2] };
        let area = Shape::Disc { centre_m: [1024.0; 2], radius_m: 1500.0, rim_m: 0.0 };
        world.edits().act_for_good(Action::PushWater { area, by_m_s })?;
        world.run_cycle(frame);
        let clock = Instant::now();
        let report = world.run_cycle(frame);
        let seconds = clock.elapsed().as_secs_f64();
        whole_s += seconds;
        let budget = report.cell_steps.div_ceil(FRAMES);
        let budget = budget.next_multiple_of(4096);
        let times = in_parts(&mut world, frame, budget)?;
        let share = seconds * budget as f64 / report.cell_steps as f64;
        for (number, time) in times.iter().enumerate() {
            let kind = match number {
                0 => 0,
                last if last + 1 == times.len() => 2,
                _ => 1,
            };
            spent[kind] += time;
            allowed[kind] += share;
        }
    }
    check_books(&world)?;
    let ratios = [0, 1, 2].map(|kind| spent[kind] / allowed[kind]);
    let note = format!(
        "first {:.2}, middle {:.2}, last {:.2}; {:.1} ms allowed",
        ratios[0],
        ratios[1],
        ratios[2],
        1.0e3 * allowed[0] / f64::from(ROUNDS)
    );
    let sum: f64 = spent.iter().sum();
    Ok(vec![
        Measurement::new("frame.budget", ratios.into_iter().fold(0.0, f64::max), "ratio")
            .target("<= 1.1")
            .cells(WHOLE.cells())
            .note(note),
        Measurement::new("frame.budget_sum", sum / whole_s, "ratio")
            .target("<= 1.1")
            .cells(WHOLE.cells()),
    ])
}
