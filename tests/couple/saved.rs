//! A world with links that is saved and opened goes on as the one that was not.

use crate::support::TempFile;
use crate::support::pipe;
use crate::support::seconds;
use crate::support::stages;
use crate::support::two_basins;
use thalweg::world::Drain;
use thalweg::world::Pump;
use thalweg::world::SaveFile;
use thalweg::world::World;

/// Links of all kinds; one is put and one taken away on the way.
fn act(world: &mut World, cycle: u32) {
    match cycle {
        3 => {
            let pump = Pump {
                name: "pump".to_owned(),
                from: [117.5, 12.5],
                to: Some([12.5, 12.5]),
                curve: vec![(0.0, 0.7), (9.0, 0.1)],
                on_stage_m: 1.6,
                off_stage_m: 1.2,
                outlet_m: None,
            };
            world.put_link(pump).expect("a good pump");
        }
        6 => {
            let id = world.links().nth(1).expect("two links").0;
            world.remove_link(id).expect("it is there");
        }
        _ => {}
    }
    world.run_cycle(seconds(1.0e5));
}

#[test]
fn a_saved_world_goes_on_with_its_links() {
    let path = TempFile::new("links");
    let drain = Drain {
        name: "grate".to_owned(),
        place: [182.5, 12.5],
        area_m2: 0.2,
        perimeter_m: 2.0,
        rim_m: None,
    };
    let builder = two_basins().initial_stage(stages(20, 3.0, 1.5)).link(pipe(1.0)).link(drain);
    let mut world = builder.build().expect("a good world");
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    for cycle in 0..12 {
        let mut opened = SaveFile::read(&path.0).expect("a file");
        let mut copy = opened.load(Vec::new()).expect("a good file");
        assert_eq!(copy.state_hash(), world.state_hash(), "cycle {cycle}");
        assert!(copy.links().eq(world.links()), "cycle {cycle}");
        for later in cycle..cycle + 3 {
            act(&mut copy, later);
        }
        let mut alone = opened.load(Vec::new()).expect("a good file");
        for later in cycle..cycle + 3 {
            act(&mut alone, later);
        }
        assert_eq!(copy.state_hash(), alone.state_hash(), "cycle {cycle}");
        act(&mut world, cycle);
        file.save(&world).expect("saved");
        for (id, _) in world.links() {
            assert!(world.link(id).is_some());
        }
    }
    // Going on from the first file to the end is the same as never stopping.
    let mut copy = SaveFile::read(&path.0).expect("a file").load(Vec::new()).expect("a good file");
    for later in 12..40 {
        act(&mut copy, later);
        act(&mut world, later);
    }
    assert_eq!(copy.state_hash(), world.state_hash());
    assert_eq!(copy.stored(), copy.ledger().expected());
}
