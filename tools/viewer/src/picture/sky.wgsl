// The sky behind all.

struct Seen {
    @builtin(position) clip: vec4<f32>,
    @location(0) screen: vec2<f32>,
}

@vertex
fn vs_main(@builtin(vertex_index) index: u32) -> Seen {
    let corner = vec2<f32>(f32(index & 1u) * 4.0 - 1.0, f32(index >> 1u) * 4.0 - 1.0);
    var seen: Seen;
    seen.clip = vec4<f32>(corner, 1.0, 1.0);
    seen.screen = corner;
    return seen;
}

@fragment
fn fs_main(seen: Seen) -> @location(0) vec4<f32> {
    // Around a map there is nothing.
    let nothing = vec3<f32>(0.055, 0.068, 0.08);
    let toward = normalize(view.ahead.xyz + seen.screen.x * view.right.xyz + seen.screen.y * view.up.xyz);
    var colour = vec3<f32>(0.0);
    if toward.z > 0.0 {
        colour = cloudy(toward);
        let disc = smoothstep(0.99985, 0.99997, dot(toward, view.sun.xyz));
        colour += view.light.xyz * disc * 12.0;
    } else {
        // Below the horizon, where the world has ended, there is mist.
        let mist = sky(normalize(vec3<f32>(toward.xy, 0.015)));
        colour = mist * mix(1.0, 0.55, smoothstep(0.0, -0.5, toward.z));
    }
    let shown = develop(colour) + grain_of(seen.clip.xy) / 255.0;
    return vec4<f32>(finish(mix(nothing, shown, view.ahead.w)), 1.0);
}
