//! Poses and sizes that nobody meant.

use super::*;
use crate::body::Solids;
use crate::units::VerticalScale;

/// Goal: an impossible pose takes nothing, nor does a body elsewhere.
#[test]
fn poor_poses_and_far_bodies_take_nothing() {
    let solid = cuboid([1.0, 2.0, 3.0]);
    let nothing = Footprint::default();
    let good = Pose::at([5.0, 5.0, 0.0]);
    for pose in [
        Pose::at([f64::NAN, 5.0, 0.0]),
        Pose::at([5.0, f64::INFINITY, 0.0]),
        Pose { rotation: DQuat::IDENTITY * 0.0, ..good },
        Pose { rotation: DQuat::from_xyzw(f64::NAN, 0.0, 0.0, 1.0), ..good },
        Pose::at([-9.0, 5.0, 0.0]),
        Pose::at([5.0, 99.0, 0.0]),
        Pose::at([9.0e8, -9.0e8, 0.0]),
    ] {
        assert_eq!(Footprint::of(&solid, &pose, 1.0, (10, 10)), nothing, "{pose:?}");
    }
    for width in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Footprint::of(&solid, &good, width, (10, 10)), nothing, "{width}");
    }
    assert_eq!(Footprint::of(&solid, &good, 1.0, (0, 10)), nothing);
    assert!(!Footprint::of(&solid, &good, 1.0, (10, 10)).cells.is_empty());
}

/// Goal: parts beyond the world are left out, and nothing else.
#[test]
fn bodies_over_the_edge_keep_what_is_inside() {
    let solid = cuboid([4.0, 2.0, 1.0]);
    let over = Footprint::of(&solid, &Pose::at([0.0, 5.0, 0.0]), 1.0, (10, 10));
    assert!((volume(&over, 1.0) - 4.0).abs() < 1.0e-9, "{}", volume(&over, 1.0));
    // The west edge itself is closed where the body lies across it.
    let rim = over.faces.iter().filter(|face| face.axis == 0 && face.place.x == 0);
    assert_eq!(rim.filter(|face| face.is_cut()).count(), 2);
    let east = Footprint::of(&solid, &Pose::at([10.0, 5.0, 0.0]), 1.0, (10, 10));
    let rim = east.faces.iter().filter(|face| face.axis == 0 && face.place.x == 10);
    assert_eq!(rim.filter(|face| face.is_cut()).count(), 2);
    // Larger than the world.
    let all = Footprint::of(&cuboid([1.0e6, 1.0e6, 1.0]), &Pose::at([5.0; 3]), 1.0, (10, 10));
    assert_eq!(all.cells.len(), 100);
    assert!((volume(&all, 1.0) - 100.0).abs() < 1.0e-6);
    assert_eq!(all.faces.iter().filter(|face| face.is_cut()).count(), 2 * 10 * 11);
}

/// Goal: no shape, size or pose breaks anything. Method: draws over all magnitudes, alone and
/// together; what is found keeps its bounds.
#[test]
fn whatever_lies_there_keeps_its_bounds() {
    let scale = VerticalScale::try_new(20, 3.0).expect("in range");
    for seed in 0..1500 {
        let mut draws = Draws(seed << 32);
        let size = 10.0_f64.powf(draws.between(-3.0, 2.0));
        let lengths = draws.place(-4.0, 0.0).map(|power| size * 10.0_f64.powf(power));
        let corners = [0; 4].map(|_| draws.place(-size, size));
        let solids = [cuboid(lengths), tetrahedron(corners)];
        let snap = [1.0, 0.5, 1.0e-9][(seed % 3) as usize];
        let mut bodies = Vec::new();
        for solid in &solids {
            let position = (draws.place(-2.0, 22.0) / snap).round() * snap;
            let upright = [DQuat::IDENTITY, DQuat::from_xyzw(0.5, 0.5, 0.5, 0.5)];
            let rotation = match seed % 4 {
                0 => upright[(seed / 4 % 2) as usize],
                _ => draws.rotation(),
            };
            let pose = Pose { position, rotation };
            bodies.push(Footprint::of(solid, &pose, 1.0, (20, 17)));
        }
        for footprint in &bodies {
            for cell in &footprint.cells {
                let is_inside = cell.place.x < 20 && cell.place.y < 17;
                let is_part = cell.share > 0.0 && cell.share <= 1.0;
                assert!(is_inside && is_part && cell.low_m < cell.high_m, "seed {seed}: {cell:?}");
            }
            for face in &footprint.faces {
                let is_part = -0.5 <= face.from && face.from <= face.to && face.to <= 0.5;
                assert!(is_part && face.low_m < face.high_m, "seed {seed}: {face:?}");
                let end = [20 + u32::from(face.axis == 0), 17 + u32::from(face.axis == 1)];
                assert!(face.place.x < end[0] && face.place.y < end[1], "seed {seed}: {face:?}");
            }
        }
        let merged = Solids::merge(bodies.iter(), &scale, 1.0);
        assert_eq!(merged, Solids::merge(bodies.iter().rev(), &scale, 1.0), "seed {seed}");
    }
}

/// Goal: long bodies, up to ten thousand cells, and tiny ones are as exact as others.
#[test]
fn sizes_from_a_thousandth_to_ten_thousand_cells() {
    for (lengths, degrees) in [
        ([1.0e4, 0.3, 2.0], 33.0),
        ([1.0e4, 2.5, 2.0], 0.0),
        ([0.05, 9.0e3, 2.0], 44.0),
        ([1.0e-3, 1.0e-3, 1.0e-3], 12.0),
        ([1.0e-3, 30.0, 1.0e-3], 12.0),
    ] {
        let solid = cuboid(lengths);
        let pose = turned([8000.25, 8000.5, 1.0], degrees);
        let footprint = Footprint::of(&solid, &pose, 1.0, (16_000, 16_000));
        let found = volume(&footprint, 1.0);
        let exact = solid.volume_m3();
        assert!((found - exact).abs() <= 1.0e-9 * exact, "{lengths:?}: {found} of {exact}");
    }
}
