//! Boxes that move in steps of symplectic Euler, as a game's engine moves them.

use super::*;
use crate::body::Inertia;

struct Hull {
    panels: Panels,
    lengths: DVec3,
    mass_kg: f64,
    inertia: DVec3,
    afloat: Afloat,
}

impl Hull {
    fn of(lengths: [f64; 3], density: f64, position: [f64; 3], heel: f64, dt_s: f64) -> Self {
        let lengths = DVec3::from(lengths);
        let mass_kg = density * lengths.element_product();
        let squares = lengths * lengths * mass_kg / 12.0;
        let pose = Pose { rotation: DQuat::from_rotation_x(heel), ..Pose::at(position) };
        let inertia = Some(Inertia { mass_kg, dt_s });
        Self {
            panels: Panels::of(&Solid::cuboid(lengths).expect("a box"), 1.0),
            lengths,
            mass_kg,
            inertia: squares.element_sum() - squares,
            afloat: Afloat { pose, motion: Motion::default(), inertia },
        }
    }

    fn step(&mut self, water: &impl Surroundings, dt_s: f64) {
        let load = load(&self.panels, &self.afloat, water, &LoadParams::default());
        let Pose { position, rotation } = self.afloat.pose;
        let (force, torque) = load.for_engine(self.mass_kg, GRAVITY, position);
        let matrix = self.afloat.pose.matrix();
        let Motion { linear, angular } = &mut self.afloat.motion;
        *linear += dt_s * (force / self.mass_kg - GRAVITY * DVec3::Z);
        // Angular momentum to velocity, through the axes of the box.
        let spin = matrix.mul_transpose_vec3(*angular);
        let turn = matrix.mul_transpose_vec3(torque) - spin.cross(self.inertia * spin);
        *angular = matrix * (spin + dt_s * turn / self.inertia);
        let rate = DQuat::from_vec4((0.5 * dt_s * *angular).extend(0.0));
        self.afloat.pose = Pose {
            position: position + dt_s * *linear,
            rotation: (rotation + rate * rotation).normalize(),
        };
    }

    /// Kinetic energy, and the potential one of the body and of the water it displaces, J.
    fn energy(&self, stage_m: f64) -> f64 {
        let Motion { linear, angular } = self.afloat.motion;
        let spin = self.afloat.pose.matrix().mul_transpose_vec3(angular);
        let mut energy = 0.5 * self.mass_kg * linear.length_squared();
        energy += self.mass_kg * GRAVITY * (self.afloat.pose.position.z - stage_m);
        energy += 0.5 * self.inertia.dot(spin * spin);
        let count = 24;
        let middle = |i: i32, length: f64| ((f64::from(i) + 0.5) / f64::from(count) - 0.5) * length;
        let volume = self.lengths.element_product() / f64::from(count).powi(3);
        for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
            for k in 0..count {
                let DVec3 { x, y, z } = self.lengths;
                let at = self.afloat.pose.place([middle(i, x), middle(j, y), middle(k, z)]);
                energy += DENSITY * GRAVITY * volume * (stage_m - at.z).max(0.0);
            }
        }
        energy
    }
}

/// Goal: dropped from 0.3 m over its draught, or heeled by 20°, a box comes to rest at Archimedes'
/// draught within 1 %, upright, and its energy never rises above its start.
#[test]
fn a_light_box_comes_to_rest() {
    let cases = [
        ([1.0, 1.0, 1.0], 500.0, 0.3, 0.0, 1.0 / 60.0),
        ([2.0, 2.0, 1.0], 300.0, 0.0, 20.0, 1.0 / 60.0),
        ([2.0, 1.5, 0.8], 20.0, 0.3, 20.0, 1.0 / 60.0),
        ([2.0, 1.5, 0.8], 20.0, 0.3, 20.0, 1.0 / 20.0),
        ([3.0, 2.0, 1.0], 700.0, -0.2, 20.0, 1.0 / 30.0),
    ];
    for (lengths, density, over, heel, dt_s) in cases {
        let draught = lengths[2] * density / DENSITY;
        let rest = 20.0 + 0.5 * lengths[2] - draught;
        let heel = f64::to_radians(heel);
        let mut hull = Hull::of(lengths, density, [50.0, 50.0, rest + over], heel, dt_s);
        let start = hull.energy(20.0);
        let name = format!("{lengths:?} of {density} kg/m³, {over} m over, step {dt_s} s");
        let mut time_s = 0.0;
        let mut step = 0;
        while time_s < 40.0 {
            hull.step(&lake(), dt_s);
            time_s += dt_s;
            step += 1;
            if step % 4 == 0 || time_s < 2.0 {
                let now = hull.energy(20.0);
                // The sum over points is off by as much.
                let slack = 2.0e-4 * hull.mass_kg * GRAVITY;
                assert!(now <= start + slack, "{name}: {now} J after {start} J at {time_s} s");
            }
        }
        let up = hull.afloat.pose.matrix().z_axis.z;
        let found = 20.0 - (hull.afloat.pose.position.z - 0.5 * lengths[2]);
        assert!((found / draught - 1.0).abs() < 0.01, "{name}: draught {found}, not {draught}");
        assert!(up > 0.99996, "{name}: stands {up} upright");
        let Motion { linear, angular } = hull.afloat.motion;
        assert!(linear.z.abs() < 2.0e-3, "{name}: moves by {linear:?}");
        // Drag alone slows a drift, by its square.
        assert!(linear.x.abs() + linear.y.abs() < 0.01, "{name}: moves by {linear:?}");
        assert!(angular.length() < 2.0e-3, "{name}: turns by {angular:?}");
    }
}

/// Goal: a current takes a light box along: its speed rises to the current's and never past it.
#[test]
fn a_light_box_in_a_current_does_not_jitter() {
    for (current, dt_s) in [(2.0, 1.0 / 60.0), (2.0, 1.0 / 20.0), (8.0, 1.0 / 20.0)] {
        let river = Water(move |_| {
            Some(Nearby { velocity_m_s: current * DVec2::X, ..Nearby::still(20.0, 0.0) })
        });
        for (lengths, up) in [([1.0, 1.0, 1.0], 20.48), ([1.5, 1.0, 0.3], 19.0)] {
            let mut hull = Hull::of(lengths, 20.0, [50.0, 50.0, up], 0.0, dt_s);
            let mut before = 0.0;
            for step in 0..600 {
                hull.step(&river, dt_s);
                let now = hull.afloat.motion.linear.x;
                let name = format!("{current} m/s, step {step} of {dt_s} s, {lengths:?}");
                // What tumbles to the surface trades a little of its speed for spin.
                let slack = if up > 20.0 { 1.0e-9 } else { 1.0e-3 };
                assert!(now >= before - slack * current, "{name}: {before} then {now} m/s");
                assert!(now <= current * (1.0 + 1.0e-9), "{name}: {now} m/s");
                before = now;
            }
            assert!(before > 0.85 * current, "{lengths:?}: {before} m/s of {current} after all");
        }
    }
}

/// Goal: however thin and fast, one step of drag does not turn motion against the water round.
#[test]
fn drag_never_turns_a_motion_round() {
    let plate = Panels::of(&Solid::cuboid([2.0, 2.0, 0.02]).expect("a plate"), 0.5);
    for rotation in rotations() {
        for (linear, angular) in [
            (-30.0 * DVec3::Z, DVec3::ZERO),
            (DVec3::new(20.0, 5.0, 0.0), DVec3::ZERO),
            (DVec3::ZERO, DVec3::new(9.0, -8.0, 3.0)),
        ] {
            let (mass_kg, dt_s) = (1.0, 0.05);
            let pose = Pose { rotation, ..Pose::at([50.0, 50.0, 10.0]) };
            let motion = Motion { linear, angular };
            let afloat = Afloat { pose, motion, inertia: Some(Inertia { mass_kg, dt_s }) };
            let wet = load(&plate, &afloat, &lake(), &LoadParams::default());
            let dry = load(&plate, &still(pose), &lake(), &LoadParams::default());
            let mass = mass_kg + wet.added_mass_kg;
            let torque = wet.torque - dry.torque;
            let turn = dt_s * plate_spin(&plate, &pose, torque) / mass.min_element();
            let after = linear + dt_s * wet.drag / mass;
            // The same force at the end of the step still brakes.
            let power = wet.drag.dot(linear) + torque.dot(angular);
            let left = wet.drag.dot(after) + torque.dot(angular + turn);
            let name = format!("{rotation:?}, {linear:?}, {angular:?}");
            assert!(power < 0.0 && left <= -1.0e-9 * power, "{name}: {power} then {left} W");
        }
    }
}

/// Change of the spin of a plate of 1 kg by a torque in a second, rad/s.
fn plate_spin(plate: &Panels, pose: &Pose, torque: DVec3) -> DVec3 {
    let matrix = pose.matrix();
    matrix * (plate.ease() * matrix.mul_transpose_vec3(torque))
}
