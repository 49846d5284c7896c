// An estimate within 3 units of the last place, put right by the remainder of the significands.
fn DIV(a: f32, b: f32) -> f32 {
  let word_a = bitcast<u32>(a);
  let word_b = bitcast<u32>(b);
  var over = (word_a & 0x7fffffu) | 0x800000u;
  let under = (word_b & 0x7fffffu) | 0x800000u;
  var exponent = i32((word_a >> 23u) & 255u) - i32((word_b >> 23u) & 255u) + 127;
  var top = 0x3f800000u;
  if (over < under) {
    over = over << 1u;
    exponent = exponent - 1;
    top = 0x40000000u;
  }
  let ratio = bitcast<f32>((word_a & 0x7fffffu) | top)
    / bitcast<f32>((word_b & 0x7fffffu) | 0x3f800000u);
  var quotient = u32(ratio * 8388608.0);
  let divisor = i32(under);
  var rest = bitcast<i32>((over << 23u) - quotient * under);
  for (var i = 0u; i < 3u; i = i + 1u) {
    if (2 * rest > divisor) {
      quotient = quotient + 1u;
      rest = rest - divisor;
    } else if (2 * rest < -divisor) {
      quotient = quotient - 1u;
      rest = rest + divisor;
    }
  }
  let sign = (word_a ^ word_b) & 0x80000000u;
  let word = (bitcast<u32>(exponent) << 23u) + (quotient - 0x800000u);
  let is_zero = (word_a & 0x7fffffffu) == 0u || exponent <= 0;
  return bitcast<f32>(sign | select(word, 0u, is_zero));
}
