// Interfaces between levels, and between leaves of a level with other steps: `forest::interfaces` of
// thalweg. It stands behind the text of slopes.
//
// The halo of a leaf where another level lies, or a leaf with other steps, stands in the slot of a tile of the leaf's own level:
// a halo tile, of which but the cells within four of leaves that are awake are filled. All that a
// kernel needs of it stands in an entry of a table; `step.levels_at` is the place of the list of
// tables: place and count of each.

const OUTSIDE: i32 = 1073741823;

// Tables, and the words of their entries.
const COARSE_TILES: u32 = 0u;
const COARSE_TILE_WORDS: u32 = 31u;
const FINE_TILES: u32 = 1u;
const FINE_TILE_WORDS: u32 = 10u;
const VIEWS: u32 = 2u;
const VIEW_WORDS: u32 = 6u;
const BOUNDS: u32 = 3u;
const BOUND_WORDS: u32 = 6u;
const ENDS: u32 = 4u;
const END_WORDS: u32 = 6u;
const COLLECTED: u32 = 5u;
const COLLECTED_WORDS: u32 = 6u;
const BEYOND: u32 = 6u;
const BEYOND_WORDS: u32 = 3u;
const COPIES: u32 = 10u;
const COPY_WORDS: u32 = 5u;

// Words of a register in the buffer of edges: pairs of gained and of drawn, and allowed.
const DRAWN: u32 = 128u;
const ALLOWED: u32 = 256u;

// Whether leaves of the level have tables of sub-grid columns, and those of the next finer one; all
// coarser ones have some if any leaf of the world has.
fn has_tables() -> bool {
  return COLUMNS && step.columns_at != 0u;
}
fn finer_has_tables() -> bool {
  return has_tables() && tables[step.columns_at + 2u] != 0u;
}

// The entry of a table that a workgroup looks at; NONE behind the last.
fn entry_of(group: vec3<u32>, table: u32, words: u32) -> u32 {
  let list = step.levels_at + 2u * table;
  let i = group.y + group.z * 32768u;
  return select(NONE, tables[list] + i * words, i < tables[list + 1u]);
}

// Which of the nine leaves around a tile holds a place.
fn third(i: i32) -> u32 {
  return u32((i + 64) >> 6u);
}
fn place_of(cell: vec2<i32>) -> u32 {
  return 3u * third(cell.y) + third(cell.x);
}
fn within(cell: vec2<i32>) -> u32 {
  return u32(((cell.y & 63) << 6u) | (cell.x & 63));
}

// True where a cell lies within the halo of one of some leaves around: bits of the nine places.
fn is_near(leaves: u32, x: i32, y: i32) -> bool {
  let w = x < 4;
  let e = x >= 60;
  let s = y < 4;
  let n = y >= 60;
  var places = select(0u, 8u, w) | select(0u, 32u, e) | select(0u, 2u, s) | select(0u, 128u, n);
  places = places | select(0u, 1u, w && s) | select(0u, 4u, e && s);
  places = places | select(0u, 64u, w && n) | select(0u, 256u, e && n);
  return (leaves & places) != 0u;
}

// The face at place `i` of the west or south side of a slot.
fn face_along(slot: u32, axis: u32, i: u32) -> u32 {
  return slot * 8192u + select(4096u + i, i * 64u, axis == 0u);
}

// A quotient rounded down.
fn floor_div(a: i32, b: i32) -> i32 {
  let q = a / b;
  return q - select(0, 1, a - q * b < 0);
}

// forest::interfaces::halo_cell::restricted, of cells with tables or without: bed and depth.
fn restricted(slot: u32, cell: u32, is_turned: bool, is_sub_grid: bool) -> vec2<i32> {
  let i = slot * 4096u + cell;
  let bed = vec4(beds[i], beds[i + 1u], beds[i + 64u], beds[i + 65u]);
  let depth = vec4(
    depth_in(is_turned, i), depth_in(is_turned, i + 1u),
    depth_in(is_turned, i + 64u), depth_in(is_turned, i + 65u));
  var stage = bed + depth;
  let is_inside = bed != vec4(OUTSIDE);
  if (!any(is_inside)) {
    return vec2(OUTSIDE, 0);
  }
  var held = sum_of(depth >> vec4(2u)) + (sum_of(depth & vec4(3)) >> 2u);
  if (all(is_inside)) {
    let mean_bed = mean_of(bed);
    if (all(depth > vec4(0))) {
      held = max(mean_of(stage) - mean_bed, 0);
    }
    if (!is_sub_grid) {
      return vec2(mean_bed, held);
    }
  }
  if (is_sub_grid) {
    for (var k = 0u; k < 4u; k = k + 1u) {
      let here = At(slot, cell + (k & 1u) + 64u * (k >> 1u));
      stage[k] = surface_of(here, bed[k], depth[k]).stage;
    }
  }
  // At the mean stage of those that are wet, or at their lowest bed.
  var first = 0;
  var above = 0;
  var wet = 0;
  var lowest = 0x7fffffff;
  for (var k = 0; k < 4; k = k + 1) {
    if (is_inside[k]) {
      lowest = min(lowest, stage[k]);
      if (depth[k] > 0) {
        first = select(first, stage[k], wet == 0);
        above = above + (stage[k] - first);
        wet = wet + 1;
      }
    }
  }
  if (wet > 0) {
    lowest = first + floor_div(2 * above + wet, 2 * wet);
  }
  return vec2(lowest - held, held);
}
fn sum_of(v: vec4<i32>) -> i32 {
  return (v.x + v.y) + (v.z + v.w);
}
// A mean of four, rounded to the nearest.
fn mean_of(v: vec4<i32>) -> i32 {
  return sum_of(v >> vec4(2u)) + ((sum_of(v & vec4(3)) + 2) >> 2u);
}

// A cell of a halo tile of a coarse leaf. Its entry: its slot; the places of coarse leaves that are
// awake; the slots of the four leaves in it, or NONE; those of the coarse leaves to its west and
// south, or NONE; those of what lies there, or 0. The entry is NONE where nobody reads the cell.
struct FinerCell {
  entry: u32,
  cell: vec2<i32>,
}
fn finer_cell(group: vec3<u32>, thread: u32) -> FinerCell {
  var entry = entry_of(group, FINE_TILES, FINE_TILE_WORDS);
  let cell = vec2(i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
  if (entry != NONE && !is_near(tables[entry + 1u], cell.x, cell.y)) {
    entry = NONE;
  }
  return FinerCell(entry, cell);
}
// Slot of the finer leaf around a cell, or NONE.
fn leaf_in(tile: FinerCell) -> u32 {
  return tables[tile.entry + 2u + u32(tile.cell.x >> 5u) + 2u * u32(tile.cell.y >> 5u)];
}

// forest::interfaces::coarse::CoarseView::note_finer
@compute @workgroup_size(256)
fn note_finer(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = finer_cell(group, thread);
  if (tile.entry == NONE) {
    return;
  }
  let finer = leaf_in(tile);
  let own = At(tables[tile.entry], within(tile.cell));
  var cell = vec2(OUTSIDE, 0);
  var over = vec2(0.0, 0.0);
  if (finer != NONE) {
    let four = within(2 * tile.cell);
    let turned = faster_turned();
    let faces = finer * 8192u + four;
    cell = restricted(finer, four, turned, finer_has_tables());
    let over_x = ADD(flow_in(turned, faces), flow_in(turned, faces + 64u));
    let over_y = ADD(flow_in(turned, faces + 4096u), flow_in(turned, faces + 4097u));
    over = vec2(PRO(0.5, over_x), PRO(0.5, over_y));
  }
  beds[one(own)] = cell.x;
  depths[one(own)] = cell.y;
  flows[west(own)] = bitcast<u32>(over.x);
  flows[south(own)] = bitcast<u32>(over.y);
  if (has_tables()) {
    put_column(own, STAGE_OLD, bitcast<u32>(cell.x + cell.y));
    put_column(own, SLOPE_OLD, bitcast<u32>(1.0));
    put_column(own, QUANTUM, 0u);
  }
}

// Pairs of words as numbers.
fn minus(a: vec2<u32>) -> vec2<u32> {
  return add64(vec2(~a.x, ~a.y), vec2(1u, 0u));
}
fn wide(a: i32) -> vec2<u32> {
  return vec2(bitcast<u32>(a), select(0u, 0xffffffffu, a < 0));
}
fn pair_at(i: u32) -> vec2<u32> {
  return vec2(edges[i], edges[i + 1u]);
}
fn put_pair(i: u32, a: vec2<u32>) {
  edges[i] = a.x;
  edges[i + 1u] = a.y;
}

// forest::interfaces::Register::parts, of the registers of the leaves of a step: 1 of leaves with
// shorter steps, or 4 of finer ones.
fn is_whole() -> bool {
  return (step.turns & 8u) != 0u;
}

// forest::interfaces::Register::taken
fn taken_of(register_at: u32, i: u32) -> i32 {
  let gained = pair_at(register_at + 2u * i);
  if (is_whole()) {
    return bitcast<i32>(gained.x);
  }
  return bitcast<i32>((gained.x >> 2u) | (gained.y << 30u));
}

// `as i32`
fn saturated(x: f32) -> i32 {
  if (x >= 2147483648.0) {
    return 0x7fffffff;
  }
  if (x <= -2147483648.0) {
    return bitcast<i32>(0x80000000u);
  }
  return i32(x);
}
fn added(depth: i32, more: i32) -> i32 {
  // A depth is 0 at least.
  if (more > 0 && depth > 0x7fffffff - more) {
    return 0x7fffffff;
  }
  return max(depth + more, 0);
}

// Discharges over the faces of a cell of a leaf: west, east, south, north. Those to faster leaves are
// none; bits of its sides.
fn own_flows(record: u32, finer: u32, x: i32, y: i32) -> vec4<f32> {
  let here = at(record, x, y);
  let w = flow(west(here));
  let e = flow(west(at(record, x + 1, y)));
  let s = flow(south(here));
  let n = flow(south(at(record, x, y + 1)));
  let is_closed = vec4(x == 0, x == 63, y == 0, y == 63)
    & vec4((finer & 1u) != 0u, (finer & 2u) != 0u, (finer & 4u) != 0u, (finer & 8u) != 0u);
  return select(vec4(w, e, s, n), vec4(0.0), is_closed);
}

// forest::interfaces::coarse::LeafInterfaces::show: the present depths stand in the place of the
// next ones until the leaf steps. The entry of a leaf: its record; its sides with faster leaves; the
// registers of its sides, or NONE.
@compute @workgroup_size(256)
fn show_present(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, VIEWS, VIEW_WORDS);
  if (entry == NONE) {
    return;
  }
  let record = tables[entry];
  let finer = tables[entry + 1u];
  let x = i32(thread & 63u);
  let y = i32(group.x * 4u + (thread >> 6u));
  if (group.x == 0u) {
    allow_draws(entry, record, finer, thread);
  }
  // Halos reach two cells deep, and those are drawn from the next.
  if (min(min(x, 63 - x), min(y, 63 - y)) >= 4) {
    return;
  }
  let over = own_flows(record, finer, x, y);
  let sum = ADD(SUB(over.x, over.y), SUB(over.z, over.w));
  // No sum takes it up; two constants of the step do not meet.
  let change = MUL(sum, step.units_per_flow);
  let own = one(at(record, x, y));
  var present = added(depths[own], saturated(PRO(change, step.elapsed)));
  let is_at = vec4(x == 0, x == 63, y == 0, y == 63);
  for (var side = 0u; side < 4u; side = side + 1u) {
    let register_at = tables[entry + 2u + side];
    if (is_at[side] && register_at != NONE) {
      present = added(present, taken_of(register_at, u32(select(x, y, side < 2u))));
    }
  }
  depths_new[own] = present;
}

// Depth that the own faces of a cell at the side of a coarse leaf leave.
fn left_by_own(record: u32, finer: u32, x: i32, y: i32) -> i32 {
  let over = own_flows(record, finer, x, y);
  let out_x = SUB(max_f(over.y, 0.0), min_f(over.x, 0.0));
  let out_y = SUB(max_f(over.w, 0.0), min_f(over.z, 0.0));
  let out = min_f(PRO(ADD(out_x, out_y), step.units_per_flow), 1.0e9);
  return max(depths[one(at(record, x, y))] - i32(out), 0);
}
fn allow_draws(entry: u32, record: u32, finer: u32, thread: u32) {
  let side = thread >> 6u;
  let i = thread & 63u;
  let register_at = tables[entry + 2u + side];
  if (register_at == NONE) {
    return;
  }
  let line = select(0, 63, (side & 1u) != 0u);
  let along = i32(i);
  let left = left_by_own(record, finer, select(along, line, side < 2u),
    select(line, along, side < 2u));
  // A cell at a corner may have faces to faster leaves on two sides. Of finer ones two registers may
  // round 6 units down together, and each side of a cell has two faces.
  let other_side = select(0u, 2u, side < 2u) + select(0u, 1u, i == 63u);
  let other = tables[entry + 2u + other_side];
  var drawn = pair_at(register_at + DRAWN + 2u * i);
  var shift = select(1u, 0u, is_whole());
  if ((i == 0u || i == 63u) && other != NONE) {
    let spare = select(6u, 0u, is_whole());
    drawn = add64(drawn, add64(pair_at(other + DRAWN + 2u * u32(line)), vec2(spare, 0u)));
    shift = shift + 1u;
  }
  let most = select(vec2(u32(left) << 2u, u32(left) >> 30u), vec2(u32(left), 0u), is_whole());
  let rest = add64(most, minus(drawn));
  var allowed = rest.x;
  if (shift != 0u) {
    allowed = (rest.x >> shift) | (rest.y << (32u - shift));
  }
  if ((rest.y & 0x80000000u) != 0u) {
    allowed = 0u;
  } else if ((rest.y >> shift) != 0u || allowed > 0x7fffffffu) {
    allowed = 0x7fffffffu;
  }
  edges[register_at + ALLOWED + i] = allowed;
}

// forest::interfaces::bounds: transfers of the faces along a side. An entry: slot and axis of the
// faces; their bound; the register, and its first cell; 1 where that is of a coarser leaf.
const DRAWS_UP: u32 = 0u;
const DRAWS_DOWN: u32 = 1u;
const CLOSED: u32 = 2u;
const GIVEN_UP: u32 = 3u;
@compute @workgroup_size(64)
fn bound_faces(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, BOUNDS, BOUND_WORDS);
  if (entry == NONE) {
    return;
  }
  let face = face_along(tables[entry], tables[entry + 1u], thread);
  let bound = tables[entry + 2u];
  let register_at = tables[entry + 3u];
  let wanted = transfers[face];
  if (bound == DRAWS_UP || bound == DRAWS_DOWN) {
    let cell = tables[entry + 4u] + (thread >> tables[entry + 5u]);
    let most = bitcast<i32>(edges[register_at + ALLOWED + cell]);
    let moved = select(max(wanted, -most), min(wanted, most), bound == DRAWS_UP);
    if (moved != wanted) {
      transfers[face] = moved;
      // The pipe cuts the discharge of a face with its transfer.
      if (step.counts_ends == 0u) {
        flows[face] = bitcast<u32>(scaled(flow(face), wanted, moved));
      }
    }
  } else if (bound == CLOSED) {
    transfers[face] = 0;
  } else {
    let taken = taken_of(register_at, thread);
    transfers[face] = select(-taken, taken, bound == GIVEN_UP);
  }
}

// The ends of steps. An entry: what it is, then as it says.
//   MEANS     slot, axis, first cell along it, slot of the faces of a faster leaf or NONE; 1 where
//             that is finer
//   UNEVEN    record, slot, side, slot of a leaf asleep, first cell of the coarser; of its side:
//             COARSER or FINER beyond
//   SETTLED   register
const MEANS: u32 = 0u;
const UNEVEN_COARSER: u32 = 1u;
const UNEVEN_FINER: u32 = 2u;
const SETTLED: u32 = 3u;
@compute @workgroup_size(64)
fn end_sides(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, ENDS, END_WORDS);
  if (entry == NONE) {
    return;
  }
  let what = tables[entry];
  if (what == MEANS) {
    put_means(entry, thread);
  } else if (what == SETTLED) {
    // forest::interfaces::coarse::LeafInterfaces::settle
    let register_at = tables[entry + 1u];
    let gained = register_at + 2u * thread;
    put_pair(gained, vec2(edges[gained] & select(3u, 0u, is_whole()), 0u));
    put_pair(register_at + DRAWN + 2u * thread, vec2(0u, 0u));
  } else {
    look_across(entry, what == UNEVEN_COARSER, thread);
  }
}

// forest::interfaces::coarse::Means
fn put_means(entry: u32, thread: u32) {
  let is_finer = tables[entry + 5u] != 0u;
  if (is_finer && thread >= 32u) {
    return;
  }
  let axis = tables[entry + 2u];
  let faster = tables[entry + 4u];
  var mean = 0.0;
  if (faster != NONE && is_finer) {
    let near = flow_in(faster_turned(), face_along(faster, axis, 2u * thread));
    let far = flow_in(faster_turned(), face_along(faster, axis, 2u * thread + 1u));
    mean = PRO(0.5, ADD(near, far));
  } else if (faster != NONE) {
    mean = flow_in(faster_turned(), face_along(faster, axis, thread));
  }
  let face = face_along(tables[entry + 1u], axis, tables[entry + 3u] + thread);
  flows_new[face] = bitcast<u32>(mean);
}

// grid::Side::cell_along
fn cell_along(side: u32, i: u32) -> u32 {
  let line = select(0u, 63u, (side & 1u) != 0u);
  return select(line * 64u + i, i * 64u + line, side < 2u);
}

// forest::interfaces::quarter_beyond
fn quarter_beyond(side: u32, i: u32) -> u32 {
  let far = (side & 1u) ^ 1u;
  return select(2u * far + (i & 1u), 2u * (i & 1u) + far, side < 2u);
}

// sim::borders::StepContext::is_uneven, over a face to a leaf of another level that sleeps.
fn look_across(entry: u32, is_coarser: bool, thread: u32) {
  let record = tables[entry + 1u];
  let slot = records[record].near[4];
  let side = tables[entry + 2u];
  let there = tables[entry + 3u];
  let coarse = tables[entry + 4u] + (thread >> 1u);
  let own = At(slot, cell_along(side, select(coarse, thread, is_coarser)));
  let beyond = At(there, cell_along(side ^ 1u, select(thread, coarse, is_coarser)));
  // Sides are those of the finer leaf, which has the faces.
  let owner_side = select(side ^ 1u, side, is_coarser);
  let quarter = quarter_beyond(owner_side, thread);
  var coarse_cell = own;
  if (is_coarser) {
    coarse_cell = beyond;
  }
  if (COLUMNS && !has_quarter(coarse_cell, quarter)) {
    return;
  }
  let bed = vec2(beds[one(own)], beds[one(beyond)]);
  let depth = vec2(depths_new[one(own)], depths[one(beyond)]);
  let here = surface_in(has_tables(), own, bed.x, depth.x);
  let across = surface_in(COLUMNS && (is_coarser || finer_has_tables()), beyond, bed.y, depth.y);
  let eta = vec2(here.stage, across.stage);
  var opening = max(max(eta.x, eta.y) - max(bed.x, bed.y), 0);
  if ((is_coarser && has_tables()) || (!is_coarser && finer_has_tables())) {
    let owner = select(there, slot, is_coarser);
    opening = opening_between(side_table(owner, owner_side, thread), eta, depth, vec2(0)).area;
  }
  let is_open = PRO(f32(opening), step.unit_m) >= DEPTH_DRY_M;
  if (is_open && abs(eta.x - eta.y) > SLEEP_STAGE_DIFFERENCE + max(here.quantum, across.quantum)) {
    let last = select(0u, UNEVEN_LAST, step.is_last != 0u);
    atomicOr(&reports[record].state, UNEVEN_EVER | last);
  }
}

// forest::interfaces::coarse::LeafInterfaces::collect, by the faster leaves. An entry: register of the
// slower one, its first cell; slot and axis of the faces; 1 where what moves up came; 1 where the
// slower one is coarser.
fn register_moved(register_at: u32, cell: u32, a: i32, b: i32) {
  let gained = register_at + 2u * cell;
  put_pair(gained, add64(pair_at(gained), add64(wide(a), wide(b))));
  let out = add64(wide(max(-a, 0)), wide(max(-b, 0)));
  put_pair(gained + DRAWN, add64(pair_at(gained + DRAWN), out));
}
@compute @workgroup_size(32)
fn collect(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, COLLECTED, COLLECTED_WORDS);
  if (entry == NONE) {
    return;
  }
  let slot = tables[entry + 2u];
  let axis = tables[entry + 3u];
  let sign = select(-1, 1, tables[entry + 4u] != 0u);
  let a = sign * transfers[face_along(slot, axis, 2u * thread)];
  let b = sign * transfers[face_along(slot, axis, 2u * thread + 1u)];
  if (tables[entry + 5u] != 0u) {
    register_moved(tables[entry], tables[entry + 1u] + thread, a, b);
    return;
  }
  register_moved(tables[entry], 2u * thread, a, 0);
  register_moved(tables[entry], 2u * thread + 1u, b, 0);
}

// Halo tiles in leaves of the level with other steps. An entry: slot; places of leaves of the step
// around it; slot of the leaf there; 1 where it has longer steps; then bits, whether leaves of the
// step own its west and its south faces.
struct Copied {
  entry: u32,
  own: At,
  there: At,
}
fn copied(group: vec3<u32>, thread: u32, is_slower: bool) -> Copied {
  var entry = entry_of(group, COPIES, COPY_WORDS);
  let cell = group.x * 256u + thread;
  if (entry != NONE) {
    let is_kind = (tables[entry + 3u] != 0u) == is_slower;
    if (!is_kind || !is_near(tables[entry + 1u], i32(cell & 63u), i32(cell >> 6u))) {
      entry = NONE;
    }
  }
  if (entry == NONE) {
    return Copied(NONE, At(0u, cell), At(0u, cell));
  }
  return Copied(entry, At(tables[entry], cell), At(tables[entry + 2u], cell));
}

// Where water stands in a copy at the start of the step.
fn stand_copy(own: At) {
  if (has_tables()) {
    let surface = surface_of(own, beds[one(own)], depths[one(own)]);
    put_column(own, STAGE_OLD, bitcast<u32>(surface.stage));
    put_column(own, SLOPE_OLD, bitcast<u32>(surface.slope));
  }
}

// sim::leaf_steps::keep_before: water of leaves with shorter steps.
@compute @workgroup_size(256)
fn keep_before(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = copied(group, thread, false);
  if (tile.entry == NONE) {
    return;
  }
  let turned = faster_turned();
  depths[one(tile.own)] = depth_in(turned, one(tile.there));
  flows[west(tile.own)] = bitcast<u32>(flow_in(turned, west(tile.there)));
  flows[south(tile.own)] = bitcast<u32>(flow_in(turned, south(tile.there)));
  stand_copy(tile.own);
}

// forest::interfaces::coarse::LeafInterfaces::show_moment: water of leaves with longer steps. Their
// depths of the moment stand in the place of the next ones.
@compute @workgroup_size(256)
fn take_moment(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let tile = copied(group, thread, true);
  if (tile.entry == NONE) {
    return;
  }
  let turned = slower_turned();
  let owned = tables[tile.entry + 4u];
  depths[one(tile.own)] = depth_in(!turned, one(tile.there));
  if ((owned & 1u) == 0u || (tile.own.cell & 63u) != 0u) {
    flows[west(tile.own)] = bitcast<u32>(flow_in(turned, west(tile.there)));
  }
  if ((owned & 2u) == 0u || tile.own.cell >= 64u) {
    flows[south(tile.own)] = bitcast<u32>(flow_in(turned, south(tile.there)));
  }
  stand_copy(tile.own);
}

// At the start of a cycle: ground, and the discharges over faces that leaves of the step own.
@compute @workgroup_size(256)
fn lay_copies(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, COPIES, COPY_WORDS);
  if (entry == NONE) {
    return;
  }
  let cell = group.x * 256u + thread;
  let own = At(tables[entry], cell);
  let there = At(tables[entry + 2u], cell);
  beds[one(own)] = beds[one(there)];
  flows[west(own)] = flows[west(there)];
  flows[south(own)] = flows[south(there)];
  if (step.has_classes != 0u && cell < 1024u) {
    classes[own.slot * 1024u + cell] = classes[there.slot * 1024u + cell];
  }
  for (var plane = 0u; plane < TABLE_PLANES && has_tables(); plane = plane + 1u) {
    let word = column_tables[(there.slot * TABLE_PLANES + plane) * 4096u + cell];
    column_tables[(own.slot * TABLE_PLANES + plane) * 4096u + cell] = word;
  }
}

// Discharges over the far sides of leaves, where coarser ones lie beyond, stand on the near sides of
// halo tiles; between cycles in a row. An entry: slot and axis; the row.
@compute @workgroup_size(64)
fn put_beyond(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, BEYOND, BEYOND_WORDS);
  if (entry == NONE) {
    return;
  }
  let face = face_along(tables[entry], tables[entry + 1u], thread);
  let word = edges[tables[entry + 2u] + thread];
  flows[face] = word;
  flows_new[face] = word;
}
@compute @workgroup_size(64)
fn keep_beyond(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, BEYOND, BEYOND_WORDS);
  if (entry == NONE) {
    return;
  }
  edges[tables[entry + 2u] + thread] = flows[face_along(tables[entry], tables[entry + 1u], thread)];
}

// Water of a level that took an odd count of steps comes back to where all other stands.
@compute @workgroup_size(256)
fn turn_back(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  let here = at(record, i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
  depths_new[one(here)] = depths[one(here)];
  flows_new[west(here)] = flows[west(here)];
  flows_new[south(here)] = flows[south(here)];
}
