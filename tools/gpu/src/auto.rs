//! A card that is used if it is faster than the processor.
//!
//! ```text
//! cycles   1 … 4       processor     measured: all but the first
//!          5 … 10      card          measured: all but the first two, which bring planes there
//!          11 …        the faster    until many more or fewer leaves are awake, or 1,000 cycles
//! ```
//!
//! Guarantees: results do not depend on the choice, as they do not depend on the card.
//! Limits:     the time of a cycle ends when the next one starts: it includes the game's own work.

use crate::card::GpuCard;
use std::time::Instant;
use thalweg_engine::sim::card::{Card, CardCycle, CardOutcome};
use thalweg_engine::sim::params::Params;
use thalweg_engine::sim::residency::Needed;
use thalweg_engine::sim::state::SimulationState;
use thalweg_engine::sim::table::LeafTable;

/// Cycles on the processor, then on the card, and how many of each are not measured.
const TRIED: [(usize, usize); 2] = [(4, 1), (6, 2)];

/// Cycles after which both are measured anew.
const CYCLES_MOST: usize = 1000;

/// A new trial starts if the count of awake leaves becomes larger or smaller by more than this
/// factor.
const OTHER_CASE: usize = 4;

/// A card, and which of card and processor is faster now.
#[derive(Debug)]
pub struct AutoCard {
    card: GpuCard,
    trial: SpeedTrial,
    last: Option<Instant>,
    /// True if the card did the last cycle.
    is_on_card: bool,
}

impl AutoCard {
    /// Wraps a card without any measurements yet.
    #[must_use]
    pub fn new(card: GpuCard) -> Self {
        Self { card, trial: SpeedTrial::default(), last: None, is_on_card: false }
    }
}

impl Card for AutoCard {
    fn can(&mut self, state: &SimulationState, params: &Params) -> bool {
        let now = Instant::now();
        let s = self.last.replace(now).map(|last| now.duration_since(last).as_secs_f64());
        let awake = state.activity.awake.iter().map(Vec::len).sum::<usize>();
        if self.trial.next(s, awake) {
            return self.card.can(state, params);
        }
        if std::mem::take(&mut self.is_on_card) {
            self.card.rest(state);
        }
        false
    }

    fn keep(&mut self, state: &SimulationState) -> bool {
        self.card.keep(state)
    }

    fn bring_ahead(&self, leaves: &LeafTable, needed: &Needed) {
        self.card.bring_ahead(leaves, needed);
    }

    fn step(&mut self, cycle: CardCycle<'_>) -> CardOutcome {
        let outcome = self.card.step(cycle);
        self.is_on_card |= outcome != CardOutcome::Left;
        outcome
    }
}

/// Times of cycles so far.
#[derive(Debug, Default)]
struct SpeedTrial {
    cycles: usize,
    /// Leaves that were awake when it began.
    awake: usize,
    /// Shortest times measured, s: of processor and card.
    shortest: [Option<f64>; 2],
}

impl SpeedTrial {
    /// Takes the time of the last cycle, s; returns whether the next one, with `awake` leaves
    /// awake, is for the card.
    fn next(&mut self, s: Option<f64>, awake: usize) -> bool {
        let (low, high) = (self.awake / OTHER_CASE, self.awake * OTHER_CASE);
        if !(low..=high).contains(&awake) {
            *self = Self { awake, ..Self::default() };
        }
        let last = self.cycles.checked_sub(1).and_then(Self::place);
        if let (Some((who, true)), Some(s)) = (last, s) {
            let shortest = self.shortest[who].get_or_insert(s);
            *shortest = shortest.min(s);
        }
        if self.cycles == CYCLES_MOST {
            *self = Self { awake, ..Self::default() };
        }
        let next = Self::place(self.cycles);
        self.cycles += 1;
        match (next, self.shortest) {
            (Some((who, _)), _) => who == 1,
            (None, [Some(processor), Some(card)]) => card < processor,
            (None, _) => false,
        }
    }

    /// Returns who has a cycle of the trial, 0 for the processor and 1 for the card, and whether it
    /// is measured; `None` after the trial.
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

    /// Returns times of cycles, s: on the processor and on the card. The cycles that are not
    /// measured look best, and one that is measured takes long on either.
    fn time_s(cycle: usize, is_card: bool, on_card_s: f64) -> f64 {
        match cycle {
            0 | 4 | 5 => 1.0e-6,
            3 | 9 => 50.0,
            _ if is_card => on_card_s,
            _ => 1.0,
        }
    }

    /// Returns whether the card had each of `cycles` cycles, with `awake` leaves awake in each.
    fn chosen(cycles: usize, on_card_s: f64, awake: impl Fn(usize) -> usize) -> Vec<bool> {
        let (mut trial, mut s) = (SpeedTrial::default(), None);
        let next = |cycle| {
            let is_card = trial.next(s, awake(cycle));
            s = Some(time_s(cycle, is_card, on_card_s));
            is_card
        };
        (0..cycles).map(next).collect()
    }

    fn tried() -> Vec<bool> {
        [[false; 4].as_slice(), &[true; 6]].concat()
    }

    /// Goal: the faster one is chosen, by the shortest time of each that is measured.
    #[test]
    fn the_faster_one_goes_on() {
        for (on_card_s, is_faster) in [(0.1, true), (3.0, false)] {
            let chosen = chosen(40, on_card_s, |_| 7);
            assert_eq!(chosen[..10], tried());
            assert!(chosen[10..].iter().all(|&card| card == is_faster), "{on_card_s} s");
        }
    }

    /// Goal: both are measured anew in another case, and after long. Method: leaves that wake and
    /// sleep, four times as many and four times fewer at most, then one more or fewer.
    #[test]
    fn another_case_is_measured_anew() {
        for (awake, is_other) in [(80, false), (81, true), (5, false), (4, true)] {
            let chosen = chosen(60, 0.1, |cycle| if cycle < 30 { 20 } else { awake });
            assert_eq!(chosen[30..40] == tried(), is_other, "{awake} leaves");
        }
        let chosen = chosen(1020, 0.1, |_| 7);
        assert!(chosen[10..CYCLES_MOST].iter().all(|&card| card));
        assert_eq!(chosen[CYCLES_MOST..CYCLES_MOST + 10], tried());
    }
}
