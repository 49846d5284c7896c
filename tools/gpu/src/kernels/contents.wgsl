// Contents of tracers: `sim::cell_store` and `sim::tracers` of thalweg, and the words of 64 bits that
// they are. It stands behind the text of tiles, in modules with a second group of bindings.

// Content of cells at the start and at the end of a step: of a slot one plane after the other.
@group(1) @binding(0) var<storage, read_write> contents: array<vec2<u32>>;
@group(1) @binding(1) var<storage, read_write> contents_new: array<vec2<u32>>;

// In the tables: how many tracers there are; 1 for the second order; the place of their bookings, and
// how many of them one has; words of the concentrations that come in with one; places of faces of
// the boundary among those, and among bookings; the place of what goes to the carries of leaves, and
// how many of these there are. Then the concentrations.
const INCOMING_AT: u32 = 9u;

// Content of a cell of another level where nothing could carry any: it counts as dry.
const NO_WATER: vec2<u32> = vec2<u32>(0xffffffffu, 0xffffffffu);

fn tracer_count() -> u32 {
  return tables[step.tracers_at];
}
fn is_second_order() -> bool {
  return tables[step.tracers_at + 1u] != 0u;
}
fn incoming(tracer: u32, source: u32) -> u32 {
  let of_one = tables[step.tracers_at + 4u];
  return tables[step.tracers_at + INCOMING_AT + tracer * of_one + source];
}
fn content_at(here: At, tracer: u32) -> u32 {
  return (here.slot * tracer_count() + tracer) * 4096u + here.cell;
}

fn sub64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return vec2(a.x - b.x, a.y - b.y - select(0u, 1u, a.x < b.x));
}
// Of signed words.
fn is_less64(a: vec2<u32>, b: vec2<u32>) -> bool {
  return bitcast<i32>(a.y) < bitcast<i32>(b.y) || (a.y == b.y && a.x < b.x);
}
fn min64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(b, a, is_less64(a, b));
}
fn max64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  return select(a, b, is_less64(a, b));
}
fn is_none(content: vec2<u32>) -> bool {
  return (content.x | content.y) == 0u;
}

// Quotient and rest by a divisor below 2^31, which the high word is below.
fn divided(a: vec2<u32>, by: u32) -> vec2<u32> {
  if (a.y == 0u) {
    return vec2(a.x / by, a.x % by);
  }
  var rest = a.y;
  var low = a.x;
  for (var i = 0u; i < 32u; i = i + 1u) {
    rest = (rest << 1u) | (low >> 31u);
    low = low << 1u;
    if (rest >= by) {
      rest = rest - by;
      low = low | 1u;
    }
  }
  return vec2(low, rest);
}

// flow::tracer::share
fn content_share(content: vec2<u32>, units: i32, whole_units: i32) -> vec2<u32> {
  if (units == 0 || is_none(content)) {
    return vec2(0u);
  }
  let own = divided(content, u32(whole_units));
  let part = divided(mul32(own.y, u32(units)), u32(whole_units)).x;
  return add64(mul32(own.x, u32(units)), vec2(part, 0u));
}

// Adds to a booking, three words: a sum below 2^63.
fn book_content(tracer: u32, entry: u32, sum: vec2<u32>) {
  if (is_none(sum)) {
    return;
  }
  let books = tables[step.tracers_at + 2u];
  let first = books + 3u * (tracer * tables[step.tracers_at + 3u] + entry);
  let low = atomicAdd(&bookings[first], sum.x);
  let high = sum.y + select(0u, 1u, low + sum.x < low);
  let before = atomicAdd(&bookings[first + 1u], high);
  if (before + high < before) {
    atomicAdd(&bookings[first + 2u], 1u);
  }
}
