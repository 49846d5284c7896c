//! At places and along lines.

use super::*;
use crate::probe::Query;
use thalweg_engine::forest::Forest;
use thalweg_engine::grid::LeafId;

#[test]
fn planes_come_back_at_every_level() {
    for (row, leaves) in all_levels().into_iter().enumerate() {
        let made = Made::new(leaves, |place| Some(bed_plane(place)), stage_plane);
        let query = made.query();
        for seed in 0..2000 {
            let at = place(seed);
            let name = format!("row {row}, {at:?}");
            let sample = query.at(at).expect("finite").expect("inside");
            let (bed, stage) = (bed_plane(at), stage_plane(at));
            check_near(sample.bed_m, metres(bed), 1.0e-9, &name);
            check_near(sample.stage_m.expect("wet"), metres(stage), 1.0e-9, &name);
            check_near(sample.depth_m, (stage - bed) / UNITS, 1.0e-9, &name);
            check_near(sample.normal[0], 100.0 / UNITS, 1.0e-9, &name);
            check_near(sample.normal[1], -50.0 / UNITS, 1.0e-9, &name);
            check_near(sample.wetness, 1.0, 1.0e-12, &name);
        }
    }
}

#[test]
fn levels_finer_than_the_simulated_ones_are_interpolated() {
    let mut made = Made::new(one_level(2), |place| Some(bed_plane(place)), stage_plane);
    made.forest = Forest::of_leaves(1, one_level(2));
    let query = Query::new(&made, made.query().scale, 2.0 * WIDTH_M);
    for at in (0..500).map(place) {
        let sample = query.at(at).expect("finite").expect("inside");
        check_near(sample.bed_m, metres(bed_plane(at)), 1.0e-9, "bed");
        let window = [0, 1].map(|i| cell_at(at[i]));
        let corner = CellPlace { x: window[0], y: window[1] };
        let raster = query.surface(Window { level: 0, corner, width: 1, height: 1 });
        let raster = raster.expect("good");
        let centre = window.map(|v| (f64::from(v) + 0.5) * WIDTH_M);
        check_near(f64::from(raster.bed_m[0]), metres(bed_plane(centre)), 1.0e-5, "raster");
    }
    query.mesh(LeafId::new(3)).corner_m.iter().for_each(|&v| check_near(v, 512.0, 0.0, "corner"));
}

/// The finest cell at a coordinate.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 1024 m")]
pub(super) fn cell_at(metres: f64) -> u32 {
    (metres / WIDTH_M) as u32
}

#[test]
fn a_curved_surface_is_right_within_the_error_of_its_cells() {
    let curved = |[x, y]: [f64; 2]| 3.0e7 + 100.0 * (x * x - 0.5 * x * y + y * y);
    for leaves in all_levels() {
        let made = Made::new(leaves, |_| Some(0.0), curved);
        let query = made.query();
        for seed in 0..2000 {
            let at = place(seed);
            let sample = query.at(at).expect("finite").expect("inside");
            // Half the second derivatives times the square of the next coarser cell's width, which
            // is the coarser side's at an edge between levels.
            let width = query.cell_width_m(sample.level + 1);
            let stage_m = sample.stage_m.expect("wet");
            let bound = 200.0 * width * width / UNITS;
            check_near(stage_m, metres(curved(at)), bound, &format!("{at:?}"));
        }
    }
}

#[test]
fn dry_cells_do_not_pull_the_stage_of_a_lake_down() {
    let lake = 3.0e6;
    for leaves in all_levels() {
        let made = Made::new(leaves, |place| Some(bed_plane(place)), |_| lake);
        let query = made.query().wet_from(0.0).expect("good");
        let mut is_any = [false; 2];
        for seed in 0..4000 {
            let at = place(seed);
            let sample = query.at(at).expect("finite").expect("inside");
            // The waterline runs through cells, where it should.
            let depth = (lake - bed_plane(at)).max(0.0) / UNITS;
            check_near(sample.depth_m, depth, 1.0e-9, &format!("{at:?}"));
            is_any[usize::from(sample.is_wet())] = true;
            assert_eq!(sample.stage_m.is_some(), sample.is_wet(), "{at:?}");
            sample.stage_m.inspect(|&stage| check_near(stage, metres(lake), 1.0e-9, "stage"));
        }
        assert_eq!(is_any, [true; 2]);
    }
}

#[test]
fn a_film_at_a_brink_is_no_deep_water_below() {
    // A film of 1 cm on a plateau, and a drop of 50 m.
    let bed = |[x, _]: [f64; 2]| if x < 512.0 { 50.0 * UNITS } else { 0.0 };
    let film = |[x, _]: [f64; 2]| if x < 512.0 { 50.01 * UNITS } else { -1.0 };
    for leaves in all_levels() {
        let made = Made::new(leaves, |place| Some(bed(place)), film);
        let query = made.query();
        let line = query.along([490.0, 300.0], [530.0, 301.0], 500).expect("good");
        for sample in line.into_iter().flatten() {
            assert!(sample.depth_m < 0.0101, "{sample:?}");
        }
    }
}

#[test]
fn velocity_is_discharge_over_depth_at_every_level() {
    for leaves in all_levels() {
        let mut made = Made::new(leaves, |_| Some(0.0), |_| 2.0 * UNITS);
        made.flow([3.0, -1.0]);
        let query = made.query();
        // Cells at the boundary have a wall on one side.
        let places =
            (0..2000).map(place).filter(|at| at.iter().all(|v| (16.0..1008.0).contains(v)));
        for at in places {
            let [u, v] = query.at(at).expect("finite").expect("inside").velocity_m_s;
            check_near(u, 1.5, 1.0e-12, "east");
            check_near(v, -0.5, 1.0e-12, "north");
        }
        let window = Window { level: 1, corner: CellPlace { x: 5, y: 9 }, width: 200, height: 100 };
        let flow = query.flow(window).expect("good");
        assert!(flow.east_m_s.iter().all(|u| (u - 1.5).abs() < 1.0e-6));
        assert!(flow.north_m_s.iter().all(|v| (v + 0.5).abs() < 1.0e-6));
    }
}

#[test]
fn a_filling_cell_is_no_faster_than_its_faces() {
    // 1 m deep and 2 m/s up to x = 512 m; a film beyond.
    let stage = |[x, _]: [f64; 2]| if x < 512.0 { UNITS } else { 0.001 * UNITS };
    let mut made = Made::new(one_level(0), |_| Some(0.0), stage);
    for (water, key) in made.water.iter_mut().zip(made.forest.leaves()) {
        for cell in 0..TILE_CELLS {
            let is_moving = centre_m(*key, cell)[0] < 512.0 + WIDTH_M;
            water.flow_x[cell] = if is_moving { 2.0 } else { 0.0 };
        }
    }
    let line = made.query().along([400.0, 33.0], [600.0, 33.0], 401).expect("good");
    let fastest = line.into_iter().flatten().map(|s| s.speed_m_s()).fold(0.0, f64::max);
    check_near(fastest, 2.0, 1.0e-12, "fastest");
}

#[test]
fn places_beyond_the_world_have_nothing_and_bad_ones_are_refused() {
    let hole = |[x, y]: [f64; 2]| !(x > 200.0 && x < 232.0 && y > 64.0 && y < 96.0);
    let made = Made::new(three_levels(), |place| hole(place).then_some(0.0), |_| UNITS);
    let query = made.query();
    for at in [[-0.1, 5.0], [5.0, 1024.0], [1.0e300, 5.0], [5.0, -1.0e300], [216.0, 80.0]] {
        assert_eq!(query.at(at), Ok(None), "{at:?}");
    }
    // In the outermost half cell the nearest centres count.
    for at in [[0.0, 0.0], [1023.9, 1023.9], [199.9, 80.0], [233.0, 95.0]] {
        let sample = query.at(at).expect("finite").expect("inside");
        check_near(sample.depth_m, 1.0, 1.0e-12, "depth");
    }
    let nan = [f64::NAN, 1.0];
    let error = query.at_all(&[[1.0, 1.0], nan]).expect_err("NaN").to_string();
    assert!(error.contains("point 1 (from 0) is at NaN, 1: give finite metres"), "{error}");
    assert!(query.at([1.0, f64::INFINITY]).is_err());
    assert!(query.along([0.0; 2], nan, 5).is_err() && query.meshes(nan, [1.0; 2]).is_err());
    assert!(query.along([0.0; 2], [1.0; 2], 1).is_err());
    assert!(query.wet_from(-1.0).is_err() && query.wet_from(f64::NAN).is_err());
    let window = Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width: 4, height: 4 };
    assert!(query.surface(Window { width: 0, ..window }).is_err());
    assert!(query.surface(Window { width: 1 << 20, height: 1 << 20, ..window }).is_err());
    assert!(query.surface(Window { level: 33, ..window }).is_err());
    assert!(query.water_edge(window, f64::NAN).is_err());
    let far = CellPlace { x: u32::MAX - 1, y: 0 };
    assert!(query.flow(Window { corner: far, ..window }).is_err());
    let bow = [[0.0, 0.0], [8.0, 8.0], [8.0, 0.0], [0.0, 8.0]];
    assert!(query.over(&bow).is_err() && query.over(&bow[..2]).is_err());
    assert!(query.over(&[nan, [1.0, 1.0], [2.0, 0.0]]).is_err());
}

#[test]
fn many_places_at_once_are_the_same_as_one_by_one() {
    let made = Made::new(three_levels(), |place| Some(bed_plane(place)), |_| 3.0e6);
    let query = made.query();
    let places: Vec<[f64; 2]> = (0..3000).map(|seed| place(seed).map(|v| 1.1 * v - 40.0)).collect();
    let single: Vec<_> = places.iter().map(|&at| query.at(at).expect("finite")).collect();
    assert_eq!(query.at_all(&places).expect("finite"), single);
    let line = query.along(places[0], places[1], 2).expect("finite");
    assert_eq!(line, single[..2]);
}
