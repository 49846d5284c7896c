//! Notes that a reader of a comparison needs: one sentence each.

use std::collections::HashMap;

use kit::words::short;
use serde_json::Value;

use super::reading::{ResultState, RunResults};
use crate::output::wording;

/// Part by which widths of equal cells may differ.
const CELLS_EQUAL: f64 = 1.0e-6;

/// Returns all notes, the gravest first: runs that are not whole, settings that differ and that the
/// figures depend on, and the ground of the pictures.
#[must_use]
pub fn all(runs: &[RunResults], has_relief: bool) -> Vec<String> {
    let mut notes: Vec<String> = runs.iter().filter_map(unfinished).collect();
    let (reference, others) = (&runs[0], &runs[1..]);
    for run in others {
        let names = (&*run.name, &*reference.name);
        notes.extend(unlike(names, [run, reference]));
    }
    notes.extend(first_looks(runs));
    notes.extend(runs.iter().filter(|run| !run.knows_before()).map(|run| {
        format!(
            "The results of `{}` do not tell which ground was under water before the event, as \
             they are of an older version: ground that was wet from the start counts as such, \
             another sea or permanent water as flooded. Run it again to have them apart.",
            run.name
        )
    }));
    if !rasters::is_square(&reference.grid) {
        notes.push(
            "The cells of the GeoTIFFs are no squares: areas that are counted in them differ by \
             some percent from those of the reports."
                .to_owned(),
        );
    }
    if !has_relief {
        notes.push(format!(
            "The pictures have no relief of the ground, because there is no page of `{}` that it \
             could be read from.",
            reference.name
        ));
    }
    notes
}

/// Returns a note on runs that are all first looks, in equal cells.
fn first_looks(runs: &[RunResults]) -> Option<String> {
    let cell_m = runs[0].first_look_m()?;
    let is_equal = |own: f64| (own - cell_m).abs() <= CELLS_EQUAL * cell_m;
    let are_equal = runs.iter().all(|run| run.first_look_m().is_some_and(is_equal));
    let count = if runs.len() == 2 { "Both".to_owned() } else { format!("All {}", runs.len()) };
    are_equal.then(|| {
        format!(
            "{count} runs are first looks (--now) in cells of {} m: differences narrower than a \
             cell are not resolved.",
            short(cell_m)
        )
    })
}

/// Returns a note on a run that is not whole.
fn unfinished(run: &RunResults) -> Option<String> {
    let name = &run.name;
    match run.state() {
        ResultState::Whole => None,
        ResultState::GoingOn => Some(format!(
            "The run `{name}` was still going on, or was killed: these are results in cells of \
             {}, and finer ones were to follow. Compare again when it has ended.",
            run.simulated_cell_m().map_or_else(|| "an unknown width".into(), wording::length)
        )),
        ResultState::CutShort => Some(format!(
            "The run `{name}` was stopped, or failed, before its last level: it shows the whole \
             event in cells of {}, and finer ones were asked for.",
            run.simulated_cell_m().map_or_else(|| "an unknown width".into(), wording::length)
        )),
        ResultState::Stopped => Some(format!(
            "The run `{name}` was stopped after {} of simulated time: its maps and figures show \
             the flood up to then.",
            run.number("/simulated_s").map_or_else(|| "a part".into(), wording::clock)
        )),
    }
}

/// Returns notes on settings of a run that differ from the reference's.
fn unlike(
    (name, other): (&str, &str),
    [run, reference]: [&RunResults; 2],
) -> impl Iterator<Item = String> {
    let pair = |pointer: &str| {
        let values = run.number(pointer).zip(reference.number(pointer));
        values.filter(|(own, wanted)| (own - wanted).abs() > 1.0e-9 * wanted.abs())
    };
    // For a run that was stopped, a note above gives the time.
    let is_stopped = [run, reference].iter().any(|run| run.state() == ResultState::Stopped);
    let time = pair("/simulated_s").filter(|_| !is_stopped).map(|(own, wanted)| {
        let [own, wanted] = [own, wanted].map(wording::clock);
        format!("`{name}` simulates {own}, `{other}` {wanted}.")
    });
    let wet = pair("/wet_depth_m").map(|(own, wanted)| {
        let [own, wanted] = [own, wanted].map(wording::length);
        format!(
            "A cell of `{name}` counts as flooded from {own} on, one of `{other}` from {wanted} \
             on: areas, times and levels do not mean the same (--wet-depth)."
        )
    });
    let cells = run.simulated_cell_m().zip(reference.simulated_cell_m());
    let cells = cells.filter(|(own, wanted)| (own - wanted).abs() > CELLS_EQUAL * wanted);
    let cells = cells.map(|(own, wanted)| {
        format!(
            "`{name}` was simulated in cells of {} m, `{other}` in cells of {} m: a part of the \
             difference is that of the cells.",
            short(own),
            short(wanted)
        )
    });
    let versions = [run, reference].map(|run| run.text("/version"));
    let version = (versions[0] != versions[1]).then(|| {
        let [own, wanted] = versions;
        format!("`{name}` is of version {own} of flood-preview, `{other}` of version {wanted}.")
    });
    let places = [("gauge", "gauges", "at"), ("section", "sections", "line")];
    let places = places.into_iter().flat_map(move |(kind, list, place)| {
        run.elsewhere(reference, (list, place)).into_iter().map(move |own| {
            format!("The {kind} {own} of `{name}` is not at the place it has in `{other}`.")
        })
    });
    [time, wet, cells, version].into_iter().flatten().chain(places).collect::<Vec<_>>().into_iter()
}

impl RunResults {
    /// Returns the names in a list that have another place in the reference.
    fn elsewhere(&self, reference: &Self, (list, place): (&str, &str)) -> Vec<String> {
        let others: HashMap<String, &Value> = reference.listed(list).collect();
        let elsewhere = self
            .listed(list)
            .filter(|(name, own)| others.get(name).is_some_and(|other| other[place] != own[place]));
        elsewhere.map(|(name, _)| name).collect()
    }
}
