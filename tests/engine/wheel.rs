//! A lake that turns like a wheel, and a blob on it: the tests and the table of accuracy turn it.
use super::sea::Sea;
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::sim::Order;

/// The blob comes back to where it was with each turn. Transfers are differences of an integer
/// stream function, so no depth ever changes.
pub struct Wheel {
    sea: Sea,
    before: Vec<i64>,
    steps_a_turn: u32,
}

/// Where the blob is, in widths from the middle northward, and its radius.
const AWAY: f64 = 0.22;
const RADIUS: f64 = 0.2;

impl Wheel {
    /// On `tiles` × `tiles` tiles; the Courant number is 0.6 at its outer edge.
    pub fn new(tiles: u32) -> Self {
        let mut sea = Sea::new(tiles as usize);
        sea.depth.fill(1 << 20);
        let steps_a_turn = 320 * tiles;
        let width = sea.width() as f64;
        let turn = std::f64::consts::TAU / f64::from(steps_a_turn) * f64::from(1 << 20);
        let stream = |x: usize, y: usize| {
            let radius = (x as f64 - 0.5 * width).hypot(y as f64 - 0.5 * width).min(0.47 * width);
            #[expect(clippy::cast_possible_truncation, reason = "below 2³⁰")]
            let whole = (-0.5 * turn * radius * radius).round() as i32;
            whole
        };
        for cell in 0..sea.depth.len() {
            let (x, y) = (cell % sea.width(), cell / sea.width());
            sea.transfer_x[cell] = stream(x, y + 1) - stream(x, y);
            sea.transfer_y[cell] = stream(x, y) - stream(x + 1, y);
            let (x, y) = (x as f64 + 0.5 - 0.5 * width, y as f64 + 0.5 - (0.5 + AWAY) * width);
            let away = (x.hypot(y) / (RADIUS * width)).min(1.0);
            let concentration = 0.5 * (1.0 + (std::f64::consts::PI * away).cos());
            #[expect(clippy::cast_possible_truncation, reason = "at most 2²⁴")]
            let concentration = (concentration * ONE as f64) as i64;
            sea.content[cell] = concentration * i64::from(sea.depth[cell]);
        }
        Self { before: sea.content.clone(), sea, steps_a_turn }
    }

    /// Turns it so many times.
    pub fn turn(&mut self, order: Order, turns: u32) {
        (0..turns * self.steps_a_turn).for_each(|_| self.sea.step(order));
    }

    /// True where the content is what it was in sum, and within its bounds.
    pub fn is_exact_and_bounded(&self) -> bool {
        let sum = |content: &[i64]| content.iter().sum::<i64>();
        let most = |content: &[i64]| content.iter().copied().max();
        let (now, before) = (&self.sea.content, &self.before);
        sum(now) == sum(before) && most(now) <= most(before) && now.iter().all(|&c| c >= 0)
    }

    /// The part of its highest concentration that it kept.
    pub fn peak_kept(&self) -> f64 {
        let most = |content: &[i64]| content.iter().copied().fold(0, i64::max) as f64;
        most(&self.sea.content) / most(&self.before)
    }

    /// Σ |now − before| / Σ before.
    pub fn relative_l1(&self) -> f64 {
        let pairs = self.sea.content.iter().zip(&self.before);
        let off: i64 = pairs.map(|(now, before)| (now - before).abs()).sum();
        off as f64 / self.before.iter().sum::<i64>() as f64
    }

    /// Concentration now and before along the row through the blob's middle: place in widths.
    pub fn profile(&self) -> Vec<(f64, [f64; 2])> {
        let width = self.sea.width();
        let row = (0..).take_while(|&y| (f64::from(y) + 0.5) < (0.5 + AWAY) * width as f64).count();
        let concentration = |content: &[i64], x: usize| {
            let cell = self.sea.at(x, row);
            content[cell] as f64 / (f64::from(self.sea.depth[cell]) * ONE as f64)
        };
        let both = |x| [&self.sea.content, &self.before].map(|plane| concentration(plane, x));
        (0..width).map(|x| ((x as f64 + 0.5) / width as f64, both(x))).collect()
    }
}
