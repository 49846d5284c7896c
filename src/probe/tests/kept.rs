//! Places and polygons that are kept.

use super::*;
use crate::probe::kept::LeafAt;
use crate::probe::{Query, QueryLeaves};
use std::collections::BTreeSet;
use std::sync::Mutex;
use thalweg_engine::forest::Forest;
use thalweg_engine::forest::interfaces::LeafInterfaces;
use thalweg_engine::grid::LeafId;
use thalweg_engine::tile::{Ground, Water};
use thalweg_engine::units::VerticalScale;

/// Leaves that note which of them are read.
struct Noted<'a> {
    made: &'a Made,
    read: Mutex<BTreeSet<LeafId>>,
}

impl Noted<'_> {
    fn note(&self, leaf: LeafId) -> LeafId {
        self.read.lock().expect("no panic").insert(leaf);
        leaf
    }

    /// The leaves that were read, and those kept are all of them at least.
    #[track_caller]
    fn check(&self, kept: &[LeafAt], name: &str) {
        let read = std::mem::take(&mut *self.read.lock().expect("no panic"));
        let is_kept = |leaf: &LeafId| kept.iter().any(|kept| kept.id == *leaf);
        assert!(!read.is_empty() && read.iter().all(is_kept), "{name}: {read:?} of {kept:?}");
    }
}

impl QueryLeaves for Noted<'_> {
    fn forest(&self) -> &Forest {
        self.made.forest()
    }

    fn ground(&self, leaf: LeafId) -> &Ground {
        self.made.ground(self.note(leaf))
    }

    fn water(&self, leaf: LeafId) -> &Water {
        self.made.water(self.note(leaf))
    }

    fn interfaces(&self, leaf: LeafId) -> Option<&LeafInterfaces> {
        self.made.interfaces(self.note(leaf))
    }
}

/// A triangle or a quadrilateral around a place, some metres wide; every fourth along the cells.
fn building(seed: u64, [x, y]: [f64; 2]) -> Vec<[f64; 2]> {
    let draw = |salt: u64| {
        let draw = scramble(seed.wrapping_mul(31).wrapping_add(salt)) >> 40;
        f64::from(u32::try_from(draw).expect("24 bits")) / 16_777_216.0
    };
    if seed.is_multiple_of(4) {
        let [west, south] = [x, y].map(|v| (v / WIDTH_M).floor() * WIDTH_M);
        let [east, north] = [west + 6.0 * WIDTH_M, south + 4.0 * WIDTH_M];
        return vec![[west, south], [east, south], [east, north], [west, north]];
    }
    let corners = 3 + seed % 2;
    let corner = |at: u64| {
        #[expect(clippy::cast_precision_loss, reason = "four at most")]
        let turn = std::f64::consts::TAU * (at as f64 + 0.8 * draw(at)) / corners as f64;
        let radius = 3.0 + 17.0 * draw(9);
        [x + radius * turn.cos(), y + radius * turn.sin()]
    };
    (0..corners).map(corner).collect()
}

/// Goal: answers for what is kept are those of questions, and depend on no leaf that is not kept
/// with it. Method: many places and buildings, half of them where tiles meet, in every mixture of
/// levels, flat and over finest cells.
#[test]
fn what_is_kept_answers_as_what_is_asked() {
    let wave = |[x, y]: [f64; 2]| 3.0e6 + 2.0e6 * (x / 17.0).sin() * (y / 23.0).cos();
    let hills_m = |[x, y]: [f64; 2]| 3.0 + 2.0 * (x / 7.0).sin() + 2.0 * (y / 5.0).cos();
    let terrain = Made::terrain(hills_m);
    let scale = VerticalScale::try_new(20, 100.0).expect("in range");
    let (mut wet, mut dry) = (0, 0);
    for (row, leaves) in all_levels().into_iter().enumerate() {
        for is_tabled in [false, true] {
            let made = match is_tabled {
                true => Made::tabled(leaves.clone(), &terrain, wave),
                false => Made::new(leaves.clone(), |at| Some(hills_m(at) * UNITS), wave),
            };
            let noted = Noted { made: &made, read: Mutex::default() };
            let beds = is_tabled.then_some(&terrain);
            let asked = made.query().on(beds);
            let kept = Query::new(&noted, scale, WIDTH_M).on(beds);
            for seed in 0..120 {
                let name = format!("row {row}, tabled {is_tabled}, {seed}");
                let tile_m = 64.0 * WIDTH_M;
                // Every other one near a line between tiles.
                let near = |v: f64| ((v / tile_m).round() * tile_m + v % 24.0 - 12.0).max(12.0);
                let at = place(seed);
                let at = if seed % 2 == 0 { at } else { at.map(|v| near(v).min(1010.0)) };
                let leaves = kept.keep_point(at).expect("in the world");
                noted.read.lock().expect("no panic").clear();
                let [depth_m, stage_m] = {
                    let (depth_m, stage_m) = kept.depth_and_stage_m(at).expect("in the world");
                    [Some(depth_m), stage_m]
                };
                noted.check(&leaves, &name);
                let sample = asked.at(at).expect("a place").expect("in the world");
                assert_eq!((depth_m, stage_m), (Some(sample.depth_m), sample.stage_m), "{name}");
                let corners = building(seed, at);
                let (area, leaves) = kept.keep_area(&corners).expect("in the world");
                noted.read.lock().expect("no panic").clear();
                let most_m = kept.depth_max_m(&area);
                noted.check(&leaves, &name);
                let over = asked.over(&corners).expect("a polygon");
                assert_eq!(most_m.to_bits(), over.depth_max_m.to_bits(), "{name}: {corners:?}");
                (wet, dry) = if most_m > 0.0 { (wet + 1, dry) } else { (wet, dry + 1) };
            }
        }
    }
    assert!(wet > 300 && dry > 20, "{wet} wet, {dry} dry");
}

/// Goal: places and polygons without ground are none; numbers of leaves are found again.
#[test]
fn no_ground_is_none() {
    let bed = |[x, _]: [f64; 2]| (x > 600.0).then_some(0.0);
    let made = Made::new(all_levels()[3].clone(), bed, |_| 1.0e6);
    let query = made.query();
    for at in [[-1.0, 5.0], [1030.0, 5.0], [300.0, 300.0], [1.0e300, -1.0e300]] {
        assert!(query.keep_point(at).is_none(), "{at:?}");
    }
    let square = |x: f64| [[x, 9.0], [x + 5.0, 9.0], [x + 5.0, 14.0], [x, 14.0]];
    for x in [-50.0, 300.0, 1030.0] {
        assert!(query.keep_area(&square(x)).is_none(), "{x}");
    }
    let (mut area, mut leaves) = query.keep_area(&square(1021.0)).expect("half of it is ground");
    assert!(query.depth_max_m(&area) > 0.9);
    assert!(area.find_again(&made.forest) && leaves[0].find_again(&made.forest));
    let other = Made::new(all_levels()[2].clone(), bed, |_| 0.0);
    assert!(!area.find_again(&other.forest) && !leaves[0].find_again(&other.forest));
}
