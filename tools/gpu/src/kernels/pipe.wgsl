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

// flow::pipe::discharge_block
fn discharge(
  q: f32, p: f32, bed: vec2<i32>, depth_old: vec2<i32>, depth: vec2<i32>, n2: vec2<f32>,
) -> Face {
  let sill = max(bed.x, bed.y);
  let eta = bed + depth;
  let opening = max(eta.x, eta.y) - sill;
  // As `finish` ends here.
  if (opening <= 0) {
    return STILL;
  }
  let part = shallower_over(q, sill, bed + depth_old, eta);
  let here = flow_depth_of(opening);
  let old = OldFace(q, p, part);
  return advance_face(old, here, eta.y - eta.x, PRO(0.5, ADD(n2.x, n2.y)));
}

// The same between sub-grid columns.
fn discharge_through(
  q: f32, p: f32, axis: u32, before: At, here: At, eta: vec2<i32>, n2: vec2<f32>,
) -> Face {
  let area = column_int(here, OPEN_NEW + axis);
  if (area <= 0) {
    return STILL;
  }
  let opening = FaceOpening(area, column_float(here, CONVEYING + axis));
  let depth = flow_depth_through(opening, slopes_new(before, here));
  let rise = rise_through(eta, before, here);
  let rise_old = column_int(here, STAGE_OLD) - column_int(before, STAGE_OLD);
  let area_old = column_int(here, OPEN_OLD + axis);
  let part = shallower(q, depth.width, vec2(area_old, rise_old), vec2(area, rise));
  let old = OldFace(q, p, part);
  return advance_face(old, depth, rise, PRO(0.5, ADD(n2.x, n2.y)));
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
    sum_up(record, thread, seen_of(face_x, face_y, wet_part(vec2(x, y), new_here)));
  }
}
