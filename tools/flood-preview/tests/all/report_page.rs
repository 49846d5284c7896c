//! The report in a real browser: what the page decodes, draws and says, against the run.
//!
//! Runs where Chromium is; says `skipped: no chromium` elsewhere.

use flood_preview::outcome::{
    CellBefore, DepthFrame, FloodOutcome, MappedRock, Observed, ObservedQuantity, WaterBelow,
};
use flood_preview::output::write_all;
use kit::picture::colours::DEPTHS_M;
use testkit::holds;

use crate::browser::{Browser, Window};
use crate::synthetic::{self, Size};

const WINDOW: Window = Window { size: (1280, 900), is_dark: false, has_scripts: true };

/// Writes `outcome`, opens its report with a probe at a cell of a frame, and compares all it says.
fn check(
    browser: &mut Browser,
    outcome: &FloodOutcome,
    (column, row): (usize, usize),
    frame: usize,
) {
    let folder = tempfile::tempdir().expect("temporary folder");
    write_all(outcome, folder.path()).expect("writable");
    let fragment = format!("probe={column},{row}@{frame}");
    browser.open(&folder.path().join("report.html"), &fragment, WINDOW);
    let dom = browser.evaluate("document.documentElement.outerHTML");
    let dom = dom.as_str().expect("text");
    let said = browser.evaluate("({ ...document.documentElement.dataset })");
    let text = |name: &str| said[name].as_str().unwrap_or("missing");
    assert_eq!(text("state"), "ready", "{said:?}");
    assert_eq!(text("frames"), outcome.frames.len().to_string(), "{said:?}");
    assert_eq!(text("gauges"), outcome.gauges.len().to_string(), "{said:?}");
    assert_eq!(text("barriers"), outcome.barriers.len().to_string(), "{said:?}");
    if let [barrier] = &*outcome.barriers {
        assert_eq!(dom.matches("Levee &lt;b&gt;west&lt;/b&gt;</").count(), 3, "map, table, chart");
        assert!(dom.contains("80.00 m³/s at 30 min") && dom.contains("25 min"), "{barrier:?}");
    }
    assert_eq!(text("links"), outcome.links.len().to_string(), "{said:?}");
    if outcome.links.len() == 2 {
        assert_eq!(dom.matches("Mill &lt;i&gt;race&lt;/i&gt;</").count(), 3, "map, table, chart");
        holds(dom, &["−1.25 m³/s at 0 s", "10 min", "<td>drain</td>", "4\u{202f}500 m³"]);
        assert_eq!(dom.matches("mark end").count(), 3, "two ends and a drain");
    }
    let lines = outcome.barriers.len() + usize::from(!outcome.links.is_empty());
    let lines = lines + outcome.rocks.len() + outcome.sections.len();
    assert_eq!(dom.matches("<polyline").count(), 2 * lines, "each with its rim");
    if !outcome.sections.is_empty() {
        holds(dom, &["2.20 m³/s at 1 h", "4\u{202f}000 m³", "east edge</th>"]);
    }
    assert_eq!(text("balance"), outcome.ledger.balance().to_string());
    assert_eq!(text("layer"), "depth");

    let shown = &outcome.frames[frame];
    let factor = outcome.grid.width.div_ceil(shown.width);
    let depth = shown.depth_m[row / factor * shown.width + column / factor];
    near(text("probeDepth"), depth, 0.0051);
    let time: f64 = text("probeTime").parse().expect("a number");
    assert!((time - shown.time_s).abs() < 1.0e-6, "{time}");
    if factor == 1 {
        let cell = row * outcome.grid.width + column;
        near(text("probeBed"), outcome.bed_m[cell], 0.0051);
        near(text("probeMaxDepth"), outcome.max_depth_m[cell], 0.0051);
        near(text("probeMaxSpeed"), outcome.max_speed_m_s[cell], 0.0051);
        near(text("probeHazard"), outcome.hazard_m2_s[cell], 0.0051);
        near(text("probeArrival"), outcome.arrival_s[cell], 1.0);
    }
    check_colour(text("probeColour"), depth);
    if outcome.gauges.len() == 2 {
        assert!(dom.contains("Mill \"&lt;script&gt;alert(1)&lt;/script&gt;\" &amp; weir</h3>"));
    }
}

/// The canvas is blue where the water is deep, grey where it is dry.
fn check_colour(text: &str, depth: f32) {
    let parts: Vec<i32> = text.split(',').filter_map(|part| part.parse().ok()).collect();
    let &[red, _, blue] = parts.as_slice() else {
        panic!("no colour: {text}");
    };
    assert_eq!(blue - red > 40, depth >= 0.1, "{text} at a depth of {depth} m");
}

#[track_caller]
fn near(text: &str, expected: f32, within: f32) {
    match text.parse::<f32>() {
        Ok(value) => assert!((value - expected).abs() <= within, "{value}, not {expected}"),
        Err(_) => assert!(text == "none" && expected.is_nan(), "{text}, not {expected}"),
    }
}

#[test]
fn the_page_shows_the_run() {
    let Some(mut browser) = Browser::start() else { return };
    let size = Size { width: 120, height: 80, frames: 7 };
    let outcome = synthetic::run(size);
    let deepest = (0..size.width * size.height)
        .filter(|&cell| !outcome.bed_m[cell].is_nan())
        .max_by(|a, b| outcome.max_depth_m[*a].total_cmp(&outcome.max_depth_m[*b]))
        .expect("water");
    let deepest = (deepest % size.width, deepest / size.width);
    check(&mut browser, &outcome, deepest, 3);
    check(&mut browser, &outcome, (60, 2), 6); // a dry hill: the water never came
}

/// Goal: a bridge and a tunnel are drawn with their names, and the water below them is hatched.
/// Method: 1.5 m below every cell of a dry world; every other stripe is blue.
#[test]
fn the_page_shows_water_below_a_deck() {
    let Some(mut browser) = Browser::start() else { return };
    for (width, height) in [(120, 80), (1000, 30)] {
        let whole = synthetic::run(Size { width, height, frames: 1 });
        let grid = whole.grid.clone();
        let at = |x: f64| [grid.west + x, grid.north - 100.0];
        let rock = |kind, name, deck_m| {
            MappedRock::new(kind, name, vec![at(100.0), at(700.0)], deck_m, &grid)
        };
        let rocks = vec![
            rock("tunnel", "Under <i>all</i>", None),
            rock("bridge", "Over <i>all</i>", Some(30.0)),
        ];
        let plane = |value: f32| vec![value; width * height];
        let below = Some(WaterBelow { max_depth_m: plane(1.5), max_stage_m: plane(301.5) });
        let (bed_m, max_depth_m) = (plane(300.0), plane(0.0));
        let outcome = FloodOutcome { rocks, below, bed_m, max_depth_m, ..whole };
        let folder = tempfile::tempdir().expect("temporary folder");
        write_all(&outcome, folder.path()).expect("writable");
        let page = folder.path().join("report.html");
        browser.open(&page, &format!("layer=max_depth&probe={},20", width / 2), WINDOW);
        let dom = browser.evaluate("document.documentElement.outerHTML");
        let dom = dom.as_str().expect("text");
        let said = browser.evaluate("({ ...document.documentElement.dataset })");
        assert_eq!((&said["state"], &said["layer"]), (&"ready".into(), &"max_depth".into()));
        near(said["probeBelow"].as_str().expect("a depth"), 1.5, 0.0051);
        let words = ["Under &lt;i&gt;all&lt;/i&gt;</", "Over &lt;i&gt;all&lt;/i&gt;</"];
        holds(dom, &words);
        let keys =
            ["Hatched: below a deck", "Deck of a bridge</", "Tunnel</", "below the ground</"];
        holds(dom, &keys);
        let blue = browser.evaluate(
            "(() => { const map = document.getElementById('map'); const { data } = \
             map.getContext('2d').getImageData(0, map.height >> 1, map.width, 1); let blue = 0; \
             for (let at = 0; at < data.length; at += 4) blue += data[at + 2] - data[at] > 40; \
             return blue / map.width; })()",
        );
        let blue = blue.as_f64().expect("a part");
        assert!((blue - 0.5).abs() < 0.02, "{blue} of the middle row of {width} cells is blue");
    }
}

/// Goal: all maps and each moment show water before the event in its colour, with its key, and the
/// flood beside it in its classes.
/// Method: deep and dangerous water everywhere, that of the west before the event; one cell a pixel
/// and several.
#[test]
fn the_page_shows_water_before_the_event() {
    let Some(mut browser) = Browser::start() else { return };
    for (width, height) in [(120, 80), (1000, 30)] {
        let plane = |value: f32| vec![value; width * height];
        let is_west = |cell: usize| cell % width < width / 2;
        let state = |cell| if is_west(cell) { CellBefore::Start } else { CellBefore::Dry };
        let outcome = FloodOutcome {
            before: (0..width * height).map(state).collect(),
            bed_m: plane(300.0),
            max_depth_m: plane(2.0),
            max_speed_m_s: plane(1.5),
            hazard_m2_s: plane(4.0),
            arrival_s: plane(60.0),
            frames: vec![DepthFrame::reduced(0.0, (width, height), &plane(1.5), &DEPTHS_M)],
            ..synthetic::run(Size { width, height, frames: 1 })
        };
        let folder = tempfile::tempdir().expect("temporary folder");
        write_all(&outcome, folder.path()).expect("writable");
        let page = folder.path().join("report.html");
        for layer in ["max_depth", "max_speed", "hazard", "arrival", "depth"] {
            for (column, is_before) in [(width / 4, true), (3 * width / 4, false)] {
                browser.open(&page, &format!("layer={layer}&probe={column},20"), WINDOW);
                let dom = browser.evaluate("document.documentElement.outerHTML");
                let said = browser.evaluate("({ ...document.documentElement.dataset })");
                assert_eq!((&said["state"], &said["layer"]), (&"ready".into(), &layer.into()));
                let dom = dom.as_str().expect("text");
                holds(dom, &["Water before the event</"]);
                assert_eq!(dom.contains("under water</td>"), is_before, "{layer}");
                let colour = said["probeColour"].as_str().expect("a colour");
                let parts: Vec<f64> =
                    colour.split(',').filter_map(|part| part.parse().ok()).collect();
                let [red, green, blue] = parts[..] else { panic!("no colour: {colour}") };
                let own = [(red, 84.0), (green, 95.0), (blue, 106.0)];
                let is_grey = own.iter().all(|(part, own)| (0.85..1.03).contains(&(part / own)));
                assert_eq!(is_grey, is_before, "{layer} of {width} cells: {colour}");
            }
        }
    }
}

#[test]
fn the_page_shows_small_and_large_runs() {
    let Some(mut browser) = Browser::start() else { return };
    let sized = |width, height, frames| synthetic::run(Size { width, height, frames });
    check(&mut browser, &sized(3, 2, 1), (0, 1), 0);
    let whole = sized(1000, 30, 2);
    let (gauges, barriers, links) = (Vec::new(), Vec::new(), Vec::new());
    let no_gauges = FloodOutcome { gauges, barriers, links, ..whole };
    check(&mut browser, &no_gauges, (503, 15), 1); // reduced by 2
}

/// Goal: an observed series lies over the simulated one of its quantity, with a legend.
#[test]
fn the_page_lays_an_observed_series_over_the_simulated_one() {
    let Some(mut browser) = Browser::start() else { return };
    let mut outcome = synthetic::run(Size { width: 60, height: 40, frames: 2 });
    let points = vec![(0.0, 0.2), (900.0, 6.5), (3600.0, 0.3)];
    let measured = ObservedQuantity::Depth;
    outcome.gauges[0].observed = Some(Observed { measured, path: "a.csv".into(), points });
    let folder = tempfile::tempdir().expect("temporary folder");
    write_all(&outcome, folder.path()).expect("writable");
    browser.open(&folder.path().join("report.html"), "", WINDOW);
    let chart = "document.querySelector('#gauges > div')";
    let text = browser.evaluate(&format!("{chart}.innerText"));
    let text = text.as_str().expect("text");
    holds(text, &["simulated", "observed", "observed 6.50 m at 15 min", "8"]);
    // The peak of the readings is above all simulated values, and both are within the chart.
    let tops = browser.evaluate(&format!(
        "(() => {{ const box = (name) => {chart}.querySelector(name).getBBox(); \
         return [box('.chart .observed').y, box('.line').y, box('.grid').y, \
         {chart}.querySelectorAll('.reading').length]; }})()"
    ));
    let number = |index: usize| tops[index].as_f64().expect("a number");
    assert!(number(0) < number(1) && number(0) > 0.0 && (number(3) - 3.0).abs() < 0.1, "{tops}");
    browser.evaluate("document.querySelector('[data-key=stage_m]').click()");
    let text = browser.evaluate(&format!("{chart}.innerText"));
    holds(text.as_str().expect("text"), &["under depth"]);
}

/// Goal: the map has the colours of a backdrop where it is dry, and without it those of the relief
/// alone. Method: a basin that stays dry, its western half red.
#[test]
fn the_page_shows_and_hides_a_backdrop() {
    let Some(mut browser) = Browser::start() else { return };
    let basin = testkit::grid((40, 30), 10.0, |_, _| "5");
    let folder = testkit::folder(&[
        ("dem.asc", basin),
        ("a.pgw", "200\n0\n0\n-300\n1100\n2150\n".to_owned()),
    ]);
    let file = std::fs::File::create(folder.path().join("a.png")).expect("writable");
    let mut encoder = png::Encoder::new(file, 2, 1);
    encoder.set_color(png::ColorType::Rgb);
    let pixels = [255, 0, 0, 255, 255, 255];
    encoder.write_header().and_then(|mut png| png.write_image_data(&pixels)).expect("a PNG");
    let program = testkit::Program(env!("CARGO_BIN_EXE_flood-preview"));
    let options = "dem.asc --rain 1mm/h --for 1min --frames 1 --backdrop a.png";
    program.said(folder.path(), options);
    browser.open(&folder.path().join("flood-preview-out/report.html"), "", WINDOW);
    let pixel = "(part) => { const map = document.getElementById('map'); \
                 const x = Math.round(part * map.width); return [...map.getContext('2d')\
                 .getImageData(x, map.height >> 1, 1, 1).data]; }";
    let mut shown = |part: f64| {
        let colour = browser.evaluate(&format!("({pixel})({part})"));
        [0, 1, 2].map(|index| colour[index].as_i64().expect("a colour"))
    };
    let (west, east) = (shown(0.25), shown(0.75));
    assert!(west[0] - west[1] > 80 && (west[1] - west[2]).abs() < 6, "{west:?}");
    assert!((east[0] - east[2]).abs() < 12 && east[0] == west[0], "{east:?}");
    browser.evaluate("document.getElementById('backdrop').click()");
    browser.wait_for(&format!("(({pixel})(0.25)).join() === ({pixel})(0.75).join()"));
}
