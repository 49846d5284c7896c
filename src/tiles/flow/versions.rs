//! The step of each solver, and [`Loops`] beside it, compiled once per instruction set.
//!
//! Guarantees: every version gives the same bits (`versions_agree`); the fastest one this processor
//!             runs is chosen once, at start.

use crate::flow::method::Method;
use crate::flow::pipe::Pipe;
use crate::flow::shallow::ShallowWater;
use crate::flow::solver::{Solver, StepSummary, TileStep, step_rows};
use crate::tile::Water;
use crate::tile::padded::Padded;
use std::sync::LazyLock;

/// One step: gathers into the padded tile, whose roughness is there already, and puts the new water
/// of the tile's own cells and faces into the last.
pub type StepFunction = fn(&mut Padded, &TileStep<'_>, &mut Water) -> StepSummary;

/// A version of the steps and the name of its instruction set.
#[derive(Debug, Clone, Copy)]
pub struct Version {
    /// Name of the instruction set.
    pub name: &'static str,
    flat: MethodSteps,
    sub_grid: MethodSteps,
}

/// The steps of all methods between columns of a kind.
#[derive(Debug, Clone, Copy)]
struct MethodSteps {
    pipe: StepFunction,
    pipe_of_fluid: StepFunction,
    shallow: StepFunction,
    with_terms: StepFunction,
    with_fluid: StepFunction,
}

/// Parts of a step beside gravity, Manning's friction and the transport of momentum.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extra {
    /// No extra.
    Nothing,
    /// The optional [`terms`](crate::flow::terms) of shallow water.
    Terms,
    /// The resistance of a [`fluid`](crate::flow::fluid), and the terms.
    Fluid,
}

impl Version {
    /// Returns the step of a solver between flat columns.
    #[must_use]
    pub fn step(&self, solver: Solver) -> StepFunction {
        self.flat.of(solver, Extra::Nothing)
    }

    /// Returns the step of shallow water with the optional terms between flat columns.
    #[must_use]
    pub fn step_with_terms(&self) -> StepFunction {
        self.flat.of(Solver::ShallowWater, Extra::Terms)
    }

    /// Returns the steps of a solver between flat columns and between sub-grid columns.
    #[must_use]
    pub fn both(&self, solver: Solver, extra: Extra) -> [StepFunction; 2] {
        [&self.flat, &self.sub_grid].map(|steps| steps.of(solver, extra))
    }

    /// Returns a version for the instruction set `C`, with `F` for fluids.
    fn of<C: Compiled, F: Compiled>(name: &'static str) -> Self {
        Self {
            name,
            flat: MethodSteps::of_columns::<C, F, false>(),
            sub_grid: MethodSteps::of_columns::<C, F, true>(),
        }
    }
}

impl MethodSteps {
    fn of_columns<C: Compiled, F: Compiled, const COLUMNS: bool>() -> Self {
        Self {
            pipe: C::step_of::<Pipe<false, COLUMNS>>(),
            pipe_of_fluid: F::step_of::<Pipe<true, COLUMNS>>(),
            shallow: C::step_of::<ShallowWater<false, false, COLUMNS>>(),
            with_terms: C::step_of::<ShallowWater<true, false, COLUMNS>>(),
            with_fluid: F::step_of::<ShallowWater<true, true, COLUMNS>>(),
        }
    }

    fn of(&self, solver: Solver, extra: Extra) -> StepFunction {
        match (solver, extra) {
            (Solver::Pipe, Extra::Nothing | Extra::Terms) => self.pipe,
            (Solver::Pipe, Extra::Fluid) => self.pipe_of_fluid,
            (Solver::ShallowWater, Extra::Nothing) => self.shallow,
            (Solver::ShallowWater, Extra::Terms) => self.with_terms,
            (Solver::ShallowWater, Extra::Fluid) => self.with_fluid,
        }
    }
}

/// Returns the versions this processor runs, the baseline first and the fastest last.
#[must_use]
pub fn versions() -> Vec<Version> {
    let version = |set: InstructionSet| match set.0 {
        InstructionSetKind::Baseline => Version::of::<Baseline, Baseline>("baseline"),
        #[cfg(target_arch = "x86_64")]
        InstructionSetKind::Avx2 => Version::of::<x86::Avx2, x86::Avx2>("avx2"),
        #[cfg(target_arch = "x86_64")]
        // Few worlds have a fluid: four kernels fewer to build, and AVX2 has the same bits.
        InstructionSetKind::Avx512 => Version::of::<x86::Avx512, x86::Avx2>("avx512"),
    };
    InstructionSet::all().into_iter().map(version).collect()
}

/// Loops over cells that are compiled once per instruction set.
///
/// Functions called in loops over cells are inlined always: one that stays a call is compiled for
/// the baseline.
pub trait Loops {
    /// Type of the result.
    type Out;

    /// Runs the loops; inlined always.
    fn run(self) -> Self::Out;
}

/// An instruction set that this processor has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstructionSet(InstructionSetKind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum InstructionSetKind {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The fastest that this processor has.
static FASTEST: LazyLock<InstructionSet> =
    LazyLock::new(|| *InstructionSet::all().last().expect("the baseline"));

impl InstructionSet {
    /// Returns all instruction sets of this processor, the baseline first and the fastest last.
    #[must_use]
    pub fn all() -> Vec<Self> {
        InstructionSetKind::found().into_iter().map(Self).collect()
    }

    /// Returns the fastest instruction set of this processor.
    #[must_use]
    pub fn fastest() -> Self {
        *FASTEST
    }

    /// Runs loops that are compiled for this instruction set.
    pub fn run<L: Loops>(self, loops: L) -> L::Out {
        match self.0 {
            InstructionSetKind::Baseline => loops.run(),
            #[cfg(target_arch = "x86_64")]
            InstructionSetKind::Avx2 => x86::run_avx2(loops),
            #[cfg(target_arch = "x86_64")]
            InstructionSetKind::Avx512 => x86::run_avx512(loops),
        }
    }
}

impl InstructionSetKind {
    fn found() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), expect(unused_mut, reason = "others add theirs"))]
        let mut sets = vec![Self::Baseline];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") {
                sets.push(Self::Avx2);
            }
            let has_512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq");
            if has_512 && is_x86_feature_detected!("avx2") {
                sets.push(Self::Avx512);
            }
        }
        sets
    }
}

/// An instruction set that a method is compiled for.
trait Compiled {
    /// Returns the step of a method.
    fn step_of<M: Method>() -> StepFunction;
}

struct Baseline;

impl Compiled for Baseline {
    fn step_of<M: Method>() -> StepFunction {
        step_rows::<M>
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::*;

    pub struct Avx2;
    pub struct Avx512;

    impl Compiled for Avx2 {
        fn step_of<M: Method>() -> StepFunction {
            avx2::<M>
        }
    }

    impl Compiled for Avx512 {
        fn step_of<M: Method>() -> StepFunction {
            avx512::<M>
        }
    }

    fn avx2<M: Method>(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
        #[target_feature(enable = "avx2")]
        fn compiled<M: Method>(
            tile: &mut Padded,
            step: &TileStep<'_>,
            out: &mut Water,
        ) -> StepSummary {
            step_rows::<M>(tile, step, out)
        }
        // SAFETY: `versions` names this function only where the processor has AVX2.
        unsafe { compiled::<M>(tile, step, out) }
    }

    fn avx512<M: Method>(tile: &mut Padded, step: &TileStep<'_>, out: &mut Water) -> StepSummary {
        #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled<M: Method>(
            tile: &mut Padded,
            step: &TileStep<'_>,
            out: &mut Water,
        ) -> StepSummary {
            step_rows::<M>(tile, step, out)
        }
        // SAFETY: `versions` names this function only where the processor has all five.
        unsafe { compiled::<M>(tile, step, out) }
    }

    pub fn run_avx2<L: Loops>(loops: L) -> L::Out {
        #[target_feature(enable = "avx2")]
        fn compiled<L: Loops>(loops: L) -> L::Out {
            loops.run()
        }
        // SAFETY: `InstructionSetKind::found` names the set only where the processor has AVX2.
        unsafe { compiled(loops) }
    }

    pub fn run_avx512<L: Loops>(loops: L) -> L::Out {
        #[target_feature(enable = "avx2,avx512f,avx512vl,avx512bw,avx512dq")]
        fn compiled<L: Loops>(loops: L) -> L::Out {
            loops.run()
        }
        // SAFETY: `InstructionSetKind::found` names the set only where the processor has all five.
        unsafe { compiled(loops) }
    }
}

#[cfg(test)]
mod tests;
