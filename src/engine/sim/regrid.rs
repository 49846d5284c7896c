//! Regridding: the leaves change, the water stays.
//!
//! ```text
//! 1  what was under way at interfaces that change goes to the carry of its leaf
//! 2  depths and carry of every new leaf, from those of the leaf or leaves it was
//! 3  discharges from those before; velocities never grow
//! 4  what else a leaf keeps: boundary faces, shares of inflows, infiltrated depth, classes, maps
//! ```
//!
//! A [`Regrid`] contains the change with the grounds, classes and faces that new leaves get from
//! their [`LeafSource`], which may return different ones later.
//!
//! Guarantees: volume and content stay, to the unit; inside a lake no stage moves; the result for a
//!             leaf does not depend on the order of leaves or threads; a regrid makes equal states
//!             of equal ones, at any time.
//! Limits:     momentum is not conserved if levels change; an inflow into a coarse cell waits until
//!             it makes a whole unit there.

use crate::forest::Forest;
use crate::forest::change::{Change, Origin};
use crate::forest::interfaces::LeafInterfaces;
use crate::grid::cells::CellPlace;
use crate::grid::{LeafId, Side, TILE_CELLS, TileKey};
use crate::sim::boundary::BoundaryFace;
use crate::sim::forcing::{CellClasses, ForcingClasses};
use crate::sim::ledger::Ledger;
use crate::sim::maps::LeafMaps;
use crate::sim::regrid_flows::Retired;
use crate::sim::residency::Needed;
use crate::sim::state::SimulationState;
use crate::sim::table::{LeafOwn, LeafRow, LeafScratch, LeafTable};
use crate::tile::carry::finest_cells;
use crate::tile::coarsen::coarsen;
use crate::tile::columns::LeafColumns;
use crate::tile::columns::build::CellBlock;
use crate::tile::infiltrated::{coarsen_infiltrated, refine_infiltrated};
use crate::tile::refine::refine;
use crate::tile::{Ground, Holding, Resident};
use crate::units::Volume;
use rayon::prelude::*;

/// Source from which leaves of any level are made.
pub trait LeafSource: Sync {
    /// Returns the ground of a tile that may be a leaf.
    fn ground(&self, key: TileKey) -> Ground;

    /// Updates the ground of a leaf after beds changed below some cells of its level, in it or
    /// beside it.
    fn renew_ground(&self, key: TileKey, changed: CellBlock, ground: &mut Ground);

    /// Returns the classes of its cells under a layer of forcing; `None` if all are of class 0.
    fn layer_classes(&self, layer: usize, key: TileKey, ground: &Ground) -> Option<CellClasses>;

    /// Updates the values of a face to the outside of a cell of a level that depend on the ground,
    /// if its law needs the fall: that fall, and the sea beyond an open face.
    fn renew_face(&self, level: u8, place: CellPlace, face: &mut BoundaryFace);

    /// Returns the faces of a leaf to the outside, at rest.
    fn boundary_faces(
        &self,
        key: TileKey,
        ground: &Ground,
        ledger: &mut Ledger,
    ) -> Vec<BoundaryFace>;
}

/// A change of the leaves, with all data of the new ones from their source.
#[derive(Debug, Clone)]
pub struct Regrid {
    change: Change,
    /// The new leaves, in their order.
    new: Vec<NewLeaf>,
    /// Accounts that the new leaves' faces to the outside opened.
    accounts: Vec<String>,
}

/// Bytes of the beds and classes of a leaf.
// 4 bytes for the bed of a cell, 1 for its class.
const GROUND_BYTES: usize = 5 * TILE_CELLS;

/// A new leaf, with its data from its source.
#[derive(Debug, Clone)]
struct NewLeaf {
    ground: Ground,
    classes: ForcingClasses,
    boundary: Vec<BoundaryFace>,
}

impl Regrid {
    /// Returns a change of the leaves of a state, with the new leaves from `source`; their faces
    /// open accounts.
    #[must_use]
    pub fn of(change: &Change, source: &dyn LeafSource, state: &mut SimulationState) -> Self {
        let SimulationState { leaves, ledger, .. } = state;
        let layers = leaves.layers();
        let keys: Vec<TileKey> = change.made().map(|(key, _)| *key).collect();
        let new_leaf = |&key: &TileKey| {
            let ground = source.ground(key);
            let classes = (0..layers).map(|layer| source.layer_classes(layer, key, &ground));
            NewLeaf { classes: classes.collect(), ground, boundary: Vec::new() }
        };
        // Each is a task of its own.
        let mut new: Vec<_> = keys.par_iter().with_max_len(1).map(new_leaf).collect();
        let known = ledger.accounts().len();
        for (key, new) in keys.into_iter().zip(&mut new) {
            new.boundary = source.boundary_faces(key, &new.ground, ledger);
        }
        let opened = &ledger.accounts()[known..];
        let accounts = opened.iter().map(|account| account.name.clone()).collect();
        Self { change: change.clone(), new, accounts }
    }

    /// Returns its size in bytes, with tables of columns that may be shared.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let of_leaf = |new: &NewLeaf| {
            let of_columns = |columns: &LeafColumns| columns.bytes() + LeafColumns::BYTES_OF_PIECES;
            let faces = size_of_val(&new.boundary[..]);
            GROUND_BYTES + new.ground.columns.as_ref().map_or(0, of_columns) + faces
        };
        size_of_val(&self.change.leaves[..]) + self.new.iter().map(of_leaf).sum::<usize>()
    }

    /// Replaces leaves by the new ones.
    ///
    /// # Panics
    ///
    /// If the new leaves do not cover the same ground, or are not balanced.
    pub fn run(&self, state: &mut SimulationState) {
        let SimulationState {
            leaves,
            ledger,
            forcing,
            barriers,
            sections,
            links,
            solids,
            activity,
            ..
        } = state;
        for name in &self.accounts {
            // A state that runs this change again does not have the accounts yet.
            ledger.open(name);
        }
        solids.forget();
        leaves.regrid(self);
        leaves.locate_inflows(&mut forcing.inflows);
        barriers.lay(leaves);
        sections.lay(leaves);
        links.relocate(&leaves.forest);
        activity.take_levels(leaves);
    }
}

impl LeafTable {
    /// Returns the planes that a change of the leaves reads: all of leaves that are removed, the
    /// water beyond their sides, and that of leaves around them with faces to different levels.
    #[must_use]
    pub fn needed_by(&self, change: &Change) -> Needed {
        let (forest, goes) = (&self.forest, change.goes(self.count()));
        let rest: Vec<LeafId> = forest.ids().filter(|&leaf| goes[leaf]).collect();
        let is_needed = |leaf: LeafId| {
            let mut beyond = Side::ALL.into_iter().flat_map(|side| forest.faces(leaf, side));
            goes[leaf] || self.interfaces[leaf].is_some() || beyond.any(|faces| goes[faces.beyond])
        };
        let water = self.near(&rest).into_iter().filter(|&leaf| is_needed(leaf)).collect();
        Needed { water, rest }
    }

    /// Replaces some leaves by the new ones.
    fn regrid(&mut self, regrid: &Regrid) {
        let Regrid { change, new, .. } = regrid;
        if self.own.iter().any(|own| own.stack.is_some()) {
            self.shapes += 1;
        }
        let tracers = self.tracers();
        let keys: Vec<TileKey> = change.leaves.iter().map(|(key, _)| *key).collect();
        let new_forest = Forest::of_leaves(self.forest.base(), keys);
        // First, because the new leaves take over the carries of the old ones.
        self.settle_reshaped(change, &new_forest);
        let side_flows = self.side_flows(change, &new_forest);
        let mut made = self.make(change, new).into_iter();
        let beside = self.besides(change);
        let mut old: Vec<Option<LeafRow>> = self.change(new_forest).into_iter().map(Some).collect();
        for (new, (_, origin)) in LeafId::all(change.leaves.len()).zip(&change.leaves) {
            let beside = self.forest.beside(new);
            let mut row = if let Origin::Kept(leaf) = *origin {
                old[leaf].take().expect("each old leaf is kept once")
            } else {
                let mut row = made.next().expect("leaves that are not kept were made");
                let before = |leaf: LeafId| Some(&old[leaf.known()?].as_ref()?.own);
                row.own.inherit(origin, before);
                row
            };
            if !row.interfaces.as_ref().is_some_and(|interfaces| interfaces.fits(beside)) {
                let before = row.interfaces.take();
                row.interfaces = LeafInterfaces::of(beside, tracers);
                if let (Some(interfaces), Some(before)) = (&mut row.interfaces, before) {
                    interfaces.keep_flows(*before);
                }
            }
            self.put(row);
        }
        let retired = old.into_iter().zip(beside);
        let retired: Vec<Option<Retired>> =
            retired.map(|(row, beside)| Some(Retired { row: row?, beside: beside? })).collect();
        self.flow_again(change, &retired, &side_flows);
        self.mark_around(change);
    }

    /// Returns ground, water and carry of a leaf, for regridding.
    fn holding(&self, leaf: LeafId) -> Option<Holding<'_>> {
        let leaf = leaf.known()?;
        Some(Holding {
            ground: &self.grounds[leaf],
            water: &self.water[leaf],
            carry: &self.own[leaf].carry,
        })
    }

    /// Moves the water under way at interfaces that change to the carry of their leaf.
    fn settle_reshaped(&mut self, change: &Change, new_forest: &Forest) {
        let mut stays = vec![false; self.count()];
        for (new, (_, origin)) in new_forest.ids().zip(&change.leaves) {
            if let Origin::Kept(old) = *origin {
                let kinds = |forest: &Forest, leaf: LeafId| {
                    forest.beside(leaf).each_ref().map(std::mem::discriminant)
                };
                // Registers depend on the levels around a leaf, not on the ids of the leaves there.
                stays[old] = kinds(&self.forest, old) == kinds(new_forest, new);
            }
        }
        for (leaf, stays) in self.forest.ids().zip(stays) {
            let Some(interfaces) = self.interfaces[leaf].as_mut().filter(|_| !stays) else {
                continue;
            };
            let level = self.forest.leaves()[leaf].level;
            // Water under way counts in cells of the level below; a leaf of level 0 has none under
            // way.
            let fine_cell = finest_cells(level.saturating_sub(1));
            let carry = &mut self.own[leaf].carry;
            carry.water += interfaces.take_gained() * fine_cell;
            for (tracer, carried) in carry.contents.iter_mut().enumerate() {
                *carried += interfaces.take_content(tracer) * Volume::from(fine_cell);
            }
            // Water that stays as it is may be away.
            if carry.is_settled(level, &self.water[leaf]) {
                continue;
            }
            let before = self.water[leaf].depth.clone();
            carry.settle(level, &self.grounds[leaf], &mut self.water[leaf]);
            if self.water[leaf].depth != before {
                let own = &mut self.own[leaf];
                (own.is_wet, own.wet, own.idle) = (true, None, 0);
                self.asleep[leaf] = false;
            }
        }
    }

    /// Makes the new leaves, in their order.
    fn make(&self, change: &Change, new: &[NewLeaf]) -> Vec<LeafRow> {
        let leaves: Vec<_> = change.made().zip(new).collect();
        let leaves = leaves.into_par_iter().with_max_len(1);
        leaves.map(|((key, origin), new)| self.make_one(*key, origin, new)).collect()
    }

    fn make_one(&self, key: TileKey, origin: &Origin, new: &NewLeaf) -> LeafRow {
        let NewLeaf { ground, classes, boundary } = new;
        let (water, mut carry, planes, quadrant) = match *origin {
            Origin::Child { of, quadrant } => {
                let coarse = self.holding(of).expect("a leaf that is refined");
                let (water, carry) = refine(&coarse, quadrant, ground, key.level);
                (water, carry, [of; 4], Some(quadrant))
            }
            Origin::Merged(quarters) => {
                let holdings = quarters.map(|leaf| self.holding(leaf));
                let (water, carry) = coarsen(&holdings, ground, key.level);
                (water, carry, quarters, None)
            }
            Origin::Kept(_) => unreachable!("a leaf that stays is not made"),
        };
        let planes =
            planes.map(|leaf| self.own[leaf.known()?].infiltrated.as_ref().map(|plane| &plane[..]));
        let rest = &mut carry.infiltrated;
        let infiltrated = match (quadrant, planes) {
            (_, [None, None, None, None]) => None,
            (Some(quadrant), [Some(plane), ..]) => {
                Some(refine_infiltrated(plane, quadrant, ground, key.level, rest))
            }
            (_, planes) => Some(coarsen_infiltrated(planes, ground, key.level, rest)),
        };
        let maps = self.made_maps(origin, ground);
        let is_wet = water.depth.iter().any(|&h| h != 0);
        LeafRow {
            classes: classes.clone(),
            ground: ground.clone().into(),
            water: water.into(),
            interfaces: None,
            is_asleep: false,
            own: LeafOwn {
                boundary: boundary.clone(),
                infiltrated: infiltrated.map(Resident::new),
                carry,
                is_wet,
                ..LeafOwn::default()
            },
            scratch: LeafScratch::of(self.tracers()),
            maps,
        }
    }

    /// Returns the flood maps of a new leaf on this ground, if leaves have maps.
    fn made_maps(&self, origin: &Origin, ground: &Ground) -> Option<LeafMaps> {
        let of = |leaf: LeafId| leaf.known().map(|leaf| (&self.maps[leaf], &*self.grounds[leaf]));
        (!self.maps.is_empty()).then(|| match *origin {
            Origin::Kept(_) => unreachable!("a leaf that stays is not made"),
            Origin::Child { of, quadrant } => {
                self.maps[of].child(quadrant, &self.grounds[of], ground)
            }
            Origin::Merged(quarters) => LeafMaps::merged(quarters.map(of), ground),
        })
    }

    /// Numbers the change of new leaves and of all around them.
    fn mark_around(&mut self, change: &Change) {
        let near = self.near(&change.new_leaves());
        self.mark(near);
    }
}
