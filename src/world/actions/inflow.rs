//! Inflows that are added and removed while the world runs.

use crate::world::accounts::{BY_HAND, INFILTRATION, NAMES_MOST, has_room};
use crate::world::actions::packed_amounts::POINT_BYTES;
use crate::world::build::{dry_stage, inflows};
use crate::world::falls::FALL_REACH;
use crate::world::fed::Fed;
use crate::world::spread::InflowSurroundings;
use crate::world::tracers::whole;
use crate::world::{ActionError, Structures, StructuresMut, World, WorldError};
use serde::{Deserialize, Serialize};
use thalweg_engine::flow::tracer::ONE;
use thalweg_engine::grid::TileKey;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::forcing::LaidInflow;
use thalweg_engine::sim::ledger::Ledger;
use thalweg_engine::structure::frame::cell_at;
use thalweg_engine::structure::inflow::{CELLS_MOST, CellInflow};
use thalweg_engine::structure::{Fault, StructureError, StructureKind};
use thalweg_engine::terrain::Shape;
use thalweg_engine::units::rate::SERIES_SECONDS_MOST;

/// A discharge into some cells, from now on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Inflow {
    /// Name of the inflow, and of its account.
    pub name: String,
    /// Place of the inflow.
    pub place: InflowPlace,
    /// Total discharge.
    pub discharge: Discharge,
    /// Tracers in its water, with their concentrations from 0 to 1.
    pub tracers: Vec<(String, f64)>,
}

/// Place of an inflow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum InflowPlace {
    /// Around a point, m east and north of the world's south-west corner: into the cell of the
    /// simulated level that contains it, and as many cells around it as the largest discharge needs
    /// to leave them at a depth of at most a tenth of the width of all of them together.
    #[serde(rename = "at_m", alias = "point")]
    Point([f64; 2]),
    /// Into all cells of the simulated level in an area, shared out evenly.
    Area(Shape),
}

/// A discharge, m³/s.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Discharge {
    /// A constant discharge for ever.
    Constant(f64),
    /// A hydrograph: seconds from now and m³/s, straight lines between the points.
    Series(Vec<(f64, f64)>),
}

/// All inflows of one name, with their positions in the list of all, and their tracers: the state
/// that a change leads to.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct InflowRecord {
    name: String,
    sources: Vec<(usize, CellInflow)>,
    /// Tracers and concentrations.
    brings: Vec<(String, f64)>,
}

impl InflowRecord {
    /// Returns the bytes that the record takes as a way back.
    pub(super) fn bytes(&self) -> usize {
        let of_source = |(_, source): &(usize, CellInflow)| {
            8 * source.cells.len() + POINT_BYTES * (source.points.len() + 1)
        };
        self.sources.iter().map(of_source).sum::<usize>() + POINT_BYTES * self.brings.len()
    }
}

impl<'a> Structures<'a> {
    /// Returns the names of the inflows, in their order.
    pub fn inflows(self) -> impl Iterator<Item = &'a str> {
        self.world.setup.inflows.iter().map(|source| &*source.name)
    }

    /// Returns the cells of the simulated level into which the inflows of a name flow; empty if the
    /// name has no inflow.
    pub fn inflow_places<'n>(self, name: &'n str) -> impl Iterator<Item = CellPlace> + use<'a, 'n> {
        let own = self.world.setup.inflows.iter().filter(move |source| source.name == name);
        own.flat_map(|source| source.cells.iter().copied())
    }

    /// Checks an inflow, and returns it as a file states it.
    pub(super) fn to_bring(self, inflow: &Inflow) -> Result<InflowRecord, ActionError> {
        let name = inflow.name.clone();
        self.check_account(&name)?;
        for (tracer, concentration) in &inflow.tracers {
            self.world
                .simulation
                .tracers()
                .find(tracer)
                .ok_or_else(|| self.world.cells().no_tracer(tracer))?;
            whole(*concentration).ok_or_else(|| {
                let (tracer, place, value) = (tracer.clone(), name.clone(), *concentration);
                WorldError::Concentration { tracer, place, value }
            })?;
        }
        let now_s = self.world.time().seconds();
        let points = match &inflow.discharge {
            Discharge::Constant(discharge) => vec![(0.0, *discharge)],
            Discharge::Series(points) => {
                from_now("a time of the inflow, s from now,", points, now_s)?
            }
        };
        let cells = self.inflow_cells(inflow)?;
        let mut source = CellInflow { name: name.clone(), points, cells };
        if matches!(inflow.place, InflowPlace::Point(_)) {
            self.surroundings(&|place| self.dry_stage(place)).spread(&mut source);
        }
        let at = self.inflows().position(|known| known == name);
        let sources = vec![(at.unwrap_or(self.world.setup.inflows.len()), source)];
        let record = InflowRecord { name, sources, brings: inflow.tracers.clone() };
        self.laid(&self.sources_with(&record))?;
        Ok(record)
    }

    /// Returns the record that removes an inflow.
    pub(super) fn to_stop(self, name: String) -> Result<InflowRecord, ActionError> {
        if !self.inflows().any(|known| known == name) {
            let known = self.inflows().map(str::to_owned).collect();
            return Err(StructureKind::Inflow.error(&name, Fault::Unknown { known }).into());
        }
        Ok(InflowRecord { name, sources: Vec::new(), brings: Vec::new() })
    }

    /// Checks that a name can have an account and is not in use by something else.
    fn check_account(self, name: &str) -> Result<(), StructureError> {
        let setup = &self.world.setup;
        let is_taken = [BY_HAND, INFILTRATION, ""].contains(&name)
            || setup.layers.iter().any(|layer| layer.name == name)
            || setup.edges.iter().any(|edge| edge.name == name)
            || setup.links.iter().flatten().any(|link| link.name() == name);
        if is_taken {
            let fault = if name.is_empty() { Fault::Name } else { Fault::Taken };
            return Err(StructureKind::Inflow.error(name, fault));
        }
        let accounts = || Fault::Accounts { most: NAMES_MOST };
        let is_good = has_room(self.world.simulation.ledger(), name);
        is_good.then_some(()).ok_or_else(|| StructureKind::Inflow.error(name, accounts()))
    }

    fn dry_stage(self, place: CellPlace) -> Option<i32> {
        dry_stage(place, (self.world.simulation.forest(), &self.world.simulation.leaves().grounds))
    }

    /// Returns the surroundings over which an inflow at a point spreads.
    fn surroundings<'b>(self, bed: &'b dyn Fn(CellPlace) -> Option<i32>) -> InflowSurroundings<'b>
    where
        'a: 'b,
    {
        InflowSurroundings {
            cell_width_m: self.world.cell_width_m(),
            scale: self.world.scale(),
            gravity: self.world.settings().gravity,
            bed,
            barriers: self.barriers(),
        }
    }

    /// Returns the cells of a requested inflow.
    fn inflow_cells(self, inflow: &Inflow) -> Result<Vec<CellPlace>, ActionError> {
        match &inflow.place {
            InflowPlace::Point(at) => {
                let place = cell_at(*at, self.world.cell_width_m());
                let is_ground = |place: &CellPlace| {
                    self.world.cells().locate(*place).is_some()
                        && self.world.site.is_ground(*place) != Some(false)
                };
                Ok(vec![place.filter(is_ground).ok_or(ActionError::NoGround)?])
            }
            InflowPlace::Area(area) => {
                let (mut cells, mut found) = (Vec::new(), 0);
                self.world.cells().each_place(area, &mut |place, _, _| {
                    found += 1;
                    // Cells are counted beyond CELLS_MOST, too, because the error names their
                    // number.
                    if found <= CELLS_MOST {
                        cells.push(place);
                    }
                })?;
                let error = |fault| StructureKind::Inflow.error(&inflow.name, fault);
                match found {
                    0 => Err(ActionError::NoGround),
                    1..=CELLS_MOST => Ok(cells),
                    _ => Err(error(Fault::Cells { found, most: CELLS_MOST }).into()),
                }
            }
        }
    }

    /// Returns all inflows, with the inflows of a record in place of the ones of its name.
    fn sources_with(self, record: &InflowRecord) -> Vec<CellInflow> {
        let mut all = self.world.setup.inflows.clone();
        all.retain(|source| source.name != record.name);
        for (at, source) in &record.sources {
            all.insert((*at).min(all.len()), source.clone());
        }
        all
    }

    /// Returns the inflows laid out over the leaves, without their accounts.
    fn laid(self, sources: &[CellInflow]) -> Result<Vec<LaidInflow>, StructureError> {
        let simulation = &self.world.simulation;
        let grounds = &simulation.leaves().grounds;
        inflows(&self.world.site, sources, (simulation.forest(), grounds), &mut |_| 0)
    }
}

impl StructuresMut<'_> {
    /// Changes the inflows of one name to the state of a record; returns the earlier state.
    pub(super) fn set_inflow(&mut self, record: InflowRecord) -> Result<InflowRecord, ActionError> {
        let sources = self.world.structures().sources_with(&record);
        let laid = self.world.structures().laid(&sources)?;
        let World { simulation, setup, .. } = &mut *self.world;
        let InflowRecord { name, brings, .. } = record;
        let own = (0..).zip(&setup.inflows).filter(|(_, source)| source.name == name);
        let before = own.map(|(at, source)| (at, source.clone())).collect();
        let is_own = |(_, source, _): &(String, String, f64)| *source == name;
        let brought = setup.tracer_sources.iter().filter(|brought| is_own(brought));
        let brought = brought.map(|(tracer, _, value)| (tracer.clone(), *value)).collect();
        let names: Vec<String> = sources.iter().map(|source| source.name.clone()).collect();
        setup.inflows = sources;
        setup.tracer_sources.retain(|brought| !is_own(brought));
        let mut concentrations = vec![0; simulation.tracers().len()];
        for (tracer, value) in brings {
            let index = simulation.tracers().find(&tracer).expect("it was checked");
            concentrations[index] = whole(value).expect("it was checked");
            setup.tracer_sources.push((tracer, name.clone(), value));
        }
        thalweg_engine::checked!(concentrations.iter().all(|own| (0..=ONE).contains(own)));
        let bytes = laid.iter().map(LaidInflow::bytes).sum();
        let data = (laid, names, name.clone(), concentrations);
        // The edit may run again if a card is lost (`edit_repeatably`), so it opens its accounts
        // itself.
        simulation.edit_repeatably(bytes, data, |edit, (mut laid, names, own, concentrations)| {
            for (inflow, name) in laid.iter_mut().zip(&names) {
                inflow.account = edit.open_account(name);
            }
            let account = edit.open_account(&own);
            edit.bring(account, &concentrations);
            edit.set_inflows(laid);
        });
        self.renew_mouths();
        self.world.ask_again();
        Ok(InflowRecord { name, sources: before, brings: brought })
    }

    /// Renews the edges near inflows that have changed.
    fn renew_mouths(&mut self) {
        let World { simulation, site, setup, .. } = &mut *self.world;
        let before = std::mem::replace(&mut site.fed, Fed::of(&setup.inflows));
        if before == site.fed || site.boundary_laws().falls_sought().is_none() {
            return;
        }
        let base = site.base();
        let reach = u32::try_from(FALL_REACH).expect("some hundred cells");
        let is_near = |leaf: TileKey| before.touches(&site.fed, (leaf, base), reach);
        simulation.renew_falls(is_near, &*site);
    }
}

/// Returns the points of a series, whose times count from now, in time from the beginning.
pub(super) fn from_now(
    what: &'static str,
    points: &[(f64, f64)],
    now_s: f64,
) -> Result<Vec<(f64, f64)>, ActionError> {
    let high = SERIES_SECONDS_MOST - now_s;
    let from_start = |&(value, rate): &(f64, f64)| match (0.0..=high).contains(&value) {
        true => Ok((now_s + value, rate)),
        false => Err(ActionError::Number { what, value, low: 0.0, high }),
    };
    points.iter().map(from_start).collect()
}

/// Checks that a ledger has room for the account of actions by hand.
pub(super) fn check_room(ledger: &Ledger) -> Result<(), ActionError> {
    has_room(ledger, BY_HAND).then_some(()).ok_or(ActionError::Names { most: NAMES_MOST })
}
