//! Tracers of the water, and the source and sink of every unit of them.
//!
//! ```text
//! in    the concentration of the source times the water that comes
//! out   ⌊content · dv / depth⌋, all of it where the cell runs dry
//! ```
//!
//! Guarantees: `initial + Σ in − Σ out = stored` for each tracer, as integers; concentrations stay
//!             within those of the beginning and of the sources, uniform ones exactly uniform.
//! Limits:     all water that leaves takes its share, evaporation too: what a drying pond leaves
//!             behind is not thickened.

use crate::flow::tracer::ONE;
use crate::sim::cell_store::CellStore;
use crate::sim::ledger::{AccountIndex, AccountSide, Bookings, Ledger};
use crate::units::Volume;
use serde::Serialize;

/// Something that the water carries.
#[derive(Debug, Clone, Serialize)]
pub struct Tracer {
    name: String,
    /// Concentration of what each account brings, 2⁻²⁴.
    incoming: Vec<i64>,
    ledger: Ledger,
}

impl Tracer {
    /// A tracer that none of the accounts of the water's `ledger` brings.
    #[must_use]
    pub fn new(name: &str, ledger: &Ledger) -> Self {
        let mut own = Ledger::default();
        ledger.accounts().iter().for_each(|account| _ = own.open(&account.name));
        let incoming = vec![0; ledger.accounts().len()];
        Self { name: name.to_owned(), incoming, ledger: own }
    }

    /// Gives the water that an account brings a concentration, 2⁻²⁴.
    ///
    /// # Panics
    ///
    /// If there is no such account, or the concentration is not from 0 to [`ONE`].
    pub fn bring(&mut self, account: AccountIndex, concentration: i64) {
        assert!((0..=ONE).contains(&concentration), "concentration {concentration} of {ONE}");
        self.incoming[account as usize] = concentration;
    }

    /// Concentration of the water that an account brings, 2⁻²⁴.
    #[must_use]
    pub fn brings(&self, account: AccountIndex) -> i64 {
        self.incoming[account as usize]
    }

    /// Name of the tracer.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where its content came from and went, 2⁻²⁴ vertical units × finest cells.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }
}

/// All tracers of a simulation.
#[derive(Debug, Clone, Default)]
pub struct Tracers(Vec<Tracer>);

impl Tracers {
    /// These tracers, in the order of the planes of
    /// [`Water::contents`](crate::tile::Water::contents).
    #[must_use]
    pub fn new(tracers: Vec<Tracer>) -> Self {
        Self(tracers)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True where the water carries nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them.
    #[must_use]
    pub fn all(&self) -> &[Tracer] {
        &self.0
    }

    /// Index of the tracer of that name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|tracer| tracer.name == name)
    }

    /// Opens an account of that name for each, which brings none.
    pub(super) fn open(&mut self, name: &str) {
        for tracer in &mut self.0 {
            tracer.ledger.open(name);
            tracer.incoming.resize(tracer.ledger.accounts().len(), 0);
        }
    }

    /// Gives the water that an account brings a concentration, 2⁻²⁴, of a tracer.
    pub(super) fn bring(&mut self, tracer: usize, account: AccountIndex, concentration: i64) {
        self.0[tracer].bring(account, concentration);
    }

    /// Takes the accounts of an earlier moment: one that was opened since, and brings nothing now,
    /// is closed again.
    pub(super) fn go_back(&mut self, before: Vec<Ledger>) {
        for (tracer, before) in self.0.iter_mut().zip(before) {
            tracer.incoming.resize(before.accounts().len(), 0);
            tracer.ledger = before;
        }
    }

    /// Books a change of what is stored of a tracer.
    pub(super) fn book(
        &mut self,
        tracer: usize,
        account: AccountIndex,
        side: AccountSide,
        change: Volume,
    ) {
        self.0[tracer].ledger.book_change(account, side, change);
    }

    /// Takes these contents, tracer by tracer, as what was there at the beginning.
    pub(super) fn begin(&mut self, stored: &[Volume]) {
        for (tracer, &stored) in self.0.iter_mut().zip(stored) {
            tracer.ledger.set_initial(stored);
        }
    }

    /// The ledger of each.
    pub(super) fn ledgers(&self) -> Vec<Ledger> {
        self.0.iter().map(|tracer| tracer.ledger.clone()).collect()
    }

    /// Takes these ledgers, tracer by tracer.
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

    /// The accounts of one leaf for what comes and goes there.
    pub(super) fn books<'a>(&'a self, bookings: &'a mut [Bookings]) -> TracerBooks<'a> {
        TracerBooks { tracers: &self.0, bookings }
    }
}

/// The accounts of one leaf for the tracers of water that comes and goes.
#[derive(Debug)]
pub struct TracerBooks<'a> {
    tracers: &'a [Tracer],
    bookings: &'a mut [Bookings],
}

impl TracerBooks<'_> {
    /// True where the water carries nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.tracers.is_empty()
    }

    /// Gives a cell what fits of an account's water, with what that brings; returns the units.
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

    /// Takes from a cell what is there for an account, with what that carries; returns the units.
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
