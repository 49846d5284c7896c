//! Changes by a player: of the ground and of the water, and their way back.

use crate::feature::{Feature, as_it_is};
use crate::scene::Scene;
use crate::valley::{BANK_M, LAKE_M, PLAIN_M, RIVER_M, cell_at, disc};
use thalweg::Error;
use thalweg::structure::Section;
use thalweg::terrain::{Bottom, Edit};
use thalweg::world::{
    Action, Amount, Barrier, Culvert, Discharge, Inflow, InflowPlace, Link, WorldBuilder,
};

pub const FEATURES: &[Feature] = &[
    Feature {
        name: "terrain edits",
        holds: "beds are as asked for, the water on top is kept, an undo gives the hash before",
        set_up: as_it_is,
        run: digs,
    },
    Feature {
        name: "acts",
        holds: "water, pushes, dye, structures: each changes the hash, and the sum by its report",
        set_up: dyed,
        run: acts,
    },
    Feature {
        name: "undo",
        holds: "undone, the hash before; done again, the hash after; later, what is left",
        set_up: dyed,
        run: undoes,
    },
    Feature {
        name: "sleep",
        holds: "dry leaves sleep, and water that comes wakes its own",
        set_up: as_it_is,
        run: wakes,
    },
];

pub fn dyed(builder: WorldBuilder) -> Result<WorldBuilder, Error> {
    Ok(builder.tracer("dye", |_| 0.25).barrier(Barrier::wall("old", line(), 8.0)))
}

/// A line across the river.
fn line() -> Vec<[f64; 2]> {
    vec![[RIVER_M[0], RIVER_M[1] - 30.0], [RIVER_M[0], RIVER_M[1] + 30.0]]
}

fn digs(scene: &mut Scene) -> Result<(), Error> {
    let bed_m = |scene: &Scene, at| scene.world.bed_m(cell_at(at)).expect("ground");
    let (before, stored) = ([LAKE_M, BANK_M].map(|at| bed_m(scene, at)), stored(scene));
    let pit = Edit::Lower { shape: disc(LAKE_M, 20.0), by_m: 1.5 };
    scene.world.edits().edit(&pit)?;
    scene.world.edits().edit(&Edit::Raise { shape: disc(BANK_M, 20.0), by_m: 2.25 })?;
    let after = [LAKE_M, BANK_M].map(|at| bed_m(scene, at));
    let changed = [after[0] - before[0], after[1] - before[1]];
    assert!((changed[0] + 1.5).abs() < 1e-3 && (changed[1] - 2.25).abs() < 1e-3, "{changed:?}");
    assert_eq!(stored_now(scene), stored, "the water on top is kept");
    scene.cycles(3);
    let hash = scene.world.state_hash();
    let line_m = vec![LAKE_M, [LAKE_M[0] + 60.0, LAKE_M[1] - 30.0]];
    let canal = Edit::Carve { line_m, width_m: 8.0, bottom: Bottom::Below { depth_m: 1.0 } };
    let done = scene.world.edits().act(Action::EditTerrain(canal))?;
    let dug = scene.world.state_hash();
    assert_ne!(dug, hash);
    let redo = scene.world.edits().undo(done.undo)?.undo;
    assert_eq!(scene.world.state_hash(), hash, "undone");
    scene.world.edits().undo(redo)?;
    assert_eq!(scene.world.state_hash(), dug, "done again");
    scene.cycles(3);
    Ok(())
}

/// Volume in the world, vertical units × finest cells.
fn stored(scene: &Scene) -> i128 {
    scene.world.water().stored()
}

fn stored_now(scene: &Scene) -> i128 {
    let stored = stored(scene);
    assert_eq!(stored, scene.world.water().ledger().expected());
    stored
}

/// One of each act but edits of the terrain.
pub fn one_of_each() -> Vec<Action> {
    let pipe = Culvert {
        name: "pipe".to_owned(),
        from: RIVER_M,
        to: LAKE_M,
        section: Section::Circle { diameter_m: 0.8 },
        ..Culvert::default()
    };
    let rill = Inflow {
        name: "rill".to_owned(),
        place: InflowPlace::Point(BANK_M),
        discharge: Discharge::Series(vec![(0.0, 2.0), (60.0, 9.0)]),
        tracers: vec![("dye".to_owned(), 0.75)],
    };
    let by_hand = |area, amount| Action::AddWater { area, amount };
    vec![
        by_hand(disc(BANK_M, 12.0), Amount::VolumeM3(300.0)),
        by_hand(disc(RIVER_M, 20.0), Amount::DepthM(0.5)),
        by_hand(disc(LAKE_M, 30.0), Amount::StageM(4.75)),
        Action::RemoveWater { area: disc(LAKE_M, 25.0), amount: Amount::DepthM(0.4) },
        Action::PushWater { area: disc(LAKE_M, 40.0), by_m_s: [1.0, -0.5] },
        Action::ColourWater {
            area: disc(LAKE_M, 20.0),
            tracer: "dye".to_owned(),
            concentration: 1.0,
        },
        Action::PutBarrier(Barrier::wall("new", line(), 9.0)),
        Action::RemoveBarrier { name: "old".to_owned() },
        Action::PutLink(Link::Culvert(pipe)),
        Action::RemoveLink { name: "pipe".to_owned() },
        Action::PutInflow(rill),
        Action::RemoveInflow { name: "rill".to_owned() },
    ]
}

fn acts(scene: &mut Scene) -> Result<(), Error> {
    for action in one_of_each() {
        let (hash, before) = (scene.world.state_hash(), stored(scene));
        let (said, is_dye) = (format!("{action:?}"), matches!(action, Action::ColourWater { .. }));
        let done = scene.world.edits().act(action)?;
        assert_ne!(scene.world.state_hash(), hash, "{said}");
        let moved_m3 = (stored_now(scene) - before) as f64 * scene.world.water().unit_m3();
        let reported_m3 = if is_dye { 0.0 } else { done.moved_m3 };
        assert!((moved_m3 - reported_m3).abs() < 1e-9, "{moved_m3} m³: {said}: {done:?}");
        assert!(done.unmet_m3.abs() < 1e-2, "{said}: {done:?}");
        scene.cycle();
    }
    Ok(())
}

fn undoes(scene: &mut Scene) -> Result<(), Error> {
    scene.cycle();
    let first = scene.world.state_hash();
    let mut undos = Vec::new();
    for action in one_of_each() {
        let (before, said) = (scene.world.state_hash(), format!("{action:?}"));
        let done = scene.world.edits().act(action)?;
        let after = scene.world.state_hash();
        let redo = scene.world.edits().undo(done.undo)?.undo;
        assert_eq!(scene.world.state_hash(), before, "undone: {said}");
        let undo = scene.world.edits().undo(redo)?.undo;
        assert_eq!(scene.world.state_hash(), after, "done again: {said}");
        undos.push(undo);
    }
    for undo in undos.into_iter().rev() {
        scene.world.edits().undo(undo)?;
    }
    assert_eq!(scene.world.state_hash(), first, "all, the last first");
    let (area, amount) = (disc(BANK_M, 12.0), Amount::VolumeM3(300.0));
    let poured = scene.world.edits().act(Action::AddWater { area, amount })?;
    scene.cycles(4);
    let back = scene.world.edits().undo(poured.undo)?;
    assert!(back.moved_m3 < 0.0 && back.unmet_m3 > 0.0, "some has run off: {back:?}");
    assert!((back.unmet_m3 - back.moved_m3 - poured.moved_m3).abs() < 1e-2, "{back:?}");
    scene.cycle();
    Ok(())
}

fn wakes(scene: &mut Scene) -> Result<(), Error> {
    scene.stay();
    scene.cycles(5);
    let leaf = |scene: &Scene| {
        let found = scene.world.simulation().forest().locate(cell_at(PLAIN_M));
        found.expect("ground").0
    };
    let is_asleep = |scene: &Scene| scene.world.simulation().asleep()[leaf(scene)];
    assert!(is_asleep(scene), "a dry plain");
    let amount = Amount::VolumeM3(50.0);
    scene.world.edits().act(Action::AddWater { area: disc(PLAIN_M, 8.0), amount })?;
    scene.cycle();
    assert!(!is_asleep(scene), "it is wet");
    scene.cycles(2);
    Ok(())
}
