//! Figures and limits below the map: flooded area and places, depth, speed, volume of water, and
//! certainty. The first screen is the [`answer`](super::answer).

use std::fmt::Write;

use super::super::stand::RunProgress;
use super::super::wording;
use super::answer::{alone, warnings};
use super::markup::{escaped, grouped, sentence};
use super::place;
use crate::outcome::{Figure, FloodLedger, FloodOutcome, Headline, HeadlineSpot, SPEED_PERCENTILE};

/// Implausible speed, m/s: water that falls 46 m without friction has it.
const TOO_FAST_M_S: f32 = 30.0;

/// Longest words for a rain or an inflow in the line below the title, and most of them.
const EVENT_CHARS: usize = 60;
const EVENT_MOST: usize = 3;

/// Seconds after which the page of an unfinished run is loaded anew.
const RENEWED_EVERY_S: u32 = 3;

/// A figure with its name, a remark and the place it belongs to.
struct PageFact {
    name: &'static str,
    value: String,
    /// Likely range.
    likely: Option<String>,
    remark: String,
    /// The map that shows it, and the cell.
    shown: Option<(&'static str, (usize, usize))>,
}

impl PageFact {
    fn new(name: &'static str, value: String, remark: String) -> Self {
        Self { name, value, likely: None, remark, shown: None }
    }

    /// Adds the range of a figure.
    fn likely(self, outcome: &FloodOutcome, figure: Figure) -> Self {
        let name = wording::range_name(outcome);
        let range = wording::likely(outcome, figure);
        Self { likely: range.map(|range| sentence(&format!("{name} {range}"))), ..self }
    }

    fn html(&self) -> String {
        let Self { name, value, likely, remark, shown } = self;
        let mut html = format!("<div><dt>{name}</dt><dd><b>{value}</b> ");
        if let Some(likely) = likely {
            let _ = write!(html, "<span>{}</span> ", escaped(likely));
        }
        let _ = write!(html, "<span>{}</span>", escaped(remark));
        if let Some((layer, (column, row))) = shown {
            let _ = write!(
                html,
                " <button type=\"button\" class=\"live link\" data-layer=\"{layer}\" \
                 data-cell=\"{column},{row}\" aria-label=\"Show on the map: {name}\">Show on the \
                 map</button>"
            );
        }
        html + "</dd></div>"
    }
}

/// Returns the figures at the head of the page.
#[must_use]
pub fn facts(outcome: &FloodOutcome) -> String {
    let headline = outcome.headline();
    let facts = [
        flooded(outcome, &headline).likely(outcome, Figure::Flooded),
        deepest(outcome, &headline).likely(outcome, Figure::Deepest),
        fast(outcome, &headline).likely(outcome, Figure::Fast),
        dangerous(outcome, &headline).likely(outcome, Figure::Dangerous),
        water(outcome),
    ];
    let facts: String = facts.iter().map(PageFact::html).collect();
    format!("<dl class=\"facts\">{facts}</dl>")
}

/// Returns the line below the title: simulated time, area and cells.
#[must_use]
pub fn lead(outcome: &FloodOutcome) -> String {
    let mut text = format!("{} simulated", wording::clock(outcome.simulated_s));
    if let Some((cell, _)) = outcome.grid.cell_m {
        let side = |cells: usize| wording::length(rounded(extent_m(cells, cell)));
        let (width, height) = (side(outcome.grid.width), side(outcome.grid.height));
        let _ = write!(text, " over {width} × {height}");
        let drawn = wording::length(cell);
        let _ = match &outcome.coarse {
            None => write!(text, ", in cells of {drawn}"),
            Some(coarse) => {
                let simulated = wording::length(coarse.cell_m);
                write!(text, ", in cells of {simulated} drawn on {drawn}")
            }
        };
    }
    if let Some(crs) = &outcome.grid.crs {
        let _ = write!(text, ", {crs}");
    }
    escaped(&(text + &event(outcome)))
}

/// Returns the water of the event, from the settings: `; rain 40 mm/h from 0 s to 30 min`.
fn event(outcome: &FloodOutcome) -> String {
    let value = |name: &str| outcome.settings.iter().find(|(own, _)| own == name);
    let came = outcome.ledger.into.iter().filter(|(_, units)| *units > 0);
    // Water that flows back over an open edge is no event.
    let sources = came.filter_map(|(name, _)| value(name)).filter(|(_, value)| value != "open");
    let mut words: Vec<String> = sources
        .map(|(name, value)| match value.chars().count() <= EVENT_CHARS {
            true => format!("{name} {value}"),
            false => name.clone(),
        })
        .collect();
    if outcome.ledger.initial > 0 {
        words.push("water at the start".to_owned());
    }
    let count = words.len();
    if count > EVENT_MOST {
        words.truncate(EVENT_MOST - 1);
        words.push(format!("{} more", count - words.len()));
    }
    words.iter().map(|words| format!("; {words}")).collect()
}

/// Returns the line below the title while drafts or levels follow, with a button that ends the
/// renewal.
#[must_use]
pub fn level(outcome: &FloodOutcome, stand: RunProgress) -> String {
    let cell = outcome.levels.last().map_or(0.0, |level| level.cell_m);
    let cell = wording::length(cell);
    let follows = match stand {
        RunProgress::Drafts(vary) => format!("drafts that vary {vary} follow"),
        _ => "a better one follows".to_owned(),
    };
    format!(
        "<p class=\"level\" data-renewal=\"{RENEWED_EVERY_S}\"><span role=\"status\">An answer so \
         far, in cells of {cell}: {follows}, and this page renews itself.</span> <button \
         id=\"stay\" type=\"button\" class=\"live link\">Keep this one</button></p>"
    )
}

/// Returns an element that makes a browser without scripts load a page anew every few seconds; with
/// scripts they do so, until the reader ends it (`page/page.js`).
#[must_use]
pub fn renewal() -> String {
    format!("<noscript><meta http-equiv=\"refresh\" content=\"{RENEWED_EVERY_S}\"></noscript>\n")
}

/// Returns the limits that the reader has to keep in mind, an item each: the gravest first.
#[must_use]
pub fn limits(outcome: &FloodOutcome, stand: RunProgress) -> Vec<String> {
    let grave = warnings(outcome, stand);
    let grave = grave.iter().map(|text| format!("<li class=\"grave\">{}</li>", escaped(text)));
    let mut items: Vec<String> = grave.collect();
    let mut say = |text: &str| items.push(format!("<li>{}</li>", escaped(text)));
    let words = outcome.coarse.as_ref().map(|coarse| coarse.words.as_str());
    // Each limit has two parts: the simulated thing, and its possible error.
    let parts = words.map(|words| words.split_inclusive(". ").map(str::trim));
    parts.into_iter().flatten().for_each(&mut say);
    match wording::sure(outcome) {
        Some(sure) => say(&format!("How sure: {sure}.")),
        None if words.is_some() && !stand.is_on_the_way() => say(alone(outcome)),
        None => {}
    }
    if !outcome.is_searched {
        say("The terrain is still being searched for dams, pits and other faults.");
    }
    if let Some(ranges) = wording::ranges(outcome) {
        say(&format!("{ranges}."));
    }
    let is_new = |note: &&String| words.is_none_or(|words| !note.contains(words));
    outcome.notes.iter().filter(is_new).for_each(|note| say(&sentence(note)));
    if outcome.below.is_some() {
        say("Below decks and in tunnels the maps show the largest depth alone: speed, hazard, \
             times and the depth over time are those of the open water.");
    }
    say("Walls, culverts and buildings count only where the heightmap or the scenario has them.");
    items
}

fn flooded(outcome: &FloodOutcome, headline: &Headline) -> PageFact {
    let depth = wording::length(outcome.wet_depth_m.into());
    let share = wording::share(headline, headline.flooded);
    let mut remark = format!("{share} was dry at the start and {depth} deep or more later");
    if let Some(before) = wording::before(outcome, headline) {
        let _ = write!(remark, "; {before}");
    }
    PageFact::new("Flooded area", wording::covered(outcome, headline.flooded), remark)
}

fn dangerous(outcome: &FloodOutcome, headline: &Headline) -> PageFact {
    let cells = headline.dangerous();
    let share = wording::share(headline, cells);
    let mut remark = format!("{share}, by depth and speed together");
    if headline.dangerous_before > 0 {
        let before = wording::covered(outcome, headline.dangerous_before);
        let _ = write!(remark, "; not counted: {before} that were under water before");
    }
    PageFact::new("Danger for most or all", wording::covered(outcome, cells), remark)
}

/// Returns the deepest water over flooded ground, and over ground under water before.
fn deepest(outcome: &FloodOutcome, headline: &Headline) -> PageFact {
    let metres = |spot: HeadlineSpot| wording::depth(spot.value.into());
    let before = headline.deepest_before.map(metres);
    let Some(spot) = headline.deepest else {
        let mut remark = match headline.flooded {
            0 => "nothing was flooded".to_owned(),
            _ => "only pits of one cell and cells of inflows were flooded".to_owned(),
        };
        if let Some(before) = before {
            let _ = write!(remark, "; water that was there before reached {before}");
        }
        return PageFact::new("Deepest on dry ground", "none".into(), remark);
    };
    let mut remark = place::words(outcome, spot.cell);
    if let Some(before) = before {
        let _ = write!(remark, "; water that was there before reached {before}");
    }
    let shown = Some(("max_depth", spot.cell));
    PageFact { shown, ..PageFact::new("Deepest on dry ground", metres(spot), remark) }
}

fn fast(outcome: &FloodOutcome, headline: &Headline) -> PageFact {
    let fastest = headline.fastest.map(|spot| {
        let place = place::words(outcome, spot.cell);
        let doubt = match spot.value > TOO_FAST_M_S {
            true => {
                ", faster than floods usually are: perhaps at a step of the heightmap, or on a \
                 slope too steep for such cells"
            }
            false => "",
        };
        format!("the fastest cell of all reached {:.1} m/s {place}{doubt}", spot.value)
    });
    let Some(spot) = headline.fast else {
        let remark = fastest.unwrap_or_else(|| "nothing was flooded away from open edges".into());
        return PageFact::new("Fast flow", "none".into(), remark);
    };
    let place = place::words(outcome, spot.cell);
    let left_out = if outcome.open_sides.is_empty() { "" } else { ", open edges left out" };
    let mut remark =
        format!("{place}; {SPEED_PERCENTILE} % of the flooded ground is slower{left_out}");
    if let Some(fastest) = fastest {
        let _ = write!(remark, "; {fastest}");
    }
    let (value, shown) = (format!("{:.1} m/s", spot.value), Some(("max_speed", spot.cell)));
    PageFact { shown, ..PageFact::new("Fast flow", value, remark) }
}

/// Returns the volume of the water, and whether the books balance.
fn water(outcome: &FloodOutcome) -> PageFact {
    let ledger = &outcome.ledger;
    let volume = |units: Option<i128>| units.map_or_else(|| "?".into(), |u| volume(u, ledger));
    let (came, left) = (ledger.total_in(), ledger.total_out());
    let mut remark = "came in".to_owned();
    if ledger.initial != 0 {
        let _ = write!(remark, " to {} at the start", volume(Some(ledger.initial)));
    }
    let _ = write!(remark, ", {} left, {} remains", volume(left), volume(Some(ledger.stored)));
    remark += if ledger.balance() { ": balanced to the unit ✓" } else { ": NOT BALANCED" };
    PageFact::new("Water", volume(came), remark)
}

/// Returns a volume in words: `350 m³`, `12 300 m³`, `1.32 million m³`.
fn volume(units: i128, ledger: &FloodLedger) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for reading; the ledger has the units")]
    let cubic_metres = units as f64 * ledger.unit_m3;
    match cubic_metres.abs() {
        v if v < 0.5 => "none".into(),
        v if v < 1.0e4 => format!("{} m³", grouped(&format!("{cubic_metres:.0}"))),
        v if v < 1.0e6 => format!("{} m³", grouped(&format!("{:.0}00", cubic_metres / 100.0))),
        v if v < 1.0e9 => format!("{:.2} million m³", cubic_metres / 1.0e6),
        _ => format!("{:.2} km³", cubic_metres / 1.0e9),
    }
}

#[expect(clippy::cast_precision_loss, reason = "cells are far below 2^53")]
fn extent_m(cells: usize, cell_m: f64) -> f64 {
    cells as f64 * cell_m
}

/// Rounds to three digits.
fn rounded(metres: f64) -> f64 {
    let step = 10.0_f64.powf(metres.max(1.0e-3).log10().floor() - 2.0);
    (metres / step).round() * step
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn volumes_read_well() {
        let ledger = FloodLedger { unit_m3: 0.5, ..FloodLedger::default() };
        for (units, expected) in [
            (0, "none"),
            (700, "350 m³"),
            (24_680, "12\u{202f}300 m³"),
            (2_640_000, "1.32 million m³"),
            (4_000_000_000, "2.00 km³"),
        ] {
            assert_eq!(volume(units, &ledger), expected, "{units}");
        }
    }
}
