//! Terrain edits at run time: raise, lower, flatten, carve, paste a raster.
//!
//! ```text
//! raise, lower   z ± round(weight · by)          flatten   z + round(weight · (to − z))
//! carve          z − round(depth), or min(z, bottom)         round: to the step of imported beds
//! ```
//!
//! An edit is planned first ([`Terrain::plan`]), which can fail and changes nothing, and then
//! applied ([`Terrain::apply`]); [`Terrain::edit`] does both. Coordinates are metres east and north
//! of the world's south-west corner.
//!
//! [`Terrain::plan`]: crate::terrain::Terrain::plan
//! [`Terrain::apply`]: crate::terrain::Terrain::apply
//! [`Terrain::edit`]: crate::terrain::Terrain::edit
//!
//! Guarantees: beds stay multiples of the import step, cells outside the world stay outside, every
//!             coarse bed is the mean of its children afterwards
//!             (`the_pyramid_is_the_one_of_the_edited_map`); only `+ − × ÷ √` and whole numbers, so
//!             the same bits everywhere; the cost follows the cells edited, not the world.
//! Limits:     contains no water: its owner checks that bed and depth stay below the ceiling.

mod channel;
mod error;
mod plan;
mod shape;
mod span;

pub use crate::grid::polygon::PointM;
pub use error::EditError;
pub use plan::EditBase;
pub use plan::{Changed, EditPlan};
pub use shape::Shape;
pub use span::Span;

pub use span::coarser;

use crate::grid::cells::CellPlace;
use serde::{Deserialize, Serialize};

/// A change of the beds of the finest level.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Edit {
    /// Raises the beds in a shape.
    Raise {
        /// Shape on the ground.
        shape: Shape,
        /// Height by which beds rise, m: at least the step of beds.
        by_m: f64,
    },
    /// Lowers the beds in a shape.
    Lower {
        /// Shape on the ground.
        shape: Shape,
        /// Height by which beds fall, m: at least the step of beds.
        by_m: f64,
    },
    /// Brings the beds in a shape to one elevation.
    Flatten {
        /// Shape on the ground.
        shape: Shape,
        /// Elevation of the beds afterwards, m.
        to_m: f64,
    },
    /// Digs a channel along a polyline.
    Carve {
        /// The line in the middle of it.
        line_m: Vec<PointM>,
        /// Width of the line, m: at least 1.5 cells.
        width_m: f64,
        /// Depth or bottom of the channel.
        bottom: Bottom,
    },
    /// Sets beds from a small heightmap.
    Paste {
        /// South-west cell of the raster, on the finest level. Parts beyond the world are ignored.
        corner: CellPlace,
        /// Columns of the raster.
        width: usize,
        /// Elevations, m, whole rows, the northern one first as heightmaps are stored; NaN keeps
        /// the bed, and is written as null in text formats.
        #[serde(with = "heights")]
        #[cfg_attr(feature = "schema", schemars(with = "Vec<Option<f64>>"))]
        heights_m: Vec<f64>,
    },
}

/// The depth of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Bottom {
    /// A depth below the present beds, m: at least the step of beds.
    Below {
        /// Depth, m.
        depth_m: f64,
    },
    /// At an elevation that changes evenly along the line. Beds below it stay.
    At {
        /// Elevation at the first point of the line, m.
        first_m: f64,
        /// Elevation at its last point, m.
        last_m: f64,
    },
}

/// Elevations of which some are not numbers, in text formats.
mod heights {
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(heights_m: &[f64], out: S) -> Result<S::Ok, S::Error> {
        if heights_m.iter().any(|height| height.is_infinite()) {
            return Err(S::Error::custom("a height is infinite: text has no such number"));
        }
        out.collect_seq(heights_m.iter().map(|height| (!height.is_nan()).then_some(height)))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<f64>, D::Error> {
        let heights = Vec::<Option<f64>>::deserialize(from)?;
        Ok(heights.into_iter().map(|height| height.unwrap_or(f64::NAN)).collect())
    }
}

#[cfg(test)]
mod tests;
