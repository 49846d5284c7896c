//! The bits of footprints, panels and loads.

use super::*;
use crate::body::{Afloat, Inertia, LoadParams, Motion, Nearby, Panels, Surroundings, load};
use glam::DVec2;

/// Water that slopes and flows.
struct River;

impl Surroundings for River {
    fn cell_m(&self, _: DVec2) -> f64 {
        1.0
    }
    fn near(&self, at: DVec2) -> Option<Nearby> {
        let slope = DVec2::new(0.01, -0.02);
        let stage_m = 20.0 + slope.x * (at.x - 50.0) + slope.y * (at.y - 50.0);
        let velocity_m_s = DVec2::new(0.02 * at.y, 0.3 - 0.01 * at.x);
        Some(Nearby { stage_m, slope, bed_m: 18.5, velocity_m_s })
    }
}

/// Numbers as one.
#[derive(Default)]
struct Bits(u64);

impl Bits {
    fn add(&mut self, numbers: impl IntoIterator<Item = f64>) {
        numbers.into_iter().for_each(|number| self.0 = scramble(self.0 ^ number.to_bits()));
    }
}

/// Goal: P2 for what bodies take and feel: the same bits on every machine, in every version.
/// Method: boxes, tetrahedra and compounds of all sizes and rotations in a river.
#[test]
fn footprints_and_loads_have_the_bits_they_had() {
    let (mut footprints, mut panelled, mut loads) =
        (Bits::default(), Bits::default(), Bits::default());
    for seed in 0..200 {
        let mut draws = Draws(seed << 32);
        let lengths = draws.place(0.05, 4.0);
        let corners = [0; 4].map(|_| draws.place(-2.0, 2.0));
        let (one, other) = (cuboid(lengths), tetrahedron(corners));
        let parts = [(one.clone(), DVec3::ZERO), (other.clone(), DVec3::new(1.0, 0.5, 0.25))];
        let pair = Solid::compound(&parts);
        let solid = [one, other, pair.expect("two")][(seed % 3) as usize].clone();
        let position =
            [draws.between(45.0, 55.0), draws.between(45.0, 55.0), draws.between(18.0, 21.0)];
        let pose = Pose { rotation: draws.rotation(), ..Pose::at(position) };
        let motion = Motion { linear: draws.place(-3.0, 3.0), angular: draws.place(-3.0, 3.0) };
        let mut footprint = Footprint::of(&solid, &pose, 0.7, (200, 200));
        footprint.move_with(&pose, &motion, 0.7);
        for cell in &footprint.cells {
            footprints.add([cell.share, cell.low_m, cell.high_m]);
        }
        for face in &footprint.faces {
            footprints.add([face.from, face.to, face.low_m, face.high_m, face.lead]);
            footprints.add([face.speed_m_s]);
        }
        let panels = Panels::of(&solid, 0.6);
        panelled.add([panels.volume_m3(), panels.length_m(), solid.reach_m()]);
        panelled.add(panels.centre().to_array());
        panelled
            .add(panels.inertia().to_cols_array().into_iter().chain(panels.ease().to_cols_array()));
        let inertia = Some(Inertia { mass_kg: 300.0, dt_s: 0.02 }).filter(|_| seed % 5 > 0);
        let afloat = Afloat { pose, motion, inertia };
        let load = load(&panels, &afloat, &River, &LoadParams::default());
        let (force, torque) = load.for_engine(300.0, 9.81, pose.place(panels.centre()));
        for vector in [load.force, load.torque, load.drag, load.added_mass_kg, force, torque] {
            loads.add(vector.to_array());
        }
        loads.add([load.submerged_m3, load.wet_m2]);
    }
    let found = [footprints.0, panelled.0, loads.0];
    assert_eq!(
        found,
        [0x4bb8_8041_4307_1862, 0x768b_30a1_0d26_beb1, 0xae80_ab6f_4429_cc45],
        "{found:#018x?}"
    );
}
