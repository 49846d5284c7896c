//! Culverts, pumps and drains: from the map's coordinates to the engine's metres.
//!
//! Guarantees: names are unique, places are on the map, and all numbers are in the engine's ranges.
//! Limits:     whether a place is NoData, two are in one cell, or a culvert is above the ground is
//!             checked later, with the ground.

use std::collections::HashSet;
use std::fmt::Display;

use kit::error::UserError;
use kit::words::{brief, short};
use thalweg::structure;
use thalweg::structure::{Fault, StructureId};

use super::super::file::Scenario;
use super::super::link::LinkTable;
use super::super::place::MapPoint;
use super::barriers::metres_from_corner;
use super::forcing::name_of;
use super::map::MapPlan;

/// A culvert, a pump or a drain.
#[derive(Debug, Clone, PartialEq)]
pub struct LinkPlan {
    /// Start and, within the world, end, in the map's coordinates.
    pub path: Vec<MapPoint>,
    /// The requested link; its ends on the ground are at 0 m.
    asked: structure::Link,
    /// Ends whose elevation is that of the ground.
    is_on_ground: [bool; 2],
}

impl LinkPlan {
    /// Returns the name of the link.
    #[must_use]
    pub fn name(&self) -> &str {
        self.asked.name()
    }

    /// Returns the identity of the link in the engine.
    #[must_use]
    pub fn id(&self) -> StructureId {
        self.asked.id()
    }

    /// Returns the kind of the link, as its section in a scenario is called.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.asked.spec().kind()
    }

    /// Whether the link has a barrel that may run full.
    #[must_use]
    pub fn has_barrel(&self) -> bool {
        self.asked.spec().has_barrel()
    }

    /// Returns the places of the link, with their keys.
    pub fn places(&self) -> impl Iterator<Item = (&'static str, MapPoint)> {
        self.asked.spec().ends().into_iter().map(|end| end.key).zip(self.path.iter().copied())
    }

    /// Returns the link for the engine; `beds_m` is the ground at the ends of [`Self::path`].
    #[must_use]
    pub fn asked(&self, beds_m: &[f64]) -> structure::Link {
        let mut asked = self.asked.clone();
        for (end, bed_m) in beds_m.iter().enumerate().filter(|(end, _)| self.is_on_ground[*end]) {
            asked.spec_mut().lay(end, *bed_m);
        }
        asked
    }

    /// Returns the elevations that the link names, with their keys.
    #[must_use]
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        let spec = self.asked.spec();
        let laid = spec.ends().into_iter().zip(self.is_on_ground).filter(|(_, is_laid)| *is_laid);
        let laid: Vec<&str> = laid.map(|(end, _)| end.elevation_key).collect();
        let given = spec.elevations_m().into_iter().filter(|(key, _)| !laid.contains(key));
        given.filter_map(|(key, metres)| Some((key, metres?))).collect()
    }

    /// Returns the description of the link, in words.
    pub(super) fn words(&self) -> String {
        self.asked.spec().words(self.is_on_ground)
    }

    /// Returns the engine's reason to refuse the link, in the words of a scenario.
    #[must_use]
    pub fn refused(&self, fault: &Fault) -> UserError {
        let wrong = |what: String, mend: &str| wrong((self.kind(), self.name()), what, mend);
        match fault {
            Fault::SameCell { cell_width_m } => wrong(
                format!("both ends lie in one cell of {} m", short(*cell_width_m)),
                "move them apart, or simulate smaller cells with --quality or --cell-size",
            ),
            Fault::AboveGround { end, invert_m, bed_m, height_m, .. } => {
                let key = self.asked.spec().ends()[*end].elevation_key;
                let [invert, bed, height] = [*invert_m, *bed_m, *height_m].map(short);
                wrong(
                    format!(
                        "its `{key}` of {invert} m hangs more than its height of {height} m above \
                         the ground of {bed} m at {}",
                        self.path[*end]
                    ),
                    &format!("lower it, or leave `{key}` out to lay it on the ground"),
                )
            }
            fault => refused((self.kind(), self.name()), fault),
        }
    }
}

/// Returns all links of a scenario; `taken` are names of accounts that are already in use.
pub(super) fn resolve(
    scenario: &Scenario,
    map: &MapPlan,
    taken: &[&str],
) -> Result<Vec<LinkPlan>, UserError> {
    let mut found = links_of(&scenario.culvert, map)?;
    found.extend(links_of(&scenario.pump, map)?);
    found.extend(links_of(&scenario.drain, map)?);
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

/// Returns the links of all tables of a kind.
fn links_of<T: LinkTable>(tables: &[T], map: &MapPlan) -> Result<Vec<LinkPlan>, UserError> {
    let link = |(index, table): (usize, &T)| {
        let name = &name_of(table.name(), T::KIND, index, tables.len());
        let of = LinkRequest { kind: T::KIND, name, map };
        let (asked, is_on_ground) = table.asked(&of)?;
        asked.spec().check().map_err(|fault| of.fault(&fault))?;
        let path = table.places().into_iter().map(|[x, y]| MapPoint { x, y }).collect();
        Ok(LinkPlan { path, asked, is_on_ground })
    };
    tables.iter().enumerate().map(link).collect()
}

/// A link that is being resolved.
#[derive(Debug, Clone, Copy)]
pub struct LinkRequest<'a> {
    /// Section of the link.
    pub kind: &'static str,
    /// Name of the link.
    pub name: &'a str,
    map: &'a MapPlan,
}

impl LinkRequest<'_> {
    /// Returns the error with the fault and its remedy.
    pub(crate) fn wrong(&self, what: impl Display, mend: impl Display) -> UserError {
        wrong((self.kind, self.name), what, mend)
    }

    /// Returns the error with a fault that the engine found.
    pub(crate) fn fault(&self, fault: &Fault) -> UserError {
        refused((self.kind, self.name), fault)
    }

    /// Returns metres from the map's south-west corner to a place on the map.
    pub(crate) fn place(&self, key: &str, [x, y]: [f64; 2]) -> Result<[f64; 2], UserError> {
        let (kind, name) = (self.kind, self.name);
        self.map.check_inside(&format!("{kind} `{name}`: its `{key}`"), MapPoint { x, y })?;
        Ok(metres_from_corner(&self.map.drawn(), [x, y]))
    }
}

fn wrong((kind, name): (&str, &str), what: impl Display, mend: impl Display) -> UserError {
    UserError::new(format!("{kind} `{name}`: {what}"), mend)
}

/// Returns the engine's reason to refuse a structure, in the words of a scenario.
pub(super) fn refused(of: (&str, &str), fault: &Fault) -> UserError {
    match fault {
        Fault::Number { number, value } => wrong(
            of,
            format!("its `{}` is {}", number.key, brief(*value)),
            format!("choose from {} to {}", number.least, number.most),
        ),
        Fault::Curve { .. } => wrong(
            of,
            "the lifts of its `curve` do not rise",
            "write [[lift, discharge], …], lowest lift first",
        ),
        fault => UserError::from_sentence(format!("{} `{}`: {fault}", of.0, of.1)),
    }
}
