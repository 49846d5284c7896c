//! The simulation: all leaves, stepped in cycles.

use crate::flow::solver::{Order, Solver};
use crate::flow::versions::{Version, versions};
use crate::forest::edges::{LeafEdges, Leaves};
use crate::forest::{Forest, LeafIndex};
use crate::grid::{TILE_CELLS, TILE_WIDTH};
use crate::sim::barriers::Barriers;
use crate::sim::forcing::{Classes, Forcing};
use crate::sim::leaf::stored;
use crate::sim::ledger::Ledger;
use crate::sim::links::Link;
use crate::sim::rim::{CREDIT_DEPTHS, EdgeLaw, RimFace};
use crate::sim::schedule::FixedStep;
use crate::sim::settings::Settings;
use crate::sim::solids::SolidField;
use crate::sim::table::LeafTable;
use crate::sim::tracers::Tracers;
use crate::structure::barrier::Barrier;
use crate::tile::{Carry, Ground, Water};
use crate::units::{SimTime, Volume};
use rayon::prelude::*;

/// All parts a simulation is put together from.
#[derive(Debug)]
pub struct Parts {
    /// Leaves and neighbours.
    pub forest: Forest,
    /// Their grounds.
    pub grounds: Vec<Ground>,
    /// Classes of their cells by layer of forcing.
    pub classes: Vec<Classes>,
    /// Their water.
    pub water: Vec<Water>,
    /// Width of cells of the base level, m.
    pub cell_width_m: f64,
    /// Metres per vertical unit.
    pub unit_m: f64,
    /// Settings, checked.
    pub settings: Settings,
    /// Sources and sinks.
    pub forcing: Forcing,
    /// Laws of the rim.
    pub laws: Vec<EdgeLaw>,
    /// Rim faces of each leaf.
    pub rims: Vec<Vec<RimFace>>,
    /// The accounts of forcing and rim, opened.
    pub ledger: Ledger,
    /// What the water carries.
    pub tracers: Tracers,
    /// What stands in its way.
    pub barriers: Vec<Barrier>,
}

/// Water on one forest.
#[derive(Debug)]
pub struct Simulation {
    pub(super) leaves: LeafTable,
    pub(super) settings: Settings,
    pub(super) ledger: Ledger,
    pub(super) time: SimTime,
    /// Largest speed for the Courant number by level, m/s, at the end of the last cycle.
    pub(super) speeds: Vec<f64>,
    /// Length of the last automatic step, ticks.
    pub(super) previous_step: u64,
    pub(super) fixed_run: Option<(SimTime, u64, FixedStep)>,
    /// Leaves that are awake, by level.
    pub(super) awake: Vec<Vec<LeafIndex>>,
    /// Leaves that were touched since the last cycle.
    pub(super) roused: Vec<LeafIndex>,
    /// Those awake beside finer leaves, by level.
    pub(super) coarse_sides: Vec<Vec<LeafIndex>>,
    pub(super) n2: Vec<f32>,
    pub(super) cell_width_m: f64,
    pub(super) unit_m: f64,
    pub(super) forcing: Forcing,
    pub(super) laws: Vec<EdgeLaw>,
    pub(super) version: Version,
    pub(super) tracers: Tracers,
    pub(super) barriers: Barriers,
    /// What joins two places, by number.
    pub(super) links: Vec<Link>,
    /// Solids, and the water that they touch.
    pub(super) solids: SolidField,
    pub(super) setup_hash: u64,
    /// Number of the last change of any leaf.
    pub(super) revision: u64,
}

impl Simulation {
    /// Puts a simulation together.
    ///
    /// # Panics
    ///
    /// If the parts do not fit each other: lengths differ, or a law is named that is not there.
    #[must_use]
    pub fn new(parts: Parts) -> Self {
        let layers = parts.forcing.layers.len();
        assert!(parts.classes.iter().all(|own| own.len() == layers), "classes of every layer");
        let infiltrated = parts.forcing.has_ground().then(|| vec![0; TILE_CELLS].into());
        let leaves = LeafTable::new(
            parts.forest,
            (parts.grounds, parts.classes),
            parts.water,
            parts.rims,
            infiltrated.as_ref(),
            parts.tracers.len(),
        );
        #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
        let n2 = parts.settings.manning_n.iter().map(|n| (n * n) as f32).collect();
        let mut simulation = Self {
            leaves,
            tracers: parts.tracers,
            barriers: Barriers::new(parts.barriers),
            awake: Vec::new(),
            roused: Vec::new(),
            coarse_sides: Vec::new(),
            n2,
            settings: parts.settings,
            cell_width_m: parts.cell_width_m,
            unit_m: parts.unit_m,
            forcing: parts.forcing,
            laws: parts.laws,
            ledger: parts.ledger,
            time: SimTime::ZERO,
            speeds: Vec::new(),
            previous_step: 0,
            fixed_run: None,
            version: *versions().last().expect("the baseline is always there"),
            links: Vec::new(),
            solids: SolidField::default(),
            setup_hash: 0,
            revision: 0,
        };
        simulation.relocate_inflows();
        simulation.lay_barriers();
        simulation.setup_hash = simulation.hash_of_setup();
        let leaves = &mut simulation.leaves;
        for (own, water) in leaves.own.iter_mut().zip(&leaves.water) {
            for face in &mut own.rim {
                let depth = water.depth[usize::from(face.cell)];
                face.credit = CREDIT_DEPTHS * i64::from(depth);
                face.begin(water, depth);
            }
        }
        simulation.ledger.set_initial(simulation.stored());
        let contents: Vec<Volume> =
            (0..simulation.tracers.len()).map(|tracer| simulation.content_stored(tracer)).collect();
        simulation.tracers.begin(&contents);
        simulation.look_at_the_start();
        simulation.list_all_awake();
        simulation
    }

    /// Sets the unit discharges, m²/s, over the east (0) or north (1) faces of all leaves that have
    /// coarser ones there.
    ///
    /// # Errors
    ///
    /// The first that `flows` gives.
    pub fn set_flows_beyond<E>(
        &mut self,
        flows: impl Fn(&Leaves<'_>, usize, usize) -> Result<[f32; TILE_WIDTH], E>,
    ) -> Result<(), E> {
        let LeafTable { forest, grounds, water, edges, .. } = &mut self.leaves;
        let leaves = Leaves { forest, grounds, water, edges: &[] };
        for (leaf, edges) in edges.iter_mut().enumerate() {
            let Some(edges) = edges else { continue };
            for (axis, row) in edges.beyond.iter_mut().enumerate() {
                if let Some(row) = row {
                    **row = flows(&leaves, leaf, axis)?;
                }
            }
        }
        Ok(())
    }

    /// Goes on with another solver: both read the same state. Optional terms rest while the pipe
    /// runs.
    pub fn set_solver(&mut self, solver: Solver, order: Order) {
        let before = std::mem::replace(&mut self.settings.solver, solver);
        self.settings.order = order;
        self.bump_revision();
        if (before, solver) == (Solver::Pipe, Solver::ShallowWater) {
            // The pipe's steps did not reckon with viscosity.
            self.add_viscous_speeds();
        }
    }

    /// Uses another version of the kernel; all give the same bits.
    pub fn set_version(&mut self, version: Version) {
        self.version = version;
    }

    /// Volume on the ground now, vertical units × finest cells.
    #[must_use]
    pub fn stored(&self) -> Volume {
        let of_leaf = |(index, water): (usize, &Water)| {
            let level = self.leaves.forest.leaves()[index].level;
            // What is under way counts in cells of the next finer level.
            let under_way = self.leaves.edges[index].as_ref().map_or(0, |edges| edges.gained());
            let under_way = Volume::from(under_way) << (2 * level.saturating_sub(1));
            Volume::from(stored(water)) * self.cells_of(index)
                + under_way
                + Volume::from(self.leaves.own[index].carry.water)
        };
        self.leaves.water.par_iter().enumerate().map(of_leaf).sum()
    }

    /// Finest cells in a cell of a leaf.
    pub(super) fn cells_of(&self, leaf: usize) -> Volume {
        Volume::from(1_i64 << (2 * self.leaves.forest.leaves()[leaf].level))
    }

    /// Where every unit came from and went.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// Width of cells of the base level, m.
    #[must_use]
    pub fn cell_width_m(&self) -> f64 {
        self.cell_width_m
    }

    /// The settings.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The moment the state belongs to.
    #[must_use]
    pub fn time(&self) -> SimTime {
        self.time
    }

    /// The leaves.
    #[must_use]
    pub fn forest(&self) -> &Forest {
        &self.leaves.forest
    }

    /// Ground of a leaf.
    #[must_use]
    pub fn ground(&self, leaf: usize) -> &Ground {
        &self.leaves.grounds[leaf]
    }

    /// Grounds of all leaves.
    #[must_use]
    pub fn grounds(&self) -> &[Ground] {
        &self.leaves.grounds
    }

    /// Water of a leaf.
    #[must_use]
    pub fn water(&self, leaf: usize) -> &Water {
        &self.leaves.water[leaf]
    }

    /// Faces of a leaf to other levels, where it has any.
    #[must_use]
    pub fn edges(&self, leaf: usize) -> Option<&LeafEdges> {
        self.leaves.edges[leaf].as_deref()
    }

    /// What belongs to a leaf and is in none of its cells.
    #[must_use]
    pub fn carry(&self, leaf: usize) -> &Carry {
        &self.leaves.own[leaf].carry
    }

    /// The leaves that the last cycle stepped.
    pub fn awake(&self) -> impl Iterator<Item = LeafIndex> {
        self.awake.iter().flatten().copied()
    }

    /// Which leaves sleep.
    #[must_use]
    pub fn asleep(&self) -> &[bool] {
        &self.leaves.asleep
    }
}
