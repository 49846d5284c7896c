// Flood maps of a leaf at the end of a cycle: `sim::speeds` and `sim::maps::planes`. Planes are
// those of `MapPlanes::of_words` in their order; one that is not kept has no place.

const NOT_KEPT: u32 = 0xffffffffu;

fn kept(plane: u32) -> u32 {
  return step.map_places[plane >> 2u][plane & 3u];
}
fn map_a(plane: u32, here: At) -> u32 {
  return (here.slot * step.map_planes.x + kept(plane)) * 4096u + here.cell;
}
fn map_b(plane: u32, here: At) -> u32 {
  return (here.slot * step.map_planes.y + kept(plane)) * 4096u + here.cell;
}

// sim::speeds::donor_row
fn donor(moved: i32, before: i32, behind: i32) -> i32 {
  return select(behind, before, moved > 0);
}

// sim::speeds::velocity_row
fn velocity(moved: vec2<i32>, areas: vec2<i32>, held: vec2<i32>) -> f32 {
  let first = f32(moved.x);
  let second = f32(moved.y);
  let on_first = DIV(first, f32(max(areas.x, 1)));
  let on_second = DIV(second, f32(max(areas.y, 1)));
  let most = max_f(max_f(on_first, on_second), 0.0);
  let least = min_f(min_f(on_first, on_second), 0.0);
  let sum = ADD(f32(held.x), f32(held.y));
  let mean = DIV(ADD(first, second), max_f(sum, 1.0));
  return PRO(max_f(least, min_f(mean, most)), step.speed_max);
}

// Openings of the faces before and behind a cell, where those of its level are open.
fn opened(here: At, behind: At, axis: u32, areas: vec2<i32>) -> vec2<i32> {
  let open = vec2(column_int(here, OPEN_OLD + axis), column_int(behind, OPEN_OLD + axis));
  return select(areas, open, open > vec2(0));
}

// Transfers of which the depth is known: all but those that come in over the boundary.
fn from_cells(moved: vec2<i32>, areas: vec2<i32>) -> vec2<i32> {
  return select(vec2(0), moved, areas > vec2(0));
}

// Transfers over the far faces of a cell, those over the boundary among them.
fn moved_east(record: u32, x: i32, y: i32) -> i32 {
  let moved = transfers[west(at(record, x + 1, y))];
  let far = records[record].far_edges;
  if (x < 63 || far == NONE) {
    return moved;
  }
  return moved + bitcast<i32>(edges[far + u32(y)]);
}
fn moved_north(record: u32, x: i32, y: i32) -> i32 {
  let moved = transfers[south(at(record, x, y + 1))];
  let far = records[record].far_edges;
  if (y < 63 || far == NONE) {
    return moved;
  }
  return moved + bitcast<i32>(edges[far + 64u + u32(x)]);
}

@compute @workgroup_size(256)
fn look_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let x = i32(thread & 63u);
  let y = i32(group.x * 4u + (thread >> 6u));
  let here = at(record, x, y);
  let depth = depths_new[one(here)];
  let deepest = deepest_of(here, depth);
  let is_wet = deepest >= step.threshold;
  // sim::maps::LeafMaps::pass
  if (kept(9u) != NOT_KEPT && bitcast<f32>(maps_b[map_b(8u, here)]) > 0.0) {
    let before = vec2(maps_b[map_b(9u, here)], maps_b[map_b(10u, here)]);
    let after = add64(before, records[record].span);
    maps_b[map_b(9u, here)] = after.x;
    maps_b[map_b(10u, here)] = after.y;
  }
  // sim::maps::planes::MapPlanes::look
  if (kept(0u) != NOT_KEPT) {
    if (depth > bitcast<i32>(maps_a[map_a(0u, here)])) {
      maps_a[map_a(0u, here)] = bitcast<u32>(depth);
      if (kept(5u) != NOT_KEPT) {
        maps_a[map_a(5u, here)] = step.time_word;
      }
    }
  }
  // Moments are not negative: as words they have the same order.
  if (kept(3u) != NOT_KEPT && is_wet) {
    maps_a[map_a(3u, here)] = min(maps_a[map_a(3u, here)], step.time_word);
  }
  if (kept(4u) != NOT_KEPT && is_wet) {
    maps_a[map_a(4u, here)] = step.time_word;
  }
  if (kept(8u) != NOT_KEPT) {
    maps_b[map_b(8u, here)] = select(0u, 0x3f800000u, is_wet);
  }
  if (kept(1u) == NOT_KEPT && kept(2u) == NOT_KEPT && kept(6u) == NOT_KEPT) {
    return;
  }
  var u = 0.0;
  var v = 0.0;
  if (is_wet) {
    let old = depths[one(here)];
    var moved_x = vec2(transfers[west(here)], moved_east(record, x, y));
    var moved_y = vec2(transfers[south(here)], moved_north(record, x, y));
    let w = depths[one(at(record, x - 1, y))];
    let e = depths[one(at(record, x + 1, y))];
    let s = depths[one(at(record, x, y - 1))];
    let n = depths[one(at(record, x, y + 1))];
    var areas_x = vec2(donor(moved_x.x, w, old), donor(moved_x.y, old, e));
    var areas_y = vec2(donor(moved_y.x, s, old), donor(moved_y.y, old, n));
    var held_x = vec2(old, depth);
    var held_y = held_x;
    if (COLUMNS) {
      areas_x = opened(here, at(record, x + 1, y), 0u, areas_x);
      moved_x = from_cells(moved_x, areas_x);
      areas_y = opened(here, at(record, x, y + 1), 1u, areas_y);
      moved_y = from_cells(moved_y, areas_y);
      held_x = areas_x;
      held_y = areas_y;
    }
    u = velocity(moved_x, areas_x, held_x);
    v = velocity(moved_y, areas_y, held_y);
  }
  if (kept(6u) != NOT_KEPT) {
    maps_b[map_b(6u, here)] = bitcast<u32>(u);
    maps_b[map_b(7u, here)] = bitcast<u32>(v);
  }
  if (kept(1u) == NOT_KEPT && kept(2u) == NOT_KEPT) {
    return;
  }
  let speed = SQRT(ADD(MUL(u, u), MUL(v, v)));
  if (kept(1u) != NOT_KEPT) {
    let fastest = bitcast<f32>(maps_a[map_a(1u, here)]);
    maps_a[map_a(1u, here)] = bitcast<u32>(max_f(fastest, speed));
  }
  if (kept(2u) != NOT_KEPT) {
    // sim::maps::planes::MapScale::hazard
    var metres = 0.0;
    if (is_wet) {
      metres = PRO(f32(deepest), step.map_unit_m);
    }
    let hazard = PRO(metres, ADD(speed, 0.5));
    let worst = bitcast<f32>(maps_a[map_a(2u, here)]);
    maps_a[map_a(2u, here)] = bitcast<u32>(max_f(worst, hazard));
  }
}
