//! Outlets: stretches of an edge over which most of its water left, and the inflows close to them.
//!
//! ```text
//! volume over a metre of an edge   ▁▁▁▂▇█▇▂▁▁▁▁▃▄▃▁
//! outlets                             └───┘   └─┘
//! ```
//!
//! Rain leaves a little over every metre of an open edge, a river much over a few: a metre counts
//! for an outlet if a twentieth of the most leaves over it.

use std::collections::{HashMap, VecDeque};

/// Part of the largest volume over a metre of an edge from which a face is one of an outlet.
const PART: f64 = 0.05;
/// Faces are beside each other if the distance between their middles is at most this number of
/// widths of the wider one: a stone in a river does not divide it in two.
const BESIDE: f64 = 3.0;
/// Least part of the volume that left, for an outlet to be listed, and the most outlets listed.
const TOLD: f64 = 0.01;
const MOST: usize = 12;

/// Stretch of an edge over which water left.
#[derive(Debug, Clone, PartialEq)]
pub struct Outlet {
    /// Edge, by its name in the ledger.
    pub edge: String,
    /// South-west and north-east corner of its faces, in the grid's CRS: along a side of the map
    /// the two ends.
    pub ends: [[f64; 2]; 2],
    /// Net volume that left over it, m³.
    pub volume_m3: f64,
    /// Share of the net outflow over all faces.
    pub share: f64,
    /// Inflow within sight, and the metres between them.
    pub inflow: Option<(String, f64)>,
}

/// Face of an edge, m from the south-west corner of the map.
#[derive(Debug, Clone, PartialEq)]
pub struct OutletFace {
    /// Edge, by its name in the ledger.
    pub edge: String,
    /// Both ends.
    pub ends_m: [[f64; 2]; 2],
    /// Volume that left over it, m³; negative if more entered.
    pub volume_m3: f64,
}

/// Place of an inflow.
#[derive(Debug, Clone, PartialEq)]
pub struct InflowCells {
    /// Name of the inflow.
    pub name: String,
    /// Middles of its cells, m from the south-west corner of the map.
    pub cells_m: Vec<[f64; 2]>,
}

/// Returns the largest outlets, the largest first, with their corners in m from the south-west
/// corner of the map; sources count within `sight_m`.
#[must_use]
pub fn outlets(faces: &[OutletFace], sources: &[InflowCells], sight_m: f64) -> Vec<Outlet> {
    let left: f64 = faces.iter().map(|face| face.volume_m3.max(0.0)).sum();
    let mut all: Vec<Outlet> = Vec::new();
    for stretch in stretches(&carrying(faces)) {
        let volume_m3: f64 = stretch.iter().map(|face| face.volume_m3).sum();
        if volume_m3 >= TOLD * left {
            let (ends, edge) = (corners(&stretch), stretch[0].edge.clone());
            let (share, inflow) = (volume_m3 / left, nearest(&stretch, sources, sight_m));
            all.push(Outlet { edge, ends, volume_m3, share, inflow });
        }
    }
    all.sort_by(|a, b| b.volume_m3.total_cmp(&a.volume_m3));
    all.truncate(MOST);
    all
}

/// Returns the faces whose outflow per metre is at least a part of the largest on their edge.
fn carrying(faces: &[OutletFace]) -> Vec<&OutletFace> {
    let mut most: HashMap<&str, f64> = HashMap::new();
    for face in faces {
        let most = most.entry(&face.edge).or_insert(0.0);
        *most = most.max(face.per_m());
    }
    let carries =
        |face: &&OutletFace| face.volume_m3 > 0.0 && face.per_m() >= PART * most[&*face.edge];
    faces.iter().filter(carries).collect()
}

/// Returns the faces of the same edge in groups that are beside each other.
fn stretches<'a>(faces: &[&'a OutletFace]) -> Vec<Vec<&'a OutletFace>> {
    let reach = BESIDE * faces.iter().map(|face| face.width_m()).fold(1.0e-3, f64::max);
    #[expect(clippy::cast_possible_truncation, reason = "metres of a map over those of a cell")]
    let bin = |face: &OutletFace| face.middle_m().map(|at| (at / reach).floor() as i64);
    let mut bins: HashMap<[i64; 2], Vec<usize>> = HashMap::new();
    for (index, face) in faces.iter().enumerate() {
        bins.entry(bin(face)).or_default().push(index);
    }
    let mut is_taken = vec![false; faces.len()];
    let mut all = Vec::new();
    for first in 0..faces.len() {
        if is_taken[first] {
            continue;
        }
        is_taken[first] = true;
        let (mut stretch, mut queue) = (Vec::new(), VecDeque::from([first]));
        while let Some(index) = queue.pop_front() {
            let face = faces[index];
            stretch.push(face);
            let near = around(bin(face)).filter_map(|bin| bins.get(&bin)).flatten();
            for &other in near.filter(|&&other| face.is_beside(faces[other])) {
                if !std::mem::replace(&mut is_taken[other], true) {
                    queue.push_back(other);
                }
            }
        }
        all.push(stretch);
    }
    all
}

/// Returns a square bin and the bins around it.
fn around([x, y]: [i64; 2]) -> impl Iterator<Item = [i64; 2]> {
    (x - 1..=x + 1).flat_map(move |x| (y - 1..=y + 1).map(move |y| [x, y]))
}

/// Returns the south-west and the north-east corner of some faces.
fn corners(faces: &[&OutletFace]) -> [[f64; 2]; 2] {
    let ends = || faces.iter().flat_map(|face| face.ends_m);
    let of = |pick: fn(f64, f64) -> f64, start: f64| {
        [0, 1].map(|axis| ends().map(|end| end[axis]).fold(start, pick))
    };
    [of(f64::min, f64::INFINITY), of(f64::max, f64::NEG_INFINITY)]
}

/// Returns the nearest source within sight of a face.
fn nearest(faces: &[&OutletFace], sources: &[InflowCells], sight_m: f64) -> Option<(String, f64)> {
    let [low, high] = corners(faces);
    let is_near = |at: &&[f64; 2]| {
        (0..2).all(|axis| (low[axis] - sight_m..=high[axis] + sight_m).contains(&at[axis]))
    };
    let away = |source: &InflowCells| {
        let cells = source.cells_m.iter().filter(is_near);
        let away =
            cells.flat_map(|&at| faces.iter().map(move |face| distance(at, face.middle_m())));
        (source.name.clone(), away.fold(f64::INFINITY, f64::min))
    };
    let seen = sources.iter().map(away).filter(|(_, away_m)| *away_m <= sight_m);
    seen.min_by(|a, b| a.1.total_cmp(&b.1))
}

fn distance(a: [f64; 2], b: [f64; 2]) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

impl OutletFace {
    fn width_m(&self) -> f64 {
        distance(self.ends_m[0], self.ends_m[1])
    }

    fn per_m(&self) -> f64 {
        self.volume_m3 / self.width_m()
    }

    fn middle_m(&self) -> [f64; 2] {
        let [a, b] = self.ends_m;
        [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]
    }

    fn is_beside(&self, other: &Self) -> bool {
        let width_m = self.width_m().max(other.width_m());
        self.edge == other.edge && distance(self.middle_m(), other.middle_m()) <= BESIDE * width_m
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the faces of 10 m along the south, with volumes over each.
    fn south(volumes: &[f64]) -> Vec<OutletFace> {
        let face = |(x, volume_m3): (f64, &f64)| OutletFace {
            edge: "south edge".into(),
            ends_m: [[x, 0.0], [x + 10.0, 0.0]],
            volume_m3: *volume_m3,
        };
        (0..).map(|n| 10.0 * f64::from(n)).zip(volumes).map(face).collect()
    }

    /// Goal: two rivers with a plain between them that drains a little are two outlets with their
    /// own volumes; a stone in one does not make a third; an outlet of another edge beside it
    /// is separate.
    #[test]
    fn rivers_are_outlets_and_rain_between_them_is_none() {
        let mut faces =
            south(&[1.0, 1.0, 90.0, 100.0, 0.0, 80.0, 1.0, 1.0, 1.0, 1.0, 30.0, 40.0, 1.0]);
        faces.push(OutletFace {
            edge: "west edge".into(),
            ends_m: [[0.0, 0.0], [0.0, 10.0]],
            volume_m3: 20.0,
        });
        let found = outlets(&faces, &[], 100.0);
        let told: Vec<(&str, [[f64; 2]; 2], f64)> = found
            .iter()
            .map(|outlet| (outlet.edge.as_str(), outlet.ends, outlet.volume_m3))
            .collect();
        assert_eq!(
            told,
            [
                ("south edge", [[20.0, 0.0], [60.0, 0.0]], 270.0),
                ("south edge", [[100.0, 0.0], [120.0, 0.0]], 70.0),
                ("west edge", [[0.0, 0.0], [0.0, 10.0]], 20.0),
            ]
        );
    }

    /// Goal: a plain that drains evenly is one outlet, and water that entered makes no outlet.
    #[test]
    fn an_even_edge_is_one_outlet() {
        let found = outlets(&south(&[2.0; 40]), &[], 1.0);
        assert_eq!((found.len(), found[0].volume_m3, found[0].share), (1, 80.0, 1.0));
        assert!(outlets(&south(&[-2.0; 40]), &[], 1.0).is_empty());
        assert!(outlets(&south(&[0.0; 40]), &[], 1.0).is_empty());
    }

    /// Goal: the nearest inflow within sight is reported, with the metres to it, and none beyond.
    #[test]
    fn the_nearest_inflow_within_sight_is_told() {
        let faces = south(&[0.0, 0.0, 5.0, 5.0, 0.0]);
        let source = |name: &str, at: [f64; 2]| InflowCells {
            name: name.into(),
            cells_m: vec![[900.0, 9.0], at],
        };
        let sources = [source("spring", [25.0, 60.0]), source("brook", [35.0, 40.0])];
        let near = |sight_m| outlets(&faces, &sources, sight_m)[0].inflow.clone();
        assert_eq!(near(50.0), Some(("brook".into(), 40.0)));
        assert_eq!(near(39.0), None);
    }
}
