// Shallow water at the boundary of the world: velocities that stay while water crosses it, and the
// momentum that it takes along. It stands behind the text of the method and of the faces of edges.

// What moved out over the faces of a cell in this step, whether something crossed one, and the still
// water that came in across the x axis and across the y axis.
struct Crossed {
  units: i32,
  is_changed: bool,
  still: vec2<i32>,
}
fn crossed(cell: EdgeCell) -> Crossed {
  var sum = Crossed(0, false, vec2(0));
  for (var face = cell.first; face < cell.end; face = face + 1u) {
    let moved = bitcast<i32>(word(face, MOVED));
    let is_x = word(face, SIDE) < 2u;
    let drawn = select(0, -moved, is_drawn(face));
    let still = select(vec2(0, drawn), vec2(drawn, 0), is_x);
    sum = Crossed(sum.units + moved, sum.is_changed || moved != 0, sum.still + still);
  }
  return sum;
}

// Water came in over a stage edge.
fn is_drawn(face: u32) -> bool {
  return word(face, KIND) == STAGE && bitcast<i32>(word(face, MOVED)) < 0;
}

// h_f of a face, vertical units: tile::planes::Standing::opening.
fn opening_of(bed: vec2<i32>, depth: vec2<i32>) -> i32 {
  let eta = bed + depth;
  return max(max(eta.x, eta.y) - max(bed.x, bed.y), 0);
}

// The same of a west or south face; `here` counts as the cell before it, whichever that is.
fn opening_beside(
  owner: At, axis: u32, here: At, there: At, bed: vec2<i32>, depth: vec2<i32>,
) -> i32 {
  if (!COLUMNS) {
    return opening_of(bed, depth);
  }
  let eta = vec2(surface_of(here, bed.x, depth.x).stage, surface_of(there, bed.y, depth.y).stage);
  return opening_between(face_table(owner, axis), eta, depth, vec2(0)).area;
}

// sim::boundary_step::keep_velocities, of the face `flow_at` of a changed cell to the one on a side
// of it. Of two cells that changed the first has the face.
fn keep_velocity(i: u32, side: u32, moved: Crossed, here: At, there: At, flow_at: u32) {
  let own = edge_cell(i);
  let line = select(own.y, own.x, side < 2u) == select(0, 63, (side & 1u) != 0u);
  if (line && (records[own.record].marks & (512u << side)) != 0u) {
    // Faces to other levels keep their discharge.
    return;
  }
  let bed = vec2(beds[one(here)], beds[one(there)]);
  if (bed.y == OUTSIDE) {
    return;
  }
  // A leaf with other steps has its own water, and where its steps are shorter, the face.
  let over = face_over(own.record, side, line, flow_at);
  let depth = vec2(depths[one(here)], depth_over(own.record, side, line, there));
  var before = depth + vec2(moved.units, 0);
  let across = select(0u, 1u, side < 2u);
  var still = vec2(moved.still[across], 0);
  let beside = edge_cell_beside(i, side);
  if (beside != NONE) {
    let beyond = crossed(edge_cell(beside));
    if (beyond.is_changed && beside < i) {
      return;
    }
    before.y = before.y + beyond.units;
    still.y = beyond.still[across];
  }
  let owner_is_there = (side & 1u) != 0u;
  let owner = At(select(here.slot, there.slot, owner_is_there),
    select(here.cell, there.cell, owner_is_there));
  let old = opening_beside(owner, side >> 1u, here, there, bed, before);
  if (old > 0) {
    let now = opening_beside(owner, side >> 1u, here, there, bed, depth - still);
    let q = bitcast<u32>(flush(PRO(flow_in(over.is_turned, over.at), DIV(f32(now), f32(old)))));
    if (over.is_turned) {
      flows_new[over.at] = q;
    } else {
      flows[over.at] = q;
    }
  }
}

// Where the discharge of a face stands: in the halo tile in which leaves with shorter steps see this
// one, or in the leaf beyond that has them.
struct FaceOver {
  at: u32,
  is_turned: bool,
}
fn face_over(record: u32, side: u32, is_at_side: bool, flow_at: u32) -> FaceOver {
  if (!is_at_side || !is_faster(record, side)) {
    return FaceOver(flow_at, false);
  }
  let is_far = (side & 1u) != 0u;
  let slot = select(records[record].shown_as, records[record].others[side], is_far);
  return FaceOver(slot * 8192u + (flow_at & 8191u), faster_turned());
}
// The depth beyond a face.
fn depth_over(record: u32, side: u32, is_at_side: bool, there: At) -> i32 {
  let other = records[record].others[side];
  if (!is_at_side || other == NONE) {
    return depths[one(there)];
  }
  let is_turned = select(slower_turned(), faster_turned(), is_faster(record, side));
  return depth_in(is_turned, other * 4096u + there.cell);
}

@compute @workgroup_size(64)
fn keep_velocities(@builtin(global_invocation_id) id: vec3<u32>) {
  if (id.x >= step.edge_cells) {
    return;
  }
  let own = edge_cell(id.x);
  let moved = crossed(own);
  if (!moved.is_changed) {
    return;
  }
  let here = at(own.record, own.x, own.y);
  let w = at(own.record, own.x - 1, own.y);
  let e = at(own.record, own.x + 1, own.y);
  let s = at(own.record, own.x, own.y - 1);
  let n = at(own.record, own.x, own.y + 1);
  keep_velocity(id.x, 0u, moved, here, w, west(here));
  keep_velocity(id.x, 1u, moved, here, e, west(e));
  keep_velocity(id.x, 2u, moved, here, s, south(here));
  keep_velocity(id.x, 3u, moved, here, n, south(n));
}

// The face of a cell on a side, or NONE.
fn face_on(cell: EdgeCell, side: u32) -> u32 {
  for (var face = cell.first; face < cell.end; face = face + 1u) {
    if (word(face, SIDE) == side) {
      return face;
    }
  }
  return NONE;
}

// sim::boundary_momentum::gained: what the face behind gains from a face on a side of the cell at
// `place` from the corner of what is near.
fn gained_over(face: u32, side: u32, record: u32, corner: vec2<i32>, place: vec2<i32>) -> f32 {
  let axis = i32(side >> 1u);
  let is_low = (side & 1u) == 0u;
  let along = select(vec2(0, 1), vec2(1, 0), axis == 0);
  let inward = select(-1.0, 1.0, is_low);
  let behind = place + select(vec2(0, 0), along, is_low);
  let left = at(record, corner.x + behind.x - along.x, corner.y + behind.y - along.y);
  let right = at(record, corner.x + behind.x, corner.y + behind.y);
  let depth = vec2(depths_new[one(left)], depths_new[one(right)]);
  var opening = opening_of(vec2(beds[one(left)], beds[one(right)]), depth);
  var carried = 1.0;
  if (COLUMNS) {
    let slopes = slopes_new(left, right);
    opening = column_int(right, OPEN_NEW + u32(axis));
    carried = carried_part(max_f(slopes.x, slopes.y));
  }
  let h_f = PRO(f32(opening), step.unit_m);
  if (h_f < DEPTH_DRY_M) {
    return 0.0;
  }
  let at_face = near_face(axis, behind.x, behind.y);
  let after = select(-1, 1, is_low) * faces_along(axis).x;
  let own = PRO(speeds[at_face], inward);
  let next = PRO(speeds[at_face + after], inward);
  let boundary_depth = max(near_depths[near_cell(place.x, place.y)], 1);
  let most = face_params_speed_most(boundary_depth);
  let free = flush(DIV(-number(face, DISCHARGE), PRO(f32(boundary_depth), step.unit_m)));
  let at_boundary = max_f(-most, min_f(free, most));
  let passed = PRO(f32(transfers[west(right) + u32(axis) * 4096u]), inward);
  let transfer_sum = SUB(passed, f32(bitcast<i32>(word(face, MOVED))));
  var brought = at_boundary;
  if (transfer_sum >= 0.0 && is_drawn(face)) {
    brought = own;
  }
  if (transfer_sum < 0.0) {
    brought = APART(SUB(own, PRO(0.5, slope_beside(own, at_boundary, next))));
  }
  var kernel_brought = 0.0;
  if (passed >= 0.0) {
    let edge = place + select(along, vec2(0, 0), is_low);
    kernel_brought = PRO(inward, passed_on_by(axis, edge.x, edge.y));
  } else {
    kernel_brought = APART(SUB(own, PRO(0.5, slope_beside(own, 0.0, next))));
  }
  let missing =
    SUB(MUL(transfer_sum, SUB(brought, own)), MUL(passed, SUB(kernel_brought, own)));
  let gained = DIV(PRO(carried, missing), max_f(ADD(f32(depth.x), f32(depth.y)), 1.0));
  let fastest = face_params_speed_most(opening);
  return MUL(PRO(inward, max_f(-fastest, min_f(gained, fastest))), h_f);
}
fn slope_beside(own: f32, beside: f32, next: f32) -> f32 {
  if (!IS_SECOND) {
    return 0.0;
  }
  return limited(APART(SUB(own, beside)), SUB(next, own));
}

// flow::walls::passed_on_by
fn passed_on_by(axis: i32, x: i32, y: i32) -> f32 {
  let over = sight(axis, x, y);
  let depth = depths_at(near_cell(x, y), cells_along(axis).x);
  if (!column_pair_is_wall(ColumnPair(depth, over.eta, over.sill), step.wall_least)) {
    return 0.0;
  }
  return passed_on(axis, x, y);
}

fn add_to_flow(flow_at: u32, gained: f32) {
  flows_new[flow_at] = bitcast<u32>(flush(ADD(bitcast<f32>(flows_new[flow_at]), gained)));
}

// sim::boundary_momentum::carry_over_boundary, by the face on a side of a cell. Two faces over
// against each other on cells side by side have the same face behind: the western or southern cell
// adds both, its own first. What rivers have behind them `carry_over_rivers` puts in place after.
fn carry_over(i: u32, own: EdgeCell, side: u32) {
  let face = face_on(own, side);
  if (face == NONE) {
    return;
  }
  let axis = side >> 1u;
  let corner = vec2(own.x, own.y);
  let along = select(vec2(0, 1), vec2(1, 0), axis == 0u);
  let at_axis = select(own.y, own.x, axis == 0u);
  let other = side ^ 1u;
  if ((side & 1u) == 1u) {
    // A leaf that sleeps beyond the face behind closes it.
    let is_asleep = (records[own.record].asleep & select(4u, 1u, axis == 0u)) != 0u;
    let before = edge_cell_beside(i, other);
    if (at_axis == 0 && is_asleep) {
      return;
    }
    if (at_axis > 0 && before != NONE) {
      if (face_on(edge_cell(before), other) != NONE) {
        return;
      }
    }
    let flow_at = west(at(own.record, own.x, own.y)) + axis * 4096u;
    add_to_flow(flow_at, gained_over(face, side, own.record, corner, vec2(0, 0)));
    return;
  }
  if (at_axis == 63) {
    // Another leaf owns the face behind.
    return;
  }
  let flow_at = west(at(own.record, own.x + along.x, own.y + along.y)) + axis * 4096u;
  add_to_flow(flow_at, gained_over(face, side, own.record, corner, vec2(0, 0)));
  let behind = edge_cell_beside(i, other);
  if (behind != NONE) {
    let second = face_on(edge_cell(behind), other);
    if (second != NONE) {
      add_to_flow(flow_at, gained_over(second, other, own.record, corner, along));
    }
  }
}

// A workgroup for each cell, with what is near it; a thread for each of its sides.
@compute @workgroup_size(64)
fn carry_over_boundary(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let i = group.x + group.y * 32768u;
  if (i >= step.edge_cells) {
    return;
  }
  let own = edge_cell(i);
  take_near(own, thread);
  if (thread < 4u) {
    carry_over(i, own, thread);
  }
}

// Takes what is near a cell, with 64 threads.
fn take_near(own: EdgeCell, thread: u32) {
  let corner = vec2(own.x, own.y);
  own_record = own.record;
  own_corner = corner;
  if (thread < 49u) {
    let x = i32(thread) % 7 - 3;
    let y = i32(thread) / 7 - 3;
    let cell = one(at(own.record, corner.x + x, corner.y + y));
    near_beds[near_cell(x, y)] = beds[cell];
    near_depths[near_cell(x, y)] = depths[cell];
  }
  workgroupBarrier();
  for (var j = i32(thread); j < 72; j = j + 64) {
    take_velocity(j / 36, j % 6 - 2, (j / 6) % 6 - 2);
  }
  workgroupBarrier();
}
