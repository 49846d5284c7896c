//! Figures of a comparison: one table, whose rows are the same on the page, in files and on the
//! shell.

use super::difference::RunComparison;
use super::reading::RunResults;
use super::series::RunSeries;

/// Kind of a figure's values, which are in SI units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FigureKind {
    /// An area, m².
    Area,
    /// A length, m.
    Length,
    /// A volume, m³.
    Volume,
    /// A time since the start, s.
    Time,
    /// A discharge, m³/s.
    Discharge,
    /// A part of a whole, 0 to 1.
    Part,
}

/// A row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct ComparedFigure {
    /// Name: `flooded area`.
    pub name: &'static str,
    /// The gauge or the section that has it; empty for the whole map.
    pub at: String,
    /// Kind of its values.
    pub kind: FigureKind,
    /// Value of each run, the reference's first; `None` if it is missing, and for the reference if
    /// the figure is one of the comparison.
    pub values: Vec<Option<f64>>,
}

impl ComparedFigure {
    /// Returns the value of a run less that of the reference.
    #[must_use]
    pub fn difference(&self, run: usize) -> Option<f64> {
        Some(self.values[run]? - self.values[0]?)
    }
}

/// Returns all figures: of the maps, of the volumes, of the gauges, of the sections.
#[must_use]
pub fn all(runs: &[RunResults], comparisons: &[RunComparison]) -> Vec<ComparedFigure> {
    let mut figures = of_maps(runs, comparisons);
    for (name, pointer) in
        [("water at the start", "/volumes_m3/initial"), ("water at the end", "/volumes_m3/stored")]
    {
        figures.push(plain(name, FigureKind::Volume, runs, |run| run.number(pointer)));
    }
    for (name, pointer) in
        [("water that came in", "/volumes_m3/in"), ("water that left", "/volumes_m3/out")]
    {
        figures.push(plain(name, FigureKind::Volume, runs, |run| run.sum(pointer)));
    }
    figures.extend(of_gauges(runs));
    figures.extend(of_sections(runs));
    figures
}

/// Returns a figure of each run.
fn plain(
    name: &'static str,
    kind: FigureKind,
    runs: &[RunResults],
    value: impl Fn(&RunResults) -> Option<f64>,
) -> ComparedFigure {
    ComparedFigure { name, at: String::new(), kind, values: runs.iter().map(value).collect() }
}

fn of_maps(runs: &[RunResults], comparisons: &[RunComparison]) -> Vec<ComparedFigure> {
    let compared = |name, kind, value: &dyn Fn(&RunComparison) -> Option<f64>| {
        let values = std::iter::once(None).chain(comparisons.iter().map(value)).collect();
        ComparedFigure { name, at: String::new(), kind, values }
    };
    let area = |cells: usize| runs[0].area_m2(cells);
    let of_runs = |name, kind, pointer: &str| plain(name, kind, runs, |run| run.number(pointer));
    vec![
        of_runs("flooded area", FigureKind::Area, "/flooded_m2"),
        compared("newly flooded", FigureKind::Area, &|own| area(own.extent.new)),
        compared("no longer flooded", FigureKind::Area, &|own| area(own.extent.gone)),
        compared("index of agreement", FigureKind::Part, &|own| own.extent.agreement()),
        of_runs("danger for most or all", FigureKind::Area, "/dangerous_m2"),
        of_runs("deepest on dry ground", FigureKind::Length, "/flooded/deepest/depth_m"),
        compared("largest rise of depth", FigureKind::Length, &|own| Some(own.extremes_m[0])),
        compared("largest fall of depth", FigureKind::Length, &|own| Some(own.extremes_m[1])),
    ]
}

fn of_gauges(runs: &[RunResults]) -> Vec<ComparedFigure> {
    let names = names(runs.iter().map(|run| &*run.gauges));
    let rows = names.into_iter().flat_map(|at| {
        let of = |run: &RunResults| run.gauges.iter().find(|gauge| gauge.name == at).cloned();
        let gauges: Vec<Option<RunSeries>> = runs.iter().map(of).collect();
        let row = |name, kind, value: &dyn Fn(&RunSeries) -> Option<f64>| {
            let values = gauges.iter().map(|gauge| gauge.as_ref().and_then(value)).collect();
            ComparedFigure { name, at: at.clone(), kind, values }
        };
        // The first of the highest depths; a gauge that stayed dry has no stage and no time.
        let deepest = |gauge: &RunSeries| gauge.highest(0).filter(|(_, depth)| *depth > 0.0);
        [
            row("largest depth", FigureKind::Length, &|gauge| Some(gauge.highest(0)?.1)),
            row("highest stage", FigureKind::Length, &|gauge| {
                deepest(gauge).and(gauge.highest(1)).map(|(_, stage)| stage)
            }),
            row("time of largest depth", FigureKind::Time, &|gauge| Some(deepest(gauge)?.0)),
        ]
    });
    rows.collect()
}

fn of_sections(runs: &[RunResults]) -> Vec<ComparedFigure> {
    let names = names(runs.iter().map(|run| &*run.sections));
    let rows = names.into_iter().flat_map(|at| {
        let value = |run: &RunResults, pointer: &str| {
            let found = run.listed("sections").find(|(name, _)| *name == at);
            found.and_then(|(_, section)| section.pointer(pointer)?.as_f64())
        };
        let row = |name, kind, pointer: &str| {
            let values = runs.iter().map(|run| value(run, pointer)).collect();
            ComparedFigure { name, at: at.clone(), kind, values }
        };
        [
            row("largest discharge", FigureKind::Discharge, "/peak_discharge/discharge_m3_s"),
            row("time of largest discharge", FigureKind::Time, "/peak_discharge/time_s"),
            row("volume to the right", FigureKind::Volume, "/to_the_right_m3"),
            row("volume to the left", FigureKind::Volume, "/to_the_left_m3"),
        ]
    });
    rows.collect()
}

/// Returns the names of the series of all runs, each once, in the order of the first run that has
/// it.
pub fn names<'a>(runs: impl Iterator<Item = &'a [RunSeries]>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for series in runs.flatten() {
        if !names.contains(&series.name) {
            names.push(series.name.clone());
        }
    }
    names
}
