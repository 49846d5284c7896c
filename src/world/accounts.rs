//! Accounts of a world's ledger: names that no source may have, and how many there may be.

use thalweg_engine::sim::ledger::{Account, Ledger};

/// The ledger account of the water and of the tracers that actions add and remove.
pub const BY_HAND: &str = "by hand";

/// The account of Green–Ampt infiltration.
pub(super) const INFILTRATION: &str = "infiltration";

/// Layers of forcing, and accounts, that a world has at most.
pub(super) const NAMES_MOST: usize = 4096;

/// True if a ledger has an account of a name, or room for it.
pub(super) fn has_room(ledger: &Ledger, name: &str) -> bool {
    let accounts = ledger.accounts();
    accounts.len() < NAMES_MOST || accounts.iter().any(|own| own.name == name)
}

/// Returns the bytes of an account of a ledger.
pub(super) fn account_bytes(name: &str) -> u64 {
    (name.len() + size_of::<Account>()) as u64
}
