// What all shaders share: the numbers of a view, the sky, and how light becomes colour.

struct View {
    matrix: mat4x4<f32>,
    // Columns and rows of the window, width of a cell in m, seconds for ripples.
    window: vec4<f32>,
    // Place of the window in the textures, cells; one over their size.
    place: vec4<f32>,
    // Weight of the newer state, opacity, overlay, 1 where the target takes linear light.
    blend: vec4<f32>,
    // Lowest and highest bed in m, greatest value of the overlay.
    range: vec4<f32>,
    // Towards the sun; its share of the light of a map.
    sun: vec4<f32>,
    // Towards the eye from the window's corner, times the narrowing; the narrowing, 1/m.
    eye: vec4<f32>,
    // The window's corner in ripples, length of a ripple in m, share of the longer ripples.
    ripple: vec4<f32>,
    // Colour of the dye; 1 where there is some.
    dye: vec4<f32>,
    // Into the picture; how far the view is from a map to a picture, 0 to 1.
    ahead: vec4<f32>,
    // From the middle to the right side of the screen; width of a pixel in the middle, m.
    right: vec4<f32>,
    // From the middle to the upper side of the screen; how many times heights are drawn too high.
    up: vec4<f32>,
    // Light of the sun; share of it that the air takes in a metre.
    light: vec4<f32>,
    // Mean square of slopes of the two patches of waves and of what is shorter; turbidity.
    waves: vec4<f32>,
    // The window's corner in the two patches of waves.
    patches: vec4<f32>,
    // The window's corner within the noise of the ground, m.
    corner: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;
@group(0) @binding(1) var smooth_repeat: sampler;
@group(0) @binding(2) var noise: texture_2d<f32>;
@group(0) @binding(3) var ramps: texture_2d<f32>;
@group(0) @binding(4) var wind_waves: texture_2d<f32>;

// How low the sun stands, 0 to 1.
fn dusk() -> f32 {
    return 1.0 - smoothstep(0.02, 0.42, view.sun.z);
}

// Light of the clear sky from a direction, without the sun's disc: pale at the horizon, and around
// the sun.
fn sky(toward: vec3<f32>) -> vec3<f32> {
    let low = dusk();
    let rise = max(toward.z, 0.0);
    let beside = max(dot(toward, view.sun.xyz), 0.0);
    let bright = mix(1.0, 0.62, low);
    let zenith = mix(vec3<f32>(0.085, 0.20, 0.46), vec3<f32>(0.09, 0.15, 0.31), low);
    let pale = mix(vec3<f32>(0.56, 0.68, 0.82), vec3<f32>(0.50, 0.44, 0.42), low);
    let warm = mix(vec3<f32>(0.74, 0.76, 0.76), vec3<f32>(1.05, 0.58, 0.26), low);
    let thick = exp(-5.0 * rise);
    let near = beside * beside;
    let horizon = mix(pale, warm, near * near);
    var colour = mix(zenith, horizon, thick * 0.9 + 0.1 * exp(-1.4 * rise)) * bright;
    let eighth = near * near * near * near;
    let glow = 0.10 * eighth + 0.25 * eighth * eighth * eighth * eighth;
    colour += view.light.xyz * glow;
    return colour;
}

// Clouds on a plane above: how much of the sky they hide, and how bright they are.
fn clouds(toward: vec3<f32>) -> vec2<f32> {
    let at = toward.xy / (toward.z + 0.07) * 0.06 + view.window.w * vec2<f32>(2e-4, 1e-4);
    let wide = textureSampleLevel(noise, smooth_repeat, at, 0.0).z;
    let fine = textureSampleLevel(noise, smooth_repeat, at * 3.1 + 0.4, 0.0).z;
    let body = wide * 0.68 + fine * 0.32;
    let part = smoothstep(0.47, 0.66, body);
    return vec2<f32>(part * smoothstep(0.0, 0.11, toward.z) * 0.85, 1.0 - 0.35 * part);
}

fn cloudy(toward: vec3<f32>) -> vec3<f32> {
    let clear = sky(toward);
    let cloud = clouds(toward);
    let beside = max(dot(toward, view.sun.xyz), 0.0);
    let lit = view.light.xyz * (0.48 + 0.3 * beside * beside * beside * beside);
    return mix(clear, lit * cloud.y + clear * 0.25, cloud.x);
}

// What the air between here and a place adds and takes: its distance in m, and its direction.
fn through_air(colour: vec3<f32>, distance_m: f32, toward: vec3<f32>) -> vec3<f32> {
    let left = exp(-distance_m * view.light.w * vec3<f32>(0.75, 1.0, 1.45));
    let flat_way = normalize(vec3<f32>(toward.xy, max(toward.z, 0.015)));
    return colour * left + sky(flat_way) * (1.0 - left);
}

// Bright light as a film takes it: without a limit, but less and less.
fn develop(light: vec3<f32>) -> vec3<f32> {
    let knee = 0.42;
    let over = max(light - knee, vec3<f32>(0.0));
    let soft = (1.0 - knee) * (1.0 - exp(-over / (1.0 - knee)));
    return min(light, vec3<f32>(knee)) + soft;
}

// A colour for the target.
fn finish(colour: vec3<f32>) -> vec3<f32> {
    var shown = colour;
    if view.blend.w < 0.5 {
        shown = pow(max(shown, vec3<f32>(0.0)), vec3<f32>(1.0 / 2.2));
    }
    return shown;
}

// A grain that is even over small squares: the sequence of Roberts (2018) in two dimensions.
fn grain_of(pixel: vec2<f32>) -> f32 {
    return fract(0.7548777 * pixel.x + 0.5698403 * pixel.y) - 0.5;
}
