//! Bodies over the mouths of tunnels: what they leave open, and what they shut.

use rayon::ThreadPoolBuilder;
use thalweg::sim::Solver;
use thalweg::sim::schedule::FixedStep;
use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{CellPlace, SaveFile, Voids, World, WorldBuilder};

use crate::stacks::awake;
use crate::support::{TempFile, check_books, depth, held};

/// Columns of the hill between the ponds.
const HILL: std::ops::Range<usize> = 20..32;

/// Two ponds, with a tunnel of 4 × 1 m at their beds through the hill between; that in the west is
/// higher, and all of it is dyed.
fn ponds(solver: Solver, west_m: f64) -> World {
    let ground = |x: usize| if HILL.contains(&x) { 10.0 } else { 0.0 };
    let terrain = Terrain::from_heights([52, 12], 1.0, |x, _| ground(x)).expect("a hill");
    let mut voids = Voids::new();
    voids.carve(CellPlace { x: 20, y: 4 }, CellPlace { x: 32, y: 8 }, [0.0, 1.0]);
    let stage = move |place: CellPlace| if place.x < 20 { west_m } else { 0.5 };
    WorldBuilder::new(terrain)
        .settings(awake(solver))
        .voids(voids)
        .initial_stage(stage)
        .initial_stage_below(|_, _| 0.5)
        .tracer("dye", |place| if place.x < 20 { 1.0 } else { 0.0 })
        .build()
        .expect("a good world")
}

/// Water that comes to the pond in the east in so many seconds, m³; not a unit of water or dye is
/// missing.
fn came(world: &mut World, seconds: f64) -> f64 {
    let east = |world: &World| -> f64 {
        let places = (0..12).flat_map(|y| (HILL.end..52).map(move |x| (x, y)));
        places.map(|(x, y)| depth(world, u32::try_from(x).expect("a column"), y)).sum()
    };
    let before = east(world);
    world.run_until(world.time().after(SimTime::from_seconds(seconds).ticks()));
    check_books(world);
    let (water, dye) = (world.water(), world.water().tracer_stored("dye").expect("a tracer"));
    assert_eq!(dye, water.tracer_ledger("dye").expect("a tracer").expected());
    east(world) - before
}

/// Lays a box before the western mouth: 6 m along the tunnel, 8 m across, from one height to
/// another.
fn lay(world: &mut World, [low, high]: [f64; 2]) {
    let lengths = [6.0, 8.0, high - low];
    let body = held(1, lengths, [17.0, 6.0, 0.5 * (low + high)]);
    world.structures_mut().put_bodies(vec![body]).expect("a box");
}

/// Goal: a barge over the mouth of a tunnel stops nothing. Method: what comes through in a minute,
/// with it and without.
#[test]
fn a_barge_over_a_mouth_lets_water_through() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let (mut free, mut below) = (ponds(solver, 4.0), ponds(solver, 4.0));
        lay(&mut below, [2.0, 6.0]);
        let [free_m3, below_m3] = [came(&mut free, 20.0), came(&mut below, 20.0)];
        // The barge displaces 96 m³ of water, which stand higher in the pond.
        let part = below_m3 / free_m3;
        assert!((0.95..1.35).contains(&part), "{solver:?}: {below_m3} of {free_m3} m³");
    }
}

/// Goal: a box on the bed shuts a mouth up to its top: all of a tunnel that is lower, nothing of
/// what stands over it. Method: what comes in a minute, by the height of the box.
#[test]
fn a_box_on_the_bed_shuts_a_mouth_up_to_its_top() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let mut world = ponds(solver, 1.5);
        let free_m3 = came(&mut world, 20.0);
        let mut found_m3 = Vec::new();
        for top_m in [0.5, 0.9, 1.2] {
            let mut world = ponds(solver, 1.5);
            lay(&mut world, [0.0, top_m]);
            found_m3.push(came(&mut world, 20.0));
        }
        let [half, little, none] = found_m3[..] else { panic!("three boxes") };
        assert!(none.abs() < 1.0e-9, "{solver:?}: {none} m³ through a shut mouth");
        assert!(0.0 < little && little < 0.6 * half && half < free_m3, "{solver:?}: {found_m3:?}");
    }
}

/// Goal: what passes below bodies is state as all water is. Method: the hash on 1, 2 and 7 threads,
/// saved and opened in between, while a barge is moved over the mouth and away.
#[test]
fn water_at_mouths_below_bodies_is_state() {
    let path = TempFile::new("stacks_mouths");
    let step = FixedStep::try_new(1, 40).expect("a good step");
    let mut hashes = Vec::new();
    for threads in [1, 2, 7] {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        hashes.push(pool.install(|| {
            let mut world = ponds(Solver::ShallowWater, 3.0);
            let mut box_m = None;
            for cycle in 0..60 {
                match cycle % 20 {
                    4 => box_m = Some([1.5, 4.0]),
                    11 => box_m = Some([0.0, 0.5]),
                    16 => box_m = None,
                    _ => {}
                }
                match box_m {
                    Some(heights) => lay(&mut world, heights),
                    None => world.structures_mut().put_bodies(Vec::new()).expect("none"),
                }
                world.run_cycle(step);
                if threads == 2 && cycle % 5 == 1 {
                    let _ = std::fs::remove_file(&path.0);
                    let mut file = SaveFile::create(&path.0, &world).expect("a file");
                    world = file.load(Vec::new()).expect("a good file");
                }
            }
            check_books(&world);
            world.state_hash()
        }));
    }
    assert_eq!(hashes[0], hashes[1], "saved and opened, on two threads");
    assert_eq!(hashes[0], hashes[2], "on seven threads");
}
