//! The ledger: the sources and sinks of every unit of volume.
//!
//! Guarantees: `initial + Σ in − Σ out = stored`, as integers, at every cycle's end.
//! Source:     own.

use crate::units::Volume;
use serde::Serialize;

/// Index of an account.
pub type AccountIndex = u32;

/// A side of an account, on which a volume is booked, or taken off again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccountSide {
    /// Volume that entered the world.
    Into,
    /// Volume that left the world.
    Out,
}

/// One account of the ledger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Account {
    /// Name of the source, sink or edge.
    pub name: String,
    /// Volume that entered the world, vertical units × finest cells.
    pub into: Volume,
    /// Volume that left the world, vertical units × finest cells.
    pub out: Volume,
}

/// All accounts of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Ledger {
    initial: Volume,
    accounts: Vec<Account>,
}

impl Ledger {
    /// Opens an account, or finds the one of that name.
    ///
    /// # Panics
    ///
    /// If the ledger would have more than 2³² accounts.
    pub fn open(&mut self, name: &str) -> AccountIndex {
        let found = self.accounts.iter().position(|account| account.name == name);
        let index = found.unwrap_or_else(|| {
            self.accounts.push(Account { name: name.to_owned(), into: 0, out: 0 });
            self.accounts.len() - 1
        });
        AccountIndex::try_from(index).expect("2³² accounts at most")
    }

    /// Sets the volume at the beginning.
    pub fn set_initial(&mut self, volume: Volume) {
        self.initial = volume;
    }

    /// Books volume that entered and left.
    pub fn book(&mut self, account: AccountIndex, into: Volume, out: Volume) {
        let account = &mut self.accounts[account as usize];
        account.into += into;
        account.out += out;
    }

    /// Books a change of the stored volume on one side of an account.
    pub fn book_change(&mut self, account: AccountIndex, side: AccountSide, change: Volume) {
        match side {
            AccountSide::Into => self.book(account, change, 0),
            AccountSide::Out => self.book(account, 0, -change),
        }
    }

    /// Returns the volume at the beginning.
    #[must_use]
    pub fn initial(&self) -> Volume {
        self.initial
    }

    /// Returns the accounts in the order in which they were opened.
    #[must_use]
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// Returns the volume that must be stored now: `initial + Σ in − Σ out`.
    #[must_use]
    pub fn expected(&self) -> Volume {
        self.initial + self.accounts.iter().map(|a| a.into - a.out).sum::<Volume>()
    }
}

/// Volumes that one leaf moved since the ledger was last brought up to date: in and out, for the
/// accounts that the leaf used.
#[derive(Debug, Clone, Default)]
pub struct Bookings(Vec<(AccountIndex, [Volume; 2])>);

impl Bookings {
    /// Books units that entered a cell.
    pub fn add_in(&mut self, account: AccountIndex, units: i64) {
        self.of(account)[0] += Volume::from(units);
    }

    /// Books units that left a cell.
    pub fn add_out(&mut self, account: AccountIndex, units: i64) {
        self.of(account)[1] += Volume::from(units);
    }

    fn of(&mut self, account: AccountIndex) -> &mut [Volume; 2] {
        let found = self.0.iter().position(|(known, _)| *known == account);
        let index = found.unwrap_or_else(|| {
            self.0.push((account, [0; 2]));
            self.0.len() - 1
        });
        &mut self.0[index].1
    }

    /// Moves all bookings to the ledger; a cell of the leaf is `cells` finest cells.
    pub fn settle(&mut self, ledger: &mut Ledger, cells: Volume) {
        for (account, [into, out]) in self.0.drain(..) {
            ledger.book(account, into * cells, out * cells);
        }
    }
}
