//! Surfaces and meshes that follow a world.

use crate::adaptive::{dig, flooded_builder, jump};
use crate::support::shrunk;
use thalweg::grid::cells::CellPlace;
use thalweg::probe::{Skin, Surface, SurfaceMesh, Window};
use thalweg::sim::Solver;
use thalweg::units::SimTime;
use thalweg::world::{ColumnKind, World};

/// All numbers of a surface but foam.
fn numbers(surface: &Surface) -> Vec<[u32; 5]> {
    let [east, north] = surface.velocity_m_s();
    let plain = [surface.bed_m(), surface.depth_m(), surface.stage_m(), east, north];
    (0..east.len()).map(|at| plain.map(|plane| plane[at].to_bits())).collect()
}

/// Goal: cells that an update leaves as they were have not changed, in a world whose leaves change,
/// sleep and wake, whose ground is dug and on which rain falls.
/// Method: after every cycle a kept surface and a kept mesh equal those made anew; the state is
/// that of a world at which nobody looks.
#[test]
fn a_surface_that_follows_is_a_surface_made_anew() {
    for (kind, seed) in [(ColumnKind::Flat, 3), (ColumnKind::SubGrid, 4)] {
        let build = || flooded_builder(seed, Solver::ShallowWater).columns(kind).build();
        let (mut world, mut unseen) = (build().expect("good"), build().expect("good"));
        let (width, height) = world.size();
        let windows = [(0, 9, 70), (1, 0, 30), (3, 0, 0)].map(|(level, x, y)| {
            let (width, height) = ((width >> level) - 20, (height >> level) - 30);
            Window { level, corner: CellPlace { x, y }, width, height }
        });
        let mut surfaces = windows.map(|window| Surface::try_new(window).expect("good"));
        let mut mesh = SurfaceMesh::try_new([0.0; 2], [1.0e6; 2]).expect("finite");
        let (mut kept, mut written) = (0, 0);
        for cycle in 0..shrunk(30, 10) {
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
