//! The report in windows of fixed sizes, light and dark, with and without scripts, and by keyboard.
//!
//! Goal: nothing lies over anything else, nothing leaves its place, nothing is out of reach.
//! Method: the page itself measures its boxes, in windows from 390 to 1920 pixels wide. A
//!         picture of the whole page would not do: to take it the window is resized, which mends
//!         what is wrong.

use std::path::PathBuf;

use flood_preview::outcome::{FloodOutcome, GaugeRecord, Observed, ObservedQuantity};
use flood_preview::output::write_all;
use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::holds;

use crate::browser::{Browser, Window};
use crate::synthetic::{self, Size};

const SIZES: [(u32, u32); 5] = [(1000, 800), (1280, 900), (1366, 768), (1920, 1080), (390, 844)];

/// Measures boxes; gives a sentence for each that is wrong.
const MEASURE: &str = include_str!("measure.js");

/// A run with six gauges, two of them side by side, and long names; and its report.
fn report() -> (FloodOutcome, TempDir, PathBuf) {
    let mut outcome = synthetic::run(Size { width: 120, height: 80, frames: 5 });
    let first = outcome.gauges[0].clone();
    for (name, dx, dy) in [
        ("Market square, in front of the town hall", 20.0, 0.0),
        ("East rim", 835.0, 60.0),
        ("Weir", 30.0, -15.0),
        ("Railway underpass", 230.0, -210.0),
    ] {
        let gauge =
            GaugeRecord { name: name.into(), x: first.x + dx, y: first.y + dy, ..first.clone() };
        outcome.gauges.push(gauge);
    }
    let points = (0..=60).map(|at| (60.0 * f64::from(at), 1.0 + f64::from(at) / 30.0)).collect();
    let measured = ObservedQuantity::Depth;
    outcome.gauges[0].observed = Some(Observed { measured, path: "bridge.csv".into(), points });
    let points = vec![(0.0, 300.0), (1800.0, 302.5), (3600.0, 301.0)];
    let measured = ObservedQuantity::Stage;
    outcome.gauges[2].observed = Some(Observed { measured, path: "market.csv".into(), points });
    outcome.notes.push("inflow `river` was moved to the nearest ground".into());
    let folder = tempfile::tempdir().expect("temporary folder");
    write_all(&outcome, folder.path()).expect("writable");
    let page = folder.path().join("report.html");
    (outcome, folder, page)
}

fn windows() -> impl Iterator<Item = Window> {
    let modes = [(false, true), (true, true), (false, false), (true, false)];
    SIZES.into_iter().flat_map(move |size| {
        modes.map(|(is_dark, has_scripts)| Window { size, is_dark, has_scripts })
    })
}

#[test]
fn nothing_lies_over_anything_else() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, _folder, page) = report();
    for window in windows() {
        browser.open(&page, "", window);
        if window.has_scripts {
            // The edge that no water crossed has none.
            assert_eq!(browser.evaluate("document.querySelectorAll('.chart').length"), 11);
            browser.wait_for("document.querySelectorAll('.mark span:not(.crowded)').length > 2");
        }
        assert_eq!(browser.evaluate(MEASURE), json!([]), "{window:?}");
    }
}

/// A window that is made narrower and wider again after the page was drawn.
#[test]
fn charts_follow_the_window() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, _folder, page) = report();
    browser.open(&page, "", Window { size: (1600, 1000), is_dark: false, has_scripts: true });
    for (width, height) in [(390, 844), (1280, 900)] {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1,
            "mobile": false});
        browser.call("Emulation.setDeviceMetricsOverride", metrics);
        browser.wait_for(&format!("innerWidth === {width}"));
        // Letters keep their size: the view box is as wide as the chart.
        browser.wait_for(
            "[...document.querySelectorAll('.chart')].every((chart) => Math.abs(
                chart.viewBox.baseVal.width - chart.getBoundingClientRect().width) < 1.5)",
        );
        assert_eq!(browser.evaluate(MEASURE), json!([]), "{width}");
    }
}

#[test]
fn without_scripts_there_are_numbers_pictures_and_ledger() {
    let Some(mut browser) = Browser::start() else { return };
    let (outcome, _folder, page) = report();
    browser.open(&page, "", Window { size: (1280, 900), is_dark: false, has_scripts: false });
    browser.wait_for("[...document.images].length === 4");
    browser.wait_for("[...document.images].every((image) => image.naturalWidth > 700)");
    let text = browser.evaluate("document.body.innerText");
    let text = text.as_str().expect("text");
    holds(
        text,
        &[
            "were flooded, the first of it after",
            "was not measured",
            "All 3 limits and notes",
            "Flooded area",
            "Fast flow",
            "99 % of the flooded ground is slower",
            "3. Market square, in front of the town hall",
            "balanced to the unit",
            "123\u{202f}456\u{202f}789\u{202f}012\u{202f}345\u{202f}678",
            "80.00 m³/s at 30 min",
            "Inflow `river` was moved to the nearest ground.",
            &outcome.command,
        ],
    );
    assert!(!text.contains("At the pointer"), "what needs a script is not shown: {text}");
}

#[test]
fn everything_is_reached_by_keyboard() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, _folder, page) = report();
    browser.open(&page, "", Window { size: (1000, 800), is_dark: false, has_scripts: true });
    let focusable = "[...document.querySelectorAll('a, button, input, [tabindex]')]
        .filter((element) => element.checkVisibility())";
    let count = browser.evaluate(&format!("{focusable}.length")).as_u64().expect("a number");
    assert!(count >= 32, "{count}");
    browser.evaluate(
        "window.reached = new Set(), document.addEventListener('focusin',
        ({ target }) => window.reached.add(target)), null",
    );
    for _ in 0..count {
        browser.press("Tab");
    }
    let missed = format!(
        "{focusable}.filter((element) => !window.reached.has(element))
        .map((element) => element.outerHTML.slice(0, 80))"
    );
    assert_eq!(browser.evaluate(&missed), json!([]));

    browser.evaluate("document.getElementById('view').focus()");
    browser.press("ArrowRight");
    let said = "document.getElementById('said').textContent";
    let first = browser.evaluate(said);
    assert!(
        first.as_str().is_some_and(|text| text.contains("East") && text.contains("depth")),
        "{first}"
    );
    browser.press("ArrowRight");
    assert_ne!(browser.evaluate(said), first);
    browser.press("+");
    browser.wait_for("document.getElementById('sheet').style.transform.includes('scale(1.6)')");
    browser.press("Enter");
    browser.wait_for("document.querySelector('#history .chart') !== null");
    browser.press("0");
    browser.wait_for("document.getElementById('sheet').style.transform.includes('scale(1)')");

    browser.evaluate("document.querySelector('#gauges .chart').focus()");
    let reading = "document.querySelector('#gauges output').textContent";
    let rest = browser.evaluate(reading);
    assert!(rest.as_str().is_some_and(|text| text.starts_with("peak")), "{rest}");
    browser.press("ArrowRight");
    assert_ne!(browser.evaluate(reading), rest);
}

/// Goal: the slider stands where its label says, at the end of a whole run and at a moment of the
/// depth. Method: a flood that is largest in the middle, where the depth is shown first.
#[test]
fn the_slider_stands_where_its_label_says() {
    let Some(mut browser) = Browser::start() else { return };
    let mut outcome = synthetic::run(Size { width: 120, height: 80, frames: 5 });
    outcome.frames.swap(2, 4);
    let (late, early) = (outcome.frames[2].time_s, outcome.frames[4].time_s);
    (outcome.frames[2].time_s, outcome.frames[4].time_s) = (early, late);
    let folder = tempfile::tempdir().expect("temporary folder");
    write_all(&outcome, folder.path()).expect("writable");
    let page = folder.path().join("report.html");
    browser.open(&page, "", Window { size: (1280, 900), is_dark: false, has_scripts: true });
    let shown = "['moment', 'clock'].map((id) => document.getElementById(id))
        .map(({ value, textContent }) => value ?? textContent)";
    assert_eq!(browser.evaluate(shown), json!(["4", "whole run"]));
    browser.evaluate("document.querySelector('#layers button:last-child').click()");
    browser.wait_for("document.documentElement.dataset.layer === 'depth'");
    assert_eq!(browser.evaluate(shown), json!(["2", "30 min"]));
}

/// A figure of the summary leads to its place.
#[test]
fn the_summary_leads_to_the_map() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, _folder, page) = report();
    browser.open(&page, "", Window { size: (1280, 900), is_dark: true, has_scripts: true });
    browser.evaluate("document.querySelector('.facts button[data-layer=max_speed]').click()");
    browser.wait_for("document.documentElement.dataset.layer === 'max_speed'");
    browser.wait_for("document.querySelector('.mark.pin') !== null");
    let inside = "(() => { const at = (e) => e.getBoundingClientRect();
        const pin = at(document.querySelector('.mark.pin'));
        const view = at(document.getElementById('view'));
        return pin.left > view.left && pin.left < view.right && pin.top > view.top
            && pin.top < view.bottom && view.top > -view.height / 2; })()";
    browser.wait_for(inside);
}

/// Maps, charts, buttons and tables have names for a screen reader.
#[test]
fn everything_has_a_name() {
    let Some(mut browser) = Browser::start() else { return };
    let (_, _folder, page) = report();
    browser.open(&page, "", Window { size: (1280, 900), is_dark: false, has_scripts: true });
    let tree = browser.call("Accessibility.getFullAXTree", json!({}));
    let nodes = tree["nodes"].as_array().expect("nodes");
    let role = |node: &Value| node["role"]["value"].as_str().unwrap_or("").to_owned();
    let shown = |node: &&Value| node["ignored"] != json!(true);
    let named = ["image", "application", "button", "slider", "region", "columnheader", "rowheader"];
    let is_named = |role: &str| named.contains(&role);
    let mut counts = 0;
    for node in nodes.iter().filter(shown).filter(|node| is_named(&role(node))) {
        let name = node["name"]["value"].as_str().unwrap_or("");
        assert!(!name.trim().is_empty(), "{node}");
        counts += 1;
    }
    assert!(counts > 50, "{counts}");
    let name_of = |wanted: &str| {
        let mut found = nodes.iter().filter(shown).filter(|node| role(node) == wanted);
        found.find_map(|node| node["name"]["value"].as_str()).unwrap_or("").to_owned()
    };
    assert_eq!(name_of("application"), "Map: Maximum depth");
    let images: Vec<&str> = nodes
        .iter()
        .filter(|node| role(node) == "image")
        .filter_map(|node| node["name"]["value"].as_str())
        .collect();
    assert!(images.iter().any(|name| name.starts_with("Bridge: Depth over 1 h")), "{images:?}");
}
