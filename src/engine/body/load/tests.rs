use super::*;
use crate::body::{Motion, Pose, Solid};
use glam::{DQuat, DVec3};

/// Water given by a function of the place.
struct Water<F>(F);

impl<F: Fn(DVec2) -> Option<Nearby>> Surroundings for Water<F> {
    fn cell_m(&self, _: DVec2) -> f64 {
        1.0
    }
    fn near(&self, at: DVec2) -> Option<Nearby> {
        (self.0)(at)
    }
}

const DENSITY: f64 = 1000.0;
const GRAVITY: f64 = 9.81;

fn lake() -> impl Surroundings {
    Water(|_| Some(Nearby::still(20.0, 0.0)))
}

fn still(pose: Pose) -> Afloat {
    Afloat { pose, motion: Motion::default(), inertia: None }
}

fn tetrahedron() -> Solid {
    let points = [[0.0, 0.0, 0.0], [2.0, 0.0, 0.3], [0.2, 1.5, 0.0], [0.4, 0.3, 1.8]];
    Solid::mesh(points.map(DVec3::from).to_vec(), vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        .expect("closed")
}

/// A few rotations that are not special.
fn rotations() -> Vec<DQuat> {
    let mut found = vec![DQuat::IDENTITY];
    let mut seed = 7_u32;
    let mut next = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(seed >> 8) / f64::from(1 << 23) - 1.0
    };
    while found.len() < 60 {
        let turn = DQuat::from_xyzw(next(), next(), next(), next());
        if turn.length() > 0.1 {
            found.push(turn / turn.length());
        }
    }
    found
}

/// Volume under z = 0 of the tetrahedra that triangles make with a point. Where corners lie d
/// under it, a tetrahedron is under it by the part Σ dᵢ³/Π(dᵢ − dⱼ) over its corners below.
fn volume_below(solid: &Solid, pose: &Pose) -> f64 {
    let (apex, mut volume) = (DVec3::new(0.11, 0.07, 0.05), 0.0);
    for piece in solid.pieces() {
        for triangle in piece.triangles() {
            let [a, b, c] = triangle.map(|corner| piece.points()[corner as usize]);
            let whole = (a - apex).dot((b - apex).cross(c - apex)) / 6.0;
            let depths = [apex, a, b, c].map(|corner| -pose.place(corner).z);
            let mut part = 0.0;
            for i in (0..4).filter(|&i| depths[i] > 0.0) {
                let others = (0..4).filter(|&j| j != i).map(|j| depths[i] - depths[j]);
                part += depths[i] * depths[i] * depths[i] / others.product::<f64>();
            }
            volume += whole * part;
        }
    }
    volume
}

/// Goal: lift is the weight of the displaced water to 1e-9, nothing pushes sideways, in any
/// orientation, however the panels are cut.
#[test]
fn still_water_lifts_as_archimedes_says() {
    let block = Solid::cuboid([2.0, 1.0, 0.7]).expect("a box");
    let pair = [(block.clone(), DVec3::ZERO), (block.clone(), DVec3::new(2.0, 0.2, 0.1))];
    let two = Solid::compound(&pair).expect("two");
    let params = LoadParams::default();
    for (solid, name) in [(block, "box"), (tetrahedron(), "tetrahedron"), (two, "compound")] {
        for rotation in rotations().into_iter().skip(1) {
            for (up, longest) in [(0.13, 10.0), (-0.21, 0.4), (-9.0, 0.7)] {
                let panels = Panels::of(&solid, longest);
                let pose = Pose { rotation, ..Pose::at([300.3, 200.7, 20.0 + up]) };
                let found = load(&panels, &still(pose), &lake(), &params);
                let volume = if up < -5.0 {
                    solid.volume_m3()
                } else {
                    volume_below(&solid, &Pose { rotation, ..Pose::at([0.0, 0.0, up]) })
                };
                let lift = DENSITY * GRAVITY * volume;
                let seen = format!("{name} {rotation:?} {up}: {found:?}, lift {lift}");
                let bound = 1.0e-9 * DENSITY * GRAVITY * solid.volume_m3();
                assert!((found.force.z - lift).abs() < bound, "{seen}");
                assert!(found.force.x.abs() + found.force.y.abs() < bound, "{seen}");
                assert!((found.submerged_m3 - volume).abs() < 1.0e-9, "{seen}");
                if up < -5.0 {
                    let arm = pose.place(panels.centre()) - pose.position;
                    let turn = arm.cross(lift * DVec3::Z);
                    // Pressure 9 m deep makes moments that cancel.
                    assert!(turn.distance(found.torque) < 1.0e-8 * lift, "{seen}, {turn}");
                }
            }
        }
    }
}

/// Goal: a heeled pontoon rights itself by `sin φ·(GM + BM·tan²φ/2)`, exact for straight sides.
#[test]
fn a_heeled_pontoon_has_its_righting_arm() {
    let (length, width, height, draught) = (6.0, 2.0, 1.0, 0.5);
    let panels = Panels::of(&Solid::cuboid([length, width, height]).expect("a box"), 1.0);
    let lift = DENSITY * GRAVITY * length * width * draught;
    for heel in [0.02_f64, 0.1, 0.25] {
        let (sin, cos) = (heel.sin(), heel.cos());
        let rotation = DQuat::from_rotation_x(heel);
        // The waterline crosses the middle of its section at half its height: the centre.
        let found = load(
            &panels,
            &still(Pose { rotation, ..Pose::at([50.0, 50.0, 20.0]) }),
            &lake(),
            &LoadParams::default(),
        );
        let metacentre = width * width / (12.0 * draught);
        let tan = sin / cos;
        // The centre of mass lies at the centre, half a draught over that of buoyancy.
        let arm = sin * (metacentre - 0.5 * draught + 0.5 * metacentre * tan * tan);
        assert!((found.force.z - lift).abs() < 1.0e-9 * lift);
        let error = found.torque.x + lift * arm;
        assert!(error.abs() < 1.0e-9 * lift, "heel {heel}: {} {arm}", found.torque.x / lift);
    }
}

/// Goal: `½ρgh²` a metre at a third of the depth, on a wall of one crate or three in a row, thin
/// against the cells, with 3 m of water on one side and 1 m, or none, on the other.
#[test]
fn a_wall_feels_both_its_sides() {
    let params = LoadParams::default();
    let thin = Solid::cuboid([0.2, 4.0, 5.0]).expect("a wall");
    let row: Vec<_> = (0..3).map(|i| (thin.clone(), 0.2 * f64::from(i) * DVec3::X)).collect();
    let thick = Solid::compound(&row).expect("three");
    for (behind, wall) in [(1.0, &thin), (0.0, &thin), (1.0, &thick), (0.0, &thick)] {
        let water = Water(|at: DVec2| {
            let stage = if at.x < 100.2 { 3.0 } else { behind };
            (stage > 0.0).then(|| Nearby::still(stage, 0.0))
        });
        let panels = Panels::of(wall, 1.0);
        let pose = Pose::at([100.0, 50.0, 2.5]);
        let found = load(&panels, &still(pose), &water, &params);
        let push = 0.5 * DENSITY * GRAVITY * (9.0 - behind * behind) * 4.0;
        let error = found.force.x / push - 1.0;
        assert!(error.abs() < 1.0e-9, "{behind} m behind: {found:?}, {push} N");
        assert!(found.force.y.abs() < 1.0e-6 * push);
    }
    let panels = Panels::of(&thin, 1.0);
    let found = load(&panels, &still(Pose::at([100.0, 50.0, 2.5])), &OneSide, &params);
    let push = 0.5 * DENSITY * GRAVITY * 9.0 * 4.0;
    assert!((found.force.x / push - 1.0).abs() < 1.0e-9, "{found:?}");
    // The pressure's middle is at a third of the depth: 1.5 m below the wall's.
    assert!((found.torque.y / push + 1.5).abs() < 1.0e-9, "{found:?}");
}

/// Water west of 100 m, and none under anything.
struct OneSide;

impl Surroundings for OneSide {
    fn cell_m(&self, _: DVec2) -> f64 {
        1.0
    }
    fn near(&self, at: DVec2) -> Option<Nearby> {
        (at.x < 100.0).then(|| Nearby::still(3.0, 0.0))
    }
    fn between(&self, _: DVec2) -> Option<Nearby> {
        None
    }
}

/// Goal: on a surface that slopes, the slope is the force: ρ·g·V·S downhill, at any size.
#[test]
fn a_slope_pushes_downhill() {
    let slope = DVec2::new(0.01, -0.002);
    let water = Water(|at: DVec2| {
        let stage_m = 20.0 + slope.dot(at - 50.0);
        Some(Nearby { slope, ..Nearby::still(stage_m, 0.0) })
    });
    for size in [0.1, 3.0] {
        let panels = Panels::of(&Solid::cuboid([size; 3]).expect("a box"), 1.0);
        let pose = Pose::at([50.0, 50.0, 20.0 - 2.0 * size]);
        let found = load(&panels, &still(pose), &water, &LoadParams::default());
        let weight = DENSITY * GRAVITY * size * size * size;
        assert!((found.force.x + 0.01 * weight).abs() < 1.0e-9 * weight, "{found:?}");
        assert!((found.force.y - 0.002 * weight).abs() < 1.0e-9 * weight, "{found:?}");
    }
}

/// Goal: panels of a box lie the same to all sides. Method: a box under the middle of a hollow in
/// the water, straight and turned: nothing pushes it aside or turns it.
#[test]
fn a_box_under_a_hollow_is_pushed_nowhere() {
    let water = Water(|at: DVec2| {
        let DVec2 { x, y } = at - 50.0;
        Some(Nearby::still(20.0 + 0.02 * x * x + 0.05 * y * y + 0.01 * x * x * y * y, 0.0))
    });
    let one = Solid::cuboid([4.0, 3.0, 1.0]).expect("a box");
    let turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 0.0]];
    for rotation in turns.map(DQuat::from_array) {
        let pose = Pose { rotation, ..Pose::at([50.0, 50.0, 19.0]) };
        let aside = |solid: &Solid| {
            let panels = Panels::of(solid, 1.0);
            let found = load(&panels, &still(pose), &water, &LoadParams::default());
            let aside = found.force.with_z(0.0).abs().max(found.torque.abs());
            aside.max_element() / found.force.z
        };
        assert!(aside(&one) < 1.0e-9, "{rotation:?}: {}", aside(&one));
    }
}

/// Goal: what is dug in feels no deeper water than there is.
#[test]
fn a_film_does_not_lift_what_is_dug_in() {
    let panels = Panels::of(&Solid::cuboid([2.0, 2.0, 3.0]).expect("a box"), 1.0);
    let film = Water(|_| Some(Nearby::still(10.01, 10.0)));
    let found = load(&panels, &still(Pose::at([5.0, 5.0, 9.5])), &film, &LoadParams::default());
    assert!((found.force.z - 0.01 * 4.0 * DENSITY * GRAVITY).abs() < 1.0e-6, "{found:?}");
}

/// Goal: a plate across a current has the drag of a cube's faces; along it friction alone.
#[test]
fn drag_is_that_of_the_coefficients() {
    let params = LoadParams::default();
    let panels = Panels::of(&Solid::cuboid([1.0; 3]).expect("a box"), 1.0);
    let river =
        Water(|_| Some(Nearby { velocity_m_s: 2.0 * DVec2::X, ..Nearby::still(20.0, 0.0) }));
    let found = load(&panels, &still(Pose::at([5.0, 5.0, 15.0])), &river, &params);
    let expected = 0.5 * DENSITY * (0.7 + 0.4 + 4.0 * 0.004) * 4.0;
    assert!((found.drag.x - expected).abs() < 1.0e-6 * expected, "{found:?}");
    let along = Motion { linear: 2.0 * DVec3::X, ..Motion::default() };
    let afloat = Afloat { motion: along, ..still(Pose::at([5.0, 5.0, 15.0])) };
    let found = load(&panels, &afloat, &river, &params);
    assert!(found.drag.x.abs() < 1.0e-9, "{found:?}");
}

#[test]
fn parameters_that_are_none_are_seen() {
    assert!(LoadParams::default().is_good());
    for density_kg_m3 in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(!LoadParams { density_kg_m3, ..LoadParams::default() }.is_good());
    }
    assert!(!LoadParams { drag_front: f64::NAN, ..LoadParams::default() }.is_good());
}

mod moving;
