//! Flood maps of a leaf as bytes and back: the extents of layer `Maps`.

use crate::probe::LeafMaps;
use crate::world::file::leaf::check_form;
use crate::world::file::planes;
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::sim::maps::{BelowMaps, HighestWater};
use thalweg_engine::store::codec::{Bytes, Corrupt};
use thalweg_engine::tile::{CowPlane, MapKinds};
use thalweg_engine::units::{CEILING, SimTime};

/// The form of all kinds; form 1 has no times of the last and the deepest water.
const ALL_FORM: u8 = 2;

/// The form of some kinds.
const SOME_FORM: u8 = 3;

/// The form of any kinds with water below the ground, and the newest that this build reads.
const BELOW_FORM: u8 = 4;

/// Returns the bytes of the maps of a leaf.
pub fn maps_bytes(maps: &LeafMaps) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 << 10);
    let maxima = maps.below().map_or(&[][..], BelowMaps::all);
    match (maps.kinds(), maxima.is_empty()) {
        (MapKinds::ALL, true) => out.push(ALL_FORM),
        (kinds, true) => out.extend([SOME_FORM, kinds.bits()]),
        (kinds, false) => out.extend([BELOW_FORM, kinds.bits()]),
    }
    out.extend(maps.seen.ticks().to_le_bytes());
    let put = |out: &mut Vec<u8>, plane: &Option<CowPlane<f32>>| {
        plane.iter().for_each(|plane| planes::put_floats(out, plane));
    };
    maps.depth_max.iter().for_each(|plane| planes::put_ints(&mut out, plane));
    put(&mut out, &maps.speed_max);
    maps.velocity.iter().flatten().for_each(|plane| planes::put_floats(&mut out, plane));
    for plane in [&maps.hazard_max, &maps.arrival_s, &maps.was_wet] {
        put(&mut out, plane);
    }
    if let Some(plane) = &maps.duration_s {
        planes::put_wide(&mut out, plane.iter().map(|seconds| seconds.to_bits()));
    }
    for plane in [&maps.wet_last_s, &maps.deepest_s] {
        put(&mut out, plane);
    }
    if !maxima.is_empty() {
        put_highest(&mut out, maxima);
    }
    out
}

/// Appends the highest water of intervals: their number, then one after the other.
fn put_highest(out: &mut Vec<u8>, maxima: &[HighestWater]) {
    out.extend(u32::try_from(maxima.len()).expect("2³² at most").to_le_bytes());
    for &HighestWater { cell, bed, ceiling, depth_max, surface_max } in maxima {
        out.extend(cell.to_le_bytes());
        let heights = [bed, ceiling, depth_max, surface_max];
        heights.into_iter().for_each(|units| out.extend(units.to_le_bytes()));
    }
}

/// Takes the number of maxima that the bytes state, and returns them.
fn take_highest(bytes: &mut Bytes<'_>) -> Result<Vec<HighestWater>, Corrupt> {
    let count = u32::from_le_bytes(bytes.take_array()?);
    // The stated count may be wrong, so no room is reserved for it: the bytes end first.
    let mut maxima = Vec::new();
    for _ in 0..count {
        let cell = u16::from_le_bytes(bytes.take_array()?);
        let mut height = || bytes.take_array().map(i32::from_le_bytes);
        let (bed, ceiling) = (height()?, height()?);
        let (depth_max, surface_max) = (height()?, height()?);
        maxima.push(HighestWater { cell, bed, ceiling, depth_max, surface_max });
    }
    Ok(maxima)
}

/// Returns true if maxima are valid for intervals of a leaf, in their order.
fn are_highest(maxima: &[HighestWater]) -> bool {
    let heights = -CEILING..=CEILING;
    let is_good = |highest: &HighestWater| {
        let HighestWater { cell, bed, ceiling, depth_max, surface_max } = *highest;
        usize::from(cell) < TILE_CELLS
            && [bed, ceiling, surface_max].iter().all(|units| heights.contains(units))
            && bed < ceiling
            && (0..=ceiling - bed).contains(&depth_max)
            && surface_max >= bed + depth_max
    };
    let rises = |pair: &[HighestWater]| (pair[0].cell, pair[0].bed) < (pair[1].cell, pair[1].bed);
    maxima.iter().all(is_good) && maxima.windows(2).all(rises)
}

/// Replaces `maps` by the maps in `bytes`, which are those of the same leaf.
pub fn take_maps(bytes: &[u8], maps: &mut LeafMaps) -> Result<(), &'static str> {
    let broken = |_: Corrupt| "it does not decode";
    let mut bytes = Bytes(bytes);
    let form = bytes.take_byte().map_err(broken)?;
    check_form(form, BELOW_FORM)?;
    let kinds = match form {
        SOME_FORM | BELOW_FORM => bytes.take_byte().map_err(broken)?,
        _ => MapKinds::ALL.bits(),
    };
    if kinds != maps.kinds().bits() {
        return Err("it has flood maps of other kinds than its world keeps");
    }
    read(&mut bytes, maps, form).map_err(broken)?;
    let maxima = match form {
        BELOW_FORM => take_highest(&mut bytes).map_err(broken)?,
        _ => Vec::new(),
    };
    bytes.end().map_err(broken)?;
    let depths = maps.depth_max.iter().flatten();
    let times = maps.wet_last_s.iter().chain(&maps.deepest_s).flatten();
    let is_good = depths.into_iter().all(|depth| (0..=2 * CEILING).contains(depth))
        && maps.floats().flatten().all(|value| !value.is_nan())
        && times.into_iter().all(|seconds| *seconds >= 0.0)
        && maps.was_wet.iter().flatten().all(|wet| (0.0..=1.0).contains(wet))
        && maps.duration_s.iter().flatten().all(|seconds| *seconds >= 0.0)
        && maps.seen <= SimTime::MAX
        && are_highest(&maxima)
        && (maxima.is_empty() || maps.kinds().has(MapKinds::DEPTH));
    if !is_good {
        return Err("it has a value that no map has");
    }
    maps.set_below(maxima.into());
    Ok(())
}

/// Reads the planes of the kinds that the maps have.
fn read(bytes: &mut Bytes<'_>, maps: &mut LeafMaps, form: u8) -> Result<(), Corrupt> {
    maps.seen = SimTime::from_ticks(u64::from_le_bytes(bytes.take_array()?));
    let maps = maps.planes_mut();
    if let Some(plane) = &mut maps.depth_max {
        *plane = planes::take_ints(bytes)?;
    }
    let before = maps.speed_max.iter_mut().chain(maps.velocity.iter_mut().flatten());
    let before = before.chain(&mut maps.hazard_max).chain(&mut maps.arrival_s);
    for plane in before.chain(&mut maps.was_wet) {
        *plane = planes::take_floats(bytes)?;
    }
    if let Some(plane) = &mut maps.duration_s {
        *plane = planes::take_wide(bytes)?.into_iter().map(f64::from_bits).collect();
    }
    for plane in maps.wet_last_s.iter_mut().chain(&mut maps.deepest_s) {
        *plane = match form {
            1 => vec![f32::INFINITY; TILE_CELLS].into(),
            _ => planes::take_floats(bytes)?,
        };
    }
    Ok(())
}
