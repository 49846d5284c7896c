//! Over polygons, and rasters.

use super::*;

#[test]
fn volumes_over_polygons_are_those_of_the_integral() {
    let depth_m = |[x, y]: [f64; 2]| (stage_plane([x, y]) - bed_plane([x, y])) / UNITS;
    for (row, leaves) in all_levels().into_iter().enumerate() {
        let made = Made::new(leaves, |place| Some(bed_plane(place)), stage_plane);
        let query = made.query();
        let check = |corners: &[[f64; 2]], area: f64, volume: f64, tolerance: f64| {
            let over = query.over(corners).expect("good");
            let name = format!("row {row}, {corners:?}");
            check_near(over.area_m2, area, 1.0e-9 * area, &name);
            check_near(over.wet_area_m2, area, 1.0e-9 * area, &name);
            check_near(over.volume_m3, volume, tolerance * volume, &name);
            check_near(over.depth_mean_m(), volume / area, tolerance * volume / area, &name);
        };
        let square = [[64.0, 80.0], [904.0, 80.0], [904.0, 640.0], [64.0, 640.0]];
        check(&square, 840.0 * 560.0, 840.0 * 560.0 * depth_m([484.0, 360.0]), 1.0e-12);
        // Across cells, the other way round: the mean depth of a triangle is that of its middle.
        let triangle: [[f64; 2]; 4] = [[33.3, 20.1], [500.7, 999.9], [900.2, 101.7], [33.3, 20.1]];
        let [ax, ay] = [triangle[1][0] - triangle[0][0], triangle[1][1] - triangle[0][1]];
        let [bx, by] = [triangle[2][0] - triangle[0][0], triangle[2][1] - triangle[0][1]];
        let area = 0.5 * (ax * by - ay * bx).abs();
        let middle = [0, 1].map(|i| (triangle[0][i] + triangle[1][i] + triangle[2][i]) / 3.0);
        check(&triangle, area, area * depth_m(middle), 1.0e-5);
        // A comb whose teeth fall apart within tiles and rows.
        let comb = [[9.0, 9.0], [9.0, 700.0], [30.0, 20.0], [51.0, 700.0], [51.0, 9.0]];
        let over = query.over(&comb).expect("good");
        check_near(over.area_m2, 42.0 * 11.0 + 21.0 * 680.0, 1.0e-6, "comb");
    }
    let made = Made::new(three_levels(), |place| Some(bed_plane(place)), |_| 3.0e6);
    let query = made.query().wet_from(0.0).expect("good");
    let all = [[-9.0, -9.0], [2000.0, -9.0], [2000.0, 2000.0], [-9.0, 2000.0]];
    let over = query.over(&all).expect("good");
    let cells = |level: u8| f64::from(1_u32 << (2 * level)) * WIDTH_M * WIDTH_M;
    let leaves = made.forest.leaves().iter().zip(&made.water);
    let volume: f64 = leaves
        .map(|(key, water)| {
            let sum: i64 = water.depth.iter().map(|&h| i64::from(h)).sum();
            #[expect(clippy::cast_precision_loss, reason = "below 2⁵³")]
            let sum = sum as f64;
            sum * cells(key.level) / UNITS
        })
        .sum();
    check_near(over.volume_m3, volume, 1.0e-9 * volume, "all");
    check_near(over.area_m2, 1024.0 * 1024.0, 1.0e-6, "all");
    assert!(over.wet_area_m2 < 0.7 * over.area_m2 && over.depth_max_m > 2.8, "{over:?}");
    let beside = all.map(|[x, y]| [x + 3000.0, y]);
    assert_eq!(query.over(&beside).expect("good"), crate::probe::AreaSummary::default());
}

#[test]
fn rasters_keep_the_volume_and_interpolate_within_coarse_leaves() {
    let made = Made::new(three_levels(), |place| Some(bed_plane(place)), |_| 3.0e6);
    let query = made.query().wet_from(0.0).expect("good");
    let all = [[0.0, 0.0], [1024.0, 0.0], [1024.0, 1024.0], [0.0, 1024.0]];
    let volume_m3 = query.over(&all).expect("good").volume_m3;
    for level in 2..=5 {
        let cells = 512_usize >> level;
        let corner = CellPlace { x: 0, y: 0 };
        let window = Window { level, corner, width: cells, height: cells };
        let surface = query.surface(window).expect("good");
        let sum: f64 = surface.depth_m.iter().map(|&h| f64::from(h)).sum();
        let width = query.cell_width_m(level);
        check_near(sum * width * width, volume_m3, 1.0e-6 * volume_m3, "volume");
    }
    let window = Window { level: 0, corner: CellPlace { x: 10, y: 10 }, width: 480, height: 490 };
    let surface = query.surface(window).expect("good");
    for (i, (&bed_m, &depth_m)) in surface.bed_m.iter().zip(&surface.depth_m).enumerate() {
        let [x, y] = [10 + i % 480, 10 + i / 480].map(|v| u32::try_from(v).expect("few"));
        let at = [x, y].map(|v| (f64::from(v) + 0.5) * WIDTH_M);
        check_near(f64::from(bed_m), metres(bed_plane(at)), 1.0e-5, "bed");
        let depth = (3.0e6 - bed_plane(at)).max(0.0) / UNITS;
        check_near(f64::from(depth_m), depth, 1.0e-6, "depth");
    }
    let beyond = Window { level: 4, corner: CellPlace { x: 30, y: 0 }, width: 4, height: 1 };
    let bed: Vec<bool> =
        query.surface(beyond).expect("good").bed_m.iter().map(|z| z.is_nan()).collect();
    assert_eq!(bed, [false, false, true, true]);
}
