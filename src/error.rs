//! One error for all, for programs that pass on whatever the library refuses.

use crate::body::SolidError;
use crate::forest::criteria::CriterionError;
use crate::forest::{ForestError, PlanError};
use crate::probe::QueryError;
use crate::sim::schedule::FixedStepError;
use crate::sim::settings::SettingsError;
use crate::store::StoreError;
use crate::store::follow::FollowError;
use crate::store::terrain::WriteError;
use crate::structure::StructureError;
use crate::terrain::{EditError, HeightmapError};
use crate::units::elevation::ScaleError;
use crate::units::rate::SeriesError;
use crate::world::{ActionError, BodyError, FileError, LayerError, WorldError};
use std::fmt;

/// Whatever the library refuses: each of its errors converts into this one, so that `?` serves a
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
#[non_exhaustive]
pub enum Error {
    /// An action on a world.
    Action(Box<ActionError>),
    /// A body in a world.
    Body(Box<BodyError>),
    /// A criterion for detail.
    Criterion(Box<CriterionError>),
    /// An edit of the terrain.
    Edit(Box<EditError>),
    /// The file of a world.
    File(Box<FileError>),
    /// A fixed length of a cycle.
    FixedStep(Box<FixedStepError>),
    /// A file that follows another.
    Follow(Box<FollowError>),
    /// Leaves that do not cover a world.
    Forest(Box<ForestError>),
    /// The heights of a terrain.
    Heightmap(Box<HeightmapError>),
    /// A visual layer.
    Layer(Box<LayerError>),
    /// A plan of leaves.
    Plan(Box<PlanError>),
    /// A question to a world.
    Query(Box<QueryError>),
    /// A vertical scale.
    Scale(Box<ScaleError>),
    /// A series of rates.
    Series(Box<SeriesError>),
    /// A setting of the simulation.
    Settings(Box<SettingsError>),
    /// The shape of a body.
    Solid(Box<SolidError>),
    /// The store below a file.
    Store(Box<StoreError>),
    /// A structure: barrier, link, inflow, weather layer or boundary.
    Structure(Box<StructureError>),
    /// A world that is built.
    World(Box<WorldError>),
    /// A terrain that is written row by row.
    Write(Box<WriteError>),
}

/// Conversion from, and access to, the error of each variant.
macro_rules! errors {
    ($($variant:ident($error:ty)),+ $(,)?) => {
        $(impl From<$error> for Error {
            fn from(error: $error) -> Self {
                Self::$variant(Box::new(error))
            }
        })+

        impl Error {
            fn inner(&self) -> &(dyn std::error::Error + 'static) {
                match self {
                    $(Self::$variant(error) => &**error,)+
                }
            }
        }
    };
}

errors! {
    Action(ActionError),
    Body(BodyError),
    Criterion(CriterionError),
    Edit(EditError),
    File(FileError),
    FixedStep(FixedStepError),
    Follow(FollowError),
    Forest(ForestError),
    Heightmap(HeightmapError),
    Layer(LayerError),
    Plan(PlanError),
    Query(QueryError),
    Scale(ScaleError),
    Series(SeriesError),
    Settings(SettingsError),
    Solid(SolidError),
    Store(StoreError),
    Structure(StructureError),
    World(WorldError),
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
