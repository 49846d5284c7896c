//! The first screen: the answer in three sentences (flooded place, depth and time; certainty; gaps
//! of the run), below the warnings of a run that was stopped or whose books do not balance.
//!
//! Guarantees: the figures are those of the [`Headline`], as on the cards below the map; all text
//!             of the user's is escaped.
//! Limits:     the third sentence names one limit, the gravest that the run shows: water that left
//!             through missing heights (a tenth of all at least), a fault of the terrain that
//!             decides a twentieth, else the width of coarse cells, else structures that no
//!             heightmap has. All of them are among [`limits`](super::facts::limits).

use std::fmt::Write;

use super::super::stand::RunProgress;
use super::super::wording;
use super::markup::{escaped, sentence};
use super::place;
use crate::faults::FaultKind;
use crate::outcome::{Figure, FloodOutcome, Headline, HeadlineSpot, LOST, TerrainFault};

/// Limit of a run on coarse cells that has nothing to be compared with.
const NOT_MEASURED: &str = "How far off this run is was not measured: it has one width of cells. \
                            A run down to finer ones, without --now and --only-last or with \
                            --quality fine, says how far two widths agree.";

/// Errors of first looks on columns of 8 × 8 cells, against the requested cells: area, greatest
/// depth and shared ground. The six events of `bench preview.first_flooded` (rain on 10, 30, 2 and
/// twice 75 m, a dam break on 20 m) have areas of 1.67, 1.66, 1.05, 0.87, 0.87, 1.10 times that,
/// depths of 1.20, 0.83, 1.03, 0.75, 0.76, 0.94 times, and share 0.33, 0.27, 0.76, 0.36, 0.33,
/// 0.92; five with less rain or wider cells 2.17, 0.66, 1.15, 1.35, 0.99; 1.14, 1.23, 0.89, 0.61,
/// 1.22; and 0.27, 0.30, 0.65, 0.25, 0.31. Ten minutes of rain at Boscastle have 4.9 times the
/// area.
const FIRST_LOOK: &str = "How far off this first look is was not measured. In eleven events of 20 \
                          min to 3 h on five maps such looks flooded 0.6 to 2.2 times the area of \
                          the requested cells, were 0.6 to 1.3 times as deep, and shared 25 to 92 \
                          % of the ground with them; in shorter events they flood several times \
                          too much.";

/// Width of the cells of a first look over the width of the requested cells.
const FIRST_TIMES: f64 = 8.0;

/// Returns the errors to expect of a run of one level.
#[must_use]
pub fn alone(outcome: &FloodOutcome) -> &'static str {
    match &*outcome.levels {
        [only] if !outcome.interrupted && (only.times / FIRST_TIMES - 1.0).abs() < 1.0e-6 => {
            FIRST_LOOK
        }
        _ => NOT_MEASURED,
    }
}

/// Limit of every run: structures that a heightmap lacks.
pub const SOLID: &str =
    "walls, culverts and buildings count only where the heightmap or the scenario has them";

/// Part of the water, percent, whose loss is graver than the gaps of a heightmap and its cells.
const LOST_LEAST: f64 = 10.0;

/// Part of the event that a fault of the terrain decides, from which on it is the gravest limit.
const FAULT_LEAST: f64 = 0.05;

/// Returns the warnings and the three sentences, as HTML; the last leads to the list of `limits`
/// limits.
#[must_use]
pub fn answer(outcome: &FloodOutcome, stand: RunProgress, limits: usize) -> String {
    let headline = outcome.headline();
    let mut html = String::new();
    for warning in warnings(outcome, stand) {
        let _ = write!(html, "<p class=\"warning\">{}</p>", escaped(&warning));
    }
    let part = |name: &str, text: &str, link: &str| {
        format!("<div><dt>{name}</dt><dd>{} {link}</dd></div>", escaped(&sentence(text)))
    };
    let spot = headline.deepest.as_ref().map_or_else(String::new, spot);
    let list = match limits {
        1 => "The list of limits".to_owned(),
        count => format!("All {count} limits and notes"),
    };
    html += "<dl class=\"answer\">";
    html += &part("Where, how deep, when", &happened(outcome, &headline), &spot);
    html += &part("How sure", &sure(outcome, stand), "");
    let list = format!("<a href=\"#limits\">{list}</a>");
    html += &part("What it leaves out", &left_out(outcome), &list);
    html + "</dl>"
}

/// Warnings about the run as a whole, a sentence each.
#[must_use]
pub fn warnings(outcome: &FloodOutcome, stand: RunProgress) -> Vec<String> {
    let mut warnings = Vec::new();
    if outcome.interrupted {
        let reached = wording::clock(outcome.simulated_s);
        let cells = match &outcome.coarse {
            Some(coarse) => format!(", in cells of {}", wording::length(coarse.cell_m)),
            None => String::new(),
        };
        warnings.push(format!(
            "The run was stopped after {reached} of simulated time{cells}: maps and figures show \
             the flood up to then."
        ));
    }
    let cell = wording::length(outcome.levels.last().map_or(0.0, |level| level.cell_m));
    match stand {
        RunProgress::CutShort => warnings.push(format!(
            "The run was stopped, or failed, before it came to finer cells: maps and figures are \
             those of the whole event in cells of {cell}."
        )),
        RunProgress::Unwritten => warnings.push(format!(
            "The results in cells of {cell} could not be written, but for this page: other files \
             beside it are not theirs."
        )),
        RunProgress::Last | RunProgress::Drafts(_) | RunProgress::Finer(_) => {}
    }
    if !outcome.ledger.balance() {
        warnings.push("The books do not balance (see Water balance): please report this.".into());
    }
    warnings
}

/// Returns a button that shows the deepest water on the map.
fn spot(spot: &HeadlineSpot) -> String {
    let (column, row) = spot.cell;
    format!(
        "<button type=\"button\" class=\"live link\" data-layer=\"max_depth\" \
         data-cell=\"{column},{row}\" aria-label=\"Show on the map: the deepest water\">Show on \
         the map</button>"
    )
}

/// Returns the flooded area and its beginning, the place of the deepest water, and its arrival
/// there.
fn happened(outcome: &FloodOutcome, headline: &Headline) -> String {
    let mut text = String::new();
    if outcome.interrupted {
        let _ = write!(text, "up to {}, ", wording::clock(outcome.simulated_s));
    }
    if headline.flooded == 0 {
        text += "nothing was flooded: ";
        text += &stayed_dry(outcome);
    } else {
        text += &flooded(outcome, headline);
        text += &deepest(outcome, headline);
        if let Some(words) = wording::spreading(outcome) {
            let _ = write!(text, ". {}", sentence(&words).trim_end_matches('.'));
        }
    }
    if headline.before() > 0 {
        let before = wording::covered(outcome, headline.before());
        let _ = write!(text, ". Not counted: {before} that were under water before");
    }
    text
}

/// Returns the flooded area, and the time of its beginning.
fn flooded(outcome: &FloodOutcome, headline: &Headline) -> String {
    let share = wording::share(headline, headline.flooded);
    let mut text = match &*wording::covered(outcome, headline.flooded) {
        "none" => format!("{share} was flooded"),
        area => format!("{area} ({share}) were flooded"),
    };
    if let Some(first) = headline.first {
        let _ = write!(text, ", the first of it after {}", wording::clock(first.value.into()));
    }
    text
}

/// Returns the place of the deepest water, its depth, and the time of the first water there.
fn deepest(outcome: &FloodOutcome, headline: &Headline) -> String {
    let Some(HeadlineSpot { value, cell }) = headline.deepest else {
        return ": only pits of one cell and cells of inflows, too small to name the deepest"
            .into();
    };
    let mut place = place::words(outcome, cell);
    if !place::has_landmark(outcome, cell) {
        place = format!("in the {} of the map, {place}", place::region(outcome, cell));
    }
    let mut text = format!("; the deepest water, {}, was {place}", wording::depth(value.into()));
    if is_doubted(outcome, cell) {
        text += ", in a hollow that may be a fault of the heightmap";
    }
    let arrival_s = outcome.arrival_s[cell.1 * outcome.grid.width + cell.0];
    // Cells over a coarse one that was wet from the start have its time, 0.
    if arrival_s > 0.0 {
        let _ = write!(text, "; water first came there after {}", wording::clock(arrival_s.into()));
    }
    text
}

/// True if a cell is in a hollow of the terrain that the user should check.
fn is_doubted(outcome: &FloodOutcome, (column, row): (usize, usize)) -> bool {
    let cell = u32::try_from(row * outcome.grid.width + column).unwrap_or(u32::MAX);
    let hollows = outcome.faults.iter().filter(|wet| wet.fault.kind.is_hollow());
    hollows.map(|wet| &wet.fault.cells).any(|cells| cells.contains(&cell))
}

/// Returns the depth of the water on ground that does not count as flooded.
fn stayed_dry(outcome: &FloodOutcome) -> String {
    let cells = outcome.max_depth_m.iter().enumerate();
    let dry = cells.filter(|(cell, _)| !outcome.was_water(*cell)).map(|(_, depth)| *depth);
    // NaN, outside the world, is no maximum.
    match dry.fold(0.0, f32::max) {
        most if most <= 0.0 => "all ground that was dry at the start stayed dry".into(),
        most => format!(
            "the deepest water on ground that was dry at the start was {}; {} count as \
             flooded",
            wording::depth(most.into()),
            wording::length(outcome.wet_depth_m.into())
        ),
    }
}

/// Returns the agreement of two levels and ranges of drafts, or that nothing was compared.
fn sure(outcome: &FloodOutcome, stand: RunProgress) -> String {
    let likely = |figure: Figure, what: &str| {
        wording::likely(outcome, figure).map(|range| format!("{range} {what}"))
    };
    let figures = [likely(Figure::Flooded, "flooded"), likely(Figure::Deepest, "deep at the most")];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    let likely = (!figures.is_empty()).then(|| figures.join(", "));
    let levels = wording::sure(outcome);
    let drafts = wording::drafts(outcome);
    if levels.is_none()
        && let (Some(figures), Some(drafts)) = (&likely, &drafts)
    {
        return format!("{figures}, by {drafts}; the effect of the cells was not measured");
    }
    let likely = likely.map(|figures| format!("likely {figures}"));
    let drafts = drafts.map(|drafts| format!("ranges hold {drafts}"));
    if levels.is_some() || drafts.is_some() {
        let parts: Vec<String> = [likely, levels, drafts].into_iter().flatten().collect();
        return parts.join("; ");
    }
    let cell = |metres: f64| wording::length(metres);
    match &*outcome.levels {
        [.., before, last] => format!(
            "cells of {} and of {} agree that nothing was flooded",
            cell(before.cell_m),
            cell(last.cell_m)
        ),
        [first] if matches!(stand, RunProgress::Finer(_)) => format!(
            "not known yet: this first look has cells of {}; the next, in finer ones, says how far \
             the two agree",
            cell(first.cell_m)
        ),
        [first] if stand.is_on_the_way() => {
            format!("not known yet: drafts in cells of {} follow", cell(first.cell_m))
        }
        _ if outcome.coarse.is_some() => alone(outcome).into(),
        _ => "how far off this run is was not measured: it has one width of cells, and nothing to \
              be compared with; --vary says what roughness and water do"
            .into(),
    }
}

/// Returns the gravest limit.
fn left_out(outcome: &FloodOutcome) -> String {
    if let Some(note) = outcome.notes.iter().find(|note| lost_percent(note) >= LOST_LEAST) {
        return note.split_once(": ").map_or(&**note, |(what, _)| what).to_owned();
    }
    let grave = outcome.faults.first().filter(|fault| fault.part >= FAULT_LEAST);
    if let Some(fault) = grave {
        return doubtful(outcome, fault);
    }
    match &outcome.coarse {
        None => SOLID.into(),
        Some(coarse) => format!(
            "in cells of {cell}, steep slopes and all streams and streets narrower than {cell} are \
             the least sure; {SOLID}",
            cell = wording::length(coarse.cell_m)
        ),
    }
}

/// Returns the part of the event that a fault of the terrain decides.
fn doubtful(outcome: &FloodOutcome, TerrainFault { fault, part, .. }: &TerrainFault) -> String {
    let (percent, place) = (100.0 * part, place::words(outcome, fault.cell));
    let what = match fault.kind {
        FaultKind::Dam => "of the water stays behind a narrow dam, perhaps a road over a culvert,",
        FaultKind::Pit => "of the water stays in a pit of the heightmap",
        FaultKind::Gap => "of the water stays beside missing heights",
        FaultKind::Flat => "of the flooded ground is exactly level in the heightmap,",
        FaultKind::Highest | FaultKind::Lowest => {
            "of the flooded ground has heights that were cut off,"
        }
    };
    format!("{percent:.0} % {what} {place}: see Terrain to check; {SOLID}")
}

/// Returns the part of the water that left through missing heights, by a note on it; else 0.
fn lost_percent(note: &str) -> f64 {
    let percent = note.split_once(LOST).map(|(percent, _)| percent.trim());
    percent.and_then(|percent| percent.parse().ok()).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use rasters::HorizontalUnit;

    use super::*;
    use crate::faults::GroundFault;
    use crate::outcome::sample::outcome;
    use crate::outcome::{CellBefore, Coarse, Drafts, FigureRange, GaugeRecord, RunLevel, Sure};
    use crate::vary::Vary;

    /// Returns an outcome with 60 cells flooded, 2 m deep at one of a few of 1.5 m.
    fn river() -> FloodOutcome {
        let mut outcome = outcome();
        outcome.max_depth_m[60..].fill(0.0);
        outcome.arrival_s[60..].fill(f32::NAN);
        outcome.max_depth_m[50..54].fill(1.5);
        outcome.max_depth_m[52] = 2.0;
        outcome.arrival_s[50..54].fill(720.0);
        outcome.simulated_s = 3600.0;
        outcome
    }

    fn gauge(name: &str, x: f64, y: f64) -> GaugeRecord {
        GaugeRecord { name: name.into(), x, y, ..GaugeRecord::default() }
    }

    fn dry(depth_m: f32) -> FloodOutcome {
        let mut outcome = outcome();
        outcome.max_depth_m.fill(depth_m);
        outcome
    }

    fn degrees() -> FloodOutcome {
        let mut outcome = river();
        let grid = &mut outcome.grid;
        (grid.unit, grid.west, grid.north) = (HorizontalUnit::Degree, 7.5, 48.25);
        (grid.step_x, grid.step_y, grid.cell_m) = (0.001, 0.001, Some((75.0, 75.0)));
        outcome
    }

    fn pits() -> FloodOutcome {
        let mut outcome = dry(0.0);
        outcome.max_depth_m[500] = 3.0;
        outcome
    }

    fn lake() -> FloodOutcome {
        let mut outcome = river();
        outcome.max_depth_m[1000..1100].fill(4.0);
        outcome.before[1000..1100].fill(CellBefore::Start);
        outcome
    }

    const FLOODED: &str = "60 m² (5.0 % of the map) were flooded, the first of it after 1 min";
    const DEEPEST: &str = "; the deepest water, 2.00 m, was ";
    const PLACE: &str = "in the north-west of the map, at 12 E, 28 N";
    const THERE: &str = "; water first came there after 12 min";

    fn said(outcome: &FloodOutcome) -> String {
        happened(outcome, &outcome.headline())
    }

    /// Goal: place, depth and time are given by gauges, in metres, in degrees and in cells.
    #[test]
    fn the_first_sentence_says_where_how_deep_and_when() {
        let gauges = vec![gauge("mill", 3.5, 28.5), gauge("quay", 39.5, 0.5)];
        let mut cells = river();
        cells.grid.cell_m = None;
        let [hectares, count] = ["33.8 ha", "60 cells"].map(|area| FLOODED.replace("60 m²", area));
        for (name, outcome, expected) in [
            ("river", river(), format!("{FLOODED}{DEEPEST}{PLACE}{THERE}")),
            (
                "a gauge",
                FloodOutcome { gauges, ..river() },
                format!("{FLOODED}{DEEPEST}9 m east of “mill” (12 E, 28 N){THERE}"),
            ),
            (
                "degrees",
                degrees(),
                format!(
                    "{hectares}{DEEPEST}in the north-west of the map, at 7.51250° E, 48.24850° \
                     N{THERE}"
                ),
            ),
            ("cells of no known size", cells, format!("{count}{DEEPEST}{PLACE}{THERE}")),
        ] {
            assert_eq!(said(&outcome), expected, "{name}");
        }
    }

    /// Goal: a run without a flood, with pits alone or with water before has a sentence, too.
    #[test]
    fn the_first_sentence_suits_every_kind_of_run() {
        let mut all = outcome();
        all.arrival_s.fill(0.0);
        for (name, outcome, expected) in [
            (
                "a flood that spreads",
                FloodOutcome { simulated_s: 750.0, ..river() },
                format!(
                    "{FLOODED}{DEEPEST}{PLACE}{THERE}. The flood was still spreading at the end: \
                     7 % of its area was reached in the last tenth of the time"
                ),
            ),
            (
                "stopped",
                FloodOutcome { interrupted: true, ..river() },
                format!("up to 1 h, {FLOODED}{DEEPEST}{PLACE}{THERE}"),
            ),
            (
                "wet from the start",
                all,
                "1200 m² (100.0 % of the map) were flooded; the deepest water, 1.00 m, was in the \
                 north-west of the map, at 0 E, 30 N"
                    .into(),
            ),
            (
                "a lake",
                lake(),
                format!(
                    "{FLOODED}{DEEPEST}{PLACE}{THERE}. Not counted: 100 m² that were under water \
                     before"
                ),
            ),
            (
                "a pit",
                pits(),
                "1.0 m² (0.1 % of the map) were flooded, the first of it after 1 min: only pits of \
                 one cell and cells of inflows, too small to name the deepest"
                    .into(),
            ),
            (
                "no flood",
                dry(0.0),
                "nothing was flooded: all ground that was dry at the start stayed dry".into(),
            ),
            (
                "a film",
                dry(0.032),
                "nothing was flooded: the deepest water on ground that was dry at the start was \
                 3.2 cm; 5 cm count as flooded"
                    .into(),
            ),
        ] {
            assert_eq!(said(&outcome), expected, "{name}");
        }
    }

    /// Goal: two levels give their agreement; one level gives the reason why nothing was compared.
    #[test]
    fn the_second_sentence_says_how_sure() {
        let level = |cell_m: f64, shared: Option<f64>| RunLevel {
            cell_m,
            times: cell_m / 10.0,
            wall_s: 1.0,
            flooded: 900,
            shared,
        };
        let coarse = Some(Coarse { cell_m: 40.0, words: String::new() });
        let alone = vec![level(40.0, None)];
        let agreeing = vec![level(40.0, None), level(10.0, Some(0.849))];
        let empty = vec![level(40.0, None), level(10.0, None)];
        let last = RunProgress::Last;
        for (levels, coarse, stand, expected) in [
            (vec![level(1.0, None)], None, last, "it has one width of cells, and nothing to"),
            (vec![], None, last, "was not measured"),
            (
                alone.clone(),
                coarse.clone(),
                last,
                "without --now and --only-last or with --quality fine, says",
            ),
            (
                vec![level(80.0, None)],
                coarse.clone(),
                last,
                "In eleven events of 20 min to 3 h on five maps such looks",
            ),
            (
                alone.clone(),
                coarse.clone(),
                RunProgress::Drafts(Vary::default()),
                "not known yet: drafts in cells of 40 m follow",
            ),
            (
                alone,
                coarse.clone(),
                RunProgress::Finer(None),
                "not known yet: this first look has cells of 40 m;",
            ),
            (
                agreeing,
                coarse,
                RunProgress::Finer(None),
                "cells of 40 m and of 10 m agree on 84 % of the ground that either flooded (900 m² \
                 and 900 m²)",
            ),
            (
                vec![level(40.0, None), level(10.0, Some(0.49))],
                None,
                last,
                "49 % of the ground that either flooded (900 m² and 900 m²): unsure, as thin water",
            ),
            (
                vec![level(40.0, None), level(10.0, Some(0.5))],
                None,
                last,
                "50 % of the ground that either flooded (900 m² and 900 m²)",
            ),
            (empty, None, last, "cells of 40 m and of 10 m agree that nothing was flooded"),
        ] {
            let outcome = FloodOutcome { levels, coarse, ..river() };
            let said = sure(&outcome, stand);
            assert!(said.contains(expected), "{said}, not {expected}");
        }
    }

    /// Goal: drafts are named, and ranges of drafts alone are not called likely.
    #[test]
    fn the_second_sentence_tells_drafts() {
        let level = |cell_m: f64, shared: Option<f64>| RunLevel {
            cell_m,
            times: cell_m / 10.0,
            wall_s: 1.0,
            flooded: 900,
            shared,
        };
        let vary = Vary { roughness: 0.3, water: 0.0 };
        let drafts = Drafts { vary, cell_m: 40.0, runs: 2 };
        let sure_of = |is_of_levels: bool| {
            let ranges = vec![(Figure::Flooded, FigureRange { low: 50.0, high: 70.0 })];
            Some(Sure { ranges, classes: Vec::new(), is_of_levels, varied: Some(drafts) })
        };
        for (levels, is_of_levels, expected) in [
            (
                vec![level(40.0, None)],
                false,
                "50 to 70 m² flooded, by 2 drafts in cells of 40 m that vary roughness by ±30 %; \
                 the effect of the cells was not measured",
            ),
            (
                vec![level(40.0, None), level(10.0, Some(0.849))],
                true,
                "likely 50 to 70 m² flooded; cells of 40 m and of 10 m agree on 84 % of the ground \
                 that either flooded (900 m² and 900 m²); ranges hold 2 drafts in cells of 40 m \
                 that vary roughness by ±30 %",
            ),
        ] {
            let outcome = FloodOutcome { levels, sure: sure_of(is_of_levels), ..river() };
            assert_eq!(sure(&outcome, RunProgress::Last), expected);
        }
    }

    /// Goal: the gravest limit is named, and the rest are counted.
    #[test]
    fn the_third_sentence_names_the_gravest_limit() {
        let coarse = Some(Coarse { cell_m: 40.0, words: String::new() });
        let lost =
            format!("73 {LOST} (1200 m³) ran into holes and is gone: if they are houses, so");
        let notes = vec!["the bed below `a` counts as flooded ground: dry".into(), lost];
        let little = vec![format!("2 {LOST} (69 m³) left into cells without a height")];
        let faults = |kind: FaultKind, part: f64| {
            let cell = (12, 1);
            let (cells, volume_m3) = (Vec::new(), 1.0);
            let fault =
                GroundFault { kind, cell, to: None, cells, level_m: 1.0, depth_m: 1.0, volume_m3 };
            vec![TerrainFault { fault, held_m3: 1.0, flooded: 1, part }]
        };
        for (outcome, expected) in [
            (river(), SOLID),
            (FloodOutcome { notes: little, ..river() }, SOLID),
            (
                FloodOutcome { coarse: coarse.clone(), ..river() },
                "in cells of 40 m, steep slopes and all streams and streets narrower than 40 m are \
                 the least sure; walls, culverts",
            ),
            (
                FloodOutcome { faults: faults(FaultKind::Dam, 0.123), ..river() },
                "12 % of the water stays behind a narrow dam, perhaps a road over a culvert, at 12 \
                 E, 28 N: see Terrain",
            ),
            (
                FloodOutcome { faults: faults(FaultKind::Highest, 0.05), ..river() },
                "5 % of the flooded ground has heights that were cut off, at 12 E",
            ),
            (FloodOutcome { faults: faults(FaultKind::Pit, 0.04), ..river() }, SOLID),
            (
                FloodOutcome { faults: faults(FaultKind::Pit, 0.5), notes, coarse, ..river() },
                "73 % of the water (1200 m³) ran into holes and is gone",
            ),
        ] {
            let said = left_out(&outcome);
            assert!(said.starts_with(expected), "{said}, not {expected}");
        }
        for (limits, words) in [(1, ">The list of limits<"), (7, ">All 7 limits and notes<")] {
            assert!(answer(&river(), RunProgress::Last, limits).contains(words));
        }
    }

    /// Goal: a stopped run and unbalanced books are reported first; names are text and no markup.
    #[test]
    fn warnings_stand_before_the_sentences() {
        let gauges = vec![gauge("<b>mill</b>", 3.5, 28.5)];
        let mut outcome = FloodOutcome { gauges, ..river() };
        let html = answer(&outcome, RunProgress::Last, 2);
        assert!(html.starts_with("<dl") && html.contains("“&lt;b&gt;mill&lt;/b&gt;”"), "{html}");
        assert!(html.contains("data-cell=\"12,1\""), "{html}");
        outcome.interrupted = true;
        outcome.ledger.stored = 1;
        let html = answer(&outcome, RunProgress::Last, 2);
        let places = ["The run was stopped after 1 h", "The books do not balance", "<dl"];
        let places = places.map(|words| html.find(words).expect(words));
        assert!(places.is_sorted(), "{html}");
        assert_eq!(warnings(&outcome, RunProgress::Last).len(), 2);
    }
}
