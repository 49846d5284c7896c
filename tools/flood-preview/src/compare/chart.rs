//! Series of several runs in one chart, as a still picture (SVG) in the page.
//!
//! Guarantees: no script; lines differ by dashes as well as by colour; a chart of more readings
//!             than it has pixels keeps the lowest and the highest of each part.

use std::fmt::Write;

use super::series::RunSeries;
use crate::output::page::markup::escaped;
use crate::output::wording;

/// Size of a chart, pixels, and of its margins: west, north, east, south.
const SIZE: [f64; 2] = [380.0, 190.0];
const MARGINS: [f64; 4] = [46.0, 8.0, 12.0, 24.0];
/// Parts into which the readings of a line are divided, at most; each keeps up to four readings.
const PARTS: usize = 240;
/// Number of kinds of lines that differ to the eye; further runs use these kinds again.
pub const LINES: usize = 6;

/// A chart of one quantity at one place.
#[derive(Debug)]
pub struct Chart<'a> {
    /// Description for readers who cannot see it.
    pub label: String,
    /// The series of each run, if it has one.
    pub lines: Vec<Option<&'a RunSeries>>,
    /// Index of the column that is drawn, in each series.
    pub column: usize,
}

/// Limits of the axes.
struct Axes {
    time_s: f64,
    low: f64,
    high: f64,
}

impl Axes {
    fn x(&self, time_s: f64) -> f64 {
        MARGINS[0] + (SIZE[0] - MARGINS[0] - MARGINS[2]) * time_s / self.time_s
    }

    fn y(&self, value: f64) -> f64 {
        let part = (value - self.low) / (self.high - self.low);
        SIZE[1] - MARGINS[3] - (SIZE[1] - MARGINS[1] - MARGINS[3]) * part
    }
}

impl Chart<'_> {
    /// Returns the chart; empty if it has no reading.
    #[must_use]
    pub fn html(&self) -> String {
        let Some(axes) = self.axes() else { return String::new() };
        let [width, height] = SIZE;
        let mut svg = format!(
            "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" \
             aria-label=\"{}\">",
            escaped(&self.label)
        );
        self.draw_axes(&axes, &mut svg);
        for (run, series) in self.lines.iter().enumerate() {
            let Some(series) = series else { continue };
            for points in polylines(series, self.column, &axes) {
                let _ = write!(
                    svg,
                    "<polyline class=\"run run-{}\" points=\"{points}\"/>",
                    run % LINES
                );
            }
        }
        svg + "</svg>"
    }

    fn axes(&self) -> Option<Axes> {
        let series = || self.lines.iter().flatten();
        let values =
            || series().flat_map(|own| &own.columns[self.column]).filter(|value| value.is_finite());
        values().next()?;
        let low = values().fold(0.0_f64, |low, value| low.min(*value));
        let high = values().fold(0.0_f64, |high, value| high.max(*value));
        let times = series().filter_map(|own| own.time_s.last());
        let time_s = times.fold(0.0_f64, |last, time| last.max(*time));
        // A line along an axis would not be seen.
        let room = if high > low { 0.05 * (high - low) } else { 1.0 };
        let low = if low < 0.0 { low - room } else { 0.0 };
        Some(Axes { time_s: time_s.max(1.0e-9), low, high: high + room })
    }

    fn draw_axes(&self, axes: &Axes, svg: &mut String) {
        let [width, height] = SIZE;
        let (west, east) = (MARGINS[0], width - MARGINS[2]);
        for value in ticks(axes.low, axes.high, 4.0) {
            let y = axes.y(value);
            let _ = write!(
                svg,
                "<path class=\"grid\" d=\"M{west} {y:.1}H{east}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                west - 5.0,
                y + 4.0,
                number(value)
            );
        }
        let step = time_step(axes.time_s);
        let mut time_s = 0.0;
        while time_s <= axes.time_s * (1.0 + 1.0e-9) {
            let (x, anchor) = match axes.x(time_s) {
                x if x > east - 20.0 => (x, "end"),
                x => (x, if time_s > 0.0 { "middle" } else { "start" }),
            };
            let _ = write!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                height - 7.0,
                wording::clock(time_s)
            );
            time_s += step;
        }
        let y = axes.y(0.0);
        let _ = write!(svg, "<path class=\"axis\" d=\"M{west} {y:.1}H{east}\"/>");
    }
}

/// Returns the points of a series, a text for each stretch without a gap.
fn polylines(series: &RunSeries, column: usize, axes: &Axes) -> Vec<String> {
    let readings: Vec<(f64, f64)> =
        series.time_s.iter().copied().zip(series.columns[column].iter().copied()).collect();
    let mut lines = vec![String::new()];
    for (time_s, value) in thinned(&readings) {
        if value.is_finite() {
            let line = lines.last_mut().expect("there is one");
            let _ = write!(line, "{:.1},{:.1} ", axes.x(time_s), axes.y(value));
        } else {
            lines.push(String::new());
        }
    }
    lines.retain(|line| !line.is_empty());
    lines
}

/// Returns the first, lowest, highest and last reading of each part; all readings if a part has
/// four or fewer.
fn thinned(readings: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let length = readings.len().div_ceil(PARTS);
    if length <= 4 {
        return readings.to_vec();
    }
    let mut kept = Vec::new();
    for part in readings.chunks(length) {
        let known = || (0..part.len()).filter(|&at| part[at].1.is_finite());
        let by_value = |a: &usize, b: &usize| part[*a].1.total_cmp(&part[*b].1);
        let extremes = [known().min_by(by_value), known().max_by(by_value)];
        let mut places: Vec<usize> = extremes.into_iter().flatten().collect();
        places.extend([0, part.len() - 1]);
        places.sort_unstable();
        places.dedup();
        kept.extend(places.into_iter().map(|at| part[at]));
    }
    kept
}

/// Returns round values between two limits, about `count` of them.
fn ticks(low: f64, high: f64, count: f64) -> impl Iterator<Item = f64> {
    let step = 2.0 * wording::round_below((high - low) / count);
    let first = (low / step).ceil();
    (0_u8..12).map(move |tick| (first + f64::from(tick)) * step).take_while(move |v| *v <= high)
}

/// Returns a round interval of time of which the axis has up to five.
fn time_step(time_s: f64) -> f64 {
    let round = [
        1.0, 2.0, 5.0, 10.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0,
        10_800.0, 21_600.0, 43_200.0, 86_400.0, 172_800.0, 432_000.0,
    ];
    let fits = round.into_iter().find(|step| time_s / step <= 5.0);
    fits.unwrap_or_else(|| 2.0 * wording::round_below(time_s / 4.0))
}

/// Returns a tick's value without noise of the last digits.
fn number(value: f64) -> String {
    let rounded = (value * 1.0e6).round() / 1.0e6;
    rounded.to_string().replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thinned_line_keeps_its_peak() {
        let series = |count: u32, peak: u32| RunSeries {
            name: "a".into(),
            time_s: (0..count).map(f64::from).collect(),
            columns: vec![(0..count).map(|at| if at == peak { 9.0 } else { 1.0 }).collect()],
        };
        for (count, peak) in [(100, 50), (50_000, 34_567), (50_000, 49_999)] {
            let own = series(count, peak);
            let readings: Vec<(f64, f64)> =
                own.time_s.iter().copied().zip(own.columns[0].iter().copied()).collect();
            let kept = thinned(&readings);
            assert!(kept.len() <= 4 * PARTS && kept.contains(&(f64::from(peak), 9.0)), "{count}");
            assert!(kept.is_sorted_by(|a, b| a.0 < b.0));
        }
    }

    #[test]
    fn axes_have_round_values() {
        let found: Vec<String> = ticks(0.0, 1.05, 4.0).map(number).collect();
        assert_eq!(found, ["0", "0.4", "0.8"]);
        let found: Vec<String> = ticks(-2.1, 4.2, 4.0).map(number).collect();
        assert_eq!(found, ["−2", "0", "2", "4"]);
        for (time_s, step) in [(3600.0, 1200.0), (7200.0, 1800.0), (40.0, 10.0), (600.0, 120.0)] {
            assert!((time_step(time_s) - step).abs() < 1.0e-9, "{time_s}: {}", time_step(time_s));
        }
    }

    #[test]
    fn text_of_a_chart_stays_text_and_gaps_part_a_line() {
        let own = RunSeries {
            name: "a".into(),
            time_s: vec![0.0, 1.0, 2.0, 3.0],
            columns: vec![vec![0.0, 1.0, f64::NAN, 2.0]],
        };
        let lines = vec![Some(&own), None];
        let chart = Chart { label: "<b>".into(), lines, column: 0 };
        let html = chart.html();
        assert!(html.contains("&lt;b&gt;") && !html.contains("<b>"), "{html}");
        assert_eq!(html.matches("<polyline").count(), 2);
        let dry = RunSeries { columns: vec![vec![f64::NAN; 4]], ..own.clone() };
        let none = Chart { lines: vec![Some(&dry)], ..chart };
        assert_eq!(none.html(), "");
    }
}
