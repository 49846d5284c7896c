//! A leaf's state as bytes and back: the extents of layer `Water`.
//!
//! Part 0 has everything but tracers, part 1 + t the content of tracer t. `src/guide/format.md`
//! says what each byte means.

use crate::grid::{Side, TILE_CELLS, TILE_WIDTH};
use crate::sim::state::{LeafState, RegisterState, RimState};
use crate::store::codec::{Bytes, Corrupt};
use crate::tile::carry::finest_cells;
use crate::tile::planes::ONE;
use crate::tile::{Carry, Ground, Sheet, Water};
use crate::units::{CEILING, Volume};
use crate::world::file::planes;

/// The form that this build writes, and the newest that it reads.
const FORM: u8 = 1;

// Bits of byte 1.
const ASLEEP: u8 = 1;
const WET: u8 = 2;
const INFILTRATED: u8 = 4;

/// Largest unit discharge that is taken for one, m²/s.
const FLOW_MOST: f32 = 1.0e7;

/// Why bytes are no leaf.
const BROKEN: &str = "it does not decode";

fn broken(_: Corrupt) -> &'static str {
    BROKEN
}

/// The bytes of a leaf; its tracers stand elsewhere.
pub fn leaf_bytes(state: &LeafState, bed: &[i32]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 << 10);
    let has_ground_water = state.infiltrated.is_some();
    let bits = [(state.is_asleep, ASLEEP), (state.is_wet, WET), (has_ground_water, INFILTRATED)];
    let bits = bits.into_iter().filter(|(is_set, _)| *is_set).fold(0, |all, (_, bit)| all | bit);
    out.extend([FORM, bits]);
    out.extend(u16::try_from(state.water.contents.len()).expect("few tracers").to_le_bytes());
    out.extend(state.quiet.to_le_bytes());
    out.extend(state.flow_depth_max.to_le_bytes());
    out.extend(state.carry.water.to_le_bytes());
    out.extend(state.carry.infiltrated.to_le_bytes());
    state.carry.contents.iter().for_each(|content| out.extend(content.to_le_bytes()));
    planes::put_depth(&mut out, &state.water.depth, bed);
    planes::put_floats(&mut out, &state.water.flow_x);
    planes::put_floats(&mut out, &state.water.flow_y);
    if let Some(plane) = &state.infiltrated {
        planes::put_ints(&mut out, plane);
    }
    let count = u16::try_from(state.rim.len()).expect("four faces of each of 4096 cells");
    out.extend(count.to_le_bytes());
    for face in &state.rim {
        out.extend(face.cell.to_le_bytes());
        out.extend([face.side as u8, 0]);
        for number in [face.slope, face.q, face.expected, face.units_per_flow] {
            out.extend(number.to_le_bytes());
        }
        out.extend(face.left.to_le_bytes());
        out.extend(face.credit.to_le_bytes());
    }
    put_edges(state, &mut out);
    out
}

fn put_edges(state: &LeafState, out: &mut Vec<u8>) {
    let beyond = state.beyond.iter().map(Option::is_some);
    let all = beyond.chain(state.registers.iter().map(Option::is_some));
    out.push((0..).zip(all).fold(0, |bits, (at, is_set)| bits | u8::from(is_set) << at));
    for row in state.beyond.iter().flatten() {
        row.iter().for_each(|q| out.extend(q.to_le_bytes()));
    }
    for register in state.registers.iter().flatten() {
        let rows = [register.gained].into_iter().chain(register.contents.iter().copied());
        rows.flatten().for_each(|units| out.extend(units.to_le_bytes()));
    }
}

/// The bytes of the content of a tracer.
pub fn content_bytes(plane: &[i64]) -> Vec<u8> {
    let mut out = vec![FORM];
    planes::put_wide(&mut out, plane.iter().map(|cell| cell.cast_unsigned()));
    out
}

/// The content of a tracer that these bytes are.
pub fn content_of(bytes: &[u8]) -> Result<Sheet<i64>, &'static str> {
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

/// The leaf that these bytes are, over its bed, without the contents of its tracers.
pub fn leaf_of(bytes: &[u8], bed: &[i32]) -> Result<LeafState, &'static str> {
    let mut bytes = Bytes(bytes);
    check_form(bytes.take_byte().map_err(broken)?, FORM)?;
    let state = take_leaf(&mut bytes, bed).map_err(broken)?;
    bytes.end().map_err(broken)?;
    state.ok_or(BROKEN)
}

/// Takes all after the form; `None` where a number stands for nothing.
fn take_leaf(bytes: &mut Bytes<'_>, bed: &[i32]) -> Result<Option<LeafState>, Corrupt> {
    let bits = bytes.take_byte()?;
    let tracers = usize::from(u16::from_le_bytes(bytes.take_array()?));
    let quiet = u32::from_le_bytes(bytes.take_array()?);
    let flow_depth_max = f32::from_le_bytes(bytes.take_array()?);
    let [water, infiltrated] = [take_i64(bytes)?, take_i64(bytes)?];
    let contents: Result<_, _> =
        (0..tracers).map(|_| bytes.take_array().map(Volume::from_le_bytes)).collect();
    let carry = Carry { water, infiltrated, contents: contents? };
    let water = Water {
        depth: planes::take_depth(bytes, bed)?,
        flow_x: planes::take_floats(bytes)?,
        flow_y: planes::take_floats(bytes)?,
        contents: Vec::new(),
    };
    let has_ground_water = bits & INFILTRATED != 0;
    let infiltrated = has_ground_water.then(|| planes::take_ints(bytes)).transpose()?;
    let count = u16::from_le_bytes(bytes.take_array()?);
    let rim: Result<Option<Vec<RimState>>, Corrupt> =
        (0..count).map(|_| take_face(bytes)).collect();
    let mask = bytes.take_byte()?;
    let mut beyond = [None, None];
    for (at, row) in beyond.iter_mut().enumerate() {
        if mask >> at & 1 == 1 {
            let mut faces = Box::new([0.0; TILE_WIDTH]);
            for q in &mut *faces {
                *q = f32::from_le_bytes(bytes.take_array()?);
            }
            *row = Some(faces);
        }
    }
    let mut registers = [const { None }; 4];
    for (side, register) in registers.iter_mut().enumerate() {
        if mask >> (2 + side) & 1 == 1 {
            let gained = take_row(bytes)?;
            let contents: Result<_, _> = (0..tracers).map(|_| take_row(bytes)).collect();
            *register = Some(RegisterState { gained, contents: contents? });
        }
    }
    let Some(rim) = rim?.filter(|_| mask >> 6 == 0 && bits >> 3 == 0) else { return Ok(None) };
    let (is_asleep, is_wet) = (bits & ASLEEP != 0, bits & WET != 0);
    Ok(Some(LeafState {
        water,
        carry,
        infiltrated,
        rim,
        beyond,
        registers,
        quiet,
        flow_depth_max,
        is_asleep,
        is_wet,
    }))
}

fn take_i64(bytes: &mut Bytes<'_>) -> Result<i64, Corrupt> {
    bytes.take_array().map(i64::from_le_bytes)
}

fn take_row(bytes: &mut Bytes<'_>) -> Result<[i64; TILE_WIDTH], Corrupt> {
    let mut row = [0; TILE_WIDTH];
    for units in &mut row {
        *units = take_i64(bytes)?;
    }
    Ok(row)
}

fn take_face(bytes: &mut Bytes<'_>) -> Result<Option<RimState>, Corrupt> {
    let cell = u16::from_le_bytes(bytes.take_array()?);
    let [side, zero] = bytes.take_array()?;
    let mut numbers = [0.0; 4];
    for number in &mut numbers {
        *number = f32::from_le_bytes(bytes.take_array()?);
    }
    let [slope, q, expected, units_per_flow] = numbers;
    let left = i32::from_le_bytes(bytes.take_array()?);
    let credit = take_i64(bytes)?;
    let side = Side::ALL.get(usize::from(side)).filter(|_| zero == 0);
    let face = |&side| RimState { cell, side, slope, q, expected, left, units_per_flow, credit };
    Ok(side.map(face))
}

/// What no leaf of `level` on this ground has.
pub fn fault(state: &LeafState, ground: &Ground, level: u8) -> Option<&'static str> {
    let LeafState { water, carry, rim, .. } = state;
    for cell in 0..TILE_CELLS {
        let depth = water.depth[cell];
        let most = if ground.is_inside(cell) { ground.room(cell).max(0) } else { 0 };
        if !(0..=most).contains(&depth) {
            return Some("it has a depth that is none: below 0, outside, or above the ceiling");
        }
        let most = ONE * i64::from(depth);
        if water.contents.iter().any(|plane| !(0..=most).contains(&plane[cell])) {
            return Some("it has a concentration below 0 or above 1");
        }
    }
    let flows = water.flow_x.iter().chain(&water.flow_y);
    let beyond = state.beyond.iter().flatten().flat_map(|row| row.iter());
    let of_rim = rim.iter().flat_map(|face| [&face.q, &face.expected]);
    // −0 is no value of a flow that is kept.
    let is_flow = |q: &f32| q.abs() <= FLOW_MOST && q.to_bits() != (-0.0_f32).to_bits();
    if !flows.chain(beyond).all(is_flow) || !of_rim.into_iter().all(|q| q.abs() <= FLOW_MOST) {
        return Some("it has a discharge that is none");
    }
    let is_number = |face: &RimState| {
        let is_scale = (0.0..1.0e20).contains(&face.units_per_flow);
        let is_left = (0..=2 * CEILING).contains(&face.left);
        is_scale && is_left && face.slope.is_finite() && face.credit.abs() < 1 << 60
    };
    if !rim.iter().all(is_number) || !(0.0..1.0e5).contains(&state.flow_depth_max) {
        return Some("its rim or its flow depth is none");
    }
    let most = Volume::from(ONE) * Volume::from(Carry::most(level));
    if carry.water.abs() > Carry::most(level)
        || !(0..finest_cells(level)).contains(&carry.infiltrated)
        || carry.contents.iter().any(|content| content.abs() > most)
    {
        return Some("its carry is beyond the bound");
    }
    let under_way = state.registers.iter().flatten();
    if under_way.clone().flat_map(|own| own.gained).any(|gained| !(0..4).contains(&gained))
        || under_way
            .flat_map(|own| own.contents.iter().flatten())
            .any(|&c| !(0..4 * ONE).contains(&c))
    {
        return Some("more is under way from finer leaves than a step leaves behind");
    }
    let soaked = state.infiltrated.iter().flatten();
    if soaked.into_iter().any(|&units| units < 0) {
        return Some("it has an infiltrated depth below 0");
    }
    None
}
