// Quiet water, under a tolerance of sleep: `sim::quiet` and its part of `sim::borders` of thalweg.
// It stands behind the text of faces and that of the bounds.

// sim::quiet::Waves, of each row and then of each column.
var<workgroup> faces_of: array<u32, 128>;
var<workgroup> running_of: array<f32, 128>;
var<workgroup> lifted_of: array<f32, 128>;

// sim::quiet::Quiet::is_any_active, with a thread for each row and each column of a leaf: after the
// last step of a cycle, before anything but the kernel of its method has changed the new water.
@compute @workgroup_size(128)
fn look_for_waves(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let quiet = bounds();
  let is_row = thread < 64u;
  let line = i32(thread & 63u);
  let asleep = records[record].asleep;
  let is_closed = (asleep & select(4u, 1u, is_row)) != 0u;
  var faces = 0u;
  var running = 0.0;
  var lifted_all = 0.0;
  // sim::quiet::Run
  var stage = 0;
  var run = 0u;
  var mean = 0.0;
  var lifted = 0.0;
  var runoff = 0u;
  var is_moving = false;
  for (var place = 0; place < 64; place = place + 1) {
    let x = select(line, place, is_row);
    let y = select(place, line, is_row);
    let behind = at(record, x, y);
    let before = at(record, select(x, x - 1, is_row), select(y - 1, y, is_row));
    let bed = vec2(beds[one(before)], beds[one(behind)]);
    let depth = vec2(depths_new[one(before)], depths_new[one(behind)]);
    let eta = bed + depth;
    let here = flow_depth_of(max(eta.x, eta.y) - max(bed.x, bed.y));
    let is_dry = (depth.x | depth.y) == 0;
    let is_shut = is_closed && place == 0;
    if (is_dry || is_shut || !quiet_is_deep(quiet, here)) {
      faces = faces + run;
      lifted_all = ADD(lifted_all, lifted);
      stage = 0;
      run = 0u;
      mean = 0.0;
      lifted = 0.0;
      runoff = 0u;
      continue;
    }
    let q = bitcast<f32>(flows_new[select(south(behind), west(behind), is_row)]);
    let speed = PRO(abs_f(q), here.per_depth);
    let n2 = PRO(0.5, ADD(n2_of(before), n2_of(behind)));
    let is_runoff = quiet_runs_off(quiet, speed, here, n2);
    runoff = select(0u, runoff + 1u, is_runoff);
    is_moving = is_moving || runoff >= RUNOFF_FACES || quiet_is_swift(quiet, speed, here);
    if (here.h_f < quiet.shallow_m) {
      faces = faces + run;
      lifted_all = ADD(lifted_all, lifted);
      stage = 0;
      run = 0u;
      mean = 0.0;
      lifted = 0.0;
      continue;
    }
    stage = stage + (eta.y - eta.x);
    run = run + 1u;
    let height = f32(stage);
    let off = SUB(height, mean);
    mean = APART(ADD(mean, DIV(off, f32(run + 1u))));
    lifted = ADD(lifted, MUL(off, SUB(height, mean)));
    running = ADD(running, MUL(PRO(speed, speed), here.h_f));
    is_moving = is_moving || (is_runoff && here.h_f >= quiet.trickle_m);
  }
  faces_of[thread] = faces + run;
  running_of[thread] = running;
  lifted_of[thread] = ADD(lifted_all, lifted);
  if (is_moving) {
    atomicOr(&reports[record].state, LOUD);
  }
  workgroupBarrier();
  if (thread == 0u) {
    var all = 0u;
    var runs = 0.0;
    var lifts = 0.0;
    for (var i = 0; i < 128; i = i + 1) {
      all = all + faces_of[i];
      runs = ADD(runs, running_of[i]);
      lifts = ADD(lifts, lifted_of[i]);
    }
    let lifted_m2 = MUL(PRO(lifts, step.unit_m), step.unit_m);
    if (ADD(MUL(runs, quiet.per_gravity), lifted_m2) > PRO(quiet.wave_most, f32(all))) {
      atomicOr(&reports[record].state, LOUD);
    }
  }
}

// sim::borders::StepContext::is_uneven, by the bounds of quiet water: a thread for each place along
// each side.
@compute @workgroup_size(256)
fn look_over_sides(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let side = thread >> 6u;
  if ((records[record].asleep & (1u << side)) == 0u) {
    return;
  }
  let along = i32(thread & 63u);
  let last = select(0, 63, (side & 1u) == 1u);
  let outward = select(-1, 1, (side & 1u) == 1u);
  let is_row = side < 2u;
  let x = select(along, last, is_row);
  let y = select(last, along, is_row);
  let own = one(at(record, x, y));
  let there = one(at(record, select(x, x + outward, is_row), select(y + outward, y, is_row)));
  let bed = vec2(beds[own], beds[there]);
  let eta = bed + vec2(depths_new[own], depths[there]);
  let opening = max(max(eta.x, eta.y) - max(bed.x, bed.y), 0);
  if (PRO(f32(opening), step.unit_m) >= bounds().film_m && abs(eta.x - eta.y) > bounds().fall_most) {
    atomicOr(&reports[record].state, UNEVEN_EVER);
  }
}
