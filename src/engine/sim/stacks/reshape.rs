//! Changes of intervals in cells, between cycles: tunnels that are dug, doors that close, floors
//! that break.
//!
//! ```text
//! water of an interval   goes to those of the new ones that overlap it, the lowest first
//! what has no room       goes to the nearest water beside that has, along the faces there were
//! ```
//!
//! Open water takes part if the ground of its cell changes: a roof that breaks lets it down, a new
//! roof leaves below it the water that fits there.
//!
//! Guarantees: not a unit is lost; if some of it has no room nothing changes; faces of cells that
//!             change begin at rest.

use crate::flow::tracer::share;
use crate::forest::Neighbour;
use crate::grid::{LeafId, Side, TILE_WIDTH};
use crate::sim::Simulation;
use crate::sim::cell_store::CellStore;
use crate::sim::edits::SimulationEdit;
use crate::sim::regrid::LeafSource;
use crate::sim::stacks::net::{StackNet, StackNode};
use crate::sim::state::SimulationState;
use crate::sim::table::LeafTable;
use crate::sim::touched::TouchedFaces;
use crate::state::stack::NO_HEAD;
use crate::state::{IntervalState, StackState};
use crate::tile::columns::build::CellBlock;
use crate::units::{CEILING, Depth};
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// A cell, and its new or old intervals, from bed to ceiling. If its ground changes, too, its open
/// water takes part; the caller changes the ground itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CellShape {
    /// Leaf of the cell.
    pub leaf: LeafId,
    /// The cell.
    pub cell: u16,
    /// Bed and ceiling of each interval, vertical units, from the lowest.
    pub spans: Vec<[i32; 2]>,
    /// The ground before and after, vertical units, if it changes.
    pub ground: Option<[i32; 2]>,
}

/// Error: water of an interval that found no room anywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoRoom {
    /// Leaf of the cell.
    pub leaf: LeafId,
    /// The cell.
    pub cell: u16,
    /// Units that are left over.
    pub units: i32,
}

/// An interval with its contents by tracer.
#[derive(Debug, Clone)]
struct Filled {
    interval: IntervalState,
    contents: Vec<i64>,
}

/// Water that has no room in its old place.
#[derive(Debug)]
struct DisplacedWater {
    leaf: LeafId,
    cell: u16,
    bed: i32,
    units: i32,
    contents: Vec<i64>,
}

/// Water for a node of the previous net.
#[derive(Debug)]
struct Gift {
    node: usize,
    units: i32,
    contents: Vec<i64>,
}

impl SimulationEdit<'_> {
    /// Replaces the intervals of cells; returns the previous ones, in the same order. If their
    /// ground changes, `beds` names the leaves and the blocks that are new in `source`.
    ///
    /// # Errors
    ///
    /// [`NoRoom`] if some water fits nowhere. Then nothing has changed.
    pub fn reshape_stacks(
        &mut self,
        cells: &[CellShape],
        (beds, source): (&[(LeafId, CellBlock)], &dyn LeafSource),
    ) -> Result<Vec<CellShape>, NoRoom> {
        let SimulationState { stacks, leaves, activity, solids, .. } = &mut *self.state;
        stacks.begin(leaves, self.params);
        let mut made: BTreeMap<(LeafId, u16), Vec<Filled>> = BTreeMap::new();
        let (mut before, mut rests) = (Vec::with_capacity(cells.len()), Vec::new());
        for shape in cells {
            let mut old = filled(leaves, shape.leaf, shape.cell);
            let spans = old.iter().map(|own| [own.interval.bed, own.interval.ceiling]).collect();
            let ground = shape.ground.map(|[before, after]| [after, before]);
            before.push(CellShape { spans, ground, ..*shape });
            old.extend(shape.ground.map(|[bed, _]| open_water(leaves, shape, bed)));
            let (new, rest) = refilled(old, shape);
            rests.extend(rest);
            made.insert((shape.leaf, shape.cell), new);
        }
        // All that may fail is done before the first change.
        let gifts = stacks.place(rests, leaves, &mut made)?;
        let opened = cells.iter().filter(|shape| shape.ground.is_some());
        let opened = opened.filter_map(|shape| made.get_mut(&(shape.leaf, shape.cell))?.pop());
        let opened: Vec<(LeafId, Filled)> = leafs(cells).zip(opened).collect();
        let mut touched: Vec<LeafId> = stacks.touched_by(cells, &gifts, leaves);
        if !beds.is_empty() {
            solids.forget();
            touched.extend(beds.iter().map(|(leaf, _)| *leaf));
            touched.sort_unstable();
            touched.dedup();
        }
        let open = gifts.iter().map(|gift| &stacks.nodes[gift.node]);
        let open = open.filter(|node| node.is_open).map(|node| (node.leaf, node.cell));
        let open = open.chain(opened.iter().map(|(leaf, own)| (*leaf, own.interval.cell)));
        let faces = open.map(|(leaf, cell)| (leaf, usize::from(cell)));
        let faces = TouchedFaces::of(&leaves.forest, faces);
        leaves.change_gently(&touched, &faces, self.params.unit_m, |leaves| {
            for &(leaf, block) in beds {
                let key = leaves.forest.leaves()[leaf];
                source.renew_ground(key, block, &mut leaves.grounds[leaf]);
            }
            for (leaf, own) in &opened {
                set_open(leaves, *leaf, own);
            }
            for gift in gifts {
                stacks.hand(gift, leaves);
            }
            put(leaves, made);
            for shape in cells {
                stop_faces(leaves, shape);
            }
        });
        for &leaf in &touched {
            leaves.note_wet(leaf);
        }
        leaves.shapes += 1;
        activity.wake(leaves, &touched);
        Ok(before)
    }
}

impl Simulation {
    /// Returns the leaves whose state a reshape of these cells may change: all connected with them
    /// by passages, and those around.
    #[must_use]
    pub fn near_stacks(&self, cells: &[(LeafId, u16)]) -> Vec<LeafId> {
        let (leaves, params) = (self.leaves(), self.params());
        let mut near: Vec<LeafId> = cells.iter().map(|(leaf, _)| *leaf).collect();
        near.sort_unstable();
        near.dedup();
        let known = &self.state().stacks;
        if known.made_for == Some(leaves.shapes) {
            known.wake_groups(&mut near);
        } else {
            let mut net = StackNet::default();
            net.begin(leaves, params);
            net.wake_groups(&mut near);
        }
        leaves.near(&near)
    }
}

/// Returns the intervals of a cell with their contents.
fn filled(leaves: &LeafTable, leaf: LeafId, cell: u16) -> Vec<Filled> {
    let Some(stack) = &leaves.own[leaf].stack else { return Vec::new() };
    let count = stack.intervals.len();
    let from = stack.intervals.partition_point(|own| own.cell < cell);
    let own = (from..count).take_while(|&at| stack.intervals[at].cell == cell);
    own.map(|at| Filled {
        interval: stack.intervals[at],
        contents: stack.contents.iter().skip(at).step_by(count.max(1)).copied().collect(),
    })
    .collect()
}

/// Returns the leaves of the cells whose ground changes.
fn leafs(cells: &[CellShape]) -> impl Iterator<Item = LeafId> {
    cells.iter().filter(|shape| shape.ground.is_some()).map(|shape| shape.leaf)
}

/// Returns the open water of a cell, as an interval from the ground up.
fn open_water(leaves: &LeafTable, shape: &CellShape, bed: i32) -> Filled {
    let CellShape { leaf, cell, .. } = *shape;
    let (water, at) = (&leaves.water[leaf], usize::from(cell));
    let depth = water.depth[at];
    Filled {
        interval: IntervalState { cell, bed, ceiling: CEILING, depth, head: NO_HEAD },
        contents: water.contents.iter().map(|plane| plane[at]).collect(),
    }
}

/// Replaces the open water of a cell.
fn set_open(leaves: &mut LeafTable, leaf: LeafId, own: &Filled) {
    let IntervalState { cell, depth, .. } = own.interval;
    let water = &mut leaves.water[leaf];
    let before = water.depth[usize::from(cell)];
    water.depth[usize::from(cell)] = depth;
    for (plane, content) in water.contents.iter_mut().zip(&own.contents) {
        plane[usize::from(cell)] = *content;
    }
    let boundary = leaves.own[leaf].boundary.iter_mut();
    for face in boundary.filter(|face| face.cell == cell) {
        // An edit is not a wave that arrives at a boundary.
        face.left = Depth(face.left).changed(depth - before);
    }
}

/// Returns the new intervals of a cell with the water of the old ones, and the water that has no
/// room there. If its ground changes, the last is its open water.
fn refilled(old: Vec<Filled>, shape: &CellShape) -> (Vec<Filled>, Vec<DisplacedWater>) {
    let CellShape { leaf, cell, ref spans, ground } = *shape;
    let mut new: Vec<Filled> = spans
        .iter()
        .chain(&ground.map(|[_, bed]| [bed, CEILING]))
        .map(|&[bed, ceiling]| Filled {
            interval: IntervalState { cell, bed, ceiling, depth: 0, head: NO_HEAD },
            contents: Vec::new(),
        })
        .collect();
    let mut rests = Vec::new();
    for mut own in old {
        let IntervalState { bed, ceiling, head, .. } = own.interval;
        for one in &mut new {
            one.contents.resize(own.contents.len(), 0);
            let into = &mut one.interval;
            let overlaps = into.bed < ceiling && bed < into.ceiling;
            let units = own.interval.depth.min(into.capacity() - into.depth);
            if !overlaps || units <= 0 {
                continue;
            }
            into.depth += units;
            let is_as_it_was = [into.bed, into.ceiling] == [bed, ceiling];
            into.head = if is_as_it_was { head } else { NO_HEAD };
            for (to, from) in one.contents.iter_mut().zip(&mut own.contents) {
                // A share of the rest: the last part takes all that is left of the content.
                let content = share(*from, units, own.interval.depth);
                (*to, *from) = (*to + content, *from - content);
            }
            own.interval.depth -= units;
        }
        let (units, contents) = (own.interval.depth, own.contents);
        if units > 0 {
            rests.push(DisplacedWater { leaf, cell, bed, units, contents });
        }
    }
    (new, rests)
}

impl Filled {
    /// Takes the part of some water that fits, if it overlaps a node of the previous net.
    fn take(&mut self, rest: &mut DisplacedWater, node: &StackNode) {
        let into = &mut self.interval;
        let units = rest.units.min(into.capacity() - into.depth);
        if units <= 0 || into.bed >= node.ceiling || node.bed >= into.ceiling {
            return;
        }
        into.depth += units;
        if into.head != NO_HEAD {
            into.head = into.head.max(into.bed + into.depth);
        }
        self.contents.resize(rest.contents.len(), 0);
        for (to, from) in self.contents.iter_mut().zip(&mut rest.contents) {
            let part = share(*from, units, rest.units);
            (*to, *from) = (*to + part, *from - part);
        }
        rest.units -= units;
    }
}

impl StackNet {
    /// Finds room for water that does not fit: in the nearest nodes of cells that stay.
    fn place(
        &self,
        rests: Vec<DisplacedWater>,
        leaves: &LeafTable,
        made: &mut BTreeMap<(LeafId, u16), Vec<Filled>>,
    ) -> Result<Vec<Gift>, NoRoom> {
        let mut given: BTreeMap<usize, i32> = BTreeMap::new();
        let mut gifts = Vec::new();
        for mut rest in rests {
            let DisplacedWater { leaf, cell, bed, .. } = rest;
            let Some(first) = self.find(leaf, cell, bed) else {
                return Err(NoRoom { leaf, cell, units: rest.units });
            };
            let (mut queue, mut seen) = (VecDeque::from([first]), BTreeSet::from([first]));
            while let Some(node) = queue.pop_front() {
                let own = &self.nodes[node];
                let made = made.get_mut(&(own.leaf, own.cell)).filter(|_| !own.is_open);
                if let Some(made) = made {
                    made.iter_mut().for_each(|made| made.take(&mut rest, own));
                } else {
                    let room = self.room(node, leaves) - given.get(&node).copied().unwrap_or(0);
                    let units = rest.units.min(room);
                    if units > 0 {
                        let of = |content: &mut i64| {
                            let part = share(*content, units, rest.units);
                            *content -= part;
                            part
                        };
                        let contents = rest.contents.iter_mut().map(of).collect();
                        gifts.push(Gift { node, units, contents });
                        *given.entry(node).or_default() += units;
                        rest.units -= units;
                    }
                }
                if rest.units == 0 {
                    break;
                }
                for &at in self.passages_of(node) {
                    let [a, b] = self.passages[at as usize].ends.map(|end| end as usize);
                    let other = if a == node { b } else { a };
                    if seen.insert(other) {
                        queue.push_back(other);
                    }
                }
            }
            if rest.units > 0 {
                return Err(NoRoom { leaf, cell, units: rest.units });
            }
        }
        Ok(gifts)
    }

    /// Returns the node of an interval.
    fn find(&self, leaf: LeafId, cell: u16, bed: i32) -> Option<usize> {
        let slot = &self.slots[self.slots.binary_search_by_key(&leaf, |slot| slot.leaf).ok()?];
        let own = &self.nodes[slot.intervals.clone()];
        let at = own.binary_search_by_key(&(cell, bed), |node| (node.cell, node.bed)).ok()?;
        Some(slot.intervals.start + at)
    }

    /// Returns the units that still fit in a node, between cycles.
    fn room(&self, node: usize, leaves: &LeafTable) -> i32 {
        let own = &self.nodes[node];
        if own.is_open {
            let cell = usize::from(own.cell);
            return leaves.grounds[own.leaf].room(cell) - leaves.water[own.leaf].depth[cell];
        }
        let slot = self.slots.binary_search_by_key(&own.leaf, |slot| slot.leaf);
        let slot = &self.slots[slot.expect("a leaf with intervals")];
        let stack = leaves.own[own.leaf].stack.as_ref().expect("a leaf with intervals");
        let interval = &stack.intervals[node - slot.intervals.start];
        interval.capacity() - interval.depth
    }

    /// Adds water to a node, between cycles.
    fn hand(&self, gift: Gift, leaves: &mut LeafTable) {
        let Gift { node, units, contents } = gift;
        let own = &self.nodes[node];
        if own.is_open {
            let cell = usize::from(own.cell);
            let mut store = CellStore::open(&mut leaves.water[own.leaf], cell);
            store.give(units, |tracer| contents[tracer]);
            // An edit is not a wave that arrives at a boundary.
            let boundary = leaves.own[own.leaf].boundary.iter_mut();
            for face in boundary.filter(|face| face.cell == own.cell) {
                face.left = Depth(face.left).changed(units);
            }
            return;
        }
        let slot = self.slots.binary_search_by_key(&own.leaf, |slot| slot.leaf);
        let at = node - self.slots[slot.expect("a leaf with intervals")].intervals.start;
        let stack = leaves.own[own.leaf].stack.as_mut().expect("a leaf with intervals");
        let count = stack.intervals.len();
        let own = &mut stack.intervals[at];
        own.depth += units;
        if own.head != NO_HEAD {
            own.head = own.head.max(own.bed + own.depth);
        }
        for (tracer, content) in contents.into_iter().enumerate() {
            stack.contents[tracer * count + at] += content;
        }
    }

    /// Returns the leaves whose state changes, ascending.
    fn touched_by(&self, cells: &[CellShape], gifts: &[Gift], leaves: &LeafTable) -> Vec<LeafId> {
        let mut touched: Vec<LeafId> = cells.iter().map(|shape| shape.leaf).collect();
        touched.extend(gifts.iter().map(|gift| self.nodes[gift.node].leaf));
        for shape in cells {
            let cell = usize::from(shape.cell);
            let beyond = [(Side::East, cell % TILE_WIDTH), (Side::North, cell / TILE_WIDTH)];
            for (side, _) in beyond.into_iter().filter(|(_, at)| *at == TILE_WIDTH - 1) {
                if let Neighbour::Same(beyond) = leaves.forest.across(shape.leaf, side) {
                    touched.push(beyond);
                }
            }
        }
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}

/// Replaces the intervals of cells.
fn put(leaves: &mut LeafTable, made: BTreeMap<(LeafId, u16), Vec<Filled>>) {
    let tracers = leaves.tracers();
    let mut of_leaf: BTreeMap<LeafId, BTreeMap<u16, Vec<Filled>>> = BTreeMap::new();
    for ((leaf, cell), new) in made {
        of_leaf.entry(leaf).or_default().insert(cell, new);
    }
    for (leaf, cells) in of_leaf {
        let old = leaves.own[leaf].stack.take().map_or_else(StackState::default, |stack| *stack);
        let count = old.intervals.len();
        let mut all: Vec<Filled> = (0..count)
            .filter(|&at| !cells.contains_key(&old.intervals[at].cell))
            .map(|at| Filled {
                interval: old.intervals[at],
                contents: old.contents.iter().skip(at).step_by(count).copied().collect(),
            })
            .collect();
        all.extend(cells.into_values().flatten());
        all.sort_by_key(|own| (own.interval.cell, own.interval.bed));
        let content = |tracer: usize| {
            all.iter().map(move |own| own.contents.get(tracer).copied().unwrap_or(0))
        };
        let contents = (0..tracers).flat_map(content).collect();
        let intervals = all.iter().map(|own| own.interval).collect();
        let stack = StackState { intervals, flows: old.flows, contents };
        leaves.own[leaf].stack = (!stack.is_empty()).then(|| Box::new(stack));
    }
}

/// Stops the flow over the faces of a cell.
fn stop_faces(leaves: &mut LeafTable, shape: &CellShape) {
    let (leaf, cell) = (shape.leaf, usize::from(shape.cell));
    let across = |side| match leaves.forest.across(leaf, side) {
        Neighbour::Same(beyond) => Some(beyond),
        _ => None,
    };
    let east = match cell % TILE_WIDTH == TILE_WIDTH - 1 {
        true => across(Side::East).map(|beyond| (beyond, cell + 1 - TILE_WIDTH)),
        false => Some((leaf, cell + 1)),
    };
    let north = match cell / TILE_WIDTH == TILE_WIDTH - 1 {
        true => across(Side::North).map(|beyond| (beyond, cell % TILE_WIDTH)),
        false => Some((leaf, cell + TILE_WIDTH)),
    };
    let faces = [Some((leaf, cell, None)), east.map(|(l, c)| (l, c, Some(0)))];
    for (leaf, cell, axis) in
        faces.into_iter().chain([north.map(|(l, c)| (l, c, Some(1)))]).flatten()
    {
        if let Some(stack) = &mut leaves.own[leaf].stack {
            stack.flows.retain(|flow| {
                usize::from(flow.cell) != cell || axis.is_some_and(|axis| flow.axis != axis)
            });
            if stack.is_empty() {
                leaves.own[leaf].stack = None;
            }
        }
    }
}
