//! Promises of the kernel of the tracers, on transfers that no water would make.

use crate::sea::Sea;
use crate::support::shrunk;
use crate::wheel::Wheel;
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::sim::Order;
use thalweg_engine::units::hash::scramble;

const ORDERS: [Order; 2] = [Order::First, Order::Second];

struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = scramble(self.0 + 1);
        self.0
    }

    /// 0 to `most`, of all magnitudes.
    fn up_to(&mut self, most: i32) -> i32 {
        let shift = self.next() % 28;
        let most = u64::try_from(most).expect("not negative");
        i32::try_from((self.next() >> 33 >> shift) % (most + 1)).expect("at most `most`")
    }
}

/// Depths of all magnitudes, a third of them 0, and plateaus that close faces.
fn wild_sea(seed: u64) -> Sea {
    let mut draw = Draw(seed);
    let mut sea = Sea::new(2);
    for cell in 0..sea.depth.len() {
        sea.depth[cell] = if draw.next().is_multiple_of(3) { 0 } else { draw.up_to(1 << 26) };
        sea.bed[cell] = if draw.next().is_multiple_of(5) { 1 << 27 } else { 0 };
    }
    sea
}

/// The cells west, east, south and north of one.
fn beside(sea: &Sea, cell: usize) -> [usize; 4] {
    let width = sea.width();
    let (x, y) = (cell % width + width, cell / width + width);
    [sea.at(x - 1, y), sea.at(x + 1, y), sea.at(x, y - 1), sea.at(x, y + 1)]
}

/// New transfers: each face lets one of its two cells give, up to all it holds.
fn stir(sea: &mut Sea, draw: &mut Draw) {
    let mut left = sea.depth.clone();
    for cell in 0..left.len() {
        let [west, _, south, _] = beside(sea, cell);
        for (other, is_x) in [(west, true), (south, false)] {
            let (giver, sign) = if draw.next() & 1 == 0 { (other, 1) } else { (cell, -1) };
            let dv = match draw.next() % 4 {
                0 => 0,
                1 => left[giver],
                _ => draw.up_to(left[giver]),
            };
            left[giver] -= dv;
            let transfers = if is_x { &mut sea.transfer_x } else { &mut sea.transfer_y };
            transfers[cell] = sign * dv;
        }
    }
}

/// Concentrations rounded down and up; `None` where it is dry.
fn bounds(sea: &Sea) -> Vec<Option<[i64; 2]>> {
    let pairs = sea.content.iter().zip(&sea.depth);
    pairs
        .map(|(&content, &depth)| {
            let depth = i64::from(depth);
            (depth > 0).then(|| [content / depth, content / depth + (content % depth).signum()])
        })
        .collect()
}

/// Bounds of each cell and the four beside it.
fn widened(sea: &Sea, bounds: &[Option<[i64; 2]>]) -> Vec<Option<[i64; 2]>> {
    let around =
        |cell: usize| beside(sea, cell).into_iter().chain([cell]).filter_map(|i| bounds[i]);
    let join = |a: [i64; 2], b: [i64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    (0..bounds.len()).map(|cell| around(cell).reduce(join)).collect()
}

/// Goal: content is exact, and no concentration leaves the bounds of those around it.
/// Method: seeded seas of all magnitudes, whole cells emptied at once; integers, no tolerance.
#[test]
fn content_is_exact_and_bounds_hold_whatever_the_transfers() {
    for (seed, order) in (0..shrunk(12, 3)).flat_map(|seed| ORDERS.map(|order| (seed, order))) {
        let mut draw = Draw(seed << 20);
        let mut sea = wild_sea(seed);
        for cell in 0..sea.depth.len() {
            let concentration = i64::from(draw.up_to(1 << 24));
            sea.content[cell] = concentration * i64::from(sea.depth[cell]);
        }
        let sum: i64 = sea.content.iter().sum();
        for step in 0..6 {
            stir(&mut sea, &mut draw);
            let once = widened(&sea, &bounds(&sea));
            let around = if order == Order::First { once } else { widened(&sea, &once) };
            sea.step(order);
            let case = format!("seed {seed}, {order:?}, step {step}");
            assert_eq!(sea.content.iter().sum::<i64>(), sum, "{case}");
            for (cell, around) in around.iter().enumerate() {
                let (content, depth) = (sea.content[cell], i64::from(sea.depth[cell]));
                let [lo, hi] = around.unwrap_or([0, 0]);
                let range = lo * depth..=hi * depth;
                assert!(range.contains(&content), "{case}, cell {cell}: {content} in {range:?}");
            }
        }
    }
}

#[test]
fn a_uniform_concentration_stays_uniform_to_the_unit() {
    for (seed, order) in (0..shrunk(8, 2)).flat_map(|seed| ORDERS.map(|order| (seed, order))) {
        for concentration in [1, 12_345_677, ONE] {
            let mut draw = Draw(seed << 20);
            let mut sea = wild_sea(seed);
            let uniform = |sea: &Sea| -> Vec<i64> {
                sea.depth.iter().map(|&depth| concentration * i64::from(depth)).collect()
            };
            sea.content = uniform(&sea);
            for step in 0..6 {
                stir(&mut sea, &mut draw);
                sea.step(order);
                let case = format!("{concentration}, seed {seed}, {order:?}, step {step}");
                assert!(sea.content == uniform(&sea), "{case}");
            }
        }
    }
}

/// Goal: a blob comes back to its place with its sum and within its bounds; second order keeps its
/// peak and its shape.
/// Method: ten turns of 64 × 64 cells (one if `QUICK`), against itself; the part of its
/// peak that stays, and L1 relative to its sum.
#[test]
fn a_blob_turns_ten_times() {
    for (order, peak_least, off_most) in [(Order::First, 0.05, 1.8), (Order::Second, 0.7, 0.3)] {
        let mut wheel = Wheel::new(1);
        wheel.turn(order, if crate::QUICK { 1 } else { 10 });
        assert!(wheel.is_exact_and_bounded(), "{order:?}");
        let (peak, off) = (wheel.peak_kept(), wheel.relative_l1());
        assert!(peak >= peak_least && off <= off_most, "{order:?}: peak {peak}, L1 {off}");
        let row = wheel.profile();
        let highest = row.iter().max_by(|a, b| a.1[0].total_cmp(&b.1[0])).expect("cells").0;
        let is_there = (highest - 0.5).abs() < 0.04;
        assert!(order == Order::First || is_there, "it stands at {highest}");
    }
}
