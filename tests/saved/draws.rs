//! Draws from a seed: the same on every machine.

use thalweg::terrain::Shape;
use thalweg_engine::units::hash::scramble;

pub struct Draws(u64);

impl Draws {
    pub fn of(seed: u64) -> Self {
        Self(scramble(seed ^ 0x5a7e_d10a_d5a1))
    }

    /// A number that is another one each time.
    pub fn seed(&mut self) -> u64 {
        self.0 = scramble(self.0.wrapping_add(1));
        self.0
    }

    /// A whole number below `most`.
    pub fn below(&mut self, most: u32) -> u32 {
        u32::try_from((self.seed() >> 20) % u64::from(most)).expect("below an u32")
    }

    /// A small whole number below `most`.
    pub fn byte(&mut self, most: u8) -> u8 {
        u8::try_from(self.below(u32::from(most))).expect("below an u8")
    }

    pub fn count(&mut self, low: usize, high: usize) -> usize {
        low + self.below(u32::try_from(high - low + 1).expect("few")) as usize
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// A number in [0, 1).
    pub fn part(&mut self) -> f64 {
        f64::from(self.below(1 << 24)) / f64::from(1 << 24)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.part()
    }

    /// A number between two, or, once in a while, one that no careful caller gives.
    pub fn wild(&mut self, low: f64, high: f64) -> f64 {
        const ODD: [f64; 10] = [
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            -1.0,
            0.0,
            -0.0,
            1.0e300,
            1.0e-300,
            1.0e9,
            -1.0e9,
        ];
        if self.once_in(40) { *self.pick(&ODD) } else { self.between(low, high) }
    }

    pub fn pick<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.count(0, all.len() - 1)]
    }

    /// A place on a map of so many metres, seldom beside it.
    pub fn place(&mut self, size_m: [f64; 2]) -> [f64; 2] {
        if self.once_in(30) {
            return [self.wild(-50.0, 2.0 * size_m[0]), self.wild(-50.0, 2.0 * size_m[1])];
        }
        size_m.map(|metres| self.between(0.0, metres))
    }

    /// A line over the map, from side to side as often as not.
    pub fn line(&mut self, size_m: [f64; 2]) -> Vec<[f64; 2]> {
        let [width, height] = size_m;
        match self.below(4) {
            0 => {
                let x = self.between(0.0, width);
                vec![[x, 0.0], [x, height]]
            }
            1 => {
                let y = self.between(0.0, height);
                vec![[0.0, y], [width, y]]
            }
            _ => (0..self.count(2, 4)).map(|_| self.place(size_m)).collect(),
        }
    }

    pub fn shape(&mut self, size_m: [f64; 2]) -> Shape {
        let [centre_m, other] = [self.place(size_m), self.place(size_m)];
        let reach = 0.4 * size_m[0].min(size_m[1]);
        match self.below(4) {
            0 => {
                let low_m = [0, 1].map(|axis: usize| centre_m[axis].min(other[axis]));
                let high_m = [0, 1].map(|axis: usize| centre_m[axis].max(other[axis]));
                Shape::Rectangle { low_m, high_m }
            }
            1 => Shape::Polygon { corners_m: vec![centre_m, other, self.place(size_m)] },
            _ => {
                let radius_m = self.wild(0.1 * reach, reach);
                let rim_m = if self.once_in(2) { 0.0 } else { self.between(0.0, radius_m) };
                Shape::Disc { centre_m, radius_m, rim_m }
            }
        }
    }
}
