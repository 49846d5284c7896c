//! Tracers on a card, for one cycle: concentrations of inflowing water, and the books of contents.
//!
//! ```text
//! in the tables      a head, then by tracer: the concentration that each layer, each share of an
//!                    inflow and each face of the boundary brings
//! in the bookings    behind those of water, by tracer: what layers and Green and Ampt moved, of
//!                    each leaf; what each share brought; what came and went over each face;
//!                    then a word for each leaf and tracer: what goes to its carry
//! ```
//!
//! Guarantees: a booking has 96 bits, which no cycle fills.

use crate::levels::word;
use crate::plan::BOOKED;
use crate::planes::LAYERS;
use thalweg::units::Volume;
use thalweg_engine::flow::solver::Order;
use thalweg_engine::grid::LeafId;
use thalweg_engine::sim::forcing::Forcing;
use thalweg_engine::sim::ledger::{AccountIndex, Bookings};
use thalweg_engine::sim::state::SimulationState;
use thalweg_engine::structure::weather::Direction;

/// Words of a booking.
const BOOKING_WORDS: usize = 3;

/// Words of the head in the tables.
const HEAD_WORDS: usize = 9;

/// Sources and sinks of a cycle, for which the contents of each tracer are booked.
#[derive(Debug, Default)]
pub struct ContentBooks {
    /// Number of tracers.
    pub tracers: usize,
    /// Leaves that are awake, in the order of their records.
    awake: Vec<LeafId>,
    /// Leaf and inflow of each share.
    shares: Vec<(LeafId, usize)>,
    /// Leaf and account of each face of the boundary.
    faces: Vec<(LeafId, AccountIndex)>,
}

impl ContentBooks {
    /// Returns books of awake leaves, with these faces; empty in a world without tracers.
    pub fn of(
        state: &SimulationState,
        awake: &[LeafId],
        faces: Vec<(LeafId, AccountIndex)>,
    ) -> Self {
        let tracers = state.tracers.len();
        if tracers == 0 {
            return Self::default();
        }
        let shares_of = |&leaf: &LeafId| {
            let shares = &state.leaves.scratch[leaf].shares;
            shares.iter().map(move |share| (leaf, share.inflow as usize))
        };
        let shares = awake.iter().flat_map(shares_of).collect();
        Self { tracers, awake: awake.to_vec(), shares, faces }
    }

    /// Returns the number of bookings of a tracer.
    fn entries(&self) -> usize {
        self.faces_at() + 2 * self.faces.len()
    }

    /// Returns the place of the first booking of a face among these.
    fn faces_at(&self) -> usize {
        self.awake.len() * BOOKED + self.shares.len()
    }

    /// Returns the number of words of all bookings but carries.
    fn booking_words(&self) -> usize {
        BOOKING_WORDS * self.tracers * self.entries()
    }

    /// Returns the number of words of all bookings.
    pub fn words(&self) -> usize {
        self.booking_words() + self.tracers * self.awake.len()
    }

    /// Puts concentrations into the tables, if bookings begin after `booked` words; returns 0
    /// without tracers.
    pub fn put(
        &self,
        state: &SimulationState,
        order: Order,
        books_at: usize,
        tables: &mut Vec<u32>,
    ) -> usize {
        if self.tracers == 0 {
            return 0;
        }
        let place = tables.len();
        let faces_from = LAYERS + self.shares.len();
        tables.extend([
            word(self.tracers),
            u32::from(order == Order::Second),
            word(books_at),
            word(self.entries()),
            word(faces_from + self.faces.len()),
            word(faces_from),
            word(self.faces_at()),
            word(books_at + self.booking_words()),
            word(self.awake.len()),
        ]);
        let Forcing { layers, inflows, .. } = &state.forcing;
        for (number, tracer) in state.tracers.all().iter().enumerate() {
            let brings = |account| {
                u32::try_from(tracer.brings(account)).expect("a concentration is at most 2²⁴")
            };
            let first = place + HEAD_WORDS + number * (faces_from + self.faces.len());
            tables.extend(layers.iter().map(|layer| brings(layer.account)));
            tables.resize(first + LAYERS, 0);
            tables.extend(self.shares.iter().map(|&(_, inflow)| brings(inflows[inflow].account)));
            tables.extend(self.faces.iter().map(|&(_, account)| brings(account)));
        }
        place
    }

    /// Books the contents that moved, by these words.
    pub fn take(&self, state: &mut SimulationState, words: &[u32]) {
        if self.tracers == 0 {
            return;
        }
        let SimulationState { leaves, forcing, .. } = state;
        let (words, carries) = words.split_at(self.booking_words());
        for (carries, tracer) in carries.chunks(self.awake.len()).zip(0..) {
            for (&leaf, &carried) in self.awake.iter().zip(carries) {
                // Of four fine cells in one of the leaf.
                let cells = leaves.cells_of(leaf) / 4;
                leaves.own[leaf].carry.contents[tracer] += Volume::from(carried) * cells;
            }
        }
        let of_tracers = words.chunks(BOOKING_WORDS * self.entries());
        for (tracer, words) in of_tracers.enumerate() {
            let mut entries = words.chunks(BOOKING_WORDS).map(sum_of);
            let mut next = || entries.next().expect("as many as there are");
            let mut own = |leaf: LeafId, account, moved| {
                book(&mut leaves.scratch[leaf].content_bookings[tracer], account, moved);
            };
            for &leaf in &self.awake {
                let moved: [Volume; BOOKED] = std::array::from_fn(|_| next());
                for (layer, moved) in forcing.layers.iter().zip(moved) {
                    let is_source = layer.direction == Direction::Into;
                    own(leaf, layer.account, if is_source { [moved, 0] } else { [0, moved] });
                }
                if let Some(ground) = forcing.green_ampt {
                    own(leaf, ground.account, [0, moved[LAYERS]]);
                }
            }
            for &(leaf, inflow) in &self.shares {
                own(leaf, forcing.inflows[inflow].account, [next(), 0]);
            }
            for &(leaf, account) in &self.faces {
                own(leaf, account, [next(), next()]);
            }
        }
    }
}

/// Returns the sum of a booking.
fn sum_of(words: &[u32]) -> Volume {
    words.iter().rev().fold(0, |all, &word| all << 32 | Volume::from(word))
}

/// Books the amounts that entered and left, in parts that bookings take.
fn book(own: &mut Bookings, account: AccountIndex, [mut came, mut went]: [Volume; 2]) {
    while came > 0 || went > 0 {
        let [into, out] = [came, went].map(|sum| i64::try_from(sum).unwrap_or(i64::MAX));
        own.add_in(account, into);
        own.add_out(account, out);
        came -= Volume::from(into);
        went -= Volume::from(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_engine::sim::ledger::Ledger;

    #[test]
    fn sums_are_booked_to_the_unit() {
        let words = [u32::MAX, 7, 3];
        let sum = (3 << 64) + (7 << 32) + Volume::from(u32::MAX);
        assert_eq!(sum_of(&words), sum);
        let most = Volume::from(i64::MAX);
        for moved in [[0, 0], [1, 0], [0, most], [most + 1, 3], [sum, sum - 1]] {
            let (mut ledger, mut own) = (Ledger::default(), Bookings::default());
            let account = ledger.open("rain");
            book(&mut own, account, moved);
            own.settle(&mut ledger, 4);
            assert_eq!(ledger.expected(), 4 * (moved[0] - moved[1]), "{moved:?}");
        }
    }
}
