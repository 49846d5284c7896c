//! A log of commands and its text: a first line that names the format, then one line of JSON for
//! each command.

use crate::world::commands::{Applied, Command, CommandError, LogError, Session, WIRE_VERSION};
use crate::world::{Budget, BudgetError, Progress};
use serde::{Deserialize, Serialize};
use std::io::{BufRead, Read, Write};
use thalweg_engine::sim::schedule::FixedStep;

/// Returns the first line of a log of a version.
fn header(version: u32) -> String {
    format!("{{\"thalweg-commands\":{version}}}")
}

/// Maximum length of a line, bytes.
const LINE_MOST: u64 = 64 << 20;

/// A command with its number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Entry {
    /// Number of the command in its session.
    pub id: u64,
    /// The command.
    pub command: Command,
}

/// Commands of a session, in their order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CommandLog {
    entries: Vec<Entry>,
}

impl CommandLog {
    /// Creates a log without commands.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the commands.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Carries out a command, and logs it.
    ///
    /// # Errors
    ///
    /// [`CommandError`] if the session refuses it; it is not logged then.
    pub fn apply(
        &mut self,
        session: &mut Session,
        command: Command,
    ) -> Result<Applied, CommandError> {
        let applied = session.apply(command.clone())?;
        self.entries.push(Entry { id: applied.id, command });
        Ok(applied)
    }

    /// Continues the cycle under way, or begins one and logs it: [`Session::run_within`].
    ///
    /// # Errors
    ///
    /// [`BudgetError`] if the budget permits no step of any leaf. Nothing was done then.
    pub fn run_within(
        &mut self,
        session: &mut Session,
        step: FixedStep,
        budget: Budget<'_>,
    ) -> Result<Progress, BudgetError> {
        let (begun, progress) = session.run_within(step, budget)?;
        let entry = |id| Entry { id, command: Command::Run { step, cycles: 1 } };
        self.entries.extend(begun.map(entry));
        Ok(progress)
    }

    /// Repeats all commands of the log that the session has not carried out yet.
    ///
    /// # Errors
    ///
    /// [`LogError::Order`] if the next command of the session is not in the log, and
    /// [`LogError::Refused`] if one is refused: the commands before it have been carried out then.
    pub fn replay(&self, session: &mut Session) -> Result<(), LogError> {
        let from = self.entries.partition_point(|entry| entry.id < session.next_id());
        let last = self.entries.last().map_or(0, |entry| entry.id);
        // A log that ends right before the next command has nothing to repeat. If it ends earlier,
        // the commands in between are missing.
        if last.saturating_add(1) < session.next_id() {
            return Err(LogError::Order { expected: session.next_id(), found: None });
        }
        for Entry { id, command } in &self.entries[from..] {
            let expected = session.next_id();
            if *id != expected {
                return Err(LogError::Order { expected, found: Some(*id) });
            }
            let refused = |reason| LogError::Refused { id: *id, reason: Box::new(reason) };
            session.apply(command.clone()).map_err(refused)?;
        }
        Ok(())
    }

    /// Writes the log as text.
    ///
    /// # Errors
    ///
    /// [`LogError::Io`] if writing fails.
    pub fn write(&self, out: &mut impl Write) -> Result<(), LogError> {
        writeln!(out, "{}", header(WIRE_VERSION))?;
        for entry in &self.entries {
            serde_json::to_writer(&mut *out, entry).map_err(std::io::Error::from)?;
            writeln!(out)?;
        }
        Ok(())
    }

    /// Reads the text of a log.
    ///
    /// # Errors
    ///
    /// [`LogError`] names the line that is not a command, is longer than 64 MiB, or was cut off, or
    /// whose number does not follow.
    pub fn read(mut from: impl BufRead) -> Result<Self, LogError> {
        let mut line = Vec::new();
        let is_line = next_line(&mut from, &mut line, 1)?;
        if !is_line || !(1..=WIRE_VERSION).any(|version| line == header(version).as_bytes()) {
            return Err(LogError::Header { expected: header(WIRE_VERSION) });
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut number = 2;
        while next_line(&mut from, &mut line, number)? {
            let fail = |reason: String| LogError::Line { line: number, reason };
            let entry: Entry =
                serde_json::from_slice(&line).map_err(|error| fail(error.to_string()))?;
            // Any first number is accepted: a log may begin after a checkpoint.
            let before = entries.last().map_or(entry.id.wrapping_sub(1), |entry| entry.id);
            if entry.id == 0 || entry.id != before.wrapping_add(1) {
                return Err(fail(format!("command {} follows on command {before}", entry.id)));
            }
            entries.push(entry);
            number += 1;
        }
        Ok(Self { entries })
    }
}

/// Reads a line without its end; returns false at the end of the text.
fn next_line(from: &mut impl BufRead, line: &mut Vec<u8>, number: u64) -> Result<bool, LogError> {
    line.clear();
    // The bound is on the reader, so a text without any end of line takes LINE_MOST bytes at most.
    from.by_ref().take(LINE_MOST).read_until(b'\n', line)?;
    if line.is_empty() {
        return Ok(false);
    }
    if line.pop() != Some(b'\n') {
        let reason = format!("it has no end within {LINE_MOST} bytes");
        return Err(LogError::Line { line: number, reason });
    }
    if line.last() == Some(&b'\r') {
        line.pop();
    }
    Ok(true)
}
