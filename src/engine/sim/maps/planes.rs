//! The planes of flood maps of a leaf: how they look at water, and follow changes of leaves.

use crate::flow::versions::{InstructionSet, Loops};
use crate::grid::TILE_CELLS;
use crate::grid::blocks::{blocks, four_of};
use crate::tile::plane_pool::PlaneNumber;
use crate::tile::{CowPlane, Ground, MapKinds};
use crate::units::maths;
use crate::units::time::TICKS_PER_S;

/// Threshold and unit by which maps look at depths.
#[derive(Debug, Clone, Copy)]
pub struct MapScale {
    /// Depth from which cells count as wet, vertical units.
    pub threshold: i32,
    /// Metres per vertical unit.
    pub unit_m: f32,
}

impl MapScale {
    /// Returns the hazard rating, m²/s, of a depth, vertical units, at a speed.
    #[inline(always)]
    #[expect(clippy::cast_precision_loss, reason = "a map in f32")]
    pub fn hazard(self, depth: i32, speed_m_s: f32) -> f32 {
        let metres = if depth >= self.threshold { depth as f32 * self.unit_m } else { 0.0 };
        metres * (speed_m_s + 0.5)
    }
}

/// Number of planes of words that maps of all kinds have.
pub const WORD_PLANES: usize = 11;

/// Returns half of the ticks in a duration, from bit `shift` on: whole ticks add up to it, below
/// 2⁵³ all of them exactly.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "half of whole ticks")]
fn ticks_of(seconds: f64, shift: u32) -> u32 {
    ((seconds * TICKS_PER_S as f64) as u64 >> shift) as u32
}

/// Returns the duration of this number of ticks, s.
#[expect(clippy::cast_precision_loss, reason = "below 2⁵³")]
fn seconds_of(low: u32, high: u32) -> f64 {
    (u64::from(high) << 32 | u64::from(low)) as f64 / TICKS_PER_S as f64
}

/// The planes of the maps of one leaf, 64 × 64 cells each, rows from south to north: the planes of
/// the kinds that are kept.
#[derive(Debug, Clone)]
pub struct MapPlanes {
    /// Largest depth, vertical units; over sub-grid columns volume over area.
    pub depth_max: Option<CowPlane<i32>>,
    /// Largest speed, m/s.
    pub speed_max: Option<CowPlane<f32>>,
    /// Velocity at the last look, eastward and northward, m/s; 0 below the threshold.
    pub velocity: Option<[CowPlane<f32>; 2]>,
    /// Largest hazard rating, m²/s.
    pub hazard_max: Option<CowPlane<f32>>,
    /// Time at which the depth first reached the threshold, s; infinite if it never did.
    pub arrival_s: Option<CowPlane<f32>>,
    /// Last time at which the depth was at the threshold, s; infinite if it never was.
    pub wet_last_s: Option<CowPlane<f32>>,
    /// Time at which the largest depth was seen first, s; infinite if no look found any water.
    pub deepest_s: Option<CowPlane<f32>>,
    /// Time for which the depth was at the threshold or above, s.
    pub duration_s: Option<CowPlane<f64>>,
    /// 1 if the depth was at the threshold at the last look, else 0; kept if velocity or duration
    /// needs it.
    pub was_wet: Option<CowPlane<f32>>,
}

impl MapPlanes {
    /// Returns planes of these kinds that have seen nothing.
    pub fn unseen(kinds: MapKinds) -> Self {
        let zeros = |kind| kinds.has(kind).then(CowPlane::zeros);
        let never = |kind| kinds.has(kind).then(|| vec![f32::INFINITY; TILE_CELLS].into());
        Self {
            depth_max: kinds.has(MapKinds::DEPTH).then(CowPlane::zeros),
            speed_max: zeros(MapKinds::SPEED),
            velocity: zeros(MapKinds::VELOCITY).map(|plane| [plane.clone(), plane]),
            hazard_max: zeros(MapKinds::HAZARD),
            arrival_s: never(MapKinds::ARRIVAL),
            wet_last_s: never(MapKinds::LAST_WET),
            deepest_s: never(MapKinds::DEEPEST),
            duration_s: kinds.has(MapKinds::DURATION).then(CowPlane::zeros),
            was_wet: kinds.keeps_wet().then(CowPlane::zeros),
        }
    }

    /// Returns which planes of words maps of these kinds have.
    #[must_use]
    pub fn has_words(kinds: MapKinds) -> [bool; WORD_PLANES] {
        let has = |kind| kinds.has(kind);
        let (velocity, duration) = (has(MapKinds::VELOCITY), has(MapKinds::DURATION));
        [
            has(MapKinds::DEPTH),
            has(MapKinds::SPEED),
            has(MapKinds::HAZARD),
            has(MapKinds::ARRIVAL),
            has(MapKinds::LAST_WET),
            has(MapKinds::DEEPEST),
            velocity,
            velocity,
            kinds.keeps_wet(),
            duration,
            duration,
        ]
    }

    /// Returns the planes as words, in the order of [`MapPlanes::of_words`]; `None` for a kind that
    /// is not kept.
    #[must_use]
    pub fn words(&self) -> [Option<Vec<u32>>; WORD_PLANES] {
        let floats = |plane: &Option<CowPlane<f32>>| {
            plane.as_ref().map(|plane| plane.iter().map(|value| value.to_bits()).collect())
        };
        let along = |axis: usize| {
            let planes = self.velocity.as_ref();
            planes.map(|planes| planes[axis].iter().map(|value| value.to_bits()).collect())
        };
        let ticks = |shift: u32| {
            let durations = self.duration_s.as_ref();
            durations.map(|plane| plane.iter().map(|&s| ticks_of(s, shift)).collect())
        };
        let depths = self.depth_max.as_ref();
        [
            depths.map(|plane| plane.iter().map(|units| units.cast_unsigned()).collect()),
            floats(&self.speed_max),
            floats(&self.hazard_max),
            floats(&self.arrival_s),
            floats(&self.wet_last_s),
            floats(&self.deepest_s),
            along(0),
            along(1),
            floats(&self.was_wet),
            ticks(0),
            ticks(32),
        ]
    }

    /// Returns planes of these kinds from words, 64 × 64 of each that is kept: largest depths,
    /// speeds and hazards, first, last and deepest moments, velocities eastward and northward,
    /// whether cells were wet, low and high half of the ticks for which they were.
    ///
    /// # Panics
    ///
    /// If the words of a plane that is kept are missing.
    #[must_use]
    pub fn of_words(kinds: MapKinds, words: [Option<&[u32]>; WORD_PLANES]) -> Self {
        let [depth, speed, hazard, arrival, last, deepest, east, north, wet, low, high] = words;
        let unseen = Self::unseen(kinds);
        let floats = |kept: Option<_>, words: Option<&[u32]>| {
            let words = || words.expect("words of a kept plane").iter();
            kept.map(|_: CowPlane<f32>| words().map(|&word| f32::from_bits(word)).collect())
        };
        let depths = || depth.expect("words of a kept plane").iter();
        let seconds = || {
            let halves = low.zip(high).expect("words of a kept plane");
            halves.0.iter().zip(halves.1).map(|(&low, &high)| seconds_of(low, high)).collect()
        };
        Self {
            depth_max: unseen.depth_max.map(|_| depths().map(|word| word.cast_signed()).collect()),
            speed_max: floats(unseen.speed_max, speed),
            velocity: unseen.velocity.map(|[x, y]| {
                [(x, east), (y, north)]
                    .map(|(kept, words)| floats(Some(kept), words).expect("kept"))
            }),
            hazard_max: floats(unseen.hazard_max, hazard),
            arrival_s: floats(unseen.arrival_s, arrival),
            wet_last_s: floats(unseen.wet_last_s, last),
            deepest_s: floats(unseen.deepest_s, deepest),
            duration_s: unseen.duration_s.map(|_| seconds()),
            was_wet: floats(unseen.was_wet, wet),
        }
    }

    /// Returns true if durations grow: they are kept, and some cell was wet at the last look.
    pub(super) fn goes_on(&self) -> bool {
        let was_wet = self.duration_s.as_ref().and(self.was_wet.as_ref());
        was_wet.is_some_and(|plane| plane.iter().any(|&was_wet| was_wet > 0.0))
    }

    /// Returns all planes of floats that are kept.
    pub fn floats(&self) -> impl Iterator<Item = &CowPlane<f32>> {
        let times = [&self.arrival_s, &self.wet_last_s, &self.deepest_s, &self.was_wet];
        let maxima = [&self.speed_max, &self.hazard_max];
        maxima.into_iter().chain(times).flatten().chain(self.velocity.iter().flatten())
    }

    /// Returns the maps of the quarter `quadrant` of the leaf, now a leaf of its own: each cell has
    /// the values of the coarse one.
    pub(super) fn child(&self, quadrant: usize, coarse: &Ground, fine: &Ground) -> Self {
        let largest = |seen: &CowPlane<i32>| {
            let mut depth_max = spread(seen, quadrant);
            if coarse.columns.is_some() {
                let depth_max: &mut [i32] = &mut depth_max;
                for (cell, four) in blocks(quadrant) {
                    let stage = coarse.stage(cell, seen[cell]);
                    let wet =
                        four.into_iter().filter(|&at| depth_max[at] > 0 && fine.is_inside(at));
                    wet.collect::<Vec<_>>()
                        .into_iter()
                        .for_each(|at| depth_max[at] = fine.holds(at, stage));
                }
            }
            depth_max
        };
        let floats = |plane: &CowPlane<f32>| spread(plane, quadrant);
        Self {
            depth_max: self.depth_max.as_ref().map(largest),
            speed_max: self.speed_max.as_ref().map(floats),
            velocity: self.velocity.as_ref().map(|planes| planes.each_ref().map(floats)),
            hazard_max: self.hazard_max.as_ref().map(floats),
            arrival_s: self.arrival_s.as_ref().map(floats),
            wet_last_s: self.wet_last_s.as_ref().map(floats),
            deepest_s: self.deepest_s.as_ref().map(floats),
            duration_s: self.duration_s.as_ref().map(|plane| spread(plane, quadrant)),
            was_wet: self.was_wet.as_ref().map(floats),
        }
    }

    /// Merges the values of a quarter on this ground, plane by plane.
    pub(super) fn take_quarter(
        &mut self,
        quadrant: usize,
        (fine, ground): (&Self, &Ground),
        coarse: &Ground,
    ) {
        let largest = |four: [f32; 4]| four.into_iter().fold(0.0, maths::max);
        let earliest = |four: [f32; 4]| four.into_iter().fold(f32::INFINITY, maths::min);
        let latest = |four: [f32; 4]| {
            let times = four.into_iter().filter(|time| time.is_finite());
            times.reduce(maths::max).unwrap_or(f32::INFINITY)
        };
        let longest = |four: [f64; 4]| four.into_iter().fold(0.0, f64::max);
        if let (Some(depth_max), Some(seen)) = (&mut self.depth_max, &fine.depth_max) {
            let depth_max: &mut [i32] = depth_max;
            let mut times = self.deepest_s.as_deref_mut().zip(fine.deepest_s.as_deref());
            for (cell, four) in blocks(quadrant) {
                let (deepest, at) = deepest_of((seen, ground), four, (coarse, cell));
                depth_max[cell] = deepest;
                if let Some((deepest_s, seen)) = &mut times {
                    deepest_s[cell] = at.map_or(f32::INFINITY, |at| seen[at]);
                }
            }
        }
        gather(&mut self.speed_max, &fine.speed_max, quadrant, largest);
        gather(&mut self.hazard_max, &fine.hazard_max, quadrant, largest);
        gather(&mut self.arrival_s, &fine.arrival_s, quadrant, earliest);
        gather(&mut self.wet_last_s, &fine.wet_last_s, quadrant, latest);
        gather(&mut self.duration_s, &fine.duration_s, quadrant, longest);
        gather(&mut self.was_wet, &fine.was_wet, quadrant, largest);
        let (Some(velocity), Some(seen)) = (&mut self.velocity, &fine.velocity) else { return };
        let was_wet: &[f32] = fine.was_wet.as_ref().expect("kept with velocities");
        for (velocity, fine) in velocity.iter_mut().zip(seen) {
            let (velocity, fine): (&mut [f32], &[f32]) = (velocity, fine);
            for (cell, four) in blocks(quadrant) {
                // Cells below the threshold have a velocity of 0, so the sum is that of the wet
                // cells.
                let count = maths::max(four_of(was_wet, four).iter().sum(), 1.0);
                let [a, b, c, d] = four_of(fine, four);
                velocity[cell] = ((a + b) + (c + d)) / count;
            }
        }
    }

    /// Adds a span, s, to the cells that were wet at the last look.
    pub(super) fn pass(&mut self, span_s: f64) {
        let (Some(durations), Some(was_wet)) = (&mut self.duration_s, &self.was_wet) else {
            return;
        };
        InstructionSet::fastest().run(Pass { durations, was_wet, span_s });
    }

    /// Releases all planes for reuse.
    pub(super) fn give_back(self) {
        let floats = [self.speed_max, self.hazard_max, self.arrival_s, self.was_wet];
        let times = [self.wet_last_s, self.deepest_s];
        let velocity = self.velocity.into_iter().flatten();
        let floats = floats.into_iter().chain(times).flatten().chain(velocity);
        floats.for_each(CowPlane::give_back);
        self.depth_max.into_iter().for_each(CowPlane::give_back);
        self.duration_s.into_iter().for_each(CowPlane::give_back);
    }
}

/// A span in which cells were wet, to be counted.
struct Pass<'a> {
    durations: &'a mut [f64],
    was_wet: &'a [f32],
    span_s: f64,
}

impl Loops for Pass<'_> {
    type Out = ();

    #[inline(always)]
    fn run(self) {
        for (duration, was_wet) in self.durations.iter_mut().zip(self.was_wet) {
            // `was_wet` is 0 or 1: a product in place of a branch, so that the loop vectorises.
            *duration += f64::from(*was_wet) * self.span_s;
        }
    }
}

/// Returns the largest depth of the four fine cells of a coarse cell, and which of them had it:
/// with tables, that of the largest stage.
fn deepest_of(
    (seen, ground): (&[i32], &Ground),
    four: [usize; 4],
    (coarse, cell): (&Ground, usize),
) -> (i32, Option<usize>) {
    let wet = four.into_iter().filter(|&at| seen[at] > 0);
    if coarse.columns.is_none() {
        let at = wet.max_by_key(|&at| seen[at]);
        return (at.map_or(0, |at| seen[at]), at);
    }
    let stage = |at: usize| ground.stage(at, seen[at]);
    let at = wet.max_by_key(|&at| stage(at)).filter(|_| coarse.is_inside(cell));
    (at.map_or(0, |at| coarse.holds(cell, stage(at))), at)
}

/// Returns a quarter of a plane, each cell four times.
fn spread<T: Copy>(plane: &[T], quadrant: usize) -> CowPlane<T> {
    let mut fine = vec![plane[0]; TILE_CELLS];
    for (cell, four) in blocks(quadrant) {
        four.into_iter().for_each(|at| fine[at] = plane[cell]);
    }
    fine.into()
}

/// Sets each cell of a quarter of a plane, if it is kept, to `of` the four cells below it.
fn gather<T: PlaneNumber>(
    coarse: &mut Option<CowPlane<T>>,
    fine: &Option<CowPlane<T>>,
    quadrant: usize,
    of: impl Fn([T; 4]) -> T,
) {
    let (Some(coarse), Some(fine)) = (coarse, fine) else { return };
    let (coarse, fine): (&mut [T], &[T]) = (coarse, fine);
    for (cell, four) in blocks(quadrant) {
        coarse[cell] = of(four_of(fine, four));
    }
}
