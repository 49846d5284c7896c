//! Actions of a player on a running world: each is one call and returns its way back.
//!
//! ```text
//! world.edits().act(action)  → Done { undo, what moved, what did not }
//! world.edits().undo(undo)   → Done { undo, … }        the way forward again
//! world.edits().act_all([…]) → Done                    all of them or none, and one way back
//! world.edits().act_for_good(action)                   cheapest: nothing is kept for a way back
//! ```
//!
//! Call them between cycles. The example pours a disc of water of 2 m on a plain, pushes it to the
//! east, and undoes the push:
//!
//! ```
//! use thalweg::terrain::{Shape, TerrainBuilder, TerrainOptions};
//! use thalweg::units::{SimTime, VerticalScale};
//! use thalweg::world::{Action, Amount, WorldBuilder};
//!
//! let scale = VerticalScale::choose(0.0, 4.0, 20.0)?;
//! let options =
//!     TerrainOptions { width: 40, height: 40, cell_width_m: 1.0, scale, bed_exponent: 10 };
//! let mut terrain = TerrainBuilder::try_new(options)?;
//! (0..40).try_for_each(|_| terrain.push_row(&[0.0; 40]))?;
//! let mut world = WorldBuilder::new(terrain.finish()?).build()?;
//!
//! let disc = Shape::Disc { centre_m: [20.0, 20.0], radius_m: 5.0, rim_m: 0.0 };
//! let (area, amount) = (disc.clone(), Amount::DepthM(2.0));
//! let poured = world.edits().act(Action::AddWater { area, amount })?;
//! assert_eq!((poured.moved_m3, poured.cells), (160.0, 80));
//! let still = world.state_hash();
//! let pushed = world.edits().act(Action::PushWater { area: disc, by_m_s: [1.5, 0.0] })?;
//! world.edits().undo(pushed.undo)?;
//! assert_eq!(world.state_hash(), still);
//!
//! world.run_until(SimTime::from_seconds(20.0));
//! // Some of it has left the disc, and stays.
//! let back = world.edits().undo(poured.undo)?;
//! assert!(back.moved_m3 < 0.0 && back.unmet_m3 > 100.0, "{back:?}");
//! assert_eq!(world.water().stored(), world.water().ledger().expected());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | action | its way back | booked |
//! | --- | --- | --- |
//! | add, remove water | out of the same cells, or into them | [`BY_HAND`] |
//! | push water | the opposite push | – |
//! | colour water | the same cells' content | [`BY_HAND`], in the tracer's ledger |
//! | edit terrain | the beds that it changed | – |
//! | carve, fill below the ground | the intervals that it changed | – |
//! | put, remove barrier | the earlier barrier, in its order and its state | – |
//! | put, remove link | the same | – |
//! | put, remove inflow | the same | its name |
//! | change weather | the earlier rates and area | – |
//! | change wind, stage or roughness | the earlier value | – |
//!
//! Guarantees: an action that is refused changes nothing. Undos before the next cycle, the last
//!             action first, return the world to its earlier state, to the state hash, in every
//!             kind of world (`tests/couple/undone_everywhere.rs`), even if the game reads the
//!             world or moves an observer in between. In a different order, or later, an undo moves
//!             the water that is still there and reports the missing part. All volumes are exact
//!             (`tests/couple/actions.rs`). The cost of an action grows with the cells of its area
//!             and their faces (`bench frame.act_us`); that of a change of weather grows with the
//!             leaves of its area.
//! Limits:     the undo to the state hash covers the last actions before the next cycle, as long as
//!             the earlier states of their leaves take 256 MiB together, and the last action at any
//!             size; older ones are undone as after a cycle. All ways back of a world take 256 MiB,
//!             packed, or the limit of [`Edits::set_ways_back_bytes`]; the oldest are removed first
//!             ([`ActionError::Forgotten`]). An area contains whole cells of the simulated level:
//!             the cells whose centre is inside it. A coarser cell takes part by the share of these
//!             cells in it, and all of it changes evenly. The way back of a push, after a cycle, is
//!             accurate only if the water is still the same.

mod area;
mod change;
mod conditions;
mod error;
mod inflow;
mod packed_amounts;
mod tile_amounts;
mod undo;
mod undo_log;
mod water;
mod way_back;
mod ways_back;
mod weather;

pub use conditions::Stage;
pub use error::ActionError;
pub use inflow::{Discharge, Inflow, InflowPlace};
pub use undo::Done;
pub(super) use undo_log::UndoLog;
pub use water::Amount;
pub use way_back::Undo;
pub(super) use ways_back::{WAYS_BACK_BYTES, WaysBack};
pub use weather::{Rate, Weather};

use crate::world::actions::change::WorldChange;
use crate::world::actions::water::check_push;
use crate::world::actions::way_back::UndoChanges;
use crate::world::stacks::RockWork;
#[cfg(doc)]
use crate::world::{BY_HAND, StructuresMut};
use crate::world::{Barrier, Edits, Link};
use serde::{Deserialize, Serialize};
use thalweg_engine::structure::LinkState;
use thalweg_engine::terrain::{Edit, Shape};

/// Maximum number of actions of one list.
const ACTIONS_MOST: usize = 1 << 16;

/// Bytes of leaves that the actions of one list may change, so that all can be undone if one is
/// refused.
const LIST_BYTES_MOST: usize = if cfg!(test) { 1 << 24 } else { 1 << 30 };

/// Action of a player on a world.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Action {
    /// Adds clear water. A cell takes no more than fits below the world's ceiling.
    #[serde(alias = "add-water")]
    AddWater {
        /// Area; in the soft margin of a disc the amount decreases.
        area: Shape,
        /// Amount of water.
        amount: Amount,
    },
    /// Removes water, up to the amount present, with its tracers.
    #[serde(alias = "remove-water")]
    RemoveWater {
        /// Area.
        area: Shape,
        /// Amount of water.
        amount: Amount,
    },
    /// Adds a velocity to the water, east and north, m/s. No face flows faster than 50 m/s because
    /// of it; the faces that would are counted.
    #[serde(alias = "push-water")]
    PushWater {
        /// Area; a face with one of its two cells in it takes half.
        area: Shape,
        /// Velocities eastward and northward, −50 to 50 m/s.
        by_m_s: [f64; 2],
    },
    /// Gives the water a concentration of a tracer that the world has.
    #[serde(alias = "colour-water")]
    ColourWater {
        /// Area; in the soft margin of a disc the concentration mixes with the earlier one.
        area: Shape,
        /// Name of the tracer.
        tracer: String,
        /// Concentration, from 0 to 1.
        concentration: f64,
    },
    /// Changes beds: [`Edits::edit`].
    #[serde(alias = "edit-terrain")]
    EditTerrain(Edit),
    /// Places a barrier: [`StructuresMut::put_barrier`].
    #[serde(alias = "put-barrier")]
    PutBarrier(Barrier),
    /// Removes a barrier.
    #[serde(alias = "remove-barrier")]
    RemoveBarrier {
        /// Name of the barrier.
        name: String,
    },
    /// Places a culvert, a pump or a drain: [`StructuresMut::put_link`].
    #[serde(alias = "put-link")]
    PutLink(Link),
    /// Removes a link.
    #[serde(alias = "remove-link")]
    RemoveLink {
        /// Name of the link.
        name: String,
    },
    /// Places an inflow; it replaces one of the same name.
    #[serde(alias = "put-inflow")]
    PutInflow(Inflow),
    /// Changes the rates or the area of rain, evaporation or infiltration.
    #[serde(alias = "change-weather")]
    ChangeWeather(Weather),
    /// Changes the velocity of the wind over the whole world, eastward and northward, m/s, at 10 m
    /// above the water. Wind acts on shallow water, not on the pipe. All water wakes, in a streamed
    /// world too.
    #[serde(alias = "change-wind")]
    ChangeWind {
        /// Velocities, −100 to 100 m/s each.
        wind_m_s: [f64; 2],
    },
    /// Changes the stage of an edge that the world was built with and that has a stage: a tide, or
    /// the water of a rising sea. Under a tolerance of sleep, a difference below it wakes no
    /// sleeping leaf.
    #[serde(alias = "change-stage")]
    ChangeStage {
        /// Name of the edge.
        edge: String,
        /// Stage of the edge from now on.
        stage: Stage,
    },
    /// Changes Manning's n of all cells of a class of roughness: crops that grow, streets that are
    /// cleared.
    #[serde(alias = "change-roughness")]
    ChangeRoughness {
        /// Class, by its index in `Settings::manning_n`.
        class: u8,
        /// Manning's n, s/m^(1/3), 0 to 10.
        manning_n: f64,
    },
    /// Removes the rock between two heights: digs tunnels, breaks floors, opens doors. The span and
    /// the intervals that it meets become one interval, whose water falls to its bed. A span that
    /// reaches the ground breaks the roof: the cell is open from there on, and all its water is in
    /// the pit.
    #[serde(alias = "carve-below")]
    CarveBelow {
        /// Area.
        area: Shape,
        /// Lower and upper height, m above the datum.
        span_m: [f64; 2],
    },
    /// Adds rock between two heights: closes doors and tunnels. The water that was there moves to
    /// the nearest space with room. Rock above the ground is a roof, which keeps below it as much
    /// of the water as has room there.
    #[serde(alias = "fill-below")]
    FillBelow {
        /// Area.
        area: Shape,
        /// Lower and upper height, m above the datum.
        span_m: [f64; 2],
    },
    /// Removes an inflow; its account stays.
    #[serde(alias = "remove-inflow")]
    RemoveInflow {
        /// Name of the inflow.
        name: String,
    },
}

impl Edits<'_> {
    /// Carries out an action.
    ///
    /// # Errors
    ///
    /// [`ActionError`] names the fault, its place and the remedy. Nothing has changed then.
    pub fn act(&mut self, action: Action) -> Result<Done, ActionError> {
        self.all([action], LIST_BYTES_MOST, Self::act_one)
    }

    /// Carries out one action; removes no way back to make room for it.
    fn act_one(&mut self, action: Action) -> Result<Done<UndoChanges>, ActionError> {
        let what = self.to_do(action)?;
        self.world.change(|world| world.edits().perform(what, None))
    }

    /// Carries out a list of actions in this order, all or none, with one way back for all. A list
    /// has 65,536 actions at most.
    ///
    /// # Errors
    ///
    /// [`ActionError::OneOf`] names the first action that is refused, [`ActionError::Many`] a list
    /// that is too long. Nothing has changed then.
    pub fn act_all(
        &mut self,
        actions: impl IntoIterator<Item = Action>,
    ) -> Result<Done, ActionError> {
        // One action more than a list may have shows that it is too long; the rest is not read.
        let actions: Vec<Action> = actions.into_iter().take(ACTIONS_MOST + 1).collect();
        if actions.len() > ACTIONS_MOST {
            return Err(ActionError::Many { most: ACTIONS_MOST });
        }
        self.all((1..).zip(actions), LIST_BYTES_MOST, |edits, (number, action)| {
            let refused = |reason| ActionError::OneOf { number, reason: Box::new(reason) };
            edits.act_one(action).map_err(refused)
        })
    }

    /// Carries out an action for good: it has no way back, and nothing is kept for one.
    ///
    /// # Errors
    ///
    /// The errors of [`Edits::act`].
    pub fn act_for_good(&mut self, action: Action) -> Result<Done<()>, ActionError> {
        let what = self.to_do(action)?;
        self.world.change(|world| world.edits().perform_for_good(what))
    }

    /// Returns the change that an action makes.
    fn to_do(&self, action: Action) -> Result<WorldChange, ActionError> {
        let (cells, structures) = (self.world.cells(), self.world.structures());
        Ok(match action {
            Action::AddWater { area, amount } => WorldChange::Cells(cells.to_pour(&area, amount)?),
            Action::RemoveWater { area, amount } => {
                WorldChange::Cells(cells.to_draw(&area, amount)?)
            }
            Action::PushWater { area, by_m_s } => {
                check_push(by_m_s)?;
                cells.reach(&area)?;
                WorldChange::Push { area, by_m_s }
            }
            Action::ColourWater { area, tracer, concentration } => {
                WorldChange::Cells(cells.to_change_concentration(&area, &tracer, concentration)?)
            }
            Action::EditTerrain(edit) => WorldChange::Terrain(cells.plan(&edit)?),
            Action::PutBarrier(barrier) => {
                let name = barrier.name.clone();
                WorldChange::Barrier { name, placed: Some(Box::new(structures.to_place(barrier)?)) }
            }
            Action::RemoveBarrier { name } => {
                structures.find_barrier(&name)?;
                WorldChange::Barrier { name, placed: None }
            }
            Action::PutLink(link) => {
                let (name, number) = (link.name().to_owned(), structures.number_for(link.name()));
                WorldChange::Link { name, number, placed: Some((link, LinkState::default())) }
            }
            Action::RemoveLink { name } => {
                let number = structures.find_link(&name)?;
                WorldChange::Link { name, number, placed: None }
            }
            Action::PutInflow(inflow) => WorldChange::Inflow(structures.to_bring(&inflow)?),
            Action::ChangeWeather(weather) => {
                WorldChange::Weather(structures.to_change_weather(&weather)?)
            }
            Action::CarveBelow { area, span_m } => {
                WorldChange::Stack(cells.to_reshape((RockWork::Carve, &area), span_m)?)
            }
            Action::FillBelow { area, span_m } => {
                WorldChange::Stack(cells.to_reshape((RockWork::Fill, &area), span_m)?)
            }
            Action::RemoveInflow { name } => WorldChange::Inflow(structures.to_stop(name)?),
            Action::ChangeWind { wind_m_s } => {
                WorldChange::Condition(structures.to_blow(wind_m_s)?)
            }
            Action::ChangeStage { edge, stage } => {
                WorldChange::Condition(structures.to_stage(&edge, &stage)?)
            }
            Action::ChangeRoughness { class, manning_n } => {
                WorldChange::Condition(structures.to_roughen(class, manning_n)?)
            }
        })
    }
}
