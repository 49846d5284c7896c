//! Where a body is, how it lies, and how it moves.

use glam::{DMat3, DQuat, DVec3};

/// Largest speed that is one, m/s.
const SPEED_MOST: f64 = 1.0e4;

/// Position and orientation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the origin of its solid is, m.
    pub position: DVec3,
    /// Unit quaternion that turns its solid.
    pub rotation: DQuat,
}

impl Pose {
    /// A body that lies as its solid was made.
    #[must_use]
    pub fn at(position: impl Into<DVec3>) -> Self {
        Self { position: position.into(), rotation: DQuat::IDENTITY }
    }

    /// True where all numbers are finite and the quaternion is one of length 1.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let is_near = self.position.abs().cmplt(DVec3::splat(1.0e9)).all();
        is_near && (self.rotation.length_squared() - 1.0).abs() < 1.0e-3
    }

    /// The matrix that turns a vector of its solid into one of the world.
    #[must_use]
    pub fn matrix(&self) -> DMat3 {
        let DQuat { x, y, z, w } = self.rotation;
        // A quaternion from single precision is of length 1 in its first digits only.
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        DMat3::from_cols(
            DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)),
            DVec3::new(s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)),
            DVec3::new(s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)),
        )
    }

    /// Where a point of its solid is in the world.
    #[must_use]
    pub fn place(&self, point: impl Into<DVec3>) -> DVec3 {
        self.position + self.matrix() * point.into()
    }
}

/// How a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion {
    /// Velocity of its origin, m/s.
    pub linear: DVec3,
    /// Angular velocity, rad/s.
    pub angular: DVec3,
}

impl Motion {
    /// True where all numbers are finite and within 10 km/s.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let most = DVec3::splat(SPEED_MOST);
        (self.linear.abs().cmple(most) & self.angular.abs().cmple(most)).all()
    }

    /// Velocity of a point of the world that moves with the body, whose origin is at `origin`, m/s.
    #[must_use]
    pub fn at(&self, origin: DVec3, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point - origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a quarter turn about the vertical sends east to north, and points move with it.
    #[test]
    fn a_quarter_turn_sends_east_to_north() {
        let half = 0.5_f64.sqrt();
        let rotation = DQuat::from_xyzw(0.0, 0.0, half, half);
        let pose = Pose { rotation, ..Pose::at([10.0, 20.0, 30.0]) };
        let there = pose.place([1.0, 0.0, 2.0]);
        assert!(there.abs_diff_eq(DVec3::new(10.0, 21.0, 32.0), 1.0e-12), "{there}");
        let motion = Motion { linear: 0.5 * DVec3::X, angular: 2.0 * DVec3::Z };
        let found = motion.at(pose.position, DVec3::new(11.0, 20.0, 30.0));
        assert!(found.abs_diff_eq(DVec3::new(0.5, 2.0, 0.0), 1.0e-12), "{found}");
        assert!(!Pose { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..pose }.is_good());
        assert!(!Pose::at([f64::NAN, 0.0, 0.0]).is_good());
    }
}
