//! `[[tunnel]]` and `[[bridge]]` as written down: lines with water below the ground or a deck.
//!
//! Guarantees: an unknown key, a wrong type or a text that does not read is an error at its line.
//! Limits:     [`super::plan`] checks the keys together.

use serde::Deserialize;

use crate::barrier::Crest;
use crate::quantity::Metres;

/// `[[tunnel]]`: a section carved along a line.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct TunnelTable {
    pub name: Option<String>,
    pub path: Vec<[f64; 2]>,
    pub floor: Crest,
    pub diameter: Option<Metres>,
    #[serde(rename = "box")]
    pub sides: Option<[Metres; 2]>,
    pub arch: Option<[Metres; 2]>,
}

/// `[[bridge]]`: a deck along a line, with parapets an aqueduct.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct BridgeTable {
    pub name: Option<String>,
    pub path: Vec<[f64; 2]>,
    pub deck: Crest,
    pub width: Metres,
    pub thickness: Option<Metres>,
    pub parapet: Option<Metres>,
}
