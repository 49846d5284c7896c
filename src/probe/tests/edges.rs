//! The water's edge.

use super::*;

/// Twice the area to the left of a closed line.
fn left_of(line: &Polyline) -> f64 {
    let points = &line.points_m;
    let next = |i: usize| points[(i + 1) % points.len()];
    points.iter().enumerate().map(|(i, a)| a[0] * next(i)[1] - next(i)[0] * a[1]).sum()
}

const WORLD: Window =
    Window { level: 0, corner: CellPlace { x: 0, y: 0 }, width: 512, height: 512 };

#[test]
fn the_edge_of_a_lake_runs_where_its_stage_meets_the_bed() {
    // A ring of water around an island: between 100 and 300 m from the middle.
    let from_middle = |[x, y]: [f64; 2]| ((x - 512.0).powi(2) + (y - 512.0).powi(2)).sqrt();
    let bed = |at: [f64; 2]| Some((from_middle(at) - 200.0).abs() * 0.1 * UNITS);
    for leaves in all_levels() {
        let made = Made::new(leaves, bed, |_| 10.0 * UNITS);
        let edges = made.query().water_edge(WORLD, 0.0).expect("good");
        assert_eq!(edges.len(), 2);
        let mut areas: Vec<f64> = edges.iter().map(|line| left_of(line) / 2.0).collect();
        areas.sort_by(f64::total_cmp);
        check_near(areas[0], -std::f64::consts::PI * 1.0e4, 200.0, "island");
        check_near(areas[1], std::f64::consts::PI * 9.0e4, 600.0, "lake");
        for line in &edges {
            assert!(line.is_closed);
            let radius = if left_of(line) < 0.0 { 100.0 } else { 300.0 };
            for &at in &line.points_m {
                check_near(from_middle(at), radius, 0.2, "radius");
            }
        }
    }
    // Where only 1 m and more counts, 10 m farther in.
    let made = Made::new(one_level(0), bed, |_| 10.0 * UNITS);
    for line in made.query().water_edge(WORLD, 1.0).expect("good") {
        let radius = if left_of(&line) < 0.0 { 110.0 } else { 290.0 };
        line.points_m.iter().for_each(|&at| check_near(from_middle(at), radius, 0.02, "radius"));
    }
    // A window cuts lines open.
    let window = Window { width: 100, height: 100, ..WORLD };
    let window = Window { corner: CellPlace { x: 100, y: 100 }, ..window };
    let cut = made.query().water_edge(window, 0.0).expect("good");
    assert!(cut.len() == 1 && !cut[0].is_closed && cut[0].points_m.len() > 50);
}

#[test]
fn edges_at_fronts_and_at_the_rim_follow_the_faces() {
    // Everything under water: the boundary of the world.
    let made = Made::new(one_level(2), |_| Some(0.0), |_| UNITS);
    let window = Window { level: 2, width: 128, height: 128, ..WORLD };
    let edges = made.query().water_edge(window, 0.0).expect("good");
    assert_eq!(edges.len(), 1);
    // Marching squares cut the four corners.
    check_near(left_of(&edges[0]) / 2.0, 1024.0 * 1024.0 - 4.0 * 8.0, 1.0e-6, "area");
    // Two wet cells that share a corner.
    let mut made = Made::new(one_level(2), |_| Some(0.0), |_| 0.0);
    made.water[0].depth[65] = 1 << 20;
    made.water[0].depth[130] = 1 << 20;
    let edges = made.query().water_edge(window, 0.0).expect("good");
    assert_eq!(edges.len(), 2);
    assert!(edges.iter().all(|line| line.points_m.len() == 4 && left_of(line) > 0.0));
}
