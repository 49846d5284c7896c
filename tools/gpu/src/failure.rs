//! Failures of a card, as sentences.
//!
//! Guarantees: each message is one line, for any text of the driver (`a_failure_is_one_line`).
//! Limits:     the words of a driver are English, and its own.
//! Source:     own.

use crate::arithmetic::Routes;
use std::fmt;

/// Reason why a card does not compute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The system shows no card that can compute.
    NoAdapter {
        /// Words of the system.
        reason: String,
    },
    /// A card is present, but does not open.
    NotOpened {
        /// Name of the card.
        device: String,
        /// Words of the driver.
        reason: String,
    },
    /// A call was refused, or memory for it was missing; the device can still be used.
    Refused {
        /// Name of the card.
        device: String,
        /// Work that the call belongs to.
        work: String,
        /// Words of the driver.
        reason: String,
    },
    /// The device is lost, and its buffers with it.
    Lost {
        /// Name of the card.
        device: String,
        /// Words of the driver.
        reason: String,
    },
    /// An operation has different bits from the processor.
    Differs {
        /// Name of the card.
        device: String,
        /// Last choice that was tried.
        routes: Routes,
        /// Operation and operands.
        mismatch: Mismatch,
    },
}

/// Operands for which a card and the processor differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mismatch {
    /// Name of the operation.
    pub operation: &'static str,
    /// Input words.
    pub operands: [u32; 4],
    /// Words that the card returned.
    pub got: [u32; 2],
    /// Words of the processor.
    pub expected: [u32; 2],
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let Self { operation, operands, got, expected } = self;
        write!(f, "{operation} of {operands:08x?} gives {got:08x?}, not {expected:08x?}")
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::NoAdapter { reason } => write!(
                f,
                "no graphics card was found ({}): install its Vulkan driver \
                 (mesa-vulkan-drivers, or the maker's)",
                line(reason)
            ),
            Self::NotOpened { device, reason } => write!(
                f,
                "the graphics card {device} does not open ({}): update its driver",
                line(reason)
            ),
            Self::Refused { device, work, reason } => {
                write!(f, "the graphics card {device} refused {work}: {}", line(reason))
            }
            Self::Lost { device, reason } => write!(
                f,
                "the graphics card {device} was lost ({}), and nothing with it",
                line(reason)
            ),
            Self::Differs { device, routes, mismatch } => write!(
                f,
                "the graphics card {device} does not compute as the processor ({mismatch}; \
                 {routes}): update its driver"
            ),
        }
    }
}

impl std::error::Error for Failure {}

/// Puts the words of a driver on one line.
fn line(reason: &str) -> String {
    let words: Vec<&str> = reason.split_whitespace().collect();
    words.join(" ").trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line() {
        let reason = "Validation Error\n\nCaused by:\n  a bad text.\n".to_owned();
        let failure = Failure::Refused { device: "x".into(), work: "a kernel".into(), reason };
        let text = "the graphics card x refused a kernel: Validation Error Caused by: a bad text";
        assert_eq!(failure.to_string(), text);
    }
}
