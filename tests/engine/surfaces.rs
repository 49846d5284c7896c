//! Surfaces and meshes that follow a world.

use crate::adaptive::{dig, flooded_builder, jump};
use crate::support::{scale, shrunk, terrain};
use thalweg::probe::{Skin, Surface, SurfaceMesh, Window};
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, MapKinds, VisualLayer, World, WorldBuilder};
use thalweg_engine::grid::cells::CellPlace;
use thalweg_engine::sim::Solver;

/// All numbers of a surface but foam.
fn numbers(surface: &Surface) -> Vec<[u32; 5]> {
    let [east, north] = surface.velocity_m_s();
    let plain = [surface.bed_m(), surface.depth_m(), surface.stage_m(), east, north];
    (0..east.len()).map(|at| plain.map(|plane| plane[at].to_bits())).collect()
}

/// Goal: cells that an update leaves as they were have not changed, in a world whose leaves change,
/// sleep and wake, whose ground is dug and on which rain falls.
/// Method: after every cycle a kept surface and a kept mesh equal those made anew, with velocities
/// from flood maps and without; the state is that of a world at which nobody looks.
#[test]
fn a_surface_that_follows_is_a_surface_made_anew() {
    let cases = [
        (ColumnKind::Flat, 3, MapKinds::VELOCITY),
        (ColumnKind::SubGrid, 4, MapKinds::VELOCITY),
        (ColumnKind::Flat, 5, MapKinds::NONE),
        (ColumnKind::SubGrid, 6, MapKinds::DEPTH),
    ];
    for (kind, seed, maps) in cases.into_iter().step_by(if crate::QUICK { 3 } else { 1 }) {
        let build = |maps| {
            let builder = flooded_builder(seed, Solver::ShallowWater).columns(kind);
            builder.maps(maps).build().expect("good")
        };
        let (mut world, mut unseen) = (build(maps), build(MapKinds::ALL));
        let (width, height) = world.size();
        let windows = [(0, 9, 70), (1, 0, 30), (3, 0, 0)].map(|(level, x, y)| {
            let (width, height) = ((width >> level) - 20, (height >> level) - 30);
            Window { level, corner: CellPlace { x, y }, width, height }
        });
        let mut surfaces = windows.map(|window| Surface::try_new(window).expect("good"));
        let mut mesh = SurfaceMesh::try_new([0.0; 2], [1.0e6; 2]).expect("finite");
        let (mut kept, mut written) = (0, 0);
        for cycle in 0..shrunk(18, 4) {
            let run = |world: &mut World| {
                if cycle % 5 == 2 {
                    jump(world, seed, cycle);
                }
                if cycle % 4 == 1 {
                    dig(world, seed, cycle);
                }
                world.run_cycle(SimTime::from_seconds(1.0e6));
            };
            run(&mut world);
            run(&mut unseen);
            for surface in &mut surfaces {
                let before = numbers(surface);
                written += surface.update(&world).len();
                let mut anew = Surface::try_new(surface.window()).expect("good");
                anew.update(&world);
                let now = numbers(surface);
                kept += now.iter().zip(&before).filter(|(now, before)| now == before).count();
                let differs = now.iter().zip(numbers(&anew)).position(|(a, b)| *a != b);
                assert_eq!(differs, None, "{kind:?}, cycle {cycle}, {:?}", surface.window());
                assert_eq!(surface.normal(), anew.normal(), "{kind:?}, cycle {cycle}");
            }
            mesh.update(&world);
            let mut anew = SurfaceMesh::try_new([0.0; 2], [1.0e6; 2]).expect("finite");
            anew.update(&world);
            for (leaf, expected) in mesh.leaves().zip(anew.leaves()) {
                let bits =
                    |plane: &[f32]| -> Vec<u32> { plane.iter().map(|v| v.to_bits()).collect() };
                assert_eq!(leaf.mesh.key, expected.mesh.key, "{kind:?}, cycle {cycle}");
                for skin in [Skin::Bed, Skin::Water] {
                    let [a, b] = [leaf, expected].map(|leaf| bits(leaf.elevation_m(skin)));
                    assert_eq!(a, b, "{kind:?}, cycle {cycle}, {skin:?} of {:?}", leaf.mesh.key);
                }
                assert_eq!(leaf.velocity_m_s, expected.velocity_m_s, "{kind:?}, cycle {cycle}");
            }
            assert_eq!(mesh.leaves().count(), anew.leaves().count());
        }
        assert!(kept > 0 && written > 0, "{kind:?}: nothing was kept, or nothing was written");
        assert_eq!(world.state_hash(), unseen.state_hash(), "{kind:?}");
    }
}

/// Goal: a world without flood maps is drawn all the same, and moves layers: with the velocities of
/// its discharges. Method: a stream of 1.2 m/s, whose velocities hardly change in a cycle, against
/// the same with flood maps, away from its walls; the lake beside it is at rest.
#[test]
fn velocities_without_maps_are_those_of_discharges() {
    let build = |maps| {
        let ground =
            terrain(192, 128, 2.0, scale(20, 0.0), |x, _| if x == 128 { 9.0 } else { 0.0 });
        let stream = |p: CellPlace| if p.x < 128 { (1.0, 0.7) } else { (0.0, 0.0) };
        let builder =
            WorldBuilder::new(ground).initial_depth(|p| if p.x == 128 { 0.0 } else { 1.0 });
        let mut world = builder.initial_velocity(stream).maps(maps).build().expect("a good world");
        world.run_until(SimTime::from_seconds(2.0));
        world
    };
    let worlds = [MapKinds::VELOCITY, MapKinds::NONE].map(build);
    assert_eq!(worlds[0].state_hash(), worlds[1].state_hash());
    let corner = CellPlace { x: 0, y: 0 };
    for (level, width, height) in [(0, 192, 128), (1, 96, 64)] {
        let window = Window { level, corner, width, height };
        let [kept, made] = worlds.each_ref().map(|world| {
            let mut surface = Surface::try_new(window).expect("good");
            surface.update(world);
            surface
        });
        assert_eq!(kept.depth_m(), made.depth_m());
        for (axis, expected) in [1.0_f32, 0.7].into_iter().enumerate() {
            let at = (height / 2) * width + 40 / (1 << level);
            let [a, b] = [&kept, &made].map(|surface| surface.velocity_m_s()[axis][at]);
            assert!((a / expected - 1.0).abs() < 0.05, "level {level}: {a} m/s");
            assert!((b / a - 1.0).abs() < 0.02, "level {level}: {b} for {a} m/s");
            let rest = made.velocity_m_s()[axis][(height / 2) * width + 160 / (1 << level)];
            assert!(rest.abs() < 1.0e-3, "level {level}: {rest} m/s in the lake");
        }
    }
    let place = CellPlace { x: 40, y: 64 };
    let [kept, made] = worlds.each_ref().map(|world| world.water().velocity_m_s(place));
    let [[u, v], [x, y]] = [kept, made].map(|velocity| velocity.expect("in the world"));
    assert!((x / u - 1.0).abs() < 0.02 && (y / v - 1.0).abs() < 0.02, "{x}, {y} for {u}, {v} m/s");
    let dry = CellPlace { x: 128, y: 64 };
    assert_eq!(worlds[1].water().velocity_m_s(dry), Some([0.0; 2]));
    let [kept, made] = worlds.each_ref().map(|world| {
        let mut foam = VisualLayer::new(world);
        foam.add(world, place, 1.0).expect("inside");
        assert!(foam.advance(world, SimTime::from_seconds(8.0)).expect("its world").moves > 0);
        let cells = (30..70).flat_map(|y| (30..60).map(move |x| CellPlace { x, y }));
        cells.map(|place| foam.at(place) * f64::from(place.x)).sum::<f64>()
    });
    assert!((kept - 44.0).abs() < 0.5 && (kept - made).abs() < 0.2, "{kept} and {made}");
}
