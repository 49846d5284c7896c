//! One error for programs that pass on every error of the library.

use crate::looks::LooksError;
use crate::probe::QueryError;
use crate::world::{
    ActionError, BodyError, BudgetError, CommandError, FileError, LayerError, LogError, PartError,
    RockError, WatchError, WorldError,
};
use std::fmt;
use thalweg_engine::body::SolidError;
use thalweg_engine::forest::criteria::CriterionError;
use thalweg_engine::forest::{ForestError, PlanError};
use thalweg_engine::sim::schedule::FixedStepError;
use thalweg_engine::sim::settings::SettingsError;
use thalweg_engine::store::StoreError;
use thalweg_engine::store::follow::FollowError;
use thalweg_engine::store::terrain::WriteError;
use thalweg_engine::structure::StructureError;
use thalweg_engine::terrain::{EditError, HeightmapError};
use thalweg_engine::tile::NotKept;
use thalweg_engine::units::elevation::ScaleError;
use thalweg_engine::units::rate::SeriesError;

/// The error for all, with a variant for each error of the library, and the conversions.
macro_rules! errors {
    ($(#[$doc:meta])* $name:ident: $($(#[$of:meta])* $variant:ident($error:ty),)+) => {
        $(#[$doc])*
        #[non_exhaustive]
        pub enum $name {
            $($(#[$of])* $variant(Box<$error>),)+
        }

        $(impl From<$error> for $name {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        })+

        impl $name {
            fn inner(&self) -> &(dyn std::error::Error + 'static) {
                match self {
                    $(Self::$variant(error) => &**error,)+
                }
            }
        }
    };
}

errors! {
    /// Any error of the library: each of its errors converts into this one, so that `?` serves a
    /// whole program.
    ///
    /// `{:?}` prints the sentence of the error, because a `main` that returns an error prints that.
    ///
    /// ```
    /// use thalweg::prelude::*;
    ///
    /// fn run() -> Result<(), thalweg::Error> {
    ///     let terrain = Terrain::from_heights([4, 4], 5.0, |_, _| 1.0)?;
    ///     let mut world = WorldBuilder::new(terrain).build()?;
    ///     world.edits().act(Action::RemoveBarrier { name: "gate".to_owned() })?;
    ///     Ok(())
    /// }
    /// let error = run().expect_err("there is no gate");
    /// assert!(matches!(error, thalweg::Error::Action(_)));
    /// assert_eq!(format!("{error:?}"), error.to_string());
    /// ```
    Error:
    /// An action on a world.
    Action(ActionError),
    /// A body in a world.
    Body(BodyError),
    /// A budget for part of a cycle.
    Budget(BudgetError),
    /// A command to a world.
    Command(CommandError),
    /// A criterion for detail.
    Criterion(CriterionError),
    /// An edit of the terrain.
    Edit(EditError),
    /// The file of a world.
    File(FileError),
    /// A fixed length of a cycle.
    FixedStep(FixedStepError),
    /// A file that follows another.
    Follow(FollowError),
    /// Leaves that do not cover a world.
    Forest(ForestError),
    /// The heights of a terrain.
    Heightmap(HeightmapError),
    /// A visual layer.
    Layer(LayerError),
    /// A log of commands.
    Log(LogError),
    /// Something for the eye.
    Looks(LooksError),
    /// Flood maps that a world does not keep.
    Maps(NotKept),
    /// Part of a cycle with bodies.
    Part(PartError),
    /// A plan of leaves.
    Plan(PlanError),
    /// A question to a world.
    Query(QueryError),
    /// Rock, or the air in it: voxels, solids, tunnels, decks.
    Rock(RockError),
    /// A vertical scale.
    Scale(ScaleError),
    /// A series of rates.
    Series(SeriesError),
    /// A setting of the simulation.
    Settings(SettingsError),
    /// The shape of a body.
    Solid(SolidError),
    /// The store below a file.
    Store(StoreError),
    /// A structure: barrier, link, inflow, weather layer or boundary.
    Structure(StructureError),
    /// A watch of a game.
    Watch(WatchError),
    /// A world that is built.
    World(WorldError),
    /// A terrain that is written row by row.
    Write(WriteError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.inner())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.inner())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner().source()
    }
}
