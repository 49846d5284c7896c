// Terrain and water of one window, as a grid that the texture of heights lifts; drawn as a map.

// What a tile needs: water may be on it; it changes between the two states.
override has_water: bool = true;
override changes: bool = true;
// Whether it is a map, a picture, or both on the way from one to the other; whether a picture has
// all that there is, or is drawn as quickly as may be. A software driver computes both sides of any
// other branch.
override is_map: bool = true;
override is_picture: bool = true;
override is_rich: bool = true;

@group(1) @binding(0) var old_heights: texture_2d<f32>;
@group(1) @binding(1) var new_heights: texture_2d<f32>;
@group(1) @binding(2) var old_water: texture_2d<f32>;
@group(1) @binding(3) var new_water: texture_2d<f32>;
@group(1) @binding(4) var old_normals: texture_2d<f32>;
@group(1) @binding(5) var new_normals: texture_2d<f32>;
@group(1) @binding(6) var marks: texture_2d<u32>;
@group(1) @binding(7) var dye: texture_2d<f32>;
@group(1) @binding(8) var lights: texture_2d<f32>;

struct Seen {
    @builtin(position) clip: vec4<f32>,
    // Cells from the window's corner, centres at whole numbers.
    @location(0) cell: vec2<f32>,
    // Elevation of the bed and of what one sees, m.
    @location(1) heights: vec2<f32>,
}

@vertex
fn vs_main(@location(0) corner: vec2<u32>, @location(1) tile: vec2<u32>) -> Seen {
    let last = vec2<u32>(view.window.xy) - 1u;
    // The upper halves: cells from vertex to vertex; 1 at the lower side of a tile's skirt.
    let spacing = tile.x >> 16u;
    let is_low = f32(corner.x >> 16u);
    let cell = min((tile & vec2<u32>(0xffffu)) + (corner & vec2<u32>(0xffffu)) * spacing, last);
    let size = textureDimensions(new_heights);
    let texel = (vec2<u32>(view.place.xy) + cell) % size;
    let heights = mix(
        textureLoad(old_heights, texel, 0).xy,
        textureLoad(new_heights, texel, 0).xy,
        view.blend.x,
    );
    let at = (vec2<f32>(cell) + 0.5) * view.window.z;
    var seen: Seen;
    // A skirt fills what opens between tiles of different spacing.
    let under = is_low * f32(spacing) * view.window.z * 0.6;
    seen.clip = view.matrix * vec4<f32>(at, heights.y - under, 1.0);
    seen.cell = vec2<f32>(cell);
    seen.heights = heights;
    return seen;
}

// Colours are linear light. The ground's by height and steepness: meadow, heath and scree by its place in the map's
// range, snow by its elevation.
fn ground_colour(bed: f32, up: f32, grain: f32) -> vec3<f32> {
    let part = clamp((bed - view.range.x) / max(view.range.y - view.range.x, 1.0), 0.0, 1.0);
    let meadow = vec3<f32>(0.1643, 0.2578, 0.0872);
    let heath = vec3<f32>(0.3619, 0.3619, 0.1483);
    let scree = vec3<f32>(0.4281, 0.3371, 0.2176);
    let bare = vec3<f32>(0.5156, 0.4707, 0.4009);
    let snow = vec3<f32>(0.8933, 0.9141, 0.9352);
    let rock = vec3<f32>(0.2176, 0.1899, 0.1562);
    var colour = mix(meadow, heath, smoothstep(0.0, 0.4, part));
    colour = mix(colour, scree, smoothstep(0.35, 0.75, part));
    colour = mix(colour, bare, smoothstep(0.7, 1.0, part));
    colour = mix(colour, rock, smoothstep(0.93, 0.72, up));
    colour = mix(colour, snow, smoothstep(1900.0, 2700.0, bed + 250.0 * (grain - 0.5)) * smoothstep(0.6, 0.8, up));
    return colour * (0.93 + 0.14 * grain);
}

// Slope of ripples, their height and the grain of foam, carried along by the water. Two copies take
// turns, each starts anew where it cannot be seen.
fn ripples(at: vec2<f32>, velocity: vec2<f32>) -> vec4<f32> {
    let phase = fract(view.window.w * 0.45);
    let other = fract(phase + 0.5);
    let near = at - velocity * (phase - 0.5) * 0.16;
    let far = at - velocity * (other - 0.5) * 0.16 + 0.37;
    let weight = abs(2.0 * phase - 1.0);
    return mix(
        textureSampleLevel(noise, smooth_repeat, near, 0.0),
        textureSampleLevel(noise, smooth_repeat, far, 0.0),
        weight,
    );
}

fn ramp(overlay: f32, value: f32) -> vec3<f32> {
    let size = vec2<f32>(textureDimensions(ramps));
    let along = clamp(value, 0.0, 1.0) * (size.x - 1.0) / size.x + 0.5 / size.x;
    let colour = textureSampleLevel(ramps, smooth_repeat, vec2<f32>(along, (overlay - 0.5) / size.y), 0.0);
    return colour.rgb;
}

// The 64th power of what is above 0.
fn glint(cosine: f32) -> f32 {
    let once = max(cosine, 0.0);
    let second = once * once;
    let fourth = second * second;
    let eighth = fourth * fourth;
    let sixteenth = eighth * eighth;
    let half = sixteenth * sixteenth;
    return half * half;
}

// Colour of leaves: their level, whether they sleep, whether they are in memory.
fn mark_colour(overlay: f32, mark: u32) -> vec3<f32> {
    let is_odd = f32((mark >> 7u) & 1u);
    var value = f32(mark & 31u) / 8.0;
    if overlay > 5.5 {
        value = f32((mark >> 6u) & 1u);
    } else if overlay > 4.5 {
        value = 1.0 - f32((mark >> 5u) & 1u);
    }
    return ramp(overlay, value) * (0.88 + 0.24 * is_odd);
}

// Where a cut shows what is below the ground: floors (a mark of −1 in place of foam), and rock that
// the cut goes through (−2).
fn below_cut(ground: vec3<f32>, mark: f32) -> vec3<f32> {
    let inside = mix(ground, vec3<f32>(0.125, 0.112, 0.098), clamp(-mark, 0.0, 1.0));
    return mix(inside, vec3<f32>(0.021, 0.019, 0.018), clamp(-mark - 1.0, 0.0, 1.0));
}

// The map: what overlays are drawn on, and what one sees from above.
fn map_colour(seen: Seen, uv: vec2<f32>, water: vec4<f32>, slopes: vec4<f32>, brim: f32) -> vec3<f32> {
    let metres = seen.cell * view.window.z;
    let at = view.ripple.xy + metres / view.ripple.z;
    let overlay = view.blend.z;
    let toward_eye = normalize(view.eye.xyz - vec3<f32>(metres, seen.heights.y * view.up.w) * view.eye.w);

    // The ground.
    let grain = textureSampleLevel(noise, smooth_repeat, at * 1.7, 0.0).z;
    let ground_up = sqrt(max(1.0 - dot(slopes.xy, slopes.xy), 0.05));
    // Relief is shaded as if it were steeper, as on maps.
    let ground_normal = normalize(vec3<f32>(slopes.xy * 1.7, ground_up));
    var ground = ground_colour(seen.heights.x, ground_up, grain);
    if overlay > 0.5 {
        ground = vec3<f32>(dot(ground, vec3<f32>(0.3, 0.5, 0.2))) * 0.9 + 0.06;
    }
    ground = below_cut(ground, water.w);
    let lit = max(dot(ground_normal, view.sun.xyz), 0.0);
    var colour = ground * (1.0 - view.sun.w + view.sun.w * 1.42 * lit);

    if has_water {
        let depth = water.x;
        let cover = smoothstep(0.0, brim, depth) * smoothstep(0.0, 0.03, depth);
        if cover > 0.0 {
            let velocity = water.yz;
            let speed = length(velocity);
            let short = ripples(at, velocity);
            let long = ripples(at * 0.5, velocity * 0.5);
            let waves = mix(short, long, view.ripple.w);
            let rough = clamp(0.10 + 0.22 * speed, 0.0, 0.6) * smoothstep(0.02, 0.4, depth);
            let tilt = slopes.zw + (waves.xy - 0.5) * rough;
            let normal = normalize(vec3<f32>(tilt, 1.0));
            let shallow = vec3<f32>(0.1483, 0.3250, 0.3017);
            let deep = vec3<f32>(0.0029, 0.0358, 0.1056);
            let body = mix(deep, shallow, exp(-0.45 * depth));
            let clear = exp(-1.1 * depth) * 0.75;
            var surface = mix(body * (0.45 + 0.55 * max(dot(normal, view.sun.xyz), 0.0) * 1.4), colour * 0.85, clear);
            if view.dye.w > 0.5 {
                let part = textureSampleLevel(dye, smooth_repeat, uv, 0.0).x;
                surface = mix(surface, view.dye.xyz, sqrt(part) * 0.85);
            }
            let facing = clamp(dot(normal, toward_eye), 0.0, 1.0);
            let aside = (1.0 - facing) * (1.0 - facing);
            let fresnel = 0.03 + 0.45 * aside * aside;
            surface = mix(surface, vec3<f32>(0.5156, 0.6637, 0.7931), fresnel);
            let half_way = normalize(view.sun.xyz + toward_eye);
            surface += vec3<f32>(0.9, 0.88, 0.8) * glint(dot(normal, half_way)) * 0.5;
            // Foam breaks into flakes, and the water between them is seen even where there is most.
            let foam = clamp(water.w, 0.0, 1.0) * 0.9;
            let flakes = smoothstep(1.02 - foam, 1.32 - foam, waves.w + 0.12 * waves.z);
            surface = mix(surface, vec3<f32>(0.86, 0.90, 0.92), flakes * 0.85);
            if overlay > 0.5 && overlay < 3.5 {
                var value = depth;
                if overlay > 2.5 {
                    value = depth * (speed + 0.5);
                } else if overlay > 1.5 {
                    value = speed;
                }
                surface = ramp(overlay, value / view.range.z) * (0.82 + 0.25 * normal.x + 0.25 * normal.y);
            }
            colour = mix(colour, surface, cover);
        }
    }
    if overlay > 3.5 {
        let size = textureDimensions(marks);
        let texel = vec2<u32>((view.place.xy + seen.cell + 0.5) / 8.0) % size;
        colour = mix(colour, mark_colour(overlay, textureLoad(marks, texel, 0).x), 0.55);
    }
    return colour;
}

@fragment
fn fs_main(seen: Seen) -> @location(0) vec4<f32> {
    let uv = (view.place.xy + seen.cell + 0.5) * view.place.zw;
    var water = textureSampleLevel(new_water, smooth_repeat, uv, 0.0);
    var slopes = textureSampleLevel(new_normals, smooth_repeat, uv, 0.0);
    if changes {
        water = mix(textureSampleLevel(old_water, smooth_repeat, uv, 0.0), water, view.blend.x);
        slopes = mix(textureSampleLevel(old_normals, smooth_repeat, uv, 0.0), slopes, view.blend.x);
    }
    let brim = clamp(fwidth(water.x), 0.004, 0.5);
    if water.x < -100.0 {
        discard;
    }
    var colour = vec3<f32>(0.0);
    if is_map {
        colour = map_colour(seen, uv, water, slopes, brim);
    }
    if is_picture {
        let picture = picture_colour(seen, uv, water, slopes, brim);
        if is_map {
            colour = mix(colour, picture, view.ahead.w);
        } else {
            colour = picture;
        }
    }
    return vec4<f32>(finish(colour), view.blend.y);
}
