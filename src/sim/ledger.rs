//! The ledger: where every unit of volume came from and went.
//!
//! Guarantees: `initial + Σ in − Σ out = stored`, as integers, at every cycle's end.
//! Source:     own.

use crate::units::Volume;

/// Index of an account.
pub type AccountIndex = u16;

/// One name of the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Name of the source, sink or edge.
    pub name: String,
    /// Volume that came into the world, vertical units × finest cells.
    pub into: Volume,
    /// Volume that left the world, vertical units × finest cells.
    pub out: Volume,
}

/// All accounts of a simulation.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Ledger {
    initial: Volume,
    accounts: Vec<Account>,
}

impl Ledger {
    /// Opens an account, or finds the one of that name.
    ///
    /// # Panics
    ///
    /// Beyond 65,535 accounts.
    pub fn open(&mut self, name: &str) -> AccountIndex {
        let found = self.accounts.iter().position(|account| account.name == name);
        let index = found.unwrap_or_else(|| {
            self.accounts.push(Account { name: name.to_owned(), into: 0, out: 0 });
            self.accounts.len() - 1
        });
        AccountIndex::try_from(index).expect("65,535 accounts at most")
    }

    /// Takes `volume` as what was there at the beginning.
    pub fn set_initial(&mut self, volume: Volume) {
        self.initial = volume;
    }

    /// Books volume that came in and went out.
    pub fn book(&mut self, account: AccountIndex, into: Volume, out: Volume) {
        let account = &mut self.accounts[usize::from(account)];
        account.into += into;
        account.out += out;
    }

    /// Volume at the beginning.
    #[must_use]
    pub fn initial(&self) -> Volume {
        self.initial
    }

    /// The accounts in the order they were opened.
    #[must_use]
    pub fn accounts(&self) -> &[Account] {
        &self.accounts
    }

    /// What must be stored now: `initial + Σ in − Σ out`.
    #[must_use]
    pub fn expected(&self) -> Volume {
        self.initial + self.accounts.iter().map(|a| a.into - a.out).sum::<Volume>()
    }
}

/// What one leaf moved since the ledger was last brought up to date: in and out by account.
#[derive(Debug, Clone, Default)]
pub struct Bookings(Vec<[i64; 2]>);

impl Bookings {
    /// Room for `accounts` accounts.
    #[must_use]
    pub fn new(accounts: usize) -> Self {
        Self(vec![[0; 2]; accounts])
    }

    /// Books units that came into a cell.
    pub fn add_in(&mut self, account: AccountIndex, units: i64) {
        self.0[usize::from(account)][0] += units;
    }

    /// Books units that left a cell.
    pub fn add_out(&mut self, account: AccountIndex, units: i64) {
        self.0[usize::from(account)][1] += units;
    }

    /// Moves all bookings to the ledger; a cell of the leaf is `cells` finest cells.
    pub fn settle(&mut self, ledger: &mut Ledger, cells: Volume) {
        for (account, [into, out]) in (0..).zip(&mut self.0) {
            if *into != 0 || *out != 0 {
                ledger.book(account, Volume::from(*into) * cells, Volume::from(*out) * cells);
                (*into, *out) = (0, 0);
            }
        }
    }
}
