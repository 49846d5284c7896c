// Sub-grid columns: `tile::columns` of thalweg. COLUMNS stands before this text: without them a
// surface rises as its depth, and no table is looked at.
//
// Tables stand in planes: a word of all cells of a slot beside each other. Pieces of tables are made
// where they are asked for, as a piece follows from its table and the water.

// Planes of tables: of stages, of openings of west and south faces, and of the finest cells inside
// the world in each cell; in the last the openings along the east and north sides, a word of all
// faces of a side beside each other, and behind them which quarters of cells have ground, of eight
// cells in a word.
const TABLE_PLANES: u32 = 57u;
const OPENINGS_AT: u32 = 11u;
const OPENING_WORDS: u32 = 22u;
const INSIDE: u32 = 55u;
const FAR: u32 = 56u;
const QUARTERS_AT: u32 = 2816u;

// Planes of a step: at its start, and at its end.
const COLUMN_PLANES: u32 = 12u;
const STAGE_OLD: u32 = 0u;
const SLOPE_OLD: u32 = 1u;
const OPEN_OLD: u32 = 2u;
const STAGE_NEW: u32 = 4u;
const SLOPE_NEW: u32 = 5u;
const QUANTUM: u32 = 6u;
const DEPTH_NEW: u32 = 7u;
const OPEN_NEW: u32 = 8u;
const CONVEYING: u32 = 10u;

// Of values with 16 bits; and of pieces, less steep than between their ends.
const PER_WHOLE: f32 = 1.5259021896696422e-5;
const FLATTER: f32 = 0.99999904632568359375;

fn table_word(here: At, plane: u32) -> u32 {
  return column_tables[(here.slot * TABLE_PLANES + plane) * 4096u + here.cell];
}
fn column_at(here: At, plane: u32) -> u32 {
  return (here.slot * COLUMN_PLANES + plane) * 4096u + here.cell;
}
fn column_int(here: At, plane: u32) -> i32 {
  return bitcast<i32>(columns[column_at(here, plane)]);
}
fn column_float(here: At, plane: u32) -> f32 {
  return bitcast<f32>(columns[column_at(here, plane)]);
}
fn put_column(here: At, plane: u32, word: u32) {
  columns[column_at(here, plane)] = word;
}

// stages::whole
fn whole(x: f32) -> i32 {
  return i32(max_f(min_f(x, 2147483520.0), -2147483520.0));
}

// Place of a knot of tables of openings: stages::PLACES has the square of that. Differences take up
// the products of knots, and products of parts have no constants in common.
fn knot_place(knot: u32) -> f32 {
  let part = MUL(f32(knot), 0.06666666666666667);
  return select(PRO(part, part), 1.0, knot == 15u);
}
fn knot_at(knot: u32, most: f32, is_fourth: bool) -> f32 {
  let square = knot_place(knot);
  return MUL(most, select(square, PRO(square, square), is_fourth));
}
// stages::segment_of: a guess, which may be rounded in any way, put right.
fn segment_of(x: f32, guess: f32, most: f32, is_fourth: bool) -> u32 {
  var segment = u32(clamp(guess * 15.0, 0.0, 14.0));
  for (var i = 0; i < 15; i = i + 1) {
    if (segment == 0u || x >= knot_at(segment, most, is_fourth)) {
      break;
    }
    segment = segment - 1u;
  }
  for (var i = 0; i < 15; i = i + 1) {
    if (segment == 14u || x < knot_at(segment + 1u, most, is_fourth)) {
      break;
    }
    segment = segment + 1u;
  }
  return segment;
}

// stages::CellSurface
struct Surface {
  stage: i32,
  slope: f32,
  quantum: i32,
}
// stages::StageTable
struct StageTable {
  full: f32,
  span: f32,
  excess: f32,
}
fn stage_table(here: At) -> StageTable {
  let full = bitcast<f32>(table_word(here, 0u));
  let span = bitcast<f32>(table_word(here, 1u));
  return StageTable(full, span, bitcast<f32>(table_word(here, 2u)));
}
fn stage_knot(here: At, knot: u32) -> f32 {
  return f32((table_word(here, 3u + (knot >> 1u)) >> ((knot & 1u) * 16u)) & 0xffffu);
}
// Differences below the precision of f32.
fn blur(span: f32, most: f32) -> f32 {
  return PRO(ADD(span, most), 0.0000002384185791015625);
}

// stages::Stages::surface: the water of such a depth in a cell of such a bed.
fn surface_of(here: At, bed: i32, depth: i32) -> Surface {
  if (!COLUMNS) {
    return Surface(bed + depth, 1.0, 0);
  }
  let own = stage_table(here);
  let h = f32(depth);
  let is_covered = h >= own.full;
  if (own.excess == 0.0 && (is_covered || own.span == 0.0)) {
    return Surface(min(bed + depth, CEILING), 1.0, 0);
  }
  let beyond = MUL(own.excess, own.full);
  if (is_covered) {
    let deficit = SUB(0.0, MUL(own.excess, h));
    let stage = min(bed + depth - whole(deficit), CEILING);
    let noise = ADD(ADD(3.0, own.excess), blur(own.span, MUL(own.excess, h)));
    return Surface(stage, ADD(1.0, own.excess), whole(noise));
  }
  let segment = segment_of(h, sqrt(sqrt(max_f(h / own.full, 0.0))), own.full, true);
  let start = knot_at(segment, own.full, true);
  let end = knot_at(segment + 1u, own.full, true);
  let of_span = MUL(own.span, PER_WHOLE);
  let deficit = APART(SUB(MUL(of_span, stage_knot(here, segment)), beyond));
  let next = APART(SUB(MUL(of_span, stage_knot(here, segment + 1u)), beyond));
  let per_width = DIV(1.0, SUB(end, start));
  let rise = MUL(PRO(SUB(deficit, next), per_width), FLATTER);
  let slack = ADD(MUL(3.0, PRO(of_span, per_width)), blur(own.span, beyond));
  let quantum = whole(ADD(ADD(3.0, rise), slack));
  let left = SUB(deficit, MUL(rise, SUB(h, start)));
  return Surface(min(bed + depth - whole(left), CEILING), ADD(1.0, rise), quantum);
}

// The same of a cell that may be flat.
fn surface_in(has_tables: bool, here: At, bed: i32, depth: i32) -> Surface {
  if (!has_tables) {
    return Surface(bed + depth, 1.0, 0);
  }
  return surface_of(here, bed, depth);
}

// stages::Stages::dry
fn dry_stage(here: At, bed: i32) -> i32 {
  let own = stage_table(here);
  let of_span = MUL(own.span, PER_WHOLE);
  let deficit = SUB(MUL(of_span, stage_knot(here, 0u)), MUL(own.excess, own.full));
  return min(bed - whole(deficit), CEILING);
}

// tile::Ground::deepest
fn deepest_of(here: At, depth: i32) -> i32 {
  if (!COLUMNS || depth <= 0) {
    return depth;
  }
  let bed = beds[one(here)];
  return surface_of(here, bed, depth).stage - dry_stage(here, bed);
}

// In the place of the top of a table: a face between flat columns, of a halo tile.
const FLAT_TOP: u32 = 0x80000000u;

// A table of openings: of a face of a cell, in planes, or of one to the outside, in a row.
struct OpeningTable {
  at: u32,
  stride: u32,
  is_edge: bool,
}
fn face_table(here: At, axis: u32) -> OpeningTable {
  let plane = here.slot * TABLE_PLANES + OPENINGS_AT + axis * OPENING_WORDS;
  return OpeningTable(plane * 4096u + here.cell, 4096u, false);
}
fn edge_table(face: u32) -> OpeningTable {
  return OpeningTable(tables[step.columns_at + 1u] + face * OPENING_WORDS, 1u, true);
}
// Of a face along the east or north side of a slot.
fn far_table(slot: u32, axis: u32, i: u32) -> OpeningTable {
  let word = (slot * TABLE_PLANES + FAR) * 4096u + axis * OPENING_WORDS * 64u;
  return OpeningTable(word + i, 64u, false);
}
// Of a face along a side of a slot: west, east, south, north.
fn side_table(slot: u32, side: u32, i: u32) -> OpeningTable {
  if ((side & 1u) != 0u) {
    return far_table(slot, side >> 1u, i);
  }
  return face_table(At(slot, select(i, i * 64u, side < 2u)), side >> 1u);
}
// tile::columns::parts::InsideParts::quarters: whether a quarter of a cell has ground.
fn has_quarter(here: At, quarter: u32) -> bool {
  let word = (here.slot * TABLE_PLANES + FAR) * 4096u + QUARTERS_AT + (here.cell >> 3u);
  return ((column_tables[word] >> (4u * (here.cell & 7u) + quarter)) & 1u) != 0u;
}
fn table_value(table: OpeningTable, i: u32) -> u32 {
  let place = table.at + table.stride * i;
  if (table.is_edge) {
    return tables[place];
  }
  return column_tables[place];
}
fn lowest_sill(table: OpeningTable) -> i32 {
  return bitcast<i32>(table_value(table, 0u));
}
fn fall_of(here: At, axis: u32) -> i32 {
  return bitcast<i32>(table_word(here, OPENINGS_AT + axis * OPENING_WORDS + 4u));
}
fn sill_of(here: At, axis: u32) -> i32 {
  return bitcast<i32>(table_word(here, OPENINGS_AT + axis * OPENING_WORDS));
}

fn opening_knot(table: OpeningTable, knot: u32, most: vec2<f32>, reach: f32) -> vec2<f32> {
  if (knot == 15u) {
    return vec2(DIV(most.x, reach), DIV(most.y, reach));
  }
  let pair = table_value(table, 6u + knot);
  return vec2(MUL(f32(pair & 0xffffu), PER_WHOLE), MUL(f32(pair >> 16u), PER_WHOLE));
}
// openings::Openings::piece and OpeningPiece::opening
fn opening_at(table: OpeningTable, height: i32) -> FaceOpening {
  if (height <= 0) {
    return FaceOpening(0, 0.0);
  }
  let top = bitcast<i32>(table_value(table, 1u));
  let most = vec2(bitcast<f32>(table_value(table, 2u)), bitcast<f32>(table_value(table, 3u)));
  let reach = f32(top - lowest_sill(table));
  let x = f32(height);
  if (x >= reach) {
    let share = bitcast<f32>(table_value(table, 5u));
    let line = ADD(most.x, MUL(share, SUB(x, reach)));
    let other = PRO(SUB(most.y, most.x), most.x);
    return FaceOpening(max(whole(line), 1), ADD(line, DIV(other, max_f(line, 1.0))));
  }
  let segment = segment_of(x, sqrt(x / reach), reach, false);
  let start = knot_at(segment, reach, false);
  let per_width = DIV(FLATTER, SUB(knot_at(segment + 1u, reach, false), start));
  let a = opening_knot(table, segment, most, reach);
  let b = opening_knot(table, segment + 1u, most, reach);
  let past = SUB(x, start);
  let area_line = ADD(a.x, MUL(PRO(SUB(b.x, a.x), per_width), past));
  let conveying_line = ADD(a.y, MUL(PRO(SUB(b.y, a.y), per_width), past));
  return FaceOpening(max(whole(PRO(x, area_line)), 1), PRO(x, conveying_line));
}

// openings::FaceOpening::running; `least` is a ratio: its terms.
fn running(opening: FaceOpening, depth: i32, least: vec2<f32>, width: f32) -> FaceOpening {
  let area = f32(opening.area);
  let own = vec2(f32(depth), max_f(area, 1.0));
  let ratio = select(least, own, PRO(own.x, least.y) > PRO(least.x, own.y));
  let part = DIV(ratio.x, ratio.y);
  if (!(part < 1.0) || opening.area <= 0) {
    return opening;
  }
  let runs = PRO(part, area);
  return FaceOpening(max(whole(runs), 1), max_f(PRO(PRO(part, width), opening.conveying), runs));
}

// openings::FaceHead::over and through: the opening of a face between columns of such stages and
// depths, through which the ground falls so far along it.
fn opening_between(
  table: OpeningTable, stage: vec2<i32>, depth: vec2<i32>, across: vec2<i32>,
) -> FaceOpening {
  let sill = lowest_sill(table);
  let fall = bitcast<i32>(table_value(table, 4u));
  let is_before = stage.x > stage.y;
  let own_depth = select(depth.y, depth.x, is_before);
  let own_across = select(across.y, across.x, is_before);
  let low = min(stage.x, stage.y);
  let high = max(stage.x, stage.y);
  let of_ground = select(-fall, fall, is_before);
  let over = high - sill;
  let drop = max(min(high - max(low, sill), of_ground), 0);
  let height = select(0, max(over - (drop >> 1u), 0), own_depth > 0);
  if (height == 0) {
    return FaceOpening(0, 0.0);
  }
  let falls = max_f(f32(of_ground), 1.0);
  let all = MUL(falls, f32(height));
  let on_slope = max_f(SUB(falls, f32(over)), 0.0);
  let least = vec2(SUB(all, MUL(PRO(0.5, f32(drop)), on_slope)), all);
  let width = min_f(DIV(f32(height), max_f(f32(own_across), 1.0)), 1.0);
  return running(opening_at(table, height), own_depth, least, width);
}

// planes::ColumnPlanes::falls_along: through the cell in a place, along its faces of an axis.
fn falls_along(record: u32, axis: u32, x: i32, y: i32) -> i32 {
  let other = 1u - axis;
  let first = fall_of(at(record, x, y), other);
  let second = fall_of(at(record, x + i32(axis), y + i32(other)), other);
  return select(min(abs(first), abs(second)), 0, (first ^ second) < 0);
}

// Stages before and behind the west or south face of a cell at the end of the step. Where finer
// leaves own the face, water stands as behind it: flow::depth::level_finer.
fn stages_new(record: u32, place: vec2<i32>, axis: u32, before: At, here: At) -> vec2<i32> {
  let behind = column_int(here, STAGE_NEW);
  if (is_of_finer(record, place, axis)) {
    return vec2(behind);
  }
  return vec2(column_int(before, STAGE_NEW), behind);
}
// flow::tables::TableFaces::rise
fn rise_through(eta: vec2<i32>, before: At, here: At) -> i32 {
  let rise = eta.y - eta.x;
  let noise = max(column_int(before, QUANTUM), column_int(here, QUANTUM));
  return select(rise, 0, abs(rise) <= noise);
}
fn slopes_new(before: At, here: At) -> vec2<f32> {
  return vec2(column_float(before, SLOPE_NEW), column_float(here, SLOPE_NEW));
}
fn is_covered(before: At, here: At) -> bool {
  return max_f(column_float(before, SLOPE_OLD), column_float(here, SLOPE_OLD)) <= 1.0;
}

// tile::columns::Parts::over_cell, of units below 2^32 and such a remainder of those before.
fn over_cell(here: At, units: vec2<u32>) -> vec2<u32> {
  let inside = table_word(here, INSIDE);
  let log2 = tables[step.columns_at];
  let low = mul32(units.x, inside);
  let high = low.y + units.y * inside;
  if (log2 == 0u) {
    return vec2(low.x, high);
  }
  return vec2((low.x >> log2) | (high << (32u - log2)), high >> log2);
}
// tile::Ground::room
fn room_of(here: At, bed: i32) -> i32 {
  if (!COLUMNS) {
    return CEILING - bed;
  }
  return i32(over_cell(here, vec2(u32(CEILING - bed), 0u)).x);
}
