//! A leaf's state as bytes and back: the extents of layer `Water`.
//!
//! Part 0 contains everything except tracers, part 1 + t the content of tracer t.
//! `src/guide/format.md` defines each byte.

use crate::world::file::planes;
use crate::world::stacks::INTERVALS_MOST;
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::state::stack::NO_HEAD;
use thalweg_engine::state::{
    BoundaryFaceState, IntervalState, LeafState, StackFlowState, StackState, StateField, StateSink,
    StateSource,
};
use thalweg_engine::store::codec::{Bytes, Corrupt};
use thalweg_engine::tile::carry::finest_cells;
use thalweg_engine::tile::planes::ONE;
use thalweg_engine::tile::{Carry, CowPlane, Ground};
use thalweg_engine::units::{CEILING, Volume};

/// The form of leaves without stacked columns, and of contents.
const FORM: u8 = 1;

/// The form of leaves with stacked columns.
const FORM_STACKED: u8 = 2;

/// The form of leaves with a pace, with stacked columns or without: the newest that this build
/// reads.
const FORM_PACED: u8 = 3;

/// Maximum unit discharge that is accepted, m²/s.
const FLOW_MOST: f32 = 1.0e7;

/// Fault of bytes that are not a leaf.
const BROKEN: &str = "it does not decode";

fn broken(_: Corrupt) -> &'static str {
    BROKEN
}

/// Returns the extents of a leaf over its bed: its record, then the content of each tracer.
pub fn leaf_extents(
    state: &impl StateField,
    bed: &[i32],
    (is_stacked, is_paced): (bool, bool),
) -> Vec<Vec<u8>> {
    let mut record = Vec::with_capacity(16 << 10);
    record.push(match (is_stacked, is_paced) {
        (_, true) => FORM_PACED,
        (true, false) => FORM_STACKED,
        (false, false) => FORM,
    });
    let mut writer = LeafWriter { bed, extents: vec![record] };
    state.put(&mut writer);
    writer.extents
}

/// Writer of a leaf into its extents.
struct LeafWriter<'a> {
    bed: &'a [i32],
    extents: Vec<Vec<u8>>,
}

impl StateSink for LeafWriter<'_> {
    fn bytes(&mut self, bytes: &[u8]) {
        self.extents[0].extend(bytes);
    }

    fn depths(&mut self, plane: &[i32]) {
        planes::put_depth(&mut self.extents[0], plane, self.bed);
    }

    fn ints(&mut self, plane: &[i32]) {
        planes::put_ints(&mut self.extents[0], plane);
    }

    fn floats(&mut self, plane: &[f32]) {
        planes::put_floats(&mut self.extents[0], plane);
    }

    fn content(&mut self, plane: &[i64]) {
        let mut out = vec![FORM];
        planes::put_wide(&mut out, plane.iter().map(|cell| cell.cast_unsigned()));
        self.extents.push(out);
    }
}

/// Reader of a leaf from the first of its extents.
struct LeafReader<'a> {
    bytes: Bytes<'a>,
    bed: &'a [i32],
    tracers: u16,
}

impl StateSource for LeafReader<'_> {
    type Error = &'static str;

    fn broken(&self) -> &'static str {
        BROKEN
    }

    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], &'static str> {
        self.bytes.take_array().map_err(broken)
    }

    fn depths(&mut self) -> Result<CowPlane<i32>, &'static str> {
        planes::take_depth(&mut self.bytes, self.bed).map_err(broken)
    }

    fn ints(&mut self) -> Result<CowPlane<i32>, &'static str> {
        planes::take_ints(&mut self.bytes).map_err(broken)
    }

    fn floats(&mut self) -> Result<CowPlane<f32>, &'static str> {
        planes::take_floats(&mut self.bytes).map_err(broken)
    }

    /// Returns no contents: they are in extents of their own.
    fn contents(&mut self) -> Result<Vec<CowPlane<i64>>, &'static str> {
        Ok(Vec::new())
    }

    fn set_tracers(&mut self, tracers: u16) {
        self.tracers = tracers;
    }

    fn tracers(&self) -> u16 {
        self.tracers
    }
}

/// Returns the content of a tracer from these bytes.
pub fn content_of(bytes: &[u8]) -> Result<CowPlane<i64>, &'static str> {
    let mut bytes = Bytes(bytes);
    check_form(bytes.take_byte().map_err(broken)?, FORM)?;
    let plane = planes::take_wide(&mut bytes).map_err(broken)?;
    bytes.end().map_err(broken)?;
    Ok(plane.into_iter().map(u64::cast_signed).collect())
}

/// Refuses a newer form.
pub fn check_form(form: u8, newest: u8) -> Result<(), &'static str> {
    match form {
        0 => Err(BROKEN),
        _ if form <= newest => Ok(()),
        _ => Err("it is of a newer form than this build reads: open it with a newer one"),
    }
}

/// Returns the leaf of these bytes, over its bed, without the contents of its tracers.
pub fn leaf_of<T: StateField>(bytes: &[u8], bed: &[i32]) -> Result<T, &'static str> {
    let mut bytes = Bytes(bytes);
    check_form(bytes.take_byte().map_err(broken)?, FORM_PACED)?;
    let mut reader = LeafReader { bytes, bed, tracers: 0 };
    let state = T::take(&mut reader, 0)?;
    reader.bytes.end().map_err(broken)?;
    Ok(state)
}

/// Returns the fault of a leaf of `level` on this ground, if it is invalid.
pub fn fault(state: &LeafState, ground: &Ground, level: u8) -> Option<&'static str> {
    let LeafState { water, carry, boundary, .. } = state;
    for cell in 0..TILE_CELLS {
        let depth = water.depth[cell];
        let most = if ground.is_inside(cell) { ground.room(cell).max(0) } else { 0 };
        if !(0..=most).contains(&depth) {
            return Some("it has an invalid depth: below 0, outside the map, or above the ceiling");
        }
        let most = ONE * i64::from(depth);
        if water.contents.iter().any(|plane| !(0..=most).contains(&plane[cell])) {
            return Some("it has a concentration below 0 or above 1");
        }
    }
    let flows = water.flow_x.iter().chain(&water.flow_y);
    let beyond = state.interfaces.beyond.iter().flatten().flat_map(|row| row.iter());
    let of_boundary = boundary.iter().flat_map(|face| [&face.q, &face.expected]);
    // −0 is not a valid value of a flow.
    let is_flow = |q: &f32| q.abs() <= FLOW_MOST && q.to_bits() != (-0.0_f32).to_bits();
    if !flows.chain(beyond).all(is_flow) || !of_boundary.into_iter().all(|q| q.abs() <= FLOW_MOST) {
        return Some("it has a discharge out of range");
    }
    // A NaN is in no range, so these checks refuse it, too.
    if state.pace.is_some_and(|pace| !(0.0..1.0e9).contains(&pace)) {
        return Some("its pace is no speed");
    }
    let is_number = |face: &BoundaryFaceState| {
        let is_scale = (0.0..1.0e20).contains(&face.units_per_flow);
        // A depth is at most 2 × CEILING: from the lowest possible bed, −CEILING, up to the
        // ceiling.
        let is_left = (0..=2 * CEILING).contains(&face.left);
        is_scale && is_left && face.slope.is_finite() && face.credit.abs() < 1 << 60
    };
    if !boundary.iter().all(is_number) || !(0.0..1.0e13).contains(&state.flow_depth_max) {
        return Some("a number of its rim, or its flow depth, is out of range");
    }
    let most = Volume::from(ONE) * Volume::from(Carry::most(level));
    if carry.water.abs() > Carry::most(level)
        || !(0..finest_cells(level)).contains(&carry.infiltrated)
        || carry.contents.iter().any(|content| content.abs() > most)
    {
        return Some("its carry is beyond the bound");
    }
    let under_way = state.interfaces.registers.iter().flatten();
    // A unit of depth of this leaf's cell is up to 4 units of cells beyond. Each step takes whole
    // ones out, so less than 4 are left.
    if under_way.clone().flat_map(|own| own.gained).any(|gained| !(0..4).contains(&gained))
        || under_way
            .flat_map(|own| own.contents.iter().flatten())
            .any(|&c| !(0..4 * ONE).contains(&c))
    {
        return Some("more is under way from finer leaves than a step leaves behind");
    }
    if let Some(what) = state.stack.as_ref().and_then(|stack| stack_fault(stack, state, ground)) {
        return Some(what);
    }
    let soaked = state.infiltrated.iter().flatten();
    if soaked.into_iter().any(|&units| units < 0) {
        return Some("it has an infiltrated depth below 0");
    }
    None
}

/// Returns the fault of the stacked columns of a leaf on this ground, if they are invalid.
fn stack_fault(stack: &StackState, leaf: &LeafState, ground: &Ground) -> Option<&'static str> {
    let StackState { intervals, flows, contents } = stack;
    let tracers = usize::from(leaf.tracers.0);
    let count = |own: &[IntervalState]| own.len();
    let cells = intervals.chunk_by(|a, b| a.cell == b.cell);
    if cells.map(count).max().unwrap_or(0) > INTERVALS_MOST {
        return Some("a cell has more intervals than it may");
    }
    if stack.is_empty() || contents.len() != tracers * intervals.len() {
        return Some("it has stacked columns of nothing, or of other tracers");
    }
    let is_apart = |pair: &[IntervalState]| {
        // Intervals that touch would be one, so rock must be between two.
        pair[0].cell < pair[1].cell || pair[0].cell == pair[1].cell && pair[0].ceiling < pair[1].bed
    };
    let is_good = |own: &IntervalState| {
        let cell = usize::from(own.cell);
        let is_below = cell < TILE_CELLS && ground.is_inside(cell);
        is_below
            && -CEILING <= own.bed
            && own.bed < own.ceiling
            && own.ceiling <= ground.dry_stage(cell)
            && (0..=own.capacity()).contains(&own.depth)
            && (own.head == NO_HEAD || (own.bed + own.depth..=CEILING).contains(&own.head))
    };
    if !intervals.iter().all(is_good) || !intervals.windows(2).all(is_apart) {
        return Some("it has intervals that overlap, reach out of the ground or hold too much");
    }
    let most = |at: usize| ONE * i64::from(intervals[at % intervals.len()].depth);
    if (0..).zip(contents).any(|(at, content)| !(0..=most(at)).contains(content)) {
        return Some("an interval has a concentration below 0 or above 1");
    }
    let is_flow = |flow: &StackFlowState| {
        usize::from(flow.cell) < TILE_CELLS
            && flow.axis < 2
            && flow.q != 0.0
            && flow.q.abs() <= FLOW_MOST
    };
    let is_ordered = flows.windows(2).all(|pair| pair[0].key() < pair[1].key());
    let are_flows = flows.iter().all(is_flow) && is_ordered;
    (!are_flows).then_some("it has an invalid discharge between intervals")
}

#[cfg(test)]
mod tests {
    use super::*;
    use thalweg_engine::record;
    use thalweg_engine::state::InterfaceState;
    use thalweg_engine::state::list::TracerCount;
    use thalweg_engine::tile::{Carry, Water};
    use thalweg_engine::units::hash::StateHasher;

    record! {
        /// The list of [`LeafState`], with an additional plane: its last line.
        pub struct Icy {
            pub is_asleep: bool,
            pub is_wet: bool,
            pub tracers: TracerCount,
            pub idle: u32,
            pub flow_depth_max: f32,
            pub carry: Carry,
            pub water: Water,
            pub infiltrated: Option<CowPlane<i32>>,
            pub boundary: Vec<BoundaryFaceState>,
            pub interfaces: InterfaceState,
            pub ice: Option<CowPlane<i32>>,
        }
    }

    fn hash_of(leaf: &Icy) -> u64 {
        let mut hash = StateHasher::new();
        leaf.put(&mut hash);
        hash.finish()
    }

    /// Goal: a plane that is added to the list, and nowhere else, is saved, hashed, copied and
    /// undone.
    #[test]
    fn a_plane_more_in_the_list_is_enough() {
        let bed = vec![0; TILE_CELLS];
        let ice = |thick: i32| -> CowPlane<i32> {
            (0..TILE_CELLS).map(|cell| i32::from(cell == 77) * thick).collect()
        };
        let mut leaf = Icy {
            is_asleep: false,
            is_wet: true,
            tracers: TracerCount(0),
            idle: 3,
            flow_depth_max: 0.5,
            carry: Carry::none(0),
            water: Water::dry_with(0),
            infiltrated: None,
            boundary: Vec::new(),
            interfaces: InterfaceState::default(),
            ice: Some(ice(40)),
        };
        let saved = leaf_extents(&leaf, &bed, (false, false));
        assert_eq!(leaf_of(&saved[0], &bed), Ok(leaf.clone()), "saved");
        let (before, hash) = (leaf.clone(), hash_of(&leaf));
        for ice in [Some(ice(41)), Some(ice(0)), None] {
            leaf.ice = ice;
            assert_ne!(hash_of(&leaf), hash, "hashed");
            assert_ne!(leaf, before, "compared");
            assert_ne!(leaf_extents(&leaf, &bed, (false, false)), saved, "saved anew");
            leaf = before.clone();
            assert_eq!((hash_of(&leaf), &leaf), (hash, &before), "undone");
        }
    }
}
