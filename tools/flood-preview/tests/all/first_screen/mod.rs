//! The first screen of the report: the answer and the whole map, in windows of fixed sizes, on
//! paper and while finer levels follow.

use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use flood_preview::outcome::{Coarse, FloodOutcome, RunLevel};
use flood_preview::output::stand::RunProgress;
use flood_preview::output::{write_all, write_on_the_way};
use serde_json::json;
use tempfile::TempDir;
use testkit::holds;

use crate::browser::{Browser, Window};
use crate::synthetic::{self, Size};

fn run(width: usize, height: usize) -> FloodOutcome {
    let level = |cell_m, shared| RunLevel {
        cell_m,
        times: cell_m / 40.0,
        wall_s: 1.0,
        flooded: 900,
        shared,
    };
    FloodOutcome {
        coarse: Some(Coarse { cell_m: 40.0, words: "Simulated in cells of 40 m.".into() }),
        levels: vec![level(160.0, None), level(40.0, Some(0.849))],
        ..synthetic::run(Size { width, height, frames: 5 })
    }
}

/// The report of an outcome, of a run that goes on or that is done.
fn report(outcome: &FloodOutcome, is_going_on: bool) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("temporary folder");
    let written = match is_going_on {
        true => write_on_the_way(
            &mut outcome.clone(),
            (folder.path(), RunProgress::Finer(None)),
            |_| {},
        ),
        false => write_all(outcome, folder.path()),
    };
    written.expect("writable");
    let page = folder.path().join("report.html");
    (folder, page)
}

fn window(width: u32, height: u32, is_dark: bool) -> Window {
    Window { size: (width, height), is_dark, has_scripts: true }
}

/// Selectors of the parts that must be seen at once and are not.
const UNSEEN: &str = "['.answer', '#layers', '#player', '#view', '#legend', '#north', '#scale']
    .filter((part) => { const box = document.querySelector(part).getBoundingClientRect();
        return !(box.width > 0 && box.top >= 0 && box.left >= 0 && box.bottom <= innerHeight
            && box.right <= innerWidth); })";

/// Goal: the sentences, and the whole map with its legend, buttons, scale bar and north arrow, are
/// on the first screen, for maps of any shape; cards and limits come after it.
#[test]
fn the_first_screen_has_the_answer_and_the_whole_map() {
    let Some(mut browser) = Browser::start() else { return };
    for (columns, rows) in [(120, 80), (60, 120), (200, 50)] {
        let mut outcome = run(columns, rows);
        outcome.gauges.truncate(1);
        let (_folder, page) = report(&outcome, false);
        for (width, height) in [(1366, 768), (1920, 1080)] {
            for is_dark in [false, true] {
                browser.open(&page, "", window(width, height, is_dark));
                assert_eq!(browser.evaluate(UNSEEN), json!([]), "{columns} × {rows} on {width}");
                let shown = browser.evaluate("document.querySelector('.answer').innerText");
                let shown = shown.as_str().expect("text");
                holds(
                    shown,
                    &[
                        "were flooded, the first of it after",
                        "; the deepest water, ",
                        "Cells of 160 m and of 40 m agree on 84 % of the ground",
                        "streets narrower than 40 m are the least sure; walls, culverts",
                        "All 4 limits and notes",
                    ],
                );
                // The map is as large as one of its sides lets it be.
                let used = "(() => { const [view, sheet] = ['view', 'sheet'].map((id) =>
                    document.getElementById(id).getBoundingClientRect());
                    return Math.max(sheet.width / view.width,
                        sheet.height / (innerHeight - view.top)); })()";
                let used = browser.evaluate(used).as_f64().expect("a part");
                assert!(used > 0.9, "{columns} × {rows} on {width}: {used}");
            }
        }
    }
}

/// Goal: on a telephone the sentences come first, then the map in the full width.
#[test]
fn a_telephone_has_the_sentences_and_the_map_below() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, page) = report(&run(120, 80), false);
    browser.open(&page, "", window(390, 844, false));
    let placed = browser.evaluate(
        "(() => { const box = (part) => document.querySelector(part).getBoundingClientRect();
        const [answer, view, sheet] = ['.answer', '#view', '#sheet'].map(box);
        return [answer.bottom < view.top, answer.bottom < 600, sheet.width > 340,
            box('.facts').top > view.bottom, document.documentElement.scrollWidth]; })()",
    );
    assert_eq!(placed, json!([true, true, true, true, 390]));
}

/// Goal: warnings and the line of a run that goes on are on the first screen with all the rest; the
/// link leads to the list of limits.
#[test]
fn warnings_are_on_the_first_screen() {
    let Some(mut browser) = Browser::start() else { return };
    let mut outcome = FloodOutcome { interrupted: true, ..run(120, 80) };
    outcome.ledger.stored += 1;
    let (_folder, page) = report(&outcome, true);
    browser.open(&page, "", window(1366, 768, false));
    browser.evaluate("document.getElementById('stay').click()");
    assert_eq!(browser.evaluate(UNSEEN), json!([]));
    let lowest = "Math.max(...[...document.querySelectorAll('.level, #answer .warning')]
        .map((part) => part.getBoundingClientRect().bottom)) < 200";
    assert_eq!(browser.evaluate(lowest), json!(true));
    let text = browser.evaluate("document.body.innerText");
    holds(
        text.as_str().expect("text"),
        &[
            "An answer so far, in cells of 40 m. Load the page anew for finer ones.",
            "The run was stopped after 1 h",
            "The books do not balance",
        ],
    );
    let listed = browser.evaluate("document.querySelectorAll('#limits li').length");
    assert_eq!(listed, json!(6), "two warnings, cells, agreement, note, walls");
    browser.evaluate("document.querySelector('.answer a').click()");
    browser.wait_for(
        "Math.abs(document.getElementById('limits').getBoundingClientRect().top) < innerHeight / 2",
    );
}

/// Goal: a page of a run that goes on is loaded anew, until its reader keeps it.
#[test]
fn a_page_is_loaded_anew_until_it_is_kept() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, page) = report(&run(120, 80), true);
    browser.open(&page, "", window(1366, 768, false));
    browser.evaluate("window.isFirst = true");
    // The page may not be asked while it goes.
    sleep(Duration::from_secs(4));
    browser.wait_for("document.documentElement?.dataset.state === 'ready'");
    assert_eq!(browser.evaluate("window.isFirst === undefined"), json!(true));
    browser.evaluate("window.isSecond = true; document.getElementById('stay').click()");
    sleep(Duration::from_secs(5));
    let kept = "window.isSecond === true && document.documentElement.dataset.renewal === 'ended'";
    assert_eq!(browser.evaluate(kept), json!(true));
    let (_folder, page) = report(&run(120, 80), false);
    browser.open(&page, "", window(1366, 768, false));
    assert_eq!(browser.evaluate("document.querySelector('.level')"), json!(null));
}

/// Goal: lines of whole coordinates are where the map has them, with their values.
#[test]
fn coordinates_are_those_of_the_map() {
    let Some(mut browser) = Browser::start() else { return };
    let mut outcome = run(120, 80);
    for (has_crs, east, north) in
        [(true, "380\u{202f}400 E", "3\u{202f}789\u{202f}600 N"), (false, "x 380\u{202f}400", "y")]
    {
        if !has_crs {
            (outcome.grid.crs, outcome.grid.unit) = (None, rasters::HorizontalUnit::Unknown);
        }
        let (_folder, page) = report(&outcome, false);
        browser.open(&page, "", window(1366, 768, false));
        let labels = browser.evaluate(
            "[...document.querySelectorAll('#graticule text')].map((text) => text.textContent)",
        );
        let labels: Vec<&str> =
            labels.as_array().expect("labels").iter().filter_map(|label| label.as_str()).collect();
        assert!(labels.contains(&east), "{labels:?}");
        assert!(labels.iter().any(|label| label.starts_with(north)), "{labels:?}");
        // 400 m of 1200 m from the west side, at any zoom.
        for zoom in ["null", "document.getElementById('closer').click()"] {
            browser.evaluate(&format!("{zoom}, null"));
            let off = browser.evaluate(
                "(() => { const label = [...document.querySelectorAll('#graticule text')]
                    .find((text) => text.textContent.includes('380\\u202f400'));
                const map = document.getElementById('map').getBoundingClientRect();
                const x = label.getBoundingClientRect().left - 3;
                return Math.abs((x - map.left) / map.width - 400 / 1200); })()",
            );
            let off = off.as_f64().expect("a distance");
            assert!(off < 0.01, "{zoom}: {off} of the width");
        }
    }
}

/// Goal: paper has the sentences, then the largest depth, figures and limits, and the other maps.
#[test]
fn paper_has_the_sentences_first_and_the_pictures() {
    let Some(mut browser) = Browser::start() else { return };
    let (_folder, page) = report(&run(120, 80), false);
    browser.open(&page, "", window(760, 1000, true));
    browser.call("Emulation.setEmulatedMedia", json!({"media": "print", "features": []}));
    browser.wait_for("document.images[3]?.getBoundingClientRect().width > 300");
    let order = browser.evaluate(
        "['.answer', 'figure:nth-child(1)', '.facts', '#limits', 'figure:nth-child(2)',
            'figure:nth-child(4)', '#gauges-card']
            .map((part) => document.querySelector(part).getBoundingClientRect().top)",
    );
    let order: Vec<f64> =
        order.as_array().expect("places").iter().filter_map(serde_json::Value::as_f64).collect();
    assert!(order.len() == 7 && order.is_sorted(), "{order:?}");
    let live =
        "[...document.querySelectorAll('.live, button')].some((part) => part.checkVisibility())";
    assert_eq!(browser.evaluate(live), json!(false));
}
