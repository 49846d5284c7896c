// Boxes: bodies and structures.

struct View {
    matrix: mat4x4<f32>,
    window: vec4<f32>,
    place: vec4<f32>,
    blend: vec4<f32>,
    range: vec4<f32>,
    sun: vec4<f32>,
    eye: vec4<f32>,
    ripple: vec4<f32>,
    dye: vec4<f32>,
}

@group(0) @binding(0) var<uniform> view: View;

struct Face {
    @builtin(position) clip: vec4<f32>,
    @location(0) colour: vec3<f32>,
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
    let lit = max(dot(normalize(out_of) * side, view.sun.xyz), 0.0);
    var face_seen: Face;
    face_seen.clip = view.matrix * vec4<f32>(at, 1.0);
    face_seen.colour = pow(tint, vec3<f32>(2.2)) * (0.5 + 0.7 * lit);
    return face_seen;
}

@fragment
fn fs_main(face: Face) -> @location(0) vec4<f32> {
    var colour = face.colour;
    if view.blend.w < 0.5 {
        colour = pow(colour, vec3<f32>(1.0 / 2.2));
    }
    return vec4<f32>(colour, view.blend.y);
}
