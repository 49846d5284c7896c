//! Worlds that are saved elsewhere than in their file.

#[path = "../common/folder.rs"]
mod folder;

use crate::support::terrain;
use folder::Folder;
use std::fs;
use thalweg::units::SimTime;
use thalweg::world::{FileError, SaveFile, World, WorldBuilder};
use thalweg_engine::store::{Limits, StoreError};

fn lake() -> World {
    let ground = terrain([128, 64], 10, |x, _| 0.01 * (x as f64 - 40.0).abs());
    let builder = WorldBuilder::new(ground);
    builder.initial_depth(|_| 0.5).build().expect("a good world")
}

/// Goal: a world whose file lost its name is saved elsewhere with all its moments, the one that
/// was to be kept last among them, and with the limits of its file.
#[cfg(unix)]
#[test]
fn moments_go_along_where_a_world_is_saved_elsewhere() {
    let folder = Folder::new("elsewhere");
    let [here, there] = ["lake.thalweg", "other.thalweg"].map(|name| folder.0.join(name));
    let mut world = lake();
    let mut file = SaveFile::create(&here, &world).expect("room");
    let mut hashes = Vec::new();
    for _ in 0..2 {
        file.save(&world).expect("room");
        file.keep().expect("a commit");
        hashes.push(world.state_hash());
        world.run_cycle(SimTime::MAX);
    }
    fs::remove_file(&here).expect("there");
    let lost = file.save(&world).expect_err("nobody would find it");
    assert!(matches!(lost, FileError::Store(StoreError::Lost { .. })), "{lost}");
    let times = |file: &SaveFile| -> Vec<SimTime> {
        file.moments().expect("whole").into_iter().map(|(_, time)| time).collect()
    };
    let file = file.limits(Limits::default().bytes(9 << 20));
    let mut saved = file.save_as(&there, &world).expect("room");
    assert_eq!(times(&saved), times(&file));
    for ((number, _), hash) in saved.moments().expect("whole").into_iter().zip(hashes) {
        let limits = Limits::default();
        saved = saved.limits(limits);
        let moment = saved.load_at(number, Vec::new()).expect("a moment");
        assert_eq!(moment.state_hash(), hash);
    }
    let last = saved.load(Vec::new()).expect("the last");
    assert_eq!(last.state_hash(), world.state_hash());
    // The limits are those of the file.
    let mut tight = file.limits(Limits::default().bytes(4 << 20));
    let lasting = folder.0.join("third.thalweg");
    let mut third = tight.save_as(&lasting, &world).expect("room");
    let told = third.load(Vec::new()).map(drop).expect_err("more than 4 MiB").to_string();
    assert!(told.contains("`Limits::bytes` allows 4.0 MiB"), "{told}");
    drop(third);
    assert!(tight.save(&world).is_err(), "its file is still lost");
    let taken = tight.save_as(&lasting, &world).expect_err("it is there").to_string();
    assert!(taken.contains("exists"), "{taken}");
}
