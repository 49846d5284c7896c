//! Worlds for measurements: planes, channels and rough ground, and the ways to run them.

use crate::suite::BenchError;
use rasters::{Grid, RowSource};
use thalweg::terrain::{Terrain, TerrainBuilder, TerrainOptions};
use thalweg::units::{SimTime, VerticalScale};
use thalweg::world::World;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::schedule::FixedStep;
use thalweg_engine::units::hash::scramble;

/// Size and vertical unit of a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldPlan {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Width of cells, m.
    pub cell_m: f64,
    /// k: a vertical unit is 2⁻ᵏ m.
    pub exponent: u8,
    /// Elevation of unit 0, m.
    pub datum_m: f64,
}

impl WorldPlan {
    /// Returns the terrain of this plan with beds in metres by column and row from the south-west.
    ///
    /// # Errors
    ///
    /// If the beds do not fit the vertical unit.
    pub fn terrain(&self, bed_m: impl Fn(usize, usize) -> f64) -> Result<Terrain, BenchError> {
        let options = TerrainOptions {
            width: self.width,
            height: self.height,
            cell_width_m: self.cell_m,
            scale: VerticalScale::try_new(self.exponent, self.datum_m)?,
            bed_exponent: self.exponent,
        };
        let mut builder = TerrainBuilder::try_new(options)?;
        for y in (0..self.height).rev() {
            let row: Vec<f64> = (0..self.width).map(|x| bed_m(x, y)).collect();
            builder.push_row(&row)?;
        }
        Ok(builder.finish()?)
    }

    /// Returns the number of cells of the world.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.width * self.height
    }
}

/// Returns the place of a cell.
///
/// # Panics
///
/// If the world has more than 2³² cells a side.
#[must_use]
pub fn place(x: usize, y: usize) -> CellPlace {
    let narrow = |i| u32::try_from(i).expect("2²⁰ cells a side");
    CellPlace { x: narrow(x), y: narrow(y) }
}

/// Returns the terrain of a raster, with the scale that `scale` chooses for its lowest and highest
/// bed.
///
/// # Errors
///
/// If the raster cannot be read, or its beds do not fit the scale.
pub fn terrain_of(
    source: &mut dyn RowSource,
    scale: impl Fn(f64, f64) -> Result<VerticalScale, BenchError>,
) -> Result<(Grid, Terrain), BenchError> {
    let (grid, beds) = rasters::read_all(source)?;
    terrain_on(grid, beds, scale)
}

/// Returns the terrain of beds in metres on a grid, the northernmost row first, as [`terrain_of`].
///
/// # Errors
///
/// If the beds do not fit the scale.
pub fn terrain_on(
    grid: Grid,
    beds: Vec<f32>,
    scale: impl Fn(f64, f64) -> Result<VerticalScale, BenchError>,
) -> Result<(Grid, Terrain), BenchError> {
    let ground = || beds.iter().filter(|bed| !bed.is_nan()).map(|&bed| f64::from(bed));
    let (low, high) = (ground().fold(f64::INFINITY, f64::min), ground().fold(-9.0e9, f64::max));
    let (cell_m, _) = grid.cell_m.ok_or("the raster does not say how large its cells are")?;
    let scale = scale(low, high)?;
    let options = TerrainOptions {
        width: grid.width,
        height: grid.height,
        cell_width_m: cell_m,
        scale,
        bed_exponent: scale.exponent(),
    };
    let mut builder = TerrainBuilder::try_new(options)?;
    for row in beds.chunks(grid.width) {
        let row: Vec<f64> = row.iter().map(|&bed| f64::from(bed)).collect();
        builder.push_row(&row)?;
    }
    Ok((grid, builder.finish()?))
}

/// Way to run a world.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RunPace {
    /// Steps as long as the Courant number allows.
    Automatic,
    /// Cycles of a fixed length, as in games.
    Fixed(FixedStep),
}

impl RunPace {
    /// Returns fixed cycles of `numerator/denominator` s, both above 0.
    #[must_use]
    pub fn fixed(numerator: u32, denominator: u32) -> Self {
        Self::Fixed(FixedStep::try_new(numerator, denominator).expect("both are above 0"))
    }

    /// Runs a world up to a time, or to the end of the fixed cycle that contains it; returns the
    /// faces that were clamped in the last steps of its cycles.
    pub fn run(self, world: &mut World, seconds: f64) -> u64 {
        let until = SimTime::from_seconds(seconds);
        let mut clamped = 0;
        while world.time() < until {
            clamped += match self {
                Self::Automatic => world.run_cycle(until).clamped,
                Self::Fixed(step) => world.run_cycle(step).clamped,
            };
        }
        clamped
    }
}

impl std::fmt::Display for RunPace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Automatic => write!(f, "automatic steps"),
            Self::Fixed(step) => write!(f, "cycles of {:.3} s", step.end_of(1).seconds()),
        }
    }
}

/// Returns all cells of a world.
pub fn places(world: &World) -> impl Iterator<Item = CellPlace> + use<> {
    let (width, height) = world.size();
    (0..height).flat_map(move |y| (0..width).map(move |x| place(x, y)))
}

/// Compares the water of a world with its ledger.
///
/// # Errors
///
/// If a unit is lost or made.
pub fn check_books(world: &World) -> Result<(), BenchError> {
    let water = world.water();
    let (stored, expected) = (water.stored(), water.ledger().expected());
    if stored == expected { Ok(()) } else { Err("the ledger is off".into()) }
}

/// Returns the volume that left through an account so far, m³; 0 if no account has that name.
#[must_use]
pub fn out_m3(world: &World, account: &str) -> f64 {
    let found = world.water().ledger().accounts().iter().find(|a| a.name == account);
    found.map_or(0.0, |a| (a.out - a.into) as f64 * world.water().unit_m3())
}

/// Returns the mean depth of the cells of a column, m.
#[must_use]
pub fn column_depth_m(world: &World, x: u32) -> f64 {
    let rows = 0..u32::try_from(world.size().1).expect("2²⁰ rows at most");
    let count = f64::from(rows.end);
    rows.filter_map(|y| world.water().depth_m(CellPlace { x, y })).sum::<f64>() / count
}

/// Returns value noise over five octaves, in [0, 1), the longest of 64 cells: hills, hollows and
/// islands, as in the library's tests.
#[must_use]
#[expect(clippy::cast_possible_truncation, reason = "places of a map")]
pub fn fractal(seed: u64, x: f64, y: f64) -> f64 {
    let (mut sum, mut weight, mut span) = (0.0, 0.5, 64.0);
    for octave in 0..5 {
        let (west, south) = ((x / span).floor(), (y / span).floor());
        let (fx, fy) = (x / span - west, y / span - south);
        let at = |dx: i64, dy: i64| noise(seed + octave, west as i64 + dx, south as i64 + dy);
        let low = at(0, 0) * (1.0 - fx) + at(1, 0) * fx;
        let high = at(0, 1) * (1.0 - fx) + at(1, 1) * fx;
        sum += weight * (low * (1.0 - fy) + high * fy);
        (weight, span) = (weight * 0.5, span * 0.5);
    }
    sum
}

/// Returns a number in [0, 1) for a seed and a place.
#[must_use]
pub fn noise(seed: u64, x: i64, y: i64) -> f64 {
    let place = scramble(x.cast_unsigned()) ^ y.cast_unsigned().rotate_left(32);
    (scramble(seed ^ scramble(place)) >> 11) as f64 / 9_007_199_254_740_992.0
}
