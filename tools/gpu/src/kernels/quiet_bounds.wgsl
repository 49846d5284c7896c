// Bounds of quiet water, `sim::quiet::Quiet` of thalweg, which stand in the tables.

fn bound(number: u32) -> u32 {
  return tables[step.quiet_at + number];
}
fn bounds() -> Quiet {
  return Quiet(
    bitcast<f32>(bound(0u)), bitcast<f32>(bound(1u)), bitcast<f32>(bound(2u)),
    bitcast<i32>(bound(3u)), bitcast<f32>(bound(4u)), bitcast<f32>(bound(5u)),
    bitcast<f32>(bound(6u)), step.unit_m, bitcast<f32>(bound(7u)));
}
