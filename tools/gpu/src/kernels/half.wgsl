// Velocities half a step on, `flow::half` of thalweg, and those that walls pass on, `flow::walls`.

// Velocities over faces from 1 before to 1 behind the part, and their slopes from west to east and
// from south to north.
var<workgroup> half_speeds: array<f32, 648>;
var<workgroup> half_slopes: array<f32, 1296>;

fn half_face(axis: i32, x: i32, y: i32) -> i32 {
  return (axis * 18 + y + 1) * 18 + x + 1;
}

// The squares of Manning's n of the cells before and behind a face.
fn roughness_at(axis: i32, x: i32, y: i32) -> vec2<f32> {
  if (step.has_classes == 0u) {
    return vec2(bitcast<f32>(tables[0]));
  }
  return vec2(n2_of(cell_before(axis, x, y)), n2_of(cell_near(x, y)));
}

// The mean of the velocities over the four faces across a face: flow::half::faces_across.
fn across_at(axis: i32, face: i32) -> f32 {
  return flush(mean_across(axis, face));
}
fn mean_across(axis: i32, face: i32) -> f32 {
  let there = face + select(-400, 400, axis == 0);
  let step_of = faces_along(axis);
  let near = ADD(speeds[there - step_of.x], speeds[there]);
  let far = ADD(speeds[there - step_of.x + step_of.y], speeds[there + step_of.y]);
  return PRO(0.25, ADD(near, far));
}

// flow::half::HalfStep::fill_block
fn take_half(axis: i32, x: i32, y: i32) {
  let face = near_face(axis, x, y);
  let depth = depths_at(near_cell(x, y), cells_along(axis).x);
  let over = sight(axis, x, y);
  let place = half_face(axis, x, y);
  if (column_pair_is_wall(ColumnPair(depth, over.eta, over.sill), step.wall_least)) {
    half_speeds[place] = passed_on(axis, x, y);
    half_slopes[place] = 0.0;
    half_slopes[648 + place] = 0.0;
    return;
  }
  let own = speeds[face];
  if (!IS_SECOND) {
    half_speeds[place] = own;
    return;
  }
  let slope_x = limited(APART(SUB(own, speeds[face - 1])), SUB(speeds[face + 1], own));
  let slope_y = limited(APART(SUB(own, speeds[face - 20])), SUB(speeds[face + 20], own));
  half_slopes[place] = slope_x;
  half_slopes[648 + place] = slope_y;
  let opening = over.opening;
  if (opening <= 0) {
    half_speeds[place] = 0.0;
    return;
  }
  let other = across_at(axis, face);
  let slopes = select(vec2(slope_y, slope_x), vec2(slope_x, slope_y), axis == 0);
  let drift = ADD(MUL(own, slopes.x), MUL(other, slopes.y));
  let drifted = SUB(own, MUL(PRO(0.5, step.cells_per_m_s), drift));
  let pull = PRO(PRO(0.5, step.gravity_ratio), step.unit_m);
  var value = SUB(drifted, MUL(pull, f32(over.eta.y - over.eta.x)));
  if (is_covered_at(axis, x, y)) {
    value = held(value, vec2(own, other), opening, roughness_at(axis, x, y));
  }
  let most = PRO(CELLS_A_STEP, step.speed_max);
  let fastest = min_f(ADD(abs_f(drifted), MUL(pull, f32(opening))), most);
  half_speeds[place] = flush(max_f(-fastest, min_f(value, fastest)));
}

fn is_closed(axis: i32, cell: i32) -> bool {
  let over = sight(axis, cell % 21 - 3, cell / 21 - 3);
  let depth = depths_at(cell, cells_along(axis).x);
  return column_pair_is_closed(ColumnPair(depth, over.eta, over.sill));
}

// flow::walls::HalfCells: the discharge of a stream, and the velocity that it brings.
fn stream(into: f32, source: i32, cell: i32, velocity: f32) -> vec2<f32> {
  let depth = near_depths[select(cell, source, into > 0.0)];
  return vec2(PRO(into, f32(depth)), velocity);
}

// flow::walls::HalfCells::take and passed_on. Places are those of cells and of faces.
fn passed_on(axis: i32, x: i32, y: i32) -> f32 {
  let behind = near_cell(x, y);
  let face = near_face(axis, x, y);
  let cells = cells_along(axis);
  let faces = faces_along(axis);
  let depth = depths_at(behind, cells.x);
  let is_behind = depth.y > depth.x;
  let cell = select(behind - cells.x, behind, is_behind);
  let opposite = select(face - faces.x, face + faces.x, is_behind);
  let beyond = select(behind - 2 * cells.x, behind + cells.x, is_behind);
  let inward = select(-1.0, 1.0, is_behind);
  // Over the low and the high end of the half.
  let there = face + select(-400, 400, axis == 0) - select(faces.x, 0, is_behind);
  let opening = max(sight(axis, x, y).opening, 0);
  var sums = array<f32, 3>(0.0, 0.0, 0.0);
  let own = speeds[face];
  let along = speeds[opposite];
  add_stream(&sums, stream(PRO(-inward, along), beyond, cell, along));
  for (var end = 0; end < 2; end = end + 1) {
    // The way out of the half over this end, and the end of the cell over against it.
    let out = select(-1, 1, end == 1);
    let other = select(cell + cells.y, cell, end == 1);
    let into = PRO(f32(-out), speeds[there + end * faces.y]);
    let is_corner = into > 0.0 && is_closed(1 - axis, other);
    let is_far = is_corner && is_closed(axis, behind + out * cells.y);
    let place = select(face, opposite, is_far) + out * faces.y;
    add_stream(&sums, stream(into, cell + out * cells.y, cell, speeds[place]));
  }
  add_stream(&sums, vec2(PRO(PRO(inward, own), f32(opening)), own));
  let comes = sums[1];
  let leaves = sums[2];
  let gained = ADD(sums[0], MUL(max_f(SUB(leaves, comes), 0.0), own));
  return flush(DIV(gained, max_f(max_f(comes, leaves), FLOW_LEAST)));
}
fn add_stream(sums: ptr<function, array<f32, 3>>, stream: vec2<f32>) {
  let coming = max_f(stream.x, 0.0);
  (*sums)[0] = ADD((*sums)[0], MUL(coming, stream.y));
  (*sums)[1] = ADD((*sums)[1], coming);
  (*sums)[2] = ADD((*sums)[2], max_f(-stream.x, 0.0));
}
