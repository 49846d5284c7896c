//! Tracers of the water, and the source and sink of every unit of them.
//!
//! ```text
//! in    the concentration of the source times the water that comes
//! out   ⌊content · dv / depth⌋, all of it where the cell runs dry
//! ```
//!
//! Guarantees: `initial + Σ in − Σ out = stored` for each tracer, as integers; concentrations stay
//!             within the range of the beginning and of the sources, uniform ones exactly uniform.
//! Limits:     all water that leaves takes its share, evaporation too: drying does not concentrate
//!             the rest of a pond.

use crate::flow::tracer::ONE;
use crate::sim::cell_store::CellStore;
use crate::sim::ledger::{AccountIndex, AccountSide, Bookings, Ledger};
use crate::units::Volume;
use serde::Serialize;

/// A substance that the water carries.
#[derive(Debug, Clone, Serialize)]
pub struct Tracer {
    name: String,
    /// Concentration in the inflow of each account, 2⁻²⁴.
    incoming: Vec<i64>,
    ledger: Ledger,
}

impl Tracer {
    /// Returns a tracer that none of the accounts of the water's `ledger` brings.
    #[must_use]
    pub fn new(name: &str, ledger: &Ledger) -> Self {
        let mut own = Ledger::default();
        ledger.accounts().iter().for_each(|account| _ = own.open(&account.name));
        let incoming = vec![0; ledger.accounts().len()];
        Self { name: name.to_owned(), incoming, ledger: own }
    }

    /// Sets the concentration, 2⁻²⁴, of the water that an account brings.
    ///
    /// # Panics
    ///
    /// If the account does not exist, or the concentration is not from 0 to [`ONE`].
    pub fn bring(&mut self, account: AccountIndex, concentration: i64) {
        assert!((0..=ONE).contains(&concentration), "concentration {concentration} of {ONE}");
        self.incoming[account as usize] = concentration;
    }

    /// Returns the concentration of the water that an account brings, 2⁻²⁴.
    #[must_use]
    pub fn brings(&self, account: AccountIndex) -> i64 {
        self.incoming[account as usize]
    }

    /// Returns the name of the tracer.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the sources and sinks of its content, 2⁻²⁴ vertical units × finest cells.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// All tracers of a simulation.
#[derive(Debug, Clone, Default)]
pub struct Tracers(Vec<Tracer>);

impl Tracers {
    /// Returns these tracers, in the order of the planes of
    /// [`Water::contents`](crate::tile::Water::contents).
    #[must_use]
    pub fn new(tracers: Vec<Tracer>) -> Self {
        Self(tracers)
    }

    /// Returns the number of tracers.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns true if the water carries nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns all tracers.
    #[must_use]
    pub fn all(&self) -> &[Tracer] {
        &self.0
    }

    /// Returns the index of the tracer of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|tracer| tracer.name == name)
    }

    /// Opens an account of that name for each, which brings no content.
    pub(super) fn open(&mut self, name: &str) {
        for tracer in &mut self.0 {
            tracer.ledger.open(name);
            tracer.incoming.resize(tracer.ledger.accounts().len(), 0);
        }
    }

    /// Sets the concentration, 2⁻²⁴, of a tracer in the water that an account brings.
    pub(super) fn bring(&mut self, tracer: usize, account: AccountIndex, concentration: i64) {
        self.0[tracer].bring(account, concentration);
    }

    /// Restores the accounts of an earlier moment: one that was opened since, and brings nothing
    /// now, is closed again.
    pub(super) fn go_back(&mut self, before: Vec<Ledger>) {
        for (tracer, before) in self.0.iter_mut().zip(before) {
            tracer.incoming.resize(before.accounts().len(), 0);
            tracer.ledger = before;
        }
    }

    /// Books a change of the stored content of a tracer.
    pub(super) fn book(
        &mut self,
        tracer: usize,
        account: AccountIndex,
        side: AccountSide,
        change: Volume,
    ) {
        self.0[tracer].ledger.book_change(account, side, change);
    }

    /// Sets these contents, tracer by tracer, as the contents at the beginning.
    pub(super) fn begin(&mut self, stored: &[Volume]) {
        for (tracer, &stored) in self.0.iter_mut().zip(stored) {
            tracer.ledger.set_initial(stored);
        }
    }

    /// Returns the ledger of each.
    pub(super) fn ledgers(&self) -> Vec<Ledger> {
        self.0.iter().map(|tracer| tracer.ledger.clone()).collect()
    }

    /// Replaces the ledgers, tracer by tracer.
    pub(super) fn set_ledgers(&mut self, ledgers: Vec<Ledger>) {
        for (tracer, ledger) in self.0.iter_mut().zip(ledgers) {
            tracer.ledger = ledger;
        }
    }

    /// Moves the bookings of a leaf to the ledgers.
    pub(super) fn settle(&mut self, bookings: &mut [Bookings], cells: Volume) {
        for (tracer, bookings) in self.0.iter_mut().zip(bookings) {
            bookings.settle(&mut tracer.ledger, cells);
        }
    }

    /// Returns the accounts of one leaf for the water that enters and leaves there.
    pub(super) fn books<'a>(&'a self, bookings: &'a mut [Bookings]) -> TracerBooks<'a> {
        TracerBooks { tracers: &self.0, bookings }
    }
}

/// The accounts of one leaf for the tracers of water that enters and leaves.
#[derive(Debug)]
pub struct TracerBooks<'a> {
    tracers: &'a [Tracer],
    bookings: &'a mut [Bookings],
}

impl TracerBooks<'_> {
    /// Returns true if the water carries nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.tracers.is_empty()
    }

    /// Adds an account's water to a cell, with its content, up to the ceiling; returns the units
    /// added.
    #[inline(always)]
    pub(super) fn fill(
        &mut self,
        mut cell: CellStore<'_>,
        account: AccountIndex,
        units: i32,
    ) -> i32 {
        let given = units.min(cell.room());
        cell.give(given, |tracer| {
            let content = self.tracers[tracer].incoming[account as usize] * i64::from(given);
            self.bookings[tracer].add_in(account, content);
            content
        });
        given
    }

    /// Takes available water from a cell for an account, with its content; returns the units taken.
    #[inline(always)]
    pub(super) fn drain(
        &mut self,
        mut cell: CellStore<'_>,
        account: AccountIndex,
        units: i32,
    ) -> i32 {
        let taken = units.min(cell.depth());
        cell.take(taken, |tracer, content| self.bookings[tracer].add_out(account, content));
        taken
    }
}
