//! Text on the screen: the plan before the run, the result after it.

use std::fmt::Write;
use std::path::{Path, PathBuf};

use kit::terminal::shown;
use kit::words::{at_least, short, time};
use scenario::plan::Plan;
use scenario::plausible::event::unplaced;
use scenario::survey::Survey;
use thalweg::units::plain::plain;

use crate::memory;
use crate::outcome::{
    BarrierPassage, Figure, FloodLedger, FloodOutcome, HeadlineSpot, LinkPassage, PassageReadings,
    RunLevels, SPEED_PERCENTILE, SectionRecord, TerrainFault,
};
use crate::output::{faults, wording};
use crate::simulate::{Forecast, ForecastTimes};

/// Returns everything that was resolved, for `--check`.
#[must_use]
pub fn plan(plan: &Plan, survey: &Survey, forecast: &Forecast) -> String {
    let mut text = plain(&plan.title).to_string();
    let Survey { low_m, high_m, valid, .. } = survey;
    let heights = format!("{} to {} m", short(*low_m), short(*high_m));
    let counted = format!("{valid} of {}", plan.map.world.width * plan.map.world.height);
    let mut settings = plan.settings();
    let facts = plan.map.facts.iter();
    // A fact names its source, which the setting of the same name lacks.
    settings.retain(|(name, _)| facts.clone().all(|fact| fact.name != name));
    settings.extend(facts.map(|fact| (fact.name.to_owned(), fact.to_string())));
    settings.push(("heights".to_owned(), heights));
    settings.push(("cells with a height".to_owned(), counted));
    let free =
        kit::memory::available().map(|free| format!(", {} are free", kit::memory::words(free)));
    let needed = kit::memory::words(memory::needed(plan));
    settings.push(("memory".to_owned(), format!("about {needed}{}", free.unwrap_or_default())));
    settings.push(("device".to_owned(), forecast.device.clone()));
    settings.push(("time".to_owned(), time_words(forecast.time)));
    let width = settings.iter().map(|(name, _)| name.chars().count()).max();
    for (name, value) in &settings {
        let (name, value) = (plain(name).to_string(), plain(value));
        let _ = write!(text, "\n  {name:width$}  {value}", width = width.unwrap_or(0));
    }
    notes(&mut text, &plan.notes);
    if plan.map.world.crs.is_none() {
        notes(&mut text, &[unplaced(plan.map.path.display(), plan.map.world.unit)]);
    }
    text
}

/// Returns the time of the run, in words.
fn time_words(times: ForecastTimes) -> String {
    let ForecastTimes { building_s, running_s, writing_s } = times;
    let words = |seconds: f64| match seconds {
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 60.0 => format!("{s:.0} s"),
        s => time((s / 10.0).round() * 10.0),
    };
    format!(
        "about {} on this machine: {} to read and build, {} for the water, {} for results",
        words(times.total_s()),
        words(building_s),
        words(running_s),
        words(writing_s)
    )
}

/// Returns the plan of the simulation, in two lines and the notes.
#[must_use]
pub fn intention(plan: &Plan, survey: &Survey) -> String {
    let mut text = format!(
        "{}: {} × {} cells, {:.1} to {:.1} m\nsimulating {} in cells of {} m",
        plain(&plan.title),
        plan.map.input.width,
        plan.map.input.height,
        survey.low_m,
        survey.high_m,
        time(plan.duration_s),
        short(plan.map.cell_m()),
    );
    notes(&mut text, &plan.notes);
    text
}

/// Returns a level that finer ones follow, in one line, and the path of its report.
#[must_use]
pub fn level(outcome: &FloodOutcome, written: &[PathBuf]) -> String {
    let mut text = String::new();
    if let Some(level) = outcome.levels.last() {
        let (cell, flooded) = (short(level.cell_m), wording::covered(outcome, level.flooded));
        let _ = write!(text, "cells of {cell} m, {:.1} s: {flooded} flooded", level.wall_s);
        if let Some(likely) = wording::likely(outcome, Figure::Flooded) {
            let _ = write!(text, ", likely {likely}");
        }
        if let Some(shared) = level.shared {
            let _ =
                write!(text, ", {:.0} % shared with the level before", (100.0 * shared).floor());
        }
    }
    match written.first() {
        Some(report) if outcome.levels.len() == 1 => text + &format!("; open {}", shown(report)),
        _ => text,
    }
}

/// Returns the results and the world that stay of a run that was stopped after its first level;
/// `saved_m` is the width of the cells of the world, m, if one was requested and saved.
#[must_use]
pub fn stopped(levels: &RunLevels, saved_m: Option<Option<f64>>, report: &Path) -> String {
    let cell = levels.last().map_or_else(String::new, |level| short(level.cell_m));
    let text = format!("stopped: the results are those of the whole event in cells of {cell} m");
    let text = match saved_m {
        None => text,
        Some(None) => text + "; no world was saved",
        Some(Some(cell_m)) => {
            text + &format!(
                "; the world is that of the last moment in cells of {} m",
                short(cell_m)
            )
        }
    };
    format!("{text}\nopen {}", shown(report))
}

/// Returns the result and its path, with the notes that were added after the plan's.
#[must_use]
pub fn result(outcome: &FloodOutcome, plan: &Plan, written: &[PathBuf]) -> String {
    let mut text = String::new();
    for note in outcome.notes.iter().skip(plan.notes.len()) {
        let _ = writeln!(text, "  note: {}", plain(note));
    }
    if outcome.interrupted {
        let _ = writeln!(
            text,
            "stopped early: the results end at {}",
            wording::clock(outcome.simulated_s)
        );
    }
    headline(&mut text, outcome);
    if let Some(words) = wording::spreading(outcome) {
        let _ = writeln!(text, "{words}");
    }
    if let Some(words) = wording::sure(outcome) {
        let _ = writeln!(text, "how sure: {words}");
    }
    if let Some(drafts) = wording::drafts(outcome) {
        let _ = writeln!(text, "ranges hold {drafts}");
    }
    if let Some(flooded) = wording::likely(outcome, Figure::Flooded) {
        let deepest = wording::likely(outcome, Figure::Deepest);
        let deepest = deepest.map_or_else(String::new, |range| format!(", {range} deep"));
        let name = wording::range_name(outcome);
        let _ = writeln!(text, "{name}: {flooded} flooded{deepest} (report.html says why)");
    }
    if let Some(words) = terrain(outcome) {
        let _ = writeln!(text, "{words}");
    }
    let structures = outcome.barriers.iter().map(barrier).chain(outcome.links.iter().map(link));
    for line in outcome.sections.iter().map(section).chain(structures) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "{}", volumes(&outcome.ledger));
    let _ = write!(
        text,
        "{} simulated in {:.1} s ({:.0} × real time)",
        time(outcome.simulated_s),
        outcome.wall_s,
        outcome.simulated_s / outcome.wall_s.max(1.0e-3),
    );
    if let Some(report) = written.first() {
        let _ = write!(text, "\nopen {}", shown(report));
    }
    if let Some(world) = &plan.output.world {
        let _ = write!(text, "\ngo on with thalweg run {}", shown(world));
    }
    text
}

/// Returns the faults of the terrain that decide most, in one line; `None` if none decides
/// anything.
fn terrain(outcome: &FloodOutcome) -> Option<String> {
    let decisive: Vec<&TerrainFault> =
        outcome.faults.iter().filter(|fault| fault.is_decisive()).collect();
    let first = decisive.first()?;
    let [x, y] = faults::place(&outcome.grid, first.fault.cell);
    let percent = |part: f64| format!("{:.1} %", 100.0 * part);
    let what = if first.fault.kind.is_hollow() { "of the water" } else { "of what was flooded" };
    let all = match decisive.len() {
        1 => String::new(),
        count => format!("; {} more in the report", count - 1),
    };
    let (name, share) = (faults::name(first.fault.kind), percent(first.part));
    Some(format!("terrain to check: {name} at {x},{y}, with {share} {what}{all}"))
}

/// Returns peak and volumes of the water that passed, in words, and the volume each way.
fn passed(passage: &PassageReadings, ways: [&str; 2]) -> String {
    sums(passage.peak(), passage.volumes_m3(), ways)
}

/// Returns a peak and the volumes each way, in words.
fn sums(peak: Option<(f64, f64)>, volumes_m3: [f64; 2], ways: [&str; 2]) -> String {
    let mut words = match peak.filter(|(_, peak)| *peak != 0.0) {
        Some((at, peak)) => format!("peak {} m³/s at {}", at_least(peak, 2), time(at.round())),
        None => "nothing passed".to_owned(),
    };
    for (volume, way) in volumes_m3.into_iter().zip(ways) {
        if volume > 0.0 {
            words += &format!(", {} m³ {way}", at_least(volume, 0));
        }
    }
    words
}

/// Returns the moments that occurred, in words.
fn moments(moments: &[(Option<f64>, &str)]) -> String {
    let came = moments.iter().filter_map(|(at, what)| Some((at.as_ref()?, what)));
    came.map(|(at, what)| format!(", {what} at {}", time(at.round()))).collect()
}

/// Returns the water that passed a section, in one line.
fn section(section: &SectionRecord) -> String {
    let words = sums(section.peak(), section.ways_m3, ["to the right", "to the left"]);
    let highest = section
        .highest()
        .map(|(at, stage)| format!(", highest level {stage:.2} m at {}", time(at.round())));
    format!("section {}: {words}{}", plain(&section.name), highest.unwrap_or_default())
}

/// Returns the passage of a barrier, in one line.
fn barrier(barrier: &BarrierPassage) -> String {
    let words = passed(&barrier.passage, ["to the right", "to the left"]);
    let moments = moments(&[
        (barrier.overtopped_s, "overtopped first"),
        (barrier.breached_s, "breach began"),
    ]);
    format!("barrier {}: {words}{moments}", plain(&barrier.name))
}

/// Returns the passage of a culvert, a pump or a drain, in one line.
fn link(link: &LinkPassage) -> String {
    let ways = if link.path.len() < 2 { ["out", "in"] } else { ["to its end", "back"] };
    let words = passed(&link.passage, ways);
    let moments = moments(&[(link.began_s, "began"), (link.full_s, "full first")]);
    format!("{} {}: {words}{moments}", link.kind, plain(&link.name))
}

fn notes(text: &mut String, notes: &[String]) {
    for note in notes {
        let _ = write!(text, "\n  note: {}", plain(note));
    }
}

/// Adds the figures of the page's head, in two lines.
fn headline(text: &mut String, outcome: &FloodOutcome) {
    let headline = outcome.headline();
    let covered = |cells| wording::covered(outcome, cells);
    let wet = wording::length(outcome.wet_depth_m.into());
    let _ = write!(
        text,
        "flooded {} (dry at the start, {wet} deep or more later), dangerous for most or all on {}",
        covered(headline.flooded),
        match headline.dangerous() {
            0 => "no ground".to_owned(),
            cells => covered(cells),
        },
    );
    if let Some(before) = wording::before(outcome, &headline) {
        let _ = write!(text, "; not counted: {before}");
    }
    let depth = |spot: Option<HeadlineSpot>| {
        spot.map_or_else(|| "none".into(), |spot| wording::depth(spot.value.into()))
    };
    let speed = |spot: Option<HeadlineSpot>| {
        spot.map_or_else(|| "none".into(), |spot| format!("{:.1} m/s", spot.value))
    };
    let _ = writeln!(
        text,
        "\ndeepest there {}, fast flow {} ({SPEED_PERCENTILE} % is slower), fastest cell of all {}",
        depth(headline.deepest),
        speed(headline.fast),
        speed(headline.fastest),
    );
}

/// Returns the ledger in one line.
#[expect(clippy::cast_precision_loss, reason = "for reading; ledger.json has the units")]
fn volumes(ledger: &FloodLedger) -> String {
    let cubic_metres =
        |units: Option<i128>| at_least(units.unwrap_or(0) as f64 * ledger.unit_m3, 1);
    let balance = match ledger.difference() {
        Some(0) => "to the unit".to_owned(),
        Some(units) => format!("BUT FOR {units} UNITS: please report this"),
        None => "BUT TOO LARGE TO SUM".to_owned(),
    };
    format!(
        "water: {} m³ at the start + {} in − {} out = {} stored, {balance}",
        cubic_metres(Some(ledger.initial)),
        cubic_metres(ledger.total_in()),
        cubic_metres(ledger.total_out()),
        cubic_metres(Some(ledger.stored)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_balance_is_said_to_the_unit() {
        let mut ledger = FloodLedger {
            unit_m3: 0.5,
            initial: 2,
            stored: 10,
            into: vec![("rain".into(), 12)],
            out: vec![("east edge".into(), 4)],
        };
        let expected = "water: 1.0 m³ at the start + 6.0 in − 2.0 out = 5.0 stored, to the unit";
        assert_eq!(volumes(&ledger), expected);
        ledger.stored += 1;
        assert!(volumes(&ledger).contains("BUT FOR 1 UNITS"));
    }
}
