//! Heads of full intervals, and of open water that runs into them: nothing makes head of nothing.

use thalweg::terrain::Terrain;
use thalweg::world::{CellPlace, IntervalView, Voids, World, WorldBuilder};
use thalweg_engine::sim::{Settings, Solver};

use crate::stacks::{awake, step};
use crate::support::{check_books, depth};

const GRAVITY: f64 = 9.81;

fn place(x: u32, y: u32) -> CellPlace {
    CellPlace { x, y }
}

fn own(world: &World, x: u32, y: u32) -> IntervalView {
    world.stacks().intervals_at(place(x, y))[0]
}

fn smooth(solver: Solver) -> Settings {
    Settings { manning_n: vec![0.005], ..awake(solver) }
}

/// Goal: two streams that meet and turn into one bring no more head than they have. Method: arms
/// from two lakes in the west and east, full, meet head on and leave to a third in the north; the
/// head that is left behind the place where they meet, with twice the velocity.
#[test]
fn streams_that_meet_make_no_head() {
    let is_lake = |x: usize, y: usize| y >= 20 || y < 18 && !(12..29).contains(&x);
    let ground = move |x: usize, y: usize| if is_lake(x, y) { -1.0 } else { 10.0 };
    let terrain = Terrain::from_heights([41, 32], 1.0, ground).expect("a hill");
    let mut voids = Voids::new();
    voids.carve(place(12, 8), place(29, 9), [0.0, 1.0]);
    voids.carve(place(20, 8), place(21, 20), [0.0, 1.0]);
    let stage = |place: CellPlace| if place.y < 20 { 4.0 } else { 2.0 };
    let builder = WorldBuilder::new(terrain).settings(smooth(Solver::Pipe)).voids(voids);
    let builder = builder.initial_stage(stage).initial_stage_below(|_, _| 2.0);
    let mut world = builder.build().expect("a good world");
    let (mut dropped, mut needed) = (0.0, 0.0);
    for cycle in 0..400 {
        world.run_cycle(step());
        if cycle >= 200 {
            let (before, behind) = (own(&world, 18, 8), own(&world, 20, 10));
            let [u, v] = [before.flow_m2_s[0], behind.flow_m2_s[1]];
            dropped += before.head_m - behind.head_m;
            needed += (v * v - u * u) / (2.0 * GRAVITY);
        }
    }
    check_books(&world);
    assert!(needed / 200.0 > 0.2, "they run: {} m", needed / 200.0);
    assert!(dropped > 0.95 * needed, "{} m of {} m", dropped / 200.0, needed / 200.0);
}

/// Goal: heads of a full tunnel are steady while water runs through it, however its transfers are
/// rounded. Method: the largest change of a head from step to step, after a minute.
#[test]
fn heads_of_a_full_tunnel_are_steady() {
    let ground = |x: usize| if (20..84).contains(&x) { 10.0 } else { 0.0 };
    let terrain = Terrain::from_heights([104, 8], 1.0, |x, _| ground(x)).expect("a hill");
    let mut voids = Voids::new();
    voids.carve(place(20, 4), place(84, 5), [0.0, 1.0]);
    let stage = |place: CellPlace| if place.x < 52 { 4.0 } else { 3.5 };
    let builder = WorldBuilder::new(terrain).settings(awake(Solver::Pipe)).voids(voids);
    let builder = builder.initial_stage(stage).initial_stage_below(|_, _| 3.5);
    let mut world = builder.build().expect("a good world");
    let heads = |world: &World| (20..84).map(|x| own(world, x, 4).head_m).collect::<Vec<_>>();
    for _ in 0..1200 {
        world.run_cycle(step());
    }
    let mut most_m = 0.0_f64;
    let mut before = heads(&world);
    for _ in 0..200 {
        world.run_cycle(step());
        let now = heads(&world);
        most_m = before.iter().zip(&now).map(|(a, b)| (a - b).abs()).fold(most_m, f64::max);
        before = now;
    }
    assert!(own(&world, 50, 4).flow_m2_s[0] > 0.1, "it flows");
    assert!(most_m < 0.02, "{most_m} m in a step");
}

/// Goal: a deck that water does not reach changes nothing. Method: shallow water that runs from one
/// half of a channel into the other, with a deck high over its middle and without: stages of open
/// cells.
#[test]
fn a_deck_above_the_water_changes_no_stage() {
    let world = |has_deck: bool| {
        let ground = |x: usize| if has_deck && (40..50).contains(&x) { 6.0 } else { 0.0 };
        let terrain = Terrain::from_heights([96, 8], 1.0, |x, _| ground(x)).expect("a channel");
        let mut voids = Voids::new();
        if has_deck {
            voids.carve(place(40, 0), place(50, 8), [0.0, 5.0]);
        }
        let stage = |place: CellPlace| if place.x < 40 { 2.0 } else { 1.6 };
        let dry = move |place: CellPlace| match stage(place) {
            _ if has_deck && (40..50).contains(&place.x) => f64::NAN,
            stage => stage,
        };
        let settings = Settings { manning_n: vec![0.03], ..awake(Solver::ShallowWater) };
        let builder = WorldBuilder::new(terrain).settings(settings).voids(voids);
        let builder = builder.initial_stage(dry).initial_stage_below(|_, _| 1.6);
        builder.build().expect("a good world")
    };
    let [mut open, mut below] = [world(false), world(true)];
    // Behind the waves that run away from the middle.
    let mean =
        |world: &World, from: u32| (from..from + 8).map(|x| depth(world, x, 4)).sum::<f64>() / 8.0;
    let mut off_m = [0.0; 2];
    for cycle in 0..360 {
        open.run_cycle(step());
        below.run_cycle(step());
        for (off_m, from) in off_m.iter_mut().zip([31, 51]).filter(|_| cycle >= 240) {
            *off_m += (mean(&below, from) - mean(&open, from)) / 120.0;
        }
    }
    check_books(&below);
    assert!(off_m.iter().all(|off_m| off_m.abs() < 0.01), "{off_m:?} m");
}
