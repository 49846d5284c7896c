//! Boxes that fall, float, roll and lie on the ground: the least of a physics engine.
//!
//! Forces once a step, then impulses at the corners that are below the ground. Boxes pass through
//! each other.

use thalweg::body::pose::{cross, dot, sub};
use thalweg::body::{Bodies, Body, BodyId, Load, Motion, Point, Pose, Solid, SolidError};

const GRAVITY: f64 = 9.81;
/// How much of its weight on the ground holds a box back.
const FRICTION: f64 = 0.5;

/// A box, its mass spread evenly.
#[derive(Debug, Clone)]
pub struct Crate {
    pub body: Body,
    pub lengths_m: Point,
    /// What the water last did to it.
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
    /// A box at rest; without a density it is held.
    pub fn new(
        id: u64,
        lengths_m: Point,
        position: Point,
        density_kg_m3: Option<f64>,
    ) -> Result<Self, SolidError> {
        let solid = Solid::cuboid(lengths_m)?;
        let mass_kg = density_kg_m3.map(|density| density * solid.volume_m3());
        let (pose, motion) = (Pose::at(position), Motion::default());
        let body = Body { id: BodyId(id), solid, pose, motion, mass_kg };
        Ok(Self { body, lengths_m, load: Load::default() })
    }

    /// An angular momentum, or a moment, by its inertia.
    fn turned_by(&self, mass_kg: f64, moment: Point) -> Point {
        let rows = self.body.pose.matrix();
        let squares = self.lengths_m.map(|length| length * length / 12.0 * mass_kg);
        let sum: f64 = squares.iter().sum();
        let own: Point = std::array::from_fn(|i| {
            let along: f64 = (0..3).map(|j| rows[j][i] * moment[j]).sum();
            along / (sum - squares[i])
        });
        rows.map(|row| dot(row, own))
    }

    /// Changes its motion by an impulse at a place.
    fn push(&mut self, mass_kg: f64, arm: Point, impulse: Point) {
        let turn = self.turned_by(mass_kg, cross(arm, impulse));
        let Motion { linear, angular } = &mut self.body.motion;
        *linear = std::array::from_fn(|i| linear[i] + impulse[i] / mass_kg);
        *angular = std::array::from_fn(|i| angular[i] + turn[i]);
    }

    /// Keeps its corners out of the ground.
    fn land(&mut self, mass_kg: f64, ground_m: impl Fn(f64, f64) -> f64, dt_s: f64) {
        for corner in 0..8 {
            let half: Point = std::array::from_fn(|axis| {
                let half = 0.5 * self.lengths_m[axis];
                if corner >> axis & 1 == 1 { half } else { -half }
            });
            let at = self.body.pose.place(half);
            let below = ground_m(at[0], at[1]) - at[2];
            if below <= 0.0 {
                continue;
            }
            let arm = sub(at, self.body.pose.position);
            let speed = self.body.motion.at(self.body.pose.position, at);
            let wanted = (0.2 * below / dt_s).min(1.0);
            if speed[2] >= wanted {
                continue;
            }
            let turn = cross(self.turned_by(mass_kg, cross(arm, [0.0, 0.0, 1.0])), arm);
            let up = (wanted - speed[2]) / (1.0 / mass_kg + turn[2]);
            let slide = (speed[0] * speed[0] + speed[1] * speed[1]).sqrt().max(1.0e-9);
            let hold = (FRICTION * up / slide).min(0.25 * mass_kg);
            self.push(mass_kg, arm, [-hold * speed[0], -hold * speed[1], up]);
        }
    }

    /// Moves it for a step.
    fn advance(&mut self, ground_m: impl Fn(f64, f64) -> f64, dt_s: f64) {
        if let Some(mass_kg) = self.body.mass_kg {
            let centre = self.body.pose.position;
            let (force, torque) = self.load.for_engine(mass_kg, GRAVITY, centre);
            let turn = self.turned_by(mass_kg, torque);
            let Motion { linear, angular } = &mut self.body.motion;
            *linear = std::array::from_fn(|i| linear[i] + force[i] / mass_kg * dt_s);
            linear[2] -= GRAVITY * dt_s;
            *angular = std::array::from_fn(|i| angular[i] + turn[i] * dt_s);
            self.land(mass_kg, ground_m, dt_s);
        }
        let Motion { linear, angular } = self.body.motion;
        let Pose { position, rotation: [x, y, z, w] } = &mut self.body.pose;
        *position = std::array::from_fn(|i| position[i] + linear[i] * dt_s);
        let [a, b, c] = angular.map(|part| 0.5 * part * dt_s);
        let turned = [
            *x + a * *w + b * *z - c * *y,
            *y + b * *w + c * *x - a * *z,
            *z + c * *w + a * *y - b * *x,
            *w - a * *x - b * *y - c * *z,
        ];
        let length = turned.iter().map(|part| part * part).sum::<f64>().sqrt();
        [*x, *y, *z, *w] = turned.map(|part| part / length);
    }
}

impl<G: Fn(f64, f64) -> f64> Bodies for Boxes<G> {
    fn solids(&mut self, put: &mut dyn FnMut(Body)) {
        self.all.iter().for_each(|one| put(one.body.clone()));
    }

    /// Takes the loads, which come by the boxes' numbers, and moves the boxes.
    fn loads(&mut self, loads: &[(BodyId, Load)]) {
        for one in &mut self.all {
            let found = loads.binary_search_by_key(&one.body.id, |load| load.0);
            one.load = found.map_or(one.load, |at| loads[at].1);
            one.advance(&self.ground_m, self.dt_s);
        }
    }
}
