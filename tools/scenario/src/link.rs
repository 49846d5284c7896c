//! `[[culvert]]`, `[[pump]]` and `[[drain]]` as written down: what joins two places, or leads out.
//!
//! Guarantees: an unknown key, a wrong type or a text that does not read is an error at its line.
//! Limits:     what the keys mean together is checked by [`super::plan`].

use serde::Deserialize;

use crate::quantity::{Discharge, Metres};

/// `[[culvert]]`: a pipe or a box between two places.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Culvert {
    pub name: Option<String>,
    pub from: [f64; 2],
    pub to: [f64; 2],
    pub from_invert: Option<Metres>,
    pub to_invert: Option<Metres>,
    pub diameter: Option<Metres>,
    #[serde(rename = "box")]
    pub sides: Option<[Metres; 2]>,
    pub length: Option<Metres>,
    pub manning: Option<f64>,
    pub inlet_loss: Option<f64>,
    pub outlet_loss: Option<f64>,
    pub flap: Option<bool>,
}

/// `[[pump]]`: from a place to another, or out of the world.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Pump {
    pub name: Option<String>,
    pub from: [f64; 2],
    pub to: Option<[f64; 2]>,
    pub discharge: Option<Discharge>,
    pub curve: Option<Vec<(Metres, Discharge)>>,
    pub on: Metres,
    pub off: Option<Metres>,
    pub outlet: Option<Metres>,
}

/// `[[drain]]`: an opening in the ground, out of the world.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct Drain {
    pub name: Option<String>,
    pub at: [f64; 2],
    pub diameter: Option<Metres>,
    #[serde(rename = "box")]
    pub sides: Option<[Metres; 2]>,
    pub area: Option<f64>,
    pub perimeter: Option<Metres>,
    pub rim: Option<Metres>,
}
