//! Where a body is, how it lies, and how it moves.

use crate::body::Point;

/// Largest speed that is one, m/s.
const SPEED_MOST: f64 = 1.0e4;

/// Position and orientation of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Where the origin of its solid is, m.
    pub position: Point,
    /// Unit quaternion that turns its solid: x, y, z, w.
    pub rotation: [f64; 4],
}

impl Pose {
    /// A body that lies as its solid was made.
    #[must_use]
    pub fn at(position: Point) -> Self {
        Self { position, rotation: [0.0, 0.0, 0.0, 1.0] }
    }

    /// True where all numbers are finite and the quaternion is one of length 1.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let length: f64 = self.rotation.iter().map(|part| part * part).sum();
        self.position.iter().all(|part| part.abs() < 1.0e9) && (length - 1.0).abs() < 1.0e-3
    }

    /// Rows of the matrix that turns a vector of its solid into one of the world.
    #[must_use]
    pub fn matrix(&self) -> [Point; 3] {
        let [x, y, z, w] = self.rotation;
        // A quaternion from single precision is of length 1 in its first digits only.
        let s = 2.0 / (x * x + y * y + z * z + w * w);
        [
            [1.0 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)],
            [s * (x * y + z * w), 1.0 - s * (x * x + z * z), s * (y * z - x * w)],
            [s * (x * z - y * w), s * (y * z + x * w), 1.0 - s * (x * x + y * y)],
        ]
    }

    /// Where a point of its solid is in the world.
    #[must_use]
    pub fn place(&self, point: Point) -> Point {
        let rows = self.matrix();
        std::array::from_fn(|i| self.position[i] + dot(rows[i], point))
    }
}

/// How a body moves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Motion {
    /// Velocity of its origin, m/s.
    pub linear: Point,
    /// Angular velocity, rad/s.
    pub angular: Point,
}

impl Motion {
    /// True where all numbers are finite and within 10 km/s.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.linear.iter().chain(&self.angular).all(|part| part.abs() <= SPEED_MOST)
    }

    /// Velocity of a point of the world that moves with the body, whose origin is at `origin`, m/s.
    #[must_use]
    pub fn at(&self, origin: Point, point: Point) -> Point {
        let turn = cross(self.angular, sub(point, origin));
        std::array::from_fn(|i| self.linear[i] + turn[i])
    }
}

/// Sum of the products.
#[must_use]
pub fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Vector product.
#[must_use]
pub fn cross(a: Point, b: Point) -> Point {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Difference.
#[must_use]
pub fn sub(a: Point, b: Point) -> Point {
    std::array::from_fn(|i| a[i] - b[i])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: a quarter turn about the vertical sends east to north, and points move with it.
    #[test]
    fn a_quarter_turn_sends_east_to_north() {
        let half = 0.5_f64.sqrt();
        let pose = Pose { position: [10.0, 20.0, 30.0], rotation: [0.0, 0.0, half, half] };
        let there = pose.place([1.0, 0.0, 2.0]);
        for (found, expected) in there.iter().zip([10.0, 21.0, 32.0]) {
            assert!((found - expected).abs() < 1.0e-12, "{there:?}");
        }
        let motion = Motion { linear: [0.5, 0.0, 0.0], angular: [0.0, 0.0, 2.0] };
        let found = motion.at(pose.position, [11.0, 20.0, 30.0]);
        assert!((found[0] - 0.5).abs() < 1.0e-12 && (found[1] - 2.0).abs() < 1.0e-12);
        assert!(!Pose { rotation: [0.0; 4], ..pose }.is_good());
        assert!(!Pose::at([f64::NAN, 0.0, 0.0]).is_good());
    }
}
