// Faces of all methods: transfers over them (`flow::transfer`), new discharges (`flow::face`), and
// what a leaf reports of them.

// flow::transfer::transfer_block, of a face that proposes to move so many units.
struct Moved {
  wanted: i32,
  units: i32,
}
fn transfer(
  proposal: f32, place: u32, key: vec2<u32>, bed: vec2<i32>, depth: vec2<i32>,
) -> Moved {
  let wanted = wanted_transfer(proposal, place, key);
  let eta = bed + depth;
  let sill = max(bed.x, bed.y);
  let eastward = min(max(eta.x - sill, 0), (CEILING - eta.y) >> 2u);
  let westward = min(max(eta.y - sill, 0), (CEILING - eta.x) >> 2u);
  return Moved(wanted, max(min(wanted, eastward), -westward));
}

// The same between sub-grid columns, over the west or south face of a cell.
fn octaves(slope: f32) -> u32 {
  if (slope <= 1.0) {
    return 0u;
  }
  return u32(clamp(i32(bitcast<u32>(slope) >> 23u) - 126, 0, 28));
}
fn room_above(stage: i32, slope: f32) -> i32 {
  return (CEILING - stage) >> (2u + octaves(slope));
}
fn above_sill(stage: i32, sill: i32, depth: i32) -> i32 {
  return select(0, max(stage - sill, 0), depth > 0);
}
fn transfer_through(
  proposal: f32, place: u32, key: vec2<u32>, axis: u32, before: At, here: At, depth: vec2<i32>,
) -> Moved {
  let wanted = wanted_transfer(proposal, place, key);
  let sill = sill_of(here, axis);
  let eta = vec2(column_int(before, STAGE_OLD), column_int(here, STAGE_OLD));
  let room_before = room_above(eta.x, column_float(before, SLOPE_OLD));
  let room_here = room_above(eta.y, column_float(here, SLOPE_OLD));
  let eastward = min(above_sill(eta.x, sill, depth.x), room_here);
  let westward = min(above_sill(eta.y, sill, depth.y), room_before);
  return Moved(wanted, max(min(wanted, eastward), -westward));
}

// flow::face::FlowDepth
struct FlowDepth {
  opening: i32,
  h_f: f32,
  per_depth: f32,
  drag: f32,
  drag_of_q: f32,
  a_free: f32,
  a: f32,
  slowness: f32,
  flowing: f32,
  waving: f32,
  width: f32,
}
fn flow_depth(opening: i32) -> FlowDepth {
  let h_f = PRO(f32(max(opening, 1)), step.unit_m);
  let root = inverse_cube_root(h_f);
  let per_depth = PRO(PRO(root, root), root);
  let a_free = PRO(h_f, step.gravity_ratio);
  let a = min_f(a_free, step.gravity_most);
  let slowness = PRO(a, PRO(per_depth, step.per_gravity_ratio));
  let drag = PRO(per_depth, root);
  let drag_of_q = PRO(PRO(per_depth, per_depth), root);
  return FlowDepth(
    opening, h_f, per_depth, drag, drag_of_q, a_free, a, slowness, h_f, h_f, 1.0);
}

// flow::face::FlowDepth::through, between columns whose stages rise by such slopes.
fn flow_depth_through(face: Opening, slopes: vec2<f32>) -> FlowDepth {
  let h_f = PRO(f32(max(face.area, 1)), step.unit_m);
  let per_depth = DIV(1.0, h_f);
  let flowing = max_f(PRO(face.conveying, step.unit_m), step.unit_m);
  let root = inverse_cube_root(flowing);
  let square = PRO(root, root);
  let drag = PRO(square, square);
  let drag_of_q = PRO(per_depth, drag);
  let width = PRO(h_f, PRO(square, root));
  let a_free = PRO(h_f, step.gravity_ratio);
  let a = min_f(a_free, DIV(PRO(2.0, step.gravity_most), ADD(slopes.x, slopes.y)));
  let slowness = PRO(a, PRO(per_depth, step.per_gravity_ratio));
  let waving = max_f(flowing, PRO(min_f(slopes.x, slopes.y), h_f));
  return FlowDepth(
    face.area, h_f, per_depth, drag, drag_of_q, a_free, a, slowness, flowing, waving, width);
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

// flow::face::FlowDepth::finish; `free` are the largest discharge of free fall and the largest speed.
fn finish(
  here: FlowDepth, discharge: f32, across: f32, speed: f32, free: vec2<f32>, rise: i32,
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
  out = max_f(-free.x, min_f(out, free.x));
  let counted = min_f(PRO(abs_f(out), here.per_depth), PRO(4.0, step.speed_max));
  let q_most = PRO(here.h_f, free.y);
  let clamped = is_open && (here.a_free > here.a || abs_f(out) > q_most);
  out = max_f(-q_most, min_f(out, q_most));
  if (!is_open) {
    return Face(0.0, 0.0, 0.0, 0.0, 0u, false);
  }
  var wave = 0.0;
  if (step.is_last != 0u) {
    wave = PRO(1.4142135, SQRT(PRO(step.gravity, here.waving)));
  }
  let is_fast = PRO(PRO(speed, speed), 4.0) > slow;
  let is_active = here.h_f >= 0.0000152587890625 && (is_rough || is_fast);
  return Face(out, counted, wave, here.waving, select(0u, 1u, clamped), is_active);
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
fn is_uneven_through(here: At, before: At, depth: vec2<i32>, axis: u32) -> bool {
  let eta = vec2(column_int(before, STAGE_NEW), column_int(here, STAGE_NEW));
  let opening = opening_between(face_table(here, axis), eta, depth, vec2(0)).area;
  let is_open = PRO(f32(opening), step.unit_m) >= 0.0000152587890625;
  let noise = max(column_int(before, QUANTUM), column_int(here, QUANTUM));
  return is_open && abs(eta.x - eta.y) > 128 + noise;
}
// A cell of a leaf, of such a bed and new depth, and the one before which a leaf sleeps.
fn is_uneven_beside(record: u32, place: vec2<i32>, along: vec2<i32>, own: vec2<i32>) -> bool {
  let there = at(record, place.x + along.x, place.y + along.y);
  let beyond = one(there);
  if (COLUMNS) {
    let here = at(record, place.x, place.y);
    return is_uneven_through(there, here, vec2(own.y, depths[beyond]), u32(along.y));
  }
  return is_uneven(vec2(own.x, beds[beyond]), vec2(own.y, depths[beyond]));
}

// Water beside leaves that sleep to the east and north; faces have looked to the west and south.
fn look_over_borders(record: u32, place: vec2<i32>, own: vec2<i32>) {
  let asleep = records[record].asleep;
  var is_seen = false;
  if (place.x == 63 && (asleep & 2u) != 0u) {
    is_seen = is_uneven_beside(record, place, vec2(1, 0), own);
  }
  if (place.y == 63 && (asleep & 8u) != 0u) {
    is_seen = is_seen || is_uneven_beside(record, place, vec2(0, 1), own);
  }
  if (is_seen) {
    let last = select(0u, UNEVEN_LAST, step.is_last != 0u);
    // Under a tolerance of sleep `look_over_sides` says so.
    let ever = select(0u, UNEVEN_EVER, step.quiet_at == 0u);
    atomicOr(&reports[record].state, ever | last);
  }
}

// What the threads of a workgroup saw: bits of the largest pace and flow depth, count of clamped
// faces, bits of the state.
var<workgroup> seen: array<atomic<u32>, 4>;

// flow::face::BlockSums::add, and what the leaf is at the end of the cycle, of one cell.
fn seen_of(x: Face, y: Face, depth: i32) -> vec4<u32> {
  let pace = ADD(ADD(x.speed, y.speed), max_f(x.wave, y.wave));
  let flow_depth = max_f(x.flow_depth, y.flow_depth);
  let most = select(vec2(0u), vec2(bitcast<u32>(pace), bitcast<u32>(flow_depth)), pace > 0.0);
  let is_wet = depth != 0 && step.is_forced == 0u;
  let state = select(0u, ACTIVE, x.is_active || y.is_active) | select(0u, WET, is_wet);
  return vec4(most, x.clamped + y.clamped, state);
}

// Adds what a thread saw to a report.
fn add_seen(record: u32, own: vec4<u32>) {
  atomicMax(&reports[record].pace_max, own.x);
  atomicMax(&reports[record].flow_depth_max, own.y);
  atomicAdd(&reports[record].clamped, own.z);
  atomicOr(&reports[record].state, own.w);
}

// Adds what the threads of a workgroup saw to its report: for all of them at once.
fn sum_up(record: u32, thread: u32, own: vec4<u32>) {
  if (thread < 4u) {
    atomicStore(&seen[thread], 0u);
  }
  workgroupBarrier();
  atomicMax(&seen[0], own.x);
  atomicMax(&seen[1], own.y);
  if (own.z != 0u) {
    atomicAdd(&seen[2], own.z);
  }
  atomicOr(&seen[3], own.w);
  workgroupBarrier();
  if (thread == 0u) {
    let most = vec2(atomicLoad(&seen[0]), atomicLoad(&seen[1]));
    add_seen(record, vec4(most, atomicLoad(&seen[2]), atomicLoad(&seen[3])));
  }
}
