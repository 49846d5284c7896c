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

fn room_above(stage: i32, slope: f32) -> i32 {
  return (CEILING - stage) >> (2u + u32(octaves(slope)));
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
  let is_open = PRO(f32(opening), step.unit_m) >= DEPTH_DRY_M;
  return is_open && abs(eta.x - eta.y) > SLEEP_STAGE_DIFFERENCE;
}
fn is_uneven_through(here: At, before: At, depth: vec2<i32>, axis: u32) -> bool {
  let eta = vec2(column_int(before, STAGE_NEW), column_int(here, STAGE_NEW));
  let opening = opening_between(face_table(here, axis), eta, depth, vec2(0)).area;
  let is_open = PRO(f32(opening), step.unit_m) >= DEPTH_DRY_M;
  let noise = max(column_int(before, QUANTUM), column_int(here, QUANTUM));
  return is_open && abs(eta.x - eta.y) > SLEEP_STAGE_DIFFERENCE + noise;
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

// flow::face::BlockSums::add, and what the leaf is at the end of the cycle, of one cell; `wet` has
// its wet part.
fn seen_of(x: Face, y: Face, wet: u32) -> vec4<u32> {
  let pace = ADD(ADD(x.speed, y.speed), max_f(x.wave, y.wave));
  let flow_depth = max_f(x.flow_depth, y.flow_depth);
  let most = select(vec2(0u), vec2(bitcast<u32>(pace), bitcast<u32>(flow_depth)), pace > 0.0);
  let state = select(0u, ACTIVE, x.is_active || y.is_active) | select(wet, 0u, step.is_forced != 0u);
  let clamped = select(0u, 1u, x.clamped) + select(0u, 1u, y.clamped);
  return vec4(most, clamped, state);
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
