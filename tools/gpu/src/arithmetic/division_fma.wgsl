// Markstein: an estimate, put right by remainders without an error where `fma` rounds once.
fn DIV(a: f32, b: f32) -> f32 {
  let estimate = OPAQUE(1.0 / b);
  let y = fma(estimate, fma(-b, estimate, 1.0), estimate);
  let first = MUL(a, y);
  let second = fma(fma(-b, first, a), y, first);
  return fma(fma(-b, second, a), y, second);
}
