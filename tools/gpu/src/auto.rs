//! A card that is used where it is faster than the processor.
//!
//! ```text
//! cycles   1 … 4       processor     measured: all but the first
//!          5 … 10      card          measured: all but the first two, which bring planes there
//!          11 …        the faster    until many more or fewer leaves are awake, or 1,000 cycles
//! ```
//!
//! Guarantees: results do not depend on what is chosen, as they do not depend on the card.
//! Limits:     a cycle takes what lies between two of them: whatever a game does meanwhile counts.

use crate::card::GpuCard;
use std::time::Instant;
use thalweg::sim::card::{Card, CardCycle, Outcome};
use thalweg::sim::params::Params;
use thalweg::sim::state::State;

/// Cycles on the processor, then on the card, and how many of each are not measured.
const TRIED: [(usize, usize); 2] = [(4, 1), (6, 2)];

/// Cycles after which both are measured anew.
const CYCLES_MOST: usize = 1000;

/// So many times more or fewer leaves awake are another case.
const OTHER_CASE: usize = 4;

/// A card, and which of card and processor is faster now.
#[derive(Debug)]
pub struct AutoCard {
    card: GpuCard,
    trial: Trial,
    last: Option<Instant>,
    /// Leaves that were awake when the trial began.
    awake: usize,
}

impl AutoCard {
    /// A card of which nothing is known yet.
    #[must_use]
    pub fn new(card: GpuCard) -> Self {
        Self { card, trial: Trial::default(), last: None, awake: 0 }
    }
}

impl Card for AutoCard {
    fn can(&mut self, state: &State, params: &Params) -> bool {
        let now = Instant::now();
        let s = self.last.replace(now).map(|last| now.duration_since(last).as_secs_f64());
        let awake = state.activity.awake.iter().map(Vec::len).sum::<usize>();
        let (low, high) = (self.awake / OTHER_CASE, self.awake * OTHER_CASE);
        if !(low..=high).contains(&awake) {
            (self.trial, self.awake) = (Trial::default(), awake);
        }
        self.trial.next(s) && self.card.can(state, params)
    }

    fn step(&mut self, cycle: CardCycle<'_>) -> Outcome {
        self.card.step(cycle)
    }
}

/// Times of cycles so far.
#[derive(Debug, Default)]
struct Trial {
    cycles: usize,
    /// Shortest times measured, s: of processor and card.
    shortest: [Option<f64>; 2],
}

impl Trial {
    /// Takes the time of the last cycle; returns whether the next one is for the card.
    fn next(&mut self, s: Option<f64>) -> bool {
        let last = self.cycles.checked_sub(1).and_then(Self::place);
        if let (Some((who, true)), Some(s)) = (last, s) {
            let shortest = self.shortest[who].get_or_insert(s);
            *shortest = shortest.min(s);
        }
        if self.cycles == CYCLES_MOST {
            *self = Self::default();
        }
        let next = Self::place(self.cycles);
        self.cycles += 1;
        match (next, self.shortest) {
            (Some((who, _)), _) => who == 1,
            (None, [Some(processor), Some(card)]) => card < processor,
            (None, _) => false,
        }
    }

    /// Who has a cycle of the trial, and whether it is measured.
    fn place(cycle: usize) -> Option<(usize, bool)> {
        let [(processor, warm), (card, cold)] = TRIED;
        if cycle < processor {
            return Some((0, cycle >= warm));
        }
        let of_card = cycle - processor;
        (of_card < card).then_some((1, of_card >= cold))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Goal: the faster one is chosen. Method: times of cycles as a card, or the processor, of such
    /// speed would take them; the first on the card is slow.
    #[test]
    fn the_faster_one_goes_on() {
        for (on_card_s, is_faster) in [(0.1, true), (3.0, false)] {
            let (mut trial, mut s, mut chosen) = (Trial::default(), None, Vec::new());
            for cycle in 0..40 {
                let is_card = trial.next(s);
                chosen.push(is_card);
                let is_first = cycle == TRIED[0].0;
                s = Some(if is_first {
                    50.0
                } else if is_card {
                    on_card_s
                } else {
                    1.0
                });
            }
            let tried = TRIED[0].0 + TRIED[1].0;
            assert_eq!(chosen[..tried], [[false; 4].as_slice(), &[true; 6]].concat());
            assert!(chosen[tried..].iter().all(|&card| card == is_faster), "{on_card_s} s");
        }
    }
}
