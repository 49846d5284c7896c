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
  if (record >= step.count || !is_asked(records[record].moving >> 16u, group.x)) {
    return;
  }
  let x = i32(thread & 63u);
  let y = i32(group.x * 4u + (thread >> 6u));
  let here = at(record, x, y);
  let left = u32(depths[one(here)]);
  if (left == 0u) {
    return;
  }
  let w = west(here);
  let e = west(at(record, x + 1, y));
  let s = south(here);
  let n = south(at(record, x, y + 1));
  if ((records[record].marks & GIVEN_MARKS) != 0u) {
    limit_beside_given(record, vec2(x, y), left, vec4(w, e, s, n));
    return;
  }
  // Each is a quarter of the room below the ceiling at most: the sum fits.
  let wanted = u32(max(-transfers[w], 0)) + u32(max(transfers[e], 0))
    + u32(max(-transfers[s], 0)) + u32(max(transfers[n], 0));
  if (wanted <= left) {
    return;
  }
  atomicAdd(&reports[record].limited, 1u);
  limit(w, -1, left, wanted);
  limit(e, 1, left, wanted);
  limit(s, -1, left, wanted);
  limit(n, 1, left, wanted);
}
