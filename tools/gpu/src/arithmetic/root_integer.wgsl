// An estimate within 5 units of the last place, put right by the remainder of its square.
fn SQRT(x: f32) -> f32 {
  let word = bitcast<u32>(x);
  let exponent = i32(word >> 23u) - 127;
  let odd = bitcast<u32>(exponent) & 1u;
  let square = ((word & 0x7fffffu) | 0x800000u) << odd;
  let estimate = sqrt(bitcast<f32>((word & 0x7fffffu) | (0x3f800000u + (odd << 23u))));
  var root = u32(estimate * 8388608.0);
  var rest = bitcast<i32>((square << 23u) - root * root);
  for (var i = 0u; i < 5u; i = i + 1u) {
    if (rest > i32(root)) {
      rest = rest - i32(2u * root + 1u);
      root = root + 1u;
    } else if (rest <= -i32(root)) {
      rest = rest + i32(2u * root - 1u);
      root = root - 1u;
    }
  }
  let half = bitcast<u32>((exponent - i32(odd)) / 2 + 127);
  return bitcast<f32>(select((half << 23u) + (root - 0x800000u), 0u, word < 0x800000u));
}
