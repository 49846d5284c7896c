//! Footprints of shapes of all sorts, one by one and together.

mod bits;
mod merged;
mod odd;
mod tight;
mod volumes;

use crate::body::{Footprint, Pose, Solid};
use crate::units::hash::scramble;
use glam::{DQuat, DVec3};

/// Numbers from a seed, each 0 to 1.
struct Draws(u64);

impl Draws {
    #[expect(clippy::cast_precision_loss, reason = "53 bits")]
    fn draw(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        (scramble(self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Between two numbers.
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.draw() * (high - low)
    }

    /// A place, each of its coordinates between two numbers.
    fn place(&mut self, low: f64, high: f64) -> DVec3 {
        DVec3::ZERO.map(|_| self.between(low, high))
    }

    /// Any rotation.
    fn rotation(&mut self) -> DQuat {
        let turn = DQuat::from_array([0; 4].map(|_| self.between(-1.0, 1.0)));
        if turn.length() < 0.1 { self.rotation() } else { turn / turn.length() }
    }
}

/// Turned about the vertical, degrees.
fn turned(position: [f64; 3], degrees: f64) -> Pose {
    let rotation = DQuat::from_rotation_z(degrees.to_radians());
    Pose { rotation, ..Pose::at(position) }
}

fn cuboid(lengths: impl Into<[f64; 3]>) -> Solid {
    Solid::cuboid(lengths).expect("a box")
}

fn tetrahedron(corners: [DVec3; 4]) -> Solid {
    let faces = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    let turned = faces.map(|[a, b, c]| [a, c, b]);
    let mesh = |faces: [[u32; 3]; 4]| Solid::mesh(corners.to_vec(), faces.to_vec());
    mesh(faces).or(mesh(turned)).expect("not flat")
}

/// Volume of what a footprint covers, m³.
fn volume(footprint: &Footprint, width: f64) -> f64 {
    let of = |cell: &crate::body::SolidCell| cell.share * (cell.high_m - cell.low_m);
    footprint.cells.iter().map(of).sum::<f64>() * width * width
}
