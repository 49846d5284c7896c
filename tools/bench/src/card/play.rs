//! Frames of a game: in each a player does something and a crate moves.

use crate::card::apart::{WIDTH, basin};
use crate::card::{CYCLES, WARM, card};
use crate::suite::{Bench, BenchError, BenchResult, Context};
use crate::table::Measurement;
use std::time::Instant;
use thalweg::body::{Body, BodyId, Motion, Pose, Solid};
use thalweg::terrain::Shape;
use thalweg::world::{Action, Amount, FixedStep, World};

/// Time of a frame on the card, as a part of the time on the processor.
pub const BENCH: Bench = Bench {
    ids: &["gpu.play"],
    what: "a frame of a sixtieth of a second of 2048 × 2048 wet cells in which water is poured and \
           pushed and a crate moves, on a card, as a part of the time on all threads",
    is_long: true,
    measure,
};

fn frame(number: u32, world: &mut World) -> Result<(), BenchError> {
    let east_m = 3000.0 + 1.5 * f64::from(number);
    let area = Shape::Disc { centre_m: [east_m, 4000.0], radius_m: 40.0, rim_m: 10.0 };
    let pour = Action::AddWater { area: area.clone(), amount: Amount::DepthM(0.01) };
    for act in [pour, Action::PushWater { area, by_m_s: [0.2, 0.1] }] {
        world.edits().act(act)?;
    }
    let crate_ = Body {
        id: BodyId(1),
        solid: Solid::cuboid([20.0, 15.0, 8.0])?,
        pose: Pose::at([east_m, 6000.0, 3.0]),
        motion: Motion::default(),
        mass_kg: None,
    };
    world.structures_mut().put_bodies(vec![crate_])?;
    world.run_cycle(FixedStep::try_new(1, 60).expect("a good length"));
    Ok(())
}

/// Returns the mean time of some frames, s.
fn of_frame(world: &mut World) -> Result<f64, BenchError> {
    let (begun, mut number) = (Instant::now(), 0);
    while begun.elapsed() < WARM {
        frame(number, world)?;
        number += 1;
    }
    let begun = Instant::now();
    for number in number..number + CYCLES {
        frame(number, world)?;
    }
    Ok(begun.elapsed().as_secs_f64() / f64::from(CYCLES))
}

fn measure(_: &Context) -> BenchResult {
    let (card, log, name) = card()?;
    let plain = of_frame(&mut basin()?.build()?)?;
    let mut carded = basin()?.build()?;
    carded.set_card(Some(Box::new(card)));
    let mixed = of_frame(&mut carded)?;
    let events = log.events();
    if events.apart == 0 || events.lost.is_some() {
        return Err(format!("no leaves were apart: {events:?}").into());
    }
    let read = events.read / events.cycles;
    let [plain_ms, mixed_ms] = [plain, mixed].map(|s| 1.0e3 * s);
    let note = format!(
        "{name}; {mixed_ms:.2} ms a frame, {plain_ms:.2} ms on the processor; {read} of {} leaves \
         read a frame",
        (WIDTH / 64).pow(2)
    );
    let cells = WIDTH * WIDTH;
    Ok(vec![Measurement::new("gpu.play", mixed / plain, "1").cells(cells).note(note)])
}
