//! Boxes that fall, float, roll and rest on the ground: the least of a physics engine.
//!
//! Forces once a step, then impulses at the corners that are below the ground. Boxes pass through
//! each other.

use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Pose, Solid, SolidError};
use thalweg::glam::{BVec3, DQuat, DVec3};

const GRAVITY: f64 = 9.81;
/// Coefficient of friction: part of a box's weight on the ground that resists its sliding.
const FRICTION: f64 = 0.5;

/// Box with an even density.
#[derive(Debug, Clone)]
pub struct Crate {
    pub body: Body,
    pub lengths_m: DVec3,
    /// Load of the water on the crate in the last cycle.
    pub load: Load,
}

/// Boxes over a ground.
pub struct Boxes<G> {
    pub all: Vec<Crate>,
    /// Elevation of the ground at a place, m.
    pub ground_m: G,
    pub dt_s: f64,
}

impl Crate {
    /// Returns a box at rest; without a density it is fixed.
    pub fn new(
        id: u64,
        lengths_m: impl Into<DVec3>,
        position: impl Into<[f64; 3]>,
        density_kg_m3: Option<f64>,
    ) -> Result<Self, SolidError> {
        let lengths_m = lengths_m.into();
        let solid = Solid::cuboid(lengths_m)?;
        let mass_kg = density_kg_m3.map(|density| density * solid.volume_m3());
        let (pose, motion) = (Pose::at(position), Motion::default());
        let body = Body { id: BodyId(id), solid, pose, motion, mass_kg };
        Ok(Self { body, lengths_m, load: Load::default() })
    }

    /// Divides an angular momentum, or a moment, by the box's inertia.
    fn turned_by(&self, mass_kg: f64, moment: DVec3) -> DVec3 {
        let matrix = self.body.pose.matrix();
        let squares = self.lengths_m * self.lengths_m / 12.0 * mass_kg;
        matrix * (matrix.mul_transpose_vec3(moment) / (squares.element_sum() - squares))
    }

    /// Changes the box's motion by an impulse at a place.
    fn push(&mut self, mass_kg: f64, arm: DVec3, impulse: DVec3) {
        let turn = self.turned_by(mass_kg, arm.cross(impulse));
        self.body.motion.linear += impulse / mass_kg;
        self.body.motion.angular += turn;
    }

    /// Keeps the box's corners out of the ground.
    fn land(&mut self, mass_kg: f64, ground_m: impl Fn(f64, f64) -> f64, dt_s: f64) {
        for corner in 0..8 {
            let half = 0.5 * self.lengths_m;
            let is_high = BVec3::new(corner & 1 != 0, corner & 2 != 0, corner & 4 != 0);
            let at = self.body.pose.place(DVec3::select(is_high, half, -half));
            let below = ground_m(at.x, at.y) - at.z;
            if below <= 0.0 {
                continue;
            }
            let arm = at - self.body.pose.position;
            let speed = self.body.motion.at(self.body.pose.position, at);
            let wanted = (0.2 * below / dt_s).min(1.0);
            if speed.z >= wanted {
                continue;
            }
            let turn = self.turned_by(mass_kg, arm.cross(DVec3::Z)).cross(arm);
            let up = (wanted - speed.z) / (1.0 / mass_kg + turn.z);
            let slide = speed.truncate().length().max(1.0e-9);
            let hold = (FRICTION * up / slide).min(0.25 * mass_kg);
            self.push(mass_kg, arm, (-hold * speed).with_z(up));
        }
    }

    /// Moves the box for a step.
    fn advance(&mut self, ground_m: impl Fn(f64, f64) -> f64, dt_s: f64) {
        if let Some(mass_kg) = self.body.mass_kg {
            let centre = self.body.pose.position;
            let (force, torque) = self.load.for_engine(mass_kg, GRAVITY, centre);
            let turn = self.turned_by(mass_kg, torque);
            self.body.motion.linear += (force / mass_kg - GRAVITY * DVec3::Z) * dt_s;
            self.body.motion.angular += turn * dt_s;
            self.land(mass_kg, ground_m, dt_s);
        }
        let Motion { linear, angular } = self.body.motion;
        let Pose { position, rotation } = &mut self.body.pose;
        *position += linear * dt_s;
        let rate = DQuat::from_vec4((0.5 * dt_s * angular).extend(0.0));
        *rotation = (*rotation + rate * *rotation).normalize();
    }
}

impl<G: Fn(f64, f64) -> f64> Bodies for Boxes<G> {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        self.all.iter().for_each(|one| put(one.body.clone()));
    }

    /// Takes the loads, which have the boxes' numbers, and moves the boxes.
    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        for one in &mut self.all {
            let found = loads.binary_search_by_key(&one.body.id, |load| load.0);
            one.load = found.map_or(one.load, |at| loads[at].1);
            one.advance(&self.ground_m, self.dt_s);
        }
    }
}
