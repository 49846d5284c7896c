//! The report in a real browser: what the page decodes, draws and says, against the run.
//!
//! Runs where Chromium is on the PATH (`chromium`, `chromium-browser`, `google-chrome`) or named
//! by the variable CHROMIUM; says `skipped: no chromium` elsewhere.

mod synthetic;

use std::collections::HashMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use flood_preview::outcome::Outcome;
use flood_preview::output::write_all;
use synthetic::Size;

fn chromium() -> Option<PathBuf> {
    if let Some(named) = env::var_os("CHROMIUM") {
        return Some(named.into());
    }
    let folders: Vec<PathBuf> = env::split_paths(&env::var_os("PATH")?).collect();
    let names = ["chromium", "chromium-browser", "google-chrome"];
    let mut places =
        names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    places.find(|place| place.is_file())
}

/// The page as the browser leaves it when its script is done.
fn rendered(browser: &Path, page: &Path, fragment: &str) -> String {
    let profile = tempfile::tempdir().expect("temporary folder");
    let mut profile_option = std::ffi::OsString::from("--user-data-dir=");
    profile_option.push(profile.path());
    let output = Command::new(browser)
        .args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--virtual-time-budget=20000",
            "--window-size=1280,900",
            "--dump-dom",
        ])
        .arg(profile_option)
        .arg(format!("file://{}#{fragment}", page.display()))
        .stdin(Stdio::null())
        .output()
        .expect("the browser starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The `data-` attributes of the page's root element.
fn attributes(dom: &str) -> HashMap<&str, &str> {
    let (_, rest) = dom.split_once("<html").expect("a page");
    let (root, _) = rest.split_once('>').expect("an element");
    root.split(" data-")
        .skip(1)
        .filter_map(|attribute| attribute.split_once("=\""))
        .map(|(name, value)| (name, value.trim_end().trim_end_matches('"')))
        .collect()
}

/// Writes `outcome`, opens its report with a probe at a cell of a frame, and compares all it says.
fn check(browser: &Path, outcome: &Outcome, (column, row): (usize, usize), frame: usize) {
    let folder = tempfile::tempdir().expect("temporary folder");
    write_all(outcome, folder.path()).expect("writable");
    let fragment = format!("probe={column},{row}@{frame}");
    let dom = rendered(browser, &folder.path().join("report.html"), &fragment);
    let said = attributes(&dom);
    let text = |name: &str| *said.get(name).unwrap_or(&"missing");
    assert_eq!(text("state"), "ready", "{said:?}");
    assert_eq!(text("frames"), outcome.frames.len().to_string(), "{said:?}");
    assert_eq!(text("gauges"), outcome.gauges.len().to_string(), "{said:?}");
    assert_eq!(text("barriers"), outcome.barriers.len().to_string(), "{said:?}");
    if let [barrier] = &*outcome.barriers {
        assert_eq!(dom.matches("Levee &lt;b&gt;west&lt;/b&gt;").count(), 3, "map, table, chart");
        assert!(dom.contains("80.00 m³/s at 30 min") && dom.contains("25 min"), "{barrier:?}");
    }
    assert_eq!(text("links"), outcome.links.len().to_string(), "{said:?}");
    if let [culvert, _] = &*outcome.links {
        assert_eq!(dom.matches("Mill &lt;i&gt;race&lt;/i&gt;").count(), 3, "map, table, chart");
        for words in ["−1.25 m³/s at 0 s", "10 min", "<td>drain</td>", "4\u{202f}500 m³"] {
            assert!(dom.contains(words), "no `{words}`: {culvert:?}");
        }
        assert_eq!(dom.matches("mark end").count(), 3, "two ends and a drain");
    }
    let lines = outcome.barriers.len() + usize::from(!outcome.links.is_empty());
    assert_eq!(dom.matches("<polyline").count(), 2 * lines, "each with its rim");
    assert_eq!(text("balance"), outcome.ledger.balance().to_string());
    assert_eq!(text("layer"), "depth");

    let shown = &outcome.frames[frame];
    let factor = outcome.grid.width.div_ceil(shown.width);
    let depth = shown.depth_m[row / factor * shown.width + column / factor];
    near(text("probe-depth"), depth, 0.0051);
    let time: f64 = text("probe-time").parse().expect("a number");
    assert!((time - shown.time_s).abs() < 1.0e-6, "{time}");
    if factor == 1 {
        let cell = row * outcome.grid.width + column;
        near(text("probe-bed"), outcome.bed_m[cell], 0.0051);
        near(text("probe-max-depth"), outcome.max_depth_m[cell], 0.0051);
        near(text("probe-max-speed"), outcome.max_speed_m_s[cell], 0.0051);
        near(text("probe-hazard"), outcome.hazard_m2_s[cell], 0.0051);
        near(text("probe-arrival"), outcome.arrival_s[cell], 1.0);
    }
    check_colour(text("probe-colour"), depth);
    if outcome.gauges.len() == 2 {
        assert!(dom.contains("Mill \"&lt;script&gt;alert(1)&lt;/script&gt;\" &amp; weir"));
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
    let Some(browser) = chromium() else {
        println!("skipped: no chromium");
        return;
    };
    let size = Size { width: 120, height: 80, frames: 7 };
    let outcome = synthetic::run(size);
    let deepest = (0..size.width * size.height)
        .filter(|&cell| !outcome.bed_m[cell].is_nan())
        .max_by(|a, b| outcome.max_depth_m[*a].total_cmp(&outcome.max_depth_m[*b]))
        .expect("water");
    let deepest = (deepest % size.width, deepest / size.width);
    check(&browser, &outcome, deepest, 3);
    check(&browser, &outcome, (60, 2), 6); // a dry hill: the water never came
}

#[test]
fn the_page_shows_small_and_large_runs() {
    let Some(browser) = chromium() else {
        println!("skipped: no chromium");
        return;
    };
    let sized = |width, height, frames| synthetic::run(Size { width, height, frames });
    check(&browser, &sized(3, 2, 1), (0, 1), 0);
    let whole = sized(1000, 30, 2);
    let (gauges, barriers, links) = (Vec::new(), Vec::new(), Vec::new());
    let no_gauges = Outcome { gauges, barriers, links, ..whole };
    check(&browser, &no_gauges, (503, 15), 1); // reduced by 2
}
