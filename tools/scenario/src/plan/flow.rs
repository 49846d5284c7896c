//! Equations that move the water, and the forces besides gravity and friction.

use kit::error::UserError;
use thalweg::world::{Fluid, Order, Settings};

use super::super::file;
use super::super::flow::{EddyViscosity, Latitude, SolverChoice, Wind};
use super::super::fluid::{Density, DynamicViscosity, FluidWords, Stress};

/// Equations that move the water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum FlowPlan {
    /// Virtual pipes (local inertia).
    Pipe,
    /// Full shallow water equations.
    Swe(ShallowWaterTerms),
}

/// Terms that only the shallow water equations have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShallowWaterTerms {
    /// Reconstruction of the water within a cell.
    pub order: Order,
    /// Mixing of momentum by eddies.
    pub viscosity: Option<EddyViscosity>,
    /// Wind over the water.
    pub wind: Option<Wind>,
    /// Latitude of the map on the rotating Earth.
    pub latitude: Option<Latitude>,
}

/// Resolves the fluid: missing keys have the values of water. A note names the fluid.
pub(super) fn fluid(fluid: &file::FluidTable, notes: &mut Vec<String>) -> Result<Fluid, UserError> {
    let file::FluidTable { density, viscosity, yield_stress, resistance } = *fluid;
    let water = Fluid::WATER;
    let fluid = Fluid {
        density_kg_m3: density.map_or(water.density_kg_m3, |Density(value)| value),
        viscosity_pa_s: viscosity.map_or(water.viscosity_pa_s, |DynamicViscosity(value)| value),
        yield_stress_pa: yield_stress.map_or(water.yield_stress_pa, |Stress(value)| value),
        resistance: resistance.unwrap_or(water.resistance),
    };
    let checked = Settings { fluid, ..Settings::default() }.check();
    checked.map_err(|error| UserError::from_sentence(error.to_string()))?;
    if resistance.is_some() && viscosity.is_none() {
        return Err(UserError::new(
            "[fluid] has a `resistance` and no `viscosity`, which it counts for",
            "add viscosity = \"2Pa.s\", or leave the key out",
        ));
    }
    if !fluid.is_water() {
        notes.push(format!("the fluid is not water: {}", FluidWords(fluid)));
    }
    Ok(fluid)
}

pub(super) fn resolve(flow: &file::FlowTable) -> Result<FlowPlan, UserError> {
    let file::FlowTable { solver, order, viscosity, wind, latitude, steps: _ } = *flow;
    if solver.unwrap_or_default() == SolverChoice::Pipe {
        let given = [
            ("order", order.is_some()),
            ("viscosity", viscosity.is_some()),
            ("wind", wind.is_some()),
            ("latitude", latitude.is_some()),
        ];
        return match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(FlowPlan::Pipe),
            Some((key, _)) => Err(UserError::new(
                format!("the pipe solver has no `{key}`, which [flow] gives"),
                "choose --solver swe, or leave the key out",
            )),
        };
    }
    let order = match order {
        Some(1) => Order::First,
        None | Some(2) => Order::Second,
        Some(order) => {
            return Err(UserError::new(
                format!("the order under [flow] is {order}"),
                "choose 2, or 1 for a smoother and coarser answer",
            ));
        }
    };
    Ok(FlowPlan::Swe(ShallowWaterTerms { order, viscosity, wind, latitude }))
}
