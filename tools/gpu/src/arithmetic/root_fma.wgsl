// Markstein, as for the quotient. A 0 takes the root of the least number in the stead of its own.
fn SQRT(x: f32) -> f32 {
  let y = inverseSqrt(select(1.0e-30, x, x > 1.0e-30));
  let first = MUL(x, y);
  return fma(fma(-first, first, x), MUL(0.5, y), first);
}
