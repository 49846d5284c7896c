//! Emitters: places that throw spray and make foam.

use super::cells::{InCell, TiledList, WindowCell, WindowCells};
use super::error::LooksError;
use super::falls::Falls;
use crate::probe::{Surface, Window};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::units::hash::scramble;

/// Acceleration of gravity, m/s².
const GRAVITY: f32 = 9.81;

/// Weight of water, N/m³.
const WEIGHT_N_M3: f32 = 9810.0;

/// Greatest height to which breaking water throws drops, m.
const RISE_MOST_M: f32 = 2.5;

/// Limits from which water throws spray, and the amount of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EmitterOptions {
    /// Power of a fall, for each metre of its width, at which the amount is one half, W/m.
    pub half_power_w_m: f32,
    /// Foam from which swift water breaks, 0 to 1.
    pub foam: f32,
    /// Speed from which foaming water breaks, m/s.
    pub speed_m_s: f32,
    /// Least depth of water that breaks, m.
    pub depth_m: f32,
}

impl Default for EmitterOptions {
    fn default() -> Self {
        Self { half_power_w_m: 15_000.0, foam: 0.55, speed_m_s: 2.5, depth_m: 0.15 }
    }
}

impl EmitterOptions {
    fn check(&self) -> Result<(), LooksError> {
        LooksError::unless_positive("half_power_w_m", f64::from(self.half_power_w_m))?;
        LooksError::if_negative("foam", f64::from(self.foam))?;
        LooksError::if_negative("speed_m_s", f64::from(self.speed_m_s))?;
        LooksError::if_negative("depth_m", f64::from(self.depth_m))
    }
}

/// Cause of an emitter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum EmitterKind {
    /// The foot of a fall.
    Fall = 0,
    /// Swift water that breaks.
    Breaking = 1,
}

/// A place that throws spray. Numbers of four bytes in the order of the fields, without gaps, 52
/// bytes in all.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Emitter {
    /// Metres east and north of the corner of the surface's window.
    pub place_m: [f32; 2],
    /// Elevation of the water's surface there, m.
    pub elevation_m: f32,
    /// Cause of the spray.
    pub kind: EmitterKind,
    /// Velocity eastward and northward, of the water that lands or breaks, m/s.
    pub velocity_m_s: [f32; 2],
    /// Height to which drops rise, m.
    pub rise_m: f32,
    /// Strength, 0 to 1.
    pub amount: f32,
    /// Height of the fall, m; 0 where water breaks.
    pub fall_m: f32,
    /// Power of the fall for each metre of its width, ρ g q h, W/m; 0 where water breaks.
    pub power_w_m: f32,
    /// Cell of the emitter, column and row among those of the window's level.
    pub cell: [u32; 2],
    /// Random bits of its own that stay: those of the face over which the water falls, at any place
    /// of landing, or of the cell in which it breaks.
    pub seed: u32,
}

impl InCell for Emitter {
    fn cell(&self) -> [u32; 2] {
        self.cell
    }
}

/// Places in the window of a surface that throw spray and make foam.
///
/// Each face of a [`Falls`] has an emitter at its foot, and each cell that foams and is swift has
/// one. A fall of unit discharge `q` and height `h` brings
///
/// ```text
/// P = ρ g q h      W for each metre of its width
/// ```
///
/// to its foot: the power that makes foam, spray and noise. An emitter's amount is `P / (P + P½)`,
/// its rise `0.4 h √amount`; that of breaking water grows with foam and speed, and its rise is a
/// quarter of the head of its speed.
///
/// Limits: numbers for the eye. The renderer decides where drops fly, how they drift with the wind
///         and when they are gone.
/// Source: own; foam as in `src/probe/surface/foam.rs`.
#[derive(Debug, Clone)]
pub struct Emitters {
    finest_m: f64,
    options: EmitterOptions,
    breaking: TiledList<Emitter>,
    all: Vec<Emitter>,
    falls: usize,
}

impl Emitters {
    /// Returns an empty list of emitters, before the first update. Cells of level 0 are `finest_m`
    /// wide, m.
    ///
    /// # Errors
    ///
    /// [`LooksError::Number`] if a width or a power is not above 0, or if another number is below
    /// 0.
    pub fn try_new(finest_m: f64, options: EmitterOptions) -> Result<Self, LooksError> {
        LooksError::unless_positive("finest_m", finest_m)?;
        options.check()?;
        Ok(Self { finest_m, options, breaking: TiledList::new(), all: Vec::new(), falls: 0 })
    }

    /// Brings the emitters up to date with a surface and its falls, which are up to date, from the
    /// parts that the surface's updates since the last call have returned. Only changed cells are
    /// read. Returns whether emitters have changed: only then the buffer is written again.
    pub fn update(&mut self, surface: &Surface, falls: &Falls, changed: &[Window]) -> bool {
        self.follow(&WindowCells::of(surface), falls, changed)
    }

    pub(super) fn follow(
        &mut self,
        cells: &WindowCells<'_>,
        falls: &Falls,
        changed: &[Window],
    ) -> bool {
        let Window { level, corner, .. } = cells.window;
        #[expect(clippy::cast_possible_truncation, reason = "metres in f32")]
        let width_m = (self.finest_m * 2.0_f64.powi(i32::from(level))) as f32;
        // Only for seeds, so numbers may wrap.
        let twice = CellPlace { x: corner.x.wrapping_mul(2), y: corner.y.wrapping_mul(2) };
        let options = self.options;
        let find = |cells: &WindowCells<'_>, cell: WindowCell, found: &mut Vec<Emitter>| {
            found.extend(breaking(cells, cell, &options, width_m));
        };
        let has_others = self.breaking.update(cells, (changed, 0), find);
        // In the middle of a half cell, so that rounding does not move it out of that.
        let twice_m = |[x, y, _]: [f32; 3]| [x, y].map(|at| 2.0 * at + 0.5 * width_m);
        let mut feet = Vec::new();
        for sheet in falls.sheets() {
            // The ends are those of faces that have a vertex of their own.
            let faces = sheet.vertices.start + 1..sheet.vertices.end - 1;
            feet.extend(falls.vertices()[faces].iter().map(|vertex| {
                let power_w_m = WEIGHT_N_M3 * vertex.discharge_m2_s * vertex.height_m();
                let amount = power_w_m / (power_w_m + options.half_power_w_m);
                let [x, y, elevation_m] = vertex.foot_m;
                Emitter {
                    place_m: [x, y],
                    elevation_m,
                    kind: EmitterKind::Fall,
                    velocity_m_s: vertex.velocity_m_s,
                    rise_m: 0.4 * vertex.height_m() * amount.sqrt(),
                    amount,
                    fall_m: vertex.height_m(),
                    power_w_m,
                    cell: cell_of([x, y], width_m, corner),
                    // In half cells no two faces have the same middle.
                    seed: seed(cell_of(twice_m(vertex.lip_m), width_m, twice)),
                }
            }));
        }
        if !has_others && feet == self.falls() {
            return false;
        }
        self.falls = feet.len();
        self.all = feet;
        self.all.extend(self.breaking.iter());
        true
    }

    /// Returns all emitters: emitters of falls first.
    #[must_use]
    pub fn all(&self) -> &[Emitter] {
        &self.all
    }

    /// Returns the emitters at the feet of falls.
    #[must_use]
    pub fn falls(&self) -> &[Emitter] {
        &self.all[..self.falls]
    }

    /// Returns the emitters of breaking water.
    #[must_use]
    pub fn breaking(&self) -> &[Emitter] {
        &self.all[self.falls..]
    }
}

/// Returns the cell of a level at a place from a window's corner.
#[expect(clippy::cast_possible_truncation, reason = "a place near the window")]
fn cell_of(place_m: [f32; 2], width_m: f32, corner: CellPlace) -> [u32; 2] {
    let steps = place_m.map(|at| (at / width_m).floor() as i32);
    [corner.x.saturating_add_signed(steps[0]), corner.y.saturating_add_signed(steps[1])]
}

/// Returns random bits of a cell.
fn seed([x, y]: [u32; 2]) -> u32 {
    #[expect(clippy::cast_possible_truncation, reason = "half of the bits")]
    let bits = scramble(u64::from(x) << 32 | u64::from(y)) as u32;
    bits
}

/// Returns the emitter of a cell whose water breaks.
#[expect(clippy::cast_precision_loss, reason = "a window has fewer than 2²⁴ columns")]
fn breaking(
    cells: &WindowCells<'_>,
    cell: WindowCell,
    options: &EmitterOptions,
    width_m: f32,
) -> Option<Emitter> {
    let foam = cells.foam[cell.at];
    if foam <= options.foam || cells.depth_m[cell.at] <= options.depth_m {
        return None;
    }
    let velocity_m_s = cells.velocity_m_s.map(|plane| plane[cell.at]);
    let speed_m_s = velocity_m_s[0].hypot(velocity_m_s[1]);
    let over_m_s = speed_m_s - options.speed_m_s;
    (over_m_s > 0.0).then(|| Emitter {
        place_m: [cell.x, cell.y].map(|at| (at as f32 + 0.5) * width_m),
        elevation_m: cells.stage_m[cell.at],
        kind: EmitterKind::Breaking,
        velocity_m_s,
        rise_m: (speed_m_s * speed_m_s / (8.0 * GRAVITY)).min(RISE_MOST_M),
        amount: (0.5 * (foam - options.foam) + 0.05 * over_m_s).min(0.5),
        fall_m: 0.0,
        power_w_m: 0.0,
        cell: cells.number(cell),
        seed: seed(cells.number(cell)),
    })
}
