//! Conversion of a shape of rapier to a solid.

use rapier3d::prelude::*;
use std::collections::BTreeMap;
use thalweg::body::{Solid, SolidError};
use thalweg::glam::DVec3;

/// Sides of a cylinder, a cone, a capsule.
const SIDES: u32 = 24;

/// Number of halvings of each side of an octahedron for a ball: 512 triangles.
const HALVED: u32 = 3;

/// Deepest compound of compounds.
const DEEP_MOST: usize = 8;

/// Makes a solid from shapes with their poses, in axes that `turn` makes of rapier's.
pub(crate) fn solid(
    shapes: &[(Pose, SharedShape)],
    turn: &dyn Fn(DVec3) -> DVec3,
) -> Result<Solid, String> {
    let mut parts = Vec::new();
    for (pose, shape) in shapes {
        collect(shape, &[*pose], turn, &mut parts)?;
    }
    match parts.as_slice() {
        [(alone, _)] => Ok(alone.clone()),
        several => Solid::compound(several).map_err(said),
    }
}

fn said(error: SolidError) -> String {
    error.to_string()
}

type TriangleMesh = (Vec<DVec3>, Vec<[u32; 3]>);

fn collect(
    shape: &SharedShape,
    poses: &[Pose],
    turn: &dyn Fn(DVec3) -> DVec3,
    parts: &mut Vec<(Solid, DVec3)>,
) -> Result<(), String> {
    let (mesh, volume) = match shape.as_typed_shape() {
        TypedShape::Compound(compound) => {
            if poses.len() > DEEP_MOST {
                return Err(format!(
                    "a shape has compounds nested more than {DEEP_MOST} deep: flatten them"
                ));
            }
            for (pose, part) in compound.shapes() {
                let mut deeper = poses.to_vec();
                deeper.push(*pose);
                collect(part, &deeper, turn, parts)?;
            }
            return Ok(());
        }
        TypedShape::Cuboid(cuboid) => (wide(cuboid.to_trimesh()), None),
        TypedShape::Ball(ball) => {
            let radius = f64::from(ball.radius);
            (sphere(radius), Some(BALL * radius * radius * radius))
        }
        TypedShape::ConvexPolyhedron(hull) => (wide(hull.to_trimesh()), None),
        TypedShape::Cylinder(it) => (wide(it.to_trimesh(SIDES)), Some(volume(shape))),
        TypedShape::Cone(it) => (wide(it.to_trimesh(SIDES)), Some(volume(shape))),
        TypedShape::Capsule(it) => (wide(it.to_trimesh(SIDES, SIDES / 2)), Some(volume(shape))),
        TypedShape::TriMesh(mesh) => {
            let points = mesh.vertices().to_vec();
            let mesh = placed(wide((points, mesh.indices().to_vec())), poses, turn);
            let (points, triangles) = outward(welded(mesh));
            parts.push((Solid::mesh(points, triangles).map_err(said)?, DVec3::ZERO));
            return Ok(());
        }
        _ => {
            let kind = shape.shape_type();
            return Err(format!("a shape of the kind {kind:?} encloses nothing that is known"));
        }
    };
    let mut mesh = outward(welded(mesh));
    if let Some(volume) = volume {
        let by = cube_root(volume / volume_of(&mesh));
        grow(&mut mesh.0, by);
    }
    let (points, triangles) = placed(mesh, poses, turn);
    parts.push((Solid::convex(points, triangles).map_err(said)?, DVec3::ZERO));
    Ok(())
}

/// Volume of a ball of radius 1.
const BALL: f64 = 4.0 / 3.0 * std::f64::consts::PI;

/// Returns the volume of a round shape, m³.
fn volume(shape: &SharedShape) -> f64 {
    f64::from(shape.mass_properties(1.0).mass())
}

/// Returns the mesh with its corners in double precision.
fn wide((points, triangles): (Vec<Vector>, Vec<[u32; 3]>)) -> TriangleMesh {
    (points.iter().map(|point| point.as_dvec3()).collect(), triangles)
}

/// Moves corners by poses, the last of them first, and turns them.
fn placed(
    (points, triangles): TriangleMesh,
    poses: &[Pose],
    turn: &dyn Fn(DVec3) -> DVec3,
) -> TriangleMesh {
    let place = |point| poses.iter().rfold(point, |at, pose| in_place(pose).place(at));
    (points.into_iter().map(place).map(turn).collect(), triangles)
}

/// Converts a pose of rapier to thalweg's, in rapier's axes.
pub(crate) fn in_place(pose: &Pose) -> thalweg::body::Pose {
    let (position, rotation) = (pose.translation.as_dvec3(), pose.rotation.as_dquat());
    thalweg::body::Pose { position, rotation }
}

/// Merges corners at one place, and drops triangles that thereby vanish.
fn welded((points, triangles): TriangleMesh) -> TriangleMesh {
    let mut kept = Vec::new();
    let mut known = BTreeMap::new();
    let mut number = |point: &DVec3| {
        // Adding 0 turns −0 into 0.
        let key = (point + 0.0).to_array().map(f64::to_bits);
        *known.entry(key).or_insert_with(|| {
            kept.push(*point);
            u32::try_from(kept.len() - 1).expect("corners are numbered in 32 bits")
        })
    };
    let numbers: Vec<u32> = points.iter().map(&mut number).collect();
    let renamed = triangles.iter().map(|triangle| triangle.map(|corner| numbers[corner as usize]));
    let triangles = renamed.filter(|[a, b, c]| a != b && b != c && c != a).collect();
    (kept, triangles)
}

fn volume_of((points, triangles): &TriangleMesh) -> f64 {
    let of = |triangle: &[u32; 3]| {
        let [a, b, c] = triangle.map(|corner| points[corner as usize]);
        a.dot(b.cross(c))
    };
    triangles.iter().map(of).sum::<f64>() / 6.0
}

/// Turns a mesh that is inside out.
fn outward((points, mut triangles): TriangleMesh) -> TriangleMesh {
    let mesh = (points, std::mem::take(&mut triangles));
    let is_inside_out = volume_of(&mesh) < 0.0;
    let (points, mut triangles) = mesh;
    if is_inside_out {
        triangles.iter_mut().for_each(|triangle| triangle.swap(1, 2));
    }
    (points, triangles)
}

/// Makes a shape larger about its middle.
fn grow(points: &mut [DVec3], by: f64) {
    let least = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let most = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let middle = least.midpoint(most);
    points.iter_mut().for_each(|point| *point = middle + by * (*point - middle));
}

/// Returns the cube root of a number near 1 by Newton's steps, for the same bits everywhere.
fn cube_root(number: f64) -> f64 {
    (0..30).fold(1.0, |root, _| root - (root * root * root - number) / (3.0 * root * root))
}

/// Returns an octahedron blown up, each side halved some times.
fn sphere(radius: f64) -> TriangleMesh {
    let mut points = Vec::new();
    let mut triangles = Vec::new();
    for corner in 0..8_u8 {
        let axis = |index: usize| {
            let axis = DVec3::AXES[index];
            if corner >> index & 1 == 0 { axis } else { -axis }
        };
        let mut faces = vec![[0, 1, 2].map(axis)];
        for _ in 0..HALVED {
            faces = faces.into_iter().flat_map(quarters).collect();
        }
        for face in faces {
            let first = u32::try_from(points.len()).expect("few");
            points.extend(face.map(|point| radius * (point / point.length())));
            let is_turned = corner.count_ones() % 2 == 1;
            let [a, b] = if is_turned { [2, 1] } else { [1, 2] };
            triangles.push([first, first + a, first + b]);
        }
    }
    (points, triangles)
}

fn quarters([a, b, c]: [DVec3; 3]) -> [[DVec3; 3]; 4] {
    let [ab, bc, ca] = [a.midpoint(b), b.midpoint(c), c.midpoint(a)];
    [[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(point: DVec3) -> DVec3 {
        point
    }

    /// Goal: each shape has the volume that it should have, wherever it is put.
    #[test]
    fn shapes_keep_their_volumes() {
        let tetrahedron = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 1.0]]
            .map(|[x, y, z]| Vector::new(x, y, z));
        let faces = vec![[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]];
        let parts = vec![
            (Pose::translation(1.0, 0.0, 0.0), SharedShape::cuboid(0.5, 0.5, 0.5)),
            (Pose::rotation(Vector::new(0.3, 0.2, 0.1)), SharedShape::cuboid(0.1, 0.2, 0.3)),
        ];
        let cases = [
            (SharedShape::cuboid(0.5, 1.0, 1.5), 6.0),
            (SharedShape::ball(2.0), BALL * 8.0),
            (SharedShape::cylinder(1.0, 0.5), 0.5 * std::f64::consts::PI),
            (SharedShape::cone(1.0, 0.5), 0.5 / 3.0 * std::f64::consts::PI),
            (
                SharedShape::capsule_y(1.0, 0.5),
                (0.5 + BALL / 8.0 / std::f64::consts::PI) * std::f64::consts::PI,
            ),
            (SharedShape::convex_hull(&tetrahedron).expect("a hull"), 1.0),
            (SharedShape::trimesh(tetrahedron.to_vec(), faces).expect("a mesh"), 1.0),
            (SharedShape::compound(parts), 1.0 + 0.048),
        ];
        let pose = Pose::new(Vector::new(3.0, -2.0, 1.0), Vector::new(0.4, 0.5, -0.6));
        for (shape, volume) in cases {
            let found = solid(&[(pose, shape.clone())], &same);
            let found = found.unwrap_or_else(|error| panic!("{:?}: {error}", shape.shape_type()));
            let error = found.volume_m3() / volume - 1.0;
            assert!(error.abs() < 1.0e-5, "{:?}: {} m³", shape.shape_type(), found.volume_m3());
        }
    }

    #[test]
    fn what_encloses_nothing_is_refused() {
        let open = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 2.0, 0.0], [3.0, 2.0, 0.5]]
            .map(|[x, y, z]| Vector::new(x, y, z));
        let open = SharedShape::trimesh(open.to_vec(), vec![[0, 1, 2], [1, 3, 2]]).expect("a mesh");
        for shape in [open, SharedShape::triangle(Vector::X, Vector::Y, Vector::Z)] {
            assert!(solid(&[(Pose::IDENTITY, shape)], &same).is_err());
        }
    }
}
