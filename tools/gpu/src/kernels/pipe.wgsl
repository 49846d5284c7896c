// Virtual pipes: `flow::pipe` of thalweg, with its part of `flow::transfer` and `flow::depth`.

const CUTS_DISCHARGES: bool = true;

var<workgroup> keys: array<vec2<u32>, 8>;

// flow::transfer::transfer_block: the discharge of a face, once its transfer is known.
fn left_of(q: f32, over: Moved, depth: vec2<i32>) -> f32 {
  if ((depth.x | depth.y) == 0) {
    return 0.0;
  }
  return scaled(q, over.wanted, over.units);
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
  let x = i32(thread & 63u);
  let y = i32(group.x * 4u + (thread >> 6u));
  if (thread < 8u) {
    let axis_key = select(step.key_y, step.key_x, thread < 4u);
    keys[thread] = row_key(axis_key, records[record].south + group.x * 4u + (thread & 3u));
  }
  workgroupBarrier();
  let here = at(record, x, y);
  let w = at(record, x - 1, y);
  let s = at(record, x, y - 1);
  let bed = beds[one(here)];
  let depth = depths[one(here)];
  let q_x = flow(west(here));
  let q_y = flow(south(here));
  let place = records[record].west + u32(x);
  let key_x = keys[thread >> 6u];
  let key_y = keys[4u + (thread >> 6u)];
  let depth_x = vec2(depths[one(w)], depth);
  let depth_y = vec2(depths[one(s)], depth);
  let wanted_x = PRO(flush(q_x), step.units_per_flow);
  let wanted_y = PRO(flush(q_y), step.units_per_flow);
  var over_x = Moved(0, 0);
  var over_y = Moved(0, 0);
  if (COLUMNS) {
    over_x = transfer_through(wanted_x, place, key_x, 0u, w, here, depth_x);
    over_y = transfer_through(wanted_y, place, key_y, 1u, s, here, depth_y);
  } else {
    over_x = transfer(wanted_x, place, key_x, vec2(beds[one(w)], bed), depth_x);
    over_y = transfer(wanted_y, place, key_y, vec2(beds[one(s)], bed), depth_y);
  }
  transfers[west(here)] = over_x.units;
  transfers[south(here)] = over_y.units;
  let left_x = left_of(q_x, over_x, depth_x);
  let left_y = left_of(q_y, over_y, depth_y);
  if (bitcast<u32>(left_x) != bitcast<u32>(q_x)) {
    flows[west(here)] = bitcast<u32>(left_x);
  }
  if (bitcast<u32>(left_y) != bitcast<u32>(q_y)) {
    flows[south(here)] = bitcast<u32>(left_y);
  }
}

// flow::pipe::uphill
fn uphill(q: f32, rise: f32) -> f32 {
  return max_f(select(-rise, rise, q > 0.0), 0.0);
}

// flow::pipe::shallower_over
fn depth_before(q: f32, sill: i32, eta: vec2<i32>) -> f32 {
  let sign = bitcast<i32>(q) >> 31u;
  let rise = max(((eta.y - eta.x) ^ sign) - sign, 0);
  return f32(max(max(eta.x, eta.y) - sill - rise, 1));
}
fn shallower_over(q: f32, sill: i32, before: vec2<i32>, after: vec2<i32>) -> f32 {
  return min_f(DIV(depth_before(q, sill, after), depth_before(q, sill, before)), 1.0);
}

// flow::pipe::advance_face
fn advance_face(q_old: f32, p_old: f32, part: f32, here: FlowDepth, rise: i32, n2: f32) -> Face {
  let rise_m = PRO(f32(rise), step.unit_m);
  let least = min_f(abs_f(q_old), PRO(here.a, uphill(q_old, rise_m)));
  let kept = max_f(PRO(abs_f(q_old), part), least);
  let q = flush(bitcast<f32>(bitcast<u32>(kept) | (bitcast<u32>(q_old) & 0x80000000u)));
  let p = flush(p_old);
  let q_star = flush(SUB(q, MUL(here.a, rise_m)));
  let k = PRO(PRO(PRO(step.friction, here.slowness), n2), here.drag_of_q);
  let p_star = PRO(p, ADD(1.0, MUL(k, SQRT(ADD(MUL(q, q), MUL(p, p))))));
  let total = SQRT(ADD(MUL(q_star, q_star), MUL(p_star, p_star)));
  let resistance = ADD(1.0, SQRT(ADD(1.0, MUL(PRO(4.0, k), total))));
  let out = DIV(PRO(2.0, q_star), resistance);
  let speed = abs_f(PRO(out, here.per_depth));
  // In the place of infinity, where the discharge is below that of free fall for sure.
  var q_free = 3.0e38;
  let critical = PRO(PRO(here.h_f, here.h_f), PRO(step.gravity, here.flowing));
  if (PRO(PRO(out, out), 1.0625) >= critical) {
    let slope = MUL(f32(abs(rise)), step.slope_of_unit);
    q_free = PRO(PRO(here.h_f, SQRT(PRO(step.gravity, here.flowing))), froude_most(slope));
  }
  var face = finish(here, out, p, speed, vec2(q_free, step.speed_max), rise);
  face.speed = PRO(2.0, face.speed);
  return face;
}

// flow::pipe::discharge_block
fn discharge(
  q: f32, p: f32, bed: vec2<i32>, depth_old: vec2<i32>, depth: vec2<i32>, n2: vec2<f32>,
) -> Face {
  let sill = max(bed.x, bed.y);
  let eta = bed + depth;
  let opening = max(eta.x, eta.y) - sill;
  // As `finish` ends here.
  if (opening <= 0) {
    return Face(0.0, 0.0, 0.0, 0.0, 0u, false);
  }
  let part = shallower_over(q, sill, bed + depth_old, eta);
  let here = flow_depth(opening);
  return advance_face(q, p, part, here, eta.y - eta.x, PRO(0.5, ADD(n2.x, n2.y)));
}

// flow::pipe::shallower
fn opening_before(q: f32, width: f32, opening: i32, rise: i32) -> f32 {
  return max_f(SUB(f32(opening), MUL(width, uphill(q, f32(rise)))), 1.0);
}
// The same between sub-grid columns.
fn discharge_through(
  q: f32, p: f32, axis: u32, before: At, here: At, eta: vec2<i32>, n2: vec2<f32>,
) -> Face {
  let area = column_int(here, OPEN_NEW + axis);
  if (area <= 0) {
    return Face(0.0, 0.0, 0.0, 0.0, 0u, false);
  }
  let opening = Opening(area, column_float(here, CONVEYING + axis));
  let depth = flow_depth_through(opening, slopes_new(before, here));
  let rise = rise_through(eta, before, here);
  let rise_old = column_int(here, STAGE_OLD) - column_int(before, STAGE_OLD);
  let old = opening_before(q, depth.width, column_int(here, OPEN_OLD + axis), rise_old);
  let part = min_f(DIV(opening_before(q, depth.width, area, rise), old), 1.0);
  return advance_face(q, p, part, depth, rise, PRO(0.5, ADD(n2.x, n2.y)));
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
  let x = i32(thread & 63u);
  let y = i32(group.x * 4u + (thread >> 6u));
  let here = at(record, x, y);
  let w = at(record, x - 1, y);
  let s = at(record, x, y - 1);
  let e = at(record, x + 1, y);
  let n = at(record, x, y + 1);
  let nw = at(record, x - 1, y + 1);
  let se = at(record, x + 1, y - 1);
  let moved_x = transfers[west(here)];
  let moved_y = transfers[south(here)];
  let old = vec3(depths[one(w)], depths[one(s)], depths[one(here)]);
  // flow::depth::depth_row
  let new_here =
    old.z + (moved_x - transfers[west(e)]) + (moved_y - transfers[south(n)]);
  let new_west =
    old.x + (transfers[west(w)] - moved_x) + (transfers[south(w)] - transfers[south(nw)]);
  let new_south =
    old.y + (transfers[west(s)] - transfers[west(se)]) + (transfers[south(s)] - moved_y);
  let bed = vec3(beds[one(w)], beds[one(s)], beds[one(here)]);
  let beyond = levelled(record, vec2(x, y), vec3(new_west, new_south, new_here), bed);
  let n2 = vec3(n2_of(w), n2_of(s), n2_of(here));
  let q_x = flow(west(here));
  let q_y = flow(south(here));
  let sum_y = ADD(ADD(flow(south(w)), q_y), ADD(flow(south(nw)), flow(south(n))));
  let sum_x = ADD(ADD(flow(west(s)), q_x), ADD(flow(west(se)), flow(west(e))));
  let p_x = PRO(0.25, sum_y);
  let p_y = PRO(0.25, sum_x);
  var face_x = STILL;
  var face_y = STILL;
  if (COLUMNS) {
    let eta_x = stages_new(record, vec2(x, y), 0u, w, here);
    let eta_y = stages_new(record, vec2(x, y), 1u, s, here);
    face_x = discharge_through(q_x, p_x, 0u, w, here, eta_x, n2.xz);
    face_y = discharge_through(q_y, p_y, 1u, s, here, eta_y, n2.yz);
  } else {
    face_x = discharge(q_x, p_x, bed.xz, old.xz, vec2(beyond.x, new_here), n2.xz);
    face_y = discharge(q_y, p_y, bed.yz, old.yz, vec2(beyond.y, new_here), n2.yz);
  }
  if (is_halo_tile(record)) {
    keep_owned(record, here, vec2(x, y), face_x, face_y);
    return;
  }
  let asleep = records[record].asleep;
  let is_closed_x = x == 0 && (asleep & 1u) != 0u;
  let is_closed_y = y == 0 && (asleep & 4u) != 0u;
  depths_new[one(here)] = new_here;
  flows_new[west(here)] = select(bitcast<u32>(face_x.q), 0u, is_closed_x);
  flows_new[south(here)] = select(bitcast<u32>(face_y.q), 0u, is_closed_y);
  if (asleep != 0u) {
    look_over_borders(record, vec2(x, y), vec2(bed.z, new_here));
  }
  if (step.is_last != 0u) {
    sum_up(record, thread, seen_of(face_x, face_y, new_here));
  }
}
