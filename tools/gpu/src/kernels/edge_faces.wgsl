// Cells with faces to the outside, and those faces, which all methods have.

// Words of a face in the buffer of edges, as `EdgeFace` of the host has them.
const FACE_WORDS: u32 = 23u;
const EARLY: u32 = 0u;
const LAW: u32 = 1u;
const SIDE: u32 = 2u;
const KIND: u32 = 3u;
const SLOPE: u32 = 4u;
const SHARE: u32 = 5u;
const DISCHARGE: u32 = 6u;
const EXPECTED: u32 = 7u;
const LEFT: u32 = 8u;
const UNITS_PER_FLOW: u32 = 9u;
const MOVED: u32 = 10u;
const PART: u32 = 11u;
const CREDIT: u32 = 12u;
const CAME: u32 = 14u;
const WENT: u32 = 16u;
const RIVER_DEPTH: u32 = 18u;
const TRAITS: u32 = 19u;
const SEA: u32 = 20u;
const DAM: u32 = 21u;
const RISE: u32 = 22u;

// Kinds of faces: a law of inflow is a river where water comes in by it in this cycle.
const OPEN: u32 = 0u;
const STAGE: u32 = 1u;
const RIVER: u32 = 3u;

// Traits of a river's face: half of its water comes early; another has the face behind it.
const IS_EARLY: u32 = 1u;
const IS_OVERRULED: u32 = 2u;

fn word(face: u32, i: u32) -> u32 {
  return edges[face * FACE_WORDS + i];
}
fn number(face: u32, i: u32) -> f32 {
  return bitcast<f32>(word(face, i));
}
fn put(face: u32, i: u32, value: u32) {
  edges[face * FACE_WORDS + i] = value;
}
// Adds units, 0 at least, to a pair of words.
fn count(face: u32, i: u32, units: i32) {
  let sum = add64(vec2(word(face, i), word(face, i + 1u)), vec2(u32(units), 0u));
  put(face, i, sum.x);
  put(face, i + 1u, sum.y);
}

// A cell with faces to the outside. Its words in the tables: its record and cell, its first face,
// how many; the numbers of such cells to the west, east, south and north.
const CELL_WORDS: u32 = 7u;

struct EdgeCell {
  record: u32,
  x: i32,
  y: i32,
  first: u32,
  end: u32,
}
fn edge_cell(i: u32) -> EdgeCell {
  let entry = step.edge_cells_at + CELL_WORDS * i;
  let cell = tables[entry] & 4095u;
  let first = tables[entry + 1u];
  let end = first + tables[entry + 2u];
  return EdgeCell(tables[entry] >> 12u, i32(cell & 63u), i32(cell >> 6u), first, end);
}
// The number of the one beside it, or NONE. Sides are west, east, south, north.
fn edge_cell_beside(i: u32, side: u32) -> u32 {
  return tables[step.edge_cells_at + CELL_WORDS * i + 3u + side];
}

// sim::boundary::BoundaryFace::sill, of a face of a cell of such a bed.
fn sill_over(face: u32, bed: i32) -> i32 {
  if (COLUMNS) {
    return lowest_sill(edge_table(face));
  }
  return bed;
}

// sim::boundary::BoundaryFace::wanted, of the cell in such a place of a record.
fn wanted_over(record: u32, face: u32, x: i32, y: i32) -> i32 {
  // Sides are west, east, south, north; a face has the draw of the cell behind it.
  let side = word(face, SIDE);
  let column = u32(x) + select(0u, 1u, side == 1u);
  let row = u32(y) + select(0u, 1u, side == 3u);
  let key = row_key(select(step.key_y, step.key_x, side < 2u), records[record].south + row);
  let place = records[record].west + column;
  return wanted_transfer(PRO(number(face, DISCHARGE), step.units_per_flow), place, key);
}

// sim::boundary::BoundaryFace::take_in, into a cell that has such room when it is dry, and such a
// depth: how much it took.
fn take_in(face: u32, units: i32, room: i32, depth: i32) -> i32 {
  let came = min(units, max(room - depth, 0));
  count(face, CAME, came);
  return came;
}

// True where a leaf of the level with shorter steps lies beyond a side of a leaf.
fn is_faster(record: u32, side: u32) -> bool {
  let is_given = (records[record].marks & (4u << side)) != 0u;
  return is_given && records[record].others[side] != NONE;
}
