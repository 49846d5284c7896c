//! Random worlds with holes and ragged outlines, random requests, thousands of plans.

use super::*;
use crate::forest::PlannerSettings;
use crate::forest::change::{Change, Origin};
use crate::forest::check::violations;
use crate::forest::cover::minimum_cover;
use crate::forest::criteria::{
    Criterion, Feature, Measure, Observer, ObserverOptions, Request, Scale,
};
use crate::forest::first::first_leaves;
use crate::grid::LeafId;
use crate::units::hash::scramble;
use std::collections::HashMap;

/// Random numbers from a seed.
struct Draws(u64);

impl Draws {
    fn below(&mut self, most: u32) -> u32 {
        self.0 = scramble(self.0 + 1);
        u32::try_from((self.0 >> 20) % u64::from(most)).expect("below an u32")
    }
}

/// A number for each tile of the base level, and the largest of them for each coarser one.
#[derive(Debug, Clone)]
struct Largest {
    width: u32,
    levels: Vec<Vec<u32>>,
}

impl Largest {
    /// Creates the numbers of `width` × `width` tiles, a power of two.
    fn of(width: u32, number: impl FnMut(u32) -> u32) -> Self {
        let mut levels: Vec<Vec<u32>> = vec![(0..width * width).map(number).collect()];
        let mut side = width as usize;
        while side > 1 {
            let last = &levels[levels.len() - 1];
            let at = |x: usize, y: usize| last[y * side + x];
            let four = |x, y| at(x, y).max(at(x + 1, y)).max(at(x, y + 1)).max(at(x + 1, y + 1));
            let half = side / 2;
            levels.push((0..half * half).map(|i| four(i % half * 2, i / half * 2)).collect());
            side = half;
        }
        Self { width, levels }
    }

    fn at(&self, key: TileKey) -> Option<u32> {
        let side = self.width >> key.level;
        (key.x < side && key.y < side)
            .then(|| self.levels[usize::from(key.level)][(key.y * side + key.x) as usize])
    }
}

/// Requests `coarsest` less a number for each tile; keeps one level more in half of them.
#[derive(Debug, Clone)]
struct Spots {
    detail: Largest,
    kept: Largest,
    priority: f32,
}

impl Criterion for Spots {
    fn request(&self, leaf: &LeafFacts, world: &Scale) -> Request {
        let level = |of: &Largest| {
            let detail = u8::try_from(of.at(leaf.key).unwrap_or(0)).expect("few levels");
            world.coarsest().saturating_sub(detail)
        };
        Request { needs: level(&self.detail), keeps: level(&self.kept), priority: self.priority }
    }
}

/// A world, its ground and its water.
struct TrialValley {
    scale: Scale,
    /// 0: no ground; else one more than the levels by which the coarsest is too coarse.
    ragged: Largest,
    speed: Largest,
}

impl TrialValley {
    /// 2^`levels` tiles a side, as many levels and one more; some without ground, some ragged.
    fn draw(draws: &mut Draws, levels: u8) -> Self {
        let width = 1 << levels;
        let size = CellPlace { x: width * 64, y: width * 64 };
        let scale = Scale::try_new(0, levels, 1.0, size).expect("good");
        let (holes, rims) = (draws.below(3), draws.below(3));
        let mut ground = |_| {
            let is_ragged = rims > 0 && draws.below(40 / rims) == 0;
            let is_hole = holes > 0 && draws.below(10 / holes) == 0;
            let depth = if is_ragged { 2 + draws.below(u32::from(levels)) } else { 1 };
            if is_hole { 0 } else { depth }
        };
        let ragged = Largest::of(width, |tile| if tile == 0 { 1 } else { ground(tile) });
        let speed = Largest::of(width, |tile| {
            let has_ground = ragged.levels[0][tile as usize] > 0;
            if has_ground { draws.below(40) } else { 0 }
        });
        Self { scale, ragged, speed }
    }

    fn cover(&self, key: TileKey) -> Coverage {
        match self.ragged.at(key).unwrap_or(0) {
            0 => Coverage::Outside,
            ragged if u32::from(key.level) + ragged > u32::from(self.scale.coarsest()) + 1 => {
                Coverage::Ragged
            }
            _ => Coverage::Whole,
        }
    }

    fn facts(&self, key: TileKey) -> LeafFacts {
        let fast = u16::try_from(self.speed.at(key).unwrap_or(0)).expect("below 40");
        LeafFacts { is_wet: true, speed_m_s: f32::from(fast), ..LeafFacts::dry(key) }
    }

    fn criteria(&self, draws: &mut Draws) -> Vec<Box<dyn Criterion>> {
        let mut criteria: Vec<Box<dyn Criterion>> = Vec::new();
        let (width, most) = (self.ragged.width, u32::from(self.scale.coarsest()) + 1);
        for _ in 0..draws.below(4) {
            let rare = 1 + draws.below(30);
            let mut detail = |_| if draws.below(rare) == 0 { draws.below(most) } else { 0 };
            let detail = Largest::of(width, &mut detail);
            let more = |tile: u32| detail.levels[0][tile as usize] + draws.below(2);
            let kept = Largest::of(width, more);
            let priority = draws.below(4) as f32;
            criteria.push(Box::new(Spots { detail, kept, priority }));
        }
        for _ in 0..draws.below(3) {
            let place = |draws: &mut Draws| f64::from(draws.below(width * 64));
            criteria.push(Box::new(self.observer([place(draws), place(draws)], draws.below(4))));
        }
        let fast = Measure::Speed(draws.below(40) as f32 + 0.5);
        let fast = Feature::try_new(fast, 0, draws.below(4) as f32, &self.scale).expect("good");
        criteria.push(Box::new(fast));
        criteria
    }

    fn observer(&self, position_m: [f64; 2], priority: u32) -> Observer {
        let options = ObserverOptions {
            position_m,
            velocity_m_s: [1.0, -2.0],
            look_ahead_s: 30.0,
            radii_m: vec![(0, 100.0), (1, 300.0), (self.scale.coarsest() - 1, 700.0)],
            priority: priority as f32,
        };
        Observer::try_new(&options, &self.scale).expect("good")
    }
}

/// A forest that follows its plans, and checks each.
struct Life<'a> {
    valley: &'a TrialValley,
    planner: Planner,
    forest: Forest,
    ages: HashMap<TileKey, u32>,
    name: String,
}

impl<'a> Life<'a> {
    fn new(valley: &'a TrialValley, settings: PlannerSettings, name: String) -> Self {
        let cover = |key| valley.cover(key);
        let planner = Planner::try_new(valley.scale, settings, &cover).expect("enough cells");
        let forest = first_leaves(&planner, &cover, &|key| valley.facts(key));
        let life = Self { valley, planner, forest, ages: HashMap::new(), name };
        life.check();
        assert!(life.cells() <= life.planner.budget_cells(), "{}", life.name);
        life
    }

    fn cells(&self) -> u64 {
        self.forest.leaves().len() as u64 * TILE_CELLS as u64
    }

    fn check(&self) {
        let cover = |key| self.valley.cover(key);
        let found = violations(&self.forest, &self.valley.scale, &cover);
        assert!(found.is_empty(), "{}: {found:?}", self.name);
    }

    /// A change in parts of five leaves: each is balanced, has no more leaves than there are before
    /// or after, and the last one ends where the change does.
    fn check_parts(&self, change: &Change) {
        let wanted: Vec<TileKey> = change.leaves.iter().map(|(key, _)| *key).collect();
        let most = wanted.len().max(self.forest.leaves().len());
        let cover = |key| self.valley.cover(key);
        let (mut forest, mut rest, mut parts) = (self.forest.clone(), change.clone(), 0);
        while let Some(leaves) = rest.first_part(&forest, 5) {
            let part = Change::between(&forest, &leaves).expect("a level at most");
            assert!((1..=5).contains(&part.new_leaves().len()), "{}: {part:?}", self.name);
            assert!(leaves.is_sorted() && leaves.len() <= most, "{}: {leaves:?}", self.name);
            forest = Forest::of_leaves(0, leaves);
            let found = violations(&forest, &self.valley.scale, &cover);
            assert!(found.is_empty(), "{}, part {parts}: {found:?}", self.name);
            rest = Change::between(&forest, &wanted).expect("a level at most");
            parts += 1;
        }
        assert!(
            rest.new_leaves().len() <= 5 && parts <= change.new_leaves().len(),
            "{}",
            self.name
        );
    }

    /// Makes one plan, checks it and applies it. True if it changed nothing.
    fn step(&mut self) -> bool {
        let facts: Vec<LeafFacts> = self
            .forest
            .leaves()
            .iter()
            .map(|&key| LeafFacts {
                age_cycles: self.ages.get(&key).copied().unwrap_or(0),
                ..self.valley.facts(key)
            })
            .collect();
        let change = self.planner.plan(&self.forest, &facts, &|key| self.valley.cover(key));
        let old = self.forest.leaves().to_vec();
        for &(key, origin) in &change.leaves {
            let fits = match origin {
                Origin::Kept(leaf) => old[leaf] == key,
                Origin::Child { of, quadrant } => old[of].child(quadrant) == key,
                Origin::Merged(of) => (0..4).all(|quadrant| {
                    let child = old.binary_search(&key.child(quadrant)).ok();
                    child.map(LeafId::new) == of[quadrant].known()
                }),
            };
            if let Origin::Merged(of) = origin {
                let mut merged = of.iter().filter_map(|leaf| leaf.known());
                let age = |leaf: LeafId| facts[leaf].age_cycles;
                let are_old = merged.all(|leaf| age(leaf) >= self.planner.min_age_cycles());
                let is_scarce = self.planner.budget_cells() < 1 << 30;
                assert!(are_old || is_scarce, "{}: {key:?} merged early", self.name);
            }
            assert!(fits, "{}: {key:?} from {origin:?}", self.name);
        }
        self.check_parts(&change);
        let cells = self.cells();
        let leaves: Vec<TileKey> = change.leaves.iter().map(|leaf| leaf.0).collect();
        assert!(leaves.is_sorted(), "{}", self.name);
        self.forest = Forest::of_leaves(0, leaves);
        let age = |key: &TileKey| (*key, self.ages.get(key).map_or(0, |age| age + 1));
        self.ages = self.forest.leaves().iter().map(age).collect();
        self.check();
        let budget = self.planner.budget_cells();
        assert!(self.cells() <= budget.max(cells), "{}: {} cells", self.name, self.cells());
        change.is_empty()
    }

    /// Plans until nothing changes; returns the number of plans that changed something.
    fn settle(&mut self, most: u32) -> u32 {
        let calls = (0..=most).find(|_| self.step());
        calls.unwrap_or_else(|| panic!("{}: no rest after {most} plans", self.name))
    }
}

fn settings(budget_cells: u64, criteria: Vec<Box<dyn Criterion>>) -> PlannerSettings {
    PlannerSettings { budget_cells, min_age_cycles: 0, criteria }
}

/// Returns a random budget, from the least to more than enough.
fn budget(valley: &TrialValley, draws: &mut Draws) -> u64 {
    let least = minimum_cover(&valley.scale, &|key| valley.cover(key)).len() as u64;
    let spare = if draws.below(2) == 0 { u64::from(draws.below(60)) } else { 1 << 20 };
    (least + spare) * TILE_CELLS as u64
}

#[test]
fn random_requests_lead_to_rest_within_the_budget() {
    for seed in 0..400 {
        let draws = &mut Draws(seed);
        let levels = 2 + u8::try_from(draws.below(3)).expect("few");
        let valley = TrialValley::draw(draws, levels);
        let settings = settings(budget(&valley, draws), valley.criteria(draws));
        let mut life = Life::new(&valley, settings, format!("seed {seed}"));
        life.settle(1);
        for _ in 0..3 {
            *life.planner.criteria_mut() = valley.criteria(draws);
            // One more than the levels where what gives way shows itself late.
            life.settle(u32::from(levels) + 1);
        }
    }
}

#[test]
fn plans_follow_budgets_that_change_among_young_leaves() {
    for seed in 0..100 {
        let draws = &mut Draws(1000 + seed);
        let valley = TrialValley::draw(draws, 3);
        let settings =
            PlannerSettings { min_age_cycles: 3, ..settings(1 << 40, valley.criteria(draws)) };
        let mut life = Life::new(&valley, settings, format!("seed {seed}"));
        for _ in 0..6 {
            let cells = budget(&valley, draws);
            life.planner.set_budget(cells).expect("not below the minimum");
            *life.planner.criteria_mut() = valley.criteria(draws);
            (0..4).for_each(|_| _ = life.step());
            assert!(life.cells() <= cells, "{}: {} of {cells}", life.name, life.cells());
        }
        life.settle(10);
    }
}

/// A valley of 16 × 16 tiles without holes.
fn plain() -> TrialValley {
    let size = CellPlace { x: 1024, y: 1024 };
    let scale = Scale::try_new(0, 4, 1.0, size).expect("good");
    TrialValley { scale, ragged: Largest::of(16, |_| 1), speed: Largest::of(16, |_| 0) }
}

#[test]
fn an_observer_that_swings_by_a_few_cells_changes_nothing() {
    let valley = plain();
    for seed in 0..60 {
        let draws = &mut Draws(seed);
        let [x, y] = [0, 0].map(|_| f64::from(draws.below(1024)));
        let at = |x, y, priority| Box::new(valley.observer([x, y], priority));
        let still = at(f64::from(draws.below(1024)), 500.0, 0);
        let cells = (20 + u64::from(draws.below(100))) * TILE_CELLS as u64;
        let settings = settings(cells, vec![at(x, y, 0), still]);
        let mut life = Life::new(&valley, settings, format!("seed {seed}"));
        let mut swing = |plan: i32, most: u32| {
            let away = f64::from(4 * (plan % 3 - 1));
            life.planner.criteria_mut()[0] = at(x + away, y - away, 0);
            life.settle(most);
        };
        (0..3).for_each(|plan| swing(plan, 5));
        (3..15).for_each(|plan| swing(plan, 0));
    }
}

#[test]
fn a_small_budget_goes_to_what_is_nearest_and_most_urgent() {
    let valley = plain();
    let (here, there) = (TileKey { level: 0, x: 3, y: 3 }, TileKey { level: 0, x: 12, y: 12 });
    let mut before = [0; 2];
    for leaves in [1, 4, 10, 40, 70, 130, 256] {
        for (slot, priorities) in [(0, [2, 0]), (1, [0, 2])] {
            let place = |key: TileKey| [64.0 * f64::from(key.x) + 32.0; 2];
            let observers: Vec<Box<dyn Criterion>> = vec![
                Box::new(valley.observer(place(here), priorities[0])),
                Box::new(valley.observer(place(there), priorities[1])),
            ];
            let settings = settings(leaves * TILE_CELLS as u64, observers);
            let life = Life::new(&valley, settings, format!("{leaves} leaves"));
            let level = |key| life.forest.leaves()[life.forest.covering(key).expect("land")].level;
            let (urgent, other) = if slot == 0 { (here, there) } else { (there, here) };
            assert!(level(urgent) <= level(other), "{}", life.name);
            assert_eq!(level(urgent) == 0, leaves >= 40, "{}", life.name);
            let fine = life.forest.leaves().iter().filter(|key| key.level == 0).count();
            assert!(fine >= before[slot], "{}: {fine} finest after {before:?}", life.name);
            before[slot] = fine;
        }
    }
}

#[test]
fn a_budget_below_the_minimum_is_refused_with_the_minimum() {
    let mut valley = plain();
    // One quarter of one quarter of the world is ragged above level 1.
    valley.ragged = Largest::of(16, |tile| if tile == 0 { 4 } else { 1 });
    let cover = |key| valley.cover(key);
    let settings = |cells| settings(cells, Vec::new());
    let error = Planner::try_new(valley.scale, settings(9 * 4096), &cover).expect_err("too few");
    assert_eq!(
        error.to_string(),
        "a budget of 36864 cells is less than the 40960 of the coarsest leaves that cover this \
         world: allow at least those, or coarser leaves"
    );
    let mut planner = Planner::try_new(valley.scale, settings(10 * 4096), &cover).expect("enough");
    planner.set_budget(9 * 4096).expect_err("too few");
    assert_eq!(planner.budget_cells(), 10 * 4096);
    let forest = first_leaves(&planner, &cover, &LeafFacts::dry);
    assert_eq!(forest.leaves().len(), 10);
}

#[test]
fn leaves_coarser_than_the_coarsest_are_split() {
    let valley = plain();
    let size = CellPlace { x: 1024, y: 1024 };
    let scale = Scale::try_new(0, 2, 1.0, size).expect("good");
    let cover = |key| valley.cover(key);
    let planner = Planner::try_new(scale, settings(1 << 20, Vec::new()), &cover).expect("enough");
    let mut forest = Forest::of_leaves(0, vec![TileKey { level: 4, x: 0, y: 0 }]);
    for leaves in [4, 16, 16] {
        let facts: Vec<LeafFacts> = forest.leaves().iter().map(|&k| LeafFacts::dry(k)).collect();
        let change = planner.plan(&forest, &facts, &cover);
        assert_eq!(change.leaves.len(), leaves);
        forest = Forest::of_leaves(0, change.leaves.into_iter().map(|leaf| leaf.0).collect());
    }
}
