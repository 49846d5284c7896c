// Sources and sinks of a leaf: `sim::forcing::LeafWater::force`.

const LAYERS: u32 = 4u;
// Bookings of a record: of its layers, and of what soaks in after Green and Ampt.
const BOOKED: u32 = LAYERS + 1u;
const INTO: u32 = 0u;
const GROUND: u32 = 2u;

// Sums of what layers moved: of the lower 16 bits of the units, and of the rest.
var<workgroup> sums: array<atomic<u32>, 10>;

// sim::forcing::CellClasses::at
fn class_of(record: u32, layer: u32, here: At) -> u32 {
  let own_class = records[record].layers[layer];
  if (own_class != 0xffffffffu) {
    return min(own_class, step.rates_stride - 1u);
  }
  let word = layer_classes[(here.slot * LAYERS + layer) * 2048u + (here.cell >> 1u)];
  return min((word >> ((here.cell & 1u) * 16u)) & 0xffffu, step.rates_stride - 1u);
}

// Adds to a booking, a pair of words.
fn book(at: u32, low: u32, high: u32) {
  let units = low + (high << 16u);
  let carried = select(0u, 1u, units < low);
  let before = atomicAdd(&bookings[at], units);
  let over = select(0u, 1u, before + units < before);
  atomicAdd(&bookings[at + 1u], (high >> 16u) + carried + over);
}

// Adds to what the ground of a cell took.
fn take_in(here: At, moved: i32) {
  if (moved == 0) {
    return;
  }
  let before = infiltrated[one(here)];
  let after = before + moved;
  infiltrated[one(here)] = select(after, 0x7fffffff, after < before);
}

// Adds to the sum of a layer.
fn add_moved(layer: u32, moved: i32) {
  if (moved == 0) {
    return;
  }
  atomicAdd(&sums[2u * layer], u32(moved) & 0xffffu);
  atomicAdd(&sums[2u * layer + 1u], u32(moved) >> 16u);
}

// sim::forcing::infiltration, and LeafWater::soak of a cell that has taken so much before. In the
// tables: the key of its draws, K Δt and ψΔθ.
fn infiltration(before: f32, conductivity: f32, suction: f32) -> f32 {
  let sum = ADD(before, conductivity);
  let root = SQRT(ADD(MUL(sum, sum), MUL(PRO(4.0, conductivity), suction)));
  if (before > conductivity) {
    let risen = PRO(PRO(2.0, conductivity), ADD(before, suction));
    return DIV(risen, ADD(SUB(before, conductivity), root));
  }
  return PRO(0.5, ADD(SUB(conductivity, before), root));
}
fn soaked(column: u32, row: u32, share: f32, before: i32, depth: i32) -> i32 {
  let soil = step.soil_at;
  let conductivity = bitcast<f32>(tables[soil + 2u]);
  let suction = bitcast<f32>(tables[soil + 3u]);
  var over_ground = f32(before);
  if (COLUMNS) {
    over_ground = DIV(over_ground, share);
  }
  let taken = PRO(infiltration(over_ground, conductivity, suction), share);
  let wanted = min_f(taken, f32(depth));
  let key = row_key(vec2(tables[soil], tables[soil + 1u]), row);
  return clamp(wanted_transfer(wanted, column, key), 0, depth);
}

// Units that a layer moves in a cell: `sim::forcing::LeafWater::apply_by_class`. In sub-grid columns
// a cell gets its share of all since the beginning: the tables have, behind the units, what was
// moved before, as far as that decides.
fn units_of(here: At, layer: u32, own_class: u32) -> i32 {
  let units = tables[step.rates_at + layer * step.rates_stride + own_class];
  if (!COLUMNS) {
    return i32(units);
  }
  let before_at = step.rates_at + (step.layers + layer) * step.rates_stride + own_class;
  let before = vec2(tables[before_at], 0u);
  let after = over_cell(here, add64(before, vec2(units, 0u)));
  let own = over_cell(here, before);
  let high = after.y - select(0u, 1u, after.x < own.x);
  return select(CEILING, i32(min(after.x - own.x, u32(CEILING))), high == 0u);
}
// tile::columns::Parts::share
fn share_inside(here: At) -> f32 {
  if (!COLUMNS) {
    return 1.0;
  }
  let cells = f32(1u << tables[step.columns_at]);
  return DIV(f32(table_word(here, INSIDE)), cells);
}

@compute @workgroup_size(256)
fn force_rows(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(local_invocation_index) thread: u32,
) {
  let record = record_of(group);
  if (record >= step.count) {
    return;
  }
  if (thread < 2u * BOOKED) {
    atomicStore(&sums[thread], 0u);
  }
  workgroupBarrier();
  let x = i32(thread & 63u);
  let y = i32(group.x * 4u + (thread >> 6u));
  let here = at(record, x, y);
  let most = room_of(here, beds[one(here)]);
  var depth = depths_new[one(here)];
  for (var layer = 0u; layer < step.layers; layer = layer + 1u) {
    let own_class = class_of(record, layer, here);
    let units = units_of(here, layer, own_class);
    let direction = (step.directions >> (2u * layer)) & 3u;
    let held = depth;
    var moved = 0;
    if (direction == INTO) {
      moved = min(units, max(most - depth, 0));
      depth = depth + moved;
    } else {
      moved = min(units, depth);
      depth = depth - moved;
    }
    if (direction == GROUND) {
      take_in(here, moved);
    }
    add_moved(layer, moved);
    note_moved(layer, moved, held);
  }
  note_shares(depth);
  let first = records[record].shares_from;
  for (var i = 0u; i < records[record].shares_count; i = i + 1u) {
    if (tables[step.shares_at + first + i] == here.cell) {
      let units = i32(tables[step.share_units_at + first + i]);
      let moved = min(units, max(most - depth, 0));
      depth = depth + moved;
      let at = 2u * (step.shares_base + first + i);
      book(at, u32(moved) & 0xffffu, u32(moved) >> 16u);
    }
  }
  if (step.soil_at != 0u && depth != 0) {
    let place = records[record].west + u32(x);
    let row = records[record].south + u32(y);
    let moved = soaked(place, row, share_inside(here), infiltrated[one(here)], depth);
    note_moved(LAYERS, moved, depth);
    depth = depth - moved;
    take_in(here, moved);
    add_moved(LAYERS, moved);
  }
  depths_new[one(here)] = depth;
  if (step.is_last != 0u && depth != 0) {
    atomicOr(&reports[record].state, wet_part(vec2(x, y), depth));
  }
  force_contents(record, here, most, thread);
  workgroupBarrier();
  if (thread < BOOKED) {
    let low = atomicLoad(&sums[2u * thread]);
    let high = atomicLoad(&sums[2u * thread + 1u]);
    if ((low | high) != 0u) {
      book(2u * (record * BOOKED + thread), low, high);
    }
  }
}
