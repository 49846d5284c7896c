//! A world with links or bodies that is saved and opened goes on as the one that was not.

use crate::support::{TempFile, basin, held, in_memory, pipe, seconds, stages, two_basins};
use thalweg::world::{Drain, Pump, SaveFile, World};
use thalweg_engine::store::Layer;

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
            world.structures_mut().put_link(pump).expect("a good pump");
        }
        6 => {
            let name = world.structures().links().nth(1).expect("two links").name().to_owned();
            world.structures_mut().remove_link(&name).expect("it is there");
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
        ..Drain::default()
    };
    let builder = two_basins().initial_stage(stages(20, 3.0, 1.5)).link(pipe(1.0)).link(drain);
    let mut world = builder.build().expect("a good world");
    let mut file = SaveFile::create(&path.0, &world).expect("a new file");
    for cycle in 0..12 {
        let mut opened = SaveFile::read(&path.0).expect("a file");
        let mut copy = opened.load(Vec::new()).expect("a good file");
        assert_eq!(copy.state_hash(), world.state_hash(), "cycle {cycle}");
        assert!(copy.structures().links().eq(world.structures().links()), "cycle {cycle}");
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
        for link in world.structures().links() {
            assert!(world.structures().link_flow(link.name()).is_some());
        }
    }
    // Going on from the first file to the end is the same as never stopping.
    let mut copy = SaveFile::read(&path.0).expect("a file").load(Vec::new()).expect("a good file");
    for later in 12..40 {
        act(&mut copy, later);
        act(&mut world, later);
    }
    assert_eq!(copy.state_hash(), world.state_hash());
    assert_eq!(copy.water().stored(), copy.water().ledger().expected());
}

/// Goal: solids of a file are taken as they were, or refused; bytes that are no solids open no
/// world, and none is opened on numbers that no run has. Method: the layer cut short at each
/// length, made longer, and each of its bytes changed.
#[test]
fn solids_in_a_file_are_right_or_refused() {
    let mut world = basin(24, 16, |_, _| 0.0, |_, _| 1.0);
    let put = |world: &mut World, [east, low]: [f64; 2]| {
        world
            .structures_mut()
            .put_bodies(vec![held(1, [3.2, 3.1, 0.6], [east, 8.3, low + 0.3])])
            .expect("a body");
        world.run_cycle(seconds(1.0e3));
    };
    put(&mut world, [8.4, 0.3]);
    let mut file = in_memory(&world);
    put(&mut world, [9.1, 0.4]);
    file.save(&world).expect("saved");
    let hash = world.state_hash();
    assert_eq!(file.load(Vec::new()).expect("a good file").state_hash(), hash);
    let key = file.store().keys_of(Layer::Solids).expect("keys")[0];
    let mut whole = Vec::new();
    assert!(file.store().get(key, &mut whole).expect("there"));
    let (mut refused, mut cases) = (0, Vec::new());
    cases.extend((0..whole.len()).step_by(7).map(|length| whole[..length].to_vec()));
    cases.push([&whole[..], &[0]].concat());
    let short = cases.len();
    cases.extend((0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x91;
        bytes
    }));
    for (case, bytes) in cases.iter().enumerate() {
        let mut store = file.into_store();
        store.put(key, bytes).expect("in memory");
        file = SaveFile::of(store);
        match file.load(Vec::new()) {
            Err(error) => {
                let line = error.to_string();
                assert!(!line.contains('\n'), "case {case}: {line}");
                refused += 1;
            }
            Ok(mut found) => {
                assert!(case >= short, "case {case} was opened");
                // The count of closed gaps is reported, and changes nothing.
                let at = case - short;
                assert!(found.state_hash() != hash || (1..5).contains(&at), "byte {at}");
                found.run_cycle(seconds(1.0e3));
                assert_eq!(
                    found.water().stored(),
                    found.water().ledger().expected(),
                    "case {case}"
                );
            }
        }
        let mut store = file.into_store();
        store.roll_back();
        file = SaveFile::of(store);
    }
    assert!(refused > short, "{refused}");
    // Without bodies a file has no such layer.
    world.structures_mut().put_bodies(Vec::new()).expect("no bodies");
    file.save(&world).expect("saved");
    assert!(file.store().keys_of(Layer::Solids).expect("keys").is_empty());
    let loaded = file.load(Vec::new()).expect("a good file");
    assert_eq!(loaded.state_hash(), world.state_hash());
}
