// A picture that was drawn smaller or larger than the frame, onto the frame.

@group(0) @binding(0) var drawn: texture_2d<f32>;
@group(0) @binding(1) var smooth_clamp: sampler;

struct Seen {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> Seen {
    let corner = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    var seen: Seen;
    seen.clip = vec4<f32>(corner, 0.0, 1.0);
    seen.at = vec2<f32>(0.5 + 0.5 * corner.x, 0.5 - 0.5 * corner.y);
    return seen;
}

@fragment
fn fs_main(seen: Seen) -> @location(0) vec4<f32> {
    // Two texels beside each other along a diagonal make edges a little sharper than one would:
    // what is between them counts more than what is around.
    let one = 1.0 / vec2<f32>(textureDimensions(drawn));
    let middle = textureSampleLevel(drawn, smooth_clamp, seen.at, 0.0).rgb;
    if fwidth(seen.at.x) >= 0.9 * one.x {
        return vec4<f32>(middle, 1.0);
    }
    let beside = textureSampleLevel(drawn, smooth_clamp, seen.at + 0.8 * one, 0.0).rgb
        + textureSampleLevel(drawn, smooth_clamp, seen.at - 0.8 * one, 0.0).rgb;
    return vec4<f32>(clamp(middle * 1.5 - beside * 0.25, vec3<f32>(0.0), vec3<f32>(1.0)), 1.0);
}
