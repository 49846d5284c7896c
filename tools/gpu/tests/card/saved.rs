//! Worlds with a card are saved and opened again: the same state hash.

use crate::levels::{METHODS, follow, followed, observers};
use crate::support::{card, maps_hash, shrunk};
use thalweg::prelude::*;
use thalweg::units::SimTime;
use thalweg::world::SaveFile;
use thalweg_engine::store::backend::memory::Memory;

/// Goal: files hold what is on the card, and a world that is opened goes there again. Method: a
/// flood whose leaves follow observers, with a card and without, both saved and opened after some
/// cycles, three times.
#[track_caller]
pub fn check_saved(world: impl Fn() -> World, cycles: u32) {
    let Some(turn) = card() else { return };
    let mut worlds = [world(), world()];
    let save_file = |world: &World| {
        SaveFile::create_on(Box::new(Memory::default()), world).expect("room in memory")
    };
    let mut files = worlds.each_ref().map(save_file);
    let mut done = 0;
    for round in 0..3 {
        let card = turn.card();
        let log = card.log();
        worlds[1].set_card(Some(Box::new(card)));
        for cycle in 0..cycles {
            for world in &mut worlds {
                follow(cycles * round + cycle, world);
                world.run_cycle(SimTime::MAX);
            }
        }
        let events = log.events();
        assert_eq!((events.cycles, events.lost), (u64::from(cycles), None), "round {round}");
        done += events.cycles;
        let opened = worlds.iter().zip(&mut files).map(|(world, file)| {
            file.save(world).expect("room in memory");
            file.load(observers(0, &world.extent())).expect("what was saved")
        });
        let opened: Vec<World> = opened.collect();
        let hashes = worlds.iter().chain(&opened).map(World::state_hash).collect::<Vec<_>>();
        assert_eq!(hashes, [hashes[0]; 4], "round {round}");
        assert_eq!(maps_hash(&opened[0]), maps_hash(&opened[1]), "round {round}");
        worlds = opened.try_into().expect("two");
    }
    println!("{done} cycles on the card, saved and opened three times");
}

#[test]
fn worlds_with_a_card_are_saved_and_opened() {
    let world = |method| move || followed(method, 9).build().expect("a good world");
    check_saved(world(METHODS[0]), shrunk(12));
    if cfg!(full_card) {
        check_saved(world(METHODS[2]), shrunk(12));
    }
}
