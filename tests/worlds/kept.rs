//! Files of a world: saves, moments, mirrors.

use crate::feature::{Feature, as_it_is};
use crate::scene::{Scene, opened};
use crate::valley::{RIVER_M, disc};
use thalweg::Error;
use thalweg::follow::{Applied, Feed, Follow, Key, Memory, Mirror, Reader, Store};
use thalweg::terrain::Edit;
use thalweg::units::SimTime;
use thalweg::world::{
    Action, ActionError, Amount, Barrier, Budget, Progress, Residency, SaveFile, World,
};

pub const FEATURES: &[Feature] = &[
    Feature {
        name: "save",
        holds: "in the background and at once, part by part and whole: opened, the same hash",
        set_up: as_it_is,
        run: saves,
    },
    Feature {
        name: "moments",
        holds: "each moment that was kept is opened with its hash, and goes on to the next",
        set_up: as_it_is,
        run: keeps,
    },
    Feature {
        name: "copy",
        holds: "a copy goes on as the world does; what is done to the one is not done to the other",
        set_up: as_it_is,
        run: copies,
    },
    Feature {
        name: "mirror",
        holds: "a mirror follows each commit: the same extents, and opened the same hash",
        set_up: as_it_is,
        run: mirrors,
    },
];

fn saves(scene: &mut Scene) -> Result<(), Error> {
    scene.with_file(|scene, file| {
        let mut saver = file.in_background()?;
        for _ in 0..3 {
            scene.cycles(2);
            assert!(saver.save(&scene.world)?, "none is under way");
            let then = scene.world.state_hash();
            scene.cycle();
            saver.wait().expect("one is under way")?;
            let mut file = saver.finish()?;
            let copy = opened(&mut file, scene.stream, scene.criteria())?;
            assert_eq!(copy.state_hash(), then, "the moment of the save");
            file.save(&scene.world)?;
            saver = file.in_background()?;
        }
        Ok((saver.finish()?, ()))
    })?;
    let mut elsewhere = SaveFile::create_on(Box::new(Memory::default()), &scene.world)?;
    let copy = opened(&mut elsewhere, scene.stream, scene.criteria())?;
    assert_eq!(copy.state_hash(), scene.world.state_hash(), "saved as a whole elsewhere");
    Ok(())
}

fn keeps(scene: &mut Scene) -> Result<(), Error> {
    let mut kept = Vec::new();
    for _ in 0..3 {
        let (criteria, hash) = (scene.criteria(), scene.world.state_hash());
        let file = scene.saved()?;
        file.keep()?;
        kept.push((file.store().generation(), hash, criteria));
        scene.world.run_cycle(SimTime::MAX);
        scene.world.run_cycle(SimTime::MAX);
        scene.note(scene.world.state_hash());
    }
    let file = scene.saved()?;
    let moments: Vec<u64> = file.moments()?.iter().map(|(commit, _)| *commit).collect();
    assert_eq!(moments, kept.iter().map(|(commit, ..)| *commit).collect::<Vec<u64>>());
    let hashes: Vec<u64> = kept.iter().map(|(_, hash, _)| *hash).collect();
    for ((commit, hash, criteria), next) in kept.into_iter().zip(hashes.into_iter().skip(1)) {
        let mut then = file.load_at(commit, criteria)?;
        assert_eq!(then.state_hash(), hash);
        then.run_cycle(SimTime::MAX);
        then.run_cycle(SimTime::MAX);
        assert_eq!(then.state_hash(), next, "on from commit {commit}");
    }
    Ok(())
}

/// The extents of a commit, with the commits that wrote them.
fn extents(reader: &Reader) -> Vec<(Key, u64)> {
    let entries = reader.entries().map(|entry| entry.expect("whole"));
    entries.map(|entry| (entry.key, entry.generation)).collect()
}

fn copies(scene: &mut Scene) -> Result<(), Error> {
    let pour = || {
        let area = disc(RIVER_M, 12.0);
        Action::AddWater { area, amount: Amount::DepthM(0.5) }
    };
    let raise = || Edit::Raise { shape: disc(RIVER_M, 12.0), by_m: 0.5 };
    for round in 0..3 {
        scene.cycles(2);
        let before = scene.world.state_hash();
        // A cycle under way stays with the world.
        let frame = |world: &mut World, cells| {
            let progress = world.run_within(SimTime::MAX, Budget::CellSteps(cells))?;
            Ok::<bool, Error>(matches!(progress, Progress::Paused(_)))
        };
        assert!(frame(&mut scene.world, 4096)?, "begun in the first frame");
        let mut copy = scene.world.try_clone()?;
        assert_eq!(copy.state_hash(), before);
        while frame(&mut scene.world, u64::MAX)? {}
        copy.run_cycle(SimTime::MAX);
        for _ in 0..2 {
            copy.run_cycle(SimTime::MAX);
            scene.world.run_cycle(SimTime::MAX);
        }
        let then = scene.world.state_hash();
        assert_eq!(copy.state_hash(), then, "round {round}: the copy goes on alike");
        // What is done to the copy is not done to the world, and the other way round.
        let mut other = copy.try_clone()?;
        let poured = copy.edits().act(pour())?;
        let refused = other.edits().undo(poured.undo).expect_err("ways back are of one world");
        assert!(matches!(refused, ActionError::OtherWorld), "{refused}");
        copy.edits().edit(&raise())?;
        for act in conditions() {
            copy.edits().act_for_good(act)?;
        }
        if let Some(criteria) = copy.criteria_mut() {
            criteria.clear();
        }
        copy.set_residency(Residency::PackedAtOnce);
        copy.run_cycle(SimTime::MAX);
        assert_eq!((scene.world.state_hash(), other.state_hash()), (then, then), "round {round}");
        assert_eq!(other.terrain(), scene.world.terrain());
        assert_ne!(copy.terrain(), scene.world.terrain());
        let wet = other.edits().act(pour())?;
        assert_ne!(other.state_hash(), then);
        other.edits().undo(wet.undo)?;
        assert_eq!((scene.world.state_hash(), other.state_hash()), (then, then), "round {round}");
        // A file takes it for another world, and has all of the one that was saved last.
        let mut file = SaveFile::create_on(Box::new(Memory::default()), &scene.world)?;
        file.save(&copy)?;
        let hash = copy.state_hash();
        drop(copy);
        assert_eq!(file.load(scene.criteria())?.state_hash(), hash, "round {round}: the copy");
        file.save(&scene.world)?;
        assert_eq!(file.load(scene.criteria())?.state_hash(), then, "round {round}: the world");
        scene.note(then);
    }
    Ok(())
}

/// Acts that change what a world is beside its water and its ground.
fn conditions() -> Vec<Action> {
    let wall = Barrier::wall("dam", [[20.0, 20.0], [60.0, 20.0]], 9.0);
    vec![
        Action::ChangeWind { wind_m_s: [3.0, 4.0] },
        Action::ChangeRoughness { class: 0, manning_n: 0.05 },
        Action::PutBarrier(wall),
    ]
}

fn mirrors(scene: &mut Scene) -> Result<(), Error> {
    let empty = Store::create_on(Box::new(Memory::default()))?;
    let mut mirror = Mirror::new(empty, Follow::default())?;
    let mut feed = Feed::new(scene.saved()?.store().reader(), &mirror.ask());
    for _ in 0..3 {
        scene.cycles(2);
        let writer = scene.saved()?.store().reader();
        let mut stream = Vec::new();
        while feed.write_next(&mut stream)? {}
        let mut stream = &stream[..];
        while mirror.read_next(&mut stream)? != Applied::End {}
        assert_eq!(mirror.generation(), writer.generation());
        assert_eq!(extents(&mirror.store().reader()), extents(&writer));
        let mut copy = SaveFile::of(mirror.into_store());
        let world = opened(&mut copy, scene.stream, scene.criteria())?;
        assert_eq!(world.state_hash(), scene.world.state_hash());
        mirror = Mirror::new(copy.into_store(), Follow::default())?;
    }
    Ok(())
}
