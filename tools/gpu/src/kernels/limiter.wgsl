// The limiter of outflow, `flow::limiter`. The method says whether a face whose transfer is cut
// gives up the same part of its discharge: CUTS_DISCHARGES.

// flow::limiter::limit_cells
fn limit(face: u32, sign: i32, left: u32, wanted: u32) {
  let units = transfers[face];
  let dv = u32(max(units * sign, 0));
  if (dv == 0u) {
    return;
  }
  let share = i32(share_of(dv, left, vec2(wanted, 0u))) * sign;
  if (CUTS_DISCHARGES) {
    flows[face] = bitcast<u32>(scaled(flow(face), units, share));
  }
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
  take_slots(record, thread);
  workgroupBarrier();
  let first = first_of(group, thread);
  var limited = 0u;
  var s = south(near(first.x, first.y));
  for (var y = first.y; y < first.y + 4; y = y + 1) {
    let n = south(near(first.x, y + 1));
    limited = limited + limit_cell(first.x, y, vec2(s, n));
    s = n;
  }
  if (limited != 0u) {
    atomicAdd(&reports[record].limited, limited);
  }
}

// Limits the outflow of a cell, with the faces to its south and north: 1 where there was too much.
fn limit_cell(x: i32, y: i32, sides: vec2<u32>) -> u32 {
  let here = near(x, y);
  let left = u32(depths[one(here)]);
  if (left == 0u) {
    return 0u;
  }
  let w = west(here);
  let e = west(near(x + 1, y));
  // Each is a quarter of the room below the ceiling at most: the sum fits.
  let wanted = u32(max(-transfers[w], 0)) + u32(max(transfers[e], 0))
    + u32(max(-transfers[sides.x], 0)) + u32(max(transfers[sides.y], 0));
  if (wanted <= left) {
    return 0u;
  }
  limit(w, -1, left, wanted);
  limit(e, 1, left, wanted);
  limit(sides.x, -1, left, wanted);
  limit(sides.y, 1, left, wanted);
  return 1u;
}
