//! Constants of the kernels of a cycle, and the tables that they point into.

use crate::acts::{ActKind, RankAct};
use crate::edges::{BoundaryFaces, CELL_WORDS as EDGE_CELL_WORDS};
use crate::interfaces::Interfaces;
use crate::kernels::levels::{LevelCounts, TABLES};
use crate::kernels::{KernelNeeds, StepConstants, direction};
use crate::levels::{AwakeRank, word, words};
use crate::planes::{LAYERS, OptionalPlanes};
use crate::tracers::ContentBooks;
use std::ops::Range;
use thalweg::units::SimTime;
use thalweg_engine::flow::solver::Solver;
use thalweg_engine::flow::transfer::Dither;
use thalweg_engine::sim::forcing::InflowCell;
use thalweg_engine::sim::params::Params;
use thalweg_engine::sim::phases::Phases;
use thalweg_engine::sim::quiet::Quiet;
use thalweg_engine::sim::state::SimulationState;
use thalweg_engine::structure::weather::Direction;

/// Bookings of a leaf: of its layers, and of water that soaks in after Green and Ampt.
pub const BOOKED: usize = LAYERS + 1;

/// Largest number of roughness classes.
const CLASSES: usize = 256;

/// Constants of all acts of a cycle, and the tables that they point into.
#[derive(Debug)]
pub struct Commands {
    /// Constants, in the order of acts.
    pub constants: Vec<StepConstants>,
    /// The tables.
    pub tables: Vec<u32>,
    /// Number of the constants of each act.
    pub numbers: Vec<u32>,
    /// Counts of interfaces by level.
    pub counts: Vec<LevelCounts>,
    /// Counts of leaves asleep or apart beside leaves of each level, if columns are sub-grid.
    pub beside: Vec<u32>,
    /// True if some leaf that is awake, or beside one, has sub-grid columns.
    pub has_columns: bool,
}

impl Commands {
    /// Returns the kinds of kernels that they need.
    pub fn needs(&self) -> KernelNeeds {
        let any = |has: fn(&StepConstants) -> bool| self.constants.iter().any(has);
        KernelNeeds {
            edges: any(|step| step.edge_cells != 0),
            rivers: any(|step| step.rivers_at != 0),
            force: any(|step| step.is_forced != 0),
            look: any(|step| step.map_planes != [0; 2]),
            quiet: any(|step| step.quiet_at != 0),
            // If all awake leaves are of one level, leaves of another may be asleep.
            levels: self.counts.len() > 1
                || self.counts.iter().any(|counts| counts.entries != [0; TABLES]),
            kinds: [any(|step| step.columns_at == 0), any(|step| step.columns_at != 0)],
            columns: self.has_columns,
            tracers: any(|step| step.tracers_at != 0),
        }
    }
}

/// Inputs of the constants of steps.
pub struct StepPlan<'a> {
    /// State at the start.
    pub state: &'a SimulationState,
    /// Values that are constant over the cycle.
    pub params: &'a Params,
    /// The phases of the cycle.
    pub phases: &'a Phases,
    /// Interfaces between levels.
    pub interfaces: Interfaces<'a>,
    /// Faces of the boundary.
    pub edges: &'a BoundaryFaces,
    /// Planes beside depths and flows.
    pub shape: OptionalPlanes,
    /// Counts of leaves asleep or apart beside leaves of each level, if columns are sub-grid.
    pub beside: &'a [usize],
}

impl StepPlan<'_> {
    /// Returns the constants of these acts, and the tables that they point into; `books` are of
    /// tracers.
    pub fn commands(&self, acts: &[RankAct], books: &ContentBooks) -> Commands {
        let levels = self.interfaces.levels;
        let mut tables = vec![0; CLASSES];
        for (word, n2) in tables.iter_mut().zip(&self.params.n2) {
            *word = n2.to_bits();
        }
        let shares_at = tables.len();
        tables.extend(self.shares().map(|share| u32::from(share.cell)));
        let edge_cells_at = tables.len();
        tables.extend(self.edges.cells.iter().flatten());
        let quiet_at = self.put_quiet(&mut tables);
        let columns_at = self.put_columns(&mut tables);
        let order = self.params.settings.order;
        let books_at = 2 * (levels.awake.len() * BOOKED + self.shares().count());
        let tracers_at = books.put(self.state, order, books_at, &mut tables);
        let (mut levels_at, mut counts) = (Vec::new(), Vec::new());
        for level in &levels.all {
            let (at, count) = self.interfaces.put(level, &mut tables);
            levels_at.push(at);
            counts.push(count);
        }
        let places = [shares_at, edge_cells_at, quiet_at];
        let (mut constants, mut numbers) = (Vec::new(), Vec::new());
        for act in acts {
            let step = StepConstants {
                levels_at: levels_at[act.level],
                columns_at: word(columns_at[act.level]),
                tracers_at: word(tracers_at),
                ..self.of_act(act, places, &mut tables)
            };
            numbers.push(u32::try_from(constants.len()).expect("some hundreds"));
            constants.push(step);
            let behind = [levels.all[act.level].halo.clone(), self.beside_of(act.level)];
            for records in behind.iter().filter(|own| act.what == ActKind::Step && !own.is_empty())
            {
                let [first, count] =
                    [records.start, records.end].map(|at| word(levels.awake.len() + at));
                constants.push(StepConstants { first, count, ..step });
            }
        }
        let beside = self.beside.iter().copied().map(word).collect();
        let has_columns = levels.has_columns;
        Commands { constants, tables, numbers, counts, beside, has_columns }
    }

    /// Returns the records of leaves asleep or apart beside leaves of a level, counted after all
    /// leaves: the records of all levels follow the halo tiles.
    fn beside_of(&self, level: usize) -> Range<usize> {
        let before: usize = self.beside[..level].iter().sum();
        let first = self.interfaces.levels.tiles.len() + before;
        first..first + self.beside[level]
    }

    /// Returns the shares of inflows of all awake leaves.
    fn shares(&self) -> impl Iterator<Item = &InflowCell> {
        let awake = &self.interfaces.levels.awake;
        awake.iter().flat_map(|&leaf| &self.state.leaves.scratch[leaf].shares)
    }

    fn of_act(
        &self,
        act: &RankAct,
        [shares_at, edge_cells_at, quiet_at]: [usize; 3],
        tables: &mut Vec<u32>,
    ) -> StepConstants {
        let Self { state, params, phases, interfaces, edges, shape, .. } = self;
        let SimulationState { leaves, forcing, .. } = state;
        let (awake, own) = (&interfaces.levels.awake, &interfaces.levels.all[act.level]);
        let (range, level) = (&act.steps, own.level);
        let (from, to) = (phases.at(range.start), phases.at(range.end));
        let step = params.of_step(level, from, to);
        let dither = Dither::new(params.settings.seed, level, 0, 0, from.ticks());
        let [key_x, key_y, key_ground] = dither.keys().map(words);
        let of_level = &edges.of_levels[act.level];
        let forced = match act.is_forced(!of_level.is_empty()) {
            true => self.put_forcing(own, (from, to), key_ground, tables),
            false => Forced::NONE,
        };
        let (map_places, map_planes) = shape.map_places();
        let (face, scale) = (step.face, leaves.maps_of(awake[0]).map(|maps| maps.scale()));
        StepConstants {
            key_x,
            key_y,
            zero: 0,
            count: word(own.leaves.end),
            is_last: u32::from(range.end == phases.plan().steps),
            has_classes: u32::from(params.n2.len() > 1),
            unit_m: face.unit_m,
            gravity_ratio: face.gravity_ratio,
            per_gravity_ratio: face.per_gravity_ratio,
            gravity: face.gravity,
            slope_of_unit: face.slope_of_unit,
            gravity_most: face.gravity_most,
            friction: face.friction,
            speed_max: face.speed_max,
            damping: face.damping,
            damping_wave: face.damping_wave,
            damping_noise: face.damping_noise,
            units_per_flow: step.units_per_flow,
            layers: word(forcing.layers.len()),
            directions: forced.directions,
            rates_at: word(forced.rates_at),
            rates_stride: word(forced.stride),
            shares_at: word(shares_at),
            share_units_at: word(forced.share_units_at),
            threshold: scale.map_or(1, |scale| scale.threshold),
            time_word: seconds(to).to_bits(),
            map_planes,
            map_unit_m: scale.map_or(0.0, |scale| scale.unit_m),
            is_forced: u32::from(forced.is_any),
            edge_cells: word(of_level.len()),
            edge_cells_at: word(edge_cells_at + EDGE_CELL_WORDS * of_level.start),
            stages_at: word(forced.stages_at),
            counts_ends: u32::from(params.settings.solver == Solver::ShallowWater),
            map_places,
            cells_per_m_s: step.cells_per_m_s,
            wave_of_unit: face.wave_of_unit,
            wall_least: step.wall_least,
            quiet_at: word(quiet_at),
            soil_at: word(forced.soil_at),
            first: word(own.leaves.start),
            shares_base: word(awake.len() * BOOKED),
            turns: act.turns,
            elapsed: act.elapsed,
            rivers_at: word(forced.rivers_at),
            ..bytemuck::Zeroable::zeroed()
        }
    }

    /// Puts the words of sub-grid columns into the tables; returns the place for each level, 0 if
    /// its columns are flat.
    fn put_columns(&self, tables: &mut Vec<u32>) -> Vec<usize> {
        let openings_at = tables.len();
        tables.extend(self.edges.openings.iter().flatten());
        let mut put = |level: &AwakeRank| {
            let place = tables.len();
            let finer = u32::from(level.has_finer_columns());
            tables.extend([level.finest_log2(), word(openings_at), finer]);
            place
        };
        let all = self.interfaces.levels.all.iter();
        all.map(|level| if level.has_columns { put(level) } else { 0 }).collect()
    }

    /// Puts the bounds of quiet water into the tables; returns 0 without a tolerance of sleep.
    fn put_quiet(&self, tables: &mut Vec<u32>) -> usize {
        let level = self.interfaces.levels.all[0].level;
        let Some(quiet) = self.params.quiet(level) else { return 0 };
        let Quiet { film_m, shallow_m, trickle_m, fall_most, swift_most, .. } = quiet;
        let Quiet { wave_most, per_gravity, friction_most, .. } = quiet;
        let place = tables.len();
        tables.extend([film_m, shallow_m, trickle_m].map(f32::to_bits));
        tables.push(fall_most.cast_unsigned());
        tables.extend([swift_most, wave_most, per_gravity, friction_most].map(f32::to_bits));
        place
    }

    /// Puts the units that layers and inflows move in a step into the tables, and stages of edges
    /// at its end.
    fn put_forcing(
        &self,
        level: &AwakeRank,
        (from, to): (SimTime, SimTime),
        key_ground: [u32; 2],
        tables: &mut Vec<u32>,
    ) -> Forced {
        let Self { state, params, .. } = self;
        let forcing = &state.forcing;
        let depths = forcing.step_depths(from, to, 1.0 / params.unit_m);
        let layers = 0..forcing.layers.len();
        let rates_at = tables.len();
        let classes = |layer| depths.by_class(layer);
        let stride = layers.clone().map(|layer| classes(layer).len()).max().unwrap_or(0);
        let mut directions = 0;
        let has_columns = level.has_columns;
        for layer in layers.clone() {
            match has_columns {
                true => tables.extend(depths.totals(layer).iter().map(moved_units)),
                false => tables.extend(classes(layer).iter().map(|units| units.cast_unsigned())),
            }
            tables.resize(rates_at + (layer + 1) * stride, 0);
            directions |= direction_of(forcing.layers[layer].direction) << (2 * layer);
        }
        for layer in layers.clone().filter(|_| has_columns) {
            let of_cell = 1 << level.finest_log2();
            tables
                .extend(depths.totals(layer).iter().map(|&[before, _]| remainder(before, of_cell)));
            tables.resize(rates_at + (layers.len() + layer + 1) * stride, 0);
        }
        let share_units_at = tables.len();
        tables.extend(self.shares().map(|share| depths.of_share(share).cast_unsigned()));
        let stages_at = tables.len();
        tables.extend(params.laws.iter().map(|law| law.stage_at(to).cast_unsigned()));
        let brings = tables[share_units_at..stages_at].iter().any(|&units| units != 0);
        let rivers_at = if self.edges.has_rivers { tables.len() } else { 0 };
        if self.edges.has_rivers {
            let let_in = |law| params.let_in(law, from, to).to_bits();
            tables.extend(params.laws.iter().map(let_in));
        }
        let soil_at = depths.green_ampt().map_or(0, |_| tables.len());
        if let Some(soil) = depths.green_ampt() {
            tables.extend(key_ground);
            tables.extend(soil.map(f32::to_bits));
        }
        let soaks = soil_at != 0;
        let is_any = brings || soaks || layers.clone().any(|layer| !depths.is_dry(layer));
        Forced {
            rates_at,
            stride,
            directions,
            share_units_at,
            stages_at,
            rivers_at,
            soil_at,
            is_any,
        }
    }
}

/// Returns the units that a layer moves between two sums since the beginning.
fn moved_units([before, after]: &[u128; 2]) -> u32 {
    u32::try_from(after - before).expect("`moves_too_much` was asked")
}

/// Returns the remainder of a sum divided by a power of two.
#[expect(clippy::cast_possible_truncation, reason = "below the power")]
fn remainder(sum: u128, of: u32) -> u32 {
    (sum % u128::from(of)) as u32
}

/// Places of the forcing of a step in the tables.
struct Forced {
    rates_at: usize,
    /// Words from one layer to the next.
    stride: usize,
    directions: u32,
    share_units_at: usize,
    stages_at: usize,
    /// Place of the rivers that flow in over edges; 0 without rivers.
    rivers_at: usize,
    /// Place of the soil; 0 without Green and Ampt.
    soil_at: usize,
    /// True if layers, inflows or the soil move water.
    is_any: bool,
}

impl Forced {
    const NONE: Self = Self {
        rates_at: 0,
        stride: 0,
        directions: 0,
        share_units_at: 0,
        stages_at: 0,
        rivers_at: 0,
        soil_at: 0,
        is_any: false,
    };
}

fn direction_of(direction: Direction) -> u32 {
    match direction {
        Direction::Into => direction::INTO,
        Direction::Out => direction::OUT,
        Direction::Ground => direction::GROUND,
    }
}

/// Returns a time as maps store it, s.
#[expect(clippy::cast_possible_truncation, reason = "a map in f32")]
fn seconds(time: SimTime) -> f32 {
    time.seconds() as f32
}
