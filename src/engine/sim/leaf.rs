//! One leaf in a step.
//!
//! ```text
//! gather → kernel → tracers → closed borders → forcing → sample
//! ```

use crate::flow::face::FaceSummary;
use crate::flow::params::StepParams;
use crate::flow::solver::{ShownPlanes, Solver, StepSummary, TileStep};
use crate::flow::transfer::Dither;
use crate::flow::versions::StepFunction;
use crate::forest::Neighbour;
use crate::forest::change::Origin;
use crate::forest::interfaces::coarse::Means;
use crate::forest::interfaces::halo::Halo;
use crate::forest::interfaces::ring::Ring;
use crate::forest::interfaces::{ForestLeaves, LeafAcross, bounds};
use crate::grid::cells::{TILE_WIDTH_U32, column_row};
use crate::grid::{Axis, LeafId, Side, TILE_WIDTH};
use crate::sim::barriers::{Barriers, FaceView};
use crate::sim::boundary::BoundaryFace;
use crate::sim::boundary_momentum::{carry_over_boundary, carry_over_rims, show_boundary};
use crate::sim::forcing::{Forcing, ForcingClasses, LeafWater, StepDepths};
use crate::sim::params::Params;
use crate::sim::quiet::{LeafAtEnd, Quiet};
use crate::sim::river_faces::carry_over_rivers;
use crate::sim::sections::Sections;
use crate::sim::settings::Settings;
use crate::sim::solids::look::SolidLook;
use crate::sim::speeds::MappedLeaf;
use crate::sim::stacks::Rims;
use crate::sim::table::{LeafOwn, LeafWork};
use crate::sim::tracers::Tracers;
use crate::tile::Ground;
use crate::tile::halo::{HaloNeighbour, HaloPatch, Neighbourhood, gather_roughness};
use crate::tile::interface_faces::InterfaceFaces;
use crate::tile::padded::Padded;
use crate::tile::wet_parts::WetParts;
use crate::units::{SimTime, maths};
use std::cell::RefCell;

impl LeafOwn {
    /// Copies from the leaves before it how deep it flows, and the state of its boundary faces.
    pub fn inherit<'a>(&mut self, origin: &Origin, old: impl Fn(LeafId) -> Option<&'a Self>) {
        let depths = origin.before().into_iter();
        let depths = depths.filter_map(|leaf| Some(old(leaf)?.flow_depth_max));
        self.flow_depth_max = depths.fold(0.0, maths::max);
        for face in &mut self.boundary {
            let (column, row) = column_row(usize::from(face.cell));
            let (leaf, column, row, scale) = match *origin {
                Origin::Kept(_) => return,
                Origin::Child { of, quadrant } => {
                    let half = |is_far| if is_far { 32 } else { 0 };
                    let (east, north) = (half(quadrant & 1 != 0), half(quadrant & 2 != 0));
                    (of, east + column / 2, north + row / 2, 2)
                }
                Origin::Merged(quarters) => {
                    let quadrant = (column / 32 + 2 * (row / 32)) as usize;
                    let (east, north) = (face.side == Side::East, face.side == Side::North);
                    let at = |v: u32, is_far| 2 * v % TILE_WIDTH_U32 + u32::from(is_far);
                    (quarters[quadrant], at(column, east), at(row, north), 0)
                }
            };
            let cell = row * TILE_WIDTH_U32 + column;
            let (side, law) = (face.side, face.law);
            // The water that a stage counts is no credit of an open edge: parts of sides may end
            // within a coarse cell.
            let at = |cell: u32| {
                let near = move |own: &&BoundaryFace| {
                    u32::from(own.cell) == cell && own.side == side && own.law == law
                };
                old(leaf).and_then(|old| old.boundary.iter().find(near))
            };
            let Some(before) = at(cell) else { continue };
            // A coarse face has twice the water of each of its fine ones in units of theirs.
            let credit = if scale == 2 {
                2 * before.credit
            } else {
                let along =
                    if matches!(side, Side::West | Side::East) { TILE_WIDTH_U32 } else { 1 };
                (before.credit + at(cell + along).map_or(0, |face| face.credit)) / 4
            };
            (face.q, face.expected, face.credit) = (before.q, before.expected, credit);
        }
    }
}

/// Parts of a step that all leaves share.
#[derive(Debug)]
pub struct StepContext<'a> {
    /// All leaves at the step's start.
    pub leaves: ForestLeaves<'a>,
    /// Classes of their cells under layers of forcing.
    pub classes: &'a [ForcingClasses],
    /// Whether each leaf sleeps.
    pub asleep: &'a [bool],
    /// Values that are constant over the cycle.
    pub params: &'a Params,
    /// Constants of the step.
    pub step: &'a StepParams,
    /// Kernels between flat and between sub-grid columns.
    pub kernels: [StepFunction; 2],
    /// Start of the step.
    pub start: SimTime,
    /// End of the step.
    pub end: SimTime,
    /// Sources and sinks.
    pub forcing: &'a Forcing,
    /// Depths that forcing deposits in this step.
    pub step_depths: &'a StepDepths,
    /// Tracers.
    pub tracers: &'a Tracers,
    /// Barriers of the world.
    pub barriers: &'a Barriers,
    /// Sections of the world.
    pub sections: &'a Sections,
    /// Whether the step is the last of the cycle for leaves of its level.
    pub is_last: bool,
    /// View of the water that solids touch, for maps.
    pub solids: &'a SolidLook,
    /// Sides of open cells over which water left intervals or entered them.
    pub rims: &'a Rims,
    /// Bounds of quiet water, under a tolerance of sleep.
    pub quiet: Option<Quiet>,
}

thread_local! {
    static PADDED: RefCell<Box<Padded>> = RefCell::new(Box::default());
    pub(super) static INTERFACE_FACES: RefCell<Box<InterfaceFaces>> = RefCell::new(Box::default());
    static RING: RefCell<Ring> = RefCell::new(Ring::default());
}

impl StepContext<'_> {
    /// Steps one leaf, and lets its maps look at it if they do after this step.
    pub fn advance(&self, leaf: &mut LeafWork<'_>) {
        // The kernel writes all of it.
        leaf.new.renew();
        PADDED.with_borrow_mut(|padded| {
            let id = leaf.id;
            let ground = &self.leaves.grounds[id];
            let around = self.neighbourhood(id);
            let views = self.barriers.faces_in(id);
            gather_roughness(padded, &around, &self.params.n2);
            let Settings { solver, seed, .. } = self.params.settings;
            let (key, from) = (self.leaves.forest.leaves()[id], self.start.ticks());
            let dither = Dither::new(seed, key.level, key.corner().x, key.corner().y, from);
            let mut summary = INTERFACE_FACES.with_borrow_mut(|faces| {
                let has_interfaces = self.fill_interfaces(id, padded, faces);
                if let Some(views) = views {
                    if !has_interfaces {
                        faces.clear();
                    }
                    self.set_transfers(views, faces);
                }
                let interfaces = (has_interfaces || views.is_some()).then_some(&**faces);
                let step = TileStep {
                    around: &around,
                    params: self.step,
                    dither: &dither,
                    interfaces,
                    shown: self.shown(leaf, interfaces.is_some()),
                    reach: None,
                };
                self.kernels[usize::from(ground.columns.is_some())](padded, &step, leaf.new)
            });
            if ground.columns.is_some() {
                std::mem::swap(&mut leaf.scratch.found, &mut padded.columns.found);
            }
            if let Some(views) = views {
                let looked = self.set_discharges(id, views, (padded, leaf.new), self.is_last);
                summary.faces = FaceSummary { clamped: summary.faces.clamped, ..looked };
            }
            self.sections.count(id, padded, &mut leaf.scratch.passed);
            leaf.scratch.is_idle = !summary.faces.is_active;
            summary.faces.is_active &= !self.is_quiet(&summary, leaf, padded);
            if let Some(interfaces) = &self.leaves.interfaces[id] {
                leaf.scratch.transfers.take(interfaces, padded);
                Means::of(&self.leaves, id).put(leaf.new);
            }
            if solver == Solver::ShallowWater {
                self.carry_over_sides(leaf, (ground, padded));
            } else {
                self.rims.ease(id, (ground, padded), leaf.new);
            }
            self.carry_tracers(leaf, padded);
            self.let_rivers_in(leaf, padded, &dither);
            summary.faces.is_active |= self.close_borders(leaf);
            summary.faces.is_active |= leaf.scratch.is_boundary_busy;
            self.force(leaf, &dither);
            leaf.scratch.seen = merged(leaf.scratch.seen, summary);
            leaf.scratch.steps += 1;
            let wet = WetParts::of(&leaf.new.depth);
            (leaf.own.is_wet, leaf.own.wet) = (wet.is_any(), Some(wet));
            if let Some(maps) = &mut leaf.maps {
                show_boundary(&leaf.own.boundary, padded);
                let whole = self.solids.show(id, &leaf.new.depth, padded);
                let depth = whole.as_deref().unwrap_or(&leaf.new.depth);
                let (params, time) = (self.step, self.end);
                maps.sample(&MappedLeaf { ground, depth, padded, params, time });
            }
        });
    }

    /// Returns the planes of the padded tile that are read after the kernel.
    fn shown(&self, leaf: &LeafWork<'_>, has_interfaces: bool) -> ShownPlanes {
        let id = leaf.id;
        if self.barriers.faces_in(id).is_some() || !leaf.own.boundary.is_empty() {
            return ShownPlanes::Columns;
        }
        let is_shown = has_interfaces
            || leaf.maps.is_some()
            || !leaf.new.contents.is_empty()
            || self.sections.is_any_in(id)
            || self.quiet.is_some() && self.is_last
            || !self.rims.near(id, self.leaves.forest).is_empty();
        if is_shown { ShownPlanes::Planes } else { ShownPlanes::Nothing }
    }

    /// Corrects the momentum that water carried over the boundary and over rims of intervals.
    fn carry_over_sides(&self, leaf: &mut LeafWork<'_>, on: (&Ground, &Padded)) {
        let faces = (&leaf.own.boundary[..], &self.params.laws[..]);
        let order = self.params.settings.order;
        carry_over_boundary(faces, on, self.step, order, leaf.new);
        let rims = self.rims.near(leaf.id, self.leaves.forest);
        carry_over_rims(&rims, on, self.step, order, leaf.new);
    }

    /// Returns true if a leaf is quiet at the end of a cycle, under a tolerance of sleep, though it
    /// is not idle.
    fn is_quiet(&self, summary: &StepSummary, leaf: &LeafWork<'_>, padded: &Padded) -> bool {
        let Some(quiet) = &self.quiet else { return false };
        if !self.is_last || !summary.faces.is_active {
            return false;
        }
        // Borders to leaves that sleep are checked separately, and faces to finer leaves, and to
        // leaves with shorter steps, by those leaves.
        let across = |side: Side| match self.leaves.forest.across(leaf.id, side) {
            beside @ (Neighbour::Same(at) | Neighbour::Coarser(at)) if !self.asleep[at] => beside,
            _ => Neighbour::Nothing,
        };
        let moves = |side: Side| self.leaves.beside(leaf.id, side.place());
        let has_far = [Side::East, Side::North]
            .map(|side| across(side) != Neighbour::Nothing && moves(side) == LeafAcross::Slower);
        let has_near = [Side::West, Side::South]
            .map(|side| across(side) != Neighbour::Nothing && moves(side) != LeafAcross::Faster);
        let views = self.barriers.faces_in(leaf.id).unwrap_or_default();
        let is_barred = (!views.is_empty()).then(|| FaceView::own_faces(views));
        let is_closed = |cell: usize, axis: Axis| {
            let is_at_side = [cell % TILE_WIDTH, cell / TILE_WIDTH][axis] == 0;
            is_at_side && !has_near[axis]
                || is_barred.as_ref().is_some_and(|is_barred| is_barred[cell][axis])
        };
        let ground = &self.leaves.grounds[leaf.id];
        let at_end = LeafAtEnd { ground, padded, new: leaf.new, has_far };
        !quiet.is_any_active(&at_end, is_closed, self.step)
            && !views.iter().any(|view| self.is_passing(quiet, view, padded))
    }

    fn neighbourhood(&self, id: LeafId) -> Neighbourhood<'_> {
        self.leaves.forest.beside(id).map(|beside| match beside {
            Neighbour::Nothing => HaloNeighbour::Outside,
            Neighbour::Coarser(_) | Neighbour::Finer(_) => HaloNeighbour::Filled,
            Neighbour::Same(leaf) => {
                let ground = &self.leaves.grounds[leaf];
                let water = self.leaves.water_beside(id, leaf);
                HaloNeighbour::Tile(HaloPatch { ground, water })
            }
        })
    }

    /// Fills the halo beside different levels, and sets the limits of the transfers there; returns
    /// false if all neighbours are of the leaf's level.
    fn fill_interfaces(&self, id: LeafId, padded: &mut Padded, faces: &mut InterfaceFaces) -> bool {
        let Some(interfaces) = &self.leaves.interfaces[id] else { return false };
        bounds::fill(faces, &self.leaves, id, self.asleep);
        for cell in interfaces.coarse_view.iter().flat_map(|coarse_view| &coarse_view.start) {
            (padded.bed[cell.at], padded.depth[cell.at]) = (cell.bed, cell.depth);
            padded.columns.stage[cell.at] = cell.stage;
            (padded.columns.slope[cell.at], padded.columns.quantum[cell.at]) = (1.0, 0);
            (padded.flow_x[cell.at], padded.flow_y[cell.at]) = (cell.flow_x, cell.flow_y);
            if padded.roughness_uniform.is_none() {
                padded.roughness[cell.at] = self.params.n2[usize::from(cell.class)];
            }
        }
        let beside = self.leaves.forest.beside(id);
        if beside.iter().any(|beside| beside.is_coarser()) {
            RING.with_borrow_mut(|ring| {
                let unit_m = self.step.face.unit_m;
                ring.fill(&self.leaves, id, self.asleep, unit_m);
                let (leaves, n2) = (&self.leaves, &self.params.n2);
                Halo { leaves, leaf: id, ring, unit_m, n2 }.fill(padded);
            });
        }
        true
    }

    /// Lets rivers in over the boundary of a leaf.
    fn let_rivers_in(&self, leaf: &mut LeafWork<'_>, padded: &Padded, dither: &Dither) {
        if !leaf.own.boundary.iter().any(BoundaryFace::is_river) {
            return;
        }
        let LeafWork { id, own, scratch, new, .. } = leaf;
        let ground = &self.leaves.grounds[*id];
        let mut water = LeafWater {
            ground,
            classes: &[],
            depth: &mut new.depth,
            infiltrated: None,
            bookings: &mut scratch.bookings,
            contents: &mut new.contents,
            tracers: self.tracers.books(&mut scratch.content_bookings),
        };
        for face in own.boundary.iter_mut().filter(|face| face.is_river()) {
            face.let_in(self.step, &mut water, dither);
        }
        let solver = self.params.settings.solver;
        carry_over_rivers(&own.boundary, (ground, padded), self.step, solver, new);
    }

    /// Applies sources and sinks to one leaf.
    fn force(&self, leaf: &mut LeafWork<'_>, dither: &Dither) {
        let LeafWork { id, own, scratch, new, .. } = leaf;
        let mut water = LeafWater {
            ground: &self.leaves.grounds[*id],
            classes: &self.classes[*id],
            depth: &mut new.depth,
            infiltrated: own.infiltrated.as_mut().map(|plane| &mut plane[..]),
            bookings: &mut scratch.bookings,
            contents: &mut new.contents,
            tracers: self.tracers.books(&mut scratch.content_bookings),
        };
        water.force(self.forcing, self.step_depths, &scratch.shares, dither);
    }
}

fn merged(a: StepSummary, b: StepSummary) -> StepSummary {
    // The kernel sums faces up in the last step of a cycle only; boundaries and borders to leaves
    // asleep may be active in any step.
    let mut faces = b.faces;
    faces.is_active |= a.faces.is_active;
    StepSummary { faces, limited: a.limited + b.limited, cells: a.cells + b.cells }
}
