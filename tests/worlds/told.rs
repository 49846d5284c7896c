//! Watches: what a game is told after a cycle.

use crate::feature::{Feature, as_it_is};
use crate::scene::Scene;
use crate::valley::{BANK_M, LAKE_M, PLAIN_M, RIVER_M, disc};
use thalweg::Error;
use thalweg::world::{Action, Amount, Barrier, EventKind, Watch, Watched};

pub const FEATURES: &[Feature] = &[Feature {
    name: "events",
    holds: "what is told after a cycle is what queries find",
    set_up: as_it_is,
    run: tells,
}];

/// Watches: places, buildings along the river and on the plain, and a wall in the lake.
fn wanted() -> Vec<Watch> {
    let mut watches = vec![Watch::Barrier { name: "wall".to_owned(), hysteresis_m: 0.0 }];
    for number in 0..24 {
        let [x, y] = [LAKE_M, RIVER_M, BANK_M, PLAIN_M][number % 4];
        let [x, y] = [x + 4.0 * number as f64 - 40.0, y - 3.0 * number as f64 + 30.0];
        let hysteresis_m = 0.001 * (number % 3) as f64;
        let depth_m = 0.05 + 0.01 * number as f64;
        let corners_m = vec![[x, y], [x + 9.0, y + 1.0], [x + 8.0, y + 10.0], [x - 1.0, y + 9.0]];
        watches.push(Watch::Footprint { corners_m, depth_m, hysteresis_m });
        watches.push(Watch::Place { at_m: [x, y], depth_m, hysteresis_m });
        watches.push(Watch::Gauge { at_m: [x, y], stage_m: 4.3, hysteresis_m });
    }
    watches
}

/// Where the water stands by what is asked for, m; of a barrier, above or below.
fn asked(scene: &Scene, watch: &Watch) -> Result<(f64, f64, f64), Error> {
    let query = scene.world.query();
    Ok(match watch {
        Watch::Place { at_m, depth_m, hysteresis_m } => {
            (query.at(*at_m)?.expect("ground").depth_m, *depth_m, *hysteresis_m)
        }
        Watch::Gauge { at_m, stage_m, hysteresis_m } => {
            let stage = query.at(*at_m)?.expect("ground").stage_m;
            (stage.unwrap_or(f64::NEG_INFINITY), *stage_m, *hysteresis_m)
        }
        Watch::Footprint { corners_m, depth_m, hysteresis_m } => {
            (query.over(corners_m)?.depth_max_m, *depth_m, *hysteresis_m)
        }
        Watch::Barrier { name, .. } => {
            let flow = scene.world.structures().barrier_flow(name).expect("it stands");
            (f64::from(u8::from(flow.overtopped > 0)), 1.0, 0.0)
        }
        other => panic!("{other:?}"),
    })
}

fn tells(scene: &mut Scene) -> Result<(), Error> {
    let path_m = vec![[LAKE_M[0], LAKE_M[1] - 40.0], [LAKE_M[0], LAKE_M[1] + 40.0]];
    scene.world.structures_mut().put_barrier(Barrier::wall("wall", path_m, 4.55))?;
    let mut watched = Vec::new();
    for watch in wanted() {
        let id = scene.world.watch(watch.clone())?;
        let (value, threshold, _) = asked(scene, &watch)?;
        watched.push((id, watch, value >= threshold));
    }
    let mut events = 0;
    for round in 0..8 {
        let area = disc([LAKE_M, RIVER_M, BANK_M, PLAIN_M][round % 4], 30.0);
        let amount = Amount::DepthM(0.3);
        scene.world.edits().act(match round {
            0..4 => Action::AddWater { area, amount },
            _ => Action::RemoveWater { area, amount },
        })?;
        scene.cycle();
        let mut told = scene.world.events().iter();
        for (id, watch, was_over) in &mut watched {
            let (value, threshold, hysteresis) = asked(scene, watch)?;
            let is_over = value >= if *was_over { threshold - hysteresis } else { threshold };
            let seen = Watched { is_over, is_breached: false };
            assert_eq!(scene.world.watched(*id), Some(seen), "{watch:?}, round {round}");
            if is_over != *was_over {
                let event = told.next().expect("an event");
                assert_eq!((event.watch, event.at), (*id, scene.world.time()), "{watch:?}");
                let tells_of_more = matches!(
                    event.what,
                    EventKind::Wetted { .. }
                        | EventKind::Rose { .. }
                        | EventKind::Flooded { .. }
                        | EventKind::Overtopped
                );
                assert_eq!(tells_of_more, is_over, "{watch:?}: {:?}", event.what);
            }
            *was_over = is_over;
        }
        assert_eq!(told.next(), None, "round {round}");
        events += scene.world.events().len();
        let numbers = scene.world.events().iter().map(|event| event.watch.number() as f64);
        let numbers: Vec<f64> = numbers.collect();
        scene.note_all(numbers);
    }
    assert!(events > 10, "{events} events");
    assert_eq!(scene.reopened()?.watches().len(), 0, "watches are the game's");
    Ok(())
}
