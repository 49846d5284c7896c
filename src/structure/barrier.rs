//! A line that closes faces: levee, weir, sluice gate, bridge deck, and the breach in it.
//!
//! A barrier has no thickness: each face it closes passes water over its crest, which may rise and
//! fall along the line, and through a gap, which may open and shut. A breach lowers the crest over
//! a part of the line that grows with time. Each face stands for its share of the line, so water
//! over an oblique levee finds the length it has, not that of its staircase.
//!
//! Limits:     a gap is as wide as its barrier: draw a gate over the levee it stands in.
//! Source:     growth of a breach in a straight line: Froehlich (2008), J. Hydraul. Eng. 134.

use crate::grid::cells::CellPlace;
use crate::structure::aperture::Coefficients;
use crate::structure::path::crossings;
use crate::units::{SimTime, StageRule, StageSeries};
use serde::Serialize;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What stands along a line.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Barrier {
    /// Its corners, cells of the base level from the map's south-west corner.
    pub corners: Vec<[f64; 2]>,
    /// Crest at each corner, vertical units.
    pub crests: Vec<i32>,
    /// Its gap.
    pub gap: Option<Gap>,
    /// Its breach.
    pub breach: Option<Breach>,
    /// A rule moves the gap when it changes the gap by more than this difference, vertical units.
    pub dead_band: i32,
    /// Numbers of its laws.
    pub law: Coefficients,
}

/// A gap below a barrier's crest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Gap {
    /// Its bottom, vertical units; the ground where that is higher, or where there is none.
    pub sill: Option<i32>,
    /// How far its top is above the bottom.
    pub opening: Opening,
}

/// How far a gate is open, vertical units.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub enum Opening {
    /// Over time; one point is for ever.
    Series(StageSeries),
    /// By the stage of a cell of the base level; shut while that is dry.
    Rule(CellPlace, StageRule),
}

/// A part of a barrier that goes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Breach {
    /// Its middle, cells from the beginning of the line.
    pub middle: f64,
    /// What sets it off.
    pub trigger: Trigger,
    /// Its width since then, 2⁻¹⁰ cells.
    pub width: StageSeries,
    /// Its bottom since then, vertical units.
    pub bottom: StageSeries,
}

/// What sets a breach off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub enum Trigger {
    /// A moment.
    At(SimTime),
    /// A stage in a cell of the base level.
    Stage(CellPlace, i32),
}

/// What a barrier depends on in one cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateInputs {
    /// The cycle's start.
    pub time: SimTime,
    /// When its breach began.
    pub begun: Option<SimTime>,
    /// How far a rule has opened the gap, vertical units.
    pub opened: i32,
}

/// A face of a barrier, on cells of some level.
#[derive(Debug, Clone, PartialEq)]
pub struct BarrierFace {
    /// Whether it is the west (0) or the south (1) face of its cell.
    pub axis: usize,
    /// That cell.
    pub place: CellPlace,
    /// East, or north, is to the right of the line there.
    pub is_right: bool,
    /// Its shares of the line, cells of the base level from the beginning: one, or more where the
    /// line crosses it more often.
    pub shares: Vec<[f64; 2]>,
    /// Lowest crest where the line crosses it, vertical units.
    pub crest: i32,
}

/// Narrower strips, as parts of a face, are none.
const PART_LEAST: f64 = 1.0e-6;

/// What is open of a face, vertical units: a part of its width.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Strip {
    /// Width, as a part of the face.
    pub part: f32,
    /// Bottom of its gap; `None` on the ground.
    pub sill: Option<i32>,
    /// How far its gap is open.
    pub open: i32,
    /// Its crest.
    pub crest: i32,
}

impl Strip {
    /// The stage from which something passes over this ground.
    #[must_use]
    pub fn lowest(&self, ground: i32) -> i32 {
        let sill = self.sill.unwrap_or(ground);
        let crest = self.crest.max(ground);
        let is_open = sill.saturating_add(self.open) > ground && self.open > 0;
        if is_open { sill.max(ground).min(crest) } else { crest }
    }
}

impl Barrier {
    /// The faces that it closes on cells of a level, `shift` above the base level, each once: the
    /// lowest crest counts where the line crosses one more often. Those west or south of the map
    /// are left out.
    #[must_use]
    pub fn faces(&self, shift: u8) -> Vec<BarrierFace> {
        let mut faces: Vec<BarrierFace> = Vec::new();
        let mut known: BTreeMap<(usize, u32, u32), usize> = BTreeMap::new();
        for crossing in crossings(&self.corners, shift) {
            let (Ok(x), Ok(y)) = (u32::try_from(crossing.x), u32::try_from(crossing.y)) else {
                continue;
            };
            let crest = self.crest_at(crossing.at);
            match known.entry((crossing.axis, x, y)) {
                Entry::Occupied(at) => {
                    let face = &mut faces[*at.get()];
                    face.crest = face.crest.min(crest);
                    face.shares.push(crossing.share);
                }
                Entry::Vacant(at) => {
                    at.insert(faces.len());
                    let (axis, place) = (crossing.axis, CellPlace { x, y });
                    let (is_right, shares) = (crossing.is_right, vec![crossing.share]);
                    faces.push(BarrierFace { axis, place, is_right, shares, crest });
                }
            }
        }
        faces
    }

    /// Crest at a place along the line, cells of the base level from its beginning.
    #[expect(clippy::cast_possible_truncation, reason = "between two crests")]
    fn crest_at(&self, at: f64) -> i32 {
        let mut before = 0.0;
        for (pair, crests) in self.corners.windows(2).zip(self.crests.windows(2)) {
            let [dx, dy] = [0, 1].map(|i| pair[1][i] - pair[0][i]);
            let length = (dx * dx + dy * dy).sqrt();
            if at <= before + length && length > 0.0 {
                let [from, to] = [crests[0], crests[1]].map(f64::from);
                let part = ((at - before) / length).clamp(0.0, 1.0);
                return (from + part * (to - from)).round() as i32;
            }
            before += length;
        }
        *self.crests.last().expect("a crest at each corner")
    }

    /// True where it may cross a rectangle, given by its south-west and north-east corners, cells
    /// of the base level.
    #[must_use]
    pub fn is_near(&self, low: [f64; 2], high: [f64; 2]) -> bool {
        self.corners.windows(2).any(|pair| {
            [0, 1].into_iter().all(|i| {
                pair[0][i].min(pair[1][i]) <= high[i] && pair[0][i].max(pair[1][i]) >= low[i]
            })
        })
    }

    /// What is open of a face in a cycle, on cells `width` cells of the base level wide: beside the
    /// breach, and in it.
    pub fn strips(
        &self,
        face: &BarrierFace,
        inputs: &GateInputs,
        width: f64,
        out: &mut Vec<Strip>,
    ) {
        out.clear();
        let (sill, open) = match &self.gap {
            None => (None, 0),
            Some(gap) => {
                let open = match &gap.opening {
                    Opening::Series(series) => series.at(inputs.time),
                    Opening::Rule(..) => inputs.opened,
                };
                (gap.sill, open.max(0))
            }
        };
        #[expect(clippy::cast_possible_truncation, reason = "a width")]
        let mut add = |length: f64, crest: i32| {
            let part = length / width;
            if part >= PART_LEAST {
                out.push(Strip { part: part as f32, sill, open, crest });
            }
        };
        let breach = self.breach.as_ref().zip(inputs.begun);
        for [from, to] in &face.shares {
            let Some((breach, begun)) = breach else {
                add(to - from, face.crest);
                continue;
            };
            let since = SimTime::from_ticks(inputs.time.since(begun));
            let half = 0.5 * f64::from(breach.width.at(since)) / 1024.0;
            let (low, high) = (breach.middle - half, breach.middle + half);
            let inside = (to.min(high) - from.max(low)).max(0.0);
            add(to - from - inside, face.crest);
            add(inside, breach.bottom.at(since).min(face.crest));
        }
    }

    /// True where it changes by itself between two moments.
    #[must_use]
    pub fn moves(&self, from: SimTime, to: SimTime, begun: Option<SimTime>) -> bool {
        let gate = self.gap.as_ref().is_some_and(|gap| match &gap.opening {
            Opening::Series(series) => series.at(from) != series.at(to),
            Opening::Rule(..) => false,
        });
        let breach = self.breach.as_ref().zip(begun).is_some_and(|(breach, begun)| {
            let [before, after] = [from, to].map(|time| SimTime::from_ticks(time.since(begun)));
            breach.width.at(before) != breach.width.at(after)
                || breach.bottom.at(before) != breach.bottom.at(after)
        });
        gate || breach
    }
}
