//! Covered cells, and how much of them is covered.

use super::*;

#[track_caller]
fn check_volume(name: &str, solid: &Solid, pose: &Pose, width: f64, size: (u32, u32)) {
    let footprint = Footprint::of(solid, pose, width, size);
    let found = volume(&footprint, width);
    let exact = solid.volume_m3();
    assert!((found - exact).abs() <= 1.0e-9 * exact, "{name}: {found} m³ of {exact}");
    for cell in &footprint.cells {
        assert!(cell.share > 0.0 && cell.share <= 1.0 && cell.low_m < cell.high_m, "{cell:?}");
    }
    let places = footprint.cells.iter().map(|cell| (cell.place.y, cell.place.x));
    assert!(places.is_sorted_by(|a, b| a < b), "{name}: cells in their order, each once");
}

/// Goal: no volume is lost, however a body lies. Method: boxes and tetrahedra of all sizes and
/// rotations, on cells of other widths than 1 m.
#[test]
fn volumes_of_cells_add_up_to_the_body() {
    for seed in 0..400 {
        let mut draws = Draws(seed << 32);
        let lengths = draws.place(0.05, 9.0);
        let corners = [0; 4].map(|_| draws.place(-5.0, 5.0));
        let place =
            [draws.between(40.0, 60.0), draws.between(40.0, 60.0), draws.between(-9.0, 9.0)];
        let pose = Pose { rotation: draws.rotation(), ..Pose::at(place) };
        let width = draws.between(0.3, 3.0);
        check_volume(&format!("box {seed}"), &cuboid(lengths), &pose, width, (400, 400));
        let tetrahedron = tetrahedron(corners);
        if tetrahedron.volume_m3() > 0.1 {
            check_volume(&format!("tetrahedron {seed}"), &tetrahedron, &pose, width, (400, 400));
        }
    }
}
