//! Names come from files: no error of the library carries what a terminal obeys.

use crate::actions::disc;
use crate::support::{pipe, two_basins};
use thalweg::world::{Action, Barrier, Culvert, Discharge, Inflow, InflowPlace};
use thalweg_engine::units::plain::is_obeyed;

/// Clears the screen, sets the title, forges a line, turns the direction of writing.
pub const HOSTILE: &str = "a\u{1b}[2J\u{1b}]0;b\u{7}\n\u{9b}1m\u{202e}\u{2066}\u{7f}\r\u{85}c";

/// Goal: every refusal that says a name says it in one line that a terminal only shows.
#[test]
fn errors_show_names_and_a_terminal_obeys_none() {
    let name = || HOSTILE.to_owned();
    let wall = |crest_m| Barrier::wall(HOSTILE, vec![[50.0, 0.0], [50.0, 50.0]], crest_m);
    let mut world = two_basins()
        .tracer(HOSTILE, |_| 0.0)
        .barrier(wall(2.0))
        .link(Culvert { name: name(), ..pipe(1.0) })
        .build()
        .expect("names are free");
    let inflow = |tracer: String, rate| Inflow {
        name: "x\u{202e}".to_owned(),
        place: InflowPlace::Point([12.0, 12.0]),
        discharge: Discharge::Constant(rate),
        tracers: vec![(tracer, 0.5)],
    };
    world.edits().act(Action::PutInflow(inflow(name(), 1.0))).expect("good");
    let unknown = || "?\u{1b}c\n".to_owned();
    let colour = |tracer, concentration| Action::ColourWater {
        area: disc([20.0, 20.0], 9.0),
        tracer,
        concentration,
    };
    let refused = [
        Action::RemoveBarrier { name: unknown() },
        Action::RemoveLink { name: unknown() },
        Action::RemoveInflow { name: unknown() },
        Action::PutBarrier(wall(f64::NAN)),
        Action::PutLink(Culvert { name: name(), ..pipe(-1.0) }.into()),
        Action::PutLink(Culvert { name: "p\u{9b}".to_owned(), ..pipe(0.0) }.into()),
        Action::PutInflow(inflow(unknown(), 1.0)),
        Action::PutInflow(inflow(name(), f64::NAN)),
        Action::PutInflow(inflow(name(), -1.0)),
        colour(unknown(), 0.5),
        colour(name(), 2.0),
    ];
    for action in refused {
        let reason = world.edits().act(action.clone()).expect_err("refused");
        let said = reason.to_string();
        assert!(!said.chars().any(is_obeyed), "{action:?}: {said:?}");
    }
    let twice = two_basins().tracer(HOSTILE, |_| 0.0).tracer(HOSTILE, |_| 0.0);
    let unknown = two_basins().tracer_source(HOSTILE, HOSTILE, 0.5);
    for builder in [twice, unknown, two_basins().barrier(wall(f64::NAN))] {
        let said = builder.build().expect_err("refused").to_string();
        assert!(said.contains('a') && !said.chars().any(is_obeyed), "{said:?}");
    }
}
