//! The law of a culvert against textbooks, and between two cells.

use super::*;

fn pipe(diameter_m: f64, length_m: f64, inverts_m: [f64; 2]) -> CulvertShape {
    CulvertShape {
        section: Section::Circle { diameter_m },
        length_m,
        manning_n: 0.013,
        inlet_loss: 0.5,
        outlet_loss: 1.0,
        inverts_m,
        has_flap: false,
        gravity: 9.81,
    }
}

fn stages(culvert: &CulvertLaw, stages_m: [f64; 2]) -> LinkStages {
    LinkStages { stages_m, sills_m: culvert.shape.inverts_m, leads_out: false }
}

/// Goal: a drowned pipe passes `A √(2 g H / (k_in + k_out + 2 g n² L / R^(4/3)))`, either way.
#[test]
fn a_drowned_pipe_passes_its_textbook_discharge() {
    for (diameter, length) in [(0.3, 5.0), (1.0, 30.0), (2.0, 400.0)] {
        let culvert = CulvertLaw::new(pipe(diameter, length, [0.0, 0.0]));
        let area = std::f64::consts::PI * diameter * diameter / 4.0;
        let friction = 2.0 * 9.81 * 0.013 * 0.013 * length / (diameter / 4.0).powf(4.0 / 3.0);
        for head in [0.001, 0.1, 1.0, 10.0] {
            let exact = area * (2.0 * 9.81 * head / (1.5 + friction)).sqrt();
            let tail = 1.3 * diameter;
            for (ends, sign) in [([tail + head, tail], 1.0), ([tail, tail + head], -1.0)] {
                let steady = culvert.steady(&stages(&culvert, ends));
                let ratio = sign * steady.discharge / exact;
                assert!((ratio - 1.0).abs() < 1.0e-3, "{diameter} m, {head} m: {ratio}");
                assert_eq!(steady.course, Course::Full);
            }
        }
    }
}

/// Goal: a short box under a low head passes the critical discharge of its head,
/// `b √g (2/3 hw)^(3/2)` without losses.
#[test]
fn a_free_box_passes_the_critical_discharge() {
    let section = Section::Box { width_m: 2.0, height_m: 1.5 };
    let shape =
        CulvertShape { section, manning_n: 0.0, inlet_loss: 0.0, ..pipe(1.0, 5.0, [1.0, 0.95]) };
    let culvert = CulvertLaw::new(shape);
    for head in [0.05, 0.3, 1.0, 1.5] {
        let steady = culvert.steady(&stages(&culvert, [1.0 + head, 0.0]));
        let exact = 2.0 * 9.81_f64.sqrt() * (2.0 / 3.0 * head).powf(1.5);
        let ratio = steady.discharge / exact;
        assert!((ratio - 1.0).abs() < 0.01, "{head} m: {ratio}");
        assert_eq!(steady.course, Course::Free);
    }
}

/// Goal: more head, more water: no dip where one control hands over to the other.
#[test]
fn discharge_rises_with_the_head() {
    for inverts in [[0.0, 0.0], [0.0, -1.0], [0.0, 0.3]] {
        let culvert = CulvertLaw::new(pipe(1.0, 20.0, inverts));
        for tail in [-2.0, 0.4, 0.9, 1.1, 1.5] {
            let mut before = 0.0;
            for step in 0..2000 {
                let high = tail + f64::from(step) * 0.002;
                let steady = culvert.steady(&stages(&culvert, [high, tail])).discharge;
                assert!(steady >= before - 1.0e-9, "{inverts:?}, {high} over {tail}: {steady}");
                assert!(steady - before < 0.12, "a jump at {high} over {tail}: {steady}, {before}");
                before = steady;
            }
        }
    }
}

/// Goal: a tail that drowns the outlet of a pipe that falls, and not its inlet, draws no more
/// through that inlet.
#[test]
fn a_low_tail_draws_no_more_through_a_high_inlet() {
    let culvert = CulvertLaw::new(pipe(1.5, 30.0, [0.0, -2.7]));
    for head in [0.4, 0.9, 1.4] {
        let at = |tail: f64| culvert.steady(&stages(&culvert, [head, tail])).discharge;
        let free = at(-3.0);
        for step in 0..=60 {
            let tail = -3.0 + 0.05 * f64::from(step);
            assert!(at(tail) <= free + 1.0e-9, "{head} over {tail}: {} of {free}", at(tail));
        }
    }
}

#[test]
fn a_flap_lets_nothing_back_and_dry_ends_give_nothing() {
    let shape = CulvertShape { has_flap: true, ..pipe(1.0, 20.0, [0.0, 0.0]) };
    let culvert = CulvertLaw::new(shape);
    let step = LawStep { dt_s: 1.0, areas_m2: [100.0; 2], damping_s: 10.0 };
    let back = stages(&culvert, [1.0, 3.0]);
    assert!(culvert.steady(&back).discharge == 0.0);
    let flowing = DrivenFlow { discharge: 2.0, drive: None };
    assert!(culvert.flow(flowing, &back, &step).discharge == 0.0);
    let ahead = culvert.flow(DrivenFlow::default(), &stages(&culvert, [3.0, 1.0]), &step);
    assert!(ahead.discharge > 0.0);
    let sill = LinkStages { stages_m: [1.0, -3.0], sills_m: [1.2, 0.0], leads_out: false };
    assert!(culvert.steady(&sill).discharge == 0.0, "the ground holds it back");
    for stages_m in [[-1.0, -2.0], [f64::NAN, 0.0], [0.0, f64::NAN]] {
        let flow = culvert.flow(DrivenFlow::default(), &stages(&culvert, stages_m), &step);
        assert_eq!(flow, DrivenFlow::default());
    }
}

/// Goal: between stages that stay, the discharge goes to the steady one and stays there.
#[test]
fn it_settles_at_the_steady_discharge() {
    let culvert = CulvertLaw::new(pipe(1.0, 50.0, [0.0, -0.5]));
    for ends in [[0.4, -2.0], [3.0, 0.0], [2.0, 1.9], [1.5, 6.0], [1.0, 1.001]] {
        let water = stages(&culvert, ends);
        let exact = culvert.steady(&water).discharge;
        for dt_s in [0.3, 1.0, 300.0] {
            let step = LawStep { dt_s, areas_m2: [1.0e9; 2], damping_s: 10.0 };
            let mut flow = DrivenFlow::default();
            for _ in 0..30_000 {
                flow = culvert.flow(flow, &water, &step);
            }
            let ratio = flow.discharge / exact;
            assert!((ratio - 1.0).abs() < 1.0e-6, "{ends:?} with {dt_s} s: {ratio}");
        }
    }
}

/// Goal: two cells level out, each swing no wider than the one before, whatever cells and steps.
#[test]
fn two_small_cells_level_out() {
    for area in [0.25, 4.0, 100.0, 1.0e4] {
        for dt_s in [0.01, 0.3, 5.0, 60.0] {
            for length in [1.0, 30.0, 1000.0] {
                let culvert = CulvertLaw::new(pipe(1.0, length, [0.0, 0.0]));
                let step = LawStep { dt_s, areas_m2: [area, 2.0 * area], damping_s: 10.0 };
                let (mut ends, mut flow) = ([5.0, 3.0], DrivenFlow::default());
                let (mut swing, mut widest) = (2.0_f64, f64::INFINITY);
                for _ in 0..20_000 {
                    flow = culvert.flow(flow, &stages(&culvert, ends), &step);
                    let before = ends[0] - ends[1];
                    ends[0] -= flow.discharge * dt_s / area;
                    ends[1] += flow.discharge * dt_s / (2.0 * area);
                    let rise = ends[0] - ends[1];
                    if rise * before <= 0.0 {
                        // At its turn, a swing is a little wider than the step shows.
                        assert!(
                            swing <= widest * 1.001 + 1.0e-9,
                            "{area} m², {dt_s} s, {length} m: {swing} after {widest}"
                        );
                        (widest, swing) = (swing, 0.0);
                    }
                    swing = if rise.abs() > swing { rise.abs() } else { swing };
                }
                let (left, slow) = ((ends[0] - ends[1]).abs(), dt_s < 0.1 || area > 1000.0);
                assert!(left < 0.03 || slow, "{area} m², {dt_s} s, {length} m: {left}");
            }
        }
    }
}
