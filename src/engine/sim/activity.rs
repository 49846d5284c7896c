//! Activity: the leaves that are stepped, and the speeds of their water that plans use.

use crate::grid::{LeafId, TILE_CELLS, TILE_WIDTH};
use crate::sim::params::Params;
use crate::sim::schedule::longest_step;
use crate::sim::table::{LeafOwn, LeafTable};
use crate::tile::Water;
use std::collections::BTreeMap;

/// Largest speed that the first plan takes into account, m/s.
const SPEED_MOST: f64 = 1000.0;

/// Leaves that are stepped, and their speeds, which plans use.
#[derive(Debug, Clone, Default)]
pub struct Activity {
    /// Leaves that are awake, by level.
    pub awake: Vec<Vec<LeafId>>,
    /// Leaves awake beside finer leaves, by level.
    pub coarse_sides: Vec<Vec<LeafId>>,
    /// Leaves of each level that step together, by level and by how often the shortest step of the
    /// level is doubled; empty if all leaves of a level step together.
    pub(super) by_steps: BTreeMap<(u8, u8), Stepped>,
    /// Leaves that were touched since the last cycle.
    pub woken: Vec<LeafId>,
    /// Largest speed that corresponds to a Courant number of 1 ([`Params::pace`]) by level, m/s, at
    /// the end of the last cycle.
    pub speeds: Vec<f64>,
}

/// Leaves of one level that step together.
#[derive(Debug, Clone, Default)]
pub(super) struct Stepped {
    /// The leaves, in their order.
    pub leaves: Vec<LeafId>,
    /// Leaves of these beside finer ones, or beside leaves of the same level with shorter steps.
    pub coarse_sides: Vec<LeafId>,
    /// Neighbours of these, of the same level, with shorter steps.
    pub beside: Vec<LeafId>,
}

/// Leaves that were listed as awake, and those beside finer ones, by level.
#[derive(Debug)]
pub struct ListedLeaves(Vec<Vec<LeafId>>, Vec<Vec<LeafId>>);

impl Activity {
    /// Returns all leaves that do not sleep, with the speeds of the initial state for the first
    /// plan; notes which leaves are wet.
    #[must_use]
    pub fn at_start(leaves: &mut LeafTable, params: &Params) -> Self {
        let levels = leaves.forest.leaves().iter().map(|key| key.level).max().unwrap_or(0);
        let mut speeds = vec![0.0_f64; usize::from(levels) + 1];
        let (unit_m, mut deepest) = (params.unit_m, vec![0; speeds.len()]);
        for ((leaf, water), key) in
            leaves.own.iter_mut().zip(&leaves.water).zip(leaves.forest.leaves())
        {
            let level = usize::from(key.level);
            leaf.is_wet = water.depth.iter().any(|&h| h != 0);
            deepest[level] = water.depth.iter().copied().fold(deepest[level], i32::max);
            speeds[level] = speeds[level].max(fastest(water, unit_m));
        }
        for (level, deepest) in (0_u8..).zip(deepest) {
            // No leaf is finer than the base level, from which `width_of` counts.
            if level < params.base {
                continue;
            }
            let depth_m = f64::from(deepest) * unit_m;
            // A discharge of 1 m²/s over a film of one unit would count as 1000 km/s at k = 20, and
            // the first steps would last microseconds.
            let speed = speeds[usize::from(level)].min(SPEED_MOST);
            // Some of that water may be beside an edge.
            let pace = params.pace(speed, depth_m).max(params.pace_at_end(speed, depth_m));
            speeds[usize::from(level)] = pace + params.viscous_speed(level);
        }
        let mut activity = Self { speeds, ..Self::default() };
        activity.list_all_awake(leaves);
        activity
    }

    /// Lists these leaves, in their order, as awake.
    pub fn list_awake(&mut self, leaves: &LeafTable, wakes: &[LeafId]) {
        let levels = self.speeds.len();
        (self.awake, self.coarse_sides) = (vec![Vec::new(); levels], vec![Vec::new(); levels]);
        for &leaf in wakes {
            let level = usize::from(leaves.forest.leaves()[leaf].level);
            self.awake[level].push(leaf);
            let interfaces = &leaves.interfaces[leaf];
            if interfaces.as_ref().is_some_and(|interfaces| interfaces.coarse_view.is_some()) {
                self.coarse_sides[level].push(leaf);
            }
        }
    }

    /// Returns all ranks with leaves that are awake: the finest level first, and of a level the
    /// shortest steps.
    pub fn ranks(&self) -> impl Iterator<Item = (u8, u8)> {
        let by_level = (0..).zip(&self.awake).filter(|_| self.by_steps.is_empty());
        let by_level = by_level.filter(|(_, leaves)| !leaves.is_empty());
        let by_steps = self.by_steps.iter().filter(|(_, own)| !own.leaves.is_empty());
        by_level.map(|(level, _)| (level, 0)).chain(by_steps.map(|(rank, _)| *rank))
    }

    /// Returns the leaves of a level that step together, by how often the shortest step is doubled.
    #[must_use]
    pub fn stepped(&self, (level, doublings): (u8, u8)) -> &[LeafId] {
        self.listed(level, doublings, |own| &own.leaves, &self.awake)
    }

    /// Returns the leaves of a rank beside finer leaves, or beside leaves of the same level with
    /// shorter steps.
    #[must_use]
    pub fn coarse_sides(&self, (level, doublings): (u8, u8)) -> &[LeafId] {
        self.listed(level, doublings, |own| &own.coarse_sides, &self.coarse_sides)
    }

    fn listed<'a>(
        &'a self,
        level: u8,
        doublings: u8,
        of: impl Fn(&'a Stepped) -> &'a Vec<LeafId>,
        all: &'a [Vec<LeafId>],
    ) -> &'a [LeafId] {
        match self.by_steps.get(&(level, doublings)) {
            Some(own) => of(own),
            None if self.by_steps.is_empty() => &all[usize::from(level)],
            None => &[],
        }
    }

    /// Lists only some of the leaves that are awake; returns all lists as they were.
    pub fn list_part(&mut self, leaves: &LeafTable, part: &[LeafId]) -> ListedLeaves {
        let before = (std::mem::take(&mut self.awake), std::mem::take(&mut self.coarse_sides));
        self.list_awake(leaves, part);
        ListedLeaves(before.0, before.1)
    }

    /// Lists the leaves again that were listed before.
    pub fn list_again(&mut self, ListedLeaves(awake, coarse_sides): ListedLeaves) {
        (self.awake, self.coarse_sides) = (awake, coarse_sides);
    }

    /// Lists all leaves that do not sleep.
    pub fn list_all_awake(&mut self, leaves: &LeafTable) {
        let awake = leaves.forest.ids().zip(&leaves.asleep).filter(|(_, asleep)| !**asleep);
        let awake: Vec<LeafId> = awake.map(|(leaf, _)| leaf).collect();
        self.list_awake(leaves, &awake);
    }

    /// Returns the finest and the coarsest level with a leaf that is awake.
    #[must_use]
    pub fn levels_awake(&self) -> Option<(u8, u8)> {
        let mut levels = (0..).zip(&self.awake).filter(|(_, leaves)| !leaves.is_empty());
        let finest = levels.next()?.0;
        Some((finest, levels.last().map_or(finest, |(level, _)| level)))
    }

    /// Wakes these leaves in the next cycle, and all around them.
    pub fn wake(&mut self, own: &mut LeafTable, leaves: &[LeafId]) {
        for &leaf in leaves {
            own.stir(leaf);
            if !self.woken.contains(&leaf) {
                self.woken.push(leaf);
            }
        }
    }

    /// Wakes these leaves in the next cycle, and all around them, each as often as it is named: the
    /// list is state, and how often it names a leaf is in its hash.
    pub fn disturb(&mut self, leaves: &mut LeafTable, touched: Vec<LeafId>) {
        touched.iter().for_each(|&leaf| leaves.stir(leaf));
        self.woken.extend(touched);
    }

    /// Wakes all leaves for which `is_so` is true in the next cycle, and all around them.
    pub fn disturb_where(&mut self, leaves: &mut LeafTable, is_so: impl Fn(&LeafOwn) -> bool) {
        let all = leaves.forest.ids().filter(|&leaf| is_so(&leaves.own[leaf]));
        let all: Vec<LeafId> = all.collect();
        leaves.mark(all.iter().copied());
        self.disturb(leaves, all);
    }

    /// Returns the width of the finest cells that are awake, m, and the speed that needs the same
    /// steps there as the water on all levels, m/s.
    #[must_use]
    pub fn pace(&self, params: &Params) -> (f64, f64) {
        let (finest, _) = self.levels_awake().unwrap_or((params.base, 0));
        let mut pace = 0.0_f64;
        for (level, &speed) in (0_u8..).zip(&self.speeds) {
            if level < finest {
                continue;
            }
            // Cells grow with the level, steps up to the K-th only.
            let spare =
                1_u32 << (level - finest - (level - finest).min(params.settings.substeps_log2));
            pace = pace.max(speed / f64::from(spare));
        }
        (params.width_of(finest), pace)
    }

    /// Returns the longest step for the solver's Courant number, ticks.
    #[must_use]
    pub fn longest_step(&self, params: &Params) -> u64 {
        let (width_m, speed) = self.pace(params);
        longest_step(width_m, params.courant_target() / speed)
    }

    /// Adds the speeds that viscosity needs to the speeds of all levels.
    pub fn add_viscous_speeds(&mut self, params: &Params) {
        for level in params.base.. {
            let viscous = params.viscous_speed(level);
            let Some(speed) = self.speeds.get_mut(usize::from(level)) else { break };
            *speed += viscous;
        }
    }

    /// Sets the speeds of all levels of the new leaves to the largest of the old speeds.
    pub fn take_levels(&mut self, leaves: &LeafTable) {
        let coarsest = leaves.forest.leaves().iter().map(|key| key.level).max().unwrap_or(0);
        let most = self.speeds.iter().copied().fold(0.0, f64::max);
        self.speeds.resize(usize::from(coarsest) + 1, 0.0);
        // After a change of levels a leaf may have water of a leaf of any other level.
        self.speeds.fill(most);
        self.list_all_awake(leaves);
    }
}

/// Returns the largest sum of the speeds over the west and the south face of a cell, m/s.
fn fastest(water: &Water, unit_m: f64) -> f64 {
    let mut speed = 0.0_f64;
    for cell in 0..TILE_CELLS {
        // The deeper of the two cells of a face; on the sides of the leaf only its own.
        let over = |q: f32, beside: usize| {
            let depth = water.depth[cell].max(water.depth[beside]);
            f64::from(q.abs()) / (f64::from(depth.max(1)) * unit_m)
        };
        let west = if cell % TILE_WIDTH > 0 { cell - 1 } else { cell };
        let south = cell.checked_sub(TILE_WIDTH).unwrap_or(cell);
        let seen = over(water.flow_x[cell], west) + over(water.flow_y[cell], south);
        speed = speed.max(seen);
    }
    speed
}
