// Stages and openings of sub-grid columns in a step: `tile::columns::rows` of thalweg. Leaves asleep
// or apart beside those awake stand as well, whose faces look at them; in halo tiles flat columns
// stand already, and gain what their depths do.

// The cell of a thread in the rows of its workgroup.
fn place_in_rows(group: vec3<u32>, thread: u32) -> vec2<i32> {
  return vec2(i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
}

// True where the rows of a workgroup are asked for: of halo tiles some are.
fn are_asked(record: u32, group: vec3<u32>) -> bool {
  return record < step.count && is_asked(records[record].moving >> 16u, group.x);
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

fn open_face(here: At, before: At, axis: u32, may_be_flat: bool) {
  let stage = vec2(column_int(before, STAGE_OLD), column_int(here, STAGE_OLD));
  let depth = vec2(depths[one(before)], depths[one(here)]);
  let table = face_table(here, axis);
  var area = 0;
  if (may_be_flat && table_value(table, 1u) == FLAT_TOP) {
    area = max(max(stage.x, stage.y) - lowest_sill(table), 0);
  } else {
    area = opening_between(table, stage, depth, vec2(0)).area;
  }
  put_column(here, OPEN_OLD + axis, bitcast<u32>(area));
}

// How far faces are open then.
@compute @workgroup_size(256)
fn open_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (!are_asked(record, group)) {
    return;
  }
  let place = place_in_rows(group, thread);
  let here = at(record, place.x, place.y);
  let is_halo = is_halo_tile(record);
  open_face(here, at(record, place.x - 1, place.y), 0u, is_halo);
  open_face(here, at(record, place.x, place.y - 1), 1u, is_halo);
}

// Where water stands once the transfers of the step are known.
@compute @workgroup_size(256)
fn stand_new_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (!are_asked(record, group)) {
    return;
  }
  let place = place_in_rows(group, thread);
  let here = at(record, place.x, place.y);
  let east = transfers[west(at(record, place.x + 1, place.y))];
  let north = transfers[south(at(record, place.x, place.y + 1))];
  let gained = (transfers[west(here)] - east) + (transfers[south(here)] - north);
  let depth = depths[one(here)] + gained;
  if (has_flat_columns(record)) {
    // planes::ColumnPlanes::gain
    put_column(here, DEPTH_NEW, bitcast<u32>(depth));
    put_column(here, STAGE_NEW, bitcast<u32>(column_int(here, STAGE_OLD) + gained));
    put_column(here, SLOPE_NEW, columns[column_at(here, SLOPE_OLD)]);
    return;
  }
  let surface = surface_of(here, beds[one(here)], depth);
  put_column(here, DEPTH_NEW, bitcast<u32>(depth));
  put_column(here, STAGE_NEW, bitcast<u32>(surface.stage));
  put_column(here, SLOPE_NEW, bitcast<u32>(surface.slope));
  put_column(here, QUANTUM, bitcast<u32>(surface.quantum));
}

fn open_new_face(record: u32, place: vec2<i32>, axis: u32) {
  let here = at(record, place.x, place.y);
  let before_place = place - select(vec2(0, 1), vec2(1, 0), axis == 0u);
  let before = at(record, before_place.x, before_place.y);
  let across = vec2(
    falls_along(record, axis, before_place.x, before_place.y),
    falls_along(record, axis, place.x, place.y));
  let stage = stages_new(record, place, axis, before, here);
  let depth = vec2(column_int(before, DEPTH_NEW), column_int(here, DEPTH_NEW));
  let opening = opening_between(face_table(here, axis), stage, depth, across);
  put_column(here, OPEN_NEW + axis, bitcast<u32>(opening.area));
  put_column(here, CONVEYING + axis, bitcast<u32>(opening.conveying));
}

// How far faces of leaves that are awake are open then, and how well they convey: those of halo tiles
// that such leaves own.
@compute @workgroup_size(256)
fn open_new_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (!are_asked(record, group)) {
    return;
  }
  let place = place_in_rows(group, thread);
  let is_halo = is_halo_tile(record);
  if (!is_halo || (place.x == 0 && records[record].owner_west != NONE)) {
    open_new_face(record, place, 0u);
  }
  if (!is_halo || (place.y == 0 && records[record].owner_south != NONE)) {
    open_new_face(record, place, 1u);
  }
}
