// Boxes: bodies and structures.

struct Face {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
    @location(1) place: vec3<f32>,
}

// Six faces of two triangles: along which axis, on which side, and its corners.
@vertex
fn vs_main(
    @builtin(vertex_index) index: u32,
    @location(0) centre: vec3<f32>,
    @location(1) half_x: vec3<f32>,
    @location(2) half_y: vec3<f32>,
    @location(3) half_z: vec3<f32>,
    @location(4) tint: vec3<f32>,
) -> Face {
    let face = index / 6u;
    let corner = index % 6u;
    let side = f32(face % 2u) * 2.0 - 1.0;
    let across = select(-1.0, 1.0, corner == 1u || corner == 2u || corner == 4u);
    let along = select(-1.0, 1.0, corner == 2u || corner == 4u || corner == 5u);
    var out_of = half_x;
    var first = half_y;
    var second = half_z;
    if face / 2u == 1u {
        out_of = half_y;
        first = half_z;
        second = half_x;
    } else if face / 2u == 2u {
        out_of = half_z;
        first = half_x;
        second = half_y;
    }
    let at = centre + out_of * side + first * across + second * along;
    let normal = normalize(out_of) * side;
    let lit = max(dot(normal, view.sun.xyz), 0.0);
    let in_sky = vec3<f32>(0.34, 0.40, 0.50) * (0.6 + 0.4 * normal.z);
    let light = mix(vec3<f32>(0.5 + 0.7 * lit), view.light.xyz * lit * 0.9 + in_sky, view.ahead.w);
    var face_seen: Face;
    face_seen.clip = view.matrix * vec4<f32>(at, 1.0);
    face_seen.colour = pow(tint, vec3<f32>(2.2)) * light;
    face_seen.place = vec3<f32>(at.xy, at.z * view.up.w);
    return face_seen;
}

@fragment
fn fs_main(face: Face) -> @location(0) vec4<f32> {
    var colour = face.colour;
    if view.ahead.w > 0.0 && view.eye.w > 0.0 {
        let way = view.eye.xyz - face.place * view.eye.w;
        colour = mix(colour, through_air(colour, length(way) / view.eye.w, -normalize(way)), view.ahead.w);
        colour = mix(colour, develop(colour), view.ahead.w);
    }
    return vec4<f32>(finish(colour), view.blend.y);
}
