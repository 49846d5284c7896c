//! Seas beyond open sides of the map, whose stage is that of an edge beside them.
//!
//! The sea of a stage edge does not end at the corner of the map. It continues beyond the sides
//! next to the edge, up to the ground along the rim that is higher than its stage. Open faces there
//! follow the law in [`boundary`](thalweg_engine::sim::boundary). Without it a tide pumps a current
//! through the map along the coast, because nothing outside resists.
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
//! too: nothing shows that the water continues behind a wall. If two seas reach a place, the one
//! with the lower dam counts.
//!
//! A stage is that of a sea only if its section at the highest stage shrinks inland: the area
//! between the beds along its edge and that stage is larger than 128 cells inland, or in the middle
//! of a smaller map. Or if its channels rise: the low cells of the edge are below as many of the
//! lowest cells on the way inland. A marsh may have more channels inland than at its mouth, but
//! they are shallower. A river with a known stage upstream has no sea beyond the valley's outlet.
//! NoData cells at the rim with a stage are a sea if the ground along the rim rises away from them,
//! at more places than not. The depth of such a sea is unknown, so the first term alone limits it.
//!
//! A sea continues over up to four NoData cells at the rim. If faces beside NoData are open, it
//! also continues along the [`outline`] of NoData cells that reach the rim.
//!
//! Guarantees: shores follow only from the finest beds near the rim and along these outlines, from
//!             the places of edges, and from their highest stages.
//! Limits:     no sea is beyond open faces beside NoData that does not reach the rim; barriers that
//!             cross the rim do not end a sea; an edit at the rim or at an outline examines all of
//!             them again, one page after the other along an outline.
//! Source:     own.

mod outline;

use crate::world::edges::Boundary;
use crate::world::relief::{Looked, WorldRelief};
use crate::world::shores::outline::{BEHIND, FaceGround, FaceKey, INLAND, MapRim, Ways};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::grid::{Side, TILE_WIDTH, TileKey};
use thalweg_engine::sim::boundary::OutsideSea;
use thalweg_engine::stream::PageKind;
use thalweg_engine::terrain::Changed;
use thalweg_engine::units::{CEILING, OUTSIDE};

/// Cells in a row that are a pit, or a gap in the data, and no end of a sea.
const GAP: usize = 4;

/// Seas along the rim of the map, in the order of [`MapRim`], and beside cells without data.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Shores {
    rim: MapRim,
    /// The first place of each run of places with the same sea.
    runs: Vec<(usize, Option<OutsideSea>)>,
    /// Faces beside cells without data that have a sea, in order.
    beside: Vec<(FaceKey, OutsideSea)>,
    /// The finest tiles of all such faces along outlines with a sea.
    tiles: BTreeSet<TileKey>,
    edges: StageEdges,
}

/// Edges with another fall or another sea after a change of beds.
pub(super) struct OtherEnds {
    /// Finest tiles whose falls have changed.
    pub falls: Vec<TileKey>,
    /// Seas beyond edges have changed.
    pub shores: bool,
}

/// Edges with a stage, by their laws.
#[derive(Debug, Clone, Default, PartialEq)]
struct StageEdges {
    edges: BTreeMap<u32, StageEdge>,
    /// Laws of seas, with the lowest bed along them; `None` if only cells without data have the
    /// stage.
    seas: BTreeMap<u32, Option<i32>>,
}

/// An edge with a stage.
#[derive(Debug, Clone, Default, PartialEq)]
struct StageEdge {
    /// Beds along it and inland from them.
    beds: Vec<(i32, [i32; BEHIND])>,
    /// Number of places without data from which the ground along the rim rises, less the number
    /// from which it does not.
    rising: i64,
}

impl StageEdge {
    /// Returns the lowest bed along the edge; `None` if the edge has no data.
    fn own(&self) -> Option<i32> {
        self.beds.iter().map(|(bed, _)| *bed).min()
    }

    /// Whether a stage edge at this stage is the edge of a sea.
    fn is_sea(&self, stage: i32) -> bool {
        let depth = |bed: i32| (i64::from(stage) - i64::from(bed)).max(0);
        let shrinks = |&(bed, [.., behind]): &(i32, [i32; BEHIND])| match behind {
            OUTSIDE => 0,
            behind => depth(bed) - depth(behind),
        };
        match self.beds.is_empty() {
            true => self.rising > 0,
            false => self.beds.iter().map(shrinks).sum::<i64>() > 0 || self.has_rising_low(depth),
        }
    }

    /// Whether its channels get shallower inland, by more than 1/16 of the mean depth, which is
    /// weighted by depth. Channels are the cells deeper than half of that mean; inland as many of
    /// the deepest cells.
    fn has_rising_low(&self, depth: impl Fn(i32) -> i64) -> bool {
        let depths = || self.beds.iter().map(|&(bed, _)| i128::from(depth(bed)));
        // Squares of depths have 62 bits and a rim has up to 2²² places, so an i64 would overflow.
        // The `max` avoids a division by 0 if the edge is dry.
        let mean = depths().map(|h| h * h).sum::<i128>() / depths().sum::<i128>().max(1);
        let low: Vec<i128> = depths().filter(|h| 2 * h > mean).collect();
        let mut inland = Vec::new();
        for part in 0..BEHIND {
            let behind = self.beds.iter().map(|(_, behind)| behind[part]);
            let mut depths: Vec<i128> =
                behind.filter(|bed| *bed != OUTSIDE).map(|bed| i128::from(depth(bed))).collect();
            depths.sort_unstable_by_key(|h| std::cmp::Reverse(*h));
            inland.extend(depths.into_iter().take(low.len()));
        }
        let mean_of = |depths: &[i128]| depths.iter().sum::<i128>() / depths.len() as i128;
        !inland.is_empty() && !low.is_empty() && mean_of(&inland) + mean / 16 < mean_of(&low)
    }
}

/// A sea on its way along the rim.
#[derive(Debug, Clone, Copy)]
struct ShoreReach {
    law: u32,
    /// Lowest bed along its own edge; `None` if the edge has no data.
    own: Option<i32>,
    highest: i32,
    lowest: i32,
    /// Beds of the last cells, and how many without data have followed.
    last: [i32; GAP],
    gap: usize,
}

impl ShoreReach {
    fn new(law: u32, own: Option<i32>) -> Self {
        Self { law, own, highest: i32::MIN, lowest: i32::MAX, last: [i32::MAX; GAP], gap: 0 }
    }

    /// Returns a sea that has reached this place another way.
    fn of(OutsideSea { law, dam }: OutsideSea, own: Option<i32>) -> Self {
        Self { highest: dam, ..Self::new(law, own) }
    }

    /// Returns the sea after one more place; `None` if it ends there.
    fn over(mut self, FaceGround { bed, is_open, .. }: FaceGround) -> Option<Self> {
        if bed == OUTSIDE {
            self.gap += 1;
            return (self.gap <= GAP).then_some(self);
        }
        self.last.rotate_left(1);
        self.last[GAP - 1] = bed;
        // The highest of the last GAP beds counts, so a pit of fewer cells lowers nothing; neither
        // do the first three cells, because `last` begins with i32::MAX.
        let not_in_a_pit = self.last.into_iter().max().expect("some cells");
        let (highest, lowest) = (self.highest.max(bed), self.lowest.min(not_in_a_pit));
        is_open.then_some(Self { highest, lowest, gap: 0, ..self })
    }

    /// Returns the stage above which the sea is at this place.
    fn dam(&self) -> i32 {
        // The sea is here only if stage − lowest < 2 (stage − own): if stage > 2 own − lowest.
        let twice_as_deep = |own: i32| own.saturating_mul(2).saturating_sub(self.lowest);
        self.own.map_or(self.highest, |own| self.highest.max(twice_as_deep(own))).min(CEILING)
    }
}

impl Shores {
    /// Finds the shores of a world with this base level; `None` if a page of beds could not be
    /// read.
    pub fn of(relief: &WorldRelief, boundary: &Boundary, base: u8) -> Option<Self> {
        if !boundary.has_shores() {
            return Some(Self::default());
        }
        let (width, height) = relief.size(0).expect("the finest level");
        let rim = MapRim { width, height };
        // Pages are kept for a few tiles at a time: the pages of a whole rim may need a gigabyte.
        let stretch = |from: usize| {
            let beds = Looked::new(relief, 0, PageKind::GroundBeds);
            let places = from..(from + TILE_WIDTH).min(rim.len());
            let grounds: Vec<FaceGround> =
                places.map(|at| FaceGround::of(&beds, rim.face(at), (boundary, base))).collect();
            (!beds.has_failed()).then_some(grounds)
        };
        let stretches = (0..rim.len()).into_par_iter().step_by(TILE_WIDTH).map(stretch);
        let grounds = stretches.collect::<Option<Vec<Vec<FaceGround>>>>()?.concat();
        let edges = StageEdges::of(&grounds, boundary);
        let mut ways = Ways::along_rim(grounds);
        if boundary.is_open_beside_nodata() && !edges.seas.is_empty() {
            ways = ways.with_outlines(relief, rim)?;
        }
        Some(Self::along(rim, &ways, edges))
    }

    /// Finds the shores along ways.
    fn along(rim: MapRim, ways: &Ways, edges: StageEdges) -> Self {
        let mut seas = seas_along(ways, &edges.seas);
        let seas_beside = seas.split_off(rim.len());
        let has_sea = |at: usize| seas_beside.get(at).is_some_and(Option::is_some);
        let mut tiles = BTreeSet::new();
        for way in &ways.ways {
            let beside = || way.iter().filter_map(|at| at.checked_sub(rim.len()));
            if beside().any(has_sea) {
                tiles.extend(beside().map(|at| ways.beside[at].1));
            }
        }
        let beside = ways.beside.iter().zip(&seas_beside);
        let beside = beside.filter_map(|((face, _), sea)| Some((*face, (*sea)?)));
        let mut beside: Vec<(FaceKey, OutsideSea)> = beside.collect();
        beside.sort_unstable_by_key(|(face, _)| *face);
        let mut runs: Vec<(usize, Option<OutsideSea>)> = seas.into_iter().enumerate().collect();
        runs.dedup_by_key(|(_, sea)| *sea);
        Self { rim, runs, beside, tiles, edges }
    }

    /// Whether, at the present stages, edges are seas' that were not before, or the reverse.
    pub fn have_other_seas(&self, boundary: &Boundary) -> bool {
        self.edges.seas_at(boundary) != self.edges.seas
    }

    /// Whether a change of beds may change them.
    pub fn depend_on(&self, changed: &Changed) -> bool {
        let MapRim { width, height } = self.rim;
        let near = |cells: Range<usize>, size: usize| {
            // The rim itself, and the cells inland from it that show whether the edge is a sea's.
            let inland = |part: usize| INLAND.min(size / 2) * part / BEHIND;
            let ends = |n: usize| [n, size.saturating_sub(1 + n)];
            (0..=BEHIND).flat_map(|part| ends(inland(part))).any(|end| cells.contains(&end))
        };
        let is_beside = || changed.tiles(0).iter().any(|tile| self.tiles.contains(tile));
        near(changed.columns(), width) || near(changed.rows(), height) || is_beside()
    }

    /// Replaces the shores; returns true if they are different.
    pub fn replace(&mut self, others: Self) -> bool {
        let is_other = *self != others;
        *self = others;
        is_other
    }

    /// Returns the sea beyond a side of a cell of a level beside which the world ends.
    pub fn sea_beyond(&self, side: Side, (level, place): (u8, CellPlace)) -> Option<OutsideSea> {
        // Flat cells that are partly outside are no part of the world: its end is beyond.
        let beside = || {
            let (dx, dy) = side.offset();
            let (x, y) = (place.x.checked_add_signed(dx)?, place.y.checked_add_signed(dy)?);
            self.sea_at(side, (level, CellPlace { x, y }))
        };
        self.sea_at(side, (level, place)).or_else(beside)
    }

    /// Returns the sea at a side of a cell of a level: the one with the lowest dam along the side
    /// at the rim, else along faces of the finest cells below. A wide cell has one stage up to the
    /// dyke that ends the sea within it, so the place where the sea meets the cell counts.
    fn sea_at(&self, side: Side, (level, place): (u8, CellPlace)) -> Option<OutsideSea> {
        if self.runs.is_empty() {
            return None;
        }
        let MapRim { width, height } = self.rim;
        let [last_x, last_y] = [width, height].map(|cells| (cells - 1) >> level);
        let is_border = match side {
            Side::South => place.y == 0,
            Side::West => place.x == 0,
            Side::North => place.y as usize == last_y,
            Side::East => place.x as usize == last_x,
        };
        let at_rim = |n: usize| {
            let along = |at: u32, cells: usize| (((at as usize) << level) + n).min(cells - 1);
            let at = self.rim.place(along(place.x, width), along(place.y, height), side);
            // The first run begins at place 0, so the count is at least 1.
            let run = self.runs.partition_point(|(from, _)| *from <= at) - 1;
            self.runs[run].1
        };
        let lower = |sea: &OutsideSea| (sea.dam, sea.law);
        let at_border = || (0..1 << level).filter_map(at_rim).min_by_key(lower);
        let within = || {
            let faces = FaceKey::below((level, place));
            let first = |from: FaceKey| self.beside.partition_point(|(face, _)| *face < from);
            let faces = &self.beside[first(faces.start)..first(faces.end)];
            let faces = faces.iter().filter(|(face, _)| face.side() == side);
            faces.map(|(_, sea)| *sea).min_by_key(lower)
        };
        is_border.then(at_border).flatten().or_else(within)
    }
}

impl StageEdges {
    /// Finds the edges along a rim with this ground, with their seas.
    fn of(grounds: &[FaceGround], boundary: &Boundary) -> Self {
        let edges = Self::along(grounds);
        Self { seas: edges.seas_at(boundary), ..edges }
    }

    /// Finds the edges along a rim with this ground.
    fn along(grounds: &[FaceGround]) -> Self {
        let mut edges: BTreeMap<u32, StageEdge> = BTreeMap::new();
        for (at, &FaceGround { bed, behind, stage, .. }) in grounds.iter().enumerate() {
            let Some(law) = stage else { continue };
            let StageEdge { beds, rising } = edges.entry(law).or_default();
            if bed == OUTSIDE {
                // The rim is closed, so steps of its length − 1 go back by one place.
                *rising +=
                    rise_beside(grounds, at, 1) + rise_beside(grounds, at, grounds.len() - 1);
                continue;
            }
            beds.push((bed, behind));
        }
        Self { edges, seas: BTreeMap::new() }
    }

    /// Returns the laws of the stages that are a sea's, with the lowest bed along them.
    fn seas_at(&self, boundary: &Boundary) -> BTreeMap<u32, Option<i32>> {
        let stage = |law: u32| boundary.highest_stage(law);
        let seas = self
            .edges
            .iter()
            .filter(|(law, edge)| stage(**law).is_some_and(|stage| edge.is_sea(stage)));
        seas.map(|(law, edge)| (*law, edge.own())).collect()
    }
}

/// Returns the sea beyond each place of ways, from laws with the lowest beds along their edges.
fn seas_along(ways: &Ways, laws: &BTreeMap<u32, Option<i32>>) -> Vec<Option<OutsideSea>> {
    let mut seas = vec![None; ways.grounds.len()];
    loop {
        // Each change gives a place a lower dam, or an equal dam and a lower law, so the loop ends.
        let mut is_other = false;
        for way in &ways.ways {
            // Twice around, as seas may begin anywhere.
            let around = || way.iter().chain(way).copied();
            is_other |= spread(&ways.grounds, laws, around(), &mut seas);
            is_other |= spread(&ways.grounds, laws, around().rev(), &mut seas);
        }
        // A sea that has passed a gap at the rim may continue along an outline beyond it.
        if !is_other || ways.ways.len() == 1 {
            return seas;
        }
    }
}

/// Whether the ground along the rim rises from cells without data (1) or not (−1), as it does from
/// a sea and not from a lake above a river; 0 if no ground is on this side of the place.
fn rise_beside(grounds: &[FaceGround], at: usize, step: usize) -> i64 {
    let along = (1..=INLAND).map(|n| grounds[(at + n * step) % grounds.len()].bed);
    let mut along = along.take_while(|&bed| bed != OUTSIDE);
    let Some(first) = along.next() else { return 0 };
    if along.last().is_some_and(|last| last > first) { 1 } else { -1 }
}

/// Carries seas along places in their order; returns true if a place has a different sea now.
fn spread(
    grounds: &[FaceGround],
    laws: &BTreeMap<u32, Option<i32>>,
    places: impl Iterator<Item = usize>,
    seas: &mut [Option<OutsideSea>],
) -> bool {
    let (mut reach, mut is_other): (Option<ShoreReach>, bool) = (None, false);
    for at in places {
        let ground = grounds[at];
        let begun = ground.stage.and_then(|law| Some(ShoreReach::new(law, *laws.get(&law)?)));
        if begun.is_some() {
            reach = begun;
            continue;
        }
        reach = reach.and_then(|reach| reach.over(ground));
        if ground.bed == OUTSIDE {
            continue;
        }
        // Between equal dams the law decides, so that the result does not depend on the order of
        // ways.
        let lower = |sea: &OutsideSea| (sea.dam, sea.law);
        let arrived = reach.map(|reach| OutsideSea { law: reach.law, dam: reach.dam() });
        match (arrived, seas[at]) {
            (Some(sea), kept) if kept.is_none_or(|kept| lower(&sea) < lower(&kept)) => {
                (seas[at], is_other) = (Some(sea), true);
            }
            // The sea found here earlier has the lower dam: it continues from here.
            (arrived, Some(kept)) if arrived != Some(kept) => {
                reach = Some(ShoreReach::of(kept, laws[&kept.law]));
            }
            _ => {}
        }
    }
    is_other
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Places with a stage of 2, over a bed of −6.
    const SEA: i32 = i32::MIN;
    const OTHER_SEA: i32 = i32::MIN + 1;
    /// A stage where the ground falls inland.
    const RIVER: i32 = i32::MIN + 2;
    const WALL: i32 = i32::MIN + 3;
    /// A cell without data, with a stage.
    const BARE_SEA: i32 = i32::MIN + 4;
    /// A place at 1 with the stage of [`SEA`], where the ground falls inland.
    const MARSH: i32 = i32::MIN + 5;
    /// A place of a channel with the stage of [`SEA`] that is as deep inland.
    const CHANNEL: i32 = i32::MIN + 6;
    /// A place at 1 with the stage of [`SEA`], from which the ground rises over it.
    const SHALLOW: i32 = i32::MIN + 7;

    fn ground_of(bed: i32) -> FaceGround {
        let [inside, wall] = [(OUTSIDE, None, true), (OUTSIDE, None, false)];
        let stage = |law: u32, behind: i32| (behind, Some(law), false);
        let (bed, (behind, stage, is_open)) = match bed {
            SEA => (-6, stage(0, 0)),
            OTHER_SEA => (-6, stage(1, 0)),
            RIVER => (-6, stage(0, -8)),
            WALL => (-6, wall),
            BARE_SEA => (OUTSIDE, (OUTSIDE, Some(2), true)),
            MARSH => (1, stage(0, 0)),
            CHANNEL => (-12, stage(0, -12)),
            SHALLOW => (1, stage(0, 3)),
            bed => (bed, inside),
        };
        FaceGround { bed, behind: [behind; BEHIND], stage, is_open }
    }

    /// Returns the seas of laws whose stage is 2.
    fn laws(grounds: &[FaceGround]) -> BTreeMap<u32, Option<i32>> {
        let edges = StageEdges::along(grounds).edges;
        let seas = edges.iter().filter(|(_, edge)| edge.is_sea(2));
        seas.map(|(law, edge)| (*law, edge.own())).collect()
    }

    /// Returns the seas along a rim of these beds.
    fn seas(beds: &[i32]) -> Vec<Option<(u32, i32)>> {
        let ways = Ways::along_rim(beds.iter().copied().map(ground_of).collect());
        let seas = seas_along(&ways, &laws(&ways.grounds)).into_iter();
        seas.map(|sea| sea.map(|OutsideSea { law, dam }| (law, dam))).collect()
    }

    fn dams(beds: &[i32]) -> Vec<Option<i32>> {
        seas(beds).into_iter().map(|sea| sea.map(|(_, dam)| dam)).collect()
    }

    /// A cell without data.
    const HOLE: i32 = OUTSIDE;

    /// Goal: the dam of a sea is the highest bed on the lower of both ways around.
    #[test]
    fn the_dam_is_the_highest_bed_on_the_way() {
        let both = [None, Some(1), Some(1), Some(3), Some(2), Some(2)];
        assert_eq!(dams(&[SEA, 1, 0, 3, 0, 2]), both);
        assert_eq!(dams(&[0, 1, HOLE]), [None; 3], "no sea");
        assert_eq!(dams(&[SEA, 1, WALL, 0, WALL]), [None, Some(1), None, None, None]);
        assert_eq!(dams(&[RIVER, 1, 0, 3]), [None; 4], "a river comes in");
    }

    /// Goal: an edge is a sea's if the section below the stage shrinks inland: neither marsh beside
    /// a tidal channel nor a dredged channel hides it, and a pit in a river's edge makes none.
    #[test]
    fn the_section_below_the_stage_tells_a_sea() {
        let sea = |edge: &[i32]| dams(&[edge, &[-2, WALL]].concat())[edge.len()];
        assert_eq!(sea(&[MARSH, SEA, MARSH, MARSH]), Some(-2));
        assert_eq!(sea(&[SEA, CHANNEL, SEA]), Some(-2));
        assert_eq!(sea(&[SHALLOW, CHANNEL, SHALLOW]), Some(-2), "no channel rises");
        // Ten cells of marsh get deeper by 1, the channel between them shallower by 6.
        let marsh = [MARSH; 5];
        assert_eq!(sea(&[&marsh[..], &[SEA], &marsh].concat()), Some(-2));
        assert_eq!(sea(&[&marsh[..], &[RIVER], &marsh].concat()), None, "a river comes in");
        assert_eq!(sea(&[MARSH, RIVER, MARSH, MARSH]), None, "a river comes in");
        assert_eq!(sea(&[RIVER, RIVER, RIVER, RIVER, SEA]), None, "a pit in a river's bed");
    }

    /// Goal: a wide cell that a dyke crosses has the sea on the seaward side of the dyke. Method: a
    /// dyke at places 5 and 6 of the south side, seen from cells of one, eight and four places.
    #[test]
    fn the_sea_reaches_a_wide_cell_up_to_its_dyke() {
        let [sea, beyond] = [-2, 9].map(|dam| Some(OutsideSea { law: 0, dam }));
        let rim = MapRim { width: 16, height: 8 };
        let runs = vec![(0, sea), (5, beyond), (16, None)];
        let shores = Shores { rim, runs, ..Shores::default() };
        let at = |level, x| shores.sea_beyond(Side::South, (level, CellPlace { x, y: 0 }));
        assert_eq!([at(0, 4), at(0, 5), at(0, 15)], [sea, beyond, beyond]);
        assert_eq!([at(3, 0), at(3, 1)], [sea, beyond]);
        assert_eq!([at(2, 0), at(2, 1), at(2, 2)], [sea, sea, beyond]);
        // A cell wider than the map.
        assert_eq!(at(5, 0), sea);
    }

    /// Goal: a sea that passes a gap at the rim continues along the outline beyond it, on the lower
    /// way. Method: rim SEA 5, gap, -1 with the outline SEA 5 30 30 -2 -3 -1 of the gap.
    #[test]
    fn a_sea_over_a_gap_continues_along_the_outline() {
        let beds = [SEA, 5, HOLE, -1, WALL, 30, 30, -2, -3];
        let mut ways = Ways::along_rim(beds[..5].iter().copied().map(ground_of).collect());
        ways.grounds.extend(beds[5..].iter().copied().map(ground_of));
        ways.ways.push(vec![0, 1, 5, 6, 7, 8, 3, 4]);
        let seas = seas_along(&ways, &laws(&ways.grounds)).into_iter();
        let dams: Vec<Option<i32>> = seas.map(|sea| sea.map(|sea| sea.dam)).collect();
        let [low, high] = [5, 30].map(Some);
        assert_eq!(dams, [None, low, None, low, None, high, high, low, low]);
    }

    /// Goal: a sea along an outline continues over a gap at the rim beyond it. Method: five cells
    /// without data, with the outline SEA -3 -2 -1, then one more.
    #[test]
    fn a_sea_along_an_outline_continues_over_a_gap() {
        let rim = [SEA, HOLE, HOLE, HOLE, HOLE, HOLE, -1, HOLE, 0, WALL];
        let mut ways = Ways::along_rim(rim.map(ground_of).to_vec());
        ways.grounds.extend([-3, -2].map(ground_of));
        ways.ways.push(vec![0, 10, 11, 6, 9]);
        let seas = seas_along(&ways, &laws(&ways.grounds)).into_iter();
        let dams: Vec<Option<i32>> = seas.map(|sea| sea.map(|sea| sea.dam)).collect();
        assert_eq!(dams[6..], [Some(-1), None, Some(0), None, Some(-3), Some(-2)]);
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

    /// Goal: of two seas the one with the lower dam counts at a place, or the first.
    #[test]
    fn of_two_seas_that_with_the_lower_dam_counts() {
        let two = seas(&[OTHER_SEA, 1, 3, 2, SEA, WALL]);
        assert_eq!(two, [None, Some((1, 1)), Some((0, 3)), Some((0, 2)), None, None]);
    }
}
