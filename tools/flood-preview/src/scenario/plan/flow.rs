//! Which equations move the water, and what besides gravity and friction drives it.

use thalweg::sim::Order;

use super::super::file;
use super::super::flow::Solver;
use crate::refusal::Refusal;

/// Which equations move the water.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Flow {
    /// Virtual pipes.
    Pipe,
    /// Full shallow water equations.
    Swe(ShallowWater),
}

/// What only the shallow water equations know.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ShallowWater {
    /// How they are reconstructed within a cell.
    pub order: Order,
}

pub(super) fn resolve(flow: &file::Flow) -> Result<Flow, Refusal> {
    if flow.solver.unwrap_or_default() == Solver::Pipe {
        let given = [("order", flow.order.is_some())];
        return match given.iter().find(|(_, is_given)| *is_given) {
            None => Ok(Flow::Pipe),
            Some((key, _)) => Err(Refusal::new(
                format!("the pipe solver takes no `{key}`, which [flow] gives"),
                "choose --solver swe, or leave the key out",
            )),
        };
    }
    let order = match flow.order {
        Some(1) => Order::First,
        None | Some(2) => Order::Second,
        Some(order) => {
            return Err(Refusal::new(
                format!("the order under [flow] is {order}"),
                "choose 2, or 1 for a smoother and coarser answer",
            ));
        }
    };
    Ok(Flow::Swe(ShallowWater { order }))
}
