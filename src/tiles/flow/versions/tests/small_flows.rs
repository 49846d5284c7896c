//! Flows too small to count, in every step between flat columns without optional terms.
//!
//! Graphics cards may take a subnormal number for 0, as what goes into a sum or a product and as
//! what comes out, and −0 for 0. A processor can be told to do the same.

use super::*;
use crate::flow::half::HalfStep;
use crate::grid::Axis;
use crate::tile::padded::part;
use crate::units::maths::FLOW_LEAST;

/// Whether the processor takes subnormal numbers for 0, in and out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Subnormals {
    Kept,
    #[cfg(target_arch = "x86_64")]
    Gone,
}

impl Subnormals {
    /// Runs a step with them kept or gone.
    fn run<T>(self, run: impl FnOnce() -> T) -> T {
        match self {
            Self::Kept => run(),
            #[cfg(target_arch = "x86_64")]
            Self::Gone => {
                const GONE: u32 = 1 << 15 | 1 << 6;
                let was = mxcsr::read();
                mxcsr::write(was | GONE);
                let ran = run();
                mxcsr::write(was);
                ran
            }
        }
    }
}

/// The control word of floating-point arithmetic.
#[cfg(target_arch = "x86_64")]
mod mxcsr {
    use std::arch::asm;

    pub fn read() -> u32 {
        let mut word = 0_u32;
        // SAFETY: writes four bytes where there are four.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut word, options(nostack)) };
        word
    }

    pub fn write(word: u32) {
        // SAFETY: a word that `read` gave, or one with the two bits that flush subnormal numbers.
        // The compiler reckons with neither, but reckons nothing of a step ahead: that is behind a
        // pointer to a function.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const word, options(nostack)) };
    }
}

/// A step between flat columns without optional terms: pipe, first and second order.
const STEPS: [usize; 3] = [0, 1, 2];

fn params(order: Order, dt_s: f64) -> StepParams {
    let input = StepInput { terms: Terms::NONE, ..step_input(dt_s) };
    StepParams { order, ..StepParams::new(&input) }
}

/// All bits that a step leaves behind.
#[derive(PartialEq)]
struct Left {
    depth: Vec<i32>,
    /// New discharges, those over the far sides among them.
    flows: [Vec<u32>; 4],
    /// Flows that the step has read: of shallow water, velocities.
    read: Vec<Vec<u32>>,
    summary: (StepSummary, [u32; 2]),
}

impl Left {
    fn of((tile, out, summary): &(Padded, Water, StepSummary)) -> Self {
        let bits = |plane: &[f32]| plane.iter().map(|q| q.to_bits()).collect::<Vec<_>>();
        let sizes = [summary.faces.pace_max, summary.faces.flow_depth_max].map(f32::to_bits);
        let of_tile = index(0, 0)..index(0, 64);
        Self {
            depth: out.depth.to_vec(),
            flows: [&out.flow_x[..], &out.flow_y, &tile.east, &tile.north].map(bits),
            read: vec![bits(&tile.flow_x[of_tile.clone()]), bits(&tile.flow_y[of_tile])],
            summary: (*summary, sizes),
        }
    }
}

/// Steps the middle one of nine tiles, which owns the faces of all its sides.
fn stepped(
    (order, step): (Order, StepFunction),
    tiles: &[(Ground, Water)],
    (seed, dt_s): (u64, f64),
    subnormals: Subnormals,
) -> (Padded, Water, StepSummary) {
    let around = &std::array::from_fn(|i| {
        let (ground, water) = &tiles[i];
        HaloNeighbour::Tile(HaloPatch { ground, water })
    });
    let (mut tile, mut out) = (Padded::new(), Water::dry());
    gather_roughness(&mut tile, around, &[0.0, 0.0009, 0.01]);
    let mut owner = InterfaceFaces::default();
    (owner.owns_east, owner.owns_north) = (true, true);
    let (params, dither) = (&params(order, dt_s), &Dither::new(seed, 0, 640, 128, 77));
    let (interfaces, shown, reach) = (Some(&owner), ShownPlanes::Planes, None);
    let input = TileStep { around, params, dither, interfaces, shown, reach };
    let summary = subnormals.run(|| step(&mut tile, &input, &mut out));
    (tile, out, summary)
}

/// A lake that is all but level, with a few islands and banks of film, and flows about the least
/// that count: of every size from subnormal ones to some thousand times the least, of both signs.
fn still(seed: u64) -> (Ground, Water) {
    let mut state = seed << 32;
    let mut draw = |most: u64| {
        state = scramble(state + 1);
        i32::try_from(state % most).expect("below 2³¹")
    };
    let deep = [1 << 20, 1 << 27, 40, 1][draw(4).unsigned_abs() as usize];
    let shiver = draw(3);
    let mut water = Water::dry();
    let (mut bed, mut classes) = (vec![0; TILE_CELLS], vec![0; TILE_CELLS]);
    for cell in 0..TILE_CELLS {
        let is_bank = draw(12) == 0;
        bed[cell] = if is_bank { deep + draw(3) - 2 } else { 0 };
        water.depth[cell] = (deep - bed[cell]).max(0) + if draw(4) == 0 { shiver } else { 0 };
        classes[cell] = u8::try_from(draw(3)).expect("three classes");
        let mut flow = || {
            let (mantissa, sign) = (draw(1 << 23).unsigned_abs(), draw(2).unsigned_abs() << 31);
            // Velocities about the least come from discharges of that times the depth.
            let exponent = match draw(8) {
                0 => 0,
                1 => draw(40),
                2 => 40 + draw(47),
                3..6 => 86 + draw(4),
                _ => 77 + draw(30),
            };
            let mantissa = if draw(2) == 0 { mantissa & 3 } else { mantissa };
            f32::from_bits(sign | exponent.unsigned_abs() << 23 | mantissa)
        };
        (water.flow_x[cell], water.flow_y[cell]) = (flow(), flow());
    }
    (Ground { roughness: Some(classes.into()), ..Ground::flat(bed.into()) }, water)
}

/// Nine tiles: wild ones, or still lakes.
fn nine(seed: u64) -> Vec<(Ground, Water)> {
    let tile = |i| if seed.is_multiple_of(6) { wild(9 * seed + i) } else { still(9 * seed + i) };
    (0..9).map(tile).collect()
}

/// Goal: a card that takes subnormal numbers for 0 computes the same bits. Method: wild tiles and
/// still lakes with flows about the least that count, by a processor that does the same.
#[cfg(target_arch = "x86_64")]
#[test]
fn subnormal_numbers_change_no_bit() {
    for seed in 0..60 {
        let tiles = nine(seed);
        for (version, which) in versions().iter().flat_map(|v| STEPS.map(|which| (v, which))) {
            let (name, order, step) = steps(version, false)[which];
            for dt_s in [1.0e-3, 0.3, 5.0] {
                let run = |how| Left::of(&stepped((order, step), &tiles, (seed, dt_s), how));
                let case = format!("{}, {name}, seed {seed}, Δt {dt_s}", version.name);
                assert!(run(Subnormals::Kept) == run(Subnormals::Gone), "{case}");
            }
        }
    }
}

/// Goal: what does not count is none, and no zero has a sign. Method: tiles in which flows below
/// the least are 0, and the same with numbers of all sizes below, subnormal ones and −0 there.
#[test]
fn flows_too_small_to_count_are_none() {
    const SMALL: [f32; 8] =
        [-0.0, 1.0e-45, -1.0e-39, 1.0e-38, -1.0e-30, 1.0e-30, -1.0e-25, 1.0e-20];
    for seed in 0..30 {
        let (mut tiles, mut small) = (nine(seed), nine(seed));
        let water = |tile: &mut (Ground, Water), cell: usize, with: f32| {
            for flow in [&mut tile.1.flow_x[cell], &mut tile.1.flow_y[cell]] {
                // A third of those that count as well.
                let is_gone = flow.abs() < FLOW_LEAST || cell.is_multiple_of(3);
                *flow = if is_gone { with } else { *flow };
            }
        };
        for (tile, cell) in (0..9).flat_map(|tile| (0..TILE_CELLS).map(move |cell| (tile, cell))) {
            let drawn = scramble(seed << 32 ^ cell as u64) % SMALL.len() as u64;
            water(&mut tiles[tile], cell, 0.0);
            water(&mut small[tile], cell, SMALL[usize::try_from(drawn).expect("few")]);
        }
        for (version, which) in versions().iter().flat_map(|v| STEPS.map(|which| (v, which))) {
            let (name, order, step) = steps(version, false)[which];
            let run = |tiles: &[_]| {
                let ran = stepped((order, step), tiles, (seed, 0.3), Subnormals::Kept);
                let mut left = Left::of(&ran);
                // The pipe reads discharges as they are, and makes none of its own of them.
                left.read.retain(|_| name != "pipe");
                left
            };
            assert!(run(&small) == run(&tiles), "{}, {name}, seed {seed}", version.name);
        }
    }
}

/// Goal: all velocities that momentum is made of count, or are none. Method: those read and those
/// half a step on, in wild tiles and in lakes with flows about the least that count.
#[test]
fn no_velocity_is_too_small_to_count() {
    let (mut count, mut none) = (0, 0);
    for (seed, which) in (0..30).flat_map(|seed| [1, 2].map(|which| (seed, which))) {
        let (name, order, step) = steps(&versions()[0], false)[which];
        let ran = stepped((order, step), &nine(seed), (seed, 0.3), Subnormals::Kept);
        let (tile, params) = (ran.0, params(order, 0.3));
        for (axis, row) in Axis::ALL.into_iter().flat_map(|axis| (0..64).map(move |y| (axis, y))) {
            let mut half = HalfStep::NONE;
            half.fill::<false, false>(&tile, axis, (row, WaterReach::EVERYWHERE.row(row)), &params);
            let read = [&tile.flow_x, &tile.flow_y][axis];
            for &u in half.value.iter().chain(part::<_, TILE_WIDTH>(read, 0, row)) {
                let is_none = u.to_bits() == 0;
                assert!(is_none || u.abs() >= FLOW_LEAST, "{name}, seed {seed}, row {row}: {u:e}");
                (count, none) = (count + u32::from(!is_none), none + u32::from(is_none));
            }
        }
    }
    assert!(count > 0 && none > 0, "{count} count, {none} do not");
}

/// Goal: no step stores a flow that is subnormal, nearly so, or −0. Method: lakes that settle,
/// from waves and from flows about the least that count, alone in the world.
#[test]
fn settling_lakes_keep_no_flow_below_the_least() {
    let steps_of_one = if option_env!("THALWEG_FULL").is_none() { 100 } else { 1000 };
    let (name_of, version) = (|which: usize| steps(&versions()[0], false)[which].0, versions());
    let version = version.last().expect("one");
    for (seed, which) in (0..6).flat_map(|seed| STEPS.map(|which| (seed, which))) {
        let (_, order, step) = steps(version, false)[which];
        let params = &params(order, if seed % 2 == 0 { 5.0 } else { 0.2 });
        let (ground, mut water) = still(seed);
        if seed % 3 == 0 {
            let wave = |cell: usize| i32::try_from(cell % TILE_WIDTH).expect("64") * 300;
            (0..TILE_CELLS).for_each(|cell| water.depth[cell] += wave(cell));
        }
        let (mut settled, mut moving) = (0, 0);
        for tick in 0..steps_of_one {
            let mut around = [HaloNeighbour::Outside; 9];
            around[4] = HaloNeighbour::Tile(HaloPatch { ground: &ground, water: &water });
            let dither = &Dither::new(seed, 0, 640, 128, tick);
            let (mut tile, mut out) = (Padded::new(), Water::dry());
            gather_roughness(&mut tile, &around, &[0.0, 0.0009, 0.01]);
            let (interfaces, shown, reach) = (None, ShownPlanes::Planes, None);
            let around = &around;
            let input = TileStep { around, params, dither, interfaces, shown, reach };
            step(&mut tile, &input, &mut out);
            for &q in out.flow_x.iter().chain(&*out.flow_y) {
                let is_none = q.to_bits() == 0;
                let case = format!("{}, seed {seed}, step {tick}", name_of(which));
                assert!(is_none || q.abs() >= STORED_LEAST, "{case}: {q:e}");
                settled += u32::from(is_none);
                moving += u32::from(!is_none);
            }
            water = out;
        }
        assert!(settled > 0 && moving > 0, "{}, seed {seed}", name_of(which));
    }
}

/// Part of the least flow that damping may leave.
const STORED_LEAST: f32 = FLOW_LEAST / 16.0;
