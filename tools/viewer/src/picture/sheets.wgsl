// Sheets of water that falls free: ribbons from a lip to its foot along the arcs of jets.

struct Seen {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec3<f32>,
    // Along the lip, m; part of the way down; thickness at the lip, m; height of the fall, m.
    @location(1) at: vec4<f32>,
}

// Steps of an arc.
const STEPS: f32 = 8.0;

@vertex
fn vs_main(
    @builtin(vertex_index) index: u32,
    // Lips and feet of two neighbours; along the lip, thickness.
    @location(0) lip_a: vec4<f32>,
    @location(1) foot_a: vec4<f32>,
    @location(2) lip_b: vec4<f32>,
    @location(3) foot_b: vec4<f32>,
) -> Seen {
    let corner = index % 6u;
    let is_b = corner == 1u || corner == 2u || corner == 4u;
    let is_low = corner == 2u || corner == 4u || corner == 5u;
    let lip = select(lip_a, lip_b, is_b);
    let foot = select(foot_a, foot_b, is_b);
    let part = (f32(index / 6u) + select(0.0, 1.0, is_low)) / STEPS;
    let height = lip.z - foot.z;
    let at = vec3<f32>(mix(lip.xy, foot.xy, part), lip.z - part * part * height);
    var seen: Seen;
    seen.clip = view.matrix * vec4<f32>(at, 1.0);
    seen.place = vec3<f32>(at.xy, at.z * view.up.w);
    seen.at = vec4<f32>(lip.w, part, foot.w, height);
    return seen;
}

@fragment
fn fs_main(seen: Seen) -> @location(0) vec4<f32> {
    let part = seen.at.y;
    // What falls keeps its place in time: streaks grow longer as they get faster.
    let falls_s = sqrt(2.0 * max(seen.at.w, 0.1) / 9.81);
    let moment = part * falls_s - view.window.w;
    let at = vec2<f32>(seen.at.x / 13.0, moment / 7.0);
    let coarse = textureSample(noise, smooth_repeat, at).w;
    let fine = textureSample(noise, smooth_repeat, at * vec2<f32>(2.7, 3.1)).z;
    let streaks = smoothstep(0.30, 0.66, 0.6 * coarse + 0.4 * fine);
    // Glassy at the lip, white and torn below.
    let torn = smoothstep(0.02, 0.30, part);
    let thick = smoothstep(0.0, 0.12, seen.at.z);
    let hidden = thick * mix(0.30, 0.10 + 0.72 * streaks * streaks, torn) * smoothstep(0.0, 0.03, part);
    let beside = max(dot(normalize(view.sun.xyz), view.ahead.xyz), 0.0);
    let white = view.light.xyz * (0.40 + 0.30 * view.sun.z + 0.4 * beside * beside) + vec3<f32>(0.24, 0.27, 0.31);
    let glass = vec3<f32>(0.10, 0.17, 0.17) + 0.25 * white;
    var colour = mix(glass, white * (0.50 + 0.45 * streaks), torn);
    if view.eye.w > 0.0 {
        let way = view.eye.xyz - seen.place * view.eye.w;
        colour = through_air(colour, length(way) / view.eye.w, -normalize(way));
    }
    return vec4<f32>(finish(develop(colour)), hidden * view.blend.y * view.ahead.w);
}
