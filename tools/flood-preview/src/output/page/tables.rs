//! Parts that are read rather than looked at: ledger, settings, gauges and structures, as tables.

use kit::words::brief;

use super::super::{books, wording};
use super::markup::{escaped, figure, grouped, table, wide_table};
use super::observed;
use crate::outcome::{
    BarrierPassage, Figure, FloodLedger, FloodOutcome, GaugeRecord, LinkPassage, Outlet,
    PassageReadings, SectionRecord,
};

/// Returns the sentence over the ledger.
#[must_use]
pub fn balance(ledger: &FloodLedger) -> String {
    if ledger.balance() {
        return "<p class=\"balance\">The books balance to the unit: what was stored at the start, \
                plus all that came in, less all that went out, is exactly what is stored at the \
                end.</p>"
            .into();
    }
    let trouble = match ledger.difference() {
        None => "their sums are out of range".to_owned(),
        Some(units) => {
            let (size, volume) = (units.unsigned_abs().to_string(), cubic_metres(units, ledger));
            let way = if units < 0 { "are missing" } else { "too many are stored" };
            format!("{} units ({volume} m³) {way} at the end", grouped(&size))
        }
    };
    let text = format!("The books do not balance: {trouble}. Please report this.");
    format!("<p class=\"balance off\">{}</p>", escaped(&text))
}

/// Returns the sources and sinks of the water, in cubic metres and in exact units.
#[must_use]
pub fn ledger(ledger: &FloodLedger) -> String {
    let line = |name: &str, units: i128, sign: &str| {
        let signed = |text: String| format!("{sign} {text}").trim().to_owned();
        let exact = grouped(&units.to_string());
        vec![name.to_owned(), signed(cubic_metres(units, ledger)), signed(exact)]
    };
    let mut rows = vec![line("Stored at the start", ledger.initial, "")];
    for (entries, sign) in [(&ledger.into, "+"), (&ledger.out, "−")] {
        let entries = books::distinct(entries);
        rows.extend(entries.iter().map(|(name, units)| line(name, *units, sign)));
    }
    rows.push(line("Stored at the end", ledger.stored, ""));
    wide_table("Water balance", &["Account", "m³", "exact units"], &rows)
}

/// Returns the size of a unit, in words.
#[must_use]
pub fn unit(ledger: &FloodLedger) -> String {
    format!(
        "One unit is {} m³. Volumes are counted in whole units; the cubic metres are rounded for \
         reading.",
        ledger.unit_m3
    )
}

/// Returns a volume in cubic metres, rounded for reading.
fn cubic_metres(units: i128, ledger: &FloodLedger) -> String {
    #[expect(clippy::cast_precision_loss, reason = "for reading, beside the exact units")]
    let volume = units as f64 * ledger.unit_m3;
    let digits = match volume.abs() {
        size if size <= 0.0 || size >= 1000.0 => 0,
        size if size >= 1.0 => 2,
        _ => 6,
    };
    grouped(&format!("{volume:.digits$}"))
}

/// Returns the requested and the chosen settings.
#[must_use]
pub fn settings(outcome: &FloodOutcome) -> String {
    let row = |(name, value): &(String, String)| vec![name.clone(), value.clone()];
    table("settings", &[], &outcome.settings.iter().map(row).collect::<Vec<_>>())
}

/// Returns the highest values of each gauge, and their times. Numbers are those on the map.
#[must_use]
pub fn gauges(outcome: &FloodOutcome) -> String {
    let is_observed = outcome.gauges.iter().any(|gauge| gauge.observed.is_some());
    let row = |(number, gauge): (usize, &GaugeRecord)| {
        let deepest = highest(&gauge.time_s, &gauge.depth_m);
        let (surface, speed) = (
            highest(&gauge.time_s, &gauge.stage_m).filter(|_| deepest.is_some_and(|d| d.1 > 0.0)),
            highest(&gauge.time_s, &gauge.speed_m_s),
        );
        let value = |found: Option<(f64, f32)>| found.map(|(_, value)| f64::from(value));
        let wet = gauge.depth_m.iter().position(|depth| *depth >= outcome.wet_depth_m);
        let first = [
            format!("{number}. {}", gauge.name),
            figure(Some(gauge.bed_m.into()), 2, "m"),
            moment(wet.map(|index| gauge.time_s[index])),
            figure(value(deepest), 2, "m"),
        ];
        let rest = [
            moment(deepest.filter(|(_, depth)| *depth > 0.0).map(|(time, _)| time)),
            figure(value(surface), 2, "m"),
            figure(value(speed), 2, "m/s"),
        ];
        // A gauge that stayed dry has no range.
        let likely = outcome.sure.as_ref().map(|_| {
            let range = wording::likely(outcome, Figure::Gauge(number - 1));
            range.unwrap_or_else(|| "–".into())
        });
        let observed =
            is_observed.then(|| observed::cells(gauge.observed.as_ref(), gauge.fit().as_ref()));
        let observed = observed.into_iter().flatten();
        first.into_iter().chain(likely).chain(rest).chain(observed).collect()
    };
    let rows: Vec<Vec<String>> = (1..).zip(&outcome.gauges).map(row).collect();
    let likely =
        outcome.sure.as_ref().map(|sure| if sure.is_of_levels { "Likely" } else { "Varied" });
    let first = ["Gauge", "Bed", "Wet from", "Deepest"].into_iter();
    let headings = first.chain(likely).chain(["At", "Highest surface", "Fastest"]);
    with_observed("Highest values of the gauges", headings, (&rows, is_observed))
}

/// Returns a table, if `is_observed` with the headings of observed series behind all the rest.
fn with_observed<'a>(
    name: &str,
    headings: impl Iterator<Item = &'a str>,
    (rows, is_observed): (&[Vec<String>], bool),
) -> String {
    let (added, remark) =
        if is_observed { (&observed::HEADINGS[..], observed::REMARK) } else { (&[][..], "") };
    let headings: Vec<&str> = headings.chain(added.iter().copied()).collect();
    wide_table(name, &headings, rows) + remark
}

/// Returns the highest value of a series and its time; of several the first.
fn highest(time_s: &[f64], values: &[f32]) -> Option<(f64, f32)> {
    let known = time_s.iter().copied().zip(values.iter().copied());
    let known = known.filter(|(_, value)| value.is_finite());
    known.reduce(|most, next| if next.1 > most.1 { next } else { most })
}

/// Returns a row for each section.
#[must_use]
pub fn sections(sections: &[SectionRecord]) -> String {
    let is_observed = sections.iter().any(|section| section.observed.is_some());
    let row = |section: &SectionRecord| {
        let [right, left] = section.ways_m3;
        let highest = section.highest();
        let mut row = vec![
            section.name.clone(),
            discharge(section.peak()),
            figure(highest.map(|(_, stage)| stage), 2, "m"),
            moment(highest.map(|(time_s, _)| time_s)),
            figure(Some(right), 0, "m³"),
            figure(Some(left), 0, "m³"),
        ];
        let observed =
            is_observed.then(|| observed::cells(section.observed.as_ref(), section.fit().as_ref()));
        row.extend(observed.into_iter().flatten());
        row
    };
    let headings =
        ["Section", "Largest discharge", "Highest level", "At", "To the right", "To the left"];
    let rows: Vec<Vec<String>> = sections.iter().map(row).collect();
    with_observed("Sections", headings.into_iter(), (&rows, is_observed))
}

/// Returns a row for each edge that is no wall.
#[must_use]
pub fn edges(edges: &[SectionRecord]) -> String {
    let row = |edge: &SectionRecord| {
        let [out, into] = edge.ways_m3;
        let volumes = [out, into].map(|volume| figure(Some(volume), 0, "m³"));
        let [out, into] = volumes;
        vec![edge.name.clone(), discharge(edge.peak()), out, into]
    };
    let headings = ["Edge", "Largest discharge", "Out", "In"];
    wide_table("Edges of the map", &headings, &edges.iter().map(row).collect::<Vec<_>>())
}

/// Returns a row for each outlet; empty if no water left.
#[must_use]
pub fn outlets(outlets: &[Outlet]) -> String {
    let row = |outlet: &Outlet| {
        let [from, to] = outlet.ends.map(|[x, y]| format!("{}, {}", brief(x), brief(y)));
        let inflow = outlet.inflow.as_ref();
        vec![
            outlet.edge.clone(),
            from,
            to,
            figure(Some(outlet.volume_m3), 0, "m³"),
            inflow
                .map_or_else(|| "–".to_owned(), |(name, away_m)| format!("{name}, {away_m:.0} m")),
        ]
    };
    let headings = ["Outlet over", "From", "To", "Net out", "Inflow close by"];
    match outlets {
        [] => String::new(),
        _ => wide_table("Outlets", &headings, &outlets.iter().map(row).collect::<Vec<_>>()),
    }
}

/// Returns a row for each barrier; a dash for an event that did not happen.
#[must_use]
pub fn barriers(barriers: &[BarrierPassage]) -> String {
    let row = |barrier: &BarrierPassage| {
        let [low, high] = barrier.crest_m;
        let [right, left] = barrier.passage.volumes_m3();
        vec![
            barrier.name.clone(),
            figure(Some(barrier.length_m), 0, "m"),
            if low < high { format!("{low} to {high} m") } else { format!("{low} m") },
            peak(&barrier.passage),
            figure(barrier.passage.largest_head_m(), 2, "m"),
            moment(barrier.overtopped_s),
            moment(barrier.breached_s),
            figure(Some(right), 0, "m³"),
            figure(Some(left), 0, "m³"),
        ]
    };
    let headings = [
        "Barrier",
        "Length",
        "Crest",
        "Peak discharge",
        "Largest head",
        "Overtopped first",
        "Breach began",
        "To the right",
        "To the left",
    ];
    wide_table("Barriers", &headings, &barriers.iter().map(row).collect::<Vec<_>>())
}

/// Returns a row for each culvert, pump and drain.
#[must_use]
pub fn links(links: &[LinkPassage]) -> String {
    let row = |link: &LinkPassage| {
        let [forwards, backwards] = link.passage.volumes_m3();
        vec![
            link.name.clone(),
            link.kind.to_owned(),
            peak(&link.passage),
            figure(link.passage.largest_head_m(), 2, "m"),
            moment(link.began_s),
            moment(link.full_s),
            figure(Some(forwards), 0, "m³"),
            figure(Some(backwards), 0, "m³"),
        ]
    };
    let headings = [
        "Name",
        "Kind",
        "Peak discharge",
        "Largest head",
        "Began",
        "Full first",
        "Forwards",
        "Backwards",
    ];
    wide_table("Culverts, pumps and drains", &headings, &links.iter().map(row).collect::<Vec<_>>())
}

/// Returns the largest discharge, and its time.
fn peak(passage: &PassageReadings) -> String {
    discharge(passage.peak())
}

/// Returns a discharge, and its time.
fn discharge(peak: Option<(f64, f64)>) -> String {
    match peak {
        Some((at, discharge)) if discharge != 0.0 => {
            format!("{} at {}", figure(Some(discharge), 2, "m³/s"), wording::clock(at))
        }
        found => figure(found.map(|(_, discharge)| discharge), 2, "m³/s"),
    }
}

fn moment(time_s: Option<f64>) -> String {
    time_s.map_or_else(|| "–".into(), wording::clock)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_units_are_written_in_full() {
        let books = FloodLedger {
            unit_m3: 0.25,
            initial: 0,
            stored: i128::MAX,
            into: vec![("rain".into(), i128::MAX), ("rain".into(), 0)],
            out: Vec::new(),
        };
        let html = ledger(&books);
        assert!(html.contains("170\u{202f}141\u{202f}183"), "{html}");
        assert!(html.contains("rain (2)") && balance(&books).contains("balance to the unit"));
        let off = FloodLedger { stored: i128::MAX - 4, ..books };
        assert!(balance(&off).contains("4 units (−1.00 m³) are missing"), "{}", balance(&off));
    }
}
