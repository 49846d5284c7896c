// Stages and openings of sub-grid columns in a step: `tile::columns::rows` of thalweg. Leaves that
// sleep beside those awake stand as well, whose faces look at them.

// The cell of a thread in the rows of its workgroup.
fn place_in_rows(group: vec3<u32>, thread: u32) -> vec2<i32> {
  return vec2(i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
}

// Where water stands at the start of the step.
@compute @workgroup_size(256)
fn stand_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let place = place_in_rows(group, thread);
  let here = at(record, place.x, place.y);
  let surface = surface_of(here, beds[one(here)], depths[one(here)]);
  put_column(here, STAGE_OLD, bitcast<u32>(surface.stage));
  put_column(here, SLOPE_OLD, bitcast<u32>(surface.slope));
}

fn open_face(here: At, before: At, axis: u32) {
  let stage = vec2(column_int(before, STAGE_OLD), column_int(here, STAGE_OLD));
  let depth = vec2(depths[one(before)], depths[one(here)]);
  let opening = opening_between(face_table(here, axis), stage, depth, vec2(0));
  put_column(here, OPEN_OLD + axis, bitcast<u32>(opening.area));
}

// How far faces are open then.
@compute @workgroup_size(256)
fn open_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let place = place_in_rows(group, thread);
  let here = at(record, place.x, place.y);
  open_face(here, at(record, place.x - 1, place.y), 0u);
  open_face(here, at(record, place.x, place.y - 1), 1u);
}

// Where water stands once the transfers of the step are known.
@compute @workgroup_size(256)
fn stand_new_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let place = place_in_rows(group, thread);
  let here = at(record, place.x, place.y);
  let east = transfers[west(at(record, place.x + 1, place.y))];
  let north = transfers[south(at(record, place.x, place.y + 1))];
  let gained = (transfers[west(here)] - east) + (transfers[south(here)] - north);
  let depth = depths[one(here)] + gained;
  let surface = surface_of(here, beds[one(here)], depth);
  put_column(here, DEPTH_NEW, bitcast<u32>(depth));
  put_column(here, STAGE_NEW, bitcast<u32>(surface.stage));
  put_column(here, SLOPE_NEW, bitcast<u32>(surface.slope));
  put_column(here, QUANTUM, bitcast<u32>(surface.quantum));
}

fn open_new_face(here: At, before: At, axis: u32, across: vec2<i32>) {
  let stage = vec2(column_int(before, STAGE_NEW), column_int(here, STAGE_NEW));
  let depth = vec2(column_int(before, DEPTH_NEW), column_int(here, DEPTH_NEW));
  let opening = opening_between(face_table(here, axis), stage, depth, across);
  put_column(here, OPEN_NEW + axis, bitcast<u32>(opening.area));
  put_column(here, CONVEYING + axis, bitcast<u32>(opening.conveying));
}

// How far faces of leaves that are awake are open then, and how well they convey.
@compute @workgroup_size(256)
fn open_new_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let place = place_in_rows(group, thread);
  let x = place.x;
  let y = place.y;
  let here = at(record, x, y);
  let across_x = vec2(falls_along(record, 0u, x - 1, y), falls_along(record, 0u, x, y));
  let across_y = vec2(falls_along(record, 1u, x, y - 1), falls_along(record, 1u, x, y));
  open_new_face(here, at(record, x - 1, y), 0u, across_x);
  open_new_face(here, at(record, x, y - 1), 1u, across_y);
}
