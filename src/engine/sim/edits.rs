//! Edits of a simulation between two cycles: structures and solids are added and removed, water is
//! poured and drawn, content, weather, wind, stages and roughness are changed.
//!
//! Velocities never grow by an edit: if a face becomes less open its velocity stays, if it becomes
//! more open its discharge stays. Leaves that an edit touches wake.
//!
//! Guarantees: all of it is booked, content too; a cell takes no more than its ceiling has room
//!             for, and gives no more than it contains; concentrations stay from 0 to 1.
//! Limits:     between cycles only.
//! Source:     own.

use crate::body::Solids;
use crate::flow::solver::Solver;
use crate::flow::tracer::{ONE, share};
use crate::grid::{LeafId, TileKey};
use crate::sim::barriers::{Barriers, StandingBarrier};
use crate::sim::boundary::{BoundaryFace, BoundaryLaw};
use crate::sim::cell_store::CellStore;
use crate::sim::forcing::{CellClasses, LaidInflow};
use crate::sim::ledger::{AccountIndex, AccountSide};
use crate::sim::links::PlacedLink;
use crate::sim::params::Params;
use crate::sim::state::SimulationState;
use crate::sim::touched::TouchedFaces;
use crate::units::{Depth, RateSeries, Volume};

/// Change of the water of cells, or of its content: one record from an act to the cells, to its way
/// back, and to the processor if a card is lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellChange {
    /// The quantity that moves, and its direction.
    pub movement: CellMovement,
    /// True if the change is subtracted from the side on which the opposite change was booked.
    pub is_undo: bool,
    /// Cells by tile, ascending; each tile is a leaf.
    pub tiles: Vec<TileCells>,
}

/// Movement of a change of cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CellMovement {
    /// Water with its content enters the cells, up to the ceiling.
    Pour,
    /// Water with its content leaves the cells, down to dry ground.
    Draw,
    /// The content of the tracer with this index changes, within the limits of the water.
    Content(usize),
}

/// Cells of a tile, with a column for each quantity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TileCells {
    /// The tile.
    pub key: TileKey,
    /// Index of each cell in the tile.
    pub cells: Vec<u16>,
    /// Water of each cell, vertical units.
    pub units: Vec<i32>,
    /// Content of each cell, by tracer, 2⁻²⁴ vertical units.
    pub contents: Vec<Vec<i64>>,
}

impl TileCells {
    /// Moves the water of cell `i` into a store or out of it, and sets it to the water that moved.
    fn exchange(&mut self, i: usize, movement: CellMovement, mut cell: CellStore<'_>) {
        let asked = self.units[i];
        if movement == CellMovement::Draw {
            self.units[i] = asked.clamp(0, cell.depth());
            return cell.take(self.units[i], |tracer, taken| self.contents[tracer][i] = taken);
        }
        let poured = asked.clamp(0, cell.room());
        for content in &mut self.contents {
            let fits = share(content[i].max(0), poured, asked.max(1));
            content[i] = fits.min(ONE * i64::from(poured));
        }
        cell.give(poured, |tracer| self.contents[tracer][i]);
        self.units[i] = poured;
    }
}

/// The parts of a simulation that edits change.
#[derive(Debug)]
pub struct SimulationEdit<'a> {
    /// Parts that change while the simulation runs.
    pub(super) state: &'a mut SimulationState,
    /// Settings and units; inflows are in their hash.
    pub(super) params: &'a mut Params,
}

impl SimulationEdit<'_> {
    /// Finds the account of that name, or opens it, for water and tracers.
    pub fn open_account(&mut self, name: &str) -> AccountIndex {
        self.state.tracers.open(name);
        self.state.ledger.open(name)
    }

    /// Replaces the inflows.
    ///
    /// # Panics
    ///
    /// If one has a cell outside the world.
    pub fn set_inflows(&mut self, inflows: Vec<LaidInflow>) {
        let SimulationState { forcing, leaves, .. } = &mut *self.state;
        forcing.inflows = inflows;
        leaves.locate_inflows(&mut forcing.inflows);
        leaves.bump_revision();
        self.params.hash_setup(forcing);
    }

    /// Replaces the rates of a layer, by class, and the classes of some leaves under it.
    pub fn set_layer(
        &mut self,
        layer: usize,
        rates: Vec<RateSeries>,
        classes: impl IntoIterator<Item = (LeafId, Option<CellClasses>)>,
    ) {
        let SimulationState { forcing, leaves, .. } = &mut *self.state;
        forcing.layers[layer].rates = rates;
        for (leaf, classes) in classes {
            if leaves.classes[leaf][layer] != classes {
                leaves.classes[leaf][layer] = classes;
                // The hash of a leaf includes its classes, which a file has in their own layer.
                leaves.forget_hash(leaf);
            }
        }
        leaves.bump_revision();
        self.params.hash_setup(forcing);
    }

    /// Sets the velocity of the wind, m/s, and wakes all water that feels it; returns the previous
    /// one.
    pub fn set_wind(&mut self, wind_m_s: [f64; 2]) -> [f64; 2] {
        let SimulationState { leaves, activity, .. } = &mut *self.state;
        let wind = &mut self.params.settings.terms.wind_m_s;
        let before = std::mem::replace(wind, wind_m_s);
        let is_felt = self.params.settings.solver == Solver::ShallowWater;
        if is_felt && before.map(f64::to_bits) != wind_m_s.map(f64::to_bits) {
            activity.disturb_where(leaves, |leaf| leaf.is_wet);
        }
        before
    }

    /// Sets the stage of a law of the boundary, and wakes the leaves along it.
    pub fn set_law(&mut self, index: u32, law: BoundaryLaw) {
        let SimulationState { leaves, activity, forcing, clock, .. } = &mut *self.state;
        let own = &mut self.params.laws[index as usize];
        let is_moved = own.stage_at(clock.time) != law.stage_at(clock.time);
        *own = law;
        self.params.hash_setup(forcing);
        leaves.bump_revision();
        if is_moved {
            let feels = |face: &BoundaryFace| face.law == index || face.sea.law == index;
            activity.disturb_where(leaves, |leaf| leaf.boundary.iter().any(feels));
        }
    }

    /// Sets Manning's n, s/m^(1/3), of a class of roughness; returns the previous value.
    #[expect(clippy::cast_possible_truncation, reason = "rounded to f32 on purpose")]
    pub fn set_roughness(&mut self, class: usize, n: f64) -> f64 {
        let SimulationState { leaves, solids, activity, .. } = &mut *self.state;
        let n2 = (n * n) as f32;
        self.params.n2[class] = n2;
        // The net of intervals has copies of n², so the next cycle builds it anew.
        leaves.shapes += 1;
        // Cells among solids have copies of n², too.
        for cell in &mut solids.region.cells {
            let classes = leaves.grounds[cell.leaf].roughness.as_ref();
            if classes.map_or(0, |classes| usize::from(classes[usize::from(cell.cell)])) == class {
                cell.n2 = n2;
            }
        }
        leaves.bump_revision();
        if self.params.settings.sleep_tolerance.is_some() {
            // Slowly running water sleeps under a tolerance, and may run faster now.
            activity.disturb_where(leaves, |leaf| leaf.is_wet);
        }
        std::mem::replace(&mut self.params.settings.manning_n[class], n)
    }

    /// Sets the concentration, 2⁻²⁴, of each tracer in the water that an account brings.
    pub fn bring(&mut self, account: AccountIndex, concentrations: &[i64]) {
        for (tracer, &concentration) in concentrations.iter().enumerate() {
            self.state.tracers.bring(tracer, account, concentration);
        }
    }

    /// Adds a link to the world, and opens the account `name` for it if it leads out of the world.
    ///
    /// # Panics
    ///
    /// If an end is outside the world, or the number of the link is in use.
    pub fn put_link(&mut self, mut link: PlacedLink, name: &str) {
        if link.to.is_none() {
            link.account = Some(self.open_account(name));
        }
        self.state.links.put(link, &self.state.leaves.forest);
        self.state.leaves.bump_revision();
    }

    /// Removes a link; returns false if no link has this number.
    pub fn remove_link(&mut self, number: u32) -> bool {
        self.state.leaves.bump_revision();
        self.state.links.remove(number)
    }

    /// Replaces the barriers, with their states. Leaves beside a barrier wake.
    pub fn set_barriers(&mut self, list: Vec<StandingBarrier>) {
        let SimulationState { barriers, solids, leaves, activity, .. } = &mut *self.state;
        solids.forget();
        let mut touched: Vec<LeafId> = barriers.beside().collect();
        *barriers = Barriers::new(list, leaves);
        touched.extend(barriers.beside());
        touched.sort_unstable();
        // The list of woken leaves is state: each leaf is in it once, in order.
        touched.dedup();
        leaves.mark(touched.iter().copied());
        activity.disturb(leaves, touched);
    }

    /// Replaces the solids. Leaves beside a solid that was added, removed or moved wake.
    pub(super) fn set_solids(&mut self, solids: Solids) {
        let SimulationState { solids: field, leaves, activity, .. } = &mut *self.state;
        if field.solids != solids {
            let mut moved = field.set(solids, &leaves.forest);
            leaves.mark(moved.iter().copied());
            if self.params.settings.sleep_tolerance.is_some() {
                // On dry land nothing moves except the solid.
                moved.retain(|&leaf| leaves.near(&[leaf]).iter().any(|&at| leaves.own[at].is_wet));
            }
            activity.disturb(leaves, moved);
        }
    }

    /// Builds the cells and passages among solids now; else the next cycle builds them.
    pub(super) fn lay_solids(&mut self) {
        let SimulationState { solids, leaves, barriers, .. } = &mut *self.state;
        solids.begin(leaves, barriers, self.params);
    }

    /// Changes the water of cells, or its content, and sets the amounts to the moved ones. An
    /// increase is booked as inflow, a decrease as outflow; an undo is subtracted from the side on
    /// which the change was booked. Content in poured water is subtracted from the outflow, content
    /// that leaves with water is added to it.
    ///
    /// # Panics
    ///
    /// If a tile of the change is not a leaf, or lacks a tracer of the world.
    pub fn change_cells(&mut self, account: AccountIndex, change: &mut CellChange) {
        let SimulationState { leaves, ledger, tracers, activity, .. } = &mut *self.state;
        let CellChange { movement, is_undo, tiles } = change;
        let found = tiles.iter().map(|tile| leaves.forest.find(tile.key).expect("a leaf"));
        let touched: Vec<LeafId> = found.collect();
        debug_assert!(touched.is_sorted_by(|before, next| before < next), "tiles ascend");
        let mut sides = [AccountSide::Out, AccountSide::Into];
        sides.rotate_left(usize::from(*is_undo));
        if let CellMovement::Content(tracer) = *movement {
            for (&leaf, tile) in touched.iter().zip(tiles) {
                let cells = leaves.cells_of(leaf);
                for (&at, change) in tile.cells.iter().zip(&mut tile.contents[tracer]) {
                    let mut cell = CellStore::open(&mut leaves.water[leaf], at.into());
                    *change = cell.change_content(tracer, *change);
                    let side = sides[usize::from(*change > 0)];
                    tracers.book(tracer, account, side, cells * Volume::from(*change));
                }
            }
            leaves.mark(touched);
            return;
        }
        let cells = touched.iter().zip(&*tiles).flat_map(|(&leaf, tile)| {
            tile.cells.iter().map(move |&cell| (leaf, usize::from(cell)))
        });
        let faces = TouchedFaces::of(&leaves.forest, cells);
        leaves.change_gently(&touched, &faces, self.params.unit_m, |leaves| {
            for (&leaf, tile) in touched.iter().zip(&mut *tiles) {
                for i in 0..tile.cells.len() {
                    let at = usize::from(tile.cells[i]);
                    let before = leaves.water[leaf].depth[at];
                    let full = leaves.grounds[leaf].room(at);
                    let cell = CellStore::open(&mut leaves.water[leaf], at).full_at(full);
                    tile.exchange(i, *movement, cell);
                    let change = leaves.water[leaf].depth[at] - before;
                    // An edit is not a wave that arrives at a boundary.
                    let faces = leaves.own[leaf].boundary.iter_mut();
                    for face in faces.filter(|face| usize::from(face.cell) == at) {
                        face.left = Depth(face.left).changed(change);
                    }
                }
                leaves.note_wet(leaf);
            }
        });
        let pours = *movement == CellMovement::Pour;
        let (side, sign) = (sides[usize::from(pours)], if pours { 1 } else { -1 });
        for (&leaf, tile) in touched.iter().zip(tiles) {
            let cells = sign * leaves.cells_of(leaf);
            let units: Volume = tile.units.iter().copied().map(Volume::from).sum();
            ledger.book_change(account, side, cells * units);
            for (tracer, contents) in tile.contents.iter().enumerate() {
                let content: Volume = contents.iter().copied().map(Volume::from).sum();
                tracers.book(tracer, account, AccountSide::Out, cells * content);
            }
        }
        activity.wake(leaves, &touched);
    }
}
