//! Which equations move the water, and what besides gravity and friction drives it.

use kit::error::UserError;
use thalweg::sim::Order;

use super::super::file;
use super::super::flow::{Latitude, Solver, Viscosity, Wind};

/// Which equations move the water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flow {
    /// Virtual pipes (local inertia).
    Pipe,
    /// Full shallow water equations.
    Swe(ShallowWater),
}

/// Terms that only the shallow water equations have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShallowWater {
    /// How they are reconstructed within a cell.
    pub order: Order,
    /// How eddies mix momentum.
    pub viscosity: Option<Viscosity>,
    /// Wind over the water.
    pub wind: Option<Wind>,
    /// Where on the turning Earth the map lies.
    pub latitude: Option<Latitude>,
}

pub(super) fn resolve(flow: &file::Flow) -> Result<Flow, UserError> {
    let file::Flow { solver, order, viscosity, wind, latitude, steps: _ } = *flow;
    if solver.unwrap_or_default() == Solver::Pipe {
        let given = [
            ("order", order.is_some()),
            ("viscosity", viscosity.is_some()),
            ("wind", wind.is_some()),
            ("latitude", latitude.is_some()),
        ];
        return match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(Flow::Pipe),
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
    Ok(Flow::Swe(ShallowWater { order, viscosity, wind, latitude }))
}
