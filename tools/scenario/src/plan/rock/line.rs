//! Tunnels and bridges: from corners in the map's coordinates to lines in metres.
//!
//! Guarantees: corners are on the map, and all lengths are above 0.

use kit::error::UserError;
use kit::words::short;
use thalweg::world::{Deck, Earthworks, RockError, TunnelSection, Voids};

use super::asked::RockRequest;
use crate::barrier::Crest;
use crate::place::MapPoint;
use crate::quantity::{Metres, Quantity};
use crate::rock::{BridgeTable, TunnelTable};

/// Default thickness of a deck, m.
const THICKNESS_M: f64 = 0.5;

/// A line with a section.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct RockLine {
    /// Corners in metres from the world's south-west corner, and their heights.
    points_m: Vec<[f64; 3]>,
    section: RockSection,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum RockSection {
    Tunnel(TunnelSection),
    Bridge(Deck),
}

impl RockLine {
    pub fn tunnel(asked: &RockRequest<'_>, table: &TunnelTable) -> Result<Self, UserError> {
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
                return Err(asked.wrong(
                    "its cross-section needs one shape",
                    "give one of `diameter`, `box` = [width, height] and `arch` = [width, wall]",
                ));
            }
        };
        let points_m = points_m(asked, (&table.path, "floor", &table.floor))?;
        let tried = Voids::new().tunnel(&points_m, section, asked.map.cell_m()).map(|_| ());
        tried.map_err(|error| asked.refused(error))?;
        Ok(Self { points_m, section: RockSection::Tunnel(section) })
    }

    /// Returns the width of the deck, m; of a bridge only.
    pub fn deck_m(&self) -> Option<f64> {
        match self.section {
            RockSection::Tunnel(_) => None,
            RockSection::Bridge(deck) => Some(deck.width_m),
        }
    }

    pub fn bridge(asked: &RockRequest<'_>, table: &BridgeTable) -> Result<Self, UserError> {
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
                return Err(asked.wrong(what, "give more than 0 m"));
            }
        }
        let points_m = points_m(asked, (&table.path, "deck", &table.deck))?;
        Ok(Self { points_m, section: RockSection::Bridge(deck) })
    }

    /// Returns the elevations that the structure reaches, with their keys.
    pub fn elevations_m(&self) -> Vec<(&'static str, f64)> {
        let (key, below_m, above_m) = match self.section {
            RockSection::Tunnel(TunnelSection::Box { height_m, .. }) => ("floor", 0.0, height_m),
            RockSection::Tunnel(TunnelSection::Circle { diameter_m }) => ("floor", 0.0, diameter_m),
            RockSection::Tunnel(TunnelSection::Arch { width_m, wall_m }) => {
                ("floor", 0.0, wall_m + 0.5 * width_m)
            }
            RockSection::Bridge(deck) => ("deck", deck.thickness_m, deck.parapet_m),
        };
        let ends = |point: &[f64; 3]| [(key, point[2] - below_m), (key, point[2] + above_m)];
        self.points_m.iter().flat_map(ends).collect()
    }

    /// Carves or builds the structure.
    pub fn put(&self, works: &mut Earthworks) -> Result<(), RockError> {
        let done = match self.section {
            RockSection::Tunnel(section) => works.tunnel(&self.points_m, section),
            RockSection::Bridge(deck) => works.bridge(&self.points_m, deck),
        };
        done.map(|_| ())
    }

    /// Returns the description, in words.
    pub fn words(&self) -> String {
        let heights = self.points_m.iter().map(|point| point[2]);
        let (low, high) = (
            heights.clone().fold(f64::INFINITY, f64::min),
            heights.fold(f64::NEG_INFINITY, f64::max),
        );
        let at = match low < high {
            true => format!("from {} to {} m", short(low), short(high)),
            false => format!("at {} m", short(low)),
        };
        match self.section {
            RockSection::Tunnel(TunnelSection::Box { width_m, height_m }) => {
                format!("box of {} x {} m, floor {at}", short(width_m), short(height_m))
            }
            RockSection::Tunnel(TunnelSection::Circle { diameter_m }) => {
                format!("pipe of {} m, floor {at}", short(diameter_m))
            }
            RockSection::Tunnel(TunnelSection::Arch { width_m, wall_m }) => format!(
                "arch of {} m over walls of {} m, floor {at}",
                short(width_m),
                short(wall_m)
            ),
            RockSection::Bridge(Deck { width_m, thickness_m, parapet_m }) => {
                let [width, thick, parapet] = [width_m, thickness_m, parapet_m].map(short);
                format!("{width} m wide, {thick} m thick, parapets of {parapet} m, deck {at}")
            }
        }
    }
}

/// Returns the corners in metres, with the heights that a key gives.
fn points_m(
    asked: &RockRequest<'_>,
    (path, key, Crest(heights)): (&[[f64; 2]], &str, &Crest),
) -> Result<Vec<[f64; 3]>, UserError> {
    asked.check_level()?;
    let corners = path.len();
    if corners < 2 {
        return Err(asked.wrong(
            format!("its `path` has {corners} corners"),
            "give two or more, [[x, y], [x, y]]",
        ));
    }
    if heights.len() != 1 && heights.len() != corners {
        return Err(asked.wrong(
            format!("its `{key}` has {} elevations for {corners} corners", heights.len()),
            "give one for all, or one for each corner of `path`",
        ));
    }
    let height_m = |corner: usize| Metres::si(heights[corner.min(heights.len() - 1)]);
    let mut points_m = Vec::with_capacity(corners);
    for (corner, &[x, y]) in path.iter().enumerate() {
        let [east_m, north_m] = asked.metres_to("path", MapPoint { x, y })?;
        points_m.push([east_m, north_m, height_m(corner)]);
    }
    Ok(points_m)
}
