//! Cycles in which the processor steps leaves with structures and the card the rest.

use crate::card::{CYCLES, WARM, card};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::time::Instant;
use thalweg::structure::Barrier;
use thalweg::structure::Section;
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{Culvert, Settings, Solver, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;

/// Time of a step with structures on the card, as a part of the time on the processor.
pub const BENCH: Bench = Bench {
    ids: &["gpu.apart"],
    what: "a step of 2048 × 2048 wet cells with a wall and a culvert, some leaves on the \
           processor and the others on the card, as a part of the time on all threads",
    is_long: true,
    measure,
};

/// Cells along a side of the basin.
pub(super) const WIDTH: usize = 2048;

/// Makes waves in a rough basin.
pub(super) fn basin() -> Result<WorldBuilder, BenchError> {
    let terrain = Terrain::from_heights([WIDTH; 2], 5.0, |x, y| {
        (0.11 * x as f64).sin() * (0.07 * y as f64).cos()
    })?;
    let settings = Settings { solver: Solver::Pipe, ..Settings::default() };
    let stage = |place: CellPlace| 4.0 + 0.5 * (0.05 * f64::from(place.x + place.y)).sin();
    Ok(WorldBuilder::new(terrain).settings(settings).initial_stage(stage))
}

/// Makes the basin, and a dam with a culvert in its middle.
fn dammed() -> Result<World, BenchError> {
    let culvert = Culvert {
        name: "culvert".to_owned(),
        from: [5150.0, 5150.0],
        to: [5190.0, 5150.0],
        from_invert_m: -2.0,
        to_invert_m: -2.0,
        section: Section::Circle { diameter_m: 1.5 },
        length_m: None,
        manning_n: 0.013,
        inlet_loss: 0.5,
        outlet_loss: 1.0,
        has_flap: false,
    };
    let dam = Barrier::wall("dam", [[5170.0, 5050.0], [5170.0, 5250.0]], 8.0);
    Ok(basin()?.barrier(dam).link(culvert).build()?)
}

/// Returns the time of a step, s, over some cycles.
fn of_step(world: &mut World) -> f64 {
    let begun = Instant::now();
    while begun.elapsed() < WARM {
        world.run_cycle(SimTime::MAX);
    }
    let (begun, mut steps) = (Instant::now(), 0);
    for _ in 0..CYCLES {
        steps += world.run_cycle(SimTime::MAX).steps;
    }
    begun.elapsed().as_secs_f64() / f64::from(steps)
}

fn measure(_: &Context) -> BenchResult {
    let (card, log, name) = card()?;
    let second =
        card.another().map_err(|failure| BenchError::Failed(failure.to_string().into()))?;
    let plain = of_step(&mut dammed()?);
    let mut mixed = dammed()?;
    mixed.set_card(Some(Box::new(card)));
    let mixed = of_step(&mut mixed);
    let mut open = basin()?.build()?;
    open.set_card(Some(Box::new(second)));
    let whole = of_step(&mut open);
    let events = log.events();
    if events.apart == 0 || events.lost.is_some() {
        return Err(format!("no leaves were apart: {events:?}").into());
    }
    let [plain_us, mixed_us, whole_us] = [plain, mixed, whole].map(|s| 1.0e6 * s);
    let note = format!(
        "{name}; {mixed_us:.0} µs a step, {plain_us:.0} µs on the processor; without the dam \
         {whole_us:.0} µs on the card"
    );
    let cells = WIDTH * WIDTH;
    Ok(vec![Measurement::new("gpu.apart", mixed / plain, "1").cells(cells).note(note)])
}
