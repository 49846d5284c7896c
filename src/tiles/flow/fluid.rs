//! Fluid of a world: water, or a liquid with viscosity and a yield stress, as mud and lava.
//!
//! ```text
//! S_f = τ_y/(ρ g h) + K μ |V|/(8 ρ g h²) + n² V²/h^(4/3)      (1)  along the velocity V
//!
//! y   = Δt τ_y/(ρ h),   c = Δt K μ/(8 ρ h²),   k = g Δt n²/h^(4/3)
//! W   = |V*| − min(|V*|, y)                                   (2)  V*: without resistance
//! V'  = 2 W/((1 + c) + √((1 + c)² + 4 k W))                   (3)  along V*
//! ```
//!
//! Eq. (3) is the positive root of V' (1 + c + k V') = W: all three terms act with the velocity of
//! the end of the step, so the steady state is (1) exactly at any step. A pull below y stops a flow
//! to 0 exactly and moves none at rest. Water has neither viscosity nor yield stress: Manning's law
//! alone resists it, and its kernels are compiled without (2) and (3).
//!
//! Both components of V* count. Along the axis of a face V* is the solver's velocity; across it,
//! the mean velocity of the four faces there and the pull of the stages over the open ones, at the
//! start of the step ([`StagesAround`]). So a mud on a slope at an angle to the grid begins to
//! move, and stops, at the same slope as along the grid.
//!
//! Guarantees: no resistance turns a flow round; no NaN for any fluid that
//!             `Settings::check` accepts.
//! Limits:     one fluid in the whole world, which mixes with nothing: rain and inflows bring the
//!             same. Between sub-grid columns h is the depth of the water that flows.
//! Source:     O'Brien & Julien (1985), Physical properties and mechanics of hyperconcentrated
//!             sediment flows; O'Brien, Julien & Fullerton (1993), J. Hydraul. Eng. 119: (1); the
//!             root own.

use crate::flow::face::FaceParams;
use crate::flow::wrap::{add, sub};
use crate::grid::Axis;
use crate::tile::padded::{Padded, PaddedPlane, STRIDE, run};
use crate::units::maths;
use serde::{Deserialize, Serialize};

/// Fluid of a world.
///
/// ```
/// use thalweg::world::{Fluid, Settings};
///
/// // A mud of two thirds water.
/// let fluid = Fluid {
///     density_kg_m3: 1_550.0,
///     viscosity_pa_s: 2.0,
///     yield_stress_pa: 60.0,
///     ..Fluid::WATER
/// };
/// assert!(Settings { fluid, ..Settings::default() }.check().is_ok());
/// assert!(fluid.resists() && !Fluid::WATER.resists());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fluid {
    /// Density ρ, kg/m³.
    pub density_kg_m3: f64,
    /// Dynamic viscosity μ, Pa·s; 0 leaves the laminar term out.
    pub viscosity_pa_s: f64,
    /// Yield stress τ_y, Pa.
    pub yield_stress_pa: f64,
    /// Laminar resistance K: 24 over a smooth wide bed, more over rough ground.
    pub resistance: f64,
}

impl Fluid {
    /// Water: Manning's law alone resists it.
    pub const WATER: Self =
        Self { density_kg_m3: 1000.0, viscosity_pa_s: 0.0, yield_stress_pa: 0.0, resistance: 24.0 };

    /// True if the fluid is the default, which files leave out.
    #[must_use]
    pub fn is_water(&self) -> bool {
        *self == Self::WATER
    }

    /// True if the fluid has the density of water.
    #[must_use]
    pub fn is_dense_as_water(&self) -> bool {
        self.density_kg_m3.to_bits() == Self::WATER.density_kg_m3.to_bits()
    }

    /// Returns the speed of uniform flow by (1), m/s, at a depth, m, on a slope; n of Manning in
    /// s/m^(1/3), gravity in m/s².
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "a root of 5 digits is enough")]
    pub fn normal_speed(&self, depth_m: f64, slope: f64, n: f64, gravity: f64) -> f64 {
        let weight = self.density_kg_m3 * gravity * depth_m;
        let pull = slope - self.yield_stress_pa / weight;
        if pull <= 0.0 {
            return 0.0;
        }
        let laminar = self.resistance * self.viscosity_pa_s / (8.0 * weight * depth_m);
        let root = f64::from(maths::inverse_cube_root(depth_m as f32));
        let rough = n * n * root * root * root * root;
        // In this form of the root of a quadratic equation `laminar` or `rough` may be 0.
        2.0 * pull / (laminar + (laminar * laminar + 4.0 * rough * pull).sqrt())
    }

    /// True if the fluid has a yield stress.
    #[must_use]
    pub fn yields(&self) -> bool {
        self.yield_stress_pa > 0.0
    }

    /// True if viscosity or yield stress resist the flow.
    #[must_use]
    pub fn resists(&self) -> bool {
        self.viscosity_pa_s > 0.0 || self.yields()
    }
}

impl Default for Fluid {
    fn default() -> Self {
        Self::WATER
    }
}

/// Constants of a fluid for one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FluidParams {
    /// Δt τ_y/ρ, m²/s.
    stop: f32,
    /// Δt K μ/(8 ρ), m².
    laminar: f32,
}

impl FluidParams {
    /// Constants of water.
    pub const WATER: Self = Self { stop: 0.0, laminar: 0.0 };

    /// Computes the constants for a step of `dt_s`.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn new(fluid: &Fluid, dt_s: f64) -> Self {
        let Fluid { density_kg_m3, viscosity_pa_s, yield_stress_pa, resistance } = *fluid;
        Self {
            stop: (dt_s * yield_stress_pa / density_kg_m3) as f32,
            laminar: (dt_s * resistance * viscosity_pa_s / (8.0 * density_kg_m3)) as f32,
        }
    }

    /// True if nothing but Manning's friction resists the fluid.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::WATER
    }

    /// Returns the largest fall of the stage over a face at which the yield stress keeps the fluid
    /// at rest, at a depth, m: whole vertical units.
    #[must_use]
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    pub fn held_fall(&self, depth_m: f32, params: &FaceParams) -> i32 {
        let units = self.stop / (depth_m * (params.gravity_ratio * params.unit_m));
        maths::min(units, 1.0e9) as i32
    }

    /// Returns the slope that viscosity and yield stress take from a speed, m/s, at a depth, m.
    #[must_use]
    pub fn slope(&self, speed: f32, depth_m: f32, params: &FaceParams) -> f32 {
        self.to_velocity(depth_m, 1.0, 0.0).lost(speed, 0.0) / params.friction
    }

    /// Returns the resistance to a velocity at a depth, m, over a part of the step, with friction
    /// `k` of Manning, s/m.
    #[inline(always)]
    #[must_use]
    pub fn to_velocity(&self, depth_m: f32, part: f32, k: f32) -> Resistance {
        let per_depth = part / depth_m;
        Resistance { y: self.stop * per_depth, c: 1.0 + self.laminar * per_depth / depth_m, k }
    }
}

/// Resistance to a velocity, m/s, or to a unit discharge, m²/s, in one step.
#[derive(Debug, Clone, Copy)]
pub struct Resistance {
    /// y of eq. (2), m/s or m²/s.
    y: f32,
    /// 1 + c of eq. (3).
    c: f32,
    /// k of eq. (3), s/m or s/m².
    k: f32,
}

impl Resistance {
    /// Returns the resistance to the discharge through an area of `area_m` metres per metre of
    /// width.
    #[inline(always)]
    #[must_use]
    pub fn of_discharge(self, area_m: f32) -> Self {
        Self { y: self.y * area_m, k: self.k / area_m, ..self }
    }

    /// Returns the loss of a component `flow` in a step of a steady flow whose component across it
    /// is `across`.
    #[inline(always)]
    #[must_use]
    pub fn lost(&self, flow: f32, across: f32) -> f32 {
        let Self { y, c, k } = *self;
        let total = (flow * flow + across * across).sqrt();
        // The root of small squares may be 0.
        let whole = maths::max(maths::max(total, flow.abs()), f32::MIN_POSITIVE);
        flow * ((c - 1.0) + k * total) + y * (flow / whole)
    }

    /// Returns the component `star` of a flow that would be `(star, across)` without resistance,
    /// after resistance, and the part of the flow that the yield stress leaves.
    #[inline(always)]
    #[must_use]
    pub fn slowed(&self, star: f32, across: f32) -> (f32, f32) {
        let Self { y, c, k } = *self;
        let total = (star * star + across * across).sqrt();
        // Never 0/0: for a fluid at rest `left` is 1 without a yield stress and 0 with one.
        let left = 1.0 - maths::min(1.0, y / maths::max(total, f32::MIN_POSITIVE));
        (star * left * (2.0 / (c + (c * c + 4.0 * k * (left * total)).sqrt())), left)
    }
}

/// Constants of a fluid for one step in the passages beside solids and in intervals, in f64.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct FluidNumbers {
    /// Δt τ_y/ρ, m²/s.
    pub stop: f64,
    /// Δt K μ/(8 ρ), m².
    pub laminar: f64,
}

impl FluidNumbers {
    /// Computes the constants for a step of `dt_s`; 0 of water.
    #[must_use]
    pub fn new(fluid: &Fluid, dt_s: f64) -> Self {
        let Fluid { density_kg_m3, viscosity_pa_s, yield_stress_pa, resistance } = *fluid;
        Self {
            stop: dt_s * yield_stress_pa / density_kg_m3,
            laminar: dt_s * resistance * viscosity_pa_s / (8.0 * density_kg_m3),
        }
    }

    /// Returns the velocity y, m/s, and c of eq. (3) at a depth, m. If full to a roof, which rubs
    /// as the bed does, a fluid between both has twice the yield and four times the laminar
    /// resistance.
    #[must_use]
    pub fn at(&self, depth_m: f64, is_full: bool) -> [f64; 2] {
        // A yield stress holds at two surfaces instead of one. Viscosity resists laminar flow with
        // 3 μ V/h² over a bed and with 12 μ V/h² between two plates.
        let [of_yield, of_laminar] = if is_full { [2.0, 4.0] } else { [1.0, 1.0] };
        [of_yield * self.stop / depth_m, of_laminar * self.laminar / (depth_m * depth_m)]
    }
}

/// Stages around a row of faces, which pull the flow across them.
#[derive(Debug)]
pub struct StagesAround<'a, const N: usize> {
    /// Values of the cells before the faces and behind them: beside, there, and beside again.
    bed: [[&'a [i32; N]; 3]; 2],
    depth: [[&'a [i32; N]; 3]; 2],
    /// Stages of sub-grid columns.
    stage: [[&'a [i32; N]; 3]; 2],
    open: [[&'a [i32; N]; 2]; 2],
}

impl<'a, const N: usize> StagesAround<'a, N> {
    /// Returns the stages at the start of the step around the faces of an axis whose cells before
    /// and behind begin at these places.
    #[inline(always)]
    #[must_use]
    pub fn of(tile: &'a Padded, axis: Axis, before: usize, behind: usize) -> Self {
        let side = match axis {
            Axis::X => STRIDE,
            Axis::Y => 1,
        };
        let three = |plane: &'a PaddedPlane<i32>, at: usize| {
            [run(plane, at - side), run(plane, at), run(plane, at + side)]
        };
        let open = &tile.columns.open[axis.across()];
        let two = |at: usize| [run(open, at), run(open, at + side)];
        Self {
            bed: [three(&tile.bed, before), three(&tile.bed, behind)],
            depth: [three(&tile.depth, before), three(&tile.depth, behind)],
            stage: [three(&tile.columns.stage, before), three(&tile.columns.stage, behind)],
            open: [two(before), two(behind)],
        }
    }

    /// Returns the mean rise of the stage over the four faces across face `i`, vertical units;
    /// closed faces count as 0.
    #[inline(always)]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a pull is a float")]
    pub fn rise<const COLUMNS: bool>(&self, i: usize) -> f32 {
        let mut sum = 0.0;
        for cell in 0..2 {
            for face in 0..2 {
                let (is_open, rise) = if COLUMNS {
                    let [from, to] = [self.stage[cell][face][i], self.stage[cell][face + 1][i]];
                    (self.open[cell][face][i] > 0, sub(to, from))
                } else {
                    let (beds, depths) = (&self.bed[cell], &self.depth[cell]);
                    let (bed_l, bed_r) = (beds[face][i], beds[face + 1][i]);
                    let from = add(bed_l, depths[face][i]);
                    let to = add(bed_r, depths[face + 1][i]);
                    (from.max(to) > bed_l.max(bed_r), sub(to, from))
                };
                sum += if is_open { rise as f32 } else { 0.0 };
            }
        }
        0.25 * sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: resistance gives a number, shortens a flow and never turns it round, for any fluid.
    ///       Method: the ends of all ranges, films and oceans, flows of all sizes.
    #[test]
    fn resistance_shortens_any_flow() {
        let ends = [[100.0, 20_000.0], [0.0, 1.0e7], [0.0, 1.0e6], [1.0, 1.0e5]];
        for which in 0..16 {
            let [density_kg_m3, viscosity_pa_s, yield_stress_pa, resistance] =
                std::array::from_fn(|i| ends[i][which >> i & 1]);
            let fluid = Fluid { density_kg_m3, viscosity_pa_s, yield_stress_pa, resistance };
            for dt_s in [1.0e-6, 0.1, 1.0e4] {
                let params = FluidParams::new(&fluid, dt_s);
                for depth_m in [6.0e-8, 1.0e-3, 1.0, 4096.0] {
                    let own = params.to_velocity(depth_m, 1.0, 1.0e3);
                    for resistance in [own, own.of_discharge(depth_m)] {
                        for star in [1.0e3_f32, 1.0, 1.0e-6, 1.0e-12, 0.0] {
                            for across in [0.0, 1.0e-3 * star, 1.0, 1.0e4] {
                                let (out, left) = resistance.slowed(-star, across);
                                let case = format!("{fluid:?}, {dt_s} s, {depth_m} m, {star}");
                                assert!((-star..=0.0).contains(&out), "{case}: {out}");
                                assert!((0.0..=1.0).contains(&left), "{case}: {left}");
                                let lost = resistance.lost(star, across);
                                assert!(
                                    lost >= 0.0 && (star > 0.0 || lost == 0.0),
                                    "{case}: {lost}"
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    /// Goal: the flow after a step is the root of its law, and the normal speed that of uniform
    /// flow. Method: both put into the law.
    #[test]
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    fn speeds_fulfil_the_law() {
        let fluid = Fluid {
            density_kg_m3: 1600.0,
            viscosity_pa_s: 20.0,
            yield_stress_pa: 200.0,
            resistance: 24.0,
        };
        let (dt_s, depth_m, n, gravity) = (0.2, 0.8, 0.05, 9.81);
        let per_s = |slope: f64| gravity * slope * dt_s;
        let law = |speed: f64| {
            let weight = fluid.density_kg_m3 * gravity * depth_m;
            fluid.yield_stress_pa / weight
                + 3.0 * fluid.viscosity_pa_s * speed / (weight * depth_m)
                + n * n * speed * speed / depth_m.powf(4.0 / 3.0)
        };
        let speed = fluid.normal_speed(depth_m, 0.1, n, gravity);
        assert!((law(speed) / 0.1 - 1.0).abs() < 1.0e-4, "{speed} m/s: {}", law(speed));
        assert_eq!(fluid.normal_speed(depth_m, 0.015, n, gravity).to_bits(), 0, "it is held");
        let k = (per_s(n * n) / depth_m.powf(4.0 / 3.0)) as f32;
        let resistance = FluidParams::new(&fluid, dt_s).to_velocity(depth_m as f32, 1.0, k);
        for star in [0.1_f32, 1.0, 30.0] {
            let (u, _) = resistance.slowed(0.6 * star, 0.8 * star);
            let after = f64::from(u) / 0.6;
            let wanted = after + per_s(law(after));
            assert!((wanted / f64::from(star) - 1.0).abs() < 1.0e-4, "{star}: {after}");
        }
    }
}
