//! Cycles in parts, and what tells two worlds apart.

use crate::changed::{dyed, one_of_each};
use crate::feature::{Feature, as_it_is};
use crate::scene::{Scene, depths};
use crate::valley::{LAKE_M, cell_at, disc};
use thalweg::Error;
use thalweg::units::SimTime;
use thalweg::world::{
    Action, Amount, Budget, Difference, Discharge, Inflow, InflowPlace, Progress, StatePart, World,
};
use thalweg_engine::grid::TILE_CELLS;

pub const FEATURES: &[Feature] = &[
    Feature {
        name: "cycles in parts",
        holds: "paused, read and saved as before the cycle; the hash of cycles in one go",
        set_up: dyed,
        run: pauses,
    },
    Feature {
        name: "digests",
        holds: "a change of water is found in its tile, one of a structure in its part",
        set_up: as_it_is,
        run: tells_apart,
    },
];

/// Runs a cycle in parts; looks at the world whenever it rests.
fn run_in_parts(
    world: &mut World,
    mut budget: impl FnMut(&mut World) -> Result<Progress, Error>,
    mut look: impl FnMut(&World),
) -> Result<u32, Error> {
    let mut pauses = 0;
    let mut last_left = u64::MAX;
    loop {
        match budget(world)? {
            Progress::Done(report) => {
                assert_eq!(report.time, world.time());
                assert!(!world.is_paused());
                return Ok(pauses);
            }
            Progress::Paused(paused) => {
                // The first frame may have begun the cycle, and the last but one have left its end.
                assert!(paused.left < last_left, "{paused:?}");
                last_left = paused.left;
                pauses += 1;
                assert!(world.is_paused());
                look(world);
            }
        }
    }
}

fn pauses(scene: &mut Scene) -> Result<(), Error> {
    const LEAF: u64 = TILE_CELLS as u64;
    let mut pauses = 0;
    for round in 0..7_u64 {
        let mut twin = scene.reopened()?;
        twin.run_cycle(SimTime::MAX);
        let (hash, time, before) =
            (scene.world.state_hash(), scene.world.time(), depths(&scene.world));
        let (rested, after) = scene.cycle_with(|world| {
            let mut asked = 0;
            let within = |world: &mut World| {
                let budget = Budget::CellSteps((1 + round) * LEAF + 17 * round);
                if round < 5 {
                    return Ok(world.run_within(SimTime::MAX, budget)?);
                }
                let mut is_time_left = || {
                    asked += 1;
                    asked % 3 != 0
                };
                Ok(world.run_within(SimTime::MAX, Budget::While(&mut is_time_left))?)
            };
            let rested = run_in_parts(world, within, |world| {
                assert_eq!((world.state_hash(), world.time()), (hash, time), "as before");
                assert_eq!(world.water().stored(), world.water().ledger().expected());
                assert!(depths(world) == before, "depths as before");
            });
            rested.map(|rested| (rested, world.state_hash()))
        })?;
        assert_eq!(after, twin.state_hash(), "round {round}");
        pauses += rested;
    }
    assert!(pauses > 1, "{pauses} pauses");
    // What changes the water ends the cycle first; what is saved meanwhile is the world before it.
    for action in one_of_each() {
        let mut twin = scene.reopened()?;
        twin.run_cycle(SimTime::MAX);
        twin.edits().act(action.clone())?;
        let hash = scene.world.state_hash();
        let progress = scene.world.run_within(SimTime::MAX, Budget::CellSteps(LEAF))?;
        if let Progress::Paused(_) = progress {
            assert_eq!(scene.reopened()?.state_hash(), hash, "saved meanwhile");
        }
        let done = |world: &mut World| -> Result<u64, Error> {
            world.edits().act(action.clone())?;
            Ok(world.state_hash())
        };
        assert_eq!(scene.cycle_with(done)?, twin.state_hash(), "{action:?}");
    }
    let error = scene.world.run_within(SimTime::MAX, Budget::CellSteps(LEAF - 1));
    let line = error.expect_err("no leaf can step").to_string();
    assert!(line.contains("4095 cell-steps") && line.contains("4096 or more"), "{line}");
    assert!(!scene.world.is_paused());
    Ok(())
}

fn tells_apart(scene: &mut Scene) -> Result<(), Error> {
    scene.cycles(3);
    let before = scene.world.digest();
    assert_eq!(before.hash(), scene.world.state_hash());
    let twin = scene.reopened()?;
    assert_eq!(before.first_difference(&twin.digest()), None, "saved and opened");
    let (area, amount) = (disc(LAKE_M, 4.0), Amount::DepthM(0.25));
    let done = scene.world.edits().act(Action::AddWater { area, amount })?;
    let poured = scene.world.digest();
    let leaf = scene.world.simulation().forest().locate(cell_at(LAKE_M));
    let key = scene.world.simulation().forest().leaves()[leaf.expect("ground").0];
    assert_eq!(before.first_difference(&poured), Some(Difference::Tile(key)));
    assert_eq!(poured.first_difference(&before), Some(Difference::Tile(key)));
    scene.world.edits().undo(done.undo)?;
    assert_eq!(before.first_difference(&scene.world.digest()), None, "undone");
    let place = InflowPlace::Point(LAKE_M);
    let discharge = Discharge::Constant(2.0);
    let (name, tracers) = ("rill".to_owned(), Vec::new());
    let rill = Inflow { name, place, discharge, tracers };
    scene.world.edits().act(Action::PutInflow(rill))?;
    let found = before.first_difference(&scene.world.digest());
    assert_eq!(found, Some(Difference::Part(StatePart::Forcing)));
    scene.cycle();
    Ok(())
}
