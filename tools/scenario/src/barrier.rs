//! `[[barrier]]` as it is written: a levee, weir, sluice gate or bridge deck along a line.
//!
//! Guarantees: an unknown key, a wrong type or an invalid text is an error at its line.
//! Limits:     [`super::plan`] checks the keys together.

use std::fmt;

use serde::Deserialize;
use serde::de::{SeqAccess, Visitor};

use crate::quantity::{Metres, Seconds, Text, ValueOrFile};

/// `[[barrier]]`: a line that water passes over its crest, through its gap or its breach.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct BarrierTable {
    pub name: Option<String>,
    pub path: Vec<[f64; 2]>,
    pub crest: Crest,
    pub gap: Option<GapTable>,
    pub breach: Option<BreachTable>,
    pub weir_coefficient: Option<f64>,
    pub contraction: Option<f64>,
}

/// `[barrier.gap]`: an opening below the crest, as long as the barrier.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct GapTable {
    pub sill: Option<Metres>,
    pub opening: Option<ValueOrFile<Metres>>,
    pub rule: Option<Vec<[Metres; 2]>>,
    pub at: Option<[f64; 2]>,
}

/// `[barrier.breach]`: a part of the barrier that fails.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct BreachTable {
    pub along: Option<Metres>,
    pub time: Option<Seconds>,
    pub stage: Option<Metres>,
    pub at: Option<[f64; 2]>,
    pub bottom: ValueOrFile<Metres>,
    pub width: Option<ValueOrFile<Metres>>,
    pub over: Option<Seconds>,
    pub volume: Option<f64>,
}

impl BarrierTable {
    /// Returns the values that may be a table over time.
    pub fn tables(&mut self) -> impl Iterator<Item = &mut ValueOrFile<Metres>> {
        let opening = self.gap.as_mut().and_then(|gap| gap.opening.as_mut());
        let grown = self.breach.as_mut().map(|breach| (&mut breach.bottom, breach.width.as_mut()));
        let grown = grown.into_iter().flat_map(|(bottom, width)| [Some(bottom), width]);
        opening.into_iter().chain(grown.flatten())
    }
}

/// Elevations of a crest: one for all corners, or one for each.
#[derive(Debug, Clone, PartialEq)]
pub struct Crest(pub Vec<Metres>);

impl<'de> Deserialize<'de> for Crest {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(CrestText)
    }
}

struct CrestText;

impl<'de> Visitor<'de> for CrestText {
    type Value = Crest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an elevation like 12.5, or a list of one for each corner of the path")
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Crest, E> {
        text.parse().map(|crest| Crest(vec![crest])).map_err(E::custom)
    }

    fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<Crest, E> {
        self.visit_str(&Text.visit_i64::<E>(number)?)
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Crest, E> {
        self.visit_str(&Text.visit_f64::<E>(number)?)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Crest, A::Error> {
        let mut crests = Vec::new();
        while let Some(crest) = list.next_element()? {
            crests.push(crest);
        }
        Ok(Crest(crests))
    }
}
