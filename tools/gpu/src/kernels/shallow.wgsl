// Shallow water: `flow::shallow` of thalweg, its velocities and transfers. The
// order stands before this text: IS_SECOND.
//
// A workgroup steps 16 x 16 cells of a leaf, with as many cells about them as they need: what
// others compute of those it computes again, so nothing hangs on who else is awake. Places are those
// from the corner of its part on; an axis is 0 or 1 for west or south faces. A product by a power of
// two is exact: whether a sum takes it up makes no difference.

const CUTS_DISCHARGES: bool = false;

const OUTSIDE: i32 = 1073741823;

// Cells, from 3 before to 2 behind the part.
var<workgroup> near_beds: array<i32, 441>;
var<workgroup> near_depths: array<i32, 441>;
// Velocities over faces, from 2 before to 2 behind.
var<workgroup> speeds: array<f32, 800>;
// 1 where water is near.
var<workgroup> is_wet: u32;

fn near_cell(x: i32, y: i32) -> i32 {
  return (y + 3) * 21 + x + 3;
}
fn near_face(axis: i32, x: i32, y: i32) -> i32 {
  return (axis * 20 + y + 2) * 20 + x + 2;
}
// Steps from a cell to the one behind it along an axis and across, and likewise of faces.
fn cells_along(axis: i32) -> vec2<i32> {
  return select(vec2(21, 1), vec2(1, 21), axis == 0);
}
fn faces_along(axis: i32) -> vec2<i32> {
  return select(vec2(20, 1), vec2(1, 20), axis == 0);
}

// The corner of the part of a leaf that a workgroup steps.
fn corner_of(group: vec3<u32>) -> vec2<i32> {
  return vec2(i32(group.x & 3u), i32(group.x >> 2u)) * 16;
}

// Takes the cells of a part from `first` on, of a square of so many; notes whether one is wet.
fn take_cells(record: u32, corner: vec2<i32>, thread: u32, first: i32, width: i32) {
  if (thread == 0u) {
    is_wet = 0u;
  }
  workgroupBarrier();
  for (var i = i32(thread); i < width * width; i = i + 256) {
    let x = i % width + first;
    let y = i / width + first;
    let cell = one(at(record, corner.x + x, corner.y + y));
    let depth = depths[cell];
    near_beds[near_cell(x, y)] = beds[cell];
    near_depths[near_cell(x, y)] = depth;
    if (depth != 0) {
      is_wet = 1u;
    }
  }
}

fn rise_over(bed: vec2<i32>, depth: vec2<i32>, opening: i32) -> f32 {
  let is_smooth = max(bed.x, bed.y) - min(bed.x, bed.y) <= opening;
  return select(0.0, f32(depth.y - depth.x), is_smooth);
}

// Beds or depths of the cells before and behind a face.
fn beds_at(cell: i32, along: i32) -> vec2<i32> {
  return vec2(near_beds[cell - along], near_beds[cell]);
}
fn depths_at(cell: i32, along: i32) -> vec2<i32> {
  return vec2(near_depths[cell - along], near_depths[cell]);
}

// A cell near the part of a record that a workgroup steps, and the one before it along an axis.
var<private> own_record: u32;
var<private> own_corner: vec2<i32>;

fn cell_near(x: i32, y: i32) -> At {
  return at(own_record, own_corner.x + x, own_corner.y + y);
}
fn cell_before(axis: i32, x: i32, y: i32) -> At {
  return cell_near(x - (1 - axis), y - axis);
}

// Stages of the cells before and behind a face at the start of the step, its lowest sill and how far
// it is open.
struct Sight {
  eta: vec2<i32>,
  sill: i32,
  opening: i32,
}
fn sight(axis: i32, x: i32, y: i32) -> Sight {
  if (COLUMNS) {
    let here = cell_near(x, y);
    let eta = vec2(column_int(cell_before(axis, x, y), STAGE_OLD), column_int(here, STAGE_OLD));
    return Sight(eta, sill_of(here, u32(axis)), column_int(here, OPEN_OLD + u32(axis)));
  }
  let cell = near_cell(x, y);
  let bed = beds_at(cell, cells_along(axis).x);
  let eta = bed + depths_at(cell, cells_along(axis).x);
  let sill = max(bed.x, bed.y);
  return Sight(eta, sill, max(eta.x, eta.y) - sill);
}
fn is_covered_at(axis: i32, x: i32, y: i32) -> bool {
  return !COLUMNS || is_covered(cell_before(axis, x, y), cell_near(x, y));
}

// The velocity over a face.
fn take_velocity(axis: i32, x: i32, y: i32) {
  let q = flow(west(cell_near(x, y)) + u32(axis) * 4096u);
  speeds[near_face(axis, x, y)] = speed_over(q, sight(axis, x, y).opening);
}

// Rises of the depth over faces, slopes of the depth along both axes, and depths half a step on.
var<workgroup> rises: array<f32, 800>;
var<workgroup> depth_slopes: array<f32, 578>;
var<workgroup> half_depths: array<f32, 289>;
var<workgroup> keys: array<vec2<u32>, 32>;

// Of cells from 1 before the part on.
fn half_cell(x: i32, y: i32) -> i32 {
  return (y + 1) * 17 + x + 1;
}

// flow::shallow::slopes and depths_half
fn take_half_depth(x: i32, y: i32) {
  let here = near_face(0, x, y);
  let there = near_face(1, x, y);
  let west = speeds[here];
  let east = speeds[here + 1];
  let south = speeds[there];
  let north = speeds[there + 20];
  let slope_x = limited(rises[here], rises[here + 1]);
  let slope_y = limited(rises[there], rises[there + 20]);
  let place = half_cell(x, y);
  depth_slopes[place] = slope_x;
  depth_slopes[289 + place] = slope_y;
  half_depths[place] = depth_half(
    near_depths[near_cell(x, y)], vec2(west, east), vec2(south, north), vec2(slope_x, slope_y),
    step.cells_per_m_s);
}

// flow::shallow::ShallowWater::propose
fn proposal(axis: i32, x: i32, y: i32) -> f32 {
  let speed = speeds[near_face(axis, x, y)];
  if (speed == 0.0) {
    return 0.0;
  }
  let cells = PRO(speed, step.cells_per_m_s);
  if (!is_covered_at(axis, x, y)) {
    return PRO(cells, f32(sight(axis, x, y).opening));
  }
  if (!IS_SECOND) {
    let depth = depths_at(near_cell(x, y), cells_along(axis).x);
    return PRO(cells, f32(select(depth.y, depth.x, speed >= 0.0)));
  }
  let behind = half_cell(x, y);
  let before = behind - select(17, 1, axis == 0);
  let depth = vec2(half_depths[before], half_depths[behind]);
  let slope = vec2(depth_slopes[289 * axis + before], depth_slopes[289 * axis + behind]);
  return PRO(cells, max_f(carried(speed, depth, slope), 0.0));
}

@compute @workgroup_size(256)
fn transfer_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count || !is_asked(records[record].moving, group.x)) {
    return;
  }
  let corner = corner_of(group);
  own_record = record;
  own_corner = corner;
  take_cells(record, corner, thread, -2, 19);
  let x = i32(thread & 15u);
  let y = i32(thread >> 4u);
  let here = at(record, corner.x + x, corner.y + y);
  if (workgroupUniformLoad(&is_wet) == 0u) {
    transfers[west(here)] = 0;
    transfers[south(here)] = 0;
    return;
  }
  if (thread < 32u) {
    let axis_key = select(step.key_y, step.key_x, thread < 16u);
    let row = records[record].south + u32(corner.y) + (thread & 15u);
    keys[thread] = row_key(axis_key, row);
  }
  for (var i = i32(thread); i < 648; i = i + 256) {
    let axis = i / 324;
    let u = i % 18 - 1;
    let v = (i / 18) % 18 - 1;
    take_velocity(axis, u, v);
    if (IS_SECOND) {
      var rise = 0.0;
      if (is_covered_at(axis, u, v)) {
        let cell = near_cell(u, v);
        let along = cells_along(axis).x;
        let opening = sight(axis, u, v).opening;
        rise = rise_over(beds_at(cell, along), depths_at(cell, along), opening);
      }
      rises[near_face(axis, u, v)] = rise;
    }
  }
  workgroupBarrier();
  if (IS_SECOND) {
    for (var i = i32(thread); i < 289; i = i + 256) {
      take_half_depth(i % 17 - 1, i / 17 - 1);
    }
    workgroupBarrier();
  }
  let place = records[record].west + u32(corner.x + x);
  let cell = near_cell(x, y);
  let wanted_x = proposal(0, x, y);
  let wanted_y = proposal(1, x, y);
  let key_x = keys[thread >> 4u];
  let key_y = keys[16u + (thread >> 4u)];
  let depth_x = depths_at(cell, 1);
  let depth_y = depths_at(cell, 21);
  var over_x = Moved(0, 0);
  var over_y = Moved(0, 0);
  if (COLUMNS) {
    over_x = transfer_through(wanted_x, place, key_x, 0u, cell_before(0, x, y), here, depth_x);
    over_y = transfer_through(wanted_y, place, key_y, 1u, cell_before(1, x, y), here, depth_y);
  } else {
    over_x = transfer(wanted_x, place, key_x, beds_at(cell, 1), depth_x);
    over_y = transfer(wanted_y, place, key_y, beds_at(cell, 21), depth_y);
  }
  transfers[west(here)] = over_x.units;
  transfers[south(here)] = over_y.units;
}
