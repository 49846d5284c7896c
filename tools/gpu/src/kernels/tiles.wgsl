// What all kernels of a step share: the constants of the step, the planes, and where a cell lies.
//
// A slot holds the planes of a leaf, 64 x 64 words each, from south-west on; slot 0 lies beyond the
// world. A workgroup steps four rows of the leaf of one record, or 16 x 16 cells of it.

struct Step {
  key_x: vec2<u32>,
  key_y: vec2<u32>,
  zero: u32,
  count: u32,
  is_last: u32,
  has_classes: u32,
  unit_m: f32,
  gravity_ratio: f32,
  per_gravity_ratio: f32,
  gravity: f32,
  slope_of_unit: f32,
  gravity_most: f32,
  friction: f32,
  speed_max: f32,
  damping: f32,
  damping_wave: f32,
  damping_noise: f32,
  units_per_flow: f32,
  layers: u32,
  directions: u32,
  rates_at: u32,
  rates_stride: u32,
  shares_at: u32,
  share_units_at: u32,
  threshold: i32,
  time_word: u32,
  map_planes: vec2<u32>,
  map_unit_m: f32,
  is_forced: u32,
  edge_cells: u32,
  edge_cells_at: u32,
  stages_at: u32,
  counts_ends: u32,
  map_places: array<vec4<u32>, 3>,
  cells_per_m_s: f32,
  wave_of_unit: f32,
  wall_least: i32,
  quiet_at: u32,
  soil_at: u32,
  first: u32,
  shares_base: u32,
  levels_at: u32,
  turns: u32,
  elapsed: f32,
  rivers_at: u32,
  columns_at: u32,
  tracers_at: u32,
}

// One leaf that is awake: the slots of its nine neighbours from south-west to north-east, itself in
// the middle; the cell of its corner; the sides beyond which leaves sleep; its classes by layer of
// forcing, or all bits where each cell has its own; its shares of inflows; ticks since its maps
// looked last; the place in the buffer of edges of what crosses the boundary on its far sides; marks
// of its sides to other levels; parts of it that workgroups move, limit and finish, bits of their
// numbers; of a halo tile the records of the leaves that own its west and south faces; the place in
// the buffer of edges of what a leaf shows the halo tile to its north, and of contents that cross its
// sides; the slots of leaves of the level with other steps across its sides, and of the halo tile that
// those with shorter steps see in its place.
struct Record {
  near: array<u32, 9>,
  west: u32,
  south: u32,
  asleep: u32,
  layers: array<u32, 4>,
  shares_from: u32,
  shares_count: u32,
  span: vec2<u32>,
  far_edges: u32,
  marks: u32,
  moving: u32,
  finished: u32,
  owner_west: u32,
  owner_south: u32,
  north_at: u32,
  crossing: u32,
  others: array<u32, 4>,
  shown_as: u32,
  rest: u32,
}

// Results of the steps of a cycle for one record.
struct Report {
  pace_max: atomic<u32>,
  flow_depth_max: atomic<u32>,
  clamped: atomic<u32>,
  limited: atomic<u32>,
  state: atomic<u32>,
  pace_at_ends: atomic<u32>,
  rest: array<u32, 2>,
}

const ACTIVE: u32 = 1u;
const UNEVEN_EVER: u32 = 2u;
const UNEVEN_LAST: u32 = 4u;
const BUSY: u32 = 16u;
const LOUD: u32 = 32u;
const WET_PARTS: u32 = 8u;
const NONE: u32 = 0xffffffffu;

@group(0) @binding(0) var<uniform> step: Step;
@group(0) @binding(1) var<storage, read> beds: array<i32>;
@group(0) @binding(2) var<storage, read_write> depths: array<i32>;
@group(0) @binding(3) var<storage, read_write> flows: array<u32>;
@group(0) @binding(4) var<storage, read_write> transfers: array<i32>;
@group(0) @binding(5) var<storage, read> records: array<Record>;
@group(0) @binding(6) var<storage, read_write> depths_new: array<i32>;
@group(0) @binding(7) var<storage, read_write> flows_new: array<u32>;
@group(0) @binding(8) var<storage, read_write> reports: array<Report>;
@group(0) @binding(9) var<storage, read> classes: array<u32>;
@group(0) @binding(10) var<storage, read> tables: array<u32>;
@group(0) @binding(11) var<storage, read_write> bookings: array<atomic<u32>>;
@group(0) @binding(12) var<storage, read_write> infiltrated: array<i32>;
@group(0) @binding(13) var<storage, read> layer_classes: array<u32>;
@group(0) @binding(14) var<storage, read_write> maps_a: array<u32>;
@group(0) @binding(15) var<storage, read_write> maps_b: array<u32>;
@group(0) @binding(16) var<storage, read_write> edges: array<u32>;
@group(0) @binding(17) var<storage, read> column_tables: array<u32>;
@group(0) @binding(18) var<storage, read_write> columns: array<u32>;

const CEILING: i32 = 1073741823;

fn ZERO() -> u32 {
  return step.zero;
}

// The number of the record that a workgroup steps.
fn record_of(group: vec3<u32>) -> u32 {
  return step.first + group.y + group.z * 32768u;
}
// True where a part of a record is asked for: all of leaves, some of halo tiles.
fn is_asked(parts: u32, number: u32) -> bool {
  return ((parts >> number) & 1u) != 0u;
}

// Marks of a record: faster leaves own its west and south faces; it is a halo tile, and has the
// ground of a leaf of its level.
const FINER_WEST: u32 = 1u;
const FINER_SOUTH: u32 = 2u;
const HALO_TILE: u32 = 64u;
const COPY: u32 = 8192u;

fn is_halo_tile(record: u32) -> bool {
  return (records[record].marks & HALO_TILE) != 0u;
}
fn has_flat_columns(record: u32) -> bool {
  return (records[record].marks & (HALO_TILE | COPY)) == HALO_TILE;
}
// True where faster leaves own the west or south face of a cell of a leaf.
fn is_of_finer(record: u32, place: vec2<i32>, axis: u32) -> bool {
  let mark = select(FINER_SOUTH, FINER_WEST, axis == 0u);
  return select(place.y, place.x, axis == 0u) == 0 && (records[record].marks & mark) != 0u;
}

// A cell of some slot; flows and transfers of a slot are two planes, west faces and south faces.
struct At {
  slot: u32,
  cell: u32,
}
fn at(record: u32, x: i32, y: i32) -> At {
  let near = u32(((y + 64) >> 6u) * 3 + ((x + 64) >> 6u));
  return At(records[record].near[near], u32(((y & 63) << 6u) | (x & 63)));
}
fn one(a: At) -> u32 {
  return a.slot * 4096u + a.cell;
}
fn west(a: At) -> u32 {
  return a.slot * 8192u + a.cell;
}
fn south(a: At) -> u32 {
  return a.slot * 8192u + 4096u + a.cell;
}
fn flow(i: u32) -> f32 {
  return bitcast<f32>(flows[i]);
}

// Depths and discharges of the next coarser level, of the leaves that move the water over faces to
// these, and of leaves of the level with longer steps stand in the other buffers of two where those
// took another count of steps so far.
fn coarser_turned() -> bool {
  return (step.turns & 1u) != 0u;
}
fn faster_turned() -> bool {
  return (step.turns & 2u) != 0u;
}
fn slower_turned() -> bool {
  return (step.turns & 4u) != 0u;
}
fn depth_in(is_turned: bool, i: u32) -> i32 {
  if (is_turned) {
    return depths_new[i];
  }
  return depths[i];
}
fn flow_in(is_turned: bool, i: u32) -> f32 {
  if (is_turned) {
    return bitcast<f32>(flows_new[i]);
  }
  return flow(i);
}

// tile::wet_parts::WetParts of one cell, as bits of the state.
fn wet_part(place: vec2<i32>, depth: i32) -> u32 {
  let thirds = select(select(vec2(1), vec2(2), place >= vec2(48)), vec2(0), place < vec2(16));
  return select(0u, 1u << (WET_PARTS + u32(3 * thirds.y + thirds.x)), depth != 0);
}
