//! Flood maps of a leaf as bytes and back: the extents of layer `Maps`.

use crate::grid::TILE_CELLS;
use crate::probe::LeafMaps;
use crate::store::codec::{Bytes, Corrupt};
use crate::units::{CEILING, SimTime};
use crate::world::file::leaf::check_form;
use crate::world::file::planes;

/// The form that this build writes, and the newest that it reads: form 1 has no times of the last
/// and the deepest water.
const FORM: u8 = 2;

/// The bytes of the maps of a leaf.
pub fn maps_bytes(maps: &LeafMaps) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 << 10);
    out.push(FORM);
    out.extend(maps.seen.ticks().to_le_bytes());
    planes::put_ints(&mut out, &maps.depth_max);
    for plane in floats(maps) {
        planes::put_floats(&mut out, plane);
    }
    planes::put_wide(&mut out, maps.duration_s.iter().map(|seconds| seconds.to_bits()));
    planes::put_floats(&mut out, &maps.wet_last_s);
    planes::put_floats(&mut out, &maps.deepest_s);
    out
}

/// The planes of floats, in their order.
fn floats(maps: &LeafMaps) -> [&[f32]; 6] {
    let [x, y] = &maps.velocity;
    [&maps.speed_max, x, y, &maps.hazard_max, &maps.arrival_s, &maps.was_wet]
}

/// Takes maps that stand in `bytes` in the place of `maps`, which are those of the same leaf.
pub fn take_maps(bytes: &[u8], maps: &mut LeafMaps) -> Result<(), &'static str> {
    let broken = |_: Corrupt| "it does not decode";
    let mut bytes = Bytes(bytes);
    let form = bytes.take_byte().map_err(broken)?;
    check_form(form, FORM)?;
    read(&mut bytes, maps, form).map_err(broken)?;
    bytes.end().map_err(broken)?;
    let is_good = maps.depth_max.iter().all(|depth| (0..=2 * CEILING).contains(depth))
        && floats(maps).into_iter().flatten().all(|value| !value.is_nan())
        && maps.wet_last_s.iter().chain(&maps.deepest_s).all(|seconds| *seconds >= 0.0)
        && maps.was_wet.iter().all(|wet| (0.0..=1.0).contains(wet))
        && maps.duration_s.iter().all(|seconds| *seconds >= 0.0)
        && maps.seen <= SimTime::MAX;
    is_good.then_some(()).ok_or("it has a value that no map has")
}

fn read(bytes: &mut Bytes<'_>, maps: &mut LeafMaps, form: u8) -> Result<(), Corrupt> {
    maps.seen = SimTime::from_ticks(u64::from_le_bytes(bytes.take_array()?));
    maps.depth_max = planes::take_ints(bytes)?;
    maps.speed_max = planes::take_floats(bytes)?;
    for plane in &mut maps.velocity {
        *plane = planes::take_floats(bytes)?;
    }
    maps.hazard_max = planes::take_floats(bytes)?;
    maps.arrival_s = planes::take_floats(bytes)?;
    maps.was_wet = planes::take_floats(bytes)?;
    maps.duration_s = planes::take_wide(bytes)?.into_iter().map(f64::from_bits).collect();
    if form == 1 {
        let never = || vec![f32::INFINITY; TILE_CELLS].into();
        (maps.wet_last_s, maps.deepest_s) = (never(), never());
        return Ok(());
    }
    maps.wet_last_s = planes::take_floats(bytes)?;
    maps.deepest_s = planes::take_floats(bytes)?;
    Ok(())
}
