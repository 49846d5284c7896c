//! Momentum: none is made or lost where nothing pushes, and walls take exactly what pressure gives.
//!
//! ```text
//! M = Σ_faces ½ (h_l + h_r) u        over all faces, in units of cells a step
//! ```

use crate::support::{noise, shrunk};
use thalweg_engine::flow::params::{StepInput, StepParams};
use thalweg_engine::flow::solver::{Order, ShownPlanes, Solver, TileStep};
use thalweg_engine::flow::terms::{Terms, Viscosity};
use thalweg_engine::flow::transfer::Dither;
use thalweg_engine::flow::versions::versions;
use thalweg_engine::grid::Axis;
use thalweg_engine::tile::halo::{
    CENTRE, HaloNeighbour, HaloPatch, Neighbourhood, gather_roughness,
};
use thalweg_engine::tile::padded::{Padded, index};
use thalweg_engine::tile::{Ground, Water};

const G: f64 = 9.81;
const UNIT_M: f64 = 1.0 / 1_048_576.0;
const WIDTH_M: f64 = 1.0;
const DT_S: f64 = 0.05;
const DEPTH_M: f64 = 1.0;

/// One tile that steps by itself.
struct Basin {
    ground: Ground,
    water: Water,
    padded: Padded,
    params: StepParams,
    tick: u64,
    /// Whether the basin is its own neighbour on all sides, or lies between walls.
    is_ring: bool,
}

impl Basin {
    /// A flat basin with a wave and a shear.
    #[expect(clippy::cast_possible_truncation, reason = "metres of a test")]
    fn new(is_ring: bool, terms: Terms) -> Self {
        let tau = std::f64::consts::TAU / 64.0;
        let mut water = Water::dry();
        for cell in 0..4096_usize {
            let (x, y) = ((cell % 64) as f64, (cell / 64) as f64);
            let depth = DEPTH_M + 0.05 * (tau * x).cos() + 0.01 * noise(3, x as i64, y as i64);
            water.depth[cell] = (depth / UNIT_M) as i32;
            let is_inner = (is_ring || cell % 64 > 0, is_ring || cell >= 64);
            water.flow_x[cell] =
                if is_inner.0 { (0.5 + 0.4 * (tau * y).sin()) as f32 } else { 0.0 };
            water.flow_y[cell] = if is_inner.1 { (0.2 * (tau * x).sin()) as f32 } else { 0.0 };
        }
        let params = StepParams::new(&StepInput {
            dt_s: DT_S,
            cell_width_m: WIDTH_M,
            unit_m: UNIT_M,
            gravity: G,
            damping: false,
            terms,
        });
        let ground = Ground::flat(vec![0; 4096].into());
        Self { ground, water, padded: Padded::new(), params, tick: 0, is_ring }
    }

    fn step(&mut self, order: Order, has_terms: bool) {
        let version = *versions().last().expect("the baseline");
        let step =
            if has_terms { version.step_with_terms() } else { version.step(Solver::ShallowWater) };
        self.params.order = order;
        let old = self.water.clone();
        let own = HaloNeighbour::Tile(HaloPatch { ground: &self.ground, water: &old });
        let around: Neighbourhood<'_> = std::array::from_fn(|i| {
            if self.is_ring || i == CENTRE { own } else { HaloNeighbour::Outside }
        });
        gather_roughness(&mut self.padded, &around, &[0.0]);
        let dither = Dither::new(1, 0, 0, 0, self.tick);
        let input = TileStep {
            around: &around,
            params: &self.params,
            dither: &dither,
            interfaces: None,
            shown: ShownPlanes::Planes,
            reach: None,
        };
        step(&mut self.padded, &input, &mut self.water);
        self.tick += 1;
    }

    /// Depth of a cell, m; the ring closes on itself.
    fn depth_m(&self, x: usize, y: usize) -> f64 {
        f64::from(self.water.depth[(y % 64) * 64 + x % 64]) * UNIT_M
    }

    /// Thrust of a cell of the closed basin in the last step, m³/s², as `flow::bores` has it; cells
    /// beside the walls take no fall across them, and those next to them take it for even.
    fn thrust(&self, x: usize, y: usize) -> f64 {
        let (column, row) = (i32::try_from(x).expect("64"), i32::try_from(y).expect("64"));
        let fall = |at: usize, step: i32, own: f64, axis: Axis| {
            let (flow, ahead_x, ahead_y) = match axis {
                Axis::X => (&self.padded.flow_x, 1, 0),
                Axis::Y => (&self.padded.flow_y, 0, 1),
            };
            let beside = i32::try_from(at).expect("64") + step;
            if step != 0 && !(1..63).contains(&beside) {
                return own;
            }
            let at = |ahead: i32| {
                let face = index(column + ahead * ahead_x, row + ahead * ahead_y);
                f64::from(flow[face])
            };
            at(step) - at(step + 1)
        };
        let (mut both, mut steep) = (0.0, 0.0);
        for (at, axis) in [(x, Axis::X), (y, Axis::Y)] {
            let own = if (1..63).contains(&at) { fall(at, 0, 0.0, axis) } else { 0.0 };
            let (before, after) = (fall(at, -1, own, axis), fall(at, 1, own, axis));
            let even = (0.55 * (before + after)).min(2.0 * before.min(after));
            steep += (own - even.max(0.0)).max(0.0);
            both += own;
        }
        let depth_m = f64::from(self.padded.depth[index(column, row)]) * UNIT_M;
        let wave_m_s = (0.2 * (G * depth_m).sqrt()).min(0.125 * WIDTH_M / DT_S);
        let moved = |ahead_x: i32, ahead_y: i32| {
            let face = index(column + ahead_x, row + ahead_y);
            let plane = [&self.padded.transfer_x, &self.padded.transfer_y];
            [plane[0][face], plane[1][face]]
        };
        let ([west, south], [east, _], [_, north]) = (moved(0, 0), moved(1, 0), moved(0, 1));
        let gathered_m = f64::from((west - east + south - north).max(0)) * UNIT_M;
        let compressed = (depth_m * steep.min(both.max(0.0))).min(gathered_m * WIDTH_M / DT_S);
        wave_m_s * compressed
    }

    /// Momentum eastward and northward and the sum of their sizes, m³/s.
    fn momentum(&self) -> ([f64; 2], f64) {
        let (mut sum, mut size) = ([0.0; 2], 0.0);
        for cell in 0..4096 {
            let (x, y) = (cell % 64, cell / 64);
            let here = self.depth_m(x, y);
            for (axis, q, beside, is_face) in [
                (0, self.water.flow_x[cell], self.depth_m(x + 63, y), self.is_ring || x > 0),
                (1, self.water.flow_y[cell], self.depth_m(x, y + 63), self.is_ring || y > 0),
            ] {
                if is_face {
                    let u = f64::from(q) / here.max(beside);
                    let m = 0.5 * (here + beside) * u * WIDTH_M * WIDTH_M;
                    sum[axis] += m;
                    size += m.abs();
                }
            }
        }
        (sum, size)
    }
}

/// Goal: in a periodic flat basin with shear and a wave momentum stays, to 10⁻⁵ of Σ|m| over 10,000
/// steps, by both orders and with eddies that mix it.
#[test]
fn a_ring_keeps_its_momentum() {
    let eddies = Terms { viscosity: Viscosity::Smagorinsky(0.2), ..Terms::NONE };
    for (order, terms) in
        [(Order::First, Terms::NONE), (Order::Second, Terms::NONE), (Order::Second, eddies)]
    {
        let mut basin = Basin::new(true, terms);
        let (start, size) = basin.momentum();
        let mut worst = 0.0_f64;
        for _ in 0..shrunk(10_000, 200) {
            basin.step(order, terms != Terms::NONE);
        }
        let (end, _) = basin.momentum();
        for axis in 0..2 {
            worst = worst.max((end[axis] - start[axis]).abs() / size);
        }
        println!("{order:?}, {:?}: {worst:.2e} of Σ|m|", terms.viscosity);
        assert!(worst < 1.0e-5, "{order:?}, {terms:?}: {worst:e} of Σ|m|");
    }
}

/// Goal: in a closed basin momentum changes by what the walls give and by nothing else, to 10⁻⁴ of
/// Σ|m|. Method: over the steps in which a wave crosses the basin, the sum of
/// `½ g (h_w² − h_e²) Δ Δt`, the pressure on both walls, of the thrust of compressed water before
/// them, and of the momentum that water running up
/// to a wall carries into the half cell before it, which has no momentum of its own.
#[test]
fn walls_give_what_pressure_gives() {
    let mut basin = Basin::new(false, Terms::NONE);
    let (start, size) = basin.momentum();
    let (mut pressure, mut thrust, mut stopped) = (0.0, 0.0, 0.0);
    for _ in 0..400 {
        basin.step(Order::Second, false);
        for y in 0..64 {
            let (west, east) = (basin.depth_m(0, y), basin.depth_m(63, y));
            pressure += 0.5 * G * (west * west - east * east) * WIDTH_M * DT_S;
            thrust += (basin.thrust(1, y) - basin.thrust(62, y)) * WIDTH_M * DT_S;
            let row = i32::try_from(y).expect("64 rows");
            for (column, inward) in [(1, 1.0), (63, -1.0)] {
                let face = index(column, row);
                let moved = inward * f64::from(basin.padded.transfer_x[face]) * UNIT_M;
                let speed = inward * f64::from(basin.padded.flow_x[face]);
                stopped += inward * 0.5 * moved.min(0.0) * speed * WIDTH_M * WIDTH_M;
            }
        }
    }
    let (end, _) = basin.momentum();
    let (gained, given) = (end[0] - start[0], pressure + thrust + stopped);
    let error = (gained - given).abs() / size;
    println!(
        "gained {gained:.3}, pressure {pressure:.3}, thrust {thrust:.3}, stopped {stopped:.3}: \
         {error:.2e}"
    );
    assert!(pressure.abs() > 0.2 * size, "the walls push");
    assert!(error < 1.0e-4, "gained {gained}, given {given}: {error:e} of Σ|m|");
}
