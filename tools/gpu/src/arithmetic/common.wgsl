// The numbers of thalweg, function by function. Every product, sum and difference of floats is
// written as MUL (a product that a sum takes up), PRO (one that none does), ADD or SUB.
// 64-bit words are pairs of words: low, high.

// units::maths
fn max_f(a: f32, b: f32) -> f32 {
  return bitcast<f32>(select(bitcast<u32>(b), bitcast<u32>(a), a > b));
}
fn min_f(a: f32, b: f32) -> f32 {
  return bitcast<f32>(select(bitcast<u32>(b), bitcast<u32>(a), a < b));
}
fn abs_f(x: f32) -> f32 {
  return bitcast<f32>(bitcast<u32>(x) & 0x7fffffffu);
}
fn flush(x: f32) -> f32 {
  let word = bitcast<u32>(x);
  return bitcast<f32>(select(0u, word, (word & 0x7fffffffu) >= 0x2b800000u));
}

// Products and sums of 64-bit words, which wrap.
fn mul32(a: u32, b: u32) -> vec2<u32> {
  let a_low = a & 0xffffu;
  let a_high = a >> 16u;
  let b_low = b & 0xffffu;
  let b_high = b >> 16u;
  let low = a_low * b_low;
  let inner = a_low * b_high;
  let outer = a_high * b_low;
  let middle = (low >> 16u) + (inner & 0xffffu) + (outer & 0xffffu);
  let high = a_high * b_high + (inner >> 16u) + (outer >> 16u) + (middle >> 16u);
  return vec2<u32>((low & 0xffffu) | (middle << 16u), high);
}
fn mul64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = mul32(a.x, b.x);
  return vec2<u32>(low.x, low.y + a.x * b.y + a.y * b.x);
}
fn add64(a: vec2<u32>, b: vec2<u32>) -> vec2<u32> {
  let low = a.x + b.x;
  return vec2<u32>(low, a.y + b.y + select(0u, 1u, low < a.x));
}

// units::hash
fn folded(x: vec2<u32>, shift: u32) -> vec2<u32> {
  return x ^ vec2<u32>((x.x >> shift) | (x.y << (32u - shift)), x.y >> shift);
}
fn scramble(word: vec2<u32>) -> vec2<u32> {
  var x = mul64(folded(word, 30u), vec2<u32>(0x1ce4e5b9u, 0xbf58476du));
  x = mul64(folded(x, 27u), vec2<u32>(0x133111ebu, 0x94d049bbu));
  return folded(x, 31u);
}

// flow::transfer
fn row_key(key: vec2<u32>, y: u32) -> vec2<u32> {
  return scramble(add64(key, mul64(vec2<u32>(y, 0u), vec2<u32>(0x7f4a7c15u, 0x9e3779b9u))));
}

// flow::limiter: a long division where 32 bits do not hold the product. The high word of the
// product is below `wanted`, as the share is below 2^32.
fn share_of(dv: u32, left: u32, wanted: vec2<u32>) -> u32 {
  let product = mul32(dv, left);
  if (product.y == 0u && wanted.y == 0u) {
    return product.x / wanted.x;
  }
  var rest = vec2<u32>(product.y, 0u);
  var low = product.x;
  for (var i = 0u; i < 32u; i = i + 1u) {
    rest = vec2<u32>((rest.x << 1u) | (low >> 31u), (rest.y << 1u) | (rest.x >> 31u));
    low = low << 1u;
    if (rest.y > wanted.y || (rest.y == wanted.y && rest.x >= wanted.x)) {
      rest = vec2<u32>(rest.x - wanted.x, rest.y - wanted.y - select(0u, 1u, rest.x < wanted.x));
      low = low | 1u;
    }
  }
  return low;
}
