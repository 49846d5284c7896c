//! The culverts, pumps and drains of a world, as its file describes them.

use std::fmt;

use serde::Serialize;
use thalweg::structure::Link;
use thalweg::units::plain::plain;

/// A culvert, a pump or a drain.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ListedLink {
    /// `culvert`, `pump` or `drain`.
    pub kind: &'static str,
    /// Name of the link.
    pub name: String,
    /// Kind of the link, in words.
    pub what: String,
}

impl ListedLink {
    /// Returns the entry of a link.
    #[must_use]
    pub fn of(link: &Link) -> Self {
        let (spec, name) = (link.spec(), link.name().to_owned());
        Self { kind: spec.kind(), name, what: spec.words([false; 2]) }
    }
}

impl fmt::Display for ListedLink {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.kind, plain(&self.name), plain(&self.what))
    }
}
