// Spray: soft puffs of drops that face the eye.

struct Seen {
    @builtin(position) clip: vec4<f32>,
    @location(0) at: vec2<f32>,
    @location(1) place: vec3<f32>,
    // Share of light that the puff's middle hides; a number of its own.
    @location(2) kind: vec2<f32>,
}

@vertex
fn vs_main(
    @builtin(vertex_index) index: u32,
    @location(0) puff: vec4<f32>,
    @location(1) kind: vec2<f32>,
) -> Seen {
    let across = select(-1.0, 1.0, index == 1u || index == 2u || index == 4u);
    let along = select(-1.0, 1.0, index == 2u || index == 4u || index == 5u);
    let right = normalize(view.right.xyz);
    let up = normalize(view.up.xyz);
    let at = vec3<f32>(puff.xyz) + (right * across + up * along) * puff.w;
    var seen: Seen;
    seen.clip = view.matrix * vec4<f32>(at, 1.0);
    seen.at = vec2<f32>(across, along);
    seen.place = vec3<f32>(at.xy, at.z * view.up.w);
    seen.kind = kind;
    return seen;
}

@fragment
fn fs_main(seen: Seen) -> @location(0) vec4<f32> {
    let off = dot(seen.at, seen.at);
    let wisps = textureSampleLevel(noise, smooth_repeat, seen.at * 0.13 + seen.kind.y, 0.0);
    let soft = max(1.0 - off, 0.0);
    let hidden = soft * soft * seen.kind.x * smoothstep(0.30, 0.72, wisps.z + 0.25 * soft);
    let beside = max(dot(normalize(view.sun.xyz), view.ahead.xyz), 0.0);
    let thick = view.light.xyz * (0.45 + 0.25 * view.sun.z + 0.5 * beside * beside * beside);
    var colour = thick + vec3<f32>(0.26, 0.29, 0.34);
    if view.eye.w > 0.0 {
        let way = view.eye.xyz - seen.place * view.eye.w;
        colour = through_air(colour, length(way) / view.eye.w, -normalize(way));
    }
    return vec4<f32>(finish(develop(colour)), hidden * view.blend.y * view.ahead.w);
}
