//! Presses and keys on a made-up world, without a window.

mod shown;

use super::*;
use crate::session::site::MapPlace;
use crate::session::{Figures, GaugeSeries, Inspected, LeafMark, LineKind, NamedPlace, PlaceKind};
use rasters::HorizontalUnit;
use std::sync::Arc;
use thalweg::probe::Window;
use thalweg::terrain::{Edit, Shape};
use thalweg::units::SimTime;
use thalweg::world::{Action, Amount, CellPlace};

pub(super) fn site() -> ViewerSite {
    ViewerSite {
        title: "A valley with a rather long name".into(),
        size_m: [1000.0, 700.0],
        finest_m: 5.0,
        base: 1,
        coarsest: 4,
        bed_m: [0.0, 20.0],
        tracers: vec!["dye".into()],
        file: None,
        map: Some(MapPlace {
            corner: [512_000.0, 181_400.0],
            per_m: [1.0; 2],
            unit: HorizontalUnit::Metre,
            step: 5.0,
        }),
    }
}

pub(super) fn state() -> ViewerState {
    let line = |name: &str, kind, y: f64, discharge_m3_s| StructureLine {
        name: name.into(),
        kind,
        points_m: vec![[300.0, y], [500.0, y]],
        elevations_m: vec![12.0],
        discharge_m3_s,
    };
    let place = |name: &str, kind, at_m| NamedPlace { name: name.into(), kind, at_m };
    let gauge = |name: &str, phase: f32| {
        let times_s: Vec<f32> = (0..600_u16).map(f32::from).collect();
        let wave = |t: &f32| 1.0 + (t / 80.0 + phase).sin();
        let (depth_m, speed_m_s) = times_s.iter().map(|t| (wave(t), wave(t) * 0.7)).unzip();
        Arc::new(GaugeSeries { name: name.into(), at_m: [0.0; 2], times_s, depth_m, speed_m_s })
    };
    let leaf = |level| {
        let (is_asleep, is_resident) = (false, true);
        LeafMark { corner_m: [0.0; 2], width_m: 640.0, level, is_asleep, is_resident }
    };
    ViewerState {
        number: 7,
        answered: 0,
        time: SimTime::from_seconds(4980.0),
        window: Window { level: 1, corner: CellPlace { x: 0, y: 0 }, width: 64, height: 64 },
        is_whole: true,
        patches: Vec::new(),
        looks: Default::default(),
        leaves: Arc::new((1..5).map(leaf).collect()),
        figures: Figures {
            stored_m3: 1.234e6,
            is_balanced: true,
            leaves: 120,
            awake: 34,
            is_running: true,
            speed: 10.0,
            reached_speed: 6.2,
            undos: 1,
            ..Figures::default()
        },
        lines: Arc::new(vec![
            line("dam 1", LineKind::Barrier, 300.0, 0.0),
            line("road culvert", LineKind::Link("culvert"), 330.0, 12.34),
        ]),
        places: Arc::new(vec![
            place("river", PlaceKind::Inflow, [700.0, 400.0]),
            place("bridge", PlaceKind::Gauge, [720.0, 405.0]),
            place("mill", PlaceKind::Gauge, [800.0, 200.0]),
        ]),
        bodies: Vec::new(),
        gauges: vec![gauge("bridge", 0.0), gauge("mill", 1.5)],
        inspected: Some(Inspected {
            at_m: [600.0, 300.0],
            bed_m: 6.0,
            depth_m: 1.5,
            stage_m: Some(7.5),
            velocity_m_s: [1.0, 1.0],
            level: 2,
            tile: [3, 4],
            is_asleep: false,
        }),
        moments_s: Arc::new(vec![0.0, 1800.0, 3600.0]),
        notices: Vec::new(),
        of_device: Vec::new(),
        broken: None,
    }
}

/// A window that shows one metre in a pixel from above; the ground rises eastward by 1 %.
struct Desk {
    site: ViewerSite,
    state: ViewerState,
    size_px: [f32; 2],
    pointer_px: [f32; 2],
    now_s: f64,
}

fn desk() -> Desk {
    let (site, state) = (site(), state());
    Desk { site, state, size_px: [1280.0, 720.0], pointer_px: [600.0, 400.0], now_s: 0.0 }
}

fn project([x, y, _]: [f64; 3]) -> [f32; 2] {
    [pen::px(x), pen::px(700.0 - y)]
}

fn elevation_m([x, _]: [f64; 2]) -> Option<f64> {
    (0.0..=1000.0).contains(&x).then_some(x / 100.0)
}

impl Desk {
    fn view(&self) -> DisplayView<'_> {
        let [x, y] = self.pointer_px.map(f64::from);
        let is_ground = x <= 1000.0 && y <= 700.0;
        DisplayView {
            size_px: self.size_px,
            site: &self.site,
            state: &self.state,
            metres_per_px: 1.0,
            pointer_px: self.pointer_px,
            pointer_m: is_ground.then_some([x, 700.0 - y]),
            project: &project,
            elevation_m: &elevation_m,
            fps: 60.0,
            frame_ms: 3.2,
            now_s: self.now_s,
        }
    }

    fn hud(&self) -> Hud {
        let mut hud = Hud::new(&self.site);
        hud.take(&self.state);
        hud.tick(&self.view());
        hud.compose(&self.view());
        hud
    }

    /// Presses at a place of the window.
    fn press(&mut self, hud: &mut Hud, at: [f32; 2]) -> Option<Vec<UserRequest>> {
        self.pointer_px = at;
        hud.compose(&self.view());
        hud.press(MouseButton::Left, &self.view())
    }

    fn key(&self, hud: &mut Hud, key: &str) -> Vec<UserRequest> {
        hud.key(&Key::Character(key.into()), ModifiersState::empty(), &self.view())
    }
}

/// The actions of requests, with their strokes.
fn actions(requests: &[UserRequest]) -> Vec<(&Action, u64)> {
    let action = |request| match request {
        &UserRequest::World(ViewerCommand::Act { ref action, stroke }) => (&**action, stroke),
        other => panic!("an action: {other:?}"),
    };
    requests.iter().map(action).collect()
}

#[test]
fn a_brush_acts_on_press_and_ten_times_a_second() {
    let mut desk = desk();
    let mut hud = desk.hud();
    desk.key(&mut hud, "3");
    let first = desk.press(&mut hud, [500.0, 300.0]).expect("for the display");
    let poured = actions(&first);
    let Action::AddWater { area: Shape::Disc { centre_m, .. }, amount: Amount::DepthM(depth_m) } =
        poured[0].0
    else {
        panic!("{poured:?}");
    };
    assert_eq!((poured.len(), poured[0].1), (1, 1));
    assert!((centre_m[0] - 500.0).abs() < 1.0e-6 && (centre_m[1] - 400.0).abs() < 1.0e-6);
    assert!(*depth_m > 0.0);
    // Not before its time.
    desk.now_s = 0.05;
    assert!(hud.tick(&desk.view()).is_empty());
    // Held still it goes on; moved far it leaves no gaps; all is one stroke.
    desk.now_s = 0.11;
    assert_eq!(hud.tick(&desk.view()).len(), 1);
    desk.now_s = 0.25;
    desk.pointer_px = [500.0 + 2.1 * pen::px(hud.hand.radius_m), 300.0];
    let far = hud.drag(&desk.view());
    assert_eq!(actions(&far).iter().map(|(_, stroke)| *stroke).collect::<Vec<_>>(), [1; 4]);
    assert!(hud.release(&desk.view()).is_empty());
    desk.now_s = 1.0;
    assert!(hud.tick(&desk.view()).is_empty(), "released");
    let again = desk.press(&mut hud, [500.0, 300.0]).expect("for the display");
    assert_eq!(actions(&again)[0].1, 2, "another press, another stroke");
}

#[test]
fn each_tool_asks_for_its_own() {
    let mut desk = desk();
    let mut hud = desk.hud();
    let at = [500.0, 300.0];
    assert!(desk.press(&mut hud, at).is_none(), "looking, the map is dragged");
    for (key, matches) in [
        (
            "1",
            (|action| matches!(action, Action::EditTerrain(Edit::Raise { .. })))
                as fn(&Action) -> bool,
        ),
        ("2", |action| matches!(action, Action::EditTerrain(Edit::Lower { .. }))),
        ("4", |action| matches!(action, Action::RemoveWater { .. })),
        ("8", |action| matches!(action, Action::ColourWater { tracer, .. } if tracer == "dye")),
        ("9", |action| matches!(action, Action::PutInflow(inflow) if inflow.name == "source 1")),
    ] {
        desk.key(&mut hud, key);
        let requests = desk.press(&mut hud, at).expect("for the display");
        let asked = actions(&requests);
        assert!(asked.len() == 1 && matches(asked[0].0), "{key}: {asked:?}");
        hud.release(&desk.view());
    }
    desk.key(&mut hud, "7");
    let requests = desk.press(&mut hud, at).expect("for the display");
    assert!(matches!(requests[..], [UserRequest::World(ViewerCommand::DropCrate { .. })]));
    desk.key(&mut hud, "0");
    let requests = desk.press(&mut hud, at).expect("for the display");
    assert!(matches!(requests[..], [UserRequest::World(ViewerCommand::PutGauge { .. })]));
}

#[test]
fn a_push_goes_where_the_pointer_goes() {
    let mut desk = desk();
    let mut hud = desk.hud();
    desk.key(&mut hud, "5");
    assert_eq!(desk.press(&mut hud, [500.0, 300.0]).map(|requests| requests.len()), Some(0));
    (desk.pointer_px, desk.now_s) = ([500.0, 290.0], 0.2);
    let requests = hud.drag(&desk.view());
    let asked = actions(&requests);
    let Action::PushWater { by_m_s: [east, north], .. } = asked[0].0 else { panic!("{asked:?}") };
    assert!(east.abs() < 1.0e-9 && *north > 0.0, "{east} {north}");
}

#[test]
fn a_dam_stands_above_what_is_along_it_and_has_a_name_of_its_own() {
    let mut desk = desk();
    let mut hud = desk.hud();
    desk.key(&mut hud, "6");
    let height_m = hud.hand.amount();
    assert_eq!(desk.press(&mut hud, [400.0, 300.0]).map(|requests| requests.len()), Some(0));
    desk.pointer_px = [600.0, 300.0];
    let requests = hud.release(&desk.view());
    let asked = actions(&requests);
    let Action::PutBarrier(barrier) = asked[0].0 else { panic!("{asked:?}") };
    assert_eq!(barrier.name, "dam 2", "there is a dam 1");
    assert!((barrier.crest_m[0] - (6.0 + height_m)).abs() < 0.011, "{:?}", barrier.crest_m);
    // A press alone is no dam, and says what to do.
    desk.press(&mut hud, [400.0, 300.0]);
    assert!(hud.release(&desk.view()).is_empty());
    hud.tick(&desk.view());
    let pen = hud.compose(&desk.view());
    let mut words = pen.words().flatten();
    assert!(words.any(|words| words.text.contains("Draw a dam")));
}

#[test]
fn what_is_nearest_is_removed_and_nothing_from_afar() {
    let mut desk = desk();
    let mut hud = desk.hud();
    desk.key(&mut hud, "x");
    let mut removed = |at| desk.press(&mut hud, at).expect("for the display");
    let dam = removed([350.0, 395.0]);
    assert!(matches!(actions(&dam)[0].0, Action::RemoveBarrier { name } if name == "dam 1"));
    let culvert = removed([500.0, 365.0]);
    assert!(
        matches!(actions(&culvert)[0].0, Action::RemoveLink { name } if name == "road culvert")
    );
    let river = removed([696.0, 300.0]);
    assert!(matches!(actions(&river)[0].0, Action::RemoveInflow { name } if name == "river"));
    assert!(removed([350.0, 600.0]).is_empty());
    assert!(removed([800.0, 500.0]).is_empty(), "a gauge stays");
}

#[test]
fn presses_on_buttons_and_panels_do_not_reach_the_world() {
    let mut desk = desk();
    let mut hud = desk.hud();
    let raise =
        hud.buttons.iter().find(|(_, command)| *command == KeyCommand::Take(HandTool::Raise));
    let area = raise.expect("a button").0;
    let requests = desk.press(&mut hud, [area.x + 5.0, area.y + 5.0]);
    assert_eq!((requests.map(|w| w.len()), hud.tool()), (Some(0), HandTool::Raise));
    // The strip has no button here.
    assert_eq!(desk.press(&mut hud, [540.0, 4.0]).map(|requests| requests.len()), Some(0));
    // Hidden, the world is below.
    desk.pointer_px = [area.x + 5.0, area.y + 5.0];
    hud.key(
        &Key::Named(ggez::winit::keyboard::NamedKey::Tab),
        ModifiersState::empty(),
        &desk.view(),
    );
    let requests = hud.press(MouseButton::Left, &desk.view()).expect("a brush");
    assert_eq!(actions(&requests).len(), 1);
    assert!(hud.press(MouseButton::Right, &desk.view()).is_none());
}

#[test]
fn moments_are_gone_to_by_press_and_by_key() {
    let mut desk = desk();
    let mut hud = desk.hud();
    let back = desk.key(&mut hud, ",");
    assert!(matches!(back[..], [UserRequest::World(ViewerCommand::GoTo(2))]), "{back:?}");
    assert!(desk.key(&mut hud, ";").is_empty(), "it is later than all");
    // A moment can be pressed where the pointer is near it.
    let y = desk.size_px[1] - 28.0;
    let gone = (0..1280_u16).step_by(10).find_map(|x| {
        let requests = desk.press(&mut hud, [f32::from(x), y])?;
        matches!(requests[..], [UserRequest::World(ViewerCommand::GoTo(1))]).then_some(x)
    });
    assert!(gone.is_some());
}

#[test]
fn a_cut_begins_in_the_middle_of_the_relief_and_goes_up_and_down() {
    let desk = desk();
    let mut hud = desk.hud();
    let mut asked = |key: &str| {
        let requests = desk.key(&mut hud, key);
        let [UserRequest::World(ViewerCommand::Cut(height_m))] = requests[..] else {
            panic!("{requests:?}")
        };
        let pen = hud.compose(&desk.view());
        let mut words = pen.words().flatten();
        let is_told = words.any(|words| words.text.starts_with("cut away above"));
        assert_eq!(is_told, height_m.is_some(), "after {key}");
        height_m
    };
    // Beds from 0 to 20 m.
    let heights = ["c", "u", "j", "j", "c", "c", "c", "j", "j"].map(&mut asked);
    let expected = [10.0, 10.5, 10.0, 9.5].map(Some);
    assert_eq!(heights[..4], expected);
    assert_eq!(heights[4..], [None, Some(9.5), None, Some(9.5), Some(9.0)]);
    // Below a plain the first cut is a step deep.
    let level = ViewerSite { bed_m: [7.0; 2], ..site() };
    let mut hud = Hud::new(&level);
    let requests = desk.key(&mut hud, "c");
    assert!(
        matches!(requests[..], [UserRequest::World(ViewerCommand::Cut(Some(6.0)))]),
        "{requests:?}"
    );
}

#[test]
fn the_inspector_tells_the_coordinates_of_the_map() {
    let mut desk = desk();
    let mut hud = desk.hud();
    desk.key(&mut hud, "i");
    desk.pointer_px = [600.0, 410.0];
    let pen = hud.compose(&desk.view());
    let mut words = pen.words().flatten();
    assert!(words.any(|words| words.text == "512600 E, 181700 N"));
}

#[test]
fn the_inspector_asks_as_the_pointer_moves() {
    let mut desk = desk();
    let mut hud = desk.hud();
    desk.key(&mut hud, "i");
    let asks = |requests: &[UserRequest]| {
        matches!(requests, [UserRequest::World(ViewerCommand::Inspect(Some(_)))])
    };
    assert!(asks(&hud.tick(&desk.view())));
    desk.now_s = 1.0;
    assert!(hud.tick(&desk.view()).is_empty(), "it has not moved");
    desk.pointer_px = [610.0, 400.0];
    assert!(asks(&hud.tick(&desk.view())));
    let requests = desk.key(&mut hud, "i");
    assert!(matches!(requests[..], [UserRequest::World(ViewerCommand::Inspect(None))]));
}
