//! Seas beyond open sides of the map, whose stage is that of an edge beside them.
//!
//! The sea of a stage edge does not end at the corner of the map. It continues beyond the sides
//! next to the edge, up to the ground along the rim that is higher than its stage. Open faces there
//! follow the law in [`boundary`](crate::sim::boundary). Without it a tide pumps a current through
//! the map along the coast, because nothing outside resists.
//!
//! ```text
//!            stage edge      open side: the rim, seen from the side
//!   ≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈≈       a sea above the bar is on both sides of it
//!          .               .   ▁▂▃▂▁            dam = max(highest bed up to here,
//!   L ▆▅▄▃▃▂▂▁▁▁▁▁▁▁▁▁▂▂▃▄▅▆▇▇▇▇▇▇▇▇                  2 L − lowest bed up to here)
//! ```
//!
//! L is the lowest bed along the stage edge. The second term ends a sea that would be more than
//! twice as deep as along its own edge, over four cells in a row. A face that is not open ends it,
//! too: nobody says that the water continues behind a wall. If two seas reach a place, the one with
//! the lower dam counts.
//!
//! A stage is that of a sea only if the ground rises inland from more than half of the low cells of
//! its edge. A river with a known stage upstream has no sea beyond the valley's outlet. NoData
//! cells at the rim with a stage are a sea if the ground along the rim rises away from them, at
//! more places than not. The depth of such a sea is unknown, so the first term alone limits it.
//!
//! If faces beside NoData are open, the sea continues along the [`outline`] of NoData cells that
//! reach the rim. If not, it continues over up to four of them at the rim.
//!
//! Guarantees: shores follow from the finest beds near the rim and along those outlines, and from
//!             the places of edges alone.
//! Limits:     no sea stands beyond open faces beside NoData that does not reach the rim; barriers
//!             that cross the rim do not end a sea; an edit at the rim or at an outline looks at
//!             all of them again.
//! Source:     own.

mod outline;

use crate::grid::cells::CellPlace;
use crate::grid::{Side, TILE_WIDTH, TileKey};
use crate::sim::boundary::Sea;
use crate::stream::PageKind;
use crate::terrain::Changed;
use crate::units::{CEILING, OUTSIDE};
use crate::world::edges::Boundary;
use crate::world::relief::{Looked, Relief};
use crate::world::shores::outline::{At, FaceKey, Ground, INLAND, Rim, Step, outlines};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::ops::Range;

/// Cells in a row that are a pit, or a gap in the data, and no end of a sea.
const GAP: usize = 4;

/// Seas along the rim of the map, in the order of [`Rim`], and beside cells without data.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Shores {
    rim: Rim,
    /// The first place of each run of places with the same sea.
    runs: Vec<(usize, Option<Sea>)>,
    /// Faces beside cells without data along outlines with a sea, in order.
    beside: Vec<(FaceKey, Option<Sea>)>,
}

/// Edges with another fall or another sea after a change of beds.
pub(super) struct OtherEnds {
    /// Finest tiles with other falls.
    pub falls: Vec<TileKey>,
    /// Seas beyond edges have changed.
    pub shores: bool,
}

/// A sea on its way along the rim.
#[derive(Debug, Clone, Copy)]
struct Reach {
    law: u32,
    /// Lowest bed along its own edge; `None` where that has no data.
    own: Option<i32>,
    highest: i32,
    lowest: i32,
    /// Beds of the last cells, and how many without data have followed.
    last: [i32; GAP],
    gap: usize,
}

impl Reach {
    fn new(law: u32, own: Option<i32>) -> Self {
        Self { law, own, highest: i32::MIN, lowest: i32::MAX, last: [i32::MAX; GAP], gap: 0 }
    }

    /// That over one more place; `None` where it ends.
    fn over(mut self, Ground { bed, is_open, .. }: Ground) -> Option<Self> {
        if bed == OUTSIDE {
            self.gap += 1;
            return (self.gap <= GAP).then_some(self);
        }
        self.last.rotate_left(1);
        self.last[GAP - 1] = bed;
        let not_in_a_pit = self.last.into_iter().max().expect("some cells");
        let (highest, lowest) = (self.highest.max(bed), self.lowest.min(not_in_a_pit));
        is_open.then_some(Self { highest, lowest, gap: 0, ..self })
    }

    /// Stage over which it stands here.
    fn dam(&self) -> i32 {
        let twice_as_deep = |own: i32| own.saturating_mul(2).saturating_sub(self.lowest);
        self.own.map_or(self.highest, |own| self.highest.max(twice_as_deep(own))).min(CEILING)
    }
}

impl Shores {
    /// The shores of a world whose base level this is; `None` where a page of beds could not be
    /// read.
    pub fn of(relief: &Relief, boundary: &Boundary, base: u8) -> Option<Self> {
        if !boundary.has_shores() {
            return Some(Self::default());
        }
        let (width, height) = relief.size(0).expect("the finest level");
        let rim = Rim { width, height };
        // Pages are held for a few tiles at a time: those of a whole rim may take a gigabyte.
        let stretch = |from: usize| {
            let beds = Looked::new(relief, 0, PageKind::GroundBeds);
            let places = from..(from + TILE_WIDTH).min(rim.len());
            let grounds: Vec<Ground> =
                places.map(|at| Ground::of(&beds, rim.face(at), (boundary, base))).collect();
            (!beds.has_failed()).then_some(grounds)
        };
        let stretches = (0..rim.len()).into_par_iter().step_by(TILE_WIDTH).map(stretch);
        let grounds = stretches.collect::<Option<Vec<Vec<Ground>>>>()?.concat();
        let along_rim = || grounds.iter().enumerate().map(|(at, &ground)| (At::Rim(at), ground));
        let outlines = match boundary.is_open_beside_nodata() {
            true => outlines(relief, rim, &grounds)?,
            false => vec![along_rim().collect()],
        };
        Some(Self::along(rim, &outlines, &seas_with_own(&grounds)))
    }

    /// The shores along outlines, of seas with these laws and lowest beds.
    fn along(rim: Rim, outlines: &[Vec<Step>], laws: &BTreeMap<u32, Option<i32>>) -> Self {
        let (mut at_rim, mut beside) = (vec![None; rim.len()], Vec::new());
        for outline in outlines {
            let seas = seas_along(outline, laws);
            let has_sea = seas.iter().any(Option::is_some);
            for ((at, _), sea) in outline.iter().zip(seas) {
                match *at {
                    At::Rim(at) => at_rim[at] = sea,
                    At::Beside(key) if has_sea => beside.push((key, sea)),
                    At::Beside(_) => {}
                }
            }
        }
        beside.sort_unstable_by_key(|(key, _)| *key);
        let mut runs: Vec<(usize, Option<Sea>)> = at_rim.into_iter().enumerate().collect();
        runs.dedup_by_key(|(_, sea)| *sea);
        Self { rim, runs, beside }
    }

    /// Whether a change of beds may change them.
    pub fn depend_on(&self, changed: &Changed) -> bool {
        let Rim { width, height } = self.rim;
        let near = |cells: Range<usize>, size: usize| {
            // The rim itself, and the cells inland from it that tell a sea.
            let inland = INLAND.min(size / 2);
            let ends = [0, inland, size.saturating_sub(1), size.saturating_sub(1 + inland)];
            ends.into_iter().any(|end| cells.contains(&end))
        };
        let is_beside = |key: FaceKey| {
            let [x, y] = key.place();
            changed.columns().contains(&x) && changed.rows().contains(&y)
        };
        let tiles = || changed.tiles(0).into_iter();
        let mut beside = tiles().flat_map(|TileKey { x, y, .. }| {
            self.beside_cell((TILE_WIDTH.ilog2(), CellPlace { x, y }))
        });
        near(changed.columns(), width)
            || near(changed.rows(), height)
            || beside.any(|(key, _)| is_beside(*key))
    }

    /// Faces beside cells without data, of the finest cells below a cell of a level.
    fn beside_cell(&self, cell: (u32, CellPlace)) -> &[(FaceKey, Option<Sea>)] {
        let keys = FaceKey::below(cell);
        let first = |from: FaceKey| self.beside.partition_point(|(key, _)| *key < from);
        &self.beside[first(keys.start)..first(keys.end)]
    }

    /// Takes others; true where they are not the same.
    pub fn replace(&mut self, others: Self) -> bool {
        let is_other = *self != others;
        *self = others;
        is_other
    }

    /// The sea beyond a side of a cell of a level: at the rim that beyond the middle of the side,
    /// beside cells without data the one with the lowest dam along them.
    pub fn sea_beyond(&self, side: Side, (level, place): (u8, CellPlace)) -> Option<Sea> {
        if self.runs.is_empty() {
            return None;
        }
        let Rim { width, height } = self.rim;
        let is_border = {
            let [last_x, last_y] = [width, height].map(|cells| (cells - 1) >> level);
            match side {
                Side::South => place.y == 0,
                Side::West => place.x == 0,
                Side::North => place.y as usize == last_y,
                Side::East => place.x as usize == last_x,
            }
        };
        if !is_border {
            return self.sea_beside(side, (level, place));
        }
        let middle =
            |at: u32, cells: usize| (((at as usize) << level) + (1 << level) / 2).min(cells - 1);
        let at = self.rim.place(middle(place.x, width), middle(place.y, height), side);
        let run = self.runs.partition_point(|(from, _)| *from <= at) - 1;
        self.runs[run].1
    }

    /// The sea beyond a side of a cell of a level beside which the world ends.
    fn sea_beside(&self, side: Side, (level, place): (u8, CellPlace)) -> Option<Sea> {
        let lowest = |faces: &[(FaceKey, Option<Sea>)]| {
            let faces = faces.iter().filter(|(key, _)| key.side() == side);
            faces.filter_map(|(_, sea)| *sea).min_by_key(|sea| (sea.dam, sea.law))
        };
        // Flat cells of which a part lies outside are no part of the world: its end is beyond.
        let beside = || {
            let (dx, dy) = side.offset();
            let (x, y) = (place.x.checked_add_signed(dx)?, place.y.checked_add_signed(dy)?);
            lowest(self.beside_cell((level.into(), CellPlace { x, y })))
        };
        lowest(self.beside_cell((level.into(), place))).or_else(beside)
    }
}

/// The sea beyond each step of an outline.
fn seas_along(outline: &[Step], laws: &BTreeMap<u32, Option<i32>>) -> Vec<Option<Sea>> {
    let mut seas = vec![None; outline.len()];
    let around = || (0..outline.len()).chain(0..outline.len());
    spread(outline, laws, around(), &mut seas);
    spread(outline, laws, around().rev(), &mut seas);
    seas
}

/// Laws of stages that are seas, with the lowest bed along their edge; `None` where no edge but
/// cells without data have it.
fn seas_with_own(grounds: &[Ground]) -> BTreeMap<u32, Option<i32>> {
    // Beds with whether the ground rises from them, and how many more places without data there
    // are from which it rises than others.
    let mut stages: BTreeMap<u32, (Vec<(i32, bool)>, i64)> = BTreeMap::new();
    for (at, &Ground { bed, stage, rises_inland, .. }) in grounds.iter().enumerate() {
        let Some(law) = stage else { continue };
        let (beds, rising) = stages.entry(law).or_default();
        if bed != OUTSIDE {
            beds.push((bed, rises_inland));
        } else {
            *rising += rise_beside(grounds, at, 1) + rise_beside(grounds, at, grounds.len() - 1);
        }
    }
    let with_own = |(law, (mut beds, rising)): (u32, (Vec<(i32, bool)>, i64))| {
        beds.sort_unstable();
        let rising = rising + rise_from_low(&beds);
        (rising > 0).then_some((law, beds.first().map(|(own, _)| *own)))
    };
    stages.into_iter().filter_map(with_own).collect()
}

/// How many more of the low beds of an edge, in order, there are from which the ground rises than
/// others. Low are those nearer to the lowest than to the median: a tidal channel tells the sea,
/// the marsh around it does not.
fn rise_from_low(beds: &[(i32, bool)]) -> i64 {
    let Some((lowest, _)) = beds.first() else { return 0 };
    let (median, _) = beds[beds.len() / 2];
    let is_low = |bed: i32| i64::from(bed) * 2 <= i64::from(*lowest) + i64::from(median);
    let low = beds.iter().take_while(|(bed, _)| is_low(*bed));
    low.map(|(_, rises_inland)| if *rises_inland { 1 } else { -1 }).sum()
}

/// Whether the ground along the rim rises from cells without data (1) or not (−1), as it does from
/// a sea and not from a lake above a river; 0 where there is none on this side of the place.
fn rise_beside(grounds: &[Ground], at: usize, step: usize) -> i64 {
    let along = (1..=INLAND).map(|n| grounds[(at + n * step) % grounds.len()].bed);
    let mut along = along.take_while(|&bed| bed != OUTSIDE);
    let Some(first) = along.next() else { return 0 };
    if along.last().is_some_and(|last| last > first) { 1 } else { -1 }
}

/// Carries seas along an outline in one direction, twice around, as they may begin anywhere.
fn spread(
    outline: &[Step],
    laws: &BTreeMap<u32, Option<i32>>,
    places: impl Iterator<Item = usize>,
    seas: &mut [Option<Sea>],
) {
    let mut reach: Option<Reach> = None;
    for at in places {
        let (_, ground) = outline[at];
        let begun = ground.stage.and_then(|law| Some(Reach::new(law, *laws.get(&law)?)));
        if begun.is_some() {
            reach = begun;
            continue;
        }
        reach = reach.and_then(|reach| reach.over(ground));
        let Some(reach) = reach.filter(|_| ground.bed != OUTSIDE) else { continue };
        let (law, dam) = (reach.law, reach.dam());
        let is_lower = |kept: &Sea| (dam, law) < (kept.dam, kept.law);
        if seas[at].as_ref().is_none_or(is_lower) {
            seas[at] = Some(Sea { law, dam });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places where a stage holds, over a bed of −6.
    const SEA: i32 = i32::MIN;
    const OTHER_SEA: i32 = i32::MIN + 1;
    /// A stage where the ground falls inland.
    const RIVER: i32 = i32::MIN + 2;
    const WALL: i32 = i32::MIN + 3;
    /// A cell without data, where a stage holds.
    const BARE_SEA: i32 = i32::MIN + 4;
    /// A place at 0, where that of [`SEA`] holds and the ground falls inland.
    const MARSH: i32 = i32::MIN + 5;

    /// The seas along a rim of these beds.
    fn seas(beds: &[i32]) -> Vec<Option<(u32, i32)>> {
        let ground = |&bed: &i32| match bed {
            SEA => Ground { bed: -6, stage: Some(0), is_open: false, rises_inland: true },
            OTHER_SEA => Ground { bed: -6, stage: Some(1), is_open: false, rises_inland: true },
            RIVER => Ground { bed: -6, stage: Some(0), is_open: false, rises_inland: false },
            MARSH => Ground { bed: 0, stage: Some(0), is_open: false, rises_inland: false },
            WALL => Ground { bed: -6, stage: None, is_open: false, rises_inland: true },
            BARE_SEA => Ground { bed: OUTSIDE, stage: Some(2), is_open: true, rises_inland: false },
            bed => Ground { bed, stage: None, is_open: true, rises_inland: true },
        };
        let grounds: Vec<Ground> = beds.iter().map(ground).collect();
        let laws = seas_with_own(&grounds);
        let outline: Vec<Step> = (0..).map(At::Rim).zip(grounds).collect();
        let seas = seas_along(&outline, &laws).into_iter();
        seas.map(|sea| sea.map(|Sea { law, dam }| (law, dam))).collect()
    }

    fn dams(beds: &[i32]) -> Vec<Option<i32>> {
        seas(beds).into_iter().map(|sea| sea.map(|(_, dam)| dam)).collect()
    }

    /// A cell without data.
    const HOLE: i32 = OUTSIDE;

    /// Goal: a sea stands over the highest bed on the lower of both ways around.
    #[test]
    fn the_dam_is_the_highest_bed_on_the_way() {
        let both = [None, Some(1), Some(1), Some(3), Some(2), Some(2)];
        assert_eq!(dams(&[SEA, 1, 0, 3, 0, 2]), both);
        assert_eq!(dams(&[0, 1, HOLE]), [None; 3], "no sea");
        assert_eq!(dams(&[SEA, 1, WALL, 0, WALL]), [None, Some(1), None, None, None]);
        assert_eq!(dams(&[RIVER, 1, 0, 3]), [None; 4], "a river comes in");
    }

    /// Goal: of an edge its low cells tell whether its stage is a sea's: a tidal channel, not the
    /// marsh around it.
    #[test]
    fn a_tidal_channel_tells_a_sea() {
        assert_eq!(dams(&[MARSH, SEA, MARSH, MARSH, -2, WALL])[4], Some(-2));
        assert_eq!(dams(&[MARSH, RIVER, MARSH, MARSH, -2, WALL])[4], None, "a river comes in");
    }

    /// Goal: four cells without data are a gap, over which a sea continues; five end it. A stage
    /// that cells without data have is a sea of unknown depth, if the ground rises from it.
    #[test]
    fn a_gap_in_the_data_ends_no_sea() {
        let gap = [SEA, 1, HOLE, HOLE, HOLE, HOLE, 0, WALL];
        assert_eq!(dams(&gap), [None, Some(1), None, None, None, None, Some(1), None]);
        let end = [SEA, 1, HOLE, HOLE, HOLE, HOLE, HOLE, 0, WALL];
        assert_eq!(dams(&end), [None, Some(1), None, None, None, None, None, None, None]);
        let bare = [BARE_SEA, -3, 0, -9, -9, -9, -9, -1, WALL, HOLE];
        let [a, b] = [-3, 0].map(Some);
        let sea = dams(&[&bare[..8], &[HOLE; 5]].concat());
        assert_eq!(sea[..8], [None, a, b, b, b, b, b, b], "{sea:?}");
        assert_eq!(dams(&bare), [None; 10], "a lake above a river: it falls to the wall");
    }

    /// Goal: a sea ends where it would be more than twice as deep as over its own edge, over four
    /// cells in a row.
    #[test]
    fn a_sea_does_not_stand_far_above_its_bed() {
        let pit = [None, Some(-4), Some(-4), Some(-4), Some(-4), Some(0), None];
        assert_eq!(dams(&[SEA, -4, -20, -20, -20, 0, WALL]), pit);
        let deep = [None, Some(-4), Some(-4), Some(-4), Some(-4), Some(8), Some(8), None];
        assert_eq!(dams(&[SEA, -4, -20, -20, -20, -20, 0, WALL]), deep);
    }

    /// Goal: of two seas the one with the lower dam stands at a place, or the first.
    #[test]
    fn of_two_seas_that_with_the_lower_dam_counts() {
        let two = seas(&[OTHER_SEA, 1, 3, 2, SEA, WALL]);
        assert_eq!(two, [None, Some((1, 1)), Some((0, 3)), Some((0, 2)), None, None]);
    }
}
