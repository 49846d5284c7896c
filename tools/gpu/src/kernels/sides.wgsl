// Leaves beside other levels, and their halo tiles, in the kernels of all methods.

// Marks of a record: its sides over which transfers are given: west, east, south, north; leaves
// asleep close the faces that others own.
const GIVEN_MARKS: u32 = 60u;
const CLOSED_WEST: u32 = 128u;
const CLOSED_SOUTH: u32 = 256u;

const STILL: Face = Face(0.0, 0.0, 0.0, 0.0, false, false);

// flow::limiter::limit_cells, of cells with faces whose transfer is given: west, east, south, north.
fn limit_beside_given(record: u32, place: vec2<i32>, depth: u32, faces: vec4<u32>) {
  let marks = vec4(records[record].marks) & vec4(4u, 8u, 16u, 32u);
  let is_at = vec4(place.x == 0, place.x == 63, place.y == 0, place.y == 63);
  let is_given = (marks != vec4(0u)) & is_at;
  let signs = vec4(-1, 1, -1, 1);
  var wanted = 0u;
  var given = 0u;
  for (var k = 0; k < 4; k = k + 1) {
    let out = u32(max(transfers[faces[k]] * signs[k], 0));
    wanted = wanted + select(out, 0u, is_given[k]);
    given = given + select(0u, out, is_given[k]);
  }
  let left = depth - min(depth, given);
  if (wanted <= left) {
    return;
  }
  atomicAdd(&reports[record].limited, 1u);
  for (var k = 0; k < 4; k = k + 1) {
    if (!is_given[k]) {
      limit(faces[k], signs[k], left, wanted);
    }
  }
}

// flow::depth::level_finer: the new depths before and below a cell, where finer leaves own the faces
// there; `new_depths` and `bed` of the cells to the west and to the south, and its own. Of sub-grid
// columns the stages alone are levelled.
fn levelled(record: u32, place: vec2<i32>, new_depths: vec3<i32>, bed: vec3<i32>) -> vec2<i32> {
  if (COLUMNS) {
    return new_depths.xy;
  }
  let stage = bed.z + new_depths.z;
  let is_west = is_of_finer(record, place, 0u);
  let is_south = is_of_finer(record, place, 1u);
  return vec2(
    select(new_depths.x, max(stage - bed.x, 0), is_west),
    select(new_depths.y, max(stage - bed.y, 0), is_south));
}

// Faces of a halo tile that leaves before it own: their new discharges, and what those report.
fn keep_owned(record: u32, here: At, place: vec2<i32>, face_x: Face, face_y: Face) {
  let marks = records[record].marks;
  let owner_west = records[record].owner_west;
  if (place.x == 0 && owner_west != NONE) {
    let is_closed = (marks & CLOSED_WEST) != 0u;
    flows_new[west(here)] = select(bitcast<u32>(face_x.q), 0u, is_closed);
    if (step.is_last != 0u) {
      add_seen(owner_west, seen_of(face_x, STILL, 0u));
    }
  }
  let owner_south = records[record].owner_south;
  if (place.y == 0 && owner_south != NONE) {
    let is_closed = (marks & CLOSED_SOUTH) != 0u;
    flows_new[south(here)] = select(bitcast<u32>(face_y.q), 0u, is_closed);
    if (step.is_last != 0u) {
      add_seen(owner_south, seen_of(shown_north(owner_south, place.x), face_y, 0u));
    }
  }
}

// With shallow water the pace over a north face counts the west face before it, of the last row.
fn show_north(record: u32, place: vec2<i32>, face: Face) {
  let shown_at = records[record].north_at;
  if (step.is_last != 0u && place.y == 63 && shown_at != NONE) {
    edges[shown_at + u32(place.x)] = bitcast<u32>(face.speed);
    edges[shown_at + 64u + u32(place.x)] = bitcast<u32>(face.wave);
  }
}
fn shown_north(record: u32, x: i32) -> Face {
  let shown_at = records[record].north_at;
  if (step.counts_ends == 0u || shown_at == NONE) {
    return STILL;
  }
  let speed = bitcast<f32>(edges[shown_at + u32(x)]);
  return Face(0.0, speed, bitcast<f32>(edges[shown_at + 64u + u32(x)]), 0.0, false, false);
}
