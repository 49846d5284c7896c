// Tracers that the water carries: `flow::tracer` of thalweg. It stands behind the text of contents and
// that of slopes.
//
// A workgroup has 16 x 16 cells of a leaf. Each cell in it and beside it shares out its content over
// its faces, of which each has one giver; then the cells in it sum up.

// Marks of a record: a leaf of another level lies beyond its west side; beyond the others by the next
// bits.
const OTHER_WEST: u32 = 512u;

// Cells, from 2 before to 2 behind the part: bed, depth, and the concentration rounded down, up and
// to a float.
var<workgroup> carrying_beds: array<i32, 400>;
var<workgroup> carrying_depths: array<i32, 400>;
var<workgroup> floors: array<u32, 400>;
var<workgroup> ceilings: array<u32, 400>;
var<workgroup> rounded: array<f32, 400>;
// Content over west faces, then over south faces, eastward and northward.
var<workgroup> carried_over: array<vec2<u32>, 544>;
// 1 where some content is near.
var<workgroup> is_any_near: u32;

fn carrying(x: i32, y: i32) -> i32 {
  return (y + 2) * 20 + x + 2;
}
fn over_west(x: i32, y: i32) -> i32 {
  return y * 17 + x;
}
fn over_south(x: i32, y: i32) -> i32 {
  return 272 + y * 16 + x;
}
fn is_within(i: i32) -> bool {
  return i >= 0 && i < 16;
}

// PaddedTracer::concentrations
fn take_concentration(here: At, place: i32, tracer: u32) {
  var content = contents[content_at(here, tracer)];
  if (all(content == NO_WATER)) {
    content = vec2(0u);
    carrying_depths[place] = 0;
  }
  var own = vec2(0u);
  if (!is_none(content)) {
    own = divided(content, u32(carrying_depths[place]));
    is_any_near = 1u;
  }
  floors[place] = own.x;
  ceilings[place] = own.x + select(0u, 1u, own.y != 0u);
  var value = f32(own.x);
  if (own.y != 0u) {
    value = ADD(value, DIV(f32(own.y), f32(carrying_depths[place])));
  }
  rounded[place] = value;
}

fn is_shared(here: i32, there: i32) -> bool {
  let bed = vec2(carrying_beds[here], carrying_beds[there]);
  let eta = bed + vec2(carrying_depths[here], carrying_depths[there]);
  return carrying_depths[there] > 0 && max(eta.x, eta.y) > max(bed.x, bed.y);
}

// Profile: its bounds, and its slopes eastward and northward.
struct Profile {
  bounds: vec2<u32>,
  slope: vec2<f32>,
}

// PaddedTracer::reconstruct
fn profile_of(place: i32) -> Profile {
  var profile = Profile(vec2(floors[place], ceilings[place]), vec2(0.0));
  if (!is_second_order()) {
    return profile;
  }
  let middle = rounded[place];
  for (var axis = 0; axis < 2; axis = axis + 1) {
    let along = select(20, 1, axis == 0);
    let is_shared_before = is_shared(place, place - along);
    let is_shared_after = is_shared(place, place + along);
    if (is_shared_before) {
      profile.bounds.x = min(profile.bounds.x, floors[place - along]);
      profile.bounds.y = max(profile.bounds.y, ceilings[place - along]);
    }
    if (is_shared_after) {
      profile.bounds.x = min(profile.bounds.x, floors[place + along]);
      profile.bounds.y = max(profile.bounds.y, ceilings[place + along]);
    }
    if (is_shared_before && is_shared_after) {
      // Their sum would take the middle away again.
      let before = APART(SUB(middle, rounded[place - along]));
      profile.slope[axis] = limited(before, SUB(rounded[place + along], middle));
    }
  }
  return profile;
}

// Outflow::of: mean transfer through opposite faces over the depth.
fn courant_of(back: i32, ahead: i32, depth: i32) -> f32 {
  let net = DIV(SUB(f32(ahead), f32(back)), f32(depth));
  return max_f(min_f(net, 1.0), -1.0);
}

// Outflow::excess, through the low or the high face of an axis; then as an integer.
fn excess(dv: i32, depth: i32, outward: f32, across: f32, courant: f32) -> f32 {
  let units = f32(dv);
  let along = MUL(outward, SUB(1.0, DIV(units, f32(depth))));
  let more = PRO(0.5, SUB(along, MUL(across, courant)));
  return PRO(max_f(min_f(more, 16777216.0), -16777216.0), units);
}
fn whole64(x: f32) -> vec2<u32> {
  let word = bitcast<u32>(x);
  let exponent = i32((word >> 23u) & 255u) - 127;
  if (exponent < 0) {
    return vec2(0u);
  }
  let part = (word & 0x7fffffu) | 0x800000u;
  var pair = vec2(0u);
  if (exponent <= 23) {
    pair.x = part >> u32(23 - exponent);
  } else if (exponent < 55) {
    let shift = u32(exponent - 23);
    pair = vec2(part << shift, part >> (32u - shift));
  } else {
    pair.y = part << u32(exponent - 55);
  }
  if ((word & 0x80000000u) != 0u) {
    return sub64(vec2(0u), pair);
  }
  return pair;
}

// Puts what goes over a face of a cell where that is of the part: west, east, south, north.
fn put_over(x: i32, y: i32, face: i32, moved: vec2<u32>) {
  let is_high = (face & 1) == 1;
  let outward = select(sub64(vec2(0u), moved), moved, is_high);
  let beside = select(0, 1, is_high);
  if (face < 2) {
    let column = x + beside;
    if (is_within(y) && column >= 0 && column <= 16) {
      carried_over[over_west(column, y)] = outward;
    }
  } else {
    let row = y + beside;
    if (is_within(x) && row >= 0 && row <= 16) {
      carried_over[over_south(x, row)] = outward;
    }
  }
}

// Cells of other levels give nothing.
fn is_of_level(record: u32, x: i32, y: i32) -> bool {
  let beyond = select(0u, 1u, x < 0) | select(0u, 2u, x > 63)
    | select(0u, 4u, y < 0) | select(0u, 8u, y > 63);
  return ((records[record].marks / OTHER_WEST) & beyond) == 0u;
}

// PaddedTracer::given, and Outflow::share_out
fn give(record: u32, tracer: u32, corner: vec2<i32>, x: i32, y: i32) {
  if (!is_of_level(record, corner.x + x, corner.y + y)) {
    return;
  }
  let here = at(record, corner.x + x, corner.y + y);
  let content = contents[content_at(here, tracer)];
  if (is_none(content)) {
    return;
  }
  let west_out = max(-transfers[west(here)], 0);
  let east_out = max(transfers[west(at(record, corner.x + x + 1, corner.y + y))], 0);
  let south_out = max(-transfers[south(here)], 0);
  let north_out = max(transfers[south(at(record, corner.x + x, corner.y + y + 1))], 0);
  var outflow = array<i32, 4>(west_out, east_out, south_out, north_out);
  if ((west_out | east_out | south_out | north_out) == 0) {
    return;
  }
  let place = carrying(x, y);
  let depth = carrying_depths[place];
  let profile = profile_of(place);
  let courant =
    vec2(courant_of(west_out, east_out, depth), courant_of(south_out, north_out, depth));
  let lowest = floors[place];
  let below = sub64(content, mul32(lowest, u32(depth))).x;
  var left = content;
  var held = u32(depth);
  for (var face = 0; face < 4; face = face + 1) {
    let dv = outflow[face];
    if (dv == 0) {
      continue;
    }
    let units = u32(dv);
    let stays = held - units;
    var wanted = mul32(lowest, units);
    if (below != 0u) {
      wanted = add64(wanted, vec2(divided(mul32(below, units), u32(depth)).x, 0u));
    }
    let is_along_x = face < 2;
    let slope = select(profile.slope.yx, profile.slope, is_along_x);
    let outward = select(-slope.x, slope.x, (face & 1) == 1);
    let across = select(courant.x, courant.y, is_along_x);
    wanted = add64(wanted, whole64(excess(dv, depth, outward, slope.y, across)));
    let least = max64(mul32(profile.bounds.x, units), sub64(left, mul32(profile.bounds.y, stays)));
    let most = min64(mul32(profile.bounds.y, units), sub64(left, mul32(profile.bounds.x, stays)));
    let moved = max64(min64(wanted, most), least);
    left = sub64(left, moved);
    held = stays;
    put_over(x, y, face, moved);
  }
}

// What a cell gives over the sides of its leaf, where coarser leaves lie beyond some of these:
// outward, a row of each side.
fn keep_crossing(record: u32, tracer: u32, corner: vec2<i32>, x: i32, y: i32) {
  let rows = records[record].crossing;
  if (rows == NONE) {
    return;
  }
  let place = corner + vec2(x, y);
  let is_at = vec4(place.x == 0, place.x == 63, place.y == 0, place.y == 63);
  let faces = vec4(over_west(x, y), over_west(x + 1, y), over_south(x, y), over_south(x, y + 1));
  for (var side = 0u; side < 4u; side = side + 1u) {
    if (is_at[side]) {
      var outward = carried_over[faces[side]];
      if ((side & 1u) == 0u) {
        outward = sub64(vec2(0u), outward);
      }
      let along = u32(select(place.x, place.y, side < 2u));
      let at_face = rows + 2u * (64u * (4u * tracer + side) + along);
      edges[at_face] = outward.x;
      edges[at_face + 1u] = outward.y;
    }
  }
}

// PaddedTracer::advance
@compute @workgroup_size(256)
fn carry_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let corner = vec2(i32(group.x & 3u), i32(group.x >> 2u)) * 16;
  for (var i = i32(thread); i < 400; i = i + 256) {
    let cell = one(at(record, corner.x + i % 20 - 2, corner.y + i / 20 - 2));
    carrying_beds[i] = beds[cell];
    carrying_depths[i] = depths[cell];
  }
  let x = i32(thread & 15u);
  let y = i32(thread >> 4u);
  let here = at(record, corner.x + x, corner.y + y);
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    if (thread == 0u) {
      is_any_near = 0u;
    }
    workgroupBarrier();
    for (var i = i32(thread); i < 400; i = i + 256) {
      let there = at(record, corner.x + i % 20 - 2, corner.y + i / 20 - 2);
      take_concentration(there, i, tracer);
    }
    for (var i = i32(thread); i < 544; i = i + 256) {
      carried_over[i] = vec2(0u);
    }
    if (workgroupUniformLoad(&is_any_near) == 0u) {
      contents_new[content_at(here, tracer)] = vec2(0u);
      keep_crossing(record, tracer, corner, x, y);
      continue;
    }
    for (var i = i32(thread); i < 324; i = i + 256) {
      let column = i % 18 - 1;
      let row = i / 18 - 1;
      if (is_within(column) || is_within(row)) {
        give(record, tracer, corner, column, row);
      }
    }
    workgroupBarrier();
    let came_x = sub64(carried_over[over_west(x, y)], carried_over[over_west(x + 1, y)]);
    let came_y = sub64(carried_over[over_south(x, y)], carried_over[over_south(x, y + 1)]);
    let content = contents[content_at(here, tracer)];
    contents_new[content_at(here, tracer)] = add64(content, add64(came_x, came_y));
    keep_crossing(record, tracer, corner, x, y);
    workgroupBarrier();
  }
}
