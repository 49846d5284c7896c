//! Position, orientation and velocity of a body.

use glam::{DMat3, DQuat, DVec3};

/// Largest valid speed, m/s.
const SPEED_MOST: f64 = 1.0e4;

/// Position and orientation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Position of the solid's origin, m.
    pub position: DVec3,
    /// Unit quaternion that rotates the solid.
    pub rotation: DQuat,
}

impl Pose {
    /// Creates the pose of a body at a position, m, without rotation.
    #[must_use]
    pub fn at(position: impl Into<[f64; 3]>) -> Self {
        Self { position: DVec3::from_array(position.into()), rotation: DQuat::IDENTITY }
    }

    /// Creates the pose of a body at a position, m, rotated by a unit quaternion: x, y, z, w.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::body::Pose;
    /// use thalweg::glam::{DQuat, DVec3};
    /// let pose = Pose::new(DVec3::X, DQuat::IDENTITY);
    /// assert_eq!(pose, Pose::new([1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
    /// assert_eq!(pose.to_arrays(), ([1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]));
    /// ```
    #[must_use]
    pub fn new(position: impl Into<[f64; 3]>, rotation: impl Into<[f64; 4]>) -> Self {
        Self { rotation: DQuat::from_array(rotation.into()), ..Self::at(position) }
    }

    /// Returns the position, m, and the unit quaternion: x, y, z, w.
    #[must_use]
    pub fn to_arrays(&self) -> ([f64; 3], [f64; 4]) {
        (self.position.to_array(), self.rotation.to_array())
    }

    /// True if all numbers are finite and the quaternion has length 1.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let is_near = self.position.abs().cmplt(DVec3::splat(1.0e9)).all();
        is_near && (self.rotation.length_squared() - 1.0).abs() < 1.0e-3
    }

    /// Returns the matrix that rotates a vector of the solid to the axes of the world.
    #[must_use]
    pub fn matrix(&self) -> DMat3 {
        let DQuat { x, y, z, w } = self.rotation;
        // A quaternion from single precision has length 1 in its first digits only.
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        DMat3::from_cols(
            DVec3::new(1.0 - s * (y * y + z * z), s * (x * y + z * w), s * (x * z - y * w)),
            DVec3::new(s * (x * y - z * w), 1.0 - s * (x * x + z * z), s * (y * z + x * w)),
            DVec3::new(s * (x * z + y * w), s * (y * z - x * w), 1.0 - s * (x * x + y * y)),
        )
    }

    /// Returns the position in the world of a point of the solid.
    #[must_use]
    pub fn place(&self, point: impl Into<[f64; 3]>) -> DVec3 {
        self.position + self.matrix() * DVec3::from_array(point.into())
    }
}

/// Velocity and angular velocity of a body.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion {
    /// Velocity of the body's origin, m/s.
    pub linear: DVec3,
    /// Angular velocity, rad/s.
    pub angular: DVec3,
}

impl Motion {
    /// Creates a motion from a velocity, m/s, and an angular velocity, rad/s.
    #[must_use]
    pub fn new(linear: impl Into<[f64; 3]>, angular: impl Into<[f64; 3]>) -> Self {
        let [linear, angular] = [linear.into(), angular.into()].map(DVec3::from_array);
        Self { linear, angular }
    }

    /// True if all numbers are finite and within 10 km/s.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let most = DVec3::splat(SPEED_MOST);
        (self.linear.abs().cmple(most) & self.angular.abs().cmple(most)).all()
    }

    /// Returns the velocity of a point of the world that moves with the body, whose origin is at
    /// `origin`, m/s.
    #[must_use]
    pub fn at(&self, origin: DVec3, point: DVec3) -> DVec3 {
        self.linear + self.angular.cross(point - origin)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: vectors of `mint` can replace those of `glam`, as arguments and as results.
    #[cfg(feature = "mint")]
    #[test]
    fn vectors_of_mint_come_in_and_go_out() {
        let point = mint::Point3 { x: 1.0, y: 2.0, z: 3.0 };
        let turn = mint::Quaternion { v: mint::Vector3 { x: 0.0, y: 0.0, z: 1.0 }, s: 0.0 };
        let pose = Pose::new(point, turn);
        assert_eq!(pose.to_arrays(), ([1.0, 2.0, 3.0], [0.0, 0.0, 1.0, 0.0]));
        assert_eq!(mint::Point3::from(pose.position), point);
        assert_eq!(mint::Quaternion::from(pose.rotation), turn);
    }

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
