//! The sample of the README: a storm, a river that runs over its dam, and a town below.
//!
//! The world is the one of `flood-preview` without a map: columns of 10 m with tables of the 5 m
//! below them. Wall time covers the same cycles; maps, pictures and the report are not in it.

use crate::peers::bench;
use crate::peers::work::{PeerWork, on_threads};
use crate::suite::{Bench, BenchResult, Context};
use crate::table::Measurement;
use kit::reading::silent;
use scenario::build::build;
use scenario::flow::SolverChoice;
use scenario::naming::sample;
use scenario::plan::Plan;
use scenario::survey::survey;
use scenario::text;
use std::time::Instant;
use thalweg::probe::Window;

/// The sample with shallow water.
pub const SWE: Bench = bench(
    &["peers.sample.swe", "peers.sample.swe.wall"],
    "the README's sample, 2 h, shallow water: processor time; wall time",
    |context| measure(context, ["peers.sample.swe", "peers.sample.swe.wall"], SolverChoice::Swe),
);

/// The sample with the pipe method.
pub const PIPE: Bench = bench(
    &["peers.sample.pipe", "peers.sample.pipe.wall"],
    "the README's sample, 2 h, pipe method: processor time; wall time",
    |context| measure(context, ["peers.sample.pipe", "peers.sample.pipe.wall"], SolverChoice::Pipe),
);

fn measure(context: &Context, [id, wall]: [&'static str; 2], solver: SolverChoice) -> BenchResult {
    on_threads(context, || {
        let mut scenario = text::read(&sample()?)?;
        scenario.flow.solver = Some(solver);
        let plan = Plan::resolve(&scenario)?;
        let made = build(&plan, &survey(&plan)?, &|builder| builder, &mut silent())?;
        let (mut world, clock) = (made.world, Instant::now());
        let work = PeerWork::of(&mut world, plan.duration_s)?;
        let wall_s = clock.elapsed().as_secs_f64();
        let deepest = made.gauges.iter().map(|gauge| {
            let window = Window { level: 0, corner: gauge.place, width: 1, height: 1 };
            let depth_m = world.maps().maxima()?.surface(window)?.depth_m[0];
            Ok(format!("{} {depth_m:.3}", gauge.name))
        });
        let deepest = deepest.collect::<Result<Vec<String>, crate::suite::BenchError>>()?;
        let note = format!("{work}\nlargest depths: {} m", deepest.join(", "));
        let cells = plan.map.simulated_cells();
        let wall = Measurement::new(wall, wall_s, "s").cells(cells);
        Ok(vec![work.measurement(id, cells).note(note), wall])
    })
}
