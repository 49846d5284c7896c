//! `ledger.json`: all sources and sinks of the water, in exact units.
//!
//! ```text
//! { "unit_m3": 9.5367431640625e-05, "initial": "0", "stored": "1048576",
//!   "in": { "rain": "2097152" }, "out": { "open edge": "1048576" } }
//! ```
//!
//! Guarantees: integers are strings, so no reader rounds them; `initial + Σ in − Σ out = stored`
//!             whenever the ledger balances; entries of one name are kept apart as `name (2)`.

use std::collections::HashSet;
use std::io::{self, Write};

use serde::{Serialize, Serializer};

use crate::outcome::FloodLedger;

/// The file, in the order in which it is read.
#[derive(Serialize)]
struct LedgerFile<'a> {
    unit_m3: f64,
    initial: String,
    stored: String,
    #[serde(rename = "in", serialize_with = "by_name")]
    into: &'a [(String, i128)],
    #[serde(serialize_with = "by_name")]
    out: &'a [(String, i128)],
}

fn by_name<S: Serializer>(entries: &[(String, i128)], target: S) -> Result<S::Ok, S::Error> {
    let entries = distinct(entries).into_iter();
    target.collect_map(entries.map(|(name, units)| (name, units.to_string())))
}

/// Writes the ledger.
///
/// # Errors
///
/// Errors of writing to `target`.
pub fn write(ledger: &FloodLedger, target: &mut dyn Write) -> io::Result<()> {
    let books = LedgerFile {
        unit_m3: ledger.unit_m3,
        initial: ledger.initial.to_string(),
        stored: ledger.stored.to_string(),
        into: &ledger.into,
        out: &ledger.out,
    };
    serde_json::to_writer_pretty(&mut *target, &books)?;
    writeln!(target)
}

/// Returns the entries under names that differ.
#[must_use]
pub fn distinct(entries: &[(String, i128)]) -> Vec<(String, i128)> {
    let mut taken = HashSet::new();
    let mut named = Vec::new();
    for (name, units) in entries {
        let mut own = name.clone();
        let mut count = 2;
        while !taken.insert(own.clone()) {
            own = format!("{name} ({count})");
            count += 1;
        }
        named.push((own, *units));
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_beyond_a_double_survive() {
        let ledger = FloodLedger {
            unit_m3: 0.5,
            initial: i128::MAX - 7,
            stored: i128::MAX,
            into: vec![("rain \"x\"".into(), 3), ("rain \"x\"".into(), 4)],
            out: vec![("edge".into(), 0)],
        };
        assert!(ledger.balance());
        let mut file = Vec::new();
        write(&ledger, &mut file).expect("memory");
        let read: serde_json::Value = serde_json::from_slice(&file).expect("JSON");
        assert_eq!(read["stored"], i128::MAX.to_string());
        assert_eq!(read["unit_m3"], 0.5);
        assert_eq!(read["in"]["rain \"x\""], "3");
        assert_eq!(read["in"]["rain \"x\" (2)"], "4");
        assert_eq!(read["out"]["edge"], "0");
    }
}
