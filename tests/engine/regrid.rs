//! Finer and coarser tiles hold the same water, to the unit.
use crate::support::{fractal, shrunk};
use thalweg::units::{CEILING, OUTSIDE, Volume};
use thalweg_engine::grid::blocks::{blocks, four_of};
use thalweg_engine::grid::{TILE_CELLS, TILE_WIDTH};
use thalweg_engine::tile::carry::finest_cells;
use thalweg_engine::tile::coarsen::coarsen;
use thalweg_engine::tile::planes::ONE;
use thalweg_engine::tile::refine::refine;
use thalweg_engine::tile::{Carry, Ground, Holding, Water};
use thalweg_engine::units::hash::scramble;

/// Draws of one seed.
struct Draws(u64);

impl Draws {
    /// From 0 to `most`, all magnitudes about as often.
    fn to(&mut self, most: i64) -> i64 {
        self.0 = scramble(self.0.wrapping_add(0x9e37_79b9_7f4a_7c15));
        let range = most.min((1 << (self.0 % 32)) - 1) + 1;
        i64::try_from((self.0 >> 32) % range.cast_unsigned()).expect("32 bits")
    }

    fn depth(&mut self, most: i32) -> i32 {
        i32::try_from(self.to(most.into())).expect("an i32")
    }
}

/// A leaf with all that it holds.
#[derive(Clone)]
struct Leaf {
    level: u8,
    ground: Ground,
    water: Water,
    carry: Carry,
}

impl Leaf {
    fn dry(level: u8, bed: Vec<i32>, tracers: usize) -> Self {
        let ground = Ground::flat(bed.into());
        Self { level, ground, water: Water::dry_with(tracers), carry: Carry::none(tracers) }
    }

    fn holding(&self) -> Holding<'_> {
        Holding { ground: &self.ground, water: &self.water, carry: &self.carry }
    }

    /// Volume and content of the first tracer in finest cells.
    fn stored(&self) -> [Volume; 2] {
        let cells = Volume::from(finest_cells(self.level));
        let depth: Volume = self.water.depth.iter().map(|&h| Volume::from(h)).sum();
        let content: Volume = self.water.contents[0].iter().map(|&c| Volume::from(c)).sum();
        [depth * cells + Volume::from(self.carry.water), content * cells + self.carry.contents[0]]
    }

    /// Depths within 0 and the ceiling, concentrations within 0 and 1, the carry within its bound.
    #[track_caller]
    fn check(&self, place: &str) {
        for cell in 0..TILE_CELLS {
            let (depth, content) = (self.water.depth[cell], self.water.contents[0][cell]);
            let most =
                if self.ground.is_inside(cell) { CEILING - self.ground.bed[cell] } else { 0 };
            assert!((0..=most).contains(&depth), "{place}, cell {cell}: depth {depth}");
            let full = ONE * i64::from(depth);
            assert!((0..=full).contains(&content), "{place}, cell {cell}: {content} in {depth}");
        }
        let is_dry = self.water.depth.iter().all(|&h| h == 0);
        let most = if is_dry { finest_cells(self.level) - 1 } else { Carry::most(self.level) };
        let carried = self.carry.water;
        assert!(carried <= most && (is_dry || carried >= -most), "{place}: carries {carried}");
    }
}

fn sum(leaves: &[Leaf]) -> [Volume; 2] {
    leaves.iter().fold([0; 2], |sum, leaf| {
        let [volume, content] = leaf.stored();
        [sum[0] + volume, sum[1] + content]
    })
}

/// The ground above four tiles: their beds' means, rounded half up.
fn coarse_bed(fine: &[Leaf]) -> Vec<i32> {
    let mut bed = vec![OUTSIDE; TILE_CELLS];
    for (quadrant, leaf) in fine.iter().enumerate() {
        for (cell, four) in blocks(quadrant) {
            let beds = four_of(&leaf.ground.bed, four).map(i64::from);
            let mean = (beds.iter().sum::<i64>() + 2).div_euclid(4);
            bed[cell] = i32::try_from(mean).expect("a mean");
        }
    }
    bed
}

fn merged(fine: &[Leaf]) -> Leaf {
    let ground = Ground::flat(coarse_bed(fine).into());
    let level = fine[0].level + 1;
    let quarters = std::array::from_fn(|i| Some(fine[i].holding()));
    let (water, carry) = coarsen(&quarters, &ground, level);
    Leaf { level, ground, water, carry }
}

/// Refines a leaf onto the grounds of four.
fn split(coarse: &Leaf, fine: &mut [Leaf]) {
    for (quadrant, leaf) in fine.iter_mut().enumerate() {
        (leaf.water, leaf.carry) = refine(&coarse.holding(), quadrant, &leaf.ground, leaf.level);
    }
}

/// Four tiles of any beds and depths, lakes among them, some cells outside, with any carries.
fn wild(seed: u64, level: u8) -> Vec<Leaf> {
    let mut draws = Draws(seed);
    let highest = CEILING - 1;
    let span = draws.depth(highest);
    let middle = draws.depth(highest) - draws.depth(highest);
    let mut leaves = vec![Leaf::dry(level, vec![OUTSIDE; TILE_CELLS], 1); 4];
    for (quadrant, leaf) in leaves.iter_mut().enumerate() {
        for (_, four) in blocks(quadrant) {
            let is_outside = draws.to(7) == 7;
            let mut top = -CEILING;
            for at in four.into_iter().filter(|_| !is_outside) {
                let bed = i64::from(middle) + draws.to(span.into()) - draws.to(span.into());
                let bed = bed.clamp(i64::from(-highest), highest.into());
                leaf.ground.bed[at] = i32::try_from(bed).expect("clamped");
                top = top.max(leaf.ground.bed[at]);
            }
            let is_lake = draws.to(2) == 2;
            let stage = CEILING - draws.depth(CEILING - top.max(-highest));
            for at in four.into_iter().filter(|_| !is_outside) {
                let room = CEILING - leaf.ground.bed[at];
                let lake = (stage - leaf.ground.bed[at]).max(0);
                let depth = if is_lake { lake } else { draws.depth(room) };
                let most = ONE * i64::from(depth);
                leaf.water.depth[at] = depth;
                leaf.water.contents[0][at] = draws.to(ONE) * i64::from(depth) + draws.to(most);
                leaf.water.contents[0][at] = leaf.water.contents[0][at].min(most);
            }
        }
        let most = 4 * Carry::most(level);
        leaf.carry.water = draws.to(most) - draws.to(most);
        leaf.carry.contents[0] = Volume::from(ONE) * Volume::from(draws.to(most) - draws.to(most));
    }
    leaves
}

/// Goal: volume and content are exact and bounds hold, whatever comes.
/// Method: 25 seeds of 4096 coarse cells, beds and stages of all magnitudes up to the ceiling,
/// carries beyond their bound; coarser, finer, coarser again.
#[test]
fn a_hundred_thousand_cells_hold_to_the_unit() {
    for seed in 0..25 {
        let level = u8::try_from(seed % 8).expect("small");
        let mut fine = wild(seed, level);
        let before = sum(&fine);
        let coarse = merged(&fine);
        coarse.check(&format!("seed {seed}, coarse"));
        assert_eq!(coarse.stored(), before, "seed {seed}, coarse");
        split(&coarse, &mut fine);
        fine.iter().for_each(|leaf| leaf.check(&format!("seed {seed}, fine")));
        assert_eq!(sum(&fine), before, "seed {seed}, fine");
        let again = merged(&fine);
        again.check(&format!("seed {seed}, again"));
        assert_eq!(again.stored(), before, "seed {seed}, again");
    }
}

#[test]
fn a_quarter_without_ground_needs_no_tile() {
    let mut fine = wild(3, 1);
    fine[2] = Leaf::dry(1, vec![OUTSIDE; TILE_CELLS], 1);
    let whole = merged(&fine);
    let quarters = std::array::from_fn(|i| (i != 2).then(|| fine[i].holding()));
    let (water, carry) = coarsen(&quarters, &whole.ground, 2);
    assert!(water == whole.water && carry == whole.carry);
    assert_eq!(whole.carry.share(2, &whole.ground, &water.depth), Carry::none(1));
}

#[test]
fn dry_tiles_stay_dry() {
    for seed in 0..4 {
        let mut fine = wild(seed, 2);
        for leaf in &mut fine {
            (leaf.water, leaf.carry) = (Water::dry_with(1), Carry::none(1));
        }
        let coarse = merged(&fine);
        assert_eq!((&coarse.water, &coarse.carry), (&Water::dry_with(1), &Carry::none(1)));
        split(&coarse, &mut fine);
        assert!(fine.iter().all(|leaf| leaf.water == coarse.water && leaf.carry == coarse.carry));
    }
}

/// `count` × `count` tiles of level 0 under a lake, over beds that differ from cell to cell, with a
/// tracer of one concentration, in the order in which four merge.
fn lake(count: u32, concentration: i64) -> Vec<Leaf> {
    let mut leaves = Vec::new();
    for tile in 0..count * count {
        let (mut x, mut y) = (0, 0);
        for bit in 0..8 {
            x |= (tile >> (2 * bit) & 1) << bit;
            y |= (tile >> (2 * bit + 1) & 1) << bit;
        }
        let place = |i: usize| {
            (f64::from(x) * 64.0 + (i % 64) as f64, f64::from(y) * 64.0 + (i / 64) as f64)
        };
        #[expect(clippy::cast_possible_truncation, reason = "a bed of a test")]
        let bed = |i: usize| (fractal(7, place(i).0, place(i).1) * 3.0e6) as i32 - 4_000_000;
        let mut leaf = Leaf::dry(0, (0..TILE_CELLS).map(bed).collect(), 1);
        for cell in 0..TILE_CELLS {
            leaf.water.depth[cell] = 123_457 - leaf.ground.bed[cell];
            leaf.water.contents[0][cell] = concentration * i64::from(leaf.water.depth[cell]);
        }
        leaves.push(leaf);
    }
    leaves
}

#[test]
fn a_lake_comes_back_to_the_bit_a_hundred_times() {
    let concentration = 5_000_011;
    let start = lake(2, concentration);
    let mut fine = start.clone();
    for cycle in 0..100 {
        let coarse = merged(&fine);
        let carried = coarse.carry.clone();
        split(&coarse, &mut fine);
        for (leaf, before) in fine.iter().zip(&start) {
            assert!(leaf.water == before.water, "cycle {cycle}");
            let expected = Volume::from(concentration) * Volume::from(leaf.carry.water);
            assert_eq!(leaf.carry.contents[0], expected, "cycle {cycle}");
        }
        assert_eq!(merged(&fine).carry, carried, "cycle {cycle}");
    }
    assert_eq!(sum(&fine), sum(&start));
}

/// Goal: a lake keeps its stage over levels too, up and all the way down.
/// Method: 16 × 16 tiles to one of level 4 and back, three times; the carry stays far within.
#[test]
fn shares_keep_a_lake_still() {
    let start = lake(u32::try_from(shrunk(16, 8)).expect("small"), ONE);
    let mut levels = vec![start.clone()];
    let mut largest = 0.0_f64;
    for cycle in 0..3 {
        while levels[levels.len() - 1].len() > 1 {
            levels.push(levels[levels.len() - 1].chunks(4).map(merged).collect());
        }
        while levels.len() > 1 {
            let coarse = levels.pop().expect("two levels");
            let fine = levels.last_mut().expect("one level");
            coarse.iter().zip(fine.chunks_mut(4)).for_each(|(coarse, fine)| split(coarse, fine));
            for leaf in fine.iter() {
                let most = Carry::most(leaf.level);
                largest = largest.max(leaf.carry.water.abs() as f64 / most as f64);
            }
        }
        let is_still = levels[0].iter().zip(&start).all(|(leaf, old)| leaf.water == old.water);
        assert!(is_still, "cycle {cycle}");
    }
    assert_eq!(sum(&levels[0]), sum(&start));
    assert!(largest < 0.1, "a leaf carries {largest} of the most");
}

/// Goal: nothing is lost at shores either, however often levels change.
/// Method: a lake with islands; between changes water wanders and is stirred.
#[test]
fn a_shore_holds_its_volume_over_a_thousand_changes() {
    let mut fine = lake(2, 3);
    for leaf in &mut fine {
        for cell in 0..TILE_CELLS {
            let bed = &mut leaf.ground.bed[cell];
            *bed += 4_000_000 - 1_400_000;
            leaf.water.depth[cell] = (100_000 - *bed).max(0);
            leaf.water.contents[0][cell] = ONE * i64::from(leaf.water.depth[cell]) / 7;
        }
    }
    let (mut draws, before) = (Draws(5), sum(&fine));
    let wet = |leaf: &Leaf| leaf.water.depth.iter().filter(|&&h| h > 0).count();
    let wet_before: usize = fine.iter().map(wet).sum();
    assert!((3000..13_000).contains(&wet_before), "{wet_before} wet cells are no shore");
    for cycle in 0..shrunk(1000, 150) {
        let coarse = merged(&fine);
        assert_eq!(coarse.stored(), before, "cycle {cycle}, coarse");
        split(&coarse, &mut fine);
        assert_eq!(sum(&fine), before, "cycle {cycle}, fine");
        for leaf in &mut fine {
            leaf.check(&format!("cycle {cycle}"));
            wander(leaf, &mut draws);
        }
    }
}

/// Moves water to cells beside it, with its content, within what there is room for.
fn wander(leaf: &mut Leaf, draws: &mut Draws) {
    for _ in 0..200 {
        let from = usize::try_from(draws.0 % (TILE_CELLS - TILE_WIDTH) as u64).expect("a cell");
        let to = from + if draws.to(1) == 0 { 1 } else { TILE_WIDTH };
        let held = leaf.water.depth[from];
        let moved = draws.depth(held.min(CEILING - leaf.ground.bed[to] - leaf.water.depth[to]));
        if moved > 0 {
            let contents = &mut leaf.water.contents[0];
            let share = Volume::from(contents[from]) * Volume::from(moved) / Volume::from(held);
            let share = i64::try_from(share).expect("a part");
            (contents[from], contents[to]) = (contents[from] - share, contents[to] + share);
            leaf.water.depth[from] -= moved;
            leaf.water.depth[to] += moved;
        }
    }
}
