//! `[[culvert]]`, `[[pump]]` and `[[drain]]`: the table of each kind of link as it is written, and
//! its conversion to a link of the engine.
//!
//! Guarantees: an unknown key, a wrong type or an invalid text is an error at its line.
//! Limits:     the engine checks the numbers; [`super::plan`] checks the places of a link.

use std::f64::consts::PI;

use kit::error::UserError;
use kit::words::short;
use serde::Deserialize;
use thalweg::structure::{Culvert, Drain, Link, Number, PUMP_RATE, Pump, Section};

use crate::plan::links::LinkRequest;
use crate::quantity::{Discharge, Metres, Quantity};

/// A table that describes a link.
pub trait LinkTable {
    /// The table's section.
    const KIND: &'static str;

    /// Returns the name in the table.
    fn name(&self) -> Option<&str>;

    /// Returns the places of the link's ends, in the map's coordinates.
    fn places(&self) -> Vec<[f64; 2]>;

    /// Returns the link for the engine, its numbers not checked yet, and which of its ends are on
    /// the ground, whose elevation is not available yet.
    ///
    /// # Errors
    ///
    /// If keys are inconsistent, or a place is outside the map.
    fn asked(&self, asked: &LinkRequest<'_>) -> Result<(Link, [bool; 2]), UserError>;
}

/// Returns the section that one of two keys gives.
fn section(diameter: Option<Metres>, sides: Option<[Metres; 2]>) -> Option<Section> {
    match (diameter, sides) {
        (Some(diameter), None) => Some(Section::Circle { diameter_m: diameter.si() }),
        (None, Some(sides)) => {
            let [width_m, height_m] = sides.map(Quantity::si);
            Some(Section::Box { width_m, height_m })
        }
        _ => None,
    }
}

/// `[[culvert]]`: a pipe or a box between two places.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct CulvertTable {
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

impl LinkTable for CulvertTable {
    const KIND: &'static str = "culvert";

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn places(&self) -> Vec<[f64; 2]> {
        vec![self.from, self.to]
    }

    fn asked(&self, asked: &LinkRequest<'_>) -> Result<(Link, [bool; 2]), UserError> {
        let usual = Culvert::default();
        let culvert = Culvert {
            name: asked.name.to_owned(),
            from: asked.place("from", self.from)?,
            to: asked.place("to", self.to)?,
            from_invert_m: self.from_invert.map_or(0.0, Quantity::si),
            to_invert_m: self.to_invert.map_or(0.0, Quantity::si),
            section: section(self.diameter, self.sides).ok_or_else(|| {
                asked.wrong(
                    "its cross-section needs one shape",
                    "give `diameter`, or `box` = [width, height], and not both",
                )
            })?,
            length_m: self.length.map(Quantity::si),
            manning_n: self.manning.unwrap_or(usual.manning_n),
            inlet_loss: self.inlet_loss.unwrap_or(usual.inlet_loss),
            outlet_loss: self.outlet_loss.unwrap_or(usual.outlet_loss),
            has_flap: self.flap.unwrap_or(usual.has_flap),
        };
        Ok((culvert.into(), [self.from_invert, self.to_invert].map(|invert| invert.is_none())))
    }
}

/// `[[pump]]`: from a place to another, or out of the world.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct PumpTable {
    pub name: Option<String>,
    pub from: [f64; 2],
    pub to: Option<[f64; 2]>,
    pub discharge: Option<Discharge>,
    pub curve: Option<Vec<(Metres, Discharge)>>,
    pub on: Metres,
    pub off: Option<Metres>,
    pub outlet: Option<Metres>,
}

impl LinkTable for PumpTable {
    const KIND: &'static str = "pump";

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn places(&self) -> Vec<[f64; 2]> {
        [Some(self.from), self.to].into_iter().flatten().collect()
    }

    fn asked(&self, asked: &LinkRequest<'_>) -> Result<(Link, [bool; 2]), UserError> {
        let pump = Pump {
            name: asked.name.to_owned(),
            from: asked.place("from", self.from)?,
            to: self.to.map(|at| asked.place("to", at)).transpose()?,
            curve: self.curve(asked)?,
            on_stage_m: self.on.si(),
            off_stage_m: self.off.unwrap_or(self.on).si(),
            outlet_m: self.outlet.map(Quantity::si),
        };
        let (on, off) = (pump.on_stage_m, pump.off_stage_m);
        if off > on {
            return Err(asked.wrong(
                format!("its `off` of {} m is above its `on` of {} m", short(off), short(on)),
                "it runs from the stage `on` until the stage is below `off`: swap them",
            ));
        }
        Ok((pump.into(), [false; 2]))
    }
}

impl PumpTable {
    /// Returns lifts, m, and discharges, m³/s.
    fn curve(&self, asked: &LinkRequest<'_>) -> Result<Vec<(f64, f64)>, UserError> {
        match (self.discharge, &self.curve) {
            (Some(discharge), None) => {
                let rate = Number { key: "discharge", ..PUMP_RATE }.check(discharge.si());
                Ok(vec![(0.0, rate.map_err(|fault| asked.fault(&fault))?)])
            }
            (None, Some(curve)) => {
                Ok(curve.iter().map(|(lift, rate)| (lift.si(), rate.si())).collect())
            }
            _ => Err(asked.wrong(
                "it needs one way to say how much it moves",
                "give `discharge`, or `curve` = [[lift, discharge], …], and not both",
            )),
        }
    }
}

/// `[[drain]]`: an opening in the ground, out of the world.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
#[expect(missing_docs, reason = "named like the keys; the guide describes each")]
pub struct DrainTable {
    pub name: Option<String>,
    pub at: [f64; 2],
    pub diameter: Option<Metres>,
    #[serde(rename = "box")]
    pub sides: Option<[Metres; 2]>,
    pub area: Option<f64>,
    pub perimeter: Option<Metres>,
    pub rim: Option<Metres>,
}

impl LinkTable for DrainTable {
    const KIND: &'static str = "drain";

    fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn places(&self) -> Vec<[f64; 2]> {
        vec![self.at]
    }

    fn asked(&self, asked: &LinkRequest<'_>) -> Result<(Link, [bool; 2]), UserError> {
        let section = section(self.diameter, self.sides);
        let (area_m2, perimeter_m) = match (section, self.area, self.perimeter) {
            (Some(section), None, None) => {
                section.check().map_err(|fault| asked.fault(&fault))?;
                opening(section)
            }
            (None, Some(area), Some(perimeter))
                if self.diameter.is_none() && self.sides.is_none() =>
            {
                (area, perimeter.si())
            }
            _ => {
                return Err(asked.wrong(
                    "its opening needs one shape",
                    "give one of `diameter`, `box` = [side, side], and `area` with `perimeter`",
                ));
            }
        };
        let (name, rim_m) = (asked.name.to_owned(), self.rim.map(Quantity::si));
        let place = asked.place("at", self.at)?;
        Ok((Drain { name, place, area_m2, perimeter_m, rim_m }.into(), [false; 2]))
    }
}

/// Returns the area, m², and the length of the rim, m, of an opening.
fn opening(section: Section) -> (f64, f64) {
    match section {
        Section::Circle { diameter_m: d } => (0.25 * PI * d * d, PI * d),
        Section::Box { width_m: a, height_m: b } => (a * b, 2.0 * (a + b)),
    }
}
