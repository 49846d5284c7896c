// Bounds of quiet water, `sim::quiet::Quiet` of thalweg, which stand in the tables.

fn film_m() -> f32 {
  return bitcast<f32>(tables[step.quiet_at]);
}
fn shallow_m() -> f32 {
  return bitcast<f32>(tables[step.quiet_at + 1u]);
}
fn trickle_m() -> f32 {
  return bitcast<f32>(tables[step.quiet_at + 2u]);
}
fn fall_most() -> i32 {
  return bitcast<i32>(tables[step.quiet_at + 3u]);
}
fn swift_most() -> f32 {
  return bitcast<f32>(tables[step.quiet_at + 4u]);
}
fn wave_most() -> f32 {
  return bitcast<f32>(tables[step.quiet_at + 5u]);
}
fn per_gravity() -> f32 {
  return bitcast<f32>(tables[step.quiet_at + 6u]);
}
fn friction_most() -> f32 {
  return bitcast<f32>(tables[step.quiet_at + 7u]);
}

fn is_deep(here: FlowDepth) -> bool {
  return here.opening > 0 && here.h_f >= film_m();
}
fn is_swift(speed: f32, here: FlowDepth) -> bool {
  return PRO(PRO(speed, speed), here.h_f) > swift_most();
}
fn runs_off(speed: f32, here: FlowDepth, n2: f32) -> bool {
  return PRO(PRO(PRO(speed, speed), n2), here.drag) > friction_most();
}

// sim::quiet::Quiet::is_active
fn is_loud(speed: f32, here: FlowDepth, rise: i32, n2: f32) -> bool {
  let is_moving = is_swift(speed, here) || runs_off(speed, here, n2);
  return is_deep(here) && (abs(rise) > fall_most() || is_moving);
}
