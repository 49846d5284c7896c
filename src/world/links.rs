//! Culverts, pumps and drains of a world: asking for them, and reading them.
//!
//! Guarantees: what is put is kept in the world's file, and goes on there to the bit. Links are
//!             known by their names: another of a name takes the place of the one before.
//! Limits:     each end is the one cell of the simulated level that holds its point; where leaves
//!             change, those cells stay on that level as far as the budget allows.

use crate::grid::cells::CellPlace;
use crate::sim::links::{Link as Made, LinkState, LinkView};
use crate::structure::Section;
use crate::structure::culvert::Course;
use crate::world::link_plan::LinkPlan;
use crate::world::setup::NAMES_MOST;
use crate::world::{LinkError, World, WorldBuilder};
use serde::{Deserialize, Serialize};

/// A culvert or pipe between two places; see [`culvert`](crate::structure::culvert).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Culvert {
    /// Its name.
    pub name: String,
    /// Where it begins: m east and north of the world's south-west corner.
    pub from: [f64; 2],
    /// Where it ends.
    pub to: [f64; 2],
    /// Lowest point of its beginning, m.
    pub from_invert_m: f64,
    /// Lowest point of its end, m.
    pub to_invert_m: f64,
    /// Its cross-section.
    pub section: Section,
    /// Its length, m; `None` for the straight line between its ends.
    #[serde(default)]
    pub length_m: Option<f64>,
    /// Manning's n of its walls, s/m^(1/3): 0.012 for smooth concrete, 0.024 for corrugated steel.
    pub manning_n: f64,
    /// Loss where water enters, in velocity heads: 0.5 for a square edge, 0.2 for a rounded one.
    pub inlet_loss: f64,
    /// Loss where it leaves, in velocity heads: 1 into still water.
    pub outlet_loss: f64,
    /// A flap valve lets nothing back.
    #[serde(default)]
    pub has_flap: bool,
}

/// A pump from one place to another, or out of the world; see [`pump`](crate::structure::pump).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pump {
    /// Its name.
    pub name: String,
    /// Its intake: m east and north of the world's south-west corner.
    pub from: [f64; 2],
    /// Where it pumps to; `None` out of the world.
    #[serde(default)]
    pub to: Option<[f64; 2]>,
    /// Heights it lifts, m, ascending, and discharges, m³/s: straight lines between, constant
    /// beyond.
    pub curve: Vec<(f64, f64)>,
    /// Stage at its intake from which it runs, m.
    pub on_stage_m: f64,
    /// Stage at its intake below which it stops, m.
    pub off_stage_m: f64,
    /// Elevation it lifts over at least, m; without it and out of the world it lifts by nothing.
    #[serde(default)]
    pub outlet_m: Option<f64>,
}

/// An opening in the ground, out of the world; see [`drain`](crate::structure::drain).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drain {
    /// Its name, and that of its account.
    pub name: String,
    /// Where it is: m east and north of the world's south-west corner.
    pub place: [f64; 2],
    /// Open area, m².
    pub area_m2: f64,
    /// Length of its rim, m.
    pub perimeter_m: f64,
    /// Elevation of its rim, m; without it, or below the ground, the ground.
    #[serde(default)]
    pub rim_m: Option<f64>,
}

/// What joins two places, or a place and what is not of the world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Link {
    /// A culvert or pipe.
    Culvert(Culvert),
    /// A pump.
    Pump(Pump),
    /// A drain.
    Drain(Drain),
}

impl From<Culvert> for Link {
    fn from(culvert: Culvert) -> Self {
        Self::Culvert(culvert)
    }
}

impl From<Pump> for Link {
    fn from(pump: Pump) -> Self {
        Self::Pump(pump)
    }
}

impl From<Drain> for Link {
    fn from(drain: Drain) -> Self {
        Self::Drain(drain)
    }
}

impl Link {
    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Culvert(Culvert { name, .. })
            | Self::Pump(Pump { name, .. })
            | Self::Drain(Drain { name, .. }) => name,
        }
    }

    /// Where it begins and where it ends, m; `None` out of the world.
    #[must_use]
    pub fn points_m(&self) -> ([f64; 2], Option<[f64; 2]>) {
        match self {
            Self::Culvert(culvert) => (culvert.from, Some(culvert.to)),
            Self::Pump(pump) => (pump.from, pump.to),
            Self::Drain(drain) => (drain.place, None),
        }
    }
}

/// What passes a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkFlow {
    /// What passed in its last step, from its beginning to its end, m³/s; negative the other way.
    pub discharge_m3_s: f64,
    /// Stage where it begins, m; of a dry cell its lowest bed.
    pub from_stage_m: f64,
    /// Stage where it ends, m; `None` out of the world.
    pub to_stage_m: Option<f64>,
    /// Whether it runs full or free.
    pub course: Course,
}

impl WorldBuilder {
    /// A culvert, a pump or a drain.
    ///
    /// # Examples
    ///
    /// ```
    /// use thalweg::structure::Section;
    /// use thalweg::terrain::{TerrainBuilder, TerrainOptions};
    /// use thalweg::units::{SimTime, VerticalScale};
    /// use thalweg::world::{Culvert, WorldBuilder};
    /// let scale = VerticalScale::choose(0.0, 9.0, 20.0)?;
    /// let options =
    ///     TerrainOptions { width: 9, height: 3, cell_width_m: 5.0, scale, bed_exponent: 10 };
    /// let mut terrain = TerrainBuilder::try_new(options)?;
    /// // Two basins, and a road between them.
    /// let road: Vec<f64> = (0..9).map(|x| if x == 4 { 3.0 } else { 0.0 }).collect();
    /// (0..3).try_for_each(|_| terrain.push_row(&road))?;
    /// let pipe = Culvert {
    ///     name: "under the road".to_owned(),
    ///     from: [17.5, 7.5],
    ///     to: [27.5, 7.5],
    ///     from_invert_m: 0.0,
    ///     to_invert_m: 0.0,
    ///     section: Section::Circle { diameter_m: 0.6 },
    ///     length_m: None,
    ///     manning_n: 0.012,
    ///     inlet_loss: 0.5,
    ///     outlet_loss: 1.0,
    ///     has_flap: false,
    /// };
    /// let west = Box::new(|place: thalweg::grid::cells::CellPlace| {
    ///     if place.x < 4 { 2.0 } else { 1.0 }
    /// });
    /// let mut world =
    ///     WorldBuilder::new(terrain.finish()?).initial_stage(west).link(pipe).build()?;
    /// world.run_until(SimTime::from_seconds(10.0));
    /// let flow = world.link_flow("under the road").expect("it is there");
    /// assert!(flow.discharge_m3_s > 0.5);
    /// assert_eq!(world.stored(), world.ledger().expected());
    /// let ends = world.links().map(|link| link.points_m()).next();
    /// assert_eq!(ends, Some(([17.5, 7.5], Some([27.5, 7.5]))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn link(mut self, link: impl Into<Link>) -> Self {
        self.links.push(link.into());
        self
    }
}

impl World {
    /// Puts a culvert, a pump or a drain into the world, or in the place of the one with its name,
    /// which is returned as it was asked for. It begins at rest. Call it between cycles.
    ///
    /// # Errors
    ///
    /// [`LinkError`] says what is wrong with it, where, and how to mend it. Then nothing has
    /// changed.
    pub fn put_link(&mut self, link: impl Into<Link>) -> Result<Option<Link>, LinkError> {
        let link = link.into();
        let number = self.number_for(link.name());
        let wanted = Some((link, LinkState::default()));
        let replaced = self.change(|world| world.set_link(number, wanted))?;
        Ok(replaced.map(|(link, _)| link))
    }

    /// Takes a link away, and returns it.
    ///
    /// # Errors
    ///
    /// [`LinkError::Unknown`] where there is none of that name.
    pub fn remove_link(&mut self, name: &str) -> Result<Link, LinkError> {
        let number = self.find_link(name)?;
        let replaced = self.change(|world| world.set_link(number, None))?;
        Ok(replaced.expect("it was found").0)
    }

    /// The number of a link that is put: that of the one with its name, or the next.
    pub(super) fn number_for(&self, name: &str) -> u32 {
        let next = || u32::try_from(self.setup.links.len()).expect("2³² links at most");
        self.find_link(name).unwrap_or_else(|_| next())
    }

    /// The number of the link of a name.
    pub(super) fn find_link(&self, name: &str) -> Result<u32, LinkError> {
        let is_it = |link: &Option<Link>| link.as_ref().is_some_and(|link| link.name() == name);
        let found = (0..).zip(&self.setup.links).find(|(_, link)| is_it(link));
        found.map(|(number, _)| number).ok_or_else(|| LinkError::Unknown {
            name: name.to_owned(),
            known: self.links().map(|link| link.name().to_owned()).collect(),
        })
    }

    /// Puts a link, as it was asked for and what it does, in the place of a number, or nothing;
    /// returns the link that was there.
    pub(super) fn set_link(
        &mut self,
        number: u32,
        wanted: Option<(Link, LinkState)>,
    ) -> Result<Option<(Link, LinkState)>, LinkError> {
        let index = number as usize;
        let made = wanted.as_ref().map(|(link, _)| self.make_link(number, link)).transpose()?;
        let replaced = self.setup.links.get_mut(index).and_then(Option::take);
        let state = self.simulation.links().iter().find(|link| link.number == number);
        let state = state.map(|link| link.state).unwrap_or_default();
        self.simulation.remove_link(number);
        if let (Some(mut made), Some((link, state))) = (made, wanted) {
            made.state = state;
            self.simulation.put_link(made, link.name());
            let count = self.setup.links.len().max(index + 1);
            self.setup.links.resize(count, None);
            self.setup.links[index] = Some(link);
        }
        self.ask_again();
        Ok(replaced.map(|link| (link, state)))
    }

    /// Makes a link that takes the place of a number.
    fn make_link(&self, number: u32, link: &Link) -> Result<Made, LinkError> {
        let others = (0..).zip(&self.setup.links).filter(|(other, _)| *other != number);
        check_name(others.filter_map(|(_, link)| link.as_ref()), link)?;
        let accounts = self.simulation.ledger().accounts();
        let is_known = accounts.iter().any(|account| account.name == link.name());
        if accounts.len() >= NAMES_MOST && !is_known {
            return Err(LinkError::Names { name: link.name().to_owned(), most: NAMES_MOST });
        }
        let plan = LinkPlan::of((&self.simulation, &self.site), self.scale(), self.size());
        let made = plan.make(number, link)?;
        plan.check_ground(link, &made)?;
        Ok(made)
    }

    /// All links, as they were asked for.
    pub fn links(&self) -> impl Iterator<Item = &Link> {
        self.setup.links.iter().flatten()
    }

    /// What passes a link; `None` where there is none of that name. At an end under a body its
    /// stages are heads there, but before the first cycle after a load, or after leaves, ground or
    /// barriers changed, those of all water in the cell.
    #[must_use]
    pub fn link_flow(&self, name: &str) -> Option<LinkFlow> {
        let number = self.find_link(name).ok()?;
        let LinkView { discharge, stages_m, course } = self.simulation.view_link(number)?;
        let [from, to_stage_m] =
            stages_m.map(|stage_m| stage_m.map(|stage_m| stage_m + self.scale().datum_m()));
        let from_stage_m = from.expect("a link begins in the world");
        Some(LinkFlow { discharge_m3_s: discharge, from_stage_m, to_stage_m, course })
    }
}

/// Checks that a link has a name, and no other has it.
pub(super) fn check_name<'a>(
    others: impl IntoIterator<Item = &'a Link>,
    link: &Link,
) -> Result<(), LinkError> {
    let name = link.name();
    let is_good = !name.is_empty() && others.into_iter().all(|other| other.name() != name);
    is_good.then_some(()).ok_or_else(|| LinkError::Name { name: name.to_owned() })
}

/// The cells of some links in the base level.
pub(super) fn cells_of(links: &[Option<Link>], cell_width_m: f64) -> Vec<CellPlace> {
    let points = links.iter().flatten().map(Link::points_m);
    let points = points.flat_map(|(from, to)| [Some(from), to]).flatten();
    points.filter_map(|point| cell_at(point, cell_width_m)).collect()
}

/// The cell that holds a point; `None` where it lies west or south of all, or is no number.
pub(super) fn cell_at(point: [f64; 2], cell_width_m: f64) -> Option<CellPlace> {
    let index = |metres: f64| {
        let place = (metres / cell_width_m).floor();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded")]
        (0.0..CELLS_MOST).contains(&place).then_some(place as u32)
    };
    Some(CellPlace { x: index(point[0])?, y: index(point[1])? })
}

/// Beyond the largest world.
const CELLS_MOST: f64 = 1_048_576.0;
