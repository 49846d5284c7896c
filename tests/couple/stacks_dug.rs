//! Stacked columns that are dug, closed and flooded at random, and what is refused.

use crate::stacks::{Caves, Random, awake};
use crate::support::{check_books, reloaded};
use rayon::prelude::*;
use thalweg::terrain::{Edit, Shape, Terrain};
use thalweg::world::{
    Action, AdaptiveOptions, Amount, CellPlace, FixedStep, StackError, Voids, VoxelFrame,
    VoxelGrid, World, WorldBuilder, WorldError,
};
use thalweg_engine::sim::Solver;

/// Goal: whatever is dug and closed while water runs, volumes stay exact, none is negative, and no
/// head is above one and a half times that of the highest water. Method: random acts in two caves,
/// side by side; 2,000 at full size.
#[test]
fn digging_and_closing_at_random_is_exact() {
    let acts = if crate::QUICK { 75 } else { 1_000 };
    [11, 12].into_par_iter().for_each(|seed| dig_and_close(seed, acts));
}

/// So many acts in caves of a seed.
fn dig_and_close(seed: u64, acts: u64) {
    let caves = Caves::random(24, 3, seed);
    let mut world = caves
        .world(|part| if part % 3 == 0 { 6.0 } else { f64::NAN })
        .settings(awake(Solver::Pipe))
        .build()
        .expect("good");
    let step = FixedStep::try_new(1, 40).expect("a good step");
    let mut random = Random(seed.wrapping_mul(7 << 32));
    let mut done = 0;
    // Bounds are taken at the beginning of a step: the highest water since four acts ago counts.
    let mut recent = [0.0_f64; 8];
    for number in 0..acts {
        let [x, y] = [0; 2].map(|_| random.below(22) as f64);
        let [w, h] = [0; 2].map(|_| 1.0 + random.below(5) as f64);
        let area = Shape::rectangle([x, y], [x + w, y + h]);
        let low = random.below(8000) as f64 / 1000.0;
        let span_m = [low, low + 0.05 + random.below(2000) as f64 / 1000.0];
        let act = match random.below(5) {
            0 | 1 => Action::CarveBelow { area, span_m },
            2 | 3 => Action::FillBelow { area, span_m },
            _ => Action::AddWater { area, amount: Amount::DepthM(0.02) },
        };
        done += u64::from(world.edits().act_for_good(act).is_ok());
        recent.rotate_left(2);
        recent[6] = highest(&world);
        world.run_cycle(step);
        recent[7] = highest(&world);
        let case = format!("seed {seed}, act {number}");
        check_sound(&world, &case, recent.into_iter().fold(0.0, f64::max));
    }
    check_books(&world);
    assert!(done > acts / 2, "seed {seed}: {done} of {acts} done");
}

/// Stage of the highest water, m.
fn highest(world: &World) -> f64 {
    let mut highest = 0.0_f64;
    for at in 0..24 * 24 {
        let place = CellPlace { x: at % 24, y: at / 24 };
        highest = highest.max(world.water().stage_m(place).unwrap_or(0.0));
        for own in world.stacks().intervals_at(place) {
            highest = highest.max(own.bed_m + own.depth_m);
        }
    }
    highest
}

/// Every interval holds what it can, and no head is out of bounds.
fn check_sound(world: &World, case: &str, highest: f64) {
    let mut heads = 0.0_f64;
    for at in 0..24 * 24 {
        let place = CellPlace { x: at % 24, y: at / 24 };
        for own in world.stacks().intervals_at(place) {
            let room = own.ceiling_m - own.bed_m;
            let is_within = own.depth_m >= 0.0 && own.depth_m <= room + 1.0e-9;
            assert!(is_within, "{case}, {place:?}: {own:?}");
            heads = heads.max(own.head_m);
        }
    }
    // What runs may be stopped by a wall: its velocity head comes on top.
    assert!(heads <= 1.5 * highest + 2.0, "{case}: a head of {heads} m over {highest} m");
    assert_eq!(world.water().stored(), world.water().ledger().expected(), "{case}");
}

fn place(x: u32, y: u32) -> CellPlace {
    CellPlace { x, y }
}

fn build(voids: Voids) -> Result<World, WorldError> {
    let terrain = Terrain::from_heights([32, 32], 1.0, |_, _| 5.0).expect("good");
    WorldBuilder::new(terrain).voids(voids).build()
}

/// Goal: intervals that cannot be are refused with the cell and how to mend it. Method: each kind.
#[test]
fn intervals_that_cannot_be_are_named() {
    let of = |spans: &[[f64; 2]]| {
        let mut voids = Voids::new();
        for &span in spans {
            voids.interval(place(3, 4), span);
        }
        build(voids).map(drop)
    };
    let error = |spans: &[[f64; 2]]| match of(spans) {
        Err(WorldError::Stack(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(error(&[[2.0, 1.0]]), StackError::Thin { .. }));
    assert!(matches!(error(&[[1.0, f64::NAN]]), StackError::Thin { .. }));
    assert!(matches!(error(&[[1.0, 1.0 + 1.0e-9]]), StackError::Thin { .. }));
    assert!(matches!(error(&[[1.0, 2.0], [1.5, 3.0]]), StackError::Overlap { .. }));
    assert!(matches!(error(&[[1.0, 2.0], [2.0, 3.0]]), StackError::Overlap { .. }));
    assert!(matches!(error(&[[1.0, 5.5]]), StackError::Ground { .. }));
    let many: Vec<[f64; 2]> =
        (0..70).map(|i| [0.05 * f64::from(i), 0.05 * f64::from(i) + 0.02]).collect();
    let StackError::Count { count: 70, most: 64, cells: 1, .. } = error(&many) else {
        panic!("seventy intervals");
    };
    let mut outside = Voids::new();
    outside.interval(place(40, 2), [1.0, 2.0]);
    let refused = build(outside).expect_err("outside");
    assert!(refused.to_string().contains("40, 2"), "{refused}");
    assert!(of(&[[1.0, 2.0], [2.5, 3.0], [4.0, 5.0]]).is_ok());
    let text = error(&[[1.0, 2.0], [1.5, 3.0]]).to_string();
    assert!(text.contains("cell 3, 4") && text.contains("2 m") && text.contains("1.5 m"), "{text}");
}

/// Goal: acts that would lose water or a roof are refused, and change nothing. Method: a cellar
/// full to its ceiling.
#[test]
fn acts_that_cannot_be_change_nothing() {
    let mut voids = Voids::new();
    voids.carve(place(10, 10), place(14, 14), [1.0, 3.0]);
    let terrain = Terrain::from_heights([32, 32], 1.0, |_, _| 5.0).expect("good");
    let mut world = WorldBuilder::new(terrain)
        .voids(voids)
        .initial_stage_below(|_, _| 3.0)
        .build()
        .expect("good");
    let before = world.state_hash();
    let area = Shape::rectangle([11.0, 11.0], [12.0, 12.0]);
    let fill = Action::FillBelow { area: area.clone(), span_m: [1.0, 2.0] };
    let refused = world.edits().act(fill).expect_err("no room").to_string();
    assert!(refused.contains("1 m³") && refused.contains("11, 11"), "{refused}");
    let lower = Edit::Lower { shape: area.clone(), by_m: 2.5 };
    let refused = world.edits().act(Action::EditTerrain(lower)).expect_err("a roof").to_string();
    assert!(refused.contains("ceiling of an interval"), "{refused}");
    assert_eq!(world.state_hash(), before);
    // A well beside it takes what a fill leaves over.
    let well = Action::CarveBelow {
        area: Shape::rectangle([14.0, 11.0], [15.0, 12.0]),
        span_m: [1.0, 3.0],
    };
    world.edits().act(well).expect("dug");
    let fill = Action::FillBelow { area, span_m: [1.0, 2.0] };
    world.edits().act(fill).expect("room in the well");
    let well = world.stacks().intervals_at(place(14, 11))[0];
    assert!((well.depth_m - 1.0).abs() < 1.0e-6, "{well:?}");
    check_books(&world);
}

/// Goal: a roof that is dug through lets its water down, one that is put in leaves below what fits,
/// both to the unit and with a way back; between them worlds are saved and opened. Method: a full
/// cellar under a pond, opened from above, closed again, and a deck over it.
#[test]
fn roofs_break_and_are_put_in() {
    let mut voids = Voids::new();
    voids.carve(place(10, 10), place(14, 14), [1.0, 3.0]);
    let terrain = Terrain::from_heights([32, 32], 1.0, |_, _| 5.0).expect("good");
    let mut world = WorldBuilder::new(terrain)
        .voids(voids)
        .initial_stage(|_| 5.5)
        .initial_stage_below(|_, _| 3.0)
        .tracer("dye", |place| if place.x < 12 { 1.0 } else { 0.0 })
        .build()
        .expect("good");
    let at = place(11, 11);
    let area = || Shape::rectangle([11.0, 11.0], [12.0, 12.0]);
    let acts = [
        (Action::CarveBelow { area: area(), span_m: [3.0, 5.0] }, vec![], (1.0, 2.5)),
        (Action::FillBelow { area: area(), span_m: [3.0, 4.0] }, vec![(1.0, 3.0, 2.0)], (4.0, 0.5)),
        (
            Action::FillBelow { area: area(), span_m: [6.0, 7.0] },
            vec![(1.0, 3.0, 2.0), (4.0, 6.0, 0.5)],
            (7.0, 0.0),
        ),
        (Action::CarveBelow { area: area(), span_m: [0.0, 9.0] }, vec![], (0.0, 2.5)),
        // Rock upon rock is no roof.
        (Action::FillBelow { area: area(), span_m: [-1.0, 2.0] }, vec![], (2.0, 2.5)),
    ];
    for (act, below, (bed_m, depth_m)) in acts {
        let before = world.state_hash();
        let done = world.edits().act(act.clone()).expect("done");
        world.edits().undo(done.undo).expect("taken back");
        assert_eq!(world.state_hash(), before, "{act:?}");
        world.edits().act(act.clone()).expect("done again");
        let found = world.stacks().intervals_at(at);
        let found: Vec<(f64, f64, f64)> =
            found.iter().map(|own| (own.bed_m, own.ceiling_m, own.depth_m)).collect();
        assert_eq!(found, below, "{act:?}");
        assert_eq!(world.water().depth_m(at), Some(depth_m), "{act:?}");
        assert_eq!(world.bed_m(at), Some(bed_m), "{act:?}");
        check_books(&world);
        assert_eq!(reloaded(&world, Vec::new()).state_hash(), world.state_hash());
        let (dye, all) = (world.water().tracer_stored("dye"), world.water().tracer_ledger("dye"));
        assert_eq!(dye, all.map(|ledger| ledger.expected()), "{act:?}");
    }
    let step = FixedStep::try_new(1, 20).expect("a step");
    for _ in 0..40 {
        world.run_cycle(step);
    }
    check_books(&world);
}

/// Goal: deep water goes below a roof and out again, whatever would not stand on the roof. Method:
/// a full cave of 300 m that is opened and closed again, and a deck over a lake as deep.
#[test]
fn roofs_stand_over_water_deeper_than_the_scale() {
    let bed = |x: usize, _| if x == 0 { -300.0 } else { 10.0 };
    let terrain = Terrain::from_heights([32, 32], 1.0, bed).expect("good");
    let mut voids = Voids::new();
    voids.interval(place(5, 5), [-295.0, 5.0]);
    let mut world = WorldBuilder::new(terrain)
        .voids(voids)
        .initial_stage(|place| if place.x == 0 { 6.0 } else { f64::NAN })
        .initial_stage_below(|_, _| 5.0)
        .build()
        .expect("good");
    let before = world.state_hash();
    let cell = |x: f64, y: f64| Shape::rectangle([x, y], [x + 1.0, y + 1.0]);
    let acts = [
        Action::CarveBelow { area: cell(5.0, 5.0), span_m: [5.0, 10.0] },
        Action::FillBelow { area: cell(0.0, 5.0), span_m: [8.0, 10.0] },
    ];
    for act in acts {
        let done = world.edits().act(act).expect("done");
        world.edits().undo(done.undo).expect("taken back");
        assert_eq!(world.state_hash(), before);
    }
    check_books(&world);
}

/// Goal: a game digs and places voxels of any height, and no crust or slit is left. Method: voxels
/// of 0.3 m, which grounds round, under and at the surface; blocks that cannot be are named.
#[test]
fn voxels_of_any_height_leave_no_crust() {
    let frame = VoxelFrame { low: place(0, 0), size: [32, 32, 20], floor_m: 0.0, voxel_m: 0.3 };
    let grid = VoxelGrid::from_fn(frame, |_, _, z| z < 3).expect("good");
    let mut world = WorldBuilder::new(grid.terrain(1.0).expect("good"))
        .initial_depth(|place| if place.x < 8 { 0.2 } else { 0.0 })
        .build()
        .expect("good");
    let step = FixedStep::try_new(1, 20).expect("a step");
    let at = place(4, 4);
    let ground = world.bed_m(at);
    for round in 0..3 {
        let dig = world.voxels(frame).dig([4, 4, 2], [1; 3]).expect("within");
        world.edits().act(dig).expect("dug");
        assert!(world.stacks().intervals_at(at).is_empty(), "round {round}: a crust");
        assert!((world.bed_m(at).expect("ground") - 0.6).abs() < 1.0e-3, "round {round}");
        for _ in 0..20 {
            world.run_cycle(step);
        }
        assert!(world.voxels(frame).fills([4, 4, 2], [1; 3]).expect("within")[0] > 7);
        let put = world.voxels(frame).place([4, 4, 2], [1; 3]).expect("within");
        world.edits().act(put).expect("placed");
        assert!(world.stacks().intervals_at(at).is_empty(), "round {round}: a slit");
        assert_eq!(world.bed_m(at), ground, "round {round}");
        world.run_cycle(step);
    }
    check_books(&world);
    for (low, size) in [
        ([u32::MAX, 0, 0], [1; 3]),
        ([0, 0, u32::MAX], [1, 1, 2]),
        ([0; 3], [u32::MAX; 3]),
        ([0; 3], [1, 0, 1]),
    ] {
        let refused = world.voxels(frame).fills(low, size).expect_err("beyond").to_string();
        assert!(refused.contains("32 x 32 x 20"), "{refused}");
        assert!(world.voxels(frame).dig(low, size).is_err());
    }
    let endless = VoxelFrame { size: [u32::MAX; 3], ..frame };
    assert!(world.voxels(endless).dig([0; 3], [1; 3]).is_err());
}

/// Goal: a lake runs into a dry shaft beside it, and does not sleep before it has. Method: a shaft
/// of 8 m below the lake's bed, dug while the lake sleeps.
#[test]
fn a_lake_runs_into_a_dry_shaft() {
    for solver in [Solver::Pipe, Solver::ShallowWater] {
        let terrain = Terrain::from_heights([32, 32], 1.0, |x, _| if x < 16 { 0.0 } else { 5.0 })
            .expect("good");
        let mut world = WorldBuilder::new(terrain)
            .solver(solver)
            .initial_stage(|place| if place.x < 16 { 0.5 } else { f64::NAN })
            .build()
            .expect("good");
        let step = FixedStep::try_new(1, 20).expect("a step");
        for _ in 0..60 {
            world.run_cycle(step);
        }
        let area = Shape::rectangle([16.0, 10.0], [18.0, 12.0]);
        world.edits().act(Action::CarveBelow { area, span_m: [-8.0, 2.0] }).expect("dug");
        for _ in 0..400 {
            world.run_cycle(step);
        }
        let shaft = world.stacks().intervals_at(place(17, 10))[0];
        assert!(shaft.depth_m > 5.0, "{solver:?}: {shaft:?}");
        check_books(&world);
    }
}

/// Goal: a world can be saved right after any act, and opens as it is. Method: a tunnel that is
/// full within the band is filled in part, so that the rest takes what is pushed out; to the hash.
#[test]
fn a_world_is_saved_right_after_a_fill() {
    let mut voids = Voids::new();
    voids.carve(place(8, 8), place(20, 10), [0.0, 2.0]);
    voids.carve(place(20, 8), place(21, 9), [0.0, 4.0]);
    let terrain = Terrain::from_heights([32, 32], 1.0, |_, _| 5.0).expect("good");
    let almost = 2.0 - 4.0e-5;
    let mut world = WorldBuilder::new(terrain)
        .voids(voids)
        .tracer("dye", |place| if place.x < 14 { 1.0 } else { 0.0 })
        .initial_stage_below(move |_, _| almost)
        .build()
        .expect("good");
    let step = FixedStep::try_new(1, 20).expect("a step");
    for _ in 0..3 {
        world.run_cycle(step);
    }
    let content = world.state_hash();
    let fill =
        Action::FillBelow { area: Shape::rectangle([9.0, 8.0], [10.0, 9.0]), span_m: [0.0, 1.0] };
    let done = world.edits().act(fill.clone()).expect("room in the shaft");
    assert_eq!(reloaded(&world, Vec::new()).state_hash(), world.state_hash());
    world.edits().undo(done.undo).expect("taken back");
    assert_eq!(world.state_hash(), content);
    // And later, as far as it is still there.
    let done = world.edits().act(fill).expect("room in the shaft");
    world.run_cycle(step);
    world.edits().undo(done.undo).expect("taken back");
    assert_eq!(world.stacks().intervals_at(place(9, 8))[0].bed_m.to_bits(), 0.0_f64.to_bits());
    world.run_cycle(step);
    check_books(&world);
}

/// Goal: leaves around what is dug in a world that adapts are refined, a save on the way opens, and
/// nothing that was dug is lost. Method: a tunnel dug step by step towards coarser leaves.
#[test]
fn digging_towards_coarser_leaves_refines_them() {
    let terrain = Terrain::from_heights([1024, 128], 1.0, |_, _| 5.0).expect("good");
    let mut voids = Voids::new();
    voids.carve(place(10, 10), place(20, 12), [0.0, 2.0]);
    let options = AdaptiveOptions {
        coarsest: 3,
        budget_cells: 4096 * 64,
        leaves_a_cycle: 2,
        ahead_cycles: 2,
        ..Default::default()
    };
    let mut world = WorldBuilder::new(terrain)
        .adaptive(options)
        .voids(voids)
        .initial_stage_below(|_, _| 1.0)
        .build()
        .expect("good");
    let step = FixedStep::try_new(1, 10).expect("a step");
    let (mut west, mut tries) = (20.0, 0);
    while west < 400.0 {
        tries += 1;
        assert!(tries < 2000, "stuck at {west} m");
        let area = Shape::rectangle([west, 10.0], [west + 20.0, 12.0]);
        let act = Action::CarveBelow { area, span_m: [0.0, 2.0] };
        if world.edits().act_for_good(act).is_ok() {
            west += 20.0;
        }
        world.run_cycle(step);
        if tries % 7 == 0 {
            let opened = reloaded(&world, Vec::new());
            assert_eq!(opened.state_hash(), world.state_hash(), "at {west} m");
            world = opened;
        }
        check_books(&world);
    }
    assert_eq!(world.stacks().count(), 2 * 390);
}
