//! Tunnels and culverts: a section along a line.

use crate::world::stacks::line::MapLine;
use crate::world::stacks::rock::RockError;
use crate::world::stacks::steps::{THIN_M, check_length};
use crate::world::stacks::voids::Voids;
use thalweg_engine::grid::cells::CellPlace;

/// Section of a tunnel, across its line and upright; its lowest place is on the line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TunnelSection {
    /// A rectangle.
    Box {
        /// Width, m.
        width_m: f64,
        /// Height, m.
        height_m: f64,
    },
    /// A circle.
    Circle {
        /// Diameter, m.
        diameter_m: f64,
    },
    /// A rectangle with half a circle on top.
    Arch {
        /// Width, m.
        width_m: f64,
        /// Height of the rectangle, m.
        wall_m: f64,
    },
}

impl TunnelSection {
    fn check(self) -> Result<(), RockError> {
        match self {
            Self::Box { width_m, height_m } => {
                check_length("width of the section", width_m)?;
                check_length("height of the section", height_m)
            }
            Self::Circle { diameter_m } => check_length("diameter of the section", diameter_m),
            Self::Arch { width_m, wall_m } => {
                check_length("width of the section", width_m)?;
                check_length("height of the section's walls", wall_m)
            }
        }
    }

    fn half_m(self) -> f64 {
        0.5 * match self {
            Self::Box { width_m, .. } | Self::Arch { width_m, .. } => width_m,
            Self::Circle { diameter_m } => diameter_m,
        }
    }

    /// Returns the lowest and the highest place over the line at a distance across it, m.
    fn span_m(self, across_m: f64) -> [f64; 2] {
        let half_m = self.half_m();
        let arc_m = (half_m * half_m - across_m * across_m).max(0.0).sqrt();
        match self {
            Self::Box { height_m, .. } => [0.0, height_m],
            Self::Circle { .. } => [half_m - arc_m, half_m + arc_m],
            Self::Arch { wall_m, .. } => [0.0, wall_m + arc_m],
        }
    }
}

impl Voids {
    /// Carves a tunnel of a section along a line of points: east and north of the south-west corner
    /// of a map of cells of this width, and the height of the floor, m.
    ///
    /// Cells that the line runs through have the whole height of the section, so that a tunnel
    /// narrower than a cell is continuous, as wide as a cell. On a slope that rises by more than
    /// half of the section's height within a cell, floor and crown reach further.
    ///
    /// # Errors
    ///
    /// [`RockError::Points`], [`RockError::Place`], [`RockError::Length`] or [`RockError::Many`] if
    /// a number is invalid, [`RockError::Outside`] if cells are west or south of the map.
    ///
    /// # Examples
    ///
    /// A culvert of 1.2 m, askew below a dam:
    ///
    /// ```
    /// use thalweg::prelude::*;
    /// let ground = |x: usize| if (24..40).contains(&x) { 6.0 } else { 0.0 };
    /// let terrain = Terrain::from_heights([64, 64], 1.0, |x, _| ground(x))?;
    /// let mut voids = Voids::new();
    /// let line = [[24.0, 30.0, 0.4], [40.0, 37.0, 0.0]];
    /// voids.tunnel(&line, TunnelSection::Circle { diameter_m: 1.2 }, 1.0)?;
    /// let world = WorldBuilder::new(terrain).voids(voids);
    /// let mut world = world.initial_stage(|place| if place.x < 24 { 3.0 } else { 0.0 }).build()?;
    /// world.run_until(SimTime::from_seconds(60.0));
    /// assert!(world.water().depth_m(CellPlace { x: 45, y: 37 }) > Some(0.02));
    /// # Ok::<(), thalweg::Error>(())
    /// ```
    pub fn tunnel(
        &mut self,
        points_m: &[[f64; 3]],
        section: TunnelSection,
        cell_width_m: f64,
    ) -> Result<&mut Self, RockError> {
        self.extend(tube(points_m, section, cell_width_m)?);
        Ok(self)
    }
}

/// Returns the spans of cells within a tunnel, m.
pub(in crate::world::stacks) fn tube(
    points_m: &[[f64; 3]],
    section: TunnelSection,
    cell_width_m: f64,
) -> Result<Vec<(CellPlace, [f64; 2])>, RockError> {
    section.check()?;
    let covered = MapLine::try_new(points_m, cell_width_m)?.covered(section.half_m())?;
    let spans = covered.into_iter().filter_map(|own| {
        let [low_m, high_m] = section.span_m(own.across_m);
        // At each face, the middle half of the section is open on both sides.
        let further_m = (0.5 * own.rise_m - 0.25 * (high_m - low_m)).max(0.0);
        let span_m = [own.height_m + low_m - further_m, own.height_m + high_m + further_m];
        (high_m - low_m >= THIN_M).then_some((own.place, span_m))
    });
    Ok(spans.collect())
}
