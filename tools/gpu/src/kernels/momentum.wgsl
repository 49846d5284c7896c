// New discharges of shallow water: `flow::momentum` of thalweg, with `flow::memory` and
// `flow::depth`.

// flow::memory, and flow::momentum::discharge_x and discharge_y: what the velocity over a face
// gains, units times m/s. `masses` cross the boundaries of its volume: before and behind it along
// the axis, then at its low and at its high end.
fn gained_at(axis: i32, x: i32, y: i32, u: f32, masses: vec4<f32>) -> f32 {
  let face = half_face(axis, x, y);
  let along = select(18, 1, axis == 0);
  let side = select(1, 18, axis == 0);
  let slopes_along = 648 * axis;
  let slopes_side = 648 - slopes_along;
  let before = carried_at(masses.x, face - along, face, slopes_along);
  let behind = carried_at(masses.y, face, face + along, slopes_along);
  let low = carried_at(masses.z, face - side, face, slopes_side);
  let high = carried_at(masses.w, face, face + side, slopes_side);
  let of_centres = SUB(MUL(masses.x, SUB(before, u)), MUL(masses.y, SUB(behind, u)));
  let of_low = ADD(of_centres, MUL(masses.z, SUB(low, u)));
  return SUB(of_low, MUL(masses.w, SUB(high, u)));
}
fn carried_at(over: f32, a: i32, b: i32, slopes: i32) -> f32 {
  var slope = vec2(0.0, 0.0);
  if (IS_SECOND) {
    slope = vec2(half_slopes[slopes + a], half_slopes[slopes + b]);
  }
  return carried(over, vec2(half_speeds[a], half_speeds[b]), slope);
}

// Water over a face at the end of a step: its flow depth, the rise of the stage over it, how far it
// falls over the sill, and bounds for sub-grid columns: what part of its momentum is carried, and
// the largest speed.
struct Passage {
  here: FlowDepth,
  rise: i32,
  drop: i32,
  carried: f32,
  fastest: f32,
}
const UNBOUNDED: f32 = 3.0e38;

fn passage(bed: vec2<i32>, depth: vec2<i32>) -> Passage {
  let eta = bed + depth;
  let sill = max(bed.x, bed.y);
  let here = flow_depth_of(max(eta.x, eta.y) - sill);
  return Passage(here, eta.y - eta.x, sill - min(eta.x, eta.y), 1.0, UNBOUNDED);
}

// The same between sub-grid columns.
fn passage_through(axis: i32, x: i32, y: i32) -> Passage {
  let cell = cell_near(x, y);
  let before = cell_before(axis, x, y);
  let plane = u32(axis);
  let conveying = column_float(cell, CONVEYING + plane);
  let slopes = slopes_new(before, cell);
  let here = flow_depth_through(FaceOpening(column_int(cell, OPEN_NEW + plane), conveying), slopes);
  let eta = stages_new(own_record, own_corner + vec2(x, y), plane, before, cell);
  let drop = max(eta.x, eta.y) - whole(conveying) - min(eta.x, eta.y);
  let steepest = max_f(slopes.x, slopes.y);
  var fastest = UNBOUNDED;
  if (steepest > 1.0) {
    let wave = SQRT(PRO(step.gravity, here.flowing));
    if (is_gap(here, eta, slopes, vec2(fall_of(cell, plane), sill_of(cell, plane)))) {
      fastest = PRO(GAP, wave);
    } else {
      fastest = PRO(wave, froude_channel(steepest));
    }
  }
  return Passage(here, rise_through(eta, before, cell), drop, carried_part(steepest), fastest);
}

// flow::momentum::Faces::advance; `bed` of the cells before the one before the face, before it,
// behind it and behind that.
fn advance_face(
  over: Passage, u: f32, v: f32, gained_all: f32, bed: vec4<i32>, depth: vec2<i32>,
  roughness: vec2<f32>,
) -> Face {
  let here = over.here;
  if (here.opening <= 0) {
    return STILL;
  }
  let rise = over.rise;
  let gained = PRO(gained_all, over.carried);
  let volume = max_f(ADD(f32(depth.x), f32(depth.y)), 1.0);
  var memory = 0.0;
  if (here.h_f >= DEPTH_DRY_M) {
    memory = ADD(u, DIV(gained, volume));
  }
  let pull = select(step.gravity_ratio, PRO(here.a, here.per_depth), here.a_free > here.a);
  let star = flush(SUB(memory, MUL(pull, PRO(f32(rise), step.unit_m))));
  let n2 = PRO(0.5, ADD(roughness.x, roughness.y));
  let k = PRO(PRO(PRO(step.friction, here.slowness), n2), here.drag);
  let out = slowed(star, vec2(u, v), k);

  let fall = bed.y - bed.z;
  let beside = select(max(bed.w - bed.z, 0), max(bed.x - bed.y, 0), fall > 0);
  let slope = MUL(SUB(f32(over.drop), PRO(2.0, f32(beside))), step.slope_of_unit);
  var u_free = over.fastest;
  if (slope > FALL) {
    u_free = min_f(PRO(SQRT(PRO(step.gravity, here.flowing)), froude_most(slope)), u_free);
  }
  var q_free = UNBOUNDED;
  if (u_free < UNBOUNDED) {
    q_free = PRO(u_free, here.h_f);
  }
  let u_most = face_params_speed_most(here.opening);
  let discharge = PRO(out, here.h_f);
  var face = flow_depth_finish(
    here, vec2(discharge, PRO(v, here.h_f)), abs_f(out), vec2(q_free, u_most), rise);
  if (abs_f(u) >= PRO(0.99, u_most)) {
    face.clamped = true;
  }
  return face;
}

@compute @workgroup_size(256)
fn discharge_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count || !is_asked(records[record].finished, group.x)) {
    return;
  }
  let corner = corner_of(group);
  own_record = record;
  own_corner = corner;
  take_cells(record, corner, thread, -3, 21);
  let x = i32(thread & 15u);
  let y = i32(thread >> 4u);
  let place = corner + vec2(x, y);
  let here = at(record, place.x, place.y);
  if (workgroupUniformLoad(&is_wet) == 0u) {
    if (is_halo_tile(record)) {
      keep_owned(record, here, place, STILL, STILL);
      return;
    }
    show_north(record, place, STILL);
    depths_new[one(here)] = 0;
    flows_new[west(here)] = 0u;
    flows_new[south(here)] = 0u;
    return;
  }
  for (var i = i32(thread); i < 800; i = i + 256) {
    let at_x = i % 20 - 2;
    let at_y = (i / 20) % 20 - 2;
    take_velocity(i / 400, at_x, at_y);
  }
  workgroupBarrier();
  for (var i = i32(thread); i < 648; i = i + 256) {
    take_half(i / 324, i % 18 - 1, (i / 18) % 18 - 1);
  }
  for (var i = i32(thread); i < 289; i = i + 256) {
    take_thrust(i % 17 - 1, i / 17 - 1);
  }
  workgroupBarrier();
  let w = at(record, place.x - 1, place.y);
  let s = at(record, place.x, place.y - 1);
  let e = at(record, place.x + 1, place.y);
  let n = at(record, place.x, place.y + 1);
  let nw = at(record, place.x - 1, place.y + 1);
  let se = at(record, place.x + 1, place.y - 1);
  let moved_x = transfers[west(here)];
  let moved_y = transfers[south(here)];
  let moved_w = vec2(transfers[west(w)], transfers[south(w)]);
  let moved_s = vec2(transfers[west(s)], transfers[south(s)]);
  let moved_e = transfers[west(e)];
  let moved_n = transfers[south(n)];
  let moved_nw = transfers[south(nw)];
  let moved_se = transfers[west(se)];
  // flow::depth::depth_row
  let cell = near_cell(x, y);
  let old = vec3(near_depths[cell - 1], near_depths[cell - 21], near_depths[cell]);
  let new_here = old.z + (moved_x - moved_e) + (moved_y - moved_n);
  let new_west = old.x + (moved_w.x - moved_x) + (moved_w.y - moved_nw);
  let new_south = old.y + (moved_s.x - moved_se) + (moved_s.y - moved_y);
  let n2 = vec3(n2_of(w), n2_of(s), n2_of(here));
  let at_x = near_face(0, x, y);
  let at_y = near_face(1, x, y);
  let u = speeds[at_x];
  let v = speeds[at_y];
  let masses_x = vec4(
    mass(moved_w.x, moved_x), mass(moved_x, moved_e), mass(moved_w.y, moved_y),
    mass(moved_nw, moved_n));
  let masses_y = vec4(
    mass(moved_s.y, moved_y), mass(moved_y, moved_n), mass(moved_s.x, moved_x),
    mass(moved_se, moved_e));
  let gained_x = ADD(gained_at(0, x, y, u, masses_x), thrust_at(0, x, y));
  let gained_y = ADD(gained_at(1, x, y, v, masses_y), thrust_at(1, x, y));
  let bed = near_beds[cell];
  let beds_x = vec4(near_beds[cell - 2], near_beds[cell - 1], bed, near_beds[cell + 1]);
  let beds_y = vec4(near_beds[cell - 42], near_beds[cell - 21], bed, near_beds[cell + 21]);
  let known = vec3(beds_x.y, beds_y.y, bed);
  let beyond = levelled(record, place, vec3(new_west, new_south, new_here), known);
  let depth_x = vec2(beyond.x, new_here);
  let depth_y = vec2(beyond.y, new_here);
  var over_x = passage(beds_x.yz, depth_x);
  var over_y = passage(beds_y.yz, depth_y);
  if (COLUMNS) {
    over_x = passage_through(0, x, y);
    over_y = passage_through(1, x, y);
  }
  let across_x = across_at(0, at_x);
  let across_y = across_at(1, at_y);
  let face_x = advance_face(over_x, u, across_x, gained_x, beds_x, depth_x, n2.xz);
  let face_y = advance_face(over_y, v, across_y, gained_y, beds_y, depth_y, n2.yz);
  if (is_halo_tile(record)) {
    keep_owned(record, here, place, face_x, face_y);
    return;
  }
  show_north(record, place, face_x);
  let asleep = records[record].asleep;
  let is_closed_x = place.x == 0 && (asleep & 1u) != 0u;
  let is_closed_y = place.y == 0 && (asleep & 4u) != 0u;
  depths_new[one(here)] = new_here;
  flows_new[west(here)] = select(bitcast<u32>(face_x.q), 0u, is_closed_x);
  flows_new[south(here)] = select(bitcast<u32>(face_y.q), 0u, is_closed_y);
  if (asleep != 0u) {
    look_over_borders(record, place, vec2(bed, new_here));
  }
  if (step.is_last != 0u) {
    sum_up(record, thread, seen_of(face_x, face_y, wet_part(place, new_here)));
  }
}
