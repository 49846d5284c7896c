//! Cycles in which the processor steps some leaves and a card the rest.
//!
//! ```text
//! phase of a level     processor                        card
//! before its leaves    its movements; water of leaves   its movements; water of leaves beside
//!                      at the seam goes to the card     the seam comes back
//! its leaves           steps those apart                steps the others meanwhile
//! ```
//!
//! The two parts meet along sides between leaves of one level ([`Apart`]). Each computes the
//! transfers over these sides from the water of both at the start of the step, so the results are
//! equal.
//!
//! Guarantees: the bits of the processor (`tests/card/apart.rs`).
//! Limits:     no tolerance of sleep. A step waits for the card once: leaves apart cost an exchange
//!             with the card for each step of their level.

use crate::acts::ActKind;
use crate::card::GpuCard;
use crate::failure::Failure;
use crate::work::CardWork;
use std::ops::Range;
use thalweg_engine::grid::LeafId;
use thalweg_engine::sim::apart::Apart;
use thalweg_engine::sim::params::Params;
use thalweg_engine::sim::phases::{Allowance, Phase, Phases};
use thalweg_engine::sim::state::SimulationState;

impl GpuCard {
    /// Steps leaves apart on the processor, and all acts of the card up to the last one that these
    /// wait for; returns the remaining acts.
    ///
    /// # Errors
    ///
    /// The card is lost: then some of the state is changed.
    pub(crate) fn step_beside(
        &mut self,
        work: &CardWork,
        (state, params, phases): (&mut SimulationState, &Params, &mut Phases),
        apart: &Apart,
    ) -> Result<Range<usize>, Failure> {
        let others = state.activity.list_part(&state.leaves, &apart.leaves);
        let rest = self.step_listed(work, (state, params, phases));
        state.activity.list_again(others);
        rest
    }

    /// Steps the leaves that are listed, as [`GpuCard::step_beside`] does.
    fn step_listed(
        &mut self,
        work: &CardWork,
        (state, params, phases): (&mut SimulationState, &Params, &mut Phases),
    ) -> Result<Range<usize>, Failure> {
        let mut done = 0;
        for number in 0..phases.list().len() {
            let seam = match phases.list()[number] {
                Phase::Begin { rank, .. } | Phase::Leaves { rank, .. } => work.seam_of(rank),
                _ => None,
            };
            let is_begin = matches!(phases.list()[number], Phase::Begin { .. });
            let until = work.acts.partition_point(|act| act.phase <= number + 1);
            if seam.is_some() && !is_begin {
                self.submit(work, done..until)?;
                done = until;
            }
            phases.advance_by_one(state, params, &mut Allowance::Whole);
            if let Some(level) = seam.filter(|_| is_begin) {
                self.submit(work, done..until)?;
                let is_turned = work.acts[done..until]
                    .iter()
                    .rfind(|act| act.level == level && act.what == ActKind::Begin)
                    .expect("leaves beside the seam step")
                    .is_turned;
                done = until;
                self.exchange(state, work, (level, is_turned))?;
            }
        }
        Ok(done..work.acts.len())
    }

    /// Copies the water of leaves beside the seam of a level to the processor, and the water of
    /// leaves apart there to the card.
    fn exchange(
        &mut self,
        state: &mut SimulationState,
        work: &CardWork,
        (level, is_turned): (usize, bool),
    ) -> Result<(), Failure> {
        let shared = std::sync::Arc::clone(self.shared());
        let mut holder = shared.lock();
        let (beside, slots): (Vec<LeafId>, Vec<u32>) = work.beside_guests(level).unzip();
        let guests: Vec<(LeafId, u32)> = work.levels.guests(level).collect();
        self.log().note(|log| log.exchanged += (slots.len() + guests.len()) as u64);
        let water = holder.planes.read_in_turn(&slots, is_turned)?;
        for (leaf, water) in beside.into_iter().zip(water) {
            state.leaves.water[leaf] = water.into();
        }
        for (leaf, slot) in guests {
            self.put_guest(&mut holder, slot, (&state.leaves.water[leaf], is_turned));
        }
        Ok(())
    }
}
