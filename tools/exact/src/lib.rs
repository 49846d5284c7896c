//! Exact solutions of the shallow-water equations, with which a solver is compared.
//!
//! | file | solution | source |
//! | --- | --- | --- |
//! | `stoker.rs` | dam break onto water | Stoker (1957) |
//! | `ritter.rs` | dam break onto dry ground | Ritter (1892) |
//! | `bore.rs` | a bore into still water | Rankine–Hugoniot |
//! | `bump.rs` | steady flow over a bump: subcritical, transcritical, with a jump | Bernoulli |
//! | `thacker_line.rs` | a plane surface that swings in a parabola | Thacker (1981) |
//! | `thacker_planar.rs` | a plane surface that turns in a paraboloid | Thacker (1981) |
//! | `thacker_radial.rs` | a round surface that breathes in a paraboloid | Thacker (1981) |
//! | `normal_depth.rs` | uniform flow down a slope | Manning |
//!
//! Guarantees: each solution agrees with its table of SWASHES, if one exists, to 3·10⁻⁶ and better.
//! Limits:     no friction but in `normal_depth.rs`; f64, by bisection if no closed form exists;
//!             not for state code.
//! Source:     Delestre et al. (2013), SWASHES, Int. J. Numer. Meth. Fluids 72:269-300.

mod bisect;
mod bore;
mod bump;
mod normal_depth;
mod ritter;
mod stoker;
mod thacker_line;
mod thacker_planar;
mod thacker_radial;

#[cfg(test)]
mod table;

pub use bore::Bore;
pub use bump::{Bump, Regime};
pub use normal_depth::UniformFlow;
pub use ritter::Ritter;
pub use stoker::Stoker;
pub use thacker_line::ThackerLine;
pub use thacker_planar::ThackerPlanar;
pub use thacker_radial::ThackerRadial;

/// Gravitational acceleration of all solutions, m/s².
pub const GRAVITY: f64 = 9.81;

/// Water in one place of a channel.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExactFlow {
    /// Depth, m.
    pub depth_m: f64,
    /// Velocity, m/s; 0 if the place is dry.
    pub velocity_m_s: f64,
}

impl ExactFlow {
    /// No water.
    pub const DRY: Self = Self { depth_m: 0.0, velocity_m_s: 0.0 };
}

/// Water in one place of a plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneFlow {
    /// Depth, m.
    pub depth_m: f64,
    /// Velocity eastward and northward, m/s; 0 if the place is dry.
    pub velocity_m_s: [f64; 2],
}

impl PlaneFlow {
    /// Creates water of a depth and velocity; dry if the depth is not above 0.
    fn new(depth_m: f64, velocity_m_s: [f64; 2]) -> Self {
        if depth_m > 0.0 {
            Self { depth_m, velocity_m_s }
        } else {
            Self { depth_m: 0.0, velocity_m_s: [0.0; 2] }
        }
    }
}
