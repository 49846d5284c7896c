// Contents where levels meet: `forest::interfaces::contents` and `sim::leaf_tracers` of thalweg. It
// stands behind the text of contents, of levels and of halo tiles.
//
// Contents of a register stand behind its other words, a row of 64 for each tracer. What goes over
// the sides of a fine leaf stands in rows of its own.

const SETTLED_SIDES: u32 = 7u;
const SETTLED_SIDES_WORDS: u32 = 10u;
const SHOWN_TILES: u32 = 8u;
const SHOWN_TILE_WORDS: u32 = 9u;
const DRAWN_SIDES: u32 = 9u;
const DRAWN_SIDE_WORDS: u32 = 11u;

const REGISTER_CONTENTS: u32 = 320u;

fn register_content(register_at: u32, tracer: u32, i: u32) -> u32 {
  return register_at + REGISTER_CONTENTS + 2u * (64u * tracer + i);
}
fn content_in(is_turned: bool, i: u32) -> vec2<u32> {
  if (is_turned) {
    return contents_new[i];
  }
  return contents[i];
}

// Unsigned words.
fn is_below64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return a.y < b.y || (a.y == b.y && a.x < b.x);
}
fn twice64(a: vec2<u32>) -> vec2<u32> {
  return vec2(a.x << 1u, (a.y << 1u) | (a.x >> 31u));
}
fn four_times(a: vec2<u32>) -> vec2<u32> {
  return twice64(twice64(a));
}

// Quotient, below 2^32, and rest.
struct Quotient {
  whole: u32,
  rest: vec2<u32>,
}
fn divided64(a: vec2<u32>, by: vec2<u32>) -> Quotient {
  var low = a;
  var own = Quotient(0u, vec2(0u));
  for (var i = 0u; i < 64u; i = i + 1u) {
    own.rest = twice64(own.rest) | vec2(low.y >> 31u, 0u);
    low = twice64(low);
    own.whole = own.whole << 1u;
    if (!is_below64(own.rest, by)) {
      own.rest = sub64(own.rest, by);
      own.whole = own.whole | 1u;
    }
  }
  return own;
}

// contents::part: a product of 96 bits, and a quotient of 64.
fn part_of(content: vec2<u32>, units: vec2<u32>, all: vec2<u32>) -> vec2<u32> {
  if (is_none(content) || is_none(units)) {
    return vec2(0u);
  }
  let low = mul32(content.x, units.x);
  let inner = add64(mul32(content.x, units.y), mul32(content.y, units.x));
  let middle = add64(vec2(low.y, 0u), inner);
  var product = vec3(low.x, middle.x, middle.y + content.y * units.y);
  var rest = vec2(0u);
  var whole = vec2(0u);
  for (var i = 0u; i < 96u; i = i + 1u) {
    rest = twice64(rest) | vec2(product.z >> 31u, 0u);
    product = (product << vec3(1u)) | vec3(0u, product.x >> 31u, product.y >> 31u);
    whole = twice64(whole);
    if (!is_below64(rest, all)) {
      rest = sub64(rest, all);
      whole.x = whole.x | 1u;
    }
  }
  return whole;
}

// contents::Pool, with its concentration.
struct Pool {
  water: vec2<u32>,
  lo: u32,
  above: vec2<u32>,
}
fn pool_with(water: vec2<u32>, content: vec2<u32>) -> Pool {
  if (is_none(water)) {
    return Pool(water, 0u, content);
  }
  let own = divided64(content, water);
  return Pool(water, own.whole, own.rest);
}
// Pool::content_of
fn pool_content(pool: Pool, units: i32) -> vec2<u32> {
  if (is_none(pool.water)) {
    return vec2(0u);
  }
  let part = part_of(pool.above, vec2(u32(units), 0u), pool.water);
  return add64(mul32(pool.lo, u32(units)), part);
}
// Pool::amount
fn pool_amount(pool: Pool, before: vec2<u32>, units: u32) -> vec2<u32> {
  let until = part_of(pool.above, add64(before, vec2(units, 0u)), pool.water);
  let part = sub64(until, part_of(pool.above, before, pool.water));
  return add64(mul32(pool.lo, units), part);
}

// A cell at the sides of its leaf: west, east, south, north; and its place along a side.
fn is_at_side(cell: u32, side: u32) -> bool {
  let x = cell & 63u;
  let y = cell >> 6u;
  return select(y, x, side < 2u) == select(0u, 63u, (side & 1u) == 1u);
}
fn along_side(cell: u32, side: u32) -> u32 {
  return select(cell & 63u, cell >> 6u, side < 2u);
}
// The register of a cell on a side, or NONE; the tables have those of its leaf.
fn register_of(registers: u32, cell: u32, side: u32) -> u32 {
  return select(NONE, tables[registers + side], is_at_side(cell, side));
}

// Pool::of
fn pool_of(slot: u32, cell: u32, registers: u32, tracer: u32, is_turned: bool) -> Pool {
  let depth = u32(depth_in(is_turned, slot * 4096u + cell));
  var water = four_times(vec2(depth, 0u));
  var content = four_times(content_in(is_turned, content_at(At(slot, cell), tracer)));
  for (var side = 0u; side < 4u; side = side + 1u) {
    let register_at = register_of(registers, cell, side);
    if (register_at != NONE) {
      let i = along_side(cell, side);
      water = add64(water, pair_at(register_at + 2u * i));
      content = add64(content, pair_at(register_content(register_at, tracer, i)));
    }
  }
  return pool_with(water, content);
}

// contents::restricted_content, of the water that `note_finer` found.
@compute @workgroup_size(256)
fn note_contents(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = finer_cell(group, thread);
  if (tile.entry == NONE) {
    return;
  }
  let finer = leaf_in(tile);
  let own = At(tables[tile.entry], within(tile.cell));
  let four = within(2 * tile.cell);
  let turned = faster_turned();
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    var water = vec2(0u);
    var content = vec2(0u);
    for (var k = 0u; finer != NONE && k < 4u; k = k + 1u) {
      let cell = At(finer, four + (k & 1u) + 64u * (k >> 1u));
      water = add64(water, vec2(u32(depth_in(turned, one(cell))), 0u));
      content = add64(content, content_in(turned, content_at(cell, tracer)));
    }
    contents[content_at(own, tracer)] = pool_content(pool_with(water, content), depths[one(own)]);
  }
}

// A cell of a coarse leaf at its sides. An entry: record, slot, the registers of its sides and the
// slots of the faces there, or NONE. A cell at a corner may have two registers: once is enough.
struct SideCell {
  cell: u32,
  is_first: bool,
}
fn side_cell(entry: u32, thread: u32) -> SideCell {
  let side = thread >> 6u;
  let cell = cell_along(side, thread & 63u);
  var is_first = tables[entry + 2u + side] != NONE;
  for (var before = 0u; before < side; before = before + 1u) {
    is_first = is_first && register_of(entry + 2u, cell, before) == NONE;
  }
  return SideCell(cell, is_first);
}

// LeafInterfaces::settle_cell
fn settle_cell(entry: u32, cell: u32, tracer: u32) {
  let slot = tables[entry + 1u];
  let pool = pool_of(slot, cell, entry + 2u, tracer, false);
  var depth = depths[slot * 4096u + cell];
  for (var side = 0u; side < 4u; side = side + 1u) {
    let register_at = register_of(entry + 2u, cell, side);
    if (register_at != NONE) {
      depth = depth + taken_of(register_at, along_side(cell, side));
    }
  }
  let quarter = vec2((pool.above.x >> 2u) | (pool.above.y << 30u), pool.above.y >> 2u);
  let taken = min64(vec2(u32(depth), 0u), quarter);
  contents[content_at(At(slot, cell), tracer)] = add64(mul32(pool.lo, u32(depth)), taken);
  var left = sub64(pool.above, four_times(taken)).x;
  for (var side = 0u; side < 4u; side = side + 1u) {
    let register_at = register_of(entry + 2u, cell, side);
    if (register_at != NONE) {
      let i = along_side(cell, side);
      let held = edges[register_at + 2u * i] & 3u;
      let more = min(left, held);
      let own = add64(mul32(pool.lo, held), vec2(more, 0u));
      put_pair(register_content(register_at, tracer, i), own);
      left = left - more;
    }
  }
  if (left != 0u) {
    let carries = tables[step.tracers_at + 7u] + tracer * tables[step.tracers_at + 8u];
    atomicAdd(&bookings[carries + tables[entry]], left);
  }
}

// leaf_tracers::Aside::settle and restore: the water that registers give stands in the cells, and
// faces there are closed, or all is as before.
fn put_aside(entry: u32, cell: u32, is_back: bool) {
  let own = tables[entry + 1u] * 4096u + cell;
  for (var side = 0u; side < 4u; side = side + 1u) {
    let register_at = register_of(entry + 2u, cell, side);
    if (register_at == NONE) {
      continue;
    }
    let i = along_side(cell, side);
    let taken = taken_of(register_at, i);
    let face = face_along(tables[entry + 6u + side], side >> 1u, i);
    depths[own] = depths[own] + select(taken, -taken, is_back);
    let given = select(taken, -taken, (side & 1u) == 1u);
    transfers[face] = select(0, given, is_back);
  }
}

@compute @workgroup_size(256)
fn settle_contents(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, SETTLED_SIDES, SETTLED_SIDES_WORDS);
  if (entry == NONE) {
    return;
  }
  let own = side_cell(entry, thread);
  if (own.is_first) {
    for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
      settle_cell(entry, own.cell, tracer);
    }
    put_aside(entry, own.cell, false);
  }
}
@compute @workgroup_size(256)
fn put_back(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, SETTLED_SIDES, SETTLED_SIDES_WORDS);
  if (entry == NONE) {
    return;
  }
  let own = side_cell(entry, thread);
  if (own.is_first) {
    put_aside(entry, own.cell, true);
  }
}

// leaf_tracers::StepContext::note_coarser and fill: a halo tile in a coarse leaf. Its entry: slot,
// places of leaves that are awake; slot of the coarse leaf; whether the tile lies in the east and in
// the north of that; the registers of its sides.
@compute @workgroup_size(256)
fn show_contents(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, SHOWN_TILES, SHOWN_TILE_WORDS);
  if (entry == NONE) {
    return;
  }
  let place = vec2(i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
  if (!is_near(tables[entry + 1u], place.x, place.y)) {
    return;
  }
  let own = At(tables[entry], within(place));
  let halves = vec2(i32(tables[entry + 3u]), i32(tables[entry + 4u]));
  let cell = within(32 * halves + (place >> vec2(1u)));
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    let pool = pool_of(tables[entry + 2u], cell, entry + 5u, tracer, coarser_turned());
    let content = pool_content(pool, depths[one(own)]);
    contents[content_at(own, tracer)] = select(content, NO_WATER, is_none(pool.water));
  }
}

// A side of a fine leaf beyond which a coarser one is awake. An entry: the register there and its
// first cell; slot of the faces; slot of the leaf; the side; slot of the coarser leaf; the registers
// of its sides; the rows of the leaf.
fn outward_over(entry: u32, i: u32) -> i32 {
  let side = tables[entry + 4u];
  let units = transfers[face_along(tables[entry + 2u], side >> 1u, i)];
  return select(-units, units, (side & 1u) == 1u);
}
fn crossed_at(entry: u32, tracer: u32, i: u32) -> u32 {
  return tables[entry + 10u] + 2u * (64u * (4u * tracer + tables[entry + 4u]) + i);
}

// contents::FineFace::draws, of a face that lets so many units in.
fn drawn_content(entry: u32, tracer: u32, i: u32, units: i32) -> vec2<u32> {
  let side = tables[entry + 4u] ^ 1u;
  let cell = cell_along(side, tables[entry + 1u] + (i >> 1u));
  var before = vec2(0u);
  for (var other = 0u; other < side; other = other + 1u) {
    let register_at = register_of(entry + 6u, cell, other);
    if (register_at != NONE) {
      let allowed = edges[register_at + ALLOWED + along_side(cell, other)];
      before = add64(before, twice64(vec2(allowed, 0u)));
    }
  }
  let allowed = edges[tables[entry] + ALLOWED + along_side(cell, side)];
  before = add64(before, vec2(select(0u, allowed, (i & 1u) == 1u), 0u));
  let pool = pool_of(tables[entry + 5u], cell, entry + 6u, tracer, coarser_turned());
  return content_share(pool_amount(pool, before, allowed), units, i32(allowed));
}

// leaf_tracers::StepContext::cross, over the sides along one axis: a fine cell may lie on two.
fn draw_over(group: vec3<u32>, thread: u32, axis: u32) {
  let entry = entry_of(group, DRAWN_SIDES, DRAWN_SIDE_WORDS);
  if (entry == NONE) {
    return;
  }
  let side = tables[entry + 4u];
  let units = outward_over(entry, thread);
  if ((side >> 1u) != axis || units >= 0) {
    return;
  }
  let own = At(tables[entry + 3u], cell_along(side, thread));
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    let drawn = drawn_content(entry, tracer, thread, -units);
    let place = content_at(own, tracer);
    contents_new[place] = add64(contents_new[place], drawn);
    put_pair(crossed_at(entry, tracer, thread), minus(drawn));
  }
}
@compute @workgroup_size(64)
fn draw_over_x(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  draw_over(group, thread, 0u);
}
@compute @workgroup_size(64)
fn draw_over_y(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  draw_over(group, thread, 1u);
}

// coarse::LeafInterfaces::collect, of contents.
@compute @workgroup_size(32)
fn collect_contents(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, DRAWN_SIDES, DRAWN_SIDE_WORDS);
  if (entry == NONE) {
    return;
  }
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    let near = pair_at(crossed_at(entry, tracer, 2u * thread));
    let far = pair_at(crossed_at(entry, tracer, 2u * thread + 1u));
    let place = register_content(tables[entry], tracer, tables[entry + 1u] + thread);
    put_pair(place, add64(pair_at(place), add64(near, far)));
  }
}

// Contents of a level that took an odd count of steps come back to where all others stand.
@compute @workgroup_size(256)
fn turn_contents_back(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let here = at(record, i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
  for (var tracer = 0u; tracer < tracer_count(); tracer = tracer + 1u) {
    let place = content_at(here, tracer);
    contents_new[place] = contents[place];
  }
}
