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

// ring::CellOwner
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

// halo::HaloColumn
struct Column {
  surface: Surface,
  depth: i32,
}
struct RingCell {
  kind: u32,
  column: Column,
}
fn flat_column(cell: vec2<i32>) -> Column {
  return Column(Surface(cell.x + cell.y, 1.0, 0), cell.y);
}
// ring::look_up: a coarse cell in the place of a cell of the tile.
fn coarse_at(entry: u32, cell: vec2<i32>) -> At {
  return At(coarse_slot(entry, 2 * cell), coarse_within(entry, cell));
}
fn ring_at(entry: u32, cell: vec2<i32>) -> RingCell {
  let coarse = coarse_at(entry, cell);
  if (coarse.slot != NONE) {
    // Where the depth of the moment stands; of leaves asleep all is the same.
    let depth = depth_in(!coarser_turned(), one(coarse));
    return RingCell(COARSE, Column(surface_of(coarse, beds[one(coarse)], depth), depth));
  }
  let fine = fine_slot(entry, 2 * cell);
  if (fine == NONE) {
    return RingCell(UNKNOWN, flat_column(vec2(OUTSIDE, 0)));
  }
  let four = restricted(fine, within(2 * cell), false, has_tables());
  return RingCell(select(FINE, UNKNOWN, four.x == OUTSIDE), flat_column(four));
}

// halo::HaloColumn::towards
fn towards(own: Column, other: Column, part: i32) -> Column {
  let stage = vec2(own.surface.stage, other.surface.stage);
  let quantum = vec2(own.surface.quantum, other.surface.quantum);
  let is_noise = abs(stage.x - stage.y) <= max(quantum.x, quantum.y);
  let level = select(stage.x, stage.y, quantum.y <= quantum.x);
  var drawn = own;
  if (own.depth == 0 || other.depth == 0) {
    drawn.surface.stage = select(stage.x, level, is_noise && other.depth > 0);
    return drawn;
  }
  let sill = max(stage.x - own.depth, stage.y - other.depth);
  if (max(stage.x, stage.y) - sill <= 0) {
    return own;
  }
  drawn.surface.stage = select(stage.x + (stage.y - stage.x) / part, level, is_noise);
  drawn.depth = own.depth + (other.depth - own.depth) / part;
  return drawn;
}

// halo::Halo::fine: across the edge.
fn towards_fine(entry: u32, along: Column, cell: vec2<i32>) -> Column {
  let fine = At(fine_slot(entry, cell), within(cell));
  if (fine.slot == NONE) {
    return along;
  }
  let bed = beds[one(fine)];
  if (bed == OUTSIDE) {
    return along;
  }
  let depth = depths[one(fine)];
  return towards(along, Column(surface_in(has_tables(), fine, bed, depth), depth), 3);
}

// halo::Halo::cell
fn halo_column(entry: u32, cell: vec2<i32>) -> Column {
  let coarse = cell >> vec2(1u);
  if (COLUMNS) {
    let quarter = u32(2 * (cell.y & 1) + (cell.x & 1));
    if (!has_quarter(coarse_at(entry, coarse), quarter)) {
      return flat_column(vec2(OUTSIDE, 0));
    }
  }
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
  var drawn = own;
  drawn.surface.stage = to_x.surface.stage + (to_y.surface.stage - own.surface.stage);
  drawn.depth = to_x.depth + (to_y.depth - own.depth);
  return drawn;
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
  let own = At(tables[entry], within(cell));
  beds[one(own)] = column.surface.stage - column.depth;
  depths[one(own)] = column.depth;
  if (has_tables()) {
    put_column(own, STAGE_OLD, bitcast<u32>(column.surface.stage));
    put_column(own, SLOPE_OLD, bitcast<u32>(column.surface.slope));
    put_column(own, QUANTUM, bitcast<u32>(column.surface.quantum));
  }
}

// Steps along an axis.
fn along(axis: u32) -> vec2<i32> {
  return select(vec2(0, 1), vec2(1, 0), axis == 0u);
}

// ring::CoarseCell::velocity: that over the face to the cell before; the second 1 where it is one.
fn ring_velocity(entry: u32, axis: u32, cell: vec2<i32>) -> vec2<f32> {
  let before = coarse_at(entry, cell - along(axis));
  let here = coarse_at(entry, cell);
  if (before.slot == NONE || here.slot == NONE) {
    return vec2(0.0);
  }
  let turned = coarser_turned();
  let bed = vec2(beds[one(before)], beds[one(here)]);
  let depth = vec2(depth_in(turned, one(before)), depth_in(turned, one(here)));
  var opening = max(bed.x + depth.x, bed.y + depth.y) - max(bed.x, bed.y);
  if (COLUMNS) {
    let first = surface_of(before, bed.x, depth.x);
    let eta = vec2(first.stage, surface_of(here, bed.y, depth.y).stage);
    opening = opening_between(face_table(here, axis), eta, depth, vec2(0)).area;
  }
  if (opening <= 0) {
    return vec2(0.0);
  }
  let q = flow_in(turned, here.slot * 8192u + axis * 4096u + here.cell);
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

// halo::Halo::flow_depth: columns of halo tiles are flat, and those of leaves as if they were.
fn standing(entry: u32, cell: vec2<i32>) -> Standing {
  let place = place_of(cell);
  let tile = tables[entry + TILE_AT + place];
  let is_tile = tile != NONE;
  let here = At(select(tables[entry + FINE_AT + place], tile, is_tile), within(cell));
  if (here.slot == NONE) {
    return Standing(here, OUTSIDE, 0);
  }
  let depth = depths[one(here)];
  let own = surface_in(has_tables() && !is_tile, here, beds[one(here)], depth);
  return Standing(here, own.stage, depth);
}
struct Standing {
  here: At,
  stage: i32,
  depth: i32,
}
fn halo_flow_depth(entry: u32, axis: u32, cell: vec2<i32>) -> f32 {
  let l = standing(entry, cell - along(axis));
  let r = standing(entry, cell);
  var opening = max(l.stage, r.stage) - max(l.stage - l.depth, r.stage - r.depth);
  let is_before = is_fine(entry, cell - along(axis));
  let is_behind = is_fine(entry, cell);
  if (has_tables() && (is_before || is_behind)) {
    // The face belongs to the cell behind it, or lies along the far side of the one before.
    var table = face_table(r.here, axis);
    if (!is_behind) {
      table = far_table(l.here.slot, axis, u32(select(cell.x, cell.y, axis == 0u) & 63));
    }
    opening = opening_between(table, vec2(l.stage, r.stage), vec2(l.depth, r.depth), vec2(0)).area;
  }
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
    if (has_tables()) {
      let before = standing(entry, cell - along(axis));
      lay_sill(At(tables[entry], within(cell)), axis, before.stage - before.depth);
    }
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
