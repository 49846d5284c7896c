// flow::transport::limited
fn limited(before: f32, after: f32) -> f32 {
  let rising = min_f(max_f(before, 0.0), max_f(after, 0.0));
  let falling = max_f(min_f(before, 0.0), min_f(after, 0.0));
  let mean = PRO(0.5, ADD(before, after));
  return max_f(min_f(mean, PRO(2.0, rising)), PRO(2.0, falling));
}
