// Halo tiles of fine leaves in coarser ones: `forest::interfaces::halo` and `ring` of thalweg. It
// stands behind the text of levels.
//
// Places are cells of the halo tile, from its south-west corner on; those of coarse cells are half
// of them.

// Words of an entry: slot, places of leaves that are awake; then for each of nine places the slot of
// the leaf of the level of the tile, that of a coarser one, and that of the halo tile there, or
// NONE; last whether the tile lies in the east and in the north of its parent.
const FINE_AT: u32 = 2u;
const COARSE_AT: u32 = 11u;
const TILE_AT: u32 = 20u;
const HALVES: u32 = 29u;

// ring::Kind
const UNKNOWN: u32 = 0u;
const COARSE: u32 = 1u;
const FINE: u32 = 2u;

fn fine_slot(entry: u32, cell: vec2<i32>) -> u32 {
  return tables[entry + FINE_AT + place_of(cell)];
}
fn coarse_slot(entry: u32, cell: vec2<i32>) -> u32 {
  return tables[entry + COARSE_AT + place_of(cell)];
}
fn is_fine(entry: u32, cell: vec2<i32>) -> bool {
  return fine_slot(entry, cell) != NONE;
}
// Index of a coarse cell in its leaf.
fn coarse_within(entry: u32, cell: vec2<i32>) -> u32 {
  let halves = vec2(i32(tables[entry + HALVES]), i32(tables[entry + HALVES + 1u]));
  return within(32 * halves + cell);
}

// A column: stage and depth.
struct RingCell {
  kind: u32,
  column: vec2<i32>,
}
fn ring_at(entry: u32, cell: vec2<i32>) -> RingCell {
  let coarse = coarse_slot(entry, 2 * cell);
  if (coarse != NONE) {
    let i = coarse * 4096u + coarse_within(entry, cell);
    // Where the depth of the moment stands; of leaves asleep all is the same.
    let depth = depth_in(!coarser_turned(), i);
    return RingCell(COARSE, vec2(beds[i] + depth, depth));
  }
  let fine = fine_slot(entry, 2 * cell);
  if (fine == NONE) {
    return RingCell(UNKNOWN, vec2(OUTSIDE, 0));
  }
  let four = restricted(fine, within(2 * cell), false);
  return RingCell(select(FINE, UNKNOWN, four.x == OUTSIDE), vec2(four.x + four.y, four.y));
}

// halo::Column::towards
fn towards(own: vec2<i32>, other: vec2<i32>, part: i32) -> vec2<i32> {
  if (own.y == 0 || other.y == 0) {
    return own;
  }
  let sill = max(own.x - own.y, other.x - other.y);
  if (max(own.x, other.x) - sill <= 0) {
    return own;
  }
  return own + (other - own) / vec2(part);
}

// halo::Halo::fine: across the edge.
fn towards_fine(entry: u32, along: vec2<i32>, cell: vec2<i32>) -> vec2<i32> {
  let slot = fine_slot(entry, cell);
  if (slot == NONE) {
    return along;
  }
  let i = slot * 4096u + within(cell);
  if (beds[i] == OUTSIDE) {
    return along;
  }
  return towards(along, vec2(beds[i] + depths[i], depths[i]), 3);
}

// halo::Halo::cell
fn halo_column(entry: u32, cell: vec2<i32>) -> vec2<i32> {
  let coarse = cell >> vec2(1u);
  let ahead = select(vec2(1), vec2(-1), (cell & vec2(1)) == vec2(0));
  let own = ring_at(entry, coarse).column;
  let beside_x = ring_at(entry, coarse + vec2(ahead.x, 0));
  let beside_y = ring_at(entry, coarse + vec2(0, ahead.y));
  var to_x = own;
  if (beside_x.kind != UNKNOWN) {
    to_x = towards(own, beside_x.column, 4);
  }
  var to_y = own;
  if (beside_y.kind != UNKNOWN) {
    to_y = towards(own, beside_y.column, 4);
  }
  if (beside_x.kind == FINE) {
    return towards_fine(entry, to_y, cell + vec2(ahead.x, 0));
  }
  if (beside_y.kind == FINE) {
    return towards_fine(entry, to_x, cell + vec2(0, ahead.y));
  }
  return to_x + (to_y - own);
}

@compute @workgroup_size(256)
fn fill_cells(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, COARSE_TILES, COARSE_TILE_WORDS);
  if (entry == NONE) {
    return;
  }
  let cell = vec2(i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
  if (!is_near(tables[entry + 1u], cell.x, cell.y)) {
    return;
  }
  let column = halo_column(entry, cell);
  let own = tables[entry] * 4096u + within(cell);
  beds[own] = column.x - column.y;
  depths[own] = column.y;
}

// Steps along an axis.
fn along(axis: u32) -> vec2<i32> {
  return select(vec2(0, 1), vec2(1, 0), axis == 0u);
}

// ring::CoarseCell::velocity: that over the face to the cell before; the second 1 where it is one.
fn ring_velocity(entry: u32, axis: u32, cell: vec2<i32>) -> vec2<f32> {
  let before = cell - along(axis);
  let slots = vec2(coarse_slot(entry, 2 * before), coarse_slot(entry, 2 * cell));
  if (slots.x == NONE || slots.y == NONE) {
    return vec2(0.0);
  }
  let turned = coarser_turned();
  let here = coarse_within(entry, cell);
  let i = vec2(slots.x * 4096u + coarse_within(entry, before), slots.y * 4096u + here);
  let bed = vec2(beds[i.x], beds[i.y]);
  let eta = bed + vec2(depth_in(turned, i.x), depth_in(turned, i.y));
  let opening = max(eta.x, eta.y) - max(bed.x, bed.y);
  if (opening <= 0) {
    return vec2(0.0);
  }
  let q = flow_in(turned, slots.y * 8192u + axis * 4096u + here);
  return vec2(DIV(q, PRO(f32(opening), step.unit_m)), 1.0);
}

// halo::Halo::coarse_velocity
fn coarse_velocity(entry: u32, axis: u32, cell: vec2<i32>) -> f32 {
  let coarse = cell >> vec2(1u);
  let across = select(cell.x, cell.y, axis == 0u);
  let side = along(1u - axis) * select(1, -1, (across & 1) == 0);
  let own = ring_velocity(entry, axis, coarse);
  if (own.y == 0.0) {
    return 0.0;
  }
  let other = ring_velocity(entry, axis, coarse + side);
  if (other.y == 0.0) {
    return own.x;
  }
  return ADD(own.x, MUL(0.25, SUB(other.x, own.x)));
}

// halo::Halo::flow_depth
struct Standing {
  bed: i32,
  depth: i32,
}
fn standing(entry: u32, cell: vec2<i32>) -> Standing {
  let place = place_of(cell);
  var slot = tables[entry + TILE_AT + place];
  if (slot == NONE) {
    slot = tables[entry + FINE_AT + place];
  }
  if (slot == NONE) {
    return Standing(OUTSIDE, 0);
  }
  let i = slot * 4096u + within(cell);
  return Standing(beds[i], depths[i]);
}
fn halo_flow_depth(entry: u32, axis: u32, cell: vec2<i32>) -> f32 {
  let l = standing(entry, cell - along(axis));
  let r = standing(entry, cell);
  let opening = max(l.bed + l.depth, r.bed + r.depth) - max(l.bed, r.bed);
  return PRO(f32(max(opening, 0)), step.unit_m);
}

// halo::Halo::velocity
fn halo_velocity(entry: u32, axis: u32, cell: vec2<i32>) -> f32 {
  let is_fine_before = is_fine(entry, cell - along(axis));
  let is_fine_behind = is_fine(entry, cell);
  if (is_fine_before == is_fine_behind) {
    return coarse_velocity(entry, axis, cell);
  }
  // Discharges over the far side of a fine leaf stand on the near side of the tile.
  var slot = tables[entry];
  if (is_fine_behind) {
    if (coarse_slot(entry, cell - along(axis)) == NONE) {
      return coarse_velocity(entry, axis, cell);
    }
    slot = fine_slot(entry, cell);
  } else if (coarse_slot(entry, cell) == NONE) {
    return coarse_velocity(entry, axis, cell);
  }
  let h_f = halo_flow_depth(entry, axis, cell);
  if (h_f > 0.0) {
    return DIV(flow(slot * 8192u + axis * 4096u + within(cell)), h_f);
  }
  return 0.0;
}

// halo::Halo::velocity_between
fn velocity_between(entry: u32, axis: u32, cell: vec2<i32>) -> f32 {
  let one_on = along(axis);
  let before = halo_velocity(entry, axis, cell - one_on);
  let behind = halo_velocity(entry, axis, cell + one_on);
  var ends = vec2(before, behind);
  var upstream = cell - 3 * one_on;
  if (!(before > 0.0 && is_fine(entry, cell + one_on))) {
    if (!(behind < 0.0 && is_fine(entry, cell - 2 * one_on))) {
      return PRO(0.5, ADD(before, behind));
    }
    ends = vec2(behind, before);
    upstream = cell + 3 * one_on;
  }
  let u = ring_velocity(entry, axis, upstream >> vec2(1u));
  var slope = 0.0;
  if (u.y != 0.0) {
    slope = limited(APART(SUB(ends.x, u.x)), SUB(ends.y, ends.x));
  }
  return ADD(ends.x, PRO(0.5, slope));
}

// halo::Halo::discharge
@compute @workgroup_size(256)
fn fill_flows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, COARSE_TILES, COARSE_TILE_WORDS);
  if (entry == NONE) {
    return;
  }
  let cell = vec2(i32(thread & 63u), i32(group.x * 4u + (thread >> 6u)));
  if (!is_near(tables[entry + 1u], cell.x, cell.y)) {
    return;
  }
  for (var axis = 0u; axis < 2u; axis = axis + 1u) {
    if (is_fine(entry, cell - along(axis))) {
      // A face of the leaf before it.
      continue;
    }
    var u = 0.0;
    if ((select(cell.y, cell.x, axis == 0u) & 1) == 0) {
      u = coarse_velocity(entry, axis, cell);
    } else {
      u = velocity_between(entry, axis, cell);
    }
    let q = PRO(u, halo_flow_depth(entry, axis, cell));
    let face = tables[entry] * 8192u + axis * 4096u + within(cell);
    // No −0.
    flows[face] = select(0u, bitcast<u32>(q), q != 0.0);
  }
}

// Classes of Manning's n of halo tiles, four in a word: those of coarse cells, and of the
// north-eastern of four fine ones.
fn class_in(slot: u32, cell: u32) -> u32 {
  return (classes[slot * 1024u + (cell >> 2u)] >> ((cell & 3u) * 8u)) & 255u;
}
@compute @workgroup_size(256)
fn class_coarse_tiles(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, COARSE_TILES, COARSE_TILE_WORDS);
  if (entry == NONE) {
    return;
  }
  let i = group.x * 256u + thread;
  let first = vec2(i32((i * 4u) & 63u), i32(i >> 4u));
  let slot = coarse_slot(entry, first);
  let west = class_in(slot, coarse_within(entry, first >> vec2(1u)));
  let east = class_in(slot, coarse_within(entry, (first >> vec2(1u)) + vec2(1, 0)));
  classes[tables[entry] * 1024u + i] = (west | (west << 8u)) | ((east | (east << 8u)) << 16u);
}
@compute @workgroup_size(256)
fn class_finer_tiles(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let entry = entry_of(group, FINE_TILES, FINE_TILE_WORDS);
  if (entry == NONE) {
    return;
  }
  let i = group.x * 256u + thread;
  let first = vec2(i32((i * 4u) & 63u), i32(i >> 4u));
  let finer = tables[entry + 2u + u32(first.x >> 5u) + 2u * u32(first.y >> 5u)];
  var word = 0u;
  for (var k = 0; k < 4 && finer != NONE; k = k + 1) {
    let fine = 2 * (first + vec2(k, 0)) + vec2(1, 1);
    word = word | (class_in(finer, within(fine)) << u32(8 * k));
  }
  classes[tables[entry] * 1024u + i] = word;
}
