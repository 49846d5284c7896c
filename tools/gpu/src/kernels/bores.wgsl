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

// Falls of the velocity over a cell and those before and behind it.
fn falls(axis: i32, x: i32, y: i32) -> vec3<f32> {
  let face = near_face(axis, x, y);
  let cell = near_cell(x, y);
  let along = faces_along(axis).x;
  let cells = cells_along(axis).x;
  let u = vec2(speeds[face], speeds[face + along]);
  let own = APART(SUB(u.x, u.y));
  let fall = vec3(SUB(speeds[face - along], u.x), own, SUB(u.y, speeds[face + 2 * along]));
  let far = vec3(is_far(cell - cells, cells), is_far(cell, cells), is_far(cell + cells, cells));
  return known(fall, select(vec3(0.0), vec3(1.0), far));
}

fn take_thrust(x: i32, y: i32) {
  let here = cell_near(x, y);
  let net = (transfers[west(here)] - transfers[west(cell_near(x + 1, y))])
    + (transfers[south(here)] - transfers[south(cell_near(x, y + 1))]);
  if (net <= 0) {
    thrusts[thrust_cell(x, y)] = 0.0;
    return;
  }
  let depth = near_depths[near_cell(x, y)];
  thrusts[thrust_cell(x, y)] = thrust_of(depth, falls(0, x, y), falls(1, x, y), net);
}

// flow::bores::Bores::gain: what a face gains from the thrust of the cells before and behind it.
fn thrust_at(axis: i32, x: i32, y: i32) -> f32 {
  let behind = thrust_cell(x, y);
  let cell = near_cell(x, y);
  let along = cells_along(axis).x;
  let gained = SUB(thrusts[behind - select(17, 1, axis == 0)], thrusts[behind]);
  return select(0.0, gained, is_far(cell - along, along) && is_far(cell, along));
}
