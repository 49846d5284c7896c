// Ground and water as one would film them.

// Metres in which the waves of the larger patch, and of the smaller one, repeat.
const PATCHES: vec2<f32> = vec2<f32>(61.0, 7.3);

// Noise that repeats after so many metres, as smooth as a pixel of this width needs it.
fn noise_of(at_m: vec2<f32>, period_m: f32, pixel_m: f32) -> vec4<f32> {
    let level = log2(max(pixel_m * 256.0 / period_m, 1.0));
    if !is_rich {
        // Smaller copies take a software driver several times as long: what is too fine fades.
        let seen = clamp(3.0 - level, 0.0, 1.0);
        return mix(vec4<f32>(0.5), textureSampleLevel(noise, smooth_repeat, at_m / period_m, 0.0), seen);
    }
    return textureSampleLevel(noise, smooth_repeat, at_m / period_m, level);
}

// Noise that the water carries along: two copies take turns.
fn carried(at_m: vec2<f32>, by_m: vec2<f32>, phase: f32, period_m: f32, pixel_m: f32) -> vec4<f32> {
    let other = fract(phase + 0.5);
    let near = noise_of(at_m - by_m * (phase - 0.5), period_m, pixel_m);
    let far = noise_of(at_m - by_m * (other - 0.5) + 0.37 * period_m, period_m, pixel_m);
    return mix(near, far, abs(2.0 * phase - 1.0));
}

// What is around a point of the picture.
struct Spot {
    // Metres from the window's corner; from a place that stays where it is in the world.
    at: vec3<f32>,
    fixed: vec2<f32>,
    // Towards the eye, how far that is, and how wide a pixel is there, m.
    eye: vec3<f32>,
    distance: f32,
    pixel: f32,
    // Light of the sun and of the sky that comes here, 0 to 1; wetness; how open the water is.
    light: vec4<f32>,
}

fn spot_of(seen: Seen, uv: vec2<f32>) -> Spot {
    var spot: Spot;
    let metres = seen.cell * view.window.z;
    spot.at = vec3<f32>(metres, seen.heights.y);
    spot.fixed = metres + view.corner.xy;
    let way = view.eye.xyz - vec3<f32>(metres, seen.heights.y * view.up.w) * view.eye.w;
    let size = length(way);
    spot.eye = way / size;
    spot.distance = select(0.0, size / view.eye.w, view.eye.w > 0.0);
    spot.pixel = view.right.w * max(dot(way, -view.ahead.xyz), 0.03);
    spot.light = textureSampleLevel(lights, smooth_repeat, uv, 0.0);
    return spot;
}

fn sky_light(up: f32) -> vec3<f32> {
    return mix(vec3<f32>(0.30, 0.37, 0.50), vec3<f32>(0.25, 0.24, 0.30), dusk()) * (0.62 + 0.38 * up);
}

// Colours of the ground, linear: meadows and heath with woods in them, scree and rock where it is
// steep, gravel at the water.
fn ground_look(spot: Spot, bed: f32, slopes: vec2<f32>, up: f32, above_water: f32) -> vec3<f32> {
    let turned = vec2<f32>(0.8 * spot.fixed.x - 0.6 * spot.fixed.y, 0.6 * spot.fixed.x + 0.8 * spot.fixed.y);
    let wide = noise_of(spot.fixed, 1344.0, spot.pixel);
    var middle = wide.wzyx;
    if is_rich {
        middle = noise_of(turned, 320.0, spot.pixel);
    }
    let fine = noise_of(spot.fixed, 60.0, spot.pixel);
    var tiny = fine.yxwz;
    var grit = vec4<f32>(0.5);
    var crowns = middle.z;
    if is_rich {
        tiny = noise_of(turned, 12.0, spot.pixel);
        grit = noise_of(spot.fixed, 3.0, spot.pixel);
        crowns = noise_of(turned, 96.0, spot.pixel).w;
    }
    let part = clamp((bed - view.range.x) / max(view.range.y - view.range.x, 1.0) + 0.3 * (wide.z - 0.5), 0.0, 1.0);
    let lush = 0.50 * wide.z + 0.30 * middle.z + 0.20 * fine.z;
    let meadow = mix(vec3<f32>(0.058, 0.084, 0.026), vec3<f32>(0.128, 0.124, 0.050), smoothstep(0.34, 0.62, lush));
    let heath = mix(vec3<f32>(0.105, 0.098, 0.042), vec3<f32>(0.165, 0.140, 0.075), smoothstep(0.35, 0.65, middle.w));
    let wood = vec3<f32>(0.020, 0.036, 0.013) * (0.45 + 1.1 * crowns);
    var rock = mix(vec3<f32>(0.120, 0.110, 0.096), vec3<f32>(0.205, 0.192, 0.172), smoothstep(0.3, 0.7, fine.w));
    if is_rich && up < 0.86 {
        // Noise from two sides: from above it would be drawn out.
        let steep = slopes * slopes;
        let part = steep.x / max(steep.x + steep.y, 1e-4);
        let east = vec2<f32>(spot.fixed.y, spot.at.z);
        let north = vec2<f32>(spot.fixed.x, spot.at.z);
        let layers = mix(noise_of(north * vec2<f32>(0.4, 1.0), 17.0, spot.pixel), noise_of(east * vec2<f32>(0.4, 1.0), 17.0, spot.pixel), part);
        let cracks = mix(noise_of(north, 5.0, spot.pixel), noise_of(east, 5.0, spot.pixel), part);
        let shade = 0.25 + 0.65 * layers.z + 0.75 * cracks.w;
        let stone = mix(vec3<f32>(0.200, 0.186, 0.162), vec3<f32>(0.155, 0.156, 0.150), layers.w) * shade;
        rock = mix(rock, stone, smoothstep(0.86, 0.7, up));
    }
    let stones = mix(tiny.z, grit.w, 0.55);
    let gravel = mix(vec3<f32>(0.120, 0.108, 0.090), vec3<f32>(0.245, 0.228, 0.198), smoothstep(0.34, 0.66, stones));
    var colour = mix(meadow, heath, smoothstep(0.25, 0.75, part));
    let woody = smoothstep(0.51, 0.57, 0.50 * wide.w + 0.38 * middle.z + 0.12 * fine.w);
    colour = mix(colour, wood, woody * smoothstep(0.99, 0.96, up) * smoothstep(0.3, 0.9, above_water) * 0.9);
    colour = mix(colour, rock, smoothstep(0.84, 0.66, up + 0.14 * (fine.z - 0.5)));
    colour = mix(colour, rock * 1.1, smoothstep(0.75, 1.0, part) * 0.7);
    // A bank of gravel, broken by grass; below the water it is silt and stones.
    let bank = smoothstep(0.55, 0.10, above_water + 1.3 * (fine.z - 0.5) + 0.5 * (middle.w - 0.5));
    let silty = mix(colour * 0.7, vec3<f32>(0.120, 0.100, 0.070), 0.55);
    colour = mix(colour, mix(gravel, silty, smoothstep(0.0, -0.4, above_water)), bank * 0.8);
    let snow = vec3<f32>(0.80, 0.83, 0.88);
    colour = mix(colour, snow, smoothstep(1900.0, 2700.0, bed + 400.0 * (wide.z - 0.5)) * smoothstep(0.6, 0.8, up));
    let tufts = select(0.30, 0.55, above_water > 0.0);
    return colour * (1.0 + tufts * (0.7 * tiny.z + 1.3 * grit.z - 1.0)) * (0.75 + 0.5 * fine.z);
}

// Light from the ground; `shift` is by how much the water above bends what one sees, m.
fn ground_seen(spot: Spot, bed: f32, slopes: vec2<f32>, water: vec4<f32>, shift: vec2<f32>) -> vec3<f32> {
    let depth = water.x;
    var place = spot;
    place.fixed += shift;
    let up = sqrt(max(1.0 - dot(slopes, slopes), 0.05));
    let albedo = below_cut(ground_look(place, bed, slopes, up, -depth), water.w);
    var rough = vec2<f32>(0.0);
    var clods = vec2<f32>(0.0);
    if is_rich {
        rough = noise_of(place.fixed, 21.0, spot.pixel).xy - 0.5;
        clods = noise_of(place.fixed, 4.2, spot.pixel).xy - 0.5;
    }
    let normal = normalize(vec3<f32>(slopes * 1.12 + rough * 0.28 + clods * 0.34, up));
    // What water stood on, or stands beside, is dark.
    let damp = max(spot.light.z, exp(min(depth, 0.0) * 7.0));
    let lit = max(dot(normal, view.sun.xyz), 0.0) * spot.light.x;
    let soaked = albedo * mix(1.0, 0.46, damp);
    let back = 0.10 * (1.0 - spot.light.y);
    var colour = soaked * (view.light.xyz * lit * 1.05 + sky_light(normal.z) * spot.light.y * 1.15 + back);
    let mirrored = normalize(view.sun.xyz + spot.eye);
    if is_rich {
        colour += view.light.xyz * damp * spot.light.x * 0.05 * pow(max(dot(normal, mirrored), 0.0), 24.0);
    }
    return colour;
}

// Elevation of what stands at so many cells from the window's corner, m.
fn top_of(cell: vec2<f32>) -> f32 {
    let last = view.window.xy - 1.0;
    let inside = clamp(cell, vec2<f32>(0.0), last);
    let texel = (vec2<u32>(view.place.xy) + vec2<u32>(inside + 0.5)) % textureDimensions(new_heights);
    return textureLoad(new_heights, texel, 0).y;
}

// Light that water mirrors from a direction: of the sky, or of ground that stands before it.
fn mirrored(spot: Spot, toward: vec3<f32>) -> vec3<f32> {
    let way = normalize(vec3<f32>(toward.xy, max(toward.z, 0.012)));
    if !is_rich {
        return sky(way);
    }
    let light = cloudy(way);
    let level = max(length(way.xy), 0.02);
    var step = max(view.window.z * 1.5, spot.pixel * 3.0);
    var along = step;
    var hidden = 0.0;
    var found = spot.at.xy;
    for (var index = 0; index < 9; index++) {
        let at = spot.at.xy + way.xy / level * along;
        let ray = spot.at.z + way.z / level * along;
        let top = top_of(at / view.window.z);
        let over = smoothstep(0.0, 0.22 * step + 0.2, top - ray);
        if over > hidden {
            hidden = over;
            found = at;
        }
        along += step;
        step *= 1.62;
    }
    let mottled = noise_of(found + view.corner.xy, 128.0, 0.5).z;
    let bank = vec3<f32>(0.080, 0.095, 0.045) * (0.6 + 0.8 * mottled);
    let shaded = bank * (view.light.xyz * 0.5 + sky_light(0.6));
    return mix(light, through_air(shaded, length(found - spot.at.xy), way), hidden);
}

// A surface of water: slopes east and north of what is seen of its waves, and the mean square of
// the slopes of what is too small to be seen.
struct Surface {
    slope: vec2<f32>,
    variance: f32,
    // Grain of what floats on it.
    grain: f32,
}

fn surface_of(spot: Spot, velocity: vec2<f32>, depth: f32) -> Surface {
    let speed = length(velocity);
    // How long one pixel is on the surface, between its two sides.
    let pixel = spot.pixel / sqrt(max(spot.eye.z, 0.05));
    let open = smoothstep(0.05, 0.85, spot.light.w);
    let calm = 1.0 - 0.75 * smoothstep(0.5, 2.0, speed);
    var gusts = 1.0;
    if is_rich {
        gusts = 0.55 + 0.9 * noise_of(spot.fixed + view.window.w * 1.5, 512.0, spot.pixel).z;
    }
    let long = open * smoothstep(0.2, 3.0, depth) * calm * gusts;
    let short = (0.30 + 0.70 * open) * smoothstep(0.03, 0.6, depth) * calm * gusts;
    let at = spot.fixed.xy - view.corner.xy;
    let sides = log2(max(pixel * 128.0 / PATCHES, vec2<f32>(1.0)));
    let in_large = view.patches.xy + at / PATCHES.x;
    let in_small = view.patches.zw + at / PATCHES.y;
    var large: vec2<f32>;
    var small: vec2<f32>;
    if is_rich {
        large = textureSampleLevel(wind_waves, smooth_repeat, in_large, sides.x).xy;
        small = textureSampleLevel(wind_waves, smooth_repeat, in_small, sides.y).zw;
    } else {
        let left = clamp(3.0 - sides, vec2<f32>(0.0), vec2<f32>(1.0));
        large = textureSampleLevel(wind_waves, smooth_repeat, in_large, 0.0).xy * left.x;
        small = textureSampleLevel(wind_waves, smooth_repeat, in_small, 0.0).zw * left.y;
    }
    // The slopes of a patch are spread evenly over its octaves: what is shorter than two pixels is lost.
    let seen = clamp(log2(vec2<f32>(30.0, 1.2) / (2.5 * pixel)) / vec2<f32>(4.6, 3.1), vec2<f32>(0.0), vec2<f32>(1.0));
    var surface: Surface;
    surface.slope = large * long + small * short;
    surface.variance = 0.0004 + view.waves.z * short + dot(view.waves.xy * vec2<f32>(long, short), 1.0 - seen);
    // Ripples and boils that the flow makes.
    let strength = smoothstep(0.05, 2.5, speed) * smoothstep(0.02, 0.35, depth);
    if strength > 0.0 {
        let phase = fract(view.window.w * 0.4);
        let by = velocity * 2.5;
        let fine = carried(spot.fixed, by, phase, 8.0, pixel);
        surface.slope -= (fine.xy - 0.5) * 0.34 * strength;
        surface.grain = fine.w;
        if is_rich {
            let wide = carried(spot.fixed, by, phase, 32.0, pixel).xy - 0.5;
            surface.slope -= wide * 0.22 * strength;
        }
        let boils = smoothstep(2.0, 6.0, speed) * smoothstep(0.3, 1.5, depth);
        if is_rich && boils > 0.0 {
            surface.slope -= (carried(spot.fixed, by, phase, 110.0, pixel).xy - 0.5) * 0.30 * boils;
        }
        let lost = 1.0 - clamp(log2(4.0 / (2.5 * pixel)) / 4.0, 0.0, 1.0);
        surface.variance += strength * strength * (0.004 + 0.03 * lost);
    }
    return surface;
}

// Light of the sun that the facets of a rough surface mirror: Cook and Torrance (1982) with the
// slopes of Cox and Munk (1954).
fn glitter(surface: Surface, slope: vec2<f32>, spot: Spot) -> vec3<f32> {
    let half_way = normalize(view.sun.xyz + spot.eye);
    let off = -half_way.xy / max(half_way.z, 0.05) - slope;
    let variance = surface.variance + 0.0006;
    let fourth = half_way.z * half_way.z * half_way.z * half_way.z;
    let density = exp(-dot(off, off) / variance) / (3.14159 * variance * max(fourth, 0.02));
    let grazing = 1.0 - max(dot(view.sun.xyz, half_way), 0.0);
    let fresnel = 0.02 + 0.98 * grazing * grazing * grazing * grazing * grazing;
    return view.light.xyz * min(fresnel * density / (4.0 * max(spot.eye.z, 0.06)) * 0.24, 5.0) * spot.light.x;
}

// Sheets of water that falls free: white streaks that run down as fast as they have fallen, over
// the water behind them.
fn sheets(spot: Spot, down: vec2<f32>, drop: f32) -> f32 {
    let across = abs(down) / max(abs(down.x) + abs(down.y), 1e-4);
    let speed = sqrt(2.0 * 9.81 * max(drop, 1.0)) * 0.7;
    let run = spot.at.z + view.window.w * speed;
    let east = vec2<f32>(spot.fixed.y / 13.0, run / 70.0);
    let north = vec2<f32>(spot.fixed.x / 13.0, run / 70.0);
    let level = log2(max(spot.pixel * 256.0 / 13.0, 1.0));
    let coarse = across.x * textureSampleLevel(noise, smooth_repeat, east, level).w
        + across.y * textureSampleLevel(noise, smooth_repeat, north, level).w;
    let fine = across.x * textureSampleLevel(noise, smooth_repeat, east * vec2<f32>(2.7, 3.1), level).z
        + across.y * textureSampleLevel(noise, smooth_repeat, north * vec2<f32>(2.7, 3.1), level).z;
    return smoothstep(0.30, 0.66, 0.6 * coarse + 0.4 * fine);
}

// Share of light that flakes of foam hide, where there is so much foam.
fn flakes_of(spot: Spot, velocity: vec2<f32>, foam: f32, own: f32) -> f32 {
    if !is_rich {
        return smoothstep(0.82 - 0.62 * foam, 1.06 - 0.52 * foam, own + 0.08 * foam);
    }
    let speed = length(velocity);
    let phase = fract(view.window.w * 0.4);
    let by = velocity * 2.5;
    let along = velocity / max(speed, 0.05) * min(0.35 * speed, 1.4);
    var grain = carried(spot.fixed, by, phase, 24.0, spot.pixel).w;
    grain += carried(spot.fixed + along, by, phase, 24.0, spot.pixel).w;
    grain += carried(spot.fixed - along, by, phase, 24.0, spot.pixel).w;
    let fine = carried(spot.fixed, by, phase, 7.0, spot.pixel).z;
    let most = grain / 3.0 * 0.75 + fine * 0.25;
    let froth = carried(spot.fixed, by, phase, 2.6, spot.pixel).w;
    return smoothstep(0.82 - 0.62 * foam, 1.06 - 0.52 * foam, most + 0.30 * (froth - 0.5) + 0.08 * foam);
}

// Foam that the water has brought: what was upstream some seconds ago, and has faded.
fn brought(uv: vec2<f32>, velocity: vec2<f32>, here: f32) -> f32 {
    var foam = here;
    let back = velocity * view.place.zw / view.window.z;
    if !is_rich {
        return here;
    }
    for (var step = 1; step < 5; step++) {
        let ago = f32(step) * 0.55;
        let there = textureSampleLevel(new_water, smooth_repeat, uv - back * ago, 0.0).w;
        foam = max(foam, there * exp(-0.42 * ago) * 0.92);
    }
    return foam;
}

// How light goes at a surface of water.
struct Bent {
    slope: vec2<f32>,
    normal: vec3<f32>,
    // Cosines of the way to the eye, above the water and below.
    facing: f32,
    down: f32,
    // How far beside a place its bed is seen, m.
    shift: vec2<f32>,
}

fn bend(spot: Spot, surface: Surface, slopes: vec4<f32>, up: f32, depth: f32) -> Bent {
    var bent: Bent;
    bent.slope = -slopes.zw / up + surface.slope;
    bent.normal = normalize(vec3<f32>(-bent.slope, 1.0));
    bent.facing = max(dot(bent.normal, spot.eye), 0.0);
    // The way down: the bed is seen beside where it is, and longer the flatter one looks.
    bent.down = sqrt(1.0 - (1.0 - bent.facing * bent.facing) / 1.77);
    bent.shift = (-spot.eye.xy * 0.75 / bent.down - bent.slope * 0.6) * min(depth, 6.0);
    return bent;
}

// Water over ground whose light is `bed`, as it looks without the air before it.
fn water_seen(spot: Spot, uv: vec2<f32>, water: vec4<f32>, slopes: vec4<f32>, surface: Surface, bent: Bent, bed: vec3<f32>, up: f32) -> vec3<f32> {
    let depth = max(water.x, 0.0);
    let velocity = water.yz;
    let speed = length(velocity);
    let slope = bent.slope;
    let normal = bent.normal;
    let facing = bent.facing;
    let down = bent.down;
    let drift = spot.fixed - velocity * (fract(view.window.w * 0.05) * 20.0);
    var cloudiness = view.waves.w;
    if is_rich {
        cloudiness *= 0.75 + 0.5 * noise_of(drift, 190.0, spot.pixel).w;
    }
    let silt = clamp(cloudiness + 0.5 * smoothstep(0.8, 3.5, speed) * (0.3 + 0.7 * view.waves.w), 0.0, 1.0);
    let lost = vec3<f32>(0.46, 0.11, 0.13) + silt * vec3<f32>(1.5, 1.7, 2.3);
    let path = depth * (1.0 / down + 1.0 / max(sqrt(1.0 - (1.0 - view.sun.z * view.sun.z) / 1.77), 0.5));
    let left = exp(-lost * path);
    let scattered = mix(vec3<f32>(0.006, 0.030, 0.034), vec3<f32>(0.135, 0.108, 0.066), smoothstep(0.0, 0.9, silt));
    let light = view.light.xyz * view.sun.z * mix(0.35, 1.0, spot.light.x) + sky_light(1.0) * spot.light.y;
    var colour = bed * left + scattered * light * (1.0 - left);
    if view.dye.w > 0.5 {
        let part = textureSampleLevel(dye, smooth_repeat, uv, 0.0).x;
        colour = mix(colour, view.dye.xyz * light, sqrt(part) * 0.85);
    }
    // Schlick (1994); of a rough surface one sees the facets that are turned towards the eye.
    let turned = 1.0 - clamp(facing + 0.55 * sqrt(surface.variance), 0.0, 1.0);
    let fresnel = (0.02 + 0.98 * turned * turned * turned * turned * turned) * smoothstep(0.0, 0.16, depth);
    // Facets that turn away from the eye are hidden by those before them.
    let rough = vec3<f32>(0.0, 0.0, 1.2 * surface.variance + 0.25 * sqrt(surface.variance));
    let back = normalize(reflect(-spot.eye, normal) + rough);
    colour = mix(colour, mirrored(spot, back), fresnel);
    colour += glitter(surface, slope, spot) * smoothstep(0.0, 0.05, depth);
    let white = view.light.xyz * (0.25 + 0.45 * view.sun.z) * spot.light.x + sky_light(1.0) * (0.4 + 0.6 * spot.light.y);
    // Swift water breaks a little everywhere.
    let broken = (0.24 * smoothstep(1.5, 5.0, speed) + 0.22 * smoothstep(5.0, 11.0, speed)) * smoothstep(0.02, 0.2, depth);
    var patchy = 1.0;
    if is_rich && broken > 0.0 {
        patchy = 0.70 + 0.6 * smoothstep(0.3, 0.7, noise_of(drift, 150.0, spot.pixel).z);
    }
    var foam = clamp(max(water.w, broken * patchy), 0.0, 1.0);
    if speed > 0.3 {
        foam = brought(uv, velocity, foam);
    }
    if foam > 0.02 {
        let flakes = flakes_of(spot, velocity, foam, surface.grain);
        var thick = 0.78;
        if is_rich {
            thick = 0.62 + 0.3 * noise_of(spot.fixed, 5.0, spot.pixel).z;
        }
        colour = mix(colour, white * thick, flakes * (0.45 + 0.48 * foam));
    }
    // Where the surface drops from cell to cell by more than a few depths, the water falls: behind
    // the sheets, and on slopes that are none.
    let grade = length(slopes.zw) / up;
    let drop = grade * view.window.z;
    let falls = smoothstep(0.8, 1.6, drop) * smoothstep(0.30, 0.60, grade) * smoothstep(0.7, 1.8, drop / max(depth, 0.05));
    if falls > 0.0 {
        let streaks = sheets(spot, slopes.zw, drop);
        colour = mix(colour, white * (0.30 + 0.52 * streaks), falls * (0.30 + 0.45 * streaks));
    }
    return colour;
}

// The picture: ground, water and the air before them.
fn picture_colour(seen: Seen, uv: vec2<f32>, water: vec4<f32>, slopes: vec4<f32>, brim: f32) -> vec3<f32> {
    let spot = spot_of(seen, uv);
    var colour: vec3<f32>;
    if has_water {
        let cover = smoothstep(0.0, brim, water.x) * smoothstep(0.0, 0.03, water.x);
        let depth = max(water.x, 0.0);
        let surface = surface_of(spot, water.yz, depth);
        let up = sqrt(max(1.0 - dot(slopes.zw, slopes.zw), 0.04));
        let bent = bend(spot, surface, slopes, up, depth);
        let bed = ground_seen(spot, seen.heights.x, slopes.xy, water, bent.shift * cover);
        colour = mix(bed, water_seen(spot, uv, water, slopes, surface, bent, bed, up), cover);
    } else {
        colour = ground_seen(spot, seen.heights.x, slopes.xy, vec4<f32>(min(water.x, 0.0), water.yzw), vec2<f32>(0.0));
    }
    if view.eye.w > 0.0 {
        colour = through_air(colour, spot.distance, -spot.eye);
    }
    return develop(colour) + grain_of(seen.clip.xy) / 255.0;
}
