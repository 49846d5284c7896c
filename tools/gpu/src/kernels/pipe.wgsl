// Virtual pipes: `flow::pipe` of thalweg, with its part of `flow::transfer` and `flow::depth`.

const CUTS_DISCHARGES: bool = true;

var<workgroup> keys: array<vec2<u32>, 32>;

// flow::transfer::transfer_block: the discharge of a face, once its transfer is known.
fn left_of(q: f32, over: Moved, depth: vec2<i32>) -> f32 {
  if ((depth.x | depth.y) == 0) {
    return 0.0;
  }
  return scaled(q, over.wanted, over.units);
}

// The new transfer and discharge over a face between two cells.
fn move_over(face: u32, place: u32, key: vec2<u32>, bed: vec2<i32>, depth: vec2<i32>) {
  let q = flow(face);
  let over = transfer(PRO(flush(q), step.units_per_flow), place, key, bed, depth);
  transfers[face] = over.units;
  let left = left_of(q, over, depth);
  if (bitcast<u32>(left) != bitcast<u32>(q)) {
    flows[face] = bitcast<u32>(left);
  }
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
  take_slots(record, thread);
  if (thread < 32u) {
    let axis_key = select(step.key_y, step.key_x, thread < 16u);
    keys[thread] = row_key(axis_key, records[record].south + group.x * 16u + (thread & 15u));
  }
  workgroupBarrier();
  let first = first_of(group, thread);
  let place = records[record].west + u32(first.x);
  let s = one(near(first.x, first.y - 1));
  var bed_s = beds[s];
  var depth_s = depths[s];
  for (var y = first.y; y < first.y + 4; y = y + 1) {
    let row = u32(y) & 15u;
    let here = near(first.x, y);
    let w = one(near(first.x - 1, y));
    let bed = beds[one(here)];
    let depth = depths[one(here)];
    move_over(west(here), place, keys[row], vec2(beds[w], bed), vec2(depths[w], depth));
    move_over(south(here), place, keys[16u + row], vec2(bed_s, bed), vec2(depth_s, depth));
    bed_s = bed;
    depth_s = depth;
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
  let critical = PRO(PRO(here.h_f, here.h_f), PRO(step.gravity, here.h_f));
  if (PRO(PRO(out, out), 1.0625) >= critical) {
    let slope = MUL(f32(abs(rise)), step.slope_of_unit);
    q_free = PRO(PRO(here.h_f, SQRT(PRO(step.gravity, here.h_f))), froude_most(slope));
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

// The cell to the south, once its row is done: n2, discharges over its west face and over that of
// the cell to its east; bed, depths before and after.
struct South {
  n2: f32,
  q: f32,
  q_east: f32,
  bed: i32,
  depth_old: i32,
  depth: i32,
}

// South of the first cell; `moved` leaves it for that.
fn south_of(x: i32, y: i32, moved: i32) -> South {
  let here = near(x, y);
  let e = west(near(x + 1, y));
  let depth = depths[one(here)];
  let after = depth + (transfers[west(here)] - transfers[e]) + (transfers[south(here)] - moved);
  return South(n2_of(here), flow(west(here)), flow(e), beds[one(here)], depth, after);
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
  take_slots(record, thread);
  workgroupBarrier();
  let x = first_of(group, thread).x;
  let first = first_of(group, thread).y;
  let asleep = records[record].asleep;
  var here = near(x, first);
  var w = near(x - 1, first);
  // Over south faces of this cell and of that to the west: transfers and discharges.
  var moved_y = vec2(transfers[south(w)], transfers[south(here)]);
  var q_y = vec2(flow(south(w)), flow(south(here)));
  var before = south_of(x, first - 1, moved_y.y);
  var sums = vec4(0u);
  for (var y = first; y < first + 4; y = y + 1) {
    let e = west(near(x + 1, y));
    let n = near(x, y + 1);
    let nw = near(x - 1, y + 1);
    let moved_x = transfers[west(here)];
    let moved_n = vec2(transfers[south(nw)], transfers[south(n)]);
    let q_n = vec2(flow(south(nw)), flow(south(n)));
    // flow::depth::depth_row
    let old = vec2(depths[one(w)], depths[one(here)]);
    let new_here = old.y + (moved_x - transfers[e]) + (moved_y.y - moved_n.y);
    let new_west = old.x + (transfers[west(w)] - moved_x) + (moved_y.x - moved_n.x);
    let bed = vec2(beds[one(w)], beds[one(here)]);
    let n2 = vec2(n2_of(w), n2_of(here));
    let q_x = flow(west(here));
    let q_east = flow(e);
    let sum_y = ADD(ADD(q_y.x, q_y.y), ADD(q_n.x, q_n.y));
    let sum_x = ADD(ADD(before.q, q_x), ADD(before.q_east, q_east));
    let face_x =
      discharge(q_x, PRO(0.25, sum_y), bed, old, vec2(new_west, new_here), n2);
    let face_y = discharge(
      q_y.y, PRO(0.25, sum_x), vec2(before.bed, bed.y), vec2(before.depth_old, old.y),
      vec2(before.depth, new_here), vec2(before.n2, n2.y));
    let is_closed_x = x == 0 && (asleep & 1u) != 0u;
    let is_closed_y = y == 0 && (asleep & 4u) != 0u;
    depths_new[one(here)] = new_here;
    flows_new[west(here)] = select(bitcast<u32>(face_x.q), 0u, is_closed_x);
    flows_new[south(here)] = select(bitcast<u32>(face_y.q), 0u, is_closed_y);
    if (asleep != 0u) {
      look_over_borders(record, vec2(x, y), vec2(bed.y, new_here));
    }
    sums = both_seen(sums, seen_of(face_x, face_y, new_here));
    before = South(n2.y, q_x, q_east, bed.y, old.y, new_here);
    here = n;
    w = nw;
    moved_y = moved_n;
    q_y = q_n;
  }
  if (step.is_last != 0u) {
    sum_up(record, thread, sums);
  }
}
