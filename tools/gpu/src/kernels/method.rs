//! The text of the kernels of each numerical method.

use thalweg_engine::flow::solver::{Order, Solver};

/// Numerical method of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelMethod {
    /// Virtual pipes.
    Pipe,
    /// Shallow water of some order.
    ShallowWater(Order),
}

impl KernelMethod {
    /// Returns the method of these settings.
    pub fn of(solver: Solver, order: Order) -> Self {
        match solver {
            Solver::Pipe => Self::Pipe,
            Solver::ShallowWater => Self::ShallowWater(order),
        }
    }

    /// Returns the index among the three.
    pub fn place(self) -> usize {
        match self {
            Self::Pipe => 0,
            Self::ShallowWater(Order::First) => 1,
            Self::ShallowWater(Order::Second) => 2,
        }
    }

    /// Returns the text of its kernels, without the text that all methods share.
    pub fn text(self) -> String {
        let shallow = |is_second: bool| {
            let order = format!("const IS_SECOND: bool = {is_second};\n");
            let parts = [
                law!("shallow"),
                include_str!("shallow.wgsl"),
                include_str!("half.wgsl"),
                include_str!("bores.wgsl"),
                include_str!("momentum.wgsl"),
                include_str!("edge_faces.wgsl"),
                include_str!("edges_shallow.wgsl"),
            ];
            order + &parts.join("\n")
        };
        let own = match self {
            Self::Pipe => [law!("pipe"), include_str!("pipe.wgsl")].join("\n"),
            Self::ShallowWater(order) => shallow(order == Order::Second),
        };
        let all =
            [include_str!("faces.wgsl"), include_str!("limiter.wgsl"), include_str!("sides.wgsl")];
        [&all.join("\n"), &own[..]].join("\n")
    }
}
