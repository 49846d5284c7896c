// The thrust of water that is compressed, `flow::bores` of thalweg.

// Thrusts of cells from 1 before the part on.
var<workgroup> thrusts: array<f32, 289>;

fn thrust_cell(x: i32, y: i32) -> i32 {
  return (y + 1) * 17 + x + 1;
}

// flow::bores::far: whether no cell beyond the world lies beside a cell along an axis.
fn is_far(cell: i32, along: i32) -> bool {
  let beside = max(near_beds[cell - along], near_beds[cell + along]);
  return max(near_beds[cell], beside) < OUTSIDE;
}

// Falls of the velocity over a cell and those before and behind it; flow::bores::known.
fn falls(axis: i32, x: i32, y: i32) -> vec3<f32> {
  let face = near_face(axis, x, y);
  let cell = near_cell(x, y);
  let along = faces_along(axis).x;
  let cells = cells_along(axis).x;
  let u = vec2(speeds[face], speeds[face + along]);
  let own = APART(SUB(u.x, u.y));
  var fall = vec3(SUB(speeds[face - along], u.x), own, SUB(u.y, speeds[face + 2 * along]));
  if (!is_far(cell - cells, cells)) {
    fall.x = own;
  }
  if (!is_far(cell + cells, cells)) {
    fall.z = own;
  }
  if (!is_far(cell, cells)) {
    fall.y = 0.0;
  }
  return fall;
}

// flow::bores::uneven
fn uneven(fall: vec3<f32>) -> f32 {
  let mean = MUL(0.55, ADD(fall.x, fall.z));
  let even = min_f(mean, PRO(2.0, min_f(fall.x, fall.z)));
  return max_f(SUB(fall.y, max_f(even, 0.0)), 0.0);
}

// flow::bores::thrust_of
fn take_thrust(x: i32, y: i32) {
  let here = cell_near(x, y);
  let net = (transfers[west(here)] - transfers[west(cell_near(x + 1, y))])
    + (transfers[south(here)] - transfers[south(cell_near(x, y + 1))]);
  if (net <= 0) {
    thrusts[thrust_cell(x, y)] = 0.0;
    return;
  }
  let h = f32(near_depths[near_cell(x, y)]);
  let falls_x = falls(0, x, y);
  let falls_y = falls(1, x, y);
  let wave = PRO(0.28284273, SQRT(PRO(step.wave_of_unit, h)));
  let both = max_f(ADD(falls_x.y, falls_y.y), 0.0);
  let steep = min_f(ADD(uneven(falls_x), uneven(falls_y)), both);
  let gathered = PRO(f32(net), step.speed_max);
  let compressed = min_f(PRO(h, steep), gathered);
  thrusts[thrust_cell(x, y)] = MUL(min_f(wave, 0.25), compressed);
}

// flow::bores::Bores::gain: what a face gains from the thrust of the cells before and behind it.
fn thrust_at(axis: i32, x: i32, y: i32) -> f32 {
  let behind = thrust_cell(x, y);
  let cell = near_cell(x, y);
  let along = cells_along(axis).x;
  let gained = SUB(thrusts[behind - select(17, 1, axis == 0)], thrusts[behind]);
  return select(0.0, gained, is_far(cell - along, along) && is_far(cell, along));
}
