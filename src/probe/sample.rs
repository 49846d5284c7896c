//! Samples: the state at places.

use crate::probe::cursor::{Cursor, DischargeNeed};
use crate::probe::query::{arrays, check_places};
use crate::probe::sum::CellSum;
use crate::probe::{Query, QueryError};
use rayon::prelude::*;
use thalweg_engine::grid::cells::CellPlace;

/// The state at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Level of the leaf there.
    pub level: u8,
    /// Bed, m.
    pub bed_m: f64,
    /// Depth, m; 0 if it is dry.
    pub depth_m: f64,
    /// Stage of the wet cells around, m; `None` if it is dry.
    pub stage_m: Option<f64>,
    /// Wet part of the surroundings, by the weights of interpolation, 0 to 1.
    pub wetness: f64,
    /// Velocity eastward and northward, m/s: unit discharges of cells over their depths; 0 if it is
    /// dry.
    pub velocity_m_s: [f64; 2],
    /// Unit vector away from the water's surface, or from the bed if it is dry: east, north, up.
    pub normal: [f64; 3],
}

impl Sample {
    /// True if the place is wet.
    #[must_use]
    pub fn is_wet(&self) -> bool {
        self.depth_m > 0.0
    }

    /// Returns the elevation of the surface seen from above: the stage, or the bed if it is dry, m.
    #[must_use]
    pub fn surface_m(&self) -> f64 {
        self.stage_m.unwrap_or(self.bed_m)
    }

    /// Returns the speed, m/s.
    #[must_use]
    pub fn speed_m_s(&self) -> f64 {
        let [u, v] = self.velocity_m_s;
        (u * u + v * v).sqrt()
    }
}

impl Query<'_> {
    /// Returns the state at a place, m; `None` outside the world.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] if a coordinate is not a finite number.
    pub fn at(&self, place_m: impl Into<[f64; 2]>) -> Result<Option<Sample>, QueryError> {
        let place_m = place_m.into();
        check_places(&[place_m])?;
        Ok(self.sample(place_m))
    }

    /// Returns the state at many places, in parallel.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] names the first coordinate that is not a finite number.
    pub fn at_all(
        &self,
        places_m: &[impl Into<[f64; 2]> + Copy],
    ) -> Result<Vec<Option<Sample>>, QueryError> {
        let places_m = arrays(places_m);
        check_places(&places_m)?;
        let few = 256;
        Ok(places_m.par_iter().with_min_len(few).map(|&place| self.sample(place)).collect())
    }

    /// Returns the state at `count` places spread evenly from one place to another, both included.
    ///
    /// # Errors
    ///
    /// [`QueryError::Place`] if a coordinate is not a finite number (0 is the first place, 1 the
    /// last), [`QueryError::Points`] for fewer than two.
    pub fn along(
        &self,
        from_m: impl Into<[f64; 2]>,
        to_m: impl Into<[f64; 2]>,
        count: usize,
    ) -> Result<Vec<Option<Sample>>, QueryError> {
        let (from_m, to_m) = (from_m.into(), to_m.into());
        check_places(&[from_m, to_m])?;
        if count < 2 {
            return Err(QueryError::Points { what: "a line", found: count, least: 2 });
        }
        #[expect(clippy::cast_precision_loss, reason = "fewer than 2⁵³ points")]
        let part = |index: usize| index as f64 / (count - 1) as f64;
        let place = |index: usize| {
            let t = part(index);
            // Exact at both ends, as `from + t · (to − from)` is not.
            [0, 1].map(|axis| (1.0 - t) * from_m[axis] + t * to_m[axis])
        };
        Ok((0..count).into_par_iter().map(|index| self.sample(place(index))).collect())
    }

    /// Returns the state at a place that is a finite number.
    pub(super) fn sample(&self, place_m: [f64; 2]) -> Option<Sample> {
        self.sample_and_width_m(place_m).map(|(sample, _)| sample)
    }

    /// Returns the state at a place that is a finite number, and the width of the cells used there,
    /// m: through sub-grid columns that of the finest.
    pub(crate) fn sample_and_width_m(&self, place_m: [f64; 2]) -> Option<(Sample, f64)> {
        let SampleSpot { level, width, stencil: [value, slope_x, slope_y] } =
            self.spot(place_m, DischargeNeed::Wanted)?;
        let bed = value.bed_mean()?;
        let depth = value.depth_at();
        let stage = value.stage_mean().filter(|_| depth > 0.0);
        // (S/W)' = (S' − S/W·W')/W: of the stage over wet cells, or of the bed over inside ones.
        let gradient = [slope_x, slope_y].map(|slope| {
            let units = match stage {
                Some(stage) => (slope.stage - stage * slope.wet) / value.wet,
                None => (slope.bed - bed * slope.inside) / value.inside,
            };
            units * self.scale.unit_m() / width
        });
        let sample = Sample {
            level,
            bed_m: self.elevation_m(bed),
            depth_m: depth * self.scale.unit_m(),
            stage_m: stage.map(|stage| self.elevation_m(stage)),
            wetness: (value.wet / value.inside).min(1.0),
            velocity_m_s: if depth > 0.0 { self.velocity(&value) } else { [0.0; 2] },
            normal: normal(gradient),
        };
        Some((sample, width))
    }

    /// Returns the depth and stage at a place that is a finite number, m, as its [`Sample`] has
    /// them; the stage is `None` if it is dry.
    pub(crate) fn depth_and_stage_m(&self, place_m: [f64; 2]) -> Option<(f64, Option<f64>)> {
        let value = self.spot(place_m, DischargeNeed::Unwanted)?.stencil[0];
        value.bed_mean()?;
        let depth = value.depth_at();
        let stage = value.stage_mean().filter(|_| depth > 0.0);
        Some((depth * self.scale.unit_m(), stage.map(|stage| self.elevation_m(stage))))
    }

    /// Returns the cells around a place; `None` outside the world.
    fn spot(&self, place_m: [f64; 2], flows: DischargeNeed) -> Option<SampleSpot> {
        let base = self.base_cell(place_m)?;
        let (leaf, cell) = self.forest.locate(base)?;
        if !self.leaves.ground(leaf).is_inside(cell) {
            return None;
        }
        let level = self.forest.leaves()[leaf].level;
        let mut cursor = Cursor::new(*self, leaf, flows);
        // Through sub-grid columns the finest cells are used.
        let seen = if cursor.tables(leaf).is_some() { 0 } else { level };
        let width = self.cell_width_m(seen);
        let stencil = cursor.stencil(seen, place_m.map(|v| v / width));
        Some(SampleSpot { level, width, stencil })
    }

    /// Returns the cell of the base level at a place; `None` beyond the numbers.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "bounded here")]
    pub(super) fn base_cell(&self, place_m: [f64; 2]) -> Option<CellPlace> {
        let cell = place_m.map(|v| v / self.cell_width_m);
        // Below 2³², so that the casts are in range; NaN is not contained.
        let is_place = cell.iter().all(|v| (0.0..4.0e9).contains(v));
        is_place.then(|| CellPlace { x: cell[0] as u32, y: cell[1] as u32 })
    }
}

/// Cells around a place.
struct SampleSpot {
    /// Level of the leaf there.
    level: u8,
    /// Width of the cells used, m.
    width: f64,
    /// Value, and derivatives by cells eastward and northward.
    stencil: [CellSum; 3],
}

/// Returns the unit vector upright on a surface of this gradient.
fn normal([x, y]: [f64; 2]) -> [f64; 3] {
    let length = (x * x + y * y + 1.0).sqrt();
    [-x / length, -y / length, 1.0 / length]
}
