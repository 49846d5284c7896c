//! Boxes that float: the minimum of a physics engine, symplectic Euler for position and turn.

use crate::suite::BenchError;
use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid};
use thalweg::glam::{DQuat, DVec2, DVec3};

/// Gravity, m/s².
pub const GRAVITY: f64 = 9.81;
/// Density of the water, kg/m³.
pub const DENSITY: f64 = 1000.0;

/// A box of one density.
#[derive(Debug, Clone)]
pub struct Float {
    /// Lengths of the float, m.
    pub lengths: DVec3,
    /// Mass, kg.
    pub mass_kg: f64,
    solid: Solid,
    inertia: DVec3,
    /// Position and turn.
    pub pose: Pose,
    /// Velocity and rotation.
    pub motion: Motion,
}

/// Boxes that float, and the step that moves them.
#[derive(Debug, Clone)]
pub struct FloatingBoxes {
    /// The boxes.
    pub floats: Vec<Float>,
    /// Their step, s.
    pub dt_s: f64,
}

impl Float {
    /// Makes a box at rest.
    ///
    /// # Errors
    ///
    /// If the lengths are invalid.
    pub fn at(lengths: DVec3, density: f64, pose: Pose) -> Result<Self, BenchError> {
        let mass_kg = density * lengths.element_product();
        let squares = lengths * lengths * mass_kg / 12.0;
        let solid = Solid::cuboid(lengths)?;
        let inertia = squares.element_sum() - squares;
        Ok(Self { lengths, mass_kg, solid, inertia, pose, motion: Motion::default() })
    }

    /// Returns the draught by Archimedes, m.
    #[must_use]
    pub fn draught_m(&self) -> f64 {
        self.mass_kg / (DENSITY * self.lengths.x * self.lengths.y)
    }

    /// Returns how upright the float is: 1 for upright.
    #[must_use]
    pub fn upright(&self) -> f64 {
        self.pose.matrix().z_axis.z
    }

    /// Returns the components of a vector of the world along the float's own axes.
    fn own(&self, vector: DVec3) -> DVec3 {
        self.pose.matrix().mul_transpose_vec3(vector)
    }

    fn step(&mut self, load: &Load, dt_s: f64) {
        let Pose { position, rotation } = self.pose;
        let (force, torque) = load.for_engine(self.mass_kg, GRAVITY, position);
        self.motion.linear += dt_s * (force / self.mass_kg - GRAVITY * DVec3::Z);
        let (spin, turn) = (self.own(self.motion.angular), self.own(torque));
        let gyro = spin.cross(self.inertia * spin);
        let spin = spin + dt_s * (turn - gyro) / self.inertia;
        self.motion.angular = self.pose.matrix() * spin;
        let rate = DQuat::from_vec4((0.5 * dt_s * self.motion.angular).extend(0.0));
        let rotation = (rotation + rate * rotation).normalize();
        self.pose = Pose { position: position + dt_s * self.motion.linear, rotation };
    }

    /// Returns the kinetic and potential energy of the float, J.
    #[must_use]
    pub fn energy_j(&self) -> f64 {
        let Motion { linear, angular } = self.motion;
        let spin = self.own(angular);
        let turning = 0.5 * self.inertia.dot(spin * spin);
        let height = self.pose.position.z;
        0.5 * self.mass_kg * linear.length_squared() + turning + self.mass_kg * GRAVITY * height
    }

    /// Returns its depth below a stage in a column of a square metre, the mean over its points.
    #[must_use]
    pub fn column_filled_m(&self, middle: DVec2, stage_m: f64) -> f64 {
        const COUNT: i32 = 16;
        let reach = self.lengths.length();
        let off = self.pose.position.truncate() - middle;
        if off.abs().max_element() > 0.5 * reach + 1.0 {
            return 0.0;
        }
        let part = |i: i32| (f64::from(i) + 0.5) / f64::from(COUNT);
        let mut sum = 0.0;
        for (i, j) in (0..COUNT).flat_map(|i| (0..COUNT).map(move |j| (i, j))) {
            let at = middle - 0.5 + DVec2::new(part(i), part(j));
            let count = 64 * COUNT;
            let deep = (0..count).filter(|&k| {
                let below = (f64::from(k) + 0.5) / f64::from(count) * reach;
                let own = self.own(at.extend(stage_m - below) - self.pose.position);
                own.abs().cmple(0.5 * self.lengths).all()
            });
            sum += deep.count() as f64 / f64::from(count) * reach;
        }
        sum / f64::from(COUNT * COUNT)
    }

    /// Returns the volume below a stage, m³, and its height times it, m⁴: sums over points.
    #[must_use]
    pub fn below(&self, stage_m: f64) -> [f64; 2] {
        const COUNT: i32 = 40;
        let middle = |i: i32, length: f64| ((f64::from(i) + 0.5) / f64::from(COUNT) - 0.5) * length;
        let volume = self.lengths.element_product() / f64::from(COUNT).powi(3);
        let (mut under, mut moment) = (0.0, 0.0);
        let thick = self.lengths.z / f64::from(COUNT);
        for (i, j) in (0..COUNT).flat_map(|i| (0..COUNT).map(move |j| (i, j))) {
            for k in 0..COUNT {
                let DVec3 { x, y, z } = self.lengths;
                let at = self.pose.place([middle(i, x), middle(j, y), middle(k, z)]);
                // The surface cuts through the point's own part.
                let part = ((stage_m - at.z) / thick + 0.5).clamp(0.0, 1.0);
                under += part * volume;
                moment += part * volume * (at.z - 0.5 * (1.0 - part) * thick);
            }
        }
        [under, moment]
    }
}

impl Bodies for FloatingBoxes {
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
