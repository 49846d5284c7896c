//! Flood maps below the ground: the highest water of each interval.

use crate::stacks::{Caves, Random, awake};
use crate::support::reloaded;
use std::collections::BTreeMap;
use thalweg::terrain::Shape;
use thalweg::world::{
    Action, Amount, CellPlace, FixedStep, IntervalMaxima, MapKinds, Residency, World,
};
use thalweg_engine::sim::Solver;

const WIDTH: u32 = 24;

/// An interval: its cell, its bed and its ceiling.
type Known = (CellPlace, u64, u64);

fn places() -> impl Iterator<Item = CellPlace> {
    (0..WIDTH * WIDTH).map(|at| CellPlace { x: at % WIDTH, y: at / WIDTH })
}

/// The highest water that each interval has seen, told by those who looked at every cycle.
#[derive(Default)]
struct Seen(BTreeMap<Known, [f64; 2]>);

impl Seen {
    /// Looks at all intervals that there are; another one in the same cell begins anew.
    fn look(&mut self, world: &World) {
        let mut now = BTreeMap::new();
        for place in places() {
            for own in world.stacks().intervals_at(place) {
                let known = (place, own.bed_m.to_bits(), own.ceiling_m.to_bits());
                let [depth_m, head_m] = self.0.get(&known).copied().unwrap_or([0.0, own.bed_m]);
                now.insert(known, [own.depth_m.max(depth_m), own.head_m.max(head_m)]);
            }
        }
        self.0 = now;
    }

    #[track_caller]
    fn check(&self, world: &World, case: &str) {
        let mut count = 0;
        for place in places() {
            for own in maxima(world, place) {
                let known = (place, own.bed_m.to_bits(), own.ceiling_m.to_bits());
                assert_eq!(self.0.get(&known), Some(&[own.depth_m, own.head_m]), "{case}: {own:?}");
                count += 1;
            }
        }
        assert_eq!(count, self.0.len(), "{case}");
    }
}

fn maxima(world: &World, place: CellPlace) -> Vec<IntervalMaxima> {
    world.maps().below(place).expect("depths are kept")
}

fn hash(world: &World) -> u64 {
    world.maps().hash(MapKinds::DEPTH).expect("depths are kept")
}

fn act(random: &mut Random) -> Action {
    let [x, y] = [0; 2].map(|_| random.below(22) as f64);
    let [w, h] = [0; 2].map(|_| 1.0 + random.below(5) as f64);
    let area = Shape::rectangle([x, y], [x + w, y + h]);
    let low = random.below(8000) as f64 / 1000.0;
    let span_m = [low, low + 0.05 + random.below(2000) as f64 / 1000.0];
    match random.below(5) {
        0 | 1 => Action::CarveBelow { area, span_m },
        2 | 3 => Action::FillBelow { area, span_m },
        _ => Action::AddWater { area, amount: Amount::DepthM(0.02) },
    }
}

/// Goal: an interval has the highest water of all cycles, until it is another; saved worlds,
/// copies and worlds whose planes are packed have the same, and what is dug and undone between
/// cycles leaves no trace. Method: random acts beside a look at every cycle.
#[test]
fn each_interval_has_the_highest_water_that_it_saw() {
    let acts = if crate::QUICK { 60 } else { 1000 };
    let step = FixedStep::try_new(1, 40).expect("a good step");
    for (seed, solver, kinds) in [
        (11, Solver::Pipe, MapKinds::ALL),
        (12, Solver::ShallowWater, MapKinds::DEPTH | MapKinds::SPEED),
    ] {
        let caves = Caves::random(WIDTH, 3, seed);
        let world = caves.world(|part| if part % 3 == 0 { 6.0 } else { f64::NAN });
        let mut world = world.settings(awake(solver)).maps(kinds).build().expect("good");
        world.set_residency(Residency::PackedAtOnce);
        let (mut random, mut seen) = (Random(seed), Seen::default());
        seen.look(&world);
        seen.check(&world, "at the start");
        let mut done = 0;
        for number in 0..acts {
            let case = format!("seed {seed}, act {number}");
            let before = hash(&world);
            if let Ok(tried) = world.edits().act(act(&mut random)) {
                world.edits().undo(tried.undo).expect("undone at once");
            }
            assert_eq!(hash(&world), before, "{case}: undone");
            done += usize::from(world.edits().act(act(&mut random)).is_ok());
            world.run_cycle(step);
            seen.look(&world);
            seen.check(&world, &case);
            if number % 10 == 0 {
                let copy = world.try_clone().expect("held in memory");
                assert_eq!(hash(&copy), hash(&world), "{case}: a copy");
                let before = hash(&world);
                world = reloaded(&world, Vec::new());
                assert_eq!(hash(&world), before, "{case}: loaded");
                seen.check(&world, &case);
            }
        }
        assert!(done > acts / 2, "{done} of {acts} done");
    }
}

/// Goal: a world that keeps no depths says so, and none of this is state.
#[test]
fn maxima_below_are_kept_with_depths_alone() {
    let step = FixedStep::try_new(1, 40).expect("a good step");
    let ran = |kinds| {
        let caves = Caves::random(WIDTH, 3, 5);
        let world = caves.world(|part| if part % 2 == 0 { 6.0 } else { f64::NAN });
        let mut world = world.settings(awake(Solver::Pipe)).maps(kinds).build().expect("good");
        (0..8).for_each(|_| {
            world.run_cycle(step);
        });
        world
    };
    let [none, some] = [MapKinds::SPEED, MapKinds::DEPTH].map(ran);
    assert_eq!(none.state_hash(), some.state_hash());
    let place = CellPlace { x: 3, y: 3 };
    let error = none.maps().below(place).expect_err("no depths").to_string();
    assert!(error.contains("kind: depth"), "{error}");
    assert!(places().any(|place| maxima(&some, place).iter().any(|own| own.depth_m > 0.0)));
    assert!(maxima(&some, CellPlace { x: 900, y: 3 }).is_empty());
    assert_eq!(reloaded(&none, Vec::new()).state_hash(), none.state_hash());
}
