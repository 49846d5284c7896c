// Zero, which the compiler cannot foresee.
@group(0) @binding(0) var<uniform> zero: vec4<u32>;
@group(0) @binding(1) var<storage, read> operands: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> results: array<vec2<u32>>;

fn ZERO() -> u32 {
  return zero.x;
}
fn bits(x: f32) -> u32 {
  return bitcast<u32>(x);
}

@compute @workgroup_size(256)
fn compare(
  @builtin(workgroup_id) group: vec3<u32>,
  @builtin(num_workgroups) groups: vec3<u32>,
  @builtin(local_invocation_index) index: u32,
) {
  let here = (group.y * groups.x + group.x) * 256u + (index ^ ZERO());
  let w = operands[here];
  let a = bitcast<f32>(w.x);
  let b = bitcast<f32>(w.y);
  let c = bitcast<f32>(w.z);
  let d = bitcast<f32>(w.w);
  var result = vec2<u32>(0u, 0u);
  switch (group.y) {
@CASES@    default: {}
  }
  results[here] = result;
}
