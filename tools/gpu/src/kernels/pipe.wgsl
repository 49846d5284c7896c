// Virtual pipes: `flow::transfer`, `flow::limiter`, `flow::depth` and `flow::pipe` of thalweg.

const CEILING: i32 = 1073741823;

var<workgroup> keys: array<vec2<u32>, 8>;

// flow::transfer::transfer_block
struct Moved {
  units: i32,
  q: f32,
}
fn transfer(q: f32, place: u32, key: vec2<u32>, bed: vec2<i32>, depth: vec2<i32>) -> Moved {
  let wanted = wanted_transfer(PRO(flush(q), step.units_per_flow), place, key);
  let eta = bed + depth;
  let sill = max(bed.x, bed.y);
  let eastward = min(max(eta.x - sill, 0), (CEILING - eta.y) >> 2u);
  let westward = min(max(eta.y - sill, 0), (CEILING - eta.x) >> 2u);
  let moved = max(min(wanted, eastward), -westward);
  let is_wet = (depth.x | depth.y) != 0;
  if (!is_wet) {
    return Moved(moved, 0.0);
  }
  return Moved(moved, scaled(q, wanted, moved));
}

@compute @workgroup_size(256)
fn transfer_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
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
  let across_x =
    transfer(q_x, place, key_x, vec2(beds[one(w)], bed), vec2(depths[one(w)], depth));
  let across_y =
    transfer(q_y, place, key_y, vec2(beds[one(s)], bed), vec2(depths[one(s)], depth));
  transfers[west(here)] = across_x.units;
  transfers[south(here)] = across_y.units;
  if (bitcast<u32>(across_x.q) != bitcast<u32>(q_x)) {
    flows[west(here)] = bitcast<u32>(across_x.q);
  }
  if (bitcast<u32>(across_y.q) != bitcast<u32>(q_y)) {
    flows[south(here)] = bitcast<u32>(across_y.q);
  }
}

// flow::limiter::limit_cells
fn limit(face: u32, sign: i32, left: u32, wanted: u32) {
  let units = transfers[face];
  let dv = u32(max(units * sign, 0));
  if (dv == 0u) {
    return;
  }
  let share = i32(share_of(dv, left, vec2(wanted, 0u))) * sign;
  flows[face] = bitcast<u32>(scaled(flow(face), units, share));
  transfers[face] = share;
}

@compute @workgroup_size(256)
fn limit_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let x = i32(thread & 63u);
  let y = i32(group.x * 4u + (thread >> 6u));
  let here = at(record, x, y);
  let w = west(here);
  let e = west(at(record, x + 1, y));
  let s = south(here);
  let n = south(at(record, x, y + 1));
  // Each is a quarter of the room below the ceiling at most: the sum fits.
  let wanted = u32(max(-transfers[w], 0)) + u32(max(transfers[e], 0))
    + u32(max(-transfers[s], 0)) + u32(max(transfers[n], 0));
  let left = u32(depths[one(here)]);
  if (wanted <= left) {
    return;
  }
  atomicAdd(&reports[record].limited, 1u);
  limit(w, -1, left, wanted);
  limit(e, 1, left, wanted);
  limit(s, -1, left, wanted);
  limit(n, 1, left, wanted);
}

// flow::face::FlowDepth
struct FlowDepth {
  opening: i32,
  h_f: f32,
  per_depth: f32,
  drag_of_q: f32,
  a_free: f32,
  a: f32,
  slowness: f32,
}
fn flow_depth(opening: i32) -> FlowDepth {
  let h_f = PRO(f32(max(opening, 1)), step.unit_m);
  let root = inverse_cube_root(h_f);
  let per_depth = PRO(PRO(root, root), root);
  let a_free = PRO(h_f, step.gravity_ratio);
  let a = min_f(a_free, step.gravity_most);
  let slowness = PRO(a, PRO(per_depth, step.per_gravity_ratio));
  let drag_of_q = PRO(PRO(per_depth, per_depth), root);
  return FlowDepth(opening, h_f, per_depth, drag_of_q, a_free, a, slowness);
}

// flow::face::Face
struct Face {
  q: f32,
  speed: f32,
  wave: f32,
  flow_depth: f32,
  clamped: u32,
  is_active: bool,
}

// flow::face::froude_most
fn froude_most(slope: f32) -> f32 {
  return ADD(1.0, MUL(50.0, max_f(SUB(0.3, slope), 0.0)));
}

// flow::face::FlowDepth::finish; flow and waves run on h_f between flat columns.
fn finish(
  here: FlowDepth, discharge: f32, across: f32, speed: f32, q_free: f32, rise: i32,
) -> Face {
  var out = flush(discharge);
  let is_open = here.opening > 0;
  let fall = abs(rise);
  let is_rough = fall > 128;
  let steep = PRO(f32(fall), 0.015625);
  let is_level = fall <= 16;
  let along = ADD(MUL(out, out), MUL(across, across));
  let is_flat = is_level || PRO(PRO(steep, steep), along) <= PRO(out, out);
  let is_damped = here.opening > 100 && is_flat;
  let slow = max_f(PRO(here.h_f, step.damping_wave), PRO(here.per_depth, step.damping_noise));
  if (is_damped && PRO(speed, speed) < slow) {
    out = PRO(out, step.damping);
  }
  out = max_f(-q_free, min_f(out, q_free));
  let counted = min_f(PRO(abs_f(out), here.per_depth), PRO(4.0, step.speed_max));
  let q_most = PRO(here.h_f, step.speed_max);
  let clamped = is_open && (here.a_free > here.a || abs_f(out) > q_most);
  out = max_f(-q_most, min_f(out, q_most));
  if (!is_open) {
    return Face(0.0, 0.0, 0.0, 0.0, 0u, false);
  }
  var wave = 0.0;
  if (step.is_last != 0u) {
    wave = PRO(1.4142135, SQRT(PRO(step.gravity, here.h_f)));
  }
  let is_fast = PRO(PRO(speed, speed), 4.0) > slow;
  let is_active = here.h_f >= 0.0000152587890625 && (is_rough || is_fast);
  return Face(out, counted, wave, here.h_f, select(0u, 1u, clamped), is_active);
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
  let slope = MUL(f32(abs(rise)), step.slope_of_unit);
  let q_free = PRO(PRO(here.h_f, SQRT(PRO(step.gravity, here.h_f))), froude_most(slope));
  var face = finish(here, out, p, speed, q_free, rise);
  face.speed = PRO(2.0, face.speed);
  return face;
}

// flow::pipe::discharge_block
fn discharge(
  q: f32, p: f32, bed: vec2<i32>, depth_old: vec2<i32>, depth: vec2<i32>, n2: vec2<f32>,
) -> Face {
  let sill = max(bed.x, bed.y);
  let eta = bed + depth;
  let part = shallower_over(q, sill, bed + depth_old, eta);
  let here = flow_depth(max(eta.x, eta.y) - sill);
  return advance_face(q, p, part, here, eta.y - eta.x, PRO(0.5, ADD(n2.x, n2.y)));
}

// The squares of Manning's n by class, and the classes of four cells in a word behind them.
fn n2_of(a: At) -> f32 {
  if (step.has_classes == 0u) {
    return bitcast<f32>(tables[0]);
  }
  let word = classes[a.slot * 1024u + (a.cell >> 2u)];
  return bitcast<f32>(tables[(word >> ((a.cell & 3u) * 8u)) & 255u]);
}

// sim::borders::StepContext::close_borders: a cell beside a leaf that sleeps.
fn is_uneven(bed: vec2<i32>, depth: vec2<i32>) -> bool {
  let eta = bed + depth;
  let opening = max(max(eta.x, eta.y) - max(bed.x, bed.y), 0);
  let is_open = PRO(f32(opening), step.unit_m) >= 0.0000152587890625;
  return is_open && abs(eta.x - eta.y) > 128;
}

@compute @workgroup_size(256)
fn discharge_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
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
  let n2 = vec3(n2_of(w), n2_of(s), n2_of(here));
  let q_x = flow(west(here));
  let q_y = flow(south(here));
  let sum_y = ADD(ADD(flow(south(w)), q_y), ADD(flow(south(nw)), flow(south(n))));
  let sum_x = ADD(ADD(flow(west(s)), q_x), ADD(flow(west(se)), flow(west(e))));
  let face_x =
    discharge(q_x, PRO(0.25, sum_y), bed.xz, old.xz, vec2(new_west, new_here), n2.xz);
  let face_y =
    discharge(q_y, PRO(0.25, sum_x), bed.yz, old.yz, vec2(new_south, new_here), n2.yz);
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
    sum_up(record, face_x, face_y, new_here);
  }
}

// Water beside leaves that sleep on the east and north; the kernel has looked to the west and south.
fn look_over_borders(record: u32, place: vec2<i32>, own: vec2<i32>) {
  let asleep = records[record].asleep;
  var is_seen = false;
  if (place.x == 63 && (asleep & 2u) != 0u) {
    let e = one(at(record, 64, place.y));
    is_seen = is_uneven(vec2(own.x, beds[e]), vec2(own.y, depths[e]));
  }
  if (place.y == 63 && (asleep & 8u) != 0u) {
    let n = one(at(record, place.x, 64));
    is_seen = is_seen || is_uneven(vec2(own.x, beds[n]), vec2(own.y, depths[n]));
  }
  if (is_seen) {
    let last = select(0u, UNEVEN_LAST, step.is_last != 0u);
    atomicOr(&reports[record].state, UNEVEN_EVER | last);
  }
}

// flow::face::BlockSums::add, and what the leaf is at the end of the cycle.
fn sum_up(record: u32, x: Face, y: Face, depth: i32) {
  let pace = ADD(ADD(x.speed, y.speed), max_f(x.wave, y.wave));
  let flow_depth = max_f(x.flow_depth, y.flow_depth);
  if (pace > 0.0) {
    atomicMax(&reports[record].pace_max, bitcast<u32>(pace));
    atomicMax(&reports[record].flow_depth_max, bitcast<u32>(flow_depth));
  }
  if (x.clamped + y.clamped != 0u) {
    atomicAdd(&reports[record].clamped, x.clamped + y.clamped);
  }
  let is_wet = depth != 0 && step.is_forced == 0u;
  let state = select(0u, ACTIVE, x.is_active || y.is_active) | select(0u, WET, is_wet);
  if (state != 0u) {
    atomicOr(&reports[record].state, state);
  }
}
