//! Tunnels and bridges: from the map's coordinates to the engine's metres.
//!
//! Guarantees: names are unique, corners lie on the map, and all lengths are above 0.
//! Limits:     whether a line reaches over NoData is known when the ground is.

use std::collections::HashSet;
use std::fmt::Display;

use kit::error::UserError;
use kit::words::short;
use thalweg::world::{Deck, Earthworks, RockError, TunnelSection, Voids};

use super::super::barrier::Crest;
use super::super::file::Scenario;
use super::super::place::Point;
use super::super::rock::{BridgeTable, TunnelTable};
use super::forcing::name_of;
use super::map::MapPlan;
use crate::quantity::{Metres, Quantity};

/// Thickness of a deck where nothing says so, m.
const THICKNESS_M: f64 = 0.5;

/// A tunnel or a bridge.
#[derive(Debug, Clone, PartialEq)]
pub struct Rock {
    /// Name of the tunnel or bridge.
    pub name: String,
    /// Corners of the line in the map's coordinates.
    pub path: Vec<Point>,
    /// Corners in metres from the world's south-west corner, and their heights.
    points_m: Vec<[f64; 3]>,
    shape: Shape,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Shape {
    Tunnel(TunnelSection),
    Bridge(Deck),
}

impl Rock {
    /// `tunnel` or `bridge`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self.shape {
            Shape::Tunnel(_) => "tunnel",
            Shape::Bridge(_) => "bridge",
        }
    }

    /// Elevations that it reaches, with their keys.
    #[must_use]
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        let (key, below_m, above_m) = match self.shape {
            Shape::Tunnel(TunnelSection::Box { height_m, .. }) => ("floor", 0.0, height_m),
            Shape::Tunnel(TunnelSection::Circle { diameter_m }) => ("floor", 0.0, diameter_m),
            Shape::Tunnel(TunnelSection::Arch { width_m, wall_m }) => {
                ("floor", 0.0, wall_m + 0.5 * width_m)
            }
            Shape::Bridge(deck) => ("deck", deck.thickness_m, deck.parapet_m),
        };
        let ends = |point: &[f64; 3]| [(key, point[2] - below_m), (key, point[2] + above_m)];
        self.points_m.iter().flat_map(ends).collect()
    }

    /// Carves or builds it.
    ///
    /// # Errors
    ///
    /// If the line reaches over NoData or off the map.
    pub fn put(&self, works: &mut Earthworks) -> Result<(), UserError> {
        let done = match self.shape {
            Shape::Tunnel(section) => works.tunnel(&self.points_m, section),
            Shape::Bridge(deck) => works.bridge(&self.points_m, deck),
        };
        done.map(|_| ()).map_err(|error| refused((self.kind(), &self.name), &error))
    }

    /// Description, in words.
    pub(super) fn words(&self) -> String {
        let heights = self.points_m.iter().map(|point| point[2]);
        let (low, high) = (
            heights.clone().fold(f64::INFINITY, f64::min),
            heights.fold(f64::NEG_INFINITY, f64::max),
        );
        let at = match low < high {
            true => format!("from {} to {} m", short(low), short(high)),
            false => format!("at {} m", short(low)),
        };
        match self.shape {
            Shape::Tunnel(TunnelSection::Box { width_m, height_m }) => {
                format!("box of {} x {} m, floor {at}", short(width_m), short(height_m))
            }
            Shape::Tunnel(TunnelSection::Circle { diameter_m }) => {
                format!("pipe of {} m, floor {at}", short(diameter_m))
            }
            Shape::Tunnel(TunnelSection::Arch { width_m, wall_m }) => format!(
                "arch of {} m over walls of {} m, floor {at}",
                short(width_m),
                short(wall_m)
            ),
            Shape::Bridge(Deck { width_m, thickness_m, parapet_m }) => {
                let [width, thick, parapet] = [width_m, thickness_m, parapet_m].map(short);
                format!("{width} m wide, {thick} m thick, parapets of {parapet} m, deck {at}")
            }
        }
    }
}

/// All tunnels and bridges of a scenario, in this order.
pub(super) fn resolve(scenario: &Scenario, map: &MapPlan) -> Result<Vec<Rock>, UserError> {
    let mut found = Vec::new();
    for (index, table) in scenario.tunnel.iter().enumerate() {
        let name = name_of(table.name.as_deref(), "tunnel", index, scenario.tunnel.len());
        found.push(Asked { kind: "tunnel", name: &name, map }.tunnel(table)?);
    }
    for (index, table) in scenario.bridge.iter().enumerate() {
        let name = name_of(table.name.as_deref(), "bridge", index, scenario.bridge.len());
        found.push(Asked { kind: "bridge", name: &name, map }.bridge(table)?);
    }
    let mut before = HashSet::new();
    for rock in &found {
        if rock.name.is_empty() || !before.insert(&rock.name) {
            return Err(UserError::new(
                format!("the name `{}` of a {} is empty or taken", rock.name, rock.kind()),
                "give each tunnel and bridge a `name` of its own",
            ));
        }
    }
    Ok(found)
}

/// A tunnel or a bridge that is being asked for.
struct Asked<'a> {
    kind: &'static str,
    name: &'a str,
    map: &'a MapPlan,
}

impl Asked<'_> {
    fn wrong(&self, what: impl Display, mend: impl Display) -> UserError {
        UserError::new(format!("{} `{}`: {what}", self.kind, self.name), mend)
    }

    fn tunnel(&self, table: &TunnelTable) -> Result<Rock, UserError> {
        let section = match (table.diameter, table.sides, table.arch) {
            (Some(diameter), None, None) => TunnelSection::Circle { diameter_m: diameter.si() },
            (None, Some(sides), None) => {
                let [width_m, height_m] = sides.map(Quantity::si);
                TunnelSection::Box { width_m, height_m }
            }
            (None, None, Some(sides)) => {
                let [width_m, wall_m] = sides.map(Quantity::si);
                TunnelSection::Arch { width_m, wall_m }
            }
            _ => {
                return Err(self.wrong(
                    "its cross-section needs one shape",
                    "give one of `diameter`, `box` = [width, height] and `arch` = [width, wall]",
                ));
            }
        };
        let rock = self.rock((&table.path, "floor", &table.floor), Shape::Tunnel(section))?;
        let tried = Voids::new().tunnel(&rock.points_m, section, self.map.cell_m()).map(|_| ());
        tried.map_err(|error| refused((self.kind, self.name), &error))?;
        Ok(rock)
    }

    fn bridge(&self, table: &BridgeTable) -> Result<Rock, UserError> {
        let deck = Deck {
            width_m: table.width.si(),
            thickness_m: table.thickness.map_or(THICKNESS_M, Quantity::si),
            parapet_m: table.parapet.map_or(0.0, Quantity::si),
        };
        let lengths = [("width", deck.width_m), ("thickness", deck.thickness_m)];
        let parapet = table.parapet.map(|parapet| ("parapet", parapet.si()));
        for (key, length_m) in lengths.into_iter().chain(parapet) {
            if !(length_m > 0.0 && length_m.is_finite()) {
                let what = format!("its `{key}` is {length_m} m");
                return Err(self.wrong(what, "give more than 0 m"));
            }
        }
        self.rock((&table.path, "deck", &table.deck), Shape::Bridge(deck))
    }

    fn rock(
        &self,
        (path, key, Crest(heights)): (&[[f64; 2]], &str, &Crest),
        shape: Shape,
    ) -> Result<Rock, UserError> {
        if self.map.level > 0 {
            return Err(self.wrong(
                format!("cells of {} m are simulated together", short(self.map.cell_m())),
                "simulate the cells of the map alone, with quality = \"fine\" (--quality fine), or \
                 leave the tunnels and bridges out",
            ));
        }
        let corners = path.len();
        if corners < 2 {
            return Err(self.wrong(
                format!("its `path` has {corners} corners"),
                "give two or more, [[x, y], [x, y]]",
            ));
        }
        if heights.len() != 1 && heights.len() != corners {
            return Err(self.wrong(
                format!("its `{key}` has {} elevations for {corners} corners", heights.len()),
                "give one for all, or one for each corner of `path`",
            ));
        }
        let height_m = |corner: usize| Metres::si(heights[corner.min(heights.len() - 1)]);
        let (kind, name) = (self.kind, self.name);
        let mut points_m = Vec::with_capacity(corners);
        let path: Vec<Point> = path.iter().map(|&[x, y]| Point { x, y }).collect();
        for (corner, &at) in path.iter().enumerate() {
            self.map.check_inside(&format!("{kind} `{name}`: its `path`"), at)?;
            let [east_m, north_m] = self.map.metres_to(at);
            points_m.push([east_m, north_m, height_m(corner)]);
        }
        Ok(Rock { name: name.to_owned(), path, points_m, shape })
    }
}

/// Says why the engine refuses it.
fn refused((kind, name): (&str, &str), error: &RockError) -> UserError {
    UserError::from_sentence(format!("{kind} `{name}`: {error}"))
}
