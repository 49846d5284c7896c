//! Weather of a player: rain that is switched on over one square kilometre, and moves.

use crate::frame::act::{WHOLE, lakes};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use crate::world::check_books;
use std::time::Instant;
use thalweg::terrain::Shape;
use thalweg::world::{Action, Rate, Weather, World};
use thalweg_engine::sim::schedule::FixedStep;

/// Cost of a change of weather.
pub const BENCH: Bench = Bench {
    ids: &["frame.rain_us"],
    what: "rain switched on over a rectangle of 1 km² of a world of 1,024 leaves while it runs; \
           beside it a round storm of that size that moves, and rain over the whole world",
    is_long: false,
    measure,
};

/// Rain of 60 mm/h, m/s.
const RATE: f64 = 60.0 / 3.6e6;
const ROUNDS: u32 = 30;

/// Returns the mean time of a change to each area in turn, µs; each second one ends the rain again.
fn changes(world: &mut World, area: impl Fn(f64) -> Option<Shape>) -> Result<f64, BenchError> {
    let (frame, mut seconds) = (FixedStep::try_new(1, 60)?, 0.0);
    for round in 0..ROUNDS {
        let rates = vec![Rate::Constant(RATE)];
        let area = area(f64::from(round));
        let weather = Weather { layer: "rain".to_owned(), area, rates };
        let clock = Instant::now();
        world.edits().act_for_good(Action::ChangeWeather(weather))?;
        seconds += clock.elapsed().as_secs_f64();
        if round % 10 == 0 {
            world.run_cycle(frame);
        }
    }
    check_books(world)?;
    Ok(1.0e6 * seconds / f64::from(ROUNDS))
}

fn measure(context: &Context) -> BenchResult {
    let mut world = lakes(context)?;
    world.run_cycle(FixedStep::try_new(1, 60)?);
    let rectangle = |round: f64| {
        let low_m = [100.0 + 10.0 * round, 400.0];
        Some(Shape::Rectangle { low_m, high_m: low_m.map(|at| at + 1000.0) })
    };
    let storm = |round: f64| {
        let centre_m = [700.0 + 10.0 * round, 900.0];
        Some(Shape::Disc { centre_m, radius_m: 564.0, rim_m: 100.0 })
    };
    let square = changes(&mut world, rectangle)?;
    let [storm, all] = [changes(&mut world, storm)?, changes(&mut world, |_| None)?];
    let note = format!("a storm of 1 km² {storm:.1} µs, the whole world {all:.1} µs");
    Ok(vec![
        Measurement::new("frame.rain_us", square, "us")
            .target("<= 100")
            .cells(WHOLE.cells())
            .note(note),
    ])
}
