//! Watches: what a game is told after a cycle is what it would have found by asking.

use crate::support::{cycle, in_memory, on_threads, seconds, terrain};
use crate::undone_everywhere::{Draws, KINDS, Kind, SIZE_M, observer, reopened, world};
use std::collections::BTreeMap;
use thalweg::terrain::Shape;
use thalweg::units::SimTime;
use thalweg::world::{
    Action, Amount, Barrier, Breach, Event, EventKind, FixedStep, Residency, Trigger, Watch,
    WatchId, Watched, World, WorldBuilder,
};
use thalweg_engine::sim::Solver;

/// A footprint some metres wide at a place: a square, or a triangle.
fn footprint(draws: &mut Draws, [x, y]: [f64; 2]) -> Vec<[f64; 2]> {
    let (a, b) = (draws.between(3.0, 14.0), draws.between(-3.0, 3.0));
    match draws.next() < 0.5 {
        true => vec![[x, y], [x + a, y], [x + a, y + a], [x, y + a]],
        false => vec![[x, y], [x + a, y + b], [x - b, y + a]],
    }
}

/// Watches of every kind at random places, every fourth near a line between tiles.
fn watches(draws: &mut Draws) -> Vec<Watch> {
    let mut watches = Vec::new();
    for number in 0..16 {
        let mut at_m = draws.point();
        if number % 4 == 0 {
            at_m[0] = 128.0 * (at_m[0] / 128.0).round() + draws.between(-6.0, 6.0);
        }
        let hysteresis_m = if number % 2 == 0 { 0.0 } else { draws.between(0.0, 0.04) };
        let depth_m = draws.between(0.05, 0.5);
        let corners_m = footprint(draws, at_m);
        watches.push(Watch::Footprint { corners_m, depth_m, hysteresis_m });
        watches.push(Watch::Gauge { at_m, stage_m: draws.between(1.0, 1.9), hysteresis_m });
        watches.push(Watch::Place { at_m, depth_m, hysteresis_m });
    }
    for name in ["old wall", "dam"] {
        watches.push(Watch::Barrier { name: name.to_owned(), hysteresis_m: 0.0 });
    }
    watches
}

/// A dam across the valley that breaks soon.
fn dam(from: SimTime) -> Barrier {
    let breach = Breach {
        along_m: 40.0,
        trigger: Trigger::Time(from.seconds() + 2.0),
        width_m: vec![(0.0, 0.0), (2.0, 20.0)],
        bottom_m: vec![(0.0, 1.6), (2.0, 0.2)],
    };
    let path_m = vec![[210.0, 80.0], [240.0, 180.0]];
    Barrier { breach: Some(breach), ..Barrier::wall("dam", path_m, 1.6) }
}

fn put_dam(world: &mut World) {
    let dam = dam(world.time());
    world.structures_mut().put_barrier(dam).expect("good");
}

/// A game that asks of all that it watches, after each cycle.
struct Asking {
    watches: Vec<(WatchId, Watch, Watched)>,
    counts: BTreeMap<String, u32>,
}

/// Side of a threshold of a value that was on another.
fn side(value: f64, threshold: f64, hysteresis: f64, was_over: bool) -> bool {
    if was_over { value >= threshold - hysteresis } else { value >= threshold }
}

impl Asking {
    /// Watches and asks of all at once.
    fn of(world: &mut World, watches: &[Watch]) -> Self {
        let put = |watch: &Watch| {
            let text = serde_json::to_string(watch).expect("plain data");
            let same: Watch = serde_json::from_str(&text).expect("just written");
            assert_eq!(same, *watch);
            let id = world.watch(same).expect("a good watch");
            (id, watch.clone(), Watched::default())
        };
        let mut asking =
            Self { watches: watches.iter().map(put).collect(), counts: BTreeMap::new() };
        asking.ask(world);
        asking.check_sides(world);
        asking
    }

    /// Events since it asked last.
    fn ask(&mut self, world: &World) -> Vec<Event> {
        let (mut events, at, query) = (Vec::new(), world.time(), world.query());
        for (id, watch, was) in &mut self.watches {
            let mut tell = |what| events.push(Event { watch: *id, at, what });
            match watch {
                Watch::Place { at_m, depth_m, hysteresis_m } => {
                    let found = query.at(*at_m).expect("a place").expect("ground").depth_m;
                    let is_over = side(found, *depth_m, *hysteresis_m, was.is_over);
                    if is_over != was.is_over {
                        let depth_m = found;
                        tell(match is_over {
                            true => EventKind::Wetted { depth_m },
                            false => EventKind::Dried { depth_m },
                        });
                    }
                    was.is_over = is_over;
                }
                Watch::Gauge { at_m, stage_m, hysteresis_m } => {
                    let found = query.at(*at_m).expect("a place").expect("ground").stage_m;
                    let lowest = f64::NEG_INFINITY;
                    let stage = found.unwrap_or(lowest);
                    let is_over = side(stage, *stage_m, *hysteresis_m, was.is_over);
                    if is_over != was.is_over {
                        tell(match is_over {
                            true => EventKind::Rose { stage_m: stage },
                            false => EventKind::Fell { stage_m: found },
                        });
                    }
                    was.is_over = is_over;
                }
                Watch::Footprint { corners_m, depth_m, hysteresis_m } => {
                    let found = query.over(corners_m).expect("a polygon").depth_max_m;
                    let is_over = side(found, *depth_m, *hysteresis_m, was.is_over);
                    if is_over != was.is_over {
                        let depth_m = found;
                        tell(match is_over {
                            true => EventKind::Flooded { depth_m },
                            false => EventKind::Drained { depth_m },
                        });
                    }
                    was.is_over = is_over;
                }
                Watch::Barrier { name, .. } => {
                    let flow = world.structures().barrier_flow(name);
                    let began = flow.and_then(|flow| flow.breached_s).map(SimTime::from_seconds);
                    if was.is_breached != began.is_some() {
                        tell(
                            began
                                .map_or(EventKind::Restored, |began| EventKind::Breached { began }),
                        );
                    }
                    let is_over = flow.is_some_and(|flow| flow.overtopped > 0);
                    if is_over != was.is_over {
                        let [over, under] = [EventKind::Overtopped, EventKind::Contained];
                        tell(if is_over { over } else { under });
                    }
                    *was = Watched { is_over, is_breached: began.is_some() };
                }
                other => panic!("{other:?}"),
            }
        }
        events
    }

    /// The world tells what it finds by asking.
    #[track_caller]
    fn check(&mut self, world: &World, name: &str) {
        let events = self.ask(world);
        assert_eq!(world.events(), events, "{name}, at {} s", world.time().seconds());
        for event in &events {
            let text = serde_json::to_string(event).expect("plain data");
            let same: Event = serde_json::from_str(&text).expect("just written");
            assert_eq!(same, *event);
            let kind = format!("{:?}", event.what);
            let kind = kind.split([' ', '{']).next().unwrap_or("").to_owned();
            *self.counts.entry(kind).or_default() += 1;
        }
        self.check_sides(world);
    }

    #[track_caller]
    fn check_sides(&self, world: &World) {
        for (id, watch, was) in &self.watches {
            assert_eq!(world.watched(*id), Some(*was), "{watch:?}");
        }
    }
}

/// Plays some cycles with acts between them, saved and opened in the middle. Returns the hashes of
/// the way and all events.
fn play(
    kind: Kind,
    seed: u64,
    mut asks: impl FnMut(&mut World, &[Watch]) -> Option<Asking>,
) -> (Vec<u64>, Vec<Event>, BTreeMap<String, u32>) {
    let mut draws = Draws(1000 * seed);
    let (mut world, file) = world(kind, Solver::ShallowWater, &mut draws);
    let mut file = file.unwrap_or_else(|| in_memory(&world));
    let residency =
        if seed.is_multiple_of(2) { Residency::PackedAtOnce } else { Residency::Packed };
    world.set_residency(residency);
    put_dam(&mut world);
    let wanted = watches(&mut Draws(1000 * seed + 500));
    let mut asking = asks(&mut world, &wanted);
    let (mut hashes, mut events, mut counts) = (Vec::new(), Vec::new(), BTreeMap::new());
    let mut undo = None;
    for round in 0..36 {
        if round == 18 {
            undo = None;
            counts = asking.take().map_or(counts, |asking| asking.counts);
            world = reopened(kind, &world, &mut file);
            world.set_residency(residency);
            assert_eq!((world.watches().len(), world.events()), (0, &[][..]), "the game's own");
            put_dam(&mut world);
            let mut known = wanted.clone();
            // It may have been taken away.
            let is_known = world.structures().barrier_flow("old wall").is_some();
            known.retain(|watch| {
                is_known || !matches!(watch, Watch::Barrier { name, .. } if name == "old wall")
            });
            asking = asks(&mut world, &known);
        }
        if let Some(undo) = undo.take().filter(|_| draws.next() < 0.4) {
            world.edits().undo(undo).expect("at once");
        }
        let mut actions = draws.actions();
        let (draw, count) = (draws.next(), actions.len());
        let at = (1..count).take_while(|&at| draw * count as f64 >= at as f64).count();
        let action = actions.swap_remove(at);
        undo = world.edits().act(action).ok().map(|done| done.undo);
        if round % 9 == 5 {
            put_dam(&mut world);
            undo = None;
        }
        if undo.is_some() && draws.next() < 0.2 {
            let undo = undo.take().expect("just looked");
            world.edits().undo(undo).expect("at once");
        }
        if round % 7 == 3 && kind.is_adaptive() {
            let moved = observer([draws.between(0.0, SIZE_M[0]), 128.0], &world.extent());
            *world.criteria_mut().expect("adaptive") = moved;
        }
        world.run_cycle(SimTime::MAX);
        hashes.push(world.state_hash());
        events.extend_from_slice(world.events());
        if let Some(asking) = &mut asking {
            asking.check(&world, &format!("{kind:?}, seed {seed}, round {round}"));
        }
    }
    for (kind, count) in asking.map(|asking| asking.counts).unwrap_or_default() {
        *counts.entry(kind).or_default() += count;
    }
    (hashes, events, counts)
}

fn watching(world: &mut World, watches: &[Watch]) -> Option<Asking> {
    Some(Asking::of(world, watches))
}

/// Goal: in every kind of world, after every cycle, whatever was done before it, the events are
/// those that a game finds by asking; no bit of the world depends on watches. Method: random acts
/// and ways back, observers that jump, planes packed at once, a save in the middle.
#[test]
fn events_are_what_asking_finds() {
    // The other's turn comes in full runs: of the first four only these two have all kinds.
    let seeds = if crate::QUICK { 2..3 } else { 2..4 };
    let mut all = BTreeMap::new();
    for seed in seeds {
        for kind in KINDS {
            let (hashes, events, counts) = play(kind, seed, watching);
            let (alone, none, _) = play(kind, seed, |_, _| None);
            assert_eq!(hashes, alone, "{kind:?}, seed {seed}");
            assert!(!events.is_empty() && none.is_empty(), "{kind:?}, seed {seed}");
            for (kind, count) in counts {
                *all.entry(kind).or_insert(0) += count;
            }
        }
    }
    let kinds = ["Wetted", "Dried", "Rose", "Fell", "Flooded", "Drained"];
    let more = ["Overtopped", "Contained", "Breached", "Restored"];
    for kind in kinds.iter().chain(&more) {
        assert!(all.get(*kind).is_some_and(|count| *count > 1), "{kind} of {all:?}");
    }
}

/// Goal: threads do not show in events.
#[test]
fn events_do_not_depend_on_threads() {
    let put = |world: &mut World, watches: &[Watch]| {
        watches.iter().for_each(|watch| _ = world.watch(watch.clone()).expect("good"));
        None
    };
    let events =
        [1, 2, 7].map(|threads| on_threads(threads, || play(Kind::AdaptiveSubGrid, 3, put).1));
    assert!(events[0].len() > 20);
    assert_eq!(events[0], events[1]);
    assert_eq!(events[0], events[2]);
}

/// A basin of 20 × 10 m with 1.2 m of water west of a wall of 1 m.
fn weir() -> World {
    let water = |place: thalweg::world::CellPlace| if place.x < 10 { 1.2 } else { 0.0 };
    let wall = Barrier::wall("weir", vec![[10.0, 0.0], [10.0, 10.0]], 1.0);
    let builder = WorldBuilder::new(terrain(20, 10, 1.0, |_, _| 0.0));
    builder.initial_depth(water).barrier(wall).build().expect("a good world")
}

/// Goal: water over a crest must fall by the hysteresis before the barrier holds it, and rise over
/// the crest before it is overtopped again; the state at the beginning is no event, and a watch
/// that is taken away tells nothing.
#[test]
fn a_barrier_holds_once_the_water_is_well_below_its_crest() {
    let mut world = weir();
    let watch = |hysteresis_m| Watch::Barrier { name: "weir".to_owned(), hysteresis_m };
    let [quick, slow, gone] = [0.0, 0.1, 0.0].map(|h| world.watch(watch(h)).expect("good"));
    assert_eq!(world.unwatch(gone), Some(watch(0.0)));
    assert_eq!((world.unwatch(gone), world.watched(gone)), (None, None));
    assert_eq!(world.watches().collect::<Vec<_>>(), [(quick, &watch(0.0)), (slow, &watch(0.1))]);
    assert!([quick, slow].iter().all(|&id| world.watched(id).is_some_and(|seen| seen.is_over)));
    let step = FixedStep::try_new(1, 60).expect("good");
    let told = |world: &mut World, stage_m: f64| {
        let west = Shape::Rectangle { low_m: [0.0, 0.0], high_m: [10.0, 10.0] };
        let amount = Amount::StageM(stage_m);
        for action in [
            Action::RemoveWater { area: west.clone(), amount },
            Action::AddWater { area: west, amount },
        ] {
            world.edits().act(action).expect("good");
        }
        world.run_cycle(step);
        world.events().iter().map(|event| (event.watch, event.what)).collect::<Vec<_>>()
    };
    assert_eq!(told(&mut world, 1.15), []);
    assert_eq!(told(&mut world, 0.95), [(quick, EventKind::Contained)]);
    assert_eq!(told(&mut world, 1.05), [(quick, EventKind::Overtopped)]);
    assert_eq!(told(&mut world, 0.97), [(quick, EventKind::Contained)]);
    assert_eq!(told(&mut world, 0.85), [(slow, EventKind::Contained)]);
    assert_eq!(told(&mut world, 0.95), []);
    let both = [(quick, EventKind::Overtopped), (slow, EventKind::Overtopped)];
    assert_eq!(told(&mut world, 1.05), both);
    // Who is taken away overtops no more, and is watched again when it is back.
    let wall = world.structures_mut().remove_barrier("weir").expect("it stands");
    let both = [(quick, EventKind::Contained), (slow, EventKind::Contained)];
    assert_eq!(told(&mut world, 1.05), both);
    world.structures_mut().put_barrier(wall).expect("good");
    let both = [(quick, EventKind::Overtopped), (slow, EventKind::Overtopped)];
    assert_eq!(told(&mut world, 1.15), both);
}

/// Goal: a run up to a time keeps the events of all its cycles, and the next one forgets them.
#[test]
fn a_run_tells_of_all_its_cycles() {
    let [mut whole, mut parts] = [weir(), weir()];
    let gauge = |x: f64| Watch::Gauge { at_m: [x, 5.0], stage_m: 0.05, hysteresis_m: 0.0 };
    for world in [&mut whole, &mut parts] {
        [11.0, 14.0, 17.0].into_iter().for_each(|x| _ = world.watch(gauge(x)).expect("good"));
    }
    let (end, mut events) = (seconds(30.0), Vec::new());
    while parts.time() < end {
        parts.run_cycle(end);
        events.extend_from_slice(parts.events());
    }
    whole.run_until(end);
    assert!(events.len() >= 3 && events.windows(2).all(|pair| pair[0].at <= pair[1].at));
    assert_eq!(whole.events(), events);
    whole.run_until(end);
    assert_eq!(whole.events(), []);
}

/// Goal: planes of leaves asleep are not brought for watches on them, and their watches tell again
/// once water moves.
#[test]
fn watches_on_leaves_asleep_bring_nothing() {
    let pond = WorldBuilder::new(terrain(256, 128, 1.0, |_, _| 0.0)).initial_stage(|_| 1.0);
    let mut world = pond.build().expect("good");
    world.set_residency(Residency::PackedAtOnce);
    let at =
        |number: u32| [f64::from(8 * (number % 32)) + 3.3, f64::from(30 * (number / 32)) + 5.5];
    for number in 0..128 {
        let ([x, y], hysteresis_m) = (at(number), 0.0);
        let corners_m = vec![[x, y], [x + 7.0, y], [x + 7.0, y + 7.0], [x, y + 7.0]];
        world.watch(Watch::Footprint { corners_m, depth_m: 1.2, hysteresis_m }).expect("good");
        world.watch(Watch::Gauge { at_m: [x, y], stage_m: 0.9, hysteresis_m }).expect("good");
    }
    world.run_until(seconds(600.0));
    let still = world.residency();
    assert_eq!(still.leaves_away, 8, "all sleep");
    (0..50).for_each(|_| cycle(&mut world));
    assert_eq!(world.residency(), still);
    let area = Shape::Disc { centre_m: [30.0, 30.0], radius_m: 20.0, rim_m: 0.0 };
    let pour = Action::AddWater { area, amount: Amount::DepthM(0.5) };
    world.edits().act(pour).expect("good");
    world.run_cycle(FixedStep::try_new(1, 60).expect("good"));
    let told = world.events().iter().filter(|e| matches!(e.what, EventKind::Flooded { .. }));
    assert!(told.count() > 2, "{:?}", world.events());
}
