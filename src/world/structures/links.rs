//! Culverts, pumps and drains of a world: putting them, and reading them.
//!
//! Guarantees: links are kept in the world's file, and continue there to the bit. Links are named:
//!             a new link replaces the one with its name.
//! Limits:     each end is the one cell of the simulated level that contains its point; if leaves
//!             are adaptive, these cells stay on that level if the budget allows.

use crate::world::accounts::{NAMES_MOST, has_room};
use crate::world::structures::frame::{frame, ground_of};
use crate::world::{Structures, StructuresMut, World, WorldBuilder};
use thalweg_engine::sim::Simulation;
use thalweg_engine::sim::links::{LinkEnd, LinkView, PlacedLink};
use thalweg_engine::sim::settings::Settings;
use thalweg_engine::structure::end::{Course, EndSpec};
use thalweg_engine::structure::frame::{StructureFrame, cell_at};
use thalweg_engine::structure::{Fault, Link, LinkState, StructureError, StructureKind};
use thalweg_engine::units::{CEILING, VerticalScale};

/// Flow through a link.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkFlow {
    /// Discharge in the link's last step, from its beginning to its end, m³/s; negative in the
    /// opposite direction.
    pub discharge_m3_s: f64,
    /// Stage at the link's beginning, m; of a dry cell its lowest bed.
    pub from_stage_m: f64,
    /// Stage at the link's end, m; `None` out of the world.
    pub to_stage_m: Option<f64>,
    /// Whether it runs full or free.
    pub course: Course,
}

impl WorldBuilder {
    /// Adds a culvert, a pump or a drain.
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
    /// let west = |place: thalweg::world::CellPlace| {
    ///     if place.x < 4 { 2.0 } else { 1.0 }
    /// };
    /// let mut world =
    ///     WorldBuilder::new(terrain.finish()?).initial_stage(west).link(pipe).build()?;
    /// world.run_until(SimTime::from_seconds(10.0));
    /// let flow = world.structures().link_flow("under the road").expect("it is there");
    /// assert!(flow.discharge_m3_s > 0.5);
    /// assert_eq!(world.water().stored(), world.water().ledger().expected());
    /// let ends = world.structures().links().map(|link| link.points_m()).next();
    /// assert_eq!(ends, Some(([17.5, 7.5], Some([27.5, 7.5]))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn link(mut self, link: impl Into<Link>) -> Self {
        self.links.push(link.into());
        self
    }
}

impl StructuresMut<'_> {
    /// Adds a culvert, a pump or a drain, or replaces the one with its name, which is returned as
    /// it was requested. It begins at rest.
    ///
    /// # Errors
    ///
    /// [`StructureError`] names the fault, its place, and a remedy. Then nothing has changed.
    pub fn put_link(&mut self, link: impl Into<Link>) -> Result<Option<Link>, StructureError> {
        let link = link.into();
        let number = self.world.structures().number_for(link.name());
        let wanted = Some((link, LinkState::default()));
        let put = |world: &mut World| world.structures_mut().set_link(number, wanted);
        Ok(self.world.change(put)?.map(|(link, _)| link))
    }

    /// Takes a link away, and returns it.
    ///
    /// # Errors
    ///
    /// [`Fault::Unknown`] if no link has that name.
    pub fn remove_link(&mut self, name: &str) -> Result<Link, StructureError> {
        let number = self.world.structures().find_link(name)?;
        let remove = |world: &mut World| world.structures_mut().set_link(number, None);
        Ok(self.world.change(remove)?.expect("it was found").0)
    }

    /// Puts a link with its state under a number, or removes the one there; returns the earlier
    /// link.
    pub(in crate::world) fn set_link(
        &mut self,
        number: u32,
        wanted: Option<(Link, LinkState)>,
    ) -> Result<Option<(Link, LinkState)>, StructureError> {
        let index = number as usize;
        let make = |(link, _): &(Link, _)| self.world.structures().make_named(number, link);
        // The link is made before the old one is removed: a refused link must change nothing.
        let made = wanted.as_ref().map(make).transpose()?;
        let World { simulation, setup, .. } = &mut *self.world;
        let replaced = setup.links.get_mut(index).and_then(Option::take);
        let state = simulation.links().all().iter().find(|link| link.number == number);
        let state = state.map(|link| link.state).unwrap_or_default();
        simulation.edit().remove_link(number);
        if let (Some(mut made), Some((link, state))) = (made, wanted) {
            made.state = state;
            simulation.edit().put_link(made, link.name());
            let count = setup.links.len().max(index + 1);
            setup.links.resize(count, None);
            setup.links[index] = Some(link);
        }
        self.world.ask_again();
        Ok(replaced.map(|link| (link, state)))
    }
}

impl<'a> Structures<'a> {
    /// Returns all links, as they were requested.
    pub fn links(self) -> impl Iterator<Item = &'a Link> {
        self.world.setup.links.iter().flatten()
    }

    /// Returns the flow through a link; `None` if no link has that name. At an end under a body its
    /// stages are heads there, except before the first cycle after a load, or after leaves, ground
    /// or barriers changed: then they are stages of all water in the cell.
    #[must_use]
    pub fn link_flow(self, name: &str) -> Option<LinkFlow> {
        let World { simulation, site, .. } = self.world;
        let number = self.find_link(name).ok()?;
        let LinkView { discharge, stages_m, course } = simulation.view_link(number)?;
        let [from, to_stage_m] =
            stages_m.map(|stage_m| stage_m.map(|stage_m| stage_m + site.scale().datum_m()));
        let from_stage_m = from.expect("a link begins in the world");
        Some(LinkFlow { discharge_m3_s: discharge, from_stage_m, to_stage_m, course })
    }

    /// Returns the number for a new link: that of the one with its name, or the next.
    pub(in crate::world) fn number_for(self, name: &str) -> u32 {
        self.find_link(name).unwrap_or_else(|_| self.next_number())
    }

    /// Returns the number after that of the last link.
    fn next_number(self) -> u32 {
        u32::try_from(self.world.setup.links.len()).expect("2³² links at most")
    }

    /// Returns the number under which an undo puts the link of a name, or removes it. An exact undo
    /// gives numbers back, so the earlier number may now belong to a different link: then a link is
    /// put under the next number. If the link to remove no longer exists, the next number is
    /// returned too: it has no link, so nothing is removed.
    pub(in crate::world) fn number_again(self, name: &str, number: u32, is_put: bool) -> u32 {
        let own = self.world.setup.links.get(number as usize).and_then(Option::as_ref);
        match own {
            _ if !is_put => self.number_for(name),
            Some(other) if other.name() != name => self.next_number(),
            _ => number,
        }
    }

    /// Returns how many numbers after that of the last link were given to removed links. The next
    /// link gets none of these numbers, so they are state.
    pub(in crate::world) fn numbers_spent(self) -> u64 {
        let gone = self.world.setup.links.iter().rev().take_while(|link| link.is_none());
        gone.count() as u64
    }

    /// Returns the number of the link of a name.
    pub(in crate::world) fn find_link(self, name: &str) -> Result<u32, StructureError> {
        let is_it = |link: &Option<Link>| link.as_ref().is_some_and(|link| link.name() == name);
        let found = (0..).zip(&self.world.setup.links).find(|(_, link)| is_it(link));
        found.map(|(number, _)| number).ok_or_else(|| {
            let known = self.links().map(|link| link.name().to_owned()).collect();
            StructureKind::Link.error(name, Fault::Unknown { known })
        })
    }

    /// Makes a link of the setup again, at rest; `None` if it does not fit the world.
    pub(in crate::world) fn link_again(self, number: u32, link: &Link) -> Option<PlacedLink> {
        let World { simulation, site, setup, .. } = self.world;
        let is_ground = ground_of(site, simulation.forest(), &simulation.leaves().grounds);
        let frame = frame(site.relief(), setup, self.world.size(), &is_ground);
        make_link(number, link, &frame).ok()
    }

    /// Makes a link for an existing number.
    fn make_named(self, number: u32, link: &Link) -> Result<PlacedLink, StructureError> {
        let World { simulation, site, setup, .. } = self.world;
        check_fluid(link, &setup.settings)?;
        let others = (0..).zip(&setup.links).filter(|(other, _)| *other != number);
        check_name(others.filter_map(|(_, link)| link.as_ref()), link)?;
        if !has_room(simulation.ledger(), link.name()) {
            return Err(link.error(Fault::Accounts { most: NAMES_MOST }));
        }
        let is_ground = ground_of(site, simulation.forest(), &simulation.leaves().grounds);
        let made =
            make_link(number, link, &frame(site.relief(), setup, self.world.size(), &is_ground))?;
        check_ground(link, &made, simulation, site.scale())?;
        Ok(made)
    }
}

/// Makes a link of the simulation, at rest.
pub(super) fn make_link(
    number: u32,
    link: &Link,
    frame: &StructureFrame<'_>,
) -> Result<PlacedLink, StructureError> {
    let end = |end: &EndSpec| {
        let (point, size_m) = (end.point_m, frame.size_m());
        let sill_m = end.elevation_m.filter(|_| end.is_sill);
        let sill =
            sill_m.map_or(Ok(-CEILING), |metres| frame.elevation(end.elevation_noun, metres))?;
        let place = cell_at(point, frame.cell_width_m).filter(|&place| (frame.is_ground)(place));
        place.map(|place| LinkEnd::new(place, sill)).ok_or(Fault::Outside { point, size_m })
    };
    let made = || {
        link.spec().check()?;
        let ends = link.spec().ends();
        let (from, to) = (end(&ends[0])?, ends.get(1).map(end).transpose()?);
        if to.is_some_and(|to| to.place == from.place) {
            return Err(Fault::SameCell { cell_width_m: frame.cell_width_m });
        }
        Ok(PlacedLink::new(number, link.law(frame)?, from, to))
    };
    made().map_err(|fault| link.error(fault))
}

/// Checks that a new link does not hang in the air.
pub(super) fn check_ground(
    link: &Link,
    made: &PlacedLink,
    simulation: &Simulation,
    scale: VerticalScale,
) -> Result<(), StructureError> {
    for (index, (end, own)) in made.ends().zip(link.spec().ends()).enumerate() {
        let (Some(invert_m), Some(height_m)) = (own.elevation_m, own.height_m) else { continue };
        let found = simulation.forest().locate(end.place);
        let (leaf, cell) = found.expect("a link that was made lies inside");
        let bed_m = scale.metres(simulation.ground(leaf).bed[cell]);
        if invert_m > bed_m + height_m {
            let (end, point) = (index, own.point_m);
            return Err(link.error(Fault::AboveGround { end, invert_m, bed_m, height_m, point }));
        }
    }
    Ok(())
}

/// Refuses links in a world whose fluid resists: their laws are laws of water.
pub(super) fn check_fluid(link: &Link, settings: &Settings) -> Result<(), StructureError> {
    if !settings.fluid.resists() {
        return Ok(());
    }
    Err(link.error(Fault::Other(
        "laws of culverts, pumps and drains are those of water, and the fluid of this world has \
         viscosity or a yield stress: take it out, or choose a fluid without them"
            .into(),
    )))
}

/// Checks that a link has a name, and that none of these links has it.
pub(super) fn check_name<'a>(
    others: impl IntoIterator<Item = &'a Link>,
    link: &Link,
) -> Result<(), StructureError> {
    let name = link.name();
    let is_good = !name.is_empty() && others.into_iter().all(|other| other.name() != name);
    is_good.then_some(()).ok_or_else(|| link.error(Fault::Name))
}
