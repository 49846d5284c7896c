//! A small outcome for unit tests.

use rasters::Grid;

use super::{CellBefore, FloodLedger, FloodOutcome};

/// Returns 40 × 30 cells of 1 m, dry at first, then under water 1 m deep that flows at 1 m/s.
#[must_use]
pub fn outcome() -> FloodOutcome {
    let grid = Grid::metric((40, 30), (0.0, 30.0), 1.0);
    let plane = |value: f32| vec![value; 40 * 30];
    FloodOutcome {
        title: String::new(),
        command: String::new(),
        settings: Vec::new(),
        notes: Vec::new(),
        output_grid: grid.clone(),
        grid,
        open_sides: Vec::new(),
        coarse: None,
        wet_depth_m: 0.05,
        depth_classes_m: Vec::new(),
        inputs: serde_json::Value::Null,
        before: vec![CellBefore::Dry; 40 * 30],
        inflow_cells: Vec::new(),
        holes: Vec::new(),
        bed_m: plane(0.0),
        max_depth_m: plane(1.0),
        max_speed_m_s: plane(1.0),
        hazard_m2_s: plane(1.5),
        arrival_s: plane(60.0),
        duration_s: plane(60.0),
        final_depth_m: plane(1.0),
        below: None,
        frames: Vec::new(),
        gauges: Vec::new(),
        sections: Vec::new(),
        edges: Vec::new(),
        outlets: Vec::new(),
        barriers: Vec::new(),
        links: Vec::new(),
        rocks: Vec::new(),
        backdrop: None,
        ledger: FloodLedger::default(),
        simulated_s: 120.0,
        wall_s: 1.0,
        interrupted: false,
        levels: Vec::new(),
        counted: None,
        sure: None,
        faults: Vec::new(),
        is_searched: true,
    }
}
