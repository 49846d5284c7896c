//! Boxes that float: the least of a physics engine, symplectic Euler for position and turn.

use crate::suite::BenchError;
use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Point, Pose, Solid};

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;
/// Density of the water, kg/m³.
pub const DENSITY: f64 = 1000.0;

/// A box of one density.
#[derive(Debug, Clone)]
pub struct Float {
    /// Its lengths, m.
    pub lengths: Point,
    /// kg.
    pub mass_kg: f64,
    solid: Solid,
    inertia: Point,
    /// Where it is.
    pub pose: Pose,
    /// How it moves.
    pub motion: Motion,
}

/// Boxes that float, and the step that moves them.
#[derive(Debug, Clone)]
pub struct Fleet {
    /// The boxes.
    pub floats: Vec<Float>,
    /// Their step, s.
    pub dt_s: f64,
}

/// Sum of the products.
fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

impl Float {
    /// A box at rest.
    ///
    /// # Errors
    ///
    /// Where the lengths are none.
    pub fn at(lengths: Point, density: f64, pose: Pose) -> Result<Self, BenchError> {
        let mass_kg = density * lengths.iter().product::<f64>();
        let [x, y, z] = lengths.map(|length| length * length * mass_kg / 12.0);
        let solid = Solid::cuboid(lengths)?;
        let inertia = [y + z, x + z, x + y];
        Ok(Self { lengths, mass_kg, solid, inertia, pose, motion: Motion::default() })
    }

    /// Draught by Archimedes, m.
    #[must_use]
    pub fn draught_m(&self) -> f64 {
        self.mass_kg / (DENSITY * self.lengths[0] * self.lengths[1])
    }

    /// How upright it stands: 1 where it does.
    #[must_use]
    pub fn upright(&self) -> f64 {
        self.pose.matrix()[2][2]
    }

    /// Its own axes' parts of a vector of the world.
    fn own(&self, vector: Point) -> Point {
        let rows = self.pose.matrix();
        std::array::from_fn(|i| (0..3).map(|j| rows[j][i] * vector[j]).sum())
    }

    fn step(&mut self, load: &Load, dt_s: f64) {
        let Pose { position, rotation } = self.pose;
        let (force, torque) = load.for_engine(self.mass_kg, GRAVITY, position);
        for (i, speed) in self.motion.linear.iter_mut().enumerate() {
            let gravity = if i == 2 { GRAVITY } else { 0.0 };
            *speed += dt_s * (force[i] / self.mass_kg - gravity);
        }
        let (spin, turn) = (self.own(self.motion.angular), self.own(torque));
        let momentum: Point = std::array::from_fn(|i| self.inertia[i] * spin[i]);
        let gyro = [
            spin[1] * momentum[2] - spin[2] * momentum[1],
            spin[2] * momentum[0] - spin[0] * momentum[2],
            spin[0] * momentum[1] - spin[1] * momentum[0],
        ];
        let spin: Point =
            std::array::from_fn(|i| spin[i] + dt_s * (turn[i] - gyro[i]) / self.inertia[i]);
        self.motion.angular = self.pose.matrix().map(|row| dot(row, spin));
        let [a, b, c] = self.motion.angular.map(|part| 0.5 * dt_s * part);
        let [x, y, z, w] = rotation;
        let turned = [
            x + a * w + b * z - c * y,
            y + b * w + c * x - a * z,
            z + c * w + a * y - b * x,
            w - a * x - b * y - c * z,
        ];
        let length = turned.iter().map(|part| part * part).sum::<f64>().sqrt();
        let position = std::array::from_fn(|i| position[i] + dt_s * self.motion.linear[i]);
        self.pose = Pose { position, rotation: turned.map(|part| part / length) };
    }

    /// Its kinetic and potential energy, J.
    #[must_use]
    pub fn energy_j(&self) -> f64 {
        let Motion { linear, angular } = self.motion;
        let spin = self.own(angular);
        let turning: f64 = (0..3).map(|i| 0.5 * self.inertia[i] * spin[i] * spin[i]).sum();
        let height = self.pose.position[2];
        0.5 * self.mass_kg * dot(linear, linear) + turning + self.mass_kg * GRAVITY * height
    }

    /// How deep it reaches below a stage into a column of a square metre, the mean over its points.
    #[must_use]
    pub fn column_filled_m(&self, [east, north]: [f64; 2], stage_m: f64) -> f64 {
        const COUNT: i32 = 16;
        let [x, y, _] = self.pose.position;
        let reach = dot(self.lengths, self.lengths).sqrt();
        if (x - east).abs().max((y - north).abs()) > 0.5 * reach + 1.0 {
            return 0.0;
        }
        let part = |i: i32| (f64::from(i) + 0.5) / f64::from(COUNT);
        let mut sum = 0.0;
        for (i, j) in (0..COUNT).flat_map(|i| (0..COUNT).map(move |j| (i, j))) {
            let at = [east - 0.5 + part(i), north - 0.5 + part(j)];
            let count = 64 * COUNT;
            let deep = (0..count).filter(|&k| {
                let below = (f64::from(k) + 0.5) / f64::from(count) * reach;
                let place = [at[0], at[1], stage_m - below];
                let from = std::array::from_fn(|i| place[i] - self.pose.position[i]);
                let own = self.own(from);
                own.iter().zip(self.lengths).all(|(own, length)| own.abs() <= 0.5 * length)
            });
            sum += deep.count() as f64 / f64::from(count) * reach;
        }
        sum / f64::from(COUNT * COUNT)
    }

    /// Volume below a stage, m³, and its height times it, m⁴: sums over points.
    #[must_use]
    pub fn below(&self, stage_m: f64) -> [f64; 2] {
        const COUNT: i32 = 40;
        let middle = |i: i32, length: f64| ((f64::from(i) + 0.5) / f64::from(COUNT) - 0.5) * length;
        let volume = self.lengths.iter().product::<f64>() / f64::from(COUNT).powi(3);
        let (mut under, mut moment) = (0.0, 0.0);
        let thick = self.lengths[2] / f64::from(COUNT);
        for (i, j) in (0..COUNT).flat_map(|i| (0..COUNT).map(move |j| (i, j))) {
            for k in 0..COUNT {
                let [x, y, z] = self.lengths;
                let at = self.pose.place([middle(i, x), middle(j, y), middle(k, z)]);
                // The surface cuts through the point's own part.
                let part = ((stage_m - at[2]) / thick + 0.5).clamp(0.0, 1.0);
                under += part * volume;
                moment += part * volume * (at[2] - 0.5 * (1.0 - part) * thick);
            }
        }
        [under, moment]
    }
}

impl Bodies for Fleet {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        for (id, float) in (0..).zip(&self.floats) {
            let Float { pose, motion, mass_kg, .. } = *float;
            let solid = float.solid.clone();
            put(Body { id: BodyId(id), solid, pose, motion, mass_kg: Some(mass_kg) });
        }
    }

    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        for (float, (_, load)) in self.floats.iter_mut().zip(loads) {
            float.step(load, self.dt_s);
        }
    }
}
