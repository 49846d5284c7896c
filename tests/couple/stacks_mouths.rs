//! Bodies over the mouths of tunnels: what they leave open, and what they shut.

use thalweg::terrain::Terrain;
use thalweg::units::SimTime;
use thalweg::world::{CellPlace, Voids, World, WorldBuilder};
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::sim::{Settings, Solver};

use crate::stacks::awake;
use crate::support::{check_books, depth, from_disk, held, on_threads};

/// Columns of the hill between the ponds: the mouth in the west and the tunnel are of two leaves.
const HILL: std::ops::Range<u32> = 64..76;
const WIDTH: u32 = 96;
const HEIGHT: u32 = 12;

/// Two ponds, with a tunnel of 4 × 1 m at their beds through the hill between; that in the west is
/// higher, and dyed where there is dye.
fn ponds(solver: Solver, west_m: f64, has_dye: bool) -> World {
    world(awake(solver), |x, _| HILL.contains(&x), west_m, has_dye)
}

/// A world with such a tunnel, whose hill is where it is said.
fn world(
    settings: Settings,
    is_hill: impl Fn(u32, u32) -> bool,
    west_m: f64,
    has_dye: bool,
) -> World {
    let at = |at: usize| u32::try_from(at).expect("a column or row");
    let ground = |x: usize, y: usize| if is_hill(at(x), at(y)) { 10.0 } else { 0.0 };
    let size = [WIDTH, HEIGHT].map(|size| size as usize);
    let terrain = Terrain::from_heights(size, 1.0, ground).expect("a hill");
    let mut voids = Voids::new();
    let [low, high] = [HILL.start, HILL.end].map(|x| CellPlace { x, y: 0 });
    voids.carve(CellPlace { y: 4, ..low }, CellPlace { y: 8, ..high }, [0.0, 1.0]);
    let stage = move |place: CellPlace| if place.x < HILL.start { west_m } else { 0.5 };
    let builder = WorldBuilder::new(terrain).settings(settings).voids(voids);
    let builder = builder.initial_stage(stage).initial_stage_below(|_, _| 0.5);
    let dye = |place: CellPlace| if place.x < HILL.start { 1.0 } else { 0.0 };
    let builder = if has_dye { builder.tracer("dye", dye) } else { builder };
    builder.build().expect("a good world")
}

/// Water that comes to the pond in the east in so many seconds, m³; not a unit of water or dye is
/// missing.
fn came(world: &mut World, seconds: f64) -> f64 {
    let east = |world: &World| -> f64 {
        let places = (0..HEIGHT).flat_map(|y| (HILL.end..WIDTH).map(move |x| (x, y)));
        places.map(|(x, y)| depth(world, x, y)).sum()
    };
    let before = east(world);
    world.run_until(world.time().after(SimTime::from_seconds(seconds).ticks()));
    check_books(world);
    if let Some(dye) = world.water().tracer_stored("dye") {
        assert_eq!(dye, world.water().tracer_ledger("dye").expect("a tracer").expected());
    }
    east(world) - before
}

/// Lays a box before the western mouth: so long along the tunnel, so wide across, from one height
/// to another.
fn lay(world: &mut World, [long, wide]: [f64; 2], [low, high]: [f64; 2]) {
    let lengths = [long, wide, high - low];
    let at = [f64::from(HILL.start) - 0.5 * long, 6.0, 0.5 * (low + high)];
    world.structures_mut().put_bodies(vec![held(1, lengths, at)]).expect("a box");
}

const BARGE: [f64; 2] = [6.0, 8.0];

/// Goal: a barge over the mouth of a tunnel stops nothing. Method: what comes through in twenty
/// seconds, with it and without, where the pond is higher by what the barge displaces.
#[test]
fn a_barge_over_a_mouth_lets_water_through() {
    for (solver, has_dye) in
        [(Solver::Pipe, true), (Solver::Pipe, false), (Solver::ShallowWater, false)]
    {
        let mut below = ponds(solver, 4.0, has_dye);
        lay(&mut below, BARGE, [2.0, 6.0]);
        let displaced_m = BARGE[0] * BARGE[1] * 2.0 / f64::from(HILL.start * HEIGHT);
        let mut free = ponds(solver, 4.0 + displaced_m, has_dye);
        let [free_m3, below_m3] = [came(&mut free, 20.0), came(&mut below, 20.0)];
        let part = below_m3 / free_m3;
        assert!((part - 1.0).abs() < 0.05, "{solver:?}: {below_m3} of {free_m3} m³");
    }
}

/// Goal: a box on the bed shuts a mouth up to its top: all of a tunnel that is lower, nothing of
/// what stands over it. Method: what comes in twenty seconds, by the height of the box.
#[test]
fn a_box_on_the_bed_shuts_a_mouth_up_to_its_top() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let free_m3 = came(&mut ponds(solver, 1.5, true), 20.0);
        let found_m3 = [0.5, 0.9, 1.2].map(|top_m| {
            let mut world = ponds(solver, 1.5, true);
            lay(&mut world, BARGE, [0.0, top_m]);
            came(&mut world, 20.0)
        });
        let [half, little, none] = found_m3;
        assert!(none.abs() < 1.0e-9, "{solver:?}: {none} m³ through a shut mouth");
        assert!(0.0 < little && little < 0.6 * half && half < free_m3, "{solver:?}: {found_m3:?}");
    }
}

/// Goal: a gate stands in the way, however thin it is and wherever it stands between cells. Method:
/// plates across the pond, on a face between cells by the mouth; to the bed, and over a slit.
#[test]
fn a_gate_by_a_mouth_holds_the_pond_back() {
    let passed_m3 = [Some(0.0), Some(0.4), None].map(|low_m| {
        let mut world = ponds(Solver::Pipe, 4.0, false);
        if let Some(low_m) = low_m {
            let lengths = [0.3, f64::from(HEIGHT) + 2.0, 6.0];
            let at = [f64::from(HILL.start) - 1.0, 6.0, low_m + 3.0];
            world.structures_mut().put_bodies(vec![held(1, lengths, at)]).expect("a gate");
        }
        came(&mut world, 20.0)
    });
    let [shut, slit, free] = passed_m3;
    // What stood between the gate and the hill may come.
    assert!(shut < 4.0 * f64::from(HEIGHT), "{shut} of {free} m³ through a gate");
    assert!(shut < slit && slit < 0.8 * free, "{passed_m3:?}");
}

/// Goal: mouths that share one way out take no more than there is. Method: a bay that a box covers,
/// with one ditch of a cell's width that leads there, which they drink dry.
#[test]
fn mouths_share_the_water_of_one_cell() {
    let is_bay = |x: u32, y: u32| (58..64).contains(&x) && (4..8).contains(&y);
    let is_ditch = |x: u32, y: u32| (50..58).contains(&x) && y == 5;
    for has_dye in [true, false] {
        let is_hill = |x: u32, y: u32| x < HILL.end && !is_bay(x, y) && !is_ditch(x, y);
        let mut world = world(awake(Solver::Pipe), is_hill, 1.5, has_dye);
        lay(&mut world, [6.0, 4.0], [1.2, 4.0]);
        let came_m3 = came(&mut world, 60.0);
        assert!(came_m3 > 3.0, "{came_m3} m³ of a ditch of 12 m³");
        for x in 50..58 {
            let depth_m = depth(&world, x, 5);
            assert!((0.0..1.6).contains(&depth_m), "{depth_m} m at {x}");
        }
    }
}

/// Goal: what passes below bodies is state as all water is. Method: the hash on 1, 2 and 7 threads,
/// saved and opened in between, while a barge is moved over the mouth and away.
#[test]
fn water_at_mouths_below_bodies_is_state() {
    let step = FixedStep::try_new(1, 40).expect("a good step");
    let mut hashes = Vec::new();
    for threads in [1, 2, 7] {
        hashes.push(on_threads(threads, || {
            let mut world = ponds(Solver::ShallowWater, 3.0, true);
            let mut box_m = None;
            for cycle in 0..60 {
                match cycle % 20 {
                    4 => box_m = Some([1.5, 4.0]),
                    11 => box_m = Some([0.0, 0.5]),
                    16 => box_m = None,
                    _ => {}
                }
                match box_m {
                    Some(heights) => lay(&mut world, BARGE, heights),
                    None => world.structures_mut().put_bodies(Vec::new()).expect("none"),
                }
                world.run_cycle(step);
                if threads == 2 && cycle % 5 == 1 {
                    world = from_disk("stacks_mouths", &world);
                }
            }
            check_books(&world);
            world.state_hash()
        }));
    }
    assert_eq!(hashes[0], hashes[1], "saved and opened, on two threads");
    assert_eq!(hashes[0], hashes[2], "on seven threads");
}
