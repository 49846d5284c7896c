//! Boxes that move in steps of symplectic Euler, as a game's engine moves them.

use super::*;

struct Hull {
    panels: Panels,
    lengths: Point,
    mass_kg: f64,
    inertia: Point,
    afloat: Afloat,
}

impl Hull {
    fn of(lengths: Point, density: f64, position: Point, heel: f64, dt_s: f64) -> Self {
        let mass_kg = density * lengths[0] * lengths[1] * lengths[2];
        let [x, y, z] = lengths.map(|length| length * length * mass_kg / 12.0);
        let rotation = [(0.5 * heel).sin(), 0.0, 0.0, (0.5 * heel).cos()];
        let pose = Pose { position, rotation };
        let inertia = Some(Inertia { mass_kg, dt_s });
        Self {
            panels: Panels::of(&Solid::cuboid(lengths).expect("a box"), 1.0),
            lengths,
            mass_kg,
            inertia: [y + z, x + z, x + y],
            afloat: Afloat { pose, motion: Motion::default(), inertia },
        }
    }

    fn step(&mut self, water: &impl Surroundings, dt_s: f64) {
        let load = load(&self.panels, &self.afloat, water, &LoadParams::default());
        let Pose { position, rotation } = self.afloat.pose;
        let (force, torque) = load.for_engine(self.mass_kg, GRAVITY, position);
        let rows = self.afloat.pose.matrix();
        let Motion { linear, angular } = &mut self.afloat.motion;
        for i in 0..3 {
            let gravity = if i == 2 { GRAVITY } else { 0.0 };
            linear[i] += dt_s * (force[i] / self.mass_kg - gravity);
        }
        // Angular momentum to velocity, through the axes of the box.
        let own = |vector: Point| -> Point {
            std::array::from_fn(|i| (0..3).map(|j| rows[j][i] * vector[j]).sum())
        };
        let spin = own(*angular);
        let momentum: Point = std::array::from_fn(|i| self.inertia[i] * spin[i]);
        let gyro = cross(spin, momentum);
        let turn = own(torque);
        let spin: Point =
            std::array::from_fn(|i| spin[i] + dt_s * (turn[i] - gyro[i]) / self.inertia[i]);
        *angular = rows.map(|row| dot(row, spin));
        let [a, b, c] = *angular;
        let [x, y, z, w] = rotation;
        let half = 0.5 * dt_s;
        let turned = [
            x + half * (a * w + b * z - c * y),
            y + half * (b * w + c * x - a * z),
            z + half * (c * w + a * y - b * x),
            w - half * (a * x + b * y + c * z),
        ];
        let length = turned.iter().map(|part| part * part).sum::<f64>().sqrt();
        let position = std::array::from_fn(|i| position[i] + dt_s * linear[i]);
        self.afloat.pose = Pose { position, rotation: turned.map(|part| part / length) };
    }

    /// Kinetic energy, and the potential one of the body and of the water it displaces, J.
    fn energy(&self, stage_m: f64) -> f64 {
        let Motion { linear, angular } = self.afloat.motion;
        let rows = self.afloat.pose.matrix();
        let mut energy = 0.5 * self.mass_kg * dot(linear, linear);
        energy += self.mass_kg * GRAVITY * (self.afloat.pose.position[2] - stage_m);
        for (i, inertia) in self.inertia.iter().enumerate() {
            let spin: f64 = (0..3).map(|j| rows[j][i] * angular[j]).sum();
            energy += 0.5 * inertia * spin * spin;
        }
        let count = 24;
        let middle = |i: i32, length: f64| ((f64::from(i) + 0.5) / f64::from(count) - 0.5) * length;
        let volume = self.lengths.iter().product::<f64>() / f64::from(count).powi(3);
        for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
            for k in 0..count {
                let [x, y, z] = self.lengths;
                let at = self.afloat.pose.place([middle(i, x), middle(j, y), middle(k, z)]);
                energy += DENSITY * GRAVITY * volume * (stage_m - at[2]).max(0.0);
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
        let up = hull.afloat.pose.matrix()[2][2];
        let found = 20.0 - (hull.afloat.pose.position[2] - 0.5 * lengths[2]);
        assert!((found / draught - 1.0).abs() < 0.01, "{name}: draught {found}, not {draught}");
        assert!(up > 0.99996, "{name}: stands {up} upright");
        let Motion { linear, angular } = hull.afloat.motion;
        assert!(linear[2].abs() < 2.0e-3, "{name}: moves by {linear:?}");
        // Drag alone slows a drift, by its square.
        assert!(linear[0].abs() + linear[1].abs() < 0.01, "{name}: moves by {linear:?}");
        assert!(dot(angular, angular).sqrt() < 2.0e-3, "{name}: turns by {angular:?}");
    }
}

/// Goal: a current takes a light box along: its speed rises to the current's and never past it.
#[test]
fn a_light_box_in_a_current_does_not_jitter() {
    for (current, dt_s) in [(2.0, 1.0 / 60.0), (2.0, 1.0 / 20.0), (8.0, 1.0 / 20.0)] {
        let river = Water(move |_| {
            Some(Nearby { velocity_m_s: [current, 0.0], ..Nearby::still(20.0, 0.0) })
        });
        for (lengths, up) in [([1.0, 1.0, 1.0], 20.48), ([1.5, 1.0, 0.3], 19.0)] {
            let mut hull = Hull::of(lengths, 20.0, [50.0, 50.0, up], 0.0, dt_s);
            let mut before = 0.0;
            for step in 0..600 {
                hull.step(&river, dt_s);
                let now = hull.afloat.motion.linear[0];
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
            ([0.0, 0.0, -30.0], [0.0; 3]),
            ([20.0, 5.0, 0.0], [0.0; 3]),
            ([0.0; 3], [9.0, -8.0, 3.0]),
        ] {
            let (mass_kg, dt_s) = (1.0, 0.05);
            let pose = Pose { position: [50.0, 50.0, 10.0], rotation };
            let motion = Motion { linear, angular };
            let afloat = Afloat { pose, motion, inertia: Some(Inertia { mass_kg, dt_s }) };
            let wet = load(&plate, &afloat, &lake(), &LoadParams::default());
            let dry = load(&plate, &still(pose), &lake(), &LoadParams::default());
            let mass = wet.added_mass_kg.map(|added| mass_kg + added);
            let least = mass[0].min(mass[1]).min(mass[2]);
            let torque = sub(wet.torque, dry.torque);
            let turn = plate_spin(&plate, &pose, torque).map(|spin| dt_s * spin / least);
            let after: Point = std::array::from_fn(|i| linear[i] + dt_s * wet.drag[i] / mass[i]);
            let spin: Point = std::array::from_fn(|i| angular[i] + turn[i]);
            // The same force at the end of the step still brakes.
            let power = dot(wet.drag, linear) + dot(torque, angular);
            let left = dot(wet.drag, after) + dot(torque, spin);
            let name = format!("{rotation:?}, {linear:?}, {angular:?}");
            assert!(power < 0.0 && left <= -1.0e-9 * power, "{name}: {power} then {left} W");
        }
    }
}

/// What a torque does to the spin of a plate of 1 kg in a second, rad/s.
fn plate_spin(plate: &Panels, pose: &Pose, torque: Point) -> Point {
    let rows = pose.matrix();
    let own: Point = std::array::from_fn(|i| (0..3).map(|j| rows[j][i] * torque[j]).sum());
    let spin = plate.ease().map(|row| dot(row, own));
    rows.map(|row| dot(row, spin))
}
