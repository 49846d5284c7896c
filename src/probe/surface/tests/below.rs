//! Finest cells below sub-grid columns.

use super::*;
use thalweg_engine::grid::TILE_CELLS;
use thalweg_engine::terrain::Terrain;
use thalweg_engine::tile::columns::Columns;
use thalweg_engine::tile::columns::build::BedPlanes;

/// A rough plain with a channel that meanders, 1 m deep and two finest cells wide.
fn rough([x, y]: [f64; 2]) -> f64 {
    let rough = draw(x.to_bits() ^ scramble(y.to_bits()));
    let away = (y - 512.0 - 60.0 * (x / 53.0).sin()).abs();
    2.0 + 0.002 * (1024.0 - x) + 0.002 * away + 0.3 * rough - if away < 2.0 { 1.0 } else { 0.0 }
}

fn lake([x, _]: [f64; 2]) -> f64 {
    (2.2 + 0.002 * (1024.0 - x)) * UNITS
}

/// Leaves of sub-grid columns that hold a lake, and the terrain below them.
fn scene(leaves: Vec<TileKey>) -> (Scene, Terrain) {
    let terrain = Made::terrain(rough);
    let scene = Scene::new(Made::tabled(leaves, &terrain, lake), 1);
    (scene, terrain)
}

#[test]
fn finest_cells_are_seen_below_columns() {
    for (row, leaves) in all_levels().into_iter().chain([one_level(3)]).enumerate() {
        let (scene, terrain) = scene(leaves);
        let scene = Scene { terrain: Some(terrain), ..scene };
        for window in windows() {
            let mut surface = Surface::try_new(window).expect("good");
            scene.update(&mut surface);
            let raster = scene.query().surface(window).expect("good");
            let is_finest = window.level == 0;
            let mut wet = 0;
            for at in 0..raster.bed_m.len() {
                let name = format!("row {row}, {window:?}, cell {at}");
                let [bed_m, depth_m, stage_m] =
                    [&raster.bed_m, &raster.depth_m, &raster.stage_m].map(|plane| plane[at]);
                let found = [surface.bed_m()[at], surface.depth_m()[at], surface.stage_m()[at]];
                // Means of leaves that are finer than the window are summed in another order.
                let check = |found: f32, expected: f32| match is_finest {
                    true => assert_eq!(found.to_bits(), expected.to_bits(), "{name}"),
                    false => check_near(found, expected, 100.0, &name),
                };
                check(found[0], bed_m);
                check(found[1], if depth_m.is_nan() { 0.0 } else { depth_m });
                if depth_m > 0.0 {
                    check(found[2], stage_m);
                    wet += 1;
                }
            }
            assert!(wet > 0, "row {row}, {window:?}: no water");
        }
    }
}

#[test]
fn updates_below_columns_come_to_the_same_as_a_new_surface() {
    for (row, leaves) in [three_levels(), one_level(2)].into_iter().enumerate() {
        for window in windows().into_iter().filter(|window| window.level < 3) {
            let (scene, terrain) = scene(leaves.clone());
            let mut scene = Scene { terrain: Some(terrain), ..scene };
            let mut surface = Surface::try_new(window).expect("good");
            check_update(&scene, &mut surface, "first");
            for round in 0..6 {
                let leaf = LeafId::new((5 * round) % scene.maps.len());
                scene.stir(leaf, round as u64);
                scene.time_s += 0.1;
                check_update(&scene, &mut surface, &format!("row {row}, {window:?}, {round}"));
            }
            // Other finest beds under the first leaf, whose means stay.
            let raised = Made::terrain(|[x, y]| rough([x, 1024.0 - y]));
            let key = scene.made.forest.leaves()[0];
            let beds = |level: u8| raised.level(level).expect("a level it has").plane();
            let beds = BedPlanes { coarse: beds(key.level), finest: beds(0) };
            scene.made.grounds[0].columns = Some(Columns::of(key, &beds).into());
            scene.terrain = Some(raised);
            scene.revision += 1;
            scene.changed.fill(scene.revision);
            let old: Vec<CowPlane<i32>> =
                scene.made.grounds.iter().map(|ground| ground.bed.clone()).collect();
            for (ground, bed) in scene.made.grounds.iter_mut().skip(1).zip(old.iter().skip(1)) {
                ground.bed = bed.to_vec().into();
            }
            check_update(&scene, &mut surface, &format!("row {row}, {window:?}, beds"));
        }
    }
}

/// Goal: below a depth that counts as wet, films make neither water nor shores, at any level.
#[test]
fn films_make_no_shores() {
    for leaves in [one_level(0), one_level(2), three_levels()] {
        let (scene, terrain) = scene(leaves);
        let mut scene = Scene { terrain: Some(terrain), ..scene };
        for (ground, water) in scene.made.grounds.iter().zip(&mut scene.made.water) {
            for (cell, depth) in water.depth.iter_mut().enumerate() {
                // 5 mm over the lowest finest cell.
                let lowest = ground.stage(cell, 1) - ground.deepest(cell, 1);
                *depth = ground.holds(cell, lowest + whole(0.005 * UNITS));
            }
        }
        for window in windows().into_iter().filter(|window| window.level < 3) {
            let wet_from = |depth_m: f64| {
                let surface = Surface::try_new(window).expect("good");
                let mut surface = surface.wet_from(depth_m).expect("a depth");
                scene.update(&mut surface);
                let wet = surface.depth_m().iter().filter(|&&depth_m| depth_m > 0.0).count();
                let has_shores = surface.stage_m().iter().any(|stage_m| !stage_m.is_nan());
                (wet > 0, has_shores)
            };
            assert_eq!(wet_from(0.01), (false, false), "{window:?}");
            assert_eq!(wet_from(0.001), (true, true), "{window:?}");
        }
    }
    let window = windows()[0];
    for depth_m in [-0.1, 1.5, f64::NAN, f64::INFINITY] {
        let refused = Surface::try_new(window).expect("good").wet_from(depth_m);
        assert!(refused.is_err_and(|error| error.to_string().contains("no more than 1")));
    }
}

/// Goal: the stage of a shore stays where the ground of the dry leaf alone is laid anew.
#[test]
fn shores_stay_where_ground_is_laid_anew() {
    let (scene, terrain) = scene(three_levels());
    let mut scene = Scene { terrain: Some(terrain), ..scene };
    for water in &mut scene.made.water {
        water.depth = vec![0; TILE_CELLS].into();
    }
    // Water in the finest leaves alone, up to their edges.
    let finest: Vec<LeafId> =
        scene.made.forest.iter().filter(|(_, key)| key.level == 0).map(|(leaf, _)| leaf).collect();
    for &leaf in &finest {
        scene.made.water[leaf].depth = vec![whole(UNITS); TILE_CELLS].into();
    }
    let window = windows()[0];
    let mut surface = Surface::try_new(window).expect("good");
    check_update(&scene, &mut surface, "first");
    let shore = |surface: &Surface| {
        let cells = surface.depth_m().iter().zip(surface.stage_m());
        cells.filter(|(depth_m, stage_m)| **depth_m <= 0.0 && !stage_m.is_nan()).count()
    };
    let before = shore(&surface);
    assert!(before > 100, "{before} dry cells beside water");
    for leaf in scene.made.forest.ids().filter(|leaf| !finest.contains(leaf)) {
        let ground = &mut scene.made.grounds[leaf];
        ground.bed = ground.bed.to_vec().into();
        scene.revision += 1;
        scene.changed[leaf] = scene.revision;
        check_update(&scene, &mut surface, &format!("{leaf:?}"));
        assert_eq!(shore(&surface), before, "{leaf:?}");
    }
}

/// Goal: planes are the same, foam too, on any count of threads.
#[test]
fn threads_change_nothing() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut found = Vec::new();
            for (leaves, window) in [(three_levels(), windows()[0]), (one_level(0), windows()[1])] {
                let (scene, terrain) = scene(leaves);
                let mut scene = Scene { terrain: Some(terrain), ..scene };
                let mut surface = Surface::try_new(window).expect("good");
                scene.update(&mut surface);
                for round in 0..5 {
                    for number in 0..3 {
                        scene.stir(
                            LeafId::new((7 * round + number) % scene.maps.len()),
                            round as u64,
                        );
                    }
                    scene.time_s += 0.5;
                    let written = scene.update(&mut surface);
                    let foam: Vec<u32> = surface.foam().iter().map(|foam| foam.to_bits()).collect();
                    found.push((written, numbers(&surface), foam));
                }
            }
            found
        })
    };
    let alone = run(1);
    assert!(alone.iter().any(|(.., foam)| foam.iter().any(|&foam| foam > 0)), "some foam");
    assert!([2, 7].into_iter().all(|threads| run(threads) == alone));
}

/// Goal: of a leaf that dries nothing is left, and of one that gets wet nothing is missing.
#[test]
fn water_comes_and_goes_below_columns() {
    let (scene, terrain) = scene(one_level(2));
    let mut scene = Scene { terrain: Some(terrain), ..scene };
    let window = windows()[0];
    let mut surface = Surface::try_new(window).expect("good");
    check_update(&scene, &mut surface, "first");
    let leaf = scene.made.forest.find(TileKey { level: 2, x: 1, y: 1 }).expect("a leaf");
    let full = scene.made.water[leaf].depth.to_vec();
    let wet = |surface: &Surface| {
        let cells = (256..512).flat_map(|y| (256..512).map(move |x| y * 512 + x));
        cells.filter(|&at| surface.depth_m()[at] > 0.0).count()
    };
    let before = wet(&surface);
    for depths in [vec![0; TILE_CELLS], full] {
        let is_dry = depths.iter().all(|&depth| depth == 0);
        scene.made.water[leaf].depth = depths.into();
        scene.revision += 1;
        scene.changed[leaf] = scene.revision;
        check_update(&scene, &mut surface, "dried or filled");
        assert_eq!(wet(&surface), if is_dry { 0 } else { before });
    }
    assert!(before > 1000, "{before} cells");
}
