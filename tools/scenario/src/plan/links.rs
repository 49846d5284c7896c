//! Culverts, pumps and drains: from the map's coordinates to the engine's metres.
//!
//! Guarantees: names are unique, places lie on the map, and all numbers are such that the engine
//!             takes them.
//! Limits:     whether a place is NoData, two lie in one cell, or a culvert hangs above the ground
//!             is known when the ground is.

use std::collections::HashSet;
use std::f64::consts::PI;

use kit::error::UserError;
use kit::words::{brief, short};
use thalweg::structure::Section;
use thalweg::world;

use super::super::file::Scenario;
use super::super::link as file;
use super::super::place::Point;
use super::barriers::metres_from_corner;
use super::forcing::name_of;
use super::map::MapPlan;
use crate::quantity::{Metres, Quantity};

/// Manning's n of smooth concrete.
const MANNING: f64 = 0.012;
/// Losses of a square edge, and into still water.
const LOSSES: [f64; 2] = [0.5, 1.0];

/// A culvert, a pump or a drain.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    /// Where it begins and, within the world, ends, in the map's coordinates.
    pub path: Vec<Point>,
    /// Keys of these places.
    pub keys: &'static [&'static str],
    /// As it was asked for; what lies on the ground is at 0 m.
    asked: world::Link,
    /// Ends of a culvert whose inverts are the ground.
    is_on_ground: [bool; 2],
}

impl Link {
    /// Name of the link.
    #[must_use]
    pub fn name(&self) -> &str {
        self.asked.name()
    }

    /// Kind of the link, as its section in a scenario is called.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        kind(&self.asked)
    }

    /// Link for the engine, where the ground at the ends of [`Self::path`] is known.
    #[must_use]
    pub fn asked(&self, beds_m: &[f64]) -> world::Link {
        let mut asked = self.asked.clone();
        if let world::Link::Culvert(culvert) = &mut asked {
            let inverts = [&mut culvert.from_invert_m, &mut culvert.to_invert_m];
            for ((invert, bed), is_on_ground) in
                inverts.into_iter().zip(beds_m).zip(self.is_on_ground)
            {
                if is_on_ground {
                    *invert = *bed;
                }
            }
        }
        asked
    }

    /// Which of the ends of a culvert lies nearer to a place in the engine's metres.
    #[must_use]
    pub fn end_near(&self, point_m: [f64; 2]) -> usize {
        let world::Link::Culvert(culvert) = &self.asked else { return 0 };
        let far = |end: [f64; 2]| (end[0] - point_m[0]).hypot(end[1] - point_m[1]);
        usize::from(far(culvert.to) < far(culvert.from))
    }

    /// Elevations that it names, with their keys.
    #[must_use]
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        let given = match &self.asked {
            world::Link::Culvert(culvert) => {
                let [from, to] = self.is_on_ground.map(|is_on_ground| !is_on_ground);
                vec![
                    ("from_invert", from.then_some(culvert.from_invert_m)),
                    ("to_invert", to.then_some(culvert.to_invert_m)),
                ]
            }
            world::Link::Pump(pump) => vec![
                ("on", Some(pump.on_stage_m)),
                ("off", Some(pump.off_stage_m)),
                ("outlet", pump.outlet_m),
            ],
            world::Link::Drain(drain) => vec![("rim", drain.rim_m)],
        };
        given.into_iter().filter_map(|(key, metres)| Some((key, metres?))).collect()
    }

    /// Description of the link, in words.
    pub(super) fn words(&self) -> String {
        words(&self.asked, self.is_on_ground)
    }
}

/// Kind of a link, as its section in a scenario is called.
#[must_use]
pub fn kind(link: &world::Link) -> &'static str {
    match link {
        world::Link::Culvert(_) => "culvert",
        world::Link::Pump(_) => "pump",
        world::Link::Drain(_) => "drain",
    }
}

/// Description of a link, in words; ends of a culvert may lie on ground that is not known.
#[must_use]
pub fn words(link: &world::Link, is_on_ground: [bool; 2]) -> String {
    match link {
        world::Link::Culvert(culvert) => culvert_words(culvert, is_on_ground),
        world::Link::Pump(pump) => {
            let rates = || pump.curve.iter().map(|(_, rate)| *rate);
            let most = short(rates().fold(0.0, f64::max));
            let upto = if pump.curve.len() > 1 { "up to " } else { "" };
            let to = if pump.to.is_some() { "" } else { " out of the map" };
            let (on, off) = (short(pump.on_stage_m), short(pump.off_stage_m));
            format!("{upto}{most} m³/s{to}, on from a stage of {on} m, off below {off} m")
        }
        world::Link::Drain(drain) => {
            let rim = drain.rim_m.map_or("the ground".into(), |rim| format!("{} m", short(rim)));
            let (area, perimeter) = (short(drain.area_m2), short(drain.perimeter_m));
            format!("{area} m² with a rim of {perimeter} m at {rim}")
        }
    }
}

fn culvert_words(culvert: &world::Culvert, is_on_ground: [bool; 2]) -> String {
    let section = match culvert.section {
        Section::Circle { diameter_m } => format!("a pipe of {} m", short(diameter_m)),
        Section::Box { width_m, height_m } => {
            format!("a box of {} × {} m", short(width_m), short(height_m))
        }
    };
    let inverts = [culvert.from_invert_m, culvert.to_invert_m];
    let [from, to] = [0, 1].map(|end| match is_on_ground[end] {
        true => "the ground".to_owned(),
        false => format!("{} m", short(inverts[end])),
    });
    let length = culvert.length_m.map_or("straight".into(), |m| format!("{} m long", short(m)));
    let flap = if culvert.has_flap { ", with a flap" } else { "" };
    format!("{section}, {length}, from {from} to {to}{flap}")
}

/// All links of a scenario; `taken` are names of accounts that have other water.
pub(super) fn resolve(
    scenario: &Scenario,
    map: &MapPlan,
    taken: &[&str],
) -> Result<Vec<Link>, UserError> {
    let Scenario { culvert, pump, drain, .. } = scenario;
    let mut found = Vec::new();
    for (index, asked) in culvert.iter().enumerate() {
        let name = name_of(asked.name.as_deref(), "culvert", index, culvert.len());
        found.push(Asked { kind: "culvert", name: &name, map }.culvert(asked)?);
    }
    for (index, asked) in pump.iter().enumerate() {
        let name = name_of(asked.name.as_deref(), "pump", index, pump.len());
        found.push(Asked { kind: "pump", name: &name, map }.pump(asked)?);
    }
    for (index, asked) in drain.iter().enumerate() {
        let name = name_of(asked.name.as_deref(), "drain", index, drain.len());
        found.push(Asked { kind: "drain", name: &name, map }.drain(asked)?);
    }
    let (taken, mut before): (HashSet<&str>, _) = (taken.iter().copied().collect(), HashSet::new());
    for link in &found {
        let is_taken = link.path.len() == 1 && taken.contains(link.name());
        if link.name().is_empty() || is_taken || !before.insert(link.name()) {
            return Err(UserError::new(
                format!("the name `{}` of a {} is empty or taken", link.name(), link.kind()),
                "give each culvert, pump and drain a `name` of its own",
            ));
        }
    }
    Ok(found)
}

/// A link that is being checked.
struct Asked<'a> {
    kind: &'static str,
    name: &'a str,
    map: &'a MapPlan,
}

impl Asked<'_> {
    fn wrong(&self, what: impl std::fmt::Display, mend: impl std::fmt::Display) -> UserError {
        UserError::new(format!("{} `{}`: {what}", self.kind, self.name), mend)
    }

    fn within(&self, key: &str, value: f64, (low, high): (f64, f64)) -> Result<f64, UserError> {
        if (low..=high).contains(&value) {
            return Ok(value);
        }
        let what = format!("its `{key}` is {}", brief(value));
        Err(self.wrong(what, format!("choose from {low} to {high}")))
    }

    /// A place on the map: in its coordinates, and in metres from its south-west corner.
    fn place(&self, key: &str, [x, y]: [f64; 2]) -> Result<(Point, [f64; 2]), UserError> {
        let (kind, name, at) = (self.kind, self.name, Point { x, y });
        self.map.check_inside(&format!("{kind} `{name}`: its `{key}`"), at)?;
        Ok((at, metres_from_corner(&self.map.drawn(), [x, y])))
    }

    fn culvert(&self, culvert: &file::Culvert) -> Result<Link, UserError> {
        let (from, from_m) = self.place("from", culvert.from)?;
        let (to, to_m) = self.place("to", culvert.to)?;
        let length =
            culvert.length.map(|length| self.within("length", length.si(), (0.001, 1.0e6)));
        let loss = |key, given: Option<f64>, usual: f64| {
            self.within(key, given.unwrap_or(usual), (0.0, 100.0))
        };
        let section = match (culvert.diameter, culvert.sides) {
            (Some(diameter), None) => Section::Circle {
                diameter_m: self.within("diameter", diameter.si(), (0.001, 100.0))?,
            },
            (None, Some(sides)) => {
                let [width_m, height_m] = self.sides(sides)?;
                Section::Box { width_m, height_m }
            }
            _ => {
                return Err(self.wrong(
                    "its cross-section needs one shape",
                    "give `diameter`, or `box` = [width, height], and not both",
                ));
            }
        };
        let inverts = [culvert.from_invert, culvert.to_invert];
        let [from_invert_m, to_invert_m] = inverts.map(|invert| invert.map_or(0.0, Quantity::si));
        let asked = world::Culvert {
            name: self.name.to_owned(),
            from: from_m,
            to: to_m,
            from_invert_m,
            to_invert_m,
            section,
            length_m: length.transpose()?,
            manning_n: self.within("manning", culvert.manning.unwrap_or(MANNING), (0.0, 1.0))?,
            inlet_loss: loss("inlet_loss", culvert.inlet_loss, LOSSES[0])?,
            outlet_loss: loss("outlet_loss", culvert.outlet_loss, LOSSES[1])?,
            has_flap: culvert.flap.unwrap_or(false),
        };
        let is_on_ground = inverts.map(|invert| invert.is_none());
        Ok(Link { path: vec![from, to], keys: &["from", "to"], asked: asked.into(), is_on_ground })
    }

    fn sides(&self, [width, height]: [Metres; 2]) -> Result<[f64; 2], UserError> {
        let side = |side: Metres| self.within("box", side.si(), (0.001, 100.0));
        Ok([side(width)?, side(height)?])
    }

    fn pump(&self, pump: &file::Pump) -> Result<Link, UserError> {
        let (from, from_m) = self.place("from", pump.from)?;
        let to = pump.to.map(|at| self.place("to", at)).transpose()?;
        let curve: Vec<(f64, f64)> = match (pump.discharge, &pump.curve) {
            (Some(discharge), None) => {
                vec![(0.0, self.within("discharge", discharge.si(), (0.0, 1.0e5))?)]
            }
            (None, Some(curve)) => {
                curve.iter().map(|(lift, rate)| (lift.si(), rate.si())).collect()
            }
            _ => {
                return Err(self.wrong(
                    "it needs one way to say how much it moves",
                    "give `discharge`, or `curve` = [[lift, discharge], …], and not both",
                ));
            }
        };
        for (lift, rate) in &curve {
            self.within("curve", *lift, (-1.0e4, 1.0e4))?;
            self.within("curve", *rate, (0.0, 1.0e5))?;
        }
        if curve.is_empty() || curve.windows(2).any(|pair| pair[1].0 <= pair[0].0) {
            return Err(self.wrong(
                "the lifts of its `curve` do not rise",
                "write [[lift, discharge], …], lowest lift first",
            ));
        }
        let (on, off) = (pump.on.si(), pump.off.unwrap_or(pump.on).si());
        if off > on {
            return Err(self.wrong(
                format!("its `off` of {} m is above its `on` of {} m", short(off), short(on)),
                "it runs from the stage `on` until the stage is below `off`: swap them",
            ));
        }
        let asked = world::Pump {
            name: self.name.to_owned(),
            from: from_m,
            to: to.map(|(_, metres)| metres),
            curve,
            on_stage_m: on,
            off_stage_m: off,
            outlet_m: pump.outlet.map(Quantity::si),
        };
        let path = [Some(from), to.map(|(at, _)| at)].into_iter().flatten().collect();
        Ok(Link { path, keys: &["from", "to"], asked: asked.into(), is_on_ground: [false; 2] })
    }

    fn drain(&self, drain: &file::Drain) -> Result<Link, UserError> {
        let (at, place) = self.place("at", drain.at)?;
        let (area_m2, perimeter_m) =
            match (drain.diameter, drain.sides, drain.area, drain.perimeter) {
                (Some(diameter), None, None, None) => {
                    let diameter = self.within("diameter", diameter.si(), (0.001, 100.0))?;
                    (0.25 * PI * diameter * diameter, PI * diameter)
                }
                (None, Some(sides), None, None) => {
                    let [a, b] = self.sides(sides)?;
                    (a * b, 2.0 * (a + b))
                }
                (None, None, Some(area), Some(perimeter)) => (
                    self.within("area", area, (1.0e-6, 1.0e6))?,
                    self.within("perimeter", perimeter.si(), (0.001, 1.0e5))?,
                ),
                _ => {
                    return Err(self.wrong(
                        "its opening needs one shape",
                        "give one of `diameter`, `box` = [side, side], and `area` with `perimeter`",
                    ));
                }
            };
        let rim_m = drain.rim.map(Quantity::si);
        let asked = world::Drain { name: self.name.to_owned(), place, area_m2, perimeter_m, rim_m };
        Ok(Link { path: vec![at], keys: &["at"], asked: asked.into(), is_on_ground: [false; 2] })
    }
}
