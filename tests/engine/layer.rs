//! Layers for the eye: nothing is lost, nothing passes a wall.

use crate::support::{THREADS, on_threads, reloaded, scale, shrunk, terrain};
use thalweg::units::SimTime;
use thalweg::world::{Barrier, ColumnKind, MOVES_MOST, VisualLayer, World, WorldBuilder};
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;

const WIDTH: u32 = 150;
const HEIGHT: u32 = 140;

/// Columns of the wall that cuts the town in two, from south to north.
const WALL: [u32; 2] = [100, 101];

fn is_building(x: u32, y: u32) -> bool {
    x > 30 && x < 95 && x % 12 < 7 && y % 10 < 6
}

/// A street grid that a wave from the west floods; east of the wall stands still water.
fn town() -> World {
    let size = (WIDTH as usize, HEIGHT as usize);
    let ground = terrain(size.0, size.1, 2.0, scale(20, 0.0), |x, y| {
        let [x, y] = [x, y].map(|i| u32::try_from(i).expect("small"));
        if WALL.contains(&x) || is_building(x, y) { 10.0 } else { 0.0 }
    });
    WorldBuilder::new(ground)
        .initial_depth(|p| match p.x {
            0..25 => 6.0,
            x if x > WALL[1] => 1.0,
            x if is_building(x, p.y) || WALL.contains(&x) => 0.0,
            _ => 0.1,
        })
        .build()
        .expect("a good world")
}

fn cells() -> impl Iterator<Item = CellPlace> {
    (0..HEIGHT).flat_map(|y| (0..WIDTH).map(move |x| CellPlace { x, y }))
}

/// Foam all over the western half, carried through the flood in long frames; and in how many moves
/// the frames were cut.
fn flood() -> (World, VisualLayer, u32) {
    let mut world = town();
    let mut foam = VisualLayer::new(&world);
    for place in cells().filter(|p| p.x < 30) {
        foam.add(&world, place, 0.3 + f64::from(place.y)).expect("inside");
    }
    let mut moves = 0;
    for _ in 0..shrunk(30, 8) {
        let frame = SimTime::from_seconds(2.0);
        world.run_until(world.time().after(frame.ticks()));
        moves += foam.advance(&world, frame).expect("its world").moves;
    }
    (world, foam, moves)
}

/// Goal: content is exact to the unit with shifts of three cells in a flooded town; nothing gets
/// behind its wall or into its houses.
/// Method: sums of amounts, which are multiples of 2⁻²⁴ and so exact.
#[test]
fn foam_in_a_flooded_town_is_exact_and_stays_on_its_side_of_the_wall() {
    let (_, foam, moves) = flood();
    let frames = u32::try_from(shrunk(30, 8)).expect("small");
    assert!(moves > 2 * frames, "{moves} moves: the flood is faster than 3 cells a frame");
    // Whole multiples of 2⁻²⁴, so that sums are exact.
    let units = |amount: f64| (amount * 16_777_216.0).round();
    let added: f64 = cells().filter(|p| p.x < 30).map(|p| units(0.3 + f64::from(p.y))).sum();
    let sum = |part: fn(&CellPlace) -> bool| -> f64 {
        cells().filter(part).map(|p| units(foam.at(p))).sum()
    };
    assert_eq!([sum(|_| true), units(foam.total())].map(f64::to_bits), [added.to_bits(); 2]);
    assert!(sum(|p| p.x >= WALL[0]) == 0.0, "behind the wall");
    assert!(sum(|p| is_building(p.x, p.y)) == 0.0, "in the houses");
    assert!(sum(|p| p.x > 50 && p.x < WALL[0]) > 0.05 * added, "the flood takes it into town");
}

#[test]
fn threads_do_not_change_a_bit_of_a_layer() {
    let amounts = THREADS.iter().map(|&threads| {
        let (world, foam, moves) = on_threads(threads, flood);
        let bits: Vec<u64> = cells().map(|p| foam.at(p).to_bits()).collect();
        (world.state_hash(), moves, bits)
    });
    let amounts: Vec<_> = amounts.collect();
    assert!(amounts.iter().all(|found| *found == amounts[0]));
}

/// Goal: one advance takes a bounded time however long its span is, says what is left of it, and
/// loses nothing.
#[test]
fn a_span_of_years_moves_a_bounded_number_of_times_and_says_what_is_left() {
    let (world, mut foam, _) = flood();
    let (before, year) = (foam.total(), SimTime::from_seconds(3.2e7));
    let done = foam.advance(&world, year).expect("its world");
    assert_eq!(done.moves, MOVES_MOST);
    assert!(done.left > SimTime::ZERO && done.left < year, "{done:?}");
    let again = foam.advance(&world, done.left).expect("its world");
    assert!(again.left < done.left && again.moves == MOVES_MOST, "{again:?}");
    let moved_s = [year.since(done.left), done.left.since(again.left)]
        .map(|ticks| SimTime::from_ticks(ticks).seconds());
    assert!((moved_s[0] / moved_s[1] - 1.0).abs() < 1e-3, "{moved_s:?}");
    assert_eq!(foam.total().to_bits(), before.to_bits());
    // What fits is done at once, in as few moves as before.
    let short = foam.advance(&world, SimTime::from_seconds(2.0)).expect("its world");
    assert!(short.moves < 100 && short.left == SimTime::ZERO, "{short:?}");
}

#[test]
fn amounts_that_do_not_fit_are_refused() {
    let world = town();
    let mut foam = VisualLayer::new(&world);
    let place = CellPlace { x: 3, y: 3 };
    for amount in [-1.0, f64::NAN, f64::INFINITY, 3.0e11] {
        let error = foam.add(&world, place, amount).expect_err("a bad amount").to_string();
        assert_eq!(error, format!("an amount of {amount} does not fit: choose 0 to 274877906944"));
    }
    let error = foam.add(&world, CellPlace { x: 999, y: 3 }, 1.0).expect_err("outside");
    assert_eq!(error.to_string(), "cell 999, 3 is outside the world: choose a place on its ground");
    assert!(foam.total() == 0.0);
}

/// Goal: a layer goes on over a world that was loaded from its file; on a world where it cannot lie
/// it is refused, with its reason, and stays as it was. Method: worlds of other cells, of a hole
/// where content lies, and one that ends before it, on leaves of one level and of another.
#[test]
fn a_layer_on_a_world_where_it_cannot_lie_is_refused() {
    let map = |width, bed_m: fn(usize, usize) -> f64| {
        WorldBuilder::new(terrain(width, 130, 2.0, scale(20, 0.0), bed_m))
    };
    let pond = |builder: WorldBuilder| builder.initial_depth(|_| 1.0).build().expect("good");
    let hole = |x, y| if (x, y) == (140, 3) { f64::NAN } else { 0.0 };
    let world = pond(map(150, |_, _| 0.0));
    let (place, span) = (CellPlace { x: 140, y: 3 }, SimTime::from_seconds(1.0));
    let mut foam = VisualLayer::new(&world);
    foam.add(&world, place, 2.0).expect("inside");
    let held = |foam: &VisualLayer| [foam.total(), foam.at(place)].map(f64::to_bits);
    let coarse = |builder: WorldBuilder| {
        let leaves = (0..4).map(|i| TileKey { level: 1, x: i % 2, y: i / 2 });
        builder.columns(ColumnKind::SubGrid).leaves(leaves.collect())
    };
    let whole = |_, _| 0.0;
    for (other, says) in [
        (pond(map(150, whole).level(1)), "finest leaves are of level 0, and those of this one"),
        (pond(map(150, hole)), "content in cell 140, 3 of level 0, where this world has no ground"),
        (pond(map(64, whole)), "content in cell 140, 3 of level 0, where this world has no ground"),
    ] {
        let line = foam.advance(&other, span).expect_err("another world").to_string();
        assert!(line.contains(says) && line.contains("make a layer for this world"), "{line}");
        let line = foam.add(&other, CellPlace { x: 2, y: 2 }, 1.0).expect_err("other").to_string();
        assert!(line.contains(says), "{line}");
        assert_eq!(held(&foam), [2.0, 2.0].map(f64::to_bits), "it stays as it was");
    }
    // Coarse cells over the hole: the quarter without ground is no place for what lies there.
    let leaves = pond(coarse(map(160, hole)));
    let _ = foam.advance(&leaves, span).expect("a coarse cell with ground");
    assert_eq!(held(&foam), [2.0, 0.5].map(f64::to_bits));
    let _ = foam.advance(&reloaded(&world, Vec::new()), span).expect("its world, loaded");
    assert_eq!(held(&foam), [2.0, 0.5].map(f64::to_bits));
}

/// Goal: nothing passes a levee, at any angle; what spills over its crest takes foam along.
/// Method: 3 m of water on one side of a line on level ground. Behind a high one all stays dry, so
/// content in a dry cell has leaked.
#[test]
fn foam_stops_at_a_levee_and_goes_over_it_with_the_water() {
    let lines = [[[75.0, 0.0], [75.0, 150.0]], [[0.0, 52.1], [150.0, 97.9]]];
    let cases = lines.into_iter().flat_map(|line| [(line, 10.0), (line, 1.0)]);
    for (line, crest_m) in cases.step_by(if crate::QUICK { 3 } else { 1 }) {
        let [[a, b], [c, d]] = line;
        let side = move |p: CellPlace| {
            let (x, y) = (f64::from(p.x) + 0.5, f64::from(p.y) + 0.5);
            (c - a) * (y - b) - (d - b) * (x - a)
        };
        let ground = terrain(150, 150, 1.0, scale(20, 0.0), |_, _| 0.0);
        let mut world = WorldBuilder::new(ground)
            .initial_depth(move |p| if side(p) > 1.0 { 3.0 } else { 0.0 })
            .initial_velocity(move |p| if side(p) > 1.0 { (2.0, -2.0) } else { (0.0, 0.0) })
            .barrier(Barrier::wall("levee", line.to_vec(), crest_m))
            .build()
            .expect("a good world");
        let mut foam = VisualLayer::new(&world);
        let all = || (0..150).flat_map(|y| (0..150).map(move |x| CellPlace { x, y }));
        for place in all().filter(|&p| side(p) > 1.0) {
            foam.add(&world, place, 1.0).expect("inside");
        }
        let added = foam.total();
        for _ in 0..20 {
            world.run_until(world.time().after(SimTime::from_seconds(0.5).ticks()));
            assert!(foam.advance(&world, SimTime::from_seconds(0.5)).expect("its world").moves > 0);
        }
        let sum = |is_part: &dyn Fn(CellPlace) -> bool| -> f64 {
            all().filter(|&p| is_part(p)).map(|p| foam.at(p)).sum()
        };
        assert_eq!(sum(&|_| true).to_bits(), added.to_bits());
        let beyond = sum(&|p| side(p) < -1.0);
        if crest_m > 5.0 {
            assert!(beyond == 0.0, "{line:?}: {beyond} behind the levee");
            let dry = sum(&|p| world.water().depth_m(p) == Some(0.0));
            assert!(dry == 0.0, "{line:?}: {dry} in dry cells");
        } else {
            assert!(beyond > 0.01 * added, "{line:?}: {beyond} of {added} over the crest");
        }
    }
}
