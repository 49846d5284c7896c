//! Footprints of all bodies together on the grid, in integers.
//!
//! ```text
//! cells   those that several bodies cover: side by side, or stacked (`piled`)
//! faces   ├──A──┤  ├──C──┤         the shadows of all bodies; what none shadows is open
//!            ├──B──┤               heights: of each place along the face the hull of what shadows
//!                                  it, and the mean of that over the shadowed part
//! ```
//!
//! A loose shadow ([`ShadeKind::Loose`]) passes by a face without ending there. It counts if it
//! leads from a cut part to the end of the face, or to another shadow that counts: so the stem of a
//! T joins its bar.
//!
//! Guarantees: the same result in any order of bodies; a face is closed (`open` 0) if bodies that
//!             touch lead across it (`no_path_of_centres_passes_a_wall_without_gaps`).
//! Limits:     one interval of heights for each cell and face: flow between stacked bodies is
//!             blocked. Heights beyond the range of stages are set to its ends: a solid that
//!             reaches above the ceiling blocks up to it.
//! Source:     own.

use crate::body::cover::CoveredPart;
use crate::body::footprint::Footprint;
use crate::body::pile::piled;
use crate::body::shadow::ShadeKind;
use crate::grid::cells::CellPlace;
use crate::units::elevation::{CEILING, VerticalScale};
use rayon::prelude::*;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// All of a cell's area, or of a face's length.
pub const WHOLE: u32 = 1 << 24;

/// Unit of velocities, m/s.
pub const SPEED: f64 = 1.0 / 65_536.0;

/// Half of a face's length.
const HALF: i32 = 1 << 23;

/// Distance up to which shadows touch, of [`WHOLE`].
const TOUCH: i32 = 4; // ends that touch are rounded to whole parts, one apart at most

/// A cell that solids cover, wholly or partly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Covered {
    /// Place of the cell.
    pub place: CellPlace,
    /// Covered share of the cell's area, of [`WHOLE`], above 0.
    pub share: u32,
    /// Underside, vertical units above the datum.
    pub low: i32,
    /// Top, vertical units above the datum, above the underside.
    pub high: i32,
}

/// A face that solids shadow, wholly or partly.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Blocked {
    /// Axis across the face: 0 for the west face of its cell, 1 for the south face.
    pub axis: u8,
    /// Cell of the face.
    pub place: CellPlace,
    /// Part of the face's length without a shadow, of [`WHOLE`], less than all of it.
    pub open: u32,
    /// Lowest blocked height, vertical units above the datum.
    pub low: i32,
    /// Highest blocked height, vertical units above the datum.
    pub high: i32,
    /// Distance from the face to the body that separates the centres, of [`WHOLE`] of a cell: below
    /// 0 before the face, 0 if bodies are on both sides.
    pub lead: i32,
    /// Velocity of that body across the face during the next cycle, of [`SPEED`] m/s.
    pub speed: i32,
}

/// Footprints of all bodies together on the grid.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Solids {
    /// Cells, by rows from south to north, each from west to east.
    pub cells: Vec<Covered>,
    /// Faces, west ones and then south ones, by rows.
    pub faces: Vec<Blocked>,
    /// Gaps between stacked solids, higher than half a cell, that are counted as solid.
    pub closed_gaps: u32,
}

impl Solids {
    /// True if the solids cover no cell and block no face.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.cells.is_empty() && self.faces.is_empty()
    }

    /// True if all numbers are within their ranges.
    #[must_use]
    pub fn is_good(&self) -> bool {
        let is_between = |low: i32, high: i32| -CEILING <= low && low < high && high <= CEILING;
        let is_cell = |cell: &Covered| {
            cell.share > 0 && cell.share <= WHOLE && is_between(cell.low, cell.high)
        };
        let is_face = |face: &Blocked| {
            let is_known = face.lead.unsigned_abs() <= WHOLE && face.speed != i32::MIN;
            face.axis <= 1 && face.open <= WHOLE && is_between(face.low, face.high) && is_known
        };
        self.cells.iter().all(is_cell) && self.faces.iter().all(is_face)
    }

    /// Merges these bodies, on cells of a width.
    #[must_use]
    pub fn merge<'a>(
        footprints: impl Iterator<Item = &'a Footprint>,
        scale: &VerticalScale,
        cell_width_m: f64,
    ) -> Self {
        let (mut cells, mut shades) = (Vec::new(), Vec::new());
        for footprint in footprints {
            cells.extend(footprint.cells.iter().map(|cell| {
                let part = CoveredPart { share: cell.share, low: cell.low_m, high: cell.high_m };
                (u64::from(cell.place.y) << 32 | u64::from(cell.place.x), part)
            }));
            shades.extend(footprint.faces.iter().map(|face| {
                let [low, high] = [face.low_m, face.high_m].map(|height| units(height, scale));
                let [from, to] = [face.from, face.to].map(part_of_whole);
                let key = ShadowFace { axis: face.axis == 1, y: face.place.y, x: face.place.x };
                let (kind, lead) = (face.kind, part_of_whole(face.lead));
                GridShade { key, from, to, kind, low, high, lead, speed: speed_of(face.speed_m_s) }
            }));
        }
        let mut solids = Self::default();
        solids.merge_cells(cells, scale, 0.5 * cell_width_m);
        solids.merge_faces(shades);
        solids
    }

    fn merge_cells(&mut self, mut cells: Vec<(u64, CoveredPart)>, scale: &VerticalScale, gap: f64) {
        // Each footprint is in this order already, and a stable sort merges such runs. The order of
        // bodies within a cell does not matter: `piled` sorts them.
        cells.par_sort_by_key(|cell| cell.0);
        let mut parts = Vec::new();
        for same in cells.chunk_by(|a, b| a.0 == b.0) {
            parts.clear();
            parts.extend(same.iter().map(|cell| cell.1));
            let (part, closed) = piled(&mut parts, gap);
            self.closed_gaps += closed;
            let [low, high] = [part.low, part.high].map(|height| units(height, scale));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1")]
            let share = (part.share * f64::from(WHOLE) + 0.5) as u32;
            if share > 0 && high > low {
                let [y, x] = [same[0].0 >> 32, same[0].0 & u64::from(u32::MAX)];
                #[expect(clippy::cast_possible_truncation, reason = "two halves")]
                let place = CellPlace { x: x as u32, y: y as u32 };
                self.cells.push(Covered { place, share: share.min(WHOLE), low, high });
            }
        }
    }

    fn merge_faces(&mut self, mut shades: Vec<GridShade>) {
        // Shades that compare equal are equal in all fields: no order of bodies changes the result.
        shades.par_sort_unstable();
        let mut room = ShadowProfile::default();
        for same in shades.chunk_by_mut(|a, b| a.key == b.key) {
            let Some((shaded, low, high)) = room.of(same) else { continue };
            if high > low {
                let ShadowFace { axis, x, y } = same[0].key;
                let (axis, place) = (u8::from(axis), CellPlace { x, y });
                let (open, (lead, speed)) = (WHOLE - shaded, drift(same));
                self.faces.push(Blocked { axis, place, open, low, high, lead, speed });
            }
        }
    }
}

/// A face, in the order of faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct ShadowFace {
    axis: bool,
    y: u32,
    x: u32,
}

/// A shadow in integers, in the order of faces and along them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct GridShade {
    key: ShadowFace,
    from: i32,
    to: i32,
    kind: ShadeKind,
    low: i32,
    high: i32,
    lead: i32,
    speed: i32,
}

/// Shadows over each place along a face; the profile keeps its memory from one face to the next.
#[derive(Debug, Default)]
struct ShadowProfile {
    counted: Vec<GridShade>,
    tops: BinaryHeap<(i32, i32)>,
    undersides: BinaryHeap<(Reverse<i32>, i32)>,
}

impl ShadowProfile {
    /// Returns the length that the shadows of one face cover, and the mean underside and top over
    /// it.
    fn of(&mut self, shades: &[GridShade]) -> Option<(u32, i32, i32)> {
        self.counted.clear();
        let mut covered = 0;
        let mut rest = shades;
        while let Some(first) = rest.first() {
            let mut to = first.to;
            let reaches = |shade: &&GridShade| {
                let is_on = shade.from <= to + TOUCH;
                to = to.max(shade.to);
                is_on
            };
            let count = rest.iter().take_while(reaches).count();
            let (run, behind) = rest.split_at(count);
            rest = behind;
            if run.iter().any(|shade| shade.kind == ShadeKind::Cut) {
                let [from, to] = extent(run);
                covered += to - from;
                let within = |shade: &GridShade| GridShade {
                    from: shade.from.max(from),
                    to: shade.to.min(to),
                    ..*shade
                };
                let within = run.iter().map(within).filter(|shade| shade.from < shade.to);
                self.counted.extend(within);
            } else {
                let begin = self.counted.len();
                self.counted.extend(run.iter().filter(|shade| shade.kind == ShadeKind::End));
                covered += union(&self.counted[begin..]);
            }
        }
        let covered = u32::try_from(covered).ok().filter(|&covered| covered > 0)?;
        let (low, high) = self.means()?;
        Some((covered.min(WHOLE), low, high))
    }

    /// Returns the mean underside and top of the shadows that count.
    fn means(&mut self) -> Option<(i32, i32)> {
        if let [only] = self.counted[..] {
            return Some((only.low, only.high));
        }
        self.tops.clear();
        self.undersides.clear();
        let (mut whole, mut lows, mut highs) = (0, 0, 0);
        let mut here = i32::MIN;
        let mut next = 0;
        loop {
            while let Some(shade) = self.counted.get(next).filter(|shade| shade.from <= here) {
                self.tops.push((shade.high, shade.to));
                self.undersides.push((Reverse(shade.low), shade.to));
                next += 1;
            }
            // A shadow that has ended is dropped only once it is on top: further down it has no
            // effect.
            while self.tops.peek().is_some_and(|top| top.1 <= here) {
                self.tops.pop();
            }
            while self.undersides.peek().is_some_and(|underside| underside.1 <= here) {
                self.undersides.pop();
            }
            let begins = self.counted.get(next).map(|shade| shade.from);
            let (Some(&(high, until)), Some(&(Reverse(low), end))) =
                (self.tops.peek(), self.undersides.peek())
            else {
                match begins {
                    Some(from) => here = from,
                    None => break,
                }
                continue;
            };
            let to = until.min(end).min(begins.unwrap_or(i32::MAX));
            let part = i64::from(to - here);
            whole += part;
            // Lengths of 2²⁴ in all, times heights of up to 2³⁰: the sums fit by far.
            lows += part * i64::from(low);
            highs += part * i64::from(high);
            here = to;
        }
        let mean = |sum: i64| i32::try_from((sum + whole / 2).div_euclid(whole)).ok();
        if whole > 0 { Some((mean(lows)?, mean(highs)?)) } else { None }
    }
}

/// Returns the beginning and the end of the counted part of a run of shadows that touch: loose
/// shadows connect, but do not end within the face.
fn extent(run: &[GridShade]) -> [i32; 2] {
    let is_whole = |shade: &&GridShade| shade.kind != ShadeKind::Loose;
    let is_end = |place: i32| place.abs() + TOUCH >= HALF;
    let whole = || run.iter().filter(is_whole);
    let from = run.iter().map(|shade| shade.from).filter(|&from| is_end(from));
    let to = run.iter().map(|shade| shade.to).filter(|&to| is_end(to));
    [
        whole().map(|shade| shade.from).chain(from).min().unwrap_or(0),
        whole().map(|shade| shade.to).chain(to).max().unwrap_or(0),
    ]
}

/// Returns the distance and the mean velocity of the bodies that separate the centres of a face.
fn drift(shades: &[GridShade]) -> (i32, i32) {
    let cut = || shades.iter().filter(|shade| shade.kind == ShadeKind::Cut);
    let Some(first) = cut().next() else { return (0, 0) };
    let is_same = cut().all(|shade| shade.lead.signum() == first.lead.signum());
    let near = cut().map(|shade| shade.lead.abs()).min().unwrap_or(0);
    let lead = if is_same { near * first.lead.signum() } else { 0 };
    let sum: i64 = cut().map(|shade| i64::from(shade.speed)).sum();
    let count = i64::try_from(cut().count()).unwrap_or(i64::MAX);
    (lead, i32::try_from(sum / count).unwrap_or(0))
}

/// Returns the length that shadows cover, given in their order.
fn union(shades: &[GridShade]) -> i32 {
    let mut reached = i32::MIN;
    let mut sum = 0;
    for shade in shades {
        sum += (shade.to - shade.from.max(reached)).max(0);
        reached = reached.max(shade.to);
    }
    sum
}

/// Returns a height in vertical units above the datum, within the range of stages.
#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn units(height_m: f64, scale: &VerticalScale) -> i32 {
    let units = (height_m - scale.datum_m()) * scale.units_per_m();
    let most = f64::from(CEILING);
    (units.clamp(-most, most) + 0.5).floor() as i32
}

/// Returns a velocity in units of [`SPEED`], bounded by 8 km/s.
#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn speed_of(speed_m_s: f64) -> i32 {
    let most = f64::from(1 << 29);
    ((speed_m_s / SPEED).clamp(-most, most) + 0.5).floor() as i32
}

/// Returns a place along a face, or a lead, in parts of [`WHOLE`], cut to half a cell either way.
#[expect(clippy::cast_possible_truncation, reason = "half of the whole at most")]
fn part_of_whole(place: f64) -> i32 {
    (place.clamp(-0.5, 0.5) * f64::from(WHOLE) + 0.5).floor() as i32
}
